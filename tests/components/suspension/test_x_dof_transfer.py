"""A longitudinal freedom by a transfer function."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from car_models import outputs, rates
from compliant_cars import stir
from element_rig import WHEELS, matrix_of
from jounce.components.suspension.x_dof_transfer import XDofTransfer
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from x_dof_rig import data, in_the_air, slope, vehicle

ORDERS = {"first": 1, "second": 2, "third": 3, "fourth": 4}


def coefficients(name: str, wheel: str, letter: str) -> list[float]:
    """From the constant on."""
    found = data(name, wheel)
    default = {"b0": 1.0}
    names = [f"{letter}{j}" for j in range(5)]
    values = [found.get(n, default.get(n)) for n in names]
    return [v for v in values if v is not None]


def rolling(name: str) -> Simulation:
    sim = car.simulation(vehicle(name))
    stir(sim)
    return sim


@pytest.mark.parametrize("name", ORDERS)
def test_from_force_to_displacement_it_is_the_quotient_that_was_entered(name: str) -> None:
    """C (sI − A)⁻¹ B = (Σ b s^j)/(m Σ a s^j) at all frequencies: A in the air, B by two forces of the tire."""
    n = ORDERS[name]
    air, road = in_the_air(name), rolling(name)
    for w in WHEELS:
        states = [f"{w}.x_dof.z{j + 1}" for j in range(n)]
        matrix = matrix_of(air, *states)
        by_force, forces = [], []
        for u in (-0.004, 0.001):  # the contact strained to both sides
            road.set_states({f"{w}.tire.u": u})
            by_force.append([rates(road)[s] for s in states])
            forces.append(road.output(f"Tire.Ground_Surface_Force_X.{w}"))
        column = np.subtract(*by_force) / np.subtract(*forces)
        row = []
        for s in states:
            air.set_states({s: 1.0})
            row.append(air.output(f"X_Dof.Displacement.{w}") / data(name, w)["share"])
            air.set_states({s: 0.0})
        a, b = (coefficients(name, w, letter) for letter in "ab")
        for s in 2j * np.pi * np.array([0.0, 3.0, 15.0, 60.0]):
            expected = np.polyval(b[::-1], s) / np.polyval(a[::-1], s) / data(name, w)["mass"]
            found = row @ np.linalg.solve(s * np.eye(n) - matrix, column)
            assert found == pytest.approx(expected, rel=1e-6), (w, s)


@pytest.mark.parametrize("name", ["second", "third"])
def test_carrier_and_contact_move_with_it(name: str) -> None:
    sim = rolling(name)
    before = outputs(sim), rates(sim)
    sim.set_states({f"{w}.x_dof.z{j + 1}": z for w, f in (("L1", 1.0), ("R1", -0.7))
                    for j, z in enumerate((0.004 * f, 0.23 * f))})  # fmt: skip
    after = outputs(sim), rates(sim)
    for w, word in (("L1", "front_left"), ("R1", "front_right")):
        share = data(name, w)["share"]
        b = coefficients(name, w, "b")
        z = [sim.state(f"{w}.x_dof.z{j + 1}") for j in range(2)]
        moved = share * (b[0] * z[0] + b[1] * z[1])
        shift = f"Wheel.wheel_center_dispx.{word}"
        assert after[0][shift] - before[0][shift] == pytest.approx(moved, rel=1e-9)
        second = rates(sim)[f"{w}.x_dof.z2"]
        speed = share * (b[0] * z[1] + b[1] * second)
        assert after[0][f"X_Dof.Velocity.{w}"] == pytest.approx(speed, rel=1e-9)
        was = before[0][f"X_Dof.Velocity.{w}"]
        slip = after[1][f"{w}.tire.u"] - before[1][f"{w}.tire.u"]
        assert slip == pytest.approx(-(speed - was), rel=0.05), "rolling, a part of it leaks"


def test_its_rate_is_that_of_its_displacement_where_a_standing_tire_is_damped() -> None:
    """(3): at standstill the force depends on ẋ and ẋ, by b1, on the force; x(t + h) − x(t) over h is what is told."""
    sim = rolling("second")
    sim.set_states(
        {"chassis.vx": 0.0, "chassis.vy": 0.0, "chassis.wz": 0.0, "L1.wheel.spin": 0.0, "R1.wheel.spin": 0.0}
    )
    here = {v.name: sim.state(v.name) for v in sim.model.states}
    told, change = outputs(sim), rates(sim)
    for w in WHEELS:
        ends = []
        for h in (1e-6, -1e-6):
            sim.set_states({n: here[n] + h * change[n] for n in here if n.startswith(f"{w}.x_dof")})
            ends.append(sim.output(f"X_Dof.Displacement.{w}"))
        assert told[f"X_Dof.Velocity.{w}"] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6)
        # the force of the wheel, with the part that its speed makes, is what drives the states
        found, a = data("second", w), coefficients("second", w, "a")
        z = [here[f"{w}.x_dof.z{j + 1}"] for j in range(2)]
        force = found["mass"] * (a[2] * change[f"{w}.x_dof.z2"] + a[1] * z[1] + a[0] * z[0])
        assert force == pytest.approx(told[f"Tire.Ground_Surface_Force_X.{w}"], rel=1e-3)


def test_the_maps_keep_what_is_not_its_share() -> None:
    sim = rolling("second")
    for w in WHEELS:
        force = [sim.output(f"Tire.Ground_Surface_Force_{a}.{w}") for a in "XY"]
        by_side = {"L1": 1.3e-7, "R1": -1.7e-7}[w]
        target = (1 - data("second", w)["share"]) * slope(w) * force[0] + by_side * force[1]
        sim.set_states({f"{w}.compliance.x": target})
        assert abs(rates(sim)[f"{w}.compliance.x"]) < 1e-4


GOOD = {"kind": "transfer_function", "mass": 40.0, "a0": 7000.0, "a1": 20.0, "a2": 1.0}


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"b2": 1e-6}, "order 2 of the numerator; must be below that of the denominator, 2"),
        ({"a1": -3.0}, r"the denominator has the root 1.5 ± 83.65j 1/s; x would grow"),
        ({"a2": 0.0}, "must not be 0"),
        ({"right": {"a3": 0.001}}, "both sides have transfer functions of one order"),
    ],
)
def test_what_cannot_be_is_told(change: dict[str, object], text: str) -> None:
    raw = {**GOOD, **change}
    if "right" in change:
        raw["right"] = {**GOOD, "a3": 0.001}
    with pytest.raises(ValidationError, match=text):
        XDofTransfer.model_validate(raw)


def test_what_a_step_cannot_resolve_is_remarked() -> None:
    assert not list(XDofTransfer.model_validate(GOOD).remarks())
    found = dict(XDofTransfer.model_validate({**GOOD, "a0": 4e6}).remarks())
    assert "has a mode of 2000 1/s" in found["a0"]
