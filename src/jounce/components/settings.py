"""Settings of the whole model."""

from __future__ import annotations

from typing import Literal

from jounce.core.constants import GRAVITY
from jounce.core.fields import Data, choice, flag, part, quantity


class Statics(Data):
    """Search for equilibrium: thresholds, limits, helpers."""

    abort_time: float = quantity("s", 100.0, gt=0, doc="give up the dynamic relaxation after this simulated time")
    translational_speed: float = quantity("m/s", 0.001, gt=0, doc="limit of the norm of translational speeds")
    translational_acceleration: float = quantity("m/s2", 0.001, gt=0, doc="limit of the norm of accelerations")
    angular_speed: float = quantity("rad/s", 0.001, gt=0, doc="limit of the norm of angular speeds")
    angular_acceleration: float = quantity("rad/s2", 0.001, gt=0, doc="limit of the norm of angular accelerations")
    use_brakes: bool = flag(False, doc="brakes engaged during the search")
    use_linear_damper: bool = flag(False, doc="linear dampers instead of the given ones during the search")
    linear_damper_rate_front: float = quantity(
        "N.s/m", 5000.0, ge=0, typical=(20.0, 3e5), doc="their rate at a front wheel"
    )
    linear_damper_rate_rear: float = quantity(
        "N.s/m", 5000.0, ge=0, typical=(20.0, 3e5), doc="their rate at a rear wheel"
    )
    use_linear_spring: bool = flag(False, doc="linear springs instead of the given ones during the search")
    linear_spring_rate_front: float = quantity(
        "N/m", 100e3, ge=0, typical=(1e3, 5e6), doc="their rate at a front wheel"
    )
    linear_spring_rate_rear: float = quantity("N/m", 100e3, ge=0, typical=(1e3, 5e6), doc="their rate at a rear wheel")
    brake_damping: float = quantity("N.m.s/rad", 0.0, ge=0, doc="damping of wheel spin during the search")
    time_step: float | None = quantity(
        "s", None, presence=False, gt=0, doc="step of the relaxation; absent: that of the event"
    )


class Splines(Data):
    """How tables become smooth functions."""

    method: Literal["akima", "deboor", "cubic", "linear"] = choice("akima", doc="interpolation of all tables")
    element_extrapolation: Literal["flat", "linear", "spline"] = choice(
        "linear", doc="beyond the data of springs, dampers, stops and ratios"
    )


class KinematicMaps(Data):
    """Options of the wheel-guiding maps."""

    polynomial: bool = choice(False, doc="replace the tables by a least-squares polynomial")
    polynomial_order: int = choice(3, ge=1, le=15, doc="its order along each axis")
    extrapolation: Literal["flat", "linear", "spline"] = choice(
        "flat", doc="beyond the data: hold the end, go on straight, or continue the spline"
    )


class BodyCompliance(Data):
    """Gains that lock the freedoms of a split body which are not released.

    Absent gains are found from masses and inertias of the halves: 50 Hz, damping ratio 0.7, and an integral part that
    takes over a lasting load within some hundredths of a second; stable with explicit steps of 1 ms.
    """

    rotational_kp: float | None = quantity("N.m/rad", None, presence=False, gt=0, doc="torque per angle")
    rotational_kd: float | None = quantity("N.m.s/rad", None, presence=False, ge=0, doc="torque per angular speed")
    rotational_ki: float | None = quantity("N.m/(rad.s)", None, presence=False, ge=0, doc="rate of torque per angle")
    translational_kp: float | None = quantity("N/m", None, presence=False, gt=0, doc="force per displacement")
    translational_kd: float | None = quantity("N.s/m", None, presence=False, ge=0, doc="force per speed")
    translational_ki: float | None = quantity("N/(m.s)", None, presence=False, ge=0, doc="rate of force per shift")


class Settings(Data):
    """Settings of the whole model."""

    gravity: float = quantity("m/s2", GRAVITY, ge=0, typical=(1.0, 30.0), doc="acceleration of gravity")
    simplified_model: Literal[0, 1, 2] = choice(
        0,
        doc="0 full; 1 simplified: wheels move straight up and down; 2 kinematic: no compliance, no extra freedoms",
    )
    torque_reaction: Literal["chassis", "carrier"] = choice(
        "chassis", doc="where drive torque reacts: chassis (shaft drive) or carrier (hub motor)"
    )
    carrier_rotation: Literal["3-1-2", "3-2-1"] = choice("3-1-2", doc="sequence of toe, camber and side-view angle")
    road_plane: Literal["ground", "contacts", "estimated", "heights"] = choice(
        "ground",
        doc="what heights over the road and aerodynamics refer to: the ground below, or a plane through the contacts, "
        "for wheels in the air the last one, their estimated contacts, or the heights they had",
    )
    steering_acceleration: bool = choice(False, doc="keep the terms with the second derivative of the steering input")
    splines: Splines = part({}, doc="interpolation")
    kinematic_maps: KinematicMaps = part({}, doc="options of the wheel-guiding maps")
    body_compliance: BodyCompliance = part({}, doc="locks of a split body")
    statics: Statics = part({}, doc="search for equilibrium")
