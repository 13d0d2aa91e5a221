"""The page about K&C import does what it says, block by block, in an empty folder."""

from __future__ import annotations

import re
import shlex
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from jounce.cli.main import app
from jounce.rigs.kc.cases import KEYS, TYPES, Settings

PAGE = Path(__file__).parents[2] / "docs" / "kc_import.md"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.slow
def test_the_worked_example_from_top_to_bottom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    session: dict[str, object] = {}
    for language, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if language == "python":
            exec(compile(text, str(PAGE), "exec"), session)
        elif not language:
            command, *arguments = shlex.split(text)
            assert command == "jounce"
            result = CliRunner().invoke(app, arguments)
            assert result.exit_code == 0, result.output
            assert "anti_roll_rate_rear" in result.output
    assert (tmp_path / "report.html").is_file() and (tmp_path / "measured" / "maps" / "kc_rear.csv").is_file()
    found = session["found"]
    fit = found.fits["camber.L over travel.L, bounce"]  # type: ignore[attr-defined]
    assert np.degrees(fit.drift) == pytest.approx(0.05, rel=0.1)
    for item in found.residuals:  # type: ignore[attr-defined]
        assert item.rms < 0.02 * item.span


def test_the_page_names_every_setting_key_and_type() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name in (*(item.name for item in fields(Settings)), *KEYS):
        assert f"`{name}`" in text or f"{{{name}:" in text, name
    for kinds in TYPES.values():
        for kind in kinds:
            assert kind in text or kind.rsplit(" ", 1)[0] in text, kind
