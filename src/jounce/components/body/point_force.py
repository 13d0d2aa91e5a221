"""A reference point: a force and a moment on any body, from numbers, from a run, from blocks.

    F = scale · F₀ + ΣF_added,   M = scale · M₀ + ΣM_added   in axes of the body, the chassis or the world      (1)

F acts at the point, which moves with the body. The reaction is borne by the ground, or by the chassis: there -F acts at
the same place in space, and -M, so that both leave the momentum of the vehicle as it was. What is added comes from a
run or from other parts, by the ports ``Reference_Point.<name>.FX`` … ``MZ``; a port that nobody opens costs nothing.
"""

from __future__ import annotations

from typing import Any, Literal

from jounce.components.basics import Array, Point
from jounce.components.body.attached import (
    CHASSIS,
    Force,
    Vector,
    body_word,
    check_body,
    check_name,
    frame_of,
    local,
    minus,
)
from jounce.components.model import VehicleModel
from jounce.components.part import Symbols, derived
from jounce.components.places import Place, VehiclePlace
from jounce.components.settings import Statics
from jounce.core.fields import Data, choice, flag, part, problem, quantity

GROUP = "Reference_Point"


class ForceVector(Data):
    """A force by its components; in a file also ``[x, y, z]``."""

    x: float = quantity("N", 0.0, typical=(0.0, 1e6), doc="along x")
    y: float = quantity("N", 0.0, typical=(0.0, 1e6), doc="along y")
    z: float = quantity("N", 0.0, typical=(0.0, 1e6), doc="along z")

    @classmethod
    def expand(cls, raw: Any) -> Any:
        return Point.expand(raw)


class MomentVector(Data):
    """A moment by its components; in a file also ``[x, y, z]``."""

    x: float = quantity("N.m", 0.0, typical=(0.0, 1e6), doc="about x")
    y: float = quantity("N.m", 0.0, typical=(0.0, 1e6), doc="about y")
    z: float = quantity("N.m", 0.0, typical=(0.0, 1e6), doc="about z")

    @classmethod
    def expand(cls, raw: Any) -> Any:
        return Point.expand(raw)


class PointForce(Force):
    """A force and a moment at a point of a body."""

    kind: Literal["point"] = choice("point", doc="kind of force")
    name: str = choice(doc="name of its channels and ports: `Reference_Point.<name>.…`")
    body: str = choice(CHASSIS, doc="what it acts on: `chassis`, `front`, or a wheel (`L1` …) for its carrier")
    location: Point = part({}, doc="where it acts at design")
    axes: Literal["body", "chassis", "world"] = choice("body", doc="axes of its components")
    reaction: Literal["ground", "chassis"] = choice("ground", doc="what bears the reaction")
    force: ForceVector = part({}, doc="constant force")
    moment: MomentVector = part({}, doc="constant moment")
    scale: float = quantity("-", 1.0, typical=(0.01, 100.0), doc="factor on the constants")
    in_statics: bool = flag(True, doc="the constants act in the search for equilibrium, too")

    def check(self, place: VehiclePlace) -> None:
        check_name(self.name)
        check_body(self.body, place, "body", moving=True)
        if self.reaction == "chassis" and body_word(self.body) == CHASSIS:
            raise problem("'chassis': a force on the chassis that the chassis bears does nothing", "reaction")

    @derived("m", doc="from the origin of its body", label="location", at="vehicle")
    def place(self, place: VehiclePlace) -> Array:
        return local(self.body, self.location.array, place)

    def at_rest(self, options: Statics, place: Place) -> dict[str, float]:
        return {} if self.in_statics else {"scale": 0.0}

    def connect(self, at: VehicleModel, p: Symbols) -> None:
        frame, unit = frame_of(at, self.body)
        axes = {"body": frame, "chassis": unit.chassis, "world": at.system.world}[self.axes]
        force = self._given(at, p, "F", p.force, "N")  # (1)
        moment = self._given(at, p, "M", p.moment, "N.m")
        p.kept.update(force=force, moment=moment)
        at.system.force(frame, force, at=p.place, axes=axes)
        at.system.torque(frame, moment, axes=axes)
        if self.reaction == "chassis":
            here = unit.chassis.from_world(minus(frame.point(p.place), unit.chassis.position))
            at.system.force(unit.chassis, [-x for x in force], at=here, axes=axes)
            at.system.torque(unit.chassis, [-x for x in moment], axes=axes)

    def _given(self, at: VehicleModel, p: Symbols, letter: str, constant: Symbols, unit: str) -> Vector:
        word = {"F": "force", "M": "moment"}[letter]
        result = []
        for axis, value in zip("XYZ", (constant.x, constant.y, constant.z), strict=True):
            doc = f"{word} at the reference point {self.name}, axes of the {self.axes}"
            more = at.outside(f"{GROUP}.{self.name}.{letter}{axis}", unit, doc, "added")
            result.append(p.scale * value if more is None else p.scale * value + more)
        return result

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        frame, _ = frame_of(at, self.body)
        for axis, value in zip("XYZ", frame.point(p.place), strict=True):
            at.channel(f"{GROUP}.{self.name}.{axis}", value, "m", "of the reference point, world axes")
        for letter, unit, values in (("F", "N", p.kept["force"]), ("M", "N.m", p.kept["moment"])):
            for axis, value in zip("XYZ", values, strict=True):
                at.channel(f"{GROUP}.{self.name}.{letter}{axis}", value, unit, f"that acts, axes of the {self.axes}")
