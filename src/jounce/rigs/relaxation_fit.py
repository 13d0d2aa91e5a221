"""Relaxation lengths from steps, sweeps and frequency responses of slip, and the coefficients that give them.

A record is one load and one direction: slip angle (or slip) and force over time, with the speed. The slip of the
contact lags behind (``components.tire.transient``), between two samples with a slip on the straight line,

    τ' = |V|/σ (a - τ),   a = tan α or κ;     λ = |V| Δt/σ,   e = exp(-λ)                                          (1)
    τ₁ = e τ₀ + (1 - e) a₀ + (1 - (1 - e)/λ)(a₁ - a₀)                                                               (2)
    F  = g F_steady(Fz, τ) + c                                                                                      (3)

and σ, g, c are those of least squares; g and c belong to the record (friction of that day, a pull) and are told, since
a g far from one means that the steady tire is another one. A frequency response is fitted as the complex

    F/α = g/(1 + i ω σ/|V|)                                                                                         (4)

Then the coefficients of σ over the load, PTX1-3 and PTY1-2 of PAC2002, the stiffnesses of the standing tire of MF 6,
are fitted to the lengths, as many as there are loads. Derivatives are exact throughout. Standard errors take the noise
of neighbouring samples as independent: fast sampling of a slow noise makes them too small. To the noise comes what rows
leave open: a jump J of the slip between two rows may have been anywhere on the way w = |V| Δt between them, with the
same likelihood; later by s it changes the lagged slip at the way x behind it by (5), and the length by the linearised
least squares. The variance of s is w²/12.

    δτ = -s J/σ exp(-x/σ)                                                                                           (5)
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.components.tire.base import Tire
from jounce.core.errors import ModelError, ParameterError
from jounce.rigs.tire_data import TireData
from jounce.rigs.tire_fit_result import Estimate
from jounce.rigs.vectorised import Vectorised

Array = npt.NDArray[np.float64]

SHORTEST, LONGEST = 0.01, 10.0  # m
STARTS = 16
FEWEST = 10  # samples of a record
SAME_LOAD = 0.1  # of the mean: a record has one load
LOAD_STEP = 0.12  # of the mean: loads nearer than this are one
JUMP = 0.02  # of the range of the slip, from where on a change between two rows is looked at as a jump
JUMPS = 50  # the largest ones
OTHER_LEVEL = 0.15  # of g from one, above which it is told
LEAST_ERROR = 0.003  # of a length, below which no record is trusted more
# Coefficients by direction and model, in the order in which more loads show them, with limits.
LAWS: dict[tuple[str, str], dict[str, tuple[float, float]]] = {
    ("lateral", "pac2002"): {"PTY1": (1e-3, 50.0), "PTY2": (0.1, 50.0)},
    ("longitudinal", "pac2002"): {"PTX1": (1e-3, 50.0), "PTX2": (-20.0, 20.0), "PTX3": (-5.0, 5.0)},
    ("lateral", "mf6"): {"LATERAL_STIFFNESS": (1e3, 1e7), "PCFY1": (-5.0, 5.0), "PCFY2": (-5.0, 5.0)},
    ("longitudinal", "mf6"): {"LONGITUDINAL_STIFFNESS": (1e3, 1e7), "PCFX1": (-5.0, 5.0), "PCFX2": (-5.0, 5.0)},
}
USUAL = {"PTX1": 0.8, "PTY1": 2.0, "PTY2": 2.0, "LATERAL_STIFFNESS": 1.2e5, "LONGITUDINAL_STIFFNESS": 3e5}


@dataclass(frozen=True)
class Lag:
    """The relaxation length of a record."""

    direction: str  # "lateral" or "longitudinal"
    load: float  # N
    camber: float  # rad
    speed: float  # m/s
    length: float  # m
    error: float  # m, standard error
    level: float  # g of (3); of a frequency response: over the steady slope of the tire
    rms: float  # N, or N/rad of a frequency response
    points: int
    measured: Mapping[str, Array] = field(default_factory=dict)  # time, force, fitted; or frequency, response, fitted


@dataclass(frozen=True)
class RelaxationFit:
    """A tire with fitted relaxation lengths."""

    tire: Tire
    lags: Sequence[Lag]
    estimates: Mapping[str, Estimate]
    at_limit: Sequence[str]
    warnings: Sequence[str]

    def text(self) -> str:
        """The report."""
        lines = [f"{'relaxation':14}{'load N':>8}{'m/s':>7}{'points':>8}{'length m':>12}{'±':>9}{'law':>9}{'level':>8}"]
        for lag in self.lags:
            law = _of_tire(self.tire, lag)
            lines.append(
                f"{lag.direction:14}{lag.load:8.0f}{lag.speed:7.1f}{lag.points:8d}{lag.length:12.4f}{lag.error:9.2g}"
                f"{law:9.4f}{lag.level:8.3f}"
            )
        lines += [f"  {name:24}{e.value:13.6g} ± {e.error:.2g}" for name, e in self.estimates.items()]
        return "\n".join([*lines, *(f"warning: {w}" for w in self.warnings)]) + "\n"

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data."""
        names = ("direction", "load", "camber", "speed", "length", "error", "level", "rms", "points")
        return {
            "lags": [{n: getattr(lag, n) for n in names} for lag in self.lags],
            "coefficients": {n: [e.value, e.error] for n, e in self.estimates.items()},
            "at_limit": list(self.at_limit),
            "warnings": list(self.warnings),
        }

    def figure(self) -> Any:
        """Measured and fitted records, and lengths over the load; needs matplotlib."""
        from jounce.rigs.tire_plots import relaxation_figure

        return relaxation_figure(self)


def fit_relaxation(tire: Tire, *data: TireData, directions: Sequence[str] = ()) -> RelaxationFit:
    """Relaxation lengths and their coefficients.

    Parameters
    ----------
    tire : with the steady forces, for example of ``fit_tire``
    data : records over ``time``, or ``frequency``, ``gain`` and ``phase``; a time that goes back begins a new record
    directions : ``lateral``, ``longitudinal``; default: the slip that varies in each record
    """
    if ("lateral", tire.model.kind) not in LAWS:
        kinds = ", ".join(sorted({kind for _, kind in LAWS}))
        raise ModelError(f"relaxation lengths of a {tire.model.kind} tire cannot be fitted; available: {kinds}")
    records = [part for each in data for part in _records(each)]
    if not records:
        raise ParameterError("relaxation: no record was given")
    lags = []
    for record in records:
        wanted = directions or (_direction(record),)
        lags += [measure_lag(tire, record, direction) for direction in wanted]
    warnings: list[str] = []
    for lag in lags:
        if abs(lag.level - 1) > OTHER_LEVEL:
            warnings.append(
                f"{lag.direction} at {lag.load:.0f} N: forces are {lag.level:.2f} of those of the steady tire"
            )
        if not 1.01 * SHORTEST < lag.length < 0.99 * LONGEST:
            warnings.append(f"{lag.direction} at {lag.load:.0f} N: the record does not show a relaxation length")
    changes: dict[str, float] = {}
    estimates: dict[str, Estimate] = {}
    limits: list[str] = []
    for direction in ("lateral", "longitudinal"):
        own = [lag for lag in lags if lag.direction == direction and 1.01 * SHORTEST < lag.length < 0.99 * LONGEST]
        if own:
            found, hit = _law(tire, direction, own, warnings)
            changes |= {name: e.value for name, e in found.items()}
            estimates |= found
            limits += hit
    if limits:
        warnings.append(f"relaxation: at a limit: {', '.join(limits)}")
    return RelaxationFit(tire.with_values(**changes), lags, estimates, limits, warnings)


def measure_lag(tire: Tire, data: TireData, direction: str = "lateral") -> Lag:
    """The relaxation length of one record (1-4)."""
    if direction not in ("lateral", "longitudinal"):
        raise ParameterError(f"direction = {direction!r}; use 'lateral' or 'longitudinal'")
    if len(data) < (3 if "frequency" in data else FEWEST):
        raise ParameterError(f"relaxation, {data.source or 'record'}: {len(data)} samples are too few")
    if np.ptp(data["fz"]) > 2 * SAME_LOAD * np.mean(data["fz"]):
        raise ParameterError(
            f"relaxation, {data.source or 'record'}: the load varies from {data['fz'].min():.0f} to "
            f"{data['fz'].max():.0f} N; a record has one load"
        )
    if "speed" not in data:
        raise ParameterError(f"relaxation, {data.source or 'record'}: the speed (speed) is missing")
    return _by_frequency(tire, data, direction) if "frequency" in data else _by_time(tire, data, direction)


# --- over time -------------------------------------------------------------------------------------------------------


def _by_time(tire: Tire, data: TireData, direction: str) -> Lag:
    from scipy.optimize import least_squares

    lateral = direction == "lateral"
    slip, force = np.tan(data["alpha"]) if lateral else data["kappa"], data["fy" if lateral else "fx"]
    time, speed, load = data["time"], np.abs(data["speed"]), data["fz"]
    way = 0.5 * (speed[1:] + speed[:-1]) * np.diff(time)
    if np.ptp(slip) < 1e-4:
        raise ParameterError(f"relaxation, {data.source or 'record'}: the slip was not varied")
    steady = _steady(tire, lateral)
    gamma = data["gamma"]

    def model(length: float) -> tuple[Array, Array]:
        """Forces of the steady tire at the lagged slip, and their change with the logarithm of the length."""
        tau, change = _lagged(slip, way, length)
        ((value,), (slope,)) = steady([], [load, tau, gamma])
        return np.broadcast_to(value, force.shape), np.broadcast_to(slope, force.shape) * change

    def linear(value: Array) -> Array:
        basis = np.stack([value, np.ones_like(value)], axis=1)
        return np.asarray(np.linalg.lstsq(basis, force, rcond=None)[0])

    def residual(x: Array) -> Array:
        return np.asarray((x[1] * model(math.exp(x[0]))[0] + x[2] - force) / scale)

    def jacobian(x: Array) -> Array:
        value, change = model(math.exp(x[0]))
        return np.stack([x[1] * change, value, np.ones_like(value)], axis=1) / scale

    scale = max(float(np.std(force)), 1e-9)
    starts = []
    for length in np.geomspace(1.5 * SHORTEST, 0.7 * LONGEST, STARTS):
        value = model(length)[0]
        g, c = linear(value)
        starts.append((float(np.sum((g * value + c - force) ** 2)), math.log(length), g, c))
    best = np.array(min(starts)[1:])
    low = np.array([math.log(SHORTEST), -np.inf, -np.inf])
    high = np.array([math.log(LONGEST), np.inf, np.inf])
    found = least_squares(residual, best, jacobian, bounds=(low, high), x_scale="jac", ftol=1e-12, xtol=1e-12)
    error = residual(found.x)
    inverse = np.linalg.pinv(found.jac.T @ found.jac)
    variance = max(float(error @ error) / max(len(error) - 3, 1) * inverse[0, 0], 0.0)
    length = math.exp(found.x[0])
    ((_,), (slope,)) = steady([], [load, _lagged(slip, way, length)[0], gamma])
    later = inverse[0] @ found.jac.T * (found.x[1] * np.broadcast_to(slope, force.shape) / scale)  # per change of τ
    deviation = math.sqrt(variance + _unknown_times(slip, way, length, later))
    fitted = force + scale * error
    return Lag(
        direction, float(np.mean(load)), float(np.mean(gamma)), float(np.mean(speed)), length, length * deviation,
        float(found.x[1]), float(np.sqrt(np.mean((scale * error) ** 2))), len(force),
        {"time": time - time[0], "force": force, "fitted": fitted},
    )  # fmt: skip


def _unknown_times(slip: Array, way: Array, length: float, effect: Array) -> float:
    """Variance of log σ by the unknown places of jumps between rows (5); ``effect``: of a change of each τ on log σ.

    A jump is what a change has beyond those before and after it, so that smooth records have none.
    """
    step = np.diff(slip)
    if len(step) < 3:
        return 0.0
    beside = np.concatenate([step[:1], step, step[-1:]])
    usual = np.median([beside[:-2], beside[1:-1], beside[2:]], axis=0)
    jump = step - usual
    place = np.concatenate([[0.0], np.cumsum(way)])
    total = 0.0
    for k in np.argsort(-np.abs(jump))[:JUMPS]:
        if abs(jump[k]) < JUMP * np.ptp(slip):
            break
        behind = place[k + 1 :] - 0.5 * (place[k] + place[k + 1])
        change = -jump[k] / length * np.exp(-behind / length)
        total += float(effect[k + 1 :] @ change) ** 2 * way[k] ** 2 / 12
    return total


def _lagged(slip: Array, way: Array, length: float) -> tuple[Array, Array]:
    """τ of (2), and its derivative along log σ."""
    lam = way / length
    e = np.exp(-lam)
    small = lam < 1e-4
    safe = np.where(small, 1.0, lam)
    blend = np.where(small, lam / 2 - lam * lam / 6, 1 - (1 - e) / safe)  # of a₁ - a₀
    d_blend = np.where(small, 0.5 - lam / 3, (1 - e) / safe**2 - e / safe)  # along λ
    tau, change = np.empty_like(slip), np.zeros_like(slip)
    tau[0] = slip[0]
    step = np.diff(slip)
    for k in range(len(way)):
        tau[k + 1] = e[k] * tau[k] + (1 - e[k]) * slip[k] + blend[k] * step[k]
        along = e[k] * (slip[k] - tau[k]) + d_blend[k] * step[k]  # ∂τ₁/∂λ
        change[k + 1] = e[k] * change[k] - lam[k] * along  # dλ/d log σ = -λ
    return tau, change


def _steady(tire: Tire, lateral: bool) -> Vectorised:
    """Steady force over load, lagged slip and inclination, with its slope along the slip."""
    import casadi as ca

    x = ca.SX.sym("x", 3)
    alpha = ca.atan(x[1]) if lateral else 0.0
    f = tire.model.steady(tire.values, x[0], 0.0 if lateral else x[1], alpha, x[2], curves=dict(tire.curves))
    force = ca.SX(f.fy if lateral else f.fx)
    empty = ca.SX.sym("empty", 0)
    return Vectorised(ca.Function("steady", [empty, x], [ca.densify(force), ca.densify(ca.gradient(force, x)[1])]))


# --- over frequency --------------------------------------------------------------------------------------------------


def _by_frequency(tire: Tire, data: TireData, direction: str) -> Lag:
    from scipy.optimize import least_squares

    for name in ("gain", "phase"):
        if name not in data:
            raise ParameterError(f"relaxation, {data.source or 'record'}: a frequency response needs gain and phase")
    omega = 2 * np.pi * data["frequency"] / np.abs(data["speed"])
    response = data["gain"] * np.exp(1j * data["phase"])
    scale = float(np.mean(data["gain"]))

    def both(z: Any) -> Array:
        return np.asarray(np.concatenate([z.real, z.imag]) / scale, dtype=np.float64)

    def residual(x: Array) -> Array:
        return both(x[1] / (1 + 1j * omega * math.exp(x[0])) - response)

    def jacobian(x: Array) -> Array:
        turn = 1j * omega * math.exp(x[0])
        return np.stack([both(-x[1] * turn / (1 + turn) ** 2), both(1 / (1 + turn))], axis=1)

    solutions = [
        least_squares(
            residual, [math.log(length), scale], jacobian, x_scale="jac",
            bounds=([math.log(SHORTEST), -np.inf], [math.log(LONGEST), np.inf]), ftol=1e-12, xtol=1e-12,
        )
        for length in (0.1, 0.5, 2.0)
    ]  # fmt: skip
    found = min(solutions, key=lambda s: s.cost)
    error = found.fun
    inverse = np.linalg.pinv(found.jac.T @ found.jac)
    deviation = math.sqrt(max(float(error @ error) / max(len(error) - 2, 1) * inverse[0, 0], 0.0))
    length, load, camber = math.exp(found.x[0]), float(np.mean(data["fz"])), float(np.mean(data["gamma"]))
    at = tire.at_load(load, camber)
    slope = abs(float(at.slope_y if direction == "lateral" else at.slope_x))
    fitted = found.x[1] / (1 + 1j * omega * length)
    return Lag(
        direction, load, camber, float(np.mean(np.abs(data["speed"]))), length, length * deviation,
        abs(float(found.x[1])) / slope, float(np.sqrt(np.mean(np.abs(fitted - response) ** 2))), len(omega),
        {"frequency": data["frequency"], "response": response, "fitted": fitted},
    )  # fmt: skip


# --- the law over the load -------------------------------------------------------------------------------------------


def _law(tire: Tire, direction: str, lags: Sequence[Lag], warnings: list[str]) -> tuple[dict[str, Estimate], list[str]]:
    """Coefficients of the relaxation length over the load, weighted by the errors of the records."""
    import casadi as ca
    from scipy.optimize import least_squares

    loads = np.array([lag.load for lag in lags])
    levels = 1 + int(np.count_nonzero(np.diff(np.sort(loads)) > LOAD_STEP * np.mean(loads)))
    law = LAWS[direction, tire.model.kind]
    names = list(law)[:levels]
    if levels < len(law):
        rest = ", ".join(list(law)[levels:])
        warnings.append(f"{direction} relaxation: {levels} load{'s' * (levels > 1)} only; {rest} as before")
    theta, x = ca.SX.sym("theta", len(names)), ca.SX.sym("x", 2)
    p: dict[str, Any] = {**tire.values, **{n: theta[k] for k, n in enumerate(names)}}
    p |= tire.model.derived(p)
    at = tire.model.at_load(p, x[0], x[1], curves=dict(tire.curves))
    sigma = ca.SX(at.sigma_alpha if direction == "lateral" else at.sigma_kappa)
    function = ca.Function("law", [theta, x], [sigma, ca.densify(ca.jacobian(sigma, theta))])
    length, error = np.array([lag.length for lag in lags]), np.array([lag.error for lag in lags])
    weight = 1 / np.hypot(error, LEAST_ERROR * length)
    points = [(lag.load, lag.camber) for lag in lags]

    def residual(values: Array) -> Array:
        return np.asarray(weight * (np.array([float(function(values, q)[0]) for q in points]) - length))

    def jacobian(values: Array) -> Array:
        rows = [np.asarray(function(values, q)[1], dtype=float).ravel() for q in points]
        return np.asarray(weight[:, None] * np.array(rows))

    low, high = np.array([law[n] for n in names]).T
    start = np.array([tire.values[n] or USUAL.get(n, 0.0) for n in names])
    start = np.clip(start, low + 1e-6 * (high - low), high - 1e-6 * (high - low))
    found = least_squares(residual, start, jacobian, bounds=(low, high), x_scale="jac", ftol=1e-12, xtol=1e-12)
    spread = float(found.fun @ found.fun) / max(len(lags) - len(names), 1)
    # records that agree better than their errors say do not make the errors smaller
    covariance = max(spread, 1.0) * np.linalg.pinv(found.jac.T @ found.jac)
    near = 1e-4 * (high - low)
    hit = [n for n, v, a, b, d in zip(names, found.x, low, high, near, strict=True) if v - a < d or b - v < d]
    errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    return {n: Estimate(float(v), float(e)) for n, v, e in zip(names, found.x, errors, strict=True)}, hit


def _of_tire(tire: Tire, lag: Lag) -> float:
    at = tire.at_load(lag.load, lag.camber)
    return float(at.sigma_alpha if lag.direction == "lateral" else at.sigma_kappa)


# --- records ---------------------------------------------------------------------------------------------------------


def _records(data: TireData) -> list[TireData]:
    """Parts of the data in which time, or frequency, goes forward."""
    name = "frequency" if "frequency" in data else "time"
    if name not in data:
        raise ParameterError(f"relaxation, {data.source or 'record'}: neither time nor frequency was measured")
    ends = np.flatnonzero(np.diff(data[name]) <= 0) + 1
    edges = [0, *ends.tolist(), len(data)]
    index = np.arange(len(data))
    return [data.where((index >= a) & (index < b)) for a, b in pairwise(edges)]


def _direction(record: TireData) -> str:
    """The slip that varies."""
    if "frequency" in record:
        return "lateral"
    return "lateral" if np.ptp(record["alpha"]) >= np.ptp(record["kappa"]) else "longitudinal"
