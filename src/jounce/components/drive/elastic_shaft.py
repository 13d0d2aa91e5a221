"""A shaft that winds up: spring and damper between its ends.

    T = k θ + c θ̇,   θ̇ = ω_in − ω_out                                                                          (1)

``coupling`` (1) without a limit; however stiff, it does not ask for a shorter step.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from jounce.components.drive.base import DrivePart, Energy, Geared, Station
from jounce.components.drive.coupling import coupling
from jounce.core.fields import choice, quantity


class ElasticShaft(DrivePart):
    """A drive shaft with stiffness and damping; what drives it needs an inertia on that shaft."""

    ports: ClassVar[tuple[str, ...]] = ("input", "output")

    kind: Literal["elastic_shaft"] = choice("elastic_shaft", doc="kind of part")
    stiffness: float = quantity("N.m/rad", gt=0, typical=(500.0, 1e6), doc="torque per angle")
    damping: float = quantity("N.m.s/rad", gt=0, typical=(0.1, 1e3), doc="torque per speed between its ends")
    inertia: float = quantity("kg.m2", 0.01, gt=0, typical=(1e-4, 2.0), doc="of its input end with what is fixed to it")

    def geared(self, p: Any, gear: Any) -> Geared:
        return Geared((1.0, -1.0), rigid=False)

    def inertias(self, p: Any, gear: Any) -> tuple[Any, ...]:
        return (p.inertia,)

    def act(self, here: Station) -> None:
        before, after = here.shafts
        p, train = here.p, here.train
        mobility = train.mobility(before) + train.mobility(after)
        made = coupling(
            here.scope, "shaft", before.speed - after.speed, None, p.stiffness, p.damping, mobility, train.on
        )
        train.push(before, -made.torque)
        train.push(after, made.torque)
        here.kept["made"] = made

    def told(self, here: Station) -> None:
        made = here.kept["made"]
        here.channel("torque", made.carried, "N.m", "torque in the shaft")
        here.channel("angle", made.windup, "rad", "how far it is wound up")

    def energy(self, here: Station) -> Energy:
        return Energy(lost=here.kept["made"].lost, stored=here.kept["made"].stored)
