"""Files of manoeuvres driven by a car: units, signals of an XML event, recorded controls, maps, ends."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jounce as jn
from cars import compact
from jounce.events import find
from jounce.events.manoeuvres import Routes
from jounce.files.dcd import dcd_of_run, dcd_text
from jounce.manoeuvre import Manoeuvre
from jounce.sim.speed_profile import Limits
from vdf_texts import METERS, NEWTONS, RADIANS, SECONDS

MANOEUVRE = find("manoeuvre")
HAND, THROTTLE, BRAKE = (f"driver.demand.{name}" for name in ("steering_wheel", "throttle", "brake"))
NUMBER, TARGET, SPEED = "driving_machine_monitor.maneuver_ID", "driver.target_speed", "chassis_velocities.longitudinal"
STATION, OFFSET = "driving_machine_monitor.path_s", "driving_machine_monitor.path_distance"
CIRCLE = {
    "kind": "skidpad",
    "radius": 50,
    "entry_length": 20,
    "entry_angle": "10 deg",
    "angle": "100 deg",
    "side": "right",
}
QUIET: dict[str, Any] = {"throttle": 0.0, "braking": 0.0}


def drive(*stages: dict[str, Any], interval: float = 0.01, inputs: Any = None, **more: Any) -> Any:
    data = {"begin": {"speed": 15}, "settings": {"placement": "automatic"}, "stages": list(stages), **more}
    return jn.run(compact(), MANOEUVRE(**data), interval=interval, inputs=inputs, channels=None)


def rows_of(run: Any, number: int) -> Any:
    return np.flatnonzero(run[NUMBER] == number)


# --- units of a file -------------------------------------------------------------------------------------------------

EVENT = """
[GLOBAL_SETTINGS]
PATH_POSITIONING = 'AUTOMATIC'
[CONTROLLER_STANDARD]
PREVIEW_TIME = <0.7 s>
MIN_PREVIEW_DISTANCE = <6 m>
STEERING_RATE_LIMITER_ACTIVE = 'TRUE'
STEERING_MAX_RATE = <11 rad/s>
[STEERING_STANDARD]
MAX_VALUE = <8 rad>
MIN_VALUE = <-1.5 rad>
[STARTUP]
INITIAL_SPEED = <14 m/s>
[MANEUVERS_LIST]
{ name abort_time sampling_step }
'IN' <9 s> <0.01 s>
'WAVE' <0.8 s> <0.01 s>
'SWEEP' <0.8 s> <0.02 s>
[IN]
CONTROLLER_SETTINGS = 'CONTROLLER_STANDARD'
(STEERING)
METHOD = 'MACHINE'
(THROTTLE)
METHOD = 'MACHINE'
(BRAKING)
METHOD = 'MACHINE'
(GEAR)
METHOD = 'MACHINE'
(CLUTCH)
METHOD = 'MACHINE'
(MACHINE)
PATH = 'PAD'
SPEED = 'SLOWER'
(END_CONDITIONS)
{ name }
'TURNED'
[WAVE]
CONTROLLER_SETTINGS = 'CONTROLLER_STANDARD'
(STEERING)
METHOD = 'OPENLOOP'
SIGNAL = 'S_WAVE'
SMOOTHING_ACTIVE = 'TRUE'
SMOOTHING_TIME = <0.15 s>
(THROTTLE)
METHOD = 'OPENLOOP'
SIGNAL = 'T_RAMP'
(BRAKING)
METHOD = 'OPENLOOP'
SIGNAL = 'B_NONE'
(GEAR)
METHOD = 'MACHINE'
(CLUTCH)
METHOD = 'MACHINE'
[SWEEP]
CONTROLLER_SETTINGS = 'CONTROLLER_STANDARD'
(STEERING)
METHOD = 'OPENLOOP'
SIGNAL = 'S_SWEEP'
(THROTTLE)
METHOD = 'MACHINE'
(BRAKING)
METHOD = 'MACHINE'
(GEAR)
METHOD = 'MACHINE'
(CLUTCH)
METHOD = 'MACHINE'
(MACHINE)
SPEED = 'FASTER'
[PAD]
TYPE = 'SHAPE'
SHAPE_NAME = 'SKIDPAD'
RADIUS = <40 m>
TURN_SIDE = 'LEFT'
STARTING_LENGTH = <12 m>
AMPLITUDE = <3 rad>
SMOOTHING_AMPLITUDE = <0.2 rad>
OVERALL_LENGTH = <150 m>
STEP_SIZE = <0.5 m>
[SLOWER]
TYPE = 'MAP'
X_DATA = 'PATH_S'
Y_DATA = 'LONVEL'
INTERPOLATION = 'LINEAR'
(VALUES)
{ s v }
<0 m> <14 m/s>
<30 m> <12 m/s>
[FASTER]
TYPE = 'MAP'
X_DATA = 'TIME'
Y_DATA = 'LONACC'
INTERPOLATION = 'LINEAR'
(VALUES)
{ t a }
<0 s> <1 m/s2>
<0.5 s> <2 m/s2>
[TURNED]
MEASURE_NAME = 'YAW_ANGLE'
TEST_TYPE = '>>'
REF_VALUE = <0.9 rad>
TOLERANCE = <0.05 rad>
FILTERING_TIME = <0.05 s>
[S_WAVE]
TYPE = 'SINE'
AMPLITUDE = <1.8 rad>
FREQUENCY = <1.25 1/s>
INITIAL_PHASE = <0.4 rad>
[T_RAMP]
TYPE = 'RAMP'
X0 = <0.1 s>
X1 = <0.5 s>
SLOPE = <0.5 1/s>
[B_NONE]
TYPE = 'CONSTANT'
VALUE = 0
[S_SWEEP]
TYPE = 'SWEPT'
X0 = <0.05 s>
AMPLITUDE = <0.2 rad>
INITIAL_FREQUENCY = <0.5 1/s>
FREQUENCY_RATE = <2 1/s2>
MAX_FREQUENCY = <2.5 1/s>
"""


def written(length: str, angle: str, time: str, force: str) -> str:
    """The event in any units, by a table of the test's own."""
    m, rad, s = METERS[length], RADIANS[angle], SECONDS[time]
    factors = {"m": m, "s": s, "rad": rad, "m/s": m / s, "m/s2": m / s**2, "rad/s": rad / s, "1/s": 1 / s,
               "1/s2": 1 / s**2}  # fmt: skip
    body = re.sub(r"<([-\d.]+) ([^>]+)>", lambda found: repr(float(found[1]) / factors[found[2]]), EVENT)
    units = f"LENGTH = '{length}'\nANGLE = '{angle}'\nFORCE = '{force}'\nMASS = 'kg'\nTIME = '{time}'\n"
    return f"[VIGRADE_HEADER]\nFILE_TYPE = 'vdf'\n[UNITS]\n{units}{body}"


def test_an_event_in_other_units_is_the_same_run(tmp_path: Path) -> None:
    runs = []
    for k, words in enumerate((("meter", "radian", "second", "newton"), ("mm", "deg", "ms", "kN"))):
        assert words[3] in NEWTONS
        file = tmp_path / f"event{k}.vdf"
        file.write_text(written(*words))
        event = MANOEUVRE(file=str(file), x=4.0, y=-9.0, heading=0.3)
        runs.append(jn.run(compact(), event, interval=0.01, channels=None))
    here, there = runs
    assert len(here.time) == len(there.time)
    first, second = (run.metadata["triggers"] for run in runs)
    assert [item["time"] for item in first] == pytest.approx([item["time"] for item in second], abs=1e-12)
    assert first[0]["name"] == "TURNED" and set(here[NUMBER]) == {1.0, 2.0, 3.0}
    for name in (
        HAND,
        THROTTLE,
        BRAKE,
        SPEED,
        TARGET,
        OFFSET,
        "chassis_velocities.yaw",
        "chassis_displacements.lateral",
    ):
        # conversions round to 1e-16 each; the loop of the driver grows that over 600 samples
        np.testing.assert_allclose(there[name], here[name], rtol=1e-9, atol=1e-9, err_msg=name)
    assert np.ptp(here[HAND]) > 0.4 and here[HAND].min() == -1.5  # the limit of the file


# --- controls of an XML event ----------------------------------------------------------------------------------------

XML = """<DcfEvent name="signals" speed="16000" staticSetup="straight">
  <DcfUnits length="mm" angle="deg" force="newton" mass="kg" time="sec"/>
  <MiniManeuvers>{stages}</MiniManeuvers>
</DcfEvent>"""


def cubic(z: Any) -> Any:
    z = np.clip(z, 0, 1)
    return 3 * z**2 - 2 * z**3


CONTROLS: list[tuple[str, Any]] = [  # attributes, degrees over time and the value before
    ('controlType="constant" controlMode="absolute" controlValue="7"', lambda t, y: 7 + 0 * t),
    ('controlType="constant" controlMode="relative" controlValue="-4"', lambda t, y: y - 4 + 0 * t),
    ('controlType="step" controlMode="absolute" startTime="0.1" duration="0.2" finalValue="-12"',
     lambda t, y: y + (-12 - y) * cubic((t - 0.1) / 0.2)),
    ('controlType="step" controlMode="relative" startTime="0.05" duration="0.3" finalValue="9"',
     lambda t, y: y + 9 * cubic((t - 0.05) / 0.3)),
    ('controlType="ramp" startTime="0.1" rampValue="-15"', lambda t, y: y - 15 * np.clip(t - 0.1, 0, None)),
    ('controlType="impulse" startTime="0.1" duration="0.3" maximumValue="6"',
     lambda t, y: y + 6 * (cubic((t - 0.1) / 0.15) - cubic((t - 0.25) / 0.15))),
    ('controlType="sine" startTime="0.05" cycleLength="0.4" amplitude="-8"',
     lambda t, y: y - 8 * np.sin(2 * np.pi * np.clip(t - 0.05, 0, 0.4) / 0.4)),
    ('controlType="swept_sine" startTime="0.1" amplitude="5" initialFrequency="1" frequencyRate="10" maxFrequency="3"',
     lambda t, y: y + np.where(t < 0.1 - 1e-9, 0, 5 * np.sin(2 * np.pi * np.where(
         t < 0.3, (t - 0.1) + 5 * (t - 0.1) ** 2, 0.4 + 3 * (t - 0.3))))),
    ('controlType="data_map"', lambda t, y: np.interp(t, [0, 0.2, 0.5], [3, -3, 1])),
]  # fmt: skip
POINTS = '<Point x="0" y="3"/><Point x="0.2" y="-3"/><Point x="0.5" y="1"/>'


@pytest.fixture(scope="module")
def xml_run(tmp_path_factory: pytest.TempPathFactory) -> Any:
    stages = "".join(
        f'<DcfMini name="s{k}" active="yes" abortTime="0.5">'
        f'<Steering actuatorType="rotation" controlMethod="open" {words}>{POINTS if "map" in words else ""}</Steering>'
        '<Throttle controlMethod="open" controlType="constant" controlValue="20"/>'
        '<Braking controlMethod="open" controlType="constant" controlValue="10"/>'
        '<Gear controlMethod="machine"/><Clutch controlMethod="machine"/></DcfMini>'
        for k, (words, _) in enumerate(CONTROLS)
    )
    file = tmp_path_factory.mktemp("xml") / "signals.xml"
    file.write_text(XML.format(stages=stages))
    return jn.run(compact(), MANOEUVRE(file=str(file), heading=-2.0), interval=0.01, channels=None)


@pytest.mark.parametrize(
    "k", range(len(CONTROLS)), ids=[words.split('"')[1] + str(k) for k, (words, _) in enumerate(CONTROLS)]
)
def test_controls_of_an_xml_event_follow_their_closed_forms(xml_run: Any, k: int) -> None:
    rows = rows_of(xml_run, k + 1)
    before = 0.0
    for _, form in CONTROLS[:k]:
        before = float(form(np.array([0.5]), before)[0])
    time = xml_run.time[rows] - xml_run.time[rows[0]]
    np.testing.assert_allclose(np.degrees(xml_run[HAND][rows]), CONTROLS[k][1](time, before), atol=1e-9)
    np.testing.assert_allclose(xml_run[THROTTLE][rows], 0.2, atol=1e-12)  # of 100
    np.testing.assert_allclose(xml_run[BRAKE][rows], 0.1, atol=1e-12)


# --- recorded controls -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def recorded() -> Any:
    """A bend with the brake on, driven by hand wheel signals and the driver's pedals; without half steps."""
    stage = {"name": "a", "steering": {"kind": "step", "begin": 0.2, "end": 0.9, "last": -0.4}, "speed": "12 m/s",
             "abort_time": 1.4}  # fmt: skip
    return _replayed(stage, 0.001)


def _replayed(stage: dict[str, Any], interval: float, folder: Path | None = None) -> Any:
    follows = {"name": "path", "path": {"kind": "straight", "length": 400}, "speed": "maintain", "abort_time": 0.1}
    data = {"begin": {"speed": 15}, "settings": {"placement": "automatic"}, "stages": [stage, follows]}
    event = MANOEUVRE(**data, heading=2.4, **({} if folder is None else {"folder": str(folder)}))
    return jn.run(compact(), event, interval=interval, method="Euler", channels=None)


@pytest.mark.parametrize(("ordinal", "over"), [("time", ""), ("distance", "driver.distance"), ("path_s", STATION)])
def test_a_run_is_driven_again_from_its_own_dcd(recorded: Any, tmp_path: Path, ordinal: Any, over: str) -> None:
    last = int(np.flatnonzero(recorded[NUMBER] == 1)[-1])
    (tmp_path / "own.dcd").write_text(dcd_text(dcd_of_run(recorded, ordinal, over)))
    data = {"kind": "measured", "file": "own.dcd"}
    stage = {"name": "a", "steering": data, "throttle": data, "braking": data, "abort_time": 1.4}
    again = _replayed(stage, 0.001, tmp_path)
    # over a way values come by up to two steps late, 2 ms of the fastest steering, 0.9 rad/s, and of what follows from
    # it; so those of now or of the steps before are as good
    late, back = (1e-3, 0) if ordinal == "time" else (4e-3, 2)
    for name in (HAND, THROTTLE, BRAKE, SPEED, "chassis_velocities.yaw", "chassis_displacements.lateral"):
        rows = [recorded[name][back - k : last - k] for k in range(back + 1)]
        atol = late * max(float(np.abs(recorded[name][: last + 1]).max()), 0.1)
        found = again[name][back:last]
        assert np.all(found >= np.min(rows, axis=0) - atol) and np.all(found <= np.max(rows, axis=0) + atol), name
    assert recorded[BRAKE][:last].max() > 0.05 and recorded[HAND][last] == pytest.approx(-0.4)


# --- maps, options, ends ---------------------------------------------------------------------------------------------


def test_maps_over_the_station_count_from_the_stage_or_from_the_run() -> None:
    """On one path, a map counts from where its stage was entered, or along the path."""
    ramp = {"kind": "map", "over": "station", "x": [0, 200], "y": [15, 5]}
    way = {"path": {"kind": "straight", "length": 400}, "abort_time": 1.0}
    run = drive({"name": "a", **way, "speed": "maintain"}, {"name": "local", **way, "speed": ramp},
                {"name": "global", **way, "speed": ramp, "options": {"global_station": True}}, heading=1.1)  # fmt: skip
    s = run[STATION]
    for number, origin in ((2, None), (3, 0.0)):
        rows = rows_of(run, number)
        begin = s[rows[0]] if origin is None else origin
        # a step of 1 ms late, at 15 m/s, of a map that falls by 0.05 per metre
        np.testing.assert_allclose(run[TARGET][rows], 15 - (s[rows] - begin) / 20, atol=2e-3)
        assert s[rows[0]] > 12


def test_measured_signals_over_a_way_count_from_the_stage_or_along_the_path() -> None:
    x, y = [0.0, 5.0, 30.0], [0.0, 0.1, -0.2]
    way = {"kind": "measured", "x": x, "y": y}
    follow = {"path": {"kind": "straight", "length": 400}, "speed": "maintain", "abort_time": 0.6}
    run = drive(
        {"name": "a", **follow},
        {"name": "distance", "steering": {**way, "over": "distance"}, **QUIET, "abort_time": 0.6},
        {"name": "station", "steering": {**way, "over": "station"}, **QUIET, "abort_time": 0.6},
        heading=-0.7,
    )
    for number, place in ((2, "driver.distance"), (3, STATION)):
        rows = rows_of(run, number)
        at = run[place][rows] - (run[place][rows[0]] if number == 2 else 0.0)
        # a step of 1 ms late at 15 m/s, of 0.02 rad/m
        np.testing.assert_allclose(run[HAND][rows], np.interp(at, x, y), atol=6e-4)
    assert run[STATION][rows_of(run, 3)[0]] > 15


@pytest.mark.parametrize("options", [{}, {"end_tolerance": 12.5}, {"end_tolerance": 0.0}, {"end_of_path_check": False}])
def test_the_end_of_a_path_ends_a_stage_only_where_it_is_looked_at(options: dict[str, Any]) -> None:
    run = drive({"name": "a", "path": {"kind": "straight", "length": 45}, "speed": "maintain", "abort_time": 2.7,
                 "options": options})  # fmt: skip
    (last,) = run.metadata["triggers"]
    if options.get("end_of_path_check", True):  # by the preview point, as seen every 10 ms at 15 m/s
        expected = 45.0 - options.get("end_tolerance", 5.0)
        assert last["name"] == "end of the path" and last["time"] < 2.65
        assert expected <= last["tests"][0][1] < expected + 0.3
    else:
        assert last["name"] == "abort time"
        assert last["time"] == pytest.approx(2.7, abs=1e-9)


def test_a_stage_has_its_path_placed_in_its_own_way() -> None:
    points = {"kind": "points", "px": [2, 10, 200], "py": [1, 1, 3], "x": 100.0, "y": 50.0}
    stages = [{"name": how, "path": points, "speed": "maintain", "options": {"placement": how}, "abort_time": 1}
              for how in ("absolute", "automatic", "raw")]  # fmt: skip
    stages.append({"name": "as all", "path": points, "speed": "maintain", "abort_time": 1})
    routes = Routes(Manoeuvre(stages=stages, settings={"placement": "raw"}), (7.0, -4.0, 0.6), 10.0)
    found = [routes.path(stage) for stage in Manoeuvre(stages=stages).stages]
    places = [(float(path.x[0]), float(path.y[0]), float(path.heading[0])) for path in found if path is not None]
    along = found[2].heading[0]  # type: ignore[union-attr]
    expected = [(102.0, 51.0, along), (7.0, -4.0, 0.6), (2.0, 1.0, along), (2.0, 1.0, along)]
    np.testing.assert_allclose(places, expected, atol=1e-9)


@pytest.mark.parametrize(("interpolation", "told"), [("linear", False), ("cubic", True), ("quintic", True)])
def test_a_spline_that_overshoots_is_told(interpolation: str, told: bool) -> None:
    x, y = [0, 1, 2, 3, 4, 5], [15, 15, 15, 14, 14, 14]
    speed = {"kind": "map", "over": "time", "x": x, "y": y, "interpolation": interpolation}
    run = drive({"name": "odd", "steering": 0, "speed": speed, "abort_time": 0.05})
    found = [text for text in run.warnings if "spline of the speed goes" in text]
    assert bool(found) == told
    if told:
        percent = float(re.search(r"goes ([\d.]+) %", found[0])[1])  # type: ignore[index]
        from scipy.interpolate import make_interp_spline

        degree = 3 if interpolation == "cubic" else 5
        fine = make_interp_spline(x, y, k=degree)(np.linspace(0, 5, 5001))
        beyond = max(fine.max() - 15, 14 - fine.min())
        assert percent == pytest.approx(100 * beyond, rel=0.2) and "stage 'odd'" in found[0]


def test_speeds_of_a_path_file_are_followed(tmp_path: Path) -> None:
    """Of the file of the path, and of another one; scaled; a column of speeds at uneven stations."""
    rows = [(0, 15.0), (7, 14.0), (20, 12.5), (60, 13.5), (200, 13.5)]
    text = "# x y width lat.inc speed z\n"
    (tmp_path / "own.drd").write_text(text + "".join(f"{x} 0 5 0 {v} 0\n" for x, v in rows))
    (tmp_path / "other.drd").write_text(text + "".join(f"0 {x} 5 0 {v - 2} 0\n" for x, v in rows))
    path = {"kind": "file", "file": "own.drd", "interpolation": "none"}
    run = drive(
        {"name": "own", "path": path, "speed": {"kind": "path_speed", "scale": 1.1, "interpolation": "linear"},
         "abort_time": 1.0},
        {"name": "other", "path": path, "speed": {"kind": "path_speed", "file": "other.drd"}, "abort_time": 1.0},
        folder=str(tmp_path),
    )  # fmt: skip
    x, v = np.array(rows).T
    for number, scale, less in ((1, 1.1, 0.0), (2, 1.0, 2.0)):
        k = rows_of(run, number)
        # a step of 1 ms late, and points of the path a quarter of a metre apart over a bend of the line
        np.testing.assert_allclose(run[TARGET][k], scale * (np.interp(run[STATION][k], x, v) - less), atol=0.02)


def test_an_abort_ends_the_run_and_an_end_only_its_stage() -> None:
    second = {"name": "b", "steering": 0, **QUIET, "abort_time": 0.2}

    def stage(action: str) -> dict[str, Any]:
        ends = [
            {"measure": "time", "test": ">=", "reference": 0.1, "group": "both", "action": action},
            {"measure": "global_traveled_distance", "test": ">=", "reference": 3.0, "group": "both"},
        ]
        return {"name": "a", "steering": 0, **QUIET, "ends": ends, "abort_time": 5}

    run = drive(stage("end"), second)
    assert list(dict.fromkeys(run[NUMBER])) == [1, 2]
    assert run.metadata["triggers"][0]["time"] == pytest.approx(0.2, abs=0.0101)  # 3 m at 15 m/s, after the 0.1 s
    run = drive(stage("abort"), second)
    assert list(dict.fromkeys(run[NUMBER])) == [1] and "a: " in run.reason and "(abort)" in run.reason
    assert len(run.metadata["triggers"][0]["tests"]) == 2


def test_hints_of_grip_slow_the_car_where_speed_is_automatic(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a circle v = √(f m a_y R): with a quarter of the grip from 30 m on, half of the speed there."""
    known = Limits(8.0, 9.0, np.array([0.0, 100.0]), np.array([5.0, 5.0]), 60.0)
    monkeypatch.setattr("jounce.events.limits.limits_of", lambda vehicle: known)
    circle = {**CIRCLE, "entry_length": 0, "entry_angle": 0, "angle": "200 deg"}
    speed = math.sqrt(0.5 * 8.0 * 50)
    told = {"prediction": {"x": [0, 30, 30.5, 400], "y": [1, 1, 0.25, 0.25]}}
    first = {}
    for name, more in (("plain", {}), ("slow", told)):
        run = drive({"name": "a", "path": circle, "speed": "auto 0.5", "abort_time": 4.5}, begin={"speed": 12}, **more)
        assert not [text for text in run.warnings if "prediction" in text]
        late = run[STATION] > 33
        first[name] = run[TARGET][late]
        assert len(first[name]) > 10
    np.testing.assert_allclose(first["plain"], speed, rtol=5e-3)
    np.testing.assert_allclose(first["slow"], speed / 2, rtol=5e-3)
