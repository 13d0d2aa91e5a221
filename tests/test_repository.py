"""Promises of the repository itself: two commands, one build script, short decisions, nothing tied to one machine."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DECISIONS = ROOT / "docs" / "decisions"
MAX_DECISION_LINES = 25


def text(path: str | Path) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def files() -> list[Path]:
    """Return what is, or could be, under version control; outside a clone, everything that is no build product."""
    found: list[Path] = []
    if shutil.which("git") and (ROOT / ".git").exists():
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listing = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
        found = [ROOT / name for name in os.fsdecode(listing.stdout).split("\0") if name]
    if not found:
        for folder, below, names in os.walk(ROOT):
            below[:] = [n for n in below if n == ".ci" or not n.startswith((".", "__pycache__", "build", "dist"))]
            found += [Path(folder) / name for name in names]
    return [path for path in found if path.is_file() and not path.is_symlink()]


def test_the_readme_shows_both_commands() -> None:
    readme = text("README.md")
    assert re.search(r"^make run\b", readme, re.MULTILINE)
    assert re.search(r"^make test\b", readme, re.MULTILINE)


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
@pytest.mark.parametrize("target", ["run", "test", "test-all", "bench", "lint", "clean", "help"])
def test_every_promised_target_exists(target: str) -> None:
    plain = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    done = subprocess.run(["make", "-n", target], cwd=ROOT, env=plain, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_build_script_runs_make_test() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    lines = script.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "#!/usr/bin/env bash"
    assert "set -euo pipefail" in lines
    assert "make test" in lines


def test_nothing_points_to_one_machine() -> None:
    # absolute home or working folders, and folders beside the clone; written apart so as not to find this line
    machine = re.compile(r"(?<![\w)\]}>.])/(?:" + "|".join(["work", "home", "root"]) + r")/|\.\./" + "shared")
    found = []
    for path in files():
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue  # pictures and the like
        found += [f"{path.relative_to(ROOT)}:{n}: {line}" for n, line in enumerate(lines, 1) if machine.search(line)]
    assert not found, "\n".join(found)


def test_decisions_are_numbered_short_and_listed() -> None:
    records = sorted(path for path in DECISIONS.glob("*.md") if path.name != "README.md")
    index = text(DECISIONS / "README.md")
    numbers = [int(path.name[:4]) for path in records]
    assert len(set(numbers)) == len(numbers), "two have one number"  # some are given out before they are used
    for number, path in zip(numbers, records, strict=True):
        lines = path.read_text(encoding="utf-8").splitlines()
        assert re.fullmatch(rf"{number:04d}-[a-z0-9-]+\.md", path.name)
        assert lines[0].startswith(f"# {number:04d} ")
        assert len(lines) <= MAX_DECISION_LINES, f"{path.name}: {len(lines)} lines"
        assert path.name in index, f"{path.name} is missing in docs/decisions/README.md"


def test_every_dependency_has_its_licence_noted() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        data = tomllib.load(file)
    declared = [*data["build-system"]["requires"], *data["project"]["dependencies"]]
    for extra in data["project"]["optional-dependencies"].values():
        declared += extra
    names = {re.split(r"[\s\[<>=!~;]", item, maxsplit=1)[0] for item in declared} - {"jounce"}
    for file in (ROOT / "src" / "jounce" / "app").glob("**/vendor.json"):
        names |= {item["package"] for item in json.loads(file.read_text(encoding="utf-8"))}
    noted = set(re.findall(r"^\| ([a-z][\w.-]*) \|", text("docs/licences.md"), re.MULTILINE)) - {"package"}
    assert names == noted


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "docs/decisions/README.md"])
def test_links_between_pages_lead_somewhere(page: str) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text(page)):
        if not target.startswith("http"):
            assert ((ROOT / page).parent / target).exists(), target


def test_changelog_begins_with_unreleased_and_its_scariest_section() -> None:
    changelog = text("CHANGELOG.md")
    headings = re.findall(r"^## (.+)$", changelog, re.MULTILINE)
    assert headings[0] == "Unreleased"
    order = ["Breaking", "Deprecated", "Features", "Fixes", "Speed"]
    first = re.split(r"^## ", changelog, flags=re.MULTILINE)[1]
    found = re.findall(r"^### (.+)$", first, re.MULTILINE)
    assert found == [section for section in order if section in found]


def test_no_test_looks_at_the_clock() -> None:
    """Machines are busy: work is counted (``counting.calls``), and times are figures of ``jounce bench``."""
    clock = re.compile(
        r"perf_counter|monotonic\(|process_time|thread_time|default_timer|\btimeit\b|deadline=\s*\d|wall_time\b.*[<>]"
        r"|\.seconds\b.*[<>]"
    )
    ages = re.compile(r"\btime\.time\(\)")  # of files, to make them old
    found = []
    for path in files():
        if path.suffix != ".py" or not path.is_relative_to(ROOT / "tests") or path == Path(__file__):
            continue
        text_of = path.read_text(encoding="utf-8")
        for n, line in enumerate(text_of.splitlines(), 1):
            if clock.search(line) or (ages.search(line) and "os.utime" not in text_of):
                found.append(f"{path.relative_to(ROOT)}:{n}: {line.strip()}")
    assert not found, "\n".join(found)
