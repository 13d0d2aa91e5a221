"""What the Magic Formula tires share: the curve, its peak, combined slip, use modes, guards.

    S(x; B, C, E) = sin(C atan(Bx - E (Bx - atan Bx))),     G = cos of the same angle,     E <= 1           (1)
    Gxα = G(α + SHxα)/G(SHxα),   Bxα = (RBX1 + RBX3 γ²) cos(atan(RBX2 κ)) LXAL                                (2)
    Gyκ = G(κ + SHyκ)/G(SHyκ),   Byκ = (RBY1 + RBY4 γ²) cos(atan(RBY2 (α - RBY3))) LYKA                       (3)
    SVyκ = Dy (RVY1 + RVY2 dfz + RVY3 γ) cos(atan(RVY4 α)) sin(RVY5 atan(RVY6 κ)) LVYKA                       (4)

``sin(2 atan x) = 2x/(1 + x²)`` and ``cos(atan x) = 1/sqrt(1 + x²)`` need no trigonometry.

Where a load depends on forces that depend on the load (``vertical``), forces are needed once for an estimate only;
``ROUGH`` has functions for it that take a third of the time:

    atan x = q + q³ P(q²) for q = |x| <= 1, else π/2 - that of 1/|x|                  |error| < 3e-4 |x|            (5)
    sin z = z + z³ P(z²),   cos z = 1 + z² P(z²)   up to |z| = 5π/4, then held        |error| < 4e-5 |z|, 4e-4

with minimax polynomials; (5) is exact at 0, 1 and infinity, and C1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from jounce.components.tire.base import AtLoad, Coefficient, Curve, Numbers, TireModel, Turn
from jounce.core.errors import ParameterError
from jounce.symbolic.ops import atan, clip, copysign, cos, fabs, fmax, fmin, pi, sin, sqrt, tan

MODES = (0, 1, 2, 3, 4, 11, 12, 13, 14)
SCALING = "SCALING_COEFFICIENTS"

# Guards, each far below anything a real tire has.
LOAD_FLOOR = 1.0  # N: the smallest load at which a formula is evaluated, where a file says FZMIN = 0
FRICTION_FLOOR = 1e-3  # of scaling factors of friction: they are divided by
DIVISOR_FLOOR = 1e-30  # of divisors: without effect on any that is not zero
SLIP_FLOOR = 1e-14  # of a squared slip: keeps the root differentiable at zero
SIGMA_FLOOR = 0.01  # m, of relaxation lengths
SPEED_FLOOR = 0.05  # m/s, of VXLOW and of Vref


# Derived numbers of every Magic Formula tire, besides those of its spring: unit, meaning.
DERIVED = {
    "PER_PEAK_X": ("-", "one over Bx times the slip at the peak of Fx"),
    "PER_PEAK_Y": ("-", "one over By times the slip angle at the peak of Fy"),
    "PER_FZ0": ("1/N", "one over the scaled nominal load"),
    "PER_FZMIN": ("1/N", "one over the smallest load of evaluation"),
}


def table(block: str, text: str, default: float | None = 0.0) -> list[Coefficient]:
    """Lines ``NAME unit meaning`` as coefficients."""
    rows = [line.split(None, 2) for line in text.strip().splitlines()]
    return [Coefficient(name, unit, doc, default, block) for name, unit, doc in rows]


# --- functions -------------------------------------------------------------------------------------------------------


class Functions(NamedTuple):
    """The trigonometry that a formula is evaluated with."""

    sin: Callable[[Any], Any]
    cos: Callable[[Any], Any]
    atan: Callable[[Any], Any]

    def angle(self, x: Any, b: Any, c: Any, e: Any) -> Any:
        """The angle of (1)."""
        bx = b * x
        return c * self.atan(bx - e * (bx - self.atan(bx)))

    def reduction(self, x: Any, shift: Any, b: Any, c: Any, e: Any) -> Any:
        """Share of a force that slip in the other direction leaves; one at x = 0, never negative."""
        whole = self.cos(self.angle(shift, b, c, e))
        return fmax(self.cos(self.angle(x + shift, b, c, e)) / off_zero(whole), 0.0)


def _rough_sin(z: Any) -> Any:
    z = clip(z, -1.25 * pi, 1.25 * pi)
    s = z * z
    return z + z * s * (-0.16659137652 + s * (0.00828480547 + s * (-1.8859842e-4 + s * 1.9526861e-6)))


def _rough_cos(z: Any) -> Any:
    s = fmin(z * z, (1.25 * pi) ** 2)
    return 1 + s * (-0.4992130025 + s * (0.04115709832 + s * (-0.00128517355 + s * 1.62181391e-5)))


def _rough_atan(x: Any) -> Any:
    size = fabs(x)
    low, high = fmin(size, 1.0), fmax(size, 1.0)
    q = low / high
    s = q * q
    last = 0.25 * pi - 1 + 0.32740675821 - 0.15815739840  # the sum is π/4
    found = q + q * s * (-0.32740675821 + s * (0.15815739840 + s * last))
    beyond = size > 1  # 0 or 1
    return copysign(found + beyond * (0.5 * pi - 2 * found), x)


EXACT = Functions(sin, cos, atan)
ROUGH = Functions(_rough_sin, _rough_cos, _rough_atan)
angle = EXACT.angle


def side_of(x: Any) -> Any:
    """1 or -1, for E by the sign of slip: at zero slip E has no effect, so that it may be either."""
    return copysign(1.0, x)


def cos_atan(x: Any) -> Any:
    return 1 / sqrt(1 + x * x)


def cos_atan_cos_atan(x: Any, y_squared: Any) -> Any:
    """cos(atan(x cos(atan y))), with one root and one division."""
    q = 1 + y_squared
    return sqrt(q / (q + x * x))


def sin_2_atan(x: Any) -> Any:
    return 2 * x / (1 + x * x)


def off_zero(x: Any) -> Any:
    """A divisor that keeps its sign and is never zero."""
    return x + copysign(DIVISOR_FLOOR, x)


def peak(c: Any, e: Any) -> Any:
    """y = Bx at which (1) has its peak: y - E (y - atan y) = tan(π/2C), by Newton's method.

    The left side grows with y and is curved one way only, so the iteration goes to the root from one side.
    A curve with C near 1 has its peak at infinity; C and E are kept where there is one.
    """
    target = tan(0.5 * pi / clip(c, 1.1, 1.99))
    e = fmin(e, 0.95)
    y = target
    for _ in range(12):
        y = y - (y - e * (y - atan(y)) - target) / (1 - e * y * y / (1 + y * y))
    return y


# --- models ----------------------------------------------------------------------------------------------------------


class MagicFormula(TireModel):
    """Use modes, run-time factors and combined slip of the Magic Formula tires.

    Each has the fields ``mode`` (0 to 4 or 11 to 14), ``lonslip`` (0 or 1) and ``softening``, and collects what
    depends on load and camber in a namespace that has the functions to go on with, ``f``.
    """

    modes: ClassVar[Sequence[int]] = MODES
    mode: int
    lonslip: int
    softening: bool

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise ParameterError(f"use mode {self.mode}: unknown; allowed: {', '.join(map(str, MODES))}")
        if self.lonslip not in (0, 1):
            raise ParameterError(f"LONSLIP_MODE = {self.lonslip}: allowed are 0 and 1")

    @property
    def sideways(self) -> bool:
        return self.slip in (2, 3, 4)

    @property
    def has_trail(self) -> bool:
        return self.sideways

    @property
    def transient(self) -> bool:
        return self.mode > 10

    @property
    def slip(self) -> int:
        """0 none, 1 longitudinal, 2 lateral, 3 both, 4 combined."""
        return self.mode % 10

    @property
    def softens(self) -> bool:
        return self.softening

    def scalable(self) -> Sequence[str]:
        return [c.name for c in self.coefficients if c.block == SCALING]

    def required(self) -> set[str]:
        """Names of the coefficients without which this mode means nothing."""
        names = {"UNLOADED_RADIUS", "VERTICAL_STIFFNESS", "FNOMIN"}
        if self.slip in (1, 3, 4):
            names |= {"PCX1", "PDX1", "PKX1"}
        if self.slip in (2, 3, 4):
            names |= {"PCY1", "PDY1", "PKY1", "PKY2"}
        return names

    def at_load(
        self,
        p: Numbers,
        load: Any,
        gamma: Any,
        friction: Any = 1.0,
        *,
        turn: Turn | None = None,
        curves: Any = None,
    ) -> AtLoad:
        return self._at_load(p, load, gamma, friction, turn, EXACT)

    def estimate(
        self, p: Numbers, load: Any, gamma: Any, friction: Any, turn: Turn | None, curves: Mapping[str, Curve] | None
    ) -> AtLoad:
        return self._at_load(p, load, gamma, friction, turn, ROUGH)

    def _at_load(self, p: Numbers, load: Any, gamma: Any, friction: Any, turn: Turn | None, f: Functions) -> AtLoad:
        raise NotImplementedError

    def parts(
        self, p: Numbers, at: AtLoad, kappa: Any, alpha: Any, vx: Any = None, spin: Any = None, belt: Any = 0.0
    ) -> dict[str, Any]:
        self.forces(p, at, kappa, alpha, vx, spin, belt)  # leaves them in the namespace
        a = at.own
        found = {"friction_x": fabs(a.Dx) / a.Fz, "friction_y": fabs(a.Dy) / a.Fz, "svx": a.scale * a.SVx}
        if self.has_trail:
            found |= {"svy": a.scale * a.SVy, "svy_kappa": a.scale * a.SVyk, "trail": a.trail, "arm_fx": a.arm}
            found |= {"residual_torque": a.scale * a.residual, "gyroscopic_moment": a.scale * a.gyroscopic}
        return found

    def _camber_stiffening(self, p: Numbers, a: Any, name: str) -> Any:
        return p[name] * a.gamma * a.gamma

    def _reduction_x(self, p: Numbers, a: Any, kappa: Any, alpha: Any) -> Any:
        """(2)"""
        b = (p["RBX1"] + self._camber_stiffening(p, a, "RBX3")) * cos_atan(p["RBX2"] * kappa) * p["LXAL"]
        return a.f.reduction(alpha, p["RHX1"], b, p["RCX1"], fmin(p["REX1"] + p["REX2"] * a.dfz, 1.0))

    def _reduction_y(self, p: Numbers, a: Any, kappa: Any, alpha: Any) -> Any:
        """(3)"""
        b = (p["RBY1"] + self._camber_stiffening(p, a, "RBY4")) * cos_atan(p["RBY2"] * (alpha - p["RBY3"])) * p["LYKA"]
        e = fmin(p["REY1"] + p["REY2"] * a.dfz, 1.0)
        return a.f.reduction(kappa, p["RHY1"] + p["RHY2"] * a.dfz, b, p["RCY1"], e)

    def _induced(self, p: Numbers, a: Any, kappa: Any, alpha: Any) -> Any:
        """(4)"""
        size = a.Dy * (p["RVY1"] + p["RVY2"] * a.dfz + p["RVY3"] * a.gamma) * cos_atan(p["RVY4"] * alpha)
        return size * a.f.sin(p["RVY5"] * a.f.atan(p["RVY6"] * kappa)) * p["LVYKA"]
