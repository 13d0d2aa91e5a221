"""Steering release (free control, ISO 17288-1): in a steady turn the hand wheel is let go.

From then on it moves by itself, I θ̈ + b θ̇ = T, under the torque that the road sends back through the steering. Does the
car come to rest by itself? Yaw rate, lateral acceleration and steering wheel angle return to zero, perhaps with
oscillation. With the extremes x₁, x₂ … on alternating sides after the release and the value x₀ at it:

    overshoot        |x₁| / |x₀|
    damping ratio    from the ratio of successive extremes (logarithmic decrement)
    settling time    from release until |x| stays below 5 % of |x₀|
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from jounce.core.fields import quantity
from jounce.events.library.step_steer import StepSteer
from jounce.results.figures import Figures
from jounce.results.key_figures.common import Array, settling_time, steady
from jounce.results.key_figures.free_control import BAND, Free, after_release, of_release, put_decay
from jounce.results.kinds import Kind
from jounce.results.run import Run
from jounce.results.words import PARTS, capital

WHAT = "steering release"
WORDS = {
    f"release_{part}_{what}": capital(f"{PARTS[part]} after release: {what}")
    for part in ("yaw_rate", "ay", "steering")
    for what in ("overshoot", "damping", "frequency", "settling", "rest")
}
FIRST = ("release_yaw_rate_overshoot", "release_yaw_rate_damping", "release_yaw_rate_settling")


# --- key figures -----------------------------------------------------------------------------------------------------


def steering_release(
    time: Array,
    release: float,
    *,
    yaw_rate: Array | None = None,
    lateral_acceleration: Array | None = None,
    steering: Array | None = None,
) -> Figures:
    """Return the key figures after the steering wheel was let go at ``release`` (s).

    Returns
    -------
    For each of yaw_rate, ay, steering: release_<name>_overshoot (%), release_<name>_damping (1),
    release_<name>_frequency (Hz), release_<name>_settling (s), release_<name>_rest (its value at the end)
    """
    given = {"yaw_rate": yaw_rate, "ay": lateral_acceleration, "steering": steering}
    return after_release(WHAT, time, release, given, lambda figures, free: _measure(figures, free, time, release))


def _measure(figures: Figures, free: Free, time: Array, release: float) -> None:
    """One signal, from its value at the release."""
    name, t, x, key = free.name, free.time, free.values, f"release_{free.name}"
    before = float(np.interp(release, time, free.whole))
    if abs(before) <= 1e-9:
        figures.missing([f"{key}_settling"], "s", f"{WHAT}: {name} is zero at the release")
        return
    span = min(1.0, 0.2 * float(t[-1] - t[0]))
    rest = steady(t, x, (float(t[-1]) - span, float(t[-1])), scale=before)
    figures.put(f"{key}_rest", float(x[-1]) / free.per, free.unit)
    if not rest.ok:
        why = f"{WHAT}: {name} is {rest.why} at the end"
        figures.missing([f"{key}_settling"], "s", why)
        figures.missing([f"{key}_damping"], "-", why)
        figures.missing([f"{key}_overshoot"], "%", why)
        return
    level = rest.value if abs(rest.value) < BAND * abs(before) else 0.0
    figures.put(f"{key}_settling", settling_time(t, x, level, BAND * abs(before), release), "s")
    # an extreme on the side of the release value that comes before the first change of sign belongs to the release
    least = max(4.0 * rest.spread, 5e-3 * abs(before))
    turned = np.flatnonzero((x - level) * math.copysign(1.0, before) < -least)
    if len(turned) == 0:
        figures.put(f"{key}_overshoot", 0.0, "%")
        figures.missing([f"{key}_damping"], "-", f"{WHAT}: {name} returns without oscillation")
        figures.missing([f"{key}_frequency"], "Hz", f"{WHAT}: {name} returns without oscillation")
        return
    crossed = np.flatnonzero((x[: int(turned[0])] - level) * before >= 0)
    first = int(crossed[-1]) + 1 if len(crossed) else 0
    over = float(np.max(np.abs(x[first:] - level)))
    figures.put(f"{key}_overshoot", 100.0 * over / abs(before), "%")
    begin = max(first - 1, 0)
    put_decay(figures, WHAT, key, name, t[begin:], x[begin:], level, rest.spread)


def of_run(run: Run) -> Figures:
    """Key figures of a run whose event has a ``steer_release_time``."""
    return of_release(run, WHAT, steering_release, "steer_release_time", "release_time")


# --- the event -------------------------------------------------------------------------------------------------------


class SteeringRelease(StepSteer):
    """A turn is entered with a step, held until it is steady, and the hand wheel let go."""

    kind: ClassVar[str] = "steering-release"
    title: ClassVar[str] = "Steering release"
    standard: ClassVar[str] = "ISO 17288-1"
    results: ClassVar[Kind] = Kind((of_run,), words=WORDS, first=FIRST)
    presets: ClassVar[dict[str, dict[str, Any]]] = {"iso": {}}

    end_time: float = quantity("s", 10.0, gt=0, typical=(1e-3, 7200.0), doc="end of the run")
    lateral_acceleration: float = quantity(
        "m/s2", 2.0, typical=(0.05, 60.0), doc="to find the amplitude for; negative turns right"
    )
    rate: float = quantity("rad/s", math.radians(100), gt=0, typical=(0.05, 35.0), doc="speed of the hand wheel")
    release_time: float | None = quantity("s", 5.0, gt=0, typical=(1e-3, 7200.0), doc="when the hand wheel is let go")
