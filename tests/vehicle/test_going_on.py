"""Whole cars go on from a snapshot to the bit: drivelines, drivers, controllers, roads, tires of every model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jounce as jn
from axle_lists import one_axle, vehicle_of
from every_tire import MODELS
from jounce.events import Follow, StepSteer, StraightAcceleration, StraightBraking
from jounce.events.base import Event
from jounce.events.engine import make_ready
from jounce.events.options import Options
from jounce.runtime.simulation import Simulation
from jounce.sim import car


def assert_goes_on(sim: Simulation, until: float, end: float) -> None:
    """From half-way between two samples of all drivers and controllers, with everything that changes compared."""
    sim.run(until)
    kept = sim.snapshot()
    first = sim.run(end, interval=0.01)
    last = [values.copy() for values in (sim.x, sim.m, sim.u, sim.b)]
    assert np.abs(last[0]).max() > 1.0
    assert len(first) > 20
    assert not np.array_equal(first.data[0], first.data[-1])
    sim.restore(kept)
    again = sim.run(end, interval=0.01)
    assert again.data.tobytes() == first.data.tobytes()
    for name, was, now in zip("xmub", last, (sim.x, sim.m, sim.u, sim.b), strict=True):
        assert now.tobytes() == was.tobytes(), name


def in_event(vehicle: str, event: Event) -> Simulation:
    start = make_ready(jn.load(vehicle), event, Options())
    start.sim.set_program(event.program(start))
    return start.sim


CASES: dict[str, tuple[str, Any]] = {
    "full throttle through the gears": ("sedan", lambda: StraightAcceleration(final_speed=40.0)),
    "slip control": ("compact", lambda: StraightBraking(speed=25.0, brake=1.0)),
    "a converter": ("suv", lambda: StraightAcceleration(final_speed=40.0)),
    "a hybrid": ("hybrid", lambda: Follow(speed=16.0)),
    "a rough road": ("sedan", lambda: StepSteer(road="iso_8608_c", amplitude="20 deg")),
    "heave elements": ("formula", lambda: StraightBraking(speed=40.0, brake=1.0)),
}


def test_a_driver_on_a_path() -> None:
    assert_goes_on(in_event("sedan", Follow(speed=16.0)), 2.035, 3.5)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_cars_of_the_library(name: str) -> None:
    vehicle, event = CASES[name]
    assert_goes_on(in_event(vehicle, event()), 1.035, 2.5)


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_tires_of_every_model(model: str) -> None:
    description = car.describe(vehicle_of(one_axle()), dict.fromkeys(("L1", "R1"), MODELS[model](14)))
    sim = car.simulation(description)
    sim.set_states({"L1.wheel.spin": 60.0, "R1.wheel.spin": 64.0, "chassis.vx": 19.0, "chassis.vy": -0.4})
    assert_goes_on(sim, 0.035, 0.4)
