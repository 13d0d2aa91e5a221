"""Wheel-level springs and anti-roll forces from the vertical forces of travel sweeps.

    spring:       F(J) = F_z of parallel travel - m_w g, with the bump and rebound stops in it                     (1)
    anti-roll:    F(ΔJ) = ½ [ΔF_L(J) - ΔF_R(-J)],   ΔF = F_z of opposite - F_z of parallel travel at the same J,
                  ΔJ = J_L - J_R, for each mean travel                                                           (2)
    dual:         F_i(J_i; J_o) = F_z of single travel at J_i with the other wheel at J_o - F_z of parallel at J_i  (3)

A bar is not loaded in parallel travel, so that (2) and (3) are the bar's alone; their value without a difference of
travel is taken off. m_w is what hangs on the wheel side of the spring while wheels are mounted.

The static load at a wheel, F_st = M g (share of the axle) (share of the side), follows for two axles by the balance of
moments of all masses at design; the force of the spring there is F_st - m_w g.                                      (4)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from jounce.components.basics import SIDES, Side, combine
from jounce.core.constants import GRAVITY
from jounce.core.errors import ParameterError
from jounce.rigs.kc.cases import Settings, Sweep, moved_side, need
from jounce.rigs.kc.fitting import Fit, covered, fit_curve, grid, points_of
from jounce.rigs.kc.kinematics import OTHER, Grid, mean_travel
from jounce.vehicle.assembly import bodies

SAME = 0.002  # m: mean travels that are one


@dataclass
class Spring:
    """Force at the wheel over travel from design, of both sides; its value at design is ``force(0)``."""

    maps: dict[Side, Grid]
    preload: dict[Side, float]
    kept: bool = False  # as it was measured, without a preload
    fits: dict[str, Fit] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)


@dataclass
class AntiRoll:
    """Force over difference (and mean) of travel, or of each wheel over own and paired travel."""

    kind: str  # "single" or "dual"
    single: Grid | None = None
    dual: dict[Side, Grid] = field(default_factory=dict)
    fits: dict[str, Fit] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Force per difference of travel at design, N/m."""
        if self.single is not None:
            h = 0.1 * self.single.x[-1]
            return float((self.single(np.array([h])) - self.single(np.array([-h])))[0] / (2 * h))
        found = self.dual["L"]
        h = 0.1 * found.x[-1]
        up = found(np.array([h]), np.array([-h])) - found(np.array([-h]), np.array([h]))
        return float(up[0] / (4 * h))


def _force(sweeps: Sequence[Sweep], side: Side, settings: Settings, fits: dict[str, Fit], over: str = "") -> Fit:
    """F_z of a wheel over travel."""
    key = over or f"travel.{side}"
    series = [points_of(s, key, f"fz.{side}", smooth=settings.smooth) for s in sweeps]
    fit = fit_curve(series, settings, settings.force_method)
    label = f"fz.{side} over {key}, {', '.join(s.case.label for s in sweeps)}"
    fits[label] = fit
    ends = fit(np.array([fit.low, fit.high]))
    if sweeps[0].case.type == "parallel travel" and ends[1] <= ends[0]:
        raise ParameterError(
            f"{sweeps[0].case.where}: {sweeps[0].columns[f'fz.{side}']!r} falls from {ends[0]:.0f} to {ends[1]:.0f} N "
            f"where {sweeps[0].columns[key]!r} rises; is the sign of one of them the other one? signs: {{fz: down}}"
        )
    return fit


def spring(
    sweeps: Sequence[Sweep], settings: Settings, travel: tuple[float, float], weights: dict[Side, float],
    static: dict[Side, float] | None = None,
) -> Spring:  # fmt: skip
    """(1). ``weights``: m_w g of each side; ``static``: F_st of each side, for a preload from masses."""
    parallel = [s for s in sweeps if s.case.type == "parallel travel"]
    if not parallel:
        raise ParameterError("settings: spring = 'wheel': needs a sweep of parallel travel with vertical forces")
    for sweep in parallel:
        need(sweep, *(f"{name}.{side}" for name in ("travel", "fz") for side in SIDES))
    result = Spring({}, {}, settings.preload == "curve")
    at = grid(*travel, max(settings.points, 31))
    removed = {side: weights[side] if settings.wheels_mounted else 0.0 for side in SIDES}
    for side in SIDES:
        fit = _force(parallel, side, settings, result.fits)
        result.remarks += [f"{parallel[0].case.file.name}: {text}" for text in fit.warnings]
        result.remarks += covered(
            fit, *travel, settings.extrapolate, parallel[0], f"travel.{side}", "the travel of the axle"
        )
        force = fit(at) - removed[side]
        measured = float(fit(0.0)[0]) - removed[side]
        wanted = measured
        if settings.preload == "masses":
            if static is None:
                raise ParameterError("settings: preload = 'masses': needs a vehicle with two axles and two wheels each")
            wanted = static[side] - weights[side]
            result.remarks.append(
                f"fz.{side} at design is {measured:.0f} N without the wheel, from masses {wanted:.0f} N; shifted by "
                f"{wanted - measured:+.0f} N"
            )
        result.maps[side], result.preload[side] = Grid(at, force + wanted - measured), wanted
    _mean(result.maps, result.preload, _symmetry(parallel[0], settings))
    return result


def _symmetry(sweep: Sweep, settings: Settings) -> str:
    return sweep.case.symmetry or settings.symmetry


def _mean(maps: dict[Side, Grid], numbers: dict[Side, float], symmetry: str) -> None:
    """An even quantity on both sides alike."""
    if symmetry == "none":
        return
    lead: dict[str, Side] = {"left to right": "L", "right to left": "R"}
    if symmetry in lead:
        one = maps[lead[symmetry]]
        number = numbers.get(lead[symmetry], 0.0)
    else:
        one = replace(maps["L"], y=0.5 * (maps["L"].y + maps["R"].y))
        number = 0.5 * (numbers.get("L", 0.0) + numbers.get("R", 0.0))
    for side in SIDES:
        maps[side], numbers[side] = one, number


def anti_roll(sweeps: Sequence[Sweep], settings: Settings, travel: tuple[float, float]) -> AntiRoll:
    """(2) or (3), as the settings say."""
    for sweep in sweeps:
        need(sweep, *(f"{name}.{side}" for name in ("travel", "fz") for side in SIDES))
    parallel = [s for s in sweeps if s.case.type == "parallel travel"]
    if not parallel:
        raise ParameterError(f"settings: anti_roll = {settings.anti_roll!r}: needs a sweep of parallel travel in roll")
    result = AntiRoll(settings.anti_roll)
    base = {side: _force(parallel, side, settings, result.fits) for side in SIDES}
    symmetry = _symmetry(parallel[0], settings)
    if settings.anti_roll == "single":
        _single(sweeps, base, settings, result)
    else:
        _dual(sweeps, base, settings, travel, result)
        _mean(result.dual, {}, symmetry)
    return result


def _single(sweeps: Sequence[Sweep], base: dict[Side, Fit], settings: Settings, result: AntiRoll) -> None:
    opposite = sorted((s for s in sweeps if s.case.type == "opposite travel"), key=mean_travel)
    if not opposite:
        raise ParameterError("settings: anti_roll = 'single': needs a sweep of opposite travel in roll")
    means = np.array([mean_travel(s) for s in opposite])
    if np.any(np.diff(means) < SAME):
        raise ParameterError(f"{opposite[0].case.where}: two opposite travels about the same mean, {means} m")
    columns, reach = [], []
    for sweep, mean in zip(opposite, means, strict=True):
        fits = {side: _force([sweep], side, settings, result.fits) for side in SIDES}
        for side in SIDES:
            if fits[side].low < base[side].low - SAME or fits[side].high > base[side].high + SAME:
                raise ParameterError(
                    f"{sweep.case.where}: opposite travel to {1e3 * fits[side].high:.0f} mm, parallel travel only to "
                    f"{1e3 * base[side].high:.0f} mm; the parallel one must include it"
                )
        reach.append(2.0 * min(*(fits[side].high - mean for side in SIDES), *(mean - fits[side].low for side in SIDES)))
        columns.append((fits, mean))
    d = grid(-min(reach), min(reach), settings.points | 1)

    def law(fits: dict[Side, Fit], mean: float) -> np.ndarray:
        left = fits["L"](mean + d / 2) - base["L"](mean + d / 2)
        right = fits["R"](mean - d / 2) - base["R"](mean - d / 2)
        force = 0.5 * (left - right)
        return np.asarray(force - force[np.argmin(np.abs(d))])

    values = [law(fits, mean) for fits, mean in columns]
    result.single = Grid(d, values[0]) if len(values) == 1 else Grid(d, np.column_stack(values), means)


def _dual(
    sweeps: Sequence[Sweep], base: dict[Side, Fit], settings: Settings, travel: tuple[float, float], result: AntiRoll
) -> None:
    from scipy.interpolate import make_interp_spline

    own = grid(*travel, settings.points)
    for side in SIDES:
        singles = [s for s in sweeps if s.case.type == "single travel" and moved_side(s, "travel") == side]
        if len(singles) < 2:
            if side == "R" and "L" in result.dual and settings.symmetry == "left to right":
                result.dual["R"] = result.dual["L"]
                continue
            word = "left" if side == "L" else "right"
            raise ParameterError(
                f"settings: anti_roll = 'dual': {len(singles)} single travels of the {word} wheel; at least 2"
            )
        held = sorted((float(np.nanmedian(s[f"travel.{OTHER[side]}"])), i) for i, s in enumerate(singles))
        at = np.array([value for value, _ in held])
        columns = []
        for value, i in held:
            fit = _force([singles[i]], side, settings, result.fits)
            force = fit(own) - base[side](own)
            zero = float((fit(value) - base[side](value))[0])  # no difference of travel, no force
            columns.append(force - zero)
        values = np.column_stack(columns)
        paired = at if len(at) > 5 else grid(*travel, settings.columns)
        if len(at) <= 5:
            spline = make_interp_spline(at, values, k=min(3, len(at) - 1), axis=1)
            kept = np.clip(paired, at[0], at[-1])
            slopes = spline(at[[0, -1]], 1)
            beyond = np.where(paired[None, :] < at[0], slopes[:, :1], slopes[:, 1:]) * (paired - kept)[None, :]
            values = np.asarray(spline(kept)) + beyond
        result.dual[side] = Grid(own, values, paired)


def corner_loads(vehicle: Any) -> dict[str, float] | None:
    """F_st of each wheel (4); None where the balance of moments does not tell them."""
    place = vehicle.layout
    axles = place.axles
    if len(place.units) != 1 or len(axles) != 2 or any(len(axle.wheels) != 2 for axle in axles):
        return None
    total, centre, _ = combine([body.properties for body in bodies(place)])
    share_front = (centre[0] - axles[1].x) / (axles[0].x - axles[1].x)
    track = share_front * axles[0].data.suspension.track + (1 - share_front) * axles[1].data.suspension.track
    share_left = 0.5 + centre[1] / track
    result = {}
    for axle, share in zip(axles, (share_front, 1 - share_front), strict=True):
        for wheel in axle.wheels:
            result[wheel.name] = total * GRAVITY * share * (share_left if wheel.side == "L" else 1 - share_left)
    return result
