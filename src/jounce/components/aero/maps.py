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

from jounce.components.aero.air import FLAG, SIGNS, Air, ForceModifier, Wind, grown, tell_balance
from jounce.components.basics import Array, Point
from jounce.components.model import UnitModel
from jounce.components.part import Symbols, attribute, derived
from jounce.components.places import Place, UnitPlace
from jounce.core.curves import Curve
from jounce.core.fields import Data, choice, curve, one_of, part, quantity
from jounce.symbolic.frames import cross
from jounce.symbolic.ops import fabs

__all__ = ["Aero", "AeroForce", "Crosswind", "Wind"]


class AeroForce(ForceModifier):
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


class Crosswind(Data):
    """What a body feels of air that comes from the side: with the angle β between, per frontal area and wheelbase,

    C_S = −s sin β,   C_Y = −½ n sin 2β
    """

    frontal_area: float = quantity("m2", gt=0, typical=(0.8, 10.0), doc="area of both")
    side_slope: float = quantity("1/rad", ge=0, typical=(0.5, 6.0), doc="of the side force, s")
    yaw_slope: float = quantity("1/rad", typical=(0.0, 2.0), doc="of the yaw moment, n")


class Aero(Air):
    """Drag and downforce over speed and ride heights."""

    kind: Literal["standard"] = choice("standard", doc="kind of model")
    reference_density: float = quantity("kg/m3", 1.2, gt=0, typical=(0.4, 2.0), doc="air density of the data")
    reference_velocity: float = quantity("m/s", 30.0, gt=0, typical=(3.0, 120.0), doc="speed of the data")
    drag: AeroForce = part(doc="drag, rearwards")
    front_downforce: AeroForce | None = part(None, doc="downforce in front, downwards")
    rear_downforce: AeroForce | None = part(None, doc="downforce at the rear, downwards")
    crosswind: Crosswind | None = part(
        None, doc="side force and yaw moment of the body in the wind of an event (side-wind); no part of other runs"
    )
    pitch_compensation: bool = choice(
        False, doc="a moment as large as drag times its arm: the drag acts as if it were at the road"
    )

    # -- the model ---------------------------------------------------------------------------------

    @derived("-", doc="of the air over that of the data", low=0.0, at="unit")
    def density_ratio(self, place: UnitPlace) -> float:
        return self.air_density / self.reference_density

    def groups(self, place: Place) -> Iterator[tuple[str, Data]]:
        if not isinstance(place, UnitPlace):
            return
        for name in FORCES:
            item = getattr(self, name)
            if item is not None:
                yield f"{place.own}aero.{name}", item

    def still_drag(self, place: UnitPlace, speeds: Array, heights: tuple[float, float]) -> Array:
        if not self.drag.active:
            return np.zeros(len(speeds))
        reference: Curve = attribute(self.drag, "at_reference", place).value
        force = reference.constant if reference.constant is not None else reference(*heights[: reference.n_axes])
        scale = self.drag.scale * self.air_density / self.reference_density
        drag: Array = scale * (force + self.drag.shift) * (speeds / self.reference_velocity) ** 2
        return drag

    def connect(self, at: UnitModel, p: Symbols) -> None:
        density = self.active(p) * p.density_ratio
        chassis = at.chassis
        everywhere = self.wind_at(at, p, None) if self.wind.profile is None else None
        ahead, up = self.axes(at)
        heights = self.heights(at, p)
        done: dict[str, Any] = {}
        for name, direction in (("drag", [-a for a in ahead]), ("front_downforce", None), ("rear_downforce", None)):
            item: AeroForce | None = getattr(self, name)
            if item is None or not item.active:
                continue
            own = at.symbols(item, f"aero.{name}")
            place = own.place
            wind = self.wind_at(at, p, place) if everywhere is None else everywhere
            air = [v - w for v, w in zip(chassis.point_velocity(place), wind, strict=True)]
            ratio = (air[0] * ahead[0] + air[1] * ahead[1] + air[2] * ahead[2]) / p.reference_velocity
            squared = ratio * fabs(ratio) if name == "drag" else ratio * ratio  # drag turns round with the air
            force = own.scale * density * (own.at_reference(*heights) + own.shift) * squared
            force = grown(at, force, own.smoothing_time)
            opened = self.opened(at, p, name)
            force = force if opened is None else opened * force
            force = at.vehicle.through(force, "N", "built-in aerodynamic forces", flag=FLAG)
            at.system.force(chassis, [force * a for a in direction or [-n for n in up]], at=place)
            channel = "drag_force" if name == "drag" else name
            at.channel(f"aero_forces.{channel}", force, "N", "drag rearwards, downforce downwards")
            done[name] = force
        self.add(at, ahead, up, {word: self._point(at, p, word) for word in POINTS})
        p.kept |= {"axes": (ahead, up), "done": done}
        if self.pitch_compensation:
            arm = self.arm(at, p, self._point(at, p, "center"))
            torque = done.get("drag", 0.0) * arm
            at.system.torque(chassis, [torque * e for e in cross(up, ahead)])
            at.channel("aero_forces.drag_torque", torque, "N.m", SIGNS["pitch"])

    def _point(self, at: UnitModel, p: Symbols, word: str) -> Any:
        """Where forces act: where the built-in ones do, or the sensors of axles without one."""
        item: AeroForce | None = getattr(self, POINTS[word])
        return getattr(p, f"{word}_point") if item is None else at.symbols(item, f"aero.{POINTS[word]}").place

    def tell(self, at: UnitModel, p: Symbols) -> None:
        centre = self._point(at, p, "center")
        self.tell_motion(at, self.motion(at, p, centre, *p.kept["axes"]))
        at.channel("aero_forces.drag_arm", self.arm(at, p, centre), "m", "height over the road at which the drag acts")
        front, rear = (p.kept["done"].get(f"{word}_downforce", 0.0) for word in ("front", "rear"))
        tell_balance(at, front, front + rear)


FORCES = ("drag", "front_downforce", "rear_downforce")
# points of added forces: where the built-in ones act
POINTS = {"front": "front_downforce", "rear": "rear_downforce", "center": "drag"}
