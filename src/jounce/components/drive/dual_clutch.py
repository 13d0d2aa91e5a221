"""A dual clutch: gears change without a gap in the torque.

The clutch of ``clutch`` with two plates: while a gear is changed one takes over from the other, and the ratio that the
engine sees goes over from the old to the new one along a cubic (``shifting`` (2)). There is no pedal.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from jounce.components.drive.clutch import Clutch
from jounce.core.fields import choice, quantity


class DualClutch(Clutch):
    """Two clutches with a gearbox half each."""

    seamless: ClassVar[bool] = True

    kind: Literal["dual_clutch"] = choice("dual_clutch", doc="kind of part")  # type: ignore[assignment]
    shift_time: float = quantity("s", 0.2, gt=0, typical=(0.02, 2.0), doc="from one ratio to the next")
