"""Open vehicles: changes, undo, copies, files, and what the session keeps of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import jounce as jn
from jounce.app.build.document import Document, merged
from jounce.app.build.values import number_text, offered, usual_unit
from jounce.app.workbench import Workbench
from jounce.app.worker import vehicle_of
from jounce.core.errors import FormatError, ParameterError
from jounce.core.fields import to_raw
from jounce.core.units import convert

RATE, TRACK = "front_suspension.spring.rate", "rear_suspension.track"


@pytest.fixture
def workbench(tmp_path: Path) -> Iterator[Workbench]:
    found = Workbench(tmp_path / "work")
    yield found
    found._held.close()


@pytest.fixture
def sedan(workbench: Workbench) -> Document:
    return workbench.documents.open("sedan")


def again(workbench: Workbench) -> Workbench:
    """Another workbench of the same folder, as after a crash: nobody said good-bye."""
    workbench._held.close()
    return Workbench(workbench.folders.main)


def test_a_change_is_one_difference_and_the_library_stays(sedan: Document) -> None:
    sedan.change({RATE: "60 N/mm"})
    (found,) = sedan.differences()
    assert (found.path, found.ours, found.theirs) == (RATE, 66900.0, 60000.0)
    assert sedan.dirty and not sedan.writable
    assert jn.load("sedan").front_suspension.spring.rate == 66900.0


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        (RATE, "-5 N/mm", "must be > 0 N/m"),
        (RATE, "5 kg", "found kg (kg), expected N/m"),
        (RATE, "stiff", "does not begin with a number"),
        ("front_suspension.sprung.rate", "5 N/mm", "did you mean 'spring'"),
        ("front_suspension.dampers[7].scale", 2, "has 1 entries"),
        ("front_wheels.tire", "/etc/passwd", "outside the folders"),
    ],
)
def test_what_is_refused_says_why_and_leaves_everything(sedan: Document, path: str, value: Any, told: str) -> None:
    sedan.change({RATE: "60 N/mm"})
    before = sedan.vehicle
    with pytest.raises((ParameterError, FormatError)) as refused:
        sedan.change({path: value})
    assert told in str(refused.value) and "problem in the changes" not in str(refused.value)
    assert sedan.vehicle is before and (sedan.position, len(sedan.steps)) == (1, 1)


def test_an_odd_value_is_told_and_taken(sedan: Document) -> None:
    (doubt,) = sedan.change({RATE: "66.9 N/m"})
    assert "did you mean 66.9 N/mm" in doubt
    assert sedan.vehicle.front_suspension.spring.rate == 66.9
    assert sedan.change({TRACK: "1.6 m"}) == []  # told once, not again with every step


def test_undo_and_redo_go_through_all_states(sedan: Document) -> None:
    states = [sedan.vehicle]
    for k in range(1, 5):
        sedan.change({RATE: 60000.0 + 100 * k, TRACK: 1.5 + 0.01 * k})
        states.append(sedan.vehicle)
    for expected in reversed(states[:-1]):
        sedan.undo()
        assert sedan.vehicle == expected
    sedan.undo()
    assert sedan.vehicle == states[0] and not sedan.can_undo
    for expected in states[1:]:
        sedan.redo()
        assert sedan.vehicle == expected
    sedan.undo()
    sedan.change({RATE: "50 N/mm"})
    assert not sedan.can_redo and len(sedan.steps) == 4  # a new step is the end of what was taken back


def test_what_changes_nothing_is_no_step(sedan: Document) -> None:
    sedan.change({RATE: "66.9 N/mm"})
    assert sedan.position == 0 and not sedan.dirty


def test_a_value_goes_back_to_what_was_read(sedan: Document) -> None:
    sedan.change({RATE: "60 N/mm", "front_suspension.toe.offset": "1 deg"})
    sedan.reset(RATE)
    assert [item.path for item in sedan.differences()] == ["front_suspension.toe.offset"]
    curve = "front_suspension.toe.curve"
    sedan.change({curve: {"x": [-0.1, 0.1], "y": [0.01, -0.02]}})
    sedan.reset(curve)
    assert [item.path for item in sedan.differences()] == ["front_suspension.toe.offset"]


def test_a_run_is_asked_for_what_is_shown(sedan: Document) -> None:
    sedan.change({RATE: "60 N/mm"})
    sedan.change({RATE: "55 N/mm", "rear_suspension.anti_roll_bar.scale": 0.5})
    request = sedan.request()
    sedan.change({RATE: "1 N/mm"})
    found = vehicle_of(request["source"], request["steps"])
    assert (found.front_suspension.spring.rate, found.rear_suspension.anti_roll_bar.scale) == (55000.0, 0.5)
    assert request["changes"] == {RATE: "55 N/mm", "rear_suspension.anti_roll_bar.scale": "0.5"}


def test_a_copy_has_its_own_life(workbench: Workbench, sedan: Document) -> None:
    sedan.change({RATE: "60 N/mm"})
    copy = workbench.documents.duplicate(sedan.id, "softer")
    copy.change({RATE: "50 N/mm"})
    assert sedan.vehicle.front_suspension.spring.rate == 60000.0
    assert copy.dirty and copy.label == "softer"
    assert [item.path for item in copy.differences()] == [RATE]
    assert len(sedan.steps) == 1 and not sedan.can_redo
    with pytest.raises(ParameterError, match="save it under a name"):
        copy.save()
    place = copy.save_as("softer")
    assert place == workbench.folders.main / "vehicles" / "softer"
    assert not copy.dirty and copy.writable and jn.load(place).front_suspension.spring.rate == 50000.0
    assert jn.load("sedan").diff(jn.load(place))[0].path == "name"
    with pytest.raises(ParameterError, match="is there already"):
        sedan.save_as("softer")


def test_two_vehicles_are_edited_and_saved_apart(workbench: Workbench, sedan: Document) -> None:
    other = workbench.documents.open("suv")
    places = [sedan.save_as("one"), other.save_as("two")]
    sedan.change({RATE: "60 N/mm"})
    other.change({RATE: "70 N/mm"})
    sedan.save()
    assert [jn.load(place).front_suspension.spring.rate for place in places] == [
        60000.0,
        jn.load("suv").front_suspension.spring.rate,
    ]
    assert not sedan.dirty and other.dirty
    other.save()
    assert jn.load(places[1]).front_suspension.spring.rate == 70000.0


def test_a_part_is_added_saved_and_read_again(sedan: Document) -> None:
    dampers = [to_raw(item) for item in sedan.vehicle.rear_suspension.dampers]
    sedan.change({"rear_suspension.dampers": [*dampers, {"name": "helper", "rate": "300 N.s/m"}]})
    expected = sedan.vehicle
    place = sedan.save_as("more")
    assert expected.diff(jn.load(place))[0].path == "name" and len(expected.diff(jn.load(place))) == 1
    assert jn.load(place).rear_suspension.dampers[1].rate == 300.0


def test_saving_keeps_comments_and_does_not_overwrite_what_others_wrote(workbench: Workbench, sedan: Document) -> None:
    place = sedan.save_as("mine")
    file = place / "front_suspension.yaml"
    file.write_text(f"# my own words\n{file.read_text()}")
    sedan.reload()
    sedan.change({RATE: "60 N/mm"})
    sedan.save()
    assert file.read_text().startswith("# my own words") and "60 N/mm" in file.read_text().replace("60.0", "60")
    assert not sedan.dirty and not sedan.can_undo
    sedan.change({RATE: "61 N/mm"})
    later = file.stat().st_mtime_ns + 1_000_000_000
    os.utime(file, ns=(later, later))
    with pytest.raises(ParameterError, match="changed on disk"):
        sedan.save()


@pytest.mark.parametrize("name", ["", "  ", "../up", "a/b", ".hidden", "x" * 81, "nul\0l"])
def test_names_do_not_lead_elsewhere(workbench: Workbench, sedan: Document, name: str) -> None:
    with pytest.raises(ParameterError):
        sedan.save_as(name)
    with pytest.raises(ParameterError):
        sedan.save_as("good", "library/vehicles")
    assert not list(workbench.folders.main.glob("vehicles/*"))


def test_all_is_there_again_after_a_crash(workbench: Workbench, sedan: Document) -> None:
    sedan.change({RATE: "60 N/mm"})
    sedan.change({"front_suspension.toe.curve": {"x": [-80, 80], "y": [0.5, -0.5], "units": ["mm", "deg"]}})
    sedan.change({TRACK: "1.5 m"})
    sedan.undo()
    copy = workbench.documents.duplicate(sedan.id)
    expected = sedan.vehicle
    found = list(again(workbench).documents)
    assert [(item.id, item.label) for item in found] == [(sedan.id, "sedan"), (copy.id, "sedan copy")]
    assert found[0].vehicle == expected and found[1].vehicle == expected
    assert found[0].can_redo
    found[0].redo()
    assert found[0].vehicle.rear_suspension.track == 1.5


def test_a_file_that_is_gone_is_told_and_does_not_stop_the_rest(workbench: Workbench, sedan: Document) -> None:
    place = sedan.save_as("mine")
    workbench.documents.open("suv")
    (place / "vehicle.yaml").unlink()
    found = list(again(workbench).documents)
    assert [item.label for item in found] == ["mine", "suv"]
    with pytest.raises(FormatError, match=r"vehicle\.yaml"):
        _ = found[0].vehicle
    assert found[1].vehicle.name == "suv"


def test_opening_twice_is_opening_once(workbench: Workbench, sedan: Document) -> None:
    assert workbench.documents.open("sedan") is sedan
    assert workbench.documents.open(str(jn.core.library.LIBRARY / "vehicles" / "sedan")) is sedan
    with pytest.raises(ParameterError, match="outside the registered folders"):
        workbench.documents.open("/etc")


def test_steps_merge_into_what_they_mean() -> None:
    assert list(merged([{"a": 1, "b": 2}, {"a": 3}]).items()) == [("b", 2), ("a", 3)]


@pytest.mark.parametrize("unit", ["m", "rad", "N/m", "kg.m2", "Pa", "-", "N.m/rad", "N/(m/s)", "1/(N.m)"])
def test_units_that_are_offered_measure_the_same(unit: str) -> None:
    assert usual_unit(unit) == offered(unit)[0]
    for other in offered(unit):
        assert convert(convert(3.7, unit, other), other, unit) == pytest.approx(3.7, rel=1e-12)


def test_numbers_are_shown_as_people_write_them() -> None:
    assert number_text(66900.0, "N/m", "N/mm") == "66.9"
    assert number_text(1.57, "m", "mm") == "1570"
    assert number_text(-0.0, "rad", "deg") in ("0", "-0")
