"""How many planted faults the tests notice: a seeded sample of single mutations of the package, Python and C.

    make mutate                                      100 faults of everything, seed 1
    make mutate ARGS="--seed 7 --count 20 --only runtime"
    make mutate ARGS="--until own"                   minutes instead of hours: only the nearest tests

Every fault is planted alone into a copy of the source tree. Tests go from near to far and stop at the first that fails:
those of the file and those that import it (``own``), pages made from the code (``documents``), its ``folder``, its
``layer``, the layers ``above``, all other pages. No test runs twice. A fault is killed by a failing test or by a run
that takes longer than its limit. Tests marked ``slow`` take part only with ``--slow``. Results go to
``build/mutants/<seed>.jsonl`` as they come; a run that was interrupted goes on where it stopped, and one that asks
farther tests than the last goes on with the survivors. Faults that change nothing anybody can see are listed in
``tools/equivalent_mutants.csv``, each with its reason, and do not count.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tomllib
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from mutants import Mutant, mutants

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "src/jounce"
EQUIVALENT = ROOT / "tools" / "equivalent_mutants.csv"
SOURCES = (".py", ".c", ".h")
STAGES = ("own", "documents", "folder", "layer", "above")
LIMITS = {"own": 400, "documents": 400}  # s of processor time for one call of pytest: several times what those need
LIMIT = 3600  # s for all others
NOTHING_RAN, FAILED, PASSED = 5, 1, 0


# ---- which -------------------------------------------------------------------------------------------------------


def sources(root: Path, only: str = "") -> list[str]:
    """Sources of the package, below a folder of it."""
    found = (p for p in (root / PACKAGE / only).rglob("*") if p.suffix in SOURCES)
    return sorted(p.relative_to(root).as_posix() for p in found)


def sample(root: Path, seed: int, count: int, only: str = "") -> list[Mutant]:
    """A random sample of faults, every place of the code equally likely, one a line at most, without those listed.

    The order is that of digests of seed and fault: a change of the code changes the sample only where the code changed.
    """
    known = equivalent()
    texts = {path: (root / path).read_bytes() for path in sources(root, only)}
    every = [item for path, text in texts.items() for item in _drawn(seed, path, text)]
    every = [item for _, item in sorted(every)]
    chosen: list[Mutant] = []
    lines: set[tuple[str, int]] = set()
    for item in every:
        number, before, after = item.lines(texts[item.path])
        if (item.path, number) in lines or (item.path, before, after) in known:
            continue
        lines.add((item.path, number))
        chosen.append(item)
        if len(chosen) == count:
            break
    return chosen


def _drawn(seed: int, path: str, text: bytes) -> Iterator[tuple[bytes, Mutant]]:
    """Faults of a file with their places in the order of a sample."""
    lines = text.splitlines(keepends=True)
    starts = list(accumulate((len(line) for line in lines), initial=0))
    seen: Counter[bytes] = Counter()
    for item in mutants(path, text):
        at = bisect_right(starts, item.start) - 1
        words = [seed, path, lines[at].strip(), item.start - starts[at], item.end - item.start, item.text]
        told = repr(words).encode()
        seen[told] += 1  # a line may stand twice in a file
        yield hashlib.sha256(told + b"%d" % seen[told]).digest(), item


def equivalent() -> set[tuple[str, str, str]]:
    """Faults that make no difference: file, line before, line after."""
    with EQUIVALENT.open(newline="", encoding="utf-8") as file:
        return {(row["path"], row["before"], row["after"]) for row in csv.DictReader(file)}


# ---- with which tests --------------------------------------------------------------------------------------------


def layers(root: Path) -> list[list[str]]:
    """Folders of the package from below, as the contract of the layers has them."""
    data = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    rows = data["tool"]["importlinter"]["contracts"][0]["layers"]
    return [[name.strip() for name in row.split("|")] for row in reversed(rows)]


def stages(root: Path, path: str) -> Iterator[tuple[str, list[str]]]:
    """Tests that may notice a fault of a file, from near to far: a word, and what pytest is given."""
    inside = Path(path).relative_to(PACKAGE)
    folder = inside.parts[0] if len(inside.parts) > 1 else ""
    near = [p for p in _near(root, inside) if p.exists()]
    if near:
        yield "own", [p.relative_to(root).as_posix() for p in near]
    yield "documents", [p.relative_to(root).as_posix() for p in sorted((root / "tests").glob("test_*_docs.py"))]
    rows = layers(root)
    at = next((i for i, row in enumerate(rows) if folder in row), 0)
    if len(inside.parts) > 2 and (root / "tests" / inside.parent).is_dir():
        yield "folder", [f"tests/{inside.parent.as_posix()}"]
    beside = [name for name in rows[at] if name != folder]  # the layer of a file first, then who shares its row
    for word, names in [("layer", [folder]), *(("above", row) for row in (beside, *rows[at + 1 :]))]:
        there = [f"tests/{name}" for name in names if name and (root / "tests" / name).is_dir()]
        if there:
            yield word, there
    yield "above", [p.relative_to(root).as_posix() for p in sorted((root / "tests").iterdir()) if _is_page(p, rows)]


def _is_page(path: Path, rows: list[list[str]]) -> bool:
    """Tests that belong to no layer: pages, examples, the library."""
    inside = any(path.name in row for row in rows)
    return (path.is_dir() and not inside and any(path.rglob("test_*.py"))) or (
        path.suffix == ".py" and path.name.startswith("test_")
    )


def _near(root: Path, inside: Path) -> list[Path]:
    """The tests of a file, and those that import it by name; of C those of all that names it, and of its users."""
    stem = inside.stem.lstrip("_")
    own = [root / "tests" / inside.parent / f"test_{stem}.py"]
    if inside.suffix == ".py":
        module = f"jounce.{'.'.join(inside.with_suffix('').parts)}"
        parent, _, name = module.rpartition(".")
        said = re.compile(
            rf"{re.escape(module)} import|import {re.escape(module)}|from {re.escape(parent)} import.*\b{name}\b"
        )
        below = root / "tests" / (inside.parts[0] if len(inside.parts) > 1 else "")
        using = [p for p in sorted(below.rglob("test_*.py")) if said.search(p.read_text(encoding="utf-8"))]
    else:
        named = _naming(root, inside.name)
        using = [p for p in sorted((root / "tests").rglob("test_*.py")) if named(p)]
        using = [p for p in using if p.name != "test_mutants.py"]
        own = [root / "tests/runtime" / f"test_{stem.removeprefix('jn_')}_c.py"]
        for user in sorted((root / PACKAGE).rglob("*.py")):
            if named(user):
                using += [p for p in _near(root, user.relative_to(root / PACKAGE)) if p not in using]
    return [*own, *(p for p in using if p not in own)]


def _naming(root: Path, name: str) -> Callable[[Path], bool]:
    """Whether a file names one of C, or another of C that includes it."""
    names = {name}
    texts = {p.name: p.read_text(encoding="utf-8") for p in (root / PACKAGE / "runtime").rglob("*.[ch]")}
    while more := {n for n, text in texts.items() if any(f'"{known}"' in text for known in names)} - names:
        names |= more
    return lambda p: any(f"{name}" in p.read_text(encoding="utf-8") for name in names)


# ---- the run -----------------------------------------------------------------------------------------------------


@dataclass
class Field:
    """A copy of the source tree in which faults are planted, one after the other."""

    root: Path
    jobs: int
    slow: bool

    @classmethod
    def prepared(cls, root: Path, jobs: int, slow: bool) -> Field:
        shutil.rmtree(root, ignore_errors=True)
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
        for name in filter(None, listed.split("\0")):
            if (ROOT / name).is_file():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, root / name)
        return cls(root, jobs, slow)

    def tests(self, what: list[str], done: list[str], limit: int) -> tuple[int, str]:
        """The exit code of pytest without what is done, and what it says first of a failure."""
        chosen = [] if self.slow else ["-m", "not slow"]
        many = ["-n", str(self.jobs), "--dist", "worksteal"] if self.jobs > 1 else []
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.root / "src"),
            "JOUNCE_TEST_CACHE": os.environ.get("JOUNCE_TEST_CACHE") or str(ROOT / "build" / "mutants" / "cache"),
            "PYTHONDONTWRITEBYTECODE": "1",  # a fault and its source may have the same length and second
        }
        flags = ["-x", "-q", "--no-header", "-p", "no:cacheprovider", *chosen, *many]
        command = [sys.executable, "-m", "pytest", *flags, *(f"--ignore={path}" for path in done), *what]

        def limited() -> None:  # what hangs works; waiting for others is no fault
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))

        run = subprocess.run(
            command, cwd=self.root, env=environment, capture_output=True, text=True, preexec_fn=limited
        )
        if run.returncode < 0:
            return FAILED, "took too long"
        said = [line for line in run.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
        return run.returncode, said[0] if said else (run.stdout + run.stderr).strip()[-200:]

    def judged(self, fault: Mutant, after: str = "", until: str = STAGES[-1]) -> dict[str, object]:
        """Whether tests notice a fault, which, and how near they are; those after a stage until another."""
        place = self.root / fault.path
        source = place.read_bytes()
        number, before, changed = fault.lines(source)
        result: dict[str, object] = {
            "path": fault.path, "line": number, "before": before, "after": changed, "kind": fault.kind, "killed": False,
            "until": until,
        }  # fmt: skip
        place.write_bytes(fault.applied(source))
        done: list[str] = []
        try:
            for word, what in stages(self.root, fault.path):
                wanted = STAGES.index(word) <= STAGES.index(until) and (
                    not after or STAGES.index(word) > STAGES.index(after)
                )
                if wanted and (left := [path for path in what if path not in done]):
                    code, said = self.tests(left, done, LIMITS.get(word, LIMIT))
                    if code not in (PASSED, NOTHING_RAN):
                        return {**result, "killed": True, "stage": word, "by": said}
                done += what
        finally:
            place.write_bytes(source)
        return result


def score(rows: list[dict[str, object]]) -> str:
    """A table: per folder how many faults were noticed."""
    folders: dict[str, list[bool]] = {}
    for row in rows:
        folders.setdefault(Path(str(row["path"])).relative_to(PACKAGE).parts[0], []).append(bool(row["killed"]))
    lines = [f"{name:12} {sum(found):4d} of {len(found):4d}" for name, found in sorted(folders.items())]
    killed = sum(bool(row["killed"]) for row in rows)
    return "\n".join([*lines, f"{'all':12} {killed:4d} of {len(rows):4d}   {killed / max(len(rows), 1):.0%}"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--only", default="", help="a folder of the package")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes of pytest")
    parser.add_argument("--slow", action="store_true", help="also tests marked slow")
    parser.add_argument("--until", choices=STAGES, default=STAGES[-1], help="the farthest tests")
    parser.add_argument("--again", action="store_true", help="survivors of earlier runs once more, with today's tests")
    parser.add_argument("--list", action="store_true", help="only show the faults")
    chosen = parser.parse_args()

    faults = sample(ROOT, chosen.seed, chosen.count, chosen.only)
    if chosen.list:
        for fault in faults:
            print(fault.path, *fault.lines((ROOT / fault.path).read_bytes()), sep=" | ")
        return
    folder = ROOT / "build" / "mutants"
    folder.mkdir(parents=True, exist_ok=True)
    report = folder / f"{chosen.seed}{'-' + chosen.only.replace('/', '-') if chosen.only else ''}.jsonl"
    rows = _read(report)
    field = Field.prepared(folder / f"field-{report.stem}", chosen.jobs, chosen.slow)
    for i, fault in enumerate(faults):
        number, before, after = key = fault.lines((ROOT / fault.path).read_bytes())
        known = rows.get((fault.path, *key[1:]))
        if known and chosen.again and not known["killed"]:
            known = None
        if known and (known["killed"] or STAGES.index(str(known["until"])) >= STAGES.index(chosen.until)):
            continue
        row = field.judged(fault, str(known["until"]) if known else "", chosen.until)
        rows[fault.path, before, after] = row
        with report.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        word = f"killed by {row.get('by')}" if row["killed"] else f"SURVIVED {chosen.until}"
        print(f"{i + 1}/{len(faults)} {fault.path}:{number}: {before} -> {after}: {word}", flush=True)
    places = {(f.path, *f.lines((ROOT / f.path).read_bytes())[1:]) for f in faults}
    print(score([row for key, row in rows.items() if key in places]))


def _read(report: Path) -> dict[tuple[str, str, str], dict[str, object]]:
    """What is known of faults: path, line before and after; the last word counts."""
    lines = report.read_text(encoding="utf-8").splitlines() if report.exists() else []
    return {(row["path"], row["before"], row["after"]): row for row in map(json.loads, lines)}


if __name__ == "__main__":
    main()
