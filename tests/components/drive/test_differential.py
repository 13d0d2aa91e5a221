"""Open differentials, between wheels and between axles."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from car_models import rates
from drive_rig import bench
from drivelines import ENGINE
from jounce.components.drive.differential import OpenDifferential
from jounce.runtime.simulation import Simulation
from jounce.sim.build import build
from jounce.symbolic import System

QUIET = {**ENGINE, "idle_control": None, "overspeed_control": None}
AWD = {
    "layout": "awd", "engine": QUIET,
    "front": {"kind": "open_differential", "ratio": 3.1, "inertia": 0.011},
    "central": {"kind": "open_differential", "ratio": 1.7, "inertia": 0.019, "share": 0.37},
    "rear": {"kind": "open_differential", "ratio": 2.3, "inertia": 0.023, "efficiency": 0.9},
}  # fmt: skip


def test_torques_are_shared_and_power_is_balanced() -> None:
    """T_front/T = b i_c; ω_in = i_c (b ω_f + (1 − b) ω_r); both wheels of an axle have one torque."""
    sim = bench(AWD)
    spins = {"L1": 41.0, "R1": 37.0, "L2": 52.0, "R2": 46.0}
    sim.set_states({f"{n}.spin": v for n, v in spins.items()})
    for throttle in (0.6, 0.0):
        sim.set_inputs({"throttle": throttle})
        torque = sim.output("Engine.torque")
        front, rear = 3.1 * 39.0, 2.3 * 49.0
        speed = 1.7 * (0.37 * front + 0.63 * rear)
        assert sim.output("Engine.engine_rpm") == pytest.approx(speed, rel=1e-12)
        assert torque == pytest.approx(-35.0 + throttle * 285.0)
        loss = 0.9 if torque > 0 else 1 / 0.9
        for side in ("L", "R"):
            assert sim.output(f"hub.{side}1") == pytest.approx(torque * 1.7 * 0.37 * 3.1 / 2, rel=1e-9)
            assert sim.output(f"hub.{side}2") == pytest.approx(torque * 1.7 * 0.63 * 2.3 / 2 * loss, rel=1e-6)
        out = sum(sim.output(f"hub.{n}") * v for n, v in spins.items())
        lost = sim.output("Differential_Rear.lost_power")
        assert torque * speed - lost == pytest.approx(out, rel=1e-9) and lost > 0
    assert sim.output("Differential_Speeds.halfshaft_omega_delta_front") == pytest.approx(-4.0)  # right minus left
    assert sim.output("Differential_Speeds.halfshaft_omega_delta_central") == pytest.approx(front - rear)
    assert sim.output("Differential_Torques.output_torque_central_front") == pytest.approx(torque * 1.7 * 0.37)
    assert sim.output("Differential_Torques.differential_torque_rear") == 0.0


def test_equivalent_inertia_of_an_axle_that_spins_up() -> None:
    """Both wheels alike: (2 I + J_d i² + J_e i²) ω̇ = i T, other inertias of the train with their own gains."""
    sim = bench(AWD)
    sim.set_inputs({"throttle": 0.5})
    sim.set_states({f"{n}.spin": 30.0 for n in ("L1", "R1", "L2", "R2")})
    sim.set_parameters({f"{n}.inertia": v for n, v in {"L1": 0.8, "R1": 1.2, "L2": 1.5, "R2": 0.9}.items()})
    import numpy as np

    f, r = np.array([1.55, 1.55, 0, 0]), np.array([0, 0, 1.15, 1.15])
    c = 1.7 * (0.37 * f + 0.63 * r)
    mass = np.diag([0.8, 1.2, 1.5, 0.9]) + 0.011 * np.outer(f, f) + 0.023 * np.outer(r, r)
    mass += (0.019 + 0.15) * np.outer(c, c)
    torques = np.array([sim.output(f"hub.{n}") for n in ("L1", "R1", "L2", "R2")])
    found = rates(sim)
    expected = np.linalg.solve(mass, torques)
    for name, value in zip(("L1", "R1", "L2", "R2"), expected, strict=True):
        assert found[f"{name}.spin"] == pytest.approx(value, rel=1e-9)


def test_the_input_torque_rolls_a_solid_axle_against_the_body() -> None:
    """Each carrier has half of it about x, the body all of it backwards; one borne by the chassis none."""
    s = System("solid_axle", gravity=(0.0, 0.0, 0.0))
    free = s.free("body")
    s.body("chassis", free.frame, 800.0, (310.0, 820.0, 960.0))
    wheels = {}
    for name, y in (("L1", 0.8), ("R1", -0.8)):
        camber, _ = s.coordinate(f"{name}.camber", unit="rad", on=free.frame)
        carrier = free.frame.guided(f"{name}.carrier", (0.0, y, 0.0), ("x", camber))
        s.body(f"{name}.upright", carrier, 40.0, (2.0, 2.0, 2.0))
        wheels[name] = SimpleNamespace(carrier=carrier, axle=SimpleNamespace(frame=free.frame))
    torque = s.input("torque", "N.m")
    shafts = [SimpleNamespace(name=name, torque=torque) for name in ("in", "L1", "R1")]
    here: Any = SimpleNamespace(model=SimpleNamespace(wheels=wheels, system=s), shafts=shafts)
    for axis, housing in (("X-", "suspension"), ("X+", "chassis")):
        part = OpenDifferential.model_validate({"housing": housing, "input_axis": axis})
        part.roll(here)
    s.output("roll", s.acceleration(free.u[3]), "rad/s2")
    for name in wheels:
        s.output(name, s.frame_angular_acceleration(wheels[name].carrier)[0], "rad/s2")
    sim = Simulation(build(s))
    sim.set_inputs({"torque": 124.0})
    about_x = 310.0 + 2 * 40.0 * 0.8**2  # uprights swing with the body, their own turning is free
    assert sim.outputs() == pytest.approx([124.0 / about_x, -62.0 / 2.0, -62.0 / 2.0])
