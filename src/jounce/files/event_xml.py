"""Events in XML: read by the names of elements and attributes, and brought to the form of an SDF.

The schema of these files is not published; what is known are the names of their parameters. So names count, not the way
in which they are nested: a name in any case, with or without ``Dcf`` in front, its value in an attribute or as the text
of an element of its own.

    <Units length="mm" angle="deg" …/>
    <… speed="27778" gear="3" staticSetup="settle">             of the root, or of an element Experiment
    <GearShiftingParameters gearShift="0.2" …/>
    <Machine smoothingTime="0.1" pathDistanceComp="true" …/>    also SmartDriver
    <MiniManeuver name="…" active="yes" abortTime="5">
        <Steering actuatorType="rotation" controlMethod="open" controlType="step" …/>
        <Throttle controlMethod="machine" target="speed_s_map"><Point x="0" y="20"/>…</Throttle>
        <Condition measure="VELOCITY" test="&lt;" value="1000" groupName="…" conditionType="end"/>
    </MiniManeuver>

What has no place in that form is passed on under its name, so that the conversion lists it as left out. Files that
declare document types or entities are refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from xml.parsers import expat

from jounce.core.errors import FormatError, did_you_mean
from jounce.files.property_file import NUMBER, Attribute, Block, Node, PropertyFile, Section, Value, to_number

DEPTH = 40
NODES = 100_000

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
MANOEUVRES = ("MINI_MANEUVER", "MINIMANEUVER", "MANEUVER", "MINI")
CHANNELS = {
    "STEERING": "STEERING",
    "THROTTLE": "THROTTLE",
    "BRAKING": "BRAKING",
    "BRAKE": "BRAKING",
    "GEAR": "GEAR",
    "CLUTCH": "CLUTCH",
}
CONDITIONS = ("CONDITION", "END_CONDITION", "ABORT_CONDITION")
SETTINGS = ("MACHINE", "SMART_DRIVER", "CONTROLLER")
SHIFTING = ("GEAR_SHIFTING_PARAMETERS", "GEAR_SHIFT_PARAMETERS", "GEAR_SHIFTING")
GROUPS = ("EXPERIMENT", "MANEUVERS", "MINI_MANEUVERS", "CONDITIONS", "END_CONDITIONS", "EVENT", "MAP", "VALUES")
POINTS = ("POINT", "ROW", "VALUE")
RENAMED = {
    "CONTROL_METHOD": "METHOD",
    "CONTROL_MODE": "MODE",
    "SPEED": "INITIAL_SPEED",
    "GEAR": "INITIAL_GEAR",
    "STATIC_SET_UP": "STATIC_SETUP",
    "ENTRY_DISTANCE": "TURN_ENTRY_DISTANCE",
    "DIRECTION": "TURN_DIRECTION",
}
SHIFTS = {
    "GEAR_SHIFT": "GEAR_SHIFT_TIME",
    "CLUTCH_RAISE": "CLUTCH_RAISE_TIME",
    "CLUTCH_FALL": "CLUTCH_FALL_TIME",
    "THROTTLE_RAISE": "THROTTLE_RAISE_TIME",
    "THROTTLE_FALL": "THROTTLE_FALL_TIME",
    "CLUTCH_ON_THROTTLE_OFF_DELAY": "GEAR_SHIFT_DT1",
    "CLUTCH_OFF_THROTTLE_ON_DELAY": "GEAR_SHIFT_DT2",
}
GAINS = {f"{a}{b}": f"{a}_{b}" for a in ("AX", "VX") for b in "PID"}
COLUMNS = {
    "measure": ("MEASURE", "MEASURE_NAME", "NAME"),
    "test": ("TEST", "TEST_TYPE"),
    "value": ("VALUE", "TRIGGER_VALUE", "REF_VALUE"),
    "allowed_error": ("ALLOWED_ERROR", "ERROR"),
    "filter_time": ("FILTER_TIME",),
    "delay_time": ("DELAY_TIME",),
    "group": ("GROUP_NAME", "GROUP"),
    "condition_type": ("CONDITION_TYPE", "TYPE"),
}
LATERAL = {
    "STRAIGHT": "STRAIGHT",
    "SKIDPAD": "SKIDPAD",
    "PATH_MAP": "PATH",
    "AY_S_MAP": "LATERAL_ACC",
    "AY_T_MAP": "LATERAL_ACC",
}
LONGITUDINAL = {
    "MAINTAIN": "MAINTAIN",
    "SPEED_S_MAP": "MAP",
    "SPEED_T_MAP": "MAP",
    "AX_S_MAP": "ACCMAP",
    "AX_T_MAP": "ACCMAP",
    "LON_ACCEL": "LON_ACCEL",
    "LAT_ACCEL": "LAT_ACCEL",
    "VEL_POLYNOMIAL": "VEL_POLYNOMIAL",
}
MAPS = {
    "SPEED_S_MAP": "SPEED_S",
    "SPEED_T_MAP": "SPEED_T",
    "AX_S_MAP": "ACCELERATION_S",
    "AX_T_MAP": "ACCELERATION_T",
    "AY_S_MAP": "ACCELERATION_S",
    "AY_T_MAP": "ACCELERATION_T",
}


@dataclass
class Element:
    """An element with its line; values of attributes and of children that only hold text, by name."""

    name: str
    line: int
    values: dict[str, tuple[str, int]] = field(default_factory=dict)
    children: list[Element] = field(default_factory=list)
    text: str = ""
    tag: str = ""


def plain(name: str) -> str:
    """A name as the other formats write it: ``DcfInitialSpeed`` is INITIAL_SPEED."""
    word = name.rsplit("}", 1)[-1].rsplit(":", 1)[-1]
    word = word.removeprefix("Dcf").removeprefix("dcf") or word
    return _CAMEL.sub("_", word).replace("-", "_").upper()


def parse(text: str, path: str = "") -> Element:
    """Elements of a text; refuses document types, entities and what is not well formed."""
    where = path or "(text)"
    parser = expat.ParserCreate()
    root = Element("", 0)
    stack = [root]
    count = 0

    def refuse(*_: object) -> None:
        raise FormatError(
            f"{where}: line {parser.CurrentLineNumber}: declares a document type or entities; such files are not read"
        )

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1 + len(attributes)
        if count > NODES or len(stack) > DEPTH:
            raise FormatError(f"{where}: line {parser.CurrentLineNumber}: too many elements, or nested too deeply")
        line = parser.CurrentLineNumber
        element = Element(plain(tag), line, tag=tag)
        element.values = {
            plain(key): (value, line) for key, value in attributes.items() if not key.startswith(("xmlns", "xsi:"))
        }
        stack[-1].children.append(element)
        stack.append(element)

    def end(_: str) -> None:
        done = stack.pop()
        done.text = done.text.strip()
        if done.text and not done.children and not done.values and len(stack) > 1:  # a value as an element
            stack[-1].children.remove(done)
            stack[-1].values[done.name] = (done.text, done.line)

    def data(letters: str) -> None:
        stack[-1].text += letters

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = data
    try:
        parser.Parse(
            text.encode("utf-8", "replace") if "encoding=" not in text[:200] else _without_declaration(text), True
        )
    except expat.ExpatError as problem:
        raise FormatError(f"{where}: line {problem.lineno}: not well-formed XML ({problem})") from None
    if not root.children:
        raise FormatError(f"{where}: holds no element")
    return root.children[0]


def _without_declaration(text: str) -> bytes:
    """The text was decoded already: what its first line says about its encoding does not hold any more."""
    return re.sub(r"^(\s*<\?xml[^>]*?)\s+encoding=(\"[^\"]*\"|'[^']*')", r"\1", text, count=1).encode(
        "utf-8", "replace"
    )


def from_xml(text: str, path: str = "") -> PropertyFile:
    """The event in the form of an SDF."""
    return _Builder(parse(text.lstrip("\ufeff"), path), path).run()


class _Builder:
    def __init__(self, root: Element, path: str) -> None:
        self.root = root
        self.file = PropertyFile(path)
        self.manoeuvres: list[Element] = []

    def run(self) -> PropertyFile:
        file = self.file
        self.listed = self._block("MANEUVER", self.root.line)
        self.controller = self._block("CONTROLLER", self.root.line)
        self.vehicle = self._block("VEHICLE", self.root.line)
        self.model = self._block("MODEL", self.root.line)
        self._top(self.root)
        rows: list[list[Value]] = []
        table_lines: list[int] = []
        for i, element in enumerate(self.manoeuvres, 1):
            name = element.values.pop("NAME", (f"MANEUVER_{i}", 0))[0]
            abort = element.values.pop("ABORT_TIME", None)
            step = element.values.pop("SAMPLE_PERIOD", None) or element.values.pop("STEP_SIZE", None) or self.sample
            period = _value(step[0]) if step is not None else 0.01
            rows.append([name, _value(abort[0]) if abort is not None else "(none)", period])
            table_lines.append(element.line)
            self._manoeuvre(name, element)
        if rows:
            section = self._sub(self.listed, "MANEUVERS", self.root.line)
            table = section.add_table(("name", "abort_time", "step_size"), ())
            from jounce.files.property_file import Row

            for row, line in zip(rows, table_lines, strict=True):
                table.lines.append(Row(line, [], row))
                table.rows.append(row)
        if not self.vehicle.attributes:
            file.blocks.remove(self.vehicle)
        if file.block("UNITS") is None:
            self._block("UNITS", 0)
        return file

    sample: tuple[str, int] | None = None
    smoothing: tuple[str, int] | None = None

    def _top(self, element: Element) -> None:
        """The root and what groups things in it: values of the start, settings, manoeuvres."""
        for key, (value, line) in element.values.items():
            if key in ("VERSION", "FILE_VERSION", "FILE_TYPE", "FILE_FORMAT", "SCHEMA_LOCATION"):
                continue
            self._setting(RENAMED.get(key, key), value, line)
        for child in element.children:
            if child.name == "UNITS":
                units = self._block("UNITS", child.line)
                for key, (value, line) in child.values.items():
                    _set(units, key, value, line)
            elif child.name in SHIFTING:
                for key, (value, line) in child.values.items():
                    self._setting(SHIFTS.get(key, key), value, line)
            elif child.name in SETTINGS:
                for key, (value, line) in child.values.items():
                    self._setting(key, value, line)
            elif child.name in MANOEUVRES and (child.children or "NAME" in child.values):
                self.manoeuvres.append(child)
            elif child.name in GROUPS:
                self._top(child)
            else:
                self._unknown(child, "")

    def _setting(self, key: str, value: str, line: int) -> None:
        """A value of the whole, in the block in which an SDF has it."""
        key = GAINS.get(key, key)
        if key == "SAMPLE_PERIOD":
            self.sample = (value, line)
        elif key == "SMOOTHING_TIME":
            self.smoothing = (value, line)
        elif key in ("INITIAL_SPEED", "INITIAL_GEAR", "STATIC_SETUP", "NAME", "EXPERIMENT_NAME") or key.startswith(
            "INITIAL_"
        ):
            _set(self.listed, key, value, line)
        elif key == "PATH_POSITIONING":
            _set(self.model, "INITIAL_PATH", value, line)
        elif key == "THROTTLE_CONTROL":
            _set(self.controller, "GEAR_OPENTHROTTLE_CONTROL", value, line)
        elif key in SHIFTS.values() or key.startswith("GEAR_") or key in ("MIN_GEAR", "MAX_GEAR"):
            _set(self.vehicle, key, value, line)
        else:
            _set(self.controller, key, value, line)

    def _manoeuvre(self, name: str, element: Element) -> None:
        block = self._block(name, element.line)
        if self.smoothing is not None and "SMOOTHING_TIME" not in element.values:
            _set(block, "SMOOTHING_TIME", *self.smoothing)
        for key, (value, line) in element.values.items():
            _set(block, key, value, line)
        machine = Section("MACHINE_CONTROL", Node(element.line, []), "\n")
        conditions: list[Element] = []
        todo = list(element.children)
        while todo:
            child = todo.pop(0)
            if child.name in CHANNELS:
                self._channel(block, machine, child)
            elif child.name in CONDITIONS:
                conditions.append(child)
            elif child.name in GROUPS:
                todo = [*child.children, *todo]
            else:
                self._unknown(child, f"{name}_")
        if machine.attributes:
            block.sub_blocks.append(machine)
        if conditions:
            self._conditions(block, conditions)

    def _channel(self, block: Block, machine: Section, element: Element) -> None:
        channel = CHANNELS[element.name]
        section = self._sub(block, channel, element.line)
        values = dict(element.values)
        points: list[tuple[float, ...]] = []
        todo = list(element.children)
        while todo:
            child = todo.pop(0)
            if child.name in POINTS:
                points.append(_point(child, self.file.report.path))
                continue
            if child.name not in GROUPS:
                values.setdefault(
                    "TARGET" if child.name in {**LATERAL, **LONGITUDINAL} else "CONTROL_TYPE", (child.name, child.line)
                )
            values.update(child.values)
            todo = [*child.children, *todo]
        target = values.pop("TARGET", None) or values.pop("MACHINE_TARGET", None)
        method = values.get("CONTROL_METHOD", ("", 0))[0].upper()
        if method == "MACHINE":
            self._target(block, machine, channel, target, values, points, element.line)
            values = {
                k: v
                for k, v in values.items()
                if k in ("CONTROL_METHOD", "ACTUATOR_TYPE", "CONTROL_MODE", "CONTROL_TYPE")
            }
        elif target is not None:
            values["TARGET"] = target
        for key, (value, line) in values.items():
            _set(section, RENAMED.get(key, key), value, line)
        if points and method != "MACHINE":
            _table(self._sub(block, f"{channel}_DATA_MAP", element.line), ("x", "y"), points, element.line)

    def _target(
        self,
        block: Block,
        machine: Section,
        channel: str,
        target: tuple[str, int] | None,
        values: dict[str, tuple[str, int]],
        points: list[tuple[float, ...]],
        line: int,
    ) -> None:
        """What the machine follows: in one place for both pedals, as an SDF has it."""
        words, key = (LATERAL, "PATH_CONTROL") if channel == "STEERING" else (LONGITUDINAL, "SPEED_CONTROL")
        if channel in ("GEAR", "CLUTCH") or target is None:
            return
        word = plain(target[0])
        if word not in words:
            known = did_you_mean(word, words)
            where = f"{self.file.report.path}: line {target[1]}: [{block.name}] ({channel}) target"
            raise FormatError(f"{where}: found {target[0][:80]!r}{known}")
        if key in machine:
            return  # the other pedal said it
        _set(machine, key, words[word], target[1])
        for name, (value, at) in values.items():
            if name not in ("CONTROL_METHOD", "ACTUATOR_TYPE", "CONTROL_MODE", "CONTROL_TYPE"):
                _set(machine, RENAMED.get(name, name), value, at)
        if word == "PATH_MAP":
            name = f"{block.name}_PATH_MAP"
            _set(machine, "DRIVER_PATH", name, target[1])
            path = self._block(name, line)
            _set(path, "TYPE", "MEASURED", line)
            flat = [(*point, 0.0)[:3] for point in points]
            _table(self._sub(path, "MEASURED", line), ("x", "y", "z"), flat, line)
        elif word in MAPS:
            name = f"{block.name}_{word}"
            _set(machine, "LATERAL_ACC_MAP" if channel == "STEERING" else "SPEED_MAP", name, target[1])
            of = self._block(name, line)
            _set(of, "MAP_TYPE", MAPS[word], line)
            _table(self._sub(of, "MAP", line), ("x", "y"), points, line)

    def _conditions(self, block: Block, conditions: list[Element]) -> None:
        section = self._sub(block, "END_CONDITIONS", conditions[0].line)
        rows: list[list[Value]] = []
        for element in conditions:
            values = dict(element.values)
            row: list[Value] = []
            for column, names in COLUMNS.items():
                found = next((values.pop(n) for n in names if n in values), None)
                default: Value = {"measure": "", "test": "", "group": "----", "condition_type": "end"}.get(column, 0.0)
                if column == "condition_type" and element.name == "ABORT_CONDITION":
                    default = "abort"
                row.append(
                    default
                    if found is None
                    else _value(found[0])
                    if column not in ("measure", "test", "group")
                    else found[0]
                )
            rows.append(row)
            for key, (value, line) in values.items():
                if key not in ("ACTIVE",):
                    _set(section, key, value, line)
        _table(section, tuple(COLUMNS), rows, conditions[0].line, [e.line for e in conditions])

    def _unknown(self, element: Element, prefix: str) -> None:
        """Pass on what nobody here knows, so that it is listed."""
        self._block(f"{prefix}{element.name}", element.line)

    def _block(self, name: str, line: int) -> Block:
        block = self.file.named(name)
        if block is None:
            block = Block(name, Node(line, []), "\n")
            self.file.blocks.append(block)
        return block

    @staticmethod
    def _sub(block: Block, name: str, line: int) -> Section:
        section = Section(name, Node(line, []), "\n")
        block.sub_blocks.append(section)
        return section


def _set(section: Section, key: str, value: str, line: int) -> None:
    section.take(Attribute(line, [], key, _value(value)))


def _value(text: str) -> Value:
    word = text.strip()
    return to_number(word) if NUMBER.fullmatch(word) and len(word) < 100 else word


def _point(element: Element, path: str) -> tuple[float, ...]:
    by_name = [element.values[axis][0] for axis in "XYZ" if axis in element.values]
    words = by_name or [value for value, _ in element.values.values()] or element.text.split()
    numbers = [_value(word) for word in words]
    if len(numbers) < 2 or not all(isinstance(n, float) and abs(n) < 1e300 for n in numbers):
        raise FormatError(
            f"{path}: line {element.line}: {element.name}: found {str(words)[:200]}; expected two or more numbers"
        )
    return tuple(float(n) for n in numbers)


def _table(section: Section, columns: tuple[str, ...], rows: list[tuple[float, ...]] | list[list[Value]], line: int,
           lines: list[int] | None = None) -> None:  # fmt: skip
    from jounce.files.property_file import Row

    table = section.add_table(columns, ())
    table.header.line = line
    for i, row in enumerate(rows):
        values: list[Value] = list(row)
        table.lines.append(Row(lines[i] if lines else line, [], values))
        table.rows.append(values)
