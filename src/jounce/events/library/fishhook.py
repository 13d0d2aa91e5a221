"""Fishhook: a quick turn and a quicker one back, at the instant at which the car has rolled furthest.

With the hand wheel angle A for 0.3 g, coasting from the entry speed, and the rate r of the hand wheel:

    0 → n A at r;   there until the car stops to roll (|p| < 1.5 deg/s) or for 0.25 s;
    n A → −n A at r;   −n A for 3 s;   → 0 in 2 s                                                               (1)

The roll rate p is looked at when it has once been above its limit and the hand wheel has come to n A. NHTSA's dynamic
rollover test has n = 6.5, 720 deg/s and entry speeds from 56 to 80 km/h (preset ``nhtsa``); the reference tool n = 8
(preset ``vi``) ([NHTSA2003]).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from jounce.core.fields import choice, quantity
from jounce.events.rollover import (
    FIRST,
    TABLE,
    WORDS,
    Entry,
    Rollover,
    line_through,
    of_runs,
    roll_traces,
    verdict,
)
from jounce.results.figures import Figures
from jounce.results.key_figures.common import DEGREE
from jounce.results.kinds import Kind
from jounce.results.panels import USUAL, signals
from jounce.results.run import Run
from jounce.results.signals import crossing
from jounce.runtime.program import End, Phase, Program, Stop, When

if TYPE_CHECKING:
    from jounce.events.start import Start

WAITS = 3.0  # s that the hand wheel waits for the car to roll


def _reversal(run: Run, figures: Figures, entry: Entry) -> None:
    """When the hand wheel turns back, and how the car rolls then."""
    hand = math.copysign(1.0, entry.amplitude) * run.signal("steering")
    back = crossing(run.time, hand, 0.0, after=entry.there, rising=False)
    reversal = back - abs(entry.amplitude) / entry.rate  # the hand wheel goes back along a straight line
    figures.put("dwell", reversal - entry.there, "s")
    if run.has_signal("roll_rate") and not math.isnan(reversal):
        p = float(np.interp(reversal, run.time, run.signal("roll_rate")))
        figures.put("roll_rate_at_reversal", abs(p) / DEGREE, "deg/s")


of_run = of_runs(_reversal)


class Fishhook(Rollover):
    """Steer quickly, and back when the car has rolled furthest: does it lift its wheels?

    One run, or a series of entry speeds from `first_speed` on; a series ends in a direction when the car tips up.
    """

    kind: ClassVar[str] = "fishhook"
    title: ClassVar[str] = "Fishhook"
    standard: ClassVar[str] = "NHTSA NCAP rollover"
    results: ClassVar[Kind] = Kind(
        (of_run,),
        (roll_traces, *USUAL, signals("roll_rate")),
        {**WORDS, "dwell": "Pause before the reversal", "roll_rate_at_reversal": "Roll rate at the reversal"},
        FIRST,
        (TABLE,),
        verdict,
    )
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "iso": {},
        "nhtsa": {"first_speed": 56 / 3.6, "direction": "both"},
        "vi": {"factor": 8.0, "speed": 22.5, "end_time": 30.0},
    }
    moves: ClassVar[tuple[str, ...]] = (
        *("direction", "first_speed", "steering_at_nominal", "factor", "rate"),
        *("reversal", "dwell", "hold", "return_time", "roll_rate"),
    )

    end_time: float = quantity("s", 10.0, gt=0, typical=(1e-3, 7200.0), doc="end of a run")
    rate: float = quantity("rad/s", math.radians(720), gt=0, typical=(0.5, 35.0), doc="speed of the hand wheel")
    reversal: Literal["roll_rate", "time"] = choice(
        "roll_rate", doc="when the hand wheel turns back: when the car stops to roll, or after a fixed time"
    )
    dwell: float = quantity("s", 0.25, ge=0, typical=(0.0, 5.0), doc="pause at the amplitude, with a fixed time")
    hold: float = quantity("s", 3.0, ge=0, typical=(0.0, 30.0), doc="time at the second amplitude")
    return_time: float = quantity("s", 2.0, gt=0, typical=(0.01, 30.0), doc="of the return to straight ahead")

    def program(self, start: Start) -> Program:
        a, turn = self.amplitude, abs(self.amplitude) / self.rate
        begin = self.start_time
        straight, over = self.straight(start), self.ends()
        back = [(2 * turn, -a), (2 * turn + self.hold, -a), (2 * turn + self.hold + self.return_time, 0.0)]
        rest = self.end_time
        if self.reversal == "time":
            there = turn + self.dwell
            way = [(0.0, 0.0), (turn, a), (there, a), *((there + t, angle) for t, angle in back)]
            return Program(straight, Phase("steer", self.coasting(line_through(way)), duration=rest - begin, ends=over))
        out = line_through([(0.0, 0.0), (begin, 0.0), (begin + turn, a)] if begin else [(0.0, 0.0), (turn, a)], True)
        late = End(
            When("time", ">=", begin + turn + WAITS),
            then=Stop(f"the car did not roll and stop to roll ({self.roll_rate / DEGREE:g} deg/s)", failed=True),
        )
        reverse = End([self.rolled_out(), When("time", ">=", begin + turn)])
        return Program(
            straight,
            Phase("steer", self.coasting(out), ends=[*over, End(self.rolls()), late]),
            Phase("dwell", self.coasting(out), ends=[*over, reverse, late]),
            Phase(
                "counter",
                self.coasting(line_through([(0.0, a), *back])),
                ends=[*over, End(When("time", ">=", rest), then=Stop("end time"))],
            ),
        )
