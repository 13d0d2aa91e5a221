"""Batches: the same bits as single runs, in order, each on its own, whatever happens to the others."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import jounce as jn
from jounce.core.errors import ParameterError
from jounce.core.tables import Table
from jounce.runtime.bindings import Library
from jounce.runtime.duplicate import duplicate
from jounce.runtime.recording import Recording, RunError
from jounce.runtime.simulation import Simulation
from jounce.sim.batch import Variant, batch
from jounce.symbolic.friction import coulomb

STEP = 0.001


def cart(service: bool = False) -> jn.System:
    s = jn.System("asking_cart" if service else "cart", gravity=(0, 0, 0))
    mass = s.parameter("mass", 1.0, "kg")
    stiffness = s.parameter("stiffness", 40.0, "N/m")
    push = s.input("push", "N")
    slide = s.prismatic("slide", s.world, axis="x", initial=0.3)
    q, u = slide.q[0], slide.u[0]
    s.body("cart", slide.frame, mass)
    curve = s.table("curve", Table(np.linspace(-2, 2, 9), np.tanh(np.linspace(-2, 2, 9)), method="akima"))
    force = push - stiffness * q - curve(u) - coulomb(s, "rub", u, 0.1, 900.0, 3.0)
    if service:
        force = force + s.service("wind", 1, 1, order=0)(q)
    s.generalized_force(u, force)
    s.output("q", q, "m", watch=True)
    s.output("u", u, "m/s", watch=True)
    return s


@pytest.fixture(scope="module")
def library() -> Library:
    return jn.build(cart())


@pytest.fixture(scope="module")
def asking() -> Library:
    return jn.build(cart(service=True))


def same(a: Recording, b: Recording) -> bool:
    return a.time.tobytes() == b.time.tobytes() and a.data.tobytes() == b.data.tobytes()


def test_a_batch_gives_the_bits_of_single_runs_in_order(library):
    sine = jn.Program(jn.Phase("shake", [jn.Open("push", jn.Sine("2 N", 3.0))]))
    steep = Table(np.linspace(-2, 2, 9), 3 * np.linspace(-2, 2, 9))
    runs = [
        Variant(),
        Variant({"mass": 2.0, "stiffness": "0.1 N/mm"}),
        Variant(states={"slide.travel": "-5 cm"}, memories={"rub.deflection": 1e-5}),
        Variant(inputs={"push": 1.5}, tables={"curve": steep}),
        Variant(program=sine),
        Variant(method="AM-4", step=0.002),
        Variant(t_end="0.2 s"),
        *(Variant({"mass": 1.1 + 0.1 * k}) for k in range(20)),
    ]
    found = batch(library, runs, t_end=0.5, method="AM-2", interval=0.01, workers=4)
    assert len(found) == len(runs)
    for run, recording in zip(runs, found, strict=True):
        single = Simulation(library, method="AM-2")
        single.set_parameters(run.parameters)
        single.set_states(run.states)
        single.set_memories(run.memories)
        single.set_inputs(run.inputs)
        single.set_tables(run.tables)
        expected = single.run(run.t_end or 0.5, program=run.program, method=run.method, step=run.step, interval=0.01)
        assert recording.ok and same(recording, expected), run
        assert (recording.steps, recording.reason) == (expected.steps, expected.reason)
    assert len({r.data.tobytes() for r in found}) == len(runs), "the runs differ from each other"


def test_every_run_starts_where_a_simulation_stands(library):
    start = Simulation(library, method="AM-3", step=STEP)
    start.set_parameters({"mass": 1.5})
    start.run(0.2, interval=0.1)
    before = start.snapshot()
    one, two = batch(start, [Variant(), Variant({"stiffness": 50.0})], t_end=0.4, interval=STEP)
    assert start.snapshot().tobytes() == before.tobytes(), "the batch leaves the simulation alone"
    assert same(one, start.run(0.4, interval=STEP))
    assert one.time[0] > 0.2 and not same(one, two)


def test_a_mapping_is_a_run_with_these_parameters(library):
    one, two = batch(library, [{"mass": 2.0}, Variant({"mass": 2.0})], t_end=0.1)
    assert same(one, two)


def test_no_runs_give_no_recordings(library):
    assert batch(library, [], t_end=0.1) == []


def test_a_run_that_fails_does_not_disturb_the_others(library):
    runs = [
        Variant(),
        Variant({"mas": 2.0}, name="typo"),
        Variant({"mass": "2 N"}),
        Variant({"mass": 0.0}, name="weightless"),
        Variant(step="30 s"),
        Variant(states={"slide.travel": float("nan")}),
        Variant(tables={"curve": Table([[0, 1], [0, 1]], np.zeros((2, 2)))}),
        Variant(program=jn.Program(jn.Phase("p", [jn.Open("pull", 1.0)]))),
        Variant({"mass": [1.0]}),  # type: ignore[dict-item]
        Variant(step=0.0007),
        Variant(t_end=-1.0),
        Variant(),
    ]
    found = batch(library, runs, t_end=0.2, interval=0.01, workers=3)
    expected = Simulation(library).run(0.2, interval=0.01)
    assert same(found[0], expected) and same(found[-1], expected)
    messages = [
        (1, "setup", "run 1 (typo): parameter 'mas': unknown in model 'cart'; did you mean 'mass'?"),
        (2, "setup", "run 2: mass = '2 N': found N"),
        (3, "derivative", "derivative of 'slide.rate' became "),
        (4, "setup", "run 4: interval = 0.01: must be a multiple of the step, 30 s"),
        (5, "setup", "run 5: state 'slide.travel' = nan: must be finite"),
        (6, "setup", "run 6: table 'curve': has 2 axes and 1 outputs; the model needs 1 and 1"),
        (7, "setup", "run 7: phase 'p': input 'pull': unknown"),
        (8, "setup", "run 8: "),
        (9, "setup", "must be a multiple of the step"),
        (10, "setup", "run 10: t_end = -1 s lies before the current time 0 s"),
    ]
    assert [k for k, r in enumerate(found) if not r.ok] == [k for k, *_ in messages]
    for k, kind, message in messages:
        recording = found[k]
        assert recording.status == "failed" and recording.failure is not None
        assert message in recording.reason and recording.failure.message == recording.reason
        assert recording.failure.kind == kind
        assert recording.names == expected.names and recording.units == expected.units
        if kind == "setup":
            with pytest.raises(RunError, match="did not start: run "):
                recording["q"]
        else:
            assert recording["q"].shape == recording.time.shape
    assert found[1].failure is not None and found[1].failure.name == "typo"


def test_what_was_recorded_before_a_failure_is_kept(library):
    fast = batch(library, [Variant({"stiffness": -1e6})], t_end=20.0, method="Euler", interval=0.1)[0]
    assert fast.status == "failed" and fast.failure is not None
    assert fast.failure.kind in ("state", "derivative", "output")
    assert 0 < len(fast) < 200 and np.isfinite(fast.data).all()


def test_a_program_that_stops_is_a_result_like_any_other(library):
    stop = jn.Program(jn.Phase("p", ends=[jn.End(jn.When("q", "<", 0.1), jn.Stop("there", failed=True))]))
    recording = batch(library, [Variant(program=stop)], t_end=5.0)[0]
    assert (recording.status, recording.reason, recording.ok) == ("stopped", "there", False)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"t_end": 1.0, "channels": ["qq"]}, "channel 'qq': not an output of the model"),
        ({"t_end": "1 kg"}, "t_end = '1 kg': found kg"),
        ({"t_end": 1.0, "method": "RK-7"}, "method 'RK-7': unknown"),
        ({"t_end": 1.0, "step": 0.0}, "must be above 0 s"),
        ({"t_end": 1.0, "iprint": 1, "interval": 0.1}, "iprint or interval, not both"),
        ({"t_end": 1.0, "workers": 0}, "workers = 0: must be 1 or more"),
    ],
)
def test_a_wrong_argument_of_the_batch_is_an_error_at_once(library, options, message):
    with pytest.raises(ParameterError, match=message):
        batch(library, [Variant()], **options)


def test_services_are_bound_per_run_and_their_errors_stay_there(asking):
    def broken(arguments, order):
        raise ValueError("no wind here")

    def gust(force):
        return lambda arguments, order: [force]

    runs = [Variant(services={"wind": gust(f)}) for f in (0.0, 1.0)]
    runs += [Variant(services={"wind": broken}), Variant()]
    calm, windy, failed, unbound = batch(asking, runs, t_end=0.05, step=STEP)
    single = Simulation(asking, step=STEP)
    single.bind("wind", gust(1.0))
    assert same(windy, single.run(0.05)) and not same(calm, windy)
    assert failed.failure is not None and failed.failure.kind == "outside" and "no wind here" in failed.reason
    assert unbound.failure is not None and "services not bound: wind" in unbound.reason


def test_progress_comes_in_the_calling_thread(library):
    seen: list[tuple[int, int]] = []
    callers = set()

    def progress(done: int, total: int) -> None:
        seen.append((done, total))
        callers.add(threading.current_thread())

    batch(library, [Variant() for _ in range(5)], t_end=0.01, progress=progress, workers=2)
    assert seen == [(k, 5) for k in range(1, 6)] and callers == {threading.main_thread()}


def test_an_error_in_progress_is_raised_and_ends_the_threads(library):
    def progress(done: int, total: int) -> None:
        raise RuntimeError("full disk")

    with pytest.raises(RuntimeError, match="full disk"):
        batch(library, [Variant() for _ in range(5)], t_end=0.01, progress=progress)
    assert not [t for t in threading.enumerate() if t.name.startswith("jounce-batch")]


@pytest.mark.skipif(not hasattr(signal, "raise_signal") or os.name == "nt", reason="needs POSIX signals")
def test_interrupt_keeps_what_is_finished(library, request):
    # a process started in the background may have inherited that the signal is ignored
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))

    def progress(done: int, total: int) -> None:
        if done == 2:
            signal.raise_signal(signal.SIGINT)

    # two short ones, two that would take a minute, one that never starts
    runs = [Variant(t_end=0.1), Variant(t_end=0.1), Variant(t_end=1e5), Variant(t_end=1e5), Variant(t_end=0.1)]
    found = batch(library, runs, interval=0.1, workers=2, progress=progress)
    assert [r.status for r in found] == ["finished", "finished", "interrupted", "interrupted", "interrupted"]
    assert all(r.ok for r in found[:2]) and not any(r.ok for r in found[2:])
    assert found[4].reason == "interrupted before it started" and len(found[4]) == 0


def test_python_is_free_while_a_batch_runs(library):
    """The lock is held for a small part of the time only: another thread of Python gets on with its work."""
    ticks, stop = [0], threading.Event()

    def count() -> None:
        while not stop.is_set():
            ticks[0] += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    before = ticks[0]
    batch(library, [Variant() for _ in range(2)], t_end=200.0, interval=1.0, workers=2)
    during = ticks[0] - before
    stop.set()
    counter.join()
    # free, hundreds; were the lock held through the runs there would be a handful
    assert during > 20


def test_a_run_needs_little_memory():
    from jounce.bench.models import vehicle

    simulation = Simulation(vehicle.build(2))
    c, layout = simulation.library.struct.contents, simulation.layout
    assert 8 * (layout.n_state + layout.n_work + c.n_work + c.n_p) < 1 << 20


def test_a_duplicate_goes_on_as_the_original(library):
    shake = jn.Program(jn.Phase("p", [jn.Open("push", jn.Sine(1.0, 2.0))]))
    original = Simulation(library, method="AM-4", program=shake)
    original.set_parameters({"mass": 1.1})
    original.run(0.05)
    copy = duplicate(original)
    assert same(copy.run(0.1), original.run(0.1))
    assert copy.parameters == original.parameters and copy.tables == original.tables


def test_batches_run_in_a_fresh_process_without_the_symbolic_layer(library, tmp_path):
    """A batch of a cached model needs numpy and C, nothing more."""
    code = f"""
        import sys
        from jounce.core.generated import GeneratedModel
        from jounce.runtime.bindings import Library
        from jounce.sim.batch import batch
        import json
        model = GeneratedModel.from_dict(json.loads(open({str(tmp_path / "m.json")!r}).read()))
        found = batch(Library({str(library.path)!r}, model), [{{"mass": 1.0}}, {{"mass": 2.0}}], t_end=0.1)
        print(all(r.ok for r in found), "casadi" in sys.modules)
    """
    (tmp_path / "m.json").write_text(json.dumps(library.model.to_dict()))
    environment = {**os.environ, "PYTHONPATH": str(Path(jn.__file__).parent.parent)}
    command = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.stdout.split() == ["True", "False"], done.stderr


def test_a_run_adds_its_own_external_block(library):
    def push(gain):
        return lambda simulation: simulation.add_block(
            "controller", lambda t, y: [-gain * y[0]], "10 ms", reads=["u"], writes=["push"], stateless=True
        )

    runs = [Variant(setup=push(gain)) for gain in (0.0, 2.0)]
    weak, strong = batch(library, runs, t_end=0.3, step=STEP, workers=2)
    single = Simulation(library, step=STEP)
    push(2.0)(single)
    assert same(strong, single.run(0.3)) and not same(weak, strong)
    with pytest.raises(ParameterError, match="has an external block, 'controller', which cannot be doubled"):
        batch(single, [Variant()], t_end=1.0)
