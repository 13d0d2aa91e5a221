"""Wheel load and rolling radius: what all tires with a spring and a damper against the road share.

    Fz = max(0, F(ρ) + F_b + Kz ρ̇ b(ρ)),     b = 3s² - 2s³, s = ρ/ρ_b in [0, 1]                            (1)

The elastic part F is, by what the tire has,

    Cz ρ₊                                             a constant stiffness
    deflection(ρ₊)                                    a curve
    map(r, |Vx|)                                      a map of loaded radius and speed
    f Fz0 ((QFZ1 + QFZ3 γ²) ρ₊/R0 + QFZ2 (ρ₊/R0)²)    the extended law, with ρ = R0 (1 + QV1 w²) - r             (2)
    f = 1 + QV2 |w| - (QFCX1 Fx/Fz0)² - (QFCY1 Fy/Fz0)² + QFCG1 γ²,    w = Ω R0/Vref

each times the scale of the tire, LCZ and what pressure does (``pac2002``), and F_b a curve or BOTTOM_STIFF times the
travel after the rim, but for BOTTOM_OFFST, has met the road.  Without a number of the file QFZ1 = Cz R0/Fz0.  In (1)
the damper takes hold over the first ρ_b = 2 mm of deflection, so that touching the ground makes no step in the load.

The load that depends on Fx and Fy, which depend on the load: with k = ((QFCX1 Fx)² + (QFCY1 Fy)²)/(f₀ Fz0²) of the
forces at the load F₀ without them, and forces that grow with the load,

    Fz = x F₀,   x = 1 - k x²,   hence   x = 2/(1 + sqrt(1 + 4k))                                            (3)

and forces are computed again at that load; with them (2) gives the load (``transient.evaluate``). Load and forces fit
(2) exactly; the load at which the forces are computed is off by about 2 k d, where forces at load x F₀ are a share d
above x times those at F₀: parts in a thousand.  The forces at F₀ only make k; they are computed with the rough
functions of ``magic``, which adds parts in ten thousand.

Rolling radius:  re = R0 (1 + QV1 w²) - ρN (FREFF ρd + DREFF atan(BREFF ρd)),  ρN = Fz0/Cz,  ρd = ρ₊/ρN              (4)
with the scaled stiffness Cz.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jounce.components.tire.base import Coefficient, Curve, Numbers
from jounce.components.tire.magic import SPEED_FLOOR, table
from jounce.components.tire.resting import ARM
from jounce.core.errors import ParameterError
from jounce.symbolic.ops import atan, fabs, fmax, fmin, sqrt

DAMPER_ONSET = 0.002  # m, ρ_b of (1): about the deflection at which the contact has a tenth of its length

_VERTICAL = "VERTICAL"
MODEL: tuple[Coefficient, ...] = (
    Coefficient(
        "VXLOW", "m/s", "below this speed forces fade (modes 1-4) or contact deflections hold (11-14)", 1.0, "MODEL"
    ),
    Coefficient("LONGVL", "m/s", "speed of the measurement, Vref", 16.7, "MODEL"),
    Coefficient("LOW_SPEED_DAMPING", "N.s/m", "damping of the contact at standstill and nominal load", 3000.0),
    Coefficient("UNLOADED_RADIUS", "m", "radius of the free tire, R0", None, "DIMENSION"),
    Coefficient("RIM_RADIUS", "m", "radius of the rim", 0.0, "DIMENSION"),
)
LOAD: tuple[Coefficient, ...] = (
    *table(
        _VERTICAL,
        """
        VERTICAL_STIFFNESS N/m vertical stiffness, Cz
        FNOMIN N nominal wheel load
        """,
        None,
    ),
    *table(
        _VERTICAL,
        """
        VERTICAL_DAMPING N.s/m vertical damping, Kz
        BREFF - low-load stiffness of the effective radius
        DREFF - peak value of the effective radius
        FREFF - high-load stiffness of the effective radius
        BOTTOM_STIFF N/m stiffness of the rim on the road
        BOTTOM_OFFST m distance of rim and road at which bottoming begins
        """,
    ),
)
RANGES: tuple[Coefficient, ...] = (
    Coefficient("KPUMIN", "-", "smallest valid longitudinal slip", -1.5, "LONG_SLIP_RANGE"),
    Coefficient("KPUMAX", "-", "largest valid longitudinal slip", 1.5, "LONG_SLIP_RANGE"),
    Coefficient("ALPMIN", "rad", "smallest valid slip angle", -1.5707963267948966, "SLIP_ANGLE_RANGE"),
    Coefficient("ALPMAX", "rad", "largest valid slip angle", 1.5707963267948966, "SLIP_ANGLE_RANGE"),
    Coefficient("CAMMIN", "rad", "smallest valid inclination", -0.26, "INCLINATION_ANGLE_RANGE"),
    Coefficient("CAMMAX", "rad", "largest valid inclination", 0.26, "INCLINATION_ANGLE_RANGE"),
    Coefficient("FZMIN", "N", "smallest valid wheel load", 100.0, "VERTICAL_FORCE_RANGE"),
    Coefficient("FZMAX", "N", "largest valid wheel load", 1e5, "VERTICAL_FORCE_RANGE"),
)
# (2), of the PAC2002 family; those of MF 6 have names of their own.
EXTENDED: tuple[Coefficient, ...] = tuple(
    table(
        _VERTICAL,
        """
        QV1 - growth of the radius with spin
        QV2 - change of the stiffness with spin
        QFCX1 - change of the stiffness with Fx
        QFCY1 - change of the stiffness with Fy
        QFCG1 1/rad2 change of the stiffness with inclination
        QFZ1 - load over deflection; 0: from VERTICAL_STIFFNESS
        QFZ2 - load over deflection squared
        QFZ3 1/rad2 change of the load over deflection with inclination squared
        """,
    )
)
DERIVED = {
    "PER_FNOMIN": ("1/N", "one over FNOMIN"),
    "PER_VXLOW": ("s/m", "one over VXLOW"),
    "PER_LONGVL": ("s/m", "one over LONGVL"),
    "NOMINAL_DEFLECTION": ("m", "deflection under FNOMIN"),
    "PER_DEFLECTION": ("1/m", "one over it"),
    "TWIST_ARM": ("m", "moment of a wheel turned on the spot over its friction, at FNOMIN"),
}


def derived(p: Numbers, scale: Any = 1.0) -> dict[str, Any]:
    """Reciprocals: a division takes as long as ten multiplications. ``scale``: of the vertical stiffness."""
    stiffness = p["VERTICAL_STIFFNESS"] * scale
    return {
        "PER_FNOMIN": 1 / p["FNOMIN"],
        "PER_VXLOW": 1 / fmax(p["VXLOW"], SPEED_FLOOR),
        "PER_LONGVL": 1 / fmax(p["LONGVL"], SPEED_FLOOR),
        "NOMINAL_DEFLECTION": p["FNOMIN"] / stiffness,
        "PER_DEFLECTION": stiffness / p["FNOMIN"],
        "TWIST_ARM": ARM * p["UNLOADED_RADIUS"],
    }


def total(
    p: Numbers, elastic: Any, rho: Any, rho_rate: Any, curves: Mapping[str, Curve] | None, bottoming_curve: bool = False
) -> Any:
    """The load (1) from its elastic part."""
    rim = fmax(rho - (p["UNLOADED_RADIUS"] - p["RIM_RADIUS"] - p["BOTTOM_OFFST"]), 0.0)
    if bottoming_curve:
        elastic = elastic + look_up(curves, "bottoming")(rim)
    else:
        elastic = elastic + p["BOTTOM_STIFF"] * rim
    s = fmin(fmax(rho, 0.0) / DAMPER_ONSET, 1.0)
    return fmax(elastic + p["VERTICAL_DAMPING"] * rho_rate * (s * s * (3 - 2 * s)), 0.0)  # (1)


def by_map(p: Numbers, rho: Any, vx: Any, curves: Mapping[str, Curve] | None) -> Any:
    """Elastic part by a map of loaded radius and speed."""
    return look_up(curves, "radius_load")(p["UNLOADED_RADIUS"] - rho, fabs(vx))


def growth(p: Numbers, spin: Any) -> Any:
    """Growth of the radius with spin, m."""
    w = spin * p["UNLOADED_RADIUS"] * p["PER_LONGVL"]
    return p["UNLOADED_RADIUS"] * p["QV1"] * w * w


def factor(p: Numbers, gamma: Any, spin: Any) -> Any:
    """f of (2) without the part of the forces."""
    w = spin * p["UNLOADED_RADIUS"] * p["PER_LONGVL"]
    return 1 + p["QV2"] * fabs(w) + p["QFCG1"] * gamma * gamma


def extended(p: Numbers, rho: Any, gamma: Any, spin: Any) -> Any:
    """Elastic part (2) without the part of the forces; ρ with the growth in it."""
    relative = fmax(rho, 0.0) / p["UNLOADED_RADIUS"]
    rising = p["QFZ1_USED"] + p["QFZ2"] * relative + p["QFZ3"] * gamma * gamma
    return factor(p, gamma, spin) * p["FNOMIN"] * relative * rising


def softening(share: Any) -> Any:
    """x of (3)."""
    return 2 / (1 + sqrt(1 + 4 * fmax(share, 0.0)))


def rolling_radius(p: Numbers, rho: Any, grown: Any = 0.0) -> Any:
    """Effective rolling radius (4)."""
    relative = fmax(rho, 0.0) * p["PER_DEFLECTION"]
    shape = p["FREFF"] * relative + p["DREFF"] * atan(p["BREFF"] * relative)
    return p["UNLOADED_RADIUS"] + grown - p["NOMINAL_DEFLECTION"] * shape


def look_up(curves: Mapping[str, Curve] | None, name: str) -> Curve:
    if curves is None or name not in curves:
        raise ParameterError(f"tire: the curve {name!r} is needed to compute the wheel load")
    return curves[name]
