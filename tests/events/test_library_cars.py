"""Every event on every car of the library: it runs, and its key figures are plausible or the reason is known."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from html import escape
from typing import Any

import numpy as np
import pytest

import jounce as jn
from cars import library_cars
from jounce import events
from jounce.app.plots import layout
from jounce.core.errors import JounceError
from jounce.core.units import convert
from jounce.events.outcome import NO_COMPLIANCE
from jounce.results import words
from jounce.results.display import number
from jounce.results.motion import motion
from jounce.results.panels import panels
from jounce.results.plausibility import ranges_of
from jounce.results.report import extremes, render
from jounce.results.run import Run
from jounce.vehicle.reading import library_names, load
from trains import car_trailer

SHORTER: dict[str, dict[str, Any]] = {
    "cycle": {"end_time": 130.0},
    "roll-stability": {"first_speed": 13.0},  # the last steps of its ladder
    "trailer-sway": {"first_speed": 25.0},
}
EVENTS = [name for name in events.names() if name != "coast-down"]  # long; one car is enough


# Cars that an event refuses, with what it says.
REFUSED = {
    ("side-wind", "formula"): "is no area; give it side and yaw",
    # it rolls over at less than 4 m/s²
    ("step-steer", "tractor_semitrailer"): "no hand wheel angle gives 4 m/s² at 100 km/h",
}

# Runs that end early, as they should, with what ends them.
ENDS = {("turning-circle", "tractor_semitrailer"): "units touch"}  # at full lock it has no steady turn


def refusal(event: str, car: str) -> str:
    """With what words an event refuses a car; nothing where it takes it."""
    return REFUSED.get((event, car), "") or re.escape(usual(event).refuses(load(car)))


def usual(event: str) -> events.Event:
    return events.find(event)(**SHORTER.get(event, {}))


def having_reports(event: str) -> str:
    """A car whose run makes a report."""
    return "sedan" if not refusal(event, "sedan") else ""


@lru_cache
def result(car: str, event: str) -> Run:
    return jn.run(load(car) if car else car_trailer(), usual(event))


def marks(car: str) -> list[pytest.MarkDecorator]:
    """All events on one car are enough for every day."""
    return [] if car == "sedan" else [pytest.mark.slow]


@pytest.mark.parametrize(
    ("event", "car"),
    [pytest.param(e, c, marks=marks(c)) for e in EVENTS for c in library_names()],
)
def test_it_runs(car: str, event: str) -> None:
    if refused := refusal(event, car):
        with pytest.raises(JounceError, match=refused):
            result(car, event)
        return
    run = result(car, event)
    if (event, car) in ENDS:
        assert ENDS[event, car] in run.reason
        return
    assert run.complete or run.verdict.word == "fail", run.metadata["reason"]  # a car may be too slow for a course
    assert run.kpis and any(math.isfinite(value) for value, _ in run.kpis.values())


@pytest.mark.parametrize("event", EVENTS)
def test_every_event_has_a_report_with_its_figures_and_plots(event: str) -> None:
    run = result(having_reports(event), event)
    page = render(run)
    told = [words.figure(key, run.event) for key, (value, _) in run.kpis.items() if math.isfinite(value)]
    assert told and all(escape(text) in page for text in told)
    assert page.count("<canvas") >= 3


def for_pages() -> list[Any]:
    """Events with the sedan; those of what is towed with a longer model."""
    return [pytest.param(name, marks=[pytest.mark.slow] if refusal(name, "sedan") else []) for name in EVENTS]


@pytest.mark.parametrize("event", for_pages())
def test_every_event_fills_the_pages_that_the_workbench_shows_it_with(event: str) -> None:
    """Every plot of the usual pages has curves of numbers, some of them move, and the replay has poses. The driver of
    a cycle steers nothing: what turns is left out of its record."""
    car = "car_caravan" if refusal(event, "sedan") else "sedan"
    run = result(car, event)
    moving, missing = set(), []
    for page in layout.usual():
        for panel in page["panels"]:
            groups = [layout.resolve(run.names, name, run.metadata.get("signals")) for name in panel["y"]]
            across = layout.resolve(run.names, panel["x"], run.metadata.get("signals")) if panel["x"] else ["time"]
            if not (groups[0] and across):
                missing.append((page["title"], panel["y"]))
            for name in (name for group in groups for name in group):
                values = run[name]
                assert np.isfinite(values).any(), (page["title"], name)
                if np.nanmax(values) - np.nanmin(values) > 1e-6 * max(1.0, np.nanmax(np.abs(values))):
                    moving.add(page["title"])
    assert {"Vehicle", "Tires", "Suspension"} & moving
    assert not missing or event == "cycle", missing
    if event != "cycle":
        moved = motion(run.time, run)
        assert moved.bodies[1:5] == ("L1", "R1", "L2", "R2") and moved.tires and np.isfinite(moved.position).all()


def test_the_report_of_a_ramp_steer_has_its_table_and_its_figures() -> None:
    """Smallest and largest of eight signals, the last time, and six figures, all from the channels."""
    run = result("sedan", "ramp-steer")
    text = render(run)
    table = text[text.index("<h2>Extremes") :]
    wanted = {
        "speed": (run.signal("speed"), 3.6), "steering": (run.signal("steering"), 180 / math.pi),
        "hand_torque": (run.signal("hand_torque"), 1.0), "roll": (run.signal("roll"), 180 / math.pi),
        "pitch": (run.signal("pitch"), 180 / math.pi), "yaw_rate": (run.signal("yaw_rate"), 180 / math.pi),
        "longitudinal_acceleration": (run.signal("longitudinal_acceleration"), 1 / 9.80665),
        "lateral_acceleration": (run.signal("lateral_acceleration"), 1 / 9.80665),
    }  # fmt: skip
    found = {item.signal: item for item in extremes(run)}
    for name, (values, factor) in wanted.items():
        for told, value in ((found[name].low, values.min()), (found[name].high, values.max())):
            assert told == pytest.approx(factor * value, rel=1e-9, abs=1e-9), name
            assert number(told) in table, name
    assert f"{number(float(run.time[-1]))} s simulated" in text
    drawn = {(panel.xunit, panel.title): panel.curves[0] for panel in panels([run], [""], "engineering")}
    begin = run.number("start_time", "s")
    steering, lateral = np.degrees(run.signal("steering")), run.signal("lateral_acceleration") / 9.80665
    for across, up, y in (
        ("deg", "Lateral acceleration", lateral), ("deg", "Steering wheel torque", run.signal("hand_torque")),
        ("s", "Steering wheel angle", steering), ("s", "Lateral acceleration", lateral),
        ("s", "Speed", 3.6 * run.signal("speed")), ("s", "Roll angle", np.degrees(run.signal("roll"))),
    ):  # fmt: skip
        curve = next(c for (unit, title), c in drawn.items() if unit == across and title.startswith(up))
        rows = np.isin(np.round(y, 9), np.round(curve.y, 9))
        assert rows.sum() >= 0.9 * len(curve.y) > 50, (across, up)
        if across == "deg":
            np.testing.assert_allclose(np.interp(curve.x[5:-5], steering, y), curve.y[5:-5], atol=1e-6)
    assert begin > 0


@pytest.mark.parametrize("car", [pytest.param(c, marks=marks(c)) for c in library_names()])
def test_key_figures_are_plausible(car: str, capsys: pytest.CaptureFixture[str]) -> None:
    outside = []
    with capsys.disabled():
        done = [result(car, event) for event in EVENTS if not refusal(event, car)]
        for run in [*done, jn.run(load(car), events.RampSteer.preset("sis"))]:
            expected = ranges_of(run)
            for key, (value, unit) in run.kpis.items():
                if key not in expected or not math.isfinite(value):
                    continue
                low, high = expected[key].low, expected[key].high
                found = value if unit == expected[key].unit else convert(value, unit, expected[key].unit)
                inside = low <= found <= high
                verdict = "inside" if inside else "OUTSIDE"
                span = f"{low:8.4g} … {high:<8.4g} {expected[key].unit:8}"
                print(f"{car:12} {run.event:22} {key:22} {found:9.4g} {span} {verdict}")
                if not inside:
                    outside.append((run.event, key, found, (low, high)))
    assert not outside


@pytest.mark.slow
def test_the_sedan_says_nothing_about_compliance_and_one_without_it_does() -> None:
    event = events.StepSteer(amplitude=0.3, end_time=1.2)
    rigid = {"front_suspension.compliance": None, "rear_suspension.compliance": None}
    assert NO_COMPLIANCE not in result("sedan", "step-steer").warnings
    assert NO_COMPLIANCE in jn.run(load("sedan").with_(**rigid), event).warnings
    # one axle is enough to be silent: half of a measured car is better than none
    half = load("sedan").with_(**{"rear_suspension.compliance": None})
    assert NO_COMPLIANCE not in jn.run(half, event).warnings


# the single-seater has no slip control: it spins, as it would
@pytest.mark.parametrize("car", [pytest.param(c, marks=marks(c)) for c in library_cars() if c != "formula"])
def test_full_braking_on_split_friction_stays_in_its_lane(car: str) -> None:
    """Dry on the left, wet ice on the right, from 100 km/h, with the driver of the event as he is; a lane has 3.5 m."""
    run = jn.run(load(car), events.StraightBraking(x=45.0), road="mu_split")
    assert run.complete and run.reason == "standstill"
    lateral = np.array([run[f"Road.Contact_Patch_Global_Y.{place}"] for place in ("L1", "R1", "L2", "R2")])
    assert np.ptp(lateral) < 3.5, "all that the wheels cover"
    assert np.degrees(np.abs(run["chassis_displacements.yaw"])).max() < 15
    # better than the whole car on ice (µ 0.2) by far, and worse than on the dry road
    assert 38.0 < run.kpis["stopping_distance"][0] < 0.6 * 197.0
