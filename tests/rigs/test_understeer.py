"""The understeer budget: terms add up to the gradient of the car, and each goes away with what makes it."""

from __future__ import annotations

import math

import numpy as np
import pytest

import jounce as jn
from jounce.rigs.understeer import TERMS, understeer_budget
from jounce.sim import car, statics
from jounce.sim.steady import run_steadily


def simulated(vehicle: jn.Vehicle, speed: float, hand: float) -> tuple[float, float, float]:
    """Lateral acceleration, yaw rate and hand wheel angle of steady running, by the model alone."""
    description = car.describe(vehicle)
    sim = car.simulation(description)
    statics.settle(sim, description)
    sim.set_inputs({"steering_wheel": hand})
    run_steadily(sim, description, speed)
    return sim.output("System_Mass_Center.Tracking_Ay"), sim.output("chassis_velocities.yaw"), hand


def test_terms_add_up_to_the_gradient_of_two_speeds() -> None:
    """K from hand wheel angles over a_y at two speeds, δ/i = L κ + K a_y, without slips, steers or tires."""
    vehicle = jn.load("sedan")
    budget = understeer_budget(vehicle, 30.0)
    assert {term for term, _ in budget.terms} == set(TERMS)
    assert math.fsum(budget.terms.values()) == pytest.approx(budget.gradient, abs=1e-12)
    rows = [simulated(vehicle, speed, math.radians(3.0)) for speed in (28.0, 32.0)]
    # κ = ψ̇/v; unknown are i and K of the equations of both speeds
    matrix = np.array([[hand, -a] for a, _, hand in rows])
    right = np.array([vehicle.wheelbase * yaw / v for (_, yaw, _), v in zip(rows, (28.0, 32.0), strict=True)])
    _, k = np.linalg.solve(matrix, right)
    # the rest: drive forces and the air change a little with speed
    assert budget.gradient == pytest.approx(k, rel=0.15)
    weight = budget.terms["weight", "front"], budget.terms["weight", "rear"]
    assert weight[0] > 0 > weight[1]
    assert abs(budget.terms["rest", "front"]) < 0.02 * weight[0]
    assert budget.terms["compliance", "front"] > 0.1 * weight[0]
    none = understeer_budget(
        vehicle.with_(**{f"{axle}_suspension.compliance.factor": 0.0 for axle in ("front", "rear")})
    )
    assert none.terms["compliance", "front"] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(("axle", "sign"), [("rear", 1.0), ("rear", -2.0)])
def test_roll_steer_is_in_proportion_to_its_map(axle: str, sign: float) -> None:
    """Another slope of the toe map changes its term, and the gradient by that within a few per cent."""
    vehicle = jn.load("sedan")
    before = understeer_budget(vehicle)
    after = understeer_budget(vehicle.with_(**{f"{axle}_suspension.toe.scale": 1.0 + sign}))
    change = after.terms["roll_steer", axle] - before.terms["roll_steer", axle]
    assert change == pytest.approx(sign * before.terms["roll_steer", axle], rel=0.02)
    assert after.gradient - before.gradient == pytest.approx(change, rel=0.05)
    assert before.terms["roll_steer", axle] > 0, "toe-in in bump at the rear understeers"


def test_more_load_at_the_front_understeers() -> None:
    vehicle = jn.load("sedan")
    forward = vehicle.with_(**{"body.cg.x": vehicle.get("body.cg.x") + 0.1})
    before, after = understeer_budget(vehicle), understeer_budget(forward)
    assert after.terms["weight", "front"] > before.terms["weight", "front"]
    assert after.terms["weight", "rear"] > before.terms["weight", "rear"], "less to carry there"
    assert after.gradient > before.gradient
