"""Tires for tests: the Magic Formula written down a second time, an example, a wheel on a trolley.

``reference`` follows the equations one by one, in plain floats, with the trigonometric functions as they are printed.
It shares no line with the package.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import atan, cos, exp, pi, sin, sqrt, tan
from typing import Any

from jounce.components.tire.base import Tire
from jounce.components.tire.pac2002 import Pac2002
from jounce.components.tire.wheel import Mounted, declare, mount
from jounce.road.ground import Plane
from jounce.symbolic import System
from jounce.symbolic.friction import coulomb

# A made-up tire with asymmetries, for which reference values exist (computed independently of this package).
EXAMPLE: dict[str, float] = {
    "VXLOW": 1.0, "LONGVL": 16.7, "UNLOADED_RADIUS": 0.3135, "RIM_RADIUS": 0.203,
    "VERTICAL_STIFFNESS": 2.0e5, "VERTICAL_DAMPING": 300, "BREFF": 8.4, "DREFF": 0.27, "FREFF": 0.07, "FNOMIN": 4000,
    "KPUMIN": -1.0, "KPUMAX": 1.0, "ALPMIN": -1.5708, "ALPMAX": 1.5708, "CAMMIN": -0.2618, "CAMMAX": 0.2618,
    "FZMIN": 200, "FZMAX": 9000,
    "PCX1": 1.6, "PDX1": 1.15, "PDX2": -0.08, "PEX1": 0.1, "PEX2": 0.1, "PKX1": 22, "PKX3": 0.2, "PHX1": -0.0005,
    "RBX1": 12, "RBX2": -9, "RCX1": 1.1, "PTX1": 1.0, "PTX2": 0.3, "PTX3": 0.2,
    "PCY1": 1.35, "PDY1": 1.0, "PDY2": -0.1, "PDY3": 1.5, "PEY1": -0.8, "PEY2": -0.6, "PEY3": 0.1, "PEY4": -6,
    "PKY1": -18, "PKY2": 1.8, "PKY3": 0.4, "PHY1": 0.002, "PHY3": 0.03, "PVY1": 0.02, "PVY3": -0.16,
    "RBY1": 10, "RBY2": 8, "RCY1": 1.05, "RHY1": 0.01, "RVY3": -0.1, "RVY4": 15, "RVY5": 1.9, "RVY6": -20,
    "PTY1": 2.1, "PTY2": 2.0,
    "QBZ1": 9, "QBZ2": -1.2, "QBZ5": -0.15, "QBZ9": 18, "QCZ1": 1.2, "QDZ1": 0.1, "QDZ2": -0.005, "QDZ6": 0.001,
    "QDZ8": -0.14, "QEZ1": -2, "QEZ2": 0.6, "QEZ4": 0.2, "QEZ5": -0.5, "QHZ1": 0.002, "QHZ3": 0.2, "SSZ1": 0.01,
    "SSZ2": 0.02, "QSY1": 0.01, "QSX2": 0.5, "QSX3": 0.1,
}  # fmt: skip

# Every coefficient different from zero and every factor different from one: nothing can hide.
FULL: dict[str, float] = {
    **EXAMPLE,
    "PDX3": 0.4, "PEX3": -0.05, "PEX4": 0.07, "PKX2": -0.6, "PHX2": 0.0003, "PVX1": 0.002, "PVX2": -0.001, "RBX3": 3.0,
    "REX1": 0.05, "REX2": -0.1, "RHX1": 0.004, "PHY2": -0.0007, "PVY2": 0.01, "PVY4": -0.09, "RBY3": -0.01,
    "RBY4": 2.0, "REY1": 0.1, "REY2": 0.04, "RHY2": 0.006, "RVY1": 0.03, "RVY2": -0.02, "QBZ3": -0.3, "QBZ4": 0.2,
    "QBZ10": 0.1, "QDZ3": 0.3, "QDZ4": -2.0, "QDZ7": 0.0004, "QDZ9": 0.05, "QEZ3": -0.2, "QHZ2": 0.001, "QHZ4": 0.05,
    "SSZ3": 0.2, "SSZ4": -0.1, "QSY2": 0.03, "QSY3": 0.002, "QSY4": 0.0003, "QSX1": 0.006, "QTZ1": 0.2, "MBELT": 5.0,
    "LFZO": 1.03, "LCX": 0.98, "LMUX": 0.93, "LEX": 1.1, "LKX": 0.9, "LHX": 1.2, "LVX": 0.8, "LGAX": 1.1, "LCY": 0.97,
    "LMUY": 0.9, "LEY": 1.2, "LKY": 0.94, "LHY": 1.3, "LVY": 0.7, "LGAY": 0.9, "LKYG": 1.15, "LTR": 0.85, "LRES": 1.2,
    "LGAZ": 1.1, "LXAL": 0.9, "LYKA": 1.1, "LVYKA": 0.8, "LS": 1.2, "LSGKP": 0.9, "LSGAL": 1.1, "LMX": 0.9, "LVMX": 1.1,
    "LMY": 1.2, "LGYR": 0.9,
}  # fmt: skip


# And what later files have: inflation pressure, the mixed part of the overturning moment, more of rolling resistance.
LATER_TERMS: dict[str, float] = {
    "IP": 2.5e5, "IP_NOM": 2.1e5, "LIP": 0.93, "PRESMIN": 1e5, "PRESMAX": 4e5, "LCZ": 0.92, "PPX1": -0.35, "PPX2": 0.2,
    "PPX3": -0.09, "PPX4": -0.12, "PPY1": -0.5, "PPY2": -0.1, "PPY3": -0.12, "PPY4": 0.05, "QPZ1": -0.4, "QPZ2": -0.3,
    "QPX1": 0.15, "QPFZ1": 0.7, "QSX4": 0.05, "QSX5": 1.1, "QSX6": 0.8, "QSX7": 0.7, "QSX8": 0.6, "QSX9": 0.5,
    "QSX10": 0.2, "QSX11": 1.5, "QSY5": 0.1, "QSY6": -0.05, "QSY7": -0.1, "QSY8": -0.4,
}  # fmt: skip
COMPLETE = {**FULL, **LATER_TERMS}
ALL_TERMS = {"pressure": True, "mixed_overturning": True, "further_rolling": True}  # of the structure


def sgn(x: float) -> float:
    return float(x > 0) - float(x < 0)


def mf(b: float, c: float, d: float, e: float, x: float) -> float:
    return d * sin(c * atan(b * x - e * (b * x - atan(b * x))))


def mc(b: float, c: float, d: float, e: float, x: float) -> float:
    return d * cos(c * atan(b * x - e * (b * x - atan(b * x))))


def names(text: str, value: float) -> dict[str, float]:
    return dict.fromkeys(text.split(), value)


def reference(
    values: Mapping[str, float],
    load: float,
    kappa: float,
    alpha: float,
    gamma: float,
    *,
    mode: int = 4,
    variant: str = "PAC2002",
    mu: float = 1.0,
    vx: float | None = None,
) -> dict[str, float]:
    """Fx, Fy, Mx, My, Mz and what leads to them, for a wheel that rolls forward faster than VXLOW."""
    zero = names(
        "PDX2 PDX3 PEX1 PEX2 PEX3 PEX4 PKX2 PKX3 PHX1 PHX2 PVX1 PVX2 RBX1 RBX2 RBX3 RCX1 REX1 REX2 RHX1 PTX1 PTX2 PTX3 "
        "PDY2 PDY3 PEY1 PEY2 PEY3 PEY4 PKY3 PHY1 PHY2 PHY3 PVY1 PVY2 PVY3 PVY4 RBY1 RBY2 RBY3 RBY4 RCY1 REY1 REY2 RHY1 "
        "RHY2 RVY1 RVY2 RVY3 RVY4 RVY5 RVY6 PTY1 PTY2 QBZ1 QBZ2 QBZ3 QBZ4 QBZ5 QBZ9 QBZ10 QCZ1 QDZ1 QDZ2 QDZ3 QDZ4 "
        "QDZ6 QDZ7 QDZ8 QDZ9 QEZ1 QEZ2 QEZ3 QEZ4 QEZ5 QHZ1 QHZ2 QHZ3 QHZ4 SSZ1 SSZ2 SSZ3 SSZ4 QSY1 QSY2 QSY3 QSY4 "
        "QSX1 QSX2 QSX3 QSX4 QSX5 QSX6 QSX7 QSX8 QSX9 QSX10 QSX11 QSY5 QSY6 QSY7 QSY8 PPX1 PPX2 PPX3 PPX4 PPY1 PPY2 "
        "PPY3 PPY4 QPZ1 QPZ2 QPX1 IP IP_NOM PRESMIN",
        0.0,
    )
    one = names(
        "LFZO LCX LMUX LEX LKX LHX LVX LGAX LCY LMUY LEY LKY LHY LVY LGAY LKYG LTR LRES LGAZ LXAL LYKA LVYKA LS LSGKP "
        "LSGAL LMX LVMX LMY LIP",
        1.0,
    )
    one["PRESMAX"] = 1e9
    q: dict[str, float] = {**zero, **one, **{k: float(v) for k, v in values.items()}}
    R0, V0 = q["UNLOADED_RADIUS"], q["LONGVL"]
    speed = V0 if vx is None else vx
    lmux, lmuy = q["LMUX"] * mu, q["LMUY"] * mu
    Fz = min(max(load, q["FZMIN"]), q["FZMAX"])
    share = min(max(load, 0.0) / q["FZMIN"], 1.0)
    k = min(max(kappa, q["KPUMIN"]), q["KPUMAX"])
    a = min(max(alpha, q["ALPMIN"]), q["ALPMAX"])
    g = min(max(gamma, q["CAMMIN"]), q["CAMMAX"])
    Fz0 = q["LFZO"] * q["FNOMIN"]
    d = (Fz - Fz0) / Fz0
    p0 = q["IP_NOM"] or q["IP"] or 2.2e5
    p = min(max(q["LIP"] * (q["IP"] or p0), q["PRESMIN"]), q["PRESMAX"])
    dp = (p - p0) / p0

    gx = g * q["LGAX"]
    SHx = (q["PHX1"] + q["PHX2"] * d) * q["LHX"]
    SVx = Fz * (q["PVX1"] + q["PVX2"] * d) * q["LVX"] * lmux
    Cx = q["PCX1"] * q["LCX"]
    mux = (q["PDX1"] + q["PDX2"] * d) * (1 + q["PPX3"] * dp + q["PPX4"] * dp**2) * (1 - q["PDX3"] * gx**2) * lmux
    Dx = mux * Fz
    Kx = Fz * (q["PKX1"] + q["PKX2"] * d) * exp(q["PKX3"] * d) * (1 + q["PPX1"] * dp + q["PPX2"] * dp**2) * q["LKX"]
    kx = k + SHx
    Ex = min((q["PEX1"] + q["PEX2"] * d + q["PEX3"] * d**2) * (1 - q["PEX4"] * sgn(kx)) * q["LEX"], 1.0)
    Fx0 = mf(Kx / (Cx * Dx), Cx, Dx, Ex, kx) + SVx

    gy = g * q["LGAY"]
    Cy = q["PCY1"] * q["LCY"]
    muy = (q["PDY1"] + q["PDY2"] * d) * (1 + q["PPY3"] * dp + q["PPY4"] * dp**2) * (1 - q["PDY3"] * gy**2) * lmuy
    Dy = muy * Fz
    Ky0 = q["PKY1"] * q["FNOMIN"] * (1 + q["PPY1"] * dp) * q["LFZO"] * q["LKY"]
    Ky0 *= sin(2 * atan(Fz / (q["PKY2"] * Fz0 * (1 + q["PPY2"] * dp))))
    Ky = Ky0 * (1 - q["PKY3"] * abs(gy))
    By = Ky / (Cy * Dy)
    if variant == "MF_05":
        SHy = (q["PHY1"] + q["PHY2"] * d + q["PHY3"] * gy) * q["LHY"]
        SVy = Fz * (q["PVY1"] + q["PVY2"] * d + (q["PVY3"] + q["PVY4"] * d) * gy) * q["LVY"] * q["LKY"]
        q["RBX3"] = q["RBY4"] = 0.0
    else:
        SHy = (q["PHY1"] + q["PHY2"] * d) * q["LHY"] + q["PHY3"] * gy * q["LKYG"]
        lift = (q["PVY1"] + q["PVY2"] * d) * q["LVY"] + (q["PVY3"] + q["PVY4"] * d) * gy * q["LKYG"]
        SVy = Fz * lift * lmuy
    ay = a + SHy
    Ey = min((q["PEY1"] + q["PEY2"] * d) * (1 - (q["PEY3"] + q["PEY4"] * gy) * sgn(ay)) * q["LEY"], 1.0)
    Fy0 = mf(By, Cy, Dy, Ey, ay) + SVy

    gz = g * q["LGAZ"]
    at = a + q["QHZ1"] + q["QHZ2"] * d + (q["QHZ3"] + q["QHZ4"] * d) * gz
    ar = a + SHy + SVy / Ky
    Bt = (q["QBZ1"] + q["QBZ2"] * d + q["QBZ3"] * d**2) * (1 + q["QBZ4"] * gz + q["QBZ5"] * abs(gz)) * q["LKY"] / lmuy
    Ct = q["QCZ1"]
    Dt = Fz * (q["QDZ1"] + q["QDZ2"] * d) * (1 + q["QDZ3"] * gz + q["QDZ4"] * gz**2) * (R0 / Fz0) * q["LTR"]
    Dt *= 1 - q["QPZ1"] * dp
    Et = (q["QEZ1"] + q["QEZ2"] * d + q["QEZ3"] * d**2) * (
        1 + (q["QEZ4"] + q["QEZ5"] * gz) * (2 / pi) * atan(Bt * Ct * at)
    )
    Et = min(Et, 1.0)
    Br = q["QBZ9"] * q["LKY"] / lmuy + q["QBZ10"] * By * Cy
    leaning = (q["QDZ8"] + q["QDZ9"] * d) * (1 + q["QPZ2"] * dp) * gz
    Dr = Fz * R0 * ((q["QDZ6"] + q["QDZ7"] * d) * q["LRES"] + leaning) * lmuy

    if mode % 10 == 4:
        Bxa = (q["RBX1"] + q["RBX3"] * g**2) * cos(atan(q["RBX2"] * k)) * q["LXAL"]
        Exa = min(q["REX1"] + q["REX2"] * d, 1.0)
        Gxa = mc(Bxa, q["RCX1"], 1, Exa, a + q["RHX1"]) / mc(Bxa, q["RCX1"], 1, Exa, q["RHX1"])
        Fx = max(Gxa, 0.0) * Fx0
        Byk = (q["RBY1"] + q["RBY4"] * g**2) * cos(atan(q["RBY2"] * (a - q["RBY3"]))) * q["LYKA"]
        Eyk = min(q["REY1"] + q["REY2"] * d, 1.0)
        SHyk = q["RHY1"] + q["RHY2"] * d
        Gyk = mc(Byk, q["RCY1"], 1, Eyk, k + SHyk) / mc(Byk, q["RCY1"], 1, Eyk, SHyk)
        DVyk = muy * Fz * (q["RVY1"] + q["RVY2"] * d + q["RVY3"] * g) * cos(atan(q["RVY4"] * a))
        SVyk = DVyk * sin(q["RVY5"] * atan(q["RVY6"] * k)) * q["LVYKA"]
        Fy = max(Gyk, 0.0) * Fy0 + SVyk
        at_eq = atan(sqrt(tan(at) ** 2 + (Kx / Ky * k) ** 2)) * (1 if at >= 0 else -1)
        ar_eq = atan(sqrt(tan(ar) ** 2 + (Kx / Ky * k) ** 2)) * (1 if ar >= 0 else -1)
        s = (q["SSZ1"] + q["SSZ2"] * Fy / Fz0 + (q["SSZ3"] + q["SSZ4"] * d) * g) * R0 * q["LS"]
    else:
        Fx, Fy, SVyk, at_eq, ar_eq, s = Fx0, Fy0, 0.0, at, ar, 0.0
    t = mc(Bt, Ct, Dt, Et, at_eq) * cos(a)
    Mz = -t * (Fy - SVyk) + Dr * cos(atan(Br * ar_eq)) * cos(a) + s * Fx
    Mx = q["QSX1"] * q["LVMX"] + q["QSX3"] * Fy / Fz0
    Mx += (q["QSX10"] * atan(q["QSX11"] * Fz / Fz0) - q["QSX2"] * (1 + q["QPX1"] * dp)) * g
    hanging = sin(q["QSX7"] * g + q["QSX8"] * atan(q["QSX9"] * Fy / Fz0))
    Mx += q["QSX4"] * cos(q["QSX5"] * atan((q["QSX6"] * Fz / Fz0) ** 2)) * hanging
    Mx *= R0 * Fz * q["LMX"]
    if q["QSY1"] == 0 and q["QSY2"] == 0:
        My = R0 * (SVx + Kx * SHx)
    else:
        # in reverse the whole wheel is turned by 180 degrees: Fx and My change sign, not QSY2 Fx against My
        rolling = q["QSY1"] + q["QSY2"] * Fx / Fz0 + q["QSY3"] * abs(speed / V0) + q["QSY4"] * (speed / V0) ** 4
        rolling += q["QSY5"] * g**2 + q["QSY6"] * g**2 * Fz / Fz0
        My = -R0 * Fz * rolling * (Fz / Fz0) ** q["QSY7"] * (p / p0) ** q["QSY8"] * q["LMY"]
    slip = mode % 10
    if slip in (0, 2):
        Fx = My = 0.0
    if slip in (0, 1):
        Fy = Mx = Mz = 0.0
    forces = {"fx": Fx, "fy": Fy, "mx": Mx, "my": My, "mz": Mz}
    sigma_kappa = Fz * (q["PTX1"] + q["PTX2"] * d) * exp(-q["PTX3"] * d) * (R0 / q["FNOMIN"]) * q["LSGKP"]
    turned = sin(2 * atan(Fz / (q["PTY2"] * Fz0))) if q["PTY2"] else 0.0
    sigma_alpha = q["PTY1"] * turned * (1 - q["PKY3"] * abs(gy)) * R0 * q["LFZO"] * q["LSGAL"]
    return {
        **{name: share * value for name, value in forces.items()},
        **dict(zip(("Kx", "Ky", "Dx", "Dy", "SVx", "SVy"), (Kx, Ky, Dx, Dy, SVx, SVy), strict=True)),
        **dict(
            zip(
                ("SHx", "SHy", "t0", "sigma_kappa", "sigma_alpha"),
                (SHx, SHy, Dt, sigma_kappa, sigma_alpha),
                strict=True,
            )
        ),
    }


def tire(values: Mapping[str, float] = EXAMPLE, mode: int = 14, variant: str = "PAC2002", **options: Any) -> Tire:
    model = Pac2002(mode=mode, variant=variant, **options)
    return Tire(model, model.complete(values), side="left", name="example")


def example_text(values: Mapping[str, float] = EXAMPLE, **model: Any) -> str:
    """A tire file in SI units."""
    from jounce.components.tire.pac2002 import BY_NAME

    keys = {"PROPERTY_FILE_FORMAT": "'PAC2002'", "USE_MODE": 14, "TYRESIDE": "'LEFT'", **model}
    blocks: dict[str, list[str]] = {"MODEL": [f"{k} = {v}" for k, v in keys.items()]}
    for name, value in values.items():
        blocks.setdefault(BY_NAME[name].block, []).append(f"{name} = {value!r}")
    head = (
        "[MDI_HEADER]\nFILE_TYPE = 'tir'\nFILE_VERSION = 3.0\nFILE_FORMAT = 'ASCII'\n[UNITS]\nLENGTH = 'meter'\n"
        "FORCE = 'newton'\nANGLE = 'radian'\nMASS = 'kg'\nTIME = 'second'\n"
    )
    return head + "".join(f"[{block}]\n" + "\n".join(lines) + "\n" for block, lines in blocks.items())


def rig(
    tire: Tire,
    *,
    mass: float = 400.0,
    spin_inertia: float = 1.0,
    size: float = 1.0,
    steer: bool = False,
    side: str = "left",
    **options: Any,
) -> System:
    """One wheel on a trolley that moves along the world's x and z; plane ground, drive and brake torque.

    With ``steer`` the wheel is turned by an input, so that it runs with side slip. ``size``: of the brake, that of a
    car is 1. ``options``: of ``mount``.
    """
    system = System("rig")
    ground = Plane.declare(system, inclined=True)
    trolley = system.prismatic("x", system.world, axis="x")
    lift = system.prismatic("z", trolley.frame, axis="z")
    carrier = lift.frame
    if steer:
        angle = system.input("steer", "rad", "of the wheel, to the left", rate=True)
        carrier = lift.frame.guided("carrier", (0, 0, 0), (("z", angle),))
    body = system.body("trolley", carrier, system.parameter("mass", mass, "kg"), (1.0, 1.0, 1.0))
    wheel = system.gyrostat("wheel", body, "y", system.parameter("spin_inertia", spin_inertia, "kg.m2"))
    drive = system.input("drive", "N.m")
    brake = system.input("brake", "N.m", "largest friction torque")
    lost = coulomb(system, "pad", wheel.spin, brake, 6e4 * size, 300.0 * size, unit="rad")
    wheel.torque(drive - lost)
    mounted: Mounted = mount(system, declare(system, tire), wheel, ground, side, **options)
    mounted.declare_outputs(system)
    system.output("x", trolley.q[0], "m")
    system.output("v", trolley.u[0], "m/s", watch=True)
    system.output("spin", wheel.spin, "rad/s")
    system.output("pad_torque", lost, "N.m")
    return system
