"""Test plans: events × vehicles × variations in a YAML file.

    plan: fleet                                # its name
    keep: runs                                 # figures (default), runs, or reports: what every run leaves
    step: 1 ms                                 # step, method, interval: as for `jounce run`
    vehicles:
      - sedan
      - {name: soft, vehicle: sedan, front_suspension.anti_roll_bar.scale: 0.5}
    events:
      - step-steer
      - {name: brisk step, event: step-steer, speed: 120 km/h, vehicles: [soft]}
      - {name: suv_weave, event: weave, preset: iso, vehicle: suv}
    variations:
      - {name: as it is}
      - {name: heavy, body.mass: 1700 kg}
      - grid: {body.mass: [1500 kg, 1600 kg], event.friction: [0.5, 1.0]}
      - table: cars.csv
    tolerances:                                # of `jounce plan diff`
      "*": 0.1 %
      yaw_rate_t90: 5 ms

Runs stand in the order of events, then vehicles, then variations. ``vehicles`` and ``variations`` of an event choose
among those of the plan by name; ``vehicle`` names one that is for this event alone. Paths of files are relative to the
plan. Text is parsed, never evaluated. What changes a plan returns another; comments of the file stay.
"""

from __future__ import annotations

import copy
import hashlib
import io
import itertools
import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import jounce
from jounce.core.errors import FormatError, JounceError, ParameterError, did_you_mean
from jounce.core.limits import reading
from jounce.core.writing import write_atomically
from jounce.core.yaml_files import read_mapping
from jounce.events.base import Event
from jounce.events.batch import OF_EVENT, Case
from jounce.events.options import Options
from jounce.events.registry import find as find_event
from jounce.study.tolerance import Tolerance, read_tolerances
from jounce.study.variants import read_variants
from jounce.study.worker import vehicle_of
from jounce.vehicle.reading import find as find_vehicle

KEYS = ("plan", "keep", "step", "method", "interval", "vehicles", "events", "variations", "tolerances", "files")
KEEP = ("figures", "runs", "reports")
RUN_OPTIONS = ("step", "method", "interval")
OF_ENTRY = ("name", "event", "preset", "vehicle", "vehicles", "variations")
EXPECTED = "expected keys such as 'events:' and 'vehicles:'"
COPY = "_copy"
MOST_RUNS = 1_000_000
TRIED = 100  # pairs of vehicle and variation that are tried as a whole before anything runs


@dataclass(frozen=True)
class Item:
    """One run of a plan.

    name : of its folder
    event, vehicle, variation : names of what it is made of
    case : what is run
    key : digest of all that the plan says about it
    """

    name: str
    event: str
    vehicle: str
    variation: str
    case: Case
    key: str

    @property
    def kind(self) -> str:
        """Kind of its event."""
        return self.case.event if isinstance(self.case.event, str) else self.case.event.kind

    @property
    def label(self) -> str:
        return " · ".join(part for part in (self.event, self.vehicle, self.variation) if part)


@dataclass(frozen=True)
class _Vehicle:
    name: str
    source: str
    changes: dict[str, Any]
    line: int


@dataclass(frozen=True)
class _Variation:
    name: str
    changes: dict[str, Any]
    where: str


@dataclass(frozen=True)
class _Entry:
    """An event of a plan as the file has it."""

    name: str
    event: Event
    vehicles: tuple[_Vehicle, ...]
    variations: tuple[_Variation, ...]
    line: int


@dataclass(frozen=True)
class Plan:
    """A plan: its document, and the file that it comes from."""

    document: Any = field(repr=False)
    path: Path | None = None
    chosen: tuple[str, ...] = ()

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Plan:
        """Read a plan; what is wrong in it is told with file, line and key."""
        place = Path(path)
        with reading(place):
            plan = cls(read_mapping(place, EXPECTED), place)
            plan.check()
        return plan

    @classmethod
    def new(
        cls, name: str, events: Iterable[Any] = (), vehicles: Iterable[Any] = (), variations: Iterable[Any] = ()
    ) -> Plan:
        """A plan without a file."""
        return cls({"plan": name, "vehicles": list(vehicles), "events": list(events), "variations": list(variations)})

    # --- what it says -----------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        own = self.document.get("plan")
        return str(own) if own else self.path.stem if self.path is not None else "plan"

    @property
    def folder(self) -> Path:
        """What paths of files are relative to."""
        return self.path.absolute().parent if self.path is not None else Path.cwd()

    @property
    def keep(self) -> str:
        return str(self.document.get("keep") or KEEP[0])

    @property
    def options(self) -> dict[str, Any]:
        """Options of all runs."""
        return {name: self.document[name] for name in RUN_OPTIONS if self.document.get(name) is not None}

    @property
    def tolerances(self) -> list[Tolerance]:
        return read_tolerances(self.document.get("tolerances"), self._where("tolerances"))

    @property
    def entries(self) -> list[str]:
        """Names of its events, in order."""
        return [entry.name for entry in self._entries]

    @cached_property
    def items(self) -> list[Item]:
        """All runs, in order."""
        return list(self._items())

    def check(self) -> None:
        """Refuse what cannot be run, before anything runs."""
        assert self._checked

    @cached_property
    def _checked(self) -> bool:
        for key in self.document:
            if key not in KEYS:
                raise FormatError(f"{self._where(key)}: {key!r} is unknown{did_you_mean(str(key), KEYS)}")
        if self.keep not in KEEP:
            raise FormatError(f"{self._where('keep')}: keep: found {self.keep!r}; expected one of {', '.join(KEEP)}")
        try:
            Options.of(**self.options)
        except JounceError as problem:
            raise FormatError(f"{self._where('step')}: {problem}") from None
        assert self.tolerances is not None
        self._try_cars()
        if not self.items:
            raise FormatError(f"{self._where('events')}: no runs; expected 'events:' and 'vehicles:' with one each")
        return True

    # --- actions ----------------------------------------------------------------------------------------------------

    def copied(self) -> Plan:
        """The plan with a copy of each of its events behind them; copies have names that end in ``_copy``."""
        names = [entry.name for entry in self._entries]
        changed = self._copy()
        for name, entry in zip(tuple(names), copy.deepcopy(list(changed.document["events"])), strict=True):
            fresh = entry if isinstance(entry, Mapping) else {"event": entry}
            fresh["name"] = free_name(name + COPY, names)  # type: ignore[index]
            names.append(fresh["name"])
            changed.document["events"].append(fresh)
        return changed

    def with_vehicle(self, vehicle: str) -> Plan:
        """The plan with another vehicle in all of its events.

        An event named ``<vehicle>_<suffix>`` keeps the suffix; any other becomes ``<vehicle>_<event>``.
        """
        label = Path(vehicle).stem if Path(vehicle).suffix else Path(vehicle).name
        entries = self._entries
        changed = self._copy()
        raw = changed.document["events"]
        names: list[str] = []
        for k, entry in enumerate(entries):
            before = [v.name for v in entry.vehicles]
            suffix = next((entry.name[len(old) + 1 :] for old in before if entry.name.startswith(f"{old}_")), "")
            fresh = raw[k] if isinstance(raw[k], Mapping) else {"event": raw[k]}
            fresh.pop("vehicles", None)
            fresh["vehicle"] = vehicle
            fresh["name"] = free_name(f"{label}_{suffix or entry.event.kind}", names)
            names.append(fresh["name"])
            raw[k] = fresh
        changed.document.pop("vehicles", None)
        return changed

    def selected(self, names: Sequence[str]) -> Plan:
        """The plan with some of its events or runs, by name, in its own order."""
        known = {entry.name for entry in self._entries} | {item.name for item in self.items}
        for name in names:
            if name not in known:
                raise ParameterError(f"select {name!r}: not in plan {self.name!r}{did_you_mean(name, sorted(known))}")
        return Plan(self.document, self.path, tuple(names))

    def added(self, event: Any) -> Plan:
        """The plan with one more event at its end: a name, or a mapping as in a file."""
        changed = self._copy()
        changed.document.setdefault("events", []).append(event)
        return changed

    def without(self, name: str) -> Plan:
        """The plan without an event; no file is touched."""
        names = [entry.name for entry in self._entries]
        if name not in names:
            raise ParameterError(f"event {name!r}: not in plan {self.name!r}{did_you_mean(name, names)}")
        changed = self._copy()
        del changed.document["events"][names.index(name)]
        return changed

    def renamed(self, name: str) -> Plan:
        """The plan under another name."""
        changed = self._copy()
        changed.document["plan"] = name
        return changed

    def save(self, folder: str | os.PathLike[str] | None = None) -> Path:
        """Write the plan under its name, in its folder or another."""
        place = Path(folder) if folder is not None else self.folder
        return self.save_as(place / f"{slug(self.name) or 'plan'}.yaml")

    def save_as(self, path: str | os.PathLike[str]) -> Path:
        """Write the plan to a file; paths in it are as they were."""
        return write_atomically(path, self.text())

    def text(self) -> str:
        """The plan as YAML, with the comments it had."""
        from ruamel.yaml import YAML

        text = io.StringIO()
        writer = YAML()
        writer.width = 120
        writer.dump(self.document, text)
        return text.getvalue()

    def _copy(self) -> Plan:
        return Plan(copy.deepcopy(self.document), self.path)

    # --- reading ----------------------------------------------------------------------------------------------------

    def _where(self, key: Any = None) -> str:
        """File and line of a key of the document."""
        name = str(self.path) if self.path is not None else f"plan {self.name!r}"
        return f"{name}, line {_line(self.document, key)}" if _line(self.document, key) else name

    def _list(self, key: str) -> list[tuple[Any, int]]:
        """Entries of a list with their lines."""
        found = self.document.get(key)
        if found is None:
            return []
        if not isinstance(found, list):
            raise FormatError(f"{self._where(key)}: {key}: found {type(found).__name__}; expected a list")
        return [(entry, _line(found, k)) for k, entry in enumerate(found)]

    def _at(self, line: int) -> str:
        name = str(self.path) if self.path is not None else f"plan {self.name!r}"
        return f"{name}, line {line}" if line else name

    @cached_property
    def _vehicles(self) -> list[_Vehicle]:
        result: list[_Vehicle] = []
        for entry, line in self._list("vehicles"):
            if isinstance(entry, Mapping):
                changes = {str(key): value for key, value in entry.items() if key not in ("name", "vehicle")}
                if "vehicle" not in entry:
                    raise FormatError(f"{self._at(line)}: vehicles: the key 'vehicle' is missing")
                made = _Vehicle(
                    str(entry.get("name") or entry["vehicle"]), str(entry["vehicle"]), _plain(changes), line
                )
            else:
                made = _Vehicle(label_of(str(entry)), str(entry), {}, line)
            if made.name in {other.name for other in result}:
                raise FormatError(f"{self._at(line)}: vehicles: {made.name!r} stands there twice; give it a name")
            result.append(made)
        return result

    @cached_property
    def _variations(self) -> list[_Variation]:
        result: list[_Variation] = []
        for entry, line in self._list("variations"):
            where = self._at(line)
            if not isinstance(entry, Mapping):
                raise FormatError(f"{where}: variations: found {entry!r}; expected a mapping of changes")
            result += self._variation(entry, where)
            if len(result) > MOST_RUNS:
                raise FormatError(f"{where}: variations: more than {MOST_RUNS} runs")
        seen: set[str] = set()
        for one in result:
            if one.name in seen:
                raise FormatError(f"{one.where}: variations: {one.name!r} stands there twice")
            seen.add(one.name)
        return result or [_Variation("", {}, self._where("variations"))]

    def _variation(self, entry: Mapping[str, Any], where: str) -> Iterator[_Variation]:
        own = {str(k): v for k, v in entry.items() if k not in ("name", "grid", "table")}
        own = _plain(own)
        name = str(entry.get("name") or "")
        if "table" in entry:
            file = self._file(str(entry["table"]))
            for row in read_variants(Path(file)):
                changes = {**own, **row.changes}
                yield _Variation(row.name or _told(row.changes), changes, f"{file}, line {row.line}")
            return
        grid = entry.get("grid")
        if grid is None:
            yield _Variation(name or _told(own), own, where)
            return
        if not isinstance(grid, Mapping) or not all(isinstance(v, list) and v for v in grid.values()):
            raise FormatError(f"{where}: grid: expected a list of values for every path")
        for values in itertools.product(*grid.values()):
            changes = {**own, **_plain(dict(zip(map(str, grid), values, strict=True)))}
            told = _told({key: changes[key] for key in map(str, grid)})
            yield _Variation(f"{name} {told}".strip(), changes, where)

    @cached_property
    def _entries(self) -> list[_Entry]:
        result: list[_Entry] = []
        names: set[str] = set()
        for raw, line in self._list("events"):
            entry = raw if isinstance(raw, Mapping) else {"event": raw}
            where = self._at(line)
            if "event" not in entry:
                raise FormatError(f"{where}: events: the key 'event' is missing")
            values = {str(k): self._file_value(_plain(v)) for k, v in entry.items() if k not in OF_ENTRY}
            try:
                kind = find_event(str(entry["event"]))
                preset = entry.get("preset")
                event = kind.preset(str(preset), **values) if preset else kind(**values)
            except JounceError as problem:
                raise FormatError(f"{where}: {problem}") from None
            name = str(entry.get("name") or event.kind)
            if name in names:
                raise FormatError(f"{where}: events: {name!r} stands there twice; give it a name")
            names.add(name)
            result.append(
                _Entry(name, event, self._vehicles_of(entry, where, line), self._variations_of(entry, where), line)
            )
        return result

    def _vehicles_of(self, entry: Mapping[str, Any], where: str, line: int) -> tuple[_Vehicle, ...]:
        known = {vehicle.name: vehicle for vehicle in self._vehicles}
        if entry.get("vehicle") is not None:
            name = str(entry["vehicle"])
            return (known[name] if name in known else _Vehicle(label_of(name), name, {}, line),)
        if entry.get("vehicles") is None:
            return tuple(self._vehicles)
        return tuple(_choose(entry["vehicles"], known, f"{where}: vehicles"))

    def _variations_of(self, entry: Mapping[str, Any], where: str) -> tuple[_Variation, ...]:
        if entry.get("variations") is None:
            return tuple(self._variations)
        if entry["variations"] == []:
            return (_Variation("", {}, where),)
        return tuple(_choose(entry["variations"], {v.name: v for v in self._variations}, f"{where}: variations"))

    def _items(self) -> Iterator[Item]:
        taken: set[str] = set()
        count = 0
        for entry in self._entries:
            if not entry.vehicles:
                raise FormatError(f"{self._at(entry.line)}: event {entry.name!r} has no vehicle; write 'vehicles:'")
            for vehicle in entry.vehicles:
                source = self._vehicle_file(vehicle)
                for variation in entry.variations:
                    count += 1
                    if count > MOST_RUNS:
                        raise FormatError(f"{self._where('events')}: more than {MOST_RUNS} runs")
                    item = self._item(entry, vehicle, source, variation, taken)
                    if not self.chosen or entry.name in self.chosen or item.name in self.chosen:
                        yield item

    def _item(self, entry: _Entry, vehicle: _Vehicle, source: str, variation: _Variation, taken: set[str]) -> Item:
        of_event = {
            k.removeprefix(OF_EVENT): self._file_value(v)
            for k, v in variation.changes.items()
            if k.startswith(OF_EVENT)
        }
        try:
            event = entry.event.changed(**of_event) if of_event else entry.event
        except JounceError as problem:
            raise FormatError(f"{variation.where}: event {entry.name!r}: {problem}") from None
        of_car = {k: v for k, v in variation.changes.items() if not k.startswith(OF_EVENT)}
        changes = {**vehicle.changes, **of_car}
        label = "__".join(filter(None, (slug(x) for x in (entry.name, vehicle.name, variation.name))))
        full = json.dumps([entry.name, vehicle.name, variation.name])
        if label.casefold() in taken:
            label += f"_{hashlib.sha256(full.encode()).hexdigest()[:8]}"
        taken.add(label.casefold())
        told = {
            "jounce": jounce.__version__,
            "names": full,
            "vehicle": source,
            "changes": {name: str(value) for name, value in changes.items()},
            "event": event.to_dict(),
            "options": {name: str(value) for name, value in self.options.items()},
            "keep": self.keep,
        }
        key = hashlib.sha256(json.dumps(told, sort_keys=True, default=str).encode()).hexdigest()
        return Item(label, entry.name, vehicle.name, variation.name, Case(source, event, changes, name=full), key)

    def _vehicle_file(self, vehicle: _Vehicle) -> str:
        """The main file of a vehicle, or its name in the library."""
        try:
            here = self.folder / vehicle.source
            return str(find_vehicle(here if here.exists() else vehicle.source))
        except JounceError as problem:
            raise FormatError(f"{self._at(vehicle.line)}: {problem}") from None

    def _file(self, name: str) -> str:
        return name if os.path.isabs(name) else str(self.folder / name)

    def _file_value(self, value: Any) -> Any:
        """Texts that name a file beside the plan, with their folder."""
        if isinstance(value, (list, tuple)):
            return type(value)(self._file_value(item) for item in value)
        if isinstance(value, str) and re.search(r"[./\\]", value) and len(value) < 1000:
            try:
                here = self.folder / value
                return str(here) if here.is_file() else value
            except (OSError, ValueError):
                return value
        return value

    def _try_cars(self) -> None:
        """Make the cars before anything runs: each with its own changes, and with every change of the variations.

        Of very many variations one value of each path is tried; what is wrong with another is told by its run.
        """
        pairs: dict[str, tuple[_Vehicle, dict[str, _Variation]]] = {}
        for entry in self._entries:
            for vehicle in entry.vehicles:
                known = pairs.setdefault(json.dumps([vehicle.name, vehicle.source]), (vehicle, {}))[1]
                known.update({v.name: v for v in entry.variations})
        total = sum(len(found) for _, found in pairs.values())
        for vehicle, variations in pairs.values():
            try:
                car = vehicle_of(self._vehicle_file(vehicle))
                car = car.with_(**vehicle.changes) if vehicle.changes else car
            except JounceError as problem:
                raise FormatError(f"{self._at(vehicle.line)}: vehicle {vehicle.name!r}: {problem}") from None
            tried: set[str] = set()
            for one in variations.values():
                changes = {k: v for k, v in one.changes.items() if not k.startswith(OF_EVENT)}
                if total > TRIED:
                    changes = {k: v for k, v in changes.items() if k not in tried}
                    tried.update(changes)
                told = json.dumps(changes, default=str)
                if not changes or told in tried:
                    continue
                tried.add(told)
                try:
                    car.with_(**changes)
                except JounceError as problem:
                    raise FormatError(f"{one.where}: vehicle {vehicle.name!r}: {problem}") from None


def slug(name: str) -> str:
    """A name as a part of a file's name."""
    return re.sub(r"[^\w.+-]+", "_", name).strip("_.")[:80]


def label_of(source: str) -> str:
    """The name of a vehicle by its file: that of its folder, if the file is the main one."""
    path = Path(source)
    if path.suffix.lower() in (".yaml", ".yml"):
        return path.parent.name if path.stem == "vehicle" and path.parent.name else path.stem
    return path.name or source


def free_name(name: str, taken: Collection[str]) -> str:
    """A name that is not there yet: the next number behind it."""
    return next(x for x in itertools.chain([name], (f"{name}_{k}" for k in itertools.count(2))) if x not in taken)


def _told(changes: Mapping[str, Any]) -> str:
    """Changes as the name of a variation."""
    return ", ".join(f"{key}={value}" for key, value in changes.items())


def _plain(value: Any) -> Any:
    """Values of a YAML document as Python's own, so that they can be sent to a process."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    return str(value)


def _choose(names: Any, known: Mapping[str, Any], where: str) -> list[Any]:
    if not isinstance(names, list):
        raise FormatError(f"{where}: found {names!r}; expected a list of names")
    for name in names:
        if str(name) not in known:
            raise FormatError(f"{where}: {name!r} is not in the plan{did_you_mean(str(name), known)}")
    return [known[str(name)] for name in names]


def _line(document: Any, key: Any) -> int:
    """Line of a key or an entry, counted from 1; 0 where nobody knows it."""
    place = getattr(document, "lc", None)
    data = getattr(place, "data", None) or {}
    if key in data:
        return int(data[key][0]) + 1
    return int(place.line) + 1 if place is not None and place.line is not None else 0
