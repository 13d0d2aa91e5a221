"""Batches of cars and events: the bits of single runs, in order, each on its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import numpy as np
import pytest

import jounce as jn
from jounce.core.errors import ParameterError
from jounce.events import batch as module
from jounce.events import worker
from jounce.events.batch import Case
from jounce.events.worker import Process

STEER = jn.events.StepSteer(amplitude="20 deg", end_time="1.5 s")
MASSES = (1300.0, 1400.0, 1500.0, 1600.0)


@pytest.fixture(scope="module")
def sedan() -> jn.Vehicle:
    return jn.load("sedan")


def same(a: jn.Run, b: jn.Run) -> bool:
    return a.names == b.names and all(a[name].tobytes() == b[name].tobytes() for name in ("time", *a.names))


@pytest.fixture
def processes_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other processes however short the batch is."""
    monkeypatch.setattr(module, "START", 0.0)


@pytest.mark.usefixtures("processes_at_once")
def test_cases_are_run_in_order_to_the_bits_of_single_runs(sedan: jn.Vehicle) -> None:
    cases = [Case(sedan, STEER, {"body.mass": mass}, name=f"{mass:g} kg") for mass in MASSES]
    told: list[tuple[int, int]] = []
    runs = jn.batch(cases, workers=2, progress=lambda *n: told.append(n), interval="20 ms")
    assert told == [(k, 4) for k in (1, 2, 3, 4)]
    for run, mass in zip(runs, MASSES, strict=True):
        single = jn.run(sedan.with_(**{"body.mass": mass}), STEER, interval="20 ms")
        assert same(run, single)
        assert run.complete and run.label == f"{mass:g} kg"
        assert run.metadata["parameters"] == {"body.mass": str(mass)}
    assert not same(runs[0], runs[1])


@pytest.mark.usefixtures("processes_at_once")
def test_what_goes_wrong_in_a_case_stays_there(sedan: jn.Vehicle) -> None:
    cases = [
        Case(sedan, STEER),
        Case(sedan, STEER, {"body.mas": 1500.0}, name="typo"),
        Case("no_such_car", "step-steer"),
        Case("sedan", "step-steer", {"event.amplitude": "20 deg", "event.end_time": "1.5 s"}),
        Case(sedan, STEER, options={"parameters": {"L1.tire.scale.LMUX": "1 m"}}),
    ]
    good, typo, missing, other, unit = jn.batch(cases, workers=2)
    assert good.complete and other.complete and same(good, other)
    assert other.metadata["parameters"] == {"event.amplitude": "20 deg", "event.end_time": "1.5 s"}
    assert not typo.complete and "did you mean 'mass'" in typo.reason and len(typo) == 0
    assert typo.label == "typo" and typo.metadata["parameters"] == {"body.mas": "1500.0"}
    assert not missing.complete and "no_such_car" in missing.reason
    assert not unit.complete and "LMUX" in unit.reason


def test_a_short_batch_starts_no_process(sedan: jn.Vehicle, monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> Process:
        raise AssertionError("a process was started")

    monkeypatch.setattr(module, "Process", none)
    monkeypatch.setattr(module, "START", 1e9)
    assert [run.complete for run in jn.batch([Case(sedan, STEER), Case(sedan, STEER)], workers=2)] == [True, True]


def test_ctrl_c_keeps_what_is_done(sedan: jn.Vehicle) -> None:
    def stop(done: int, _total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    runs = jn.batch([Case(sedan, STEER, name=str(k)) for k in range(4)], workers=1, progress=stop)
    assert [run.complete for run in runs] == [True, True, False, False]
    assert runs[3].reason == "interrupted before it was done" and runs[3].label == "3"


@pytest.mark.usefixtures("processes_at_once")
def test_ctrl_c_ends_the_processes(sedan: jn.Vehicle) -> None:
    def stop(done: int, _total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    runs = jn.batch([Case(sedan, STEER) for _ in range(6)], workers=2, progress=stop)
    assert runs[0].complete and sum(run.complete for run in runs) >= 2 and len(runs) == 6
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("jounce-batch")]


@pytest.mark.slow
def test_a_script_needs_no_guard(tmp_path: Path) -> None:
    """Processes do not run the script again; what it defines itself is driven in its own process."""
    script = tmp_path / "many.py"
    script.write_text(
        textwrap.dedent(
            """
            import jounce as jn
            from jounce.events import batch as module

            module.START = 0.0
            print("once")
            steer = jn.events.StepSteer(amplitude="20 deg", end_time="1.2 s")
            runs = jn.batch([jn.Case("sedan", steer, {"body.mass": m}) for m in (1400, 1500, 1600)], workers=2)
            print([run.complete for run in runs])


            class Softer(jn.events.StepSteer):
                kind = "softer"


            own = Softer(amplitude="10 deg", end_time="1.2 s")
            print([run.complete for run in jn.batch([jn.Case("sedan", own)] * 3, workers=2)])
            """
        )
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, env=dict(os.environ))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["once", "[True, True, True]", "[True, True, True]"]


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        ([STEER], {}, "entry 0 is a StepSteer; expected jn.Case"),
        ([Case("sedan", STEER)], {"intervall": 1}, "no option 'intervall'; did you mean 'interval'"),
        ([Case("sedan", STEER)], {"changes": {}}, "give it to the Case"),
        ([Case("sedan", STEER, options={"live": print})], {}, "case 0: .*no option 'live'"),
        ([Case("sedan", STEER)], {"workers": 0}, "workers = 0: must be 1 or more"),
    ],
)
def test_a_wrong_batch_is_refused_before_anything_runs(source: list[object], options: dict, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        jn.batch(source, **options)


def test_one_model_is_still_run_by_variants() -> None:
    s = jn.System("decay")
    x = s.state("x", initial=1.0)
    s.derivative(x, -s.parameter("k", 1.0, "1/s") * x)
    s.output("x", x)
    with pytest.raises(ParameterError, match="a Library needs its runs"):
        jn.batch(jn.build(s))  # type: ignore[call-overload]
    recordings = jn.batch(jn.build(s), [{"k": 1.0}, {"k": 2.0}], t_end=1.0)
    assert np.allclose([r["x"][-1] for r in recordings], np.exp([-1.0, -2.0]), atol=1e-6)


# --- processes -------------------------------------------------------------------------------------------------------


def test_a_process_answers_and_raises_and_dies() -> None:
    process = Process()
    try:
        assert process.ask(pow, 2, 10) == 1024
        assert process.ask(print, "this does not mix with the answers") is None
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            process.ask(divmod, 1, 0)
        if hasattr(signal, "SIGKILL"):
            with pytest.raises(EOFError, match="exit code -9"):
                process.ask(os.kill, process.ask(os.getpid), signal.SIGKILL)
    finally:
        process.close()
    with pytest.raises(EOFError):
        process.ask(pow, 2, 10)


@pytest.mark.usefixtures("processes_at_once")
def test_a_case_whose_process_dies_is_a_result_and_the_others_go_on(
    sedan: jn.Vehicle, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = Process.ask

    def deadly(self: Process, function: object, case: Case, options: object) -> object:
        return ask(self, os._exit, 3) if case.name == "bad" else ask(self, worker.Worker.run, case, options)

    monkeypatch.setattr(Process, "ask", deadly)
    runs = jn.batch([Case(sedan, STEER, name=name) for name in ("a", "b", "bad", "c")], workers=2)
    assert [run.complete for run in runs] == [True, True, False, True]
    assert runs[2].reason == "the process that ran it ended: exit code 3"


def test_cases_take_what_later_stages_see_of_inputs() -> None:
    """Of the batch or of a case, as of a run; a word that nobody knows is told in the case."""
    event = jn.events.StepSteer(amplitude="20 deg", end_time=1.3)
    cases = [Case("sedan", event), Case("sedan", event, options={"input_time": "interpolate"})]
    cases.append(Case("sedan", event, options={"input_time": "sometimes"}))
    plain, smooth, wrong = jn.batch(cases, input_time="extrapolate", workers=1)
    assert plain.complete and smooth.complete
    assert not wrong.complete and "input_time = 'sometimes': must be 'hold', 'interpolate'" in wrong.reason
