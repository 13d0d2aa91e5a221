"""Velocity sensors are the rates of displacement sensors, and the formula of a rigid body."""

from __future__ import annotations

import numpy as np
import pytest

from jounce.runtime.simulation import Simulation
from models import derivative
from sensor_rig import BODIES, MARKER, SEAT, Rigid, flying, rotation, told


def rate_of(sim: Simulation, group: str, names: str) -> tuple[np.ndarray, np.ndarray]:
    """Rate of channels along the motion: the states moved on by small times; and a bound of its error."""
    x, f = sim.x.copy(), sim.derivatives()[0]
    return derivative(lambda t: told(sim, group, names, sim.outputs(x=x + t * f)), h=1e-2)


@pytest.mark.parametrize("body", [*BODIES])
def test_a_velocity_is_the_rate_of_the_place(body: str) -> None:
    sim = flying()
    found, error = rate_of(sim, f"User_Sensor.place_{body}", "X Y Z")
    told_here = told(sim, f"User_Sensor.velocity_{body}", "VX VY VZ")
    assert np.linalg.norm(told_here) > 5.0
    assert np.all(np.abs(told_here - found) <= error + 1e-10)


def test_a_seat_moves_as_the_formula_of_a_rigid_body_says() -> None:
    """v + ω × r at (0, 0.88, 0.6), along the heading: 1e-9, in fact rounding."""
    sim = flying()
    rigid = Rigid(sim)
    r = rotation(rigid.q)
    v = r @ (rigid.v + np.cross(rigid.w, SEAT - rigid.centre))
    heading = np.arctan2(r[1, 0], r[0, 0])
    c, s = np.cos(heading), np.sin(heading)
    expected = [c * v[0] + s * v[1], c * v[1] - s * v[0], v[2]]
    assert told(sim, "User_Sensor.usual", "VX VY VZ") == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("body", [*BODIES])
def test_turning_is_the_rate_of_the_axes(body: str) -> None:
    """Ṙ Rᵀ of the matrix that the sensor's own 3-2-1 angles make."""
    sim = flying()
    x, f = sim.x.copy(), sim.derivatives()[0]

    def matrix(t: float) -> np.ndarray:
        yaw, pitch, roll = told(sim, f"User_Sensor.ypr_{body}", "YAW PITCH ROLL", sim.outputs(x=x + t * f))
        c, s = np.cos([yaw, pitch, roll]), np.sin([yaw, pitch, roll])
        z = np.array([[c[0], -s[0], 0], [s[0], c[0], 0], [0, 0, 1]])
        y = np.array([[c[1], 0, s[1]], [0, 1, 0], [-s[1], 0, c[1]]])
        return np.asarray(z @ y @ np.array([[1, 0, 0], [0, c[2], -s[2]], [0, s[2], c[2]]]))

    rate, error = derivative(matrix, h=1e-2)
    skew = rate @ matrix(0.0).T
    expected = np.array([skew[2, 1], skew[0, 2], skew[1, 0]])
    found = told(sim, f"User_Sensor.turning_{body}", "WX WY WZ")
    assert np.linalg.norm(found) > 0.5
    assert np.abs(found - expected).max() <= 3 * error.max() + 1e-10


def test_between_two_carriers_along_a_third_marker() -> None:
    sim = flying()
    psi, theta, phi = (MARKER[name] for name in ("psi", "theta", "phi"))
    c, s = np.cos, np.sin
    z1 = np.array([[c(psi), -s(psi), 0], [s(psi), c(psi), 0], [0, 0, 1]])
    x = np.array([[1, 0, 0], [0, c(theta), -s(theta)], [0, s(theta), c(theta)]])
    z2 = np.array([[c(phi), -s(phi), 0], [s(phi), c(phi), 0], [0, 0, 1]])
    axes = rotation(Rigid(sim).q) @ z1 @ x @ z2
    for name, channels in (("velocity", "VX VY VZ"), ("turning", "WX WY WZ")):
        left, right = (told(sim, f"User_Sensor.{name}_{side}", channels) for side in ("left", "right"))
        assert np.linalg.norm(left - right) > 0.05
        assert told(sim, f"User_Sensor.{name}_between", channels) == pytest.approx(axes.T @ (left - right), abs=1e-11)
        assert told(sim, f"User_Sensor.{name}_same", channels) == pytest.approx([0.0] * 3, abs=1e-12)
