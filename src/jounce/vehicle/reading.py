"""Reading vehicle files: YAML with references, every value with its place, all problems at once.

Any group may stand in a file of its own: text that ends in ``.yaml`` is a reference, relative to the file it stands
in. Likewise ``.csv`` for curves, with ``column`` where the file has many. A vehicle is one file, or a folder with
``vehicle.yaml``.
"""

from __future__ import annotations

import os.path
import re
import warnings
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from jounce.core.csv_cells import read_table_text
from jounce.core.curves import LIMITS as TABLE
from jounce.core.curves import each_file_once
from jounce.core.errors import FormatError, ParameterError, PlausibilityWarning, did_you_mean
from jounce.core.fields import Bad, Data, ValidationError, meta, read_reference
from jounce.core.kinds import kind_at
from jounce.core.library import LIBRARY, library_file
from jounce.core.limits import is_file, read_utf8
from jounce.core.messages import Problem, explain, raise_all
from jounce.core.paths import Keys
from jounce.core.yaml_files import LIMITS, explained
from jounce.vehicle.composed import compose
from jounce.vehicle.schema import Vehicle
from jounce.vehicle.source import Source, SourceFile

MAIN = "vehicle.yaml"
VEHICLES = LIBRARY / "vehicles"
MAX_FILES = 500

_WORDS = ("name", "description", "author", "source", "licence", "measured", "guessed", "column")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_WORD_VALUES = {"": None, "~": None, "null": None, "true": True, "false": False}


@dataclass
class Reading:
    """What was found so far.

    Attributes
    ----------
    places : path -> (file, line); a reference is at its file's beginning
    tables : text of each CSV file
    """

    problems: list[Problem] = field(default_factory=list)
    places: dict[Keys, tuple[Path, int]] = field(default_factory=dict)
    files: list[SourceFile] = field(default_factory=list)
    unreadable: bool = False
    stack: list[Path] = field(default_factory=list)
    nodes: int = 0
    tables: dict[Path, str | None] = field(default_factory=dict)

    def problem(self, file: Path, line: int, key: str, message: str) -> None:
        self.problems.append(Problem(file, line, key, message))

    def place(self, keys: Keys) -> tuple[Path, int]:
        """Return the place of the nearest thing around `keys` that is in a file."""
        for n in range(len(keys), -1, -1):
            if keys[:n] in self.places:
                return self.places[keys[:n]]
        return self.files[0].path if self.files else Path(), 0

    def root(self, file: Path, keys: Keys) -> Keys:
        """Return the part of `keys` at which `file` begins."""
        starts = [item.at for item in self.files if item.path == file and keys[: len(item.at)] == item.at]
        return max(starts, key=len, default=())


class _GiveUpError(Exception):
    """A file is too large to be a vehicle."""


def load(source: str | Path) -> Vehicle:
    """Return the vehicle of a file, of a folder with ``vehicle.yaml``, or of the library by its name.

    Numbers that nothing on the road has are told by `PlausibilityWarning`; ``accept`` in the file names those that are
    meant so.

    Raises
    ------
    FormatError, ParameterError
        Listing all problems of all files: file, line, path, what was found, what is allowed.
    """
    vehicle = read(source)
    for found in vehicle.doubts():
        warnings.warn(found, PlausibilityWarning, stacklevel=2)
    return vehicle


def read(source: str | Path) -> Vehicle:
    """As `load`, for those who tell the doubts themselves."""
    path = find(source)
    reading = Reading()
    raw = read_file(path, (), reading, Vehicle)
    vehicle = check(Vehicle, raw, (), reading)
    assert isinstance(vehicle, Vehicle)
    vehicle._source = Source(tuple(reading.files), vehicle, places=reading.places)
    return vehicle


def load_subsystem(source: str | Path, name: str) -> tuple[Data, tuple[SourceFile, ...]]:
    """Return a subsystem from its file, and the files it consists of."""
    path = Path(source)
    if not path.is_file():
        raise FormatError(f"{name} = {str(source)!r}: no such file; searched: {path.absolute()}")
    reading = Reading()
    kind = kind_at((name,), Vehicle)
    assert kind is not None
    raw = read_file(path.absolute(), (name,), reading, kind)
    return check(kind, raw, (name,), reading), tuple(reading.files)


def find(source: str | Path) -> Path:
    """Return the main file that a path or a name of the library means."""
    text = str(source)
    path = Path(text)
    try:
        if path.is_dir():
            if (path / MAIN).is_file():
                return (path / MAIN).absolute()
            raise FormatError(f"{text}: no {MAIN} in this folder; searched: {(path / MAIN).absolute()}")
        if path.is_file():
            return path.absolute()
    except ValueError:
        pass  # a null character: no name of a file
    except OSError as problem:
        raise FormatError(f"{text!r}: cannot be read ({problem.strerror})") from None
    name = text.replace("-", "_")
    places = [path.absolute()]
    if name.isidentifier():
        places += [VEHICLES / name / MAIN, VEHICLES / f"{name}.yaml"]
        for place in places[1:]:
            if place.is_file():
                return place
    names = library_names()
    hint = did_you_mean(text, names).replace("  known:", "  in the library:") if len(path.parts) <= 1 else ""
    raise FormatError(f"no vehicle {text!r}, searched: {'; '.join(str(place) for place in places)}{hint}")


def library_names() -> list[str]:
    """Return the names of the vehicles that come with jounce."""
    folders = [path.parent.name for path in VEHICLES.glob(f"*/{MAIN}")]
    return sorted([*folders, *(path.stem for path in VEHICLES.glob("*.yaml"))])


def check(kind: type[Data], raw: Any, at: Keys, reading: Reading) -> Data:
    """Return the data that `raw` describes, or raise about all problems found in all files."""
    result = None
    if not (reading.unreadable and raw is None):
        try:
            with each_file_once(), np.errstate(over="raise"):
                result = kind.model_validate(raw)
        except FloatingPointError:
            reading.problem(*reading.place(at), "", "holds numbers that are too large to compute with")
        except ValidationError as error:
            for item in explain(error, kind, raw, at):
                file, line = reading.place(item.keys)
                if reading.unreadable and item.missing:
                    continue  # may well stand in the part that could not be read
                reading.problem(file, line, item.text(len(reading.root(file, item.keys))), item.message)
    if reading.problems or result is None:
        raise_all(reading.problems, FormatError if reading.unreadable else ParameterError)
    return result


# ---- YAML ------------------------------------------------------------------------------------------------


def read_file(path: Path, at: Keys, reading: Reading, kind: type[Data] | None) -> Any:
    """Return the content of a YAML file as mappings, lists, texts and numbers; None if it cannot be read."""
    text = _text(path, reading)
    reading.places[at] = (path, 1)
    reading.files.append(SourceFile(path, at, text or ""))
    if text is None:
        return None
    node = _compose(path, text, reading)
    if node is None:
        return None
    reading.stack.append(path)
    try:
        return _value(node, at, path, reading, kind, 0)
    except _GiveUpError as problem:
        reading.unreadable = True
        reading.problem(path, 0, "", str(problem))
        return None
    finally:
        reading.stack.pop()


def _text(path: Path, reading: Reading, table: bool = False) -> str | None:
    try:
        return read_table_text(path, TABLE) if table else read_utf8(path, LIMITS)
    except FormatError as problem:
        reading.problem(path, 0, "", str(problem).removeprefix(f"{path}: "))
    reading.unreadable = True
    return None


def _compose(path: Path, text: str, reading: Reading) -> Any:
    reading.unreadable = True
    try:
        node = compose(text)
    except Exception as problem:
        line, message = explained(problem)
        reading.problem(path, line, "", message)
        return None
    if node is None:
        reading.problem(path, 0, "", "empty")
        return None
    reading.unreadable = any(item.unreadable for item in reading.problems)
    return node


def _value(node: Any, at: Keys, path: Path, reading: Reading, kind: type[Data] | None, depth: int) -> Any:
    reading.nodes += 1
    if reading.nodes > LIMITS.nodes or depth > LIMITS.depth:
        raise _GiveUpError("nested too deeply, or too many values: no vehicle file")
    line = node.start_mark.line + 1
    reading.places.setdefault(at, (path, line))
    if node.id == "scalar":
        return _scalar(node, at, path, reading, kind)
    if node.id == "sequence":
        return [_value(item, (*at, i), path, reading, kind, depth + 1) for i, item in enumerate(node.value)]
    assert node.id == "mapping"
    result: dict[Any, Any] = {}
    for key_node, value_node in node.value:
        if key_node.id != "scalar":
            reading.problem(path, key_node.start_mark.line + 1, "", "a key must be a word")
            continue
        key = str(key_node.value)
        inner = (*at, key)
        if key in result:
            first = reading.places[inner][1]
            reading.problem(path, key_node.start_mark.line + 1, key, f"given twice; first in line {first}")
            continue
        reading.places[inner] = (path, key_node.start_mark.line + 1)
        result[key] = _value(value_node, inner, path, reading, kind_of_key(kind, key), depth + 1)
    if isinstance(result.get("column"), str):
        for i, item in enumerate(reading.files):
            if item.at == at and item.is_table:
                reading.files[i] = replace(item, column=result["column"].strip())
    return result


def kind_of_key(kind: type[Data] | None, key: str) -> type[Data] | None:
    """Return what the value of a key describes, if it is a group."""
    return kind_at((key,), kind) if kind is not None else None


def _scalar(node: Any, at: Keys, path: Path, reading: Reading, kind: type[Data] | None) -> Any:
    text = str(node.value)
    key = next((part for part in reversed(at) if isinstance(part, str)), "")
    if node.style is None and key not in _WORDS:
        lower = text.lower()
        if lower in _WORD_VALUES:
            return _WORD_VALUES[lower]
        if _NUMBER.fullmatch(text):
            return float(text) if any(c in text for c in ".eE") else _whole(text)
    if key in _WORDS:
        return text
    plain = text.strip()
    if plain.lower().endswith((".yaml", ".yml")):
        return _follow(plain, at, path, reading, kind, node.start_mark.line + 1)
    if plain.lower().endswith(".csv"):
        target = _absolute(path.parent, plain)
        if is_file(target) and target not in (item.path for item in reading.files if item.at == at):
            where = at[:-1] if at and at[-1] == "file" else at
            if target not in reading.tables:
                reading.tables[target] = _text(target, reading, table=True)
            reading.files.append(SourceFile(target, where, reading.tables[target] or ""))
        return str(target)
    parent = kind_at(at[:-1], Vehicle) if at else None
    info = parent.model_fields.get(key) if parent is not None else None
    if info is not None and meta(info).get("kind") == "reference":
        return read_reference(text, path.parent, meta(info))
    if info is not None and meta(info).get("library"):
        found = of_library(str(meta(info)["library"]), plain, at, reading, kind)
        return text if found is None else found
    return text


def of_library(
    folder: str, name: str, at: Keys = (), reading: Reading | None = None, kind: type[Data] | None = None
) -> Any:
    """The data of a part that stands under a name in a folder of the library; None where there is none."""
    file = library_file(folder, name)
    if file is None:
        return None
    known = Reading() if reading is None else reading
    return _value(compose(read_utf8(file, LIMITS)), at, file, known, kind, 0)


def _whole(text: str) -> int | float:
    return int(text) if len(text) < 20 else float(text)


def _follow(text: str, at: Keys, path: Path, reading: Reading, kind: type[Data] | None, line: int) -> Any:
    target = _absolute(path.parent, text)
    key = str(at[-1]) if at else ""
    if target in reading.stack:
        reading.problem(path, line, key, f"{text!r} refers back to itself")
        reading.unreadable = True
        return Bad(text, ())
    if len(reading.files) >= MAX_FILES:
        raise _GiveUpError(f"more than {MAX_FILES} files")
    if not is_file(target):
        reading.problem(path, line, key, f"{text!r}: no such file; searched: {target}")
        reading.unreadable = True
        return Bad(text, ())
    del reading.places[at]
    found = read_file(target, at, reading, kind)
    return Bad(text, ()) if found is None else found


def _absolute(folder: Path, text: str) -> Path:
    return Path(os.path.normpath(folder / text))
