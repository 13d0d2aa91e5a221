"""VDF: a driver's programme as a property file (see ``property_file``), read, checked and converted to SI.

    [MANEUVERS_LIST]        rows {name abort_time sampling_step}, in the order in which they are driven
    [<manoeuvre>]           what each channel does, its path and speed, when it ends: all by names of further blocks
    [<set-up>] [<signal>] [<speed>] [<path>] [<end condition>] [CONTROLLER_…] and modules: reached by those names
    [GLOBAL_SETTINGS] [STARTUP] [STEERING_STANDARD] … : by their own names

Keys, units, defaults and bounds are in ``vdf_schema``. Names of blocks are told apart by letter case where they are
used. Everything that is wrong is found before anything is made of the file, each finding once, with its line.

A block that no one asks for and a key that is not known are kept and written back, with one warning for each list.
A row of (END_CONDITIONS) that names no block is left out, with a warning, as the format wants it.

`Vdf` holds blocks as `Entry`: values in SI by key. What a signal is measured in depends on its channel, and a reference
value on its measure, so that `Vdf.signal` takes the channel and one block may serve several.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from jounce.core.errors import ParameterError, did_you_mean
from jounce.core.limits import read_bytes, reading
from jounce.files import vdf_schema as schema
from jounce.files.file_units import DIMENSIONS, Units, read_units
from jounce.files.problems import Report
from jounce.files.property_file import (
    LIMITS,
    Attribute,
    Block,
    Column,
    PropertyFile,
    Section,
    Table,
    Value,
    as_flag,
    decoded,
    shown,
)
from jounce.files.spelling import close
from jounce.files.templates import filled
from jounce.files.vdf_schema import BlockOf, Key, TableOf

Typed = float | str | bool
_TURN = 2 * math.pi


@dataclass
class Entry:
    """A block as its kind: values by key, tables by sub-block, in SI. What depends on its use is in file units."""

    name: str
    line: int
    kind: BlockOf
    type: str = ""
    values: dict[str, Typed] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    tables: dict[str, list[list[Value]]] = field(default_factory=dict)
    headers: dict[str, list[str]] = field(default_factory=dict)
    extra: dict[str, Value] = field(default_factory=dict)  # keys that the format does not know

    def __getitem__(self, key: str) -> Any:
        """The value of a key, or its default."""
        if key in self.values:
            return self.values[key]
        found = self.kind.key(key)
        return None if found is None else found.default

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def at(self, key: str) -> int:
        """The line of a key, or that of the block."""
        return self.lines.get(key, self.line)


@dataclass
class Channel:
    """What drives one channel during a manoeuvre."""

    name: str
    line: int
    setup: Entry
    block: str = ""  # name of the block that says it; "": said in the manoeuvre itself

    @property
    def method(self) -> str:
        return str(self.setup["METHOD"])


@dataclass
class Stage:
    """A row of the list with its block."""

    name: str
    line: int
    abort_time: float | None
    sampling_step: float
    entry: Entry
    channels: dict[str, Channel]
    machine: dict[str, str]  # PATH and SPEED: names of blocks
    options: Entry
    modules: dict[str, str]
    conditions: list[str]


@dataclass
class Vdf:
    """A file that has been read and checked."""

    path: str
    file: PropertyFile
    report: Report
    units: Units
    settings: dict[str, Entry] = field(default_factory=dict)  # blocks of fixed names
    controllers: dict[str, Entry] = field(default_factory=dict)
    stages: list[Stage] = field(default_factory=list)
    speeds: dict[str, Entry] = field(default_factory=dict)
    paths: dict[str, Entry] = field(default_factory=dict)
    signals: dict[str, Entry] = field(default_factory=dict)
    conditions: dict[str, Entry] = field(default_factory=dict)
    modules: dict[str, Entry] = field(default_factory=dict)
    unused: list[str] = field(default_factory=list)  # names of blocks that nothing asks for

    def channel_unit(self, stage: Stage, channel: str) -> str:
        """SI unit of a channel: steering is an angle unless the manoeuvre says otherwise, others are numbers."""
        return schema.STEERING_UNITS[str(stage.entry["STEERING_BY"])] if channel == "STEERING" else "-"

    def signal(self, name: str, unit: str) -> Entry:
        """A signal of a channel that is measured in a unit."""
        entry = self.signals[name]
        factor = self.units.factor(unit)
        per_second = factor / self.units.factor("s")
        values = dict(entry.values)
        for key in entry.kind.keys:
            if key.name in values and key.unit in ("channel", "channel/s"):
                values[key.name] = float(values[key.name]) * (factor if key.unit == "channel" else per_second)
        tables = {name: [[row[0], float(row[1]) * factor] for row in rows] for name, rows in entry.tables.items()}
        return replace(entry, values=values, tables=tables)

    def setting(self, name: str) -> Entry:
        """A block of a fixed name; with its defaults where the file has none."""
        return self.settings.get(name) or Entry(name, 0, schema.FIXED[name])

    def text(self) -> str:
        """The file as it was read, to the letter."""
        return self.file.text()


def read_vdf(path: str | Path, values: Mapping[str, Value] | None = None, *, strict: bool = False) -> Vdf:
    """Read a file.

    Parameters
    ----------
    path : of the file
    values : for the places of a template, by name
    strict : what comes twice is an error instead of a warning
    """
    with reading(path):
        raw, encoding = decoded(read_bytes(path, LIMITS), str(path))
        found = parse_vdf(raw, str(path), values, strict=strict)
        found.file.encoding = encoding
        return found


def parse_vdf(text: str, path: str = "", values: Mapping[str, Value] | None = None, *, strict: bool = False) -> Vdf:
    """Read a text; raises a FormatError that lists everything that is wrong with it."""
    file = PropertyFile.programme(filled(text, values, path), path, strict=strict)
    reader = _Reader(file)
    vdf = reader.run()
    vdf.report.raise_if_errors()
    return vdf


class _Reader:
    """Goes from the list of manoeuvres to everything that they name."""

    def __init__(self, file: PropertyFile) -> None:
        self.file = file
        self.by_name = {block.name: block for block in file.blocks}  # of equal names the last
        self.report = Report(file.report.path, list(file.report.problems))
        self.units = read_units(file, self.report)
        self.vdf = Vdf(file.path, file, self.report, self.units)
        self.unknown: list[tuple[int, str]] = []
        self.used: set[int] = set()  # lines of blocks that have been read
        self.told: set[tuple[int, str]] = set()  # and as what
        self.missing: set[tuple[str, str]] = set()  # (role, name) that has been told
        self.stage_names: set[str] = set()
        self.all_found = True  # rows of the list whose blocks are there: what else is missing may follow from it

    def run(self) -> Vdf:
        self._header()
        for name, kind in schema.FIXED.items():
            block = self._fixed(name)
            if block is not None:
                self.vdf.settings[name] = self._entry(block, kind)
        self._controllers()
        self._list()
        self._limits()
        self._left()
        return self.vdf

    # -- blocks of fixed names ----------------------------------------------------------------------------
    def _header(self) -> None:
        block = self.file.block(*schema.HEADERS)
        if block is None:
            self.report.error(0, "[VIGRADE_HEADER]", "missing; a VDF begins with it and FILE_TYPE = 'vdf'")
            return
        entry = self._entry(block, schema.HEADER)
        found = str(entry["FILE_TYPE"] or "")
        if "FILE_TYPE" in entry and found.lower() != "vdf":
            self.report.error(
                entry.at("FILE_TYPE"), f"[{block.name}] FILE_TYPE", f"found {shown(found)}; expected 'vdf'"
            )
        if block.name.upper() != "VIGRADE_HEADER":
            self.report.info(block.line, f"[{block.name}]", "read; the header of a VDF is [VIGRADE_HEADER]")
        units = self.file.block("UNITS")
        if units is None:
            self.report.warning(0, "[UNITS]", "missing; SI is taken")
        else:
            self.used.add(units.line)

    def _fixed(self, name: str) -> Block | None:
        return self.by_name.get(name) or self.file.block(name)

    def _controllers(self) -> None:
        for block in self.file.blocks:
            if block.name.upper().startswith("CONTROLLER") and block is self.by_name.get(block.name):
                self.vdf.controllers[block.name] = self._entry(block, schema.CONTROLLER)
        for entry in self.vdf.controllers.values():
            for channel in ("THROTTLE", "BRAKING", "STEERING"):
                rates = [
                    k
                    for k in (f"{channel}_ROLLON_MAX_RATE", f"{channel}_ROLLOFF_MAX_RATE", f"{channel}_MAX_RATE")
                    if entry.kind.key(k) is not None
                ]
                active = f"{channel}_RATE_LIMITER_ACTIVE"
                if entry[active] and not all(k in entry for k in rates):
                    lacking = ", ".join(k for k in rates if k not in entry)
                    self.report.error(entry.at(active), f"[{entry.name}] {active}", f"is on; {lacking} is missing")

    def _limits(self) -> None:
        """Limits and scaling of channels fit together, and so do the gears."""
        for channel, name in schema.LIMIT_BLOCKS.items():
            entry = self.vdf.settings.get(name)
            if entry is None:
                continue
            low, high = entry["MIN_VALUE"], entry["MAX_VALUE"]
            if low is not None and high is not None and not low <= high:
                self.report.error(
                    entry.at("MAX_VALUE"),
                    f"[{name}] MAX_VALUE",
                    f"found {high:g}; must be at least MIN_VALUE ({low:g})",
                )
            scale = entry["SCALING_FACTOR"]
            if scale is not None and channel != "GEAR" and not math.isclose(scale, high):
                self.report.warning(
                    entry.at("SCALING_FACTOR"),
                    f"[{name}] SCALING_FACTOR",
                    f"is {scale:g}, but MAX_VALUE is {high:g}: a whole pedal is not the limit",
                )
        gears = self.vdf.settings.get("GEAR_STANDARD")
        if gears is not None and gears.tables.get("PROPERTIES_MAP"):
            self._gears(gears)
        start = self.vdf.setting("STARTUP")
        if gears is not None and "INITIAL_GEAR" in start:
            low, high, first = gears["MIN_VALUE"], gears["MAX_VALUE"], start["INITIAL_GEAR"]
            if not low <= first <= high:
                self.report.error(
                    start.at("INITIAL_GEAR"),
                    "[STARTUP] INITIAL_GEAR",
                    f"found {first:g}; [GEAR_STANDARD] allows {low:g} to {high:g}",
                )

    def _gears(self, entry: Entry) -> None:
        key = f"[{entry.name}] (PROPERTIES_MAP)"
        line = entry.at("(PROPERTIES_MAP)")
        ids = [float(row[0]) for row in entry.tables["PROPERTIES_MAP"]]
        if len(set(ids)) != len(ids) or any(i != int(i) for i in ids):
            self.report.error(line, f"{key} id", f"found {ids}; whole numbers, each once")
            return
        for name in ("MIN_VALUE", "MAX_VALUE"):
            if entry[name] not in ids:
                self.report.error(
                    entry.at(name),
                    f"[{entry.name}] {name}",
                    f"found {entry[name]:g}; the table has the gears {', '.join(f'{i:g}' for i in ids)}",
                )
        for row in entry.tables["PROPERTIES_MAP"]:
            up, down = float(row[2]), float(row[3])
            if not down < up:
                self.report.error(
                    line, f"{key} gear {row[0]:g}", f"found dwRPM {down:g} and upRPM {up:g}; dwRPM is below"
                )
            for which, first in (("up", 4), ("down", 11)):
                whole, rise, fall = float(row[first]), float(row[first + 2]), float(row[first + 3])
                if whole < rise + fall - 1e-12:
                    self.report.warning(
                        line,
                        f"{key} gear {row[0]:g}",
                        f"{which}shift of {whole:g} s is shorter than criseT + cfallT; it takes that long",
                    )
                    break

    # -- the list -----------------------------------------------------------------------------------------
    def _list(self) -> None:
        block = self._fixed(schema.LIST_NAME) or self.file.block(*schema.LIST_ALIASES)
        if block is None:
            names = self._names()
            self.report.error(0, f"[{schema.LIST_NAME}]", f"missing{did_you_mean(schema.LIST_NAME, names)}")
            return
        entry = self._entry(block, schema.LIST)
        table = block.table
        rows = entry.tables.get("", [])
        if table is None or "" not in entry.tables:
            return
        if not rows:
            self.report.error(table.line, f"[{block.name}]", "the table is empty; at least one manoeuvre is needed")
        self.stage_names = {str(row[0]) for row in rows}
        self.all_found = all(self.by_name.get(name) is not None for name in self.stage_names)
        for row, source in zip(rows, table.lines, strict=True):
            name, abort, step = str(row[0]), float(row[1]), float(row[2])
            key = f"[{block.name}] {name}"
            if abort <= 0 and not math.isclose(abort, -self.units.factor("s")):
                self.report.error(source.line, key, f"found abort_time {abort:g} s; must be > 0, or -1 for none")
            if not step > 0:
                self.report.error(source.line, key, f"found sampling_step {step:g} s; must be > 0")
            target = self._reference(name, source.line, key, "manoeuvre")
            if target is not None:
                self.vdf.stages.append(self._stage(target, source.line, None if abort <= 0 else abort, step))

    def _stage(self, block: Block, line: int, abort: float | None, step: float) -> Stage:
        known = next((s for s in self.vdf.stages if s.name == block.name), None)
        if known is not None:  # in the list a second time
            return replace(known, line=line, abort_time=abort, sampling_step=step)
        entry = self._entry(block, schema.MANOEUVRE)
        key = f"[{block.name}]"
        channels = {}
        for name in schema.CHANNELS:
            section = block.sub_block(name)
            if section is not None:
                channels[name] = self._channel(block, section, name)
            elif name in schema.ALWAYS:
                self.report.error(
                    block.line, f"{key} ({name})", "missing; every manoeuvre says METHOD for this channel"
                )
        machine = self._sub(block, "MACHINE")
        options = self._sub(block, "OPTIONS")
        startup = entry["TASK"] == "STARTUP"
        settings = str(entry["CONTROLLER_SETTINGS"])
        if settings not in self.vdf.controllers and ("CONTROLLER_SETTINGS" in entry or self.vdf.controllers):
            hint = did_you_mean(settings, self.vdf.controllers)
            self.report.error(
                entry.at("CONTROLLER_SETTINGS"),
                f"{key} CONTROLLER_SETTINGS",
                f"found {shown(settings)}; there is no such block{hint}",
            )
        machined = {name for name, channel in channels.items() if channel.method == "MACHINE"}
        targets: dict[str, str] = {}
        for word, role, needed, why in (
            ("PATH", "path", "STEERING" in machined, "steering by the machine follows a path"),
            (
                "SPEED",
                "speed",
                bool(machined & {"THROTTLE", "BRAKING"}) and not startup,
                "throttle or brake by the machine follow a speed",
            ),
        ):
            if word in machine:
                name = str(machine[word])
                found = self._reference(name, machine.at(word), f"{key} (MACHINE) {word}", role)
                if found is not None:
                    targets[word] = name
                    self._target(found, role)
            elif needed:
                self.report.error(machine.line or block.line, f"{key} (MACHINE) {word}", f"missing: {why}")
        modules = {}
        for name in schema.MODULES:
            section = block.sub_block(name)
            if section is None:
                continue
            named = self._section(
                section,
                schema.MANOEUVRE.sub_blocks[name],
                f"{key} ({name})",
                Entry(name, section.line, schema.MANOEUVRE),
            )
            if "CONTROLLER_NAME" not in named:
                self.report.error(section.line, f"{key} ({name}) CONTROLLER_NAME", "missing: the block with its data")
                continue
            wanted = str(named["CONTROLLER_NAME"])
            found = self._reference(wanted, named.at("CONTROLLER_NAME"), f"{key} ({name}) CONTROLLER_NAME", "module")
            if found is not None and self._module(found, schema.DATA_OF_MODULE[name]):
                modules[name] = wanted
        return Stage(
            block.name, line, abort, step, entry, channels, targets, options, modules, self._ends(block, entry)
        )

    def _sub(self, block: Block, name: str) -> Entry:
        section = block.sub_block(name)
        kind = BlockOf(name, schema.MANOEUVRE.sub_blocks[name])
        entry = Entry(name, section.line if section is not None else 0, kind)
        return entry if section is None else self._section(section, kind.keys, f"[{block.name}] ({name})", entry)

    def _channel(self, block: Block, section: Section, name: str) -> Channel:
        key = f"[{block.name}] ({name})"
        kind = BlockOf("channel", schema.MANOEUVRE.sub_blocks[name])
        setup = self._section(section, kind.keys, key, Entry(name, section.line, kind))
        inside, line = "", section.line
        if "CONTROLLER_NAME" in setup:
            inside = str(setup["CONTROLLER_NAME"])
            if "METHOD" in setup:
                self.report.error(
                    setup.at("METHOD"),
                    f"{key} METHOD",
                    f"stands beside CONTROLLER_NAME = '{inside}'; one of them says what drives it",
                )
            found = self._reference(inside, setup.at("CONTROLLER_NAME"), f"{key} CONTROLLER_NAME", "set-up")
            if found is None:
                return Channel(name, line, setup, inside)
            setup = self._entry(found, schema.CHANNEL_SETUP)
            key = f"[{found.name}]"
        if "METHOD" not in setup:
            if "METHOD" not in setup.lines:
                self._once("method", f"{key} METHOD", setup.line, "missing; one of MACHINE, OPENLOOP, USER")
            return Channel(name, line, setup, inside)
        if setup["METHOD"] == "OPENLOOP":
            if "SIGNAL" not in setup:
                self._once("signal", f"{key} SIGNAL", setup.line, "missing: METHOD = 'OPENLOOP' plays a signal")
            else:
                found = self._reference(str(setup["SIGNAL"]), setup.at("SIGNAL"), f"{key} SIGNAL", "signal")
                if found is not None:
                    self._signal(found)
        return Channel(name, line, setup, inside)

    def _once(self, role: str, key: str, line: int, message: str) -> None:
        if (role, key) not in self.missing:
            self.missing.add((role, key))
            self.report.error(line, key, message)

    def _ends(self, block: Block, entry: Entry) -> list[str]:
        conditions: list[str] = []
        section = block.sub_block("END_CONDITIONS")
        if section is None or section.table is None:
            return conditions
        for row, source in zip(entry.tables.get("END_CONDITIONS", []), section.table.lines, strict=False):
            name = str(row[0])
            found = self.by_name.get(name)
            if found is None:
                names = self._names()
                self.report.warning(
                    source.line,
                    f"[{block.name}] (END_CONDITIONS)",
                    f"found {shown(name)}; there is no such block, the row is left out{did_you_mean(name, names)}",
                )
                continue
            self._condition(found)
            conditions.append(name)
        return conditions

    def _names(self) -> list[str]:
        """Names of blocks to choose from in a message; fewer when there is much to tell, for the search takes time."""
        return list(self.by_name)[: 500 if len(self.report.problems) < 50 else 0]

    # -- what they name -----------------------------------------------------------------------------------
    def _reference(self, name: str, line: int, key: str, role: str) -> Block | None:
        found = self.by_name.get(name)
        if found is None and (role, name) not in self.missing:
            self.missing.add((role, name))
            self.report.error(
                line,
                key,
                f"found {shown(name)}; there is no such block{did_you_mean(name, self._names())}",
            )
        return found

    def _target(self, block: Block, role: str) -> None:
        store = self.vdf.paths if role == "path" else self.vdf.speeds
        if block.name in store:
            return
        kinds = schema.PATHS if role == "path" else schema.SPEEDS
        kind, word = self._kind_of(block, kinds)
        if kind is None:
            return
        if word == "SHAPE":
            shape = block.get("SHAPE_NAME")
            named = str(shape.value).upper() if shape is not None else ""
            kind = schema.SHAPES.get(named, kind)
            word = named if named in schema.SHAPES else word
        entry = self._entry(block, kind, word)
        store[block.name] = entry
        factors = {"PATH_S": "m", "DISTANCE": "m", "TIME": "s", "LONVEL": "m/s", "LONACC": "m/s2"}
        rows = entry.tables.get("VALUES")
        if rows and "X_DATA" in {k.name for k in kind.keys}:
            fx = self.units.factor(factors[str(entry["X_DATA"])])
            fy = self.units.factor(factors[str(entry["Y_DATA"])]) if kind.key("Y_DATA") else 1.0
            entry.tables["VALUES"] = [[float(x) * fx, float(y) * fy] for x, y in rows]
            self._rising(entry)
        if word == "NUMERIC_DATA" and len(entry.tables.get("TABLE", ())) < 2:
            self.report.error(block.line, f"[{block.name}] (TABLE)", "a path has at least two points")

    def _rising(self, entry: Entry) -> None:
        x = [float(row[0]) for row in entry.tables["VALUES"]]
        if any(b <= a for a, b in pairwise(x)):
            self.report.error(entry.at("(VALUES)"), f"[{entry.name}] (VALUES) x", "must rise from row to row")

    def _kind_of(self, block: Block, kinds: Mapping[str, BlockOf]) -> tuple[BlockOf | None, str]:
        found = block.get("TYPE")
        key = f"[{block.name}] TYPE"
        if found is None:
            self._once("type", key, block.line, f"missing; one of {', '.join(kinds)}")
            return None, ""
        word = str(found.value).strip().upper()
        if word not in kinds:
            self._once("type", key, found.line, f"found {shown(str(found.value))}{did_you_mean(word, kinds, 16)}")
            return None, ""
        return kinds[word], word

    def _signal(self, block: Block) -> None:
        if block.name in self.vdf.signals:
            return
        kind, word = self._kind_of(block, schema.SIGNALS)
        if kind is None:
            return
        entry = self._entry(block, kind, word)
        self.vdf.signals[block.name] = entry
        key = f"[{block.name}]"
        if "X1" in entry and not entry["X1"] > entry["X0"]:
            self.report.error(
                entry.at("X1"), f"{key} X1", f"found {entry['X1']:g} s; must be after X0 ({entry['X0']:g} s)"
            )
        first, last = entry["INITIAL_FREQUENCY"], entry["MAX_FREQUENCY"]
        if first is not None and last is not None and last < first:
            line = entry.at("MAX_FREQUENCY")
            self.report.error(line, f"{key} MAX_FREQUENCY", f"found {last:g} Hz; is below INITIAL_FREQUENCY")
        attribute = block.get("INITIAL_PHASE")
        phase = attribute.value if attribute is not None and isinstance(attribute.value, float) else 0.0
        if attribute is not None and self.units.factor("rad") != 1.0 and 0 < abs(phase) <= _TURN:
            about = f"found {phase:g} in a file in degrees; taken as degrees"
            self.report.warning(attribute.line, f"{key} INITIAL_PHASE", about)
        if word == "MEASURED":
            rows = entry.tables.get("VALUES")
            if ("FILE_NAME" in entry) == bool(rows):
                self.report.error(block.line, f"{key} FILE_NAME", "give a file, or rows in (VALUES)")
            if rows:
                fx = self.units.factor("s" if entry["ORDINAL"] == "TIME" else "m")
                entry.tables["VALUES"] = [[float(x) * fx, y] for x, y in rows]
                self._rising(entry)
        if word == "USER" and "MEASURE_NAME" in entry:
            name = str(entry["MEASURE_NAME"]).upper()
            meant = close(name, schema.USER_MEASURES)
            if name not in schema.USER_MEASURES and meant:
                self.report.error(
                    entry.at("MEASURE_NAME"), f"{key} MEASURE_NAME", f"found {shown(name)}; did you mean {meant!r}?"
                )

    def _condition(self, block: Block) -> None:
        if block.name in self.vdf.conditions:
            return
        entry = self._entry(block, schema.END_CONDITION)
        self.vdf.conditions[block.name] = entry
        key = f"[{block.name}]"
        if "MEASURE_NAME" in entry:
            self._measure(entry, key)
        if (
            self.all_found
            and "NEXT_MANEUVER_NAME" in entry
            and str(entry["NEXT_MANEUVER_NAME"]) not in self.stage_names
        ):
            name = str(entry["NEXT_MANEUVER_NAME"])
            self.report.error(
                entry.at("NEXT_MANEUVER_NAME"),
                f"{key} NEXT_MANEUVER_NAME",
                f"found {shown(name)}; not in the list{did_you_mean(name, sorted(self.stage_names))}",
            )
        test = str(entry["TEST_TYPE"]).strip("|")
        if (
            test in ("==", "=")
            and not entry["TOLERANCE"]
            and str(entry["MEASURE_NAME"]).upper() not in ("TIME", "GLOBAL_TIME")
        ):
            self.report.warning(
                entry.at("TEST_TYPE"), f"{key} TEST_TYPE", "asks for a value to the last digit; give a TOLERANCE"
            )

    def _measure(self, entry: Entry, key: str) -> None:
        """Bring reference and tolerance to SI, by the dimension of the measure."""
        name = str(entry["MEASURE_NAME"])
        upper = name.strip().upper()
        upper = schema.MEASURE_ALIASES.get(upper, upper)
        unit = schema.MEASURES.get(upper)
        if unit is not None:
            entry.values["MEASURE_NAME"] = upper
        else:
            unit = _channel_unit(name)
        if unit is None:
            meant = close(upper, schema.MEASURES)
            line = entry.at("MEASURE_NAME")
            if meant:
                self.report.error(line, f"{key} MEASURE_NAME", f"found {shown(name)}; did you mean {meant!r}?")
            elif all(self.units.factor(u) == 1.0 for u in ("m", "rad", "N", "kg", "s")):
                self.report.warning(
                    line,
                    f"{key} MEASURE_NAME",
                    f"{shown(name)} is neither measure nor channel; the vehicle must have such a sensor",
                )
            else:
                self.report.error(
                    line,
                    f"{key} MEASURE_NAME",
                    f"found {shown(name)}; neither measure nor channel: REF_VALUE cannot be converted to SI",
                )
            return
        factor = self.units.factor(unit) if unit in DIMENSIONS else 1.0
        for word in ("REF_VALUE", "TOLERANCE"):
            if word in entry:
                entry.values[word] = float(entry.values[word]) * factor

    def _module(self, block: Block, data: str) -> bool:
        if block.name in self.vdf.modules:
            return True
        found = block.get("CONTROLLER_DATA")
        key = f"[{block.name}] CONTROLLER_DATA"
        if found is None or str(found.value).upper() != data:
            what = "missing" if found is None else f"found {shown(str(found.value))}"
            self.report.error(block.line if found is None else found.line, key, f"{what}; expected '{data}'")
            return False
        entry = self._entry(block, schema.MODULE_BLOCKS[data], data)
        self.vdf.modules[block.name] = entry
        if data == "GEAR_MAPPED":
            self._scheduled(block, entry)
        return True

    def _scheduled(self, block: Block, entry: Entry) -> None:
        """Tables of gears over the way or over time, one for each gear."""
        low, high = int(entry["MIN_GEAR_ID"]), int(entry["MAX_GEAR_ID"])
        key = f"[{block.name}]"
        if not low <= high or high - low > 99:
            self.report.error(
                entry.at("MAX_GEAR_ID"), f"{key} MAX_GEAR_ID", f"found {high}; must be at least MIN_GEAR_ID ({low})"
            )
            return
        wanted = {f"GEAR_{'N' if gear < 0 else ''}{abs(gear)}_PROPERTIES_MAP": gear for gear in range(low, high + 1)}
        unit = "m" if entry["X_DATA"] == "PATH_S" else "s"
        for section in block.sub_blocks:
            name = section.name.upper()
            if name not in wanted:
                self.report.error(section.line, f"{key} ({section.name})", f"not a gear from {low} to {high}")
        for name in wanted:
            inside = block.sub_block(name)
            if inside is None:
                self.report.error(block.line, f"{key} ({name})", "missing: there is one table for each gear")
                continue
            units = (unit, *schema.GEAR_UNITS[1:])
            self._table(inside, TableOf(name, schema.GEAR_COLUMNS, units, required=True), f"{key} ({name})", entry)

    # -- keys and tables ----------------------------------------------------------------------------------
    def _entry(self, block: Block, kind: BlockOf, word: str = "") -> Entry:
        """A block as its kind; what is wrong with it as that is told once, however often it is asked for."""
        fresh = (block.line, kind.what) not in self.told or not block.line
        report = self.report if fresh else Report("")
        self.used.add(block.line)
        self.told.add((block.line, kind.what))
        entry = Entry(block.name, block.line, kind, word)
        keep, self.report = self.report, report
        try:
            extra_key = ("TYPE",) if word else ()
            self._section(block, kind.keys, f"[{block.name}]", entry, extra_key, count=fresh)
            known = {t.sub_block.upper() for t in kind.tables} | {a for t in kind.tables for a in t.aliases}
            known |= {name.upper() for name in kind.sub_blocks}
            for table in kind.tables:
                section = self._table_section(block, table)
                if section is not None and section.table is not None:
                    self._table(
                        section, table, f"[{block.name}]" + (f" ({section.name})" if table.sub_block else ""), entry
                    )
                elif table.required:
                    inside = f" ({table.sub_block})" if table.sub_block else ""
                    self.report.error(
                        section.line if section is not None else block.line,
                        f"[{block.name}]{inside}",
                        f"the table {{{' '.join(table.columns)}}} is missing",
                    )
            if fresh and not kind.any_table:
                self.unknown += [
                    (s.line, f"[{block.name}] ({s.name})") for s in block.sub_blocks if s.name.upper() not in known
                ]
        finally:
            self.report = keep
        return entry

    def _table_section(self, block: Block, table: TableOf) -> Section | None:
        if not table.sub_block:
            return block
        return next((s for n in (table.sub_block, *table.aliases) if (s := block.sub_block(n)) is not None), None)

    def _section(
        self,
        section: Section,
        keys: tuple[Key, ...],
        where: str,
        entry: Entry,
        also: Iterable[str] = (),
        count: bool = True,
    ) -> Entry:
        for attribute in section.attributes:
            key = schema.find_key(keys, attribute.key)
            if key is None:
                if attribute.key.upper() not in also:
                    entry.extra[attribute.key] = attribute.value
                    if count:
                        meant = close(attribute.key.upper(), [k.name for k in keys])
                        self.unknown.append(
                            (
                                attribute.line,
                                f"{where} {attribute.key}" + (f" (did you mean {meant}?)" if meant else ""),
                            )
                        )
                continue
            value = self._value(attribute, key, f"{where} {attribute.key}")
            if value is not None:
                entry.values[key.name] = value
            entry.lines[key.name] = attribute.line
        for key in keys:
            if key.required and key.name not in entry.lines:
                self.report.error(section.line, f"{where} {key.name}", f"missing{_expected(key)}")
        return entry

    def _value(self, attribute: Attribute, key: Key, where: str) -> Typed | None:
        found, line = attribute.value, attribute.line
        if key.kind in ("number", "whole"):
            if isinstance(found, str):
                self.report.error(line, where, f"found {shown(found)}; expected a number{_in(key.unit)}")
                return None
            if key.kind == "whole" and found != int(found):
                self.report.error(line, where, f"found {found:g}; expected a whole number")
                return None
            value = found * self._factor(key.unit)
            low, high = key.low, key.high
            if low is not None and (value < low or (key.above and value == low)):
                self.report.error(line, where, f"found {found:g}; must be {'>' if key.above else '≥'} {low:g}")
                return None
            if high is not None and value > high:
                self.report.error(line, where, f"found {found:g}; must be ≤ {high:g}")
                return None
            if not math.isfinite(value):
                self.report.error(line, where, f"found {found:g}; too large")
                return None
            return value
        if key.kind == "flag":
            flag = as_flag(found)
            if flag is None:
                self.report.error(line, where, f"found {shown(str(found))}; expected 'TRUE' or 'FALSE'")
            return flag
        if not isinstance(found, str):
            self.report.error(line, where, f"found {found:g}; expected text in single quotes")
            return None
        if key.kind == "choice":
            word = found.strip().upper()
            word = key.words.get(word, word)
            if word not in key.allowed:
                self.report.error(line, where, f"found {shown(found)}{did_you_mean(word, key.allowed, 16)}")
                return None
            return word
        if not found.strip():
            self.report.error(line, where, "the text is empty")
            return None
        return found

    def _factor(self, unit: str) -> float:
        """SI value of a unit; what depends on its use stays as it is."""
        return self.units.factor(unit) if unit in DIMENSIONS else 1.0

    def _table(self, section: Section, wanted: TableOf, where: str, entry: Entry) -> None:
        """Rows by position; numbers in SI. A table of gears may have one set of times for both directions."""
        table = section.table
        if table is None:
            self.report.error(section.line, where, f"the table {{{' '.join(wanted.columns)}}} is missing")
            return
        full, short = len(wanted.columns), len(wanted.columns) - len(schema.SHIFT)
        gears = wanted.columns == schema.GEAR_COLUMNS
        allowed: tuple[int, ...] = (full, short) if gears else (full,)
        if wanted.sub_block == "TABLE":
            allowed = (4, 3, 2)
        columns = len(table.columns)
        if columns not in allowed:
            counts = " or ".join(str(n) for n in allowed)
            self.report.error(
                table.line, where, f"found {columns} columns; expected {counts}: {' '.join(wanted.columns)}"
            )
            return
        rows: list[list[Value]] = []
        ok = True
        for source in table.lines:
            if len(source.values) != columns:
                self.report.error(
                    source.line, where, f"found {len(source.values)} values in a row; the table has {columns} columns"
                )
                ok = False
                continue
            row: list[Value] = []
            for value, unit, column in zip(source.values, wanted.units, table.columns, strict=False):
                if unit == "block":
                    row.append(str(value) if isinstance(value, str) else f"{value:g}")
                elif isinstance(value, str):
                    self.report.error(source.line, f"{where} {column.name}", f"found {shown(value)}; expected a number")
                    ok = False
                else:
                    row.append(value * self._tagged(column, unit, table))
            if gears and columns == short:
                row += row[-len(schema.SHIFT) :]
            rows.append(row)
        if ok:
            name = wanted.sub_block
            entry.tables[name] = rows
            entry.headers[name] = [c.name for c in table.columns]
            entry.lines[f"({name})"] = table.line

    def _tagged(self, column: Column, unit: str, table: Table) -> float:
        if column.unit is not None:
            return self.units.tag(column.unit, self.report, table.line, f"column {column.name}")
        return self._factor(unit)

    # -- what is left -------------------------------------------------------------------------------------
    def _left(self) -> None:
        lists = {schema.LIST_NAME, *schema.LIST_ALIASES, *schema.HEADERS, *schema.KEPT_BLOCKS}
        unused = []
        for block in self.file.blocks:
            if block.line in self.used or block.name.upper() in lists:
                continue
            if block is not self.by_name.get(block.name):
                continue  # an earlier one of the same name, told already
            unused.append((block.line, block.name))
        self.vdf.unused = [name for _, name in unused]
        for what, items in (
            ("nothing uses these blocks; kept", [(n, f"[{b}]") for n, b in unused]),
            ("not known; kept", sorted(self.unknown)),
        ):
            if items:
                listed = ", ".join(f"{name} (line {line})" for line, name in items)
                self.report.warning(items[0][0], "", f"{what}: {listed}")
        model = self.vdf.setting("GLOBAL_SETTINGS")
        if model["MODEL_TYPE"] == "MOTORCYCLE_STANDARD":
            self.report.warning(
                model.at("MODEL_TYPE"),
                "[GLOBAL_SETTINGS] MODEL_TYPE",
                "motorcycles are not modelled; what only they have is kept and not used",
            )


def _in(unit: str) -> str:
    return (
        ""
        if unit == "-"
        else {"channel": " in the unit of its channel", "measure": " in the unit of its measure"}.get(
            unit, f" ({unit} in SI)"
        )
    )


def _expected(key: Key) -> str:
    if key.kind == "choice":
        return f"; one of {', '.join(key.allowed)}"
    if key.kind in ("number", "whole"):
        return f"; expected a number{_in(key.unit)}"
    return "; expected text"


def _channel_unit(name: str) -> str | None:
    """SI unit of a channel of the catalogue; None: there is no such channel."""
    from jounce.results.catalogue import catalogue

    try:
        return catalogue().find(name).si_unit
    except ParameterError:
        return None
