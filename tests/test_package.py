"""The package as a user meets it: version, typing marker, a quick import, lazy names."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import jounce

ROOT = Path(__file__).resolve().parent.parent
HEAVY = (
    "casadi",
    "scipy",
    "pint",
    "matplotlib",
    "pandas",
    "pyarrow",
    "pinocchio",
    "typer",
    "rich",
    "pydantic",
    "ruamel.yaml",
)


def project() -> dict[str, object]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)["project"]  # type: ignore[no-any-return]


def test_the_version_is_the_same_everywhere() -> None:
    assert jounce.__version__ == project()["version"]
    assert f"\nversion: {jounce.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_the_package_is_marked_as_typed() -> None:
    assert (Path(jounce.__file__).parent / "py.typed").is_file()


def test_the_c_sources_stand_inside_the_package() -> None:
    assert (Path(jounce.__file__).parent / "runtime" / "c" / "jounce.h").is_file()


def test_import_is_light() -> None:
    code = f"import sys, jounce; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", [name for name in jounce.__all__ if name != "__version__"])
def test_every_public_name_loads(name: str) -> None:
    assert name in dir(jounce)
    assert getattr(jounce, name) is getattr(jounce, name)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = jounce.nothing


def test_the_command_has_an_entry_point_that_exists() -> None:
    scripts = project()["scripts"]
    assert isinstance(scripts, dict)
    module, _, function = scripts["jounce"].partition(":")
    assert importlib.util.find_spec(module) is not None
    assert function == "main"
