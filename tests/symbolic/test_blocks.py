"""Sampled blocks compiled into the model: values, rhythm, order, snapshots, linearisation."""

from __future__ import annotations

import re

import numpy as np
import pytest

from jounce.core.errors import ModelError, ParameterError
from jounce.core.generated import GeneratedModel
from jounce.core.ordering import run_order
from jounce.runtime.program import Open, Phase, Program, Sine
from jounce.runtime.simulation import METHODS, RunError, Simulation
from jounce.sim.build import build
from jounce.sim.linear import Lineariser
from jounce.symbolic import System, ops
from models import EPS, compiled

HALF_STEP = [m for m, number in METHODS.items() if number > 0]


def counters() -> System:
    """A fast and a slow block that count their samples, and a memory that counts evaluations."""
    s = System("counters")
    fast, slow = s.block("fast", "2 ms"), s.block("slow", "5 ms", offset="3 ms")
    n, k, seen = fast.signal("n"), slow.signal("n"), slow.signal("fast")
    fast.update(n, n + 1)
    slow.update(k, k + 1)
    slow.update(seen, n)
    count = s.memory("evaluations")
    s.next_memory(count, count + 1)
    x = s.state("x")
    s.derivative(x, n)
    for name, value in (("fast", n), ("slow", k), ("seen", seen), ("x", x), ("evaluations", count)):
        s.output(name, value)
    return s


def positioner(where: str = "compiled", method: str = "AB-2", step: float = 0.001) -> Simulation:
    """A mass under a sampled PI controller, inside the model or left to an external block."""
    s = System(f"positioner_{where}", gravity=(0, 0, 0))
    slide = s.prismatic("slide", s.world, axis="x")
    s.body("mass", slide.frame, s.parameter("mass", 1.7, "kg"))
    target = s.input("target", "m")
    if where == "compiled":
        block = s.block("pi", "4 ms")
        integral, force = block.signal("integral", "m.s"), block.signal("force", "N")
        e = target - slide.q[0]
        total = integral + block.period * e
        block.update(integral, total)
        block.update(force, 30.0 * e + 12.0 * total)
    else:
        force = s.input("force", "N")
    s.generalized_force(slide.u[0], force - 9.0 * slide.u[0])
    s.output("position", slide.q[0], "m", watch=True)
    s.output("target", target, "m", watch=True)
    s.output("force", force, "N")
    sim = compiled(s, method=method, step=step)
    sim.set_program(Program(Phase("shake", [Open("target", Sine(0.3, 0.7))])))
    return sim


# --- values ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["Euler", "AM-3"])
def test_a_first_order_filter_follows_its_z_domain_response(method: str) -> None:
    """y_k = a y_{k-1} + (1-a) sin ω t_k: the closed form is Im(H e^{jωkT}) + C a^k with H = (1-a)/(1 - a e^{-jωT})."""
    a, omega, period = 0.9, 7.0, 0.01
    s = System("discrete_filter")
    block = s.block("filter", period)
    y = block.signal("y", initial=0.25)
    block.update(y, a * y + (1 - a) * ops.sin(omega * s.time))
    s.output("y", y)
    run = compiled(s, method=method, step=0.0025).run(3.0)
    k = np.arange(0, 301)
    response = (1 - a) / (1 - a * np.exp(-1j * omega * period))
    forced = np.imag(response * np.exp(1j * omega * period * k))
    before = np.imag(response * np.exp(-1j * omega * period))  # the filter started one sample before the first
    exact = forced + (0.25 - before) * a ** (k + 1)
    # rounding of one sample is EPS of a number below 1 and decays with a: EPS/(1-a), and that of the sine's argument
    assert np.max(np.abs(run["y"][::4] - exact)) < 20 * EPS / (1 - a)
    for shift in (1, 2, 3):
        assert np.array_equal(run["y"][shift::4], run["y"][:-1:4])  # held


@pytest.mark.parametrize("method", METHODS)
def test_blocks_have_their_own_rates_and_offsets(method: str) -> None:
    run = compiled(counters(), method=method, step=0.001).run(0.02)
    steps = np.arange(21)
    assert np.array_equal(run["fast"], steps // 2 + 1)
    assert np.array_equal(run["slow"], np.where(steps < 3, 0, (steps - 3) // 5 + 1))
    # the slow block comes later and sees what the fast one gave at the same instant
    last = np.where(steps < 3, -1, (steps - 3) // 5 * 5 + 3)
    assert np.array_equal(run["seen"], np.where(last < 0, 0, last // 2 + 1))


@pytest.mark.parametrize("method", METHODS)
def test_memories_change_at_half_steps_and_signals_do_not(method: str) -> None:
    sim = compiled(counters(), method=method, step=0.002)
    sim.set_block_period("slow", None, offset=0.0)
    run = sim.run(0.04, iprint=0)
    half = METHODS[method] > 0
    per_step = {"Euler": 1, "AB-2": 1}.get(method, 2)
    started = {"AB-2": 1, "AM-2": 1, "AM-3": 2, "AM-4": 3}.get(method, 0)  # steps of four evaluations
    assert sim.memory("evaluations") == 20 * per_step + started * (4 - per_step)
    assert sim.signal("fast.n") == sim.signal("slow.n") == 21  # one per full step, and the instant reached
    if half:
        assert len(run) == 41
        assert np.array_equal(run["fast"][1::2], run["fast"][:-1:2])
        assert np.all(np.diff(run["evaluations"]) >= 1)


def test_the_signals_of_a_block_change_at_once_and_blocks_run_in_order() -> None:
    s = System("swap")
    first = s.block("first")
    a, b = first.signal("a", initial=1.0), first.signal("b", initial=2.0)
    first.update(a, b)
    first.update(b, a)
    early, late = s.block("early"), s.block("late")
    x, y = early.signal("x"), late.signal("y", initial=10.0)
    early.update(x, y)
    late.update(y, x + 1)
    for name, value in (("a", a), ("b", b), ("x", x), ("y", y)):
        s.output(name, value)
    model = s.generate()
    assert [block.name for block in model.blocks] == ["first", "early", "late"]
    run = Simulation(build(model), step=0.1).run(0.3)
    assert run["a"].tolist() == [2, 1, 2, 1]
    assert run["b"].tolist() == [1, 2, 1, 2]
    assert run["x"].tolist() == [10, 11, 12, 13]  # early reads what late gave one sample ago
    assert run["y"].tolist() == [11, 12, 13, 14]


def test_a_block_sees_calls_and_accelerations_of_its_instant() -> None:
    s = System("falling")
    slide = s.prismatic("slide", s.world, axis="z")
    s.body("mass", slide.frame, 2.0)
    push = s.input("push", "N")
    s.generalized_force(slide.u[0], push)
    block = s.block("sensor", "10 ms")
    reading = block.signal("acceleration", "m/s2")
    block.update(reading, s.acceleration(slide.u[0]))
    s.output("reading", reading, "m/s2")
    sim = compiled(s, step=0.005)
    sim.set_inputs({"push": 4.0})
    assert sim.run(0.01)["reading"] == pytest.approx([2.0 - 9.80665] * 3)


@pytest.mark.parametrize("method", ["Euler", "AB-2", "AM-2"])
def test_a_compiled_controller_equals_a_python_one_to_the_bit(method: str) -> None:
    class Controller:
        integral = 0.0

        def __call__(self, t: float, values: np.ndarray) -> float:
            target, position = map(float, values)
            e = target - position
            self.integral = self.integral + 0.004 * e
            return 30.0 * e + 12.0 * self.integral

    inside, outside = positioner("compiled", method), positioner("external", method)
    outside.add_block("pi", Controller(), "4 ms", reads=["target", "position"], writes=["force"], stateless=True)
    a, b = inside.run(2.0, iprint=0), outside.run(2.0, iprint=0)
    assert a.data.tobytes() == b.data.tobytes()
    assert np.abs(a["position"]).max() > 0.1


# --- rhythm ----------------------------------------------------------------------------------------------------------


def test_the_period_can_change_and_its_symbol_follows() -> None:
    s = System("clocked")
    slow, every = s.block("slow", "6 ms"), s.block("every")
    t, h = slow.signal("time", "s"), every.signal("seen", "s")
    slow.update(t, t + slow.period)
    every.update(h, every.period)
    s.output("time", t, "s")
    s.output("step", h, "s")
    sim = compiled(s, step=0.002)
    run = sim.run(0.012)
    assert run["time"].tolist() == pytest.approx([0.006] * 3 + [0.012] * 3 + [0.018])
    assert np.all(run["step"] == 0.002)
    sim.set_block_period("slow", "4 ms")
    assert sim.run(0.026)["time"] == pytest.approx([0.018, 0.018, 0.022, 0.022, 0.026, 0.026, 0.030])
    sim.set_method(step=0.001)
    assert sim.run(0.03)["step"].tolist() == [0.001] * 4
    assert [(b.name, b.kind, b.period) for b in sim.blocks] == [
        ("slow", "compiled", 0.004),
        ("every", "compiled", 0.001),
    ]
    sim.restart(defaults=True)
    assert sim.blocks[0].period == 0.004
    assert sim.signal("slow.time") == 0.0
    assert sim.run(0.004)["time"].tolist() == pytest.approx([0.004] * 4 + [0.008])


def test_sample_times_survive_a_change_of_step() -> None:
    sim = compiled(counters(), step=0.001)
    sim.run(0.004)
    sim.set_method("AM-2", 0.0005)
    run = sim.run(0.02)
    t = np.round(run.time * 1e4).astype(int)
    assert np.array_equal(run["fast"], t // 20 + 1)
    assert np.array_equal(run["slow"], np.where(t < 30, 0, (t - 30) // 50 + 1))


def test_a_period_that_is_no_multiple_of_the_step_is_refused() -> None:
    sim = compiled(counters(), step=0.001)
    sim.set_method(step=0.003)
    with pytest.raises(ParameterError, match=r"block 'fast': period 0\.002 s is no multiple of the step, 0\.003 s"):
        sim.run(1.0)
    with pytest.raises(ParameterError, match="'fast'"):
        sim.advance(1)
    sim.set_method(step=0.002)
    with pytest.raises(ParameterError, match=r"block 'slow': period 0\.005 s"):
        sim.apply_program()
    sim.set_block_period("slow", "4 ms")
    with pytest.raises(ParameterError, match=r"block 'slow': its next sample at t = 0\.003 s is no full step"):
        sim.run(1.0)
    sim.set_block_period("slow", "4 ms", offset=0.0)
    assert sim.run(0.01).ok
    for period in (0.0, -1.0, "1 m", float("nan")):
        with pytest.raises(ParameterError, match=r"block 'slow'|period"):
            sim.set_block_period("slow", period)
    with pytest.raises(ParameterError, match=r"block 'slwo': unknown.*slow"):
        sim.set_block_period("slwo", 0.01)


# --- snapshots -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("after", [0, 1, 2, 3, 7])
def test_a_snapshot_in_mid_period_is_exact(method: str, after: int) -> None:
    a, b = positioner(method=method), positioner(step=0.002)
    a.advance(after)
    b.restore(a.snapshot())
    one, two = a.run(0.5, iprint=0), b.run(0.5, iprint=0)
    assert one.data.tobytes() == two.data.tobytes()
    assert a.snapshot().tobytes() == b.snapshot().tobytes()


def test_a_full_buffer_does_not_sample_twice() -> None:
    sim, other = compiled(counters(), step=0.001), compiled(counters(), step=0.001)
    assert sim.run(0.05, buffer_rows=1).data.tobytes() == other.run(0.05).data.tobytes()


def test_running_in_pieces_is_running_at_once() -> None:
    a, b = positioner(), positioner()
    whole = a.run(0.1)
    parts = [b.run(0.001 * k) for k in (13, 14, 40, 100)]
    assert np.concatenate([p.data for p in parts]).tobytes() == whole.data.tobytes()


# --- the model -------------------------------------------------------------------------------------------------------


def test_blocks_survive_the_cache() -> None:
    model = counters().generate()
    again = GeneratedModel.from_dict(model.to_dict())
    assert again == model
    assert [(b.name, b.period, b.offset, b.first, b.n) for b in again.blocks] == [
        ("fast", 0.002, 0.0, 0, 1),
        ("slow", 0.005, 0.003, 1, 2),
    ]
    assert [v.name for v in again.signals] == ["fast.n", "slow.n", "slow.fast"]


def test_a_linear_model_holds_the_signals() -> None:
    s = System("gained")
    block = s.block("gain", "10 ms")
    gain = block.signal("value", initial=3.0)
    x = s.state("x")
    block.update(gain, 5.0 + 0 * x)
    s.derivative(x, -gain * x)
    s.output("x", x)
    sim, lineariser = compiled(s), Lineariser(s)
    assert lineariser.at().A[0, 0] == lineariser.at(sim).A[0, 0] == -3.0
    sim.advance(1)
    assert lineariser.at(sim).A[0, 0] == -5.0


def test_a_number_that_is_not_finite_is_found_in_the_signal() -> None:
    s = System("exploding")
    block = s.block("bad", "10 ms")
    y = block.signal("y", initial=1.0)
    block.update(y, 1.0 / (1.0 - ops.if_else(s.time > 0.035, 1.0, 0.0)))
    s.output("y", y)
    sim = compiled(s, step=0.005)
    with pytest.raises(RunError, match=r"signal 'bad\.y' became inf at t = 0\.04 s") as caught:
        sim.run(1.0)
    assert caught.value.failure is not None and caught.value.failure.kind == "signal"
    assert len(caught.value.recording) == 8
    assert sim.signal("bad.y") == 1.0


def test_mistakes_are_named() -> None:
    s = System("mistaken")
    block, other = s.block("a", 0.01), s.block("b", 0.01)
    x = block.signal("x")
    with pytest.raises(ModelError, match=r"block 'b': .* is no signal of this block"):
        other.update(x, 1.0)
    block.update(x, 1.0)
    with pytest.raises(ModelError, match=r"'a\.x' already has an update"):
        block.update(x, 2.0)
    with pytest.raises(ModelError, match="declared twice"):
        s.block("a", 0.01)
    with pytest.raises(ModelError, match="block 'b' has no signal"):
        s.generate()
    other.signal("y")
    with pytest.raises(ModelError, match=r"signal 'b\.y' has no update"):
        s.generate()
    for period, offset in ((0.0, 0.0), (-1.0, 0.0), ("5 m", 0.0), (0.01, -0.01), (float("nan"), 0.0)):
        with pytest.raises((ParameterError, ModelError), match="c"):
            s.block("c", period, offset)
    moving = System("moving")
    held = moving.block("b", 0.01).signal("angle", "rad")
    with pytest.raises(ModelError, match=r"signal 'b\.angle' moves a frame"):
        moving.body("x", moving.world.guided("arm", (held, 0, 0)), 1.0)
        moving.generate()
    closed = counters()
    closed.generate()
    with pytest.raises(ModelError, match="after the equations were derived"):
        closed.block("late")


# --- kinematic outputs -----------------------------------------------------------------------------------------------


def cart() -> System:
    s = System("cart", gravity=(0, 0, 0))
    slide = s.prismatic("slide", s.world, axis="x", initial=0.5)
    s.body("mass", slide.frame, 2.0)
    force, ground = s.input("force", "N"), s.input("ground", "m", rate=True)
    s.generalized_force(slide.u[0], force)
    s.output("stretch", slide.q[0] - ground, "m", kinematic=True)
    s.output("mixed", slide.q[0] + force, "-", kinematic=True)
    s.output("acceleration", s.acceleration(slide.u[0]), "m/s2", watch=True)
    return s


def test_kinematic_outputs_have_their_own_function_and_dependencies() -> None:
    model = cart().generate()
    assert [v.name for v in model.kinematics] == ["stretch", "mixed"]
    assert [[model.inputs[k].name for k in needs] for needs in model.kinematic_inputs] == [["ground"], ["force"]]
    assert model.operations["kinematics"] < model.operations["outputs"]
    s = cart()
    s.output("wrong", s.outputs[2].symbol * 2, kinematic=True)
    with pytest.raises(ModelError, match=r"output 'wrong' is declared kinematic but depends on the acceleration of"):
        s.generate()


def test_what_depends_on_imports_is_not_sent_before_them() -> None:
    sim = compiled(cart(), method="AB-2", step=0.001)
    sim.io_sync_fm = True

    def spring(t: float, values: np.ndarray) -> float:
        return -100.0 * float(values[0])

    for read, text in (("acceleration", r"kinematic=True"), ("mixed", r"imported input 'force'"), ("force", "'force'")):
        sim.add_block("spring", spring, reads=[read], writes=["force"], exchange="step", stateless=True)
        with pytest.raises(ParameterError, match=rf"block 'spring' reads '{read}'.*{text}"):
            sim.run(1.0)
        sim.io_sync_fm = False
        assert sim.run(sim.time + 0.002).ok  # convention 1 has no such wish
        sim.io_sync_fm = True
        sim.remove_block("spring")
    sim.add_block("spring", spring, reads=["stretch"], writes=["force"], exchange="step", stateless=True)
    assert sim.exchange_convention == 2
    assert sim.run(sim.time + 0.1).ok


# --- cost ------------------------------------------------------------------------------------------------------------


def test_what_is_not_declared_is_not_in_the_code() -> None:
    s = System("plain")
    x = s.state("x")
    s.derivative(x, -x)
    model = s.generate()
    text = "".join(model.sources.values())
    assert not re.search(r"at->b\b|jn_block|_kinematics", text)
    assert model.signals == model.blocks == model.kinematics == ()


def test_a_slow_block_is_computed_as_often_as_it_says_and_adds_nothing_to_a_step() -> None:
    def chain(name: str, with_block: bool) -> System:
        s = System(name)
        value = x = s.state("x0", initial=0.1)
        for k in range(40):
            value = ops.sin(value) + 0.1 * s.time
            if k:
                x = s.state(f"x{k}")
            s.derivative(x, value - x)
        if with_block:
            block = s.block("slow", 1.0)
            count = block.signal("count")
            block.update(count, count + 1)
            block.update(block.signal("y"), value)
            s.output("count", count)
        return s

    plain, blocked = (chain(f"chain_{word}", word == "blocked").generate() for word in ("plain", "blocked"))
    assert blocked.operations["rhs"] == plain.operations["rhs"]
    sim = compiled(chain("chain_counted", True), step=0.001)
    sim.advance(5500)
    assert sim.output("count") == 6  # at 0, 1, 2, 3, 4 and 5 s


# --- order -----------------------------------------------------------------------------------------------------------


def chain(name: str, order: str) -> System:
    """Blocks a, b and c, each of which adds one to the one before it, declared in some order; a counts."""
    s = System(name)
    blocks = {letter: s.block(letter) for letter in order}
    value = {letter: block.signal("y") for letter, block in blocks.items()}
    blocks["a"].update(value["a"], value["a"] + 1)
    blocks["b"].update(value["b"], value["a"] + 10)
    blocks["c"].update(value["c"], value["b"] + value["a"] + 100)
    for letter in "abc":
        s.output(letter, value[letter])
    return s


@pytest.mark.parametrize("order", ["abc", "cba", "bca", "cab"])
def test_blocks_run_after_those_whose_signals_they_read(order: str) -> None:
    model = chain(f"chain_{order}", order).generate()
    assert [block.name for block in model.blocks] == ["a", "b", "c"]
    assert "block_delays" not in model.notes
    sim = Simulation(build(model), step=0.1)
    run = sim.run(0.2)
    assert run["a"].tolist() == [1, 2, 3]
    assert run["b"].tolist() == [11, 12, 13]
    assert run["c"].tolist() == [112, 114, 116]
    assert [block.name for block in sim.blocks] == ["a", "b", "c"]


def test_blocks_that_do_not_read_each_other_keep_the_order_of_declaration() -> None:
    s = System("independent")
    for name in ("z", "a", "m"):
        block = s.block(name)
        y = block.signal("y")
        block.update(y, y + s.time)
    assert [block.name for block in s.generate().blocks] == ["z", "a", "m"]


def test_a_loop_is_cut_at_the_block_that_was_declared_first(caplog: pytest.LogCaptureFixture) -> None:
    s = System("loop")
    tail, third, first, second = (s.block(name) for name in ("tail", "third", "first", "second"))
    w, z, x, y = (block.signal("v") for block in (tail, third, first, second))
    tail.update(w, z)  # reads the loop, and is no part of it
    third.update(z, y + 1)  # declared first in the loop: sees what second gave one sample ago
    first.update(x, z + 10)
    second.update(y, x + 100)
    for name, value in (("w", w), ("z", z), ("x", x), ("y", y)):
        s.output(name, value)
    with caplog.at_level("INFO", "jounce.symbolic.generate"):
        model = s.generate()
    assert [block.name for block in model.blocks] == ["third", "tail", "first", "second"]
    assert model.notes["block_delays"] == ["second.v -> third"]
    assert "second.v -> third" in caplog.text and "one sample late" in caplog.text
    assert GeneratedModel.from_dict(model.to_dict()).notes == model.notes
    run = Simulation(build(model), step=0.1).run(0.1)
    assert run["z"].tolist() == [1, 112] and run["w"].tolist() == [1, 112]
    assert run["x"].tolist() == [11, 122]
    assert run["y"].tolist() == [111, 222]


def test_loops_within_a_loop_are_cut_one_after_the_other() -> None:
    """0 reads 1 and 2, 1 reads 0 and 2, 2 reads 1: without 0 there is still the loop of 1 and 2."""
    order, cuts = run_order([{1: [], 2: []}, {0: [], 2: []}, {1: []}])
    assert order == [0, 1, 2]
    assert cuts == [(0, 1), (0, 2), (1, 2)]


def test_what_comes_back_through_accelerations_is_no_port() -> None:
    s = System("servo_loop", gravity=(0, 0, 0))
    slide = s.prismatic("slide", s.world)
    s.body("mass", slide.frame, 2.0)
    sensor, drive = s.block("sensor"), s.block("drive")
    reading, force = sensor.signal("a", "m/s2"), drive.signal("f", "N", initial=4.0)
    s.generalized_force(slide.u[0], force)
    sensor.update(reading, s.acceleration(slide.u[0]))
    drive.update(force, 4.0 - 0.1 * reading)
    model = s.generate()
    assert [block.name for block in model.blocks] == ["sensor", "drive"]
    assert "block_delays" not in model.notes


def test_an_external_block_stands_before_a_block_in_the_order_of_ports() -> None:
    s = System("chain_and_guest")
    guest = s.input("guest")
    late, early = s.block("late"), s.block("early")
    y, x = late.signal("y"), early.signal("x")
    late.update(y, x)
    early.update(x, guest)
    s.output("x", x)
    s.output("y", y)
    sim = compiled(s, step=0.1)
    sim.add_block("hello", lambda t, _: 10.0 * t + 1.0, writes=["guest"], before="early", stateless=True)
    assert [block.name for block in sim.blocks] == ["hello", "early", "late"]
    run = sim.run(0.2)
    assert run["x"].tolist() == run["y"].tolist() == pytest.approx([1.0, 2.0, 3.0])
    sim = compiled(s, step=0.1)
    sim.add_block("hello", lambda t, v: v[0] + 1.0, reads=["early.x"], writes=["guest"], before="late", stateless=True)
    assert [block.name for block in sim.blocks] == ["early", "hello", "late"]
    assert sim.run(0.2)["y"].tolist() == [0.0, 1.0, 2.0]


# --- signals that move frames ----------------------------------------------------------------------------------------


def mover(name: str, rate: bool) -> System:
    """A frame that a block moves along z, and a mass that hangs from it by a spring and a damper."""
    s = System(name, gravity=(0, 0, 0))
    block = s.block("table", "1 ms")
    z = block.signal("z", "m", rate=rate)
    block.update(z, 0.05 * ops.sin(9.0 * s.time))
    if rate:
        block.update(s.rate_of(z), 0.45 * ops.cos(9.0 * s.time))
    foot = s.world.guided("foot", (0, 0, z))
    slide = s.prismatic("mass", s.world, axis="z")
    s.body("mass", slide.frame, 2.0)
    line = foot.point_velocity((0, 0, 0))[2]
    s.generalized_force(slide.u[0], 300.0 * (z - slide.q[0]) + 8.0 * (line - slide.u[0]))
    s.output("speed_of_the_foot", line, "m/s")
    s.output("q", slide.q[0], "m")
    return s


def test_a_signal_with_a_rate_moves_a_frame() -> None:
    s = mover("shaking_table", rate=True)
    run = compiled(s, method="Euler", step=0.001).run(0.5)
    # two roundings of a number below 1, and that of the cosine's argument
    assert np.max(np.abs(run["speed_of_the_foot"] - 0.45 * np.cos(9.0 * run.time))) < 8 * EPS
    model = s.generate()
    assert [(v.name, v.unit) for v in model.signals] == [("table.z", "m"), ("table.z.rate", "m/s")]
    # the same motion given by inputs and their rates, which are replaced at full steps too
    t = System("shaken_by_an_input", gravity=(0, 0, 0))
    z = t.input("z", "m", rate=True)
    foot = t.world.guided("foot", (0, 0, z))
    slide = t.prismatic("mass", t.world, axis="z")
    t.body("mass", slide.frame, 2.0)
    speed = foot.point_velocity((0, 0, 0))[2]
    t.generalized_force(slide.u[0], 300.0 * (z - slide.q[0]) + 8.0 * (speed - slide.u[0]))
    t.output("q", slide.q[0], "m")
    sim = compiled(t, method="Euler", step=0.001)
    sim.set_program(Program(Phase("shake", [Open("z", Sine(0.05, 9.0 / (2 * np.pi)))])))
    other = sim.run(0.5)
    # Euler evaluates full steps only: both are the same but for the rounding of 500 sines and sums, each below EPS
    assert np.max(np.abs(run["q"] - other["q"])) < 500 * EPS


def test_a_signal_without_a_rate_does_not_move_a_frame() -> None:
    with pytest.raises(ModelError, match=r"signal 'table.z' moves a frame.*declare it with rate=True"):
        mover("stuck_table", rate=False).generate()


def test_the_rate_of_a_signal_needs_an_update() -> None:
    s = System("half_a_table")
    block = s.block("table")
    block.update(block.signal("z", "m", rate=True), s.time)
    with pytest.raises(ModelError, match=r"signal 'table.z.rate' has no update"):
        s.generate()
