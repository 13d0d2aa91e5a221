"""A car whose behaviour is known in closed form: linear springs, dampers and tires, wheels that stay upright.

Every number is different and none is zero where it counts. What a case looks at is switched on by numbers alone, so
that all cases share one compiled model: compliance by ``factor``, air by ``scale``, bars by ``stiffness``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import jounce.vehicle as jv
from jounce.components.tire.base import Tire
from jounce.runtime.simulation import Simulation
from jounce.sim import car, statics

WHEELBASE, FRONT_TRACK, REAR_TRACK = 2.71, 1.53, 1.49  # m
RADIUS, TIRE_RATE = 0.307, 2.3e5  # m at rest, N/m
SPRUNG, CENTRE, HEIGHT = 1310.0, -1.17, 0.53  # kg, m behind the front axle (negative), m above the ground
FRONT_RATE, REAR_RATE, FRONT_RATIO, REAR_RATIO = 61e3, 47e3, 0.71, 0.83  # N/m of springs, spring travel per wheel's
BAR, BAR_RATIO = 1300.0, 2.9  # N.m/rad, rad/m
UNSPRUNG = (39.0, 36.0)  # kg of a wheel, front and rear
STEERING = 0.0631  # rad of the wheels per rad of the hand wheel
CORNERING = (61e3, 74e3)  # N/rad of a tire, front and rear
RELAXATION = (0.21, 0.27)  # m
WHEELS = ("L1", "R1", "L2", "R2")

# Deflections of a front wheel by lateral force and aligning moment, of a rear wheel by lateral force
COMPLIANCE = ({"toe": {"fy": 1.1e-6, "mz": -4.3e-5}, "camber": {"fy": -3.1e-6}}, {"toe": {"fy": 3.7e-7}})


def _axle(number: int) -> dict[str, Any]:
    front = number == 1
    ratio, rate = (FRONT_RATIO, FRONT_RATE) if front else (REAR_RATIO, REAR_RATE)
    away = CENTRE + WHEELBASE if front else -CENTRE  # of the other axle from the centre of gravity
    load = SPRUNG * 9.80665 * away / WHEELBASE / 2
    found: dict[str, Any] = {
        "track": FRONT_TRACK if front else REAR_TRACK,
        "wheel_centre_x": 0.0 if front else -WHEELBASE,
        "spring": {"rate": rate, "preload": load / ratio, "ratio": ratio},
        "dampers": [{"name": "main", "rate": 2900.0 if front else 2300.0, "ratio": 0.9 if front else 0.87}],
        "compliance": {**COMPLIANCE[number - 1], "factor": 0.0},
    }
    if front:
        found["anti_roll_bar"] = {"stiffness": BAR, "ratio": BAR_RATIO}
    return found


def _wheels(number: int) -> dict[str, Any]:
    mass = UNSPRUNG[number - 1]
    return {
        "unsprung_mass": mass, "ixx": 0.021 * mass, "iyy": 0.033 * mass, "izz": 0.021 * mass, "spin_inertia": 0.9,
        "wheel_centre_height": RADIUS, "tire": "compact_205_55r16",
    }  # fmt: skip


RAW: dict[str, Any] = {
    "name": "reference car",
    "body": {
        "mass": SPRUNG,
        "cg": [CENTRE, 0.0, HEIGHT],
        "inertia": {"ixx": 430.0, "iyy": 1870.0, "izz": 1990.0},
        "added_masses": [{"name": "load", "mass": 1e-6, "location": [-2.1, 0.4, 0.7]}],
    },
    "front_suspension": _axle(1),
    "rear_suspension": _axle(2),
    "front_wheels": _wheels(1),
    "rear_wheels": _wheels(2),
    "steering": {"input": "wheel_angle", "method": "toe_table", "steer": STEERING},
    "brakes": {
        "bias_front": 0.5,
        "master_cylinder_pressure_gain": 16e6,
        "front": {"mu": 0.4, "effective_radius": 0.117, "piston_area": 2.3e-3, "lockup_damping_ratio": 0.0},
        "rear": {"mu": 0.4, "effective_radius": 0.113, "piston_area": 0.95e-3, "lockup_damping_ratio": 0.0},
    },
    "drive": {"max_torque": 1700.0, "L2": 0.5, "R2": 0.5},
    "aero": {
        "air_density": 1.2,
        "drag": {"area": 0.67, "location": [-1.2, 0.0, 0.6], "scale": 0.0},
        "front_downforce": {"area": 0.11, "location": [0.0, 0.0, 0.3], "scale": 0.0},
        "rear_downforce": {"area": 0.23, "location": [-2.71, 0.0, 0.3], "scale": 0.0},
    },
}


@lru_cache
def _plain() -> jv.Vehicle:
    return jv.Vehicle.model_validate(RAW)


def vehicle(**changes: Any) -> jv.Vehicle:
    """The car with other numbers; paths with ``__`` for dots."""
    return _plain().with_(**{path.replace("__", "."): value for path, value in changes.items()})


# A trailer of one axle: its centre of gravity and its axle behind the ball, which is behind the car
BALL, TOWED_MASS, TOWED_CENTRE, TOWED_AXLE, TOWED_YAW = -3.6, 890.0, -2.95, -3.17, 1410.0  # m, kg, m, m, kg.m2
TOWED_CORNERING, TOWED_RELAXATION, TOWED_WHEEL = 43e3, 0.23, 31.0  # N/rad, m, kg


def train(ball: float = BALL, **changes: Any) -> jv.Vehicle:
    """The car with a trailer."""
    axle = _axle(2) | {"wheel_centre_x": TOWED_AXLE, "track": 1.57, "compliance": None}
    load = 9.80665 * TOWED_MASS * TOWED_CENTRE / TOWED_AXLE / 2
    axle["spring"] = {"rate": 52e3, "preload": load / 0.79, "ratio": 0.79}
    wheels = _wheels(2) | {"unsprung_mass": TOWED_WHEEL, "ixx": 0.7, "iyy": 1.0, "izz": 0.7}
    unit = {
        "name": "trailer",
        "hitch": {"kind": "joint", "location": [ball, 0.0, 0.4]},
        "body": {
            "mass": TOWED_MASS,
            "cg": [TOWED_CENTRE, 0.0, 0.6],
            "inertia": {"ixx": 310.0, "iyy": 1330.0, "izz": TOWED_YAW},
        },
        "axles": [{"suspension": axle, "wheels": wheels}],
    }
    found = jv.Vehicle.model_validate({**RAW, "name": "reference car and trailer", "trailers": [unit]})
    return found.with_(**{path.replace("__", "."): value for path, value in changes.items()})


def train_tires(**values: float) -> dict[str, Tire]:
    """Those of the car, and those of the trailer."""
    own = {"CALPHA": TOWED_CORNERING, "RELAX_LENGTH_Y": TOWED_RELAXATION}
    load = 9.80665 * (TOWED_MASS * TOWED_CENTRE / TOWED_AXLE / 2 + TOWED_WHEEL)
    tire = _linear(load, own | values, 3)
    return tires(**values) | {"L3": tire, "R3": tire}


def _linear(load: float, values: dict[str, float], number: int) -> Tire:
    from jounce.components.tire.linear import Linear

    numbers = {
        "UNLOADED_RADIUS": RADIUS + load / TIRE_RATE, "VERTICAL_STIFFNESS": TIRE_RATE, "VERTICAL_DAMPING": 0.0,
        "FNOMIN": 4000.0, "CSLIP": 1.1e5, "RELAX_LENGTH_X": 0.1, "FRICTION": 3.0,
    }  # fmt: skip
    model = Linear(mode=14)
    return Tire(model, model.complete(numbers | values), side="left", name=f"linear {number}")


def tires(**values: float) -> dict[str, Tire]:
    """Linear tires, those in front other than those behind."""
    found: dict[str, Tire] = {}
    for number in (0, 1):
        own = {"CALPHA": CORNERING[number], "RELAX_LENGTH_Y": RELAXATION[number]}
        tire = _linear(_weight(number) / 2, own | values, number + 1)
        found |= {f"{side}{number + 1}": tire for side in "LR"}
    return found


def _weight(number: int) -> float:
    """On an axle at rest, N."""
    away = CENTRE + WHEELBASE if number == 0 else -CENTRE
    return 9.80665 * (SPRUNG * away / WHEELBASE + 2 * UNSPRUNG[number])


def description(car_: jv.Vehicle | None = None, **values: float) -> car.Description:
    """Of the car on a level plane; ``values`` of its tires."""
    return car.describe(vehicle() if car_ is None else car_, tires(**values), ground="inclined")


def at_rest(found: car.Description) -> Simulation:
    """Standing."""
    sim = car.simulation(found)
    statics.settle(sim, found)
    return sim


def rolling(sim: Simulation, speed: float) -> Simulation:
    """At a speed, its wheels turning with it."""
    sim.set_states({"chassis.vx": speed})
    sim.set_states(
        {f"{w}.wheel.spin": speed / sim.output(f"Tire.Effective_Rolling_Radius.{w}") for w in _wheels_of(sim)}
    )
    return sim


def _wheels_of(sim: Simulation) -> list[str]:
    return [v.name.partition(".")[0] for v in sim.model.states if v.name.endswith(".wheel.spin")]
