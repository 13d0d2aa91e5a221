"""Steady turns of a car at a speed, one after the other, each found from the last one.

As steady running (``sim/steady.py`` (1)), with the hand wheel turned further and further. Where the drive has not the
force to keep the speed in the turn, the pedal stays where it was on the straight and the car loses speed evenly: v̇ is
what it is, and what rolls with the car loses as much,

    Ω̇ = Ω v̇/v                                                                                                  (1)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.runtime.simulation import Simulation
from jounce.runtime.user_tire import in_analysis
from jounce.sim.car import Description, lineariser
from jounce.sim.equilibrium import Places, followed, newton, rotation
from jounce.sim.linear import LinearModel
from jounce.sim.statics import ROUNDING
from jounce.sim.steady import KNOWN, THROTTLE, THROTTLE_STEP, _limit

Array = npt.NDArray[np.float64]

TOLERANCE = 1e-6  # largest rate left, SI: what steers by it needs no more
ITERATIONS = 12
STEERING = "steering_wheel"


@dataclass(frozen=True)
class Turn:
    """A steady turn, and the car's linearisation there."""

    speed: float
    steering: float
    yaw_rate: float
    lateral: float  # velocity of the body's own point
    loss: float  # v̇, where the drive does not keep the speed
    model: LinearModel
    articulations: Array = field(default_factory=lambda: np.zeros(0))  # yaw of each towed unit against the one before


class Turns:
    """Steady turns of a car on a level road, from the state in which its simulation is: steady running at the speed."""

    def __init__(self, sim: Simulation, description: Description) -> None:
        self.sim, self.description, self.linear = sim, description, lineariser(description)
        names = tuple(self.linear.notes["states"])
        self.places, rest = Places(sim, names), self.linear.rest
        self.roles: list[str] = rest["roles"]
        self.body: dict[str, Any] = rest["bodies"][0]
        roles, places, partners = self.roles, self.places, dict(rest["partners"])
        self.free = [i for i, role in enumerate(roles) if role in KNOWN]
        rows = {i for i in self.free if i not in partners} | {partners[i] for i in self.free if i in partners}
        rows |= {i for i in self.free if i in partners and roles[partners[i]] != "zero" and i in places.state}
        self.rows = sorted(rows)
        angles = {rate: angle for angle, rate in partners.items()}
        self.swings = [(angles[rate], rate) for rate in self.body["swings"]]  # articulations with their rates
        self.rolling = [i for i in rest["rolling"] if i in rows]
        self.speed_row = self.body["velocity"][0]
        units = {v.name: v.unit for v in sim.model.states}
        self.limits = [_limit(i, names, roles, units, self.body) for i in self.free]
        self.inputs = list(self.linear.notes["inputs"])

    @property
    def kept(self) -> list[int]:
        """Motions that a driver feels: lateral velocity and yaw rate, articulation and its rate of each towed unit."""
        return [self.body["velocity"][1], self.body["turning"][2], *(i for pair in self.swings for i in pair)]

    @property
    def others(self) -> list[int]:
        """States that come to rest by themselves."""
        apart = {*self.kept, *self.body["position"][:2]}
        return [i for i, r in enumerate(self.roles) if r not in ("place", "speed", "free", "held") and i not in apart]

    def here(self) -> Turn:
        """The turn in which the car is."""
        x, places = self.sim.x, self.places.state
        speed, lateral, yaw = (float(x[places[i]]) for i in (self.speed_row, *self.kept[:2]))
        loss = float(self.places.rates(self.sim.derivatives()[0])[self.speed_row])
        bent = x[[places[angle] for angle, _ in self.swings]]
        return Turn(speed, self.sim.input(STEERING), yaw, lateral, loss, self.linear.at(self.sim), bent)

    def steer(self, angle: float, by: npt.ArrayLike = (), keeps: bool = True) -> Turn | None:
        """Turn the hand wheel to an angle and find the turn; None where there is none, and the car is as it was.

        ``by``: a guess of how the unknown states change. ``keeps``: whether the drive keeps the speed.
        """
        return _steered(self.sim, self, angle, np.asarray(by, dtype=float), keeps)

    def _steer(self, angle: float, by: Array, keeps: bool) -> Turn | None:
        before = self.sim.x.copy(), self.sim.m.copy(), self.sim.u.copy()
        problem = _Turning(self, keeps)
        if len(by):
            self.sim.x[:] = self.places.moved(self.sim.x, self.free, by)
        self.sim.set_inputs({STEERING: angle})
        problem.turn_about()
        bounds = np.array([*self.limits, THROTTLE_STEP] if keeps else self.limits)
        found = followed(self.sim, lambda: newton(problem, bounds, TOLERANCE, ITERATIONS, ROUNDING), holds=True)
        if found.converged and (not keeps or 0.0 <= self.sim.input(THROTTLE) <= 1.0):
            return self.here()
        self.sim.x[:], self.sim.m[:], self.sim.u[:] = before
        return None

    def guess(self, turn: Turn, more: float, keeps: bool = True) -> Array:
        """Change of the unknown states when the hand wheel turns by so much, in the linear car."""
        rows = [*self.rows, self.speed_row] if keeps else self.rows
        columns = turn.model.A[np.ix_(rows, self.free)]
        if keeps:
            columns = np.column_stack([columns, turn.model.B[rows, self.inputs.index(THROTTLE)]])
        scale = np.maximum(np.linalg.norm(columns, axis=0), 1e-12)
        side = -more * turn.model.B[rows, self.inputs.index(STEERING)]
        step: Array = np.linalg.lstsq(columns / scale, side, rcond=1e-12)[0] / scale
        return step[: len(self.free)]


@in_analysis("quasi-static")
def _steered(sim: Simulation, turns: Turns, angle: float, by: Array, keeps: bool) -> Turn | None:
    return turns._steer(angle, by, keeps)


class _Turning:
    """Unknown states, and the throttle where it keeps the speed; rates that vanish."""

    def __init__(self, turns: Turns, keeps: bool) -> None:
        self.of, self.keeps, self.sim = turns, keeps, turns.sim
        body, places = turns.body, turns.places
        self.first = places.quaternion[body["tilt"][0]][0]
        self.turning = [places.state[i] for i in body["turning"]]

    def turn_about(self) -> None:
        """About the vertical, without rolling and pitching."""
        x = self.sim.x
        axis = np.array([0.0, 0.0, 1.0]) @ rotation(x[self.first : self.first + 4])
        x[self.turning[:2]] = x[self.turning[2]] / axis[2] * axis[:2]

    def residual(self) -> Array:
        of = self.of
        rates = of.places.rates(self.sim.derivatives()[0])
        if self.keeps:
            return rates[[*of.rows, of.speed_row]]
        speed = self.sim.x[of.places.state[of.speed_row]]
        for i in of.rolling:
            rates[i] -= self.sim.x[of.places.state[i]] / speed * rates[of.speed_row]  # (1)
        return rates[of.rows]

    def jacobian(self) -> Array:
        of = self.of
        model = of.linear.at(self.sim)
        if self.keeps:
            rows = [*of.rows, of.speed_row]
            return np.column_stack([model.A[np.ix_(rows, of.free)], model.B[rows, of.inputs.index(THROTTLE)]])
        slopes = model.A.copy()
        speed = self.sim.x[of.places.state[of.speed_row]]
        loss = of.places.rates(self.sim.derivatives()[0])[of.speed_row]
        for i in of.rolling:
            slopes[i] -= self.sim.x[of.places.state[i]] / speed * model.A[of.speed_row]
            slopes[i, i] -= loss / speed
        return slopes[np.ix_(of.rows, of.free)]

    def save(self) -> tuple[Array, float]:
        return self.sim.x.copy(), self.sim.input(THROTTLE)

    def move(self, start: tuple[Array, float], step: Array) -> None:
        n = len(self.of.free)
        self.sim.x[:] = self.of.places.moved(start[0], self.of.free, step[:n])
        self.turn_about()
        if self.keeps:
            self.sim.set_inputs({THROTTLE: start[1] + step[n]})
