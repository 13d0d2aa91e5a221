"""Every case of the book passes, and its tolerances are tight enough to notice an error."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from jounce.verify import book, html, reference_car
from jounce.verify.cases import bicycle, carrier, chain, key_figures, order, rigid_body, tires, top, trees
from jounce.verify.chapters import CHAPTERS, Chapter, chapter_at

# forty random mechanisms; cars of the library, long runs
LONG = {"trees", "car-newton", "car-flight", "car-integrator", "set-up", "coasting", "cruise-control", "slow-circle"}


@pytest.mark.parametrize(
    "case", [pytest.param(c, id=c.name, marks=[pytest.mark.slow] if c.name in LONG else []) for c in book.cases()]
)
def test_the_case_passes(case: book.Case) -> None:
    page = case.run()
    failed = [
        f"{row.name}: {row.measured} instead of {row.expected} ± {row.tolerance}" for row in page.rows if not row.ok
    ]
    assert not failed, "\n".join(failed)
    for row in page.rows:
        assert row.source, row.name
        assert row.why, f"{row.name}: the tolerance is not explained"
    assert page.plots
    for plot in page.plots:
        assert b"</svg>" in html.svg(plot)


@pytest.mark.parametrize("chapter", CHAPTERS, ids=[chapter.title for chapter in CHAPTERS])
def test_a_case_of_every_chapter_has_a_reference_that_is_not_ours(chapter: Chapter) -> None:
    """Named in the text of a module: a package, or a work of the bibliography."""
    texts = [case.equations for case in book.cases() if chapter_at(case.chapter) == chapter]
    names = r"\[[A-Z][A-Za-z]+\d{4}\]|SciPy|scipy|numpy\.linalg|Pinocchio|vehiclemodels|ISO \d+|FMVSS|opencrg|ASAM"
    assert any(re.search(names, text) for text in texts)


def test_the_reference_car_stands_at_design_by_its_own_numbers() -> None:
    sim = reference_car.at_rest(reference_car.description())
    assert sim.state("chassis.z") == pytest.approx(reference_car.HEIGHT, abs=1e-9)
    assert max(abs(sim.state(f"{wheel}.jounce")) for wheel in reference_car.WHEELS) < 1e-9


# What the book compares with is tested here against itself, so that a slip in it cannot agree with a slip in the model.


def test_the_pendulum_of_the_closed_form_obeys_its_equation_of_motion() -> None:
    h = 1e-3
    for t in (0.1, 0.7, 1.9):
        acceleration = (order.exact(t + h)[1] - order.exact(t - h)[1]) / (2 * h)
        angle, rate = order.exact(t)
        # central differences: h² |d³ω/dt³|/6 with ω0 = 4.3 rad/s is below 1e-3
        assert acceleration == pytest.approx(-(order.natural_frequency() ** 2) * math.sin(angle), abs=1e-3)
        assert (order.exact(t + h)[0] - order.exact(t - h)[0]) / (2 * h) == pytest.approx(rate, abs=1e-3)


def test_the_closed_form_of_the_rigid_body_obeys_eulers_equations() -> None:
    exact, h = rigid_body.Exact(), 1e-4
    moments = np.array(rigid_body.MOMENTS)
    assert exact.spin(np.array(0.0)) == pytest.approx(rigid_body.SPIN)
    for t in (0.3, 2.0, 11.0):
        rate = (exact.spin(np.array(t + h)) - exact.spin(np.array(t - h))) / (2 * h)
        w = exact.spin(np.array(t))
        assert moments * rate + np.cross(w, moments * w) == pytest.approx(np.zeros(3), abs=1e-6)


def test_the_attitude_of_the_rigid_body_turns_with_its_angular_velocity() -> None:
    exact, h, t = rigid_body.Exact(), 1e-4, 3.0
    before, now, after = exact.attitude(np.array([t - h, t, t + h]))
    skew = now.T @ (after - before) / (2 * h)
    assert [skew[2, 1], skew[0, 2], skew[1, 0]] == pytest.approx(exact.spin(np.array(t)), abs=1e-6)


@pytest.mark.parametrize("root", ["slow", "fast"])
def test_the_precession_solves_its_quadratic_equation(root: str) -> None:
    a = top.ACROSS + top.MASS * top.LENGTH**2
    rate = top.precession(root)
    left = a * math.cos(top.TILT) * rate**2 - top.ALONG * top.SPIN * rate + top.MASS * top.GRAVITY * top.LENGTH
    assert left == pytest.approx(0.0, abs=1e-12)


def test_lagranges_equations_of_the_chain_conserve_its_energy() -> None:
    q, u, h = np.array(chain.START), np.linspace(-1.0, 2.0, chain.LINKS), 1e-5
    a = chain.lagrange(q, u)

    def energy(t: float) -> float:
        return chain.energy(q + t * u + t * t / 2 * a, u + t * a)

    # dE/dt by central differences; the terms themselves are some 100 W
    assert (energy(h) - energy(-h)) / (2 * h) == pytest.approx(0.0, abs=1e-5)


def test_the_published_eigenvalues_belong_to_the_published_matrices() -> None:
    for v, (real, imaginary) in bicycle.WEAVE.items():
        found = np.linalg.eigvals(bicycle.published_matrix(v))
        for expected in (complex(real, imaginary), bicycle.CAPSIZE[v], bicycle.CASTERING[v]):
            # 14 decimals in the matrices, magnified by the condition of the eigenvectors
            assert abs(bicycle.nearest(found, expected) - expected) < 1e-11


def test_the_tabulated_motion_is_a_rigid_one() -> None:
    q1, q2 = np.array([0.2, -0.3]), np.array([-0.1, 0.25])
    *_, psi, phi, theta = carrier.motion(q1, q2).T
    wanted = carrier.rotation(carrier.ARM_AXIS, q1) @ carrier.rotation(carrier.KING_AXIS, q2)
    z, x, y = np.eye(3)[[2, 0, 1]]
    found = carrier.rotation(z, psi) @ carrier.rotation(x, phi) @ carrier.rotation(y, theta)
    assert found == pytest.approx(wanted, abs=1e-14)


def test_the_random_trees_have_every_kind_of_joint_units_and_rotors() -> None:
    nodes = [node for seed in range(trees.STRUCTURES) for node in trees.structure(seed)]
    assert {node.kind for node in nodes} == {"revolute", "prismatic", "ball", "universal", "free"}
    assert sum(node.unit for node in nodes) >= 5
    assert sum(node.rotor for node in nodes) >= 5
    assert sum(node.bent for node in nodes) >= 5


def test_the_closed_form_of_the_step_is_that_of_the_single_track_car() -> None:
    """(3) against the exponential of the matrix of (1)."""
    from scipy.linalg import expm

    v = 17.0
    a, b = key_figures.matrices(v)
    settled = -np.linalg.solve(a, b)
    for t in (0.07, 0.31, 0.9):
        state = settled - expm(a * t) @ settled
        assert key_figures.step_answer(v, t) == pytest.approx(state[1, 0] / settled[1, 0], rel=1e-12)


def test_the_other_program_of_tires_has_combined_slip_and_camber() -> None:
    alone, both, leaning = tires.theirs(0.05, 0.0, 0.01), tires.theirs(0.05, 0.1, 0.01), tires.theirs(0.05, 0.1, 0.08)
    assert abs(both[0]) < 0.9 * abs(alone[0]) and abs(leaning[1] - both[1]) > 10.0
