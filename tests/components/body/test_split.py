"""A body in two halves: twist by its stiffness, stiff limits, locks, forces of the joint by the balance of one half."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jounce.vehicle as jv
from four_wheels import CORNERS, check_numbers
from jounce.components.basics import combine
from jounce.runtime.program import Open, Phase, Program, Ramp
from jounce.runtime.simulation import Library, Simulation
from jounce.sim.build import build
from jounce.sim.equilibrium import find_equilibrium
from jounce.sim.linear import Lineariser
from steered_cars import rotation, system_of

DATA = Path(__file__).parents[2] / "vehicle" / "data" / "compact"
FREE = ["chassis.z", "chassis.rx", "chassis.ry", "*.jounce"]
BALANCE = ["chassis.vz", "chassis.wx", "chassis.wy", "*.jounce.rate"]
K = 8000.0 * 180 / math.pi  # N.m/rad, torsion
BENDING = 2e6  # N.m/rad
SPLIT = {
    "location": [-1.2, 0, 0.4],
    "front": {"mass": 620, "cg": [-0.25, 0, 0.58], "inertia": {"ixx": 190, "iyy": 330, "izz": 360, "ixz": 5}},
    "rear": {"mass": 530, "cg": [-1.9, 0, 0.55], "inertia": {"ixx": 170, "iyy": 310, "izz": 340, "ixz": -4}},
    "stiffness": {"torsion": K},
}
TWO = {"torsion": K, "vertical_bending": BENDING}
Array = np.ndarray[Any, np.dtype[np.float64]]


def car_of(**stiffness: float) -> jv.Vehicle:
    split = {**SPLIT, "stiffness": stiffness}
    return jv.load(DATA).with_(**{
        "body.added_masses[0].location.y": 0.0, "body.mass": None, "body.cg": None, "body.inertia": None,
        "body.split": split,
    })  # fmt: skip


@pytest.fixture(scope="module")
def twisting() -> Library:
    return build(system_of(car_of(torsion=K), name="twisting"))


@pytest.fixture(scope="module")
def twisting_linear() -> Lineariser:
    return Lineariser(system_of(car_of(torsion=K)), inputs=[], outputs=[])


@pytest.fixture(scope="module")
def rigid() -> tuple[Library, Lineariser]:
    """The same car with its halves joined: level 2 has no compliance of the body, and these data no other."""
    car = car_of(torsion=K).with_(**{"system.simplified_model": 2})
    return build(system_of(car, name="joined")), Lineariser(system_of(car), inputs=[], outputs=[])


@pytest.fixture(scope="module")
def bending() -> Library:
    """Torsion and vertical bending released, four freedoms held by controllers."""
    return build(system_of(car_of(**TWO), name="bending"))


def settled(library: Library, lineariser: Lineariser, parameters: dict[str, float] | None = None) -> Simulation:
    sim = Simulation(library)
    sim.set_parameters(parameters or {})
    extra = ["split.torsion.angle"], ["split.torsion.rate"]
    free, balance = extra if "split.torsion.angle" in [s.name for s in sim.model.states] else ([], [])
    find_equilibrium(sim, lineariser, FREE + free, BALANCE + balance, limits={"*.jounce": 0.02})
    return sim


def come_to_rest(library: Library, parameters: dict[str, float]) -> Simulation:
    """At 1 ms, the step at which the locks must be stable."""
    sim = Simulation(library, method="AB-2", step=0.001)
    sim.set_parameters(parameters)
    sim.set_inputs({"brake": 1.0})
    sim.run(10.0, interval=1.0)
    sim.restart(0.0)
    return sim


def test_freedoms_are_counted() -> None:
    assert len(system_of(car_of(torsion=K)).speeds) == 15
    assert len(system_of(car_of(**TWO)).speeds) == 20
    assert len(system_of(car_of(lateral=1e7)).speeds) == 20
    assert len(system_of(car_of(torsion=K).with_(**{"system.simplified_model": 2})).speeds) == 14


@pytest.mark.slow
def test_halves_together_are_the_whole(rigid: tuple[Library, Lineariser], twisting: Library) -> None:
    car = car_of(torsion=K)
    mass, centre, inertia = combine(car.body.sprung())
    joined = Simulation(rigid[0])
    assert joined.parameter("body.mass") == pytest.approx(mass, rel=1e-14)
    assert [joined.parameter(f"body.i{a}{a}") for a in "xyz"] == pytest.approx(np.diag(inertia), rel=1e-12)
    split = Simulation(twisting)
    assert split.state("chassis.x") == joined.state("chassis.x") == pytest.approx(centre[0])
    for axis in "XYZ":  # of the whole car, wheels included
        name = f"System_Mass_Center.Global_{axis}"
        assert split.output(name) == pytest.approx(joined.output(name), abs=1e-12)


def front_balance(sim: Simulation, car: jv.Vehicle) -> tuple[Array, Array]:
    """Force and moment about the joint, in axes of the rear half, that the rest of the car must put on the front half.

    The front half with its wheels at rest: tire forces at the contacts, weights at their places.
    """
    yaw, pitch, roll = (sim.output(f"chassis_displacements.{n}") for n in ("yaw", "pitch", "roll"))
    axes = rotation("z", yaw) @ rotation("y", pitch) @ rotation("x", roll)
    rear = np.array([sim.state(f"chassis.{a}") for a in "xyz"])
    centre = car.body.centre()
    shift = np.array([value(sim, f"split.{n}.shift") for n in ("axial", "lateral", "vertical")])
    joint = rear + axes @ (np.array(SPLIT["location"]) - centre + shift)
    angles = [value(sim, f"split.{n}.angle") for n in ("torsion", "vertical_bending", "lateral_bending")]
    front_axes = axes @ rotation("x", angles[0]) @ rotation("y", angles[1]) @ rotation("z", angles[2])
    mass, cg, _ = car.body.sprung()[0]
    g = np.array([0, 0, -sim.parameter("gravity")])
    loads = [(mass * g, joint + front_axes @ (cg - np.array(SPLIT["location"])))]
    moment = np.zeros(3)
    for c in ("L1", "R1"):
        wheel = np.array([sim.output(f"Wheel.Global_{a}.{c}") for a in "XYZ"])
        loads.append((sim.parameter(f"{c}.unsprung_mass") * g, wheel))
        loads.append((np.array([sim.output(f"Tire.Hub_Carrier_Force_Global_{a}.{c}") for a in "XYZ"]), wheel))
        moment = moment + [sim.output(f"Tire.Hub_Carrier_Moment_Global_{a}.{c}") for a in "XYZ"]
    force = sum(f for f, _ in loads)
    moment = moment + sum(np.cross(r - joint, f) for f, r in loads)
    return -axes.T @ force, -axes.T @ moment


def value(sim: Simulation, name: str) -> float:
    return sim.state(name) if any(s.name == name for s in sim.model.states) else 0.0


def warped(library: Library) -> dict[str, float]:
    """Springs of one diagonal longer by 20 mm: the axles roll against each other."""
    sim = Simulation(library)
    return {f"{c}.spring.at_design": sim.parameter(f"{c}.spring.at_design") + 0.02 for c in ("L1", "R2")}


def test_twist_is_torque_over_stiffness(twisting: Library) -> None:
    car = car_of(torsion=K)
    for stiffness in (K, 3 * K):
        changes = {**warped(twisting), "split.torsion.stiffness": stiffness}
        sim = come_to_rest(twisting, changes)
        twist = sim.output("jfs_torsional_stiffness_data.AX_1")
        _, moment = front_balance(sim, car)
        assert abs(moment[0]) > 100, "N.m: there is something to twist"
        # the torque of the joint is -K times the twist; what is left of the motion after 10 s is far below 1e-6 rad/s²
        assert -stiffness * twist == pytest.approx(moment[0], abs=1e-3)
        assert sim.output("jfs_torsional_stiffness_data.TX_1") == pytest.approx(-stiffness * twist, rel=1e-12)
        # left spring stronger in front: the front half rolls to the right (positive) against the rear half
        assert twist > 0


@pytest.mark.slow
def test_a_stiff_body_is_the_rigid_one(
    twisting: Library, twisting_linear: Lineariser, rigid: tuple[Library, Lineariser]
) -> None:
    stiff = 1e5 * K
    sim, joined = settled(twisting, twisting_linear, {"split.torsion.stiffness": stiff}), settled(*rigid)
    for c in CORNERS:
        name = f"Tire.Ground_Surface_Force_Z.{c}"
        assert sim.output(name) == pytest.approx(joined.output(name), rel=1e-6)
    found = np.linalg.eigvals(twisting_linear.at(sim).A)
    expected = np.linalg.eigvals(rigid[1].at(joined).A)
    twist = np.sort(np.abs(found))[-2:]
    assert len(found) == len(expected) + 2
    assert twist[0] > 1e4, "the twist vibrates alone, fast"
    found = found[np.abs(found) < 0.5 * twist[0]]
    # shift of an eigenvalue: roll stiffness of the suspension over that of the body, some 1e5/4.6e10
    for value in expected[np.abs(expected) > 0.1]:
        assert np.abs(found - value).min() < 3e-5 * abs(value)


def test_twist_vibrates_with_its_frequency_and_damping(twisting: Library) -> None:
    """Halves alone in space, wheels without mass and springs: ω = sqrt(K/I), decay ζ ω, I of both about the joint."""
    sim = Simulation(twisting)
    car = car_of(torsion=K)
    off = [p for p in sim.parameters if p.endswith((".scale", "anti_roll_bar.stiffness", "auxiliary_anti_roll.rate"))]
    own = ("x", "y", "toe", "camber", "side_view_angle", "steering")
    sim.set_parameters({p: 0.0 for p in off if p.split(".")[1] not in own})
    sim.set_parameters({f"{c}.unsprung_mass": 1e-3 for c in CORNERS} | {"gravity": 0.0})
    small = {f"{c}.{n}": 1e-5 for c in CORNERS for n in ("ixx", "iyy", "izz", "spin_inertia")}
    sim.set_parameters(small)
    # axes of the joint through both centres of gravity and no products: torsion does not couple with the rest
    for half in ("front", "rear"):
        sim.set_parameters({f"body.{half}.cg.y": 0.0, f"body.{half}.cg.z": 0.0, f"body.{half}.ixz": 0.0})
    sim.set_parameters({"split.location.z": 0.0})
    sim.set_states({"chassis.z": 50.0, "split.torsion.angle": 1e-3})
    run = sim.run(1.0, method="AM-4", step=0.0002, interval=0.0002)
    angle = run["jfs_torsional_stiffness_data.AX_1"]
    inertia = [h[2][0, 0] for h in car.body.sprung()]
    reduced = inertia[0] * inertia[1] / (inertia[0] + inertia[1])
    omega = math.sqrt(K / reduced)
    damping = 2 * 0.02 * math.sqrt(K * sim.parameter("split.torsion.reduced_mass"))
    decay = damping / (2 * reduced)
    wd = math.sqrt(omega**2 - decay**2)
    expected = 1e-3 * np.exp(-decay * run.time) * (np.cos(wd * run.time) + decay / wd * np.sin(wd * run.time))
    # massless wheels still have 4e-5 kg.m2 and grams at the track: some 1e-5 of the inertia, over 30 periods
    assert np.abs(angle - expected).max() < 5e-3 * 1e-3


# ---- all six freedoms ------------------------------------------------------------------------------------------------

# in the order of the freedoms: along x, y, z, about x, y, z
SIX = {
    "axial": 1.1e7, "lateral": 7.3e6, "vertical": 9.1e6, "torsion": K, "vertical_bending": 1.9e6,
    "lateral_bending": 1.3e6,
}  # fmt: skip
OTHERS = {name: SIX[name] for name in ("axial", "lateral", "vertical", "lateral_bending")}


@pytest.fixture(scope="module")
def free() -> Library:
    return build(system_of(car_of(**SIX), name="six"))


@pytest.fixture(scope="module")
def others() -> Library:
    """What ``bending`` holds is released, what it releases is held."""
    return build(system_of(car_of(**OTHERS), name="others"))


def halves(sim: Simulation) -> Simulation:
    """Alone in space: wheels without mass and springs, nothing damps."""
    off = [p for p in sim.parameters if p.endswith((".scale", "anti_roll_bar.stiffness", "auxiliary_anti_roll.rate"))]
    own = ("x", "y", "toe", "camber", "side_view_angle", "steering")
    sim.set_parameters({p: 0.0 for p in off if p.split(".")[1] not in own})
    sim.set_parameters({f"{c}.unsprung_mass": 1e-5 for c in CORNERS} | {"gravity": 0.0, "split.damping_ratio": 0.0})
    sim.set_parameters({f"{c}.{n}": 1e-6 for c in CORNERS for n in ("ixx", "iyy", "izz", "spin_inertia")})
    sim.set_states({"chassis.z": 50.0})
    return sim


def answers(sim: Simulation) -> Array:
    """How the freedoms accelerate, by row, as they are displaced one by one, by column."""
    names = [v.name for v in sim.model.states]
    rates = [names.index(f"split.{n}.rate") for n in SIX]
    columns = []
    for name in SIX:
        state = next(n for n in names if n in (f"split.{name}.shift", f"split.{name}.angle"))
        seen = []
        for x in (1e-6, -1e-6):
            sim.set_states({state: x})
            seen.append(sim.derivatives()[0][rates].copy())
        sim.set_states({state: 0.0})
        columns.append((seen[0] - seen[1]) / 2e-6)
    return np.array(columns).T


def spatial(mass: float, cg: Array, inertia: Array) -> Array:
    """6 × 6 inertia of a half about the joint: forces and moments for accelerations of and about it."""
    x, y, z = cg
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.block([[mass * np.eye(3), -mass * cross], [mass * cross, inertia - mass * cross @ cross]])


def test_six_freedoms_vibrate_as_two_bodies_on_springs(free: Library) -> None:
    """Of two free bodies M_f, M_r (6 × 6 about the joint) a spring between them moves (1/M_f + 1/M_r) K q.

    Written here from masses alone; grams of the wheels are 1e-7 of the halves.
    """
    sim, location = halves(Simulation(free)), np.array(SPLIT["location"])
    found = answers(sim)
    flexible = sum(np.linalg.inv(spatial(m, cg - location, j)) for m, cg, j in car_of(**SIX).body.sprung())
    expected = -flexible @ np.diag(list(SIX.values()))
    scale = np.sqrt(np.outer(np.abs(np.diag(expected)), np.abs(np.diag(expected))))
    assert np.abs((found - expected) / scale).max() < 1e-5
    assert np.abs(expected - np.diag(np.diag(expected))).max() > 100.0, "they hang together"
    modes, by_hand = (np.sort(np.sqrt(np.linalg.eigvals(-a).real)) for a in (found, expected))
    assert modes == pytest.approx(by_hand, rel=1e-5)


@pytest.mark.parametrize("name", SIX)
def test_every_freedom_has_the_frequency_of_its_reduced_mass(free: Library, name: str) -> None:
    """Both halves with their centres in the joint: nothing couples, ω = sqrt(k/m_red); damped by 2 ζ ω of its own."""
    sim = halves(Simulation(free))
    for half in ("front", "rear"):
        sim.set_parameters({f"body.{half}.cg.{a}": 0.0 for a in "xyz"} | {f"body.{half}.ixz": 0.0})
    sim.set_parameters({f"split.location.{a}": 0.0 for a in "xyz"})
    i = list(SIX).index(name)
    of_half = [m if i < 3 else inertia[i - 3, i - 3] for m, _, inertia in car_of(**SIX).body.sprung()]
    reduced = of_half[0] * of_half[1] / (of_half[0] + of_half[1])
    found = answers(sim)
    assert math.sqrt(-found[i, i]) == pytest.approx(math.sqrt(SIX[name] / reduced), rel=1e-5)
    others = np.delete(found[:, i], i)
    assert np.abs(others).max() < 1e-4 * abs(found[i, i])
    rate = f"split.{name}.rate"
    sim.set_parameters({"split.damping_ratio": 0.03})
    sim.set_states({rate: 1e-3})
    decay = sim.derivatives()[0][[v.name for v in sim.model.states].index(rate)] / 1e-3
    own = sim.parameter(f"split.{name}.reduced_mass")
    assert -decay == pytest.approx(2 * 0.03 * math.sqrt(SIX[name] * own) / reduced, rel=1e-5)


def test_the_other_freedoms_are_held_in_a_braked_stop(others: Library) -> None:
    """Torsion and bending by their locks; the front half gives way along the car, by the force of its brakes."""
    sim = come_to_rest(others, {})
    run = stop(sim)
    group = "jfs_torsional_stiffness_data"
    for name in ("AX", "AY"):
        assert np.abs(run[f"{group}.{name}_1"]).max() < 1e-5
    assert (
        np.abs(run[f"{group}.X_1"] + run[f"{group}.FX_1"] / SIX["axial"]).max()
        < 0.05 * np.abs(run[f"{group}.X_1"]).max()
    ), "but for the damping, its force over its stiffness"
    assert np.abs(run[f"{group}.X_1"]).max() > 2e-5


def test_held_freedoms_carry_the_load_without_moving(bending: Library) -> None:
    car = car_of(**TWO)
    sim = come_to_rest(bending, warped(bending))
    force, moment = front_balance(sim, car)
    group = "jfs_torsional_stiffness_data"
    found = np.array([[sim.output(f"{group}.{p}{a}_1") for a in "XYZ"] for p in "FT"])
    assert abs(force[2]) > 500 and abs(moment[1]) > 500
    assert found[0] == pytest.approx(force, abs=1e-3)
    # generalised torques of Rx Ry Rz: about x, about y of the turned axes, about z of the twice turned ones
    ax, ay = (sim.output(f"{group}.A{a}_1") for a in "XY")
    axes = np.array([[1, 0, 0], rotation("x", ax)[:, 1], (rotation("x", ax) @ rotation("y", ay))[:, 2]])
    assert found[1] == pytest.approx(axes @ moment, abs=1e-3)
    assert ax == pytest.approx(-found[1][0] / K, rel=1e-12)
    assert ay == pytest.approx(-found[1][1] / BENDING, rel=1e-12)
    for name in ("X", "Y", "Z", "AZ"):
        assert abs(sim.output(f"{group}.{name}_1")) < 1e-9


def drive(sim: Simulation) -> Any:
    sim.set_inputs({"brake": 0.0})
    sim.set_states({"chassis.vx": 20.0})
    sim.set_states({f"{c}.wheel.spin": 20.0 / sim.output(f"Tire.Effective_Rolling_Radius.{c}") for c in CORNERS})
    program = Program(Phase("turn", [Open("steering_wheel", Ramp(0.5, 0.3, start=0.0, smooth=True))], duration=2.0))
    return sim.run(program=program, method="AB-2", step=0.001, interval=0.01)


@pytest.mark.slow
def test_locks_are_stable_at_one_millisecond_and_drift_less_than_ten_micrometres(
    bending: Library, rigid: tuple[Library, Lineariser]
) -> None:
    stiff = {"split.torsion.stiffness": 1e7, "split.vertical_bending.stiffness": 3e7}
    run, reference = drive(come_to_rest(bending, stiff)), drive(settled(*rigid))
    for name in ("X", "Y", "Z", "AZ"):
        assert np.abs(run[f"jfs_torsional_stiffness_data.{name}_1"]).max() < 1e-5
    yaw, expected = run["chassis_velocities.yaw"], reference["chassis_velocities.yaw"]
    assert expected[-1] > 0.1
    # roll stiffness of the suspension (6e4 N.m/rad) over that of the body (1e7) shifts loads by less than a percent
    assert np.abs(yaw - expected).max() < 5e-3 * expected.max()


def stop(sim: Simulation) -> Any:
    """From 20 m/s, brakes half on within 0.2 s."""
    sim.set_inputs({"brake": 0.0})
    sim.set_states({"chassis.vx": 20.0})
    sim.set_states({f"{c}.wheel.spin": 20.0 / sim.output(f"Tire.Effective_Rolling_Radius.{c}") for c in CORNERS})
    program = Program(Phase("stop", [Open("brake", Ramp(0.5, 0.2, start=0.0))], duration=1.5))
    run = sim.run(program=program, method="AB-2", step=0.001, interval=0.01)
    assert run["chassis_velocities.longitudinal"][-1] < 17.0
    return run


def test_locks_hold_to_ten_micrometres_in_a_braked_stop(bending: Library) -> None:
    run = stop(come_to_rest(bending, {}))
    for name in ("X", "Y", "Z", "AZ"):
        assert np.abs(run[f"jfs_torsional_stiffness_data.{name}_1"]).max() < 1e-5


@pytest.mark.parametrize("stiffness", [{"torsion": K}, TWO])
def test_numbers_are_the_same_without_equations(stiffness: dict[str, float]) -> None:
    car = car_of(**stiffness)
    check_numbers(system_of(car), car)


def test_gains_of_the_locks_come_from_the_data() -> None:
    car = car_of(lateral=2e6).with_(**{"system.body_compliance.translational_kp": "40 kN/mm"})
    values = {p.name: p.default for p in system_of(car).parameter_list}
    assert values["split.axial.kp"] == values["split.vertical.kp"] == 40e6
    front, rear = (h[0] for h in car.body.sprung())
    reduced = front * rear / (front + rear)
    assert values["split.axial.kd"] == pytest.approx(2 * 0.7 * reduced * 2 * math.pi * 50)
    assert "split.lateral.kp" not in values and values["split.lateral.stiffness"] == 2e6
