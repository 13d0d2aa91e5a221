"""SDF, DCF and XML events as VDF: every row of the mapping, in SI, and nothing dropped."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jounce.core.errors import FormatError
from jounce.core.library import LIBRARY
from jounce.files.smart_driver import convert_event, convert_text
from jounce.files.vdf import parse_vdf
from jounce.files.vdf_model import manoeuvre_of
from jounce.manoeuvre.model import Manoeuvre
from smart_driver_texts import DCF, SDF, XML

DEG = math.pi / 180
BESIDE = str(LIBRARY / "events" / "converted.vdf")  # the data file of the SDF lies there


def block(text: str, name: str) -> str:
    """A block of a file, without its heading."""
    found = re.search(rf"^\[{re.escape(name)}\]\n(.*?)(?=^\[|\Z)", text, re.MULTILINE | re.DOTALL)
    assert found is not None, f"[{name}] is missing"
    return found[1]


def manoeuvre(text: str) -> Manoeuvre:
    return manoeuvre_of(parse_vdf(text, BESIDE))


@pytest.fixture(scope="module")
def vdf() -> str:
    return convert_text(SDF, ".sdf", "event.sdf").text()


# --- the tables of the mapping, row by row ---------------------------------------------------------------------------


def test_a_whole_sdf_becomes_a_manoeuvre(vdf: str) -> None:
    m = manoeuvre(vdf)
    assert [stage.name for stage in m.stages] == ["OPEN1", "OPEN2", "DRIVE1", "DRIVE2", "DRIVE3"]
    assert [stage.abort_time for stage in m.stages] == [6, 5, 9, 8, 7] and m.stages[1].sample_time == 0.02
    assert m.begin.speed == 20 and m.begin.gear == 3 and m.begin.setup == "off"
    assert m.begin.steering == pytest.approx(10 * DEG) and m.begin.throttle == pytest.approx(30)
    assert "LENGTH   = 'meter'" in vdf and "ANGLE    = 'radian'" in vdf


@pytest.mark.parametrize(
    ("theirs", "ours"), [("NONE", "OFF"), ("NORMAL", "OFF"), ("SETTLE", "OFF"), ("STRAIGHT", "STRAIGHT")]
)
def test_static_setup(theirs: str, ours: str) -> None:
    text = convert_text(SDF.replace("'SETTLE'", f"'{theirs}'"), ".sdf").text()
    assert f"INITIAL_SETUP = '{ours}'\n" in block(text, "STARTUP")


def test_a_setup_in_a_circle_is_not_supported() -> None:
    found = convert_text(SDF.replace("'SETTLE'", "'SKIDPAD'"), ".sdf")
    assert "[MANEUVER] STATIC_SETUP = 'SKIDPAD'" in found.unsupported
    assert "INITIAL_SETUP = 'OFF'\n" in block(found.text(), "STARTUP")


def test_methods_and_smoothing_of_channels(vdf: str) -> None:
    assert block(vdf, "OPEN1_STEERING") == (
        "METHOD = 'OPENLOOP'\nSIGNAL = 'OPEN1_STEERING_STEP'\nSMOOTHING_ACTIVE = 'TRUE'\nSMOOTHING_TIME = 0.2\n"
    )
    assert block(vdf, "OPEN1_CLUTCH") == "METHOD = 'USER'\nSMOOTHING_ACTIVE = 'TRUE'\nSMOOTHING_TIME = 0.2\n"
    machine = "METHOD = 'MACHINE'\nSMOOTHING_ACTIVE = 'TRUE'\nSMOOTHING_TIME = 0.1\n"  # the default of an SDF
    for channel in ("STEERING", "THROTTLE", "BRAKING", "GEAR", "CLUTCH"):
        assert block(vdf, f"DRIVE1_{channel}") == machine
    old = convert_text(SDF.replace("SMOOTHING_TIME = 0.2", "SMOOTING_TIME = 0.3"), ".sdf").text()
    assert "SMOOTHING_TIME = 0.3" in block(old, "OPEN1_GEAR")


@pytest.mark.parametrize(
    ("theirs", "ours"), [("TORQUE", "TORQUE"), ("TRANSLATION", "RACK_DISPLACEMENT"), ("FORCE", "RACK_FORCE")]
)
def test_other_actuators_are_kept_with_a_warning(theirs: str, ours: str) -> None:
    found = convert_text(SDF.replace("'ROTATION'", f"'{theirs}'"), ".sdf")
    assert f"STEERING_BY = '{ours}'" in block(found.text(), "OPEN1")
    assert any("ACTUATOR_TYPE" in p.key for p in found.report.warnings)
    scale = {"TORQUE": 1e-3, "TRANSLATION": 1e-3, "FORCE": 1.0}[theirs]  # N.mm, mm, N
    signal = manoeuvre(found.text()).signals["OPEN1_STEERING_STEP"]
    assert signal.last == pytest.approx(50 * scale)  # type: ignore[attr-defined]
    assert signal.first == 0  # type: ignore[attr-defined]  # INITIAL_STEER is an angle, and no torque or force


GOLDEN = {
    "OPEN1_STEERING_STEP": {"TYPE": "STEP", "CALC_MODE": "ABSOLUTE", "X0": 1, "X1": 1.5, "Y0": 10 * DEG,
                            "Y1": 50 * DEG},
    "OPEN1_THROTTLE_RAMP": {"TYPE": "RAMP", "CALC_MODE": "RELATIVE", "X0": 0.5, "SLOPE": 12, "AUTO_SCALING": "FALSE"},
    "OPEN1__BRAKING_IMPULSE": {"TYPE": "IMPULSE", "CALC_MODE": "RELATIVE", "X0": 2, "X1": 2.4, "MAX_VALUE": 25,
                               "AUTO_SCALING": "FALSE"},
    "OPEN1_GEAR_CONSTANT": {"TYPE": "CONSTANT", "CALC_MODE": "ABSOLUTE", "VALUE": 3},
    "OPEN2__STEERING_SINE": {"TYPE": "SINE", "CALC_MODE": "RELATIVE", "AMPLITUDE": -40 * DEG, "FREQUENCY": 0.4,
                             "INITIAL_PHASE": 0, "NUMBER_OF_CYCLES": 1, "X0": 0.75},
    "OPEN2__THROTTLE_SWEPT_SINE": {"TYPE": "SWEPT", "CALC_MODE": "RELATIVE", "X0": 0.3, "AMPLITUDE": 7,
                                   "INITIAL_FREQUENCY": 0.5, "FREQUENCY_RATE": 0.4, "MAX_FREQUENCY": 2,
                                   "AUTO_SCALING": "FALSE"},
    "OPEN2__BRAKING_DATA_DRIVEN": {"TYPE": "MEASURED", "CALC_MODE": "ABSOLUTE", "FILE_NAME": "replay.dcd",
                                   "AUTO_SCALING": "FALSE"},
    "OPEN2__GEAR_DATA_MAP": {"TYPE": "MAINTAIN"},
    "OPEN2_CLUTCH_CONSTANT": {"TYPE": "CONSTANT", "CALC_MODE": "RELATIVE", "VALUE": 0.25},
    "DRIVE1_STRAIGHT": {"TYPE": "SHAPE", "SHAPE_NAME": "STRAIGHT"},
    "DRIVE2_SKIDPAD": {"TYPE": "SHAPE", "SHAPE_NAME": "SKIDPAD", "RADIUS": 50, "STARTING_LENGTH": 30,
                       "AMPLITUDE": 4 * math.pi, "STEP_SIZE": 0.5, "TURN_SIDE": "RIGHT", "SMOOTHING_AMPLITUDE": 0},
    "PATH_1": {"TYPE": "NUMERIC_DATA", "INTERPOLATION": "CUBIC_SPLINE", "MIN_SEGMENT_LENGTH": 0.4, "REF_X": 1.5,
               "REF_AZ": math.pi / 2},
    "MAP_1": {"TYPE": "MAP", "X_DATA": "PATH_S", "Y_DATA": "LONVEL", "INTERPOLATION": "LINEAR"},
    "MAP_2": {"TYPE": "MAP", "X_DATA": "TIME", "Y_DATA": "LONACC", "INTERPOLATION": "LINEAR"},
    "OPEN2_END_COND_BLOCK_1": {"MEASURE_NAME": "VELOCITY", "TEST_TYPE": "<<", "REF_VALUE": 1.4, "TOLERANCE": 0.1,
                               "FILTERING_TIME": 0.1, "DELAY": 0.2},
    "OPEN2_END_COND_BLOCK_2": {"MEASURE_NAME": "YAW_RATE", "TEST_TYPE": "|>|", "REF_VALUE": 30 * DEG, "TOLERANCE": 0,
                               "FILTERING_TIME": 0, "DELAY": 0, "GROUP": "spin"},
    "OPEN2_END_COND_BLOCK_3": {"MEASURE_NAME": "MY_SENSOR", "TEST_TYPE": ">>", "REF_VALUE": 7, "TOLERANCE": 0,
                               "FILTERING_TIME": 0, "DELAY": 0, "GROUP": "spin"},
}  # fmt: skip


@pytest.mark.parametrize("name", GOLDEN)
def test_a_block_of_the_conversion(vdf: str, name: str) -> None:
    lines = [line.split(" = ", 1) for line in block(vdf, name).split("(")[0].splitlines()]
    found = {key: value.strip("'") if value.startswith("'") else float(value) for key, value in lines}
    assert found.keys() == GOLDEN[name].keys()
    for key, value in GOLDEN[name].items():
        assert found[key] == (value if isinstance(value, str) else pytest.approx(value, rel=1e-12)), key


def test_tables_are_in_si(vdf: str) -> None:
    m = manoeuvre(vdf)
    assert m.paths["PATH_1"].px == (0, 10, 20) and m.paths["PATH_1"].py == (0, 0.5, 2)  # type: ignore[attr-defined]
    assert m.paths["PATH_1"].pz == pytest.approx((0, 0.1, 0.2))  # type: ignore[attr-defined]
    assert m.speeds["MAP_1"].x == (0, 100) and m.speeds["MAP_1"].y == (20, 25)  # type: ignore[attr-defined]
    assert m.speeds["MAP_2"].x == (0, 4) and m.speeds["MAP_2"].y == (1, -0.5)  # type: ignore[attr-defined]


def test_speed_controls_choose_what_the_loop_is_closed_on(vdf: str) -> None:
    m = manoeuvre(vdf)
    modes = [(m.controller_of(stage).speed_control, stage.speed) for stage in m.stages[2:]]
    assert modes == [("speed", "MAP_1"), ("acceleration", "MAP_2"), ("speed", "MAP_2")]
    held = convert_text(SDF.replace("SPEED_CONTROL = 'MAP'", "SPEED_CONTROL = 'MAINTAIN'"), ".sdf").text()
    assert block(held, "DRIVE1_MAINTAIN") == "TYPE = 'MAINTAIN'\n"
    assert "SPEED = 'DRIVE1_MAINTAIN'" in block(held, "DRIVE1")
    assert "CONTROLLER_SETTINGS = 'CONTROLLER_STANDARD'" in block(held, "DRIVE1")
    lateral = convert_text(SDF.replace("SPEED_CONTROL = 'MAP'", "SPEED_CONTROL = 'LATACCMAP'"), ".sdf")
    assert [u for u in lateral.unsupported if "LATACCMAP" in u] == [
        "[DRIVE1] (MACHINE_CONTROL) SPEED_CONTROL = 'LATACCMAP' (the speed is held)"
    ]


@pytest.mark.parametrize(
    ("initial", "system", "time", "wanted"),
    [
        ("AUTO", "RELATIVE", "RELATIVE", [("automatic", False, False, False), ("automatic", True, False, False)]),
        ("ABSOLUTE", "ABSOLUTE", "RELATIVE", [("absolute", False, True, True), ("absolute", False, True, False)]),
        ("ABSOLUTE", "ABSOLUTE", "ABSOLUTE", [("absolute", False, True, True), ("absolute", False, True, True)]),
    ],
)
def test_systems_of_reference(initial: str, system: str, time: str, wanted: list[Any]) -> None:
    text = SDF.replace("'AUTO'", f"'{initial}'").replace("REF_SYSTEM = 'RELATIVE'", f"REF_SYSTEM = '{system}'")
    m = manoeuvre(convert_text(text.replace("MODE = 'RELATIVE'\n(ST", f"MODE = '{time}'\n(ST"), ".sdf").text())
    found = [
        (s.options.placement, s.options.connect_path, s.options.global_station, s.options.absolute_time)
        for s in m.stages[:2]
    ]
    assert found == wanted


def test_switches_gears_and_limits_with_the_defaults_of_an_sdf(vdf: str) -> None:
    m = manoeuvre(vdf)
    settings = m.controllers["CONTROLLER_STANDARD"]
    assert settings.min_preview_distance == 6.0 and settings.kick_down and settings.lift_control
    assert settings.feed_forward and not settings.limit_acceleration  # the first is the default
    assert m.clutch.throttle_in_shifts and m.clutch.min_speed == pytest.approx(750 * math.pi / 30)
    assert (m.steering.maximum, m.steering.minimum) == pytest.approx((540 * DEG, -530 * DEG))
    rows = m.gears.table
    assert [row.gear for row in rows] == [1, 2, 3] and (m.gears.minimum, m.gears.maximum) == (1, 3)
    assert [row.upshift * 30 / math.pi for row in rows] == pytest.approx([6000, 5500, 6000])
    assert [row.downshift * 30 / math.pi for row in rows] == pytest.approx([3000, 1800, 3000])
    timing = rows[0].up
    assert (timing.duration, timing.throttle_release, timing.clutch_open, timing.clutch_close) == (
        0.25,
        0.03,
        0.11,
        0.03,
    )
    assert (timing.throttle_press, timing.throttle_release_delay, timing.throttle_press_delay) == (0.03, 0, 0)


# --- nothing dropped -------------------------------------------------------------------------------------------------


def test_what_is_not_supported_is_listed_once_and_so_is_what_the_vehicle_knows() -> None:
    found = convert_text(SDF, ".sdf", "event.sdf")
    assert found.unsupported == [
        "[CONTROLLER] RPM_CONTROL",
        "[CONTROLLER] STEER_SIGMA_RESMAX (of motorcycles)",
        "[VEHICLE] GEAR_SHIFT_DELAY",
        "[OPEN2] (GEAR) CONTROL_TYPE = 'DATA_MAP' (the channel keeps its value)",
    ]
    told = [p.message for p in found.report.warnings]
    for key in found.unsupported:
        assert sum(key in message for message in told) == 1
    known = next(message for message in told if message.startswith("not needed, the vehicle has its own"))
    for key in ("STEERING_MODE", "WHEELBASE", "GEAR_1_RATIO", "STEERING_RATIO"):
        assert key in known
    assert sum("check by hand" in message for message in told) == 1  # the channel that plays a file
    assert sum("MY_SENSOR" in message for message in told) == 1


def test_keys_and_blocks_that_nobody_knows_are_listed() -> None:
    text = SDF.replace("RADIUS = 50000", "RADIUS = 50000\nWIDTH = 3") + "[TEA]\nSUGAR = 1\n"
    found = convert_text(text.replace("TASK = 'NORMAL'\nTIME", "TASK = 'NORMAL'\nMOOD = 'good'\nTIME"), ".sdf")
    assert {"[DRIVE2] (MACHINE_CONTROL) WIDTH", "[TEA]", "[OPEN2] MOOD"} <= set(found.unsupported)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("METHOD = 'USER'", "METHOD = 'HUMAN'", r"line \d+  \[OPEN1\] \(CLUTCH\) METHOD: found 'HUMAN'"),
        ("'SWEPT_SINE'", "'SWEPT'", r"\[OPEN2\] \(THROTTLE\) CONTROL_TYPE: found 'SWEPT'; did you mean 'SWEPT_SINE'"),
        ("DURATION = 0.5\n", "", r"\[OPEN1\] \(STEERING\) DURATION: missing"),
        ("CYCLE_LENGTH = 2.5", "CYCLE_LENGTH = 0", r"CYCLE_LENGTH: found 0 s; must be > 0"),
        ("'OPEN2' 5.0", "'OPEN9' 5.0", r"\[MANEUVER\] OPEN9: there is no such block; did you mean"),
        ("'PATH_1'\n", "'PATH_9'\n", r"DRIVER_PATH: found 'PATH_9'; there is no such block; did you mean 'PATH_1'"),
        (
            "SPEED_MAP = 'MAP_1'",
            "SPEED_MAP = 'MAP_2'",
            r"\[MAP_2\] MAP_TYPE: found 'ACCELERATION_T'; MAP follows speeds",
        ),
        ("INITIAL_SPEED = 20000\n", "", r"\[MANEUVER\] INITIAL_SPEED: missing"),
        ("'VELOCITY' '<<'", "'VELOCITY' '<~'", r"\(END_CONDITIONS\) test: found '<~'"),
        ("RADIUS = 50000\n", "", r"\(MACHINE_CONTROL\) RADIUS: missing"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(old: str, new: str, message: str) -> None:
    assert old in SDF
    with pytest.raises(FormatError, match=message):
        convert_text(SDF.replace(old, new, 1), ".sdf", "event.sdf")


# --- the same demands ------------------------------------------------------------------------------------------------


def smooth(x: Any) -> Any:
    x = np.clip(x, 0, 1)
    return x * x * (3 - 2 * x)


def test_the_demands_of_an_open_loop_file_stay_what_they_were(vdf: str) -> None:
    """The source's own definitions, in degrees and per cent, against equations (1) to (6) of the signals."""
    m = manoeuvre(vdf)
    t = np.linspace(0, 6, 601)
    s = m.signals["OPEN1_STEERING_STEP"]
    ours = s.first + (s.last - s.first) * smooth((t - s.begin) / (s.end - s.begin))  # type: ignore[attr-defined]
    theirs = 10 + (50 - 10) * smooth((t - 1) / 0.5)
    assert np.degrees(ours) == pytest.approx(theirs, abs=1e-12)
    r = m.signals["OPEN1_THROTTLE_RAMP"]
    ours = 30 + r.slope * np.clip(t - r.begin, 0, None)  # type: ignore[attr-defined]
    assert r.relative and not r.auto_scaling and r.end is None  # type: ignore[attr-defined]
    assert ours == pytest.approx(30 + 12 * np.clip(t - 0.5, 0, None))
    i = m.signals["OPEN1__BRAKING_IMPULSE"]
    middle = (i.begin + i.end) / 2  # type: ignore[attr-defined]
    ours = i.height * (smooth((t - i.begin) / (middle - i.begin)) - smooth((t - middle) / (i.end - middle)))  # type: ignore[attr-defined]
    assert ours == pytest.approx(25 * (smooth((t - 2) / 0.2) - smooth((t - 2.2) / 0.2)), abs=1e-12)
    w = m.signals["OPEN2__STEERING_SINE"]
    inside = (t >= w.begin) & (t <= w.begin + w.cycles / w.frequency)  # type: ignore[attr-defined]
    ours = np.where(inside, w.amplitude * np.sin(2 * np.pi * w.frequency * (t - w.begin) + w.phase), 0)  # type: ignore[attr-defined]
    theirs = np.where((t >= 0.75) & (t <= 3.25), -40 * np.sin(2 * np.pi * (t - 0.75) / 2.5), 0)
    assert np.degrees(ours) == pytest.approx(theirs, abs=1e-10)


# --- DCF and XML -----------------------------------------------------------------------------------------------------


def test_a_dcf_is_the_same_in_other_words() -> None:
    found = convert_text(DCF, ".dcf", "event.dcf")
    m = manoeuvre(found.text())
    assert found.unsupported == [] and "$ Low speed steer" in found.text()
    stage = m.stages[0]
    assert m.begin.speed == 8 and m.begin.setup == "straight" and m.begin.gear == 2 and not m.gears.table
    signal = m.signal_of(stage, "steering")
    assert signal.first == 0 and signal.last == pytest.approx(-math.pi / 2) and signal.end == 0.6  # type: ignore[union-attr]
    speed = m.speed_of(stage)
    assert speed.kind == "polynomial" and (speed.speed, speed.acceleration, speed.jerk, speed.begin) == (
        8,
        0.5,
        -0.1,
        1,
    )  # type: ignore[union-attr]
    assert stage.steering.smoothing == 0 and stage.gear.method == "open" and stage.throttle.method == "machine"
    assert [c.reference for _, c in m.conditions_of(stage)] == [8.0]  # a row without its last column


def test_xml_is_the_same_in_other_words() -> None:
    found = convert_text(XML, ".xml", "event.xml")
    m = manoeuvre(found.text())
    assert m.begin.speed == 16 and m.begin.gear == 3 and m.begin.setup == "off"
    follow, swing = m.stages
    assert follow.active and not swing.active and follow.abort_time == 5 and follow.sample_time == 0.02
    assert follow.steering.smoothing == 0.15 and follow.options.placement == "automatic"
    path, speed = m.path_of(follow), m.speed_of(follow)
    assert path.px == (0, 20, 40) and path.py == (0, 1, 4)  # type: ignore[union-attr]
    assert speed.x == (0, 30) and speed.y == (16, 14) and speed.over == "station"  # type: ignore[union-attr]
    first, second = (condition for _, condition in m.conditions_of(follow))
    assert (first.measure, first.test, first.reference, first.tolerance) == ("lat_accel", "==", 5.0, 0.1)
    assert (first.hold, first.delay, first.group, first.action) == (0.5, 0.1, "mygroup", "end")
    assert (second.measure, second.test, second.reference, second.action) == ("velocity", "<", 2.0, "abort")
    settings = m.controller_of(follow)
    assert settings.path_compensation_distance == 0.25 and settings.min_preview_distance == 5.5
    assert not settings.yaw_correction and settings.feed_forward and not settings.limit_acceleration
    assert settings.lift_control and not settings.kick_down
    assert [m.throttle.acceleration_gains.proportional, m.throttle.speed_gains.derivative] == [1.5, 6.5]
    assert m.gears.table[0].up.duration == 0.3 and m.gears.table[0].up.throttle_press_delay == 0.04
    swept = m.signal_of(swing, "steering")
    assert swept.amplitude == pytest.approx(30 * DEG) and swept.last_frequency == 1.1  # type: ignore[union-attr]
    data = m.signal_of(swing, "throttle")
    assert data.x == (0, 2) and data.y == (10, 20) and not data.auto_scaling  # type: ignore[union-attr]
    assert found.unsupported == ["[CONTROLLER] FRONT_AXLE_COUPLING", "[swing_LIGHTS]"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (XML.replace("<DcfEvent", "<!DOCTYPE x [<!ENTITY a 'b'>]><DcfEvent", 1), "document type or entities"),
        (XML.replace("</DcfEvent>", ""), r"event.xml: line \d+: not well-formed XML"),
        (
            XML.replace('target="path_map"', 'target="path_mop"'),
            r"line 11: .* target: found 'path_mop'; did you mean 'PATH_MAP'",
        ),
        (XML.replace('y="1000"', 'y="far"'), r"line 12: POINT: found .*expected two or more numbers"),
        ("<a/>", r"\[MANEUVER\] .*missing"),
        ("", "not well-formed XML"),
    ],
)
def test_bad_xml_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        convert_text(text, ".xml", "event.xml")


def test_files_are_converted_by_their_endings(tmp_path: Path) -> None:
    for ending, text in ((".sdf", SDF), (".dcf", DCF), (".xml", XML)):
        (tmp_path / f"a{ending}").write_text(text)
        assert convert_event(tmp_path / f"a{ending}").text() == convert_text(text, ending).text()
    with pytest.raises(FormatError, match=r"ends with '\.vdf'"):
        convert_event(tmp_path / "a.vdf")
