"""Straight acceleration: full throttle, or a wanted acceleration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from jounce.core.fields import flag, quantity
from jounce.events.base import Driven, safety_ends
from jounce.events.straight import straight_ahead
from jounce.runtime.program import Constant, End, Feedback, Open, Phase, Program, Ramp, Rate, Stop, When

if TYPE_CHECKING:
    from jounce.events.engine import Start


class StraightAcceleration(Driven):
    """Throttle ramp (open loop), or an acceleration tracked by the throttle."""

    kind: ClassVar[str] = "straight-acceleration"
    title: ClassVar[str] = "Straight acceleration"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "iso": {},
        "vi": {"speed": 5.0, "end_time": 120.0, "open_loop": False, "acceleration": 10.0, "final_speed": 70.0},
    }

    speed: float = quantity("m/s", 0.0, ge=0, doc="speed at the start")
    end_time: float = quantity("s", 60.0, gt=0, doc="end of the run, at the latest")
    start_time: float = quantity("s", 0.5, ge=0, doc="when the throttle opens")
    open_loop: bool = flag(True, doc="throttle by a ramp; otherwise the acceleration is tracked")
    ramp_time: float = quantity("s", 0.2, gt=0, doc="of the throttle")
    throttle: float = quantity("-", 1.0, ge=0, le=1, doc="demand after the ramp")
    acceleration: float = quantity("m/s2", 3.0, gt=0, doc="to be tracked in closed loop")
    final_speed: float = quantity("m/s", 105 / 3.6, gt=0, doc="at which the run ends")
    steer: float = quantity("rad", 0.0, doc="hand wheel angle when not driving straight")
    straight_line: bool = flag(True, doc="steer to stay on the line; otherwise hold the hand wheel")

    def program(self, start: Start) -> Program:
        steering = straight_ahead(self, start)
        ends = [End(When("chassis_velocities.longitudinal", ">=", self.final_speed), then=Stop("final speed reached"))]
        waiting = Phase("wait", [*steering, *self.pedals(start)], duration=max(self.start_time, 1e-3))
        throttle: Any
        if self.open_loop:
            throttle = Open("throttle", Ramp(self.throttle, self.ramp_time))
        else:
            throttle = Feedback(
                "throttle",
                "chassis_velocities.longitudinal",
                Rate(self.acceleration, start=self.speed),
                kp=start.throttle_per_acceleration / 0.2,
                ki=start.throttle_per_acceleration / 0.2,
                feedforward=start.throttle + start.throttle_per_acceleration * self.acceleration,
                low=0.0,
                high=1.0,
            )
        go = Phase(
            "accelerate",
            [*steering, throttle, Open("brake", Constant(0.0))],
            duration=self.end_time - self.start_time,
            ends=[*safety_ends(), *ends],
        )
        return Program(waiting, go)
