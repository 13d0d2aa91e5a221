"""Understeer budget: which part of the understeer gradient comes from what.

A car runs steadily at a speed, with the hand wheel a little to the left and to the right; all that follows is the
difference of both states over their difference of lateral acceleration. Of every wheel, the direction in which its
contact travels is slip angle plus steer, β_w = α_w + ψ_w. With the means over the wheels of an axle, steer that the
hand wheel makes (δ/i) taken apart, and β_f - β_r = L κ,

    K = d(δ/i - L κ)/da_y = Σ_axles s d(ᾱ + ψ̄)/da_y,    s = -1 front, +1 rear                                      (1)

exactly. ψ is taken apart by putting the travels, the steering and what gives way of one state into the other, one after
the other. α follows from dFy = Cα dα + Cγ dγ + C_F dFz of the tires as they stand,

    ᾱ = (m_axle a_y + (ΣdFy - m_axle a_y) - ΣCγ dγ - ΣC_F dFz)/ΣCα                                                   (2)

in this order: weight, moments (aligning moments, and air), camber, load transfer. What (1) and (2) leave over (sides
that differ, contacts that are not below the wheel centres) is told as rest. The sums over an axle are the cornering
compliances of [Bundorf1976], that of the rear axle with a minus.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from jounce.core.constants import GRAVITY
from jounce.core.errors import ParameterError
from jounce.sim import car, statics
from jounce.sim.steady import run_steadily

if TYPE_CHECKING:
    from jounce.runtime.simulation import Simulation
    from jounce.vehicle.schema import Vehicle

Array = npt.NDArray[np.float64]

HAND = math.radians(4.0)  # of the hand wheel, to either side
SPEED = 100 / 3.6
TERMS = ("weight", "moments", "camber", "load_transfer", "roll_steer", "compliance", "rest")
STEER = "steering_wheel"
SLIP, LOAD = math.radians(0.02), 20.0  # steps of the differences of tires: rad, N


@dataclass(frozen=True)
class Budget:
    """Terms of the gradient, rad per m/s²; understeer is positive."""

    terms: Mapping[tuple[str, str], float]  # by term and axle
    gradient: float
    speed: float

    def axle(self, word: str) -> float:
        """Sum of an axle: minus the cornering compliance of the rear one."""
        return math.fsum(value for (_, axle), value in self.terms.items() if axle == word)

    def in_degrees(self) -> dict[str, float]:
        """Terms, and their sum, in deg/g."""
        per_g = math.degrees(GRAVITY)
        named = {f"{term}_{axle}": per_g * value for (term, axle), value in self.terms.items()}
        return named | {"understeer_gradient": per_g * self.gradient}


def understeer_budget(vehicle: Vehicle, speed: float = SPEED) -> Budget:
    """The budget of a car with one steered axle, the first, and one behind it."""
    axles = vehicle.layout.axles
    if len(axles) != 2 or axles[0].data.steering is None or any(len(a.wheels) != 2 for a in axles):
        raise ParameterError("understeer budget: for cars with two axles of two wheels, the front one steered")
    return _Budgeting(vehicle, speed).budget()


class _Budgeting:
    def __init__(self, vehicle: Vehicle, speed: float) -> None:
        self.vehicle, self.speed = vehicle, speed
        self.description = car.describe(vehicle)
        self.sim: Simulation = car.simulation(self.description)
        statics.settle(self.sim, self.description)
        self.loads = {w: self.sim.output(f"Tire.Ground_Surface_Force_Z.{w}") for w in vehicle.layout.wheels}
        self.states = {}
        standing = self.sim.snapshot()
        for sign in (1.0, 0.0, -1.0):
            self.sim.restore(standing)
            self.sim.set_inputs({STEER: sign * HAND})
            run_steadily(self.sim, self.description, speed)
            self.states[sign] = (self.sim.x.copy(), self.sim.m.copy(), self.sim.u.copy())
        self.names = [v.name for v in self.sim.model.outputs]

    def _outputs(self, x: Array, m: Array, u: Array) -> dict[str, float]:
        return dict(zip(self.names, map(float, self.sim.outputs(x=x, m=m, u=u)), strict=True))

    def _difference(self, channel: str) -> float:
        return (self.found[1.0][channel] - self.found[-1.0][channel]) / 2

    def budget(self) -> Budget:
        self.found = {sign: self._outputs(*state) for sign, state in self.states.items()}
        a = self._difference("System_Mass_Center.Tracking_Ay")
        front, rear = self.vehicle.layout.axles
        by_hand = self._steer_by()
        ratio = HAND / float(np.mean([by_hand["hand"][w.name] for w in front.wheels]))
        curvature = self._difference("chassis_velocities.yaw") / self.speed
        gradient = (HAND / ratio - self.vehicle.wheelbase * curvature) / a
        terms: dict[tuple[str, str], float] = {}
        for axle, s in ((front, -1.0), (rear, 1.0)):
            wheels = [w.name for w in axle.wheels]
            slip = float(np.mean([self._difference(f"Tire.Lateral_Slip_With_Lag.{w}") for w in wheels]))
            slopes = {w: self._tire(w) for w in wheels}
            stiffness = math.fsum(c["alpha"] for c in slopes.values())
            force = math.fsum(self._difference(f"Tire.Ground_Surface_Force_Y.{w}") for w in wheels)
            weight = math.fsum(self.loads[w] for w in wheels) / GRAVITY * a
            camber = math.fsum(c["gamma"] * self._difference(f"Wheel.Inclination.{w}") for w, c in slopes.items())
            moved = math.fsum(
                c["load"] * self._difference(f"Tire.Ground_Surface_Force_Z.{w}") for w, c in slopes.items()
            )
            parts = {"weight": weight, "moments": force - weight, "camber": -camber, "load_transfer": -moved}
            angles = {name: value / stiffness for name, value in parts.items()}
            steer = {"roll_steer": by_hand["travel"], "compliance": by_hand["other"]}
            angles |= {name: float(np.mean([found[w] for w in wheels])) for name, found in steer.items()}
            angles["rest"] = slip - math.fsum(value / stiffness for value in parts.values())
            terms |= {(name, axle.word): s * value / a for name, value in angles.items()}
        # contacts are not below the wheel centres: what is left of L κ
        total = math.fsum(terms.values())
        terms["rest", rear.word] += gradient - total
        return Budget(terms, gradient, self.speed)

    def _steer_by(self) -> dict[str, dict[str, float]]:
        """Steer of each wheel by travel, by the hand wheel and by all else, per half of the difference of states."""
        known = {wheel.travel for wheel in self.vehicle.layout.wheels.values()}
        travels = [i for i, v in enumerate(self.sim.model.states) if v.name in known]
        result: dict[str, dict[str, float]] = {"travel": {}, "hand": {}, "other": {}}
        wheels = list(self.vehicle.layout.wheels)
        steps: dict[str, dict[float, dict[str, float]]] = {}
        for sign in (1.0, -1.0):
            x, m, u = (values.copy() for values in self.states[0.0])
            there = self.states[sign]
            stages = [("start", self._outputs(x, m, u))]
            x[travels] = there[0][travels]
            stages.append(("travel", self._outputs(x, m, u)))
            u[:] = there[2]
            stages.append(("hand", self._outputs(x, m, u)))
            stages.append(("other", self._outputs(*there)))
            for (_, before), (name, after) in pairwise(stages):
                change = {w: after[f"Wheel.Spindle_Steer.{w}"] - before[f"Wheel.Spindle_Steer.{w}"] for w in wheels}
                steps.setdefault(name, {})[sign] = change
        for name, both in steps.items():
            result[name] = {w: (both[1.0][w] - both[-1.0][w]) / 2 for w in wheels}
        return result

    def _tire(self, wheel: str) -> dict[str, float]:
        """Slopes of the lateral force over slip angle, inclination and load, as the wheel runs straight."""
        place = self.vehicle.layout.wheels[wheel]
        tire = self.description.tires[wheel]
        here = self.found[0.0]
        at = {
            "load": here[f"Tire.Ground_Surface_Force_Z.{wheel}"],
            "alpha": here[f"Tire.Lateral_Slip_With_Lag.{wheel}"],
            "gamma": here[f"Wheel.Inclination.{wheel}"],
        }
        kappa = here[f"Tire.Longitudinal_Slip_With_Lag.{wheel}"]
        side = "left" if place.side == "L" else "right"

        def force(**changes: float) -> float:
            p = at | changes
            f = tire.steady(p["load"], kappa, p["alpha"], p["gamma"], mounted=side, vx=self.speed)
            return float(f.fy)

        steps = {"alpha": SLIP, "gamma": SLIP, "load": LOAD}
        return {
            name: (force(**{name: at[name] + h}) - force(**{name: at[name] - h})) / (2 * h) for name, h in steps.items()
        }
