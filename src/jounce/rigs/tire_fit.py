"""Coefficients of a Magic Formula tire from measured forces: bounded least squares in stages.

    result = fit_tire(read_tire_data("run.csv"), radius="0.33 m")
    print(result.text()); result.write("mine.tir"); result.figure().savefig("fit.png")

In every stage (``tire_stages``) the sum over the points of

    ρ(r²),   r = w (F(coefficients; Fz, κ, α, γ, V, p) - F_measured)/F_rms                                         (1)

is made smallest within limits, by a trust-region method with exact derivatives: F is the model's own text, evaluated
with symbols, differentiated by CasADi and computed for all points at once (``tire_problem``). ρ is the identity, or
for data with outliers soft_l1 and then the logarithm of Cauchy, with twice the scatter (by the median) as width.
Standard errors are those of the linearised problem, s² (JᵀJ)⁻¹ with s² = Σr²/(n - p); two coefficients whose errors go
together to more than 99 % are named, since the data cannot tell them apart, as is what the data do not contain:
sides, loads, quadrants, peaks.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.components.tire.base import USUAL_DEFLECTION, Tire
from jounce.components.tire.figures import RADIUS, doubts, faults, without_forces
from jounce.components.tire.registry import find
from jounce.core.errors import ModelError, ParameterError, did_you_mean
from jounce.core.units import parse
from jounce.rigs.tire_data import FORCES, TireData, unused
from jounce.rigs.tire_data_check import check_points
from jounce.rigs.tire_fit_result import Estimate, FitResult, Point, StageResult, evaluate, r_squared
from jounce.rigs.tire_problem import Problem, triangle
from jounce.rigs.tire_stages import (
    CAMBER,
    COMBINED,
    LOAD,
    LOAD_SQUARED,
    ONE_SIDED,
    PRESSURE,
    PRESSURE_SQUARED,
    SHAPES,
    STAGES,
    USUAL_COMBINED,
    USUAL_RESISTANCE,
    USUAL_ROLLING,
    Stage,
    limits,
)

Array = npt.NDArray[np.float64]

MODELS = ("pac2002", "mf6")
PURE_KAPPA = 0.005  # slip that counts as none
PURE_ALPHA = math.radians(0.5)
UPRIGHT = math.radians(0.5)
SWEPT = 0.02  # of slip or rad, that a slip must vary by
FEWEST = 30  # points, below which a stage says nothing
SUBSAMPLE = 1500  # points that choose between starts
SIDE_SHARE = 0.02  # of the points that must lie on the other side of zero
LOAD_STEP = 0.12  # of the mean load: loads nearer than this are one
PRESSURE_STEP = 0.04  # the same for inflation pressures
CORRELATED = 0.99
WORST = 5
PRESSURES = {"PRESMIN": 1.0, "PRESMAX": 1e9}
WIDE = {"KPUMIN": -9.0, "KPUMAX": 9.0, "ALPMIN": -1.57, "ALPMAX": 1.57, "CAMMIN": -1.5, "CAMMAX": 1.5}
ASSUMED = "relaxation lengths are not in steady data; usual ones are assumed"
Number = float | str


def fit_tire(
    data: TireData,
    base: Tire | None = None,
    *,
    model: str = "pac2002",
    radius: Number | None = None,
    load: Number | None = None,
    pressure: Number | None = None,
    side: str = "left",
    robust: bool = False,
    by_load: bool = False,
    fixed: Iterable[str] = (),
    bounds: Mapping[str, tuple[float, float]] | None = None,
    transient: TireData | None = None,
    name: str = "fitted",
) -> FitResult:
    """Fit a tire to measured points.

    Parameters
    ----------
    data : of ``tire_data`` or ``read_tire_data``
    base : a tire to start from; it gives what is not fitted (dimensions, vertical stiffness, relaxation, ranges)
    model : without a base: ``pac2002`` or ``mf6`` (version 6.1)
    radius : m, of the free tire; without it and without a base it is found from loaded radii
    load : N, nominal; default that of the base, else the mean of the measured ones
    pressure : Pa, nominal, of a model that knows it; default that of the base, else the middle of the measured ones
    side : on which the tire was measured: ``left``, ``right``, or ``symmetric`` to fit no pull to one side
    robust : do not let outliers pull the fit
    by_load : weights in inverse proportion to the load, so that small loads count as much as large ones
    fixed : coefficients that stay as they are
    bounds : limits of coefficients in place of those of ``tire_stages``
    transient : records over time or frequency that show the relaxation lengths (``relaxation_fit``)
    name : of the tire
    """
    result = _Fit(
        data, base, model, radius, load, pressure, side, robust, by_load, frozenset(fixed), dict(bounds or {}), name
    ).run()
    return result if transient is None else _with_relaxation(result, transient)


def _with_relaxation(result: FitResult, transient: TireData) -> FitResult:
    from jounce.rigs.relaxation_fit import fit_relaxation

    found = fit_relaxation(result.tire, transient)
    fitted = {lag.direction for lag in found.lags}
    warnings = [w for w in result.warnings if w != ASSUMED]
    missing = [d for d in ("lateral", "longitudinal") if d not in fitted]
    if ASSUMED in result.warnings and missing:
        warnings.append(f"relaxation was not measured in this direction, a usual length is assumed: {missing[0]}")
    return replace(result, tire=found.tire, warnings=(*warnings, *found.warnings), relaxation=found)


class _Fit:
    def __init__(
        self,
        data: TireData,
        base: Tire | None,
        model: str,
        radius: Number | None,
        load: Number | None,
        pressure: Number | None,
        side: str,
        robust: bool,
        by_load: bool,
        fixed: frozenset[str],
        bounds: dict[str, tuple[float, float]],
        name: str,
    ) -> None:
        if side not in ("left", "right", "symmetric"):
            raise ParameterError(f"side = {side!r}; use 'left', 'right' or 'symmetric'")
        if len(data) < FEWEST:
            raise ParameterError(f"{len(data)} points are too few for a fit; at least {FEWEST}")
        self.data, self.base, self.side, self.robust, self.by_load, self.name = data, base, side, robust, by_load, name
        self.warnings: list[str] = [*data.warnings, *check_points(data)]
        kind = base.model.kind if base is not None else model
        if kind not in MODELS:
            raise ModelError(f"fitting a {kind} tire is not available; available: {', '.join(MODELS)}")
        self.measured = self._swept([f for f in FORCES if f in data])
        mode = 14 if {"fx", "fy"} <= set(self.measured) else 11 if "fx" in self.measured else 12
        if base is not None:
            mode = max(base.model.mode % 10, mode % 10) + 10  # type: ignore[attr-defined]
        chosen: Any = base.model if base is not None else find(kind)()
        self.model: Any = replace(chosen, mode=mode)
        self.names = {c.name for c in self.model.coefficients}
        for wrong in [n for n in (*fixed, *bounds) if n not in self.names]:
            raise ParameterError(f"coefficient {wrong!r}: unknown{did_you_mean(wrong, self.names)}")
        self.fixed = fixed | (frozenset(self.model.sided) if side == "symmetric" else frozenset())
        self.bounds = bounds
        self.pressure = None if pressure is None else parse(pressure, "Pa")
        self.pressures = _levels(data["pressure"], PRESSURE_STEP) if "pressure" in data else 1
        self.values = self._start(radius, load)
        missing = without_forces(Tire(self.model, self.model.complete(self.values), {}, side, name))
        if missing:  # first: nothing else matters as much
            self.warnings.insert(0, f"USE_MODE = {mode}: {missing}; measure it, or fit to a base that has it")
        self.stages: list[StageResult] = []

    def _swept(self, forces: list[str]) -> list[str]:
        """Forces whose slip was varied: the drag of a free wheel is no longitudinal characteristic."""
        for slip, made in (("kappa", ("fx",)), ("alpha", ("fy", "mz", "mx"))):
            there = [f for f in forces if f in made]
            if there and np.ptp(self.data[slip]) < SWEPT:
                names = ", ".join(f.capitalize() for f in there)
                low, high = float(self.data[slip].min()), float(self.data[slip].max())
                self.warnings.append(f"{slip} was not varied ({low:.3g} to {high:.3g}): {names} not fitted")
                forces = [f for f in forces if f not in made]
        if not {"fx", "fy"} & set(forces):
            text = "neither Fx over kappa nor Fy over alpha was measured: there is nothing to fit"
            told = [w for w in self.warnings if "not varied" in w]
            raise ParameterError("; ".join([text, *told, *unused(self.data)]))
        return forces

    # -- what is known before -------------------------------------------------------------------------------
    def _start(self, radius: Number | None, load: Number | None) -> dict[str, float]:
        data, base = self.data, self.base
        if base is not None:
            values = {c.name: float(base.values[c.name]) for c in self.model.coefficients}
        else:
            values = {c.name: 0.0 if c.default is None else c.default for c in self.model.coefficients}
            values |= {"PKY2": 2.0, "PCX1": 1.6, "PDX1": 1.0, "PKX1": 20.0, "PCY1": 1.3, "PDY1": 1.0, "PKY1": -16.0}
            if "PKY4" in values:
                values["PKY4"] = 2.0
        if load is not None:
            values["FNOMIN"] = parse(load, "N")
        elif base is None:
            values["FNOMIN"] = float(f"{np.mean(data['fz']):.3g}")
        self._pressure(values)
        self._vertical(values, radius)
        self._rolling(values)
        if self.side == "symmetric":
            values |= dict.fromkeys((n for n in self.model.sided if n in values), 0.0)
        if base is None:
            self._relaxation(values)
        if "speed" in data and base is None:
            values["LONGVL"] = float(f"{np.median(data['speed']):.3g}")
        return values

    def _pressure(self, values: dict[str, float]) -> None:
        """The nominal pressure: that of the base, else the given one, else the middle of the measured ones."""
        if "pressure" not in self.data:
            return
        pressure = self.data["pressure"]
        low, high = float(pressure.min()), float(pressure.max())
        if "NOMPRES" not in values:
            if self.pressures > 1:
                self.warnings.append(
                    f"inflation pressure varies from {low / 1e5:.2f} to {high / 1e5:.2f} bar; the model "
                    f"{self.model.kind} has no effect of it, mf6 has"
                )
            return
        if self.base is None:
            middle = float(np.sort(pressure)[len(pressure) // 2])
            nominal = float(f"{middle:.3g}") if self.pressure is None else self.pressure
            values |= {"NOMPRES": nominal, "PRESMIN": 0.9 * low, "PRESMAX": 1.1 * high}
        values["INFLPRES"] = values["NOMPRES"]
        if self.pressures == 2:
            self.warnings.append("two pressures only: change with the pressure is linear")
        if not low <= 1.02 * values["NOMPRES"] or not high >= 0.98 * values["NOMPRES"]:
            self.warnings.append(
                f"the nominal pressure, {values['NOMPRES'] / 1e5:.2f} bar, is outside of the measured ones, "
                f"{low / 1e5:.2f} to {high / 1e5:.2f} bar"
            )

    def _vertical(self, values: dict[str, float], radius: Number | None) -> None:
        """Free radius and vertical stiffness, from loaded radii or deflections where they were measured."""
        data, base, start = self.data, self.base, time.perf_counter()
        fz = data["fz"]
        if radius is not None:
            values["UNLOADED_RADIUS"] = parse(radius, "m")
        rho = data.columns.get("deflection")
        if rho is None and "radius" in data:
            r = data["radius"]
            if radius is None and base is None:
                spread = np.ptp(fz) > 0.2 * np.mean(fz)
                if not spread:
                    raise ParameterError("radius of the free tire: not given, and one load alone does not show it")
                values["UNLOADED_RADIUS"] = float(np.polyfit(fz, r, 1)[1])
            rho = values["UNLOADED_RADIUS"] - r
        elif radius is None and base is None:
            raise ParameterError("radius of the free tire: give radius=, or a base, or measured loaded radii")
        low, high = RADIUS
        if not low <= values["UNLOADED_RADIUS"] <= high:
            raise ParameterError(
                f"radius of the free tire: {values['UNLOADED_RADIUS']:.4g} m; tires have {low:g} to {high:g} m. Write "
                "it with its unit, as '327 mm', or look at the unit of the loaded radii"
            )
        if rho is not None:
            rho = rho * values.get("LCZ", 1.0)  # a factor of the base stays in the file
            columns = [rho]
            if self.pressures > 1 and {"PFZ1", "NOMPRES"} <= values.keys():
                columns.append(rho * (data["pressure"] / values["NOMPRES"] - 1))  # Fz = C ρ (1 + PFZ1 dpi)
            basis = np.stack(columns, axis=1)
            found = np.linalg.lstsq(basis, fz, rcond=None)[0]
            stiffness = float(found[0])
            if stiffness <= 0:
                raise ParameterError("vertical stiffness: the measured deflections are negative; is the radius right?")
            values["VERTICAL_STIFFNESS"] = stiffness
            error = fz - basis @ found
            covariance: Array = np.asarray(np.linalg.inv(basis.T @ basis), dtype=np.float64)
            covariance *= float(error @ error) / (len(fz) - len(found))
            estimates = {"VERTICAL_STIFFNESS": Estimate(stiffness, math.sqrt(covariance[0, 0]))}
            if len(found) > 1:  # of the quotient, to first order
                values["PFZ1"] = float(found[1]) / stiffness
                slope = np.array([-values["PFZ1"], 1.0]) / stiffness
                turn = np.array([[1.0, 0.0], slope])
                covariance = turn @ covariance @ turn.T
                estimates["PFZ1"] = Estimate(values["PFZ1"], math.sqrt(covariance[1, 1]))
            self._vertical_result = StageResult(
                "vertical", "fz", len(fz), float(np.sqrt(np.mean(error**2))), r_squared(fz, error),
                estimates, covariance, (), (), (), 0, 1, time.perf_counter() - start,
            )  # fmt: skip
        elif base is None:
            values["VERTICAL_STIFFNESS"] = values["FNOMIN"] / (USUAL_DEFLECTION * values["UNLOADED_RADIUS"])
            self.warnings.append(
                f"vertical stiffness was not measured; {values['VERTICAL_STIFFNESS']:.3g} N/m is assumed "
                "(a deflection of 6 % of the radius)"
            )

    _vertical_result: StageResult | None = None

    def _rolling(self, values: dict[str, float]) -> None:
        """Rolling radius and resistance: forces over slip show neither, and without them the tire would drive the car.

        QSY2 makes up for the arms of the two radii, (re - r)/R0 at the nominal load: without it driving costs less
        than the force times the speed.
        """
        if self.base is not None or not USUAL_ROLLING.keys() <= values.keys():
            return
        values |= USUAL_ROLLING
        text = "the rolling radius was not measured; usual BREFF, DREFF and FREFF are assumed"
        if "my" not in self.data:
            pressed = values["FNOMIN"] / values["VERTICAL_STIFFNESS"]
            share = values["FREFF"] + values["DREFF"] * math.atan(values["BREFF"])
            values["QSY1"] = USUAL_RESISTANCE
            values["QSY2"] = float(f"{pressed * (1 - share) / values['UNLOADED_RADIUS']:.3g}")
            text = (
                "rolling resistance (My) and rolling radius were not measured; usual ones are assumed: QSY1 = "
                f"{USUAL_RESISTANCE:g}, QSY2 = {values['QSY2']:g}, BREFF, DREFF, FREFF"
            )
        self.warnings.append(text)

    def _relaxation(self, values: dict[str, float]) -> None:
        """Steady forces do not show relaxation lengths."""
        usual = {"PTX1": 0.8, "PTY1": 2.0, "PTY2": 2.0}
        if "PTY1" in values:
            values |= usual
        elif "LATERAL_STIFFNESS" in values:
            values |= {"LATERAL_STIFFNESS": values["VERTICAL_STIFFNESS"] * 0.6}
            values |= {"LONGITUDINAL_STIFFNESS": values["VERTICAL_STIFFNESS"] * 1.6}
        self.warnings.append(ASSUMED)

    # -- fitting --------------------------------------------------------------------------------------------
    def run(self) -> FitResult:
        begun = time.perf_counter()
        self._estimate_levels()
        if self._vertical_result is not None:
            self.stages.append(self._vertical_result)
        self._missing()
        for stage in STAGES:
            if stage.force in self.measured:
                self._stage(stage)
        tire = self._tire()
        quality = {}
        for force in self.measured:
            error = evaluate(tire, self.data, force) - self.data[force]
            quality[force] = (len(self.data), float(np.sqrt(np.mean(error**2))), r_squared(self.data[force], error))
        result = FitResult(tire, self.data, self.stages, (), time.perf_counter() - begun, quality)
        for s in result.final_stages():
            if s.at_limit:
                self.warnings.append(f"{s.name}: at a limit: {', '.join(s.at_limit)}")
            for a, b, r in s.correlated:
                self.warnings.append(f"{s.name}: the data hardly tell {a} from {b} (correlation {r:+.3f})")
            if s.outliers:
                self.warnings.append(f"{s.name}: {s.outliers} points are more than 5 times the scatter away")
        self._peaks(tire)
        wrong = faults(tire)
        keys = {d.key for d in wrong}
        self.warnings += [f"{d.key}: {d.message}" for d in (*wrong, *(d for d in doubts(tire) if d.key not in keys))]
        return replace(result, warnings=tuple(self.warnings), seconds=time.perf_counter() - begun)

    def _tire(self) -> Tire:
        data, values = self.data, dict(self.values)
        ends: list[str] = []
        if self.base is None:
            for low, high, column in (
                ("KPUMIN", "KPUMAX", "kappa"), ("ALPMIN", "ALPMAX", "alpha"), ("CAMMIN", "CAMMAX", "gamma"),
            ):  # fmt: skip
                top = float(np.abs(data[column]).max())
                if top > 0.02:
                    values |= {low: -top, high: top}
                    ends.append(f"{low}, {high} = ±{top:.3g}" + ("" if column == "kappa" else " rad"))
            if ends:
                self.warnings.append(
                    f"valid ranges of the tire are the measured ones: {'; '.join(ends)}; beyond them forces are held "
                    "as at the end"
                )
            values |= {
                "FZMIN": float(min(0.1 * values["FNOMIN"], data["fz"].min())),
                "FZMAX": float(max(2.5 * values["FNOMIN"], 1.2 * data["fz"].max())),
            }
        curves = dict(self.base.curves) if self.base is not None else {}
        sizes = dict(self.base.sizes) if self.base is not None else {}
        return Tire(self.model, self.model.complete(values), curves, self.side, self.name, sizes)

    def _estimate_levels(self) -> None:
        """Friction, stiffness and trail, read off the points: a start that is never far."""
        if self.base is not None:
            return
        data, values = self.data, self.values
        fz = data["fz"]
        for force, slip, small, level, stiff in (
            ("fx", "kappa", 0.02, "PDX1", "PKX1"), ("fy", "alpha", 0.02, "PDY1", "PKY1"),
        ):  # fmt: skip
            if force not in data:
                continue
            other = np.abs(data["alpha" if slip == "kappa" else "kappa"])
            pure = other < (PURE_ALPHA if slip == "kappa" else PURE_KAPPA)
            if np.count_nonzero(pure) < FEWEST:
                continue
            _, low, high = self._limits(level)
            values[level] = float(
                np.clip(np.quantile(np.abs(data[force][pure] / fz[pure]), 0.98), 1.01 * low, 0.99 * high)
            )
            near = pure & (np.abs(data[slip]) < small)
            x = data[slip][near]
            if np.count_nonzero(near) >= 5 and np.ptp(x) > 0.2 * small:
                slope = np.polyfit(x, data[force][near] / fz[near], 1)[0]
                if stiff == "PKY1":
                    slope /= math.sin(2 * math.atan(1 / values["PKY2"]))
                _, low, high = self._limits(stiff)
                values[stiff] = float(np.clip(slope, low + 0.01 * abs(low), high - 0.01 * abs(high)))

    def _limits(self, name: str) -> tuple[float, float, float]:
        start, low, high = limits(name)
        if name in self.bounds:
            low, high = self.bounds[name]
            if not low < high:
                raise ParameterError(f"limits of {name}: {low:g} to {high:g}; the first must be below the second")
        return start, low, high

    def _points(self, stage: Stage) -> npt.NDArray[np.bool_]:
        data = self.data
        chosen = np.ones(len(data), dtype=bool)
        if stage.upright:
            chosen &= np.abs(data["gamma"]) <= UPRIGHT
        if stage.pure:
            chosen &= (
                np.abs(data["alpha"]) <= PURE_ALPHA if stage.force == "fx" else np.abs(data["kappa"]) <= PURE_KAPPA
            )
        if stage.pure and stage.upright and not stage.need and self.pressures > 1 and "NOMPRES" in self.values:
            nominal = self.values["NOMPRES"]
            near = chosen & (np.abs(data["pressure"] - nominal) < PRESSURE_STEP * nominal)
            if np.count_nonzero(near) >= 2 * FEWEST:
                chosen = near
        return chosen

    def _missing(self) -> None:
        """Say what the measurement does not contain."""
        data = self.data
        for force, slip, word in (("fx", "kappa", "braking and driving"), ("fy", "alpha", "both sides")):
            if force in self.measured:
                side = _missing_side(data[slip], PURE_KAPPA if slip == "kappa" else PURE_ALPHA)
                if side:
                    self.warnings.append(
                        f"{slip} is never {side}: {force.capitalize()} was not measured on {word}; shifts and "
                        "asymmetry stay as they were"
                    )
        self.cambered = bool(np.count_nonzero(np.abs(data["gamma"]) > UPRIGHT) >= FEWEST)
        if not self.cambered:
            self.warnings.append("no points with inclination: its effect is not fitted")
        elif _missing_side(data["gamma"], UPRIGHT):
            self.warnings.append(
                f"gamma is never {_missing_side(data['gamma'], UPRIGHT)}: one side of inclination is missing"
            )
        k, a = data["kappa"], data["alpha"]
        both = (np.abs(k) > PURE_KAPPA) & (np.abs(a) > PURE_ALPHA)
        self.combined = bool(np.count_nonzero(both) >= FEWEST)
        if not self.combined:
            if {"fx", "fy"} <= set(self.measured) or self.model.mode % 10 == 4:
                text = (
                    "no points of combined slip: usual weights are assumed"
                    if self.base is None
                    else ("no points of combined slip: weights are those of the base")
                )
                self.warnings.append(text)
                if self.base is None:
                    self.values |= {n: v for n, v in USUAL_COMBINED.items() if n in self.names}
        else:
            quadrants = {
                "braking, alpha > 0": (k < 0) & (a > 0), "braking, alpha < 0": (k < 0) & (a < 0),
                "driving, alpha > 0": (k > 0) & (a > 0), "driving, alpha < 0": (k > 0) & (a < 0),
            }  # fmt: skip
            gone = [
                word for word, where in quadrants.items() if np.count_nonzero(where & both) < SIDE_SHARE * both.sum()
            ]
            if gone:
                self.warnings.append(f"combined slip: these quadrants are missing: {'; '.join(gone)}")
        levels = _levels(data["fz"])
        if levels < 3:
            word = "one load" if levels == 1 else "two loads"
            self.warnings.append(f"{word} only: change with the load is {'not fitted' if levels == 1 else 'linear'}")

    def _free(self, stage: Stage, points: TireData) -> list[str]:
        """Coefficients that the points of a stage can show."""
        levels = _levels(points["fz"])
        out = set(self.fixed)
        if levels < 2:
            out |= LOAD
        if levels < 3:
            out |= LOAD_SQUARED
        if not self.cambered:
            out |= CAMBER
        if not self.combined:
            out |= COMBINED
        levels = _levels(points["pressure"], PRESSURE_STEP) if "pressure" in points else 1
        if levels < 2:
            out |= PRESSURE
        if levels < 3:
            out |= PRESSURE_SQUARED
        for slip, small in (("alpha", PURE_ALPHA), ("kappa", PURE_KAPPA), ("gamma", UPRIGHT)):
            if _missing_side(points[slip], small):
                out |= ONE_SIDED[slip]
        if "speed" not in points or np.ptp(points["speed"]) < 0.2 * abs(float(np.mean(points["speed"]))):
            out |= {"QSY3", "QSY4"}
        if stage.force == "my" and ("kappa" not in points or np.ptp(points["kappa"]) < 0.01):
            out.add("QSY2")
        return [n for n in stage.coefficients if n in self.names and n not in out]

    def _stage(self, stage: Stage) -> None:
        there = {"camber": self.cambered, "combined": self.combined, "pressure": self.pressures > 1}
        if not there.get(stage.need, True):
            return
        chosen = self._points(stage)
        count = int(np.count_nonzero(chosen))
        if count < FEWEST:
            if stage.pure and stage.upright:
                self.warnings.append(f"{stage.name}: {count} points are too few; skipped")
            return
        points = self.data.where(chosen)
        names = self._free(stage, points)
        earlier = [s for s in self.stages if s.force == stage.force]
        if not names or (
            earlier
            and stage.name.endswith("all")
            and set(names) == set(earlier[-1].estimates)
            and count == earlier[-1].points
        ):
            return
        fitted = {n for s in self.stages for n in s.estimates}
        for n in names:
            start, low, high = self._limits(n)
            if n not in fitted and self.base is None and n not in ("PDX1", "PKX1", "PDY1", "PKY1"):
                self.values[n] = start
            margin = 1e-6 * (high - low)
            self.values[n] = float(np.clip(self.values[n], low + margin, high - margin))
        begun = time.perf_counter()
        problem = Problem(
            self.model,
            {**self.values, **WIDE, **PRESSURES, "FZMIN": 1.0, "FZMAX": 1e9},
            stage.force,
            names,
            points,
            self.by_load,
        )
        lows, highs = np.array([self._limits(n)[1:] for n in names]).T
        x0 = np.array([self.values[n] for n in names])
        if stage.pure and stage.upright and not stage.need and self.base is None:
            x0 = self._best_start(stage, names, problem, x0, lows, highs)
        x, iterations = problem.solve(x0, lows, highs)
        for loss in ("soft_l1", "cauchy") if self.robust else ():
            scatter = 1.4826 * float(np.median(np.abs(problem.residual(x))))
            if scatter > 0:
                x, more = problem.solve(x, lows, highs, loss=loss, width=2 * scatter)
                iterations += more
        self.values |= dict(zip(names, x.tolist(), strict=True))
        self.stages.append(
            self._judge(stage, problem, x, lows, highs, points, np.flatnonzero(chosen), iterations, begun)
        )

    def _best_start(
        self, stage: Stage, names: Sequence[str], problem: Problem, x0: Array, lows: Array, highs: Array
    ) -> Array:
        """The best of several shapes of the curve, on a part of the points."""
        shape = {"fx": ("PCX1", "PEX1"), "fy": ("PCY1", "PEY1"), "mz": ("QCZ1", "QEZ1")}.get(stage.force)
        if shape is None or not all(n in names for n in shape):
            return x0
        small = problem.thinned(SUBSAMPLE)
        starts = [x0]
        for pair in SHAPES:
            x = x0.copy()
            for n, value in zip(shape, pair, strict=True):
                k = names.index(n)
                x[k] = min(max(value, lows[k] + 1e-6), highs[k] - 1e-6)
            starts.append(x)
        if stage.force == "mz" and "QBZ1" in names:
            for slope in (5.0, 20.0):
                x = x0.copy()
                x[names.index("QBZ1")] = slope
                starts.append(x)
        found = [small.solve(x, lows, highs, most=40)[0] for x in starts]
        costs = [float(np.sum(small.residual(x) ** 2)) for x in found]
        return found[int(np.argmin(costs))]

    def _judge(
        self, stage: Stage, problem: Problem, x: Array, lows: Array, highs: Array, points: TireData,
        index: npt.NDArray[np.intp], iterations: int, begun: float,
    ) -> StageResult:  # fmt: skip
        names = problem.names
        residual, jacobian = problem.residual(x), problem.jacobian(x)
        error = residual * problem.scale / problem.weight
        n, p = len(residual), len(x)
        scale = np.linalg.norm(jacobian, axis=0)
        seen = scale > 1e-9 * max(float(scale.max()), 1e-300)
        inverse = np.full((p, p), np.nan)
        if np.any(seen):
            part = triangle(jacobian[:, seen] / scale[seen])
            inner = np.linalg.pinv(part.T @ part, rcond=1e-13, hermitian=True) / np.outer(scale[seen], scale[seen])
            inverse[np.ix_(seen, seen)] = inner
        if self.robust:
            variance = (1.4826 * float(np.median(np.abs(residual)))) ** 2
        else:
            variance = float(residual @ residual) / max(n - p, 1)
        covariance = variance * inverse
        errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))
        correlated = []
        for i in range(p):
            for j in range(i):
                if errors[i] > 0 and errors[j] > 0:
                    r = covariance[i, j] / (errors[i] * errors[j])
                    if abs(r) > CORRELATED:
                        correlated.append((names[j], names[i], float(r)))
        correlated.sort(key=lambda c: -abs(c[2]))
        near = 1e-4 * (highs - lows)
        worst = np.argsort(-np.abs(error))[:WORST]
        scatter = 1.4826 * float(np.median(np.abs(residual)))
        measured = points[stage.force]
        return StageResult(
            stage.name, stage.force, n, float(np.sqrt(np.mean(error**2))), r_squared(measured, error),
            {m: Estimate(float(v), float(e)) for m, v, e in zip(names, x, errors, strict=True)}, covariance,
            [m for m, v, low, high, d in zip(names, x, lows, highs, near, strict=True) if v - low < d or high - v < d],
            correlated[:8],
            [
                Point(
                    int(index[k]), float(points["fz"][k]), float(points["kappa"][k]), float(points["alpha"][k]),
                    float(points["gamma"][k]), float(measured[k]), float(measured[k] + error[k]),
                )
                for k in worst
            ],
            int(np.count_nonzero(np.abs(residual) > 5 * scatter)) if scatter > 0 else 0,
            iterations, time.perf_counter() - begun,
        )  # fmt: skip

    def _peaks(self, tire: Tire) -> None:
        """Say when the measurement ends before the peak of the fitted curve: friction is then a guess."""
        load = float(tire.values["FNOMIN"])
        wide = tire.with_values(**{k: v for k, v in WIDE.items() if k in tire.values})
        for force, slip, top in (("fx", "kappa", 1.0), ("fy", "alpha", 0.6)):
            if force not in self.measured:
                continue
            x = np.linspace(0.0, top, 601)
            f = wide.steady(load, x) if slip == "kappa" else wide.steady(load, 0.0, x)
            at = float(x[np.argmax(np.abs(np.broadcast_to(getattr(f, force), x.shape)))])
            reached = float(np.abs(self.data[slip]).max())
            if reached < at:
                shown = (
                    f"{reached:.3g}, before {at:.3g}"
                    if slip == "kappa"
                    else (f"{math.degrees(reached):.1f} deg, before {math.degrees(at):.1f} deg")
                )
                self.warnings.append(
                    f"{force.capitalize()}: measured up to {slip} = {shown}, the peak of the fit; friction is a guess"
                )


def _missing_side(values: Array, small: float) -> str:
    """ "positive" or "negative" where next to no point is."""
    for word, there in (("positive", values > small), ("negative", values < -small)):
        if np.count_nonzero(there) < max(SIDE_SHARE * len(values), 3):
            return word
    return ""


def _levels(values: Array, apart: float = LOAD_STEP) -> int:
    """Number of distinct loads or pressures: clusters of the sorted values with a share of the points."""
    order = np.sort(values)
    mean = float(np.mean(order))
    if np.ptp(order) < apart * mean:
        return 1
    cells = np.floor((order - order[0]) / (apart * mean)).astype(int)
    counts = np.bincount(cells)
    filled = counts >= max(0.02 * len(order), 3)
    levels = int(np.count_nonzero(filled & ~np.concatenate([[False], filled[:-1]])))
    # a continuous change of the load fills neighbouring cells
    return max(levels, min(int(np.count_nonzero(filled)), 3) if np.count_nonzero(filled) > 2 * levels else levels)
