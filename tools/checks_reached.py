"""Which checks no test needs: statements that refuse or complain, and that no test has ever run.

    python tools/checks_reached.py --only files --only core tests/files tests/core -m "not slow"

A plugin of pytest: modules of the package are marked as they are imported, before every ``raise`` and before every
call that reports a problem; nothing on the disk changes, so compiled models stay valid. Printed are the statements of
the folders asked for that were not run, and how many there are. Processes that a test starts are not seen.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "jounce"
REPORTS = ("error", "warning", "warn", "missing")  # calls of reports and figures that say what is wrong
Place = tuple[str, int]


class _Marked(ast.NodeTransformer):
    """Code that tells before it refuses."""

    def __init__(self, path: str, known: set[Place]) -> None:
        self.path, self.known = path, known

    def _before(self, node: ast.stmt) -> list[ast.stmt]:
        self.known.add((self.path, node.lineno))
        mark = ast.parse(f"_reached({self.path!r}, {node.lineno})").body[0]
        for part in ast.walk(mark):
            if hasattr(part, "lineno"):
                ast.copy_location(part, node)
        return [mark, node]

    def visit_Raise(self, node: ast.Raise) -> Any:
        return self._before(node) if node.exc is not None else node

    def visit_Expr(self, node: ast.Expr) -> Any:
        call = node.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in REPORTS:
            return self._before(node)
        return node


class _Loader(importlib.machinery.SourceFileLoader):
    known: set[Place]

    def path_stats(self, path: str) -> Any:
        raise OSError  # compiled files on the disk have no marks

    def source_to_code(self, data: Any, path: Any, *, _optimize: int = -1) -> CodeType:
        tree = _Marked(str(path), self.known).visit(ast.parse(data, str(path)))
        return compile(tree, path, "exec", dont_inherit=True, optimize=_optimize)


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, known: set[Place]) -> None:
        self.known = known

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        if name.partition(".")[0] != PACKAGE:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
            return spec
        loader = _Loader(name, spec.origin)
        loader.known = self.known
        return importlib.util.spec_from_file_location(
            name, spec.origin, loader=loader, submodule_search_locations=spec.submodule_search_locations
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[], help="a folder of the package, may come again")
    chosen, others = parser.parse_known_args()
    known: set[Place] = set()
    reached: set[Place] = set()
    builtins._reached = lambda path, line: reached.add((path, line))  # type: ignore[attr-defined]
    assert PACKAGE not in sys.modules
    sys.meta_path.insert(0, _Finder(known))
    code = pytest.main(["-q", "-p", "no:cacheprovider", *others])
    inside = [str(ROOT / "src" / PACKAGE / name) for name in chosen.only or [""]]
    known = {place for place in known if place[0].startswith(tuple(inside))}
    for path, line in sorted(known - reached):
        text = Path(path).read_text(encoding="utf-8").splitlines()[line - 1].strip()
        print(f"{Path(path).relative_to(ROOT)}:{line}: {text}")
    print(f"{len(known & reached)} of {len(known)} checks were reached")
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
