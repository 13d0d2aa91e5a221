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


def test_the_energy_of_a_stop_with_maps_of_a_file(tmp_path: Path) -> None:
    """Kinetic energy lost = work of the motor at its shaft + heat of gears + work of the loads; braking, then coasting.

    Of the work at the shaft 90 % come back as electric energy. Trapezoids of every step against AB-2: 1e-3.
    """
    motor = {
        **read_pwr(written(tmp_path, PWR), electric=True).motor(),
        "ratio": 2.0,
        "efficiency": 0.9,
        "inertia": 0.06,
    }
    sim = bench({"layout": "dual_motor_awd", "front": REAR, "rear": REAR, "rear_motor": motor})
    sim.set_parameters({"L2.inertia": 31.0, "R2.inertia": 38.0})
    sim.set_states({"L2.spin": 62.0, "R2.spin": 57.0})
    names = ["Motor_to_Rear_Differential.Power_KW", "Motor_to_Rear_Differential.electric_power",
             "Differential_Rear.lost_power"]  # fmt: skip
    work, begin = np.zeros(4), sim.output("rig.kinetic_energy")

    def powers() -> np.ndarray:
        loads = sum(sim.input(f"{w}.load") * sim.state(f"{w}.spin") for w in ("L2", "R2"))
        return np.array([*(sim.output(name) for name in names), loads])

    for i in range(4000):
        sim.set_inputs({"brake": 0.8 if i < 2500 else 0.0, "L2.load": -25.0, "R2.load": -40.0, "rig.speed": 15.0})
        before = powers()
        sim.advance(1)
        work += 0.5e-3 * (before + powers())
    shaft, electric, heat, loads = work
    lost = begin - sim.output("rig.kinetic_energy")
    assert lost > 3e4 and shaft < -2e4 and heat > 100.0
    assert -shaft + heat - loads == pytest.approx(lost, rel=1e-3)
    assert electric == pytest.approx(0.9 * shaft, rel=1e-3)


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
