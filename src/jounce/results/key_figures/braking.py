"""Straight-line braking: stopping distance, mean fully developed deceleration (UN R13-H), dive.

    MFDD = (v_b² − v_e²) / (2 (s_e − s_b)),   v_b = 0.8 v₀, v_e = 0.1 v₀                                           (1)

which is the regulation's (v_b² − v_e²)/(25.92 (s_e − s_b)) with v in km/h. v₀ and the distance s are counted from the
first movement of the brake pedal. The stopping distance is also given for a nominal speed, s·(v_nominal/v₀)², so that
runs that began a little faster or slower compare. With the time t_m from 45 to 15 km/h and the adhesion k,

    ε = z/k,   z = (v_45 − v_15)/(g t_m) = 0.849 s/t_m                                                            (2)

is the adhesion that a stop utilises (UN R13-H, annex 6; there k is measured by stops without control, here it is the
largest force that the tires have under the loads of this stop). Dive is body pitch per deceleration, both as means
between v_b and v_e.
"""

from __future__ import annotations

import math

import numpy as np

from jounce.core.constants import GRAVITY
from jounce.results.figures import Figures
from jounce.results.key_figures.common import (
    DEGREE,
    Array,
    mean_before,
    moving_mean,
    onset,
    slope,
    sound,
    travelled_at,
    unsound,
)
from jounce.results.signals import crossing

UTILISED = (45.0, 15.0)  # km/h, between which the utilisation of adhesion is measured
MOVING = 1.0  # m/s, least speed from which a stop is looked at
STANDSTILL = 0.1  # m/s; what is left below is added as v²/(2 a)


def braking(
    time: Array,
    speed: Array,
    *,
    start: float = math.nan,
    brake: Array | None = None,
    longitudinal_acceleration: Array | None = None,
    pitch: Array | None = None,
    nominal_speed: float = math.nan,
    adhesion: float = math.nan,
) -> Figures:
    """Return the key figures of a stop.

    Parameters
    ----------
    time, speed : s, m/s
    start : first movement of the pedal, s; without it, that of ``brake``; without both, where the speed begins to fall
    longitudinal_acceleration, pitch : m/s² (braking negative), rad (nose down positive)
    nominal_speed : m/s, to which the stopping distance is referred as well
    adhesion : k, largest friction of all tires under their loads while the car brakes

    Returns
    -------
    stopping_distance, stopping_distance_nominal (m), mfdd, mean_deceleration, peak_deceleration (m/s²),
    stopping_time (s), initial_speed (km/h), dive_gradient (deg/g), adhesion_utilisation (-)
    """
    figures = Figures()
    why = unsound(time, speed)
    if why:
        figures.missing(["stopping_distance"], "m", f"braking: {why}")
        return figures
    given = sound(figures, "braking", brake=brake, ax=longitudinal_acceleration, pitch=pitch)
    if math.isnan(start):
        start = onset(time, given.get("brake", speed))
    if math.isnan(start):
        figures.missing(["stopping_distance"], "m", "braking: the car does not brake")
        return figures
    v0 = float(np.interp(start, time, speed))
    if v0 < MOVING:
        figures.missing(["stopping_distance"], "m", f"braking: the car is too slow at the start ({3.6 * v0:.2f} km/h)")
        return figures
    figures.put("initial_speed", 3.6 * v0, "km/h")
    begin = travelled_at(time, speed, start)
    rows = time >= start
    if "ax" in given and rows.any():
        smooth = moving_mean(time, given["ax"], 0.1)
        figures.put("peak_deceleration", -float(np.min(smooth[rows])), "m/s2")

    high, low = (crossing(time, speed, part * v0, after=start, rising=False) for part in (0.8, 0.1))
    mean = math.nan
    if math.isnan(low) or math.isnan(high) or low <= high:
        figures.missing(["mfdd"], "m/s2", f"braking: the speed does not fall to a tenth of {3.6 * v0:.1f} km/h")
    else:
        way = travelled_at(time, speed, low) - travelled_at(time, speed, high)
        figures.put("mfdd", ((0.8 * v0) ** 2 - (0.1 * v0) ** 2) / (2 * way), "m/s2")
        mean = 0.7 * v0 / (low - high)

    if not math.isnan(adhesion):
        begun, done = (crossing(time, speed, v / 3.6, after=start, rising=False) for v in UTILISED)
        if math.isnan(begun) or math.isnan(done):
            figures.missing(["adhesion_utilisation"], "-", "braking: the speed does not pass 45 and 15 km/h")
        else:
            used = (UTILISED[0] - UTILISED[1]) / 3.6 / (GRAVITY * (done - begun))
            figures.put("adhesion_utilisation", used / adhesion, "-")  # (2)

    stop = crossing(time, speed, STANDSTILL, after=start, rising=False)
    if math.isnan(stop):
        why = f"braking: the car does not come to a stop (last speed {3.6 * float(speed[-1]):.1f} km/h)"
        figures.missing(["stopping_distance"], "m", why)
        figures.missing(["mean_deceleration"], "m/s2", why)
        figures.missing(["stopping_time"], "s", why)
    else:
        at_end = max(_deceleration(time, speed, stop), 0.1)
        distance = travelled_at(time, speed, stop) - begin + STANDSTILL**2 / (2 * at_end)
        figures.put("stopping_distance", distance, "m")
        figures.put("mean_deceleration", v0 * v0 / (2 * distance), "m/s2")
        figures.put("stopping_time", stop - start + STANDSTILL / at_end, "s")
        if not math.isnan(nominal_speed):
            figures.put("stopping_distance_nominal", distance * (nominal_speed / v0) ** 2, "m")
            if abs(v0 - nominal_speed) > 2 / 3.6:
                figures.warn(
                    f"braking: began at {3.6 * v0:.1f} km/h instead of {3.6 * nominal_speed:.1f} km/h; "
                    "referring the distance to the nominal speed is meant for 2 km/h"
                )
    if "pitch" in given:
        pitch = given["pitch"]
        if math.isnan(mean):
            figures.missing(
                ["dive_gradient"], "deg/g_0", "braking: no fully developed deceleration, hence no dive gradient"
            )
        else:
            grid = np.concatenate([[high], time[(time > high) & (time < low)], [low]])
            dive = float(np.trapezoid(np.interp(grid, time, pitch), grid)) / (low - high) - mean_before(
                time, pitch, start
            )
            figures.put("dive_gradient", dive / DEGREE / (mean / GRAVITY), "deg/g_0")
    return figures


def _deceleration(time: Array, speed: Array, at: float) -> float:
    """Mean over the last 0.2 s before an instant, as long as the car still moves there."""
    rows = (time >= at - 0.2) & (time <= at)
    if np.count_nonzero(rows) < 2:
        return math.nan
    return -slope(time[rows], speed[rows])[0]
