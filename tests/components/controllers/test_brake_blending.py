"""Brake blending: with motors that brake the pedal means what it means without them."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

import jounce.vehicle as jv
from jounce.components.controllers.brake_blending import BrakeBlending
from jounce.runtime.recording import Recording
from jounce.sim import car

DEMAND = 0.15


@lru_cache
def bev() -> jv.Vehicle:
    return jv.load("bev")


def braked(demand: float, *parts: BrakeBlending) -> Recording:
    description = car.describe(bev(), ground="inclined", parts=parts)
    sim = car.simulation(description)
    speed = 20.0
    from jounce.sim.steady import roll

    roll(sim, description, speed)
    sim.set_inputs({"brake": demand, "throttle": 0.0})
    return sim.run(1.5, interval=0.01)


@pytest.mark.slow
def test_motors_take_from_the_brakes_what_they_do() -> None:
    plain, blended, coasts = braked(DEMAND), braked(DEMAND, BrakeBlending()), braked(0.0)
    later = blended.time > 0.5
    scale = blended["Brake_Blending.scale"][later]
    assert (scale < 0.95).all() and (scale >= 0.0).all()
    ratio = blended["Chamber_Pressure.L1"][later] / plain["Chamber_Pressure.L1"][later]
    assert np.allclose(ratio, scale, rtol=1e-9)
    # the brakes alone, beside the drive as it coasts: motors have losses and inertia of their own, 3 %
    wheels = ("L1", "R1", "L2", "R2")
    alone = sum((plain[f"Brake_Moment.{c}"] + coasts[f"Wheel.Drive_Moment.{c}"])[later].mean() for c in wheels)
    both = sum((blended[f"Brake_Moment.{c}"] + blended[f"Wheel.Drive_Moment.{c}"])[later].mean() for c in wheels)
    assert both == pytest.approx(alone, rel=0.03)
    beside = sum((plain[f"Brake_Moment.{c}"] + plain[f"Wheel.Drive_Moment.{c}"])[later].mean() for c in wheels)
    assert beside < 1.1 * alone, "without blending the car brakes harder than the pedal says"
