"""What a manoeuvre asks of its drivers: parts, numbers, and a warning for all that nothing uses."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jounce as jn
import shifting_car
from cars import compact
from jounce.core.library import LIBRARY
from jounce.events import find
from jounce.events.engine import make_ready
from jounce.events.manoeuvre_files import manoeuvre_and_remarks
from jounce.events.manoeuvre_parts import gain_numbers, hand_parts, module_numbers, pedal_parts, unused, wheel_names
from jounce.events.options import Options
from jounce.manoeuvre import Manoeuvre

MANOEUVRE = find("manoeuvre")
QUIET: dict[str, Any] = {"steering": 0, "throttle": 0.0, "braking": 0.0, "abort_time": 0.2}
MACHINE: dict[str, Any] = {"path": {"kind": "straight", "length": 500}, "speed": "maintain", "abort_time": 1}
ROW = {"gear": 1}


def whole(*stages: dict[str, Any], **more: Any) -> Manoeuvre:
    return Manoeuvre(stages=[{"name": f"s{k}", **stage} for k, stage in enumerate(stages, 1)], **more)


def told(manoeuvre: Manoeuvre, **known: Any) -> list[str]:
    return unused(manoeuvre, **{"driver": "contour", "inputs": (), "numbers": NUMBERS, **known})


NUMBERS = [
    f"contour.{name}"
    for name in ("preview_time", "least_preview", "speed_anticipation", "anticipation", "advanced", "smoothing",
                 "fastest", "distance_band", "yaw_gain")
]  # fmt: skip


def test_what_is_used_is_not_told() -> None:
    settings = {"preview_time": 0.7, "yaw_correction": False, "throttle_limited": True, "speed_control": "acceleration"}
    plain = whole({**MACHINE, "controller": settings}, QUIET, throttle={"maximum": 0.5, "scale": 0.5})
    assert told(plain) == []


@pytest.mark.parametrize(
    ("key", "value"),
    [("feed_forward", False), ("limit_acceleration", False), ("lift_control", True), ("variable_ratio", True),
     ("sample_time", 0.02), ("kick_down", True)],
)  # fmt: skip
def test_settings_of_a_controller_that_nothing_uses(key: str, value: Any) -> None:
    named = whole({**MACHINE, "controller": "c"}, QUIET, {**MACHINE, "controller": "d"}, {**MACHINE, "controller": "c"},
                  controllers={"d": {}, "c": {key: value}})  # fmt: skip
    (found,) = told(named)
    assert found.startswith(f"stages 's1', 's4': controller.{key}")
    if key == "variable_ratio":
        assert told(named, given=("driver.steering_ratio",)) == []


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"debug": {"active": True}}, "debug.active"),
        ({"settings": {"model": "motorcycle"}}, "settings.model = 'motorcycle'"),
        ({"prediction": {"grip_lateral": 1.2}}, "prediction.grip_lateral: not used; speed auto has"),
        ({"prediction": {"x": [0, 1], "y": [1, 2]}}, "prediction: not used; no stage has speed auto"),
        ({"gears": {"up_after_up": 1.0}}, "gears.up_after_up: not used without gears.table"),
        ({"gears": {"table": [ROW], "minimum": 1, "maximum": 1}}, "gears.table: not used, the vehicle has no manual"),
        ({"throttle": {"speed_gains": {"proportional": 80, "integral": 0}}}, "throttle.speed_gains.proportional:"),
        ({"throttle": {"acceleration_gains": {"derivative": 3}}}, "throttle.acceleration_gains.derivative:"),
        ({"clutch": {"clutch_gains": {"integral": 0.1}}}, "clutch.clutch_gains"),
        ({"clutch": {"start_acceleration": 2.0}}, "clutch.start_acceleration"),
        ({"clutch": {"close_time": 1.0}}, "clutch.close_time"),
        ({"begin": {"braking2": 0.1}}, "begin.braking2"),
        ({"begin": {"time": 3}}, "begin.time = 3 s"),
        ({"begin": {"throttle": 0.3}}, "begin.throttle"),
    ],
)
def test_settings_of_the_whole_that_nothing_uses(more: dict[str, Any], message: str) -> None:
    (found,) = told(whole(MACHINE, QUIET, **more))
    assert found.startswith(message)


@pytest.mark.parametrize(
    ("stage", "message"),
    [
        ({"early_downshift": {}}, "stage 's2': early_downshift"),
        ({"scheduled_gears": {"rows": [{"gear": 1, "at": 0}]}}, "stage 's2': scheduled_gears: not used without"),
        ({"tire": {"lateral_slip": True}}, "stage 's2': tire.lateral_slip"),
        ({"tire": {"clutch": True}}, "stage 's2': tire.clutch"),
        ({"slip": {"min_slip": -0.5}}, "stage 's2': slip.min_slip"),
        ({"human": {"skill": "novice"}}, "stage 's1': human: skill 'robot' is not used"),
        ({"sample_time": 0.02}, "stage 's2': sample_time = 0.02 s: of conditions only"),
    ],
)
def test_modules_that_nothing_uses(stage: dict[str, Any], message: str) -> None:
    (found,) = told(whole(MACHINE, {**MACHINE, **stage}))
    assert found.startswith(message)


def test_one_driver_has_one_schedule_and_one_skill() -> None:
    table = {"table": [ROW], "minimum": 1, "maximum": 1}
    schedule = {"over": "time", "rows": [{"gear": 1, "at": 0}]}
    shifting = whole(MACHINE, {**MACHINE, "scheduled_gears": schedule}, gears=table)
    found = told(shifting, inputs=("driver.shifts",))
    assert [text.split(":")[0] for text in found] == ["stage 's1'", "stage 's2'"]
    assert "acts in the whole run" in found[0] and "those of the run" in found[1]
    (foot,) = told(whole({**QUIET, "human": {"skill": "standard"}}), driver="")
    assert "only the foot" in foot


def test_numbers_that_another_kind_of_driver_does_not_have() -> None:
    stage = {**MACHINE, "controller": {"driver": "preview", "preview_time": 0.4, "yaw_correction": False}}
    found = told(whole(stage), driver="preview", numbers=("preview.fastest",))
    assert [text.split(": ")[1] for text in found] == ["controller.preview_time", "controller.yaw_correction"]


def test_parts_and_their_numbers() -> None:
    asked = whole(
        MACHINE,
        {**MACHINE, "slip": {"wheels": (3, 4), "max_slip": 0.08}, "human": {"skill": "standard"}},
        {**MACHINE, "tire": {"throttle": True, "min_load": 20}, "slip": {"max_slip": 0.1, "active": False}},
    )
    made = pedal_parts(asked)
    assert made["slip"].wheels == ("L2", "R2") and made["slip"].max_slip == 0.08
    assert made["tires"].throttle == 1.0 and made["tires"].min_load == 20.0
    assert made["pedal_lag"] == 0.15 and hand_parts(asked, 7.0) == {"human": {"skill": "standard", "seed": 7.0}}
    assert wheel_names((1, 2, 5, 6)) == ("L1", "R1", "L3", "R3")
    active = [
        [module_numbers(asked, stage)[f"longitudinal.{name}.active"] for name in ("slip", "tires")]
        for stage in asked.stages
    ]
    assert active == [[0, 0], [1, 0], [0, 1]]
    assert module_numbers(asked, asked.stages[1])["longitudinal.slip.max_slip"] == 0.08
    assert pedal_parts(whole(QUIET)) == {} and hand_parts(whole(QUIET), 1.0) == {}


def test_gains_of_zero_count() -> None:
    def gains(mode: str, **throttle: Any) -> list[float]:
        made = whole({**MACHINE, "controller": {"speed_control": mode}}, throttle=throttle)
        return list(gain_numbers(made, made.stages[0]).values())

    assert gains("speed") == [4, 4, 0] and gains("acceleration") == [0, 0, 4]
    assert gains("speed", speed_gains={"proportional": 100, "integral": 0}) == [4, 0, 0]
    assert gains("speed", speed_gains={"proportional": 0, "integral": 50}) == [0, 4, 0]
    assert gains("acceleration", acceleration_gains={"integral": 0}) == [0, 0, 0]


def test_remarks_of_the_reader_and_what_is_unused_reach_the_run(tmp_path: Path) -> None:
    text = (Path(str(LIBRARY)) / "events" / "step_steer.vdf").read_text()
    file = tmp_path / "odd.vdf"
    file.write_text(text + "\n[NOBODY_ASKS]\nVALUE = 3\n[DEBUG_PARAMETERS]\nACTIVATION = 'TRUE'\n")
    _, remarks = manoeuvre_and_remarks(file)
    assert any("NOBODY_ASKS" in text for text in remarks)
    event = MANOEUVRE(file=str(file), end_time=0.1)
    run = jn.run(compact(), event, interval=0.01)
    assert sum("NOBODY_ASKS" in text for text in run.warnings) == 1
    assert sum("debug.active" in text for text in run.warnings) == 1
    again = MANOEUVRE.from_dict(event.to_dict())
    assert [text for text in again.doubts() if "NOBODY_ASKS" in text]


@pytest.mark.slow
def test_a_human_drives_as_his_seed_says() -> None:
    def hand(seed: float, skill: str) -> Any:
        stage = {
            **MACHINE,
            "name": "a",
            "human": {"skill": skill},
            "slip": {"max_slip": 0.2},
            "tire": {"braking": True},
        }
        event = MANOEUVRE(stages=[stage], begin={"speed": 20}, seed=seed, x=3, y=-4, heading=0.7)
        run = jn.run(compact(), event, interval=0.01)
        assert not [text for text in run.warnings if "human" in text or "slip" in text]
        return run["driver_demands.steering"]

    first = hand(3, "novice")
    np.testing.assert_array_equal(first, hand(3, "novice"))
    assert np.abs(first - hand(4, "novice")).max() > 1e-3
    assert np.std(first) > 10 * np.std(hand(3, "robot"))


def test_every_setting_of_a_controller_reaches_the_driver() -> None:
    """Numbers that are all different, off and on, for a car whose driver shifts."""
    settings = {
        "driver": "contour", "preview_time": 0.71, "min_preview_distance": 6.2, "lateral_anticipation": 0.03,
        "longitudinal_anticipation": -0.04, "path_compensation": True, "path_compensation_distance": 0.23,
        "yaw_correction": False, "preview": "advanced", "straight_line_smoothing": True, "steering_limited": True,
        "steering_rate": 7.3, "throttle_limited": True, "throttle_press_rate": 1.1, "throttle_release_rate": 1.2,
        "braking_limited": True, "braking_press_rate": 1.3, "braking_release_rate": 1.4,
    }  # fmt: skip
    limits_off = dict.fromkeys(("throttle_limited", "braking_limited", "steering_limited", "path_compensation",
                                "straight_line_smoothing"), False)  # fmt: skip
    event = MANOEUVRE(
        begin={"speed": 15, "gear": 2},
        settings={"placement": "automatic"},
        steering={"minimum": -5.5, "maximum": 4.5},
        gears=shifting_car.GEARS,
        clutch={"min_speed": 61, "start_speed": 333, "close_time": 1.7},
        paths={"line": shifting_car.LINE},
        controllers={"on": settings, "off": {**settings, **limits_off, "preview": "standard", "preview_time": 0.9}},
        stages=[
            {"name": "a", "path": "line", "speed": "maintain", "controller": "on", "abort_time": 1},
            {"name": "b", "path": "line", "speed": "maintain", "controller": "off", "abort_time": 1},
            {"name": "never", "path": "line", "speed": "maintain", "abort_time": 1, "ends": shifting_car.NEVER,
             "controller": "on"},
        ],
    )  # fmt: skip
    start = make_ready(jn.load("compact"), event, Options())
    on, off, _ = ({item.parameter: item.value for item in phase.actions} for phase in event.program(start).phases)
    wanted = {
        "contour.preview_time": (0.71, 0.9), "contour.least_preview": (6.2, 6.2), "contour.anticipation": (0.03, 0.03),
        "contour.speed_anticipation": (-0.04, -0.04), "contour.advanced": (1, 0), "contour.smoothing": (1, 0),
        "contour.fastest": (7.3, math.radians(1200)), "contour.distance_band": (0.23, 0), "contour.lock": (4.5, 4.5),
        "contour.yaw_gain": (0, 0), "contour.yaw_integral": (0, 0), "contour.yaw_derivative": (0, 0),
        "longitudinal.throttle_rate": (1.1, 50), "longitudinal.throttle_release_rate": (1.2, 50),
        "longitudinal.brake_rate": (1.3, 50), "longitudinal.brake_release_rate": (1.4, 50),
        "longitudinal.start_speed": (333, 333),
    }  # fmt: skip
    found = {name: (on.get(name), off.get(name)) for name in wanted}
    assert found == wanted
    # this clutch is automatic: it has no such numbers, which is told
    assert [text.split(":")[1].strip() for text in start.warnings if "by itself" in text] == [
        "clutch.min_speed",
        "clutch.close_time",
    ]
