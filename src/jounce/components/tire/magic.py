"""What the Magic Formula tires share: the curve, its peak, weights of combined slip, guards.

    S(x; B, C, E) = sin(C atan(Bx - E (Bx - atan Bx))),     G = cos of the same angle,     E <= 1           (1)

``sin(2 atan x) = 2x/(1 + x²)`` and ``cos(atan x) = 1/sqrt(1 + x²)`` need no trigonometry.
"""

from __future__ import annotations

from typing import Any

from jounce.components.tire.base import Coefficient
from jounce.symbolic.ops import atan, clip, copysign, cos, fmax, fmin, pi, sqrt, tan

MODES = (0, 1, 2, 3, 4, 11, 12, 13, 14)

# Guards, each far below anything a real tire has.
LOAD_FLOOR = 1.0  # N: the smallest load at which a formula is evaluated, where a file says FZMIN = 0
FRICTION_FLOOR = 1e-3  # of scaling factors of friction: they are divided by
DIVISOR_FLOOR = 1e-30  # of divisors: without effect on any that is not zero
SLIP_FLOOR = 1e-14  # of a squared slip: keeps the root differentiable at zero
SIGMA_FLOOR = 0.01  # m, of relaxation lengths
SPEED_FLOOR = 0.05  # m/s, of VXLOW and of Vref


def table(block: str, text: str, default: float | None = 0.0) -> list[Coefficient]:
    """Lines ``NAME unit meaning`` as coefficients."""
    rows = [line.split(None, 2) for line in text.strip().splitlines()]
    return [Coefficient(name, unit, doc, default, block) for name, unit, doc in rows]


def angle(x: Any, b: Any, c: Any, e: Any) -> Any:
    """The angle of (1)."""
    bx = b * x
    return c * atan(bx - e * (bx - atan(bx)))


def reduction(x: Any, shift: Any, b: Any, c: Any, e: Any) -> Any:
    """Share of a force that slip in the other direction leaves; one at x = 0, never negative."""
    return fmax(cos(angle(x + shift, b, c, e)) / off_zero(cos(angle(shift, b, c, e))), 0.0)


def cos_atan(x: Any) -> Any:
    return 1 / sqrt(1 + x * x)


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
