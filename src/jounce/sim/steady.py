"""Steady running: the state in which a car keeps its speed, found by Newton's method on exact Jacobians.

Unknowns are all states but place, heading and forward speed, and the throttle; all their rates vanish:

    v̇_x = 0 by the throttle;   v̇_y = ω̇_z = 0 by side slip and yaw rate;   v̇_z = ω̇_x = ω̇_y = J̈ = 0,
    Ω̇ = 0, contact deflections at rest                                                                       (1)

With the steering straight a symmetric car runs straight on; one that pulls to a side is found on its wide circle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from jounce.core.errors import StaticsError
from jounce.runtime.simulation import Simulation
from jounce.runtime.user_tire import in_analysis
from jounce.sim.car import Description, lineariser
from jounce.sim.equilibrium import Places, newton, rotation
from jounce.sim.statics import STEP_LIMITS
from jounce.vehicle.assembly import CORNERS, TWINS

Array = npt.NDArray[np.float64]

TOLERANCE = 1e-9  # largest rate left, SI
ITERATIONS = 30
LIMITS = {
    "jounce": STEP_LIMITS["jounce"],
    "chassis.z": STEP_LIMITS["z"],
    "spin": 5.0,
    "throttle": 0.3,
    ".u": 0.01,
    ".v": 0.01,
}
# Place, heading and speed are given; chassis.rz is the tangent angle of the heading.
GIVEN = ("chassis.x", "chassis.y", "chassis.rz", "chassis.vx")
WHEEL_ANGLE = ".tire.angle"  # of outside tires: grows with the spin, as the place does with the speed


@dataclass(frozen=True)
class Running:
    """A steady state: demand that keeps it, and how it was found."""

    speed: float
    throttle: float
    yaw_rate: float
    iterations: int
    residual: float


@in_analysis("quasi-static")
def run_steadily(
    sim: Simulation, description: Description, speed: float, normal: Sequence[float] = (0.0, 0.0, 1.0)
) -> Running:
    """Bring a car that stands in equilibrium to steady running at a speed (m/s, not zero) with its present steering.

    ``normal`` is that of the ground, along which the car moves. The throttle found may be negative (downhill, or
    backwards): the caller decides whether brakes do that.
    """
    if description.relaxation == "exact":
        raise StaticsError(
            "steady running is found with tires that relax by states; with relaxation 'exact' take over its state "
            "(jounce.sim.car.take_over)"
        )
    roll(sim, speed)
    linear = lineariser(description)
    names = tuple(linear.notes["states"])
    places = Places(sim, names)
    # the rates of wheel travel and of inclination are states, and held at zero
    turning = {i for i, name in enumerate(names) if name.endswith(WHEEL_ANGLE)}
    held = turning | {i for i, n in enumerate(names) if n in GIVEN or _is_rate_of_position(n, names)}
    free = [i for i in range(len(names)) if i not in held]
    rows = [i for i, n in enumerate(names) if i in places.state and not _is_position(n, names) and i not in turning]
    throttle = linear.notes["inputs"].index("throttle")
    limits = np.array([*(_limit(names[i]) for i in free), LIMITS["throttle"]])

    # along the ground: ż = ẋ dz/dx + ẏ dz/dy
    along = np.eye(len(names))
    z = names.index("chassis.z")
    along[z, names.index("chassis.x")], along[z, names.index("chassis.y")] = (n / normal[2] for n in normal[:2])
    along = along[rows]

    class Steady:
        """States and throttle as unknowns, rates as equations (1)."""

        def residual(self) -> Array:
            return along @ places.rates(sim.derivatives()[0])

        def jacobian(self) -> Array:
            model = linear.at(sim)
            return along @ np.column_stack([model.A[:, free], model.B[:, throttle]])

        def save(self) -> tuple[Array, float]:
            return sim.x.copy(), sim.input("throttle")

        def move(self, start: tuple[Array, float], step: Array) -> None:
            sim.x[:] = places.moved(start[0], free, step[:-1])
            _turn_about(sim, normal)
            sim.set_inputs({"throttle": start[1] + step[-1]})

    _turn_about(sim, normal)
    found = newton(Steady(), limits, TOLERANCE, ITERATIONS)
    if found.converged:
        return Running(speed, sim.input("throttle"), sim.state("chassis.wz"), found.iterations, found.size)
    raise StaticsError(
        f"no steady running at {speed:g} m/s: the rate of {names[rows[found.worst]]!r} stays at {found.size:.3g} "
        f"(allowed {TOLERANCE:g}); the car may lack the drive torque for this speed"
    )


def roll(sim: Simulation, speed: float) -> None:
    """Give a car a speed, its wheels turning with it; a twin wheel so that its tires drive and brake it equally.

    With slip stiffnesses about proportional to the loads, Σ Fz_i (Ω R_i - v) R_i = 0 there.
    """
    sim.set_states({"chassis.vx": speed})
    spins = {}
    for corner in CORNERS:
        radius = sim.output(f"Tire.Effective_Rolling_Radius.{corner}")
        spin = speed / radius
        twin = TWINS.get(corner, "")
        if f"{twin}.offset" in sim.parameters:
            radii = np.array([radius, sim.output(f"Tire.Effective_Rolling_Radius.{twin}")])
            loads = np.array([max(sim.output(f"Tire.Ground_Surface_Force_Z.{t}"), 0.0) for t in (corner, twin)])
            loads = loads if loads.sum() > 0 else np.ones(2)
            spin = speed * float(loads @ radii / (loads @ radii**2))
        spins[f"{corner}.wheel.spin"] = spin
    sim.set_states(spins)


def _turn_about(sim: Simulation, normal: Sequence[float]) -> None:
    """Angular velocity of a body that turns without rolling and pitching: along the normal of the ground."""
    first = sim.model.quaternions[0]
    axis = np.asarray(normal) @ rotation(sim.x[first : first + 4])
    rate = sim.state("chassis.wz") / axis[2]
    sim.set_states({"chassis.wx": rate * axis[0], "chassis.wy": rate * axis[1]})


def _is_position(name: str, names: Sequence[str]) -> bool:
    return _rate(name) in names or name in ("chassis.x", "chassis.y")


def _is_rate_of_position(name: str, names: Sequence[str]) -> bool:
    return name in ("chassis.wx", "chassis.wy") or any(_rate(n) == name for n in names)


def _rate(name: str) -> str:
    """Name of the state that is the rate of another: ``L1.jounce.rate``, ``split.torsion.rate`` of ``….angle``."""
    first, _, last = name.rpartition(".")
    return f"{first}.rate" if last in ("angle", "shift") else f"{name}.rate"


def _limit(name: str) -> float:
    return next((value for part, value in LIMITS.items() if name.endswith(part)), np.inf)
