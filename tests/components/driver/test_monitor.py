"""The monitor of a manoeuvre: shares and limits of pedals, distance and curvature of the way, inputs of the run."""

from __future__ import annotations

import numpy as np
import pytest

from cars import compact
from jounce.events import find
from jounce.events.engine import make_ready
from jounce.events.options import Options
from jounce.runtime.program import Constant, End, Open, Phase, Program, Ramp, Stop, When

MANOEUVRE = find("manoeuvre")


@pytest.fixture(scope="module")
def start():
    """A car at 20 m/s, at another place and heading, with the parts of a manoeuvre."""
    stage = {"name": "a", "steering": 0.0, "speed": "maintain", "abort_time": 1}
    limits = {"throttle": {"minimum": 10, "maximum": 60, "scale": 100, "full": 100}}
    event = MANOEUVRE(begin={"speed": 20}, x=7, y=-3, heading=2.1, stages=[stage], **limits)
    return make_ready(compact(), event, Options.made(step=0.001) if hasattr(Options, "made") else Options())


def driven(start, channels, seconds=1.0):
    start.restart()
    return start.sim.run(seconds, program=Program(Phase("p", channels)), interval=0.01)


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_a_pedal_is_shared_and_limited(start, share):
    """u = clip(u_r + w (u_d − u_r), 0.1, 0.6), with the driver's demand from a run in which he has all."""
    common = [Open("driver.active", Constant(1.0)), Open("driver.target_speed", Ramp(24.0, 1.0, start=20.0))]
    found = driven(
        start, [*common, Open("throttle", Constant(0.8)), Open("driver.share.throttle", Constant(share))], 0.02
    )
    own = start.sim.signal("driver.pedals.throttle")
    expected = np.clip(0.8 + share * (own - 0.8), 0.1, 0.6)
    assert found["driver.demand.throttle"][-1] == pytest.approx(expected, abs=1e-12)
    assert own != pytest.approx(0.8, abs=0.05)


def test_distance_and_curvature_of_the_way(start):
    """Against the positions: the length of the polygon of the centre of gravity, and the turn of its direction."""
    found = driven(start, [Open("steering_wheel", Ramp(-0.5, 0.5, start=0.0)), Open("throttle", Constant(0.2))], 3.0)
    x, y = found["Vehicle.CM_Global_X"], found["Vehicle.CM_Global_Y"]
    way = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))])
    # chords are shorter by (κ ds)²/24 of their length, below 1e-6 here
    np.testing.assert_allclose(found["driver.distance"], way, atol=2e-3)
    course = np.unwrap(np.arctan2(np.gradient(y), np.gradient(x)))
    bend = np.gradient(course) / np.gradient(way)
    steady = found.time > 2.0
    np.testing.assert_allclose(found["driver.curvature"][steady][:-2], bend[steady][:-2], rtol=0.02)
    assert found["driver.curvature"][-1] < -1e-3  # to the right
    np.testing.assert_allclose(found["driver.radius"][steady], 1 / found["driver.curvature"][steady], rtol=1e-12)
    assert abs(found["driver.radius"][0]) == 1e6


@pytest.mark.parametrize("wanted", [3.0, 4.1])
def test_a_condition_sees_the_distance_of_its_own_instant(start, wanted):
    """It ends at the first step at which the way is there: less than a step of 1 ms at 20.5 m/s beyond."""
    start.restart()
    end = End(When("driver.distance", ">=", wanted), Stop("there"))
    phase = Phase("p", [Open("steering_wheel", Constant(0.0)), Open("throttle", Constant(0.2))], [end])
    found = start.sim.run(0.5, program=Program(phase), interval=0.001)
    way = np.sum(np.hypot(np.diff(found["Vehicle.CM_Global_X"]), np.diff(found["Vehicle.CM_Global_Y"])))
    # the speed of the sprung mass along its own axes against that of the whole car in plan: 1e-4 of the way
    assert -1e-4 * wanted < way - wanted < 20.5 * start.sim.step + 1e-4 * wanted
