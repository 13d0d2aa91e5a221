"""Aerodynamics by the table of a wind tunnel: six coefficients over the yaw angle of the flow.

With the speed U through the air in the plane of the road and q = ½ ρ A U²,

    drag = q C_D(β),   side = q C_S(β),   lift = q C_L(β)                                                          (1)
    M_x  = q L C_R(β),   M_y = q L C_P(β),   M_z = q L C_Y(β)       about the reference point                      (2)

β is the side slip through the air: positive where the car moves to its left, so that the air comes from the left.
Tables are in axes of the car, as balances give them. With ``signs: iso`` drag is rearwards, side to the left, lift
upwards, roll right side down, pitch nose down, yaw nose to the left. With ``signs: sae`` side is to the right, pitch
nose up, yaw nose to the right, the senses of [SAEJ1594]: its revision of 2010 turned x and z round, to rearwards and
upwards, and says that the senses of forces and moments stay; so do its reference point and its length, (2) and (3). A
positive yaw angle of the tunnel turns the nose to the right, which is the same β. Instead of lift and pitch, lift at
both axles may be given:

    C_L = C_LF + C_LR,   C_P = −(C_LF − C_LR)/2        with L the wheelbase, about the middle between the axles     (3)

these act at the axles. The reference point is usually on the ground, in the middle between the axles; all points move
with the body.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from jounce.components.aero.air import MOMENTS, Flow, PointedAir
from jounce.components.basics import Array, Point
from jounce.components.model import UnitModel
from jounce.components.part import Symbols, derived
from jounce.components.places import UnitPlace
from jounce.core.curves import Curve
from jounce.core.fields import choice, curve, part, problem, quantity

TURNED = {"iso": {}, "sae": {"side": -1.0, "pitch": -1.0, "yaw": -1.0}}


def _over_yaw(doc: str, default: Any = None) -> Any:
    doc = f"{doc}, over yaw"
    return curve("rad", "-", default, constant="value", how="held", typical=(0.0, 10.0), reach=(0.01, 3.2), doc=doc)


class WindTunnelAero(PointedAir):
    """Six components by coefficients over the yaw angle, as a wind tunnel gives them."""

    family: ClassVar[str] = "aero"

    kind: Literal["wind_tunnel"] = choice("wind_tunnel", doc="kind of model")
    frontal_area: float = quantity("m2", gt=0, typical=(0.3, 12.0), doc="area of the coefficients")
    reference_length: float | None = quantity(
        "m", None, presence=False, gt=0, typical=(0.5, 20.0), doc="length of the moments; absent: the wheelbase"
    )
    front_location: Point | None = part(  # type: ignore[assignment]
        None, doc="where front lift acts, and what a run adds in front; absent: on the ground, middle of the front axle"
    )
    rear_location: Point | None = part(  # type: ignore[assignment]
        None, doc="where rear lift acts, and what a run adds there; absent: on the ground, middle of the rear axle"
    )
    center_location: Point | None = part(  # type: ignore[assignment]
        None, doc="reference point of the balance; absent: on the ground, in the middle between the axles"
    )
    signs: Literal["iso", "sae"] = choice("iso", doc="positive directions of the table")
    drag: Curve = _over_yaw("C_D", ...)
    side: Curve | None = _over_yaw("C_S")
    lift: Curve | None = _over_yaw("C_L; or give front_lift and rear_lift")
    front_lift: Curve | None = _over_yaw("C_LF, lift at the front axle")
    rear_lift: Curve | None = _over_yaw("C_LR, lift at the rear axle")
    roll: Curve | None = _over_yaw("C_R")
    pitch: Curve | None = _over_yaw("C_P; not beside front_lift and rear_lift")
    yaw: Curve | None = _over_yaw("C_Y")
    pitch_compensation: bool = choice(False, doc="not here: the table has the pitch moment about its point")
    side_arm: Literal["compensate", "manual", "none"] = choice(
        "none", doc="not here: the table has the roll moment about its point"
    )

    @model_validator(mode="after")
    def _lifts(self) -> Self:
        axles = (self.front_lift is not None, self.rear_lift is not None)
        if any(axles) and not all(axles):
            raise problem("missing; give front_lift and rear_lift, or lift", "rear_lift" if axles[0] else "front_lift")
        for name in ("lift", "pitch"):
            if all(axles) and getattr(self, name) is not None:
                raise problem("stands beside front_lift and rear_lift; keep one of both", name)
        if self.pitch_compensation or self.side_arm != "none":
            raise problem("a wind tunnel's moments need no compensation", "pitch_compensation")
        if (
            self.drs is not None
            and not any(axles)
            and (self.drs.front_downforce, self.drs.rear_downforce) != (1.0, 1.0)
        ):
            raise problem("its factors on downforce need front_lift and rear_lift", "drs")
        for name in (f"{word}ride_height_{end}" for word in ("", "front_", "rear_") for end in ("min", "max")):
            if getattr(self, name) is not None:
                raise problem("does nothing here: the table is over yaw only", name)
        return self

    @derived("m", doc="length of the moments", low=0.0, at="unit")
    def length(self, place: UnitPlace) -> float:
        return place.axles[0].x - place.axles[-1].x if self.reference_length is None else self.reference_length

    @derived("m", doc="from the origin of its body", label="front_location", at="unit")
    def front_place(self, place: UnitPlace) -> Array:
        return _local(self.front_location, place, place.axles[0].x)

    @derived("m", doc="from the origin of its body", label="rear_location", at="unit")
    def rear_place(self, place: UnitPlace) -> Array:
        return _local(self.rear_location, place, place.axles[-1].x)

    @derived("m", doc="from the origin of its body", label="center_location", at="unit")
    def center_place(self, place: UnitPlace) -> Array:
        return _local(self.center_location, place, 0.5 * (place.axles[0].x + place.axles[-1].x))

    def components(self, at: UnitModel, p: Symbols, flow: Flow) -> dict[str, Any]:
        squared = flow.speed * flow.speed + flow.across * flow.across
        q = 0.5 * p.air_density * p.frontal_area * squared
        turned: dict[str, float] = TURNED[self.signs]

        def found(name: str) -> Any:
            value = getattr(p, name)(flow.side_slip)
            return turned[name] * value if name in turned else value

        result = {"center_drag": q * found("drag")}
        if self.side is not None:
            result["center_side"] = q * found("side")
        result |= {name: q * p.length * found(name) for name in MOMENTS if getattr(self, name) is not None}
        if self.front_lift is not None:
            result |= {f"{word}_downforce": -q * found(f"{word}_lift") for word in ("front", "rear")}  # (3)
        if self.lift is not None:
            result["center_downforce"] = -q * found("lift")
        return result

    def still_drag(self, place: UnitPlace, speeds: Array, heights: tuple[float, float]) -> Array:
        change = self.modifiers.center_drag
        cd = self.drag(0.0, method=place.settings.splines.method, extrapolation="flat")
        force = 0.5 * self.air_density * self.frontal_area * cd * speeds**2
        drag: Array = change.scale * (force + change.shift)
        return drag


def _local(given: Point | None, place: UnitPlace, x: float) -> Array:
    """A point from the origin of the body: as given, or on the ground in the middle plane."""
    return place.local(np.array([x, 0.0, 0.0]) if given is None else given.array)
