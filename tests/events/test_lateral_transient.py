"""Lateral transient of combinations: against a linear model of the plane, both sides, what is refused."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import jounce as jn
from jounce.core.errors import ParameterError
from jounce.events.library.lateral_transient import LateralTransient
from jounce.results.run import Run
from jounce.sim import car
from jounce.sim.statics import settle
from jounce.sim.steady import run_steadily
from linear_train import LinearTrain, flat_car, flat_tractor
from trains import car_trailer

SPEED = 25.0
VEHICLES = {"car and trailer": flat_car, "tractor and semitrailer": flat_tractor}


def event(**changes: Any) -> LateralTransient:
    """Small: the tires are linear, and so is the plane."""
    return LateralTransient(speed=SPEED, lateral_acceleration=0.3, cruise=False, **{"frequency": 0.71, **changes})


@lru_cache
def linear(name: str) -> LinearTrain:
    vehicle = VEHICLES[name]()
    description = car.describe(vehicle)
    sim = car.simulation(description)
    settle(sim, description)
    run_steadily(sim, description, SPEED)
    return LinearTrain(vehicle, sim, SPEED)


@lru_cache
def run_of(name: str, **changes: Any) -> Run:
    return jn.run(VEHICLES[name](), event(**changes), step="0.5 ms")  # springs are stiff


@pytest.mark.slow
@pytest.mark.parametrize("name", VEHICLES)
def test_amplification_and_off_tracking_are_those_of_a_linear_model(name: str) -> None:
    run, model = run_of(name), linear(name)
    assert run.complete
    steer = np.mean([run[f"Wheel.Spindle_Steer.{wheel}"] for wheel in ("L1", "R1")], axis=0)
    x = model.driven(run.time, steer - steer[0])
    first, last = model.accelerations(x, steer - steer[0])
    axle = len(model.places)
    expected = {
        "ay_peak": np.abs(first).max(),
        "rearward_amplification_ay": np.abs(last).max() / np.abs(first).max(),
        "rearward_amplification_yaw": np.abs(x[:, 4] + x[:, 5]).max() / np.abs(x[:, 4]).max(),
        "articulation_peak": math.degrees(np.abs(x[:, 2]).max()),
        "dynamic_off_tracking": np.abs(model.off_tracking(run.time, x, axle)).max(),
    }
    for key, value in expected.items():
        assert run.kpis[key][0] == pytest.approx(value, rel=0.02), key
    assert expected["rearward_amplification_ay"] != pytest.approx(1.0, abs=0.03)
    assert expected["ay_peak"] == pytest.approx(0.3, rel=0.02)


@lru_cache
def usual(**changes: Any) -> Run:
    return jn.run(car_trailer(), LateralTransient(**changes))


def test_a_mirror_and_another_heading_change_nothing() -> None:
    one = usual()
    mirror = jn.run(car_trailer(), LateralTransient(direction="right"))
    turned = jn.run(car_trailer(), LateralTransient(x=12.0, y=-31.0, heading=1.9))
    assert one.complete and one.kpis["rearward_amplification_ay"][0] > 1.2
    for key, (value, _) in one.kpis.items():
        assert mirror.kpis[key][0] == pytest.approx(value, rel=1e-6), key
        assert turned.kpis[key][0] == pytest.approx(value, rel=1e-6), key
    for name in ("unit2.Articulation.yaw", "Axle.Off_Tracking.3", "unit2.Load_Transfer_Ratio"):
        size = np.abs(one[name]).max()
        assert size > 0 and np.abs(one[name] + mirror[name]).max() < 1e-6 * size, name


def test_the_first_unit_comes_to_the_acceleration_asked_for() -> None:
    assert usual().kpis["ay_peak"][0] == pytest.approx(2.0, rel=0.011)
    assert usual().metadata["event"]["parameters"]["amplitude"][0] > 0.05


@pytest.mark.slow
def test_noise_tells_what_single_frequencies_tell() -> None:
    """Of a linear vehicle; a lasting sine has the amplification that the spectrum has at its frequency."""
    found = run_of("car and trailer", method="random", frequency=0.43)
    model = linear("car and trailer")
    f = found.kpis["frequency_of_most"][0]
    omega, count = 2j * math.pi * f, len(model.b)
    x = np.linalg.solve(omega * np.eye(count) - model.a, model.b)
    q = omega**2 * x[:3]
    expected = abs(q @ model.towed(model.second)) / abs(q[0])
    assert found.kpis["rearward_amplification_most"][0] == pytest.approx(expected, rel=0.01)
    grid = np.linspace(0.43, 1.5, 400)
    gains = []
    for g in grid:
        z = np.linalg.solve(2j * math.pi * g * np.eye(count) - model.a, model.b)[:3]
        gains.append(abs(z @ model.towed(model.second)) / abs(z[0]))
    assert f == pytest.approx(grid[int(np.argmax(gains))], abs=0.03), "lines are 0.02 Hz apart"


def test_a_series_over_frequencies_tells_the_largest() -> None:
    run = jn.run(car_trailer(), LateralTransient(frequency=0.4, last_frequency=0.7, frequency_step=0.3))
    values = [trial.figure("rearward_amplification_ay") for trial in run.trials]
    assert len(values) == 2 and values[0] == pytest.approx(usual().kpis["rearward_amplification_ay"][0], rel=0.01)
    assert run.kpis["rearward_amplification_most"][0] == max(values) > min(values)
    assert run.kpis["frequency_of_most"] == (0.7, "Hz")
    assert any("at the last frequency" in text for text in run.kpi_warnings)


def test_a_car_alone_is_refused_with_the_reason() -> None:
    with pytest.raises(ParameterError, match="lateral-transient does not apply to this vehicle: it tows nothing"):
        jn.run(jn.load("sedan"), LateralTransient())


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"frequency": 0.5, "last_frequency": 0.4}, r"last_frequency.*must be above frequency"),
        ({"method": "random", "last_frequency": 0.9}, "noise has all frequencies at once"),
        ({"method": "random", "highest_frequency": 0.3}, r"highest_frequency.*must be above frequency"),
        ({"method": "lane_change", "amplitude": 0.3}, "a driver steers"),
    ],
)
def test_what_does_not_go_together_is_named(changes: dict[str, Any], text: str) -> None:
    with pytest.raises(ParameterError, match=text):
        LateralTransient(**changes)


def test_the_run_lasts_until_the_swing_is_over() -> None:
    assert LateralTransient(frequency=0.25).end_time == pytest.approx(1.0 + 4.0 + 6.0)
    assert LateralTransient(frequency="0.25 Hz").end_time == pytest.approx(11.0)
    assert LateralTransient(method="random").end_time == 104.0
    assert LateralTransient(end_time=7.0).end_time == 7.0


def test_data_of_vehicle_are_kept_with_the_run() -> None:
    from jounce.results.units import units_of

    first, second = units_of(usual())
    assert (first.number, first.towed_by, first.axles) == (1, 0, (1, 2))
    assert (second.name, second.towed_by, second.coupling, second.axles) == ("trailer", 1, "ball", (3,))
