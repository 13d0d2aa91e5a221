"""Ride heights over speed and over axle load: maps for models of a car that have no suspension.

    over speed    a coast-down on a level straight, without drive or brakes, from a high to a low speed. Ride heights
                  are those of the moment, with the deceleration that drag and rolling resistance make. Or, one by one,
                  steady running at each speed, in which drive forces hold the car against drag
    over load     a standing car whose body is pressed down above each axle, from a share of the load at rest to
                  another; every point is left to settle

Front and rear ride heights are those of the sensors of aerodynamics (``aero_forces.height_front``, ``…height_rear``;
``components/suspension/ride_height.py`` (1)). Over load both axles are pressed by the same share at a time. Forces on
the body make the change ΔF of the loads of the axles at distances a before and b behind its centre of gravity:

    F_z = −(ΔF_front + ΔF_rear),   M_y = a ΔF_front − b ΔF_rear                                                      (1)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from jounce.components.aero.air import RideHeightMaps
from jounce.core.errors import ModelError, ParameterError

if TYPE_CHECKING:
    from jounce.runtime.simulation import Simulation
    from jounce.sim.car import Description
    from jounce.vehicle.schema import Vehicle

Array = npt.NDArray[np.float64]

HEIGHTS = ("aero_forces.height_front", "aero_forces.height_rear")
SETTLING = 2.0  # s of a coast-down that are left out: the car has just been let go
LOADS = ("Ext_Ground.force.Z", "Ext_Ground.moment.Y")
STILL = 1e-7  # m, by which a settled ride height changes in the time that a point takes


@dataclass(frozen=True)
class RideHeights:
    """Ride heights of both sensors, and what they belong to; SI."""

    front: Array
    rear: Array
    front_load: Array
    rear_load: Array
    speed: Array | None = None

    def maps(self) -> dict[str, Any]:
        """Keys of `aero.ride_heights`."""
        pairs = {"front_by_load": (self.front_load, self.front), "rear_by_load": (self.rear_load, self.rear)}
        if self.speed is not None:
            pairs = {"front": (self.speed, self.front), "rear": (self.speed, self.rear)}
        found = {}
        for name, (x, y) in pairs.items():
            order = np.argsort(x)
            found[name] = {"x": x[order].tolist(), "y": y[order].tolist()}
        return found

    def onto(self, vehicle: Vehicle) -> Vehicle:
        """The vehicle with these maps; maps of the other kind stay."""
        assert vehicle.aero is not None
        kept = vehicle.aero.ride_heights or RideHeightMaps.model_validate({})
        there = {name: value for name in type(kept).model_fields if (value := getattr(kept, name)) is not None}
        return vehicle.with_(**{"aero.ride_heights": {**there, **self.maps()}})


def over_speed(vehicle: Vehicle, speeds: Sequence[float], *, coast: bool = True) -> RideHeights:
    """Ride heights at speeds, m/s.

    Parameters
    ----------
    vehicle : with aerodynamics, which say where ride heights are measured
    speeds : at least two
    coast : by a coast-down from above the highest to the lowest of them; otherwise by steady running at each
    """
    _check(vehicle)
    wanted = np.array(sorted({float(speed) for speed in speeds}))
    if len(wanted) < 2 or wanted[0] <= 0:
        raise ParameterError(f"speeds = {list(speeds)!r}; expected two or more, all above zero")
    return _coasting(vehicle, wanted) if coast else _steady(vehicle, wanted)


def _coasting(vehicle: Vehicle, wanted: Array) -> RideHeights:
    from jounce.events.engine import run
    from jounce.events.library.coast_down import CoastDown

    first = 1.02 * wanted[-1] + 2.0
    for _ in range(6):  # faster, until the highest speed comes after the start has settled
        done = run(vehicle, CoastDown(speed=first, end_speed=0.98 * wanted[0], end_time=3600.0))
        speed = np.asarray(done["chassis_velocities.longitudinal"])
        later = np.asarray(done.time) >= done.time[0] + SETTLING
        if speed[later][0] >= wanted[-1]:
            break
        first += 1.3 * (wanted[-1] - speed[later][0]) + 1.0
    else:
        raise ModelError(f"coast-down: the car slows down too fast to be settled at {wanted[-1]:g} m/s")
    if speed[-1] > wanted[0]:
        raise ModelError(f"coast-down: ended at {speed[-1]:g} m/s, before {wanted[0]:g} m/s was reached")
    along = speed[later][::-1]

    def at(values: Any) -> Array:
        found: Array = np.interp(wanted, along, np.asarray(values)[later][::-1])
        return found

    names = [[wheel.name for wheel in axle.wheels] for axle in _ends(vehicle)]
    loads = [at(sum(np.asarray(done[f"Tire.Ground_Surface_Force_Z.{name}"]) for name in axle)) for axle in names]
    return RideHeights(at(done[HEIGHTS[0]]), at(done[HEIGHTS[1]]), loads[0], loads[1], wanted)


def _steady(vehicle: Vehicle, wanted: Array) -> RideHeights:
    from jounce.sim import car
    from jounce.sim.statics import settle
    from jounce.sim.steady import run_steadily

    description = car.describe(vehicle)
    rows = []
    for speed in wanted:
        sim = car.simulation(description)
        settle(sim, description)
        run_steadily(sim, description, float(speed))
        rows.append(_told(sim, vehicle))
    columns = np.array(rows).T
    return RideHeights(columns[0], columns[1], columns[2], columns[3], wanted)


def over_load(
    vehicle: Vehicle, low: float = 0.6, high: float = 1.6, points: int = 11, *, duration: float = 4.0
) -> RideHeights:
    """Ride heights over axle loads.

    Parameters
    ----------
    vehicle : with aerodynamics, which say where ride heights are measured
    low, high : first and last load, as shares of that at rest
    points : how many
    duration : s that every point is given to settle
    """
    _check(vehicle)
    if not 0 < low < high or points < 2:
        raise ParameterError(f"low = {low:g}, high = {high:g}, points = {points}; expected 0 < low < high, two points")
    from jounce.sim import car
    from jounce.sim.statics import settle

    description = car.describe(vehicle, inputs=LOADS)
    sim = car.simulation(description)
    settle(sim, description)
    rest = _told(sim, vehicle)
    centre = float(vehicle.main_body.sprung()[0][1][0])
    front, rear = _ends(vehicle)
    rows = []
    for share in np.linspace(low, high, points):
        more = [(share - 1.0) * load for load in rest[2:]]
        force, moment = -sum(more), (front.x - centre) * more[0] - (centre - rear.x) * more[1]  # (1)
        sim.set_inputs(dict(zip(LOADS, (force, moment), strict=True)))
        rows.append(_settled(sim, description, vehicle, duration))
    columns = np.array(rows).T
    return RideHeights(columns[0], columns[1], columns[2], columns[3])


def _settled(sim: Simulation, description: Description, vehicle: Vehicle, duration: float) -> list[float]:
    """Ride heights and loads once they do not change any more."""
    before = _told(sim, vehicle)
    for _ in range(10):
        sim.advance(round(duration / sim.step))
        now = _told(sim, vehicle)
        if max(abs(a - b) for a, b in zip(now[:2], before[:2], strict=True)) < STILL:
            return now
        before = now
    raise ModelError(f"ride heights over load: not settled after {10 * duration:g} s; give it a longer duration")


def _told(sim: Simulation, vehicle: Vehicle) -> list[float]:
    """Front and rear ride height, front and rear axle load."""
    loads = [
        sum(sim.output(f"Tire.Ground_Surface_Force_Z.{wheel.name}") for wheel in axle.wheels) for axle in _ends(vehicle)
    ]
    return [*(sim.output(name) for name in HEIGHTS), *loads]


def _ends(vehicle: Vehicle) -> tuple[Any, Any]:
    axles = vehicle.layout.units[0].axles
    return axles[0], axles[-1]


def _check(vehicle: Vehicle) -> None:
    if vehicle.aero is None:
        raise ParameterError("ride heights: the vehicle has no aerodynamics, which say where they are measured")
    if any(wheel.twin for wheel in vehicle.layout.wheels.values()) or len(vehicle.layout.axles) != 2:
        raise ParameterError("ride heights: for cars with two axles and single tires")
