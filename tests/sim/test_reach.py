"""Which code of the package is in the key of a model: what describes it, all of that, and nothing else."""

from __future__ import annotations

import dataclasses
import importlib.machinery
import os
import shutil
import sys
import textwrap
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import jounce as jn
from jounce.sim import car_model, reach
from jounce.sim.build import recipe
from jounce.sim.car import describe, tires_of

CAR = "jounce.sim.car_model"


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("package") / "jounce"
    shutil.copytree(reach.PACKAGE, target, ignore=shutil.ignore_patterns("__pycache__", "*.tir", "*.c"))
    return target


@pytest.fixture
def package(copy: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the package to edit; what is appended to files goes away afterwards."""
    monkeypatch.setattr(reach, "PACKAGE", copy)
    monkeypatch.setattr(reach, "_RECENT", -1)  # as if the copy were old: its files are read once
    before = {file: file.read_bytes() for file in copy.rglob("*.py")}
    yield copy
    for file in copy.rglob("*.py"):
        if file not in before:
            file.unlink()
        elif file.read_bytes() != before[file]:
            file.write_bytes(before[file])


@pytest.fixture(scope="module")
def sedan() -> car_model.Structure:
    return car_model.Structure(describe(jn.load("sedan")))


def append(file: Path, text: str) -> None:
    file.write_text(file.read_text() + text)


def replace(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


# --- the key of a car


@pytest.mark.parametrize(
    "file",
    [
        "components/suspension/spring.py",
        "vehicle/schema.py",
        "components/tire/pac2002.py",
        "symbolic/kane.py",
        "core/tables.py",
        "road/ground.py",
        "sim/car_model.py",
    ],
)
def test_code_that_describes_a_car_is_in_its_key(file: str, package: Path, sedan: car_model.Structure) -> None:
    first = car_model.car.key(sedan)
    append(package / file, "\nEDITED = 1\n")
    assert car_model.car.key(sedan) != first


def test_what_does_not_describe_a_car_is_not_in_its_key(package: Path, sedan: car_model.Structure) -> None:
    first = car_model.car.key(sedan)
    for file in (
        "events/library/drop.py",
        "files/tir.py",
        "results/report.py",
        "road/mesh.py",
        "runtime/simulation.py",
    ):
        append(package / file, "\nEDITED = 1\n")
    for file in (package / "library").rglob("*"):
        if file.is_file():
            file.write_bytes(file.read_bytes() + b"\n")
    (package / "results" / "style.css").write_text("body { color: red }\n")
    (package / "symbolic" / "new.py").write_text("nobody_imports = 1\n")
    assert car_model.car.key(sedan) == first


def test_comments_docstrings_and_layout_do_not_matter(package: Path, sedan: car_model.Structure) -> None:
    first = car_model.car.key(sedan)
    append(package / "components" / "aero" / "maps.py", "\n\n# a comment\n")
    replace(package / "vehicle" / "assembly.py", '"""Vehicles as a system.\n', '"""Vehicles, as a system.\n')
    replace(package / "symbolic" / "kane.py", "from __future__ import", "# why\nfrom __future__ import")
    assert car_model.car.key(sedan) == first


def test_a_number_in_the_code_matters(package: Path, sedan: car_model.Structure) -> None:
    first = car_model.car.key(sedan)
    replace(package / "sim" / "car_model.py", "(3 - 2 * tau)", "(3 - 2.5 * tau)")
    assert car_model.car.key(sedan) != first


def test_readers_events_results_and_the_runtime_are_never_reached() -> None:
    layers = {name.split(".")[1] for name in reach.reached([CAR])}
    assert layers <= {*reach.DESCRIBING, "sim"}
    assert {name for name in reach.reached([CAR]) if name.startswith("jounce.sim.")} == {CAR}


OUTSIDE = """
    from dataclasses import dataclass
    from jounce.components.tire.linear import Linear

    @dataclass(frozen=True)
    class Mine(Linear):
        def gain(self):
            return 1.0
"""


def test_the_module_of_an_outside_tire_model_is_in_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "outside_tire.py").write_text(textwrap.dedent(OUTSIDE))
    import outside_tire  # type: ignore[import-not-found]

    vehicle = jn.load("sedan")
    given = {place: dataclasses.replace(tire, model=outside_tire.Mine()) for place, tire in tires_of(vehicle).items()}
    structure = car_model.Structure(describe(vehicle, given))
    first = car_model.car.key(structure)
    append(tmp_path / "outside_tire.py", "    FACTOR = 2.0\n")
    assert car_model.car.key(structure) != first
    sys.modules.pop("outside_tire")


# --- the rules


def write(package: Path, **files: str) -> None:
    for name, text in files.items():
        path = package / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
        for folder in path.relative_to(package).parents:
            (package / folder / "__init__.py").touch()


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., set[str]]:
    """Write a package of the given files and tell what the first of them reaches."""
    package = tmp_path / "small" / "jounce"
    monkeypatch.setattr(reach, "PACKAGE", package)

    def reached(**files: str) -> set[str]:
        write(package, **files)
        first = next(iter(files)).replace("__", ".")
        return {name.removeprefix("jounce.") for name in reach.reached([f"jounce.{first}"])}

    return reached


def test_imports_are_followed_at_any_level(small: Callable[..., set[str]]) -> None:
    found = small(
        symbolic__a="def f():\n    if True:\n        from jounce.core import b\n",
        core__b="from . import c\n",
        core__c="from jounce.core.d import name\n",
        core__d="name = 1\n",
        core__e="name = 1\n",
    )
    assert found == {"symbolic", "symbolic.a", "core", "core.b", "core.c", "core.d"}


def test_public_names_lead_to_the_module_that_holds_them(small: Callable[..., set[str]]) -> None:
    files = {"symbolic__system": "", "core__tables": "", "events__engine": ""}
    found = small(sim__a="import jounce as jn\ndef f():\n    return jn.System()\n", **files)
    assert {"symbolic.system"} == found - {"sim", "sim.a", "symbolic", "core"}
    assert "core.tables" in small(sim__b="from jounce import Table\n", **files)
    assert {"symbolic.system", "core.tables", "events.engine"} <= small(
        sim__c="import jounce\ndef f():\n    return getattr(jounce, 'Sys' + 'tem')\n", **files
    )


def test_a_table_of_parts_reaches_the_parts_it_names(small: Callable[..., set[str]]) -> None:
    found = small(
        components__registry="""
            from importlib import import_module
            PARTS = {"one": "jounce.components.one:One"}
            def find(name): return import_module(PARTS[name].partition(":")[0])
        """,
        components__one="",
        components__two="",
    )
    assert found == {"components", "components.registry", "components.one"}


def test_parts_found_by_folder_are_all_reached(small: Callable[..., set[str]]) -> None:
    parts = {"components__spring__one": "", "components__damper__two": ""}
    loader = "import importlib\ndef find(name): return importlib.import_module(f'{__package__}.{name}')\n"
    everything = {"components", "components.spring", "components.spring.one"}
    everything |= {"components.damper", "components.damper.two"}
    assert everything <= small(components__registry=loader, **parts)
    spring = "import importlib\ndef find(n): return importlib.import_module(f'jounce.components.spring.{n}')\n"
    found = small(vehicle__finder=spring, **parts)
    assert "components.spring.one" in found
    assert "components.damper.two" not in found


def test_a_loader_in_core_may_load_any_part(small: Callable[..., set[str]]) -> None:
    loader = "import importlib\ndef find(package, name): return importlib.import_module(f'{package}.{name}')\n"
    assert "components.spring.one" in small(core__loader=loader, components__spring__one="")


def test_the_runtime_is_not_followed(small: Callable[..., set[str]]) -> None:
    found = small(symbolic__a="import jounce.runtime.b\nfrom jounce.sim.build import recipe\n", runtime__b="")
    assert found == {"symbolic", "symbolic.a"}


def test_an_edit_within_the_tick_of_a_clock_is_seen(small: Callable[..., set[str]]) -> None:
    small(symbolic__a="x = 1\n")
    first = reach.reach_digest(["jounce.symbolic.a"])
    file = reach.PACKAGE / "symbolic" / "a.py"
    times = os.stat(file)
    file.write_text("x = 2\n")
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert reach.reach_digest(["jounce.symbolic.a"]) != first


def test_code_in_memory_keeps_its_key_when_its_file_changes(
    small: Callable[..., set[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Models of a program that was begun before an edit or an update are those of the code before it."""
    name = "jounce.symbolic.a"
    small(symbolic__a="x = 1\n")
    file = reach.PACKAGE / "symbolic" / "a.py"
    long_ago = file.stat().st_mtime_ns - 10**12
    os.utime(file, ns=(long_ago, long_ago))
    held = types.ModuleType(name)
    held.__file__, held.__spec__ = str(file), importlib.machinery.ModuleSpec(name, None)
    plain = reach.reach_digest([name])
    monkeypatch.setitem(sys.modules, name, held)
    assert reach.reach_digest([name]) == plain
    file.write_text("x = 2\n")
    assert reach.reach_digest([name]) == plain
    os.utime(file, ns=(long_ago, long_ago))
    held.__spec__ = importlib.machinery.ModuleSpec(name, None)  # loaded again
    again = reach.reach_digest([name])
    assert again != plain
    # changed since the process began, before anybody looked: no key that another process would have
    file.write_text("x = 2\n")
    held.__spec__ = importlib.machinery.ModuleSpec(name, None)
    assert reach.reach_digest([name]) not in (again, plain)
    monkeypatch.delitem(sys.modules, name)
    assert reach.reach_digest([name]) == again


def test_files_that_did_not_change_are_not_read_again(
    package: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("JOUNCE_CACHE_DIR", str(tmp_path / "cache"))
    first = reach.reach_digest([CAR])
    monkeypatch.setattr(reach, "_memory", {})  # as in a new process
    monkeypatch.setattr("ast.parse", lambda *_: pytest.fail("parsed again"))
    assert reach.reach_digest([CAR]) == first


@recipe
def by_name() -> Any:
    return jn.System("x")


def test_a_recipe_that_uses_the_package_reaches_what_it_uses(package: Path) -> None:
    first = by_name.key()
    append(package / "symbolic" / "kane.py", "\nEDITED = 1\n")
    assert by_name.key() != first
