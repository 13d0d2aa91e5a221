"""Builders and numerical tools shared by the tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.core.tables import Table
from jounce.runtime.simulation import Simulation
from jounce.sim.build import build
from jounce.symbolic import Leaf, System, ops
from jounce.symbolic.frames import Frame

Array = npt.NDArray[np.float64]
EPS = float(np.finfo(float).eps)


# --- numbers ---------------------------------------------------------------------------------------------------------


def compiled(system: System, **options: Any) -> Simulation:
    """Build a system and make a simulation of it."""
    return Simulation(build(system), **options)


def set_initial(system: System, **values: float) -> None:
    """Initial values of coordinates and speeds; dots of the names are written as double underscores."""
    items = {item.name: item for item in (*system.coordinates, *system.speeds)}
    for name, value in values.items():
        items[name.replace("__", ".")].default = value


def derivative(function: Callable[[float], Array], h: float = 1e-3) -> tuple[Array, Array]:
    """Central difference at zero with two Richardson steps, and a bound of its error.

    The truncation left is that of a sixth-order formula, far below the difference of the two fourth-order values,
    which is the bound; rounding adds eps |f| / h, a few times.
    """
    values = {k: (np.asarray(function(k * h)), np.asarray(function(-k * h))) for k in (1.0, 0.5, 0.25)}
    d1, d2, d4 = ((plus - minus) / (2 * k * h) for k, (plus, minus) in values.items())
    e1, e2 = (4 * d2 - d1) / 3, (4 * d4 - d2) / 3
    size = np.maximum(*(np.abs(v) for v in values[1.0]))
    return (16 * e2 - e1) / 15, np.abs(e2 - e1) + 40 * EPS * size / h + 1e-13


def assert_close(found: Any, expected: Any, tolerance: Any, names: Sequence[str] | None = None) -> None:
    """Compare arrays; the message names the worst entry."""
    found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    assert found.shape == expected.shape
    tolerance = np.broadcast_to(np.asarray(tolerance, dtype=float), found.shape)
    with np.errstate(invalid="ignore"):
        excess = np.abs(found - expected) / tolerance
    excess = np.where(np.isnan(excess), np.inf, excess)
    if excess.size and not np.all(excess <= 1):
        worst = np.unravel_index(np.argmax(excess), excess.shape)
        label = names[worst[0]] if names else worst
        raise AssertionError(
            f"{label}: {found[worst]!r} instead of {expected[worst]!r}, "
            f"off by {abs(found[worst] - expected[worst]):.3g}, allowed {tolerance[worst]:.3g}"
        )


def quaternion_product(a: Array, b: Array) -> Array:
    """a ∘ b, scalar part first."""
    scalar = a[0] * b[0] - a[1:] @ b[1:]
    return np.array([scalar, *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))])


def rotation_matrix(q: Array) -> Array:
    """R(q/|q|), column by column from q ∘ (0, e) ∘ q*."""
    q = np.asarray(q) / np.linalg.norm(q)
    inverse = q * [1, -1, -1, -1]
    columns = [quaternion_product(quaternion_product(q, np.array([0.0, *e])), inverse)[1:] for e in np.eye(3)]
    return np.array(columns).T


def skew(w: Array) -> Array:
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def random_point(sim: Simulation, seed: int, size: float = 0.3) -> tuple[Array, Array]:
    """States and inputs of a random moving system; quaternions have unit length."""
    rng = np.random.default_rng(seed)
    x = sim.x + rng.uniform(-size, size, len(sim.x))
    for first in sim.model.quaternions:
        q = x[first : first + 4] + rng.uniform(-1, 1, 4)
        x[first : first + 4] = q / np.linalg.norm(q)
    return x, sim.u + rng.uniform(-size, size, len(sim.u))


def along_motion(sim: Simulation, x: Array, u: Array, t: float = 0.0) -> Callable[[float], Array]:
    """All outputs at time t + s on the motion that starts at (x, u): first order in the states and inputs."""
    rate, _ = sim.derivatives(x=x, u=u, t=t)
    u_rate = np.array([u[k] if k >= 0 else 0.0 for k in sim.model.input_rate])
    for i, k in enumerate(sim.model.input_acceleration):
        if k >= 0:
            u_rate[sim.model.input_rate[i]] = u[k]
    return lambda s: sim.outputs(x=x + s * rate, u=u + s * u_rate, t=t + s)


def outputs_by_name(sim: Simulation, values: Array) -> dict[str, float]:
    return dict(zip((v.name for v in sim.model.outputs), values.tolist(), strict=True))


def vector_outputs(system: System, name: str, vector: Sequence[Any], unit: str = "-") -> None:
    for i, value in enumerate(vector):
        system.output(f"{name}.{i}", value, unit)


def take(sim: Simulation, values: Array, name: str, shape: tuple[int, ...] = (3,)) -> Array:
    """A vector or matrix made by ``vector_outputs``."""
    names = [v.name for v in sim.model.outputs]
    first = names.index(f"{name}.0")
    return values[first : first + int(np.prod(shape))].reshape(shape)


# --- models ----------------------------------------------------------------------------------------------------------


def pendulum(length: float = 1.5, angle: float = 0.3) -> System:
    """A point mass on a massless rod."""
    system = System("pendulum")
    mass = system.parameter("mass", 2.0, "kg", "bob")
    hinge = system.revolute("hinge", system.world, axis="y", initial=angle)
    system.body("bob", hinge.frame, mass, center=(0, 0, -length))
    system.output("angle", hinge.q[0], "rad", "from the vertical", watch=True)
    system.output("energy", system.kinetic_energy() + system.potential_energy(), "J")
    return system


def quarter_car() -> System:
    """Two masses on springs; the road is an input with a rate."""
    system = System("quarter_car", gravity=(0, 0, 0))
    p = system.parameters(
        {
            "sprung": (400.0, "kg"),
            "unsprung": (40.0, "kg"),
            "spring": ("25 N/mm", "N/m"),
            "damper": (1500.0, "N.s/m"),
            "tire": (200e3, "N/m"),
        }
    )
    road = system.input("road", "m", "height of the road", rate=True)
    wheel = system.prismatic("wheel", system.world, axis="z")
    body = system.prismatic("body", system.world, axis="z", offset=(0, 0, 1.0))
    system.body("sprung", body.frame, p.sprung)
    system.body("unsprung", wheel.frame, p.unsprung)
    strut = system.two_point(wheel.frame, body.frame)
    strut.act(p.spring * (strut.length - 1.0) + p.damper * strut.rate)
    system.force(wheel.frame, (0, 0, p.tire * (road - wheel.q[0])))
    system.output("travel", strut.length - 1.0, "m")
    return system


def smooth_table(n_axes: int, n_out: int, seed: int = 0, method: str = "cubic", scale: float = 1.0) -> Table:
    """Smooth data on uneven knots around [-1, 1] in every axis."""
    rng = np.random.default_rng(seed)
    axes = [np.cumsum([-1.6, 0.45, 0.62, 0.53, 0.71, 0.48, 0.6]) * rng.uniform(0.95, 1.05) for _ in range(n_axes)]
    grid = np.meshgrid(*axes, indexing="ij")
    out = [
        scale * sum(rng.uniform(0.4, 1) * np.sin(rng.uniform(0.6, 1.4) * g + rng.uniform(-1, 1)) for g in grid)
        + scale * rng.uniform(0.2, 0.6) * np.prod([np.cos(0.7 * g + 0.3) for g in grid], axis=0)
        for _ in range(n_out)
    ]
    values = np.stack(out, axis=-1) if n_out > 1 else out[0]
    return Table(axes, values, method=method, extrapolation="linear")


def tire_leaf() -> Leaf:
    """Saturating side force with a branch, and a moment; derivatives of any order."""

    def body(groups: dict[str, list[Any]]) -> list[Any]:
        slip, load = groups["x"]
        stiffness, peak = groups["p"]
        z = stiffness * slip / (peak * load)
        side = ops.if_else(ops.fabs(z) < 2.0, load * peak * (z - z**3 / 12), load * peak * ops.sign(z) * 4 / 3)
        return [side, side * 0.1 * ops.exp(-z * z)]

    return Leaf("tire", {"x": 2, "p": 2}, body)


def guided_vehicle(name: str = "guided_vehicle", corners: int = 2) -> System:
    """A free body with wheel carriers guided by maps of their travel, another coordinate and an input."""
    system = System(name)
    chassis = system.free("chassis", initial=(0.1, -0.2, 0.5))
    frame = chassis.frame
    system.body("chassis", frame, system.parameter("m", 900.0, "kg"), (300, 900, 1000, 20, -40, 10), (0.1, 0.02, 0.1))
    rack, rack_rate = system.coordinate("rack", unit="m", on=frame)
    steer = system.input("steer", "rad", "hand wheel", rate=True, acceleration=True)
    push = system.input("push", "N", "force ahead")
    drive = system.input("drive", "N.m", "torque on the wheels")
    rack_body = frame.guided("rack", (0.4, rack, 0.05))
    system.body("rack", rack_body, 12.0)
    system.generalized_force(rack_rate, -2e4 * (rack - 0.05 * steer) - 300.0 * rack_rate)
    tire = tire_leaf()
    for i in range(corners):
        side = 1 if i % 2 == 0 else -1
        corner = system.scope(f"c{i}")
        travel, _ = corner.coordinate("travel", unit="m", on=frame)
        if i % 2 == 0:  # maps of travel and rack
            maps = corner.table("maps", smooth_table(2, 5, seed=i, scale=0.08))(travel, rack)
        else:  # maps of travel, rack and an input that has a rate
            maps = corner.table("maps", smooth_table(3, 5, seed=i, scale=0.08))(travel, rack, steer)
        x, y, toe, camber, spin_angle = maps
        carrier = frame.guided(
            "carrier",
            (1.2 - 2.4 * (i // 2) + x, side * 0.7 + y, travel - 0.2),
            (("z", toe), ("x", camber), ("y", spin_angle)),
        )
        body = corner.body(
            "carrier", carrier, 35.0 + i, (0.9, 1.6, 0.8, 0.02, 0.01, 0.03), center=(0.01, 0.03 * side, 0.02)
        )
        wheel = corner.gyrostat("wheel", body, (0, 1, 0), 1.1)
        load = 3000.0 - 2.5e4 * carrier.position[2]
        slip = carrier.v[1] / (5.0 + ops.fabs(carrier.v[0]))
        side_force, moment = corner.call(tire, {"x": [slip, load], "p": [corner.parameter("stiffness", 4e4), 1.1]})
        corner.force(carrier, (0.0, -side_force, 0.0), at=(0, 0, -0.3))
        system.force(carrier, (0.0, 0.0, load), axes=system.world)
        wheel.torque(drive - 0.4 * wheel.spin)
        wheel.external_torque((0.0, moment, 0.1 * moment))
        strut = corner.two_point(frame, carrier, at_a=(1.2 - 2.4 * (i // 2), side * 0.6, 0.5))
        strut.act(2.2e4 * (strut.length - 0.7) + 1500 * strut.rate)
        corner.output("travel", travel, "m")
        corner.output("load", load, "N")
        corner.output("side", side_force, "N")
        vector_outputs(system, f"c{i}.acceleration", system.frame_acceleration(carrier, at=(0.1, 0, 0)), "m/s2")
    system.force(frame, (push, 0, 0), at=(0, 0, 0.1))
    lag = system.state("lag", "N", "filtered push")
    system.derivative(lag, (push - lag) / 0.2)
    system.output("lag", lag, "N")
    system.output("speed", frame.v[0], "m/s", watch=True)
    system.output("height", frame.position[2], "m")
    system.output("push_twice", 2 * push + drive, "N")
    set_initial(system, chassis__vx=12.0, chassis__vy=0.4, chassis__wx=0.3, chassis__wy=-0.5, chassis__wz=0.8)
    return system


def chain(n: int, *, units: bool, name: str = "chain") -> System:
    """n articulated links behind a free body, each a unit of its own or all in one."""
    system = System(name)
    frame: Frame = system.free("head").frame
    system.body("head", frame, 10.0, (1, 2, 3, 0.1, 0.2, 0.3), (0.1, 0.2, -0.1))
    for i in range(n):
        part = system.scope(f"link{i}")
        hitch = frame.fixed("hitch", (-1.0, 0.1, 0.05), (("z", 0.2),))
        root = part.unit("unit", hitch) if units else hitch
        ball = part.ball("joint", root) if i % 2 else part.universal("joint", root, axes=("z", "y"))
        part.body("beam", ball.frame, 3.0 + i, (0.5, 0.6, 0.7, 0.01, 0.02, 0.03), (-0.5, 0, 0.1))
        slide = part.prismatic("slide", ball.frame, axis=(1, 1, 2), offset=(-0.4, 0, 0))
        part.body("slider", slide.frame, 0.7, (0.02, 0.03, 0.04))
        part.generalized_force(slide.u[0], -50 * slide.q[0] - 2 * slide.u[0])
        wheel = part.gyrostat("rotor", part.system.units[-1].bodies[-1], (0, 1, 0), 0.05, initial=20.0)
        wheel.torque(0.3)
        part.force(ball.frame, (1.0, 2.0, -0.5), at=(-0.3, 0.1, 0))
        part.force(slide.frame, (0.3, 0.1, 0.2), axes=system.world)
        part.torque(ball.frame, (0.2, -0.1, 0.4), axes=frame)
        rope = system.two_point(frame, slide.frame, at_a=(0.3, 0.8, 0), at_b=(0.1, 0, 0.2))
        rope.act(30 * (rope.length - 0.5) + 3 * rope.rate)
        vector_outputs(system, f"a{i}", system.frame_acceleration(slide.frame, (0.1, 0.2, 0.3)), "m/s2")
        frame = ball.frame.fixed("tail", (-0.2, 0, 0))
    return system
