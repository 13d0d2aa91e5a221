"""The six methods: order, exactness, formulae, start-up, memory commits, T_DT."""

from __future__ import annotations

import numpy as np
import pytest

from jounce.core.errors import ParameterError
from jounce.runtime.bindings import Header
from jounce.runtime.simulation import METHODS, Simulation, default_step, halving_check, method_number

ORDER = {"Euler": 1, "AB-2": 2, "RK-2": 2, "AM-2": 2, "AM-3": 3, "AM-4": 4}
OLD = {"Euler": 0, "AB-2": 1, "RK-2": 0, "AM-2": 1, "AM-3": 2, "AM-4": 3}
LOG = 64


@pytest.fixture(scope="module")
def smooth(build):
    """y' = y (1 - y), the logistic curve, and z' = z cos t."""
    return build(
        "smooth",
        rhs="F[0] = X(0) * (1.0 - X(0)); F[1] = cos(T) * X(1);",
        states={"y": 0.1, "z": 1.0},
        outputs={"y": "X(0)", "z": "X(1)"},
    )


@pytest.mark.parametrize("method", METHODS)
def test_order_of_convergence(smooth, method):
    exact = np.array([1.0 / (1.0 + 9.0 * np.exp(-2.0)), np.exp(np.sin(2.0))])
    steps = (100, 200, 400, 800)
    errors = []
    for n in steps:
        sim = Simulation(smooth, method=method, step=2.0 / n)
        sim.advance(int(n))
        errors.append(np.abs(sim.x - exact))
    slopes = np.log2(np.divide(errors[:-1], errors[1:]))
    # the last slope is the asymptotic one
    assert np.abs(slopes[-1] - ORDER[method]).max() < 0.1, slopes


@pytest.mark.parametrize("method", METHODS)
def test_polynomials_are_exact_up_to_the_order_and_not_beyond(build, method):
    library = build(
        "powers",
        rhs="double p = 1.0; for (int k = 0; k < 6; ++k) { F[k] = (k + 1) * p; p *= T; }",
        states={f"t{k + 1}": 0.0 for k in range(6)},
    )
    sim = Simulation(library, method=method, step=0.125)
    sim.advance(16)
    error = np.abs(sim.x - 2.0 ** np.arange(1, 7)) / 2.0 ** np.arange(1, 7)
    order = ORDER[method]
    # 16 steps of a few roundings each
    assert error[:order].max() < 1e-14
    assert error[order] > 1e-6


def reference_run(f, x, t0, h, n, method):
    """The formulae again, in numpy, from the same sources."""
    history = []
    for i in range(n):
        t = t0 + i * h
        f0 = f(t, x)
        f1, f2, f3 = (history[-k] if len(history) >= k else None for k in (1, 2, 3))
        if len(history) < OLD[method]:
            k2 = f(t + h / 2, x + h / 2 * f0)
            k3 = f(t + h / 2, x + h / 2 * k2)
            k4 = f(t + h, x + h * k3)
            new = x + h / 6 * (f0 + 2 * k2 + 2 * k3 + k4)
        elif method == "Euler":
            new = x + h * f0
        elif method == "AB-2":
            new = x + h / 2 * (3 * f0 - f1)
        elif method == "RK-2":
            new = x + h * f(t + h / 2, x + h / 2 * f0)
        elif method == "AM-2":
            new = x + h * f(t + h / 2, x + h / 8 * (5 * f0 - f1))
        elif method == "AM-3":
            fh = f(t + h / 2, x + h / 24 * (17 * f0 - 7 * f1 + 2 * f2))
            new = x + h / 18 * (20 * fh - 3 * f0 + f1)
        else:
            fh = f(t + h / 2, x + h / 384 * (297 * f0 - 187 * f1 + 107 * f2 - 25 * f3))
            new = x + h / 30 * (36 * fh - 10 * f0 + 5 * f1 - f2)
        history.append(f0)
        x = new
    return x


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 12])
def test_each_step_equals_the_formula(smooth, method, n):
    def f(t, x):
        return np.array([x[0] * (1.0 - x[0]), np.cos(t) * x[1]])

    sim = Simulation(smooth, method=method, step=0.1, t0=0.3)
    sim.set_states({"y": 0.9, "z": 1.1})
    sim.advance(n)
    expected = reference_run(f, np.array([0.9, 1.1]), 0.3, 0.1, n, method)
    # the same operations in another association: a few roundings per step
    np.testing.assert_allclose(sim.x, expected, rtol=2e-15 * (n + 1))


@pytest.mark.parametrize("method", ["AB-2", "AM-2", "AM-3", "AM-4"])
def test_after_another_method_old_derivatives_are_not_taken_up_again(smooth, method):
    """There and back: each stretch begins as a run of its own does."""

    def f(t, x):
        return np.array([x[0] * (1.0 - x[0]), np.cos(t) * x[1]])

    sim = Simulation(smooth, method=method, step=0.1, t0=0.3)
    sim.set_states({"y": 0.9, "z": 1.1})
    x, t = np.array([0.9, 1.1]), 0.3
    for now, n in ((method, 6), ("Euler", 2), (method, 4), ("RK-2", 3), (method, 5)):
        sim.set_method(now, step=0.1)
        sim.advance(n)
        x, t = reference_run(f, x, t, 0.1, n, now), t + n * 0.1
    np.testing.assert_allclose(sim.x, x, rtol=1e-13)  # 20 steps of a few roundings each


@pytest.mark.parametrize("method", ["AB-2", "AM-2", "AM-3", "AM-4"])
def test_start_is_rk4_until_the_history_is_full_and_after_a_restart(logger, method):
    sim = Simulation(logger, method=method, step=0.1)
    counts = []
    for i in range(10):
        if i == 5:
            sim.reset_state({"x": 7.0}, restart_history=True)
        before = sim.memory("count")
        sim.advance(1)
        counts.append(sim.memory("count") - before)
    usual = 1 if method == "AB-2" else 2
    start = [4] * OLD[method]
    half = start + [usual] * (5 - OLD[method])
    assert counts == half + half
    # f = 1: the value that was set holds after the step
    assert sim.state("x") == pytest.approx(7.5, abs=1e-14)


def test_reset_without_restart_keeps_the_old_derivatives(smooth):
    runs = []
    for restart in (False, True):
        sim = Simulation(smooth, method="AM-4", step=0.05)
        sim.advance(20)
        sim.reset_state({"y": 2.0}, restart_history=restart)
        assert sim.x[0] == 2.0
        old = sim.snapshot()
        sim.advance(1)
        runs.append((sim.x[0], old[Header.HISTORY]))
    assert runs[0][1] == 3
    assert runs[1][1] == 0
    exact = 1.0 / (1.0 - 0.5 * np.exp(-0.05))
    assert abs(runs[1][0] - exact) < 1e-6 < 1e-3 < abs(runs[0][0] - exact)


def logged(sim):
    n = int(sim.memory("count"))
    return sim.m[2:].reshape(4, LOG)[:, :n]


@pytest.mark.parametrize("method", METHODS)
def test_memories_are_committed_in_time_order_at_half_steps_too(logger, method):
    h, n = 0.25, 5  # exact in binary
    sim = Simulation(logger, method=method, step=h, t0=1.0)
    sim.advance(n)
    times, elapsed, t_dt, _ = logged(sim)
    expected = []
    for i in range(n):
        stages = [0, 1, 1, 2] if i < OLD[method] else ([0, 1] if method_number(method) > 0 else [0])
        expected += [1.0 + i * h + s * h / 2 for s in stages]
    np.testing.assert_array_equal(times, expected)
    np.testing.assert_array_equal(elapsed, np.diff(expected, prepend=expected[0]))
    assert np.all(elapsed >= 0)
    assert elapsed[0] == 0
    # T_DT is nominal, also while RK-4 starts the method
    np.testing.assert_array_equal(t_dt, h / 2 if method_number(method) > 0 else h)
    assert sim.memory("elapsed") == times[-1] - times[0]


def test_elapsed_is_an_exact_multiple_of_the_half_step_far_from_zero(logger):
    h = 0.001
    sim = Simulation(logger, method="RK-2", step=h, t0=12345.678)
    sim.advance(20)
    elapsed = logged(sim)[1]
    assert np.all(elapsed[1:] == h / 2)


def test_time_is_a_product_not_a_sum(oscillator):
    sim = Simulation(oscillator, method="Euler", step=0.001, t0=0.1)
    sim.advance(123457)
    assert sim.time == 0.1 + 123457 * 0.001


def test_evaluations_from_outside_commit_nothing(logger):
    sim = Simulation(logger, method="AM-2", step=0.1)
    sim.advance(3)
    before = sim.snapshot()
    f, m_next = sim.derivatives()
    sim.outputs()
    sim.watches()
    sim.time_rhs(10)
    assert f[0] == 1.0
    assert m_next[0] == before[sim.layout.m] + 1
    assert sim.snapshot().tobytes() == before.tobytes()


def test_methods_by_name_and_number():
    for name, number in METHODS.items():
        for spelling in (name, name.lower(), name.replace("-", ""), name.upper().replace("-", " "), number):
            assert method_number(spelling) == number
    with pytest.raises(ParameterError, match=r"method 'AB-22': unknown; did you mean 'AB-2'.*AM-4 \(4\)"):
        method_number("AB-22")
    with pytest.raises(ParameterError, match="unknown"):
        method_number(7)


def test_default_steps(oscillator):
    assert [default_step(m) for m in METHODS] == [0.0005, 0.0005, 0.001, 0.001, 0.001, 0.001]
    sim = Simulation(oscillator)
    assert (sim.method, sim.step) == ("AB-2", 0.0005)
    sim.set_method("AM-3")
    assert (sim.method, sim.step) == ("AM-3", 0.001)
    with pytest.raises(ParameterError, match="step = 0: must be above 0"):
        sim.set_method("AM-3", step=0)


def test_changing_the_step_keeps_time_and_elapsed(logger):
    sim = Simulation(logger, method="RK-2", step=0.25)
    sim.advance(2)
    sim.set_method("Euler", step=0.125)
    assert sim.time == 0.5
    sim.advance(3)
    assert sim.time == 0.875
    times, elapsed, t_dt, _ = logged(sim)
    np.testing.assert_array_equal(times, [0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75])
    np.testing.assert_array_equal(elapsed, [0] + [0.125] * 6)
    np.testing.assert_array_equal(t_dt, [0.125] * 7)


def test_halving_check_counts_digits(oscillator):
    def run(factor):
        sim = Simulation(oscillator, method="RK-2", step=0.01 * factor)
        return sim.run(5.0, interval=0.05)

    digits = halving_check(run, ["position", "speed"])
    sim = Simulation(oscillator, method="RK-2", step=0.01)
    coarse = sim.run(5.0, interval=0.05)
    fine = run(0.5)
    expected = -np.log10(np.abs(coarse["position"] - fine["position"]).max() / np.abs(coarse["position"]).max())
    assert digits["position"] == pytest.approx(expected, rel=1e-12)
    assert 3 < digits["position"] < 5
    assert set(digits) == {"position", "speed"}
