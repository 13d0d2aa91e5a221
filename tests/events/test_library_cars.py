"""Every event on every car of the library: it runs, and its key figures are plausible or the reason is known."""

from __future__ import annotations

import math
from functools import lru_cache
from html import escape

import pytest

import jounce as jn
from jounce import events
from jounce.results import words
from jounce.results.report import render
from jounce.results.run import Run
from jounce.vehicle.reading import library_names, load

# Before compliance exists the axles are stiffer sideways than those of their class and understeer less (0.5 to 1.5
# deg/g). What hangs on that waits: gains, the angle for a lateral acceleration, frequency and lag of the yaw motion.
WITHOUT_COMPLIANCE = {
    *("understeer_gradient", "yaw_rate_gain", "characteristic_speed", "steering_step", "steering_at_0_3g"),
    *("yaw_rate_overshoot", "yaw_rate_t_peak", "yaw_natural_frequency", "ay_phase_1hz"),
}
EVENTS = [name for name in events.names() if name != "coast-down"]  # long; one car is enough


@lru_cache
def result(car: str, event: str) -> Run:
    return jn.run(load(car), events.find(event)())


def marks(car: str, event: str = "") -> list[pytest.MarkDecorator]:
    """All events on one car and one event on all cars are enough for every day."""
    return [] if car == "sedan" or event == "step-steer" else [pytest.mark.slow]


@pytest.mark.parametrize(
    ("event", "car"),
    [pytest.param(e, c, marks=marks(c, e)) for e in EVENTS for c in library_names()],
)
def test_it_runs(car: str, event: str) -> None:
    run = result(car, event)
    assert run.complete, run.metadata["reason"]
    assert run.kpis and any(math.isfinite(value) for value, _ in run.kpis.values())


@pytest.mark.parametrize("event", EVENTS)
def test_every_event_has_a_report_with_its_figures_and_plots(event: str) -> None:
    run = result("sedan", event)
    page = render(run)
    told = [words.figure(key, run.event) for key, (value, _) in run.kpis.items() if math.isfinite(value)]
    assert told and all(escape(text) in page for text in told)
    assert page.count("<canvas") >= 3


@pytest.mark.parametrize("car", [pytest.param(c, marks=marks(c)) for c in library_names()])
def test_key_figures_are_plausible(car: str, capsys: pytest.CaptureFixture[str]) -> None:
    from jounce.core.units import convert
    from jounce.results.plausibility import ranges

    expected = ranges(load(car).category)
    outside = []
    with capsys.disabled():
        for event in EVENTS:
            for key, (value, unit) in result(car, event).kpis.items():
                if key not in expected or not math.isfinite(value):
                    continue
                low, high = expected[key].low, expected[key].high
                found = convert(value, unit, expected[key].unit)
                inside = low <= found <= high
                waits = key in WITHOUT_COMPLIANCE
                verdict = "inside" if inside else "waits for compliance" if waits else "OUTSIDE"
                span = f"{low:8.4g} … {high:<8.4g} {expected[key].unit:8}"
                print(f"{car:12} {event:22} {key:22} {found:9.4g} {span} {verdict}")
                if not inside and not waits:
                    outside.append((event, key, found, (low, high)))
    assert not outside
