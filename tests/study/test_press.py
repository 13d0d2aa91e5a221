"""Press manoeuvres: a mass on a path, whose limits are known, and the sedan on a short course."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

import jounce as jn
from jounce.core.errors import ParameterError
from jounce.events import find
from jounce.results.key_figures.cones import Rectangle, of_discs
from jounce.road.courses import Control, through
from jounce.study.press import Level, Outcome, Pressed, press

SEDAN = jn.load("sedan")
SIZE = {"width": 1.8, "front_to_origin": 0.9, "rear_to_origin": 3.8}
POINTS = np.array([[20.0, 0.0], [40.0, 0.0], [60.0, 0.0], [80.0, 0.0], [100.0, 0.0]])
GRID = Control(POINTS, 2.0, 1.0, begin=2, end=4)  # ends of the course stay where they are


class Mass:
    """A mass with a body of one metre on its path; it slides off where v² κ is too much, and hits what stands there."""

    def __init__(self, cones: Sequence[tuple[float, float]] = (), limit: float = math.inf) -> None:
        self.cones, self.limit = np.array(cones, dtype=float).reshape(-1, 2), limit
        self.driven: list[tuple[tuple[float, ...], float, int]] = []

    def __call__(self, moves: Sequence[tuple[float, ...]], speed: float, level: int) -> list[Outcome]:
        return [self.one(one, speed, level) for one in moves]

    def one(self, moves: tuple[float, ...], speed: float, level: int) -> Outcome:
        self.driven.append((moves, speed, level))
        path = through(GRID.trajectory(moves), 20.0, 30.0, step=2.0)
        most = float(np.abs(path.curvature).max())
        if speed**2 * most > self.limit * (0.9 if level >= 0 else 1.0):
            return 100.0 + most, False, "slides"
        if not len(self.cones):
            return 0.0, True, ""
        body = Rectangle(path.s, path.x, path.y, path.heading, 0.5, 0.5, 1.0)
        depth = float(np.maximum(-of_discs(body, self.cones).distance, 0.0).sum())
        return depth, depth == 0.0, "a cone"


def pressed(mass: Mass, **options: object) -> Pressed:
    event = find("cone-course")(speed=10.0, **SIZE)
    usual: dict[str, object] = {"control": GRID, "drives": mass, "population": 8, "generations": 5}
    return press(SEDAN, event, **{**usual, **options})  # type: ignore[arg-type]


def test_a_wide_gate_lets_the_mass_go_as_fast_as_the_search() -> None:
    found = pressed(Mass([(60.0, 8.0), (60.0, -8.0)]), highest=14.0)
    assert found.speed == 14.0 and math.isnan(found.beyond)
    assert found.event.speed == 14.0
    assert any("14 m/s, was reached" in text for text in found.remarks)


def test_a_cone_in_the_way_is_gone_around_at_the_speed_of_the_least_curvature() -> None:
    """Around a cone on the line by a metre; the trajectories of the grid are few enough to try all of them."""
    cone, limit = [(60.0, 0.0)], 4.0
    best = 0.0
    for genes in np.ndindex(5, 5, 5):
        moves = tuple(float(g - 2) for g in genes)
        path = through(GRID.trajectory(moves), 20.0, 30.0, step=2.0)
        if Mass(cone).one(moves, 1.0, -1)[1]:
            most = float(np.abs(path.curvature).max())
            best = max(best, math.sqrt(limit / most) if most > 0 else math.inf)
    found = pressed(Mass(cone, limit), refinements=1, speed_step=0.5, population=12, generations=10)
    # the limit lies in the step of speed above what was found
    assert found.speed <= best < found.beyond + 1e-9
    assert found.beyond == pytest.approx(found.speed + 0.5)
    finer = pressed(Mass(cone, limit), refinements=2, speed_step=0.5, population=8, generations=6)
    assert finer.speed >= found.speed
    assert finer.beyond - finer.speed == pytest.approx(0.25)


def test_one_seed_gives_one_result_and_nothing_is_driven_twice() -> None:
    runs = [pressed(mass := Mass([(60.0, 0.0)], 4.0), seed=7, speed_step=1.0) for _ in range(2)]
    assert runs[0].trials == runs[1].trials and runs[0].to_dict() == runs[1].to_dict()
    assert len(set(mass.driven)) == len(mass.driven)
    assert pressed(Mass([(60.0, 0.0)], 4.0), seed=8).trials != runs[0].trials


def test_every_place_of_a_trial_is_one_of_the_grid() -> None:
    found = pressed(Mass([(60.0, 0.0)], 4.0), refinements=1)
    places = {x for trial in found.trials for x in trial.moves}
    assert places <= {-2.0, -1.0, 0.0, 1.0, 2.0} and len(places) == 5


def test_the_last_refinement_is_that_of_the_full_model() -> None:
    mass = Mass([(60.0, 0.0)], 4.0)
    found = pressed(mass, refinements=2, levels=[Level(1)])
    levels = [trial.level for trial in found.trials]
    assert levels == sorted(levels, reverse=True) and set(levels) == {0, -1}
    fastest = [t for t in found.trials if t.feasible and t.level == -1]
    assert found.speed == max(t.speed for t in fastest)
    with pytest.raises(ParameterError, match="2 of 2 refinements have a simpler model"):
        pressed(mass, refinements=2, levels=[Level(1), Level(1)])


def test_what_only_a_simpler_model_can_is_driven_more_slowly() -> None:
    class Lenient(Mass):
        def one(self, moves: tuple[float, ...], speed: float, level: int) -> Outcome:
            return (0.0, True, "") if level >= 0 or speed <= 11.0 else (1.0, False, "too fast")

    found = pressed(Lenient(), refinements=2, levels=[Level(1)], highest=13.0, speed_step=0.5)
    assert found.speed == 11.0 and found.beyond == pytest.approx(11.25)


def test_a_search_without_a_trajectory_says_so() -> None:
    found = pressed(Mass([(60.0, y) for y in np.arange(-4, 4.1, 0.5)]))
    assert not found.ok and found.moves == () and "begin with a lower speed" in found.remarks[-1]
    assert found.to_dict()["speed"] is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"highest": 5.0}, "highest = 5 m/s not below the speed of the event, 10 m/s"),
        ({"speed_step": 0.0}, "speed_step = 0 m/s must be above 0"),
        ({"population": 1}, "population = 1"),
        ({"refinements": 0}, "0 of 0 refinements"),
    ],
)
def test_wrong_requests(options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        pressed(Mass(), **options)


def test_the_sedan_finds_a_way_and_a_failure_is_no_end() -> None:
    """Three drives on the library's course: its own trajectory passes, one far aside leaves its gates."""
    from jounce.study.press import judged

    event = find("cone-course")(speed=15.0, **SIZE)
    fitness, feasible, _ = judged(jn.run(SEDAN, event.changed(moves=(0.0, 0.0, 0.0))))
    assert feasible and 0 < fitness < 0.05
    worse, feasible, reason = judged(jn.run(SEDAN, event.changed(moves=(0.0, -1.0, -2.0))))
    assert not feasible and worse > 100 and "missed" in reason
    failed, feasible, reason = judged(jn.run(SEDAN, event).between(0, 0))
    assert not feasible and failed == 100.0


@pytest.mark.slow
def test_the_sedan_is_pressed_through_a_course() -> None:
    event = find("cone-course")(speed=70 / 3.6, **SIZE)
    found = press(SEDAN, event, refinements=2, speed_step=2.0, population=6, generations=2, highest=40.0)
    assert found.ok and found.speed > event.speed
    run = jn.run(SEDAN, found.event)
    assert run.verdict.word == "pass" and run.kpis["entry_speed"][0] == pytest.approx(3.6 * found.speed, abs=2.0)
