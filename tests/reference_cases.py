"""Cars whose numbers are kept as references (tests/references): what they are made of, and whole runs of them.

A case is a car with its ground, ready to be evaluated at any point. The variants together use every choice of the
vehicle's data; their numbers are all different, left and right, front and rear. Each changes as many things at once as
go together, so that few structures have to be compiled.

Only what users call makes them (``jounce.load``, ``Vehicle.with_``, ``jounce.sim.car``, ``jounce.events``,
``jounce.run``): they outlive every change of what is inside.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import jounce
from jounce import events
from jounce.components.tire.base import Tire
from jounce.components.tire.external import Answer, Wheel, bind, external_tire
from jounce.components.tire.linear import Linear
from jounce.events import Event
from jounce.files.roads import load_road
from jounce.files.tir import read_tir
from jounce.road.envelope import Envelope
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from jounce.vehicle.schema import Vehicle

EXAMPLE = Path(__file__).parent / "vehicle" / "data" / "compact"
WHEELS = ("L1", "R1", "L2", "R2")
KEPT = Path(__file__).parent / "references" / "vehicles"
TIRES = KEPT.parent / "tires"
LIBRARY = ("compact", "light_truck", "sedan", "sports", "suv")
AXLES = ("front", "rear")

Changes = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A car on its ground."""

    name: str
    vehicle: Callable[[], Vehicle]
    options: Mapping[str, Any] = field(default_factory=dict)  # of ``car.describe``
    tires: Callable[[], Mapping[str, Tire]] | None = None
    ready: Callable[[Simulation], None] | None = None  # binds roads and outside tires, sets the ground
    inputs: Mapping[str, float] = field(default_factory=dict)  # besides those of the driver
    speed: float = 19.0  # m/s, of the drives to the points
    reverse: float = -5.3
    faster: float = 0.0  # m/s, added at the points: where the ground does not go along with the car
    heading: float = 0.7  # rad
    x: float = 31.0  # m
    y: float = -12.0  # m
    z: float = 0.0  # m, of the ground there
    lift: tuple[float, float, float] = (0.0, 0.0, 0.0)  # of the last point: height, m; roll and pitch, rad

    def description(self) -> car.Description:
        return car.describe(self.vehicle(), self.tires() if self.tires else None, **self.options)

    def simulation(self) -> Simulation:
        """The car with its numbers set, at design in the origin."""
        sim = car.simulation(self.description())
        if self.ready is not None:
            self.ready(sim)
        sim.set_inputs(self.inputs)
        return sim


# ---- data ----------------------------------------------------------------------------------------------------------


def line(x: Sequence[float], f: Callable[[float], float]) -> Changes:
    """A table over one axis."""
    return {"x": [*map(float, x)], "y": [float(f(a)) for a in x]}


def area(x: Sequence[float], z: Sequence[float], f: Callable[[float, float], float]) -> Changes:
    """A table over two axes."""
    return {"x": [*map(float, x)], "z": [*map(float, z)], "y": [[float(f(a, b)) for b in z] for a in x]}


TRAVEL = np.linspace(-0.12, 0.12, 9)
HAND = np.linspace(-9.0, 9.0, 13)  # rad
RACK = np.linspace(-0.09, 0.09, 11)  # m
SPEEDS = (-1.5, -0.8, -0.3, -0.1, 0.0, 0.1, 0.3, 0.8, 1.5)

# Nothing of a car is alike on both sides, and no number stands twice.
UNEVEN: Changes = {
    "body.added_masses[0].location.y": 0.31,
    "body.reference_point": [-1.13, 0.07, 0.41],
    "body.sensor_point": [-0.87, -0.12, 0.53],
    "body.inertia.ixy": 11.0,
    "body.inertia.ixz": 23.0,
    "body.inertia.iyz": -7.0,
    "front_wheels.right.unsprung_mass": 37.5,
    "front_wheels.right.ixx": 0.93,
    "front_wheels.right.izz": 0.97,
    "front_wheels.right.spin_inertia": 0.96,
    "front_wheels.right.wheel_centre_height": 0.2957,
    "rear_wheels.right.unsprung_mass": 34.1,
    "rear_wheels.right.iyy": 1.07,
    "rear_wheels.right.spin_inertia": 0.81,
    "front_suspension.camber.right": {"rate": -0.24, "offset": -0.011},
    "front_suspension.x.right": 0.041,
    "rear_suspension.toe.right": {"rate": 0.029, "offset": 0.0023},
    "rear_suspension.y": {"rate": 0.013, "right": -0.017},
    "rear_suspension.side_view_angle": {"rate": -0.34, "right": -0.31},
    "brakes.bias_front": 0.57,
    "brakes.front.right": {"mu": 0.43, "effective_radius": 0.117, "piston_area": 2.2e-3},
    "brakes.rear.right": {"mu": 0.38, "lockup_natural_frequency": 27.0, "lockup_damping_ratio": 0.8},
    "drive": {"L1": 0.31, "R1": 0.27, "L2": 0.23, "R2": 0.19, "max_torque": 2810.0},
    "system.gravity": 9.81,
}


def example(*changes: Changes) -> Callable[[], Vehicle]:
    """The example car of the tests, uneven, with changes."""

    @cache
    def made() -> Vehicle:
        vehicle = jounce.load(EXAMPLE)
        own = str(TIRES / vehicle.front_wheels.tire.path.name)
        for change in ({"front_wheels.tire": own, "rear_wheels.tire": own}, UNEVEN, *changes):
            vehicle = vehicle.with_(**change)
        return vehicle

    return made


def library(name: str, *changes: Changes) -> Callable[[], Vehicle]:
    """A car of the library as it was when the references were made, with changes."""

    @cache
    def made() -> Vehicle:
        vehicle = jounce.load(KEPT / name)
        for change in changes:
            vehicle = vehicle.with_(**change)
        return vehicle

    return made


SPRINGS_AND_DAMPERS: Changes = {
    "front_suspension.spring": {
        "force": line(np.linspace(-0.1, 0.4, 11), lambda c: 24e3 * c + 41e3 * c * c + 110.0),
        "preload": 3820.0,
        "scale": 1.03,
        "ratio": line(TRAVEL, lambda j: 0.94 * j + 0.7 * j * j),
    },
    "front_suspension.spring.right": {
        "force": line(np.linspace(-0.1, 0.4, 11), lambda c: 27e3 * c + 31e3 * c * c - 60.0),
        "preload": 3910.0,
        "scale": 0.98,
        "ratio": line(TRAVEL, lambda j: 0.002 + 0.91 * j + 0.5 * j * j),
    },
    "rear_suspension.spring": {
        "force": line(np.linspace(-0.15, 0.15, 9), lambda a: 2830.0 - 33e3 * a + 52e3 * a * a),
        "axis": "length",
        "ratio": 0.81,
    },
    "rear_suspension.spring.right": {
        "force": line(np.linspace(-0.15, 0.15, 9), lambda a: 2790.0 - 35e3 * a + 47e3 * a * a),
        "axis": "length",
        "preload": 2875.0,
        "ratio": 1.21,
        "ratio_convention": "wheel_per_element",
    },
    "front_suspension.dampers": [
        {
            "name": "main",
            "force": area(
                SPEEDS, np.linspace(-0.1, 0.1, 5), lambda v, x: (2100 if v > 0 else 1200) * v * (1 + 3 * x) - 40 * v**3
            ),
            "ratio": line(TRAVEL, lambda j: 0.93 * j + 0.4 * j * j),
            "scale": 1.07,
            "right": {
                "force": area(SPEEDS, np.linspace(-0.1, 0.1, 5), lambda v, x: 1900 * v * (1 - 2 * x) + 300 * v * v),
            },
        },
        {"name": "second", "rate": 170.0, "ratio": 0.6, "right": {"rate": 190.0, "scale": 0.9}},
    ],
    "rear_suspension.dampers": [
        {"name": "main", "rate": 1650.0, "ratio": 0.88, "scale": 1.02, "right": {"rate": 1710.0, "ratio": 0.91}},
        {
            "name": "second",
            "force": line(SPEEDS, lambda v: 210 * v + 35 * v**3),
            "ratio": 1.4,
            "ratio_convention": "wheel_per_element",
        },
        {"name": "third", "force": line(SPEEDS, lambda v: 55 * v + 20 * v * v), "ratio": 0.7},
    ],
    "front_suspension.bump_stop": {
        "clearance": 0.013,
        "force": line(np.linspace(0, 0.06, 7), lambda d: 21e3 * d + 9e6 * d**3),
        "ratio": line(TRAVEL, lambda j: 0.95 * j + 0.2 * j * j),
        "scale": 1.1,
        "right": {"clearance": 0.016, "scale": 0.9},
    },
    "front_suspension.rebound_stop": {"clearance": 0.011, "force": 31e3, "ratio": 0.97, "right": {"force": 33e3}},
    "rear_suspension.bump_stop": {"clearance": 0.014, "force": 26e3, "right": {"active": False}},
    "rear_suspension.rebound_stop": {
        "clearance": 0.012,
        "force": line(np.linspace(0, 0.06, 7), lambda d: 18e3 * d + 7e6 * d**3),
        "ratio": 0.92,
    },
    "front_suspension.anti_roll_bar": {
        "ratio": line(TRAVEL, lambda j: 3.2 * j + 1.4 * j * j),
        "torque": line(np.linspace(-0.8, 0.8, 9), lambda a: 1270 * a + 240 * a**3),
        "preload": 13.0,
        "scale": 1.06,
    },
    "rear_suspension.auxiliary_anti_roll": {
        "force": area(np.linspace(-0.2, 0.2, 9), TRAVEL[::2], lambda d, m: 4100 * d * (1 + m) + 9e3 * d**3),
        "scale": 0.97,
        "damping": 0.023,
    },
}  # fmt: skip

# the last change of a car: one that has it takes no further ones
RIGHT_ARM: Changes = {"front_suspension.anti_roll_bar.right": {"ratio": line(TRAVEL, lambda j: 3.05 * j + 0.9 * j * j)}}

TORSION_BARS: Changes = {
    "front_suspension.spring": {
        "type": "rotational",
        "rate": 2390.0,
        "free_length": 0.52,
        "installed_length": 0.06,
        "ratio": line(TRAVEL, lambda j: 3.05 * j + 1.3 * j * j),
        "right": {"rate": 2450.0, "installed_length": 0.05},
    },
    "rear_suspension.spring": {
        "type": "rotational",
        "force": line(np.linspace(-0.4, 1.2, 9), lambda a: 2210 * a + 310 * a * a + 20),
        "preload": 745.0,
        "ratio": 2.9,
        "right": {"preload": 760.0, "ratio": 3.1},
    },
    "front_suspension.anti_roll_bar": None,
    "front_suspension.auxiliary_anti_roll": {"rate": 9300.0, "scale": 1.04, "damping": 0.031},
    "rear_suspension.auxiliary_anti_roll": None,
    "rear_suspension.anti_roll_bar": {"ratio": 2.7, "stiffness": 510.0, "scale": 0.93, "preload": -9.0},
}

FRONT_HEIGHTS, REAR_HEIGHTS = (0.0, 0.15, 0.3, 0.6), (0.0, 0.2, 0.4, 0.7)  # m
AIR_BY_MAPS: Changes = {
    "aero": {
        "air_density": 1.17,
        "reference_density": 1.22,
        "reference_velocity": 33.0,
        "drag": {
            "force": area(FRONT_HEIGHTS, REAR_HEIGHTS, lambda f, r: 440 + 90 * f + 150 * r - 120 * f * r),
            "location": [-1.17, 0.03, 0.61],
            "scale": 1.05,
            "shift": 11.0,
            "smoothing_time": 1.9,
        },
        "front_downforce": {
            "force": area(FRONT_HEIGHTS, REAR_HEIGHTS, lambda f, r: 130 - 210 * f + 80 * r),
            "location": [0.05, -0.02, 0.31],
            "shift": -7.0,
        },
        "rear_downforce": {
            "force": line(FRONT_HEIGHTS, lambda f: 170 + 60 * f - 300 * f * f),
            "location": [-2.6, 0.04, 0.7],
            "scale": 0.95,
            "smoothing_time": 0.0,
        },
        "front_sensor": [0.1, 0.06, 0.22],
        "rear_sensor": [-2.5, -0.05, 0.24],
        "ride_height_min": 0.21,
        "ride_height_max": 0.235,
        "frame": "road",
        "wind": [3.1, -2.3, 0.4],
    }
}  # fmt: skip
AIR_OF_THE_CHASSIS: Changes = {
    "aero": {
        "air_density": 1.19,
        "reference_velocity": 28.0,
        "drag": {"force": line((0.0, 0.2, 0.5), lambda f: 310 + 50 * f), "location": [-1.1, -0.05, 0.57]},
        "front_downforce": {"area": 0.07, "location": [0.1, 0.02, 0.3], "active": False},
        "rear_downforce": {"area": 0.11, "location": [-2.6, -0.03, 0.8], "shift": 5.0},
        "frame": "chassis",
        "in_statics": True,
        "wind": [-2.2, 1.7, -0.3],
    }
}
SLIP_CONTROL: Changes = {
    "brakes.abs": {"threshold": 0.05, "gain": 9.0, "low_speed": 1.7},
    "drive.tcs": {"threshold": 0.04, "gain": 8.0, "low_speed": 1.3},
}

HALVES: Changes = {
    "location": [-1.21, 0.03, 0.42],
    "front": {
        "mass": 611,
        "cg": [-0.27, 0.02, 0.58],
        "inertia": {"ixx": 190, "iyy": 330, "izz": 360, "ixy": 3, "ixz": 5, "iyz": -2},
    },
    "rear": {
        "mass": 526,
        "cg": [-1.88, -0.01, 0.55],
        "inertia": {
            "ixx": 170, "iyy": 310, "izz": 340, "ixy": 2, "ixz": -4, "iyz": 1,
            "products_are_tensor_entries": True,
        },
    },
    "damping_ratio": 0.037,
}  # fmt: skip


def split(**stiffness: float) -> Changes:
    """The body in two halves."""
    return {
        "body.inertia": None,
        "body.mass": None,
        "body.cg": None,
        "body.split": {**HALVES, "stiffness": stiffness},
        "body.added_masses": [
            {"name": "driver", "mass": 75, "location": [-1.35, 0.36, 0.62]},
            {"name": "box", "mass": 21, "location": [-0.4, -0.3, 0.7]},
        ],
    }


def twin(**more: Any) -> Changes:
    return {"rear_wheels.twin": {"offset": 0.29, **more}, "rear_wheels.right.twin": {"offset": 0.305, **more}}


# Both axles by maps over own and paired travel.
DEPENDENT: Changes = {
    f"{axle}_suspension.{name}": area(
        TRAVEL[::2], TRAVEL[::2], lambda a, b, k=k, s=s: s * (k * a - 0.4 * k * b + 0.9 * a * b + 0.5 * k * b * b)
    )
    for axle, s in zip(AXLES, (1.0, 1.3), strict=True)
    for name, k in (("x", 0.04), ("y", 0.09), ("toe", 0.07), ("camber", -0.21), ("side_view_angle", 0.15))
} | {
    "front_suspension.toe.offset": 0.0031,
    "front_suspension.camber.offset": -0.013,
    "front_suspension.x.right": area(TRAVEL[::2], TRAVEL[::2], lambda a, b: 0.05 * a - 0.02 * b),
    "front_suspension.camber.right": {"rate": -0.19, "offset": -0.017},
    "rear_suspension.toe.right": area(TRAVEL[::2], TRAVEL[::2], lambda a, b: 0.05 * a + 0.02 * b + 0.3 * a * b),
    "rear_suspension.y.right": area(TRAVEL[::2], TRAVEL[::2], lambda a, b: -0.04 * a + 0.05 * b),
    "rear_suspension.side_view_angle.right": -0.27,
    "front_suspension.spring.ratio": area(TRAVEL[::2], TRAVEL[::2], lambda a, b: 0.86 * a + 0.07 * b + 0.5 * a * b),
    "rear_suspension.spring.ratio": area(TRAVEL[::2], TRAVEL[::2], lambda a, b: 0.71 * a + 0.11 * b + 0.4 * b * b),
    "front_suspension.dampers[0].ratio": area(TRAVEL[::2], TRAVEL[::2], lambda a, b: 0.84 * a + 0.09 * b),
    "rear_suspension.dampers[0].ratio": area(TRAVEL[::2], TRAVEL[::2], lambda a, b: 0.79 * a + 0.08 * b - a * b),
    "front_suspension.bump_stop.ratio": area(TRAVEL[::2], TRAVEL[::2], lambda a, b: 0.9 * a + 0.05 * b),
    "front_suspension.bump_stop.clearance": 0.012,
    "rear_suspension.rebound_stop.ratio": area(TRAVEL[::2], TRAVEL[::2], lambda a, b: 0.87 * a + 0.06 * b),
    "rear_suspension.rebound_stop.clearance": 0.009,
    "system.splines": {"method": "cubic", "element_extrapolation": "spline"},
    "system.kinematic_maps.extrapolation": "spline",
}  # fmt: skip


def steering(u: Sequence[float], per: float, two: bool, right: bool = True) -> Changes:
    """Maps of all five quantities over an input u, ``per`` rad of steer for each unit of it; over travel, too."""
    laws: dict[str, Callable[[float, float], float]] = {
        "steer": lambda d, j: d + 0.11 * d * d + 0.06 * j + 0.4 * d * j,
        "camber": lambda d, j: -0.13 * d + 0.21 * d * d - 0.23 * j + 0.3 * d * j,
        "side_view_angle": lambda d, j: 0.09 * d - 0.05 * d * d + 0.12 * j,
        "x": lambda d, j: 0.021 * d - 0.04 * d * d + 0.03 * j,
        "y": lambda d, j: -0.017 * d + 0.05 * d * d + 0.08 * j,
    }
    result: Changes = {}
    for name, law in laws.items():
        double = two and name != "side_view_angle"

        def table(
            factor: float, shift: float, law: Callable[[float, float], float] = law, double: bool = double
        ) -> Changes:
            if double:
                return area(u, TRAVEL[::2], lambda a, j: factor * law(per * a + shift, j))
            return line(u, lambda a: factor * law(per * a + shift, 0.0))

        result[name] = {**table(1.0, 0.0), "scale": 1.02}
        if right:
            mirror = -1.0 if name == "y" else 1.0
            result[name]["right"] = {**table(1.04 * mirror, 0.003), "scale": 0.97}
    return result


def kingpin(u: Sequence[float], maps: bool) -> Changes:
    values = {"caster": 0.08, "inclination": 0.22, "x": -0.006, "y": -0.043, "z": 0.011}
    if not maps:
        right = {"caster": 0.075, "y": 0.047, "inclination": 0.21}
        return {**values, "right": right}
    top = max(abs(a) for a in u)
    tables: Changes = {
        name: area(u, TRAVEL[::2], lambda a, j, v=v: v * (1 + 0.1 * a / top + 2.0 * j + (a / top) ** 2 * 0.07))
        for name, v in values.items()
    }
    tables["z"] = line(u, lambda a: 0.01 + 0.002 * a / top)
    return tables


SERVO = line((0, 8, 16, 24, 40), lambda v: 0.21 + 0.031 * v - 0.0003 * v * v)
TIE_ROD: Changes = {
    "outer": [-0.121, -0.098, -0.047],
    "inner": [-0.131, -0.452, -0.043],
    "right": {"outer": [-0.118, 0.101, -0.049], "inner": [-0.127, 0.447, -0.039]},
}
BY_TIE_RODS: Changes = {
    "steering": {
        "input": "rack_travel",
        "rack_travel": line(HAND, lambda h: -0.0089 * h + 2e-6 * h**3),
        "gear_ratio_scale": 1.13,
        "method": "steer_map",
        "steering_dependent_wheel_location": True,
        **steering(RACK, -7.1, True),
        "kingpin": kingpin(RACK, True),
        "feedback": {"method": "tie_rods", "inertia_terms": True, "tie_rod": TIE_ROD, "servo_scaling": SERVO},
    },
    "system.steering_acceleration": True,
    "front_suspension.toe.offset": 0.0037,
}
BY_VIRTUAL_WORK: Changes = {
    "steering": {
        "rack_travel": 0.0081,
        "gear_ratio_scale": 0.93,
        **steering(HAND, 0.064, False),
        "kingpin": kingpin(HAND, False),
        "feedback": {"method": "virtual_work", "servo_scaling": 0.83},
        "column": {"wind_up": line((-900, -300, 0, 300, 900), lambda m: 1.1e-4 * m + 2e-11 * m**3), "lag": 0.007},
        "release": {"inertia": 0.023, "damping": 0.31},
    }
}
BY_MAPS: Changes = {
    "steering": {
        "rack_travel": 0.0083,
        "gear_ratio_scale": 1.07,
        "method": "steer_map",
        "steering_dependent_wheel_location": True,
        **steering(HAND, 0.062, True, right=False),
        "kingpin": kingpin(HAND, True),
        "feedback": {
            "method": "maps",
            "torque": area(
                (-2000, -600, 0, 600, 2000), HAND[::3], lambda m, u: -0.031 * m + 0.4 * u + 1e-9 * m**3 + 0.001 * m * u
            ),
            "rack_force": line((-2000, -600, 0, 600, 2000), lambda m: -5.9 * m + 2e-7 * m**3),
            "servo_scaling": SERVO,
        },
        "column": {"wind_up": 1.3e-4, "lag": 0.009},
    }
}  # fmt: skip
BY_RACK_FORCE: Changes = {
    "steering": {
        "input": "rack_travel",
        "rack_travel": 0.0085,
        **steering(RACK, 7.3, False),
        "kingpin": kingpin(RACK, False),
        "kingpin_axis": "motion",
        "feedback": {
            "method": "maps",
            "rack_force": area((-2000, -600, 0, 600, 2000), RACK[::2], lambda m, u: -6.3 * m + 900 * u + 30 * m * u),
        },
    }
}
BY_ROD_FORCE: Changes = {
    "steering": {
        "rack_travel": line(HAND, lambda h: 0.0079 * h + 1e-6 * h**3),
        "method": "steer_map",
        "steer": {**area(HAND, TRAVEL[::2], lambda h, j: 0.061 * h + 2e-4 * h * h + 0.05 * j), "scale": 1.01},
        "camber": {**line(HAND, lambda h: -0.006 * h + 3e-4 * h * h)},
        "kingpin": kingpin(HAND, False),
        "feedback": {
            "tie_rod_force": area(
                (-900, -300, 0, 300, 900), RACK[::2], lambda m, r: 6.8 * m - 2e-6 * m**3 + 21 * m * r + 350 * r
            ),
            "inertia_terms": True,
        },
        "release": None,
    }
}
BARE: Changes = {"steering": {"steer": line(HAND, lambda h: 0.063 * h + 1e-4 * h * h)}}


# ---- grounds -------------------------------------------------------------------------------------------------------


def on_road(name: str, spacing: float | None = None) -> Callable[[Simulation], None]:
    def ready(sim: Simulation) -> None:
        load_road(name).bind(sim)
        if spacing is not None:
            sim.set_parameters({"ground.spacing": spacing})

    return ready


def on_smoothed_road(sim: Simulation) -> None:
    load_road("handling").bind(sim)
    sim.set_parameters(
        {"smoothing.time": 2.3, "smoothing.height": 0.012, "smoothing.grade": 0.006, "smoothing.bank": -0.004}
    )


def on_enveloped_road(sim: Simulation) -> None:
    Envelope(road=load_road("potholes"), mode="points").bind(sim)


def on_four_roads(sim: Simulation) -> None:
    for wheel, name in zip(WHEELS, ("iso_8608_c", "potholes", "mu_split", "sine"), strict=True):
        load_road(name).bind(sim, f"ground_{wheel}")


def on_a_slope(sim: Simulation) -> None:
    sim.set_parameters(
        {"ground.grade": 0.05, "ground.bank": -0.03, "ground.height": -1.91, "ground.friction": 0.83}
        | {f"{wheel}.tire_mu": 0.9 - 0.05 * i for i, wheel in enumerate(WHEELS)}
        | {"gravity.x": 0.21, "gravity.y": -0.13}
    )


def planes(tires: Sequence[str]) -> dict[str, float]:
    """Inputs of a ground from outside: another plane for each tire."""
    found: dict[str, float] = {}
    for i, tire in enumerate(tires):
        values = (
            31.2 + 0.1 * i,
            -12.1 - 0.05 * i,
            0.003 * (i - 1.5),
            0.02 - 0.01 * i,
            0.013 * i - 0.02,
            1.0 + 0.05 * i,
        )
        for part, value in zip(("x", "y", "z", "normal_x", "normal_y", "normal_z"), values, strict=True):
            found[f"Road_External.{tire}.{part}"] = value
        found[f"Road_External.{tire}.friction"] = 0.7 + 0.06 * i
    return found


def contacts() -> dict[str, float]:
    """Inputs of contact points: about those of the example car with twin wheels where its points begin."""
    places = {
        "L1": (0.0, 0.77),
        "R1": (0.0, -0.77),
        "L2": (-2.65, 0.765),
        "R2": (-2.65, -0.765),
        "L2_twin": (-2.65, 1.055),
        "R2_twin": (-2.65, -1.07),
    }
    found = planes([*places])
    c, s = math.cos(0.7), math.sin(0.7)
    for tire, (px, py) in places.items():
        found[f"Road_External.{tire}.x"] = 31.0 + c * px - s * py + 0.01
        found[f"Road_External.{tire}.y"] = -12.0 + s * px + c * py - 0.007
        if tire.endswith("twin"):  # of a larger tire
            found[f"Road_External.{tire}.z"] -= 0.014
    return found


# ---- tires ---------------------------------------------------------------------------------------------------------


@cache
def _read(name: str) -> Tire:
    library_tires = Path(jounce.__file__).parent / "library" / "tires"
    file = next(folder / f"{name}.tir" for folder in (TIRES, library_tires) if (folder / f"{name}.tir").is_file())
    return read_tir(file).tire


@cache
def linear_tire() -> Tire:
    model = Linear(mode=4)
    values = {
        "UNLOADED_RADIUS": 0.314,
        "VERTICAL_STIFFNESS": 2.1e5,
        "CSLIP": 5.3e4,
        "CALPHA": 6.1e4,
        "FRICTION": 0.97,
        "CGAMMA": 2100.0,
        "TRAIL": 0.021,
        "ROLLING_RESISTANCE": 0.011,
        "RELAX_LENGTH_X": 0.13,
        "RELAX_LENGTH_Y": 0.31,
        "LOAD_PROPORTIONAL": 1.0,
        "FNOMIN": 3900.0,
    }
    known = {c.name for c in model.coefficients}
    return Tire(model, model.complete({k: v for k, v in values.items() if k in known}), name="linear")


def mixed_tires() -> dict[str, Tire]:
    """Another kind of tire at each wheel; measured on the other side where it has one."""
    return {
        "L1": _read("example_mf61"),
        "R1": _read("example_mf62"),
        "L2": _read("example_fiala"),
        "R2": linear_tire(),
    }


@cache
def outside_tire() -> Tire:
    return external_tire(0.312, name="outside")


def with_outside_tires() -> dict[str, Tire]:
    inner = _read("compact_205_55r16")
    return {"L1": inner, "R1": outside_tire(), "L2": inner, "R2": outside_tire()}


def outside_forces(wheel: Wheel) -> Answer:
    """A soft tire in Python: carries by its height, resists sliding and spin; force and moment in carrier axes."""
    load = max(0.0, 1.9e5 * (0.312 - wheel.height))
    velocity = np.asarray(wheel.velocity)
    slide = velocity[0] - 0.3 * wheel.spin
    local = np.asarray(wheel.normal)
    force = load * local + np.array([-160.0 * slide, -1400.0 * velocity[1], 0.0]) * wheel.friction
    return Answer(force, (14.0 * velocity[1], 48.0 * slide, -21.0 * velocity[1]))


def bind_outside_tires(sim: Simulation) -> None:
    for wheel in ("R1", "R2"):
        bind(sim, f"{wheel}.tire", outside_forces, outside_tire().model)  # type: ignore[arg-type]


# ---- cases ---------------------------------------------------------------------------------------------------------

OTHER_TIRE = {"tire": "example_mf61"}
HEIGHTS = {"road.L1": 0.011, "road.R1": -0.006, "road.L2": 0.004, "road.R2": 0.009}
HEIGHT_RATES = {f"{name}.rate": 9 * value for name, value in HEIGHTS.items()}
SIX = split(torsion=4.6e5, lateral=6.1e6, vertical_bending=2.1e6)

CASES: tuple[Case, ...] = (
    *(Case(name, library(name), heading=0.7 - 0.4 * i, speed=17.0 + 3 * i) for i, name in enumerate(LIBRARY)),
    Case("example", example()),
    Case("elements", example(SPRINGS_AND_DAMPERS, AIR_BY_MAPS, RIGHT_ARM), lift=(0.15, 0.02, -0.03)),
    Case(
        "torsion_bars",
        example(TORSION_BARS, BY_TIE_RODS, AIR_OF_THE_CHASSIS, SLIP_CONTROL, {
            "system.carrier_rotation": "3-2-1",
            "system.torque_reaction": "carrier",
        }),
        heading=-2.1,
    ),
    Case(
        "polynomials",
        example(BY_TIE_RODS, {"system.kinematic_maps": {"polynomial": True, "polynomial_order": 4}}),
    ),
    Case("dependent", example(DEPENDENT, BY_MAPS, AIR_BY_MAPS), heading=2.4),
    Case("dependent_steer_map", example(DEPENDENT, BY_ROD_FORCE)),
    Case(
        "by_virtual_work", example(BY_VIRTUAL_WORK, SLIP_CONTROL), inputs={"steering_release": 1.0}, heading=-0.9
    ),
    Case("by_rack_force", example(BY_RACK_FORCE, {"system.splines.method": "linear"}), speed=23.0),
    Case("bare", example(BARE, {
        "aero": None,
        "system.steering_acceleration": True,
        "front_suspension.bump_stop": None,
        "rear_suspension.rebound_stop": None,
        "rear_suspension.dampers": [],
        "rear_suspension.auxiliary_anti_roll": None,
    })),
    Case("twisting", example(split(torsion=4.6e5), SLIP_CONTROL), heading=3.0),
    Case("bending", example(SIX, BY_VIRTUAL_WORK, {
        "system.body_compliance": {"rotational_kp": 1.9e7, "translational_kd": 1.03e5, "translational_ki": 7.1e8},
    })),
    Case("kinematic", example(SIX, BY_VIRTUAL_WORK, {"system.simplified_model": 2}), heading=1.3),
    Case("simplified", example(BY_TIE_RODS, {
        "system.simplified_model": 1,
        "steering.feedback": {"method": "virtual_work"},
        "steering.steer": {"rate": -7.2, "right": line(RACK, lambda a: -7.0 * a + 3.0 * a * a)},
    }), {"ground": "inclined"}, ready=on_a_slope),
    Case("twins", example(twin()), heading=-1.7),
    Case(
        "other_twins_on_contacts",
        example(twin(**OTHER_TIRE, spin_inertia_is_assembly=True), {"system.road_plane": "contacts"}, AIR_BY_MAPS),
        {"ground": "external-points", "road_inputs": True},
        inputs=contacts() | HEIGHTS | HEIGHT_RATES,
        speed=0.2,
        reverse=-0.15,
        faster=17.0,
        lift=(0.0, 0.06, 0.0),
    ),
    Case(
        "contacts",
        example(AIR_BY_MAPS, {"system.road_plane": "contacts"}),
        {"ground": "inclined"},
        ready=on_a_slope,
        lift=(0.05, 0.02, 0.06),
    ),
    Case(
        "estimated",
        example(SPRINGS_AND_DAMPERS, AIR_BY_MAPS, {"system.road_plane": "estimated"}, RIGHT_ARM),
        {"ground": "external"},
        inputs=planes(WHEELS),
        lift=(0.1, 0.03, 0.02),
    ),
    Case(
        "heights",
        example(twin(), AIR_BY_MAPS, {"system.road_plane": "heights"}),
        {"road_inputs": True},
        inputs=HEIGHTS | HEIGHT_RATES,
        lift=(0.06, 0.05, 0.01),
    ),
    Case(
        "tires",
        example(SLIP_CONTROL),
        {"tire_inputs": ("LMUX",)},
        tires=lambda: {"L1": _read("example_mf61"), "R1": _read("example_mf62"),
                       "L2": _read("sports_rear_305_30r20"), "R2": _read("compact_205_55r16")},
        inputs={f"{wheel}.tire.LMUX": 0.95 - 0.04 * i for i, wheel in enumerate(WHEELS)},
    ),
    Case("simple_tires", example(), tires=mixed_tires, heading=-0.4),
    Case("exact_tires", example(twin()), {"relaxation": "exact"}, heading=0.3),
    Case("outside_tires", example(), tires=with_outside_tires, ready=bind_outside_tires),
    Case(
        "mu_split", library("sedan"), {"ground": "road"}, ready=on_road("mu_split"), x=88.0, y=0.3, heading=0.06
    ),
    Case("potholes", library("sedan"), {"ground": "road"}, ready=on_road("potholes"), x=43.4, y=-0.17, heading=0.01),
    Case("handling", library("suv"), {"ground": "road"}, ready=on_road("handling"), x=30.0, y=0.4, heading=0.05),
    Case(
        "growing_road",
        library("sedan"),
        {"ground": "road", "smoothed": True, "normals": "points", "road_inputs": True},
        ready=on_smoothed_road,
        inputs=HEIGHTS | HEIGHT_RATES,
        x=40.0,
        y=-0.5,
        heading=-0.05,
    ),
    Case(
        "upright_road",
        library("sports"),
        {"ground": "road", "normals": "vertical"},
        ready=on_road("sine"),
        x=40.0,
        y=-0.5,
        heading=-0.05,
    ),
    Case(
        "enveloped_road",
        example(twin()),
        {"ground": "road", "patch": True},
        ready=on_enveloped_road,
        x=43.3,
        y=-0.23,
        heading=0.01,
    ),
    Case("four_roads", example(twin()), {"ground": "roads"}, ready=on_four_roads, x=73.4, y=0.2, heading=-0.01),
    Case(
        "slope",
        library("sedan", {"system.torque_reaction": "carrier", "aero.wind": [4.0, 3.0, 0.0]}),
        {"ground": "inclined", "tire_inputs": ("LMUY", "LKY")},
        ready=on_a_slope,
        inputs={f"{w}.tire.{k}": 1.05 - 0.03 * i for i, w in enumerate(WHEELS) for k in ("LMUY", "LKY")},
    ),
)  # fmt: skip
BY_NAME = {case.name: case for case in CASES}


# ---- whole runs ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Whole:
    """A vehicle through an event."""

    name: str
    vehicle: Callable[[], Vehicle]
    event: Callable[[], Event]
    gains: bool = True  # a driver or cruise control with gains from the data of the vehicle takes part
    every: int = 10  # rows of 10 ms per row that is kept

    def run(self, vehicle: Vehicle | None = None) -> Any:
        return jounce.run(self.vehicle() if vehicle is None else vehicle, self.event())


CHANNELS = (
    *(f"chassis_displacements.{way}" for way in ("longitudinal", "lateral", "vertical", "yaw", "pitch", "roll")),
    *("chassis_velocities.longitudinal", "chassis_velocities.lateral", "chassis_velocities.yaw"),
    *("System_Mass_Center.Tracking_Ax", "System_Mass_Center.Tracking_Ay"),
    *("Tire.Ground_Surface_Force_Z.L1", "Tire.Ground_Surface_Force_Z.R2", "Tire.Ground_Surface_Force_Y.R1"),
    *("Tire.Longitudinal_Slip_With_Lag.L2", "Tire.Lateral_Slip_With_Lag.R1", "Spring.Force_At_Spring.L1"),
    *("driver_demands.steering", "driver_demands.throttle", "driver_demands.brake"),
    *("Steering_System.Steering_Wheel_Torque", "Brake_Moment.R1"),
)
# events that the references know: later ones have tests of their own
KNOWN = (
    *("coast-down", "drop", "impulse-steer", "ramp-steer", "sine-steer", "steering-release", "step-steer"),
    *("straight-acceleration", "straight-braking", "swept-steer"),
)
EVERY = {"coast-down": 200, "swept-steer": 20, "ramp-steer": 20, "straight-acceleration": 20}


def _wholes() -> list[Whole]:
    found = []
    for name in LIBRARY:
        for kind in KNOWN:
            event: Any = events.find(kind)
            if kind == "straight-braking":
                event = partial(event, preview=1.0)  # of that time
            if kind == "straight-acceleration":
                event = partial(event, end_time=60.0, final_speed=105 / 3.6)
            found.append(Whole(f"{name}-{kind}", library(name), event, kind != "drop", EVERY.get(kind, 10)))
        found += [
            Whole(
                f"{name}-closed-braking",
                library(name),
                lambda: events.StraightBraking(open_loop=False, preview=1.0),
            ),
            Whole(
                f"{name}-closed-acceleration",
                library(name),
                lambda: events.StraightAcceleration(open_loop=False, end_time=60.0, final_speed=105 / 3.6),
                every=20,
            ),
            # without driver and cruise control: nothing but the car
            Whole(f"{name}-free-step", library(name), lambda: events.StepSteer(cruise=False, amplitude=0.4), False),
            Whole(
                f"{name}-free-braking",
                library(name),
                lambda: events.StraightBraking(cruise=False, straight_line=False, brake=0.3, steer=0.02),
                False,
            ),
        ]  # fmt: skip
    sedan = library("sedan")
    free_step: Changes = {"cruise": False, "amplitude": 0.5, "end_time": 2.5, "speed": 18.0}
    turned = {"heading": 0.7, "x": 120.0, "y": -45.0}
    without = library("sedan", {"brakes.abs": None})
    found += [
        Whole("sedan-locked-wheels", without, lambda: events.StraightBraking(preview=1.0)),
        Whole(
            "sedan-mu_split",
            sedan,
            lambda: events.StraightBraking(road="mu_split", speed=20.0, x=45.0, brake=0.3, preview=1.0),
        ),
        Whole(
            "sedan-potholes",
            sedan,
            lambda: events.CoastDown(road="potholes", speed=18.0, end_time=7.0, straight_line=False),
            False,
        ),
        Whole("sedan-handling", sedan, lambda: events.StepSteer(road="handling", **free_step), False),
        Whole("sedan-turned-step", sedan, lambda: events.StepSteer(**turned, **free_step), False),
        Whole("sedan-turned-braking", sedan, lambda: events.StraightBraking(preview=1.0, **turned)),
        Whole("sedan-slope", sedan, lambda: events.StepSteer(grade=0.04, bank=-0.03, **turned, **free_step), False),
        Whole(
            "sedan-four-roads",
            sedan,
            lambda: events.StepSteer(wheel_roads=("iso_8608_b", "potholes", "flat", "sine"), **free_step, x=20.0),
            False,
        ),
    ]
    elements = example(SPRINGS_AND_DAMPERS, AIR_BY_MAPS)
    found.append(Whole("elements-free-step", elements, lambda: events.StepSteer(**turned, **free_step), False))
    for name in ("example", "dependent", "by_virtual_work", "twisting", "bending", "twins"):
        found.append(
            Whole(f"{name}-free-step", BY_NAME[name].vehicle, lambda: events.StepSteer(**turned, **free_step), False)
        )
    return found


RUNS: tuple[Whole, ...] = tuple(_wholes())
QUICK_POINTS = (
    *("compact", "light_truck", "sedan", "sports", "suv", "example", "elements", "dependent", "by_virtual_work"),
    *("twisting", "twins", "tires", "exact_tires", "slope"),
)
QUICK = ("sedan-step-steer", "light_truck-ramp-steer")
