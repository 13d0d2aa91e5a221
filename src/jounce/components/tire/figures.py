"""Key figures of any tire, from its forces alone, and checks for what a tire file should not say.

    figures(tire)["cornering_stiffness"]         Figure(value, unit, doc) at the nominal load
    doubts(tire)                                 list of Doubt: what is outside of what tires usually show

Everything is measured on the forces as a test rig would do it (central differences at zero slip, peaks of swept
curves), so that a model that is not of the Magic Formula family, a table or a user's own, gets the same figures.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from jounce.components.tire.base import Tire
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
    fz0 = float(tire.values["FNOMIN"])
    fz = fz0 if load is None else float(load)
    if not fz > 0:
        raise ParameterError(f"tire {tire.name!r}: load = {fz:g} N; must be above 0")
    at, h = tire.at_load(fz), SMALL
    alpha, kappa = _sweep(tire, "ALPMAX", 0.7), _sweep(tire, "KPUMAX", 1.0)
    fy, fx = -_part(tire, "fy", fz, 0.0, alpha), _part(tire, "fx", fz, kappa)
    brake = -_part(tire, "fx", fz, np.linspace(0.0, _span(tire, "KPUMIN", "KPUMAX", 1.0)[0], POINTS))
    sideways = _span(tire, "ALPMIN", "ALPMAX", h)
    cornering = -_slope(lambda x: _one(tire, "fy", fz, 0.0, x), *sideways)
    slipping = _slope(lambda x: _one(tire, "fx", fz, x), *_span(tire, "KPUMIN", "KPUMAX", h))
    aligning = _slope(lambda x: _one(tire, "mz", fz, 0.0, x), *sideways)
    camber = -_slope(lambda x: _one(tire, "fy", fz, 0.0, 0.0, x), *_span(tire, "CAMMIN", "CAMMAX", h))
    rho = tire.deflection(fz)
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
        ("lateral_friction", float(fy.max()) / fz, "-", "largest lateral force over load"),
        ("slip_angle_at_peak", float(alpha[fy.argmax()]), "rad", "slip angle of the largest lateral force"),
        ("longitudinal_friction", float(fx.max()) / fz, "-", "largest driving force over load"),
        ("slip_at_peak", float(kappa[fx.argmax()]), "-", "slip of the largest driving force"),
        ("braking_friction", float(brake.max()) / fz, "-", "largest braking force over load"),
        ("locked_share", float(brake[-1] / brake.max()) if brake.max() > 0 else 0.0, "-", "braking force at full slip "
         "over the largest one"),
        ("lateral_relaxation_length", _length(tire, at.sigma_alpha), "m", "way over which the lateral force builds up"),
        ("longitudinal_relaxation_length", _length(tire, at.sigma_kappa), "m", "the same, longitudinal"),
        ("vertical_rate", _slope(lambda x: float(tire.load(rho + x)), -1e-6, 1e-6), "N/m", "vertical stiffness at "
         "the load"),
        ("deflection", rho, "m", "vertical deflection at rest"),
        ("effective_radius", float(tire.model.effective_radius(tire.values, rho)), "m", "rolling speed over spin"),
        ("rolling_resistance", 0.0 - float(rolling.my) / (fz * float(tire.values["UNLOADED_RADIUS"])), "-",
         "rolling moment over load and radius"),
        ("pull_lateral", float(rolling.fy) / fz, "-", "lateral force at zero slip over load (ply steer, conicity)"),
        ("pull_aligning", float(rolling.mz), "N.m", "aligning moment at zero slip"),
        ("lateral_load_sensitivity", _sensitivity(tire, fz, "fy", alpha), "-", "change of lateral friction by a load "
         "that is greater by the nominal one"),
        ("longitudinal_load_sensitivity", _sensitivity(tire, fz, "fx", kappa), "-", "the same, longitudinal"),
        ("stiffness_load_exponent", _exponent(tire, fz), "-", "exponent of the cornering stiffness over the load"),
        ("camber_sensitivity", _camber(tire, fz, alpha), "1/rad", "relative change of lateral friction with camber"),
        ("friction_ellipse", ellipse(tire, fz), "-", "largest share of the friction ellipse in combined slip"),
    ]  # fmt: skip
    return {name: Figure(float(value), unit, doc) for name, value, unit, doc in rows}


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
        args: Sequence[Any] = (slip,) if part == "fx" else (0.0, slip)
        friction.append(float(np.abs(_part(tire, part, load, *args)).max()) / load)
    return (friction[1] - friction[0]) / 0.2 * float(tire.values["FNOMIN"]) / fz


def _exponent(tire: Tire, fz: float) -> float:
    span = _span(tire, "ALPMIN", "ALPMAX", SMALL)
    low, high = (abs(_slope(lambda x, f=f: _one(tire, "fy", f, 0.0, x), *span)) for f in (0.9 * fz, 1.1 * fz))
    return math.log(high / low) / math.log(1.1 / 0.9) if low > 0 and high > 0 else 0.0


def _camber(tire: Tire, fz: float, alpha: Array) -> float:
    lean = 0.05
    upright, leaning = (float(np.abs(_part_leaning(tire, fz, alpha, g)).max()) for g in (0.0, lean))
    return (leaning / upright - 1) / lean if upright else 0.0


def _part_leaning(tire: Tire, fz: float, alpha: Array, gamma: float) -> Array:
    return np.broadcast_to(np.asarray(tire.steady(fz, 0.0, alpha, gamma).fy, dtype=float), alpha.shape)
