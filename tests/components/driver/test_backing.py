"""The driver who reverses with a towed unit, on a kinematic train: bends, offsets, headings, the limit of articulation.

    φ̇ = V κ,   γ̇ = φ̇ − v tan δ/L,   V = v (cos γ − h tan δ/L sin γ),   φ̇ = −v (sin γ + h tan δ/L cos γ)/D

of the towed axle with the heading φ, the towing unit with the speed v of its rear axle.
"""

from __future__ import annotations

import math
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from axle_lists import one_axle, vehicle_of
from jounce.components.driver.backing import Backing
from jounce.components.driver.lateral import Car
from jounce.components.model import VehicleModel
from jounce.core.errors import ModelError
from jounce.core.tables import Table
from jounce.road.path import Path
from jounce.runtime.simulation import Simulation
from jounce.sim import car, preview
from jounce.sim.backing import GAINS, Geometry, Schedule, shown
from jounce.sim.preview import NODES, PERIOD, SPACING, Lateral, design, shares
from path_rig import RATIO, WHEELBASE, PathSet, rig

TRAIN = Geometry(WHEELBASE, -WHEELBASE, 0.71, 4.13)
SPEED, SHARPEST = 1.3, 0.24  # 1/m, of the way of the towed axle, at the lock
LOCK = RATIO * TRAIN.steer(SHARPEST)
DISTANCE, STATION = "driving_machine_monitor.path_distance", "driving_machine_monitor.path_s"


def _plant(at: VehicleModel) -> Car:
    from jounce.symbolic.ops import atan2, cos, sin, tan

    s = at.system.scope("car")
    v = s.input("speed", "m/s", rate=True)
    x, y = s.state("x", "m"), s.state("y", "m")
    heading, gamma = s.state("phi", "rad"), s.state("gamma", "rad")
    towing = tan(at.signals.read("steering_wheel", "rig") / RATIO) / TRAIN.wheelbase
    turning = -v * (sin(gamma) + TRAIN.overhang * towing * cos(gamma)) / TRAIN.drawbar
    speed = v * (cos(gamma) - TRAIN.overhang * towing * sin(gamma))
    for state, rate in ((x, speed * cos(heading)), (y, speed * sin(heading)), (heading, turning)):
        s.derivative(state, rate)
    s.derivative(gamma, turning - v * towing)
    s.output("gamma", gamma, "rad")
    at.units[0].coupling = SimpleNamespace(angles={"yaw": (gamma, turning - v * towing)})  # type: ignore[assignment]
    place = (x, y, 0.0 * x)
    return Car(place, atan2(sin(heading), cos(heading)), speed, 0.0 * v, turning, (0.0, 0.0, 1.0), place)


class Alone(Backing):
    """The driver on a rig without units."""

    def unit_of(self, place: Any) -> Any:
        return place.units[0]


@lru_cache
def library() -> Any:
    return rig(Alone, _plant)


def linear(curvature: float) -> Lateral:
    """The train about a steady turn, by hand; the rates by differences of the kinematic equations."""

    def rates(gamma: float, hand: float) -> tuple[float, float]:
        towing = math.tan(hand / RATIO) / TRAIN.wheelbase
        own = SPEED * (math.sin(gamma) + TRAIN.overhang * towing * math.cos(gamma)) / TRAIN.drawbar
        return own, own + SPEED * towing

    bent, hand, h = TRAIN.articulation(curvature), RATIO * TRAIN.steer(curvature), 1e-5
    by_bend, by_hand = (
        (np.array(rates(bent + a, hand + b)) - rates(bent - a, hand - b)) / (2 * h) for a, b in ((h, 0.0), (0.0, h))
    )
    towing = math.tan(hand / RATIO) / TRAIN.wheelbase
    speed = -SPEED * (math.cos(bent) - TRAIN.overhang * towing * math.sin(bent))
    yaw = np.array([by_bend[0], by_hand[0], 0.0])
    return Lateral(np.array([[by_bend[1]]]), np.array([by_hand[1]]), np.zeros(1), speed, np.zeros(3), yaw)


@lru_cache
def found() -> Schedule:
    omega = SPEED / WHEELBASE
    straight = linear(0.0)
    law = design(straight, omega, ahead=round(NODES * SPACING / omega / PERIOD))
    curvatures = np.linspace(-SHARPEST, SHARPEST, 17)
    rows = []
    for kappa in curvatures:
        one = linear(float(kappa))
        rows.append(design(one, omega * abs(one.speed) / SPEED, gain=straight.gain).feedback)
    bends = np.array([TRAIN.articulation(float(k)) for k in curvatures])
    turns = np.column_stack([[RATIO * TRAIN.steer(float(k)) for k in curvatures], bends, 0 * bends])
    seen = shares(law.preview, PERIOD, SPACING / omega)
    return Schedule(
        bends[::-1], np.array(rows)[::-1], curvatures, turns, SPEED, WHEELBASE * SPACING, seen, float(bends.max())
    )


def reversing(path: Path, offset: float = 0.0, turned: float = 0.0, bent: float = 0.0, **driver: float) -> Simulation:
    sim = Simulation(library(), step=2e-3)
    PathSet([path]).bind(sim)
    s = found()
    tables = {
        "gains": Table(s.articulations, s.gains, method="akima"),
        "turns": Table(s.curvatures, s.turns, method="akima"),
        "ahead": Table([0.0, 1.0], np.tile(shown(s), (2, 1)), method="linear"),
    }
    sim.set_tables({f"rider.{name}": table for name, table in tables.items()})
    sim.set_parameters({"rider.lock": LOCK} | {f"rider.{k}": v for k, v in driver.items()})
    (x, y, _), heading = path.at(3.0), float(path.at(3.0, "heading"))
    own = heading + math.pi + turned
    sim.set_states({
        "car.x": float(x) - offset * math.sin(heading), "car.y": float(y) + offset * math.cos(heading),
        "car.phi": own, "car.gamma": bent,
    })  # fmt: skip
    sim.set_inputs({"car.speed": -SPEED, "driver.steers": 1.0, "driver.steering_ratio": RATIO})
    return sim


def bend(side: float, radius: float = 8.7) -> Path:
    k, arc = side / radius, 0.5 * math.pi * radius
    s = [0.0, 14.0, 17.0, 14.0 + arc, 17.0 + arc, 70.0]
    path = Path.from_curvature(s, [0.0, 0.0, k, k, 0.0, 0.0], step=0.25)
    return path.moved(-21.0, 43.0, heading=-2.3)


def test_round_a_right_angle_and_its_mirror() -> None:
    told = []
    for side in (1.0, -1.0):
        run = reversing(bend(side)).run(36.0)
        assert np.abs(run[DISTANCE]).max() < 0.25
        assert abs(run[DISTANCE][-1]) < 0.02
        assert run[STATION][-1] > 45.0
        assert (side * run["car.gamma"]).max() > 0.4  # towards the bend
        told.append(run)
    assert told[1][DISTANCE] == pytest.approx(-told[0][DISTANCE], abs=1e-6)
    assert told[1]["car.gamma"] == pytest.approx(-told[0]["car.gamma"], abs=1e-6)


@pytest.mark.parametrize(("offset", "turned", "bent"), [(0.4, 0.0, 0.1), (-1.1, 0.15, -0.2), (3.0, 0.0, 0.0)])
def test_from_beside_the_path_it_comes_back_without_folding_up(offset: float, turned: float, bent: float) -> None:
    path = Path.straight(90.0).moved(7.0, -5.0, heading=1.1)
    run = reversing(path, offset, turned, bent).run(55.0)
    assert np.abs(run["driver.jack_knife"]).min() > 0 and run["driver.jack_knife"].max() < 0
    assert abs(run[DISTANCE][-1]) < 0.05
    assert np.abs(run["driver.wanted_articulation"]).max() <= 0.85 * found().jack_knife + 1e-12


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_on_a_circle_it_runs_with_the_articulation_of_plane_geometry(side: float) -> None:
    radius = 11.3
    circle = Path.from_curvature([0, 2 * math.pi * radius], [side / radius] * 2, closed=True)
    curvature = -side / radius  # backwards
    run = reversing(circle, bent=TRAIN.articulation(curvature)).run(90.0)
    assert run["car.gamma"][-1] == pytest.approx(TRAIN.articulation(curvature), rel=1e-3)
    assert abs(run[DISTANCE][-1]) < 5e-3  # the integral is slow: a tenth of the law, 26 m


def test_the_hand_turns_no_faster_than_it_can() -> None:
    run = reversing(Path.straight(90.0), 1.0, fastest=2.1).run(10.0)
    hand = run["driving_machine_monitor.driver_steering"]
    rates = np.diff(hand[::5]) / (5 * (run.time[1] - run.time[0]))
    assert np.abs(rates).max() <= 2.1 * (1 + 1e-6)
    assert np.abs(rates).max() > 2.0  # he was that fast


def test_a_bend_that_is_too_tight_ends_in_a_jack_knife_that_is_told() -> None:
    """Beyond what the lock holds: from there the articulation grows, whatever he does."""
    run = reversing(Path.straight(200.0), bent=1.05 * found().jack_knife).run(6.0)
    assert run["driver.jack_knife"][0] > 0
    assert np.all(np.diff(run["driver.jack_knife"]) >= 0)


def test_gains_are_those_of_the_recursion_backwards_in_time() -> None:
    """Riccati's equation by repetition, from nothing, instead of its solution at once; the train is unstable."""
    one, omega, period = linear(0.0), 0.47, 0.09
    law = design(one, omega, period=period)
    assert len(law.feedback) == len(GAINS)
    phi, gamma, _ = preview.sampled(one, period)
    assert np.abs(np.linalg.eigvals(phi)).max() > 1.02
    q, rho = preview.weights(one, omega, period, one.gain)
    value = np.zeros_like(q)
    for _ in range(6000):
        gain = (gamma @ value @ phi) / (rho + gamma @ value @ gamma)
        value = q + phi.T @ value @ (phi - np.outer(gamma, gain))
    assert gain == pytest.approx(law.feedback, rel=1e-6)


def test_a_vehicle_without_a_towed_unit_is_refused() -> None:
    found = car.describe(vehicle_of(one_axle()), parts=[Backing()])
    with pytest.raises(ModelError, match="the vehicle has 1 units"):
        car.simulation(found)
