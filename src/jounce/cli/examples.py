"""`jounce examples`: what there is to try, and whether all of it runs.

Examples are programs of the source tree, pages of the documentation have blocks of Python that can be pasted, stories
are rows `wf/…` of the ledger with their tests. Each runs in a process of its own, without a screen.
"""

from __future__ import annotations

import ast
import builtins
import csv
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

KINDS = ("example", "page", "story")
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
WALKED = ("tutorial.md",)  # its reader edits files between its blocks: a test walks it from top to bottom
# one process for a page, as its imports cost more than most blocks; each has its own names
PASTED = "import runpy, sys\nfor path in sys.argv[1:]:\n    runpy.run_path(path, run_name='__main__')\n"


@dataclass
class Item:
    """Something that can be run."""

    kind: str
    name: str
    says: str
    status: str = ""
    seconds: float = 0.0
    problem: str = ""


def examples(
    action: Annotated[str, typer.Argument(help="list or test.")] = "list",
    only: Annotated[list[str] | None, typer.Option(help="Kinds (example, page, story) or parts of names.")] = None,
    folder: Annotated[Path | None, typer.Option(help="Source tree; default: that of this installation.")] = None,
    out: Annotated[Path | None, typer.Option(help="CSV file for kind, name, status and seconds of each.")] = None,
    timeout: Annotated[float, typer.Option(help="Seconds that one of them may take.")] = 1200.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """List examples, pages with programs and stories, or run all of them and tell how long each took."""
    import json

    from jounce.core.errors import ParameterError, did_you_mean

    if action not in ("list", "test"):
        raise ParameterError(f"examples {action}: unknown{did_you_mean(action, ('list', 'test'))}")
    root = source_tree() if folder is None else folder
    if not (root / "examples").is_dir():
        raise ParameterError(f"{root}: no source tree with examples; clone the repository, or say --folder")
    known = list(found(root))
    chosen = [item for item in known if not only or any(w in (item.kind, item.name) or w in item.name for w in only)]
    if not chosen:
        raise ParameterError(f"--only {' '.join(only or ())}: none of {len(known)} examples, pages and stories")
    for item in chosen if action == "test" else ():
        begun = time.perf_counter()
        item.problem = run(root, item, timeout)
        item.seconds = round(time.perf_counter() - begun, 2)
        item.status = "failed" if item.problem else "passed"
        if not as_json:
            typer.echo(f"{item.status:7} {item.seconds:8.1f} s  {item.kind:8} {item.name}")
            if item.problem:
                typer.echo(item.problem)
    if out is not None:
        rows = [[item.kind, item.name, item.status, item.seconds] for item in chosen]
        with out.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([["kind", "name", "status", "seconds"], *rows])
    if as_json:
        typer.echo(json.dumps([asdict(item) for item in chosen]))
    elif action == "list":
        for item in chosen:
            typer.echo(f"{item.kind:8} {item.name:34} {item.says}")
    failed = [item.name for item in chosen if item.status == "failed"]
    if action == "test" and not as_json:
        total = sum(item.seconds for item in chosen)
        typer.echo(f"{len(chosen) - len(failed)} of {len(chosen)} passed in {total:.1f} s")
    if failed:
        raise typer.Exit(1)


def source_tree() -> Path:
    """Where the sources of this installation are, if they are there."""
    return Path(__file__).resolve().parents[3]


def found(root: Path) -> Iterator[Item]:
    """Everything that can be run, by folder, page and ledger."""
    for path in sorted((root / "examples").glob("[0-9]*.py")):
        says = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        yield Item("example", path.stem, says.split("\n")[0])
    for path in sorted((root / "docs").rglob("*.md")) if (root / "docs").is_dir() else ():
        count = len(blocks(path))
        if count:
            yield Item("page", path.relative_to(root / "docs").as_posix(), f"{count} programs")
    ledger = root / "docs" / "features.csv"
    if ledger.is_file():
        with ledger.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                if row["key"].startswith("wf/") and row["test"]:
                    yield Item("story", row["key"], row["feature"])


def blocks(page: Path) -> list[str]:
    """Programs of a page: blocks that use no name of another one."""
    if page.name in WALKED:
        return []
    return [block for block in BLOCK.findall(page.read_text(encoding="utf-8")) if is_program(block)]


def is_program(block: str) -> bool:
    """Whether a block stands by itself: it imports first, defines every name that it uses, and needs no file."""
    if block.startswith("# needs "):
        return False
    tree = ast.parse(block)
    if not tree.body or not isinstance(tree.body[0], ast.Import | ast.ImportFrom):
        return False
    known: set[str] = set(dir(builtins))
    used: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            known |= {(name.asname or name.name).split(".")[0] for name in node.names}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            known.add(node.name)
        elif isinstance(node, ast.arg):
            known.add(node.arg)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            known.add(node.name)
        elif isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else known).add(node.id)
    return used <= known


def run(root: Path, item: Item, timeout: float) -> str:
    """What went wrong; empty: nothing."""
    with tempfile.TemporaryDirectory(prefix="jounce-examples-") as folder:
        where = Path(folder)
        if item.kind == "example":
            command = [str(root / "examples" / f"{item.name}.py")]
        elif item.kind == "page":
            paths = []
            for i, block in enumerate(blocks(root / "docs" / item.name)):
                paths.append(where / f"program_{i + 1}.py")
                paths[-1].write_text(block, encoding="utf-8")
            command = ["-c", PASTED, *map(str, paths)]
        else:
            with (root / "docs" / "features.csv").open(encoding="utf-8", newline="") as file:
                row = next(row for row in csv.DictReader(file) if row["key"] == item.name)
            command, where = ["-m", "pytest", "-q", "-p", "no:cacheprovider", *row["test"].split(";")], root
        # no screen: figures are drawn into files
        headless = {**os.environ, "MPLBACKEND": "Agg"}
        try:
            done = subprocess.run(
                [sys.executable, *command], cwd=where, env=headless, capture_output=True, text=True, timeout=timeout,
                check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"still running after {timeout:g} s"
    return "" if done.returncode == 0 else (done.stdout + done.stderr)[-3000:] or f"exit code {done.returncode}"
