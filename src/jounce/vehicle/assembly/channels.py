"""What is told of the motion of the car and of its wheels and tires: names of the channel catalogue, SI, ISO 8855.

Angles of a body are a 3-2-1 sequence from the world: yaw ψ, pitch θ (nose down positive), roll φ (right side down
positive). Three levelled frames turn with the car's heading and stay horizontal: ``Tracking`` at the centre of gravity,
``gyro`` at the sensor point, and that of the road, whose z is the normal of the ground.

    ẍ_CG = Σ mᵢ aᵢ / Σ mᵢ          centre of gravity of the whole car (System_Mass_Center)                      (1)
    κ = (ẋ × ẍ)·z / |ẋ|³            curvature of its path                                                     (2)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jounce.components.tire.mounted import Mounted
from jounce.symbolic.frames import cross
from jounce.symbolic.ops import asin, atan, atan2, clip, cos, fmax, if_else, sin, sqrt
from jounce.vehicle.assembly.context import CORNERS, TWINS, WORDS, Context

STANDING = 1e-6  # m/s, below which a direction of motion means nothing

Vector = Sequence[Any]


def add(context: Context) -> None:
    """All channels of the whole car."""
    context.channel("driver_demands.throttle", context.inputs.throttle, "-", "drive demand, 0 to 1")
    context.channel("driver_demands.brake", context.inputs.brake, "-", "brake demand, 0 to 1")
    heading = _chassis(context)
    _whole_car(context, heading)
    _sensor(context, heading)
    _norms(context)
    _straight_line(context)
    for place in CORNERS:
        _wheel(context, place)
        here = context.corners[place]
        _tire(context, place, place, here.tire)
        if here.twin is not None:
            _tire(context, TWINS[place], place, here.twin)
    _suspension(context)


def angles(orientation: Any) -> tuple[Any, Any, Any]:
    """Yaw, pitch, roll of the 3-2-1 sequence of a rotation matrix."""
    r = orientation
    return atan2(r[1][0], r[0][0]), asin(clip(-r[2][0], -1.0, 1.0)), atan2(r[2][1], r[2][2])


def levelled(vector: Vector, heading: Any) -> tuple[Any, Any]:
    """Horizontal components of a world vector along and across a heading."""
    c, s = cos(heading), sin(heading)
    return c * vector[0] + s * vector[1], c * vector[1] - s * vector[0]


def _chassis(context: Context) -> Any:
    channel, system, chassis = context.channel, context.system, context.chassis
    reference = context.vehicle.body.reference_point
    scope = system.scope("body")
    point: Vector = [0.0, 0.0, 0.0]
    if reference is not None:
        point = context.place(scope, "reference_point", reference.array)
    yaw, pitch, roll = angles(chassis.orientation)
    position = chassis.point(point)
    for axis, value in zip(("longitudinal", "lateral", "vertical"), position, strict=True):
        channel(f"chassis_displacements.{axis}", value, "m", "of the chassis' reference point, world axes")
    for name, value in (("yaw", yaw), ("pitch", pitch), ("roll", roll)):
        channel(f"chassis_displacements.{name}", value, "rad", "from the world, 3-2-1", watch=name == "roll")
    surface = context.ground.under(chassis, point)
    n = surface.normal  # in chassis axes: third row of the rotation from the chassis to the road
    channel("chassis_displacements.vertical_wrt_road", surface.height, "m", "height above the road")
    channel("chassis_displacements.pitch_wrt_road", asin(clip(-n[0], -1.0, 1.0)), "rad", "from the road")
    channel("chassis_displacements.roll_wrt_road", atan2(n[1], n[2]), "rad", "from the road")

    v = chassis.point_velocity(point)
    a = system.frame_acceleration(chassis, point)
    for i, axis in enumerate(("longitudinal", "lateral", "vertical")):
        channel(f"chassis_velocities.{axis}", v[i], "m/s", "of the reference point, chassis axes", watch=i < 2)
        channel(f"chassis_accelerations.{axis}", a[i], "m/s2", "of the reference point, chassis axes")
    alpha = [system.acceleration(w) for w in chassis.w]
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
    origin = [-float(x) for x in context.origins[2]]
    where = [
        scope.parameter(f"origin.{a}", o, "m", "of the vehicle reference frame")
        for a, o in zip("xyz", origin, strict=True)
    ]
    for axis, value in zip("XYZ", chassis.point(where), strict=True):
        channel(f"Vehicle.Origin_Global_{axis}", value, "m", "origin of the vehicle reference frame, world axes")
    return yaw


def _whole_car(context: Context, heading: Any) -> None:
    """Centre of gravity of the whole car (1, 2)."""
    channel, system = context.channel, context.system
    mass: Any = 0.0
    sums: list[list[Any]] = [[0.0] * 3, [0.0] * 3, [0.0] * 3]
    for frame, m in context.masses:
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


def _norms(context: Context) -> None:
    """Roots of the summed squares over all bodies: what statics brings to zero."""
    system = context.system
    sums: list[Any] = [0.0] * 4
    for frame, _ in context.masses:
        alpha = system.frame_angular_acceleration(frame)
        for i, vector in enumerate((frame.v, system.frame_acceleration(frame), frame.w, alpha)):
            sums[i] = sums[i] + _dot(vector, vector)
    for name, unit, value in zip(
        ("Translational_Speed", "Translational_Acceleration", "Angular_Speed", "Angular_Acceleration"),
        ("m/s", "m/s2", "rad/s", "rad/s2"),
        sums,
        strict=True,
    ):
        context.channel(f"System.{name}_Norm", sqrt(value), unit, "over all bodies; what statics brings to zero")


def _straight_line(context: Context) -> None:
    """Offset from a line of the point ahead that the car aims at; the line and the distance are parameters."""
    scope, chassis = context.system.scope("line"), context.chassis
    x, y = scope.parameter("x", 0.0, "m", "a point of the line"), scope.parameter("y", 0.0, "m", "a point of the line")
    heading = scope.parameter("heading", 0.0, "rad", "of the line, from the world's x axis")
    preview = scope.parameter("preview", 20.0, "m", "distance ahead of the centre of gravity")
    ahead, p = chassis.to_world([1.0, 0.0, 0.0]), chassis.position
    dx, dy = p[0] + preview * ahead[0] - x, p[1] + preview * ahead[1] - y
    offset = cos(heading) * dy - sin(heading) * dx
    context.channel("Straight_Line.Offset_Ahead", offset, "m", "of the point aimed at, left positive", watch=True)


def _sensor(context: Context, heading: Any) -> None:
    """Sensor point: body-fixed accelerometer, and the levelled frame at it."""
    channel, system, chassis = context.channel, context.system, context.chassis
    point = context.place(system.scope("body"), "sensor_point", context.vehicle.body.sensor_point.array)
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
    _against_road(context, position, v, a)


def _against_road(context: Context, position: Vector, v: Vector, a: Vector) -> None:
    """Motion in the axes of the road: z its normal, x the car's forward direction in it."""
    channel, system, chassis = context.channel, context.system, context.chassis
    n = list(context.ground.under(chassis, [0.0, 0.0, 0.0]).normal)
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
    alpha = [system.acceleration(w) for w in chassis.w]
    turn = zip(("roll", "pitch", "yaw"), (ahead, left, n), angles(chassis.orientation)[::-1], strict=True)
    for name, e, angle in turn:
        channel(f"Vehicle_States.{name}_angular_vel_wrt_road", _dot(chassis.w, e), "rad/s", "road axes")
        channel(f"Vehicle_States.{name}_angular_acc_wrt_road", _dot(alpha, e), "rad/s2", "road axes")
        channel(f"Vehicle_States.{name}_angle", angle, "rad", "from the world, 3-2-1")


def _wheel(context: Context, place: str) -> None:
    channel, here = context.channel, context.corners[place]
    sign = -1.0 if place[0] == "L" else 1.0
    carrier, words = here.carrier, WORDS[place]
    channel(f"Wheel.Omega.{place}", here.rotor.spin, "rad/s", "spin relative to the carrier")
    channel(f"Wheel.Alpha.{place}", context.system.acceleration(here.rotor.spin), "rad/s2", "its rate")
    channel(f"Wheel.Drive_Moment.{place}", here.drive_torque, "N.m", "drive torque on the wheel")
    channel(f"Wheel.Spindle_Steer.{place}", here.psi, "rad", "rotation about chassis z, left positive")
    channel(f"Wheel.Side_View_Angle.{place}", here.side_view_angle, "rad", "top rearwards positive")
    channel(f"Wheel.Inclination.{place}", here.tire.contact.gamma, "rad", "to the road, top to the right positive")
    channel(f"wheel_angles.toe_{place}", sign * here.psi, "rad", "toe-in, from the chassis")
    channel(f"wheel_angles.camber_{place}", here.camber, "rad", "top outwards, from the chassis")
    channel(f"wheel_angles.caster_{place}", here.side_view_angle, "rad", "side view angle, top rearwards")
    channel(
        f"wheel_angles.camber_wrt_road_{place}",
        sign * here.tire.contact.gamma,
        "rad",
        "top outwards, from the road",
    )
    position, v = carrier.position, carrier.to_world(carrier.v)
    a = context.system.frame_acceleration(carrier)
    for i, axis in enumerate("XYZ"):
        channel(f"Wheel.Global_{axis}.{place}", position[i], "m", "wheel centre, world axes")
        channel(f"Wheel.Global_V{axis.lower()}.{place}", v[i], "m/s", "wheel centre, world axes")
        channel(f"Wheel.Hub_Carrier_V{axis.lower()}.{place}", carrier.v[i], "m/s", "wheel centre, carrier axes")
        channel(f"Wheel.hub_center_acc{axis.lower()}.{words}", a[i], "m/s2", "wheel centre, carrier axes")
    shift = (here.x, here.y, context.travel[place][0])
    for axis, value in zip("xyz", shift, strict=True):
        channel(f"Wheel.wheel_center_disp{axis}.{words}", value, "m", "from design, chassis axes")


def _tire(context: Context, place: str, corner: str, mounted: Mounted) -> None:
    channel, here = context.channel, context.corners[corner]
    v, contact = mounted.values, mounted.contact
    side, end = place[0].lower(), "front" if place[1] == "1" else "rear"
    if place != corner:
        end = f"twin_{end}"
    forces = f"ti{side}_wheel_tire_forces"
    for name, short, key, unit, doc in (
        ("Force_X", "longitudinal", "fx", "N", "longitudinal force at the contact, forward"),
        ("Force_Y", "lateral", "fy", "N", "lateral force at the contact, to the left"),
        ("Force_Z", "normal", "fz", "N", "wheel load"),
        ("Moment_X", "overturning_moment", "mx", "N.m", "overturning moment at the contact"),
        ("Moment_Y", "rolling_resistance", "my", "N.m", "rolling resistance moment at the contact"),
        ("Moment_Z", "aligning_torque", "mz", "N.m", "aligning moment at the contact"),
    ):
        channel(f"Tire.Ground_Surface_{name}.{place}", v[key], unit, doc)
        channel(f"{forces}.{short}_{end}", v[key], unit, doc)
    channel(f"Tire.Longitudinal_Slip_With_Lag.{place}", v["kappa"], "-", "slip that makes the force")
    channel(f"Tire.Lateral_Slip_With_Lag.{place}", v["alpha"], "rad", "slip angle that makes the force")
    kinematics = f"ti{side}_wheel_tire_kinematics"
    channel(f"{kinematics}.longitudinal_slip_{end}", v["kappa"], "-", "slip that makes the force")
    channel(f"{kinematics}.lateral_slip_{end}", v["alpha"], "rad", "slip angle that makes the force")
    channel(f"{kinematics}.inclination_angle_{end}", contact.gamma, "rad", "to the road, top to the right positive")
    spin = here.rotor.spin
    vx, vy = mounted.motion.vx, mounted.motion.vy
    rolling = spin * v["radius"]
    speed = fmax(sqrt(vx * vx), STANDING)
    slip = if_else(speed > STANDING, (rolling - vx) / speed, 0.0)
    channel(f"Tire.Longitudinal_Slip_Without_Lag.{place}", slip, "-", "of the wheel's motion")
    channel(f"Tire.Lateral_Slip_Without_Lag.{place}", atan(vy / speed), "rad", "of the wheel's motion")
    channel(f"Tire.Effective_Rolling_Radius.{place}", v["radius"], "m", "of the free-rolling wheel")
    channel(f"Tire.Loaded_Radius.{place}", contact.radius, "m", "wheel centre to contact point")
    channel(f"Tire.Effective_Penetration.{place}", mounted.rho, "m", "radial deflection; negative in the air")
    channel(f"Tire.Effective_Closing_Speed.{place}", mounted.motion.rho_rate, "m/s", "rate of the deflection")
    channel(f"Tire.Actual_Tread_Speed.{place}", spin * contact.radius, "m/s", "spin times loaded radius")
    channel(f"Tire.Equivalent_Tread_Speed.{place}", rolling, "m/s", "spin times rolling radius")
    channel(f"Tire.Ground_Surface_Contact_Patch_Vx.{place}", vx, "m/s", "of the contact point, along the wheel")
    channel(f"Tire.Ground_Surface_Contact_Patch_Vy.{place}", vy, "m/s", "of the contact point, across the wheel")
    channel(f"Tire.Road_Friction.{place}", mounted.friction, "-", "friction factor under the tire")
    states = f"ti{side}_wheel_tire_rolling_states"
    channel(f"{states}.omega_actual_{end}", spin, "rad/s", "spin relative to the carrier")
    channel(f"{states}.omega_free_{end}", vx / v["radius"], "rad/s", "spin of the free-rolling wheel")
    channel(f"{states}.rolling_radius_{end}", v["radius"], "m", "of the free-rolling wheel")
    axes = here.carrier.native_axes
    touching = if_else(mounted.rho > 0, 1.0, 0.0)
    patch = axes.point([c + b for c, b in zip(mounted.centre, contact.arm, strict=True)])
    normal, force = axes.to_world(contact.normal), axes.to_world(mounted.wrench.force)
    moment = axes.to_world(mounted.wrench.moment)
    if place != corner:  # a second tire: at the hub, the centre of the first
        out = [b - a for a, b in zip(here.tire.centre, mounted.centre, strict=True)]
        moment = [m + lever for m, lever in zip(moment, axes.to_world(cross(out, mounted.wrench.force)), strict=True)]
    channel(f"Road.Contact_Flag.{place}", touching, "-", "1 on the road, 0 in the air")
    if place in context.road_heights:
        name = f"Tire.User_Input_Contact_Patch_Global_Z_Perturbation.{place}"
        channel(name, context.road_heights[place], "m", "height added to the road by an input")
    for i, axis in enumerate("XYZ"):
        channel(f"Tire.Contact_Patch_Normal_{axis}.{place}", normal[i], "-", "road normal, world axes")
        channel(
            f"Tire.Contact_Patch_Global_{axis}.{place}",
            touching * patch[i],
            "m",
            "contact point, world axes; 0 in the air",
        )
        channel(f"Road.Contact_Patch_Global_{axis}.{place}", patch[i], "m", "contact point, world axes")
        channel(f"Tire.Hub_Carrier_Force_Global_{axis}.{place}", force[i], "N", "tire force, world axes")
        channel(f"Tire.Hub_Carrier_Moment_Global_{axis}.{place}", moment[i], "N.m", "at the hub, world axes")


def _suspension(context: Context) -> None:
    channel = context.channel
    loads = {place: context.corners[place].load for place in CORNERS}
    for place in CORNERS:
        q, u = context.travel[place]
        channel(f"Suspension.Jounce.{place}", q, "m", "wheel travel, up positive")
        channel(f"Suspension.Jounce_Rate.{place}", u, "m/s", "its rate")
        channel(f"Suspension.Jounce_Acceleration.{place}", context.system.acceleration(u), "m/s2", "its second rate")
    for axle in (1, 2):
        left, right = (context.travel[f"{side}{axle}"][0] for side in "LR")
        track = context.shared(
            f"axle{axle}.track", context.vehicle.suspension(axle).track, "m", "distance of the wheel centres at design"
        )
        channel(
            f"Suspension.Roll.SUSP{axle}", atan((right - left) / track), "rad", "of the body, right side down positive"
        )
    total = fmax(sum(loads.values()), 1e-9)
    for name, pair in (
        ("crossL1R2_ratio", ("L1", "R2")),
        ("crossR1L2_ratio", ("R1", "L2")),
        ("nose_ratio", ("L1", "R1")),
        ("side_right_ratio", ("R1", "R2")),
    ):
        channel(f"cross_weight.{name}", (loads[pair[0]] + loads[pair[1]]) / total, "-", "share of the wheel loads")


def _dot(a: Vector, b: Vector) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
