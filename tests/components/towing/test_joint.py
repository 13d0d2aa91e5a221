"""A hitch that is an exact joint: the load by Newton's law of the towed unit, moments by the work of its angles."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from jounce.runtime.simulation import Simulation
from trains import HITCHES, newton_force, rig, somewhere, told

DATA = HITCHES["joint"]


@lru_cache
def moving() -> Simulation:
    return somewhere(rig("joint"))


def test_the_force_is_what_newton_leaves_of_the_towed_unit() -> None:
    """To 1e-9 of tire forces of 1e4 N: rounding of some 1e3 operations."""
    sim = moving()
    force = newton_force(sim)
    assert told(sim, "Global_force") == pytest.approx(force, rel=1e-9, abs=1e-5)
    assert np.linalg.norm(force) > 1e3


def test_the_moment_along_the_axis_of_each_angle_is_that_of_its_spring_and_damper() -> None:
    sim = moving()
    yaw, pitch, roll = (sim.state(f"unit2.hitch.{word}") for word in ("yaw", "pitch", "roll"))
    rates = {word: sim.state(f"unit2.hitch.{word}.rate") for word in ("yaw", "pitch", "roll")}
    c, s = np.cos(yaw), np.sin(yaw)
    axes = {"yaw": [0, 0, 1], "pitch": [-s, c, 0], "roll": [c * np.cos(pitch), s * np.cos(pitch), -np.sin(pitch)]}
    bent = {"yaw": 0.0, "pitch": 730.0 * pitch, "roll": 91e3 * (roll - 0.013)}
    for word, axis in axes.items():
        expected = bent[word] + DATA[word]["damping"] * rates[word]
        assert told(sim, "Local_Moment") @ axis == pytest.approx(expected, rel=1e-9, abs=1e-6), word


def test_lash_lets_go_to_either_side() -> None:
    sim = somewhere(rig("joint"))
    sim.set_states({"unit2.hitch.roll.rate": 0.0, "unit2.hitch.pitch": 0.0, "unit2.hitch.yaw": 0.0})
    for angle, bent in ((0.012, 0.0), (-0.012, 0.0), (0.023, 0.010), (-0.023, -0.010)):
        sim.set_states({"unit2.hitch.roll": angle})
        assert told(sim, "Local_Moment")[0] == pytest.approx(91e3 * bent, abs=1e-6)


def test_the_couplings_stay_together() -> None:
    sim = somewhere(rig("joint"))
    sim.advance(200)
    at, own, towing = (
        [sim.output(f"{name}_{axis}") for axis in "XYZ"]
        for name in ("Hook_rear.Hook", "unit2.Vehicle.Origin_Global", "Vehicle.Origin_Global")
    )
    assert np.linalg.norm(np.subtract(at, own)) == pytest.approx(DATA["height"], abs=1e-12)
    assert np.linalg.norm(np.subtract(at, towing)) == pytest.approx(np.linalg.norm(DATA["location"]), abs=1e-12)
    assert sim.output("unit2.Articulation.beyond") == pytest.approx(abs(sim.state("unit2.hitch.yaw")) - 1.1)
