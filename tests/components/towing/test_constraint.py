"""A hitch held by constraints: the motion of the joint, and its reaction as multipliers."""

from __future__ import annotations

import numpy as np
import pytest

from axle_lists import one_axle, vehicle_of
from car_models import rates
from jounce.sim import car
from trains import HITCHES, newton_force, rig, somewhere, told, trailer


def test_at_equal_states_multipliers_are_the_reaction_of_the_joint_and_motions_agree() -> None:
    constraint = somewhere(rig("constraint"))
    raw = trailer()
    raw["hitch"] = {**HITCHES["constraint"], "kind": "joint"}
    joint = somewhere(car.simulation(vehicle_of({**one_axle(), "trailers": [raw]})))
    force = told(joint, "Global_force")
    assert told(constraint, "Global_force") == pytest.approx(force, rel=1e-9, abs=1e-5)
    multipliers = [constraint.output(f"unit2.Hitch.multiplier_{axis}") for axis in "xyz"]
    assert np.linalg.norm(multipliers) == pytest.approx(float(np.linalg.norm(force)), rel=1e-9)
    assert np.linalg.norm(force) > 1e3
    there, here = rates(constraint), rates(joint)
    for name, value in here.items():
        assert there[name] == pytest.approx(value, rel=1e-8, abs=1e-7), name


def test_multipliers_are_along_the_axes_of_the_towed_unit() -> None:
    sim = somewhere(rig("constraint"))
    yaw, pitch, roll = (sim.state(f"unit2.hitch.{word}") for word in ("yaw", "pitch", "roll"))
    (a, b), (c, d), (e, f) = ((np.cos(q), np.sin(q)) for q in (yaw, pitch, roll))
    turn = (
        np.array([[a, -b, 0], [b, a, 0], [0, 0, 1]])
        @ [[c, 0, d], [0, 1, 0], [-d, 0, c]]
        @ [[1, 0, 0], [0, e, -f], [0, f, e]]
    )
    multipliers = [sim.output(f"unit2.Hitch.multiplier_{axis}") for axis in "xyz"]
    assert told(sim, "Local_force") == pytest.approx(turn @ multipliers, rel=1e-9, abs=1e-5)
    assert told(sim, "Global_force") == pytest.approx(newton_force(sim), rel=1e-9, abs=1e-5)


def test_what_is_apart_comes_together() -> None:
    """By Baumgarte's terms, critically damped with 100/s: (1 + 100 t) exp(-100 t) of what it was."""
    sim = somewhere(rig("constraint"))
    sim.set_states({"unit2.hitch.y": 0.002})
    sim.set_method("AM-4")
    for _ in range(3):
        sim.advance(20)
        t = sim.time
        assert sim.state("unit2.hitch.y") == pytest.approx(0.002 * (1 + 100 * t) * np.exp(-100 * t), rel=1e-4)
