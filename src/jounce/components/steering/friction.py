"""Friction in a steering: of the column's bearings, along the torsion bar, of the rack in its housing, of a motor.

Four laws, of which those that are given add up; x is the way of what rubs, v its speed, F opposes it.

    spring    dF/dx = k (1 - F/F_max) forwards, k (1 - F/F_min) backwards                                         (1)
    maxwell   such a spring in series with a damper: c v when slow, the limit when fast                           (2)
    viscous   F = limit · tanh(slope · v)                                                                         (3)
    coulomb   F = min(μ(|v|) |F_n|, limit) · tanh(v / (V_t/10)), μ from static to dynamic around V_t               (4)

(1) and (2) are memories with their exact solutions over a step (symbolic/friction.py (5), (7)): they hold without
creeping and no step is too long for them. (3) and (4) are functions of the speed: under a constant load they creep, by
what their inverses say, and a step must resolve their slope. F_n is what the place transmits: torque of the column or
of the torsion bar, force of the tie rods, torque of the motor. μ goes over from static to dynamic between 0.9 V_t and
1.1 V_t. All four dissipate. Equilibria are sought with (3) and (4) at rest and without (1) and (2).
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

from pydantic import model_validator

from jounce.components.part import Symbols
from jounce.core.fields import Data, part, problem, quantity
from jounce.symbolic.friction import maxwell, rounded
from jounce.symbolic.ops import clip, fabs, fmin, tanh

SHARP = 0.1  # of the transition speed: where (4) turns its sign
BAND = 0.1  # of the transition speed to either side: where μ changes


class Spring(Data):
    """Friction that goes over to sliding gradually (1)."""

    stiffness: float = quantity("N.m/rad", gt=0, typical=(1.0, 1e4), doc="at a point of return")
    maximum: float = quantity("N.m", gt=0, typical=(0.01, 50.0), doc="largest torque against motion to the left")
    minimum: float = quantity("N.m", lt=0, typical=(0.01, 50.0), doc="the same to the right, negative")


class Maxwell(Data):
    """A spring as above in series with a damper (2)."""

    stiffness: float = quantity("N.m/rad", gt=0, typical=(1.0, 1e4), doc="of the spring")
    damping: float = quantity("N.m.s/rad", gt=0, typical=(1e-3, 100.0), doc="of the damper")
    limit: float = quantity("N.m", gt=0, typical=(0.01, 50.0), doc="largest torque of the spring")


class Viscous(Data):
    """A function of speed with a limit (3)."""

    slope: float = quantity("s/rad", gt=0, typical=(0.01, 1e3), doc="of the tanh at rest")
    limit: float = quantity("N.m", gt=0, typical=(0.01, 50.0), doc="torque when fast")


class Coulomb(Data):
    """Friction that grows with the load of its place (4)."""

    static: float = quantity("-", ge=0, typical=(1e-3, 0.5), doc="coefficient when slow")
    dynamic: float = quantity("-", ge=0, typical=(1e-3, 0.5), doc="coefficient when fast")
    speed: float = quantity("rad/s", gt=0, typical=(1e-3, 10.0), doc="V_t, where one goes over to the other")
    limit: float = quantity("N.m", gt=0, typical=(0.01, 50.0), doc="largest torque")


class SteeringFriction(Data):
    """Friction of what turns; laws that are given add up."""

    unit: ClassVar[str] = "rad"

    spring: Spring | None = part(None, doc="elasto-plastic; holds without creep")
    maxwell: Maxwell | None = part(None, doc="spring and damper in series")
    viscous: Viscous | None = part(None, doc="by speed, with a limit")
    coulomb: Coulomb | None = part(None, doc="by load")

    @model_validator(mode="after")
    def _one(self) -> Self:
        if not any((self.spring, self.maxwell, self.viscous, self.coulomb)):
            raise problem("no law of friction; give spring, maxwell, viscous or coulomb")
        return self

    def torque(self, scope: Any, p: Symbols, speed: Any, load: Any) -> Any:
        """What opposes ``speed``; ``load`` is what the place transmits."""
        total: Any = 0.0
        if self.spring is not None:
            s = p.spring
            total = total + rounded(scope, "spring", speed, s.maximum, s.stiffness, self.unit, backwards=-s.minimum)
        if self.maxwell is not None:
            m = p.maxwell
            total = total + maxwell(scope, "maxwell", speed, m.limit, m.stiffness, m.damping, self.unit)
        if self.viscous is not None:
            total = total + p.viscous.limit * tanh(p.viscous.slope * speed)
        if self.coulomb is not None:
            c = p.coulomb
            fast = clip((fabs(speed) / c.speed - 1 + BAND) / (2 * BAND), 0.0, 1.0)
            mu = c.static + (c.dynamic - c.static) * fast * fast * (3 - 2 * fast)
            total = total + fmin(mu * fabs(load), c.limit) * tanh(speed / (SHARP * c.speed))
        return total


class SlidingSpring(Spring):
    """The same of what slides."""

    stiffness: float = quantity("N/m", gt=0, typical=(1e3, 1e8), doc="at a point of return")
    maximum: float = quantity("N", gt=0, typical=(1.0, 5e3), doc="largest force against motion with the hand wheel")
    minimum: float = quantity("N", lt=0, typical=(1.0, 5e3), doc="the same back, negative")


class SlidingMaxwell(Maxwell):
    """The same of what slides."""

    stiffness: float = quantity("N/m", gt=0, typical=(1e3, 1e8), doc="of the spring")
    damping: float = quantity("N.s/m", gt=0, typical=(1.0, 1e6), doc="of the damper")
    limit: float = quantity("N", gt=0, typical=(1.0, 5e3), doc="largest force of the spring")


class SlidingViscous(Viscous):
    """The same of what slides."""

    slope: float = quantity("s/m", gt=0, typical=(0.1, 1e5), doc="of the tanh at rest")
    limit: float = quantity("N", gt=0, typical=(1.0, 5e3), doc="force when fast")


class SlidingCoulomb(Coulomb):
    """The same of what slides."""

    speed: float = quantity("m/s", gt=0, typical=(1e-5, 0.1), doc="V_t, where one goes over to the other")
    limit: float = quantity("N", gt=0, typical=(1.0, 5e3), doc="largest force")


class RackFriction(SteeringFriction):
    """Friction of the rack."""

    unit: ClassVar[str] = "m"

    spring: SlidingSpring | None = part(None, doc="elasto-plastic; holds without creep")
    maxwell: SlidingMaxwell | None = part(None, doc="spring and damper in series")
    viscous: SlidingViscous | None = part(None, doc="by speed, with a limit")
    coulomb: SlidingCoulomb | None = part(None, doc="by load")
