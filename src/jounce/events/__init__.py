"""Manoeuvres: one file per event, each a class whose fields are its parameters.

>>> from jounce import events
>>> events.StepSteer(speed="80 km/h")            # amplitude found for 4 m/s²
>>> events.StepSteer.preset("vi")                # the values of another tool's dialog
>>> events.find("step-steer")                    # by name

``events.StepSteer`` is the class of that name in ``jounce.events.library.step_steer``: the folder is the list.
"""

from __future__ import annotations

from typing import Any

from jounce.core import registry as _registry
from jounce.events.base import Event
from jounce.events.registry import GROUP as _GROUP
from jounce.events.registry import classes as _classes
from jounce.events.registry import find, names, register
from jounce.results.kinds import kind_of as _kind_of

__all__ = ["Event", "find", "names", "register"]


def __getattr__(name: str) -> Any:
    """The event of a file, by the name of its class."""
    found = _class(name)
    if found is not None:
        return found
    if not name[:1].isupper():  # of a module: ``from jounce import events`` asks too, and must load no event
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    from difflib import get_close_matches

    files = {"".join(part.capitalize() for part in file.split("_")) for file in _registry.files(_GROUP)}
    close = [other for other in get_close_matches(name, files) if _class(other) is not None]
    hint = f"; did you mean {close[0]!r}?" if close else ""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}", name=name)


def _class(name: str) -> Any:
    file = _kind_of(name)
    return getattr(_registry.load(_GROUP, file), name, None) if file in _registry.files(_GROUP) else None


def __dir__() -> list[str]:
    return sorted({*__all__, *(cls.__name__ for cls in _classes())})
