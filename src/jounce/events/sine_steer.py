"""Sine steer: the hand wheel follows a lasting sine."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from jounce.core.fields import quantity
from jounce.events.base import Steered
from jounce.runtime.program import Sine

if TYPE_CHECKING:
    from jounce.events.engine import Start


class SineSteer(Steered):
    """δ = δ0 + A sin(2πf (t − start) + φ) from the start on."""

    kind: ClassVar[str] = "sine-steer"
    title: ClassVar[str] = "Sine steer"
    standard: ClassVar[str] = "ISO 7401, sine"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "iso": {},
        "vi": {"speed": 5.0, "end_time": 10.0, "amplitude": math.radians(30), "frequency": 0.5},
    }

    end_time: float = quantity("s", 12.0, gt=0, doc="end of the run")
    amplitude: float = quantity("rad", math.radians(15), doc="of the hand wheel angle")
    frequency: float = quantity("Hz", 0.5, gt=0, doc="of the sine")
    phase: float = quantity("rad", 0.0, doc="of the sine at the start")
    cycles: float = quantity("-", 0.0, ge=0, doc="number of cycles; 0: to the end")

    def reference(self, start: Start) -> Any:
        return Sine(
            self.amplitude, self.frequency, self.phase, self.initial_steer, delay=self.start_time, cycles=self.cycles
        )
