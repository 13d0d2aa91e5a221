"""Steering pulse (free control, ISO 17288-2): straight ahead the hand wheel is pulled aside and let go.

From then on it moves by itself, as in the steering release. Do car and hand wheel come to rest, and how fast? With the
largest value x̂ after the release and the value x∞ to which it comes,

    peak            x̂, with its sign
    damping ratio   from the ratio of successive extremes about x∞ (logarithmic decrement)
    settling time   from release until |x − x∞| stays below 5 % of |x̂|                                            (1)
    rest            x∞
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import model_validator

from jounce.core.fields import quantity
from jounce.core.units import parse
from jounce.events.base import Steered
from jounce.results.figures import Figures
from jounce.results.key_figures.common import Array, settling_time, steady
from jounce.results.key_figures.free_control import BAND, Free, after_release, of_release, put_decay
from jounce.results.kinds import Kind
from jounce.results.run import Run
from jounce.results.words import PARTS, capital
from jounce.runtime.program import Ramp

if TYPE_CHECKING:
    from jounce.events.start import Start

WHAT = "steering pulse"
REST = 1.0  # s, at the end, over which a signal must rest
WORDS = {
    f"pulse_{part}_{what}": capital(f"{PARTS[part]} after a pulse: {what}")
    for part in ("yaw_rate", "ay", "steering")
    for what in ("peak", "damping", "frequency", "settling", "rest")
}
FIRST = ("pulse_yaw_rate_damping", "pulse_yaw_rate_settling", "pulse_steering_settling")


# --- key figures -----------------------------------------------------------------------------------------------------


def steering_pulse(
    time: Array,
    release: float,
    *,
    yaw_rate: Array | None = None,
    lateral_acceleration: Array | None = None,
    steering: Array | None = None,
) -> Figures:
    """Return the key figures after the hand wheel was let go at ``release`` (s).

    Returns
    -------
    For each of yaw_rate, ay, steering: pulse_<name>_peak, _damping (1), _frequency (Hz), _settling (s), _rest
    """
    given = {"yaw_rate": yaw_rate, "ay": lateral_acceleration, "steering": steering}
    return after_release(WHAT, time, release, given, lambda figures, free: _measure(figures, free, release))


def _measure(figures: Figures, free: Free, release: float) -> None:
    """One signal, from its largest value on."""
    name, t, x, key = free.name, free.time, free.values, f"pulse_{free.name}"
    top = int(np.argmax(np.abs(x)))
    largest = float(x[top])
    figures.put(f"{key}_peak", largest / free.per, free.unit)
    rest = steady(t, x, (float(t[-1]) - REST, float(t[-1])), scale=largest)
    if largest == 0.0 or not rest.ok:
        why = f"{WHAT}: {name} is {rest.why or 'zero'} at the end"
        for what, told in (("damping", "-"), ("frequency", "Hz"), ("settling", "s"), ("rest", free.unit)):
            figures.missing([f"{key}_{what}"], told, why)
        return
    figures.put(f"{key}_rest", rest.value / free.per, free.unit)
    figures.put(f"{key}_settling", settling_time(t, x, rest.value, BAND * abs(largest), release), "s")  # (1)
    begin = max(top - 1, 0)
    put_decay(figures, WHAT, key, name, t[begin:], x[begin:], rest.value, rest.spread)


def of_run(run: Run) -> Figures:
    """Key figures of a run."""
    return of_release(run, WHAT, steering_pulse, "release_time")


# --- the event -------------------------------------------------------------------------------------------------------


class SteeringPulse(Steered):
    """Straight ahead the hand wheel is pulled aside and let go; do car and hand wheel come to rest?"""

    kind: ClassVar[str] = "steering-pulse"
    title: ClassVar[str] = "Steering pulse, free control"
    standard: ClassVar[str] = "ISO 17288-2"
    results: ClassVar[Kind] = Kind((of_run,), words=WORDS, first=FIRST)
    presets: ClassVar[dict[str, dict[str, Any]]] = {"iso": {}}

    end_time: float = quantity("s", 8.0, gt=0, typical=(1e-3, 7200.0), doc="end of the run")
    amplitude: float = quantity(
        "rad", math.radians(30), typical=(0.02, 3.0), doc="by which the hand wheel is pulled; negative to the right"
    )
    rise: float = quantity("s", 0.2, gt=0, typical=(0.02, 2.0), doc="in which it is pulled")
    release_time: float | None = quantity(
        "s", 1.2, gt=0, typical=(1e-3, 7200.0), doc="when it is let go; absent: at the end of the pull"
    )

    @model_validator(mode="before")
    @classmethod
    def _let_go_at_the_peak(cls, raw: Any) -> Any:
        if not isinstance(raw, Mapping) or raw.get("release_time") is not None:
            return raw
        numbers = [raw.get(name, cls.model_fields[name].default) for name in ("start_time", "rise")]
        start, rise = (parse(value, "s", name) for value, name in zip(numbers, ("start_time", "rise"), strict=True))
        return {**raw, "release_time": start + rise}

    def reference(self, start: Start) -> Any:
        return Ramp(self.initial_steer + self.amplitude, self.rise, start=self.initial_steer, delay=self.start_time)
