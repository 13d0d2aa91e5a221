"""Flags of the parts of a driveline: of a run and of the data.

A flag at 0 takes the own contribution of its part away and nothing else: torques of the others at hubs and channels
stay. Data that switch a part off leave nothing of it; where a run gives the flag, the flag decides.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from drive_rig import bench
from drivelines import CLUTCH, CONVERTER, ENGINE, GEARBOX, MOTOR
from jounce.runtime.simulation import Simulation

FLAG = "Subsystem_Activation.Internal_{}_Activity"
QUIET = {"idle_control": None, "overspeed_control": None}
SPINS = {"L1": 21.0, "R1": 19.0, "L2": 23.0, "R2": 25.0}
# flag: channel of the contribution, key of the part, gain from there to each hub (ratios on the way)
CENTRAL, FRONT, REAR = 1.3, 3.1, 3.7
GAINS: dict[str, tuple[str, str, tuple[float, float, float, float]]] = {
    "Motor_to_GearBox": (
        "Motor_to_Gearbox", "main_motor", tuple(3.6 * 1.4 * CENTRAL * x for x in (0.62, 0.62, 1.11, 1.11))  # type: ignore[dict-item]
    ),
    "Motor_to_CentralDifferential": (
        "Motor_to_Central_Differential", "central_motor", tuple(1.4 * CENTRAL * x for x in (0.62, 0.62, 1.11, 1.11))  # type: ignore[dict-item]
    ),
    "Motor_to_FrontDifferential": ("Motor_to_Front_Differential", "front_motor", (2.17, 2.17, 0.0, 0.0)),
    "Motor_to_RearDifferential": ("Motor_to_Rear_Differential", "rear_motor", (0.0, 0.0, 2.59, 2.59)),
    "Motor_to_FrontLeftWheel": ("Motor_to_Front_Left_Wheel", "front_left_motor", (1.4, 0.0, 0.0, 0.0)),
    "Motor_to_FrontRightWheel": ("Motor_to_Front_Right_Wheel", "front_right_motor", (0.0, 1.4, 0.0, 0.0)),
    "Motor_to_RearLeftWheel": ("Motor_to_Rear_Left_Wheel", "rear_left_motor", (0.0, 0.0, 1.4, 0.0)),
    "Motor_to_RearRightWheel": ("Motor_to_Rear_Right_Wheel", "rear_right_motor", (0.0, 0.0, 0.0, 1.4)),
}  # fmt: skip
OTHERS = ("Engine", "Clutch", "Gearbox", "CentralDifferential", "FrontDifferential", "RearDifferential")


def all_wheel_drive(**changes: Any) -> dict[str, Any]:
    """A motor at every place, none with losses."""
    motors = {key: {**MOTOR, "ratio": 1.4} for _, key, _ in GAINS.values()}
    return {
        "layout": "awd", "engine": {**ENGINE, **QUIET}, "clutch": {**CLUTCH, "automatic": False},
        "gearbox": {**GEARBOX, "shifts": "demand", "efficiency": 1.0},
        "front": {"kind": "open_differential", "ratio": FRONT}, "rear": {"kind": "open_differential", "ratio": REAR},
        "central": {"kind": "open_differential", "ratio": CENTRAL, "share": 0.4}, **motors, **changes,
    }  # fmt: skip


@lru_cache
def compiled() -> Simulation:
    return bench(all_wheel_drive(), inputs=[FLAG.format(word) for word in (*GAINS, *OTHERS)])


def put() -> Simulation:
    """Driving in first gear; the clutch slips, so that it carries what it can."""
    sim = compiled()
    sim.set_states({f"{n}.spin": v for n, v in SPINS.items()} | {"driveline.crank.speed": 520.0})
    sim.set_inputs({FLAG.format(word): 1.0 for word in (*GAINS, *OTHERS)})
    sim.set_inputs({"throttle": 0.43, "gear": 1.0, "clutch": 0.2})
    sim.m[:] = sim.derivatives()[1]
    return sim


def told(sim: Simulation) -> dict[str, float]:
    return {v.name: float(x) for v, x in zip(sim.model.outputs, sim.outputs(), strict=True)}


def hubs(found: dict[str, float]) -> np.ndarray:
    return np.array([found[f"hub.{name}"] for name in SPINS])


@pytest.mark.parametrize("word", GAINS)
def test_the_flag_of_a_motor_takes_its_torque_from_its_wheels_and_nothing_else(word: str) -> None:
    sim = put()
    group, _, gains = GAINS[word]
    before = told(sim)
    sim.set_inputs({FLAG.format(word): 0.0})
    after = told(sim)
    torque = before[f"{group}.torque"]
    assert torque > 10.0 and after[f"{group}.torque"] == 0.0
    assert hubs(before) - hubs(after) == pytest.approx(torque * np.array(gains), rel=1e-9, abs=1e-9)
    for name in before:
        if name.endswith(".torque") and name.startswith(("Motor_to", "Engine", "Clutch")) and group not in name:
            assert after[name] == pytest.approx(before[name], rel=1e-12), name


def test_flags_of_engine_and_clutch() -> None:
    """Without the engine the clutch alone brakes the crankshaft, without the clutch the engine alone drives it."""
    sim = put()
    names = [v.name for v in sim.model.states]
    crank, inertia = names.index("driveline.crank.speed"), ENGINE["inertia"]
    before, rate = told(sim), sim.derivatives()[0][crank]
    engine, clutch = before["Engine.torque"], before["Clutch.inputplate_torque"]
    assert engine > 50.0 and clutch > 50.0
    assert rate == pytest.approx((engine - clutch) / inertia, rel=1e-6)
    sim.set_inputs({FLAG.format("Engine"): 0.0})
    assert told(sim)["Engine.torque"] == 0.0
    assert sim.derivatives()[0][crank] == pytest.approx(rate - engine / inertia, rel=1e-6)
    assert hubs(told(sim)) == pytest.approx(hubs(before), rel=1e-9), "the clutch slips: wheels do not know"
    sim.set_inputs({FLAG.format("Engine"): 1.0, FLAG.format("Clutch"): 0.0})
    sim.m[:] = sim.derivatives()[1]
    after = told(sim)
    assert after["Clutch.inputplate_torque"] == pytest.approx(0.0, abs=1e-9) and after["Engine.torque"] == engine
    assert sim.derivatives()[0][crank] == pytest.approx(engine / inertia, rel=1e-6)


@pytest.mark.parametrize(
    ("word", "wheels"),
    [("Gearbox", SPINS), ("CentralDifferential", SPINS), ("FrontDifferential", ("L1", "R1")),
     ("RearDifferential", ("L2", "R2"))],
)  # fmt: skip
def test_what_a_part_passed_is_gone_and_what_is_beyond_it_stays(word: str, wheels: Any) -> None:
    sim = put()
    before = hubs(told(sim))
    sim.set_inputs({FLAG.format(word): 0.0})
    after, behind = hubs(told(sim)), dict.fromkeys(SPINS, 0.0)
    for group, _, gains in GAINS.values():  # motors whose torque does not pass it
        place = group.removeprefix("Motor_to_").replace("_", "")
        beyond = "Wheel" in place or (word == "Gearbox" and place != "Gearbox")
        beyond = beyond or (word == "CentralDifferential" and place in ("FrontDifferential", "RearDifferential"))
        if beyond:
            for name, gain in zip(SPINS, gains, strict=True):
                behind[name] += gain * told(sim)[f"{group}.torque"]
    for i, name in enumerate(SPINS):
        expected = behind[name] if name in wheels else before[i]
        assert after[i] == pytest.approx(expected, rel=1e-9), name
    assert any(before[i] > 1.05 * after[i] for i, name in enumerate(SPINS) if name in wheels)


# ---- flags of the data ----------------------------------------------------------------------------------------------

PARTS = {"Engine": "engine", "Clutch": "clutch", "Gearbox": "gearbox"}


def line(coupling: dict[str, Any], off: str = "") -> dict[str, Any]:
    found = {
        "layout": "rwd", "engine": {**ENGINE, **QUIET}, "clutch": coupling,
        "gearbox": {**GEARBOX, "shifts": "demand", "efficiency": 1.0},
        "rear": {"kind": "open_differential", "ratio": REAR},
    }  # fmt: skip
    return {key: {**value, "active": False} if key == off else value for key, value in found.items()}


def run(raw: dict[str, Any], **given: float) -> tuple[np.ndarray, np.ndarray]:
    """Rates of all states and torques of hubs, at a state with every number of its own."""
    sim = bench(raw, inputs=list(given))
    sim.set_states({"L2.spin": 23.0, "R2.spin": 25.0, "driveline.crank.speed": 520.0})
    sim.set_inputs({"throttle": 0.43, "gear": 2.0, **given})
    if raw["clutch"]["kind"] == "clutch":
        sim.set_inputs({"clutch": 0.2})
    sim.advance(3)
    return sim.derivatives()[0].copy(), np.array([sim.output(f"hub.{n}") for n in ("L2", "R2")])


@pytest.mark.parametrize("word", PARTS)
@pytest.mark.parametrize("coupling", [{**CLUTCH, "automatic": False}, {**CONVERTER, "lock_up": None}])
def test_data_switch_a_part_off_and_the_flag_of_a_run_decides(word: str, coupling: dict[str, Any]) -> None:
    """Off and nobody gives the flag: off. The flag given as 1: as the part that is on. As 0: off, whatever the data."""
    key, flag = PARTS[word], FLAG.format(word)
    on, off = line(coupling), line(coupling, key)
    whole, alone = run(on), run(off)
    assert np.abs(whole[0] - alone[0]).max() > 1.0, "it does something here"
    for raw in (on, off):
        for given, expected in ((1.0, whole), (0.0, alone)):
            rates, torques = run(raw, **{flag: given})
            assert rates == pytest.approx(expected[0], rel=1e-9, abs=1e-9)
            assert torques == pytest.approx(expected[1], rel=1e-9, abs=1e-9)
    if word != "Engine":
        assert alone[1] == pytest.approx(0.0, abs=1e-9)


def test_a_motor_that_is_off_by_its_data_has_no_torque_until_its_flag_is_given() -> None:
    flag = FLAG.format("Motor_to_RearDifferential")
    raw = {"layout": "dual_motor_awd", "front": {"kind": "open_differential", "ratio": FRONT}, "front_motor": MOTOR,
           "rear": {"kind": "open_differential", "ratio": REAR}, "rear_motor": {**MOTOR, "active": False}}  # fmt: skip
    for inputs, driven in (([], False), ([flag], True)):
        sim = bench(raw, inputs=inputs)
        sim.set_states({f"{n}.spin": v for n, v in SPINS.items()})
        sim.set_inputs({"throttle": 0.5})
        assert sim.output("Motor_to_Rear_Differential.torque") == 0.0, "its default is what the data say"
        assert sim.output("Motor_to_Front_Differential.torque") > 50.0
        if driven:
            sim.set_inputs({flag: 1.0})
            assert sim.output("Motor_to_Rear_Differential.torque") > 50.0
