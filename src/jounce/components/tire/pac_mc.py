"""Motorcycle tires (PAC_MC): the Magic Formula for large camber, after [Pacejka2006] section 11.6 and its descendants.

Longitudinal force, combined slip, overturning and rolling moment are those of ``pac2002``.  Lateral force and camber
thrust are one curve, so that they saturate together:

    Fy0 = Dy sin(Cy A(By αy; Ey) + Cγ A(Bγ γ; Eγ)),   A(y; E) = atan(y - E (y - atan y)),   Cy + Cγ < 2            (1)
    µy = PDY1 exp(PDY2 dfz)/(1 + PDY3 γ²) LMUY,   Dy = µy Fz,   Cγ = PCY2 LCC,   Eγ = PEY5 LEC
    Ky = PKY1 Fz0 sin(PKY2 atan(Fz/((PKY3 + PKY4 γ²) Fz0)))/(1 + PKY5 γ²) LKY,   By = Ky/(Cy Dy)                   (2)
    Kγ = (PKY6 + PKY7 dfz) Fz LKC,   Bγ = Kγ/(Cγ Dy)                                                              (3)
    Ey = (PEY1 + PEY2 γ² + (PEY3 + PEY4 γ) sgn αy) LEY,   αy = α + PHY1 LHY
    Mz = -t Gyκ Fy0(γ = 0) + Mzr + s Fx                                                                           (4)
    Dt = … (1 + QDZ3 |γ| + QDZ4 γ²),   Dr = … + (QDZ8 + QDZ9 dfz) γ + (QDZ10 + QDZ11 dfz) γ|γ|,   α_r = α + PHY1 LHY
    σα = PTY1 sin(PTY2 atan(Fz/(PTY3 Fz0))) R0 LFZO LSGAL                                                         (5)

The trail in (4) carries what slip makes, not the camber thrust, which acts under the wheel.  A cross-section
(table ``profile``) moves the contact point, see ``contact``; the overturning moment by that shift comes by itself, and
QSX2 of a file that was made for the disc point counts it twice.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from jounce.components.tire import vertical as spring
from jounce.components.tire.base import Coefficient, Numbers
from jounce.components.tire.magic import SCALING, off_zero, peak, side_of, table
from jounce.components.tire.pac2002 import BY_NAME as CAR
from jounce.components.tire.pac2002 import LATER, Pac2002
from jounce.components.tire.pac2002 import SIDED as CAR_SIDED
from jounce.symbolic.ops import atan, exp, fabs, fmin, sin

_LAT, _ALIGN = "LATERAL_COEFFICIENTS", "ALIGNING_COEFFICIENTS"

# What a car tire has and this one has not, or means something else by.
_CAR_ONLY = {
    *("LHX", "LVY", "LKYG", "LCZ", "LIP", "PHX1", "PHX2", *(c.name for c in LATER)),
    *("PDY2", "PDY3", "PEY2", "PEY3", "PEY4", "PKY1", "PKY2", "PKY3", "PHY1", "PHY2", "PHY3"),
    *("PVY1", "PVY2", "PVY3", "PVY4", "PTY1", "PTY2", "QDZ3", "QBZ10"),
}
COEFFICIENTS: tuple[Coefficient, ...] = (
    *(c for c in CAR.values() if c.name not in _CAR_ONLY),
    *table(
        SCALING,
        """
        LCC - scale of the shape of camber thrust
        LKC - scale of the camber stiffness
        LEC - scale of the curvature of camber thrust
        """,
        1.0,
    ),
    *table(
        _LAT,
        """
        PKY1 1/rad largest cornering stiffness over nominal load, negative
        PKY2 - shape of the cornering stiffness over load
        PKY3 - load over nominal load, scale of the cornering stiffness
        """,
        None,
    ),
    *table(
        _LAT,
        """
        PCY2 - shape of camber thrust
        PDY2 - exponent of friction with load
        PDY3 1/rad2 change of friction with inclination
        PEY2 1/rad2 change of curvature with inclination squared
        PEY3 - curvature by the sign of alpha
        PEY4 1/rad curvature by inclination and the sign of alpha
        PEY5 - curvature of camber thrust
        PKY4 1/rad2 change of the scale of load with inclination squared
        PKY5 1/rad2 change of cornering stiffness with inclination squared
        PKY6 1/rad camber stiffness over load, negative
        PKY7 1/rad change of the camber stiffness with load
        PHY1 rad horizontal shift
        PTY1 - largest relaxation length over radius
        PTY2 - shape of the relaxation length over load
        PTY3 - load over nominal load, scale of the relaxation length
        """,
    ),
    *table(
        _ALIGN,
        """
        QDZ3 1/rad change of the peak trail with the size of inclination
        QDZ10 1/rad2 change of the residual torque with inclination squared
        QDZ11 1/rad2 change with load and inclination squared
        """,
    ),
)


@dataclass(frozen=True)
class PacMc(Pac2002):
    """Motorcycle tire.

    Parameters
    ----------
    profile : whether the tire has a cross-section
    disc_point : forces act where the disc meets the plane, not at the contact of the cross-section (CP2WC_MODE = 1)
    others : as in ``Pac2002``
    """

    kind: ClassVar[str] = "pac_mc"
    sided: ClassVar[Collection[str]] = tuple(name for name in CAR_SIDED if name not in ("QDZ3", "PHY2", "PVY1", "PVY2"))
    aliases: ClassVar[Mapping[str, str]] = {
        **{other: name for other, name in Pac2002.aliases.items() if name not in _CAR_ONLY},
        **dict.fromkeys(("LKYC", "LKYG", "LKG"), "LKC"),
    }
    coefficient_list: ClassVar[Sequence[Coefficient]] = COEFFICIENTS

    profile: bool = False
    disc_point: bool = False

    def file_keys(self) -> dict[str, str | float]:
        keys: dict[str, str | float] = {
            "PROPERTY_FILE_FORMAT": "USER",
            "FUNCTION_NAME": "vitools::vi_tire",
            "MODEL_TYPE": "PAC_MC",
        }
        return {**keys, "CP2WC_MODE": 1} if self.disc_point else keys

    def required(self) -> set[str]:
        return super().required() | ({"PKY3"} if self.slip in (2, 3, 4) else set())

    def _peak_y(self, p: Numbers) -> dict[str, Any]:
        return {
            "PER_PEAK_Y": 1 / peak(p["PCY1"] * p["LCY"], p["PEY1"] * p["LEY"]),
            "PER_STIFFEST": 1 / (p["LFZO"] * p["FNOMIN"]),
            "PER_LONGEST": 1 / off_zero(p["PTY3"] * p["LFZO"] * p["FNOMIN"]),
        }

    def _stiffer(self, p: Numbers, dpi: Any) -> Any:
        return 1.0

    def _longitudinal(self, p: Numbers, a: Any) -> None:
        super()._longitudinal({**p, "LHX": 1.0, "PHX1": 0.0, "PHX2": 0.0}, a)

    def _lateral(self, p: Numbers, a: Any) -> None:
        fz, dfz = a.Fz, a.dfz
        g = a.gamma * p["LGAY"]
        a.Cy, a.Cg = p["PCY1"] * p["LCY"], p["PCY2"] * p["LCC"]
        a.Dy0 = p["PDY1"] * exp(p["PDY2"] * dfz) * a.LMUY * fz
        a.Dy = a.Dy0 / (1 + p["PDY3"] * g * g)
        stiffest, relative = p["PKY1"] * a.Fz0 * p["LKY"], fz * p["PER_STIFFEST"]
        a.Ky0 = stiffest * sin(p["PKY2"] * atan(relative / off_zero(p["PKY3"])))  # (2)
        a.Ky = stiffest * sin(p["PKY2"] * atan(relative / off_zero(p["PKY3"] + p["PKY4"] * g * g)))
        a.Ky = a.Ky / (1 + p["PKY5"] * g * g)
        a.By, a.By0 = a.Ky / off_zero(a.Cy * a.Dy), a.Ky0 / off_zero(a.Cy * a.Dy0)
        a.Ey = p["PEY1"] + p["PEY2"] * g * g
        a.Ey_side = p["PEY3"] + p["PEY4"] * g
        a.SHy, a.SVy = p["PHY1"] * p["LHY"], 0.0
        bg = (p["PKY6"] + p["PKY7"] * dfz) * fz * p["LKC"] / off_zero(a.Cg * a.Dy)  # (3)
        a.thrust = a.f.angle(g, bg, a.Cg, fmin(p["PEY5"] * p["LEC"], 1.0))

    def _sigma_alpha(self, p: Numbers, a: Any) -> Any:
        """(5)"""
        longest = p["UNLOADED_RADIUS"] * p["LFZO"] * p["LSGAL"]
        return p["PTY1"] * sin(p["PTY2"] * atan(a.Fz * p["PER_LONGEST"])) * longest

    def _fy0(self, p: Numbers, a: Any, alpha: Any) -> Any:
        x = alpha + a.SHy
        e = fmin((a.Ey + a.Ey_side * side_of(x)) * p["LEY"], 1.0)
        return a.Dy * a.f.sin(a.f.angle(x, a.By, a.Cy, e) + a.thrust)  # (1)

    def _on_trail(self, p: Numbers, a: Any, alpha: Any, left: Any, fy: Any) -> Any:
        if self.slip not in (2, 3, 4):
            return fy
        x = alpha + a.SHy
        e = fmin((p["PEY1"] + p["PEY3"] * side_of(x)) * p["LEY"], 1.0)
        return left * a.Dy0 * a.f.sin(a.f.angle(x, a.By0, a.Cy, e))  # (4)

    def _trail_camber(self, g: Any) -> Any:
        return fabs(g)

    def _residual_slope(self, p: Numbers, a: Any) -> Any:
        return 0.0

    def _residual_camber(self, p: Numbers, dfz: Any, g: Any) -> Any:
        return (p["QDZ8"] + p["QDZ9"] * dfz) * g + (p["QDZ10"] + p["QDZ11"] * dfz) * g * fabs(g)


assert {c.name for c in spring.EXTENDED} <= {c.name for c in COEFFICIENTS}
