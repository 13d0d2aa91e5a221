"""Control units and what happens to a driveline: in Python from outside, told after a run."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drive_rig import bench
from drivelines import BATTERY, CLUTCH, GEARBOX, RWD
from jounce.components.drive.driveline import Driveline
from jounce.components.places import VehiclePlace
from jounce.components.settings import Settings

UP, DOWN = 5500 * np.pi / 30, 1800 * np.pi / 30


def driven(sim: Any, seconds: float) -> tuple[list[float], list[float]]:
    sim.set_parameters({"L2.inertia": 35.0, "R2.inertia": 37.0})
    sim.set_inputs({"throttle": 0.9})
    speeds, gears = [], []
    for _ in range(round(seconds / 0.01)):
        sim.advance(10)
        speeds.append(sim.state("L2.spin"))
        gears.append(sim.output("Transmission.gear"))
    return speeds, gears


def names_of_page(folder: Path, end: str = "") -> dict[str, Any]:
    """What the code of docs/driveline.md defines, run as a file; up to `end`, if given."""
    text = (Path(__file__).parents[3] / "docs" / "driveline.md").read_text(encoding="utf-8")
    code = next(block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "def shift_logic" in block)
    file = folder / "page.py"
    file.write_text(code.split(end)[0] if end else code, encoding="utf-8")
    return runpy.run_path(str(file))


def shift_logic(folder: Path) -> Any:
    """The function of docs/driveline.md."""
    return names_of_page(folder, end="\n\ncar = ")["shift_logic"](up=UP, down=DOWN)


def test_shift_logic_in_python_is_that_of_the_gearbox(tmp_path: Path) -> None:
    """Gears change at the same speeds, a step late at most: the runs agree to 0.1 % at a millisecond."""
    own, gears = driven(bench(RWD), 6.0)
    sim = bench({**RWD, "gearbox": {**GEARBOX, "shifts": "demand"}})
    reads = ["Transmission.input_rpm", "Transmission.gear"]
    sim.add_block("shifts", shift_logic(tmp_path), 0.001, reads=reads, writes=["gear"])
    other, by_python = driven(sim, 6.0)
    assert max(gears) >= 3 and by_python == gears
    late = slice(50, None)  # wheels stand at first
    assert np.abs(np.array(other[late]) / np.array(own[late]) - 1).max() < 1e-3


# ---- what happened ---------------------------------------------------------------------------------------------------


def told(raw: dict[str, Any], channels: dict[str, list[float]]) -> list[str]:
    data = Driveline.model_validate(raw)
    place = VehiclePlace("", Settings.model_validate({}), None)
    seen = {name: np.array(values) for name, values in channels.items()}
    return list(data.happened(place, seen.get))


MEMBERS = {
    "members": [{**RWD["engine"], "name": "diesel", "shafts": ["L1"]}],
    "battery": BATTERY,
}
TIME = [0.0, 0.5, 1.0, 1.5]


def test_stall_overspeed_and_an_empty_battery_are_told_with_their_time() -> None:
    """The engine of the tests stalls below 70 rad/s and ends at 650."""
    calm = {"time": TIME, "Driveline.diesel.engine_rpm": [90.0, 300.0, 660.0, 80.0], "Battery.Battery_SOC": [0.4] * 4}
    assert told(MEMBERS, calm) == []
    (stalled,) = told(MEMBERS, {**calm, "Driveline.diesel.engine_rpm": [90.0, 60.0, 30.0, 0.0]})
    assert stalled == "Driveline.diesel: the engine stalled at 1.000 s, slower than 668 rpm"
    (fast,) = told(MEMBERS, {**calm, "Driveline.diesel.engine_rpm": [90.0, 700.0, 730.0, 300.0]})
    assert "too fast from 0.500 s on, up to 6971 rpm; its limit is 6207 rpm" in fast
    (empty,) = told(MEMBERS, {**calm, "Battery.Battery_SOC": [0.01, 0.005, 0.0009, 0.0]})
    assert empty == "Battery: empty at 1.000 s; motors have no power from then on"
    assert told(MEMBERS, {"time": TIME}) == [], "nothing recorded"


def test_an_engine_that_stalls_stops_and_does_not_crash() -> None:
    """A closed clutch of a driver who forgets it, against brakes: no numbers that are none, and it is told."""
    sim = bench({**RWD, "clutch": {**CLUTCH, "automatic": False}, "engine": {**RWD["engine"], "idle_control": None}})
    sim.set_parameters({"L2.inertia": 900.0, "R2.inertia": 700.0})
    speeds = []
    for _ in range(300):
        sim.set_inputs(
            {"throttle": 0.0, "L2.load": -200.0 * sim.state("L2.spin"), "R2.load": -200.0 * sim.state("R2.spin")}
        )
        sim.advance(10)
        speeds.append(sim.output("Engine.engine_rpm"))
    assert np.isfinite(speeds).all() and abs(speeds[-1]) < 5.0
    data = Driveline.model_validate(RWD)
    seen = {"time": np.arange(len(speeds)) * 0.01, "Engine.engine_rpm": np.array(speeds)}
    (text,) = data.engine.happened("Engine", seen.get)  # type: ignore[union-attr]
    assert re.match(r"Engine: the engine stalled at 0\.\d+ s", text)


def test_a_stall_and_rolling_back_converge_with_the_step() -> None:
    """A closed clutch, loads that stop engine and wheels and turn them back: no chatter, errors of second order."""

    def driven(step: float) -> np.ndarray:
        clutch = {**CLUTCH, "automatic": False}
        sim = bench({**RWD, "clutch": clutch, "engine": {**RWD["engine"], "idle_control": None}}, step=step)
        sim.set_parameters({"L2.inertia": 900.0, "R2.inertia": 700.0})
        sim.set_inputs({"throttle": 0.0, "L2.load": -60.0, "R2.load": -80.0})
        rows = []
        for _ in range(200):
            sim.advance(round(0.01 / step))
            rows.append([sim.state("driveline.crank.speed"), sim.state("L2.spin"), sim.output("Clutch.torque")])
        return np.array(rows)

    exact = driven(1.25e-4)
    coarse, fine = (np.abs(driven(step) - exact).max(axis=0) for step in (1e-3, 2.5e-4))
    assert (coarse < 0.02 * np.abs(exact).max(axis=0)).all() and (fine < coarse / 6).all()
    assert exact[0, 0] > 50.0 and exact[-1, 0] < -1.0 and exact[-1, 1] < 0, "it stops and rolls back"
    assert np.count_nonzero(np.diff(np.sign(exact[:, 0]))) <= 3
    assert np.abs(np.diff(exact[100:, 2])).max() < 0.1, "N.m from row to row"


@pytest.mark.slow
def test_the_run_of_the_page(tmp_path: Path) -> None:
    """The whole code of docs/driveline.md: the car shifts up as it does by itself, 9.8 s to 100 km/h."""
    run = names_of_page(tmp_path)["run"]
    reached = int(np.argmax(run["chassis_velocities.longitudinal"] > 100 / 3.6))
    assert run.complete and run["Transmission.gear"][:reached].max() == 3
    assert 9.3 < run.kpis["t_0_100"][0] < 10.3
