"""Make the tables of keys in docs/vehicles.md from the declared data: python tools/make_schema_docs.py [--check]

Everything between the two marker lines of the page is replaced: a section per group of keys, with its unit, default,
range and meaning as declared (`jounce.core.fields`). ``--check`` writes nothing; it exits with 1, and says so, when
the page is not up to date.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_origin

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from jounce.components.basics import Subsystem
from jounce.components.part import Part
from jounce.core.curves import Curve
from jounce.core.fields import Data, meta
from jounce.core.kinds import allowed, groups_of
from jounce.core.part_registry import PARTS, kind_of
from jounce.vehicle.schema import SUBSYSTEMS, Vehicle

PAGE = Path(__file__).resolve().parent.parent / "docs" / "vehicles.md"
BEGIN = "<!-- begin: made by tools/make_schema_docs.py, do not edit -->"
END = "<!-- end: made by tools/make_schema_docs.py -->"

# Declared, read and written, but the model does not ask for them yet; once it does, this script says so.
NOT_USED = {
    ("DiscBrake", "lockup_speed"),
    ("DrumBrake", "lockup_speed"),
}
MODEL = Path(__file__).resolve().parent.parent / "src" / "jounce"
LISTS = ("axles", "units")  # the other spelling: told after the groups that it lists
SHOWN_PATHS = 4
SIGNS = {"gt": "> ", "ge": "≥ ", "lt": "< ", "le": "≤ "}
COLUMNS = ("key", "unit", "default", "range", "meaning")


@dataclass
class Group:
    """A group of keys and the paths at which it stands."""

    kind: type[Data]
    paths: list[str] = field(default_factory=list)

    @property
    def title(self) -> str:
        paths = self.paths[:SHOWN_PATHS]
        title = ", ".join(f"`{path}`" if path else "vehicle" for path in paths)
        if len(self.paths) > SHOWN_PATHS:
            title += ", …"
        kind = kind_of(self.kind)
        return f"{title}, kind {kind}" if kind and len(PARTS.kinds(family_of(self.kind))) > 1 else title


def family_of(kind: type[Data]) -> str:
    """What a group may stand for; empty where there is no choice."""
    return str(getattr(kind, "family", ""))


def groups_at(info: FieldInfo) -> list[type[Data]]:
    """The groups that may stand at a field: of a family all kinds that come with the package."""
    found = groups_of(info)
    family = meta(info).get("family") if meta(info).get("kind") == "part" else ""
    family = family or next((name for kind in found if (name := family_of(kind))), "")
    if family:
        chosen = [kind for kind in found if kind_of(kind)]
        return chosen + [kind for kind in PARTS.kinds(family).values() if kind not in chosen]
    return [kind for kind in found if kind is not Part]


def groups() -> list[Group]:
    """All groups in the order of the vehicle, each once with all its places."""
    found: dict[type[Data], Group] = {}

    def visit(kind: type[Data], path: str) -> None:
        known = kind in found
        found.setdefault(kind, Group(kind)).paths.append(path)
        if known:
            return
        ordered = sorted(kind.model_fields.items(), key=lambda item: kind is Vehicle and item[0] in LISTS)
        for name, info in ordered:
            if name == "right" or meta(info).get("kind") == "hidden":
                continue
            inner = f"{path.replace('front_', '…_', 1)}.{name}" if path else name
            if get_origin(info.annotation) is tuple:
                inner += "[ ]"
            for below in groups_at(info):
                visit(below, inner)

    visit(Vehicle, "")
    return list(found.values())


def rows(kind: type[Data]) -> Iterator[tuple[str, ...]]:
    """The table of a group."""
    for name, info in kind.model_fields.items():
        extra = meta(info)
        if extra.get("kind") == "hidden":
            continue
        doc = str(info.description)
        if (kind.__name__, name) in NOT_USED:
            doc += " (kept, without effect yet)"
        if extra.get("flat"):
            keys = [key for key in kind.known_keys() if key not in kind.model_fields]
            yield ", ".join(f"`{key}`" for key in keys), unit(kind, name), default(kind, name, info), "", escaped(doc)
            continue
        yield f"`{name}`", unit(kind, name), default(kind, name, info), bounds(info), escaped(doc)


def unit(kind: type[Data], name: str) -> str:
    info = kind.model_fields[name]
    extra = meta(info)
    found = extra.get("kind")
    if found == "quantity":
        return f"{extra['unit']}"
    if found == "curve":
        x, z = (" or ".join(dict.fromkeys(units)) for units in _axes(kind, name))
        return f"{extra['y']} over ({x}; {z})" if z else f"{extra['y']} over ({x})"
    if found == "part":
        return "list" if get_origin(info.annotation) is tuple else "group"
    if found == "reference":
        return "file"
    if found == "flag" and info.annotation is int:
        return "number"
    return {"choice": "choice", "flag": "flag"}.get(str(found), "text")


def _axes(kind: type[Data], name: str) -> tuple[list[str], list[str]]:
    """Units of x and z of a curve, for both inputs of the steering."""
    found = [kind.curve_units(name, {"over": over}) for over in ("rad", "m")]
    return [u.x for u in found], [u.z for u in found]


def bounds(info: FieldInfo) -> str:
    if meta(info).get("kind") == "choice":
        values = allowed(info.annotation)
        if values:
            return ", ".join(f"`{value}`" if value != "" else "empty" for value in values)
        if info.annotation is bool:
            return "`true`, `false`"
    if meta(info).get("kind") == "flag" and info.annotation is bool:
        return "`true`, `false`"
    limits = [(key, getattr(item, key)) for item in info.metadata for key in SIGNS if hasattr(item, key)]
    low = next((v for k, v in limits if k == "ge"), None)
    high = next((v for k, v in limits if k == "le"), None)
    if low is not None and high is not None:
        return f"{low:g} … {high:g}"
    return ", ".join(f"{SIGNS[key]}{value:g}" for key, value in limits)


def default(kind: type[Data], name: str, info: FieldInfo) -> str:
    if any(name in group for group in kind.alternatives):
        others = [o for group in kind.alternatives if name in group for o in group if o != name]
        return "or " + ", ".join(f"`{o}`" for o in others)
    value = info.default
    if isinstance(value, Mapping):  # of a group, as a file would have it
        (group, *_) = groups_of(info)
        value = group.model_validate(value)
    if value is PydanticUndefined:
        return "**needed**"
    if value is None or value == () or value == "":
        return "none"
    if isinstance(value, Curve):
        return "table" if value.constant is None else f"{value.constant:g}"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, Data):
        flat = type(value).flat_curve()
        return default_curve(getattr(value, flat)) if flat is not None else "its defaults"
    return f"`{value}`"


def default_curve(value: Curve) -> str:
    return "" if value.constant is None else f"{value.constant:g}"


def escaped(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|")


def about(kind: type[Data]) -> str:
    """First paragraph of the docstring, on one line, without numbers of equations; with its formula as code."""
    paragraphs = re.split(r"\n\s*\n", (kind.__doc__ or "").strip())
    lines = [re.sub(r"\s*\(\d\)\s*$", "", line.strip()) for line in paragraphs[0].splitlines()]
    text = " ".join(lines).replace("``", "`")
    text = re.sub(r":\s{2,}(.+?)\.?$", lambda m: ":" + formula(m[1]), text)
    if text.endswith(":") and len(paragraphs) > 1:
        text += formula(" ".join(line.strip() for line in paragraphs[1].splitlines()))
    return text


def formula(text: str) -> str:
    return "\n\n    " + re.sub(r"\s{2,}", "   ", text.strip())


def section(group: Group) -> list[str]:
    lines = [f"### {group.title}", "", about(group.kind), ""]
    lines += ["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    skip = set(Subsystem.model_fields) if issubclass(group.kind, Subsystem) else set()
    found = [row for row in rows(group.kind) if row[0].strip("`") not in skip]
    return [*lines, *("| " + " | ".join(row) + " |" for row in found), ""]


def tables() -> str:
    """The part of the page between the markers."""
    lines: list[str] = []
    for group in groups():
        lines += section(group)
    names = ", ".join(f"`{name}`" for name in Subsystem.model_fields)
    lines += [f"Every subsystem ({', '.join(f'`{name}`' for name in SUBSYSTEMS)}) may have {names} as well.", ""]
    return "\n".join(lines)


def page(text: str) -> str:
    """A page with its tables as they should be."""
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise SystemExit(f"{PAGE.name}: expected one line {BEGIN!r} and one line {END!r}")
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n\n{tables()}\n{END}{after}"


def asked_for(name: str) -> bool:
    """Whether a part asks for a number by its symbol, or the search for equilibrium for the datum itself."""
    symbols = rf"\b(?:p|own)\.{name}\b"
    files = [(symbols, file) for file in (MODEL / "components").rglob("*.py")]
    files += [(rf"\.{name}\b", file) for folder in ("sim", "events") for file in (MODEL / folder).rglob("*.py")]
    return any(re.search(pattern, file.read_text(encoding="utf-8")) for pattern, file in files)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, say whether the page is up to date")
    options = parser.parse_args(arguments)
    for kind, name in sorted(NOT_USED):
        if asked_for(name):
            raise SystemExit(f"{kind}.{name} is used now: take it out of NOT_USED in {Path(__file__).name}")
    now = PAGE.read_text(encoding="utf-8")
    wanted = page(now)
    if now == wanted:
        print(f"{PAGE.name}: up to date")
        return 0
    if options.check:
        print(f"{PAGE.name}: the tables are not up to date; run python tools/make_schema_docs.py")
        return 1
    PAGE.write_text(wanted, encoding="utf-8")
    print(f"{PAGE.name}: written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
