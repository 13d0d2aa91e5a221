"""Verdicts: what decides, what is told where nothing can be, and where they are shown."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from jounce.core.errors import ParameterError
from jounce.results.kinds import Kind, declare
from jounce.results.report import render
from jounce.results.run import Run
from jounce.results.verdict import Criterion, Verdict, judge

FAST = Criterion("peak at most 3 m", True, 2.5, 3.0, "m")
SLOW = Criterion("time at most 2 s", False, 2.25, 2.0, "s")
UNTOLD = Criterion("slip: no tire touches the ground", None)


@pytest.mark.parametrize(
    ("criteria", "word", "reason"),
    [
        ((FAST,), "pass", "met: peak at most 3 m"),
        ((FAST, FAST), "pass", "all criteria met"),
        ((FAST, SLOW), "fail", "not met: time at most 2 s"),
        ((UNTOLD, SLOW, FAST), "fail", "not met: time at most 2 s"),  # one that is missed decides alone
        ((FAST, UNTOLD), "", "cannot be told: slip: no tire touches the ground"),
        ((), "", "no criterion applies"),
    ],
)
def test_one_missed_criterion_fails_and_one_untold_leaves_no_verdict(
    criteria: tuple[Criterion, ...], word: str, reason: str
) -> None:
    assert judge(*criteria) == Verdict(word, reason, criteria)  # type: ignore[arg-type]


def peak(run: Run) -> Verdict:
    height = float(np.max(run["y"]))
    return judge(Criterion("y at most 3 m", height <= 3.0, height, 3.0, "m"))


def run_of(kind: str, height: float, **metadata: object) -> Run:
    return Run(np.array([0.0, 1.0, 2.0]), {"y": [0.0, height, 1.0]}, {"y": "m"}, {"event": kind, **metadata})


def test_a_kind_judges_its_runs() -> None:
    declare("verdict_of_height", Kind(verdict=peak))
    assert run_of("verdict_of_height", 2.5).verdict.word == "pass"
    failed = run_of("verdict_of_height", 3.5).verdict
    assert (failed.word, failed.reason) == ("fail", "not met: y at most 3 m")
    missing = Run(np.array([0.0, 1.0]), {"x": [0.0, 1.0]}, {"x": "m"}, {"event": "verdict_of_height"}).verdict
    assert missing.word == "" and missing.reason.startswith("cannot be told: channel 'y'")


def test_without_a_standard_there_is_a_reason() -> None:
    assert run_of("verdict_unknown", 1.0).verdict == Verdict(reason="no standard gives a limit for this event")
    early = run_of("verdict_unknown", 1.0, status="partial", reason="spun").verdict
    assert early == Verdict(reason="the run ended early: spun")


def test_a_verdict_survives_its_file_and_other_names(tmp_path: Path) -> None:
    found = judge(FAST, UNTOLD, SLOW)
    again = Verdict.from_dict(json.loads(json.dumps(found.to_dict())))
    assert again.to_dict() == found.to_dict() and again.criteria[2] == SLOW
    assert math.isnan(again.criteria[1].limit)
    kept = Run.read(run_of("verdict_unknown", 1.0, verdict=found.to_dict()).to_parquet(tmp_path / "a.parquet"))
    assert kept.verdict.word == "fail" and kept.verdict.criteria[0] == FAST
    with pytest.raises(ParameterError, match="'passed'; allowed: pass, fail"):
        Verdict.from_dict({"word": "passed"})


def test_the_report_shows_every_criterion() -> None:
    page = render(run_of("verdict_unknown", 1.0, verdict=judge(FAST, SLOW, UNTOLD).to_dict()))
    texts = ("<h2>Verdict</h2>", "peak at most 3 m", "not met: time at most 2 s", "2.25", "cannot be told", ">fail<")
    for text in texts:
        assert text in page
    assert "<h2>Verdict</h2>" not in render(run_of("verdict_unknown", 1.0))
