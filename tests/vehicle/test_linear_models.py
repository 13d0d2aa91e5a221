"""Linear models: the single-track model in closed form, the whole car by Lagrange's equations, modes at rest.

Data are chosen so that the closed forms are exact: no air, no rolling resistance, wheels upright at design, springs and
tires preloaded so that the car rests at design. All cars here have one structure.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jounce.vehicle as jv
from cars import AXLES, balanced, compact, loads, plain, rolling, without_air
from four_wheels import CORNERS
from jounce.components.tire.base import Tire
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from jounce.sim.linear import LinearModel
from lagrange_car import LagrangeCar, anywhere, linear, loose_rates, residual

INPUTS = ("steering_wheel", "steering_wheel.rate")
OUTPUTS = {
    "yaw": "chassis_velocities.yaw",
    "ay": "System_Mass_Center.Tracking_Ay",
    "roll": "Vehicle.Euler_Roll",
    **{f"load {c}": f"Tire.Ground_Surface_Force_Z.{c}" for c in CORNERS},
}
FREQUENCIES = np.geomspace(0.1, 3.0, 12)

# what a car that rolls freely must not have
NO_RESISTANCE = {"QSY1": 0.0, "QSY2": 0.0, "QSY3": 0.0}
FORCE_ALONE = {
    **NO_RESISTANCE, "PVY3": 0.0, "PKY3": 0.0, "QDZ1": 0.0, "QDZ2": 0.0, "QDZ8": 0.0, "QSX2": 0.0, "QSX3": 0.0,
}  # fmt: skip


def base(**changes: Any) -> jv.Vehicle:
    """The example car with straight maps, linear dampers, no air, wheels upright at design."""
    vehicle = compact(**{
        "front_suspension.toe": {"rate": "-4 deg/m"},
        "front_suspension.dampers[0]": {"name": "main", "rate": "1900 N.s/m", "ratio": 0.95},
    })  # fmt: skip
    offsets = {f"{axle}_suspension.{name}.offset": 0.0 for axle in AXLES for name in ("toe", "camber")}
    # a pad that presses with nothing has no damping, but the slope of its clip at ±0 is not defined
    pads = {f"brakes.{axle}.lockup_damping_ratio": 0.0 for axle in AXLES}
    return vehicle.with_(**offsets, **pads, **without_air(vehicle)).with_(**changes)


def tires_with(vehicle: jv.Vehicle, **values: float) -> dict[str, Tire]:
    return dict.fromkeys(CORNERS, car.tires_of(vehicle)["L1"].with_values(**values))


def standing(vehicle: jv.Vehicle, tires: dict[str, Tire]) -> tuple[Simulation, car.Description]:
    description = car.describe(balanced(vehicle, tires), tires)
    sim = car.simulation(description)
    assert np.abs(sim.derivatives()[0]).max() < 1e-5, "it rests at design"
    return sim, description


def linear_model(sim: Simulation, description: car.Description) -> LinearModel:
    return car.lineariser(description, INPUTS, tuple(OUTPUTS.values())).at(sim)


def response(model: LinearModel, name: str, frequency: float) -> complex:
    """Of an output to the hand wheel angle, its rate included."""
    row = list(OUTPUTS).index(name)
    angle, rate = model.response([frequency])[0][row]
    return complex(angle + 2j * np.pi * frequency * rate)


# -- single track ---------------------------------------------------------------------------------------------------


def whole(vehicle: jv.Vehicle) -> tuple[float, float, float]:
    """Mass, place of the centre of gravity along the car, yaw moment of inertia of the whole car."""
    mass, centre, inertia = vehicle.body.sprung()[0]
    parts = [(mass, float(centre[0]), 0.0, float(inertia[2, 2]))]
    for axle, side in CORNERS.values():
        data, place = vehicle.wheels(axle, side), vehicle.wheel_centre(axle, side)
        parts.append((data.unsprung_mass, float(place[0]), float(place[1]), data.izz))
    total = sum(m for m, *_ in parts)
    x = sum(m * p for m, p, *_ in parts) / total
    return total, x, sum(own + m * ((p - x) ** 2 + y * y) for m, p, y, own in parts)


def single_track(vehicle: jv.Vehicle, stiffness: tuple[float, float], lengths: tuple[float, float], speed: float,
                 s: complex) -> dict[str, complex]:  # fmt: skip
    """Yaw rate and lateral acceleration over the steer angle of the front wheels, with lagging side forces.

    m (v̇ + V r) = F1 + F2,  I ṙ = a F1 − b F2,
    F1 = C1 (δ − (v + a r)/V)/(1 + σ1 s/V),  F2 = −C2 (v − b r)/V/(1 + σ2 s/V)
    """
    m, x, inertia = whole(vehicle)
    a, b = -x, x + vehicle.wheelbase
    c1, c2 = (c / (1 + sigma * s / speed) for c, sigma in zip(stiffness, lengths, strict=True))
    matrix = np.array([
        [m * s + (c1 + c2) / speed, m * speed + (a * c1 - b * c2) / speed],
        [(a * c1 - b * c2) / speed, inertia * s + (a * a * c1 + b * b * c2) / speed],
    ])  # fmt: skip
    v, r = np.linalg.solve(matrix, np.array([c1, a * c1], dtype=complex))
    return {"yaw": complex(r), "ay": complex(s * v + speed * r)}


@pytest.fixture(scope="module")
def locked() -> tuple[Simulation, car.Description, LinearModel]:
    """A car that neither rolls nor heaves: springs and tires ten thousand times as stiff; wheels without inertia."""
    vehicle = base()
    stiff = {f"{axle}_suspension.spring.rate": 1e4 * vehicle.get(f"{axle}_suspension.spring.rate") for axle in AXLES}
    light = {f"{axle}_wheels.spin_inertia": 1e-5 for axle in AXLES}
    vehicle = vehicle.with_(**plain(vehicle), **stiff, **light)
    stiffness = 1e4 * car.tires_of(vehicle)["L1"].values["VERTICAL_STIFFNESS"]
    # relaxation lengths of a fifth: 2 V T_DT = 0.05 m is the least that the step allows
    tires = tires_with(vehicle, **FORCE_ALONE, VERTICAL_STIFFNESS=stiffness, VERTICAL_DAMPING=0.0, LSGAL=0.2, LSGKP=0.3)
    sim, description = standing(vehicle, tires)
    rolling(sim, 25.0)
    return sim, description, linear_model(sim, description)


def axle_stiffness(sim: Simulation, description: car.Description) -> tuple[tuple[float, float], tuple[float, float]]:
    """Cornering stiffness and relaxation length of each axle, from the tire's slope at its static load."""
    stiffness, lengths = [], []
    for axle in (1, 2):
        tire, load = description.tires[f"L{axle}"], loads(sim)[f"L{axle}"]
        up, down = (float(tire.steady(load, alpha=a).fy) for a in (1e-5, -1e-5))
        stiffness.append(-2 * (up - down) / 2e-5)
        lengths.append(float(tire.model.at_load(tire.values, load, 0.0).sigma_alpha))
    return (stiffness[0], stiffness[1]), (lengths[0], lengths[1])


def test_frequency_response_of_the_single_track_model(locked: Any) -> None:
    sim, description, model = locked
    vehicle = description.vehicle
    stiffness, lengths = axle_stiffness(sim, description)
    assert min(lengths) > 0.05 and max(lengths) < 0.11
    ratio = vehicle.steering.steer.curve.constant
    for frequency in FREQUENCIES:
        expected = single_track(vehicle, stiffness, lengths, 25.0, 2j * np.pi * frequency)
        for name, value in expected.items():
            found = response(model, name, frequency)
            assert abs(found - ratio * value) < 0.005 * abs(ratio * value), f"{name} at {frequency:.2f} Hz"


def test_steady_state_of_the_single_track_model(locked: Any) -> None:
    """Yaw gain V/((L + K V²) i), K = m/L (b/C1 − a/C2)."""
    sim, description, model = locked
    vehicle = description.vehicle
    (c1, c2), _ = axle_stiffness(sim, description)
    m, x, _ = whole(vehicle)
    length = vehicle.wheelbase
    gradient = m / length * ((x + length) / c1 - (-x) / c2)
    assert gradient > 0, "an understeering car"
    gain = 25.0 / (length + gradient * 25.0**2) * vehicle.steering.steer.curve.constant
    assert response(model, "yaw", 1e-6).real == pytest.approx(gain, rel=0.005)
    assert response(model, "ay", 1e-6).real == pytest.approx(25.0 * gain, rel=0.005)


# -- the whole car --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def running() -> tuple[Simulation, car.Description, LinearModel]:
    """The car with its maps, relaxation, trails, camber thrust, overturning moments, spinning wheels."""
    vehicle = base()
    tires = tires_with(vehicle, **NO_RESISTANCE, PKY3=0.0)
    sim, description = standing(vehicle, tires)
    rolling(sim, 25.0)
    return sim, description, linear_model(sim, description)


def test_frequency_response_of_the_whole_car(running: Any) -> None:
    sim, description, model = running
    derived = linear(LagrangeCar(description.vehicle), description.tires, sim)
    for name in OUTPUTS:
        expected = np.array([derived.response(name, f) for f in FREQUENCIES])
        found = np.array([response(model, name, f) for f in FREQUENCIES])
        assert np.abs(found - expected).max() < 0.01 * np.abs(expected).max(), name
        assert np.abs(found - expected).max() < 1e-5 * np.abs(expected).max(), f"{name}: it is exact"
    assert abs(response(model, "roll", 0.1)) > 1e-3, "it rolls"


def assert_same_modes(found: Any, expected: Any, share: float, least: int) -> None:
    """Every eigenvalue has its own counterpart; those that are zero but for rounding are counted."""
    left = [e for e in expected if abs(e) > 0.05]
    moving = [e for e in found if abs(e) > 0.05]
    assert len(moving) == len(left) >= least
    for value in sorted(moving, key=abs):
        nearest = min(left, key=lambda other: abs(other - value))
        assert abs(nearest - value) < share * abs(value)
        left.remove(nearest)


def test_modes_of_the_running_car(running: Any) -> None:
    sim, description, model = running
    derived = linear(LagrangeCar(description.vehicle), description.tires, sim)
    assert derived.A.shape == model.A.shape
    assert_same_modes(np.linalg.eigvals(model.A), np.linalg.eigvals(derived.A), 1e-3, 26)


def test_modes_at_rest(running: Any) -> None:
    """All fourteen degrees of freedom: body and wheels on springs and tires, and on the contacts that stand."""
    _, description, _ = running
    sim, description = standing(description.vehicle, description.tires)
    model = linear_model(sim, description)
    derived = linear(LagrangeCar(description.vehicle), description.tires, sim)
    assert_same_modes(np.linalg.eigvals(model.A), np.linalg.eigvals(derived.A), 1e-3, 26)


def test_wheel_hop(running: Any) -> None:
    """√((kt + ks)/mu), for a body so heavy that it stays where it is; little gravity, so that tires can carry it."""
    vehicle = base()
    heavy = {"body.mass": 1e7, "system.gravity": 1e-3}
    heavy |= {f"body.inertia.{n}": 1e4 * vehicle.get(f"body.inertia.{n}") for n in ("ixx", "iyy", "izz")}
    free = {"front_suspension.anti_roll_bar.stiffness": 0.0, "rear_suspension.auxiliary_anti_roll.rate": 0.0}
    free |= {f"{axle}_suspension.dampers[0].scale": 0.0 for axle in AXLES}
    vehicle = vehicle.with_(**plain(vehicle), **heavy, **free)
    tires = tires_with(vehicle, **FORCE_ALONE, VERTICAL_DAMPING=0.0)
    sim, description = standing(vehicle, tires)
    model = linear_model(sim, description)
    part = [n for n in model.states if ".jounce" in n or n in ("chassis.z", "chassis.vz")]
    frequencies = np.abs(np.linalg.eigvals(model.part(part)).imag)
    for axle in (1, 2):
        spring = vehicle.suspension(axle).spring
        assert spring is not None and spring.rate is not None and spring.ratio.constant is not None
        stiffness = spring.rate * spring.ratio.constant**2 + tires["L1"].values["VERTICAL_STIFFNESS"]
        hop = np.sqrt(stiffness / vehicle.wheels(axle).unsprung_mass)
        assert np.sum(np.abs(frequencies / hop - 1) < 1e-3) == 4, "two wheels, ± each"


# -- lateral load transfer ------------------------------------------------------------------------------------------


def rolled(description: car.Description, ay: float) -> tuple[dict[int, float], float]:
    """Load transfer (right minus left) of each axle, and the roll angle, of wheels that move straight up and down.

    Springs and tires of an axle in series, M_i = K_i φ;  Σ M_i = (m_s h + Σ m_u r) (a_y + g φ): the carriers lean with
    the body, and what moves them sideways goes through it.
    """
    vehicle = description.vehicle
    mass, centre, _ = vehicle.body.sprung()[0]
    lever = mass * float(centre[2])
    stiffness = {}
    for axle in (1, 2):
        suspension = vehicle.suspension(axle)
        spring, bar = suspension.spring, suspension.anti_roll_bar
        assert spring is not None and spring.rate is not None and spring.ratio.constant is not None
        rate = spring.rate * spring.ratio.constant**2
        if bar is not None:
            assert bar.stiffness is not None and bar.ratio.constant is not None
            rate += 2 * bar.stiffness * bar.ratio.constant**2
        elif suspension.auxiliary_anti_roll is not None:
            rate += 2 * suspension.auxiliary_anti_roll.rate
        tire = description.tires[f"L{axle}"].values["VERTICAL_STIFFNESS"]
        stiffness[axle] = suspension.track**2 / 2 / (1 / rate + 1 / tire)
        lever += 2 * vehicle.wheels(axle).unsprung_mass * vehicle.wheels(axle).wheel_centre_height
    roll = lever * ay / (sum(stiffness.values()) - lever * vehicle.system.gravity)
    return {axle: 2 * stiffness[axle] * roll / vehicle.suspension(axle).track for axle in (1, 2)}, roll


@pytest.mark.parametrize("case", ["upright", "with maps"])
def test_lateral_load_transfer(running: Any, case: str) -> None:
    """ΔFz_f + ΔFz_r = (m a_y h + m_s g h_r φ)/t for equal tracks; the share of the front by its own derivation."""
    vehicle = base(**{"rear_suspension.track": "1540 mm"})
    if case == "upright":
        vehicle = vehicle.with_(**plain(vehicle))
    # wheels that spin without inertia: gyroscopic moments, 1.5 % here, are not in the formula
    vehicle = vehicle.with_(**{f"{axle}_wheels.spin_inertia": 1e-3 for axle in AXLES})
    tires = tires_with(vehicle, **{**NO_RESISTANCE, "QSX2": 0.0, "QSX3": 0.0, "PKY3": 0.0})
    sim, description = standing(vehicle, tires)
    height = sim.output("System_Mass_Center.Global_Z")
    mass, centre, _ = description.vehicle.body.sprung()[0]
    rolling(sim, 25.0)
    model = linear_model(sim, description)
    transfer = {
        axle: -response(model, f"load L{axle}", 1e-4).real + response(model, f"load R{axle}", 1e-4).real
        for axle in (1, 2)
    }
    ay, roll = (response(model, name, 1e-4).real for name in ("ay", "roll"))
    # height of the roll centre of an axle: its wheels' paths lean outwards by y' per travel
    rear = float(-centre[0]) / description.vehicle.wheelbase
    track = 1.54
    axis = sum(
        share * description.vehicle.suspension(axle).y.scale * description.vehicle.suspension(axle).y.curve.constant
        for axle, share in ((1, 1 - rear), (2, rear))
    ) * track / 2  # fmt: skip
    arm = float(centre[2]) - axis
    assert ay > 0 and roll > 0 and min(transfer.values()) > 0
    g = description.vehicle.system.gravity
    expected = (2 * vehicle.mass() * ay * height + 2 * mass * g * arm * roll) / track
    assert sum(transfer.values()) == pytest.approx(expected, rel=0.01)
    without = 2 * vehicle.mass() * ay * height / track
    assert abs(without / sum(transfer.values()) - 1) > 0.015, "the formula without roll would be found out"
    if case == "upright":  # roll centres on the ground: both shares in closed form
        by_hand, angle = rolled(description, ay)
        assert roll == pytest.approx(angle, rel=1e-3)
        for axle in (1, 2):
            assert transfer[axle] == pytest.approx(by_hand[axle], rel=1e-3)
    derived = linear(LagrangeCar(description.vehicle), description.tires, sim)
    front = derived.response("load R1", 1e-4).real - derived.response("load L1", 1e-4).real
    assert transfer[1] == pytest.approx(front, rel=1e-4)
    assert 0.5 < transfer[1] / sum(transfer.values()) < 0.9, "the bar is in front"


# -- nonlinear equations --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(4))
def test_equations_of_motion_by_lagrange(running: Any, number: int) -> None:
    """M q̈ + h = Q anywhere: large angles, all speeds, brakes and drive; the tires' forces are those of the car."""
    _, description, _ = running
    vehicle = description.vehicle.with_(**{
        f"{axle}_suspension.{stop}_stop.clearance": 10.0 for axle in AXLES for stop in ("bump", "rebound")
    })  # fmt: skip
    sim = car.simulation(car.describe(vehicle, description.tires))
    lagrange = LagrangeCar(vehicle)
    anywhere(sim, number)
    sim.set_inputs({"steering_wheel": 2.0, "steering_wheel.rate": -4.0, "throttle": 0.7, "brake": 0.2})
    assert residual(sim, lagrange, shaft=True) < 1e-9


LOOSE = {
    "x": {"fx": {"rate": 2.9e-6, "right": 3.2e-6}, "fy": 1.1e-7, "mz": 1.3e-6, "fz": 1.7e-8},
    "y": {"fx": -0.9e-7, "fy": {"rate": 0.57e-6, "right": 0.61e-6}, "mz": 0.7e-6, "fz": -2.3e-8},
    "toe": {"fx": 0.6e-6, "fy": 1.55e-6, "mz": {"rate": -7.3e-5, "right": 6.9e-5}, "fz": 1.9e-7},
    "camber": {"fx": 1.2e-7, "fy": -5.3e-6, "mz": -3.1e-6, "fz": 0.8e-7},
    "side_view_angle": {"fx": 6.7e-6, "fy": 2.1e-7, "mz": 1.9e-6, "fz": -1.1e-7},
    "cross": {"x": {"fx": 2.7e-7}, "y": {"fy": 0.9e-7}, "toe": {"fy": 1.3e-7, "mz": 6.1e-6}},
}
FREE = {
    "front": {"mass": 51.0, "damping": 0.0021, "share": 0.9, "right": {"mass": 47.0, "share": 0.8}},
    "rear": {"mass": 43.0, "excitation": "base", "damping_rate": 370.0, "right": {"mass": 58.0, "share": 0.7}},
}


@pytest.fixture(scope="module")
def loose(running: Any) -> Any:
    """The car with compliance and longitudinal freedoms, no two numbers alike."""
    _, description, _ = running
    changes = {f"{a}_suspension.{s}_stop.clearance": 10.0 for a in AXLES for s in ("bump", "rebound")}
    for axle, factor in (("front", 1.1), ("rear", 0.7)):
        changes[f"{axle}_suspension.compliance"] = {**LOOSE, "factor": factor}
        changes[f"{axle}_suspension.x_dof"] = {"kind": "dynamic", **FREE[axle]}
        changes[f"{axle}_suspension.x"] = {"rate": 0.31 if axle == "front" else -0.27}
    vehicle = description.vehicle.with_(**changes)
    return vehicle, car.simulation(car.describe(vehicle, description.tires)), LagrangeCar(vehicle)


@pytest.mark.parametrize("number", range(4))
def test_equations_of_wheels_that_give_way_by_lagrange(loose: Any, number: int) -> None:
    """As above with compliance and with longitudinal freedoms of both excitations: 18 accelerations, 20 rates."""
    vehicle, sim, lagrange = loose
    anywhere(sim, number)
    # forces that the speed of giving way changes act at standstill only; above, loads are those of the channels
    sim.set_inputs({"steering_wheel": 2.0, "steering_wheel.rate": -4.0, "throttle": 0.7, "brake": 0.2})
    assert residual(sim, lagrange, shaft=True) < 1e-9
    for place, (found, gap) in loose_rates(sim, vehicle).items():
        lag = float(gap @ gap / (gap @ found))
        assert 1e-3 < lag < 0.1, place
        assert lag * found == pytest.approx(gap, abs=1e-9 * np.abs(gap).max()), place


def test_a_car_in_the_air_keeps_its_angular_momentum(running: Any) -> None:
    _, description, _ = running
    sim = car.simulation(description, method="AM-4")
    lagrange = LagrangeCar(description.vehicle)
    sim.set_states({"chassis.z": 100.0, "chassis.vx": 20.0, "chassis.wx": 1.0, "chassis.wy": -0.7, "chassis.wz": 2.0})
    sim.set_states({f"{c}.wheel.spin": 60.0 for c in CORNERS})
    momentum = lagrange.angular_momentum()
    before = lagrange.value(momentum, *lagrange.coordinates(sim)).ravel()
    speed = np.array([sim.output(f"System_Mass_Center.Global_V{a}") for a in "xyz"])
    sim.run(2.0)
    assert sim.output("Tire.Ground_Surface_Force_Z.L1") == 0.0
    after = lagrange.value(momentum, *lagrange.coordinates(sim)).ravel()
    assert np.abs(after - before).max() < 1e-7 * np.abs(before).max()
    fallen = np.array([sim.output(f"System_Mass_Center.Global_V{a}") for a in "xyz"]) - speed
    assert fallen == pytest.approx([0.0, 0.0, -2.0 * description.vehicle.system.gravity], abs=1e-7)
