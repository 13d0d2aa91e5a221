"""From the hand wheel to the input of the steering maps, and what the loads on the wheels do to it.

The angle ζ that enters rack and maps is that of the hand wheel over the scale of the gear, plus the wind-up of the
column, a function of the moments about the kingpins that follows them in two steps of half its lag (so that the wheels
have the velocity that belongs to their motion). u is ζ itself or rack travel τ(ζ).

The load on a carrier with its wheel is a force F at the wheel centre p and a moment M. Only brake and hub motor turn
the carrier about the spin axis ŝ; what else acts on the wheel about ŝ spins it. So (all in axes of the body)

    M = M_tire - (M_tire·ŝ) ŝ - T_brake ŝ - [T_hub ŝ] - I_s Ω ω×ŝ - [I' α + ω×(I ω)]                        (1)
    F = F_tire + m g - [m a],     I' = I - I_s ŝŝᵀ

with torques on the wheel and, in brackets, what is there only for hub motors and with ``inertia_terms``.  Then

    M_K = k̂·((p - P)×F + M)                              moment about the kingpin, k̂ upwards, P on the axis    (2)
    Q   = Σ M_K k̂·∂ω/∂ζ̇                                 ``kingpin``: load on ζ                               (3)
    Q   = Σ F·∂p/∂ζ + M·∂ω/∂ζ̇ - Σ F_e ∂d_e/∂ζ            ``virtual_work`` at locked travel, exact for the maps  (4)
    F_t = M_K/ℓ, ℓ = k̂·((P_o - P)×û), Q = Σ F_t û_y τ'   ``tie_rods``: tension along û from inner to outer end (5)

The axis that the maps turn about ("motion") is k̂ ∥ ∂ω/∂ζ̇ =: w through p + (w × ∂p/∂ζ)/|w|².  Forces needed to hold the
steering are the negative of the loads: positive to the left, hence positive in a left turn.

(4) is what the maps let through, with elements that the steering deflects; a carrier that turns about an inclined axis
also rises, which maps at locked travel do not say: there (3) has the load of the springs on the steering, which (4)
has only from ∂d/∂ζ.  Where the axes are vertical, or the elements' ∂d/∂ζ given and each wheel in equilibrium along its
travel, both agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from jounce.components.tire.contact import to_wheel_axes
from jounce.symbolic.ops import atan, fabs, if_else, sqrt, tan
from jounce.vehicle.assembly.context import CORNERS, Context
from jounce.vehicle.kingpin import design_rotation

FRONT = ("L1", "R1")
SIDE_WORDS = {"L1": "Left", "R1": "Right"}
TURNS = 1e-9  # rad per unit of ζ: maps that turn the carrier less have no axis; the vertical is taken
HELD_FOLLOWS = 0.005  # s, in which the rate of a free hand wheel follows that of the hand before it is let go

Vector = Sequence[Any]


@dataclass
class Linkage:
    """Hand wheel, column and rack."""

    hand: Any  # hand wheel angle
    angle: Any  # ζ, a symbol of its own: partial derivatives are taken along it
    scale: Any  # hand wheel over ζ
    rack: Any = None  # τ(ζ)
    wind_up: tuple[Any, Any, Any] | None = None  # follower, wind-up, time constant
    free: tuple[Any, Any, Any] | None = None  # whether let go, rate of the free wheel, rate of the hand


@dataclass
class Load:
    """A force at the wheel centre and a moment, in axes of the body."""

    force: Vector = (0.0, 0.0, 0.0)
    moment: Vector = (0.0, 0.0, 0.0)


@dataclass
class Side:
    """Loads on one front wheel and what they do to the steering."""

    loads: dict[str, Load] = field(default_factory=dict)
    turn: Vector = ()  # ∂ω/∂ζ̇
    shift: Vector = ()  # ∂p/∂ζ
    axis: Vector = ()  # k̂
    point: Vector = ()  # P
    shares: dict[str, Any] = field(default_factory=dict)  # of M_K
    moment: Any = 0.0  # M_K


def add_input(context: Context) -> None:
    """The input u of the steering maps: hand wheel angle or rack travel."""
    steering, system = context.vehicle.steering, context.system
    scope = system.scope("steering")
    scale = scope.parameter("gear_ratio_scale", steering.gear_ratio_scale, "-", "divides the hand wheel angle")
    hand, free, wind_up = context.inputs.steering_wheel, None, None
    rate = system.time_derivative(hand)
    if steering.release is not None:
        free, offset, rate = _free_wheel(context, scope, rate)
        hand = hand + offset
    angle = hand / scale
    if steering.column is not None and context.vehicle.system.simplified_model == 0:
        lag = scope.parameter("column.lag", steering.column.lag, "s", "delay of the wind-up", low=1e-4)
        follower = scope.declare_coordinate("column.follower", "rad", system.world, doc="first step of the lag")
        wound = scope.declare_coordinate("column.wind_up", "rad", system.world, doc="wind-up of the column")
        system.set_coordinate_rate(wound, (follower - wound) / (0.5 * lag))
        wind_up = (follower, wound, 0.5 * lag)
        angle = angle + wound
        context.channel("Steering_System.Steering_column_deformation", wound, "rad", "wind-up, left positive")
    angle = system.calls.alias("steering.angle", [angle])[0]
    context.linkage = Linkage(hand, angle, scale, wind_up=wind_up, free=free)
    context.steer_input = angle
    if steering.rack_travel is not None:
        context.linkage.rack = context.curve(scope, "rack_travel", steering.rack_travel, [angle])
        context.channel("Steering_System.Rack_Displacement", context.linkage.rack, "m", "rack travel")
        if steering.input == "rack_travel":
            context.steer_input = context.linkage.rack
    context.channel("driver_demands.steering", hand, "rad", "hand wheel angle, left positive")
    context.channel("driver_demands.steering_velocity", rate, "rad/s", "its rate")


def _free_wheel(context: Context, scope: Any, rate: Any) -> tuple[tuple[Any, Any, Any], Any, Any]:
    """A hand wheel that moves by itself while input ``steering_release`` is 1; later the hand goes on from there."""
    system = context.system
    release = system.input("steering_release", "-", "1: the hand wheel is let go, 0: held")
    loose = scope.memory("released", "-", "whether the hand wheel is let go")  # constant between evaluations
    scope.next_memory(loose, if_else(release > 0.5, 1.0, 0.0))
    offset = scope.declare_coordinate("free.offset", "rad", system.world, doc="what the free wheel has added")
    speed = scope.declare_coordinate("free.rate", "rad/s", system.world, doc="rate of the free hand wheel")
    system.set_coordinate_rate(offset, loose * (speed - rate))
    return (loose, speed, rate), offset, rate + loose * (speed - rate)


def add_feedback(context: Context) -> None:
    """Moments about the kingpins and what the driver feels of them."""
    steering, linkage, channel = context.vehicle.steering, context.linkage, context.channel
    sides = {place: _side(context, place) for place in FRONT}
    for place, side in sides.items():
        word = SIDE_WORDS[place]
        for name, share in side.shares.items():
            channel(f"Kingpin_Contribute_Front_{word}.{name}", share, "N.m", "part of the moment about the kingpin")
        channel(f"Wheel.Kingpin_Moment.{place}", side.moment, "N.m", "of all loads about the kingpin, upwards")
        caster = -atan(side.axis[0] / side.axis[2])
        channel(f"Wheel.Caster_Angle.{word.lower()}", caster, "rad", "of the steering axis, top rearwards")
    total = sides["L1"].moment + sides["R1"].moment
    channel("Suspension.Kingpin_Moment.SUSP1", total, "N.m", "left plus right, upwards")
    scope = context.system.scope("steering")
    torque = _hand_torque(context, scope, sides, total)
    column = steering.column
    if linkage.wind_up is not None and column is not None:
        follower, _, time = linkage.wind_up
        wanted = context.curve(scope, "column.wind_up", column.wind_up, [_without_inertia(sides)])
        context.system.set_coordinate_rate(follower, (wanted - follower) / time)
    if linkage.free is not None and steering.release is not None:
        loose, speed, rate = linkage.free
        inertia = scope.parameter("release.inertia", steering.release.inertia, "kg.m2", "of the hand wheel", low=1e-6)
        damping = scope.parameter("release.damping", steering.release.damping, "N.m.s/rad", "of it", low=0.0)
        moving = (torque - damping * speed) / inertia
        context.system.set_coordinate_rate(speed, loose * moving + (1 - loose) * (rate - speed) / HELD_FOLLOWS)


def _without_inertia(sides: dict[str, Side]) -> Any:
    """Sum of the kingpin moments of the forces that act, so that no acceleration depends on itself."""
    return sum(
        share for side in sides.values() for name, share in side.shares.items() if not name.startswith("Inertia")
    )


# ---- loads on a wheel -------------------------------------------------------------------------------------


def _side(context: Context, place: str) -> Side:
    here, linkage = context.corners[place], context.linkage
    carrier = here.carrier
    side = Side(_loads(context, place))
    side.shift = [context.slope(r, linkage.angle) for r in carrier.r]
    slopes = [[context.slope(entry, linkage.angle) for entry in row] for row in carrier.rotation]
    spin = [[_dot(a, b) for b in carrier.rotation] for a in slopes]  # (∂R/∂ζ) Rᵀ, skew
    side.turn = [spin[2][1], spin[0][2], spin[1][0]]
    side.axis, side.point = _axis(context, place, side)
    lever = [p - c for p, c in zip(carrier.r, side.point, strict=True)]
    for name, load in side.loads.items():
        about = [a + b for a, b in zip(_cross(lever, load.force), load.moment, strict=True)]
        side.shares[name] = _dot(side.axis, about)
    side.moment = sum(side.shares.values())
    return side


def _loads(context: Context, place: str) -> dict[str, Load]:
    """Parts of (1), by the names of their channels."""
    here, system = context.corners[place], context.system
    carrier, rotor, tire = here.carrier, here.rotor, here.tire
    frame = context.frames[1]
    forward, spin_axis, up = tire.contact.forward, tire.contact.axis, tire.contact.up
    force, moment = to_wheel_axes(tire.contact, tire.wrench.force), to_wheel_axes(tire.contact, tire.wrench.moment)
    loads = {
        "Tire_Force_Fx": Load(force=_times(force[0], forward)),
        "Tire_Force_Fy": Load(force=_times(force[1], spin_axis)),
        "Tire_Force_Fz": Load(force=_times(force[2], up)),
        "Tire_Force_Mx": Load(moment=_times(moment[0], forward)),
        "Tire_Force_My": Load(moment=_times(-here.brake_torque, spin_axis)),  # all that the bearing lets through
        "Tire_Force_Mz": Load(moment=_times(moment[2], up)),
    }
    w = carrier.express(carrier.w, frame)
    gyroscopic = _times(-rotor.inertia * rotor.spin, _cross(w, spin_axis))
    loads["Gyroscopic"] = Load(moment=gyroscopic)
    loads["Weight"] = Load(force=_times(rotor.body.mass, frame.gravity))
    hub = here.drive_torque if context.vehicle.system.torque_reaction == "carrier" else 0.0
    loads["Auxiliary"] = Load(moment=_times(-hub, spin_axis))
    if not context.vehicle.steering.feedback.inertia_terms:
        return loads
    own_w, alpha = carrier.w, system.frame_angular_acceleration(carrier)
    matrix, e = rotor.body.inertia, rotor.axis
    spinning = rotor.inertia * _dot(e, alpha)
    change = [
        a - spinning * b + c
        for a, b, c in zip(
            [_dot(row, alpha) for row in matrix],
            e,
            _cross(own_w, [_dot(row, own_w) for row in matrix]),
            strict=True,
        )
    ]
    inertia_force = carrier.express(_times(-rotor.body.mass, system.frame_acceleration(carrier)), frame)
    inertia_moment = carrier.express(_times(-1.0, change), frame)
    for axis, direction in zip("xyz", (forward, spin_axis, up), strict=True):
        loads[f"Inertia_Force_F{axis}"] = Load(force=_times(_dot(inertia_force, direction), direction))
        loads[f"Inertia_Force_M{axis}"] = Load(moment=_times(_dot(inertia_moment, direction), direction))
    return loads


def _axis(context: Context, place: str, side: Side) -> tuple[Vector, Vector]:
    """Direction (upwards) and a point of the steering axis, in axes of the body."""
    steering, carrier = context.vehicle.steering, context.corners[place].carrier
    letter = CORNERS[place][1]
    kingpin = steering.kingpin_on(letter)
    if kingpin is None or steering.kingpin_axis == "motion":
        w = side.turn
        squared = _dot(w, w)
        turns = squared > TURNS * TURNS
        divisor = if_else(turns, squared, 1.0)
        upwards = if_else(w[2] < 0, -1.0, 1.0) / sqrt(divisor)
        axis = [if_else(turns, upwards * a, b) for a, b in zip(w, (0.0, 0.0, 1.0), strict=True)]
        away = _cross(w, side.shift)
        return axis, [p + if_else(turns, a / divisor, 0.0) for p, a in zip(carrier.r, away, strict=True)]
    scope = context.system.scope(place)
    arguments = [context.steer_input, context.travel[place][0]]

    def value(name: str) -> Any:
        return context.curve(scope, f"steering.kingpin.{name}", getattr(kingpin, name), arguments)

    lean = -tan(value("caster"))
    inwards = (-1.0 if letter == "L" else 1.0) * tan(value("inclination"))
    length = sqrt(1 + lean * lean + inwards * inwards)
    point = [d + value(name) for d, name in zip(_design(context, place), "xyz", strict=True)]
    return [lean / length, inwards / length, 1 / length], point


def _design(context: Context, place: str) -> Vector:
    """Wheel centre at design, in axes of the body."""
    here = context.corners[place]
    moved = (here.x, here.y, context.travel[place][0])
    return [p - d for p, d in zip(here.carrier.r, moved, strict=True)]


# ---- what the driver feels ----------------------------------------------------------------------------------


def _hand_torque(context: Context, scope: Any, sides: dict[str, Side], total: Any) -> Any:
    """Torque of the loads on the hand wheel; channels of rods, rack and hand wheel."""
    steering, linkage, channel = context.vehicle.steering, context.linkage, context.channel
    feedback, rack = steering.feedback, linkage.rack
    slope = None if rack is None else context.slope(rack, linkage.angle)  # τ'
    load: Any = 0.0 if feedback.tie_rod_force is not None else sum(context.steering_loads, 0.0)
    for place, side in sides.items():
        own, rod = _on_angle(context, scope, place, side, slope)
        load = load + own
        if slope is not None:
            name = f"Steering_System.Steering_System_TieRod_Force_{SIDE_WORDS[place]}"
            channel(f"{name}.y", own / slope, "N", "of the tie rod on the rack, to the left")
            for axis, value in rod.items():
                channel(f"{name}.{axis}", value, "N", "of the tie rod on the rack, body axes")
    rack_force = None if slope is None else load / slope
    if steering.feedback_method == "maps" and feedback.rack_force is not None:
        rack_force = -context.curve(scope, "feedback.rack_force", feedback.rack_force, [total, context.steer_input])
        load = rack_force * slope
    if steering.feedback_method == "maps" and feedback.torque is not None:
        torque = -context.curve(scope, "feedback.torque", feedback.torque, [total, context.steer_input])
    else:
        torque = load / linkage.scale
    if feedback.servo_scaling is not None:
        speed = fabs(context.chassis.v[0])
        torque = torque * context.curve(scope, "feedback.servo_scaling", feedback.servo_scaling, [speed])
    if rack_force is not None:
        channel("Steering_System.Rack_Force", -rack_force, "N", "force the rack needs, to the left")
        channel("Steering_System.Rack_Force_load", rack_force, "N", "force of the wheels on the rack, to the left")
    channel("Steering_System.Steering_Wheel_Torque", -torque, "N.m", "torque the hand needs, left positive")
    channel("Steering_System.Steering_Wheel_Torque_load", torque, "N.m", "torque of the steering on the hand wheel")
    channel("Steering_System.DriveSim_Steering_Feedback_Torque", -torque, "N.m", "as Steering_Wheel_Torque")
    return torque


def _on_angle(context: Context, scope: Any, place: str, side: Side, slope: Any) -> tuple[Any, dict[str, Any]]:
    """Load of one wheel on ζ, and components x, z of the force of its tie rod where its geometry is known."""
    steering = context.vehicle.steering
    feedback = steering.feedback
    if feedback.tie_rod_force is not None:
        mirror = 1.0 if place[0] == "L" else -1.0
        own = scope.scope(f"feedback.{place}")
        arguments = [mirror * side.moment, mirror * context.linkage.rack]
        return mirror * context.curve(own, "tie_rod_force", feedback.tie_rod_force, arguments) * slope, {}
    if steering.feedback_method == "tie_rods":
        pull, direction = _rod(context, place, side)
        return pull * direction[1] * slope, {"x": pull * direction[0], "z": pull * direction[2]}
    if steering.feedback_method == "virtual_work":
        return sum(_dot(f.force, side.shift) + _dot(f.moment, side.turn) for f in side.loads.values()), {}
    return side.moment * _dot(side.axis, side.turn), {}


def _rod(context: Context, place: str, side: Side) -> tuple[Any, Vector]:
    """Tension of a tie rod and its direction, from inner to outer end (5)."""
    letter = CORNERS[place][1]
    rod = context.vehicle.steering.tie_rod_on(letter)
    assert rod is not None
    scope = context.system.scope(place).scope("tie_rod")
    carrier = context.corners[place].carrier
    fixed = design_rotation(context.vehicle, letter).T @ rod.outer.array
    outer = [scope.parameter(f"outer.{a}", float(fixed[i]), "m", "in carrier axes") for i, a in enumerate("xyz")]
    inner = [
        d + scope.parameter(f"inner.{a}", getattr(rod.inner, a), "m", "from the wheel centre at design")
        for a, d in zip("xyz", _design(context, place), strict=True)
    ]
    end = [p + _dot(row, outer) for p, row in zip(carrier.r, carrier.rotation, strict=True)]
    line = [o - i for o, i in zip(end, [inner[0], inner[1] + context.linkage.rack, inner[2]], strict=True)]
    length = sqrt(_dot(line, line))
    direction = [x / length for x in line]
    arm = [o - p for o, p in zip(end, side.point, strict=True)]
    return side.moment / _dot(side.axis, _cross(arm, direction)), direction


def _dot(a: Vector, b: Vector) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Vector, b: Vector) -> list[Any]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def _times(factor: Any, a: Vector) -> list[Any]:
    return [factor * x for x in a]
