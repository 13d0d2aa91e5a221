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
and a car that stops would be thrown back by it. With κs, αs the slips at which the whole contact slides,

    G  = |(Vsx/(σκ κs), Vsy/(σα αs))|                        slip speed over the deflection that slides    (4)
    r² = (u/(σκ κs))² + (v/(σα αs))²                         share of that deflection in use               (5)
    leak of u = max(|Vx|/σκ, w₃ G min(r², 1)),  of v likewise                                              (6)

with w₃ as w, but up to 3 VXLOW: enough way for a locked wheel to unwind before it stands. At rest this is an
elasto-plastic bristle in the plane: elastic for small r, it slides at r = 1 with the peak force, in any direction.
The price: below 3 VXLOW a wheel that locks or spins has about the peak force instead of the smaller one of full
sliding.

Speed. An explicit method is stable when leak · Δt stays well below one. Where it would not,

    c = max(1, 2 T_DT max(|Vx|/σ, w₃ G)):   σ becomes c σ, the leak becomes leak/c                           (7)

that is, relaxation lengths are at least 2 |Vx| T_DT (T_DT = interval between evaluations), and at the same time
nothing else changes: steady slips are exact. At 1 ms and 250 km/h the limit is 0.14 m.

Starting values: u = v = 0 is a tire without force. ``standing`` gives the deflections that carry given forces at rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from jounce.core.errors import ParameterError
from jounce.symbolic.leaf import Leaf
from jounce.symbolic.ops import atan, fabs, fmax, fmin, sqrt

if TYPE_CHECKING:
    from jounce.components.tire.base import AtLoad, Curve, Numbers, Tire, TireModel

SLIDE_RANGE = 3.0  # times VXLOW: below this speed a sliding contact unwinds its springs
SLIP_SPEED_FLOOR = 0.1  # m/s, of the speed that slips are related to
REST = 1e-6  # 1/s², under the root of (4): below a thousandth per second nothing slides, and it is differentiable

# Arguments and results of the leaf function, in this order.
INPUTS = ("rho", "rho_rate", "gamma", "vx", "vy", "spin", "friction", "side")
STATE_INPUTS = ("u", "v", "t_dt")
OUTPUTS = ("fx", "fy", "fz", "mx", "my", "mz", "kappa", "alpha", "radius")
STATE_OUTPUTS = ("u_rate", "v_rate")


class Lagged(NamedTuple):
    """Slips that make forces, and rates of the contact deflections."""

    kappa: Any
    alpha: Any
    u_rate: Any
    v_rate: Any


def inputs(model: TireModel) -> tuple[str, ...]:
    return INPUTS + (STATE_INPUTS if model.transient else ())


def outputs(model: TireModel) -> tuple[str, ...]:
    return OUTPUTS + (STATE_OUTPUTS if model.transient else ())


def slips(vx: Any, vsx: Any, vsy: Any, rolling: Any = 0.0) -> tuple[Any, Any]:
    """Slip and slip angle without lag: related to the travelling speed or, if larger, to ``rolling`` ≥ 0."""
    speed = fmax(fabs(vx), SLIP_SPEED_FLOOR)
    return -vsx / fmax(speed, rolling), atan(vsy / speed)


def lag(
    p: Numbers, at: AtLoad, load: Any, u: Any, v: Any, vx: Any, vsx: Any, vsy: Any, t_dt: Any, rolling: Any = 0.0
) -> Lagged:
    """Lagged slips (3) and rates of the deflections (1, 2, 6, 7)."""
    speed = fabs(vx)
    roll_x, roll_y = fmax(speed, rolling) / at.sigma_kappa, speed / at.sigma_alpha
    relative = speed * p["PER_VXLOW"]
    w, w_slide = _fading(relative), _fading(relative / SLIDE_RANGE)
    u_slide, v_slide = at.sigma_kappa * at.kappa_slide, at.sigma_alpha * at.alpha_slide
    gx, gy = vsx / u_slide, vsy / v_slide
    squared = gx * gx + gy * gy
    slide = w_slide * squared / sqrt(squared + REST)  # (4), zero and flat at rest
    cx, cy = (fmax(2 * t_dt * fmax(roll, slide), 1.0) for roll in (roll_x, roll_y))  # (7)
    kappa, tan_alpha = u / (cx * at.sigma_kappa), v / (cy * at.sigma_alpha)
    rx, ry = kappa / at.kappa_slide, tan_alpha / at.alpha_slide
    sliding = slide * fmin(rx * rx + ry * ry, 1.0)  # (5)
    u_rate = -vsx - fmax(roll_x, sliding) / cx * u  # (1, 6)
    v_rate = vsy - fmax(roll_y, sliding) / cy * v  # (2, 6)
    damping = w * p["LOW_SPEED_DAMPING"] * fmin(load * p["PER_FNOMIN"], 1.0)
    kappa = kappa - damping * vsx / at.slope_x  # (3)
    tan_alpha = tan_alpha + damping * vsy / fabs(at.slope_y)
    return Lagged(kappa, atan(tan_alpha), u_rate, v_rate)


def _fading(x: Any) -> Any:
    """1 at zero, 0 from one on, C1."""
    x = fmin(x, 1.0)
    return 1 - x * x * (3 - 2 * x)


def evaluate(
    model: TireModel, p: Numbers, x: Mapping[str, Any], curves: Mapping[str, Curve] | None = None
) -> list[Any]:
    """The whole tire: from ``inputs(model)`` to ``outputs(model)``, with numbers or symbols."""
    load = model.vertical(p, x["rho"], x["rho_rate"], curves)
    radius = model.effective_radius(p, x["rho"])
    side = x["side"]
    at = model.at_load(p, load, side * x["gamma"], x["friction"])
    roll = x["spin"] * radius
    vsx, vsy = x["vx"] - roll, x["vy"]
    rolling = fabs(roll) if getattr(model, "lonslip", 0) else 0.0
    rates: list[Any] = []
    belt: Any = 0.0
    if model.transient:
        lagged = lag(p, at, load, x["u"], x["v"], x["vx"], vsx, vsy, x["t_dt"], rolling)
        kappa, alpha = lagged.kappa, lagged.alpha
        rates = [lagged.u_rate, lagged.v_rate]
        belt = side * roll * lagged.v_rate
    else:
        kappa, alpha = slips(x["vx"], vsx, vsy, rolling)
    f = model.forces(p, at, kappa, side * alpha, x["vx"], x["spin"], belt)
    return [f.fx, side * f.fy, load, side * f.mx, f.my, side * f.mz, kappa, alpha, radius, *rates]


def make_leaf(model: TireModel, name: str) -> Leaf:
    """The leaf function of a model: groups ``x`` (inputs), ``p`` (its numbers), ``d`` (its derived numbers)."""
    names = [c.name for c in model.coefficients]
    derived = list(model.derived(dict.fromkeys(names, 1.0)))
    n_curves = len(model.curves)

    def body(groups: Any, tables: Any = ()) -> list[Any]:
        p = dict(zip((*names, *derived), (*groups["p"], *groups.get("d", ())), strict=True))
        look_up = {c: _first(table) for c, table in zip(model.curves, tables, strict=True)}
        return evaluate(model, p, dict(zip(inputs(model), groups["x"], strict=True)), look_up)

    sizes = {"x": len(inputs(model)), "p": len(names), **({"d": len(derived)} if derived else {})}
    return Leaf(name, sizes, body, tables=[(1, 1)] * n_curves)


def _first(table: Any) -> Any:
    return lambda x: table(x)[0]


def standing(
    tire: Tire, load: float, fx: float, fy: float, gamma: float = 0.0, friction: float = 1.0, side: float = 1.0
) -> tuple[float, float]:
    """Contact deflections u, v (m) with which a standing wheel carries the given forces: the start for statics.

    Newton's method on the steady forces at zero speed; raises when the tire cannot carry them.
    """
    model, p = tire.model, tire.values
    if not model.transient:
        raise ParameterError(f"tire {tire.name!r}: a steady use mode has no contact deflections")
    at = model.at_load(p, load, side * gamma, friction)

    def forces(kappa: float, tangent: float) -> tuple[float, float]:
        f = model.forces(p, at, kappa, side * atan(tangent), 0.0, 0.0)
        return float(f.fx), float(side * f.fy)

    kappa = tangent = 0.0
    h = 1e-6
    for _ in range(50):
        found_x, found_y = forces(kappa, tangent)
        rx, ry = fx - found_x, fy - found_y
        if max(abs(rx), abs(ry)) <= 1e-9 * max(load, 1.0):
            return float(kappa * at.sigma_kappa), float(tangent * at.sigma_alpha)
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
