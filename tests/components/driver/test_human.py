"""The human driver around the contour, on a kinematic car that answers late."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from jounce.components.driver.contour import Contour
from jounce.components.driver.human import DAMPING, SKILLS, Human, pedal_lag
from jounce.core.tables import Table
from jounce.road.path import Path
from jounce.runtime.program import FromTable, Open, Phase, Program
from jounce.runtime.recording import Recording
from path_rig import ride, rig

ORDER = ("robot", *SKILLS)
LANE = dict.fromkeys(ORDER[:3], 0.85)  # m: half of a lane of 3.5 m less half of a car; a novice may leave it
AT, HEADING = (13.0, -4.0), 0.6


@lru_cache
def library(skill: str) -> Any:
    return rig(Contour, **({} if skill == "nobody" else {"human": Human(skill=skill)}))


def winding() -> Path:
    """A lane change and a corner, both ways."""
    s = [0, 80, 85, 110, 115, 140, 145, 250, 270, 350, 370, 900]
    k = [0, 0, 0.008, 0.008, -0.008, -0.008, 0, 0, -0.012, -0.012, 0, 0]
    return Path.from_curvature(s, k).moved(*AT, heading=HEADING)


def beside(path: Path, s: float, offset: float) -> dict[str, float]:
    (x, y, _), heading = path.at(s), float(path.at(s, "heading"))
    return {"x": x - offset * math.sin(heading), "y": y + offset * math.cos(heading), "heading": heading}


def shaken(skill: str, road: Table, seconds: float, **numbers: float) -> Recording:
    """A straight road that shakes the steering, the same for everybody."""
    path = Path.straight(2000.0).moved(*AT, heading=HEADING)
    sim = ride(library(skill), [path], speed=20.0, car={"lag": 0.1}, **beside(path, 10.0, 0.0))
    sim.set_parameters({f"rider.human.{name}": value for name, value in numbers.items()} if skill in SKILLS else {})
    channel = Open("car.noise", FromTable(road))
    return sim.run(program=Program(Phase("road", [channel], duration=seconds)), interval=0.01)


def test_a_robot_is_nobody_bit_by_bit() -> None:
    path = winding()
    runs = [
        ride(library(skill), [path], speed=21.0, car={"lag": 0.1}, **beside(path, 5.0, -0.4)).run(15.0)
        for skill in ("nobody", "robot")
    ]
    assert set(runs[0].names) == set(runs[1].names)
    for name in runs[0].names:
        assert np.array_equal(runs[0][name], runs[1][name]), name
    assert np.ptp(runs[0]["car.hand"]) > 0.5
    assert pedal_lag("robot") is None and pedal_lag("novice") == 0.25


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_the_worse_the_driver_the_later_he_answers(side: float) -> None:
    """A kick of the steering at 1 s: nobody moves his hands before his delay is over."""
    t = np.array([0.0, 1.0, 1.01, 1.3, 1.31, 4.0])
    kick = Table([t], np.array([0.0, 0.0, 0.02, 0.02, 0.0, 0.0]) * side, method="linear", extrapolation="flat")
    answers = []
    for skill in ORDER:
        run = shaken(skill, kick, 4.0, noise=0.0)
        hand = np.abs(run["car.hand"] - run["car.hand"][99])
        answers.append(float(run.time[np.flatnonzero((hand > 0.002) & (run.time > 1.0))[0]]) - 1.0)
    assert answers == sorted(answers) and len(set(answers)) == 4
    for skill, answer in zip(ORDER[1:], answers[1:], strict=True):
        assert SKILLS[skill].delay < answer < SKILLS[skill].delay + 0.35


def test_on_a_rough_road_fast_steering_falls_with_the_skill() -> None:
    """Power of the hand wheel above 5 Hz."""
    rng = np.random.default_rng(3)
    t = np.arange(0.0, 40.0, 0.01)
    rough = Table([t], rng.normal(0.0, 0.002, len(t)), method="linear", extrapolation="flat")
    power = []
    for skill in ORDER:
        hand = shaken(skill, rough, 40.0)["car.hand"][400:]
        spectrum = np.abs(np.fft.rfft((hand - hand.mean()) * np.hanning(len(hand)))) ** 2
        power.append(float(spectrum[np.fft.rfftfreq(len(hand), 0.01) > 5.0].sum()))
    assert all(b < 0.7 * a for a, b in pairwise(power)), power


@pytest.mark.parametrize("speed", [14.0, 24.0])
def test_all_skills_stay_on_a_winding_path(speed: float) -> None:
    """What a robot drives the others drive as well, less exactly."""
    path, errors = winding(), []
    for skill in ORDER:
        run = ride(library(skill), [path], speed=speed, car={"lag": 0.1}, **beside(path, 5.0, 0.0)).run(480 / speed)
        errors.append(float(np.sqrt(np.mean(run["driver.offset"] ** 2))))
        assert np.abs(run["driver.offset"]).max() < LANE.get(skill, 1.5)
    assert errors == sorted(errors)


def test_noise_is_as_large_as_said_and_comes_again_with_its_seed() -> None:
    """A car that stands on its path: the hands are alone with their unrest."""
    path = Path.straight(300.0).moved(*AT, heading=HEADING)

    def hands(skill: str, seed: float) -> Any:
        sim = ride(library(skill), [path], speed=0.0, **beside(path, 50.0, 0.0))
        sim.set_parameters({"rider.human.seed": seed})
        return sim.run(600.0, interval=0.1)["car.hand"]

    for skill, numbers in SKILLS.items():
        found = hands(skill, 7.0)
        # 600 s at a correlation time of 1/3 s are some 900 numbers: 8 % are 3.5 standard deviations of σ
        assert np.std(found) == pytest.approx(numbers.noise, rel=0.08)
        assert abs(np.mean(found)) < 0.15 * numbers.noise
        assert np.array_equal(found, hands(skill, 7.0))
        assert abs(np.corrcoef(found, hands(skill, 8.0))[0, 1]) < 0.15


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_arms_begin_as_an_oscillator_that_takes_the_steering_for_more_direct(side: float) -> None:
    """The first sample of (3) in closed form, about what a robot would do."""
    path = Path.straight(600.0).moved(*AT, heading=HEADING)
    start = {"speed": 18.0, "preview_time": 1.4, **beside(path, 5.0, 0.2 * side)}
    robot = ride(library("robot"), [path], **start)
    robot.run(0.002)
    wanted = robot.output("driving_machine_monitor.driver_steering")
    assert -side * wanted > 0.05
    h = 0.01
    for skill, numbers in SKILLS.items():
        sim = ride(library(skill), [path], **start)
        sim.set_parameters({"rider.human.noise": 0.0})
        w = numbers.arms * h
        first = (1 + numbers.gain_error) * wanted * w * w / (1 + 2 * DAMPING * w + w * w)
        assert sim.run(0.01)["car.hand"][-1] == pytest.approx(first, rel=1e-9), skill


def test_arms_are_no_faster_than_those_of_their_skill() -> None:
    path = Path.straight(600.0).moved(*AT, heading=HEADING)
    for skill, numbers in SKILLS.items():
        sim = ride(library(skill), [path], speed=9.0, preview_time=1.0, **beside(path, 5.0, 6.0))
        run = sim.run(1.5)
        rates = np.abs(np.diff(run["car.hand"]) / np.diff(run.time))
        assert rates.max() == pytest.approx(numbers.rate, rel=1e-6), skill


def test_a_human_looks_a_second_ahead_and_does_not_anticipate() -> None:
    path = Path.straight(600.0).moved(*AT, heading=HEADING)
    for skill, preview in (("robot", 0.5), ("standard", 1.0)):
        sim = ride(library(skill), [path], speed=18.0, preview_time=0.5, **beside(path, 5.0, 0.0))
        sim.run(0.5)
        assert sim.output("driver.preview") == pytest.approx(preview * 18.0)
    bend = winding()
    runs = []
    for early in (0.0, 0.3):
        sim = ride(library("standard"), [bend], speed=18.0, anticipation=early, **beside(bend, 5.0, 0.0))
        runs.append(sim.run(8.0)["car.hand"])
    assert np.array_equal(*runs)
