"""Transition test (on-centre handling, ISO 13674-2): from straight ahead slowly into a turn.

The hand wheel is turned slowly and evenly. Over lateral acceleration a_y, hand wheel angle δ and hand torque T first
rise by themselves, while play, friction and wind-up are taken up, and then with the car. Lines through what lies
between 0.05 g and 0.15 g tell both,

    δ = δ₀ + a_y/S,   T = T₀ + G a_y                                                                               (1)

    transition_dead_band         δ₀: angle of the hand wheel before the car answers
    transition_sensitivity       S
    transition_torque_at_start   T₀: torque before the car answers, mostly friction
    transition_torque_gradient   G: road feel
    transition_torque_at_0_1g    T at 0.1 g

Runs to the right are mirrored; signals are means over 0.1 s. The standard has the conditions (100 km/h, slow and even
steering) and no limits; the lines (1) are our reading of its figures.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from jounce.core.constants import GRAVITY
from jounce.core.fields import quantity
from jounce.events.library.ramp_steer import RampSteer
from jounce.results.figures import Figures
from jounce.results.key_figures.common import DEGREE, Array, moving_mean, slope, sound, unsound
from jounce.results.kinds import Kind
from jounce.results.panels import USUAL, over
from jounce.results.run import Run

RANGE = (0.05 * GRAVITY, 0.15 * GRAVITY)  # m/s², of the lines (1)
AT = 0.1 * GRAVITY
SMOOTH = 0.1  # s
FEWEST = 10
UNITS = {
    "transition_dead_band": "deg",
    "transition_sensitivity": "g_0/rad",
    "transition_torque_at_start": "N.m",
    "transition_torque_gradient": "N.m/g_0",
    "transition_torque_at_0_1g": "N.m",
}
WORDS = {
    "transition_dead_band": "Steering wheel angle before the car answers",
    "transition_sensitivity": "Lateral acceleration over steering wheel angle",
    "transition_torque_at_start": "Hand torque before the car answers",
    "transition_torque_gradient": "Hand torque over lateral acceleration",
    "transition_torque_at_0_1g": "Hand torque at 0.1 g",
}
FIRST = tuple(UNITS)


# --- key figures -----------------------------------------------------------------------------------------------------


def transition(
    time: Array, angle: Array, lateral_acceleration: Array, hand_torque: Array | None = None, start: float = -math.inf
) -> Figures:
    """Return the key figures of a slow way from straight ahead into a turn.

    Parameters
    ----------
    angle, lateral_acceleration, hand_torque : rad, m/s², N.m
    start : when the hand wheel begins to turn, s
    """
    figures = Figures()
    why = unsound(time, angle, lateral_acceleration, least=FEWEST)
    valid = time >= start
    if not why and not valid.any():
        why = "the hand wheel does not turn"
    if not why:
        turned = lateral_acceleration[valid]
        side = math.copysign(1.0, float(turned[int(np.argmax(np.abs(turned)))]))
        a = side * moving_mean(time, lateral_acceleration, SMOOTH)
        beyond = valid & (a > RANGE[1])
        last = int(np.argmax(beyond)) if beyond.any() else 0
        rows = valid & (np.arange(len(time)) < last) & (a >= RANGE[0])
        if np.count_nonzero(rows) < FEWEST:
            why = f"too little between {RANGE[0]:.2g} and {RANGE[1]:.2g} m/s²"
    if why:
        for key, unit in UNITS.items():
            figures.missing([key], unit, f"transition: {why}")
        return figures
    per, first, _ = slope(a[rows], side * moving_mean(time, angle, SMOOTH)[rows])  # (1)
    figures.put("transition_dead_band", first / DEGREE, "deg")
    figures.put("transition_sensitivity", 1 / per / GRAVITY if per else math.nan, "g_0/rad")
    given = sound(figures, "transition", torque=hand_torque)
    if "torque" in given:
        grows, first, _ = slope(a[rows], side * moving_mean(time, given["torque"], SMOOTH)[rows])
        figures.put("transition_torque_at_start", first, "N.m")
        figures.put("transition_torque_gradient", grows * GRAVITY, "N.m/g_0")
        figures.put("transition_torque_at_0_1g", first + grows * AT, "N.m")
    else:
        for key in list(UNITS)[2:]:
            figures.missing([key], UNITS[key], "transition: the hand torque was not recorded")
    return figures


def of_run(run: Run) -> Figures:
    """Key figures of a run."""
    begin = run.number("start_time", "s")
    torque = run.given("hand_torque").get("hand_torque")
    start = -math.inf if math.isnan(begin) else begin
    return transition(run.time, run.signal("steering"), run.signal("lateral_acceleration"), torque, start)


# --- the event -------------------------------------------------------------------------------------------------------


class Transition(RampSteer):
    """The hand wheel is turned slowly out of straight ahead: how does the car begin to answer?"""

    kind: ClassVar[str] = "transition"
    title: ClassVar[str] = "Transition test"
    standard: ClassVar[str] = "ISO 13674-2"
    results: ClassVar[Kind] = Kind(
        (of_run,), (over("lateral_acceleration", "steering", "hand_torque", "yaw_rate"), *USUAL), WORDS, FIRST
    )
    presets: ClassVar[dict[str, dict[str, Any]]] = {"iso": {}}

    end_time: float = quantity("s", 11.0, gt=0, typical=(1e-3, 7200.0), doc="end of the run")
    slope: float = quantity(
        "rad/s", math.radians(2), typical=(0.0, 1.0), doc="speed of the hand wheel; negative turns right"
    )
