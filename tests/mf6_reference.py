"""The Magic Formula of MF-Tyre 6.1 and 6.2 and of motorcycle tires written down a second time, in plain floats.

Equation by equation, with the trigonometric functions as they are printed and all factors ζ in their places. It shares
no line with the package.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from math import acos, atan, cos, exp, pi, sin, sqrt, tan

from tire_models import FULL, mc, mf, names, sgn

# Every coefficient different from zero and every factor different from one: nothing can hide.
FULL_62: dict[str, float] = {
    "VXLOW": 1.0, "LONGVL": 16.7, "UNLOADED_RADIUS": 0.3135, "RIM_RADIUS": 0.203, "WIDTH": 0.205, "ASPECT_RATIO": 0.55,
    "INFLPRES": 2.5e5, "NOMPRES": 2.1e5, "FNOMIN": 4000, "VERTICAL_STIFFNESS": 2.0e5, "VERTICAL_DAMPING": 300,
    "BREFF": 8.4, "DREFF": 0.27, "FREFF": 0.07, "Q_RE0": 0.998, "Q_V1": 7e-4, "Q_V2": 0.045, "Q_FZ2": 14.0,
    "Q_FCX": 0.12, "Q_FCY": 0.3, "Q_FCY2": -0.2, "Q_CAM1": 0.8, "Q_CAM2": 0.6, "Q_CAM3": 0.4, "Q_FYS1": 150.0,
    "Q_FYS2": -60.0, "Q_FYS3": 30.0, "PFZ1": 0.7, "BOTTOM_STIFF": 2e6, "BOTTOM_OFFST": 0.01,
    "LONGITUDINAL_STIFFNESS": 3.6e5, "LATERAL_STIFFNESS": 1.3e5, "PCFX1": 0.15, "PCFX2": -0.02, "PCFX3": 0.2,
    "PCFY1": 0.12, "PCFY2": 0.03, "PCFY3": 0.25, "PRESMIN": 1e5, "PRESMAX": 3.5e5, "KPUMIN": -1.0, "KPUMAX": 1.0,
    "ALPMIN": -1.5, "ALPMAX": 1.5, "CAMMIN": -0.26, "CAMMAX": 0.26, "FZMIN": 200, "FZMAX": 9000,
    "LFZO": 1.03, "LCX": 0.98, "LMUX": 0.93, "LEX": 1.1, "LKX": 0.9, "LHX": 1.2, "LVX": 0.8, "LCY": 0.97, "LMUY": 0.9,
    "LEY": 1.2, "LKY": 0.94, "LHY": 1.3, "LVY": 0.7, "LKYC": 1.15, "LTR": 0.85, "LRES": 1.2, "LKZC": 1.1, "LXAL": 0.9,
    "LYKA": 1.1, "LVYKA": 0.8, "LS": 1.2, "LMX": 0.9, "LVMX": 1.1, "LMY": 1.2, "LMP": 0.95, "LSGKP": 0.9, "LSGAL": 1.1,
    "LCZ": 0.94, "LIP": 0.97,
    "PCX1": 1.6, "PDX1": 1.15, "PDX2": -0.08, "PDX3": 0.4, "PEX1": 0.1, "PEX2": 0.1, "PEX3": -0.05, "PEX4": 0.07,
    "PKX1": 22, "PKX2": -0.6, "PKX3": 0.2, "PHX1": -0.0005, "PHX2": 0.0003, "PVX1": 0.002, "PVX2": -0.001,
    "PPX1": -0.35, "PPX2": 0.2, "PPX3": -0.09, "PPX4": -0.12, "RBX1": 12, "RBX2": -9, "RBX3": 3.0, "RCX1": 1.1,
    "REX1": 0.05, "REX2": -0.1, "RHX1": 0.004,
    "PCY1": 1.35, "PDY1": 1.0, "PDY2": -0.1, "PDY3": 1.5, "PEY1": -0.8, "PEY2": -0.6, "PEY3": 0.1, "PEY4": -6,
    "PEY5": 4.0, "PKY1": -18, "PKY2": 1.8, "PKY3": 0.4, "PKY4": 1.9, "PKY5": 0.6, "PKY6": -0.9, "PKY7": -0.2,
    "PHY1": 0.002, "PHY2": -0.0007, "PVY1": 0.02, "PVY2": 0.01, "PVY3": -0.16, "PVY4": -0.09, "PPY1": -0.5,
    "PPY2": -0.1, "PPY3": -0.12, "PPY4": 0.05, "PPY5": -0.4, "RBY1": 10, "RBY2": 8, "RBY3": -0.01, "RBY4": 2.0,
    "RCY1": 1.05, "REY1": 0.1, "REY2": 0.04, "RHY1": 0.01, "RHY2": 0.006, "RVY1": 0.03, "RVY2": -0.02, "RVY3": -0.1,
    "RVY4": 15, "RVY5": 1.9, "RVY6": -20,
    "QSX1": 0.006, "QSX2": 0.5, "QSX3": 0.1, "QSX4": 0.05, "QSX5": 1.1, "QSX6": 0.8, "QSX7": 0.7, "QSX8": 0.6,
    "QSX9": 0.5, "QSX10": 0.2, "QSX11": 1.5, "QSX12": 0.3, "QSX13": 0.02, "QSX14": 0.04, "PPMX1": 0.15,
    "QSY1": 0.01, "QSY2": 0.03, "QSY3": 0.002, "QSY4": 0.0003, "QSY5": 0.1, "QSY6": -0.05, "QSY7": 0.9, "QSY8": -0.4,
    "QBZ1": 9, "QBZ2": -1.2, "QBZ3": -0.3, "QBZ4": 0.2, "QBZ5": -0.15, "QBZ9": 18, "QBZ10": 0.1, "QCZ1": 1.2,
    "QDZ1": 0.1, "QDZ2": -0.005, "QDZ3": 0.3, "QDZ4": -2.0, "QDZ6": 0.001, "QDZ7": 0.0004, "QDZ8": -0.14, "QDZ9": 0.05,
    "QDZ10": 0.2, "QDZ11": -0.1, "QEZ1": -2, "QEZ2": 0.6, "QEZ3": -0.2, "QEZ4": 0.2, "QEZ5": -0.5, "QHZ1": 0.002,
    "QHZ2": 0.001, "QHZ3": 0.2, "QHZ4": 0.05, "PPZ1": -0.4, "PPZ2": -0.3, "SSZ1": 0.01, "SSZ2": 0.02, "SSZ3": 0.2,
    "SSZ4": -0.1,
    "PDXP1": 0.4, "PDXP2": 0.1, "PDXP3": 0.3, "PKYP1": 1.0, "PDYP1": 0.4, "PDYP2": -0.1, "PDYP3": 0.2, "PDYP4": 0.1,
    "PHYP1": 1.0, "PHYP2": 0.15, "PHYP3": 0.02, "PHYP4": -4.0, "PECP1": 0.5, "PECP2": 0.1, "QDTP1": 10.0, "QCRP1": 0.2,
    "QCRP2": 0.1, "QBRP1": 0.1, "QDRP1": 0.9,
}  # fmt: skip


CAR_ONLY = names("LHX LVY LKYG PHX1 PHX2 PHY2 PHY3 PVY1 PVY2 PVY3 PVY4 QBZ10 PKY1 PKY2 PKY3 PTY1 PTY2", 0.0)
# All numbers of the car tire that this one has, and its own; none zero, no factor one.
MOTORCYCLE: dict[str, float] = {
    **{name: value for name, value in FULL.items() if name not in CAR_ONLY},
    "UNLOADED_RADIUS": 0.31, "FNOMIN": 1500, "FZMIN": 80, "FZMAX": 4000, "CAMMIN": -1.1, "CAMMAX": 1.1,
    "LCC": 0.95, "LKC": 1.1, "LEC": 0.9, "PCY1": 1.1, "PCY2": 0.65, "PDY1": 1.3, "PDY2": -0.02, "PDY3": 0.2,
    "PEY1": -0.9, "PEY2": 0.8, "PEY3": 0.05, "PEY4": -0.3, "PEY5": -2.5, "PKY1": -19, "PKY2": 1.4, "PKY3": 1.35,
    "PKY4": -0.9, "PKY5": 0.35, "PKY6": -0.9, "PKY7": 0.3, "PHY1": 0.002, "PTY1": 0.75, "PTY2": 1.1, "PTY3": 0.6,
    "QDZ3": -0.06, "QDZ10": 0.03, "QDZ11": 0.07,
}  # fmt: skip


def completed(values: Mapping[str, float]) -> dict[str, float]:
    """Missing factors are one, all else zero, but for PKY4 and QSY7."""
    q: defaultdict[str, float] = defaultdict(float)
    for name in [
        "LFZO",
        "LCX",
        "LMUX",
        "LEX",
        "LKX",
        "LHX",
        "LVX",
        "LCY",
        "LMUY",
        "LEY",
        "LKY",
        "LHY",
        "LVY",
        "LKYC",
        "LTR",
        "LRES",
        "LKZC",
        "LXAL",
        "LYKA",
        "LVYKA",
        "LS",
        "LMX",
        "LVMX",
        "LMY",
        "LMP",
        "LCZ",
        "LIP",
        "LSGKP",
        "LSGAL",
        "LGAX",
        "LGAY",
        "LGAZ",
        "LCC",
        "LKC",
        "LEC",
        "QSY7",
        "Q_RE0",
    ]:
        q[name] = 1.0
    q["PKY4"] = 2.0
    q.update({k: float(v) for k, v in values.items()})
    return q


def mf6(
    values: Mapping[str, float],
    load: float,
    kappa: float,
    alpha: float,
    gamma: float,
    *,
    mode: int = 4,
    mu: float = 1.0,
    path: float | None = None,
    camber_turn: float = 0.0,
) -> dict[str, float]:
    """Forces and what leads to them, rolling forward at LONGVL; with ``path`` (1/m) turn slip is on."""
    q = completed(values)
    R0, V0, Fz0 = q["UNLOADED_RADIUS"], q["LONGVL"], q["FNOMIN"]
    Fz = min(max(load, q["FZMIN"]), q["FZMAX"])
    share = min(max(load, 0.0) / q["FZMIN"], 1.0)
    k, a = min(max(kappa, q["KPUMIN"]), q["KPUMAX"]), min(max(alpha, q["ALPMIN"]), q["ALPMAX"])
    g = min(max(gamma, q["CAMMIN"]), q["CAMMAX"])
    p, p0 = q["LIP"] * q["INFLPRES"], q["NOMPRES"]
    Fz0_ = q["LFZO"] * Fz0  # 4.E1
    d, dp = (Fz - Fz0_) / Fz0_, (p - p0) / p0  # 4.E2
    lmux, lmuy = q["LMUX"] * mu, q["LMUY"] * mu

    turning = path is not None
    z0 = z1 = z2 = z3 = z5 = z6 = z7 = 1.0
    phi = eps = 0.0
    if path is not None:
        eps = q["PECP1"] * (1 + q["PECP2"] * d)
        phi = path + (1 - eps) * camber_turn
        z0 = 0.0
        z1 = cos(atan(q["PDXP1"] * (1 + q["PDXP2"] * d) * cos(atan(q["PDXP3"] * k)) * R0 * phi))
        Byp = q["PDYP1"] * (1 + q["PDYP2"] * d) * cos(atan(q["PDYP3"] * tan(a)))
        z2 = cos(atan(Byp * (R0 * abs(phi) + q["PDYP4"] * sqrt(R0 * abs(phi)))))
        z3 = cos(atan(q["PKYP1"] * R0**2 * phi**2))
        z5, z6 = cos(atan(q["QDTP1"] * R0 * phi)), cos(atan(q["QBRP1"] * R0 * phi))

    # longitudinal
    Cx = q["PCX1"] * q["LCX"]
    mux = (q["PDX1"] + q["PDX2"] * d) * (1 + q["PPX3"] * dp + q["PPX4"] * dp**2) * (1 - q["PDX3"] * g**2) * lmux
    Dx = mux * Fz * z1
    Kx = Fz * (q["PKX1"] + q["PKX2"] * d) * exp(q["PKX3"] * d) * (1 + q["PPX1"] * dp + q["PPX2"] * dp**2) * q["LKX"]
    SHx = (q["PHX1"] + q["PHX2"] * d) * q["LHX"]
    SVx = Fz * (q["PVX1"] + q["PVX2"] * d) * q["LVX"] * lmux * z1
    kx = k + SHx
    Ex = min((q["PEX1"] + q["PEX2"] * d + q["PEX3"] * d**2) * (1 - q["PEX4"] * sgn(kx)) * q["LEX"], 1.0)
    Fx0 = mf(Kx / (Cx * Dx), Cx, Dx, Ex, kx) + SVx

    # lateral
    def lateral(g: float, z2: float, z3: float, turning: bool) -> dict[str, float]:
        place = (q["PKY2"] + q["PKY5"] * g**2) * (1 + q["PPY2"] * dp)
        Ky = q["PKY1"] * Fz0_ * (1 + q["PPY1"] * dp) * (1 - q["PKY3"] * abs(g))
        Ky *= sin(q["PKY4"] * atan((Fz / Fz0_) / place)) * z3 * q["LKY"]
        Ky_flat = q["PKY1"] * Fz0_ * (1 + q["PPY1"] * dp) * q["LKY"]
        Ky_flat *= sin(q["PKY4"] * atan((Fz / Fz0_) / (q["PKY2"] * (1 + q["PPY2"] * dp))))
        SVyg = Fz * (q["PVY3"] + q["PVY4"] * d) * g * q["LKYC"] * lmuy * z2
        Kyg = Fz * (q["PKY6"] + q["PKY7"] * d) * (1 + q["PPY5"] * dp) * q["LKYC"]
        SHy = (q["PHY1"] + q["PHY2"] * d) * q["LHY"]
        if turning:
            D = q["PHYP2"] + q["PHYP3"] * d
            B = Kyg / (1 - eps) / (q["PHYP1"] * D * Ky_flat)
            SHy += mf(B, q["PHYP1"], D, q["PHYP4"], R0 * phi) - SVyg / Ky
        else:
            SHy += (Kyg * g - SVyg) / Ky
        SVy = Fz * (q["PVY1"] + q["PVY2"] * d) * q["LVY"] * lmuy * z2 + SVyg
        ay = a + SHy
        Cy = q["PCY1"] * q["LCY"]
        muy = (q["PDY1"] + q["PDY2"] * d) * (1 + q["PPY3"] * dp + q["PPY4"] * dp**2) * (1 - q["PDY3"] * g**2) * lmuy
        Dy = muy * Fz * z2
        sided = 1 + q["PEY5"] * g**2 - (q["PEY3"] + q["PEY4"] * g) * sgn(ay)
        Ey = min((q["PEY1"] + q["PEY2"] * d) * sided * q["LEY"], 1.0)
        By = Ky / (Cy * Dy)
        Fy0 = mf(By, Cy, Dy, Ey, ay) + SVy
        return {"Ky": Ky, "Kyg": Kyg, "SHy": SHy, "SVy": SVy, "muy": muy, "By": By, "Cy": Cy, "Fy0": Fy0, "Dy": Dy}

    y, flat = lateral(g, z2, z3, turning), lateral(0.0, 1.0, 1.0, False)
    Fy0, Ky, muy = y["Fy0"], y["Ky"], y["muy"]

    # combined
    Fx, Fy, Gyk, SVyk, s = Fx0, Fy0, 1.0, 0.0, 0.0
    if mode % 10 == 4:
        Exa = min(q["REX1"] + q["REX2"] * d, 1.0)
        Bxa = (q["RBX1"] + q["RBX3"] * g**2) * cos(atan(q["RBX2"] * k)) * q["LXAL"]
        Gxa = mc(Bxa, q["RCX1"], 1, Exa, a + q["RHX1"]) / mc(Bxa, q["RCX1"], 1, Exa, q["RHX1"])
        Fx = max(Gxa, 0.0) * Fx0
        Eyk = min(q["REY1"] + q["REY2"] * d, 1.0)
        SHyk = q["RHY1"] + q["RHY2"] * d
        Byk = (q["RBY1"] + q["RBY4"] * g**2) * cos(atan(q["RBY2"] * (a - q["RBY3"]))) * q["LYKA"]
        Gyk = max(mc(Byk, q["RCY1"], 1, Eyk, k + SHyk) / mc(Byk, q["RCY1"], 1, Eyk, SHyk), 0.0)
        DVyk = muy * Fz * (q["RVY1"] + q["RVY2"] * d + q["RVY3"] * g) * cos(atan(q["RVY4"] * a)) * z2
        SVyk = DVyk * sin(q["RVY5"] * atan(q["RVY6"] * k)) * q["LVYKA"]
        Fy = Gyk * Fy0 + SVyk
        s = R0 * (q["SSZ1"] + q["SSZ2"] * Fy / Fz0_ + (q["SSZ3"] + q["SSZ4"] * d) * g) * q["LS"]

    # aligning
    at = a + q["QHZ1"] + q["QHZ2"] * d + (q["QHZ3"] + q["QHZ4"] * d) * g
    ar = a + y["SHy"] + y["SVy"] / Ky
    Bt = (q["QBZ1"] + q["QBZ2"] * d + q["QBZ3"] * d**2) * (1 + q["QBZ4"] * g + q["QBZ5"] * abs(g)) * q["LKY"] / lmuy
    Ct = q["QCZ1"]
    Dt = Fz * R0 / Fz0_ * (q["QDZ1"] + q["QDZ2"] * d) * (1 - q["PPZ1"] * dp) * (1 + q["QDZ3"] * g + q["QDZ4"] * g**2)
    Dt *= q["LTR"] * z5
    Et = (q["QEZ1"] + q["QEZ2"] * d + q["QEZ3"] * d**2) * (
        1 + (q["QEZ4"] + q["QEZ5"] * g) * (2 / pi) * atan(Bt * Ct * at)
    )
    Et = min(Et, 1.0)
    Br = (q["QBZ9"] * q["LKY"] / lmuy + q["QBZ10"] * y["By"] * y["Cy"]) * z6
    by_camber = (q["QDZ8"] + q["QDZ9"] * d) * (1 + q["PPZ2"] * dp) + (q["QDZ10"] + q["QDZ11"] * d) * abs(g)
    Dr = Fz * R0 * ((q["QDZ6"] + q["QDZ7"] * d) * q["LRES"] * z2 + by_camber * g * q["LKZC"] * z0) * lmuy * cos(a)
    if path is not None:
        Minf = q["QCRP1"] * abs(muy) * R0 * Fz * sqrt(Fz / Fz0_) * q["LMP"]
        D = Minf / sin(0.5 * pi * q["QDRP1"])
        B = Fz * R0 * by_camber * q["LKZC"] / (q["QDRP1"] * D * (1 - eps))
        Drp = D * sin(q["QDRP1"] * atan(B * R0 * phi))
        M90 = Minf * (2 / pi) * atan(q["QCRP2"] * R0 * abs(path)) * Gyk
        z7 = (2 / pi) * acos(min(M90 / abs(Drp), 1.0)) if Drp else 1.0
        Dr += Drp
    if mode % 10 == 4:
        at = atan(sqrt(tan(at) ** 2 + (Kx / Ky * k) ** 2)) * (1 if at >= 0 else -1)
        ar = atan(sqrt(tan(ar) ** 2 + (Kx / Ky * k) ** 2)) * (1 if ar >= 0 else -1)
    t = mc(Bt, Ct, Dt, Et, at) * cos(a)
    Mzr = Dr * cos(z7 * atan(Br * ar))
    Mz = -t * Gyk * flat["Fy0"] + Mzr + s * Fx

    n, side = Fz / Fz0, Fy / Fz0
    Mx = q["QSX1"] * q["LVMX"] - q["QSX2"] * g * (1 + q["PPMX1"] * dp) - q["QSX12"] * g * abs(g) + q["QSX3"] * side
    Mx += (
        q["QSX4"]
        * cos(q["QSX5"] * atan((q["QSX6"] * n) ** 2))
        * sin(q["QSX7"] * g + q["QSX8"] * atan(q["QSX9"] * side))
    )
    Mx += q["QSX10"] * atan(q["QSX11"] * n) * g
    Mx = R0 * Fz * q["LMX"] * Mx + R0 * Fy * q["LMX"] * (q["QSX13"] + q["QSX14"] * abs(g))
    My = q["QSY1"] + q["QSY2"] * Fx / Fz0 + q["QSY3"] + q["QSY4"] + (q["QSY5"] + q["QSY6"] * n) * g**2
    My *= -R0 * Fz0 * q["LMY"] * n ** q["QSY7"] * (p / p0) ** q["QSY8"]

    if mode % 10 in (0, 2):
        Fx = My = 0.0
    if mode % 10 in (0, 1):
        Fy = Mx = Mz = 0.0
    CX = q["LONGITUDINAL_STIFFNESS"] * (1 + q["PCFX1"] * d + q["PCFX2"] * d**2) * (1 + q["PCFX3"] * dp)
    CY = q["LATERAL_STIFFNESS"] * (1 + q["PCFY1"] * d + q["PCFY2"] * d**2) * (1 + q["PCFY3"] * dp)
    forces = {"fx": Fx, "fy": Fy, "mx": Mx, "my": My, "mz": Mz}
    return {
        **{name: share * value for name, value in forces.items()},
        "Kx": Kx,
        "Ky": Ky,
        "Kyg": y["Kyg"],
        "Dx": Dx,
        "Dy": y["Dy"],
        "SVx": SVx,
        "SVy": y["SVy"],
        "SHx": SHx,
        "SHy": y["SHy"],
        "t0": Dt,
        "sigma_kappa": Kx / CX * q["LSGKP"],
        "sigma_alpha": abs(Ky) / CY * q["LSGAL"],
        "phi": phi,
        "V0": V0,
    }


def load_62(
    values: Mapping[str, float], rho: float, gamma: float, spin: float, fx: float = 0.0, fy: float = 0.0
) -> float:
    """Elastic load of MF 6.2 for ρ = R0 - r."""
    q = completed(values)
    R0, Fz0 = q["UNLOADED_RADIUS"], q["FNOMIN"]
    dp = q["LIP"] * q["INFLPRES"] / q["NOMPRES"] - 1
    w = spin * R0 / q["LONGVL"]
    RO = R0 * (q["Q_RE0"] + q["Q_V1"] * w**2)
    rl = R0 - rho
    qfz1 = sqrt((q["VERTICAL_STIFFNESS"] * R0 / Fz0) ** 2 - 4 * q["Q_FZ2"])
    free = max(RO - rl, 0.0)
    c = (q["Q_CAM1"] * rl + q["Q_CAM2"] * rl**2) / (q["Q_CAM1"] * RO + q["Q_CAM2"] * RO**2)
    rtw = (1.075 - 0.5 * q["ASPECT_RATIO"]) * q["WIDTH"]
    z = max(free + c**2 * rtw / 8 * abs(tan(gamma)) - q["Q_CAM3"] * free * abs(gamma), 0.0)
    S = (q["Q_FYS1"] + q["Q_FYS2"] * rl / RO + q["Q_FYS3"] * (rl / RO) ** 2) * gamma
    f = 1 + q["Q_V2"] * abs(w) - (q["Q_FCX"] * fx / Fz0) ** 2
    f -= ((z / R0) ** q["Q_FCY2"] * q["Q_FCY"] * (fy - S) / Fz0) ** 2
    return f * (1 + q["PFZ1"] * dp) * q["LCZ"] * (qfz1 * z / R0 + q["Q_FZ2"] * (z / R0) ** 2) * Fz0


def pac_mc(values: Mapping[str, float], load: float, kappa: float, alpha: float, gamma: float) -> dict[str, float]:
    """Combined slip of a motorcycle tire, rolling forward at LONGVL."""
    q = completed(values)
    R0, Fz0 = q["UNLOADED_RADIUS"], q["LFZO"] * q["FNOMIN"]
    Fz, k, a, g = load, kappa, alpha, gamma
    d = (Fz - Fz0) / Fz0
    Cx = q["PCX1"] * q["LCX"]
    Dx = Fz * (q["PDX1"] + q["PDX2"] * d) * (1 - q["PDX3"] * (g * q["LGAX"]) ** 2) * q["LMUX"]
    Kx = Fz * (q["PKX1"] + q["PKX2"] * d) * exp(q["PKX3"] * d) * q["LKX"]
    SVx = Fz * (q["PVX1"] + q["PVX2"] * d) * q["LVX"] * q["LMUX"]
    Ex = min((q["PEX1"] + q["PEX2"] * d + q["PEX3"] * d**2) * (1 - q["PEX4"] * sgn(k)) * q["LEX"], 1.0)
    Fx0 = mf(Kx / (Cx * Dx), Cx, Dx, Ex, k) + SVx

    def lateral(g: float) -> tuple[float, float, float]:
        gy = g * q["LGAY"]
        ay = a + q["PHY1"] * q["LHY"]
        muy = q["PDY1"] * exp(q["PDY2"] * d) / (1 + q["PDY3"] * gy**2) * q["LMUY"]
        Cy, Cg = q["PCY1"] * q["LCY"], q["PCY2"] * q["LCC"]
        Ky = q["PKY1"] * q["FNOMIN"] * sin(q["PKY2"] * atan(Fz / ((q["PKY3"] + q["PKY4"] * gy**2) * Fz0)))
        Ky *= q["LFZO"] * q["LKY"] / (1 + q["PKY5"] * gy**2)
        Kg = (q["PKY6"] + q["PKY7"] * d) * Fz * q["LKC"]
        By, Bg = Ky / (Cy * muy * Fz), Kg / (Cg * muy * Fz)
        Ey = min((q["PEY1"] + q["PEY2"] * gy**2 + (q["PEY3"] + q["PEY4"] * gy) * sgn(ay)) * q["LEY"], 1.0)
        Eg = min(q["PEY5"] * q["LEC"], 1.0)
        slip = Cy * atan(By * ay - Ey * (By * ay - atan(By * ay)))
        lean = Cg * atan(Bg * gy - Eg * (Bg * gy - atan(Bg * gy)))
        return muy * Fz * sin(slip + lean), Ky, muy

    Fy0, Ky, muy = lateral(g)
    flat, _, _ = lateral(0.0)
    Exa, Eyk = min(q["REX1"] + q["REX2"] * d, 1.0), min(q["REY1"] + q["REY2"] * d, 1.0)
    Bxa = (q["RBX1"] + q["RBX3"] * g**2) * cos(atan(q["RBX2"] * k)) * q["LXAL"]
    Fx = Fx0 * max(mc(Bxa, q["RCX1"], 1, Exa, a + q["RHX1"]) / mc(Bxa, q["RCX1"], 1, Exa, q["RHX1"]), 0.0)
    Byk = (q["RBY1"] + q["RBY4"] * g**2) * cos(atan(q["RBY2"] * (a - q["RBY3"]))) * q["LYKA"]
    SHyk = q["RHY1"] + q["RHY2"] * d
    Gyk = max(mc(Byk, q["RCY1"], 1, Eyk, k + SHyk) / mc(Byk, q["RCY1"], 1, Eyk, SHyk), 0.0)
    SVyk = muy * Fz * (q["RVY1"] + q["RVY2"] * d + q["RVY3"] * g) * cos(atan(q["RVY4"] * a))
    SVyk *= sin(q["RVY5"] * atan(q["RVY6"] * k)) * q["LVYKA"]
    Fy = Gyk * Fy0 + SVyk
    gz = g * q["LGAZ"]
    at = a + q["QHZ1"] + q["QHZ2"] * d + (q["QHZ3"] + q["QHZ4"] * d) * gz
    ar = a + q["PHY1"] * q["LHY"]
    stiffer = q["LKY"] / q["LMUY"]
    Bt = (q["QBZ1"] + q["QBZ2"] * d + q["QBZ3"] * d**2) * (1 + q["QBZ4"] * gz + q["QBZ5"] * abs(gz)) * stiffer
    Dt = Fz * (q["QDZ1"] + q["QDZ2"] * d) * (1 + q["QDZ3"] * abs(gz) + q["QDZ4"] * gz**2) * R0 / Fz0 * q["LTR"]
    Et = (q["QEZ1"] + q["QEZ2"] * d + q["QEZ3"] * d**2) * (
        1 + (q["QEZ4"] + q["QEZ5"] * gz) * (2 / pi) * atan(Bt * q["QCZ1"] * at)
    )
    Dr = (q["QDZ6"] + q["QDZ7"] * d) * q["LRES"] + (q["QDZ8"] + q["QDZ9"] * d) * gz
    Dr = Fz * R0 * q["LMUY"] * (Dr + (q["QDZ10"] + q["QDZ11"] * d) * gz * abs(gz))
    at = atan(sqrt(tan(at) ** 2 + (Kx / Ky * k) ** 2))
    ar = atan(sqrt(tan(ar) ** 2 + (Kx / Ky * k) ** 2))
    t = mc(Bt, q["QCZ1"], Dt, min(Et, 1.0), at) * cos(a)
    s = R0 * (q["SSZ1"] + q["SSZ2"] * Fy / Fz0 + (q["SSZ3"] + q["SSZ4"] * d) * g) * q["LS"]
    Mz = -t * Gyk * flat + Dr * cos(atan(q["QBZ9"] * stiffer * ar)) * cos(a) + s * Fx
    Mx = R0 * Fz * (q["QSX1"] * q["LVMX"] - q["QSX2"] * g + q["QSX3"] * Fy / Fz0) * q["LMX"]
    My = -R0 * Fz * (q["QSY1"] + q["QSY2"] * Fx / Fz0 + q["QSY3"] + q["QSY4"]) * q["LMY"]
    sigma_alpha = q["PTY1"] * sin(q["PTY2"] * atan(Fz / (q["PTY3"] * Fz0))) * R0 * q["LFZO"] * q["LSGAL"]
    sigma_kappa = Fz * (q["PTX1"] + q["PTX2"] * d) * exp(-q["PTX3"] * d) * R0 / q["FNOMIN"] * q["LSGKP"]
    forces = {"fx": Fx, "fy": Fy, "mx": Mx, "my": My, "mz": Mz}
    return {**forces, "Kx": Kx, "Ky": Ky, "sigma_kappa": sigma_kappa, "sigma_alpha": sigma_alpha}
