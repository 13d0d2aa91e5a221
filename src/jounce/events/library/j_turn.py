"""J-turn: a hard turn from straight ahead, with a short full braking when the car has rolled furthest.

With the hand wheel angle A for 0.3 g, coasting from the entry speed:

    0 → n A at 1000 deg/s;   there for 4 s;   → 0 at 8.25 rad/s                                                 (1)

and the brake fully on for 0.5 s: when the car stops to roll (|p| < 1.5 deg/s after it has been above, the hand
wheel being at n A), or at a given time after the hand wheel came there. Where the car does not stop to roll in time,
the pulse ends with the 4 s. n = 8 ([NHTSA2003]).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from jounce.core.fields import quantity
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
from jounce.runtime.program import End, Phase, Program, Stop, When

if TYPE_CHECKING:
    from jounce.events.start import Start


def _braking(run: Run, figures: Figures, entry: Entry) -> None:
    """When the brake comes, and how the car rolls then."""
    if not run.has_signal("brake"):
        return
    on = np.flatnonzero((run.signal("brake") > 0.5) & (run.time >= entry.start))
    if not len(on):
        figures.missing(["brake_delay"], "s", "j-turn: the brake was not applied")
        return
    figures.put("brake_delay", float(run.time[on[0]]) - entry.there, "s")
    if run.has_signal("roll_rate"):
        figures.put("roll_rate_at_brake", abs(float(run.signal("roll_rate")[on[0]])) / DEGREE, "deg/s")


of_run = of_runs(_braking)


class JTurn(Rollover):
    """Steer hard from straight ahead and brake for a moment: does the car lift its wheels?

    One run, or a series of entry speeds from `first_speed` on; a series ends in a direction when the car tips up.
    """

    kind: ClassVar[str] = "j-turn"
    title: ClassVar[str] = "J-turn"
    standard: ClassVar[str] = "NHTSA J-turn with pulse braking"
    results: ClassVar[Kind] = Kind(
        (of_run,),
        (roll_traces, *USUAL, signals("brake", "roll_rate")),
        {
            **WORDS,
            "brake_delay": "Brake after the hand wheel came to its amplitude",
            "roll_rate_at_brake": "Roll rate when the brake begins",
        },
        FIRST,
        (TABLE,),
        verdict,
    )
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "iso": {},
        "nhtsa": {"first_speed": 56 / 3.6, "speed": 96 / 3.6, "direction": "both"},
        "vi": {"speed": 22.5, "end_time": 30.0},
    }
    moves: ClassVar[tuple[str, ...]] = (
        *("direction", "first_speed", "steering_at_nominal", "factor", "rate", "return_rate"),
        *("hold", "brake_delay", "brake_time", "brake", "roll_rate"),
    )

    end_time: float = quantity("s", 8.0, gt=0, typical=(1e-3, 7200.0), doc="end of a run")
    factor: float = quantity("-", 8.0, gt=0, typical=(0.5, 20.0), doc="amplitude over A")
    rate: float = quantity("rad/s", math.radians(1000), gt=0, typical=(0.5, 35.0), doc="speed of the hand wheel")
    return_rate: float = quantity("rad/s", 8.25, gt=0, typical=(0.1, 35.0), doc="speed of the hand wheel back to zero")
    hold: float = quantity("s", 4.0, gt=0, typical=(0.1, 30.0), doc="time at the amplitude")
    brake: float = quantity("-", 1.0, ge=0, le=1, doc="brake demand of the pulse")
    brake_time: float = quantity("s", 0.5, gt=0, typical=(0.01, 10.0), doc="of the pulse")
    brake_delay: float | None = quantity(
        "s",
        None,
        ge=0,
        typical=(0.0, 10.0),
        doc="of the pulse, from the amplitude on; absent: when the car stops to roll",
    )

    def program(self, start: Start) -> Program:
        a, turn, begin = self.amplitude, abs(self.amplitude) / self.rate, self.start_time
        there, back = begin + turn, begin + turn + self.hold
        ways = [(0.0, 0.0), (begin, 0.0), (there, a), (back, a), (back + abs(a) / self.return_rate, 0.0)]  # (1)
        steering = line_through(ways, absolute=True)
        straight, over = self.straight(start), self.ends()
        last = back - self.brake_time if self.brake_delay is None else there + self.brake_delay
        late, wait = When("time", ">=", last), self.coasting(steering)
        waiting = [Phase("turn", wait, ends=[*over, End(late)])]
        if self.brake_delay is None:
            now = [self.rolled_out(), When("time", ">=", there)]
            waiting = [
                Phase("turn", wait, ends=[*over, End(self.rolls()), End(late)]),
                Phase("roll", wait, ends=[*over, End(now), End(late)]),
            ]
        over_time = End(When("time", ">=", self.end_time), then=Stop("end time"))
        return Program(
            straight,
            *waiting,
            Phase("brake", self.coasting(steering, self.brake), duration=self.brake_time, ends=over),
            Phase("rest", self.coasting(steering), ends=[*over, over_time]),
        )
