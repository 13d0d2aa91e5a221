"""The table tire: forces and aligning moment looked up over load, longitudinal slip and slip angle, as measured.

    (Fx, Fy, Mz) = µ forces(Fz, κ/µ, α/µ)                                                                         (1)
    Fy - CGAMMA γ Fz/FNOMIN,   My = -sgn(Ω) ROLLING_RESISTANCE Fz,   Mx = 0

(1) is the similarity method: lower friction µ scales a curve along both axes, so that the slope at zero stays.  Between
its points the table is C1 (Akima) in three dimensions; beyond them it is held at the last point, and below the smallest
load forces fall in proportion to the load.  The table ``stiffness`` over load, made from the other one when it is read
(``from_grid``), holds slopes and sliding slips for relaxation and standstill.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from jounce.components.tire.base import Coefficient, Forces, Numbers, Tire
from jounce.components.tire.magic import table
from jounce.components.tire.simple import SimpleTire, Stiffness
from jounce.components.tire.vertical import look_up
from jounce.core.errors import ParameterError
from jounce.core.tables import Table

SHAPES = {"forces": (3, 3), "stiffness": (1, 4)}
LEAST_SLOPE = 1e-3  # of the mean slope to the peak: a curve that begins flat is still held at rest


@dataclass(frozen=True)
class TableTire(SimpleTire):
    """Table tire; see the module."""

    kind: ClassVar[str] = "table"
    own: ClassVar[Sequence[Coefficient]] = tuple(
        table(
            "PARAMETER",
            """
            CGAMMA N/rad camber stiffness at nominal load
            ROLLING_RESISTANCE m rolling resistance moment over load
            RELAX_LENGTH_X m longitudinal relaxation length
            RELAX_LENGTH_Y m lateral relaxation length
            """,
        )
    )

    @property
    def curves(self) -> Sequence[str]:
        return tuple(SHAPES)

    def curve_shape(self, name: str) -> tuple[int, int]:
        return SHAPES[name]

    def _stiffness(self, p: Numbers, a: Any) -> Stiffness:
        kx, ky, kappa, alpha = outputs(look_up(a.curves, "stiffness")(a.Fz))
        return Stiffness(kx, ky, kappa * a.friction, alpha * a.friction, p["RELAX_LENGTH_X"], p["RELAX_LENGTH_Y"])

    def _slip_forces(self, p: Numbers, a: Any, kappa: Any, alpha: Any, way: Any) -> Forces:
        mu = a.friction
        fx, fy, mz = outputs(look_up(a.curves, "forces")(a.Fz, kappa / mu, alpha / mu))  # (1)
        fy = mu * fy - p["CGAMMA"] * a.gamma * a.Fz * p["PER_FNOMIN"]
        return Forces(mu * fx, fy, 0.0 * a.Fz, -way * p["ROLLING_RESISTANCE"] * a.Fz, mu * mz)

    def stiffness(self, p: Numbers, load: Any, gamma: Any, friction: Any) -> Stiffness:
        raise ParameterError("table tire: its stiffness comes from the table")

    def slip_forces(self, p: Numbers, load: Any, gamma: Any, friction: Any, kappa: Any, alpha: Any, way: Any) -> Forces:
        raise ParameterError("table tire: its forces come from the table")


def outputs(found: Any) -> Sequence[Any]:
    """The values of a look-up: a list of symbols, or an array with the outputs last."""
    return found if isinstance(found, list) else np.moveaxis(np.asarray(found), -1, 0)  # type: ignore[return-value]


def from_grid(
    load: npt.ArrayLike,
    kappa: npt.ArrayLike,
    alpha: npt.ArrayLike,
    forces: npt.ArrayLike,
    values: dict[str, float],
    *,
    mode: int = 14,
    name: str = "",
    side: str = "left",
) -> Tire:
    """A table tire from forces on a grid.

    Parameters
    ----------
    load, kappa, alpha : axes, rising; N, -, rad. Both slips must reach zero and beyond on both sides
    forces : Fx (N), Fy (N), Mz (N.m) on the grid, shape (load, kappa, alpha, 3); contact axes
    values : numbers of the tire, such as UNLOADED_RADIUS and VERTICAL_STIFFNESS
    """
    axes = [np.asarray(a, dtype=float) for a in (load, kappa, alpha)]
    found = np.asarray(forces, dtype=float)
    if found.shape != (*(len(a) for a in axes), 3):
        raise ParameterError(
            f"table tire {name!r}: forces have the shape {found.shape}; "
            f"the axes ask for {(*(len(a) for a in axes), 3)} (load, kappa, alpha, [Fx, Fy, Mz])"
        )
    for label, axis in (("kappa", axes[1]), ("alpha", axes[2])):
        if not axis[0] < 0 < axis[-1]:
            raise ParameterError(f"table tire {name!r}: {label} goes from {axis[0]:g} to {axis[-1]:g}; must pass zero")
    grid = Table(axes, found, method="akima", extrapolation="flat", name="forces")
    model = TableTire(mode=mode)
    limits = {"KPUMIN": axes[1][0], "KPUMAX": axes[1][-1], "ALPMIN": axes[2][0], "ALPMAX": axes[2][-1]}
    given = {"FZMIN": float(axes[0][0]) or 1.0, "FZMAX": float(axes[0][-1]), **values}
    limits = {key: float(v) for key, v in limits.items()}
    tire_values = model.complete({**limits, **given})
    return Tire(model, tire_values, {"forces": grid, "stiffness": _stiffness(grid, name)}, side, name)


def _stiffness(grid: Table, name: str) -> Table:
    """Slopes at zero slip and slips at the peaks, over load."""
    load, kappa, alpha = grid.axes
    if len(load) < 2 or len(kappa) < 4 or len(alpha) < 4:
        raise ParameterError(f"table tire {name!r}: needs two loads, four slips and four slip angles or more")
    rows = []
    for fz in load:
        row = []
        slides = []
        for axis, output, sign in ((kappa, 0, 1.0), (alpha, 1, -1.0)):
            top = min(-axis[0], axis[-1])
            x = np.linspace(0.0, top, 401)
            zero = np.zeros_like(x)

            def force(x: Any, axis: Any = axis, output: int = output, zero: Any = zero, fz: float = fz) -> Any:
                at = (fz + zero, x, zero) if axis is kappa else (fz + zero, zero, x)
                return np.asarray(grid(*at))[..., output]

            odd = 0.5 * sign * (force(x) - force(-x))
            i = int(np.argmax(odd))
            h = 1e-4 * top
            slope = 0.5 * sign * float((force(np.full(401, h)) - force(np.full(401, -h)))[0]) / h
            if fz > 0 and not slope > 0:
                quantity = "kappa" if axis is kappa else "alpha"
                raise ParameterError(
                    f"table tire {name!r}: at {fz:g} N the force does not grow with {quantity} against the slip"
                )
            row.append(sign * max(slope, LEAST_SLOPE * max(float(odd[i]), 0.0) / max(x[i], h)))
            slides.append(max(float(x[i]), h))
        rows.append([*row, *slides])
    method = "akima" if len(load) > 2 else "linear"
    return Table(load, np.array(rows), method=method, extrapolation="flat", name="stiffness")
