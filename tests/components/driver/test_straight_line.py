"""The straight-line driver: the angle of pure pursuit by hand, on either side of a line of any heading."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import jounce as jn
import jounce.vehicle as jv
from jounce import events
from jounce.components.driver.straight_line import StraightLine

PREVIEW, PER_CURVATURE = 13.0, 37.0


def driver(**changes: float) -> StraightLine:
    return StraightLine(preview=PREVIEW, steering_per_curvature=PER_CURVATURE, **changes)


@pytest.mark.parametrize("away", [0.31, -0.17])
@pytest.mark.parametrize("heading", [0.0, 2.1])
def test_it_steers_back_along_an_arc(plain_car: jv.Vehicle, heading: float, away: float) -> None:
    """A line beside the car, turned by a little: e = away + (d − b) sin(turn), κ = −2 e/d².

    b: the centre of gravity behind the reference point, which is put on the origin.
    """
    turn = 0.008
    line = heading - turn
    # the car starts at the origin with this heading; the line passes at ``away`` to its right
    there = {"x": math.sin(line) * away, "y": -math.cos(line) * away}
    event = events.StraightBraking(
        speed="15 m/s", brake=0.0, straight_line=False, start_time=0.0, end_time=0.01, heading=heading
    )
    run = jn.run(plain_car, event, blocks=[driver(heading=line, **there)], interval="1 ms")
    offset = run["Straight_Line.Offset_Ahead"][0]
    x, y = (run[f"chassis_displacements.{way}"][0] for way in ("longitudinal", "lateral"))
    behind = -(x * math.cos(heading) + y * math.sin(heading))  # of the centre of gravity, from where the car starts
    assert behind > 0.5 and offset == pytest.approx(away + (PREVIEW - behind) * math.sin(turn), abs=1e-6)
    hand = run["driver_demands.steering"][2]
    assert hand == pytest.approx(-2 * PER_CURVATURE * offset / PREVIEW**2, rel=0.01)
    assert hand * offset < 0


@pytest.mark.slow
def test_it_may_use_the_whole_lock_of_the_steering() -> None:
    """On split friction; the lock is where the data of the steering end, or 35 deg of the wheels where they do not."""
    car = jv.load("sedan")
    lock = car.steering.lock
    rack, steer = car.steering.rack_travel, car.steering.steer.curve
    assert lock is not None and rack is not None and math.pi < lock < 4 * math.pi
    ends = [abs(rack(sign * lock)) for sign in (1, -1)] if rack.constant is None else [rack.constant * lock]
    assert max(ends) <= min(-steer.x[0], steer.x[-1]) * (1 + 1e-9)
    without = jv.load(Path(__file__).parents[2] / "references" / "vehicles" / "sedan")  # wheels braked one by one
    run = jn.run(without, events.StraightBraking(end_time=5.0, preview=1.0), road="mu_split")
    assert math.radians(60) < abs(run["driver_demands.steering"]).max() <= lock
    assert car.with_(**{"steering.gear_ratio_scale": 1.5}).steering.lock == pytest.approx(1.5 * lock)
    assert jv.load("sedan").with_(steering={"steer": {"rate": 0.07}}).steering.lock is None
