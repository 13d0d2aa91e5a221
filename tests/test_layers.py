"""Dependencies point down, and the contract that says so would notice."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CHECK = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True, no_logo=True))"


def lint(root: Path) -> subprocess.CompletedProcess[str]:
    """Run import-linter on the source tree below `root`, with the contract of its pyproject.toml."""
    environment = {**os.environ, "PYTHONPATH": str(root / "src"), "NO_COLOR": "1", "COLUMNS": "200"}
    return subprocess.run(
        [sys.executable, "-c", CHECK],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__", "*.c", "*.h"))
    return tmp_path


def test_dependencies_point_down() -> None:
    result = lint(ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("module", "line"),
    [("core/upward.py", "import jounce.sim"), ("runtime/sideways.py", "from jounce.symbolic import ops")],
)
def test_an_import_against_the_layers_is_reported(copy: Path, module: str, line: str) -> None:
    (copy / "src/jounce" / module).write_text(line + "\n")
    result = lint(copy)
    assert result.returncode == 1
    assert f"jounce.{module[:-3].replace('/', '.')} -> " in result.stdout


def test_a_folder_outside_the_contract_is_reported(copy: Path) -> None:
    (copy / "src/jounce/elsewhere").mkdir()
    (copy / "src/jounce/elsewhere/__init__.py").touch()
    result = lint(copy)
    assert result.returncode == 1
    assert "elsewhere" in result.stdout
