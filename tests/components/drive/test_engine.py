"""Engines by a map: nodes, limits, ram air, fuel."""

from __future__ import annotations

import math
from typing import Any

import pytest

from drive_rig import bench

MAP = {
    "x": [0.0, 100.0, 300.0, 500.0, 700.0],
    "z": [0.0, 0.4, 1.0],
    "y": [[0.0, 20.0, 60.0], [-20.0, 90.0, 150.0], [-30.0, 110.0, 210.0], [-45.0, 80.0, 190.0], [-60.0, 30.0, 120.0]],
}
# kg/J over Pa and rad/s; the middle is 240 g/kWh
BSFC = {"x": [0.0, 12.566370614e5, 2.5e6], "z": [100.0, 300.0, 600.0],
        "y": [[1.2e-7, 1.1e-7, 1.3e-7], [7.5e-8, 0.24 / 3.6e6, 8e-8], [8e-8, 7e-8, 9e-8]]}  # fmt: skip


def alone(**changes: Any) -> dict[str, Any]:
    raw = {"kind": "engine", "torque_map": MAP, "inertia": 0.2, "rev_limit": 650.0, **changes}
    return {
        "members": [
            {**raw, "name": "engine", "shafts": ["in"]},
            {"kind": "gear", "name": "fixed", "ratio": 1.0, "shafts": ["in", "L1"]},
        ]
    }


def test_at_nodes_the_torque_is_that_of_the_map() -> None:
    sim = bench(alone(idle_control=None), axles=1)
    for i, speed in enumerate(MAP["x"][1:4], 1):
        for j, throttle in enumerate(MAP["z"]):
            sim.set_states({"L1.spin": speed})
            sim.set_inputs({"throttle": throttle})
            assert sim.output("Driveline.engine.torque") == pytest.approx(MAP["y"][i][j], rel=1e-12)
        assert sim.output("Driveline.engine.Max_Engine_torque") == pytest.approx(MAP["y"][i][2], rel=1e-12)
        assert sim.output("Driveline.engine.Min_Engine_torque") == pytest.approx(MAP["y"][i][0], rel=1e-12)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"torque_map": {"x": MAP["x"], "y": [1.0, 2.0, 3.0, 4.0, 5.0]}}, "needs both axes"),
        ({"torque_map": {**MAP, "z": [0.0, 0.4, 0.9]}}, "covers throttles from 0 to 0.9; expected 0 to 1"),
        ({"rev_limit": 800.0}, r"ends at 700 rad/s, below the speed limit, 800 rad/s"),
    ],
)
def test_a_map_that_does_not_cover_the_range_is_refused(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        bench(alone(**changes), axles=1)


@pytest.mark.parametrize("acts_on", ["all", "positive"])
def test_ram_air(acts_on: str) -> None:
    """0.101325 N/mm², 288.15 K, ε = 1, 80 m/s, 1.225 kg/m³: 1.0387 times the torque, by choice not that of overrun."""
    sim = bench(alone(ram_air={"reference_density": 1.225, "acts_on": acts_on}), axles=1)
    sim.set_states({"L1.spin": 300.0})
    for throttle, torque in ((1.0, 210.0), (0.0, -30.0)):
        sim.set_inputs({"throttle": throttle, "rig.speed": 80.0})
        density = 101325.0 / (287.05 * 288.15)
        alpha = (101325.0 + 0.5 * density * 6400.0) / (287.05 * 288.15 * 1.225)
        assert alpha == pytest.approx(1.0387, abs=1e-4)
        factor = alpha if acts_on == "all" or torque > 0 else 1.0
        assert sim.output("Driveline.engine.torque") == pytest.approx(factor * torque, rel=1e-12)


def test_fuel() -> None:
    """200 N.m of 2 l are 12.566 bar; 50 kW at 240 g/kWh burn 3.333 g/s, 12 kg in an hour; none in overrun."""
    fuel = {"displacement": 2.0e-3, "density": 750.0, "bsfc": BSFC}
    raw = alone(fuel=fuel)
    raw["members"][0]["torque_map"] = {"x": [0.0, 700.0], "z": [0.0, 1.0], "y": [[-40.0, 200.0], [-40.0, 200.0]]}
    sim = bench(raw, axles=1)
    sim.set_parameters({"L1.inertia": 1e12})
    sim.set_states({"L1.spin": 300.0})
    sim.set_inputs({"throttle": 1.0, "rig.speed": 25.0})
    assert 4 * math.pi * 200.0 / 2e-3 == pytest.approx(12.566e5, rel=1e-4)
    word = "Driveline.engine.fuel_consumption"
    flow = 60e3 * 0.24 / 3.6e6  # 60 kW
    assert flow / 60e3 * 50e3 == pytest.approx(3.3333e-3, rel=1e-4) and flow / 60 * 50 * 3600 == pytest.approx(12.0)
    assert sim.output(f"{word}.BSFC") == pytest.approx(0.24 / 3.6e6, rel=1e-9)
    assert sim.output(f"{word}.instantaneous") == pytest.approx(flow / 750.0, rel=1e-9)
    assert sim.output(f"{word}.instantaneous_Liter_100Km") == pytest.approx(flow / 750.0 / 25.0, rel=1e-9)
    sim.run(2.0)
    assert sim.output(f"{word}.overall") == pytest.approx(2.0 * flow / 750.0, rel=1e-9)
    sim.set_inputs({"throttle": 0.0})
    assert sim.output(f"{word}.instantaneous") == 0.0


@pytest.mark.parametrize(
    ("speed", "throttle", "share"),
    [
        (80.0, 0.0, 1.0),  # it idles: dragged by -40 N.m, no power, yet it burns
        (100.0, 0.0, 1.25),  # in proportion to the speed, up to 1.3 of that of idle
        (108.0, 0.0, 0.0),  # faster, with the pedal up, the fuel is cut off
        (108.0, 0.1675, 1.35),  # 0.2 N.m: the map alone says 2 mg/s
        (23.0, 0.0, 0.0),  # below 0.6 of its stall speed it stands
    ],
)
def test_an_idling_engine_burns_its_fuel(speed: float, throttle: float, share: float) -> None:
    fuel = {"displacement": 2.0e-3, "density": 750.0, "bsfc": {"x": [0.0, 2.5e6], "y": [1e-7, 1e-7]}}
    raw = alone(fuel={**fuel, "idle_flow": 1.4e-4}, idle_control=None, idle_speed=80.0, stall_speed=40.0)
    raw["members"][0]["torque_map"] = {"x": [0.0, 700.0], "z": [0.0, 1.0], "y": [[-40.0, 200.0], [-40.0, 200.0]]}
    sim = bench(raw, axles=1)
    sim.set_states({"L1.spin": speed})
    sim.set_inputs({"throttle": throttle})
    flow = 750.0 * sim.output("Driveline.engine.fuel_consumption.instantaneous")
    assert flow == pytest.approx(share * 1.4e-4, rel=1e-9)
    sim.set_inputs({"throttle": 1.0})  # 200 N.m: more than it takes to idle
    flow = 750.0 * sim.output("Driveline.engine.fuel_consumption.instantaneous")
    assert flow == pytest.approx(1e-7 * 200.0 * speed, rel=1e-9)
