"""Relaxation lengths: known ones come back from noisy steps, sweeps and frequency responses of the rig."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from jounce.components.tire.base import Tire
from jounce.components.tire.pac2002 import symmetrised
from jounce.core.errors import ModelError, ParameterError
from jounce.files.vtt import Signal, TireTest
from jounce.results.run import Run
from jounce.rigs.relaxation_fit import _lagged, _unknown_times, fit_relaxation, measure_lag
from jounce.rigs.tire_data import TireData, read_tire_data, tire_data
from jounce.rigs.tire_fit import fit_tire
from jounce.rigs.tire_rig import TireRig, find_tire
from tire_models import EXAMPLE, tire

TRUE = {**symmetrised(EXAMPLE), "PHX1": 0.0, "PTX2": 0.3, "PTX3": 0.2}
LOADS = (2000.0, 4000.0, 6000.0)
NOISE = 0.01


def record(run: Run, seed: int = 0, noise: float = NOISE, after: float = 0.0) -> TireData:
    """What a measuring rig would write."""
    rng = np.random.default_rng(seed)
    use = run.time >= after
    forces = {n: run[f"tire.{n}"][use] for n in ("fx", "fy")}
    forces = {n: f + noise * np.ptp(f) * rng.normal(size=f.shape) for n, f in forces.items()}
    return tire_data(
        "rig", time=run.time[use], fz=run["tire.fz"][use], kappa=run["tire.slip"][use],
        alpha=run["tire.slip_angle"][use], gamma=run["tire.gamma"][use], speed=run["tire.vx"][use], **forces,
    )  # fmt: skip


@pytest.fixture(scope="module")
def rig() -> TireRig:
    return TireRig(tire(TRUE))


@pytest.fixture(scope="module")
def steps(rig: TireRig) -> list[TireData]:
    """Steps of the slip angle at three loads, recorded every 2 ms."""
    found = []
    for k, load in enumerate(LOADS):
        turn = Signal("RAMP", {"F0": 0.0, "F1": math.radians(1.5), "T0": 0.1, "T1": 0.101})
        test = TireTest("FREE_INPUT", preload=load, toe=turn, speed=10, end=0.6, step=5e-4, output_step=2e-3)
        found.append(record(rig.run(test), k))
    return found


@pytest.fixture(scope="module")
def slips(rig: TireRig) -> list[TireData]:
    """Steps of the spin."""
    found = []
    for k, load in enumerate(LOADS):
        rolling = 10 / float(rig.tire.model.effective_radius(rig.tire.values, rig.tire.deflection(load)))
        spin = Signal("RAMP", {"F0": rolling, "F1": 1.02 * rolling, "T0": 0.1, "T1": 0.101})
        test = TireTest("FREE_INPUT", preload=load, spin=spin, speed=10, end=0.6, step=5e-4, output_step=2e-3)
        found.append(record(rig.run(test), 10 + k))
    return found


def blank(of: Tire) -> Tire:
    """The same tire with other relaxation lengths."""
    return of.with_values(PTX1=0.3, PTX2=0.0, PTX3=0.0, PTY1=1.0, PTY2=4.0)


def test_the_lag_and_its_derivative() -> None:
    """Against the closed form of a step and of a ramp, and against differences."""
    way = np.full(300, 0.01)
    s = np.concatenate([[0.0], np.cumsum(way)])
    ramp = 0.1 * s
    tau, change = _lagged(ramp, way, 0.4)
    assert np.allclose(tau, 0.1 * (s - 0.4 * (1 - np.exp(-s / 0.4))), atol=1e-14), "exact for what is linear"
    h = 1e-6
    up, down = (_lagged(ramp, way, 0.4 * math.exp(x))[0] for x in (h, -h))
    assert np.allclose(change, (up - down) / (2 * h), atol=1e-9)
    # way of a step much below the length: no loss of digits
    tiny, _ = _lagged(np.array([0.0, 1.0, 1.0]), np.array([1e-9, 1e-9]), 1.0)
    assert tiny[1:] == pytest.approx([0.5e-9, 1.5e-9], rel=1e-6)


def test_lengths_and_coefficients_come_back(rig: TireRig, steps: list[TireData], slips: list[TireData]) -> None:
    found = fit_relaxation(blank(rig.tire), *steps, *slips)
    assert [lag.direction for lag in found.lags] == ["lateral"] * 3 + ["longitudinal"] * 3
    for lag in found.lags:
        at = rig.tire.at_load(lag.load)
        exact = float(at.sigma_alpha if lag.direction == "lateral" else at.sigma_kappa)
        assert abs(lag.length - exact) < 4 * lag.error, lag
        # noise, and a sample of 2 ms at 10 m/s within which the step happens anywhere: a part of the way over √12
        assert lag.error < 0.02 * exact + 0.02 / math.sqrt(12) and lag.level == pytest.approx(1, abs=0.02)
    for name in ("PTX1", "PTX2", "PTX3", "PTY1", "PTY2"):
        e = found.estimates[name]
        assert abs(e.value - TRUE[name]) < 4.5 * e.error + 0.02 * abs(TRUE[name]), (name, e)
    for load in np.linspace(2000, 6000, 9):
        at, own = rig.tire.at_load(load), found.tire.at_load(load)
        assert float(own.sigma_alpha) == pytest.approx(float(at.sigma_alpha), rel=0.03)
        assert float(own.sigma_kappa) == pytest.approx(float(at.sigma_kappa), rel=0.05)
    assert not found.at_limit
    text = found.text()
    assert "longitudinal" in text and "PTY2" in text
    figure = found.figure()
    drawn = figure.axes[0].lines[0].get_xydata()
    assert np.array_equal(drawn[:, 1], steps[0]["fy"] / 1e3), "the data drawn are the data given"


@pytest.mark.parametrize("every", [1e-3, 4e-3])
def test_errors_hold_what_rows_leave_open(every: float) -> None:
    """Closed form of a step at any place between two rows: lengths scatter as their errors say, without noise too."""
    t, load, speed, length, size = tire(TRUE), 4000.0, 10.0, 0.4, 0.01
    rows, scores = np.arange(0.0, 0.8, every), []
    for share in np.linspace(0.03, 0.97, 12):
        begin = 0.1 + share * every
        way = speed * np.maximum(rows - begin, 0.0)
        tau = size * (1 - np.exp(-way / length))
        alpha = np.arctan(np.where(rows > begin, size, 0.0))
        same = np.ones_like(rows)
        record = tire_data(
            time=rows, fz=load * same, speed=speed * same, alpha=alpha,
            fy=np.asarray(t.steady(load, 0.0, np.arctan(tau)).fy),
        )  # fmt: skip
        lag = measure_lag(t, record)
        assert abs(lag.length - length) < 2 * lag.error  # a uniform spread ends at √3
        scores.append((lag.length - length) / lag.error)
    # places are even over the way between rows, so scores have a variance of 1; twelve of them, and second order
    assert 0.8 < float(np.std(scores)) < 1.2
    smooth = tire_data(
        time=rows, fz=load * same, speed=speed * same, alpha=0.01 * np.sin(6 * rows), fy=-500 * np.sin(6 * rows - 0.2)
    )
    step = np.asarray(smooth["alpha"])
    assert _unknown_times(step, np.full(len(step) - 1, speed * every), length, np.ones_like(step)) == 0.0


def test_a_sweep_and_a_frequency_response_show_the_same(rig: TireRig) -> None:
    sweep = Signal("SWEEP", {"AMPL": math.radians(0.5), "F0": 0.2, "F1": 6.0, "T0": 0.0, "T1": 6.0})
    run = rig.run(TireTest("FREE_INPUT", preload=4000, toe=sweep, speed=15, end=6.0, output_step=4e-3))
    exact = float(rig.tire.at_load(4000.0).sigma_alpha)
    lag = measure_lag(rig.tire, record(run, 3))
    assert abs(lag.length - exact) < 4 * lag.error + 1e-3
    response = rig.frequency_response(4000.0, speed=15.0)
    n = len(response.frequency)
    data = tire_data(
        fz=np.full(n, 4000.0), speed=np.full(n, 15.0), frequency=response.frequency, gain=response.gain,
        phase=response.phase,
    )  # fmt: skip
    by_frequency = measure_lag(rig.tire, data)
    # the response is averaged over bands of 0.2 Hz: parts in a hundred
    assert by_frequency.length == pytest.approx(exact, rel=0.015)
    assert by_frequency.level == pytest.approx(1, abs=0.01)
    turned = tire_data(**{**data.columns, "phase": data["phase"] + math.pi})
    assert measure_lag(rig.tire, turned).length == pytest.approx(by_frequency.length, rel=1e-6)


def test_mf6_gets_its_stiffnesses() -> None:
    truth = find_tire("example_mf61").with_values(PCFY1=0.1)
    rig = TireRig(truth)
    data = []
    for load in (2500.0, 4500.0):
        turn = Signal("RAMP", {"F0": 0.0, "F1": 0.01, "T0": 0.1, "T1": 0.101})
        test = TireTest("FREE_INPUT", preload=load, toe=turn, speed=10, end=0.8, step=5e-4, output_step=2e-3)
        data.append(record(rig.run(test), noise=1e-4))
    found = fit_relaxation(truth.with_values(LATERAL_STIFFNESS=5e4, PCFY1=0.0), *data)
    assert found.estimates["LATERAL_STIFFNESS"].value == pytest.approx(truth.values["LATERAL_STIFFNESS"], rel=0.03)
    assert found.estimates["PCFY1"].value == pytest.approx(0.1, abs=0.05)
    assert any("PCFY2 as before" in w for w in found.warnings)


def test_a_fit_with_records_needs_no_assumption(rig: TireRig, steps: list[TireData]) -> None:
    rng = np.random.default_rng(0)
    n = 1500
    fz, alpha = rng.choice(LOADS, n), rng.uniform(-0.2, 0.2, n)
    f = rig.tire.steady(fz, 0.0, alpha)
    data = tire_data(fz=fz, alpha=alpha, fy=np.asarray(f.fy) * (1 + 0.01 * rng.normal(size=n)))
    records = steps[0].joined(steps[1]).joined(steps[2])
    result = fit_tire(data, radius=TRUE["UNLOADED_RADIUS"], load=TRUE["FNOMIN"], transient=records)
    assert result.tire.values["PTY1"] == pytest.approx(TRUE["PTY1"], rel=0.05)
    assert result.relaxation is not None and len(result.relaxation.lags) == 3, "a time that goes back begins a record"
    assert any("a usual length is assumed: longitudinal" in w for w in result.warnings)
    assert "relaxation" in result.to_dict() and "length m" in result.text()


def test_records_are_read_from_files(rig: TireRig, steps: list[TireData], tmp_path: Path) -> None:
    data = steps[1]
    rows = np.stack([data[n] for n in ("time", "fz", "alpha", "fy", "speed")], axis=1)
    path = tmp_path / "step.csv"
    np.savetxt(path, rows, delimiter=",", header="ET,FZ,SA,FY,V\ns,N,rad,N,m/s", comments="", fmt="%.17g")
    again = read_tire_data(path)
    assert measure_lag(rig.tire, again).length == pytest.approx(measure_lag(rig.tire, data).length, rel=1e-6)


def test_what_a_record_lacks_is_told(rig: TireRig, steps: list[TireData]) -> None:
    data = steps[0]

    def without(*names: str) -> TireData:
        return TireData({k: v for k, v in data.columns.items() if k not in names}, "r")

    with pytest.raises(ParameterError, match="neither time nor frequency"):
        fit_relaxation(rig.tire, without("time"))
    with pytest.raises(ParameterError, match="the speed"):
        measure_lag(rig.tire, without("speed"))
    with pytest.raises(ParameterError, match="a record has one load"):
        measure_lag(rig.tire, TireData({**data.columns, "fz": np.linspace(1000, 4000, len(data))}, "r"))
    with pytest.raises(ParameterError, match="was not varied"):
        measure_lag(rig.tire, data.where(data["time"] < 0.05))
    with pytest.raises(ParameterError, match="too few"):
        measure_lag(rig.tire, data.where(np.arange(len(data)) < 5))
    with pytest.raises(ModelError, match="available: mf6, pac2002"):
        fit_relaxation(find_tire("example_fiala"), data)
    one = fit_relaxation(blank(rig.tire), data)
    assert any("1 load only; PTY2 as before" in w for w in one.warnings) and one.tire.values["PTY2"] == 4.0
    wrong = TireData({**data.columns, "fy": 0.5 * data["fy"]}, "half")
    assert any("forces are 0.50 of those" in w for w in fit_relaxation(rig.tire, wrong).warnings)
