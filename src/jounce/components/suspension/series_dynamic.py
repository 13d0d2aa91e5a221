"""A series elasticity with a mass and damping of its own: one more freedom z per wheel.

    m z̈ + c ż + k z = F(J − z, J̇ − ż),   c = damping · k                                                        (1)

with k and m at the wheel (``series_stiffness`` (2), m alike). The mass moves with z only: it is inertia beside the
spring, in the sense of an inerter, so that wheel and body feel F and the power F ż goes into ½ m ż² + ½ k z² and c ż².
With F held the frequency is √(k/m). With a cut-off frequency f, F passes Ḟ_f = 2πf (F − F_f) before it moves z.
(2)
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal

from jounce.components.model import WheelModel
from jounce.components.part import Symbols
from jounce.components.suspension.series_stiffness import SeriesStiffness, is_rigid
from jounce.core.fields import choice, part, quantity

FAST = 200.0  # Hz: five steps of 1 ms per turn


class SeriesDynamic(SeriesStiffness):
    """Elasticity in series with springs, dampers and stops, with a mass:  m z̈ + damping · k ż + k z = F."""

    kind: Literal["dynamic"] = choice("dynamic", doc="static, or dynamic with a mass")
    mass: float = quantity("kg", gt=0, typical=(0.1, 500.0), doc="that moves with what it gives way")
    damping: float = quantity("s", 0.0, ge=0, typical=(0.0, 0.1), doc="damping per stiffness")
    cutoff: float | None = quantity(
        "Hz", None, gt=0, typical=(5.0, 1000.0), doc="of a low-pass filter on the force that moves it; none: no filter"
    )
    right: SeriesDynamic | None = part(None, doc="what differs on the right side")

    def remarks(self) -> Iterator[tuple[str, str]]:
        frequency = math.sqrt(self.stiffness / self.mass) / (2 * math.pi)
        if frequency > FAST:
            text = f"swings at {frequency:.4g} Hz, faster than steps of 1 ms resolve; is the mass too small?"
            yield "mass", f"{text} Without a mass worth naming it is kind: static"

    def frames(self, at: WheelModel, p: Symbols) -> None:
        if is_rigid(at):
            return
        scope = at.system.scope(p.own_name)
        z, u = scope.coordinate(
            "deflection", unit="m", doc="what the series elasticity gives way, at the wheel", on=at.axle.frame,
            role="balance",
        )  # fmt: skip
        at.system.inerter(f"{p.own_name}.mass", u, p.mass * p.to_wheel, on=at.axle.frame)
        p.kept.update(z=z, u=u, forces=[])
        self.hang(at, at.travel - z, at.travel_rate - u, p.kept["forces"])

    def close(self, at: WheelModel, p: Symbols) -> None:
        if is_rigid(at):
            return
        z, u, force = p.kept["z"], p.kept["u"], -sum(p.kept["forces"])
        k = p.stiffness * p.to_wheel
        p.kept["force"] = force
        if self.cutoff is not None:
            scope = at.system.scope(p.own_name)
            passed = scope.state("passed_force", "N", "force through the low-pass filter", role="balance")
            scope.derivative(passed, 2 * math.pi * p.cutoff * (force - passed))  # (2)
            force = passed
        at.system.generalized_force(u, force - k * z - p.damping * k * u)  # (1)

    def tell(self, at: WheelModel, p: Symbols) -> None:
        if not is_rigid(at):
            self.told(at, p.kept["z"], p.kept["force"])
