"""What is fitted when: coefficients of the Magic Formula by stage, where each starts and within which limits it stays.

The order is that of practice: every force first where the others do not matter (pure slip, upright), then what
inclination and combined slip add, at last all coefficients of the force together over all its points.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Stage:
    """Coefficients that are fitted to one force over a part of the points."""

    name: str
    force: str
    coefficients: tuple[str, ...]
    upright: bool = False  # points without inclination only
    pure: bool = False  # points without slip in the other direction only
    need: str = ""  # "camber", "combined" or "pressure": skipped when there are no such points


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


FX = _words("PCX1 PDX1 PDX2 PEX1 PEX2 PEX3 PEX4 PKX1 PKX2 PKX3 PHX1 PHX2 PVX1 PVX2")
FX_CAMBER = _words("PDX3")
FX_COMBINED = _words("RBX1 RBX2 RCX1 REX1 REX2 RHX1")
FX_BOTH = _words("RBX3")
FY = _words("PCY1 PDY1 PDY2 PEY1 PEY2 PEY3 PKY1 PKY2 PKY4 PHY1 PHY2 PVY1 PVY2")
FY_CAMBER = _words("PDY3 PEY4 PEY5 PKY3 PKY5 PKY6 PKY7 PHY3 PVY3 PVY4")
FY_COMBINED = _words("RBY1 RBY2 RBY3 RCY1 REY1 REY2 RHY1 RHY2 RVY1 RVY2 RVY4 RVY5 RVY6")
FY_BOTH = _words("RBY4 RVY3")
MZ = _words("QBZ1 QBZ2 QBZ3 QCZ1 QDZ1 QDZ2 QDZ6 QDZ7 QEZ1 QEZ2 QEZ3 QEZ4 QHZ1 QHZ2")
MZ_CAMBER = _words("QBZ4 QBZ5 QDZ3 QDZ4 QDZ8 QDZ9 QDZ10 QDZ11 QEZ5 QHZ3 QHZ4")
MZ_RESIDUAL = _words("QBZ9 QBZ10")  # slope of a torque that an upright wheel hardly has
MZ_COMBINED = _words("SSZ1 SSZ2")
MZ_BOTH = _words("SSZ3 SSZ4")
MX = _words("QSX1 QSX2 QSX3")
FX_PRESSURE = _words("PPX1 PPX2 PPX3 PPX4")
FY_PRESSURE = _words("PPY1 PPY2 PPY3 PPY4")
FY_PRESSURE_CAMBER = _words("PPY5")
MZ_PRESSURE = _words("PPZ1")
MZ_PRESSURE_CAMBER = _words("PPZ2")
MX_PRESSURE = _words("PPMX1")
MY = _words("QSY1 QSY2 QSY3 QSY4")

STAGES: tuple[Stage, ...] = (
    Stage("Fx pure", "fx", FX, upright=True, pure=True),
    Stage("Fx pressure", "fx", FX_PRESSURE, upright=True, pure=True, need="pressure"),
    Stage("Fx camber", "fx", FX_CAMBER, pure=True, need="camber"),
    Stage("Fx combined", "fx", FX_COMBINED, upright=True, need="combined"),
    Stage("Fx all", "fx", (*FX, *FX_PRESSURE, *FX_CAMBER, *FX_COMBINED, *FX_BOTH)),
    Stage("Fy pure", "fy", FY, upright=True, pure=True),
    Stage("Fy pressure", "fy", FY_PRESSURE, upright=True, pure=True, need="pressure"),
    Stage("Fy camber", "fy", (*FY_CAMBER, *FY_PRESSURE_CAMBER), pure=True, need="camber"),
    Stage("Fy combined", "fy", FY_COMBINED, upright=True, need="combined"),
    Stage("Fy all", "fy", (*FY, *FY_PRESSURE, *FY_CAMBER, *FY_PRESSURE_CAMBER, *FY_COMBINED, *FY_BOTH)),
    Stage("Mz pure", "mz", MZ, upright=True, pure=True),
    Stage("Mz pressure", "mz", MZ_PRESSURE, upright=True, pure=True, need="pressure"),
    Stage("Mz camber", "mz", (*MZ_CAMBER, *MZ_RESIDUAL, *MZ_PRESSURE_CAMBER), pure=True, need="camber"),
    Stage("Mz combined", "mz", MZ_COMBINED, upright=True, need="combined"),
    Stage(
        "Mz all",
        "mz",
        (*MZ, *MZ_PRESSURE, *MZ_CAMBER, *MZ_RESIDUAL, *MZ_PRESSURE_CAMBER, *MZ_COMBINED, *MZ_BOTH),
    ),
    Stage("Mx", "mx", (*MX, *MX_PRESSURE)),
    Stage("My", "my", MY),
)
CAMBER = frozenset(
    (
        *(*FX_CAMBER, *FX_BOTH, *FY_CAMBER, *FY_BOTH, *MZ_CAMBER, *MZ_BOTH, "QSX2"),
        *(*FY_PRESSURE_CAMBER, *MZ_PRESSURE_CAMBER, *MX_PRESSURE),
    )
)
# Coefficients that a change of the pressure shows; the squared ones need three pressures.
PRESSURE = frozenset((*FX_PRESSURE, *FY_PRESSURE, *FY_PRESSURE_CAMBER, *MZ_PRESSURE, *MZ_PRESSURE_CAMBER, *MX_PRESSURE))
PRESSURE_SQUARED = frozenset(_words("PPX2 PPX4 PPY4"))
COMBINED = frozenset((*FX_COMBINED, *FX_BOTH, *FY_COMBINED, *FY_BOTH, *MZ_COMBINED, *MZ_BOTH))
# Coefficients that a change of the load shows: the first need two loads, the second three.
LOAD = frozenset(
    _words(
        "PDX2 PEX2 PKX2 PHX2 PVX2 REX2 PDY2 PEY2 PKY2 PHY2 PVY2 PVY4 PKY7 REY2 RHY2 RVY2 QBZ2 QDZ2 QDZ7 QDZ9 QDZ11 "
        "QEZ2 QHZ2 QHZ4 SSZ4 PPY2"
    )
)
LOAD_SQUARED = frozenset(_words("PEX3 PKX3 PKY4 QBZ3 QEZ3"))
# Coefficients that points on one side of zero cannot show.
ONE_SIDED = {
    "alpha": frozenset(_words("PEY3 PHY1 PHY2 PVY1 PVY2 RHX1 RBY3 QEZ4 QHZ1 QHZ2 QDZ6 QDZ7 QSX1")),
    "kappa": frozenset(_words("PEX4 PHX1 PHX2 PVX1 PVX2 RHY1 RHY2 RVY1 RVY2")),
    "gamma": frozenset(_words("PEY4 QBZ4 QDZ3 QEZ5")),
}

# Start and limits; what is not here starts at zero, within ±10.
LIMITS: dict[str, tuple[float, float, float]] = {
    "PCX1": (1.6, 1.0, 2.2), "PDX1": (1.0, 0.05, 4.0), "PDX2": (-0.05, -1.0, 0.5), "PDX3": (0.0, -30.0, 30.0),
    "PEX1": (0.0, -10.0, 1.0), "PEX2": (0.0, -5.0, 5.0), "PEX3": (0.0, -5.0, 5.0), "PEX4": (0.0, -1.0, 1.0),
    "PKX1": (20.0, 1.0, 150.0), "PKX2": (0.0, -100.0, 100.0), "PKX3": (0.1, -3.0, 3.0), "PHX1": (0.0, -0.05, 0.05),
    "PHX2": (0.0, -0.05, 0.05), "PVX1": (0.0, -0.2, 0.2), "PVX2": (0.0, -0.2, 0.2),
    "RBX1": (12.0, 1.0, 80.0), "RBX2": (8.0, -80.0, 80.0), "RBX3": (0.0, -500.0, 500.0), "RCX1": (1.0, 0.5, 2.0),
    "REX1": (0.0, -10.0, 1.0), "REX2": (0.0, -5.0, 5.0), "RHX1": (0.0, -0.1, 0.1),
    "PCY1": (1.3, 0.8, 2.2), "PDY1": (1.0, 0.05, 4.0), "PDY2": (-0.05, -1.0, 0.5), "PDY3": (0.0, -40.0, 40.0),
    "PEY1": (-0.5, -20.0, 1.0), "PEY2": (0.0, -10.0, 10.0), "PEY3": (0.0, -5.0, 5.0), "PEY4": (0.0, -50.0, 50.0),
    "PEY5": (0.0, -500.0, 500.0), "PKY1": (-20.0, -150.0, -1.0), "PKY2": (2.0, 0.3, 20.0), "PKY3": (0.0, -5.0, 5.0),
    "PKY4": (2.0, 1.0, 2.0), "PKY5": (0.0, -20.0, 20.0), "PKY6": (-0.8, -20.0, 20.0), "PKY7": (0.0, -20.0, 20.0),
    "PHY1": (0.0, -0.05, 0.05), "PHY2": (0.0, -0.05, 0.05), "PHY3": (0.0, -0.5, 0.5), "PVY1": (0.0, -0.3, 0.3),
    "PVY2": (0.0, -0.3, 0.3), "PVY3": (0.0, -5.0, 5.0), "PVY4": (0.0, -5.0, 5.0),
    "RBY1": (10.0, 1.0, 80.0), "RBY2": (5.0, -80.0, 80.0), "RBY3": (0.0, -0.2, 0.2), "RBY4": (0.0, -500.0, 500.0),
    "RCY1": (1.0, 0.5, 2.0), "REY1": (0.0, -10.0, 1.0), "REY2": (0.0, -5.0, 5.0), "RHY1": (0.0, -0.1, 0.1),
    "RHY2": (0.0, -0.1, 0.1), "RVY1": (0.0, -0.5, 0.5), "RVY2": (0.0, -0.5, 0.5), "RVY3": (0.0, -5.0, 5.0),
    "RVY4": (12.0, 0.0, 100.0), "RVY5": (1.9, 0.0, 4.0), "RVY6": (10.0, -60.0, 60.0),
    "QBZ1": (10.0, 0.5, 60.0), "QBZ2": (0.0, -30.0, 30.0), "QBZ3": (0.0, -30.0, 30.0), "QBZ4": (0.0, -10.0, 10.0),
    "QBZ5": (0.0, -10.0, 10.0), "QBZ9": (15.0, 0.0, 200.0), "QBZ10": (0.0, -10.0, 10.0), "QCZ1": (1.1, 0.7, 2.0),
    "QDZ1": (0.1, 0.001, 0.6), "QDZ2": (0.0, -0.3, 0.3), "QDZ3": (0.0, -20.0, 20.0), "QDZ4": (0.0, -200.0, 200.0),
    "QDZ6": (0.0, -0.05, 0.05), "QDZ7": (0.0, -0.05, 0.05), "QDZ8": (0.0, -5.0, 5.0), "QDZ9": (0.0, -5.0, 5.0),
    "QDZ10": (0.0, -10.0, 10.0), "QDZ11": (0.0, -10.0, 10.0), "QEZ1": (-1.0, -20.0, 1.0), "QEZ2": (0.0, -20.0, 20.0),
    "QEZ3": (0.0, -20.0, 20.0), "QEZ4": (0.0, -5.0, 5.0), "QEZ5": (0.0, -50.0, 50.0), "QHZ1": (0.0, -0.1, 0.1),
    "QHZ2": (0.0, -0.1, 0.1), "QHZ3": (0.0, -2.0, 2.0), "QHZ4": (0.0, -2.0, 2.0), "SSZ1": (0.0, -0.3, 0.3),
    "SSZ2": (0.0, -1.0, 1.0), "SSZ3": (0.0, -5.0, 5.0), "SSZ4": (0.0, -5.0, 5.0),
    **dict.fromkeys(PRESSURE, (0.0, -5.0, 5.0)), "PPMX1": (0.0, -20.0, 20.0),
    "QSX1": (0.0, -0.2, 0.2), "QSX2": (0.0, -10.0, 10.0), "QSX3": (0.0, -1.0, 1.0),
    "QSY1": (0.01, 0.0, 0.1), "QSY2": (0.0, -0.3, 0.3), "QSY3": (0.0, -0.05, 0.05), "QSY4": (0.0, -0.01, 0.01),
}  # fmt: skip
# Where combined slip was not measured: a friction ellipse instead of a square.
USUAL_COMBINED = {
    "RBX1": 12.0,
    "RBX2": 8.0,
    "RCX1": 1.0,
    "RBY1": 10.0,
    "RBY2": 5.0,
    "RCY1": 1.0,
    "REX1": 0.0,
    "REX2": 0.0,
    "REY1": 0.0,
    "REY2": 0.0,
}
# Where nothing rolled freely: shape of the rolling radius and resistance over the load of a road tire.
USUAL_ROLLING = {"BREFF": 8.4, "DREFF": 0.27, "FREFF": 0.07}
USUAL_RESISTANCE = 0.01
# Further starts of the shape: (shape, curvature) of the force; the best of all is taken.
SHAPES = ((1.3, -1.0), (1.6, 0.3), (1.2, -5.0), (1.8, 0.0))


def limits(name: str) -> tuple[float, float, float]:
    """Start, lower and upper limit of a coefficient."""
    return LIMITS.get(name, (0.0, -10.0, 10.0))
