"""What the driver knows at the start: resistance is that of air and tires, whatever holds the speed."""

from __future__ import annotations

import pytest

from jounce import events
from jounce.events.follow import knowledge
from jounce.events.scene import Scene
from jounce.events.start import Start
from jounce.sim import car as cars
from jounce.vehicle.reading import load


@pytest.mark.slow
def test_brakes_that_hold_the_speed_are_no_resistance() -> None:
    """Downhill by 10 % the brakes hold 20 m/s, uphill the engine pushes: air and tires resist alike within 1 %."""
    description = cars.describe(load("sedan"), ground="inclined")
    found = {}
    for grade in (-0.1, 0.0, 0.05):
        start = Start(description, events.StraightBraking(speed=20.0, grade=grade), scene=Scene("inclined"))
        assert (start.brake > 0.01) == (grade < 0) and (start.throttle > 0.01) == (grade >= 0)
        found[grade] = knowledge(start, False)["resistance"]
    assert found[0.0] > 200.0
    assert found[-0.1] == pytest.approx(found[0.0], rel=0.01)
    assert found[0.05] == pytest.approx(found[0.0], rel=0.01)
