"""What a car does when its pedals change in a steady turn, with the hand wheel held (ISO 7975, ISO 9816).

Before t₀, when the pedals begin to move, the car runs steadily; means from 1.3 s to 0.3 s before t₀ are what it starts
from (index 0), its circle has the radius

    R₀ = v₀/|ψ̇₀|                                                                                                (1)

A car that stayed on this circle would at its present speed v have a yaw rate v/R₀ and a lateral acceleration v²/R₀. So
much more or less it turns, n = 1 s and 2 s after t₀,

    yaw rate ratio = ψ̇ R₀/v,   lateral acceleration ratio = a_y R₀/v²                                              (2)

and so far it has left the circle, inwards positive, with the centre c of the circle,

    path deviation = R₀ − |r − c|,   c = r + R₀ n      n: to the inside, across the way; mean before t₀            (3)

Changes of side slip are those from β₀; signs are those of a left turn, turns to the right are mirrored. Signals pass
the low-pass of ISO 15037-1 first (12 Hz, no phase shift). Ratios above 1: the car turns in.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from jounce.core.errors import ParameterError
from jounce.results.figures import Figures
from jounce.results.key_figures.common import DEGREE, Array, onset, peak, sound, steady, unsound
from jounce.results.run import Run
from jounce.results.signals import low_pass

CUTOFF, ORDER = 12.0, 2  # Hz; per pass, so that both together are of fourth order
BEFORE = (1.3, 0.3)  # s before t₀
AFTER = (1.0, 2.0)  # s after t₀
LEAST = 1.0  # m/s: slower cars turn with no radius
STEADY = 0.05  # of a mean, by which a car that runs steadily may drift or swing

UNITS = {
    "initial_speed": "km/h",
    "initial_lateral_acceleration": "m/s2",
    "initial_radius": "m",
    **{f"yaw_rate_ratio_{n:g}s": "-" for n in AFTER},
    **{f"lateral_acceleration_ratio_{n:g}s": "-" for n in AFTER},
    **{f"side_slip_change_{n:g}s": "deg" for n in AFTER},
    **{f"path_deviation_{n:g}s": "m" for n in AFTER},
    **{f"mean_deceleration_{n:g}s": "m/s2" for n in AFTER},
    "yaw_rate_ratio_max": "-",
    "t_yaw_rate_max": "s",
    "yaw_acceleration_max": "deg/s2",
    "side_slip_change_max": "deg",
}
WORDS = {
    "initial_speed": "Speed in the turn",
    "initial_lateral_acceleration": "Lateral acceleration in the turn",
    "initial_radius": "Radius of the turn",
    **{f"yaw_rate_ratio_{n:g}s": f"Yaw rate over that of the circle after {n:g} s" for n in AFTER},
    **{f"lateral_acceleration_ratio_{n:g}s": f"Lateral acceleration over the circle's after {n:g} s" for n in AFTER},
    **{f"side_slip_change_{n:g}s": f"Change of side slip after {n:g} s" for n in AFTER},
    **{f"path_deviation_{n:g}s": f"Distance from the circle after {n:g} s, inwards" for n in AFTER},
    **{f"mean_deceleration_{n:g}s": f"Mean deceleration in {n:g} s" for n in AFTER},
    "yaw_rate_ratio_max": "Largest yaw rate over that of the circle",
    "t_yaw_rate_max": "Time of the largest yaw rate",
    "yaw_acceleration_max": "Largest yaw acceleration",
    "side_slip_change_max": "Largest change of side slip",
}
FIRST = ("yaw_rate_ratio_1s", "yaw_rate_ratio_max", "path_deviation_1s", "side_slip_change_1s", "mean_deceleration_1s")


def turn_reaction(
    time: Array,
    start: float,
    yaw_rate: Array,
    speed: Array,
    *,
    lateral_acceleration: Array | None = None,
    side_slip: Array | None = None,
    x: Array | None = None,
    y: Array | None = None,
    filtered: bool = True,
) -> Figures:
    """Return the key figures of a change of the pedals in a turn.

    Parameters
    ----------
    start : t₀, when the pedals begin to move, s
    yaw_rate, speed, lateral_acceleration, side_slip : rad/s, m/s, m/s², rad
    x, y : of the centre of gravity, m
    filtered : low-pass the signals first; needs a uniform time base
    """
    figures = Figures()
    name = "reaction in a turn"
    why = unsound(time, yaw_rate, speed, least=10)
    window = (start - BEFORE[0], start - BEFORE[1])
    if not why and (math.isnan(start) or window[0] < time[0] - 1e-9):
        why = f"{BEFORE[0]:g} s of steady running before the pedals move are not recorded"
    if not why and time[-1] < start + AFTER[0]:
        why = f"the run ends less than {AFTER[0]:g} s after the pedals move"
    if why:
        for key, unit in UNITS.items():
            figures.missing([key], unit, f"{name}: {why}")
        return figures
    given = sound(figures, name, ay=lateral_acceleration, side_slip=side_slip, x=x, y=y)
    if filtered:
        try:
            yaw_rate, speed = low_pass(time, yaw_rate, CUTOFF, ORDER), low_pass(time, speed, CUTOFF, ORDER)
            given |= {key: low_pass(time, given[key], CUTOFF, ORDER) for key in ("ay", "side_slip") if key in given}
        except ParameterError:
            figures.warn(f"{name}: sampled too slowly or unevenly for the filter of ISO 15037-1; not filtered")
    rows = (time >= window[0] - 1e-9) & (time <= window[1] + 1e-9)
    first_rate, first_speed = float(yaw_rate[rows].mean()), float(speed[rows].mean())
    if abs(first_rate) < 1e-6 or first_speed < LEAST:
        for key, unit in UNITS.items():
            figures.missing([key], unit, f"{name}: the car does not turn before the pedals move")
        return figures
    for what, values in (("yaw rate", yaw_rate), ("speed", speed)):
        found = steady(time, values, window, tolerance=STEADY)
        if not found.ok:
            figures.warn(f"{name}: the {what} before the pedals move is {found.why}")
    side, radius = math.copysign(1.0, first_rate), first_speed / abs(first_rate)  # (1)
    figures.put("initial_speed", 3.6 * first_speed, "km/h")
    figures.put("initial_radius", radius, "m")
    if "ay" in given:
        figures.put("initial_lateral_acceleration", side * float(given["ay"][rows].mean()), "m/s2")

    def at(values: Array, when: float) -> float:
        return float(np.interp(when, time, values))

    slip = side * (given["side_slip"] - float(given["side_slip"][rows].mean())) if "side_slip" in given else None
    left = _deviation(time, given["x"], given["y"], rows, side, radius) if {"x", "y"} <= set(given) else None
    for n in AFTER:
        when, end = start + n, f"_{n:g}s"
        keys = [key for key in UNITS if key.endswith(end)]
        if when > time[-1] + 1e-9:
            figures_missing(figures, keys, f"{name}: the run ends before")
            continue
        v = at(speed, when)
        figures.put(f"mean_deceleration{end}", (at(speed, start) - v) / n, "m/s2")
        if v < LEAST:
            figures_missing(figures, [f"{what}_ratio{end}" for what in ("yaw_rate", "lateral_acceleration")],
                            f"{name}: the car stands {n:g} s after the pedals move")  # fmt: skip
        else:
            figures.put(f"yaw_rate_ratio{end}", side * at(yaw_rate, when) * radius / v, "-")  # (2)
            if "ay" in given:
                ratio = side * at(given["ay"], when) * radius / (v * v)
                figures.put(f"lateral_acceleration_ratio{end}", ratio, "-")
        if slip is not None:
            figures.put(f"side_slip_change{end}", at(slip, when) / DEGREE, "deg")
        if left is not None:
            figures.put(f"path_deviation{end}", at(left, when), "m")  # (3)
    last = min(start + AFTER[-1], float(time[-1]))
    part = (time >= start - 1e-9) & (time <= last + 1e-9) & (speed > LEAST)
    turned = side * yaw_rate[part] * radius / speed[part]
    when, most = peak(time[part], turned, start)
    figures.put("yaw_rate_ratio_max", most, "-")
    figures.put("t_yaw_rate_max", when - start, "s")
    change = np.gradient(side * yaw_rate, time)[part]
    figures.put("yaw_acceleration_max", float(change[int(np.argmax(np.abs(change)))]) / DEGREE, "deg/s2")
    if slip is not None:
        moved = slip[part]
        figures.put("side_slip_change_max", float(moved[int(np.argmax(np.abs(moved)))]) / DEGREE, "deg")
    return figures


def figures_missing(figures: Figures, keys: list[str], why: str) -> None:
    """Several figures of different units that are not there for one reason."""
    for key in keys:
        figures.missing([key], UNITS[key], why)


def _deviation(time: Array, x: Array, y: Array, rows: Any, side: float, radius: float) -> Array:
    """How far inside of the circle before t₀ the car is (3)."""
    vx, vy = np.gradient(x, time), np.gradient(y, time)
    v = np.hypot(vx, vy)
    v = np.where(v > 0, v, 1.0)
    centre_x = float(np.mean((x - side * radius * vy / v)[rows]))
    centre_y = float(np.mean((y + side * radius * vx / v)[rows]))
    result: Array = radius - np.hypot(x - centre_x, y - centre_y)
    return result


def of_run(run: Run, pedal: str) -> Figures:
    """Key figures of a run; without a ``start_time`` of its event the pedal tells when it begins."""
    begin = run.number("start_time", "s")
    if math.isnan(begin) and run.has_signal(pedal):
        begin = onset(run.time, run.signal(pedal))
    return turn_reaction(
        run.time,
        begin,
        run.signal("yaw_rate"),
        run.signal("speed"),
        **run.given("lateral_acceleration", "side_slip", "x", "y"),
    )
