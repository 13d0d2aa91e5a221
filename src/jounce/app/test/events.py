"""Events as a form shows them: their parameters with unit, default and help, from the classes of the events.

What a form holds of an event is text, by parameter: ``{"speed": "80 km/h"}``. Only what differs from the default is
kept.
"""

from __future__ import annotations

import inspect
import re
import sys
import types
import typing
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import ValidationError

from jounce.app.build.values import number_text, offered, usual_unit
from jounce.core.errors import JounceError, ParameterError
from jounce.core.fields import meta
from jounce.core.messages import explain
from jounce.core.units import convert
from jounce.events.base import Event
from jounce.events.registry import classes, find

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from jounce.app.folders import Folders

PICTURES = Path(__file__).parent / "static" / "events"
FIRST = 4  # parameters that a plan shows
ALONE = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
LISTED = {"road": "roads", "lap_path": "paths", "path": "paths", "cycle": "cycles"}
"""Parameters for which the library has names."""
USUAL = {"m": "m", "m/s": "km/h", "rad/s": "deg/s"}
"""Units of events where they may be others than those of a vehicle: metres of road, km/h, the turning of a hand."""


@lru_cache(maxsize=1)
def listed() -> list[dict[str, str]]:
    """All events: kind, title, standard, and words to be found by."""
    found = [
        {
            "kind": cls.kind,
            "title": cls.title,
            "standard": cls.standard if cls.__module__.startswith("jounce.") else "own",
            "words": f"{cls.kind} {_help(cls)}",
        }
        for cls in classes()
    ]
    return sorted(found, key=lambda item: item["title"].lower())


@lru_cache(maxsize=128)
def describe(kind: str) -> dict[str, Any]:
    """An event: title, help, presets, parameters in groups."""
    cls = find(kind)
    module = sys.modules[cls.__module__]
    return {
        "kind": cls.kind,
        "title": cls.title,
        "standard": cls.standard,
        "help": _help(cls),
        "more": inspect.cleandoc(module.__doc__ or ""),
        "presets": list(cls.presets),
        "picture": picture(cls.kind),
        "fields": [field for name in ordered(cls) if (field := _field(cls, name))],
    }


def _help(cls: type[Event]) -> str:
    return inspect.cleandoc(cls.__doc__ or "").partition("\n\n")[0].replace("\n", " ").replace("`", "")


def picture(kind: str) -> str:
    """A drawing of an event as SVG, "" where there is none."""
    try:
        return (PICTURES / f"{kind}.svg").read_text(encoding="utf-8")
    except OSError:
        return ""


def ordered(cls: type[Event]) -> list[str]:
    """Parameters: the speed, what the event itself declares, what its bases do, what all events have."""
    fields = cls.model_fields
    own = [name for base in cls.__mro__ for name in vars(base).get("__annotations__", {}) if name in fields]
    first = ["speed", *(name for name in dict.fromkeys(own) if name not in Event.model_fields), "end_time"]
    return list(dict.fromkeys([*first, *fields]))


def first_fields(kind: str) -> list[dict[str, Any]]:
    """The parameters that say most."""
    return [field for field in describe(kind)["fields"] if field["group"] == "event"][:FIRST]


def _field(cls: type[Event], name: str) -> dict[str, Any] | None:
    info = cls.model_fields[name]
    about = meta(info)
    kind = _kind(info, str(about.get("kind", "")))
    if kind is None or name == "accept":
        return None
    unit = str(about.get("unit", ""))
    shown = _shown(unit)
    field: dict[str, Any] = {
        "name": name,
        "title": name.replace("_", " "),
        "kind": kind,
        "doc": info.description or "",
        "unit": "" if shown == "-" else shown,
        "units": [] if shown in ("", "-") else list(dict.fromkeys([shown, *offered(unit)])),
        "default": _default(info, unit, shown),
        "optional": info.default is None,
        "group": "common" if name in Event.model_fields and name not in ("speed", "end_time") else "event",
        "limits": _limits(info, unit, shown),
    }
    if kind == "choice":
        field["choices"] = [str(item) for item in _choices(info)]
    if name in LISTED:
        field["names"] = names(LISTED[name])
    return field


def _shown(unit: str) -> str:
    return USUAL.get(unit) or usual_unit(unit) if unit else ""


def _plain(annotation: Any) -> Any:
    """What an annotation says beside None."""
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        return next(item for item in typing.get_args(annotation) if item is not type(None))
    return annotation


def _kind(info: FieldInfo, declared: str) -> str | None:
    plain = _plain(info.annotation)
    if typing.get_origin(plain) is Literal:
        return "choice"
    if plain is bool:
        return "flag"
    if plain is int:
        return "count"
    if plain in (tuple[float, ...], tuple[str, ...]):
        return "numbers" if plain == tuple[float, ...] else "words"
    return {"quantity": "quantity", "text": "text"}.get(declared)


def _choices(info: FieldInfo) -> tuple[Any, ...]:
    return typing.get_args(_plain(info.annotation))


def _default(info: FieldInfo, unit: str, shown: str) -> str:
    value = info.default
    if value is None or value == ():
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float | int) and unit:
        return number_text(float(value), unit, shown)
    if isinstance(value, tuple):
        return ", ".join(f"{item:g}" if isinstance(item, float) else str(item) for item in value)
    return str(value)


def _limits(info: FieldInfo, unit: str, shown: str) -> str:
    said = []
    for item in info.metadata:
        for key, sign in (("gt", ">"), ("ge", "≥"), ("lt", "<"), ("le", "≤")):
            value = getattr(item, key, None)
            if isinstance(value, float | int):
                said.append(f"{sign} {number_text(float(value), unit, shown) if unit else f'{value:g}'}")
    return ", ".join(said)


def names(what: str) -> list[str]:
    """Names that the library has: roads, paths, cycles."""
    from jounce.core.library import LIBRARY
    from jounce.files.roads import library_paths, library_roads

    if what == "roads":
        return list(library_roads())
    if what == "paths":
        return list(library_paths())
    return sorted(file.stem for file in (LIBRARY / what).glob("*.csv"))


# --- from text to an event -------------------------------------------------------------------------------------------


def raw_of(kind: str, values: Mapping[str, str], folders: Folders | None = None) -> dict[str, Any]:
    """What an event file would have for the text of a form; a file of a registered folder by its whole path."""
    fields = {field["name"]: field for field in describe(kind)["fields"]}
    found: dict[str, Any] = {}
    for name, text in values.items():
        field = fields.get(name)
        if field is None:
            raise ParameterError(f"{kind}: has no parameter {name!r}")
        written = str(text).strip()
        if not written:
            found[name] = None if field["optional"] else () if field["kind"] in ("numbers", "words") else ""
        else:
            found[name] = _read(field, written, folders)
        if found[name] == "" and field["kind"] == "quantity":
            del found[name]  # the default
    return found


def _read(field: Mapping[str, Any], text: str, folders: Folders | None) -> Any:
    kind = field["kind"]
    if kind == "quantity":
        return f"{text} {field['unit']}".strip() if ALONE.fullmatch(text) else text
    if kind == "flag":
        return text in ("yes", "true", "on", "1")
    if kind == "count":
        return int(text) if re.fullmatch(r"[-+]?\d+", text) else text
    if kind in ("numbers", "words"):
        parts = [part for part in re.split(r"[,;\s]+" if kind == "numbers" else r"[,;]", text) if part.strip()]
        if kind == "words":
            return tuple(_file(part.strip(), folders) for part in parts)
        return [float(part) if ALONE.fullmatch(part) else part for part in parts]
    return _file(text, folders) if kind == "text" else text


def _file(text: str, folders: Folders | None) -> str:
    if folders is not None and ("/" in text or "." in text):
        try:
            place = folders.resolve(text)
        except ParameterError:
            return text
        if place.is_file():
            return str(place)
    return text


def check(
    kind: str, values: Mapping[str, str], folders: Folders | None = None
) -> tuple[Event | None, dict[str, str], dict[str, str]]:
    """The event of some text, or why there is none: messages by parameter; "" for the event as a whole.

    Returns
    -------
    The event or None, errors by parameter, doubts by parameter.
    """
    cls = find(kind)
    try:
        raw = raw_of(kind, values, folders)
        event = cls(**raw)
    except ParameterError as problem:
        return None, _messages(cls, problem, values), {}
    doubts = {}
    for text in event.doubts():
        name, _, rest = text.partition(": ")
        doubts[name] = rest or text
    return event, {}, doubts


def _messages(cls: type[Event], problem: ParameterError, values: Mapping[str, str]) -> dict[str, str]:
    inner = problem.__context__
    if not isinstance(inner, ValidationError):
        return {"": str(problem)}
    found: dict[str, str] = {}
    for item in explain(inner, cls, dict(values)):
        name = str(item.keys[0]) if item.keys else ""
        found[name] = "; ".join(filter(None, (found.get(name, ""), item.message)))
    return found


def shown_in(text: str, unit: str) -> str:
    """A value in another unit, as text; ParameterError where it is none."""
    match = re.fullmatch(rf"\s*(?P<number>{ALONE.pattern})\s*(?P<unit>.*?)\s*", text)
    if match is None:
        raise ParameterError(f"{text!r}: not a number with a unit")
    return f"{convert(float(match['number']), match['unit'] or unit, unit):.10g} {unit}"


def label_of(vehicle: str, event: Event, values: Mapping[str, str]) -> str:
    """A label of a run: vehicle, event, and what is set."""
    said = [f"{name.replace('_', ' ')} {text}" for name, text in values.items() if str(text).strip()]
    more = ", ".join(said[:2]) + (" …" if len(said) > 2 else "")
    return " · ".join(filter(None, (vehicle, type(event).title, more)))


def from_event(event: Event) -> dict[str, str]:
    """What a form holds for an event: the text of what differs from the default."""
    fields = {field["name"]: field for field in describe(event.kind)["fields"]}
    found = {}
    for name, info in type(event).model_fields.items():
        value, field = getattr(event, name), fields.get(name)
        if field is None or value == info.default:
            continue
        unit = str(meta(info).get("unit", ""))
        if value is None:
            found[name] = ""
        elif field["kind"] == "quantity":
            found[name] = f"{number_text(float(value), unit, _shown(unit))} {field['unit']}".strip()
        elif field["kind"] == "flag":
            found[name] = "yes" if value else "no"
        elif field["kind"] in ("numbers", "words"):
            found[name] = ", ".join(f"{item:g}" if isinstance(item, float) else str(item) for item in value)
        else:
            found[name] = str(value)
    return found


def preset(kind: str, name: str) -> dict[str, str]:
    """What a form holds for a preset."""
    try:
        return from_event(find(kind).preset(name))
    except JounceError as problem:
        raise ParameterError(f"{kind}, preset {name!r}: {problem}") from None
