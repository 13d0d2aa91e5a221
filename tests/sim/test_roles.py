"""What a state does at rest is said where it is declared: parts from outside the package, unstable cars, cars held by
some of their brakes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Literal

import numpy as np
import pytest

import jounce as jn
import jounce.vehicle as jv
from cars import AXLES, balanced, compact, loads, plain, rates
from four_wheels import CORNERS
from jounce import events
from jounce.components.model import VehicleModel, WheelModel
from jounce.components.part import Part, Symbols
from jounce.components.suspension.spring import Spring
from jounce.core.errors import StaticsError
from jounce.core.fields import choice, part, quantity
from jounce.core.part_registry import PARTS
from jounce.core.roles import Role
from jounce.runtime.simulation import Simulation
from jounce.sim import car, statics
from jounce.sim.steady import run_steadily

# ---- a part from outside the package: a spring on a top mount ------------------------------------------------------


class TopMount(Spring):
    """A spring in series with a top mount of rubber, which has no mass: with the compression s of the mount

    F = scale · rate · (c − s) = mount_rate · s + mount_damping · ṡ
    """

    role: ClassVar[Role] = "balance"

    kind: Literal["top_mount"] = choice("top_mount", doc="kind of spring")  # type: ignore[assignment]
    mount_rate: float = quantity("N/m", 230e3, gt=0, doc="stiffness of the mount")
    mount_damping: float = quantity("N.s/m", 9.1e3, gt=0, doc="force per rate of its compression")
    right: TopMount | None = part(None, doc="what differs on the right side")

    def connect(self, at: WheelModel, p: Symbols) -> None:
        moved = self.deflection_at(at, p)
        mount = at.scope.state("top_mount", "m", "compression of the mount", role=self.role)
        force = self.scaled(at, p, p.rate * (p.at_design + moved.value - mount))
        at.scope.derivative(mount, (force - p.mount_rate * mount) / p.mount_damping)
        at_wheel = -moved.act(-force)
        at.spring_forces.append(at_wheel)
        at.channel(f"Spring.Force_At_Spring.{at.place.name}", force, "N", "spring force, compression positive")


class Unsaid(TopMount):
    """The same by somebody who forgot the role."""

    role: ClassVar[Role] = ""
    kind: Literal["unsaid"] = choice("unsaid", doc="kind of spring")  # type: ignore[assignment]
    right: Unsaid | None = part(None, doc="what differs on the right side")


class Loose(TopMount):
    """The same by somebody who says that it may be anything."""

    role: ClassVar[Role] = "free"
    kind: Literal["loose"] = choice("loose", doc="kind of spring")  # type: ignore[assignment]
    right: Loose | None = part(None, doc="what differs on the right side")


class Counter(Part):
    """Counts evaluations, without a role."""

    family: ClassVar[str] = "controller"
    kind: Literal["counter"] = choice("counter", doc="kind of controller")

    def connect(self, at: VehicleModel, p: Symbols) -> None:
        count = at.root.memory("count", "-", "evaluations so far")
        at.root.next_memory(count, count + 1.0)


@pytest.fixture(autouse=True)
def known() -> Iterator[None]:
    for cls in (TopMount, Unsaid, Loose):
        PARTS.register(cls)
    yield
    for cls in (TopMount, Unsaid, Loose):
        PARTS.forget(cls)


def mounted(kind: str) -> jv.Vehicle:
    """The example car with this kind of spring in front, the right one softer."""
    spring = compact().front_suspension.spring
    data = {"kind": kind, "rate": spring.rate, "preload": spring.preload, "ratio": spring.ratio.constant}
    return compact(**{"front_suspension.spring": {**data, "right": {"mount_rate": 190e3}}})


def settle(
    vehicle: jv.Vehicle, brake: float = 0.0, **options: Any
) -> tuple[Simulation, car.Description, statics.Settled]:
    description = car.describe(vehicle)
    sim = car.simulation(description)
    sim.set_inputs({"brake": brake})
    return sim, description, statics.settle(sim, description, **options)


def test_a_state_that_balances_is_found_and_stays() -> None:
    sim, description, found = settle(mounted("top_mount"), 1.0, method="newton")
    assert found.residual < 1e-9 and not found.unstable
    weight = description.vehicle.mass() * description.vehicle.system.gravity
    assert sum(loads(sim).values()) == pytest.approx(weight, rel=1e-9)
    # by hand: the mount carries what the spring does
    for wheel, rate in (("L1", 230e3), ("R1", 190e3)):
        force = sim.output(f"Spring.Force_At_Spring.{wheel}")
        assert sim.state(f"{wheel}.top_mount") == pytest.approx(force / rate, rel=1e-9)
        assert force > 2000
    start = np.array([sim.state(f"chassis.{a}") for a in "xyz"] + [sim.state(f"{c}.jounce") for c in CORNERS])
    sim.advance(1000)
    after = np.array([sim.state(f"chassis.{a}") for a in "xyz"] + [sim.state(f"{c}.jounce") for c in CORNERS])
    assert np.abs(after - start).max() < 1e-5, "a hundredth of a millimetre"


def test_it_balances_in_steady_running_too() -> None:
    sim, description, _ = settle(mounted("top_mount"))
    running = run_steadily(sim, description, 22.0)
    assert running.residual < 1e-9
    for wheel, rate in (("L1", 230e3), ("R1", 190e3)):
        force = sim.output(f"Spring.Force_At_Spring.{wheel}")
        assert sim.state(f"{wheel}.top_mount") == pytest.approx(force / rate, rel=1e-7)
    sim.advance(500)
    assert sim.state("chassis.vx") == pytest.approx(22.0, abs=1e-6)


@pytest.mark.parametrize("method", ["newton", "auto"])
def test_a_state_without_a_role_that_moves_is_named(method: str) -> None:
    with pytest.raises(StaticsError, match=r"'[LR]1\.top_mount' moves at rest.*role.*'balance'.*'free'"):
        settle(mounted("unsaid"), method=method)


def test_a_state_that_is_free_is_left_alone() -> None:
    sim, _, found = settle(mounted("loose"), method="newton")
    assert found.residual < 1e-9
    assert sim.state("L1.top_mount") == 0.0 and abs(rates(sim)["L1.top_mount"]) > 0.1


@pytest.mark.parametrize("method", ["newton", "auto"])
def test_a_memory_without_a_role_that_changes_is_named(method: Any) -> None:
    description = car.describe(compact(), parts=[Counter()])
    sim = car.simulation(description)
    with pytest.raises(StaticsError, match=r"'count' moves at rest"):
        statics.settle(sim, description, method=method)


# ---- an equilibrium that is none for long ----------------------------------------------------------------------------


def top_heavy() -> jv.Vehicle:
    """Soft springs at design, no bars, and a centre of gravity at 2.6 m: it stands on its wheels like a pencil.

    By hand: the springs give k t²/2 of an axle against roll, together less than weight times height.
    """
    level = balanced(compact().with_(**plain(compact())))
    changes: dict[str, Any] = {"body.cg.z": 2.6}
    for axle in AXLES:
        changes[f"{axle}_suspension.spring.rate"] = 6e3
        if level.get(f"{axle}_suspension.anti_roll_bar") is not None:
            changes[f"{axle}_suspension.anti_roll_bar.scale"] = 0.0
        elif level.get(f"{axle}_suspension.auxiliary_anti_roll") is not None:
            changes[f"{axle}_suspension.auxiliary_anti_roll.scale"] = 0.0
    vehicle = level.with_(**changes)
    stiffness = 0.0
    for axle in (1, 2):
        spring, track = vehicle.suspension(axle).spring, vehicle.suspension(axle).track
        assert spring is not None and spring.ratio.constant is not None
        stiffness += 0.5 * track**2 * spring.rate * spring.ratio.constant**2
    mass, centre, _ = vehicle.body.sprung()[0]
    assert stiffness < 0.8 * mass * vehicle.system.gravity * (centre[2] - 0.3)
    return vehicle


def test_an_unstable_equilibrium_is_found_out_and_a_run_warns() -> None:
    sim, _, found = settle(top_heavy(), method="newton")
    assert found.residual < 1e-6
    assert found.unstable.startswith("chassis.rx runs away from it, e-fold in ")
    seconds = float(found.unstable.split("e-fold in ")[1].removesuffix(" s"))
    # and so it does: a small roll grows by e in about that time
    sim.set_states({"chassis.e1": 1e-5})
    sim.advance(round(1000 * seconds))
    first = abs(sim.output("chassis_displacements.roll"))
    sim.advance(round(1000 * seconds))
    assert abs(sim.output("chassis_displacements.roll")) == pytest.approx(np.e * first, rel=0.25)
    run = jn.run(top_heavy(), events.StraightBraking(speed=0.0, brake=0.0, start_time=0.05, end_time=0.1))
    assert any("equilibrium at the start is unstable" in text for text in run.warnings)


def test_a_usual_car_is_stable() -> None:
    assert settle(compact())[2].unstable == ""


# ---- held by some brakes ---------------------------------------------------------------------------------------------

NONE_IN_FRONT = {"brakes.front.mu": 0.0}
NONE_RIGHT = {"brakes.front.right.mu": 0.0, "brakes.rear.right.mu": 0.0}


@pytest.mark.parametrize(
    ("changes", "grade", "bank", "steering"),
    [
        (NONE_IN_FRONT, 0.08, 0.0, 0.0),
        (NONE_IN_FRONT, -0.06, 0.03, 0.0),
        (NONE_RIGHT, 0.07, 0.0, 0.0),
        ({}, 0.0, 0.09, 1.3),
        ({}, 0.05, -0.07, -0.9),
        ({}, 0.2, 0.0, 0.0),
    ],
    ids=["rear only", "rear only, downhill", "left only", "steered on a bank", "steered on both", "a fifth"],
)
def test_brakes_that_hold_let_nothing_creep(
    changes: dict[str, Any], grade: float, bank: float, steering: float
) -> None:
    vehicle = compact(**changes)
    description = car.describe(vehicle, ground="inclined")
    sim = car.simulation(description)
    sim.set_parameters({"ground.grade": grade, "ground.bank": bank})
    sim.set_inputs({"brake": 1.0, "steering_wheel": steering})
    found = statics.settle(sim, description, normal=(-grade, -bank, 1.0))
    assert found.held == ("lateral", "longitudinal") and found.method == "newton"
    assert max(map(abs, rates(sim).values())) < 1e-6, "nothing slides before dynamics start"
    # by hand: the force along and across the road is the weight's part there
    along = sum(np.array([sim.output(f"Tire.Hub_Carrier_Force_Global_{a}.{c}") for a in "XYZ"]) for c in CORNERS)
    assert along == pytest.approx([0.0, 0.0, vehicle.mass() * vehicle.system.gravity], abs=1e-2)
    braked = {c: abs(sim.output(f"Brake_Moment.{c}")) for c in CORNERS}
    if changes is NONE_IN_FRONT:
        assert braked["L1"] == braked["R1"] == 0.0 < braked["L2"]
    if changes is NONE_RIGHT:
        assert braked["R1"] == braked["R2"] == 0.0 < braked["L1"]
    start = np.array([sim.state(f"chassis.{a}") for a in "xyz"])
    sim.advance(3000)
    assert np.abs(np.array([sim.state(f"chassis.{a}") for a in "xyz"]) - start).max() < 1e-4


# ---- inputs that act in runs only ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_inputs_of_ports_do_not_act_in_statics() -> None:
    plain_one, _, _ = settle(compact())
    description = car.describe(compact(), inputs=["Main_Spring.force.L1", "Ext_Body.force.Z"])
    assert {v.name for v in car.simulation(description).model.inputs if not v.in_statics} == {
        "Main_Spring.force.L1", "Ext_Body.force.Z",
    }  # fmt: skip
    sim = car.simulation(description)
    sim.set_inputs({"Main_Spring.force.L1": 1700.0, "Ext_Body.force.Z": -900.0})
    statics.settle(sim, description)
    for name in ("chassis.z", *(f"{c}.jounce" for c in CORNERS)):
        assert sim.state(name) == pytest.approx(plain_one.state(name), abs=1e-10), name
    assert sim.input("Main_Spring.force.L1") == 1700.0 and sim.input("Ext_Body.force.Z") == -900.0
    assert abs(rates(sim)["L1.jounce.rate"]) > 1.0, "in a run they act"
