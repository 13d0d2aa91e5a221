"""What a fit of a tire gives: the tire, how well it meets the points, and the report about it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from jounce.components.tire.base import Tire
from jounce.rigs.tire_data import TireData

if TYPE_CHECKING:
    from jounce.rigs.relaxation_fit import RelaxationFit

Array = npt.NDArray[np.float64]

UNIT = {"fx": "N", "fy": "N", "mx": "N.m", "my": "N.m", "mz": "N.m"}


@dataclass(frozen=True)
class Estimate:
    """A fitted coefficient with its standard error."""

    value: float
    error: float


@dataclass(frozen=True)
class Point:
    """A measured point and what the fit gives there."""

    index: int
    load: float
    kappa: float
    alpha: float
    gamma: float
    measured: float
    fitted: float


@dataclass(frozen=True)
class StageResult:
    """How well a stage went; forces in N, moments in N m."""

    name: str
    force: str
    points: int
    rms: float
    r_squared: float
    estimates: Mapping[str, Estimate]
    covariance: Array  # of the estimates, in their order
    at_limit: Sequence[str]
    correlated: Sequence[tuple[str, str, float]]
    worst: Sequence[Point]
    outliers: int
    iterations: int
    seconds: float


@dataclass(frozen=True)
class FitResult:
    """A fitted tire and all there is to say about it."""

    tire: Tire
    data: TireData
    stages: Sequence[StageResult]
    warnings: Sequence[str]
    seconds: float
    quality: Mapping[str, tuple[int, float, float]] = field(default_factory=dict)  # force -> points, rms, R²
    relaxation: RelaxationFit | None = None

    def predicted(self, force: str) -> Array:
        """The force of the fitted tire at the measured points."""
        return np.broadcast_to(evaluate(self.tire, self.data, force), (len(self.data),))

    def text(self) -> str:
        """The report."""
        lines = [f"{len(self.data)} points of {self.data.source or 'the measurement'}, {self.seconds:.1f} s", ""]
        lines.append(f"{'stage':14}{'points':>8}{'rms':>15}{'R²':>10}{'coefficients':>14}{'iterations':>12}{'s':>8}")
        for s in self.stages:
            unit = UNIT.get(s.force, "N")
            lines.append(
                f"{s.name:14}{s.points:8d} {s.rms:10.4g} {unit:3}{s.r_squared:9.5f}{len(s.estimates):14d}"
                f"{s.iterations:12d}{s.seconds:8.2f}"
            )
            if s.at_limit:
                lines.append(f"{'':14}at a limit: {', '.join(s.at_limit)}")
        lines.append("")
        for force, (points, rms, r2) in self.quality.items():
            lines.append(
                f"{force.capitalize()} of the fitted tire at {points} points: rms {rms:.4g} {UNIT[force]}, R² {r2:.5f}"
            )
        for s in self.final_stages():
            lines += ["", f"{s.name}: value ± standard error"]
            for name, e in s.estimates.items():
                word = "   at its limit" if name in s.at_limit else ""
                if not word and not e.error < abs(e.value):
                    word = "   not told from zero"
                lines.append(f"  {name:7}{e.value:13.6g} ± {e.error:.2g}{word}")
            lines.append("  worst points: load N, kappa, alpha deg, gamma deg, measured, fitted")
            for p in s.worst:
                lines.append(
                    f"    {p.load:8.0f}{p.kappa:9.4f}{math.degrees(p.alpha):9.3f}{math.degrees(p.gamma):8.2f}"
                    f"{p.measured:12.5g}{p.fitted:12.5g}"
                )
        if self.relaxation is not None:
            lines += ["", replace(self.relaxation, warnings=()).text().rstrip()]
        lines += ["", *(f"warning: {w}" for w in self.warnings)]
        return "\n".join(lines).rstrip() + "\n"

    def final_stages(self) -> list[StageResult]:
        """The last stage of every force: its coefficients are those of the tire."""
        last = {s.force: s for s in self.stages}
        return list(last.values())

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data."""
        return {
            "points": len(self.data),
            "seconds": self.seconds,
            "quality": {k: {"points": n, "rms": rms, "r_squared": r2} for k, (n, rms, r2) in self.quality.items()},
            "stages": [
                {
                    "name": s.name,
                    "points": s.points,
                    "rms": s.rms,
                    "r_squared": s.r_squared,
                    "iterations": s.iterations,
                    "seconds": s.seconds,
                    "at_limit": list(s.at_limit),
                    "correlated": [list(c) for c in s.correlated],
                    "outliers": s.outliers,
                    "coefficients": {n: [e.value, e.error] for n, e in s.estimates.items()},
                }
                for s in self.stages
            ],
            **({"relaxation": self.relaxation.to_dict()} if self.relaxation is not None else {}),
            "warnings": list(self.warnings),
        }

    def write(self, path: str | Path) -> None:
        """Write the tire as a TIR file, with what it was fitted to as comments."""
        from jounce.files.tir import write_tir

        comments = [f"fitted to {len(self.data)} points of {self.data.source or 'a measurement'}"]
        comments += [f"{k}: rms {rms:.4g} {UNIT[k]}, R2 {r2:.5f}" for k, (_, rms, r2) in self.quality.items()]
        comments += [f"note: {w}" for w in self.warnings]
        write_tir(path, self.tire, comments)

    def figure(self) -> Any:
        """Measured points and the fitted tire, over slip; needs matplotlib."""
        from jounce.rigs.tire_plots import fit_figure

        return fit_figure(self)


def evaluate(tire: Tire, data: TireData, force: str) -> Array:
    """A force of a tire at measured points, each at its own pressure where the model has one."""
    speed, numbers = data.columns.get("speed"), dict(tire.values)
    if "pressure" in data and "INFLPRES" in numbers:
        numbers["INFLPRES"] = data["pressure"]  # type: ignore[assignment]
        numbers |= tire.model.derived(numbers)
    found = tire.model.steady(
        numbers, data["fz"], data["kappa"], data["alpha"], data["gamma"], vx=speed, curves=dict(tire.curves)
    )
    return np.broadcast_to(np.asarray(getattr(found, force), dtype=np.float64), (len(data),))


def r_squared(measured: Array, error: Array) -> float:
    total = float(np.sum((measured - measured.mean()) ** 2))
    return 1 - float(np.sum(error**2)) / total if total > 0 else float("nan")
