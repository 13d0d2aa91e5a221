"""How the numbers of a vehicle are declared: unit, bounds and meaning once, at the field.

From these declarations come the reading of files (unit strings, bounds, messages), the writing of files, the list of
parameters and the separation of structure from numbers (docs/conventions.md):

- `quantity`: a number with a unit, stored in SI; text such as ``"25 N/mm"`` is converted when it is read;
- `curve`: a constant or a table (`jounce.core.curves.Curve`);
- `choice`: a method name, count or flag that shapes the generated code;
- `text`, `flag`, `part`: words, switches that are mere data, and groups of the above.

Whether an optional number or group is there at all is structure, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    field_validator,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from jounce.core import units
from jounce.core.curves import CURVE_KEYS, Curve, CurveProblems, CurveUnits, read_curve
from jounce.core.derived import Derived
from jounce.core.errors import FormatError, ParameterError
from jounce.core.part_registry import PARTS, kind_of
from jounce.core.references import FileReference, refer

REQUIRED: Any = ...


def quantity(
    unit: str,
    default: Any = REQUIRED,
    *,
    doc: str,
    presence: bool = True,
    typical: tuple[float, float] | None = None,
    **bounds: float,
) -> Any:
    """Declare a number. `unit` is SI; `bounds` are gt, ge, lt, le in it; `typical` are the magnitudes that exist on
    the road, from a kart to a truck of 40 t (``core/plausible.py``).

    With `presence` False it is no structure whether an optional number is there.
    """
    units.check_unit(unit, doc)
    extra: dict[str, Any] = {"kind": "quantity", "unit": unit, "numbers_only": not presence, "typical": typical}
    return Field(default, description=doc, json_schema_extra=extra, **bounds)  # type: ignore[call-overload]


def curve(
    x: str,
    y: str,
    default: Any = REQUIRED,
    *,
    z: str = "",
    constant: str = "rate",
    doc: str,
    flat: bool = False,
    guides: bool = False,
    how: Literal["", "held", "lines"] = "",
    typical: tuple[float, float] | Mapping[str, tuple[float, float]] | None = None,
    reach: tuple[float, float] | Mapping[str, tuple[float, float]] | None = None,
) -> Any:
    """Declare a curve y(x) or, when `z` has a unit, also y(x; z). With `flat` its keys stand beside the others.

    `guides`: it guides a wheel, so that the options of the wheel-guiding maps apply. `how`, whatever the options say:
    "held", its ends are held beyond the data; "lines", straight lines join its points as well, for what has corners.
    `typical`: magnitudes of its mean slope (where a constant is a value: of its largest value) that exist on the road;
    `reach`: those of its largest abscissa; both may be given by the unit of x, where that is not always the same.
    """
    extra: dict[str, Any] = {
        "kind": "curve",
        "x": x,
        "y": y,
        "z": z,
        "constant": constant,
        "flat": flat,
        "guides": guides,
        "how": how,
        "typical": typical,
        "reach": reach,
    }
    return Field(default, description=doc, json_schema_extra=extra)


def choice(default: Any = REQUIRED, *, doc: str, **bounds: float) -> Any:
    """Declare what shapes the code: a name out of a Literal, a count, a flag."""
    return Field(default, description=doc, json_schema_extra={"kind": "choice"}, **bounds)  # type: ignore[call-overload]


def flag(default: Any = REQUIRED, *, doc: str) -> Any:
    """Declare a switch that changes numbers only."""
    return Field(default, description=doc, json_schema_extra={"kind": "flag"})


def reference(family: str, suffix: str, default: Any = REQUIRED, *, doc: str) -> Any:
    """Declare a file that is referred to: by path, or by name within a family of the library."""
    return Field(default, description=doc, json_schema_extra={"kind": "reference", "family": family, "suffix": suffix})


def hidden(default: Any, *, doc: str) -> Any:
    """Declare what is set by the group around and never written in a file."""
    return Field(default, description=doc, json_schema_extra={"kind": "hidden"})


def text(default: str = "", *, doc: str) -> Any:
    """Declare words."""
    return Field(default, description=doc, json_schema_extra={"kind": "text"})


def part(
    default: Any = REQUIRED,
    *,
    doc: str,
    numbers_only: bool = False,
    family: str = "",
    each: str = "",
    silent: bool = False,
    late: str = "",
    library: str = "",
) -> Any:
    """Declare a group of fields, or several of them; with `numbers_only` their number is no structure.

    `family`: any part of this family may stand here, chosen by its ``kind`` (``core/part_registry.py``); that of the
    annotation when none is given. `each`: name of one of several, in the names of its numbers: ``damper1`` … `silent`:
    the structure of a vehicle without it does not mention it. `late`: ``module:Class`` of the group, imported where
    one stands; the annotation is a base of it. `library`: folder of the library one of whose files a word names.

    A default may be given as a mapping ({}: all defaults), which is read when it is needed: not at import.
    """
    extra: dict[str, Any] = {"kind": "part", "numbers_only": numbers_only, "family": family, "each": each}
    extra |= {"silent": silent, "late": late, "library": library}
    as_raw = isinstance(default, Mapping)
    return Field(default, description=doc, json_schema_extra=extra, validate_default=True if as_raw else None)


@dataclass(frozen=True)
class Bad:
    """Stands in for a value that could not be read, until its field reports it."""

    raw: Any
    problems: tuple[tuple[Any, ...], ...]  # place inside, message, (value found, whether missing)


def meta(info: FieldInfo) -> dict[str, Any]:
    """Return what a declaration above wrote down."""
    extra = info.json_schema_extra
    return dict(extra) if isinstance(extra, Mapping) else {}


class Data(BaseModel):
    """Base of everything in a vehicle: immutable, no unknown keys, equal when all fields are."""

    # Built when first used: the classes of a vehicle are built once, with it, and events nobody runs not at all.
    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
        coerce_numbers_to_str=True,
        arbitrary_types_allowed=True,
        ignored_types=(Derived,),
        defer_build=True,
    )

    alternatives: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """Groups of fields of which one excludes the others; setting one in a copy clears the rest."""

    aliases: ClassVar[Mapping[str, str]] = {}
    """Other names of keys, old ones: ``{"type": "kind"}``."""

    @classmethod
    def expand(cls, raw: Any) -> Any:
        """Turn a short form (a bare number, a list) into the mapping it means."""
        return raw

    @classmethod
    def curve_units(cls, name: str, raw: Mapping[str, Any]) -> CurveUnits:
        """Return what the curve field `name` declares, given the rest of the data."""
        extra = meta(cls.model_fields[name])
        return CurveUnits(extra["x"], extra["y"], extra["z"], extra["constant"])

    @classmethod
    def flat_curve(cls) -> str | None:
        """Name of the curve whose keys stand beside the other keys of this group."""
        return next((name for name, info in cls.model_fields.items() if meta(info).get("flat")), None)

    @classmethod
    def exclusive(cls) -> tuple[tuple[str, ...], ...]:
        """`alternatives`, and those among the keys of a flat curve."""
        if cls.flat_curve() is None:
            return cls.alternatives
        table = ("x", "y", "z", "units")
        return (
            *cls.alternatives,
            *((a, b) for a in ("rate", "value", "file") for b in table),
            ("rate", "value", "file"),
            *((a, "column") for a in ("rate", "value", "x", "y", "z")),
        )

    @classmethod
    def known_keys(cls) -> list[str]:
        """The keys that a file may have here."""
        names = [name for name, info in cls.model_fields.items() if meta(info).get("kind") != "hidden"]
        flat = cls.flat_curve()
        if flat is not None:
            i = names.index(flat)
            extra = meta(cls.model_fields[flat])
            curve_keys = [k for k in CURVE_KEYS if k not in ("rate", "value") or k == extra["constant"]]
            names[i : i + 1] = curve_keys if extra["z"] else [k for k in curve_keys if k != "z"]
        return names

    @model_validator(mode="before")
    @classmethod
    def _read(cls, raw: Any) -> Any:
        if isinstance(raw, cls):
            return raw
        raw = cls.expand(raw)
        if not isinstance(raw, Mapping):
            return raw
        data = cls.renamed(raw)
        if "right" in cls.model_fields and data.get("right") is not None:
            data["right"] = cls._other_side(data)
        flat = cls.flat_curve()
        if flat is not None and flat not in data:
            keys = [key for key in cls.known_keys() if key in data and key in CURVE_KEYS]
            group = {key: data.pop(key) for key in keys}
            if group:
                data[flat] = group
        for name, value in data.items():
            info = cls.model_fields.get(name)
            if info is None or value is None:
                continue
            extra = meta(info)
            if extra.get("kind") == "part" and (extra.get("family") or extra.get("late")):
                data[name] = _read_slot(value, extra["family"], info)
            elif extra.get("kind") == "quantity":
                data[name] = _read_quantity(value, extra["unit"])
            elif extra.get("kind") == "reference" and isinstance(value, str):
                data[name] = read_reference(value, None, extra)
            elif extra.get("kind") == "curve":
                try:
                    data[name] = read_curve(value, cls.curve_units(name, data))
                except CurveProblems as found:
                    data[name] = Bad(value, found.problems)
        return data

    @classmethod
    def renamed(cls, raw: Mapping[str, Any]) -> dict[str, Any]:
        """Return the data with the keys of today instead of their other names."""
        return {cls.aliases.get(key, key) if cls.aliases.get(key) not in raw else key: raw[key] for key in raw}

    @classmethod
    def _other_side(cls, data: Mapping[str, Any]) -> Any:
        """Return the data of the right side: those of the left, changed by what `right` says."""
        field_type = cls.model_fields["right"].annotation
        right = data["right"]
        if isinstance(right, Data):
            return right
        kinds = [
            kind for kind in getattr(field_type, "__args__", ()) if isinstance(kind, type) and issubclass(kind, Data)
        ]
        kind = kinds[0] if kinds else cls
        right = kind.expand(right)
        if not isinstance(right, Mapping):
            return right
        right = kind.renamed(right)
        if right.get("right") is not None:
            return Bad(data["right"], ((("right",), "the right side has no right side of its own"),))
        if "kind" in kind.model_fields and right.get("kind", kind_of(kind)) != data.get("kind", kind_of(kind)):
            return Bad(
                data["right"], ((("kind",), "both sides are of one kind; the right one differs in numbers only"),)
            )
        left = {
            key: value
            for key, value in data.items()
            if key != "right" and key in (*kind.known_keys(), *kind.model_fields)
        }
        return override(kind, left, right)

    @field_validator("*", mode="wrap")
    @classmethod
    def _refuse(cls, value: Any, check: ValidatorFunctionWrapHandler, about: ValidationInfo) -> Any:
        found = value.problems if isinstance(value, Bad) else ()
        if isinstance(value, tuple):  # several parts, each read by its kind
            bad = [(i, item) for i, item in enumerate(value) if isinstance(item, Bad)]
            found = tuple(((i, *place), *rest) for i, item in bad for place, *rest in item.problems)
        if found or isinstance(value, Bad):
            raise PydanticCustomError("unreadable", "; ".join(item[1] for item in found), {"problems": found})
        if isinstance(value, Data | tuple):
            extra = meta(cls.model_fields[about.field_name or ""])
            family, several = extra.get("family"), isinstance(value, tuple)
            items = value if isinstance(value, tuple) else (value,)
            if family and several != bool(extra.get("each")):
                wanted = (
                    "one group of keys, found a list" if several else "a list, found one group; put a dash before it"
                )
                raise PydanticCustomError("unreadable", "expected {wanted}", {"wanted": wanted})
            if family and items and all(getattr(item, "family", "") == family for item in items):
                return value  # any class of the family may stand here, not only that of the annotation
        return check(value)

    def with_raw(self, **changes: Any) -> Self:
        """Return a copy with some fields given anew, validated."""
        return type(self).model_validate({**{name: getattr(self, name) for name in type(self).model_fields}, **changes})


def default_kind(info: FieldInfo) -> type[Data] | None:
    """The class that stands at a field with a family when nobody says which kind: that of its annotation."""
    from jounce.core.kinds import groups_of

    found = groups_of(info)
    return found[0] if found else None


def slot_class(value: Any, family: str, info: FieldInfo) -> type[Data]:
    """The class of the part that `value` describes at a field with a family; ParameterError for an unknown kind."""
    usual = default_kind(info)
    assert usual is not None
    if isinstance(value, Data):
        return type(value)
    given = usual.renamed(value).get("kind") if isinstance(value, Mapping) else None
    if given is None or (kind_of(usual) and given == kind_of(usual)):
        return usual
    return PARTS.find(family, str(given))


def _read_slot(value: Any, family: str, info: FieldInfo) -> Any:
    """A part of a family, or a list of them, as the class its kind names."""
    if isinstance(value, list | tuple):
        return tuple(_read_slot(item, family, info) for item in value)
    if isinstance(value, Data | Bad) or value is None:
        return value
    try:
        kind = slot_class(value, family, info)
    except ParameterError as found:
        key = next((k for k in value if k == "kind" or k in (default_kind(info) or Data).aliases), "kind")
        return Bad(value, (((key,), str(found)),))
    if not kind_of(kind) and "kind" in kind.model_fields:  # the base of a family: nothing says which
        known = ", ".join(PARTS.kinds(family))
        return Bad(value, ((("kind",), f"missing; which of: {known}"),))
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        from jounce.core.messages import explain

        found_here = explain(error, kind, value)
        return Bad(value, tuple((item.keys, item.message, item.found, item.missing) for item in found_here))


def override(kind: type[Data], base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return `base` with `changes`; what excludes a changed key is dropped."""
    kept = dict(base)
    for group in kind.exclusive():
        given = [key for key in group if changes.get(key) is not None]
        for key in group if given else ():
            if key not in given:
                kept.pop(key, None)
    return {**kept, **changes}


def _read_quantity(value: Any, unit: str) -> Any:
    try:
        return units.parse(value, unit) + 0.0  # no -0.0: equal numbers are equal texts
    except ParameterError as problem:
        text = str(problem)
        for prefix in (f"value = {value!r}: ", "value: "):
            text = text.removeprefix(prefix)
        return Bad(value, (((), text),))
    except OverflowError:
        return Bad(value, (((), "too large for a floating-point number"),))


def read_reference(value: str, folder: Path | None, extra: Mapping[str, Any]) -> FileReference | Bad:
    """Find a file that is referred to from a file in `folder`."""
    try:
        return refer(value, folder, extra["family"], extra["suffix"])
    except FormatError as found:
        return Bad(value, (((), str(found)),))


def one_of(data: Data, names: tuple[str, ...], *, needed: bool = True) -> None:
    """Raise unless exactly one (or, when not `needed`, at most one) of the fields is given."""
    given = [name for name in names if getattr(data, name) is not None]
    if len(given) > 1:
        raise problem(f"{' and '.join(given)} are both given; keep one", given[1])
    if needed and not given:
        raise problem(f"missing; give {' or '.join(names)}")


def problem(message: str, *place: str | int) -> PydanticCustomError:
    """Return an error about a group of fields, with the place inside it."""
    return PydanticCustomError("unreadable", message, {"problems": ((place, message),)})


# ---- walking ---------------------------------------------------------------------------------------------


def to_raw(value: Any) -> Any:
    """Return data as a file has them: mappings, lists, plain SI numbers; what is None or empty is left out."""
    if isinstance(value, Curve):
        raw = value.raw()
        return raw[value.units.constant] if value.constant is not None else raw
    if isinstance(value, tuple):
        return [to_raw(item) for item in value]
    if isinstance(value, Mapping):
        return {key: to_raw(item) for key, item in value.items()}
    if not isinstance(value, Data):
        return value
    result: dict[str, Any] = {}
    flat = value.flat_curve()
    for name, info in type(value).model_fields.items():
        item = getattr(value, name)
        if meta(info).get("kind") == "hidden":
            continue
        if name == "right" and item is not None:
            shared = {*item.known_keys(), *type(item).model_fields}  # the right side may have less to say
            result[name] = difference({key: v for key, v in result.items() if key in shared}, to_raw(item))
        elif name == flat and isinstance(item, Curve):
            result.update(item.raw())
        elif item is not None and item != () and item != "" and item != {}:
            result[name] = to_raw(item)
    return result


def difference(left: Mapping[str, Any], right: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `right` says differently; keys it lacks and nothing else excludes are None."""
    changes = {key: value for key, value in right.items() if key not in left or left[key] != value}
    lacking = {key: None for key in left if key not in right and key not in CURVE_KEYS}
    return {**lacking, **changes}


def walk(value: Any, path: str = "") -> Iterator[tuple[str, Any, FieldInfo | None]]:
    """Yield every leaf with its path and declaration: ``front_suspension.dampers[0].scale``."""
    if isinstance(value, Data):
        for name, info in type(value).model_fields.items():
            inner = f"{path}.{name}" if path else name
            item = getattr(value, name)
            if meta(info).get("kind") == "hidden":
                continue
            if isinstance(item, Data | tuple):
                yield from walk(item, inner)
            else:
                yield inner, item, info
    elif isinstance(value, tuple):
        for i, item in enumerate(value):
            yield from walk(item, f"{path}[{i}]")
    else:
        yield path, value, None


__all__ = [
    "Bad",
    "Data",
    "ValidationError",
    "choice",
    "curve",
    "difference",
    "flag",
    "hidden",
    "meta",
    "one_of",
    "override",
    "part",
    "problem",
    "quantity",
    "read_reference",
    "reference",
    "text",
    "to_raw",
    "walk",
]
