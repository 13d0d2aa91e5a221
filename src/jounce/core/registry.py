"""Parts found by name, each in a file of its own: no list of them is kept anywhere.

A group such as ``events`` has the folder ``jounce.events.library``, one file per part and named as it (dashes as
underscores), and the entry points ``jounce.events`` of installed packages:

    [project.entry-points."jounce.events"]      # in the pyproject.toml of a package
    lane-change = "my_package.lane_change"      # a module, or module:name

Loading a part imports its file; what the file registers, and where, is the group's own affair. The import is by name at
run time, so that a lower layer (results that read a stored run) can load what belongs to a higher one without knowing
it.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType

from jounce.core.errors import ModelError


def key_of(name: str) -> str:
    """The name of a part's file: ``step-steer`` as ``step_steer``."""
    return name.strip().replace("-", "_").lower()


@cache
def files(group: str) -> tuple[str, ...]:
    """Names of the files in the folder of a group, in alphabetical order."""
    spec = importlib.util.find_spec(f"jounce.{group}.library")
    places = spec.submodule_search_locations if spec is not None else None
    return tuple(sorted(found.name for found in pkgutil.iter_modules(places or ())))


def outside(group: str) -> dict[str, EntryPoint]:
    """Entry points of installed packages, by the names of their parts."""
    return {key_of(entry.name): entry for entry in entry_points(group=f"jounce.{group}")}


def names(group: str) -> list[str]:
    """Names of all files and entry points of a group."""
    return sorted({*files(group), *outside(group)})


def load(group: str, name: str) -> ModuleType | None:
    """Import the file of a part, of this package or of an installed one; None when there is none of this name."""
    key = key_of(name)
    if key in files(group):
        return importlib.import_module(f"jounce.{group}.library.{key}")
    entry = outside(group).get(key)
    if entry is None:
        return None
    try:
        entry.load()
        return importlib.import_module(entry.module)
    except Exception as error:
        raise ModelError(f"{group}: {name!r}: {entry.value} of an installed package fails: {error}") from error
