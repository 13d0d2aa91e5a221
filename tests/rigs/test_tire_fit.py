"""Fitting: known coefficients come back from noisy points within their standard errors; what is missing is told."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jounce.components.tire.base import Tire
from jounce.components.tire.figures import faults, figures
from jounce.core.errors import ModelError, ParameterError
from jounce.files.tir import read_tir
from jounce.rigs.tire_data import TireData, tire_data
from jounce.rigs.tire_data_check import check_points
from jounce.rigs.tire_fit import fit_tire
from jounce.rigs.tire_fit_result import FitResult, evaluate
from jounce.rigs.tire_problem import Problem, triangle
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


def test_the_short_problem_has_the_products_of_the_long_one(truth: Tire, points: TireData) -> None:
    names = ["PDY1", "PKY2", "PEY4", "RBY2"]
    problem = Problem(truth.model, dict(truth.values), "fy", names, points, False)
    x = np.array([truth.values[n] * 1.1 for n in names])
    j, r = problem.jacobian(x), problem.residual(x)
    short_j, short_r = problem._short_jacobian(x), problem._short_residual(x)
    assert len(short_r) == len(names) + 1
    assert np.allclose(short_j.T @ short_j, j.T @ j, rtol=1e-12) and np.allclose(
        short_j.T @ short_r, j.T @ r, rtol=1e-12
    )
    assert short_r @ short_r == pytest.approx(float(r @ r), rel=1e-12)
    few = triangle(np.ones((2, 4)))
    assert few.shape == (4, 4) and np.allclose(few.T @ few, 2.0)
    assert np.all(np.isnan(triangle(np.full((9, 2), np.inf))))


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


@pytest.mark.slow
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


@pytest.mark.parametrize("loss", ["soft_l1", "cauchy"])
def test_weights_that_follow_make_the_robust_loss_smallest(truth: Tire, points: TireData, loss: str) -> None:
    """At the end the derivative of Σ ρ(r²) is zero: J' (ρ' r)."""
    some = points.where((np.arange(len(points)) < 1500) & (points["kappa"] == 0))
    names = ["PDY1", "PKY1", "PEY1"]
    problem = Problem(truth.model, dict(truth.values), "fy", names, some, False)
    x0 = np.array([truth.values[n] for n in names]) * 1.05
    lows, highs = x0 - 5, x0 + 5
    x, _ = problem.solve(x0, lows, highs)
    width = 2 * 1.4826 * float(np.median(np.abs(problem.residual(x))))  # as in a fit
    x, _ = problem.solve(x, lows, highs, loss=loss, width=width)
    r = problem.residual(x)
    z = (r / width) ** 2
    slope = 1 / np.sqrt(1 + z) if loss == "soft_l1" else 1 / (1 + z)
    jacobian = problem.jacobian(x)
    # against what the residuals would make if they did not cancel
    assert np.all(np.abs(jacobian.T @ (slope * r)) < 1e-4 * np.abs(jacobian).T @ np.abs(slope * r))


def sided(data: TireData, **least: float) -> TireData:
    chosen = np.ones(len(data), dtype=bool)
    for name, value in least.items():
        chosen &= data[name] >= value
    return data.where(chosen)


@pytest.mark.slow
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
    assert "no longitudinal force: it cannot drive or brake a car" in result.warnings[0], "first of all"
    # a column of the drag of the free wheel does not make a longitudinal characteristic
    dragged = fit_tire(TireData({**columns, "fx": np.full(len(lateral), -40.0)}), radius=R0, load=FNOMIN)
    assert any("kappa was not varied (0 to 0): Fx not fitted" in w for w in dragged.warnings)
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


def test_a_stiffness_factor_of_the_base_is_taken_off(truth: Tire) -> None:
    data = measured(truth, 500)
    base = tire({**FULL, "LCZ": 0.5})
    deflection = data["fz"] / 2.1e5
    result = fit_tire(TireData({**data.columns, "deflection": deflection}), load=FNOMIN, base=base)
    assert result.tire.values["LCZ"] == 0.5
    assert result.tire.values["VERTICAL_STIFFNESS"] == pytest.approx(4.2e5, rel=1e-9)


@pytest.mark.slow
def test_mf_6_1_is_fitted_as_well() -> None:
    truth = find_tire("example_mf61")
    data = measured(truth, 4000, loads=(2000.0, 4000.0, 6000.0))
    result = fit_tire(data, model="mf6", radius=truth.values["UNLOADED_RADIUS"], load=truth.values["FNOMIN"])
    for force in ("fx", "fy", "mz"):
        exact = np.asarray(getattr(truth.steady(*(data[c] for c in ("fz", "kappa", "alpha", "gamma"))), force))
        error = result.predicted(force) - exact
        # √(coefficients/points) of the noise, twice
        assert np.sqrt(np.mean(error**2)) < 2 * NOISE * np.abs(exact).max() * math.sqrt(35 / len(data)), force


PRESSURE = {"PPX1": -0.35, "PPX2": 0.2, "PPX3": -0.1, "PPX4": 0.15, "PPY1": -0.55, "PPY2": -0.06, "PPY3": -0.15,
            "PPY4": 0.09, "PPY5": -0.2, "PPZ1": -0.6, "PPZ2": 0.4, "PFZ1": 0.7}  # fmt: skip


@pytest.fixture(scope="module")
def inflated() -> tuple[Tire, TireData]:
    """A tire of MF 6.1 at three pressures."""
    truth = find_tire("example_mf61").with_values(**PRESSURE, PRESMIN=1e5, PRESMAX=4e5)
    nominal, parts = truth.values["NOMPRES"], []
    rng = np.random.default_rng(7)
    for k, share in enumerate((0.8, 1.0, 1.25)):
        at = truth.with_values(INFLPRES=share * nominal)
        data = measured(at, 1500, seed=k, loads=(2000.0, 4000.0, 6000.0))
        rho = data["fz"] / (truth.values["VERTICAL_STIFFNESS"] * (1 + PRESSURE["PFZ1"] * (share - 1)))
        columns = {n: v for n, v in data.columns.items() if n not in ("mx", "my")}
        columns["pressure"] = np.full(len(data), share * nominal)
        columns["deflection"] = rho * (1 + 0.01 * rng.normal(size=len(data)))
        parts.append(TireData(columns, "inflated"))
    return truth, parts[0].joined(parts[1]).joined(parts[2])


@pytest.mark.slow
def test_pressure_terms_come_back_within_their_errors(inflated: tuple[Tire, TireData]) -> None:
    truth, data = inflated
    result = fit_tire(data, model="mf6", radius=truth.values["UNLOADED_RADIUS"], load=truth.values["FNOMIN"])
    assert {"Fx pressure", "Fy pressure", "Mz pressure"} <= {s.name for s in result.stages}
    assert result.tire.values["NOMPRES"] == pytest.approx(truth.values["NOMPRES"], rel=1e-3)
    estimates = {n: e for s in result.final_stages() for n, e in s.estimates.items()}
    shift = truth.values["NOMPRES"] / result.tire.values["NOMPRES"]
    assert shift == 1.0, "otherwise the terms would be about another pressure"
    for name, value in PRESSURE.items():
        e = estimates[name]
        # deflections have an error that grows with them, which the regression does not know: 1 % over √4500 is tiny
        allowed = 4.5 * e.error + (0.003 if name == "PFZ1" else 0.0)
        assert abs(e.value - value) < allowed, (name, e)
        assert e.error < 0.2 * max(abs(value), 0.5), name
    for force in ("fx", "fy", "mz"):
        noise = float(np.sqrt(np.mean((data[force] - evaluate(truth, data, force)) ** 2)))
        # the fit takes up as many of the 4500 scattered directions as it has coefficients, some 40
        assert 0.985 * noise < result.quality[force][1] < noise, force


@pytest.mark.slow
def test_pressures_are_told_where_they_cannot_be_fitted(inflated: tuple[Tire, TireData]) -> None:
    truth, data = inflated
    some = data.where(np.random.default_rng(0).random(len(data)) < 0.2)
    plain = fit_tire(some, radius=truth.values["UNLOADED_RADIUS"], load=truth.values["FNOMIN"])
    assert any("the model pac2002 has no effect of it, mf6 has" in w for w in plain.warnings)
    two = some.where(some["pressure"] < 1.1 * truth.values["NOMPRES"])
    linear = fit_tire(two, model="mf6", radius=truth.values["UNLOADED_RADIUS"], load=truth.values["FNOMIN"])
    assert any("two pressures only" in w for w in linear.warnings)
    assert linear.tire.values["PPX2"] == 0 and linear.tire.values["PPX1"] != 0


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
def test_twenty_thousand_points_are_fitted_as_well_as_a_few(truth: Tire) -> None:
    result = fit_tire(measured(truth, 20000), radius=R0, load=FNOMIN)
    assert min(r2 for _, _, r2 in result.quality.values()) > 0.997


def test_a_tire_without_a_measured_rolling_moment_brakes(truth: Tire) -> None:
    """A shift of Fx must not become a moment that drives: it did by the fallback of the formula."""
    shifted = truth.with_values(PVX1=0.02, PHX1=0.001)
    data = measured(shifted, 2500)
    fit = fit_tire(TireData({n: v for n, v in data.columns.items() if n != "my"}), radius=R0, load=FNOMIN)
    assert fit.tire.values["PVX1"] > 0.01, "the shift is there"
    assert figures(fit.tire)["rolling_resistance"].value == pytest.approx(0.01, abs=0.002)
    assert any("QSY1 = 0.01" in w and "not measured" in w for w in fit.warnings)
    assert not faults(fit.tire)
    without = fit.tire.with_values(QSY1=0.0, QSY2=0.0)
    assert [d.key for d in faults(without)] == ["rolling_resistance"], "what it would be"


def test_the_assumed_moment_keeps_the_energy_of_driving(truth: Tire) -> None:
    """Torque times spin is force times speed and the resistance: Fx r + (-My) = (Fx + q Fz) re, q of order QSY1."""
    data = measured(truth, 1000)
    fit = fit_tire(TireData({n: v for n, v in data.columns.items() if n != "my"}), radius=R0, load=FNOMIN).tire
    rho = fit.deflection(FNOMIN)
    re, r = float(fit.model.effective_radius(fit.values, rho)), R0 - rho
    none, drive = fit.steady(FNOMIN, -0.02), fit.steady(FNOMIN, 0.02)
    fx, my = float(drive.fx) - float(none.fx), float(drive.my) - float(none.my)
    assert fx > 0.3 * FNOMIN
    assert fx * r - my == pytest.approx(fx * re, rel=1e-3)  # QSY2 has three digits
    assert r < 0.97 * re, "without the moment the two differ"


def test_ranges_that_a_fit_sets_are_told(result: FitResult, points: TireData) -> None:
    (told,) = [w for w in result.warnings if "valid ranges" in w]
    assert f"KPUMIN, KPUMAX = ±{np.abs(points['kappa']).max():.3g};" in told and "held" in told
    assert "ALPMIN" in told and "CAMMIN" in told


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alpha": 57.3}, "alpha goes up to 12.* rad.*degrees"),
        ({"fy": -1.0}, "Fy has the wrong sign over alpha.*--axes"),
        ({"fx": -1.0}, "Fx has the wrong sign over kappa"),
        ({"fz": 1000.0}, "Fy./Fz reaches 0.00.* only.*units of Fz"),
        ({"fz": 0.2248}, "Fy./Fz reaches [34].*, no tire has that.*units of Fz"),
    ],
)
def test_units_and_axes_that_cannot_be_are_refused(points: TireData, change: dict[str, float], message: str) -> None:
    columns = {n: v * change.get(n, 1.0) for n, v in points.columns.items()}
    with pytest.raises(ParameterError, match=message):
        fit_tire(TireData(columns, "run"), radius=R0)


def test_small_friction_is_doubted_and_good_points_are_not(points: TireData) -> None:
    assert check_points(points) == []
    ice = TireData({**points.columns, "fy": 0.03 * points["fy"]})
    assert ["Fy" in w for w in check_points(ice)] == [True]
    # one side, beyond the peak, where the force falls: still the right sign
    alpha = np.linspace(0.2, 0.5, 50)
    assert check_points(tire_data(fz=np.full(50, 4000.0), alpha=alpha, fy=-4000 + 2000 * alpha)) == []


@pytest.mark.parametrize("radius", ["327 m", "12 mm", 13.0])
def test_a_radius_that_no_tire_has_is_refused(points: TireData, radius: Any) -> None:
    with pytest.raises(ParameterError, match=r"tires have 0.1 to 1.2 m. Write it with its unit"):
        fit_tire(points, radius=radius)
