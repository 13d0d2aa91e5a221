"""A car on maps moves as the same car on real joints.

The maps are those of the joints, so that both descriptions are of one machine. What is compared at states with speeds,
under spring, damper, bar, tire, brake and drive forces: accelerations of chassis and wheel centres, of spins and of
travels. The maps are least-squares polynomials of order 15 on Chebyshev points: their derivatives are exact to about
1e-11, so that 1e-8 tests the equations and not the interpolation.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import jounce.vehicle as jv
from car_models import compact, drop_everything, outputs, rates
from four_wheels import CORNERS, PAIRED, WORDS, assemble
from jounce.components.tire import wheel
from jounce.road.ground import Plane
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from jounce.sim.build import build
from jounce.symbolic import ops
from jounce.symbolic.system import System

Array = npt.NDArray[np.float64]

REACH = 0.09  # m, travel that maps cover
ORDER = 15
MIRROR = np.array([1.0, -1.0, 1.0])
BAR_RATIO, BAR_STIFFNESS = 3.1, 1200.0  # rad/m, N.m/rad
SPRING_RATE, DAMPER_RATE = 31e3, 1900.0
BRAKE, THROTTLE = 0.2, 0.3
STATES = 6  # random states compared

# From the wheel centre of the left side, m: two points of the arm's axis, and the ends of spring and damper. The arms
# are far from any symmetry; front wheels hang on them as well.
ARMS = {
    1: ((-0.42, -0.52, 0.05), (-0.31, -0.12, 0.09)),
    2: ((0.35, -0.50, 0.02), (0.46, -0.05, 0.06)),
}
SPRING_ON_ARM, SPRING_ON_CHASSIS = np.array([0.02, -0.12, -0.05]), np.array([0.05, -0.18, 0.42])


def chebyshev(n: int, reach: float = REACH) -> Array:
    return -reach * np.cos(np.pi * (np.arange(n) + 0.5) / n)


def turn(axis: Array, angle: float) -> Array:
    """Rotation about a unit vector, by the exponential series of its skew matrix in closed form."""
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def angles(r: Array) -> tuple[float, float, float]:
    """ψ, φ, θ of r = Rz(ψ) Rx(φ) Ry(θ)."""
    return float(np.arctan2(-r[0, 1], r[1, 1])), float(np.arcsin(r[2, 1])), float(np.arctan2(-r[2, 0], r[2, 2]))


def root(function: Callable[[Array], Array], start: Array) -> Array:
    """Newton's method with differences of step 1e-7; the last steps are quadratic but for the error of the slopes."""
    x = np.array(start, dtype=float)
    for _ in range(30):
        f = function(x)
        slope = np.column_stack([(function(x + 1e-7 * e) - function(x - 1e-7 * e)) / 2e-7 for e in np.eye(len(x))])
        step = np.linalg.solve(slope, f)
        x = x - step
        if np.abs(step).max() < 1e-15:
            break
    return x


# ---- semi-trailing arms ------------------------------------------------------------------------------------------


def arm(axle: int) -> tuple[Array, Array]:
    """A point of the axis from the wheel centre, and its direction, left side."""
    first, second = (np.array(p) for p in ARMS[axle])
    return first, (second - first) / np.linalg.norm(second - first)


def centre_travel(axle: int, angle: float) -> Array:
    """Displacement of the left wheel centre when the arm has turned."""
    pivot, axis = arm(axle)
    return pivot - turn(axis, angle) @ pivot


def angle_at(axle: int, travel: float) -> float:
    return float(root(lambda a: np.array([centre_travel(axle, a[0])[2] - travel]), np.zeros(1))[0])


def spring_shortening(axle: int, angle: float) -> float:
    pivot, axis = arm(axle)
    moved = pivot + turn(axis, angle) @ (SPRING_ON_ARM - pivot)
    at_design = np.linalg.norm(SPRING_ON_ARM - SPRING_ON_CHASSIS)
    return float(at_design - np.linalg.norm(moved - SPRING_ON_CHASSIS))


def common(vehicle: jv.Vehicle) -> jv.Vehicle:
    """What both descriptions have: exact maps, one spring, damper and bar per axle, no wind, all wheels driven."""
    vehicle = drop_everything(vehicle, "bump_stop", "rebound_stop", "auxiliary_anti_roll", "anti_roll_bar")
    return vehicle.with_(**{
        "system.kinematic_maps.polynomial": True,
        "system.kinematic_maps.polynomial_order": ORDER,
        "system.splines.method": "cubic",
        "steering.steer": 0.0,
        "aero": None,
        "drive": "all",
        "front_suspension.anti_roll_bar": {"ratio": BAR_RATIO, "stiffness": BAR_STIFFNESS},
    })  # fmt: skip


def arms_on_maps() -> jv.Vehicle:
    vehicle, knots = common(compact()), chebyshev(24)
    dense = np.linspace(-REACH, REACH, 801)  # springs have cubic splines only: error of the slope about 1e-11
    for axle, name in ((1, "front_suspension"), (2, "rear_suspension")):
        maps: dict[str, list[float]] = {n: [] for n in ("x", "y", "toe", "camber", "side_view_angle")}
        for travel in knots:
            angle = angle_at(axle, travel)
            moved, (psi, phi, theta) = centre_travel(axle, angle), angles(turn(arm(axle)[1], angle))
            for key, value in zip(maps, (moved[0], moved[1], -psi, -phi, -theta), strict=True):
                maps[key].append(float(value))
        ratio = {"x": dense.tolist(), "y": [spring_shortening(axle, angle_at(axle, j)) for j in dense]}
        changes: dict[str, Any] = {f"{name}.{key}": {"x": knots.tolist(), "y": y} for key, y in maps.items()}
        changes[f"{name}.spring"] = {"rate": SPRING_RATE, "preload": 3000.0, "ratio": ratio}
        changes[f"{name}.dampers"] = [{"name": "main", "rate": DAMPER_RATE, "ratio": ratio}]
        vehicle = vehicle.with_(**changes)
    return vehicle


class JointCar:
    """Chassis, tires, brakes and drive written down again, without the assembly of the package."""

    def __init__(self, vehicle: jv.Vehicle, name: str) -> None:
        self.vehicle, self.system = vehicle, System(name)
        mass, self.centre, inertia = vehicle.body.sprung()[0]
        entries = [inertia[i, i] for i in range(3)] + [inertia[0, 1], inertia[0, 2], inertia[1, 2]]
        joint = self.system.free("chassis", initial=tuple(self.centre))
        self.chassis = joint.frame
        self.system.body("chassis_mass", self.chassis, mass, entries)
        tires = car.tires_of(vehicle)
        self.block = wheel.declare(self.system, tires["L1"], "tire1")
        assert len({id(t) for t in tires.values()}) == 1
        self.ground = Plane()

    def wheel(self, place: str, body: Any) -> Any:
        """A wheel on a body whose origin is its centre: tire, brake."""
        axle, side = CORNERS[place]
        scope = self.system.scope(place)
        rotor = scope.gyrostat("wheel", body, "y", self.vehicle.wheels(axle, side).spin_inertia)
        wheel.mount(scope, self.block, rotor, self.ground, "left" if side == "L" else "right")
        brakes, disc = self.vehicle.brakes, self.vehicle.brake(axle, side)
        share = brakes.bias_front if axle == 1 else 1 - brakes.bias_front
        pressure = share * brakes.master_cylinder_pressure_gain * BRAKE
        rotor.torque(-2 * disc.piston_area * disc.mu * disc.effective_radius * pressure)  # wheels roll forward
        for axis, a in zip("xyz", self.system.frame_acceleration(body.frame), strict=True):
            scope.output(f"acc{axis}", a, "m/s2")
        return rotor

    def drive_torque(self, place: str) -> float:
        return self.vehicle.drive.shares[place] * self.vehicle.drive.max_torque * THROTTLE


def arms_on_joints(vehicle: jv.Vehicle) -> Simulation:
    """Every wheel on a revolute joint; springs between points; shaft drive as T (Ω + θ̇ n·s), virtual work alone."""
    made = JointCar(vehicle, "arms_on_joints")
    system, travel = made.system, {}
    for place, (axle, side) in CORNERS.items():
        mirror = np.ones(3) if side == "L" else MIRROR
        first, direction = arm(axle)
        # in a mirror a direction of turning changes its sign once more
        axis = direction if side == "L" else -direction * MIRROR
        at_design = vehicle.wheel_centre(axle, side) - made.centre
        joint = system.revolute(f"{place}.arm", made.chassis, axis=axis, offset=at_design + first * mirror)
        carrier = joint.frame.fixed(f"{place}.carrier", offset=-first * mirror)
        data = vehicle.wheels(axle, side)
        body = system.body(f"{place}.carrier", carrier, data.unsprung_mass, (data.ixx, data.iyy, data.izz))
        rotor = made.wheel(place, body)
        spring = system.two_point(
            made.chassis, carrier, at_a=at_design + SPRING_ON_CHASSIS * mirror, at_b=SPRING_ON_ARM * mirror
        )
        free = float(np.linalg.norm(SPRING_ON_ARM - SPRING_ON_CHASSIS)) + 3000.0 / SPRING_RATE
        spring.act(-SPRING_RATE * (free - spring.length) + DAMPER_RATE * spring.rate)
        torque = made.drive_torque(place)
        system.generalized_force(rotor.spin, torque)
        spin_axis = carrier.express([0, 1, 0], made.chassis)
        system.generalized_force(joint.u[0], torque * sum(float(n) * s for n, s in zip(axis, spin_axis, strict=True)))
        # height of the wheel centre in the chassis: the travel, and its slope over the angle for the bar
        q = joint.q[0]
        r, along = -first * mirror, float(-first * mirror @ axis)
        across = np.cross(axis, r)
        height = r[2] * ops.cos(q) + across[2] * ops.sin(q) + (1 - ops.cos(q)) * along * axis[2] - r[2]
        slope = -r[2] * ops.sin(q) + across[2] * ops.cos(q) + ops.sin(q) * along * axis[2]
        travel[place] = (height, slope, joint.u[0])
    twist = BAR_RATIO * (travel["L1"][0] - travel["R1"][0])
    for place, sign in (("L1", -1.0), ("R1", 1.0)):
        _, slope, rate = travel[place]
        system.generalized_force(rate, sign * BAR_STIFFNESS * twist * BAR_RATIO * slope)
    return Simulation(build(system))


def travel_slopes(axle: int, angle: float) -> tuple[float, float]:
    """dJ/dθ and d²J/dθ² by the turning radius: z-components of n × r and n × (n × r)."""
    pivot, axis = arm(axle)
    r = -(turn(axis, angle) @ pivot)
    first = np.cross(axis, r)
    return float(first[2]), float(np.cross(axis, first)[2])


def random_chassis(random: np.random.Generator, vehicle: jv.Vehicle) -> dict[str, float]:
    """A pose near the road, turned anywhere, and speeds beyond those of hard driving."""
    yaw, pitch, roll = random.uniform(-3, 3), random.uniform(-0.04, 0.04), random.uniform(-0.06, 0.06)
    q = np.array([1.0, 0.0, 0.0, 0.0])
    for axis, angle in ((3, yaw), (2, pitch), (1, roll)):
        step = np.array([np.cos(angle / 2), 0.0, 0.0, 0.0])
        step[axis] = np.sin(angle / 2)
        q = np.array([
            q[0] * step[0] - q[1:] @ step[1:], *(q[0] * step[1:] + step[0] * q[1:] + np.cross(q[1:], step[1:]))
        ])  # fmt: skip
    height = vehicle.body.sprung()[0][1][2] + random.uniform(-0.02, 0.01)
    state = {"chassis.x": random.uniform(-50, 50), "chassis.y": random.uniform(-50, 50), "chassis.z": height}
    state |= {f"chassis.e{i}": q[i] for i in range(4)}
    state |= {"chassis.vx": random.uniform(15, 40)}
    state |= {f"chassis.v{a}": random.uniform(-1.5, 1.5) for a in "yz"}
    return state | {f"chassis.w{a}": random.uniform(-1.0, 1.0) for a in "xyz"}


def random_wheels(random: np.random.Generator, speed: float) -> dict[str, float]:
    state = {f"{c}.wheel.spin": speed / 0.3 * random.uniform(0.9, 1.1) for c in CORNERS}
    return state | {f"{c}.tire.{d}": random.uniform(-0.01, 0.01) for c in CORNERS for d in "uv"}


def compare(on_maps: Simulation, on_joints: Simulation) -> None:
    """Accelerations of chassis, wheel centres and spins: relative to the largest of their kind, 1e-8."""
    found, expected = rates(on_maps), rates(on_joints)
    for group in (
        [f"chassis.v{a}" for a in "xyz"],
        [f"chassis.w{a}" for a in "xyz"],
        [f"{c}.wheel.spin" for c in CORNERS],
        [f"{c}.tire.{d}" for c in CORNERS for d in "uv"],
    ):
        size = max(abs(expected[name]) for name in group)
        for name in group:
            assert abs(found[name] - expected[name]) < 1e-8 * size, name
    here, there = outputs(on_maps), outputs(on_joints)
    for place in CORNERS:
        a = np.array([here[f"Wheel.hub_center_acc{axis}.{WORDS[place]}"] for axis in "xyz"])
        b = np.array([there[f"{place}.acc{axis}"] for axis in "xyz"])
        assert np.abs(a - b).max() < 1e-8 * np.abs(b).max(), place


@pytest.fixture(scope="module")
def trailing_arms() -> tuple[jv.Vehicle, Simulation, Simulation]:
    vehicle = arms_on_maps()
    on_maps = Simulation(build(assemble(vehicle, car.tires_of(vehicle), name="arms_on_maps")))
    on_maps.set_inputs({"brake": BRAKE, "throttle": THROTTLE})
    return vehicle, on_maps, arms_on_joints(vehicle)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(STATES))
def test_semi_trailing_arms(trailing_arms: tuple[jv.Vehicle, Simulation, Simulation], seed: int) -> None:
    vehicle, on_maps, on_joints = trailing_arms
    random = np.random.default_rng(seed)
    state = random_chassis(random, vehicle)
    state |= random_wheels(random, state["chassis.vx"])
    on_maps.set_states(state)
    on_joints.set_states(state)
    known = {}
    for place, (axle, _) in CORNERS.items():
        travel, speed = random.uniform(-0.06, 0.06), random.uniform(-1.0, 1.0)
        angle = angle_at(axle, travel)
        slope, curvature = travel_slopes(axle, angle)
        on_maps.set_states({f"{place}.jounce": travel, f"{place}.jounce.rate": speed})
        on_joints.set_states({f"{place}.arm.angle": angle, f"{place}.arm.rate": speed / slope})
        known[place] = (slope, curvature * (speed / slope) ** 2)
    assert sum(outputs(on_maps)[f"Tire.Ground_Surface_Force_Z.{c}"] > 500 for c in CORNERS) >= 2, "tires act"
    compare(on_maps, on_joints)
    found, expected = rates(on_maps), rates(on_joints)
    size = max(abs(found[f"{c}.jounce.rate"]) for c in CORNERS)
    for place, (slope, turning) in known.items():
        acceleration = slope * expected[f"{place}.arm.rate"] + turning
        assert abs(found[f"{place}.jounce.rate"] - acceleration) < 1e-8 * size, place


# ---- solid axle --------------------------------------------------------------------------------------------------

# A torque-tube axle: it turns about a ball joint of the chassis, first about y (angle β), then about its own x (ρ). The
# joint, from the middle of the axle at design:
BALL = np.array([1.15, 0.0, 0.06])


def axle_rotation(beta: float, rho: float) -> Array:
    return turn(np.array([0.0, 1.0, 0.0]), beta) @ turn(np.array([1.0, 0.0, 0.0]), rho)


def axle_travel(half: float, beta: float, rho: float) -> tuple[Array, Array]:
    """Displacements of the left and of the right wheel centre."""
    r = axle_rotation(beta, rho)
    left, right = np.array([0.0, half, 0.0]) - BALL, np.array([0.0, -half, 0.0]) - BALL
    return r @ left - left, r @ right - right


def axle_angles(half: float, own: float, other: float) -> Array:
    """β, ρ from the travels of left and right wheel."""

    def miss(a: Array) -> Array:
        left, right = axle_travel(half, a[0], a[1])
        return np.array([left[2] - own, right[2] - other])

    return root(miss, np.zeros(2))


def axle_on_maps() -> jv.Vehicle:
    """Dependent maps of the rear axle; the front stays as in the file, with straight maps."""
    vehicle = common(compact(**{"front_suspension.toe": "-2 deg/m"}))
    half, knots = vehicle.rear_suspension.track / 2, chebyshev(18)
    maps = {n: np.zeros((len(knots), len(knots))) for n in ("x", "y", "toe", "camber", "side_view_angle")}
    for (i, own), (j, other) in itertools.product(enumerate(knots), enumerate(knots)):
        beta, rho = axle_angles(half, own, other)
        moved, (psi, phi, theta) = axle_travel(half, beta, rho)[0], angles(axle_rotation(beta, rho))
        for key, value in zip(maps, (moved[0], moved[1], -psi, -phi, -theta), strict=True):
            maps[key][i, j] = value
    grid = {"x": knots.tolist(), "z": knots.tolist()}
    return vehicle.with_(**{
        **{f"rear_suspension.{key}": {**grid, "y": y.tolist()} for key, y in maps.items()},
        "rear_suspension.spring": {"rate": SPRING_RATE, "preload": 2800.0, "ratio": 0.9},
        "rear_suspension.dampers": [{"name": "main", "rate": DAMPER_RATE, "ratio": 0.9}],
        "rear_suspension.auxiliary_anti_roll": {"rate": 5000.0, "damping": 0.03},
    })  # fmt: skip


def axle_on_a_joint(vehicle: jv.Vehicle) -> Simulation:
    """The rear axle as one rigid body.

    Lumped masses m at ±t/2 whose carriers turn with the axle are this rigid body: mass 2m, and about the middle
    Ixx = 2 ixx + m t²/2, Iyy = 2 iyy, Izz = 2 izz + m t²/2; an axle of given mass and roll inertia is brought into the
    maps' form by solving these for m and ixx. The front axle is guided by straight maps, as in the other car.
    """
    made = JointCar(vehicle, "axle_on_a_joint")
    system, front = made.system, vehicle.front_suspension
    half = vehicle.rear_suspension.track / 2
    middle = vehicle.wheel_centre(2, "L") * np.array([1.0, 0.0, 1.0]) - made.centre
    joint = system.universal("axle", made.chassis, axes=("y", "x"), offset=middle + BALL)
    axle = joint.frame.fixed("axle.middle", offset=-BALL)
    data = vehicle.wheels(2)
    spread = data.unsprung_mass * (2 * half) ** 2 / 2
    inertia = (2 * data.ixx + spread, 2 * data.iyy, 2 * data.izz + spread)
    system.body("axle", axle, 2 * data.unsprung_mass, inertia)
    travel: dict[str, tuple[Any, Any]] = {}
    shafts: dict[str, Any] = {}
    for place, (number, side) in CORNERS.items():
        scope, sign = system.scope(place), 1.0 if side == "L" else -1.0
        if number == 1:
            q, u = scope.coordinate("jounce", on=made.chassis)
            at_design = vehicle.wheel_centre(1, side) - made.centre
            toe, camber = front.toe.curve.constant * q, front.camber.offset + front.camber.curve.constant * q
            carrier = made.chassis.guided(
                f"{place}.carrier",
                [at_design[0] + front.x.curve.constant * q, at_design[1] + sign * front.y.curve.constant * q,
                 at_design[2] + q],
                (("z", -sign * toe), ("x", -sign * camber), ("y", -front.side_view_angle.curve.constant * q)),
            )  # fmt: skip
            own = vehicle.wheels(1)
            body = scope.body("carrier", carrier, own.unsprung_mass, (own.ixx, own.iyy, own.izz))
            travel[place] = (q, u)
            stiffness, preload, ratio = front.spring.rate, front.spring.preload, front.spring.ratio.constant
            damping = front.dampers[0].rate * front.dampers[0].ratio.constant ** 2
            force = -(preload + stiffness * ratio * q) * ratio - damping * u
            system.generalized_force(u, force)
        else:
            carrier = axle.fixed(f"{place}.carrier", offset=(0.0, sign * half, 0.0))
            body = scope.body("carrier", carrier, 0.0, (0.0, 0.0, 0.0))  # it only carries the wheel
            # height of the wheel centre in the chassis, from the ball joint, and its rate
            r = [-BALL[0], sign * half - BALL[1], -BALL[2]]
            (b, p), (b_rate, p_rate) = joint.q, joint.u
            inner = r[1] * ops.sin(p) + r[2] * ops.cos(p)
            height = ops.cos(b) * inner - ops.sin(b) * r[0] - r[2]
            by_b = -ops.sin(b) * inner - ops.cos(b) * r[0]
            by_p = ops.cos(b) * (r[1] * ops.cos(p) - r[2] * ops.sin(p))
            rate = by_b * b_rate + by_p * p_rate
            travel[place] = (height, rate)
            shafts[place] = (by_b, by_p)
        rotor = made.wheel(place, body)
        torque = made.drive_torque(place)
        rotor.external_torque([0.0, torque, 0.0])
        system.torque(made.chassis, [-torque * s for s in carrier.express([0, 1, 0], made.chassis)])
    spring, damper = vehicle.rear_suspension.spring, vehicle.rear_suspension.dampers[0]
    auxiliary = vehicle.rear_suspension.auxiliary_anti_roll
    assert spring is not None and auxiliary is not None
    for place in ("L2", "R2"):
        height, rate = travel[place]
        other_height, other_rate = travel[PAIRED[place]]
        push = 0.9 * (spring.preload + spring.rate * 0.9 * height) + 0.81 * damper.rate * rate
        push = push + auxiliary.rate * (height - other_height + auxiliary.damping * (rate - other_rate))
        for slope, speed in zip(shafts[place], joint.u, strict=True):
            system.generalized_force(speed, -push * slope)
    twist = BAR_RATIO * (travel["L1"][0] - travel["R1"][0])
    for place, sign in (("L1", -1.0), ("R1", 1.0)):
        system.generalized_force(travel[place][1], sign * BAR_STIFFNESS * twist * BAR_RATIO)
    return Simulation(build(system))


@pytest.fixture(scope="module")
def solid_axle() -> tuple[jv.Vehicle, Simulation, Simulation]:
    vehicle = axle_on_maps().with_(**{
        "front_suspension.dampers": [{"name": "main", "rate": DAMPER_RATE, "ratio": 0.95}]
    })  # fmt: skip
    assert vehicle.rear_suspension.dependent
    on_maps = Simulation(build(assemble(vehicle, car.tires_of(vehicle), name="axle_on_maps")))
    on_maps.set_inputs({"brake": BRAKE, "throttle": THROTTLE})
    return vehicle, on_maps, axle_on_a_joint(vehicle)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(STATES))
def test_solid_axle(solid_axle: tuple[jv.Vehicle, Simulation, Simulation], seed: int) -> None:
    vehicle, on_maps, on_joints = solid_axle
    random = np.random.default_rng(100 + seed)
    state = random_chassis(random, vehicle)
    state |= random_wheels(random, state["chassis.vx"])
    state |= {f"{c}.jounce": random.uniform(-0.06, 0.06) for c in ("L1", "R1")}
    state |= {f"{c}.jounce.rate": random.uniform(-1.0, 1.0) for c in ("L1", "R1")}
    on_maps.set_states(state)
    on_joints.set_states(state)
    half = vehicle.rear_suspension.track / 2
    angle, turning = random.uniform(-0.04, 0.04, 2), random.uniform(-0.8, 0.8, 2)
    travel, speed = [d[2] for d in axle_travel(half, *angle)], axle_speed(half, angle, turning)
    for place, j, v in zip(("L2", "R2"), travel, speed, strict=True):
        on_maps.set_states({f"{place}.jounce": j, f"{place}.jounce.rate": v})
    on_joints.set_states(dict(zip(("axle.angle1", "axle.angle2"), angle, strict=True)))
    on_joints.set_states(dict(zip(("axle.rate1", "axle.rate2"), turning, strict=True)))
    compare(on_maps, on_joints)


def axle_speed(half: float, angle: Array, turning: Array) -> Array:
    """Rates of travel, from the angular velocity of the axle: vertical part of ω × r."""
    r = axle_rotation(*angle)
    omega = turning[0] * np.array([0.0, 1.0, 0.0]) + turning[1] * r[:, 0]
    arms = [r @ (np.array([0.0, side * half, 0.0]) - BALL) for side in (1.0, -1.0)]
    return np.array([np.cross(omega, a)[2] for a in arms])
