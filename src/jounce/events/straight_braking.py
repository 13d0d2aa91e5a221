"""Straight braking (ISO 21994): a stop from speed, by pedal or at a wanted deceleration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from jounce.core.fields import flag, quantity
from jounce.events.base import Driven, safety_ends
from jounce.events.straight import straight_ahead
from jounce.runtime.program import End, Feedback, Open, Phase, Program, Ramp, Rate, Stop, When

if TYPE_CHECKING:
    from jounce.events.engine import Start

STANDSTILL = 0.1  # m/s
HOLD = 0.2  # s


class StraightBraking(Driven):
    """Brake pedal ramp (open loop), or a deceleration tracked by the pedal; ends at standstill."""

    kind: ClassVar[str] = "straight-braking"
    title: ClassVar[str] = "Straight braking"
    standard: ClassVar[str] = "ISO 21994"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "iso": {},
        "vi": {"speed": 25.0, "end_time": 10.0, "ramp_time": 1.0, "brake": 1.0},
    }

    end_time: float = quantity("s", 20.0, gt=0, doc="end of the run, at the latest")
    start_time: float = quantity("s", 1.0, ge=0, doc="when the brake is applied")
    open_loop: bool = flag(True, doc="pedal by a ramp; otherwise the deceleration is tracked")
    ramp_time: float = quantity("s", 0.15, gt=0, doc="of the pedal")
    brake: float = quantity("-", 1.0, ge=0, le=1, doc="demand after the ramp")
    deceleration: float = quantity("m/s2", 4.0, gt=0, doc="to be tracked in closed loop")
    steer: float = quantity("rad", 0.0, doc="hand wheel angle when not driving straight")
    straight_line: bool = flag(True, doc="steer to stay on the line; otherwise hold the hand wheel")

    def program(self, start: Start) -> Program:
        steering = straight_ahead(self, start)
        still = [
            When(f"chassis_velocities.{way}", "abs<", STANDSTILL, hold=HOLD) for way in ("longitudinal", "lateral")
        ]
        stopped = End(still, then=Stop("standstill"))
        waiting = Phase("wait", [*steering, *self.pedals(start)], duration=max(self.start_time, 1e-3))
        pedal: Any
        if self.open_loop:
            pedal = Open("brake", Ramp(self.brake, self.ramp_time))
        else:
            pedal = Feedback(
                "brake",
                "chassis_velocities.longitudinal",
                Rate(-self.deceleration, start=self.speed),
                kp=-start.brake_per_deceleration / 0.2,
                ki=-start.brake_per_deceleration / 0.2,
                feedforward=start.brake_per_deceleration * self.deceleration,
                low=0.0,
                high=1.0,
            )
        stop = Phase(
            "brake",
            [*steering, Open("throttle", Ramp(0.0, 0.1)), pedal],
            duration=self.end_time - self.start_time,
            ends=[*safety_ends(), stopped],
        )
        return Program(waiting, stop)
