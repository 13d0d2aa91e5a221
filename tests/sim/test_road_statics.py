"""A car put on any road: the search is quick, the ground carries it, brakes hold it, and its place does not matter.

What is checked is Newton's law for the whole car, from forces, moments and places of its channels: the search itself
looks at the accelerations of the generated equations.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from four_wheels import CORNERS
from ideal_cars import ideal
from jounce.core.errors import ParameterError
from jounce.files.roads import load_road
from jounce.road.block import Frame
from jounce.road.curve import Curve
from jounce.road.line import LineRoad
from jounce.road.mesh import MeshRoad, grid_mesh
from jounce.road.path import Path, joined
from jounce.road.simple import Flat, Stack, Sum, cleat, pothole
from jounce.road.surface import Road, plane_under
from jounce.runtime.program import Constant, Open, Phase, Program
from jounce.runtime.simulation import Simulation
from jounce.sim import car as cars
from jounce.sim import statics

Array = npt.NDArray[np.float64]

HALF_BASE, HALF_TRACK = 1.4, 0.8  # m, about those of the car: where a single wheel meets something


class Place(NamedTuple):
    road: Road
    x: float
    y: float
    heading: float


@lru_cache
def described() -> cars.Description:
    return cars.describe(ideal("sedan"), ground="road")


@lru_cache
def simulation() -> Simulation:
    return cars.simulation(described())


def wheel_places(x: float, y: float, heading: float) -> tuple[Array, Array]:
    at = np.array([described().vehicle.wheel_centre(axle, side)[:2] for axle, side in CORNERS.values()])
    c, s = math.cos(heading), math.sin(heading)
    return x + c * at[:, 0] - s * at[:, 1], y + s * at[:, 0] + c * at[:, 1]


def put(place: Place, brake: float = 0.0, **options: Any) -> tuple[Simulation, statics.Settled]:
    """The car on a road; it is put down on the plane under its wheels, as events do."""
    sim = simulation()
    place.road.bind(sim)
    sim.set_inputs({"brake": brake, "throttle": 0.0, "steering_wheel": 0.0})
    x, y, heading = place[1:]
    height, grade, bank = plane_under([place.road], *wheel_places(x, y, heading), (x, y))
    if "height" in options:
        height, grade, bank = options["height"], 0.0, 0.0
    where: dict[str, Any] = {"normal": (-grade, -bank, 1.0), "height": height, "x": x, "y": y, "heading": heading}
    return sim, statics.settle(sim, described(), **where)


def loads(sim: Simulation) -> Array:
    return np.array([sim.output(f"Tire.Ground_Surface_Force_Z.{c}") for c in CORNERS])


def _vector(sim: Simulation, name: str, corner: str) -> Array:
    return np.array([sim.output(f"{name}_{axis}.{corner}") for axis in "XYZ"])


def masses(sim: Simulation) -> list[tuple[float, Array]]:
    """Sprung and unsprung masses and where they are, world."""
    vehicle = described().vehicle
    wheels = {c: vehicle.wheels(axle, side).unsprung_mass for c, (axle, side) in CORNERS.items()}
    body = np.array([sim.output(f"Vehicle.CM_Global_{axis}") for axis in "XYZ"])
    parts = [(mass, _vector(sim, "Wheel.Global", corner)) for corner, mass in wheels.items()]
    return [(vehicle.mass() - sum(wheels.values()), body), *parts]


def centre_of_gravity(sim: Simulation) -> Array:
    parts = masses(sim)
    return np.sum([m * r for m, r in parts], axis=0) / sum(m for m, _ in parts)


def balance(sim: Simulation) -> tuple[Array, Array]:
    """Sum of all forces, and of all moments about the centre of gravity, on the whole car at rest; world axes."""
    vehicle = described().vehicle
    centre = centre_of_gravity(sim)
    force = np.array([0.0, 0.0, -vehicle.mass() * vehicle.system.gravity])
    moment = np.zeros(3)
    for corner in CORNERS:
        pull = _vector(sim, "Tire.Hub_Carrier_Force_Global", corner)
        force += pull
        moment += np.cross(_vector(sim, "Wheel.Global", corner) - centre, pull)
        moment += _vector(sim, "Tire.Hub_Carrier_Moment_Global", corner)
    return force, moment


def chassis_axes(sim: Simulation) -> Array:
    """Columns: forward, left and up axis of the body in the world, from its quaternion."""
    first = sim.model.quaternions[0]
    w, x, y, z = sim.x[first : first + 4]
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.array(rows)


# -- the corpus ------------------------------------------------------------------------------------------------------


def along(name: str, number: int) -> list[Place]:
    """Stations all over a road of the library, on its line."""
    road = load_road(name)
    inner: Any = road
    while isinstance(inner, Sum):
        inner = inner.base
    path: Path = inner.path
    stations = np.linspace(0.05, 0.95, number) * path.length
    return [
        Place(road, *map(float, path.at(s)[:2]), float(path.at(s, "heading")) + turn)
        for s, turn in zip(stations, np.linspace(-0.3, 0.3, number), strict=True)
    ]


def one_wheel(feature: Road) -> list[Place]:
    return [Place(Sum(base=Flat(), features=[feature]), 0.0, 0.0, 0.0)]


def banked() -> list[Place]:
    """A steep curve: 30 degrees of bank in a helix that climbs by 8 %."""
    path = joined([(300.0, -0.01, -0.01)], z=lambda s: 0.08 * s)
    road = LineRoad(path=path, bank=Curve.constant(math.tan(math.radians(30))), left=6.0, right=6.0)
    return [Place(road, *map(float, path.at(s)[:2]), float(path.at(s, "heading"))) for s in (50.0, 120.0, 250.0)]


def moved() -> list[Place]:
    """Roads far from the origin, turned and raised."""
    result = []
    for place in along("mountain", 4):
        c, s = math.cos(2.0), math.sin(2.0)
        there = place.road.moved(x=1e4, y=-2e4, z=300.0, heading=2.0)
        at = (1e4 + c * place.x - s * place.y, -2e4 + s * place.x + c * place.y)
        result.append(Place(there, *at, place.heading + 2.0))
    return result


def hills() -> list[Place]:
    x, y = np.linspace(-20, 20, 41), np.linspace(-20, 20, 41)
    points, triangles = grid_mesh(x, y, 0.4 * np.sin(x[:, None] / 3) + 0.3 * np.cos(y[None, :] / 2))
    road = MeshRoad(points=points, triangles=triangles)
    return [Place(road, float(a), float(b), float(a * b)) for a in (-8.0, 1.5, 9.0) for b in (-7.0, 2.2)]


CORPUS: dict[str, Callable[[], list[Place]]] = {
    "mountain": lambda: along("mountain", 25),
    "handling": lambda: along("handling", 15),
    "sine": lambda: along("sine", 9),
    "chirp": lambda: along("chirp", 9),
    "class C": lambda: along("iso_8608_c", 9),
    "class E": lambda: along("iso_8608_e", 9),
    "cleat under one wheel": lambda: one_wheel(cleat(0.05, 0.1, 0.01, across=0.4).moved(y=HALF_TRACK)),
    "pothole under one wheel": lambda: one_wheel(pothole(0.08, 0.8, 0.6, 0.05, x=-2 * HALF_BASE, y=-HALF_TRACK)),
    "banked helix": banked,
    "moved": moved,
    "hills of triangles": hills,
}


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] if n == "mountain" else []) for n in CORPUS])
def test_the_ground_carries_the_car_on_any_road(name: str) -> None:
    vehicle = described().vehicle
    for place in CORPUS[name]():
        sim, settled = put(place)
        assert settled.method == "newton"
        residual, _ = balance(sim)
        # free wheels: the car is about to roll along its x axis, everything else is in balance. The search leaves
        # 1e-9 m/s² or, on the stiffest contacts, what rounding lets it reach (ROUNDING); forces are masses times that.
        limit = vehicle.mass() * max(statics.TOLERANCE, settled.residual) * 10
        across = chassis_axes(sim)[:, 1:].T @ residual
        assert np.abs(across).max() <= limit
        assert loads(sim).min() >= 0
        # near where it was wanted: between the places of the wheels
        gap = np.hypot(sim.state("chassis.x") - place.x, sim.state("chassis.y") - place.y)
        assert gap < vehicle.wheelbase


@pytest.mark.parametrize("name", CORPUS)
def test_brakes_hold_the_car_on_any_road(name: str) -> None:
    vehicle = described().vehicle
    place = CORPUS[name]()[-1]
    sim, settled = put(place, brake=1.0)
    assert settled.held == ("lateral", "longitudinal")
    force, moment = balance(sim)
    limit = vehicle.mass() * max(statics.TOLERANCE, settled.residual) * 10
    assert np.abs(force).max() <= limit
    assert np.abs(moment).max() <= limit * vehicle.wheelbase
    before = np.array([sim.state(f"chassis.{axis}") for axis in "xyz"])
    hold = Program(Phase("hold", [Open("brake", Constant(1.0))], duration=1.0))
    recording = sim.run(program=hold, interval=0.1)
    assert recording.ok
    after = np.array([sim.state(f"chassis.{axis}") for axis in "xyz"])
    assert np.abs(after - before).max() < 1e-5


@pytest.mark.parametrize("slope", [10.0, -10.0])
def test_on_a_slope_of_ten_degrees_the_loads_are_those_of_the_lever(slope: float) -> None:
    """A braked car on a slope: moments about the contact points of both axles."""
    vehicle = described().vehicle
    angle = math.radians(slope)
    sim, _ = put(Place(Flat(grade=math.tan(angle)), 3.0, 0.0, 0.0), brake=1.0)
    weight = vehicle.mass() * vehicle.system.gravity
    found = loads(sim)
    normal = np.array([-math.sin(angle), 0.0, math.cos(angle)])
    ahead = np.array([math.cos(angle), 0.0, math.sin(angle)])
    # places of contact and centre of gravity along and above the road, as the car stands there
    centre = centre_of_gravity(sim)
    contact = {c: _vector(sim, "Road.Contact_Patch_Global", c) for c in CORNERS}
    front, rear = ((contact[f"L{a}"] + contact[f"R{a}"]) @ ahead / 2 for a in (1, 2))
    height = (centre - contact["L1"]) @ normal
    lever = (math.cos(angle) * (centre @ ahead - rear) - math.sin(angle) * height) / (front - rear)
    # what the tires bring about their contact points: a shift of the loads as of rolling resistance, below 1 %
    own = sum(_moment_at_contact(sim, c, contact[c])[1] for c in CORNERS)
    assert found.sum() == pytest.approx(weight * math.cos(angle), rel=1e-9)
    assert found[:2].sum() == pytest.approx(weight * lever + own / (front - rear), rel=1e-8)
    assert abs(own) < 0.01 * weight * height


def _moment_at_contact(sim: Simulation, corner: str, contact: Array) -> Array:
    arm = _vector(sim, "Wheel.Global", corner) - contact
    pull = _vector(sim, "Tire.Hub_Carrier_Force_Global", corner)
    result: Array = _vector(sim, "Tire.Hub_Carrier_Moment_Global", corner) + np.cross(arm, pull)
    return result


def test_where_a_road_lies_does_not_matter() -> None:
    """Places of 2e4 m have a rounding of 4e-12 m; tires of 2e5 N/m make 1e-6 N of it, a stiff chain of links more."""
    here, there = along("mountain", 4), moved()
    for a, b in zip(here, there, strict=True):
        first = loads(put(a)[0])
        assert loads(put(b)[0]) == pytest.approx(first, abs=1e-3)


def test_a_car_stands_under_a_bridge_and_on_it() -> None:
    bridge = Stack(roads=[Flat(length=20.0, width=8.0, frame=Frame(z=5.0)), Flat()], storeys=True)
    below, _ = put(Place(bridge, 0.0, 0.0, 0.0), height=0.0)
    low, first = below.state("chassis.z"), loads(below)
    above, _ = put(Place(bridge, 0.0, 0.0, 0.0))
    assert above.state("chassis.z") - low == pytest.approx(5.0, abs=1e-9)
    assert loads(above) == pytest.approx(first, abs=1e-5)


def test_without_ground_a_car_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"no ground under the car at x = 100 m, y = 0 m"):
        put(Place(Flat(length=10.0, width=10.0), 100.0, 0.0, 0.0))
