"""The Fiala tire: a beam on an elastic foundation, seven numbers; after [Fiala1954] in the form of multibody programs.

    S = min(sqrt(κ² + tan² α), 1),   µ = (UMAX - (UMAX - UMIN) S) µ_road                                          (1)
    Fx = CSLIP κ                                       up to |κ| = µ Fz/(2 CSLIP), then                           (2)
    Fx = sgn κ (µ Fz - (µ Fz)²/(4 CSLIP |κ|))
    Fy = -sgn α µ Fz (1 - H³),   H = max(0, 1 - CALPHA |tan α|/(3 µ Fz))                                          (3)
    Mz = sgn α µ Fz WIDTH (1 - H) H³                                                                              (4)
    My = -sgn(Ω) ROLLING_RESISTANCE Fz,    Mx = 0

Fx is C1 at the joint of (2), Fy C2 at full sliding.  Friction falls with the whole slip, which is all that couples the
two directions: combined forces may leave the friction circle, and use mode 4 differs from 3 by (1) only.  Stiffnesses
do not depend on the load, nor is there camber thrust unless CGAMMA is given: Fy then gets -CGAMMA γ, within µ Fz.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from jounce.components.tire.base import Coefficient, Forces, Numbers
from jounce.components.tire.magic import off_zero, table
from jounce.components.tire.simple import SimpleTire, Stiffness
from jounce.symbolic.ops import clip, fabs, fmax, fmin, if_else, sign, sqrt, tan

SLIP_FLOOR = 1e-12  # under the root of (1), so that it is differentiable at zero


@dataclass(frozen=True)
class Fiala(SimpleTire):
    """Fiala tire; see the module."""

    kind: ClassVar[str] = "fiala"
    aliases: ClassVar[Mapping[str, str]] = {"RLENX": "RELAX_LENGTH_X", "RLENY": "RELAX_LENGTH_Y"}
    own: ClassVar[Sequence[Coefficient]] = (
        *table(
            "PARAMETER",
            """
            CSLIP N slip stiffness
            CALPHA N/rad cornering stiffness
            UMAX - friction without slip
            UMIN - friction at full slip
            """,
            None,
        ),
        *table(
            "PARAMETER",
            """
            CGAMMA N/rad camber stiffness
            ROLLING_RESISTANCE m rolling resistance moment over load
            RELAX_LENGTH_X m longitudinal relaxation length
            RELAX_LENGTH_Y m lateral relaxation length
            """,
        ),
        Coefficient("WIDTH", "m", "width of the tire", 0.2, "DIMENSION"),
    )

    def file_keys(self) -> dict[str, str | float]:
        return {"PROPERTY_FILE_FORMAT": "FIALA"}

    def stiffness(self, p: Numbers, load: Any, gamma: Any, friction: Any) -> Stiffness:
        limit = p["UMAX"] * friction * load
        return Stiffness(
            p["CSLIP"],
            -p["CALPHA"],
            2 * limit / p["CSLIP"],  # (2) reaches 7/8 of the friction limit there
            3 * limit / p["CALPHA"],
            p["RELAX_LENGTH_X"],
            p["RELAX_LENGTH_Y"],
            limit,
        )

    def slip_forces(self, p: Numbers, load: Any, gamma: Any, friction: Any, kappa: Any, alpha: Any, way: Any) -> Forces:
        tangent = tan(clip(alpha, -1.5, 1.5))
        whole = fmin(sqrt(kappa * kappa + tangent * tangent + SLIP_FLOOR), 1.0)
        limit = (p["UMAX"] - (p["UMAX"] - p["UMIN"]) * whole) * friction * load  # (1)
        size = fabs(kappa)
        sliding = limit - limit * limit / off_zero(4 * p["CSLIP"] * size)
        fx = sign(kappa) * if_else(size < 0.5 * limit / p["CSLIP"], p["CSLIP"] * size, sliding)  # (2)
        h = fmax(1 - p["CALPHA"] * fabs(tangent) / (3 * limit), 0.0)
        fy = -sign(tangent) * limit * (1 - h * h * h) - p["CGAMMA"] * gamma  # (3)
        mz = sign(tangent) * limit * p["WIDTH"] * (1 - h) * h * h * h  # (4)
        my = -way * p["ROLLING_RESISTANCE"] * load
        return Forces(fx, clip(fy, -limit, limit), 0.0 * load, my, mz)
