"""A limited-slip differential: preload, ramps and viscosity.

With the torque T of the crown wheel and δω = ω_1 − ω_2,

    ΔT_max = max(|c0|, |c1 T|) + c2 |δω|^c3                                                                     (1)

c0 and c1 have values for traction (T ≥ 0) and for overrun. Up to ΔT_max the outputs are held together, beyond it they
slip, and ΔT goes from the faster to the slower one: ½ ΔT = ``coupling`` (1) with the limit ½ ΔT_max. The viscous
part of (1) is a part of the limit. Preload is not added to the ramps.
"""

from __future__ import annotations

from typing import Any, Literal

from jounce.components.drive.base import Station, constant
from jounce.components.drive.differential_locked import LockedDifferential, hold
from jounce.core.curves import Curve
from jounce.core.fields import choice, curve, quantity
from jounce.symbolic.ops import exp, fabs, fmax, if_else, log

STILL = 1e-9  # rad/s: |δω|^c3 at rest


class LimitedSlipDifferential(LockedDifferential):
    """Torque goes to the slower wheel, up to  max(|c0|, |c1 T|) + c2 |δω|^c3."""

    kind: Literal["limited_slip_differential"] = choice(  # type: ignore[assignment]
        "limited_slip_differential", doc="kind of part"
    )
    preload: float = quantity("N.m", 0.0, ge=0, typical=(1.0, 1e3), doc="c0 in traction")
    overrun_preload: float | None = quantity(
        "N.m", None, ge=0, typical=(1.0, 1e3), doc="|c0| in overrun; absent: that in traction"
    )
    ramp: Curve = curve(
        "N.m",
        "-",
        constant(0.0, "N.m", "-"),
        constant="value",
        typical=(0.01, 1.0),
        doc="c1, over the torque of the input, or a number",
    )
    viscosity: float = quantity("N.m", 0.0, ge=0, typical=(0.1, 1e3), doc="c2, at a difference of 1 rad/s")
    exponent: float = quantity("-", 1.0, gt=0, typical=(0.2, 3.0), doc="c3")

    def most(self, here: Station) -> Any:
        """ΔT_max (1), with the torque on the input shaft without that of inertia."""
        shaft, first, second = here.shafts
        p = here.p
        torque = p.ratio * shaft.torque
        preload = p.preload
        if self.overrun_preload is not None:
            preload = if_else(torque < 0, p.overrun_preload, preload)
        slip = fabs(first.speed - second.speed)
        # a power without a pole in its slope
        viscous = p.viscosity * exp(p.exponent * log(slip + STILL))
        return fmax(preload, fabs(p.ramp(shaft.torque) * torque)) + viscous

    def locking(self, here: Station) -> Any:
        most = self.most(here)
        here.kept["most"] = most
        return 2 * hold(here, 0.5 * most)

    def told(self, here: Station) -> None:
        super().told(here)
        here.channel("largest_difference", here.kept["most"], "N.m", "largest torque difference that it bears")
