"""Electric motors in four quadrants, with and without a battery."""

from __future__ import annotations

import math
from typing import Any

import pytest

from drive_rig import bench
from drivelines import BATTERY, MOTOR

REAR = {"kind": "open_differential", "ratio": 1.0, "inertia": 0.01}
RAW: dict[str, Any] = {"layout": "dual_motor_awd", "front": REAR, "rear": REAR, "rear_motor": MOTOR}
WORD = "Motor_to_Rear_Differential"
PORT = "Generic_Engine_to_Rear_Differential"


def put(sim: Any, spin: float, speed: float = 20.0, **inputs: float) -> None:
    sim.set_states({"L2.spin": spin, "R2.spin": spin})
    sim.set_inputs({"throttle": 0.0, "brake": 0.0, "rig.speed": speed, **inputs})


def test_pedals_choose_the_map() -> None:
    """Braking before driving before coasting; nothing against the motion below the threshold of 1 m/s."""
    sim = bench(RAW)
    put(sim, 400.0 / 9.0, throttle=1.0)
    assert sim.output(f"{WORD}.torque") == pytest.approx(305.0, rel=1e-9)
    put(sim, 400.0 / 9.0, throttle=1.0, brake=1.0)
    assert sim.output(f"{WORD}.torque") == pytest.approx(-200.0, rel=1e-9)
    put(sim, 600.0 / 9.0)
    assert sim.output(f"{WORD}.torque") == pytest.approx(-11.0, rel=1e-9)
    for brake in (0.0, 1.0):
        put(sim, 3.0, speed=0.99, brake=brake)
        assert sim.output(f"{WORD}.torque") == 0.0
    put(sim, -400.0 / 9.0, speed=-20.0, brake=1.0)
    assert sim.output(f"{WORD}.torque") == pytest.approx(200.0, rel=1e-9), "braking backwards"
    put(sim, -600.0 / 9.0, speed=-20.0)
    assert sim.output(f"{WORD}.torque") == pytest.approx(11.0, rel=1e-9), "coasting backwards"
    for speed in (1.25, -1.25):  # half way between the threshold and one and a half of it
        put(sim, math.copysign(400.0 / 9.0, speed), speed=speed, brake=1.0)
        assert sim.output(f"{WORD}.torque") == pytest.approx(math.copysign(100.0, -speed), rel=1e-9)


@pytest.mark.parametrize(("pedals", "factor"), [({"throttle": 0.5}, 1 / 0.92), ({"brake": 0.5}, 0.92)])
def test_electric_power_is_more_than_that_of_the_shaft_both_ways(pedals: dict[str, float], factor: float) -> None:
    sim = bench(RAW)
    put(sim, 400.0 / 9.0, **pedals)
    shaft = sim.output(f"{WORD}.torque") * 400.0
    assert sim.output(f"{WORD}.electric_power") == pytest.approx(factor * shaft, rel=1e-9)
    lost = sim.output(f"{WORD}.lost_power")
    assert lost == pytest.approx((factor - 1) * shaft, rel=1e-9) and lost > 0
    assert sum(sim.output(f"hub.{n}") for n in ("L2", "R2")) == pytest.approx(9.0 * shaft / 400.0, rel=1e-9)


def test_an_efficiency_that_scales_the_torque() -> None:
    sim = bench({**RAW, "rear_motor": {**MOTOR, "efficiency_scales": "torque"}})
    put(sim, 400.0 / 9.0, throttle=1.0)
    theory = sim.output(f"{WORD}.Theoretical_Power_KW")
    assert theory == pytest.approx(305.0 * 400.0, rel=1e-9)
    assert sim.output(f"{WORD}.Power_KW") == pytest.approx(0.92 * theory, rel=1e-9)
    put(sim, 400.0 / 9.0, brake=1.0)  # the map is what comes to the battery: the shaft gives more
    assert sim.output(f"{WORD}.Power_KW") == pytest.approx(-200.0 * 400.0 / 0.92, rel=1e-9)
    assert sim.output(f"{WORD}.electric_power") == pytest.approx(-200.0 * 400.0, rel=1e-9)


def test_maps_of_efficiency_and_of_what_is_regenerated() -> None:
    """Both over speed and torque, at nodes and between; the inverse efficiency while braking."""
    eta = {"x": [0.0, 400.0, 1200.0], "z": [0.0, 100.0, 310.0],
           "y": [[0.5, 0.6, 0.7], [0.8, 0.94, 0.9], [0.7, 0.88, 0.86]]}  # fmt: skip
    share = {"x": [0.0, 1200.0], "z": [0.0, 200.0], "y": [[0.0, 0.4], [0.0, 0.4]]}
    raw = {**RAW, "rear_motor": {**MOTOR, "efficiency": eta, "regeneration_map": share}}
    sim = bench(raw)
    put(sim, 400.0 / 9.0, throttle=100.0 / 305.0)
    assert sim.output(f"{WORD}.torque") == pytest.approx(100.0, rel=1e-9)
    assert sim.output(f"{WORD}.electric_power") == pytest.approx(100.0 * 400.0 / 0.94, rel=1e-9)
    put(sim, 400.0 / 9.0, brake=1.0)  # 200 N.m, of which 0.4
    assert sim.output(f"{WORD}.torque") == pytest.approx(-80.0, rel=1e-9)
    electric = sim.output(f"{WORD}.electric_power")
    assert -80.0 * 400.0 < electric < 0 and sim.output(f"{WORD}.lost_power") > 0
    with pytest.raises(ValueError, match=r"from 0.5 to 1.2; expected above 0, at most 1"):
        bench(
            {**raw, "rear_motor": {**MOTOR, "efficiency": {**eta, "y": [[0.5, 0.6, 0.7], [0.8, 1.2, 0.9], [0.7] * 3]}}}
        )


def test_a_run_gives_torque_throttle_and_direction() -> None:
    names = [f"{PORT}.{n}" for n in ("control_mode", "engine_torque", "throttle_scaling", "throttle_offset",
                                     "reverse_mode", "regeneration_factor")]  # fmt: skip
    sim = bench(RAW, inputs=names)
    put(sim, 400.0 / 9.0, throttle=0.4, **{f"{PORT}.control_mode": 0.0, f"{PORT}.engine_torque": 77.0})
    assert sim.output(f"{WORD}.torque") == 77.0
    put(sim, 400.0 / 9.0, throttle=0.4, **{f"{PORT}.control_mode": 1.0, f"{PORT}.engine_torque": 0.0})
    assert sim.output(f"{WORD}.torque") == pytest.approx(0.4 * 305.0, rel=1e-9)
    sim.set_inputs({f"{PORT}.throttle_scaling": 0.5, f"{PORT}.throttle_offset": 0.3})
    assert sim.output(f"{WORD}.torque") == pytest.approx(0.5 * 305.0, rel=1e-9)
    sim.set_inputs({f"{PORT}.reverse_mode": 1.0})
    assert sim.output(f"{WORD}.torque") == pytest.approx(-0.5 * 305.0, rel=1e-9)
    sim.set_inputs({f"{PORT}.reverse_mode": 0.0, f"{PORT}.regeneration_factor": 0.3, "brake": 1.0})
    assert sim.output(f"{WORD}.torque") == pytest.approx(-60.0, rel=1e-9)


def test_regenerated_energy_of_a_stop_is_less_than_the_kinetic_energy_lost() -> None:
    """∫ P_el = η ∫ T ω, which is η times what the wheels lose; every term by itself."""
    sim = bench({**RAW, "battery": {**BATTERY, "auxiliary_power": 0.0}})
    sim.set_parameters({"L2.inertia": 40.0, "R2.inertia": 40.0})
    put(sim, 60.0, brake=0.8)
    before = sim.output("rig.kinetic_energy")
    energy, steps = 0.0, 2000
    for _ in range(steps):
        first = sim.output("Battery.power")
        sim.advance(1)
        energy += 0.5e-3 * (first + sim.output("Battery.power"))
    lost = before - sim.output("rig.kinetic_energy")
    assert lost > 1e5 and -energy == pytest.approx(0.92 * lost, rel=1e-4)


def test_a_weak_battery_derates_and_holds_its_limit() -> None:
    sim = bench({**RAW, "battery": {**BATTERY, "max_current": 120.0}})
    put(sim, 700.0 / 9.0, throttle=1.0)
    full = 900.0  # W: far less than asked for
    assert sim.output("Battery.Battery_Current") == pytest.approx(120.0, rel=1e-9)
    electric = sim.output(f"{WORD}.electric_power")
    assert electric + 450.0 == pytest.approx(sim.output("Battery.power"), rel=1e-9) and electric > full
    assert sim.output(f"{WORD}.torque") * 700.0 == pytest.approx(0.92 * electric, rel=1e-9)
    put(sim, 700.0 / 9.0, brake=1.0)
    assert sim.output("Battery.Battery_Current") == pytest.approx(-120.0, rel=1e-9)


def test_bad_efficiencies_are_refused() -> None:
    with pytest.raises(ValueError, match=r"from 1.1 to 1.1; expected above 0, at most 1"):
        bench({**RAW, "rear_motor": {**MOTOR, "efficiency": 1.1}})
