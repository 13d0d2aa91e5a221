"""From the hand wheel to the input of the steering maps.

The angle ζ that enters rack and maps is that of the hand wheel over the scale of the gear, plus the wind-up of the
column (``column``). u, the input of the maps, is ζ itself or rack travel τ(ζ). What the loads on the wheels do to it is
in ``feedback``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from jounce.components.basics import Point, Side, Subsystem
from jounce.components.model import AxleModel
from jounce.components.part import Level, Symbols, derived
from jounce.components.places import AxlePlace, Place, WheelPlace
from jounce.components.steering import feedback, outside
from jounce.components.steering.column import Column
from jounce.components.steering.elements import ELEMENTS, Attachments, SteeredDeflection, SteeredElements, SteerForce
from jounce.components.steering.feedback import Feedback, Rod, TieRod
from jounce.components.steering.kingpin import Kingpin
from jounce.components.steering.maps import STEERING_MAPS, SteerLengthMap, SteerMap, mirrored
from jounce.components.steering.motion import Motion
from jounce.components.steering.release import Release, let_go, move
from jounce.core.curves import Curve, CurveUnits, invert
from jounce.core.fields import Data, choice, curve, part, problem, quantity

if TYPE_CHECKING:
    from jounce.components.steering.rack_pinion import RackPinion
    from jounce.components.steering.recirculating_ball import RecirculatingBall
else:
    RackPinion = RecirculatingBall = Data  # imported with the first vehicle that has one

BACK = CurveUnits("m", "rad")  # of the way from rack to hand wheel


@dataclass
class Linkage:
    """Hand wheel, column and rack."""

    hand: Any  # hand wheel angle
    angle: Any  # ζ, a symbol of its own: partial derivatives are taken along it
    scale: Any  # hand wheel over ζ
    rack: Any = None  # τ(ζ)
    wind_up: tuple[Any, Any] | None = None  # first step of the lag, wind-up
    free: tuple[Any, Any, Any] | None = None  # whether let go, rate of the free wheel, rate of the hand
    rate: Any = None  # of the hand wheel
    angle_rate: Any = None  # of ζ, where that is a coordinate of its own
    by_elements: list[Any] = field(default_factory=list)  # loads on ζ of elements that steering deflects


def _map(name: str) -> Any:
    """A map of the side on which a wheel is."""

    def found(self: Steering, place: WheelPlace) -> SteerMap | None:
        return self.map(name, place.side)

    return derived(label=name, at="wheel")(found)


def _element(name: str) -> Any:
    """What steering does to an element, on the side on which a wheel is."""

    def found(self: Steering, place: WheelPlace) -> SteerMap | SteerForce | None:
        return None if self.elements is None else _on(getattr(self.elements, name), place.side, 1.0)

    return derived(label=f"elements.{name}", at="wheel")(found)


def _on(found: Any, side: Side, sign: float) -> Any:
    """A map of one side; on the right, unless given, sign · that of the left wheel at -u."""
    if found is None or side == "L":
        return found
    if found.right is not None:
        return found.right
    return found.model_copy(update={"curve": mirrored(found.curve, sign)})


def _told_over(group: Mapping[str, Any], over: str, only: str = "") -> dict[str, Any]:
    """A group of maps, told what they are over; ``only``: those of these names."""
    found = {name: SteerMap.expand(raw) for name, raw in group.items() if not only or name in only}
    told = {name: {**raw, "over": over} for name, raw in found.items() if isinstance(raw, Mapping)}
    return {**group, **told}


def _reach(found: Curve) -> float:
    """How far a table goes to its nearer side."""
    return min(-found.x[0], found.x[-1])


class Steering(Subsystem):
    """From the hand wheel to the wheels by maps over the input u (hand wheel angle or rack travel) and travel J."""

    level: ClassVar[Level] = "axle"
    rank: ClassVar[int] = 1

    input: Literal["wheel_angle", "rack_travel"] = choice("wheel_angle", doc="the input u of the maps")
    rack_travel: Curve | None = curve(
        "rad", "m", None, typical=(5e-4, 0.3), reach=(0.1, 40.0), doc="rack travel over hand wheel angle"
    )
    gear_ratio_scale: float = quantity(
        "-", 1.0, gt=0, typical=(0.02, 50.0), doc="divides the hand wheel angle before the maps"
    )
    method: Literal["toe_table", "steer_map"] = choice(
        "toe_table", doc="toe_table: steer(u) with the toe of the suspension; steer_map: steer(u; J) alone"
    )
    steer: SteerMap = part(doc="steer at ground over u, or u and J; positive to the left")
    camber: SteerMap | None = part(None, doc="camber over u, or u and J")
    side_view_angle: SteerMap | None = part(None, doc="side-view angle over u, or u and J")
    x: SteerLengthMap | None = part(None, doc="displacement of the wheel centre, forward")
    y: SteerLengthMap | None = part(None, doc="displacement of the left wheel centre, to the left")
    steering_dependent_wheel_location: bool = choice(
        False, doc="x and y of the wheel centre from these maps, not from the suspension"
    )
    kingpin: Kingpin | None = part(None, doc="steering axis")
    kingpin_axis: Literal["given", "motion"] = choice(
        "given", doc="given: by kingpin, where it is there; motion: the axis about which the maps turn the carrier"
    )
    axis_gives_way: bool = choice(False, doc="compliance of the wheel carries its steering axis along")
    feedback: Feedback = part({}, doc="forces of the steering")
    column: Column | None = part(None, doc="compliant column")
    release: Release | None = part(None, doc="a hand wheel that can be let go")
    elements: SteeredElements | None = part(None, doc="what steering does to elements of the axle", silent=True)
    attachments: Attachments | None = part(None, doc="elements that pull on the upright", silent=True)
    rack_pinion: RackPinion | None = part(
        None,
        silent=True,
        late="jounce.components.steering.rack_pinion:RackPinion",
        doc="inertia, elasticity, friction and assist between hand wheel and rack",
    )
    recirculating_ball: RecirculatingBall | None = part(
        None,
        silent=True,
        late="jounce.components.steering.recirculating_ball:RecirculatingBall",
        doc="the same with worm, ball nut, pitman arm and drag link, whose way is the rack travel",
    )

    @classmethod
    def expand(cls, raw: Any) -> Any:
        """Tell the maps what they are over."""
        if not isinstance(raw, Mapping):
            return raw
        over = "m" if raw.get("input") == "rack_travel" else "rad"
        kinds: dict[str, type[Data]] = {
            **dict.fromkeys(STEERING_MAPS, SteerMap),
            "kingpin": Kingpin,
            "feedback": Feedback,
        }
        data = {"feedback": {}, **raw}  # also one that nobody mentions is over this input
        for name, kind in kinds.items():
            found = kind.expand(data.get(name))
            if isinstance(found, Mapping):
                data[name] = {**found, "over": over}
        if isinstance(data.get("elements"), Mapping):
            data["elements"] = _told_over(data["elements"], over)
        if isinstance(data.get("attachments"), Mapping):
            ends = data["attachments"].items()
            data["attachments"] = {
                name: _told_over(found, over, "xyz") if isinstance(found, Mapping) else found for name, found in ends
            }
        return data

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        self._check_rack()
        if self.rack_travel is not None and self.rack_travel.monotonic == 0:
            raise problem("must strictly rise or fall with the hand wheel angle", "rack_travel")
        if self.method == "toe_table" and self.steer.curve.n_axes == 2:
            raise problem(
                "two axes; method: toe_table takes steer(u) only, method: steer_map also steer(u; J)", "steer"
            )
        if self.method == "toe_table" and self.steer.right is not None and self.steer.right.curve.n_axes == 2:
            raise problem("two axes; method: toe_table takes steer(u) only", "steer", "right")
        if self.steering_dependent_wheel_location:
            for name in ("x", "y"):
                if getattr(self, name) is None:
                    raise problem("missing; needed for steering_dependent_wheel_location", name)
        over = "m" if self.input == "rack_travel" else "rad"
        for name in (*STEERING_MAPS, "kingpin", "feedback"):
            found = getattr(self, name)
            if name == "feedback" and not (found.torque or found.rack_force):
                continue
            if found is not None and found.over != over:
                raise problem(f"a map over an input in {found.over}, but input: {self.input} is in {over}", name)
        self._check_feedback()
        for name in ELEMENTS.values() if self.elements is not None and self.attachments is not None else ():
            if getattr(self.elements, name) is not None and getattr(self.attachments, name) is not None:
                raise problem("stands beside elements, which has its load by virtual work", "attachments", name)
        return self

    def _check_rack(self) -> None:
        if self.recirculating_ball is not None:
            for name in ("rack_pinion", "rack_travel"):
                if getattr(self, name) is not None:
                    raise problem("stands beside recirculating_ball, which has one of its own", name)
        if self.input == "rack_travel" and self.travel is None:
            raise problem("missing; needed for input: rack_travel", "rack_travel")

    def remarks(self) -> Iterator[tuple[str, str]]:
        if self.attachments is not None and self.feedback_method == "maps":
            yield "attachments", "change the kingpin moment that feedback maps are entered with; do they have them?"
        if self.gear is not None:
            yield from ((f"{self.gear_name}.{key}", text) for key, text in self.gear.remarks())

    def _check_feedback(self) -> None:
        found = self.feedback
        if self.gear is not None:
            for name in ("column", "release"):
                if getattr(self, name) is not None:
                    raise problem(f"stands beside {self.gear_name}, which has one of its own", name)
            for name, bad in (("inertia_terms", found.inertia_terms), ("torque", found.torque is not None),
                              ("servo_scaling", found.servo_scaling is not None)):  # fmt: skip
                if bad:
                    raise problem(f"stands beside {self.gear_name}, which has it by itself", "feedback", name)
            if self.travel is None:
                raise problem("missing; needed for rack_pinion", "rack_travel")
        if found.method == "kingpin" and (self.kingpin is None or self.kingpin_axis == "motion"):
            raise problem("method: kingpin needs a given kingpin", "feedback")
        if self.release is not None and found.inertia_terms:
            raise problem("a free hand wheel moves by the torque without inertia_terms", "release")
        if self.travel is None:
            for name, needed in (
                ("tie_rod", found.method == "tie_rods"),
                ("tie_rod_force", found.tie_rod_force is not None),
                ("rack_force", found.rack_force is not None),
            ):
                if needed:
                    raise problem(f"missing; needed for feedback: {name}", "rack_travel")

    @property
    def lock(self) -> float | None:
        """Hand wheel angle to the nearer end of the data, rad; None where they have none (constant rates)."""
        steer, ends = self.steer.curve, []
        if self.travel is not None and self.travel.is_table:
            ends.append(_reach(self.travel))
        if steer.is_table:
            reach = _reach(steer)
            if self.input == "rack_travel":
                assert self.travel is not None
                reach = min(abs(invert(self.travel, sign * reach)) for sign in (1.0, -1.0))
            ends.append(reach)
        return min(ends) * self.gear_ratio_scale if ends else None

    @property
    def releases(self) -> bool:
        """Whether its hand wheel can be let go."""
        return self.release is not None or self.gear is not None

    @property
    def gear(self) -> RackPinion | RecirculatingBall | None:
        """The gear that has inertia, if any."""
        return self.rack_pinion if self.recirculating_ball is None else self.recirculating_ball

    @property
    def gear_name(self) -> str:
        """Its key."""
        return "rack_pinion" if self.recirculating_ball is None else "recirculating_ball"

    @property
    def travel(self) -> Curve | None:
        """Travel of the rack, or of the drag link, over hand wheel angle."""
        return self.rack_travel if self.recirculating_ball is None else self._drag_link

    @cached_property
    def _drag_link(self) -> Curve:
        assert self.recirculating_ball is not None
        return self.recirculating_ball.travel(self.gear_ratio_scale)

    def _drawn(self, p: Symbols, angle: Any) -> Any:
        if self.recirculating_ball is None:
            return p.rack_travel(angle)
        return self.recirculating_ball.drawn(p.recirculating_ball, angle, p.gear_ratio_scale)

    def turned(self, place: AxlePlace, hand: float) -> dict[str, float]:
        """States that the hand wheel moves to where it is and nothing else acts: the rack, where it has a state."""
        if self.gear is None:
            return {}
        return {f"{place.vehicle.prefix}steering.rack": self.gear.pinion(hand) / self.gear_ratio_scale}

    @property
    def feedback_method(self) -> Literal["virtual_work", "kingpin", "tie_rods", "maps"]:
        """The way from loads to the hand wheel, chosen or usual."""
        if self.feedback.method is not None:
            return self.feedback.method
        return "virtual_work" if self.kingpin is None or self.kingpin_axis == "motion" else "kingpin"

    def tie_rod_on(self, side: Side) -> TieRod | None:
        """Return the tie rod of one side; on the right, unless given, as in a mirror."""
        found = self.feedback.tie_rod
        if found is None or side == "L":
            return found
        if found.right is not None:
            return found.right
        ends = {n: p.model_copy(update={"y": -p.y}) for n, p in (("outer", found.outer), ("inner", found.inner))}
        return found.model_copy(update=ends)

    def map(self, name: str, side: Side) -> SteerMap | None:
        """Return a map of one side.

        Unless it is given for the right side, the right wheel does as the left one in a mirror: x, camber and side-view
        angle are those of the left wheel at −u; steer and y likewise, with the opposite sign.
        """
        found: SteerMap | None = _on(getattr(self, name), side, -1.0 if name in ("steer", "y") else 1.0)
        return found

    def kingpin_on(self, side: Side) -> Kingpin | None:
        """Return the steering axis of one side; on the right, unless given, as in a mirror."""
        found = self.kingpin
        if found is None or side == "L":
            return found
        if found.right is not None:
            return found.right
        names = ("caster", "inclination", "x", "y", "z")
        return found.model_copy(
            update={name: mirrored(getattr(found, name), -1.0 if name == "y" else 1.0) for name in names}
        )

    # -- the model ---------------------------------------------------------------------------------

    map_steer, map_camber, map_side_view_angle = (_map(name) for name in ("steer", "camber", "side_view_angle"))
    map_x, map_y = _map("x"), _map("y")
    of_spring, of_damper, of_anti_roll = (_element(name) for name in ("spring", "damper", "anti_roll"))
    of_bump_stop, of_rebound_stop = _element("bump_stop"), _element("rebound_stop")

    @derived(doc="1 where the rack moves to the left with the hand wheel, -1 where it moves to the right", at="axle")
    def rack_sign(self, place: Place) -> float | None:
        return None if self.travel is None else float(self.travel.monotonic)

    @derived(at="axle", guides=True)
    def rack_back(self, place: Place) -> Curve | None:
        """Hand wheel angle over rack travel."""
        found = self.travel
        if found is None:
            return None
        if found.constant is not None:
            return Curve(BACK, constant=1.0 / found.constant)
        table = found.table(method=place.settings.splines.method, extrapolation="linear")
        dense = np.interp(np.arange(0, len(found.x) - 0.9, 0.1), np.arange(len(found.x)), found.x)
        pairs = sorted((float(table(x)), float(x)) for x in dense)
        return Curve(BACK, x=tuple(y for y, _ in pairs), y=tuple(x for _, x in pairs))

    @derived(label="kingpin", at="wheel")
    def axis(self, place: WheelPlace) -> Kingpin | None:
        """The steering axis of the side on which a wheel is."""
        return self.kingpin_on(place.side)

    def rod_at(self, place: WheelPlace) -> Rod:
        """The tie rod of a wheel, its outer end in carrier axes."""
        rod = self.tie_rod_on(place.side)
        assert rod is not None
        return Rod(outer=self._on_carrier(place, rod.outer.array), inner=rod.inner)

    def _on_carrier(self, place: WheelPlace, offset: Any) -> Point:
        """An offset from the wheel centre at design, in carrier axes."""
        motion = Motion(place.axle.data.suspension, self, place.settings)
        x, y, z = motion.design_rotation(place.side).T @ offset
        return Point(x=x, y=y, z=z)

    def attached_at(self, place: WheelPlace, name: str) -> Rod | None:
        """Ends of an element of a wheel: on the carrier in its axes, on the body from the wheel centre at design."""
        found = None if self.attachments is None else getattr(self.attachments, name)
        if found is None:
            return None
        mirror = [1.0, place.outwards, 1.0]
        upright, chassis = (mirror * end.array - place.centre for end in (found.upright, found.chassis))
        inner = Point(x=chassis[0], y=chassis[1], z=chassis[2])
        moves = {axis: _on(getattr(found, axis), place.side, -1.0 if axis == "y" else 1.0) for axis in "xyz"}
        return Rod(outer=self._on_carrier(place, upright), inner=inner, **moves)

    def groups(self, place: Place) -> Iterator[tuple[str, Data]]:
        if isinstance(place, WheelPlace) and place.axle.data.steering is self:
            yield f"steering.feedback.{place.name}", self.feedback
            if self.feedback.tie_rod is not None:
                yield f"{place.name}.tie_rod", self.rod_at(place)
            for name in ELEMENTS.values():
                if (rod := self.attached_at(place, name)) is not None:
                    yield f"{place.name}.attached_{name}", rod

    def frames(self, at: AxleModel, p: Symbols) -> None:
        """The input u of the steering maps: hand wheel angle or rack travel."""
        system, scope = at.system, at.vehicle.scope("steering")
        hand = at.vehicle.signals.read("steering_wheel", "the steering")
        rate = system.time_derivative(hand)
        free, wind_up = None, None
        if self.releases:
            loose, offset, speed = let_go(scope, at.vehicle.root, rate)
            free, hand, rate = (loose, speed, rate), hand + offset, rate + loose * (speed - rate)
        if self.gear is not None:
            angle, angle_rate = scope.coordinate(
                "rack", unit="rad", doc="travel of the rack, as a turn of the pinion", on=at.frame, role="balance"
            )
            rack = self._drawn(p, angle)
            at.linkage = Linkage(hand, angle, p.gear_ratio_scale, rack, None, free, rate, angle_rate)
            self._tell(at, rate)
            return
        angle = hand / p.gear_ratio_scale
        if self.column is not None and at.place.settings.simplified_model == 0:
            wind_up = self.column.declare(scope, p.column)
            angle = angle + wind_up[1]
            name = "Steering_System.Steering_column_deformation"
            at.channel(name, wind_up[1], "rad", "wind-up, left positive")
        over = "m" if self.input == "rack_travel" else "rad"
        angle = outside.given_angle(at, angle, None if self.rack_travel is None else lambda u: p.rack_back(u), over)
        angle = system.calls.alias(f"{scope.prefix}angle", [angle])[0]
        rack = None if self.rack_travel is None else p.rack_travel(angle)
        at.linkage = Linkage(hand, angle, p.gear_ratio_scale, rack, wind_up, free)
        self._tell(at, rate)

    def connect(self, at: AxleModel, p: Symbols) -> None:
        """Anti-roll forces that change with the steering."""
        if self.elements is not None and self.elements.anti_roll is not None:
            for wheel in at.wheels:
                own = wheel.symbols(self, "steering").of_anti_roll
                force = own.scale * own.curve(at.steering, wheel.travel)
                wheel.anti_roll_end.push(force)
                name = f"Steering_System.Anti_Roll_Force.{wheel.place.name}"
                at.channel(name, force, "N", "that steering adds at the wheel, upwards")

    def _tell(self, at: AxleModel, rate: Any) -> None:
        linkage = at.linkage
        for wheel in at.wheels if self.elements is not None else ():
            own = wheel.symbols(self, "steering")
            for word, name in ELEMENTS.items():
                if getattr(self.elements, name) is not None:
                    wheel.steered_elements[word] = SteeredDeflection(wheel, getattr(own, f"of_{name}"))
        at.steering = linkage.rack if self.input == "rack_travel" else linkage.angle
        if linkage.rack is not None:
            at.channel("Steering_System.Rack_Displacement", linkage.rack, "m", "rack travel")
        at.channel("driver_demands.steering", linkage.hand, "rad", "hand wheel angle, left positive")
        at.channel("driver_demands.steering_velocity", rate, "rad/s", "its rate")

    def close(self, at: AxleModel, p: Symbols) -> None:
        """Moments about the kingpins and what the driver feels of them."""
        linkage, scope = at.linkage, at.vehicle.scope("steering")
        if linkage.wind_up is not None and self.column is not None:
            # by the forces that act, so that no acceleration depends on itself; accelerations below depend on it
            moment = feedback.moment_of_forces(at, self, linkage)
            self.column.close(scope, p.column, linkage.wind_up[0], moment)
        sides = feedback.sides_of(at, self, linkage, self.feedback.inertia_terms)
        total = feedback.tell_kingpins(at, sides)
        load = feedback.load_on_angle(at, self, linkage, sides, total)
        if self.gear is not None:
            self._mechanism(at, p, sides, load)
            return
        torque = feedback.hand_torque(at, self, linkage, load, total)
        if linkage.free is not None and self.release is not None:
            loose, speed, rate = linkage.free
            move(scope, loose, speed, rate, self.release.moving(p.release, speed, torque))

    def _mechanism(self, at: AxleModel, p: Symbols, sides: Mapping[str, Any], load: Any) -> None:
        """What moves between hand wheel and rack; wheels act on ζ by virtual work, and by what ``load`` has more."""
        from jounce.components.steering.rack_pinion import Given

        assert self.gear is not None
        linkage, scope, system = at.linkage, at.vehicle.scope("steering"), at.system
        if self.feedback_method != "virtual_work" or self.feedback.tie_rod_force is not None:
            known = feedback.by_virtual_work(dict(sides)) + sum(linkage.by_elements)
            system.generalized_force(linkage.angle_rate, load - known)
        loose, speed, rate = linkage.free
        slope = at.vehicle.slope(linkage.rack, linkage.angle)
        hand = system.calls.alias(f"{scope.prefix}hand", [linkage.hand])[0]
        given = Given(
            scope, hand, linkage.rate, system.time_derivative(rate), loose, linkage.scale, linkage.angle,
            linkage.angle_rate, linkage.rack, slope, p.rack_sign, at.unit.chassis.v[0], at.frame, load / slope,
            lambda name, unit, doc, mode="added": at.vehicle.outside(name, unit, doc, mode, float(mode == "flag")),
            at.channel,
        )  # fmt: skip
        told = self.gear.mechanism(getattr(p, self.gear_name), given)
        move(scope, loose, speed, rate, told.moving)
