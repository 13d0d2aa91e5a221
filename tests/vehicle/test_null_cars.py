"""Cars whose maps are chosen so that links carry what springs usually do: they must not roll, dive or squat.

All maps are straight lines, so that the conditions have closed forms. Notation: sprung mass m_s with its centre of
gravity at the height h_s, unsprung masses m_u at the heights z of the wheel centres, whole mass m with the height h,
spin inertia I, loaded and effective rolling radius r, r_e, wheelbase L, tracks t. Tires have neither rolling
resistance nor overturning moment nor trail.

A wheel's travel is in balance without a change of its spring force when the load change ΔFz, the other tire forces and
the inertia forces do no work on it: with v' = ∂v/∂J̇ of the wheel centre, Γ = ∂ω/∂J̇ of the carrier

    ΔFz + x_J (F_x - m_u a_x) + y_J (F_y - m_u a_y) + Γ·(M - Ḣ) = 0                                               (1)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import jounce.vehicle as jv
from car_models import compact, rates, rolling, tires_with
from four_wheels import CORNERS
from jounce.runtime.program import Feedback, Open, Phase, Program, Ramp
from jounce.runtime.simulation import Simulation
from jounce.sim import car, statics

AXLES = ("front_suspension", "rear_suspension")
LEVER = {"QSX1": 0.0, "QSX2": 0.0, "QSX3": 0.0, "QSY1": 0.0, "QSY2": 0.0, "QSY3": 0.0, "QSY4": 0.0, "LTR": 0.0}


@dataclass(frozen=True)
class Standing:
    """A car at rest, and the numbers of the formulas there."""

    description: car.Description
    sim: Simulation
    mass: float
    height: float  # of the centre of gravity of the whole car
    sprung_mass: float
    sprung_height: float
    travel: dict[str, float]
    r: float  # mean loaded radius
    r_e: float  # mean effective radius

    @property
    def vehicle(self) -> jv.Vehicle:
        return self.description.vehicle

    @property
    def spin_inertia(self) -> float:
        """All four."""
        return 2 * (self.vehicle.front_wheels.spin_inertia + self.vehicle.rear_wheels.spin_inertia)

    @property
    def pitch_moment(self) -> float:
        """Load transfer between the axles per unit of acceleration: (m h + ΣI/r_e)/L, spins included."""
        return (self.mass * self.height + self.spin_inertia / self.r_e) / self.vehicle.wheelbase

    @property
    def wheel_torque(self) -> float:
        """Sum of the wheel torques per unit of acceleration: m r + ΣI/r_e."""
        return self.mass * self.r + self.spin_inertia / self.r_e


def plain(**changes: object) -> jv.Vehicle:
    """The example car with wheels that move straight up and down, without wind, before the maps of a test."""
    maps = {f"{axle}.{name}": 0.0 for axle in AXLES for name in ("x", "y", "toe", "camber", "side_view_angle")}
    offsets = {f"{axle}.{name}.offset": 0.0 for axle in AXLES for name in ("toe", "camber")}
    return compact(**{"aero": None, **maps}).with_(**offsets).with_(**changes)


def standing(vehicle: jv.Vehicle) -> Standing:
    description = car.describe(vehicle, tires_with(vehicle, **LEVER))
    sim = car.simulation(description)
    # a car at rest does not know where drive torque would react: settle that of the structure compiled already
    settled = car.describe(vehicle.with_(**{"system.torque_reaction": "chassis"}), description.tires)
    at_rest = car.simulation(settled)
    statics.settle(at_rest, settled)
    sim.x[:] = at_rest.x
    assert max(abs(rate) for name, rate in rates(sim).items() if not name.startswith("chassis.v")) < 1e-3
    found = {c: sim.state(f"{c}.jounce") for c in CORNERS}
    radii = ("Loaded_Radius", "Effective_Rolling_Radius")
    mean = [np.mean([sim.output(f"Tire.{name}.{c}") for c in CORNERS]) for name in radii]
    return Standing(
        description,
        sim,
        vehicle.mass(),
        sim.output("System_Mass_Center.Global_Z"),
        vehicle.body.sprung()[0][0],
        sim.output("Vehicle.CM_Global_Z"),
        found,
        float(mean[0]),
        float(mean[1]),
    )


def travel_after(car_at_rest: Standing, speed: float, time: float, *channels: Open | Feedback) -> dict[str, float]:
    """Change of travel from rest to the end of a run, m."""
    sim = rolling(car_at_rest.sim, speed)
    program = Program(Phase("drive", list(channels), duration=time))
    sim.run(program=program, interval=time, channels=["Suspension.Jounce.L1"])
    return {c: sim.state(f"{c}.jounce") - car_at_rest.travel[c] for c in CORNERS}


# ---- roll --------------------------------------------------------------------------------------------------------


def roll_free(at_rest: Standing) -> jv.Vehicle:
    """y_J such that the links carry the whole roll moment.

    With Γ = 0 the difference of (1) between left and right wheel is, with F_s = m_s a b/L (front), m_s a a/L (rear) the
    part of an axle's lateral force that the sprung mass asks for, and T the load transfer of the axle,

        2 T = y_J F_s,   i.e.   T t = F_s h,   h = y_J t/2: height of the roll centre above ground.

    Balance of the whole car about the road:  Σ T t = M := m_s a h_s + Σ m_u a z + Σ I ψ̇ Ω,  Ω = v/r_e, ψ̇ v = a; the
    last is of spinning wheels that are turned. Both axles roll alike on their tires of equal stiffness when T/t is the
    same. Hence  T t = M t²/(t₁² + t₂²)  and  y_J = 2 T/F_s.
    """
    vehicle = at_rest.vehicle
    centre = vehicle.body.sprung()[0][1][0]
    share = {1: (centre - vehicle.rear_suspension.wheel_centre_x) / vehicle.wheelbase}
    share[2] = 1 - share[1]
    unsprung = sum(2 * vehicle.wheels(a).unsprung_mass for a in (1, 2))
    moment = at_rest.sprung_mass * at_rest.sprung_height + unsprung * at_rest.r + at_rest.spin_inertia / at_rest.r_e
    tracks = {a: vehicle.suspension(a).track for a in (1, 2)}
    spread = sum(t * t for t in tracks.values())
    rate = {a: 2 * moment * tracks[a] / spread / (at_rest.sprung_mass * share[a]) for a in (1, 2)}
    return vehicle.with_(**{f"{axle}.y": rate[i] for i, axle in enumerate(AXLES, 1)})


def corner(vehicle: jv.Vehicle, wheel: float = 0.4) -> tuple[dict[str, float], float]:
    """Difference of travel left minus right per axle, and lateral acceleration, in a mild steady corner."""
    at_rest = standing(vehicle)
    steer = Open("steering_wheel", Ramp(wheel, 1.0, start=0.0, smooth=True))
    hold = Feedback("throttle", "chassis_velocities.longitudinal", 10.0, kp=0.5, ki=0.3, low=0.0, high=1.0)
    change = travel_after(at_rest, 10.0, 5.0, steer, hold)
    difference = {a: change[f"L{a}"] - change[f"R{a}"] for a in "12"}
    return difference, at_rest.sim.output("System_Mass_Center.Normal_Acceleration")


@pytest.mark.slow
def test_a_roll_axis_through_the_centre_of_gravity_leaves_nothing_to_roll() -> None:
    ordinary, acceleration = corner(plain())
    null, same = corner(roll_free(standing(plain())))
    assert acceleration == pytest.approx(same, rel=0.1)
    assert acceleration > 0.8
    for axle in "12":
        assert ordinary[axle] < -0.003, "in a left turn the right wheels are pushed in"
        assert abs(null[axle]) < 0.005 * abs(ordinary[axle])
    # What is left is of third order (odd in the acceleration): unequal lateral forces jack the car up, and more.
    gentle, _ = corner(roll_free(standing(plain())), 0.2)
    for axle in "12":
        assert abs(gentle[axle]) < 0.2 * abs(null[axle])


# ---- pitch -------------------------------------------------------------------------------------------------------


def braking(vehicle: jv.Vehicle) -> dict[str, float]:
    return travel_after(standing(vehicle), 25.0, 2.5, Open("brake", Ramp(0.12, 0.5, start=0.0, smooth=True)))


def accelerating(vehicle: jv.Vehicle) -> dict[str, float]:
    return travel_after(standing(vehicle), 15.0, 2.5, Open("throttle", Ramp(0.3, 0.5, start=0.0, smooth=True)))


@pytest.fixture(scope="module")
def dive() -> tuple[Standing, dict[str, float]]:
    vehicle = plain()
    return standing(vehicle), braking(vehicle)


@pytest.mark.parametrize("part", [0.5, 1.0])
def test_anti_dive(dive: tuple[Standing, dict[str, float]], part: float) -> None:
    """Brakes are inside carrier and wheel, so that Γ·(M - Ḣ) = θ_J (M_y - I Ω̇) = θ_J T_b = -sva_J T_b, and with
    x_J = 0 (1) is sva_J = ΔFz/T_b = (m h + ΣI/r_e)/L / (β (m r + ΣI/r_e)), β the front share of the brake torque."""
    at_rest, ordinary = dive
    brakes = at_rest.vehicle.brakes
    assert brakes.bias_front == 0.5 and brakes.front.mu == brakes.rear.mu
    front, rear = (b.piston_area * b.effective_radius for b in (brakes.front, brakes.rear))
    rate = at_rest.pitch_moment / (at_rest.wheel_torque * front / (front + rear))
    found = braking(at_rest.vehicle.with_(**{"front_suspension.side_view_angle": part * rate}))
    assert ordinary["L1"] > 0.004
    for c in ("L1", "R1"):
        # pitching by some mrad changes heights and radii by that part
        assert found[c] == pytest.approx((1 - part) * ordinary[c], abs=0.02 * ordinary[c])
    assert found["L2"] == pytest.approx(ordinary["L2"], rel=0.03), "the rear does as before"


@pytest.fixture(scope="module")
def squat() -> dict[str, tuple[Standing, dict[str, float]]]:
    result = {}
    for reaction in ("chassis", "carrier"):
        vehicle = plain(**{"drive": "rear", "system.torque_reaction": reaction})
        result[reaction] = (standing(vehicle), accelerating(vehicle))
    return result


@pytest.mark.parametrize("part", [0.5, 1.0])
@pytest.mark.parametrize("reaction", ["chassis", "carrier"])
def test_anti_squat(squat: dict[str, tuple[Standing, dict[str, float]]], reaction: str, part: float) -> None:
    """A shaft turns the wheel from the chassis: M_y + T = I Ω̇, so Γ·(M - Ḣ) = 0 and only x_J counts:

        x_J = -ΔFz/(F_x - m_u a) = -(m h + ΣI/r_e)/L / (m + 2 I₁/(r_e r) - 2 m_u₂)

    where the rear wheels also pull the spins of the front wheels. A hub motor is inside carrier and wheel, as a brake:

        sva_J = -ΔFz/T = -(m h + ΣI/r_e)/L / (m r + ΣI/r_e)
    """
    at_rest, ordinary = squat[reaction]
    vehicle = at_rest.vehicle
    if reaction == "chassis":
        pulled = at_rest.mass + 2 * vehicle.front_wheels.spin_inertia / (at_rest.r_e * at_rest.r)
        key, rate = "x", -at_rest.pitch_moment / (pulled - 2 * vehicle.rear_wheels.unsprung_mass)
        other = "side_view_angle"
    else:
        key, rate = "side_view_angle", -at_rest.pitch_moment / at_rest.wheel_torque
        other = ""
    found = accelerating(vehicle.with_(**{f"rear_suspension.{key}": part * rate}))
    assert ordinary["L2"] > 0.004
    for c in ("L2", "R2"):
        assert found[c] == pytest.approx((1 - part) * ordinary[c], abs=0.02 * ordinary[c])
    if other:  # the side view of a shaft-driven wheel does nothing
        turned = accelerating(vehicle.with_(**{f"rear_suspension.{other}": -0.5}))
        assert turned["L2"] == pytest.approx(ordinary["L2"], abs=1e-3 * ordinary["L2"])
