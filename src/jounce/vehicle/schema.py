"""The data of a vehicle: a system and its subsystems, in the signs users know (docs/conventions.md).

Points are in the vehicle reference frame: x forward from the front wheel centres, y left, z up from the ground at
design. Wheel travel (jounce) J is positive upwards and zero at design. Where a group has ``right``, the data
describe the left side and, mirrored, the right one; ``right`` holds what differs there, in the same signs, and is not mirrored.

    d   = r · J   or   d = m(J)         deflection of an element, positive in compression, from its ratio           (1)
    F_w = F · ∂d/∂J                     its force at the wheel                                                      (2)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import Discriminator, PrivateAttr, Tag, model_validator

from jounce.core.constants import GRAVITY
from jounce.core.errors import ParameterError
from jounce.vehicle.curves import Curve, CurveUnits
from jounce.vehicle.fields import Data, choice, curve, flag, hidden, one_of, part, problem, quantity, reference, text
from jounce.vehicle.references import FileReference

if TYPE_CHECKING:
    from jounce.vehicle.source import Source

Array = npt.NDArray[np.float64]
Side = Literal["L", "R"]
SIDES: tuple[Side, Side] = ("L", "R")
MAPS = ("x", "y", "toe", "camber", "side_view_angle")
DIAGNOSED = 1e-9  # relative room for rounding in comparisons of given numbers


# ---- small groups ----------------------------------------------------------------------------------------


class Provenance(Data):
    """Where data come from."""

    author: str = text(doc="who put the data together")
    source: str = text(doc="what they were taken from")
    licence: str = text(doc="terms of use, as an SPDX expression")
    measured: str = text(doc="what was measured")
    guessed: str = text(doc="what was estimated")

    @classmethod
    def expand(cls, raw: Any) -> Any:
        return {"source": raw} if isinstance(raw, str) else raw


class Subsystem(Data):
    """What every subsystem file may say about itself."""

    name: str = text(doc="name of the subsystem")
    description: str = text(doc="what it is")
    provenance: Provenance | None = part(None, doc="where the data come from")


class Point(Data):
    """A point in the vehicle reference frame; in a file also ``[x, y, z]``."""

    x: float = quantity("m", 0.0, doc="forward from the front wheel centres")
    y: float = quantity("m", 0.0, doc="left of the centre plane")
    z: float = quantity("m", 0.0, doc="above the ground at design")

    @classmethod
    def expand(cls, raw: Any) -> Any:
        if isinstance(raw, list | tuple) and len(raw) == 3:
            return dict(zip("xyz", raw, strict=True))
        return raw

    @property
    def array(self) -> Array:
        return np.array([self.x, self.y, self.z])


class Inertia(Data):
    """Moments and products of inertia about the centre of gravity, axes of the vehicle."""

    ixx: float = quantity("kg.m2", gt=0, doc="roll moment of inertia")
    iyy: float = quantity("kg.m2", gt=0, doc="pitch moment of inertia")
    izz: float = quantity("kg.m2", gt=0, doc="yaw moment of inertia")
    ixy: float = quantity("kg.m2", 0.0, doc="product of inertia ∫ x y dm")
    ixz: float = quantity("kg.m2", 0.0, doc="product of inertia ∫ x z dm")
    iyz: float = quantity("kg.m2", 0.0, doc="product of inertia ∫ y z dm")
    products_are_tensor_entries: bool = flag(
        False, doc="the products are entries of the matrix, that is, with the opposite sign"
    )

    @property
    def matrix(self) -> Array:
        """The 3×3 matrix, with the entries −∫ x y dm off the diagonal."""
        sign = 1.0 if self.products_are_tensor_entries else -1.0
        xy, xz, yz = (sign * product for product in (self.ixy, self.ixz, self.iyz))
        return np.array([[self.ixx, xy, xz], [xy, self.iyy, yz], [xz, yz, self.izz]])

    @model_validator(mode="after")
    def _possible(self) -> Self:
        check_inertia(self.matrix)
        return self


def check_inertia(matrix: Array) -> None:
    """Raise unless a body can have this inertia: each principal moment at most the sum of the two others."""
    a, b, c = (float(value) for value in np.linalg.eigvalsh(matrix))
    if a <= 0:
        raise problem(
            f"no body has this inertia: the smallest principal moment is {a:.6g} kg.m2 (products too large, or their sign)"
        )
    if c > (a + b) * (1 + DIAGNOSED):
        raise problem(
            f"no body has this inertia: the largest principal moment, {c:.6g} kg.m2, exceeds the sum of the two others, "
            f"{a:.6g} + {b:.6g}"
        )


class MassProperties(Data):
    """A rigid body: mass, centre of gravity, inertia about it."""

    mass: float = quantity("kg", gt=0, doc="mass")
    cg: Point = part(doc="centre of gravity")
    inertia: Inertia = part(doc="inertia about the centre of gravity")


def combine(bodies: list[tuple[float, Array, Array]]) -> tuple[float, Array, Array]:
    """Return mass, centre of gravity and inertia about it of bodies given so, joined rigidly."""
    mass = sum(body[0] for body in bodies)
    centre: Array = np.sum([m * r for m, r, _ in bodies], axis=0) / mass
    total = np.zeros((3, 3))
    for m, r, inertia in bodies:
        d = r - centre
        total += inertia + m * (d @ d * np.eye(3) - np.outer(d, d))
    return mass, centre, total


# ---- system ----------------------------------------------------------------------------------------------


class Statics(Data):
    """Search for equilibrium: thresholds, limits, helpers."""

    abort_time: float = quantity("s", 100.0, gt=0, doc="give up the dynamic relaxation after this simulated time")
    translational_speed: float = quantity("m/s", 0.001, gt=0, doc="limit of the norm of translational speeds")
    translational_acceleration: float = quantity("m/s2", 0.001, gt=0, doc="limit of the norm of accelerations")
    angular_speed: float = quantity("rad/s", 0.001, gt=0, doc="limit of the norm of angular speeds")
    angular_acceleration: float = quantity("rad/s2", 0.001, gt=0, doc="limit of the norm of angular accelerations")
    use_brakes: bool = flag(False, doc="brakes engaged during the search")
    use_linear_damper: bool = flag(False, doc="linear dampers instead of the given ones during the search")
    linear_damper_rate_front: float = quantity("N.s/m", 5000.0, ge=0, doc="their rate at a front wheel")
    linear_damper_rate_rear: float = quantity("N.s/m", 5000.0, ge=0, doc="their rate at a rear wheel")
    use_linear_spring: bool = flag(False, doc="linear springs instead of the given ones during the search")
    linear_spring_rate_front: float = quantity("N/m", 100e3, ge=0, doc="their rate at a front wheel")
    linear_spring_rate_rear: float = quantity("N/m", 100e3, ge=0, doc="their rate at a rear wheel")
    brake_damping: float = quantity("N.m.s/rad", 0.0, ge=0, doc="damping of wheel spin during the search")
    time_step: float | None = quantity(
        "s", None, presence=False, gt=0, doc="step of the relaxation; absent: that of the event"
    )


class Splines(Data):
    """How tables become smooth functions."""

    method: Literal["akima", "deboor", "cubic", "linear"] = choice("akima", doc="interpolation of all tables")
    element_extrapolation: Literal["flat", "linear"] = choice(
        "linear", doc="beyond the data of springs, dampers, stops and ratios"
    )


class KinematicMaps(Data):
    """Options of the wheel-guiding maps."""

    polynomial: bool = choice(False, doc="replace the tables by a least-squares polynomial")
    polynomial_order: int = choice(3, ge=1, le=15, doc="its order along each axis")
    extrapolation: Literal["flat", "linear"] = choice("flat", doc="beyond the data: hold the end, or go on straight")


class System(Data):
    """Settings of the whole model."""

    gravity: float = quantity("m/s2", GRAVITY, ge=0, doc="acceleration of gravity")
    simplified_model: Literal[0, 1, 2] = choice(
        0,
        doc="0 full; 1 simplified: wheels move straight up and down; 2 kinematic: no compliance, no additional freedoms",
    )
    torque_reaction: Literal["chassis", "carrier"] = choice(
        "chassis", doc="where drive torque reacts: chassis (shaft drive) or carrier (hub motor)"
    )
    carrier_rotation: Literal["3-1-2", "3-2-1"] = choice("3-1-2", doc="sequence of toe, camber and side-view angle")
    steering_acceleration: bool = choice(False, doc="keep the terms with the second derivative of the steering input")
    splines: Splines = part(Splines(), doc="interpolation")
    kinematic_maps: KinematicMaps = part(KinematicMaps(), doc="options of the wheel-guiding maps")
    statics: Statics = part(Statics(), doc="search for equilibrium")


# ---- body ------------------------------------------------------------------------------------------------


class AddedMass(Data):
    """A point mass fixed to the body: driver, fuel, luggage, ballast."""

    name: str = text(doc="what it is")
    mass: float = quantity("kg", ge=0, doc="mass when running")
    location: Point = part(doc="where it is")
    active: bool = flag(True, doc="on board when running")
    setup_mass: float | None = quantity("kg", None, ge=0, doc="mass during setup; absent: as running")
    setup_active: bool = flag(True, doc="on board during setup")


class SplitStiffness(Data):
    """Stiffness between the halves; a freedom without one is locked."""

    torsion: float | None = quantity("N.m/rad", None, gt=0, doc="about x")
    vertical_bending: float | None = quantity("N.m/rad", None, gt=0, doc="about y")
    lateral_bending: float | None = quantity("N.m/rad", None, gt=0, doc="about z")
    axial: float | None = quantity("N/m", None, gt=0, doc="along x")
    lateral: float | None = quantity("N/m", None, gt=0, doc="along y")
    vertical: float | None = quantity("N/m", None, gt=0, doc="along z")

    @property
    def released(self) -> tuple[str, ...]:
        """Names of the freedoms that are not locked."""
        return tuple(name for name in type(self).model_fields if getattr(self, name) is not None)

    @model_validator(mode="after")
    def _some(self) -> Self:
        if not self.released:
            raise problem("no freedom is released; give at least one stiffness, or no split")
        return self


class SplitChassis(Data):
    """The body cut into a front and a rear half."""

    location: Point = part(doc="where the halves join")
    front: MassProperties = part(doc="front half")
    rear: MassProperties = part(doc="rear half")
    stiffness: SplitStiffness = part(doc="stiffness per released freedom")
    damping_ratio: float = quantity("-", 0.02, ge=0, le=2, doc="damping of each released freedom relative to critical")


class Body(Subsystem):
    """The sprung mass: as one rigid body, or split in two."""

    alternatives: ClassVar = (("mass", "split"), ("cg", "split"), ("inertia", "split"))

    mass: float | None = quantity("kg", None, gt=0, doc="sprung mass without added masses")
    cg: Point | None = part(None, doc="centre of gravity of the sprung mass")
    inertia: Inertia | None = part(None, doc="inertia about it")
    split: SplitChassis | None = part(None, doc="compliant body in two halves")
    added_masses: tuple[AddedMass, ...] = part((), numbers_only=True, doc="point masses fixed to the body")
    sensor_point: Point = part(Point(), doc="origin of the levelled frame and of the standard sensors")
    reference_point: Point | None = part(None, doc="point of the chassis channels; absent: centre of gravity")

    @model_validator(mode="after")
    def _complete(self) -> Self:
        given = [name for name in ("mass", "cg", "inertia") if getattr(self, name) is not None]
        if self.split is not None and given:
            raise problem(f"{given[0]} and split are both given; a split body has the mass of its halves", given[0])
        if self.split is None and len(given) < 3:
            missing = [name for name in ("mass", "cg", "inertia") if name not in given]
            raise problem(f"missing: {', '.join(missing)} (or split, with both halves)")
        check_inertia(self.rigid()[2])
        return self

    def halves(self) -> list[MassProperties]:
        """The rigid bodies: one, or front and rear."""
        if self.split is not None:
            return [self.split.front, self.split.rear]
        assert self.mass is not None and self.cg is not None and self.inertia is not None
        return [MassProperties(mass=self.mass, cg=self.cg, inertia=self.inertia)]

    def rigid(self) -> tuple[float, Array, Array]:
        """Mass, centre of gravity and inertia matrix of the whole sprung mass without added masses."""
        return combine([(half.mass, half.cg.array, half.inertia.matrix) for half in self.halves()])

    def added(self, state: Literal["running", "setup"] = "running") -> list[tuple[float, Array]]:
        """Mass and place of what is on board."""
        if state == "running":
            return [(item.mass, item.location.array) for item in self.added_masses if item.active]
        return [
            (item.mass if item.setup_mass is None else item.setup_mass, item.location.array)
            for item in self.added_masses
            if item.setup_active
        ]

    def sprung(self, state: Literal["running", "setup"] = "running") -> list[tuple[float, Array, Array]]:
        """Mass, centre of gravity and inertia with the added masses, of the body or of its two halves."""
        points = [(m, r, np.zeros((3, 3))) for m, r in self.added(state)]
        halves = [(half.mass, half.cg.array, half.inertia.matrix) for half in self.halves()]
        if self.split is None:
            return [combine([*halves, *points])]
        cut = self.split.location.x
        front = [item for item in points if item[1][0] >= cut]
        rear = [item for item in points if item[1][0] < cut]
        return [combine([halves[0], *front]), combine([halves[1], *rear])]


# ---- suspension ------------------------------------------------------------------------------------------


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

    ratio: Curve = curve("m", "m", doc="wheel travel to deflection: a factor r, or a table of deflection")
    ratio_convention: Literal["element_per_wheel", "wheel_per_element"] = choice(
        "element_per_wheel", doc="what a constant ratio divides by what"
    )
    scale: float = quantity("-", 1.0, ge=0, doc="factor on the force")

    @property
    def deflection(self) -> Curve:
        """The ratio as deflection over wheel travel (1), whatever the convention it was given in; zero at design."""
        ratio = self.ratio
        if ratio.constant is not None:
            if self.ratio_convention == "wheel_per_element":
                return Curve(ratio.units, constant=1.0 / ratio.constant)
            return ratio
        at_design = ratio(0.0)
        if at_design == 0.0:
            return ratio
        return Curve(ratio.units, x=ratio.x, y=tuple(value - at_design for value in ratio.y))

    @model_validator(mode="after")
    def _ratio_divides(self) -> Self:
        if self.ratio_convention == "wheel_per_element" and self.ratio.constant == 0.0:
            raise problem(
                "0 wheel per element: the element would move without the wheel; a ratio must not be 0", "ratio"
            )
        return self


DEFAULT_RATIO = Curve(CurveUnits("m", "m"), constant=1.0)


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
    ratio: Curve = curve("m", "m", DEFAULT_RATIO, doc="wheel travel to compression: a factor r, or a table")
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
        """Return the compression at design, or the length for ``axis: length``: found from the preload if that is given."""
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
    ratio: Curve = curve("m", "rad", doc="wheel travel to twist: a factor, or a table")
    ratio_convention: Literal["element_per_wheel"] = choice("element_per_wheel", doc="what a constant ratio means")  # type: ignore[assignment]
    right: TorsionSpring | None = part(None, doc="what differs on the right side")  # type: ignore[assignment]


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
    ratio: Curve = curve("m", "m", DEFAULT_RATIO, doc="wheel travel to compression: a factor r, or a table")
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
    ratio: Curve = curve("m", "m", DEFAULT_RATIO, doc="wheel travel to deflection: a factor r, or a table")
    right: Stop | None = part(None, doc="what differs on the right side")

    @model_validator(mode="after")
    def _pushes(self) -> Self:
        if self.force.constant is not None and self.force.constant < 0:
            raise problem("negative: a stop would pull", "force")
        if self.force.is_table and min(self.force.y) < 0:
            raise problem(f"{min(self.force.y)!r} N: negative, a stop would pull", "force")
        return self


class AuxiliaryAntiRoll(Data):
    """Opposite vertical forces at the wheels:  F = scale · rate · ΔJ  or  scale · force(ΔJ[; mean J]),  ΔJ = J_L − J_R."""

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
    """A torsion bar between the wheels:  T = preload + scale · stiffness · α  or  preload + scale · torque(α),  α = a_L − a_R."""

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
    x: KinematicMap = part(KinematicMap(curve=0), doc="displacement of the wheel centre, forward")
    y: KinematicMap = part(
        KinematicMap(curve=0), doc="displacement of the left wheel centre, to the left; mirrored on the right"
    )
    toe: AngleMap = part(AngleMap(curve=0), doc="toe-in")
    camber: AngleMap = part(AngleMap(curve=0), doc="camber, top outwards")
    side_view_angle: AngleMap = part(AngleMap(curve=0), doc="rotation in side view, top rearwards")
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


AnyData = TypeVar("AnyData", bound=Data)


def on_side(item: AnyData, side: Side) -> AnyData:
    """Return a spring, damper, stop, brake, … as it is on one side."""
    right: AnyData | None = getattr(item, "right", None)
    return item if side == "L" or right is None else right


def invert(found: Curve, value: float, method: str = "akima") -> float:
    """Return the x at which a strictly monotonic curve has `value`; beyond the data, along its end tangents."""
    from scipy.optimize import brentq

    if found.constant is not None:
        return value / found.constant
    table = found.table(method=method, extrapolation="linear")
    rising = found.monotonic > 0
    y = np.array(found.y) if rising else -np.array(found.y)
    target = value if rising else -value
    i = int(np.searchsorted(y, target, side="left"))
    if i < len(y) and y[i] == target:
        return found.x[i]
    if 0 < i < len(y):
        # The interpolation passes through the knots, so that the cell between them brackets the value.
        return float(brentq(lambda x: float(table(x)) - value, found.x[i - 1], found.x[i], xtol=1e-15, rtol=1e-14))
    end = found.x[0] if i == 0 else found.x[-1]
    slope = float(table(end, derivative=1))
    if slope * (1 if rising else -1) <= 0:
        raise ParameterError(f"{value!r} {found.units.y} lies beyond the data, which end at {float(table(end))!r}")
    return end + (value - float(table(end))) / slope


# ---- steering --------------------------------------------------------------------------------------------


class SteerMap(Data):
    """An angle of the carrier over the steering input:  q = scale · curve(u[; J])."""

    over: Literal["rad", "m"] = hidden("rad", doc="unit of the input u, set by the steering")
    curve: Curve = curve("rad", "rad", z="m", doc="over u, or u and own travel", flat=True)
    scale: float = quantity("-", 1.0, doc="factor on the curve")
    right: SteerMap | None = part(None, doc="what differs on the right side")

    @classmethod
    def expand(cls, raw: Any) -> Any:
        return KinematicMap.expand(raw)

    @classmethod
    def curve_units(cls, name: str, raw: Mapping[str, Any]) -> CurveUnits:
        return replace(super().curve_units(name, raw), x=str(raw.get("over", "rad")))


class SteerLengthMap(SteerMap):
    """A displacement of the wheel centre over the steering input."""

    curve: Curve = curve("rad", "m", z="m", doc="over u, or u and own travel", flat=True)
    right: SteerLengthMap | None = part(None, doc="what differs on the right side")


class Kingpin(Data):
    """The steering axis, for torques: values, or maps over the steering input u and travel J."""

    over: Literal["rad", "m"] = hidden("rad", doc="unit of the input u, set by the steering")
    caster: Curve = curve("rad", "rad", z="m", constant="value", doc="lean of the axis, top rearwards")
    inclination: Curve = curve("rad", "rad", z="m", constant="value", doc="lean of the axis, top inwards")
    x: Curve = curve("rad", "m", z="m", constant="value", doc="a point of the axis, from the wheel centre at design")
    y: Curve = curve("rad", "m", z="m", constant="value", doc="the same, to the left; mirrored on the right")
    z: Curve = curve("rad", "m", z="m", constant="value", doc="the same, upwards")
    right: Kingpin | None = part(None, doc="what differs on the right side")

    @classmethod
    def curve_units(cls, name: str, raw: Mapping[str, Any]) -> CurveUnits:
        return replace(super().curve_units(name, raw), x=str(raw.get("over", "rad")))


class Steering(Subsystem):
    """From the hand wheel to the wheels by maps over the input u (hand wheel angle or rack travel) and travel J."""

    input: Literal["wheel_angle", "rack_travel"] = choice("wheel_angle", doc="the input u of the maps")
    rack_travel: Curve | None = curve("rad", "m", None, doc="rack travel over hand wheel angle")
    gear_ratio_scale: float = quantity("-", 1.0, gt=0, doc="divides the hand wheel angle before the maps")
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

    @classmethod
    def expand(cls, raw: Any) -> Any:
        """Tell the maps what they are over."""
        if not isinstance(raw, Mapping):
            return raw
        over = "m" if raw.get("input") == "rack_travel" else "rad"
        kinds: dict[str, type[Data]] = {**dict.fromkeys(STEERING_MAPS, SteerMap), "kingpin": Kingpin}
        data = dict(raw)
        for name, kind in kinds.items():
            found = kind.expand(raw.get(name))
            if isinstance(found, Mapping):
                data[name] = {**found, "over": over}
        return data

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.input == "rack_travel" and self.rack_travel is None:
            raise problem("missing; needed for input: rack_travel", "rack_travel")
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
        for name in (*STEERING_MAPS, "kingpin"):
            found = getattr(self, name)
            if found is not None and found.over != over:
                raise problem(f"a map over an input in {found.over}, but input: {self.input} is in {over}", name)
        return self

    def map(self, name: str, side: Side) -> SteerMap | None:
        """Return a map of one side.

        Unless it is given for the right side, the right wheel does as the left one in a mirror: x, camber and side-view
        angle are those of the left wheel at −u; steer and y likewise, with the opposite sign.
        """
        found: SteerMap | None = getattr(self, name)
        if found is None or side == "L":
            return found
        if found.right is not None:
            return found.right
        return found.model_copy(update={"curve": mirrored(found.curve, -1.0 if name in ("steer", "y") else 1.0)})

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


STEERING_MAPS = ("steer", "camber", "side_view_angle", "x", "y")


def mirrored(found: Curve, sign: float) -> Curve:
    """Return sign · curve(−u; J)."""
    if found.constant is not None:
        factor = -sign if found.units.constant == "rate" else sign
        return found.scaled(factor)
    values = np.flip(found.values, axis=0).reshape(-1) * sign + 0.0
    return replace(found, x=tuple(-u + 0.0 for u in reversed(found.x)), y=tuple(float(value) for value in values))


# ---- wheels, brakes, drive, aerodynamics -----------------------------------------------------------------


class Wheels(Subsystem):
    """The wheels of an axle with their carriers and tires."""

    unsprung_mass: float = quantity("kg", gt=0, doc="one wheel and the part of the suspension that moves with it")
    ixx: float = quantity("kg.m2", gt=0, doc="inertia of carrier and wheel about x, through the wheel centre")
    iyy: float = quantity("kg.m2", gt=0, doc="the same about y")
    izz: float = quantity("kg.m2", gt=0, doc="the same about z")
    spin_inertia: float = quantity("kg.m2", gt=0, doc="all that spins with one wheel: tire, rim, disc, shaft")
    wheel_centre_height: float = quantity("m", gt=0, doc="wheel centre above ground at design, where travel is zero")
    tire: FileReference = reference("tires", ".tir", doc="tire property file, or the name of a tire of the library")
    right: Wheels | None = part(None, doc="what differs on the right side")

    @model_validator(mode="after")
    def _possible(self) -> Self:
        check_inertia(np.diag([self.ixx, self.iyy, self.izz]))
        return self


class DiscBrake(Data):
    """The brakes of an axle:  M = 2 · piston_area · mu · effective_radius · p."""

    model: Literal["disc"] = choice("disc", doc="kind of brake")
    mu: float = quantity("-", 0.4, ge=0, doc="friction of the pads")
    effective_radius: float = quantity("m", gt=0, doc="radius at which the friction force acts")
    piston_area: float = quantity("m2", gt=0, doc="area of the pistons that press one pad")
    lockup_natural_frequency: float = quantity(
        "Hz", 10.0, gt=0, doc="of the spin inertia on the spring of a locked brake"
    )
    lockup_damping_ratio: float = quantity("-", 1.0, ge=0, doc="its damping relative to critical")
    lockup_speed: float = quantity("m/s", 0.139, gt=0, doc="rolling speed below which the brake may lock")
    right: DiscBrake | None = part(None, doc="what differs on the right side")


class Brakes(Subsystem):
    """From the demand to brake torques."""

    bias_front: float = quantity(
        "-", 0.6, ge=0, le=1, doc="share of the master cylinder pressure that goes to the front"
    )
    master_cylinder_pressure_gain: float = quantity("Pa", 10e6, ge=0, doc="pressure at full demand (demand = 1)")
    front: DiscBrake = part(doc="front brakes")
    rear: DiscBrake = part(doc="rear brakes")


class Drive(Subsystem):
    """Ideal drive: a torque shared by the wheels. In a file also ``front``, ``rear`` or ``all``."""

    L1: float = quantity("-", 0.0, ge=0, le=1, doc="share of the front left wheel")
    R1: float = quantity("-", 0.0, ge=0, le=1, doc="share of the front right wheel")
    L2: float = quantity("-", 0.0, ge=0, le=1, doc="share of the rear left wheel")
    R2: float = quantity("-", 0.0, ge=0, le=1, doc="share of the rear right wheel")
    max_torque: float = quantity("N.m", 3000.0, ge=0, doc="sum of the wheel torques at full throttle")

    @classmethod
    def expand(cls, raw: Any) -> Any:
        share = {"front": (0.5, 0.5, 0.0, 0.0), "rear": (0.0, 0.0, 0.5, 0.5), "all": (0.25, 0.25, 0.25, 0.25)}
        if isinstance(raw, str) and raw in share:
            return dict(zip(("L1", "R1", "L2", "R2"), share[raw], strict=True))
        return raw

    @property
    def shares(self) -> dict[str, float]:
        """Share of each wheel."""
        return {"L1": self.L1, "R1": self.R1, "L2": self.L2, "R2": self.R2}

    @model_validator(mode="after")
    def _whole(self) -> Self:
        total = math.fsum(self.shares.values())
        if total != 0 and abs(total - 1) > DIAGNOSED:
            raise problem(f"the shares add up to {total:.10g}; they must add up to 1 (or all be 0: no drive)")
        return self


class AeroForce(Data):
    """One force:  F = scale · (ρ / reference density) · (force(h_front; h_rear) + shift) · (V / reference velocity)².

    Instead of ``force``, ``area`` (coefficient times frontal area) may be given:  F = scale · ½ ρ area V²,  shift added as above.
    """

    alternatives: ClassVar = (("force", "area"),)

    active: bool = choice(True, doc="whether it exists")
    force: Curve | None = curve(
        "m",
        "N",
        None,
        z="m",
        constant="value",
        doc="at reference velocity and density, over front and rear ride heights",
    )
    area: float | None = quantity("m2", None, presence=False, doc="coefficient times frontal area")
    location: Point = part(doc="where it acts")
    scale: float = quantity("-", 1.0, doc="factor")
    shift: float = quantity("N", 0.0, doc="added to `force`")
    smoothing_time: float = quantity("s", 0.0, ge=0, doc="time of growth after the start of a run")

    @model_validator(mode="after")
    def _one_law(self) -> Self:
        one_of(self, ("force", "area"))
        return self


class Wind(Data):
    """Wind over ground, where it goes to."""

    x: float = quantity("m/s", 0.0, doc="along world x")
    y: float = quantity("m/s", 0.0, doc="along world y")
    z: float = quantity("m/s", 0.0, doc="along world z")

    @classmethod
    def expand(cls, raw: Any) -> Any:
        return Point.expand(raw)


class Aero(Subsystem):
    """Drag and downforce over speed and ride heights."""

    air_density: float = quantity("kg/m3", 1.2, ge=0, doc="air density during the run")
    reference_density: float = quantity("kg/m3", 1.2, gt=0, doc="air density of the data")
    reference_velocity: float = quantity("m/s", 30.0, gt=0, doc="speed of the data")
    drag: AeroForce = part(doc="drag, rearwards")
    front_downforce: AeroForce | None = part(None, doc="downforce in front, downwards")
    rear_downforce: AeroForce | None = part(None, doc="downforce at the rear, downwards")
    front_sensor: Point | None = part(None, doc="where the front ride height is measured; absent: mid front axle")
    rear_sensor: Point | None = part(None, doc="where the rear ride height is measured; absent: mid rear axle")
    ride_height_min: float | None = quantity("m", None, doc="ride heights are held above this before the maps")
    ride_height_max: float | None = quantity("m", None, doc="ride heights are held below this before the maps")
    frame: Literal["road", "chassis"] = choice("road", doc="frame in which velocity and forces are taken")
    in_statics: bool = choice(False, doc="act during the search for equilibrium")
    wind: Wind = part(Wind(), doc="wind")

    def at_reference(self, name: str) -> Curve:
        """Return the force of a component at reference velocity and density, without scale and shift."""
        item: AeroForce = getattr(self, name)
        if item.force is not None:
            return item.force
        assert item.area is not None
        pressure = 0.5 * self.reference_density * self.reference_velocity**2
        return Curve(AeroForce.curve_units("force", {}), constant=pressure * item.area)


# ---- the vehicle -----------------------------------------------------------------------------------------

SUBSYSTEMS = (
    *(
        "body",
        "front_suspension",
        "rear_suspension",
        "steering",
        "front_wheels",
        "rear_wheels",
        "brakes",
        "drive",
        "aero",
    ),
)


@dataclass(frozen=True)
class Difference:
    """One path at which two vehicles differ; None where one has nothing."""

    path: str
    ours: Any
    theirs: Any
    unit: str = ""

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit not in ("", "-") else ""
        return f"{self.path}: {_shown(self.ours, unit)} -> {_shown(self.theirs, unit)}"


def _shown(value: Any, unit: str) -> str:
    if value is None:
        return "(none)"
    if isinstance(value, Curve):
        if value.constant is not None:
            return f"{value.constant!r} {value.units.of_constant}".removesuffix(" -")
        size = f"{len(value.x)} × {len(value.z)}" if value.z else f"{len(value.x)}"
        return f"table of {size} points"
    return f"{value!r}{unit}" if isinstance(value, float) else str(value)


class Vehicle(Data):
    """A vehicle. Immutable: `with_` and its relatives return changed copies. Load one with `jounce.vehicle.load`."""

    name: str = text(doc="name of the vehicle")
    description: str = text(doc="what it is")
    provenance: Provenance | None = part(None, doc="where the data come from")
    system: System = part(System(), doc="settings of the whole model")
    body: Body = part(doc="sprung mass")
    front_suspension: Suspension = part(doc="front axle")
    rear_suspension: Suspension = part(doc="rear axle")
    steering: Steering = part(doc="steering")
    front_wheels: Wheels = part(doc="front wheels and tires")
    rear_wheels: Wheels = part(doc="rear wheels and tires")
    brakes: Brakes = part(doc="brakes")
    drive: Drive = part(Drive(), doc="drive torque")
    aero: Aero | None = part(None, doc="aerodynamics")

    _source: Source | None = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _stands(self) -> Self:
        if not self.wheelbase > 0:
            raise problem(
                f"{self.rear_suspension.wheel_centre_x!r} m: the rear wheels must be behind the front ones "
                f"({self.front_suspension.wheel_centre_x!r} m); write -wheelbase",
                *("rear_suspension", "wheel_centre_x"),
            )
        front, rear = self.front_suspension.wheel_centre_x, self.rear_suspension.wheel_centre_x
        x = float(self.body.rigid()[1][0])
        if not rear < x < front:
            axle, other = ("ahead of the front", "rear") if x >= front else ("behind the rear", "front")
            place = ("body", "cg", "x") if self.body.split is None else ("body", "split")
            raise problem(
                f"{x!r} m: the sprung mass has its centre of gravity {axle} wheels, so that the {other} axle would lift "
                f"(x is positive forward: expected between {rear!r} and {front!r})",
                *place,
            )
        return self

    @property
    def wheelbase(self) -> float:
        """Distance of front and rear wheel centres at design, m."""
        return self.front_suspension.wheel_centre_x - self.rear_suspension.wheel_centre_x

    def suspension(self, axle: int) -> Suspension:
        """Suspension of axle 1 (front) or 2 (rear)."""
        return self.front_suspension if axle == 1 else self.rear_suspension

    def wheels(self, axle: int, side: Side = "L") -> Wheels:
        """Wheel data of axle 1 (front) or 2 (rear) on one side."""
        return on_side(self.front_wheels if axle == 1 else self.rear_wheels, side)

    def brake(self, axle: int, side: Side = "L") -> DiscBrake:
        """Brake data of axle 1 (front) or 2 (rear) on one side."""
        return on_side(self.brakes.front if axle == 1 else self.brakes.rear, side)

    def wheel_centre(self, axle: int, side: Side) -> Array:
        """Wheel centre at design in the vehicle reference frame, m."""
        suspension, wheels = self.suspension(axle), self.wheels(axle, side)
        half = suspension.track / 2
        return np.array([suspension.wheel_centre_x, half if side == "L" else -half, wheels.wheel_centre_height])

    def mass(self) -> float:
        """Mass of the whole vehicle when running, kg."""
        sprung = math.fsum(part_[0] for part_ in self.body.sprung())
        return sprung + math.fsum(self.wheels(axle, side).unsprung_mass for axle in (1, 2) for side in SIDES)

    # -- copies with changes -----------------------------------------------------------------------

    def with_(self, **changes: Any) -> Vehicle:
        """Return a copy with other values: ``car.with_(**{"front_suspension.spring.rate": "32 N/mm"})``.

        Parameters
        ----------
        changes : path -> value as in a file; lists by index, ``rear_suspension.dampers[0].scale``; None removes

        Raises
        ------
        ParameterError
            Listing every unknown path, with the nearest known ones, and every bad value.
        """
        from jounce.vehicle.editing import with_changes

        return with_changes(self, changes)

    def with_subsystem(self, name: str, source: str | Path | Subsystem | Vehicle) -> Vehicle:
        """Return a copy with another subsystem: from a file, from another vehicle, or as data."""
        from jounce.vehicle.editing import with_subsystem

        return with_subsystem(self, name, source)

    def with_symmetry(self, path: str, source: Literal["left", "right"] = "left") -> Vehicle:
        """Return a copy in which both sides of what stands at `path` are alike: those of `source`."""
        from jounce.vehicle.editing import with_symmetry

        return with_symmetry(self, path, source)

    def get(self, path: str) -> Any:
        """Return what stands at a path such as ``front_suspension.dampers[0].rate``, in SI."""
        from jounce.vehicle.editing import get

        return get(self, path)

    def export_curve(self, path: str, file: str | Path, columns: tuple[str, ...] | None = None) -> Path:
        """Write the table at a path (``front_suspension.toe``) as CSV, in the units `columns` of x, (z,) y or in SI."""
        from jounce.vehicle.editing import export_curve

        return export_curve(self, path, file, columns)

    def import_curve(self, path: str, file: str | Path, columns: tuple[str, ...] | None = None) -> Vehicle:
        """Return a copy with the table of a CSV file at a path; `columns` are its units if the file has no row of them."""
        from jounce.vehicle.editing import import_curve

        return import_curve(self, path, file, columns)

    # -- comparing ---------------------------------------------------------------------------------

    def diff(self, other: Vehicle) -> list[Difference]:
        """Return every path at which `other` differs, with both values."""
        from jounce.vehicle.editing import diff

        return diff(self, other)

    def structure_key(self) -> str:
        """Return a text that is equal for two vehicles exactly when they need the same generated code.

        It names every choice, every optional group or number that is there, and for every curve whether it is a
        constant or a table and of how many axes. No number is in it.
        """
        from jounce.vehicle.editing import structure

        return structure(self)

    def remarks(self) -> list[str]:
        """Return what is allowed but looks unusual: a damper that drives, a ratio that is not zero at design, …"""
        from jounce.vehicle.remarks import remarks

        return remarks(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vehicle):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in Vehicle.model_fields)

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, name) for name in Vehicle.model_fields))

    # -- files -------------------------------------------------------------------------------------

    def save(self, path: str | Path | None = None) -> Path:
        """Write the vehicle and return its main file.

        Parameters
        ----------
        path : a folder, or a ``.yaml`` file for everything in one file; default: the files it was loaded from

        Files it was loaded from keep their comments, the order of their keys, and every text whose value is unchanged.
        """
        from jounce.vehicle.writing import save

        return save(self, path)

    def clone(self, name: str, folder: str | Path | None = None) -> Vehicle:
        """Return a copy under another name that shares no file of its own with this one.

        Tire files stay references. Nothing is written unless a folder is given, or until `save`.
        """
        from jounce.vehicle.writing import clone

        return clone(self, name, folder)

    def publish(self, folder: str | Path) -> Path:
        """Write the vehicle with everything it refers to into a folder, and return its main file."""
        from jounce.vehicle.writing import publish

        return publish(self, folder)
