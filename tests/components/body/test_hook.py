"""The hook: a load at the ball is force and lever, what goes in comes out, and its power is that of the ball."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from body_rig import HOOK, channels, law_rates, moving, rates, turn, vehicle
from jounce.core.errors import ParameterError
from jounce.runtime.simulation import Simulation
from jounce.sim import car

FORCE, MOMENT = np.array([-1700.0, 410.0, -930.0]), np.array([71.0, -130.0, 57.0])


def given(sim: Simulation, force: Any = (0, 0, 0), moment: Any = (0, 0, 0)) -> Simulation:
    sim.set_inputs({f"Hook.F{a}.rear": float(x) for a, x in zip("xyz", force, strict=True)})
    sim.set_inputs({f"Hook.M{a}.rear": float(x) for a, x in zip("xyz", moment, strict=True)})
    return sim


def ball(sim: Simulation) -> np.ndarray:
    return channels(sim, *(f"Hook_rear.Hook_{a}" for a in "XYZ"))


def test_a_load_is_a_force_with_its_lever_in_world_axes() -> None:
    sim = given(moving(), FORCE, MOMENT)
    lever = turn(sim) @ (HOOK - vehicle().main_body.centre())
    other = moving()
    for word, values in (("force", FORCE), ("moment", MOMENT + np.cross(lever, FORCE))):
        other.set_inputs({f"Ext_Ground.{word}.{a}": float(x) for a, x in zip("XYZ", values, strict=True)})
    there = rates(other)
    for name, value in rates(sim).items():
        assert there[name] == pytest.approx(value, rel=1e-12, abs=1e-11), name


def test_a_side_force_at_the_ball_yaws_the_car_by_its_distance() -> None:
    """Upright and at rest in the air: Δh_z = x F_y about the centre of gravity, to either side."""
    upright = {f"chassis.e{i}": float(i == 0) for i in range(4)}
    still = {f"chassis.{s}{a}": 0.0 for s in "vw" for a in "xyz"} | {"chassis.x": 0.0, "chassis.y": 0.0}
    behind = HOOK[0] - vehicle().main_body.centre()[0]
    for force in (620.0, -480.0):
        before = law_rates(moving(**upright, **still))
        after = law_rates(given(moving(**upright, **still), (0.0, force, 0.0)))
        # about the world's origin, which the centre of gravity of the sprung mass is above
        assert after[1][2] - before[1][2] == pytest.approx(behind * force, rel=1e-6)
        assert (after[0] - before[0])[1] == pytest.approx(force, rel=1e-6)
    assert behind < 0


def test_what_goes_in_comes_out_and_its_power_is_that_of_the_ball() -> None:
    plain, sim = moving(), given(moving(), FORCE, MOMENT)
    r = turn(sim)
    for name, expected in (("force", FORCE), ("Moment", MOMENT)):
        assert channels(sim, *(f"Hook_rear.Global_{name}_{a}" for a in "XYZ")) == pytest.approx(expected, rel=1e-12)
        local = channels(sim, *(f"Hook_rear.Local_{name}_{a}" for a in "XYZ"))
        assert local == pytest.approx(r.T @ expected, rel=1e-12)
    v, w = (np.array([sim.state(f"chassis.{letter}{a}") for a in "xyz"]) for letter in "vw")
    velocity, turning = r @ (v + np.cross(w, HOOK - vehicle().main_body.centre())), r @ w
    power = law_rates(sim)[2] - law_rates(plain)[2]
    assert power == pytest.approx(velocity @ FORCE + turning @ MOMENT, rel=1e-6)


def test_where_the_ball_is_and_how_it_is_turned() -> None:
    sim = moving()
    centre = np.array([sim.state(f"chassis.{a}") for a in "xyz"])
    r = turn(sim)
    assert ball(sim) == pytest.approx(centre + r @ (HOOK - vehicle().main_body.centre()), rel=1e-12)
    psi, theta, phi = channels(sim, *(f"Hook_rear.Hook_{n}" for n in ("Psi", "Theta", "Phi")))

    def z(a: float) -> np.ndarray:
        return np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])

    about_x = np.array([[1, 0, 0], [0, np.cos(theta), -np.sin(theta)], [0, np.sin(theta), np.cos(theta)]])
    assert z(psi) @ about_x @ z(phi) == pytest.approx(r, abs=1e-12)


def test_the_load_of_a_drawbar_is_a_force_downwards() -> None:
    sim, other = moving(), given(moving(), (0.0, 0.0, -1.3 * 770.0))
    sim.set_parameters({"force5.load": 770.0, "force5.scale": 1.3})
    assert rates(sim) == pytest.approx(rates(other), rel=1e-12, abs=1e-11)
    assert channels(sim, "Hook_rear.Global_force_Z")[0] == pytest.approx(-1001.0)


def test_ports_are_there_only_where_a_hook_is() -> None:
    names = {f"Hook.{kind}{a}.rear" for kind in "FM" for a in "xyz"}
    assert names <= set(car.ports(vehicle()))
    bare = vehicle().with_(forces=[])
    assert not names & set(car.ports(bare))
    with pytest.raises(ParameterError, match=r"Hook\.Fx\.rear"):
        car.library(car.describe(bare, inputs=["Hook.Fx.rear"]))
