"""Aerodynamic forces over speed and ride heights.

    F = scale · (ρ/ρ_ref) · (force(h_front; h_rear) + shift) · (V/V_ref)²                                       (1)

V is the speed through the air along the road (or the body), wind included; drag is against it. A run may add forces in
the places of the three and a moment, along the road (or the body): x forward, y to the left, z upwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from jounce.components.basics import Array, Point, Subsystem
from jounce.components.model import UnitModel
from jounce.components.part import Level, Symbols, derived
from jounce.components.places import Place, UnitPlace
from jounce.components.settings import Statics
from jounce.core.curves import Curve
from jounce.core.fields import Data, choice, curve, one_of, part, quantity
from jounce.symbolic.frames import cross
from jounce.symbolic.ops import clip, fabs, fmax, fmin, if_else


class AeroForce(Data):
    """One force:  F = scale · (ρ / reference density) · (force(h_front; h_rear) + shift) · (V / reference velocity)².

    Instead of ``force``, ``area`` (coefficient times frontal area) may be given:
    force = ½ · reference density · area · (reference velocity)².
    """

    alternatives: ClassVar = (("force", "area"),)

    active: bool = choice(True, doc="whether it exists")
    force: Curve | None = curve(
        "m",
        "N",
        None,
        z="m",
        constant="value",
        typical=(0.1, 1e5),
        reach=(0.005, 2.0),
        doc="at reference velocity and density, over front and rear ride heights",
    )
    area: float | None = quantity(
        "m2", None, presence=False, typical=(1e-4, 20.0), doc="coefficient times frontal area"
    )
    location: Point = part(doc="where it acts")
    scale: float = quantity("-", 1.0, typical=(0.01, 100.0), doc="factor")
    shift: float = quantity("N", 0.0, typical=(0.0, 1e5), doc="added to `force`")
    smoothing_time: float = quantity("s", 0.0, ge=0, typical=(0.0, 60.0), doc="time of growth after the start of a run")

    @model_validator(mode="after")
    def _one_law(self) -> Self:
        one_of(self, ("force", "area"))
        return self

    @derived(label="force", at="unit")
    def at_reference(self, place: UnitPlace) -> Curve:
        """Its force at reference velocity and density, without scale and shift."""
        if self.force is not None:
            return self.force
        assert self.area is not None
        data = place.data.aero
        pressure = 0.5 * data.reference_density * data.reference_velocity**2
        return Curve(AeroForce.curve_units("force", {}), constant=pressure * self.area)

    @derived("m", doc="from the origin of its body", label="location", at="unit")
    def place(self, place: UnitPlace) -> Array:
        return place.local(self.location.array)


class Wind(Data):
    """Wind over ground, where it goes to."""

    x: float = quantity("m/s", 0.0, typical=(0.0, 60.0), doc="along world x")
    y: float = quantity("m/s", 0.0, typical=(0.0, 60.0), doc="along world y")
    z: float = quantity("m/s", 0.0, typical=(0.0, 60.0), doc="along world z")

    @classmethod
    def expand(cls, raw: Any) -> Any:
        return Point.expand(raw)


class Aero(Subsystem):
    """Drag and downforce over speed and ride heights."""

    level: ClassVar[Level] = "unit"

    air_density: float = quantity("kg/m3", 1.2, ge=0, typical=(0.4, 2.0), doc="air density during the run")
    reference_density: float = quantity("kg/m3", 1.2, gt=0, typical=(0.4, 2.0), doc="air density of the data")
    reference_velocity: float = quantity("m/s", 30.0, gt=0, typical=(3.0, 120.0), doc="speed of the data")
    drag: AeroForce = part(doc="drag, rearwards")
    front_downforce: AeroForce | None = part(None, doc="downforce in front, downwards")
    rear_downforce: AeroForce | None = part(None, doc="downforce at the rear, downwards")
    front_sensor: Point | None = part(None, doc="where the front ride height is measured; absent: mid front axle")
    rear_sensor: Point | None = part(None, doc="where the rear ride height is measured; absent: mid rear axle")
    ride_height_min: float | None = quantity(
        "m", None, typical=(0.0, 2.0), doc="ride heights are held above this before the maps"
    )
    ride_height_max: float | None = quantity(
        "m", None, typical=(0.0, 2.0), doc="ride heights are held below this before the maps"
    )
    frame: Literal["road", "chassis"] = choice("road", doc="frame in which velocity and forces are taken")
    in_statics: bool = choice(False, doc="act during the search for equilibrium")
    wind: Wind = part({}, doc="wind")

    # -- the model ---------------------------------------------------------------------------------

    @derived("-", doc="of the air over that of the data", low=0.0, at="unit")
    def density_ratio(self, place: UnitPlace) -> float:
        return self.air_density / self.reference_density

    @derived("m", doc="from the origin of its body", label="front_sensor", at="unit")
    def front_point(self, place: UnitPlace) -> Array:
        return _sensor(self.front_sensor, place, 0)

    @derived("m", doc="from the origin of its body", label="rear_sensor", at="unit")
    def rear_point(self, place: UnitPlace) -> Array:
        return _sensor(self.rear_sensor, place, -1)

    def groups(self, place: Place) -> Iterator[tuple[str, Data]]:
        for name in FORCES if isinstance(place, UnitPlace) else ():
            item = getattr(self, name)
            if item is not None:
                yield f"aero.{name}", item

    def at_rest(self, options: Statics, place: Place) -> dict[str, float]:
        return {} if self.in_statics else {"active": 0.0}

    def connect(self, at: UnitModel, p: Symbols) -> None:
        active = p.constant("active", 1.0, "-", "0 without air, as in the search for equilibrium", low=0.0)
        density = active * p.density_ratio
        chassis = at.chassis
        wind = chassis.from_world([p.wind.x, p.wind.y, p.wind.z])
        ahead: list[Any] = [1.0, 0.0, 0.0]
        up: list[Any] = [0.0, 0.0, 1.0]
        if self.frame == "road":
            up = list(at.ground.under(chassis, [0.0, 0.0, 0.0]).normal)
            flat = [1 - up[0] * up[0], -up[0] * up[1], -up[0] * up[2]]  # chassis x without its part along the normal
            length = (flat[0] ** 2 + flat[1] ** 2 + flat[2] ** 2) ** 0.5
            ahead = [f / length for f in flat]
        heights = []
        for name, point in (("front", p.front_point), ("rear", p.rear_point)):
            height = at.ground.under(chassis, point).height
            at.channel(f"aero_forces.height_{name}", height, "m", "of the sensor above the road")
            if self.ride_height_min is not None:
                height = fmax(height, p.ride_height_min)
            if self.ride_height_max is not None:
                height = fmin(height, p.ride_height_max)
            heights.append(height)
        for name, direction in (("drag", [-a for a in ahead]), ("front_downforce", None), ("rear_downforce", None)):
            item: AeroForce | None = getattr(self, name)
            if item is None or not item.active:
                continue
            own = at.symbols(item, f"aero.{name}")
            place = own.place
            air = [v - w for v, w in zip(chassis.point_velocity(place), wind, strict=True)]
            ratio = (air[0] * ahead[0] + air[1] * ahead[1] + air[2] * ahead[2]) / p.reference_velocity
            squared = ratio * fabs(ratio) if name == "drag" else ratio * ratio  # drag turns round with the air
            force = own.scale * density * (own.at_reference(*heights) + own.shift) * squared
            time = own.smoothing_time
            grown = if_else(time > 0, clip(at.system.time / fmax(time, 1e-9), 0.0, 1.0), 1.0)
            force = force * grown * grown * (3 - 2 * grown)
            force = at.vehicle.through(
                force, "N", "built-in aerodynamic forces", flag="Subsystem_Activation.Internal_Aero_Activity"
            )
            at.system.force(chassis, [force * a for a in direction or [-n for n in up]], at=place)
            channel = "drag_force" if name == "drag" else name
            at.channel(f"aero_forces.{channel}", force, "N", "drag rearwards, downforce downwards")
        self._added(at, p, ahead, up)

    def _added(self, at: UnitModel, p: Symbols, ahead: list[Any], up: list[Any]) -> None:
        """Forces and moments that the run adds."""
        axes = (ahead, cross(up, ahead), up)

        def given(names: list[str], unit: str, doc: str) -> list[Any] | None:
            found = [at.vehicle.outside(f"Aerodynamic.{name}", unit, doc, "added") for name in names]
            if all(value is None for value in found):
                return None
            turned: list[Any] = [0.0, 0.0, 0.0]
            for value, axis in zip(found, axes, strict=True):
                if value is not None:
                    turned = [t + value * a for t, a in zip(turned, axis, strict=True)]
            return turned

        usual = {"front": "front_point", "rear": "rear_point"}
        for word, name in POINTS.items():
            doc = f"force of the air at the {word} point, x forward, y to the left, z upwards"
            force = given([f"f{axis}_{word}" for axis in "xyz"], "N", doc)
            if force is not None:
                item: AeroForce | None = getattr(self, name)
                place = getattr(p, usual[word]) if item is None else at.symbols(item, f"aero.{name}").place
                at.system.force(at.chassis, force, at=place)
        moment = given(["mx", "my", "mz"], "N.m", "moment of the air on the body")
        if moment is not None:
            at.system.torque(at.chassis, moment)


FORCES = ("drag", "front_downforce", "rear_downforce")
# points of added forces: where the built-in ones act, or the sensors of axles without one
POINTS = {"front": "front_downforce", "rear": "rear_downforce", "center": "drag"}


def _sensor(given: Point | None, place: UnitPlace, axle: int) -> Array:
    """Where a ride height is measured, from the origin of the body: as given, or in the middle of an axle."""
    if given is not None:
        return place.local(given.array)
    centre = place.axles[axle].wheels[0].centre
    return place.local(np.array([centre[0], 0.0, centre[2]]))
