"""Steering maps from sweeps of the hand wheel, and from vertical sweeps with the hand wheel held.

S(u; J) for steer, camber, side view angle, x and y of both wheels, u hand wheel angle or rack travel, J own travel:

    several sweeps at travels J_k:   S(u; J_k), a column each
    one sweep at J = 0:              S(u; J) = S(u; 0) + p(J) - p(0)          p of the guidance, straight ahead      (1)
    vertical sweeps at inputs u_k:   S(u; J) = S(u; 0) + [V_k(J) - V_k(0)] between the u_k                         (2)

Values at u = J = 0 are taken off: they are those of the alignment. With maps of both travels the model adds the
guidance to the steering, so that the guidance keeps only what the paired travel does:

    D(J_i; J_o) = p(J_i; J_o) - p(J_i; J_i)                                                                       (3)

Without a channel of rack travel it follows from the hand wheel: by the curve of the vehicle, or by ``steering_ratio``,
rack = hand wheel / ratio.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from jounce.components.basics import SIDES, Side
from jounce.core.errors import ParameterError
from jounce.rigs.kc.cases import Settings, Sweep, need
from jounce.rigs.kc.channels import ODD, Array
from jounce.rigs.kc.fitting import Fit, covered, fit_curve, grid, points_of
from jounce.rigs.kc.guidance import pose
from jounce.rigs.kc.kinematics import Grid, Kinematics, Maps, Values, raw

NAMES = ("steer", "camber", "side_view_angle", "x", "y")
FEWEST = 5  # vertical sweeps
AT_DESIGN = 0.003  # m: a sweep at less travel is one at design
INPUT = "input"


@dataclass
class SteeringMaps:
    """S over (u; J) of both sides, and the rack over the hand wheel where it was measured."""

    over: str  # "rad" or "m"
    maps: Maps
    rack: Grid | None = None
    symmetry: str = "none"
    mismatch: dict[str, float] = field(default_factory=dict)  # between the two kinds of files, by property
    fits: dict[str, Fit] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)


def with_steer(sweep: Sweep) -> Sweep:
    """A sweep with the steer of wheels: measured, or from their toe."""
    values, columns = dict(sweep.values), dict(sweep.columns)
    for side in SIDES:
        if f"steer.{side}" not in values and f"toe.{side}" in values:
            values[f"steer.{side}"] = (-1.0 if side == "L" else 1.0) * values[f"toe.{side}"]
            columns[f"steer.{side}"] = columns[f"toe.{side}"]
    return replace(sweep, values=values, columns=columns)


def with_input(sweep: Sweep, over: str, rack_of: Callable[[Array], Array] | None, settings: Settings) -> Sweep:
    """A sweep with the input u of the maps."""
    if over == "rad":
        need(sweep, "steering")
        values = sweep["steering"]
    elif "rack" in sweep:
        values = sweep["rack"]
    else:
        need(sweep, "steering")
        if settings.steering_ratio is not None:
            values = sweep["steering"] / settings.steering_ratio
        elif rack_of is not None:
            values = rack_of(sweep["steering"])
        else:
            raise ParameterError(
                f"{sweep.case.where}: no channel of rack travel; give settings: steering_ratio, in rad/m, or channels: "
                "{rack: column}"
            )
    source = sweep.columns.get("rack" if over == "m" and "rack" in sweep else "steering", "")
    return replace(sweep, values={**sweep.values, INPUT: values}, columns={**sweep.columns, INPUT: source})


def build(
    sweeps: Sequence[Sweep],
    settings: Settings,
    over: str,
    *,
    travel: tuple[float, float],
    rack_of: Callable[[Array], Array] | None = None,
    guidance: Kinematics | None = None,
    values: Values = raw,
) -> SteeringMaps:
    """The maps; ``over``: unit of u; ``rack_of``: rack travel over the hand wheel; ``guidance``: p of (1)."""
    ready = [with_input(with_steer(s), over, rack_of, settings) for s in sweeps]
    for sweep in ready:
        need(sweep, *(f"{name}.{side}" for name in ("travel", *NAMES) for side in SIDES))
    turned = sorted((s for s in ready if s.case.type == "steering"), key=_travel)
    vertical = sorted((s for s in ready if s.case.type == "vertical"), key=_input)
    _check(turned, vertical)
    lead = next(s for s in ready if s.case.type == "steering")
    result = SteeringMaps(over, {side: {} for side in SIDES}, symmetry=lead.case.symmetry or settings.symmetry)
    if over == "m" and "rack" in lead and "steering" in lead:
        fit = fit_curve([points_of(lead, "steering", "rack")], settings).minus(0.0)
        hand = grid(fit.low, fit.high, settings.points)
        result.rack = Grid(hand, fit(hand))
        result.fits[f"rack over steering, {lead.case.label}"] = fit
    ends = [(float(np.nanmin(s[INPUT])), float(np.nanmax(s[INPUT]))) for s in turned]
    inputs = grid(max(low for low, _ in ends), min(high for _, high in ends), settings.points)
    for side in SIDES:
        for name in NAMES:
            found = _one(turned, vertical, settings, inputs, name, side, travel, guidance, values, result)
            at_design = float(found(np.zeros(1), np.zeros(1))[0])
            result.maps[side][name] = replace(found, y=found.y - at_design)
    symmetrise(result.maps, result.symmetry)
    result.remarks += _sign_doubts(result)
    result.remarks = list(dict.fromkeys(result.remarks))
    return result


def _travel(sweep: Sweep) -> float:
    return float(np.nanmedian(0.5 * (sweep["travel.L"] + sweep["travel.R"])))


def _input(sweep: Sweep) -> float:
    return float(np.nanmedian(sweep[INPUT]))


def _check(turned: Sequence[Sweep], vertical: Sequence[Sweep]) -> None:
    if not turned:
        first = vertical[0].case.where if vertical else "steering"
        raise ParameterError(
            f"{first}: vertical sweeps need one of the hand wheel at design travel beside them; none is given"
        )
    zero = min(turned, key=lambda s: abs(_travel(s)))
    if (vertical or len(turned) == 1) and abs(_travel(zero)) > AT_DESIGN:
        raise ParameterError(
            f"{zero.case.where}: a sweep of the hand wheel at design travel is needed; the nearest is at "
            f"{1e3 * _travel(zero):.1f} mm"
        )
    if vertical and len(vertical) < FEWEST:
        raise ParameterError(
            f"{vertical[0].case.where}: {len(vertical)} vertical sweeps with the hand wheel held; at least "
            f"{FEWEST} are needed, from lock to lock"
        )


def _one(
    turned: Sequence[Sweep], vertical: Sequence[Sweep], settings: Settings, inputs: Array, name: str, side: Side,
    travel: tuple[float, float], guidance: Kinematics | None, values: Values, result: SteeringMaps,
) -> Grid:  # fmt: skip
    def path(sweep: Sweep, over: str) -> Fit:
        fit = fit_curve(
            [points_of(sweep, over, f"{name}.{side}", values(sweep, name, side), settings.smooth)], settings
        )
        label = f"{name}.{side} over {over}, {sweep.case.label}"
        result.fits[label] = fit
        result.remarks += [f"{sweep.case.file.name}: {label}: {text}" for text in fit.warnings]
        return fit

    zero = min(turned, key=lambda s: abs(_travel(s)))
    columns = [path(s, INPUT)(inputs) for s in turned]
    own = f"travel.{side}"
    by_travel: Grid | None = None
    if vertical:
        fits = [path(s, own) for s in vertical]
        travels = grid(*travel, settings.columns)
        for fit, sweep in zip(fits, vertical, strict=True):
            result.remarks += covered(fit, *travel, settings.extrapolate, sweep, own, "the travel of the axle")
        rise = np.column_stack([fit.minus(0.0)(travels) for fit in fits]).T  # by input, by travel
        shape = _over_inputs(np.array([_input(s) for s in vertical]), rise, inputs)
        base = columns[list(turned).index(zero)]
        by_travel = Grid(inputs, base[:, None] + shape, travels)  # (2)
    if len(turned) == 1:
        if by_travel is not None:
            return by_travel
        travels = grid(*travel, settings.columns)
        if guidance is None:
            result.remarks.append("one sweep of the hand wheel and no vertical one: the maps do not depend on travel")
            return Grid(inputs, columns[0])
        rise = _straight(guidance, name, side, travels)
        return Grid(inputs, columns[0][:, None] + rise[None, :], travels)  # (1)
    at = np.array([float(np.nanmedian(s[own])) for s in turned])
    if np.any(np.diff(at) < 1e-3):
        raise ParameterError(f"{turned[0].case.where}: two sweeps of the hand wheel at the same travel, {at} m")
    by_input = Grid(inputs, np.column_stack(columns), at)
    if by_travel is None:
        return _within(by_input, travel, settings, guidance, name, side, turned, result)
    assert by_travel.z is not None
    both = (by_travel.z >= at[0] - 1e-9) & (by_travel.z <= at[-1] + 1e-9)
    other = np.column_stack([by_input(inputs, np.full(len(inputs), z)) for z in by_travel.z])
    gap = float(np.max(np.abs(other[:, both] - by_travel.y[:, both])))
    result.mismatch[f"{name}.{side}"] = gap
    return replace(by_travel, y=np.where(both[None, :], 0.5 * (by_travel.y + other), by_travel.y))


def _within(
    found: Grid, travel: tuple[float, float], settings: Settings, guidance: Kinematics | None, name: str, side: Side,
    turned: Sequence[Sweep], result: SteeringMaps,
) -> Grid:  # fmt: skip
    """Columns to the ends of the travel: by the guidance straight ahead where it is known, else straight."""
    assert found.z is not None
    low, high = found.z[0], found.z[-1]
    if travel[0] >= low - 0.01 * (high - low) and travel[1] <= high + 0.01 * (high - low):
        return found
    span, missing = high - low, max(low - travel[0], travel[1] - high)
    if guidance is None and missing > settings.extrapolate * span:
        raise ParameterError(
            f"{turned[0].case.where}: sweeps of the hand wheel at {1e3 * low:.0f} to {1e3 * high:.0f} mm, but "
            f"the travel of the axle is {1e3 * travel[0]:.0f} to {1e3 * travel[1]:.0f} mm; add one near its ends, or a "
            "parallel travel, or give settings: travel"
        )
    travels = np.array(
        [*([travel[0]] if travel[0] < low else []), *found.z, *([travel[1]] if travel[1] > high else [])]
    )
    values = np.empty((len(found.x), len(travels)))
    first = int(travel[0] < low)
    values[:, first : first + len(found.z)] = found.y
    for column, (a, b) in ((0, (0, 1)), (-1, (-1, -2))):
        inside = first + len(found.z) - 1 if column else first
        if travels[column] == found.z[0 if column == 0 else -1]:
            continue
        if guidance is not None:
            p = _straight(guidance, name, side, np.array([travels[column], found.z[a]]))
            values[:, column] = values[:, inside] + p[0] - p[1]
        else:
            slope = (found.y[:, a] - found.y[:, b]) / (found.z[a] - found.z[b])
            values[:, column] = values[:, inside] + slope * (travels[column] - found.z[a])
    how = "by the guidance straight ahead" if guidance is not None else "straight"
    result.remarks.append(
        f"sweeps of the hand wheel at {1e3 * low:.0f} to {1e3 * high:.0f} mm of travel; continued {how} to "
        f"{1e3 * travel[0]:.0f} and {1e3 * travel[1]:.0f} mm"
    )
    return Grid(found.x, values, travels)


def _straight(guidance: Kinematics, name: str, side: Side, travels: Array) -> Array:
    """p(J) - p(0) of (1), both wheels at J; steer from toe."""
    found = guidance.maps[side]["toe" if name == "steer" else name]
    sign = (-1.0 if side == "L" else 1.0) if name == "steer" else 1.0
    return np.asarray(sign * found(travels, travels))


def _over_inputs(at: Array, rise: Array, inputs: Array) -> Array:
    """Between inputs at which the hand wheel was held."""
    from scipy.interpolate import CubicSpline

    if np.any(np.diff(at) <= 0):
        raise ParameterError(f"two vertical sweeps with the hand wheel at the same angle: {at}")
    kept = np.clip(inputs, at[0], at[-1])
    return np.asarray(CubicSpline(at, rise)(kept))


def _sign_doubts(result: SteeringMaps) -> list[str]:
    """Steer against the hand wheel, and an outer wheel that turns more than the inner one."""
    left, right = result.maps["L"]["steer"], result.maps["R"]["steer"]
    at = np.array([result.maps["L"]["steer"].x[0], result.maps["L"]["steer"].x[-1]])
    steer = {side: found(at, np.zeros(2)) for side, found in (("L", left), ("R", right))}
    remarks = []
    if result.over == "rad" and steer["L"][1] < steer["L"][0]:
        remarks.append(
            "wheels turn right where the hand wheel turns left: is the sign of steering or of steer (toe) the other "
            "one? signs: {steering: right}"
        )
    inner = abs(steer["L"][np.argmax(steer["L"])]), abs(steer["R"][np.argmax(steer["L"])])
    if inner[0] < 0.98 * inner[1]:
        remarks.append(
            "the outer wheel turns more than the inner one; if that is not meant, left and right are swapped"
        )
    return remarks


def symmetrise(maps: Maps, symmetry: str) -> None:
    """Mirror images: q_R(u; J) = ± q_L(-u; J), in place."""
    if symmetry == "none":
        return
    for name in NAMES:
        left, right = maps["L"][name], maps["R"][name]
        if symmetry == "left to right":
            maps["R"][name] = mirrored(name, left)
        elif symmetry == "right to left":
            maps["L"][name] = mirrored(name, right)
        else:
            other = mirrored(name, right)
            low, high = max(left.x[0], other.x[0]), min(left.x[-1], other.x[-1])
            inputs = grid(float(low), float(high), len(left.x))
            mean = Grid(inputs, 0.5 * (_on(left, inputs) + _on(other, inputs)), left.z)
            maps["L"][name], maps["R"][name] = mean, mirrored(name, mean)


def mirrored(name: str, found: Grid) -> Grid:
    """± q(-u; J)."""
    sign = -1.0 if name in ODD else 1.0
    return Grid(-found.x[::-1] + 0.0, sign * found.y[::-1] + 0.0, found.z)


def _on(found: Grid, inputs: Array) -> Array:
    if found.z is None:
        return found(inputs)
    return np.column_stack([found(inputs, np.full(len(inputs), z)) for z in found.z])


def shifted(axle: Any, guidance: Kinematics, travel: tuple[float, float], settings: Settings) -> SteeringMaps:
    """The steering maps that an axle has, moved so that straight ahead they give a measured guidance.

    S_new(u; J) = S(u; J) - S(0; J) + p(J) - p(0): what the steering adds stays as it is.
    """
    steering = axle.data.steering
    over = "m" if steering.input == "rack_travel" else "rad"
    ends = [m.curve for name in NAMES for side in SIDES if (m := steering.map(name, side)) and m.curve.is_table]
    reach = min((min(-curve.x[0], curve.x[-1]) for curve in ends), default=0.08 if over == "m" else 9.0)
    inputs, travels = grid(-reach, reach, settings.points), grid(*travel, settings.columns)
    u, j = (item.ravel() for item in np.meshgrid(inputs, travels, indexing="ij"))
    result = SteeringMaps(over, {side: {} for side in SIDES})
    for side in SIDES:
        here, straight = pose(axle, side, u, j, j), pose(axle, side, 0.0 * u, j, j)
        for name in NAMES:
            added = (here[name] - straight[name]).reshape(len(inputs), len(travels))
            result.maps[side][name] = Grid(inputs, added + _straight(guidance, name, side, travels)[None, :], travels)
    result.remarks.append(
        "no sweep of the hand wheel: what the steering adds to the pose of the wheels is that of the vehicle, the "
        "rest is measured"
    )
    return result


def split(guidance: Kinematics) -> Kinematics:
    """(3): the guidance without what the steering maps have already."""
    maps: Maps = {side: {} for side in SIDES}
    for side in SIDES:
        for name, found in guidance.maps[side].items():
            if found.z is None:
                maps[side][name] = replace(found, y=0.0 * found.y)
            else:
                maps[side][name] = replace(found, y=found.y - found(found.x, found.x)[:, None])
    return replace(guidance, maps=maps)
