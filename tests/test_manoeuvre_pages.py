"""The three pages of manoeuvres: one example in YAML, Python and as a VDF, which give one run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jounce as jn
from jounce.files.events import read_event
from jounce.files.vdf_model import write_vdf

DOCS = Path(__file__).parents[1] / "docs"
CHANNELS = ["chassis_*", "driver_demands.*"]


def block(page: str, fence: str, number: int = 0) -> str:
    """A fenced block of a page."""
    found: list[str] = re.findall(rf"^```{fence}\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), re.S | re.M)
    return found[number]


@pytest.fixture
def written(tmp_path: Path) -> dict[str, Any]:
    """The event of each page."""
    page = (DOCS / "manoeuvre_files.md").read_text(encoding="utf-8")
    vdf = "[VIGRADE_HEADER]" + page.split("```\n[VIGRADE_HEADER]")[1].split("```")[0]
    (tmp_path / "turn.vdf").write_text(vdf)
    (tmp_path / "turn.yaml").write_text(block("manoeuvres.md", "yaml"))
    program = block("manoeuvre_reference.md", "python")
    names: dict[str, Any] = {}
    exec(program.split("run = ")[0], names)
    made = jn.events.find("manoeuvre")
    return {
        "yaml": made(file=str(tmp_path / "turn.yaml")),
        "python": names["turn_and_stop"],
        "vdf": made(file=str(tmp_path / "turn.vdf")),
    }


def test_each_page_has_the_example_and_says_where_the_others_are(written: dict[str, Any]) -> None:
    stages = {face: [s.name.lower() for s in event.manoeuvre.driven] for face, event in written.items()}
    assert stages == {face: ["settle", "turn", "stop"] for face in ("yaml", "python", "vdf")}
    assert written["python"].manoeuvre == written["yaml"].manoeuvre
    page = (DOCS / "manoeuvres.md").read_text()
    assert "(manoeuvre_reference.md)" in page and "(manoeuvre_files.md)" in page


def test_values_with_units_are_written_to_a_vdf_in_si(written: dict[str, Any], tmp_path: Path) -> None:
    write_vdf(written["yaml"].manoeuvre, tmp_path / "copy.vdf")
    again, report = read_event(tmp_path / "copy.vdf")
    assert not report.warnings
    turn, stop = again.driven[1], again.driven[2]
    step = again.signal_of(turn, "steering")
    assert (step.begin, step.end) == (0.1, 0.3) and step.last == pytest.approx(np.radians(45))
    assert [c.reference for _, c in again.conditions_of(turn)] == [5.0, 3.0]
    assert again.signal_of(stop, "braking").last == 0.4


@pytest.mark.slow
def test_three_faces_give_one_run(written: dict[str, Any], tmp_path: Path) -> None:
    """Python and YAML to the bit; the VDF but for the rounding of degrees and of a speed with sixteen digits."""
    runs = {face: jn.run(jn.load("sedan"), event, channels=CHANNELS) for face, event in written.items()}
    for name in runs["yaml"].channels():
        assert np.array_equal(runs["python"][name], runs["yaml"][name]), name
        assert runs["vdf"][name] == pytest.approx(runs["yaml"][name], rel=1e-9, abs=1e-9), name
    assert len(runs["yaml"].metadata["triggers"]) == 3
    assert np.abs(runs["yaml"]["chassis_accelerations.lateral"]).max() > 5.0
