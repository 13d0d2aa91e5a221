"""What several verbs take: a recipe or a program named by file or module, parameters as NAME=VALUE."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
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
    from jounce.core.code_files import load

    return load(place)


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
