"""Copies of a vehicle with changes, differences between two, and what shapes the code of one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from jounce.components.part import Part
from jounce.components.suspension.compliance_maps import ComplianceMap
from jounce.core.curves import CURVE_KEYS, Curve
from jounce.core.errors import FormatError, ParameterError, did_you_mean
from jounce.core.fields import Data, ValidationError, meta, override, to_raw, walk
from jounce.core.kinds import field_at, kind_at
from jounce.core.messages import Finding, explain
from jounce.core.paths import Keys, dotted
from jounce.vehicle.layout import translated
from jounce.vehicle.schema import SUBSYSTEMS, AngleMap, Difference, KinematicMap, Provenance, Subsystem, Vehicle
from jounce.vehicle.source import Source, SourceFile

_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


def split_path(path: str) -> Keys:
    """Return the parts of ``front_suspension.dampers[0].rate``."""
    keys: list[str | int] = []
    position = 0
    while position < len(path):
        match = _STEP.match(path, position + (path[position] == "." and position > 0))
        if match is None:
            raise ParameterError(f"{path!r}: not a path; write for example 'front_suspension.dampers[0].rate'")
        keys.append(match[1] if match[1] is not None else int(match[2]))
        position = match.end()
    if not keys:
        raise ParameterError("an empty path; write for example 'front_suspension.spring.rate'")
    return tuple(keys)


def get(vehicle: Vehicle, path: str) -> Any:
    """Return what stands at a path of a vehicle."""
    value: Any = vehicle
    done: Keys = ()
    for key in translated(vehicle, split_path(path)):
        where = dotted(done) or "the vehicle"
        if isinstance(value, Data) and isinstance(key, str):
            key = value.aliases.get(key, key)
            flat = value.flat_curve()
            if key not in type(value).model_fields and flat is not None and key in CURVE_KEYS:
                value = getattr(value, flat)
                value = _of_curve(value, key, path)
            elif key in type(value).model_fields:
                value = getattr(value, key)
            else:
                raise ParameterError(f"{path!r}: no {key!r} in {where}{did_you_mean(key, type(value).known_keys())}")
        elif isinstance(value, Curve) and isinstance(key, str):
            value = _of_curve(value, key, path)
        elif isinstance(value, tuple) and isinstance(key, int):
            if key >= len(value):
                raise ParameterError(f"{path!r}: {where} has {len(value)} entries, counted from 0")
            value = value[key]
        else:
            raise ParameterError(f"{path!r}: {where} has no {dotted((key,))!r}")
        done = (*done, key)
    return value


def _of_curve(curve: Curve, key: str, path: str) -> Any:
    if key == curve.units.constant and curve.constant is not None:
        return curve.constant
    if key in ("x", "y", "z") and curve.is_table:
        return getattr(curve, key)
    raise ParameterError(f"{path!r}: this curve is a {curve.form} and has no {key!r}")


# ---- changes ---------------------------------------------------------------------------------------------


def with_changes(vehicle: Vehicle, changes: Mapping[str, Any]) -> Vehicle:
    """Return a copy with other values at some paths; see `Vehicle.with_`."""
    raw = to_raw(vehicle)
    findings: list[Finding] = []
    for path, value in changes.items():
        try:
            _set(raw, translated(vehicle, split_path(path)), value)
        except ParameterError as problem:
            findings.append(Finding((path,), str(problem).removeprefix(f"{path!r}: ").removeprefix(f"{path}: ")))
    result = None
    try:
        result = Vehicle.model_validate(raw)
    except ValidationError as error:
        findings += explain(error, Vehicle, raw)
    if findings or result is None:
        count = f"{len(findings)} problem{'s' if len(findings) != 1 else ''}"
        lines = [f"  {item.text()}: {item.message}" for item in findings]
        raise ParameterError("\n".join([f"{count} in the changes", *lines]))
    result._source = vehicle._source
    return result


def _set(raw: dict[str, Any], keys: Keys, value: Any) -> None:
    """Put a value at a path of raw data, taking away what it excludes."""
    node: Any = raw
    for i, key in enumerate(keys[:-1]):
        node = _step(raw, node, keys[: i + 1], key, keys[i + 1])
    last = keys[-1]
    if isinstance(node, list) and isinstance(last, int):
        if last >= len(node):
            raise ParameterError(f"{dotted(keys[:-1])} has {len(node)} entries, counted from 0")
        if value is None:
            del node[last]
        else:
            node[last] = _raw_value(value, keys)
    elif isinstance(node, dict) and isinstance(last, str):
        if value is None:
            node.pop(last, None)
            return
        kind = kind_at(keys[:-1], Vehicle, raw)
        last = kind.aliases.get(last, last) if kind is not None else last
        if kind is not None and last == kind.flat_curve():
            for key in CURVE_KEYS:
                node.pop(key, None)
        changed = {last: _raw_value(value, keys)}
        node_after = override(kind, node, changed) if kind is not None else {**node, **changed}
        if kind is None and last in ("rate", "value", "file"):
            node_after = changed  # a curve: its other keys were those of another form
        node.clear()
        node.update(node_after)
    else:
        raise ParameterError(f"{dotted(keys[:-1])} has no {dotted((last,))!r}")


def _step(raw: Any, node: Any, keys: Keys, key: str | int, following: str | int) -> Any:
    if isinstance(node, list) and isinstance(key, int):
        if key >= len(node):
            raise ParameterError(f"{dotted(keys[:-1])} has {len(node)} entries, counted from 0")
        return node[key]
    if not isinstance(node, dict) or not isinstance(key, str):
        raise ParameterError(f"{dotted(keys[:-1]) or 'the vehicle'} has no {dotted((key,))!r}")
    found = node.get(key)
    if found is None:
        node[key] = [] if isinstance(following, int) else {}
    elif not isinstance(found, dict | list):
        info = field_at(keys, Vehicle, raw)
        if info is None or meta(info).get("kind") != "curve" or following not in CURVE_KEYS:
            raise ParameterError(f"{dotted(keys)} is a single value; it has no {dotted((following,))!r}")
        node[key] = {meta(info)["constant"]: found}
    return node[key]


def _raw_value(value: Any, keys: Keys) -> Any:
    """Return a value as a file has it; a group may come as data or from a file."""
    if isinstance(value, Data):
        return to_raw(value)
    if isinstance(value, str) and value.strip().lower().endswith((".yaml", ".yml")):
        from jounce.vehicle.reading import Reading, read_file

        kind = kind_at(keys, Vehicle)
        path = Path(value.strip()).absolute()
        if kind is not None:
            reading = Reading()
            raw = read_file(path, keys, reading, kind)
            if reading.problems:
                raise ParameterError("; ".join(str(item) for item in reading.problems))
            return raw
    return value


def with_subsystem(vehicle: Vehicle, name: str, source: str | Path | Subsystem | Vehicle) -> Vehicle:
    """Return a copy with another subsystem; see `Vehicle.with_subsystem`."""
    if name not in SUBSYSTEMS:
        raise ParameterError(f"{name!r}: no subsystem{did_you_mean(name, SUBSYSTEMS, limit=12)}")
    files: tuple[SourceFile, ...] = ()
    if isinstance(source, Vehicle):
        data: Any = getattr(source, name)
        origin = source._source
        if origin is not None and getattr(origin.baseline, name) == data and any(f.at == (name,) for f in origin.files):
            files = origin.below((name,))
    elif isinstance(source, str | Path):
        from jounce.vehicle.reading import load_subsystem

        data, files = load_subsystem(source, name)
    else:
        data = source
    wanted = kind_at((name,), Vehicle)
    assert wanted is not None
    if not isinstance(data, wanted):
        raise ParameterError(f"{name}: expected {wanted.__name__}, found {type(data).__name__}")
    result = _checked(vehicle, name, data)
    old = vehicle._source
    if old is not None and files:
        # From now on these files describe the subsystem; what is written next refers to them.
        others = tuple(item for item in old.files if item.at[:1] != (name,))
        baseline = old.baseline.model_copy(update={name: data})
        places = {keys: place for keys, place in old.places.items() if keys[:1] != (name,)}
        result._source = Source((*others, *files), baseline, old.detached, places)
    else:
        result._source = old
    return result


def _checked(vehicle: Vehicle, name: str, data: Any) -> Vehicle:
    fields = {key: getattr(vehicle, key) for key in Vehicle.model_fields}
    try:
        return Vehicle.model_validate({**fields, name: data})
    except ValidationError as error:
        lines = [f"  {item.text()}: {item.message}" for item in explain(error, Vehicle, {**fields, name: data})]
        raise ParameterError("\n".join([f"{name} does not fit this vehicle", *lines])) from None


def with_symmetry(vehicle: Vehicle, path: str, source: Literal["left", "right"] = "left") -> Vehicle:
    """Return a copy with both sides alike; see `Vehicle.with_symmetry`."""
    if source not in ("left", "right"):
        raise ParameterError(f"source = {source!r}: unknown{did_you_mean(str(source), ('left', 'right'))}")
    keys = translated(vehicle, split_path(path))
    found = get(vehicle, path)
    if not isinstance(found, Data) or "right" not in type(found).model_fields:
        sided = [p for p, kind in sided_paths(vehicle) if kind is not None]
        raise ParameterError(f"{path!r}: has no two sides{did_you_mean(path, sided, limit=12)}")
    right = found.right  # type: ignore[attr-defined]
    if right is None:
        return vehicle
    update: dict[str, Any] = {"right": None}
    if source == "right":
        update |= {name: getattr(right, name) for name in type(right).model_fields if name != "right"}
        turned = _turned(keys, right)
        update |= turned
    result = vehicle.model_copy(update=_nested(vehicle, keys, found.model_copy(update=update)))
    result = Vehicle.model_validate({name: getattr(result, name) for name in Vehicle.model_fields})
    result._source = vehicle._source
    return result


def _turned(keys: Keys, right: Data) -> dict[str, Any]:
    """Return what the data of the right side become on the left, where the mirror turns them around."""
    from jounce.vehicle.schema import Kingpin, SteerMap, mirrored

    name = keys[-1]
    if isinstance(right, SteerMap):
        return {"curve": mirrored(right.curve, -1.0 if name in ("steer", "y") else 1.0)}
    if isinstance(right, Kingpin):
        names = ("caster", "inclination", "x", "y", "z")
        return {item: mirrored(getattr(right, item), -1.0 if item == "y" else 1.0) for item in names}
    if isinstance(right, ComplianceMap):
        return {"curve": right.model_copy(update={"right": None}).on("R").curve}
    if isinstance(right, KinematicMap) and not isinstance(right, AngleMap) and name == "y":
        return {"curve": right.curve.scaled(-1.0), "offset": -right.offset + 0.0}
    return {}


def _nested(root: Data, keys: Keys, value: Any) -> dict[str, Any]:
    """Return the update of `root` that puts `value` at a path."""
    first, rest = keys[0], keys[1:]
    assert isinstance(first, str)
    if not rest:
        return {first: value}
    child = getattr(root, first)
    if isinstance(child, tuple):
        index = rest[0]
        assert isinstance(index, int)
        inner = value if len(rest) == 1 else child[index].model_copy(update=_nested(child[index], rest[1:], value))
        return {first: (*child[:index], inner, *child[index + 1 :])}
    return {first: child.model_copy(update=_nested(child, rest, value))}


def sided_paths(data: Data, path: str = "") -> Iterator[tuple[str, type[Data] | None]]:
    """Yield the paths of everything that may differ between the sides."""
    for name in type(data).model_fields:
        value = getattr(data, name)
        inner = f"{path}.{name}" if path else name
        items = [(inner, value)] if isinstance(value, Data) else []
        if isinstance(value, tuple):
            items = [(f"{inner}[{i}]", item) for i, item in enumerate(value) if isinstance(item, Data)]
        for where, item in items:
            if "right" in type(item).model_fields:
                yield where, type(item)
            if name != "right":
                yield from sided_paths(item, where)


# ---- comparing -------------------------------------------------------------------------------------------


def diff(ours: Vehicle, theirs: Vehicle) -> list[Difference]:
    """Return every path at which two vehicles differ; see `Vehicle.diff`."""
    left, right = ({path: (value, info) for path, value, info in walk(car)} for car in (ours, theirs))
    result = []
    for path in dict.fromkeys([*left, *right]):
        a, info = left.get(path, (None, None))
        b, other = right.get(path, (None, None))
        if ".right." in path and (path not in left or path not in right):
            # One car has no right side of its own here: it is that of the left, but for what a mirror turns around.
            across = path.replace(".right.", ".")
            a, info = left.get(path) or left.get(across, (None, None))
            b, other = right.get(path) or right.get(across, (None, None))
        if a == b:
            continue
        extra = meta(info or other) if (info or other) is not None else {}  # type: ignore[arg-type]
        shown, unit = path, extra.get("unit", "")
        if extra.get("flat"):
            shown = path.rpartition(".")[0]
        if isinstance(a, Curve) and isinstance(b, Curve) and a.constant is not None and b.constant is not None:
            shown = f"{shown}.{a.units.constant}" if extra.get("flat") else shown
            unit = a.units.of_constant
            a, b = a.constant, b.constant
        result.append(Difference(shown, a, b, unit))
    return result


def structure(data: Data) -> str:
    """Return what shapes the generated code of a vehicle or of a part; see `Vehicle.structure_key`."""
    return "\n".join(_shape(data, ""))


def _shape(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, Curve):
        yield f"{path}: {value.form} {value.n_axes}"
    elif isinstance(value, tuple):
        yield f"{path}: {len(value)}"
        for i, item in enumerate(value):
            yield from _shape(item, f"{path}[{i}]")
    elif isinstance(value, Data):
        if isinstance(value, Part) and not type(value).__module__.startswith("jounce."):
            yield f"{path}: {type(value).__module__} {type(value).__qualname__}"
        if "right" in type(value).model_fields:
            yield from _fields_of(value, f"{path}.L")
            right = value.right  # type: ignore[attr-defined]
            yield from _fields_of(value, f"{path}.R", right)
        else:
            yield from _fields_of(value, path)


def _fields_of(data: Data, path: str, right: Data | None = None) -> Iterator[str]:
    """The fields of a group; those that `right` has are taken from it."""
    for name, info in type(data).model_fields.items():
        extra = meta(info)
        if name == "right" or extra.get("kind") in ("text", "flag", "hidden", "reference") or extra.get("numbers_only"):
            continue
        value = getattr(right if right is not None and name in type(right).model_fields else data, name)
        inner = f"{path}.{name}" if path else name
        if isinstance(value, Provenance):
            continue
        if value is None:
            if (
                not extra.get("silent")
                and extra.get("kind") in ("part", "curve", "quantity")
                and info.default is None
                and name != "provenance"
            ):
                yield f"{inner}: none"
        elif value == () and extra.get("silent"):
            continue
        elif extra.get("kind") == "choice":
            yield f"{inner}: {value}"
        elif extra.get("kind") == "quantity":
            if info.default is None:
                yield f"{inner}: number"
        else:
            told = list(_shape(value, inner))
            yield from told
            if not told and extra.get("silent") and isinstance(value, Data):  # numbers alone: only that it is there
                yield f"{inner}: there"


# ---- single curves ---------------------------------------------------------------------------------------


def curve_at(vehicle: Vehicle, path: str) -> Curve:
    """Return the curve at a path; that of a map when the path names the map."""
    found = get(vehicle, path)
    if isinstance(found, Data) and found.flat_curve() is not None:
        found = getattr(found, str(found.flat_curve()))
    if not isinstance(found, Curve):
        raise ParameterError(f"{path!r}: no curve but {type(found).__name__}")
    return found


def export_curve(vehicle: Vehicle, path: str, file: str | Path, columns: tuple[str, ...] | None = None) -> Path:
    """Write the table at a path as a CSV file; see `Vehicle.export_curve`."""
    target = Path(file)
    text = curve_at(vehicle, path).to_csv(columns, f"{vehicle.name}: {path}" if vehicle.name else path)
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise FormatError(f"{target}: cannot be written ({problem.strerror})") from None
    return target


def import_curve(vehicle: Vehicle, path: str, file: str | Path, columns: tuple[str, ...] | None = None) -> Vehicle:
    """Return a copy whose curve at a path is that of a CSV file; see `Vehicle.import_curve`."""
    from jounce.core.curves import read_csv

    declared = curve_at(vehicle, path).units
    curve = read_csv(Path(file), declared, list(columns) if columns is not None else None)
    keys = split_path(path)
    found = get(vehicle, path)
    if isinstance(found, Data):
        keys = (*keys, str(found.flat_curve()))
    return with_changes(vehicle, {dotted(keys): curve})
