"""Ride-height sensors: where they stand when nothing is said, and what a car with one wheel in front has."""

from __future__ import annotations

import pytest

import jounce as jn
from jounce.components.suspension.ride_height import RideHeight


def test_sensors_stand_where_the_data_say_and_else_beside_the_wheels() -> None:
    car = jn.load("sedan")
    left, right = car.layout.axles[1].wheels
    usual = RideHeight()
    assert usual.point(left) == pytest.approx(car.wheel_centre(2, "L"))
    assert usual.point(right) == pytest.approx(car.wheel_centre(2, "R"))
    given = RideHeight(x=-2.5, left=0.41, right_hand=0.37, z=0.12)
    assert given.point(left) == pytest.approx([-2.5, 0.41, 0.12])
    assert given.point(right) == pytest.approx([-2.5, -0.37, 0.12])
    assert RideHeight(left=0.41).point(right)[1] == -0.41


def test_they_measure_beside_the_sensors_of_aerodynamics() -> None:
    car = jn.load("sedan").with_(**{"aero.front_sensor": [-0.4, 0, 0.15], "aero.rear_sensor": [-2.6, 0, 0.17]})
    front, rear = (axle.wheels[0] for axle in car.layout.axles)
    assert RideHeight().point(front) == pytest.approx([-0.4, 0.785, 0.15])
    assert RideHeight().point(rear) == pytest.approx([-2.6, 0.79, 0.17])
