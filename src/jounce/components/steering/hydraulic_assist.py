"""Electro-hydraulic power steering: a pump holds a pressure difference over a valve, a piston on the rack bears it.

    F = A_p p                                                                                                    (1)
    ṗ = c_bulk / V · (A_or c_or w(Δp - p) - A_p ẋ),   V = V_p/2 + sign(p) A_p x, at least V_p/20                  (2)
    w(d) = sign(d) sqrt(2 |d|/ρ), a straight line for |d| < 10 kPa                                               (3)

p pressure difference over the piston, Δp its map over the twist of the torsion bar (and speed), x travel of the rack, V
the chamber that is under pressure. (2) has rates up to 1e5 1/s near p = Δp; it is written with ṗ/(1 + s r), r the rate
of the flow over Δp - p and s = 1.25 T_DT, much as a linear-implicit step has it. The state is not p but the way
p V_p/(2 A_p c_bulk) by which the fluid is compressed: it weighs in a search of equilibria as angles do, pascals do not.
"""

from __future__ import annotations

from typing import Any, Self

from pydantic import model_validator

from jounce.components.part import Symbols
from jounce.components.steering.assist import Assisted, check_map
from jounce.components.steering.chain import AHEAD
from jounce.core.curves import Curve
from jounce.core.fields import Data, curve, quantity
from jounce.symbolic.ops import fabs, fmax, if_else, sign, sqrt

STRAIGHT = 1e4  # Pa, below which (3) is a line
LEAST = 0.1  # of V_p/2: the chamber never is smaller


class HydraulicAssist(Data):
    """Electro-hydraulic power steering."""

    pressure: Curve = curve(
        "rad", "Pa", z="m/s", typical=(1e6, 1e10), reach=(0.005, 1.0), doc="Δp over twist (and speed)"
    )
    piston_area: float = quantity("m2", gt=0, typical=(1e-4, 1e-2), doc="A_p")
    piston_volume: float = quantity("m3", gt=0, typical=(1e-5, 1e-2), doc="V_p, of both chambers")
    bulk_modulus: float = quantity("Pa", 5.5e8, gt=0, typical=(1e8, 3e9), doc="c_bulk of fluid and hoses")
    orifice_area: float = quantity("m2", gt=0, typical=(1e-6, 1e-3), doc="A_or")
    orifice_coefficient: float = quantity("-", 0.6, gt=0, le=1, typical=(0.3, 1.0), doc="c_or")
    density: float = quantity("kg/m3", 850.0, gt=0, typical=(700.0, 1200.0), doc="ρ of the fluid")

    @model_validator(mode="after")
    def _possible(self) -> Self:
        check_map(self.pressure, "pressure")
        return self

    def connect(self, at: Assisted, p: Symbols) -> tuple[Any, Any]:
        """Write its equations; returns the force on the rack, and its power there."""
        scope, rack = at.scope, at.rack
        half = 0.5 * p.piston_volume
        per = half / (p.piston_area * p.bulk_modulus)
        way = scope.state("assist.fluid", "m", "way of the piston that compresses the fluid", role="balance")
        held = way / per
        short = at.switched(p.pressure(at.twist, at.speed)) - held
        straight = fabs(short) < STRAIGHT
        steep = sqrt(2 / (p.density * STRAIGHT))
        size = sqrt(2 * fmax(fabs(short), STRAIGHT) / p.density)
        flow = if_else(straight, steep * short, sign(short) * size)  # (3)
        slope = if_else(straight, steep, size / fmax(fabs(short), STRAIGHT))  # of the flow, to where it ends
        stiff = p.bulk_modulus / fmax(half + sign(held) * p.piston_area * rack.angle, LEAST * half)
        opening = p.orifice_area * p.orifice_coefficient
        rate = stiff * (opening * flow - p.piston_area * rack.rate)  # (2)
        scope.derivative(way, per * rate / (1 + AHEAD * scope.system.t_dt * stiff * opening * slope))
        force = p.piston_area * held  # (1)
        rack.push(force)
        return force, force * rack.rate
