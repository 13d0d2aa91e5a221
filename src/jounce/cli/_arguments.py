"""What several verbs take: a recipe or a program named by file or module, parameters as NAME=VALUE."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any


def assignments(texts: Iterable[str] | None) -> dict[str, float | str]:
    """``["mass=1500 kg"]`` as a mapping."""
    from jounce.core.errors import ParameterError

    values: dict[str, float | str] = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals:
            raise ParameterError(f"--set {text}: write NAME=VALUE")
        values[name.strip()] = value.strip()
    return values


def method_of(text: str) -> str | int:
    """An integration method by name, or by number."""
    return int(text) if text.lstrip("-").isdigit() else text


def find_recipe(text: str) -> Any:
    """The recipe named by ``module:name`` or ``file.py:name``."""
    from jounce.sim.build import Recipe

    return find(text, Recipe, "recipe")


def load_file(place: str) -> ModuleType:
    """A Python file as a module: recipes, or parts, tires and events that it registers."""
    from jounce.core.errors import ParameterError

    path = Path(place)
    if not path.is_file():
        raise ParameterError(f"{place}: no such file")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ParameterError(f"{place}: no Python file; its name must end in .py")
    module = importlib.util.module_from_spec(spec)
    known = sys.modules.get(path.stem)
    sys.modules[path.stem] = module  # classes look up their annotations there
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # whatever the user's own code does wrong
        raise ParameterError(f"{place}: {type(error).__name__} while it was read: {error}") from error
    finally:
        if known is not None:
            sys.modules[path.stem] = known
    return module


def find(text: str, kind: type, noun: str) -> Any:
    """The object of a kind named by ``module:name`` or ``file.py:name``."""
    from jounce.core.errors import ParameterError, did_you_mean

    place, _, name = text.rpartition(":")
    if not place or not name:
        raise ParameterError(f"{text!r}: name a {noun} as module:name or file.py:name")
    if place.endswith(".py"):
        module = load_file(place)
    else:
        try:
            module = importlib.import_module(place)
        except ModuleNotFoundError as error:
            raise ParameterError(f"{place}: no such module ({error})") from error
    known = [key for key, value in vars(module).items() if isinstance(value, kind)]
    if name not in known:
        raise ParameterError(f"{place} has no {noun} {name!r}{did_you_mean(name, known)}")
    return getattr(module, name)
