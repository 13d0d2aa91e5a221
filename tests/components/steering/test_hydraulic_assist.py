"""Electro-hydraulic power steering on the bench."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from jounce.components.steering.rack_pinion import RackPinion
from jounce.runtime.program import Constant, Open, Phase, Program, Sine
from steering_rig import bench, raw

AREA, VOLUME, ORIFICE = 5.024e-4, 8.2e-5, 5.024e-5
PER = VOLUME / 2 / (AREA * 5.5e8)  # m/Pa, way of the piston that compresses the fluid


def hydraulic(**more: Any) -> dict[str, Any]:
    pressure = {"x": [-0.1, -0.03, 0.0, 0.03, 0.1], "z": [0.0, 40.0],
                "y": [[-6e6, -4e6], [-1e6, -6e5], [0.0, 0.0], [1e6, 6e5], [6e6, 4e6]]}  # fmt: skip
    assist = {"pressure": pressure, "piston_area": AREA, "piston_volume": VOLUME, "orifice_area": ORIFICE, **more}
    return raw(hydraulic=assist, torsion_bar__damping=0.3)


def test_pressure_follows_its_map_to_both_sides_and_pushes_the_rack() -> None:
    sim = bench(hydraulic())
    sim.set_parameters({"wheels": 1e12})
    phases = [
        Phase("left", [Open("steering_wheel", Constant(0.03)), Open("speed", Constant(40.0))], duration=0.5),
        Phase("right", [Open("steering_wheel", Constant(-0.1)), Open("speed", Constant(0.0))], duration=0.5),
        Phase("back", [Open("steering_wheel", Constant(0.0)), Open("speed", Constant(0.0))], duration=0.5),
    ]
    run = sim.run(program=Program(*phases), method="AB-2", step=0.001, interval=0.01)
    force = run["Steering_column.steering_assist_force"]
    for t, expected in ((0.49, 6e5), (0.99, -6e6), (1.49, 0.0)):
        assert np.interp(t, run.time, force) == pytest.approx(AREA * expected, abs=AREA * 10.0)
    assert np.abs(force).max() < AREA * 6.001e6, "pressure does not overshoot its map"


def test_flow_into_the_chamber_limits_how_fast_pressure_rises_and_the_rack_moves() -> None:
    sim = bench(hydraulic())
    sim.set_method("AB-2", 1e-9)  # without the terms of the step
    names = [v.name for v in sim.model.states]
    sim.set_inputs({"steering_wheel": 0.1})
    sim.set_states({"steering.rack": 0.0, "steering.rack.rate": 0.9, "steering.assist.fluid": PER * 2e6})
    rate = sim.derivatives()[0][names.index("steering.assist.fluid")] / PER
    flow = ORIFICE * 0.6 * np.sqrt(2 * 4e6 / 850.0) - AREA * 0.0078 * 0.9
    assert rate == pytest.approx(5.5e8 / (VOLUME / 2) * flow, rel=3e-4)
    for turn, side in ((9.0, -1.0), (-9.0, 1.0)):  # the smaller chamber under pressure: its volume stays positive
        sim.set_inputs({"steering_wheel": turn})
        sim.set_states({"steering.rack": turn, "steering.rack.rate": 0.0, "steering.assist.fluid": side * PER * 3e6})
        rate = sim.derivatives()[0][names.index("steering.assist.fluid")] / PER
        flow = ORIFICE * 0.6 * np.sqrt(2 * 3e6 / 850.0)
        volume = VOLUME / 2 - AREA * 0.0078 * 9.0
        assert volume > VOLUME / 20
        assert rate == pytest.approx(-side * 5.5e8 / volume * flow, rel=3e-4)
    sim.set_states({"steering.rack": 15.0, "steering.assist.fluid": -PER * 3e6})
    sim.set_inputs({"steering_wheel": 15.0})
    rate = sim.derivatives()[0][names.index("steering.assist.fluid")] / PER
    assert rate == pytest.approx(5.5e8 / (VOLUME / 20) * flow, rel=3e-4), "at least a tenth of half the volume"


def test_it_is_stable_at_the_step_of_a_car_and_lightens_the_hand() -> None:
    torque = {}
    for assist in (hydraulic(), raw(torsion_bar__damping=0.3)):
        sim = bench(assist)
        sim.set_parameters({"aligning": 2e5})
        turn = [Open("steering_wheel", Sine(0.8, 0.5)), Open("speed", Constant(10.0))]
        run = sim.run(program=Program(Phase("a", turn, duration=2.0)), method="AB-2", step=0.001, interval=0.01)
        torque["hydraulic" in assist] = np.abs(run["Steering_System.Steering_Wheel_Torque"][50:]).max()
    assert torque[True] < 0.6 * torque[False]


def test_a_map_that_feeds_energy_at_rest_is_named() -> None:
    with pytest.raises(ValidationError, match="feeds energy into a steering at rest"):
        RackPinion.model_validate(hydraulic(pressure={"x": [-0.1, 0.0, 0.1], "y": [-1e6, 2e5, 1e6]}))
    both = hydraulic()
    both["electric"] = {
        "on": "pinion",
        "current": {"rate": 100.0},
        "torque_constant": 0.05,
        "ratio": 20.0,
        "inertia": 1e-4,
    }
    with pytest.raises(ValidationError, match="stands beside electric"):
        RackPinion.model_validate(both)
