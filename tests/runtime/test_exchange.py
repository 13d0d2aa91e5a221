"""The four conventions of exchange with external software: who sees what when, and how late a spring becomes.

| convention | method | option | age of what an evaluation sees: full step, half step |
|---|---|---|---|
| 1 | Euler, AB-2 | io_sync_fm off | h, - |
| 2 | Euler, AB-2 | io_sync_fm on | 0, - |
| 3 | RK-2, AM-2 … 4 | io_update off | h, 3h/2 |
| 4 | RK-2, AM-2 … 4 | io_update on | h/2, h/2 |
"""

from __future__ import annotations

import cmath

import numpy as np
import pytest

from jounce.core.errors import ParameterError
from jounce.runtime.program import Constant, End, Feedback, Goto, Open, Phase, Program, Sine, When
from jounce.runtime.simulation import METHODS, RunError, Simulation

ONE = ("Euler", "AB-2")
HALF = ("RK-2", "AM-2", "AM-3", "AM-4")
CASES = [(c, m) for c in (1, 2) for m in ONE] + [(c, m) for c in (3, 4) for m in HALF]
STARTING = {"AB-2": 1, "AM-2": 1, "AM-3": 2, "AM-4": 3}  # steps made with RK-4
H = 0.01


def choose(sim, convention):
    sim.io_sync_fm, sim.io_update = convention == 2, convention == 4
    assert sim.exchange_convention == convention


@pytest.mark.parametrize(("convention", "method"), CASES)
def test_the_age_of_what_an_evaluation_sees(logger, convention, method):
    """The block sends back the time at which it was called; the model logs time and input of every evaluation."""
    sim = Simulation(logger, method=method, step=H)
    sim.set_inputs({"u": -100.0})
    calls = []

    def clock(t, values):
        calls.append(t)
        return t

    choose(sim, convention)
    sim.add_block("clock", clock, reads=["x"] if convention == 1 else [], writes=["u"], exchange="step", stateless=True)
    sim.advance(12)
    interval = H / 2 if convention == 4 else H
    # once per exchange; the instant reached is left to the next step
    assert calls == pytest.approx(np.arange(12 * round(H / interval)) * interval)
    n = int(sim.memory("count"))
    m = sim.m
    times, inputs = m[2 : 2 + n], m[2 + 3 * 64 : 2 + 3 * 64 + n]
    first = 4 * STARTING.get(method, 0)  # evaluations of the start
    t, age = times[first:], (times - inputs)[first:]
    half = np.abs(np.mod(t / H + 0.25, 1.0) - 0.75) < 0.1
    expected = {1: (1.0, np.nan), 2: (0.0, np.nan), 3: (1.0, 1.5), 4: (0.5, 0.5)}[convention]
    later = t > 1.5 * H  # before, the value set by the user is in force
    assert age[~half & later] == pytest.approx(expected[0] * H)
    assert (age[half & later] == pytest.approx(expected[1] * H)) or method in ONE
    assert inputs[0] == (-100.0 if convention != 2 else 0.0)


@pytest.mark.parametrize("method", METHODS)
def test_a_sampled_block_acts_on_the_evaluation_of_its_instant(logger, method):
    sim = Simulation(logger, method=method, step=H)
    sim.add_block("clock", lambda t, values: t, writes=["u"], stateless=True)
    sim.advance(8)
    n, m = int(sim.memory("count")), sim.m
    times, inputs = m[2 : 2 + n], m[2 + 3 * 64 : 2 + 3 * 64 + n]
    first = 4 * STARTING.get(method, 0)
    assert inputs[first:] == pytest.approx(np.floor(times[first:] / H + 0.01) * H)


@pytest.mark.parametrize(("convention", "method"), [(1, "AB-2"), (3, "AM-2"), (4, "AM-2")])
def test_rows_show_what_was_sent_and_what_acted(oscillator, convention, method):
    """What the block gets at an instant is what the row of that instant shows, half steps included."""
    sent = []

    def block(t, values):
        sent.append((t, *values))
        return np.cos(t)

    sim = Simulation(oscillator, method=method, step=H)
    choose(sim, convention)
    names = ["position", "speed", "push"]
    sim.add_block("b", block, reads=names, writes=["push"], exchange="step", stateless=True)
    run = sim.run(0.3, iprint=0)
    rows = np.column_stack([run.time, *(run[name] for name in names)])
    if convention == 3:
        rows = rows[::2]
    assert np.array_equal(np.array(sent), rows)
    times = np.array(sent)[:, 0]
    assert run["push"][0] == 0.0
    if convention == 3:
        assert np.array_equal(run["push"][1::2], run["push"][:-1:2])  # held through the half step
    used = run["push"][2::2] if convention == 3 else run["push"][1:]
    assert np.array_equal(used, np.cos(times[:-1]))


@pytest.mark.parametrize(("convention", "method"), CASES)
def test_a_block_with_a_period_exchanges_at_its_own_full_steps(oscillator, convention, method):
    calls = []
    sim = Simulation(oscillator, method=method, step=H)
    choose(sim, convention)

    def block(t, values):
        calls.append(t)
        return t

    sim.add_block("b", block, "40 ms", offset="20 ms", writes=["other"], exchange="step", stateless=True)
    seen = []
    sim.add_block("look", lambda t, v: seen.append(v[0]), reads=["other"], stateless=True)
    sim.run(0.15)
    assert calls == pytest.approx([0.02, 0.06, 0.10, 0.14])
    steps = np.arange(16) - (0 if convention == 2 else 1)
    assert seen == pytest.approx(np.where(steps < 2, 0.0, ((steps - 2) // 4 * 4 + 2) * H))


# --- an external spring ----------------------------------------------------------------------------------------------

OMEGA = 20.0
PREDICTOR = {
    "RK-2": (1 / 2,),
    "AM-2": (5 / 8, -1 / 8),
    "AM-3": (17 / 24, -7 / 24, 2 / 24),
    "AM-4": (297 / 384, -187 / 384, 107 / 384, -25 / 384),
}
CORRECTOR = {
    "RK-2": (1.0,),
    "AM-2": (1.0,),
    "AM-3": (20 / 18, -3 / 18, 1 / 18),
    "AM-4": (36 / 30, -10 / 30, 5 / 30, -1 / 30),
}


def step_matrix(method, convention, h):
    """One step of ẍ = u with u = -ω² x from outside, as a matrix on (x, v, three old derivatives, u, what waits)."""

    def step(z):
        y, old, waiting = z[:2], [z[2:4], z[4:6], z[6:8]], z[9]
        u = -(OMEGA**2) * y[0] if convention == 2 else waiting
        answer = -(OMEGA**2) * y[0]
        f = np.array([y[1], u])
        if method == "Euler":
            new = y + h * f
        elif method == "AB-2":
            new = y + h * (1.5 * f - 0.5 * old[0])
        else:
            history = [f, *old]
            middle = y + h * sum(c * g for c, g in zip(PREDICTOR[method], history, strict=False))
            u_half = u
            if convention == 4:
                u_half, answer = answer, -(OMEGA**2) * middle[0]
            stages = [np.array([middle[1], u_half]), *history]
            new = y + h * sum(c * g for c, g in zip(CORRECTOR[method], stages, strict=False))
        return np.concatenate([new, f, old[0], old[1], [u, answer]])

    return np.array([step(e) for e in np.eye(10)]).T


@pytest.fixture(scope="module")
def mass(build):
    return build(
        "mass",
        rhs="F[0] = X(1); F[1] = U(0);",
        states={"x": 1.0, "v": 0.0},
        inputs={"u": "m/s2"},
        outputs={"x": "X(0)", "v": "X(1)"},
        watches={"x": "X(0)"},
    )


def attach(sim, convention):
    choose(sim, convention)
    sim.add_block(
        "spring",
        lambda t, values: -(OMEGA**2) * float(values[0]),
        reads=["x"],
        writes=["u"],
        exchange="step",
        stateless=True,
    )


@pytest.fixture(scope="module")
def states_only(build):
    """Without channels: the block reads the states themselves, which are known before any force."""
    return build("mass_states", rhs="F[0] = X(1); F[1] = U(0);", states={"x": 1.0, "v": 0.0}, inputs={"u": "m/s2"})


@pytest.mark.parametrize(("convention", "method"), CASES)
@pytest.mark.parametrize("angle", [0.05, 0.2])
def test_an_external_spring_moves_as_the_recursion_says(states_only, convention, method, angle):
    """Growth and frequency against the eigenvalue of the step written down by hand: same to rounding."""
    h = angle / OMEGA
    sim = Simulation(states_only, method=method, step=h)
    sim.set_inputs({"u": -(OMEGA**2)})
    attach(sim, convention)
    x = []
    for _ in range(2000):
        x.append(sim.state("x"))
        sim.advance(1)
    k = round(1.0 / angle)
    kept = np.array(x[400:])
    a, b = np.linalg.lstsq(np.stack([kept[k:-k], kept[: -2 * k]], axis=1), kept[2 * k :], rcond=None)[0]
    found = cmath.log((a + cmath.sqrt(a * a + 4 * b)) / 2) / (k * h)
    roots = np.linalg.eigvals(step_matrix(method, convention, h))
    root = min(roots, key=lambda z: abs(z - cmath.exp(1j * angle)))
    exact = cmath.log(root) / h
    assert abs(complex(found.real, abs(found.imag)) - exact) < 1e-8 * OMEGA


def test_convention_2_is_an_internal_spring_to_the_bit(build, states_only):
    inside = build("mass_spring", rhs="F[0] = X(1); F[1] = -(20.0 * 20.0) * X(0);", states={"x": 1.0, "v": 0.0})
    a = Simulation(inside, method="Euler", step=0.002)
    b = Simulation(states_only, method="Euler", step=0.002)
    attach(b, 2)
    for _ in range(50):
        assert a.x.tobytes() == b.x.tobytes()
        a.advance(1)
        b.advance(1)


# --- around ----------------------------------------------------------------------------------------------------------


def test_channels_are_refused_before_the_forces_are_known(mass, states_only):
    sim = Simulation(mass, method="AB-2", step=H)
    attach(sim, 2)
    with pytest.raises(ParameterError, match=r"block 'spring' reads 'x'.*kinematic=True.*io_sync_fm = 0"):
        sim.run(1.0)
    sim.io_sync_fm = False
    assert sim.run(0.1).ok
    other = Simulation(states_only, method="AB-2", step=H)
    attach(other, 2)
    other.add_block("more", lambda t, v: None, reads=["u"], exchange="step", stateless=True)
    with pytest.raises(ParameterError, match=r"block 'more' reads 'u', which depends on the imported input 'u'"):
        other.advance(1)
    other.set_method("AM-2", H)  # convention 3
    other.advance(1)
    with pytest.raises(ParameterError, match="'spring' exchanges by steps"):
        other.add_block("late", lambda t, v: None, before="spring")


@pytest.mark.parametrize(("convention", "method"), CASES)
@pytest.mark.parametrize("after", [0, 1, 5])
def test_snapshots_carry_what_waits_to_be_imported(states_only, convention, method, after):
    a, b = (Simulation(states_only, method=method, step=H) for _ in range(2))
    for sim in (a, b):
        attach(sim, convention)
    b.advance(3)
    a.advance(after)
    if after == 5:
        a.apply_program()  # an instant that is processed already
    b.restore(a.snapshot())
    for _ in range(20):
        a.advance(1)
        b.advance(1)
    assert a.snapshot().tobytes() == b.snapshot().tobytes()


@pytest.mark.parametrize(("convention", "method"), CASES)
def test_pieces_settling_and_small_buffers_change_nothing(oscillator, convention, method):
    def make():
        sim = Simulation(oscillator, method=method, step=H)
        choose(sim, convention)
        reads = [] if convention == 2 else ["position"]

        def block(t, values):
            return np.sin(5 * t) - (values[0] if len(values) else 0.0)

        sim.add_block("b", block, reads=reads, writes=["push"], exchange="step", stateless=True)
        return sim

    whole = make().run(0.3, iprint=0)
    a, b = make(), make()
    pieces = []
    for end in (0.05, 0.06, 0.2, 0.3):
        a.apply_program()
        pieces.append(a.run(end, iprint=0).data)
    assert np.concatenate(pieces).tobytes() == whole.data.tobytes()
    assert b.run(0.3, iprint=0, buffer_rows=1).data.tobytes() == whole.data.tobytes()


def test_the_convention_can_change_during_a_run(states_only):
    sim = Simulation(states_only, method="AB-2", step=H)
    attach(sim, 1)
    sim.advance(3)
    sim.io_sync_fm = True
    sim.advance(1)
    assert sim.input("u") != 0.0
    sim.set_method("AM-2", H)
    assert sim.exchange_convention == 3
    sim.advance(2)
    sim.io_update = True
    sim.advance(2)
    sim.restart()
    assert (sim.io_sync_fm, sim.io_update) == (True, True)
    assert np.all(np.isfinite(sim.x))


def test_a_failure_at_a_half_step_leaves_the_step_undone(oscillator):
    def block(t, values):
        if abs(t - 0.055) < 1e-6 and not block.tried:
            block.tried = True
            raise ValueError("busy")
        return t

    block.tried = False
    sim = Simulation(oscillator, method="RK-2", step=H)
    choose(sim, 4)
    sim.add_block("b", block, reads=["position"], writes=["push"], exchange="step", stateless=True)
    with pytest.raises(RunError, match=r"block 'b' failed at t = 0\.05 s: busy") as caught:
        sim.run(0.2, iprint=0)
    assert caught.value.recording.time[-1] == pytest.approx(0.05)
    other = Simulation(oscillator, method="RK-2", step=H)
    choose(other, 4)
    other.add_block("b", block, reads=["position"], writes=["push"], exchange="step", stateless=True)
    rest, whole = sim.run(0.2, iprint=0), other.run(0.2, iprint=0)
    assert np.concatenate([caught.value.recording.data, rest.data]).tobytes() == whole.data.tobytes()


def test_the_program_and_the_exchange_share_the_instant(oscillator):
    """References act before the block is asked; what comes back one step later does not disturb them."""
    program = Program(
        Phase("one", [Open("push", Sine(1.0, 2.0))], duration=0.1),
        Phase(
            "two",
            [Feedback("push", "speed", Constant(0.0), kp=1.0)],
            [End(When("phase_time", ">=", 0.1), then=Goto("one"))],
        ),
    )
    seen = []

    def block(t, values):
        seen.append((t, values[0]))
        return 2.0 * t

    sim = Simulation(oscillator, method="AM-2", step=H, program=program)
    choose(sim, 3)
    sim.add_block("b", block, reads=["push"], writes=["other"], exchange="step", stateless=True)
    run = sim.run(0.35)
    assert np.array_equal(np.array(seen)[:, 1], run["push"])
    assert sim.input("other") == pytest.approx(2 * 0.34)
