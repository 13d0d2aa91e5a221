"""`jounce cache`, and recipes in files that do not read."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from jounce.cli.main import app


def test_the_cache_is_shown_and_emptied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOUNCE_CACHE_DIR", str(tmp_path))
    (tmp_path / "binaries" / "abc").mkdir(parents=True)
    (tmp_path / "binaries" / "abc" / "manifest.json").write_text("{}" * 50)
    shown = CliRunner().invoke(app, ["cache"])
    assert shown.exit_code == 0
    assert str(tmp_path) in shown.output.replace("\n", "")
    assert "1 binaries" in shown.output
    assert CliRunner().invoke(app, ["cache", "clear"]).exit_code == 0
    assert not (tmp_path / "binaries").exists()


def test_an_unknown_action_gets_a_hint() -> None:
    done = CliRunner().invoke(app, ["cache", "claer"])
    assert done.exit_code == 1
    assert "clear" in done.output


@pytest.mark.parametrize("text", ["def broken(:\n", "import no_such_module_here\n", "1 / 0\n"])
def test_a_file_that_cannot_be_read_is_the_users_to_mend(tmp_path: Path, text: str) -> None:
    path = tmp_path / "broken_recipe.py"
    path.write_text(text)
    done = CliRunner().invoke(app, ["step-check", f"{path}:model"])
    assert done.exit_code == 1
    assert "while it was read" in " ".join(done.output.split())
