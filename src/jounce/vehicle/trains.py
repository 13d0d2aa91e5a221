"""What must hold of a vehicle of several units: each is coupled to one before it, stands, and its axles have room."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from jounce.components.basics import combine
from jounce.components.places import AxlePlace, UnitPlace, VehiclePlace
from jounce.core.fields import problem
from jounce.core.paths import Keys

if TYPE_CHECKING:
    from jounce.vehicle.schema import Vehicle

TOUCHING = 0.95  # of the sum of two wheels' heights: what axles need between them; tires are a little larger than that
NARROW = 0.5  # m, difference of half tracks below which wheels of two axles would run into each other


def check_hitches(vehicle: Vehicle) -> None:
    """Every unit but the first is towed by one before it."""
    if vehicle.units and vehicle.units[0].hitch is not None:
        raise problem("a hitch without a partner: no unit is before the first one", "units", 0, "hitch")
    word, first, towed = ("units", 1, vehicle.units[1:]) if vehicle.units else ("trailers", 0, vehicle.trailers)
    for i, unit in enumerate(towed):
        keys, number, hitch = (word, first + i), i + 2, unit.hitch
        if hitch is None:
            raise problem(f"missing; how unit {number} is coupled to a unit before it", *keys, "hitch")
        if hitch.to is not None and hitch.to >= number:
            text = f"{hitch.to}: a hitch without a partner; unit {number} is towed by one before it, 1 to {number - 1}"
            raise problem(text, *keys, "hitch", "to")


def check_hook(vehicle: Vehicle, place: VehiclePlace) -> None:
    """A hook stands for what is towed and modelled elsewhere; a hitch has its inputs and channels, too."""
    for i, item in enumerate(vehicle.forces):
        if getattr(item, "kind", "") == "hook" and place.units[0].towed:
            text = "stands beside a hitch; loads from outside are inputs of the hitch, Hook.Fx.rear …"
            raise problem(text, "forces", i)


def check_towed(unit: UnitPlace) -> None:
    """A towed unit stands on its wheels and its couplings."""
    hitch, keys = unit.data.hitch, unit.data.keys
    x = float(unit.data.body.rigid()[1][0])
    pitches = "pitch" in hitch.free and (hitch.pitch is None or hitch.pitch.stiffness == 0)
    rolls = "roll" in hitch.free and (hitch.roll is None or hitch.roll.stiffness == 0)
    if hitch.coupling == "fifth_wheel" and (hitch.roll is None or hitch.roll.stiffness == 0):
        raise problem(
            "missing; stiffness with which a fifth wheel resists roll, or coupling: ball", *keys, "hitch", "roll"
        )
    for word in ("yaw", "pitch", "roll"):
        if getattr(hitch, word) is not None and word not in hitch.free:
            raise problem(f"a {hitch.coupling} lets no {word}", *keys, "hitch", word)
    if pitches and not unit.axles and not unit.towed:
        raise problem("the unit would fall over: it has no axles, and its hitch lets it pitch", *keys, "axles")
    if pitches and unit.axles and not any(axle.x < 0 for axle in unit.axles):
        axle = unit.axles[0]
        place = (*keys, "axles", 0, "suspension", "wheel_centre_x")
        raise problem(f"{axle.x!r} m: the unit would fall over: no axle is behind its coupling (at 0)", *place)
    if pitches and unit.axles and not unit.towed and not x < 0:
        raise problem(
            f"{x!r} m: the unit would fall over: its centre of gravity must be behind its coupling (at 0)",
            *keys, "body", *(("cg", "x") if unit.data.body.split is None else ("split",)),
        )  # fmt: skip
    if rolls and unit.axles and not unit.towed and all(len(axle.sides) == 1 for axle in unit.axles):
        raise problem("the unit would fall over: single wheels, and a hitch that lets it roll", *keys, "hitch")


def check_balance(place: VehiclePlace) -> None:
    """With what towed units press on it, or lift, the sprung mass of the first unit stands between its axles.

    By levers, each unit on the middle of its axles; nothing is said of couplings that bear pitch.
    """
    first = place.units[0]
    if len(first.axles) < 2:
        return
    sums = {unit.number: [0.0, 0.0] for unit in place.units}  # kg, and kg.m about the origin of the unit
    pressed: dict[int, float] = {}
    for unit in reversed(place.units):
        mass, centre, _ = combine(unit.data.body.sprung())
        load, moment = sums[unit.number] = [sums[unit.number][0] + mass, sums[unit.number][1] + mass * float(centre[0])]
        hitch = unit.data.hitch
        if unit.parent is None or hitch is None:
            continue
        if "pitch" not in hitch.free or (hitch.pitch is not None and hitch.pitch.stiffness > 0):
            return
        carried = moment / (sum(axle.x for axle in unit.axles) / len(unit.axles)) if unit.axles else 0.0
        pressed[unit.number] = load - carried
        own = sums[unit.parent.number]
        own[0], own[1] = own[0] + load - carried, own[1] + (load - carried) * float(hitch.location.x)
    load, moment = sums[1]
    front, rear = first.axles[0].x, first.axles[-1].x
    if pressed and not (load > 0 and rear < moment / load < front):
        unit = max((u for u in place.units if u.parent is first), key=lambda u: abs(pressed[u.number]))
        word = "presses on its coupling with" if pressed[unit.number] > 0 else "lifts its coupling by"
        lifted = "front" if load > 0 and moment / load <= rear else "rear"
        heavy = abs(pressed[unit.number])
        text = (
            f"{unit.data.hitch.location.x!r} m: unit {unit.number} {word} the weight of {heavy:.0f} kg, so that the "
            f"{lifted} axle of the first unit would lift"
        )
        raise problem(text, *unit.data.keys, "hitch", "location", "x")


def check_apart(place: VehiclePlace, path_of: Callable[[AxlePlace], Keys]) -> None:
    """No two axles overlap at design: of one unit, or of a unit and the one that tows it."""
    for unit in place.units:
        near = [*unit.axles, *([] if unit.parent is None else unit.parent.axles)]
        for i, first in enumerate(near):
            for second in near[i + 1 :]:
                a, b = (float(axle.unit.offset[0]) + axle.x for axle in (first, second))
                room = sum(float(axle.wheels[0].centre[2]) for axle in (first, second))
                across = [abs(float(axle.wheels[0].centre[1])) for axle in (first, second)]
                if abs(a - b) < room * TOUCHING and abs(across[0] - across[1]) < NARROW:
                    axle, other = (first, second) if first.number > second.number else (second, first)
                    text = f"overlaps axle {other.number}: {abs(a - b):.3g} m apart, their wheels need {room:.3g} m"
                    raise problem(text, *path_of(axle), "wheel_centre_x")
