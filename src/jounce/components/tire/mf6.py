"""Magic Formula tires of MF-Tyre 6.1 and 6.2: inflation pressure, camber, turn slip; after [Pacejka2012] section 4.3.2
(equations 4.E1 to 4.E78, turn slip 4.75 to 4.106) and [Besselink2010].

With dfz = (Fz - Fz0')/Fz0', Fz0' = LFZO FNOMIN, dpi = (p - p0)/p0, p = LIP INFLPRES, p0 = NOMPRES and the sine and
cosine curves S, G of ``magic``:

Fx0 = S(κ + SHx; Bx, Cx, Dx, Ex) + SVx                                                                            (1)
    Dx = (PDX1 + PDX2 dfz)(1 + PPX3 dpi + PPX4 dpi²)(1 - PDX3 γ²) LMUX Fz ζ1
    Kx = Fz (PKX1 + PKX2 dfz) exp(PKX3 dfz)(1 + PPX1 dpi + PPX2 dpi²) LKX
Fy0 = S(α + SHy; By, Cy, Dy, Ey) + SVy                                                                            (2)
    Dy = (PDY1 + PDY2 dfz)(1 + PPY3 dpi + PPY4 dpi²)(1 - PDY3 γ²) LMUY Fz ζ2
    Ky = PKY1 Fz0' (1 + PPY1 dpi)(1 - PKY3 |γ|) sin(PKY4 atan(Fz/(Fz0' (PKY2 + PKY5 γ²)(1 + PPY2 dpi)))) ζ3 LKY
    Kyγ0 = Fz (PKY6 + PKY7 dfz)(1 + PPY5 dpi) LKYC,   SVyγ = Fz (PVY3 + PVY4 dfz) γ LKYC LMUY ζ2
    SHy = (PHY1 + PHY2 dfz) LHY + (Kyγ0 γ - SVyγ)/Ky,   SVy = Fz (PVY1 + PVY2 dfz) LVY LMUY ζ2 + SVyγ
    Ey = (PEY1 + PEY2 dfz)(1 + PEY5 γ² - (PEY3 + PEY4 γ) sgn αy) LEY
Combined slip as in ``pac2002``:  Fx = Gxα Fx0,   Fy = Gyκ Fy0 + SVyκ
Mz = -t Gyκ Fy0(γ = 0, φ = 0) + Mzr + s Fx                                                                        (3)
    Dt = Fz (R0/Fz0')(QDZ1 + QDZ2 dfz)(1 - PPZ1 dpi)(1 + QDZ3 γ + QDZ4 γ²) LTR ζ5
    Dr = Fz R0 ((QDZ6 + QDZ7 dfz) LRES ζ2 + ((QDZ8 + QDZ9 dfz)(1 + PPZ2 dpi) + (QDZ10 + QDZ11 dfz)|γ|) γ LKZC) LMUY
    Mzr = Dr cos(ζ7 atan(Br α_r,eq)) cos α
Mx = R0 Fz (QSX1 LVMX - QSX2 γ (1 + PPMX1 dpi) - QSX12 γ|γ| + QSX3 Fy/Fz0 + QSX4 cos(QSX5 atan((QSX6 Fz/Fz0)²))
     sin(QSX7 γ + QSX8 atan(QSX9 Fy/Fz0)) + QSX10 atan(QSX11 Fz/Fz0) γ) LMX + R0 Fy (QSX13 + QSX14 |γ|) LMX          (4)
My = -R0 Fz0 (sgn(Ω)(QSY1 + QSY3 |V| + QSY4 V⁴ + (QSY5 + QSY6 Fz/Fz0) γ²) + QSY2 Fx/Fz0)
     (Fz/Fz0)^QSY7 (p/p0)^QSY8 LMY,   V = Vx/Vref                                                                 (5)
σκ = Kx/Cx,   σα = |Ky|/Cy,   Cx = LONGITUDINAL_STIFFNESS (1 + PCFX1 dfz + PCFX2 dfz²)(1 + PCFX3 dpi), Cy likewise   (6)
Fz = f Fz0 (Q_FZ1 ρz/R0 + Q_FZ2 (ρz/R0)²)(1 + PFZ1 dpi) LCZ + F_b + Kz ρ̇ b(ρ),   ρz = RΩ - r + ρzγ                  (7)
    RΩ = R0 (Q_RE0 + Q_V1 w²),   w = Ω R0/Vref,   Q_FZ1 = sqrt((Cz R0/Fz0)² - 4 Q_FZ2) unless given
    f = 1 + Q_V2 |w| - (Q_FCX Fx/Fz0)² - ((ρz/R0)^Q_FCY2 Q_FCY (Fy - SFyγ)/Fz0)²      (see ``vertical``)
    6.2:  ρzγ = (c(r)/c(RΩ))² (b/8)|tan γ| - Q_CAM3 ρ|γ|,   c(x) = Q_CAM1 x + Q_CAM2 x²
          b = (1.075 - ASPECT_RATIO/2) WIDTH
          SFyγ = (Q_FYS1 + Q_FYS2 r/RΩ + Q_FYS3 (r/RΩ)²) γ
re = RΩ - (Fz0/Cz)(FREFF F + DREFF atan(BREFF F)),   F = Fz/Fz0 without damper and camber, Cz (1 + PFZ1 dpi) LCZ   (8)

Turn slip.  The contact turns about the normal with ψ̇ + (1 - εγ) Ω sin γ, so that in our axes

    φ = (ψ̇ + (1 - εγ) Ω sin γ)/V,   εγ = PECP1 (1 + PECP2 dfz)                                                     (9)
    ζ1 = c(PDXP1 (1 + PDXP2 dfz) c(PDXP3 κ) R0 φ),   c(x) = cos(atan x)
    ζ2 = c(PDYP1 (1 + PDYP2 dfz) c(PDYP3 tan α)(R0|φ| + PDYP4 sqrt(R0|φ|))),   ζ3 = c(PKYP1 R0² φ²)
    SHy = (PHY1 + PHY2 dfz) LHY + SHyφ - SVyγ/Ky,   SHyφ = sgn(Vx) S(R0 φ; BHyφ, PHYP1, PHYP2 + PHYP3 dfz, PHYP4)
    BHyφ = Kyγ0/((1 - εγ) PHYP1 (PHYP2 + PHYP3 dfz) Ky(γ = 0))
    ζ5 = c(QDTP1 R0 φ),   ζ6 = c(QBRP1 R0 φ),   Br = (…) ζ6
    Dr = Fz R0 (QDZ6 + QDZ7 dfz) LRES ζ2 LMUY + Drφ,   Drφ = D sin(QDRP1 atan(B R0 φ)),   D = Mzφ∞/sin(π QDRP1/2)
    B = Fz R0 ((QDZ8 + QDZ9 dfz) + (QDZ10 + QDZ11 dfz)|γ|) LKZC/(QDRP1 D (1 - εγ))
    Mzφ∞ = QCRP1 |µy| R0 Fz sqrt(Fz/Fz0') LMP,   Mzφ90 = Mzφ∞ (2/π) atan(QCRP2 R0|ψ̇/V|) Gyκ
    ζ7 = (2/π) acos(Mzφ90/|Drφ|)

For small camber and ψ̇ = 0 this gives the same camber thrust and torque as without turn slip.  V is at least VXLOW: a
wheel that is turned at standstill has a moment by its rate, not by its angle.

Where book and paper differ the paper is followed, as property files do: α and γ themselves (not tan, sin),
QBZ4 and QDZ3 with the sign of γ, My over Fz0.  Friction does not fall with slip speed (LMUV = 0, Aµ = 1).  Not
modelled: rigid ring, enveloping.  Guards, ranges, reverse driving: as in ``pac2002``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, ClassVar

from jounce.components.tire import magic
from jounce.components.tire import vertical as spring
from jounce.components.tire.base import (
    FILE_BLOCKS,
    AtLoad,
    Coefficient,
    Curve,
    Forces,
    Numbers,
    Turn,
    direction,
    rolling_way,
)
from jounce.components.tire.magic import (
    FRICTION_FLOOR,
    LOAD_FLOOR,
    SCALING,
    SIGMA_FLOOR,
    SLIP_FLOOR,
    Functions,
    MagicFormula,
    angle,
    cos_atan,
    cos_atan_cos_atan,
    off_zero,
    peak,
    side_of,
    table,
)
from jounce.components.tire.pac2002 import BY_NAME as CAR
from jounce.components.tire.pac2002 import LATER, MIXED, SIDED
from jounce.components.tire.resting import ARM
from jounce.core.errors import ParameterError
from jounce.symbolic.ops import acos, atan, clip, cos, exp, fabs, fmax, fmin, if_else, log, pi, sin, sqrt, tan

VERSIONS = (61, 62)
STEEPEST = 0.005  # of cos² α: beyond 86 degrees of slip angle ζ2 is held
CURVATURE_FLOOR = 1e-12  # of R0 |φ| under the root of ζ2, and of |Drφ| over the load moment

_VERTICAL, _LONG, _LAT = "VERTICAL", "LONGITUDINAL_COEFFICIENTS", "LATERAL_COEFFICIENTS"
_ALIGN, _ROLL = "ALIGNING_COEFFICIENTS", "ROLLING_COEFFICIENTS"

# What older tires have and these have not, or under another name.
_OLDER = {
    *("LGAX", "LGAY", "LKYG", "LGAZ", "LGYR", "PTX1", "PTX2", "PTX3", "PHY3", "PTY1", "PTY2", "QTZ1", "MBELT"),
    *(c.name for c in (*spring.EXTENDED, *LATER)),
}
COEFFICIENTS: tuple[Coefficient, ...] = (
    *(c for c in CAR.values() if c.name not in _OLDER),
    Coefficient("WIDTH", "m", "nominal width", 0.2, "DIMENSION"),
    Coefficient("ASPECT_RATIO", "-", "height over width of the section", 0.5, "DIMENSION"),
    Coefficient("INFLPRES", "N/m2", "inflation pressure, p; 0: nominal", 0.0, "OPERATING_CONDITIONS"),
    Coefficient("NOMPRES", "N/m2", "nominal inflation pressure, p0", 2.2e5, "OPERATING_CONDITIONS"),
    Coefficient("Q_RE0", "-", "free radius over nominal radius", 1.0, _VERTICAL),
    *table(
        _VERTICAL,
        """
        Q_V1 - growth of the radius with spin
        Q_V2 - change of the stiffness with spin
        Q_FZ1 - load over deflection; 0: from VERTICAL_STIFFNESS
        Q_FZ2 - load over deflection squared
        Q_FCX - change of the stiffness with Fx
        Q_FCY - change of the stiffness with Fy
        Q_FCY2 - change of the effect of Fy with deflection
        Q_CAM1 - deflection by camber
        Q_CAM2 1/m change of the deflection by camber with the radius
        Q_CAM3 1/rad change of the stiffness with camber
        Q_FYS1 N/rad shift of Fy by camber, in its effect on the stiffness
        Q_FYS2 N/rad change of this shift with the radius
        Q_FYS3 N/rad change of this shift with the radius squared
        PFZ1 - change of the stiffness with pressure
        """,
    ),
    *table(
        "STRUCTURAL",
        """
        LONGITUDINAL_STIFFNESS N/m longitudinal stiffness of the standing tire
        LATERAL_STIFFNESS N/m lateral stiffness of the standing tire
        PCFX1 - change of the longitudinal stiffness with load
        PCFX2 - change of the longitudinal stiffness with load squared
        PCFX3 - change of the longitudinal stiffness with pressure
        PCFY1 - change of the lateral stiffness with load
        PCFY2 - change of the lateral stiffness with load squared
        PCFY3 - change of the lateral stiffness with pressure
        """,
    ),
    CAR["PRESMIN"],
    CAR["PRESMAX"],
    *table(
        SCALING,
        """
        LKYC - scale of the camber stiffness
        LKZC - scale of the camber torque
        LMP - scale of the moment by turning on the spot
        """,
        1.0,
    ),
    *(CAR[name] for name in ("PPX1", "PPX2", "PPX3", "PPX4")),
    Coefficient("PKY4", "-", "shape of the cornering stiffness over load", 2.0, _LAT),
    *table(
        _LAT,
        """
        PEY5 1/rad2 change of curvature with inclination squared
        PKY5 1/rad2 change of the load of the largest stiffness with inclination squared
        PKY6 1/rad camber stiffness over load, negative
        PKY7 1/rad change of the camber stiffness with load
        """,
    ),
    *(CAR[name] for name in ("PPY1", "PPY2", "PPY3", "PPY4")),
    Coefficient("PPY5", "-", "change of camber stiffness with pressure", 0.0, _LAT),
    *MIXED,
    *table(
        "OVERTURNING_COEFFICIENTS",
        """
        QSX12 1/rad2 overturning moment over inclination squared
        QSX13 - overturning moment over lateral force and radius
        QSX14 1/rad change of this with inclination
        PPMX1 - change of the overturning moment with pressure
        """,
    ),
    CAR["QSY5"],
    CAR["QSY6"],
    Coefficient("QSY7", "-", "exponent of rolling resistance with load", 1.0, _ROLL),
    CAR["QSY8"],
    *table(
        _ALIGN,
        """
        QDZ10 1/rad2 change of the residual torque with inclination squared
        QDZ11 1/rad2 change with load and inclination squared
        PPZ1 - change of the trail with pressure
        PPZ2 - change of the residual torque with pressure
        """,
    ),
    *table(
        "TURNSLIP_COEFFICIENTS",
        """
        PDXP1 - reduction of Fx by turning
        PDXP2 - change of this with load
        PDXP3 - change of this with kappa
        PKYP1 - reduction of the cornering stiffness by turning
        PDYP1 - reduction of Fy by turning
        PDYP2 - change of this with load
        PDYP3 - change of this with alpha
        PDYP4 - reduction of Fy by the root of turning
        PHYP1 - shape of the shift of Fy by turning
        PHYP2 rad largest shift of Fy by turning
        PHYP3 rad change of the largest shift with load
        PHYP4 - curvature of the shift of Fy by turning
        PECP1 - share of camber that does not turn the contact
        PECP2 - change of this share with load
        QDTP1 - reduction of the trail by turning
        QCRP1 - moment by turning on the spot
        QCRP2 - growth of the moment at a slip angle of 90 degrees
        QBRP1 - reduction of the slope of the residual torque by turning
        QDRP1 - shape of the moment by turning
        """,
    ),
)
BY_NAME = {c.name: c for c in COEFFICIENTS}

DERIVED = {
    **spring.DERIVED,
    **magic.DERIVED,
    "PER_R0": ("1/m", "one over the free radius"),
    "Q_FZ1_USED": ("-", "load over deflection, given or from the stiffness"),
    "P_FZ": ("-", "factor of the stiffness by pressure and scale"),
    "P_KX": ("-", "factor of the slip stiffness by pressure"),
    "P_MUX": ("-", "factor of the friction of Fx by pressure"),
    "P_KY": ("-", "factor of the cornering stiffness by pressure"),
    "PER_PKY2": ("-", "one over the factor of the load of the largest stiffness by pressure"),
    "P_MUY": ("-", "factor of the friction of Fy by pressure"),
    "P_KYG": ("-", "factor of the camber stiffness by pressure"),
    "P_TR": ("-", "factor of the trail by pressure"),
    "P_DR": ("-", "factor of the residual torque by pressure"),
    "P_MX": ("-", "factor of the overturning moment by pressure"),
    "P_MY": ("-", "factor of the rolling resistance by pressure"),
    "PER_TURNING": ("-", "one over the share of its peak that the moment by turning goes to"),
    "C_X": ("N/m", "longitudinal stiffness at this pressure"),
    "C_Y": ("N/m", "lateral stiffness at this pressure"),
}


@dataclass(frozen=True)
class Mf6(MagicFormula):
    """MF-Tyre 6.1 or 6.2.

    Parameters
    ----------
    mode : use mode, 0 to 4 or 11 to 14, as in ``pac2002``
    version : 61 or 62; they differ in the load only
    turn_slip : forces depend on the rate at which the contact turns
    nonlinear : relaxation lengths fall with slip
    softening : the load depends on Fx and Fy; forces are then computed twice
    camber_deflection : the load depends on camber (6.2)
    mixed_overturning : the overturning moment has its mixed part, with QSX4
    lonslip : 1 relates slip to the larger of rolling and travelling speed
    deflection_curve, bottoming_curve : whether the load comes from curves
    """

    kind: ClassVar[str] = "mf6"
    sided: ClassVar[Collection[str]] = SIDED
    file_blocks: ClassVar[Sequence[str]] = FILE_BLOCKS
    aliases: ClassVar[Mapping[str, str]] = {
        "LONGV1": "LONGVL",
        **dict.fromkeys(("LKYG", "LGAY"), "LKYC"),
        "LGAZ": "LKZC",
        "IP": "INFLPRES",
        "IP_NOM": "NOMPRES",
        **{f"Q{name[2:]}": name for name in ("Q_RE0", "Q_V1", "Q_V2", "Q_FZ1", "Q_FZ2")},
        **dict.fromkeys(("QFCX1", "QFCX"), "Q_FCX"),
        **dict.fromkeys(("QFCY1", "QFCY"), "Q_FCY"),
    }

    mode: int = 14
    version: int = 62
    turn_slip: bool = False
    nonlinear: bool = False
    softening: bool = False
    camber_deflection: bool = False
    mixed_overturning: bool = True
    lonslip: int = 0
    deflection_curve: bool = False
    bottoming_curve: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.version not in VERSIONS:
            raise ParameterError(f"version {self.version}: unknown; allowed: {', '.join(map(str, VERSIONS))}")

    @property
    def coefficients(self) -> Sequence[Coefficient]:
        return COEFFICIENTS

    @property
    def curves(self) -> Sequence[str]:
        wanted = {"deflection": self.deflection_curve, "bottoming": self.bottoming_curve}
        return tuple(name for name, present in wanted.items() if present)

    def required(self) -> set[str]:
        names = super().required()
        if self.transient:
            names |= {"LONGITUDINAL_STIFFNESS", "LATERAL_STIFFNESS"}
        if self.turn_slip:
            names |= {"PHYP1", "PHYP2", "QCRP1", "QDRP1"}
        return names

    def file_keys(self) -> dict[str, str | float]:
        return {"PROPERTY_FILE_FORMAT": "USER", "FUNCTION_NAME": "TYR815", "FITTYP": self.version}

    def derived(self, p: Numbers) -> dict[str, Any]:
        nominal = fmax(p["NOMPRES"], 1.0)
        given = p["LIP"] * if_else(p["INFLPRES"] > 0, p["INFLPRES"], nominal)
        pressure = clip(given, p["PRESMIN"], p["PRESMAX"])
        d = pressure / nominal - 1
        per_stiffness = p["VERTICAL_STIFFNESS"] * p["UNLOADED_RADIUS"] / p["FNOMIN"]
        q_fz1 = sqrt(fmax(per_stiffness * per_stiffness - 4 * p["Q_FZ2"], 0.0))
        on_the_spot = if_else(p["QCRP1"] > 0, p["QCRP1"], ARM) * p["LMP"]
        return {
            **spring.derived(p),
            "TWIST_ARM": on_the_spot * p["UNLOADED_RADIUS"],
            "PER_PEAK_X": 1 / peak(p["PCX1"] * p["LCX"], p["PEX1"] * p["LEX"]),
            "PER_PEAK_Y": 1 / peak(p["PCY1"] * p["LCY"], p["PEY1"] * p["LEY"]),
            "PER_FZ0": 1 / (p["LFZO"] * p["FNOMIN"]),
            "PER_FZMIN": 1 / fmax(p["FZMIN"], LOAD_FLOOR),
            "PER_R0": 1 / p["UNLOADED_RADIUS"],
            "Q_FZ1_USED": if_else(p["Q_FZ1"] == 0, q_fz1, p["Q_FZ1"]),
            "P_FZ": (1 + p["PFZ1"] * d) * p["LCZ"],
            "P_KX": 1 + p["PPX1"] * d + p["PPX2"] * d * d,
            "P_MUX": 1 + p["PPX3"] * d + p["PPX4"] * d * d,
            "P_KY": 1 + p["PPY1"] * d,
            "PER_PKY2": 1 / off_zero(1 + p["PPY2"] * d),
            "P_MUY": 1 + p["PPY3"] * d + p["PPY4"] * d * d,
            "P_KYG": 1 + p["PPY5"] * d,
            "P_TR": 1 - p["PPZ1"] * d,
            "P_DR": 1 + p["PPZ2"] * d,
            "P_MX": 1 + p["PPMX1"] * d,
            "P_MY": exp(p["QSY8"] * log(pressure / nominal)),
            "PER_TURNING": 1 / off_zero(sin(0.5 * pi * p["QDRP1"])),
            "C_X": p["LONGITUDINAL_STIFFNESS"] * (1 + p["PCFX3"] * d),
            "C_Y": p["LATERAL_STIFFNESS"] * (1 + p["PCFY3"] * d),
        }

    @property
    def derived_docs(self) -> Mapping[str, tuple[str, str]]:
        return DERIVED

    # -- vertical -------------------------------------------------------------------------------------------
    def _grown(self, p: Numbers, spin: Any) -> Any:
        """RΩ - R0."""
        w = spin * p["UNLOADED_RADIUS"] * p["PER_LONGVL"]
        return p["UNLOADED_RADIUS"] * (p["Q_RE0"] - 1 + p["Q_V1"] * w * w)

    def _by_spin(self, p: Numbers, spin: Any) -> Any:
        return 1 + p["Q_V2"] * fabs(spin * p["UNLOADED_RADIUS"] * p["PER_LONGVL"])

    def _relative_load(self, p: Numbers, rho: Any, spin: Any) -> Any:
        """Load over nominal load for a deflection, without damper and forces in the plane (7)."""
        relative = fmax(rho, 0.0) * p["PER_R0"]
        return self._by_spin(p, spin) * p["P_FZ"] * relative * (p["Q_FZ1_USED"] + p["Q_FZ2"] * relative)

    def _deflection(self, p: Numbers, rho: Any, gamma: Any, spin: Any) -> Any:
        """ρz of (7) for ρ = R0 - r."""
        rho = rho + self._grown(p, spin)
        if not self.camber_deflection:
            return rho
        free = p["UNLOADED_RADIUS"] + self._grown(p, spin)
        loaded = fmin(free - rho, free)
        ratio = loaded * (p["Q_CAM1"] + p["Q_CAM2"] * loaded) / off_zero(free * (p["Q_CAM1"] + p["Q_CAM2"] * free))
        breadth = (1.075 - 0.5 * p["ASPECT_RATIO"]) * p["WIDTH"]
        size = fabs(gamma)
        return rho + ratio * ratio * (breadth / 8) * tan(size) - p["Q_CAM3"] * fmax(rho, 0.0) * size

    def vertical(
        self,
        p: Numbers,
        rho: Any,
        rho_rate: Any,
        curves: Mapping[str, Curve] | None = None,
        *,
        gamma: Any = 0.0,
        spin: Any = 0.0,
        vx: Any = 0.0,
    ) -> Any:
        rho = self._deflection(p, rho, clip(gamma, p["CAMMIN"], p["CAMMAX"]), spin)
        if self.deflection_curve:
            elastic = p["P_FZ"] * spring.look_up(curves, "deflection")(fmax(rho, 0.0))
        else:
            elastic = p["FNOMIN"] * self._relative_load(p, rho, spin)
        return spring.total(p, elastic, rho, rho_rate, curves, self.bottoming_curve)

    def effective_radius(self, p: Numbers, rho: Any, spin: Any = 0.0) -> Any:
        grown = self._grown(p, spin)
        relative = self._relative_load(p, rho + grown, spin)
        shape = p["FREFF"] * relative + p["DREFF"] * atan(p["BREFF"] * relative)
        return p["UNLOADED_RADIUS"] + grown - p["NOMINAL_DEFLECTION"] / p["P_FZ"] * shape  # (8)

    def force_share(self, p: Numbers, rho: Any, gamma: Any, spin: Any, fx: Any, fy: Any) -> Any:
        x = p["Q_FCX"] * fx * p["PER_FNOMIN"]
        if self.version >= 62:
            gamma = clip(gamma, p["CAMMIN"], p["CAMMAX"])
            free = p["UNLOADED_RADIUS"] + self._grown(p, spin)
            r = fmin((p["UNLOADED_RADIUS"] - rho) / free, 1.0)
            fy = fy - (p["Q_FYS1"] + r * (p["Q_FYS2"] + r * p["Q_FYS3"])) * gamma
            relative = fmax(self._deflection(p, rho, gamma, spin) * p["PER_R0"], 1e-6)
            fy = fy * exp(p["Q_FCY2"] * log(relative))
        y = p["Q_FCY"] * fy * p["PER_FNOMIN"]
        return (x * x + y * y) / self._by_spin(p, spin)

    # -- load, camber, friction -----------------------------------------------------------------------------
    def _at_load(self, p: Numbers, load: Any, gamma: Any, friction: Any, turn: Turn | None, f: Functions) -> AtLoad:
        a = SimpleNamespace(f=f)
        a.Fz = fz = clip(load, fmax(p["FZMIN"], LOAD_FLOOR), p["FZMAX"])
        a.scale = clip(load * p["PER_FZMIN"], 0.0, 1.0)
        a.gamma = g = clip(gamma, p["CAMMIN"], p["CAMMAX"])
        a.size = fabs(g)
        a.Fz0 = p["LFZO"] * p["FNOMIN"]
        a.dfz = dfz = (fz - a.Fz0) * p["PER_FZ0"]
        a.LMUX = fmax(p["LMUX"] * friction, FRICTION_FLOOR)
        a.LMUY = fmax(p["LMUY"] * friction, FRICTION_FLOOR)
        self._turning(p, a, turn)

        a.SHx = (p["PHX1"] + p["PHX2"] * dfz) * p["LHX"]
        a.SVx = fz * (p["PVX1"] + p["PVX2"] * dfz) * p["LVX"] * a.LMUX
        a.Cx = p["PCX1"] * p["LCX"]
        a.Dx = (p["PDX1"] + p["PDX2"] * dfz) * p["P_MUX"] * (1 - p["PDX3"] * g * g) * a.LMUX * fz
        a.Kx = fz * (p["PKX1"] + p["PKX2"] * dfz) * exp(p["PKX3"] * dfz) * p["P_KX"] * p["LKX"]
        a.Bx = a.Kx / off_zero(a.Cx * a.Dx)
        a.Ex = (p["PEX1"] + p["PEX2"] * dfz + p["PEX3"] * dfz * dfz) * p["LEX"]

        a.Cy = p["PCY1"] * p["LCY"]
        a.Dy0 = (p["PDY1"] + p["PDY2"] * dfz) * p["P_MUY"] * a.LMUY * fz
        a.Dy = a.Dy0 * (1 - p["PDY3"] * g * g)
        stiffest, relative = p["PKY1"] * a.Fz0 * p["P_KY"] * p["LKY"], fz * p["PER_FZ0"] * p["PER_PKY2"]
        a.Ky0 = stiffest * f.sin(p["PKY4"] * f.atan(relative / off_zero(p["PKY2"])))
        a.Ky = stiffest * f.sin(p["PKY4"] * f.atan(relative / off_zero(p["PKY2"] + p["PKY5"] * g * g)))
        a.Ky = a.Ky * (1 - p["PKY3"] * a.size) * a.zeta3
        a.By, a.By0 = a.Ky / off_zero(a.Cy * a.Dy), a.Ky0 / off_zero(a.Cy * a.Dy0)
        a.Ey = (p["PEY1"] + p["PEY2"] * dfz) * p["LEY"]
        a.Kyg = fz * (p["PKY6"] + p["PKY7"] * dfz) * p["P_KYG"] * p["LKYC"]
        a.SVyg = fz * (p["PVY3"] + p["PVY4"] * dfz) * g * p["LKYC"] * a.LMUY
        a.SVy0 = fz * (p["PVY1"] + p["PVY2"] * dfz) * p["LVY"] * a.LMUY
        a.SHy0 = (p["PHY1"] + p["PHY2"] * dfz) * p["LHY"]
        a.per_Ky = 1 / off_zero(a.Ky)
        a.thrust = self._shift_by_turning(p, a) if self.turn_slip else a.Kyg * g * a.per_Ky  # shift by camber, rad

        cx = p["C_X"] * (1 + p["PCFX1"] * dfz + p["PCFX2"] * dfz * dfz)
        cy = p["C_Y"] * (1 + p["PCFY1"] * dfz + p["PCFY2"] * dfz * dfz)
        return AtLoad(
            fmax(self._length(a.Kx, cx) * p["LSGKP"], SIGMA_FLOOR),  # (6)
            fmax(self._length(a.Ky, cy) * p["LSGAL"], SIGMA_FLOOR),
            a.Kx,
            a.Ky,
            p["PER_PEAK_X"] * fabs(a.Bx),
            p["PER_PEAK_Y"] * fabs(a.By),
            fabs(a.Dy),
            a,
        )

    def _length(self, slope: Any, stiffness: Any) -> Any:
        """σ of (6); none in steady modes without a stiffness, which need not have one."""
        found = fabs(slope / off_zero(stiffness))
        return found if self.transient else if_else(stiffness == 0, 0.0, found)

    def _turning(self, p: Numbers, a: Any, turn: Turn | None) -> None:
        """φ (9) and the factors that depend on it alone."""
        a.turn, a.zeta3 = turn, 1.0
        if not self.turn_slip:
            return
        if turn is None:
            a.turn = turn = Turn(0.0, 0.0, 1.0)
        a.lost = p["PECP1"] * (1 + p["PECP2"] * a.dfz)
        a.phi = p["UNLOADED_RADIUS"] * (turn.path + (1 - a.lost) * turn.camber)  # times R0
        a.zeta3 = cos_atan(p["PKYP1"] * a.phi * a.phi)

    def _shift_by_turning(self, p: Numbers, a: Any) -> Any:
        """SHyφ."""
        d = off_zero(p["PHYP2"] + p["PHYP3"] * a.dfz)
        b = a.Kyg / off_zero((1 - a.lost) * p["PHYP1"] * d * a.Ky0)
        return a.turn.way * d * a.f.sin(a.f.angle(a.phi, b, p["PHYP1"], fmin(p["PHYP4"], 1.0)))

    def _zeta2(self, p: Numbers, a: Any, alpha: Any) -> Any:
        if not self.turn_slip:
            return 1.0
        size = fabs(a.phi)
        turned = size + p["PDYP4"] * (sqrt(size + CURVATURE_FLOOR) - CURVATURE_FLOOR**0.5)
        slope = p["PDYP1"] * (1 + p["PDYP2"] * a.dfz)
        cosine = a.f.cos(alpha)
        squared = cosine * cosine
        tangent_squared = fmax(1 - squared, 0.0) / fmax(squared, STEEPEST)
        return cos_atan_cos_atan(slope * turned, p["PDYP3"] * p["PDYP3"] * tangent_squared)

    # -- forces ---------------------------------------------------------------------------------------------
    def forces(
        self,
        p: Numbers,
        at: AtLoad,
        kappa: Any,
        alpha: Any,
        vx: Any = None,
        spin: Any = None,
        belt: Any = 0.0,
        rolls: Any = None,
    ) -> Forces:
        a = at.own
        vx = p["LONGVL"] if vx is None else vx
        spin = p["LONGVL"] / p["UNLOADED_RADIUS"] if spin is None else spin
        kappa = clip(kappa, p["KPUMIN"], p["KPUMAX"])
        alpha = clip(alpha, p["ALPMIN"], p["ALPMAX"])
        zero = 0.0 * a.Fz
        fx = fy = mx = my = mz = zero
        zeta2 = self._zeta2(p, a, alpha)
        a.SVy, a.SVyk = (a.SVy0 + a.SVyg) * zeta2, zero
        shy = a.SHy0 + a.thrust - a.SVyg * zeta2 * a.per_Ky
        left: Any = 1.0  # Gyκ
        if self.slip in (1, 3, 4):
            fx = self._fx0(p, a, kappa)
        if self.slip in (2, 3, 4):
            fy = self._fy0(p, a, alpha, zeta2, shy, a.SVy)
        if self.slip == 4:
            fx = fx * self._reduction_x(p, a, kappa, alpha)
            left = self._reduction_y(p, a, kappa, alpha)
            a.SVyk = self._induced(p, a, kappa, alpha) * zeta2
            fy = fy * left + a.SVyk
        fade: Any = 1.0
        if not self.transient and self.slip:
            fade = 0.5 - 0.5 * cos(pi * fmin(fabs(vx) * p["PER_VXLOW"], 1.0))
            fx, fy = fade * fx, fade * fy
        if self.slip in (2, 3, 4):
            ar = alpha + shy + a.SVy * a.per_Ky
            way = direction(vx * p["PER_VXLOW"])
            mz = self._mz(p, a, kappa, alpha, ar, way, fx, fy, left, zeta2, fade)
            mx = self._mx(p, a, fy)
        if self.slip in (1, 3, 4):
            rolls = rolling_way(p, spin) if rolls is None else rolls
            my = self._my(p, a, vx, fade * rolls, fx)
        s = a.scale
        return Forces(s * fx, s * fy, s * mx, s * my, s * mz)

    def _fx0(self, p: Numbers, a: Any, kappa: Any) -> Any:
        x = kappa + a.SHx
        d, b, lift = a.Dx, a.Bx, a.SVx
        if self.turn_slip:
            slope = p["PDXP1"] * (1 + p["PDXP2"] * a.dfz)
            across = p["PDXP3"] * kappa
            zeta1 = cos_atan_cos_atan(slope * a.phi, across * across)
            d, b, lift = d * zeta1, b / zeta1, lift * zeta1
        return d * a.f.sin(a.f.angle(x, b, a.Cx, fmin(a.Ex * (1 - p["PEX4"] * side_of(x)), 1.0))) + lift  # (1)

    def _fy0(self, p: Numbers, a: Any, alpha: Any, zeta2: Any, shy: Any, svy: Any) -> Any:
        x = alpha + shy
        sided = 1 + p["PEY5"] * a.gamma * a.gamma - (p["PEY3"] + p["PEY4"] * a.gamma) * side_of(x)
        b = a.By / zeta2 if self.turn_slip else a.By
        return a.Dy * zeta2 * a.f.sin(a.f.angle(x, b, a.Cy, fmin(a.Ey * sided, 1.0))) + svy  # (2)

    def _mz(
        self,
        p: Numbers,
        a: Any,
        kappa: Any,
        alpha: Any,
        ar: Any,
        way: Any,
        fx: Any,
        fy: Any,
        left: Any,
        zeta2: Any,
        fade: Any,
    ) -> Any:
        """Aligning moment (3); ``way`` is the sign of the speed."""
        dfz, g = a.dfz, a.gamma
        at = alpha + p["QHZ1"] + p["QHZ2"] * dfz + (p["QHZ3"] + p["QHZ4"] * dfz) * g
        stiffening = p["LKY"] / a.LMUY
        bt = (p["QBZ1"] + p["QBZ2"] * dfz + p["QBZ3"] * dfz * dfz) * stiffening
        bt = bt * (1 + p["QBZ4"] * g + p["QBZ5"] * a.size)
        dt = a.Fz * (p["QDZ1"] + p["QDZ2"] * dfz) * p["P_TR"] * (1 + p["QDZ3"] * g + p["QDZ4"] * g * g)
        dt = dt * (p["UNLOADED_RADIUS"] * p["PER_FZ0"]) * p["LTR"]
        sided = 1 + (p["QEZ4"] + p["QEZ5"] * g) * (2 / pi) * atan(bt * p["QCZ1"] * at)
        et = fmin((p["QEZ1"] + p["QEZ2"] * dfz + p["QEZ3"] * dfz * dfz) * sided, 1.0)
        by = a.By / zeta2 if self.turn_slip else a.By
        br = p["QBZ9"] * stiffening + p["QBZ10"] * by * a.Cy
        dr = (p["QDZ6"] + p["QDZ7"] * dfz) * p["LRES"] * zeta2
        by_camber = (p["QDZ8"] + p["QDZ9"] * dfz) * p["P_DR"] + (p["QDZ10"] + p["QDZ11"] * dfz) * a.size
        arm = 0.0
        if self.slip == 4:
            other = a.Kx * a.per_Ky * kappa
            other = other * other + SLIP_FLOOR
            at, ar = (atan(sqrt(t * t + other)) for t in (tan(at), tan(ar)))
            arm = p["SSZ1"] + p["SSZ2"] * fy * p["PER_FZ0"] + (p["SSZ3"] + p["SSZ4"] * dfz) * g
            arm = arm * p["UNLOADED_RADIUS"] * p["LS"]
        moment = a.Fz * p["UNLOADED_RADIUS"]
        cos_alpha = cos(alpha) * way
        x = alpha + a.SHy0
        e = fmin(a.Ey * (1 - p["PEY3"] * side_of(x)), 1.0)
        on_trail = left * (a.Dy0 * sin(angle(x, a.By0, a.Cy, e)) + a.SVy0)  # Fy at γ = 0, φ = 0
        if self.turn_slip:
            dt = dt * cos_atan(p["QDTP1"] * a.phi)
            br = br * cos_atan(p["QBRP1"] * a.phi)
            shape, spinning = self._by_turning(p, a, moment, by_camber * p["LKZC"], left)
            residual = (dr * moment * a.LMUY * cos_alpha + spinning) * cos(shape * atan(br * ar))
        else:
            dr = dr + by_camber * g * p["LKZC"]
            residual = dr * moment * a.LMUY * cos_alpha * cos_atan(br * ar)
        trail = dt * cos(angle(at, bt, p["QCZ1"], et)) * cos_alpha
        a.trail, a.arm, a.gyroscopic, a.residual = trail, arm, 0.0, fade * residual
        return fade * (-trail * on_trail + residual) + arm * fx  # (3)

    def _by_turning(self, p: Numbers, a: Any, moment: Any, by_camber: Any, left: Any) -> tuple[Any, Any]:
        """ζ7 and Drφ; the moment by turning works against the turning, forward and in reverse."""
        largest = p["QCRP1"] * fabs(a.Dy) * p["UNLOADED_RADIUS"] * sqrt(a.Fz * p["PER_FZ0"]) * p["LMP"]
        d = off_zero(largest * p["PER_TURNING"])
        b = moment * by_camber / off_zero(p["QDRP1"] * d * (1 - a.lost))
        spinning = d * sin(p["QDRP1"] * atan(b * a.phi))
        across = largest * (2 / pi) * atan(p["QCRP2"] * p["UNLOADED_RADIUS"] * fabs(a.turn.path)) * left
        share = across / (fabs(spinning) + CURVATURE_FLOOR * moment)
        return (2 / pi) * acos(clip(share, 0.0, 1.0 - 1e-9)), spinning

    def _mx(self, p: Numbers, a: Any, fy: Any) -> Any:
        g, load, side = a.gamma, a.Fz * p["PER_FNOMIN"], fy * p["PER_FNOMIN"]
        share = p["QSX1"] * p["LVMX"] - p["QSX2"] * g * p["P_MX"] - p["QSX12"] * g * a.size + p["QSX3"] * side
        share = share + p["QSX10"] * atan(p["QSX11"] * load) * g
        if self.mixed_overturning:
            squared = p["QSX6"] * load
            mixed = p["QSX4"] * cos(p["QSX5"] * atan(squared * squared))
            share = share + mixed * sin(p["QSX7"] * g + p["QSX8"] * atan(p["QSX9"] * side))
        return p["UNLOADED_RADIUS"] * p["LMX"] * (a.Fz * share + fy * (p["QSX13"] + p["QSX14"] * a.size))  # (4)

    def _my(self, p: Numbers, a: Any, vx: Any, way: Any, fx: Any) -> Any:
        """Rolling resistance (5); ``way`` is the sign of the spin."""
        v, load = vx * p["PER_LONGVL"], a.Fz * p["PER_FNOMIN"]
        share = p["QSY1"] + p["QSY3"] * fabs(v) + p["QSY4"] * v * v * v * v
        share = share + (p["QSY5"] + p["QSY6"] * load) * a.gamma * a.gamma
        by_load = exp(p["QSY7"] * log(load)) * p["P_MY"]
        return -p["UNLOADED_RADIUS"] * p["LMY"] * (way * share * p["FNOMIN"] + p["QSY2"] * fx) * by_load
