"""Events as forms and plans, without a browser."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from jounce.app.test import events, plan
from jounce.app.workbench import Workbench
from jounce.core.errors import JounceError, ParameterError
from jounce.core.fields import meta
from jounce.core.units import convert
from jounce.events.registry import classes, find
from jounce.study.plan import Plan

KINDS = [cls.kind for cls in classes() if cls.__module__.startswith("jounce.")]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    yield Workbench(tmp_path)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "manoeuvre"])  # its file says what is not given
def test_a_form_of_defaults_is_the_event_of_defaults(kind: str) -> None:
    about = events.describe(kind)
    written = {f["name"]: f"{f['default']} {f['unit']}".strip() for f in about["fields"] if f["default"]}
    event, errors, _ = events.check(kind, written)
    blank, none, _ = events.check(kind, {})
    assert errors == none
    if blank is None or event is None:  # events that have no meaning without a file: the message names it
        assert none
        return
    for name, (value, unit) in blank.parameters().items():
        same = event.parameters()[name][0]
        assert same == value or (unit and math.isclose(same, value, rel_tol=1e-9, abs_tol=1e-12)), name


@pytest.mark.parametrize("kind", KINDS)
def test_every_number_has_the_unit_of_the_class_and_help(kind: str) -> None:
    cls = find(kind)
    for field in events.describe(kind)["fields"]:
        unit = str(meta(cls.model_fields[field["name"]]).get("unit", ""))
        assert field["doc"], field["name"]
        for shown in field["units"]:
            assert math.isfinite(convert(1.0, shown, unit)), (field["name"], shown)
    names = {f["name"] for f in events.describe(kind)["fields"]}
    left = {n for n in cls.model_fields if n not in names}
    assert left <= {"accept", "manoeuvre", "remarks", "folder", "parameters_from"}


@pytest.mark.parametrize("kind", KINDS)
def test_presets_fill_the_form(kind: str) -> None:
    for name in events.describe(kind)["presets"]:
        event, errors, _ = events.check(kind, events.preset(kind, name))
        assert not errors and event is not None
        wanted = find(kind).preset(name)
        for key, (value, unit) in wanted.parameters().items():
            same = event.parameters()[key][0]
            assert same == value or (unit and math.isclose(same, value, rel_tol=1e-9)), (name, key)


def test_a_value_that_is_refused_says_why_at_its_field() -> None:
    event, errors, _ = events.check("step-steer", {"amplitude": "abc", "end_time": "-1", "speed": "80 kg"})
    assert event is None
    assert set(errors) == {"amplitude", "end_time", "speed"}
    assert "number" in errors["amplitude"] and "> 0" in errors["end_time"] and "kg" in errors["speed"]
    _, late, _ = events.check("step-steer", {"end_time": "0.5"})
    assert "start_time" in " ".join(late.values())


def test_a_number_alone_has_the_unit_that_stands_beside_it() -> None:
    event, _, _ = events.check("step-steer", {"speed": "90", "amplitude": "-45"})
    assert event is not None
    assert event.speed == pytest.approx(25.0)
    assert event.parameters()["amplitude"][0] == pytest.approx(-math.pi / 4)


def test_what_is_unusual_is_doubted_and_still_runs() -> None:
    event, errors, doubts = events.check("step-steer", {"speed": "300 m/s"})
    assert event is not None and not errors
    assert set(doubts) == {"speed"}


def test_values_move_between_units() -> None:
    assert events.shown_in("72 km/h", "m/s") == "20 m/s"
    assert events.shown_in("-1.5e1 deg", "deg") == "-15 deg"
    with pytest.raises(ParameterError, match="not a number"):
        events.shown_in("fast", "m/s")


def test_a_file_of_a_registered_folder_goes_by_its_whole_path(bench: Workbench) -> None:
    road = bench.folders.main / "my.yaml"
    road.write_text("x", encoding="utf-8")
    raw = events.raw_of("step-steer", {"road": f"{bench.folders.main_alias}/my.yaml"}, bench.folders)
    assert raw["road"] == str(road)
    assert events.raw_of("step-steer", {"road": "handling"}, bench.folders)["road"] == "handling"
    assert events.raw_of("step-steer", {"road": "../../etc/passwd"}, bench.folders)["road"] == "../../etc/passwd"


# --- plans -----------------------------------------------------------------------------------------------------------


def test_a_plan_queues_events_times_vehicles_in_the_order_of_the_study(bench: Workbench) -> None:
    plan.add(bench, "step-steer", {"speed": "80 km/h"})
    plan.add(bench, "straight-braking", {})
    off = plan.copy(bench, "t1")
    off["off"] = True
    chosen = ["veh:sedan", "veh:suv"]
    wanted = plan.as_plan(bench, chosen).items
    ids = plan.submit(bench, chosen, {})
    assert len(ids) == 4 == len(wanted)
    from jounce.app.runs import read_job

    jobs = [read_job(bench.runs.folder / id) for id in ids]
    assert [(j["event"]["event"], j["vehicle"]["name"]) for j in jobs] == [
        ("step-steer", "sedan"), ("step-steer", "suv"), ("straight-braking", "sedan"), ("straight-braking", "suv"),
    ]  # fmt: skip
    assert [j["event"] for j in jobs] == [
        item.case.event.to_dict() for item in wanted if not isinstance(item.case.event, str)
    ]
    assert jobs[0]["event"]["speed"] == pytest.approx(80 / 3.6)


def test_an_open_vehicle_is_run_with_its_changes(bench: Workbench) -> None:
    document = bench.documents.open("sedan")
    document.change({"front_suspension.anti_roll_bar.scale": 0.5})
    assert next(iter(plan.vehicles(bench).values())).endswith("(changed)")
    asked = plan.request(bench, f"doc:{document.id}")
    assert asked["steps"] == [{"front_suspension.anti_roll_bar.scale": 0.5}]
    plan.add(bench, "step-steer", {})
    (item,) = plan.as_plan(bench, [f"doc:{document.id}"]).items
    assert dict(item.case.changes) == {"front_suspension.anti_roll_bar.scale": 0.5}


def test_nothing_is_queued_where_one_test_is_wrong(bench: Workbench) -> None:
    plan.add(bench, "step-steer", {})
    plan.add(bench, "weave", {"end_time": "-3"})
    with pytest.raises(JounceError, match="end_time"):
        plan.submit(bench, ["veh:sedan"], {})
    assert not bench.jobs.queue
    with pytest.raises(ParameterError, match="not known"):
        plan.submit(bench, ["veh:no_such"], {}, ["t1"])


def test_a_saved_plan_is_one_that_the_command_runs_and_comes_back(bench: Workbench) -> None:
    plan.add(bench, "step-steer", {"speed": "80 km/h", "amplitude": "30 deg"}, "brisk")
    plan.add(bench, "weave", {})
    file = plan.save(bench, "two tests", ["veh:sedan"])
    items = Plan.read(file).items
    assert [(item.event, item.vehicle) for item in items] == [("brisk", "sedan"), ("weave", "sedan")]
    before = [dict(test) for test in plan.tests(bench)]
    plan.tests(bench).clear()
    assert plan.open_file(bench, file) == []
    after = plan.tests(bench)
    assert [t["name"] for t in after] == [t["name"] for t in before]
    assert after[0]["values"] == {"speed": "80 km/h", "amplitude": "30 deg"}


def test_the_table_shows_the_first_four_parameters_and_what_is_wrong(bench: Workbench) -> None:
    test = plan.add(bench, "step-steer", {"amplitude": "30 deg", "grade": "0.1", "speed": "x"})
    row = plan.row(test)
    assert [cell["name"] for cell in row["cells"]] == ["speed", "amplitude", "lateral_acceleration", "rate"]
    assert [cell["value"] for cell in row["cells"]] == ["x", "30", "", ""]
    assert row["cells"][0]["error"] and row["cells"][1]["set"]
    assert row["title"] == "Step steer, 1 more set"
