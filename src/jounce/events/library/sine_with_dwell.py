"""Sine with dwell, after FMVSS 126 and UN R140: does the car recover, and did it move aside.

    BOS   beginning of steer: the steering wheel passes 5 degrees
    COS   completion of steer: it is back at zero after the dwell
    yaw-rate ratio      |ψ̇(COS + 1.00 s)| and |ψ̇(COS + 1.75 s)| over the largest |ψ̇| after the steering has reversed
    displacement        of the centre of gravity across its first direction at BOS + 1.07 s

Pass: ratios of at most 35 % and 20 %, and, from five times the angle for 0.3 g on, a displacement of at least 1.83 m
(1.52 m above 3500 kg). Signals are low-passed at 6 Hz, the steering wheel angle at 10 Hz, without phase shift.
"""

from __future__ import annotations

import math

import numpy as np

from jounce.results.figures import Figures
from jounce.results.key_figures.common import DEGREE, Array, sound, unsound
from jounce.results.kinds import Kind, declare
from jounce.results.run import Run
from jounce.results.signals import crossing, low_pass

BEGIN = 5 * DEGREE
LIMITS = {1.00: 35.0, 1.75: 20.0}  # s after COS: %
DISPLACEMENT = {True: 1.83, False: 1.52}  # m, up to and above 3500 kg
HEAVY = 3500.0  # kg

WORDS = {
    "yaw_rate_ratio_1_00": "Yaw rate ratio at COS + 1.00 s",
    "yaw_rate_ratio_1_75": "Yaw rate ratio at COS + 1.75 s",
    "lateral_displacement": "Lateral displacement at BOS + 1.07 s",
    "steering_amplitude": "Amplitude of the steering wheel",
    "swd_pass": "Sine with dwell passed (1) or failed (0)",
}
FIRST = ("yaw_rate_ratio_1_00", "yaw_rate_ratio_1_75", "lateral_displacement")


def sine_with_dwell(
    time: Array,
    steering: Array,
    yaw_rate: Array,
    *,
    x: Array | None = None,
    y: Array | None = None,
    mass: float = math.nan,
    amplitude_ratio: float = math.nan,
    filtered: bool = True,
) -> Figures:
    """Return the key figures of one sine with dwell.

    Parameters
    ----------
    time, steering, yaw_rate : s, rad at the steering wheel, rad/s
    x, y : m, position of the centre of gravity; displacement is across the direction of motion at the start
    mass : kg, gross; amplitude_ratio : amplitude over the angle for 0.3 g. Both decide about the displacement
    filtered : low-pass the signals first; needs a uniform time base

    Returns
    -------
    yaw_rate_ratio_1_00, yaw_rate_ratio_1_75 (%), lateral_displacement (m), yaw_rate_peak (deg/s), steering_amplitude
    (deg), swd_pass (1 or 0; nan when it cannot be told)
    """
    figures = Figures()
    why = unsound(time, steering, yaw_rate, least=20)
    if why:
        figures.missing(["yaw_rate_ratio_1_00", "yaw_rate_ratio_1_75"], "%", f"sine with dwell: {why}")
        return figures
    if filtered:
        nyquist = 0.5 / float(np.median(np.diff(time)))
        if nyquist > 12.0:
            steering, yaw_rate = low_pass(time, steering, 10.0, 6), low_pass(time, yaw_rate, 6.0, 6)
        else:
            figures.warn("sine with dwell: sampled too slowly for the filters of the rule; not filtered")
    names = ["yaw_rate_ratio_1_00", "yaw_rate_ratio_1_75"]
    amplitude = float(np.max(np.abs(steering)))
    figures.put("steering_amplitude", amplitude / DEGREE, "deg")
    first = float(steering[int(np.argmax(np.abs(steering) > 0.5 * amplitude))])
    side = math.copysign(1.0, first)
    wheel = side * steering
    begin = crossing(time, wheel, min(BEGIN, 0.2 * amplitude), rising=True)
    reverse = crossing(time, wheel, 0.0, after=begin, rising=False) if not math.isnan(begin) else math.nan
    lowest = time[int(np.argmin(wheel))]
    # the last quarter of the sine ends at zero and does not pass it: 1 % of the amplitude counts as there
    done = crossing(time, wheel, -0.01 * amplitude, after=float(lowest), rising=True)
    if math.isnan(begin) or math.isnan(reverse) or math.isnan(done):
        figures.missing(names, "%", "sine with dwell: the steering wheel does not make a sine with dwell")
        return figures
    after = time >= reverse
    top = float(np.max(-side * yaw_rate[after]))
    figures.put("yaw_rate_peak", top / DEGREE, "deg/s")
    if top <= 0.0:
        figures.missing(names, "%", "sine with dwell: the yaw rate does not follow the reversal of the steering")
        return figures
    passed: float = 1.0
    for (wait, limit), name in zip(LIMITS.items(), names, strict=True):
        if done + wait > time[-1]:
            figures.missing([name], "%", f"sine with dwell: the record ends before COS + {wait:.2f} s")
            passed = math.nan
            continue
        ratio = 100.0 * abs(float(np.interp(done + wait, time, yaw_rate))) / top
        figures.put(name, ratio, "%")
        passed = 0.0 if ratio > limit and not math.isnan(passed) else passed
    place = sound(figures, "sine with dwell", x=x, y=y)
    if len(place) == 2 and begin + 1.07 <= time[-1]:
        x, y = place["x"], place["y"]
        k = int(np.searchsorted(time, begin))
        k = max(k, 1)
        heading = math.atan2(float(y[k] - y[max(k - 5, 0)]), float(x[k] - x[max(k - 5, 0)]))
        dx, dy = (float(np.interp(begin + 1.07, time, p)) - float(np.interp(begin, time, p)) for p in (x, y))
        aside = side * (dy * math.cos(heading) - dx * math.sin(heading))
        figures.put("lateral_displacement", aside, "m")
        if not math.isnan(mass) and not math.isnan(amplitude_ratio):
            needed = DISPLACEMENT[mass <= HEAVY]
            if amplitude_ratio >= 5.0 and aside < needed and not math.isnan(passed):
                passed = 0.0
        else:
            figures.warn(
                "sine with dwell: displacement not judged; mass or amplitude over the 0.3 g angle is not known"
            )
    figures.put("swd_pass", passed, "-")
    return figures


def of_run(run: Run) -> Figures:
    """Key figures of a run."""
    position = run.given("x", "y")
    return sine_with_dwell(
        run.time,
        run.signal("steering"),
        run.signal("yaw_rate"),
        **position,
        mass=run.quantity("gross_mass"),
        amplitude_ratio=run.number("gain", "-"),
    )


declare("sine_with_dwell", Kind((of_run,), words=WORDS, first=FIRST))
