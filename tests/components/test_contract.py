"""What every part that a file can name promises, on one axle and on three; a new part has it tested for nothing.

A new kind needs an example in ``EXAMPLES``; a new family also where it stands, in ``STANDS``.
"""

from __future__ import annotations

import copy
import io
import re
import tempfile
import zlib
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pytest

import drivelines
import jounce.vehicle as jv
from axle_lists import Raw, even_truck, one_axle, vehicle_of
from car_models import outputs, rates
from jounce.components.driver.lateral import Lateral
from jounce.components.part import Part
from jounce.core import units
from jounce.core.errors import ParameterError
from jounce.core.fields import Data, meta
from jounce.core.part_registry import PARTS
from jounce.results.catalogue import catalogue
from jounce.road.path import Path as Line
from jounce.road.paths import PathSet
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from jounce.vehicle.assembly import placed
from trains import HITCHES, plain_axle, trailer

Array = npt.NDArray[np.float64]
Kind = tuple[str, str]

TABLE = {"x": [-0.6, -0.15, 0.0, 0.2, 0.7], "y": [-910.0, -340.0, 0.0, 560.0, 1320.0]}
STOP = {"x": [0.0, 0.011, 0.026, 0.04], "y": [0.0, 800.0, 4100.0, 15000.0]}

ACCELERATION = {"x": [-90.0, -20.0, 0.0, 30.0, 110.0], "y": [-4100.0, -1100.0, 0.0, 1300.0, 5200.0]}
# over own and paired travel
DUAL = {
    "x": [-0.11, 0.0, 0.13],
    "z": [-0.12, 0.0, 0.1],
    "y": [[-90.0, -480.0, -930.0], [510.0, 0.0, -440.0], [990.0, 530.0, 70.0]],
}
# over compression and trim load
AIR = {"x": [-0.1, 0.0, 0.12], "z": [3000.0, 7000.0], "y": [[1700.0, 4300.0], [3000.0, 7000.0], [6100.0, 13900.0]]}
# x over longitudinal force
ALONG = {"x": [-6000.0, -2000.0, 0.0, 2500.0, 6000.0], "y": [-0.0139, -0.0055, 0.0, 0.0064, 0.0131]}

# over yaw: a mirror turns side force, roll and yaw moments around
ODD = {"x": [-0.4, -0.1, 0.0, 0.1, 0.4], "y": [0.7, 0.21, 0.0, -0.21, -0.7]}
EVEN = {"x": [-0.4, -0.1, 0.0, 0.1, 0.4], "y": [0.91, 0.97, 1.0, 0.97, 0.91]}
POINTS = {"front_location": [0.1, 0, 0.3], "rear_location": [-2.7, 0, 0.4], "center_location": [-1.2, 0, 0.6]}

MOUNTS = [
    {
        "location": [x, y, 0.83],
        "x": 2.1e5,
        "y": 1.7e5,
        "z": 1.3e5,
        "rx": 130.0,
        "damping": [310.0, 270.0, 410.0],
    }
    for x, y in ((-0.11, 0.41), (-0.11, -0.41), (-0.83, 0.37), (-0.83, -0.37))
]
SWUNG = {"cg": [-0.43, 0.0, 1.07], "inertia": {"ixx": 37.0, "iyy": 41.0, "izz": 29.0, "ixz": 3.0}, "mounts": MOUNTS}

# One of each kind, with numbers that are nobody else's.
EXAMPLES: dict[Kind, Raw] = {
    ("aero", "advanced"): {
        "kind": "advanced",
        "frontal_area": 1.9,
        **POINTS,
        "cz": {"x": [0.05, 0.2, 0.4], "z": [0.1, 0.5], "y": [[1.9, 1.7], [1.5, 1.4], [1.1, 1.3]]},
        "balance": 0.43,
        "cx_body": 0.41,
        "cx_rear": 0.13,
        "cy": 1.1,
        "balance_y": 0.6,
        "cmx": 0.17,
        "cz_by": {"yaw": EVEN, "roll": EVEN},
        "cy_by": {"yaw": ODD},
        "cmx_by": {"yaw": ODD},
        "offsets": {"threshold": 9.0, "cz": 0.13},
    },
    ("aero", "standard"): {
        "drag": {"area": 0.71, "location": [-1.1, 0, 0.57]},
        "front_downforce": {"area": 0.31, "location": [0.1, 0, 0.29]},
        "pitch_compensation": True,
        "ride_height_min": 0.05,
    },
    ("aero", "user"): {"kind": "user", **POINTS, "drag_arm_min": 0.17},
    ("aero", "wind_tunnel"): {
        "kind": "wind_tunnel",
        "frontal_area": 2.1,
        "reference_length": 2.7,
        "signs": "sae",
        "drag": EVEN,
        "side": ODD,
        "lift": 0.13,
        "roll": ODD,
        "pitch": 0.07,
        "yaw": ODD,
    },
    ("anti_roll_bar", "torsion"): {"stiffness": 1870.0, "ratio": 2.9, "preload": 31.0, "scale": 1.1},
    ("auxiliary_anti_roll", "dual"): {"kind": "dual", "force": DUAL, "damping": 0.027, "scale": 1.2},
    ("auxiliary_anti_roll", "wheels"): {"rate": 7300.0, "damping": 0.031, "scale": 0.9},
    ("brake", "disc"): {"mu": 0.37, "effective_radius": 0.127, "piston_area": 2.1e-3, "lockup_damping_ratio": 0.8},
    ("brake", "drum"): {
        "kind": "drum",
        "mu": 0.31,
        "drum_radius": 0.113,
        "piston_area": 3.9e-4,
        "shoe_anchor_pin_to_cylinder": 0.171,
        "shoe_anchor_pin_to_shaft": 0.087,
        "shoe_anchor_pin_to_fulcrum": 0.091,
        "heat": {"capacity": 2700.0, "initial": 331.0},
    },
    ("bump_stop", "curve"): {"clearance": 0.021, "force": STOP, "ratio": 0.83, "scale": 1.2},
    ("compliance", "maps"): {
        "x": {"fx": 2.6e-6, "fy": 1.2e-7},
        "y": {"fy": 0.61e-6, "fz": 2.7e-8},
        "toe": {"fy": 1.45e-6, "mz": -6.7e-5, "fx_brake": -3.1e-7},
        "camber": {"fy": {"x": [-5000.0, 0.0, 5000.0], "y": [0.031, 0.0, -0.027]}},
        "side_view_angle": {"fx_brake": 5.7e-6},
        "cross": {"toe": {"fy": 1.7e-7}, "y": {"mz": -1.1e-7}},
        "factor": 1.15,
    },
    ("controller", "adaptive_damping"): {"kind": "adaptive_damping", "skyhook": 1900.0, "groundhook": 310.0},
    ("controller", "brake_blending"): {"kind": "brake_blending", "share": 0.83, "lag": 0.013},
    ("controller", "cruise_control"): {"kind": "cruise_control", "speed": 23.0, "gain": 0.7},
    ("controller", "hill_hold"): {"kind": "hill_hold", "still": 0.13, "wait": 0.0},
    ("controller", "torque_vectoring"): {"kind": "torque_vectoring", "gain": 1.7e4, "largest": 1300.0},
    ("controller", "traction_control"): {"kind": "traction_control", "slip": 0.04, "brake_gain": 2.1e6},
    ("controller", "roll_stability"): {"kind": "roll_stability", "limit": 0.3, "gain": 6e5, "largest_pressure": 3e6},
    ("controller", "hydraulic_abs"): {"kind": "hydraulic_abs", "slip": 0.009, "preview": 0.021, "select_low": "none"},
    ("controller", "stability_control"): {"kind": "stability_control", "yaw_gain": 4.7e4, "dead_yaw_rate": 0.04},
    ("damper", "passive"): {"name": "main", "force": TABLE, "ratio": 0.71, "scale": 0.95},
    ("contact", "shell"): {"kind": "shell", "sill": -0.03, "stiffness": 2.7e5, "damping": 9100.0, "friction": 0.37},
    ("contact", "skid_plate"): {
        "kind": "skid_plate",
        "name": "plate",
        "location": [0.61, 0.23, -0.041],
        "stiffness": 3.1e5,
        "exponent": 1.3,
        "damping": 2900.0,
        "friction": 0.41,
    },
    ("driver", "longitudinal"): {
        "mass": 610.0,
        "weight": 5900.0,
        "radius": 0.29,
        "brake_force": 9e3,
        "speed_gain": 2.3,
    },
    ("driver", "contour"): {
        "steering_ratio": 13.0,
        "front_slip": 0.004,
        "lock": 7.1,
        "fastest": 19.0,
        "preview_time": 0.63,
        "least_preview": 6.1,
        "anticipation": 0.07,
    },
    ("driver", "preview"): {"lock": 6.3, "fastest": 23.0},
    ("driver", "backing"): {"lock": 6.1, "fastest": 21.0},
    ("driver", "monitor"): {
        "watched": ["chassis_velocities.yaw"],
        "throttle_low": 0.013,
        "throttle_high": 0.97,
        "brake_low": 0.017,
        "brake_high": 0.93,
        "clutch_low": 0.019,
        "clutch_high": 0.91,
    },
    ("driver", "watch"): {"channels": ["chassis_velocities.roll"]},
    ("driver", "straight_line"): {"x": 1.7, "y": 0.9, "heading": 0.06, "preview": 17.0, "lock": 0.7},
    ("battery", "battery"): {"state_of_charge": 0.63, "auxiliary_power": 370.0, "chemistry": "lead_acid"},
    ("driveline", "automatic_gearbox"): drivelines.AUTOMATIC,
    ("driveline", "clutch"): drivelines.CLUTCH,
    ("driveline", "converter"): {**drivelines.CONVERTER, "dump_threshold": 0.4},
    ("driveline", "dual_clutch"): {**drivelines.CLUTCH, "kind": "dual_clutch", "shift_time": 0.21, "capacity": 390.0},
    ("driveline", "elastic_shaft"): {"kind": "elastic_shaft", "stiffness": 7100.0, "damping": 13.0, "inertia": 0.017},
    ("driveline", "engine"): {
        "kind": "engine",
        "torque_map": drivelines.MAP,
        "inertia": 0.17,
        "fuel": {"displacement": 2e-3, "bsfc": 7e-8},
        "ram_air": {"temperature": 291.0},
    },
    ("driveline", "gear"): {"kind": "gear", "ratio": 1.9, "efficiency": 0.97, "inertia": 0.011},
    ("driveline", "launch_control"): {"kind": "launch_control", "engine_speed": 410.0, "gain": 0.017, "until": 9.0},
    ("driveline", "parallel_hybrid"): {"kind": "parallel_hybrid", "torque_ratio": 1.9, "charging": 0.11, "time": 0.31},
    ("driveline", "retarder"): {
        "kind": "retarder",
        "torque": {"x": [0.0, 60.0, 400.0], "y": [0.0, 410.0, 1100.0]},
        "inertia": 0.031,
        "pedal_share": 0.7,
    },
    ("driveline", "limited_slip_differential"): {
        "kind": "limited_slip_differential",
        "ratio": 3.2,
        "inertia": 0.021,
        "preload": 31.0,
        "ramp": 0.3,
        "viscosity": 2.1,
    },
    ("driveline", "locked_differential"): {"kind": "locked_differential", "ratio": 3.4, "lock_stiffness": 8e4},
    ("driveline", "manual_gearbox"): drivelines.GEARBOX,
    ("driveline", "motor"): {**drivelines.MOTOR, "ratio": 2.3},
    ("driveline", "open_differential"): drivelines.REAR,
    ("driveline", "simple_engine"): {**drivelines.ENGINE, "lag": 0.07},
    ("driveline", "table_differential"): {
        "kind": "table_differential",
        "ratio": 2.9,
        "cutoff": 9.0,
        "torque": {"x": [-30.0, 0.0, 30.0], "y": [-210.0, 0.0, 210.0]},
    },
    ("element", "auxiliary_vertical"): {"kind": "auxiliary_vertical", "force": DUAL, "damping": 0.011, "scale": 0.8},
    ("element", "central_bump_stop"): {
        "kind": "central_bump_stop",
        "clearance": -0.031,
        "force": STOP,
        "ratio": 0.87,
        "scale": 1.1,
    },
    ("element", "central_damper"): {"kind": "central_damper", "acts": "roll", "rate": 1900.0, "ratio": 0.64},
    ("element", "central_inerter"): {"kind": "central_inerter", "acts": "mono", "inertance": 71.0, "ratio": 0.93},
    ("element", "central_rebound_stop"): {
        "kind": "central_rebound_stop",
        "acts": "mono",
        "clearance": 0.013,
        "force": STOP,
        "ratio": 0.9,
        "scale": 0.6,
    },
    ("element", "central_spring"): {"kind": "central_spring", "rate": 37e3, "preload": 710.0, "ratio": 0.81},
    ("element", "friction"): {"kind": "friction", "force": 83.0, "stiffness": 1.3e5, "damping": 90.0, "ratio": 0.76},
    ("element", "inerter"): {"kind": "inerter", "force": ACCELERATION, "cutoff": 37.0, "ratio": 0.89, "scale": 1.05},
    ("force", "tire_scrub"): {
        "kind": "tire_scrub",
        "margin_threshold": 9e4,
        "slip_threshold": 3.0,
        "full_load": 3100.0,
        "amplitude": 410.0,
        "scale": 1.1,
    },
    ("force", "point"): {
        "kind": "point",
        "name": "push",
        "location": [-0.7, 0.43, 0.9],
        "force": [310.0, -170.0, 430.0],
        "moment": [21.0, 37.0, -53.0],
        "axes": "world",
        "scale": 1.3,
    },
    ("force", "bushing"): {
        "kind": "bushing",
        "name": "stay",
        "i": "cab",
        "location": [-0.07, 0.0, 0.83],
        "z": TABLE,
        "x": 4.1e4,
        "ry": 370.0,
        "damping": [310.0, 170.0, 230.0],
        "preload": [0.0, 0.0, 210.0],
    },
    ("force", "beam"): {
        "kind": "beam",
        "name": "bar",
        "i": "cab",
        "location": [-0.43, 0.0, 0.71],
        "length": 0.41,
        "youngs_modulus": 7.1e9,
        "shear_modulus": 2.9e9,
        "area": 3.1e-4,
        "ixx": 1.3e-9,
        "iyy": 0.7e-9,
        "izz": 0.9e-9,
        "damping_time": 0.0013,
    },
    ("rebound_stop", "curve"): {"clearance": 0.033, "force": STOP, "ratio": 0.91, "scale": 0.8},
    ("sensor", "acceleration"): {
        "kind": "acceleration",
        "name": "felt",
        "gravity": True,
        "i": {"location": [0.3, 0.7, 1.1]},
    },
    ("sensor", "displacement"): {
        "kind": "displacement",
        "name": "where",
        "i": {"body": "L1"},
        "j": {"body": "chassis"},
    },
    ("sensor", "energy_account"): {"kind": "energy_account"},
    ("force", "hook"): {"kind": "hook", "location": [-3.61, 0.0, 0.43], "load": 640.0, "scale": 1.2},
    ("sensor", "gyro_point"): {"kind": "gyro_point", "name": "Driver", "location": [-1.3, 0.37, 0.61]},
    ("sensor", "handling"): {"kind": "handling"},
    ("sensor", "motion"): {"kind": "motion", "name": "box", "location": [-0.9, 0.13, 0.57], "mounting": {"yaw": -0.21}},
    ("sensor", "preview_point"): {"kind": "preview_point", "name": "ahead", "distance": 17.0},
    ("sensor", "tire_limits"): {"kind": "tire_limits", "load": {"step": 900.0}, "slip": {"step": 0.05}},
    ("sensor", "velocity"): {"kind": "velocity", "name": "turning", "freedom": "rotational", "i": {"body": "R1"}},
    ("series_stiffness", "dynamic"): {
        "kind": "dynamic",
        "stiffness": 310e3,
        "mass": 3.1,
        "damping": 0.0017,
        "anti_roll": True,
    },
    ("series_stiffness", "static"): {"stiffness": 270e3, "lag": 0.003, "location": "wheel", "anti_roll": True},
    ("slip_control", "ideal"): {"threshold": 0.07, "gain": 9.0, "low_speed": 1.3},
    ("spring", "air"): {
        "kind": "air",
        "force": AIR,
        "trim_load": 5300.0,
        "trim_length": 0.007,
        "ratio": 0.77,
        "scale": 0.96,
    },
    ("spring", "rotational"): {"kind": "rotational", "rate": 41e3, "preload": 1900.0, "ratio": 2.3, "scale": 1.05},
    ("spring", "translational"): {"rate": 61e3, "preload": 5700.0, "ratio": 0.69, "scale": 0.97},
    ("suspended", "cab"): {**SWUNG, "kind": "cab", "mass": 170.0},
    ("suspended", "engine"): {**SWUNG, "kind": "engine", "mass": 130.0},
    ("suspended", "rod"): {
        **SWUNG,
        "kind": "rod",
        "mass": 2.3,
        "mounts": [*MOUNTS, {"location": [-0.4, 0.0, 1.0], "z": 3.1e4}],
    },
    ("x_dof", "dynamic"): {
        "kind": "dynamic",
        "excitation": "base",
        "mass": 47.0,
        "damping": 0.0031,
        "cutoff": 61.0,
        "share": 0.9,
    },
    ("x_dof", "static"): {"share": 0.8},
    ("x_dof", "transfer_function"): {
        "kind": "transfer_function",
        "mass": 43.0,
        "b0": 0.93,
        "b1": 2.1e-3,
        "a0": 7700.0,
        "a1": 37.0,
        "a2": 1.07,
        "a3": 0.0021,
        "share": 0.85,
    },
    **{("hitch", kind): data for kind, data in HITCHES.items()},
    ("equalizer", "air"): {"kind": "air", "rate": 93e3, "preload": 8100.0, "damping": 3100.0},
    ("equalizer", "walking_beam"): {
        "kind": "walking_beam",
        "rate": 71e3,
        "preload": 7300.0,
        "damping": 2700.0,
        "share": 0.43,
    },
    ("lift", "lift"): {"height": 0.13, "stiffness": 3.1e5, "damping": 4100.0, "active": 0.9},
    ("hitch_device", "sway_control"): {
        "kind": "sway_control",
        "towing": [-3.41, 0.0, 0.63],
        "towed": [-0.37, 0.0, 0.59],
        "locking_force": 1900.0,
        "slope": 3e6,
    },
    ("hitch_device", "weight_distribution"): {
        "kind": "weight_distribution",
        "hinge": [-3.37, 0.2, 0.41],
        "bar_end": [-3.97, 0.2, 0.39],
        "chain_end": [-0.44, 0.2, 0.61],
        "preload": 130e3,
        "stiffness": 3e5,
    },
    ("brake", "overrun"): {"kind": "overrun", "lower_threshold": 0.0, "upper_threshold": 70.0, "largest_force": 900.0},
}
# Where a family stands in the data, and the prefix of its numbers in the model; a driver is given by the run.
STANDS: dict[str, tuple[str, str]] = {
    "aero": ("aero", "aero."),
    "anti_roll_bar": ("axles[0].suspension.anti_roll_bar", "axle1.anti_roll_bar."),
    "auxiliary_anti_roll": ("axles[0].suspension.auxiliary_anti_roll", "axle1.auxiliary_anti_roll."),
    "battery": ("driveline.battery", "driveline.battery."),
    "brake": ("axles[0].brake", "L1.brake."),
    "bump_stop": ("axles[0].suspension.bump_stop", "L1.bump_stop."),
    "compliance": ("axles[0].suspension.compliance", "L1.compliance."),
    "contact": ("contacts[0]", "contact1."),
    "controller": ("parts[0]", "part1."),
    "damper": ("axles[0].suspension.dampers[0]", "L1.damper1."),
    "driveline": ("driveline.members[{}]", "driveline.member{}."),
    "driver": ("", "{}."),
    "element": ("axles[0].suspension.elements[0]", "L1.element1."),
    "force": ("forces[0]", "force1."),
    "equalizer": ("axles[0].equalizer", "axle1.equalizer."),
    "hitch": ("trailers[0].hitch", "unit2.hitch."),
    "lift": ("axles[0].lift", "axle1.lift."),
    "hitch_device": ("trailers[0].hitch.devices[0]", "unit2.hitch.device1."),
    "rebound_stop": ("axles[0].suspension.rebound_stop", "L1.rebound_stop."),
    "sensor": ("sensors[0]", "sensor1."),
    "series_stiffness": ("axles[0].suspension.series_stiffness", "L1.series_stiffness."),
    "slip_control": ("brakes.abs", "L1.brake.abs."),
    "spring": ("axles[0].suspension.spring", "L1.spring."),
    "suspended": ("body.suspended[0]", "body.suspended1."),
    "x_dof": ("axles[0].suspension.x_dof", "L1.x_dof."),
}
# Numbers of a family that take the force away.
OFF: dict[str, dict[str, float]] = {
    "aero": {"active": 0.0},
    "anti_roll_bar": {"scale": 0.0, "preload": 0.0},
    "auxiliary_anti_roll": {"scale": 0.0},
    "brake": {"mu": 0.0},
    "bump_stop": {"scale": 0.0},
    "compliance": {"factor": 0.0},
    "contact": {"stiffness": 1e-9, "damping": 0.0},
    "controller": {"active": 0.0},
    "damper": {"scale": 0.0},
    "driver": {"lock": 0.0},
    "element": {"scale": 0.0},
    "equalizer": {"rate": 0.0, "preload": 0.0, "damping": 0.0},
    "lift": {"active": 0.0},
    "force": {"scale": 0.0, "active": 0.0},
    "hitch_device": {"active": 0.0},
    "rebound_stop": {"scale": 0.0},
    "sensor": {},
    "series_stiffness": {"stiffness": 1e18, "mass": 1e18},
    "slip_control": {"low_speed": 1e6},
    "spring": {"scale": 0.0},
    "suspended": {
        "mass": 1e-12,
        **dict.fromkeys(("ixx", "iyy", "izz"), 1e-12),
        "ixz": 0.0,
        **{f"mount{n}.active": 0.0 for n in range(1, 6)},
    },
    "x_dof": {"share": 0.0},
}
# Numbers that a mirror turns around.
ODD_NUMBERS = (
    *("anti_roll_bar.preload", "straight_line.y", "straight_line.heading", "steering_wheel"),
    *(".location.y", ".force.y", ".moment.x", ".moment.z"),
    *("sensors.ay_offset", "sensors.yaw_rate_offset", "sensors.steering_offset"),
)
# States that a mirror turns around, and all of the steering: y, roll and yaw of bodies; contacts across the wheel.
ODD_STATES = (
    "chassis.y",
    "chassis.e1",
    "chassis.e3",
    "chassis.vy",
    "chassis.wx",
    "chassis.wz",
    ".tire.v",
    ".twist",
    ".compliance.y",
    ".lock.windup",
    ".lock.unheld",
    ".difference",
    *(f".hitch.{word}{end}" for word in ("yaw", "roll", "y") for end in ("", ".rate", ".windup")),
    *(
        f"{body}.{move}{rate}"
        for body in ("cab", "engine", "rod")
        for move in ("y", "yaw", "roll")
        for rate in ("", ".rate")
    ),
)
# Families that stand together in one driveline, one of each kind: no part of it can be taken away alone.
TOGETHER = ("battery", "driveline")
# Families that cannot be switched off: what would be left is another vehicle, or none.
ALWAYS = (*TOGETHER, "hitch")
# Families of which a vehicle has one part only: the truck has the first kind.
ONE = ("aero", "equalizer")
# Parts that do nothing until a run brings what they wait for, and controllers that have nothing to do on the rig, which
# rolls, has no motors, is braked: their own tests have more.
WAITING = (
    ("aero", "user"),
    ("brake", "overrun"),  # for a push of its drawbar
    ("driver", "preview"),  # for the gains that belong to its car
    ("driver", "backing"),
    ("driver", "monitor"),  # for a manoeuvre that shares the pedals out
    *(
        ("controller", kind)
        for kind in ("brake_blending", "cruise_control", "hill_hold", "stability_control", "traction_control")
    ),
)
# Parts that stand beside one that is nothing without them.
BESIDE: dict[Kind, Kind] = {("driver", "monitor"): ("driver", "longitudinal")}
# Parts of towed units alone, and where they stand there.
TOWED: dict[Kind, tuple[str, str]] = {
    ("brake", "overrun"): ("trailers[0].axles[0].brake", "L2.brake."),
    ("driver", "backing"): ("", "backing."),
    **dict.fromkeys(
        (("hitch_device", kind) for kind in ("sway_control", "weight_distribution")), STANDS["hitch_device"]
    ),
}
# Parts that hold a further body.
ON_A_CAB = (("force", "beam"), ("force", "bushing"))
# Families whose parts a run adds; nothing of a vehicle names them.
ADDED = ("driver",)
# Inputs with which a part works that waits for a run.
ON: dict[Kind, dict[str, float]] = {
    ("driver", "longitudinal"): {"driver.active": 1.0, "driver.target_speed": 31.0},
    **{("driver", kind): {"driver.steers": 1.0} for kind in ("backing", "contour", "preview")},
}
# Drivers of a path have the same hand wheel as the one of a line, whom the truck has.
PATHS = PathSet([Line.straight(500.0)])


def path_of(family: str, kind: str) -> str:
    """Where a part stands in the data of its rig."""
    if (family, kind) in TOWED:
        return TOWED[family, kind][0]
    return STANDS[family][0].format(_member(kind)) if family == "driveline" else STANDS[family][0]


def _member(kind: str) -> int:
    """Which member of the driveline with all of them is of a kind."""
    examples = {k: EXAMPLES[f, k] for f, k in EXAMPLES if f == "driveline"}
    return next(i for i, item in enumerate(drivelines.every_member(examples)) if item["kind"] == kind)


def prefix_of(family: str, kind: str) -> str:
    """The prefix of the numbers of a part; further elements stand at a wheel or between both."""
    if family == "driveline":
        return STANDS[family][1].format(_member(kind) + 1)
    if (family, kind) in TOWED:
        return TOWED[family, kind][1]
    if family in ADDED:
        return STANDS[family][1].format(kind)
    level = getattr(PARTS.find(family, kind), "level", "wheel")
    if family in ("force", "sensor") and level == "wheel":
        return f"L1.{STANDS[family][1]}"
    return "axle1.element1." if (family, level) == ("element", "axle") else STANDS[family][1]


@lru_cache
def kinds() -> tuple[Kind, ...]:
    return tuple((family, kind) for family in PARTS.families() for kind in PARTS.kinds(family))


def example(family: str, kind: str) -> Raw:
    if (family, kind) not in EXAMPLES or family not in STANDS:
        pytest.fail(
            f"the part {kind!r} of the family {family!r} has no example: add one to EXAMPLES of {Path(__file__).name} "
            "(and to STANDS and OFF, if the family is new), so that what all parts promise is tested of it, too"
        )
    return copy.deepcopy(EXAMPLES[family, kind])


def test_every_part_has_its_test_file() -> None:
    """components/<system>/<part>.py is tested in tests/components/<system>/test_<part>.py."""
    here = Path(__file__).parent
    for family, kind in kinds():
        _, _, system, part = PARTS.find(family, kind).__module__.split(".")
        assert (here / system / f"test_{part}.py").is_file(), (
            f"{kind} of {family}: tests/components/{system}/test_{part}.py"
        )


every_kind = pytest.mark.parametrize(("family", "kind"), kinds(), ids=["-".join(item) for item in kinds()])


def put(raw: Raw, path: str, value: Any) -> None:
    """Put a value at a path of raw data; None takes away what is there."""
    keys = [int(k) if k.isdigit() else k for k in re.findall(r"\w+", path)]
    node: Any = raw
    for key, following in pairwise(keys):
        if isinstance(node, dict):
            node = node.setdefault(key, [] if isinstance(following, int) else {})
        else:
            node = node[key]
    last = keys[-1]
    if isinstance(last, int):
        node[last:] = [] if value is None else [value]
    elif value is None:
        node.pop(last, None)
    else:
        node[last] = value


def rig(family: str, kind: str, there: bool = True) -> tuple[jv.Vehicle, tuple[Part, ...]]:
    """One axle with an example of a part in the place of what was there, or without; and the parts of the run."""
    return _rig(*_one_of(family, kind), there)


def _one_of(family: str, kind: str) -> Kind:
    """The part by whose name its rig is kept: parts that are tried together have one."""
    return next(item for item in kinds() if item[0] in TOGETHER) if family in TOGETHER else (family, kind)


@lru_cache
def _rig(family: str, kind: str, there: bool) -> tuple[jv.Vehicle, tuple[Part, ...]]:
    raw, data = one_axle(), example(family, kind)
    if (family, kind) in TOWED:
        raw["trailers"] = [trailer()]
    if family in ADDED:
        beside = BESIDE.get((family, kind))
        found = [PARTS.find(*beside).model_validate(example(*beside))] if beside is not None else []
        found += [PARTS.find(family, kind).model_validate(data)] if there else []
        return vehicle_of(raw), tuple(cast(Part, part) for part in found)
    if family in TOGETHER:
        examples = {k: example(f, k) for f, k in kinds() if f == "driveline"}
        members = drivelines.every_member(examples)
        raw |= {"drive": {}, "driveline": {"members": members, "battery": example("battery", "battery")}}
        return vehicle_of(raw), ()
    if family == "auxiliary_anti_roll":  # gives way to a bar
        put(raw, STANDS["anti_roll_bar"][0], None)
    if family == "hitch":
        raw["trailers"] = [trailer()]
    if family == "equalizer":  # needs a group
        raw["axles"].append({**plain_axle(-1.13), "group": True})
        raw["body"]["cg"]["x"] = -0.41
    if (family, kind) in ON_A_CAB:
        put(raw, STANDS["suspended"][0], example("suspended", "cab"))
    if family == "x_dof":  # follows maps of compliance
        put(raw, STANDS["compliance"][0], {**example("compliance", "maps"), "x": {"fx": ALONG, "fy": 1.2e-7}})
    put(raw, path_of(family, kind), data if there else None)
    return vehicle_of(raw), ()


def description(family: str, kind: str, there: bool = True) -> car.Description:
    return _description(*_one_of(family, kind), there)


@lru_cache
def _description(family: str, kind: str, there: bool) -> car.Description:
    vehicle, parts = rig(family, kind, there)
    return car.describe(vehicle, parts=parts)


def standing(found: car.Description) -> Simulation:
    """A simulation, with a path where it asks for one."""
    sim = car.simulation(found)
    PATHS.bind(sim)
    return sim


def only_looks(family: str, kind: str) -> bool:
    return family == "sensor" or (family, kind) == ("driver", "watch")


def of_a_path(family: str, kind: str) -> bool:
    return issubclass(PARTS.find(family, kind), Lateral)


def simulation(family: str, kind: str, there: bool = True) -> Simulation:
    """The rig somewhere: on the road, leaning, driving, so that every part does something."""
    found = description(family, kind, there)
    sim = standing(found)
    disturb(sim)
    sim.set_inputs(ON.get((family, kind), {}) if there else {})
    return sim


def disturb(sim: Simulation, seed: int = 0) -> None:
    """A state like no other: leaning, yawing, both stops in contact, wheels that slip, everything in motion."""
    rng = np.random.default_rng(seed)
    values: dict[str, float] = {}
    for v in sim.model.states:
        size = {"m": 0.006, "m/s": 0.3, "rad/s": 0.2}.get(v.unit, 0.0)
        here = sim.state(v.name)
        own = np.random.default_rng([seed, zlib.crc32(v.name.encode())])  # the same with further states
        values[v.name] = here + float(own.uniform(0.3, 1.0) * own.choice([-1.0, 1.0])) * size
    for name in values:
        if name.endswith(".jounce"):
            values[name] = 0.055 if name.startswith("L") else -0.103
        elif name.endswith(".wheel.spin"):
            values[name] = 38.0 if name.startswith("L") else 47.0
        elif name.endswith((".tire.u", ".tire.v")):
            values[name] *= 0.1
        elif name.endswith((".hitch.yaw", ".hitch.pitch", ".hitch.roll")):
            values[name] = 0.04 + 0.01 * len(name) % 0.03
    values |= {"chassis.vx": 14.0, "chassis.vy": 0.7, "chassis.wz": 0.21, "chassis.z": values["chassis.z"] - 0.015}
    q = np.array([1.0, 0.013, -0.009, 0.06])
    values |= dict(zip((f"chassis.e{i}" for i in range(4)), map(float, q / np.linalg.norm(q)), strict=True))
    sim.set_states(values)
    sim.set_memories({v.name: float(rng.uniform(-1e-3, 1e-3)) for v in sim.model.memories})
    sim.set_inputs({"steering_wheel": 0.41, "throttle": 0.23, "brake": 0.31})


# ---- left and right ------------------------------------------------------------------------------------------------


def across(name: str) -> str:
    """The name of the same thing on the other side."""
    return re.sub(r"\b([LR])(\d)", lambda m: f"{'R' if m[1] == 'L' else 'L'}{m[2]}", name)


def sign(name: str) -> float:
    turned = name.startswith("steering.") and not name.endswith(".released")
    return -1.0 if turned or name.endswith(ODD_STATES) else 1.0


def mirror(sim: Simulation) -> None:
    """Turn a simulation into its mirror image at the plane y = 0; the data are alike on both sides."""
    states = {v.name: sim.state(v.name) for v in sim.model.states}
    memories = {v.name: sim.memory(v.name) for v in sim.model.memories}
    sim.set_states({across(name): sign(name) * value for name, value in states.items()})
    sim.set_memories({across(name): sign(name) * value for name, value in memories.items()})
    sim.set_inputs({"steering_wheel": -sim.input("steering_wheel")})
    known = sim.parameters
    sim.set_parameters({name: -known[name] for name in known if name.endswith(ODD_NUMBERS)})


def assert_mirrored(one: Simulation, other: Simulation) -> None:
    """Rates are mirrored to 1e-9 of their size, or of 1 (m/s², …): forces of 10 kN on 40 kg, rounded 1e3 times."""
    there = rates(other)
    for name, value in rates(one).items():
        assert there[across(name)] == pytest.approx(sign(name) * value, rel=1e-9, abs=1e-9), name


@every_kind
@pytest.mark.parametrize("seed", [1, 2])
def test_a_mirrored_state_has_mirrored_rates(family: str, kind: str, seed: int) -> None:
    one, other = simulation(family, kind), simulation(family, kind)
    for sim in (one, other):
        disturb(sim, seed)
    mirror(other)
    # where a sampled part works, it works once at the beginning of the step
    one.advance(1)
    other.advance(1)
    assert_mirrored(one, other)
    assert max(map(abs, rates(one).values())) > 1.0, "the rig does something"


# ---- three axles with all of them ------------------------------------------------------------------------------------


FIRST = [next(item for item in kinds() if item[0] == family) for family in ONE]


@lru_cache
def truck() -> tuple[jv.Vehicle, tuple[Part, ...]]:
    """Three axles with every kind somewhere."""
    raw = even_truck()
    for family, kind in kinds():
        if family in TOGETHER:  # in place of the drive of this truck; they have a rig of their own
            continue
        data, axle = example(family, kind), raw["axles"][2]
        if family == "hitch" or (family, kind) in TOWED:  # have a rig of their own: a hook stands for what is towed
            continue
        if family == "equalizer" and (family, kind) not in FIRST:
            continue
        if family == "equalizer":
            raw["axles"][2]["group"] = True
            raw["axles"][1][family] = data
            continue
        if family == "lift":
            axle[family] = data
            continue
        if family in ONE:
            raw[family] = raw[family] if (family, kind) not in FIRST else data
            continue
        if family == "slip_control":
            raw["brakes"]["abs"] = raw["drive"]["tcs"] = data
        elif family == "brake":
            raw["axles"][{"disc": 2, "drum": 1}[kind]]["brake"] = data
        elif family == "controller":
            raw.setdefault("parts", []).append(data)
        elif family == "anti_roll_bar":
            raw["axles"][0]["suspension"][family] = data
        elif family == "damper":
            axle["suspension"].setdefault("dampers", []).append(data)
        elif family == "element":
            axle["suspension"].setdefault("elements", []).append(data)
        elif family == "spring" and kind != "rotational":
            raw["axles"][0 if kind == "air" else 1]["suspension"]["spring"] = data
        elif family == "x_dof":
            raw["axles"][["dynamic", "static", "transfer_function"].index(kind)]["suspension"] |= {
                "compliance": example("compliance", "maps"),
                "x_dof": data,
            }
        elif family in ("series_stiffness", "auxiliary_anti_roll"):
            first = kind in ("dynamic", "dual")
            raw["axles"][1 if first else 2]["suspension"][family] = data
        elif family in ("contact", "force", "sensor"):
            raw.setdefault(f"{family}s", []).append(data)
        elif family == "suspended":
            raw["body"].setdefault("suspended", []).append(data)
        elif family not in ADDED:
            axle["suspension"][family] = data
    added = (
        PARTS.find(*item).model_validate(example(*item))
        for item in kinds()
        if item[0] in ADDED and not of_a_path(*item)
    )
    return vehicle_of(raw), tuple(cast(Part, part) for part in added)


@lru_cache
def truck_description() -> car.Description:
    vehicle, parts = truck()
    return car.describe(vehicle, parts=parts)


def three_axles() -> Simulation:
    found = truck_description()
    sim = standing(found)
    disturb(sim)
    return sim


def test_the_truck_has_every_kind() -> None:
    vehicle, parts = truck()
    there = {(item.part.family, getattr(item.part, "kind", "")) for item in placed(vehicle.layout, parts)}
    there |= {("slip_control", control.kind) for control in (vehicle.brakes.abs, vehicle.drive.tcs)}  # type: ignore[union-attr]
    wanted = {
        item
        for item in kinds()
        if item[0] not in ALWAYS and item not in TOWED and (item[0] not in ONE or item in FIRST)
    }
    wanted = {item for item in wanted if not of_a_path(*item)}
    assert wanted - there == set()
    line = rig("driveline", "clutch")[0].driveline
    assert line is not None
    found = {(part.family, getattr(part, "kind", "")) for _, part in line.parts_by_key()}
    assert {(f, k) for f, k in kinds() if f in TOGETHER} == found


def test_three_axles_with_all_parts_keep_left_and_right() -> None:
    one, other = three_axles(), three_axles()
    mirror(other)
    one.advance(1)
    other.advance(1)
    assert_mirrored(one, other)


def test_three_axles_with_all_parts_go_on_from_a_snapshot_to_the_bit() -> None:
    assert_restored(three_axles())


# ---- units and bounds ------------------------------------------------------------------------------------------------


def quantities(cls: type[Data]) -> Iterator[tuple[str, Any]]:
    for name, info in cls.model_fields.items():
        if meta(info).get("kind") == "quantity":
            yield name, info


@every_kind
def test_every_number_has_a_unit_and_brings_it_to_the_model(family: str, kind: str) -> None:
    cls = PARTS.find(family, kind)
    found = dict(quantities(cls))
    assert found or only_looks(family, kind), "a part without numbers needs no kind, unless it only looks"
    for name, info in found.items():
        units.check_unit(meta(info)["unit"], name)
        assert info.description, name
    sim = standing(description(family, kind))
    prefix = prefix_of(family, kind)
    in_model = {v.name: v.unit for v in sim.model.parameters}
    same = {name for name in found if f"{prefix}{name}" in in_model}
    assert same or not found, "no number of it is in the model"
    for name in same:
        assert in_model[f"{prefix}{name}"] == meta(found[name])["unit"], name


def outside(info: Any) -> float | None:
    """A number just beyond the bounds of a field."""
    for item in info.metadata:
        for key, step in (("ge", -1.0), ("gt", 0.0), ("le", 1.0), ("lt", 0.0)):
            value = getattr(item, key, None)
            if value is not None:
                return float(value) + step
    return None


BOUNDED = [
    (family, kind, name, value)
    for family, kind in kinds()
    for name, info in quantities(PARTS.find(family, kind))
    if (value := outside(info)) is not None
]


@pytest.mark.parametrize(("family", "kind", "name", "value"), BOUNDED, ids=[f"{b[1]}-{b[2]}" for b in BOUNDED])
def test_a_number_out_of_bounds_is_refused_everywhere_alike(
    family: str, kind: str, name: str, value: float, tmp_path: Path
) -> None:
    path, prefix = path_of(family, kind), prefix_of(family, kind)
    vehicle, _ = rig(family, kind)
    if path:
        there = rf"{re.escape(path)}\.{name} = .*must be [≥><≤]"
        with pytest.raises(ParameterError, match=there):
            vehicle.with_(**{f"{path}.{name}": value})
        unit = meta(PARTS.find(family, kind).model_fields[name])["unit"]
        file, line = tmp_path / "rig.yaml", 0
        with file.open("w") as stream:
            for i, text in enumerate(marked(family, kind), 1):
                if text.endswith(f"# {name}"):
                    line, text = i, f"{text.partition(':')[0]}: {value!r} {unit}".removesuffix(" -")
                stream.write(f"{text}\n")
        with pytest.raises(ParameterError, match=rf"(?s){file.name}\n  line {line}  {there}"):
            jv.load(file)
    else:
        with pytest.raises(ValueError, match=name):
            PARTS.find(family, kind).model_validate({**example(family, kind), name: value})
    sim = standing(description(family, kind))
    if f"{prefix}{name}" in sim.parameters:
        with pytest.raises(ParameterError, match=rf"{re.escape(prefix)}{name}' = .*must be"):
            sim.set_parameters({f"{prefix}{name}": value})


@lru_cache
def marked(family: str, kind: str) -> tuple[str, ...]:
    """The lines of the rig as one file, every bounded number of the part in a line of its own that ends in its name."""
    from ruamel.yaml import YAML

    vehicle, _ = rig(family, kind)
    yaml, written = YAML(typ="rt", pure=True), io.StringIO()
    path = path_of(family, kind)
    with tempfile.TemporaryDirectory() as folder:
        raw = yaml.load(vehicle.save(Path(folder) / "rig.yaml").read_text())
    node: Any = raw
    for key in (int(k) if k.isdigit() else k for k in re.findall(r"\w+", path)):
        node = node[key]
    for name in (name for *part, name, _ in BOUNDED if part == [family, kind]):
        node.setdefault(name, vehicle.get(f"{path}.{name}"))
        node.yaml_add_eol_comment(name, name)
    node.fa.set_block_style()
    yaml.dump(raw, written)
    return tuple(written.getvalue().splitlines())


# ---- files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("family", "kind"), [item for item in kinds() if STANDS[item[0]][0]])
@pytest.mark.parametrize("form", ["folder", "one file"])
def test_a_vehicle_with_the_part_is_written_and_read_as_it_was(
    family: str, kind: str, form: str, tmp_path: Path
) -> None:
    vehicle, _ = rig(family, kind)
    again = jv.load(vehicle.save(tmp_path / ("rig.yaml" if form == "one file" else "rig")))
    assert again == vehicle
    found = again.get(path_of(family, kind))
    assert type(found) is PARTS.find(family, kind) and found.kind == kind


@pytest.mark.parametrize(
    ("family", "alias", "kind"),
    [("spring", "type", "rotational"), ("spring", "type", "translational"), ("brake", "model", "disc")],
)
def test_old_names_of_kind_are_still_read(family: str, alias: str, kind: str, tmp_path: Path) -> None:
    vehicle, _ = rig(family, kind)
    file = vehicle.save(tmp_path / "rig.yaml")
    text = file.read_text()
    assert f"kind: {kind}" in text
    file.write_text(text.replace(f"kind: {kind}", f"{alias}: {kind}"))
    assert jv.load(file) == vehicle
    assert vehicle.get(f"{STANDS[family][0]}.{alias}") == kind
    assert vehicle.with_(**{f"{STANDS[family][0]}.{alias}": kind}) == vehicle


def test_the_right_side_is_of_the_same_kind(tmp_path: Path) -> None:
    vehicle, _ = rig("spring", "rotational")
    path = STANDS["spring"][0]
    message = r"spring\.right\.kind = 'translational': both sides are of one kind"
    with pytest.raises(ParameterError, match=message):
        vehicle.with_(**{f"{path}.right": {"kind": "translational"}})
    file = vehicle.with_(**{f"{path}.right.rate": 39e3}).save(tmp_path / "rig.yaml")
    text = re.sub(r"(right:\n( +))rate: 39000", r"\1kind: translational\n\2rate: 39000", file.read_text())
    line = next(i for i, row in enumerate(text.splitlines(), 1) if "kind: translational" in row)
    file.write_text(text)
    with pytest.raises(ParameterError, match=rf"(?s)line {line} .*both sides are of one kind"):
        jv.load(file)


@pytest.mark.parametrize("family", [family for family in PARTS.families() if STANDS.get(family, ("",))[0]])
def test_an_unknown_kind_lists_the_known_ones(family: str, tmp_path: Path) -> None:
    kind = next(iter(PARTS.kinds(family)))
    vehicle, _ = rig(family, kind)
    known = ".*".join(PARTS.kinds(family))
    with pytest.raises(ParameterError, match=rf"kind = 'wobbly': unknown kind.*{known}"):
        vehicle.with_(**{f"{path_of(family, kind)}.kind": "wobbly"})


def test_an_example_that_is_missing_is_told() -> None:
    with pytest.raises(pytest.fail.Exception, match="'wobbly' of the family 'spring' has no example"):
        example("spring", "wobbly")


# ---- runs ------------------------------------------------------------------------------------------------------------


def assert_restored(sim: Simulation) -> None:
    sim.advance(5)
    here = sim.snapshot()
    sim.advance(20)
    first = [values.copy() for values in (sim.x, sim.m, sim.u, sim.b)]
    sim.restore(here)
    sim.advance(20)
    for before, after in zip(first, (sim.x, sim.m, sim.u, sim.b), strict=True):
        assert before.tobytes() == after.tobytes()


@every_kind
def test_a_run_goes_on_from_a_snapshot_to_the_bit(family: str, kind: str) -> None:
    assert_restored(simulation(family, kind))


@pytest.mark.parametrize(("family", "kind"), [item for item in kinds() if item[0] not in ALWAYS])
def test_a_part_that_is_switched_off_does_nothing(family: str, kind: str) -> None:
    """Its rates are those of the rig without it: sums of other terms, hence to rounding."""
    sim = simulation(family, kind)
    known = sim.parameters
    prefixes = [prefix_of(family, kind), across(prefix_of(family, kind))]
    sim.advance(1)  # sampled parts have worked
    on = rates(sim)
    sim = simulation(family, kind)
    sim.set_parameters({
        f"{prefix}{name}": value
        for prefix in dict.fromkeys(prefixes)
        for name, value in OFF[family].items()
        if f"{prefix}{name}" in known
    })  # fmt: skip
    sim.set_inputs(dict.fromkeys(ON.get((family, kind), {}), 0.0))
    without = simulation(family, kind, there=False)
    own = {v.name for v in (*without.model.states, *without.model.memories)}
    for known, value, give in (
        (sim.model.states, sim.state, (sim.set_states, without.set_states)),
        (sim.model.memories, sim.memory, (sim.set_memories, without.set_memories)),
    ):  # freedoms of its own are left where they do nothing, all others are where they are on the rig without it
        give[0]({v.name: v.default for v in known if v.name not in own})
        give[1]({v.name: value(v.name) for v in known if v.name in own})
    sim.advance(1)
    without.advance(1)
    off, expected = rates(sim), rates(without)
    acts = any(off[name] != pytest.approx(on[name], rel=1e-6) for name in expected)
    looks = only_looks(family, kind) or (family, kind) in WAITING
    assert acts == (not looks), "it does something when it is on; what only looks never does"
    for name, value in expected.items():
        assert off[name] == pytest.approx(value, rel=1e-11, abs=1e-10), name


FLAGS = {
    "spring": ("Main_Spring.activity_flag.L1", "Spring.Force_At_Wheel.L1"),
    "damper": ("Main_Damper.activation_flag.L1", "Damper.Force_At_Wheel.L1"),
    "bump_stop": ("Main_Bumpstop.activity_flag.L1", "Jounce_Bumper.Force_At_Wheel.L1"),
    "rebound_stop": ("Main_Reboundstop.activity_flag.R1", "Rebound_Bumper.Force_At_Wheel.R1"),
    "anti_roll_bar": ("Antiroll_Bar.activity_flag.front", "Suspension.Auxiliary_Roll_Force.SUSP1"),
}


@pytest.mark.parametrize("family", FLAGS)
def test_a_flag_of_a_run_takes_the_force_away(family: str) -> None:
    found = car.describe(vehicle_of(one_axle()), inputs=[flag for flag, _ in FLAGS.values()])
    sim = standing(found)
    disturb(sim)
    flag, channel = FLAGS[family]
    before, moved = outputs(sim)[channel], rates(sim)
    sim.set_inputs({flag: 0.0})
    assert abs(before) > 10.0 and outputs(sim)[channel] == 0.0
    wheel = next((c for c in ("L1", "R1") if flag.endswith(c)), "L1")
    assert abs(rates(sim)[f"{wheel}.jounce.rate"] - moved[f"{wheel}.jounce.rate"]) > 0.1
    sim.set_inputs({flag: 1.0})
    assert outputs(sim)[channel] == before


def catalogued(name: str) -> str:
    """The name in the reference list, which knows a unit with two axles and one tire at a wheel: the same of axle 2."""
    name = re.sub(r"^unit\d\.", "", name)
    name = name.replace("_twin_front", "_front").replace("_twin_rear", "_rear").replace("_twin", "")
    name = re.sub(r"(\b|_)([LR])[34]\b", r"\g<1>\g<2>2", name)
    return re.sub("axle[34]", "rear", name).replace("SUSP3", "SUSP2").replace("SUSP4", "SUSP2")


@every_kind
def test_every_channel_is_in_the_catalogue_with_its_unit(family: str, kind: str) -> None:
    check_channels(standing(description(family, kind)))


def test_every_channel_of_three_axles_is_in_the_catalogue_with_its_unit() -> None:
    check_channels(standing(truck_description()))


# What a torsion bar has where the list has a coil spring: torque for force, angle for length.
TURNED = {"Spring.Force_At_Spring": "N.m", "Spring.Jounce": "rad", "Spring.Jounce_Rate": "rad/s"}


def spring_at(sim: Simulation, channel: str) -> str:
    """The kind of the spring at the wheel of a channel, by the unit of its rate."""
    rate = f"{channel.rpartition('.')[2]}.spring.rate"
    unit = next(v.unit for v in sim.model.parameters if v.name == rate)
    return "rotational" if unit == "N.m/rad" else "translational"


def check_channels(sim: Simulation) -> None:
    for item in sim.model.outputs:
        name = catalogued(item.name)
        assert name in catalogue(), f"{item.name}: not in channels.csv; one of ours has a row in the group jounce"
        turned = TURNED.get(item.name.rpartition(".")[0]) == item.unit and spring_at(sim, item.name) == "rotational"
        assert turned or catalogue().find(name, "output").si_unit in ("", item.unit), item.name
