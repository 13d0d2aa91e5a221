"""Manoeuvres as data: short forms, what is refused and where, and the same data from their own text."""

from __future__ import annotations

from typing import Any

import pytest

from jounce.core.errors import ParameterError
from jounce.core.fields import to_raw
from jounce.manoeuvre import Manoeuvre
from jounce.manoeuvre.conditions import Condition
from jounce.manoeuvre.measures import MEASURES, measure
from jounce.manoeuvre.targets import AutoSpeed, ConstantSpeed, FilePath, MaintainSpeed

WHOLE: dict[str, Any] = {
    "name": "all of it",
    "begin": {"speed": "100 km/h", "gear": 4},
    "settings": {"placement": "automatic", "on_stop": "stop"},
    "gears": {"minimum": 1, "maximum": 2, "table": [{"gear": 1}, {"gear": 2, "down": {"duration": 0.4}}]},
    "signals": {"turn": {"kind": "step", "end": 0.2, "last": "45 deg"}, "brake": {"kind": "ramp", "slope": 0.3}},
    "paths": {"circle": {"kind": "skidpad", "radius": 40, "side": "right"}},
    "speeds": {"map": {"kind": "map", "x": [0, 50, 90], "y": [20, 25, 22]}},
    "conditions": {"late": {"measure": "TIME", "test": ">=", "reference": 3, "hold": 0.1}},
    "controllers": {"far": {"preview_time": 0.9}, "near": {"preview_time": "300 ms"}},
    "stages": [
        {"name": "circle", "path": "circle", "speed": "map", "controller": "near", "ends": ["late", "path_s > 90"]},
        {"name": "turn", "steering": {"signal": "turn", "smoothing": 0.1}, "throttle": 0.2, "braking": "brake",
         "abort_time": 7, "ends": [{"measure": "roll_angle", "test": "abs>", "reference": "5 deg", "action": "abort"}]},
    ],
}  # fmt: skip


def stage(**more: Any) -> dict[str, Any]:
    return {"stages": [{"name": "a", "steering": 0, "throttle": 0, "braking": 0, **more}]}


def test_the_same_from_its_own_text() -> None:
    made = Manoeuvre(**WHOLE)
    again = Manoeuvre(**to_raw(made))
    assert again == made
    assert made.begin.speed == pytest.approx(100 / 3.6, rel=1e-15)
    assert again.controller_of(again.stages[0]).preview_time == 0.3
    assert again.controller_of(again.stages[1]).preview_time == 0.9  # the first there is
    changed = Manoeuvre(**{**to_raw(made), "begin": {"speed": 3}})
    assert changed != made


def test_words_for_speeds_and_paths() -> None:
    def one(speed: Any, path: Any = "handling") -> Manoeuvre:
        return Manoeuvre(stages=[{"name": "a", "path": path, "speed": speed}])

    for word, found in (
        ("maintain", MaintainSpeed()),
        ("auto 0.7", AutoSpeed(share=0.7)),
        ("auto", AutoSpeed()),
        ("72 km/h", ConstantSpeed(speed=20.0)),
    ):
        made = one(word)
        assert made.speed_of(made.stages[0]) == found
        assert made.path_of(made.stages[0]) == FilePath(file="handling")
    with pytest.raises(ParameterError, match=r"stages\[0\]: \(a\) speed = 'maintan'.*did you mean 'maintain'"):
        one("maintan")


@pytest.mark.parametrize(
    ("word", "test", "reference"),
    [("time>=3 s", ">=", "3 s"), ("lat_accel abs < 4", "abs<", "4"), ("path_s != -2 m", "!=", "-2 m")],
)
def test_conditions_as_text(word: str, test: str, reference: str) -> None:
    found = Manoeuvre(**stage(ends=[word])).stages[0].ends[0]
    assert isinstance(found, Condition)
    assert (found.test, found.reference) == (test, reference)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"stages": []}, "at least one stage"),
        (
            {"stages": [{"name": "a", "active": False, "steering": 0, "throttle": 0, "braking": 0}]},
            "no stage is active",
        ),
        (stage(steering="left"), r"stages\[0\].*steering.signal = 'left': there is none of this name"),
        (stage(steering={"kind": "stepp"}), r"stages\[0\].steering.signal.kind: unknown; did you mean 'step'"),
        (stage(steering={"kind": "step", "begin": 2, "end": 1, "last": 1}), r"signal.end = 1: must be after begin"),
        (stage(steering={"kind": "step", "end": 1, "last": "4 m"}), "steering.last = '4 m': found m"),
        (stage(throttle={"kind": "ramp", "slope": "4 deg/s"}), "throttle.slope = '4 deg/s'"),
        (stage(steering={"method": "machine", "signal": 0.1}), "contradict each other"),
        (stage(steering={"method": "open"}), "signal: missing"),
        (stage(steering="machine"), "there is no path"),
        (stage(throttle="machine"), "there is no speed"),
        (stage(sped=3), r"stages\[0\].sped: unknown key; did you mean 'speed'"),
        (stage(ends=["time > 3 m"]), "reference = '3 m': found m"),
        (stage(ends=["soon"]), "ends = 'soon': there is none of this name"),
        (stage(ends=[{"measure": "time", "test": ">", "reference": 1, "next": "b"}]), "next = 'b': no such stage"),
        (stage(ends=[{"measure": "time", "test": "=>", "reference": 1}]), r"ends\[0\].test = '=>': unknown"),
        (stage(controller="fast"), "controller = 'fast'"),
        ({**stage(), "gears": {"minimum": 1, "maximum": 3, "table": [{"gear": 1}, {"gear": 2}]}}, "has no gear 3"),
        ({**stage(), "paths": {"p": {"kind": "skidpad", "radius": -2}}}, "paths.p.radius = -2 m: must be > 0 m"),
        ({**stage(), "speeds": {"p": {"kind": "map", "x": [0, 0], "y": [1, 2]}}}, "speeds.p.x = .*: must rise"),
        (
            {**stage(), "speeds": {"p": {"kind": "map", "x": [0, 1], "y": [1, 2], "interpolation": "cubic"}}},
            "a cubic spline needs 4 values",
        ),
        ({"stages": [*stage()["stages"], *stage()["stages"]]}, r"stages\[1\].name = 'a': two stages"),
        ({"stages": [{**stage()["stages"][0], "name": ""}]}, r"stages\[0\].name.*: missing; every stage has a name"),
        (stage(ends=["velocty > 3"]), "'velocty' is no measure; did you mean 'velocity'"),
        (
            {**stage(), "throttle": {"minimum": 0.4, "maximum": 0.3}},
            r"throttle.maximum = 0.3: is below minimum \(0.4\)",
        ),
        (
            {**stage(), "steering": {"minimum": 0.4, "maximum": "0.3 rad"}},
            r"steering.maximum = .*: is below minimum \(0.4 rad\)",
        ),
        (
            {**stage(), "gears": {"minimum": 1, "maximum": 1, "table": [{"gear": 1}, {"gear": 1}]}},
            "a gear stands twice",
        ),
        ({**stage(), "prediction": {"x": [0, 9], "y": [1]}}, "1 factors for 2 stations"),
        ({**stage(), "prediction": {"x": [9, 9], "y": [1, 1]}}, "prediction.x.*: must rise"),
        ({**stage(), "prediction": {"x": [0, 9], "y": [1, 0]}}, "a grip must be above 0"),
        (
            stage(
                steering={
                    "kind": "swept",
                    "amplitude": 1,
                    "first_frequency": 2,
                    "frequency_rate": 1,
                    "last_frequency": "1.9 Hz",
                }
            ),
            r"last_frequency = .*: is below first_frequency \(2 Hz\)",
        ),
        (stage(steering={"kind": "measured"}), "give a file, or x and y"),
        (stage(steering={"kind": "measured", "file": "a.dcd", "x": [0], "y": [1]}), "give a file, or x and y"),
        (stage(steering={"kind": "measured", "x": [0, 1], "y": [1]}), "has 1 values for 2 x"),
        (stage(steering={"kind": "measured", "x": [1, 1], "y": [1, 2]}), "x.*: must rise"),
        ({**stage(), "paths": {"p": {"kind": "points", "px": [1], "py": [1]}}}, "at least two points"),
        ({**stage(), "paths": {"p": {"kind": "points", "px": [1, 2], "py": []}}}, r"py.*: has 0 values for 2 points"),
        (
            {**stage(), "paths": {"p": {"kind": "points", "px": [1, 2], "py": [1, 2], "bank": [0]}}},
            "bank.*: has 1 values for 2 points",
        ),
        ({**stage(), "speeds": {"p": {"kind": "map", "x": [0, 1], "y": [1]}}}, "has 1 values for 2 x"),
        ({**stage(), "speeds": {"p": {"kind": "map", "x": [], "y": []}}}, "x.*: is empty"),
    ],
)
def test_refused_with_the_place(data: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Manoeuvre(**data)


def test_remarks() -> None:
    assert Manoeuvre(**stage()).remarks() == []
    odd = Manoeuvre(**stage(ends=["velocity == 3", "time == 2"]), throttle={"scale": 100, "maximum": 50})
    assert len(odd.remarks()) == 2
    assert "scale and maximum" in odd.remarks()[0] and "velocity" in odd.remarks()[1]


def test_measures_have_units() -> None:
    assert measure("LAT_ACCEL") is MEASURES["lat_accel"]
    assert measure("Distance") is MEASURES["traveled_distance"]
    assert measure("chassis_velocities.yaw") is None
    for name, item in MEASURES.items():
        assert bool(item.channel) != bool(item.source), name
    made = Manoeuvre(**stage(ends=["yaw_rate > 20 deg/s"]))
    assert made.conditions_of(made.stages[0])[0][1].reference == "20 deg/s"
