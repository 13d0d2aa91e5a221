"""Velocity constraints: closed forms, units, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from jounce.core.errors import ModelError
from jounce.symbolic import System, ops
from models import (
    Array,
    along_motion,
    assert_close,
    compiled,
    derivative,
    outputs_by_name,
    random_point,
    set_initial,
)


def sledge(center: float = 0.0) -> System:
    """A knife edge on a plane (Chaplygin's sledge when the centre of mass lies ahead of the edge)."""
    system = System("sledge")
    x, _ = system.coordinate("x", unit="m")
    y, vy = system.coordinate("y", unit="m")
    yaw = system.revolute("yaw", system.world.guided("edge", (x, y, 0)), axis="z", initial=0.4)
    system.body("sledge", yaw.frame, 3.0, (1, 1, 0.5), (center, 0, 0))
    system.velocity_constraint("edge", [yaw.frame.v[1]], [vy])
    system.output("forward", yaw.frame.v[0], "m/s")
    system.output("kinetic", system.kinetic_energy(), "J")
    system.output("vy", vy, "m/s")
    system.output("ay", system.acceleration(vy), "m/s2")
    return system


def test_knife_edge_runs_in_a_circle() -> None:
    """With the mass on the edge: constant speed v and yaw rate w, a circle of radius v/w."""
    system = sledge()
    v, w, yaw = 2.0, 0.8, 0.4
    set_initial(system, yaw__rate=w, x__rate=v * math.cos(yaw))
    sim = compiled(system, method="AM-4", step=0.001)
    sim.advance(1200)
    t = 1.2  # the dependent speed vy = vx tan(yaw) is singular later, at a quarter turn
    expected = [v / w * (math.sin(yaw + w * t) - math.sin(yaw)), -v / w * (math.cos(yaw + w * t) - math.cos(yaw))]
    assert [sim.state("x"), sim.state("y")] == pytest.approx(expected, abs=1e-8)
    assert sim.state("yaw.angle") == pytest.approx(yaw + w * t, rel=1e-12)


def test_sledge_with_the_mass_ahead_follows_chaplygin() -> None:
    """v' = a w², w' = -m a v w / (J + m a²): energy stays, the turn dies out."""
    a, m, inertia = 0.6, 3.0, 0.5
    system = sledge(a)
    set_initial(system, yaw__rate=1.5, x__rate=0.3)
    sim = compiled(system)
    at = outputs_by_name(sim, sim.outputs())
    v, w = at["forward"], 1.5
    assert v == pytest.approx(0.3 / math.cos(0.4), rel=1e-14)
    rate = dict(zip((s.name for s in sim.model.states), sim.derivatives()[0], strict=True))
    forward_rate = derivative(along_motion(sim, sim.x.copy(), sim.u.copy()))[0][0]
    assert rate["yaw.rate"] == pytest.approx(-m * a * v * w / (inertia + m * a * a), rel=1e-13)
    assert forward_rate == pytest.approx(a * w * w, rel=1e-10)
    energy = sim.run(0.5, method="AM-4", step=0.0005, iprint=50)["kinetic"]
    assert np.ptp(energy) < 1e-9 * energy[0]


def test_acceleration_of_a_dependent_speed_is_its_derivative() -> None:
    sim = compiled(sledge(0.6))
    x, u = random_point(sim, 2, size=0.4)
    rate, error = derivative(along_motion(sim, x, u))
    at = outputs_by_name(sim, sim.outputs(x=x, u=u))
    assert_close(at["ay"], rate[2], 2 * error[2] + 1e-12)


def rolling_disc() -> System:
    """A thin disc rolling on a plane: yaw, lean, spin; the contact point does not slip."""
    system = System("disc")
    m, r = 2.0, 0.5
    x, vx = system.coordinate("x", unit="m")
    y, vy = system.coordinate("y", unit="m")
    yaw, _ = system.coordinate("yaw", unit="rad")
    lean, _ = system.coordinate("lean", unit="rad")
    spin, _ = system.coordinate("spin", unit="rad")
    base = system.world.guided("base", (x, y, 0), (("z", yaw), ("x", lean)))
    hub = base.fixed("hub", (0, 0, r))
    disc = hub.guided("disc", (0, 0, 0), (("y", spin),))
    system.body("disc", disc, m, (m * r * r / 4, m * r * r / 2, m * r * r / 4))
    # velocity of the material point at the contact
    contact = hub.express(disc.express(disc.v, hub), base)
    w = disc.express(disc.w, base)
    slip = [contact[0] - r * w[1], contact[1] + r * w[0]]
    system.velocity_constraint("rolling", [slip[0], slip[1]], [vx, vy])
    system.output("energy", system.kinetic_energy() + system.potential_energy(), "J")
    system.output("slip0", slip[0])
    system.output("slip1", slip[1])
    return system


def test_disc_rolls_steadily_in_a_circle() -> None:
    """Steady motion: with lean a, yaw rate W and spin s,
    (5/4) W² sin a cos a + (3/2) s W cos a + (g/r) sin a = 0."""
    g, r = 9.80665, 0.5
    lean, yaw_rate = 0.3, 1.2
    spin = -((5 / 4) * yaw_rate**2 * math.sin(lean) * math.cos(lean) + g / r * math.sin(lean)) / (
        1.5 * yaw_rate * math.cos(lean)
    )
    system = rolling_disc()
    items = {s.name: s for s in (*system.coordinates, *system.speeds)}
    items["lean"].default, items["yaw.rate"].default, items["spin.rate"].default = lean, yaw_rate, spin
    sim = compiled(system)
    rate = dict(zip((s.name for s in sim.model.states), sim.derivatives()[0], strict=True))
    assert [rate["lean.rate"], rate["yaw.rate"], rate["spin.rate"]] == pytest.approx([0, 0, 0], abs=1e-12)
    record = sim.run(2.0, method="AM-4", step=0.0005, iprint=100)
    assert np.ptp(record["energy"]) < 1e-9 * record["energy"][0]
    assert sim.state("lean") == pytest.approx(lean, abs=1e-9)
    assert np.abs(record["slip0"]).max() < 1e-12
    assert np.abs(record["slip1"]).max() < 1e-12


def test_rolling_disc_keeps_its_energy_when_it_tumbles() -> None:
    system = rolling_disc()
    set_initial(system, lean=0.2, yaw__rate=0.5, spin__rate=4.0, lean__rate=-0.6)
    sim = compiled(system)
    energy = sim.run(1.0, method="AM-4", step=0.0002, iprint=100)["energy"]
    assert np.ptp(energy) < 1e-9 * energy[0]


def test_a_rotor_may_be_the_dependent_speed() -> None:
    """A cart whose wheel rolls: F = (m + J/r²) a, whichever of the two speeds is dependent."""
    found = []
    for which in (0, 1):
        system = System("cart")
        cart = system.prismatic("cart", system.world)
        body = system.body("cart", cart.frame, 10.0, (1, 1, 1))
        wheel = system.gyrostat("wheel", body, (0, 1, 0), 2.0)
        wheel.torque(1.5)
        r = 0.3
        system.velocity_constraint("rolling", [cart.u[0] - r * wheel.spin], [(cart.u[0], wheel.spin)[which]])
        system.force(cart.frame, (5.0, 0, 0))
        system.output("a", system.acceleration(cart.u[0]))
        system.output("spin_rate", system.acceleration(wheel.spin))
        found.append(compiled(system).outputs())
    expected = (5.0 + 1.5 / 0.3) / (10 + 2.0 / 0.09)
    for a, spin_rate in found:
        assert a == pytest.approx(expected, rel=1e-14)
        assert spin_rate == pytest.approx(expected / 0.3, rel=1e-14)


def test_a_rolling_rotor_on_a_turning_body_equals_an_explicit_wheel() -> None:
    """The dependent spin has a bias: the radius varies with a coordinate."""
    rates = []
    for explicit in (False, True):
        system = System("varying")
        body = system.free("body")
        system.body("body", body.frame, 10.0, (1, 2, 3), (0.1, 0, 0))
        hub = body.frame.fixed("hub", (0.3, 0.2, 0.1))
        if explicit:
            wheel = system.revolute("wheel", hub, axis="y")
            system.body("wheel", wheel.frame, 2.0, (0.1, 0.2, 0.1))
            spin = wheel.u[0]
        else:
            rotor = system.gyrostat("wheel", system.body("wheel", hub, 2.0, (0.1, 0.2, 0.1)), (0, 1, 0), 0.2)
            spin = rotor.spin
        radius = 0.3 + 0.1 * ops.sin(3 * body.q[0])
        system.velocity_constraint("rolling", [body.frame.v[0] - radius * spin], [spin])
        system.generalized_force(spin, 0.7)
        set_initial(system, body__x=0.2, body__vx=2.0, body__vy=0.3, body__wx=0.5, body__wz=1.0)
        sim = compiled(system)
        values = dict(zip((s.name for s in sim.model.states), sim.derivatives()[0], strict=True))
        rates.append([values[f"body.{n}"] for n in ("vx", "vy", "vz", "wx", "wy", "wz")])
    assert_close(rates[0], rates[1], 1e-12 * np.abs(rates[1]).max())


def articulated(units: bool) -> System:
    """A tractor and a trailer, each on a knife edge; the trailer may be a unit of its own."""
    system = System("articulated")
    x, _ = system.coordinate("x", unit="m")
    y, vy = system.coordinate("y", unit="m")
    tractor = system.revolute("yaw", system.world.guided("place", (x, y, 0)), axis="z", initial=0.3)
    system.body("tractor", tractor.frame, 10.0, (1, 1, 3), (0.2, 0, 0))
    system.velocity_constraint("front", [tractor.frame.v[1]], [vy])
    hitch = tractor.frame.fixed("hitch", (-1, 0, 0))
    root = system.unit("trailer", hitch) if units else hitch
    trailer = system.revolute("hinge", root, axis="z", initial=0.2)
    system.body("trailer", trailer.frame, 5.0, (1, 1, 2), (-1, 0, 0))
    system.velocity_constraint("rear", [trailer.frame.point_velocity((-2, 0, 0))[1]], [trailer.u[0]])
    system.force(tractor.frame, (7, 0, 0))
    system.torque(tractor.frame, (0, 0, 1.0))
    system.force(trailer.frame, (0, 0.5, 0), at=(-1, 0, 0))
    system.generalized_force(trailer.u[0], 0.4)  # on a dependent speed
    system.output("rear_slip", trailer.frame.point_velocity((-2, 0, 0))[1])
    system.output("hinge_rate", trailer.u[0])
    system.output("hinge_acceleration", system.acceleration(trailer.u[0]))
    set_initial(system, x__rate=0.7, yaw__rate=0.5)
    return system


def test_constraints_in_units_equal_those_of_the_flat_system() -> None:
    flat, joined = (compiled(articulated(units)) for units in (False, True))
    assert [s.name for s in flat.model.states] == [s.name for s in joined.model.states]
    for seed in range(3):
        x: Array = flat.x + np.random.default_rng(seed).uniform(-0.3, 0.3, len(flat.x))
        assert_close(joined.derivatives(x=x)[0], flat.derivatives(x=x)[0], 1e-12)
        assert_close(joined.outputs(x=x), flat.outputs(x=x), 1e-12)
        assert abs(joined.outputs(x=x)[0]) < 1e-14


def test_power_balance_with_forces_on_dependent_speeds() -> None:
    system = articulated(False)
    system.output("kinetic", system.kinetic_energy())
    frames = {b.name: b.frame for b in system.units[0].bodies}
    power = 7 * frames["tractor"].v[0] + frames["tractor"].w[2] + 0.5 * frames["trailer"].point_velocity((-1, 0, 0))[1]
    system.output("power", power + 0.4 * system.speeds[-1].symbol)
    sim = compiled(system)
    rate, error = derivative(along_motion(sim, sim.x.copy(), sim.u.copy()))
    assert_close(rate[-2], sim.output("power"), 2 * error[-2] + 1e-11)


def two_carts() -> tuple[System, Any, Any]:
    system = System("carts")
    a, b = (system.prismatic(n, system.world, axis=axis) for n, axis in (("a", "x"), ("b", "y")))
    system.body("a", a.frame, 1.0)
    system.body("b", b.frame, 1.0)
    return system, a.u[0], b.u[0]


def test_redundant_constraints_name_the_speeds() -> None:
    system, a, b = two_carts()
    system.velocity_constraint("one", [a - 2 * b], [a])
    system.velocity_constraint("two", [3 * a - 6 * b], [b])
    with pytest.raises(ModelError, match=r"dependent speeds 'b\.rate'|dependent speeds 'a\.rate'") as error:
        system.generate()
    assert "redundant" in str(error.value)


def test_a_dependent_speed_that_the_constraint_does_not_contain_is_named() -> None:
    system, a, b = two_carts()
    system.velocity_constraint("one", [a], [b])
    with pytest.raises(ModelError, match=r"cannot be solved for the dependent speeds 'b\.rate'"):
        system.generate()


@pytest.mark.parametrize("kind", ["square", "product", "table", "other"])
def test_nonlinear_constraints_are_refused_by_name(kind: str) -> None:
    from models import smooth_table

    system, a, b = two_carts()
    if kind == "table":
        expression = a - system.table("t", smooth_table(1, 1))(b)
    else:
        expression = {"square": a - b * b, "product": a * b - 1.0, "other": ops.sin(a) + b}[kind]
    system.velocity_constraint("odd", [expression], [a])
    with pytest.raises(ModelError, match="constraint 'odd' is not linear in the speeds"):
        system.generate()


def test_wrong_counts_and_doubles_are_refused() -> None:
    system, a, b = two_carts()
    with pytest.raises(ModelError, match="constraint 'few': 1 equations for 2 dependent speeds"):
        system.velocity_constraint("few", [a - b], [a, b])
    system.velocity_constraint("one", [a - b], [a])
    system.velocity_constraint("two", [a + b], [a])
    with pytest.raises(ModelError, match=r"'a\.rate' is named as dependent twice, in constraints 'one' and 'two'"):
        system.generate()


def test_a_constraint_of_something_that_is_no_speed_is_refused() -> None:
    system, a, _ = two_carts()
    q = system.coordinates[0].symbol
    with pytest.raises(ModelError, match=r"a\.travel is not a speed of this system"):
        system.velocity_constraint("q", [a - q], [q])


def test_constraints_across_units_are_refused_and_explained() -> None:
    system = System("across")
    a = system.prismatic("a", system.world)
    system.body("A", a.frame, 1.0)
    root = system.unit("t", a.frame)
    b = system.prismatic("b", root)
    system.body("B", b.frame, 2.0)
    system.velocity_constraint("c", [a.u[0] + 3 * b.u[0]], [a.u[0]])
    with pytest.raises(ModelError, match=r"constraint 'c' of unit 'base' contains speed 'b\.rate' of unit 't'"):
        system.generate()


def test_a_dependent_speed_hidden_in_a_call_is_refused() -> None:
    system, a, b = two_carts()
    (hidden,) = system.calls.alias("hidden", [a + b])
    system.velocity_constraint("c", [hidden], [a])
    with pytest.raises(ModelError, match=r"constraint 'c': the dependent speed 'a\.rate' stands inside a call"):
        system.generate()


def test_a_constraint_may_contain_time_and_inputs_with_a_rate() -> None:
    """A driven belt: v_a = speed(t) + u; the acceleration has both rates."""
    system, a, b = two_carts()
    drive = system.input("drive", "m/s", rate=True)
    system.velocity_constraint("belt", [a - ops.sin(2 * system.time) - drive + 0.5 * b], [a])
    system.output("a", a)
    system.output("acceleration", system.acceleration(a))
    sim = compiled(system)
    x, u = sim.x + 0.1, np.array([0.3, 0.8])
    values = sim.outputs(x=x, u=u, t=0.4)
    b_rate = sim.derivatives(x=x, u=u, t=0.4)[0][-1]
    assert values[0] == pytest.approx(math.sin(0.8) + 0.3 - 0.05, rel=1e-14)
    assert values[1] == pytest.approx(2 * math.cos(0.8) + 0.8 - 0.5 * b_rate, rel=1e-14)
    # d'Alembert: the constraint pulls b by -0.5 of what drives a
    assert b_rate == pytest.approx(0.5 * (2 * math.cos(0.8) + 0.8) / 1.25, rel=1e-13)
