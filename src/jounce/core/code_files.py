"""Python files of the user: loaded as modules, and looked at without being run.

Whoever loads a file runs it. Files are loaded only where the user named them, or their folder, himself.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from jounce.core.errors import FormatError, ParameterError
from jounce.core.limits import Limits, read_utf8

LIMITS = Limits("a Python file", size=5_000_000)


def load(place: str | Path, name: str = "") -> ModuleType:
    """A Python file as a module: recipes, or parts, tires and events that it registers.

    Parameters
    ----------
    name : of the module; default that of the file, behind which a module of the same name is found again afterwards
    """
    path = Path(place)
    if not path.is_file():
        raise ParameterError(f"{place}: no such file")
    called = name or path.stem
    spec = importlib.util.spec_from_file_location(called, path)
    if spec is None or spec.loader is None:
        raise ParameterError(f"{place}: no Python file; its name must end in .py")
    module = importlib.util.module_from_spec(spec)
    known = None if name else sys.modules.get(called)
    sys.modules[called] = module  # classes look up their annotations there
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # whatever the user's own code does wrong
        raise ParameterError(f"{place}: {type(error).__name__} while it was read: {error}") from error
    finally:
        if known is not None:
            sys.modules[called] = known
    return module


def top_level(place: str | Path) -> dict[str, Any]:
    """What a file defines, read and not run: functions and classes as None, constants by their values."""
    path = Path(place)
    try:
        tree = ast.parse(read_utf8(path, LIMITS), str(path))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
        raise FormatError(f"{path}: is no Python ({problem})") from None
    found: dict[str, Any] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = None
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            try:
                found[node.targets[0].id] = ast.literal_eval(node.value)
            except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                found[node.targets[0].id] = None
    return found
