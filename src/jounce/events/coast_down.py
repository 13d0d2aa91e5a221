"""Coast-down: from a speed without drive or brakes, for the road load."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from jounce.core.fields import flag, quantity
from jounce.events.base import Event, safety_ends
from jounce.events.straight import straight_ahead
from jounce.runtime.program import Constant, End, Open, Phase, Program, Stop, When

if TYPE_CHECKING:
    from jounce.events.engine import Start


class CoastDown(Event):
    """Rolling freely until a speed or the end of the time."""

    kind: ClassVar[str] = "coast-down"
    title: ClassVar[str] = "Coast-down"
    standard: ClassVar[str] = "ISO 10521, SAE J1263"
    presets: ClassVar[dict[str, dict[str, Any]]] = {"iso": {}}

    speed: float = quantity("m/s", 130 / 3.6, gt=0, doc="speed at the start")
    end_time: float = quantity("s", 300.0, gt=0, doc="end of the run, at the latest")
    end_speed: float = quantity("m/s", 15 / 3.6, ge=0, doc="at which the run ends")
    steer: float = quantity("rad", 0.0, doc="hand wheel angle when not driving straight")
    straight_line: bool = flag(True, doc="steer to stay on the line; otherwise hold the hand wheel")

    def program(self, start: Start) -> Program:
        slow = End(When("chassis_velocities.longitudinal", "<=", self.end_speed), then=Stop("end speed reached"))
        channels = [*straight_ahead(self, start), Open("throttle", Constant(0.0)), Open("brake", Constant(0.0))]
        return Program(Phase("coast", channels, duration=self.end_time, ends=[*safety_ends(), slow]))
