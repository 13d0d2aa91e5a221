"""Slowly increasing steer: the line of exact signals, the angle of the linear car, mirrored and turned."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import jounce as jn
from assisted_cars import with_steering
from jounce import events
from jounce.core.constants import GRAVITY
from jounce.core.errors import SimulationError
from jounce.events.library.slowly_increasing_steer import at_nominal
from jounce.events.options import Options
from jounce.events.procedure import Before
from jounce.events.start import Start
from jounce.results.run import Run
from jounce.results.trials import kept
from jounce.sim import car as cars
from result_runs import DEG, value

AY = "System_Mass_Center.Tracking_Ay"
SMALL = {"lateral_acceleration": 0.03 * GRAVITY, "slope": 0.45 * DEG, "accept": ("lateral_acceleration",)}


@lru_cache
def car() -> Any:
    """Without the dry friction of suspensions and steering, which a linear model has not."""
    return with_steering("sedan", friction=1e-9).with_(
        **{f"{axle}_suspension.elements[0].scale": 0.0 for axle in ("front", "rear")}
    )


@lru_cache
def ramps(**changes: Any) -> Run:
    return jn.run(car(), events.SlowlyIncreasingSteer(**{**SMALL, "cruise": False, "end_time": 9.0, **changes}))


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("nominal", [0.3 * GRAVITY, 1.7])
def test_the_line_lies_between_a_third_and_five_quarters(side: float, nominal: float) -> None:
    """Rows outside are anything; inside δ = 7° + 5° a/(m/s²) + 0.2° cos(…) whose mean over whole waves is nothing."""
    t = np.linspace(0.0, 8.0, 8001)
    ay = 0.6 * t
    inside = (ay >= nominal / 3) & (ay <= 1.25 * nominal)
    steering = np.where(inside, 7.0 + 5.0 * ay, 1.0 + 20.0 * ay) * DEG
    found = at_nominal(t, side * steering, side * ay, nominal)
    assert value(found, "steering_at_nominal") == pytest.approx(7.0 + 5.0 * nominal, rel=1e-9)
    assert value(found, "steering_line_slope") == pytest.approx(5.0 * GRAVITY, rel=1e-9)
    assert value(found, "steering_line_deviation") == pytest.approx(0.0, abs=1e-9)
    waves = 0.2 * np.cos(2 * math.pi * 40 * (ay - nominal / 3) / (nominal * (1.25 - 1 / 3)))
    found = at_nominal(t, side * (steering + waves * DEG), side * ay, nominal)
    # 40 waves: their slope over the line is of the order of 1/40²
    assert value(found, "steering_at_nominal") == pytest.approx(7.0 + 5.0 * nominal, abs=0.2 / 40)
    assert value(found, "steering_line_deviation") == pytest.approx(0.2 / math.sqrt(2), rel=0.01)


def test_what_does_not_reach_the_line_is_told() -> None:
    t = np.linspace(0.0, 5.0, 501)
    found = at_nominal(t, 0.1 * t, 0.7 * t)
    assert math.isnan(value(found, "steering_at_nominal"))
    assert "reaches 3.5 m/s², the line needs 3.68 m/s²" in found.warnings[0]
    coarse = at_nominal(t[::100], 0.1 * t[::100], 1.0 * t[::100])
    assert math.isnan(value(coarse, "steering_at_nominal")) and "the line needs 5" in coarse.warnings[0]


def test_the_angle_is_that_of_the_linear_car() -> None:
    """δ = a_n/H(0) + rate · delay, with H(iω) = H(0) (1 − iω delay) at low frequency, of the exact linearisation."""
    event = events.SlowlyIncreasingSteer(direction="left", cruise=False, **SMALL)
    start = Start(cars.describe(car()), event)
    model = cars.lineariser(cars.describe(car()), outputs=(AY,)).at(start.sim)
    low = 0.01
    h = complex(model.response([low])[0, 0, model.inputs.index("steering_wheel")])
    delay = -h.imag / h.real / (2 * math.pi * low)
    expected = math.degrees(event.lateral_acceleration / h.real + event.slope * delay)
    assert 0.05 < delay < 0.5
    # tires bend by (a/µg)² ~ 0.1 % at 0.03 g; the line begins 10 delays after the ramp: e^-10 of it is left
    assert ramps().kpis["steering_at_nominal"][0] == pytest.approx(expected, rel=0.005)


def test_both_directions_and_every_heading_are_one() -> None:
    run, turned = ramps(), ramps(heading=2.2)
    left, right = (run.kpis[f"steering_at_nominal_{side}"][0] for side in ("left", "right"))
    assert left == pytest.approx(right, rel=1e-6)
    assert run.kpis["steering_at_nominal"][0] == pytest.approx(0.5 * (left + right), rel=1e-12)
    assert turned.kpis["steering_at_nominal"][0] == pytest.approx(left, rel=1e-6)
    assert [trial.name for trial in run.trials] == ["left", "right"]
    assert run.trials[0].trace.signal("steering")[-1] == pytest.approx(-run.trials[1].trace.signal("steering")[-1])
    assert run.trials[0].trace.signal("steering")[-1] == pytest.approx(8.0 * run.number("slope", "rad/s"), rel=1e-6)


def test_both_directions_count_alike() -> None:
    """A car that pulls to one side: 20° to the left, 26° to the right, 23° for the rule; none where one is lacking."""
    t = np.linspace(0.0, 6.0, 601)
    sides = {"left": (1.0, 20.0), "right": (-1.0, 26.0)}
    trials = []
    for name, (side, angle) in sides.items():
        ay = 0.8 * t
        channels = {AY: side * ay, "driver_demands.steering": side * angle * DEG * ay / (0.3 * GRAVITY)}
        run = Run(t, channels, {AY: "m/s2", "driver_demands.steering": "rad"}, {"event": "slowly-increasing-steer"})
        trials.append(kept(name, run, {}))
    data = {"event": "slowly-increasing-steer", "trials": trials}
    whole = Run(t, {"a": t}, {"a": "-"}, data)
    assert whole.kpis["steering_at_nominal"] == (pytest.approx(23.0, rel=1e-6), "deg")
    assert whole.kpis["steering_at_nominal_left"][0] == pytest.approx(20.0, rel=1e-6)
    assert whole.kpis["steering_at_nominal_right"][0] == pytest.approx(26.0, rel=1e-6)
    for k in (0, 1):
        alone = Run(t, {"a": t}, {"a": "-"}, {**data, "trials": [trials[k]]})
        assert math.isnan(alone.kpis["steering_at_nominal"][0])


def test_one_direction_alone_is_a_run_like_any_other() -> None:
    run = ramps(direction="right")
    assert not run.trials and run.signal("steering")[-1] < 0
    assert run.kpis["steering_at_nominal"][0] == pytest.approx(ramps().kpis["steering_at_nominal_right"][0], rel=1e-9)


def test_a_pre_event_that_fails_says_so() -> None:
    options = Options.of()
    slippery = events.SlowlyIncreasingSteer(cruise=False, friction=0.2, end_time=6.0)
    with pytest.raises(SimulationError, match=r"the pre-event slowly-increasing-steer failed: it gives no .*reaches"):
        Before(slippery, "steering_at_nominal", "amplitude").find(car(), options)
    with pytest.raises(SimulationError, match="it gives no speed_of_light: no such figure"):
        Before(events.SlowlyIncreasingSteer(cruise=False, **SMALL, end_time=9.0), "speed_of_light", "x").find(
            car(), options
        )
