"""The layout of a vehicle from its data, whichever way they are spelled: units, axles, wheels.

A car with ``front_suspension`` and its relatives has two axles; ``axles`` and ``units`` list any number of them. What
either of the first two tows stands under ``trailers``. Paths of the spellings that mean the same are translated into
the one that a vehicle uses (``translated``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic_core import PydanticCustomError

from jounce.components.basics import DIAGNOSED, Array, Side, on_side
from jounce.components.body.attached import Attached
from jounce.components.body.body import Body
from jounce.components.body.split import FRONT
from jounce.components.brakes.wheel_brake import WheelBrake
from jounce.components.places import AxlePlace, UnitPlace, VehiclePlace, WheelPlace
from jounce.components.steering.steering import Steering
from jounce.components.suspension.axle import Suspension
from jounce.components.towing.hitch import Hitch
from jounce.components.wheel.wheels import Wheels
from jounce.core.fields import problem
from jounce.core.paths import Keys
from jounce.vehicle import layout_text, trains

if TYPE_CHECKING:
    from jounce.components.aero.maps import Aero
    from jounce.components.steering.actuated import ActuatedSteering
    from jounce.vehicle.schema import Axle, Unit, Vehicle

# the friendly spelling of a car's axles: key of the vehicle -> number of the axle, key of the axle
FRIENDLY: dict[Keys, tuple[int, str]] = {
    ("front_suspension",): (0, "suspension"),
    ("rear_suspension",): (1, "suspension"),
    ("front_wheels",): (0, "wheels"),
    ("rear_wheels",): (1, "wheels"),
    ("brakes", "front"): (0, "brake"),
    ("brakes", "rear"): (1, "brake"),
    ("steering",): (0, "steering"),
    ("rear_steering",): (1, "actuators"),
}


@dataclass(frozen=True)
class AxleData:
    """What belongs to one axle."""

    suspension: Suspension
    wheels: Wheels
    brake: WheelBrake | None
    steering: Steering | None
    on: str  # the body it hangs on
    sides: tuple[Side, ...]
    listed: Axle | None  # where it stands in a list of axles
    drive: tuple[float, float]  # shares of the left and the right wheel
    linear_damper_rate: float
    linear_spring_rate: float
    actuators: ActuatedSteering | None = None  # that steer its wheels one by one

    @property
    def guiding(self) -> Steering | None:
        """What steers its wheels: a hand wheel or actuators."""
        return self.actuators if self.steering is None else self.steering

    @property
    def grouped(self) -> bool:
        """Whether it is in a group with the axle before it."""
        return self.listed is not None and self.listed.group

    def further(self) -> list[tuple[str, Any]]:
        """Parts that only axles of a list have, by their names."""
        found = [] if self.listed is None else [(name, getattr(self.listed, name)) for name in ("equalizer", "lift")]
        return [(name, item) for name, item in found if item is not None]

    @property
    def brake_share(self) -> float | None:
        """Its own share of the pressure; None: by the bias of the vehicle."""
        return None if self.listed is None else self.listed.brake_share

    def wheels_on(self, side: Side) -> Wheels:
        return on_side(self.wheels, side)

    def drive_share(self, side: Side) -> float:
        return self.drive[0] if side == "L" else self.drive[1]

    def wheel_centre(self, side: Side) -> Array:
        """Wheel centre at design in the vehicle reference frame, m."""
        half = self.suspension.track / 2 if len(self.sides) == 2 else 0.0
        height = self.wheels_on(side).wheel_centre_height
        return np.array([self.suspension.wheel_centre_x, half if side == "L" else -half, height])


@dataclass(frozen=True)
class UnitData:
    """What belongs to one unit besides its axles."""

    body: Body
    aero: Aero | None
    hitch: Hitch | None = None
    name: str = ""
    keys: Keys = ()  # where it stands in the vehicle; nothing where its parts stand beside those of the vehicle


NAMED = ("front_suspension", "rear_suspension", "front_wheels", "rear_wheels", "rear_steering")
"""Fields of the two axles of a car; a list of axles comes in their place."""
OF_UNITS = ("axles", "body", "aero", "trailers")
"""Fields of a vehicle that belong to its units where it has a list of them."""


def spelling(vehicle: Vehicle) -> str:
    """How the axles of a vehicle are spelled: ``friendly``, ``axles`` or ``units``."""
    return "units" if vehicle.units else "axles" if vehicle.axles else "friendly"


def excluded(vehicle: Vehicle) -> tuple[str, ...]:
    """Fields that may not stand beside the others of a vehicle, by how its axles are spelled."""
    return {"friendly": ("axles", "units"), "axles": (*NAMED, "units"), "units": (*NAMED, *OF_UNITS)}[spelling(vehicle)]


def layout(vehicle: Vehicle, prefix: str = "") -> VehiclePlace:
    """Places of a vehicle, with the prefix of its names in a model."""
    whole = VehiclePlace(prefix, vehicle.system, vehicle)
    for data, listed in _units(vehicle):
        origins = data.body.origins(vehicle.system.simplified_model != 0)
        unit = UnitPlace(whole, len(whole.units) + 1, data, origins)
        if (hitch := data.hitch) is not None:
            unit.parent = whole.units[-1 if hitch.to is None else hitch.to - 1]
            unit.offset = unit.parent.offset + hitch.location.array - [0.0, 0.0, hitch.own_height]
        for axle_data in listed:
            number = len(whole.axles) + len(unit.axles) + 1
            axle = AxlePlace(unit, number, axle_data, axle_data.on, axle_data.sides)
            for side in axle_data.sides:
                wheel = WheelPlace(axle, side)
                if axle_data.wheels_on(side).twin is not None:
                    wheel.twin = f"{wheel.name}_twin"
                axle.wheels.append(wheel)
            unit.axles.append(axle)
        whole.units.append(unit)
    return whole


def _units(vehicle: Vehicle) -> list[tuple[UnitData, list[AxleData]]]:
    listed: list[tuple[UnitData, tuple[Axle, ...]]] = []
    result: list[tuple[UnitData, list[AxleData]]] = []
    if vehicle.units:
        listed = [(_of_unit(unit, ("units", i)), unit.axles) for i, unit in enumerate(vehicle.units)]
    else:
        assert vehicle.body is not None
        first = UnitData(vehicle.body, vehicle.aero)
        if vehicle.axles:
            listed = [(first, vehicle.axles)]
        else:
            result = [(first, _friendly(vehicle))]
        listed += [(_of_unit(unit, ("trailers", i)), unit.axles) for i, unit in enumerate(vehicle.trailers)]
    number = sum(len(axles) for _, axles in result)
    for unit, axles in listed:
        found = []
        for axle in axles:
            number += 1
            found.append(_listed(vehicle, axle, number))
        result.append((unit, found))
    return result


def _of_unit(unit: Unit, keys: Keys) -> UnitData:
    return UnitData(unit.body, unit.aero, unit.hitch, unit.name, keys)


def _friendly(vehicle: Vehicle) -> list[AxleData]:
    """Front and rear axle of a car; of a split body the front one hangs on its front half."""
    suspensions, wheels = (
        (vehicle.front_suspension, vehicle.rear_suspension),
        (vehicle.front_wheels, vehicle.rear_wheels),
    )
    brakes = vehicle.brakes
    result = []
    for i, (suspension, data) in enumerate(zip(suspensions, wheels, strict=True)):
        assert suspension is not None and data is not None and brakes is not None
        steering = vehicle.steering if i == 0 else None
        brake = (brakes.front, brakes.rear)[i]
        on = FRONT if i == 0 else ""
        rates = _rates(vehicle, i)
        shares, actuators = _shares(vehicle, i), vehicle.rear_steering if i == 1 else None
        result.append(AxleData(suspension, data, brake, steering, on, ("L", "R"), None, shares, *rates, actuators))
    return result


def _listed(vehicle: Vehicle, axle: Axle, number: int) -> AxleData:
    steering = axle.steering
    if steering is None and number == 1:
        steering = vehicle.steering
    shares, rates = _shares(vehicle, number - 1), _rates(vehicle, number - 1)
    left, right = (
        s if own is None else own for own, s in zip((axle.drive_left, axle.drive_right), shares, strict=True)
    )
    damper, spring = (
        r if own is None else own
        for own, r in zip((axle.linear_damper_rate, axle.linear_spring_rate), rates, strict=True)
    )
    sides: tuple[Side, ...] = ("L",) if axle.single else ("L", "R")
    return AxleData(
        axle.suspension,
        axle.wheels,
        axle.brake,
        steering,
        axle.on,
        sides,
        axle,
        (left, right),
        damper,
        spring,
        axle.actuators,
    )


def drive_torques(vehicle: Vehicle) -> dict[str, float]:
    """Largest torque of every wheel, driving off, N·m."""
    place = vehicle.layout
    if vehicle.driveline is not None:
        return vehicle.driveline.wheel_torques(place)
    most = vehicle.drive.max_torque
    return {w.name: most * w.axle.data.drive_share(w.side) for w in place.wheels.values()}


def drive_shares(vehicle: Vehicle) -> dict[str, float]:
    """What every wheel has of the torque that drives; all 0 where nothing does."""
    torques = drive_torques(vehicle)
    total = math.fsum(torques.values())
    return {name: torque / total if total else 0.0 for name, torque in torques.items()}


def _shares(vehicle: Vehicle, i: int) -> tuple[float, float]:
    shares = vehicle.drive.shares
    return shares.get(f"L{i + 1}", 0.0), shares.get(f"R{i + 1}", 0.0)


def _rates(vehicle: Vehicle, i: int) -> tuple[float, float]:
    options = vehicle.system.statics
    if i == 0:
        return options.linear_damper_rate_front, options.linear_spring_rate_front
    return options.linear_damper_rate_rear, options.linear_spring_rate_rear


# ---- what must hold ------------------------------------------------------------------------------------------------


def check(vehicle: Vehicle) -> None:
    """Raise unless a vehicle is complete, spelled in one way, and stands on its wheels."""
    how = spelling(vehicle)
    trains.check_hitches(vehicle)
    _check_spelling(vehicle, how)
    place = layout(vehicle)
    axles = place.axles
    steered = [axle for axle in axles if axle.data.steering is not None]
    if len(steered) > 1:
        keys = path_of(vehicle, steered[1], "steering")
        raise problem("not available yet: one axle is steered, this is the second", *keys)
    _check_shares(vehicle, axles, how)
    if vehicle.brakes is not None and vehicle.brakes.air is not None:
        vehicle.brakes.air.check(len(axles))
    _check_driveline(vehicle)
    _check_attached(vehicle)
    for axle in axles:
        if axle.data.brake is not None and not axle.data.brake.pressed and axle.unit.parent is None:
            raise problem("an overrun brake needs a drawbar; this unit is not towed", *path_of(vehicle, axle, "brake"))
        if axle.data.actuators is not None and axle.data.steering is not None:
            raise problem("stands beside steering; wheels have one of both", *path_of(vehicle, axle, "actuators"))
        devices = [name for name in ("anti_roll_bar", "auxiliary_anti_roll") if getattr(axle.data.suspension, name)]
        if len(axle.sides) == 1 and devices:
            raise problem("an axle with a single wheel has none", *path_of(vehicle, axle, "suspension"), devices[0])
        if len(axle.sides) == 1 and axle.data.suspension.solid is not None:
            raise problem(
                "a beam is between two wheels, the axle has one", *path_of(vehicle, axle, "suspension"), "solid"
            )
        equalizer = dict(axle.data.further()).get("equalizer")
        if equalizer is not None:
            equalizer.check(axle, path_of(vehicle, axle, "equalizer"))
        if axle.data.grouped and axle is axle.unit.axles[0]:
            raise problem(
                "the first axle of a unit has none before it to be in a group with", *path_of(vehicle, axle, "group")
            )
        beam = axle.data.suspension.solid
        if beam is not None and beam.pinion_ratio is not None and vehicle.driveline is not None:
            text = "stands beside a driveline, whose differentials say what their input does (input_axis)"
            raise problem(text, *path_of(vehicle, axle, "suspension"), "solid", "pinion_ratio")
        for name in ("compliance", "x_dof"):
            if (found := getattr(axle.data.suspension, name)) is not None:
                found.check(axle, (*path_of(vehicle, axle, "suspension"), name))
        between = [i for i, item in enumerate(axle.data.suspension.elements) if item.level == "axle"]
        if len(axle.sides) == 1 and between:
            kind = getattr(axle.data.suspension.elements[between[0]], "kind", "part")
            keys = path_of(vehicle, axle, "suspension")
            raise problem(f"a {kind} is between two wheels, the axle has one", *keys, "elements", between[0])
    for first, second in pairwise(axles):
        if second.unit is first.unit and not second.x < first.x:
            text = f"{second.x!r} m: must be behind the axle before it ({first.x!r} m)"
            if how == "friendly":
                text = (
                    f"{second.x!r} m: the rear wheels must be behind the front ones ({first.x!r} m); write -wheelbase"
                )
            raise problem(text, *path_of(vehicle, second, "suspension"), "wheel_centre_x")
    if len(place.units[0].axles) > 1:
        _check_centre(vehicle, place.units[0].axles)
    for unit in place.units[1:]:
        trains.check_towed(unit)
    trains.check_hook(vehicle, place)
    if vehicle.model_layout:
        layout_text.compare(vehicle)
    trains.check_apart(place, lambda axle: path_of(vehicle, axle, "suspension"))
    trains.check_balance(place)


def _check_spelling(vehicle: Vehicle, how: str) -> None:
    if how == "friendly":
        assert vehicle.brakes is not None
        for name in ("front", "rear"):
            if getattr(vehicle.brakes, name) is None:
                raise problem(f"missing; {name} brakes", "brakes", name)
        return
    for name in NAMED:
        if getattr(vehicle, name) is not None:
            raise problem(f"stands beside {how}; give one or the other", name)
    if how == "units":
        for name in OF_UNITS:
            if getattr(vehicle, name) not in (None, ()):
                raise problem("stands beside units; there it belongs to a unit", name)
    elif vehicle.body is None:
        raise _missing([("body", "sprung mass")])
    if vehicle.brakes is None and any(axle.data.brake is not None for axle in layout(vehicle).axles):
        raise _missing([("brakes", "brakes")])
    if vehicle.brakes is not None and (vehicle.brakes.front is not None or vehicle.brakes.rear is not None):
        raise problem(f"stands beside {how}; brakes belong to an axle there", "brakes")


def _check_shares(vehicle: Vehicle, axles: list[AxlePlace], how: str) -> None:
    if how != "friendly":
        total = math.fsum(share for axle in axles for share in axle.data.drive)
        if total != 0 and abs(total - 1) > DIAGNOSED:
            raise problem(
                f"the drive shares of all wheels add up to {total:.10g}; they must add up to 1, or all be 0", "drive"
            )
        if len(axles) != 2:
            for axle in axles:
                if axle.data.brake is not None and axle.data.brake.pressed and axle.data.brake_share is None:
                    raise problem(
                        "missing; share of the pressure, needed unless there are two axles",
                        *path_of(vehicle, axle),
                        "brake_share",
                    )


def _check_driveline(vehicle: Vehicle) -> None:
    if vehicle.driveline is None:
        return
    if vehicle.drive.tcs is not None or any(share > 0 for share in vehicle.drive.shares.values()):
        raise problem("stands beside drive; give one or the other", "driveline")
    try:
        vehicle.driveline.check(layout(vehicle))
    except PydanticCustomError as found:
        items = (found.context or {})["problems"]
        raise PydanticCustomError(
            found.type, found.message_template, {"problems": tuple((("driveline", *i[0]), *i[1:]) for i in items)}
        ) from None


def _check_attached(vehicle: Vehicle) -> None:
    """Sensors, forces and contacts stand on bodies of the vehicle, each under a name of its own."""
    for name in ("sensors", "forces", "contacts"):
        taken: list[str] = []
        for i, item in enumerate(getattr(vehicle, name)):
            own = getattr(item, "name", "")
            if own and own in taken:
                raise problem(f"{own!r}: there is another one of this name", name, i, "name")
            taken.append(own)
            if isinstance(item, Attached):
                item.checked_in(layout(vehicle), (name, i))


def _check_centre(vehicle: Vehicle, axles: list[AxlePlace]) -> None:
    front, rear = axles[0].x, axles[-1].x
    body = vehicle.main_body
    x = float(body.rigid()[1][0])
    if not rear < x < front:
        axle, other = ("ahead of the front", "rear") if x >= front else ("behind the rear", "front")
        place: Keys = ("body", "cg", "x") if body.split is None else ("body", "split")
        raise problem(
            f"{x!r} m: the sprung mass has its centre of gravity {axle} wheels, so that the {other} axle would "
            f"lift (x is positive forward: expected between {rear!r} and {front!r})",
            *(("units", 0, *place) if vehicle.units else place),
        )


def _missing(items: list[tuple[str, str]]) -> Any:
    from pydantic_core import PydanticCustomError

    found = tuple(((name,), f"missing; {doc}", "", True) for name, doc in items)
    return PydanticCustomError("unreadable", "; ".join(item[1] for item in found), {"problems": found})


def path_of(vehicle: Vehicle, axle: AxlePlace, key: str = "") -> Keys:
    """Path of an axle, or of a key of it, as the vehicle spells it."""
    how, number = spelling(vehicle), axle.number - 1
    if axle.unit.number == 1 and how == "friendly":
        return next((keys for keys, (i, name) in FRIENDLY.items() if (i, name) == (number, key)), ())
    start: Keys = (*axle.unit.data.keys, "axles", axle.unit.axles.index(axle))
    return (*start, key) if key else start


# ---- paths ---------------------------------------------------------------------------------------------------------


def translated(vehicle: Vehicle, keys: Keys) -> Keys:
    """A path in the spelling that the vehicle uses."""
    how = spelling(vehicle)
    if how != "units" and keys[:2] == ("units", 0):
        keys = keys[2:]
    elif how != "units" and keys[:1] == ("units",) and len(keys) > 1 and isinstance(keys[1], int):
        return ("trailers", keys[1] - 1, *keys[2:])
    elif how == "units" and keys[:1] == ("trailers",) and len(keys) > 1 and isinstance(keys[1], int):
        return ("units", keys[1] + 1, *keys[2:])
    elif how == "units" and keys and keys[0] in ("body", "aero", "axles"):
        keys = ("units", 0, *keys)
    start = 2 if keys[:2] == ("units", 0) else 0
    if how == "friendly" and len(keys) > 2 and keys[0] == "axles":
        for friendly, (i, name) in FRIENDLY.items():
            if keys[1:3] == (i, name):
                return (*friendly, *keys[3:])
    elif how != "friendly" and keys[:1] == ("steering",) and vehicle.steering is None:
        steered = layout(vehicle).steered
        return (*path_of(vehicle, steered, "steering"), *keys[1:]) if steered is not None else keys
    elif how != "friendly" and start == 0:
        for friendly, (i, name) in FRIENDLY.items():
            if keys[: len(friendly)] == friendly and name != "steering":
                place: Keys = ("axles", i, name) if how == "axles" else ("units", 0, "axles", i, name)
                return (*place, *keys[len(friendly) :])
    return keys
