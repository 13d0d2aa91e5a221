"""Forces of the air: speed, wind, ride heights, growth."""

from __future__ import annotations

import math

import pytest

import jounce.vehicle as jv
from jounce.runtime.simulation import Simulation
from jounce.sim import car


def in_the_wind(vehicle: jv.Vehicle, speed: float, yaw: float = 0.0, **parameters: float) -> Simulation:
    sim = car.simulation(vehicle, ground="inclined")
    sim.restart(1.0)  # after the time of growth
    sim.set_parameters({k.replace("__", "."): v for k, v in parameters.items()})
    sim.set_states({"chassis.vx": speed, "chassis.e0": math.cos(yaw / 2), "chassis.e3": math.sin(yaw / 2)})
    return sim


def test_downforce_grows_with_the_square_of_speed(plain_car: jv.Vehicle) -> None:
    """400 N at 100 km/h are 1600 N at 200 km/h; F = scale ρ/ρ0 (force + shift) (V/V0)²."""
    numbers = {"aero.reference_velocity": 100 / 3.6, "aero.front_downforce.force.value": 400.0}
    sim = in_the_wind(plain_car, 100 / 3.6, **numbers)
    assert sim.output("aero_forces.front_downforce") == pytest.approx(400.0, rel=1e-9)
    sim.set_states({"chassis.vx": 200 / 3.6})
    assert sim.output("aero_forces.front_downforce") == pytest.approx(1600.0, rel=1e-9)
    sim.set_parameters({
        "aero.front_downforce.scale": 0.5, "aero.front_downforce.shift": 60.0, "aero.density_ratio": 1.1,
    })  # fmt: skip
    assert sim.output("aero_forces.front_downforce") == pytest.approx(0.5 * 1.1 * 460.0 * 4, rel=1e-9)
    # it acts: the sum of forces changes by it, downwards
    sim.set_parameters({"ground.height": -5.0, "aero.drag.scale": 0.0, "aero.rear_downforce.scale": 0.0})

    def acceleration() -> float:
        return sim.output("System_Mass_Center.Global_Az")

    with_it, force = acceleration(), sim.output("aero_forces.front_downforce")
    sim.set_parameters({"aero.front_downforce.scale": 0.0})
    assert plain_car.mass() * (acceleration() - with_it) == pytest.approx(force, rel=1e-6)


def test_drag_is_half_rho_area_v_squared_and_turns_round(plain_car: jv.Vehicle) -> None:
    sim = in_the_wind(plain_car, 40.0)
    assert sim.output("aero_forces.drag_force") == pytest.approx(0.5 * 1.2 * 0.66 * 40.0**2, rel=1e-6)
    sim.set_states({"chassis.vx": -40.0})
    assert sim.output("aero_forces.drag_force") == pytest.approx(-0.5 * 1.2 * 0.66 * 40.0**2, rel=1e-6)


def test_head_wind_is_speed_and_a_yawed_car_sees_it_turned(plain_car: jv.Vehicle) -> None:
    still = in_the_wind(plain_car, 35.0)
    windy = in_the_wind(plain_car, 25.0, aero__wind__x=-10.0)
    for name in ("drag_force", "front_downforce", "rear_downforce"):
        assert windy.output(f"aero_forces.{name}") == pytest.approx(still.output(f"aero_forces.{name}"), rel=1e-12)
    yaw = 0.6
    wind = (-6.0, 3.0)
    turned = in_the_wind(plain_car, 25.0, yaw=yaw, aero__wind__x=wind[0], aero__wind__y=wind[1])
    along = 25.0 - (wind[0] * math.cos(yaw) + wind[1] * math.sin(yaw))
    expected = in_the_wind(plain_car, along).output("aero_forces.drag_force")
    assert turned.output("aero_forces.drag_force") == pytest.approx(expected, rel=1e-9)


def test_forces_of_the_air_grow_over_their_smoothing_time(plain_car: jv.Vehicle) -> None:
    sim = car.simulation(plain_car, ground="inclined")
    sim.set_parameters({"aero.drag.smoothing_time": 2.0})
    sim.set_states({"chassis.vx": 40.0})
    full = 0.5 * 1.2 * 0.66 * 40.0**2
    for time, share in ((0.0, 0.0), (0.5, 5 / 32), (1.0, 0.5), (2.0, 1.0), (5.0, 1.0)):  # 3 s² − 2 s³
        sim.restart(time)
        assert sim.output("aero_forces.drag_force") == pytest.approx(share * full, rel=1e-6, abs=1e-9)


def test_without_smoothing_time_the_air_acts_at_once(plain_car: jv.Vehicle) -> None:
    sim = car.simulation(plain_car, ground="inclined")
    sim.set_states({"chassis.vx": 40.0})
    assert sim.output("aero_forces.drag_force") == pytest.approx(0.5 * 1.2 * 0.66 * 40.0**2, rel=1e-6)


def test_forces_of_the_air_over_ride_heights(plain_car: jv.Vehicle) -> None:
    """At the nodes of the map, with shift and scale: scale (map + shift) (V/V_ref)²."""
    heights, rears = [0.25, 0.30, 0.35], [0.25, 0.35]
    values = [[500.0, 400.0], [420.0, 330.0], [300.0, 250.0]]
    force = {"force": {"x": heights, "z": rears, "y": values}, "scale": 1.5, "shift": 20.0, "location": [0.0, 0.0, 0.3]}
    aero = {"reference_velocity": "30 m/s", "drag": {"area": 0.0, "location": [0, 0, 0.3]}, "front_downforce": force}
    vehicle = plain_car.with_(aero=aero)
    sim = car.simulation(vehicle, ground="inclined")
    sim.set_states({"chassis.vx": 60.0})
    at_design = sim.output("aero_forces.height_front"), sim.output("aero_forces.height_rear")
    for front in heights:
        lifted = front - at_design[0]
        sim.set_states({"chassis.z": sim.state("chassis.z") + lifted})
        at = sim.output("aero_forces.height_front"), sim.output("aero_forces.height_rear")
        assert at[0] == pytest.approx(front, abs=1e-12)
        rear = min(max(at[1], rears[0]), rears[1])
        row = values[heights.index(front)]
        expected = row[0] + (rear - rears[0]) / (rears[1] - rears[0]) * (row[1] - row[0])
        if rears[0] <= at[1] <= rears[1]:  # two nodes along this axis: a straight line between them
            assert sim.output("aero_forces.front_downforce") == pytest.approx(1.5 * (expected + 20.0) * 4.0, rel=1e-9)
        sim.set_states({"chassis.z": sim.state("chassis.z") - lifted})
