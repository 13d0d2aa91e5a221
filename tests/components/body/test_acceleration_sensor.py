"""Acceleration sensors are the rates of velocity sensors; gravity is felt at rest and not in free fall."""

from __future__ import annotations

import numpy as np
import pytest

from jounce.core.constants import GRAVITY
from jounce.runtime.simulation import Simulation
from models import derivative
from sensor_rig import BODIES, MARKER, Rigid, flying, rotation, told


def rate_of(sim: Simulation, group: str, names: str) -> tuple[np.ndarray, np.ndarray]:
    x, f = sim.x.copy(), sim.derivatives()[0]
    return derivative(lambda t: told(sim, group, names, sim.outputs(x=x + t * f)), h=1e-2)


@pytest.mark.parametrize("body", [*BODIES])
def test_an_acceleration_is_the_rate_of_the_velocity(body: str) -> None:
    sim = flying()
    found, error = rate_of(sim, f"User_Sensor.velocity_{body}", "VX VY VZ")
    here = told(sim, f"User_Sensor.acceleration_{body}", "ACCX ACCY ACCZ")
    assert np.linalg.norm(here) > 3.0
    assert np.all(np.abs(here - found) <= error + 1e-9)
    found, error = rate_of(sim, f"User_Sensor.turning_{body}", "WX WY WZ")
    here = told(sim, f"User_Sensor.turning_rate_{body}", "WDTX WDTY WDTZ")
    assert np.linalg.norm(here) > 0.05
    assert np.all(np.abs(here - found) <= error + 1e-9)


def test_an_acceleration_is_the_second_derivative_of_a_path_that_is_integrated_here() -> None:
    """Sixth-order differences over 10 ms steps: truncation some 5e-9 (64 times that at 20 ms), rounding 31 eps/1e-4."""
    sim = flying()
    expected = Rigid(sim).second(np.array(MARKER["location"]))
    found = told(sim, "User_Sensor.acceleration_chassis", "ACCX ACCY ACCZ")
    assert found == pytest.approx(expected, abs=1e-8)
    assert np.linalg.norm(found) > 5.0


def test_a_point_of_a_rotating_body_has_the_acceleration_of_its_formula() -> None:
    """a + α × r + ω × (ω × r), turning fast about one axis and slowly about the others."""
    sim = flying(**{"chassis.wx": 0.1, "chassis.wy": -0.2, "chassis.wz": 5.3})
    rigid = Rigid(sim)
    arm = np.array(MARKER["location"]) - rigid.centre
    own = rigid.a + np.cross(rigid.w, rigid.v)  # of the centre, axes of the body
    own = own + np.cross(rigid.alpha, arm) + np.cross(rigid.w, np.cross(rigid.w, arm))
    found = told(sim, "User_Sensor.acceleration_chassis", "ACCX ACCY ACCZ")
    assert found == pytest.approx(rotation(rigid.q) @ own, rel=1e-11)
    assert np.linalg.norm(found) > 5.3**2 * 0.5


def test_gravity_is_added_upwards() -> None:
    sim = flying()
    for body in BODIES:
        felt = told(sim, f"User_Sensor.felt_{body}", "ACCX ACCY ACCZ")
        plain = told(sim, f"User_Sensor.acceleration_{body}", "ACCX ACCY ACCZ")
        assert felt - plain == pytest.approx([0.0, 0.0, GRAVITY], abs=1e-12)


def test_a_car_in_free_fall_feels_nothing() -> None:
    """Without turning, its wheels held by springs that are balanced: set so that nothing of it accelerates but by g."""
    sim = flying(**{f"chassis.{k}{a}": 0.0 for k in "vw" for a in "xyz"})
    q = {f"chassis.e{i}": float(i == 0) for i in range(4)}
    still = dict.fromkeys(("L1.jounce.rate", "R1.jounce.rate", "L1.wheel.spin", "R1.wheel.spin"), 0.0)
    sim.set_states(q | still)
    forces = {name: 0.0 for name in sim.parameters if name.endswith((".preload", ".scale")) and "tire" not in name}
    sim.set_parameters({name: value for name, value in forces.items() if ".spring." in name or ".damper" in name})
    sim.set_parameters({n: 0.0 for n in forces if "_stop." in n or "anti_roll" in n})
    assert told(sim, "User_Sensor.acceleration_chassis", "ACCX ACCY ACCZ") == pytest.approx([0, 0, -GRAVITY], abs=1e-6)
    assert told(sim, "User_Sensor.felt_chassis", "ACCX ACCY ACCZ") == pytest.approx([0, 0, 0], abs=1e-6)
    assert told(sim, "User_Sensor.usual_g", "ACCX ACCY ACCZ") == pytest.approx([0, 0, 0], abs=1e-6)


def test_between_two_carriers_gravity_is_that_of_i_alone() -> None:
    """As defined: (r̈_I - r̈_J - g)·a_R."""
    sim = flying()
    felt, plain = (told(sim, f"User_Sensor.{name}_between", "ACCX ACCY ACCZ") for name in ("felt", "acceleration"))
    assert np.linalg.norm(felt - plain) == pytest.approx(GRAVITY, rel=1e-12)
    apart = told(sim, "User_Sensor.acceleration_left", "ACCX ACCY ACCZ")
    apart = apart - told(sim, "User_Sensor.acceleration_right", "ACCX ACCY ACCZ")
    assert np.linalg.norm(plain) == pytest.approx(np.linalg.norm(apart), rel=1e-11)
