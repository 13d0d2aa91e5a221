"""Step steer, after ISO 7401: how quickly and how steadily a car answers to the steering wheel.

Time zero is when the steering wheel has made half of its step. With Δ the change of a signal from before the step to
the steady state:

    response time t90     time zero to the first 90 % of Δ
    peak time             time zero to the largest value
    overshoot             (peak − Δ) / Δ
    gain                  Δ of the signal / Δ of the steering wheel angle
    TB factor             peak time of the yaw rate × steady side slip

The standard asks for at least 200 deg/s at the steering wheel and for a speed that holds.
"""

from __future__ import annotations

import math

import numpy as np

from jounce.results.figures import Figures
from jounce.results.key_figures.common import DEGREE, Array, mean_before, onset, peak, sound, steady, unsound
from jounce.results.run import Run
from jounce.results.signals import crossing

SLOWEST = 200 * DEGREE  # rad/s at the steering wheel
SPEED_HOLDS = 0.03  # relative change of speed that is not remarked
TIMED = ("t90", "t_peak")


def step_steer(
    time: Array,
    steering: Array,
    *,
    yaw_rate: Array | None = None,
    lateral_acceleration: Array | None = None,
    roll: Array | None = None,
    side_slip: Array | None = None,
    speed: Array | None = None,
    window: float | None = None,
    tolerance: float = 0.05,
) -> Figures:
    """Return the key figures of a step of the steering wheel.

    Parameters
    ----------
    time, steering : s, rad at the steering wheel
    yaw_rate, lateral_acceleration, roll, side_slip, speed : rad/s, m/s², rad, rad, m/s; what is left out is not told
    window : length of the steady part at the end, s; default a quarter of the time after the step, at most 1 s
    tolerance : how much of Δ a signal may still change there

    Returns
    -------
    yaw_rate_t90, yaw_rate_t_peak, yaw_rate_overshoot, yaw_rate_steady, yaw_rate_gain; the same for ay and roll;
    side_slip_steady, side_slip_peak, tb_factor, steering_step, steering_rate, speed_change
    """
    figures = Figures()
    why = unsound(time, steering)
    if why:
        figures.missing(["steering_step"], "deg", f"step steer: {why}")
        return figures
    given = sound(
        figures,
        "step steer",
        yaw_rate=yaw_rate,
        ay=lateral_acceleration,
        roll=roll,
        side_slip=side_slip,
        speed=speed,
    )
    start = onset(time, steering)
    if math.isnan(start):
        figures.missing(["steering_step"], "deg", "step steer: the steering wheel does not move")
        return figures
    before = mean_before(time, steering, start)
    span = window if window is not None else min(1.0, 0.25 * (float(time[-1]) - start))
    last = (float(time[-1]) - span, float(time[-1]))
    final = steady(time, steering, last, tolerance=tolerance)
    step = final.value - before
    if not final.ok or step == 0.0:
        figures.missing(["steering_step"], "deg", f"step steer: the steering wheel angle is {final.why or 'unchanged'}")
        return figures
    side = math.copysign(1.0, step)
    zero = crossing(time, side * steering, side * (before + 0.5 * step), after=start, rising=True)
    rate = _rate(time, side * (steering - before), abs(step), start)
    figures.put("steering_step", step / DEGREE, "deg")
    figures.put("steering_rate", rate / DEGREE, "deg/s")
    if rate < 0.99 * SLOWEST:
        figures.warn(f"step steer: the steering wheel moves at {rate / DEGREE:.0f} deg/s; ISO 7401 asks for 200 deg/s")

    for name, unit in (("yaw_rate", "deg/s"), ("ay", "m/s2"), ("roll", "deg")):
        if name in given:
            _response(figures, name, unit, time, given[name], (start, zero), last, step, tolerance)
    if "side_slip" in given:
        side_slip = given["side_slip"]
        rest = mean_before(time, side_slip, start)
        size = float(np.max(np.abs(side_slip - rest)))
        found = steady(time, side_slip - rest, last, size, tolerance)
        if found.ok:
            figures.put("side_slip_steady", found.value / DEGREE, "deg")
        else:
            figures.missing(["side_slip_steady"], "deg", f"step steer: side slip is {found.why}")
        after = time >= zero
        most = (side_slip - rest)[after]
        figures.put("side_slip_peak", float(most[int(np.argmax(np.abs(most)))]) / DEGREE, "deg")
        if "yaw_rate_t_peak" in figures:
            figures.put("tb_factor", figures["yaw_rate_t_peak"][0] * abs(figures["side_slip_steady"][0]), "deg.s")
    if "speed" in given:
        speed = given["speed"]
        entry = mean_before(time, speed, start)
        change = (float(speed[-1]) - entry) / entry if entry else math.nan
        change = 0.0 if abs(change) < 1e-9 else change  # rounding of the mean
        figures.put("speed_change", 100 * change, "%")
        if abs(change) > SPEED_HOLDS:
            figures.warn(
                f"step steer: the speed changes by {change:+.1%}; steady values belong to the speed at the end"
            )
    return figures


def _response(
    figures: Figures,
    name: str,
    unit: str,
    time: Array,
    signal: Array,
    instants: tuple[float, float],
    last: tuple[float, float],
    step: float,
    tolerance: float,
) -> None:
    start, zero = instants
    per = DEGREE if unit.startswith("deg") else 1.0
    gain_unit = {"yaw_rate": "1/s", "ay": "m/s2/rad", "roll": "-"}[name]
    rest = mean_before(time, signal, start)
    change = signal - rest
    final = steady(time, change, last, tolerance=tolerance)
    if not final.ok or final.value == 0.0:
        why = f"step steer: {name} is {final.why or 'unchanged'}; its response cannot be told"
        figures.missing([f"{name}_{what}" for what in TIMED], "s", why)
        figures.missing([f"{name}_overshoot"], "%", why)
        figures.missing([f"{name}_steady"], unit, why)
        figures.missing([f"{name}_gain"], gain_unit, why)
        return
    normal = change / final.value
    noise = final.spread / abs(final.value)
    figures.put(f"{name}_t90", crossing(time, normal, 0.9, after=start, rising=True) - zero, "s")
    top_time, top = peak(time, normal, zero)
    if top - 1.0 > max(4.0 * noise, 5e-4):
        figures.put(f"{name}_t_peak", top_time - zero, "s")
        figures.put(f"{name}_overshoot", 100.0 * (top - 1.0), "%")
    else:
        figures.missing([f"{name}_t_peak"], "s", f"step steer: {name} has no peak above its steady value")
        figures.put(f"{name}_overshoot", 0.0, "%")
    figures.put(f"{name}_steady", final.value / per, unit)
    figures.put(f"{name}_gain", final.value / step, gain_unit)


def _rate(time: Array, moved: Array, size: float, start: float) -> float:
    """Mean rate between 10 % and 90 % of the step."""
    low, high = (crossing(time, moved, part * size, after=start, rising=True) for part in (0.1, 0.9))
    return 0.8 * size / (high - low) if high > low else math.inf


def of_run(run: Run) -> Figures:
    """Key figures of a run."""
    given = run.given("yaw_rate", "lateral_acceleration", "roll", "side_slip", "speed")
    return step_steer(run.time, run.signal("steering"), **given)
