"""Whether a vehicle could be on a road: its numbers one by one (``core/plausible.py``), and what follows from them.

    f  = √(k_w / m_s) / 2π          ride frequency of an axle without its tires, k_w = c (∂d/∂J)²               (1)
    D  = c_w / (2 √(k_w m_s))       its damping, c_w from the slope of the dampers around 0.1 m/s               (2)
    J₀ = (F_w − m_s g) / k_w        travel from design to where the springs carry their share                   (3)

m_s is the share of the sprung mass by the lever of two axles. Figures are compared only when no single number is
doubted: they would say the same again. What somebody accepts (``accept`` of a vehicle) is not told.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from jounce.components.basics import on_side
from jounce.components.places import AxlePlace, WheelPlace
from jounce.components.suspension.equalizer import equalizer_of
from jounce.core.curves import Curve
from jounce.core.errors import did_you_mean
from jounce.core.fields import meta, walk
from jounce.core.messages import shown
from jounce.core.paths import dotted
from jounce.core.plausible import Doubt, accepted, doubts, usual_text, with_unit
from jounce.vehicle.layout import drive_torques, path_of

if TYPE_CHECKING:
    from jounce.vehicle.schema import Vehicle

SLOW = 0.1  # m/s, of a damper in ordinary driving
NEAR = 1e-3  # m or rad, for slopes
TRAVEL = 0.15  # m: a suspension does not reach further from where it stands

RIDE_FREQUENCY = (0.4, 20.0)  # Hz, without tires
FREQUENCY_RATIO = (0.33, 3.0)
DAMPING = (0.01, 5.0)
STEERING_RATIO = (0.8, 80.0)  # of a kart, and of an old truck
WHEELBASE = (0.8, 20.0)
HEIGHT_PER_TRACK = (0.05, 1.5)
YAW_GYRATION = (0.1, 1.2)  # radius of gyration over wheelbase
BRAKING = (0.1, 15.0)  # of the weight, at full demand
ACCELERATION = (0.01, 5.0)  # of the weight, at full throttle


def remarks_of(vehicle: Vehicle) -> list[str]:
    """A sentence for everything that nothing on the road has, with file, line and key."""
    told = [_placed(vehicle, found) for found in doubts_of(vehicle)]
    return [*told, *_kinks(vehicle), *_without_effect(vehicle), *_unknown(vehicle)]


def doubts_of(vehicle: Vehicle) -> list[Doubt]:
    """What nothing on the road has, less what the vehicle accepts."""
    found = [item for item in doubts(vehicle) if not accepted(item.path, vehicle.accept)]
    return found or [item for item in _figures(vehicle) if not accepted(item.path, vehicle.accept)]


def _placed(vehicle: Vehicle, found: Doubt) -> str:
    """The doubt with the place in a file that says so; a value that was changed since has none."""
    source = vehicle._source
    if source is None or not source.places:
        return str(found)
    ours, theirs = ({path: value for path, value, _ in walk(car)} for car in (vehicle, source.baseline))
    about = _inside(found.path, {**ours, **theirs}) or _inside(found.path.rpartition(".")[0], {**ours, **theirs})
    if any(ours.get(path) != theirs.get(path) for path in about):
        return str(found)
    file, line = _place(vehicle, found.path)
    return f"{shown(file)}, line {line}: {found}"


def _inside(path: str, known: Iterable[str]) -> list[str]:
    """The values at a path, or inside the group that stands there."""
    return [item for item in known if item == path or item.startswith((f"{path}.", f"{path}["))]


def _place(vehicle: Vehicle, path: str) -> tuple[Path, int]:
    from jounce.vehicle.editing import split_path

    source = vehicle._source
    assert source is not None
    keys = split_path(path)
    for n in range(len(keys), -1, -1):
        if keys[:n] in source.places:
            return source.places[keys[:n]]
    return source.main, 1


def _kinks(vehicle: Vehicle) -> Iterator[str]:
    """Straight lines between the points of maps of travel: their slopes, and forces with them, jump."""
    path = "system.splines.method"
    if vehicle.system.splines.method != "linear" or accepted(path, vehicle.accept):
        return
    for inner, value, info in walk(vehicle):
        guides = info is not None and bool(meta(info).get("guides"))
        ratio = inner.removesuffix(".curve").endswith("ratio")
        if isinstance(value, Curve) and value.constant is None and (guides or ratio):
            shown_at = inner.removesuffix(".curve")
            yield (
                f"{path}: linear: the slope of tables over wheel travel ({shown_at}, …) jumps at their points, and "
                "forces at the wheels with it: the car may find no rest; take akima, deboor or cubic"
            )
            return


def _without_effect(vehicle: Vehicle) -> Iterator[str]:
    """Changes of maps of a suspension in whose place those of its steering are (`components.suspension.guidance`)."""
    then = {} if vehicle._source is None else {path: value for path, value, _ in walk(vehicle._source.baseline)}
    now = {path: value for path, value, _ in walk(vehicle)}
    for axle in vehicle.layout.axles:
        steering = axle.data.steering
        if steering is None or steering.method != "steer_map" or axle.data.suspension.dependent:
            continue
        placed = {"toe": "steer", "camber": "camber", "side_view_angle": "side_view_angle"}
        placed |= {"x": "x", "y": "y"} if steering.steering_dependent_wheel_location else {}
        own, other = (dotted(path_of(vehicle, axle, name)) for name in ("suspension", "steering"))
        for name, instead in placed.items():
            if getattr(steering, instead) is None:
                continue
            for path in _inside(f"{own}.{name}", now):
                what = path.removeprefix(f"{own}.{name}.").removeprefix("right.").partition(".")[0]
                changed = then.get(path, now[path]) != now[path] or (what == "scale" and now[path] not in (None, 1.0))
                if what in ("curve", "scale") and changed and not accepted(path, vehicle.accept):
                    yield f"{path}: without effect: {other}.{instead} takes its place ({other}.method: steer_map)"


def _unknown(vehicle: Vehicle) -> Iterator[str]:
    """What is accepted but is nothing of this vehicle."""
    if not vehicle.accept:
        return
    known = [path.removesuffix(".curve") for path, _, _ in walk(vehicle)]
    known += [item.path for item in (*doubts(vehicle), *_figures(vehicle, every=True))]
    for pattern in vehicle.accept:
        if not any(accepted(path, (pattern,)) for path in known):
            hint = did_you_mean(pattern, known).partition("  known:")[0]
            yield f"accept: {pattern!r} is nothing of this vehicle{hint}"


# ---- figures --------------------------------------------------------------------------------------------------------


Figure = tuple[str, float, str, tuple[float, float], str]
"""Path, value, unit, what is usual, and words before the value."""


def _figures(vehicle: Vehicle, every: bool = False) -> Iterator[Doubt]:
    """What follows from several numbers and is beyond what exists; with `every` also what is not."""
    place = vehicle.layout
    frequencies: dict[int, float] = {}
    for axle in place.axles:
        at = dotted(path_of(vehicle, axle, "suspension"))
        held = axle.data.suspension
        if every or (held.spring is None and not _further(axle) and equalizer_of(axle) is None):
            yield Doubt(f"{at}.spring", "none; nothing carries the body above this axle but stops")
        if every or (not held.dampers and not _further(axle)):
            yield Doubt(f"{at}.dampers", "none; nothing damps this axle")
        for path, value, unit, usual, what in _of_axle(vehicle, axle, at):
            if path.endswith("ride_frequency"):
                frequencies[axle.number] = value
            if every or not usual[0] <= abs(value) <= usual[1]:
                yield Doubt(path, f"{what}{with_unit(value, unit)} ({usual_text(usual, unit)})")
    for path, value, unit, usual, what in _of_vehicle(vehicle, frequencies):
        if every or not usual[0] <= abs(value) <= usual[1]:
            yield Doubt(path, f"{what}{with_unit(value, unit)} ({usual_text(usual, unit)})")


def _further(axle: AxlePlace) -> bool:
    """Whether further elements may carry or damp."""
    return any(getattr(item, "carries", True) for item in axle.data.suspension.elements)


def _of_axle(vehicle: Vehicle, axle: AxlePlace, at: str) -> Iterator[Figure]:
    share = _sprung_share(vehicle, axle)
    spring = axle.data.suspension.spring
    if spring is None or _further(axle) or share is None or share <= 0:
        return
    wheels = axle.wheels
    rate = sum(_wheel_rate(wheel) for wheel in wheels)
    if rate <= 0:
        return
    yield f"{at}.spring.ride_frequency", math.sqrt(rate / share) / (2 * math.pi), "Hz", RIDE_FREQUENCY, ""
    if axle.data.suspension.dampers:
        damping = sum(_wheel_damping(wheel) for wheel in wheels) / (2 * math.sqrt(rate * share))
        yield f"{at}.dampers.damping_ratio", damping, "-", DAMPING, ""
    weight = share * vehicle.system.gravity
    force = sum(_slope(wheel) * on_side(spring, wheel.side).force_at_design() for wheel in wheels)
    what = "the springs carry their load away from design, by "
    yield f"{at}.spring.static_travel", (force - weight) / rate, "m", (0.0, TRAVEL), what


def _of_vehicle(vehicle: Vehicle, frequencies: dict[int, float]) -> Iterator[Figure]:
    place = vehicle.layout
    axles, body = place.units[0].axles, dotted(("units", 0, "body")) if vehicle.units else "body"
    track = max(axle.data.suspension.track for axle in axles)
    height = float(vehicle.main_body.centre()[2])
    yield f"{body}.cg.height_per_track", height / track, "-", HEIGHT_PER_TRACK, ""
    if len(axles) > 1:
        last = dotted(path_of(vehicle, axles[-1], "suspension"))
        yield f"{last}.wheel_centre_x.wheelbase", vehicle.wheelbase, "m", WHEELBASE, "a wheelbase of "
        mass, _, inertia = vehicle.main_body.rigid()
        gyration = math.sqrt(inertia[2, 2] / mass) / vehicle.wheelbase
        yield f"{body}.inertia.yaw_radius_per_wheelbase", gyration, "-", YAW_GYRATION, ""
        first, rear = frequencies.get(1), frequencies.get(len(axles))
        if first and rear and len(axles) == 2:
            yield f"{last}.spring.ride_frequency_ratio", rear / first, "-", FREQUENCY_RATIO, "rear over front "
    weight = vehicle.mass() * vehicle.system.gravity
    steered = place.steered
    if steered is not None:
        ratio = _steering_ratio(steered)
        if ratio is not None:
            at = dotted(path_of(vehicle, steered, "steering")) or "steering"
            yield f"{at}.steer.steering_ratio", ratio, "-", STEERING_RATIO, "hand wheel over wheels "
    if weight > 0 and vehicle.brakes is not None:
        force = sum(_brake_force(vehicle, wheel) for wheel in place.wheels.values())
        yield "brakes.full_braking_per_weight", force / weight, "-", BRAKING, ""
    driven = {place.wheels[name]: torque for name, torque in drive_torques(vehicle).items() if torque > 0}
    if weight > 0 and driven:
        force = sum(torque / float(wheel.centre[2]) for wheel, torque in driven.items())
        at = "drive.max_torque" if vehicle.driveline is None else "driveline.wheel_torque"
        yield f"{at}.force_per_weight", force / weight, "-", ACCELERATION, ""


def _sprung_share(vehicle: Vehicle, axle: AxlePlace) -> float | None:
    """Sprung mass on an axle by the lever; None where more than two axles share it in a way that springs decide."""
    axles = axle.unit.axles
    mass = sum(half[0] for half in axle.unit.data.body.sprung())
    if axle.unit.towed:
        return None
    if axle.unit.parent is not None:  # on its axle and its coupling, at 0
        return float(mass * axle.unit.data.body.centre()[0] / axle.x) if len(axles) == 1 else None
    if len(axles) == 1:
        return float(mass)
    if len(axles) != 2:
        return None
    other = axles[1] if axle is axles[0] else axles[0]
    centre = float(axle.unit.data.body.centre()[0])
    return float(mass * (centre - other.x) / (axle.x - other.x))


def _slope(wheel: WheelPlace) -> float:
    """Deflection of the spring per travel at design, both wheels of the axle moving together."""
    spring = on_side(wheel.axle.data.suspension.spring, wheel.side)
    return _together(spring.deflection)


def _together(curve: Curve) -> float:
    """Slope of a curve of travel when the paired wheel moves alike."""
    return (_value(curve, NEAR, NEAR) - _value(curve, -NEAR, -NEAR)) / (2 * NEAR)


def _at_zero(curve: Curve) -> float:
    """Slope of a curve at the origin."""
    return (_value(curve, NEAR) - _value(curve, -NEAR)) / (2 * NEAR)


def _value(curve: Curve, x: float, z: float = 0.0) -> float:
    """A curve between its points by straight lines: near enough for figures, and quick."""
    if curve.n_axes == 1 and curve.is_table:
        return float(np.interp(x, curve.x, curve.y))
    return curve(x, z)


def _wheel_rate(wheel: WheelPlace) -> float:
    """Spring rate at a wheel (1), with what gives way in series."""
    held = wheel.axle.data.suspension
    rate = float(on_side(held.spring, wheel.side).rate_at_design() * _slope(wheel) ** 2)
    if held.series_stiffness is None:
        return rate
    series = on_side(held.series_stiffness, wheel.side)
    stiffness = series.stiffness * series.ratio_at_design(wheel) ** 2
    return float(rate * stiffness / (rate + stiffness))


def _wheel_damping(wheel: WheelPlace) -> float:
    """Damper rate at a wheel (2)."""
    total = 0.0
    for item in wheel.axle.data.suspension.dampers:
        damper = on_side(item, wheel.side)
        rate = damper.rate
        if rate is None:
            rate = (_value(damper.force, SLOW) - _value(damper.force, -SLOW)) / (2 * SLOW)
        total += damper.scale * rate * _together(damper.deflection) ** 2
    return total


def _steering_ratio(axle: AxlePlace) -> float | None:
    """Hand wheel angle per mean steer angle, straight ahead; None where nothing steers."""
    steering = axle.data.steering
    maps = [steering.map("steer", wheel.side) for wheel in axle.wheels]
    steer = sum(item.scale * _at_zero(item.curve) for item in maps) / len(maps)
    if steering.input == "rack_travel":
        steer *= _at_zero(steering.travel)
    return steering.gear_ratio_scale / steer if steer else None


def _brake_force(vehicle: Vehicle, wheel: WheelPlace) -> float:
    """Force of a brake at full demand at the ground, were there grip for it."""
    brakes, axle = vehicle.brakes, wheel.axle
    if axle.data.brake is None or brakes is None:
        return 0.0
    brake = on_side(axle.data.brake, wheel.side)
    return float(brake.full_moment(brakes.line_pressure(axle)) / wheel.centre[2])
