"""A body in two halves that move a little against each other.

The chassis frame belongs to the rear half, which carries sensors, aerodynamics and the channels of the chassis. The
front half, with the origin of its frame in the joint, is displaced by (x, y, z) in axes of the rear half and turned by
Rx Ry Rz:

    torsion alone    a joint about x, exact                                                                   (1)
    else             six freedoms; each released one has F = -K q - c q̇, each other one is held by
                     F = -kp q - kd q̇ - ki ∫q dt                                                              (2)
    c = 2 ζ √(K m),   m = m_f m_r/(m_f + m_r), for rotations of inertias about the joint                        (3)

Forces are those of the rear half on the front half. Levels of the whole model without compliance (simplified_model 1,
2) join the halves into one body.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from pydantic import model_validator

from jounce.components.basics import MassProperties, Point
from jounce.components.model import UnitModel
from jounce.components.part import Symbols, derived
from jounce.components.places import UnitPlace
from jounce.core.fields import Data, part, problem, quantity

FRONT = "front"  # name of the front half; the rear one is the chassis

# name in the data -> axis, whether it is a rotation; the order of channels and of the turns
FREEDOMS = {
    "axial": (0, False),
    "lateral": (1, False),
    "vertical": (2, False),
    "torsion": (0, True),
    "vertical_bending": (1, True),
    "lateral_bending": (2, True),
}
LOCK_FREQUENCY = 2 * np.pi * 50.0  # rad/s
LOCK_DAMPING = 0.7
LOCK_INTEGRAL = LOCK_FREQUENCY / 10  # 1/s, ki over kp; stable below 2 ζ ω

GROUP = "jfs_torsional_stiffness_data"


class SplitStiffness(Data):
    """Stiffness between the halves; a freedom without one is locked."""

    torsion: float | None = quantity("N.m/rad", None, gt=0, typical=(2e3, 1e9), doc="about x")
    vertical_bending: float | None = quantity("N.m/rad", None, gt=0, typical=(2e3, 1e9), doc="about y")
    lateral_bending: float | None = quantity("N.m/rad", None, gt=0, typical=(2e3, 1e9), doc="about z")
    axial: float | None = quantity("N/m", None, gt=0, typical=(1e4, 1e11), doc="along x")
    lateral: float | None = quantity("N/m", None, gt=0, typical=(1e4, 1e11), doc="along y")
    vertical: float | None = quantity("N/m", None, gt=0, typical=(1e4, 1e11), doc="along z")

    @property
    def released(self) -> tuple[str, ...]:
        """Names of the freedoms that are not locked."""
        return tuple(name for name in type(self).model_fields if getattr(self, name) is not None)

    @model_validator(mode="after")
    def _some(self) -> Self:
        if not self.released:
            raise problem("no freedom is released; give at least one stiffness, or no split")
        return self


class Turning(Data):
    """A freedom between the halves that is a rotation: spring and damper (3), or the gains of a lock (2)."""

    stiffness: float | None = quantity("N.m/rad", None, gt=0, doc="between the halves")
    reduced_mass: float = quantity("kg.m2", gt=0, doc="inertia of the two halves about the joint, reduced")
    kp: float = quantity("N.m/rad", ge=0, doc="of the lock")
    kd: float = quantity("N.m.s/rad", ge=0, doc="of the lock")
    ki: float = quantity("N.m/(rad.s)", ge=0, doc="of the lock")


class Sliding(Data):
    """A freedom between the halves that is a displacement: as ``Turning``."""

    stiffness: float | None = quantity("N/m", None, gt=0, doc="between the halves")
    reduced_mass: float = quantity("kg", gt=0, doc="of the two halves, reduced")
    kp: float = quantity("N/m", ge=0, doc="of the lock")
    kd: float = quantity("N.s/m", ge=0, doc="of the lock")
    ki: float = quantity("N/(m.s)", ge=0, doc="of the lock")


def _freedom(name: str) -> Any:
    """The numbers of one freedom as a derived group of the split."""

    def found(self: SplitChassis, place: UnitPlace) -> Data:
        axis, turning = FREEDOMS[name]
        front, rear = place.data.body.sprung()
        values = []
        for mass, centre, inertia in (front, rear):
            d = np.delete(centre - self.location.array, axis)
            values.append(float(inertia[axis, axis] + mass * d @ d) if turning else mass)
        reduced = values[0] * values[1] / (values[0] + values[1])
        usual = {
            "kp": reduced * LOCK_FREQUENCY**2,
            "kd": 2 * LOCK_DAMPING * reduced * LOCK_FREQUENCY,
            "ki": reduced * LOCK_FREQUENCY**2 * LOCK_INTEGRAL,
        }
        given = place.settings.body_compliance
        word = "rotational" if turning else "translational"
        gains = {
            gain: value if (own := getattr(given, f"{word}_{gain}")) is None else own for gain, value in usual.items()
        }
        kind = Turning if turning else Sliding
        return kind(stiffness=getattr(self.stiffness, name), reduced_mass=reduced, **gains)

    return derived(at="unit")(found)


class SplitChassis(Data):
    """The body cut into a front and a rear half."""

    location: Point = part(doc="where the halves join")
    front: MassProperties = part(doc="front half")
    rear: MassProperties = part(doc="rear half")
    stiffness: SplitStiffness = part(doc="stiffness per released freedom")
    damping_ratio: float = quantity("-", 0.02, ge=0, le=2, doc="damping of each released freedom relative to critical")

    axial: ClassVar[Any] = _freedom("axial")
    lateral: ClassVar[Any] = _freedom("lateral")
    vertical: ClassVar[Any] = _freedom("vertical")
    torsion: ClassVar[Any] = _freedom("torsion")
    vertical_bending: ClassVar[Any] = _freedom("vertical_bending")
    lateral_bending: ClassVar[Any] = _freedom("lateral_bending")

    @derived("m", doc="of the joint, from the origin of the chassis", label="location", at="unit")
    def joint(self, place: UnitPlace) -> Any:
        return place.local(self.location.array)

    def join(self, at: UnitModel, p: Symbols) -> Any:
        """The frame of the front half."""
        return self._torsion(at, p) if self.stiffness.released == ("torsion",) else self._six_freedoms(at, p)

    def _torsion(self, at: UnitModel, p: Symbols) -> Any:
        """Two halves on a joint about x (1)."""
        scope = at.scope.scope("split")
        joint = scope.revolute("torsion", at.chassis, "x", p.joint, role="balance")
        angle, rate = joint.q[0], joint.u[0]
        torque = -p.torsion.stiffness * angle - _damping(p, p.torsion) * rate
        scope.generalized_force(rate, torque)
        at.channel(f"{GROUP}.AX_1", angle, "rad", "twist of the front half against the rear half")
        at.channel(f"{GROUP}.TX_1", torque, "N.m", "of the rear half on the front half")
        return joint.frame

    def _six_freedoms(self, at: UnitModel, p: Symbols) -> Any:
        """Two halves with six freedoms, released or held (2)."""
        scope, frame = at.scope.scope("split"), at.chassis
        moves = {
            name: scope.coordinate(f"{name}.{'angle' if turning else 'shift'}", f"{name}.rate",
                                   unit="rad" if turning else "m", on=frame, role="balance")
            for name, (_, turning) in FREEDOMS.items()
        }  # fmt: skip
        coordinates = [q for q, _ in moves.values()]
        shift = [a + q for a, q in zip(p.joint, coordinates[:3], strict=True)]
        child = frame.guided("front_half", shift, tuple(zip("xyz", coordinates[3:], strict=True)))
        for name, (axis, turning) in FREEDOMS.items():
            (q, u), own = moves[name], getattr(p, name)
            if name in self.stiffness.released:
                force = -own.stiffness * q - _damping(p, own) * u
            else:
                sum_of = scope.state(
                    f"{name}.integral", "rad.s" if turning else "m.s", "time integral of the deviation", role="balance"
                )
                scope.derivative(sum_of, q)
                force = -own.kp * q - own.kd * u - own.ki * sum_of
            scope.generalized_force(u, force)
            letter = "XYZ"[axis]
            unit, force_unit = ("rad", "N.m") if turning else ("m", "N")
            at.channel(f"{GROUP}.{'A' if turning else ''}{letter}_1", q, unit, "of the front half, rear axes")
            at.channel(
                f"{GROUP}.{'T' if turning else 'F'}{letter}_1", force, force_unit, "of the rear half on the front half"
            )
        return child


def _damping(p: Symbols, freedom: Symbols) -> Any:
    """Damping of a released freedom (3)."""
    return 2 * p.damping_ratio * (freedom.stiffness * freedom.reduced_mass) ** 0.5
