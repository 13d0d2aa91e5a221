"""Twin wheels: a second tire on each hub of the rear axle.

Momentum is checked for the whole car, from accelerations and forces of its channels (Newton and Euler), while the
equations come from Kane's method on the single bodies; then bumps and friction under one of the two tires, scrub in a
turn in closed form, and that two half tires at one place are the whole one.
"""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import jounce as jn
import jounce.vehicle as jv
from car_models import compact, drop_everything, outputs, rates
from four_wheels import CORNERS, TWINS
from jounce import events
from jounce.components.basics import combine
from jounce.components.tire.base import Tire
from jounce.components.tire.external import Answer, Wheel, bind, external_tire
from jounce.components.tire.linear import Linear
from jounce.core.errors import ParameterError
from jounce.results.identities import identities
from jounce.results.panels import panels
from jounce.road.block import Frame
from jounce.road.curve import flat_top
from jounce.road.simple import Bump, Flat, Patch, Sum
from jounce.road.surface import Road
from jounce.runtime.program import Open, Phase, Program, Ramp
from jounce.runtime.simulation import Simulation
from jounce.sim import car as cars
from jounce.sim.standing import Standing, standing
from jounce.sim.statics import settle
from jounce.sim.steady import roll, run_steadily

Array = npt.NDArray[np.float64]

OFFSET = 0.3  # m
TIRES = {**{c: c for c in CORNERS}, **{twin: corner for corner, twin in TWINS.items()}}  # tire -> its corner
STRAIGHT = {
    **{f"{axle}_suspension.{name}": 0.0 for axle in ("front", "rear") for name in ("x", "y", "side_view_angle")},
    **{f"{axle}_suspension.{name}": {"rate": 0.0} for axle in ("front", "rear") for name in ("toe", "camber")},
}


def twin_car(**changes: Any) -> jv.Vehicle:
    """The example car with twin wheels, its carriers guided straight up and down, without air."""
    return compact(**{**STRAIGHT, "aero": None, "rear_wheels.twin": {"offset": OFFSET}, **changes})


@lru_cache
def on_a_road() -> tuple[Simulation, cars.Description]:
    description = cars.describe(twin_car(), ground="road")
    return cars.simulation(description), description


def standing_on(road: Road) -> Simulation:
    """The car in equilibrium on a level road, then on another one without having moved."""
    sim, description = on_a_road()
    cars.set_numbers(sim, description)
    sim.set_inputs({"brake": 0.0, "throttle": 0.0, "steering_wheel": 0.0})
    Flat().bind(sim)
    settle(sim, description)
    road.bind(sim)
    return sim


def strip(y: float, height: float = 0.0, friction: float = 1.0) -> Sum:
    """A level road with a patch of another height and friction under the rear axle, 0.2 m wide about a given y."""
    x = twin_car().rear_suspension.wheel_centre_x
    across, along = flat_top(0.22, 0.01, height), flat_top(1.2, 0.1)
    bump = Bump(profile=across, window=along, frame=Frame(x=x, y=y, heading=0.5 * math.pi))
    return Sum(base=Flat(), features=[bump, Patch(friction=friction, width=0.2, length=1.0, frame=Frame(x=x, y=y))])


def three(found: dict[str, float], name: str) -> Array:
    return np.array([found[name.format(a)] for a in "XYZ"])


def rotation(axis: int, angle: float) -> Array:
    c, s = math.cos(angle), math.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    r = np.eye(3)
    r[i, i], r[i, j], r[j, i], r[j, j] = c, -s, s, c
    return r


def chassis_axes(found: dict[str, float]) -> Array:
    yaw, pitch, roll_angle = (found[f"chassis_displacements.{a}"] for a in ("yaw", "pitch", "roll"))
    return rotation(2, yaw) @ rotation(1, pitch) @ rotation(0, roll_angle)


def carrier_axes(found: dict[str, float], corner: str) -> Array:
    camber = found[f"wheel_angles.camber_{corner}"] * (-1.0 if corner[0] == "L" else 1.0)
    return chassis_axes(found) @ rotation(2, found[f"Wheel.Spindle_Steer.{corner}"]) @ rotation(0, camber)


def tire_loads(sim: Simulation, found: dict[str, float], tire: str) -> tuple[Array, Array, Array]:
    """Place of a contact, force and moment there, world axes; built from the hub and the contact axes."""
    corner = TIRES[tire]
    axis = carrier_axes(found, corner)[:, 1]
    normal = three(found, "Tire.Contact_Patch_Normal_{}." + tire)
    forward = np.cross(axis, normal)
    forward /= np.linalg.norm(forward)
    place = three(found, "Wheel.Global_{}." + corner) - found[f"Tire.Loaded_Radius.{tire}"] * np.cross(forward, axis)
    if tire != corner:
        place = place + sim.parameter(f"{tire}.offset") * axis * (1.0 if corner[0] == "L" else -1.0)
    axes = np.column_stack([forward, np.cross(normal, forward), normal])
    force, moment = (axes @ three(found, f"Tire.Ground_Surface_{k}_{{}}.{tire}") for k in ("Force", "Moment"))
    return place, force, moment


def momentum(sim: Simulation, vehicle: jv.Vehicle) -> tuple[Array, Array, Array, Array]:
    """Rates of momentum and of angular momentum about the centre of gravity, and what acts from outside; world axes.

    For a body that does not turn and wheels that do not travel; carriers stand still against the body.
    """
    found = outputs(sim)
    change = rates(sim)
    axes = chassis_axes(found)
    alpha = axes @ np.array([change[f"chassis.w{a}"] for a in "xyz"])
    sprung, _, inertia = combine(vehicle.body.sprung())
    bodies = [
        (sprung, three(found, "Vehicle.CM_Global_{}"), np.array([found[f"Vehicle.CM_Body_Fixed_A{a}"] for a in "xyz"]))
    ]
    bodies = [(m, r, axes @ a) for m, r, a in bodies]
    angular = axes @ inertia @ axes.T @ alpha
    words = {"L1": "front_left", "R1": "front_right", "L2": "rear_left", "R2": "rear_right"}
    for corner, (axle, side) in CORNERS.items():
        data, own = vehicle.wheels(axle, side), carrier_axes(found, corner)
        a = own @ np.array([found[f"Wheel.hub_center_acc{k}.{words[corner]}"] for k in "xyz"])
        bodies.append((data.unsprung_mass, three(found, "Wheel.Global_{}." + corner), a))
        angular = angular + own @ np.diag([data.ixx, data.iyy, data.izz]) @ own.T @ alpha
        spinning = 2 * data.spin_inertia if axle == 2 else data.spin_inertia
        angular = angular + spinning * change[f"{corner}.wheel.spin"] * own[:, 1]
    mass = sum(m for m, _, _ in bodies)
    centre = np.sum([m * r for m, r, _ in bodies], axis=0) / mass
    linear = np.sum([m * a for m, _, a in bodies], axis=0)
    angular = angular + np.sum([m * np.cross(r - centre, a) for m, r, a in bodies], axis=0)
    force, moment = np.array([0.0, 0.0, -mass * vehicle.system.gravity]), np.zeros(3)
    for tire in TIRES:
        place, f, m = tire_loads(sim, found, tire)
        force += f
        moment += np.cross(place - centre, f) + m
    return linear, angular, force, moment


# --- momentum of the whole car


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_the_whole_car_obeys_newton_and_euler(seed: int) -> None:
    """Random attitude, speed, spins, deflections, friction, alignment; a ridge under the left outer tire."""
    sim = standing_on(strip(1.06, height=0.015, friction=0.7))
    random = np.random.default_rng(seed)
    spread = {"chassis.e1": 0.01, "chassis.e2": 0.01, "chassis.e3": 0.02, "chassis.z": 0.005, "chassis.vy": 0.5}
    moved = {name: sim.state(name) + float(random.uniform(-s, s)) for name, s in spread.items()}
    moved["chassis.e0"] = math.sqrt(1 - sum(moved[f"chassis.e{i}"] ** 2 for i in (1, 2, 3)))
    for c in CORNERS:
        moved |= {f"{c}.jounce": sim.state(f"{c}.jounce") + float(random.uniform(-0.01, 0.01))}
        moved |= {f"{c}.wheel.spin": float(random.uniform(40.0, 60.0))}
    for tire in TIRES:
        moved |= {f"{tire}.tire.{d}": float(random.uniform(-0.01, 0.01)) for d in "uv"}
    sim.set_states({**moved, "chassis.vx": 15.0})
    for place in ("L2", "R2"):
        changes = {
            f"{place}.camber.offset": random.uniform(-0.05, 0.05),
            f"{place}.toe.offset": random.uniform(-0.02, 0.02),
        }
        sim.set_parameters({**changes, f"{TWINS[place]}.offset": random.uniform(0.1, 0.4)})
    sim.set_parameters({f"{tire}.tire_mu": random.uniform(0.4, 1.0) for tire in TIRES})
    linear, angular, force, moment = momentum(sim, twin_car())
    # forces of 10 kN, moments of 10 kN.m, each from some hundred rounded operations
    assert np.abs(linear - force).max() < 1e-7
    assert np.abs(angular - moment).max() < 1e-7
    found = outputs(sim)
    for tire, corner in TIRES.items():
        place, f, m = tire_loads(sim, found, tire)
        assert three(found, "Road.Contact_Patch_Global_{}." + tire) == pytest.approx(place, abs=1e-12)
        at_hub = m + np.cross(place - three(found, "Wheel.Global_{}." + corner), f)
        assert three(found, "Tire.Hub_Carrier_Moment_Global_{}." + tire) == pytest.approx(at_hub, abs=1e-8)


@pytest.mark.slow
def test_velocity_of_the_outer_contact_is_that_of_a_point_of_the_carrier() -> None:
    sim = standing_on(Flat())
    sim.set_parameters({"L2.camber.offset": -0.04, "R2.toe.offset": 0.02})
    state = {"vx": 12.0, "vy": -0.7, "vz": 0.2, "wx": 0.3, "wy": -0.2, "wz": 0.8}
    sim.set_states({f"chassis.{k}": v for k, v in state.items()})
    found = outputs(sim)
    turning = chassis_axes(found) @ np.array([state[f"w{a}"] for a in "xyz"])
    for tire, corner in TIRES.items():
        place, _, _ = tire_loads(sim, found, tire)
        hub, v = (
            three(found, "Wheel.Global_{}." + corner),
            np.array([found[f"Wheel.Global_V{a}.{corner}"] for a in "xyz"]),
        )
        v = v + np.cross(turning, place - hub)
        forward = np.cross(carrier_axes(found, corner)[:, 1], [0.0, 0.0, 1.0])
        forward /= np.linalg.norm(forward)
        assert found[f"Tire.Ground_Surface_Contact_Patch_Vx.{tire}"] == pytest.approx(forward @ v, abs=1e-12)
        left = np.cross([0.0, 0.0, 1.0], forward)
        assert found[f"Tire.Ground_Surface_Contact_Patch_Vy.{tire}"] == pytest.approx(left @ v, abs=1e-12)


# --- loads


@pytest.mark.slow
def test_both_tires_carry_alike_on_a_level_road() -> None:
    sim = standing_on(Flat())
    found = outputs(sim)
    load = {tire: found[f"Tire.Ground_Surface_Force_Z.{tire}"] for tire in TIRES}
    assert load["L2"] == pytest.approx(load["L2_twin"], rel=1e-9)
    assert load["R2"] == pytest.approx(load["L2"], rel=1e-9)
    weight = twin_car().mass() * twin_car().system.gravity
    assert sum(load.values()) == pytest.approx(weight, rel=1e-9)
    ratios = {name: found[f"cross_weight.{name}"] for name in ("crossL1R2_ratio", "nose_ratio", "side_right_ratio")}
    assert ratios["nose_ratio"] == pytest.approx((load["L1"] + load["R1"]) / weight, rel=1e-9)
    assert ratios["crossL1R2_ratio"] == pytest.approx(0.5, abs=1e-9)
    assert ratios["side_right_ratio"] == pytest.approx(0.5, abs=1e-9)
    for side in "lr":
        assert found[f"ti{side}_wheel_tire_forces.normal_twin_rear"] == load[f"{side.upper()}2_twin"]


@pytest.mark.parametrize(("corner", "side"), [("L2", 1.0), ("R2", -1.0)])
def test_a_bump_under_one_tire_rolls_the_car_by_load_times_offset(corner: str, side: float) -> None:
    level = standing_on(Flat())
    before = {tire: level.output(f"Tire.Ground_Surface_Force_Z.{tire}") for tire in TIRES}
    _, still, _, _ = momentum(level, twin_car())
    track = twin_car().rear_suspension.track
    rolling, added = {}, {}
    for tire, y in ((corner, 0.5 * track), (TWINS[corner], 0.5 * track + OFFSET)):
        sim = standing_on(strip(side * y, height=0.01))
        _, angular, _, _ = momentum(sim, twin_car())
        rolling[tire] = angular[0] - still[0]
        change = {t: sim.output(f"Tire.Ground_Surface_Force_Z.{t}") - before[t] for t in TIRES}
        added[tire] = change.pop(tire)
        assert added[tire] > 1000.0
        assert max(map(abs, change.values())) < 1e-9, "no other tire feels it"
    inner, outer = corner, TWINS[corner]
    assert added[outer] == pytest.approx(added[inner], rel=1e-9)
    assert rolling[inner] == pytest.approx(side * added[inner] * 0.5 * track, rel=1e-9)
    assert rolling[outer] - rolling[inner] == pytest.approx(side * added[outer] * OFFSET, rel=1e-9)


def test_the_car_stands_on_a_ridge_under_its_outer_tires() -> None:
    """Equilibrium on a road that is not the same under both tires: inner tires in the air."""
    sim, description = on_a_road()
    cars.set_numbers(sim, description)
    y = 0.5 * twin_car().rear_suspension.track + OFFSET
    ridges = strip(y, height=0.04).features[0], strip(-y, height=0.04).features[0]
    Sum(base=Flat(), features=ridges).bind(sim)
    settle(sim, description)
    found = outputs(sim)
    for side in "LR":
        assert found[f"Tire.Ground_Surface_Force_Z.{side}2"] == 0.0
        assert found[f"Road.Contact_Flag.{side}2"] == 0.0
        assert found[f"Road.Contact_Flag.{side}2_twin"] == 1.0
        assert found[f"Road.Contact_Patch_Global_Z.{side}2_twin"] - found[f"Road.Contact_Patch_Global_Z.{side}2"] == (
            pytest.approx(0.04, abs=1e-12)
        )
    linear, angular, force, moment = momentum(sim, twin_car())
    # what is left of the accelerations, 1e-9 (statics), times mass and inertia; the inclination of the tire's force on
    # the wheel centre as it stands
    assert np.abs(linear[1:]).max() < 1e-5 and np.abs(angular[[0, 2]]).max() < 1e-5
    assert np.abs(force - linear).max() < 1e-7 and np.abs(moment - angular).max() < 1e-7


# --- friction, scrub


@pytest.mark.parametrize(("corner", "side"), [("L2", 1.0), ("R2", -1.0)])
def test_split_friction_between_the_tires_yaws_the_car_by_force_times_offset(corner: str, side: float) -> None:
    twin, track = TWINS[corner], twin_car().rear_suspension.track
    yaw, force = {}, {}
    for slippery, y in ((corner, 0.5 * track), (twin, 0.5 * track + OFFSET)):
        sim = standing_on(strip(side * y, friction=0.3))
        sim.set_states({"chassis.vx": 20.0, **{f"{t}.tire.u": -0.02 for t in (corner, twin)}})
        _, angular, _, _ = momentum(sim, twin_car())
        yaw[slippery] = angular[2]
        force[slippery] = {t: sim.output(f"Tire.Ground_Surface_Force_X.{t}") for t in (corner, twin)}
    assert force[corner][twin] == pytest.approx(force[twin][corner], rel=1e-9), "a tire on the road"
    assert force[corner][corner] == pytest.approx(force[twin][twin], rel=1e-9), "a tire on ice"
    difference = force[corner][twin] - force[corner][corner]
    assert difference < -500.0
    # the same pair of forces, exchanged: about the vertical -y Fx
    assert yaw[corner] - yaw[twin] == pytest.approx(-side * OFFSET * difference, rel=1e-9)


def linear_tire(radius: float = 0.31, mode: int = 4, **values: float) -> Tire:
    model = Linear(mode=mode)
    numbers = {"UNLOADED_RADIUS": radius, "VERTICAL_STIFFNESS": 2e5, "CSLIP": 5e4, "CALPHA": 6e4, "FRICTION": 50.0}
    return Tire(model, model.complete({**numbers, **values}))


@pytest.mark.slow
def test_scrub_of_a_rolling_twin_wheel_in_a_turn() -> None:
    """Two tires of one spin at V ∓ r b/2: κ = ± r b/2V, hence a couple -2 Kx (b/2)² r/V about the vertical."""
    tire = linear_tire()
    description = cars.describe(twin_car(), dict.fromkeys(CORNERS, tire))
    sim = cars.simulation(description)
    settle(sim, description)
    speed, yaw = 8.0, 0.05
    level = chassis_axes(outputs(sim)).T  # the car does not stand quite level
    v, w = level @ [speed, 0.0, 0.0], level @ [0.0, 0.0, yaw]
    sim.set_states({f"chassis.{n}{a}": float(x[i]) for n, x in (("v", v), ("w", w)) for i, a in enumerate("xyz")})
    places = {side: (1.0 if side == "L" else -1.0) * 0.5 * twin_car().rear_suspension.track for side in "LR"}
    radius = sim.output("Tire.Effective_Rolling_Radius.L2")
    for side, y in places.items():
        out = math.copysign(0.5 * OFFSET, y)
        ahead = speed - yaw * (y + out)  # of the middle between the tires
        name = f"{side}2.wheel.spin"
        low, high = 0.9 * ahead / radius, 1.1 * ahead / radius
        for _ in range(60):  # the spin of a wheel that nothing drives
            middle = 0.5 * (low + high)
            sim.set_states({name: middle})
            found = rates(sim)
            driven = (
                found[name] + found["chassis.wy"] > 0
            )  # the spin is relative to a carrier that pitches with the car
            low, high = (middle, high) if driven else (low, middle)
        # Σ (ΩR - V_i)/V_i = 0: harmonic mean, V (1 - ε²)
        epsilon = yaw * OFFSET / (2 * ahead)
        assert middle * radius == pytest.approx(ahead * (1 - epsilon**2), rel=1e-12)
        inner, outer = (sim.output(f"Tire.Ground_Surface_Force_X.{t}") for t in (f"{side}2", f"{side}2_twin"))
        couple = 0.5 * OFFSET * (inner - outer) * math.copysign(1.0, y)
        # in all orders κ = ± ε exactly
        assert couple == pytest.approx(-2 * 5e4 * (0.5 * OFFSET) ** 2 * yaw / ahead, rel=1e-9)
        assert inner == pytest.approx(-outer, rel=1e-9)


# --- two half tires are one


def half(tire: Tire, **values: float) -> Tire:
    """A tire that does at half the load half of what another does."""
    names = ("FNOMIN", "VERTICAL_STIFFNESS", "VERTICAL_DAMPING", "BOTTOM_STIFF", "FZMIN", "FZMAX", "LOW_SPEED_DAMPING")
    return tire.with_values(**{n: 0.5 * tire.values[n] for n in names}, **values)


@lru_cache
def halves() -> cars.Description:
    """The example car as it is, with two half tires on each rear hub; their numbers may differ."""
    car = compact(**{"rear_wheels.twin": {"offset": OFFSET, "spin_inertia_is_assembly": True}})
    whole = cars.tires_of(compact())["L1"]
    inner, outer = half(whole), half(whole)
    tires = {"L1": whole, "R1": whole, "L2": inner, "R2": inner, "L2_twin": outer, "R2_twin": outer}
    return cars.describe(car, tires)


def steered(sim: Simulation, angle: float, time: float = 1.5) -> Any:
    program = Program(Phase("drive", [Open("steering_wheel", Ramp(angle, 0.2, smooth=True))], duration=time))
    return sim.run(program=program, method="AB-2", step=0.001, interval=0.02)


def at_speed(offset: float = OFFSET) -> Simulation:
    description = halves()
    sim = cars.simulation(description)
    sim.set_parameters({f"{twin}.offset": offset for twin in TWINS.values()})
    settle(sim, description)
    run_steadily(sim, description, 20.0)
    return sim


@pytest.mark.slow
def test_two_half_tires_at_one_place_are_the_whole_tire() -> None:
    description = cars.describe(compact())
    sim = cars.simulation(description)
    settle(sim, description)
    run_steadily(sim, description, 20.0)
    one = steered(sim, 0.6)
    two = steered(at_speed(1e-12), 0.6)  # an offset is above zero
    assert one["chassis_velocities.yaw"][-1] > 0.1
    assert two["chassis_velocities.yaw"] == pytest.approx(one["chassis_velocities.yaw"], rel=1e-8, abs=1e-10)
    for k in ("Force_X", "Force_Y", "Force_Z", "Moment_X", "Moment_Y", "Moment_Z"):
        name = f"Tire.Ground_Surface_{k}."
        for side in "LR":
            pair = two[f"{name}{side}2"] + two[f"{name}{side}2_twin"]
            assert pair == pytest.approx(one[f"{name}{side}2"], rel=1e-7, abs=1e-5)


@pytest.mark.slow
def test_a_mirrored_manoeuvre_is_the_mirrored_one() -> None:
    left, right = (steered(at_speed(), angle) for angle in (0.5, -0.5))
    assert left["chassis_velocities.yaw"][-1] > 0.1
    assert left["chassis_velocities.yaw"] == pytest.approx(-right["chassis_velocities.yaw"], rel=1e-8, abs=1e-10)
    for here, there in (("L2_twin", "R2_twin"), ("R2_twin", "L2_twin"), ("L2", "R2")):
        for k, sign in (("Force_X", 1), ("Force_Y", -1), ("Force_Z", 1), ("Moment_Z", -1)):
            name = f"Tire.Ground_Surface_{k}."
            assert left[f"{name}{here}"] == pytest.approx(sign * right[f"{name}{there}"], rel=1e-7, abs=1e-6)


def test_a_run_goes_on_from_a_snapshot_to_the_same_bits() -> None:
    sim = at_speed()
    steered(sim, 0.4, 0.5)
    sim.set_program(None)
    kept = sim.snapshot()
    ends = []
    for _ in range(2):
        sim.restore(kept)
        run = sim.run(sim.time + 0.5, interval=0.05)
        ends.append((sim.x.tobytes(), run["til_wheel_tire_forces.lateral_twin_rear"].tobytes()))
    assert ends[0] == ends[1]
    assert {f"{twin}.tire.{d}" for twin in TWINS.values() for d in "uv"} <= {v.name for v in sim.model.states}


# --- tires of different size


def test_steady_running_on_tires_of_different_radius() -> None:
    """One spin for two radii: the larger drives, the smaller brakes, and no torque is left on the wheel."""
    description = halves()
    sim = cars.simulation(description)
    block = next(n for n in sim.parameters if n.startswith("tire3.") and n.endswith("UNLOADED_RADIUS"))
    sim.set_parameters({block: sim.parameter(block) + 0.004})
    settle(sim, description)
    roll(sim, description, 20.0)
    guess = sim.state("L2.wheel.spin")
    run_steadily(sim, description, 20.0)
    found = outputs(sim)
    spin, torque = found["Wheel.Omega.L2"], 0.0
    radii = {tire: found[f"Tire.Effective_Rolling_Radius.{tire}"] for tire in ("L2", "L2_twin")}
    assert radii["L2_twin"] > radii["L2"] + 5e-4
    for tire in radii:
        along = found[f"Tire.Ground_Surface_Force_X.{tire}"] * found[f"Tire.Loaded_Radius.{tire}"]
        camber = found[
            f"ti{tire[0].lower()}_wheel_tire_kinematics.inclination_angle_{'twin_' if 'twin' in tire else ''}rear"
        ]
        # moments in contact axes about the spin axis: Yc = cos γ Yw + sin γ Zw
        turning = math.cos(camber) * found[f"Tire.Ground_Surface_Moment_Y.{tire}"]
        turning += math.sin(camber) * found[f"Tire.Ground_Surface_Moment_Z.{tire}"]
        torque += turning - along
    scale = abs(found["Tire.Ground_Surface_Force_X.L2"])
    assert abs(torque) < 1e-7 * scale
    slow, fast = (found[f"Tire.Ground_Surface_Contact_Patch_Vx.{t}"] / radii[t] for t in ("L2_twin", "L2"))
    assert slow < spin < fast
    assert found["Tire.Ground_Surface_Force_X.L2_twin"] > 100.0 > -100.0 > found["Tire.Ground_Surface_Force_X.L2"]
    # rolling resistance asks for some slip of both, 1e-4; stiffness over load is not quite constant
    assert guess == pytest.approx(spin, rel=1e-3)
    assert abs(guess - spin) < 0.5 * (fast - slow)
    assert rates(sim)["L2.wheel.spin"] == pytest.approx(0.0, abs=1e-8)


def test_brakes_hold_a_car_with_twin_wheels_on_a_slope() -> None:
    description = on_a_road()[1]
    sim = cars.simulation(description)
    Flat(grade=0.1, bank=0.05).bind(sim)
    sim.set_inputs({"brake": 1.0})
    settled = settle(sim, description, normal=(-0.1, -0.05, 1.0))
    assert settled.method == "newton" and settled.held == ("lateral", "longitudinal")
    _, _, force, moment = momentum(sim, twin_car())
    assert np.abs(force).max() < 1e-4 and np.abs(moment).max() < 1e-4
    for twin, first in zip(TWINS.values(), TWINS, strict=True):  # both tires of a wheel hold it
        assert sim.output(f"Tire.Ground_Surface_Force_X.{twin}") > 50.0
        for d in "uv":
            assert sim.state(f"{twin}.tire.{d}") == pytest.approx(sim.state(f"{first}.tire.{d}"), rel=0.3)
    before = [sim.state(f"chassis.{a}") for a in "xyz"]
    sim.run(3.0, method="AM-2", interval=0.5)
    assert [sim.state(f"chassis.{a}") for a in "xyz"] == pytest.approx(before, abs=1e-6)


# --- outside tires


def test_an_outside_tire_may_be_the_second_one() -> None:
    """Its function is asked at its own place; what it answers acts there."""
    vehicle = drop_everything(twin_car(), "anti_roll_bar", "auxiliary_anti_roll")
    outside = external_tire(0.31, name="outside")
    tires = {**dict.fromkeys(CORNERS, linear_tire()), **dict.fromkeys(TWINS.values(), outside)}
    sim = cars.simulation(cars.describe(vehicle, tires))
    asked: dict[str, Wheel] = {}

    def answer(name: str) -> Any:
        def of(wheel: Wheel) -> Answer:
            asked[name] = wheel
            return Answer((100.0, 200.0, 3000.0), (10.0, 0.0, 20.0))

        return of

    for twin in TWINS.values():
        bind(sim, f"{twin}.tire", answer(twin), outside.model)
    sim.set_parameters({"L2.camber.offset": -0.04, "L2.toe.offset": 0.03})
    sim.set_states({"chassis.vx": 10.0})
    linear, angular, force, moment = momentum(sim, vehicle)
    assert np.abs(linear - force).max() < 1e-7 and np.abs(angular - moment).max() < 1e-7
    found = outputs(sim)
    for tire, wheel in asked.items():
        axis = carrier_axes(found, TIRES[tire])[:, 1] * (1.0 if tire[0] == "L" else -1.0)
        assert wheel.position == pytest.approx(
            three(found, f"Wheel.Global_{{}}.{TIRES[tire]}") + OFFSET * axis, abs=1e-12
        )
        assert wheel.matrix == pytest.approx(carrier_axes(found, TIRES[tire]), abs=1e-12)
        assert wheel.height == pytest.approx(wheel.position[2], abs=1e-12)
        place, f, _ = tire_loads(sim, found, tire)
        assert wheel.matrix.T @ f == pytest.approx([100.0, 200.0, 3000.0], abs=1e-9)
        assert three(found, f"Road.Contact_Patch_Global_{{}}.{tire}") == pytest.approx(place, abs=1e-12)


# --- data


def test_spin_inertia_counts_twice_unless_it_is_that_of_the_assembly() -> None:
    one = compact().rear_wheels.spin_inertia
    for changes, factor in (({}, 2.0), ({"rear_wheels.twin.spin_inertia_is_assembly": True}, 1.0)):
        car = twin_car(**changes)
        assert cars.numbers(cars.describe(car))["L2.spin_inertia"]() == factor * one
        assert cars.numbers(cars.describe(car))["L1.spin_inertia"]() == car.front_wheels.spin_inertia
        assert car.rear_wheels.hub_spin_inertia == factor * one


def test_a_car_without_twin_wheels_has_nothing_of_them() -> None:
    plain, twin = compact(), compact(**{"rear_wheels.twin": {"offset": OFFSET}})
    assert plain.structure_key() != twin.structure_key()
    assert twin.with_(**{"rear_wheels.twin": None}) == plain
    assert twin.with_(**{"rear_wheels.twin.offset": 0.2}).structure_key() == twin.structure_key()
    models = {"plain": cars.library(cars.describe(plain)).model, "twin": cars.library(halves()).model}
    names = [v.name for group in ("states", "parameters", "outputs") for v in getattr(models["plain"], group)]
    assert not [n for n in names if "twin" in n]
    more = {v.name for v in models["twin"].states} - {v.name for v in models["plain"].states}
    assert more == {f"{t}.tire.{d}" for t in TWINS.values() for d in ("u", "v", "rolled", "twist")}
    cost = models["twin"].operations["rhs"] - models["plain"].operations["rhs"]
    # two tires more than four, whose share of the equations is more than half: less than 6/4 of the whole
    assert 0 < cost < 0.5 * models["plain"].operations["rhs"]


REAR = """
  twin: {offset: 280 mm, tire: suv_235_60r18, spin_inertia_is_assembly: true}
"""


def written(folder: Path, more: str) -> Path:
    """The example car with further lines at the end of its rear wheels."""
    compact().save(folder)
    main = folder / "vehicle.yaml"
    text = main.read_text(encoding="utf-8")
    rear = text.index("rear_wheels:")
    end = text.index("\n\n", rear)
    main.write_text(f"{text[:end]}{more.rstrip()}{text[end:]}", encoding="utf-8")
    return main


def test_twin_wheels_are_read_written_and_published(tmp_path: Path) -> None:
    car = jv.load(written(tmp_path / "car", REAR))
    twin = car.rear_wheels.twin
    assert twin is not None and twin.tire is not None
    assert (twin.offset, twin.spin_inertia_is_assembly, twin.tire.path.stem) == (0.28, True, "suv_235_60r18")
    assert [t.name for t in cars.tires_of(car).values()][-2:] == ["suv_235_60r18"] * 2
    changed = car.with_(**{"rear_wheels.twin.offset": "300 mm"})
    changed.save(tmp_path / "changed")
    assert "offset: 300 mm" in (tmp_path / "changed" / "vehicle.yaml").read_text(encoding="utf-8")
    assert jv.load(tmp_path / "changed") == changed
    changed.save(tmp_path / "one.yaml")
    assert jv.load(tmp_path / "one.yaml") == changed
    published = jv.load(changed.publish(tmp_path / "published"))
    assert published == changed
    for tire in (published.rear_wheels.tire, published.rear_wheels.twin_tire):
        assert tire is not None and tire.path.is_relative_to(tmp_path / "published" / "tires")
    (difference,) = car.diff(changed)
    assert str(difference) == "rear_wheels.twin.offset: 0.28 m -> 0.3 m"


def test_the_second_tire_is_as_the_first_and_the_sides_may_differ(tmp_path: Path) -> None:
    more = "\n  twin: {offset: 280 mm}\n  right: {tire: suv_235_60r18, twin: {offset: 300 mm}}\n"
    car = jv.load(written(tmp_path / "car", more))
    tires = {place: t.name for place, t in cars.tires_of(car).items()}
    assert tires["L2_twin"] == tires["L2"] != tires["R2"] == tires["R2_twin"] == "suv_235_60r18"
    numbers = cars.numbers(cars.describe(car))
    assert (numbers["L2_twin.offset"](), numbers["R2_twin.offset"]()) == (0.28, 0.3)
    car.save(tmp_path / "again")
    assert jv.load(tmp_path / "again") == car


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("\n  twin: {offset: -280 mm}\n", ["rear_wheels.twin.offset", "must be > 0 m"]),
        ("\n  twin: {ofset: 280 mm}\n", ["rear_wheels.twin", "ofset", "did you mean 'offset'"]),
        ("\n  twin: {offset: 280 kg}\n", ["rear_wheels.twin.offset", "expected m"]),
        ("\n  twin: {offset: 280 mm, tire: suv_235}\n", ["rear_wheels.twin.tire", "no such file", "suv_235_60r18"]),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, more: str, expected: list[str]) -> None:
    main = written(tmp_path / "car", more)
    line = main.read_text(encoding="utf-8").splitlines().index(more.strip("\n")) + 1
    with pytest.raises(ParameterError) as found:
        jv.load(main)
    assert all(part in str(found.value) for part in (*expected, f"line {line} ")), str(found.value)


def test_an_inertia_that_leaves_out_the_second_tire_is_remarked() -> None:
    truck = jv.load("light_truck")
    assert not truck.remarks() and not dual_truck().remarks()
    (said,) = truck.with_(**{"rear_wheels.twin": {"offset": 0.25}}).remarks()
    assert (
        said == "rear_wheels.iyy: 2.5 kg.m2, less than the spin inertia of both tires, 4.4 kg.m2, which is a part of it"
    )


def test_front_wheels_may_have_a_second_tire_too() -> None:
    car = compact(**{"front_wheels.twin": {"offset": 0.3}})
    assert list(car.layout.tires) == ["L1", "R1", "L2", "R2", "L1_twin", "R1_twin"]
    assert set(cars.tires_of(car)) == set(car.layout.tires)


# --- what is told


@lru_cache
def dual_truck() -> jv.Vehicle:
    """The library's light truck on dual rear wheels: the middle between two tires where the single one was."""
    single = jv.load("light_truck")
    return single.with_(**{
        "rear_wheels.twin": {"offset": "250 mm"},
        "rear_wheels.unsprung_mass": 119.0,
        **{f"rear_wheels.{name}": 2 * getattr(single.rear_wheels, name) for name in ("ixx", "iyy", "izz")},
        "rear_suspension.track": single.rear_suspension.track - 0.25,
    })  # fmt: skip


def shown_loads(figures: Standing, description: cars.Description) -> None:
    """Figures of a standing car against its weight and the springs of its tires."""
    vehicle = description.vehicle
    assert figures["load_total"] == pytest.approx(vehicle.mass() * vehicle.system.gravity, rel=1e-6)
    rate = 0.0
    for tire, load in (
        ("L2", figures["load_L2"] - figures["load_L2_twin"]),
        ("L2_twin", figures["load_L2_twin"]),
    ):
        data = description.tires[tire]
        rho = data.deflection(load)
        rate += (data.load(rho + 1e-6) - data.load(rho - 1e-6)) / 2e-6
    # of upright tires: inclination and pitch change lengths by some 1e-4
    assert figures["tire_rate_rear"] == pytest.approx(rate / 1e3, rel=1e-3)


def driven(description: cars.Description) -> None:
    """A run with its identities and pictures."""
    run = jn.run(
        description.vehicle, events.StepSteer(speed=20.0, amplitude=0.3, end_time=3.0), tires=description.tires
    )
    loads = [i for i in identities(run) if "wheel loads" in i.name]
    assert loads and loads[0].measured == pytest.approx(loads[0].expected, rel=0.01)
    picture = next(p for p in panels([run], ["twins"], "si") if p.title == "Wheel loads")
    assert [c.name for c in picture.curves] == [*CORNERS, *TWINS.values()]


def test_what_is_shown_of_a_standing_car_counts_both_tires() -> None:
    figures = standing(halves())
    shown_loads(figures, halves())
    whole = next(iter(cars.tires_of(compact()).values()))
    rho = whole.deflection(figures["load_L2"])
    stiff = (whole.load(rho + 1e-6) - whole.load(rho - 1e-6)) / 2e-6
    assert figures["tire_rate_rear"] == pytest.approx(stiff / 1e3, rel=1e-3), "two half springs"


@pytest.mark.slow
def test_loads_of_a_run_are_the_weight() -> None:
    driven(halves())


@pytest.mark.slow
def test_a_truck_on_dual_wheels() -> None:
    description = cars.describe(dual_truck())
    figures = standing(description)
    shown_loads(figures, description)
    for side in "LR":
        assert 0.45 < figures[f"load_{side}2_twin"] / figures[f"load_{side}2"] < 0.55
    driven(description)
