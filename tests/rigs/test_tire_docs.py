"""The how-to of tires does what it says, block by block, in an empty folder."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from jounce.cli.main import app

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: str) -> list[tuple[str, str]]:
    return BLOCK.findall((DOCS / page).read_text(encoding="utf-8"))


def follow(page: str) -> dict[str, object]:
    """Do all blocks of a page: Python in one session, commands by the command line."""
    session: dict[str, object] = {}
    for language, text in blocks(page):
        if language == "python":
            exec(compile(text, page, "exec"), session)
        elif not language:
            for line in text.strip().splitlines():
                command, *arguments = shlex.split(line, comments=True)
                assert command == "jounce", line
                result = CliRunner().invoke(app, arguments)
                assert result.exit_code == 0, f"{line}\n{result.output}"
    return session


@pytest.mark.slow
def test_the_how_to_from_top_to_bottom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    session = follow("how-to/tires.md")
    made = {path.name for path in tmp_path.iterdir()}
    assert {"mine.png", "mine.html", "lateral.png", "fit.png", "fit.html", "compare.png", "again.tir"} <= made
    result = session["result"]
    assert result.quality["fy"][2] > 0.99  # type: ignore[attr-defined]
    assert not [w for w in result.warnings if "assumed: lateral" in w]  # type: ignore[attr-defined]


def test_the_page_about_tires(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    follow("tires.md")
    assert (tmp_path / "wet.tir").is_file()
