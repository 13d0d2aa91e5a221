"""Magic Formula tires of the PAC2002 and MF 5.x families: steady forces and moments, after [Pacejka2006] chapter 4.

With x a slip, every force is a scaled sine and every trail a scaled cosine of the same argument:

    S(x; B, C, D, E) = D sin(C atan(Bx - E (Bx - atan Bx)))                                            (1)
    G(x; B, C, D, E) = D cos(C atan(Bx - E (Bx - atan Bx))),     E <= 1                                (2)
    Fz0 = LFZO FNOMIN,   dfz = (Fz - Fz0)/Fz0                                                          (3)

Longitudinal:  κx = κ + SHx                     Fx0 = S(κx; Bx, Cx, Dx, Ex) + SVx                      (4)
    Dx = µx Fz,  Kx = Fz (PKX1 + PKX2 dfz) exp(PKX3 dfz) LKX,  Bx = Kx/(Cx Dx)
Lateral:       αy = α + SHy                     Fy0 = S(αy; By, Cy, Dy, Ey) + SVy                      (5)
    Dy = µy Fz,  Ky = PKY1 Fz0 sin(2 atan(Fz/(PKY2 Fz0))) (1 - PKY3 |γ|) LKY,  By = Ky/(Cy Dy)
Aligning:      Mz = -t (Fy - SVyκ) + Mzr + s Fx                                                        (6)
    t = G(α_t; Bt, Ct, Dt, Et) cos α,   Mzr = Dr cos(atan(Br α_r)) cos α
Combined:      Fx = Gxα Fx0,   Fy = Gyκ Fy0 + SVyκ                                                     (7)
    α_t,eq = atan sqrt(tan² α_t + (Kx κ/Ky)²),  α_r,eq likewise                                        (8)
Overturning:   Mx = R0 Fz (QSX1 LVMX - QSX2 γ + QSX3 Fy/Fz0 + m) LMX                                   (9)
    m = QSX4 cos(QSX5 atan((QSX6 Fz/Fz0)²)) sin(QSX7 γ + QSX8 atan(QSX9 Fy/Fz0)) + QSX10 atan(QSX11 Fz/Fz0) γ
Rolling:       My = -R0 Fz (sgn(ω) q + QSY2 Fx/Fz0) (Fz/Fz0)^QSY7 (p/p0)^QSY8 LMY                        (10)
    q = QSY1 + QSY3 |Vx/Vref| + QSY4 (Vx/Vref)⁴ + (QSY5 + QSY6 Fz/Fz0) γ²
    with QSY1 = QSY2 = 0:  My = sgn(ω) R0 (SVx + Kx SHx), the force at κ = 0
Relaxation:    σκ = Fz (PTX1 + PTX2 dfz) exp(-PTX3 dfz) R0/FNOMIN LSGKP                                (11)
               σα = PTY1 sin(2 atan(Fz/(PTY2 Fz0))) (1 - PKY3 |γ|) R0 LFZO LSGAL                       (12)
Belt:          Mz,gyr = QTZ1 LGYR MBELT (ω re) dv/dt cos(atan(Br α_r)),  v the lateral deflection         (13)

Inflation pressure, p = LIP IP within PRESMIN to PRESMAX, p0 = IP_NOM, dpi = (p - p0)/p0:                   (14)

    µx (1 + PPX3 dpi + PPX4 dpi²),   Kx (1 + PPX1 dpi + PPX2 dpi²),   µy (1 + PPY3 dpi + PPY4 dpi²)
    Ky = PKY1 Fz0 (1 + PPY1 dpi) sin(2 atan(Fz/(PKY2 Fz0 (1 + PPY2 dpi)))) …,   Dt (1 - QPZ1 dpi)
    (QDZ8 + QDZ9 dfz)(1 + QPZ2 dpi) in Dr,   QSX2 (1 + QPX1 dpi),   wheel load and stiffness (1 + QPFZ1 dpi)

Relaxation lengths are those of p0.  LCZ scales the elastic part of the wheel load, whatever it comes from; load and
rolling radius are in ``vertical``.  Of (9), (10) and (14) only what a file has is built (``mixed_overturning``,
``further_rolling``, ``pressure``).

The terms (14) and those with QSX4 to QSX11, QSY5 to QSY8 are those of later PAC2002 files.  They have the form of
[Pacejka2012] 4.E69 and 4.E70 and of [Besselink2010], but for (10), which has Fz in front, so that QSY7 = 0 is
a moment in proportion to the load, and Fz0 = LFZO FNOMIN throughout.  Programs exist that leave QSX6 out (as one).

Use modes: 0 wheel load only; 1 Fx and My; 2 Fy, Mx and Mz; 3 both, each by itself; 4 combined slip (7, 8); 11 to 14 the
same with relaxation (``transient``).  MF_05 (MF-Tyre 5.0 and 5.1) differs in how the scaling factors enter SHy and SVy,
and has neither RBX3 nor RBY4; MF_52 (MF-Tyre 5.2) has the equations of PAC2002.

Ours: road friction µ multiplies LMUX and LMUY everywhere; load, slips and camber are kept within the ranges of the
file, and below FZMIN forces at FZMIN are scaled with the load, so that everything goes to zero smoothly as a wheel
lifts; in reverse the trail changes side, as cos α carries the sign of Vx, and the part of My with Fx keeps
its sign: a wheel that rolls backwards is a wheel that rolls forwards, turned by 180 degrees.  Forces act at the
loaded radius r while the wheel rolls with re > r; without QSY2 = (re - r)/R0 or so, a driven tire gives out Fx Ω (re
- r) more power than it takes in.  The functions (2) and cos(atan x) are even: the sign that (8) has in the literature
is left out, and with it a jump.  The sign of PTX3 in (11) differs between descriptions; ``ptx3_sign`` chooses.

Smoothness: forces are C1 in slips (the curvature factors E may jump with the sign of slip, where their effect is of
third order), C0 in load and camber.  Not modelled: turn slip (``mf6`` has it), contact mass.
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
    MODES,
    SCALING,
    SIGMA_FLOOR,
    SLIP_FLOOR,
    Functions,
    MagicFormula,
    angle,
    cos_atan,
    off_zero,
    peak,
    side_of,
    sin_2_atan,
    table,
)
from jounce.core.errors import ParameterError
from jounce.symbolic.ops import atan, clip, cos, exp, fabs, fmax, fmin, if_else, log, logic_and, pi, sin, sqrt, tan

__all__ = ["BY_NAME", "COEFFICIENTS", "MODES", "SIDED", "VARIANTS", "Pac2002", "peak", "symmetrised"]

VARIANTS = ("PAC2002", "MF_05", "MF_52")

_LONG, _LAT, _ALIGN = "LONGITUDINAL_COEFFICIENTS", "LATERAL_COEFFICIENTS", "ALIGNING_COEFFICIENTS"
_ROLLING, _OVERTURNING = "ROLLING_COEFFICIENTS", "OVERTURNING_COEFFICIENTS"
USUAL_PRESSURE = 2.2e5  # Pa, nominal where a file has no pressure at all

# (14), and the further terms of (9) and (10): built when a file has them.
PRESSURE: tuple[Coefficient, ...] = (
    Coefficient("IP", "N/m2", "inflation pressure, p; 0: nominal", 0.0, "TIRE_CONDITIONS"),
    Coefficient("IP_NOM", "N/m2", "nominal inflation pressure, p0; 0: that of IP", 0.0, "TIRE_CONDITIONS"),
    Coefficient("PRESMIN", "N/m2", "smallest valid pressure", 1e4, "INFLATION_PRESSURE_RANGE"),
    Coefficient("PRESMAX", "N/m2", "largest valid pressure", 1e7, "INFLATION_PRESSURE_RANGE"),
    *table(
        _LONG,
        """
        PPX1 - change of slip stiffness with pressure
        PPX2 - change of slip stiffness with pressure squared
        PPX3 - change of friction with pressure
        PPX4 - change of friction with pressure squared
        """,
    ),
    *table(
        _LAT,
        """
        PPY1 - change of cornering stiffness with pressure
        PPY2 - change of the load of the largest stiffness with pressure
        PPY3 - change of friction with pressure
        PPY4 - change of friction with pressure squared
        """,
    ),
    *table(
        _ALIGN,
        """
        QPZ1 - change of the trail with pressure
        QPZ2 - change of the residual torque by camber with pressure
        """,
    ),
    Coefficient("QPX1", "-", "change of the overturning moment by camber with pressure", 0.0, _OVERTURNING),
    Coefficient("QPFZ1", "-", "change of the vertical stiffness with pressure", 0.0, "VERTICAL"),
    Coefficient("QSY8", "-", "exponent of rolling resistance with pressure", 0.0, _ROLLING),
)
# Without any of these the pressure of a file has no effect.
PRESSURE_TERMS = tuple(c.name for c in PRESSURE if c.name not in ("IP", "IP_NOM", "PRESMIN", "PRESMAX"))
MIXED: tuple[Coefficient, ...] = tuple(
    table(
        _OVERTURNING,
        """
        QSX4 - overturning moment, mixed part
        QSX5 - change of the mixed part with load, shape
        QSX6 - change of the mixed part with load, slope
        QSX7 1/rad mixed part over inclination
        QSX8 - mixed part over lateral force, shape
        QSX9 - mixed part over lateral force, slope
        QSX10 1/rad overturning moment by load and inclination
        QSX11 - slope of this over load
        """,
    )
)
FURTHER_ROLLING: tuple[Coefficient, ...] = tuple(
    table(
        _ROLLING,
        """
        QSY5 1/rad2 change with inclination squared
        QSY6 1/rad2 change with load and inclination squared
        QSY7 - exponent of rolling resistance over load with load
        """,
    )
)
LATER = (*MIXED, *FURTHER_ROLLING, *PRESSURE)

COEFFICIENTS: tuple[Coefficient, ...] = (
    *spring.MODEL,
    *spring.LOAD,
    *spring.RANGES,
    *table(
        SCALING,
        """
        LFZO - scale of the nominal load
        LCX - scale of the shape of Fx
        LMUX - scale of the peak friction of Fx
        LEX - scale of the curvature of Fx
        LKX - scale of the slip stiffness
        LHX - scale of the horizontal shift of Fx
        LVX - scale of the vertical shift of Fx
        LGAX - scale of inclination for Fx
        LCY - scale of the shape of Fy
        LMUY - scale of the peak friction of Fy
        LEY - scale of the curvature of Fy
        LKY - scale of the cornering stiffness
        LHY - scale of the horizontal shift of Fy
        LVY - scale of the vertical shift of Fy
        LGAY - scale of inclination for Fy
        LKYG - scale of the camber stiffness
        LTR - scale of the peak of the pneumatic trail
        LRES - scale of the residual torque
        LGAZ - scale of inclination for Mz
        LXAL - scale of the influence of alpha on Fx
        LYKA - scale of the influence of kappa on Fy
        LVYKA - scale of the lateral force induced by kappa
        LS - scale of the moment arm of Fx
        LSGKP - scale of the longitudinal relaxation length
        LSGAL - scale of the lateral relaxation length
        LGYR - scale of the gyroscopic torque of the belt
        LMX - scale of the overturning moment
        LVMX - scale of the vertical shift of the overturning moment
        LMY - scale of the rolling resistance
        LCZ - scale of the vertical stiffness
        LIP - scale of the inflation pressure
        """,
        1.0,
    ),
    *table(
        _LONG,
        """
        PCX1 - shape of Fx
        PDX1 - friction of Fx at nominal load
        PKX1 - slip stiffness over load at nominal load
        """,
        None,
    ),
    *table(
        _LONG,
        """
        PDX2 - change of friction with load
        PDX3 1/rad2 change of friction with inclination
        PEX1 - curvature at nominal load
        PEX2 - change of curvature with load
        PEX3 - change of curvature with load squared
        PEX4 - curvature in driving against braking
        PKX2 - change of slip stiffness with load
        PKX3 - exponent of slip stiffness with load
        PHX1 - horizontal shift at nominal load
        PHX2 - change of horizontal shift with load
        PVX1 - vertical shift over load at nominal load
        PVX2 - change of vertical shift with load
        RBX1 - combined slip: slope of the reduction of Fx
        RBX2 - combined slip: change of the slope with kappa
        RBX3 1/rad2 combined slip: change of the slope with inclination
        RCX1 - combined slip: shape of the reduction of Fx
        REX1 - combined slip: curvature of the reduction of Fx
        REX2 - combined slip: change of the curvature with load
        RHX1 rad combined slip: shift of the reduction of Fx
        PTX1 - relaxation length over radius at nominal load
        PTX2 - change of the relaxation length with load
        PTX3 - exponent of the relaxation length with load
        """,
    ),
    *table(
        _LAT,
        """
        PCY1 - shape of Fy
        PDY1 - friction of Fy at nominal load
        PKY1 1/rad largest cornering stiffness over nominal load, negative
        PKY2 - load over nominal load at the largest cornering stiffness
        """,
        None,
    ),
    *table(
        _LAT,
        """
        PDY2 - change of friction with load
        PDY3 1/rad2 change of friction with inclination
        PEY1 - curvature at nominal load
        PEY2 - change of curvature with load
        PEY3 - curvature by the sign of alpha
        PEY4 1/rad curvature by inclination and the sign of alpha
        PKY3 1/rad change of cornering stiffness with inclination
        PHY1 rad horizontal shift at nominal load
        PHY2 rad change of horizontal shift with load
        PHY3 - horizontal shift over inclination
        PVY1 - vertical shift over load at nominal load
        PVY2 - change of vertical shift with load
        PVY3 1/rad vertical shift over load and inclination
        PVY4 1/rad change with load of the shift by inclination
        RBY1 - combined slip: slope of the reduction of Fy
        RBY2 1/rad combined slip: change of the slope with alpha
        RBY3 rad combined slip: shift of alpha in the slope
        RBY4 1/rad2 combined slip: change of the slope with inclination
        RCY1 - combined slip: shape of the reduction of Fy
        REY1 - combined slip: curvature of the reduction of Fy
        REY2 - combined slip: change of the curvature with load
        RHY1 - combined slip: shift of the reduction of Fy
        RHY2 - combined slip: change of the shift with load
        RVY1 - force by kappa over friction force
        RVY2 - change of the force by kappa with load
        RVY3 1/rad change of the force by kappa with inclination
        RVY4 1/rad change of the force by kappa with alpha
        RVY5 - shape of the force by kappa
        RVY6 - slope of the force by kappa
        PTY1 - largest relaxation length over radius
        PTY2 - load over nominal load at the largest relaxation length
        """,
    ),
    *table(
        _ALIGN,
        """
        QBZ1 1/rad slope of the trail at nominal load
        QBZ2 1/rad change of the slope with load
        QBZ3 1/rad change of the slope with load squared
        QBZ4 1/rad change of the slope with inclination
        QBZ5 1/rad change of the slope with the size of inclination
        QBZ9 1/rad slope of the residual torque
        QBZ10 - slope of the residual torque from that of Fy
        QCZ1 - shape of the trail
        QDZ1 - peak trail over radius at nominal load
        QDZ2 - change of the peak trail with load
        QDZ3 1/rad change of the peak trail with inclination
        QDZ4 1/rad2 change of the peak trail with inclination squared
        QDZ6 - residual torque over radius and load
        QDZ7 - change of the residual torque with load
        QDZ8 1/rad change of the residual torque with inclination
        QDZ9 1/rad change with load and inclination
        QEZ1 - curvature of the trail
        QEZ2 - change of the curvature with load
        QEZ3 - change of the curvature with load squared
        QEZ4 - curvature by the sign of alpha
        QEZ5 1/rad curvature by inclination and the sign of alpha
        QHZ1 rad shift of the trail at nominal load
        QHZ2 rad change of the shift with load
        QHZ3 - shift over inclination
        QHZ4 - change with load of the shift over inclination
        SSZ1 - arm of Fx over radius
        SSZ2 - change of the arm with Fy over nominal load
        SSZ3 1/rad change of the arm with inclination
        SSZ4 1/rad change with load and inclination
        QTZ1 - gyroscopic torque of the belt
        MBELT kg mass of the belt
        """,
    ),
    *table(
        _ROLLING,
        """
        QSY1 - rolling resistance over load
        QSY2 - change with Fx over nominal load
        QSY3 - change with speed
        QSY4 - change with speed to the fourth power
        """,
    ),
    *table(
        _OVERTURNING,
        """
        QSX1 - overturning moment, shift
        QSX2 1/rad overturning moment over inclination
        QSX3 - overturning moment over lateral force
        """,
    ),
    *spring.EXTENDED,
    *LATER,
)
BY_NAME = {c.name: c for c in COEFFICIENTS}

DERIVED = {
    **spring.DERIVED,
    **magic.DERIVED,
    "PER_STIFFEST": ("1/N", "one over the load of the largest cornering stiffness"),
    "PER_LONGEST": ("1/N", "one over the load of the largest relaxation length"),
    "QFZ1_USED": ("-", "load over deflection, given or from the stiffness"),
    "C_Z": ("N/m", "vertical stiffness, scaled"),
    "SCALE_Z": ("-", "factor of the vertical stiffness"),
}
DERIVED_BY_PRESSURE = {
    "P_KX": ("-", "factor of the slip stiffness by pressure"),
    "P_MUX": ("-", "factor of the friction of Fx by pressure"),
    "P_KY": ("-", "factor of the cornering stiffness by pressure"),
    "P_MUY": ("-", "factor of the friction of Fy by pressure"),
    "P_TR": ("-", "factor of the trail by pressure"),
    "P_DR": ("-", "factor of the residual torque by camber by pressure"),
    "P_MX": ("-", "factor of the overturning moment by camber by pressure"),
    "P_MY": ("-", "factor of the rolling resistance by pressure"),
}

# What makes a tire differ from its mirror image.
SIDED = (
    *("RHX1", "PEY3", "PHY1", "PHY2", "PVY1", "PVY2", "RBY3", "RVY1", "RVY2"),
    *("QBZ4", "QDZ3", "QDZ6", "QDZ7", "QEZ4", "QHZ1", "QHZ2", "SSZ1", "QSX1"),
)


@dataclass(frozen=True)
class Pac2002(MagicFormula):
    """PAC2002 or MF 5.x.

    Parameters
    ----------
    mode : use mode, 0 to 4 or 11 to 14
    variant : ``PAC2002`` or ``MF_05``
    lonslip : 1 relates slip to the larger of rolling and travelling speed (bounded by ±1)
    ptx3_sign : sign of PTX3 in (11)
    deflection_curve, bottoming_curve, radius_load_map : whether the load comes from curves (names of ``curves``)
    extended : load and radius depend on spin, inclination and deflection squared (``vertical``)
    softening : the load depends on Fx and Fy as well; forces are then computed twice
    nonlinear : relaxation lengths fall with slip
    pressure : forces and load depend on the inflation pressure (14)
    mixed_overturning : the overturning moment has its part m, with QSX4 to QSX11
    further_rolling : the rolling resistance depends on inclination and further on load, with QSY5 to QSY7
    """

    kind: ClassVar[str] = "pac2002"
    sided: ClassVar[Collection[str]] = SIDED
    file_blocks: ClassVar[Sequence[str]] = FILE_BLOCKS
    aliases: ClassVar[Mapping[str, str]] = {
        "LONGV1": "LONGVL",
        **dict.fromkeys(("LKYC", "LKG"), "LKYG"),
        "LKZC": "LGAZ",
        **{f"Q_{name[1:]}": name for name in ("QV1", "QV2", "QFZ1", "QFZ2")},
        "Q_FCX": "QFCX1",
        "Q_FCY": "QFCY1",
        "Q_FCG": "QFCG1",
        "INFLPRES": "IP",
        "NOMPRES": "IP_NOM",
        "PPZ1": "QPZ1",
        "PPZ2": "QPZ2",
        "PPMX1": "QPX1",
        "PFZ1": "QPFZ1",
    }
    coefficient_list: ClassVar[Sequence[Coefficient]] = COEFFICIENTS

    mode: int = 14
    variant: str = "PAC2002"
    lonslip: int = 0
    ptx3_sign: int = -1
    deflection_curve: bool = False
    bottoming_curve: bool = False
    radius_load_map: bool = False
    extended: bool = False
    softening: bool = False
    nonlinear: bool = False
    pressure: bool = False
    mixed_overturning: bool = False
    further_rolling: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.variant not in VARIANTS:
            raise ParameterError(f"variant {self.variant!r}: unknown; allowed: {', '.join(VARIANTS)}")
        if self.softening and not self.extended:
            raise ParameterError("a load that depends on forces (softening) needs the extended law of the load")
        there = {c.name for c in self.coefficients}
        for option, terms in (
            ("pressure", PRESSURE),
            ("mixed_overturning", MIXED),
            ("further_rolling", FURTHER_ROLLING),
        ):
            if getattr(self, option) and terms[0].name not in there:
                raise ParameterError(f"tire {self.kind}: has no terms for {option!r}")

    @property
    def coefficients(self) -> Sequence[Coefficient]:
        return self.coefficient_list

    @property
    def curves(self) -> Sequence[str]:
        wanted = {
            "deflection": self.deflection_curve,
            "bottoming": self.bottoming_curve,
            "radius_load": self.radius_load_map,
        }
        return tuple(name for name, present in wanted.items() if present)

    def curve_shape(self, name: str) -> tuple[int, int]:
        return (2, 1) if name == "radius_load" else (1, 1)

    def file_keys(self) -> dict[str, str | float]:
        if self.variant == "MF_52":
            return {"PROPERTY_FILE_FORMAT": "MF_05", "FITTYP": 6}
        return {"PROPERTY_FILE_FORMAT": self.variant}

    def derived(self, p: Numbers) -> dict[str, Any]:
        dpi = self._dpi(p) if self.pressure else None
        scale = self._stiffer(p, dpi)
        return {
            **spring.derived(p, scale),
            "C_Z": p["VERTICAL_STIFFNESS"] * scale,
            "SCALE_Z": scale,
            "PER_PEAK_X": 1 / peak(p["PCX1"] * p["LCX"], p["PEX1"] * p["LEX"]),
            **self._peak_y(p),
            "PER_FZ0": 1 / (p["LFZO"] * p["FNOMIN"]),
            "PER_FZMIN": 1 / fmax(p["FZMIN"], LOAD_FLOOR),
            "QFZ1_USED": if_else(
                p["QFZ1"] == 0, p["VERTICAL_STIFFNESS"] * p["UNLOADED_RADIUS"] / p["FNOMIN"], p["QFZ1"]
            ),
            **({} if dpi is None else self._by_pressure(p, dpi)),
        }

    def _dpi(self, p: Numbers) -> Any:
        """dpi of (14); exactly zero at the nominal pressure, whatever the valid range."""
        nominal = if_else(p["IP_NOM"] > 0, p["IP_NOM"], if_else(p["IP"] > 0, p["IP"], USUAL_PRESSURE))
        pressure = p["LIP"] * if_else(p["IP"] > 0, p["IP"], nominal)
        return clip(pressure, fmin(p["PRESMIN"], nominal), fmax(p["PRESMAX"], nominal)) / nominal - 1

    def _stiffer(self, p: Numbers, dpi: Any) -> Any:
        """Factor on the vertical stiffness."""
        return p["LCZ"] if dpi is None else p["LCZ"] * (1 + p["QPFZ1"] * dpi)

    def _by_pressure(self, p: Numbers, d: Any) -> dict[str, Any]:
        """Factors of (14)."""
        return {
            "PER_STIFFEST": 1 / off_zero(p["PKY2"] * p["LFZO"] * p["FNOMIN"] * (1 + p["PPY2"] * d)),
            "P_KX": 1 + p["PPX1"] * d + p["PPX2"] * d * d,
            "P_MUX": 1 + p["PPX3"] * d + p["PPX4"] * d * d,
            "P_KY": 1 + p["PPY1"] * d,
            "P_MUY": 1 + p["PPY3"] * d + p["PPY4"] * d * d,
            "P_TR": 1 - p["QPZ1"] * d,
            "P_DR": 1 + p["QPZ2"] * d,
            "P_MX": 1 + p["QPX1"] * d,
            "P_MY": exp(p["QSY8"] * log(1 + d)),
        }

    def _peak_y(self, p: Numbers) -> dict[str, Any]:
        return {
            "PER_PEAK_Y": 1 / peak(p["PCY1"] * p["LCY"], p["PEY1"] * p["LEY"]),
            "PER_STIFFEST": 1 / off_zero(p["PKY2"] * p["LFZO"] * p["FNOMIN"]),
            "PER_LONGEST": 1 / off_zero(p["PTY2"] * p["LFZO"] * p["FNOMIN"]),
        }

    @property
    def derived_docs(self) -> Mapping[str, tuple[str, str]]:
        return {**DERIVED, **DERIVED_BY_PRESSURE} if self.pressure else DERIVED

    # -- vertical -------------------------------------------------------------------------------------------
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
        if self.extended:
            rho = rho + spring.growth(p, spin)
        if self.radius_load_map:
            elastic = p["SCALE_Z"] * spring.by_map(p, rho, vx, curves)
        elif self.deflection_curve:
            elastic = p["SCALE_Z"] * spring.look_up(curves, "deflection")(fmax(rho, 0.0))
        elif self.extended:
            elastic = p["SCALE_Z"] * spring.extended(p, rho, gamma, spin)
        else:
            elastic = p["C_Z"] * fmax(rho, 0.0)
        return spring.total(p, elastic, rho, rho_rate, curves, self.bottoming_curve)

    def effective_radius(self, p: Numbers, rho: Any, spin: Any = 0.0) -> Any:
        grown = spring.growth(p, spin) if self.extended else 0.0
        return spring.rolling_radius(p, rho + grown, grown)

    def force_share(self, p: Numbers, rho: Any, gamma: Any, spin: Any, fx: Any, fy: Any) -> Any:
        x, y = p["QFCX1"] * fx * p["PER_FNOMIN"], p["QFCY1"] * fy * p["PER_FNOMIN"]
        return (x * x + y * y) / spring.factor(p, gamma, spin)

    # -- load, camber, friction -----------------------------------------------------------------------------
    def _at_load(self, p: Numbers, load: Any, gamma: Any, friction: Any, turn: Turn | None, f: Functions) -> AtLoad:
        a = SimpleNamespace(f=f)
        low = fmax(p["FZMIN"], LOAD_FLOOR)
        a.Fz = fz = clip(load, low, p["FZMAX"])
        a.scale = clip(load * p["PER_FZMIN"], 0.0, 1.0)
        a.gamma = clip(gamma, p["CAMMIN"], p["CAMMAX"])
        a.Fz0 = fz0 = p["LFZO"] * p["FNOMIN"]
        a.dfz = (fz - fz0) * p["PER_FZ0"]  # (3)
        a.LMUX = fmax(p["LMUX"] * friction, FRICTION_FLOOR)
        a.LMUY = fmax(p["LMUY"] * friction, FRICTION_FLOOR)
        self._longitudinal(p, a)
        self._lateral(p, a)
        sigma_kappa = (
            fz
            * (p["PTX1"] + p["PTX2"] * a.dfz)
            * exp(self.ptx3_sign * p["PTX3"] * a.dfz)
            * (p["UNLOADED_RADIUS"] * p["PER_FNOMIN"] * p["LSGKP"])
        )  # (11)
        return AtLoad(
            fmax(sigma_kappa, SIGMA_FLOOR),
            fmax(self._sigma_alpha(p, a), SIGMA_FLOOR),
            a.Kx,
            a.Ky,
            p["PER_PEAK_X"] * fabs(a.Bx),
            p["PER_PEAK_Y"] * fabs(a.By),
            fabs(a.Dy),
            a,
        )

    def _longitudinal(self, p: Numbers, a: Any) -> None:
        """(4)"""
        fz, dfz = a.Fz, a.dfz
        gx = a.gamma * p["LGAX"]
        a.SHx = (p["PHX1"] + p["PHX2"] * dfz) * p["LHX"]
        a.SVx = fz * (p["PVX1"] + p["PVX2"] * dfz) * p["LVX"] * a.LMUX
        a.Cx = p["PCX1"] * p["LCX"]
        a.Dx = (p["PDX1"] + p["PDX2"] * dfz) * (1 - p["PDX3"] * gx * gx) * a.LMUX * fz
        a.Kx = fz * (p["PKX1"] + p["PKX2"] * dfz) * exp(p["PKX3"] * dfz) * p["LKX"]
        if self.pressure:  # (14)
            a.Dx, a.Kx = a.Dx * p["P_MUX"], a.Kx * p["P_KX"]
        a.Bx = a.Kx / off_zero(a.Cx * a.Dx)
        a.Ex = (p["PEX1"] + p["PEX2"] * dfz + p["PEX3"] * dfz * dfz) * p["LEX"]

    def _lateral(self, p: Numbers, a: Any) -> None:
        """(5)"""
        fz, dfz, lmuy = a.Fz, a.dfz, a.LMUY
        gy = a.gamma * p["LGAY"]
        a.Cy = p["PCY1"] * p["LCY"]
        a.Dy = (p["PDY1"] + p["PDY2"] * dfz) * (1 - p["PDY3"] * gy * gy) * lmuy * fz
        a.softer = 1 - p["PKY3"] * fabs(gy)
        a.Ky = p["PKY1"] * a.Fz0 * sin_2_atan(fz * p["PER_STIFFEST"]) * p["LKY"] * a.softer
        if self.pressure:  # (14)
            a.Dy, a.Ky = a.Dy * p["P_MUY"], a.Ky * p["P_KY"]
        a.By = a.Ky / off_zero(a.Cy * a.Dy)
        a.Ey = (p["PEY1"] + p["PEY2"] * dfz) * p["LEY"]
        a.Ey_side = p["PEY3"] + p["PEY4"] * gy
        shift, shift_camber = p["PHY1"] + p["PHY2"] * dfz, p["PHY3"] * gy
        lift, lift_camber = p["PVY1"] + p["PVY2"] * dfz, (p["PVY3"] + p["PVY4"] * dfz) * gy
        if self.variant == "MF_05":
            a.SHy = (shift + shift_camber) * p["LHY"]
            a.SVy = fz * (lift + lift_camber) * p["LVY"] * p["LKY"]
        else:
            a.SHy = shift * p["LHY"] + shift_camber * p["LKYG"]
            a.SVy = fz * (lift * p["LVY"] + lift_camber * p["LKYG"]) * lmuy

    def _sigma_alpha(self, p: Numbers, a: Any) -> Any:
        """(12)"""
        longest = p["UNLOADED_RADIUS"] * p["LFZO"] * p["LSGAL"]
        return p["PTY1"] * sin_2_atan(a.Fz * p["PER_LONGEST"]) * a.softer * longest

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
        if self.slip in (1, 3, 4):
            fx = self._fx0(p, a, kappa)
        if self.slip in (2, 3, 4):
            fy = self._fy0(p, a, alpha)
        left: Any = 1.0  # Gyκ
        if self.slip == 4:
            fx = fx * self._reduction_x(p, a, kappa, alpha)  # (7)
            left = self._reduction_y(p, a, kappa, alpha)
            fy = fy * left
        on_trail = self._on_trail(p, a, alpha, left, fy)
        a.SVyk = zero
        if self.slip == 4:
            a.SVyk = self._induced(p, a, kappa, alpha)
            fy = fy + a.SVyk
        fade: Any = 1.0
        if not self.transient and self.slip:
            fade = 0.5 - 0.5 * cos(pi * fmin(fabs(vx) * p["PER_VXLOW"], 1.0))
            fx, fy, on_trail = fade * fx, fade * fy, fade * on_trail
        if self.slip in (2, 3, 4):
            mz = self._mz(p, a, kappa, alpha, direction(vx * p["PER_VXLOW"]), fx, on_trail, fy, fade, belt)
            mx = self._overturning(p, a, fy)
        if self.slip in (1, 3, 4):
            rolls = rolling_way(p, spin) if rolls is None else rolls
            my = self._rolling(p, a, vx, fade * rolls, fx)
        s = a.scale
        return Forces(s * fx, s * fy, s * mx, s * my, s * mz)

    def _fx0(self, p: Numbers, a: Any, kappa: Any) -> Any:
        x = kappa + a.SHx
        return a.Dx * a.f.sin(a.f.angle(x, a.Bx, a.Cx, fmin(a.Ex * (1 - p["PEX4"] * side_of(x)), 1.0))) + a.SVx  # (4)

    def _fy0(self, p: Numbers, a: Any, alpha: Any) -> Any:
        x = alpha + a.SHy
        return a.Dy * a.f.sin(a.f.angle(x, a.By, a.Cy, fmin(a.Ey * (1 - a.Ey_side * side_of(x)), 1.0))) + a.SVy  # (5)

    def _on_trail(self, p: Numbers, a: Any, alpha: Any, left: Any, fy: Any) -> Any:
        """The lateral force that acts at the pneumatic trail: all but SVyκ."""
        return fy

    def _camber_stiffening(self, p: Numbers, a: Any, name: str) -> Any:
        return 0.0 if self.variant == "MF_05" else super()._camber_stiffening(p, a, name)

    def _mz(
        self,
        p: Numbers,
        a: Any,
        kappa: Any,
        alpha: Any,
        way: Any,
        fx: Any,
        fy_trail: Any,
        fy: Any,
        fade: Any,
        belt: Any,
    ) -> Any:
        """Aligning moment (6); ``way`` is the sign of the speed."""
        dfz, g = a.dfz, a.gamma * p["LGAZ"]
        at = alpha + p["QHZ1"] + p["QHZ2"] * dfz + (p["QHZ3"] + p["QHZ4"] * dfz) * g
        ar = alpha + a.SHy + a.SVy / off_zero(a.Ky)
        stiffening = p["LKY"] / a.LMUY
        bt = (
            (p["QBZ1"] + p["QBZ2"] * dfz + p["QBZ3"] * dfz * dfz)
            * (1 + p["QBZ4"] * g + p["QBZ5"] * fabs(g))
            * stiffening
        )
        dt = a.Fz * (p["QDZ1"] + p["QDZ2"] * dfz) * (1 + p["QDZ3"] * self._trail_camber(g) + p["QDZ4"] * g * g)
        dt = dt * (p["UNLOADED_RADIUS"] * p["PER_FZ0"]) * p["LTR"]
        if self.pressure:  # (14)
            dt = dt * p["P_TR"]
        sided = 1 + (p["QEZ4"] + p["QEZ5"] * g) * (2 / pi) * atan(bt * p["QCZ1"] * at)
        et = fmin((p["QEZ1"] + p["QEZ2"] * dfz + p["QEZ3"] * dfz * dfz) * sided, 1.0)
        br = p["QBZ9"] * stiffening + self._residual_slope(p, a)
        dr = (p["QDZ6"] + p["QDZ7"] * dfz) * p["LRES"] + self._residual_camber(p, dfz, g)
        dr = dr * a.Fz * p["UNLOADED_RADIUS"] * a.LMUY
        arm = 0.0
        if self.slip == 4:
            other = a.Kx / off_zero(a.Ky) * kappa
            other = other * other + SLIP_FLOOR
            at, ar = (atan(sqrt(t * t + other)) for t in (tan(at), tan(ar)))  # (8)
            arm = p["SSZ1"] + p["SSZ2"] * fy * p["PER_FZ0"] + (p["SSZ3"] + p["SSZ4"] * dfz) * a.gamma
            arm = arm * p["UNLOADED_RADIUS"] * p["LS"]
        cos_alpha = cos(alpha) * way
        trail = dt * cos(angle(at, bt, p["QCZ1"], et)) * cos_alpha
        fading = cos_atan(br * ar)
        gyroscopic = p["QTZ1"] * p["LGYR"] * p["MBELT"] * belt * fading  # (13)
        a.trail, a.arm, a.gyroscopic, a.residual = trail, arm, gyroscopic, fade * dr * fading * cos_alpha
        return -trail * fy_trail + a.residual + arm * fx + gyroscopic  # (6)

    def _trail_camber(self, g: Any) -> Any:
        return g

    def _residual_slope(self, p: Numbers, a: Any) -> Any:
        return p["QBZ10"] * a.By * a.Cy

    def _residual_camber(self, p: Numbers, dfz: Any, g: Any) -> Any:
        found = (p["QDZ8"] + p["QDZ9"] * dfz) * g
        return found * p["P_DR"] if self.pressure else found

    def _overturning(self, p: Numbers, a: Any, fy: Any) -> Any:
        """(9)"""
        by_camber = p["QSX2"] * p["P_MX"] if self.pressure else p["QSX2"]
        share = p["QSX1"] * p["LVMX"] - by_camber * a.gamma + p["QSX3"] * fy * p["PER_FZ0"]
        if self.mixed_overturning:
            load = a.Fz * p["PER_FZ0"]
            shape = p["QSX6"] * load
            mixed = p["QSX4"] * cos(p["QSX5"] * atan(shape * shape))
            share = share + mixed * sin(p["QSX7"] * a.gamma + p["QSX8"] * atan(p["QSX9"] * fy * p["PER_FZ0"]))
            share = share + p["QSX10"] * atan(p["QSX11"] * load) * a.gamma
        return p["UNLOADED_RADIUS"] * a.Fz * share * p["LMX"]

    def _rolling(self, p: Numbers, a: Any, vx: Any, way: Any, fx: Any) -> Any:
        """Rolling resistance (10); ``way`` is the sign of the spin."""
        relative = vx * p["PER_LONGVL"]
        squared = relative * relative
        share = p["QSY1"] + p["QSY3"] * fabs(relative) + p["QSY4"] * squared * squared
        load = a.Fz * p["PER_FZ0"]
        if self.further_rolling:
            share = share + (p["QSY5"] + p["QSY6"] * load) * a.gamma * a.gamma
        given = -a.Fz * (way * share + p["QSY2"] * fx * p["PER_FZ0"]) * p["LMY"]
        if self.further_rolling:
            given = given * exp(p["QSY7"] * log(load))
        if self.pressure:
            given = given * p["P_MY"]
        missing = logic_and(p["QSY1"] == 0, p["QSY2"] == 0)
        return p["UNLOADED_RADIUS"] * if_else(missing, way * (a.SVx + a.Kx * a.SHx), given)


def symmetrised(values: Mapping[str, float]) -> dict[str, float]:
    """The numbers of a tire that equals its mirror image."""
    return {name: 0.0 if name in SIDED else value for name, value in values.items()}
