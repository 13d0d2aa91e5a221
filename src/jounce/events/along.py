"""Staying on a path: what events share that follow one.

The driver is a part (``jounce.components.driver.lateral`` and the kinds built on it), compiled into the model; an event
gives him his path, and what he knows of the car. Ratio and lock follow from its steering. With a small hand wheel
angle ±δ_H held for some seconds at a speed v the car runs on circles of the yaw rates ψ̇ and the side slips β of its
rear axle; what both ways together leave of the steer angle is the slip of the steered axle,

    C_f = ((δ_l − δ_r)/i − (β_l − β_r) − L (ψ̇_l − ψ̇_r)/v) / (v (ψ̇_l − ψ̇_r))                                       (1)

per lateral acceleration, with all that gives way in steering and suspension in it. The same turns tell how late the
car answers a step of the hand wheel, by which a driver who can (``anticipation``) looks further ahead:

    AC = ∫(1 − ψ̇/ψ̇_∞) dt                                                                                           (2)
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.core.errors import JounceError, ParameterError
from jounce.events.steering import BACKING, know_backing, know_preview
from jounce.events.straight import lock_of
from jounce.runtime.program import Channel, Constant, Open

if TYPE_CHECKING:
    from jounce.components.driver.lateral import Lateral
    from jounce.events.start import Start

STEERS, PATH, SPEED_FROM_PATH = "driver.steers", "driver.path", "driver.speed_from_path"
STATION, DISTANCE = "driving_machine_monitor.path_s", "driving_machine_monitor.path_distance"
TARGET_STATION = "driver.target_station"
SMALL = 1.5  # m/s², lateral acceleration of a neutral car in the turns of (1)
FASTEST, SLOWEST = 22.0, 8.0  # m/s, of these turns
SECONDS = 3.0
MOST_ANTICIPATION = 0.2  # s


def steerer(kind: str, **settings: Any) -> Lateral:
    """The driver who steers along a path, by his kind."""
    from jounce.components.driver.lateral import Lateral
    from jounce.core.part_registry import PARTS

    try:
        cls = PARTS.find("driver", kind)
    except ParameterError as found:
        raise ParameterError(f"driver {kind!r}: {found}") from None
    if not issubclass(cls, Lateral):
        raise ParameterError(f"driver {kind!r}: does not steer along a path")
    return cls(**settings)


def along(start: Start, kind: str, *, speed_from_path: bool = False, path: int = 0, **numbers: float) -> list[Channel]:
    """Channels of a phase in which a driver steers along a path; his numbers are set."""
    known = (whole_steering(start) if kind == BACKING else knowledge(start)) | numbers
    declared = {v.name for v in start.sim.model.parameters}
    given = {f"{kind}.{name}": value for name, value in known.items() if f"{kind}.{name}" in declared}
    start.sim.set_parameters({name: v for name, v in given.items() if name not in start.options.parameters})
    if f"{kind}.gains" in start.sim.model.tables:  # drivers by optimal preview
        know_preview(start, f"{kind}.") if kind != BACKING else know_backing(start, f"{kind}.")
    return [
        Open(STEERS, Constant(1.0)),
        Open(PATH, Constant(float(path))),
        Open(SPEED_FROM_PATH, Constant(float(speed_from_path))),
        Open("steering_wheel", Constant(start.steering)),
    ]


def whole_steering(start: Start) -> dict[str, float]:
    """Ratio and lock of the steering."""
    if start.description.places[0].steered is None:
        raise ParameterError("a driver of a path needs a steering, and the vehicle has none")
    ratio = start.steering_ratio
    if math.isnan(ratio):
        raise ParameterError(
            f"a driver of a path needs the ratio of the steering: {start.outside_problem or 'it is not a number'}"
        )
    if math.isinf(ratio):
        raise ParameterError("a driver of a path needs a steering whose wheels turn with the hand wheel")
    return {"steering_ratio": ratio, "lock": lock_of(start)}


def knowledge(start: Start) -> dict[str, float]:
    """What a driver of a path knows of the car."""
    known = whole_steering(start)
    try:
        known |= turns(start, known["steering_ratio"])
    except JounceError as found:
        start.warnings.append(f"the driver takes the tires of the steered axle for stiff: {found}")
    return known


def turns(start: Start, ratio: float) -> dict[str, float]:
    """C_f (1) and AC (2); the simulation is left as it was."""
    from jounce.sim.steady import roll

    sim, length = start.sim, start.vehicle.wheelbase
    here, program = sim.snapshot(), sim.program
    speed = min(max(start.event.speed, SLOWEST), FASTEST)
    turned = ratio * length * SMALL / speed**2
    found, late = [], []
    channels = ["driver.speed", "driver.yaw_rate", "driver.side_slip"]
    try:
        sim.set_program(None)
        for side in (1.0, -1.0):
            sim.restore(here)
            roll(sim, start.description, speed)
            run = start.held(
                SECONDS, {"steering_wheel": side * turned, STEERS: 0.0, "driver.active": 0.0}, channels=channels
            )
            found.append([float(run[name][-1]) for name in channels])
            rate, time = run["driver.yaw_rate"], run.time
            late.append(float(np.trapezoid(1 - rate / rate[-1], time)) if rate[-1] else 0.0)
    finally:
        sim.set_program(program)
        sim.restore(here)
    (v1, left, slip_left), (v2, right, slip_right) = found
    v, turning = 0.5 * (v1 + v2), left - right
    if not turning * turned > 0:
        raise JounceError("the car does not turn as it is steered")
    kinematic = 2 * turned / ratio - (slip_left - slip_right) - length * turning / v
    slip = max(float(kinematic / (v * turning)), 0.0)
    return {"front_slip": slip, "anticipation": min(max(0.5 * sum(late), 0.0), MOST_ANTICIPATION)}
