"""What the loads on the wheels do to the steering: moments about the kingpins, rods, rack, hand wheel.

ζ is the angle that enters rack and maps (``steering``).

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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from operator import neg, truediv
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import model_validator

from jounce.components.basics import Point
from jounce.components.model import AxleModel, WheelModel
from jounce.components.steering.elements import ELEMENTS
from jounce.components.steering.kingpin import axis_of_motion, carried, given_axis
from jounce.components.steering.maps import SteerLengthMap
from jounce.components.steering.outside import FORCES, KINGPINS, MOMENTS, SHOWN, given
from jounce.components.steering.outside import name as outside_name
from jounce.components.tire.contact import to_wheel_axes
from jounce.core.curves import Curve, CurveUnits
from jounce.core.fields import Data, choice, curve, hidden, part, problem
from jounce.symbolic.frames import cross
from jounce.symbolic.ops import atan, dot, fabs, sqrt

if TYPE_CHECKING:
    from jounce.components.steering.steering import Linkage, Steering

Vector = Sequence[Any]


class TieRod(Data):
    """Ends of a tie rod at design, each from the wheel centre at design, axes of the vehicle."""

    outer: Point = part(doc="on the wheel carrier")
    inner: Point = part(doc="on the rack")
    right: TieRod | None = part(None, doc="what differs on the right side")

    @model_validator(mode="after")
    def _opposite(self) -> Self:
        for name in ("outer", "inner") if self.right is not None else ():
            left, right = getattr(self, name).y, getattr(self.right, name).y
            if left * right > 0:
                raise problem(f"{right!r} m: on the same side of its wheel as the left one ({left!r} m)", "right", name)
        return self


class Feedback(Data):
    """What the driver feels of the loads on the wheels, and by which way it is found."""

    over: Literal["rad", "m"] = hidden("rad", doc="unit of the input u, set by the steering")
    method: Literal["virtual_work", "kingpin", "tie_rods", "maps"] | None = choice(
        None,
        doc="kingpin: moments about the given axes; virtual_work: all loads through the motion that the maps give the "
        "carriers at locked travel; tie_rods: kingpin moments through the rods; maps: torque and rack_force. Absent: "
        "kingpin where the axes are given, else virtual_work",
    )
    inertia_terms: bool = choice(False, doc="inertia forces of carriers and wheels count, too")
    tie_rod: TieRod | None = part(None, doc="for tie_rods")
    tie_rod_force: Curve | None = curve(
        "N.m", "N", None, z="m", typical=(0.1, 100.0), reach=(1.0, 1e5),
        doc="along y on the left end of the rack, over moment about the kingpin (and rack travel); mirrored on the "
        "right; takes the place of other ways",
    )  # fmt: skip
    torque: Curve | None = curve(
        "N.m", "N.m", None, z="rad", typical=(1e-4, 2.0), reach=(1.0, 1e5),
        doc="torque the hand needs over sum of kingpin moments (and u), positive to the left",
    )  # fmt: skip
    rack_force: Curve | None = curve(
        "N.m",
        "N",
        None,
        z="rad",
        typical=(0.1, 100.0),
        reach=(1.0, 1e5),
        doc="force the rack needs over sum of kingpin moments (and u), along y",
    )
    servo_scaling: Curve | None = curve(
        "m/s",
        "-",
        None,
        constant="value",
        typical=(0.0, 20.0),
        reach=(1.0, 120.0),
        doc="factor on the torque over speed",
    )

    @classmethod
    def curve_units(cls, name: str, raw: Mapping[str, Any]) -> CurveUnits:
        found = super().curve_units(name, raw)
        return replace(found, z=str(raw.get("over", "rad"))) if name in ("torque", "rack_force") else found

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.method == "tie_rods" and self.tie_rod is None:
            raise problem("missing; needed for method: tie_rods", "tie_rod")
        if self.method == "maps" and self.torque is None and self.rack_force is None:
            raise problem("method: maps needs torque or rack_force", "method")
        return self


class Rod(Data):
    """Ends of a tie rod as the model has them."""

    outer: Point = part(doc="in carrier axes")
    inner: Point = part(doc="from the wheel centre at design")
    x: SteerLengthMap | None = part(None, doc="how the inner end moves")
    y: SteerLengthMap | None = part(None, doc="the same to the left")
    z: SteerLengthMap | None = part(None, doc="the same upwards")


@dataclass
class Load:
    """A force and a moment at the wheel centre, in axes of the body."""

    force: Vector = (0.0, 0.0, 0.0)
    moment: Vector = (0.0, 0.0, 0.0)


@dataclass
class Side:
    """What the feedback needs of one steered wheel."""

    loads: dict[str, Load]
    turn: Vector = ()  # ∂ω/∂ζ̇
    shift: Vector = ()  # ∂p/∂ζ
    axis: Vector = ()  # k̂
    point: Vector = ()  # P
    shares: dict[str, Any] = field(default_factory=dict)  # of M_K
    moment: Any = 0.0  # M_K


def sides_of(at: AxleModel, steering: Steering, linkage: Linkage, inertia: bool) -> dict[str, Side]:
    """Loads and kingpins of the steered wheels (1, 2); with ``inertia`` those of accelerations, too."""
    return {wheel.place.name: side_of(wheel, steering, linkage, inertia) for wheel in at.wheels}


def moment_of_forces(at: AxleModel, steering: Steering, linkage: Linkage) -> Any:
    """Sum of the kingpin moments of the forces that act."""
    sides = sides_of(at, steering, linkage, False)
    if at.vehicle.is_open(*(outside_name(at, moment) for moment in MOMENTS)):
        return sum(side.moment for side in sides.values())
    return sum(share for side in sides.values() for share in side.shares.values())


def tell_kingpins(at: AxleModel, sides: dict[str, Side]) -> Any:
    """Channels of the moments about the kingpins; returns their sum."""
    total: Any = None
    for wheel in at.wheels:
        place, side = wheel.place.name, sides[wheel.place.name]
        word = side_word(wheel)
        for name, share in side.shares.items():
            channel = f"Kingpin_Contribute_{at.place.word.capitalize()}_{word}.{name}"
            at.channel(channel, share, "N.m", "part of the moment about the kingpin")
        at.channel(f"Wheel.Kingpin_Moment.{place}", side.moment, "N.m", "of all loads about the kingpin, upwards")
        caster = -atan(side.axis[0] / side.axis[2])
        at.channel(f"Wheel.Caster_Angle.{word.lower()}", caster, "rad", "of the steering axis, top rearwards")
        total = side.moment if total is None else total + side.moment
    at.channel(f"Suspension.Kingpin_Moment.SUSP{at.place.number}", total, "N.m", "left plus right, upwards")
    return total


def side_word(wheel: WheelModel) -> str:
    return "Left" if wheel.place.side == "L" else "Right"


def side_of(at: WheelModel, steering: Steering, linkage: Linkage, inertia: bool = False) -> Side:
    """Loads and kingpin of one steered wheel."""
    carrier, slope = at.carrier, at.vehicle.slope
    side = Side(_loads(at, inertia))
    side.shift = [slope(r, linkage.angle) for r in carrier.r]
    slopes = [[slope(entry, linkage.angle) for entry in row] for row in carrier.rotation]
    spin = [[dot(a, b) for b in carrier.rotation] for a in slopes]  # (∂R/∂ζ) Rᵀ, skew
    side.turn = [spin[2][1], spin[0][2], spin[1][0]]
    if steering.kingpin is None or steering.kingpin_axis == "motion":
        side.axis, side.point = axis_of_motion(at, side.turn, side.shift)
    else:
        side.axis, side.point = given_axis(at, at.symbols(steering, "steering").axis, at.steering_input)
    if steering.axis_gives_way and at.gives:
        is_given = steering.kingpin is not None and steering.kingpin_axis == "given"
        side.axis, side.point = carried(at, side.axis, side.point, is_given)
    lever = [p - c for p, c in zip(carrier.r, side.point, strict=True)]
    for word, name in ELEMENTS.items():
        rod = steering.attached_at(at.place, name)
        if rod is not None and word in at.tensions:
            own = at.symbols(rod, f"attached_{name}")
            start, end = _ends(at, own)
            for i, axis in enumerate("xyz"):
                if getattr(rod, axis) is not None:
                    moved = getattr(own, axis)
                    start[i] = start[i] + moved.scale * moved.curve(at.steering_input, at.travel)
            line = [j - i for i, j in zip(end, start, strict=True)]
            pull = _times(at.tensions[word] / sqrt(dot(line, line)), line)
            arm = [i - c for i, c in zip(end, side.point, strict=True)]
            side.shares[word] = dot(side.axis, cross(arm, pull))  # steering/elements.py (3)
    for name, load in side.loads.items():
        about = [a + b for a, b in zip(cross(lever, list(load.force)), load.moment, strict=True)]
        side.shares[name] = dot(side.axis, about)
    name = MOMENTS[at.place.side == "R"]
    total = sum(side.shares.values())
    other = given(at.axle, lambda: total, name, KINGPINS, "N.m")
    side.moment = total if other is None else other
    return side


def _loads(here: WheelModel, inertia: bool) -> dict[str, Load]:
    """Parts of (1), by the names of their channels."""
    system = here.system
    carrier, rotor, tire = here.carrier, here.rotor, here.tire
    frame = here.axle.frame
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
    gyroscopic = _times(-rotor.inertia * rotor.spin, cross(w, list(spin_axis)))
    loads["Gyroscopic"] = Load(moment=gyroscopic)
    loads["Weight"] = Load(force=_times(rotor.body.mass, frame.gravity))
    hub = here.drive_torque if here.place.settings.torque_reaction == "carrier" else 0.0
    loads["Auxiliary"] = Load(moment=_times(-hub, spin_axis))
    if not inertia:
        return loads
    own_w, alpha = carrier.w, system.frame_angular_acceleration(carrier)
    matrix, e = rotor.body.inertia, rotor.axis
    spinning = rotor.inertia * dot(e, alpha)
    change = [
        a - spinning * b + c
        for a, b, c in zip(
            [dot(row, alpha) for row in matrix],
            e,
            cross(own_w, [dot(row, own_w) for row in matrix]),
            strict=True,
        )
    ]
    inertia_force = carrier.express(_times(-rotor.body.mass, system.frame_acceleration(carrier)), frame)
    inertia_moment = carrier.express(_times(-1.0, change), frame)
    for axis, direction in zip("xyz", (forward, spin_axis, up), strict=True):
        loads[f"Inertia_Force_F{axis}"] = Load(force=_times(dot(inertia_force, direction), direction))
        loads[f"Inertia_Force_M{axis}"] = Load(moment=_times(dot(inertia_moment, direction), direction))
    return loads


def load_on_angle(at: AxleModel, steering: Steering, linkage: Linkage, sides: dict[str, Side], total: Any) -> Any:
    """Load of the wheels on ζ; channels of rods and rack."""
    channel, rack, feedback = at.channel, linkage.rack, steering.feedback
    slope = None if rack is None else at.vehicle.slope(rack, linkage.angle)  # τ'
    load: Any = 0.0
    for wheel in at.wheels:
        own, rod = _on_angle(wheel, steering, linkage, sides[wheel.place.name], slope)
        if slope is not None:
            word = f"{side_word(wheel)}TierodForceOnRackDirection"
            other = given(at, partial(truediv, own, slope), word, FORCES, "N")
            own = own if other is None else other * slope
        load = load + own
        if slope is not None:
            name = f"Steering_System.Steering_System_TieRod_Force_{side_word(wheel)}"
            channel(f"{name}.y", own / slope, "N", "of the tie rod on the rack, to the left")
            for axis, value in rod.items():
                channel(f"{name}.{axis}", value, "N", "of the tie rod on the rack, body axes")
    if linkage.by_elements and steering.feedback_method == "virtual_work":
        load = load + sum(linkage.by_elements)
    rack_force = None if slope is None else load / slope
    if steering.feedback_method == "maps" and feedback.rack_force is not None:
        rack_force = -at.vehicle.symbols(feedback, "steering.feedback").rack_force(total, at.steering)
        load = rack_force * slope
    if rack_force is not None:
        other = given(at, partial(neg, rack_force), "RackForce", FORCES, "N")
        if other is not None:
            rack_force, load = -other, -other * slope
        channel("Steering_System.Rack_Force", -rack_force, "N", "force the rack needs, to the left")
        channel("Steering_System.Rack_Force_load", rack_force, "N", "force of the wheels on the rack, to the left")
    return load


def by_virtual_work(sides: dict[str, Side]) -> Any:
    """Load of the wheels on ζ at locked travel (4), without elements."""
    return sum(_virtual_work(side) for side in sides.values())


def hand_torque(at: AxleModel, steering: Steering, linkage: Linkage, load: Any, total: Any) -> Any:
    """Torque of the loads on the hand wheel, without mass and friction between; channels of the hand wheel."""
    channel, feedback = at.channel, steering.feedback
    p = at.vehicle.symbols(feedback, "steering.feedback")
    if steering.feedback_method == "maps" and feedback.torque is not None:
        torque = -p.torque(total, at.steering)
    else:
        torque = load / linkage.scale
    if feedback.servo_scaling is not None:
        torque = torque * p.servo_scaling(fabs(at.unit.chassis.v[0]))
    for name, flag in (("SteeringTorque", FORCES), SHOWN):
        other = given(at, partial(neg, torque), name, flag, "N.m")
        torque = torque if other is None else -other
    channel("Steering_System.Steering_Wheel_Torque", -torque, "N.m", "torque the hand needs, left positive")
    channel("Steering_System.Steering_Wheel_Torque_load", torque, "N.m", "torque of the steering on the hand wheel")
    channel("Steering_System.DriveSim_Steering_Feedback_Torque", -torque, "N.m", "as Steering_Wheel_Torque")
    return torque


def _on_angle(
    at: WheelModel, steering: Steering, linkage: Linkage, side: Side, slope: Any
) -> tuple[Any, dict[str, Any]]:
    """Load of one wheel on ζ, and components x, z of the force of its tie rod where its geometry is known."""
    feedback = steering.feedback
    if feedback.tie_rod_force is not None:
        mirror = at.place.outwards
        p = at.vehicle.bound(feedback, at.place, f"{at.vehicle.place.prefix}steering.feedback.{at.place.name}.")
        return mirror * p.tie_rod_force(mirror * side.moment, mirror * linkage.rack) * slope, {}
    if steering.feedback_method == "tie_rods":
        pull, direction = rod_force(at, steering, linkage, side)
        return pull * direction[1] * slope, {"x": pull * direction[0], "z": pull * direction[2]}
    if steering.feedback_method == "virtual_work":
        return _virtual_work(side), {}
    return side.moment * dot(side.axis, side.turn), {}


def _virtual_work(side: Side) -> Any:
    return sum(dot(f.force, side.shift) + dot(f.moment, side.turn) for f in side.loads.values())


def rod_force(at: WheelModel, steering: Steering, linkage: Linkage, side: Side) -> tuple[Any, Vector]:
    """Tension of a tie rod and its direction, from inner to outer end (5)."""
    inner, end = _ends(at, at.symbols(steering.rod_at(at.place), "tie_rod"))
    line = [o - i for o, i in zip(end, [inner[0], inner[1] + linkage.rack, inner[2]], strict=True)]
    length = sqrt(dot(line, line))
    direction = [x / length for x in line]
    arm = [o - p for o, p in zip(end, side.point, strict=True)]
    return side.moment / dot(side.axis, cross(arm, direction)), direction


def _ends(at: WheelModel, p: Any) -> tuple[list[Any], list[Any]]:
    """Inner and outer end of a rod, in axes of the body; the inner one where it is at design."""
    carrier = at.carrier
    inner = [d + i for d, i in zip(at.design, p.inner.vector, strict=True)]
    outer = [r + dot(row, p.outer.vector) for r, row in zip(carrier.r, carrier.rotation, strict=True)]
    return inner, outer


def _times(factor: Any, a: Vector) -> list[Any]:
    return [factor * x for x in a]
