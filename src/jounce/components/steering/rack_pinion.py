"""Rack and pinion with column, torsion bar, friction and assist: a steering that has inertia and gives way.

From the hand wheel to the rack (links in brackets may be rigid; the torsion bar is at one of its two places):

    hand wheel - [upper column] - torsion bar, on: upper - joints - [lower column] - [disk]
               - torsion bar, on: lower - pinion - [mesh] - rack - wheels

Of what is joined rigidly one angle moves. That of the rack is ζ, as an angle of the pinion over the scale of the gear:
it is a coordinate of the car, so that masses of rack, carriers and wheels and all loads on the wheels act on it by
their partial velocities (Kane's equations). With θ the hand wheel, i its ratio to the torsion bar and x = τ(ζ) the rack

    J_h θ̈ + ½ J_h' θ̇² = T_hand - T_friction - i T                  a hand wheel that is let go                  (1)
    T_hand = J_h θ̈ + ½ J_h' θ̇² + T_friction + i T                  one that is held: torque the hand needs      (2)
    (m + J_p (dθ_p/dx)² + wheels) ẍ = T dθ_p/dx + F_assist - c ẋ - F_friction - F_stop + F_rods                  (3)
    F_stop = k_s d max(0, 1 + a ḋ),  d = |x| - x_max > 0           stops, after [Hunt1975]                       (4)

(the last line is what Kane's equations are for a constant ratio). What lies between, where links give way, is a
``chain``. A column that gives way is two bodies of half its inertia; with a disk at its lower end, which may give way
as well, three of a third. Where the feedback goes another way than virtual work (kingpin axes, tie rods, maps), the
difference of both loads of the forces that act is added to ζ.

The torque for the wheel of a driving simulator is i T alone: friction and inertia of the hand wheel are those of the
simulator's own hardware. References: [Pfeffer2008], [Harrer2017] ch. 14.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

from pydantic import model_validator

from jounce.components.part import Symbols
from jounce.components.steering.assist import Assisted
from jounce.components.steering.chain import Chain, Node, Turn, half_slope
from jounce.components.steering.electric_assist import ElectricAssist
from jounce.components.steering.friction import RackFriction, SteeringFriction
from jounce.components.steering.hydraulic_assist import HydraulicAssist
from jounce.components.steering.shafts import Shafts
from jounce.components.steering.torsion_bar import TorsionBar
from jounce.core.fields import Data, part, problem, quantity
from jounce.symbolic.ops import clip, fabs, fmax, sign

HAND, COLUMN, RACK, BAR = "Steering_System", "Steering_column", "Steering_Rack_Pinion", "Steering_Torsion_Bar"
STOP_DAMPING = 5.0  # s/m, a in (4): half of the speed comes back at 0.15 m/s


def _inertia(default: float, doc: str) -> Any:
    return quantity("kg.m2", default, ge=0, typical=(1e-5, 0.5), doc=doc)


class Elastic(Data):
    """Stiffness and damping of a shaft."""

    stiffness: float = quantity("N.m/rad", gt=0, typical=(50.0, 1e5), doc="torque per twist")
    damping: float = quantity("N.m.s/rad", 0.0, ge=0, typical=(0.0, 20.0), doc="torque per speed of twist")


class SteeringShafts(Data):
    """Inertias and elasticity of the column."""

    wheel_inertia: float = quantity("kg.m2", 0.035, gt=0, typical=(5e-3, 1.0), doc="of the hand wheel")
    upper_inertia: float = _inertia(0.002, "of the upper column")
    intermediate_inertia: float = _inertia(0.0005, "of each intermediate shaft")
    lower_inertia: float = _inertia(0.0005, "of the lower column")
    shafts: Shafts | None = part(None, doc="shafts and joints; absent: the column is straight")
    upper: Elastic | None = part(None, doc="upper column that gives way; absent: rigid")
    lower: Elastic | None = part(None, doc="lower column that gives way; absent: rigid")
    disk: Elastic | None = part(None, doc="elastic disk at the lower end of the lower column; absent: rigid")

    @model_validator(mode="after")
    def _masses(self) -> Self:
        if self.upper is not None and self.upper_inertia == 0:
            raise problem("0: a column that gives way needs an inertia", "upper_inertia")
        if (self.lower or self.disk) and self.lower_inertia == 0:
            raise problem("0: a column that gives way, or has a disk, needs an inertia", "lower_inertia")
        return self


class Rack(Data):
    """Rack and pinion."""

    mass: float = quantity("kg", 2.5, gt=0, typical=(0.3, 60.0), doc="of the rack")
    damping: float = quantity("N.s/m", 0.0, ge=0, typical=(0.0, 2e4), doc="force per speed of the rack")
    pinion_inertia: float = _inertia(5e-5, "of the pinion")
    mesh_stiffness: float | None = quantity(
        "N/m", None, gt=0, typical=(1e6, 1e9), doc="of the teeth along the rack; absent: rigid"
    )
    travel: float | None = quantity("m", None, gt=0, typical=(0.02, 0.3), doc="to the stops, from the middle")
    stop_stiffness: float = quantity("N/m", 3e6, gt=0, typical=(1e5, 1e8), doc="of the stops")


class Frictions(Data):
    """Where a steering rubs; that of a motor stands with it."""

    column: SteeringFriction | None = part(None, doc="of the upper column in its bearings")
    torsion_bar: SteeringFriction | None = part(None, doc="along the torsion bar")
    rack: RackFriction | None = part(None, doc="of the rack in its housing")


class OnColumn:
    """What every gear has that a column turns: shafts above it, a torsion bar."""

    if TYPE_CHECKING:
        column: SteeringShafts
        torsion_bar: TorsionBar

    def check_below_bar(self) -> None:
        """Raise where a torsion bar turns nothing."""
        if self.torsion_bar.on == "upper" and self.column.lower_inertia + self.column.intermediate_inertia == 0:
            raise problem("0: what is below the torsion bar needs an inertia", "column", "lower_inertia")

    @property
    def joints(self) -> int:
        return 0 if self.column.shafts is None else self.column.shafts.count

    def pinion(self, hand: float) -> float:
        """Turn of the pinion or the worm at a hand wheel angle, without loads."""
        shafts = self.column.shafts
        return hand if shafts is None else shafts.end(hand)


class RackPinion(OnColumn, Data):
    """Rack-and-pinion steering with inertia, elasticity, friction and assist."""

    alternatives = (("electric", "hydraulic"),)

    column: SteeringShafts = part({}, doc="from the hand wheel to the gear")
    torsion_bar: TorsionBar = part(doc="torsion bar")
    rack: Rack = part({}, doc="rack and pinion")
    friction: Frictions = part({}, doc="friction")
    electric: ElectricAssist | None = part(None, doc="electric assist")
    hydraulic: HydraulicAssist | None = part(None, doc="electro-hydraulic assist")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.electric is not None and self.hydraulic is not None:
            raise problem("stands beside electric; give one or the other", "hydraulic")
        on_upper = self.electric is not None and self.electric.on == "column"
        if (self.electric or self.hydraulic) and on_upper != (self.torsion_bar.on == "upper"):
            right = "upper" if on_upper else "lower"
            raise problem(
                f"{self.torsion_bar.on!r}: this assist acts below a torsion bar on: {right}", "torsion_bar", "on"
            )
        self.check_below_bar()
        return self

    def mechanism(self, p: Symbols, at: Given) -> Told:
        """Write its equations."""
        return Mechanism(self, p, at).build()

    def remarks(self) -> Iterator[tuple[str, str]]:
        """What is allowed but unusual."""
        for name, found in (("column", self.friction.column), ("rack", self.friction.rack)):
            law = None if found is None else found.coulomb
            if law is not None and law.dynamic > law.static:
                yield f"friction.{name}.coulomb.dynamic", "more friction when fast than when slow; exchanged?"


@dataclass
class Given:
    """What a rack-and-pinion steering finds around it."""

    scope: Any
    hand: Any  # angle of the hand wheel, a symbol
    rate: Any
    acceleration: Any  # of a hand wheel that is held
    loose: Any  # 1 where it is let go
    scale: Any  # turn of the pinion over ζ
    angle: Any  # ζ
    angle_rate: Any
    travel: Any  # τ(ζ)
    slope: Any  # dτ/dζ
    sign: Any  # of the slope
    speed: Any  # of the car
    on: Any  # its frame
    rods: Any = 0.0  # force of the tie rods along the travel τ
    outside: Callable[..., Any] = lambda name, unit, doc, mode="added": None
    channel: Callable[..., None] = lambda *told: None


@dataclass
class Told:
    """What became of it."""

    moving: Any  # acceleration of a hand wheel that is let go
    torque: Any  # that the hand needs
    felt: Any  # the same without friction and inertia of the hand wheel
    energy: dict[str, Any] = field(default_factory=dict)  # stored, by part
    losses: dict[str, Any] = field(default_factory=dict)  # power that is lost, by part
    work: dict[str, Any] = field(default_factory=dict)  # power that comes in, by part


class Mechanism:
    """The equations of a ``RackPinion``."""

    def __init__(self, data: Any, p: Symbols, at: Given) -> None:
        self.data, self.p, self.at = data, p, at
        self.chain = Chain(at.scope, at.on)
        self.hand = Turn(Node(at.hand, at.rate, acceleration=(1 - at.loose) * at.acceleration), at.hand)
        self.zeta = self.chain.coordinate(at.angle, at.angle_rate)
        self.rack = Turn(self.zeta, at.sign * at.travel, at.sign * at.slope)
        self.told = Told(None, None, None)
        self.arriving: Any = 0.0  # torque on ζ that comes down the chain: of its last link
        self.twist: tuple[Any, Any] = (0.0, 0.0)

    told_as, word, moved = RACK, "pinion", "rack"  # in names of channels

    @property
    def gear(self) -> Any:
        """Data of the gear."""
        return self.data.rack

    @property
    def gear_p(self) -> Any:
        """Numbers of the gear."""
        return self.p.rack

    @property
    def pinion_inertia(self) -> Any:
        """Of what the lower column turns."""
        return self.p.rack.pinion_inertia

    # -- the chain ---------------------------------------------------------------------------------

    def build(self) -> Told:
        """Write all equations and channels."""
        data = self.data
        self.hand.carry(self.p.column.wheel_inertia)
        upper = self._upper()
        below = self._bar(upper) if data.torsion_bar.on == "upper" else upper
        above_pinion = self._lower(below)
        if data.torsion_bar.on == "lower":
            above_pinion = self._bar(above_pinion)
        self._mesh(above_pinion)
        self._rack()
        driven = {"column": below, "pinion": self.pinion, "rack": self.rack}
        self._assist(driven)
        self._hand()
        self._tell()
        return self.told

    def _after(self, name: str, doc: str, links_follow: bool) -> Turn:
        """The place below a link: a node of its own, or the pinion where all below is rigid."""
        if links_follow:
            return self.chain.node(name, doc)
        return Turn(self.zeta, self.at.angle * self.at.scale, self.at.scale)

    def _follows(self, *, bar: bool) -> bool:
        """Whether a link follows below the upper column's end (with ``bar``: below the lower one's)."""
        column = self.data.column
        here = self.gear.mesh_stiffness is not None
        if bar:
            return here
        return here or column.lower is not None or column.disk is not None or self.data.torsion_bar.on == "lower"

    def _upper(self) -> Turn:
        column, p = self.data.column, self.p.column
        if column.upper is None:
            self.hand.carry(p.upper_inertia)
            return self.hand
        self.hand.carry(0.5 * p.upper_inertia)
        end = self.chain.node("upper_column", "the lower end of the upper column")
        end.carry(0.5 * p.upper_inertia)
        self._elastic("upper_column", p.upper, self.hand, end)
        return end

    def _bar(self, upper: Turn) -> Turn:
        bar, p = self.data.torsion_bar, self.p.torsion_bar
        on_upper = bar.on == "upper"
        if on_upper and not self._follows(bar=False):
            lower = self._above_joints(Turn(self.zeta, self.at.angle * self.at.scale, self.at.scale))
        else:
            lower = self._after("bar", "what is below the torsion bar", self._follows(bar=not on_upper))
        twist, rate = upper.angle - lower.angle, upper.rate - lower.rate
        torque = bar.torque(p, twist, rate)
        rubs: Any = 0.0
        law = self.data.friction.torsion_bar
        if law is not None:
            rubs = law.torque(self.at.scope.scope("bar_friction"), self.p.friction.torsion_bar, rate, torque)
        self.chain.link(upper, lower, torque + rubs)
        self.arriving = (torque + rubs) * lower.ratio
        self.twist = (bar.told(p, twist), rate)
        beyond = twist - self.twist[0]
        stored = 0.5 * p.stiffness * self.twist[0] * self.twist[0] + p.stiffness * self.twist[0] * beyond
        if bar.limit is not None:
            stored = stored + 0.5 * p.limit_stiffness * beyond * beyond
        self.told.energy["torsion_bar"] = stored
        self.told.losses["torsion_bar"] = p.damping * rate * rate
        self.told.losses["torsion_bar_friction"] = rubs * rate
        channel = self.at.channel
        channel(f"{BAR}.torsion_bar_twist_angle", twist, "rad", "twist, the upper end ahead to the left positive")
        channel(f"{BAR}.torsion_bar_twist_angle_saturated", self.twist[0], "rad", "twist within its limits")
        channel(f"{BAR}.friction_torque", rubs, "N.m", "friction along the torsion bar")
        return lower

    def _above_joints(self, last: Turn) -> Turn:
        """The shaft above all joints, where it turns with the pinion."""
        shafts = self.data.column.shafts
        if shafts is None:
            return last
        angles, ratios = shafts.above(self.p.column.shafts, last.angle)
        return Turn(last.node, angles[0], last.ratio * ratios[0])

    def _lower(self, below: Turn) -> Turn:
        """From the shaft above the joints to the lower end of the lower column, with its inertias."""
        column, p = self.data.column, self.p.column
        turns = [below] * (self.joints + 1)
        if column.shafts is not None:
            symbols = p.shafts
            if below.node is self.zeta:
                last = Turn(self.zeta, self.at.angle * self.at.scale, self.at.scale)
                angles, ratios = column.shafts.above(symbols, last.angle)
                turns = [*(Turn(self.zeta, a, last.ratio * r) for a, r in zip(angles, ratios, strict=True)), last]
            else:
                angles, ratios = column.shafts.below(symbols, below.angle)
                turns = [below, *(Turn(below.node, a, below.ratio * r) for a, r in zip(angles, ratios, strict=True))]
            for turn in turns[1:-1]:
                turn.carry(p.intermediate_inertia)
            self._joint_channels(turns)
        links = [name for name in ("lower", "disk") if getattr(column, name) is not None]
        share = p.lower_inertia / (len(links) + 1)
        here = turns[-1]
        here.carry(share)
        self.at.channel(f"{COLUMN}.lower_column_rotation", here.angle, "rad", "turn of the lower column")
        self.at.channel(f"{COLUMN}.lower_column_rotational_velocity", here.rate, "rad/s", "its speed")
        for i, name in enumerate(links):
            if i + 1 < len(links) or self.data.torsion_bar.on == "lower" or self.gear.mesh_stiffness is not None:
                end = self.chain.node(f"{name}_column", "what is below the lower column" if i else "its lower end")
            else:
                end = Turn(self.zeta, self.at.angle * self.at.scale, self.at.scale)
            end.carry(share)
            self._elastic("lower_column" if name == "lower" else "disk", getattr(p, name), here, end)
            here = end
        return here

    @property
    def joints(self) -> int:
        return self.data.joints

    def _joint_channels(self, turns: list[Turn]) -> None:
        first, last = turns[0], turns[-1]
        ratios = [b.ratio / a.ratio for a, b in pairwise(turns)]
        channel = self.at.channel
        channel(f"{COLUMN}.upper_cardan_shaft_ratio", ratios[0], "-", "across the first joint")
        if len(ratios) > 1:
            channel(f"{COLUMN}.lower_cardan_shaft_ratio", ratios[-1], "-", "across the last joint")
        channel(f"{COLUMN}.overall_cardan_shaft_ratio", last.ratio / first.ratio, "-", "across all joints")

    def _elastic(self, name: str, p: Symbols, upper: Turn, lower: Turn) -> None:
        twist, rate = upper.angle - lower.angle, upper.rate - lower.rate
        spring, damper = p.stiffness * twist, p.damping * rate
        self.chain.stiff_link(upper, lower, spring + damper, p.stiffness, p.damping)
        self.arriving = (spring + damper) * lower.ratio
        self.told.energy[name] = 0.5 * spring * twist
        self.told.losses[name] = damper * rate
        if name == "disk":
            return
        channel = self.at.channel
        channel(f"{COLUMN}.{name}_deformation", twist, "rad", "wind-up, the upper end ahead to the left positive")
        channel(f"{COLUMN}.{name}_deformation_velocity", rate, "rad/s", "its speed")
        channel(f"{COLUMN}.{name}_stiffness_torque", spring, "N.m", "by its wind-up")
        channel(f"{COLUMN}.{name}_damping_torque", damper, "N.m", "by the speed of its wind-up")
        channel(f"{COLUMN}.total_torque_{name}", spring + damper, "N.m", "that it transmits")

    # -- pinion and rack ---------------------------------------------------------------------------

    def _mesh(self, pinion: Turn) -> None:
        at, p = self.at, self.gear_p
        self.pinion = pinion
        pinion.carry(self.pinion_inertia)
        if self.gear.mesh_stiffness is not None:
            ratio = self.rack.ratio / at.scale  # rack per turn of the pinion; teeth give way by little of a turn
            gap = pinion.angle - at.angle * at.scale
            stiffness = p.mesh_stiffness * ratio * ratio
            self.chain.stiff_link(
                pinion, Turn(self.zeta, at.angle * at.scale, at.scale), stiffness * gap, stiffness, 0.0
            )
            self.arriving = stiffness * gap * at.scale
            self.told.energy["mesh"] = 0.5 * stiffness * gap * gap
        name = f"{self.told_as}.{self.word}"
        at.channel(f"{name}_rotation", pinion.angle, "rad", f"turn of the {self.word}")
        at.channel(f"{name}_rotational_velocity", pinion.rate, "rad/s", "its speed")

    def _rack(self) -> None:
        at, p, rack = self.at, self.p.rack, self.rack
        rack.carry(p.mass)
        force = p.damping * rack.rate
        self.told.losses["rack"] = p.damping * rack.rate * rack.rate
        rubs: Any = 0.0
        law = self.data.friction.rack
        if law is not None:
            load = at.sign * at.rods
            rubs = law.torque(at.scope.scope("rack_friction"), self.p.friction.rack, rack.rate, load)
            self.told.losses["rack_friction"] = rubs * rack.rate
        within = rack.angle
        stop: Any = 0.0
        if self.data.rack.travel is not None:
            within = clip(rack.angle, -p.travel, p.travel)
            beyond = rack.angle - within
            side = sign(rack.angle)
            k = p.stop_stiffness
            stop = k * beyond * fmax(0.0, 1 + STOP_DAMPING * side * rack.rate)  # (4)
            self.told.energy["stop"] = 0.5 * k * beyond * beyond
            self.told.losses["stop"] = (stop - k * beyond) * rack.rate
        rack.push(-force - rubs - stop)
        extra = at.outside("Steering_Assist.steer_assist.force", "N", "force on the rack, with the hand wheel")
        if extra is not None:
            rack.push(extra)
            self.told.work["outside_force"] = extra * rack.rate
        channel = at.channel
        channel(f"{RACK}.rack_displacement", rack.angle, "m", "rack travel, positive with the hand wheel")
        channel(f"{RACK}.rack_displacement_saturated", within, "m", "the same within the stops")
        channel(f"{RACK}.rack_velocity", rack.rate, "m/s", "its speed")
        channel(f"{RACK}.rack_acceleration", at.scope.system.second_rate(rack.rate), "m/s2", "its acceleration")
        channel(f"{RACK}.rack_friction_force", rubs, "N", "friction of the rack")
        channel(f"{RACK}.rack_force", at.sign * at.rods, "N", "force of the tie rods, with the hand wheel")
        self.told.work["rods"] = at.rods * at.slope * at.angle_rate

    # -- assist, hand ------------------------------------------------------------------------------

    def _assist(self, driven: dict[str, Turn]) -> None:
        at, data = self.at, self.data
        below = driven["column"] if data.torsion_bar.on == "upper" else driven["pinion"]
        torque = at.outside("Steering_Assist.steer_assist.torque", "N.m", "torque below the torsion bar")
        if torque is not None:
            below.push(torque)
            self.told.work["outside_torque"] = torque * below.rate
        electric, hydraulic = data.electric, data.hydraulic
        if electric is None and hydraulic is None:
            return
        place = driven[electric.on] if electric is not None else self.rack
        motor = None
        if electric is not None:
            motor = at.outside("Steering_Assist.steering_assist.motor_torque", "N.m", "further torque of the motor")
        around = Assisted(
            scope=at.scope, chain=self.chain, twist=self.twist[0], twist_rate=self.twist[1], pinion=self.pinion.angle,
            speed=fabs(at.speed), driven=place, per_turn=self.rack.ratio / at.scale if place is self.rack else 1.0,
            rack=self.rack, on=at.on, motor_torque=motor,
            active=at.outside("Steering_Assist.internal_assist", "-", "1: the car's own assist acts, 0: not", "flag"),
            losses=self.told.losses,
        )  # fmt: skip
        force, power = (
            electric.connect(around, self.p.electric)
            if electric is not None
            else hydraulic.connect(around, self.p.hydraulic)
        )
        self.told.work["assist"] = power
        if electric is not None and electric.on != "rack":
            at.channel(f"{COLUMN}.steering_assist_moment", force, "N.m", "of the assist, with the hand wheel")
        else:
            at.channel(f"{COLUMN}.steering_assist_force", force, "N", "of the assist on the rack, with the hand wheel")

    def _hand(self) -> None:
        """(1) and (2)."""
        at, node = self.at, self.hand.node
        rubs: Any = 0.0
        law = self.data.friction.column
        if law is not None:
            rubs = law.torque(at.scope.scope("column_friction"), self.p.friction.column, at.rate, node.load)
        given = at.outside("Steering_Assist.steering_torque.torque", "N.m", "torque of the hand on the hand wheel")
        gyration = half_slope(at.scope.system, node)
        moving = (node.load - rubs - gyration + (0.0 if given is None else given)) / node.inertia
        inertial = node.inertia * (at.loose * moving + node.acceleration) + gyration
        self.told.losses["column_friction"] = rubs * at.rate
        self.told.moving, self.told.felt = moving, -node.load
        self.told.torque = inertial + rubs - node.load
        self.told.energy["hand"] = 0.5 * node.inertia * at.rate * at.rate
        self.told.work["hand"] = self.told.torque * at.rate
        at.channel(f"{COLUMN}.friction_torque", rubs, "N.m", "friction of the upper column")
        at.channel(f"{COLUMN}.inertial_torque", inertial, "N.m", "of hand wheel and column, with the hand wheel")
        at.channel(f"{COLUMN}.steering_wheel_torque", self.told.torque, "N.m", "torque the hand needs")

    def _tell(self) -> None:
        channel = self.at.channel
        force = self.arriving / self.rack.ratio
        channel(f"{self.told_as}.{self.moved}_force_from_lower_column", force, "N", "that arrives from the column")
        channel(f"{HAND}.Steering_Wheel_Torque", self.told.torque, "N.m", "torque the hand needs, left positive")
        channel(
            f"{HAND}.Steering_Wheel_Torque_load", -self.told.felt, "N.m", "torque of the steering on the hand wheel"
        )
        channel(
            f"{HAND}.DriveSim_Steering_Feedback_Torque", self.told.felt, "N.m",
            "Steering_Wheel_Torque without friction and inertia of the hand wheel",
        )  # fmt: skip
