"""What later stages of a step see of inputs that external blocks write: held, interpolated, extrapolated.

The oscillator x'' = w² (u - x) - c x' starts at rest and is pushed by u = ± sin(a t). RK-2 and AM-2 take u at the
middle of the step, so that a run is one with u(t + lead) up to O(h²): lead = -h/2 (hold), -h (interpolate), 0
(extrapolate).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import jounce as jn
from jounce.core.errors import ParameterError, SimulationError
from jounce.events.options import Options
from jounce.events.record import run_keywords
from jounce.runtime.bindings import Header, Library
from jounce.runtime.simulation import METHODS, Simulation

Array = npt.NDArray[np.float64]

MODES = ("hold", "interpolate", "extrapolate")
LEAD = {"hold": -0.5, "interpolate": -1.0, "extrapolate": 0.0}  # steps, of a wave at the middle of the step
W, C, A = 2.0, 0.3, 3.0  # of the oscillator, rad/s, 1/s; of the wave, rad/s
END = 2.0
STARTING = {"AB-2": 1, "AM-2": 1, "AM-3": 2, "AM-4": 3}  # steps made with RK-4
HALF = ("RK-2", "AM-2", "AM-3", "AM-4")


def wave(t: float, values: Array) -> float:
    return float(np.sin(A * t))


def answer(t: float, late: float = 0.0, sign: float = 1.0) -> Array:
    """Position and speed at t from (0, 0) under sign · sin(a (t - late)): steady part and what of it dies out."""
    steady = W**2 * np.exp(-1j * A * late) / (W**2 - A**2 + 1j * A * C)

    def forced(time: float) -> Array:
        return np.array([(steady * np.exp(1j * A * time)).imag, (1j * A * steady * np.exp(1j * A * time)).imag])

    matrix = np.array([[0.0, 1.0], [-(W**2), -C]])
    values, vectors = np.linalg.eig(matrix)
    grown = (vectors * np.exp(values * t)) @ np.linalg.solve(vectors, -forced(0.0) + 0j)
    return sign * (forced(t) + grown.real)


def pushed(library: Library, method: str, h: float, mode: str | None, sign: float = 1.0, **options: Any) -> Simulation:
    sim = Simulation(library, method=method, step=h)
    sim.set_states({"position": 0.0, "speed": 0.0})
    sim.add_block("wave", lambda t, values: sign * wave(t, values), writes=["push"], stateless=True, **options)
    if mode is not None:
        sim.input_time = mode
    return sim


def test_the_closed_form_solves_the_equation() -> None:
    h = 1e-4
    for t in (0.3, 1.7):
        before, now, after = (answer(t + k * h, 0.2) for k in (-1, 0, 1))
        rate = (after - before) / (2 * h)
        assert rate[0] == pytest.approx(now[1], abs=1e-7)
        assert rate[1] == pytest.approx(W**2 * (np.sin(A * (t - 0.2)) - now[0]) - C * now[1], abs=1e-6)
    assert answer(0.0, 0.2) == pytest.approx([0.0, 0.0], abs=1e-15)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("method", ["RK-2", "AM-2"])
def test_the_error_of_a_sine_against_the_closed_form(oscillator: Library, method: str, mode: str, sign: float) -> None:
    """Held and interpolated inputs are late and of first order, an extrapolated one is in time and of second order."""
    from_truth, from_late = [], []
    for h in (0.02, 0.01, 0.005):
        sim = pushed(oscillator, method, h, mode, sign)
        sim.advance(round(END / h))
        from_truth.append(sim.x - answer(END, 0.0, sign))
        from_late.append(sim.x - answer(END, -LEAD[mode] * h, sign))
    order = np.log2(np.linalg.norm(from_truth[1]) / np.linalg.norm(from_truth[2]))
    assert order == pytest.approx(2.0 if mode == "extrapolate" else 1.0, abs=0.15)
    # What is left beside the delay is of second order: at most 3/8 a²h² of the wave by the line, which the oscillator
    # makes 2 · a w² / |w² - a² + iac| = 4.7 times as large (steady part, transient), and a w² h²/2 by the first step.
    assert np.linalg.norm(from_late[2]) < (4.7 * 3 / 8 * A**2 + A * W**2 / 2) * 0.005**2
    assert np.linalg.norm(from_late[1]) / np.linalg.norm(from_late[2]) == pytest.approx(4.0, rel=0.15)


def test_extrapolation_is_best_and_interpolation_is_twice_as_late_as_hold(oscillator: Library) -> None:
    errors = {}
    for mode in MODES:
        sim = pushed(oscillator, "RK-2", 0.005, mode)
        sim.advance(round(END / 0.005))
        errors[mode] = np.linalg.norm(sim.x - answer(END))
    assert errors["interpolate"] == pytest.approx(2.0 * errors["hold"], rel=0.05)
    assert errors["extrapolate"] < 0.05 * errors["hold"]


def evaluations(sim: Simulation) -> tuple[Array, Array]:
    n, m = int(sim.memory("count")), sim.m
    return m[2 : 2 + n], m[2 + 3 * 64 : 2 + 3 * 64 + n]


def parabola(t: float, values: Array) -> float:
    return (1.0 + t) ** 2


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("method", METHODS)
def test_every_stage_sees_the_line_through_the_last_two_values(logger: Library, method: str, mode: str) -> None:
    h = 0.01
    sim = Simulation(logger, method=method, step=h)
    sim.input_time = mode
    sim.add_block("parabola", parabola, writes=["u"], stateless=True)
    sim.advance(7)
    times, seen = evaluations(sim)
    first, stage = 4 * STARTING.get(method, 0), []
    for k in range(len(times)):
        stage.append(k % 4 if k < first else (k - first) % (2 if method in HALF else 1))
    rows, later = np.floor(times / h + 0.01), np.array(stage) > 0
    rows[:first] = np.arange(first) // 4  # the last stage of RK-4 lies at the end of its step
    theta = times / h - rows
    now = (1.0 + rows * h) ** 2
    change = (now - (1.0 + (rows - 1) * h) ** 2) * (rows > 0)
    line = {"hold": 0.0 * theta, "interpolate": theta - 1.0, "extrapolate": theta}[mode]
    assert seen == pytest.approx(now + np.where(later, line * change, 0.0), abs=1e-15)


@pytest.mark.parametrize("mode", ["interpolate", "extrapolate"])
def test_what_is_not_written_every_step_is_held(oscillator: Library, mode: str) -> None:
    held, other = (pushed(oscillator, "RK-2", 0.01, m, period="20 ms") for m in (None, mode))
    assert np.array_equal(held.run(0.3, iprint=0).data, other.run(0.3, iprint=0).data)
    # a period of one step is every step
    one, every = (pushed(oscillator, "RK-2", 0.01, mode, period=p) for p in ("10 ms", None))
    assert np.array_equal(one.run(0.3, iprint=0).data, every.run(0.3, iprint=0).data)


def test_inputs_that_no_block_writes_are_held(oscillator: Library) -> None:
    runs = []
    for mode in (None, "extrapolate"):
        sim = Simulation(oscillator, method="AM-2", step=0.01)
        sim.add_block("other", wave, writes=["other"], stateless=True)
        program = jn.Program(jn.Phase("go", [jn.Open("push", jn.Sine(1.0, "2 Hz"))], duration="0.3 s"))
        runs.append(sim.run(program=program, input_time=mode, iprint=0).data)
    assert np.array_equal(*runs)


@pytest.mark.parametrize("convention", [3, 4])
def test_what_comes_back_late_is_continued_and_half_steps_need_no_line(oscillator: Library, convention: int) -> None:
    runs = {}
    for mode in MODES:
        sim = pushed(oscillator, "RK-2", 0.01, mode, -1.0, exchange="step")
        sim.io_update = convention == 4
        runs[mode] = sim.run(0.2, iprint=0)
    full, half = {m: r["push"][::2] for m, r in runs.items()}, {m: r["push"][1::2] for m, r in runs.items()}
    for mode in MODES[1:]:
        assert np.array_equal(full[mode], full["hold"])
    if convention == 4:
        assert all(np.array_equal(half[mode], half["hold"]) for mode in MODES)
        return
    change = np.diff(full["hold"])[:-1]
    change[0] = 0.0  # nothing had come back before
    assert half["hold"][1:] == pytest.approx(full["hold"][1:-1])
    assert half["interpolate"][1:] == pytest.approx(full["hold"][1:-1] - 0.5 * change, abs=1e-15)
    assert half["extrapolate"][1:] == pytest.approx(full["hold"][1:-1] + 0.5 * change, abs=1e-15)


@pytest.mark.parametrize("method", ["RK-2", "AM-4"])
def test_hold_is_the_default_to_the_bit(oscillator: Library, method: str) -> None:
    plain, held = (pushed(oscillator, method, 0.01, mode) for mode in (None, "hold"))
    assert plain.input_time == "hold"
    assert plain.run(0.3, iprint=0).data.tobytes() == held.run(0.3, iprint=0).data.tobytes()
    plain.restart()
    push = plain.run(0.3, iprint=0)["push"]
    assert np.array_equal(push[1::2], push[:-1:2])


@pytest.mark.parametrize("method", ["RK-2", "AM-3"])
def test_a_snapshot_goes_on_to_the_bit(oscillator: Library, method: str) -> None:
    sim = pushed(oscillator, method, 0.01, "extrapolate")
    sim.advance(13)
    kept = sim.snapshot()
    sim.advance(9)
    end = sim.snapshot()
    other = pushed(oscillator, method, 0.01, None)
    other.restore(kept)
    assert other.input_time == "extrapolate"
    other.advance(9)
    assert other.snapshot().tobytes() == end.tobytes()
    kept[Header.INPUT_TIME] = 3
    with pytest.raises(ParameterError, match="INPUT_TIME is 3; expected a whole number from 0 to 2"):
        other.restore(kept)


def half_step(sim: Simulation) -> tuple[float, float]:
    """The input at the instant and at the half step after it."""
    sim.apply_program()
    now = sim.input("push")
    run = sim.run(sim.time + sim.step, iprint=0)
    (half,) = run["push"][np.abs(run.time - (sim.time - 0.5 * sim.step)) < 1e-9]
    return now, float(half)


def changed(sim: Simulation) -> None:
    sim.set_method("RK-2", 0.005)


def again(sim: Simulation) -> None:
    sim.restart()
    sim.set_states({"position": 0.1})


def switched(sim: Simulation) -> None:
    sim.input_time = "hold"
    sim.advance(2)
    sim.input_time = "extrapolate"


def replaced(sim: Simulation) -> None:
    sim.remove_block("wave")
    sim.add_block("wave", lambda t, values: np.cos(A * t), writes=["push"], stateless=True)
    sim.advance(1)  # this instant has been; it runs at the next one for the first time


@pytest.mark.parametrize("break_off", [changed, again, switched, replaced])
def test_the_first_step_after_a_break_holds(oscillator: Library, break_off: Callable[[Simulation], None]) -> None:
    sim = pushed(oscillator, "RK-2", 0.01, "extrapolate")
    sim.advance(5)
    now, half = half_step(sim)
    assert half > now
    break_off(sim)
    assert sim.input_time == "extrapolate"
    now, half = half_step(sim)
    assert half == now
    now, half = half_step(sim)
    assert half != now


def test_a_run_in_pieces_is_the_whole_run(oscillator: Library) -> None:
    whole, pieces, small = (pushed(oscillator, "AM-2", 0.01, mode) for mode in (None, "extrapolate", None))
    data = whole.run(0.3, iprint=0, input_time="extrapolate").data
    parts = []
    for end in (0.05, 0.06, 0.3):
        pieces.apply_program()
        parts.append(pieces.run(end, iprint=0).data)
    assert np.concatenate(parts).tobytes() == data.tobytes()
    assert small.run(0.3, iprint=0, input_time="extrapolate", buffer_rows=1).data.tobytes() == data.tobytes()


def test_a_step_that_fails_and_is_tried_again_is_the_same(oscillator: Library) -> None:
    def block(t: float, values: Array) -> float:
        if abs(t - 0.05) < 1e-6 and not tried:
            tried.append(t)
            raise ValueError("busy")
        return float(np.sin(A * t))

    tried: list[float] = []
    sim, calm = (pushed(oscillator, "RK-2", 0.01, "extrapolate") for _ in range(2))
    sim.remove_block("wave")
    sim.add_block("wave", block, writes=["push"], stateless=True)
    with pytest.raises(SimulationError, match="busy"):
        sim.advance(20)
    sim.advance(20 - sim.step_count)
    calm.advance(20)
    assert tried
    assert np.array_equal(sim.x, calm.x)


def test_batch_and_variants_take_the_option(oscillator: Library) -> None:
    def setup(sim: Simulation) -> None:
        sim.set_states({"position": 0.0, "speed": 0.0})
        sim.add_block("wave", wave, writes=["push"], stateless=True)

    options: Any = {"t_end": 0.2, "method": "RK-2", "step": 0.01}
    (found,) = jn.batch(oscillator, [jn.Variant(setup=setup)], input_time="extrapolate", **options)
    expected = pushed(oscillator, "RK-2", 0.01, "extrapolate").run(0.2)
    assert np.array_equal(found.data, expected.data)


@pytest.mark.parametrize("mode", ["linear", "Hold", 2, "extrapolated"])
def test_an_unknown_mode_is_refused(oscillator: Library, mode: Any) -> None:
    message = r"input_time = .*: must be 'hold', 'interpolate', 'extrapolate'"
    sim = Simulation(oscillator)
    with pytest.raises(ParameterError, match=message):
        sim.run(0.1, input_time=mode)
    with pytest.raises(ParameterError, match=message):
        sim.input_time = mode
    with pytest.raises(ParameterError, match=message):
        jn.batch(oscillator, [{}], t_end=0.1, input_time=mode)


@pytest.fixture(scope="module")
def cart() -> Library:
    s = jn.System("input_time_cart", gravity=(0, 0, 0))
    push = s.input("push", "N")
    slide = s.prismatic("slide", s.world)
    s.body("cart", slide.frame, 1.0)
    s.generalized_force(slide.u[0], push)
    s.output("u", slide.u[0], "m/s")
    return jn.build(s.generate(step=jn.Step("ros2")))


def test_the_second_stage_of_ros2_sees_the_end_of_the_step(cart: Library) -> None:
    """A mass of 1 kg: v₊ = v + h/2 (uₙ + u of the second stage)."""
    h, n = 0.01, 6
    u = np.array([parabola(k * h, np.zeros(0)) for k in range(n)])
    change = np.diff(u, prepend=u[0])
    for mode, end in {"hold": u, "interpolate": u, "extrapolate": u + change}.items():
        sim = Simulation(cart, method="ROS2", step=h)
        sim.add_block("parabola", parabola, writes=["push"], stateless=True)
        run = sim.run(n * h, input_time=mode)
        assert np.diff(run["u"]) == pytest.approx(0.5 * h * (u + end), abs=1e-14)


def test_a_run_of_a_car_takes_the_option(cart: Library) -> None:
    car, event = jn.load("sedan"), jn.events.StepSteer(amplitude="30 deg", end_time="2 s")
    with pytest.raises(ParameterError, match="input_time = 'linear': must be 'hold'"):
        jn.run(car, event, input_time="linear")
    program = jn.Program(jn.Phase("go", [jn.Open("push", 1.0)], duration="0.1 s"))
    found = run_keywords(Simulation(cart), program, Options.of(input_time="extrapolate"))
    assert found["input_time"] == "extrapolate"
