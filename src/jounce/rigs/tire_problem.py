"""The least-squares problem of one stage: the model's own equations with symbols, residuals and exact derivatives.

r = w (F(coefficients; Fz, κ, α, γ, V, p) - F_measured)/F_rms                                                 (1)

The solver does not see the thousands of residuals but as many as there are coefficients and one
more: with [J r] = Q R, the columns of R have the same products, so every step is the same,

J̃ = R[:, :p],   r̃ = R[:, p],      J̃ᵀJ̃ = JᵀJ,   J̃ᵀr̃ = Jᵀr,   |r̃| = |r|                                        (2)

A robust loss ρ(z), z = (r/width)², is made small by weights that follow the residuals until they stay:

r -> r √ρ'(z),   ρ' = 1/√(1 + z) for soft_l1, 1/(1 + z) for Cauchy                                              (3)

R comes from small blocks, one after the other: on large ones linear algebra starts threads that wait for each other,
ten times as long on a busy machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ModelError
from jounce.rigs.tire_data import TireData
from jounce.rigs.vectorised import Vectorised

Array = npt.NDArray[np.float64]

ROWS = 256  # of a block of (2)
WEIGHINGS = 30  # of (3), at most
INPUTS = ("fz", "kappa", "alpha", "gamma", "speed", "pressure")


class Problem:
    """Residuals (1) and their derivatives."""

    def __init__(
        self, model: Any, values: Mapping[str, float], force: str, names: Sequence[str], data: TireData, by_load: bool
    ) -> None:
        import casadi as ca

        theta, x = ca.SX.sym("theta", len(names)), ca.SX.sym("x", len(INPUTS))
        p: dict[str, Any] = {**values, **{n: theta[k] for k, n in enumerate(names)}}
        if "INFLPRES" in p:
            p["INFLPRES"] = x[5]
        p |= model.derived(p)
        result = model.steady(p, x[0], x[1], x[2], x[3], vx=x[4])
        expression = ca.SX(getattr(result, force))
        both = [expression, ca.jacobian(expression, theta)]
        self.function = Vectorised(ca.Function("fit", [theta, x], both))
        self.value_only = Vectorised(ca.Function("value", [theta, x], both[:1]))
        self._columns = [int(c) for c in both[1].sparsity().get_triplet()[1]]
        self.names = list(names)
        speed = data["speed"] if "speed" in data else np.full(len(data), float(values["LONGVL"]))
        pressure = data["pressure"] if "pressure" in data else np.full(len(data), float(values.get("INFLPRES", 0.0)))
        self.points = [data["fz"], data["kappa"], data["alpha"], data["gamma"], speed, pressure]
        self.measured = data[force]
        self.scale = max(float(np.sqrt(np.mean(self.measured**2))), 1e-9)
        self.weight = data["weight"].copy() if "weight" in data else np.ones(len(data))
        if by_load:
            self.weight = self.weight * np.mean(data["fz"]) / data["fz"]
        self._last: tuple[bytes, Array, Array] | None = None
        self._last_short: tuple[bytes, Array] | None = None
        self._trust: Array | None = None  # further weights, of a robust loss

    def thinned(self, most: int) -> Problem:
        """The same with fewer points, taken evenly."""
        n = len(self.measured)
        if n <= most:
            return self
        other = object.__new__(Problem)
        other.__dict__.update(self.__dict__)
        chosen = np.random.default_rng(0).permutation(n)[:most]
        other.points = [column[chosen] for column in self.points]
        other.measured, other.weight, other._last = self.measured[chosen], self.weight[chosen], None
        other._last_short = None
        return other

    def _both(self, x: Array) -> tuple[Array, Array]:
        key = x.tobytes()
        if self._last is None or self._last[0] != key:
            n = len(self.measured)
            (value,), slopes = self.function(list(x), self.points)
            jacobian = np.zeros((n, len(x)), order="F")
            for column, slope in zip(self._columns, slopes, strict=True):
                jacobian[:, column] = slope * self.weight / self.scale
            self._last = key, self.weight * (np.broadcast_to(value, (n,)) - self.measured) / self.scale, jacobian
        return self._last[1], self._last[2]

    def residual(self, x: Array) -> Array:
        key = x.tobytes()
        if self._last is not None and self._last[0] == key:
            return self._last[1]
        ((value,),) = self.value_only(list(x), self.points)
        return self.weight * (np.broadcast_to(value, self.measured.shape) - self.measured) / self.scale

    def jacobian(self, x: Array) -> Array:
        return self._both(x)[1]

    def _short(self, x: Array) -> Array:
        """R of (2)."""
        residual, jacobian = self._both(x)
        if self._last_short is None or self._last_short[0] != x.tobytes():
            both = np.column_stack([jacobian, residual])
            self._last_short = x.tobytes(), triangle(both if self._trust is None else both * self._trust[:, None])
        return self._last_short[1]

    def _short_residual(self, x: Array) -> Array:
        return self._short(x)[:, -1]

    def _short_jacobian(self, x: Array) -> Array:
        return self._short(x)[:, :-1]

    def solve(
        self, x0: Array, lows: Array, highs: Array, *, loss: str = "linear", width: float = 1.0, most: int = 200
    ) -> tuple[Array, int]:
        """The best coefficients and how often they were tried; ``width``: of a robust loss."""
        x0 = np.clip(x0, lows + 1e-9 * (highs - lows), highs - 1e-9 * (highs - lows))
        start = self.residual(x0)
        if not np.all(np.isfinite(start)):
            raise ModelError("fitting: the model gives no number at the start; are the measured values right?")
        if loss == "linear":
            return self._descend(x0, lows, highs, most)
        x, tries = x0, 0
        for _ in range(WEIGHINGS):  # (3)
            z = (self.residual(x) / width) ** 2
            self._trust, self._last_short = (1 + z) ** (-0.25 if loss == "soft_l1" else -0.5), None
            before = x
            x, more = self._descend(x, lows, highs, 3)
            tries += more
            if np.all(np.abs(x - before) <= 1e-7 * (highs - lows)):
                break
        self._trust, self._last_short = None, None
        return x, tries

    def _descend(self, x0: Array, lows: Array, highs: Array, most: int) -> tuple[Array, int]:
        from scipy.optimize import least_squares

        inside = np.clip(x0, lows + 1e-9 * (highs - lows), highs - 1e-9 * (highs - lows))
        found = least_squares(
            self._short_residual, inside, self._short_jacobian, bounds=(lows, highs), x_scale="jac", method="trf",
            max_nfev=most, ftol=1e-9, xtol=1e-9, gtol=1e-9,
        )  # fmt: skip
        return np.asarray(found.x, dtype=np.float64), int(found.nfev)


def triangle(matrix: Array) -> Array:
    """R of the QR decomposition of a tall matrix, block by block; NaN where the matrix is not finite."""
    n = matrix.shape[1]
    if not np.all(np.isfinite(matrix)):
        return np.full((n, n), np.nan)
    rows = max(ROWS, 2 * n)
    while len(matrix) > rows:
        parts = [np.linalg.qr(matrix[i : i + rows], mode="r") for i in range(0, len(matrix), rows)]
        matrix = np.concatenate(parts)
    found = np.asarray(np.linalg.qr(matrix, mode="r"))
    missing = np.zeros((max(n - len(found), 0), n))
    return np.concatenate([found, missing])
