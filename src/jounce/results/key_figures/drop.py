"""Drop: a car let fall from its lifted position; the way it comes to rest shows ride frequency and damping.

Frequency and damping are told from successive extremes of body height (and pitch) about the final value; see
`common.decay`. A car with a damping ratio above about 0.6 shows too few of them: nan, with a warning.
"""

from __future__ import annotations

import math

import numpy as np

from jounce.results.figures import Figures
from jounce.results.key_figures.common import DEGREE, Array, decay, settling_time, sound, steady, unsound
from jounce.results.run import Run

BAND = 0.05


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
