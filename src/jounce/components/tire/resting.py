"""A wheel that stands: rolling resistance that holds it, and the moment that a wheel turned on the spot meets.

Rolling resistance. Its size is that of the tire model; the way it acts, o in -1 … 1, is that of a bristle after
[Dahl1968]. n is how far the contact is rolled against the road, over the way ℓ that it can be:

    dn/dt = V - |V| n,    o = n + τ dn/dt, not beyond ±1;    V = ω Re/ℓ, not beyond ±V₀/ℓ                          (1)

Rolling, o = n = ±1 exactly. Standing, o is a spring: a wheel on a slope rolls some millimetres and stays, as long as
the slope is below the rolling resistance. τ damps that spring; it does nothing when rolling. V₀ bounds the rate at
which n follows, so that every step of a vehicle is stable.

Turning on the spot. r is how far the contact is twisted against the wheel, over the angle T that it can be:

    dr/dt = Ψ - (s/τₛ + |Ψ| r²) r,    Ψ = ψ̇/T,    s = min(|Vx|/VXLOW, 1)                                          (2)
    Mz = -M∞ (1 - 3s² + 2s³) (r + τᵣ dr/dt),    M∞ = q R0 µy Fz sqrt(Fz/FNOMIN)                                   (3)

with the yaw rate ψ̇ of the carrier about the normal of the road. At rest the moment grows with the angle to M∞ and
stays when the wheel is turned no further. From VXLOW on the moment is that of the tire model alone. The form of M∞ is
that of the turn slip of [Pacejka2012] section 4.3.3, with q = QCRP1 where a tire has it; else q gives nine tenths of
what a round contact under an even pressure of 0.23 MPa has for a car's tire, (2/3) µ Fz sqrt(Fz/(π p)) [Sharp2003].

Both give no work: with the energies ½ M n² ℓ/Re and ½ M∞ r² T, what is taken up is what is stored and what leaks.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from jounce.symbolic.ops import clip, fabs, sqrt

ROLL_LENGTH = 0.01  # m, ℓ of (1)
ROLL_SPEED = 0.5  # m/s, V₀ of (1)
ROLL_DAMPING = 0.06  # s, τ of (1): a tenth of critical for a car; more is stiff for a wheel by itself, (τ/ℓ) M Re/I

TWIST = 0.06  # rad, T of (2)
TWIST_DAMPING = 0.02  # s, τr of (3)
UNTWIST = 0.16  # s, τs of (2): at VXLOW = 1 m/s over the length of a contact
ARM = 0.14  # q of (3)
LOAD_FLOOR = 1e-6  # under the root: differentiable when a wheel lifts


class Rested(NamedTuple):
    """A deflection at rest: what it gives, and its rate."""

    share: Any  # of the largest moment
    rate: Any


def rolled(roll: Any, n: Any) -> Rested:
    """(1), for the rolling speed ω Re."""
    speed = clip(roll * (1 / ROLL_LENGTH), -ROLL_SPEED / ROLL_LENGTH, ROLL_SPEED / ROLL_LENGTH)
    rate = speed - fabs(speed) * n
    return Rested(clip(n + ROLL_DAMPING * rate, -1.0, 1.0), rate)


def twisted(relative: Any, yaw_rate: Any, r: Any) -> Rested:
    """(2), and r + τr dr/dt of (3); ``relative``: s."""
    turn = yaw_rate * (1 / TWIST)
    rate = turn - (relative * (1 / UNTWIST) + fabs(turn) * (r * r)) * r
    return Rested(r + TWIST_DAMPING * rate, rate)


def largest(arm: Any, grip: Any, load: Any) -> Any:
    """M∞ of (3); ``arm`` = q R0, m; ``grip`` = µy Fz, N; ``load`` over FNOMIN."""
    return arm * grip * sqrt(load + LOAD_FLOOR)
