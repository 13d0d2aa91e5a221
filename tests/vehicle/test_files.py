"""Vehicles in files: units, references, loading and saving, clones, published vehicles, what a rewrite keeps."""

from __future__ import annotations

import math
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import jounce.vehicle as jv
from jounce.core.errors import FormatError, JounceError, ParameterError
from jounce.core.fields import to_raw
from jounce.core.library import LIBRARY
from jounce.vehicle.schema import Vehicle

COMPACT = Path(__file__).parent / "data" / "compact"
TIRE = LIBRARY / "tires" / "compact_205_55r16.tir"


@pytest.fixture(scope="module")
def car() -> Vehicle:
    return jv.load(COMPACT)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(COMPACT, tmp_path / "car")
    return tmp_path / "car"


def contents(folder: Path) -> dict[str, str]:
    return {
        file.relative_to(folder).as_posix(): file.read_text(encoding="utf-8")
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def without_source(car: Vehicle) -> Vehicle:
    return Vehicle.model_validate(to_raw(car))


# ---- units -----------------------------------------------------------------------------------------------


def test_the_same_car_in_millimetres_and_degrees_and_in_si(car: Vehicle, tmp_path: Path) -> None:
    without_source(car).save(tmp_path / "si.yaml")
    text = (tmp_path / "si.yaml").read_text(encoding="utf-8")
    assert " mm" not in text
    assert " deg" not in text
    si = jv.load(tmp_path / "si.yaml")
    assert si == car
    assert to_raw(si) == to_raw(car)


# ---- round trips -----------------------------------------------------------------------------------------


def test_an_unchanged_car_is_written_to_the_letter(car: Vehicle, tmp_path: Path) -> None:
    main = car.save(tmp_path / "copy")
    assert main == tmp_path / "copy" / "vehicle.yaml"
    assert contents(tmp_path / "copy") == contents(COMPACT)
    assert jv.load(tmp_path / "copy") == car


@pytest.mark.parametrize("target", ["folder", "one.yaml"])
def test_load_save_load_is_identical_bit_for_bit(car: Vehicle, tmp_path: Path, target: str) -> None:
    for source in (car, without_source(car)):
        source.save(tmp_path / target)
        again = jv.load(tmp_path / target)
        assert again == car
        assert to_raw(again) == to_raw(car)


CHANGES: list[dict[str, Any]] = [
    {"front_suspension.spring.rate": "32 N/mm"},
    {"front_suspension.toe.y[0]": "0.5 deg", "front_suspension.toe.scale": 1.2},
    {"front_suspension.toe": "-4 deg/m"},
    {"front_suspension.toe.right": {"rate": 0.1, "scale": 2}},
    {"front_suspension.side_view_angle": {"x": [-0.1, 0.1], "y": [-0.01, 0.01]}},
    {"front_suspension.camber.offset": 0},
    {"body.cg.x": -1 / 3, "body.mass": 1000 / 3},
    {"body.added_masses": None, "aero": None},
    {"body.added_masses[0].mass": 80},
    {"rear_suspension.dampers": [{"rate": 1}, {"force": {"x": [-1, 1], "y": [-1, 1]}, "right": {"rate": 3}}]},
    {"rear_suspension.spring.right": {"force": {"x": [0, 1, 2], "y": [0, 2, 4]}}},
    {"rear_suspension.spring.right": {"free_length": 0.4, "installed_length": 0.3}},
    {
        "rear_suspension.spring": {
            "type": "rotational", "rate": "50 N.m/deg", "free_length": "40 deg", "installed_length": 0, "ratio": 2,
        }
    },
    {"steering.camber": {"x": [-8, 8], "z": [-0.1, 0.1], "y": [[0.1, 0.2], [0.3, 1 / 3]]}},
    {"steering.input": "rack_travel", "steering.steer": "0.4 deg/mm"},
    {"steering.kingpin.right.caster": "5 deg", "drive": "all", "aero.wind": [3, 0, 0]},
    {"front_wheels.right": {"tire": "sedan_225_50r17"}, "rear_wheels.tire": "sedan_225_50r17"},
    {"aero.drag.force": {"x": [0, 1], "z": [0, 1], "y": [[1, 2], [3, 4]]}, "system.statics.time_step": 0.001},
    {"provenance.measured": "a: b # c", "name": "yes", "description": "two\nlines\n"},
]  # fmt: skip


@pytest.mark.parametrize("changes", CHANGES, ids=lambda c: "+".join(c))
def test_every_change_survives_every_way_of_writing(car: Vehicle, tmp_path: Path, changes: dict[str, Any]) -> None:
    changed = car.with_(**changes)
    assert changed != car
    for name, source in (("kept", changed), ("new", without_source(changed))):
        for target in (tmp_path / name, tmp_path / f"{name}.yaml"):
            source.save(target)
            again = jv.load(target)
            assert [str(d) for d in changed.diff(again)] == []
            assert again == changed


numbers = st.floats(1e-3, 1e4, allow_subnormal=False)
units_of_rate = st.sampled_from(["N/m", "N/mm", "kN/m"])


@given(
    rate=numbers, unit=units_of_rate, offset=st.floats(-0.1, 0.1), mass=numbers,
    table=st.lists(st.tuples(st.integers(-300, 300), st.floats(-1, 1)), min_size=2, max_size=9, unique_by=lambda p: p[0]
    ),
    right=st.none() | numbers, text=st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=20),
    dampers=st.lists(numbers, max_size=3),
)  # fmt: skip
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.slow
def test_drawn_cars_come_back_identical(
    car: Vehicle, tmp_path: Path, rate: float, unit: str, offset: float, mass: float,
    table: list[tuple[int, float]], right: float | None, text: str, dampers: list[float],
) -> None:  # fmt: skip
    x, y = zip(*sorted(table), strict=True)
    changes: dict[str, Any] = {
        "front_suspension.spring.rate": f"{rate!r} {unit}",
        "front_suspension.camber.offset": offset,
        "front_suspension.bump_stop.clearance": f"{mass!r} mm",
        "body.mass": mass,
        "rear_suspension.toe.x": [f"{value} mm" for value in x],
        "rear_suspension.toe.y": list(y),
        "front_suspension.spring.right.rate": right,
        "rear_suspension.dampers": [{"rate": c} for c in dampers],
        "description": text,
    }
    if right is None:
        del changes["front_suspension.spring.right.rate"]
    changed = car.with_(**changes)
    for source in (changed, without_source(changed)):
        for target in (tmp_path / "folder", tmp_path / "one.yaml"):
            shutil.rmtree(tmp_path / "folder", ignore_errors=True)
            source.save(target)
            assert jv.load(target) == changed


# ---- what a rewrite keeps --------------------------------------------------------------------------------


@pytest.mark.parametrize("number", ["-1e200 mm", "1e300 m"])
def test_a_point_beyond_all_computing_is_refused_by_the_file(folder: Path, number: str) -> None:
    text = (folder / "body.yaml").read_text()
    changed = text.replace("569 mm", number)
    assert changed != text
    (folder / "body.yaml").write_text(changed)
    with pytest.raises(JounceError, match=r"vehicle\.yaml|body\.yaml") as problem:
        jv.load(folder)
    assert "too large to compute with" in str(problem.value)


def test_a_rewrite_keeps_comments_order_and_units(folder: Path) -> None:
    before = contents(folder)
    car = jv.load(folder).with_(**{"front_suspension.spring.rate": "32 N/mm", "rear_suspension.toe.offset": "0.2 deg"})
    car.save()
    after = contents(folder)
    assert jv.load(folder) == car
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {"suspensions/front.yaml", "suspensions/rear.yaml"}
    for name, old, new in (
        ("suspensions/front.yaml", "rate: 26.6 N/mm", "rate: 32 N/mm"),
        ("suspensions/rear.yaml", "offset: 0.1 deg", "offset: 0.2 deg"),
    ):
        assert after[name] == before[name].replace(old, new)


def test_a_changed_table_is_rewritten_in_its_file_and_units(folder: Path) -> None:
    before = contents(folder)
    jv.load(folder).with_(**{"front_suspension.toe.y[1]": "0.35 deg"}).save()
    after = contents(folder)
    assert {name for name in before if before[name] != after[name]} == {"tables/front_toe.csv"}
    assert after["tables/front_toe.csv"] == before["tables/front_toe.csv"].replace("-80,0.33", "-80,0.35")


def test_saving_a_library_car_or_one_without_files_needs_a_place(car: Vehicle) -> None:
    with pytest.raises(ParameterError, match="say where to"):
        without_source(car).save()
    with pytest.raises(ParameterError, match="say where to"):
        car.clone("other").save()


def test_a_place_that_cannot_be_written_is_told(car: Vehicle, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FormatError, match="cannot be"):
        car.save(tmp_path / "file" / "below")


def test_shared_files_outside_the_folder_are_not_touched(tmp_path: Path) -> None:
    shutil.copytree(COMPACT, tmp_path / "car")
    shutil.move(tmp_path / "car" / "suspensions", tmp_path / "pool")
    text = (tmp_path / "car/vehicle.yaml").read_text().replace("suspensions/", "../pool/")
    (tmp_path / "car/vehicle.yaml").write_text(text)
    for file in (tmp_path / "pool").iterdir():
        file.write_text(file.read_text().replace("../tables", "../car/tables"))
    shared = contents(tmp_path / "pool")
    car = jv.load(tmp_path / "car")
    changed = car.with_(**{"front_suspension.spring.rate": 30000})
    changed.save()
    assert contents(tmp_path / "pool") == shared
    assert jv.load(tmp_path / "car") == changed
    main = (tmp_path / "car/vehicle.yaml").read_text()
    assert "front_suspension: front.yaml" in main
    assert "rear_suspension: ../pool/rear.yaml" in main


def test_one_file_used_twice_and_changed_once_becomes_two(folder: Path) -> None:
    rear = (folder / "suspensions/rear.yaml").read_text()
    (folder / "stop.yaml").write_text("clearance: 50 mm\nforce: 100 N/mm  # soft\n")
    head, _, tail = rear.partition("bump_stop:")
    tail = "rebound_stop:" + tail.partition("rebound_stop:")[2]
    tail = "bump_stop: ../stop.yaml\nrebound_stop: ../stop.yaml\nauxiliary" + tail.partition("auxiliary")[2]
    (folder / "suspensions/rear.yaml").write_text(head + tail)
    car = jv.load(folder)
    assert car.rear_suspension.bump_stop.clearance == car.rear_suspension.rebound_stop.clearance
    changed = car.with_(**{"rear_suspension.rebound_stop.clearance": "60 mm"})
    changed.save()
    assert jv.load(folder) == changed
    assert (folder / "stop.yaml").read_text() == "clearance: 50 mm\nforce: 100 N/mm  # soft\n"
    assert (folder / "stop_2.yaml").read_text() == "clearance: 60 mm\nforce: 100 N/mm  # soft\n"


# ---- columns of a file -----------------------------------------------------------------------------------

FRONT = "# strut\njounce,toe,camber,spring\nmm,deg,deg,mm\n-80,0.33,1.5,-75\n0,0,0,0\n80,-0.4,-1.75,76\n"


@pytest.fixture
def with_columns(folder: Path) -> Path:
    (folder / "tables/front.csv").write_text(FRONT)
    file = folder / "suspensions/front.yaml"
    text = file.read_text()
    for old, new in (
        (
            "toe: ../tables/front_toe.csv",
            "toe: {file: ../tables/front.csv, column: toe, offset: 0.1 deg}   # bump steer",
        ),
        ("camber: {rate: -15 deg/m, offset: -0.5 deg}", "camber: {file: ../tables/front.csv, column: camber}"),
        ("preload: 3879 N\n  ratio: 0.95", "preload: 3879 N\n  ratio: {file: ../tables/front.csv, column: spring}"),
    ):
        assert old in text
        text = text.replace(old, new)
    file.write_text(text)
    (folder / "tables/front_toe.csv").unlink()
    return folder


def test_unchanged_columns_are_written_to_the_letter(with_columns: Path, tmp_path: Path) -> None:
    car = jv.load(with_columns)
    assert car.front_suspension.toe.curve.y[0] == pytest.approx(math.radians(0.33), rel=1e-15)
    car.save(tmp_path / "saved")
    car.clone(car.name, tmp_path / "cloned")
    for copy in ("saved", "cloned"):
        assert contents(tmp_path / copy) == contents(with_columns)
        assert jv.load(tmp_path / copy) == car
    car.publish(tmp_path / "published")
    assert jv.load(tmp_path / "published") == car
    assert (tmp_path / "published/tables/front.csv").read_text() == FRONT
    assert car.diff(jv.load(tmp_path / "published")) == []


def test_what_stands_beside_a_column_changes_alone(with_columns: Path) -> None:
    before = contents(with_columns)
    car = jv.load(with_columns).with_(**{"front_suspension.toe.offset": "0.2 deg", "front_suspension.spring.rate": 3e4})
    car.save()
    after = contents(with_columns)
    assert jv.load(with_columns) == car
    assert set(after) == set(before)
    assert "toe: {file: ../tables/front.csv, column: toe, offset: 0.2 deg}" in after["suspensions/front.yaml"]
    assert after["tables/front.csv"] == FRONT


def test_a_changed_column_gets_a_file_of_its_own(with_columns: Path, tmp_path: Path) -> None:
    car = jv.load(with_columns).with_(**{"front_suspension.toe.y[0]": "0.35 deg"})
    car.save(tmp_path / "other")
    car.save()
    for folder in (with_columns, tmp_path / "other"):
        after = contents(folder)
        assert jv.load(folder) == car
        assert after["tables/front.csv"] == FRONT
        assert after["tables/front_toe.csv"] == "# strut\njounce,toe\nmm,deg\n-80,0.35\n0,0\n80,-0.4\n"
        assert "toe: {file: ../tables/front_toe.csv, offset: 0.1 deg} " in after["suspensions/front.yaml"]
        assert "# bump steer" in after["suspensions/front.yaml"]


def test_a_column_that_becomes_a_rate_leaves_the_file(with_columns: Path) -> None:
    changes = {"front_suspension.camber.rate": "-12 deg/m", "front_suspension.spring.ratio": 0.9}
    car = jv.load(with_columns).with_(**changes)
    car.save()
    assert jv.load(with_columns) == car
    after = contents(with_columns)
    assert "camber: {rate: " in after["suspensions/front.yaml"]
    assert after["suspensions/front.yaml"].count("column:") == 1


def test_a_column_goes_out_and_comes_back(with_columns: Path, tmp_path: Path) -> None:
    car = jv.load(with_columns)
    car.export_curve("front_suspension.toe", tmp_path / "toe.csv", ("mm", "deg"))
    assert (tmp_path / "toe.csv").read_text().splitlines()[1:] == ["x,y", "mm,deg", "-80,0.33", "0,0", "80,-0.4"]
    assert car.import_curve("front_suspension.toe", tmp_path / "toe.csv") == car


def test_the_right_side_may_have_another_column(with_columns: Path, tmp_path: Path) -> None:
    file = with_columns / "suspensions/front.yaml"
    file.write_text(file.read_text().replace("column: toe, offset", "column: toe, right: {column: camber}, offset"))
    car = jv.load(with_columns)
    right = car.front_suspension.toe.right
    assert right is not None and right.curve == car.front_suspension.camber.curve
    assert right.offset == car.front_suspension.toe.offset
    car.save(tmp_path / "saved")
    assert jv.load(tmp_path / "saved") == car
    car.save(tmp_path / "one.yaml")
    assert jv.load(tmp_path / "one.yaml") == car


@pytest.mark.parametrize("name", ["sedan", "light_truck"])
def test_a_library_car_comes_back_from_every_way_of_writing(name: str, tmp_path: Path) -> None:
    car = jv.load(name)
    car.save(tmp_path / "saved")
    original = {k: v for k, v in contents(LIBRARY / "vehicles" / name).items() if not k.endswith(".json")}
    assert contents(tmp_path / "saved") == original
    for target in ("published", "whole.yaml", "new"):
        if target == "published":
            car.publish(tmp_path / target)
        elif target == "new":
            without_source(car).save(tmp_path / target)
        else:
            car.save(tmp_path / target)
        assert jv.load(tmp_path / target) == car
    changed = car.with_(**{"front_suspension.spring.rate": "70 N/mm", "steering.steer.scale": 0.9})
    changed.save(tmp_path / "changed")
    assert jv.load(tmp_path / "changed") == changed


# ---- clone and publish -----------------------------------------------------------------------------------


@pytest.fixture
def with_tire(folder: Path) -> Path:
    """The example with a tire file of its own and the aerodynamics in a file."""
    (folder / "tires").mkdir()
    shutil.copy(TIRE, folder / "tires" / "own.tir")
    main = (folder / "vehicle.yaml").read_text().replace("compact_205_55r16", "tires/own.tir")
    head, _, aero = main.partition("aero:\n")
    (folder / "aero.yaml").write_text("".join(f"{line[2:]}\n" for line in aero.splitlines()))
    (folder / "vehicle.yaml").write_text(head + "aero: aero.yaml\n")
    return folder


def test_a_clone_owns_its_elements_and_shares_tires_and_aerodynamics(with_tire: Path, tmp_path: Path) -> None:
    car = jv.load(with_tire)
    before = contents(with_tire)
    clone = car.clone("sister", tmp_path / "sister")
    assert clone.name == "sister"
    assert [d.path for d in clone.diff(car)] == ["name"]
    assert not (tmp_path / "sister/aero.yaml").exists()
    assert "aero: ../car/aero.yaml" in (tmp_path / "sister/vehicle.yaml").read_text()
    assert clone.front_wheels.tire.path == with_tire / "tires/own.tir"
    clone.with_(**{"front_suspension.spring.rate": 1e5, "front_suspension.toe.y[0]": 0.1}).save()
    assert contents(with_tire) == before
    assert jv.load(with_tire) == car


def test_a_clone_is_usable_before_it_is_saved(with_tire: Path, tmp_path: Path) -> None:
    clone = jv.load(with_tire).clone("sister").with_(**{"body.mass": 1000})
    assert not (tmp_path / "sister").exists()
    clone.save(tmp_path / "sister")
    assert jv.load(tmp_path / "sister") == clone


def test_a_published_car_is_complete(with_tire: Path, tmp_path: Path) -> None:
    car = jv.load(with_tire)
    car.publish(tmp_path / "published")
    shutil.move(tmp_path / "published", tmp_path / "elsewhere")
    shutil.rmtree(with_tire)
    again = jv.load(tmp_path / "elsewhere")
    assert again == car
    assert again.front_wheels.tire.path == tmp_path / "elsewhere/tires/own.tir"
    assert (tmp_path / "elsewhere/aero.yaml").is_file()


def test_publishing_takes_library_tires_along(car: Vehicle, tmp_path: Path) -> None:
    for name, source in (("kept", car), ("new", without_source(car))):
        source.publish(tmp_path / name)
        again = jv.load(tmp_path / name)
        assert again == car
        assert again.rear_wheels.tire.path == tmp_path / name / "tires" / TIRE.name


def test_clone_and_publish_never_land_on_the_original(folder: Path) -> None:
    car = jv.load(folder)
    for act in (lambda: car.clone("x", folder), lambda: car.publish(folder)):
        with pytest.raises(ParameterError, match="choose another folder"):
            act()


def test_equal_tires_are_equal_wherever_they_lie(with_tire: Path) -> None:
    own, library = jv.load(with_tire), jv.load(COMPACT)
    assert own == library
    (with_tire / "tires/own.tir").write_text(TIRE.read_text() + "$ other\n")
    assert [d.path for d in jv.load(with_tire).diff(library)] == ["front_wheels.tire", "rear_wheels.tire"]


# ---- subsystems ------------------------------------------------------------------------------------------


def test_swap_and_back_restores_the_car(car: Vehicle, folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "stiff.yaml"
    text = (folder / "suspensions/front.yaml").read_text().replace("26.6 N/mm", "50 N/mm")
    other.write_text(text.replace("../tables", "car/tables"))
    swapped = jv.load(folder).with_subsystem("front_suspension", other)
    assert [d.path for d in car.diff(swapped)] == ["front_suspension.spring.rate"]
    assert swapped.with_subsystem("front_suspension", folder / "suspensions/front.yaml") == car
    assert swapped.with_subsystem("front_suspension", car) == car
    assert swapped.with_subsystem("front_suspension", car.front_suspension) == car


def test_a_swapped_subsystem_is_referred_to_when_saved(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "stiff.yaml"
    text = (folder / "suspensions/front.yaml").read_text().replace("26.6 N/mm", "50 N/mm")
    other.write_text(text.replace("../tables", "car/tables"))
    swapped = jv.load(folder).with_subsystem("front_suspension", other)
    swapped.save()
    assert "front_suspension: ../stiff.yaml" in (folder / "vehicle.yaml").read_text()
    assert "26.6 N/mm" in (folder / "suspensions/front.yaml").read_text()
    assert jv.load(folder) == swapped


def test_a_bad_swap_is_refused(car: Vehicle, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="no subsystem; did you mean 'front_suspension'"):
        car.with_subsystem("front_suspensions", car)
    with pytest.raises(FormatError, match="no such file; searched"):
        car.with_subsystem("body", tmp_path / "none.yaml")
    with pytest.raises(ParameterError, match="expected Body, found Suspension"):
        car.with_subsystem("body", car.front_suspension)
    with pytest.raises(ParameterError, match="does not fit this vehicle"):
        car.with_subsystem("rear_suspension", car.front_suspension)


# ---- fuzz ------------------------------------------------------------------------------------------------

MAIN = (COMPACT / "vehicle.yaml").read_text(encoding="utf-8")


@given(
    cut=st.tuples(st.integers(0, len(MAIN)), st.integers(0, 40)),
    insert=st.text(max_size=12)
    | st.sampled_from(
        ["\n  - ", ": ", "{", "]", "&a ", "*a", "!!x ", "? ", "|\n", "'", '"', "nan", "1e999", "-", "\t", "%"]
    ),
)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_spoiled_files_load_or_are_refused_and_nothing_else(folder: Path, cut: tuple[int, int], insert: str) -> None:
    start, length = cut
    text = MAIN[:start] + insert + MAIN[start + length :]
    (folder / "vehicle.yaml").write_text(text, encoding="utf-8", errors="replace")
    try:
        jv.load(folder)
    except JounceError as problem:
        assert str(problem)


@given(raw=st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
), path=st.sampled_from([
    "body", "body.mass", "body.cg", "body.added_masses", "front_suspension.toe", "front_suspension.spring",
    "front_suspension.dampers", "front_suspension.spring.ratio", "steering", "steering.steer", "front_wheels.tire",
    "brakes.front.right", "drive", "aero.drag.force", "system.splines", "provenance", "rear_suspension.toe.right",
]))  # fmt: skip
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_value_anywhere_is_taken_or_refused_and_nothing_else(car: Vehicle, raw: Any, path: str) -> None:
    try:
        car.with_(**{path: raw})
    except JounceError as problem:
        assert str(problem)
