"""Events as data: names, units, round trips, presets, messages."""

from __future__ import annotations

import json
import math

import pytest

from jounce import events
from jounce.core.errors import ParameterError


@pytest.mark.parametrize("name", events.names())
def test_every_event_survives_json(name: str) -> None:
    kind = events.find(name)
    for event in (kind(), *(kind.preset(p) for p in kind.presets)):
        again = events.Event.from_dict(json.loads(json.dumps(event.to_dict())))
        assert again == event and type(again) is kind


@pytest.mark.parametrize("spelling", ["step-steer", "step_steer", "STEP-STEER"])
def test_names_take_dash_and_underscore(spelling: str) -> None:
    assert events.find(spelling) is events.StepSteer


def test_units_are_converted_and_checked() -> None:
    event = events.StepSteer(speed="80 km/h", amplitude="45 deg")
    assert event.speed == pytest.approx(80 / 3.6) and event.amplitude == pytest.approx(math.pi / 4)
    with pytest.raises(ParameterError, match=r"step-steer: speed = '80 deg'.*m/s"):
        events.StepSteer(speed="80 deg")


def test_unknown_keys_and_events_are_refused_with_the_nearest_name() -> None:
    with pytest.raises(ParameterError, match="did you mean 'amplitude'"):
        events.StepSteer(amplitud=1.0)
    with pytest.raises(ParameterError, match="did you mean 'step-steer'"):
        events.find("step-ster")
    with pytest.raises(ParameterError, match=r"unknown preset 'isso'.*'iso'"):
        events.StepSteer.preset("isso")


def test_impossible_times_are_refused() -> None:
    with pytest.raises(ParameterError, match="must be after start_time"):
        events.StepSteer(start_time=5.0, end_time=4.0)
    with pytest.raises(ParameterError, match="above first_frequency"):
        events.SweptSteer(first_frequency=2.0, last_frequency=1.0)


def test_presets_of_the_reference_tool() -> None:
    step = events.StepSteer.preset("vi")
    assert (step.speed, step.end_time, step.start_time, step.duration) == (5.0, 10.0, 1.0, 0.1)
    ramp = events.RampSteer.preset("vi")
    assert ramp.slope == pytest.approx(math.radians(10)) and ramp.duration == 1.0
    braking = events.StraightBraking.preset("vi")
    assert (braking.speed, braking.ramp_time, braking.brake) == (25.0, 1.0, 1.0)


def test_a_changed_copy_leaves_the_original() -> None:
    event = events.StepSteer()
    other = event.changed(speed="50 km/h")
    assert event.speed == pytest.approx(100 / 3.6) and other.speed == pytest.approx(50 / 3.6)


@pytest.mark.parametrize("key", [None, 5, 0.5, True])
def test_a_key_that_is_no_name_is_told(key: object) -> None:
    with pytest.raises(ParameterError, match=rf"event: found the key {key!r}; keys are names of its parameters"):
        events.Event.from_dict({"event": "step-steer", key: {"speed": 3.0}})  # type: ignore[dict-item]
