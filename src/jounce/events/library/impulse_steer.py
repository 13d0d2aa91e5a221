"""Impulse steer: the hand wheel is turned and turned back at once (ISO 7401)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from jounce.core.fields import quantity
from jounce.events.base import Steered
from jounce.results.key_figures import frequency
from jounce.results.kinds import Kind
from jounce.results.panels import USUAL, responses
from jounce.runtime.program import FromTable

if TYPE_CHECKING:
    from jounce.events.start import Start


class ImpulseSteer(Steered):
    """Two cubic steps, up to the amplitude at half the duration and back."""

    kind: ClassVar[str] = "impulse-steer"
    title: ClassVar[str] = "Impulse steer"
    standard: ClassVar[str] = "ISO 7401, pulse"
    results: ClassVar[Kind] = Kind((frequency.of_run,), (responses(), *USUAL), frequency.WORDS, frequency.FIRST)
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "iso": {},
        "vi": {"speed": 5.0, "end_time": 10.0, "amplitude": math.radians(30), "duration": 1.0},
    }

    end_time: float = quantity(
        "s", 12.0, gt=0, typical=(1e-3, 7200.0), doc="end of the run; long enough for low frequencies"
    )
    amplitude: float = quantity(
        "rad", math.radians(40), typical=(0.0, 8.0), doc="largest hand wheel angle, from the initial one"
    )
    duration: float = quantity("s", 0.4, gt=0, typical=(0.01, 60.0), doc="of the pulse")

    def reference(self, start: Start) -> Any:
        from jounce.core.tables import Table

        n = 64
        tau = [k / n for k in range(n + 1)]
        rise = [3 * x * x - 2 * x**3 for x in tau]
        half = self.duration / 2
        t = [0.0, self.start_time / 3, 2 * self.start_time / 3] if self.start_time > 0 else []  # flat before
        y = [0.0] * len(t)
        t += [self.start_time + half * x for x in tau] + [self.start_time + half * (1 + x) for x in tau[1:]]
        y += rise + [1 - x for x in rise[1:]]
        values = [self.initial_steer + self.amplitude * v for v in y]
        return FromTable(Table([t], values, method="akima", extrapolation="flat"))
