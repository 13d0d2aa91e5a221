"""Which key figures a test would notice if they were wrong: every figure is made wrong, alone, and its tests run again.

    python tools/figures_noticed.py tests/results tests/events -m "not slow"

A plugin of pytest: after a test has passed, it is called once more for every figure that it made, with that figure one
per cent larger, until some test fails for it. Figures are found as they are made; those that fixtures made before a
test are not seen by it. Printed are the figures that nothing noticed, each with a test that makes it, and those whose
names stand in the code and that no test made. A test that takes longer than ``--longest`` seconds is not repeated.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jounce.results.figures import Figures

ROOT = Path(__file__).resolve().parent.parent
WRONG = 1.01


class Plugin:
    """Figures made wrong one at a time."""

    def __init__(self, longest: float) -> None:
        self.longest = longest
        self.noticed: dict[str, str] = {}  # by name of the figure: test
        self.made: dict[str, str] = {}
        self._now: set[str] = set()
        self._wrong = ""
        put = Figures.put
        plugin = self

        def watched(figures: Figures, name: str, value: float, unit: str) -> None:
            plugin._now.add(name)
            if name == plugin._wrong:
                value = WRONG * value if value else 1e-3
            put(figures, name, value, unit)

        Figures.put = watched  # type: ignore[method-assign]

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Iterator[None]:
        self._now, begin = set(), time.monotonic()
        found = yield  # raises where the test fails
        took = time.monotonic() - begin
        names = sorted(self._now)
        for name in names:
            self.made.setdefault(name, pyfuncitem.nodeid)
        wanted = inspect.signature(pyfuncitem.obj).parameters
        given: dict[str, Any] = {key: pyfuncitem.funcargs[key] for key in wanted if key in pyfuncitem.funcargs}
        for name in names if took < self.longest else ():
            if name in self.noticed:
                continue
            self._wrong = name
            try:
                pyfuncitem.obj(**given)
            except (Exception, pytest.fail.Exception):
                self.noticed[name] = pyfuncitem.nodeid
            finally:
                self._wrong = ""
        return found


def names(root: Path) -> Iterator[tuple[str, re.Pattern[str]]]:
    """Names of figures as they stand in calls of ``put``: where, and what they may be."""
    for path in sorted((root / "src/jounce").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "put" and len(node.args) == 3:
                place = f"{path.relative_to(root)}:{node.lineno}"
                if isinstance(name := node.args[0], ast.Constant):
                    yield place, re.compile(re.escape(str(name.value)))
                elif isinstance(name, ast.JoinedStr):
                    parts = [re.escape(v.value) if isinstance(v, ast.Constant) else ".*" for v in name.values]
                    yield place, re.compile("".join(parts))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--longest", type=float, default=2.0, help="s, tests that take longer are not repeated")
    chosen, others = parser.parse_known_args()
    plugin = Plugin(chosen.longest)
    code = pytest.main(["-q", "-p", "no:cacheprovider", *others], plugins=[plugin])
    unseen = {name: test for name, test in plugin.made.items() if name not in plugin.noticed}
    print(f"{len(plugin.noticed)} of {len(plugin.made)} figures are noticed")
    for name, test in sorted(unseen.items(), key=lambda item: item[1]):
        print(f"  not noticed: {name:36} {test}")
    for place, pattern in names(ROOT):
        if not any(pattern.fullmatch(name) for name in plugin.made):
            print(f"  not made: {pattern.pattern:36} {place}")
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
