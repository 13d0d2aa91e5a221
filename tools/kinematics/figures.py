"""Key figures of a suspension at design, from the exact derivatives of its linkage.

Per wheel (left), with travel J, contact point c below the wheel centre at its height r, half track t/2, and x_c, y_c
the path of the contact point when the wheel is locked to its carrier:

    dy_c/dJ = dy/dJ - r dcamber/dJ,     dx_c/dJ = dx/dJ + r dsva/dJ                                                (1)
    roll-centre height  = t/2 dy_c/dJ                                                                              (2)
    anti-dive (front)   = +(share of braking) L/h dx_c/dJ,   anti-lift (rear) = -(share) L/h dx_c/dJ                 (3)
    anti-squat (rear)   = -(share of drive) L/h dx/dJ; of an axle that holds its own final drive, with dx_c/dJ       (4)
    steering ratio      = (2 pi / c) / (dsteer/du),   c: rack travel per turn of the hand wheel                      (5)
    roll steer (rear)   = t/2 dtoe/dJ: yaw of the wheels per roll angle, positive understeering                      (6)

(2)-(4) by virtual work: a force F_x on the wheel adds F_x dx_c/dJ to the force of the suspension, to be compared with
the load transfer m a h/L [Milliken1995, Matschinsky2007]. The derivative d/dJ is that of parallel travel (both wheels
up) for bump steer, camber gain, (3) and (4), and that of opposite travel for (2), (6) and roll camber; the two are the
same for independent suspensions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from kinematics.elements import Element, steering_axis
from kinematics.linkages import Linkage

DEGREES = 180.0 / math.pi


@dataclass(frozen=True)
class Layout:
    """What of the whole car the figures need. SI."""

    wheelbase: float
    cg_height: float
    brake_front: float  # share of brake torque
    drive_front: float  # share of drive torque


@dataclass(frozen=True)
class Slopes:
    """Derivatives of the left wheel's maps by travel, parallel (both wheels) and opposite."""

    parallel: dict[str, float]
    opposite: dict[str, float]


def slopes(linkage: Linkage) -> Slopes:
    """The derivatives at design."""
    found = linkage.at_design.slopes(0)
    own = {name: float(value[0, 0]) for name, value in found.items()}
    if len(linkage.wheels) == 1:
        return Slopes(own, own)
    other = {name: float(value[0, 1]) for name, value in found.items()}
    return Slopes({k: own[k] + other[k] for k in own}, {k: own[k] - other[k] for k in own})


def axle_figures(linkage: Linkage, layout: Layout, *, front: bool, solid: bool = False) -> dict[str, float]:
    """Figures of an axle; lengths in mm, angles in deg, per travel in deg/m, shares in %."""
    centre = np.asarray(linkage.wheels[0].centre, dtype=float)
    half_track, radius = float(centre[1]), float(centre[2])
    found = slopes(linkage)
    up, roll = found.parallel, found.opposite
    x_contact = up["x"] + radius * up["side_view_angle"]
    y_contact = roll["y"] - radius * roll["camber"]
    lever = layout.wheelbase / layout.cg_height
    braking = layout.brake_front if front else 1.0 - layout.brake_front
    driving = layout.drive_front if front else 1.0 - layout.drive_front
    sense = 1.0 if front else -1.0
    out = {
        "roll_centre": 1e3 * half_track * y_contact,
        # understeering positive: toe-out in bump at the front, toe-in at the rear
        "bump_steer": -sense * DEGREES * up["toe"],
        "camber_gain": DEGREES * up["camber"],
        "anti_dive" if front else "anti_lift": 100.0 * sense * braking * lever * x_contact,
        "anti_lift_drive" if front else "anti_squat": 100.0
        * sense
        * driving
        * lever
        * (x_contact if solid else up["x"]),
        "side_view_angle_gain": DEGREES * up["side_view_angle"],
        "wheel_recession": 1e3 * -up["x"],
    }
    if len(linkage.wheels) > 1:
        out["roll_steer"] = 100.0 * half_track * roll["toe"]
        out["roll_camber"] = DEGREES * roll["camber"]
    return out


def steering_figures(linkage: Linkage, spring: Element, rack_per_turn: float) -> dict[str, float]:
    """Figures of the steering axis (spring locked) and the overall ratio; lengths in mm, angles in deg."""
    motion = linkage.at_design
    centre = np.asarray(linkage.wheels[0].centre, dtype=float)
    axis = steering_axis(motion, spring)
    point, direction = centre + axis.point[0], axis.direction[0]
    ground = point - direction * (point[2] / direction[2])
    steer = -float(motion.slopes(0)["toe"][0, -1])
    return {
        "caster": DEGREES * float(axis.caster[0]),
        "mechanical_trail": 1e3 * float(ground[0] - centre[0]),
        "kingpin_inclination": DEGREES * float(axis.inclination[0]),
        "scrub_radius": 1e3 * float(centre[1] - ground[1]),
        "steering_ratio": 2.0 * math.pi / (rack_per_turn * steer),
        "rack_per_turn": 1e3 * rack_per_turn,
    }


def motion_ratio(linkage: Linkage, element: Element) -> tuple[float, float]:
    """Deflection per travel at design, in parallel and in opposite travel."""
    ratio = element.ratio(linkage.at_design)[0]
    if len(linkage.wheels) == 1:
        return float(ratio[0]), float(ratio[0])
    return float(ratio[0] + ratio[1]), float(ratio[0] - ratio[1])
