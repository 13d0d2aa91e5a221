"""Stability control of the sedan: sine with dwell to the last amplitude, and peace below the limit."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import pytest

import jounce as jn
import jounce.vehicle as jv
from cars import compact, rolling
from jounce import events
from jounce.components.controllers.stability_control import StabilityControl
from jounce.results.run import Run
from jounce.sim import car

SPEED = 80 / 3.6
LOOSE = {"L2.tire.scale.LMUY": 0.9, "R2.tire.scale.LMUY": 0.9}
G = 9.80665


@lru_cache
def sedan() -> jv.Vehicle:
    return jv.load("sedan")


@lru_cache
def angle() -> float:
    """Hand wheel angle for 0.3 g at 80 km/h."""
    return math.radians(jn.run(sedan(), events.SlowlyIncreasingSteer()).kpis["steering_at_nominal"][0])


def dwell(side: str, gain: float, controller: str, loose: bool = False) -> Run:
    """One run of the event."""
    event = events.SineWithDwell(
        gain=gain, direction=side, steering_at_nominal=angle(), controller=controller  # type: ignore[arg-type]
    )  # fmt: skip
    return jn.run(sedan(), event, parameters=LOOSE if loose else None)


@pytest.mark.slow
@pytest.mark.parametrize("loose", [False, True])
def test_sine_with_dwell_is_passed_at_every_amplitude(loose: bool) -> None:
    """The event of UN R140, both ways up to 270°; without control the car fails."""
    event = events.SineWithDwell(controller="stability_control", steering_at_nominal=angle())
    run = jn.run(sedan(), event, parameters=LOOSE if loose else None)
    assert run.verdict.word == "pass" and len(run.trials) > 30
    for side in ("left", "right"):
        assert run.kpis[f"largest_amplitude_{side}"][0] == pytest.approx(270.0, rel=2e-3)
        alone = dwell(side, math.radians(270) / angle(), "", loose)
        assert alone.kpis["swd_pass"][0] == 0.0, "the car needs it"


@pytest.mark.slow
def test_below_half_a_g_it_leaves_the_car_alone() -> None:
    """Slow steering up to the limit, steps to 4 m/s² at several speeds, a slalom; dry."""
    for speed in (60, 100, 140):
        run = jn.run(sedan(), events.RampSteer(speed=speed / 3.6, controller="stability_control"))
        ay = np.abs(run["System_Mass_Center.Tracking_Ay"])
        acts = run["ESC.activity"] > 0
        assert not acts[ay < 0.5 * G].any() or ay[: np.argmax(acts)].max() >= 0.5 * G
        run = jn.run(sedan(), events.StepSteer(speed=speed / 3.6, controller="stability_control"))
        assert run["System_Mass_Center.Tracking_Ay"].max() > 0.35 * G
        assert run["ESC.activity"].max() == 0.0
    # a slalom: as far as the car goes to both sides within half a g
    event = events.SineSteer(
        speed=SPEED, amplitude=1.5 * angle(), frequency=0.5, cycles=3.0, controller="stability_control"
    )
    run = jn.run(sedan(), event)
    ay = run["System_Mass_Center.Tracking_Ay"]
    assert ay.max() > 0.35 * G and ay.min() < -0.35 * G and np.abs(ay).max() < 0.5 * G
    assert run["ESC.activity"].max() == 0.0


def test_in_reverse_it_looks_on() -> None:
    """A car that reverses with a turned hand wheel yaws the other way than forwards: no wheel is braked."""
    description = car.describe(compact(), ground="inclined", parts=(StabilityControl(),))
    activity = {}
    for speed in (10.0, -10.0):
        sim = rolling(car.simulation(description), speed)
        # an understeer that this car has not: forwards it acts, whatever the speed
        sim.set_parameters({"stability_control.steering_per_curvature": 8.0, "stability_control.understeer": 0.0})
        sim.set_inputs({"steering_wheel": 0.35})
        run = sim.run(1.5, interval=0.005)
        activity[speed] = run["ESC.activity"].max()
        assert np.sign(run["chassis_velocities.yaw"][-1]) == np.sign(speed)
    assert activity == {10.0: 1.0, -10.0: 0.0}


@pytest.mark.slow
@pytest.mark.parametrize("bank", [0.1, -0.1])
def test_a_banked_road_is_no_reason_to_act(bank: float) -> None:
    """10 %, up to 0.3 g in the plane, left turn with and against the bank."""
    run = jn.run(sedan(), events.RampSteer(speed=SPEED, bank=bank, controller="stability_control", end_time=12.0))
    ay, acts = np.abs(run["System_Mass_Center.Tracking_Ay"]), run["ESC.activity"] > 0
    assert ay.max() > 0.3 * G
    first = int(np.argmax(acts)) if acts.any() else len(acts)
    assert ay[:first].max() > 0.3 * G


@pytest.mark.slow
def test_the_figures_are_those_of_the_car() -> None:
    """v δ/ψ̇ = S + U v² of a steady turn at another speed than that of the identification, by hand."""
    run = jn.run(sedan(), events.RampSteer(speed=30.0, controller="stability_control", end_time=8.0))
    ay = run["System_Mass_Center.Tracking_Ay"]
    rows = (np.abs(ay) > 1.0) & (np.abs(ay) < 2.5) & (np.arange(len(ay)) < np.argmax(np.abs(ay)))
    yaw, wanted = run["chassis_velocities.yaw"][rows], run["ESC.reference_yaw_rate"][rows]
    # offsets of the sensors: 0.5° of 42 rad m, of some 10° of hand wheel; and the friction of the steering
    assert np.mean(wanted / yaw) == pytest.approx(1.0, abs=0.12)


@pytest.mark.slow
def test_a_wheel_outside_the_turn_is_braked_and_the_drive_cut() -> None:
    for side in ("left", "right"):
        run = dwell(side, 5.0, "stability_control")
        moment, yaw = run["ESC.moment"], run["Sensed.yaw_rate"]
        against = (moment * yaw < 0) & (np.abs(moment) > 2000.0)
        right, left = run["Brake_Share.stability_control.R1"], run["Brake_Share.stability_control.L1"]
        assert against.any()
        assert (right[against & (moment < 0)] >= left[against & (moment < 0)]).mean() > 0.9
        assert (left[against & (moment > 0)] >= right[against & (moment > 0)]).mean() > 0.9
        assert max(right.max(), left.max()) > 2e6
