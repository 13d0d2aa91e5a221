"""Finding one's way through the declared types of a vehicle."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from jounce.core.errors import ParameterError
from jounce.core.fields import Data, meta, slot_class
from jounce.core.part_registry import named
from jounce.core.paths import Keys


def kinds(annotation: Any) -> list[type[Data]]:
    """Return the groups that an annotation allows, looking through options, unions and tuples."""
    if isinstance(annotation, type):
        if issubclass(annotation, Data):
            return [annotation]
        if get_origin(annotation) is None:
            return []
    if get_origin(annotation) is Literal:
        return []
    arguments = get_args(annotation)
    if get_origin(annotation) is Annotated:
        arguments = arguments[:1]
    return [kind for argument in arguments for kind in kinds(argument)]


def groups_of(info: FieldInfo) -> list[type[Data]]:
    """Return the groups that a field allows; one that is imported late is imported now."""
    late = meta(info).get("late")
    return [named(late)] if late else kinds(info.annotation)


def kind_at(keys: Keys, start: type[Data], raw: Any = None) -> type[Data] | None:
    """Return the group that stands at a path of `start`.

    Where several kinds of part may stand, `raw` (data as read, or data themselves) says which one does; without it the
    usual one is meant.
    """
    return _usual_kind(keys, start) if raw is None else _kind_of(keys, start, raw)


@lru_cache(maxsize=4096)
def _usual_kind(keys: Keys, start: type[Data]) -> type[Data] | None:
    return _kind_of(keys, start, None)


def _kind_of(keys: Keys, start: type[Data], raw: Any) -> type[Data] | None:
    kind: type[Data] | None = start
    info: FieldInfo | None = None
    for key in keys:
        if isinstance(raw, Mapping):
            raw = raw.get(key)
        elif isinstance(raw, list | tuple) and isinstance(key, int):
            raw = raw[key] if key < len(raw) else None
        else:
            raw = getattr(raw, key, None) if isinstance(raw, Data) and isinstance(key, str) else None
        if isinstance(key, str):
            info = kind.model_fields.get(key) if kind is not None else None
            if info is None:
                return None
            found = groups_of(info)
            kind = found[0] if found else None
        extra = meta(info) if info is not None else {}
        family = extra.get("family") if extra.get("kind") == "part" else ""
        if family and info is not None and isinstance(raw, Mapping | Data):
            with suppress(ParameterError):  # an unknown kind: told where it is read
                kind = slot_class(raw, family, info)
    return kind


def field_at(keys: Keys, start: type[Data], raw: Any = None) -> FieldInfo | None:
    """Return the declaration of what stands at a path."""
    names = [key for key in keys if isinstance(key, str)]
    if not names:
        return None
    last = max(i for i, key in enumerate(keys) if isinstance(key, str))
    parent = kind_at(tuple(keys[:last]), start, raw)
    return parent.model_fields.get(names[-1]) if parent is not None else None


def allowed(annotation: Any) -> list[Any]:
    """Return the values of a Literal, looking through options."""
    if get_origin(annotation) is Literal:
        return list(get_args(annotation))
    return [value for argument in get_args(annotation) for value in allowed(argument)]
