"""A tire on a wheel of a mechanism: against the same tire evaluated by hand in world axes, forces in, forces out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import jounce as jn
from jounce.components.tire.contact import motion, touch, wrench
from jounce.components.tire.pac2002 import symmetrised
from jounce.components.tire.transient import evaluate, inputs, outputs
from jounce.components.tire.wheel import declare, mount, out_of_range
from jounce.core.constants import GRAVITY
from jounce.core.errors import ModelError
from jounce.core.tables import Table
from jounce.road.ground import Plane, Service
from jounce.runtime.simulation import Simulation
from jounce.symbolic import System
from models import assert_close, compiled, outputs_by_name, rotation_matrix
from tire_models import EXAMPLE, FULL, rig, tire

MASS, SPIN_INERTIA = 45.0, 1.3
INERTIA = (0.9, 1.4, 0.8)
PLACE = (1.3, 0.75, -0.25)
GRADE, BANK, MU = 0.08, -0.05, 0.85


def carried(side: str, kind: str = "plane", mode: int = 14) -> System:
    """A free chassis, a carrier turned by toe, camber and side-view angle, the tire; the carrier has all the mass."""
    system = System("carried")
    chassis = system.free("chassis")
    toe, camber, sva = (system.input(n, "rad", rate=True) for n in ("toe", "camber", "sva"))
    frame = chassis.frame.guided("carrier", PLACE, (("z", toe), ("x", camber), ("y", sva)))
    body = system.body("carrier", frame, MASS, INERTIA)
    wheel = system.gyrostat("wheel", body, "y", SPIN_INERTIA)
    ground: Any = Service.declare(system) if kind == "service" else Plane.declare(system, inclined=True)
    factor = system.input("tire_mu", default=0.0)
    mounted = mount(system, declare(system, tire(FULL, mode)), wheel, ground, side, friction=factor)
    mounted.declare_outputs(system)
    for i, a in enumerate(system.frame_acceleration(frame)):
        system.output(f"acceleration.{i}", a, "m/s2")
    system.output("spin_up", system.acceleration(wheel.spin), "rad/s2")
    system.output("carrier_spin_up", frame_rate(system, frame), "rad/s2")
    return system


def frame_rate(system: System, frame: Any) -> Any:
    """Angular acceleration of the carrier about its y axis."""
    from jounce.symbolic.calls import TimeDerivative, key

    rates = {**system.rates, **{key(s.symbol): s.acceleration for s in system.speeds}}
    return TimeDerivative(system.calls, rates, system.unmoving)(frame.w[1])


@pytest.fixture(scope="module", params=["plane", "service"])
def simulations(request: pytest.FixtureRequest) -> dict[str, Simulation]:
    found = {}
    for side in ("left", "right"):
        sim = compiled(carried(side, request.param), method="AM-2", step=0.001)
        if request.param == "plane":
            sim.set_parameters({"ground.grade": GRADE, "ground.bank": BANK, "ground.friction": MU})
        else:
            sim.bind("ground", lambda at, order: np.array([GRADE * at[0] + BANK * at[1], GRADE, BANK, MU]))
        found[side] = sim
    return found


def rotation(axis: int, angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("side", ["left", "right"])
def test_a_wheel_in_chassis_axes_equals_the_tire_in_world_axes(
    simulations: dict[str, Simulation], side: str, seed: int
) -> None:
    sim = simulations[side]
    rng = np.random.default_rng(seed)
    names = [v.name for v in sim.model.states]
    x = dict(zip(names, sim.x.copy(), strict=True))
    q = np.array([1, 0, 0, 0]) + rng.uniform(-0.1, 0.1, 4) + [0, 0, 0, rng.uniform(-3, 3)]
    quaternion = names[sim.model.quaternions[0] : sim.model.quaternions[0] + 4]
    x.update(zip(quaternion, q, strict=True))
    position = rng.uniform([-5, -5, 0], [5, 5, 0])
    speeds = rng.normal(0, 1, 6) * [10, 1, 0.3, 0.2, 0.2, 0.5]
    x.update(
        zip(("chassis.vx", "chassis.vy", "chassis.vz", "chassis.wx", "chassis.wy", "chassis.wz"), speeds, strict=True)
    )
    x.update({"wheel.spin": rng.normal(30, 20), "tire.u": rng.normal(0, 0.01), "tire.v": rng.normal(0, 0.01)})
    x.update({"tire.rolled": rng.uniform(-1, 1), "tire.twist": rng.uniform(-1, 1)})
    angles = rng.normal(0, 0.05, 3)
    factor = 0.0 if seed % 2 else 0.9

    # by hand, in world axes
    R = rotation_matrix(q)
    C = R @ rotation(2, angles[0]) @ rotation(0, angles[1]) @ rotation(1, angles[2])
    n = np.array([-GRADE, -BANK, 1.0]) / np.linalg.norm([GRADE, BANK, 1.0])
    centre = position + R @ PLACE
    centre[2] += GRADE * centre[0] + BANK * centre[1] - centre[2] + (0.3135 - rng.uniform(0.002, 0.04)) / n[2]
    position = centre - R @ PLACE
    x.update(zip(("chassis.x", "chassis.y", "chassis.z"), position, strict=True))
    contact = touch(C[:, 1], n, centre @ n)
    w = R @ speeds[3:]
    moving = motion(contact, R @ speeds[:3] + np.cross(w, R @ PLACE), w)
    t = tire(FULL)
    point = {
        "rho": 0.3135 - contact.radius,
        "rho_rate": moving.rho_rate,
        "gamma": contact.gamma,
        "vx": moving.vx,
        "vy": moving.vy,
        "spin": x["wheel.spin"],
        "friction": MU * (factor or 1.0),
        "side": 1.0 if side == "left" else -1.0,
        "u": x["tire.u"],
        "v": x["tire.v"],
        "yaw_rate": w @ n,
        "rolled": x["tire.rolled"],
        "twist": x["tire.twist"],
        "t_dt": 0.0005,
    }
    expected = dict(zip(outputs(t.model), evaluate(t.model, t.values, point), strict=True))

    sim.set_states(x)
    sim.set_inputs(dict(zip(("toe", "camber", "sva"), angles, strict=True)) | {"tire_mu": factor})
    found = outputs_by_name(sim, sim.outputs())
    for name in ("fx", "fy", "fz", "mx", "my", "mz", "kappa", "alpha", "radius"):
        assert found[f"tire.{name}"] == pytest.approx(float(expected[name]), rel=1e-9, abs=1e-7), name
    rate, _ = sim.derivatives()
    for name in ("u", "v", "rolled", "twist"):
        assert rate[names.index(f"tire.{name}")] == pytest.approx(float(expected[f"{name}_rate"]), rel=1e-9, abs=1e-9)

    # Newton: the carrier is all there is
    total = wrench(contact, [expected[k] for k in ("fx", "fy", "fz")], [expected[k] for k in ("mx", "my", "mz")])
    weight = np.array([0, 0, -MASS * GRAVITY])
    force = np.array(total.force, dtype=float) + weight
    acceleration = C @ [found[f"acceleration.{i}"] for i in range(3)]
    assert_close(acceleration, force / MASS, 1e-7 * (1 + np.abs(force / MASS)))
    torque = C[:, 1] @ np.array(total.moment, dtype=float)
    assert SPIN_INERTIA * (found["spin_up"] + found["carrier_spin_up"]) == pytest.approx(torque, rel=1e-8, abs=1e-6)


def test_a_steady_mode_has_no_states() -> None:
    system = carried("left", mode=4)
    assert not system.states
    sim = compiled(system)
    assert np.all(np.isfinite(sim.outputs()))


def test_curves_run_in_compiled_code() -> None:
    pen = np.linspace(0, 0.1, 11)
    curves = {
        "deflection": Table(pen, 1.5e5 * pen + 1e6 * pen**2, method="akima", extrapolation="linear"),
        "bottoming": Table([0.0, 0.02], [0.0, 3e4], extrapolation="linear"),
    }
    t = replace(tire(symmetrised(EXAMPLE), deflection_curve=True, bottoming_curve=True), curves=curves)
    sim = compiled(rig(t))
    for height in (0.33, 0.3, 0.25, 0.2, 0.18):
        sim.set_states({"z.travel": height})
        assert sim.output("tire.fz") == pytest.approx(float(t.load(0.3135 - height)), rel=1e-12)
    with pytest.raises(ModelError, match="curve 'deflection' has no data"):
        declare(System("no_data"), tire(deflection_curve=True))


def test_wheels_of_one_file_share_its_numbers() -> None:
    system = System("axle")
    body = system.body("beam", system.free("beam").frame, 100.0, (10.0, 10.0, 10.0))
    block = declare(system, tire(FULL))
    ground = Plane.declare(system)
    for side in ("left", "right"):
        mount(system.scope(side), block, system.scope(side).gyrostat("wheel", body, "y", 1.0), ground, side)
    model = system.generate()
    assert sum(p.name.endswith(".PKY1") for p in model.parameters) == 1
    text = "\n".join(source for name, source in model.sources.items() if name.endswith(".c"))
    assert text.count("leaf_tire_pac2002(") == 3, "defined once, called twice"


def test_a_standing_wheel_can_be_linearised() -> None:
    t = tire(symmetrised(EXAMPLE))
    system = rig(t)
    sim = compiled(system)
    sim.set_states({"z.travel": 0.3135 - t.deflection(400 * GRAVITY)})
    linear = jn.Lineariser(system).at(sim)
    assert np.all(np.isfinite(linear.A))
    # vertical: sqrt(Cz/m); on the contact spring: trolley and wheel swing against each other
    found = np.sort(np.abs(linear.eigenvalues().imag))
    assert np.any(np.isclose(found, np.sqrt(2e5 / 400), rtol=0.01))


@pytest.mark.parametrize(
    ("point", "code"),
    [((4000, 0, 0, 0), 0), ((100, 0, 0, 0), 1), ((9500, 1.2, 0, 0), 3), ((4000, 0, -1.6, 0.3), 12)],
)
def test_leaving_the_ranges_of_the_file_is_told(point: tuple[float, ...], code: int) -> None:
    assert out_of_range(tire().values, *point) == code


def test_inputs_of_the_leaf_are_documented_in_order() -> None:
    assert inputs(tire(mode=14).model)[-3:] == ("u", "v", "t_dt")
    assert inputs(tire(mode=4).model)[-1] == "side"
