"""Equations of motion: energy balance, gyrostats, units, loads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jounce.core.errors import ModelError
from jounce.runtime.simulation import Simulation
from jounce.sim.build import build
from jounce.symbolic import System
from jounce.symbolic.frames import Frame, dot
from jounce.symbolic.inspect import generate_mass_matrix
from models import (
    Array,
    along_motion,
    assert_close,
    chain,
    compiled,
    derivative,
    guided_vehicle,
    outputs_by_name,
    pendulum,
    random_point,
    set_initial,
)


def power_of(frame: Frame, force: Any, at: Any = (0, 0, 0)) -> Any:
    return dot([*map(_sx, force)], frame.point_velocity(at))


def _sx(value: Any) -> Any:
    import casadi

    return casadi.SX(value)


def mechanism() -> System:
    """Bodies, a rotor, loads of every kind, and the power of the loads as an output."""
    system = System("balance")
    body = system.free("body")
    system.body("body", body.frame, 20.0, (2, 3, 4, 0.3, -0.2, 0.1), (0.1, 0.2, 0.3))
    arm = system.revolute("arm", body.frame, axis=(1, 0, 1), offset=(0.5, 0, 0))
    link = system.body("arm", arm.frame, 3.0, (0.2, 0.3, 0.1), (0, 0, -0.5))
    rotor = system.gyrostat("rotor", link, (0, 0.6, 0.8), 0.4)
    gimbal = system.universal("gimbal", arm.frame, offset=(0, 0, -1))
    slide = system.prismatic("slide", gimbal.frame, axis="x", offset=(0.2, 0, 0))
    system.body("slider", slide.frame, 1.5)
    tip = system.ball("tip", slide.frame, offset=(0.1, 0, 0.1))
    system.body("tip", tip.frame, 0.5, (0.02, 0.03, 0.04, 0.001, 0.002, 0.003), (0.2, 0.1, 0))
    system.body("ballast", body.frame.fixed("bow", (0.4, 0.1, 0)), 2.0)
    power: Any = 0.0
    force = (3.0, -2.0, 5.0)
    system.force(tip.frame, force, at=(0.3, 0.2, 0.1))
    power += power_of(tip.frame, force, (0.3, 0.2, 0.1))
    system.force(slide.frame, force, axes=system.world)
    power += dot([_sx(f) for f in force], slide.frame.to_world(slide.frame.v))
    system.torque(tip.frame, (0.3, 0.1, -0.2), axes=arm.frame)
    power += dot([_sx(f) for f in (0.3, 0.1, -0.2)], tip.frame.express(tip.frame.w, arm.frame))
    system.generalized_force(arm.u[0], -4.0 * arm.q[0] - 0.7 * arm.u[0])
    power += (-4.0 * arm.q[0] - 0.7 * arm.u[0]) * arm.u[0]
    rotor.torque(1.3)
    power += 1.3 * rotor.spin
    outside = (0.2, -0.4, 0.5)
    rotor.external_torque([_sx(v) for v in outside])
    axis = (0, 0.6, 0.8)
    power += dot([_sx(v) for v in outside], [w + rotor.spin * a for w, a in zip(arm.frame.w, axis, strict=True)])
    strut = system.two_point(body.frame, tip.frame, at_a=(0, 0.5, 0), at_b=(0.1, 0, 0))
    strut.act(10.0 * strut.length + 2.0 * strut.rate)
    power += -(10.0 * strut.length + 2.0 * strut.rate) * strut.rate
    system.inerter("strut", strut.rate, 2.3, on=body.frame)  # its energy is kinetic, it has no power of its own
    system.inerter("gear", 0.7 * arm.u[0] + slide.q[0] * slide.u[0], 1.9, on=arm.frame)
    system.force(system.world, (1.0, 2.0, 3.0))  # on the ground: no effect
    system.output("kinetic", system.kinetic_energy(), "J")
    system.output("potential", system.potential_energy(), "J")
    system.output("power", power, "W")
    return system


@pytest.fixture(scope="module")
def balance() -> Simulation:
    return compiled(mechanism())


@pytest.mark.parametrize("seed", range(4))
def test_energy_grows_by_the_power_of_the_loads(balance: Simulation, seed: int) -> None:
    x, u = random_point(balance, seed, size=1.5)
    rate, error = derivative(along_motion(balance, x, u), h=1e-4)
    power = outputs_by_name(balance, balance.outputs(x=x, u=u))["power"]
    # T + V of some hundred J; the bound of the quotient covers truncation and rounding
    assert_close(rate[0] + rate[1], power, 2 * (error[0] + error[1]) + 1e-9 * (1 + abs(rate[0]) + abs(rate[1])))


def test_an_inerter_is_a_force_that_resists_the_second_rate() -> None:
    """Two masses and an inerter between them, one pushed: as a force b (ẍ₁ − ẍ₂) between them says."""
    system = System("between", gravity=(0, 0, 0))
    slides = [system.prismatic(f"s{i}", system.world) for i in range(2)]
    for slide, mass in zip(slides, (3.0, 5.0), strict=True):
        system.body(slide.frame.name, slide.frame, mass)
    system.generalized_force(slides[0].u[0], 11.0)
    system.inerter("between", slides[0].u[0] - slides[1].u[0], 7.0, on=system.world)
    system.output("apart", system.second_rate(slides[0].u[0] - slides[1].u[0]), "m/s2")
    sim = compiled(system)
    rate = dict(zip((v.name for v in sim.model.states), sim.derivatives()[0], strict=True))
    one, other = np.linalg.solve([[3.0 + 7.0, -7.0], [-7.0, 5.0 + 7.0]], [11.0, 0.0])
    assert_close([rate["s0.rate"], rate["s1.rate"]], [one, other], 1e-14)
    assert_close(sim.output("apart"), one - other, 1e-14)


def test_virtual_work_of_an_inner_force_does_not_move_the_whole() -> None:
    """Two bodies pulled together: momentum stays, and each moves by T/m."""
    system = System("pull", gravity=(0, 0, 0))
    frames = [system.free(f"b{i}", initial=(2.0 * i, 0.3 * i, 0)).frame for i in range(2)]
    for i, frame in enumerate(frames):
        system.body(f"b{i}", frame, 1.0 + i, (0.1, 0.1, 0.1))
    line = system.two_point(*frames)
    line.act(6.0)
    sim = compiled(system)
    rate = dict(zip((v.name for v in sim.model.states), sim.derivatives()[0], strict=True))
    direction = np.array([2.0, 0.3, 0.0]) / np.hypot(2.0, 0.3)
    # tension positive: it pulls the points together
    assert_close([rate[f"b0.v{a}"] for a in "xyz"], 6.0 * direction, 1e-14)
    assert_close([rate[f"b1.v{a}"] for a in "xyz"], -3.0 * direction, 1e-14)


def spinning(explicit: bool) -> System:
    system = System("explicit_rotor" if explicit else "gyrostat")
    body = system.free("body")
    system.force(body.frame, (3, 1, 2), at=(0, 0.1, 0))
    arm = system.revolute("arm", body.frame, axis="x", offset=(0.2, 0.4, 0))
    offset = (0.1, 0.5, -0.2)
    mass, axial, across = 7.0, 0.5, 0.3
    if explicit:
        system.body("body", body.frame, 30.0, (2, 3, 4, 0.1, 0.2, 0.3))
        system.body("arm", arm.frame, 2.0, (0.1, 0.2, 0.3))
        wheel = system.revolute("wheel", arm.frame, axis="y", offset=offset)
        system.body("wheel", wheel.frame, mass, (across, axial, across))
        system.generalized_force(wheel.u[0], 4.0)
    else:
        system.body("body", body.frame, 30.0, (2, 3, 4, 0.1, 0.2, 0.3))
        system.body("arm", arm.frame, 2.0, (0.1, 0.2, 0.3))
        carrier = system.body("wheel", arm.frame.fixed("hub", offset), mass, (across, axial, across))
        rotor = system.gyrostat("wheel", carrier, (0, 1, 0), axial)
        rotor.torque(4.0)
    system.output("kinetic", system.kinetic_energy(), "J")
    return system


def test_gyrostat_equals_a_body_on_a_revolute_joint() -> None:
    explicit, rotor = compiled(spinning(True)), compiled(spinning(False))
    x, _ = random_point(explicit, 7, size=2.0)
    point = dict(zip((v.name for v in explicit.model.states), x, strict=True))
    point["wheel.rate"] = 35.0
    x = np.array(list(point.values()))
    point["wheel.spin"] = point["wheel.rate"]
    rate = dict(zip((v.name for v in explicit.model.states), explicit.derivatives(x=x)[0], strict=True))
    rate["wheel.spin"] = rate["wheel.rate"]
    names = [v.name for v in rotor.model.states]
    found = rotor.derivatives(x=[point[n] for n in names])[0]
    expected = np.array([rate[n] for n in names])
    # two different eliminations of a 8x8 matrix with condition about 1e3
    assert_close(found, expected, 1e-12 * np.abs(expected).max(), names)
    assert rotor.outputs(x=[point[n] for n in names])[0] == pytest.approx(explicit.outputs(x=x)[0], rel=1e-13)


def test_units_joined_recursively_equal_the_flat_system() -> None:
    flat, units = compiled(chain(2, units=False, name="flat")), compiled(chain(2, units=True, name="joined"))
    names = [v.name for v in flat.model.states]
    assert sorted(names) == sorted(v.name for v in units.model.states)
    for seed in range(3):
        x, _ = random_point(flat, seed, size=0.7)
        point = dict(zip(names, x, strict=True))
        x_units = np.array([point[v.name] for v in units.model.states])
        expected = dict(zip(names, flat.derivatives(x=x)[0], strict=True))
        found = dict(zip((v.name for v in units.model.states), units.derivatives(x=x_units)[0], strict=True))
        size = max(abs(v) for v in expected.values())
        # the same physics in another order of operations; condition of the mass matrix about 1e3
        assert_close([found[k] for k in names], list(expected.values()), 1e-12 * size, names)
        assert_close(units.outputs(x=x_units), flat.outputs(x=x), 1e-12 * (1 + np.abs(flat.outputs(x=x)).max()))


@pytest.mark.slow
def test_units_save_operations() -> None:
    """Flat equations grow faster than linearly, joined ones by the same amount per unit."""
    joined = [chain(n, units=True, name="count").generate().operations["rhs"] for n in (1, 2, 3, 4)]
    growth = np.diff(joined)
    assert growth[2] <= 1.1 * growth[0]  # odd and even links differ (ball or universal joint)
    assert joined[3] < 0.7 * chain(4, units=False, name="count").generate().operations["rhs"]


def test_mass_matrix_form_agrees_with_the_elimination() -> None:
    system = chain(2, units=True, name="joined")
    sim = compiled(system)
    x, _ = random_point(sim, 11, size=0.5)
    look = Simulation(build(generate_mass_matrix(system)))
    matrix, right = look.call("mass_matrix", x=x)
    n = len(right)
    M = matrix.reshape(n, n)
    assert_close(M, M.T, 1e-13 * np.abs(M).max())
    assert np.linalg.eigvalsh(M).min() > 0
    names = look.model.notes["speeds"]
    rate = dict(zip((v.name for v in sim.model.states), sim.derivatives(x=x)[0], strict=True))
    assert_close(np.linalg.solve(M, right), [rate[k] for k in names], 1e-11 * np.abs(right).max(), names)


def test_forces_between_units_act_on_both() -> None:
    """A spring between a unit and the unit that carries it, against the flat system."""
    rates = []
    for units in (False, True):
        system = System("between", gravity=(0, 0, -2.0))
        cart = system.prismatic("cart", system.world, axis="x")
        system.body("cart", cart.frame, 4.0)
        hitch = cart.frame.fixed("hitch", (0, 0, 1))
        root = system.unit("arm", hitch) if units else hitch
        arm = system.revolute("arm", root, axis="y", initial=0.8)
        system.body("arm", arm.frame, 2.0, (0.1, 0.2, 0.1), (0.5, 0, 0))
        spring = system.two_point(cart.frame, arm.frame, at_a=(1, 0, 0), at_b=(1, 0, 0))
        spring.act(100 * (spring.length - 0.2) + 5 * spring.rate)
        set_initial(system, cart__rate=1.0, arm__rate=-2.0)
        rates.append(compiled(system).derivatives()[0])
    assert_close(rates[0], rates[1], 1e-12 * np.abs(rates[0]).max())


def test_generalized_forces_on_speeds_of_units() -> None:
    rates = []
    for units in (False, True):
        system = System("torques")
        a = system.revolute("a", system.world, axis="z")
        system.body("a", a.frame, 1.0, (1, 1, 1))
        root = system.unit("u", a.frame) if units else a.frame
        b = system.revolute("b", root, axis="z", offset=(1, 0, 0), initial=0.4)
        system.body("b", b.frame, 1.0, (0.2, 0.2, 0.2), (0.3, 0, 0))
        system.generalized_force(b.u[0], 3.0)
        system.generalized_force(b.u[0], -1.0)  # forces add up
        system.generalized_force(a.u[0], 0.5)
        rates.append(compiled(system).derivatives()[0])
    assert_close(rates[0], rates[1], 1e-13)


def test_the_axis_of_a_rotor_needs_no_unit_length() -> None:
    """An inner torque between a body and its rotor: (I - J) a = -T, J (a + s') = T."""
    for axis in ("y", (0, 1, 0), (0, 2.5, 0)):
        system = System("rotor")
        hinge = system.revolute("hinge", system.world, axis="y")
        system.gyrostat("rotor", system.body("b", hinge.frame, 1.0, (1, 1, 1)), axis, 0.25).torque(1.5)
        assert compiled(system).derivatives()[0].tolist() == pytest.approx([0.0, -2.0, 8.0], rel=1e-15)


def test_a_service_may_guide_a_body() -> None:
    """A bead on z = sin(x): (1 + cos² x) x'' = sin x cos x x'² - g cos x."""
    system = System("bead")
    slide = system.prismatic("slide", system.world)
    curve = system.service("curve", 1, 1, order=2)
    system.body("bead", slide.frame.guided("bead", (0, 0, curve(slide.q[0]))), 3.0)
    sim = compiled(system)
    sim.bind("curve", lambda a, order: [np.sin(a[0]), np.cos(a[0]), -np.sin(a[0])][: order + 1])
    x, v = 0.3, 1.2
    c, s = np.cos(x), np.sin(x)
    assert sim.derivatives(x=[x, v])[0][1] == pytest.approx((s * c * v * v - 9.80665 * c) / (1 + c * c), rel=1e-13)


def test_pendulum_swings_as_it_should() -> None:
    sim = compiled(pendulum())
    assert sim.derivatives()[0][1] == pytest.approx(-9.80665 / 1.5 * np.sin(0.3), rel=1e-14)
    sim.set_parameters({"mass": "500 g"})  # no influence
    assert sim.derivatives()[0][1] == pytest.approx(-9.80665 / 1.5 * np.sin(0.3), rel=1e-14)
    energy = sim.run(5.0, method="AM-4", step=0.001, iprint=50)["energy"]
    assert np.ptp(energy) < 1e-9 * abs(energy[0])


def test_a_frame_may_not_use_a_speed_of_another_unit() -> None:
    system = System("foreign")
    a = system.prismatic("a", system.world)
    system.body("a", a.frame, 1.0)
    root = system.unit("trailer", a.frame)
    q, _ = system.coordinate("q", on=system.world)  # belongs to the base
    system.body("b", root.guided("f", (0, 0, q)), 1.0)
    with pytest.raises(ModelError, match=r"frame 'f' of unit 'trailer' moves with speed 'q\.rate' of another unit"):
        system.generate()


def test_a_push_gives_the_guided_vehicle_its_power() -> None:
    """Only the push changes between the two: energy grows by push times the speed of its point of action."""
    system = guided_vehicle("pushed", corners=2)
    system.output("kinetic", system.kinetic_energy(), "J")
    sim = compiled(system)
    x, _ = random_point(sim, 5, size=0.1)
    u = np.zeros(len(sim.u))  # a moving steer input would do work on the carriers
    rates: list[Array] = []
    for push in (1000.0, 0.0):
        u[[v.name for v in sim.model.inputs].index("push")] = push
        rates.append(derivative(along_motion(sim, x, u), h=1e-4)[0])
    states = [v.name for v in sim.model.states]
    speed = x[states.index("chassis.vx")] + 0.1 * x[states.index("chassis.wy")]
    # energies of 70 kJ, differences over 1e-4 s
    assert rates[0][-1] - rates[1][-1] == pytest.approx(1000.0 * speed, rel=1e-8)
