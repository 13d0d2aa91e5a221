"""What must not matter: left or right, where a run starts and heads to, the units of files, a break in between.

And a car driven backwards goes where its wheels point.
"""

from __future__ import annotations

import math
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

import jounce.vehicle as jv
from car_models import COMPACT, FORCE, rolling
from four_wheels import CORNERS, PAIRED
from jounce.runtime.program import Open, Phase, Program, Pulse, Ramp
from jounce.runtime.recording import Recording
from jounce.runtime.simulation import Simulation
from jounce.sim import car, statics

BODY = (
    *(f"chassis_velocities.{a}" for a in ("longitudinal", "lateral", "vertical", "roll", "pitch", "yaw")),
    *(f"chassis_accelerations.{a}" for a in ("longitudinal", "lateral", "vertical", "roll", "pitch", "yaw")),
    *(f"Suspension.Jounce.{c}" for c in CORNERS),
    *(f"{FORCE}{a}.{c}" for a in "XYZ" for c in CORNERS),
)


def manoeuvre(sign: float = 1.0) -> Program:
    """Steering both ways, then braking in a corner: two seconds."""
    return Program(Phase("drive", [
        Open("steering_wheel", Pulse(sign * 0.8, 1.2, rise=0.3, fall=0.3, delay=0.1, smooth=True)),
        Open("brake", Ramp(0.15, 0.3, start=0.0, delay=1.0)),
        Open("throttle", Pulse(0.3, 0.5, rise=0.1, fall=0.1)),
    ], duration=2.0))  # fmt: skip


def start(vehicle: jv.Vehicle, speed: float = 25.0, **place: float) -> Simulation:
    description = car.describe(vehicle)
    sim = car.simulation(description)
    statics.settle(sim, description, **place)  # type: ignore[arg-type]
    return rolling(sim, speed)


def drive(vehicle: jv.Vehicle, sign: float = 1.0, **place: float) -> Recording:
    return start(vehicle, **place).run(program=manoeuvre(sign), interval=0.01)


def largest_difference(a: Recording, b: Recording, names: tuple[str, ...] = BODY) -> float:
    """Over the largest value of each channel, the worst of all."""
    return max(float(np.abs(a[n] - b[n]).max() / np.abs(a[n]).max()) for n in names)


def uneven(folder: Path) -> jv.Vehicle:
    """The driver on the left, another spring, damper and camber on the right: nothing is alike on both sides."""
    return jv.load(folder).with_(**{
        "front_suspension.spring.right.rate": "30 N/mm",
        "rear_suspension.dampers[0].right.rate": 1500.0,
        "rear_suspension.camber.right.offset": "-0.9 deg",
    })  # fmt: skip


@pytest.fixture(scope="module")
def lopsided() -> jv.Vehicle:
    return uneven(COMPACT)


def test_the_mirrored_car_runs_the_mirrored_way(lopsided: jv.Vehicle) -> None:
    swapped = lopsided.with_(**{
        "body.added_masses[0].location.y": -lopsided.body.added_masses[0].location.y,
        "front_suspension.spring.rate": "30 N/mm",
        "front_suspension.spring.right.rate": "26.6 N/mm",
        "rear_suspension.dampers[0].rate": 1500.0,
        "rear_suspension.dampers[0].right.rate": 1700.0,
        "rear_suspension.camber.offset": "-0.9 deg",
        "rear_suspension.camber.right.offset": "-1.3 deg",
    })  # fmt: skip
    one, other = drive(lopsided), drive(swapped, -1.0)
    assert np.abs(one["chassis_velocities.yaw"]).max() > 0.2
    for name in BODY:
        if name[-2:] in PAIRED:
            partner, sign = name[:-2] + PAIRED[name[-2:]], -1.0 if "Force_Y" in name else 1.0
        else:
            partner, sign = name, -1.0 if name.endswith(("lateral", "roll", "yaw")) else 1.0
        assert np.abs(one[name] - sign * other[partner]).max() < 1e-9 * np.abs(one[name]).max(), name


def test_place_and_heading_of_the_start_do_not_matter(lopsided: jv.Vehicle) -> None:
    here = drive(lopsided)
    heading = math.radians(37.0)
    there = drive(lopsided, x=1000.0, y=-1000.0, heading=heading)
    # Rounding of 2e-16 enters each of 2000 steps by the orientation; the motion is stable, so that it adds up at worst
    # (4e-13), times the ratio of forces to the changes of them that make accelerations.
    assert largest_difference(here, there) < 1e-11
    # The path is the same, turned and moved.
    x, y = (here[f"Vehicle.Origin_Global_{a}"] for a in "XY")
    c, s = math.cos(heading), math.sin(heading)
    for name, expected in (("X", 1000.0 + c * x - s * y), ("Y", -1000.0 + s * x + c * y)):
        assert np.abs(there[f"Vehicle.Origin_Global_{name}"] - expected).max() < 1e-10, "metres at a kilometre"


# Factors to SI, written here again.
UNITS = {
    "mm": (1e-3, "m"), "mm2": (1e-6, "m2"), "deg": (math.pi / 180, "rad"), "N/mm": (1e3, "N/m"), "MPa": (1e6, "Pa"),
    "kN": (1e3, "N"), "deg/m": (math.pi / 180, "rad/m"), "mm/rev": (1e-3 / (2 * math.pi), "m/rad"), "%": (1e-2, "-"),
    "N.m/deg": (180 / math.pi, "N.m/rad"),
}  # fmt: skip


def in_si(folder: Path) -> Path:
    """The example car's files with every number in SI, by text."""
    shutil.copytree(COMPACT, folder)
    number = r"(-?\d+(?:\.\d+)?)"
    units = "|".join(re.escape(u) for u in sorted(UNITS, key=len, reverse=True))

    def scalar(found: re.Match[str]) -> str:
        factor, unit = UNITS[found[2]]
        return f"{float(found[1]) * factor!r} {unit}".removesuffix(" -")

    def lists(found: re.Match[str]) -> str:
        columns = [c.strip() for c in found[3].split(",")]
        texts = []
        for values, unit in zip(found.group(1, 2), columns, strict=True):
            factor, _ = UNITS.get(unit, (1.0, unit))
            texts.append(", ".join(repr(float(v) * factor) for v in values.split(",")))
        names = ", ".join(UNITS.get(c, (1.0, c))[1] for c in columns)
        return f"{{x: [{texts[0]}], y: [{texts[1]}], units: [{names}]}}"

    changed = 0
    for path in folder.rglob("*.yaml"):
        text = path.read_text()
        text, a = re.subn(r"\{x: \[([^]]*)\], y: \[([^]]*)\], units: \[([^]]*)\]\}", lists, text)
        text, b = re.subn(rf"{number} ({units})(?![\w/.])", scalar, text)
        assert not re.search(rf"\d ({units})(?![\w/.])", text)
        path.write_text(text)
        changed += a + b
    assert changed > 30
    for path in folder.rglob("*.csv"):
        lines = path.read_text().splitlines()
        start_of_units = next(i for i, line in enumerate(lines) if line == "mm,deg")
        lines[start_of_units] = "m,rad"
        for i in range(start_of_units + 1, len(lines)):
            x, y = lines[i].split(",")
            lines[i] = f"{float(x) * 1e-3!r},{float(y) * math.pi / 180!r}"
        path.write_text("\n".join(lines) + "\n")
    return folder


def test_units_of_the_files_do_not_matter(tmp_path: Path) -> None:
    usual, si = uneven(COMPACT), uneven(in_si(tmp_path / "si"))
    assert largest_difference(drive(usual), drive(si)) < 1e-12


def test_a_run_goes_on_from_a_snapshot_to_the_bit(lopsided: jv.Vehicle) -> None:
    sim = start(lopsided)
    sim.set_program(manoeuvre())
    sim.run(0.9, interval=0.01)
    kept = sim.snapshot()
    first = sim.run(2.0, interval=0.01)
    sim.restore(kept)
    assert sim.run(2.0, interval=0.01).data.tobytes() == first.data.tobytes()
    other = car.simulation(lopsided)  # another simulation of the same car
    other.set_program(manoeuvre())
    other.restore(kept)
    assert other.run(2.0, interval=0.01).data.tobytes() == first.data.tobytes()
    whole = start(lopsided).run(program=manoeuvre(), interval=0.01)
    assert whole.data[-50:].tobytes() == first.data[-50:].tobytes(), "as if there had been no break"


def test_driven_backwards_it_turns_as_its_wheels_point(lopsided: jv.Vehicle) -> None:
    wheel = 1.5
    ratio = lopsided.steering.steer.curve.constant
    assert ratio is not None
    steer = Open("steering_wheel", Ramp(wheel, 1.0, start=0.0, smooth=True))
    for speed in (5.0, -5.0):
        run = start(lopsided, speed).run(program=Program(Phase("drive", [steer], duration=6.0)), interval=0.01)
        v, yaw = run["chassis_velocities.longitudinal"], run["chassis_velocities.yaw"]
        assert 0.5 < v[-1] / speed < 1.0, "it rolls out, towards rest"
        # at this speed slip angles are some mrad of 0.1 rad steer
        assert yaw[-1] == pytest.approx(v[-1] * math.tan(wheel * ratio) / lopsided.wheelbase, rel=0.03)
        assert np.abs(np.diff(yaw)).max() < 0.01, "without a shudder"
        for c in CORNERS:
            assert run[f"Wheel.Omega.{c}"][-1] * speed > 0
