"""One axle: wheel guidance by maps over travel, and the elements that act on the wheels.

d   = r · J,  d = m(J) − m(0)  or  d = m(J; J_o) − m(0; 0)     deflection, positive in compression, by the ratio  (1)
F_w = F · ∂d/∂J,   F_wo = F · ∂d/∂J_o                          its force at the own and at the paired wheel       (2)

The travel J_o of the paired wheel moves the elements of axles whose wheels hang together: on a solid axle or a twist
beam a spring inboard of the wheel deflects less in roll than in parallel travel.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Discriminator, Tag, model_validator

from jounce.core.curves import Curve, CurveUnits, invert
from jounce.core.fields import Data, choice, curve, one_of, part, problem, quantity, text
from jounce.vehicle.basics import (
    Side,
    Subsystem,
)

MAPS = ("x", "y", "toe", "camber", "side_view_angle")


class KinematicMap(Data):
    """One coordinate of the carrier over wheel travel:  q = offset + scale · curve(J[; J of the paired wheel])."""

    curve: Curve = curve("m", "m", z="m", doc="over own travel, or own and paired travel", flat=True)
    scale: float = quantity("-", 1.0, doc="factor on the curve")
    offset: float = quantity("m", 0.0, doc="value at design, besides that of the curve")
    right: KinematicMap | None = part(None, doc="what differs on the right side")

    @classmethod
    def expand(cls, raw: Any) -> Any:
        if isinstance(raw, Curve):
            return {"curve": raw}
        if isinstance(raw, str) and raw.strip().lower().endswith(".csv"):
            return {"file": raw}
        return {"rate": raw} if isinstance(raw, str | float | int) and not isinstance(raw, bool) else raw

    @property
    def dependent(self) -> bool:
        """Whether either side depends on a second variable."""
        return self.curve.n_axes == 2 or (self.right is not None and self.right.curve.n_axes == 2)


class AngleMap(KinematicMap):
    """An angle of the carrier."""

    curve: Curve = curve("m", "rad", z="m", doc="over own travel, or own and paired travel", flat=True)
    offset: float = quantity("rad", 0.0, doc="value at design, besides that of the curve")
    right: AngleMap | None = part(None, doc="what differs on the right side")


class Element(Data):
    """What elements have in common: a ratio and a scale."""

    ratio: Curve = curve("m", "m", z="m", doc="travel to deflection: a factor r, or a table over own (and paired) J")
    ratio_convention: Literal["element_per_wheel", "wheel_per_element"] = choice(
        "element_per_wheel", doc="what a constant ratio divides by what"
    )
    scale: float = quantity("-", 1.0, ge=0, doc="factor on the force")

    @property
    def deflection(self) -> Curve:
        """`deflection_by` of the usual interpolation."""
        return self.deflection_by("akima")

    def deflection_by(self, method: str) -> Curve:
        """The ratio as deflection over wheel travel (1), whatever the convention it was given in; zero at design.

        Between the points of a table, what stands at design depends on the interpolation.
        """
        ratio = self.ratio
        if ratio.constant is not None:
            if self.ratio_convention == "wheel_per_element":
                return Curve(ratio.units, constant=1.0 / ratio.constant)
            return ratio
        at_design = ratio(0.0, method=method)
        if at_design == 0.0:
            return ratio
        return replace(ratio, y=tuple(value - at_design for value in ratio.y))

    @property
    def dependent(self) -> bool:
        """Whether the travel of the paired wheel moves the element as well."""
        return self.ratio.n_axes == 2

    @model_validator(mode="after")
    def _ratio_divides(self) -> Self:
        if self.ratio_convention == "wheel_per_element" and self.ratio.constant == 0.0:
            raise problem(
                "0 wheel per element: the element would move without the wheel; a ratio must not be 0", "ratio"
            )
        return self


DEFAULT_RATIO = Curve(CurveUnits("m", "m", "m"), constant=1.0)


class Spring(Element):
    """A spring:  F = scale · rate · c  or  scale · force(c),  c = free_length − installed_length + d.     (3)

    With ``axis: length`` the table is over length, measured from that at design and positive in extension.
    """

    alternatives: ClassVar = (("rate", "force"), ("installed_length", "preload"))

    type: Literal["translational"] = choice("translational", doc="translational (coil) or rotational (torsion bar)")
    rate: float | None = quantity("N/m", None, gt=0, doc="stiffness of a linear spring")
    force: Curve | None = curve("m", "N", None, doc="force of a nonlinear spring, positive when it pushes")
    axis: Literal["deflection", "length"] = choice(
        "deflection", doc="abscissa of `force`: compression from free length, or length from that at design"
    )
    free_length: float | None = quantity("m", None, presence=False, doc="length without load")
    installed_length: float | None = quantity("m", None, presence=False, doc="length at design")
    preload: float | None = quantity("N", None, presence=False, doc="force at design")
    ratio: Curve = curve(
        "m", "m", DEFAULT_RATIO, z="m", doc="travel to compression: a factor r, or a table over own (and paired) J"
    )
    right: Spring | None = part(None, doc="what differs on the right side")

    @model_validator(mode="after")
    def _mounted(self) -> Self:
        one_of(self, ("rate", "force"))
        one_of(self, ("installed_length", "preload"), needed=self.axis == "deflection")
        if self.axis == "length" and self.rate is not None:
            raise problem("a linear spring has no table over length; leave axis out", "axis")
        if self.axis == "length" and self.installed_length is not None:
            raise problem(
                "a table over length is measured from that at design; give preload, or neither", "installed_length"
            )
        if self.installed_length is not None and self.free_length is None:
            raise problem("missing; compression at design = free_length − installed_length", "free_length")
        if self.preload is not None and self.force is not None:
            rising = 1 if self.axis == "deflection" else -1
            if self.force.monotonic != rising:
                word = "rise with compression" if rising > 0 else "fall with length"
                raise problem(f"must strictly {word}, or no one length belongs to the preload", "force")
            if self.scale == 0:
                raise problem("0 leaves no force that could be the preload", "scale")
        return self

    def abscissa_at_design(self, method: str = "akima") -> float:
        """Return the compression at design, or the length for ``axis: length``; from the preload if that is given."""
        if self.preload is None:
            if self.axis == "length":
                return 0.0
            assert self.free_length is not None and self.installed_length is not None
            return self.free_length - self.installed_length
        if self.rate is not None:
            return self.preload / (self.scale * self.rate)
        assert self.force is not None
        return invert(self.force, self.preload / self.scale, method)

    def force_at_design(self, method: str = "akima") -> float:
        """Return the force of the spring at design."""
        if self.preload is not None:
            return self.preload
        at = self.abscissa_at_design(method)
        if self.rate is not None:
            return self.scale * self.rate * at
        assert self.force is not None
        return self.scale * self.force(at, method=method)

    def length_at_design(self, method: str = "akima") -> float | None:
        """Return the installed length, when it is known."""
        if self.installed_length is not None:
            return self.installed_length
        if self.free_length is None or self.axis == "length":
            return None
        return self.free_length - self.abscissa_at_design(method)


class TorsionSpring(Spring):
    """A spring that is twisted: force is torque, length is angle."""

    type: Literal["rotational"] = choice("rotational", doc="translational (coil) or rotational (torsion bar)")  # type: ignore[assignment]
    rate: float | None = quantity("N.m/rad", None, gt=0, doc="stiffness of a linear spring")
    force: Curve | None = curve("rad", "N.m", None, doc="torque of a nonlinear spring, positive when it pushes")
    free_length: float | None = quantity("rad", None, presence=False, doc="angle without load")
    installed_length: float | None = quantity("rad", None, presence=False, doc="angle at design")
    preload: float | None = quantity("N.m", None, presence=False, doc="torque at design")
    ratio: Curve = curve("m", "rad", z="m", doc="travel to twist: a factor, or a table over own (and paired) J")
    ratio_convention: Literal["element_per_wheel"] = choice("element_per_wheel", doc="what a constant ratio means")
    right: TorsionSpring | None = part(None, doc="what differs on the right side")


def _spring_type(raw: Any) -> str:
    found = raw.get("type") if isinstance(raw, Mapping) else getattr(raw, "type", None)
    return "rotational" if found == "rotational" else "translational"


AnySpring = Annotated[
    Annotated[Spring, Tag("translational")] | Annotated[TorsionSpring, Tag("rotational")], Discriminator(_spring_type)
]


class Damper(Element):
    """A damper:  F = scale · rate · v,  scale · force(v)  or  scale · force(v; x); v and x positive in extension."""

    alternatives: ClassVar = (("rate", "force"),)

    name: str = text(doc="name, for channels")
    rate: float | None = quantity("N.s/m", None, ge=0, doc="force per speed of a linear damper")
    force: Curve | None = curve("m/s", "N", None, z="m", doc="over speed, or speed and extension; positive in tension")
    ratio: Curve = curve(
        "m", "m", DEFAULT_RATIO, z="m", doc="travel to compression: a factor r, or a table over own (and paired) J"
    )
    right: Damper | None = part(None, doc="what differs on the right side")

    @model_validator(mode="after")
    def _one_law(self) -> Self:
        one_of(self, ("rate", "force"))
        return self


class Stop(Element):
    """A bump or rebound stop:  F = scale · force(δ),  δ = travel of the element beyond the clearance."""

    active: bool = choice(True, doc="whether it exists")
    clearance: float = quantity("m", doc="deflection before it engages")
    force: Curve = curve("m", "N", doc="over deformation after engagement: a rate, or a table; positive")
    ratio: Curve = curve(
        "m", "m", DEFAULT_RATIO, z="m", doc="travel to deflection: a factor r, or a table over own (and paired) J"
    )
    right: Stop | None = part(None, doc="what differs on the right side")

    @model_validator(mode="after")
    def _pushes(self) -> Self:
        if self.force.constant is not None and self.force.constant < 0:
            raise problem("negative: a stop would pull", "force")
        if self.force.is_table and min(self.force.y) < 0:
            raise problem(f"{min(self.force.y)!r} N: negative, a stop would pull", "force")
        return self


class AuxiliaryAntiRoll(Data):
    """Opposite vertical forces at the wheels, with ΔJ = J_L − J_R:

    F = scale · rate · ΔJ  or  scale · force(ΔJ[; mean J])
    """

    alternatives: ClassVar = (("rate", "force"),)

    rate: float | None = quantity("N/m", None, ge=0, doc="force per difference of travel")
    force: Curve | None = curve("m", "N", None, z="m", doc="over difference, or difference and mean, of travel")
    scale: float = quantity("-", 1.0, ge=0, doc="factor on the force")
    damping: float = quantity("s", 0.05, ge=0, doc="damping force per stiffness and rate of the difference")

    @model_validator(mode="after")
    def _one_law(self) -> Self:
        one_of(self, ("rate", "force"))
        return self


class AntiRollBarSide(Data):
    """The right arm of a bar, when it differs."""

    ratio: Curve = curve("m", "rad", doc="wheel travel to rotation of the bar's end")


class AntiRollBar(Data):
    """A torsion bar between the wheels, with the twist α = a_L(J_L) − a_R(J_R):

    T = preload + scale · stiffness · α  or  preload + scale · torque(α)
    """

    alternatives: ClassVar = (("stiffness", "torque"),)

    ratio: Curve = curve("m", "rad", doc="wheel travel to rotation of the bar's end: a factor, or a table")
    stiffness: float | None = quantity("N.m/rad", None, ge=0, doc="torsional stiffness")
    torque: Curve | None = curve("rad", "N.m", None, doc="torque over twist")
    preload: float = quantity("N.m", 0.0, doc="torque at design, positive as if the left wheel were up")
    scale: float = quantity("-", 1.0, ge=0, doc="factor on the torque, not on the preload")
    right: AntiRollBarSide | None = part(None, doc="what differs on the right side")

    @model_validator(mode="after")
    def _one_law(self) -> Self:
        one_of(self, ("stiffness", "torque"))
        return self


class Suspension(Subsystem):
    """One axle: where the wheels are, how they are guided, what holds them."""

    track: float = quantity("m", gt=0, doc="distance of the wheel centres at design")
    wheel_centre_x: float = quantity("m", 0.0, doc="wheel centres at design; 0 in front, −wheelbase at the rear")
    x: KinematicMap = part({"curve": 0}, doc="displacement of the wheel centre, forward")
    y: KinematicMap = part(
        {"curve": 0}, doc="displacement of the left wheel centre, to the left; mirrored on the right"
    )
    toe: AngleMap = part({"curve": 0}, doc="toe-in")
    camber: AngleMap = part({"curve": 0}, doc="camber, top outwards")
    side_view_angle: AngleMap = part({"curve": 0}, doc="rotation in side view, top rearwards")
    spring: AnySpring | None = part(None, doc="main springs")
    dampers: tuple[Damper, ...] = part((), doc="dampers in parallel")
    bump_stop: Stop | None = part(None, doc="limits compression")
    rebound_stop: Stop | None = part(None, doc="limits extension")
    auxiliary_anti_roll: AuxiliaryAntiRoll | None = part(None, doc="anti-roll force at the wheels")
    anti_roll_bar: AntiRollBar | None = part(None, doc="anti-roll bar; takes the place of the auxiliary force")

    @model_validator(mode="after")
    def _at_design(self) -> Self:
        for name in ("x", "y", "side_view_angle"):
            found = getattr(self, name)
            if found.offset != 0 or (found.right is not None and found.right.offset != 0):
                raise problem("must be 0: this coordinate is measured from design", name, "offset")
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

    def bar_ratio(self, side: Side) -> Curve:
        """Return the ratio of the anti-roll bar on one side."""
        assert self.anti_roll_bar is not None
        bar = self.anti_roll_bar
        return bar.right.ratio if side == "R" and bar.right is not None else bar.ratio

    def effective_auxiliary_anti_roll(self) -> AuxiliaryAntiRoll | None:
        """Return the auxiliary anti-roll force unless a bar takes its place."""
        return None if self.anti_roll_bar is not None else self.auxiliary_anti_roll
