"""PWR files: single maps, maps by gear, electric motors; what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from drive_rig import bench
from drivelines import CLUTCH, GEARBOX, REAR
from jounce.core.errors import FormatError
from jounce.files.pwr import read_pwr
from pwr_texts import PWR

RPM = np.pi / 30


def written(folder: Path, text: str) -> Path:
    path = folder / "engine.pwr"
    path.write_text(text)
    return path


def test_points_of_the_grid_come_out_exactly_and_between_them_by_lines(tmp_path: Path) -> None:
    found = read_pwr(written(tmp_path, PWR))
    assert found.torque.x == pytest.approx([0.0, 1000 * RPM, 6000 * RPM, 8000 * RPM], rel=1e-12)
    assert found.torque.z == (0.0, 0.5, 1.0)
    assert found.torque(6000 * RPM, 0.5) == pytest.approx(130.0, rel=1e-12)
    middle = found.torque(3500 * RPM, 0.25, method="linear")
    assert middle == pytest.approx((-30.0 + 90.0 - 60.0 + 130.0) / 4, rel=1e-12)
    assert found.warnings == []


def test_gears_without_a_map_have_the_generic_one(tmp_path: Path) -> None:
    """And a gear change switches the map of a running engine."""
    found = read_pwr(written(tmp_path, PWR))
    assert sorted(found.gears) == [-1, 1] and found.gears[1](8000 * RPM, 1.0) == pytest.approx(200.0)
    engine = {**found.engine(), "idle_control": None, "rev_limit": "7000 rpm", "inertia": 0.2}
    raw = {"layout": "rwd", "engine": engine, "clutch": {**CLUTCH, "automatic": False}, "rear": REAR,
           "gearbox": {**GEARBOX, "shifts": "demand"}}  # fmt: skip
    sim = bench(raw)
    sim.set_inputs({"throttle": 1.0, "clutch": 1.0, "gear": 1.0})
    sim.set_states({"driveline.crank.speed": 1000 * RPM})
    sim.advance(1)
    sim.set_states({"driveline.crank.speed": 1000 * RPM})
    assert sim.output("Engine.torque") == pytest.approx(150.0, rel=1e-9)
    sim.set_inputs({"gear": 2.0})
    sim.run(1.0)
    sim.set_states({"driveline.crank.speed": 1000 * RPM})
    sim.set_inputs({"throttle": 1.0})
    assert sim.output("Transmission.gear") == 2.0
    assert sim.output("Engine.torque") == pytest.approx(180.0, rel=1e-9)


def test_an_electric_motor_has_braking_and_coasting(tmp_path: Path) -> None:
    found = read_pwr(written(tmp_path, PWR), electric=True)
    keys = found.motor()
    assert keys["braking_map"](3000 * RPM, 1.0) == pytest.approx(60.0) and keys["coasting"](6000 * RPM) == -8.0
    without = PWR[: PWR.index("[ENGINE_BRAKING]")]
    poor = read_pwr(written(tmp_path, without), electric=True)
    assert len(poor.warnings) == 2 and "[COASTING]: missing; taken as zero" in poor.warnings[1]
    assert set(poor.motor()) == {"kind", "torque_map"}
    assert read_pwr(written(tmp_path, without)).warnings == []


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("[ENGINE]\n", "[MOTOR]\n", r"line 15  \[ENGINE\]: the block is missing; there are: .*MOTOR, SLOW"),
        ("GEAR_1 = 'SLOW'", "GEAR_1 = 'FAST'", r"line 17  \[FAST\]: the block is missing"),
        ("0.5\n1.0\n", "0.5\n0.9\n", r"line 19  \[ENGINE\] \(Z_DATA\): found \[0.0, 0.5, 0.9\]; throttle rises"),
        ("6000 -60000 130000 240000", "900 -60000 130000 240000", r"line 25  \[ENGINE\]: the speeds must rise"),
        ("6000 -60000 130000 240000", "6000 -60000 130000", r"line 28  \[ENGINE\]: found 3 values; expected 4"),
        ("<rpm> torque@", "<turns> torque@", r"unit <turns> is not declared"),
    ],
)
def test_what_cannot_be_used_is_told_with_its_line(old: str, new: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=told):
        read_pwr(written(tmp_path, PWR.replace(old, new, 1)))
