"""The cab on its mounts: freedoms, frequencies of a second derivation, weight by mounts, channels, fixed or free."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from car_models import compact, rates
from jounce.components.basics import Inertia, combine
from jounce.core.errors import ParameterError
from jounce.results.catalogue import catalogue
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from jounce.sim.statics import settle
from jounce.vehicle.assembly import bodies
from models import derivative, rotation_matrix
from steered_cars import rotation
from suspended_rig import CAB, ENGINE, MOVES, ROD, flying, off

Array = np.ndarray[Any, np.dtype[np.float64]]


def matrices(data: dict[str, Any]) -> tuple[Array, Array, Array]:
    """Mass, damping and stiffness of a body on mounts that stand still, for small x, y, z and turns about x, y, z.

    A mount in its own axes A at the lever r from the centre of gravity moves by u + θ × r: a 6×6 block each.
    """
    i = data["inertia"]
    xy, xz, yz = (i.get(n, 0.0) for n in ("ixy", "ixz", "iyz"))
    mass = np.zeros((6, 6))
    mass[:3, :3] = data["mass"] * np.eye(3)
    mass[3:, 3:] = [[i["ixx"], -xy, -xz], [-xy, i["iyy"], -yz], [-xz, -yz, i["izz"]]]
    stiffness, damping = np.zeros((6, 6)), np.zeros((6, 6))
    for mount in data["mounts"]:
        r = np.array(mount["location"]) - data["cg"]
        a = (
            rotation("z", mount.get("psi", 0))
            @ rotation("x", mount.get("theta", 0))
            @ rotation("z", mount.get("phi", 0))
        )
        moved = np.hstack([np.eye(3), np.column_stack([np.cross(e, r) for e in np.eye(3)])])
        turned = np.hstack([np.zeros((3, 3)), np.eye(3)])
        for words, found, rows in (
            (("x", "y", "z"), stiffness, moved), (("rx", "ry", "rz"), stiffness, turned),
        ):  # fmt: skip
            k = np.diag([mount.get(w, 0.0) for w in words])
            found += rows.T @ a @ k @ a.T @ rows
        damping += moved.T @ a @ np.diag(mount.get("damping", [0, 0, 0])) @ a.T @ moved
        damping += turned.T @ a @ np.diag(mount.get("turning_damping", [0, 0, 0])) @ a.T @ turned
    return mass, damping, stiffness


def eigenvalues(mass: Array, damping: Array, stiffness: Array) -> Array:
    n = len(mass)
    inverse = np.linalg.inv(mass)
    a = np.block([[np.zeros((n, n)), np.eye(n)], [-inverse @ stiffness, -inverse @ damping]])
    return np.sort_complex(np.linalg.eigvals(a))


def own_motion() -> Simulation:
    """A sprung mass that nothing moves, without gravity, everything at rest in its place."""
    sim = off(flying(), "force")
    sim.set_states({v.name: 0.0 for v in sim.model.states})
    sim.set_states({"chassis.e0": 1.0, "chassis.z": 60.0})
    sim.set_parameters({"gravity": 0.0, "body.mass": 1e12, **{f"body.i{a}{a}": 1e12 for a in "xyz"}})
    sim.set_parameters({p: 0.0 for p in sim.parameters if ".preload." in p or ".turning_preload." in p})
    return sim


def jacobian(sim: Simulation, names: list[str]) -> Array:
    """Rates of states over themselves, by differences."""
    index = [[v.name for v in sim.model.states].index(n) for n in names]
    columns, h = [], 1e-5
    for i in index:
        found = []
        for sign in (1, -1):
            x = sim.x.copy()
            x[i] += sign * h
            found.append(sim.derivatives(x=x)[0][index])
        columns.append((found[0] - found[1]) / (2 * h))
    return np.array(columns).T


@pytest.mark.parametrize(("body", "data"), [("cab", CAB), ("engine", ENGINE)])
def test_frequencies_and_damping_are_those_of_mass_and_stiffness_matrices(body: str, data: dict[str, Any]) -> None:
    sim = own_motion()
    if body == "engine":
        off(sim, "body.suspended3")  # without its rod
    names = [f"{body}.{m}" for m in ("x", "y", "z", "roll", "pitch", "yaw")]
    found = np.sort_complex(np.linalg.eigvals(jacobian(sim, [*names, *(f"{n}.rate" for n in names)])))
    expected = eigenvalues(*matrices(data))
    # differences over 1e-5: 1e-10 of second order; eigenvalues of an unsymmetric matrix lose some digits
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-5)
    if body == "cab":
        assert np.sum(np.abs(found.imag) > 1.0) == 12, "it vibrates in all of its freedoms"


def test_the_freedoms_of_a_body_are_counted() -> None:
    def speeds(**changes: Any) -> int:
        return len(car.Structure(car.describe(compact(**changes))).system().speeds)

    bare = speeds()
    assert speeds(**{"body.suspended": [CAB]}) == bare + 6
    assert speeds(**{"body.suspended": [CAB, ENGINE, ROD]}) == bare + 18
    assert speeds(**{"body.suspended": [{**CAB, "fixed": True}]}) == bare


@lru_cache
def standing_description() -> car.Description:
    return car.describe(compact(**{"body.suspended": [CAB, {**ENGINE, "fixed": True}]}), ground="inclined")


@lru_cache
def standing(grade: float = 0.0, bank: float = 0.0) -> Simulation:
    sim = car.simulation(standing_description())
    sim.set_parameters({"ground.grade": grade, "ground.bank": bank})
    sim.set_inputs({"brake": 1.0})
    settle(sim, standing_description(), normal=(-grade, -bank, 1.0))
    return sim


@pytest.mark.parametrize(("grade", "bank"), [(0.0, 0.0), (0.12, 0.0), (0.0, -0.1), (-0.08, 0.07)])
def test_at_rest_the_mounts_share_the_weight_by_an_independent_stiffness_solution(grade: float, bank: float) -> None:
    """K q = weight and preloads, in axes of the sprung mass as it leans; then each mount by its own block of K."""
    sim = standing(grade, bank)
    assert max(map(abs, rates(sim).values())) < 1e-8, "everything is at rest"
    q = [sim.state(f"chassis.e{i}") for i in range(4)]
    up = rotation_matrix(np.array(q)).T @ [0.0, 0.0, 1.0]
    weight = CAB["mass"] * sim.parameter("gravity")
    load = np.concatenate([-weight * up, np.zeros(3)])
    preload = np.array([0.0, 0.0, 310.0])
    load[:3] += preload
    load[3:] += np.cross(np.array(CAB["mounts"][3]["location"]) - CAB["cg"], preload)
    shift = np.linalg.solve(matrices(CAB)[2], load)
    moves = [sim.state(f"cab.{m}") for m in ("x", "y", "z", "roll", "pitch", "yaw")]
    # linear against exact: angles of 1e-2 rad turn the forces by as much in the second order
    assert moves == pytest.approx(shift, rel=1e-2, abs=2e-4)
    total = np.zeros(3)
    for n, mount in enumerate(CAB["mounts"]):
        r = np.array(mount["location"]) - CAB["cg"]
        turn = [mount.get(k, 0.0) for k in ("psi", "theta", "phi")]
        a = rotation("z", turn[0]) @ rotation("x", turn[1]) @ rotation("z", turn[2])
        moved = a.T @ (shift[:3] + np.cross(shift[3:], r))
        force = -np.array([mount[k] for k in "xyz"]) * moved + mount.get("preload", np.zeros(3))
        found = np.array([sim.output(f"bgs_data_{n + 1}.F{k}") for k in "XYZ"])
        assert found == pytest.approx(force, rel=1e-2, abs=6.0), n
        total += a @ found
    assert total == pytest.approx(weight * up, abs=1e-6 * weight), "together they carry the cab"


def test_mass_and_load_on_the_ground_count_the_suspended_bodies_wherever_they_hang() -> None:
    found = compact(**{"body.suspended": [CAB, {**ENGINE, "fixed": True}]})
    assert found.mass() == pytest.approx(compact().mass() + CAB["mass"] + ENGINE["mass"], rel=1e-12)
    sim = standing()
    loads = {c: sim.output(f"Tire.Ground_Surface_Force_Z.{c}") for c in ("L1", "R1", "L2", "R2")}
    assert sum(loads.values()) == pytest.approx(found.mass() * sim.parameter("gravity"), rel=1e-9)
    mass, _, _ = combine([item.properties for item in bodies(found.layout)])
    assert mass == pytest.approx(found.mass(), rel=1e-12)
    # moments about the rear contacts, of the centre of gravity where it is now
    x = {c: sim.output(f"Road.Contact_Patch_Global_X.{c}") for c in loads}
    centre = sim.output("System_Mass_Center.Global_X")
    lever = sum(loads[c] * (x[c] - centre) for c in loads)
    rolling = sum(sim.output(f"Tire.Ground_Surface_Moment_Y.{c}") for c in loads)
    assert lever == pytest.approx(rolling, abs=0.02 * found.mass())


def test_channels_are_motion_of_its_centre_of_gravity() -> None:
    sim = flying()
    names = ("longitudinal", "lateral", "vertical")
    place = np.array([sim.output(f"cab_displacements.{n}") for n in names])
    q = np.array([sim.state(f"chassis.e{i}") for i in range(4)])
    turn = rotation_matrix(q)
    at = np.array(CAB["cg"]) - compact().main_body.centre() + [sim.state(f"cab.{a}") for a in "xyz"]
    assert place == pytest.approx([sim.state(f"chassis.{a}") for a in "xyz"] + turn @ at, rel=1e-12)
    yaw, pitch, roll = (sim.state(f"cab.{m}") for m in ("yaw", "pitch", "roll"))
    own = turn @ rotation("z", yaw) @ rotation("y", pitch) @ rotation("x", roll)
    angles = [sim.output(f"cab_displacements.{n}") for n in ("yaw", "pitch", "roll")]
    found = rotation("z", angles[0]) @ rotation("y", angles[1]) @ rotation("x", angles[2])
    assert found == pytest.approx(own, abs=1e-12)
    # speeds and accelerations: by differences along the motion, turned into axes of the cab
    x, f = sim.x.copy(), sim.derivatives()[0]
    known = [v.name for v in sim.model.outputs]
    where = [known.index(f"cab_displacements.{n}") for n in names]
    speed, _ = derivative(lambda t: sim.outputs(x=x + t * f)[where])
    assert [sim.output(f"cab_velocities.{n}") for n in names] == pytest.approx(own.T @ speed, rel=1e-6)
    sensed = np.array([sim.output(f"cab_velocities.{n}") for n in ("roll", "pitch", "yaw")])
    assert np.abs(sensed).max() > 0.1


@pytest.mark.parametrize(("body", "name"), [("cab", "cab"), ("engine", "body_engine")])
@pytest.mark.parametrize("axis", range(3))
def test_a_motion_along_or_about_one_axis_has_the_printed_sign(axis: int, body: str, name: str) -> None:
    """Forward, to the left, upwards; about x the right side goes down, about y the nose, about z to the left.

    The signs that the reference tool prints: all to the left are turned round, rolling and its rates, pitching in
    rates only; speeds in km/h, accelerations in g.
    """
    unit, moved, turned = np.eye(3)[axis], ("longitudinal", "lateral", "vertical")[axis], ("roll", "pitch", "yaw")[axis]
    along, about, g = (1.0, -1.0, 1.0)[axis], (-1.0, -1.0, 1.0)[axis], 9.80665

    def printed(sim: Simulation, group: str, which: str) -> float:
        found = catalogue().find(f"{name}_{group}.{which}", "output")
        return float(found.to_reference(sim.output(f"{name}_{group}.{which}")))

    sim = own_motion()
    rest = printed(sim, "displacements", moved)
    sim.set_states({f"chassis.{'xyz'[axis]}": sim.state(f"chassis.{'xyz'[axis]}") + 3.0})
    assert printed(sim, "displacements", moved) - rest == pytest.approx(3.0 * along, rel=1e-12)
    sim.set_states({f"chassis.v{'xyz'[axis]}": 2.0})
    assert printed(sim, "velocities", moved) == pytest.approx(3.6 * 2.0 * along, rel=1e-12)
    sim = own_motion()
    sim.set_states({f"chassis.w{'xyz'[axis]}": 0.7})
    assert printed(sim, "velocities", turned) == pytest.approx(0.7 * about, rel=1e-12)
    sim = own_motion()
    half = 0.3 / 2
    sim.set_states({f"chassis.e{i}": v for i, v in enumerate((np.cos(half), *(np.sin(half) * unit)))})
    assert printed(sim, "displacements", turned) == pytest.approx(0.3 * (-1.0, 1.0, 1.0)[axis], rel=1e-12)
    # pushed against its mounts: what the force over its mass gives it
    sim = own_motion()
    sim.set_states({f"{body}.{'xyz'[axis]}": 1e-6})
    sim.set_states({f"{body}.{('roll', 'pitch', 'yaw')[axis]}": 1e-6})
    speeds, index = rates(sim), {"longitudinal": "x", "lateral": "y", "vertical": "z"}[moved]
    pushed = speeds[f"{body}.{index}.rate"]
    assert abs(pushed) > 1e-6
    assert printed(sim, "accelerations", moved) == pytest.approx(along * pushed / g, rel=1e-4)
    assert printed(sim, "accelerations", turned) == pytest.approx(about * speeds[f"{body}.{turned}.rate"], rel=1e-4)


def test_the_explicit_midpoint_rule_keeps_its_order_on_the_cab() -> None:
    """A run of 0.2 s by steps of 1 ms, ½ ms, ¼ ms: the error of RK-2 falls by four."""
    ends = []
    for step in (1e-3, 5e-4, 2.5e-4):
        sim = off(flying(), "force", "body.suspended2", "body.suspended3")
        sim.set_states({"chassis.z": 60.0})
        sim.run(0.1, method="RK-2", step=step, interval=0.1)
        ends.append(np.array([sim.state(f"cab.{m}") for m in MOVES]))
    ratio = np.linalg.norm(ends[1] - ends[0]) / np.linalg.norm(ends[2] - ends[1])
    assert ratio == pytest.approx(4.0, rel=0.15)


def test_a_cab_that_is_fixed_moves_as_the_body_does() -> None:
    """Fixed, its mass and inertia are those of one body of all three: equal rates of the sprung mass."""
    description = car.describe(compact(**{"body.suspended": [{**CAB, "fixed": True}]}))
    joined = compact()
    mass, centre, inertia = combine(
        [*joined.body.sprung(), (CAB["mass"], np.array(CAB["cg"]), Inertia(**CAB["inertia"]).matrix)]  # type: ignore[union-attr]
    )
    moments = {f"i{a}{a}": float(inertia[i, i]) for i, a in enumerate("xyz")}
    products = {"ixy": -inertia[0, 1], "ixz": -inertia[0, 2], "iyz": -inertia[1, 2]}
    one = joined.with_(**{
        "body.added_masses": [], "body.mass": mass, "body.cg": centre.tolist(),
        "body.inertia": {**moments, **{k: float(v) for k, v in products.items()}},
    })  # fmt: skip
    states = {"chassis.wx": 0.3, "chassis.wy": -0.2, "chassis.wz": 0.4, "L1.jounce.rate": 0.7, "chassis.z": 60.0}
    found: list[list[float]] = []
    for sim in (car.simulation(description), car.simulation(one)):
        sim.set_states(states)
        origin = (one if found else joined).main_body.centre()
        v = np.cross([0.3, -0.2, 0.4], origin)  # what stands still is the same point of the car
        sim.set_states(dict(zip(("chassis.vx", "chassis.vy", "chassis.vz"), map(float, v), strict=True)))
        found.append([rates(sim)[f"chassis.w{a}"] for a in "xyz"])
    assert found[0] == pytest.approx(found[1], rel=1e-9)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mounts": []}, r"suspended\[0\]\.mounts = \[\]: missing; nothing holds the body"),
        ({"name": "chassis"}, r"suspended\[0\]\.name = 'chassis': is the name of something else"),
        ({"name": "no good"}, r"name.*not a name"),
        ({"mounts": [{"location": [0, 0, 1], "to": "engin"}]}, r"mounts\[0\]\.to = 'engin': no suspended body"),
        ({"mounts": [{"location": [0, 0, 1], "to": "cab"}]}, r"mounts\[0\]\.to = 'cab': is the body itself"),
        ({"mounts": [{"location": [0, 0, 1], "to": "rod"}]}, r"no chain of mounts joins it"),
    ],
)
def test_a_body_that_would_fall_or_has_a_bad_name_is_refused(change: dict[str, Any], message: str) -> None:
    loose = {**ROD, "mounts": [{**ROD["mounts"][0], "to": "cab"}, {**ROD["mounts"][1], "to": "cab"}]}
    others = [loose] if "rod" in str(change) else []
    with pytest.raises(ParameterError, match=message):
        compact(**{"body.suspended": [{**CAB, **change}, *others]})


def test_two_bodies_of_one_name_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"suspended\[1\]\.name: 'cab': there is another one"):
        compact(**{"body.suspended": [CAB, CAB]})
