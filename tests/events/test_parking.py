"""Parking: loops of the hand torque in closed form, and the friction of tires that are turned on the spot."""

from __future__ import annotations

import math

import numpy as np
import pytest

import jounce as jn
from jounce import events
from jounce.events.library.parking import parking
from result_runs import value

MOST, RATE = 7.3, 2.5


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_figures_of_a_loop(side: float) -> None:
    """Coulomb friction of 4.1 N.m and a spring of 0.6 N.m/rad: the loop is a parallelogram."""
    spell = MOST / RATE
    t = np.arange(0.0, 6.5 * spell, 0.01)
    knots = [0.0, spell, 3 * spell, 5 * spell, 6 * spell, 7 * spell]
    angle = side * np.interp(t, knots, [0.0, MOST, -MOST, MOST, 0.0, 0.0])
    way = np.sign(np.interp(t, knots, [1.0] * 6)) * side * np.where(t < spell, 1, np.where(t < 3 * spell, -1, 1))
    found = parking(t, angle, 4.1 * way + 0.6 * angle, 900.0 * way)
    far = 0.9 * MOST
    # rows stand 25 mrad apart
    assert value(found, "parking_torque_max") == pytest.approx(4.1 + 0.6 * far, abs=0.6 * 0.025)
    # |±4.1 + 0.6 δ| changes its sign at 6.83 rad, beyond 0.9 of 7.3: 4.1 on average
    assert value(found, "parking_torque_mean") == pytest.approx(4.1, rel=0.01)
    assert far < 4.1 / 0.6
    assert value(found, "parking_hysteresis") == pytest.approx(2 * 4.1, rel=1e-3)
    assert value(found, "parking_work") == pytest.approx(2 * 4.1 * 2 * MOST, rel=0.01)
    assert value(found, "rack_force_max") == pytest.approx(900.0)


def test_half_a_loop_has_no_figures() -> None:
    t = np.arange(0.0, 6.0, 0.01)
    found = parking(t, np.clip(t, 0.0, 5.0), t)
    assert math.isnan(value(found, "parking_torque_max")) and "and back" in found.warnings[0]


def test_a_car_without_assistance_takes_the_work_that_its_tires_do() -> None:
    """What the hands put in comes out at the contacts, where tires turn against friction."""
    bev = jn.load("bev")
    run = jn.run(bev, events.Parking(heading=0.7))
    assert run.complete and 20.0 < run.kpis["parking_torque_max"][0] < 80.0
    speed = run.signal("speed")
    assert speed.max() < 0.05  # the brakes hold it
    t, steer = run.time, run.signal("steering")
    back = int(np.argmin(steer))
    loop = slice(int(np.argmax(steer[:back])), back + int(np.argmax(steer[back:])) + 1)
    done = 0.0
    for wheel in ("L1", "R1"):
        angle = run[f"Wheel.Spindle_Steer.{wheel}"][loop]
        done -= float(np.trapezoid(run[f"Tire.Ground_Surface_Moment_Z.{wheel}"][loop], angle))
    assert done > 0
    # contacts that move with the scrub radius take the rest; nothing else rubs in this steering
    assert 0.5 * run.kpis["parking_work"][0] < done < 1.02 * run.kpis["parking_work"][0]
    assert np.ptp(steer[t > t[-1] - 0.005]) < 0.02 and abs(steer[-1]) < 0.05


def test_more_rate_and_less_angle_are_what_they_say() -> None:
    run = jn.run(jn.load("bev"), events.Parking(lock_share=0.5, rate="360 deg/s", start_time=0.2, brake=1.0))
    steer = run.signal("steering")
    fastest = np.abs(np.diff(steer)).max() / 0.01
    assert fastest == pytest.approx(2 * math.pi, rel=1e-6)
    assert steer.max() == pytest.approx(-steer.min(), rel=0.02)
    assert run.time[-1] == pytest.approx(0.2 + 6 * 0.5 * 8.0553 / (2 * math.pi), abs=0.02)
