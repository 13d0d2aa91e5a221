"""What is told of the motion of a body and of the whole vehicle: names of the channel catalogue, SI, ISO 8855.

Angles of a body are a 3-2-1 sequence from the world: yaw ψ, pitch θ (nose down positive), roll φ (right side down
positive). Three levelled frames turn with the car's heading and stay horizontal: ``Tracking`` at the centre of gravity,
``gyro`` at the sensor point, and that of the road, whose z is the normal of the ground.

    ẍ_CG = Σ mᵢ aᵢ / Σ mᵢ          centre of gravity of a unit with its wheels (System_Mass_Center)                 (1)
    κ = (ẋ × ẍ)·z / |ẋ|³            curvature of its path                                                     (2)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jounce.components.model import UnitModel
from jounce.symbolic.ops import asin, atan2, clip, cos, fmax, if_else, sin, sqrt

STANDING = 1e-6  # m/s, below which a direction of motion means nothing

Vector = Sequence[Any]


def angles(orientation: Any) -> tuple[Any, Any, Any]:
    """Yaw, pitch, roll of the 3-2-1 sequence of a rotation matrix."""
    r = orientation
    return atan2(r[1][0], r[0][0]), asin(clip(-r[2][0], -1.0, 1.0)), atan2(r[2][1], r[2][2])


def levelled(vector: Vector, heading: Any) -> tuple[Any, Any]:
    """Horizontal components of a world vector along and across a heading."""
    c, s = cos(heading), sin(heading)
    return c * vector[0] + s * vector[1], c * vector[1] - s * vector[0]


def chassis(at: UnitModel, point: Vector, origin: Vector) -> Any:
    """Motion of the chassis at its reference point and centre of gravity; returns its heading."""
    channel, system, chassis = at.channel, at.system, at.chassis
    yaw, pitch, roll = angles(chassis.orientation)
    position = chassis.point(point)
    for axis, value in zip(("longitudinal", "lateral", "vertical"), position, strict=True):
        channel(f"chassis_displacements.{axis}", value, "m", "of the chassis' reference point, world axes")
    for name, value in (("yaw", yaw), ("pitch", pitch), ("roll", roll)):
        channel(f"chassis_displacements.{name}", value, "rad", "from the world, 3-2-1", watch=name == "roll")
    surface = at.ground.under(chassis, point)
    n = surface.normal  # in chassis axes: third row of the rotation from the chassis to the road
    channel("chassis_displacements.vertical_wrt_road", surface.height, "m", "height above the road")
    channel("chassis_displacements.pitch_wrt_road", asin(clip(-n[0], -1.0, 1.0)), "rad", "from the road")
    channel("chassis_displacements.roll_wrt_road", atan2(n[1], n[2]), "rad", "from the road")

    v = chassis.point_velocity(point)
    a = system.frame_acceleration(chassis, point)
    for i, axis in enumerate(("longitudinal", "lateral", "vertical")):
        channel(f"chassis_velocities.{axis}", v[i], "m/s", "of the reference point, chassis axes", watch=i < 2)
        channel(f"chassis_accelerations.{axis}", a[i], "m/s2", "of the reference point, chassis axes")
    alpha = system.frame_angular_acceleration(chassis)
    for i, axis in enumerate(("roll", "pitch", "yaw")):
        channel(f"chassis_velocities.{axis}", chassis.w[i], "rad/s", "chassis axes", watch=i == 2)
        channel(f"chassis_accelerations.{axis}", alpha[i], "rad/s2", "chassis axes")

    centre_v, centre_a = chassis.v, system.frame_acceleration(chassis)
    world_v, world_a = chassis.to_world(centre_v), chassis.to_world(centre_a)
    tracking_v, tracking_a = levelled(world_v, yaw), levelled(world_a, yaw)
    world_w, world_alpha = chassis.to_world(chassis.w), chassis.to_world(alpha)
    for i, axis in enumerate("XYZ"):
        small = axis.lower()
        channel(f"Vehicle.CM_Global_{axis}", chassis.position[i], "m", "centre of gravity of the sprung mass, world")
        channel(f"Vehicle.CM_Body_Fixed_V{small}", centre_v[i], "m/s", "of it, chassis axes")
        channel(f"Vehicle.CM_Body_Fixed_A{small}", centre_a[i], "m/s2", "of it, chassis axes")
        channel(f"Vehicle.Body_Fixed_Omega_{axis}", chassis.w[i], "rad/s", "chassis axes")
        channel(f"Vehicle.Body_Fixed_Alpha_{axis}", alpha[i], "rad/s2", "chassis axes")
        channel(f"Vehicle.Global_Omega_{axis}", world_w[i], "rad/s", "world axes")
        channel(f"Vehicle.Global_Alpha_{axis}", world_alpha[i], "rad/s2", "world axes")
    for i, axis in enumerate("xy"):
        channel(f"Vehicle.CM_Global_V{axis}", world_v[i], "m/s", "of the sprung mass, world axes")
        channel(f"Vehicle.CM_Global_A{axis}", world_a[i], "m/s2", "of the sprung mass, world axes")
        channel(f"Vehicle.CM_Tracking_V{axis}", tracking_v[i], "m/s", "of the sprung mass, levelled axes")
        channel(f"Vehicle.CM_Tracking_A{axis}", tracking_a[i], "m/s2", "of the sprung mass, levelled axes")
    channel("Vehicle.CM_Global_And_Tracking_Vz", world_v[2], "m/s", "of the sprung mass, upwards")
    channel("Vehicle.CM_Global_And_Tracking_Az", world_a[2], "m/s2", "of the sprung mass, upwards")
    for name, value in (("Yaw", yaw), ("Pitch", pitch), ("Euler_Roll", roll)):
        channel(f"Vehicle.{name}", value, "rad", "from the world, 3-2-1")
    up = chassis.from_world([0.0, 0.0, 1.0])
    channel("Vehicle.Inclination_Roll", asin(clip(up[1], -1.0, 1.0)), "rad", "between lateral axis and horizon")
    slip = atan2(tracking_v[1], tracking_v[0])
    channel("Vehicle.Side_Slip_Angle", slip, "rad", "of the sprung mass' centre", watch=True)
    for axis, value in zip("XYZ", chassis.point(origin), strict=True):
        channel(f"Vehicle.Origin_Global_{axis}", value, "m", "origin of the vehicle reference frame, world axes")
    return yaw


def whole(at: UnitModel, heading: Any) -> None:
    """Centre of gravity of a unit with its wheels (1, 2)."""
    channel, system = at.channel, at.system
    mass: Any = 0.0
    sums: list[list[Any]] = [[0.0] * 3, [0.0] * 3, [0.0] * 3]
    for frame, m in at.masses:
        mass = mass + m
        terms = (frame.position, frame.to_world(frame.v), frame.to_world(system.frame_acceleration(frame)))
        sums = [[s + m * t for s, t in zip(total, term, strict=True)] for total, term in zip(sums, terms, strict=True)]
    position, v, a = ([s / mass for s in total] for total in sums)
    for i, axis in enumerate("XYZ"):
        small = axis.lower()
        channel(f"System_Mass_Center.Global_{axis}", position[i], "m", "centre of gravity of the car, world axes")
        channel(f"System_Mass_Center.Global_V{small}", v[i], "m/s", "of it, world axes")
        channel(f"System_Mass_Center.Global_A{small}", a[i], "m/s2", "of it, world axes")
    (vx, vy), (ax, ay) = levelled(v, heading), levelled(a, heading)
    for name, unit, value in (("Vx", "m/s", vx), ("Vy", "m/s", vy), ("Ax", "m/s2", ax), ("Ay", "m/s2", ay)):
        channel(f"System_Mass_Center.Tracking_{name}", value, unit, "of it, levelled axes along the heading")
    channel("System_Mass_Center.Side_Slip_Angle", atan2(vy, vx), "rad", "of it")
    speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    plane = sqrt(v[0] * v[0] + v[1] * v[1])
    moving = fmax(plane, STANDING)
    across = (v[0] * a[1] - v[1] * a[0]) / moving
    channel("System_Mass_Center.Speed", speed, "m/s", "of it")
    channel("System_Mass_Center.Normal_Acceleration", if_else(plane > STANDING, across, 0.0), "m/s2", "across its path")
    along = (v[0] * a[0] + v[1] * a[1]) / moving
    channel(
        "System_Mass_Center.Tangential_Acceleration", if_else(plane > STANDING, along, 0.0), "m/s2", "along its path"
    )
    curvature = if_else(plane > STANDING, across / (moving * moving), 0.0)
    channel("System_Mass_Center.Path_Curvature", curvature, "1/m", "of its path, left positive")


def norms(at: UnitModel) -> None:
    """Roots of the summed squares over all bodies: what statics brings to zero."""
    system = at.system
    sums: list[Any] = [0.0] * 4
    for frame, _ in (item for unit in at.vehicle.units for item in unit.masses):
        alpha = system.frame_angular_acceleration(frame)
        for i, vector in enumerate((frame.v, system.frame_acceleration(frame), frame.w, alpha)):
            sums[i] = sums[i] + _dot(vector, vector)
    for name, unit, value in zip(
        ("Translational_Speed", "Translational_Acceleration", "Angular_Speed", "Angular_Acceleration"),
        ("m/s", "m/s2", "rad/s", "rad/s2"),
        sums,
        strict=True,
    ):
        at.channel(f"System.{name}_Norm", sqrt(value), unit, "over all bodies; what statics brings to zero")


def sensor(at: UnitModel, point: Vector, heading: Any) -> None:
    """Sensor point: body-fixed accelerometer, and the levelled frame at it."""
    channel, system, chassis = at.channel, at.system, at.chassis
    position = chassis.point(point)
    v, a = chassis.point_velocity(point), system.frame_acceleration(chassis, point)
    gravity = chassis.gravity
    felt = [x - g for x, g in zip(a, gravity, strict=True)]
    world_v, world_a = chassis.to_world(v), chassis.to_world(a)
    gyro_v, gyro_a = levelled(world_v, heading), levelled(world_a, heading)
    for i, axis in enumerate("xyz"):
        channel(f"Sensor.Global_{axis.upper()}", position[i], "m", "sensor point, world axes")
        channel(f"Sensor.V{axis}", v[i], "m/s", "of it, chassis axes")
        channel(f"Sensor.A{axis}", felt[i], "m/s2", "what a body-fixed accelerometer feels, gravity included")
    for i, axis in enumerate("xy"):
        channel(f"Sensor.A{axis}_Without_Gravity", gyro_a[i], "m/s2", "of it, levelled axes")
        channel(f"Sensor.Acc{axis.upper()}_gyro", gyro_a[i], "m/s2", "of it, levelled axes")
        channel(f"Gyro.gyro_ACC{axis.upper()}", gyro_a[i], "m/s2", "of it, levelled axes")
        channel(f"Gyro.gyro_{axis.upper()}", position[i], "m", "of it, world axes")
    channel("Sensor.Az_Without_Gravity", world_a[2], "m/s2", "of it, upwards")
    channel("Sensor.Vx_gyro", gyro_v[0], "m/s", "of it, levelled axes")
    channel("Gyro.gyro_VX", gyro_v[0], "m/s", "of it, levelled axes")
    channel("Sensor.YawRate_gyro", chassis.to_world(chassis.w)[2], "rad/s", "about the vertical")
    _against_road(at, position, v, a)


def _against_road(at: UnitModel, position: Vector, v: Vector, a: Vector) -> None:
    """Motion in the axes of the road: z its normal, x the car's forward direction in it."""
    channel, system, chassis = at.channel, at.system, at.chassis
    n = list(at.ground.under(chassis, [0.0, 0.0, 0.0]).normal)
    ahead: list[Any] = [1 - n[0] * n[0], -n[0] * n[1], -n[0] * n[2]]
    length = sqrt(_dot(ahead, ahead))
    ahead = [x / length for x in ahead]
    left = [n[1] * ahead[2] - n[2] * ahead[1], n[2] * ahead[0] - n[0] * ahead[2], n[0] * ahead[1] - n[1] * ahead[0]]
    axes = (("longitudinal", ahead), ("lateral", left), ("vertical", n))
    for i, (name, e) in enumerate(axes):
        channel(f"Vehicle_States.{name}_vel_wrt_road", _dot(v, e), "m/s", "sensor point, road axes")
        channel(f"Vehicle_States.{name}_acc_wrt_road", _dot(a, e), "m/s2", "sensor point, road axes")
        channel(f"Vehicle_States.{name}_disp", position[i], "m", "sensor point, world axes")
    vx, vy = _dot(v, ahead), _dot(v, left)
    channel("Vehicle_States.horizontal_vel_wrt_road", sqrt(vx * vx + vy * vy), "m/s", "sensor point, along the road")
    channel("Vehicle_States.side_slip", atan2(vy, vx), "rad", "of the sensor point, along the road")
    alpha = system.frame_angular_acceleration(chassis)
    turn = zip(("roll", "pitch", "yaw"), (ahead, left, n), angles(chassis.orientation)[::-1], strict=True)
    for name, e, angle in turn:
        channel(f"Vehicle_States.{name}_angular_vel_wrt_road", _dot(chassis.w, e), "rad/s", "road axes")
        channel(f"Vehicle_States.{name}_angular_acc_wrt_road", _dot(alpha, e), "rad/s2", "road axes")
        channel(f"Vehicle_States.{name}_angle", angle, "rad", "from the world, 3-2-1")


def loads(at: UnitModel) -> None:
    """Shares of the wheel loads; diagonals and ends of a unit with two axles."""
    loads = {name: wheel.load for name, wheel in at.wheels.items()}
    pairs = [axle.wheels for axle in at.axles if len(axle.wheels) == 2]
    if len(pairs) != 2 or len(at.axles) != 2:
        return
    total = fmax(sum(loads.values()), 1e-9)
    (front_left, front_right), (rear_left, rear_right) = pairs
    for name, pair in (
        ("crossL1R2_ratio", (front_left, rear_right)),
        ("crossR1L2_ratio", (front_right, rear_left)),
        ("nose_ratio", (front_left, front_right)),
        ("side_right_ratio", (front_right, rear_right)),
    ):
        share = sum(loads[wheel.place.name] for wheel in pair) / total
        at.channel(f"cross_weight.{name}", share, "-", "share of the wheel loads")


def _dot(a: Vector, b: Vector) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
