"""Drivelines as a whole: layouts, what is refused, energy, a car."""

from __future__ import annotations

import importlib
import math
import re
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jounce.vehicle as jv
from axle_lists import one_axle, vehicle_of
from car_models import rates
from drive_rig import bench
from drivelines import AUTOMATIC, BATTERY, CLUTCH, CONVERTER, ENGINE, GEARBOX, MOTOR, REAR, RWD
from jounce.core.errors import ParameterError
from jounce.core.part_registry import PARTS
from jounce.sim import car, gains, statics, steady
from jounce.vehicle.layout import drive_shares, drive_torques

FRONT = {**REAR, "ratio": 3.1, "efficiency": 1.0}
PLAIN = {**REAR, "efficiency": 1.0}
SOURCE = {**ENGINE, "idle_control": None, "overspeed_control": None}
WHEELS = ("L1", "R1", "L2", "R2")


@pytest.mark.parametrize(
    ("layout", "raw", "shares"),
    [
        ("fwd", {"engine": SOURCE, "front": FRONT}, (1.55, 1.55, 0, 0)),
        ("rwd", {"engine": SOURCE, "rear": PLAIN}, (0, 0, 1.85, 1.85)),
        (
            "awd",
            {"engine": SOURCE, "front": FRONT, "rear": PLAIN, "central": {"kind": "open_differential", "share": 0.4}},
            (0.62, 0.62, 1.11, 1.11),
        ),
        ("fwd_with_rear_diff", {"engine": SOURCE, "front": FRONT, "rear": PLAIN}, (1.55, 1.55, 0, 0)),
        ("rwd_with_front_diff", {"engine": SOURCE, "front": FRONT, "rear": PLAIN}, (0, 0, 1.85, 1.85)),
        ("dual_motor_awd", {"front_motor": SOURCE, "front": FRONT, "rear": PLAIN}, (1.55, 1.55, 0, 0)),
        ("none", {"rear_left_motor": SOURCE}, (0, 0, 1, 0)),
    ],
)
def test_torque_of_one_machine_in_every_layout(layout: str, raw: dict[str, Any], shares: tuple[float, ...]) -> None:
    """Table 3.2: where torque goes, and nowhere else."""
    sim = bench({"layout": layout, **raw})
    sim.set_states({f"{n}.spin": 60.0 + i for i, n in enumerate(WHEELS)})
    sim.set_inputs({"throttle": 1.0})
    channel = next(o.name for o in sim.model.outputs if o.name.endswith(".torque"))
    torque = sim.output(channel)
    assert torque > 100.0
    for name, share in zip(WHEELS, shares, strict=True):
        assert sim.output(f"hub.{name}") == pytest.approx(share * torque, rel=1e-9, abs=1e-9), name


def test_shares_of_the_wheels_are_told_by_the_data() -> None:
    """Peaks of all machines through the ratios on their ways; in first gear, with open differentials."""
    raw = {
        "layout": "awd", "engine": {**SOURCE, "ratio": 1.2, "torque_scale": 0.9}, "clutch": CLUTCH, "gearbox": GEARBOX,
        "front": FRONT, "rear": PLAIN, "central": {"kind": "open_differential", "ratio": 1.3, "share": 0.4},
        "rear_left_motor": {**MOTOR, "ratio": 7.0},
    }  # fmt: skip
    vehicle = jv.load("sedan").with_(driveline=raw)
    machine, motor = vehicle.driveline.engine, vehicle.driveline.rear_left_motor
    engine = 1.2 * 0.9 * machine.max_torque * GEARBOX["ratios"][0] * 1.3
    front, rear, own = engine * 0.4 * 3.1 / 2, engine * 0.6 * 3.7 / 2, 7.0 * max(motor.torque_map.y)
    expected = dict(zip(WHEELS, (front, front, rear + own, rear), strict=True))
    assert drive_torques(vehicle) == pytest.approx(expected, rel=1e-12)
    total = sum(expected.values())
    assert drive_shares(vehicle) == pytest.approx({k: v / total for k, v in expected.items()}, rel=1e-12)
    ideal = vehicle.with_(driveline=None, drive={"L1": 0.3, "R2": 0.7, "max_torque": "700 N.m"})
    assert drive_torques(ideal) == pytest.approx({"L1": 210.0, "R1": 0.0, "L2": 0.0, "R2": 490.0})
    assert drive_shares(ideal)["R2"] == pytest.approx(0.7)


MOTOR_GAINS = {
    "Gearbox": (3.6 * 1.3 * 0.4 * 3.1 / 2, 3.6 * 1.3 * 0.6 * 3.7 / 2),
    "Central_Differential": (1.3 * 0.4 * 3.1 / 2, 1.3 * 0.6 * 3.7 / 2),
    "Front_Differential": (3.1 / 2, 0.0),
    "Rear_Differential": (0.0, 3.7 / 2),
}


@lru_cache
def eight_motors() -> Any:
    """All-wheel drive with a motor at every place, commanded by torque."""
    motor = {**MOTOR, "ratio": 1.4}
    places = [f"{n}_motor" for n in ("main", "central", "front", "rear", "front_left", "front_right", "rear_left",
                                     "rear_right")]  # fmt: skip
    raw = {
        "layout": "awd", "engine": SOURCE, "clutch": CLUTCH, "gearbox": GEARBOX, "front": FRONT, "rear": PLAIN,
        "central": {"kind": "open_differential", "ratio": 1.3, "share": 0.4}, **dict.fromkeys(places, motor),
    }  # fmt: skip
    words = [*MOTOR_GAINS, *(f"{a}_{b}_Wheel" for a in ("Front", "Rear") for b in ("Left", "Right"))]
    ports = [f"Generic_Engine_to_{w}.{n}" for w in words for n in ("control_mode", "engine_torque")]
    return bench(raw, inputs=ports), words


def test_the_torque_of_a_motor_at_each_place_comes_to_its_wheels() -> None:
    """By the ratios on its way, of a wheel motor to that wheel only; power at the shaft = at the wheels + losses."""
    sim, words = eight_motors()
    spins = {"L1": 21.0, "R1": 19.0, "L2": 23.0, "R2": 25.0}
    sim.set_states({f"{n}.spin": v for n, v in spins.items()})
    sim.m[:] = sim.derivatives()[1]
    sim.set_inputs({"clutch": 1.0, "throttle": 0.0})
    for word in words:
        port = f"Generic_Engine_to_{word}"
        for torque in (83.0, -61.0):
            sim.set_inputs(
                {f"Generic_Engine_to_{w}.{n}": 0.0 for w in words for n in ("control_mode", "engine_torque")}
            )
            sim.set_inputs({f"{port}.engine_torque": torque})
            front, rear = MOTOR_GAINS.get(word, (0.0, 0.0))
            lossy = (0.97 if torque > 0 else 1 / 0.97) if word == "Gearbox" else 1.0
            expected = {"L1": front, "R1": front, "L2": rear, "R2": rear}
            if word not in MOTOR_GAINS:
                end, side, _ = word.split("_")
                expected[f"{side[0]}{1 if end == 'Front' else 2}"] = 1.0
            for name, gain in expected.items():
                found = sim.output(f"hub.{name}")
                assert found == pytest.approx(1.4 * gain * lossy * torque, rel=1e-6, abs=1e-9), (word, name)
            power = sim.output(f"Motor_to_{word}.Power_KW")
            lost = sim.output("Transmission.lost_power")
            assert power - lost == pytest.approx(sum(sim.output(f"hub.{n}") * v for n, v in spins.items()), rel=1e-9)
            assert lost >= 0


def test_a_motor_before_the_clutch_turns_with_the_engine() -> None:
    raw = {"layout": "rwd", "engine": SOURCE, "clutch": CLUTCH, "rear": REAR, "main_motor": {**MOTOR, "ratio": 2.0},
           "main_motor_at": "clutch"}  # fmt: skip
    sim = bench(raw)
    sim.set_states({"driveline.crank.speed": 200.0})
    sim.set_inputs({"clutch": 1.0, "throttle": 0.4})
    torque = sim.output("Engine.torque") + 2.0 * sim.output("Motor_to_Clutch.torque")
    assert sim.output("Motor_to_Clutch.engine_rpm") == 400.0
    assert rates(sim)["driveline.crank.speed"] == pytest.approx(torque / (0.15 + 4 * 0.05), rel=1e-9)


# ---- parts from outside ---------------------------------------------------------------------------------------------

FLAG = "Subsystem_Activation.Internal_{}_Activity"


def replaced(raw: dict[str, Any], inputs: list[str], given: Any) -> list[dict[str, float]]:
    """States after a run with the parts as they are, and after one in which a copy from outside acts."""
    found = []
    for outside in (False, True):
        sim = bench(raw, inputs=inputs)
        sim.set_parameters({"L2.inertia": 21.0, "R2.inertia": 24.0})
        sim.set_states({"L2.spin": 20.0, "R2.spin": 23.0, "driveline.crank.speed": 250.0})
        sim.set_inputs({name: 1.0 for name in inputs if name.endswith("_Activity")})
        sim.set_inputs({"throttle": 0.7, "gear": 2.0, "L2.load": -90.0})
        sim.advance(1)
        for _ in range(400):
            if outside:
                sim.set_inputs(given(sim))
            sim.advance(1)
        found.append({v.name: sim.state(v.name) for v in sim.model.states})
    return found


OUTSIDE = {
    "layout": "rwd", "engine": SOURCE, "clutch": {**CLUTCH, "automatic": False}, "rear": PLAIN,
    "gearbox": {**GEARBOX, "shifts": "demand"},
}  # fmt: skip


def test_a_gearbox_from_outside_by_its_ratio() -> None:
    names = ["GearBox.transmission_ratio", FLAG.format("Gearbox")]
    own, copy = replaced(OUTSIDE, names, lambda sim: {names[0]: 2.1, names[1]: 0.0})
    assert copy == pytest.approx(own, rel=1e-9, abs=1e-12)
    _, other = replaced(OUTSIDE, names, lambda sim: {names[0]: 1.4, names[1]: 0.0})
    assert other["L2.spin"] != pytest.approx(own["L2.spin"], rel=1e-3)


def test_a_clutch_from_outside_by_its_torque() -> None:
    """A soft spring and damper written here, in the place of those of the clutch; it converges with the step."""
    soft = {**OUTSIDE, "clutch": {**CLUTCH, "automatic": False, "stiffness": 300.0, "damping": 3.0}}
    names = ["Clutch.clutch_trq", FLAG.format("Clutch")]
    memory = {"angle": 0.0}

    def given(sim: Any) -> dict[str, float]:
        slip = sim.state("driveline.crank.speed") - sim.output("Clutch.clutch_rpm")
        torque = max(-400.0, min(400.0, 300.0 * memory["angle"] + 3.0 * slip))
        memory["angle"] += 1e-3 * (torque - 300.0 * memory["angle"]) / 3.0
        return {names[0]: torque, names[1]: 0.0}

    own, copy = replaced(soft, names, given)
    assert copy["R2.spin"] == pytest.approx(own["R2.spin"], rel=2e-3)
    assert copy["driveline.crank.speed"] == pytest.approx(own["driveline.crank.speed"], rel=1e-2)


def test_a_differential_from_outside_by_the_torques_of_its_outputs() -> None:
    """Given what the open one would pass: half of 3.7 times the torque on its input shaft, at every step."""
    names = [f"Differential_Rear.wheel_rear_{side}_torque" for side in ("left", "right")]
    flag = FLAG.format("RearDifferential")

    def given(sim: Any) -> dict[str, float]:
        half = 0.5 * 3.7 * sim.output("Differential_Rear.input_torque")
        return {**dict.fromkeys(names, half), flag: 0.0}

    own, copy = replaced(OUTSIDE, [*names, flag], given)
    # the copy holds its torque over a step: of the order of the step
    assert copy["R2.spin"] == pytest.approx(own["R2.spin"], rel=1e-3)
    assert copy["L2.spin"] == pytest.approx(own["L2.spin"], rel=1e-3)
    _, unlike = replaced(OUTSIDE, [*names, flag], lambda sim: {**given(sim), names[0]: 0.0})
    assert unlike["L2.spin"] < own["L2.spin"] - 1.0


def test_the_engine_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The code of docs/driveline.md as it stands there: boost follows with its time constant."""
    text = (Path(__file__).parents[3] / "docs" / "driveline.md").read_text(encoding="utf-8")
    code = next(block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "TurboEngine" in block)
    (tmp_path / "page_of_drivelines.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    page = importlib.import_module("page_of_drivelines")
    try:
        engine = {"kind": "turbo_engine", "peak": 320.0, "idle_control": None}
        sim = bench({"layout": "rwd", "engine": engine, "rear": PLAIN})
        sim.set_parameters({"L2.inertia": 1e9, "R2.inertia": 1e9})
        sim.set_states({"L2.spin": 300.0 / 3.7, "R2.spin": 300.0 / 3.7})
        sim.set_inputs({"throttle": 0.8})
        sim.run(0.4)
        level = 0.8 * (1 - math.exp(-2.0)) * (1 - math.exp(-1.0))
        assert sim.output("Engine.torque") == pytest.approx(320.0 * level - 20.0, rel=1e-4)
    finally:
        PARTS.forget(page.TurboEngine)
        del sys.modules[page.__name__]


# ---- energy ----------------------------------------------------------------------------------------------------------


def balance(raw: dict[str, Any], sources: tuple[str, ...], seconds: float, demand: Any, step: float = 1e-3) -> float:
    """Work of the sources − work at the hubs − losses − growth of kinetic and stored energy, over what was given.

    Integrals by the trapezoidal rule over every step; all terms are computed by themselves.
    """
    sim = bench(raw, step=step)
    names = [o.name for o in sim.model.outputs]
    lost = [n for n in names if n.endswith(".lost_power") and not any(n.startswith(s) for s in sources)]
    stored = [n for n in names if n.endswith(".stored_energy")]
    # shaft power of motors is what it is, that of engines is before the losses of their rotating parts
    work = {names.index(f"{s}.Power_KW"): 1.0 for s in sources}
    work |= {names.index(f"{s}.lost_power"): -1.0 for s in sources if "Motor" not in s}
    heat = [names.index(n) for n in lost]
    energies = [names.index(n) for n in ("rig.kinetic_energy", *stored)]
    sim.set_parameters({"L2.inertia": 35.0, "R2.inertia": 37.0})

    def seen() -> np.ndarray:
        out = sim.outputs()
        loads = sum(sim.input(f"{w}.load") * sim.state(f"{w}.spin") for w in ("L2", "R2"))
        given = sum(sign * out[i] for i, sign in work.items())
        return np.array([given, loads, sum(out[i] for i in heat), sum(out[i] for i in energies)])

    total, given, start = np.zeros(4), 0.0, seen()[3]
    for i in range(round(seconds / step)):
        sim.set_inputs(demand(i * step, sim))
        now = seen()
        sim.advance(1)
        after = seen()
        total += 0.5 * step * (now + after)
        given += 0.5 * step * (abs(now[0]) + abs(after[0]))
    return float((total[0] + total[1] - total[2] - (after[3] - start)) / given)


def drag(sim: Any) -> dict[str, float]:
    return {f"{w}.load": -60.0 - 0.02 * sim.state(f"{w}.spin") ** 2 for w in ("L2", "R2")}


def test_energy_of_a_launch_with_clutch_and_shifts() -> None:
    """Start, shifts up, lift, and down again: 0.1 % of the work of the engine at a millisecond (found: 0.014 %)."""

    def demand(t: float, sim: Any) -> dict[str, float]:
        return {"throttle": 0.9 if t < 5.0 else 0.0, **drag(sim)}

    assert abs(balance(RWD, ("Engine",), 7.0, demand)) < 1e-3


def test_energy_of_an_automatic() -> None:
    raw = {"layout": "rwd", "engine": ENGINE, "clutch": CONVERTER, "gearbox": AUTOMATIC, "rear": REAR}

    def demand(t: float, sim: Any) -> dict[str, float]:
        return {"throttle": 0.6 if t < 6.0 else 0.0, **drag(sim)}

    assert abs(balance(raw, ("Engine",), 8.0, demand)) < 1e-3


def test_energy_of_an_electric_car_that_stops() -> None:
    raw = {"layout": "dual_motor_awd", "front": FRONT, "rear": REAR, "rear_motor": {**MOTOR, "ratio": 3.0},
           "battery": BATTERY}  # fmt: skip

    def demand(t: float, sim: Any) -> dict[str, float]:
        return {"throttle": 0.5 if t < 2.0 else 0.0, "brake": 0.0 if t < 3.0 else 0.7, "rig.speed": 15.0, **drag(sim)}

    assert abs(balance(raw, ("Motor_to_Rear_Differential",), 5.0, demand)) < 1e-3


# ---- what is refused -------------------------------------------------------------------------------------------------

CAR = "sedan"


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        ({"layout": "fwd", "engine": ENGINE}, r"driveline\.front: missing; layout fwd has a differential there"),
        ({**RWD, "front": REAR}, r"driveline\.front.*layout rwd has no differential there; layouts with one: fwd, awd"),
        ({"layout": "none", "engine": ENGINE}, r"driveline\.engine.*layout none: there is nothing that it could drive"),
        ({**RWD, "front_motor": MOTOR}, r"driveline\.front_motor.*layout rwd has no front differential"),
        ({"layout": "rwd", "rear": REAR}, r"(?s)cannot work: nothing in it drives.*\[rear_in\]--\{ rear: open_differ"),
        ({**RWD, "rear": GEARBOX}, r"driveline\.rear.*manual_gearbox is no differential"),
        (
            {"members": [{**ENGINE, "name": "engine", "shafts": ["crank"]}]},
            r"(?s)engine \(simple_engine\) reaches no wheel over the shafts crank.*engine: simple_engine \}--\[crank\]",
        ),
        (
            {"members": [{**ENGINE, "shafts": ["L1", "R1"]}]},
            r"driveline\.members\[0\]\.shafts.*2 shafts; simple_engine has the ports shaft",
        ),
    ],
)
def test_layouts_that_cannot_work_are_refused_with_the_reason(raw: dict[str, Any], told: str) -> None:
    with pytest.raises(ParameterError, match=told):
        jv.load(CAR).with_(drive={}, driveline=raw)


def test_both_drives_are_refused_and_one_takes_the_place_of_the_other(tmp_path: Path) -> None:
    car_before = jv.load(CAR).with_(drive="rear")
    driven = car_before.with_(driveline=RWD)
    file = driven.save(tmp_path / "both.yaml")
    text = re.sub(r"(?ms)^drive:.*?(?=^\w)", "", file.read_text(encoding="utf-8"))
    file.write_text(text + "drive: rear\n", encoding="utf-8")
    with pytest.raises(ParameterError, match=r"driveline.*stands beside drive"):
        jv.load(file)
    assert sum(car_before.drive.shares.values()) == 1 and sum(driven.drive.shares.values()) == 0
    assert driven.with_(drive="rear").driveline is None


def test_a_driveline_is_written_and_read_as_it_was(tmp_path: Any) -> None:
    vehicle = jv.load(CAR).with_(drive={}, driveline=RWD)
    for form in ("car.yaml", "car"):
        assert jv.load(vehicle.save(tmp_path / form)) == vehicle


# ---- a car -----------------------------------------------------------------------------------------------------------


@lru_cache
def reacting() -> Any:
    """One axle with an engine before an open clutch that pushes the body about x, and a gearbox about y."""
    raw = one_axle()
    chain = {"engine": {**SOURCE, "reaction": "X-"}, "gearbox": {**GEARBOX, "reaction": "Y+"}, "clutch": CLUTCH}
    raw |= {"drive": {}, "driveline": {"layout": "fwd", "front": REAR, **chain}}
    moments = [f"Ext_Body.moment.{axis}" for axis in "XY"]
    return car.describe(vehicle_of(raw), inputs=[*moments, "Wheel_driving.moment.L1", "Wheel_driving.moment.R1"])


def test_housings_push_the_body_and_a_run_adds_moments_at_the_wheels() -> None:
    """The reaction of a part is a moment on the body about its axis; what is added at a wheel acts there alone."""
    sim = car.simulation(reacting())
    sim.set_states({"chassis.vx": 15.0, "L1.wheel.spin": 50.0, "R1.wheel.spin": 50.0, "driveline.crank.speed": 300.0})
    sim.set_inputs({"clutch": 1.0, "throttle": 0.2})
    sim.advance(1)
    calm, torque = rates(sim), sim.output("Engine.torque")
    sim.set_inputs({"throttle": 0.9})
    pushed, change = rates(sim), sim.output("Engine.torque") - torque
    assert change == pytest.approx(0.7 * 285.0)
    assert sim.output("Engine.reaction") == pytest.approx(-sim.output("Engine.torque"))
    sim.set_inputs({"throttle": 0.2, "Ext_Body.moment.X": change})
    given = rates(sim)  # −T about −x is T about x
    for name in calm:
        if not name.startswith("driveline"):
            assert pushed[name] == pytest.approx(given[name], rel=1e-9, abs=1e-9), name
    assert abs(given["chassis.wx"] - calm["chassis.wx"]) > 0.1
    sim.set_inputs({"Ext_Body.moment.X": 0.0, "Wheel_driving.moment.L1": 120.0, "Wheel_driving.moment.R1": -75.0})
    assert sim.output("Wheel.Drive_Moment.L1") == pytest.approx(120.0, abs=1e-9)
    assert sim.output("Wheel.Drive_Moment.R1") == pytest.approx(-75.0, abs=1e-9)
    assert (
        rates(sim)["L1.wheel.spin"] > calm["L1.wheel.spin"] + 20 and rates(sim)["R1.wheel.spin"] < calm["R1.wheel.spin"]
    )


def test_every_housing_pushes_the_body_about_its_own_axis() -> None:
    """Engine, converter, gearbox and differential: a car without reactions, given the sum as a moment, moves alike.

    What a housing bears: −T of the engine, T_in − T_out of the converter, (i − 1) T of gearbox and differential.
    """
    axes = {"engine": "X-", "clutch": "X+", "gearbox": "Y-", "front": "Y+"}
    parts = {"engine": SOURCE, "clutch": CONVERTER, "gearbox": AUTOMATIC, "front": REAR}
    states = {"chassis.vx": 8.0, "L1.wheel.spin": 27.0, "R1.wheel.spin": 25.0, "driveline.crank.speed": 420.0}
    moments = [f"Ext_Body.moment.{axis}" for axis in "XY"]
    found: list[Any] = []
    for reacts in (True, False):
        raw = one_axle()
        chain = {name: {**part, "reaction": axes[name]} if reacts else part for name, part in parts.items()}
        raw |= {"drive": {}, "driveline": {"layout": "fwd", **chain}}
        sim = car.simulation(car.describe(vehicle_of(raw), inputs=moments))
        sim.set_states(states)
        sim.set_inputs({"throttle": 0.7})
        sim.advance(1)
        sim.set_states(states)
        found.append(sim)
    own, other = found
    other.x[:], other.m[:] = own.x, own.m
    turbine = own.output("Torque_Converter.torque")
    expected = {
        "Engine": -own.output("Engine.torque"),
        "Torque_Converter": own.output("Torque_Converter.inputplate_torque") - turbine,
        "Transmission": (own.output("Transmission.ratio") - 1) * own.output("Transmission.clutch_outputplate_torque"),
        "Differential_Front": (3.7 - 1) * own.output("Differential_Front.input_torque"),
    }
    for group, torque in expected.items():
        assert own.output(f"{group}.reaction") == pytest.approx(torque, rel=1e-9) and abs(torque) > 20.0, group
    x = -expected["Engine"] + expected["Torque_Converter"]
    y = -expected["Transmission"] + expected["Differential_Front"]
    calm = rates(other)
    other.set_inputs({"Ext_Body.moment.X": x, "Ext_Body.moment.Y": y})
    pushed, given = rates(own), rates(other)
    for name in pushed:
        assert pushed[name] == pytest.approx(given[name], rel=1e-9, abs=1e-9), name
    assert abs(given["chassis.wx"] - calm["chassis.wx"]) > 0.1 and abs(given["chassis.wy"] - calm["chassis.wy"]) > 0.1


@pytest.mark.slow
def test_a_car_runs_steadily_in_a_fitting_gear_and_starts_by_its_throttle() -> None:
    vehicle = jv.load(CAR).with_(drive={}, driveline=RWD)
    description = car.describe(vehicle)
    sim = car.simulation(description)
    statics.settle(sim, description)
    rest = sim.snapshot()
    for speed, gear in ((4.0, 1.0), (30.0, 3.0)):
        sim.restore(rest)
        found = steady.run_steadily(sim, description, speed)
        assert sim.output("Transmission.gear") == gear and found.residual < 1e-9
        gain = gains.gains(sim, description).throttle
        assert gain > 1.0
        vx = sim.state("chassis.vx")
        sim.run(sim.time + 1.0)
        assert sim.state("chassis.vx") == pytest.approx(vx, abs=1e-6)
    # from rest by the throttle alone; 40–100 km/h against a point mass would need the tire's slip
    sim.restore(rest)
    sim.set_inputs({"throttle": 1.0})
    times = {}
    while sim.time < 14.0 and 27.78 not in times:
        sim.advance(20)
        for mark in (11.11, 27.78):
            if sim.state("chassis.vx") > mark:
                times.setdefault(mark, sim.time)
    assert 1.5 < times[11.11] < 4.0 and 6.0 < times[27.78] < 13.0
    assert sim.output("Transmission.gear") in (2.0, 3.0)


def test_traction_control_joints_and_angles_on_an_axle() -> None:
    """u = u_driver clip(1 − K (κ − κ_th), 0, 1) with the larger slip; what a run adds to the threshold moves it."""
    raw = one_axle()
    quiet = {**ENGINE, "idle_control": None, "overspeed_control": None}
    joints = [{"axle": 1, "inner": [0.01, 0.22, 0.34], "outer": [0.0, 0.69, 0.3]}]
    data = {"layout": "fwd", "engine": quiet, "front": REAR, "tcs": {"threshold": 0.07, "gain": 9.0}, "angles": True}
    raw |= {"drive": {}, "driveline": {**data, "joints": joints}}
    sim = car.simulation(car.describe(vehicle_of(raw), inputs=["TCS.TCS_threshold", "TCS.Internal_TCS_Activity"]))
    vx = 15.0
    sim.set_states({"chassis.vx": vx})
    for wheel, slip in (("L1", 0.021), ("R1", 0.113)):
        for _ in range(30):
            radius = sim.output(f"Tire.Effective_Rolling_Radius.{wheel}")
            sim.set_states({f"{wheel}.wheel.spin": (1 + slip) * vx / radius})
    sim.set_inputs({"throttle": 0.8})
    assert sim.output("Engine.effective_throttle") == pytest.approx(0.8 * (1 - 9.0 * 0.043), rel=1e-6)
    assert sim.output("Engine.TCS_activity") == 1
    sim.set_inputs({"TCS.TCS_threshold": 0.03})
    assert sim.output("Engine.effective_throttle") == pytest.approx(0.8 * (1 - 9.0 * 0.013), rel=1e-6)
    sim.set_inputs({"TCS.Internal_TCS_Activity": 0.0})
    assert sim.output("Engine.effective_throttle") == pytest.approx(0.8) and sim.output("Engine.TCS_activity") == 0
    word = "UserOut_differential_front"
    for side, wheel in (("left", "L1"), ("right", "R1")):
        names = [f"{{}}_{{}}_{side}", f"F{{}}_{{}}_Convel_{side}", f"M{{}}_{{}}_Convel_{side}"]
        place, force, moment = (
            [np.array([sim.output(f"{word}.{name.format(axis, end)}") for axis in "XYZ"]) for end in ("Outer", "Inner")]
            for name in names
        )
        assert np.allclose(force[0] + force[1], 0)
        assert np.allclose(moment[0] + moment[1] + np.cross(place[0] - place[1], force[0]), 0, atol=1e-6)
        assert moment[1][1] == pytest.approx(sim.output(f"Wheel.Drive_Moment.{wheel}"), rel=1e-9)
    speed, before = sim.output("Engine.engine_rpm"), sim.output("Engine.clutch_inputplate_angle")
    sim.advance(1)
    mean = 0.5 * (speed + sim.output("Engine.engine_rpm"))
    assert sim.output("Engine.clutch_inputplate_angle") - before == pytest.approx(mean * sim.step, rel=1e-3)
