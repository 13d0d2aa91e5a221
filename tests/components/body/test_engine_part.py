"""An engine on its mounts: static roll by torque over stiffness, what the driveline pushes back with."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import drivelines
from car_models import compact, outputs, rates
from jounce.core.errors import ParameterError
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from jounce.sim.statics import settle
from jounce.vehicle.schema import Vehicle

HALF, RATE = 0.43, 3.1e5
BLOCK: dict[str, Any] = {
    "kind": "engine",
    "mass": 190.0,
    "cg": [0.11, 0.0, 0.49],
    "inertia": {"ixx": 9.7, "iyy": 13.1, "izz": 11.3},
    "mounts": [
        {"location": [0.11, side * HALF, 0.49], "x": 2.3e5, "y": 2.1e5, "z": RATE, "damping": [210.0, 190.0, 230.0],
         "rx": 1.3e3, "ry": 2.1e4, "rz": 1.7e3}
        for side in (1, -1)
    ],
}  # fmt: skip
REACTION = "Engine.reaction"
FWD: dict[str, Any] = {
    "layout": "fwd",
    "engine": {**drivelines.ENGINE, "reaction": "Y-"},
    "clutch": drivelines.CLUTCH,
    "gearbox": drivelines.GEARBOX,
    "front": drivelines.REAR,
}


@pytest.mark.parametrize("moment", [310.0, -190.0])
def test_its_static_roll_is_the_torque_over_the_stiffness_of_its_mounts(moment: float) -> None:
    """Two mounts abreast at ±b: k_roll = 2 k b² + Σ k_rx."""
    push = {"kind": "point", "name": "push", "body": "engine", "moment": [1.0, 0.0, 0.0], "reaction": "chassis"}
    description = car.describe(compact(**{"body.suspended": [BLOCK], "forces": [push]}))
    rolls = []
    for torque in (0.0, moment):
        sim = car.simulation(description)
        sim.set_parameters({"force1.moment.x": torque})
        settle(sim, description)
        rolls.append(sim.state("engine.roll"))
    stiffness = 2 * RATE * HALF**2 + 2 * 1.3e3
    # the engine turns by 3 mrad: levers shorten by 5e-6 of themselves; the car leans with its reaction not at all
    assert rolls[1] - rolls[0] == pytest.approx(moment / stiffness, rel=1e-3)


def test_what_a_run_adds_to_a_mount_acts_as_its_preload_does() -> None:
    """At all states of a car that flies, and leaves nothing behind where it is nought."""
    added = {"FX": 310.0, "FY": -170.0, "FZ": 430.0, "TX": 11.0, "TY": -7.0, "TZ": 5.0}
    ports = [f"Ext_Bushing.engine_{n}.{name}" for n in (1, 2) for name in added]
    vehicle = compact(**{"body.suspended": [BLOCK]})
    states = {"engine.x": 0.003, "engine.roll": 0.02, "engine.yaw": -0.03, "engine.z.rate": 0.2, "chassis.z": 60.0}
    with_ports, plain = (car.simulation(car.describe(vehicle, inputs=inputs)) for inputs in (ports, ()))
    for sim in (with_ports, plain):
        sim.set_states(states)
    assert rates(with_ports) == rates(plain)
    with_ports.set_inputs({f"Ext_Bushing.engine_2.{name}": value for name, value in added.items()})
    mount = "body.suspended1.mount2."
    preloads = {f"{mount}preload.{axis}": added[f"F{axis.upper()}"] for axis in "xyz"}
    preloads |= {f"{mount}turning_preload.{axis}": added[f"T{axis.upper()}"] for axis in "xyz"}
    plain.set_parameters(preloads)
    found, meant = rates(with_ports), rates(plain)
    assert found == pytest.approx(meant, rel=1e-9, abs=1e-9)
    assert abs(found["engine.x.rate"]) > 1.0


@lru_cache
def driven(housing: str) -> Vehicle:
    front = {**FWD["front"], "housing": housing}
    found = compact(**{"body.suspended": [BLOCK]})
    return found.with_(drive=None, driveline={**FWD, "front": front})


def pulling(housing: str) -> Simulation:
    """In first gear at full throttle, everything else at rest in its place."""
    sim = car.simulation(driven(housing))
    sim.set_states({"chassis.z": 60.0, "chassis.vx": 6.0})
    sim.set_states({f"{c}.wheel.spin": 20.0 for c in ("L1", "R1", "L2", "R2")})
    # the plate of the clutch is wound up, as if it pulled
    sim.set_states({"driveline.crank.speed": 20.0 * 3.6 * 3.7, "driveline.clutch.plate.windup": 0.03})
    sim.set_inputs({"throttle": 1.0})
    return sim


@pytest.mark.slow
def test_the_torque_of_the_wheels_is_borne_where_the_differential_is() -> None:
    """Inertia of the engine about y times what its acceleration differs by is the torque of both half shafts."""
    found = {housing: pulling(housing) for housing in ("engine", "chassis")}
    speed = {k: rates(sim) for k, sim in found.items()}
    # what turns the wheels, which fly: with what the shafts before them keep for their own inertia
    sim = found["engine"]
    torque = sum(sim.parameter(f"{c}.spin_inertia") * speed["engine"][f"{c}.wheel.spin"] for c in ("L1", "R1"))
    assert torque > 500.0
    # ω̇ of the engine is that of the body with its own; the carriers, which swing, bear some percent
    turned = {k: r["engine.pitch.rate"] + r["chassis.wy"] for k, r in speed.items()}
    assert BLOCK["inertia"]["iyy"] * (turned["engine"] - turned["chassis"]) == pytest.approx(-torque, rel=0.03)
    # the engine's own reaction acts on the block in either case, against the y axis
    reaction = outputs(found["chassis"])[REACTION]
    assert abs(reaction) > 50.0
    assert BLOCK["inertia"]["iyy"] * turned["chassis"] == pytest.approx(-reaction, rel=0.02)


def test_a_differential_in_an_engine_that_is_not_there_is_refused() -> None:
    front = {**FWD["front"], "housing": "engine"}
    with pytest.raises(ParameterError, match=r"driveline\.front\.housing.*the body has no suspended engine"):
        compact().with_(drive=None, driveline={**FWD, "front": front})
    joints = [{"axle": 1, "inner": [0.0, 0.3, 0.0], "outer": [0.0, -0.05, 0.0]}]
    with pytest.raises(ParameterError, match=r"not available yet with joints"):
        driven("chassis").with_(**{"driveline.front.housing": "engine", "driveline.joints": joints})


def test_its_name_is_engine() -> None:
    with pytest.raises(ParameterError, match="name"):
        compact(**{"body.suspended": [{**BLOCK, "name": "motor"}]})
    assert np.isclose(compact(**{"body.suspended": [BLOCK]}).mass() - compact().mass(), 190.0)
