"""Drop: the car falls on its wheels from a height; the way it comes to rest shows ride frequency and damping.

Frequency and damping are told from successive extremes of body height (and pitch) about the final value; see `decay`
of the key figures. A car with a damping ratio above about 0.6 shows too few of them: nan, with a warning.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from jounce.core.fields import quantity
from jounce.events.base import Event
from jounce.results.figures import Figures
from jounce.results.key_figures.common import DEGREE, Array, decay, settling_time, sound, steady, unsound
from jounce.results.kinds import Kind
from jounce.results.run import Run
from jounce.runtime.program import Constant, Open, Phase, Program

if TYPE_CHECKING:
    from jounce.events.start import Start

BAND = 0.05
WORDS = {
    "heave_frequency": "Heave: frequency",
    "heave_damping": "Heave: damping ratio",
    "heave_settling": "Heave: settling time (5 %)",
    "heave_overshoot": "Heave: overshoot",
    "heave_fall": "Height of the fall",
    "pitch_rest": "Pitch at rest",
}
FIRST = ("heave_frequency", "heave_damping")


# --- key figures -----------------------------------------------------------------------------------------------------


def drop(time: Array, height: Array, *, pitch: Array | None = None, start: float = -math.inf) -> Figures:
    """Return the key figures of a drop.

    Parameters
    ----------
    time, height : s, m (body); pitch : rad
    start : s, when the car is let go

    Returns
    -------
    heave_frequency (Hz, damped), heave_damping (1), heave_settling (s, to 5 % of the fall), heave_overshoot (%),
    heave_fall (mm), pitch_rest (deg)
    """
    figures = Figures()
    rows = time >= start
    t, z = time[rows], height[rows]
    names = ("heave_frequency", "Hz"), ("heave_damping", "-"), ("heave_settling", "s"), ("heave_overshoot", "%")
    why = unsound(t, z, least=10)
    if why:
        for name, unit in names:
            figures.missing([name], unit, f"drop: {why}")
        return figures
    fall = float(np.ptp(z))
    span = 0.2 * float(t[-1] - t[0])
    rest = steady(t, z, (float(t[-1]) - span, float(t[-1])), scale=fall)
    if fall == 0.0 or not rest.ok:
        for name, unit in names:
            figures.missing([name], unit, f"drop: body height is {rest.why or 'constant'}")
        return figures
    fallen = float(z[0]) - rest.value
    figures.put("heave_fall", 1e3 * fallen, "mm")
    begin = int(np.argmax((z - rest.value) * math.copysign(1.0, fallen) < 0)) if fallen else 0
    found = decay(t[max(begin - 1, 0) :], z[max(begin - 1, 0) :], rest.value, rest.spread)
    figures.put("heave_frequency", found.frequency, "Hz")
    figures.put("heave_damping", found.damping, "-")
    if math.isnan(found.damping):
        figures.warn("drop: too few extremes of body height for frequency and damping")
    figures.put("heave_settling", settling_time(t, z, rest.value, BAND * abs(fallen), float(t[0])), "s")
    under = float(np.max(-(z - rest.value) * math.copysign(1.0, fallen))) if fallen else math.nan
    figures.put("heave_overshoot", 100.0 * max(under, 0.0) / abs(fallen) if fallen else math.nan, "%")
    if sound(figures, "drop", pitch=pitch) and pitch is not None:
        figures.put("pitch_rest", float(pitch[-1]) / DEGREE, "deg")
    return figures


def of_run(run: Run) -> Figures:
    """Key figures of a run."""
    start = run.number("start_time", "s")
    return drop(run.time, run.signal("height"), **run.given("pitch"), start=-math.inf if math.isnan(start) else start)


# --- the event -------------------------------------------------------------------------------------------------------


class Drop(Event):
    """From rest in equilibrium, lifted by a height, released with free or braked wheels."""

    kind: ClassVar[str] = "drop"
    title: ClassVar[str] = "Drop"
    results: ClassVar[Kind] = Kind((of_run,), words=WORDS, first=FIRST)
    presets: ClassVar[dict[str, dict[str, Any]]] = {"iso": {}}

    speed: float = quantity("m/s", 0.0, ge=0, le=0, doc="always 0")
    end_time: float = quantity("s", 4.0, gt=0, typical=(1e-3, 7200.0), doc="end of the run")
    height: float = quantity("m", 0.05, ge=0, typical=(0.0, 2.0), doc="of the lift above the static position")

    def program(self, start: Start) -> Program:
        start.lift(self.height)
        channels = [
            Open("steering_wheel", Constant(0.0)),
            Open("throttle", Constant(0.0)),
            Open("brake", Constant(0.0)),
        ]
        return Program(Phase("fall", channels, duration=self.end_time))
