"""What is wrong with a vehicle, said so that it can be put right: file, line, path, found, allowed, what to try."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from pydantic import ValidationError

from jounce.core.curves import Curve
from jounce.core.errors import FormatError, JounceError, did_you_mean
from jounce.core.fields import Bad, Data, meta
from jounce.core.kinds import allowed, field_at, kind_at
from jounce.core.paths import Keys, dotted

_SHOWN = 40  # problems; a broken file of a million lines still gives a message that can be read
_BOUNDS = {"greater_than": ">", "greater_than_equal": "≥", "less_than": "<", "less_than_equal": "≤"}
_BOUND_KEYS = {"greater_than": "gt", "greater_than_equal": "ge", "less_than": "lt", "less_than_equal": "le"}


LONGEST = 1000  # characters of a finding: names and values come from files, and are of any length


@dataclass(frozen=True)
class Problem:
    """One finding. ``line`` counts from 1; 0 means the file as a whole."""

    file: Path
    line: int
    key: str
    message: str

    @property
    def unreadable(self) -> bool:
        """Whether part of the data could not be read at all."""
        return not self.key

    def __str__(self) -> str:
        place = f"line {self.line}  " if self.line else ""
        separator = "" if not self.key else " " if self.message.startswith("= ") else ": "
        text = f"{place}{self.key}{separator}{self.message}"
        return text if len(text) <= LONGEST else f"{text[: LONGEST - 2]} …"


@dataclass(frozen=True)
class Finding:
    """One finding about data, by its path in the vehicle."""

    keys: Keys
    message: str
    found: str = ""
    missing: bool = False

    def text(self, n_root: int = 0) -> str:
        """Path and value; the path without its first `n_root` parts."""
        path = dotted(self.keys[n_root:])
        return f"{path} = {self.found}" if self.found and path else path


def raise_all(problems: Iterable[Problem], kind: type[JounceError]) -> NoReturn:
    """Raise one error that lists every problem, file by file in the order of the lines."""
    found = list(dict.fromkeys(problems))
    files = list(dict.fromkeys(item.file for item in found))
    count = f"{len(found)} problem{'s' if len(found) != 1 else ''}"
    lines: list[str] = []
    if len(files) > 1:
        lines.append(f"{count} in {len(files)} files")
    for file in files:
        here = sorted((item for item in found if item.file == file), key=lambda item: item.line)
        if len(files) > 1:
            lines.append(f"{shown(file)}:")
        else:
            lines.append(f"{count} in {shown(file)}")
        lines += [f"  {item}" for item in here[:_SHOWN]]
        if len(here) > _SHOWN:
            lines.append(f"  … and {len(here) - _SHOWN} more")
    raise kind("\n".join(lines) if found else "nothing could be read")


def shown(file: Path) -> str:
    """Return the file as seen from the working folder, if that is shorter."""
    try:
        return str(file.relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(file)


def explain(error: ValidationError, kind: type[Data], raw: Any, at: Keys = ()) -> list[Finding]:
    """Return the findings behind an error of the data model about `raw`, which stands at `at`."""
    findings: list[Finding] = []
    for item in error.errors(include_url=False):
        keys = _keys(item["loc"], kind, raw)
        if isinstance(found := _look(raw, keys), Bad) and not found.problems:
            continue  # told already, where it was read
        inside = (item.get("ctx") or {}).get("problems")
        if inside is None:
            findings.append(_finding(item, _origin(keys, raw), kind, raw, at))
            continue
        for place, message, *known in inside:
            full = _origin((*keys, *place), raw)
            if known:  # explained already, by the part that stands there
                findings.append(Finding((*at, *full), message, *known))
                continue
            text = _value(_look(raw, full))
            if text and message.startswith(text):
                message = message[len(text) :].lstrip(": ")
            findings.append(Finding((*at, *full), message, text))
    return list(dict.fromkeys(findings))


def _origin(keys: Keys, raw: Any) -> Keys:
    """Return the place on the left side of what the right side only took over from it."""
    if "right" in keys[:-1]:
        i = keys.index("right")
        right = _look(raw, keys[: i + 1])
        if not isinstance(right, Mapping) or keys[i + 1] not in right:
            return (*keys[:i], *keys[i + 1 :])
    return keys


def _keys(loc: tuple[str | int, ...], kind: type[Data], raw: Any) -> Keys:
    """Return the path in a file of a place in the data model."""
    keys: list[str | int] = []
    for key in loc:
        group = kind_at(tuple(keys), kind, raw)
        if group is not None and key == group.flat_curve():
            value = _look(raw, tuple(keys))
            if not isinstance(value, Mapping) or key not in value:
                continue
        keys.append(key)
    return tuple(keys)


def _finding(item: Any, keys: Keys, kind: type[Data], raw: Any, at: Keys) -> Finding:
    found = _value(_look(raw, keys))
    full = (*at, *keys)
    info = field_at(keys, kind, raw)
    unit = meta(info).get("unit", "") if info is not None else ""
    code, context = item["type"], item.get("ctx") or {}
    if code == "missing":
        group = kind_at(keys[:-1], kind, raw)
        doc = info.description if info is not None else ""
        if group is not None and keys and keys[-1] == group.flat_curve():
            return Finding(full[:-1], f"missing: a rate, a table (x, y) or a CSV file; {doc}", missing=True)
        return Finding(full, f"missing; {doc}{f', in {unit}' if unit not in ('', '-') else ''}", missing=True)
    if code == "extra_forbidden":
        group = kind_at(keys[:-1], kind, raw)
        known = group.known_keys() if group is not None else []
        return Finding(full, f"unknown key{did_you_mean(str(keys[-1]), known, limit=20)}")
    if code in _BOUNDS:
        bound = context[_BOUND_KEYS[code]]
        return Finding(full, f"must be {_BOUNDS[code]} {bound:g}{_unit(unit)}", _with_unit(found, unit))
    if code == "finite_number":
        return Finding(full, "must be a finite number", found)
    if code == "literal_error":
        values = [str(value) for value in allowed(info.annotation)] if info is not None else []
        return Finding(full, f"unknown{did_you_mean(str(_look(raw, keys)), values, limit=16)}", found)
    if code.startswith("bool"):
        return Finding(full, "expected true or false", found)
    if code.startswith("int"):
        return Finding(full, "expected a whole number", found)
    if code.startswith("string"):
        return Finding(full, "expected text", found)
    if code.startswith("tuple"):
        return Finding(full, "expected a list", found)
    if code.startswith(("model", "dict")):
        group = kind_at(keys, kind, raw)
        names = ", ".join(group.known_keys()[:12]) if group is not None else ""
        return Finding(full, f"expected a group with the keys {names}" if names else "expected a group of keys", found)
    if code == "is_instance_of" and info is not None:
        return Finding(full, f"expected {info.description}", found)
    return Finding(full, str(item["msg"]), found)


def _look(raw: Any, keys: Keys) -> Any:
    """Return what stands at a path in data as read; None where there is nothing."""
    for key in keys:
        if isinstance(raw, Mapping):
            raw = raw.get(key)
        elif isinstance(raw, list | tuple) and isinstance(key, int) and 0 <= key < len(raw):
            raw = raw[key]
        elif isinstance(raw, Data) and isinstance(key, str):
            raw = getattr(raw, key, None)
        else:
            return None
    return raw


def _value(value: Any) -> str:
    """Return a value for a message, shortened; nothing for groups."""
    if value is None or isinstance(value, Mapping | Data | Curve):
        return ""
    if isinstance(value, Bad):
        value = value.raw
    if isinstance(value, bool):
        return "true" if value else "false"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"


def _with_unit(found: str, unit: str) -> str:
    return found if found.startswith(("'", '"')) or not found else f"{found}{_unit(unit)}"


def _unit(unit: str) -> str:
    return f" {unit}" if unit not in ("", "-") else ""


__all__ = ["Finding", "FormatError", "Problem", "explain", "raise_all", "shown"]
