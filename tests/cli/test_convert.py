"""`jounce convert`: signs, units and axes of the reference tool, there and back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from jounce.cli.main import main
from jounce.results.run import Run

T = np.linspace(0.0, 2.0, 41)
POINTS = """# frame: x forward, y left, z up
name,x,y,z
,mm,mm,mm
lower_outer,-267.1,750.3,130.7
tie_rod_inner,33.3,-400.9,0.1
centre,0,0,-12.5
"""


def call(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    with pytest.raises(SystemExit) as stopped:
        main([str(item) for item in arguments])
    captured = capsys.readouterr()
    return int(stopped.value.code or 0), captured.out + captured.err


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_run_in_a_left_turn_there_and_back(capsys: pytest.CaptureFixture[str], tmp_path: Path, suffix: str) -> None:
    units = {"chassis_velocities.lateral": "m/s", "chassis_velocities.yaw": "rad/s", "Wheel.Omega.R2": "rad/s"}
    channels = {name: (i + 1.5) * np.sin((i + 1) * T) + 2 for i, name in enumerate(units)}
    ours = Run(T, {**channels, "own.channel": T}, {**units, "own.channel": "m"}, {"vehicle": "mine"})
    ours.to_parquet(tmp_path / "ours.parquet")
    code, out = call(capsys, "convert", tmp_path / "ours.parquet", tmp_path / f"theirs{suffix}")
    assert code == 0 and "3 channels" in out and "1 are not in its catalogue" in out
    theirs = Run.read(tmp_path / f"theirs{suffix}")
    assert set(theirs.names) == {"chassis_velocities:lateral", "chassis_velocities:yaw", "Wheel:Omega:R2"}
    assert np.allclose(theirs["chassis_velocities:lateral"], -3.6 * ours["chassis_velocities.lateral"], rtol=1e-15)
    assert theirs.unit("chassis_velocities:lateral") == "km/h"  # to the right there, and in km/h
    code, out = call(capsys, "convert", tmp_path / f"theirs{suffix}", tmp_path / "twice.csv")
    assert code == 1 and "already" in out and not (tmp_path / "twice.csv").exists()
    code, _ = call(capsys, "convert", tmp_path / f"theirs{suffix}", tmp_path / "back.csv", "--convention", "ours")
    back = Run.read(tmp_path / "back.csv")
    assert code == 0 and back.vehicle == "mine" and "convention" not in back.metadata
    for name, unit in units.items():
        assert back.unit(name) == unit and np.allclose(back[name], ours[name], rtol=4e-16, atol=0)
    code, out = call(capsys, "convert", tmp_path / "back.csv", tmp_path / "no.csv", "--convention", "ours")
    assert code == 1 and "nothing says" in out


def test_hard_points_turn_by_half_a_turn_and_come_back_exactly(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from jounce.files.point_tables import read_points

    ours, theirs, back = (tmp_path / name for name in ("ours.csv", "theirs.csv", "back.csv"))
    ours.write_text(POINTS)
    assert call(capsys, "convert", ours, theirs)[0] == 0
    found = read_points(theirs)
    assert found.points == {
        "lower_outer": (267.1, -750.3, 130.7),  # a left one: y is negative there, x grows to the rear
        "tie_rod_inner": (-33.3, 400.9, 0.1),
        "centre": (0.0, 0.0, -12.5),
    }
    assert found.unit == "mm" and "-0.0" not in theirs.read_text()
    code, out = call(capsys, "convert", theirs, tmp_path / "twice.csv")
    assert code == 1 and "in that frame already" in out
    assert call(capsys, "convert", theirs, back, "--convention", "ours")[0] == 0
    assert read_points(back) == read_points(ours)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (POINTS.replace("130.7", "12o"), "line 4"),
        (POINTS.replace("130.7", "nan"), "line 4.*not finite"),
        (POINTS.replace("tie_rod_inner", "lower_outer"), "line 5.*given twice"),
        (POINTS.replace(",mm,mm,mm", ",mm,kg,mm"), "line 3.*unit of length"),
        (POINTS.replace(",mm,mm,mm", ",mmÿ,mmÿ,mmÿ"), "line 3.*unit of length"),
        (POINTS.replace("33.3,", "33.3,1,"), "line 5: 5 cells"),
        (POINTS.replace("33.3", "9" * 40000 + "x"), "line 5.*expected three numbers"),
        (POINTS.replace("y left", "y up"), "frame .* is unknown"),
    ],
)
def test_bad_tables_are_refused_where_they_are_bad(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, message: str
) -> None:
    import re

    (tmp_path / "points.csv").write_text(text)
    code, out = call(capsys, "convert", tmp_path / "points.csv", tmp_path / "out.csv")
    assert code == 1 and re.search(message, " ".join(out.split())), out
    assert len(out) < 500
    assert not (tmp_path / "out.csv").exists()


def test_events_become_vdf_and_what_is_left_out_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from jounce.files.events import read_event
    from smart_driver_texts import XML

    (tmp_path / "event.xml").write_text(XML)
    code, told = call(capsys, "convert", tmp_path / "event.xml", tmp_path / "event.vdf")
    assert code == 0 and "not supported and left out: [CONTROLLER] FRONT_AXLE_COUPLING (line 6)" in told
    assert read_event(tmp_path / "event.vdf")[0].begin.speed == 16.0
    code, told = call(capsys, "convert", tmp_path / "event.vdf", tmp_path / "event.csv")
    assert code == 1 and "events are written as .vdf" in told


def test_load_cases_are_edited_as_a_table_and_written_as_xml(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """XML to a table, a cell and a row changed as in any editor, and back: nothing else is another."""
    from jounce.rigs.load_cases import read_load_cases

    components = [("travel.L1", "mm"), ("fx_brake.R1", "N"), ("steer", "deg")]
    listed = "".join(f'<Component name="{n}" unit="{u}" id="{k + 1}"/>' for k, (n, u) in enumerate(components))
    steps = "<Step>10 -1000.25 nan</Step><Step>-20.5 nan 30</Step>"
    (tmp_path / "a.xml").write_text(f'<LoadCases name="braking" axes="body">{listed}{steps}</LoadCases>')
    code, out = call(capsys, "convert", tmp_path / "a.xml", tmp_path / "a.csv")
    assert code == 0 and "2 load cases, 3 columns" in out
    table = (tmp_path / "a.csv").read_text()
    assert table.splitlines()[0] == "travel.L1,fx_brake.R1,steer" and "-1000.25" in table
    (tmp_path / "b.csv").write_text(table.replace("-1000.25", "-900.5") + "0.003,,\n")
    code, _ = call(capsys, "convert", tmp_path / "b.csv", tmp_path / "b.xml")
    before, after = read_load_cases(tmp_path / "a.xml"), read_load_cases(tmp_path / "b.xml")
    assert code == 0 and set(after.columns) == set(before.columns)
    assert after.columns["fx_brake.R1"].tolist()[0] == -900.5
    for name in ("travel.L1", "steer"):
        assert np.array_equal(after.columns[name][:2], before.columns[name], equal_nan=True)
    assert after.columns["travel.L1"][2] == 0.003 and np.isnan(after.columns["steer"][2])
    (tmp_path / "bad.csv").write_text("travel.L1,oops.R1\nmm,N\n1,2\n")
    code, out = call(capsys, "convert", tmp_path / "bad.csv", tmp_path / "bad.xml")
    assert code == 1 and "bad.csv" in out and "oops" in out and not (tmp_path / "bad.xml").exists()
