"""Ramp steer: the hand wheel is turned slowly and evenly at constant speed (ISO 4138, slowly increasing steer)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from jounce.core.fields import quantity
from jounce.events.base import Steered, safety_ends
from jounce.results.key_figures import steady_state
from jounce.results.kinds import Kind
from jounce.results.panels import USUAL, over
from jounce.runtime.program import End, Ramp, Stop, When

if TYPE_CHECKING:
    from jounce.events.start import Start

# also of the other ways to drive through steady states
RESULTS = Kind(
    (steady_state.of_run,),
    (
        over("lateral_acceleration", "steering", "side_slip", "roll", "hand_torque"),
        over("steering", "lateral_acceleration", "hand_torque"),
        *USUAL,
    ),
    steady_state.WORDS,
    steady_state.FIRST,
)


class RampSteer(Steered):
    """Hand wheel angle growing evenly until the time is over, the angle is reached or the car slides."""

    kind: ClassVar[str] = "ramp-steer"
    title: ClassVar[str] = "Ramp steer"
    standard: ClassVar[str] = "ISO 4138, constant speed"
    results: ClassVar[Kind] = RESULTS
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "iso": {},
        "sis": {"speed": 80 / 3.6, "slope": math.radians(13.5)},
        "vi": {"speed": 5.0, "end_time": 10.0, "slope": math.radians(10), "duration": 1.0, "side_slip_end": 3.0},
    }

    end_time: float = quantity("s", 30.0, gt=0, typical=(1e-3, 7200.0), doc="end of the run")
    slope: float = quantity(
        "rad/s", math.radians(10), typical=(0.0, 6.0), doc="speed of the hand wheel; negative turns right"
    )
    duration: float | None = quantity("s", None, gt=0, typical=(1e-3, 7200.0), doc="of the ramp; absent: until the end")
    side_slip_end: float = quantity(
        "rad", math.radians(15), gt=0, typical=(0.0, 3.2), doc="side slip at which the run ends"
    )

    def reference(self, start: Start) -> Any:
        duration = self.duration if self.duration is not None else self.end_time - self.start_time
        to = self.initial_steer + self.slope * duration
        return Ramp(to, duration, start=self.initial_steer, delay=self.start_time)

    def ends(self) -> list[End]:
        slides = End(When("Vehicle.Side_Slip_Angle", "abs>", self.side_slip_end), then=Stop("side slip reached"))
        return [*safety_ends()[:1], slides]
