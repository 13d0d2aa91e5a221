"""Every example runs and its stated claim holds; the texts that show one show exactly the file; every snippet runs."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from jounce.cli.examples import blocks, found

ROOT = Path(__file__).parent.parent
PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
EXAMPLES = sorted((ROOT / "examples").glob("[0-9][0-9]_*.py"))


# models of their own
LONG = ("08_rear_steering", "10_trailer")


@pytest.mark.parametrize(
    "path", [pytest.param(p, id=p.stem, marks=pytest.mark.slow if p.stem in LONG else ()) for p in EXAMPLES]
)
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


PAGES = [item.name for item in found(ROOT) if item.kind == "page"]
# pages whose every block can be pasted, and those of every day: the others build many models, pages of events are alike
WHOLE = ("kernel.md", "mechanics.md", "running.md", "methods.md", "standalone.md", "vehicles.md", "theory/vehicle.md",
         "events.md", "setup.md", "suspension_elements.md", "aerodynamics.md")  # fmt: skip
QUICK = ("kernel.md", "mechanics.md", "methods.md", "standalone.md", "vehicles.md", "events.md", "setup.md",
         "events/step-steer.md")  # fmt: skip


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


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=() if page in QUICK else pytest.mark.slow) for page in PAGES]
)
def test_snippets_can_be_pasted(page: str, tmp_path: Path) -> None:
    place = ROOT / "docs" / page
    snippets = re.findall(PYTHON, place.read_text()) if page in WHOLE else blocks(place)
    assert snippets
    paths = [tmp_path / f"snippet_{number}.py" for number in range(len(snippets))]
    for path, snippet in zip(paths, snippets, strict=True):
        path.write_text(snippet)
    command = [sys.executable, "-c", PASTED, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=tmp_path, check=False)
    assert done.returncode == 0, f"{page}: {done.stderr}"


# -- the tutorial, top to bottom ------------------------------------------------------------------------------------

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
TIMED = re.compile(r"\d+ times real time")  # lines that tell how long a run took
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")
EDITED = "front_suspension.yaml"


def command_line(line: str, folder: Path, *, fails: bool = False) -> str:
    """What a line of a shell prints; `jounce` and `python` are those of the tests."""
    words = shlex.split(line, comments=True)
    programs = {"jounce": [sys.executable, "-m", "jounce.cli.main"], "python": [sys.executable]}
    command = [*programs[words[0]], *words[1:]]
    options = {**os.environ, "COLUMNS": "200"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=folder, check=False, env=options)
    assert (done.returncode != 0) is fails, f"{line}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def shown_in(shown: list[str], output: str) -> list[str]:
    """Lines of the page that the output does not have; "…" at an end stands for the rest of a line."""
    found = [line.split() for line in output.splitlines()]
    missing = []
    for line in shown:
        words = line.rstrip("…").split()
        rest = line.endswith("…")
        if TIMED.search(line) or any((rest or len(words) == len(item)) and same(words, item) for item in found):
            continue
        missing.append(line)
    return missing


def same(words: list[str], others: list[str]) -> bool:
    """Words alike; numbers within 2 % and a unit of their last place, since the page is not written at every change."""
    return len(words) <= len(others) and all(
        a == b or (close(a, b) if NUMBER.search(a) and NUMBER.sub("", a) == NUMBER.sub("", b) else False)
        for a, b in zip(words, others, strict=False)
    )


def close(a: str, b: str) -> bool:
    pairs = zip(NUMBER.findall(a), NUMBER.findall(b), strict=False)
    return all(abs(float(x) - float(y)) <= 0.02 * abs(float(x)) + 1.1 * place(x) for x, y in pairs)


def place(number: str) -> float:
    """The last place of a number as written."""
    return float(10.0 ** -len(number.partition(".")[2]))


def spoil(folder: Path, *changes: tuple[str, str]) -> None:
    file = folder / "my_sedan" / EDITED
    text = file.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file.write_text(text, encoding="utf-8")


@pytest.mark.slow
def test_the_tutorial_runs_top_to_bottom_and_prints_what_it_shows(tmp_path: Path) -> None:
    """Every command and snippet of the page in one folder, in the order of the page; lines of output as shown."""
    page = (ROOT / "docs" / "tutorial.md").read_text()
    output, wrong = "", []
    for kind, text in BLOCK.findall(page[page.index("## Look at a car") :]):
        if kind == "python":
            path = tmp_path / "snippet.py"
            path.write_text(text)
            output = command_line("python snippet.py", tmp_path)
        elif kind == "sh":
            for line in text.splitlines():
                output = command_line(line, tmp_path)
        elif kind == "yaml" and text.startswith("time:"):
            (tmp_path / "map.yaml").write_text(text)
        elif kind == "yaml":  # what the reader does in an editor
            spoil(tmp_path, ("stiffness: 34.2 N.m/deg", "stiffness: 17.1 N.m/deg"))
            assert text.strip() in (tmp_path / "my_sedan" / EDITED).read_text()
        else:
            fails = "error" in text
            if fails:
                spoil(tmp_path, ("rebound_stop:", "rebuond_stop:"), ("17.1 N.m/deg", "17.1 N/deg"))
            shown: list[str] = []
            for line in [*text.splitlines(), "$"]:
                if not line.startswith("$"):
                    shown.append(line)
                    continue
                wrong += shown_in(shown, output)
                shown = []
                if line != "$":
                    output = command_line(line[1:], tmp_path, fails=fails)
    line = "jounce compare results/base log.csv --map map.yaml --align driver_demands.steering --report overlay.html"
    assert line in " ".join(page.split())
    command_line(line, tmp_path)
    assert not wrong, "\n".join(wrong)
