"""What stops by a rule have in common: deceleration, wheels that stand still, the way off the line.

    z = (v_45 − v_15)/(g t_m) = 0.849 s/t_m                                                                     (1)

with the time t_m from 45 to 15 km/h (UN R13-H, annex 6), and the same between 0.9 and 0.3 of the initial speed where
that is below 50 km/h.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from jounce.core.constants import GRAVITY
from jounce.results.figures import Figures
from jounce.results.key_figures.braking import UTILISED
from jounce.results.key_figures.common import DEGREE, Array, longest
from jounce.results.panels import tires_of
from jounce.results.signals import crossing

if TYPE_CHECKING:
    from jounce.results.run import Run

LOCKED = 0.95  # of the slip: a wheel that stands still
SLOWEST = 15 / 3.6  # m/s, below which wheels may lock
SLIP = "Tire.Longitudinal_Slip_Without_Lag.{}"
PLACE = ("Road.Contact_Patch_Global_X.{}", "Road.Contact_Patch_Global_Y.{}")
WORDS = {
    "braking_rate": "Braking rate z from 45 to 15 km/h",
    "locked_time": "Longest time that a wheel stands still above 15 km/h",
    "yaw_peak": "Largest turn from the line",
}


def of_stop(run: Run, speed: Array, start: float) -> Figures:
    """Key figures of a stop that a rule asks for: braking rate, locked wheels, turn from the line.

    Parameters
    ----------
    speed : along the way, m/s
    start : when the pedal moves first, s
    """
    figures = Figures()
    rows = run.time >= start
    if not rows.any():
        figures.missing(["braking_rate"], "-", "braking: the run ends before the brake is applied")
        return figures
    v0 = float(np.interp(start, run.time, speed))
    high, low = (part * min(1.0, v0 / (50 / 3.6)) / 3.6 for part in UTILISED)
    begun, done = (crossing(run.time, speed, v, after=start, rising=False) for v in (high, low))
    if math.isnan(begun) or math.isnan(done):
        figures.missing(["braking_rate"], "-", f"braking: the speed does not fall to {3.6 * low:.3g} km/h")
    else:
        figures.put("braking_rate", (high - low) / (GRAVITY * (done - begun)), "-")  # (1)
    fast = rows & (speed > SLOWEST)
    spans = [longest(run.time, fast & (run[SLIP.format(tire)] < -LOCKED)) for tire in tires_of(run, SLIP)]
    if spans:
        figures.put("locked_time", max(spans), "s")
    if run.has_signal("yaw"):
        yaw = run.signal("yaw")
        figures.put("yaw_peak", float(np.max(np.abs(yaw[rows] - np.interp(start, run.time, yaw)))) / DEGREE, "deg")
    return figures
