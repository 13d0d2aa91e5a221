"""Loads of units and axles, off-tracking, and their channels: exact on ways that are known."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from jounce.results.run import Run
from jounce.results.units import off_tracking, tires_on, transfer_ratio, units_of, with_units

RADIUS, V = 14.3, 3.1  # m, m/s
UNITS = [
    {"name": "tractor", "towed_by": 0, "coupling": "", "groups": [[1], [2]]},
    {"name": "semi", "towed_by": 1, "coupling": "fifth_wheel", "groups": [[3, 4]]},
]


def circling(side: float, heading: float, phase: Any) -> tuple[np.ndarray, np.ndarray, Any]:
    """Places on a circle that begins at (2, −5) with a heading, ``phase`` (rad) along it."""
    cx, cy = 2.0 - side * RADIUS * math.sin(heading), -5.0 + side * RADIUS * math.cos(heading)

    def at(radius: float, behind: float) -> tuple[np.ndarray, np.ndarray]:
        angle = heading - side * math.pi / 2 + side * (phase - behind)
        return cx + radius * np.cos(angle), cy + radius * np.sin(angle)

    x, y = at(RADIUS, 0.0)
    return x, y, at


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("heading", [0.0, 2.1])
def test_on_a_circle_every_axle_is_inside_by_what_its_radius_lacks(side: float, heading: float) -> None:
    """From the first row on: the way before it is the circle, too."""
    phase = np.linspace(0.0, 1.7, 500)
    x, y, at = circling(side, heading, phase)
    centres = {1: (x, y)}
    for n, radius in ((2, 13.6), (3, 11.2)):
        centres[n] = at(radius, math.acos(radius / RADIUS))
    _, found = off_tracking(centres, heading, side / RADIUS)
    for n, radius in ((2, 13.6), (3, 11.2)):
        s, left = found[n]
        # places between points lie on chords, ds²/8R inside
        assert left == pytest.approx(np.full(500, side * (RADIUS - radius)), abs=2e-4)
        assert s[-1] == pytest.approx(RADIUS * (1.7 - math.acos(radius / RADIUS)), abs=2e-3)


def test_straight_on_it_is_what_it_is_aside() -> None:
    t = np.linspace(0.0, 5.0, 200)
    x, y = 3.0 + 2.0 * t, 1.0 + 1.0 * t
    n = np.array([-1.0, 2.0]) / math.sqrt(5)
    behind = np.array([2.0, 1.0]) / math.sqrt(5) * 7.7
    centres = {1: (x, y), 4: (x - behind[0] + 0.31 * n[0], y - behind[1] + 0.31 * n[1])}
    _, found = off_tracking(centres, math.atan2(1.0, 2.0), 0.0)
    assert found[4][1] == pytest.approx(np.full(200, 0.31), abs=1e-9)
    assert found[4][0][0] == pytest.approx(-7.7, abs=1e-9), "before the beginning"


def test_the_load_transfer_ratio_has_the_sign_of_a_left_turn() -> None:
    left, right = np.array([3000.0, 1000.0, 0.0, 0.0]), np.array([1000.0, 2500.0, 4000.0, 0.0])
    found = transfer_ratio({"L1": left, "R1": right, "L1_twin": 0.5 * left, "R1_twin": 0.5 * right})
    assert found[:3] == pytest.approx([-0.5, 1500 / 3500, 1.0]) and math.isnan(found[3])


def run_of(side: float, heading: float, units: Any = UNITS, speed: float = V) -> Run:
    time = np.linspace(0.0, 6.0, 601)
    phase = V * time / RADIUS
    _, _, at = circling(side, heading, phase)
    channels: dict[str, Any] = {
        "chassis_displacements.yaw": heading + side * phase,
        "chassis_velocities.yaw": np.full(601, side * V / RADIUS),
        "System_Mass_Center.Tracking_Vx": np.full(601, speed),
    }
    for axle, radius in ((1, RADIUS), (2, 13.6), (3, 11.2), (4, 11.0)):
        for letter, out in (("L", -side), ("R", side)):
            x, y = at(radius + out * 0.9, math.acos(radius / RADIUS))
            channels |= {
                f"Tire.Contact_Patch_Global_X.{letter}{axle}": x,
                f"Tire.Contact_Patch_Global_Y.{letter}{axle}": y,
            }
            channels[f"Tire.Ground_Surface_Force_Z.{letter}{axle}"] = np.full(
                601, 1000.0 * axle + (300.0 if letter == "R" else 0)
            )
    unit = dict.fromkeys(channels, "m") | {"chassis_displacements.yaw": "rad", "chassis_velocities.yaw": "rad/s"}
    unit |= {"System_Mass_Center.Tracking_Vx": "m/s"} | {n: "N" for n in channels if "Force" in n}
    return Run(time, channels, unit, {"vehicle": {"name": "train", "units": units}})


@pytest.mark.parametrize(("side", "heading"), [(1.0, 0.4), (-1.0, -2.7)])
def test_a_run_has_the_channels_of_its_units(side: float, heading: float) -> None:
    run = with_units(run_of(side, heading))
    for axle, radius in ((2, 13.6), (3, 11.2), (4, 11.0)):
        assert run[f"Axle.Off_Tracking.{axle}"] == pytest.approx(np.full(601, side * (RADIUS - radius)), abs=2e-4), axle
        assert run[f"Axle.Load.{axle}"] == pytest.approx(np.full(601, 2000.0 * axle + 300))
    assert run["Axle_Group.Load.3"] == pytest.approx(np.full(601, 6300.0 + 8300.0))
    assert run["Load_Transfer_Ratio"] == pytest.approx(np.full(601, 600 / 6600))
    assert run["unit2.Load_Transfer_Ratio"] == pytest.approx(np.full(601, 600 / 14600))
    assert "Axle_Group.Load.1" not in run and "Axle.Off_Tracking.1" not in run
    assert [unit.axles for unit in units_of(run)] == [(1, 2), (3, 4)]
    assert tires_on(run, (3,)) == ["L3", "R3"]


def test_a_vehicle_that_drives_backwards_has_no_off_tracking() -> None:
    run = with_units(run_of(1.0, 0.4, speed=-V))
    assert "Axle.Load.3" in run and not run.channels("Axle.Off_Tracking.*")


def test_a_car_of_two_axles_is_left_as_it_is() -> None:
    two = [{"name": "car", "towed_by": 0, "coupling": "", "groups": [[1], [2]]}]
    run = run_of(1.0, 0.4, two)
    assert with_units(run) is run
    assert units_of(Run([0.0, 1.0], {}, {})) == ()
