"""A steering that is modelled elsewhere, in whole runs: a driver of a path finds out its ratio and drives with it."""

from __future__ import annotations

import math
import re
import runpy
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jounce as jn
from jounce.core.errors import ParameterError
from jounce.events import Follow, StraightBraking
from jounce.events.engine import make_ready
from jounce.events.options import Options
from jounce.events.straight import straight_ahead
from jounce.results.run import Run

INPUT, FLAG = "Steering.L1.SuspensionSplinesInput", "Steering.L1.InternalSteeringColumnFlag"
READS = ("driver_demands.steering", "driver_demands.steering_velocity")  # of the driver, or of the run
WRITES = (INPUT, f"{INPUT}Velocity")
OWN = 0.0585 / (2 * math.pi)  # m/rad, rack travel of the sedan's file


@lru_cache
def sedan() -> jn.Vehicle:
    """With a rack that the hand wheel moves stiffly, so that a ratio is all there is to its steering."""
    return jn.load("sedan").with_(**{"steering.rack_pinion": None})


def column(ratio: float, **more: Any) -> jn.OutsideBlock:
    return jn.OutsideBlock(
        lambda t, u: (ratio * u[0], ratio * u[1]), READS, WRITES, name="column", **{"stateless": True, **more}
    )


def driven(event: Follow, flag: float, ratio: float) -> Run:
    return jn.run(sedan(), event, inputs={FLAG: flag}, blocks=[column(ratio)])


def known(flag: float, block: jn.OutsideBlock) -> Any:
    """What the car knows of its steering before it starts."""
    return make_ready(sedan(), Follow(driver="contour"), Options.of(inputs={FLAG: flag}, blocks=[block]))


def test_the_ratio_of_a_steering_from_outside_is_found_out() -> None:
    own = known(1.0, column(0.3)).steering_ratio
    assert known(0.0, column(OWN)).steering_ratio == pytest.approx(own, rel=1e-9)
    # the rack is that of the car: at one degree of the hand wheel the maps are straight to a part in ten thousand
    assert known(0.0, column(0.7 * OWN)).steering_ratio == pytest.approx(own / 0.7, rel=1e-3)
    assert known(0.0, column(-OWN)).steering_ratio == pytest.approx(-own, rel=1e-9)


def test_a_steering_that_comes_to_rest_is_waited_for() -> None:
    class Lagging:
        """Behind the hand wheel by 50 ms."""

        x = 0.0

        def __call__(self, t: float, u: Any) -> tuple[float, float]:
            rate = (0.5 * OWN * u[0] - self.x) / 0.05
            self.x += 0.001 * rate
            return self.x, rate

        def get_state(self) -> np.ndarray:
            return np.array([self.x])

        def set_state(self, state: np.ndarray) -> None:
            self.x = float(state[0])

    block = jn.OutsideBlock(Lagging(), READS, WRITES, name="column")
    start = known(0.0, block)
    assert start.steering_ratio == pytest.approx(2 * known(1.0, column(1.0)).steering_ratio, rel=1e-3)


def test_a_steering_that_cannot_begin_anew_is_told() -> None:
    start = known(0.0, column(OWN, stateless=False))
    assert math.isnan(start.steering_ratio)
    assert any("the steering ratio is not known: block 'column'" in text for text in start.warnings)
    with pytest.raises(
        ParameterError, match=r"driver of a path needs the ratio of the steering: block 'column'.*state"
    ):
        jn.run(sedan(), Follow(driver="contour"), inputs={FLAG: 0.0}, blocks=[column(OWN, stateless=False)])


def test_such_a_steering_is_told_on_a_straight_line_too() -> None:
    start = known(0.0, column(OWN, stateless=False))
    braking = StraightBraking()
    assert straight_ahead(braking.changed(straight_line=False), start)
    with pytest.raises(ParameterError, match=r"straight line needs the ratio.*block 'column'.*straight_line=False"):
        straight_ahead(braking, start)


def test_a_lane_change_with_half_the_ratio() -> None:
    inside, outside = driven(Follow(driver="contour"), 1.0, 0.0), driven(Follow(driver="contour"), 0.0, 2 * OWN)
    assert inside.complete and outside.complete
    assert outside.quantity("steering_ratio") == pytest.approx(inside.quantity("steering_ratio") / 2, rel=1e-3)
    hands = [np.abs(run["driver_demands.steering"]).max() for run in (inside, outside)]
    assert hands[1] == pytest.approx(hands[0] / 2, rel=0.01)  # the same way, with half the hand wheel
    # as well as with the car's own steering; a driver who believed its ratio would turn the wheels twice as far
    assert outside.kpis["path_error_max"][0] == pytest.approx(inside.kpis["path_error_max"][0], abs=0.01)


def test_the_page_of_the_documentation_drives_with_a_column_of_its_own(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "docs" / "steering.md").read_text(encoding="utf-8")
    script = tmp_path / "column.py"
    script.write_text(next(code for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "column =" in code))
    run = runpy.run_path(str(script))["run"]
    own = driven(Follow(driver="contour"), 1.0, 0.0)
    assert run.complete
    assert run.quantity("steering_ratio") == pytest.approx(own.quantity("steering_ratio") * OWN / 0.0093, rel=1e-3)
    assert run.kpis["path_error_max"][0] == pytest.approx(own.kpis["path_error_max"][0], abs=0.01)


@pytest.mark.slow
def test_a_lap_is_that_of_the_steering_inside() -> None:
    event = Follow(path="handling", speed=15.0, driver="contour")
    inside, outside = driven(event, 1.0, 0.0), driven(event, 0.0, OWN)
    laps = [run.kpis["lap_time"][0] for run in (inside, outside)]
    assert laps[0] > 30.0
    assert laps[1] == pytest.approx(laps[0], abs=1e-3)
