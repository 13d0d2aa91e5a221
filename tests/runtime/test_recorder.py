"""IPRINT, OPT_WRITE, buffers, and what a Recording offers."""

from __future__ import annotations

import itertools
import json
import signal
import subprocess
import sys

import numpy as np
import pytest

from jounce.core.errors import ParameterError
from jounce.runtime.program import End, Iprint, Phase, Program, When, Write
from jounce.runtime.running import CHUNK_SECONDS, Pacer
from jounce.runtime.simulation import METHODS, Simulation

H = 0.125  # exact in binary


def times(library, method="RK-2", t_end=2.0, **options):
    return Simulation(library, method=method, step=H).run(t_end, **options).time


@pytest.mark.parametrize("method", METHODS)
def test_iprint_1_writes_every_full_step_with_both_ends(oscillator, method):
    np.testing.assert_array_equal(times(oscillator, method, iprint=1), np.arange(17) * H)


@pytest.mark.parametrize("method", METHODS)
def test_iprint_0_adds_the_half_steps_of_half_step_methods(oscillator, method):
    grid = np.arange(17) * H if METHODS[method] <= 0 else np.arange(33) * H / 2
    np.testing.assert_array_equal(times(oscillator, method, iprint=0), grid)


def test_iprint_k_writes_every_kth_step_and_the_end_only_when_due(oscillator):
    np.testing.assert_array_equal(times(oscillator, iprint=4), np.arange(0, 17, 4) * H)
    np.testing.assert_array_equal(times(oscillator, iprint=5), np.arange(0, 17, 5) * H)
    np.testing.assert_array_equal(times(oscillator, interval=0.5), np.arange(0, 17, 4) * H)
    with pytest.raises(ParameterError, match=r"interval = 0\.3: must be a multiple of the step"):
        times(oscillator, interval=0.3)


def test_the_run_ends_at_the_first_full_step_not_before_the_end_time(oscillator):
    assert times(oscillator, t_end=1.95)[-1] == 2.0
    sim = Simulation(oscillator, step=0.0005)
    recording = sim.run(0.3)
    assert recording.steps == 600
    assert (recording.status, recording.reason, recording.ok) == ("finished", "end time reached", True)


def test_a_run_continued_has_no_row_twice_and_none_missing(oscillator):
    sim = Simulation(oscillator, method="AM-3", step=H)
    parts = [sim.run(t, iprint=3) for t in (0.5, 0.75, 1.5, 4.0)]
    whole = Simulation(oscillator, method="AM-3", step=H).run(4.0, iprint=3)
    np.testing.assert_array_equal(np.concatenate([p.time for p in parts]), whole.time)
    np.testing.assert_array_equal(np.concatenate([p.data for p in parts]), whole.data)


def test_after_another_step_rows_are_counted_from_there(oscillator):
    sim = Simulation(oscillator, method="Euler", step=H)
    before = sim.run(0.5, iprint=3)
    sim.set_method("Euler", step=H / 2)
    after = sim.run(1.25, iprint=3)
    np.testing.assert_array_equal(before.time, [0, 3 * H])
    # four steps are done, which is no multiple of three; the instant of the change is that of the run before
    np.testing.assert_array_equal(after.time, 0.5 + 1.5 * H * np.arange(1, 5))


def test_opt_write_between_calls_keeps_the_grid(oscillator):
    sim = Simulation(oscillator, method="Euler", step=H)
    sim.iprint = 2
    a = sim.run(0.5)
    sim.opt_write = False
    b = sim.run(1.125)
    sim.opt_write = True
    c = sim.run(2.0)
    np.testing.assert_array_equal(a.time, [0, 0.25, 0.5])
    assert len(b) == 0
    # on again at t = 1.125 + h: the grid is that of the start
    np.testing.assert_array_equal(c.time, [1.25, 1.5, 1.75, 2.0])


def test_opt_write_and_iprint_by_phase_actions(oscillator):
    program = Program(
        Phase("a", duration=0.5),
        Phase("b", duration=0.5, actions=[Write(False)]),
        Phase("c", duration=0.5, actions=[Write(True), Iprint(0)]),
        Phase("d", ends=[End(When("phase_steps", ">=", 5))], actions=[Iprint(2)]),
    )
    recording = Simulation(oscillator, method="RK-2", step=H).run(program=program)
    expected = [0, H, 2 * H, 3 * H, *np.arange(1.0, 1.5, H / 2), 1.5, 1.75, 2.0]
    np.testing.assert_array_equal(recording.time, expected)
    assert (recording.status, recording.reason) == ("stopped", "last phase ended")


@pytest.mark.parametrize("iprint", [0, 1, 3])
@pytest.mark.parametrize("rows", [1, 2, 7])
def test_small_buffers_lose_nothing(oscillator, iprint, rows):
    whole = Simulation(oscillator, method="AM-4", step=H).run(9.0, iprint=iprint)
    parts = Simulation(oscillator, method="AM-4", step=H).run(9.0, iprint=iprint, buffer_rows=rows)
    np.testing.assert_array_equal(parts.time, whole.time)
    np.testing.assert_array_equal(parts.data, whole.data)


def test_outputs_see_what_the_right_hand_side_sees(logger):
    """Rows show the memories before the commit and the same elapsed time."""
    sim = Simulation(logger, method="AM-2", step=H)
    recording = sim.run(4 * H, iprint=0)
    # evaluations: RK-4 start (t0, half, half, t1), then two per step
    np.testing.assert_array_equal(recording["count"], [0, 1, 4, 5, 6, 7, 8, 9, 10])
    np.testing.assert_array_equal(recording["since"], [0, H / 2, 0] + [H / 2] * 6)


def test_half_rows_are_those_of_the_method(oscillator):
    sim = Simulation(oscillator, method="RK-2", step=H)
    f, _ = sim.derivatives()
    x = sim.x.copy()
    recording = sim.run(H, iprint=0)
    np.testing.assert_array_equal(recording.data[1, :2], x + H / 2 * f)


def test_selected_channels(oscillator):
    a = Simulation(oscillator, step=H).run(1.0)
    b = Simulation(oscillator, step=H).run(1.0, channels=["speed", "position"])
    assert b.names == ("speed", "position")
    np.testing.assert_array_equal(b["speed"], a["speed"])
    np.testing.assert_array_equal(b["position"], a["position"])
    assert Simulation(oscillator, step=H).run(1.0, channels=[]).data.shape == (9, 0)
    with pytest.raises(ParameterError, match="channel 'sped': not an output of the model; did you mean 'speed'"):
        Simulation(oscillator).run(1.0, channels=["sped"])


def test_recording_by_name(oscillator):
    recording = Simulation(oscillator, step=H).run(1.0)
    assert recording.unit("speed") == "m"
    assert recording.channels("push*") == ["push", "push.rate", "push.acc"]
    assert "speed" in recording
    assert len(recording) == 9
    with pytest.raises(ParameterError, match="did you mean 'position'"):
        recording["positon"]


def test_progress_is_reported_and_grows(oscillator):
    seen = []
    Simulation(oscillator, method="Euler").run(400.0, iprint=1000, progress=lambda f, t: seen.append((f, t)))
    assert seen[-1] == (1.0, pytest.approx(400.0))
    assert all(a[0] < b[0] for a, b in itertools.pairwise(seen))


def test_ctrl_c_keeps_a_valid_partial_recording(oscillator):
    sim = Simulation(oscillator, method="Euler", step=0.0005)
    calls = itertools.count()

    def interrupt(fraction, t):
        if next(calls) == 5:
            raise KeyboardInterrupt

    recording = sim.run(1e6, iprint=100, progress=interrupt)
    assert recording.status == "interrupted"
    assert not recording.ok
    assert 0 < recording.steps == sim.step_count
    np.testing.assert_array_equal(recording.time, np.arange(len(recording)) * 100 * 0.0005)
    # and it goes on as if nothing had happened
    sim.run(sim.time + 1.0)
    whole = Simulation(oscillator, method="Euler", step=0.0005)
    whole.advance(sim.step_count)
    assert whole.x.tobytes() == sim.x.tobytes()


def test_a_real_interrupt_signal_in_a_long_run(oscillator, tmp_path):
    (tmp_path / "model.json").write_text(json.dumps(oscillator.model.to_dict()))
    code = f"""
import json, signal
from jounce.core.generated import GeneratedModel
from jounce.runtime.simulation import Library, Simulation
signal.signal(signal.SIGINT, signal.default_int_handler)
model = GeneratedModel.from_dict(json.load(open({str(tmp_path / "model.json")!r})))
sim = Simulation(Library({str(oscillator.path)!r}, model), method="Euler", step=0.0005)
started = []
def progress(fraction, t):
    if not started:
        started.append(print("started", flush=True))
recording = sim.run(1e7, iprint=1000, progress=progress)
print(recording.status, recording.steps == sim.step_count, len(recording))
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "started\n"
        child.send_signal(signal.SIGINT)
        status, same, rows = child.stdout.read().split()
    assert (status, same) == ("interrupted", "True")
    assert int(rows) > 0


@pytest.mark.parametrize("buffer_rows", [1, 7, 64, None])
def test_what_is_streamed_while_it_runs_is_what_is_recorded(oscillator, buffer_rows):
    units, parts = [], []

    def take(channels, rows):
        units.append(channels)
        parts.append(rows.copy())

    sim = Simulation(oscillator, method="Euler")
    recording = sim.run(40.0, iprint=10, stream=take, buffer_rows=buffer_rows, channels=["speed", "push"])
    rows = np.concatenate(parts)
    whole = np.column_stack([recording.time, recording.data])
    assert all(channels == dict(zip(recording.names, recording.units, strict=True)) for channels in units)
    assert len(parts) > 1
    # the row of the last instant is written when the loop has ended
    assert np.array_equal(rows, whole[: len(rows)])
    assert len(whole) - len(rows) <= 1


def test_a_pace_limits_the_steps_between_two_looks_and_does_not_change_the_result(oscillator):
    free = Simulation(oscillator).run(0.2)
    paced = Simulation(oscillator).run(0.2, pace=50.0)
    assert np.array_equal(free.data, paced.data)
    assert Pacer(None, 0.001).most > 1e9
    assert Pacer(1.0, 0.001).most == round(CHUNK_SECONDS / 0.001)
    assert Pacer(4.0, 0.001).most == round(4 * CHUNK_SECONDS / 0.001)


@pytest.mark.parametrize("pace", [0.0, -1.0, float("nan"), float("inf")])
def test_a_pace_that_is_none_is_refused(oscillator, pace):
    with pytest.raises(ParameterError, match="pace"):
        Simulation(oscillator).run(0.2, pace=pace)
