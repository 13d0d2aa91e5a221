"""Fitting: known coefficients come back from noisy points within their standard errors; what is missing is told."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jounce.components.tire.base import Tire
from jounce.core.errors import ModelError, ParameterError
from jounce.files.tir import read_tir
from jounce.rigs.tire_data import TireData, tire_data
from jounce.rigs.tire_fit import fit_tire
from jounce.rigs.tire_fit_result import FitResult
from jounce.rigs.tire_problem import Problem
from jounce.rigs.tire_rig import find_tire
from tire_models import FULL, tire

NOISE = 0.01  # of the largest value
FACTORS = {name: 1.0 for name in FULL if name.startswith("L") and name != "LONGVL"}
TRUE = {**FULL, **FACTORS, "QTZ1": 0.0, "MBELT": 0.0, "QSY3": 0.0, "QSY4": 0.0}
R0, FNOMIN = TRUE["UNLOADED_RADIUS"], TRUE["FNOMIN"]
LOADS = (2000.0, 4000.0, 6000.0, 8000.0)


def measured(
    of: Tire, n: int = 6000, seed: int = 1, kappa: float = 0.3, alpha: float = 0.22, noise: float = NOISE,
    loads: tuple[float, ...] = LOADS, combined: bool = True, camber: bool = True,
) -> TireData:  # fmt: skip
    """A third each of longitudinal, lateral and combined slip, at all loads and inclinations."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 3 if combined else 2, n)
    k = np.where(kind == 1, 0.0, rng.uniform(-kappa, kappa, n))
    a = np.where(kind == 0, 0.0, rng.uniform(-alpha, alpha, n))
    g = np.radians(rng.choice([-4.0, -2.0, 0.0, 0.0, 2.0, 4.0], n)) if camber else np.zeros(n)
    fz = rng.choice(loads, n) * (1 + 0.02 * rng.normal(size=n))
    f = of.steady(fz, k, a, g)
    columns = {}
    for name in ("fx", "fy", "mx", "my", "mz"):
        exact = np.broadcast_to(np.asarray(getattr(f, name), dtype=float), (n,))
        columns[name] = exact + noise * np.abs(exact).max() * rng.normal(size=n)
    return tire_data("synthetic", fz=fz, kappa=k, alpha=a, gamma=g, **columns)


@pytest.fixture(scope="module")
def truth() -> Tire:
    return tire(TRUE)


@pytest.fixture(scope="module")
def points(truth: Tire) -> TireData:
    return measured(truth)


@pytest.fixture(scope="module")
def result(points: TireData) -> FitResult:
    return fit_tire(points, radius=R0, load=FNOMIN)


def test_residuals_are_the_noise(result: FitResult, truth: Tire, points: TireData) -> None:
    exact = truth.steady(*(points[c] for c in ("fz", "kappa", "alpha", "gamma")))
    for force, (n, rms, _) in result.quality.items():
        noise = NOISE * float(np.abs(np.broadcast_to(getattr(exact, force), (n,))).max())
        # the scatter of a root mean square of n values is σ/√(2n); some 30 coefficients take up a part in n
        assert rms == pytest.approx(noise, abs=noise * (4 / math.sqrt(2 * n) + 40 / n)), force


def test_coefficients_come_back_within_their_errors(result: FitResult) -> None:
    """Those with one meaning; RBX2, the signs of RVY… and products of friction and shift have several."""
    deviations = []
    for stage in result.final_stages():
        for name, estimate in stage.estimates.items():
            if name in ("RBX2", "RVY1", "RVY2", "RVY3", "RVY6") or name not in TRUE:
                continue
            deviations.append((TRUE[name] - estimate.value) / estimate.error)
    assert len(deviations) > 70
    # 80 normal numbers: the largest is below 4.5 but for one case in a thousand
    assert np.abs(deviations).max() < 4.5
    assert 0.7 < float(np.std(deviations)) < 1.5, "standard errors are those of the noise"


def test_curves_come_back_within_their_error(result: FitResult, truth: Tire) -> None:
    grid = np.array([
        (fz, k, a, g)
        for fz in (2500.0, 5000.0, 7500.0)
        for k, a in ((0.0, 0.05), (0.0, -0.15), (0.08, 0.0), (-0.2, 0.1), (0.05, -0.05))
        for g in (0.0, 0.05)
    ]).T  # fmt: skip
    for stage in result.final_stages():
        if stage.force not in ("fx", "fy"):
            continue
        names = list(stage.estimates)

        def curve(of: Tire, force: str = stage.force) -> np.ndarray:
            return np.asarray(getattr(of.steady(*grid), force), dtype=float)

        slopes = np.empty((grid.shape[1], len(names)))
        for j, name in enumerate(names):
            h = 1e-3 * stage.estimates[name].error
            value = result.tire.values[name]
            up, down = (result.tire.with_values(**{name: value + s * h}) for s in (1, -1))
            slopes[:, j] = (curve(up) - curve(down)) / (2 * h)
        deviation = np.sqrt(np.einsum("ij,jk,ik->i", slopes, stage.covariance, slopes))
        assert np.all(deviation < 0.01 * np.abs(curve(truth)).max()), "far better than the noise"
        assert np.all(np.abs(curve(result.tire) - curve(truth)) < 4.5 * deviation), stage.name


def test_derivatives_are_exact(truth: Tire, points: TireData) -> None:
    some = points.where(np.arange(len(points)) < 50)
    for force, names in (("fy", ["PDY1", "PKY2", "PEY4", "RBY2"]), ("mz", ["QDZ1", "QEZ4", "SSZ3"])):
        problem = Problem(truth.model, dict(truth.values), force, names, some, False)
        x = np.array([truth.values[n] for n in names])
        jacobian = problem.jacobian(x)
        for j in range(len(x)):
            h = 1e-6 * max(abs(x[j]), 1e-3)
            up, down = x.copy(), x.copy()
            up[j] += h
            down[j] -= h
            difference = (problem.residual(up) - problem.residual(down)) / (2 * h)
            assert np.allclose(jacobian[:, j], difference, rtol=1e-5, atol=1e-7 * np.abs(jacobian[:, j]).max())


def test_the_file_is_the_fit(result: FitResult, points: TireData, tmp_path: Path) -> None:
    result.write(tmp_path / "mine.tir")
    again = read_tir(tmp_path / "mine.tir").tire
    f = again.steady(*(points[c] for c in ("fz", "kappa", "alpha", "gamma")))
    for force in ("fx", "fy", "mz"):
        assert np.allclose(getattr(f, force), result.predicted(force), rtol=1e-9, atol=1e-6)
    assert "fitted to 6000 points" in (tmp_path / "mine.tir").read_text()
    assert again.values["ALPMAX"] == pytest.approx(0.22, rel=0.01)


def test_the_report_says_it_all(result: FitResult) -> None:
    text = result.text()
    for word in ("Fx pure", "Fy camber", "Mz combined", "R²", "worst points", "relaxation lengths"):
        assert word in text
    assert result.to_dict()["stages"][0]["coefficients"]["PCX1"][0] > 1
    assert result.figure().axes


def test_outliers_do_not_pull_a_robust_fit(truth: Tire) -> None:
    data = measured(truth, 3000)
    rng = np.random.default_rng(5)
    bad = rng.random(len(data)) < 0.05
    columns = {**data.columns, "fy": np.where(bad, 3 * data["fy"] + 2000, data["fy"])}
    dirty = TireData(columns, "dirty")
    plain, robust = (fit_tire(dirty, radius=R0, load=FNOMIN, robust=flag) for flag in (False, True))
    grid = (4000.0, 0.0, np.linspace(-0.2, 0.2, 41))
    exact = np.asarray(truth.steady(*grid).fy)
    errors = [np.abs(np.asarray(r.tire.steady(*grid).fy) - exact).max() for r in (plain, robust)]
    assert errors[1] < 0.3 * errors[0]
    assert errors[1] < 0.02 * np.abs(exact).max()
    assert any("times the scatter away" in w for w in robust.warnings)


def sided(data: TireData, **least: float) -> TireData:
    chosen = np.ones(len(data), dtype=bool)
    for name, value in least.items():
        chosen &= data[name] >= value
    return data.where(chosen)


def test_missing_parts_of_a_measurement_are_told(truth: Tire) -> None:
    data = measured(truth, 4000, camber=False)
    half = fit_tire(sided(data, alpha=0.0), radius=R0, load=FNOMIN)
    assert any("alpha is never negative" in w for w in half.warnings)
    assert any("quadrants are missing: braking, alpha < 0; driving, alpha < 0" in w for w in half.warnings)
    assert any("no points with inclination" in w for w in half.warnings)
    assert half.tire.values["PHY1"] == 0 and half.tire.values["PEY3"] == 0
    pure = fit_tire(measured(truth, 2000, combined=False, loads=(4000.0,)), radius=R0, load=FNOMIN)
    assert any("no points of combined slip" in w for w in pure.warnings)
    assert any("one load only" in w for w in pure.warnings)
    assert pure.tire.values["RBX1"] > 0, "no square friction ellipse"
    f = pure.tire.steady(4000.0, 0.1, 0.1)
    assert abs(float(f.fx)) < 0.95 * abs(float(pure.tire.steady(4000.0, 0.1).fx))
    short = fit_tire(measured(truth, 2000, alpha=0.04), radius=R0, load=FNOMIN)
    assert any("friction is a guess" in w and "Fy" in w for w in short.warnings)


def test_only_lateral_forces(truth: Tire) -> None:
    data = measured(truth, 2000)
    lateral = data.where(data["kappa"] == 0)
    columns = {n: v for n, v in lateral.columns.items() if n in ("fz", "fy", "mz", "alpha", "gamma")}
    result = fit_tire(TireData(columns), radius=R0, load=FNOMIN)
    assert result.tire.model.mode == 12  # type: ignore[attr-defined]
    assert result.quality["fy"][2] > 0.999
    # a column of the drag of the free wheel does not make a longitudinal characteristic
    dragged = fit_tire(TireData({**columns, "fx": np.full(len(lateral), -40.0)}), radius=R0, load=FNOMIN)
    assert any("kappa was not varied: Fx not fitted" in w for w in dragged.warnings)
    assert "fx" not in dragged.quality and dragged.tire.model.mode == 12  # type: ignore[attr-defined]
    with pytest.raises(ParameterError, match="nothing to fit"):
        fit_tire(TireData({"fz": columns["fz"], "fy": columns["fy"]}), radius=R0)


def test_a_base_gives_what_is_not_fitted(truth: Tire, points: TireData) -> None:
    base = find_tire("sedan_225_50r17")
    result = fit_tire(points, base, load=FNOMIN, radius=R0, fixed=("PCY1",), bounds={"PKX3": (0.0, 0.5)})
    assert result.tire.values["PCY1"] == base.values["PCY1"]
    assert result.tire.values["PTY1"] == base.values["PTY1"]
    assert 0 <= result.tire.values["PKX3"] <= 0.5
    assert result.quality["fx"][2] > 0.999


def test_a_symmetric_fit_has_no_pull(points: TireData) -> None:
    result = fit_tire(points, radius=R0, load=FNOMIN, side="symmetric")
    f = result.tire.steady(4000.0)
    assert float(f.fy) == 0 and abs(float(f.mz)) < 1e-9
    assert result.tire.side == "symmetric"


def test_vertical_stiffness_and_radius_are_found(truth: Tire) -> None:
    data = measured(truth, 1000)
    rng = np.random.default_rng(3)
    noise = 1e-4
    radius = 0.32 - data["fz"] / 2.1e5 + noise * rng.normal(size=len(data))
    result = fit_tire(TireData({**data.columns, "radius": radius}), load=FNOMIN)
    # regression on 1000 points: noise over the spread of the deflections and √n, four times
    spread = np.std(data["fz"] / 2.1e5)
    allowed = 4 * noise / (spread * math.sqrt(1000))
    assert result.tire.values["VERTICAL_STIFFNESS"] == pytest.approx(2.1e5, rel=3 * allowed)
    assert result.tire.values["UNLOADED_RADIUS"] == pytest.approx(0.32, abs=8 * noise / math.sqrt(1000) + 1e-5)


def test_mf_6_1_is_fitted_as_well() -> None:
    truth = find_tire("example_mf61")
    data = measured(truth, 4000, loads=(2000.0, 4000.0, 6000.0))
    result = fit_tire(data, model="mf6", radius=truth.values["UNLOADED_RADIUS"], load=truth.values["FNOMIN"])
    for force in ("fx", "fy", "mz"):
        exact = np.asarray(getattr(truth.steady(*(data[c] for c in ("fz", "kappa", "alpha", "gamma"))), force))
        error = result.predicted(force) - exact
        # √(coefficients/points) of the noise, twice
        assert np.sqrt(np.mean(error**2)) < 2 * NOISE * np.abs(exact).max() * math.sqrt(35 / len(data)), force


def test_requests_that_cannot_be_met(points: TireData) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"radius": R0, "fixed": ("PCY",)}, "did you mean 'PCY"),
        ({"radius": R0, "side": "up"}, "use 'left', 'right' or 'symmetric'"),
        ({}, "radius of the free tire"),
        ({"radius": R0, "bounds": {"PCY1": (2.0, 1.0)}}, "limits of PCY1"),
    ]
    for options, message in cases:
        with pytest.raises(ParameterError, match=message):
            fit_tire(points, load=FNOMIN, **options)
    with pytest.raises(ModelError, match="fitting a fiala tire is not available"):
        fit_tire(points, find_tire("example_fiala"))
    with pytest.raises(ParameterError, match="too few"):
        fit_tire(points.where(np.arange(len(points)) < 10), radius=R0)


@pytest.mark.slow
def test_twenty_thousand_points_take_less_than_half_a_minute(truth: Tire) -> None:
    result = fit_tire(measured(truth, 20000), radius=R0, load=FNOMIN)
    assert result.seconds < 30
    assert min(r2 for _, _, r2 in result.quality.values()) > 0.997
