"""Events of several runs: what is kept of each, progress, interruption, a failing pre-event, series that end."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jounce as jn
from jounce import events
from jounce.core.errors import FormatError, ParameterError, SimulationError
from jounce.events.export import export_c
from jounce.results.report import render
from jounce.results.run import Run
from jounce.results.trials import kept, trials_of
from result_runs import DEG

A = 60 * DEG  # so large that the series is short: 1.5 A, 2 A, … 4.5 A, and 300° = 5 A
GAINS = [1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0]


@lru_cache
def sedan() -> Any:
    return jn.load("sedan")


def event(**changes: Any) -> events.Event:
    return events.find("sine-with-dwell")(**{"steering_at_nominal": A, "end_time": 5.0, **changes})


@lru_cache
def whole() -> Run:
    return jn.run(sedan(), event(direction="right"))


def test_every_run_is_kept_with_its_figures_and_its_signals() -> None:
    run = whole()
    assert run.complete and run.reason == "8 runs"
    assert [trial.name for trial in run.trials] == [f"right, {gain:g} A" for gain in GAINS]
    assert [trial.parameter("gain") for trial in run.trials] == pytest.approx(GAINS)
    for trial, gain in zip(run.trials, GAINS, strict=True):
        steering = trial.trace.signal("steering")
        assert -steering.max() < 0 and np.abs(steering).max() == pytest.approx(gain * A, rel=1e-4)
        single = jn.run(sedan(), event(direction="right", gain=gain)) if gain in (2.0, 4.5) else None
        if single is not None:  # one start serves all runs, and gives the same bits as one of its own
            assert dict(trial.figures) == dict(single.figures)
            # kept as 32-bit floats
            assert trial.trace.signal("yaw_rate") == pytest.approx(single.signal("yaw_rate"), rel=1e-6, abs=1e-7)
    assert run.metadata["event"]["parameters"]["direction"] == ["right", ""]
    assert "gain" not in run.metadata["event"]["parameters"], "the event is the series, not its last run"
    assert run.data["event"]["event"] == "sine-with-dwell" and run.data["event"].get("gain") is None


def test_the_run_that_decides_is_there_in_full() -> None:
    run = whole()
    worst = max(
        run.trials, key=lambda t: max(t.figure("yaw_rate_ratio_1_00") / 35, t.figure("yaw_rate_ratio_1_75") / 20)
    )
    assert run.metadata["decisive"] == worst.name
    assert np.abs(run.signal("steering")).max() == pytest.approx(worst.parameter("gain") * A, rel=1e-4)
    assert len(run.names) > 500


def test_it_is_the_same_after_writing_and_reading(tmp_path: Path) -> None:
    run = whole()
    for again in (Run.read(run.to_parquet(tmp_path / "a.parquet")), Run.read(run.to_csv(tmp_path / "a.csv"))):
        assert again.kpis == run.kpis and again.verdict == run.verdict
        assert [t.name for t in again.trials] == [t.name for t in run.trials]
        for ours, theirs in zip(run.trials, again.trials, strict=True):
            assert np.array_equal(ours.trace.signal("yaw_rate"), theirs.trace.signal("yaw_rate"))


def test_the_report_has_a_row_for_every_run_and_their_plots() -> None:
    page = render(whole())
    assert all(page.count(f"right, {gain:g} A") >= 1 for gain in GAINS)
    assert "<h2>Runs</h2>" in page and "Yaw rate, all amplitudes" in page and "Yaw rate ratio at COS + 1.75 s" in page


def test_channels_that_are_asked_for_are_kept_and_the_verdict_does_not_need_them() -> None:
    some = jn.run(sedan(), event(direction="right", gain=None), channels=["chassis_velocities.*"])
    assert all(name.startswith("chassis_velocities.") for name in some.names) and len(some.names) == 6
    assert some.kpis == whole().kpis and some.verdict == whole().verdict
    with pytest.raises(ParameterError, match=r"channel 'nothing': not in this run"):
        jn.run(sedan(), event(direction="right", gain=None, frequency=1.0, end_time=2.5), channels=["nothing"])


def test_progress_grows_to_the_end_over_all_runs() -> None:
    seen: list[tuple[float, float]] = []
    jn.run(sedan(), event(direction="both", gain=1.0, end_time=3.0), progress=lambda now, end: seen.append((now, end)))
    assert all(a[0] <= b[0] for a, b in pairwise(seen))
    assert {end for _, end in seen} == {6.0} and 3.0 < seen[-1][0] <= 6.0


@pytest.mark.parametrize(("at", "least"), [(2.0, 1), (12.0, 3)])
def test_what_is_done_stays_when_the_user_interrupts(at: float, least: int) -> None:
    """The progress is told now and then: on a busy machine, or a fast one, a run later."""

    def stop(now: float, end: float) -> None:
        if now >= at:
            raise KeyboardInterrupt

    run = jn.run(sedan(), event(direction="both"), progress=stop)
    done = len(run.trials)
    assert least <= done < len(whole().trials)
    assert not run.complete and run.reason == f"interrupted in run {done}"
    assert [trial.complete for trial in run.trials] == [True] * (done - 1) + [False]
    assert run.verdict.word != "pass", "what was not driven was not passed"


def test_a_pre_event_that_fails_is_told_as_that_of_the_event() -> None:
    slippery = events.find("sine-with-dwell")(friction=0.05, accept=("friction",))
    with pytest.raises(
        SimulationError, match=r"^sine-with-dwell: the pre-event slowly-increasing-steer failed: .*reaches"
    ):
        jn.run(sedan(), slippery)


def test_a_series_is_no_single_manoeuvre_to_export(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="sine-with-dwell: is a series of runs here"):
        export_c(tmp_path / "c", sedan(), event())


def test_damaged_runs_are_told() -> None:
    t = np.linspace(0, 1, 11)
    one = kept("a", Run(t, {"chassis_velocities.yaw": t}, {"chassis_velocities.yaw": "rad/s"}), {})
    trial = trials_of({"trials": [one]})[0]
    assert trial.trace.signal("yaw_rate") == pytest.approx(t, rel=1e-6) and math.isnan(trial.figure("none"))
    for bad in ({**one, "figures": {"x": "y"}}, {k: v for k, v in one.items() if k != "name"}, 7):
        with pytest.raises(FormatError, match="are damaged"):
            trials_of({"trials": [bad]})
    for rows in ("%%%", "aGVsbG8=", one["trace"]["rows"][:-8]):
        broken = {**one, "trace": {**one["trace"], "rows": rows}}
        with pytest.raises(FormatError, match="are damaged"):
            _ = trials_of({"trials": [broken]})[0].trace
