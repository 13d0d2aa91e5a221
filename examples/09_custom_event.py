"""An event of one's own: a slow sine whose amplitude is found for 3 m/s². Expected: its peak is that within 5 %."""

from typing import ClassVar

import jounce as jn
from jounce.core.fields import quantity
from jounce.events.library.sine_steer import SineSteer
from jounce.events.library.step_steer import StepSteer, find_amplitude
from jounce.results.figures import Figures
from jounce.results.kinds import Kind


def peaks(run: jn.Run) -> Figures:
    """The largest lateral acceleration beside what was asked for."""
    found = float(abs(run.signal("lateral_acceleration")).max())
    return Figures({"ay_peak": (found, "m/s2"), "ay_target": (run.number("target", "m/s2"), "m/s2")})


class SineAt(SineSteer):
    """A sine of the hand wheel with the amplitude that a steady turn needs for a lateral acceleration."""

    kind: ClassVar[str] = "sine-at"
    title: ClassVar[str] = "Sine at a lateral acceleration"
    results: ClassVar[Kind] = Kind((peaks,), first=("ay_peak", "ay_target"))

    frequency: float = quantity("Hz", 0.2, gt=0, doc="of the sine")
    end_time: float = quantity("s", 11.0, gt=0, doc="end of the run")
    target: float = quantity("m/s2", 3.0, gt=0, doc="lateral acceleration of the steady turn")

    def prepared(self, start):
        turn = StepSteer(speed=self.speed, lateral_acceleration=self.target, friction=self.friction)
        return self.changed(amplitude=find_amplitude(turn, start, self.target))


run = jn.run(jn.load("sedan"), SineAt(speed="80 km/h"))
peak, target = (run.kpis[name][0] for name in ("ay_peak", "ay_target"))
print(f"peak {peak:.2f} m/s², asked for {target:.2f}, hand wheel {run.parameter('amplitude'):.3f} rad")
assert run.complete and abs(peak / target - 1) < 0.05
