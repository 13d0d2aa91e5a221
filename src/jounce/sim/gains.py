"""Acceleration per demand of a rolling car, from its exact linearisation.

With the forward speed v and all other states z but place and heading, both as deviations from where the car runs, and
a demand u (throttle or brake),

    v̇ = a v + c·z + b u,    ż = A_v v + A_z z + B u                                                           (1)

Neighbouring steady states, in which z has come to rest for a speed, lie along

    z = h v,    A_v + A_z h = 0                                                                               (2)

so that h says how spins grow with the speed (1/r of a rolling wheel), and how contacts, travels and pitch follow it. A
car that gathers speed evenly stays beside that line: v̇ = α and ż = α h with constant offsets. At v = 0, (1) reads

    A_z z + B u = α h,    c·z + b u = α                                                                       (3)
    α/u = (b - c·A_z⁻¹ B)/(1 - c·A_z⁻¹ h)                                                                     (4)

For a mass m on wheels of radius r and spin inertia I this is 1/(m r + I/r) per torque. (4) is the acceleration that is
left when everything faster than the speed itself has followed; how drag grows while the speed does is no part of it.

A brake is a friction element: its torque is the limit that the demand sets, and has no derivative at demand zero, where
it changes its kind. It is linearised just applied, with the wheels turning. Tires at rest hold a car by their rolling
resistance, whatever small demand: a car that stands is given a speed for both.

Ours; the first-order slow manifold of a system of two time scales, as in [Kokotovic1999] chapter 2. Not modelled: what
is switched between here and the demands that follow (slip control, saturation).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from jounce.runtime.simulation import Simulation
from jounce.runtime.user_tire import in_analysis
from jounce.sim.car import Description, lineariser
from jounce.sim.equilibrium import Places, least_squares
from jounce.sim.linear import LinearModel
from jounce.sim.steady import follows_speed, roll

Array = npt.NDArray[np.float64]

JUST_APPLIED = 0.01  # demand at which brakes are linearised
ROLLING = 5.0  # m/s: a slower car is linearised at this speed, where the wheels turn for certain


@dataclass(frozen=True)
class Gains:
    """Accelerations along the road per unit of demand, m/s²; positive drives forwards, or brakes."""

    throttle: float
    brake: float


@in_analysis("quasi-static")
def gains(sim: Simulation, description: Description) -> Gains:
    """Gains of a car where it runs; the simulation is left as it was.

    The linearisation is that of statics and steady running: nothing is compiled for it.
    """
    here = sim.snapshot()
    linear = lineariser(description)
    roles: list[str] = linear.rest["roles"]
    try:
        speed = Places(sim, linear.notes["states"]).state[roles.index("speed")]
        if abs(sim.x[speed]) < ROLLING:
            roll(sim, description, ROLLING)
        throttle = acceleration_per_demand(roles, linear.at(sim), "throttle")
        way = np.sign(sim.x[speed])
        sim.set_inputs({"brake": JUST_APPLIED})
        brake = -way * acceleration_per_demand(roles, linear.at(sim), "brake")
    finally:
        sim.restore(here)
    return Gains(throttle, float(brake))


def acceleration_per_demand(roles: Sequence[str], model: LinearModel, demand: str) -> float:
    """Even acceleration per unit of an input (4): all states follow but place, speed and what may move freely."""
    speed = list(roles).index("speed")
    others = [i for i, role in enumerate(roles) if role not in ("place", "speed", "free")]
    column = model.inputs.index(demand)
    entry = model.B[others, column]
    if not entry.any() and not model.B[speed, column]:
        return 0.0
    following = follows_speed(roles, model)[others]  # (2)
    offsets, shift = least_squares(model.A[np.ix_(others, others)], entry, following)  # A_z⁻¹ B, A_z⁻¹ h
    along = model.A[speed, others]
    return float((model.B[speed, column] - along @ offsets) / (1 - along @ shift))  # (4)
