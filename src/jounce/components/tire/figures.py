"""Key figures of any tire, from its forces alone, and checks for what a tire file should not say.

    figures(tire)["cornering_stiffness"]         Figure(value, unit, doc) at the nominal load
    doubts(tire)                                 list of Doubt: what is outside of what tires usually show
    faults(tire)                                 the same: what no car can be driven with, wrong units above all

Everything is measured on the forces as a test rig would do it (central differences at zero slip, peaks of swept
curves), so that a model that is not of the Magic Formula family, a table or a user's own, gets the same figures.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from jounce.components.tire.base import Tire
from jounce.components.tire.external import OUTSIDE, External
from jounce.components.tire.magic import SIGMA_FLOOR
from jounce.core.errors import ParameterError

Array = npt.NDArray[np.float64]

SMALL = 1e-5  # slip of the differences
POINTS = 1201
ELLIPSE = 1.05  # largest share of the friction ellipse that combined forces should use
OUTLIER = 1e4  # a coefficient of a formula beyond this is a slip of a fit or of the pen
# Usual values, from passenger cars to racing and motorcycles; beyond them a doubt, no error.
USUAL: dict[str, tuple[float, float]] = {
    "cornering_stiffness_per_load": (5.0, 45.0),
    "slip_stiffness_per_load": (8.0, 60.0),
    "camber_stiffness_per_load": (0.0, 2.5),
    "lateral_friction": (0.3, 2.6),
    "longitudinal_friction": (0.3, 2.6),
    "slip_angle_at_peak": (math.radians(2), math.radians(30)),
    "slip_at_peak": (0.03, 0.4),
    "pneumatic_trail": (0.0, 0.12),
    "lateral_relaxation_length": (0.05, 1.5),
    "longitudinal_relaxation_length": (0.02, 1.0),
    "rolling_resistance": (0.001, 0.04),
    "vertical_rate": (5e4, 2e6),
    "deflection": (0.003, 0.08),
}
# What a tire can be at all, from karts to trucks; beyond it the unit is wrong.
RADIUS = (0.1, 1.2)  # m
NOMINAL_LOAD = (50.0, 1e5)  # N
RATE = (1e4, 1e7)  # N/m
PRESSURE = (2e4, 1.2e6)  # Pa
PRESSURES = ("INFLPRES", "NOMPRES", "IP", "IP_NOM")  # zero: not given
PRESSED = 0.5  # of the sidewall, at the nominal load
SIDEWALL = 0.5  # of the radius, where the rim is not given
NOISE = 1e-9  # of a figure over its own measure: below this it is rounding of differences
LEANING = 0.5  # rad, of a valid inclination that only tires of motorcycles have
LEAST_THRUST = 0.2  # 1/rad, of camber stiffness over load, below which a motorcycle finds nothing to lean on


class Figure(NamedTuple):
    """A number with unit and meaning."""

    value: float
    unit: str
    doc: str


class Doubt(NamedTuple):
    """A finding: which figure or number, and what about it."""

    key: str
    message: str


@np.errstate(all="ignore")
def figures(tire: Tire, load: float | None = None) -> dict[str, Figure]:
    """Key figures at a load, the nominal one by default; a tire of a mode without a force has zeros there, and one of
    a steady mode whose file says nothing of relaxation lengths has nan there."""
    if isinstance(tire.model, External):
        raise ParameterError(f"tire {tire.name!r}: {OUTSIDE}: no figures")
    fz0 = float(tire.values["FNOMIN"])
    fz = fz0 if load is None else float(load)
    if not fz > 0:
        raise ParameterError(f"tire {tire.name!r}: load = {fz:g} N; must be above 0")
    at, h = tire.at_load(fz), SMALL
    alpha, kappa = _both_sides(tire), _sweep(tire, "KPUMAX", 1.0)
    fy, fx = _against(tire, fz, alpha), _part(tire, "fx", fz, kappa)
    brake = -_part(tire, "fx", fz, np.linspace(0.0, _span(tire, "KPUMIN", "KPUMAX", 1.0)[0], POINTS))
    sideways = _span(tire, "ALPMIN", "ALPMAX", h)
    cornering = -_slope(lambda x: _one(tire, "fy", fz, 0.0, x), *sideways)
    slipping = _slope(lambda x: _one(tire, "fx", fz, x), *_span(tire, "KPUMIN", "KPUMAX", h))
    aligning = _slope(lambda x: _one(tire, "mz", fz, 0.0, x), *sideways)
    camber = -_slope(lambda x: _one(tire, "fy", fz, 0.0, 0.0, x), *_span(tire, "CAMMIN", "CAMMAX", h))
    # without a vertical stiffness there is no deflection, and what follows from it is no number
    rho, rate, way = math.nan, math.nan, math.nan
    if not tire.lacks:
        rho = tire.deflection(fz)
        rate = _slope(lambda x: float(tire.load(rho + x)), -1e-6, 1e-6)
        way = rho - _first_contact(tire, rho)
    rolling = tire.steady(fz)
    rows: list[tuple[str, float, str, str]] = [
        ("load", fz, "N", "wheel load of these figures"),
        ("cornering_stiffness", cornering, "N/rad", "lateral force over slip angle at zero slip"),
        ("cornering_stiffness_per_load", cornering / fz, "1/rad", "the same over the load"),
        ("slip_stiffness", slipping, "N", "longitudinal force over slip at zero slip"),
        ("slip_stiffness_per_load", slipping / fz, "-", "the same over the load"),
        ("camber_stiffness", camber, "N/rad", "lateral force over inclination, to the side of the lean"),
        ("camber_stiffness_per_load", camber / fz, "1/rad", "the same over the load"),
        ("aligning_stiffness", aligning, "N.m/rad", "aligning moment over slip angle at zero slip"),
        ("pneumatic_trail", aligning / cornering if cornering else 0.0, "m", "aligning over cornering stiffness"),
        ("lateral_friction", float(fy.max()) / fz, "-", "largest lateral force over load, to the stronger side"),
        ("slip_angle_at_peak", abs(float(alpha[fy.argmax()])), "rad", "size of the slip angle of that force"),
        ("longitudinal_friction", float(fx.max()) / fz, "-", "largest driving force over load"),
        ("slip_at_peak", float(kappa[fx.argmax()]), "-", "slip of the largest driving force"),
        ("braking_friction", float(brake.max()) / fz, "-", "largest braking force over load"),
        ("locked_share", float(brake[-1] / brake.max()) if brake.max() > 0 else 0.0, "-", "braking force at full slip "
         "over the largest one"),
        ("lateral_relaxation_length", _length(tire, at.sigma_alpha), "m", "way over which the lateral force builds up"),
        ("longitudinal_relaxation_length", _length(tire, at.sigma_kappa), "m", "the same, longitudinal"),
        ("vertical_rate", rate, "N/m", "vertical stiffness at the load"),
        ("deflection", way, "m", "vertical deflection at rest, from the first contact"),
        ("effective_radius", float(tire.model.effective_radius(tire.values, rho)), "m", "rolling speed over spin"),
        ("rolling_resistance", 0.0 - float(rolling.my) / (fz * float(tire.values["UNLOADED_RADIUS"])), "-",
         "rolling moment over load and radius"),
        ("pull_lateral", float(rolling.fy) / fz, "-", "lateral force at zero slip over load (ply steer, conicity)"),
        ("pull_aligning", float(rolling.mz), "N.m", "aligning moment at zero slip"),
        ("lateral_load_sensitivity", _sensitivity(tire, fz, "fy", alpha), "-", "change of lateral friction by a load "
         "that is greater by the nominal one"),
        ("longitudinal_load_sensitivity", _sensitivity(tire, fz, "fx", kappa), "-", "the same, longitudinal"),
        ("stiffness_load_exponent", _exponent(tire, fz), "-", "exponent of the cornering stiffness over the load"),
        ("camber_sensitivity", _camber(tire, fz), "1/rad", "relative change of lateral friction with camber"),
        ("friction_ellipse", ellipse(tire, fz), "-", "largest share of the friction ellipse in combined slip"),
    ]  # fmt: skip
    return {name: Figure(_clean(float(value), unit, fz), unit, doc) for name, value, unit, doc in rows}


def _clean(value: float, unit: str, load: float) -> float:
    """Without the rounding of differences, and without a negative zero."""
    measure = load if unit.startswith("N") else 1.0
    return 0.0 if abs(value) < NOISE * measure else value


@np.errstate(all="ignore")
def ellipse(tire: Tire, load: float) -> float:
    """Largest sqrt((Fx/peak)² + (Fy/peak)²) over slips; 0 where one of the forces is missing."""
    alpha, kappa = (np.linspace(*_span(tire, *x), 61) for x in (("ALPMIN", "ALPMAX", 0.5), ("KPUMIN", "KPUMAX", 0.6)))
    fx, fy = np.abs(_part(tire, "fx", load, kappa)).max(), np.abs(_part(tire, "fy", load, 0.0, alpha)).max()
    if fx == 0 or fy == 0:
        return 0.0
    f = tire.steady(load, *np.meshgrid(kappa, alpha))
    return float(np.sqrt((f.fx / fx) ** 2 + (f.fy / fy) ** 2).max())


@np.errstate(all="ignore")
def doubts(tire: Tire) -> list[Doubt]:
    """What is unusual about a tire: signs, sizes, slopes, load and slip ranges, single coefficients."""
    found = figures(tire)
    slip = getattr(tire.model, "mode", 14) % 10
    result = [*_outliers(tire), *_ranges(tire)]
    lateral, longitudinal = slip in (2, 3, 4), slip in (1, 3, 4)
    for key, (low, high) in USUAL.items():
        value = found[key].value
        sideways = key.startswith(("cornering", "camber", "lateral", "slip_angle", "pneumatic"))
        along = key.startswith(("slip_stiffness", "longitudinal", "slip_at", "rolling"))
        if (sideways and not lateral) or (along and not longitudinal):
            continue
        if not low <= value <= high and not math.isnan(value):
            unit = "" if found[key].unit == "-" else f" {found[key].unit}"
            result.append(Doubt(key, f"{value:.4g}{unit}; usual are {low:.3g} to {high:.3g}{unit}"))
    fz = found["load"].value
    if lateral:
        result += _slopes(tire, fz, found["cornering_stiffness"].value, -float(tire.at_load(fz).slope_y), "slope_y")
        leaning = min(float(tire.values.get("CAMMAX", 0.0)), -float(tire.values.get("CAMMIN", 0.0)))
        thrust = found["camber_stiffness_per_load"].value
        if LEANING < leaning <= math.pi / 2 and 0 <= thrust < LEAST_THRUST:
            text = (
                f"{thrust:.3g} 1/rad over the load: valid inclinations up to {math.degrees(leaning):.0f} deg are those "
                "of a motorcycle, which this tire gives no camber thrust to lean on"
            )
            result.append(Doubt("camber_stiffness", text))
        if found["pneumatic_trail"].value < 0:
            result.append(Doubt("pneumatic_trail", "a slip angle turns the wheel out of the slip instead of into it"))
    if longitudinal:
        result += _slopes(tire, fz, found["slip_stiffness"].value, float(tire.at_load(fz).slope_x), "slope_x")
    if slip == 4 and found["friction_ellipse"].value > ELLIPSE:
        share = found["friction_ellipse"].value
        over = 100 * (share - 1)
        text = f"combined forces exceed the ellipse of the peaks by {over:.1f} %; usual is at most 5 %"
        result.append(Doubt("friction_ellipse", text))
    return result + _over_load(tire, lateral, longitudinal)


@np.errstate(all="ignore")
def faults(tire: Tire) -> list[Doubt]:
    """What no car can be driven with: sizes beyond any tire, which means wrong units, and a tire that drives itself."""
    values, found, result = tire.values, figures(tire), []
    radius, rim = float(values["UNLOADED_RADIUS"]), float(values.get("RIM_RADIUS", 0.0))
    judged: list[tuple[str, float, tuple[float, float], str]] = [
        ("UNLOADED_RADIUS", radius, RADIUS, "m"),
        ("FNOMIN", float(values["FNOMIN"]), NOMINAL_LOAD, "N"),
        *([] if tire.lacks else [("vertical_rate", found["vertical_rate"].value, RATE, "N/m")]),
    ]
    judged += [(key, float(values[key]), PRESSURE, "Pa") for key in PRESSURES if values.get(key)]
    for key, value, (low, high), unit in judged:
        if not low <= value <= high:
            text = f"{value:.4g} {unit}; tires have {low:.3g} to {high:.3g} {unit}: are the units of the file right?"
            result.append(Doubt(key, text))
    if rim >= radius:
        result.append(Doubt("RIM_RADIUS", f"{rim:.4g} m; must be below the radius of the tire, {radius:.4g} m"))
    else:
        wall, pressed = (radius - rim if rim > 0 else SIDEWALL * radius), found["deflection"].value
        if pressed > PRESSED * wall:
            text = (
                f"{1e3 * pressed:.4g} mm at the nominal load of {values['FNOMIN']:.4g} N; more than "
                f"{100 * PRESSED:.0f} % of the sidewall of {1e3 * wall:.4g} mm: are the stiffness and its unit right?"
            )
            result.append(Doubt("deflection", text))
    for low_key, high_key in (("ALPMIN", "ALPMAX"), ("CAMMIN", "CAMMAX")):
        for key in (low_key, high_key):
            if abs(float(values.get(key, 0.0))) > math.pi:
                result.append(Doubt(key, f"{values[key]:.4g} rad; is it in degrees? say so in [UNITS]"))
    if found["rolling_resistance"].value < 0:
        text = (
            f"{found['rolling_resistance'].value:.4g}: negative, the tire drives the car; give QSY1"
            if "QSY1" in values
            else f"{found['rolling_resistance'].value:.4g}: negative, the tire drives the car"
        )
        result.append(Doubt("rolling_resistance", text))
    return result


def outside_loads(tire: Tire, load: float) -> str:
    """What there is to say about a load that the tire is not valid for; empty for others."""
    low, high = (float(tire.values.get(key, other)) for key, other in (("FZMIN", 0.0), ("FZMAX", math.inf)))
    if low * (1 - NOISE) <= load <= high * (1 + NOISE):
        return ""
    return (
        f"a load of {load:.4g} N is outside of the valid loads of the tire, {low:.4g} to {high:.4g} N (FZMIN, FZMAX); "
        "forces there are no measured ones"
    )


def without_forces(tire: Tire) -> str:
    """What a tire cannot do because its mode leaves a force out; empty for those with both."""
    slip = getattr(tire.model, "mode", 14) % 10
    gone = [word for word, modes in (("longitudinal", (0, 2)), ("lateral", (0, 1))) if slip in modes]
    if not gone:
        return ""
    unable = {"longitudinal": "drive or brake", "lateral": "steer"}
    return f"no {' and no '.join(gone)} force: it cannot {' or '.join(unable[word] for word in gone)} a car"


def _outliers(tire: Tire) -> list[Doubt]:
    result = []
    for c in tire.model.coefficients:
        value = tire.values[c.name]
        if c.block.endswith("_COEFFICIENTS") and abs(value) > OUTLIER:
            result.append(Doubt(c.name, f"{value:.4g}: far beyond any coefficient; its term is switched off or wrong"))
        if c.block == "SCALING_COEFFICIENTS" and not 0.2 <= value <= 5:
            result.append(Doubt(c.name, f"{value:.4g}: a factor far from one"))
    return result


def _ranges(tire: Tire) -> list[Doubt]:
    values, result = tire.values, []
    if "FZMIN" in values and not values["FZMIN"] <= values["FNOMIN"] <= values["FZMAX"]:
        text = f"{values['FNOMIN']:g} N is outside of the valid loads {values['FZMIN']:g} to {values['FZMAX']:g} N"
        result.append(Doubt("FNOMIN", text))
    for low, high, what in (
        ("KPUMIN", "KPUMAX", "slip"), ("ALPMIN", "ALPMAX", "slip angle"), ("CAMMIN", "CAMMAX", "inclination"),
    ):  # fmt: skip
        if low in values and not values[low] < 0 < values[high]:
            text = (
                f"{values[low]:g} to {values[high]:g}: one side of zero is outside of the valid range; any {what} "
                "there counts as the nearest valid one"
            )
            if low == "KPUMIN":
                text += f", so that it cannot {'drive' if values[high] <= 0 else 'brake'} a car"
            result.append(Doubt(f"{low}, {high}", text))
    for low, high in (("ALPMIN", "ALPMAX"), ("CAMMIN", "CAMMAX")):
        wide = max((abs(float(values[key])) for key in (low, high) if key in values), default=0.0)
        if math.pi / 2 + 0.01 < wide <= math.pi:  # beyond that: a fault
            result.append(Doubt(f"{low}, {high}", f"{wide:.4g} rad: more than a right angle"))
    for key in ("INFLPRES", "IP"):
        if values.get(key) and "PRESMIN" in values and not values["PRESMIN"] <= values[key] <= values["PRESMAX"]:
            least, most = float(values["PRESMIN"]), float(values["PRESMAX"])
            text = f"{values[key]:g} Pa is outside of the valid pressures {least:g} to {most:g} Pa"
            result.append(Doubt(key, text))
    if {"PCY1", "PCY2", "LCC"} <= set(values) and values["PCY1"] * values["LCY"] + values["PCY2"] * values["LCC"] >= 2:
        result.append(Doubt("PCY1, PCY2", "together 2 or more: forces turn round at large slip and camber"))
    return result


def _slopes(tire: Tire, load: float, measured: float, declared: float, key: str) -> list[Doubt]:
    """Relaxation and standstill rely on the slope that a model declares."""
    if declared == 0 or not 0.5 <= measured / declared <= 2.0:
        return [Doubt(key, f"the slope at zero slip is {measured:.4g}, the model declares {declared:.4g}")]
    return []


def _over_load(tire: Tire, lateral: bool, longitudinal: bool) -> list[Doubt]:
    """Stiffness and friction must stay positive over the whole range of loads, and forces finite."""
    low, high = float(tire.values["FZMIN"]), float(tire.values["FZMAX"])
    loads = np.linspace(max(low, 1.0), min(high, 4 * float(tire.values["FNOMIN"])), 25)
    result = []
    for wanted, part, args, what in (
        (lateral, "fy", (0.0, 0.1), "a slip angle of 0.1 rad pushes to the side of the slip"),
        (longitudinal, "fx", (-0.05, 0.0), "a braking slip of 0.05 drives"),
    ):
        if not wanted:
            continue
        force = np.array([_one(tire, part, float(load), *args) for load in loads])
        if not np.all(np.isfinite(force)):
            result.append(Doubt(part, "not finite within the range of loads"))
        elif np.any(force >= 0):
            worst = loads[force >= 0][0]
            result.append(Doubt(part, f"at {worst:.0f} N {what}"))
    return result


# --- measuring -------------------------------------------------------------------------------------------------------


def _length(tire: Tire, sigma: Any) -> float:
    """A relaxation length; nan for none, which steady modes need not have."""
    return math.nan if not tire.model.transient and float(sigma) <= SIGMA_FLOOR else float(sigma)


def _top(tire: Tire, key: str, wanted: float) -> float:
    return min(wanted, float(tire.values.get(key, wanted)))


def _sweep(tire: Tire, key: str, wanted: float) -> Array:
    return np.linspace(0.0, _top(tire, key, wanted), POINTS)


def _both_sides(tire: Tire) -> Array:
    """Slip angles to both sides, zero among them."""
    low, high = _span(tire, "ALPMIN", "ALPMAX", 0.7)
    return np.concatenate([np.linspace(low, 0.0, POINTS), np.linspace(0.0, high, POINTS)[1:]])


def _against(tire: Tire, load: float, alpha: Array) -> Array:
    """Lateral force against the slip; without slip there is no side."""
    return -np.sign(alpha) * _part(tire, "fy", load, 0.0, alpha)


def _first_contact(tire: Tire, loaded: float) -> float:
    """Deflection at which the load begins: MF 6 counts from R0, the free tire may be larger or smaller (Q_RE0)."""
    low, high = -0.1 * float(tire.values["UNLOADED_RADIUS"]), loaded
    if float(tire.load(low)) > 0:
        return 0.0  # a table that never ends: as it counts
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if float(tire.load(middle)) <= 0 else (low, middle)
    return low


def _part(tire: Tire, part: str, load: float, *slip: Any) -> Array:
    size = max(np.size(s) for s in slip)
    return np.broadcast_to(np.asarray(getattr(tire.steady(load, *slip), part), dtype=float), (size,))


def _one(tire: Tire, part: str, load: float, *slip: float) -> float:
    return float(getattr(tire.steady(load, *slip), part))


def _slope(function: Any, low: float, high: float) -> float:
    return float(function(high) - function(low)) / (high - low) if high > low else 0.0


def _span(tire: Tire, low: str, high: str, wanted: float) -> tuple[float, float]:
    """From -wanted to wanted, within the valid range: beyond it forces stay as they are at its end."""
    values = tire.values
    return max(-wanted, float(values.get(low, -wanted))), min(wanted, float(values.get(high, wanted)))


def _sensitivity(tire: Tire, fz: float, part: str, slip: Array) -> float:
    friction = []
    for load in (0.9 * fz, 1.1 * fz):
        force = _part(tire, "fx", load, slip) if part == "fx" else _against(tire, load, slip)
        friction.append(float(force.max()) / load)
    return (friction[1] - friction[0]) / 0.2 * float(tire.values["FNOMIN"]) / fz


def _exponent(tire: Tire, fz: float) -> float:
    span = _span(tire, "ALPMIN", "ALPMAX", SMALL)
    low, high = (abs(_slope(lambda x, f=f: _one(tire, "fy", f, 0.0, x), *span)) for f in (0.9 * fz, 1.1 * fz))
    return math.log(high / low) / math.log(1.1 / 0.9) if low > 0 and high > 0 else 0.0


def _camber(tire: Tire, fz: float) -> float:
    lean, alpha = 0.05, _sweep(tire, "ALPMAX", 0.7)
    upright, leaning = (float(np.abs(_part_leaning(tire, fz, alpha, g)).max()) for g in (0.0, lean))
    return (leaning / upright - 1) / lean if upright else 0.0


def _part_leaning(tire: Tire, fz: float, alpha: Array, gamma: float) -> Array:
    return np.broadcast_to(np.asarray(tire.steady(fz, 0.0, alpha, gamma).fy, dtype=float), alpha.shape)
