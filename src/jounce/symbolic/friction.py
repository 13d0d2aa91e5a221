"""The Coulomb element: dry friction that sticks, with one bristle deflection as memory.

The bristle follows the relative motion and is cut off where its force reaches the limit (return mapping of
one-dimensional perfect plasticity, after [SimoHughes1998] section 1.4):

    z* = z + ½ (v + v_old) Δt                       trial deflection, Δt since the last evaluation     (1)
    F  = clip(k z* + c v, -F_max, F_max)                                                              (2)
    z⁺ = clip(z*, -F_max/k, F_max/k)                                                                  (3)

At rest k z carries the load and nothing creeps; in sliding F is exactly the limit.  The deflection is a memory, updated
at every forward evaluation (half steps too), so the element adds no stiff state; the explicit step must still resolve
the sticking oscillation, h < 2 sqrt(m/k).  The damper c acts within (2) and quiets the sticking oscillation.

A second element goes over from sticking to sliding gradually, after [Dahl1968]:

    dF/dx = k (1 - F/F_max sign ẋ)                                                                    (4)
    F⁺ = F + (s F_max - F) (1 - exp(-k |Δx|/F_max)),   s = sign Δx,   Δx = ½ (v + v_old) Δt            (5)

(5) is the exact solution of (4) over a piece of way without return, whatever its length: no step is too long for it.
The limit may differ with the direction: F_max for s = 1, another one for s = -1.

A Maxwell leg is a spring of that kind (k, limit L) in series with a linear damper c:

    dF/dt = k (1 - s F/L) (v - F/c),   s = sign(v - F/c)                                              (6)
    F⁺ = s L + y / (e^z - y a Δt (e^z - 1)/z),   y = F - s L,  a = k s/(L c),  z = (k s v/L - k/c) Δt   (7)

(7) is the exact solution of (6) for a constant v: s keeps its sign, F goes to c v, or to s L where that is nearer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from jounce.symbolic._casadi import SX
from jounce.symbolic.ops import clip, exp, fabs, fmin, if_else, sign

if TYPE_CHECKING:
    from jounce.symbolic.system import Scope

LARGEST = 300.0  # exponents beyond have reached their limit
SMALLEST = 1e-5  # exponents below: (e^z - 1)/z by its series, exact to rounding


class Bristle(NamedTuple):
    """What a bristle makes of a motion."""

    force: SX  # (2)
    deflection: SX  # (1), before it is cut off


def coulomb(
    scope: Scope,
    name: str,
    speed: Any,
    limit: Any,
    stiffness: Any,
    damping: Any = 0.0,
    unit: str = "m",
) -> SX:
    """Friction force opposing ``speed`` (same sign as the speed: apply it with a minus); arguments: ``bristle``."""
    return bristle(scope, name, speed, limit, stiffness, damping, unit).force


def bristle(
    scope: Scope,
    name: str,
    speed: Any,
    limit: Any,
    stiffness: Any,
    damping: Any = 0.0,
    unit: str = "m",
    backwards: Any = None,
) -> Bristle:
    """Friction force opposing ``speed`` (same sign as the speed: apply it with a minus), and the deflection it has.

    Parameters
    ----------
    speed : relative speed, m/s (or rad/s with ``unit="rad"``)
    limit : largest friction force F_max >= 0, N (N.m); may vary in time
    stiffness : bristle stiffness k > 0, N/m (N.m/rad)
    damping : bristle damping c >= 0, N.s/m (N.m.s/rad); about 2 sqrt(k m) damps sticking of a mass m critically
    backwards : the same as ``limit`` for what is pushed in negative direction, where that differs
    """
    z = scope.memory(f"{name}.deflection", unit, "bristle deflection", role="stick")
    v_old = scope.memory(f"{name}.speed", f"{unit}/s", "relative speed at the last evaluation", role="zero")
    back = limit if backwards is None else backwards
    scope.sticks(z, speed, limit if backwards is None else fmin(limit, backwards))
    trial = z + 0.5 * (speed + v_old) * scope.system.elapsed  # (1)
    # (2); without a limit exactly zero, in its slopes too: clipping to ±0 would leave some of them
    force = if_else(limit > 0, clip(stiffness * trial + damping * speed, -back, limit), 0.0)
    scope.next_memory(z, clip(trial, -back / stiffness, limit / stiffness))  # (3)
    scope.next_memory(v_old, speed)
    return Bristle(force, trial)


def rounded(
    scope: Scope, name: str, speed: Any, limit: Any, stiffness: Any, unit: str = "m", backwards: Any = None
) -> SX:
    """Friction force opposing ``speed`` by (4, 5), with its sign; at rest and in steady running it is sought as zero.

    Parameters
    ----------
    speed : relative speed, m/s (or rad/s with ``unit="rad"``)
    limit : largest friction force F_max > 0, N (N.m); may vary in time
    stiffness : k > 0 where the motion turns back, N/m (N.m/rad)
    backwards : the same as ``limit`` for motion in negative direction, where that differs
    """
    of_force = "N" if unit == "m" else "N.m"
    before = scope.memory(f"{name}.force", of_force, "friction force at the last evaluation", role="rub")
    v_old = scope.memory(f"{name}.speed", f"{unit}/s", "relative speed at the last evaluation", role="zero")
    way = 0.5 * (speed + v_old) * scope.system.elapsed
    here = limit if backwards is None else if_else(way < 0, backwards, limit)
    held = clip(before, -(limit if backwards is None else backwards), limit)  # the limit may have fallen
    force = held + (sign(way) * here - held) * (1 - exp(-stiffness * fabs(way) / here))  # (5)
    scope.next_memory(before, force)
    scope.next_memory(v_old, speed)
    return force


def maxwell(scope: Scope, name: str, speed: Any, limit: Any, stiffness: Any, damping: Any, unit: str = "m") -> SX:
    """Force of a Maxwell leg (6, 7) opposing ``speed``, with its sign; sought as zero where nothing moves.

    Parameters
    ----------
    speed : relative speed, m/s (or rad/s with ``unit="rad"``)
    limit : largest force of its spring > 0, N (N.m)
    stiffness : of its spring > 0, N/m (N.m/rad)
    damping : of the damper in series > 0, N.s/m (N.m.s/rad)
    """
    of_force = "N" if unit == "m" else "N.m"
    before = scope.memory(f"{name}.force", of_force, "force of the leg at the last evaluation", role="zero")
    v_old = scope.memory(f"{name}.speed", f"{unit}/s", "relative speed at the last evaluation", role="zero")
    v, time = 0.5 * (speed + v_old), scope.system.elapsed
    held = clip(before, -limit, limit)
    s = if_else(damping * v < held, -1.0, 1.0)
    y = held - s * limit
    z = clip((stiffness * s * v / limit - stiffness / damping) * time, -LARGEST, LARGEST)
    grown = exp(z)
    mean = if_else(fabs(z) < SMALLEST, 1 + 0.5 * z, (grown - 1) / if_else(fabs(z) < SMALLEST, 1.0, z))
    force = s * limit + y / (grown - y * stiffness * s / (limit * damping) * time * mean)  # (7)
    scope.next_memory(before, force)
    scope.next_memory(v_old, speed)
    return force
