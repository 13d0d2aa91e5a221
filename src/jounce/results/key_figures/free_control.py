"""After a hand wheel was let go (ISO 17288-1, -2): what the figures of both ways of letting go have in common.

Yaw rate, lateral acceleration and hand wheel angle come to rest by themselves, or do not. Which signals are looked at,
from when on, and what is said where one is missing stands here; what is made of them belongs to the events.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from jounce.results.figures import Figures
from jounce.results.key_figures.common import DEGREE, Array, decay, sound
from jounce.results.run import Run

BAND = 0.05  # of the value that a signal settles to
ROWS = 10
SIGNALS = {"yaw_rate": ("deg/s", DEGREE), "ay": ("m/s2", 1.0), "steering": ("deg", DEGREE)}


class Free(NamedTuple):
    """A signal from the release on."""

    name: str
    time: Array
    values: Array
    whole: Array  # all rows
    unit: str
    per: float  # SI per unit


def after_release(
    what: str, time: Array, release: float, given: Mapping[str, Array | None], measure: Callable[[Figures, Free], None]
) -> Figures:
    """Figures of every signal that is there, by ``measure``; ``what`` the event is called in warnings."""
    figures = Figures()
    rows = time >= release
    if np.count_nonzero(rows) < ROWS:
        figures.warn(f"{what}: too little is recorded after the release")
        return figures
    for name, (unit, per) in SIGNALS.items():
        signal = given.get(name)
        if signal is not None and sound(figures, what, **{name: signal}):
            measure(figures, Free(name, time[rows], signal[rows], signal, unit, per))
    return figures


def put_decay(figures: Figures, what: str, key: str, name: str, t: Array, x: Array, rest: float, spread: float) -> None:
    """Damping ratio and frequency from the extremes about the rest."""
    found = decay(t, x, rest, spread)
    figures.put(f"{key}_damping", found.damping, "-")
    figures.put(f"{key}_frequency", found.frequency, "Hz")
    if math.isnan(found.damping):
        figures.warn(f"{what}: {name} has too few extremes for a damping ratio")


def of_release(run: Run, what: str, function: Callable[..., Figures], *parameters: str) -> Figures:
    """Figures of a run by the first of the parameters of its event that says when the hand wheel was let go."""
    times = [run.number(name, "s") for name in parameters]
    release = next((t for t in times if not math.isnan(t)), math.nan)
    if math.isnan(release):
        figures = Figures()
        figures.warn(f"{what}: the event has no release time")
        return figures
    return function(run.time, release, **run.given("yaw_rate", "lateral_acceleration", "steering"))
