"""What docs/architecture.md names is there: paths, equations, names, layers."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "jounce"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
CODE = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)+|[\w-]+\.(?:toml|md)")
EQUATIONS = re.compile(r"`([\w/.]+\.py)` \(((?:\d+\w?\)(?:, \()?)+)")
NAME = re.compile(r"jounce(?:\.\w+)+")
GROUPS = ("jounce.parts", "jounce.events", "jounce.tires")  # of entry points; also names of packages, or of nothing


def paths() -> list[str]:
    return sorted({code for code in CODE.findall(PAGE) if PATH.fullmatch(code)})


def names() -> list[str]:
    found = {code.split("(")[0] for code in CODE.findall(PAGE)}
    return sorted(name for name in found if NAME.fullmatch(name) and name not in GROUPS)


def equations() -> Iterator[tuple[str, str]]:
    for path, numbers in EQUATIONS.findall(PAGE):
        yield from ((path, number) for number in re.findall(r"\d+\w?", numbers))


def section(title: str) -> str:
    return PAGE.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]


def rows(title: str) -> list[list[str]]:
    """Cells of the first table of a section, without its head."""
    lines = [line for line in section(title).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


@pytest.mark.parametrize("path", paths())
def test_every_path_exists(path: str) -> None:
    assert any((root / path).exists() for root in (ROOT, PACKAGE)), path


@pytest.mark.parametrize(("path", "number"), sorted(set(equations())))
def test_every_equation_stands_in_the_head_of_its_file(path: str, number: str) -> None:
    head = ast.get_docstring(ast.parse((PACKAGE / path).read_text(encoding="utf-8"))) or ""
    assert any(line.rstrip().endswith(f"({number})") for line in head.splitlines()), f"{path} has no ({number})"


@pytest.mark.parametrize("name", names())
def test_every_name_exists(name: str) -> None:
    module, _, attribute = name.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), attribute, None)
    except ModuleNotFoundError:
        found = None
    assert found is not None or importlib.util.find_spec(name) is not None, name


@pytest.mark.parametrize("name", ["strained", "sticks", "rolls"])
def test_scopes_have_the_methods_of_roles(name: str) -> None:
    from jounce.symbolic.system import Scope

    assert f"`Scope.{name}`" in PAGE
    assert callable(getattr(Scope, name))


def test_signals_and_ports_are_where_the_page_says() -> None:
    from jounce.components.model import Signals, VehicleModel

    for code in ("Signals.provide", "Signals.read", "VehicleModel.through", "VehicleModel.outside"):
        owner, _, method = code.partition(".")
        assert f"`{code}`" in PAGE
        assert callable(getattr({"Signals": Signals, "VehicleModel": VehicleModel}[owner], method))


def test_the_phases_are_those_of_the_assembly() -> None:
    from jounce.vehicle.assembly import PHASES

    assert ", ".join(PHASES) in section("From a description to C")


def test_the_layers_are_those_of_the_contract() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = project["tool"]["importlinter"]["contracts"]
    wanted = [[name.strip() for name in line.split("|")] for line in contract["layers"]]
    assert [CODE.findall(row[0]) for row in rows("Layers")] == wanted


def test_there_are_enough_equations() -> None:
    listed = rows("Where each equation stands")
    assert len(listed) >= 30
    for what, where in listed:
        assert CODE.search(where), f"{what}: names no file"
