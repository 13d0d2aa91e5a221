"""The retarder: torque by curve and cooler, against the way it turns, filling, pedal, heat."""

from __future__ import annotations

import math

import pytest

from drive_rig import bench
from drivelines import ENGINE
from jounce.runtime.simulation import Simulation

CURVE = {"x": [0.0, 60.0, 120.0, 400.0], "y": [0.0, 410.0, 1300.0, 1300.0]}
RETARDER = {"kind": "retarder", "name": "retarder", "shafts": ["shaft"], "torque": CURVE, "power": 2.1e5, "ratio": 1.7,
            "inertia": 0.09, "lag": 0.25, "pedal_share": 1.6, "off_below": 17.0}  # fmt: skip
RAW = {
    "members": [
        {**ENGINE, "name": "engine", "shafts": ["crank"], "idle_control": None, "overspeed_control": None},
        {"kind": "clutch", "name": "clutch", "shafts": ["crank", "shaft"], "capacity": 400.0, "inertia": 0.02},
        RETARDER,
        {"kind": "open_differential", "name": "rear", "shafts": ["shaft", "L2", "R2"], "ratio": 3.1, "inertia": 0.03},
    ]
}


def turning(speed: float, demand: float = 1.0, **inputs: float) -> Simulation:
    """The shaft at a speed, clutch open, demand filled."""
    sim = bench(RAW)
    sim.set_states({"L2.spin": speed / 3.1, "R2.spin": speed / 3.1, "driveline.crank.speed": 90.0})
    sim.set_states({"driveline.retarder.demand": demand})
    sim.set_inputs({"clutch": 1.0, **inputs})
    return sim


@pytest.mark.parametrize(
    ("speed", "expected"),
    [(60.0 / 1.7, 410.0), (120.0 / 1.7, 1300.0), (300.0 / 1.7, 2.1e5 / 300.0), (-120.0 / 1.7, -1300.0), (0.0, 0.0)],
)
def test_torque_follows_curve_and_cooler_against_the_way_it_turns(speed: float, expected: float) -> None:
    for demand in (1.0, 0.4):
        found = turning(speed, demand).output("Driveline.retarder.torque")
        assert found == pytest.approx(-demand * expected, rel=1e-9, abs=1e-9)


def test_it_slows_the_flywheels_by_its_torque_over_their_inertia() -> None:
    """J ω̇ = i M with both flywheels, the differential and its own inertia seen at the shaft."""
    sim, free = turning(70.0), turning(70.0, 0.0)
    rates = []
    for one in (sim, free):
        index = [v.name for v in one.model.states].index("L2.spin")
        rates.append(float(one.derivatives()[0][index]))
    inertia = 2 * 1.0 / 3.1**2 + 0.03 + 1.7**2 * 0.09 + 0.02
    torque = 1.7 * sim.output("Driveline.retarder.torque")
    assert (rates[0] - rates[1]) * 3.1 == pytest.approx(torque / inertia, rel=0.05)


def test_it_fills_with_its_lag_and_takes_the_larger_of_lever_and_pedal() -> None:
    for inputs, asked in (({"retarder": 0.7}, 0.7), ({"brake": 0.25}, 0.4), ({"retarder": 0.2, "brake": 0.25}, 0.4),
                          ({"retarder": 3.0}, 1.0), ({"retarder": -1.0}, 0.0)):  # fmt: skip
        sim = turning(70.0, 0.0, **inputs)
        sim.run(0.25)
        # steps of 1 ms beside a lag of 250
        assert sim.output("Driveline.retarder.demand") == pytest.approx(asked * (1 - math.exp(-1)), rel=1e-4)


def test_at_a_crawl_it_lets_go_and_what_it_takes_is_heat() -> None:
    assert turning(0.4 * 17.0 / 1.7).output("Driveline.retarder.torque") == 0.0
    sim = turning(70.0, 0.8)
    torque, speed = sim.output("Driveline.retarder.torque"), 1.7 * 70.0
    assert sim.output("Driveline.retarder.lost_power") == pytest.approx(-torque * speed, rel=1e-9)
