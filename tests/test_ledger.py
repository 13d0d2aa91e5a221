"""The ledger of features: complete, well formed, and honest about its tests."""

from __future__ import annotations

import ast
import csv
from collections import Counter
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LEDGER = ROOT / "docs" / "features.csv"
STATUSES = {"missing", "partial", "done"}
ROWS = 1063


def rows() -> list[dict[str, str]]:
    with LEDGER.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, strict=True))


def nodes_of(row: dict[str, str]) -> list[str]:
    """Return the node ids of a row; several are separated by semicolons outside of [parameters]."""
    found, depth, current = [], 0, ""
    for letter in row["test"]:
        depth += (letter == "[") - (letter == "]")
        if letter == ";" and depth == 0:
            found.append(current)
            current = ""
        else:
            current += letter
    return [node.strip() for node in [*found, current] if node.strip()]


@cache
def collected_in(path: Path) -> frozenset[str]:
    """Return ``test_x``, ``TestY``, ``TestY::test_z`` of a file as pytest would collect them, without importing it."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)

    def collect(body: list[ast.stmt], prefix: str) -> set[str]:
        names: set[str] = set()
        for item in body:
            if isinstance(item, functions) and item.name.startswith("test"):
                names.add(prefix + item.name)
            elif isinstance(item, ast.ClassDef) and item.name.startswith("Test"):
                names |= {prefix + item.name, *collect(item.body, f"{prefix}{item.name}::")}
        return names

    return frozenset(collect(ast.parse(path.read_text(encoding="utf-8")).body, ""))


def exists(node: str) -> bool:
    """Tell whether a node id names a file, or a test in it; parameters in brackets are not looked at."""
    file, _, rest = node.partition("::")
    path = ROOT / file
    if not file.startswith("tests/") or not Path(file).name.startswith("test_") or not path.is_file():
        return False
    return not rest or rest.split("[", 1)[0] in collected_in(path)


def test_the_ledger_is_complete_and_well_formed() -> None:
    ledger = rows()
    assert list(ledger[0]) == ["key", "feature", "status", "test", "note"]
    assert len(ledger) == ROWS
    assert not [key for key, count in Counter(row["key"] for row in ledger).items() if count > 1]
    wrong = [
        row["key"] for row in ledger if None in row or None in row.values() or not row["key"] or not row["feature"]
    ]
    assert not wrong, f"rows with too many, too few or empty columns: {wrong}"


def test_every_status_is_known() -> None:
    assert not {row["key"]: row["status"] for row in rows() if row["status"] not in STATUSES}


def test_done_names_a_test_and_partial_says_what_is_lacking() -> None:
    ledger = rows()
    assert not [row["key"] for row in ledger if row["status"] == "done" and not nodes_of(row)]
    assert not [row["key"] for row in ledger if row["status"] == "partial" and not row["note"].strip()]
    assert not [row["key"] for row in ledger if row["status"] == "missing" and row["test"]]


def test_every_named_test_exists() -> None:
    named = {row["key"]: [node for node in nodes_of(row) if not exists(node)] for row in rows()}
    assert not {key: nodes for key, nodes in named.items() if nodes}


class TestNodeIds:
    """The check itself, on this file."""

    def test_finds_functions_classes_methods_and_parameters(self) -> None:
        here = "tests/test_ledger.py"
        for rest in ("", "::test_every_status_is_known", "::TestNodeIds", "::test_every_status_is_known[a;b]"):
            assert exists(here + rest), rest
        assert exists(f"{here}::TestNodeIds::test_finds_functions_classes_methods_and_parameters")

    def test_refuses_what_is_not_there(self) -> None:
        for node in (
            "tests/test_nothing.py",
            "tests/test_ledger.py::test_x",
            "tests/test_ledger.py::exists",
            "README.md",
        ):
            assert not exists(node), node

    def test_several_nodes_are_separated_by_semicolons(self) -> None:
        assert nodes_of({"test": "a::b[1;2]; c::d ;"}) == ["a::b[1;2]", "c::d"]
