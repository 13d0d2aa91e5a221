"""A car that has rolled over lies on its side or its roof, and slides to rest."""

from __future__ import annotations

import numpy as np
import pytest

import jounce.vehicle as jv
from body_rig import library, put, turn, vehicle
from jounce.components.body.shell import CORNERS, Shell
from jounce.core.errors import ParameterError
from jounce.runtime.recording import Recording
from jounce.runtime.simulation import Simulation

WATCHED = [
    *(f"Body_Shell.{n}" for n in ("FX", "FY", "FZ", "height", "touching")),
    *(f"System_Mass_Center.Global_{n}" for n in ("X", "Y", "Z", "Vx", "Vy", "Vz", "Ax", "Ay", "Az")),
    "law.energy",
    "Vehicle.Body_Fixed_Omega_X",
]


def rolled(degrees: float) -> tuple[float, float, float, float]:
    """About x, right side down, and to a heading of its own."""
    a, b = np.radians(degrees) / 2, np.radians(37.0) / 2
    w, x, y, z = np.cos(a), np.sin(a), 0.0, 0.0
    return (np.cos(b) * w, np.cos(b) * x - np.sin(b) * y, np.cos(b) * y + np.sin(b) * x, np.cos(b) * z + np.sin(b) * w)


def run(sim: Simulation, time: float) -> tuple[Recording, dict[str, np.ndarray]]:
    found = sim.run(time, method="AB-2", step=0.001, interval=0.005, channels=WATCHED)
    return found, {n: found.data[:, found.names.index(n)] for n in WATCHED}


def test_corners_are_those_of_the_dimensions() -> None:
    place = vehicle().layout
    points = Shell().points(place)
    assert set(points) == set(CORNERS) and len(points) == 12
    length = vehicle().wheelbase * (1 + 0.31 + 0.36)
    assert points["waist_front_left"][0] - points["waist_rear_left"][0] == pytest.approx(length)
    assert points["roof_front_left"][1] == -points["roof_front_right"][1] > 0
    given = Shell(width=1.9, height=1.5, waist=0.8, sill=0.2, roof_width=1.2, roof_front=0.9, roof_rear=2.1)
    found = given.points(place)
    assert found["waist_rear_right"] == pytest.approx([found["sill_rear_right"][0], -0.95, 0.8])
    assert found["roof_rear_left"] == pytest.approx([-2.1, 0.6, 1.5])
    with pytest.raises(ParameterError, match=r"contacts\[0\]\.waist = 1\.8: waist 1\.8 m, height 1\.4 m"):
        jv.load("sedan").with_(contacts=[{"kind": "shell", "waist": 1.8, "height": 1.4}])


def test_an_upright_car_does_not_touch() -> None:
    sim = Simulation(library())
    assert sim.output("Body_Shell.touching") == 0.0
    assert sim.output("Body_Shell.FZ") == 0.0
    assert sim.output("Body_Shell.height") == pytest.approx(Shell().dimensions(vehicle().layout)["sill"], abs=1e-9)


@pytest.mark.parametrize(("degrees", "about"), [(95.0, 90.0), (-100.0, -90.0), (170.0, 180.0), (-150.0, 180.0)])
def test_a_rolled_car_comes_to_rest_above_the_road(degrees: float, about: float) -> None:
    sim = put(Simulation(library()), q=rolled(degrees), position=(10.0, -4.0, 1.5), v=(0, 0, 0), w=(0.3, 0.1, 0.2))
    _, found = run(sim, 6.0)
    weight = vehicle().mass() * vehicle().system.gravity
    speed = np.sqrt(sum(found[f"System_Mass_Center.Global_V{a}"] ** 2 for a in "xyz"))
    assert speed[-100:].max() < 0.03
    assert found["Body_Shell.FZ"][-100:] == pytest.approx(np.full(100, weight), rel=0.02)
    assert found["Body_Shell.touching"][-1] >= 3
    # four corners of 300 N/mm bear 12 kN: some centimetre deep
    assert -0.06 < found["Body_Shell.height"][-1] < 0.0
    assert found["System_Mass_Center.Global_Z"].min() > 0.3
    up = turn(sim)[2]
    lean = np.degrees(np.arctan2(up[1], up[2]))
    assert abs((lean - about + 180) % 360 - 180) < 25.0
    # a fall of a metre: not a crash
    peak = np.sqrt(sum(found[f"System_Mass_Center.Global_A{a}"] ** 2 for a in "xyz")).max() / 9.81
    assert 1.0 < peak < 25.0
    assert found["law.energy"][-1] < found["law.energy"][0]


def test_a_car_on_its_roof_slides_to_rest_by_its_friction() -> None:
    """Deceleration µ g, measured where it slides evenly; friction of the shell 0.4."""
    sim = put(Simulation(library()), q=rolled(180.0), position=(0.0, 0.0, 1.0), v=(0, 0, 0), w=(0, 0, 0))
    run(sim, 2.0)
    velocity = turn(sim).T @ np.array([9.0, 6.0, 0.0])
    put(sim, v=velocity, w=(0, 0, 0))
    recording, found = run(sim, sim.time + 4.0)
    flat = np.hypot(found["System_Mass_Center.Global_Vx"], found["System_Mass_Center.Global_Vy"])
    time = recording.time - recording.time[0]
    sliding = (time > 0.4) & (flat > 1.0)
    slope = np.polyfit(time[sliding], flat[sliding], 1)[0]
    assert slope == pytest.approx(-0.4 * 9.81, rel=0.05)
    assert flat[-1] < 0.05
    # the way is that of constant deceleration, 15 m off the pitching of the start
    way = np.hypot(np.ptp(found["System_Mass_Center.Global_X"]), np.ptp(found["System_Mass_Center.Global_Y"]))
    assert way == pytest.approx((81 + 36) / (2 * 0.4 * 9.81), rel=0.1)


def test_a_car_that_rolls_once_over_comes_back_on_its_wheels() -> None:
    """To its right at 12 m/s with a roll rate of 4 rad/s, on its right side in the air: off the roof and over."""
    sim = put(Simulation(library()), q=rolled(100.0), position=(0.0, 0.0, 1.4), w=(4.0, 0.4, -0.3))
    put(sim, v=turn(sim).T @ np.array([6.0, -10.0, 0.0]))
    _, found = run(sim, 4.0)
    assert turn(sim)[2, 2] > 0.999
    assert found["Body_Shell.touching"].max() >= 2 and found["Body_Shell.touching"][-100:].max() == 0
    assert found["Body_Shell.height"].min() > -0.35  # crush of a corner on which the car falls
    assert found["System_Mass_Center.Global_Z"].min() > 0.25
    assert np.abs(found["Vehicle.Body_Fixed_Omega_X"]).max() > 3.9
    peak = np.sqrt(sum(found[f"System_Mass_Center.Global_A{a}"] ** 2 for a in "xyz")).max() / 9.81
    assert 3.0 < peak < 25.0
    # kinetic and potential energy in the air is constant, at every strike it falls; springs keep some of it a while
    assert found["law.energy"][-1] < 0.3 * found["law.energy"][0]
    assert np.diff(found["law.energy"]).max() < 0.02 * found["law.energy"][0]
