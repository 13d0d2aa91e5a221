"""A tire on the rig against measured points: which tests the points ask for, and how far they are off.

    found = validate("mine.tir", read_tire_data("run7.csv"))
    print(found.text()); found.figure().savefig("compare.png")

Sweeps are run at the loads and inclinations that the data hold (LATERAL where the slip angle was swept without slip,
LONGITUDINAL where the slip was swept without slip angle). A measured point belongs to the test whose load and
inclination are nearest, if they are near enough, and is compared with the force of the rig at its slip, the mean of
sweeping up and down: what a slow measurement averages over as well.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.components.tire.base import Tire
from jounce.core.errors import ParameterError
from jounce.results.run import Run
from jounce.rigs.tire_data import TireData
from jounce.rigs.tire_rig import TireRig

Array = npt.NDArray[np.float64]

NEAR_LOAD = 0.12  # of the load
NEAR_CAMBER = math.radians(0.6)
NEAR_KAPPA, NEAR_ALPHA = 0.006, math.radians(0.6)  # of the slip that was not swept
FEWEST = 5  # points of a comparison
SECONDS = {"LATERAL": 20.0, "LONGITUDINAL": 200.0}  # of a sweep: the lag of the slip stays below parts in a hundred
SWEPT = 0.02
FORCES = {"alpha": ("fy", "mz", "mx"), "kappa": ("fx",)}
CHANNEL = {"alpha": "tire.slip_angle", "kappa": "tire.slip"}


@dataclass(frozen=True)
class Match:
    """One force of one test against its points."""

    run: Run
    force: str
    slip: str  # "alpha" or "kappa"
    index: npt.NDArray[np.intp]  # of the points in the data
    rms: float
    share: float  # rms over the largest measured value
    bias: float  # mean of rig minus measured


@dataclass(frozen=True)
class Comparison:
    """Tests of the rig with the measured points that belong to them."""

    runs: Sequence[Run]
    data: TireData
    matches: Sequence[Match]

    def text(self) -> str:
        """A line per force and test."""
        lines = [f"{'test':28}{'force':>6}{'points':>8}{'rms':>12}{'of peak':>9}{'mean error':>12}"]
        for m in self.matches:
            unit = "N" if m.force[0] == "f" else "N.m"
            lines.append(
                f"{m.run.label:28}{m.force.capitalize():>6}{len(m.index):8d}{m.rms:9.4g} {unit:3}{100 * m.share:7.1f} %"
                f"{m.bias:12.4g}"
            )
        used = len(set(np.concatenate([m.index for m in self.matches]).tolist())) if self.matches else 0
        lines.append(f"{used} of {len(self.data)} points belong to a test")
        return "\n".join(lines) + "\n"

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data."""
        return {
            "points": len(self.data),
            "matches": [
                {"test": m.run.label, "force": m.force, "points": len(m.index), "rms": m.rms, "share": m.share,
                 "mean_error": m.bias}
                for m in self.matches
            ],
        }  # fmt: skip

    def figure(self) -> Any:
        """Curves of the rig with their points; needs matplotlib."""
        from jounce.rigs.tire_plots import comparison_figure

        return comparison_figure(self)


def validate(tire: str | Path | Tire | TireRig, data: TireData, *, speed: float | str | None = None) -> Comparison:
    """Run the tests that measured points ask for and compare.

    Parameters
    ----------
    tire : a tire, its file, its name in the library, or a rig with it
    data : measured points
    speed : of the tests; default that of the measurement, else 20 m/s
    """
    rig = tire if isinstance(tire, TireRig) else TireRig(tire)
    chosen = speed if speed is not None else float(np.median(data["speed"])) if "speed" in data else 20.0
    runs: list[Run] = []
    for kind, slip in (("LATERAL", "alpha"), ("LONGITUDINAL", "kappa")):
        pure = _pure(data, slip)
        if np.count_nonzero(pure) < FEWEST or np.ptp(data[slip][pure]) < SWEPT:
            continue
        points = data.where(pure)
        for load in _levels(points["fz"], NEAR_LOAD * float(np.mean(points["fz"]))):
            near = points.where(np.abs(points["fz"] - load) < NEAR_LOAD * load)
            cambers = _levels(near["gamma"], NEAR_CAMBER)
            top = float(np.abs(near["alpha"]).max())
            toe = max(1.02 * top, SWEPT)
            runs += rig.sweep(kind, [load], cambers, speed=chosen, toe=toe, end=SECONDS[kind], output_step=0.02)
    if not runs:
        raise ParameterError("comparison: the data hold no sweep of slip angle or slip alone")
    return compare(runs, data)


def compare(runs: Sequence[Run], data: TireData) -> Comparison:
    """Measured points and the tests that they belong to."""
    matches = []
    for slip, forces in FORCES.items():
        own = [run for run in runs if np.ptp(run[CHANNEL[slip]]) > SWEPT]
        if not own:
            continue
        loads = np.array([float(np.mean(run["tire.fz"])) for run in own])
        cambers = np.array([float(np.mean(run["tire.gamma"])) for run in own])
        away = np.hypot(
            (data["fz"][:, None] - loads) / (NEAR_LOAD * loads), (data["gamma"][:, None] - cambers) / NEAR_CAMBER
        )
        nearest = np.argmin(away, axis=1)
        fits = (away[np.arange(len(data)), nearest] < 1) & _pure(data, slip)
        for k, run in enumerate(own):
            x = run[CHANNEL[slip]]
            index = np.flatnonzero(fits & (nearest == k) & (data[slip] >= x.min()) & (data[slip] <= x.max()))
            for force in forces:
                if force in data and len(index) >= FEWEST:
                    error = curve(run, slip, force)(data[slip][index]) - data[force][index]
                    rms, top = float(np.sqrt(np.mean(error**2))), float(np.abs(data[force][index]).max())
                    share = rms / top if top else float("nan")
                    matches.append(Match(run, force, slip, index, rms, share, float(error.mean())))
    return Comparison(tuple(runs), data, matches)


def curve(run: Run, slip: str, force: str) -> Any:
    """The force of a test over its slip: mean of sweeping up and down, where there are both."""
    x, y = run[CHANNEL[slip]], run[f"tire.{force}"]
    rising = np.gradient(x) >= 0
    branches = [(x[part], y[part]) for part in (rising, ~rising) if np.count_nonzero(part) > 3]

    def mean(at: Array) -> Array:
        total, count = np.zeros(np.shape(at)), np.zeros(np.shape(at))
        for a, b in branches:
            order = np.argsort(a)
            inside = (at >= a[order[0]]) & (at <= a[order[-1]])
            total += np.where(inside, np.interp(at, a[order], b[order]), 0.0)
            count += inside
        return np.asarray(total / np.maximum(count, 1))

    return mean


def _pure(data: TireData, slip: str) -> npt.NDArray[np.bool_]:
    if slip == "alpha":
        return np.asarray(np.abs(data["kappa"]) < NEAR_KAPPA)
    return np.asarray(np.abs(data["alpha"]) < NEAR_ALPHA)


def _levels(values: Array, apart: float) -> list[float]:
    """Means of the clusters of values that lie further apart than ``apart``, each with a share of the points."""
    order = np.sort(values)
    parts = np.split(order, np.flatnonzero(np.diff(order) > 0.5 * apart) + 1)
    large = [p for p in parts if len(p) >= max(0.02 * len(order), FEWEST)]
    found = []
    for part in large:
        n = max(1, math.ceil(float(np.ptp(part)) / (2 * apart)))  # a continuous change: several tests
        found += [float(np.mean(p)) for p in np.array_split(part, n) if len(p)]
    return found
