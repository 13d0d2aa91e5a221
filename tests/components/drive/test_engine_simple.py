"""The simple engine: full load, drag, lag; idle, overspeed, ram air."""

from __future__ import annotations

import math
from typing import Any

import pytest

from drive_rig import bench, line
from drivelines import ENGINE, RWD
from jounce.runtime.simulation import Simulation
from jounce.sim.build import build
from jounce.sim.linear import Lineariser

LAGGED = {**ENGINE, "lag": 0.13, "torque_scale": 1.2, "ratio": 1.3, "efficiency": 0.97}


def alone(**changes: Any) -> dict[str, Any]:
    return {
        "members": [
            {**ENGINE, **changes, "name": "engine", "shafts": ["in"]},
            {"kind": "gear", "name": "fixed", "ratio": 1.0, "shafts": ["in", "L1"]},
        ]
    }


@pytest.mark.parametrize("speed", [110.0, 300.0, 470.0, 485.0, 600.0])
@pytest.mark.parametrize("throttle", [0.0, 0.35, 1.0])
def test_torque_up_to_the_largest_power(speed: float, throttle: float) -> None:
    sim = bench(alone(), axles=1)
    sim.set_states({"L1.spin": speed})
    sim.set_inputs({"throttle": throttle})
    full = min(250.0, 120e3 / speed)
    assert sim.output("Driveline.engine.torque") == pytest.approx(-35.0 + throttle * (full + 35.0))
    assert sim.output("Driveline.engine.Max_Engine_torque") == pytest.approx(full)
    assert sim.output("Driveline.engine.Min_Engine_torque") == pytest.approx(-35.0)
    assert sim.output("Driveline.engine.Power_KW") == pytest.approx(sim.output("Driveline.engine.torque") * speed)


def test_a_lag_scale_ratio_and_efficiency() -> None:
    """63 % at its time constant; scale, ratio and efficiency on the way to the shaft."""
    sim = bench(alone(**{k: v for k, v in LAGGED.items() if k not in ENGINE or ENGINE[k] != v}), axles=1)
    sim.set_parameters({"L1.inertia": 1e9})
    sim.set_states({"L1.spin": 200.0, "driveline.engine.torque": -35.0})
    sim.set_inputs({"throttle": 1.0})
    sim.run(0.13)
    torque = sim.output("Driveline.engine.torque")
    assert sim.output("Driveline.engine.engine_rpm") == pytest.approx(260.0)
    assert torque == pytest.approx(1.2 * (-35.0 + 285.0 * (1 - math.exp(-1))), rel=1e-4)
    assert sim.output("hub.L1") == pytest.approx(1.3 * 0.97 * torque, rel=1e-6)


def test_it_idles_and_comes_back_after_a_load() -> None:
    """The proportional control rests where its throttle carries the drag, and never stalls under a load of 20 N.m."""
    sim = bench(alone(), axles=1)
    sim.set_states({"L1.spin": 90.0})
    sim.run(3.0)
    rest = 90.0 - 35.0 / 285.0 / 0.02
    assert sim.state("L1.spin") == pytest.approx(rest, rel=1e-3)
    sim.set_inputs({"L1.load": -20.0})
    sim.run(4.0)
    assert sim.state("L1.spin") > 70.0
    sim.set_inputs({"L1.load": 0.0})
    sim.run(8.0)
    assert sim.state("L1.spin") == pytest.approx(rest, rel=1e-3)


@pytest.mark.parametrize(("speed", "throttle"), [(80.0, 0.2), (50.0, 0.37), (10.0, 0.37), (95.0, 0.0)])
def test_idle_control_opens_the_throttle_by_the_missing_speed_up_to_its_cap(speed: float, throttle: float) -> None:
    """u = clip(0.02 (90 − ω), 0, 0.37); a driver who gives more has the last word."""
    sim = bench(alone(idle_control={"gain": 0.02, "max_throttle": 0.37}), axles=1)
    sim.set_states({"L1.spin": speed})
    for pedal in (0.0, 0.1, 0.6):
        sim.set_inputs({"throttle": pedal})
        assert sim.output("Driveline.engine.effective_throttle") == pytest.approx(max(pedal, throttle), rel=1e-12)


def test_steady_running_is_looked_for_with_an_engine_that_runs() -> None:
    """Behind an open clutch it may stand or idle, both in balance: standing it runs away, idling it comes back.

    Standing, idle control gives 0.4 and (5) a torque that grows with the speed; idling, dT/dω = −K_i (T_max − T_min).
    """
    system = line(RWD)
    linear, sim = Lineariser(system), Simulation(build(system))
    crank = linear.notes["states"].index("driveline.crank.speed")
    (place,) = linear.rest["rolling"]
    assert place == crank and linear.limits_and_rolling(sim)[1] == [90.0], "not that of the wheels, which stand"
    idles = 90.0 - 35.0 / 285.0 / 0.02
    for speed, slope in ((1e-9, (-35.0 + 0.4 * 285.0) / (0.3 * 70.0)), (idles, -0.02 * 285.0)):
        sim.set_states({"driveline.crank.speed": speed})
        found = linear.at(sim)
        assert found.A[crank, crank] == pytest.approx(slope / 0.15, rel=1e-9)
        assert sim.derivatives()[0][crank] == pytest.approx(0.0, abs=1e-7)


def test_overspeed_takes_the_throttle_away() -> None:
    """Held above its limit by less than 1/gain, where all throttle is gone."""
    sim = bench(alone(), axles=1)
    sim.set_states({"L1.spin": 600.0})
    sim.set_inputs({"throttle": 1.0})
    sim.run(5.0)
    speed = sim.state("L1.spin")
    assert 650.0 < speed < 650.0 + 1 / 0.05
    sim.set_states({"L1.spin": 672.0})
    assert sim.output("Driveline.engine.effective_throttle") == 0.0
    assert sim.output("Driveline.engine.torque") == pytest.approx(-35.0)


def test_controls_may_be_removed_by_a_run() -> None:
    flag = "Subsystem_Activation.Internal_Engine_Idle_MaxRev_Controls_Activity"
    sim = bench(alone(), axles=1, inputs=[flag])
    sim.set_states({"L1.spin": 60.0})
    sim.set_inputs({flag: 1.0})
    assert sim.output("Driveline.engine.effective_throttle") == pytest.approx(0.4)
    sim.set_inputs({flag: 0.0})
    assert sim.output("Driveline.engine.effective_throttle") == 0.0


@pytest.mark.parametrize("group", ["Engine", "Driveline.engine"])
def test_a_run_commands_by_torque_or_by_throttle_alike(group: str) -> None:
    """control_mode 0 with the torque of the throttle gives the run of control_mode 1; a flag removes the engine."""
    quiet = {"idle_control": None, "overspeed_control": None}
    raw: dict[str, Any] = alone(**quiet)
    if group == "Engine":
        raw = {"layout": "rwd", "engine": {**ENGINE, **quiet}, "rear": {"kind": "open_differential"}}
    torque = "engine_trq" if group == "Engine" else "engine_torque"
    flag = "Subsystem_Activation.Internal_Engine_Activity" if group == "Engine" else f"{group}.activity"
    names = [f"{group}.{n}" for n in ("control_mode", torque, "throttle_scaling", "throttle_offset")]
    spins = ("L2.spin", "R2.spin") if group == "Engine" else ("L1.spin",)
    found = []
    for given in (
        {f"{group}.control_mode": 1.0, f"{group}.throttle_scaling": 0.5, f"{group}.throttle_offset": 0.2},
        {f"{group}.control_mode": 0.0, f"{group}.{torque}": -35.0 + 0.5 * 285.0},
        {flag: 0.0, f"{group}.{torque}": -35.0 + 0.5 * 285.0},
    ):
        sim = bench(raw, axles=2 if group == "Engine" else 1, inputs=[*names, flag])
        sim.set_inputs({f"{group}.control_mode": 1.0, f"{group}.throttle_scaling": 1.0, flag: 1.0})
        sim.set_inputs({"throttle": 0.6, **given})
        sim.set_states(dict.fromkeys(spins, 100.0))
        sim.run(0.5)
        found.append(sim.state(spins[0]))
    assert found[1] == pytest.approx(found[0], rel=1e-12) and found[2] == pytest.approx(found[0], rel=1e-12)
    assert found[0] > 105.0


def test_stall_above_idle_is_refused() -> None:
    with pytest.raises(ValueError, match="must be below idle_speed"):
        bench(alone(stall_speed=100.0), axles=1)
