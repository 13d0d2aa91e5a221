"""Following a speed: what events share that keep one, or change it as they like.

The driver is a part (``jounce.components.driver.longitudinal``), compiled into the model; an event gives him a speed
over time, and what he knows of the car: mass, resistance, brakes. With the force F₀ of drive and brakes that keeps the
speed v₀ at the start, found by steady running, what he expects at the start is exact:

    A = F₀ − m g s − B v₀ − C v₀²                                                                                (1)

B and C, where the speed changes, from the drag and the rolling resistance of the car at a few speeds.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.components.basics import on_side
from jounce.core.constants import GRAVITY
from jounce.runtime.program import Channel, Constant, Open, Reference

if TYPE_CHECKING:
    from jounce.components.part import Part
    from jounce.events.start import Start

PREFIX = "longitudinal."  # of the numbers of the driver
ACTIVE, TARGET, BACKWARDS = "driver.active", "driver.target_speed", "driver.backwards"
ROBOT = {"throttle_rate": 50.0, "brake_rate": 50.0}  # 1/s: pedals of a driving robot
SPEEDS = (4.0, 10.0, 17.0, 26.0, 36.0)  # m/s, of the road load


def follower(**settings: Any) -> Part:
    """The driver who follows a speed; imported when one drives: figures of stored runs need no parts."""
    from jounce.components.driver.longitudinal import Longitudinal

    return Longitudinal(**settings)


def follow(start: Start, target: Reference, *, changes: bool = False, **numbers: float) -> list[Channel]:
    """Channels of a phase in which the driver follows a speed; ``changes``: whether it changes."""
    known = knowledge(start, changes) | numbers
    start.sim.set_parameters({f"{PREFIX}{name}": value for name, value in known.items()})
    given = [Open("throttle", Constant(start.throttle)), Open("brake", Constant(start.brake))]
    return [Open(ACTIVE, Constant(1.0)), Open(TARGET, target), *given]


def released() -> list[Channel]:
    """Channels of a phase in which the pedals are those of the event again."""
    return [Open(ACTIVE, Constant(0.0))]


def knowledge(start: Start, changes: bool) -> dict[str, float]:
    """What the driver knows of the car."""
    sim, vehicle = start.sim, start.vehicle
    wheels = start.description.wheels
    radius = float(np.mean([sim.output(f"Tire.Effective_Rolling_Radius.{name}") for name in wheels]))
    mass = vehicle.mass() + start.rotating_mass
    if vehicle.driveline is None and vehicle.drive.max_torque * start.throttle_per_acceleration > 0:
        # as the linear model says, with everything that gives way
        mass = vehicle.drive.max_torque / radius * start.throttle_per_acceleration
    outputs = {v.name for v in sim.model.outputs}
    moments = [f"{kind}.{name}" for kind in ("Wheel.Drive_Moment", "Brake_Moment") for name in wheels]
    keeps = math.fsum(sim.output(name) for name in moments if name in outputs) / radius
    load = road_load(start, radius) if changes else (0.0, 0.0, 0.0)
    v, way = abs(start.event.speed), -1.0 if start.event.speed < 0 else 1.0  # backwards as the driver counts in reverse
    keeps, rise = way * keeps, way * start.rise
    if start.running is not None:
        load = (keeps - vehicle.mass() * GRAVITY * rise - load[1] * v - load[2] * v * v, *load[1:])  # (1)
    return {
        "mass": mass,
        "weight": vehicle.mass() * GRAVITY,
        "radius": radius,
        "brake_force": brake_force(start, radius) or mass / max(start.brake_per_deceleration, 1e-9),
        "resistance": load[0],
        "resistance_linear": load[1],
        "resistance_square": load[2],
    }


def brake_force(start: Start, radius: float) -> float:
    """Of all brakes at full demand, N; 0 where it does not follow from the data."""
    brakes, total = start.vehicle.brakes, 0.0
    for wheel in start.description.wheels.values():
        brake: Any = wheel.axle.data.brake
        if brakes is None or brake is None:
            continue
        total += on_side(brake, wheel.side).full_moment(brakes.line_pressure(wheel.axle)) / radius
    return total


def road_load(start: Start, radius: float) -> tuple[float, float, float]:
    """A, B, C of drag and rolling resistance, by least squares over a few speeds; the simulation is left as it was."""
    from jounce.sim.steady import roll

    sim, names = start.sim, [v.name for v in start.sim.model.outputs]
    here = sim.x.copy(), sim.m.copy()  # no snapshot, which outside blocks may refuse
    rows, forces = [], []
    try:
        for v in SPEEDS:
            roll(sim, start.description, v)
            force = sim.output("aero_forces.drag_force") if "aero_forces.drag_force" in names else 0.0
            for wheel in start.description.wheels:
                force += abs(sim.output(f"Tire.Ground_Surface_Moment_Y.{wheel}")) / radius
            rows.append([1.0, v, v * v])
            forces.append(force)
    finally:
        sim.x[:], sim.m[:] = here
    a, b, c = np.linalg.lstsq(np.array(rows), np.array(forces), rcond=None)[0]
    return float(a), float(b), float(c)
