"""Channels of a rig: presets, usual names, units, signs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from jounce.core.errors import ParameterError
from jounce.rigs.kc.channels import (
    DIRECTIONS,
    PROPERTIES,
    UNITS,
    Channel,
    ChannelMap,
    channel,
    check_key,
    check_signs,
    check_units,
    guess,
    preset,
)

RAW = np.array([1.0, -2.0, 4.0])


def test_the_presets_name_the_columns_of_two_kinds_of_rigs() -> None:
    mts, abd = preset("mts"), preset("abd")
    assert mts["travel.L1"].column == "LfZ0" and mts["side_view_angle.R2"].column == "RrSpin"
    assert mts["mz.R1"].column == "RfAligningTorqueFbk" and mts["steering"].column == "SteeringWheelAngle"
    assert abd["travel.R2"].column == "RRH_wheel_to_body_Z_displacement"
    assert abd["toe.L1"].column == "Front_LH_wheel_toe-in" and abd["y.R2"].column == "Rear_RH_wheel_centre_Y_disp."
    # steer is toe-in with the other sign on the left, and with its own on the right
    assert (abd["steer.L1"].column, abd["steer.L1"].sign) == ("Front_LH_wheel_toe-in", -1.0)
    assert (abd["steer.R1"].column, abd["steer.R1"].sign) == ("Front_RH_wheel_toe-in", 1.0)
    for found in (mts, abd):
        assert {f"{q}.{w}" for q in UNITS for w in ("L1", "R1", "L2", "R2")} <= set(found)
    with pytest.raises(ParameterError, match=r"preset = 'mta': unknown; did you mean 'mts'"):
        preset("mta")


def test_a_value_is_scaled_shifted_turned_and_converted() -> None:
    # sign (scale raw + offset) in the unit of the mapping: -(2·1 + 0.5) deg
    found = channel({"column": "Toe", "unit": "deg", "scale": 2, "offset": 0.5, "sign": -1, "label": "toe, left"})
    assert found.label == "toe, left"
    values = ChannelMap().converted("toe", "L", found, RAW, "")
    np.testing.assert_allclose(values, np.radians([-2.5, 3.5, -8.5]), rtol=1e-15)
    # a minus before the name is the same as a sign
    np.testing.assert_allclose(ChannelMap().converted("toe", "L", channel("-Toe"), RAW, "deg"), -np.radians(RAW))


def test_a_convention_of_signs_is_turned_into_ours() -> None:
    ours = {
        "travel": {"down": (-1, -1)}, "toe": {"out": (-1, -1), "left": (-1, 1)}, "camber": {"inwards": (-1, -1)},
        "side_view_angle": {"forwards": (-1, -1)}, "y": {"outwards": (1, -1), "right": (-1, -1)},
        "fy": {"inwards": (-1, 1)}, "mz": {"in": (-1, 1)}, "steer": {"in": (-1, 1)}, "x": {"rearwards": (-1, -1)},
    }  # fmt: skip
    for quantity, words in ours.items():
        for word, (left, right) in words.items():
            map = ChannelMap(signs=check_signs({quantity: word}))
            unit = UNITS[quantity]
            np.testing.assert_allclose(map.converted(quantity, "L", Channel("a"), RAW, unit), left * RAW)
            np.testing.assert_allclose(map.converted(quantity, "R", Channel("a"), RAW, unit), right * RAW)
    # of every quantity: what is meant by a word is a sign on each side, and the opposite has a word, too
    for words in DIRECTIONS.values():
        assert {abs(sign) for pair in words.values() for sign in pair} == {1}
        assert {(-left, -right) for left, right in words.values()} == set(words.values())
        assert (1, 1) in words.values()
    for words in DIRECTIONS.values():  # of the world they are the same on both sides, of the car's middle mirrored
        for word, (left, right) in words.items():
            if word in ("up", "down", "forwards", "rearwards"):
                assert left == right, word
    # turned to the left is toe-out on the left and toe-in on the right; a wheel steered by +1 has toe (-1, +1)
    assert DIRECTIONS["toe"]["left"] == tuple(-a for a in DIRECTIONS["toe"]["right"])
    with pytest.raises(ParameterError, match=r"signs: camber = 'inside': unknown  known: outwards, inwards"):
        check_signs({"camber": "inside"})
    with pytest.raises(ParameterError, match="signs: no quantity 'cambre'"):
        check_signs({"cambre": "inwards"})


def test_units_come_from_the_channel_the_file_or_the_mapping_in_this_order() -> None:
    map = ChannelMap(units=check_units({"travel": "cm"}))
    assert map.converted("travel", "L", Channel("z"), RAW, "")[0] == pytest.approx(0.01)
    assert map.converted("travel", "L", Channel("z"), RAW, "mm")[0] == pytest.approx(0.001)
    assert map.converted("travel", "L", Channel("z", unit="inch"), RAW, "mm")[0] == pytest.approx(0.0254)
    with pytest.raises(ParameterError, match=r"no unit of 'Toe' \(toe\).*units: \{toe: deg\}"):
        map.converted("toe", "L", Channel("Toe"), RAW, "")
    with pytest.raises(ParameterError, match="'Toe' is in mm, but toe is in rad"):
        map.converted("toe", "L", Channel("Toe"), RAW, "mm")
    with pytest.raises(ParameterError, match=r"measures something else than N.m"):
        check_units({"mz": "N"})


@pytest.mark.parametrize(
    ("columns", "axle", "expected"),
    [
        (["FL_toe", "FR_toe", "RL_toe", "RR_toe"], 1, ("FL_toe", "FR_toe")),
        (["FL_toe", "FR_toe", "RL_toe", "RR_toe"], 2, ("RL_toe", "RR_toe")),
        (["toe_L", "toe_R"], 2, ("toe_L", "toe_R")),
        (["Toe angle left", "Toe angle right"], 1, ("Toe angle left", "Toe angle right")),
        (["wheel_angles.toe_L3", "wheel_angles.toe_R3"], 3, ("wheel_angles.toe_L3", "wheel_angles.toe_R3")),
        (["LrToe", "RrToe"], 2, ("LrToe", "RrToe")),
        (["LrToe", "RrToe"], 1, (None, None)),
    ],
)
def test_usual_names_are_recognised(columns: list[str], axle: int, expected: tuple[str | None, str | None]) -> None:
    assert (guess("toe", "L", axle, columns), guess("toe", "R", axle, columns)) == expected


def test_the_channels_of_a_run_of_ours_are_recognised() -> None:
    names = [
        "Suspension.Jounce.L2", "wheel_angles.toe_L2", "wheel_angles.camber_L2", "wheel_angles.caster_L2",
        "Wheel.wheel_center_dispx.rear_left", "Wheel.wheel_center_dispy.rear_left", "Tire.Ground_Surface_Force_Y.L2",
        "Tire.Ground_Surface_Moment_Z.L2", "driver_demands.steering", "Steering_System.Rack_Displacement",
    ]  # fmt: skip
    found = [guess(q, "L", 2, names) for q in ("travel", "toe", "camber", "side_view_angle", "x", "y", "fy", "mz")]
    assert found == names[:8]
    assert guess("steering", None, 2, names) == names[8] and guess("rack", None, 2, names) == names[9]


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("toe", "'toe' is a quantity of a wheel; say which: toe.L1, or toe.L"),
        ("camer.L1", "no quantity 'camer.L1'; did you mean 'camber.L1'"),
        ("steering.L", "'steering' is a quantity of the whole axle"),
    ],
)
def test_keys_of_a_mapping_name_quantities(key: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message.replace("?", r"\?")):
        check_key(key)


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ({"column": "a", "units": "mm"}, "unknown key 'units'; did you mean 'unit'"),
        ({"unit": "mm"}, "'column' is missing"),
        ({"column": "a", "sign": 2}, "sign = 2: expected 1 or -1"),
        ({"column": "a", "scale": "much"}, "scale = 'much' is not a number"),
        (7, "expected a column or"),
    ],
)
def test_bad_channels_are_told(item: object, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        channel(item)


def test_angles_are_radians_inside() -> None:
    for name in PROPERTIES:
        assert UNITS[name] in ("m", "rad")
    values = ChannelMap().converted("camber", "R", Channel("c"), RAW, "deg")
    assert values[0] == math.radians(1.0)
