"""Every example runs and its stated claim holds; the texts that show one show exactly the file; every snippet runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("[0-9][0-9]_*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_example_runs(path: Path) -> None:
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_quarter_car_prints_the_frequencies_its_docstring_states() -> None:
    path = ROOT / "examples" / "01_quarter_car.py"
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=300)
    stated = re.findall(r"([\d.]+) Hz", path.read_text().splitlines()[0])
    assert stated == re.findall(r"\d+\.\d+", done.stdout.splitlines()[0])


@pytest.mark.parametrize("text", ["README.md", "docs/kernel.md"])
def test_shown_example_is_the_file(text: str) -> None:
    example = (ROOT / "examples" / "01_quarter_car.py").read_text()
    assert f"```python\n{example}```" in (ROOT / text).read_text()


PAGES = [
    *("kernel.md", "mechanics.md", "running.md", "methods.md", "standalone.md", "vehicles.md", "theory/vehicle.md"),
    *("tutorial.md", "events.md"),
    *(f"events/{path.name}" for path in sorted((ROOT / "docs" / "events").glob("*.md"))),
]


# One process for a page, as its imports cost more than most snippets; each snippet has its own names.
PASTED = """
import runpy, sys, traceback
for path in sys.argv[1:]:
    try:
        runpy.run_path(path, run_name="__main__")
    except BaseException:
        traceback.print_exc()
        sys.exit(f"{path} failed")
"""


@pytest.mark.parametrize("page", PAGES)
def test_snippets_can_be_pasted(page: str, tmp_path: Path) -> None:
    snippets = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs" / page).read_text(), re.MULTILINE | re.DOTALL)
    assert snippets
    paths = [tmp_path / f"snippet_{number}.py" for number in range(len(snippets))]
    for path, snippet in zip(paths, snippets, strict=True):
        path.write_text(snippet)
    command = [sys.executable, "-c", PASTED, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=tmp_path, check=False)
    assert done.returncode == 0, f"{page}: {done.stderr}"
