"""A Magic Formula tire with combined slip for the speed benchmark, as one leaf function.

Steady-state forces and moments after [Pacejka2006] chapter 4 (the PAC2002 set: Fx, Fy, Mx, My, Mz, combined slip),
ISO axes: κ > 0 drives, α > 0 when the contact moves to the left (+y), K_y α gives Fy < 0.  The coefficients are made up
for this benchmark from textbook shapes; they describe no real tire (CC0).
"""

from __future__ import annotations

from typing import Any

from jounce.symbolic import Leaf
from jounce.symbolic.ops import atan, cos, exp, fabs, fmin, if_else, sign, sin, sqrt, tan

COEFFICIENTS: dict[str, float] = {
    "FNOMIN": 4000.0, "R0": 0.32, "LFZO": 1.0, "LMUX": 1.0, "LMUY": 1.0, "LKX": 1.0, "LKY": 1.0, "LTR": 1.0,
    "PCX1": 1.6, "PDX1": 1.1, "PDX2": -0.08, "PDX3": 0.2, "PEX1": 0.2, "PEX2": 0.1, "PEX3": -0.05, "PEX4": 0.01,
    "PKX1": 21.0, "PKX2": -0.3, "PKX3": 0.25, "PHX1": 0.0005, "PHX2": 0.0002, "PVX1": 0.001, "PVX2": 0.0005,
    "RBX1": 12.0, "RBX2": -10.0, "RCX1": 1.0, "REX1": 0.1, "REX2": -0.1, "RHX1": 0.0,
    "PCY1": 1.35, "PDY1": 1.0, "PDY2": -0.12, "PDY3": 2.0, "PEY1": -0.6, "PEY2": -0.3, "PEY3": 0.1, "PEY4": -3.0,
    "PKY1": -20.0, "PKY2": 2.0, "PKY3": 0.3, "PHY1": 0.0, "PHY2": 0.0, "PHY3": 0.03, "PVY1": 0.0, "PVY2": 0.0,
    "PVY3": -0.25, "PVY4": -0.1,
    "RBY1": 9.0, "RBY2": 7.0, "RBY3": 0.0, "RCY1": 1.0, "REY1": 0.2, "REY2": 0.0, "RHY1": 0.0, "RHY2": 0.0,
    "RVY1": 0.02, "RVY2": -0.01, "RVY3": 0.1, "RVY4": 12.0, "RVY5": 1.9, "RVY6": -10.0,
    "QBZ1": 9.0, "QBZ2": -1.5, "QBZ3": -0.4, "QBZ4": 0.1, "QBZ5": -0.2, "QBZ9": 18.0, "QBZ10": 0.0, "QCZ1": 1.2,
    "QDZ1": 0.1, "QDZ2": -0.005, "QDZ3": 0.1, "QDZ4": -3.0, "QDZ6": 0.0, "QDZ7": 0.0, "QDZ8": -0.1, "QDZ9": 0.0,
    "QEZ1": -1.5, "QEZ2": 0.4, "QEZ3": 0.0, "QEZ4": 0.1, "QEZ5": -0.5, "QHZ1": 0.0, "QHZ2": 0.0, "QHZ3": 0.05,
    "QHZ4": 0.02, "SSZ1": 0.02, "SSZ2": 0.01, "SSZ3": 0.3, "SSZ4": -0.1,
    "QSX1": 0.0, "QSX2": 0.8, "QSX3": 0.02, "QSY1": 0.01, "QSY2": 0.0,
}  # fmt: skip

# Guards against 0/0 at zero load or zero slope, small against any real value.
LOAD_FLOOR = 1e-3  # N
SLOPE_FLOOR = 1e-6  # N
SLIP_FLOOR = 1e-12  # of a squared slip: keeps the root differentiable at zero slip


def _magic(d: Any, c: Any, b: Any, e: Any, x: Any) -> Any:
    bx = b * x
    return d * sin(c * atan(bx - e * (bx - atan(bx))))


def _cos_atan(x: Any) -> Any:
    """cos(atan x) without trigonometry."""
    return 1 / sqrt(1 + x * x)


def _weight(c: Any, b: Any, e: Any, x: Any) -> Any:
    bx = b * x
    return cos(c * atan(bx - e * (bx - atan(bx))))


def forces(load: Any, kappa: Any, alpha: Any, gamma: Any, p: dict[str, Any]) -> list[Any]:
    """Fx, Fy, Mx, My, Mz at the contact for a wheel load > 0."""
    fz = load + LOAD_FLOOR
    fz0 = p["FNOMIN"] * p["LFZO"]
    dfz = (fz - fz0) / fz0
    g2 = gamma * gamma

    # longitudinal, pure slip
    kx = kappa + p["PHX1"] + p["PHX2"] * dfz
    mux = (p["PDX1"] + p["PDX2"] * dfz) * (1 - p["PDX3"] * g2) * p["LMUX"]
    dx = mux * fz
    ex = fmin((p["PEX1"] + p["PEX2"] * dfz + p["PEX3"] * dfz * dfz) * (1 - p["PEX4"] * sign(kx)), 1.0)
    slope_x = fz * (p["PKX1"] + p["PKX2"] * dfz) * exp(p["PKX3"] * dfz) * p["LKX"]
    bx = slope_x / (p["PCX1"] * dx + SLOPE_FLOOR)
    svx = fz * (p["PVX1"] + p["PVX2"] * dfz) * p["LMUX"]
    fx0 = _magic(dx, p["PCX1"], bx, ex, kx) + svx

    # lateral, pure slip
    relative = fz / (p["PKY2"] * fz0)
    slope_y0 = p["PKY1"] * fz0 * (2 * relative / (1 + relative * relative)) * p["LKY"]  # sin(2 atan x) = 2x/(1 + x²)
    slope_y = slope_y0 * (1 - p["PKY3"] * fabs(gamma))
    shy = p["PHY1"] + p["PHY2"] * dfz + p["PHY3"] * gamma
    ay = alpha + shy
    muy = (p["PDY1"] + p["PDY2"] * dfz) * (1 - p["PDY3"] * g2) * p["LMUY"]
    dy = muy * fz
    ey = fmin((p["PEY1"] + p["PEY2"] * dfz) * (1 - (p["PEY3"] + p["PEY4"] * gamma) * sign(ay)), 1.0)
    by = slope_y / (p["PCY1"] * dy + SLOPE_FLOOR)
    svy = fz * (p["PVY1"] + p["PVY2"] * dfz + (p["PVY3"] + p["PVY4"] * dfz) * gamma) * p["LMUY"]
    fy0 = _magic(dy, p["PCY1"], by, ey, ay) + svy

    # combined slip
    bxa = p["RBX1"] * _cos_atan(p["RBX2"] * kappa)
    exa = p["REX1"] + p["REX2"] * dfz
    gxa = _weight(p["RCX1"], bxa, exa, alpha + p["RHX1"]) / _weight(p["RCX1"], bxa, exa, p["RHX1"])
    fx = gxa * fx0
    byk = p["RBY1"] * _cos_atan(p["RBY2"] * (alpha - p["RBY3"]))
    eyk = p["REY1"] + p["REY2"] * dfz
    shyk = p["RHY1"] + p["RHY2"] * dfz
    gyk = _weight(p["RCY1"], byk, eyk, kappa + shyk) / _weight(p["RCY1"], byk, eyk, shyk)
    dvyk = dy * (p["RVY1"] + p["RVY2"] * dfz + p["RVY3"] * gamma) * _cos_atan(p["RVY4"] * alpha)
    svyk = dvyk * sin(p["RVY5"] * atan(p["RVY6"] * kappa))
    fy = gyk * fy0 + svyk

    # aligning moment, overturning moment, rolling resistance
    sht = p["QHZ1"] + p["QHZ2"] * dfz + (p["QHZ3"] + p["QHZ4"] * dfz) * gamma
    at = alpha + sht
    ar = alpha + shy + svy / (slope_y - SLOPE_FLOOR)
    ratio = slope_x / (slope_y - SLOPE_FLOOR)
    slip2 = (ratio * kappa) * (ratio * kappa) + SLIP_FLOOR
    tat, tar = tan(at), tan(ar)
    at_eq = atan(sqrt(tat * tat + slip2)) * if_else(at < 0, -1.0, 1.0)
    ar_eq = atan(sqrt(tar * tar + slip2)) * if_else(ar < 0, -1.0, 1.0)
    bt = (p["QBZ1"] + p["QBZ2"] * dfz + p["QBZ3"] * dfz * dfz) * (1 + p["QBZ4"] * gamma + p["QBZ5"] * fabs(gamma))
    dt = fz * (p["QDZ1"] + p["QDZ2"] * dfz) * (1 + p["QDZ3"] * gamma + p["QDZ4"] * g2) * p["R0"] / fz0 * p["LTR"]
    et = fmin(
        (p["QEZ1"] + p["QEZ2"] * dfz + p["QEZ3"] * dfz * dfz)
        * (1 + (p["QEZ4"] + p["QEZ5"] * gamma) * 0.6366197723675814 * atan(bt * p["QCZ1"] * at)),
        1.0,
    )
    trail = dt * _weight(p["QCZ1"], bt, et, at_eq) * cos(alpha)
    br = p["QBZ9"] * p["LKY"] / p["LMUY"] + p["QBZ10"] * by * p["PCY1"]
    dr = fz * (p["QDZ6"] + p["QDZ7"] * dfz + (p["QDZ8"] + p["QDZ9"] * dfz) * gamma) * p["R0"] * p["LMUY"]
    mzr = dr * _cos_atan(br * ar_eq) * cos(alpha)
    arm = p["R0"] * (p["SSZ1"] + p["SSZ2"] * (fy / fz0) + (p["SSZ3"] + p["SSZ4"] * dfz) * gamma)
    mz = -trail * (fy - svyk) + mzr + arm * fx
    mx = p["R0"] * fz * (p["QSX1"] - p["QSX2"] * gamma + p["QSX3"] * fy / fz0)
    my = -p["R0"] * fz * (p["QSY1"] + p["QSY2"] * fx / fz0)
    return [fx, fy, mx, my, mz]


def leaf() -> Leaf:
    """The tire as a leaf function: arguments (load, κ, α, γ) and the coefficient block."""
    names = list(COEFFICIENTS)

    def body(groups: dict[str, list[Any]]) -> list[Any]:
        load, kappa, alpha, gamma = groups["x"]
        return forces(load, kappa, alpha, gamma, dict(zip(names, groups["p"], strict=True)))

    return Leaf("magic_formula", {"x": 4, "p": len(names)}, body)
