"""Measured points before a fit: wrong units and axes are found here, since afterwards they look like a tire.

    check_points(data)      warnings; raises for what is no measurement of a tire in the axes and units it claims

In ISO axes Fy opposes α and Fx goes with κ, so Σ Fy α < 0 and Σ Fx κ > 0 over all points; friction is |F|/Fz, its upper
end over the points without the last tenth, which may be outliers.
"""

from __future__ import annotations

import math

import numpy as np

from jounce.core.errors import ParameterError
from jounce.rigs.tire_data import TireData

MOST_FRICTION = 3.0
LEAST_FRICTION, LITTLE_FRICTION = 0.02, 0.05  # below the first no force was measured, below the second on ice at best
SWEPT = 0.02  # of slip or rad, from where on a slip must show in a force
INSIDE = 0.9  # share of points of which the largest friction is taken
SIZED = 0.99  # the same for slips, and for the least friction


def check_points(data: TireData) -> list[str]:
    """Warnings about measured points; raises where a fit would be nonsense."""
    place = f"tire data {data.source}".rstrip()
    for name in ("alpha", "gamma"):
        size = float(np.quantile(np.abs(data[name]), SIZED))
        if size > math.pi / 2:
            raise ParameterError(
                f"{place}: {name} goes up to {size:.3g} rad, beyond a right angle; are these degrees? Say the unit in "
                f'the file, or --column "{name}=COLUMN:deg"'
            )
    warnings = []
    for force, slip, sign, meaning in (
        ("fy", "alpha", -1.0, "Fy must oppose alpha in ISO axes"),
        ("fx", "kappa", 1.0, "Fx > 0 must drive at kappa > 0"),
    ):
        if force not in data or np.ptp(data[slip]) < SWEPT:
            continue
        f, x, fz = data[force], data[slip], data["fz"]
        letters = force.capitalize()
        if sign * float(np.sum(f * x)) < 0:
            hint = "are the axes right (--axes iso, sae or adapted_sae)?" if force == "fy" else "turn the sign of one"
            raise ParameterError(f"{place}: {letters} has the wrong sign over {slip}: {meaning}; {hint}")
        friction = np.abs(f) / fz
        largest, least = float(np.quantile(friction, INSIDE)), float(np.quantile(friction, SIZED))
        hint = f'are the units of Fz and {letters} right (--column "fz=COLUMN:kN")?'
        if largest > MOST_FRICTION:
            raise ParameterError(f"{place}: |{letters}|/Fz reaches {largest:.3g}, no tire has that; {hint}")
        if least < LEAST_FRICTION:
            raise ParameterError(f"{place}: |{letters}|/Fz reaches {least:.2g} only, no tire has so little; {hint}")
        if least < LITTLE_FRICTION:
            warnings.append(f"|{letters}|/Fz reaches {least:.2g} only; {hint}")
    return warnings
