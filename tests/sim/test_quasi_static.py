"""Cycles backwards from what parts declare: a part of one's own, ways that part, what only a run has."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from car_models import rates
from cars import compact
from drive_rig import bench
from drivelines import ENGINE, MAP, MOTOR
from jounce.core.errors import ParameterError
from jounce.core.part_registry import PARTS
from jounce.sim.quasi_static import CUTS, LOOKS, Chain, quasi_static, searched
from jounce.vehicle.schema import Vehicle

TIME = np.arange(0.0, 40.5, 0.5)
SPEED = np.interp(TIME, [0, 2, 12, 20, 26, 40], [0.0, 0.0, 14.0, 17.0, 6.0, 0.0])
GEAR = {"kind": "gear", "ratio": 2.3, "efficiency": 0.94, "inertia": 0.031}
OWN = {"kind": "reduction", "teeth": 23.0, "small": 10.0, "loss": 0.06, "drum": 0.031}
AXLE = {"kind": "open_differential", "ratio": 3.1, "efficiency": 0.97, "inertia": 0.02}


@pytest.fixture(scope="module", autouse=True)
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The parts of docs/driveline.md: an engine with a state, and a reduction that only declares what it is."""
    text = (Path(__file__).parents[2] / "docs" / "driveline.md").read_text(encoding="utf-8")
    blocks = [code for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "register_part" in code]
    folder = tmp_path_factory.mktemp("page")
    (folder / "parts_of_the_page.py").write_text("\n".join(blocks), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        found = importlib.import_module("parts_of_the_page")
        try:
            yield
        finally:
            for name in ("TurboEngine", "Reduction"):
                PARTS.forget(getattr(found, name))
            del sys.modules[found.__name__]


def line(reduction: dict[str, Any], machine: dict[str, Any] = MOTOR) -> dict[str, Any]:
    chain = [({**machine, "ratio": 1.7}, ["a"]), (reduction, ["a", "b"]), (AXLE, ["b", "L2", "R2"])]
    return {"members": [{**raw, "name": f"m{i}", "shafts": shafts} for i, (raw, shafts) in enumerate(chain)]}


def car(driveline: dict[str, Any]) -> Vehicle:
    return compact().with_(drive={}, driveline=driveline)


def test_a_part_of_ones_own_is_in_model_account_and_quasi_static_by_what_it_declares() -> None:
    """The same wheels as a gear of the package and by their teeth: 23 on 10, 6 % lost."""
    found = []
    for raw in (GEAR, OWN):
        sim = bench(line(raw))
        sim.set_states({"L2.spin": 31.0, "R2.spin": 27.0})
        sim.set_inputs({"throttle": 0.6, "L2.load": -40.0, "R2.load": 15.0})
        sums, rows = quasi_static(car(line(raw)), TIME, SPEED)
        now = rates(sim)
        found.append(
            [now["L2.spin"], now["R2.spin"], sim.output("Driveline.m1.lost_power"), sums["source"],
             *(rows[f"Energy.{name}"][0][-1] for name in ("hubs", "lost.driveline", "brakes"))]
        )  # fmt: skip
    assert found[1] == pytest.approx(found[0], rel=1e-9)
    assert found[0][2] > 100.0 and min(found[0][3:6]) > 1e4


def test_ways_that_part_count_by_the_power_that_goes_each_way() -> None:
    """A central differential whose axles have different ratios and efficiencies, all wheels turning alike."""
    axles = {"front": {**AXLE, "ratio": 2.9, "efficiency": 0.9}, "rear": {**AXLE, "ratio": 3.3, "efficiency": 0.98}}
    central = {"kind": "open_differential", "share": 0.35, "ratio": 1.2, "efficiency": 0.95, "inertia": 0.04}
    engine = {**ENGINE, "ratio": 1.5}
    chain = Chain(car({"layout": "awd", **axles, "central": central, "engine": engine}), SPEED)
    (way,) = [chain.way(m.shafts[0]) for m in chain.machines]
    front, rear = 0.35 * 2.9, 0.65 * 3.3
    whole = 1.2 * (front + rear)
    assert way.ratio == pytest.approx(whole, rel=1e-12)
    assert way.efficiency == pytest.approx(0.95 * (front * 0.9 + rear * 0.98) / (front + rear), rel=1e-12)
    # ½ J ω² of all shafts with wheels at 1 rad/s
    expected = 0.15 * 1.5**2 * whole**2 + 0.04 * whole**2 + 0.02 * (2.9**2 + 3.3**2)
    assert chain.inertia() == pytest.approx(expected, rel=1e-12)


def test_the_torque_of_a_machine_is_that_of_the_model() -> None:
    """Of an engine by its map and of a motor that drives, coasts and brakes: the law itself, with numbers."""
    engine = {"kind": "engine", "torque_map": MAP, "inertia": 0.1, "idle_control": None, "overspeed_control": None}
    for machine, pedals in ((engine, (0.0, 0.35, 1.0)), (MOTOR, (0.0, 0.01, 0.7))):
        sim = bench(line(GEAR, machine))
        chain = Chain(car(line(GEAR, machine)), np.array([15.0]))
        (member,) = chain.machines
        for spin in (22.0, 37.0):
            sim.set_states({"L2.spin": spin, "R2.spin": spin})
            for pedal in pedals:
                for brake in (0.0, 0.6):
                    sim.set_inputs({"throttle": pedal, "brake": brake, "rig.speed": 15.0})
                    speed = np.array([sim.output("Driveline.m0.engine_rpm")])
                    found = member.part.law(member, speed, np.array([pedal]), np.array([brake]))
                    assert found == pytest.approx(sim.output("Driveline.m0.torque"), rel=1e-9, abs=1e-9)


def test_a_law_with_states_is_refused_by_name() -> None:
    with pytest.raises(ParameterError, match=r"m0 \(turbo_engine\) has states in its law, which only a run has"):
        quasi_static(car(line(GEAR, {"kind": "turbo_engine", "peak": 200.0})), TIME, SPEED)


def test_a_pedal_is_found_where_forces_grow_bend_and_jump() -> None:
    """Against the inverse by hand, to what is left of a pedal after all looks; ends where there is none."""
    share, jump = np.linspace(0.05, 0.95, 19), 0.4
    resolved = CUTS**-LOOKS

    def force(x: Any) -> Any:
        return np.sinh(3 * x) + np.where(x > jump, 2.0, 0.0)

    found = searched(force, force(share))
    assert np.abs(found - share).max() < resolved
    inside_the_jump = searched(force, np.array([np.sinh(3 * jump) + 1.0]))
    assert inside_the_jump == pytest.approx(jump, abs=resolved)
    assert searched(force, np.array([-5.0, 100.0])).tolist() == [0.0, 1.0]
