"""Swept steer: a sine whose frequency grows, for the frequency response (ISO 7401)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pydantic import model_validator

from jounce.core.fields import problem, quantity
from jounce.events.base import Steered
from jounce.results.key_figures import frequency
from jounce.results.kinds import Kind
from jounce.results.panels import USUAL, responses
from jounce.runtime.program import Sweep

if TYPE_CHECKING:
    from jounce.events.start import Start


class SweptSteer(Steered):
    """δ = δ0 + A sin(2π(f0 τ + ½ r τ²)), the frequency growing by r per second from the first to the last.

    It ends after a whole number of cycles, so that the hand wheel comes to rest where it began: the last frequency is
    reached to within one cycle.
    """

    kind: ClassVar[str] = "swept-steer"
    title: ClassVar[str] = "Swept steer"
    standard: ClassVar[str] = "ISO 7401, ISO 14793, frequency response"
    results: ClassVar[Kind] = Kind((frequency.of_run,), (responses(), *USUAL), frequency.WORDS, frequency.FIRST)
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "iso": {},
        "trucks": {"speed": 80 / 3.6, "amplitude": math.radians(40), "last_frequency": 2.0},  # ISO 14793
        "vi": {
            "speed": 5.0, "end_time": 41.0, "amplitude": math.radians(10), "first_frequency": 0.1,
            "last_frequency": 4.0, "frequency_rate": 0.1,
        },
    }  # fmt: skip

    end_time: float = quantity("s", 42.0, gt=0, typical=(1e-3, 7200.0), doc="end of the run")
    amplitude: float = quantity("rad", math.radians(12), typical=(0.0, 8.0), doc="of the hand wheel angle")
    first_frequency: float = quantity("Hz", 0.1, ge=0, typical=(0.005, 30.0), doc="at the start")
    last_frequency: float = quantity("Hz", 4.0, gt=0, typical=(0.005, 30.0), doc="at the end")
    frequency_rate: float = quantity("Hz/s", 0.1, gt=0, typical=(1e-3, 30.0), doc="growth of the frequency")
    phase: float = quantity("rad", 0.0, typical=(0.0, 6.3), doc="of the sine at the start")

    @model_validator(mode="after")
    def _grows(self) -> Self:
        if self.last_frequency <= self.first_frequency:
            raise problem(f"must be above first_frequency ({self.first_frequency:g} Hz)", "last_frequency")
        return self

    def reference(self, start: Start) -> Any:
        first, rate = self.first_frequency, self.frequency_rate
        duration = (self.last_frequency - first) / rate
        cycles = math.floor(first * duration + 0.5 * rate * duration * duration)
        if cycles >= 1:
            duration = (math.sqrt(first * first + 2 * rate * cycles) - first) / rate
        return Sweep(
            self.amplitude,
            first,
            first + rate * duration,
            duration,
            self.phase,
            self.initial_steer,
            delay=self.start_time,
        )
