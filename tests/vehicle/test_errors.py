"""A mistake in a file is answered with file, line, path, what was found, what is allowed, and the nearest name."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import jounce.vehicle as jv
from jounce.core.errors import FormatError, JounceError, ParameterError

COMPACT = Path(__file__).parent / "data" / "compact"
LIBRARY = Path(jv.__file__).parent.parent / "library"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the example to spoil; messages name files as seen from here."""
    shutil.copytree(COMPACT, tmp_path / "car")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "car"


def spoil(file: Path, *changes: tuple[str, str]) -> None:
    text = file.read_text(encoding="utf-8")
    for old, new in changes:
        assert text.count(old) >= 1, old
        text = text.replace(old, new, 1)
    file.write_text(text, encoding="utf-8")


def message(source: str | Path) -> str:
    with pytest.raises(JounceError) as caught:
        jv.load(source)
    return str(caught.value)


def test_all_problems_of_all_files_at_once(folder: Path) -> None:
    spoil(
        folder / "vehicle.yaml",
        ("torque_reaction: chassis", "torque_reaction: chasis"),
        ("drive: front", "drive: {L1: 0.5}"),
    )
    spoil(folder / "body.yaml", ("mass: 1137 kg", "mass: -1137 kg"), ("izz: 1800", "izz: 18000"))
    spoil(
        folder / "suspensions/front.yaml",
        *(("  rate: 26.6 N/mm", "  rte: 26.6 N/mm"), ("clearance: 45 mm", "clearance: 45 N")),
        ("x: [0, 10, 20, 30, 40]", "x: [0, 10, 10, 30, 40]"),
    )
    spoil(folder / "tables/front_toe.csv", ("-60,0.245", "-60,abc"))
    with pytest.raises(ParameterError) as caught:
        jv.load("car")
    known = "ratio, ratio_convention, scale, kind, rate, force, axis, free_length, installed_length, preload, pushrod, "
    known += "right"
    assert str(caught.value) == "\n".join(
        [
            "8 problems in 3 files",
            "car/vehicle.yaml:",
            "  line 13  system.torque_reaction = 'chasis': unknown; did you mean 'chassis'?  known: chassis, carrier",
            "  line 57  drive: the shares add up to 0.5; they must add up to 1 (or all be 0: no drive)",
            "car/body.yaml:",
            "  line 2  mass = '-1137 kg': must be > 0 kg",
            "  line 4  inertia: no body has this inertia: the largest principal moment, 18000 kg.m2, exceeds "
            "the sum of "
            "the two others, 399.977 + 1690",
            "car/suspensions/front.yaml:",
            "  line 8  toe.file: front_toe.csv line 6, column 2: 'abc' is not a number",
            f"  line 13  spring.rte: unknown key; did you mean 'rate'?  known: {known}",
            "  line 24  bump_stop.clearance = '45 N': found N (kg m s-2), expected m (m)",
            "  line 25  bump_stop.force.x[2] = 10: 0.01 after 0.01: the numbers must strictly rise (or fall)",
        ]
    )


@pytest.mark.parametrize(
    ("file", "change", "expected"),
    [
        (
            "body.yaml",
            ("mass: 1137 kg", "mass: 0"),
            "1 problem in car/body.yaml\n  line 2  mass = 0 kg: must be > 0 kg",
        ),
        (
            "body.yaml",
            ("mass: 1137 kg", "# no mass"),
            "1 problem in car/body.yaml\n  line 1  missing: mass (or split, with both halves)",
        ),
        (
            "body.yaml",
            ("cg: [-984 mm", "cg: [984 mm"),
            "1 problem in car/body.yaml\n  line 3  cg.x: 0.984 m: the sprung mass has its centre of gravity "
            "ahead of the "
            "front wheels, so that the rear axle would lift (x is positive forward: expected between -2.65 and 0.0)",
        ),
        (
            "suspensions/rear.yaml",
            ("wheel_centre_x: -2650 mm", "wheel_centre_x: 2650 mm"),
            "1 problem in car/suspensions/rear.yaml\n  line 3  wheel_centre_x = '2650 mm': 2.65 m: the rear "
            "wheels must be "
            "behind the front ones (0.0 m); write -wheelbase",
        ),
        (
            "suspensions/rear.yaml",
            ("track: 1530 mm\n", ""),
            "1 problem in car/suspensions/rear.yaml\n  line 1  track: missing; distance of the wheel centres at "
            "design, in m",
        ),
        (
            "suspensions/rear.yaml",
            ("  preload: 2822 N", "  preload: 2822 N\n  installed_length: 300 mm"),
            "1 problem in car/suspensions/rear.yaml\n  line 13  spring.preload = '2822 N': installed_length and "
            "preload are "
            "both given; keep one",
        ),
        (
            "vehicle.yaml",
            ("simplified_model: 0", "simplified_model: 3"),
            "1 problem in car/vehicle.yaml\n  line 12  system.simplified_model = 3: unknown  known: 0, 1, 2",
        ),
        (
            "vehicle.yaml",
            ("brakes:", "breaks:"),
            "2 problems in car/vehicle.yaml\n  line 1  brakes: missing; brakes\n  line 51  breaks: unknown key; "
            "did you mean "
            "'brakes'?  known: format, name, description, category, model_layout, provenance, accept, system, setup, "
            "body, front_suspension, rear_suspension, steering, rear_steering, front_wheels, rear_wheels, axles, "
            "units, trailers, brakes, …",
        ),
        (
            "vehicle.yaml",
            ("unsprung_mass: 36 kg", "unsprung_mass: 36 kg\n  unsprung_mass: 37 kg"),
            "1 problem in car/vehicle.yaml\n  line 35  unsprung_mass: given twice; first in line 34",
        ),
        (
            "vehicle.yaml",
            ("drive: front", "drive: [front"),
            "1 problem in car/vehicle.yaml\n  line 59  no YAML: while parsing a flow sequence, expected ',' or "
            "']', but got ':'",
        ),
        (
            "vehicle.yaml",
            ("gravity: 9.80665 m/s2", "gravity: nine"),
            "1 problem in car/vehicle.yaml\n  line 11  system.gravity = 'nine': does not begin with a number; "
            "write for "
            "example '1.5 m/s2'",
        ),
        (
            "vehicle.yaml",
            ("gravity: 9.80665 m/s2", "gravity: .inf"),
            "1 problem in car/vehicle.yaml\n  line 11  system.gravity = '.inf': does not begin with a number; "
            "write for "
            "example '1.5 m/s2'",
        ),
        (
            "vehicle.yaml",
            ("mu: 0.4", "mu: [0.4]"),
            "1 problem in car/vehicle.yaml\n  line 54  brakes.front.mu = [0.4]: expected a number in - or text "
            "such as '1.5'",
        ),
        (
            "vehicle.yaml",
            ("steering:", "steering: fast\nwas:"),
            None,
        ),
    ],
)
def test_messages(folder: Path, file: str, change: tuple[str, str], expected: str | None) -> None:
    spoil(folder / file, change)
    found = message("car")
    if expected is None:
        assert "line 21  steering = 'fast': expected a group with the keys name, description" in found
    else:
        assert found == expected


def test_a_missing_file_names_the_reference_and_the_place_searched(folder: Path) -> None:
    spoil(folder / "vehicle.yaml", ("suspensions/rear.yaml", "suspensions/raer.yaml"))
    with pytest.raises(FormatError) as caught:
        jv.load("car")
    assert str(caught.value) == (
        f"1 problem in car/vehicle.yaml\n  line 19  rear_suspension: 'suspensions/raer.yaml': no such file; "
        f"searched: {folder}/suspensions/raer.yaml"
    )


def test_a_missing_table_names_the_place_searched(folder: Path) -> None:
    (folder / "tables/front_toe.csv").unlink()
    assert message("car") == (
        "1 problem in car/suspensions/front.yaml\n"
        f"  line 8  toe.file: no such file; searched: {folder}/tables/front_toe.csv"
    )


def test_an_unknown_column_names_the_file_and_the_nearest_one(folder: Path) -> None:
    (folder / "tables/front.csv").write_text("jounce,toe,camber\nmm,deg,deg\n-80,1,1\n80,2,2\n")
    spoil(
        folder / "suspensions/front.yaml",
        ("toe: ../tables/front_toe.csv", "toe: {file: ../tables/front.csv, column: tow}"),
    )
    assert message("car") == (
        "1 problem in car/suspensions/front.yaml\n"
        "  line 8  toe.column = 'tow': no column 'tow' in front.csv; did you mean 'toe'?  known: toe, camber"
    )


def test_a_missing_tire_names_the_places_and_the_nearest_in_the_library(folder: Path) -> None:
    spoil(folder / "vehicle.yaml", ("compact_205_55r16", "compact_205_55r17"))
    found = message("car")
    assert found.startswith(
        "1 problem in car/vehicle.yaml\n  line 40  front_wheels.tire = 'compact_205_55r17': no such file, searched: "
        f"{folder}/compact_205_55r17; {folder.parent}/compact_205_55r17; {LIBRARY}/tires/compact_205_55r17.tir; "
        "did you mean 'compact_205_55r16'?  in the library: bev_245_45r19, caravan_195_70r14, compact_205_55r16"
    )


def test_a_file_that_refers_to_itself_is_refused(folder: Path) -> None:
    spoil(folder / "body.yaml", ("cg: [-984 mm, 0, 569 mm]", "cg: body.yaml"))
    assert "'body.yaml' refers back to itself" in message("car")


def test_problems_of_the_right_side_are_told_where_they_stand(folder: Path) -> None:
    spoil(folder / "suspensions/rear.yaml", ("  ratio: 0.8", "  ratio: 0.8\n  right:\n    rate: -3 N/mm"))
    assert message("car") == (
        "1 problem in car/suspensions/rear.yaml\n  line 16  spring.right.rate = '-3 N/mm': must be > 0 N/m"
    )
    spoil(folder / "suspensions/rear.yaml", ("rate: -3 N/mm", "rate: 3 N/mm"), ("ratio: 0.8", "ratio: 0.8 kg"))
    assert message("car") == (
        "1 problem in car/suspensions/rear.yaml\n  line 14  spring.ratio = '0.8 kg': found kg (kg), expected - "
        "(dimensionless)"
    )


def test_no_such_vehicle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert message("sedna").startswith(f"no vehicle 'sedna', searched: {tmp_path}/sedna; {LIBRARY}/vehicles/sedna/")
    (tmp_path / "empty").mkdir()
    assert message("empty") == f"empty: no vehicle.yaml in this folder; searched: {tmp_path}/empty/vehicle.yaml"
    for name in ("", "a\0b", "x" * 5000):
        message(name)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "empty"),
        (b"\xff\xfe\x00", "not UTF-8 text"),
        (b"- 1\n- 2\n", "expected a group with the keys"),
        (b"name: a\n---\nname: b\n", "no YAML"),
        (b"[" * 3000, "more than 40 deep"),
        (b"a: &a [*a]\n", ""),
        (b"a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
         b"d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n",
         "line 6  more than 200000 values"),
        (b"body: !!python/object:os.system {}\n", ""),
        (b"? [1, 2]\n: 3\n", "a key must be a word"),
    ],
)  # fmt: skip
def test_files_that_are_no_vehicles(tmp_path: Path, content: bytes, expected: str) -> None:
    file = tmp_path / "vehicle.yaml"
    file.write_bytes(content)
    assert expected in message(file)


def test_changes_are_answered_in_the_same_way() -> None:
    car = jv.load(COMPACT)
    with pytest.raises(ParameterError) as caught:
        car.with_(
            **{
                "front_suspenson.spring.rate": 3,
                "front_suspension.spring.rte": 3,
                "body.mass": "-3 kg",
                "brakes.front.mu": "3 N",
                "front_suspension.dampers[4].rate": 3,
                "body.cg.x.y": 3,
                "..": 3,
            }
        )
    assert str(caught.value) == "\n".join(
        [
            "7 problems in the changes",
            "  front_suspension.dampers[4].rate: front_suspension.dampers has 1 entries, counted from 0",
            "  body.cg.x.y: body.cg.x is a single value; it has no 'y'",
            "  ..: not a path; write for example 'front_suspension.dampers[0].rate'",
            "  body.mass = '-3 kg': must be > 0 kg",
            "  front_suspension.spring.rte: unknown key; did you mean 'rate'?  known: ratio, ratio_convention, "
            "scale, kind, "
            "rate, force, axis, free_length, installed_length, preload, pushrod, right",
            "  brakes.front.mu = '3 N': found N (kg m s-2), expected - (dimensionless)",
            "  front_suspenson: unknown key; did you mean 'front_suspension'?  known: format, name, description, "
            "category, model_layout, provenance, accept, system, setup, body, front_suspension, rear_suspension, "
            "steering, rear_steering, front_wheels, rear_wheels, axles, units, trailers, brakes, …",
        ]
    )
