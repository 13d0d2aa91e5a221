"""The sprung mass: loads by the lever, free rotation, channels by a sensor at one point and by prescribed motion."""

from __future__ import annotations

import numpy as np
import pytest

import jounce.vehicle as jv
from body_rig import description, library, moving, put, turn
from body_rig import vehicle as rig_car
from four_wheels import CORNERS
from jounce.components.basics import Inertia
from jounce.core.constants import GRAVITY
from jounce.results.catalogue import catalogue
from jounce.runtime.simulation import Simulation
from jounce.sim.statics import settle
from jounce.symbolic.system import System
from models import compiled, rotation_matrix, set_initial
from sensor_rig import REFERENCE, Rigid, flying, rotation, told

WHEELS = ("L1", "R1", "L2", "R2")


# ---- mass ------------------------------------------------------------------------------------------------------------


def test_axle_loads_at_rest_are_those_of_the_lever() -> None:
    """m g b/L and m g a/L of the whole car; wheel centres move along with travel, far below 0.1 %."""
    sim = Simulation(library())
    settle(sim, description())
    loads = [sim.output(f"Tire.Ground_Surface_Force_Z.{c}") for c in WHEELS]
    mass, base = rig_car().mass(), rig_car().wheelbase
    parts = [(m, r[0]) for m, r, _ in rig_car().main_body.sprung()]
    parts += [
        (rig_car().wheels(axle).unsprung_mass, rig_car().suspension(axle).wheel_centre_x) for axle in (1, 1, 2, 2)
    ]
    a = -sum(m * x for m, x in parts) / mass  # behind the front axle
    assert loads[0] + loads[1] == pytest.approx(mass * GRAVITY * (base - a) / base, rel=1e-3)
    assert loads[2] + loads[3] == pytest.approx(mass * GRAVITY * a / base, rel=1e-3)
    assert sum(loads) == pytest.approx(mass * GRAVITY, rel=1e-6)


def test_products_of_inertia_have_their_sign() -> None:
    """Two point masses on a diagonal of the xz plane: ∫ x z dm > 0 is an entry below zero of the matrix."""
    x, z, m = 0.9, 0.35, 40.0
    dumbbell = Inertia(
        ixx=100 + 2 * m * z * z, iyy=100 + 2 * m * (x * x + z * z), izz=100 + 2 * m * x * x, ixz=2 * m * x * z
    )
    expected = 100 * np.eye(3)
    for r in (np.array([x, 0, z]), np.array([-x, 0, -z])):
        expected += m * (r @ r * np.eye(3) - np.outer(r, r))
    assert dumbbell.matrix == pytest.approx(expected)
    entries = dumbbell.with_raw(ixz=-dumbbell.ixz, products_are_tensor_entries=True)
    assert entries.matrix == pytest.approx(expected)


def test_a_body_with_all_products_turns_freely_with_its_angular_momentum() -> None:
    """The body of the example car alone, tumbling: momentum in the world stays, to 1e-9 over two turns."""
    body = jv.load("sedan").main_body
    mass, _, inertia = body.sprung()[0]
    inertia = inertia + np.array([[0.0, 31.0, -47.0], [31.0, 0.0, 23.0], [-47.0, 23.0, 0.0]])
    system = System("tumbling", gravity=(0.0, 0.0, 0.0))
    frame = system.free("body").frame
    system.body("mass", frame, mass, inertia.tolist())
    set_initial(system, body__wx=2.1, body__wy=-1.3, body__wz=3.7)
    sim = compiled(system, method="AM-4", step=5e-4)

    def momentum() -> np.ndarray:
        q = np.array([sim.state(f"body.e{i}") for i in range(4)])
        w = np.array([sim.state(f"body.w{a}") for a in "xyz"])
        return np.asarray(rotation_matrix(q / np.linalg.norm(q)) @ inertia @ w)

    before, spin = momentum(), sim.state("body.wx")
    sim.advance(6000)
    assert momentum() == pytest.approx(before, rel=1e-8)
    assert abs(sim.state("body.wx") - spin) > 0.1


# ---- channels of the chassis -----------------------------------------------------------------------------------------

NAMES = ("longitudinal", "lateral", "vertical")
TURNS = ("roll", "pitch", "yaw")
# of the reference tool: sign, factor to its unit
PRINTED = {
    **{f"chassis_displacements.{n}": (s, 1.0) for n, s in zip(NAMES, (1, -1, 1), strict=True)},
    **{f"chassis_displacements.{n}": (s, 1.0) for n, s in zip(TURNS, (-1, 1, 1), strict=True)},
    **{f"chassis_velocities.{n}": (s, 3.6) for n, s in zip(NAMES, (1, -1, 1), strict=True)},
    **{f"chassis_velocities.{n}": (s, 1.0) for n, s in zip(TURNS, (-1, -1, 1), strict=True)},
    **{f"chassis_accelerations.{n}": (s, 1 / GRAVITY) for n, s in zip(NAMES, (1, -1, 1), strict=True)},
    **{f"chassis_accelerations.{n}": (s, 1.0) for n, s in zip(TURNS, (-1, -1, 1), strict=True)},
}


def test_channels_of_the_chassis_are_those_of_a_sensor_at_its_reference_point() -> None:
    """Not the centre of gravity; with the printed signs and units of the reference tool."""
    sim = flying()
    sensor = "Motion_Sensor.reference"
    found = {
        "chassis_displacements": told(sim, sensor, "X Y Z"),
        "chassis_velocities": told(sim, sensor, "Vx Vy Vz"),
        "chassis_accelerations": told(sim, sensor, "Ax Ay Az"),
    }
    rigid = Rigid(sim)
    assert found["chassis_displacements"] == pytest.approx(rigid.point(REFERENCE), abs=1e-12)
    for group, values in found.items():
        assert told(sim, group, " ".join(NAMES)) == pytest.approx(values, abs=1e-11), group
        for name, value in zip(NAMES, values, strict=True):
            sign, factor = PRINTED[f"{group}.{name}"]
            entry = catalogue().find(f"{group}.{name}", "output")
            assert entry.to_reference(1.0) == pytest.approx(sign * factor, rel=1e-12)
            assert entry.to_reference(sim.output(f"{group}.{name}")) == pytest.approx(sign * factor * value, rel=1e-10)
    assert told(sim, "chassis_velocities", " ".join(TURNS)) == pytest.approx(
        told(sim, sensor, "AVx AVy AVz"), abs=1e-12
    )
    assert told(sim, "chassis_accelerations", " ".join(TURNS)) == pytest.approx(rigid.alpha, abs=1e-9)


@pytest.mark.parametrize("axis", range(3))
def test_a_motion_along_or_about_one_axis_has_the_printed_sign(axis: int) -> None:
    """Forward, to the left, upwards; about x the right side goes down, about y the nose, about z to the left."""
    unit = np.eye(3)[axis]
    sim = put(Simulation(library()), q=(1, 0, 0, 0), v=2.0 * unit, w=(0, 0, 0))
    name, turning = NAMES[axis], TURNS[axis]
    for other in NAMES:
        expected = 2.0 if other == name else 0.0
        assert sim.output(f"chassis_velocities.{other}") == pytest.approx(expected, abs=1e-12)
    sign, factor = PRINTED[f"chassis_velocities.{name}"]
    entry = catalogue().find(f"chassis_velocities.{name}", "output")
    assert entry.to_reference(sim.output(f"chassis_velocities.{name}")) == pytest.approx(sign * factor * 2.0)
    put(sim, v=(0, 0, 0), w=0.7 * unit)
    entry = catalogue().find(f"chassis_velocities.{turning}", "output")
    assert entry.to_reference(sim.output(f"chassis_velocities.{turning}")) == pytest.approx(
        0.7 * PRINTED[f"chassis_velocities.{turning}"][0]
    )
    half = 0.3 / 2
    put(sim, w=(0, 0, 0), q=(np.cos(half), *(np.sin(half) * unit)))
    entry = catalogue().find(f"chassis_displacements.{turning}", "output")
    assert entry.to_reference(sim.output(f"chassis_displacements.{turning}")) == pytest.approx(
        0.3 * PRINTED[f"chassis_displacements.{turning}"][0], abs=1e-12
    )
    up, left, ahead = (turn(sim) @ e for e in np.eye(3)[::-1])
    if axis == 0:
        assert left[2] > 0 and sim.output("chassis_displacements.roll") > 0  # left side up: the right one goes down
    if axis == 1:
        assert ahead[2] < 0 and sim.output("chassis_displacements.pitch") > 0
    if axis == 2:
        assert ahead[1] > 0 and up[2] == pytest.approx(1.0)


def test_the_same_vector_in_all_frames() -> None:
    """Body, world, levelled and road axes of one motion are rotations of each other."""
    sim = flying()
    rigid = Rigid(sim)
    r = rotation(rigid.q)
    yaw = sim.output("Vehicle.Yaw")
    level = np.array([[np.cos(yaw), np.sin(yaw), 0], [-np.sin(yaw), np.cos(yaw), 0], [0, 0, 1]])

    def three(pattern: str, axes: str = "xyz") -> np.ndarray:
        return np.array([sim.output(pattern.format(a)) for a in axes])

    v, a = three("Vehicle.CM_Body_Fixed_V{}"), three("Vehicle.CM_Body_Fixed_A{}")
    assert v == pytest.approx(rigid.v, abs=1e-12)
    for letter, body in (("V", v), ("A", a)):
        world = np.append(
            three(f"Vehicle.CM_Global_{letter}{{}}", "xy"), sim.output(f"Vehicle.CM_Global_And_Tracking_{letter}z")
        )
        assert world == pytest.approx(r @ body, abs=1e-11)
        assert three(f"Vehicle.CM_Tracking_{letter}{{}}", "xy") == pytest.approx((level @ world)[:2], abs=1e-11)
    for word in ("Omega", "Alpha"):
        assert three(f"Vehicle.Global_{word}_{{}}", "XYZ") == pytest.approx(
            r @ three(f"Vehicle.Body_Fixed_{word}_{{}}", "XYZ")
        )
    position = three("Vehicle.CM_Global_{}", "XYZ")
    assert three("Vehicle.Origin_Global_{}", "XYZ") == pytest.approx(position - r @ rigid.centre, abs=1e-12)
    # the sensor point: felt with gravity in body axes; levelled without; the gyro's are the same
    box = "Motion_Sensor.gyro"
    assert three("Sensor.A{}") == pytest.approx(told(sim, box, "AxG AyG AzG"), abs=1e-11)
    assert three("Sensor.V{}") == pytest.approx(told(sim, box, "Vx Vy Vz"), abs=1e-12)
    assert three("Sensor.Global_{}", "XYZ") == pytest.approx(told(sim, box, "X Y Z"), abs=1e-12)
    world_a, world_v = told(sim, box, "AxN AyN AzN"), told(sim, box, "VxN VyN VzN")
    assert three("Sensor.A{}_Without_Gravity") == pytest.approx(level @ world_a, abs=1e-11)
    assert three("Gyro.gyro_ACC{}", "XY") == pytest.approx((level @ world_a)[:2], abs=1e-11)
    assert three("Sensor.Acc{}_gyro", "XY") == pytest.approx((level @ world_a)[:2], abs=1e-11)
    assert sim.output("Gyro.gyro_VX") == sim.output("Sensor.Vx_gyro") == pytest.approx((level @ world_v)[0], abs=1e-12)
    assert three("Gyro.gyro_{}", "XY") == pytest.approx(told(sim, box, "X Y"), abs=1e-12)
    assert sim.output("Sensor.YawRate_gyro") == pytest.approx(sim.output("Vehicle.Global_Omega_Z"))
    # on a level road its axes are the levelled ones
    states = [f"Vehicle_States.{n}_vel_wrt_road" for n in NAMES]
    assert [sim.output(n) for n in states] == pytest.approx(level @ world_v, abs=1e-11)
    states = [f"Vehicle_States.{n}_acc_wrt_road" for n in NAMES]
    assert [sim.output(n) for n in states] == pytest.approx(level @ world_a, abs=1e-10)
    slip = np.arctan2(*(level @ world_v)[1::-1])
    assert sim.output("Vehicle_States.side_slip") == pytest.approx(slip, abs=1e-12)
    flat = np.hypot(*(level @ world_v)[:2])
    assert sim.output("Vehicle_States.horizontal_vel_wrt_road") == pytest.approx(flat, abs=1e-12)


def test_heights_and_flags_of_a_known_pose() -> None:
    """A car lifted and leaning: ride heights by the rotation written here; wheels that touch have their flag."""
    sim = moving(**{"chassis.z": 0.9})
    r, centre = turn(sim), rig_car().main_body.centre()
    for name, (axle, side) in CORNERS.items():  # no sensor is given: above the wheel centres at design
        suspension, half = rig_car().suspension(axle), rig_car().suspension(axle).track / 2
        point = np.array([suspension.wheel_centre_x, half if side == "L" else -half, 0.0])
        point[2] = rig_car().wheels(axle).wheel_centre_height
        height = 0.9 + (r @ (point - centre))[2]
        assert sim.output(f"Suspension.Ride_Height.{name}") == pytest.approx(height, abs=1e-12)
    assert sim.output("rhl_front_setup_sensor_data.ride_height") == sim.output("Suspension.Ride_Height.L1")
    assert sim.output("rhs_front_setup_sensor_data.ride_height") == sim.output("Suspension.Ride_Height.R1")
    both = [sim.output(f"Suspension.Ride_Height.{c}") for c in ("L2", "R2")]
    assert sim.output("rhs_rear_setup_sensor_data.ride_height") == pytest.approx(sum(both) / 2, abs=1e-12)
    flags = set()
    for z in (0.45, 0.6, 0.75, 2.0):
        sim.set_states({"chassis.z": z})
        for c in WHEELS:
            touches = sim.output(f"Tire.Effective_Penetration.{c}") > 0
            assert sim.output(f"Road.Contact_Flag.{c}") == float(touches)
            assert (sim.output(f"Tire.Ground_Surface_Force_Z.{c}") > 0) == touches
            flags.add(touches)
    assert flags == {True, False}
