"""Figures of handling: rates by differences along the motion, the stability factor by its formula, the way of a run."""

from __future__ import annotations

import numpy as np
import pytest

from body_rig import moving, put, turn, vehicle
from models import derivative

WHEELS = {"L1": "left_front", "R1": "right_front", "L2": "left_rear", "R2": "right_rear"}


def test_rates_are_those_of_the_channels_beside_them() -> None:
    sim = moving()
    x, f = sim.x.copy(), sim.derivatives()[0]
    known = [v.name for v in sim.model.outputs]

    def rate(*names: str) -> tuple[np.ndarray, np.ndarray]:
        which = [known.index(n) for n in names]
        return derivative(lambda t: sim.outputs(x=x + t * f)[which], h=5e-3)

    found, error = rate("Vehicle.Side_Slip_Angle")
    assert sim.output("Vehicle.Side_Slip_Angle_Rate") == pytest.approx(found[0], abs=float(error[0]) + 1e-9)
    assert abs(found[0]) > 0.05
    for wheel, words in WHEELS.items():
        found, error = rate(f"Wheel.Global_Vz.{wheel}")
        here = sim.output(f"upright_accelerometer.Z_{words}")
        assert here == pytest.approx(found[0], abs=float(error[0]) + 1e-8)


def test_the_way_is_the_integral_of_the_speed_of_the_origin() -> None:
    """In free flight the origin of the vehicle goes along a curve; its length by points, one per millisecond."""
    sim = moving(**{"chassis.z": 30.0})
    names = ["Vehicle.Origin_Distance_Traveled", *(f"Vehicle.Origin_Global_{a}" for a in "XYZ")]
    found = sim.run(0.8, method="AM-4", step=0.001, interval=0.001, channels=names)
    way, points = found.data[:, 0], found.data[:, 1:]
    chords = np.linalg.norm(np.diff(points, axis=0), axis=1)
    # a chord is shorter than its arc by a²h³/(24 v): 1e-9 of a metre here
    assert way[-1] - way[0] == pytest.approx(chords.sum(), rel=1e-6)
    assert way[-1] > 5.0


def test_side_slip_of_the_reference_point_and_stability_factor() -> None:
    sim = moving()
    r = turn(sim)
    v, w = (np.array([sim.state(f"chassis.{k}{a}") for a in "xyz"]) for k in "vw")
    heading = np.arctan2(r[1, 0], r[0, 0])
    there = r @ v  # the reference point of this car is its centre of gravity
    along = np.cos(heading) * there[0] + np.sin(heading) * there[1]
    across = np.cos(heading) * there[1] - np.sin(heading) * there[0]
    assert sim.output("condition_sensors.side_slip_angle") == pytest.approx(np.arctan2(across, along), abs=1e-12)
    steer = (sim.output("Wheel.Spindle_Steer.L1") + sim.output("Wheel.Spindle_Steer.R1")) / 2
    base, yaw = vehicle().wheelbase, (r @ w)[2]
    factor = (steer * along - base * yaw) / (base * yaw * along**2)
    assert sim.output("Vehicle.Understeer_Stability_Factor") == pytest.approx(factor, rel=1e-11)
    assert sim.output("Vehicle.Understeer_Gradient") == pytest.approx(factor * base, rel=1e-11)


def test_a_car_at_rest_has_no_figures() -> None:
    sim = put(moving(), v=(0, 0, 0), w=(0, 0, 0))
    for name in ("Side_Slip_Angle_Rate", "Understeer_Stability_Factor", "Understeer_Gradient"):
        assert sim.output(f"Vehicle.{name}") == 0.0


def test_the_front_ride_height_in_the_middle_lies_between_both() -> None:
    sim = moving()
    left, right = (sim.output(f"Suspension.Ride_Height.{c}") for c in ("L1", "R1"))
    assert left != pytest.approx(right, abs=0.01)
    # both sensors stand half a track from the middle
    assert sim.output("Vehicle.front_ride_height_at_center_point") == pytest.approx((left + right) / 2, abs=1e-12)
