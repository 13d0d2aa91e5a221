"""No key figure without a test that compares it: figures and tests are found, not listed.

`tools/figures_noticed.py` measures more, and takes longer: whether some test fails where a figure is one per cent off.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from figures_noticed import names  # noqa: E402

COMPARES = ("approx(", "allclose(", "== ")


def compared() -> Iterator[str]:
    """Words of tests that compare something, and of tables of such tests."""
    for path in sorted((ROOT / "tests").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if not any(word in text for word in ("igures", "kpis", "found", "Trial")):
            continue
        lines = text.splitlines()
        for node in ast.parse(text).body:
            told = "\n".join(lines[node.lineno - 1 : node.end_lineno])
            if isinstance(node, ast.Assign) or any(word in told for word in COMPARES):
                for part in ast.walk(node):
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        yield part.value
                    elif isinstance(part, ast.keyword) and part.arg:
                        yield part.arg
                    elif isinstance(part, ast.JoinedStr):  # f"release_{name}_rest"
                        yield "x".join(str(v.value) for v in part.values if isinstance(v, ast.Constant))


def test_every_figure_is_compared_with_something() -> None:
    known = set(compared())
    figures = list(names(ROOT))
    assert len(figures) > 150
    missing = [f"{pattern.pattern}  {place}" for place, pattern in figures if not any(map(pattern.fullmatch, known))]
    assert not missing, "\n".join(missing)
