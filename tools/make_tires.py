"""Make the tires of the library from a few target figures: python tools/make_tires.py [--check]

The figures are choices of this project, inside what tires of such a size usually show; they are no measurement of any
product and no coefficient comes from one. Coefficients follow from the figures by inverting the Magic Formula (equation
numbers of jounce.components.tire.pac2002):

    Bx = y(Cx, Ex)/κ_peak,  PKX1 = Bx Cx µx          y(C, E): where (1) has its peak, E chosen                     (a)
    PKY1 = -C_α/(Fz0 sin 2 atan(1/PKY2)),  Ey such that the peak lies at α_peak                                   (b)
    QDZ1 = t0/R0,  Bt such that the trail is gone at 1.05 α_peak                                                   (c)
    PTY1 = σα/(R0 sin 2 atan(1/PTY2)),  PTX1 = σκ/R0                                                               (d)
    PVY3 = -C_γ/Fz                                                                                                 (e)
    RBX1, RBY1: a force is reduced to 0.56 (trucks 0.53) where the other slip alone is at its peak                 (f)
    QSY2 = (re - r)/R0: what a driven wheel gives to the road is what it gets, less the slip                       (g)

The tires are symmetric: nothing makes them pull to one side.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from pathlib import Path

from jounce.components.tire.base import Tire
from jounce.components.tire.pac2002 import Pac2002, peak
from jounce.files.tir import tir_text

FOLDER = Path(__file__).resolve().parent.parent / "src/jounce/library/tires"
LICENCE = "CC0-1.0"
INCH = 0.0254
REDUCED = 0.56  # keeps combined forces inside the friction ellipse, and near it where both slips are at their peaks


@dataclass(frozen=True)
class Target:
    """What a tire shall show at its nominal load. Angles in degrees here, for people; all else SI."""

    name: str
    size: str  # width in mm / aspect in % R rim in inch
    rim_width_inch: float
    load: float  # N, nominal
    vertical_rate: float  # N/m
    stiffness: float  # cornering stiffness over load, 1/deg
    mu_y: float
    mu_x: float
    alpha_peak: float  # deg
    kappa_peak: float
    trail: float  # m, pneumatic trail at zero slip
    sigma_alpha: float  # m
    sigma_kappa: float  # m
    rolling: float  # rolling resistance over load
    load_at_stiffest: float = 2.0  # PKY2
    load_at_longest: float = 2.0  # PTY2, of the lateral relaxation length
    mu_y_load: float = -0.14  # dµ/dfz
    mu_x_load: float = -0.10
    camber: float = 0.014  # camber stiffness over load, 1/deg
    vertical_damping: float = 250.0  # N.s/m
    shape_y: float = 1.35
    shape_x: float = 1.55
    curvature_x: float = -0.5
    reduced: float = REDUCED


TARGETS = (
    Target("compact_205_55r16", "205/55R16", 6.5, 4000, 202e3, 0.300, 1.02, 1.12, 8.0, 0.115, 0.034, 0.36, 0.28,
           0.0095, load_at_longest=1.2),
    Target("sedan_225_50r17", "225/50R17", 7.5, 4100, 236e3, 0.325, 1.05, 1.15, 7.8, 0.110, 0.034, 0.38, 0.29,
           0.0095),
    Target("suv_235_60r18", "235/60R18", 7.5, 5000, 255e3, 0.280, 0.95, 1.05, 8.8, 0.125, 0.035, 0.425, 0.34,
           0.0098, load_at_longest=1.2),
    Target("sports_front_245_35r19", "245/35R19", 8.5, 3100, 275e3, 0.420, 1.20, 1.29, 6.4, 0.095, 0.029, 0.32,
           0.24, 0.0108),
    Target("sports_rear_305_30r20", "305/30R20", 11.0, 4200, 315e3, 0.430, 1.20, 1.30, 6.2, 0.092, 0.030, 0.35,
           0.26, 0.0112),
    Target("light_truck_265_65r17", "265/65R17", 8.0, 5400, 252e3, 0.218, 0.89, 0.95, 10.2, 0.140, 0.047, 0.52,
           0.40, 0.0110),
    Target("bev_245_45r19", "245/45R19", 8.5, 5000, 268e3, 0.350, 1.05, 1.14, 7.6, 0.105, 0.035, 0.40, 0.30, 0.0085),
    # of trucks, vans and their trailers: stiff and inflated high, so that they slip little, peak late and roll easily
    Target("truck_steer_315_80r22", "315/80R22.5", 9.0, 34000, 980e3, 0.138, 0.80, 0.86, 13.0, 0.170, 0.062, 0.72,
           0.55, 0.0056, camber=0.010, vertical_damping=1500.0, reduced=0.53),
    Target("truck_drive_315_80r22", "315/80R22.5", 9.0, 20000, 920e3, 0.168, 0.78, 0.86, 13.5, 0.165, 0.056, 0.66,
           0.50, 0.0062, camber=0.010, vertical_damping=1500.0, reduced=0.53),
    Target("trailer_385_65r22", "385/65R22.5", 11.75, 36000, 1150e3, 0.142, 0.78, 0.84, 13.5, 0.175, 0.066, 0.76,
           0.58, 0.0050, camber=0.010, vertical_damping=1500.0, reduced=0.53),
    Target("van_225_75r16", "225/75R16", 6.5, 9000, 335e3, 0.215, 0.90, 0.97, 10.0, 0.135, 0.038, 0.50, 0.38,
           0.0090),
    Target("caravan_195_70r14", "195/70R14", 5.5, 6800, 255e3, 0.215, 0.90, 0.97, 10.0, 0.135, 0.036, 0.45, 0.34,
           0.0095),
    # slicks; their nominal load is that at speed, with downforce
    Target("formula_front_240_45r13", "240/45R13", 9.5, 2500, 270e3, 0.520, 1.375, 1.61, 5.4, 0.085, 0.026, 0.32,
           0.20, 0.0150, mu_y_load=-0.33, mu_x_load=-0.27, camber=0.012),
    Target("formula_rear_290_45r13", "290/45R13", 12.0, 3100, 292e3, 0.560, 1.375, 1.61, 5.4, 0.085, 0.026, 0.34,
           0.21, 0.0150, mu_y_load=-0.33, mu_x_load=-0.27, camber=0.012),
)  # fmt: skip


def dimensions(size: str) -> tuple[float, float, float]:
    """Width, rim radius and free radius in m of a size such as 205/55R16."""
    width, rest = size.split("/")
    aspect, rim = rest.split("R")
    rim_radius = float(rim) * INCH / 2
    return float(width) / 1000, rim_radius, rim_radius + float(width) / 1000 * float(aspect) / 100


def curvature(c: float, y: float) -> float:
    """E for which the peak of (1) lies at B x = y."""
    return (math.tan(math.pi / (2 * c)) - y) / (math.atan(y) - y)


def coefficients(t: Target) -> dict[str, float]:
    """Coefficients from figures."""
    _, rim, r0 = dimensions(t.size)
    deg = math.pi / 180
    alpha_peak = t.alpha_peak * deg
    # longitudinal (a)
    bx = float(peak(t.shape_x, t.curvature_x)) / t.kappa_peak
    # lateral (b)
    c_alpha = t.stiffness / deg  # over load, 1/rad
    pky1 = -c_alpha / math.sin(2 * math.atan(1 / t.load_at_stiffest))
    y = c_alpha / (t.shape_y * t.mu_y) * alpha_peak
    pey1 = curvature(t.shape_y, y)
    # trail (c): the cosine is zero where C atan(...) = π/2
    qcz1, qez1 = 1.15, -1.8
    bt = float(peak(qcz1, qez1)) / (1.05 * alpha_peak)
    # (g) forces act at the loaded radius, the wheel rolls with the effective one
    breff, dreff, freff = 8.4, 0.27, 0.07
    arm = t.load / t.vertical_rate * (1 - freff - dreff * math.atan(breff))
    # combined slip (f): cos(atan(B x)) at x = peak
    slope = math.sqrt(1 / t.reduced**2 - 1)
    values = {
        "LONGVL": 16.7,
        "VXLOW": 1.0,
        "UNLOADED_RADIUS": r0,
        "RIM_RADIUS": rim,
        "VERTICAL_STIFFNESS": t.vertical_rate,
        "VERTICAL_DAMPING": t.vertical_damping,
        "FNOMIN": t.load,
        "BREFF": breff,
        "DREFF": dreff,
        "FREFF": freff,
        "BOTTOM_STIFF": 10 * t.vertical_rate,
        "BOTTOM_OFFST": 0.012,
        "KPUMIN": -1.0,
        "KPUMAX": 1.0,
        "ALPMIN": -1.5,
        "ALPMAX": 1.5,
        "CAMMIN": -0.26,
        "CAMMAX": 0.26,
        "FZMIN": 100.0,
        "FZMAX": 3.0 * t.load,
        "PCX1": t.shape_x,
        "PDX1": t.mu_x,
        "PDX2": t.mu_x_load,
        "PEX1": t.curvature_x,
        "PKX1": bx * t.shape_x * t.mu_x,
        "PKX3": 0.15,
        "RBX1": slope / alpha_peak,
        "RBX2": -6.0,
        "RCX1": 1.0,
        "PTX1": t.sigma_kappa / r0,
        "PTX2": 0.1,
        "PTX3": 0.1,
        "PCY1": t.shape_y,
        "PDY1": t.mu_y,
        "PDY2": t.mu_y_load,
        "PDY3": 1.5,
        "PEY1": pey1,
        "PEY2": -0.15,
        "PKY1": pky1,
        "PKY2": t.load_at_stiffest,
        "PKY3": 0.35,
        "PVY3": -t.camber / deg,
        "RBY1": slope / t.kappa_peak,
        "RBY2": 5.0,
        "RCY1": 1.0,
        "RVY3": -0.15,
        "RVY4": 12.0,
        "RVY5": 1.9,
        "RVY6": 10.0,
        "PTY1": t.sigma_alpha / r0 / math.sin(2 * math.atan(1 / t.load_at_longest)),
        "PTY2": t.load_at_longest,
        "QBZ1": bt,
        "QBZ2": -0.15 * bt,
        "QBZ5": -0.1,
        "QBZ9": 15.0,
        "QCZ1": qcz1,
        "QDZ1": t.trail / r0,
        "QDZ2": -0.28 * t.trail / r0,
        "QDZ8": -0.12,
        "QEZ1": qez1,
        "QEZ5": -0.4,
        "SSZ2": 0.02,
        "SSZ3": 0.25,
        "QSY1": t.rolling,
        "QSY2": arm / r0,
        "QSY3": 0.04 * t.rolling,
        "QSX2": 0.6,
        "QSX3": 0.05,
    }
    # six digits are more than the figures mean, and keep the files readable
    return {name: float(f"{value:.6g}") for name, value in values.items()}


def make(t: Target) -> Tire:
    model = Pac2002(mode=14)
    width, _, _ = dimensions(t.size)
    sizes = {"WIDTH": width, "RIM_WIDTH": round(t.rim_width_inch * INCH, 4)}
    return Tire(model, model.complete(coefficients(t)), side="symmetric", name=t.name, sizes=sizes)


def text(t: Target) -> str:
    """The file of a tire, with where it comes from."""
    comments = [
        f"{t.name}: a tire of the size {t.size}",
        "author: the jounce authors; licence: " + LICENCE,
        "source: made by tools/make_tires.py from the target figures below; do not edit by hand",
        "measured: nothing; all figures are choices within the usual range of the size, no product is described",
        f"at {t.load:g} N: cornering stiffness/load {t.stiffness:g} 1/deg, peak friction {t.mu_y:g} lateral and "
        f"{t.mu_x:g} longitudinal",
        f"peaks near {t.alpha_peak:g} deg and {t.kappa_peak:g}; pneumatic trail {t.trail * 1000:g} mm; relaxation "
        f"{t.sigma_alpha:g} m and {t.sigma_kappa:g} m",
    ]
    return tir_text(make(t), comments)


def main(arguments: list[str]) -> int:
    stale = []
    for t in TARGETS:
        path = FOLDER / f"{t.name}.tir"
        new = text(t)
        if not path.is_file() or path.read_text(encoding="utf-8") != new:
            stale.append(path.name)
            if "--check" not in arguments:
                path.write_text(new, encoding="utf-8", newline="\n")
    print(f"{len(stale)} of {len(TARGETS)} files {'are stale' if '--check' in arguments else 'written'}: {stale}")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
