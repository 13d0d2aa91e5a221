"""One axle: where its wheels are, how they are guided (``guidance``), and the elements that hold them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

from pydantic import model_validator

from jounce.components.basics import Side, Subsystem
from jounce.components.model import AxleModel, Pose, WheelModel
from jounce.components.part import Level, Part, Symbols, derived
from jounce.components.places import TRAVEL, AxlePlace, WheelPlace
from jounce.components.settings import Statics
from jounce.components.suspension.anti_roll_bar import AntiRollBar
from jounce.components.suspension.auxiliary_anti_roll import AuxiliaryAntiRoll
from jounce.components.suspension.bump_stop import BumpStop
from jounce.components.suspension.compliance import Compliance
from jounce.components.suspension.damper import Damper
from jounce.components.suspension.element import Element
from jounce.components.suspension.guidance import MAPS, AngleMap, KinematicMap, pose
from jounce.components.suspension.rebound_stop import ReboundStop
from jounce.components.suspension.ride_height import RideHeight
from jounce.components.suspension.series_static import SeriesStatic
from jounce.components.suspension.setup import AxleSetup
from jounce.components.suspension.solid_axle import SolidAxle
from jounce.components.suspension.spring import Spring
from jounce.components.suspension.x_dof import freedom_of
from jounce.components.suspension.x_dof_static import XDofStatic
from jounce.core.curves import Curve
from jounce.core.fields import part, problem, quantity
from jounce.symbolic.ops import atan


def _map(name: str) -> Any:
    """A map of the side on which a wheel is."""

    def found(self: Suspension, place: WheelPlace) -> KinematicMap:
        return self.map(name, place.side)

    return derived(label=name, at="wheel")(found)


class Suspension(Subsystem):
    """One axle: where the wheels are, how they are guided, what holds them."""

    level: ClassVar[Level] = "axle"
    rank: ClassVar[int] = 2

    track: float = quantity("m", gt=0, typical=(0.6, 3.0), doc="distance of the wheel centres at design")
    wheel_centre_x: float = quantity(
        "m", 0.0, typical=(0.0, 30.0), doc="wheel centres at design; 0 in front, −wheelbase at the rear"
    )
    x: KinematicMap = part({"curve": 0}, doc="displacement of the wheel centre, forward")
    y: KinematicMap = part(
        {"curve": 0}, doc="displacement of the left wheel centre, to the left; mirrored on the right"
    )
    toe: AngleMap = part({"curve": 0}, doc="toe-in")
    camber: AngleMap = part({"curve": 0}, doc="camber, top outwards")
    side_view_angle: AngleMap = part({"curve": 0}, doc="rotation in side view, top rearwards")
    spring: Spring | None = part(None, family="spring", doc="main springs")
    dampers: tuple[Damper, ...] = part((), family="damper", each="damper", doc="dampers in parallel")
    bump_stop: BumpStop | None = part(None, family="bump_stop", doc="limits compression")
    rebound_stop: ReboundStop | None = part(None, family="rebound_stop", doc="limits extension")
    auxiliary_anti_roll: AuxiliaryAntiRoll | None = part(
        None, family="auxiliary_anti_roll", doc="anti-roll force at the wheels"
    )
    anti_roll_bar: AntiRollBar | None = part(
        None, family="anti_roll_bar", doc="anti-roll bar; takes the place of the auxiliary force"
    )
    compliance: Compliance | None = part(
        None, family="compliance", silent=True, doc="how wheels give way under the loads of their tires; absent: not"
    )
    x_dof: XDofStatic | None = part(
        None, family="x_dof", doc="how what gives way along x follows the longitudinal force; absent: as maps say"
    )
    series_stiffness: SeriesStatic | None = part(
        None, family="series_stiffness", doc="elasticity in series with springs, dampers and stops"
    )
    solid: SolidAxle | None = part(None, silent=True, doc="beam of a solid axle; absent: maps guide the wheels")
    elements: tuple[Element, ...] = part((), family="element", each="element", doc="further elements, by their kind")
    ride_height: RideHeight = part({}, doc="where its ride heights are measured")
    setup: AxleSetup | None = part(None, numbers_only=True, doc="what a set-up brings about at this axle")

    @model_validator(mode="after")
    def _at_design(self) -> Self:
        for name in ("x", "y", "side_view_angle"):
            found = getattr(self, name)
            if found.offset != 0 or (found.right is not None and found.right.offset != 0):
                raise problem("must be 0: this coordinate is measured from design", name, "offset")
        return self

    @model_validator(mode="after")
    def _measured_somewhere(self) -> Self:
        if self.spring is None and self.series_stiffness is not None and self.series_stiffness.location == "component":
            text = "'component', but there is no main spring whose ratio could count; give location: wheel"
            raise problem(text, "series_stiffness", "location")
        return self

    @model_validator(mode="after")
    def _beam(self) -> Self:
        if self.solid is not None:
            self.solid.check(self)
        return self

    @model_validator(mode="after")
    def _along(self) -> Self:
        if self.x_dof is None:
            return self
        if self.compliance is None:
            raise problem("there is no compliance whose x it could follow; give compliance: {x: {fx: …}}", "x_dof")
        kind: str = self.x_dof.kind
        if self.x_dof.needs_map and not self.compliance.gives_along:
            raise problem(f"{kind}: its stiffness is that of the map x by fx of compliance, which is missing", "x_dof")
        if self.x_dof.takes_force and self.compliance.loop != "states":
            text = f"'{self.compliance.loop}': the x_dof {kind} has states; give 'states', or x_dof kind 'static'"
            raise problem(text, "compliance", "loop")
        if kind == "transfer_function" and self.compliance.velocity != "full":
            text = f"'{self.compliance.velocity}': must be 'full' beside an x_dof {kind}"
            raise problem(text, "compliance", "velocity")
        return self

    @property
    def dependent(self) -> bool:
        """Whether a map depends on the travel of the paired wheel (solid axle, twist beam)."""
        return any(getattr(self, name).dependent for name in MAPS)

    def map(self, name: str, side: Side) -> KinematicMap:
        """Return a map of one side; that of y is turned around for the right side unless it is given there."""
        found: KinematicMap = getattr(self, name)
        if side == "L":
            return found
        if found.right is not None:
            return found.right
        if name == "y":
            return found.model_copy(update={"curve": found.curve.scaled(-1.0), "offset": -found.offset + 0.0})
        return found

    def effective_auxiliary_anti_roll(self) -> AuxiliaryAntiRoll | None:
        """Return the auxiliary anti-roll force unless a bar takes its place."""
        return None if self.anti_roll_bar is not None else self.auxiliary_anti_roll

    # -- the model ---------------------------------------------------------------------------------

    map_x, map_y, map_toe = (_map(name) for name in ("x", "y", "toe"))
    map_camber, map_side_view_angle = (_map(name) for name in ("camber", "side_view_angle"))

    @derived("m", doc="at design, from the origin of its body", at="wheel")
    def wheel_centre(self, place: WheelPlace) -> Any:
        return place.axle.unit.local(place.centre, place.axle.on)

    @derived("-", doc="steer per unit of the steering input, straight ahead", at="wheel")
    def steer_rate(self, place: WheelPlace) -> float | None:
        steering = place.axle.data.guiding
        return None if steering is None else slope_at_zero(steering.map("steer", place.side).curve)

    def parts(self) -> Iterator[tuple[str, Part]]:
        for name, found in super().parts():
            if name != "auxiliary_anti_roll" or self.anti_roll_bar is None:
                yield name, found

    def frames(self, at: AxleModel, p: Symbols) -> None:
        for wheel in at.wheels:
            wheel.travel, wheel.travel_rate = wheel.scope.coordinate(
                TRAVEL, unit="m", doc="wheel travel", on=at.frame, role="balance"
            )
        steering = at.place.data.guiding
        beam = None if self.solid is None else self.solid.guide(at, at.symbols(self.solid, "solid"))
        for wheel in at.wheels:
            own = wheel.symbols(self)
            if at.place.settings.simplified_model == 1:
                psi = 0.0 if steering is None else own.steer_rate * wheel.steering_input
                wheel.pose = Pose(0.0, 0.0, psi, 0.0, 0.0)
            else:
                steered = None if steering is None else wheel.symbols(steering, "steering")
                wheel.pose = pose(wheel, own, steered, steering, self.dependent)
            at_once = dict(wheel.gives)
            if (found := freedom_of(wheel)) is not None and "x" in at_once:
                at_once["x"] = found[0].in_pose(found[1]) * at_once["x"]
            wheel.pose = _given_way(wheel, wheel.pose, at_once)
            if wheel.along is not None:
                wheel.pose.x = wheel.pose.x + wheel.along[0]
            if wheel.followed is not None:
                wheel.pose.x = wheel.pose.x + wheel.followed
                assert wheel.yielding is not None
                x, *others = wheel.yielding.moved
                wheel.yielding = replace(wheel.yielding, moved=(x + wheel.followed, *others))
            wheel.pose.psi = wheel.vehicle.through(
                wheel.pose.psi, "rad", "steer angle of the wheel, left positive",
                added=f"Steering.steer_at_spindle.{wheel.place.name}", rate=True,
            )  # fmt: skip
            for name, word in (("camber", "camber of the wheel"), ("side_view_angle", "side view angle of the wheel")):
                port, value = f"Wheel_Orientation.{name}.{wheel.place.name}", getattr(wheel.pose, name)
                setattr(wheel.pose, name, wheel.vehicle.through(value, "rad", word, added=port, rate=True))
            if beam is not None:
                beam.carry(wheel, wheel.pose)
            wheel.carrier = self._carrier(wheel, own, wheel.pose, "carrier", () if beam is None else beam.turns)
            if beam is not None:
                beam.tell(wheel, wheel.pose)
            if steering is not None and steering.axis_gives_way and wheel.gives:
                back = {name: -value for name, value in wheel.gives.items()}
                before = self._carrier(wheel, own, _given_way(wheel, replace(wheel.pose), back), "carrier_guided")
                wheel.guided_rotation = before.rotation
            if wheel.yielding is not None:
                for i, tried in enumerate(wheel.yielding.tried):
                    change = {name: value - wheel.gives[name] for name, value in tried.items()}
                    there = _given_way(wheel, replace(wheel.pose), change)
                    wheel.yielding.frames.append(self._carrier(wheel, own, there, f"carrier_tried{i + 1}"))

    def _carrier(self, wheel: WheelModel, own: Symbols, here: Pose, name: str, before: Sequence[Any] = ()) -> Any:
        """The frame of a carrier in a pose, (1) of ``guidance``; ``before``: turns of what carries it."""
        at, sign = wheel.axle, -wheel.place.outwards
        phi, theta = sign * here.camber, -here.side_view_angle
        turns = (("z", here.psi), ("x", phi), ("y", theta))
        if at.place.settings.carrier_rotation == "3-2-1":
            turns = (("z", here.psi), ("y", theta), ("x", phi))
        centre = own.wheel_centre
        place = [centre[0] + here.x, centre[1] + here.y, centre[2] + wheel.travel]
        return at.frame.guided(f"{wheel.place.prefix}{name}", place, (*before, *turns))

    def connect(self, at: AxleModel, p: Symbols) -> None:
        """Linear springs and dampers that only the search for equilibrium switches on; zero in a run."""
        for wheel in at.wheels:
            own = wheel.symbols(self)
            spring = own.constant("statics.spring_rate", 0.0, "N/m", "at the wheel, from design", low=0.0)
            damper = own.constant("statics.damper_rate", 0.0, "N.s/m", "at the wheel", low=0.0)
            at.system.generalized_force(wheel.travel_rate, -spring * wheel.travel - damper * wheel.travel_rate)

    def at_rest(self, options: Statics, place: AxlePlace | WheelPlace) -> dict[str, float]:  # type: ignore[override]
        if not isinstance(place, WheelPlace):
            return {}
        data = place.axle.data
        result = {}
        if options.use_linear_damper:
            result["statics.damper_rate"] = data.linear_damper_rate
        if options.use_linear_spring:
            result["statics.spring_rate"] = data.linear_spring_rate
        return result

    def tell(self, at: AxleModel, p: Symbols) -> None:
        channel = at.channel
        for wheel in at.wheels:
            place, u = wheel.place.name, wheel.travel_rate
            channel(f"Suspension.Jounce.{place}", wheel.travel, "m", "wheel travel, up positive")
            channel(f"Suspension.Jounce_Rate.{place}", u, "m/s", "its rate")
            channel(f"Suspension.Jounce_Acceleration.{place}", at.system.acceleration(u), "m/s2", "its second rate")
            total: Any = 0.0
            for force in wheel.spring_forces:
                total = total + force
            channel(f"Spring.Aggregate_Force_At_Wheel.{place}", total, "N", "spring and stops at the wheel")
            if wheel.central_forces:
                name = f"Spring.Central_Force_At_Wheel.{place}"
                channel(name, sum(wheel.central_forces), "N", "of springs that both wheels move, downwards")
        if len(at.wheels) == 2:
            left, right = at.wheels
            roll = atan((right.travel - left.travel) / p.track)
            channel(f"Suspension.Roll.SUSP{at.place.number}", roll, "rad", "of the body, right side down positive")

    def remarks(self) -> Iterator[tuple[str, str]]:
        for name in ("x", "y", "side_view_angle"):
            curve = getattr(self, name).curve
            if curve.is_table and abs(curve(0.0)) > 1e-9:
                yield name, f"{curve(0.0):.6g} {curve.units.y} at design, where this coordinate is zero by definition"
        if self.compliance is not None:
            yield from self.compliance.remarks_on(self)
        if self.x_dof is not None:
            yield from self.x_dof.remarks_on(self)
        if self.anti_roll_bar is not None and self.auxiliary_anti_roll is not None:
            yield "auxiliary_anti_roll", "not used, the anti-roll bar takes its place"


def _given_way(wheel: WheelModel, here: Pose, gives: Mapping[str, Any]) -> Pose:
    """The pose with what compliance adds to it; same signs as the maps."""
    for name, value in gives.items():
        if name == "toe":
            here.psi = here.psi - wheel.place.outwards * value
        else:
            setattr(here, name, getattr(here, name) + value)
    return here


def slope_at_zero(curve: Curve, width: float = 1e-4) -> float:
    """Slope of a curve along its first axis at the origin."""
    if curve.constant is not None:
        return curve.constant
    n = curve.n_axes - 1
    return (curve(width, *[0.0] * n) - curve(-width, *[0.0] * n)) / (2 * width)
