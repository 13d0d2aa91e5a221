"""The preview driver on a kinematic car: the compiled law against the linear problem solved beside it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from jounce.components.driver.preview import Preview
from jounce.events.steering import preview_tables
from jounce.road.path import Path
from jounce.sim import preview
from jounce.sim.preview import Law, design, rolling_slowly, sampled
from jounce.sim.preview_schedule import Schedule
from path_rig import RATIO, WHEELBASE, ride, rig

HEADING, AT = 2.3, (-41.0, 13.0)
PER_CURVATURE = WHEELBASE * RATIO
SPEEDS = (-7.0, -2.0, 2.0, 9.0, 26.0)
MOST = 8.0
OFFSET = "driver.offset"


def law_at(speed: float, delay: int = 0) -> Law:
    omega = preview.bandwidth(speed, WHEELBASE)
    return design(
        rolling_slowly(speed, PER_CURVATURE, 0.0), omega, delay=delay, ahead=round(9 / omega / preview.PERIOD)
    )


def tables(delay: int = 0, pull: float = 0.0, slip: float = 1.5) -> dict[str, Any]:
    """The schedule of the kinematic car: the same at all lateral accelerations."""
    gains, straight = [], []
    for speed in SPEEDS:
        law, spacing = law_at(speed, delay), preview.SPACING / preview.bandwidth(speed, WHEELBASE)
        row = [0.0, 0.0, *law.feedback[:4], PER_CURVATURE, 0.0, *law.feedback[4:]]
        gains.append(np.tile(row, (2, 1)))
        straight.append([MOST, spacing, pull, 0.0, slip, *preview.shares(law.preview, preview.PERIOD, spacing)])
    found = Schedule(np.array(SPEEDS), np.array([-1.0, 1.0]), np.array(gains), np.array(straight))
    return preview_tables(found, "rider.")


@pytest.fixture(scope="module")
def library() -> Any:
    return rig(Preview)


def placed(path: Path) -> Path:
    return path.moved(*AT, heading=HEADING)


def beside(path: Path, s: float, offset: float, turned: float = 0.0) -> dict[str, float]:
    (x, y, _), heading = path.at(s), float(path.at(s, "heading"))
    at = {"x": x - offset * math.sin(heading), "y": y + offset * math.cos(heading), "heading": heading + turned}
    return {name: float(value) for name, value in at.items()}


def linear(speed: float, start: np.ndarray, bends: np.ndarray, count: int, delay: int = 0) -> np.ndarray:
    """e at the samples of the linear car under (5), with the preview gains as they are."""
    law = law_at(speed, delay)
    phi, gamma, bend = sampled(rolling_slowly(speed, PER_CURVATURE, 0.0), preview.PERIOD, delay)
    state, found = start.copy(), []
    for k in range(count):
        found.append(state[0])
        ahead = bends[k : k + len(law.preview)]
        w = -law.feedback @ state - law.preview[: len(ahead)] @ ahead
        state = phi @ state + gamma * w + bend * bends[k]
    return np.array(found)


@pytest.mark.parametrize(("speed", "offset", "turned"), [(26.0, 4e-3, 0.0), (9.0, -3e-3, 1e-3), (2.0, 2e-3, -1e-3)])
def test_an_offset_is_taken_back_as_the_linear_problem_says(library, speed, offset, turned):
    path = placed(Path.straight(1500.0, step=1.0))
    sim = ride(library, [path], speed=speed, **beside(path, 30.0, offset, turned))
    sim.set_tables(tables())
    run = sim.run(round(20 / preview.bandwidth(speed, WHEELBASE)))
    # he begins at the second sample: at the first he takes the hand wheel over
    every = round(preview.PERIOD / (run.time[1] - run.time[0]))
    told = run[OFFSET][::every]
    start = np.array([told[1], turned, 0.0, 0.0])
    count = len(told) - 1
    expected = linear(speed, start, np.zeros(count), count)
    # 1 ms between sample and row, at the largest rate of the offset, about ω
    assert told[1:] == pytest.approx(expected, abs=5e-3 * abs(offset))


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_bend_is_met_as_the_linear_problem_says(library, side):
    """A path that swings softly: e and the lead of the hand are those of (5), found with all curvatures ahead."""
    speed, size, long = 26.0, 2e-5 * side, 60.0
    s = np.arange(0.0, 900.0, 0.5)
    swing = size * np.sin(2 * np.pi * (s - 300.0) / long) ** 2 * ((s > 300) & (s < 300 + long))
    path = placed(Path.from_curvature(s, swing, step=0.5))
    sim = ride(library, [path], speed=speed, **beside(path, 100.0, 0.0))
    sim.set_tables(tables())
    run = sim.run(20.0)
    every = round(preview.PERIOD / (run.time[1] - run.time[0]))
    told = run[OFFSET][::every]
    at = 100.0 + speed * preview.PERIOD * (np.arange(len(told) + 900) + 0.5)
    bends = np.interp(at, s, swing)
    expected = linear(speed, np.zeros(4), bends, len(told))
    assert np.abs(expected).max() > 1e-5
    assert told == pytest.approx(expected, abs=0.04 * np.abs(expected).max())  # nodes 1.3 m apart, samples


@pytest.mark.parametrize(("radius", "side", "speed"), [(120.0, 1.0, 20.0), (45.0, -1.0, 9.0), (9.0, 1.0, 2.0)])
def test_on_a_circle_the_car_is_on_it(library, radius, side, speed):
    """Also where the path turns by more than a right angle within what he looks at."""
    path = placed(Path.from_curvature([0, 2 * math.pi * radius], [side / radius] * 2, closed=True))
    sim = ride(library, [path], speed=speed, **beside(path, 3.0, 0.0))
    sim.set_tables(tables())
    run = sim.run(round(40 / preview.bandwidth(speed, WHEELBASE)))
    # the wheels turn by atan L/R, the schedule says L/R: what is left goes with the slow integral
    assert np.abs(run[OFFSET][-100:]).max() < 0.1 * WHEELBASE**3 / (3 * radius**2) + 1e-3
    assert np.abs(run[OFFSET]).max() < 0.35  # it begins with the hand wheel straight


@pytest.mark.parametrize(("speed", "along"), [(-3.0, 0.0), (-5.0, math.pi), (4.0, math.pi)])
def test_backwards_and_against_the_path(library, speed, along):
    """Reversing with the nose along the path, reversing along the path, and driving against it."""
    s = np.arange(0.0, 400.0, 0.5)
    path = placed(Path.from_curvature(s, 0.01 * np.sin(2 * np.pi * s / 90.0), step=0.5))
    sim = ride(library, [path], speed=speed, **beside(path, 200.0, 0.3, along))
    sim.set_tables(tables())
    run = sim.run(25.0)
    way = np.abs(np.diff(run["driving_machine_monitor.path_s"][[0, -1]]))[0]
    assert way == pytest.approx(25.0 * abs(speed), rel=0.05)
    assert np.abs(run[OFFSET][len(run.time) // 2 :]).max() < 0.08


def test_hands_have_a_rate_and_a_lock(library):
    path = placed(Path.straight(900.0))
    sim = ride(library, [path], speed=20.0, fastest=1.3, lock=0.4, **beside(path, 30.0, -3.0, 0.15))
    sim.set_tables(tables())
    run = sim.run(6.0)
    hand = run["car.hand"]
    rate = np.diff(hand) / np.diff(run.time)
    assert np.abs(rate).max() == pytest.approx(1.3, rel=1e-6)
    assert np.abs(hand).max() == pytest.approx(0.4, rel=1e-6)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_an_offset_counts_up_to_what_the_tires_can_take_back(library, side):
    """(2), on a straight path with wheels ahead: the hand begins to turn with k_e times the offset, or its limit."""
    speed = 26.0
    by_offset, _, by_hand, _ = law_at(speed).feedback
    reach = MOST * abs(by_hand * PER_CURVATURE) / (abs(by_offset) * speed**2)
    path, rates = placed(Path.straight(900.0)), []
    for part in (0.6, 1.0, 1.4, 3.0):
        sim = ride(library, [path], speed=speed, fastest=1e6, **beside(path, 30.0, side * part * reach))
        sim.set_tables(tables())
        hand = sim.run(0.03)["car.hand"][::10]
        rates.append((hand[2] - hand[1]) / preview.PERIOD)  # at the first sample he takes the hand wheel over
    assert rates[1] == pytest.approx(-side * by_offset * reach, rel=1e-2)  # and a little for the integral
    assert np.array(rates) / rates[1] == pytest.approx([0.6, 1.0, 1.0, 1.0], rel=1e-2)


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize(("speed", "kept"), [(12.0, True), (2.5, False)])
def test_the_wheels_stay_near_the_direction_of_their_axle(library, side, speed, kept):
    """A kinematic car has no slip: from one sample to the next its wheels may turn by α_max, above 3 m/s."""
    path = placed(Path.straight(300.0))
    hands = []
    for slip in (1.5, 0.004):
        sim = ride(library, [path], speed=speed, **beside(path, 20.0, 0.5 * side, 0.6 * side))
        sim.set_tables(tables(slip=slip))
        hands.append(float(np.abs(np.diff(sim.run(0.06)["car.hand"][::10])).max()))
    free, held = hands
    assert free > 3 * RATIO * 0.004
    # the direction of the axle is L ψ̇/v, where the hand was: it may go further by so much
    assert held == pytest.approx(RATIO * 0.004, rel=2e-2) if kept else held == free


def test_a_path_that_no_tire_follows_is_steered_like_the_sharpest_that_they_do(library):
    """Beyond the largest lateral acceleration more curvature asks for no more of the hand wheel."""
    speed, hands = 26.0, []
    for times in (1.0, 1.5, 0.5):
        radius = speed**2 / (times * MOST)
        path = placed(Path.from_curvature([0, 2 * math.pi * radius], [-1 / radius] * 2, closed=True))
        sim = ride(library, [path], speed=speed, **beside(path, 3.0, 0.0))
        sim.set_tables(tables())
        hands.append(float(sim.run(0.04)["car.hand"][-1]))
    assert hands[0] < -0.02
    assert hands[1] == pytest.approx(hands[0], rel=0.06)  # the heading error grows a little faster
    assert hands[2] == pytest.approx(0.5 * hands[0], rel=0.1)


def test_a_pull_to_one_side_leaves_no_offset(library):
    """What the schedule does not know: the integral takes it away."""
    path = placed(Path.straight(2000.0))
    sim = ride(library, [path], speed=22.0, **beside(path, 30.0, 0.0))
    sim.set_tables(tables(pull=0.03))
    run = sim.run(40.0)
    assert np.abs(run[OFFSET]).max() > 5e-3
    assert np.abs(run[OFFSET][-50:]).max() < 2e-4


@pytest.mark.slow
def test_a_reaction_time_is_part_of_the_problem():
    """Twelve samples late: the law that knows it follows the linear problem; the one that does not is unsteady."""
    late = rig(Preview, delay=12)
    path = placed(Path.straight(1500.0))
    size = 5e-3
    sim = ride(late, [path], speed=26.0, **beside(path, 30.0, size))
    sim.set_tables(tables(delay=12))
    run = sim.run(8.0)
    every = round(preview.PERIOD / (run.time[1] - run.time[0]))
    told = run[OFFSET][::every]
    start = np.zeros(16)
    start[0] = size
    expected = linear(26.0, start, np.zeros(len(told)), len(told), delay=12)
    assert told[1:] == pytest.approx(expected[:-1], abs=5e-3 * size)
