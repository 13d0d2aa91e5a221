"""The least-squares problem of one stage: the model's own equations with symbols, residuals and exact derivatives.

r = w (F(coefficients; Fz, κ, α, γ, V) - F_measured)/F_rms                                                    (1)
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

INPUTS = ("fz", "kappa", "alpha", "gamma", "speed")


class Problem:
    """Residuals (1) and their derivatives."""

    def __init__(
        self, model: Any, values: Mapping[str, float], force: str, names: Sequence[str], data: TireData, by_load: bool
    ) -> None:
        import casadi as ca

        theta, x = ca.SX.sym("theta", len(names)), ca.SX.sym("x", len(INPUTS))
        p: dict[str, Any] = {**values, **{n: theta[k] for k, n in enumerate(names)}}
        p |= model.derived(p)
        result = model.steady(p, x[0], x[1], x[2], x[3], vx=x[4])
        expression = ca.SX(getattr(result, force))
        both = [expression, ca.jacobian(expression, theta)]
        self.function = Vectorised(ca.Function("fit", [theta, x], both))
        self.value_only = Vectorised(ca.Function("value", [theta, x], both[:1]))
        self._columns = [int(c) for c in both[1].sparsity().get_triplet()[1]]
        self.names = list(names)
        speed = data["speed"] if "speed" in data else np.full(len(data), float(values["LONGVL"]))
        self.points = [data["fz"], data["kappa"], data["alpha"], data["gamma"], speed]
        self.measured = data[force]
        self.scale = max(float(np.sqrt(np.mean(self.measured**2))), 1e-9)
        self.weight = data["weight"].copy() if "weight" in data else np.ones(len(data))
        if by_load:
            self.weight = self.weight * np.mean(data["fz"]) / data["fz"]
        self._last: tuple[bytes, Array, Array] | None = None

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

    def solve(
        self, x0: Array, lows: Array, highs: Array, *, loss: str = "linear", width: float = 1.0, most: int = 200
    ) -> tuple[Array, int]:
        """The best coefficients and how often they were tried; ``width``: of a robust loss."""
        from scipy.optimize import least_squares

        x0 = np.clip(x0, lows + 1e-9 * (highs - lows), highs - 1e-9 * (highs - lows))
        start = self.residual(x0)
        if not np.all(np.isfinite(start)):
            raise ModelError("fitting: the model gives no number at the start; are the measured values right?")
        found = least_squares(
            self.residual, x0, self.jacobian, bounds=(lows, highs), x_scale="jac", method="trf", max_nfev=most,
            ftol=1e-9, xtol=1e-9, gtol=1e-9, loss=loss, f_scale=width,
        )  # fmt: skip
        return np.asarray(found.x, dtype=np.float64), int(found.nfev)
