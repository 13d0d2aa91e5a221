"""A gear of fixed ratio.

    ω_in = ratio · ω_out,    T_out = η ratio T_in   (power from the input; back: ratio T_in/η)                     (1)

The inertia is on the output shaft. Losses by ``train`` (3).
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from jounce.components.drive.base import DrivePart, Energy, Geared, Station
from jounce.core.fields import choice, quantity


class Gear(DrivePart):
    """A pair of wheels, a chain, a hub reduction:  input speed = ratio · output speed."""

    ports: ClassVar[tuple[str, ...]] = ("input", "output")

    kind: Literal["gear"] = choice("gear", doc="kind of part")
    ratio: float = quantity("-", 1.0, typical=(0.05, 30.0), doc="input speed over output speed; negative turns back")
    efficiency: float = quantity("-", 1.0, gt=0, le=1, typical=(0.8, 1.0), doc="output power over input power")
    inertia: float = quantity("kg.m2", 0.0, ge=0, typical=(1e-5, 5.0), doc="on the output shaft")

    def geared(self, p: Any, gear: Any) -> Geared:
        return Geared((1.0, -p.ratio), p.efficiency)  # (1)

    def inertias(self, p: Any, gear: Any) -> tuple[Any, ...]:
        return None, p.inertia

    def told(self, here: Station) -> None:
        before, after = here.shafts
        here.channel("input_omega", before.speed, "rad/s", "speed of the input shaft")
        here.channel("output_omega", after.speed, "rad/s", "speed of the output shaft")
        here.channel("input_torque", before.torque, "N.m", "torque on the input shaft, without that of inertia")

    def energy(self, here: Station) -> Energy:
        return Energy(lost=None if here.relation is None else here.relation.lost)
