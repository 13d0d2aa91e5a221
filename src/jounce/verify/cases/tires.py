"""Tires: the Magic Formula against another program, stiffness and peak in closed form, the Fiala tire.

The sine of the Magic Formula, with x a slip and without shifts,

    S(x) = D sin(C atan(Bx - E (Bx - atan Bx)))                                                        (1)

has the slope BCD at zero. For C > 1 and E < 1 its largest value is D, where the argument of the sine is a right angle:

    Bx - E (Bx - atan Bx) = tan(π/(2C))                                                               (2)

The Fiala tire is a beam on an elastic foundation: with the cornering stiffness c, friction µ and width w,

    |Fy| = µ Fz (x - x²/3 + x³/27),   |Mz| = µ Fz w (x/3) (1 - x/3)³,   x = c |tan α|/(µ Fz)           (3)

up to x = 3, where the whole contact slides; beyond, |Fy| = µ Fz and Mz = 0.

Independent: the tire of the package commonroad-vehicle-models, `vehiclemodels.utils.tire_model` [Althoff2017], a
Magic Formula with combined slip and camber at the nominal load, written by others. It counts the longitudinal slip
with the other sign. [Pacejka2012], sections 4.1 and 4.3.
"""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np

from jounce.verify.book import Page, case

LOAD = 4700.0  # N, the nominal one
# A tire of no maker: every number different, none zero; terms that the other program lacks are left out of it.
NUMBERS = {
    "UNLOADED_RADIUS": 0.337, "FNOMIN": LOAD, "VERTICAL_STIFFNESS": 2.1e5, "VERTICAL_DAMPING": 60.0,
    "PCX1": 1.58, "PDX1": 1.21, "PDX3": 0.37, "PEX1": 0.31, "PKX1": 24.1, "PHX1": 0.0011,
    "RBX1": 12.4, "RBX2": -10.7, "RCX1": 1.13, "REX1": 0.42, "RHX1": 0.0047,
    "PCY1": 1.41, "PDY1": 1.07, "PDY3": 2.3, "PEY1": -0.52, "PKY1": -20.6, "PKY2": 1.0,
    "PHY1": 0.0023, "PHY3": 0.027, "PVY1": 0.031, "PVY3": -0.29,
    "RBY1": 8.3, "RBY2": 7.9, "RBY3": -0.021, "RCY1": 1.06, "REY1": -0.24, "RHY1": 0.0031,
    "RVY1": -0.024, "RVY3": -0.25, "RVY4": 11.3, "RVY5": 1.8, "RVY6": -12.2,
}  # fmt: skip
SLIPS = (-0.9, -0.12, -0.03, 0.02, 0.07, 0.4)
ANGLES = (-0.16, -0.05, 0.012, 0.08, 0.21)  # rad
CAMBERS = (0.013, 0.07)  # rad; the other program mirrors its shifts with the camber, ours does not
PACKAGE = "commonroad-vehicle-models, vehiclemodels.utils.tire_model [Althoff2017]"
ROUNDING = 1e-9  # N; thirty operations on 1e4 N in double precision are some 1e-11 N


def _ours(shifts: bool = True) -> Any:
    from jounce.components.tire.base import Tire
    from jounce.components.tire.pac2002 import Pac2002

    numbers = dict(NUMBERS)
    if not shifts:
        for name in ("PHX1", "RHX1", "PHY1", "PHY3", "PVY1", "PVY3", "RHY1"):
            numbers[name] = 0.0
    model = Pac2002(mode=14)
    return Tire(model, model.complete(numbers), side="left", name="verification")


def theirs(kappa: float, alpha: float, gamma: float) -> tuple[float, float]:
    """Fx and Fy by the other program."""
    from vehiclemodels.utils import tire_model

    letters = {"P": "p", "R": "r"}
    numbers = {f"{letters[k[0]]}_{k[1:].lower()}": v for k, v in NUMBERS.items() if k[0] in letters}
    p = SimpleNamespace(**numbers, p_vx1=0.0)
    pure_x = tire_model.formula_longitudinal(-kappa, gamma, LOAD, p)
    pure_y, friction = tire_model.formula_lateral(alpha, gamma, LOAD, p)
    return (
        tire_model.formula_longitudinal_comb(kappa, alpha, pure_x, p),
        tire_model.formula_lateral_comb(kappa, alpha, gamma, friction, LOAD, pure_y, p),
    )


@case(
    "tire-package",
    "Magic Formula against another program",
    chapter=15,
    needs={"vehiclemodels": "commonroad-vehicle-models"},
)
def package(page: Page) -> None:
    """Combined slip with camber, shifts and the lateral force that longitudinal slip induces, at sixty points on both
    sides of zero: the forces of another program with the same coefficients. It knows the nominal load only; how forces
    depend on the load is in the next case."""
    tire = _ours()
    points = [(k, a, g) for k in SLIPS for a in ANGLES for g in CAMBERS]
    forces = [tire.steady(LOAD, *point) for point in points]
    ours = np.array([[float(f.fx), float(f.fy)] for f in forces])
    other = np.array([theirs(*point) for point in points])
    for number in (3, 22, 41, 56):
        k, a, g = points[number]
        for axis, name in enumerate(("Fx", "Fy")):
            page.row(
                f"{name} at κ = {k:g}, α = {a:g} rad, γ = {g:g} rad",
                expected=float(other[number, axis]),
                measured=float(ours[number, axis]),
                tolerance=ROUNDING,
                unit="N",
                kind="independent package",
                source=PACKAGE,
                why="Rounding of some thirty operations on forces of 1e4 N.",
            )
    page.row(
        "largest difference of Fx and Fy at all sixty points",
        expected=0.0,
        measured=float(np.abs(ours - other).max()),
        tolerance=ROUNDING,
        unit="N",
        kind="independent package",
        source=PACKAGE,
        why="As above.",
    )

    def draw(figure: Any) -> None:
        axes = figure.subplots(1, 2)
        slips = np.linspace(-0.3, 0.3, 121)
        for alpha in (-0.12, -0.04, 0.04, 0.12):
            lines = np.array([theirs(k, alpha, CAMBERS[1]) for k in slips])
            dots = np.array([[*map(float, tire.steady(LOAD, k, alpha, CAMBERS[1])[:2])] for k in slips[::6]])
            for axis, plot in enumerate(axes):
                plot.plot(slips, lines[:, axis] / 1e3, lw=1.0, color="0.4")
                plot.plot(slips[::6], dots[:, axis] / 1e3, ".", ms=4, label=f"α = {alpha:g} rad")
        axes[0].set(xlabel="longitudinal slip κ, -", ylabel="Fx, kN", title="dots: jounce; lines: the other program")
        axes[1].set(xlabel="longitudinal slip κ, -", ylabel="Fy, kN", title=f"camber {CAMBERS[1]:g} rad")
        axes[1].legend(fontsize=7)

    page.plot("Forces in combined slip.", draw)


@case("tire-limits", "Tires: stiffness, peak, Fiala", chapter=15.1)
def limits(page: Page) -> None:
    """Slope at zero and peak of the Magic Formula follow from its coefficients, at any load and friction; the Fiala
    tire has a closed form from which its force and moment are computed here in another arrangement."""
    tire = _ours(shifts=False)
    h = 1e-6
    for load, friction in ((0.6 * LOAD, 1.0), (1.4 * LOAD, 0.5)):
        slope_x = float(tire.steady(load, h, friction=friction).fx - tire.steady(load, -h, friction=friction).fx) / (
            2 * h
        )
        slope_y = float(
            tire.steady(load, 0, h, friction=friction).fy - tire.steady(load, 0, -h, friction=friction).fy
        ) / (2 * h)
        stiffness = NUMBERS["PKY1"] * LOAD * math.sin(2 * math.atan(load / (NUMBERS["PKY2"] * LOAD)))
        for name, expected, measured in (
            ("dFx/dκ", load * NUMBERS["PKX1"], slope_x),
            ("dFy/dα", stiffness, slope_y),
        ):
            page.row(
                f"{name} at zero slip, {load:.0f} N, friction {friction:g}",
                expected=expected,
                measured=measured,
                # the next term of the odd function (1) is (B x)² of the first, some 1e-9 with B = 25 and x = 1e-6;
                # forces round at 1e-12 N, over 2e-6: 1e-6
                tolerance=1e-8 * abs(expected) + 1e-5,
                unit="N" if name == "dFx/dκ" else "N/rad",
                kind="closed form",
                source="[Pacejka2012] 4.E14, 4.E15, 4.E25: K = BCD",
                why="Third order of the odd function at a step of 1e-6, and rounding of the difference.",
            )
        c, e, d = NUMBERS["PCY1"], NUMBERS["PEY1"], NUMBERS["PDY1"] * load * friction
        b = stiffness / (c * d)
        # (2) by Newton's method in y = |B| α
        target, y = math.tan(math.pi / (2 * c)), 2.0
        for _ in range(60):
            y -= (y - e * (y - math.atan(y)) - target) / (1 - e * (1 - 1 / (1 + y * y)))
        peak = y / b  # where the force is positive
        for side in (1.0, -1.0):
            page.row(
                f"Fy at its peak, {'left' if side > 0 else 'right'}, {load:.0f} N, friction {friction:g}",
                expected=side * d,
                measured=float(tire.steady(load, 0.0, side * peak, friction=friction).fy),
                tolerance=ROUNDING,
                unit="N",
                kind="closed form",
                source="equation (2)",
                why="The force is flat there: an error of the place counts in second order.",
            )

    from jounce.components.tire.base import Tire
    from jounce.components.tire.fiala import Fiala

    model = Fiala(mode=2)
    width, stiffness, friction = 0.217, 78_000.0, 0.93
    block = {
        "UNLOADED_RADIUS": 0.31, "VERTICAL_STIFFNESS": 1.9e5, "CSLIP": 1.1e5, "CALPHA": stiffness, "UMAX": friction,
        "UMIN": friction, "WIDTH": width,
    }  # fmt: skip
    fiala = Tire(model, model.complete(block), name="fiala")
    load = 3300.0
    limit = friction * load
    for angle in (-0.03, 0.09, 0.2):
        found = fiala.steady(load, 0.0, angle)
        x = stiffness * abs(math.tan(angle)) / limit  # slides where it is 3
        force = limit * (x - x**2 / 3 + x**3 / 27 if x < 3 else 1.0)
        moment = limit * width * (x / 3 * (1 - x / 3) ** 3 if x < 3 else 0.0)
        for name, expected, measured in (
            ("Fy", -math.copysign(force, angle), float(found.fy)),
            ("Mz", math.copysign(moment, angle), float(found.mz)),
        ):
            page.row(
                f"Fiala tire: {name} at α = {angle:g} rad{', sliding' if x >= 3 else ''}",
                expected=expected,
                measured=measured,
                tolerance=ROUNDING,
                unit="N" if name == "Fy" else "N.m",
                kind="closed form",
                source="[Fiala1954], equation (3)",
                why="Rounding.",
            )

    def draw(figure: Any) -> None:
        left, right = figure.subplots(1, 2)
        angles = np.linspace(0, 0.25, 101)
        for load in (1500.0, 3300.0, 6000.0):
            top = friction * load
            x = np.minimum(stiffness * np.tan(angles) / top, 3.0)
            left.plot(angles, -top * (x - x**2 / 3 + x**3 / 27) / 1e3, lw=1.0, color="0.4")
            right.plot(angles, top * width * x / 3 * (1 - x / 3) ** 3, lw=1.0, color="0.4")
            found = [fiala.steady(load, 0.0, a) for a in angles[::5]]
            left.plot(angles[::5], [float(f.fy) / 1e3 for f in found], ".", ms=4, label=f"{load / 1e3:g} kN")
            right.plot(angles[::5], [float(f.mz) for f in found], ".", ms=4)
        left.set(xlabel="slip angle, rad", ylabel="Fy, kN", title="dots: jounce; lines: (3)")
        right.set(xlabel="slip angle, rad", ylabel="Mz, N.m", title="Fiala tire")
        left.legend()

    page.plot("The Fiala tire at three loads.", draw)
