"""Reference points: the same as forces that are built in; where reactions go; power."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jounce.vehicle as jv
from body_rig import PUSH, channels, description, law_rates, moving, rates, turn, vehicle
from jounce.components.settings import Statics
from jounce.core.errors import ParameterError
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from jounce.sim.statics import settle

FORCE, MOMENT = np.array([310.0, -470.0, 730.0]), np.array([83.0, -59.0, 131.0])


def given(sim: Simulation, name: str, force: Any = (0, 0, 0), moment: Any = (0, 0, 0)) -> Simulation:
    """Inputs of a reference point, or of the ports ``Ext_…``."""
    known = {v.name for v in sim.model.inputs}
    for kind, values in (("F", force), ("M", moment)):
        for axis, value in zip("XYZ", values, strict=True):
            port = f"Reference_Point.{name}.{kind}{axis}"
            word = {"F": "force", "M": "moment"}[kind]
            sim.set_inputs({port if port in known else f"{name}.{word}.{axis}": float(value)})
    return sim


def assert_alike(one: Simulation, other: Simulation) -> None:
    """All rates are the same sums in another order: 1e-12 of their size, or of 1."""
    there = rates(other)
    for name, value in rates(one).items():
        assert there[name] == pytest.approx(value, rel=1e-12, abs=1e-11), name


def test_in_the_centre_of_gravity_it_is_the_built_in_force_on_the_body() -> None:
    assert_alike(given(moving(), "centre", FORCE, MOMENT), given(moving(), "Ext_Body", FORCE, MOMENT))
    assert rates(given(moving(), "centre", FORCE))["chassis.vz"] != rates(moving())["chassis.vz"]


def test_at_a_point_in_world_axes_it_is_a_force_with_its_lever() -> None:
    sim = moving()
    lever = turn(sim) @ (PUSH - vehicle().main_body.centre())
    other = given(moving(), "Ext_Ground", FORCE, MOMENT + np.cross(lever, FORCE))
    assert_alike(given(sim, "push", FORCE, MOMENT), other)


def test_it_is_the_drag_of_the_air() -> None:
    """The built-in drag taken away, and given back at the place where it acts, by its own channel."""
    sim = moving()
    drag = sim.output("aero_forces.drag_force")
    location = vehicle().aero.drag.location.array  # type: ignore[union-attr]
    centre = vehicle().main_body.centre()
    r = turn(sim)
    ahead = r[:, 0] * [1, 1, 0]
    force = -drag * ahead / np.linalg.norm(ahead)
    other = moving()
    other.set_parameters({"aero.drag.scale": 0.0})
    without = rates(other)
    moved = {f"force2.location.{a}": float(x) for a, x in zip("xyz", location - centre, strict=True)}
    other.set_parameters(moved)
    given(other, "push", force)
    assert_alike(sim, other)
    assert abs(without["chassis.vx"] - rates(sim)["chassis.vx"]) > 1e-3


def test_a_force_on_a_carrier_that_the_ground_bears_changes_momentum_by_itself() -> None:
    before = law_rates(moving())
    sim = given(moving(), "hub", FORCE, MOMENT)
    p, h, power = (after - b for after, b in zip(law_rates(sim), before, strict=True))
    place = channels(sim, *(f"Reference_Point.hub.{a}" for a in "XYZ"))
    # axes of the carrier: its z is that of the change of momentum by a force along z, and so on
    axes = np.column_stack([
        law_rates(given(moving(), "hub", 1000.0 * np.eye(3)[i]))[0] - before[0] for i in range(3)
    ]) / 1000.0  # fmt: skip
    assert axes.T @ axes == pytest.approx(np.eye(3), abs=1e-6)
    # differences of a momentum of 1e4 kg m/s over 1 ms, some 1e-9 of it
    assert p == pytest.approx(axes @ FORCE, abs=1e-4)
    assert h == pytest.approx(np.cross(place, axes @ FORCE) + axes @ MOMENT, abs=1e-3)
    # power: the point moves with the carrier; its velocity by differences of its place
    x, f = sim.x.copy(), sim.derivatives()[0]
    known = [v.name for v in sim.model.outputs]
    which = [known.index(f"Reference_Point.hub.{a}") for a in "XYZ"]
    v = (sim.outputs(x=x + 1e-5 * f)[which] - sim.outputs(x=x - 1e-5 * f)[which]) / 2e-5
    turning = np.array([sim.output(f"Wheel.Global_Omega_{a}.L1") for a in "XYZ"])
    # steering held by nobody's power: the rig's hand wheel stands still
    assert power == pytest.approx((axes @ FORCE) @ v + (axes @ MOMENT) @ turning, rel=1e-6)


def test_a_force_that_the_chassis_bears_leaves_all_momentum_alone() -> None:
    before = law_rates(moving())
    sim = given(moving(), "strut", FORCE, MOMENT)
    p, h, power = (after - b for after, b in zip(law_rates(sim), before, strict=True))
    assert p == pytest.approx([0.0] * 3, abs=1e-4) and h == pytest.approx([0.0] * 3, abs=1e-3)
    assert abs(rates(sim)["R2.jounce.rate"] - rates(moving())["R2.jounce.rate"]) > 1.0
    assert abs(power) > 1.0


def test_channels_tell_place_and_what_acts() -> None:
    sim = moving()
    sim.set_parameters({"force2.force.x": 200.0, "force2.moment.y": -30.0, "force2.scale": 1.5})
    given(sim, "push", FORCE, MOMENT)
    centre, r = vehicle().main_body.centre(), turn(sim)
    position = np.array([sim.state(f"chassis.{a}") for a in "xyz"]) + r @ (PUSH - centre)
    assert channels(sim, *(f"Reference_Point.push.{a}" for a in "XYZ")) == pytest.approx(position, abs=1e-12)
    found = channels(sim, *(f"Reference_Point.push.F{a}" for a in "XYZ"))
    assert found == pytest.approx(np.add(FORCE, [300.0, 0, 0]))
    found = channels(sim, *(f"Reference_Point.push.M{a}" for a in "XYZ"))
    assert found == pytest.approx(np.add(MOMENT, [0, -45.0, 0]))


def test_a_constant_force_loads_the_wheels_by_the_lever() -> None:
    """Pressed down off the middle: all forces and moments balance about the point where it acts."""
    found = description()
    sim = Simulation(_library())
    sim.set_parameters({"force2.force.z": -2100.0})
    settle(sim, found)
    wheels = ("L1", "R1", "L2", "R2")
    loads = np.array([sim.output(f"Tire.Ground_Surface_Force_Z.{c}") for c in wheels])
    weight = vehicle().mass() * vehicle().system.gravity
    assert loads.sum() == pytest.approx(weight + 2100.0, rel=1e-6)
    places = np.array([[sim.output(f"Tire.Contact_Patch_Global_{a}.{c}") for a in "XYZ"] for c in wheels])
    forces = np.array([[sim.output(f"Tire.Hub_Carrier_Force_Global_{a}.{c}") for a in "XYZ"] for c in wheels])
    moments = np.array([sim.output(f"Tire.Ground_Surface_Moment_X.{c}") for c in wheels])
    point = channels(sim, *(f"Reference_Point.push.{a}" for a in "XYZ"))
    centre = channels(sim, *(f"System_Mass_Center.Global_{a}" for a in "XYZ"))
    about = np.sum(np.cross(places - point, forces), axis=0) + np.cross(centre - point, [0, 0, -weight])
    # overturning moments of the tires beside; about z and y they have none at rest, camber turns those about x
    assert about[1] == pytest.approx(0.0, abs=2e-3 * np.abs(moments).sum() + 1e-3)
    assert about[0] + moments.sum() == pytest.approx(0.0, abs=2e-3 * np.abs(moments).sum() + 1e-3)


def _library() -> Any:
    from body_rig import library

    return library()


def test_constants_may_wait_for_the_run() -> None:
    item = vehicle().forces[0]
    assert item.at_rest(Statics(), vehicle().layout) == {}
    assert item.with_raw(in_statics=False).at_rest(Statics(), vehicle().layout) == {"scale": 0.0}


def test_units_of_a_file_are_converted() -> None:
    sedan = jv.load("sedan").with_(forces=[{"kind": "point", "name": "a", "force": ["100 lbf", 0, 0]}])
    assert sedan.get("forces[0].force.x") == pytest.approx(444.8221615260500, rel=1e-13)
    again = sedan.with_(**{"forces[0].moment.z": "10 ft.lbf"})
    assert again.get("forces[0].moment.z") == pytest.approx(13.558179483314, rel=1e-12)


def test_bad_forces_say_where_and_what() -> None:
    car_ = jv.load("sedan")

    def refused(*messages: str, **force: Any) -> None:
        with pytest.raises(ParameterError) as found:
            car_.with_(forces=[{"kind": "point", "name": "a", **force}])
        for message in messages:
            assert message in str(found.value)

    refused("forces[0].body", "'ground'", "no body", body="ground")
    refused("forces[0].reaction", "does nothing", reaction="chassis")
    refused("forces[0].force.x", "N", force=["3 m", 0, 0])
    refused("forces[0].axes", axes="road")


def test_ports_are_offered_and_cost_nothing_where_nobody_opens_them() -> None:
    ports = car.ports(vehicle())
    assert ports["Reference_Point.push.FX"][:2] == ("added", "N")
    assert ports["Reference_Point.push.MZ"][:2] == ("added", "N.m")
