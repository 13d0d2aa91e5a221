"""A simulation is made of parts that know each other by their public names."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import jounce
from jounce.runtime.simulation import Simulation

SOURCE = Path(jounce.__file__).parent


def private_names(path: Path) -> list[str]:
    """Private attributes that a file reads from something other than its own object."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.endswith("_"):
            owner = node.value.id if isinstance(node.value, ast.Name) else ""
            if owner not in ("self", "cls"):
                found.append(f"{path.name}:{node.lineno} {ast.unparse(node)}")
    return found


@pytest.mark.parametrize("path", sorted((SOURCE / "runtime").glob("*.py")), ids=lambda path: path.stem)
def test_no_module_of_the_runtime_reaches_into_another(path: Path) -> None:
    assert private_names(path) == []


@pytest.mark.parametrize("folder", ["sim", "events", "rigs", "bench", "verify", "cli"])
def test_nobody_uses_private_attributes_of_a_simulation(folder: str) -> None:
    names = [name for path in sorted((SOURCE / folder).rglob("*.py")) for name in private_names(path)]
    assert [name for name in names if any(f" {who}._" in name for who in ("sim", "simulation", "source"))] == []


def test_a_simulation_keeps_nothing_private() -> None:
    assert [name for name in vars(Simulation) if name.startswith("_") and not name.startswith("__")] == []
