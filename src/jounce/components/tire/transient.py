"""Relaxation and standstill: the contact patch hangs on the wheel by two springs, longitudinal and lateral.

Rolling, after [Pacejka2006] section 7.2 (linear relaxation), with deflections u (longitudinal) and v (lateral), both m:

    du/dt = -Vsx - |Vx| u/σκ,    κ' = u/σκ                                                               (1)
    dv/dt = +Vsy - |Vx| v/σα,    tan α' = v/σα                                                           (2)

κ' and α' enter the force formulas instead of κ and α. After a step of slip they reach 1 - 1/e of it within a travelled
distance σ. At rest nothing leaks: u and v are springs with the stiffness K/σ that carry the car on a slope without
creep. Three things are added so that this is right from standstill to top speed with an explicit method of fixed step.

Standing, below the speed VXLOW, weight w = 1 - 3s² + 2s³ with s = |Vx|/VXLOW, after [Besselink2000] for the damping:

    κ'     = u/σκ - w kV Vsx/Kx,     tan α' = v/σα + w kV Vsy/|Ky|                                       (3)

damps the oscillation on those springs, which (1) and (2) leave undamped at rest; kV = LOW_SPEED_DAMPING up to a load of
FZ = FNOMIN, in proportion below.

Sliding at low speed (ours). By (1) a locked wheel winds the spring up to u = -σκ, ten times what its force can hold,
and a car that stops would be thrown back by it. Below 3 VXLOW, with the weight w₃ (as w, over that range) and the slips
κs, αs of the largest forces, the contact is an elasto-plastic bristle, after [Dupont2002], in the plane:

    G  = 2 |(Vsx/(σκ κs), Vsy/(σα αs))|                      slip speed over the largest deflection          (4)
    r² = (2 u/(σκ κs))² + (2 v/(σα αs))²                     share of that deflection in use                 (5)
    s  = 1 + w₃ min(r², 1)                                   a spring of nearly K/σ up to the largest force  (6)
    leak of u = max(|Vx| s/σκ, L),  of v likewise;   L = w₃ G (min(r², 1) - r₀²)/(1 - r₀²), not below zero    (7)

and κ' = u · leak/|Vx|, |Vx| not below 0.1 m/s: whatever the leak, steady slips are those of the motion, so that a wheel
that locks keeps the force of full sliding down to that speed, and sticks through the largest force below it. Nothing
leaks while r < r₀. Where the wheel moves back, L is ``UNLOADING`` times as large and does not stretch the slip: what
slid gives a small part of the work of its spring back, and a car that stops by locked wheels is not thrown back.

Speed. An explicit method is stable when leak · Δt stays well below one. Where it would not,

    c = max(1, 2 T_DT max(|Vx|/σ, w₃ G)):   σ becomes c σ, the leak becomes leak/c                           (8)

that is, relaxation lengths are at least 2 |Vx| T_DT (T_DT = interval between evaluations), and at the same time
nothing else changes: steady slips are exact. At 1 ms and 250 km/h the limit is 0.14 m.

Large slip. With (1) and (2) a tire answers as slowly near its peak as at small slip. With ``nonlinear`` the deflection
is that of a carcass of constant stiffness: the force, not the slip, lags, and the relaxation length falls with the
slip, after [Pacejka2012] section 7.2:

    σ(κ') = σκ q,   q = |Fx|/(Kx |κ'|) in [0.1, 1];     rates of u become rates/q, likewise v                    (9)

Below 3 VXLOW this fades out, so that the sliding at low speed stays as it is, and q is kept where leak · Δt is at most
one half.

Exact update. With ``exponential`` u and v are memories, not states, and follow in closed form from one evaluation to
the next, Δt later, for a leak a = max(...) of (7) that is held and a slip speed n (-Vsx or Vsy) that changes linearly:

    u⁺ = u e^-λ + Δt ((φ - φ₂) n_old + φ₂ n),   λ = a Δt,   φ = (1 - e^-λ)/λ,   φ₂ = (1 - φ)/λ                      (10)

This is stable for every Δt and every speed, so that (8) is not needed: σ is that of the tire. There is nothing of it in
the states of a linearised model; statics and eigenvalues are those of the states (1, 2).

Starting values: u = v = 0 is a tire without force. ``standing`` gives the deflections that carry given forces at rest.

A carrier that gives way (``suspension/compliance``) asks a ``yielding`` leaf how stiff its contact is:

    k = K/(c σ),   d = w kV (3),  without relaxation k = 0, d = K/|Vx|,   |Ky|,   1/q of (9)                       (11)

k and d: force per deflection and per slip speed, longitudinal and lateral, both at no slip, where they are largest.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from jounce.components.tire.base import Turn, direction
from jounce.components.tire.magic import ROUGH
from jounce.components.tire.resting import largest, rolled, twisted
from jounce.components.tire.vertical import softening
from jounce.core.errors import ModelError, ParameterError, did_you_mean
from jounce.symbolic._casadi import ca
from jounce.symbolic.leaf import Leaf
from jounce.symbolic.ops import atan, fabs, fmax, fmin, if_else, sin, sqrt, tanh

if TYPE_CHECKING:
    from jounce.components.tire.base import AtLoad, Curve, Forces, Numbers, Tire, TireModel

SLIDE_RANGE = 3.0  # times VXLOW: below this speed a sliding contact unwinds its springs
STUCK = 0.09  # r₀² of (7): below this the contact is elastic, nothing leaks at rest
UNLOADING = 50.0  # times the leak where the contact moves back: what slid gives little of its work back
SHORTEST = 1e-9  # s, of the interval between evaluations
SLIP_SPEED_FLOOR = 0.1  # m/s, of the speed that slips are related to
REST = 1e-8  # 1/s², under the root of (4): below a ten-thousandth per second nothing slides, and it is differentiable

SMALLEST_SHARE = 0.1  # of q in (9)
FORCE_FLOOR = 1e-3  # N, in (9): at zero slip q is one

# Arguments and results of the leaf function, in this order.
INPUTS = ("rho", "rho_rate", "gamma", "vx", "vy", "spin", "friction", "side")
REST_INPUTS = ("yaw_rate", "rolled", "twist")
STATE_INPUTS = ("u", "v", "t_dt")
OUTPUTS = ("fx", "fy", "fz", "mx", "my", "mz", "kappa", "alpha", "radius")
REST_OUTPUTS = ("rolled_rate", "twist_rate")
STATE_OUTPUTS = ("u_rate", "v_rate")
MEMORY_INPUTS = ("u", "v", "vsx_old", "vsy_old", "elapsed")
MEMORY_OUTPUTS = ("u_next", "v_next", "vsx", "vsy")
YIELDING_OUTPUTS = ("stiffness_x", "stiffness_y", "damping_x", "damping_y", "cornering", "haste_x", "haste_y")  # (11)


class Lagged(NamedTuple):
    """Slips that make forces, and rates of the contact deflections."""

    kappa: Any
    alpha: Any
    u_rate: Any
    v_rate: Any
    slowest: tuple[Any, Any]  # smallest q of (9), longitudinal and lateral
    stiffness: tuple[Any, Any]  # k and d of (11)
    damping: Any
    haste: tuple[Any, Any] = (1.0, 1.0)


class Updated(NamedTuple):
    """Slips that make forces, and the deflections of the contact after (10)."""

    kappa: Any
    alpha: Any
    u: Any
    v: Any
    v_rate: Any
    stiffness: tuple[Any, Any]  # k and d of (11)
    damping: Any


def inputs(model: TireModel, exponential: bool = False) -> tuple[str, ...]:
    further = ("drop",) if model.profile else ()
    if not model.transient:
        return INPUTS + further + (("yaw_rate",) if model.turn_slip else ())
    return INPUTS + further + REST_INPUTS + (MEMORY_INPUTS if exponential else STATE_INPUTS)


def outputs(model: TireModel, exponential: bool = False, yielding: bool = False) -> tuple[str, ...]:
    more = YIELDING_OUTPUTS if yielding else ()
    if not model.transient:
        return OUTPUTS + more
    return OUTPUTS + REST_OUTPUTS + (MEMORY_OUTPUTS if exponential else STATE_OUTPUTS) + more


def slips(vx: Any, vsx: Any, vsy: Any, rolling: Any = None) -> tuple[Any, Any]:
    """Slip and slip angle without lag: related to the travelling speed or, if larger, to ``rolling`` ≥ 0."""
    speed = fmax(fabs(vx), SLIP_SPEED_FLOOR)
    return -vsx / (speed if rolling is None else fmax(speed, rolling)), atan(vsy / speed)


class Slow(NamedTuple):
    """How slow a contact moves along the wheel."""

    speed: Any  # |Vx|, m/s
    relative: Any  # over VXLOW, not above one
    stands: Any  # w of (3)
    slides: Any  # w₃ of (4)


def slowness(p: Numbers, vx: Any) -> Slow:
    speed = fabs(vx)
    relative = speed * p["PER_VXLOW"]
    slow = fmin(relative, 1.0)
    return Slow(speed, slow, _faded(slow), _faded(fmin(relative * (1 / SLIDE_RANGE), 1.0)))


class Grip(NamedTuple):
    """How a contact holds."""

    stretch: Any  # s of (6)
    sliding: Any  # leak by sliding, L of (7), 1/s
    pulling: Any  # the same where it stretches the slip: not while the contact moves back


class _Rolling:
    """What (1) to (7) and (10) share."""

    def __init__(self, p: Numbers, at: AtLoad, load: Any, slow: Slow, vsx: Any, vsy: Any, rolling: Any) -> None:
        speed = slow.speed
        self.per_x, self.per_y = 1 / at.sigma_kappa, 1 / at.sigma_alpha
        self.over_x, self.over_y = 2 * at.per_kappa_slide, 2 * at.per_alpha_slide
        self.speed_x, self.speed_y = speed if rolling is None else fmax(speed, rolling), speed
        self.w_slide = slow.slides
        self.gx, self.gy = -vsx * self.per_x * self.over_x, vsy * self.per_y * self.over_y
        squared = self.gx * self.gx + self.gy * self.gy
        self.slide = self.w_slide * (sqrt(squared + REST) - REST**0.5)  # (4), zero and flat at rest
        damping = slow.stands * p["LOW_SPEED_DAMPING"] * fmin(load * p["PER_FNOMIN"], 1.0)
        self.damped_x, self.damped_y = damping * vsx / at.slope_x, damping * vsy / fabs(at.slope_y)
        self.damping = damping
        self.stiffness = at.slope_x * self.per_x, fabs(at.slope_y) * self.per_y

    @property
    def along(self) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
        """Speed that slip is related to and one over the relaxation length, longitudinal and lateral."""
        return (self.speed_x, self.per_x), (self.speed_y, self.per_y)

    def gone(self, u: Any, v: Any, grip: Grip) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
        """Leaks, and slips of deflections: leak times deflection over speed, so that steady slips are exact (7)."""
        shares = [grip.pulling / fmax(self.speed_y, SLIP_SPEED_FLOOR)]
        shares.append(shares[0])
        if self.speed_x is not self.speed_y:
            shares[0] = grip.pulling / fmax(self.speed_x, SLIP_SPEED_FLOOR)
        leaks, slips = [], []
        for deflection, (speed, per), share in zip((u, v), self.along, shares, strict=True):
            shortest = per * grip.stretch
            leaks.append(fmax(speed * shortest, grip.sliding))
            slips.append(deflection * fmax(shortest, share))
        return (leaks[0], leaks[1]), (slips[0], slips[1])

    def grip(self, kappa: Any, tan_alpha: Any, most: Any = None) -> Grip:
        """For deflections over relaxation lengths; ``most``: largest leak of a contact that moves back."""
        rx, ry = kappa * self.over_x, tan_alpha * self.over_y
        squared = fmin(rx * rx + ry * ry, 1.0)  # (5)
        stretch = 1 + self.w_slide * squared  # (6)
        share = fmax(squared - STUCK, 0.0) * (1 / (1 - STUCK))
        back = self.gx * rx + self.gy * ry < 0
        leak = self.slide * share
        released = UNLOADING * leak if most is None else fmax(fmin(UNLOADING * leak, most), leak)
        return Grip(stretch, if_else(back, released, leak), if_else(back, 0.0, leak))


def lag(
    p: Numbers,
    at: AtLoad,
    load: Any,
    u: Any,
    v: Any,
    vx: Any,
    vsx: Any,
    vsy: Any,
    t_dt: Any,
    rolling: Any = None,
    arctan: Callable[[Any], Any] = atan,
    slow: Slow | None = None,
) -> Lagged:
    """Lagged slips (3, 7) and rates of the deflections (1, 2, 7, 8)."""
    r = _Rolling(p, at, load, slow or slowness(p, vx), vsx, vsy, rolling)
    fastest = [2 * t_dt * fmax(speed * per, r.slide) for speed, per in r.along]
    per_cx, per_cy = (1 / fmax(x, 1.0) for x in fastest)  # (8)
    u_over, v_over = u * per_cx, v * per_cy
    grip = r.grip(u_over * r.per_x, v_over * r.per_y, 0.5 / fmax(t_dt, SHORTEST))
    (leak_x, leak_y), (kappa, tan_alpha) = r.gone(u_over, v_over, grip)
    slowest = tuple(fmin(fmax(fmax(x, SMALLEST_SHARE), r.w_slide), 1.0) for x in fastest)
    # (3)
    return Lagged(
        kappa - r.damped_x,
        arctan(tan_alpha + r.damped_y),
        -vsx - leak_x * u_over,  # (1, 7)
        vsy - leak_y * v_over,  # (2, 7)
        (slowest[0], slowest[1]),
        (r.stiffness[0] * per_cx, r.stiffness[1] * per_cy),
        r.damping,
    )


def update(
    p: Numbers,
    at: AtLoad,
    load: Any,
    before: tuple[Any, Any, Any, Any],
    vx: Any,
    vsx: Any,
    vsy: Any,
    elapsed: Any,
    rolling: Any = None,
    slow: Slow | None = None,
) -> Updated:
    """Deflections by (10), and slips (3, 7); ``before``: u, v, Vsx, Vsy at the last evaluation."""
    u, v, vsx_old, vsy_old = before
    r = _Rolling(p, at, load, slow or slowness(p, vx), vsx, vsy, rolling)
    grip = r.grip(u * r.per_x, v * r.per_y)
    (leak_x, leak_y), _ = r.gone(u, v, grip)
    u = _followed(u, leak_x, -vsx_old, -vsx, elapsed)
    v = _followed(v, leak_y, vsy_old, vsy, elapsed)
    _, (kappa, tan_alpha) = r.gone(u, v, grip)
    slips = (kappa - r.damped_x, atan(tan_alpha + r.damped_y))
    return Updated(*slips, u, v, vsy - leak_y * v, r.stiffness, r.damping)


def _followed(value: Any, leak: Any, n_old: Any, n: Any, elapsed: Any) -> Any:
    """(10), by t = tanh(λ/2): e^-λ = (1 - t)/(1 + t), without cancellation at small λ."""
    rate = fmax(leak * elapsed, 1e-30)
    t = tanh(0.5 * rate)
    phi = 2 * t / (rate * (1 + t))
    phi_2 = if_else(rate < 1e-4, 0.5 - rate / 6, (1 - phi) / rate)
    return value * (1 - t) / (1 + t) + elapsed * (phi * n_old + phi_2 * (n - n_old))


def hastened(at: AtLoad, lagged: Lagged, fx: Any, fy: Any) -> Lagged:
    """Rates of the deflections with relaxation lengths that fall with slip (9)."""
    shares = []
    for force, slope, slip, least in (
        (fx, at.slope_x, lagged.kappa, lagged.slowest[0]),
        (fy, at.slope_y, lagged.alpha, lagged.slowest[1]),
    ):
        share = (fabs(force) + FORCE_FLOOR) / (fabs(slope * slip) + FORCE_FLOOR)
        shares.append(fmin(fmax(share, least), 1.0))
    return lagged._replace(
        u_rate=lagged.u_rate / shares[0], v_rate=lagged.v_rate / shares[1], haste=(1 / shares[0], 1 / shares[1])
    )


def _faded(x: Any) -> Any:
    """1 at zero, 0 at one, C1."""
    return 1 - x * x * (3 - 2 * x)


def evaluate(
    model: TireModel,
    p: Numbers,
    x: Mapping[str, Any],
    curves: Mapping[str, Curve] | None = None,
    exponential: bool = False,
    yielding: bool = False,
) -> list[Any]:
    """The whole tire: from ``inputs(model)`` to ``outputs(model)``, with numbers or symbols."""
    side, spin, vx = x["side"], x["spin"], x["vx"]
    gamma = side * x["gamma"]
    load = model.vertical(p, x["rho"], x["rho_rate"], curves, gamma=gamma, spin=spin, vx=vx)
    radius = model.effective_radius(p, x["rho"], spin)
    if model.profile:
        radius = radius - x["drop"]
    roll = spin * radius
    vsx, vsy = vx - roll, x["vy"]
    rolling = fabs(roll) if model.lonslip else None
    slow = slowness(p, vx)
    rolls = rolled(roll, x["rolled"]) if model.transient else None
    turn = turn_of(p, x, 1 - slow.stands if model.transient else 1.0) if model.turn_slip else None

    gives: list[Any] = []  # (11)

    def at_contact(load: Any, estimate: bool = False) -> tuple[Forces, Any, Any, list[Any], Any]:
        arctan = ROUGH.atan if estimate else atan
        if estimate:
            at = model.estimate(p, load, gamma, x["friction"], turn, curves)
        else:
            at = model.at_load(p, load, gamma, x["friction"], turn=turn, curves=curves)
        if rolls is None:
            kappa, alpha = slips(vx, vsx, vsy, rolling)
            if yielding:
                speed = fmax(fabs(vx), SLIP_SPEED_FLOOR)
                gives[:] = [0.0, 0.0, at.slope_x / speed, fabs(at.slope_y) / speed, fabs(at.slope_y), 1.0, 1.0]
            return model.forces(p, at, kappa, side * alpha, vx, spin), kappa, alpha, [], at.grip
        if exponential:
            before = (x["u"], x["v"], x["vsx_old"], x["vsy_old"])
            new = update(p, at, load, before, vx, vsx, vsy, x["elapsed"], rolling, slow)
            f = model.forces(p, at, new.kappa, side * new.alpha, vx, spin, side * roll * new.v_rate, rolls.share)
            gives[:] = [*new.stiffness, new.damping, new.damping, fabs(at.slope_y), 1.0, 1.0]
            return f, new.kappa, new.alpha, [new.u, new.v, vsx, vsy], at.grip
        lagged = lag(p, at, load, x["u"], x["v"], vx, vsx, vsy, x["t_dt"], rolling, arctan, slow)
        belt = side * roll * lagged.v_rate
        f = model.forces(p, at, lagged.kappa, side * lagged.alpha, vx, spin, belt, rolls.share)
        if model.nonlinear:
            lagged = hastened(at, lagged, f.fx, f.fy)
        gives[:] = [*lagged.stiffness, lagged.damping, lagged.damping, fabs(at.slope_y), *lagged.haste]
        return f, lagged.kappa, lagged.alpha, [lagged.u_rate, lagged.v_rate], at.grip

    free, first = load, None
    if model.softens:  # (2, 3) of ``vertical``
        first = at_contact(free, estimate=True)[0]
        load = free * softening(model.force_share(p, x["rho"], gamma, spin, first.fx, first.fy))
    f, kappa, alpha, rates, grip = at_contact(load)
    if model.softens:
        load = free * fmax(1 - model.force_share(p, x["rho"], gamma, spin, f.fx, f.fy), 0.0)
    mz = side * f.mz
    if rolls is not None:
        twist = twisted(slow.relative, x["yaw_rate"], x["twist"])
        if model.sideways:
            mz = mz - largest(p["TWIST_ARM"], grip, load * p["PER_FNOMIN"]) * slow.stands * twist.share
        rates = [rolls.rate, twist.rate, *rates]
    more = gives if yielding else ()
    return [f.fx, side * f.fy, load, side * f.mx, f.my, mz, kappa, alpha, radius, *rates, *more]


def turn_of(p: Numbers, x: Mapping[str, Any], moves: Any) -> Turn:
    """``moves``: how far turning is that of a rolling wheel, 0 standing (``resting``), 1 from VXLOW on."""
    speed = fmax(sqrt(x["vx"] * x["vx"] + x["vy"] * x["vy"] + REST), p["VXLOW"])
    way = direction(x["vx"] * p["PER_VXLOW"])
    path = moves * x["side"] * x["yaw_rate"] / speed
    return Turn(path, x["side"] * x["spin"] * sin(x["gamma"]) / speed, way)


@cache
def leaf_of(model: TireModel, factors: tuple[str, ...] = (), exponential: bool = False, yielding: bool = False) -> Leaf:
    """The leaf function of a structure, made once and shared by all wheels and systems."""
    if not is_dataclass(model):
        raise ModelError(f"tire model {type(model).__name__}: must be a frozen dataclass")
    if exponential and (model.nonlinear or not model.transient):
        why = "relaxation lengths that fall with slip" if model.nonlinear else "a use mode without relaxation"
        raise ModelError(f"tire {model.kind}: the exponential update does not go with {why}")
    words = [*(["exponential"] if exponential else []), *(["yielding"] if yielding else [])]
    return make_leaf(model, leaf_name(model, words, factors), factors, exponential, yielding)


def leaf_name(model: TireModel, words: Sequence[str] = (), factors: Sequence[str] = ()) -> str:
    """A name that tells the structure: what is not as usual."""
    parts = [f"tire_{model.kind}", *words]
    for field in fields(model):  # type: ignore[arg-type]
        value = getattr(model, field.name)
        if value != field.default:
            parts.append(field.name if value is True else f"{field.name}_{value}")
    return re.sub(r"\W", "_", "_".join([*parts, *(["by", *factors] if factors else [])]))


def make_leaf(
    model: TireModel, name: str, factors: Sequence[str] = (), exponential: bool = False, yielding: bool = False
) -> Leaf:
    """The leaf function of a model, from ``inputs`` to ``outputs``."""

    def body(p: Numbers, x: Mapping[str, Any], curves: Mapping[str, Curve]) -> list[Any]:
        return evaluate(model, p, x, curves, exponential, yielding)

    return leaf_with(model, name, inputs(model, exponential), body, factors)


def leaf_with(
    model: TireModel,
    name: str,
    wanted: Sequence[str],
    evaluated: Callable[[Numbers, Mapping[str, Any], Mapping[str, Curve]], list[Any]],
    factors: Sequence[str] = (),
) -> Leaf:
    """A leaf function with the numbers of a model: groups ``x`` (``wanted``), ``p`` (its numbers but for the scaling
    factors), ``l`` (these, ``model.scalable()``), ``d`` (its derived numbers), ``s`` (further factors on ``l``)."""
    scaling = list(model.scalable())
    names = [c.name for c in model.coefficients if c.name not in scaling]
    derived = list(model.derived(dict.fromkeys((*names, *scaling), 1.0)))
    for factor in factors:
        if factor not in scaling:
            raise ModelError(f"tire {model.kind}: no run-time factor on {factor!r}{did_you_mean(factor, scaling)}")

    def body(groups: Any, tables: Any = ()) -> list[Any]:
        given = (*groups["p"], *groups.get("l", ()), *groups.get("d", ()))
        p = dict(zip((*names, *scaling, *derived), given, strict=True))
        for factor, value in zip(factors, groups.get("s", ()), strict=True):
            p[factor] = p[factor] * value
        if factors:  # what was derived from these numbers before the run
            moving = ca.vertcat(*groups["s"])
            p |= {key: v for key, v in model.derived(p).items() if ca.depends_on(ca.SX(v), moving)}
        look_up = {
            c: table if model.curve_shape(c)[1] > 1 else _first(table)
            for c, table in zip(model.curves, tables, strict=True)
        }
        return evaluated(p, dict(zip(wanted, groups["x"], strict=True)), look_up)

    sizes = {"x": len(wanted), "p": len(names)}
    sizes |= {group: n for group, n in (("l", len(scaling)), ("d", len(derived)), ("s", len(factors))) if n}
    return Leaf(name, sizes, body, tables=[model.curve_shape(c) for c in model.curves])


def _first(table: Any) -> Any:
    return lambda *x: table(*x)[0]


def standing(
    tire: Tire, load: float, fx: float, fy: float, gamma: float = 0.0, friction: float = 1.0, side: float = 1.0
) -> tuple[float, float]:
    """Contact deflections u, v (m) with which a standing wheel carries the given forces: the start for statics.

    Newton's method on the steady forces at zero speed; raises when the tire cannot carry them.
    """
    model, p = tire.model, tire.values
    if not model.transient:
        raise ParameterError(f"tire {tire.name!r}: a steady use mode has no contact deflections")
    at = model.at_load(p, load, side * gamma, friction, curves=dict(tire.curves))

    def forces(kappa: float, tangent: float) -> tuple[float, float]:
        f = model.forces(p, at, kappa, side * atan(tangent), 0.0, 0.0)
        return float(f.fx), float(side * f.fy)

    kappa = tangent = 0.0
    h = 1e-6
    for _ in range(50):
        found_x, found_y = forces(kappa, tangent)
        rx, ry = fx - found_x, fy - found_y
        if max(abs(rx), abs(ry)) <= 1e-9 * max(load, 1.0):
            return _deflections(at, kappa, tangent)
        ax, ay = forces(kappa + h, tangent)
        bx, by = forces(kappa, tangent + h)
        a, b, c, d = (ax - found_x) / h, (bx - found_x) / h, (ay - found_y) / h, (by - found_y) / h
        determinant = a * d - b * c
        if determinant == 0.0:
            break
        kappa += (d * rx - b * ry) / determinant
        tangent += (a * ry - c * rx) / determinant
        limit = 2 * float(at.kappa_slide), 2 * float(at.alpha_slide)
        kappa, tangent = min(max(kappa, -limit[0]), limit[0]), min(max(tangent, -limit[1]), limit[1])
    raise ParameterError(
        f"tire {tire.name!r}: standing with {load:.0f} N, the wheel cannot carry Fx = {fx:.0f} N, Fy = {fy:.0f} N"
    )


def _deflections(at: AtLoad, kappa: float, tangent: float) -> tuple[float, float]:
    """Deflections at rest of given slips: the inverse of (6), r (1 + r²) = m up to r = 1."""
    m = math.hypot(2 * kappa / float(at.kappa_slide), 2 * tangent / float(at.alpha_slide))
    r = min(m, 1.0)
    for _ in range(60):
        r -= (r * (1 + r * r) - m) / (1 + 3 * r * r)
    share = 1 / (1 + min(r * r, 1.0))
    return float(kappa * share * at.sigma_kappa), float(tangent * share * at.sigma_alpha)
