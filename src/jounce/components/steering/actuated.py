"""Wheels of an axle that actuators steer, each by its own: rear steering.

The maps are those of a steering over rack travel, with the travel of the wheel's own actuator in its place; an
independent axle takes them instead of its own, a dependent one adds them. Travels come through the ports
``Rear_Steering_Actuator_Disp.str_swa.left`` and ``….right``, in m to the left, from a run or from a controller. What an
actuator must hold is the load of its wheel by

    F_y = -M_K k̂·∂ω/∂ṡ                                                                                          (1)

with the moment about the axis that the maps turn the carrier about, or the one that is given (``feedback`` (2)); the
tie rod, where its ends are given, has the force along it that bears M_K (``feedback`` (5)). The turn about that axis
that is told is k̂·∂ω/∂ṡ s, of the axis where the wheel is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, Self

from pydantic import model_validator

from jounce.components.model import AxleModel
from jounce.components.part import Symbols
from jounce.components.places import Place, WheelPlace
from jounce.components.steering import feedback
from jounce.components.steering.steering import Linkage, Steering
from jounce.core.fields import Data, hidden, problem
from jounce.symbolic.ops import dot

PORT = "Rear_Steering_Actuator_Disp.str_swa"
TOLD = "Rear_Steering_System"
NOT_HERE = ("rack_travel", "column", "release", "rack_pinion", "recirculating_ball", "elements", "attachments")


class ActuatedSteering(Steering):
    """Wheels steered by actuators: maps over the travel of each wheel's own one."""

    input: Literal["rack_travel"] = hidden("rack_travel", doc="the input u of the maps: travel of an actuator")

    @classmethod
    def expand(cls, raw: Any) -> Any:
        return super().expand({**raw, "input": "rack_travel"}) if isinstance(raw, Mapping) else raw

    def _check_feedback(self) -> None:
        """A rack is not needed: travels are given."""

    def _check_rack(self) -> None:
        """The same."""

    @model_validator(mode="after")
    def _only_maps(self) -> Self:
        for name in NOT_HERE:
            if getattr(self, name) is not None:
                raise problem("belongs to a steering with a hand wheel", name)
        return self

    def groups(self, place: Place) -> Iterator[tuple[str, Data]]:
        if isinstance(place, WheelPlace) and place.axle.data.actuators is self and self.feedback.tie_rod is not None:
            yield f"{place.name}.tie_rod", self.rod_at(place)

    def frames(self, at: AxleModel, p: Symbols) -> None:
        for wheel in at.wheels:
            side = "left" if wheel.place.side == "L" else "right"
            given = at.vehicle.outside(f"{PORT}.{side}", "m", f"travel of the {side} actuator", "added", rate=True)
            travel = 0.0 if given is None else given
            wheel.actuator = at.system.calls.alias(f"{wheel.place.prefix}actuator", [travel])[0]

    def close(self, at: AxleModel, p: Symbols) -> None:
        channel, total = at.channel, 0.0
        for wheel in at.wheels:
            word = feedback.side_word(wheel)
            side_name = word.lower()
            travel = wheel.actuator
            linkage = Linkage(None, travel, 1.0, travel)
            side = feedback.side_of(wheel, self, linkage)
            turn = dot(side.axis, side.turn)
            total = total + side.moment
            channel(f"{TOLD}.Kingpin_Moment.{side_name}", side.moment, "N.m", "about the axis, upwards")
            force = {"Y": -side.moment * turn}  # (1)
            if self.feedback.tie_rod is not None:
                pull, direction = feedback.rod_force(wheel, self, linkage, side)
                force = {axis: -pull * d for axis, d in zip("XYZ", direction, strict=True)}
            for axis, value in force.items():
                channel(f"{TOLD}.Rear_TieRod_Force_{word}.{axis}", value, "N", "that holds the wheel, body axes")
            channel(f"{TOLD}.Steering_Instant_Axis_Rotation.{side_name}", turn * travel, "rad", "about the axis")
            channel(f"{TOLD}.actuator_displacement.{side_name}", travel, "m", "of the actuator, to the left")
            rate = at.system.time_derivative(travel)
            channel(f"{TOLD}.actuator_velocity.{side_name}", rate, "m/s", "its speed")
        channel(f"{TOLD}.Kingpin_Moment.total", total, "N.m", "left plus right")
