"""Random trees of bodies: mass matrix, bias, accelerations and energy against Pinocchio.

For generalised speeds u and applied generalised forces τ,

    M(q) u̇ + h(q, u) = τ                                                                                (1)

Pinocchio [Carpentier2019] computes M by the composite-rigid-body algorithm, h by recursive Newton-Euler and u̇ by the
articulated-body algorithm [Featherstone2008], from spatial inertias; here all three come from Kane's equations by
automatic differentiation, an elimination ordered leaf first, and compiled C.  The two share no code and no
formulation.

A tree is a structure (joints, parents, units, rotors) and numbers (masses, inertias, axes, places, angles).  Structures
are compiled, numbers are parameters, so many trees cost few compilations.  Coordinates map one to one, except that
Pinocchio puts the scalar part of a quaternion last and that

- a universal joint is two revolute joints with a body of no mass between them;
- a rotor (gyrostat) is a body on one more revolute joint: the carrier here has the inertia of both.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from jounce.core.constants import GRAVITY
from jounce.sim.build import build, recipe
from jounce.verify.book import Page, case

if TYPE_CHECKING:
    from jounce.core.generated import GeneratedModel
    from jounce.symbolic import System

Array = npt.NDArray[np.float64]

STRUCTURES = 5
NUMBERS = 4  # per structure: 20 trees
STATES = 5  # per tree
JOINTS = 7
TOLERANCE = 1e-10

UNIVERSALS = (("z", "y"), ("x", "z"), ("y", "x"))
BEND = ("z", "x")  # axes of the constant rotations in front of a joint


@dataclass(frozen=True)
class Node:
    """One joint with its body."""

    kind: str
    parent: int  # -1: the world
    axes: tuple[str, str] = ("z", "y")  # of a universal joint
    bent: bool = False  # behind a constant rotation
    unit: bool = False  # carries a unit of its own
    rotor: bool = False


def structure(seed: int) -> tuple[Node, ...]:
    """A random tree in which every kind of joint occurs."""
    draw = random.Random(seed)
    kinds = ["revolute", "prismatic", "ball", "universal", "free", "revolute"]
    draw.shuffle(kinds)
    # a mobile base every second time, as in a vehicle; else a fixed one, as in a robot
    kinds.insert(0, "free" if seed % 2 == 0 else "revolute")
    return tuple(
        Node(
            kind,
            parent=draw.randrange(max(0, i - 3), i) if i else -1,
            axes=draw.choice(UNIVERSALS),
            bent=draw.random() < 0.5,
            unit=0 < i < JOINTS - 1 and draw.random() < 0.35,
            rotor=draw.random() < 0.3 or i == 1,
        )
        for i, kind in enumerate(kinds)
    )


def tree(seed: int) -> System:
    """The structure as a system; every number is a parameter, every speed has a generalised force as input."""
    from jounce.symbolic import System

    s = System(f"tree_{seed}")
    numbers = Numbers.random(structure(seed), np.random.default_rng(seed))
    frames: list[Any] = []
    for i, node in enumerate(structure(seed)):
        scope = s.scope(f"b{i}")

        def vector(name: str, unit: str, values: Array, scope: Any = scope) -> list[Any]:
            return [scope.parameter(f"{name}{k}", float(v), unit) for k, v in enumerate(values)]

        one = numbers.nodes[i]
        base = frames[node.parent] if node.parent >= 0 else s.world
        if node.unit:
            base = s.unit(f"unit{i}", at=base)
        offset = vector("offset", "m", one.offset)
        if node.bent:
            angles = vector("bend", "rad", one.bend)
            base = base.fixed(f"bend{i}", offset, tuple(zip(BEND, angles, strict=True)))
            offset = [0.0, 0.0, 0.0]
        if node.kind in ("revolute", "prismatic"):
            joint = getattr(scope, node.kind)("joint", base, axis=vector("axis", "-", one.axis), offset=offset)
        elif node.kind == "universal":
            joint = scope.universal("joint", base, axes=node.axes, offset=offset)
        elif node.kind == "ball":
            joint = scope.ball("joint", base, offset=offset)
        else:
            joint = scope.free("joint", base.fixed(f"base{i}", offset))
        mass, center, inertia = one.total()
        body = scope.body(
            "body",
            joint.frame,
            scope.parameter("mass", mass, "kg"),
            vector("inertia", "kg.m2", inertia),
            vector("center", "m", center),
        )
        if node.rotor:
            axis = vector("spin_axis", "-", one.spin_axis)
            scope.gyrostat("rotor", body, axis, scope.parameter("spin_inertia", one.spin_inertia, "kg.m2"))
        frames.append(joint.frame)
    for speed in list(s.speeds):
        unit = "N" if speed.unit == "m/s" else "N.m"
        s.generalized_force(speed.symbol, s.input(f"load.{speed.name}", unit))
    s.output("kinetic_energy", s.kinetic_energy(), "J")
    s.output("potential_energy", s.potential_energy(), "J")
    return s


@recipe
def tree_model(seed: int) -> System:
    return tree(seed)


@recipe
def tree_mass_matrix(seed: int) -> GeneratedModel:
    from jounce.symbolic.inspect import generate_mass_matrix

    return generate_mass_matrix(tree(seed))


@dataclass
class NodeNumbers:
    offset: Array
    bend: Array
    axis: Array
    mass: float
    center: Array
    inertia: Array  # 3 x 3, about the centre of mass
    rotor: bool
    rotor_mass: float
    rotor_center: Array
    spin_axis: Array
    spin_inertia: float
    cross_inertia: float

    @property
    def rotor_inertia(self) -> Array:
        """A balanced rotor: any inertia along the axis, another one across."""
        along = np.outer(self.spin_axis, self.spin_axis)
        return self.cross_inertia * (np.eye(3) - along) + self.spin_inertia * along

    def total(self) -> tuple[float, Array, Array]:
        """Mass, centre and (xx, yy, zz, xy, xz, yz) of body and rotor together (parallel axis theorem)."""
        parts = [(self.mass, self.center, self.inertia)]
        if self.rotor:
            parts.append((self.rotor_mass, self.rotor_center, self.rotor_inertia))
        mass = sum(m for m, _, _ in parts)
        center = sum((m * c for m, c, _ in parts), np.zeros(3)) / mass
        tensor = np.zeros((3, 3))
        for m, c, i in parts:
            d = c - center
            tensor += i + m * (d @ d * np.eye(3) - np.outer(d, d))
        six = np.array([tensor[0, 0], tensor[1, 1], tensor[2, 2], tensor[0, 1], tensor[0, 2], tensor[1, 2]])
        return float(mass), center, six


@dataclass
class Numbers:
    nodes: list[NodeNumbers] = field(default_factory=list)

    @classmethod
    def random(cls, nodes: tuple[Node, ...], rng: np.random.Generator) -> Numbers:
        def direction() -> Array:
            a = rng.normal(size=3)
            return np.asarray(a / np.linalg.norm(a))

        def one(node: Node) -> NodeNumbers:
            root = rng.normal(size=(3, 3))
            return NodeNumbers(
                offset=rng.normal(size=3),
                bend=rng.uniform(-math.pi, math.pi, size=2),
                axis=direction(),
                mass=rng.uniform(0.5, 3.0),
                center=0.3 * rng.normal(size=3),
                inertia=root @ root.T + 0.5 * np.eye(3),
                rotor=node.rotor,
                rotor_mass=rng.uniform(0.2, 1.0),
                rotor_center=0.3 * rng.normal(size=3),
                spin_axis=direction(),
                spin_inertia=rng.uniform(0.2, 1.0),
                cross_inertia=rng.uniform(0.2, 1.0),
            )

        return cls([one(node) for node in nodes])

    def parameters(self) -> dict[str, float]:
        values: dict[str, float] = {}
        for i, one in enumerate(self.nodes):
            mass, center, inertia = one.total()
            values |= {f"b{i}.mass": mass, f"b{i}.spin_inertia": one.spin_inertia}
            arrays = {"offset": one.offset, "bend": one.bend, "axis": one.axis, "center": center, "inertia": inertia}
            for name, array in (arrays | {"spin_axis": one.spin_axis}).items():
                values |= {f"b{i}.{name}{k}": float(v) for k, v in enumerate(array)}
        return values


class Peer:
    """The same tree in Pinocchio, with our names of its coordinates and speeds in its order."""

    def __init__(self, nodes: tuple[Node, ...], numbers: Numbers) -> None:
        import pinocchio as pin

        self.pin = pin
        self.model = pin.Model()
        self.q: list[str] = []
        self.u: list[str] = []
        joints: dict[int, int] = {-1: 0}
        turning = {"x": pin.JointModelRX, "y": pin.JointModelRY, "z": pin.JointModelRZ}
        turns = {"x": np.array([1.0, 0, 0]), "y": np.array([0, 1.0, 0]), "z": np.array([0, 0, 1.0])}
        # crba takes the speeds of a subtree to be neighbours: joints must be added depth first
        for i in _depth_first(nodes):
            node, one = nodes[i], numbers.nodes[i]
            parent = joints[node.parent]
            rotation = np.eye(3)
            if node.bent:
                for axis, angle in zip(BEND, one.bend, strict=True):
                    rotation = rotation @ pin.AngleAxis(float(angle), turns[axis]).toRotationMatrix()
            place = pin.SE3(rotation, one.offset)
            b = f"b{i}.joint"
            if node.kind == "universal":
                first = self.model.addJoint(parent, turning[node.axes[0]](), place, f"{b}.first")
                last = self.model.addJoint(first, turning[node.axes[1]](), pin.SE3.Identity(), b)
                coordinates, speeds = [f"{b}.angle1", f"{b}.angle2"], [f"{b}.rate1", f"{b}.rate2"]
            else:
                kind, coordinates, speeds = {
                    "revolute": (pin.JointModelRevoluteUnaligned, [f"{b}.angle"], [f"{b}.rate"]),
                    "prismatic": (pin.JointModelPrismaticUnaligned, [f"{b}.travel"], [f"{b}.rate"]),
                    "ball": (pin.JointModelSpherical, _quaternion(b), [f"{b}.w{k}" for k in "xyz"]),
                    "free": (
                        pin.JointModelFreeFlyer,
                        [f"{b}.{k}" for k in "xyz"] + _quaternion(b),
                        [f"{b}.v{k}" for k in "xyz"] + [f"{b}.w{k}" for k in "xyz"],
                    ),
                }[node.kind]
                joint = kind(one.axis) if node.kind in ("revolute", "prismatic") else kind()
                last = self.model.addJoint(parent, joint, place, b)
            self.q += coordinates
            self.u += speeds
            joints[i] = last
            self.model.appendBodyToJoint(last, pin.Inertia(one.mass, one.center, one.inertia), pin.SE3.Identity())
            if one.rotor:
                spin = pin.JointModelRevoluteUnaligned(one.spin_axis)
                hub = pin.SE3(np.eye(3), one.rotor_center)
                rotor = self.model.addJoint(last, spin, hub, f"b{i}.rotor")
                own = pin.Inertia(one.rotor_mass, np.zeros(3), one.rotor_inertia)
                self.model.appendBodyToJoint(rotor, own, pin.SE3.Identity())
                self.q.append(f"b{i}.rotor")  # an angle that nothing depends on
                self.u.append(f"b{i}.rotor.spin")
        self.model.gravity.linear = np.array([0.0, 0.0, -GRAVITY])
        self.data = self.model.createData()


def _depth_first(nodes: tuple[Node, ...], parent: int = -1) -> list[int]:
    children = [i for i, node in enumerate(nodes) if node.parent == parent]
    return [number for i in children for number in (i, *_depth_first(nodes, i))]


def _quaternion(b: str) -> list[str]:
    return [f"{b}.e1", f"{b}.e2", f"{b}.e3", f"{b}.e0"]


def random_state(peer: Peer, rng: np.random.Generator) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
    """Coordinates, speeds and loads by name; quaternions have length one."""
    q = {name: float(rng.normal()) for name in peer.q}
    for name in [n for n in peer.q if n.endswith(".e0")]:
        four = [f"{name[:-1]}{k}" for k in range(4)]
        length = math.sqrt(sum(q[n] ** 2 for n in four))
        q |= {n: q[n] / length for n in four}
    u = {name: float(rng.normal()) for name in peer.u}
    load = {name: float(10.0 * rng.normal()) for name in peer.u}
    return q, u, load


@case("trees", "Random trees of bodies against Pinocchio", chapter=5, needs={"pinocchio": "pin"})
def trees(page: Page) -> None:
    """Twenty random trees of seven joints (revolute and prismatic with any axis, universal, ball, free; constant
    offsets and rotations; rotors; several units joined recursively) in random states under random loads. Mass matrix
    and bias are compared entry by entry, accelerations and energies with them, with the rigid-body library Pinocchio,
    which uses other algorithms, other code and other people's understanding of the same mechanics. All numbers are
    evaluated by the compiled C."""
    from jounce.runtime.simulation import Simulation

    quantities = ("mass matrix", "bias", "accelerations", "kinetic energy", "potential energy")
    errors: dict[str, list[float]] = {name: [] for name in quantities}
    units = rotors = 0
    for seed in range(STRUCTURES):
        nodes = structure(seed)
        units += sum(node.unit for node in nodes)
        rotors += sum(node.rotor for node in nodes)
        sim = Simulation(tree_model.build(seed))
        generated = tree_mass_matrix.generate(seed)
        mass = Simulation(build(generated))
        rng = np.random.default_rng(1000 + seed)
        for _ in range(NUMBERS):
            numbers = Numbers.random(nodes, rng)
            values = numbers.parameters()
            for target in (sim, mass):
                names = {v.name for v in target.model.parameters}
                target.set_parameters({k: v for k, v in values.items() if k in names})
            peer = Peer(nodes, numbers)
            worst = dict.fromkeys(errors, 0.0)
            for _ in range(STATES):
                compared = _compare(sim, mass, generated.notes["speeds"], peer, random_state(peer, rng))
                for name, error in compared.items():
                    worst[name] = max(worst[name], error)
            for name, error in worst.items():
                errors[name].append(error)

    for name, found in errors.items():
        page.row(
            f"{name}, largest error relative to the largest entry, {STRUCTURES * NUMBERS} trees",
            expected=0.0,
            measured=max(found),
            tolerance=TOLERANCE,
            kind="independent package",
            source="Pinocchio [Carpentier2019]: crba, nle, aba, computeKineticEnergy, computePotentialEnergy",
            why="Rounding: sums of about 1e3 terms of like size give 1e-13, solved with a mass matrix of condition "
            "up to "
            "about 1e3. 1e-10 is the promise.",
        )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        number = np.arange(1, STRUCTURES * NUMBERS + 1)
        for (name, values), marker in zip(errors.items(), "osD^v", strict=True):
            axes.semilogy(number, np.maximum(values, 1e-17), marker, ms=4.5, alpha=0.85, label=name)
        axes.axhline(TOLERANCE, color="C3", lw=1)
        axes.text(number[-1], TOLERANCE * 1.6, "allowed", color="C3", ha="right")
        axes.set(xlabel="tree", ylabel="relative error", ylim=(1e-17, 1e-8), xticks=number)
        axes.legend(loc="upper center", ncols=5, columnspacing=1.2, handletextpad=0.3)

    page.plot(
        f"Largest relative error per tree ({STRUCTURES} structures, together {units} units and {rotors} rotors, "
        f"{NUMBERS} sets of numbers each, {STATES} states per tree).",
        draw,
    )


def _compare(sim: Any, mass: Any, speeds: list[str], peer: Peer, state: Any) -> dict[str, float]:
    q, u, load = state
    both = q | u
    x = np.array([both[v.name] for v in sim.model.states])
    inputs = np.array([load[v.name.removeprefix("load.")] for v in sim.model.inputs])
    rates = dict(zip([v.name for v in sim.model.states], sim.derivatives(x=x, u=inputs)[0], strict=True))
    energies = dict(zip([v.name for v in sim.model.outputs], sim.outputs(x=x, u=inputs), strict=True))
    matrix, right = mass.call("mass_matrix", x=x, u=np.zeros(len(inputs)))

    pin, model, data = peer.pin, peer.model, peer.data
    their_q = np.array([q[name] for name in peer.q])
    their_u = np.array([u[name] for name in peer.u])
    tau = np.array([load[name] for name in peer.u])
    order = [peer.u.index(name) for name in speeds]
    their_m = np.array(pin.crba(model, data, their_q))
    their_m = np.triu(their_m) + np.triu(their_m, 1).T  # only the upper triangle is promised
    bias = np.array(pin.nonLinearEffects(model, data, their_q, their_u))
    acceleration = np.array(pin.aba(model, data, their_q, their_u, tau))
    n = len(speeds)

    def relative(ours: Array, theirs: Array) -> float:
        return float(np.abs(ours - theirs).max() / np.abs(theirs).max())

    kinetic = float(pin.computeKineticEnergy(model, data, their_q, their_u))
    potential = float(pin.computePotentialEnergy(model, data, their_q))
    return {
        "mass matrix": relative(matrix.reshape(n, n), their_m[np.ix_(order, order)]),
        "bias": relative(-right, bias[order]),
        "accelerations": relative(np.array([rates[name] for name in speeds]), acceleration[order]),
        "kinetic energy": abs(energies["kinetic_energy"] - kinetic) / kinetic,
        "potential energy": abs(energies["potential_energy"] - potential) / max(abs(potential), 1.0),
    }
