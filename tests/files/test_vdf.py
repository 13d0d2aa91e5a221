"""VDF: read, checked, converted to SI, written, read again."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jounce.core.errors import FormatError
from jounce.core.library import LIBRARY
from jounce.files import vdf_schema as schema
from jounce.files.vdf import parse_vdf, read_vdf
from jounce.files.vdf_model import (
    CONDITION,
    FIXED,
    MODULES,
    OPTIONS,
    PATHS,
    SIGNALS,
    SPEEDS,
    load_vdf,
    manoeuvre_of,
    vdf_text,
    write_vdf,
)
from jounce.manoeuvre.measures import MEASURES
from jounce.manoeuvre.model import Manoeuvre
from jounce.manoeuvre.targets import PointsPath, StraightPath
from vdf_texts import FULL, in_units

EVENTS = LIBRARY / "events"
PLACES = {"initial_speed": 20.0, "duration": 8.0, "amplitude": -0.7, "frequency": 0.3}
SAMPLES = sorted(path.name for path in EVENTS.glob("*.vdf"))


def sample(name: str) -> Manoeuvre:
    return load_vdf(EVENTS / name, PLACES if "template" in name else None)[0]


def again(m: Manoeuvre, **options: Any) -> Manoeuvre:
    return manoeuvre_of(parse_vdf(vdf_text(m, **options))).model_copy(update={"name": m.name})


def same(a: Any, b: Any) -> bool:
    """Data that agree to the rounding of a few conversions."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-13, abs_tol=1e-300)
    return bool(a == b)


# --- round trips -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SAMPLES)
def test_reading_writing_and_reading_again_changes_nothing(name: str) -> None:
    m = sample(name)
    text = vdf_text(m)
    assert again(m) == m
    assert vdf_text(again(m)) == text
    if "template" not in name:
        assert read_vdf(EVENTS / name).text() == (EVENTS / name).read_text()


def test_a_file_with_everything_keeps_everything() -> None:
    m = manoeuvre_of(parse_vdf(FULL))
    assert again(m) == m and vdf_text(again(m)) == vdf_text(m)
    kinds = {type(s).__name__ for s in m.signals.values()} | {type(p).__name__ for p in m.paths.values()}
    kinds |= {type(s).__name__ for s in m.speeds.values()}
    wanted = {kind.__name__ for table in (SIGNALS, PATHS, SPEEDS) for kind, _ in table.values()}
    assert kinds == wanted
    for _, mapping, _, _ in MODULES.values():
        assert getattr(m, mapping), mapping


RPM = math.pi / 30
READ: dict[str, dict[str, Any]] = {  # by hand: a round trip does not notice two that are swapped
    "begin": {"speed": 23.5, "steering": 0.125, "gear": 2, "time": 1.25, "setup": "straight"},
    "settings": {"model": "car", "placement": "automatic", "on_stop": "stop"},
    "steering": {"maximum": 8.25, "minimum": -8.5},
    "throttle": {"maximum": 95, "minimum": 1, "scale": 90},
    "throttle.speed_gains": {"proportional": 11, "integral": 12, "derivative": 13},
    "throttle.acceleration_gains": {"proportional": 14, "integral": 15, "derivative": 16},
    "gears": {"maximum": 2, "minimum": -1, "up_after_up": 0.5, "up_after_down": 0.6, "down_after_up": 0.7,
              "down_after_down": 0.8},
    "gears.table.1": {"gear": 1, "upshift": 6001 * RPM, "downshift": 1001 * RPM},
    "gears.table.1.up": {"duration": 0.4, "throttle_release": 0.05, "clutch_open": 0.06, "clutch_close": 0.15,
                         "throttle_press": 0.2, "throttle_release_delay": -0.01, "throttle_press_delay": 0.03},
    "gears.table.1.down": {"duration": 0.5, "throttle_release": 0.04, "clutch_open": 0.07, "clutch_close": 0.16,
                           "throttle_press": 0.25, "throttle_release_delay": 0.02, "throttle_press_delay": 0.01},
    "clutch": {"min_speed": 610 * RPM, "start_speed": 3300 * RPM, "start_time": 1.5, "start_acceleration": 2.25,
               "close_time": 1.75, "throttle_in_shifts": False, "active": False},
    "clutch.clutch_gains": {"proportional": 0.001, "integral": 0.002, "derivative": 0.003},
    "clutch.throttle_gains": {"proportional": 5, "integral": 6, "derivative": 7},
    "controllers.CONTROLLER_A": {
        "preview_time": 0.7, "min_preview_distance": 7.5, "lateral_anticipation": -0.04,
        "longitudinal_anticipation": 0.11, "path_compensation": False, "path_compensation_distance": 0.3,
        "yaw_correction": False, "feed_forward": False, "limit_acceleration": False, "throttle_limited": True,
        "throttle_press_rate": 2.5, "throttle_release_rate": 3.5, "braking_press_rate": 4.5,
        "braking_release_rate": 5.5, "steering_rate": 12.5, "straight_line_smoothing": True, "variable_ratio": True,
        "preview": "advanced", "speed_control": "acceleration", "driver": "preview", "kick_down": True,
        "lift_control": True, "sample_time": 0.004,
    },
    "stages.0": {"name": "ONE", "abort_time": 2.5, "sample_time": 0.01, "tire": "AIR", "slip": "SLIP",
                 "human": "SOMEBODY", "path": "P_FILE", "speed": "V_MAP"},
    "stages.0.options": {"connect_path": True, "follow_target_speed": True, "absolute_time": True,
                         "global_station": True, "end_of_path_check": False, "placement": "raw"},
    "stages.1.options": {"connect_path": False, "follow_target_speed": False, "absolute_time": False,
                         "global_station": False, "end_of_path_check": True},
    "conditions.E_SPEED": {"measure": "velocity", "test": "<=", "reference": 7.5, "tolerance": 0.25, "hold": 0.2,
                           "delay": 0.4, "next": "FOUR", "group": "", "action": "end"},
    "conditions.E_ENGINE": {"measure": "engine_torque", "test": ">", "reference": 150, "group": "both",
                            "action": "abort"},
    "signals.S_STEP": {"begin": 0.5, "end": 0.9, "first": 0.1, "last": -0.9, "relative": False},
    "signals.S_STEP5": {"end": 0.8, "last": 1.9, "relative": True, "auto_saturation": False, "auto_scaling": True},
    "signals.S_SINE": {"amplitude": 0.45, "frequency": 0.7, "phase": 0.35, "cycles": 3, "begin": 1.5},
    "signals.S_SWEPT": {"begin": 0.3, "amplitude": 0.2, "first_frequency": 0.5, "frequency_rate": 0.4,
                        "last_frequency": 2.5},
    "signals.S_RAMP": {"begin": 0.5, "end": 3, "slope": 0.15},
    "signals.S_IMPULSE": {"begin": 1, "end": 1.4, "height": 0.65},
    "signals.T_CONSTANT": {"value": 25, "auto_scaling": False, "auto_saturation": True},
    "signals.T_STATION": {"over": "station", "x": (-1, 30), "y": (0.3, 0.6)},
    "paths.P_CIRCLE": {"radius": 45, "side": "right", "entry_length": 55, "exit_length": 12, "angle": 7.5,
                       "length": 600, "step": 0.4, "entry_angle": 0.35, "exit_angle": 0.15},
    "paths.P_FILE": {"x": 12.5, "y": -3.25, "z": 0.5, "heading": -0.75, "min_segment": 0.35, "interpolation": "cubic"},
    "speeds.V_MAP": {"over": "time", "of": "acceleration", "scale": 0.9, "smoothing": 0.1, "interpolation": "cubic",
                     "x": (0, 1, 2, 4), "y": (1.5, 2.5, 0.5, -0.5)},
    "speeds.V_POLYNOMIAL": {"speed": 12.5, "acceleration": 0.75, "jerk": -0.25, "begin": 1.5},
    "speeds.V_AX": {"acceleration": -2.25, "begin": 0.75},
    "tire_controls.AIR": {"throttle": True, "braking": True, "clutch": True, "gear": False, "filter_frequency": 4.5,
                          "min_load": 25, "slip_threshold": 0.3, "inhibition": 0.2, "max_inhibition": 2.5},
    "slip_controls.SLIP": {"max_slip": 0.07, "min_slip": -0.9, "gain": 80, "share_1": 0.8, "share_2": 0.95,
                           "wheels": (3, 4)},
    "scheduled_gears.SCHEDULE": {"maximum": 1, "minimum": -1, "over": "station"},
    "early_downshifts.EARLY": {"roll_threshold": 0.4, "max_speed": 9000 * RPM, "min_speed": 1800 * RPM,
                               "min_time": 0.9, "safety": 1.5},
    "humans.SOMEBODY": {"skill": "novice"},
    "prediction": {"grip_lateral": 0.95, "grip_longitudinal": 0.75, "x": (0, 100), "y": (1, 0.8)},
}  # fmt: skip


@pytest.mark.parametrize("place", READ)
@pytest.mark.parametrize("units", [{}, {"LENGTH": "mm", "ANGLE": "deg", "TIME": "ms", "FORCE": "kN"}], ids=["SI", "mm"])
def test_every_value_is_read_into_its_own_field(place: str, units: dict[str, str]) -> None:
    found: Any = manoeuvre_of(parse_vdf(in_units(units)))
    for word in place.split("."):
        found = found[word] if isinstance(found, dict) else found[int(word)] if word.isdigit() else getattr(found, word)
    for name, value in READ[place].items():
        read = getattr(found, name)
        assert read == (value if isinstance(value, str | bool) else pytest.approx(value, rel=1e-12)), name


def test_the_dump_of_what_is_not_usual_reloads_to_the_same_settings() -> None:
    for m in [manoeuvre_of(parse_vdf(FULL)), *(sample(name) for name in SAMPLES)]:
        short = vdf_text(m, changes_only=True)
        assert manoeuvre_of(parse_vdf(short)).model_copy(update={"name": m.name}) == m
        assert len(short) < len(vdf_text(m))
    assert "PREVIEW_TIME" not in vdf_text(sample("braking_in_turn.vdf"), changes_only=True)  # is 0.5
    assert "PREVIEW_TIME = 0.6" in vdf_text(sample("step_steer.vdf"), changes_only=True)


def test_every_key_of_the_format_is_a_field_of_the_data() -> None:
    """A key that nothing maps would be read and lost."""
    for name, (_, fields) in FIXED.items():
        assert {key.name for key in schema.FIXED[name].keys} == set(fields), name
    assert {key.name for key in schema.END_CONDITION.keys} == set(CONDITION)
    assert {key.name for key in schema.MANOEUVRE.sub_blocks["OPTIONS"]} == set(OPTIONS)
    for word, (_, fields) in SIGNALS.items():
        assert {key.name for key in schema.SIGNALS[word].keys} == set(fields), word
    for word, (_, fields) in SPEEDS.items():
        assert set(fields) <= {key.name for key in schema.SPEEDS[word].keys}, word


numbers = st.floats(-1e3, 1e3, allow_nan=False)
positive = st.floats(1e-3, 1e3)


@st.composite
def stages(draw: st.DrawFn) -> dict[str, Any]:
    """A manoeuvre with numbers of all sizes."""
    begin, first, last = draw(numbers), draw(numbers), draw(numbers)
    rows = sorted(set(draw(st.lists(numbers, min_size=1, max_size=5))))
    test = draw(st.sampled_from([">", "<=", "abs<", "==", "abs!="]))
    return {
        "name": "x",
        "begin": {"speed": draw(positive), "gear": 1, "steering": draw(numbers)},
        "clutch": {"min_speed": draw(positive), "start_speed": draw(positive)},
        "gears": {"minimum": 1, "maximum": 1, "table": [{"gear": 1, "upshift": draw(positive), "downshift": -1.0}]},
        "stages": [
            {
                "name": "one",
                "steering": {"kind": "step", "begin": begin, "end": begin + 1 + draw(positive), "first": first,
                             "last": last, "relative": draw(st.booleans())},
                "speed": {"kind": "map", "x": rows, "y": [draw(numbers) for _ in rows],
                          "over": draw(st.sampled_from(["station", "time"]))},
                "ends": [{"measure": "yaw_rate", "test": test, "reference": draw(numbers),
                          "tolerance": draw(positive), "group": draw(st.sampled_from(["", "g"]))}],
                "sample_time": draw(positive),
            }
        ],
    }  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(stages())
def test_data_of_any_numbers_survive_a_file(data: dict[str, Any]) -> None:
    m = Manoeuvre(**data)
    once = again(m)
    assert again(once) == once
    stage, back = m.stages[0], once.stages[0]
    assert once.begin == m.begin
    # not every speed in rad/s is that of a number of revolutions per minute: the nearest, to the last digit
    assert same(once.clutch.model_dump(), m.clutch.model_dump()) and same(once.gears.model_dump(), m.gears.model_dump())
    assert once.signal_of(back, "steering") == stage.steering.signal
    assert once.speed_of(back) == stage.speed
    assert [c for _, c in once.conditions_of(back)] == list(stage.ends)


# --- units -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "units",
    [
        {"LENGTH": "mm", "ANGLE": "degrees"},
        {"LENGTH": "FOOT", "ANGLE": "RADIANS", "TIME": "ms"},
        {"LENGTH": "km", "ANGLE": "deg", "FORCE": "kN", "TIME": "minute", "MASS": "tonne"},
    ],
)
def test_the_same_event_in_other_units_is_the_same_manoeuvre(units: dict[str, str]) -> None:
    si = manoeuvre_of(parse_vdf(FULL))
    other = manoeuvre_of(parse_vdf(in_units(units)))
    assert in_units(units) != FULL
    ours, theirs = (m.model_dump(serialize_as_any=True) for m in (si, other))  # of each kind, and not of its base
    assert "slope" in ours["signals"]["S_RAMP"] and "px" in ours["paths"]["P_POINTS"]
    for name, value in ours.items():
        assert same(value, theirs[name]), name


def test_references_are_converted_by_the_dimension_of_their_measure() -> None:
    m = sample("braking_in_turn.vdf")
    assert m.conditions["TURNED"].reference == pytest.approx(math.pi / 2, rel=1e-15)
    assert m.conditions["STEADY"].reference == pytest.approx(3.5) and m.conditions["STEADY"].tolerance == 0.1
    assert m.conditions["STOPPED"].reference == 1.0
    assert m.paths["CIRCLE"].radius == 60.0 and m.paths["CIRCLE"].angle == pytest.approx(4 * math.pi)
    assert m.speeds["SLOWLY"].x == (0.0, 40.0, 90.0) and m.speeds["SLOWLY"].y == (18.0, 16.5, 16.0)
    assert m.steering.maximum == pytest.approx(math.radians(600)) and m.begin.speed == 18.0


def test_a_signal_of_two_channels_has_the_unit_of_each() -> None:
    text = (EVENTS / "braking_in_turn.vdf").read_text().replace("SIGNAL = 'HELD'", "SIGNAL = 'OPENED'")
    m = manoeuvre_of(parse_vdf(text))
    brake = m.stages[1]
    assert m.signal_of(brake, "steering").value == pytest.approx(math.radians(1))  # type: ignore[union-attr]
    assert m.signal_of(brake, "clutch").value == 1 and m.signal_of(brake, "gear").value == 1  # type: ignore[union-attr]


def test_a_reference_of_unknown_dimension_is_not_taken_as_si() -> None:
    text = (EVENTS / "braking_in_turn.vdf").read_text().replace("'VELOCITY'", "'my_sensor'")
    with pytest.raises(FormatError, match=r"\[STOPPED\] MEASURE_NAME: found 'my_sensor'; .*cannot be converted"):
        parse_vdf(text, "a.vdf")
    report = parse_vdf((EVENTS / "step_steer.vdf").read_text().replace("'YAW_RATE'", "'my_sensor'")).report
    assert any("must have such a sensor" in p.message for p in report.warnings)
    channel = text.replace("'my_sensor'", "'chassis_velocities.longitudinal'")
    assert manoeuvre_of(parse_vdf(channel)).conditions["STOPPED"].reference == 1.0


# --- what is wrong ---------------------------------------------------------------------------------------------------

STEP = (EVENTS / "step_steer.vdf").read_text()
SEEDED = {
    "header": ("'vdf'", "'sdf'", "[VIGRADE_HEADER] FILE_TYPE", "found 'sdf'; expected 'vdf'"),
    "unit": ("'radian'", "'gon'", "[UNITS] ANGLE", "found 'gon'"),
    "choice": ("'AUTOMATIC'", "'AUTOMATC'", "[GLOBAL_SETTINGS] PATH_POSITIONING", "did you mean 'AUTOMATIC'?"),
    "number": (
        "PREVIEW_TIME = 0.6",
        "PREVIEW_TIME = 'soon'",
        "[CONTROLLER_STANDARD] PREVIEW_TIME",
        "found 'soon'; expected a number",
    ),
    "bound": ("PREVIEW_TIME = 0.6", "PREVIEW_TIME = 0", "[CONTROLLER_STANDARD] PREVIEW_TIME", "found 0; must be > 0"),
    "limits": ("MAX_VALUE = 9", "MAX_VALUE = -10", "[STEERING_STANDARD] MAX_VALUE", "must be at least MIN_VALUE (-9)"),
    "limiter": (
        "MIN_PREVIEW_DISTANCE = 6",
        "STEERING_RATE_LIMITER_ACTIVE = 'TRUE'",
        "[CONTROLLER_STANDARD] STEERING_RATE_LIMITER_ACTIVE",
        "STEERING_MAX_RATE is missing",
    ),
    "whole": ("INITIAL_GEAR = 4", "INITIAL_GEAR = 4.5", "[STARTUP] INITIAL_GEAR", "expected a whole number"),
    "setup": ("'STRAIGHT'\n[MAN", "'SKIDPAD'\n[MAN", "[STARTUP] INITIAL_SETUP", "found 'SKIDPAD'"),
    "stage": ("'TURN' 4", "'TRUN' 4", "[MANEUVERS_LIST] TRUN", "there is no such block; did you mean 'TURN'?"),
    "case": ("'TURN' 4", "'turn' 4", "[MANEUVERS_LIST] turn", "there is no such block"),
    "abort": ("'TURN' 4", "'TURN' 0", "[MANEUVERS_LIST] TURN", "found abort_time 0 s; must be > 0, or -1"),
    "sampling": ("4 0.01", "4 -0.01", "[MANEUVERS_LIST] TURN", "found sampling_step -0.01 s; must be > 0"),
    "row": ("'TURN' 4 0.01", "'TURN' 4", "[MANEUVERS_LIST]", "found 2 values in a row; the table has 3 columns"),
    "task": ("TASK = 'STANDARD'", "TASK = 'STARTUPP'", "[SETTLE] TASK", "did you mean 'STARTUP'?"),
    "controller": (
        "= 'CONTROLLER_STANDARD'",
        "= 'CONTROLLER_FAST'",
        "[SETTLE] CONTROLLER_SETTINGS",
        "there is no such block",
    ),
    "set-up": (
        "CONTROLLER_NAME = 'BY_THE_STEP'",
        "CONTROLLER_NAME = 'BY_A_STEP'",
        "[TURN] (STEERING) CONTROLLER_NAME",
        "did you mean 'BY_THE_STEP'?",
    ),
    "two methods": (
        "CONTROLLER_NAME = 'BY_THE_STEP'",
        "CONTROLLER_NAME = 'BY_THE_STEP'\nMETHOD = 'MACHINE'",
        "[TURN] (STEERING) METHOD",
        "stands beside CONTROLLER_NAME",
    ),
    "method": ("METHOD = 'OPENLOOP'", "METHOD = 'OPEN'", "[BY_THE_STEP] METHOD", "did you mean 'OPENLOOP'?"),
    "a speed as set-up": (
        "(GEAR)\nCONTROLLER_NAME = 'BY_THE_DRIVER'\n(CLUTCH)\nCONTROLLER_NAME = 'BY_THE_DRIVER'\n(MACHINE)\nSPEED",
        "(GEAR)\nCONTROLLER_NAME = 'HOLD'\n(CLUTCH)\nCONTROLLER_NAME = 'HOLD'\n(MACHINE)\nSPEED",
        "[HOLD] METHOD",
        "missing; one of MACHINE, OPENLOOP, USER",
    ),
    "no signal": ("SIGNAL = 'WHEEL_STEP'\n", "", "[BY_THE_STEP] SIGNAL", "missing"),
    "signal": ("SIGNAL = 'WHEEL_STEP'", "SIGNAL = 'WHEELSTEP'", "[BY_THE_STEP] SIGNAL", "did you mean 'WHEEL_STEP'?"),
    "channel": (
        "(CLUTCH)\nCONTROLLER_NAME = 'BY_THE_DRIVER'\n(MACHINE)\nPATH",
        "(MACHINE)\nPATH",
        "[SETTLE] (CLUTCH)",
        "missing",
    ),
    "no path": ("PATH = 'LINE'\n", "", "[SETTLE] (MACHINE) PATH", "missing: steering by the machine follows a path"),
    "no speed": (
        "(MACHINE)\nSPEED = 'HOLD'\n(OPTIONS)",
        "(OPTIONS)",
        "[TURN] (MACHINE) SPEED",
        "missing: throttle or brake by the machine follow a speed",
    ),
    "flag": (
        "FOLLOW_TARGET_SPEED = 'TRUE'",
        "FOLLOW_TARGET_SPEED = 'MAYBE'",
        "[TURN] (OPTIONS) FOLLOW_TARGET_SPEED",
        "expected 'TRUE' or 'FALSE'",
    ),
    "shape": ("'STRAIGHT'\nOVERALL", "'LOOP'\nOVERALL", "[LINE] SHAPE_NAME", "found 'LOOP'"),
    "path type": ("TYPE = 'SHAPE'", "TYPE = 'SHAPES'", "[LINE] TYPE", "did you mean 'SHAPE'?"),
    "speed type": ("TYPE = 'MAINTAIN'", "TYPE = 'KEEP'", "[HOLD] TYPE", "found 'KEEP'"),
    "measure": ("'YAW_RATE'", "'YAW_RAET'", "[TOO_FAST_A_TURN] MEASURE_NAME", "did you mean 'YAW_RATE'?"),
    "test": ("'|>|'", "'=>'", "[TOO_FAST_A_TURN] TEST_TYPE", "found '=>'"),
    "no reference": ("REF_VALUE = 30\n", "", "[THIRTY_METERS] REF_VALUE", "missing; expected a number"),
    "next": (
        "NAME = 'TURN'",
        "NAME = 'TURN2'",
        "[THIRTY_METERS] NEXT_MANEUVER_NAME",
        "not in the list; did you mean 'TURN'?",
    ),
    "filter": (
        "FILTERING_TIME = 0.1",
        "FILTERING_TIME = -1",
        "[TOO_FAST_A_TURN] FILTERING_TIME",
        "found -1; must be ≥ 0",
    ),
    "order": ("X1 = 0.7", "X1 = 0.5", "[WHEEL_STEP] X1", "must be after X0 (0.5 s)"),
    "type": ("TYPE = 'STEP5'", "TYPE = 'STEP6'", "[WHEEL_STEP] TYPE", "found 'STEP6'; did you mean 'STEP"),
    "required": ("Y1 = 0.6\n", "", "[WHEEL_STEP] Y1", "missing; expected a number in the unit of its channel"),
    "comma": ("Y1 = 0.6", "Y1 = 0,6", "[WHEEL_STEP] Y1", "write a decimal point: 0.6"),
    "quote": ("CALC_MODE = 'RELATIVE'", "CALC_MODE = 'RELATIVE", "[WHEEL_STEP] CALC_MODE", "between two single quotes"),
}


@pytest.mark.parametrize("name", SEEDED)
def test_a_seeded_error_is_told_once_with_file_line_and_key(name: str) -> None:
    old, new, key, message = SEEDED[name]
    assert old in STEP
    text = STEP.replace(old, new, 1)
    with pytest.raises(FormatError) as error:
        manoeuvre_of(parse_vdf(text, "event.vdf"))
    head, *found = str(error.value).splitlines()
    assert head == "1 problem in event.vdf" and len(found) == 1
    line, told = re.fullmatch(r"  line (\d+)  (.*)", found[0]).groups()  # type: ignore[union-attr]
    assert told.startswith(f"{key}: ") and message in told
    # the line is that of what was changed, or of the block or sub-block that lacks it
    here = text.splitlines()[int(line) - 1]
    inside = (
        key.split("]")[0] + "]",
        key.split()[-1],
        f"'{key.split()[-1]}'",
        key.split(") ")[0].split(" ", 1)[-1] + ")",
    )
    assert here in new or any(word in here for word in inside), (here, key)


def test_a_block_in_two_roles_is_checked_in_each() -> None:
    text = STEP.replace("= 'BY_THE_STEP'", "= 'HOLD'").replace(
        "TYPE = 'MAINTAIN'", "TYPE = 'MAINTAIN'\nMETHOD = 'OPEN'"
    )
    with pytest.raises(FormatError, match=r"\[HOLD\] METHOD: found 'OPEN'"):
        manoeuvre_of(parse_vdf(text))


def test_all_errors_of_a_file_are_told_at_once() -> None:
    text = (
        STEP.replace("PREVIEW_TIME = 0.6", "PREVIEW_TIME = -1")
        .replace("'|>|'", "'>>>'")
        .replace("'TURN' 4", "'TURN' 0")
    )
    with pytest.raises(FormatError, match=r"3 problems in event\.vdf"):
        parse_vdf(text, "event.vdf")


def test_blocks_are_missed_by_name() -> None:
    with pytest.raises(FormatError, match=r"\[MANEUVERS_LIST\]: missing"):
        parse_vdf(STEP.replace("[MANEUVERS_LIST]", "[MANEUVRES]"))
    with pytest.raises(FormatError, match=r"\[VIGRADE_HEADER\]: missing"):
        parse_vdf(STEP.replace("[VIGRADE_HEADER]", "[HEADER]"))


# --- paths and measures ----------------------------------------------------------------------------------------------

POINTS = ((-3.0, 1.5, 0.25, 0.01), (10.5, 2.5, 0.35, 0.02), (20.5, 4.5, -0.45, -0.03), (41.0, 9.0, 0.5, 0.04))


def paths(angle: str, length: str, m: float, rad: float) -> str:
    rows = "".join(f"{x / m!r} {y / m!r} {z / m!r} {bank}\n" for x, y, z, bank in POINTS)
    place = f"REF_X = {12.5 / m!r}\nREF_Y = {-3.25 / m!r}\nREF_Z = {0.5 / m!r}\nREF_AZ = {-0.75 / rad!r}\n"
    table = f"[LINE]\nTYPE = 'NUMERIC_DATA'\n{place}(TABLE)\n{{ x y z lat_inc }}\n{rows}"
    straight = f"[WAY]\nTYPE = 'SHAPE'\nSHAPE_NAME = 'STRAIGHT'\n{place}"
    straight += f"OVERALL_LENGTH = {750 / m!r}\nSTEP_SIZE = {2.5 / m!r}\n"
    second = "[SETTLE2]" + STEP.split("[SETTLE]")[1].split("[TURN]")[0].replace("'LINE'", "'WAY'")
    text = STEP.replace("'TURN' 4 0.01", "'TURN' 4 0.01\n'SETTLE2' 4 0.01")
    block = text.index("[LINE]")
    end = text.index("[", block + 1)
    text = text[:block] + table + straight + second + text[end:]
    return re.sub(
        r"LENGTH = '\w+'",
        f"LENGTH = '{length}'",
        re.sub(r"ANGLE = '\w+'", f"ANGLE = '{angle}'", text, count=1),
        count=1,
    )


@pytest.mark.parametrize(
    ("angle", "length", "m", "rad"), [("radian", "meter", 1.0, 1.0), ("deg", "mm", 1e-3, math.pi / 180)]
)
def test_points_and_straight_lines_come_back_as_they_were(angle: str, length: str, m: float, rad: float) -> None:
    made = manoeuvre_of(parse_vdf(paths(angle, length, m, rad)))
    for found in (made, again(made), again(made, changes_only=True).model_copy(update={"name": made.name})):
        points, straight = found.paths["LINE"], found.paths["WAY"]
        assert isinstance(points, PointsPath) and isinstance(straight, StraightPath)
        columns = zip(points.px, points.py, points.pz, points.bank, strict=True)
        assert [v for row in columns for v in row] == pytest.approx([v for row in POINTS for v in row], rel=1e-14)
        assert (straight.length, straight.step) == pytest.approx((750, 2.5), rel=1e-14)
        for path in (points, straight):
            assert (path.x, path.y, path.z, path.heading) == pytest.approx((12.5, -3.25, 0.5, -0.75), rel=1e-14)
        assert found.stages[2].path == "WAY" and found.path_of(found.stages[2]) == straight
    assert again(made) == made


IN_OTHER_UNITS = {  # one file unit (mm, deg, kN, kg, ms) in SI, by hand
    "time": 1e-3, "global_time": 1e-3, "traveled_distance": 1e-3, "global_traveled_distance": 1e-3, "path_s": 1e-3,
    "path_distance": 1e-3, "radius": 1e-3, "curvature": 1e3, "gyro_dx": 1e-3, "gyro_dy": 1e-3, "velocity": 1.0,
    "lon_accel": 1e3, "lat_accel": 1e3, "yaw_angle": math.pi / 180, "yaw_rate": 1e3 * math.pi / 180,
    "yaw_accel": 1e6 * math.pi / 180, "pitch_angle": math.pi / 180, "roll_angle": math.pi / 180,
    "roll_vel": 1e3 * math.pi / 180, "side_slip_ang": math.pi / 180, "steering_ang": math.pi / 180,
    "steer_ang_vel": 1e3 * math.pi / 180, "engine_speed": 1e3 * math.pi / 180, "engine_torque": 1.0,
    "engine_acc": 1e6 * math.pi / 180, "clutch_torque": 1.0, "clutch_demand": 1.0,
}  # fmt: skip


@pytest.mark.parametrize("name", MEASURES)
def test_a_reference_has_the_unit_of_its_measure(name: str) -> None:
    """In a file of mm, deg, kN, kg and ms: a force of one kN at one mm is 1 N·m."""
    head, rest = STEP.split("[TOO_FAST_A_TURN]")
    own = f"\nMEASURE_NAME = '{name.upper()}'\nTEST_TYPE = '>='\nREF_VALUE = 7\nTOLERANCE = 3\n"
    text = head + "[TOO_FAST_A_TURN]" + own + rest[rest.index("[") :]
    for word, old in (("LENGTH", "mm"), ("ANGLE", "deg"), ("FORCE", "kN"), ("MASS", "kg"), ("TIME", "ms")):
        text = re.sub(rf"{word} = '\w+'", f"{word} = '{old}'", text, count=1)
    text = text.replace("PREVIEW_TIME = 0.6", "PREVIEW_TIME = 600")
    found = manoeuvre_of(parse_vdf(text)).conditions["TOO_FAST_A_TURN"]
    assert found.measure == name
    assert (found.reference, found.tolerance) == pytest.approx((7 * IN_OTHER_UNITS[name], 3 * IN_OTHER_UNITS[name]))


# --- what is odd -----------------------------------------------------------------------------------------------------


def test_of_a_key_that_comes_again_the_last_counts_and_strictly_it_is_an_error() -> None:
    text = STEP.replace("PREVIEW_TIME = 0.6", "PREVIEW_TIME = 0.6\nPREVIEW_TIME = 0.8")
    vdf = parse_vdf(text, "a.vdf")
    assert manoeuvre_of(vdf).controllers["CONTROLLER_STANDARD"].preview_time == 0.8
    assert [p.line for p in vdf.report.warnings if "comes again (first in line 16)" in p.message] == [17]
    with pytest.raises(FormatError, match=r"line 17 .*once is allowed"):
        parse_vdf(text, "a.vdf", strict=True)


def test_what_is_not_known_is_kept_written_back_and_told_once() -> None:
    text = (
        STEP.replace("INITIAL_GEAR = 4", "INITIAL_GEAR = 4\nCOFFEE = 'black'")
        + "[TEA]\nSUGAR = 2 $ lumps\n(CUPS)\n{ a a }\n1 2\n"
    )
    vdf = parse_vdf(text)
    told = [p.message for p in vdf.report.warnings]
    assert [t for t in told if "not known" in t] == ["not known; kept: [STARTUP] COFFEE (line 32)"]
    assert sum("[TEA]" in t for t in told) == 1
    m = manoeuvre_of(vdf)
    written = vdf_text(m)
    assert "COFFEE = 'black'" in written and "[TEA]\nSUGAR = 2 $ lumps\n(CUPS)\n{ a a }\n1 2\n" in written
    assert again(m) == m


def test_a_row_of_conditions_without_a_block_is_left_out_with_a_warning() -> None:
    vdf = parse_vdf(STEP.replace("'THIRTY_METERS'\n[TURN]", "'THIRTY_METERS'\n'FORTY_METERS'\n[TURN]"))
    assert vdf.stages[0].conditions == ["THIRTY_METERS"]
    assert any("'FORTY_METERS'; there is no such block, the row is left out" in p.message for p in vdf.report.warnings)


def test_other_spellings_are_read_and_not_written() -> None:
    text = (
        STEP.replace("'TRAVELED_DISTANCE'", "'distance'").replace("'|>|'", "'|>>|'").replace("'>='", "'==='")
        .replace("MIN_PREVIEW_DISTANCE = 6", "THROTTLE_SAT_TGTACX_ACTIVE = 'no'")
        .replace("'STANDARD'\nCON", "'NORMAL'\nCON")
        .replace("FILE_TYPE = 'vdf'", "FILE_TYPE = VDF").replace("[MANEUVERS_LIST]", "[MANEUVER_LIST]")
    )  # fmt: skip
    m = manoeuvre_of(parse_vdf(text))
    assert m.conditions["THIRTY_METERS"].measure == "traveled_distance" and m.conditions["THIRTY_METERS"].test == "=="
    assert (
        m.conditions["TOO_FAST_A_TURN"].test == "abs>" and not m.controllers["CONTROLLER_STANDARD"].limit_acceleration
    )
    written = vdf_text(m)
    assert "'TRAVELED_DISTANCE'" in written and "'|>|'" in written and "'=='" in written
    assert "THROTTLE_SAT_TGTACCX_ACTIVE = 'FALSE'" in written and "TGTACX" not in written


def test_blocks_that_differ_by_letter_case_are_two() -> None:
    text = (
        STEP.replace("SPEED = 'HOLD'\n(OPTIONS)", "SPEED = 'Hold'\n(OPTIONS)")
        + "[Hold]\nTYPE = 'MAINTAIN'\nSCALING_FACTOR = 0.5\n"
    )
    m = manoeuvre_of(parse_vdf(text))
    assert m.speeds["HOLD"].scale == 1.0 and m.speeds["Hold"].scale == 0.5


def test_remarks_about_degrees_scaling_and_equality() -> None:
    text = (EVENTS / "braking_in_turn.vdf").read_text()
    text = text.replace(
        "TYPE = 'STEP'\n", "TYPE = 'COSINE'\nAMPLITUDE = 0.1\nFREQUENCY = 1\nINITIAL_PHASE = -1.57\n", 1
    )
    text = re.sub(r"X0 = 0.1\nX1.*\nY0.*\nY1.*\n", "", text).replace("SCALING_FACTOR = 100", "SCALING_FACTOR = 1", 1)
    told = [str(p) for p in parse_vdf(text.replace("'<<'", "'=='")).report.warnings]
    assert any("INITIAL_PHASE: found -1.57 in a file in degrees; taken as degrees" in t for t in told)
    assert any("[THROTTLE_STANDARD] SCALING_FACTOR: is 1, but MAX_VALUE is 100" in t for t in told)
    assert any("[STOPPED] TEST_TYPE: asks for a value to the last digit" in t for t in told)


def test_gears_of_eleven_and_eighteen_columns() -> None:
    head = (
        "MAX_VALUE = 2\nMIN_VALUE = -1\n(ATTRIBUTES_MAP)\n{ id opt upRPM dwRPM sftT tfallT criseT cfallT triseT dt1 dt2"
    )
    times = ".05 .06 .15 .2 0 .04\n"
    one = f"\n-1 0 5500 0 .3 {times}1 2.5 6000 0 .31 {times}2 0 6100 1400 .32 {times}"
    m = manoeuvre_of(
        parse_vdf(STEP.replace("INITIAL_GEAR = 4", "INITIAL_GEAR = 2") + "[GEAR_STANDARD]\n" + head + " }" + one)
    )
    assert [row.gear for row in m.gears.table] == [-1, 1, 2] and all(row.down is None for row in m.gears.table)
    assert (
        m.gears.table[2].upshift == pytest.approx(6100 * math.pi / 30)
        and m.gears.table[2].up.throttle_press_delay == 0.04
    )
    again_ = " sftT tfallT criseT cfallT triseT dt1 dt2 }"
    two = "".join(f"{row} .5 .01 .02 .1 .3 -.01 .2\n" for row in one.strip().splitlines())
    text = STEP.replace("INITIAL_GEAR = 4", "INITIAL_GEAR = 2") + "[GEAR_STANDARD]\n" + head + again_ + "\n" + two
    m = manoeuvre_of(parse_vdf(text))
    assert m.gears.table[1].down is not None and m.gears.table[1].down.duration == 0.5
    assert m.gears.table[1].up.duration == 0.31 and m.gears.table[1].down.throttle_release_delay == -0.01
    assert again(m) == m
    for old, new, message in (
        ("\n2 0 6100", "\n1 0 6100", "whole numbers, each once"),
        ("MAX_VALUE = 2", "MAX_VALUE = 3", "the table has the gears -1, 1, 2"),
        ("6100 1400", "6100 6200", "gear 2: found dwRPM 6200 and upRPM 6100"),
    ):
        with pytest.raises(FormatError, match=message):
            parse_vdf(text.replace(old, new))
    with pytest.raises(FormatError, match=r"\[STARTUP\] INITIAL_GEAR: found 4; \[GEAR_STANDARD\] allows -1 to 2"):
        parse_vdf(text.replace("INITIAL_GEAR = 2", "INITIAL_GEAR = 4"))
    told = parse_vdf(text.replace("1 2.5 6000 0 .31", "1 2.5 6000 0 .2")).report.warnings
    assert any(
        "gear 1: upshift of 0.2 s is shorter than criseT + cfallT" in p.message or "gear 1" in p.key for p in told
    )


# --- files beside ----------------------------------------------------------------------------------------------------


def test_files_are_found_beside_the_file_by_database_or_in_the_library(tmp_path: Path) -> None:
    line = "TYPE = 'SHAPE'\nSHAPE_NAME = 'STRAIGHT'\nOVERALL_LENGTH = 2000\nSTEP_SIZE = 2\n"
    place = tmp_path / "event.vdf"

    def path_of(reference: str, **options: Any) -> str:
        place.write_text(STEP.replace(line, f"TYPE = 'DRD_FILE'\nFILE_NAME = {reference}\n"))
        found = load_vdf(place, **options)[0].paths["LINE"]
        return str(found.file)  # type: ignore[attr-defined]

    (tmp_path / "roads.tbl").mkdir()
    (tmp_path / "roads.tbl" / "way.drd").write_text("# x y width lat.inc speed z\n0 0 3 0 10 0\n9 0 3 0 10 0\n")
    assert path_of("'roads.tbl/way.drd'") == str(tmp_path / "roads.tbl" / "way.drd")
    assert path_of("'mdids://mine/roads.tbl/way.drd'", databases={"mine": tmp_path}) == str(
        tmp_path / "roads.tbl/way.drd"
    )
    assert path_of("mdids://shared/roads.tbl/handling.drd") == "handling"  # without quotes, of the library
    with pytest.raises(
        FormatError, match=r"event.vdf\n  line 86  \[LINE\] FILE_NAME: found 'gone.drd'; there is no file"
    ):
        path_of("'gone.drd'")
    m = load_vdf(EVENTS / "replay.vdf")[0]
    write_vdf(m, tmp_path / "copy.vdf")
    assert (
        load_vdf(tmp_path / "copy.vdf")[0]
        .model_copy(update={"name": m.name})
        .signals["DATA"]
        .file.endswith("replay.dcd")
    )  # type: ignore[attr-defined]


def test_a_file_starts_with_shares_of_pedals_and_the_data_with_demands() -> None:
    begin = manoeuvre_of(parse_vdf(FULL)).begin
    assert (begin.throttle, begin.braking, begin.braking2, begin.clutch) == (0.2 * 100, 0.3, 0.4, 0.5)  # brake to 1
    assert manoeuvre_of(parse_vdf(FULL.replace("MAX_VALUE = 1\n", "MAX_VALUE = 100\n"))).begin.braking == 0.3 * 100


def test_the_second_brake_and_motorcycles_are_read_and_told() -> None:
    text = (EVENTS / "braking_in_turn.vdf").read_text()
    stage = manoeuvre_of(parse_vdf(text)).stages[1]
    assert stage.braking2 is not None and stage.braking2.method == "user"
    signal = text.replace("(BRAKING2)\nMETHOD = 'USER'", "(BRAKING2)\nMETHOD = 'OPENLOOP'\nSIGNAL = 'HARD'")
    m = manoeuvre_of(parse_vdf(signal.replace("CAR_STANDARD", "MOTORCYCLE_STANDARD")))
    assert m.signal_of(m.stages[1], "braking2") == m.signals["HARD"] and m.settings.model == "motorcycle"
    assert again(m) == m
    told = parse_vdf(text.replace("CAR_STANDARD", "MOTORCYCLE_STANDARD")).report.warnings
    assert any("motorcycles are not modelled" in p.message for p in told)


def test_the_page_of_the_documentation_names_every_kind_of_block() -> None:
    page = (Path(__file__).parents[2] / "docs" / "manoeuvre_files.md").read_text()
    rows = {line.split("|")[1].strip(): line for line in page.splitlines() if line.startswith("| ")}
    for row, words in (
        ("a signal", schema.SIGNALS),
        ("a speed", schema.SPEEDS),
        ("a path", {**schema.PATHS, **schema.SHAPES}),
        ("an end condition", {key.name: key for key in schema.END_CONDITION.keys}),
        ("a manoeuvre", dict.fromkeys(f"({name})" for name in ("STEERING", "CLUTCH", "BRAKING2", *schema.MODULES))),
    ):
        told = set(re.findall(r"\(?[A-Z][A-Z0-9_]+\)?", rows[row].replace("(STRAIGHT, SKIDPAD)", "STRAIGHT SKIDPAD")))
        assert set(words) <= told, (row, set(words) - told)
    assert all(f"[{name}]" in page for name in schema.FIXED if name != "DEBUG_PARAMETERS")
