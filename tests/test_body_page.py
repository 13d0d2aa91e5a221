"""What docs/body.md prints works as it stands: sensors, forces and contacts of a file, and a force of one's own."""

from __future__ import annotations

import importlib
import json
import re
import runpy
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jounce as jn
from axle_lists import one_axle, vehicle_of
from jounce.cli.main import main
from jounce.core.library import LIBRARY
from jounce.core.part_registry import PARTS
from jounce.core.yaml_files import read_mapping
from jounce.sim import car as cars

PAGE = Path(__file__).parent.parent / "docs" / "body.md"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SEAT = np.array([0.0, 0.88, 0.6])


def printed(language: str, beginning: str) -> str:
    found = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    return next(text for kind, text in found if kind == language and beginning in text)


@pytest.fixture(scope="module")
def car(tmp_path_factory: pytest.TempPathFactory) -> jn.Vehicle:
    """The sedan of the library with what the page has in its file."""
    place = tmp_path_factory.mktemp("cars") / "sedan"
    shutil.copytree(LIBRARY / "vehicles" / "sedan", place)
    whole = place / "vehicle.yaml"
    whole.write_text(whole.read_text(encoding="utf-8") + "\n" + printed("yaml", "sensors:"), encoding="utf-8")
    return jn.load(place)


@pytest.fixture(scope="module")
def run(car: jn.Vehicle) -> jn.Run:
    """A step of the hand wheel; a block reads a sensor and pulls at the tow point by it, at every step."""
    pull = jn.OutsideBlock(
        lambda t, felt: 60.0 * felt[0], ("User_Sensor.seat.ACCY",), ("Reference_Point.tow.FY",), stateless=True
    )
    event = jn.events.StepSteer(speed="100 km/h", end_time="2.5 s")
    return jn.run(car, event, blocks=[pull])


@pytest.mark.slow
def test_names_of_the_file_are_channels_of_the_run(run: jn.Run, tmp_path: Path) -> None:
    assert len(run.channels("Motion_Sensor.box.*")) == 27
    assert set(run.channels("User_Sensor.*")) == {
        *(f"User_Sensor.seat_velocity.V{a}" for a in "XYZ"),
        *(f"User_Sensor.seat.ACC{a}" for a in "XYZ"),
        *(f"User_Sensor.strut.{a}" for a in "XYZ"),
    }
    assert len(run.channels("sump.*")) == 9 and len(run.channels("tirelimits.*")) == 4 * 15
    assert run.unit("User_Sensor.seat.ACCY") == "m/s2"
    again = jn.Run.read(run.to_parquet(tmp_path / "run.parquet"))
    assert np.array_equal(again["User_Sensor.seat.ACCY"], run["User_Sensor.seat.ACCY"])


def test_a_velocity_at_a_point_is_the_formula_of_a_rigid_body(run: jn.Run, car: jn.Vehicle) -> None:
    """v + ω × r from channels of the centre of gravity, turned by yaw, pitch and roll, to 1e-9."""
    v = np.column_stack([run[f"Vehicle.CM_Body_Fixed_V{a}"] for a in "xyz"])
    w = np.column_stack([run[f"Vehicle.Body_Fixed_Omega_{a}"] for a in "XYZ"])
    there = v + np.cross(w, SEAT - car.main_body.centre())
    pitch, roll = run["Vehicle.Pitch"], run["Vehicle.Euler_Roll"]
    x, y, z = there.T
    y, z = np.cos(roll) * y - np.sin(roll) * z, np.sin(roll) * y + np.cos(roll) * z
    x, z = np.cos(pitch) * x + np.sin(pitch) * z, -np.sin(pitch) * x + np.cos(pitch) * z
    found = np.column_stack([run[f"User_Sensor.seat_velocity.V{a}"] for a in "XYZ"])
    assert np.abs(found - np.column_stack([x, y, z])).max() < 1e-9
    assert np.abs(found[:, 1]).max() > 0.1


def test_a_block_reads_a_sensor_and_writes_a_reference_point(run: jn.Run) -> None:
    """What it wrote at the last step: rows are 10 ms apart, the force follows the sensor by one step of 1 ms."""
    felt, pulled = run["User_Sensor.seat.ACCY"], run["Reference_Point.tow.FY"]
    assert np.abs(felt).max() > 3.0
    step = np.abs(np.gradient(felt, run.time)).max() * 0.002
    assert np.abs(pulled[5:] - 60.0 * felt[5:]).max() < 60.0 * step


def test_gravity_and_limits_are_those_of_a_car_that_drives(run: jn.Run) -> None:
    assert run["User_Sensor.seat.ACCZ"][0] == pytest.approx(9.81, abs=0.1)
    for wheel in ("L1", "R1", "L2", "R2"):
        margin = run[f"tirelimits.margin.{wheel}"]
        assert np.all(
            margin <= np.minimum(run[f"tirelimits.marginLat.{wheel}"], run[f"tirelimits.marginLon.{wheel}"]) + 1e-6
        )
        assert margin[-1] < margin[0] or wheel.startswith("R")  # the inner wheels come nearer to their limit
        assert margin.min() > 0.0
    assert np.all(run["sump.FZ"] == 0.0) and np.all(run["Body_Shell.touching"] == 0.0)


def test_sensors_are_renamed_and_taken_away(car: jn.Vehicle) -> None:
    other = car.with_(**{"sensors[1].name": "driver", "sensors[0]": None})
    assert [getattr(s, "name", "") for s in other.sensors] == ["driver", "strut", "box", ""]
    assert len(car.sensors) == 5
    assert not jn.load("sedan").sensors


@pytest.fixture
def own_drag(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The part of the page, imported from a folder outside the package."""
    (tmp_path / "own_drag.py").write_text(printed("python", "class OwnDrag"), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    found = importlib.import_module("own_drag").OwnDrag
    yield found
    PARTS.forget(found)
    del sys.modules["own_drag"]


def test_a_force_of_ones_own_grows_with_the_square_of_the_speed(own_drag: Any, tmp_path: Path) -> None:
    """In pounds and feet per second: 180 lbf are 800.68 N, 146.7 ft/s are 44.714 m/s."""
    file = tmp_path / "forces.yaml"
    file.write_text(printed("yaml", "own_drag"), encoding="utf-8")
    raw = one_axle() | {"forces": [dict(item) for item in read_mapping(file, "forces")["forces"]]}
    vehicle = vehicle_of(raw)
    assert vehicle.get("forces[0].force") == pytest.approx(180 * 0.45359237 * 9.80665, rel=1e-12)
    assert vehicle.get("forces[0].speed") == pytest.approx(146.7 * 0.3048, rel=1e-12)
    sim = cars.simulation(cars.describe(vehicle))
    sim.set_states({"chassis.z": 5.0})
    known = [v.name for v in sim.model.states]
    for speed in (11.0, 22.0, 44.0):
        sim.set_states({"chassis.vx": speed})
        force = 180 * 4.4482216152605 * (speed / (146.7 * 0.3048)) ** 2
        assert sim.output("Own_Drag.force") == pytest.approx(force, rel=1e-12)
        slowed = sim.derivatives()[0][known.index("chassis.vx")]
        sim.set_parameters({"force1.force": 0.0})
        free = sim.derivatives()[0][known.index("chassis.vx")]
        sim.set_parameters({"force1.force": vehicle.get("forces[0].force")})
        assert (slowed - free) * vehicle.mass() == pytest.approx(-force, rel=0.05)  # wheels give way a little


@pytest.mark.slow
def test_the_run_of_the_page(tmp_path: Path) -> None:
    path = tmp_path / "snippet.py"
    path.write_text(printed("python", "Reference_Point.tow.FY"), encoding="utf-8")
    space = runpy.run_path(str(path), run_name="__main__")
    assert np.all(space["run"]["Reference_Point.tow.FY"] == 500.0)


@pytest.mark.slow
def test_a_force_of_ones_own_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--import` registers the part of the page; the vehicle names it, in pounds and feet per second."""
    file = tmp_path / "own_drag_of_a_run.py"
    file.write_text(printed("python", "class OwnDrag"), encoding="utf-8")
    place = tmp_path / "car"
    shutil.copytree(LIBRARY / "vehicles" / "sedan", place)
    whole = place / "vehicle.yaml"
    whole.write_text(whole.read_text(encoding="utf-8") + "\n" + printed("yaml", "own_drag"), encoding="utf-8")
    command = ["run", "coast-down", "--vehicle", str(place), "--out", str(tmp_path / "results"), "--json"]
    try:
        with pytest.raises(SystemExit) as done:
            main([*command, "--import", str(file)])
        assert done.value.code == 0
    finally:
        PARTS.forget(PARTS.find("force", "own_drag"))
        sys.modules.pop(file.stem, None)
    told = json.loads(capsys.readouterr().out)
    run = jn.Run.read(next((tmp_path / "results").rglob("*.parquet")))
    v = run["chassis_velocities.longitudinal"]
    force = 180 * 4.4482216152605 * (v / (146.7 * 0.3048)) ** 2
    assert told["status"] == "complete"
    assert np.allclose(run["Own_Drag.force"], force, rtol=2e-2, atol=1.0)
    assert force[0] > 300.0
