"""Channels of a manoeuvre: each by the driver, a signal or the user, in all combinations; starts; ticks."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import jounce as jn
from jounce.core.errors import ParameterError
from shifting_car import BRAKE, CLUTCH, CONTOUR, GEAR, HAND, NUMBER, THROTTLE, drive

SPEED, TARGET = "chassis_velocities.longitudinal", "driver.target_speed"
CHANNELS = {"steering": HAND, "throttle": THROTTLE, "braking": BRAKE, "gear": GEAR, "clutch": CLUTCH}
OPEN = {"steering": 0.05, "throttle": 0.21, "braking": 0.07, "gear": 3.0, "clutch": 0.3}
USER = {"steering": -0.04, "throttle": 0.17, "braking": 0.09, "gear": 4.0, "clutch": 0.4}
WAYS = [dict(zip(CHANNELS, way, strict=True)) for way in itertools.product((True, False), repeat=5)]
WAVES = (
    ("steering", 0.1, 2.0, 0.4),
    ("throttle", 0.3, 1.0, 0.9),
    ("braking", 0.2, 1.5, 0.7),
    ("clutch", 0.4, 0.8, 0.6),
)
QUIET = {"steering": 0, "throttle": 0, "braking": 0, "gear": 2, "clutch": 0}


def rows_of(run: Any, number: int) -> Any:
    return np.flatnonzero(run[NUMBER] == number)


# --- who drives which channel ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def combinations() -> Any:
    """All ways to share the channels between the driver and signals, then between the driver and the user."""
    stages = []
    for k, way in enumerate(WAYS):
        stages.append({"name": f"open{k}", "abort_time": 0.03, **{n: OPEN[n] for n in way if not way[n]}})
    for k, way in enumerate(WAYS):
        stages.append({"name": f"user{k}", "abort_time": 0.03, **{n: "user" for n in way if not way[n]}})
    return drive(*stages, inputs={f"user_input_{name}": value for name, value in USER.items()})


@pytest.mark.parametrize("k", range(len(WAYS)), ids=["".join("dx"[not by] for by in way.values()) for way in WAYS])
def test_every_combination_of_driver_signal_and_user_drives(combinations: Any, k: int) -> None:
    assert combinations.complete
    for first, values in ((1, OPEN), (1 + len(WAYS), USER)):
        rows = rows_of(combinations, first + k)
        assert len(rows) == 3
        for name, by_driver in WAYS[k].items():
            found = combinations[CHANNELS[name]][rows]
            if by_driver:
                # his hand begins where the wheel is; of the lever, see the next test
                assert name == "gear" or not set(found[1:]) & {OPEN[name], USER[name]}, name
                # he closes a clutch that was left open, by three strokes a second
                assert name != "clutch" or 0 <= found[-1] <= max(found[0] - 0.05, 0)
            else:
                np.testing.assert_allclose(found, values[name], atol=1e-12, err_msg=name)


def test_the_driver_takes_lever_and_clutch_over() -> None:
    """From the fifth gear, in which 8 m/s are too slow for him, with half a clutch; and back."""
    given = {"gear": 5, "clutch": 0.5}
    run = drive(
        {"name": "given", **given, "abort_time": 0.1},
        {"name": "his", "abort_time": 1.5},
        {"name": "back", **given, "abort_time": 0.1},
        begin={"speed": 8, "gear": 5},
    )
    for number in (1, 3):
        rows = rows_of(run, number)
        assert set(run[GEAR][rows]) == {5.0} and set(run[CLUTCH][rows]) == {0.5}
    rows = rows_of(run, 2)
    assert run[GEAR][rows[-1]] < 4 and set(run[GEAR][rows]) <= {5.0, 4.0, 3.0, 2.0}
    assert run[CLUTCH][rows].max() > 0.9  # he changes gears with an open clutch
    assert run["Transmission.gear"][rows[-1]] == run[GEAR][rows[-1]]


def test_every_input_of_the_user_is_echoed() -> None:
    """Each channel has a wave of its own, so that none takes that of another; inputs are over the time of the stage."""
    waves = {name: jn.Sine(size, frequency, phase=phase) for name, size, frequency, phase in WAVES}
    gears = jn.FromTable(jn.Table([0.0, 0.195, 0.4], [2.0, 3.0, 3.0], method="linear"), stairs=True)
    inputs: dict[str, Any] = {f"user_input_{name}": wave for name, wave in waves.items()}
    inputs |= {"user_input_gear": gears, "target_speed": jn.Rate(-1.5, start=14.0), "target_acc": jn.Sine(2.0, 0.5)}
    user = dict.fromkeys(CHANNELS, "user")
    run = drive(
        {"name": "all", **user, "abort_time": 0.4},
        {"name": "speed", "speed": {"kind": "user", "scale": 1.1}, "abort_time": 0.3},
        {"name": "acceleration", "speed": {"kind": "user", "of": "acceleration", "scale": 0.5}, "abort_time": 0.5,
         "options": {"follow_target_speed": True}},
        inputs=inputs,
    )  # fmt: skip
    rows = rows_of(run, 1)
    t = run.time[rows]
    for name, size, frequency, phase in WAVES:
        wave = size * np.sin(2 * np.pi * frequency * t + phase)
        wave = wave if name == "steering" else np.clip(wave, 0, 1)
        np.testing.assert_allclose(run[CHANNELS[name]][rows], wave, atol=1e-9, err_msg=name)
    np.testing.assert_array_equal(run[GEAR][rows], np.where(t < 0.195, 2.0, 3.0))
    rows = rows_of(run, 2)
    np.testing.assert_allclose(run[TARGET][rows], 1.1 * (14 - 1.5 * (run.time[rows] - 0.4)), atol=1e-9)
    begin = 1.1 * (14 - 1.5 * 0.3)  # the last target
    rows = rows_of(run, 3)
    grown = 0.5 * 2.0 * (1 - np.cos(np.pi * (run.time[rows] - 0.7))) / np.pi
    # the integral of an input is that of its values at the steps: half a step of 1 ms times 1 m/s²
    np.testing.assert_allclose(run[TARGET][rows], begin + grown, atol=1e-3)


def test_a_step_of_the_target_speed_is_followed() -> None:
    """From 15 to 17 m/s at 1 s, in a run whose speed is the user's."""
    step = jn.FromTable(jn.Table([0.0, 1.0, 9.0], [15.0, 17.0, 17.0], method="linear"), stairs=True)
    run = drive({"name": "a", "speed": {"kind": "user"}, "gear": 2, "clutch": 0, "abort_time": 7},
                inputs={"target_speed": step})  # fmt: skip
    v, t = run[SPEED], run.time
    np.testing.assert_array_equal(run[TARGET][(t >= 0) & (t < 7)], np.where(t[t < 7] < 1.0 - 1e-9, 15.0, 17.0))
    assert np.abs(v[(t > 0.5) & (t < 1)] - 15).max() < 0.2
    # the car gives 2 m/s² in second gear: 1 s for the step; then as close as below saturation everywhere, 0.2 m/s
    assert np.sqrt(np.mean((v[(t > 4) & (t < 7)] - 17) ** 2)) < 0.2
    assert v.max() < 17.5


# --- starts ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("speed", "gear"), [(8.0, 1), (21.0, 4), (-3.0, -1)])
def test_the_first_row_is_what_the_start_asks_for(speed: float, gear: int) -> None:
    """Shares of pedals in percent, of the clutch in thousandths; in gears up and back; every number is another."""
    hold = {"kind": "maintain"}
    run = drive(
        {"name": "a", "steering": hold, "throttle": hold, "braking": hold, "clutch": hold, "abort_time": 0.03},
        begin={"speed": speed, "gear": gear, "steering": -0.06, "throttle": 12, "braking": 3, "clutch": 250,
               "setup": "off"},
        throttle={"minimum": 0, "maximum": 100, "scale": 100, "full": 100},
        braking={"minimum": 0, "maximum": 100, "scale": 100, "full": 100},
        clutch={"minimum": 0, "maximum": 1000, "scale": 1000, "full": 1000},
        gears={**_gears(), "minimum": -1},
    )  # fmt: skip
    names = (SPEED, HAND, THROTTLE, BRAKE, CLUTCH, "Transmission.gear", "driver_demands.clutch")
    found = [run[name][0] for name in names]
    np.testing.assert_allclose(found, [speed, -0.06, 0.12, 0.03, 0.25, gear, 0.25], rtol=1e-9)


def _gears() -> dict[str, Any]:
    rows = [{"gear": -1}, {"gear": 0}, *({"gear": k, "upshift": 900, "downshift": 0} for k in range(1, 7))]
    return {"maximum": 6, "table": rows[:]}


# --- ticks -----------------------------------------------------------------------------------------------------------


def test_stages_end_at_ticks_and_without_an_abort_time_never() -> None:
    """Times are counted in ticks: ten of 10 ms are 0.1 s, not one sample more (the sum of them is 0.09999…)."""
    stages: list[dict[str, Any]] = [
        {**QUIET, "name": f"s{k}", "abort_time": time, "sample_time": sample}
        for k, (time, sample) in enumerate(((0.1, 0.01), (0.3, 0.1), (0.07, 0.007), (0.05, 0.02), (0.1, 0.01)))
    ]
    stages.append({**QUIET, "name": "ends", "ends": ["time >= 0.1 s"]})
    stages.append({**QUIET, "name": "endless"})
    run = drive(*stages, end_time=1.5, interval=0.001)
    times = np.array([item["time"] for item in run.metadata["triggers"]])
    # of 50 ms only multiples of 20 ms are seen
    np.testing.assert_allclose(np.diff([0.0, *times]), [0.1, 0.3, 0.07, 0.06, 0.1, 0.1, 0.77], atol=1e-9)
    assert [item["name"] for item in run.metadata["triggers"]] == [*["abort time"] * 5, "time >= 0.1 s", "end time"]
    assert run.time[-1] == pytest.approx(1.5) and run[NUMBER][-1] == 7 and run.complete


# --- gears that do not exist -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stage", "more", "message"),
    [
        ({}, {"begin": {"speed": 15, "gear": 7}}, "gear = 7: the gearbox has the gears 1 to 6"),
        ({"gear": 8}, {}, r"stage 'a': gear.value = 8: the gearbox has the gears 1 to 6"),
        ({"gear": {"kind": "step", "end": 1, "first": 2, "last": 9}}, {}, r"stage 'a': gear.last = 9"),
        ({"gear": {"kind": "measured", "x": [0, 1], "y": [2, 2.5]}}, {}, r"stage 'a': gear.y = 2.5"),
        ({}, {"gears": {"minimum": 1, "maximum": 7, "table": [{"gear": k} for k in range(1, 8)]}},
         r"gears.table: gear 7: the gearbox has the gears 1 to 6"),
    ],
)  # fmt: skip
def test_a_gear_that_the_box_does_not_have_is_refused(
    stage: dict[str, Any], more: dict[str, Any], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        drive({"name": "a", "abort_time": 0.1, **stage}, **more)


def test_pedals_press_and_lift_at_the_rates_of_the_stage() -> None:
    """A target speed that steps up and down asks for all of both pedals; each rate is another."""
    rates = {
        "throttle_press_rate": 0.8,
        "throttle_release_rate": 1.6,
        "braking_press_rate": 1.1,
        "braking_release_rate": 2.2,
    }
    steps = jn.FromTable(jn.Table([0.0, 1.0, 2.5, 4.0], [25.0, 5.0, 25.0, 25.0], method="linear"), stairs=True)
    stage = {"speed": {"kind": "user"}, "gear": 2, "clutch": 0, "steering": 0, "abort_time": 4}
    run = drive({"name": "slow", **stage, "controller": "slow"}, inputs={"target_speed": steps},
                controllers={"contour": CONTOUR, "slow": {**CONTOUR, **rates}})  # fmt: skip
    for name, press, lift in ((THROTTLE, 0.8, 1.6), (BRAKE, 1.1, 2.2)):
        rate = np.diff(run[name][rows_of(run, 1)]) / 0.01
        assert (rate.max(), rate.min()) == pytest.approx((press, -lift), rel=1e-6), name
