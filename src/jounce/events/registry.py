"""Events by name: those of the package, those that were defined or registered, those of installed packages.

    class Flick(Steered): ...                    # a class with a kind is known from its definition on
    register(Flick, replace=True)                # in place of another of the same name
    [project.entry-points."jounce.events"]       # in the pyproject.toml of a package
    flick = "my_package.flick:Flick"

Events of the package are files of ``jounce.events.library``, loaded when they are asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from jounce.core import registry
from jounce.core.errors import ModelError, ParameterError, did_you_mean
from jounce.results import kinds

if TYPE_CHECKING:
    from jounce.events.base import Event

E = TypeVar("E", bound="type[Event]")

GROUP = "events"

_CLASSES: dict[str, type[Event]] = {}


def name_of(text: str) -> str:
    """The name of an event as it is listed: ``Step_Steer`` as ``step-steer``."""
    return registry.key_of(text).replace("_", "-")


def defined(cls: type[Event]) -> None:
    """Take note of a class when it is defined; a name of the package stays with the package."""
    if cls.__module__ == _home(cls.kind) or not _of_package(cls.kind):
        _take(cls)


def register(cls: E, *, replace: bool = False) -> E:
    """Make an event known by its kind; returns it, so that it may stand before a class as ``@register``.

    Parameters
    ----------
    cls : a class that derives from ``Event``, with a kind
    replace : allow a kind that another event has
    """
    from jounce.events.base import Event

    if not (isinstance(cls, type) and issubclass(cls, Event)):
        raise ParameterError(f"event: expected a class that derives from jounce.events.Event, got {cls!r}")
    if not cls.kind:
        raise ParameterError(f"event {cls.__name__}: has no kind; expected a name such as kind = 'lane-change'")
    other = _found(cls.kind)
    if other is not None and other is not cls and not replace:
        raise ParameterError(
            f"event {cls.kind!r}: is {other.__module__}.{other.__name__} already; choose another kind, or pass "
            "replace=True to exchange it"
        )
    _take(cls)
    return cls


def names() -> list[str]:
    """Names of all events; an installed one that fails is among them, and `find` says why."""
    broken = []
    for name in registry.names(GROUP):
        try:
            registry.load(GROUP, name)
        except ModelError:
            broken.append(name_of(name))
    return sorted({*_CLASSES, *broken})


def classes() -> list[type[Event]]:
    """All events that can be loaded, in the order of their names."""
    names()
    return [_CLASSES[name] for name in sorted(_CLASSES)]


def find(name: str) -> type[Event]:
    """The class of an event by its name; - and _ alike."""
    found = _found(name)
    if found is None:
        raise ParameterError(f"event {name!r} is unknown{did_you_mean(name_of(name), names())}")
    return found


def _found(name: str) -> type[Event] | None:
    if name_of(name) not in _CLASSES:
        registry.load(GROUP, name)
    return _CLASSES.get(name_of(name))


def _take(cls: type[Event]) -> None:
    _CLASSES[name_of(cls.kind)] = cls
    kinds.declare(cls.kind, cls.results)


def _of_package(kind: str) -> bool:
    return registry.key_of(kind) in registry.files(GROUP)


def _home(kind: str) -> str:
    """The module that an event of the package stands in."""
    return f"jounce.{GROUP}.library.{registry.key_of(kind)}"
