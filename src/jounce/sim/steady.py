"""Steady running: the state in which a vehicle keeps its speed, found by Newton's method on exact Jacobians.

Built from the roles of states (``core/roles.py``): unknowns are all that balance, drift or are strained, and the drive
demand; their rates vanish, as do the accelerations of all balancing coordinates,

    v̇_x = 0 by the throttle;   v̇_y = ω̇_z = 0 by side slip and yaw rate;   v̇_z = ω̇_x = ω̇_y = J̈ = 0,
    Ω̇ = 0, contact deflections at rest, …                                                                     (1)

With the steering straight a symmetric car runs straight on; one that pulls to a side is found on its wide circle.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError, StaticsError
from jounce.runtime.simulation import Simulation
from jounce.runtime.user_tire import in_analysis
from jounce.sim.car import Description, lineariser
from jounce.sim.equilibrium import Places, followed, newton, rotation
from jounce.sim.linear import Lineariser
from jounce.sim.statics import HEIGHT_STEP, ROUNDING, STEP_LIMITS

Array = npt.NDArray[np.float64]

TOLERANCE = 1e-9  # largest rate left, SI
ITERATIONS = 30
SPIN_STEP, THROTTLE_STEP, STRAIN_STEP = 5.0, 0.3, 0.01  # largest changes in one step, SI
KNOWN = ("balance", "drift", "strain")  # roles of unknowns
THROTTLE, BRAKE = "throttle", "brake"
PEDAL_DOWN = 0.1  # where a search begins again
BRAKES = 0.03  # the same with the brake, which does nothing at zero


@dataclass(frozen=True)
class Running:
    """A steady state: demand that keeps it, and how it was found."""

    speed: float
    throttle: float
    yaw_rate: float
    iterations: int
    residual: float
    brake: float = 0.0  # where the speed is not kept without: downhill, or with an engine that idles faster


@in_analysis("quasi-static")
def run_steadily(
    sim: Simulation, description: Description, speed: float, normal: Sequence[float] = (0.0, 0.0, 1.0)
) -> Running:
    """Bring a car that stands in equilibrium to steady running at a speed (m/s, not zero) with its present steering.

    ``normal`` is that of the ground, along which the car moves. The throttle found may be negative (downhill, or
    backwards): the caller decides whether brakes do that. One vehicle, with one drive demand.
    """
    if description.relaxation == "exact":
        raise StaticsError(
            "steady running is found with tires that relax by states; with relaxation 'exact' take over its state "
            "(jounce.sim.car.take_over)"
        )
    if len(description.vehicles) != 1:
        raise ParameterError("steady running: several vehicles; bring each alone to its speed and take over its state")
    linear = lineariser(description)
    names = tuple(linear.notes["states"])
    places, rest = Places(sim, names), linear.rest
    roles: list[str] = rest["roles"]
    (body,) = rest["bodies"]
    roll(sim, description, speed)
    partners = dict(rest["partners"])
    free = [i for i, role in enumerate(roles) if role in KNOWN]
    # rates of unknowns and of the given speed; of a coordinate that of its speed, and its own unless that stands still
    rows = {i for i in free if i not in partners} | {i for i, role in enumerate(roles) if role == "speed"}
    rows |= {partners[i] for i in free if i in partners}
    rows |= {i for i in free if i in partners and roles[partners[i]] != "zero" and i in places.state}
    chosen = sorted(rows)
    pedals = {name: i for i, name in enumerate(linear.notes["inputs"]) if name in (THROTTLE, BRAKE)}
    units = {v.name: v.unit for v in sim.model.states}
    limits = np.array([*(_limit(i, names, roles, units, body) for i in free), THROTTLE_STEP])

    # along the ground: ż = ẋ dz/dx + ẏ dz/dy
    x, y, z = body["position"]
    along = np.eye(len(names))
    along[z, x], along[z, y] = (n / normal[2] for n in normal[:2])
    along = along[chosen]
    first = places.quaternion[body["tilt"][0]][0]
    turning = [places.state[i] for i in body["turning"]]

    def turn_about() -> None:
        """Angular velocity of a body that turns without rolling and pitching: along the normal of the ground."""
        axis = np.asarray(normal) @ rotation(sim.x[first : first + 4])
        sim.x[turning[:2]] = sim.x[turning[2]] / axis[2] * axis[:2]

    class Steady:
        """States and a pedal as unknowns, rates as equations (1)."""

        def __init__(self, pedal: str = THROTTLE) -> None:
            self.pedal = pedal

        def residual(self) -> Array:
            return along @ places.rates(sim.derivatives()[0])

        def jacobian(self) -> Array:
            model = linear.at(sim)
            return along @ np.column_stack([model.A[:, free], model.B[:, pedals[self.pedal]]])

        def save(self) -> tuple[Array, float]:
            return sim.x.copy(), sim.input(self.pedal)

        def move(self, start: tuple[Array, float], step: Array) -> None:
            sim.x[:] = places.moved(start[0], free, step[:-1])
            turn_about()
            sim.set_inputs({self.pedal: start[1] + step[-1]})

    turn_about()
    begin = Steady().save()
    found = followed(sim, lambda: newton(Steady(), limits, TOLERANCE, ITERATIONS, ROUNDING))
    if not found.converged:  # with the pedal up a motor coasts, and does not feel a small throttle: begin with one
        sim.x[:] = begin[0]
        sim.set_inputs({THROTTLE: PEDAL_DOWN})
        found = followed(sim, lambda: newton(Steady(), limits, TOLERANCE, ITERATIONS, ROUNDING))
    faster = False
    if not found.converged:
        sim.x[:] = begin[0]
        sim.set_inputs({THROTTLE: 0.0})
        faster = places.rates(sim.derivatives()[0])[body["velocity"][0]] * np.sign(speed) > 0
        if BRAKE in pedals:  # an idling engine pushes it, or the road falls: brakes hold the speed
            sim.set_inputs({BRAKE: BRAKES})
            found = followed(sim, lambda: newton(Steady(BRAKE), limits, TOLERANCE, ITERATIONS, ROUNDING))
            if found.converged and not sim.input(BRAKE) > 0:
                found = replace(found, converged=False)
            if not found.converged:
                sim.set_inputs({BRAKE: 0.0})
    if found.converged:
        spin = float(sim.x[turning[2]])
        brake = sim.input(BRAKE) if BRAKE in pedals else 0.0
        return Running(speed, sim.input(THROTTLE), spin, found.iterations, found.size, brake)
    if faster:
        why = "with the pedal up it goes faster by itself: an idling engine pushes it, or the road falls"
    else:
        why = "the car may lack the drive torque for this speed"
    raise StaticsError(
        f"no steady running at {speed:g} m/s: the rate of {names[chosen[found.worst]]!r} stays at {found.size:.3g} "
        f"(allowed {TOLERANCE:g}); {why}"
    )


def roll(sim: Simulation, description: Description, speed: float) -> None:
    """Give all bodies a speed, with wheels that roll freely."""
    linear: Lineariser = lineariser(description)
    places, rest = Places(sim, linear.notes["states"]), linear.rest
    for body in rest["bodies"]:
        sim.x[places.state[body["velocity"][0]]] = speed
    turning = [places.state[i] for i in rest["rolling"]]
    sim.x[turning] = linear.limits_and_rolling(sim)[1]
    following = [i for i, v in enumerate(sim.model.memories) if v.role == "follow"]
    if following:  # such as the gear that fits the speed, by which an engine turns
        sim.m[following] = sim.derivatives()[1][following]
        sim.x[turning] = linear.limits_and_rolling(sim)[1]


def _limit(
    i: int, names: Sequence[str], roles: Sequence[str], units: dict[str, str], body: dict[str, list[int]]
) -> float:
    """Largest change of an unknown in one step."""
    unit = units.get(names[i], "")
    if i == body["position"][2]:
        return HEIGHT_STEP
    if roles[i] == "strain":
        return STRAIN_STEP
    if roles[i] == "drift" and i not in body["velocity"] and i not in body["turning"]:
        return SPIN_STEP if unit == "rad/s" else math.inf
    return STEP_LIMITS["m"] if roles[i] == "balance" and unit == "m" else math.inf
