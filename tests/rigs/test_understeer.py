"""The understeer budget: terms add up to the gradient of the car, and each goes away with what makes it."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import jounce as jn
from compliant_cars import library_car
from jounce.rigs.understeer import TERMS, Budget, understeer_budget
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
    gives = ("fy_steer", "mz_steer", "fy_camber", "other_steer")
    assert sum(budget.terms[what, "front"] for what in gives) > 0.1 * weight[0]
    factors = {f"{axle}_suspension.compliance.factor": 0.0 for axle in ("front", "rear")}
    stiff = understeer_budget(vehicle.with_(**factors))
    for what in gives[:-1]:
        assert stiff.terms[what, "front"] == pytest.approx(0.0, abs=1e-9), "it gives way to nothing"
    # but for the torsion bar: twist by the pinion torque of the aligning moments, within the assist on centre
    assert 0.05 * weight[0] < stiff.terms["other_steer", "front"] < 0.3 * weight[0]


# --- each term goes away with what makes it -------------------------------------------------------------------------

ENDS = ("front", "rear")


@lru_cache
def straight() -> tuple[jn.Vehicle, Budget]:
    """A car that gives way to all loads, without toe and camber at design: forces of its own that all terms change.

    Its rack is held: what a steering in full gives way by is in other_steer, and changes with every moment.
    """
    changes: dict[str, Any] = {"steering.rack_pinion": None}
    changes |= {f"{end}_suspension.{name}.offset": 0.0 for end in ENDS for name in ("toe", "camber")}
    changes |= {f"{end}_suspension.compliance.{name}.fz.scale": 0.0 for end in ENDS for name in ("toe", "camber")}
    vehicle = library_car("sedan").with_(**changes)
    return vehicle, understeer_budget(vehicle)


def switched(what: str, end: str) -> dict[str, float]:
    """Changes that switch a contribution off."""
    if what == "roll_steer":
        return {f"{end}_suspension.toe.scale": 0.0}
    load, _, angle = what.partition("_")
    name = {"steer": "toe"}.get(angle, angle)
    return {f"{end}_suspension.compliance.{cross}{name}.{load}.scale": 0.0 for cross in ("", "cross.")}


@lru_cache
def with_toe() -> tuple[jn.Vehicle, Budget]:
    """The same car with toe and camber at design: wheels give way to forces that are there when it runs straight."""
    vehicle = library_car("sedan").with_(**{"steering.rack_pinion": None})
    assert all(vehicle.get(f"{end}_suspension.toe.offset") for end in ENDS)
    return vehicle, understeer_budget(vehicle)


@pytest.mark.slow
@pytest.mark.parametrize("car_of", [straight, with_toe])
@pytest.mark.parametrize(
    ("what", "end"),
    [("fy_steer", "front"), ("fy_steer", "rear"), ("mz_steer", "front"), ("mz_steer", "rear"), ("roll_steer", "rear")],
)
def test_switched_off_the_gradient_falls_by_the_term(car_of: Any, what: str, end: str) -> None:
    """Within 1 % of the term; the rear one of M_z oversteers, all others understeer, and no two are alike.

    With toe and camber at design, load transfer on what gives way to their forces is some 2 % of a term: it is in it.
    """
    vehicle, before = car_of()
    after = understeer_budget(vehicle.with_(**switched(what, end)))
    term = before.effect(what, end)
    assert before.gradient - after.gradient == pytest.approx(term, rel=0.01)
    assert after.terms[what, end] == pytest.approx(0.0, abs=1e-9 if car_of is with_toe else 1e-12)
    assert (term > 0) == ((what, end) != ("mz_steer", "rear"))
    assert abs(term) > 0.05 * before.gradient


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sports", "suv"])
def test_steer_of_travel_of_a_car_that_stands_off_design(name: str) -> None:
    """Its static toe goes away with the map, too, and with it load transfer on that: 2 % of the term of ``sports``."""
    vehicle = jn.load(name)
    before = understeer_budget(vehicle)
    after = understeer_budget(vehicle.with_(**switched("roll_steer", "rear")))
    assert before.gradient - after.gradient == pytest.approx(before.effect("roll_steer", "rear"), rel=0.01)
    assert after.terms["roll_steer", "rear"] == 0.0


@pytest.mark.slow
def test_terms_of_what_gives_way_are_those_of_its_channels() -> None:
    """By load, direct and cross: ε_f of the model's own contributions, over a_y; and the sum is the gradient."""
    vehicle, budget = straight()
    assert math.fsum(budget.terms.values()) == pytest.approx(budget.gradient, abs=1e-12)
    hand, speed = math.radians(0.5), 100 / 3.6
    description = car.describe(vehicle)
    seen = []
    for sign in (1.0, -1.0):
        sim = car.simulation(description)
        statics.settle(sim, description)
        sim.set_inputs({"steering_wheel": sign * hand})
        run_steadily(sim, description, speed)
        seen.append(dict(zip((v.name for v in sim.model.outputs), sim.outputs(), strict=True)))
    a = (seen[0]["System_Mass_Center.Tracking_Ay"] - seen[1]["System_Mass_Center.Tracking_Ay"]) / 2
    for end, number, s in (("front", 1, -1.0), ("rear", 2, 1.0)):
        for load in ("fy", "mz"):
            steer = 0.0
            for wheel, inwards in ((f"L{number}", -1.0), (f"R{number}", 1.0)):
                for cross in ("", "cross_"):
                    name = f"toe_compliance_by_{cross}{load}.{wheel}"
                    steer += 0.5 * inwards * (seen[0][name] - seen[1][name]) / 2
            # tires that pull a little to the side when they run straight leave (3), some 3e-4
            assert budget.terms[f"{load}_steer", end] == pytest.approx(s * steer / a, rel=1e-3), (load, end)
    assert abs(budget.terms["other_steer", "front"]) < 1e-9
    assert sum(abs(budget.terms["rest", end]) for end in ENDS) < 0.002 * budget.terms["weight", "front"]


@pytest.mark.slow
def test_camber_of_travel_is_in_the_gradient() -> None:
    """Wheels that keep their camber to the body; their contacts move as before, so that the car rolls as before.

    A camber thrust comes with a moment, to which wheels give way: within 1 % of the gradient, 5 % of the term.
    """
    vehicle, before = straight()
    camber, y = (vehicle.get(f"rear_suspension.{name}").curve for name in ("camber", "y"))
    radius = vehicle.get("rear_wheels.wheel_centre_height")
    moved = (np.array(y.y) - radius * np.array(camber.y)).tolist()
    changes = {"rear_suspension.camber.scale": 0.0, "rear_suspension.y": {"x": list(y.x), "y": moved}}
    after = understeer_budget(vehicle.with_(**changes))
    fall, term = before.gradient - after.gradient, before.terms["roll_camber", "rear"]
    assert fall == pytest.approx(term, abs=0.01 * before.gradient)
    assert fall == pytest.approx(term, rel=0.05)
    assert after.terms["roll_camber", "rear"] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.slow
def test_without_air_the_gradient_falls_by_its_term() -> None:
    """Downforce, more of it at the rear, on springs that keep the heights; wheels and rack that do not give way."""
    changes: dict[str, Any] = {"steering.rack_pinion": None}
    changes |= {f"{end}_suspension.{name}.offset": 0.0 for end in ENDS for name in ("toe", "camber")}
    changes |= {f"{end}_suspension.compliance.factor": 0.0 for end in ENDS}
    plain = jn.load("sedan")
    changes |= {f"{end}_suspension.spring.rate": 15 * plain.get(f"{end}_suspension.spring.rate") for end in ENDS}
    vehicle = plain.with_(**changes, **{"aero.front_downforce.area": 1.3, "aero.rear_downforce.area": 2.1})
    still = {f"aero.{name}.area": 0.0 for name in ("front_downforce", "rear_downforce", "drag")}
    before, after = understeer_budget(vehicle), understeer_budget(vehicle.with_(**still))
    term = before.effect("aero", "front") + before.effect("aero", "rear")
    assert before.gradient - after.gradient == pytest.approx(term, rel=0.01)
    assert before.terms["aero", "front"] < 0 < before.terms["aero", "rear"], "load makes tires stiffer"
    assert {after.terms["aero", end] for end in ENDS} == {0.0}


@pytest.mark.slow
def test_weight_and_tires_are_those_of_a_single_track_model() -> None:
    """m_axle/ΣCα of the loads of standing, C α by the tire alone; front less rear."""
    vehicle, budget = straight()
    description = car.describe(vehicle)
    sim = car.simulation(description)
    statics.settle(sim, description)
    for number, end, s in ((1, "front", 1.0), (2, "rear", -1.0)):
        loads = {w: sim.output(f"Tire.Ground_Surface_Force_Z.{w}") for w in (f"L{number}", f"R{number}")}
        stiffness, h = 0.0, 1e-4
        for (wheel, load), side in zip(loads.items(), ("left", "right"), strict=True):
            up, down = (description.tires[wheel].steady(load, 0.0, a, 0.0, mounted=side, vx=28.0).fy for a in (h, -h))
            stiffness -= (up - down) / (2 * h)
        mass = sum(loads.values()) / 9.80665
        assert budget.terms["weight", end] == pytest.approx(s * mass / abs(stiffness), rel=0.005)


def test_more_load_at_the_front_understeers() -> None:
    vehicle = jn.load("sedan")
    forward = vehicle.with_(**{"body.cg.x": vehicle.get("body.cg.x") + 0.1})
    before, after = understeer_budget(vehicle), understeer_budget(forward)
    assert after.terms["weight", "front"] > before.terms["weight", "front"]
    assert after.terms["weight", "rear"] > before.terms["weight", "rear"], "less to carry there"
    assert after.gradient > before.gradient
