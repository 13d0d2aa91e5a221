"""A hitch of springs and dampers: its force, and the frequency by which it is chosen."""

from __future__ import annotations

import math

import numpy as np
import pytest

from axle_lists import one_axle, vehicle_of
from trains import HITCHES, newton_force, rig, somewhere, told, trailer

SHIFT, RATE = (0.0013, -0.0021, 0.0017), (0.11, -0.07, 0.05)
AXES = "xyz"


def test_the_force_on_the_towing_unit_is_that_of_springs_dampers_and_integrals() -> None:
    """Three ways: told by the part, by Newton's law of the trailer, and from stiffness, damping and displacement."""
    sim = somewhere(rig("spring"))
    for i, axis in enumerate(AXES):
        sim.set_states({f"unit2.hitch.{axis}": SHIFT[i], f"unit2.hitch.{axis}.rate": RATE[i]})
        sim.set_states({f"unit2.hitch.{axis}.windup": 1e-3 * (i + 1)})
    known, integral = sim.parameters, HITCHES["spring"]["integral"]
    for i, axis in enumerate(AXES):
        k, c = (known[f"unit2.hitch.{name}.{axis}"] for name in "kc")
        expected = -k * SHIFT[i] - c * RATE[i] - integral[axis] * 1e-3 * (i + 1)
        assert sim.output(f"unit2.Hitch.force_{axis}") == pytest.approx(expected, rel=1e-12)
    on_trailer = [sim.output(f"unit2.Hitch.force_{axis}") for axis in AXES]
    assert np.linalg.norm(on_trailer) == pytest.approx(float(np.linalg.norm(told(sim, "Global_force"))), rel=1e-9)
    assert told(sim, "Global_force") == pytest.approx(newton_force(sim), rel=1e-9, abs=1e-4)


def test_two_bodies_on_the_spring_alone_swing_with_its_frequency() -> None:
    """Along the line of both centres nothing turns, ω² = k (1/m + 1/M); across it bodies turn about them."""
    raw = trailer()
    raw["hitch"] = {"kind": "spring", "location": [-3.53, 0.0, 0.87], "frequency": 31.0, "damping_ratio": 0.07}
    car = one_axle()
    car["body"]["cg"] = {"x": -1.1, "y": 0.0, "z": 0.87}
    car["body"]["added_masses"] = []
    hitch = vehicle_of({**car, "trailers": [raw]}).layout.units[1]
    k, c = hitch.data.hitch.rates(hitch), hitch.data.hitch.dampings(hitch)
    inverse = 1 / raw["body"]["mass"] + 1 / car["body"]["mass"]
    assert k[0] * inverse == pytest.approx((2 * math.pi * 31.0) ** 2, rel=1e-12)
    assert c[0] * inverse == pytest.approx(2 * 0.07 * 2 * math.pi * 31.0, rel=1e-12)
    arm, inertia = 3.61, raw["body"]["inertia"]["iyy"]  # across, the trailer's centre of percussion gives way as well
    other = 3.53 - 1.1
    across = inverse + arm**2 / inertia + other**2 / car["body"]["inertia"]["iyy"]
    xz = car["body"]["inertia"].get("ixz", 0.0)
    assert k[2] * across == pytest.approx((2 * math.pi * 31.0) ** 2, rel=1e-12 if xz == 0 else 0.02)


def test_stiffness_and_damping_may_be_given() -> None:
    raw = trailer()
    raw["hitch"] |= {
        "kind": "spring",
        "stiffness": {"x": "1 kN/mm", "y": 2e6, "z": 3e6},
        "damping": {"x": 1, "y": 2, "z": 3},
    }
    unit = vehicle_of({**one_axle(), "trailers": [raw]}).layout.units[1]
    assert unit.data.hitch.rates(unit) == pytest.approx([1e6, 2e6, 3e6])
    assert unit.data.hitch.dampings(unit) == pytest.approx([1.0, 2.0, 3.0])
