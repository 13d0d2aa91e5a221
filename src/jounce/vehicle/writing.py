"""Writing vehicles: the user's files keep their comments, order and units; only what changed is written anew.

What is in a file is compared with the vehicle as it was read (`Source.baseline`). A number that changed keeps the unit
of its text when the digits in that unit read back to the same bits; otherwise it is written in SI. A curve that was one
column of a file and changed gets a file of its own: the others still are what that file says.
"""

from __future__ import annotations

import io
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jounce.core.curves import CURVE_KEYS, Curve, in_unit
from jounce.core.errors import FormatError, ParameterError
from jounce.core.fields import Data, difference, meta, to_raw
from jounce.core.library import LIBRARY
from jounce.core.paths import Keys
from jounce.core.references import FileReference
from jounce.core.writing import write_atomically
from jounce.vehicle.reading import MAIN, load
from jounce.vehicle.schema import SUBSYSTEMS, Point, Vehicle, Wheels, Wind
from jounce.vehicle.source import Source, SourceFile

_TEXT = re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*(\S.*?)?\s*")
_LONG = 24  # tables with more numbers get a file of their own when a vehicle is written for the first time


@dataclass(frozen=True)
class _File:
    """A file to be: where it comes from, where it goes, and whether it is written or only referred to.

    `alone`: one column of the source, which changed and gets this file for itself.
    """

    source: SourceFile
    target: Path
    written: bool
    alone: bool = False


@dataclass
class _Job:
    """One act of writing: all files, and where the tires are to be."""

    vehicle: Vehicle
    source: Source
    files: list[_File]
    tires: dict[Path, Path]

    def at(self, keys: Keys) -> _File | None:
        return next((item for item in self.files if item.source.at == keys), None)


def save(vehicle: Vehicle, path: str | Path | None = None) -> Path:
    """Write a vehicle; see `Vehicle.save`."""
    source = vehicle._source
    if path is None:
        if source is None or source.detached:
            raise ParameterError("this vehicle has no files yet; say where to: save('folder')")
        if source.root.is_relative_to(LIBRARY):
            raise ParameterError("this vehicle belongs to the library; say where to: save('folder')")
        return _write(vehicle, source, source.root, source.main, outside=False, keep=())
    target = Path(path).absolute()
    if target.suffix.lower() in (".yaml", ".yml"):
        return _save_one(vehicle, source, target)
    if source is None:
        return _save_new(vehicle, target)
    main = source.main if target == source.root else target / MAIN
    keep: tuple[Keys, ...] = (("aero",),) if source.detached else ()
    return _write(vehicle, source, target, main, outside=source.detached, keep=keep)


def clone(vehicle: Vehicle, name: str, folder: str | Path | None = None) -> Vehicle:
    """Return an independent copy; see `Vehicle.clone`."""
    copy = vehicle.model_copy(update={"name": name})
    if vehicle._source is not None:
        copy._source = replace(vehicle._source, detached=True)
    if folder is None:
        return copy
    target = Path(folder)
    _refuse_same(vehicle, target)
    if target.exists() and (target.is_file() or any(target.iterdir())):
        raise ParameterError(f"{target}: is there already, and a clone would overwrite it; choose another folder")
    return load(save(copy, folder))


def publish(vehicle: Vehicle, folder: str | Path) -> Path:
    """Write a vehicle with all it refers to; see `Vehicle.publish`."""
    target = Path(folder).absolute()
    _refuse_same(vehicle, target)
    tires: dict[Path, Path] = {}
    for item in _tires(vehicle):
        if item.path not in tires:
            tires[item.path] = _unique(target / "tires" / item.path.name, set(tires.values()))
    for origin, copy in tires.items():
        _make_folder(copy.parent)
        try:
            shutil.copyfile(origin, copy)
        except OSError as problem:
            raise FormatError(f"{copy}: cannot be written ({problem.strerror})") from None
    if vehicle._source is None:
        return _save_new(vehicle, target, tires)
    return _write(vehicle, vehicle._source, target, target / MAIN, outside=True, keep=(), tires=tires)


def _refuse_same(vehicle: Vehicle, folder: Path) -> None:
    if vehicle._source is not None and folder.absolute() == vehicle._source.root:
        raise ParameterError(f"{folder}: the vehicle itself stands there; choose another folder")


def _tires(vehicle: Vehicle) -> list[FileReference]:
    return [tire for _, tire in _tire_keys(vehicle, ())]


# ---- files that exist ------------------------------------------------------------------------------------


def _write(
    vehicle: Vehicle,
    source: Source,
    folder: Path,
    main: Path,
    *,
    outside: bool,
    keep: tuple[Keys, ...],
    tires: dict[Path, Path] | None = None,
) -> Path:
    """Write all files of a vehicle below `folder`.

    Parameters
    ----------
    outside : also those that lie outside the folder of the vehicle
    keep : parts whose files stay where they are as long as they are unchanged
    tires : places of copied tires
    """
    files: list[_File] = []
    taken: set[Path] = set()
    for item in source.files:
        now, then = _part(vehicle, item.at), _part(source.baseline, item.at)
        if now is None or (item.is_table and not _is_table(now)):
            continue  # what it describes is gone
        same = _content(now, item) == _content(then, item)
        alone = bool(item.column) and not same
        inside = item.path.is_relative_to(source.root)
        kept = same and any(item.at[: len(keys)] == keys for keys in keep)
        if item.at == ():
            target, written = main, True
        elif kept or (not inside and same and not outside):
            target, written = item.path, False
        else:
            target = folder / item.path.relative_to(source.root) if inside else folder / item.path.name
            if alone:
                target = target.with_name(f"{target.stem}_{_file_word(item.column)}{target.suffix}")
            together = next((f.target for f in files if _same_file(f, item)), None) if not alone else None
            target = together or _distinct(target, item, now, files, vehicle, taken)
            written = True
        taken.add(target)
        files.append(_File(item, target, written, alone))
    job = _Job(vehicle, source, files, tires or {})
    # All texts first: when one cannot be made, nothing has been touched.
    texts = [(file, _csv(job, file) if file.source.is_table else _yaml(job, file)) for file in files if file.written]
    done: dict[Path, str] = {}
    for file, text in texts:
        if (file.target != file.source.path or text != file.source.text) and done.get(file.target) != text:
            _put(file.target, text)
            done[file.target] = text
    return main


def _same_file(file: _File, item: SourceFile) -> bool:
    """Whether an unchanged column `item` stands in a file that is written as a whole already."""
    return bool(item.column and file.source.column) and not file.alone and file.source.path == item.path


def _distinct(target: Path, item: SourceFile, now: Any, files: list[_File], vehicle: Vehicle, taken: set[Path]) -> Path:
    """Return `target`, or another name when a file of that name has to hold something else."""
    for other in files:
        if other.target == target:
            same_origin = other.source.path == item.path
            if same_origin and _content(_part(vehicle, other.source.at), item) == _content(now, item):
                return target
            return _unique(target, taken)
    return target


def _file_word(column: str) -> str:
    """Return the name of a column as part of the name of a file."""
    return re.sub(r"[^\w.-]+", "_", column).strip("._") or "column"


def _content(part: Any, item: SourceFile) -> Any:
    """What a file says of a part; what kind of part that is follows from where it stands."""
    return _curve_of(part) if item.is_table else to_raw(part)


def _unique(target: Path, taken: set[Path]) -> Path:
    n, result = 2, target
    while result in taken:
        result = target.with_name(f"{target.stem}_{n}{target.suffix}")
        n += 1
    return result


def _part(vehicle: Vehicle, at: Keys) -> Any:
    """Return what stands at a path, None where there is nothing."""
    value: Any = vehicle
    for key in at:
        if isinstance(value, Data) and isinstance(key, str):
            value = getattr(value, key, None)
        elif isinstance(value, tuple) and isinstance(key, int) and key < len(value):
            value = value[key]
        else:
            return None
    return value


def _curve_of(part: Any) -> Curve | None:
    if isinstance(part, Data) and part.flat_curve() is not None:
        part = getattr(part, str(part.flat_curve()))
    return part if isinstance(part, Curve) else None


def _is_table(part: Any) -> bool:
    curve = _curve_of(part)
    return curve is not None and curve.is_table


def _csv(job: _Job, item: _File) -> str:
    """Return the text of a table; as it was, when the numbers are."""
    curve = _curve_of(_part(job.vehicle, item.source.at))
    assert curve is not None
    if curve == _curve_of(_part(job.source.baseline, item.source.at)):
        return item.source.text
    comments = [line.lstrip()[1:].strip() for line in item.source.text.splitlines() if line.lstrip().startswith("#")]
    rows = [line for line in item.source.text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if item.source.column:
        rows = _own_columns(rows[:2], item.source.column, curve)
    head = (
        rows[0]
        if len(rows) > 1 and len(rows[0].split(",")) == 2 and _TEXT.fullmatch(rows[0].split(",")[0]) is None
        else "x,y"
    )
    text = "\n".join(rows) if item.source.column else item.source.text
    return curve.to_csv(_csv_units(text, curve), "\n".join(comments), head)


def _own_columns(heads: list[str], column: str, curve: Curve) -> list[str]:
    """Return the rows of names and units of a file, of all columns only those of one curve."""
    cells = [[cell.strip() for cell in row.split(",")] for row in heads]
    if not cells or column not in cells[0]:
        return []
    used = [*range(2 if curve.z else 1), cells[0].index(column)]
    return [",".join(row[i] for i in used) for row in cells if len(row) == len(cells[0])]


def _csv_units(text: str, curve: Curve) -> tuple[str, ...] | None:
    """Return the units in the row of units of a CSV file, when they fit."""
    from jounce.core import units

    n = 3 if curve.z else 2
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split(",") if cell.strip()]
        if len(cells) == n and not line.lstrip().startswith("#"):
            wanted = (curve.units.x, curve.units.z, curve.units.y) if n == 3 else (curve.units.x, curve.units.y)
            try:
                if all(units.dimensions(a) == units.dimensions(b) for a, b in zip(cells, wanted, strict=True)):
                    return tuple(cells)
            except ParameterError:
                continue
    return None


def _yaml(job: _Job, item: _File) -> str:
    """Return the text of a YAML file; to the letter as it was, when nothing in it changed."""
    yaml = _round_trip(item.source.text)
    document = yaml.load(item.source.text)
    at = item.source.at
    changed = _update(job, document, _part(job.source.baseline, at), _part(job.vehicle, at), at)
    changed |= _refer(job, item, document)
    if not changed:
        return item.source.text
    stream = io.StringIO()
    yaml.dump(document, stream)
    return stream.getvalue()


def edited(text: str, changes: Mapping[Keys, Any]) -> str:
    """Return the text of a YAML file with other values at some paths; None removes. The rest stays as it is.

    Values are texts, numbers, lists and mappings; a mapping of nothing but texts and numbers goes into one line.
    """
    yaml = _round_trip(text)
    document = yaml.load(text)
    for (*path, last), value in changes.items():
        node = _node(document, tuple(path))
        if node is None:
            raise ParameterError(f"no place for {'.'.join(map(str, (*path, last)))} in this file")
        if value is None:
            node.pop(last, None)
        else:
            node[last] = _styled(value)
    stream = io.StringIO()
    yaml.dump(document, stream)
    return stream.getvalue()


def dumped(document: Mapping[str, Any]) -> str:
    """Return a new YAML text, in the style of `edited`."""
    return _dump(_styled(document))


def _styled(value: Any) -> Any:
    if isinstance(value, list):
        return _flow(value)
    if not isinstance(value, Mapping):
        return value
    result = _mapping({key: _styled(item) for key, item in value.items()})
    leaf = all(not isinstance(item, Mapping | list) for item in value.values())
    if leaf or "file" in value:
        result.fa.set_flow_style()
    return result


def _round_trip(text: str) -> Any:
    from ruamel.yaml import YAML

    yaml = YAML(typ="rt", pure=True)
    yaml.preserve_quotes = True
    yaml.width = 4096
    if re.search(r"^( *)[^\s#-][^\n]*:[ \t]*(?:#[^\n]*)?\n(?:[ \t]*(?:#[^\n]*)?\n)*\1 +- ", text, re.MULTILINE):
        yaml.indent(mapping=2, sequence=4, offset=2)
    return yaml


def _update(job: _Job, node: Any, before: Any, after: Any, at: Keys) -> bool:
    """Bring the mapping `node`, which described `before`, up to date; tell whether anything changed."""
    changed = False
    kind = type(after)
    for name, info in kind.model_fields.items():
        old, new = getattr(before, name, None), getattr(after, name)
        extra = meta(info)
        if extra.get("kind") == "hidden" or (old == new and type(old) is type(new)):
            continue
        here = (*at, name)
        own = job.at(here)
        if name == "right":
            changed |= _update_right(node, before, after)
        elif extra.get("flat"):
            changed |= _set_flat(job, node, new, at)
        elif new is None or new == ():
            node.pop(name, None)
            changed = True
        elif isinstance(new, Curve):
            if own is None or not own.source.is_table or not new.is_table:
                node[name] = _fresh_curve(new, node.get(name))
                changed = True
        elif _words(new):
            node[name] = _flow(list(new))
            changed = True
        elif isinstance(new, tuple):
            changed |= _update_list(job, node, name, old or (), new, here)
        elif isinstance(new, Data):
            if own is not None and not own.source.is_table:
                continue  # stands in a file of its own
            changed |= _update_part(job, node, name, old, new, here)
        elif isinstance(new, FileReference):
            node[name] = str(new)
            changed = True
        else:
            node[name] = _leaf(new, extra, node.get(name))
            changed = True
    return changed


def _words(value: Any) -> bool:
    """Whether it is a list of words, not of groups."""
    return isinstance(value, tuple) and all(isinstance(item, str) for item in value)


def _update_part(job: _Job, node: Any, name: str | int, old: Any, new: Data, here: Keys) -> bool:
    found = node[name] if isinstance(name, int) else node.get(name)
    if type(old) is not type(new) or found is None:
        node[name] = fresh(new)
        return True
    if isinstance(found, dict):
        return _update(job, found, old, new, here)
    if isinstance(found, list) and isinstance(new, Point | Wind):
        if len(found) == 3:
            for i, axis in enumerate("xyz"):
                if getattr(old, axis) != getattr(new, axis):
                    found[i] = _leaf(getattr(new, axis), meta(type(new).model_fields[axis]), found[i])
        return True
    if new.flat_curve() is not None:
        # A short form: seen as the mapping it means, and short again if it can be.
        group = _mapping({"file" if str(found).lower().endswith(".csv") else "rate": found})
        changed = _update(job, group, old, new, here)
        node[name] = next(iter(group.values())) if list(group) in (["rate"], ["file"]) else group
        return changed
    node[name] = fresh(new)
    return True


def _update_list(job: _Job, node: Any, name: str, old: tuple[Any, ...], new: tuple[Any, ...], here: Keys) -> bool:
    found = node.get(name)
    if not isinstance(found, list) or len(found) != len(old):
        node[name] = [fresh(item) for item in new]
        return True
    changed = False
    for i, item in enumerate(new):
        if i >= len(found):
            found.append(fresh(item))
            changed = True
        elif item != old[i] and job.at((*here, i)) is None:
            changed |= _update_part(job, found, i, old[i], item, (*here, i))
    while len(found) > len(new):
        found.pop()
        changed = True
    return changed


def _update_right(node: Any, before: Any, after: Any) -> bool:
    """What differs on the right side is short: it is written anew when it changed."""
    old, new = to_raw(before).get("right"), to_raw(after).get("right")
    if old == new:
        return False
    if new is None:
        node.pop("right", None)
    else:
        node["right"] = _fresh_right(after)
    return True


def _set_flat(job: _Job, node: Any, curve: Curve, at: Keys) -> bool:
    own = job.at(at)
    if own is not None and own.source.is_table and curve.is_table:
        return False  # the table stands in its own file
    old = dict(node)
    for key in CURVE_KEYS:
        node.pop(key, None)
    found: Any = old.get(curve.units.constant) if curve.constant is not None else old
    made = _fresh_curve(curve, found)
    group = made if isinstance(made, dict) else {curve.units.constant: made}
    for i, (key, value) in enumerate(group.items()):
        node.insert(i, key, value)
    return True


def _refer(job: _Job, item: _File, document: Any) -> bool:
    """Let the references in a file point to where things are going to be."""
    changed = False
    at, folder = item.source.at, item.target.parent
    for other in job.files:
        if other is item or other.source.at[: len(at)] != at or _around(job, other) is not item:
            continue
        *path, last = other.source.at[len(at) :]
        node = _node(document, tuple(path))
        if node is None:
            continue
        if other.source.is_table and isinstance(node[last], dict):
            node, last = node[last], "file"
            if other.alone and "column" in node:
                del node["column"]
                changed = True
        text = node[last] if last in node or isinstance(last, int) else None
        if not isinstance(text, str) or _resolve(folder, text) != other.target:
            node[last] = _relative(other.target, folder)
            changed = True
    for keys, tire in _tire_keys(job.vehicle, at):
        if any(f.source.at == keys[: len(f.source.at)] and len(f.source.at) > len(at) for f in job.files):
            continue  # stands in another file
        node = _node(document, keys[len(at) :])
        if not isinstance(node, dict) or not isinstance(node.get("tire"), str):
            continue
        wanted = job.tires.get(tire.path, tire.path)
        if tire.in_library and not job.tires:
            if Path(node["tire"]).stem != tire.path.stem:
                node["tire"] = tire.path.stem
                changed = True
        elif _resolve(folder, node["tire"]) != wanted:
            node["tire"] = _relative(wanted, folder)
            changed = True
    return changed


def _tire_keys(vehicle: Vehicle, at: Keys) -> list[tuple[Keys, FileReference]]:
    """Where below `at` tires are named, and which."""
    found: list[tuple[Keys, FileReference]] = []
    places: list[tuple[Keys, Wheels | None]] = [
        (("front_wheels",), vehicle.front_wheels),
        (("rear_wheels",), vehicle.rear_wheels),
        *((("axles", i, "wheels"), axle.wheels) for i, axle in enumerate(vehicle.axles)),
        *(
            ((word, n, "axles", i, "wheels"), axle.wheels)
            for word, units in (("units", vehicle.units), ("trailers", vehicle.trailers))
            for n, unit in enumerate(units)
            for i, axle in enumerate(unit.axles)
        ),
    ]
    for place, data in places:
        for keys, wheels in ((place, data), ((*place, "right"), data.right if data is not None else None)):
            if wheels is not None:
                found.append((keys, wheels.tire))
                if wheels.twin is not None and wheels.twin.tire is not None:
                    found.append(((*keys, "twin"), wheels.twin.tire))
    return [(keys, tire) for keys, tire in found if keys[: len(at)] == at]


def _around(job: _Job, item: _File) -> _File:
    """Return the file in which the reference to `item` stands."""
    at = item.source.at
    candidates = [
        f for f in job.files if not f.source.is_table and f.source.at == at[: len(f.source.at)] and f is not item
    ]
    return max(candidates, key=lambda f: len(f.source.at))


def _node(document: Any, keys: Keys) -> Any:
    for key in keys:
        try:
            document = document[key]
        except (KeyError, IndexError, TypeError):
            return None
    return document


def _resolve(folder: Path, text: str) -> Path:
    return Path(os.path.normpath(folder / text.strip()))


def _relative(target: Path, folder: Path) -> str:
    try:
        return Path(os.path.relpath(target, folder)).as_posix()
    except ValueError:  # another drive
        return str(target)


# ---- new files -------------------------------------------------------------------------------------------


def _save_one(vehicle: Vehicle, source: Source | None, target: Path) -> Path:
    """Write everything into one file."""
    if source is not None and len(source.files) == 1:
        return _write(vehicle, source, target.parent, target, outside=source.detached, keep=())
    _put(target, _dump(_with_tires(fresh(vehicle), vehicle, target.parent, {})))
    return target


def _save_new(vehicle: Vehicle, folder: Path, tires: dict[Path, Path] | None = None) -> Path:
    """Write a vehicle that was never in files: a file per subsystem, long tables beside."""
    main = fresh(vehicle)
    texts: dict[Path, str] = {}
    for name in SUBSYSTEMS:
        data = getattr(vehicle, name)
        if data is None:
            continue
        target = folder / f"{name}.yaml"
        document = _mapping({name: fresh(data, _Tables(folder, name, texts))})
        texts[target] = _dump(_with_tires(document, vehicle, folder, tires or {})[name])
        main[name] = target.name
    texts[folder / MAIN] = _dump(main)
    for path, text in texts.items():
        _put(path, text)
    return folder / MAIN


@dataclass
class _Tables:
    """Where long tables go."""

    folder: Path
    name: str
    texts: dict[Path, str]

    def inside(self, name: str) -> _Tables:
        return _Tables(self.folder, f"{self.name}_{name}", self.texts)

    def put(self, curve: Curve) -> str:
        path = self.folder / "tables" / f"{self.name}.csv"
        self.texts[path] = curve.to_csv()
        return f"tables/{self.name}.csv"


def fresh(data: Data, tables: _Tables | None = None) -> Any:
    """Return data as a new YAML mapping, every number with its unit."""
    result = _mapping({})
    for name, info in type(data).model_fields.items():
        extra, value = meta(info), getattr(data, name)
        inside = tables.inside(name) if tables is not None else None
        if extra.get("kind") == "hidden" or value is None or value in ((), ""):
            continue
        if name == "right":
            result[name] = _fresh_right(data)
        elif isinstance(value, Curve):
            here = tables if extra.get("flat") else inside
            if here is not None and value.is_table and len(value.y) > _LONG:
                made: Any = _mapping({"file": here.put(value)})
            else:
                made = _fresh_curve(value, None)
            if extra.get("flat"):
                result.update(made if isinstance(made, dict) else {value.units.constant: made})
            else:
                result[name] = made
        elif _words(value):
            result[name] = _flow(list(value))
        elif isinstance(value, tuple):
            result[name] = [
                fresh(item, inside.inside(str(i + 1)) if inside is not None else None) for i, item in enumerate(value)
            ]
        elif isinstance(value, Data):
            result[name] = fresh(value, inside)
        else:
            result[name] = str(value) if isinstance(value, FileReference) else _leaf(value, extra, None)
    return result


def _fresh_right(data: Any) -> Any:
    """Return what the right side has differently."""
    raw = to_raw(data)
    shared = {*data.right.known_keys(), *type(data.right).model_fields} - {"right"}
    changes = difference({key: value for key, value in raw.items() if key in shared}, to_raw(data.right))
    whole = fresh(data.right)
    kept = {key: whole.get(key) for key in changes}
    if set(kept) & {"x", "y", "z"} and "units" in whole:
        kept |= {key: whole[key] for key in ("x", "z", "y", "units") if key in whole}
    return _mapping(kept)


def _fresh_curve(curve: Curve, found: Any) -> Any:
    """Return a curve as text or mapping, in the units of what it replaces where that is exact."""
    if curve.constant is not None:
        old = found.get(curve.units.constant) if isinstance(found, dict) else found
        made = _number(curve.constant, curve.units.of_constant, old)
        if isinstance(found, dict) and curve.units.constant in found:
            return _mapping({curve.units.constant: made})
        return made
    declared = [curve.units.x, curve.units.z, curve.units.y] if curve.z else [curve.units.x, curve.units.y]
    wanted = list(declared)
    given = found.get("units") if isinstance(found, dict) else None
    if isinstance(given, list) and len(given) == len(declared):
        wanted = [str(unit) for unit in given]
    data = [curve.x, curve.z, curve.y] if curve.z else [curve.x, curve.y]
    columns: list[list[Any]] = []
    for i, numbers in enumerate(data):
        texts = [in_unit(number, wanted[i], declared[i]) for number in numbers]
        if any(text is None for text in texts):
            wanted[i] = declared[i]
            columns.append(list(numbers))
        else:
            columns.append([_plain(float(str(text))) for text in texts])
    result = _mapping({"x": _flow(columns[0])})
    if curve.z:
        n = len(curve.z)
        result["z"] = _flow(columns[1])
        result["y"] = [_flow(columns[2][i * n : (i + 1) * n]) for i in range(len(curve.x))]
    else:
        result["y"] = _flow(columns[1])
    result["units"] = _flow(wanted)
    return result


def _leaf(value: Any, extra: Mapping[str, Any], old: Any) -> Any:
    return _number(value, extra["unit"], old) if extra.get("kind") == "quantity" else value


def _number(value: float, unit: str, old: Any) -> Any:
    """Return a number as it is written: with the unit of the old text, or with the declared one."""
    if isinstance(old, str):
        match = _TEXT.fullmatch(old)
        if match is not None and match[1]:
            digits = in_unit(value, match[1], unit)
            if digits is not None:
                return f"{_trim(digits)} {match[1]}"
    elif isinstance(old, int | float) and not isinstance(old, bool):
        return _plain(value)
    return _plain(value) if unit in ("-", "1") else f"{_trim(repr(value))} {unit}"


def _trim(digits: str) -> str:
    return digits.removesuffix(".0")


def _plain(value: float) -> int | float:
    return int(value) if value.is_integer() and abs(value) < 1e15 else value


def _mapping(content: Mapping[str, Any]) -> Any:
    from ruamel.yaml.comments import CommentedMap

    return CommentedMap(content)


def _flow(items: list[Any]) -> Any:
    from ruamel.yaml.comments import CommentedSeq

    result = CommentedSeq(items)
    result.fa.set_flow_style()
    return result


def _with_tires(document: Any, vehicle: Vehicle, folder: Path, tires: dict[Path, Path]) -> Any:
    for keys, tire in _tire_keys(vehicle, ()):
        node = _node(document, keys)
        if isinstance(node, dict) and "tire" in node and (tires or not tire.in_library):
            node["tire"] = _relative(tires.get(tire.path, tire.path), folder)
    return document


def _dump(document: Any) -> str:
    yaml = _round_trip("a:\n  - b\n")
    stream = io.StringIO()
    yaml.dump(document, stream)
    return stream.getvalue()


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise FormatError(f"{folder}: cannot be made ({problem.strerror})") from None


def _put(path: Path, text: str) -> None:
    """Write a file as a whole or not at all, in a folder that is made if need be."""
    _make_folder(path.parent)
    write_atomically(path, text)
