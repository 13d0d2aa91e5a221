"""Files of runs: what is written is what is read, as a whole or not at all."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from counting import calls
from jounce.core.errors import FormatError, ParameterError
from jounce.core.writing import replacing, write_atomically
from jounce.results.files import text
from jounce.results.run import Run
from result_runs import drive

FORMATS = ["parquet", "csv", "mat", "mf4"]


def needs(kind: str) -> None:
    if kind == "mf4":
        pytest.importorskip("asammdf")
    if kind == "parquet":
        pytest.importorskip("pyarrow")


def write(run: Run, path: Path) -> Path:
    return {".parquet": run.to_parquet, ".csv": run.to_csv, ".mat": run.to_mat, ".mf4": run.to_mdf4}[path.suffix](path)


@pytest.fixture
def run() -> Run:
    t = np.linspace(0, 1, 101)
    values = {
        "chassis_velocities.yaw": np.sin(t) / 3,
        "Wheel.Omega.L1": np.full_like(t, 1e-300),
        "wheel_omega_L1x": -t,
        "a" * 70 + ".b": t**3,
        "a" * 70 + ".c": t**4,
        "gaps": np.where(t > 0.5, np.nan, 1 / 3),
    }
    units = dict.fromkeys(values, "rad/s") | {"gaps": "-"}
    metadata = {
        "vehicle": {"name": 'Käfer "µ"', "summary": {"Mass": [800, "kg"]}},
        "event": {"kind": "step_steer"},
        "status": "partial",
        "reason": "state x < y & z is not finite at 1 s",
        "warnings": ["a", "b"],
        "step": 0.001,
        "hashes": {"model": "abc"},
    }
    return Run(t, values, units, metadata)


@pytest.mark.parametrize("kind", FORMATS)
def test_what_is_written_is_read(run: Run, kind: str, tmp_path: Path) -> None:
    needs(kind)
    path = write(run, tmp_path / f"a.{kind}")
    back = Run.read(path)
    assert back == run
    assert back.units == run.units
    assert (back.status, back.reason) == ("partial", run.reason)
    left = {f.name for f in tmp_path.iterdir()}
    assert left == {f"a.{kind}", "a.csv.json"} if kind == "csv" else left == {f"a.{kind}"}


@pytest.mark.parametrize("kind", FORMATS)
def test_a_file_is_replaced_as_a_whole(run: Run, kind: str, tmp_path: Path) -> None:
    needs(kind)
    path = tmp_path / f"a.{kind}"
    path.write_bytes(b"something older and longer" * 100)
    os.chmod(path, 0o600)
    write(run, path)
    assert Run.read(path) == run
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("kind", FORMATS)
def test_what_is_no_run_is_refused(kind: str, tmp_path: Path) -> None:
    needs(kind)
    path = tmp_path / f"a.{kind}"
    path.write_bytes(b"\x00\x01 this is nothing\nof the kind")
    with pytest.raises(FormatError, match=f"a.{kind}"):
        Run.read(path)
    with pytest.raises(FormatError, match="no such file"):
        Run.read(tmp_path / f"missing.{kind}")


@pytest.mark.parametrize("kind", ["parquet", "mat", "mf4"])
def test_a_damaged_file_is_refused(run: Run, kind: str, tmp_path: Path) -> None:
    needs(kind)
    path = write(run, tmp_path / f"a.{kind}")
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FormatError):
        Run.read(path)


def test_an_unknown_suffix_lists_the_known(tmp_path: Path) -> None:
    (tmp_path / "a.xyz").write_text("")
    with pytest.raises(FormatError, match=r"known: \.parquet, \.csv"):
        Run.read(tmp_path / "a.xyz")


@pytest.mark.parametrize("kind", FORMATS)
def test_a_missing_folder_is_told(run: Run, kind: str, tmp_path: Path) -> None:
    needs(kind)
    with pytest.raises(FormatError, match="there is no folder"):
        write(run, tmp_path / "none" / f"a.{kind}")


def test_nothing_is_left_when_writing_fails(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    write_atomically(target, "before")
    with pytest.raises(RuntimeError), replacing(target) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert target.read_text() == "before"
    assert [f.name for f in tmp_path.iterdir()] == ["a.txt"]


def test_parquet_carries_units_for_others(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    from pyarrow import parquet

    schema = parquet.read_schema(run.to_parquet(tmp_path / "a.parquet"))
    assert schema.field("chassis_velocities.yaw").metadata == {b"unit": b"rad/s"}
    assert json.loads(schema.metadata[b"jounce"])["metadata"]["status"] == "partial"
    column = parquet.ParquetFile(tmp_path / "a.parquet").metadata.row_group(0).column(1)
    assert column.encodings[0] == "BYTE_STREAM_SPLIT" or "BYTE_STREAM_SPLIT" in column.encodings
    assert not any("DICTIONARY" in e for e in column.encodings)


def test_matlab_names_have_underscores(run: Run, tmp_path: Path) -> None:
    from scipy import io

    content = io.loadmat(run.to_mat(tmp_path / "a.mat"), simplify_cells=True)
    assert np.array_equal(content["chassis_velocities_yaw"], run["chassis_velocities.yaw"])
    assert max(len(name) for name in content) <= 63
    assert content["jounce"]["units"][0] == "rad/s"


def test_csv_opens_in_other_programs(run: Run, tmp_path: Path) -> None:
    path = run.to_csv(tmp_path / "a.csv")
    lines = path.read_text().splitlines()
    assert lines[0].startswith("time,chassis_velocities.yaw,")
    assert lines[1].startswith("s,rad/s,")
    assert float(lines[2].split(",")[1]) == run["chassis_velocities.yaw"][0]
    os.remove(tmp_path / "a.csv.json")
    assert Run.read(path).metadata == {"status": "complete"}  # the numbers can be had without the note beside them


def test_a_folder_can_be_moved(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    run = drive("step_steer")
    folder = run.save(tmp_path / "first", report=True)
    assert {f.name for f in folder.iterdir()} == {"run.parquet", "run.json", "report.html"}
    summary = json.loads((folder / "run.json").read_text())
    assert summary["key_figures"]["yaw_rate_t90"] == {"value": run.kpis["yaw_rate_t90"][0], "unit": "s"}
    assert summary["channels"]["chassis_velocities.yaw"] == "rad/s"
    assert str(tmp_path) not in "".join(f.read_text(errors="replace") for f in folder.iterdir())
    shutil.move(folder, tmp_path / "elsewhere")
    assert Run.read(tmp_path / "elsewhere") == run
    with pytest.raises(FormatError, match="no run in this folder"):
        Run.read(tmp_path)


@pytest.mark.parametrize("kind", ["csv", "mat", "mdf4"])
def test_a_folder_in_another_format(kind: str, tmp_path: Path) -> None:
    needs("mf4" if kind == "mdf4" else kind)
    run = drive("step_steer")
    folder = run.save(tmp_path / kind, formats=[kind])
    assert len(list(folder.iterdir())) == (3 if kind == "csv" else 2)
    assert Run.read(folder) == run
    with pytest.raises(ParameterError, match="format 'excel': unknown"):
        run.save(tmp_path / "x", formats=["excel"])


def test_a_folder_holds_the_run_that_was_saved_last(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    a, b = drive("step_steer"), drive("step_steer", speed=20.0)
    folder = a.save(tmp_path / "one", report=True)
    b.save(folder, formats=["csv"])
    assert Run.read(folder) == b
    assert {f.name for f in folder.iterdir()} == {"run.csv", "run.csv.json", "run.json"}
    a.save(folder, formats=["mat"])
    assert Run.read(folder) == a
    assert {f.name for f in folder.iterdir()} == {"run.mat", "run.json"}


def test_a_report_that_was_there_before_the_run_stays(tmp_path: Path) -> None:
    run = drive("step_steer")
    (tmp_path / "report.html").write_text("mine")
    run.save(tmp_path, formats=["csv"])
    assert (tmp_path / "report.html").read_text() == "mine"


class Killed(BaseException):
    """The process ended here."""


def killed_at(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """End the process when a file of that name would appear."""
    really = Path.replace

    def replace(self: Path, target: Path) -> Path:
        if Path(target).name == name:
            raise Killed
        return really(self, target)

    monkeypatch.setattr(Path, "replace", replace)


@pytest.mark.parametrize("last", ["a.csv", "a.csv.json"])
def test_numbers_are_never_read_with_metadata_of_another_run(
    last: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = drive("step_steer"), drive("step_steer", speed=20.0, label="b")
    path = a.to_csv(tmp_path / "a.csv")
    killed_at(monkeypatch, last)
    with pytest.raises(Killed):
        b.to_csv(path)
    if last == "a.csv.json":  # nothing of b is there yet
        assert Run.read(path) == a
    else:
        with pytest.raises(FormatError, match=r"a\.csv\.json: belongs to other numbers than those in a\.csv"):
            Run.read(path)


@pytest.mark.parametrize(
    ("formats", "last", "found"),
    [(["csv"], "run.json", "a"), (["mat"], "run.json", "refused"), (["mat", "csv"], "run.mat", "a")],
)
def test_a_folder_whose_writing_was_interrupted_holds_the_old_run_or_says_so(
    formats: list[str], last: str, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = drive("step_steer"), drive("step_steer", speed=20.0)
    a.save(tmp_path, formats=["mat"])
    killed_at(monkeypatch, last)
    with pytest.raises(Killed):
        b.save(tmp_path, formats=formats)
    if found == "a":
        assert Run.read(tmp_path) == a
    else:
        with pytest.raises(FormatError, match=r"run\.mat is not the file that run\.json tells about"):
            Run.read(tmp_path)


def test_of_several_files_without_a_note_none_is_preferred(tmp_path: Path) -> None:
    drive("step_steer").to_csv(tmp_path / "run.csv")
    assert len(Run.read(tmp_path)) > 1
    drive("step_steer", speed=20.0).to_mat(tmp_path / "run.mat")
    with pytest.raises(FormatError, match=r"run\.csv and run\.mat, and no run\.json"):
        Run.read(tmp_path)


def test_the_work_of_writing_300_channels_does_not_grow_with_their_length(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    rng = np.random.default_rng(0)

    def made(rows: int) -> Run:
        t = np.linspace(0, 10, rows)
        values = {f"set{k // 10}.channel{k}": rng.standard_normal(rows) for k in range(300)}
        return Run(t, values, dict.fromkeys(values, "m"))

    short, long = made(101), made(5001)
    short.to_parquet(tmp_path / "first.parquet")  # imports
    few, many = (calls(lambda run=run: run.to_parquet(tmp_path / "a.parquet")) for run in (short, long))
    assert many < 1.1 * few
    assert Run.read(tmp_path / "a.parquet") == long


# --- tables of others ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        "t,speed\ns,km/h\n0,36\n0.1,72\n",
        "t [s];speed [km/h]\n0;36,0\n0,1;72,0\n",
        "t\tspeed\n[s]\t[km/h]\n0\t36\n0.1\t72\n",
        "# a remark\n\nt,speed\ns,km/h\n0,36\n0.1,72\n",
        "\ufefft,speed\r\ns,km/h\r\n0,36\r\n0.1,72\r\n",
    ],
)
def test_tables_as_people_write_them(content: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(content, encoding="utf-8")
    table = text.load(path)
    assert table.names == ["t", "speed"]
    assert table.units == ["s", "km/h"]
    assert table.values.tolist() == [[0.0, 36.0], [0.1, 72.0]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("t,v\n0,1\n1,x\n", r"line 3, column 'v': 'x' is not a number"),
        ("t,v\n0,1\n1\n", r"line 3: 1 values, but 2 columns"),
        ("0,1\n1,2\n", r"line 1: expected names of columns"),
        ("t,v,v\n0,1,2\n", r"the column 'v' occurs twice"),
        ("t,v\n", "a table needs a line of names"),
    ],
)
def test_a_bad_table_says_where(content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(content)
    with pytest.raises(FormatError, match=message):
        text.load(path)
