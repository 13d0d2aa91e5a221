"""Events on a car: signals as their formulas say, responses as linear theory and mechanics say."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import jounce as jn
from assisted_cars import with_steering
from ideal_cars import ideal
from jounce import events
from jounce.core.constants import GRAVITY
from jounce.core.errors import ParameterError, SimulationError
from jounce.events.start import Start
from jounce.results.compare import compare
from jounce.results.output_map import OutputMap
from jounce.results.report import render
from jounce.results.run import Run
from jounce.road.builder import RoadBuilder
from jounce.sim import car as cars

SPEED = 100 / 3.6


@lru_cache
def sedan() -> Any:
    return ideal("sedan")


@lru_cache
def without_air() -> Any:
    """The sedan without aerodynamic forces: what slows it is known."""
    return sedan().with_(aero=None)


@lru_cache
def drive(event: events.Event, car: Any = None) -> Run:
    return jn.run(car if car is not None else sedan(), event)


# -- calls that make no sense ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"step": 0}, "step = 0: must be above 0 s"),
        ({"step": "0 ms"}, "step = 0 ms: must be above 0 s"),
        ({"step": math.nan}, "step = nan: must be above 0 s"),
        ({"step": "1 ms", "interval": -1}, "interval = -1: must be above 0 s"),
        ({"step": "1 ms", "interval": 1e300}, r"interval = 1e\+300: must be above 0 s and at most 1e\+11 steps"),
        ({"step": "1 ms", "interval": math.nan}, "interval = nan: must be above 0 s"),
        ({"step": 1e-12}, r"would take 6e\+12 steps"),
    ],
)
def test_senseless_numbers_of_a_run_are_refused_before_it_is_built(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        jn.run(sedan(), events.StepSteer(), **options)


@pytest.mark.parametrize(
    ("options", "ms", "asked"),
    [({"step": "0.75 ms"}, 9.75, 10), ({"interval": "1.5 ms", "step": "1 ms"}, 2, 1.5), ({"interval": 1e-4}, 1, 0.1)],
)
def test_an_interval_that_is_no_multiple_of_the_step_is_told(options: dict[str, Any], ms: float, asked: float) -> None:
    run = jn.run(sedan(), events.StepSteer(amplitude="5 deg", end_time=1.5), **options)
    assert np.diff(run.time) == pytest.approx(1e-3 * ms, rel=1e-9)
    told = f"interval: rows are {ms:g} ms apart, since {asked:g} ms is no multiple of the step"
    assert any(text.startswith(told) for text in run.warnings)
    assert not any(text.startswith("interval") for text in drive(events.StepSteer(end_time=3.0)).warnings)


@pytest.mark.parametrize("kind", events.names())
def test_an_event_that_ends_before_it_acts_is_refused_with_both_times(kind: str) -> None:
    event = events.find(kind)
    if "start_time" not in event.model_fields:
        assert event(end_time="0.4 s").end_time == 0.4
        return
    for end in ("0.4 s", "0.7 s"):
        with pytest.raises(ParameterError, match=r"end_time = .*: must be after start_time \(0\.7 s\)"):
            event(start_time="0.7 s", end_time=end)


@pytest.mark.parametrize("vehicle", ["sedan", None, 5])
def test_what_is_no_vehicle_is_named_with_a_hint(vehicle: Any) -> None:
    hint = r"'sedan'; write jounce.load\('sedan'\)" if vehicle == "sedan" else "a (NoneType|int)"
    with pytest.raises(ParameterError, match=f"expected a vehicle, got {hint}"):
        jn.run(vehicle, events.StepSteer())


def test_a_run_carries_its_car_and_comparisons_name_what_was_changed() -> None:
    event = events.StepSteer(amplitude="15 deg", end_time=1.5)
    soft = sedan().with_(**{"front_suspension.anti_roll_bar.scale": 0.5})
    found = compare(drive(event), drive(event, soft))
    assert [(item.key, item.values) for item in found.differences] == [
        ("front_suspension.anti_roll_bar.scale", ("1", "0.5")),
    ]
    assert found.labels == ("anti_roll_bar.scale 1", "anti_roll_bar.scale 0.5")
    data = found.runs[1].data
    assert data["vehicle"]["front_suspension"]["anti_roll_bar"]["scale"] == 0.5
    assert data["vehicle"]["rear_suspension"]["anti_roll_bar"]["scale"] == 1.0
    assert data["tires"]["R2"]["values"]["UNLOADED_RADIUS"] > 0.2
    assert data["event"]["amplitude"] == pytest.approx(math.radians(15))
    hashes = [run.metadata["hashes"] for run in found.runs]
    assert hashes[0]["vehicle"] != hashes[1]["vehicle"]
    assert (hashes[0]["tires"], hashes[0]["event"]) == (hashes[1]["tires"], hashes[1]["event"])
    (speed,) = compare(drive(event), drive(event.changed(speed="90 km/h"))).differences
    assert (speed.key, speed.values) == ("event.speed", ("100 km/h", "90 km/h"))


def test_an_unknown_key_figure_is_named_with_the_nearest() -> None:
    figures = drive(events.StepSteer(end_time=3.0)).kpis
    with pytest.raises(ParameterError, match=r"key figure 'yaw_rate_t9'.*did you mean 'yaw_rate_t90'"):
        figures["yaw_rate_t9"]
    assert "yaw_rate_t9" not in figures and figures.get("yaw_rate_t9") is None


# -- signals ---------------------------------------------------------------------------------------------------------


def hand(run: Run) -> np.ndarray:
    return run["driver_demands.steering"]


def test_step_linear_and_cubic() -> None:
    event = events.StepSteer(amplitude="20 deg", duration=0.2, end_time=3.0, initial_steer="5 deg")
    tau = np.clip((drive(event).time - 1.0) / 0.2, 0, 1)
    a, b = math.radians(5), math.radians(20)
    assert hand(drive(event)) == pytest.approx(a + (b - a) * tau, abs=1e-12)
    cubic = event.changed(shape="cubic")
    # 64 cells of a spline through the cubic; Akima's slopes are off by less than h²/4 of the third derivative
    assert hand(drive(cubic)) == pytest.approx(a + (b - a) * (3 * tau**2 - 2 * tau**3), abs=(b - a) * 3 / 64**2)


def test_ramp_rises_with_its_slope_and_stops() -> None:
    run = drive(events.RampSteer(slope="10 deg/s", duration=1.0, end_time=3.0))
    assert hand(run) == pytest.approx(np.radians(10) * np.clip(run.time - 1.0, 0, 1), abs=1e-12)


def test_sine_and_sweep_by_their_formulas() -> None:
    run = drive(events.SineSteer(amplitude="10 deg", frequency=0.5, phase="30 deg", end_time=5.0))
    tau = np.maximum(run.time - 1.0, 0)
    assert hand(run) == pytest.approx(np.radians(10) * np.sin(2 * np.pi * 0.5 * tau + np.radians(30)), abs=1e-12)
    event = events.SweptSteer(
        amplitude="5 deg", first_frequency=0.1, last_frequency=2.1, frequency_rate=0.5, end_time=5.0
    )
    run = drive(event)
    # four whole cycles: 0.1 τ + 0.25 τ² = 4
    end = (-0.1 + math.sqrt(0.01 + 4.0)) / 0.5
    tau = np.clip(run.time - 1.0, 0, end)
    assert hand(run) == pytest.approx(np.radians(5) * np.sin(2 * np.pi * (0.1 * tau + 0.25 * tau**2)), abs=1e-11)


def test_impulse_goes_up_and_back_smoothly() -> None:
    run = drive(events.ImpulseSteer(amplitude="30 deg", duration=0.4, end_time=4.0))
    up, down = (np.clip((run.time - t) / 0.2, 0, 1) for t in (1.0, 1.2))
    shape = (3 * up**2 - 2 * up**3) - (3 * down**2 - 2 * down**3)
    assert hand(run) == pytest.approx(np.radians(30) * shape, abs=np.radians(30) * 3 / 64**2)
    assert hand(run).max() == pytest.approx(math.radians(30), rel=1e-6)


# -- responses -------------------------------------------------------------------------------------------------------


@lru_cache
def without_friction() -> Any:
    """Linear models do not have the dry friction of suspensions and of the steering."""
    return with_steering("sedan", friction=1e-9).with_(
        **{f"{axle}_suspension.elements[0].scale": 0.0 for axle in ("front", "rear")}
    )


def linear_model(event: events.Event, outputs: tuple[str, ...]) -> tuple[Any, Start]:
    description = cars.describe(without_friction())
    start = Start(description, event)
    return cars.lineariser(description, outputs=outputs).at(start.sim), start


OUTPUTS = ("chassis_velocities.yaw", "System_Mass_Center.Tracking_Ay")


def test_small_sine_is_the_linear_response() -> None:
    event = events.SineSteer(amplitude="2 deg", frequency=0.5, end_time=13.0, cruise=False)
    model, _ = linear_model(event, OUTPUTS)
    expected = model.response([0.5])[0, :, model.inputs.index("steering_wheel")]
    run = drive(event, without_friction())
    last = run.time >= 3.0  # five periods, after the transient (the slowest lateral mode decays with 0.1 s)
    t, u = run.time[last][:-1], hand(run)[last][:-1]
    for name, h in zip(OUTPUTS, expected, strict=True):
        y = run[name][last][:-1]
        carrier = np.exp(-2j * np.pi * 0.5 * t)
        assert (y * carrier).sum() / (u * carrier).sum() == pytest.approx(h, rel=0.02)


def test_a_sweep_measures_the_linear_frequency_response() -> None:
    from jounce.results.key_figures.frequency import frequency_response

    event = events.SweptSteer(amplitude="2 deg", cruise=False)
    model, _ = linear_model(event, OUTPUTS)
    run = drive(event, without_friction())
    response = frequency_response(run.time, hand(run), run["chassis_velocities.yaw"])
    inside = (response.frequency > 0.3) & (response.frequency < 3.0)
    expected = model.response(response.frequency[inside])[:, 0, model.inputs.index("steering_wheel")]
    ratio = response.response[inside] / expected
    print(np.abs(ratio - 1).max(), np.abs(ratio - 1).mean())
    assert np.abs(ratio - 1).max() < 0.022  # one step of 1 ms is a phase of 0.019 at 3 Hz


def test_impulse_finds_the_lateral_modes() -> None:
    """Free yaw rate after the impulse decays with the eigenvalues of the linearised car."""
    event = events.ImpulseSteer(amplitude="3 deg", duration=0.2, end_time=4.0, cruise=False)
    model, _ = linear_model(event, OUTPUTS)
    run = drive(event, without_friction())
    t, yaw = run.time, run["chassis_velocities.yaw"]
    free = t > 1.2 + 1e-9
    # the linear model from the state at the end of the impulse: same free motion
    from scipy.linalg import expm

    keep = [i for i, n in enumerate(model.states) if n not in ("chassis.x", "chassis.y", "chassis.z")]
    a, c = model.A[np.ix_(keep, keep)], model.C[0, keep]
    forced = np.zeros(len(keep))
    b = model.B[keep][:, [model.inputs.index("steering_wheel")]]
    step = expm(a * 0.001)
    gain = np.linalg.lstsq(a, step - np.eye(len(keep)), rcond=None)[0] @ b
    fine = np.interp(np.arange(0, 4.0, 0.001), t, hand(run))
    trace = []
    for u in fine:
        trace.append(c @ forced)
        forced = step @ forced + gain[:, 0] * u
    linear = np.interp(t, np.arange(0, 4.0, 0.001), trace)
    assert np.abs(yaw[free] - linear[free]).max() < 0.03 * np.abs(linear).max()


def test_the_yaw_mode_of_a_slow_car_lies_beyond_the_range_and_is_not_told() -> None:
    slow = drive(events.ImpulseSteer(speed="30 km/h", amplitude="-3 deg"))
    assert math.isnan(slow.kpis["yaw_natural_frequency"][0]) and math.isnan(slow.kpis["yaw_damping"][0])
    assert any("yaw natural frequency and damping: not within the 0.2 to 2 Hz" in text for text in slow.kpi_warnings)
    assert drive(events.ImpulseSteer(speed="130 km/h", amplitude="-3 deg")).kpis["yaw_natural_frequency"][0] < 2


def test_steady_yaw_gain_follows_from_wheelbase_and_understeer() -> None:
    """ψ̇/δ_H = V/[(L + K V²) i]: K found at 100 km/h predicts the gain at 60 km/h, in the linear range."""

    def gain(speed: float) -> float:
        run = drive(events.StepSteer(speed=speed, amplitude="2 deg"))
        return run.kpis["yaw_rate_gain"][0]

    ratio, wheelbase = drive(events.StepSteer(amplitude="2 deg")).quantity("steering_ratio"), sedan().wheelbase
    k = (SPEED / (gain(SPEED) * ratio) - wheelbase) / SPEED**2
    slow = 60 / 3.6
    # of the tires' loads only lift changes with speed: 1 % of them, which moves K and the gain by less than that
    assert gain(slow) == pytest.approx(slow / ((wheelbase + k * slow**2) * ratio), rel=0.01)


def test_the_amplitude_is_found_for_the_lateral_acceleration() -> None:
    for target in (4.0, -4.0):
        run = drive(events.StepSteer(lateral_acceleration=target))
        assert run.kpis["ay_steady"][0] == pytest.approx(target, rel=0.005)
    left, right = (drive(events.StepSteer(lateral_acceleration=a)) for a in (4.0, -4.0))
    assert hand(left)[-1] == pytest.approx(-hand(right)[-1], rel=1e-6)


def test_lateral_acceleration_that_no_tire_can_give_says_so() -> None:
    with pytest.raises(SimulationError, match="no hand wheel angle gives 20"):
        jn.run(sedan(), events.StepSteer(lateral_acceleration=20.0))


# -- along the road --------------------------------------------------------------------------------------------------


def test_cruise_keeps_the_speed_and_without_it_the_speed_falls() -> None:
    held = drive(events.StepSteer(amplitude="30 deg"))
    assert np.abs(held["chassis_velocities.longitudinal"] - SPEED).max() < 0.1
    free = drive(events.StepSteer(amplitude="30 deg", cruise=False))["chassis_velocities.longitudinal"]
    assert free[-1] < SPEED - 0.1 and np.all(np.diff(free[120:]) < 1e-6)


def test_full_drive_accelerates_by_force_over_mass() -> None:
    """m a r = T - M_y - I a/r_e: moments about the wheels, r the loaded radius, r_e the rolling one; no air."""
    run = drive(events.StraightAcceleration(throttle=0.5, final_speed="60 km/h"), without_air())
    t, v = run.time, run["chassis_velocities.longitudinal"]
    middle = (v > 8) & (v < 14)
    a = np.polyfit(t[middle], v[middle], 1)[0]
    car = without_air()
    corners = ("L1", "R1", "L2", "R2")

    def mean(name: str) -> float:
        return float(np.mean([run[f"Tire.{name}.{c}"][middle] for c in corners]))

    r, rolling = mean("Loaded_Radius"), mean("Effective_Rolling_Radius")
    resistance = 4 * abs(mean("Ground_Surface_Moment_Y"))
    inertia = sum(car.wheels(axle).spin_inertia * 2 for axle in (1, 2))
    expected = (0.5 * car.drive.max_torque - resistance) / (car.mass() * r + inertia / rolling)
    assert a == pytest.approx(expected, rel=0.01)


def test_closed_loop_braking_takes_v2_over_2a() -> None:
    run = drive(events.StraightBraking(open_loop=False, deceleration=5.0))
    t, v = run.time, run["chassis_velocities.longitudinal"]
    middle = (v > 5) & (v < 22)
    assert -np.polyfit(t[middle], v[middle], 1)[0] == pytest.approx(5.0, rel=0.02)
    start = run.time >= 1.0
    distance = np.trapezoid(v[start], t[start])
    assert distance == pytest.approx(SPEED**2 / (2 * 5.0), rel=0.01)


def test_a_stop_ends_at_standstill_and_straight() -> None:
    run = drive(events.StraightBraking())
    assert run.complete and run.metadata["reason"] == "standstill"
    assert abs(run["chassis_displacements.lateral"][-1]) < 0.01
    assert abs(run["chassis_velocities.longitudinal"][-1]) < 0.1
    mu = 1.2  # no tire of this car does better: the stop cannot be shorter than v²/(2 µ g)
    assert run.kpis["stopping_distance"][0] > SPEED**2 / (2 * mu * GRAVITY)


@pytest.mark.slow
def test_coast_down_finds_the_drag_of_the_file() -> None:
    run = drive(events.CoastDown())
    area = sedan().aero.drag.area
    assert run.kpis["road_load_c"][0] == pytest.approx(0.5 * 1.2 * area, rel=0.05)
    assert run.kpis["drag_area"][0] == pytest.approx(area, rel=0.05)


def test_dropped_by_its_height_the_car_comes_to_rest_where_it_stood() -> None:
    run = drive(events.Drop(height="50 mm"))
    z = run["chassis_displacements.vertical"]
    # tires that do not roll keep what the landing did to the track: the body stays a little higher or lower
    assert z[0] - z[-1] == pytest.approx(0.05, abs=3e-3)
    flying = np.all([run[f"Road.Contact_Flag.{c}"] == 0 for c in ("L1", "R1", "L2", "R2")], axis=0)
    assert flying[:4].all()  # 50 mm is more than the static deflection of the tires
    assert run["System_Mass_Center.Global_Az"][flying][:4] == pytest.approx(np.full(4, -GRAVITY), rel=1e-9)


def test_a_released_hand_wheel_returns_to_the_middle() -> None:
    """But for friction, which holds the rack before."""
    run = drive(events.SteeringRelease(), without_friction())
    assert abs(hand(run)[run.time < 5.0][-1]) > 0.05
    assert abs(hand(run)[-1]) < 0.01 * abs(hand(run)[run.time < 5.0][-1])
    assert run.kpis["release_yaw_rate_damping"][0] > 0.1


# -- where and how ---------------------------------------------------------------------------------------------------


def test_the_start_pose_does_not_matter() -> None:
    here = drive(events.StepSteer(amplitude="20 deg", end_time=3.0))
    there = drive(events.StepSteer(amplitude="20 deg", end_time=3.0, x="300 m", y="-200 m", heading="137 deg"))
    for name in ("chassis_velocities.yaw", "System_Mass_Center.Tracking_Ay", "chassis_displacements.roll"):
        assert there[name] == pytest.approx(here[name], abs=1e-7 * np.abs(here[name]).max())
    yaw = there["chassis_displacements.yaw"] - here["chassis_displacements.yaw"]
    assert yaw == pytest.approx(np.full(len(yaw), math.radians(137)), abs=1e-9)


def test_output_steps_are_multiples_of_the_step() -> None:
    run = jn.run(sedan(), events.StepSteer(amplitude="20 deg", end_time=1.5), interval=0.0034, step=0.001)
    assert np.diff(run.time) == pytest.approx(np.full(len(run.time) - 1, 0.003), abs=1e-12)


@pytest.mark.slow
def test_angles_of_the_body_are_to_the_horizontal_on_a_rough_road_and_to_the_road_on_a_plane() -> None:
    event = events.StraightBraking(speed="60 km/h", brake=0.4)
    level, rough, hill = (
        drive(event.changed(**c)) for c in ({}, {"road": "iso_8608_c"}, {"grade": -0.05, "bank": 0.03})
    )
    bumps, body = (np.degrees(rough[f"chassis_displacements.pitch{end}"]) for end in ("_wrt_road", ""))
    assert np.array_equal(np.degrees(rough.signal("pitch")), body)
    # 10 mm under wheels 2.8 m apart: below 1 deg beside a dive of 1.3; the slope under one point is ten times that
    assert np.ptp(body) < 3.0 < 0.5 * np.ptp(bumps)
    assert rough.kpis["dive_gradient"][0] == pytest.approx(level.kpis["dive_gradient"][0], rel=0.1)
    assert hill.signal_channel("pitch") == "chassis_displacements.pitch_wrt_road"
    # loads of the axles change by the slope times height over wheelbase: 1 % each
    assert hill.kpis["dive_gradient"][0] == pytest.approx(level.kpis["dive_gradient"][0], rel=0.03)
    assert "Pitch angle (to the horizontal)" in render(rough) and "Pitch angle (to the road)" in render(hill)


def test_half_the_friction_brakes_half_as_well() -> None:
    dry, wet = (drive(events.StraightBraking(friction=f)) for f in (1.0, 0.5))
    # slip control works at the same slip, which is beyond the peak of the slippery road
    assert 0.43 * dry.kpis["mfdd"][0] < wet.kpis["mfdd"][0] < 0.51 * dry.kpis["mfdd"][0]


@pytest.mark.slow
def test_uphill_braking_is_shorter_than_downhill() -> None:
    up, down = (drive(events.StraightBraking(grade=g)) for g in (0.1, -0.1))
    difference = up.kpis["mfdd"][0] - down.kpis["mfdd"][0]
    assert difference == pytest.approx(2 * GRAVITY * math.sin(math.atan(0.1)), rel=0.1)


def test_headings_do_not_jump() -> None:
    run = jn.run(sedan(), events.StepSteer(amplitude="200 deg", speed="20 km/h", end_time=20.0))
    yaw = run["chassis_displacements.yaw"]
    assert yaw[-1] > 2 * math.pi and np.abs(np.diff(yaw)).max() < 0.1


# -- what happens when it does not end well -------------------------------------------------------------------------


def test_an_interrupted_run_keeps_what_it_has() -> None:
    def interrupt(now: float, end: float) -> None:
        assert end == 200.0
        if now > 1.0:
            raise KeyboardInterrupt

    run = jn.run(sedan(), events.StepSteer(amplitude="20 deg", end_time=200.0), progress=interrupt)
    assert not run.complete and "interrupted" in run.reason
    assert len(run.time) > 100 and run.time[-1] < 200.0


def test_a_run_that_becomes_infinite_keeps_what_it_has() -> None:
    """A step far too large for the tires: the run ends early, by a number or by a car that has spun, and says so."""
    event = events.StepSteer(amplitude="20 deg", end_time=10.0)
    run = jn.run(sedan(), event, method="Euler", step="20 ms", interval="20 ms")
    assert not run.complete and run.reason
    assert 1 <= len(run.time) < 500 and any("ended early" in warning for warning in run.warnings)


@pytest.mark.slow
def test_a_car_that_turns_round_on_split_friction_has_not_stopped_well() -> None:
    run = jn.run(sedan().with_(**{"brakes.abs": None}), events.StraightBraking(straight_line=False), road="mu_split")
    assert not run.complete and run.reason == "spun"


@pytest.mark.slow
def test_a_car_that_turns_while_it_brakes_is_measured_along_its_way() -> None:
    road = RoadBuilder("split", left=50, right=50).straight(200).friction(1.0, 0.15).build()
    car = sedan().with_(**{"brakes.abs": None})
    event = events.StraightBraking(speed="35 km/h", straight_line=False, brake=0.6)
    run = jn.run(car, event, road=road)
    turned = math.degrees(run["chassis_displacements.yaw"][-1])
    assert abs(turned) > 60  # at the end it slides almost sideways
    assert not run.complete and run.reason == f"standstill, turned by {abs(turned):.0f} deg from its line"
    assert any("turned by" in item for item in run.warnings)
    assert np.hypot(run["chassis_velocities.longitudinal"][-1], run["chassis_velocities.lateral"][-1]) < 0.15
    x, y = (run[f"Vehicle.CM_Global_{axis}"] for axis in "XY")
    way = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))])
    speed = np.gradient(way, run.time)
    brake = run.time >= event.start_time
    v0 = float(event.speed)
    ends = [np.interp(-part * v0, -speed[brake], way[brake]) for part in (0.8, 0.1)]
    # the body's way and the whole car's differ by the swaying of the body, centimetres of some five metres
    assert run.kpis["mfdd"][0] == pytest.approx(v0 * v0 * (0.64 - 0.01) / (2 * (ends[1] - ends[0])), rel=0.02)
    assert run.kpis["mfdd"][0] < run.kpis["peak_deceleration"][0]
    faster = jn.run(car, event.changed(speed="40 km/h"), road=road)
    assert not faster.complete and faster.reason == "spun"


def test_channels_by_pattern() -> None:
    run = jn.run(
        sedan(), events.StepSteer(amplitude="20 deg", end_time=1.5), channels=["*yaw*", "Suspension.Jounce.L1"]
    )
    assert "chassis_velocities.yaw" in run.names and "Suspension.Jounce.L1" in run.names
    assert "Suspension.Jounce.R1" not in run.names


def test_a_target_acceleration_is_kept() -> None:
    run = drive(events.StraightAcceleration(open_loop=False, acceleration=2.0, final_speed="80 km/h"))
    t, v = run.time, run["chassis_velocities.longitudinal"]
    middle = (v > 6) & (v < 20)
    assert np.polyfit(t[middle], v[middle], 1)[0] == pytest.approx(2.0, rel=0.02)


@pytest.mark.slow
def test_tires_beyond_their_data_are_named_once_with_the_range() -> None:
    run = jn.run(sedan(), events.StraightBraking(speed="90 km/h", brake=0.3), road="potholes")
    found = [warning for warning in run.warnings if warning.startswith("tire L1") and "load" in warning]
    assert len(found) == 1 and "its data end at" in found[0]


def test_live_channels_are_sent_while_the_run_goes_on() -> None:
    seen: list[tuple[float, dict[str, float]]] = []
    event = events.StepSteer(amplitude="20 deg", end_time=60.0)
    run = jn.run(sedan(), event, live=lambda now, values: seen.append((now, values)))
    assert len(seen) >= 2 and all(a[0] < b[0] for a, b in pairwise(seen))
    now, values = seen[0]
    k = int(np.argmin(np.abs(run.time - now)))
    assert values["driver_demands.steering"] == pytest.approx(hand(run)[k], abs=1e-9)


def test_an_output_map_scales_what_is_stored_and_not_what_is_sent_or_stepped() -> None:
    """Scale 2, offset 1: 2x + 1 in the run; x in the live stream and in a simulation that a host steps."""
    event = events.StepSteer(amplitude="20 deg", end_time=60.0)
    speed, yaw = "chassis_velocities.longitudinal", "chassis_velocities.yaw"
    chosen = OutputMap().set(speed, scale=2.0, offset=1.0, live=True).set(yaw, active=False)
    seen: list[tuple[float, dict[str, float]]] = []
    stored = jn.run(sedan(), event, output_map=chosen, live=lambda now, values: seen.append((now, values)))
    start = Start(cars.describe(sedan()), event)
    assert start.sim.output(speed) == pytest.approx(event.speed, rel=1e-3)
    assert stored[speed][0] == pytest.approx(2 * start.sim.output(speed) + 1, abs=1e-9)
    assert yaw not in stored.names and stored.unit(speed) == "m/s"
    assert seen and all(set(values) == {speed} for _, values in seen)
    between = float(np.abs(np.diff(stored[speed])).max())  # instants of the stream lie between rows
    for now, values in seen:
        k = int(np.argmin(np.abs(stored.time - now)))
        assert 2 * values[speed] + 1 == pytest.approx(stored[speed][k], abs=between)


def test_a_host_that_steps_the_car_gets_the_same_run() -> None:
    """Inputs set by the caller at every step: the run of a program that holds the same inputs, to the bit."""
    event = events.StepSteer(amplitude="0 deg", start_time=0.5, end_time=1.0, cruise=False)
    start = Start(cars.describe(sedan()), event)
    throttle = start.throttle
    recorded = start.record(event, interval=0.1, channels=["chassis_velocities.longitudinal", "Suspension.Jounce.L1"])
    start.restart()
    hosted = []
    for step in range(1001):
        if step % 100 == 0:
            hosted.append([start.sim.output(n) for n in recorded.names])
        start.sim.set_inputs({"steering_wheel": 0.0, "throttle": throttle, "brake": 0.0})
        start.sim.advance(1)
    assert np.array_equal(np.array(hosted), recorded.data)


def test_numbers_of_the_model_are_set_for_a_run() -> None:
    event = events.StraightBraking(speed="60 km/h", brake=0.3)
    plain = jn.run(sedan(), event)
    slippery = {f"{corner}.tire.scale.LMUX": 0.2 for corner in ("L1", "R1", "L2", "R2")}
    changed = jn.run(sedan(), event, parameters=slippery)
    # braked with the peak friction of a fifth of the tires' own, or a little less where wheels lock
    peak = changed.kpis["peak_deceleration"][0]
    assert peak < 0.3 * GRAVITY and peak < 0.7 * plain.kpis["peak_deceleration"][0]
    assert changed.metadata["parameters"]["L1.tire.scale.LMUX"] == "0.2"
    with pytest.raises(ParameterError, match=r"L1\.tire\.scale\.LMUX"):
        jn.run(sedan(), event, parameters={"L1.tire.scale.LMUXX": 0.2})
