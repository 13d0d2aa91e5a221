"""A linear model of two units in the plane, for tests: lateral motion at constant speed, tires that lag.

Coordinates q: y of the first unit's centre of gravity, its heading, the angle of the hitch; a deflection e per axle.

    M q̈ = Σ (w_i − t_i n_i) k_i e_i,   ė_i = −w_i·q̇ + V (n_i·q + δ_i) − λ_i e_i                                   (1)

with w_i = ∂y_i/∂q, n_i = ∂ψ_i/∂q, and δ the steer angle of the first axle. Force over deflection k, trail t and rate of
decay λ are those of the tires of the whole model at rest in this motion; masses and places are those of its data.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

import jounce.vehicle as jv
from axle_lists import vehicle_of
from cars import plain, without_air
from jounce.components.basics import combine
from jounce.runtime.simulation import Simulation
from jounce.vehicle.assembly import bodies
from trains import car_trailer, lead, towed

Array = np.ndarray[Any, np.dtype[np.float64]]
FORCE, MOMENT = "Tire.Ground_Surface_Force_Y", "Tire.Ground_Surface_Moment_Z"
LOW = 0.05  # m: forces near the ground, no roll


def flat(found: jv.Vehicle) -> jv.Vehicle:
    """Guided straight up and down by stiff springs, nothing gives way, no air, all forces near the ground."""
    gone = ("front_suspension.compliance", "rear_suspension.compliance", "steering.rack_pinion")
    found = found.with_(**plain(found), **without_air(found), **dict.fromkeys(gone))
    low = dict.fromkeys(("body.cg.z", "trailers[0].body.cg.z", "trailers[0].hitch.location.z"), LOW)
    found = found.with_(**low, **{"body.added_masses": []})
    places = ("front_suspension", "rear_suspension", "trailers[0].axles[0].suspension")
    return found.with_(**{f"{place}.spring.rate": 200 * found.get(f"{place}.spring.rate") for place in places})


@lru_cache
def flat_car() -> jv.Vehicle:
    """A car with a trailer of one axle."""
    return flat(car_trailer())


@lru_cache
def flat_tractor() -> jv.Vehicle:
    """A short tractor of two axles, the plate ahead of the second one, with a semitrailer of two axles."""
    raw, semi = lead(2), towed(2, back=-2.53)
    for axle in (*raw["axles"], *semi["axles"]):
        suspension = axle["suspension"]
        for key in ("compliance", "anti_roll_bar", "bump_stop", "rebound_stop"):
            suspension.pop(key, None)
        suspension["spring"] = {"rate": 200 * 61.0e3, "preload": 7900.0}
    raw["axles"][0]["steering"] = {k: v for k, v in raw["axles"][0]["steering"].items() if k != "rack_pinion"}
    for body in (raw["body"], semi["body"]):
        body["cg"]["z"] = LOW
    raw["body"].pop("added_masses", None)
    raw.pop("aero", None)
    semi["body"]["mass"] = 2310.0
    semi["hitch"] |= {
        "location": [-2.53, 0.0, LOW],
        "coupling": "fifth_wheel",
        "roll": {"stiffness": 9e4, "damping": 700.0},
    }
    raw["trailers"] = [semi]
    return vehicle_of(raw)


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


class LinearTrain:
    """(1) of a vehicle in steady running: ``a`` and ``b`` of ẋ = a x + b δ, x = q, q̇, e."""

    def __init__(self, vehicle: jv.Vehicle, sim: Simulation, speed: float) -> None:
        place = vehicle.layout
        units: dict[int, list[Any]] = {1: [], 2: []}
        for body in bodies(place):
            here: Any = body.place
            unit = here if hasattr(here, "parent") else here.unit if hasattr(here, "unit") else None
            unit = here.axle.unit if unit is None and hasattr(here, "axle") else unit
            units[1 if unit is None else unit.number].append(body.properties)
        (m_1, c_1, i_1), (m_2, c_2, i_2) = (combine(units[n]) for n in (1, 2))
        self.speed, self.first, self.ball = speed, float(c_1[0]), float(place.units[1].offset[0])
        self.second = float(c_2[0])
        car, both = np.array([0.0, 1.0, 0.0]), np.array([0.0, 1.0, 1.0])
        side = np.array([1.0, 0.0, 0.0])
        mass = m_1 * np.outer(side, side) + i_1[2, 2] * np.outer(car, car)
        mass = (
            mass + m_2 * np.outer(self.towed(self.second), self.towed(self.second)) + i_2[2, 2] * np.outer(both, both)
        )
        inverse = np.linalg.inv(mass)
        self.places = [float(axle.unit.offset[0]) + axle.x for axle in place.axles]
        count = len(self.places)
        self.w, self.a, self.b = [], np.zeros((6 + count, 6 + count)), np.zeros(6 + count)
        self.a[:3, 3:6] = np.eye(3)
        for n, (x, axle) in enumerate(zip(self.places, place.axles, strict=True)):
            stiffness, trail, decay = tires(sim, n + 1)
            w, turn = (self.towed(x), both) if axle.unit.number == 2 else (np.array([1.0, x - self.first, 0.0]), car)
            self.w.append(w)
            self.a[3:6, 6 + n] = inverse @ (w - trail * turn) * stiffness
            self.a[6 + n, 3:6] = -w
            self.a[6 + n, :3] = speed * turn
            self.a[6 + n, 6 + n] = -decay
        self.b[6] = speed

    def towed(self, x: float) -> Array:
        """∂y/∂q of a point of the towed unit."""
        return np.array([1.0, x - self.first, x - self.ball])

    def driven(self, time: Array, steer: Array) -> Array:
        """x over time for a steer angle of the first axle, from rest."""
        from scipy.signal import lsim

        count = len(self.b)
        _, _, x = lsim((self.a, self.b[:, None], np.eye(count), np.zeros((count, 1))), steer, time)
        return np.asarray(x)

    def accelerations(self, x: Array, steer: Array) -> tuple[Array, Array]:
        """Lateral accelerations of both centres of gravity."""
        rate = x @ self.a.T + np.outer(steer, self.b)
        return rate[:, 3], rate[:, 3:6] @ self.towed(self.second)

    def off_tracking(self, time: Array, x: Array, axle: int) -> Array:
        """Of an axle (from 1) from the way of the first one, which it drives over later."""
        first, own = x[:, :3] @ self.w[0], x[:, :3] @ self.w[axle - 1]
        late = (self.places[0] - self.places[axle - 1]) / self.speed
        return np.asarray(own - np.interp(time - late, time, first))
