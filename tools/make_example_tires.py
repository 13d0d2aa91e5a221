"""Write the example tires of the library, one for each further model: MF 6.1, MF 6.2, PAC_MC, Fiala.

    python tools/make_example_tires.py [folder]

They show what a file of each kind looks like, and give tests and demonstrations something to run. All numbers are
choices, rounded, within the usual range of such tires; none describes a product, nothing was measured (CC0-1.0). The
cars of the library use the tires of ``make_tires``.
"""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from pathlib import Path

from jounce.components.tire.base import Tire
from jounce.components.tire.contact import section_profile
from jounce.components.tire.fiala import Fiala
from jounce.components.tire.mf6 import Mf6
from jounce.components.tire.pac_mc import PacMc
from jounce.core.library import LIBRARY
from jounce.files.tir import tir_text

CAR: dict[str, float] = {
    "VXLOW": 1.0, "LONGVL": 16.7, "UNLOADED_RADIUS": 0.328, "RIM_RADIUS": 0.2159, "WIDTH": 0.225, "ASPECT_RATIO": 0.5,
    "INFLPRES": 2.4e5, "NOMPRES": 2.4e5, "FNOMIN": 4100, "VERTICAL_STIFFNESS": 2.35e5, "VERTICAL_DAMPING": 300,
    "BREFF": 8.0, "DREFF": 0.24, "FREFF": 0.08, "Q_RE0": 0.998, "Q_V1": 0.0007, "Q_V2": 0.045, "Q_FZ2": 14.0,
    "Q_FCX": 0.1, "Q_FCY": 0.25, "PFZ1": 0.72, "BOTTOM_STIFF": 2e6, "BOTTOM_OFFST": 0.015,
    "LONGITUDINAL_STIFFNESS": 3.5e5, "LATERAL_STIFFNESS": 1.35e5, "PCFX1": 0.15, "PCFX3": 0.2, "PCFY1": 0.12,
    "PCFY3": 0.25, "PRESMIN": 1.5e5, "PRESMAX": 3.5e5, "KPUMIN": -1.0, "KPUMAX": 1.0, "ALPMIN": -1.5, "ALPMAX": 1.5,
    "CAMMIN": -0.25, "CAMMAX": 0.25, "FZMIN": 150, "FZMAX": 10000,
    "PCX1": 1.6, "PDX1": 1.13, "PDX2": -0.09, "PDX3": 0.2, "PEX1": 0.05, "PEX2": 0.2, "PKX1": 21.0, "PKX2": -0.4,
    "PKX3": 0.2, "PPX1": -0.35, "PPX2": 0.1, "PPX3": -0.08, "PPX4": -0.1, "RBX1": 13.0, "RBX2": -10.0, "RCX1": 1.05,
    "PCY1": 1.35, "PDY1": 1.04, "PDY2": -0.11, "PDY3": 0.6, "PEY1": -0.7, "PEY2": -0.3, "PEY4": -2.0, "PEY5": 2.0,
    "PKY1": -19.5, "PKY2": 1.9, "PKY3": 0.3, "PKY4": 2.0, "PKY5": 0.4, "PKY6": -0.85, "PKY7": -0.1, "PVY3": -0.25,
    "PVY4": -0.15, "PPY1": -0.5, "PPY2": -0.15, "PPY3": -0.1, "PPY4": -0.05, "PPY5": -0.3, "RBY1": 11.0, "RBY2": 8.0,
    "RCY1": 1.05, "RVY3": -0.1, "RVY4": 12.0, "RVY5": 1.9, "RVY6": -12.0, "QSX2": 0.6, "QSX3": 0.05, "QSX10": 0.1,
    "QSX11": 2.0, "PPMX1": 0.1, "QSY1": 0.0095, "QSY2": 0.03, "QSY3": 0.001, "QSY4": 0.0001, "QSY5": 0.1, "QSY7": 0.9,
    "QSY8": -0.4, "QBZ1": 9.5, "QBZ2": -1.2, "QBZ3": -0.3, "QBZ5": -0.2, "QBZ9": 15.0, "QBZ10": 0.1, "QCZ1": 1.2,
    "QDZ1": 0.1, "QDZ2": -0.004, "QDZ4": -2.0, "QDZ8": -0.13, "QDZ9": -0.03, "QDZ10": 0.15, "QEZ1": -1.6, "QEZ2": 0.5,
    "QEZ5": -1.0, "QHZ3": 0.1, "PPZ1": -0.35, "PPZ2": -0.2, "SSZ2": 0.02, "SSZ3": 0.1,
}  # fmt: skip
TURNING: dict[str, float] = {
    "PDXP1": 0.4, "PKYP1": 1.0, "PDYP1": 0.4, "PHYP1": 1.0, "PHYP2": 0.15, "PHYP4": -4.0, "PECP1": 0.5, "QDTP1": 10.0,
    "QCRP1": 0.2, "QCRP2": 0.1, "QBRP1": 0.1, "QDRP1": 1.0,
}  # fmt: skip
CAMBER_62: dict[str, float] = {"Q_CAM1": 0.9, "Q_CAM2": 0.5, "Q_CAM3": 0.3, "Q_FCY2": -0.1, "Q_FYS1": 200.0}
MOTORCYCLE: dict[str, float] = {
    "VXLOW": 1.0, "LONGVL": 16.7, "UNLOADED_RADIUS": 0.316, "RIM_RADIUS": 0.2159, "FNOMIN": 1500,
    "VERTICAL_STIFFNESS": 1.6e5, "VERTICAL_DAMPING": 80, "BREFF": 8.0, "DREFF": 0.25, "FREFF": 0.07, "KPUMIN": -1.0,
    "KPUMAX": 1.0, "ALPMIN": -1.5, "ALPMAX": 1.5, "CAMMIN": -1.1, "CAMMAX": 1.1, "FZMIN": 80, "FZMAX": 4500,
    "PCX1": 1.7, "PDX1": 1.25, "PDX2": -0.03, "PEX1": 0.3, "PEX3": 0.05, "PKX1": 24.0, "PKX2": 0.8, "PKX3": 0.2,
    "RBX1": 12.0, "RBX2": -9.0, "RCX1": 1.06, "PTX1": 0.8, "PTX2": 0.4, "PTX3": 0.2,
    "PCY1": 1.1, "PCY2": 0.65, "PDY1": 1.3, "PDY2": -0.02, "PDY3": 0.2, "PEY1": -1.0, "PEY2": 0.8, "PEY5": -2.5,
    "PKY1": -18.0, "PKY2": 1.5, "PKY3": 1.4, "PKY4": -0.8, "PKY5": 0.3, "PKY6": -0.9, "PKY7": 0.2, "RBY1": 10.0,
    "RBY2": 8.5, "RCY1": 1.05, "PTY1": 0.8, "PTY2": 1.2, "PTY3": 0.7, "QBZ1": 9.0, "QBZ2": -1.2, "QBZ3": -1.0,
    "QBZ5": 0.15, "QBZ9": 8.0, "QCZ1": 1.25, "QDZ1": 0.065, "QDZ2": -0.012, "QDZ3": -0.05, "QDZ4": -0.4, "QDZ8": -0.08,
    "QDZ9": -0.06, "QDZ10": 0.03, "QDZ11": 0.05, "QEZ1": -3.0, "QEZ2": 0.5, "SSZ2": 0.003, "SSZ3": 0.1, "QSY1": 0.012,
    "QSY2": 0.03, "QSX3": 0.05,
}  # fmt: skip
SECTION_RADIUS = 0.085  # m, of the motorcycle tire's crown
FIALA: dict[str, float] = {
    "VXLOW": 1.0, "UNLOADED_RADIUS": 0.316, "FNOMIN": 4000, "VERTICAL_STIFFNESS": 2.1e5, "VERTICAL_DAMPING": 300,
    "WIDTH": 0.205, "CSLIP": 8.0e4, "CALPHA": 6.2e4, "CGAMMA": 3000, "UMAX": 1.05, "UMIN": 0.85,
    "ROLLING_RESISTANCE": 0.003, "RELAX_LENGTH_X": 0.15, "RELAX_LENGTH_Y": 0.5,
}  # fmt: skip


def tires() -> dict[str, tuple[Tire, str]]:
    """All examples with a line about each."""
    x = [0.0055 * i for i in range(15)]
    profile = section_profile(x, [SECTION_RADIUS - math.sqrt(SECTION_RADIUS**2 - v * v) for v in x])
    mf61 = Mf6(mode=14, version=61, nonlinear=True, softening=True, mixed_overturning=False)
    mf62 = replace(mf61, version=62, turn_slip=True, camber_deflection=True)
    mc, fiala = PacMc(mode=14, profile=True), Fiala(mode=14)
    made = {
        "example_mf61": (Tire(mf61, mf61.complete(CAR)), "a car tire of MF-Tyre 6.1, about 225/50R17"),
        "example_mf62": (
            Tire(mf62, mf62.complete({**CAR, **TURNING, **CAMBER_62})),
            "a car tire of MF-Tyre 6.2 with turn slip, about 225/50R17",
        ),
        "example_pac_mc": (
            Tire(mc, mc.complete(MOTORCYCLE), {"profile": profile}, sizes={"WIDTH": 0.18, "RIM_WIDTH": 0.14}),
            "a motorcycle tire with a round section, about 180/55R17",
        ),
        "example_fiala": (Tire(fiala, fiala.complete(FIALA)), "a Fiala tire, about 205/55R16"),
    }
    return {
        name: (Tire(t.model, t.values, t.curves, "symmetric", name, t.sizes), about)
        for name, (t, about) in made.items()
    }


def texts() -> dict[str, str]:
    """File name -> text."""
    return {
        f"{name}.tir": tir_text(
            tire,
            [
                f"{name}: {about}",
                "author: the jounce authors; licence: CC0-1.0",
                "source: made by tools/make_example_tires.py; do not edit by hand",
                "measured: nothing; all figures are choices within the usual range, no product is described",
            ],
        )
        for name, (tire, about) in tires().items()
    }


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else LIBRARY / "tires"
    for name, text in texts().items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
