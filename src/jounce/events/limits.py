"""What a car can do: its own figures of steady cornering, braking and acceleration, found once for a vehicle.

Lateral acceleration from a ramp steer, deceleration from a stop, acceleration over the speed and top speed from a
standing start with the pedal down; figures of the library's cars where they are stored for the same data. Trains are
limited by what gives up first in a steady turn, in any of their units, and by the speed up to which their swings are
damped (``jounce.sim.train_limits``); their stop begins no faster than that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jounce.core.constants import GRAVITY
from jounce.core.errors import SimulationError
from jounce.sim.speed_profile import Limits

if TYPE_CHECKING:
    from jounce.sim.train_limits import TrainLimits
    from jounce.vehicle.schema import Vehicle

GRID = 1.0  # m/s, between speeds of the acceleration
WINDOW = 2.0  # m/s, over which it is a mean: gears change in between
FROM = 100 / 3.6  # m/s, of the stop and of the ramp steer

_known: dict[int, tuple[Vehicle, Limits]] = {}


def limits_of(vehicle: Vehicle) -> Limits:
    """Limits of a vehicle on a dry level road; remembered while the vehicle lives."""
    known = _known.get(id(vehicle))
    if known is not None and known[0] is vehicle:
        return known[1]
    speeds, driving = _driving(vehicle)
    top = float(speeds[-1])
    if len(vehicle.layout.units) > 1:
        train = _of_train(vehicle, top)
        top = min(top, train.fastest)
        lateral, braking = train.lateral, _braking(vehicle, min(FROM, 0.95 * top))
    else:
        lateral, braking = _stored(vehicle) or (_lateral(vehicle), _braking(vehicle))
    found = Limits(lateral, braking, speeds, driving, top)
    _known[id(vehicle)] = (vehicle, found)
    return found


def _stored(vehicle: Vehicle) -> tuple[float, float] | None:
    """Of a car of the library as it is."""
    from jounce.vehicle.library_figures import hash_of, stored
    from jounce.vehicle.reading import load

    entry = stored().get(vehicle.name)
    if entry is None or vehicle != load(vehicle.name) or entry["hash"] != hash_of(vehicle):
        return None
    figures = entry["figures"]
    return figures["ay_max"]["value"] * GRAVITY, figures["mfdd"]["value"]


def _lateral(vehicle: Vehicle) -> float:
    from jounce.events.engine import run
    from jounce.events.library.ramp_steer import RampSteer

    return run(vehicle, RampSteer()).figures["ay_max"][0] * GRAVITY


def _of_train(vehicle: Vehicle, top: float) -> TrainLimits:
    from jounce.sim import car as cars
    from jounce.sim.statics import settle
    from jounce.sim.train_limits import limits_of_train

    description = cars.describe(vehicle)
    sim = cars.simulation(description)
    settle(sim, description)
    return limits_of_train(sim, description, top)


def _braking(vehicle: Vehicle, speed: float = FROM) -> float:
    from jounce.events.engine import run
    from jounce.events.library.straight_braking import StraightBraking

    return run(vehicle, StraightBraking(speed=speed)).figures["mfdd"][0]


def _driving(vehicle: Vehicle) -> tuple[np.ndarray, np.ndarray]:
    """Speeds, and the mean acceleration around each with the pedal down."""
    from jounce.events.engine import run
    from jounce.events.library.straight_acceleration import StraightAcceleration

    channels = ["chassis_velocities.longitudinal"]
    done = run(vehicle, StraightAcceleration(final_speed=100.0, end_time=60.0), channels=channels, interval=0.05)
    speed = np.maximum.accumulate(np.asarray(done[channels[0]]))
    if speed[-1] < 2 * WINDOW:
        raise SimulationError(f"{vehicle.name}: with the pedal down it does not get away: {done.reason}")
    top = float(speed[-1])
    grid = np.append(np.arange(WINDOW, top - WINDOW, GRID), top)
    rising = np.flatnonzero(np.diff(speed, prepend=-1.0) > 1e-9)
    at = [np.interp(np.clip(grid + d, 0.05, top), speed[rising], done.time[rising]) for d in (-WINDOW / 2, WINDOW / 2)]
    driving = WINDOW / np.maximum(at[1] - at[0], 1e-3)
    driving[-1] = 0.0
    return grid, driving
