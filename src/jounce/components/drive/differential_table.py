"""A differential with a table: torque difference over the difference of speeds, through a low-pass filter.

    ΔT = f(δω),    τ δω̇_f = δω − δω_f,   τ = 1/(2π f_c)                                                          (1)

with δω = ω_1 − ω_2; with a cut-off frequency f_c the table sees δω_f.
"""

from __future__ import annotations

import math
from typing import Any, Literal

from jounce.components.drive.base import Station
from jounce.components.drive.differential import OpenDifferential
from jounce.core.curves import Curve
from jounce.core.fields import choice, curve, quantity


class TableDifferential(OpenDifferential):
    """Torque difference over difference of speeds, such as a viscous coupling."""

    kind: Literal["table_differential"] = choice("table_differential", doc="kind of part")  # type: ignore[assignment]
    torque: Curve = curve(
        "rad/s", "N.m", typical=(0.1, 1e4), reach=(0.1, 1e3), doc="from the faster to the slower output, over δω"
    )
    cutoff: float | None = quantity("Hz", None, gt=0, typical=(0.5, 200.0), doc="of a low-pass filter before the table")

    def locking(self, here: Station) -> Any:
        _, first, second = here.shafts
        difference = first.speed - second.speed
        if self.cutoff is not None:
            seen = here.scope.state("difference", "rad/s", "of speeds, through the filter", role="drift")
            here.scope.derivative(seen, 2 * math.pi * here.p.cutoff * (difference - seen))
            difference = seen
        return here.p.torque(difference)
