"""Manoeuvres in sentences."""

from __future__ import annotations

import pytest

from jounce.core.library import LIBRARY
from jounce.files.vdf import parse_vdf
from jounce.files.vdf_model import load_vdf, manoeuvre_of
from jounce.manoeuvre.model import CHANNELS, Manoeuvre
from jounce.manoeuvre.words import NAMES, explain
from vdf_texts import FULL


def test_start_stages_channels_and_ends_are_told_in_order() -> None:
    text = "\n".join(explain(load_vdf(LIBRARY / "events" / "braking_in_turn.vdf")[0]))
    wanted = [
        "2 stages. At 18 m/s (64.8 km/h) in gear 3, running steadily straight ahead.",
        "1. ENTER (at most 20 s):",
        "along a circle of 60 m to the right, after 40 m, looking 0.5 s ahead",
        "follow the speed over the station (16 to 18 m/s)",
        "Over when the size of yaw angle is at least 90 deg and the size of lat accel is above 3.5 m/s² (± 0.1 m/s²)",
        "2. BRAKE (at most 10 s):",
        "The hand wheel keeps its value.",
        "The throttle is 0 %, blended in over 0.1 s.",
        "The brake goes from 0 % to 35 % between 0.1 s and 0.3 s.",
        "The second brake is an input of the run.",
        "Over when velocity is below 1 m/s, 0.2 s later.",
    ]
    places = [text.index(sentence) for sentence in wanted]
    assert places == sorted(places)


def test_every_channel_of_every_stage_is_told_for_every_kind_of_signal_and_target() -> None:
    m = manoeuvre_of(parse_vdf(FULL))
    lines = explain(m)
    heads = [i for i, line in enumerate(lines) if line[:1].isdigit() and "(at most" in line]
    assert len(heads) == len(m.stages)
    for stage, start, end in zip(m.stages, heads, [*heads[1:], len(lines)], strict=True):
        told = " ".join(lines[start:end])
        for channel in CHANNELS[:3]:
            assert NAMES[channel] in told or (channel == "steering" and "driver steers" in told), (stage.name, channel)
    text = " ".join(lines)
    end = "The run ends when the size of curvature is not 0.02 1/m and engine torque"
    wave = ("from 0.5 to 2.5 Hz", "3 times from 1.5 s on")
    for words in ("2.5 N·m", "A human driver, novice", "then FOUR", "60 % of what the path", end, *wave):
        assert words in text, words
    assert not any(word in text for word in ("{", "None", "nan"))


@pytest.mark.parametrize(("signal", "words"), [
    ({"kind": "constant", "value": 0.5, "relative": True}, "is moved by 28.65°"),
    ({"kind": "constant", "value": "30 deg"}, "is 30 deg"),
    ({"kind": "ramp", "begin": 1, "slope": -0.1}, "changes by -5.73° per second from 1 s"),
    ({"kind": "impulse", "begin": 1, "end": 2, "height": 1.0}, "goes to 57.3° and back between 1 s and 2 s"),
])  # fmt: skip
def test_values_of_the_hand_wheel_are_told_in_degrees(signal: dict[str, object], words: str) -> None:
    m = Manoeuvre(
        begin={"speed": 0, "setup": "off", "steering": 0.1},
        stages=[{"name": "a", "steering": signal, "speed": "20 m/s"}, {"name": "b", "active": False, "path": "handling",
                "speed": "auto 0.7"}],
    )  # fmt: skip
    told = explain(m)
    assert told[0] == "1 stage. At rest, in equilibrium with hand wheel 5.73°." and told[-1] == "Not driven: b."
    assert any(words in line for line in told)
