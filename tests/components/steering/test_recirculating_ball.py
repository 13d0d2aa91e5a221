"""Recirculating-ball steering on the bench, and in a truck beside a rack and pinion of the same ratio."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

import jounce.vehicle as jv
from ideal_cars import ideal
from jounce.components.steering.recirculating_ball import RecirculatingBall
from jounce.core.errors import ParameterError
from jounce.core.fields import to_raw
from jounce.runtime.program import Constant, Open, Phase, Program, Ramp, Sine
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from jounce.sim.statics import settle
from steering_rig import MASS, bench, raw

LEAD, RADIUS, ARM, ANGLE = 0.0135, 0.045, 0.167, 0.11
WORM = LEAD / (2 * math.pi)  # way of the nut per turn of the worm
BALL = "Steering_Recirculating_Ball"
TORQUE = "Steering_System.Steering_Wheel_Torque"
GEAR = {
    "lead": LEAD, "sector_radius": RADIUS, "arm_length": ARM, "arm_angle": ANGLE, "nut_mass": 3.3,
    "worm_inertia": 5e-4, "sector_inertia": 0.07, "link_mass": 6.1, "travel": 0.71, "stop_stiffness": 2e5,
}  # fmt: skip


def ball(**changes: Any) -> dict[str, Any]:
    data = raw(**changes)
    del data["rack"]
    return {**data, "gear": {**GEAR, **data.get("gear", {})}}


def slope(zeta: float) -> float:
    return WORM / RADIUS * ARM * math.cos(ANGLE + WORM * zeta / RADIUS)


def acceleration(sim: Simulation) -> float:
    rates = dict(zip([v.name for v in sim.model.states], sim.derivatives()[0], strict=True))
    return float(rates["steering.rack.rate"])


@pytest.mark.parametrize("hand", [4.1, -3.3])
def test_the_arm_moves_the_drag_link_on_its_circle(hand: float) -> None:
    sim = bench(ball())
    sim.set_states({"steering.rack": hand})
    beta = WORM * hand / RADIUS
    assert sim.output(f"{BALL}.nut_displacement") == pytest.approx(WORM * hand, rel=1e-12)
    assert sim.output(f"{BALL}.sector_angle") == pytest.approx(beta, rel=1e-12)
    way = ARM * (math.sin(ANGLE + beta) - math.sin(ANGLE))
    assert sim.output(f"{BALL}.drag_link_displacement") == pytest.approx(way, rel=1e-12)
    data = RecirculatingBall.model_validate(ball())
    assert data.ratio == pytest.approx(2 * math.pi * RADIUS / LEAD)
    table = data.travel(1.0)
    assert np.interp(hand, table.x, table.y) == pytest.approx(way, rel=1e-4)
    assert table.x[-1] == pytest.approx(0.71 * data.ratio), "the table ends at the stops"


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_in_balance_the_hand_bears_the_drag_link_over_arm_and_worm(side: float) -> None:
    """T = F l cos(β_0 + β) p/(2π r), and M of the sector = F l cos(β_0 + β)."""
    sim = bench(ball())
    zeta, force = side * 3.7, side * 2900.0
    twist = -force * slope(zeta) / 118.0  # the drag link pushes along its way, the bar against it
    sim.set_states({"steering.rack": zeta})
    sim.set_inputs({"rods": force, "steering_wheel": zeta + twist})
    assert sim.output(TORQUE) == pytest.approx(118.0 * twist, rel=1e-9)
    assert sim.output(f"{BALL}.pitman_moment") == pytest.approx(force * slope(zeta) * RADIUS / WORM, rel=1e-12)
    assert sim.output(f"{BALL}.drag_link_force") == force
    assert sim.output(f"{BALL}.nut_force_from_lower_column") == pytest.approx(118.0 * twist / WORM, rel=1e-9)
    assert abs(acceleration(sim)) < 1e-9 * abs(force * slope(zeta)) / (MASS * slope(zeta) ** 2)


def test_what_moves_with_the_worm_weighs_by_the_squares_of_ratios() -> None:
    """The column is above the torsion bar, with the hand wheel."""
    sim = bench(ball())
    zeta, force = 2.3, 1700.0
    sim.set_states({"steering.rack": zeta})
    sim.set_inputs({"rods": force, "steering_wheel": zeta})
    inertia = 5e-4 + 3.3 * WORM**2 + 0.07 * (WORM / RADIUS) ** 2 + (6.1 + MASS) * slope(zeta) ** 2
    assert acceleration(sim) == pytest.approx(force * slope(zeta) / inertia, rel=1e-9)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_stops_hold_the_sector(side: float) -> None:
    sim = bench(ball())
    sim.set_states({"steering.rack": side * 0.73 * RADIUS / WORM})
    sim.set_inputs({"steering_wheel": side * 0.73 * RADIUS / WORM})
    assert sim.output(f"{BALL}.stop_moment") == pytest.approx(side * 2e5 * 0.02, rel=1e-9)
    sim.set_states({"steering.rack": side * 0.70 * RADIUS / WORM})
    assert sim.output(f"{BALL}.stop_moment") == 0.0


VISCOUS = {"viscous": {"slope": 400.0, "limit": 90.0}}


def test_work_at_the_rim_is_what_is_stored_lost_and_done_at_the_drag_link() -> None:
    data = ball(
        torsion_bar={"stiffness": 118.0, "damping": 0.3},
        friction={
            "column": {"viscous": {"slope": 1.4, "limit": 0.3}},
            "rack": {"viscous": {"slope": 400, "limit": 90}},
        },
    )
    data["gear"] |= {"damping": 3000.0, "travel": 0.09}
    sim = bench(data)
    sim.set_parameters({"aligning": 3e4})
    channels = [Open("steering_wheel", Sine(2.1, 0.8)), Open("rods", Sine(260.0, 1.7))]
    run = sim.run(
        program=Program(Phase("a", channels, duration=1.2)), method="AB-2", step=2e-5, interval=2e-5
    )  # fmt: skip
    assert np.abs(run[f"{BALL}.stop_moment"]).max() > 10.0
    stored = run["kinetic"] + sum(run[n] for n in run.names if n.startswith("energy."))
    lost = sum(run[n] for n in run.names if n.startswith("losses."))
    done = sum(run[n] for n in run.names if n.startswith("work."))
    change = np.asarray(stored)[-1] - np.asarray(stored)[0]
    into = np.trapezoid(np.asarray(done) - np.asarray(lost), run.time)
    assert np.trapezoid(lost, run.time) > 0.5
    # kinks of stops and of friction laws: the trapezoidal rule and the step are good to h times a few jumps of power
    assert change == pytest.approx(into, abs=2e-3 * np.trapezoid(np.abs(done), run.time))


AREA = 0.0031
PRESSURE = {"x": [-0.1, -0.03, 0.0, 0.03, 0.1], "y": [-6e6, -1e6, 0.0, 1e6, 6e6]}
HYDRAULIC = {"pressure": PRESSURE, "piston_area": AREA, "piston_volume": 4e-4, "orifice_area": 2e-5}


def test_the_nut_is_the_piston_of_the_assist() -> None:
    """Held at the drag link, the hand twists the bar: pressure by the map, and its force joins that of the bar."""
    sim = bench(ball(hydraulic=HYDRAULIC, torsion_bar={"stiffness": 118.0, "damping": 0.3}))
    sim.set_parameters({"wheels": 1e12})
    for side in (1.0, -1.0):
        program = Program(Phase("a", [Open("steering_wheel", Constant(side * 0.03))], duration=0.6))
        run = sim.run(program=program, step=0.0005, interval=0.1)
        force = run["Steering_column.steering_assist_force"][-1]
        assert force == pytest.approx(side * AREA * 1e6, rel=1e-3)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"gear": {**GEAR, "travel": 1.2, "arm_angle": 0.5}}, "must stay below 90 degrees"),
        ({"hydraulic": HYDRAULIC, "torsion_bar": {"stiffness": 118.0, "on": "upper"}}, "below a torsion bar on: lower"),
    ],
)
def test_what_cannot_be_is_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        RecirculatingBall.model_validate({**ball(), **change})


# ---- in a truck ------------------------------------------------------------------------------------------------------


def truck(gear: bool) -> jv.Vehicle:
    """The light truck, and with a ball gear that moves the drag link as far as its rack moves."""
    rack = ideal("light_truck")
    if not gear:
        return rack
    steering = to_raw(rack)["steering"]
    per = rack.steering.rack_travel.constant  # type: ignore[union-attr]
    old = steering.pop("rack_pinion")
    del steering["rack_travel"]
    worm = per * RADIUS / ARM
    nut = per / worm  # ways of the old rack over that of the nut
    assist = {**old["hydraulic"], "piston_area": old["hydraulic"]["piston_area"] * nut}
    assist["piston_volume"] = old["hydraulic"]["piston_volume"]
    friction = {"column": old["friction"]["column"]}
    steering["recirculating_ball"] = {
        "column": old["column"], "torsion_bar": old["torsion_bar"], "hydraulic": assist, "friction": friction,
        "gear": {"lead": 2 * math.pi * worm, "sector_radius": RADIUS, "arm_length": ARM, "damping": 2000 * nut**2},
    }  # fmt: skip
    return rack.with_(steering=steering)


def turning(vehicle: jv.Vehicle, hand: float) -> Any:
    description = car.describe(vehicle)
    sim = car.simulation(description)
    settle(sim, description)
    sim.set_states({"chassis.vx": 15.0})
    wheels = [wheel.name for axle in vehicle.layout.axles for wheel in axle.wheels]
    sim.set_states({f"{c}.wheel.spin": 15.0 / sim.output(f"Tire.Effective_Rolling_Radius.{c}") for c in wheels})
    return sim.run(program=Program(Phase("a", [Open("steering_wheel", Ramp(hand, 0.5))], duration=3.0)), interval=0.01)


@pytest.mark.slow
def test_a_truck_turns_as_with_a_rack_of_the_same_ratio_to_both_sides() -> None:
    """The arm turns by 0.05 rad of hand wheel angles of 1 rad: its circle is off by 1e-3; friction differs, 1 %."""
    rack, left, right = turning(truck(False), 1.0), turning(truck(True), 1.0), turning(truck(True), -1.0)
    yaw = "chassis_velocities.yaw"
    assert left[yaw][-1] == pytest.approx(rack[yaw][-1], rel=0.01)
    assert np.abs(left[yaw] + right[yaw]).max() < 1e-6 * np.abs(left[yaw]).max()
    assert left[f"{BALL}.sector_angle"][-1] > 0.03
    assert abs(left[TORQUE][-1]) > 1.0


def test_a_rack_beside_it_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"rack_travel.*stands beside recirculating_ball"):
        truck(True).with_(**{"steering.rack_travel": 0.008})
