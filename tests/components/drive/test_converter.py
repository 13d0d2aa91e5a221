"""Torque converters: stall, overrun, oil dump, lock-up, energy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from drive_rig import bench
from drivelines import CONVERTER, ENGINE, REAR
from jounce.components.drive.converter import Converter
from jounce.components.part import table_of
from jounce.components.settings import Settings

QUIET = {**ENGINE, "idle_control": None, "overspeed_control": None}
PLAIN = {k: v for k, v in CONVERTER.items() if k != "lock_up"}
MAPS = Converter.model_validate(PLAIN)
TABLES = [
    table_of(curve, "map", False, Settings.model_validate({})) for curve in (MAPS.capacity_factor, MAPS.torque_ratio)
]
DUMP = {**PLAIN, "dump_threshold": 0.5, "dump_residual": 0.4, "throttle_off": 0.03}


def line(converter: dict[str, Any]) -> dict[str, Any]:
    return {"layout": "rwd", "engine": QUIET, "clutch": converter, "rear": {**REAR, "efficiency": 1.0}}


def put(sim: Any, crank: float, turbine: float) -> None:
    sim.set_states({"driveline.crank.speed": crank, "L2.spin": turbine / 3.7, "R2.spin": turbine / 3.7})


def test_stall_and_coupling_torques() -> None:
    """T_in = (ω/k)², T_out = τ T_in at nodes of the maps."""
    sim = bench(line(PLAIN))
    sim.set_inputs({"throttle": 0.5})
    for ratio, k, tau in zip(*(PLAIN["capacity_factor"][a] for a in "xy"), PLAIN["torque_ratio"]["y"], strict=True):
        put(sim, 220.0, 220.0 * ratio)
        assert sim.output("Torque_Converter.inputplate_torque") == pytest.approx((220.0 / k) ** 2, rel=1e-9)
        assert sim.output("Torque_Converter.torque") == pytest.approx(tau * (220.0 / k) ** 2, rel=1e-9)
        assert sim.output("Torque_Converter.efficiency") == pytest.approx(tau * ratio, rel=1e-9)
        assert sim.output("Torque_Converter.lost_power") >= 0


def test_overrun_is_a_coupling_the_other_way_and_zero_at_equal_speeds() -> None:
    sim = bench(line(PLAIN))
    put(sim, 200.0, 200.0)
    assert sim.output("Torque_Converter.torque") == pytest.approx(0.0, abs=1e-9)
    put(sim, 160.0, 200.0)
    assert sim.output("Torque_Converter.torque") == pytest.approx(-((200.0 / 18.0) ** 2), rel=1e-9)
    assert sim.output("Torque_Converter.inputplate_torque") == pytest.approx(-((200.0 / 18.0) ** 2), rel=1e-9)
    assert sim.output("Torque_Converter.lost_power") > 0


@pytest.mark.parametrize(("scales", "power"), [("speed", 2), ("torque", 1)])
def test_oil_dump_with_the_pedal_up(scales: str, power: int) -> None:
    """Creep torque falls by γ², or by γ by choice; γ = residual at standstill, 1 from the threshold on."""
    sim = bench(line({**DUMP, "dump": scales}))
    full, dumped = {}, {}
    for throttle, found in ((0.2, full), (0.0, dumped)):
        sim.set_inputs({"throttle": throttle})
        for turbine in (0.0, 25.0, 60.0):
            put(sim, 100.0, turbine)
            found[turbine] = sim.output("Torque_Converter.torque")
    assert dumped[0.0] == pytest.approx(0.4**power * full[0.0], rel=1e-9)
    assert dumped[25.0] == pytest.approx(0.7**power * full[25.0], rel=1e-9)
    assert dumped[60.0] == pytest.approx(full[60.0], rel=1e-12)


def test_lock_up_closes_above_its_speed_and_opens_below() -> None:
    raw = line({**CONVERTER, "lock_up": {"capacity": 380.0, "from_gear": 1.0}})
    sim = bench(raw)
    sim.set_parameters({"L2.inertia": 1e6, "R2.inertia": 1e6})
    put(sim, 200.0, 180.0)
    sim.set_inputs({"throttle": 0.6})
    sim.run(1.5)
    assert sim.output("Torque_Converter.lock_up") == 1.0
    assert abs(sim.output("Engine.engine_rpm") - 180.0) < 0.05
    assert sim.output("Torque_Converter.lock_up_torque") == pytest.approx(sim.output("Engine.torque"), rel=1e-2)
    sim.set_states({"L2.spin": 120.0 / 3.7, "R2.spin": 120.0 / 3.7})
    sim.run(2.5)
    assert sim.output("Torque_Converter.lock_up") == 0.0


def by_hand(t: float, values: Sequence[float]) -> tuple[float, float]:
    """(1) in Python, with the same splines through the maps."""
    impeller, turbine = values
    ratio = min(max(turbine / max(impeller, 1.0), 0.0), 0.98)
    k, tau = (float(table(ratio)) for table in TABLES)
    size = min(max((1 - turbine / max(impeller, 1.0)) / 0.02, 0.0), 1.0) * (max(impeller, 0.0) / k) ** 2
    return size, tau * size


@pytest.mark.parametrize("step", [1e-3, 2.5e-4])
def test_a_converter_from_outside_is_that_of_the_package(step: float) -> None:
    """A function in Python, sampled at full steps: 0.1 % at a millisecond, and less with the step."""
    names = ["Clutch.clutch_trq", "Clutch.gearbox_inputshaft_torque"]
    flag = "Subsystem_Activation.Internal_Clutch_Activity"
    found = []
    for outside in (False, True):
        sim = bench(line(PLAIN), inputs=[*names, flag], step=step)
        sim.set_parameters({"L2.inertia": 11.0, "R2.inertia": 13.0})
        put(sim, 180.0, 0.0)
        sim.set_inputs({"throttle": 0.8, flag: 0.0 if outside else 1.0, "L2.load": -70.0})
        if outside:
            reads = ("Engine.engine_rpm", "Torque_Converter.gearbox_inputshaft_omega")
            sim.add_block("converter", by_hand, reads=reads, writes=tuple(names))
        rows = []
        for _ in range(20):
            sim.advance(round(0.05 / step))
            rows.append([sim.state(n) for n in ("driveline.crank.speed", "L2.spin", "R2.spin")])
        found.append(np.array(rows))
    own, copy = found
    assert own[-1, 1] > 20.0
    assert np.abs(copy - own).max() < step * np.abs(own).max()


def test_maps_that_do_not_cover_the_range_are_refused() -> None:
    short = {"x": [0.0, 0.8], "y": [13.0, 18.0]}
    with pytest.raises(ValueError, match="needs a table over speed ratios from 0 to"):
        bench(line({**PLAIN, "capacity_factor": short}))
