"""Snapshots: a run continued from one gives the same bytes, in another object, process or thread."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import threading

import numpy as np
import pytest

from jounce.core.errors import ParameterError
from jounce.runtime.bindings import Header
from jounce.runtime.program import AddState, End, Feedback, Goto, Hold, Open, Phase, Program, Sine, When
from jounce.runtime.simulation import METHODS, Simulation


@pytest.fixture(scope="module")
def stateful(build):
    """Two states, a memory that counts and a friction-like memory that depends on elapsed time."""
    return build(
        "stateful",
        rhs="""
        F[0] = X(1); F[1] = -9.0 * X(0) - 0.2 * X(1) - M(1) + U(0);
        N[0] = M(0) + 1.0;
        N[1] = fmax(-0.1, fmin(0.1, M(1) + 5.0 * X(1) * at->elapsed));""",
        states={"x": 0.7, "v": 0.0},
        memories={"count": 0.0, "stick": 0.0},
        inputs={"u": "-", "w": "-"},
        outputs={"x": "X(0)", "v": "X(1)", "stick": "M(1)", "u": "U(0)", "since": "at->elapsed"},
        watches={"x": "X(0)", "v": "X(1)"},
    )


PROGRAM = Program(
    Phase("shake", [Open("u", Sine(0.5, 1.3, cycles=2.5))], duration=0.4),
    Phase(
        "control",
        [Feedback("u", "x", Hold(), kp=3.0, ki=8.0, low=-1.5, high=1.5, bumpless=True)],
        [End(When("x", "abs<", 5.0, hold=0.35), then=Goto("shake", limit=3))],
    ),
    Phase("kick", duration=0.2, actions=[AddState("v", 0.5)]),
)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("after", [0, 1, 2, 3, 4, 57, 300])
@pytest.mark.parametrize("iprint", [0, 3])
def test_continuing_from_a_snapshot_gives_the_same_bytes(stateful, method, after, iprint):
    """Steps 1 to 3 are inside the start-up; 57 is in a sine, 300 in a later phase (PI, hold timer, loop)."""
    a = Simulation(stateful, method=method, step=0.01, program=PROGRAM)
    b = Simulation(stateful, method=0, step=0.5, program=PROGRAM)  # restore must replace method and step
    a.iprint = iprint
    first = a.run(after * 0.01)
    assert (a.step_count, first.status) == (after, "finished") or first.status == "stopped"
    b.restore(a.snapshot())
    rest_a, rest_b = a.run(5.0), b.run(5.0)
    assert rest_a.time.tobytes() == rest_b.time.tobytes()
    assert rest_a.data.tobytes() == rest_b.data.tobytes()
    assert a.snapshot().tobytes() == b.snapshot().tobytes()
    whole = Simulation(stateful, method=method, step=0.01, program=PROGRAM).run(5.0, iprint=iprint)
    assert np.concatenate([first.data, rest_b.data]).tobytes() == whole.data.tobytes()


def test_the_middle_of_a_pi_phase_is_really_there(stateful):
    sim = Simulation(stateful, method="AM-3", step=0.01, program=PROGRAM)
    sim.run(0.57)
    assert sim.phase == "control"
    s = sim.snapshot()
    integral = s[sim.layout.channel + 1]
    assert integral != 0.0
    assert s[Header.TRANSITIONS] == 1


@pytest.mark.parametrize("method", ["AB-2", "AM-4"])
def test_another_process_continues_with_the_same_bytes(stateful, method, tmp_path):
    sim = Simulation(stateful, method=method, step=0.01)
    sim.set_inputs({"u": 0.2})
    sim.advance(2)
    np.save(tmp_path / "snapshot.npy", sim.snapshot())
    (tmp_path / "model.json").write_text(json.dumps(stateful.model.to_dict()))
    code = f"""
import json, numpy as np
from jounce.core.generated import GeneratedModel
from jounce.runtime.simulation import Library, Simulation
model = GeneratedModel.from_dict(json.load(open({str(tmp_path / "model.json")!r})))
sim = Simulation(Library({str(stateful.path)!r}, model))
sim.restore(np.load({str(tmp_path / "snapshot.npy")!r}))
sim.advance(500)
print(sim.snapshot().tobytes().hex())
"""
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    sim.advance(500)
    assert child.stdout.strip() == sim.snapshot().tobytes().hex()


def test_a_snapshot_that_does_not_fit_is_refused(stateful, oscillator):
    sim = Simulation(stateful)
    with pytest.raises(ParameterError, match="of another model"):
        sim.restore(Simulation(oscillator).snapshot())
    with pytest.raises(ParameterError, match="another phase program"):
        sim.restore(Simulation(stateful, program=PROGRAM).snapshot())
    old = sim.snapshot()
    old[Header.ABI] = 0
    with pytest.raises(ParameterError, match="another version"):
        sim.restore(old)
    with pytest.raises(ParameterError, match="not a snapshot"):
        sim.restore(np.zeros(3))
    with pytest.raises(ParameterError, match="expected"):
        sim.restore(sim.snapshot()[:-1])


@pytest.mark.parametrize(
    ("place", "value"),
    [
        *((Header.HEAD, 3.0), (Header.HEAD, -1.0), (Header.HISTORY, 4.0), (Header.PHASE, 7.0), (Header.PHASE, 0.5)),
        *((Header.STEP, math.nan), (Header.STEP, -1.0), (Header.DONE, 1e300), (Header.IPRINT, 1e20), (Header.N_X, 5.0)),
        *((Header.REASON, 40.0), (Header.STATUS, 9.0), (Header.BAD_KIND, 8.0), (Header.T0, math.inf)),
    ],
)
def test_a_damaged_snapshot_is_refused_and_nothing_changes(stateful, place, value):
    sim = Simulation(stateful, program=PROGRAM, step=0.01)
    sim.advance(7)
    before = sim.snapshot()
    broken = before.copy()
    broken[place] = value
    with pytest.raises(ParameterError, match="the snapshot is damaged"):
        sim.restore(broken)
    assert sim.snapshot().tobytes() == before.tobytes()


def test_a_snapshot_whose_state_is_not_finite_is_refused_with_its_name(stateful):
    sim = Simulation(stateful, step=0.01)
    broken = sim.snapshot()
    broken[sim.layout.x + 1] = math.nan
    with pytest.raises(ParameterError, match="damaged: state 'v' is nan"):
        sim.restore(broken)
    with pytest.raises(ParameterError, match="not a snapshot"):
        sim.restore("nothing of the kind")


def test_the_snapshot_of_a_run_that_failed_can_be_looked_at(stateful):
    sim = Simulation(stateful, step=0.01)
    sim.x[0] = math.nan
    assert sim.run(1.0, on_error="return").status == "failed"
    other = Simulation(stateful, step=0.01)
    other.restore(sim.snapshot())
    assert math.isnan(other.state("x"))


def test_threads_are_independent(stateful):
    n = 6
    sims = [Simulation(stateful, method=list(METHODS)[k], step=0.001) for k in range(n)]
    results = [None] * n

    def work(k):
        sims[k].set_inputs({"u": 0.1 * k})
        results[k] = sims[k].run(20.0, iprint=10)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k in range(n):
        alone = Simulation(stateful, method=list(METHODS)[k], step=0.001)
        alone.set_inputs({"u": 0.1 * k})
        assert alone.run(20.0, iprint=10).data.tobytes() == results[k].data.tobytes()
