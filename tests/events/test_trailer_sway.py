"""Trailer sway: damping of the hitch's angle against eigenvalues, both sides, series, what is refused."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import pytest

import jounce as jn
from jounce.core.errors import ParameterError
from jounce.events.library.trailer_sway import TrailerSway
from jounce.results.run import Run
from jounce.sim import car
from jounce.sim.statics import settle
from jounce.sim.steady import run_steadily
from linear_train import LinearTrain, flat_car
from trains import car_trailer


@pytest.mark.slow
@pytest.mark.parametrize("speed", [24.0, 34.0])
def test_damping_and_frequency_are_those_of_the_sway_mode(speed: float) -> None:
    """Of the linear model in the plane; the run has the other modes, too, which die sooner."""
    description = car.describe(flat_car())
    sim = car.simulation(description)
    settle(sim, description)
    run_steadily(sim, description, speed)
    modes = np.linalg.eigvals(LinearTrain(flat_car(), sim, speed).a)
    slow = [z for z in modes if 1.0 < z.imag < 12.0]
    sway = min(slow, key=lambda z: -z.real / abs(z))
    event = TrailerSway(speed=speed, first_speed=None, lateral_acceleration=1.0, cruise=False)
    run = jn.run(flat_car(), event, step="0.5 ms")
    assert run.kpis["sway_damping"][0] == pytest.approx(-sway.real / abs(sway), rel=0.05)
    assert run.kpis["sway_frequency"][0] == pytest.approx(sway.imag / (2 * math.pi), rel=0.02)


@lru_cache
def series() -> Run:
    return jn.run(
        car_trailer(), TrailerSway(first_speed="80 km/h", speed="120 km/h", speed_step="20 km/h", end_time=9.0)
    )


def test_a_series_tells_damping_over_speed_and_the_speed_without() -> None:
    run = series()
    damping = [trial.figure("sway_damping") for trial in run.trials]
    assert [trial.name for trial in run.trials] == ["80 km/h", "100 km/h", "120 km/h"]
    assert damping[0] > damping[1] > damping[2] > 0
    assert [trial.figure("sway_speed") for trial in run.trials] == pytest.approx([80.0, 100.0, 120.0])
    assert run.kpis["sway_damping_100"][0] == pytest.approx(damping[1], rel=1e-9)
    assert run.kpis["sway_damping_least"][0] == damping[2]
    line = 120 + 20 * damping[2] / (damping[1] - damping[2])
    assert run.kpis["zero_damping_speed"][0] == pytest.approx(line, rel=1e-9)
    assert any("extrapolated from 120 km/h" in text for text in run.kpi_warnings)
    assert run.parameter("speed") == pytest.approx(120 / 3.6) and run.metadata["decisive"] == "120 km/h"


def test_a_mirror_and_another_heading_change_nothing() -> None:
    event = TrailerSway(speed=27.0, first_speed=None, end_time=8.0)
    one = jn.run(car_trailer(), event)
    for other in (event.changed(direction="right"), event.changed(x=3.0, y=-7.0, heading=-2.2)):
        run = jn.run(car_trailer(), other)
        for key, (value, _) in one.kpis.items():
            assert run.kpis[key][0] == pytest.approx(value, rel=1e-5), key


def test_a_trailer_that_is_heavy_behind_swings_up_and_the_series_ends() -> None:
    """Its centre of gravity behind its axle: the swing grows, and the speed between is found."""
    tail = car_trailer().with_(
        **{
            "trailers[0].body.cg.x": -4.35,
            "trailers[0].body.inertia.izz": 3900.0,
            "trailers[0].body.inertia.iyy": 3700.0,
        }
    )
    event = TrailerSway(first_speed="40 km/h", speed="120 km/h", speed_step="20 km/h", lateral_acceleration=0.6)
    run = jn.run(tail, event)
    last = run.trials[-1]
    assert last.figure("sway_damping") < 0 and len(run.trials) < len(event.speeds)
    before = run.trials[-2]
    assert before.figure("sway_speed") < run.kpis["zero_damping_speed"][0] < last.figure("sway_speed")
    assert not any("extrapolated" in text for text in run.kpi_warnings)


def test_what_the_event_says_nothing_about_is_refused() -> None:
    with pytest.raises(ParameterError, match="trailer-sway does not apply to this vehicle: it tows nothing"):
        jn.run(jn.load("sedan"), TrailerSway())
    hinged = car_trailer().with_(**{"trailers[0].hitch.coupling": "hinge"})
    assert TrailerSway().refuses(hinged) == "no hitch lets what is towed yaw"
    with pytest.raises(ParameterError, match=r"first_speed.*must not be above speed"):
        TrailerSway(speed=10.0)
