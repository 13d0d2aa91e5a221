"""Slowly increasing steer (FMVSS 126, UN R140; ISO 4138): the hand wheel angle of a nominal lateral acceleration.

At constant speed the hand wheel is turned slowly and evenly, to the left and to the right. Between the first instants
at which the lateral acceleration a passes a third and 5/4 of its nominal value a_n (0.1 g and 0.375 g for 0.3 g), a
line is fitted by least squares to the hand wheel angle δ over a. With the line of each direction,

    A = ½ (|δ_left(a_n)| + |δ_right(a_n)|)                                                                      (1)

Other tests scale their steering by A: it is their pre-event (`jounce.events.procedure.Before`). The angle contains what
the car lags behind the ramp, as it does on the proving ground: the rate of the ramp times the equivalent delay.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from jounce.core.constants import GRAVITY
from jounce.core.fields import choice, quantity
from jounce.events.base import Steered, safety_ends
from jounce.events.library.ramp_steer import RESULTS
from jounce.events.procedure import Planned, Procedure
from jounce.results.figures import Figures
from jounce.results.key_figures.common import DEGREE, Array, unsound
from jounce.results.kinds import Kind
from jounce.results.run import Run
from jounce.results.signals import crossing
from jounce.results.trials import table_of_trials
from jounce.runtime.program import End, Ramp, Stop, When

if TYPE_CHECKING:
    from jounce.events.start import Start
    from jounce.results.trials import Trial

NOMINAL = 0.3 * GRAVITY
LOW, HIGH = 1 / 3, 1.25  # of the nominal value: where the line is fitted
LEAST_ROWS = 5
SIDES = {"left": 1.0, "right": -1.0}

WORDS = {
    "steering_at_nominal": "Steering wheel angle A at the nominal lateral acceleration",
    "steering_at_nominal_left": "Steering wheel angle at the nominal lateral acceleration, left",
    "steering_at_nominal_right": "Steering wheel angle at the nominal lateral acceleration, right",
    "steering_line_slope": "Slope of the line",
    "steering_line_deviation": "Deviation from the line (RMS)",
}


# --- key figures -----------------------------------------------------------------------------------------------------


def at_nominal(time: Array, steering: Array, lateral_acceleration: Array, nominal: float = NOMINAL) -> Figures:
    """Return the hand wheel angle at a nominal lateral acceleration.

    Parameters
    ----------
    time, steering, lateral_acceleration : s, rad at the steering wheel, m/s²; to either side
    nominal : m/s², positive

    Returns
    -------
    steering_at_nominal (deg, without its sign), steering_line_slope (deg/g), steering_line_deviation (deg)
    """
    figures = Figures()
    name, where = ["steering_at_nominal"], "slowly increasing steer"
    why = unsound(time, steering, lateral_acceleration, least=LEAST_ROWS)
    if why:
        figures.missing(name, "deg", f"{where}: {why}")
        return figures
    side = math.copysign(1.0, float(steering[int(np.argmax(np.abs(steering)))]))
    ay, hand = side * lateral_acceleration, side * steering
    first, last = (crossing(time, ay, part * nominal, rising=True) for part in (LOW, HIGH))
    if math.isnan(first) or math.isnan(last):
        reached = max(float(ay.max()), 0.0)
        text = f"{where}: the lateral acceleration reaches {reached:.3g} m/s², the line needs {HIGH * nominal:.3g} m/s²"
        figures.missing(name, "deg", text)
        return figures
    rows = (time >= first) & (time <= last)
    if np.count_nonzero(rows) < LEAST_ROWS:
        figures.missing(name, "deg", f"{where}: {np.count_nonzero(rows)} rows between {LOW * nominal:.3g} m/s² and "
                                     f"{HIGH * nominal:.3g} m/s², the line needs {LEAST_ROWS}")  # fmt: skip
        return figures
    slope, offset = np.polyfit(ay[rows], hand[rows], 1)
    figures.put("steering_at_nominal", float(slope * nominal + offset) / DEGREE, "deg")
    figures.put("steering_line_slope", float(slope) * GRAVITY / DEGREE, "deg/g_0")
    off = hand[rows] - slope * ay[rows] - offset
    figures.put("steering_line_deviation", float(np.sqrt(np.mean(off**2))) / DEGREE, "deg")
    return figures


def of_run(run: Run) -> Figures:
    """Key figures of a run to one side, or of both."""
    if run.trials:
        return of_trials(run.trials)
    nominal = run.number("lateral_acceleration", "m/s2")
    nominal = NOMINAL if math.isnan(nominal) else abs(nominal)
    return at_nominal(run.time, run.signal("steering"), run.signal("lateral_acceleration"), nominal)


def of_trials(trials: Sequence[Trial]) -> Figures:
    """The mean of both directions."""
    figures = Figures()
    found = {trial.name: trial.figure("steering_at_nominal", "deg") for trial in trials}
    for name, value in found.items():
        figures.put(f"steering_at_nominal_{name}", value, "deg")
    both = [found.get(side, math.nan) for side in SIDES]
    if any(math.isnan(value) for value in both):
        why = [f"{trial.name}: {text}" for trial in trials for text in trial.figures.warnings]
        figures.missing(["steering_at_nominal"], "deg", "; ".join(why) or "one direction was not driven")
    else:
        figures.put("steering_at_nominal", 0.5 * (both[0] + both[1]), "deg")  # (1)
    return figures


def steady_of_run(run: Run) -> Figures:
    """What a slow ramp says of steady turns: of a run to one side."""
    return Figures() if run.trials else RESULTS.figures[0](run)


# --- the event -------------------------------------------------------------------------------------------------------


class SlowlyIncreasingSteer(Steered, Procedure):
    """The hand wheel angle of a nominal lateral acceleration, from slow ramps to both sides.

    Other tests take it for their steering.
    """

    kind: ClassVar[str] = "slowly-increasing-steer"
    title: ClassVar[str] = "Slowly increasing steer"
    standard: ClassVar[str] = "FMVSS 126, UN R140"
    results: ClassVar[Kind] = Kind(
        (of_run, steady_of_run),
        RESULTS.panels,
        {**RESULTS.words, **WORDS},
        ("steering_at_nominal", *RESULTS.first),
        drawings=(
            table_of_trials(
                "Directions", ("steering_at_nominal", "Angle"), ("steering_line_slope", "Slope"),
                ("steering_line_deviation", "Deviation"),
            ),
        ),
    )  # fmt: skip
    presets: ClassVar[dict[str, dict[str, Any]]] = {"iso": {}, "rule": {}, "vi": {}}
    moves: ClassVar[tuple[str, ...]] = ("direction",)

    speed: float = quantity("m/s", 80 / 3.6, typical=(0.0, 75.0), doc="constant")
    end_time: float = quantity("s", 12.0, gt=0, typical=(1e-3, 7200.0), doc="end of a run, at the latest")
    slope: float = quantity(
        "rad/s", math.radians(13.5), gt=0, typical=(0.01, 6.0), doc="speed of the hand wheel, to either side"
    )
    lateral_acceleration: float = quantity(
        "m/s2", NOMINAL, gt=0, typical=(0.1, 10.0), doc="nominal; the line is fitted from a third to 5/4 of it"
    )
    direction: Literal["both", "left", "right"] = choice("both", doc="to which side; both: a run each")
    side_slip_end: float = quantity(
        "rad", math.radians(15), gt=0, typical=(0.0, 3.2), doc="side slip at which a run ends"
    )

    @property
    def several(self) -> bool:
        return self.direction == "both"

    def following(self, done: Sequence[Trial]) -> Planned | None:
        side = next((name for name in SIDES if name not in [trial.name for trial in done]), None)
        return None if side is None else Planned(side, {"direction": side})

    def expected(self, done: Sequence[Trial]) -> int:
        return len(SIDES)

    def reference(self, start: Start) -> Any:
        duration = self.end_time - self.start_time
        to = self.initial_steer + SIDES.get(self.direction, 1.0) * self.slope * duration
        return Ramp(to, duration, start=self.initial_steer, delay=self.start_time)

    def ends(self) -> list[End]:
        slides = End(When("Vehicle.Side_Slip_Angle", "abs>", self.side_slip_end), then=Stop("side slip reached"))
        return [*safety_ends()[:1], slides]
