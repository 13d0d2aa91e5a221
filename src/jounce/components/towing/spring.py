"""A hitch of springs and dampers between the couplings, along the axes of the towed unit:

    F_i = - k_i d_i - c_i ḋ_i - k_I,i ∫d_i dt                                                                     (1)

Unless stiffness and damping are given they follow from a frequency f and a damping ratio ζ, with which the sprung
masses of both units would swing against each other if nothing else held them,

    1/m_i = Σ_{both} [1/m - [r]× J⁻¹ [r]×]_ii,    k_i = m_i (2π f)²,    c_i = 2 ζ m_i 2π f                           (2)

r from the centre of gravity to the coupling, J the inertia. At 40 Hz a coupling gives way by millimetres at most, and a
step of 1 ms is stable.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, Literal

import numpy as np

from jounce.components.basics import Array, combine
from jounce.components.model import UnitModel
from jounce.components.part import Symbols, derived
from jounce.components.places import UnitPlace
from jounce.components.towing.hitch import Hitch
from jounce.core.fields import Data, choice, part, quantity


class Stiffness(Data):
    """Of a coupling, along each axis of the towed unit."""

    x: float = quantity("N/m", ge=0, typical=(1e4, 1e9), doc="along")
    y: float = quantity("N/m", ge=0, typical=(1e4, 1e9), doc="across")
    z: float = quantity("N/m", ge=0, typical=(1e4, 1e9), doc="upwards")


class Damping(Data):
    """Of a coupling, along each axis of the towed unit."""

    x: float = quantity("N.s/m", ge=0, typical=(10.0, 1e6), doc="along")
    y: float = quantity("N.s/m", ge=0, typical=(10.0, 1e6), doc="across")
    z: float = quantity("N.s/m", ge=0, typical=(10.0, 1e6), doc="upwards")


class Integral(Data):
    """Of a coupling, along each axis of the towed unit."""

    x: float = quantity("N/(m.s)", 0.0, ge=0, typical=(1e2, 1e9), doc="along")
    y: float = quantity("N/(m.s)", 0.0, ge=0, typical=(1e2, 1e9), doc="across")
    z: float = quantity("N/(m.s)", 0.0, ge=0, typical=(1e2, 1e9), doc="upwards")


class SpringHitch(Hitch):
    """A hitch of springs and dampers."""

    kind: Literal["spring"] = choice("spring", doc="kind of hitch")
    alternatives: ClassVar = (("stiffness", "frequency"), ("damping", "damping_ratio"))

    frequency: float = quantity("Hz", 40.0, gt=0, typical=(1.0, 200.0), doc="of both units against each other")
    damping_ratio: float = quantity("-", 0.1, ge=0, le=2, doc="damping of this relative to critical")
    stiffness: Stiffness | None = part(None, numbers_only=True, doc="of the coupling, instead of a frequency")
    damping: Damping | None = part(None, numbers_only=True, doc="of the coupling, instead of a damping ratio")
    integral: Integral | None = part(None, doc="against the time integral of the displacement; absent: none")

    def _mass(self, place: UnitPlace) -> Array:
        """What both units resist at the coupling along each axis (2)."""
        assert place.parent is not None
        yields = np.zeros(3)
        for unit, point in ((place, np.array([0.0, 0.0, self.own_height])), (place.parent, self.location.array)):
            mass, centre, inertia = combine(unit.data.body.sprung())
            x, y, z = point - centre
            arm = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
            yields += np.diag(np.eye(3) / mass - arm @ np.linalg.inv(inertia) @ arm)
        result: Array = 1 / yields
        return result

    @derived("N/m", doc="of the coupling", label="k", at="unit")
    def rates(self, place: UnitPlace) -> Array:
        if self.stiffness is not None:
            return np.array([self.stiffness.x, self.stiffness.y, self.stiffness.z])
        result: Array = self._mass(place) * (2 * math.pi * self.frequency) ** 2
        return result

    @derived("N.s/m", doc="of the coupling", label="c", at="unit")
    def dampings(self, place: UnitPlace) -> Array:
        if self.damping is not None:
            return np.array([self.damping.x, self.damping.y, self.damping.z])
        result: Array = np.sqrt(self._mass(place) * self.rates(place)) * 2 * self.damping_ratio
        return result

    def gives_way(self, at: UnitModel, p: Symbols, turned: Any) -> list[Any]:
        p.kept["shift"] = displacement(at, turned)
        return [d for d, _ in p.kept["shift"]]

    def connect(self, at: UnitModel, p: Symbols) -> None:
        super().connect(at, p)
        scope = at.scope.scope("hitch")
        p.kept["forces"] = []
        for axis, (d, rate), k, c in zip("xyz", p.kept["shift"], p.rates, p.dampings, strict=True):
            force = -k * d - c * rate  # (1)
            if self.integral is not None:
                total = scope.state(f"{axis}.windup", "m.s", f"time integral of {axis}", role="balance")
                scope.derivative(total, d)
                force = force - getattr(p.integral, axis) * total
            scope.generalized_force(rate, force)
            p.kept["forces"].append(force)

    def tell(self, at: UnitModel, p: Symbols) -> None:
        super().tell(at, p)
        for axis, (d, _), force in zip("xyz", p.kept["shift"], p.kept["forces"], strict=True):
            at.channel(f"Hitch.displacement_{axis}", d, "m", "of its coupling from the towing one, its axes")
            at.channel(f"Hitch.force_{axis}", force, "N", "on this unit at the coupling, its axes")


def displacement(at: UnitModel, turned: Any) -> list[tuple[Any, Any]]:
    """Coordinates of the coupling along the axes of the towed unit, with their rates."""
    scope = at.scope.scope("hitch")
    doc = "of the coupling from that of the towing unit"
    return [scope.coordinate(axis, unit="m", doc=doc, on=turned, role="balance") for axis in "xyz"]
