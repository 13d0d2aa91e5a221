"""Manoeuvres driven by a car: signals, targets, conditions, limits, and files that are refused."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import jounce as jn
from cars import compact
from jounce.core.errors import FormatError, ParameterError
from jounce.core.generated import Variable
from jounce.events import find
from jounce.events.manoeuvre_files import read_manoeuvre
from jounce.events.manoeuvres import Compiler, continued, in_file_units, placed, skidpad_segments, spline
from jounce.manoeuvre import Manoeuvre, targets
from jounce.road.path import Path, joined
from jounce.runtime.program import When

MANOEUVRE = find("manoeuvre")
HAND, THROTTLE, BRAKE = (f"driver.demand.{name}" for name in ("steering_wheel", "throttle", "brake"))
NUMBER, TARGET, SPEED = "driving_machine_monitor.maneuver_ID", "driver.target_speed", "chassis_velocities.longitudinal"
QUIET: dict[str, Any] = {"throttle": 0.0, "braking": 0.0}


def drive(*stages: dict[str, Any], inputs: Any = None, **more: Any) -> Any:
    """A car of tests through stages, from 20 m/s; every row is a step."""
    event = MANOEUVRE(**{"begin": {"speed": 20}, "stages": list(stages), **more})
    return jn.run(compact(), event, interval=0.01, inputs=inputs, channels=None)


def of_stage(run: Any, number: int) -> tuple[Any, Any]:
    """Time in a stage, and its rows."""
    rows = np.flatnonzero(run[NUMBER] == number)
    return run.time[rows] - run.time[rows[0]], rows


# --- signals ---------------------------------------------------------------------------------------------------------


def cubic(z: Any) -> Any:
    z = np.clip(z, 0, 1)
    return 3 * z**2 - 2 * z**3


SIGNALS: list[tuple[dict[str, Any], Any]] = [
    ({"kind": "constant", "value": "-3 deg"}, lambda t, y: math.radians(-3) + 0 * t),
    ({"kind": "constant", "value": 0.1, "relative": True, "scale": 0.5}, lambda t, y: y + 0.05 + 0 * t),
    ({"kind": "step", "begin": 0.1, "end": 0.5, "first": 0.02, "last": -0.2},
     lambda t, y: 0.02 - 0.22 * cubic((t - 0.1) / 0.4)),
    ({"kind": "step5", "end": 0.5, "last": 0.2, "relative": True},
     lambda t, y: y + 0.2 * sum(c * np.clip(t / 0.5, 0, 1) ** n for n, c in ((3, 10), (4, -15), (5, 6)))),
    ({"kind": "sine", "amplitude": "5 deg", "frequency": 2, "phase": 0.3, "cycles": 1},
     lambda t, y: math.radians(5) * np.sin(4 * np.pi * np.minimum(t, 0.5) + 0.3)),
    ({"kind": "cosine", "amplitude": 0.05, "frequency": 1.5, "phase": -0.2},
     lambda t, y: 0.05 * np.cos(3 * np.pi * t - 0.2)),
    ({"kind": "swept", "begin": 0.1, "amplitude": 0.05, "first_frequency": 1, "frequency_rate": 10,
      "last_frequency": 3},
     lambda t, y: np.where(t < 0.1 - 1e-9, y, 0.05 * np.sin(2 * np.pi * np.where(
         t < 0.3, (t - 0.1) + 5 * (t - 0.1) ** 2, 0.2 + 0.2 + 3 * (t - 0.3))))),
    ({"kind": "ramp", "begin": 0.2, "end": 0.4, "slope": "20 deg/s", "relative": True},
     lambda t, y: y + math.radians(20) * np.clip(t - 0.2, 0, 0.2)),
    ({"kind": "impulse", "begin": 0.1, "end": 0.5, "height": -0.1},
     lambda t, y: -0.1 * (cubic((t - 0.1) / 0.2) - cubic((t - 0.3) / 0.2))),
    ({"kind": "maintain"}, lambda t, y: y + 0 * t),
    ({"kind": "measured", "x": [-0.1, 0.2, 0.4], "y": [0.0, 0.06, -0.02]},
     lambda t, y: np.interp(t, [-0.1, 0.2, 0.4], [0.0, 0.06, -0.02])),
]  # fmt: skip


@pytest.fixture(scope="module")
def signals() -> Any:
    stages = [
        {"name": f"s{k}", "steering": data, **QUIET, "ends": ["time >= 0.6 s"]} for k, (data, _) in enumerate(SIGNALS)
    ]
    return drive(*stages, x=3, y=4, heading=-1.2)


@pytest.mark.parametrize("k", range(len(SIGNALS)))
def test_signals_follow_their_closed_forms(signals: Any, k: int) -> None:
    time, rows = of_stage(signals, k + 1)
    before = signals[HAND][rows[0] - 1] if k else 0.0
    if k:  # the row before the switch is one interval old; the value at the switch is that of the form at its end
        before = float(SIGNALS[k - 1][1](np.array([0.6]), _entry(signals, k - 1))[0])
    np.testing.assert_allclose(signals[HAND][rows], SIGNALS[k][1](time, before), atol=1e-9)


def _entry(run: Any, k: int) -> float:
    """Value of the channel when stage k is entered, by the forms of those before it."""
    value = 0.0
    for _, form in SIGNALS[:k]:
        value = float(np.asarray(form(np.array([0.6]), value))[0])
    return value


def test_inactive_stages_blends_and_limits() -> None:
    run = drive(
        {"name": "a", "steering": {"kind": "ramp", "slope": 0.5}, **QUIET, "abort_time": 0.4},
        {"name": "never", "active": False, "steering": 1.0, **QUIET, "abort_time": 1},
        {"name": "c", "steering": {"signal": -0.1, "smoothing": 0.2}, "throttle": 0.0, "braking": 0.05,
         "abort_time": 0.4},
        {"name": "d", "steering": {"signal": 2.0, "smoothing": 0.1}, "speed": "maintain", "abort_time": 0.3},
        steering={"minimum": -0.3, "maximum": 0.25},
        begin={"speed": 20, "setup": "off", "throttle": 0.0, "braking": 0.0},
    )  # fmt: skip
    assert set(run[NUMBER]) == {1, 3, 4}
    time, rows = of_stage(run, 3)
    np.testing.assert_allclose(run[HAND][rows], 0.2 + (-0.1 - 0.2) * cubic(time / 0.2), atol=1e-9)
    _, rows = of_stage(run, 4)
    assert run[HAND][rows[0]] == pytest.approx(run[HAND][rows[0] - 1], abs=1e-9)  # no jump at the switch
    assert run[HAND].max() == 0.25 and run[HAND].min() >= -0.3
    assert [item["next"] for item in run.metadata["triggers"]] == ["c", "d", ""]


def test_a_pedal_that_the_driver_takes_over_is_blended() -> None:
    """From an open throttle to the driver's: his share grows by the cubic."""
    run = drive(
        {"name": "open", "steering": 0, "throttle": 0.5, "braking": 0, "abort_time": 0.3},
        {"name": "his", "steering": 0, "speed": "maintain", "throttle": {"method": "machine", "smoothing": 0.4},
         "abort_time": 0.6},
    )  # fmt: skip
    _, rows = of_stage(run, 2)
    assert run[THROTTLE][rows[0]] == pytest.approx(0.5, abs=1e-9)
    assert np.abs(np.diff(run[THROTTLE][rows])).max() < 0.03  # 1.5/0.4 s at most, times 10 ms, of 0.5 or so
    assert run[THROTTLE][rows[-1]] < 0.4


def test_the_user_drives_and_chooses() -> None:
    wave = jn.Sine(0.1, 2.0, phase=0.4)
    chosen = jn.FromTable(jn.Table([0.0, 0.305, 0.6], [0.0, 3.0, 0.0], method="linear"), stairs=True)
    inputs = {"user_input_steering": wave, "user_input_throttle": 0.15, "target_speed": jn.Rate(1.0, start=20.0)}
    stages = [
        {"name": "a", "steering": "user", "throttle": "user", "braking": 0, "abort_time": 0.5},
        {"name": "b", "steering": 0.0, **QUIET, "abort_time": 0.2},
        {"name": "c", "steering": {"kind": "user", "scale": 2}, "speed": {"kind": "user"}, "abort_time": 0.2},
    ]
    run = drive(*stages, inputs=inputs)
    assert list(dict.fromkeys(run[NUMBER])) == [1, 2, 3]
    time, rows = of_stage(run, 1)
    np.testing.assert_allclose(run[HAND][rows], 0.1 * np.sin(4 * np.pi * time + 0.4), atol=1e-9)
    assert set(run[THROTTLE][rows]) == {0.15}
    time, rows = of_stage(run, 3)
    np.testing.assert_allclose(run[HAND][rows], 0.2 * np.sin(4 * np.pi * time + 0.4), atol=1e-9)
    np.testing.assert_allclose(run[TARGET][rows], 20 + time, atol=1e-9)
    run = drive(*stages, inputs=inputs | {"user_maneuver_ID": chosen})
    assert list(dict.fromkeys(run[NUMBER])) == [1, 3]  # chosen at 0.31 s, before the first stage is over
    assert run.time[np.flatnonzero(run[NUMBER] == 3)[0]] == pytest.approx(0.31)
    assert run.metadata["triggers"][0]["name"] == "override"


# --- targets ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def speeds() -> Any:
    common: dict[str, Any] = {"steering": 0.0, "abort_time": 0.5}
    return drive(
        {"name": "map", "speed": {"kind": "map", "over": "time", "x": [0, 0.2, 1], "y": [20, 22, 21], "scale": 1.1},
         **common},
        {"name": "maintain", "speed": "maintain", **common},
        {"name": "last", "speed": "maintain", "options": {"follow_target_speed": True}, **common},
        {"name": "polynomial", **common,
         "speed": {"kind": "polynomial", "speed": 19, "acceleration": -2, "jerk": 3, "begin": 0.1}},
        {"name": "growth", "speed": {"kind": "map", "over": "time", "of": "acceleration", "x": [0, 0.4], "y": [0, 2]},
         "options": {"follow_target_speed": True}, **common},
        {"name": "absolute", "speed": {"kind": "map", "over": "time", "x": [0, 10], "y": [0, 20]},
         "options": {"absolute_time": True}, **common},
        {"name": "way", "speed": {"kind": "map", "x": [0, 4, 50], "y": [18, 20, 20]}, **common},
        {"name": "open", "steering": 0.0, **QUIET, "abort_time": 0.2},
        {"name": "after", "speed": {"kind": "acceleration", "acceleration": 1.5, "begin": 0.1},
         "options": {"follow_target_speed": True}, **common},
    )  # fmt: skip


def test_speed_targets_follow_their_formulas(speeds: Any) -> None:
    def target(number: int) -> tuple[Any, Any, Any]:
        time, rows = of_stage(speeds, number)
        return time, speeds[TARGET][rows], rows

    t, v, _ = target(1)
    np.testing.assert_allclose(v, 1.1 * np.interp(t, [0, 0.2, 1], [20, 22, 21]), atol=1e-9)
    t, v, rows = target(2)
    np.testing.assert_allclose(v, speeds[SPEED][rows[0]], atol=1e-9)  # the speed at the switch
    t, after, _ = target(3)
    np.testing.assert_allclose(after, v[-1], atol=1e-9)  # the last target
    assert abs(v[-1] - speeds[SPEED][rows[-1]]) > 1e-4  # which is another
    t, v, _ = target(4)
    z = np.clip(t - 0.1, 0, None)
    np.testing.assert_allclose(v, 19 - 2 * z + 1.5 * z**2, atol=1e-9)
    begin = float(19 - 2 * 0.4 + 1.5 * 0.4**2)
    t, v, _ = target(5)
    grown = np.where(t < 0.4, 2.5 * t**2, 0.4 + 2 * (t - 0.4))
    np.testing.assert_allclose(v, begin + grown, atol=1e-9)
    t, v, rows = target(6)
    np.testing.assert_allclose(v, 2 * speeds.time[rows], atol=1e-9)
    t, v, rows = target(7)
    way = speeds["driver.distance"][rows] - speeds["driver.distance"][rows[0]]
    np.testing.assert_allclose(v, np.interp(way, [0, 4, 50], [18, 20, 20]), atol=0.03)  # a step of 20 mm late
    t, v, rows = target(9)
    before = speeds[SPEED][rows[0]]  # after an open stage the speed counts
    np.testing.assert_allclose(v, before + 1.5 * np.clip(t - 0.1, 0, None), atol=1e-6)


@pytest.mark.parametrize(("interpolation", "degree"), [("linear", 1), ("cubic", 3), ("quintic", 5)])
def test_maps_pass_through_their_values(interpolation: str, degree: int) -> None:
    x = np.array([0.0, 3.0, 7.0, 20.0, 31.0, 44.0, 60.0])
    y = 20 + 3 * np.sin(x / 9)
    table = spline(x, y, interpolation)
    np.testing.assert_allclose(table(x), y, rtol=0, atol=1e-13)
    if degree > 1:  # a spline of a degree reproduces polynomials of it
        polynomial = np.polynomial.Polynomial([20, 0.3, -0.02, 3e-4, -2e-6, 2e-8][: degree + 1])
        fine = np.linspace(0, 60, 301)
        found = spline(x, polynomial(x), interpolation)(fine)
        np.testing.assert_allclose(found, polynomial(fine), atol=2e-5)  # by a cubic through 16 points per piece
        smooth = spline(x, y + 0.5 * (-1.0) ** np.arange(7), interpolation, 0.01)
        rough = spline(x, y + 0.5 * (-1.0) ** np.arange(7), interpolation, 0.0)
        assert np.abs(np.diff(smooth(fine), 2)).sum() < 0.8 * np.abs(np.diff(rough(fine), 2)).sum()


@pytest.mark.parametrize("interpolation", ["cubic", "quintic"])
def test_smoothing_is_a_share_of_the_largest_value_at_every_value(interpolation: str) -> None:
    """(2): the squares of what a smooth map leaves sum up to σ n max y², to the tolerance of FITPACK, 0.1 %."""
    x = np.linspace(0.0, 60.0, 23)
    y = -(20 + 3 * np.sin(x / 9) + 0.5 * (-1.0) ** np.arange(23))
    for share in (1e-4, 3e-4):
        left = spline(x, y, interpolation, share)(x) - y
        assert np.sum(left**2) == pytest.approx(share * 23 * np.abs(y).max() ** 2, rel=2e-3)


# --- conditions ------------------------------------------------------------------------------------------------------

CASES = [
    (">", lambda v, r, e: v > r - e), (">=", lambda v, r, e: v >= r - e), ("<", lambda v, r, e: v < r + e),
    ("<=", lambda v, r, e: v <= r + e), ("==", lambda v, r, e: abs(v - r) <= e), ("!=", lambda v, r, e: abs(v - r) > e),
]  # fmt: skip


def truth(when: When, v: float) -> bool:
    """What a condition of the runtime says of a value (tests/runtime compare the runtime with this)."""
    v = abs(v) if when.operator.startswith("abs") else v
    a, b = float(when.a), float(when.b)
    name = when.operator.removeprefix("abs").strip()
    return {">": v > a, ">=": v >= a, "<": v < a, "<=": v <= a, "inside": a <= v <= b, "outside": v < a or v > b}[name]


@pytest.mark.parametrize("absolute", [False, True])
@pytest.mark.parametrize(("test", "true"), CASES, ids=[name for name, _ in CASES])
def test_truth_table_with_tolerance(test: str, true: Any, absolute: bool) -> None:
    data = {"measure": "yaw_rate", "test": f"{'abs' if absolute else ''}{test}", "reference": 0.5, "tolerance": 0.125}
    whole = Manoeuvre(stages=[{"name": "a", "steering": 0, **QUIET, "ends": [data]}])
    model = SimpleNamespace(inputs=(), outputs=(), watches=(Variable("chassis_velocities.yaw", "rad/s", 0.0, ""),))
    event = SimpleNamespace(x=0.0, y=0.0, heading=0.0, speed=0.0)
    compiler = Compiler(whole, SimpleNamespace(sim=SimpleNamespace(model=model), event=event))  # type: ignore[arg-type]
    when = compiler._when(whole.stages[0], whole.conditions_of(whole.stages[0])[0][1])
    for v in (-2.0, -0.625, -0.5, -0.375, 0.0, 0.3, 0.375, 0.5, 0.6, 0.625, 0.75):
        assert truth(when, v) == true(abs(v) if absolute else v, 0.5, 0.125), v


def test_groups_jumps_holds_and_the_log() -> None:
    run = drive(
        {"name": "a", "steering": 0.0, **QUIET, "sample_time": 0.02, "ends": [
            {"measure": "time", "test": ">=", "reference": 0.3, "group": "both"},
            {"measure": "traveled_distance", "test": ">", "reference": "8 m", "group": "both", "next": "c"}]},
        {"name": "b", "steering": 0.0, **QUIET, "abort_time": 0.5},
        {"name": "c", "steering": 0.0, **QUIET, "ends": [
            {"measure": "GYRO_DX", "test": "abs>", "reference": 3, "delay": 0.1},
            {"measure": "velocity", "test": "<", "reference": 1, "action": "abort"}]},
    )  # fmt: skip
    first, second = run.metadata["triggers"]
    assert (first["phase"], first["next"], second["phase"], second["next"]) == ("a", "c", "c", "")
    assert list(dict.fromkeys(run[NUMBER])) == [1, 3]
    assert len(first["tests"]) == 2 and first["tests"][1][1] > 8.0
    # 8 m at 20 m/s are 0.4 s: seen at a tick of 20 ms, from the start
    assert first["time"] == pytest.approx(0.42, abs=0.0101) and round(first["time"] / 0.02, 6) % 1 == 0
    assert second["tests"][0][1] > 3.0 + 0.1 * 19  # measured when it acts, 0.1 s late


@pytest.mark.parametrize(
    ("test", "reference", "tolerance"),
    [(">", 0.05, 0.0), ("abs>=", 0.05, 0.0), ("==", 0.1, 0.05), ("abs==", 0.1, 0.05)],
)
def test_a_condition_must_hold_for_its_time(test: str, reference: float, tolerance: float) -> None:
    """A wave of 0.1 rad and 1 Hz is above 0.05 rad from 1/12 s to 5/12 s of each cycle: for 0.33 s, not for 0.4 s."""

    def stage(hold: float) -> dict[str, Any]:
        end = {"measure": "steering_ang", "test": test, "reference": reference, "tolerance": tolerance, "hold": hold}
        steering = {"kind": "sine", "amplitude": 0.1, "frequency": 1}
        return {"name": "a", "steering": steering, **QUIET, "ends": [end], "abort_time": 1.2}

    (held,) = drive(stage(0.2)).metadata["triggers"]
    assert held["time"] == pytest.approx(1 / 12 + 0.2, abs=0.0101) and held["name"].startswith("steering_ang")
    (never,) = drive(stage(0.4)).metadata["triggers"]
    assert never["time"] == pytest.approx(1.2) and never["name"] == "abort time"


@pytest.mark.parametrize(("mode", "numbers"), [("next", [1, 2]), ("stop", [1])])
def test_what_an_end_does(mode: str, numbers: list[int]) -> None:
    stages = [{"name": name, "steering": 0.0, **QUIET, "ends": ["time >= 0.1"]} for name in "ab"]
    run = drive(*stages, settings={"on_stop": mode})
    assert list(dict.fromkeys(run[NUMBER])) == numbers


def test_first_sample_is_that_of_the_start() -> None:
    begin = {"speed": 17, "steering": 0.05, "throttle": 30, "braking": 5, "setup": "off"}
    percent = {"minimum": 0, "maximum": 100, "scale": 100, "full": 100}
    stage = {"name": "a", "steering": {"kind": "maintain"}, "throttle": {"kind": "maintain"},
             "braking": {"kind": "maintain"}, "abort_time": 0.05}  # fmt: skip
    run = drive(stage, begin=begin, throttle=percent, braking=percent)
    first = [run[name][0] for name in (SPEED, HAND, THROTTLE, BRAKE)]
    np.testing.assert_allclose(first, [17, 0.05, 0.3, 0.05], rtol=1e-9)


def test_scaling_and_saturation_of_pedals() -> None:
    percent = {"minimum": 0, "maximum": 50, "scale": 100, "full": 100}
    signals = {"share": {"kind": "constant", "value": 0.2},
               "demand": {"kind": "constant", "value": 20, "auto_scaling": False},
               "much": {"kind": "constant", "value": 0.9},
               "free": {"kind": "constant", "value": 0.9, "auto_saturation": False}}  # fmt: skip
    stages = [{"name": name, "steering": 0, "throttle": name, "braking": 0, "abort_time": 0.05} for name in signals]
    run = drive(*stages, signals=signals, throttle=percent)
    assert [run[THROTTLE][of_stage(run, k + 1)[1][0]] for k in range(4)] == pytest.approx([0.2, 0.2, 0.5, 0.9])
    assert any("scale and maximum" in text for text in run.warnings)


def test_recorded_demands_reproduce_a_run() -> None:
    """Every step of a run with the driver, given to an open manoeuvre, gives the same run."""
    stage = {"name": "a", "steering": {"kind": "step", "end": 0.3, "last": 0.3}, "speed": "22 m/s", "abort_time": 1.0}
    event = MANOEUVRE(begin={"speed": 20}, stages=[stage])
    # without half steps, at which what the driver holds would be interpolated
    run = jn.run(compact(), event, interval=0.001, method="Euler")
    x = run.time.tolist()
    again = {
        name: {"kind": "measured", "x": x, "y": run[channel].tolist()}
        for name, channel in (("steering", HAND), ("throttle", THROTTLE), ("braking", BRAKE))
    }
    event = MANOEUVRE(begin={"speed": 20}, stages=[{"name": "a", **again, "abort_time": 1.0}])
    replayed = jn.run(compact(), event, interval=0.001, method="Euler")
    for name in (SPEED, "chassis_velocities.yaw", HAND):
        size = np.abs(run[name]).max()
        # the rate of the hand wheel is that of a chord, half a step early: h/2 times 20 rad/s², of 1.5 rad/s; it acts
        # on the slip of the wheels for one relaxation length only
        np.testing.assert_allclose(replayed[name], run[name], atol=1e-4 * size)


# --- paths -----------------------------------------------------------------------------------------------------------


def test_skidpad_turns_as_it_should() -> None:
    """Heading and curvature of clothoid and circle, to the right; the length by the larger of its two measures."""
    target = targets.SkidpadPath(radius=40, side="right", entry_length=25, exit_length=12, angle=3.0, entry_angle=0.3,
                                 exit_angle=0.2, step=0.25)  # fmt: skip
    path = joined(skidpad_segments(target), step=target.step)
    into, out, circle = 2 * 40 * 0.3, 2 * 40 * 0.2, 40 * 2.5
    assert path.length == pytest.approx(25 + into + circle + out + 12)
    assert path.heading[-1] == pytest.approx(-3.0, abs=1e-9)
    s = 25 + 0.5 * into
    assert float(path.at(s, "curvature")) == pytest.approx(-0.5 / 40, rel=1e-3)
    assert float(path.at(s, "heading")) == pytest.approx(-0.3 / 4, rel=2e-3)  # a quarter of it in half the length
    longer = joined(skidpad_segments(target.model_copy(update={"length": 500.0})), step=0.25)
    assert longer.length == pytest.approx(500.0)


def test_placement() -> None:
    points = targets.PointsPath(px=(2, 10, 20), py=(1, 1, 3), x=100, y=50, heading=math.pi / 2)
    path = Path.from_points(np.column_stack([points.px, points.py]), closed=False)
    start = (7.0, -4.0, 0.6)
    as_given = placed(path, points, "absolute", start)
    assert (as_given.x[0], as_given.y[0]) == pytest.approx((100 - 1, 50 + 2))
    here = placed(path, points, "automatic", start)
    assert (here.x[0], here.y[0], here.heading[0]) == pytest.approx(start)
    assert placed(path, points, "raw", start) is path
    straight = placed(Path.straight(50.0), targets.StraightPath(length=50), "absolute", start)
    assert straight.heading[-1] == pytest.approx(0.6)


def test_a_path_that_continues_another() -> None:
    first = joined([(30, 0, 0), (60, 0.02, 0.02)], step=0.5).moved(5, 6, 0, 2.0)
    second = Path.straight(40.0, step=0.5)
    end = (float(first.x[-1]), float(first.y[-1]), float(first.heading[-1]))
    whole = continued(first, second.moved(end[0], end[1], 0.0, end[2]))
    assert whole.length == pytest.approx(90 + 40, abs=0.01)
    np.testing.assert_allclose(whole.at(45.0), first.at(45.0), atol=0.01)
    assert float(np.hypot(*(whole.at(whole.length)[:2] - np.array(end[:2])))) == pytest.approx(40, abs=0.01)


def test_file_units() -> None:
    own = {"length": "mm", "angle": "deg", "force": "kN", "mass": "kg", "time": "ms"}
    for value, unit, expected in (
        (5.0, "m", 5e-3), (90.0, "rad", math.pi / 2), (2.0, "m/s", 2.0), (3.0, "m/s2", 3e3), (4.0, "N", 4e3),
        (4.0, "N.m", 4.0), ("7 m", "m", 7.0), (180.0, "rad/s", math.pi * 1e3),
    ):  # fmt: skip
        assert in_file_units(value, unit, own, "x") == pytest.approx(expected), unit
    assert in_file_units(5.0, "m", {}, "x") == 5.0


# --- refused ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("stages:\n- name: a\n  steering: 0\n  sped: 3\n",
         r"line 4 .*stages\[0\].sped: unknown key; did you mean 'speed'"),
        ("name: x\nbegin: {speed: >>REPLACE_INIT_SPEED<<}\nstages: []\n", "line 2  >>REPLACE_INIT_SPEED<<.*place"),
        ("name: x\nstages:\n- name: a\n  steering: {kind: step, end: 1, last: 2 kg}\n  throttle: 0\n  braking: 0\n",
         r"line 3 .*steering.last = '2 kg'"),
        ("speeds:\n  v: {kind: map, x: [0, 1], y: [1]}\nstages: []\n", "line 2 .*speeds.v.y"),
    ],
)  # fmt: skip
def test_files_are_refused_with_the_line(tmp_path: Any, text: str, message: str) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(text)
    with pytest.raises(FormatError, match=f"(?s){message}"):
        read_manoeuvre(file)


@pytest.mark.parametrize(
    ("stage", "message"),
    [
        ({"steering": 0, **QUIET, "gear": 3}, "stage 'a': gear: the vehicle has no such input"),
        ({"steering": 0, **QUIET, "ends": ["nothing.at_all > 3"]}, "no channel 'nothing.at_all'"),
        ({"steering": 0, **QUIET, "sample_time": 0.0015}, "no multiple of the step"),
        ({"steering": 0, **QUIET, "steering_by": "torque"}, "steering_by"),
        ({"steering": 0, "speed": {"kind": "path_speed"}}, "the path has no speeds"),
        ({"steering": 0, **QUIET, "task": "standing_start"}, "a standing start needs"),
        ({"path": {"kind": "straight", "length": 9}, "speed": "maintain"}, "shorter than the preview distance"),
        ({"path": "nowhere", "speed": "maintain"}, "nowhere"),
    ],
)
def test_refused_before_the_run(stage: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        drive({"name": "a", **stage, "abort_time": 0.1})
