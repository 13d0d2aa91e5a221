"""Skid plates: the law of the contact by itself, on a slope, under a car; nothing is created."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jounce.vehicle as jv
from body_rig import (
    DAMPING,
    EXPONENT,
    FRICTION,
    PLATE,
    STIFFNESS,
    channels,
    description,
    law_rates,
    library,
    put,
    turn,
    vehicle,
)
from jounce.components.body.ground_contact import Law, Touch, road_axes, touch
from jounce.core.errors import ParameterError
from jounce.road.ground import Plane, Surface
from jounce.runtime.simulation import Simulation
from jounce.sim.statics import settle

LAW = Law(STIFFNESS, EXPONENT, DAMPING, FRICTION, 0.01, 1300.0)
STEP = 1e-3


class Body:
    """A frame as numbers: what the contact asks of it."""

    def __init__(self, position: Any, v: Any, w: Any = (0, 0, 0), r: Any = None) -> None:
        self.position, self.v, self.w = np.array(position, float), np.array(v, float), np.array(w, float)
        self.r = np.eye(3) if r is None else np.asarray(r)

    def point(self, offset: Any) -> np.ndarray:
        return np.asarray(self.position + self.r @ np.asarray(offset, float))

    def point_velocity(self, offset: Any) -> np.ndarray:
        return np.asarray(self.v + np.cross(self.w, offset))

    def from_world(self, a: Any) -> np.ndarray:
        return np.asarray(self.r.T @ np.asarray(a, float))


class Unit:
    """The rest of a vehicle: its ground and its step."""

    def __init__(self, ground: Any) -> None:
        self.ground = ground
        self.system = type("System", (), {"t_dt": STEP})


def press(depth: float, v: Any = (0.0, 0.0, 0.0), law: Law = LAW, **plane: float) -> Touch:
    return touch(Unit(Plane(**plane)), Body((3.0, -2.0, -depth), v), (0.0, 0.0, 0.0), law)  # type: ignore[arg-type]


@pytest.mark.parametrize("exponent", [1.0, 1.5, 2.2])
@pytest.mark.parametrize("depth", [0.0007, 0.004, 0.031])
def test_at_rest_the_depth_is_that_of_the_stiffness(exponent: float, depth: float) -> None:
    """In N/mm^e and mm, as other tools have it: F = k p^e, p = (F/k)^(1/e)."""
    found = press(depth, law=LAW._replace(exponent=exponent)).pressing
    k, p = STIFFNESS / 1000, depth * 1000
    assert found == pytest.approx(k * p**exponent, rel=1e-12)
    assert (found / k) ** (1 / exponent) == pytest.approx(p, rel=1e-12)
    assert press(-1e-6).pressing == 0.0


@pytest.mark.parametrize(("depth", "share"), [(0.0, 0.0), (0.00125, 0.15625), (0.0025, 0.5), (0.005, 1.0), (0.02, 1.0)])
def test_damping_grows_over_five_millimetres(depth: float, share: float) -> None:
    """3τ² - 2τ³ at a quarter is 0.15625."""
    spring = press(depth).pressing
    assert press(depth, (0, 0, -0.8)).pressing == pytest.approx(spring + share * DAMPING * 0.8, rel=1e-12)


def test_the_ground_never_pulls() -> None:
    rng = np.random.default_rng(3)
    for _ in range(300):
        v = rng.uniform(-6, 6, 3)
        found = press(rng.uniform(-0.01, 0.05), v)
        assert found.pressing >= 0.0
        assert found.force[2] == found.pressing
    assert press(0.004, (0, 0, 5.0)).pressing == 0.0


def test_friction_is_its_share_of_the_load_against_the_sliding() -> None:
    rng = np.random.default_rng(5)
    for _ in range(300):
        v = np.append(rng.uniform(-20, 20, 2), rng.uniform(-1, 1))
        found = press(rng.uniform(0.001, 0.03), v)
        along = np.array(found.force[:2])
        assert np.linalg.norm(along) == pytest.approx(FRICTION * found.pressing, rel=1e-12)
        assert along @ v[:2] == pytest.approx(-FRICTION * found.pressing * np.linalg.norm(v[:2]), rel=1e-12)
    slow = press(0.004, (1e-4, -2e-4, 0.0))
    assert slow.force[0] < 0 < slow.force[1] and abs(slow.force[0]) < 0.1 * FRICTION * slow.pressing
    assert press(0.004).force[:2] == [0.0, 0.0]


def test_friction_is_never_stiffer_than_the_step_allows() -> None:
    """Force per speed is at most a twentieth of the mass over the step."""
    for depth in (0.001, 0.01, 0.2):
        found = press(depth, (1e-9, 0, 0))
        assert -found.force[0] / 1e-9 <= LAW.mass / (20 * STEP) * (1 + 1e-9)


@pytest.mark.slow
def test_a_falling_mass_comes_back_with_less_than_it_had() -> None:
    """Integrated here by steps of 10 µs; its energy, spring included, never rises by more than 1e-6 of it."""
    mass, h, z, v = 310.0, 1e-5, 0.4, 0.0
    g, e = 9.81, EXPONENT
    energies, heights = [], []
    for _ in range(120000):
        found = press(-z, (0, 0, v))
        depth = max(-z, 0.0)
        spring = STIFFNESS * 1e-3 ** (1 - e) * depth ** (e + 1) / (e + 1)
        energies.append(0.5 * mass * v * v + mass * g * z + spring)
        v += h * (found.pressing / mass - g)  # semi-implicit
        z += h * v
        heights.append(z)
    lost = np.maximum.accumulate(np.array(energies)[::-1])[::-1] - np.array(energies)
    assert lost.max() < 2e-4 * energies[0]  # energy to come is never above energy now, but for the step
    rebound = np.max(np.array(heights)[np.argmin(heights) :])
    assert rebound < 0.35
    assert min(heights) < -0.01


def test_on_a_slope_forces_follow_its_normal() -> None:
    grade, bank = 0.21, -0.13
    n = np.array([-grade, -bank, 1.0]) / np.sqrt(1 + grade**2 + bank**2)
    v = np.array([5.0, 2.0, 0.4])
    found = press(0.05, v, grade=grade, bank=bank)
    surface = grade * 3.0 + bank * -2.0
    assert found.height == pytest.approx((-0.05 - surface) * n[2], rel=1e-12)
    if found.pressing > 0:
        along = np.array(found.force) - found.pressing * n
        assert along @ n == pytest.approx(0.0, abs=1e-8)
    x, y, z = (np.array(a) for a in road_axes(list(n)))
    assert np.column_stack([x, y, z]).T @ np.column_stack([x, y, z]) == pytest.approx(np.eye(3), abs=1e-12)
    assert x @ [1, 0, 0] > 0 and np.cross(z, x) == pytest.approx(y, abs=1e-12)


def test_a_ground_that_moves_carries_along() -> None:
    class Belt:
        def under(self, axes: Any, place: Any) -> Surface:
            return Surface(-0.004, (0.0, 0.0, 1.0), 1.0, velocity=(12.0, 0.0, 0.0))

    found = touch(Unit(Belt()), Body((0, 0, 0), (10.0, 0, 0)), (0.0, 0.0, 0.0), LAW)  # type: ignore[arg-type]
    assert found.force[0] == pytest.approx(FRICTION * found.pressing)


# ---- under a car -----------------------------------------------------------------------------------------------------


def struck(depth: float = 0.012, v: Any = (13.0, -2.0, -0.6), w: Any = (0.2, -0.3, 0.4)) -> Simulation:
    """The car with its plate so deep in the ground, heading somewhere, nose down."""
    sim = put(Simulation(library()), q=(0.95, 0.01, 0.05, 0.3), v=v, w=w, position=(4.0, 5.0, 0.5))
    below = (turn(sim) @ (PLATE - vehicle().main_body.centre()))[2]
    sim.set_states({"chassis.z": float(-depth - below)})
    return sim


def test_nine_channels_tell_of_a_plate() -> None:
    sim = struck()
    r, lever = turn(sim), PLATE - vehicle().main_body.centre()
    v = r @ (np.array([13.0, -2.0, -0.6]) + np.cross([0.2, -0.3, 0.4], lever))
    heading = np.arctan2(r[1, 0], r[0, 0])
    axes = np.array([[np.cos(heading), np.sin(heading), 0], [-np.sin(heading), np.cos(heading), 0], [0, 0, 1]])
    assert channels(sim, *(f"plate.D{a}" for a in "XYZ")) == pytest.approx([0, 0, -0.012], abs=1e-12)
    assert channels(sim, *(f"plate.V{a}" for a in "XYZ")) == pytest.approx(axes @ v, abs=1e-11)
    k = STIFFNESS / 1000
    normal = k * 12**EXPONENT - DAMPING * v[2]
    flat = (axes @ v)[:2]
    expected = [*(-FRICTION * normal * flat / np.linalg.norm(flat)), normal]
    assert channels(sim, *(f"plate.F{a}" for a in "XYZ")) == pytest.approx(expected, rel=1e-9)


def test_the_force_acts_where_it_is_told_and_takes_its_power() -> None:
    """Rates of momentum and energy of the car with and without friction and stiffness of the plate."""
    sim, free = struck(), struck()
    free.set_parameters({"contact1.stiffness": 1e-9, "contact1.damping": 0.0})
    p, h, power = (a - b for a, b in zip(law_rates(sim), law_rates(free), strict=True))
    r = turn(sim)
    ahead = np.array([r[0, 0], r[1, 0], 0.0]) / np.hypot(r[0, 0], r[1, 0])
    axes = np.column_stack([ahead, np.cross([0, 0, 1], ahead), [0, 0, 1]])
    force = axes @ channels(sim, *(f"plate.F{a}" for a in "XYZ"))
    v = axes @ channels(sim, *(f"plate.V{a}" for a in "XYZ"))
    place = np.array([sim.state(f"chassis.{a}") for a in "xyz"]) + r @ (PLATE - vehicle().main_body.centre())
    assert p == pytest.approx(force, rel=1e-6)
    assert h == pytest.approx(np.cross(place, force), rel=1e-5)
    assert power == pytest.approx(force @ v, rel=1e-6)
    assert power < 0


def test_a_car_that_stands_on_its_plate_has_sunk_by_its_share_of_the_weight() -> None:
    sim = Simulation(library())
    low = float((PLATE - vehicle().main_body.centre())[2]) - 0.14  # three centimetres below the ground at design
    sim.set_parameters({"contact1.location.z": low})
    settle(sim, description())
    force, depth = sim.output("plate.FZ"), -sim.output("plate.DZ")
    loads = sum(sim.output(f"Tire.Ground_Surface_Force_Z.{c}") for c in ("L1", "R1", "L2", "R2"))
    assert force > 300.0
    assert force + loads == pytest.approx(vehicle().mass() * vehicle().system.gravity, rel=1e-6)
    assert depth * 1000 == pytest.approx((force / (STIFFNESS / 1000)) ** (1 / EXPONENT), rel=1e-9)


def test_a_plate_that_is_switched_off_is_not_there() -> None:
    from jounce.sim import car

    off = vehicle().with_(**{"contacts[0].active": False})
    names = [o.name for o in car.Structure(car.describe(off)).system().outputs]
    assert not [n for n in names if n.startswith("plate.")] and "Body_Shell.FX" in names


def test_bad_plates_say_where_and_what() -> None:
    plate = {"kind": "skid_plate", "name": "a", "location": [0, 0, 0.1], "stiffness": "300 N/mm"}
    sedan = jv.load("sedan")
    assert sedan.with_(contacts=[plate]).get("contacts[0].stiffness") == 3e5
    for key, value, message in (
        ("exponent", 0.5, "contacts[0].exponent"),
        ("stiffness", 0.0, "contacts[0].stiffness"),
        ("friction", -0.1, "contacts[0].friction"),
        ("body", "gyro", "no body of this vehicle"),
        ("location", None, "contacts[0].location"),
    ):
        with pytest.raises(ParameterError) as found:
            sedan.with_(contacts=[{**plate, key: value}])
        assert message in str(found.value)
