"""Measured data as runs: columns, units, signs, one time base, filters, alignment."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from jounce.core.errors import FormatError, JounceError, ParameterError
from jounce.results.measured import read_run
from jounce.results.run import Run
from jounce.results.signals import align, crossing, delay, low_pass, sample_step, uniform
from result_runs import DEG, drive

MAP = {
    "time": {"column": "t", "unit": "ms"},
    "chassis_velocities.yaw": {"column": "YawRate", "unit": "deg/s", "sign": -1},
    "System_Mass_Center.Speed": {"column": "v", "unit": "km/h"},
    "System_Mass_Center.Tracking_Ay": {"column": "ay", "unit": "g_0", "scale": 2.0, "offset": -0.1},
}


@pytest.fixture
def log(tmp_path: Path) -> Path:
    t = np.arange(0, 1000, 10)
    lines = ["t,YawRate,v,ay,note"]
    lines += [f"{k},{-10 * math.sin(k / 200)},{36 + k / 100},{0.05 + k / 4000},1" for k in t]
    path = tmp_path / "log.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_columns_become_channels(log: Path) -> None:
    run = read_run(log, MAP)
    t = np.arange(0, 1.0, 0.01)
    assert np.allclose(run.time, t)
    assert np.allclose(run["chassis_velocities.yaw"], 10 * np.sin(5 * t) * DEG, rtol=0, atol=1e-14)
    assert run.unit("chassis_velocities.yaw") == "rad/s"
    assert np.allclose(run["System_Mass_Center.Speed"], (36 + 10 * t) / 3.6)
    # sign · (scale · raw + offset) in the unit given, then SI: 2·(0.05 + t/4) − 0.1 = t/2 g
    assert np.allclose(run["System_Mass_Center.Tracking_Ay"], 0.5 * t * 9.80665, atol=1e-12)
    assert run.label == "log"


def test_a_sign_counts_for_the_offset_too(log: Path) -> None:
    """sign · (scale · raw + offset), of channels and of the time."""
    turned = {"column": "ay", "unit": "g_0", "scale": 2.0, "offset": -0.3, "sign": -1}
    backwards = {"column": "t", "unit": "ms", "scale": -2.0, "offset": -500.0, "sign": -1}
    run = read_run(log, {**MAP, "time": backwards, "System_Mass_Center.Tracking_Ay": turned})
    assert run.time[0] == pytest.approx(0.5) and run.time[-1] == pytest.approx(0.5 + 2 * 0.99)
    t = 0.5 * (run.time - 0.5)
    # 2·(0.05 + t/4) − 0.3 = t/2 − 0.2, the other way round
    assert np.allclose(run["System_Mass_Center.Tracking_Ay"], (0.2 - 0.5 * t) * 9.80665, atol=1e-12)


def test_units_with_a_zero_of_their_own_are_read(tmp_path: Path) -> None:
    file = tmp_path / "tires.csv"
    file.write_text("time,T\n0,20\n0.1,-5\n0.2,25\n")
    run = read_run(file, {"Oven": {"column": "T", "unit": "degC", "scale": 2.0, "offset": 1.0, "sign": -1}})
    assert run.unit("Oven") == "K"
    assert run["Oven"] == pytest.approx([273.15 - 41, 273.15 + 9, 273.15 - 51])


def test_the_map_may_be_a_file(log: Path, tmp_path: Path) -> None:
    file = tmp_path / "map.yaml"
    file.write_text(
        "time: {column: t, unit: ms}\n"
        "chassis_velocities.yaw: {column: YawRate, unit: deg/s, sign: -1}\n"
        "System_Mass_Center.Speed: {column: v, unit: km/h}\n"
        "System_Mass_Center.Tracking_Ay:\n  column: ay\n  unit: g_0\n  scale: 2.0\n  offset: -0.1\n"
    )
    assert read_run(log, file) == read_run(log, MAP)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("chassis_velocities.yaw: {column: YawRat, unit: deg/s}", r"line 2: .*'YawRat' is not in log.*mean 'YawRate'"),
        ("chassis_velocities.yaw: {column: YawRate, unit: m}", r"line 2: .*found unit m, but the channel is in rad/s"),
        ("chassis_velocities.yaw: {column: YawRate}", r"line 2: .*neither the map nor the file .*add unit: rad/s"),
        ("chassis_velocities.yaw: {colum: YawRate}", r"line 2: .*unknown key 'colum'; did you mean 'column'"),
        ("chassis_velocities.yaw: {column: YawRate, sign: 2}", r"sign = 2: expected 1 or -1"),
        ("chassis_velocities.yaw: {column: YawRate, scale: big}", r"scale = 'big' is not a number"),
        ("chassis_velocities.yaw: 5", r"line 2: .*expected a column"),
        ("chassis_velocities.yaw: {column: YawRate, unit: degg}", r"unknown unit 'degg'"),
        ("chassis_velocities.yaw: {column: [", r"map.yaml, line"),
    ],
)  # fmt: skip
def test_a_bad_map_says_where(line: str, message: str, log: Path, tmp_path: Path) -> None:
    file = tmp_path / "map.yaml"
    file.write_text(f"time: {{column: t, unit: ms}}\n{line}\n")
    with pytest.raises(JounceError, match=message):
        read_run(log, file)


def test_units_of_the_file_are_used(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("time,speed [km/h],temp [degC]\n0,36,20\n0.1,72,21\n0.2,72,22\n")
    run = read_run(path)
    assert np.allclose(run["speed"], [10, 20, 20])
    assert run.unit("speed") == "m/s"
    assert np.allclose(run["temp"], [293.15, 294.15, 295.15])
    assert run.unit("temp") == "K"
    mapped = read_run(path, {"System_Mass_Center.Speed": "speed"})
    assert np.allclose(mapped["System_Mass_Center.Speed"], [10, 20, 20])


def test_gaps_are_interpolated_and_told(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("time,x [m]\n0,0\n0.1,\n0.2,2\n0.3,3\n")
    run = read_run(path)
    assert np.allclose(run["x"], [0, 1, 2, 3])
    assert run.warnings == ["x: 1 of 4 values are missing, interpolated"]


@pytest.mark.parametrize("instant", ["1e999", "9" * 400, "-inf", "nan"])
@pytest.mark.parametrize("row", [0, 2, 5])
def test_instants_that_are_no_numbers_are_left_out(instant: str, row: int, tmp_path: Path) -> None:
    """They count neither as samples nor for the step of the common time base."""
    times = [f"{0.1 * k:.1f}" for k in range(6)]
    times[row] = instant
    path = tmp_path / "log.csv"
    path.write_text("t,YawRate\ns,rad/s\n" + "".join(f"{t},{2 * k}\n" for k, t in enumerate(times)))
    run = read_run(path)
    assert run.time == pytest.approx(np.arange(1 if row == 0 else 0, 5 if row == 5 else 6) * 0.1)
    assert run["YawRate"] == pytest.approx(20 * run.time), "between its neighbours on the line"
    assert any("1 of 6 values are missing" in note for note in run.warnings)


def test_the_time_base_is_uniform(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("time,x [m]\n0,0\n0.1,1\n0.25,2.5\n0.3,3\n1.0,10\n")
    run = read_run(path, step=0.05)
    assert sample_step(run.time) == pytest.approx(0.05)
    assert np.allclose(run["x"], 10 * run.time)
    path.write_text("time,x [m]\n0,0\n0.2,1\n0.1,2.5\n")
    with pytest.raises(FormatError, match="does not increase at sample 3"):
        read_run(path)
    with pytest.raises(ParameterError, match="step = 0"):
        path.write_text("time,x [m]\n0,0\n0.2,1\n")
        read_run(path, step=0)


def test_no_time_no_channels(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a [m],b [m]\n0,0\n1,1\n")
    with pytest.raises(FormatError, match="no column of time"):
        read_run(path)
    path.write_text("time,b\n0,0\n1,1\n")
    with pytest.raises(FormatError, match="no channels"):
        read_run(path)


def test_matlab_files_of_others(tmp_path: Path) -> None:
    from scipy import io

    t = np.arange(0, 1, 0.01)
    io.savemat(tmp_path / "a.mat", {"t": t, "log": {"yaw": np.sin(t)}, "name": "car", "n": 3.0})
    run = read_run(tmp_path / "a.mat", {"time": "t", "chassis_velocities.yaw": {"column": "log.yaw", "unit": "rad/s"}})
    assert np.allclose(run["chassis_velocities.yaw"], np.sin(t))


def test_parquet_of_others(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pyarrow.table({"time": [0.0, 0.1, 0.2], "v": [36.0, 72.0, 72.0], "text": ["a", "b", "c"]})
    parquet.write_table(table, tmp_path / "a.parquet")
    run = read_run(tmp_path / "a.parquet", {"System_Mass_Center.Speed": {"column": "v", "unit": "km/h"}})
    assert np.allclose(run["System_Mass_Center.Speed"], [10, 20, 20])


def test_a_column_that_comes_twice_is_refused(tmp_path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    columns = [pyarrow.array(np.arange(3.0) * k) for k in (0.1, 2.0, 3.0)]
    parquet.write_table(pyarrow.table(columns, names=["time", "x", "x"]), tmp_path / "a.parquet")
    with pytest.raises(FormatError, match=r"a\.parquet: holds the column 'x' twice"):
        read_run(tmp_path / "a.parquet", {"x": {"column": "x", "unit": "m"}})


def test_mdf_channels_with_their_own_rates(tmp_path: Path) -> None:
    asammdf = pytest.importorskip("asammdf")
    slow, fast = np.arange(0, 2, 0.1), np.arange(0, 2, 0.01)
    with asammdf.MDF() as file:
        file.append(asammdf.Signal(samples=slow * 3.6, timestamps=slow, name="Speed", unit="km/h"))
        file.append(asammdf.Signal(samples=np.degrees(fast), timestamps=fast, name="Yaw", unit="deg/s"))
        file.save(tmp_path / "a.mf4")
    run = read_run(tmp_path / "a.mf4", {"System_Mass_Center.Speed": "Speed", "chassis_velocities.yaw": "Yaw"})
    assert sample_step(run.time) == pytest.approx(0.01)
    assert run.time[-1] == pytest.approx(1.9)
    assert np.allclose(run["System_Mass_Center.Speed"], run.time)
    assert np.allclose(run["chassis_velocities.yaw"], run.time)


def test_a_measured_run_has_key_figures(tmp_path: Path, step_run: Run) -> None:
    """The same run, written in other units and signs and read as a measurement, has the same key figures."""
    lines = ["time [s],steer [deg],yaw [deg/s],ay [g_0],v [km/h]"]
    columns = [
        step_run.time,
        step_run["driver_demands.steering"] / DEG,
        -step_run["chassis_velocities.yaw"] / DEG,
        step_run["System_Mass_Center.Tracking_Ay"] / 9.80665,
        3.6 * step_run["System_Mass_Center.Speed"],
    ]
    lines += [",".join(map(repr, map(float, row))) for row in zip(*columns, strict=True)]
    (tmp_path / "a.csv").write_text("\n".join(lines))
    mapped = {
        "driver_demands.steering": "steer",
        "chassis_velocities.yaw": {"column": "yaw", "sign": -1},
        "System_Mass_Center.Tracking_Ay": "ay",
        "System_Mass_Center.Speed": "v",
    }
    run = read_run(tmp_path / "a.csv", mapped, metadata={"event": "step_steer"})
    for name in ("yaw_rate_t90", "yaw_rate_overshoot", "ay_t90", "yaw_rate_gain"):
        assert run.kpis[name][0] == pytest.approx(step_run.kpis[name][0], rel=1e-6), name


# --- signals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [2, 4, 6])
def test_the_filter_has_3_db_at_its_cutoff_and_no_phase(order: int) -> None:
    t = np.arange(0, 40, 0.005)
    middle = slice(2000, 6000)
    for frequency, gain in ((6.0, 1 / math.sqrt(2)), (1.0, 1.0), (40.0, 0.0)):
        y = low_pass(t, np.sin(2 * math.pi * frequency * t), 6.0, order)
        basis = np.stack([np.sin(2 * math.pi * frequency * t), np.cos(2 * math.pi * frequency * t)], axis=1)[middle]
        in_phase, across = np.linalg.lstsq(basis, y[middle], rcond=None)[0]
        assert in_phase == pytest.approx(gain, abs=2e-3)
        assert abs(across) < 1e-3


def test_the_filter_asks_for_what_it_needs() -> None:
    with pytest.raises(ParameterError, match="must lie between 0 and 50 Hz"):
        low_pass(np.arange(0, 1, 0.01), np.zeros(100), 60.0)
    with pytest.raises(ParameterError, match="not uniform"):
        low_pass(np.array([0.0, 0.1, 0.3]), np.zeros(3), 1.0)


def test_runs_are_filtered_by_pattern(step_run: Run) -> None:
    smooth = step_run.filtered(6.0, "*yaw*")
    assert not np.array_equal(smooth["chassis_velocities.yaw"], step_run["chassis_velocities.yaw"])
    assert np.array_equal(smooth["driver_demands.steering"], step_run["driver_demands.steering"])


@pytest.mark.parametrize("late", [0.0, 0.4567, -1.2])
def test_a_delay_is_found_between_samples(late: float) -> None:
    t = np.arange(0, 20, 0.01)
    pulse = np.exp(-(((t - 8) / 0.8) ** 2))
    other = np.arange(-3, 18, 0.013)
    moved = 2.0 * np.exp(-(((other - 8 - late) / 0.8) ** 2)) + 0.3
    found, correlation = delay((t, pulse), (other, moved))
    assert found == pytest.approx(late, abs=0.003)
    assert correlation > 0.99


@pytest.mark.parametrize("method", ["correlation", "threshold"])
def test_two_runs_are_aligned(method: str) -> None:
    a, b = drive("step_steer"), drive("step_steer").shifted(2.34)
    moved, shift = align(a, b, method=method)  # type: ignore[arg-type]
    assert shift == pytest.approx(-2.34, abs=0.005)
    assert moved.time[0] == pytest.approx(0.0, abs=0.005)


def test_alignment_says_why_it_cannot() -> None:
    a = drive("step_steer")
    flat = a.with_channels({"driver_demands.steering": np.zeros(len(a))}, {"driver_demands.steering": "rad"})
    with pytest.raises(ParameterError, match="constant"):
        align(a, flat)
    with pytest.raises(ParameterError, match="of the run never passes"):
        align(a, flat, method="threshold")


def test_crossings() -> None:
    t = np.arange(0, 4, 0.5)
    x = np.array([0.0, 1.0, 2.0, 1.0, 0.0, -1.0, 0.0, 1.0])
    assert crossing(t, x, 1.5) == pytest.approx(0.75)
    assert crossing(t, x, 1.5, rising=False) == pytest.approx(1.25)
    assert crossing(t, x, 0.5, after=2.0, rising=True) == pytest.approx(3.25)
    assert math.isnan(crossing(t, x, 5.0))


def test_uniform_base_ends_where_it_should() -> None:
    assert np.allclose(uniform(0.0, 1.0, 0.1), np.linspace(0, 1, 11))
    assert uniform(0.0, 0.99, 0.1)[-1] == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("row", "message"),
    [("1e150,4", "1e150|1e\\+150.*is an instant wrong"), ("0.3,1e308\n0.4,-1e308\n0.45,0", "too large")],
)
def test_numbers_out_of_this_world_are_refused(row: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text(f"t,YawRate\ns,rad/s\n0,1\n0.1,2\n0.2,4\n{row}\n")
    with pytest.raises(FormatError, match=message) as refused:
        read_run(path)
    assert str(path) in str(refused.value)
