"""Contact geometry: frames, closed forms on planes, velocities, power, sign conventions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jounce.components.tire.contact import Contact, motion, to_sae, to_wheel_axes, touch, wrench
from models import derivative, rotation_matrix

R0 = 0.32
angles = st.floats(-0.6, 0.6)
vectors = st.tuples(*[st.floats(-5, 5)] * 3).map(np.array)


def wheel_axis(toe: float, camber: float) -> np.ndarray:
    return np.array([-math.sin(toe) * math.cos(camber), math.cos(toe) * math.cos(camber), math.sin(camber)])


def plane(grade: float, bank: float) -> np.ndarray:
    n = np.array([-grade, -bank, 1.0])
    return n / np.linalg.norm(n)


def matrix(contact: Contact) -> np.ndarray:
    return np.array([contact.forward, contact.lateral, contact.normal], dtype=float)


@given(toe=angles, camber=angles, grade=st.floats(-0.5, 0.5), bank=st.floats(-0.5, 0.5), height=st.floats(0.1, 0.4))
def test_both_frames_are_right_handed_and_share_their_x(
    toe: float, camber: float, grade: float, bank: float, height: float
) -> None:
    e, n = wheel_axis(toe, camber), plane(grade, bank)
    c = touch(e, n, height)
    w = matrix(c)
    wheel = np.array([c.forward, c.axis, c.up], dtype=float)
    for frame in (w, wheel):
        assert np.abs(frame @ frame.T - np.eye(3)).max() < 1e-12
        assert np.linalg.det(frame) == pytest.approx(1.0, abs=1e-12)
    assert math.sin(float(c.gamma)) == pytest.approx(float(e @ n), abs=1e-12)
    # the contact point lies in the wheel plane and on the road
    arm = np.array(c.arm, dtype=float)
    assert abs(arm @ e) < 1e-12
    assert height + arm @ n == pytest.approx(0.0, abs=1e-12)
    assert np.linalg.norm(arm) == pytest.approx(float(c.radius), rel=1e-12)


def test_closed_form_on_level_ground() -> None:
    for camber in (-0.3, 0.0, 0.2):
        c = touch(wheel_axis(0.0, camber), (0.0, 0.0, 1.0), 0.3)
        assert float(c.gamma) == pytest.approx(camber)
        assert float(c.radius) == pytest.approx(0.3 / math.cos(camber))
        assert np.array(c.arm, dtype=float) == pytest.approx([0, 0.3 * math.tan(camber), -0.3])
        assert np.array(c.forward, dtype=float) == pytest.approx([1, 0, 0])


def test_a_wheel_whose_top_leans_to_the_right_has_positive_inclination() -> None:
    """Turning about x by the right hand moves the top to -y."""
    c = touch(wheel_axis(0.0, 0.1), (0.0, 0.0, 1.0), 0.3)
    assert c.gamma > 0
    assert c.up[1] < 0


def test_closed_form_on_a_grade() -> None:
    grade = 0.2
    n = plane(grade, 0.0)
    c = touch((0.0, 1.0, 0.0), n, 0.3)
    assert float(c.gamma) == 0.0
    slope = math.atan(grade)
    assert np.array(c.forward, dtype=float) == pytest.approx([math.cos(slope), 0, math.sin(slope)])
    assert float(c.radius) == pytest.approx(0.3)


@pytest.mark.parametrize("grade", [-0.3, 0.0, 0.15])
@pytest.mark.parametrize("bank", [-0.2, 0.1])
@pytest.mark.parametrize(("heading", "camber"), [(0.0, 0.0), (0.7, 0.15), (2.6, -0.4)])
def test_contact_point_and_force_on_a_tilted_plane(grade: float, bank: float, heading: float, camber: float) -> None:
    """The contact is that point of plane and disc which is nearest to the wheel centre, found here by the conditions
    for a minimum; the load acts there, at right angles to the road z = z0 + grade x + bank y."""
    e = np.array(wheel_axis(heading, camber), dtype=float)
    centre, z0 = np.array([12.0, -3.0, 4.0]), 1.0
    n = np.array([-grade, -bank, 1.0]) / math.sqrt(1 + grade**2 + bank**2)
    height = float(n @ (centre - [0.0, 0.0, z0]))
    # min |X|²/2 with e·X = 0 and n·X = -height, X from the centre: X + λ e + µ n = 0
    conditions = np.block([[np.eye(3), e[:, None], n[:, None]], [e, 0, 0], [n, 0, 0]])
    arm = np.linalg.solve(conditions, [0, 0, 0, 0, -height])[:3]
    c = touch(e, n, height)
    assert np.array(c.arm, dtype=float) == pytest.approx(arm, abs=1e-12)
    assert float(c.radius) == pytest.approx(float(np.linalg.norm(arm)), rel=1e-12)
    point = centre + np.array(c.arm, dtype=float)
    assert point[2] == pytest.approx(z0 + grade * point[0] + bank * point[1], abs=1e-12), "on the road"
    total = wrench(c, [0.0, 0.0, 4000.0], [0.0, 0.0, 0.0])
    force = np.array(total.force, dtype=float)
    assert np.linalg.norm(force) == pytest.approx(4000) and force[2] > 0
    for along in ([1.0, 0.0, grade], [0.0, 1.0, bank]):
        assert force @ along == pytest.approx(0.0, abs=1e-9), "at right angles to the road"
    assert np.array(total.moment, dtype=float) == pytest.approx(np.cross(arm, force), abs=1e-9)


def test_bank_is_inclination() -> None:
    c = touch((0.0, 1.0, 0.0), plane(0.0, 0.1), 0.3)
    assert float(c.gamma) == pytest.approx(-math.atan(0.1))


@given(toe=angles, camber=angles, v=vectors, w=vectors, grade=st.floats(-0.4, 0.4), bank=st.floats(-0.4, 0.4))
@settings(max_examples=50)
def test_deflection_rate_is_the_derivative_of_the_deflection(
    toe: float, camber: float, v: np.ndarray, w: np.ndarray, grade: float, bank: float
) -> None:
    e0, n, h0 = wheel_axis(toe, camber), plane(grade, bank), 0.3

    def rho(t: float) -> np.ndarray:
        e = e0 + t * np.cross(w, e0)
        return np.array(R0 - touch(e / np.linalg.norm(e), n, h0 + t * (v @ n)).radius)

    contact = touch(e0, n, h0)
    expected, error = derivative(rho, h=1e-3)
    assert motion(contact, v, w).rho_rate == pytest.approx(float(expected), abs=float(error) + 1e-8)


@given(toe=angles, camber=angles, v=vectors, w=vectors, f=vectors, m=vectors)
def test_power_is_the_same_at_the_contact_and_at_the_wheel_centre(
    toe: float, camber: float, v: np.ndarray, w: np.ndarray, f: np.ndarray, m: np.ndarray
) -> None:
    contact = touch(wheel_axis(toe, camber), plane(0.1, -0.2), 0.3)
    axes = matrix(contact)
    moving = motion(contact, v, w)
    v_contact = np.array([moving.vx, moving.vy, -moving.rho_rate * contact.cosine], dtype=float)
    at_contact = f @ v_contact + m @ (axes @ w)
    total = wrench(contact, f, m)
    at_centre = np.array(total.force, dtype=float) @ v + np.array(total.moment, dtype=float) @ w
    assert at_centre == pytest.approx(at_contact, abs=1e-12 * (1 + np.abs(f).max() + np.abs(m).max()) * 50)


@given(
    toe=st.floats(-math.pi, math.pi), camber=angles, grade=st.floats(-0.5, 0.5), bank=st.floats(-0.5, 0.5),
    v=vectors, w=vectors, f=vectors, m=vectors,
)  # fmt: skip
def test_power_is_the_same_in_contact_wheel_and_sae_axes(
    toe: float, camber: float, grade: float, bank: float,
    v: np.ndarray, w: np.ndarray, f: np.ndarray, m: np.ndarray,
) -> None:  # fmt: skip
    """Velocities by the rigid body formula, turned by matrices made here; forces by the functions of the package."""
    contact = touch(wheel_axis(toe, camber), plane(grade, bank), 0.3)
    W, C = matrix(contact), np.array([contact.forward, contact.axis, contact.up], dtype=float)
    SAE = np.diag([1.0, -1.0, -1.0]) @ W  # x as it was, y to the right, z down
    for frame in (W, C, SAE):
        assert np.abs(frame @ frame.T - np.eye(3)).max() < 1e-12
        assert np.linalg.det(frame) == pytest.approx(1.0, abs=1e-12)
    at_contact = v + np.cross(w, np.array(contact.arm, dtype=float))
    power = f @ (W @ at_contact) + m @ (W @ w)
    scale = 1e-12 * (1 + np.abs(v).max() + np.abs(w).max()) * (1 + np.abs(f).max() + np.abs(m).max())
    turned = np.array(to_sae([*f, *m]), dtype=float)
    assert turned[:3] @ (SAE @ at_contact) + turned[3:] @ (SAE @ w) == pytest.approx(power, abs=scale)
    total = wrench(contact, f, m)
    force, moment = (np.array(to_wheel_axes(contact, x), dtype=float) for x in (total.force, total.moment))
    assert force @ (C @ v) + moment @ (C @ w) == pytest.approx(power, abs=scale)


@given(toe=angles, camber=angles, v=vectors, w=vectors, f=vectors, q=st.tuples(*[st.floats(-1, 1)] * 4))
@settings(max_examples=50)
def test_the_axes_of_the_computation_do_not_matter(
    toe: float, camber: float, v: np.ndarray, w: np.ndarray, f: np.ndarray, q: tuple[float, ...]
) -> None:
    if np.linalg.norm(q) < 0.1:
        q = (1.0, 0.0, 0.0, 0.0)
    R = rotation_matrix(np.array(q))
    e, n = wheel_axis(toe, camber), plane(0.2, 0.1)
    a, b = touch(e, n, 0.3), touch(R @ e, R @ n, 0.3)
    assert np.array(motion(a, v, w), dtype=float) == pytest.approx(
        np.array(motion(b, R @ v, R @ w), dtype=float), abs=1e-12
    )
    assert float(a.gamma) == pytest.approx(float(b.gamma), abs=1e-12)
    fa, fb = wrench(a, f, f), wrench(b, f, f)
    assert R @ np.array(fa.moment, dtype=float) == pytest.approx(np.array(fb.moment, dtype=float), abs=1e-11)
    # components along the wheel's own axes are those of the wheel, in any axes
    assert to_wheel_axes(a, v) == pytest.approx(to_wheel_axes(b, R @ v), abs=1e-12)


def test_a_fallen_wheel_gives_numbers_and_no_contact() -> None:
    c = touch((0.0, 0.0, 1.0), (0.0, 0.0, 1.0), 0.1)
    assert np.all(np.isfinite(np.array([*c.forward, *c.arm, c.gamma, c.radius], dtype=float)))
    assert R0 - c.radius < 0


def test_turning_to_z_down_twice_changes_nothing() -> None:
    forces = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert to_sae(forces) == [1, -2, -3, 4, -5, -6]
    assert to_sae(to_sae(forces)) == forces
