"""Batches of rig tests and their comparison with measured points."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from jounce.cli.main import app
from jounce.core.errors import ParameterError
from jounce.files.tir import write_tir
from jounce.rigs.tire_compare import Comparison, compare, curve, validate
from jounce.rigs.tire_data import TireData, tire_data
from jounce.rigs.tire_rig import TireRig
from tire_models import EXAMPLE, tire

NOISE = 0.01
# Reference values, computed apart from this package: Fz N, κ, α°, γ° -> Fx, Fy N, Mx, My, Mz N m.
TABLE = (
    (4000, 0.00, 0, 0, -43.999, -42.239, -1.324, -12.540, 2.443),
    (4000, 0.05, 0, 0, 3450.487, -35.815, -1.123, -12.540, 12.169),
    (4000, 0.00, 4, 0, -31.677, -3273.709, -102.631, -12.540, 71.258),
    (4000, 0.00, 0, 4, -43.999, -207.846, -50.289, -12.540, -4.684),
    (3000, -0.06, 3, -2, -2416.526, -1925.098, -28.849, -9.405, 27.060),
    (6000, 0.10, -6, 3, 4486.055, 3834.791, 131.087, -18.810, 28.354),
)


@pytest.fixture(scope="module")
def rig() -> TireRig:
    return TireRig(tire(EXAMPLE))


@pytest.fixture(scope="module")
def data(rig: TireRig) -> TireData:
    """Slow sweeps of another rig: 2 loads, 2 inclinations, both slips, noise; and combined slip, which is not used."""
    rng = np.random.default_rng(0)
    parts = []
    for load in (2500.0, 5000.0):
        for camber in (0.0, math.radians(3)):
            for slip in ("alpha", "kappa", "both"):
                n = 120
                alpha = rng.uniform(-0.18, 0.18, n) if slip != "kappa" else np.zeros(n)
                kappa = rng.uniform(-0.2, 0.2, n) if slip != "alpha" else np.zeros(n)
                fz = load * (1 + 0.01 * rng.normal(size=n))
                f = rig.tire.steady(fz, kappa, alpha, camber, vx=20.0)
                forces = {m: np.broadcast_to(getattr(f, m), (n,)) for m in ("fx", "fy", "mz")}
                forces = {m: v + NOISE * np.abs(v).max() * rng.normal(size=n) for m, v in forces.items()}
                parts.append(
                    tire_data("other rig", fz=fz, kappa=kappa, alpha=alpha, gamma=np.full(n, camber), **forces)
                )
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.joined(part)
    return whole


@pytest.fixture(scope="module")
def found(rig: TireRig, data: TireData) -> Comparison:
    return validate(rig, data)


def test_a_batch_of_points_is_the_table(rig: TireRig) -> None:
    rows = np.array(TABLE)
    values = rig.points(rows[:, 0], rows[:, 1], np.radians(rows[:, 2]), np.radians(rows[:, 3]), speed=16.7)
    # the table has three digits behind the point; the steady state is reached to parts in a million
    for k, name in enumerate(("fx", "fy", "mx", "my", "mz")):
        assert np.allclose(values[name], rows[:, 4 + k], rtol=2e-6, atol=6e-3), name
    assert np.allclose(values["fz"], rows[:, 0], rtol=1e-6)
    grid = rig.points([[2000.0, 4000.0]], alphas=[[0.0], [0.05]])
    assert grid["fy"].shape == (2, 2) and grid["fy"][1, 1] < grid["fy"][1, 0] < grid["fy"][0, 0]


def test_the_tests_that_the_points_ask_for_are_run(found: Comparison) -> None:
    kinds = [run.metadata["event"]["kind"] for run in found.runs]
    assert kinds.count("tire-lateral") == 4 and kinds.count("tire-longitudinal") == 4
    loads = sorted({round(float(run["tire.fz"][0]) / 50) * 50 for run in found.runs})
    assert loads == [2500, 5000]


def test_the_same_tire_differs_by_the_noise_and_another_by_more(
    rig: TireRig, data: TireData, found: Comparison
) -> None:
    assert {m.force for m in found.matches} == {"fx", "fy", "mz"}
    for m in found.matches:
        # noise of 1 %, loads that scatter by 1 %, with which the trail and so Mz goes twice: below their sum
        assert 0.003 < m.share < (0.03 if m.force == "mz" else 0.02), (m.run.label, m.force, m.share)
        assert len(m.index) >= 100 and abs(m.bias) < 0.02 * np.abs(data[m.force]).max()
    used = np.concatenate([m.index for m in found.matches])
    combined = (np.abs(data["kappa"]) > 0.01) & (np.abs(data["alpha"]) > 0.02)
    assert not np.any(combined[used]), "combined slip belongs to no sweep"
    other = validate(rig.tire.with_values(LMUY=0.8), data)
    worse = {m.run.label: m for m in other.matches if m.force == "fy"}
    for m in found.matches:
        if m.force == "fy":
            assert worse[m.run.label].share > 4 * m.share


def test_the_data_drawn_are_the_data_given(found: Comparison, data: TireData) -> None:
    figure = found.figure()
    matches = [m for m in found.matches if m.force == "fy"]
    (top,) = [a for a in figure.axes if a.get_title().startswith("Fy: rig (lines)")]
    lines = top.lines[:-1]  # the last is the axis
    for k, m in enumerate(matches):
        points, drawn = lines[2 * k].get_xydata(), lines[2 * k + 1].get_xydata()[1:-1]
        order = np.argsort(data["alpha"][m.index])
        assert np.array_equal(points[:, 0], math.degrees(1.0) * data["alpha"][m.index][order])
        assert np.array_equal(points[:, 1], 1e-3 * data["fy"][m.index][order])
        assert np.allclose(drawn[:, 1], 1e-3 * curve(m.run, "alpha", "fy")(np.radians(drawn[:, 0])), atol=1e-9)


def test_a_curve_is_the_mean_of_both_ways(found: Comparison, rig: TireRig) -> None:
    run = next(run for run in found.runs if run.metadata["event"]["kind"] == "tire-lateral")
    angle = np.linspace(-0.1, 0.1, 20)  # without zero, where the test begins with no lag yet
    load, camber = float(run["tire.fz"][0]), float(run["tire.gamma"][0])
    exact = np.asarray(rig.tire.steady(load, 0.0, angle, camber, vx=20.0).fy)
    mean = curve(run, "alpha", "fy")(angle)
    # the lag of both ways cancels but for the bend of the curve within it
    assert np.allclose(mean, exact, atol=0.002 * np.abs(exact).max())


def test_points_that_belong_nowhere_are_told(rig: TireRig, data: TireData) -> None:
    with pytest.raises(ParameterError, match="no sweep of slip angle or slip alone"):
        validate(rig, data.where((np.abs(data["kappa"]) > 0.01) & (np.abs(data["alpha"]) > 0.02)))
    run = rig.sweep("LATERAL", loads=(9000.0,), end=1.0)
    nothing = compare(run, data)
    assert not nothing.matches and "0 of" in nothing.text()
    with pytest.raises(ParameterError, match="no measured point belongs to a test"):
        nothing.figure()


def test_by_command(rig: TireRig, data: TireData, tmp_path: Path) -> None:
    write_tir(tmp_path / "mine.tir", rig.tire)
    some = data.where((data["fz"] < 3000) & (data["gamma"] == 0) & (data["kappa"] == 0))
    rows = np.stack([-some["fz"], -np.degrees(some["alpha"]), -some["fy"]], axis=1)
    np.savetxt(tmp_path / "run.csv", rows, delimiter=",", header="FZ,SA,FY\nN,deg,N", comments="")
    arguments = ["tire", "rig", str(tmp_path / "mine.tir"), "--test", "compare", "--axes", "sae"]
    missing = CliRunner().invoke(app, arguments)
    assert missing.exit_code != 0
    arguments += ["--measured", str(tmp_path / "run.csv")]
    result = CliRunner().invoke(app, [*arguments, "--png", str(tmp_path / "a.png")])
    assert result.exit_code == 0 and "of peak" in result.output
    assert (tmp_path / "a.png").read_bytes()[:4] == b"\x89PNG"
    as_json = json.loads(CliRunner().invoke(app, [*arguments, "--json"]).output)
    assert as_json["comparison"]["matches"][0]["share"] < 0.03
