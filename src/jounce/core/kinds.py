"""Finding one's way through the declared types of a vehicle."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from jounce.core.fields import Data
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


@lru_cache(maxsize=4096)
def kind_at(keys: Keys, start: type[Data]) -> type[Data] | None:
    """Return the group that stands at a path of `start`."""
    kind: type[Data] | None = start
    for key in keys:
        if isinstance(key, int):
            continue
        info = kind.model_fields.get(key) if kind is not None else None
        if info is None:
            return None
        found = kinds(info.annotation)
        kind = found[0] if found else None
    return kind


def field_at(keys: Keys, start: type[Data]) -> FieldInfo | None:
    """Return the declaration of what stands at a path."""
    names = [key for key in keys if isinstance(key, str)]
    if not names:
        return None
    parent = kind_at(tuple(names[:-1]), start)
    return parent.model_fields.get(names[-1]) if parent is not None else None


def allowed(annotation: Any) -> list[Any]:
    """Return the values of a Literal, looking through options."""
    if get_origin(annotation) is Literal:
        return list(get_args(annotation))
    return [value for argument in get_args(annotation) for value in allowed(argument)]
