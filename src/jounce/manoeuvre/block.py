"""Groups of a manoeuvre: data with units, of several kinds at one place, by name, and with what a file had besides.

A place where one of several kinds may stand says so by `group`; data choose one by ``kind``. Where values may have any
unit, because only the channel that uses them knows it, they are an `amount`: a number in SI or a text with a unit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field, ValidationError, model_validator

from jounce.core.errors import did_you_mean
from jounce.core.fields import Bad, Data, hidden, meta
from jounce.core.part_registry import kind_of

Amount = float | str


def amount(default: Any = ..., *, doc: str) -> Any:
    """Declare a number whose unit is that of what uses it: SI, or text with a unit."""
    return Field(default, description=doc, json_schema_extra={"kind": "amount"})


def group(default: Any = ..., *, doc: str, of: type[Block] | tuple[type[Block], ...]) -> Any:
    """Declare a group of one of the kinds ``of``, or a list or mapping of them; a word is the name of one."""
    kinds = of if isinstance(of, tuple) else (of,)
    return Field(default, description=doc, json_schema_extra={"kind": "group", "of": kinds})  # type: ignore[dict-item]


class Block(Data):
    """Base of all groups of a manoeuvre."""

    extra: dict[str, Any] = hidden({}, doc="keys of a file that say nothing to us, kept for writing it again")

    many: ClassVar[tuple[str, ...]] = ()
    """Fields that hold several groups: a list or a mapping by name."""

    @classmethod
    def short(cls, word: str) -> bool:
        """Whether a word is a short form of the group rather than the name of one."""
        return False

    @model_validator(mode="before")
    @classmethod
    def _groups(cls, raw: Any) -> Any:
        raw = raw if isinstance(raw, Data) else cls.expand(raw)
        if not isinstance(raw, Mapping):
            return raw
        data = cls.renamed(raw)
        for name, value in data.items():
            info = cls.model_fields.get(name)
            of = meta(info).get("of") if info is not None else None
            if not of or value is None:
                continue
            if name in cls.many and isinstance(value, Mapping):
                data[name] = _whole({key: read_group(item, of) for key, item in value.items()}, value)
            elif name in cls.many and isinstance(value, list | tuple):
                data[name] = tuple(read_group(item, of) for item in value)
            else:
                data[name] = read_group(value, of)
        return data


def _whole(items: dict[Any, Any], raw: Any) -> Any:
    """A mapping of groups; as one that cannot be read, where one cannot."""
    bad = [(key, item) for key, item in items.items() if isinstance(item, Bad)]
    if not bad:
        return items
    return Bad(raw, tuple(((key, *place), *rest) for key, item in bad for place, *rest in item.problems))


def read_group(value: Any, of: tuple[type[Block], ...]) -> Any:
    """A group of one of the kinds; Bad where it cannot be read, and words and what is one already as they are."""
    if isinstance(value, Data | Bad) or (isinstance(value, str) and not of[0].short(value)):
        return value
    kind = _kind(value, of)
    if isinstance(kind, Bad):
        return kind
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        from jounce.core.messages import explain

        found = explain(error, kind, value)
        return Bad(value, tuple((item.keys, item.message, item.found, item.missing) for item in found))


def _kind(value: Any, of: tuple[type[Block], ...]) -> Any:
    if len(of) == 1:
        return of[0]
    given = value.get("kind") if isinstance(value, Mapping) else None
    known = {kind_of(kind): kind for kind in of}
    if isinstance(value, Mapping):
        if given is None:
            return Bad(value, ((("kind",), f"missing; which of: {', '.join(known)}"),))
        if str(given) not in known:
            return Bad(value, ((("kind",), f"unknown{did_you_mean(str(given), list(known), limit=16)}"),))
        return known[str(given)]
    return of[0]
