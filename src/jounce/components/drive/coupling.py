"""A coupling that sticks and slips: spring and damper side by side, in series with a slider.

With the slip speed Δω between its ends and the most that the slider bears,

    T = clip(k θ + c Δω, ±limit),    θ̇ = (T − k θ)/c                                                           (1)

Below the limit θ̇ = Δω: it sticks, and θ winds up. At the limit the spring relaxes to it and the rest of Δω is slip: θ
never winds up beyond limit/k, and the power T Δω is that of the spring, k θ θ̇, and what is lost, c θ̇² + T (Δω − θ̇) ≥ 0.

A stiff coupling does not ask for a short step. T at the end of a step of length h, linear-implicitly,
k (θ + h Δω) + c Δω + h (k h + c) Δω̇, has an inertance more than (1): the kernel has inerters, hence its solve is the
implicit one. With a bound μ of the mobility of the slip (∂Δω̇/∂T) both additions are weighted:

    x = h (k h + c) μ,   w = 0.7 x²/(1 + x²)
    inertance  b = h (k h + c) w,   damping  c + k h w,   θ̇ = Δω + h w Δω̇                                        (2)

w is small where the step resolves the coupling (the additions vanish with h³ and faster), and goes to 0.7 where it does
not: then every evaluation is that of the linear-implicit Euler method. While it slides there is nothing stiff, and b
= 0. Which of both it does is said by the torque that the implicit step is about to find, with the acceleration a₀
that the slip would have without the coupling, as it was at the last evaluation:

    |k θ + c Δω + b a₀|/(1 + b μ) < limit,    a₀ = Δω̇ + μ T                                                      (3)

For a soft coupling this is (1). Without it a stiff one would miss the instant at which the slip passes zero between
two evaluations, and chatter.

The elasto-plastic law is that of [SimoHughes1998] section 1.4 with a viscous part; (2, 3) are ours, after the
linear-implicit Euler method of [Burgermeister2006].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jounce.symbolic.ops import clip, fabs, fmax, if_else

MOST = 0.7  # w of a stiff coupling: half is the least that is stable, 1 is the linear-implicit Euler method


@dataclass(frozen=True)
class Coupling:
    """What a coupling does."""

    torque: Any  # against the slip, the inertance left out
    carried: Any  # with the inertance: for channels
    windup: Any  # θ
    lost: Any  # power that becomes heat
    stored: Any  # energy in the spring
    sticks: Any  # 1 or 0


def coupling(
    scope: Any, name: str, slip: Any, limit: Any, stiffness: Any, damping: Any, mobility: Any, on: Any
) -> Coupling:
    """Declare a coupling; the caller applies ``torque`` against the slip by virtual power.

    Parameters
    ----------
    slip : Δω, linear in speeds of one unit
    limit : what the slider bears, N.m ≥ 0; None: everything
    stiffness, damping : k, N.m/rad, and c > 0, N.m.s/rad
    mobility : a bound of ∂Δω̇/∂T, 1/(kg.m²)
    on : a frame of the unit
    """
    system = scope.system
    theta = scope.state(f"{name}.windup", "rad", "of the spring of the coupling", role="balance")
    step = 2 * system.t_dt
    inertance = step * (stiffness * step + damping)
    x = inertance * mobility
    weight = MOST * x * x / (1 + x * x)  # (2)
    more = stiffness * step * weight
    size = inertance * weight
    elastic = stiffness * theta + (damping + more) * slip
    change = system.second_rate(slip)
    wound = slip + step * weight * change
    if limit is None:
        torque, sticks, rate = elastic, 1.0, wound
        carried = torque + size * change
        lost = (carried - stiffness * theta) * rate
    else:
        before = scope.memory(f"{name}.unheld", "rad/s2", "acceleration of the slip without the coupling", role="free")
        expected = (elastic + size * before) / (1 + size * mobility)  # (3)
        holds = fabs(expected) < limit
        sticks = if_else(holds, 1.0, 0.0)
        torque = if_else(holds, elastic, clip(expected, -limit, limit))  # (1)
        # a spring that relaxes faster than the step would overshoot
        relaxing = (torque - stiffness * theta) / fmax(damping + more, stiffness * step)
        rate = if_else(holds, wound, relaxing)
        size = sticks * size
        carried = torque + size * change
        lost = carried * if_else(holds, wound, slip) - stiffness * theta * rate
        scope.next_memory(before, change + mobility * carried)
    scope.derivative(theta, rate)
    scope.inerter(f"{name}.implicit", slip, size, on=on)
    return Coupling(torque, carried, theta, lost, stiffness * theta**2 / 2, sticks)
