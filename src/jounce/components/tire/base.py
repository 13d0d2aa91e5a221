"""What every tire model offers: a block of numbers with units, pure functions of the contact, one leaf function.

A tire model is a small frozen object that holds what changes the *equations* (use mode, formula variant, which curves
exist). Its numbers are a mapping from names to values, floats or symbols alike, so that the same text is evaluated in a
test, plotted, and compiled. Axes are those of the contact (docs/conventions.md): x along the wheel plane forward,
y left, z along the road normal. κ > 0 drives; α > 0 when the contact moves to the left, γ > 0 when the top of the
wheel leans to the right; forces act on the wheel.

    load = model.vertical(p, ρ, ρ̇)              wheel load
    re = model.effective_radius(p, ρ)            effective rolling radius
    at = model.at_load(p, load, γ, µ)            everything that depends on load, camber and friction only
    model.forces(p, at, κ, α, vx, ω)             Fx, Fy, Mx, My, Mz

What a model adds to these by states (relaxation) is in ``transient``, how it meets the ground in ``contact``, and how
it hangs on a wheel of a mechanism in ``wheel``.  New models derive from ``simple.SimpleTire``, which asks for less.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any, ClassVar, NamedTuple

from jounce.core.errors import ParameterError, did_you_mean
from jounce.core.tables import Table
from jounce.symbolic.leaf import Leaf
from jounce.symbolic.ops import clip, fabs, fmax, if_else, sin

Numbers = Mapping[str, Any]  # name -> float, array or symbol
ONLY_TO_DRIVE = ("VERTICAL_STIFFNESS",)  # what fits of rig data often leave out: slip forces do not depend on it
USUAL_DEFLECTION = 0.06  # of the unloaded radius, at the nominal load
Curve = Callable[..., Any]

# Blocks that a property file of a Magic Formula tire must have.
FILE_BLOCKS = (
    *("UNITS", "MODEL", "DIMENSION", "VERTICAL", "LONG_SLIP_RANGE"),
    *("SLIP_ANGLE_RANGE", "INCLINATION_ANGLE_RANGE", "VERTICAL_FORCE_RANGE"),
)


@dataclass(frozen=True)
class Coefficient:
    """A number of a tire: declared once, with unit and meaning."""

    name: str
    unit: str
    doc: str
    default: float | None = 0.0  # None: must be given
    block: str = ""  # where property files keep it; empty: not in files


class Forces(NamedTuple):
    """Forces and moments at the contact point, contact axes; the wheel load is the third force."""

    fx: Any
    fy: Any
    mx: Any
    my: Any
    mz: Any


class AtLoad(NamedTuple):
    """What relaxation needs to know of a tire at a load; models may add to it."""

    sigma_kappa: Any  # longitudinal relaxation length, m
    sigma_alpha: Any  # lateral relaxation length, m
    slope_x: Any  # dFx/dκ at zero slip, N
    slope_y: Any  # dFy/dα at zero slip, N/rad, negative
    per_kappa_slide: Any  # one over the slip at which the whole contact slides, -
    per_alpha_slide: Any  # the same for the tangent of the slip angle, -
    grip: Any  # largest lateral force, N
    own: Any  # what the model itself goes on with

    @property
    def kappa_slide(self) -> Any:
        return 1 / self.per_kappa_slide

    @property
    def alpha_slide(self) -> Any:
        return 1 / self.per_alpha_slide


class Turn(NamedTuple):
    """How the contact turns about the normal of the road, over its speed; all for a wheel as it was measured."""

    path: Any  # yaw rate of the carrier over the speed, 1/m
    camber: Any  # spin times sin γ over the speed, 1/m
    way: Any  # sign of the speed


class TireModel(ABC):
    """The structure of a tire: which equations. Its numbers are passed to every function.

    A model is a frozen dataclass: its fields are what changes the equations, and each set of them is compiled once.
    """

    kind: ClassVar[str]
    modes: ClassVar[Sequence[int]] = ()  # use modes that a file may choose; empty: it has none
    sided: ClassVar[Collection[str]] = ()  # numbers that make a tire differ from its mirror image
    file_blocks: ClassVar[Sequence[str]] = ("UNITS", "MODEL", "DIMENSION")  # that a property file must have
    aliases: ClassVar[Mapping[str, str]] = {}  # other spellings of keys -> name

    @property
    @abstractmethod
    def coefficients(self) -> Sequence[Coefficient]:
        """The block of numbers, in the order in which leaf functions take it."""

    @property
    @abstractmethod
    def transient(self) -> bool:
        """Whether slip lags behind by contact deflections (two states)."""

    @property
    def sideways(self) -> bool:
        """Whether there are forces across the wheel and moments about the normal of the road."""
        return True

    @property
    def has_trail(self) -> bool:
        """Whether ``parts`` tell a pneumatic trail."""
        return False

    @property
    def curves(self) -> Sequence[str]:
        """Names of the tables that the leaf function of this structure looks up."""
        return ()

    def curve_shape(self, name: str) -> tuple[int, int]:
        """Number of axes and of outputs of a table."""
        return 1, 1

    @property
    def profile(self) -> bool:
        """Whether the contact has a cross-section, a table ``profile`` of |γ| (see ``contact``)."""
        return False

    @property
    def turn_slip(self) -> bool:
        """Whether forces depend on how fast the contact turns about the normal of the road."""
        return False

    @property
    def nonlinear(self) -> bool:
        """Whether relaxation lengths fall with slip (see ``transient``)."""
        return False

    @property
    def lonslip(self) -> int:
        """1: longitudinal slip is related to the larger of rolling and travelling speed."""
        return 0

    @property
    def softens(self) -> bool:
        """Whether the load depends on the forces in the road plane (see ``vertical``)."""
        return False

    def required(self) -> set[str]:
        """Names of the numbers without which this structure means nothing."""
        return {c.name for c in self.coefficients if c.default is None}

    def scalable(self) -> Sequence[str]:
        """Numbers on which every wheel has a factor of its own that may change without compiling (``wheel.mount``)."""
        return ()

    def file_keys(self) -> dict[str, str | float]:
        """What [MODEL] of a property file says about this structure, use mode and side left out."""
        return {"PROPERTY_FILE_FORMAT": "USER", "FUNCTION_NAME": f"jounce::{self.kind}"}

    def derived(self, p: Numbers) -> dict[str, Any]:
        """Further numbers, computed once before a run from the block; described in ``derived_docs``."""
        return {}

    @property
    def derived_docs(self) -> Mapping[str, tuple[str, str]]:
        """Unit and meaning of the derived numbers."""
        return {}

    @abstractmethod
    def vertical(
        self,
        p: Numbers,
        rho: Any,
        rho_rate: Any,
        curves: Mapping[str, Curve] | None = None,
        *,
        gamma: Any = 0.0,
        spin: Any = 0.0,
        vx: Any = 0.0,
    ) -> Any:
        """Wheel load, N, from deflection (m) and its rate (m/s), inclination, spin and speed."""

    @abstractmethod
    def effective_radius(self, p: Numbers, rho: Any, spin: Any = 0.0) -> Any:
        """Rolling speed over spin of a free-rolling wheel, m."""

    def force_share(self, p: Numbers, rho: Any, gamma: Any, spin: Any, fx: Any, fy: Any) -> Any:
        """k of (3) in ``vertical``, for a structure that ``softens``."""
        return 0.0

    @abstractmethod
    def at_load(
        self,
        p: Numbers,
        load: Any,
        gamma: Any,
        friction: Any = 1.0,
        *,
        turn: Turn | None = None,
        curves: Mapping[str, Curve] | None = None,
    ) -> AtLoad:
        """Everything that depends on load (N), inclination (rad), road friction and turning only."""

    def estimate(
        self, p: Numbers, load: Any, gamma: Any, friction: Any, turn: Turn | None, curves: Mapping[str, Curve] | None
    ) -> AtLoad:
        """As ``at_load``, for forces that may be off by parts in a thousand."""
        return self.at_load(p, load, gamma, friction, turn=turn, curves=curves)

    @abstractmethod
    def forces(
        self,
        p: Numbers,
        at: AtLoad,
        kappa: Any,
        alpha: Any,
        vx: Any = None,
        spin: Any = None,
        belt: Any = 0.0,
        rolls: Any = None,
    ) -> Forces:
        """Forces for given slips. ``vx``: speed of the contact, m/s; ``spin``: of the wheel, rad/s; ``belt``: rolling
        speed times rate of the lateral deflection, m²/s²; ``rolls``: which way rolling resistance acts, -1 … 1
        (``resting``), the sign of the spin where it is not given.

        Without them the wheel rolls forward at the speed of the measurement.
        """

    # -- for people -----------------------------------------------------------------------------------------
    def parts(
        self, p: Numbers, at: AtLoad, kappa: Any, alpha: Any, vx: Any = None, spin: Any = None, belt: Any = 0.0
    ) -> dict[str, Any]:
        """What ``forces`` are made of, by names of ``output_map``; what a model does not have is left out."""
        return {}

    def complete(self, values: Mapping[str, float]) -> dict[str, float]:
        """All numbers of the block, defaults filled in, and the derived ones."""
        known = {c.name for c in self.coefficients}
        unknown = [name for name in values if name not in known]
        if unknown:
            raise ParameterError(f"tire {self.kind}: unknown number {unknown[0]!r}{did_you_mean(unknown[0], known)}")
        missing = [c.name for c in self.coefficients if c.default is None and c.name not in values]
        if missing:
            raise ParameterError(f"tire {self.kind}: these numbers have no default: {', '.join(missing)}")
        p: dict[str, float] = {c.name: float(values.get(c.name, c.default or 0.0)) for c in self.coefficients}
        return {**p, **{name: float(value) for name, value in self.derived(p).items()}}

    def steady(
        self,
        p: Numbers,
        load: Any,
        kappa: Any = 0.0,
        alpha: Any = 0.0,
        gamma: Any = 0.0,
        friction: Any = 1.0,
        *,
        side: Any = 1.0,
        vx: Any = None,
        spin: Any = None,
        path: Any = 0.0,
        curves: Mapping[str, Curve] | None = None,
    ) -> Forces:
        """Steady-state forces; ``side`` = -1 mirrors the tire: it is mounted on the other side than it was measured.

        ``path``: yaw rate over speed, 1/m, positive in a turn to the left, for models with turn slip.
        """
        turn = None
        if self.turn_slip:
            turned = sin(gamma) / self.effective_radius(p, 0.0)
            if vx is not None and spin is not None:
                turned = spin * sin(gamma) / fmax(fabs(vx), p["VXLOW"])
            way = 1.0 if vx is None else direction(vx * p["PER_VXLOW"])
            turn = Turn(side * path, side * turned, way)
        at = self.at_load(p, load, side * gamma, friction, turn=turn, curves=curves)
        return mirrored(self.forces(p, at, kappa, side * alpha, vx, spin), side)

    def leaf(self, factors: Sequence[str] = (), exponential: bool = False, yielding: bool = False) -> Leaf:
        """The whole tire, from deflection and velocities to forces and rates of the contact deflections.

        ``factors``: names of numbers on which the caller has factors, as a further group of arguments ``s``.
        ``exponential``: the next deflections instead of their rates. ``yielding``: also how stiff the contact is.
        """
        from jounce.components.tire.transient import leaf_of

        return leaf_of(self, tuple(factors), exponential, yielding)


@dataclass(frozen=True)
class Tire:
    """A tire: structure, numbers, curves, and the side of the car it was measured on."""

    model: TireModel
    values: Mapping[str, float]  # complete block, derived numbers included
    curves: Mapping[str, Table] = field(default_factory=dict)
    side: str = "symmetric"  # left, right, symmetric
    name: str = ""
    sizes: Mapping[str, float] = field(default_factory=dict)  # further dimensions, for pictures and reports

    def with_values(self, **changes: float) -> Tire:
        """A copy with other numbers."""
        block = {c.name: self.values[c.name] for c in self.model.coefficients}
        return replace(self, values=self.model.complete({**block, **changes}))

    def raw(self) -> dict[str, Any]:
        """The tire as plain data: model and its choices, numbers, curves."""
        choices = {f.name: getattr(self.model, f.name) for f in fields(self.model)}  # type: ignore[arg-type]
        plain = {name: item if isinstance(item, int | float) else str(item) for name, item in choices.items()}
        return {
            "name": self.name,
            "model": type(self.model).__name__,
            "side": self.side,
            "choices": plain,
            "values": dict(self.values),
            "curves": {
                name: {"axes": [list(axis) for axis in curve.axes], "values": curve.values.tolist()}
                for name, curve in self.curves.items()
            },
        }

    @property
    def lacks(self) -> tuple[str, ...]:
        """Numbers that a file left out and that only driving needs: they are nan, and so is what follows from them."""
        return tuple(name for name in ONLY_TO_DRIVE if math.isnan(self.values.get(name, 0.0)))

    def check_drivable(self) -> None:
        """Raises when a number is missing without which nothing can stand on this tire."""
        if self.lacks:
            usual = float(self.values["FNOMIN"]) / (USUAL_DEFLECTION * float(self.values["UNLOADED_RADIUS"]))
            example = f" (usual for this size: {usual:.2g} N/m)" if usual > 0 else ""
            raise ParameterError(
                f"tire {self.name!r}: {', '.join(self.lacks)} is missing in its file{example}; without it the tire can "
                "be shown, judged and evaluated, but nothing can stand on it. Add it to [VERTICAL]"
            )

    def numbers(self, name: str) -> Iterator[tuple[str, Callable[[], float | Table]]]:
        """What a model declares for this tire under a name (``wheel.declare``): parameters and tables."""
        self.check_drivable()
        for c in self.model.coefficients:
            yield f"{name}.{c.name}", partial(float, self.values[c.name])
        for curve in (*self.model.curves, *(["profile"] if self.model.profile else [])):
            if curve in self.curves:
                yield f"{name}.{curve}", partial(self.curves.__getitem__, curve)

    def sign_on(self, side: str) -> float:
        """-1 when the tire is mounted on the other side than it was measured, else 1."""
        if side not in ("left", "right"):
            raise ParameterError(f"tire {self.name!r}: side = {side!r}; use 'left' or 'right'")
        return -1.0 if self.side in ("left", "right") and side != self.side else 1.0

    def steady(
        self,
        load: Any,
        kappa: Any = 0.0,
        alpha: Any = 0.0,
        gamma: Any = 0.0,
        friction: Any = 1.0,
        *,
        mounted: str = "",
        vx: Any = None,
        spin: Any = None,
        path: Any = 0.0,
    ) -> Forces:
        """Steady-state forces of this tire, as measured or ``mounted`` on the left or right."""
        sign = self.sign_on(mounted) if mounted else 1.0
        options = {"side": sign, "vx": vx, "spin": spin, "path": path, "curves": dict(self.curves)}
        return self.model.steady(self.values, load, kappa, alpha, gamma, friction, **options)

    def at_load(self, load: Any, gamma: Any = 0.0, friction: Any = 1.0) -> AtLoad:
        """Relaxation lengths and stiffnesses at a load."""
        return self.model.at_load(self.values, load, gamma, friction, curves=dict(self.curves))

    def load(self, rho: Any, rho_rate: Any = 0.0, *, gamma: Any = 0.0, spin: Any = 0.0, vx: Any = 0.0) -> Any:
        """Wheel load for a deflection."""
        self.check_drivable()
        return self.model.vertical(self.values, rho, rho_rate, dict(self.curves), gamma=gamma, spin=spin, vx=vx)

    def deflection(self, load: float) -> float:
        """Deflection under a load, at rest (bisection: curves may have kinks)."""
        low, high = 0.0, float(self.values["UNLOADED_RADIUS"])
        for _ in range(60):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if float(self.load(middle)) < load else (low, middle)
        return 0.5 * (low + high)


def mirrored(forces: Forces, side: Any) -> Forces:
    """Forces of the mirror image for side = -1."""
    return Forces(forces.fx, side * forces.fy, side * forces.mx, forces.my, side * forces.mz)


def rolling_way(p: Numbers, spin: Any) -> Any:
    """Which way a wheel rolls that has no state for it: the sign of its spin, rounded below walking pace."""
    return direction(spin * p["UNLOADED_RADIUS"] * p["PER_VXLOW"])


def direction(x: Any) -> Any:
    """Sign of x, rounded between -1 and 1 (C1): exactly ±1 beyond."""
    x = clip(x, -1.0, 1.0)
    return x * (1.5 - 0.5 * x * x)


FRICTION_UNUSED = 1e-5  # factors of a run below this count as not set


def total_friction(road: Any, tire: Any, ignored_below: float = FRICTION_UNUSED) -> Any:
    """Road friction times the run-time factor of a tire; a factor that is not set (about zero) counts as one."""
    return road * if_else(tire > ignored_below, tire, 1.0)
