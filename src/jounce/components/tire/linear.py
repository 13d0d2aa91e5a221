"""The linear tire: forces in proportion to slip and load, within a friction circle; for theory and for comparison.

    Fx = CSLIP κ F,   Fy = -(CALPHA tan α + CGAMMA γ) F,   F = Fz/FNOMIN if LOAD_PROPORTIONAL, else 1              (1)
    both times min(1, FRICTION µ Fz/sqrt(Fx² + Fy²))                                                              (2)
    Mz = -TRAIL Fy,   My = -sgn(Ω) ROLLING_RESISTANCE Fz

(2) has a kink at the limit.  With the stiffnesses of a bicycle model the vehicle is that model, below the limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from jounce.components.tire.base import AtLoad, Coefficient, Forces, Numbers, direction
from jounce.components.tire.magic import off_zero, table
from jounce.components.tire.simple import SimpleTire, Stiffness
from jounce.symbolic.ops import clip, fmin, sqrt, tan

FORCE_FLOOR = 1e-6  # N², under the root of (2)


@dataclass(frozen=True)
class Linear(SimpleTire):
    """Linear tire; see the module."""

    kind: ClassVar[str] = "linear"
    own: ClassVar[Sequence[Coefficient]] = (
        *table(
            "PARAMETER",
            """
            CSLIP N slip stiffness
            CALPHA N/rad cornering stiffness
            """,
            None,
        ),
        *table(
            "PARAMETER",
            """
            CGAMMA N/rad camber stiffness
            TRAIL m pneumatic trail
            ROLLING_RESISTANCE m rolling resistance moment over load
            RELAX_LENGTH_X m longitudinal relaxation length
            RELAX_LENGTH_Y m lateral relaxation length
            LOAD_PROPORTIONAL - 1: stiffnesses are those at FNOMIN and grow with the load; 0: they do not
            """,
        ),
        Coefficient("FRICTION", "-", "largest force over load", 1.0, "PARAMETER"),
    )

    def _share(self, p: Numbers, load: Any) -> Any:
        return 1 + p["LOAD_PROPORTIONAL"] * (load * p["PER_FNOMIN"] - 1)

    def stiffness(self, p: Numbers, load: Any, gamma: Any, friction: Any) -> Stiffness:
        share, limit = self._share(p, load), p["FRICTION"] * friction * load
        kx, ky = p["CSLIP"] * share, p["CALPHA"] * share
        slides = limit / off_zero(kx), limit / off_zero(ky)
        return Stiffness(kx, -ky, *slides, p["RELAX_LENGTH_X"], p["RELAX_LENGTH_Y"], limit)

    def slip_forces(self, p: Numbers, load: Any, gamma: Any, friction: Any, kappa: Any, alpha: Any, way: Any) -> Forces:
        share = self._share(p, load)
        fx = p["CSLIP"] * share * kappa  # (1)
        fy = -(p["CALPHA"] * tan(clip(alpha, -1.5, 1.5)) + p["CGAMMA"] * gamma) * share
        limited = fmin(p["FRICTION"] * friction * load / sqrt(fx * fx + fy * fy + FORCE_FLOOR), 1.0)  # (2)
        fx, fy = fx * limited, fy * limited
        return Forces(fx, fy, 0.0 * load, -way * p["ROLLING_RESISTANCE"] * load, -p["TRAIL"] * fy)

    @property
    def has_trail(self) -> bool:
        return self.sideways

    def parts(
        self, p: Numbers, at: AtLoad, kappa: Any, alpha: Any, vx: Any = None, spin: Any = None, belt: Any = 0.0
    ) -> dict[str, Any]:
        way = 1.0 if vx is None else direction(vx * p["PER_VXLOW"])  # in reverse the trail changes side
        return {"trail": p["TRAIL"] * way} if self.has_trail else {}
