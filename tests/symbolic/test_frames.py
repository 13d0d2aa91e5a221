"""Frames: rotations as the conventions say, velocities and accelerations as derivatives of positions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from jounce.core.errors import ModelError
from jounce.runtime.simulation import Simulation
from jounce.symbolic import System, ops
from jounce.symbolic.frames import Frame
from jounce.symbolic.generate import evaluate
from models import (
    EPS,
    Array,
    along_motion,
    assert_close,
    compiled,
    derivative,
    quaternion_product,
    random_point,
    rotation_matrix,
    skew,
    smooth_table,
    take,
    vector_outputs,
)

FRAMES = (
    *("revolute", "skewed", "prismatic", "shifted", "universal", "ball", "free", "carried", "guided", "timed"),
    *("welded", "deep", "unit"),
)


def everything() -> tuple[System, dict[str, Frame]]:
    """One chain with every kind of joint, on parents that move."""
    system = System("every_joint")
    lift = system.input("lift", "m", rate=True, acceleration=True)
    angle = system.input("angle", "rad", rate=True)
    frames: dict[str, Frame] = {}
    frames["free"] = f = system.free("free", initial=(0.3, -0.2, 0.1)).frame
    frames["revolute"] = f = system.revolute("revolute", f, axis="z", offset=(0.5, 0.1, lift)).frame
    frames["skewed"] = f = system.revolute("skewed", f, axis=(1, -2, 0.5), offset=(0, 0.3, 0)).frame
    frames["prismatic"] = system.prismatic("prismatic", f, axis=(1, 2, 2), offset=(0.1, 0.2, 0)).frame
    frames["shifted"] = f = system.prismatic("shifted", f, axis="y", offset=(lift, 0, ops.sin(angle))).frame
    frames["universal"] = f = system.universal("universal", f, axes=("x", "z"), offset=(0.2, 0, 0)).frame
    frames["ball"] = f = system.ball("ball", f, offset=(0, angle, 0.4)).frame
    q, _ = system.coordinate("q", unit="m", on=f)
    x, y, toe, camber = system.table("maps", smooth_table(3, 4, seed=3, scale=0.2))(q, lift, angle)
    frames["guided"] = g = f.guided("guided", (x, y, q), (("z", toe), ("x", camber), ("y", angle * q)))
    frames["timed"] = g.guided("timed", (ops.sin(system.time), 0, 0), (("y", 0.3 * system.time**2),))
    frames["carried"] = g = system.free("carried", g).frame
    frames["welded"] = system.world.fixed("welded", (1, 2, 3), (("x", 0.3), ("z", -0.8)))
    frames["deep"] = g.fixed("deep", (0.1, 0.2, 0.3), (("y", 0.5), ("x", 0.2)))
    root = system.unit("unit", frames["deep"])
    frames["unit"] = system.revolute("unit_joint", root, axis="x", offset=(0.1, 0, lift)).frame
    for i, frame in enumerate(frames.values()):
        system.body(
            f"b{i}", frame, 1.0 + i, (0.2, 0.3, 0.4, 0.01, 0.02, 0.03), (0.1, -0.1, 0.2) if i % 2 else (0, 0, 0)
        )
    return system, frames


POINT = (0.3, -0.4, 0.2)


@pytest.fixture(scope="module")
def machine() -> Simulation:
    system, frames = everything()
    for name in FRAMES:
        frame = frames[name]
        vector_outputs(system, f"{name}.position", frame.position)
        vector_outputs(system, f"{name}.orientation", [e for row in frame.orientation for e in row])
        vector_outputs(system, f"{name}.v", frame.v)
        vector_outputs(system, f"{name}.w", frame.w)
        vector_outputs(system, f"{name}.point", frame.point(POINT))
        vector_outputs(system, f"{name}.point_velocity", frame.to_world(frame.point_velocity(POINT)))
        vector_outputs(system, f"{name}.acceleration", frame.to_world(system.frame_acceleration(frame, POINT)))
        vector_outputs(system, f"{name}.gravity", frame.gravity)
    other = frames["unit"]
    vector_outputs(system, "to_other", frames["prismatic"].express((1.0, -2.0, 0.5), other))
    line = system.two_point(frames["prismatic"], other, at_a=(0.1, 0, 0), at_b=POINT)
    system.output("length", line.length)
    system.output("length_rate", line.rate)
    vector_outputs(system, "end_a", frames["prismatic"].point((0.1, 0, 0)))
    return compiled(system)


@pytest.fixture(scope="module", params=[1, 2])
def motion(machine: Simulation, request: pytest.FixtureRequest) -> tuple[Array, Array, Array, Array]:
    """Inputs, outputs, their time derivatives and the error bound of those at a random moving state."""
    x, u = random_point(machine, request.param)
    move = along_motion(machine, x, u, t=0.4)
    rate, error = derivative(move)
    return u, move(0.0), rate, error


@pytest.mark.parametrize("name", FRAMES)
def test_velocities_are_derivatives_of_positions(
    machine: Simulation, motion: tuple[Array, Array, Array, Array], name: str
) -> None:
    _, at, rate, error = motion
    R = take(machine, at, f"{name}.orientation", (3, 3))
    v, w = take(machine, at, f"{name}.v"), take(machine, at, f"{name}.w")
    assert_close(R.T @ R, np.eye(3), 40 * EPS)
    allowed = 2 * take(machine, error, f"{name}.position") + 1e-12
    assert_close(R @ v, take(machine, rate, f"{name}.position"), allowed)
    allowed = 2 * take(machine, error, f"{name}.orientation", (3, 3)) + 1e-12
    assert_close(R @ skew(w), take(machine, rate, f"{name}.orientation", (3, 3)), allowed)
    allowed = 2 * take(machine, error, f"{name}.point") + 1e-12
    assert_close(take(machine, at, f"{name}.point_velocity"), take(machine, rate, f"{name}.point"), allowed)
    assert_close(R @ take(machine, at, f"{name}.gravity"), [0, 0, -9.80665], 1e-13)


@pytest.mark.parametrize("name", FRAMES)
def test_accelerations_are_derivatives_of_velocities(
    machine: Simulation, motion: tuple[Array, Array, Array, Array], name: str
) -> None:
    _, at, rate, error = motion
    allowed = 2 * take(machine, error, f"{name}.point_velocity") + 1e-11
    assert_close(take(machine, at, f"{name}.acceleration"), take(machine, rate, f"{name}.point_velocity"), allowed)


def test_change_of_axes_and_two_point_rates(machine: Simulation, motion: tuple[Array, Array, Array, Array]) -> None:
    _, at, rate, error = motion
    start = take(machine, at, "prismatic.orientation", (3, 3))
    end = take(machine, at, "unit.orientation", (3, 3))
    assert_close(take(machine, at, "to_other"), end.T @ start @ [1.0, -2.0, 0.5], 1e-13)
    line = take(machine, at, "unit.point") - take(machine, at, "end_a")
    names = [v.name for v in machine.model.outputs]
    length, slope = names.index("length"), names.index("length_rate")
    assert at[length] == pytest.approx(np.linalg.norm(line), rel=1e-13)
    assert_close(at[slope], rate[length], 2 * error[length] + 1e-12)


def test_acceleration_along_a_simulated_path(machine: Simulation) -> None:
    x, u = random_point(machine, 3, size=0.1)
    names = [v.name for v in machine.model.outputs]
    machine.restart()
    machine.x[:], machine.u[:] = x, u
    # inputs hold during the run: rates that do not fit would move the frames twice
    for i, k in enumerate(machine.model.input_rate):
        if k >= 0:
            machine.u[k] = 0.0
            if machine.model.input_acceleration[i] >= 0:
                machine.u[machine.model.input_acceleration[i]] = 0.0
    h = 1e-3
    rows = machine.run(0.05, method="AM-4", step=h, iprint=1).data
    machine.restart(defaults=True)
    first = names.index("carried.point_velocity.0")
    velocity = rows[:, first : first + 3]
    acceleration = rows[:, (a := names.index("carried.acceleration.0")) : a + 3]
    slope = (velocity[:-4] - 8 * velocity[1:-3] + 8 * velocity[3:-1] - velocity[4:]) / (12 * h)
    # the fourth-order quotient has h^4 v^(5)/30 of truncation, with rates up to 30/s about 1e-8 relative
    assert_close(slope[8:], acceleration[10:-2], 1e-6 * (1 + np.abs(acceleration).max()))


def rotations(*steps: tuple[str, float]) -> Array:
    system = System("turn")
    frame = system.world.fixed("f", (0, 0, 0), steps)
    return np.array(evaluate(system, [e for row in frame.orientation for e in row])).reshape(3, 3)


def elementary(axis: str, angle: float) -> Array:
    c, s = math.cos(angle), math.sin(angle)
    return {
        "x": np.array([[1, 0, 0], [0, c, -s], [0, s, c]]),
        "y": np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]),
        "z": np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]),
    }[axis]


def test_rotations_are_right_handed_and_read_from_left_to_right() -> None:
    yaw, pitch, roll = 0.5, -0.3, 0.8
    expected = elementary("z", yaw) @ elementary("y", pitch) @ elementary("x", roll)
    assert_close(rotations(("z", yaw), ("y", pitch), ("x", roll)), expected, 4 * EPS)
    carrier = elementary("z", 0.1) @ elementary("x", 0.2) @ elementary("y", 0.3)
    assert_close(rotations(("z", 0.1), ("x", 0.2), ("y", 0.3)), carrier, 4 * EPS)
    nose = rotations(("y", 0.2)) @ [1, 0, 0]
    assert nose[2] < 0, "positive pitch lowers the nose"
    left = rotations(("x", 0.2)) @ [0, 1, 0]
    assert left[2] > 0, "positive roll raises the left side: the right side goes down"
    ahead = rotations(("z", 0.2)) @ [1, 0, 0]
    assert ahead[1] > 0, "positive yaw turns the nose to the left"


def test_a_vector_axis_turns_as_the_named_one() -> None:
    values = []
    for axis in ("y", (0, 2, 0)):
        system = System("axis")
        joint = system.revolute("j", system.world, axis=axis, initial=0.7)
        values.append(evaluate(system, [*(e for row in joint.frame.orientation for e in row), *joint.frame.w]))
    assert_close(values[0], values[1], 2 * EPS)


def test_quaternions_put_the_scalar_first_and_ignore_length() -> None:
    q = np.array([0.8, 0.1, -0.5, 0.3])
    for factor in (1.0, 2.7):
        system = System("quaternion")
        joint = system.ball("b", system.world)
        for item, value in zip(system.coordinates, factor * q, strict=True):
            item.default = float(value)
        for item, value in zip(system.speeds, (0.3, -0.7, 1.1), strict=True):
            item.default = value
        found = evaluate(system, [e for row in joint.frame.orientation for e in row])
        assert_close(np.reshape(found, (3, 3)), rotation_matrix(q), 8 * EPS)
        rates = evaluate(system, [system.coordinate_rates[k] for k in system.coordinate_rates])
        w = np.array([0.0, 0.3, -0.7, 1.1])
        assert_close(rates, 0.5 * quaternion_product(factor * q, w), 8 * EPS * factor)


def test_positions_through_joints_by_hand() -> None:
    system = System("by_hand")
    a = system.revolute("a", system.world, axis="z", offset=(1, 0, 0), initial=math.pi / 2)
    b = system.prismatic("b", a.frame, axis="x", offset=(0, 0, 0.5), initial=2.0)
    point = b.frame.point((0, 1, 0))
    assert_close(evaluate(system, point), [1 - 1, 2, 0.5], 4 * EPS)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda s: s.world.guided("f", (0, 0, 0), (("q", 0.1),)), "frame 'f': unknown rotation axis 'q'"),
        (lambda s: s.revolute("j", s.world, axis="q"), "'j': unknown axis 'q'"),
        (lambda s: s.prismatic("j", s.world, axis="q"), "'j': unknown axis 'q'"),
        (lambda s: s.revolute("j", s.world, axis=(0, 0, 0)), "'j': the axis .* has no length"),
        (lambda s: s.prismatic("j", s.world, axis=(0, 0, 0)), "'j': the axis .* has no length"),
        (lambda s: s.universal("j", s.world, axes=("x", "w")), "'j': unknown rotation axis 'w'"),
        (lambda s: s.world.express((1, 0, 0), System("other").world), "belong to different systems"),
        (lambda s: s.two_point(s.world, System("other").world), "belong to different systems"),
        (lambda s: s.force(System("other").world, (1, 0, 0)), "frame 'world' belongs to another system"),
        (lambda s: s.body("b", System("other").world, 1.0), "body 'b': frame 'world' belongs to another system"),
    ],
)
def test_wrong_frames_are_refused(make: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        make(System("wrong"))
