"""Sine steer: the hand wheel follows a lasting sine; gain and phase at its frequency."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from jounce.core.fields import quantity
from jounce.events.base import Steered
from jounce.results.figures import Figures
from jounce.results.key_figures.frequency import sine_response
from jounce.results.kinds import Kind
from jounce.results.run import Run
from jounce.runtime.program import Sine

if TYPE_CHECKING:
    from jounce.events.start import Start


def of_run(run: Run) -> Figures:
    """Gain and phase at the frequency of a lasting sine."""
    figures = Figures()
    frequency, start = run.number("frequency", "Hz"), run.number("start_time", "s")
    if math.isnan(frequency):
        figures.warn("sine steer: the event has no parameter 'frequency'")
        return figures
    begin = float(run.time[0]) if math.isnan(start) else start
    named = (("yaw_rate", "yaw_rate", "1/s"), ("ay", "lateral_acceleration", "m/s2/rad"), ("roll", "roll", "-"))
    for name, signal, unit in named:
        if run.has_signal(signal):
            h = sine_response(run.time, run.signal("steering"), run.signal(signal), frequency, begin)
            figures.put(f"{name}_gain", abs(h), unit)
            figures.put(f"{name}_phase", math.degrees(math.atan2(h.imag, h.real)), "deg")
    return figures


class SineSteer(Steered):
    """δ = δ0 + A sin(2πf (t − start) + φ) from the start on."""

    kind: ClassVar[str] = "sine-steer"
    title: ClassVar[str] = "Sine steer"
    standard: ClassVar[str] = "ISO 7401, ISO 14793, sine"
    results: ClassVar[Kind] = Kind((of_run,))
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "iso": {},
        "trucks": {"speed": 80 / 3.6, "amplitude": math.radians(45), "frequency": 0.4},  # ISO 14793
        "vi": {"speed": 5.0, "end_time": 10.0, "amplitude": math.radians(30), "frequency": 0.5},
    }

    end_time: float = quantity("s", 12.0, gt=0, typical=(1e-3, 7200.0), doc="end of the run")
    amplitude: float = quantity("rad", math.radians(15), typical=(0.0, 8.0), doc="of the hand wheel angle")
    frequency: float = quantity("Hz", 0.5, gt=0, typical=(0.005, 30.0), doc="of the sine")
    phase: float = quantity("rad", 0.0, typical=(0.0, 6.3), doc="of the sine at the start")
    cycles: float = quantity("-", 0.0, ge=0, doc="number of cycles; 0: to the end")

    def reference(self, start: Start) -> Any:
        return Sine(
            self.amplitude, self.frequency, self.phase, self.initial_steer, delay=self.start_time, cycles=self.cycles
        )
