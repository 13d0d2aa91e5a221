"""Sway of a trailer: the exact linearisation against a model of three freedoms, over speed."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import jounce.vehicle as jv
from cars import plain, without_air
from jounce.components.basics import combine
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from jounce.sim.statics import settle
from jounce.sim.steady import run_steadily
from jounce.vehicle.assembly import bodies
from trains import car_trailer

Array = np.ndarray[Any, np.dtype[np.float64]]
FORCE, MOMENT = "Tire.Ground_Surface_Force_Y", "Tire.Ground_Surface_Moment_Z"


@lru_cache
def train() -> jv.Vehicle:
    """Guided straight up and down by stiff springs, nothing gives way, no air, all forces near the ground: no roll."""
    found = car_trailer()
    gone = ("front_suspension.compliance", "rear_suspension.compliance", "steering.rack_pinion")
    found = found.with_(**plain(found), **without_air(found), **dict.fromkeys(gone))
    low = dict.fromkeys(("body.cg.z", "trailers[0].body.cg.z", "trailers[0].hitch.location.z"), 0.05)
    found = found.with_(**low, **{"body.added_masses": []})
    places = ("front_suspension", "rear_suspension", "trailers[0].axles[0].suspension")
    return found.with_(**{f"{place}.spring.rate": 200 * found.get(f"{place}.spring.rate") for place in places})


@lru_cache
def description() -> car.Description:
    return car.describe(train())


def running(speed: float) -> Simulation:
    sim = car.simulation(description())
    settle(sim, description())
    run_steadily(sim, description(), speed)
    return sim


def tires(sim: Simulation, axle: int) -> tuple[float, float, float]:
    """Of both tires of an axle: force over deflection, trail, rate at which a deflection rolls out."""
    stiffness, trail, decay = 0.0, 0.0, 0.0
    for side in "LR":
        name, h = f"{side}{axle}.tire.v", 1e-6
        at = sim.state(name)
        i = [v.name for v in sim.model.states].index(name)
        ends = []
        for sign in (1, -1):
            sim.set_states({name: at + sign * h})
            told = [sim.output(f"{word}.{side}{axle}") for word in (FORCE, MOMENT)]
            ends.append([*told, float(sim.derivatives()[0][i])])
        sim.set_states({name: at})
        force, moment, rate = (np.array(ends[0]) - ends[1]) / (2 * h)
        stiffness, trail, decay = stiffness + abs(force), trail + 0.5 * abs(moment / force), decay - 0.5 * rate
    return stiffness, trail, decay


def three_freedoms(sim: Simulation, speed: float) -> Array:
    """Eigenvalues of: y of the car's centre of gravity, its heading, the articulation; and a deflection per axle.

    M q̈ = Σ (w_i − t_i n_i) k_i e_i,  ė_i = −(w_i·q̇ − V n_i·q) − λ_i e_i, with w_i = ∂y_i/∂q and n_i = ∂ψ_i/∂q.
    """
    units: dict[int, list[Any]] = {1: [], 2: []}
    for body in bodies(train().layout):
        place: Any = body.place
        unit = place if hasattr(place, "parent") else place.unit if hasattr(place, "unit") else None
        unit = place.axle.unit if unit is None and hasattr(place, "axle") else unit
        units[1 if unit is None else unit.number].append(body.properties)
    (m_1, c_1, i_1), (m_2, c_2, i_2) = (combine(units[n]) for n in (1, 2))
    ball = train().trailers[0].hitch.location.x  # type: ignore[union-attr]

    def towed(x: float) -> Array:
        return np.array([1.0, x - c_1[0], x - ball])

    car_, both = np.array([0.0, 1.0, 0.0]), np.array([0.0, 1.0, 1.0])
    mass = m_1 * np.outer([1, 0, 0], [1, 0, 0]) + i_1[2, 2] * np.outer(car_, car_)
    mass = mass + m_2 * np.outer(towed(c_2[0]), towed(c_2[0])) + i_2[2, 2] * np.outer(both, both)
    inverse = np.linalg.inv(mass)
    a = np.zeros((9, 9))
    a[:3, 3:6] = np.eye(3)
    places = [float(axle.unit.offset[0]) + axle.x for axle in train().layout.axles]
    for n, x in enumerate(places):
        stiffness, trail, decay = tires(sim, n + 1)
        w, turn = (towed(x), both) if n == 2 else (np.array([1.0, x - c_1[0], 0.0]), car_)
        a[3:6, 6 + n] = inverse @ (w - trail * turn) * stiffness
        a[6 + n, 3:6] = -w
        a[6 + n, :3] = speed * turn
        a[6 + n, 6 + n] = -decay
    return np.linalg.eigvals(a)


def swaying(values: Array) -> complex:
    """The least damped of the slow swings."""
    slow = [z for z in values if 1.0 < z.imag < 12.0 and abs(z.real) < 12.0]
    return complex(max(slow, key=lambda z: z.real / abs(z)))


@pytest.mark.slow
@pytest.mark.parametrize("speed", [15.0, 22.0, 30.0, 38.0])
def test_frequency_and_damping_of_sway_are_those_of_three_freedoms(speed: float) -> None:
    sim = running(speed)
    expected = swaying(three_freedoms(sim, speed))
    found = car.lineariser(description()).at(sim).eigenvalues()
    nearest = complex(found[np.argmin(np.abs(found - expected))])
    # left out: pitch and roll on the tires, the pull that keeps the speed, turning of the contact on the spot
    assert abs(nearest - expected) < 0.005 * abs(expected), (nearest, expected)


@pytest.mark.slow
def test_faster_it_is_damped_less_and_the_least_damped_mode_is_sway() -> None:
    damping = []
    for speed in (15.0, 22.0, 30.0, 38.0):
        z = swaying(np.asarray(car.lineariser(description()).at(running(speed)).eigenvalues()))
        damping.append(-z.real / abs(z))
    assert all(b < a for a, b in pairwise(damping)), damping
