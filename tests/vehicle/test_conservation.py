"""Laws that hold whatever the data: carriers stay on their maps, jacking forces are virtual work, momentum, energy."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import jounce.vehicle as jv
from car_models import bodies, compact, drop_everything, outputs, rates
from four_wheels import CORNERS, PAIRED, assemble
from jounce.components.tire.pac2002 import Pac2002
from jounce.core.constants import GRAVITY
from jounce.runtime.program import Open, Phase, Program, Sine
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from jounce.sim.build import build
from jounce.symbolic.frames import add, cross, scale, times
from jounce.symbolic.system import System
from models import derivative

Array = npt.NDArray[np.float64]

MAPS = ("x", "y", "toe", "camber", "side_view_angle")
J = np.linspace(-0.1, 0.1, 11)
U = np.linspace(-8.0, 8.0, 9)  # hand wheel, rad


def guided() -> jv.Vehicle:
    """The example car with maps of every kind: front over hand wheel and travel, rear over both travels."""
    u, j = np.meshgrid(U, J, indexing="ij")
    own, other = np.meshgrid(J, J, indexing="ij")
    front = {
        "steer": 0.064 * u + 0.002 * u**2 - 0.15 * j + 0.3 * u * j,
        "camber": -0.01 - 0.3 * j + 0.004 * u - 0.5 * j**2 + 0.02 * u * j,
        "side_view_angle": 0.2 * j + 0.003 * u + 0.05 * u * j,
        "x": 0.04 * j - 0.0004 * u**2 + 0.3 * j**2 + 0.01 * u * j,
        "y": 0.1 * j + 0.001 * u - 0.8 * j**2 - 0.005 * u * j,
    }
    rear = {
        "x": -0.06 * own + 0.02 * other + 0.2 * own * other,
        "y": 0.05 * own - 0.03 * other - 0.4 * own**2,
        "toe": 0.05 * own - 0.02 * other + 0.3 * own * other,
        "camber": -0.2 * own + 0.4 * other - 0.5 * own**2,
        "side_view_angle": -0.3 * own + 0.1 * other + 0.4 * other**2,
    }
    changes: dict[str, Any] = {
        "system.splines.method": "cubic",
        "system.steering_acceleration": True,
        "aero": None,
        "steering.method": "steer_map",
        "steering.steering_dependent_wheel_location": True,
    }
    changes |= {f"steering.{k}": {"x": U.tolist(), "z": J.tolist(), "y": y.tolist()} for k, y in front.items()}
    tables: dict[str, dict[str, Any]] = {
        k: {"x": J.tolist(), "z": J.tolist(), "y": y.tolist()} for k, y in rear.items()
    }
    tables["toe"] |= {"offset": 0.002, "scale": 0.8}
    tables["camber"] |= {"offset": -0.02, "scale": 1.2}
    changes |= {f"rear_suspension.{k}": v for k, v in tables.items()}
    return compact(**changes)


def with_laws(system: System) -> System:
    """Outputs of energy, momentum and poses, from the bodies of the system."""
    found = bodies(system)
    linear, angular = [0.0] * 3, [0.0] * 3
    for body in found.values():
        frame = body.frame
        p = [body.mass * x for x in frame.to_world(frame.v)]
        spin = times(body.inertia, frame.w)
        for rotor in body.rotors:
            spin = add(spin, scale(rotor.axis, rotor.inertia * rotor.spin))
        linear = add(linear, p)
        angular = add(angular, add(cross(frame.position, p), frame.to_world(spin)))
    for i, axis in enumerate("xyz"):
        system.output(f"law.p{axis}", linear[i], "kg.m/s")
        system.output(f"law.h{axis}", angular[i], "kg.m2/s")
    system.output("law.kinetic", system.kinetic_energy(), "J")
    system.output("law.potential", system.potential_energy(), "J")
    for place in CORNERS:
        frame = found[f"{place}.carrier"].frame
        for i, j in itertools.product(range(3), range(3)):
            system.output(f"pose.{place}.r{i}{j}", frame.orientation[i][j], "-")
    return system


@pytest.fixture(scope="module")
def vehicle() -> jv.Vehicle:
    return guided()


@pytest.fixture(scope="module")
def library(vehicle: jv.Vehicle) -> Any:
    return build(with_laws(assemble(vehicle, car.tires_of(vehicle), name="guided")))


@pytest.fixture
def sim(library: Any) -> Simulation:
    return Simulation(library)


def pose(found: dict[str, float], place: str) -> tuple[Array, Array]:
    """Wheel centre and orientation of a carrier, world axes."""
    position = np.array([found[f"Wheel.Global_{a}.{place}"] for a in "XYZ"])
    return position, np.array([[found[f"pose.{place}.r{i}{j}"] for j in range(3)] for i in range(3)])


def elementary(axis: int, angle: float) -> Array:
    c, s, j, k = np.cos(angle), np.sin(angle), (axis + 1) % 3, (axis + 2) % 3
    r = np.eye(3)
    r[j, j], r[j, k], r[k, j], r[k, k] = c, -s, s, c
    return r


# ---- guidance ----------------------------------------------------------------------------------------------------


def at(curve: Any, x: float, z: float = 0.0) -> float:
    if curve.constant is not None:
        return float(curve.constant * x)
    table = curve.table(method="cubic", extrapolation="linear")
    return float(table(x, z) if curve.z else table(x))


def by_suspension(suspension: Any, own: float, other: float) -> dict[str, float]:
    """Left-hand values; y is turned round for the right wheel."""
    found = {n: getattr(suspension, n) for n in MAPS}
    return {n: m.offset + m.scale * at(m.curve, own, other) for n, m in found.items()}


def by_steering(steering: Any, u: float, own: float, left: bool) -> dict[str, float]:
    """The right wheel does as the left one in a mirror: at -u, with y and steer turned round."""
    names = [n for n in ("x", "y", "steer", "camber", "side_view_angle") if getattr(steering, n) is not None]
    found = {n: getattr(steering, n) for n in names}
    read = {n: m.scale * at(m.curve, u if left else -u, own) for n, m in found.items()}
    read["steer"] *= 1.0 if left else -1.0
    return read


def check_poses(sim: Simulation, vehicle: jv.Vehicle, guide: Any, order: str) -> None:
    """Poses against tables evaluated by numpy, turned by the written conventions; beyond the data as well."""
    random = np.random.default_rng(1)
    for _ in range(40):
        travel = {c: random.uniform(-0.12, 0.12) for c in CORNERS}
        u = random.uniform(-9.0, 9.0)
        sim.set_states({f"{c}.jounce": t for c, t in travel.items()})
        sim.set_inputs({"steering_wheel": u})
        found = outputs(sim)
        for place, (axle, side) in CORNERS.items():
            own, other, left = travel[place], travel[PAIRED[place]], side == "L"
            read = guide(axle, left, own, other, u)
            sign = 1.0 if left else -1.0
            turn = {"z": read["psi"], "x": -sign * read["camber"], "y": -read["side_view_angle"]}
            r = np.eye(3)
            for axis in order:
                r = r @ elementary("xyz".index(axis), turn[axis])
            moved = np.array([read["x"], sign * read["y"], own])
            position, rotation = pose(found, place)
            assert np.abs(position - (vehicle.wheel_centre(axle, side) + moved)).max() < 1e-12
            assert np.abs(rotation - r).max() < 1e-12


def test_carriers_stay_on_their_maps(sim: Simulation, vehicle: jv.Vehicle) -> None:
    """Front by the steering's maps and the alignment, rear by maps of both travels; 3-1-2."""

    def guide(axle: int, left: bool, own: float, other: float, u: float) -> dict[str, float]:
        if axle == 1:
            read = by_steering(vehicle.steering, u, own, left)
            toe, camber = vehicle.front_suspension.toe.offset, vehicle.front_suspension.camber.offset
            return {**read, "camber": read["camber"] + camber, "psi": read["steer"] + (-toe if left else toe)}
        read = by_suspension(vehicle.rear_suspension, own, other)
        return {**read, "psi": -read["toe"] if left else read["toe"]}

    check_poses(sim, vehicle, guide, "zxy")


def test_carriers_of_a_dependent_front_axle_stay_on_the_sum_of_their_maps() -> None:
    """Steered by a rack: suspension and steering add, but x and y are the suspension's alone; angles as 3-2-1."""
    base = guided()
    grids = {n: getattr(base.rear_suspension, n).curve.raw() for n in MAPS}
    over = (U * 0.008).tolist()
    maps = {n: {"x": over, "z": J.tolist(), "y": getattr(base.steering, n).curve.values.tolist()} for n in
            ("camber", "x", "y")}  # fmt: skip
    steer = {"x": over, "y": base.steering.steer.curve.values[:, 5].tolist()}
    steering = {"input": "rack_travel", "rack_travel": "50 mm/rev", "gear_ratio_scale": 1.25, "steer": steer, **maps}
    vehicle = compact(**{
        "system.splines.method": "cubic", "system.carrier_rotation": "3-2-1", "aero": None, "steering": steering,
        **{f"front_suspension.{n}": {**grid, "scale": 0.9} for n, grid in grids.items()},
    })  # fmt: skip
    assert vehicle.front_suspension.dependent
    sim = Simulation(build(with_laws(assemble(vehicle, car.tires_of(vehicle), name="front_axle"))))

    def guide(axle: int, left: bool, own: float, other: float, u: float) -> dict[str, float]:
        read = by_suspension(vehicle.suspension(axle), own, other)
        psi = -read["toe"] if left else read["toe"]
        if axle == 1:
            rack = 0.05 / (2 * np.pi) * u / 1.25
            steered = by_steering(vehicle.steering, rack, own, left)
            psi += steered["steer"]
            read["camber"] += steered["camber"]
        return {**read, "psi": psi}

    check_poses(sim, vehicle, guide, "zyx")


# ---- virtual work ------------------------------------------------------------------------------------------------

SPEEDS = (
    *(f"chassis.{a}" for a in ("vx", "vy", "vz", "wx", "wy", "wz")),
    *(f"{c}.jounce.rate" for c in CORNERS),
    *(f"{c}.wheel.spin" for c in CORNERS),
)


def random_state(random: np.random.Generator) -> dict[str, float]:
    state = {"chassis.vx": 25.0, "chassis.vy": 0.8, "chassis.vz": -0.2}
    state |= {f"chassis.w{a}": random.uniform(-0.6, 0.6) for a in "xyz"}
    state |= {f"chassis.e{i}": v for i, v in enumerate((0.9, 0.012, -0.008, 0.43))}
    for c in CORNERS:
        state |= {f"{c}.jounce": random.uniform(-0.02, 0.03), f"{c}.jounce.rate": random.uniform(-0.5, 0.5)}
        state |= {f"{c}.wheel.spin": random.uniform(75, 85)}
        state |= {f"{c}.tire.{d}": random.uniform(-0.01, 0.01) for d in "uv"}
    return state


def mass_matrix(sim: Simulation) -> Array:
    """From the kinetic energy, quadratic in the speeds: M_ij = T(e_i + e_j) - T(e_i) - T(e_j)."""
    names = [v.name for v in sim.model.states]
    places = [names.index(n) for n in SPEEDS]
    which = [v.name for v in sim.model.outputs].index("law.kinetic")

    def energy(*units: int) -> float:
        x = sim.x.copy()
        x[places] = 0.0
        for i in units:
            x[places[i]] += 1.0
        return float(sim.outputs(x=x)[which])

    single = [energy(i) for i in range(len(SPEEDS))]
    return np.array([
        [energy(i, j) - single[i] - single[j] for j in range(len(SPEEDS))] for i in range(len(SPEEDS))
    ])  # fmt: skip


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_jacking_forces_are_virtual_work(sim: Simulation, seed: int) -> None:
    """What tires do to travel, spin and chassis: M (u̇ - u̇ without ground), against force times displaced pose."""
    random = np.random.default_rng(seed)
    sim.set_states(random_state(random))
    sim.set_states({"chassis.z": sim.state("chassis.z") - 0.05})
    sim.set_inputs({"steering_wheel": random.uniform(-2, 2)})
    on_ground = np.array([rates(sim)[n] for n in SPEEDS])
    here = outputs(sim)
    sim.set_parameters({"ground.height": -100.0})
    in_air = np.array([rates(sim)[n] for n in SPEEDS])
    sim.set_parameters({"ground.height": 0.0})
    found = dict(zip(SPEEDS, mass_matrix(sim) @ (on_ground - in_air), strict=True))

    wrench = {}
    for c in CORNERS:
        force, moment = (
            np.array([here[f"Tire.Hub_Carrier_{kind}_Global_{a}.{c}"] for a in "XYZ"]) for kind in ("Force", "Moment")
        )
        wrench[c] = force, moment
        assert force[2] > 500
    q = np.array([sim.state(f"chassis.e{i}") for i in range(4)])
    q /= np.linalg.norm(q)
    chassis = np.column_stack([rotate(q, e) for e in np.eye(3)])
    origin = np.array([sim.state(f"chassis.{a}") for a in "xyz"])
    expected = {}
    for i, axis in enumerate("xyz"):
        expected[f"chassis.v{axis}"] = sum(f @ chassis[:, i] for f, _ in wrench.values())
        expected[f"chassis.w{axis}"] = sum(
            (np.cross(pose(here, c)[0] - origin, f) + m) @ chassis[:, i] for c, (f, m) in wrench.items()
        )
    for c in CORNERS:
        expected[f"{c}.wheel.spin"] = wrench[c][1] @ pose(here, c)[1][:, 1]
        start = sim.state(f"{c}.jounce")

        def work(step: float, c: str = c, start: float = start) -> Array:
            """Force times displacement, moment times rotation of all carriers when one wheel travels."""
            sim.set_states({f"{c}.jounce": start + step})
            there = outputs(sim)
            sim.set_states({f"{c}.jounce": start})
            total = 0.0
            for other, (force, moment) in wrench.items():
                (p0, r0), (p1, r1) = pose(here, other), pose(there, other)
                small = (r1 @ r0.T - r0 @ r1.T) / 2  # skew part: sine of the angle times the axis
                total += force @ (p1 - p0) + moment @ np.array([small[2, 1], small[0, 2], small[1, 0]])
            return np.array(total)

        expected[f"{c}.jounce.rate"] = float(derivative(work, h=1e-3)[0])
    for name in SPEEDS:
        unit = 1000.0  # N or N.m, of the order of the smallest wheel load
        assert abs(found[name] - expected[name]) < 1e-6 * max(unit, abs(expected[name])), name


def rotate(q: Array, a: Array) -> Array:
    """A vector turned by a unit quaternion."""
    return np.asarray(a + 2 * np.cross(q[1:], np.cross(q[1:], a) + q[0] * a))


# ---- momentum ----------------------------------------------------------------------------------------------------


def test_the_centre_of_gravity_falls_freely_whatever_happens_inside(sim: Simulation) -> None:
    random = np.random.default_rng(5)
    for _ in range(5):
        sim.set_states({**random_state(random), "chassis.z": 30.0})
        sim.set_inputs({"steering_wheel": 1.0, "steering_wheel.rate": 3.0, "steering_wheel.acceleration": -40.0})
        sim.set_inputs({"brake": 0.5, "throttle": 0.5})
        found = outputs(sim)
        a = np.array([found[f"System_Mass_Center.Global_A{axis}"] for axis in "xyz"])
        assert np.abs(a - [0, 0, -GRAVITY]).max() < 1e-11, "springs of kilonewtons on some tons"


LAWS = ("law.px", "law.py", "law.pz", "law.hx", "law.hy", "law.hz")


def momentum_drift(library: Any, step: float) -> tuple[float, float]:
    """Largest change of linear and of angular momentum over its size, in the air without gravity."""
    sim = Simulation(library, method="AM-4", step=step)
    # springs without preload: in the air they would go to the stops, whose kinks spoil the order of the method
    sim.set_parameters({"gravity": 0.0, **{f"{c}.spring.at_design": 0.0 for c in CORNERS}})
    sim.set_states({**random_state(np.random.default_rng(7)), "chassis.z": 30.0, "chassis.vx": 2.0})
    sim.set_states({f"{c}.tire.{d}": 0.0 for c in CORNERS for d in "uv"})
    sim.set_states({f"{c}.jounce": t for c, t in zip(CORNERS, (-0.04, 0.03, 0.035, -0.03), strict=True)})
    program = Program(Phase("fly", [Open("steering_wheel", Sine(3.0, 1.3))], duration=0.5))
    run = sim.run(program=program, interval=0.01, channels=[*LAWS, "Suspension.Jounce.L1"])
    assert np.ptp(run["Suspension.Jounce.L1"]) > 0.02
    result = []
    for law in (LAWS[:3], LAWS[3:]):
        values = np.column_stack([run[n] for n in law])
        result.append(float(np.linalg.norm(values - values[0], axis=1).max() / np.linalg.norm(values[0])))
    return result[0], result[1]


def test_momentum_is_conserved_in_the_air(library: Any) -> None:
    """Springs, dampers, spins, moving steering (its acceleration acts) are inside: only the method's error is left."""
    coarse, fine = momentum_drift(library, 0.001), momentum_drift(library, 0.0005)
    assert max(coarse) < 1e-8
    # third derivatives of the splines jump at knots: less than the factor 16 of fourth order
    assert all(b < a / 8 for a, b in zip(coarse, fine, strict=True))


# ---- energy ------------------------------------------------------------------------------------------------------


def conservative() -> tuple[jv.Vehicle, dict[str, Any]]:
    """No damper, no stop, no friction: wheels upright, tires that only carry (use mode 0) without damping."""
    vehicle = drop_everything(
        compact(**{"aero": None, "front_suspension.toe": "-2 deg/m", "system.splines.method": "cubic"}),
        *("bump_stop", "rebound_stop"),
    )
    changes: dict[str, Any] = {"rear_suspension.auxiliary_anti_roll.damping": 0.0}
    for axle in ("front_suspension", "rear_suspension"):
        changes |= {f"{axle}.camber": 0.0, f"{axle}.dampers[0].scale": 0.0}
    vehicle = vehicle.with_(**changes).with_(**{f"{a}_suspension.camber.offset": 0.0 for a in ("front", "rear")})
    found = car.tires_of(vehicle)["L1"]
    tire = replace(found, model=Pac2002(mode=0)).with_values(VERTICAL_DAMPING=0.0)
    return vehicle, dict.fromkeys(CORNERS, tire)


@pytest.fixture(scope="module")
def falling() -> Any:
    vehicle, tires = conservative()
    return build(with_laws(assemble(vehicle, tires, name="falling")))


def energy_drift(library: Any, step: float, *, wheels_down: bool, pitch: float = 0.0) -> float:
    """Largest change of the whole energy over what is exchanged with gravity, in a second after a drop of 50 mm."""
    height = 0.05
    sim = Simulation(library, method="AM-4", step=step)
    sim.set_states({"chassis.z": sim.state("chassis.z") + height})
    sim.set_states({"chassis.e0": np.cos(pitch / 2), "chassis.e2": np.sin(pitch / 2)})
    if wheels_down:
        sim.set_states({f"{c}.jounce": -height for c in CORNERS})
    run = sim.run(1.0, interval=0.005)
    p = sim.parameters
    stored: Any = 0.0
    for c in CORNERS:
        deflection = np.maximum(run[f"Tire.Effective_Penetration.{c}"], 0.0)
        compression = p[f"{c}.spring.at_design"] + p[f"{c}.spring.ratio.rate"] * run[f"Suspension.Jounce.{c}"]
        stored = stored + 0.5 * p["tire1.VERTICAL_STIFFNESS"] * deflection**2
        stored = stored + 0.5 * p[f"{c}.spring.rate"] * compression**2
    for a, stiffness in (
        ("1", p["axle1.anti_roll_bar.stiffness"] * p["axle1.anti_roll_bar.ratio_L.rate"] ** 2),
        ("2", p["axle2.auxiliary_anti_roll.rate"]),
    ):
        stored = stored + 0.5 * stiffness * (run[f"Suspension.Jounce.L{a}"] - run[f"Suspension.Jounce.R{a}"]) ** 2
    total = run["law.kinetic"] + run["law.potential"] + stored
    exchanged = np.ptp(run["law.potential"])
    assert exchanged > 0.9 * p["body.mass"] * GRAVITY * height
    lowest = min(run[f"Tire.Effective_Penetration.{c}"].min() for c in CORNERS)
    assert (lowest > 0) == wheels_down
    return float(np.abs(total - total[0]).max() / exchanged)


def test_a_dropped_body_keeps_its_energy_to_the_order_of_the_method(falling: Any) -> None:
    drift = [energy_drift(falling, step, wheels_down=True) for step in (0.001, 0.0005, 0.00025)]
    assert drift[1] < 1e-5
    # AM-4: at least the 16 of fourth order per halving
    assert drift[0] / drift[1] > 14 and drift[1] / drift[2] > 14


def test_a_car_dropped_from_the_air_keeps_its_energy(falling: Any) -> None:
    """Wheels touch the ground and leave it: the stiffness of a tire steps at zero load, which leaves second order."""
    drift = [energy_drift(falling, step, wheels_down=False, pitch=0.02) for step in (0.001, 0.0005, 0.00025, 0.000125)]
    assert drift[1] < 1e-3 and drift[3] < 5e-5
    assert drift[0] / drift[2] > 8 and drift[1] / drift[3] > 8
