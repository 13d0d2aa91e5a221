"""The part that lets conditions look at channels: the roll rate ends a phase with it, and is no watch without it."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest

import jounce as jn
from jounce import events
from jounce.components.driver.watch import Watch
from jounce.core.errors import ParameterError
from jounce.events.rollover import ROLL_RATE
from jounce.runtime.program import Constant, End, Open, Phase, Program, When


class UntilItRolls(events.Event):
    """Steer until the roll rate passes 3 deg/s, then steer back."""

    kind: ClassVar[str] = ""
    watched: bool = True

    def parts(self) -> Any:
        from jounce.events.follow import follower

        return (follower(), *((Watch(channels=(ROLL_RATE,)),) if self.watched else ()))

    def program(self, start: Any) -> Program:
        steer = [Open("steering_wheel", Constant(0.5)), Open("throttle", Constant(0.0))]
        back = [Open("steering_wheel", Constant(-0.5)), Open("throttle", Constant(0.0))]
        over = End(When(ROLL_RATE, "abs>", "3 deg/s"))
        return Program(Phase("steer", steer, ends=[over]), Phase("back", back, duration=0.2))


def test_a_condition_sees_what_is_watched_and_nothing_else() -> None:
    sedan = jn.load("sedan")
    run = jn.run(sedan, UntilItRolls(speed=20.0, end_time=3.0), interval="1 ms")
    turned = run.signal("steering") < 0
    first = int(np.argmax(turned))
    rate = np.degrees(np.abs(run.signal("roll_rate")))
    assert first > 5 and np.all(rate[: first - 1] <= 3.0) and rate[first] > 3.0
    with pytest.raises(ParameterError, match=f"watch '{ROLL_RATE}': output '{ROLL_RATE}' exists but is not watched"):
        jn.run(sedan, UntilItRolls(speed=20.0, end_time=3.0, watched=False))
