"""A run: access, names, metadata, key figures by kind of event."""

from __future__ import annotations

import fnmatch
import math
from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest

from jounce.core.errors import ParameterError
from jounce.results.catalogue import catalogue
from jounce.results.figures import Figures, kind_of, register, registered
from jounce.results.run import SIGNALS, Run
from result_runs import DEG, understeer_gradient

T = np.linspace(0.0, 1.0, 11)


def small(**metadata: object) -> Run:
    values = {"chassis_velocities.yaw": T, "Wheel.Omega.L1": 2 * T, "wheel_angles.toe_L1": -T}
    units = {"chassis_velocities.yaw": "rad/s", "Wheel.Omega.L1": "rad/s", "wheel_angles.toe_L1": "rad"}
    return Run(T, values, units, metadata)


@pytest.mark.parametrize(
    "name", ["Wheel.Omega.L1", "Wheel:Omega:L1", "Wheel_Omega_L1", "wheel.omega.l1", "WHEEL:omega_L1"]
)
def test_access_in_any_spelling(name: str) -> None:
    run = small()
    assert np.array_equal(run[name], 2 * T)
    assert run.unit(name) == "rad/s"
    assert name in run
    assert run.find(name) == "Wheel.Omega.L1"


def test_time_and_its_unit() -> None:
    run = small()
    assert run["time"] is run.time
    assert run.unit("time") == "s"
    assert len(run) == 11


def test_an_unknown_channel_suggests_the_nearest() -> None:
    with pytest.raises(
        ParameterError, match=r"'chassis_velocity.yaw': not in this run; did you mean 'chassis_velocities.yaw'"
    ):
        small()["chassis_velocity.yaw"]


def test_an_ambiguous_spelling_is_refused_and_an_exact_one_is_not() -> None:
    run = Run(T, {"a.b": T, "A.B": 2 * T}, {"a.b": "m", "A.B": "m"})
    assert np.array_equal(run["A.B"], 2 * T)
    with pytest.raises(ParameterError, match=r"means several: a\.b, A\.B"):
        run["a_b"]


PATTERNS = [
    *("*", "*yaw*", "chassis*", "*.L1", "?heel*", "[cw]h*", "*toe*", "nothing", "wheel.omega.l1", "*_velocities.yaw"),
    *(
        "*omega*",
        "*ANGLES*",
        "w*1",
        "*.*.*",
        "chassis_velocities.*",
        "*[!1]",
        "Wheel.Omega.[LR]1",
        "*s.y*",
        "??????",
        "*l1*",
    ),
]


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("change", [str, str.upper, str.lower])
def test_wildcards_match_as_fnmatch_in_any_case(pattern: str, change: Callable[[str], str]) -> None:
    run = small()
    expected = [name for name in run.names if fnmatch.fnmatchcase(name.lower(), pattern.lower())]
    assert run.channels(change(pattern)) == expected


def test_wildcards_accept_the_other_separators() -> None:
    assert small().channels("wheel:omega:*") == ["Wheel.Omega.L1"]
    assert small().channels("wheel_omega_*") == ["Wheel.Omega.L1"]


def test_values_cannot_be_changed() -> None:
    run = small()
    with pytest.raises(ValueError, match="read-only"):
        run["Wheel.Omega.L1"][0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        run.time[0] = 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({"a": T[:5]}, {"a": "m"}), "channel 'a': shape"),
        (({"a": T}, {}), "channel 'a': no unit given"),
        (({"a": T}, {"a": "furlongs per moon"}), "unit of a"),
        ((np.zeros((11, 2)), ["m", "m"]), "one name per column"),
        (({"time": T}, {"time": "s"}), "given separately"),
        (({"a": T}, ["m", "m"]), "1 channels, but 2 units"),
    ],
)
def test_what_does_not_fit_is_refused(arguments: tuple, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Run(T, *arguments)


def test_time_must_increase() -> None:
    with pytest.raises(ParameterError, match="not increasing at row 2"):
        Run([0.0, 1.0, 1.0], {}, {})


def test_a_matrix_of_columns() -> None:
    data = np.arange(22.0).reshape(11, 2)
    run = Run(T, data, ["m", "s"], names=["a", "b"])
    assert np.array_equal(run["b"], data[:, 1])
    assert run.units == {"a": "m", "b": "s"}


def test_from_a_recording() -> None:
    recording = SimpleNamespace(
        time=T, data=np.zeros((11, 1)), names=("a",), units=("m",), ok=False, reason="state x is not finite",
        step=0.001, method="RK2", wall_time=0.5, steps=1000,
    )  # fmt: skip
    run = Run.from_recording(recording, {"vehicle": "sedan"})
    assert (run.status, run.reason, run.complete) == ("partial", "state x is not finite", False)
    assert run.metadata["timing"] == {"simulated": 1.0, "wall": 0.5, "steps": 1000}
    assert run.vehicle == "sedan"


def test_metadata_become_plain() -> None:
    run = small(a=np.float64(2.0), b=(1, 2), c=float("nan"), d={"e": np.array([1, 2])}, f=np.True_)
    assert run.metadata == {"a": 2.0, "b": [1, 2], "c": None, "d": {"e": [1, 2]}, "f": True, "status": "complete"}
    with pytest.raises(ParameterError, match="status 'broken'"):
        small(status="broken")


def test_compat_gives_sign_and_unit_of_the_reference_tool() -> None:
    values = {"chassis_velocities.lateral": T, "chassis_displacements.roll": T, "own.channel": T}
    run = Run(T, values, {"chassis_velocities.lateral": "m/s", "chassis_displacements.roll": "rad", "own.channel": "m"})
    assert np.allclose(run.compat["chassis_velocities_lateral"], -3.6 * T, rtol=1e-15)
    assert run.compat.unit("chassis_velocities:lateral") == "km/h"
    assert np.array_equal(run.compat["chassis_displacements.roll"], -T)
    assert run.compat.channels() == ["chassis_velocities.lateral", "chassis_displacements.roll"]
    with pytest.raises(ParameterError, match="not in the catalogue"):
        run.compat["own.channel"]


def test_channels_of_the_reference_tool_come_back_with_our_signs_and_units() -> None:
    """There and back is the same but for the rounding of one product and one quotient; in a left turn ay flips."""
    rng = np.random.default_rng(4)
    wanted = [e for e in catalogue() if e.direction == "output" and e.si_unit and "<" not in e.name]
    values = {name: rng.normal(size=len(T)) for entry in wanted for name in entry.names}
    units = {name: entry.si_unit for entry in wanted for name in entry.names}
    run = Run(T, values, units)
    written = {name: run.compat[name] for name in run.compat.channels()}
    assert len(written) > 500
    again = run.compat.back(T, written)
    assert set(again.names) == set(written) and all(again.unit(name) == units[name] for name in written)
    assert all(np.allclose(again[name], run[name], rtol=4e-16, atol=0) for name in written)
    lateral = "chassis_accelerations.lateral"
    assert np.all(written[lateral] * run[lateral] < 0), "positive to the right there"
    # by the names of the reference tool
    theirs = run.compat.back(T, {"Wheel:Omega:R2": written["Wheel.Omega.R2"]})
    assert theirs.names == ("Wheel.Omega.R2",) and np.allclose(theirs["Wheel.Omega.R2"], run["Wheel.Omega.R2"])
    with pytest.raises(ParameterError, match="not in the catalogue"):
        run.compat.back(T, {"own.channel": T})


def test_parts_and_other_time_bases() -> None:
    run = small()
    assert np.allclose(run.between(0.25, 0.75).time, [0.3, 0.4, 0.5, 0.6, 0.7])
    assert np.allclose(run.shifted(2.0).time, T + 2.0)
    assert np.allclose(run.resampled([0.05, 0.15])["Wheel.Omega.L1"], [0.1, 0.3])
    with pytest.raises(ParameterError, match="outside the run"):
        run.resampled([0.5, 1.5])
    more = run.with_channels({"extra": T**2}, {"extra": "m"})
    assert more.unit("extra") == "m"
    assert "extra" not in run


def test_signals_take_the_best_channel_and_can_be_set() -> None:
    run = small()
    assert run.signal_channel("yaw_rate") == "chassis_velocities.yaw"
    assert not run.has_signal("steering")
    with pytest.raises(ParameterError, match=r"none of its channels is in this run \(driver_demands.steering\)"):
        run.signal("steering")
    with pytest.raises(ParameterError, match="signal 'yawrate': unknown; did you mean 'yaw_rate'"):
        run.signal("yawrate")
    own = small(signals={"yaw_rate": "Wheel.Omega.L1"})
    assert own.signal_channel("yaw_rate") == "Wheel.Omega.L1"


def test_lateral_acceleration_is_never_that_of_a_body_fixed_sensor() -> None:
    assert "Sensor.Ay" not in SIGNALS["lateral_acceleration"]
    assert "chassis_accelerations.lateral" not in SIGNALS["lateral_acceleration"]


def test_key_figures_of_a_step_steer(step_run: Run) -> None:
    k = understeer_gradient()
    v = 27.78
    value, unit = step_run.kpis["yaw_rate_gain"]
    assert unit == "1/s"
    # identity of the linear car
    assert value == pytest.approx(v / ((2.8 + k * v * v) * 15.0), rel=1e-3)
    assert step_run.kpis["ay_steady"][0] == pytest.approx(v * step_run.kpis["yaw_rate_steady"][0] * DEG, rel=1e-3)
    assert 0.1 < step_run.kpis["yaw_rate_t90"][0] < 0.2
    assert step_run.kpis is not step_run.kpis  # a copy: changing it does not change the run
    assert step_run.kpi_warnings == []


def test_key_figures_of_a_ramp_steer(ramp_run: Run) -> None:
    # the ramp of 3 deg/s leaves the lines nearly where steady states are
    assert ramp_run.kpis["understeer_gradient"][0] == pytest.approx(understeer_gradient() * 9.80665 / DEG, rel=0.01)
    assert ramp_run.kpis["roll_gradient"][0] == pytest.approx(4.2, rel=1e-6)
    rear = 1650 * 1.35 / 2.8 / 135e3 * 9.80665 / DEG  # m_r/C_r: slip angle of the rear axle per g
    assert ramp_run.kpis["rear_compliance"][0] == pytest.approx(rear, rel=0.01)


def test_missing_channels_are_a_warning_and_no_crash() -> None:
    run = small(event={"kind": "straight_braking"})
    assert run.kpis == {}
    assert any("signal 'forward_speed'" in text for text in run.kpi_warnings)


def test_an_empty_run_has_no_key_figures() -> None:
    run = Run([], {}, {}, {"event": "step_steer", "status": "partial", "reason": "did not start"})
    assert run.kpis == {}
    assert run.kpi_warnings == ["no key figures: the run has fewer than two instants"]


def test_events_register_their_own_key_figures() -> None:
    def furthest(run: Run) -> Figures:
        return Figures({"furthest": (float(run["Wheel.Omega.L1"].max()), "rad/s")}, ["looked"])

    register("test_event_of_mine", furthest)
    register("test_event_of_mine", furthest)  # once is enough
    assert registered("TestEventOfMine") == [furthest]
    run = small(event={"kind": "test-event-of-mine"})
    assert run.kpis == {"furthest": (2.0, "rad/s")}
    assert run.kpi_warnings == ["looked"]
    assert registered("unknown kind") == []
    with pytest.raises(ParameterError, match="not a function"):
        register("test_event_of_mine", "text")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["StepSteer", "step-steer", "step_steer", "Step Steer"])
def test_kinds_in_any_spelling(name: str) -> None:
    assert kind_of(name) == "step_steer"
    assert kind_of("JTurn") == "j_turn"


def test_numbers_of_vehicle_and_event(step_run: Run) -> None:
    assert step_run.quantity("wheelbase") == 2.8
    assert math.isnan(step_run.quantity("unknown"))
    assert step_run.number("start_time", "s") == 1.0
    assert step_run.number("speed", "m/s") == pytest.approx(100 / 3.6)
    assert math.isnan(step_run.number("unknown", "s"))
    assert step_run.parameter("speed") == 100
    worded = step_run.with_metadata(event={"kind": "x", "parameters": {"v": "36 km/h", "w": 5, "on": True}})
    assert worded.number("v", "m/s") == pytest.approx(10.0)
    assert worded.number("w", "m/s") == 5.0
    assert math.isnan(worded.number("on", "m/s"))


def test_equality_is_by_content() -> None:
    assert small() == small()
    assert small() != small(label="other")
    assert small() != small().shifted(1.0)
    nan = np.full(11, np.nan)
    assert Run(T, {"a": nan}, {"a": "m"}) == Run(T, {"a": nan}, {"a": "m"})


def test_to_pandas_keeps_the_units() -> None:
    pytest.importorskip("pandas")
    frame = small().to_pandas()
    assert frame.attrs["units"]["Wheel.Omega.L1"] == "rad/s"
    assert frame["Wheel.Omega.L1"].iloc[-1] == 2.0
    assert frame.index.name == "time"


def test_plot_has_a_panel_per_name(step_run: Run) -> None:
    pytest.importorskip("matplotlib")
    figure = step_run.plot("chassis_velocities.yaw", "Tire.*Force_Z*")
    assert len(figure.axes) == 2
    assert "deg/s" in figure.axes[0].get_ylabel()
    assert figure.axes[0].get_title(loc="left") == "Yaw rate · chassis_velocities.yaw"
    assert len(figure.axes[1].lines) == 4
    assert figure.axes[0].lines[0].get_ydata()[-1] == pytest.approx(step_run.kpis["yaw_rate_steady"][0], rel=1e-6)
    with pytest.raises(ParameterError, match="no channel matches"):
        step_run.plot("*nothing*")


def test_repr_says_what_it_is() -> None:
    assert repr(small(vehicle="sedan", status="partial", reason="stopped")) == (
        "<Run sedan: partial (stopped), 3 channels, 11 rows, 0 to 1 s>"
    )
    assert "yaw rate" in small()._repr_html_().lower() or "Run" in small()._repr_html_()


def test_a_stop_is_found_when_the_car_rocks_back() -> None:
    """|v| of a car that stops between two samples never gets small; its forward speed passes zero."""
    t = np.arange(0, 5, 0.01)
    v = np.where(t < 1, 20.0, 20.0 - 10.0 * (t - 1))
    stop = 1 + 2.0
    v = np.where(t > stop, -0.5 * np.sin(8 * (t - stop)) * np.exp(-3 * (t - stop)), v)
    values = {"System_Mass_Center.Tracking_Vx": v, "System_Mass_Center.Speed": np.abs(v) + 0.15}
    values["driver_demands.brake"] = (t >= 1.0).astype(float)
    units = {"System_Mass_Center.Tracking_Vx": "m/s", "System_Mass_Center.Speed": "m/s", "driver_demands.brake": "-"}
    run = Run(t, values, units, {"event": "straight-braking"})
    # the pedal moves within the sample before 1 s, at full speed: up to 0.01 s · 20 m/s more
    assert run.kpis["stopping_distance"][0] == pytest.approx(20.0, abs=0.21)
    assert run.kpis["mfdd"][0] == pytest.approx(10.0, rel=1e-6)
