"""Steering by maps, and the steering axis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
from pydantic import model_validator

from jounce.core.curves import Curve, CurveUnits
from jounce.core.fields import Data, choice, curve, hidden, part, problem, quantity
from jounce.vehicle.basics import (
    Point,
    Side,
    Subsystem,
)
from jounce.vehicle.suspension import KinematicMap


class SteerMap(Data):
    """An angle of the carrier over the steering input:  q = scale · curve(u[; J])."""

    over: Literal["rad", "m"] = hidden("rad", doc="unit of the input u, set by the steering")
    curve: Curve = curve("rad", "rad", z="m", doc="over u, or u and own travel", flat=True)
    scale: float = quantity("-", 1.0, doc="factor on the curve")
    right: SteerMap | None = part(None, doc="what differs on the right side")

    @classmethod
    def expand(cls, raw: Any) -> Any:
        return KinematicMap.expand(raw)

    @classmethod
    def curve_units(cls, name: str, raw: Mapping[str, Any]) -> CurveUnits:
        return replace(super().curve_units(name, raw), x=str(raw.get("over", "rad")))


class SteerLengthMap(SteerMap):
    """A displacement of the wheel centre over the steering input."""

    curve: Curve = curve("rad", "m", z="m", doc="over u, or u and own travel", flat=True)
    right: SteerLengthMap | None = part(None, doc="what differs on the right side")


class Kingpin(Data):
    """The steering axis, for torques: values, or maps over the steering input u and travel J."""

    over: Literal["rad", "m"] = hidden("rad", doc="unit of the input u, set by the steering")
    caster: Curve = curve("rad", "rad", z="m", constant="value", doc="lean of the axis, top rearwards")
    inclination: Curve = curve("rad", "rad", z="m", constant="value", doc="lean of the axis, top inwards")
    x: Curve = curve("rad", "m", z="m", constant="value", doc="a point of the axis, from the wheel centre at design")
    y: Curve = curve("rad", "m", z="m", constant="value", doc="the same, to the left; mirrored on the right")
    z: Curve = curve("rad", "m", z="m", constant="value", doc="the same, upwards")
    right: Kingpin | None = part(None, doc="what differs on the right side")

    @classmethod
    def curve_units(cls, name: str, raw: Mapping[str, Any]) -> CurveUnits:
        return replace(super().curve_units(name, raw), x=str(raw.get("over", "rad")))


class TieRod(Data):
    """Ends of a tie rod at design, each from the wheel centre at design, axes of the vehicle."""

    outer: Point = part(doc="on the wheel carrier")
    inner: Point = part(doc="on the rack")
    right: TieRod | None = part(None, doc="what differs on the right side")

    @model_validator(mode="after")
    def _opposite(self) -> Self:
        for name in ("outer", "inner") if self.right is not None else ():
            left, right = getattr(self, name).y, getattr(self.right, name).y
            if left * right > 0:
                raise problem(f"{right!r} m: on the same side of its wheel as the left one ({left!r} m)", "right", name)
        return self


class Feedback(Data):
    """What the driver feels of the loads on the wheels, and by which way it is found."""

    over: Literal["rad", "m"] = hidden("rad", doc="unit of the input u, set by the steering")
    method: Literal["virtual_work", "kingpin", "tie_rods", "maps"] | None = choice(
        None,
        doc="kingpin: moments about the given axes; virtual_work: all loads through the motion that the maps give the "
        "carriers at locked travel; tie_rods: kingpin moments through the rods; maps: torque and rack_force. Absent: "
        "kingpin where the axes are given, else virtual_work",
    )
    inertia_terms: bool = choice(False, doc="inertia forces of carriers and wheels count, too")
    tie_rod: TieRod | None = part(None, doc="for tie_rods")
    tie_rod_force: Curve | None = curve(
        "N.m", "N", None, z="m",
        doc="along y on the left end of the rack, over moment about the kingpin (and rack travel); mirrored on the "
        "right; takes the place of other ways",
    )  # fmt: skip
    torque: Curve | None = curve(
        "N.m", "N.m", None, z="rad",
        doc="torque the hand needs over sum of kingpin moments (and u), positive to the left",
    )  # fmt: skip
    rack_force: Curve | None = curve(
        "N.m", "N", None, z="rad", doc="force the rack needs over sum of kingpin moments (and u), along y"
    )
    servo_scaling: Curve | None = curve("m/s", "-", None, constant="value", doc="factor on the torque over speed")

    @classmethod
    def curve_units(cls, name: str, raw: Mapping[str, Any]) -> CurveUnits:
        found = super().curve_units(name, raw)
        return replace(found, z=str(raw.get("over", "rad"))) if name in ("torque", "rack_force") else found

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.method == "tie_rods" and self.tie_rod is None:
            raise problem("missing; needed for method: tie_rods", "tie_rod")
        if self.method == "maps" and self.torque is None and self.rack_force is None:
            raise problem("method: maps needs torque or rack_force", "method")
        return self


class Column(Data):
    """Wind-up of the column over the sum of the moments about the kingpins."""

    wind_up: Curve = curve("N.m", "rad", doc="hand wheel angle added; to the left where the moment turns to the left")
    lag: float = quantity("s", 0.005, gt=0, doc="delay of the wind-up")


class Release(Data):
    """A hand wheel that can be let go:  I θ̈ + b θ̇ = torque of the steering."""

    inertia: float = quantity("kg.m2", 0.02, gt=0, doc="of hand wheel and column, I")
    damping: float = quantity("N.m.s/rad", 0.0, ge=0, doc="b")


class Steering(Subsystem):
    """From the hand wheel to the wheels by maps over the input u (hand wheel angle or rack travel) and travel J."""

    input: Literal["wheel_angle", "rack_travel"] = choice("wheel_angle", doc="the input u of the maps")
    rack_travel: Curve | None = curve("rad", "m", None, doc="rack travel over hand wheel angle")
    gear_ratio_scale: float = quantity("-", 1.0, gt=0, doc="divides the hand wheel angle before the maps")
    method: Literal["toe_table", "steer_map"] = choice(
        "toe_table", doc="toe_table: steer(u) with the toe of the suspension; steer_map: steer(u; J) alone"
    )
    steer: SteerMap = part(doc="steer at ground over u, or u and J; positive to the left")
    camber: SteerMap | None = part(None, doc="camber over u, or u and J")
    side_view_angle: SteerMap | None = part(None, doc="side-view angle over u, or u and J")
    x: SteerLengthMap | None = part(None, doc="displacement of the wheel centre, forward")
    y: SteerLengthMap | None = part(None, doc="displacement of the left wheel centre, to the left")
    steering_dependent_wheel_location: bool = choice(
        False, doc="x and y of the wheel centre from these maps, not from the suspension"
    )
    kingpin: Kingpin | None = part(None, doc="steering axis")
    kingpin_axis: Literal["given", "motion"] = choice(
        "given", doc="given: by kingpin, where it is there; motion: the axis about which the maps turn the carrier"
    )
    feedback: Feedback = part({}, doc="forces of the steering")
    column: Column | None = part(None, doc="compliant column")
    release: Release | None = part(None, doc="a hand wheel that can be let go")

    @classmethod
    def expand(cls, raw: Any) -> Any:
        """Tell the maps what they are over."""
        if not isinstance(raw, Mapping):
            return raw
        over = "m" if raw.get("input") == "rack_travel" else "rad"
        kinds: dict[str, type[Data]] = {
            **dict.fromkeys(STEERING_MAPS, SteerMap),
            "kingpin": Kingpin,
            "feedback": Feedback,
        }
        data = {"feedback": {}, **raw}  # also one that nobody mentions is over this input
        for name, kind in kinds.items():
            found = kind.expand(data.get(name))
            if isinstance(found, Mapping):
                data[name] = {**found, "over": over}
        return data

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.input == "rack_travel" and self.rack_travel is None:
            raise problem("missing; needed for input: rack_travel", "rack_travel")
        if self.rack_travel is not None and self.rack_travel.monotonic == 0:
            raise problem("must strictly rise or fall with the hand wheel angle", "rack_travel")
        if self.method == "toe_table" and self.steer.curve.n_axes == 2:
            raise problem(
                "two axes; method: toe_table takes steer(u) only, method: steer_map also steer(u; J)", "steer"
            )
        if self.method == "toe_table" and self.steer.right is not None and self.steer.right.curve.n_axes == 2:
            raise problem("two axes; method: toe_table takes steer(u) only", "steer", "right")
        if self.steering_dependent_wheel_location:
            for name in ("x", "y"):
                if getattr(self, name) is None:
                    raise problem("missing; needed for steering_dependent_wheel_location", name)
        over = "m" if self.input == "rack_travel" else "rad"
        for name in (*STEERING_MAPS, "kingpin", "feedback"):
            found = getattr(self, name)
            if name == "feedback" and not (found.torque or found.rack_force):
                continue
            if found is not None and found.over != over:
                raise problem(f"a map over an input in {found.over}, but input: {self.input} is in {over}", name)
        self._check_feedback()
        return self

    def _check_feedback(self) -> None:
        found = self.feedback
        if found.method == "kingpin" and (self.kingpin is None or self.kingpin_axis == "motion"):
            raise problem("method: kingpin needs a given kingpin", "feedback")
        if self.release is not None and found.inertia_terms:
            raise problem("a free hand wheel moves by the torque without inertia_terms", "release")
        if self.rack_travel is None:
            for name, needed in (
                ("tie_rod", found.method == "tie_rods"),
                ("tie_rod_force", found.tie_rod_force is not None),
                ("rack_force", found.rack_force is not None),
            ):
                if needed:
                    raise problem(f"missing; needed for feedback: {name}", "rack_travel")

    @property
    def feedback_method(self) -> Literal["virtual_work", "kingpin", "tie_rods", "maps"]:
        """The way from loads to the hand wheel, chosen or usual."""
        if self.feedback.method is not None:
            return self.feedback.method
        return "virtual_work" if self.kingpin is None or self.kingpin_axis == "motion" else "kingpin"

    def tie_rod_on(self, side: Side) -> TieRod | None:
        """Return the tie rod of one side; on the right, unless given, as in a mirror."""
        found = self.feedback.tie_rod
        if found is None or side == "L":
            return found
        if found.right is not None:
            return found.right
        ends = {n: p.model_copy(update={"y": -p.y}) for n, p in (("outer", found.outer), ("inner", found.inner))}
        return found.model_copy(update=ends)

    def map(self, name: str, side: Side) -> SteerMap | None:
        """Return a map of one side.

        Unless it is given for the right side, the right wheel does as the left one in a mirror: x, camber and side-view
        angle are those of the left wheel at −u; steer and y likewise, with the opposite sign.
        """
        found: SteerMap | None = getattr(self, name)
        if found is None or side == "L":
            return found
        if found.right is not None:
            return found.right
        return found.model_copy(update={"curve": mirrored(found.curve, -1.0 if name in ("steer", "y") else 1.0)})

    def kingpin_on(self, side: Side) -> Kingpin | None:
        """Return the steering axis of one side; on the right, unless given, as in a mirror."""
        found = self.kingpin
        if found is None or side == "L":
            return found
        if found.right is not None:
            return found.right
        names = ("caster", "inclination", "x", "y", "z")
        return found.model_copy(
            update={name: mirrored(getattr(found, name), -1.0 if name == "y" else 1.0) for name in names}
        )


STEERING_MAPS = ("steer", "camber", "side_view_angle", "x", "y")


def mirrored(found: Curve, sign: float) -> Curve:
    """Return sign · curve(−u; J)."""
    if found.constant is not None:
        factor = -sign if found.units.constant == "rate" else sign
        return found.scaled(factor)
    values = np.flip(found.values, axis=0).reshape(-1) * sign + 0.0
    return replace(found, x=tuple(-u + 0.0 for u in reversed(found.x)), y=tuple(float(value) for value in values))
