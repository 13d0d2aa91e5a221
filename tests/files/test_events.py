"""Events of any format, by their endings."""

from __future__ import annotations

from pathlib import Path

import pytest

from jounce.core.errors import FormatError
from jounce.core.library import LIBRARY
from jounce.files.events import convert_to_vdf, read_event
from smart_driver_texts import DCF, SDF, XML

DCD = (LIBRARY / "events" / "replay.dcd").read_text()


def test_an_event_read_directly_is_the_one_read_from_its_conversion(tmp_path: Path) -> None:
    (tmp_path / "replay.dcd").write_text(DCD)
    (tmp_path / "other").mkdir()
    for ending, text in ((".sdf", SDF), (".dcf", DCF), (".xml", XML)):
        source = tmp_path / f"event{ending}"
        source.write_text(text)
        target = tmp_path / "other" / "event.vdf"
        report = convert_to_vdf(source, target)
        found, direct = read_event(source)
        again = read_event(target)[0]
        assert report.problems == direct.problems
        files = {name for name, s in found.signals.items() if getattr(s, "file", "")}
        assert found.model_copy(update={"signals": {}}) == again.model_copy(update={"signals": {}})
        for name in found.signals:
            if name in files:  # named as seen from the other folder
                assert Path(again.signals[name].file).resolve() == tmp_path / "replay.dcd"  # type: ignore[attr-defined]
            else:
                assert again.signals[name] == found.signals[name]


def test_a_vdf_is_written_again_in_si(tmp_path: Path) -> None:
    source = LIBRARY / "events" / "braking_in_turn.vdf"
    convert_to_vdf(source, tmp_path / "braking_in_turn.vdf")
    assert "LENGTH   = 'meter'" in (tmp_path / "braking_in_turn.vdf").read_text()
    assert read_event(tmp_path / "braking_in_turn.vdf")[0] == read_event(source)[0]


def test_other_endings_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    with pytest.raises(FormatError, match=r"ends with '\.txt'; events end with one of \.vdf, \.sdf, \.dcf, \.xml"):
        read_event(tmp_path / "a.txt")
