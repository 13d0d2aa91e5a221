"""SPC files: columns by name and by place, signs and units, round trip, mistakes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from jounce.cli.main import main
from jounce.core.errors import FormatError, ParameterError
from jounce.files.spc import Spc, parse_spc, read_spc, spc_of_run, spc_text, write_spc
from jounce.results.run import Run

SETUP = """[VIGRADE_HEADER]
FILE_TYPE = 'spc'
FILE_VERSION = 2.0
FILE_FORMAT = 'ASCII'
[UNITS]
LENGTH = 'mm'
ANGLE = 'degrees'
FORCE = 'newton'
MASS = 'kg'
TIME = 'second'
[SEVENPOST_SETUP]
OPERATING_MODE = 'OPEN'
ACTUATORS_MODE = 'DISPLACEMENT'
AERODYNAMICS = 'OFF'
ACCEL_COMPENSATION = 'OFF'
ROLL_COMPENSATION = 'ON'
PITCH_COMPENSATION = 'OFF'
SPEED_MODE = 'MODEL'
STEER_MODE = 'MODEL'
[DATA]
"""
NAMES = ("time", "FL", "FR", "RL", "RR", "F_down", "RL_down", "RR_down", "lonacc", "latacc", "lonvel", "steer")
ROWS = ("0 1 2 3 4 500 600 700 800 900 1000 90", "0.5 2 4 6 8 510 620 730 840 950 1060 45")
SI = {
    "L1": 0.001, "R1": 0.002, "L2": 0.003, "R2": 0.004, "F_down": 500.0, "RL_down": 600.0, "RR_down": 700.0,
    "lonacc": 0.8, "latacc": -0.9, "lonvel": 1.0, "steer": np.pi / 2,
}  # fmt: skip


def text(count: int, names: tuple[str, ...] = NAMES) -> str:
    table = "\n".join(" ".join(row.split()[:count]) for row in ROWS)
    return f"{SETUP}{{{' '.join(names[:count])}}}\n{table}\n"


@pytest.mark.parametrize("count", [5, 8, 10, 12])
@pytest.mark.parametrize("named", [True, False])
def test_columns_by_name_and_by_place(count: int, named: bool) -> None:
    names = NAMES if named else ("time", *(f"channel_{i}" for i in range(1, 12)))
    found = parse_spc(text(count, names))
    assert list(found.columns) == list(SI)[: count - 1]
    for name, column in found.columns.items():
        assert column[0] == pytest.approx(SI[name], rel=1e-12)
    assert found.time.tolist() == [0.0, 0.5]
    assert bool(found.warnings) is not named  # by place only with a word
    assert (found.roll_compensation, found.pitch_compensation, found.accel_compensation) == (True, False, False)


def test_names_count_more_than_places() -> None:
    found = parse_spc(f"{SETUP}{{time steer_angle RR latacc FL}}\n0 9 1 2000 3\n1 9 1 2000 3\n")
    assert {name: float(c[0]) for name, c in found.columns.items()} == pytest.approx(
        {"steer": np.radians(9), "R2": 0.001, "latacc": -2.0, "L1": 0.003}
    )


def test_units_of_posts_follow_the_mode() -> None:
    body = text(5)
    for mode, unit in (("DISPLACEMENT", "m"), ("VELOCITY", "m/s"), ("ACCELERATION", "m/s2")):
        assert parse_spc(body.replace("'DISPLACEMENT'", f"'{mode}'")).unit("L1") == unit
    minutes = body.replace("TIME = 'second'", "TIME = 'minute'").replace("'DISPLACEMENT'", "'VELOCITY'")
    assert parse_spc(minutes).columns["R2"][1] == pytest.approx(0.008 / 60)
    hub = parse_spc(minutes.replace("'OPEN'", "'TRACK_HUBACC'"))
    assert (hub.unit("L1"), hub.actuators_mode) == ("m/s2", "DISPLACEMENT")
    assert hub.columns["R2"][1] == pytest.approx(0.008 / 3600)
    assert parse_spc(minutes.replace("'OPEN'", "'TRACK_SPRING'")).columns["R2"][1] == pytest.approx(0.008)


@pytest.mark.parametrize("count", [5, 8, 10, 12])
def test_round_trip(count: int, tmp_path: Path) -> None:
    found = parse_spc(text(count))
    write_spc(found, tmp_path / "a.spc", "a comment")
    again = read_spc(tmp_path / "a.spc")
    assert again.time.tolist() == found.time.tolist()
    assert {n: c.tolist() for n, c in again.columns.items()} == {n: c.tolist() for n, c in found.columns.items()}
    for name in ("operating_mode", "actuators_mode", "aerodynamics", "roll_compensation", "speed_mode", "steer_mode"):
        assert getattr(again, name) == getattr(found, name)


def test_loads_at_hubs_and_further_axles_come_back() -> None:
    t = np.array([0.0, 0.25, 0.5])
    names = ("L1", "R3", "L2_FX_BRK", "L2_FX_DRV", "R1_FY", "R1_MX", "L3_MY", "L1_MZ")
    columns = {name: (k + 1.5) * t for k, name in enumerate(names)}
    written = spc_text(Spc(time=t, columns=columns))
    assert "RL_FX_BRK" in written and "L3_MY" in written  # four posts by their names, others by their wheels
    again = parse_spc(written)
    assert {n: c.tolist() for n, c in again.columns.items()} == {n: c.tolist() for n, c in columns.items()}
    assert again.unit("L2_FX_BRK") == "N"
    assert again.unit("L1_MZ") == "N.m"
    millimetres = parse_spc(f"{SETUP}{{time FL_MZ FR_FX_BRK}}\n0 1000 7\n1 1000 7\n")
    assert millimetres.columns["L1_MZ"][0] == pytest.approx(1.0)
    assert millimetres.columns["R1_FX_BRK"][0] == 7.0


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("'OPEN'", "'OPN'", r"line 12 .*OPERATING_MODE: found 'OPN'.*OPEN.*PASSTHROUGH"),
        ("OPERATING_MODE = 'OPEN'\n", "", r"OPERATING_MODE: missing"),
        ("[SEVENPOST_SETUP]", "[ACTUATION_SETUP]", r"version 1.*\[SEVENPOST_SETUP\]"),
        ("FILE_VERSION = 2.0", "FILE_VERSION = 1.0", r"FILE_VERSION: found '1"),
        ("'spc'", "'rdf'", r"FILE_TYPE: found 'rdf'"),
        ("AERODYNAMICS = 'OFF'", "AERODYNAMICS = 'DATA'", r"F_down: the column is missing"),
        ("ACCEL_COMPENSATION = 'OFF'", "ACCEL_COMPENSATION = 'ON'", r"lonacc: the column is missing"),
        ("STEER_MODE = 'MODEL'", "STEER_MODE = 'FILE'", r"steer: the column is missing"),
        ("0.5 2 4", "0 2 4", r"line 23 .*time: found 0 after 0; must rise"),
        ("0.5 2 4", "0.5 4", r"line 23 .*found 4 values in the last row"),
        ("FL FR", "FL FL", r"FL: the column is there more than once"),
        ("0.5 2 4", "0.5 1e999 4", r"too large|number"),
    ],
)
def test_mistakes_are_told(old: str, new: str, told: str) -> None:
    body = text(5)
    assert old in body
    with pytest.raises(FormatError, match=told):
        parse_spc(body.replace(old, new))


def test_a_table_without_names_has_a_known_number_of_columns() -> None:
    with pytest.raises(FormatError, match="4 columns without names of posts; expected 5, 8, 10, 12"):
        parse_spc(f"{SETUP}{{time a b c}}\n0 1 2 3\n1 1 2 3\n")


def test_what_does_not_go_together_is_told() -> None:
    t = np.array([0.0, 1.0])
    with pytest.raises(ParameterError, match="DATA with PASSTHROUGH"):
        Spc("PASSTHROUGH", aerodynamics="DATA", time=t, columns=dict.fromkeys(("F_down", "RL_down", "RR_down"), t))
    with pytest.raises(ParameterError, match="OPEN and DISPLACEMENT"):
        Spc("OPEN", "VELOCITY", time=t, columns={"L1_FY": t})
    with pytest.raises(ParameterError, match="at least one post"):
        Spc("TRACK_SPRING", time=t, columns={"steer": t})
    with pytest.raises(ParameterError, match="columns of"):
        Spc(time=t, columns={"L1": np.zeros(3)})


def road_run() -> Run:
    t = np.arange(0.0, 2.0, 0.002)
    channels, units = {}, {}
    for k, wheel in enumerate(("L1", "R1", "L2", "R2"), 1):
        channels[f"Wheel.Global_Vz.{wheel}"] = 0.1 * k * np.sin(7 * t)
        channels[f"Spring.Jounce.{wheel}"] = 0.01 * k * np.cos(5 * t)
        units |= {f"Wheel.Global_Vz.{wheel}": "m/s", f"Spring.Jounce.{wheel}": "m"}
    more = {
        "aero_forces.front_downforce": (40.0 + t, "N"), "aero_forces.rear_downforce": (90.0 - t, "N"),
        "System_Mass_Center.Tracking_Ax": (1.0 * t, "m/s2"), "System_Mass_Center.Tracking_Ay": (2.0 * t, "m/s2"),
        "System_Mass_Center.Tracking_Vx": (20.0 + t, "m/s"), "driver_demands.steering": (0.1 * t, "rad"),
    }  # fmt: skip
    channels |= {name: values for name, (values, _) in more.items()}
    return Run(t, channels, units=units | {name: unit for name, (_, unit) in more.items()})


def test_a_road_run_becomes_a_file() -> None:
    run = road_run()
    found = spc_of_run(run)
    t = run.time
    for k, wheel in enumerate(("L1", "R1", "L2", "R2"), 1):
        # the derivative of a spline through rows h apart errs by some 7^4 h^3/12 at the ends, less in the middle
        assert found.columns[wheel] == pytest.approx(0.7 * k * np.cos(7 * t), abs=1e-6 * k)
    assert found.columns["F_down"] == pytest.approx(40 + t)
    assert found.columns["RL_down"] == pytest.approx((90 - t) / 2)
    assert (found.columns["latacc"] == 2 * t).all() and (found.columns["lonacc"] == t).all()
    assert "latacc" in spc_text(found)
    # right turns are positive in the file, and left ones here: written and read again it is what it was
    row = next(line for line in spc_text(found).splitlines() if line.startswith("1 "))
    assert float(row.split()[9]) == pytest.approx(-2.0)
    springs = spc_of_run(run, "TRACK_SPRING", aerodynamics="MODEL", compensation=False)
    assert springs.columns["R2"] == pytest.approx(-0.04 * np.cos(5 * t))  # longer is positive
    assert (springs.aerodynamics, springs.accel_compensation) == ("MODEL", False)


def test_a_downforce_in_the_middle_is_shared_by_both_ends() -> None:
    """Alike, and that of the rear by both sides: the sum is kept, and the moment about the middle of the car."""
    run = road_run()
    middle = 50 + 7 * run.time
    found = spc_of_run(
        run.with_channels({"aero_forces.center_downforce": middle}, {"aero_forces.center_downforce": "N"})
    )
    plain = spc_of_run(run)
    more = {name: found.columns[name] - plain.columns[name] for name in ("F_down", "RL_down", "RR_down")}
    assert more["F_down"] == pytest.approx(middle / 2)
    assert more["RL_down"] == pytest.approx(middle / 4) and more["RR_down"] == pytest.approx(middle / 4)


def test_the_same_values_in_every_format(tmp_path: Path) -> None:
    run = road_run()
    write_spc(spc_of_run(run), tmp_path / "run.spc")
    spc = read_spc(tmp_path / "run.spc")
    for ending, write in (("parquet", run.to_parquet), ("csv", run.to_csv), ("mat", run.to_mat), ("mf4", run.to_mdf4)):
        again = Run.read(write(tmp_path / f"run.{ending}"))
        for name in ("System_Mass_Center.Tracking_Ay", "aero_forces.front_downforce"):
            assert again[name] == pytest.approx(run[name], rel=1e-15)
        assert again["System_Mass_Center.Tracking_Ay"] == pytest.approx(spc.columns["latacc"], rel=1e-15)
        assert again["aero_forces.front_downforce"] == pytest.approx(spc.columns["F_down"], rel=1e-15)
        assert 0.5 * again["aero_forces.rear_downforce"] == pytest.approx(spc.columns["RR_down"], rel=1e-15)


def test_the_command_writes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = road_run()
    run.to_parquet(tmp_path / "run.parquet")
    for track in ("hubs", "springs"):
        with pytest.raises(SystemExit) as stopped:
            main(["convert", str(tmp_path / "run.parquet"), str(tmp_path / f"{track}.spc"), "--track", track])
        assert stopped.value.code == 0 and f"follows the {track}" in capsys.readouterr().out
    assert read_spc(tmp_path / "hubs.spc").columns["R1"] == pytest.approx(spc_of_run(run).columns["R1"], rel=1e-12)
    springs = read_spc(tmp_path / "springs.spc")
    assert springs.operating_mode == "TRACK_SPRING"
    assert springs.columns["L2"] == pytest.approx(-0.03 * np.cos(5 * run.time), rel=1e-12)
    with pytest.raises(SystemExit) as stopped:
        main(["convert", str(tmp_path / "run.parquet"), str(tmp_path / "a.spc"), "--track", "hub"])
    assert stopped.value.code == 1 and "did you mean 'hubs'" in capsys.readouterr().err


def test_rows_too_far_apart_are_refused() -> None:
    with pytest.raises(ParameterError, match="rows are 10 ms apart"):
        spc_of_run(road_run().resampled(np.arange(0.0, 1.9, 0.01)))
