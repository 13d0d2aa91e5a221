"""The layout as a text: read, written, and refused with the position of what is wrong."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import jounce.vehicle as jv
from axle_lists import vehicle_of
from car_models import compact
from jounce.core.errors import ParameterError
from jounce.vehicle import layout_text
from trains import car_trailer, lead, road_train

EXAMPLES = ("I_I", "I_SS", "F_I_S", "E_I_I", "S_SS__SSS", "E_F_S_SS__F_SSS__T", "I", "V_T")


@pytest.mark.parametrize("text", EXAMPLES)
def test_a_text_is_written_as_it_was_read(text: str) -> None:
    assert str(layout_text.parse(text)) == text


def test_what_a_text_says() -> None:
    first, second = layout_text.parse("F_S_SS__SSS").units
    assert (first.prefixes, first.groups, first.axles) == (("F",), ("S", "SS"), "SSS")
    assert (second.prefixes, second.groups) == ((), ("SSS",))


@pytest.mark.parametrize(
    ("text", "position", "why"),
    [
        ("", 0, "empty"),
        ("S__", 4, "expected another unit"),
        ("S_", 3, "expected another suspension"),
        ("_S", 1, "begins with a suspension"),
        ("S___S", 4, "one _ separates"),
        ("S_X", 3, "'X' is no suspension"),
        ("SX", 2, "'X' is no suspension"),
        ("S_s", 3, "'s' is no suspension"),
        ("I_E_I", 3, "before the first suspension"),
        ("E_E_I", 3, "twice"),
        ("EI", 2, "expected one _ after the prefix E"),
        ("E__I", 2, "expected one _ after the prefix E"),
        ("E_", 3, "expected a suspension"),
        ("S__F_", 6, "expected a suspension"),
        ("S S", 2, "is no suspension"),
    ],
)
def test_a_bad_text_names_the_position(text: str, position: int, why: str) -> None:
    with pytest.raises(ParameterError) as found:
        layout_text.parse(text)
    told = str(found.value)
    assert why in told
    if position:
        assert f"position {position}:" in told
        assert told.splitlines()[-1].index("^") == 2 + position - 1


def test_whatever_is_typed_is_read_to_itself_or_refused() -> None:
    rng = random.Random(7)
    read = 0
    for _ in range(4000):
        text = "".join(rng.choice("ISTVEF_") for _ in range(rng.randint(1, 9)))
        try:
            found = layout_text.parse(text)
        except ParameterError:
            continue
        read += 1
        assert str(found) == text and all(unit.axles for unit in found.units)
    assert read > 200


def test_the_text_of_a_vehicle() -> None:
    assert str(layout_text.of(compact())) == "I_I"
    assert str(layout_text.of(car_trailer())) == "V_T__I"
    assert str(layout_text.of(road_train(3, 2))) == "V_T__I_I__I_I"
    raw = lead(3)
    raw["axles"][2]["group"] = True
    for name in ("x", "y", "toe", "camber", "side_view_angle"):
        raw["axles"][2]["suspension"][name] = {"curve": 0}
    raw["axles"][2]["suspension"].pop("compliance", None)
    raw["axles"][2]["suspension"]["solid"] = {"mass": 90.0, "ixx": 11.0, "iyy": 1.0, "izz": 11.0}
    found = vehicle_of(raw)
    assert str(layout_text.of(found)) == "V_TS"
    assert layout_text.check("V_TS", found) == ""
    assert "unit 1 is V_SS there and V_TS in the vehicle" in layout_text.check("V_SS", found)
    assert "has 2 units, the vehicle 1" in layout_text.check("V_TS__I", found)


def test_the_library_says_what_its_axles_are() -> None:
    """Maps of travel and rack steer in front; maps of both travels at the rear: a twist beam by its equations."""
    assert str(layout_text.of(jv.load("light_truck"))) == "V_T"


def test_a_file_may_say_its_layout_and_it_is_written_again(tmp_path: Path) -> None:
    file = tmp_path / "car.yaml"
    changed = compact().with_(model_layout="I_I")
    changed.save(file)
    assert "model_layout: I_I" in file.read_text()
    assert jv.load(file).model_layout == "I_I" and jv.load(file) == changed


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I__", r"position 4: ends after __; expected another unit"),
        ("I_X", r"position 3: 'X' is no suspension"),
        ("I_S", r"unit 1 is I_S there and I_I in the vehicle"),
        ("I_I__I", r"has 2 units, the vehicle 1"),
    ],
)
def test_a_layout_that_is_not_that_of_the_file_is_told_with_its_line_and_position(
    text: str, told: str, tmp_path: Path
) -> None:
    file = tmp_path / "car.yaml"
    compact().with_(model_layout="I_I").save(file)
    lines = file.read_text().splitlines()
    line = next(i for i, row in enumerate(lines, 1) if row.startswith("model_layout:"))
    file.write_text(file.read_text().replace("model_layout: I_I", f"model_layout: {text}"))
    with pytest.raises(ParameterError, match=rf"(?s)car\.yaml.*line {line}  model_layout.*{told}"):
        jv.load(file)
