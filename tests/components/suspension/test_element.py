"""What all elements share: the scale of their force."""

from __future__ import annotations

import pytest

import jounce.vehicle as jv
from jounce.sim import car
from polynomial_cars import BAR_PRELOAD, MOVING, put, rig


def test_scales_multiply_forces(independent: jv.Vehicle, plain_car: jv.Vehicle) -> None:
    """Of springs (the preload is kept), dampers, stops, bars (but not their preload)."""
    sim, twice = rig(independent), rig(independent.with_(**{
        "front_suspension.dampers[0].scale": 2.0, "front_suspension.anti_roll_bar.scale": 2.0,
        "rear_suspension.spring.scale": 2.0, "rear_suspension.auxiliary_anti_roll.scale": 2.0,
        "front_suspension.bump_stop.scale": 2.0, "front_suspension.rebound_stop.scale": 2.0,
    }))  # fmt: skip
    for one in (sim, twice):
        put(one, {"L1": 0.07, "R1": -0.09, "L2": 0.03, "R2": -0.01}, MOVING)
    bar = "Suspension.Auxiliary_Roll_Force_at_element.SUSP1"
    for name in ("Damper.Force_At_Wheel.L1", "Spring.Force_At_Wheel.L2", "Jounce_Bumper.Force_At_Wheel.L1",
                 "Rebound_Bumper.Force_At_Wheel.R1", "Suspension.Auxiliary_Roll_Force.SUSP2"):  # fmt: skip
        assert twice.output(name) == pytest.approx(2 * sim.output(name), rel=1e-12) and sim.output(name) != 0, name
    assert twice.output(bar) - BAR_PRELOAD == pytest.approx(2 * (sim.output(bar) - BAR_PRELOAD), rel=1e-12)
    # a spring with a preload: that force stays, its rate doubles
    base, stiff = (
        car.simulation(plain_car.with_(**{"front_suspension.spring.scale": s}), ground="inclined") for s in (1.0, 2.0)
    )
    for one in (base, stiff):
        put(one, {"L1": 0.0})
    assert stiff.output("Spring.Force_At_Spring.L1") == pytest.approx(
        base.output("Spring.Force_At_Spring.L1"), rel=1e-12
    )
    preload = base.output("Spring.Force_At_Spring.L1")
    for one in (base, stiff):
        put(one, {"L1": 0.03})
    gains = [one.output("Spring.Force_At_Spring.L1") - preload for one in (base, stiff)]
    assert gains[1] == pytest.approx(2 * gains[0], rel=1e-9)
