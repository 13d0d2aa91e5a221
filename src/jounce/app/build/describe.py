"""A vehicle as a tree of groups, and a group as rows: made from the declarations of its fields, for any vehicle.

A row is plain data: ``t`` says what it is (head, number, choice, flag, text, file, curve, absent), ``path`` is what
``Vehicle.with_`` takes. Both orders of the tree have every group once, so both show the same parameters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from pydantic.fields import FieldInfo

from jounce.app.build.values import number_text, offered, usual_unit
from jounce.core.curves import Curve
from jounce.core.errors import JounceError
from jounce.core.fields import Data, meta
from jounce.core.kinds import allowed, groups_of
from jounce.core.part_registry import PARTS, kind_of
from jounce.core.paths import dotted
from jounce.core.references import FileReference
from jounce.vehicle.layout import excluded
from jounce.vehicle.schema import Vehicle

INLINE = ("Point", "Inertia")  # groups that are no more than numbers: rows of the group around
TOWED = ("units", "trailers")  # lists of a vehicle with what it tows
SIGNS = {"Gt": ("gt", ">"), "Ge": ("ge", "≥"), "Lt": ("lt", "<"), "Le": ("le", "≤")}
WORDS = {"cg": "centre of gravity", "abs": "ABS", "tcs": "TCS", "esc": "ESC", "drs": "DRS", "right": "right side"}
SPARK = 40  # points of a small picture of a curve


@dataclass
class Group:
    """A group of fields in a vehicle.

    Attributes
    ----------
    path : "" of the vehicle itself
    data : the group
    info : how it is declared where it stands
    groups : those within it
    """

    path: str
    data: Data
    info: FieldInfo | None = None
    groups: list[Group] = field(default_factory=list)

    @property
    def label(self) -> str:
        """Its name for people."""
        if not self.path:
            return str(getattr(self.data, "name", "")) or "vehicle"
        name = label_of(self.path)
        own = str(getattr(self.data, "name", "") or "")
        return f"{name}: {own}" if own and "[" in self.path.rpartition(".")[2] else name

    @property
    def component(self) -> str:
        """What kind of component it is."""
        kind = kind_of(type(self.data)) if "kind" in type(self.data).model_fields else ""
        return words_of(type(self.data).__name__) + (f", {kind.replace('_', ' ')}" if kind else "")

    def walk(self) -> Iterator[Group]:
        """Itself and all within."""
        yield self
        for group in self.groups:
            yield from group.walk()


@dataclass
class Shown:
    """How rows are shown: units by SI unit, what is changed (path -> value as it was), what is doubted, files, and
    whether more units and trailers are offered."""

    units: Mapping[str, str] = field(default_factory=dict)
    was: Mapping[str, str] = field(default_factory=dict)
    doubts: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    towed: bool = True

    def file(self, path: str) -> str:
        """The file in which a group stands."""
        at = path
        while at not in self.files and at:
            at = at[: max(at.rfind("."), at.rfind("["), 0)]
        return self.files.get(at, "")

    def unit(self, unit: str) -> str:
        """The unit that numbers of an SI unit are shown in."""
        wanted = self.units.get(unit, "")
        return wanted if wanted in offered(unit) else usual_unit(unit)


def files_of(vehicle: Any) -> dict[str, str]:
    """Names of the files that a vehicle was read from, by the path of what each describes."""
    source = vehicle._source
    if source is None:
        return {}
    found = {dotted(item.at): item.path.name for item in source.files if not item.is_table}
    return {"": source.main.name, **found}


def label_of(path: str) -> str:
    """``front_suspension.dampers[1]`` as ``dampers 2``."""
    name = path.rpartition(".")[2]
    found = re.fullmatch(r"(\w+)\[(\d+)\]", name)
    if found:
        one = found[1].removesuffix("es") if found[1].endswith("sses") else found[1].removesuffix("s")
        return f"{word_of(one)} {int(found[2]) + 1}"
    return word_of(name)


def word_of(name: str) -> str:
    """``anti_roll_bar`` as ``anti roll bar``."""
    return WORDS.get(name, name.replace("_", " "))


def words_of(name: str) -> str:
    """``AntiRollBar`` as ``anti roll bar``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).lower()


def group_of(data: Data, path: str = "", info: FieldInfo | None = None) -> Group:
    """A group with all within it."""
    found = Group(path, data, info)
    for name, about in type(data).model_fields.items():
        if meta(about).get("kind") == "hidden":
            continue
        value = getattr(data, name)
        here = f"{path}.{name}" if path else name
        items = [(here, value)]
        if isinstance(value, tuple):
            items = [(f"{here}[{k}]", item) for k, item in enumerate(value)]
        for at, item in items:
            if isinstance(item, Data) and type(item).__name__ not in INLINE:
                found.groups.append(group_of(item, at, about))
    return found


# --- tree ----------------------------------------------------------------------------------------------------------


def tree(root: Group, shown: Shown, *, order: str = "subsystem", pattern: str = "") -> list[dict[str, Any]]:
    """Nodes of a tree: by subsystem as the data are nested, or by component as their kinds are."""
    kept = {group.path for group in root.walk() if not pattern or any(_matching(group, pattern))}
    if order == "component":
        return _by_component(root, shown, kept)
    return [node for group in (root,) if (node := _node(group, shown, kept))]


def _node(group: Group, shown: Shown, kept: set[str]) -> dict[str, Any] | None:
    inner = [node for item in group.groups if (node := _node(item, shown, kept))]
    if not inner and group.path not in kept:
        return None
    return {**_about(group, shown), "label": group.label, "children": inner}


def _about(group: Group, shown: Shown) -> dict[str, Any]:
    at = group.path
    doc = str(group.info.description or "") if group.info is not None else ""
    return {
        "path": at,
        "doc": doc,
        "file": shown.file(at),
        "changed": any(within(path, at) for path in shown.was),
        "doubted": any(within(path, at) for path in shown.doubts),
    }


def _by_component(root: Group, shown: Shown, kept: set[str]) -> list[dict[str, Any]]:
    kinds: dict[str, list[Group]] = {}
    for group in root.walk():
        if group.path in kept:
            kinds.setdefault(group.component, []).append(group)
    nodes = []
    for component in sorted(kinds):
        inner = [{**_about(g, shown), "label": _full_label(g), "children": []} for g in kinds[component]]
        changed, doubted = (any(node[key] for node in inner) for key in ("changed", "doubted"))
        head = {"path": f"#{component}", "label": component, "doc": f"{len(inner)} of them", "children": inner}
        nodes.append({**head, "changed": changed, "doubted": doubted})
    return nodes


def _full_label(group: Group) -> str:
    steps = group.path.split(".")
    return " · ".join(label_of(step) for step in steps) if group.path else "vehicle"


def within(path: str, group: str) -> bool:
    """Whether a path stands in a group."""
    return not group or path == group or path.startswith((f"{group}.", f"{group}["))


def matches(text: str, pattern: str) -> bool:
    """Shell wildcards, in any letter case; without any of them the text need only contain the pattern."""
    wanted = pattern.strip().casefold()
    if not any(c in wanted for c in "*?["):
        wanted = f"*{wanted}*"
    return fnmatchcase(text.casefold(), wanted)


def _matching(group: Group, pattern: str) -> Iterator[str]:
    for path, _, _ in fields_of(group):
        if matches(path, pattern):
            yield path


# --- rows ----------------------------------------------------------------------------------------------------------


def fields_of(group: Group) -> Iterator[tuple[str, Any, FieldInfo]]:
    """Own fields of a group that hold values, with those of its inline groups; kinds are told by its head."""
    yield from _fields(group.data, group.path)


def _fields(data: Data, path: str) -> Iterator[tuple[str, Any, FieldInfo]]:
    for name, info in type(data).model_fields.items():
        kind = meta(info).get("kind")
        here = f"{path}.{name}" if path else name
        value = getattr(data, name)
        if kind == "hidden" or (name == "kind" and len(allowed(info.annotation)) == 1):
            continue
        if isinstance(value, Data) and type(value).__name__ in INLINE:
            yield from _fields(value, here)
        elif kind == "part" and not (isinstance(value, tuple) and value and not isinstance(value[0], Data)):
            continue
        else:
            yield here, value, info


def rows(root: Group, shown: Shown, path: str = "", *, pattern: str = "", deep: bool = True) -> list[dict[str, Any]]:
    """Rows of a group and, with ``deep``, of all within it; with a pattern only the fields that match."""
    start = next((group for group in root.walk() if group.path == path), root)
    found: list[dict[str, Any]] = []
    for group in start.walk() if deep else (start,):
        own = [row for at, value, info in fields_of(group) if (row := _row(group, at, value, info, shown))]
        if pattern:
            own = [row for row in own if matches(row["path"], pattern)]
        else:
            own += (row for row in _absent(group) if shown.towed or row["path"] not in TOWED)
        if own or not (pattern or group.groups):
            found += [_head(group, start, shown), *own]
    return found


def _head(group: Group, start: Group, shown: Shown) -> dict[str, Any]:
    steps = group.path.removeprefix(start.path).strip(".") if group is not start else group.path
    label = " · ".join(label_of(step) for step in steps.split(".")) if steps else group.label
    info = group.info
    in_list = group.path.endswith("]")
    removable = in_list or (info is not None and info.default is None)
    extra = {"label": label, "component": group.component, "removable": removable}
    told = next((text for at, text in shown.doubts.items() if at == group.path), "")
    return {"t": "head", **_about(group, shown), **extra, "remark": told}


def _row(group: Group, path: str, value: Any, info: FieldInfo, shown: Shown) -> dict[str, Any] | None:
    extra = meta(info)
    inner = path.removeprefix(group.path).lstrip(".")
    flat = bool(extra.get("flat"))
    label = " ".join(word_of(step) for step in inner.split("."))
    known = path.removesuffix(".curve") if flat else path
    was = shown.was.get(path, shown.was.get(known))
    row: dict[str, Any] = {"path": path, "label": label, "doc": str(info.description or "")}
    row |= {"changed": was is not None, "was": was or "", "remark": shown.doubts.get(known, shown.doubts.get(path, ""))}
    kind = extra.get("kind")
    if kind == "quantity":
        return {**row, **_number(value, extra, info, shown)}
    if kind == "curve" and (value is None or isinstance(value, Curve)):
        units = value.units if value is not None else type(group.data).curve_units(path.rpartition(".")[2], {})
        return {**row, **_curve(value, units, shown)}
    if kind == "reference" or isinstance(value, FileReference):
        return {**row, "t": "file", "value": "" if value is None else str(value), "options": _library(extra)}
    options = allowed(info.annotation)
    if isinstance(value, bool):
        return {**row, "t": "flag", "value": value}
    if options:
        return {**row, "t": "choice", "value": "" if value is None else value, "options": options}
    if isinstance(value, int | float):
        text = _limits(info, "", "")
        number: dict[str, Any] = {
            "value": value,
            "text": f"{value:g}",
            "unit": "",
            "shown": "",
            "units": [],
            "usual": "",
        }
        return {**row, "t": "number", **number, "limits": text, "whole": isinstance(value, int)}
    if value is None or isinstance(value, str):
        return {**row, "t": "text", "value": value or ""}
    if isinstance(value, tuple):
        return {**row, "t": "text", "value": ", ".join(map(str, value)), "several": True}
    return None


def _number(value: float | None, extra: Mapping[str, Any], info: FieldInfo, shown: Shown) -> dict[str, Any]:
    unit = str(extra["unit"])
    display = shown.unit(unit)
    usual = extra.get("typical")
    return {
        "t": "number",
        "value": value,
        "text": "" if value is None else number_text(value, unit, display),
        "unit": unit,
        "shown": display,
        "units": list(offered(unit)),
        "limits": _limits(info, unit, display),
        "usual": f"{_short(usual[0], unit, display)} … {_short(usual[1], unit, display)}" if usual else "",
        "needed": info.is_required(),
        "default": "" if info.default is None or info.is_required() else number_text(info.default, unit, display),
    }


def _short(value: float, unit: str, display: str) -> str:
    return f"{float(number_text(value, unit, display)):.4g}"


def _limits(info: FieldInfo, unit: str, display: str) -> str:
    found = []
    for bound in info.metadata:
        known = SIGNS.get(type(bound).__name__)
        if known:
            value = float(getattr(bound, known[0]))
            found.append(f"{known[1]} {_short(value, unit, display) if unit else f'{value:g}'}")
    return ", ".join(found)


def _curve(curve: Curve | None, units: Any, shown: Shown) -> dict[str, Any]:
    x, y = shown.unit(units.x), shown.unit(units.y)
    row: dict[str, Any] = {"t": "curve", "x": x, "y": y, "form": "none", "summary": "none", "spark": []}
    if curve is None:
        return row
    if curve.constant is not None:
        unit = units.of_constant
        display = shown.unit(unit)
        text = number_text(curve.constant, unit, display)
        about = "constant" if units.constant == "value" else "proportional"
        return {**row, "form": units.constant, "text": text, "shown": display, "unit": unit, "summary": about}
    values = curve.values if curve.values.ndim == 2 else curve.values[:, None]
    every = max(1, len(curve.x) // SPARK)
    lines = [values[::every, k].tolist() for k in range(0, values.shape[1], max(1, values.shape[1] // 5))]
    size = f"{len(curve.x)} × {len(curve.z)} points" if curve.z else f"{len(curve.x)} points"
    span = f"{number_text(curve.x[0], units.x, x):.6} … {number_text(curve.x[-1], units.x, x):.6} {x}"
    return {**row, "form": "table", "summary": f"{size}, {span}", "spark": [list(curve.x[::every]), *lines]}


def _library(extra: Mapping[str, Any]) -> list[str]:
    from jounce.core.library import LIBRARY

    family, suffix = extra.get("family", ""), extra.get("suffix", "")
    return sorted(path.stem for path in (LIBRARY / family).glob(f"*{suffix}")) if family else []


def _absent(group: Group) -> Iterator[dict[str, Any]]:
    """Parts that might stand here and do not: groups that are optional, and one more of every list."""
    never = excluded(group.data) if isinstance(group.data, Vehicle) else ()
    for name, info in type(group.data).model_fields.items():
        extra = meta(info)
        value = getattr(group.data, name)
        if name in never and not value:
            continue
        several = isinstance(value, tuple)
        if extra.get("kind") != "part" or (value is not None and not several):
            continue
        if not groups_of(info):
            continue
        path = f"{group.path}.{name}" if group.path else name
        yield {"t": "absent", "path": path, "label": word_of(name), "doc": str(info.description or ""), "list": several}


def kinds_at(data: Data, name: str) -> dict[str, type[Data]]:
    """Classes of parts that may stand in a field, by kind; one without kinds under ""."""
    info = type(data).model_fields[name]
    family = meta(info).get("family")
    if family:
        try:
            return dict(PARTS.kinds(family))
        except JounceError:
            pass
    return {kind_of(cls) if "kind" in cls.model_fields else "": cls for cls in groups_of(info)}
