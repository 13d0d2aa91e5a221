"""SDF, DCF and XML events of older driving machines, as VDF.

All three say the same in other words: a start, a list of mini-manoeuvres, what each channel does, when it is over. They
are brought to one form, that of a property file with the blocks of an SDF, and that to a VDF in SI:

    [MODEL]         TYPE, REF_SYSTEM and INITIAL_PATH       -> [GLOBAL_SETTINGS] and (OPTIONS) of each manoeuvre
    [CONTROLLER]    switches of the controller              -> [CONTROLLER_STANDARD], [CONTROLLER_LONACC], modules
    [VEHICLE]       shifts, gears, limits                   -> [GEAR_STANDARD], [CLUTCH_STANDARD], [STEERING_STANDARD]
    [MANEUVER]      start and list ([EXPERIMENT] in a DCF)  -> [STARTUP], [MANEUVERS_LIST]
    [<name>]        one mini-manoeuvre                      -> [<name>] and a block for everything that it says

Every key of the source is used, or listed in one warning: as unsupported, or as something that the vehicle itself
knows. Pedals count to 100 in these files, so that their signals are written without AUTO_SCALING. A signal starts from
the value that its channel has: what the source leaves open about it, a step to an absolute value, is written as seen
from the value at the start, or from INITIAL_VALUE, or from zero with a warning (docs/decisions/0072).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from jounce.core.errors import FormatError, did_you_mean
from jounce.core.limits import read_bytes, reading
from jounce.files import vdf_schema as schema
from jounce.files.file_units import Units, read_units, write_units
from jounce.files.problems import Report
from jounce.files.property_file import LIMITS, Block, PropertyFile, Section, Value, as_flag, decoded, shown
from jounce.files.templates import filled

ENDINGS = (".sdf", ".dcf", ".xml")
CHANNELS = ("STEERING", "THROTTLE", "BRAKING", "GEAR", "CLUTCH")
PEDALS = ("THROTTLE", "BRAKING")

METHODS = {"MACHINE": "MACHINE", "OPEN": "OPENLOOP", "USER": "USER", "SMART_DRIVER": "MACHINE"}
SETUPS = {"NONE": "OFF", "NORMAL": "OFF", "SETTLE": "OFF", "STRAIGHT": "STRAIGHT", "OFF": "OFF"}
ACTUATORS = {
    "ROTATION": "ANGLE",
    "TORQUE": "TORQUE",
    "FORCE": "RACK_FORCE",
    "TRANSLATION": "RACK_DISPLACEMENT",
    "TRANS": "RACK_DISPLACEMENT",
}
MODELS = {"VEHICLE_STANDARD": "CAR_STANDARD", "MOTORCYCLE_STANDARD": "MOTORCYCLE_STANDARD"}
POSITIONS = {"AUTO": "AUTOMATIC", "AUTOMATIC": "AUTOMATIC", "ABSOLUTE": "ABSOLUTE", "DEFAULT": "AUTOMATIC"}

# Keys of [CONTROLLER] and what they become.
SWITCHES = {
    "RAX_SATURATION": "THROTTLE_SAT_TGTACCX_ACTIVE",
    "FEED_FORWARD": "THROTTLE_FEED_FWD_TRQ_ACTIVE",
    "KICKDOWN_CONTROL": "KICKDOWN_ACTIVE",
    "PATH_DISTANCE_COMP": "STEERING_PDC_ACTIVE",
    "YAW_RATE_CORRECTION": "STEERING_YAW_PID_ACTIVE",
    "TIRE_FZ_CONTROL": "LIFT_CONTROL_ACTIVE",
}
CONTROLS = {
    "MIN_PREVIEW_DISTANCE": ("MIN_PREVIEW_DISTANCE", "m"),
    "PREVIEW_TIME": ("PREVIEW_TIME", "s"),
    "PATH_DISTANCE_COMP_TOLERANCE": ("STEERING_PDC_ACTDIST", "m"),
    "SAMPLE_PERIOD": ("SAMPLE_TIME", "s"),
}
GAINS = {
    **{f"VX_{a}": f"PID_LONVEL_{b}_GAIN" for a, b in (("P", "PROP"), ("I", "INTG"), ("D", "DERIV"))},
    **{f"AX_{a}": f"PID_LONACC_{b}_GAIN" for a, b in (("P", "PROP"), ("I", "INTG"), ("D", "DERIV"))},
}
# What an SDF means where it does not say it; the other two formats say it or leave it to the vehicle.
SDF_SWITCHES = {"TIRE_FZ_CONTROL": True, "RAX_SATURATION": True, "FEED_FORWARD": True, "KICKDOWN_CONTROL": False}
SHIFT_KEYS = (
    ("GEAR_SHIFT_TIME", 0.2),
    ("THROTTLE_FALL_TIME", 0.03),
    ("CLUTCH_RAISE_TIME", 0.1),
    ("CLUTCH_FALL_TIME", 0.03),
    ("THROTTLE_RAISE_TIME", 0.03),
    ("GEAR_SHIFT_DT1", 0.0),
    ("GEAR_SHIFT_DT2", 0.0),
)
GEAR_DEFAULTS = {"MIN_GEAR": 1.0, "MAX_GEAR": 7.0, "UPSHIFT": 8000.0, "DOWNSHIFT": 3000.0}
# The vehicle that is driven has these of its own.
OF_THE_VEHICLE = (
    *("STEERING_MODE", "WHEELBASE", "F_MAX_TORQUE", "R_MAX_TORQUE", "F_BIAS", "FINAL_DRIVE", "MAX_RPM_LIMIT"),
    *("F_TIRE_RADIUS", "R_TIRE_RADIUS", "STEERING_RATIO", "STEERING_RACK_RATIO"),
)
PATH_WORDS = ("STRAIGHT", "SKIDPAD", "PATH", "LATERAL_ACC")
SPEED_WORDS = ("MAINTAIN", "MAP", "ACCMAP", "ACCMAP2", "LATACCMAP", "LON_ACCEL", "LAT_ACCEL", "VEL_POLYNOMIAL")
MAPS = {
    "SPEED_S": ("PATH_S", "LONVEL"),
    "SPEED_T": ("TIME", "LONVEL"),
    "ACCELERATION_S": ("PATH_S", "LONACC"),
    "ACCELERATION_T": ("TIME", "LONACC"),
}
SI_UNITS = {"PATH_S": "m", "TIME": "s", "LONVEL": "m/s", "LONACC": "m/s2"}


_Table = tuple[str, tuple[str, ...], list[list[Value]]]  # sub-block, columns, rows


@dataclass
class Converted:
    """A VDF and what is to be said about how it came about."""

    file: PropertyFile
    report: Report
    unsupported: list[str] = field(default_factory=list)

    def text(self) -> str:
        return self.file.text()


def convert_event(path: str | Path) -> Converted:
    """A file in one of the three formats, by its ending, as a VDF."""
    with reading(path):
        ending = Path(path).suffix.lower()
        if ending not in ENDINGS:
            raise FormatError(f"{path}: ends with {ending!r}; expected one of {', '.join(ENDINGS)}")
        return convert_text(decoded(read_bytes(path, LIMITS), str(path))[0], ending, str(path))


def convert_text(text: str, ending: str, path: str = "") -> Converted:
    """The same of a text."""
    if ending == ".xml":
        from jounce.files.event_xml import from_xml

        source = from_xml(text, path)
    else:
        source = PropertyFile.programme(filled(text, None, path), path)
    return _Converter(source, ending == ".sdf").run()


class _Converter:
    def __init__(self, source: PropertyFile, defaults: bool) -> None:
        self.source = source
        self.by_name = {block.name: block for block in source.blocks}  # of equal names the last
        self.defaults = defaults  # those of an SDF are filled in
        self.report = Report(source.report.path, [p for p in source.report.problems if p.level != "info"])
        self.units: Units = read_units(source, self.report)
        self.out = PropertyFile()
        self.taken: set[int] = set()  # id of attributes and sub-blocks that were used
        self.unsupported: list[tuple[int, str]] = []
        self.of_the_vehicle: list[tuple[int, str]] = []
        self.later: list[Callable[[], None]] = []
        self.written: set[str] = set()
        self.initial: dict[str, float] = dict.fromkeys(CHANNELS, 0.0)

    def run(self) -> Converted:
        source = self.source
        header = self.out.add_block("VIGRADE_HEADER")
        header.set("FILE_TYPE", "vdf")
        header.set("FILE_VERSION", 9.0)
        header.set("FILE_FORMAT", "ASCII")
        write_units(self.out)
        listed = source.block("MANEUVER", "MANEUVERS", "EXPERIMENT")
        if listed is None:
            known = list(self.by_name)[: 500 if len(self.report.problems) < 50 else 0]
            self.report.error(
                0, "[MANEUVER]", f"the block with start and list is missing{did_you_mean('MANEUVER', known)}"
            )
            self.report.raise_if_errors()
            raise AssertionError
        self._global()
        self._controllers()
        self._vehicle()
        rows = self._start(listed)
        for i, (name, line) in enumerate(rows):
            block = self.by_name.get(name)
            if block is None:
                known = list(self.by_name)[: 500 if len(self.report.problems) < 50 else 0]
                self.report.error(line, f"[{listed.name}] {name}", f"there is no such block{did_you_mean(name, known)}")
            else:
                self._stage(block, i == 0)
        for write in self.later:
            write()
        self._left(listed, {name for name, _ in rows})
        self.report.raise_if_errors()
        return Converted(self.out, self.report, [key for _, key in self.unsupported])

    # -- asking -------------------------------------------------------------------------------------------
    def _get(self, section: Section | None, *names: str) -> Value | None:
        """A value by one of its names; it counts as used."""
        for name in names if section is not None else ():
            found = section.get(name) if section is not None else None
            if found is not None:
                self.taken.add(id(found))
                return found.value
        return None

    def _line(self, section: Section | None, *names: str) -> int:
        for name in names:
            if section is not None and (found := section.get(name)) is not None:
                return found.line
        return section.line if section is not None else 0

    def _number(self, section: Section | None, key: str, unit: str, *names: str) -> float | None:
        value = self._get(section, *names)
        if value is None:
            return None
        if isinstance(value, str):
            self.report.error(
                self._line(section, *names), f"{key} {names[0]}", f"found {shown(value)}; expected a number"
            )
            return None
        return value * self.units.factor(unit)

    def _word(self, section: Section | None, key: str, allowed: object, *names: str) -> str | None:
        """A word in capitals; one that is not allowed is an error."""
        value = self._get(section, *names)
        if value is None:
            return None
        word = str(value).strip().upper()
        known = list(allowed) if isinstance(allowed, dict | tuple) else []
        if known and word not in known:
            line = self._line(section, *names)
            self.report.error(line, f"{key} {names[0]}", f"found {shown(str(value))}{did_you_mean(word, known, 16)}")
            return None
        return word

    def _flag(self, section: Section | None, key: str, name: str) -> bool | None:
        value = self._get(section, name)
        if value is None:
            return None
        found = as_flag(value)
        if found is None:
            self.report.error(
                self._line(section, name), f"{key} {name}", f"found {shown(str(value))}; expected YES or NO"
            )
        return found

    def _no(self, line: int, key: str) -> None:
        """Something that cannot be said in a VDF."""
        if all(key != known for _, known in self.unsupported):
            self.unsupported.append((line, key))

    # -- blocks of the whole ------------------------------------------------------------------------------
    def _global(self) -> None:
        block = self.source.block("MODEL")
        kind = self._word(block, "[MODEL]", MODELS, "TYPE")
        self.first = POSITIONS[self._word(block, "[MODEL]", POSITIONS, "INITIAL_PATH", "PATH_POSITIONING") or "AUTO"]
        relative = self._word(block, "[MODEL]", ("RELATIVE", "ABSOLUTE"), "REF_SYSTEM") or "RELATIVE"
        self.relative = relative == "RELATIVE"
        for name, only in (("MODE", "ADAMS"), ("FORMAT", "STANDARD")):
            found = self._get(block, name)
            if found is not None and str(found).upper() != only:
                self._no(self._line(block, name), f"[MODEL] {name} = '{found}'")
        settings = self.out.add_block("GLOBAL_SETTINGS")
        settings.set("MODEL_TYPE", MODELS[kind or "VEHICLE_STANDARD"])
        settings.set("PATH_POSITIONING", self.first)
        self.motorcycle = kind == "MOTORCYCLE_STANDARD"

    def _controllers(self) -> None:
        block = self.source.block("CONTROLLER")
        keys: dict[str, Value] = {}
        for name, ours in SWITCHES.items():
            found = self._flag(block, "[CONTROLLER]", name)
            if found is None and self.defaults:
                found = SDF_SWITCHES.get(name)
            if found is not None:
                keys[ours] = "TRUE" if found else "FALSE"
        for name, (ours, unit) in CONTROLS.items():
            number = self._number(block, "[CONTROLLER]", unit, name)
            if number is not None:
                keys[ours] = number
        if self.defaults:
            keys.setdefault("MIN_PREVIEW_DISTANCE", 5.0)
        if self._flag(block, "[CONTROLLER]", "RPM_CONTROL"):
            self._no(self._line(block, "RPM_CONTROL"), "[CONTROLLER] RPM_CONTROL")
        for name in ("STEER_SIGMA_RESMAX", "STEER_SIGMA_RESMIN", "STEER_SIGMA_SEARCHIND0"):
            if self._get(block, name) is not None:
                self._no(self._line(block, name), f"[CONTROLLER] {name} (of motorcycles)")
        for name, word in (("CONTROLLER_STANDARD", "LONVEL"), ("CONTROLLER_LONACC", "LONACC")):
            out = self.out.add_block(name)
            for key, value in keys.items():
                out.set(key, value)
            out.set("LONGITUDINAL_SPEED_CONTROL", word)
        throttle = self.out.add_block("THROTTLE_STANDARD")
        brake = self.out.add_block("BRAKING_STANDARD")
        for one in (throttle, brake):
            for key, value in (("MAX_VALUE", 100.0), ("MIN_VALUE", 0.0), ("SCALING_FACTOR", 100.0)):
                one.set(key, value)
        for name, ours in GAINS.items():
            number = self._number(block, "[CONTROLLER]", "-", name)
            if number is not None:
                throttle.set(ours, number)
        opened = self._flag(block, "[CONTROLLER]", "GEAR_OPENTHROTTLE_CONTROL")
        opened = False if opened is None and self.defaults else opened
        self.clutch = self.out.add_block("CLUTCH_STANDARD")
        if opened is not None:
            self.clutch.set("THROTTLE_CONTROL_ACTIVATION", "TRUE" if opened else "FALSE")

    def _vehicle(self) -> None:
        block = self.source.block("VEHICLE", "GEAR_SHIFTING_PARAMETERS")
        key = f"[{block.name}]" if block is not None else "[VEHICLE]"
        limits = self.out.add_block("STEERING_STANDARD")
        for name, ours, default in (
            ("STEERING_ANGLE_MAX", "MAX_VALUE", 12.566371),
            ("STEERING_ANGLE_MIN", "MIN_VALUE", -12.566371),
        ):
            number = self._number(block, key, "rad", name)
            if number is None and self.defaults:
                number = default
            if number is not None:
                limits.set(ours, number)
        idle = self._number(block, key, "-", "MIN_RPM_LIMIT")
        if idle is None and self.defaults:
            idle = 0.0
        if idle is not None:
            self.clutch.set("MIN_RPM", idle)
        self._gears(block, key)
        for name in OF_THE_VEHICLE:
            if self._get(block, name) is not None:
                self.of_the_vehicle.append((self._line(block, name), f"{key} {name}"))
        for attribute in block.attributes if block is not None else ():
            words = attribute.key.upper().split("_")
            if words[0] == "GEAR" and words[-1] == "RATIO":
                self.taken.add(id(attribute))
                self.of_the_vehicle.append((attribute.line, f"{key} {attribute.key}"))

    def _gears(self, block: Block | None, key: str) -> None:
        low = self._number(block, key, "-", "MIN_GEAR")
        high = self._number(block, key, "-", "MAX_GEAR")
        up = self._number(block, key, "-", "GEAR_UPSHIFT_RPM")
        down = self._number(block, key, "-", "GEAR_DOWNSHIFT_RPM")
        times = [self._number(block, key, "s", name) for name, _ in SHIFT_KEYS]
        if not self.defaults and low is high is up is down is None and all(t is None for t in times):
            return
        low = GEAR_DEFAULTS["MIN_GEAR"] if low is None else low
        high = GEAR_DEFAULTS["MAX_GEAR"] if high is None else high
        if low != int(low) or high != int(high) or not low <= high <= low + 99:
            self.report.error(self._line(block, "MAX_GEAR"), f"{key} MAX_GEAR", f"found gears from {low:g} to {high:g}")
            return
        row = [default if t is None else t for t, (_, default) in zip(times, SHIFT_KEYS, strict=True)]
        rows: list[list[Value]] = []
        for gear in range(int(low), int(high) + 1):
            own = [self._number(block, key, "-", f"GEAR_{gear}_{word}_RPM") for word in ("UPSHIFT", "DOWNSHIFT")]
            first = own[0] if own[0] is not None else up if up is not None else GEAR_DEFAULTS["UPSHIFT"]
            second = own[1] if own[1] is not None else down if down is not None else GEAR_DEFAULTS["DOWNSHIFT"]
            rows.append([float(gear), 0.0, first, second, *row, *row])
        gears = self.out.add_block("GEAR_STANDARD")
        gears.set("MAX_VALUE", high)
        gears.set("MIN_VALUE", low)
        gears.add_sub_block("PROPERTIES_MAP").add_table(schema.GEAR_COLUMNS, rows)

    def _start(self, block: Block) -> list[tuple[str, int]]:
        key = f"[{block.name}]"
        out = self.out.add_block("STARTUP")
        speed = self._number(block, key, "m/s", "INITIAL_SPEED", "SPEED")
        if speed is None:
            self.report.error(block.line, f"{key} INITIAL_SPEED", "missing; expected a number")
        else:
            out.set("INITIAL_SPEED", speed)
        for names, channel, ours, unit, scale in (
            (("INITIAL_STEER", "INITIAL_STEERING"), "STEERING", "INITIAL_STEERING", "rad", 1.0),
            (("INITIAL_THROTTLE",), "THROTTLE", "INITIAL_THROTTLE", "-", 0.01),
            (("INITIAL_BRAKING",), "BRAKING", "INITIAL_BRAKING", "-", 0.01),
            (("INITIAL_CLUTCH",), "CLUTCH", "INITIAL_CLUTCH", "-", 1.0),
            (("INITIAL_GEAR", "GEAR"), "GEAR", "INITIAL_GEAR", "-", 1.0),
        ):
            number = self._number(block, key, unit, *names)
            if number is not None:
                self.initial[channel] = number
                out.set(ours, number * scale)
        setup = self._get(block, "STATIC_SETUP", "STATIC_SET_UP")
        word = str(setup or "NONE").strip().upper()
        if word not in SETUPS:
            self._no(self._line(block, "STATIC_SETUP", "STATIC_SET_UP"), f"{key} STATIC_SETUP = '{setup}'")
        out.set("INITIAL_SETUP", SETUPS.get(word, "OFF"))
        name = self._get(block, "EXPERIMENT_NAME", "NAME")
        if isinstance(name, str):
            self.out.add_comment(name)
        section = block.sub_block("MANEUVERS") or block.sub_block("MINI_MANEUVERS")
        table = section.table if section is not None else block.table
        if section is not None:
            self.taken.add(id(section))
        if table is None or not table.lines:
            self.report.error(block.line, f"{key} (MANEUVERS)", "the table {name abort_time step_size} is missing")
            self.report.raise_if_errors()
            raise AssertionError
        rows: list[list[Value]] = []
        named: list[tuple[str, int]] = []
        for row in table.lines:
            numbers = [v for v in row.values[1:3] if isinstance(v, float)]
            if not row.values or len(numbers) < min(2, len(table.columns) - 1):
                self.report.error(
                    row.line, f"{key} (MANEUVERS)", f"found {row.values}; expected a name and two numbers"
                )
                continue
            second = self.units.factor("s")
            step = numbers[1] * second if len(numbers) > 1 else 0.01
            rows.append([str(row.values[0]), numbers[0] * second, step])
            named.append((str(row.values[0]), row.line))
        self.aborts = {str(row[0]): float(row[1]) for row in rows}
        self.out.add_block(schema.LIST_NAME).add_table(("name", "abort_time", "sampling_step"), rows)
        return named

    # -- mini-manoeuvres ----------------------------------------------------------------------------------
    def _stage(self, block: Block, first: bool) -> None:
        name, key = block.name, f"[{block.name}]"
        if name in self.written:
            return
        self.written.add(name)
        out = self.out.add_block(name)
        task = self._word(block, key, ("NORMAL", "STANDARD", "STARTUP"), "TASK")
        out.set("TASK", "STARTUP" if task == "STARTUP" else "STANDARD")
        if self._flag(block, key, "ACTIVE") is False:
            out.set("ACTIVE", "FALSE")
        smoothing = self._number(block, key, "s", "SMOOTHING_TIME", "SMOOTING_TIME")
        if smoothing is None and self.defaults:
            smoothing = 0.1
        times = self._word(block, key, ("RELATIVE", "ABSOLUTE"), "TIME_REF_MODE")
        machine = block.sub_block("MACHINE_CONTROL")
        if machine is not None:
            self.taken.add(id(machine))
        settings, targets = self._targets(block, machine)
        out.set("CONTROLLER_SETTINGS", settings)
        steering = block.sub_block("STEERING")
        by = self._get(steering, "ACTUATOR_TYPE")
        actuator = str(by or "ROTATION").strip().upper()
        if actuator not in ACTUATORS:
            hint = did_you_mean(actuator, ACTUATORS)
            self.report.error(
                self._line(steering, "ACTUATOR_TYPE"),
                f"{key} (STEERING) ACTUATOR_TYPE",
                f"found {shown(str(by))}{hint}",
            )
            actuator = "ROTATION"
        if ACTUATORS[actuator] != "ANGLE":
            out.set("STEERING_BY", ACTUATORS[actuator])
            self.report.warning(self._line(steering, "ACTUATOR_TYPE"), f"{key} (STEERING) ACTUATOR_TYPE",
                                f"{actuator}: written as STEERING_BY, which only jounce reads")  # fmt: skip
        for channel in CHANNELS:
            unit = schema.STEERING_UNITS[ACTUATORS[actuator]] if channel == "STEERING" else "-"
            self._channel(block, out, channel, unit, smoothing, first)
        if targets:
            section = out.add_sub_block("MACHINE")
            for word, target in targets.items():
                section.set(word, target)
        options = out.add_sub_block("OPTIONS")
        options.set("PATH_POSITIONING", self.first if first else "AUTOMATIC" if self.relative else "ABSOLUTE")
        options.set("CONNECT_PATH", "TRUE" if self.relative and not first else "FALSE")
        options.set("SPEED_MAP_GLOBAL_S", "FALSE" if self.relative else "TRUE")
        options.set("SPEED_MAP_ABS_TIME", "FALSE" if self.relative or times == "RELATIVE" else "TRUE")
        self._ends(block, out)

    def _channel(self, block: Block, out: Block, channel: str, unit: str, smoothing: float | None, first: bool) -> None:
        section = block.sub_block(channel)
        key = f"[{block.name}] ({channel})"
        setup = f"{block.name}_{channel}"
        out.add_sub_block(channel).set("CONTROLLER_NAME", setup)
        keys: dict[str, Value] = {}
        method = "MACHINE"
        if section is None:
            self.report.error(block.line, key, f"missing; expected METHOD, one of {', '.join(METHODS)}")
        else:
            self.taken.add(id(section))
            method = METHODS[self._word(section, key, METHODS, "METHOD") or "MACHINE"]
            if section.get("METHOD") is None:
                self.report.error(section.line, f"{key} METHOD", f"missing; one of {', '.join(METHODS)}")
        keys["METHOD"] = method
        if method == "OPENLOOP" and section is not None:
            keys["SIGNAL"] = self._signal(block, section, channel, unit, key, first)
        elif section is not None:
            self._get(section, "MODE", "CONTROL_MODE"), self._get(section, "CONTROL_TYPE")
        keys["SMOOTHING_ACTIVE"] = "TRUE" if smoothing else "FALSE"
        if smoothing:
            keys["SMOOTHING_TIME"] = smoothing
        self._later_block(setup, keys)

    def _block(self, name: str, keys: dict[str, Value], table: _Table | None = None) -> None:
        block = self.out.add_block(name)
        for key, value in keys.items():
            block.set(key, value)
        if table is not None:
            block.add_sub_block(table[0]).add_table(table[1], table[2])

    def _signal(self, block: Block, section: Section, channel: str, unit: str, key: str, first: bool) -> str:
        """Write the signal of an open channel; returns the name of its block."""
        known = ("CONSTANT", "STEP", "RAMP", "IMPULSE", "SINE", "SWEPT_SINE", "DATA_DRIVEN", "DATA_MAP")
        kind = self._word(section, key, known, "CONTROL_TYPE")
        if kind is None:
            if section.get("CONTROL_TYPE") is None:
                self.report.error(section.line, f"{key} CONTROL_TYPE", f"missing; one of {', '.join(known)}")
            return f"{block.name}_{channel}"
        double = "" if kind in ("CONSTANT", "STEP", "RAMP") else "_"
        name = f"{block.name}_{double}{channel}_{kind}"
        mode = self._word(section, key, ("ABSOLUTE", "RELATIVE"), "MODE", "CONTROL_MODE") or "ABSOLUTE"
        keys: dict[str, Value] = {"TYPE": {"SWEPT_SINE": "SWEPT"}.get(kind, kind)}
        table: _Table | None = None

        def number(default: float | None, of: str, *names: str) -> float:
            found = self._number(section, key, of, *names)
            if found is not None:
                return found
            if default is None and section.get(names[0]) is None:
                self.report.error(section.line, f"{key} {names[0]}", "missing; expected a number")
            return default or 0.0

        # those without a mode go on from where the channel is
        relative = mode == "RELATIVE" or kind not in ("CONSTANT", "STEP", "DATA_DRIVEN", "DATA_MAP")
        keys["CALC_MODE"] = "RELATIVE" if relative else "ABSOLUTE"
        begin = number(0.0, "s", "START_TIME") if kind not in ("CONSTANT", "DATA_DRIVEN", "DATA_MAP") else 0.0
        if kind == "CONSTANT":
            keys["VALUE"] = number(None, unit, "CONTROL_VALUE", "VALUE")
        elif kind in ("STEP", "IMPULSE"):
            keys["X0"] = begin
            span = number(None, "s", "DURATION")
            if span <= 0 and section.get("DURATION") is not None:
                self.report.error(self._line(section, "DURATION"), f"{key} DURATION", f"found {span:g} s; must be > 0")
            keys["X1"] = begin + span
            if kind == "IMPULSE":
                keys["MAX_VALUE"] = number(None, unit, "MAXIMUM_VALUE", "MAX_VALUE", "MAXIMUM")
                self._get(section, "INITIAL_VALUE")
            else:
                told = self._first_value(section, channel, unit, key, relative, first)
                keys.update({"FROM_ACTUAL": "TRUE"} if told is None else {"Y0": told})
                keys["Y1"] = number(None, unit, "FINAL_VALUE")
        elif kind == "RAMP":
            keys["X0"] = begin
            length = self._number(section, key, "s", "DURATION")
            if length is not None:
                keys["X1"] = begin + length
            slope = self._number(section, key, unit, "RAMP_VALUE", "SLOPE")
            if slope is None:
                self.report.error(section.line, f"{key} RAMP_VALUE", "missing; expected a number")
            keys["SLOPE"] = (slope or 0.0) / self.units.factor("s")
            self._get(section, "INITIAL_VALUE")
        elif kind == "SINE":
            keys["AMPLITUDE"] = number(None, unit, "AMPLITUDE")
            cycle = number(None, "s", "CYCLE_LENGTH")
            if cycle <= 0 and section.get("CYCLE_LENGTH") is not None:
                self.report.error(
                    self._line(section, "CYCLE_LENGTH"), f"{key} CYCLE_LENGTH", f"found {cycle:g} s; must be > 0"
                )
            keys["FREQUENCY"] = 1 / cycle if cycle > 0 else 1.0
            keys["INITIAL_PHASE"] = 0.0
            keys["NUMBER_OF_CYCLES"] = 1.0
            keys["X0"] = begin
            self._get(section, "INITIAL_VALUE")
        elif kind == "SWEPT_SINE":
            keys["X0"] = begin
            keys["AMPLITUDE"] = number(None, unit, "AMPLITUDE")
            keys["INITIAL_FREQUENCY"] = number(None, "1/s", "INITIAL_FREQUENCY")
            keys["FREQUENCY_RATE"] = number(None, "1/s2", "FREQUENCY_RATE")
            keys["MAX_FREQUENCY"] = number(None, "1/s", "MAXIMUM_FREQUENCY", "MAX_FREQUENCY")
            self._get(section, "INITIAL_VALUE")
        elif kind == "DATA_DRIVEN":
            file = self._get(section, "FILE_NAME", "FILE", "DCD_FILE") or self._get(
                block, "FILE_NAME", "FILE", "DCD_FILE"
            )
            keys["TYPE"] = "MEASURED"
            if not isinstance(file, str):
                self.report.error(section.line, f"{key} FILE_NAME", "missing: the file with the data")
            else:
                keys["FILE_NAME"] = file
            self.report.warning(
                section.line, key, "plays a file: check by hand that it begins with the value of the channel"
            )
        else:
            keys, table = self._data_map(block, section, channel, unit, key)
        if channel in PEDALS and keys["TYPE"] != "MAINTAIN":
            keys["AUTO_SCALING"] = "FALSE"
        self._later_block(name, keys, table)
        return name

    def _first_value(
        self, section: Section, channel: str, unit: str, key: str, relative: bool, first: bool
    ) -> float | None:
        """Where a step begins, as far as the file tells it; None: where the channel is."""
        told = self._number(section, key, unit, "INITIAL_VALUE")
        if told is None and relative:
            return 0.0
        if told is None and first and (channel != "STEERING" or unit == "rad"):
            return self.initial[channel]
        return told

    def _data_map(
        self, block: Block, section: Section, channel: str, unit: str, key: str
    ) -> tuple[dict[str, Value], _Table | None]:
        """A table in the file; where there is none, the channel keeps its value."""
        found = block.sub_block(f"{channel}_DATA_MAP") or block.sub_block("DATA_MAP")
        rows = _numbers(found, 2) if found is not None else []
        if found is None or not rows:
            self._no(section.line, f"{key} CONTROL_TYPE = 'DATA_MAP' (the channel keeps its value)")
            return {"TYPE": "MAINTAIN"}, None
        self.taken.add(id(found))
        second, factor = self.units.factor("s"), self.units.factor(unit)
        data: list[list[Value]] = [[x * second, y * factor] for x, y in rows]
        return {"TYPE": "MEASURED", "CALC_MODE": "ABSOLUTE", "ORDINAL": "TIME"}, ("VALUES", ("x", "y"), data)

    # -- targets ------------------------------------------------------------------------------------------
    def _targets(self, block: Block, machine: Section | None) -> tuple[str, dict[str, Value]]:
        """Names of the blocks that are followed, and of the controller's settings."""
        key = f"[{block.name}] (MACHINE_CONTROL)"
        targets: dict[str, Value] = {}
        settings = "CONTROLLER_STANDARD"
        word = self._word(machine, key, PATH_WORDS, "PATH_CONTROL", "STEERING_CONTROLLER", "STEERING_CONTROL")
        if word is not None:
            name = f"{block.name}_{word}"
            if word == "PATH":
                given = self._get(machine, "DRIVER_PATH")
                name = str(given) if given is not None else "PATH"
                self._path(name, self._line(machine, "DRIVER_PATH"), key)
            elif word == "STRAIGHT":
                self._later_block(name, {"TYPE": "SHAPE", "SHAPE_NAME": "STRAIGHT"})
            elif word == "SKIDPAD":
                self._skidpad(name, machine, key)
            else:
                given = str(self._get(machine, "LATERAL_ACC_MAP") or "")
                self._lateral(name, given, self._line(machine, "LATERAL_ACC_MAP"), key)
            targets["PATH"] = name
        word = self._word(machine, key, SPEED_WORDS, "SPEED_CONTROL")
        if word is not None:
            name, settings = self._speed(block, machine, word, key)
            targets["SPEED"] = name
        return settings, targets

    def _skidpad(self, name: str, machine: Section | None, key: str) -> None:
        keys: dict[str, Value] = {"TYPE": "SHAPE", "SHAPE_NAME": "SKIDPAD"}
        for ours, unit, default, *names in (
            ("RADIUS", "m", None, "RADIUS"),
            ("STARTING_LENGTH", "m", 0.0, "TURN_ENTRY_DISTANCE", "ENTRY_DISTANCE"),
            ("AMPLITUDE", "rad", 2 * math.pi, "AMPLITUDE"),
            ("STEP_SIZE", "m", 0.1, "STEP_SIZE"),
        ):
            found = self._number(machine, key, str(unit), *[str(n) for n in names])
            if found is None and default is None:
                self.report.error(self._line(machine), f"{key} {names[0]}", "missing; expected a number")
            keys[str(ours)] = float(default or 0.0) if found is None else found
        keys["TURN_SIDE"] = self._word(machine, key, ("LEFT", "RIGHT"), "TURN_DIRECTION", "DIRECTION") or "LEFT"
        keys["SMOOTHING_AMPLITUDE"] = 0.0  # straight and circle meet without a spiral
        self._later_block(name, keys)

    def _named(self, name: str, line: int, key: str) -> Block | None:
        found = self.by_name.get(name)
        if found is None:
            hint = did_you_mean(name, list(self.by_name)[: 500 if len(self.report.problems) < 50 else 0])
            self.report.error(line, key, f"found {shown(name)}; there is no such block{hint}")
        return found

    def _path(self, name: str, line: int, where: str) -> None:
        if name in self.written:
            return
        block = self._named(name, line, f"{where} DRIVER_PATH")
        if block is None:
            return
        self.written.add(name)
        self.taken.add(id(block))
        key = f"[{name}]"
        kind = self._word(block, key, ("DRD_FILE", "DCD_FILE", "MEASURED"), "TYPE")
        keys: dict[str, Value] = {}
        table: _Table | None = None
        if kind == "MEASURED":
            section = block.sub_block("MEASURED")
            rows = _numbers(section, 3) if section is not None else []
            if section is not None:
                self.taken.add(id(section))
            if len(rows) < 2:
                self.report.error(
                    block.line, f"{key} (MEASURED)", "the table {x y z} needs at least two rows of numbers"
                )
            factor = self.units.factor("m")
            points: list[list[Value]] = [[*(v * factor for v in row), 0.0] for row in rows]
            keys["TYPE"], table = "NUMERIC_DATA", ("TABLE", ("x", "y", "z", "lat_inc"), points)
        else:
            file = self._get(block, "FILE", "FILE_NAME")
            keys["TYPE"] = "DRD_FILE"
            if not isinstance(file, str):
                self.report.error(block.line, f"{key} FILE", "missing: the file with the path")
            else:
                keys["FILE_NAME"] = file
            if kind == "DCD_FILE":
                self._no(self._line(block, "TYPE"), f"{key} TYPE = 'DCD_FILE' (convert the path to DRD)")
        smooth = self._word(block, key, ("CUBIC", "NONE"), "INTERPOLATION")
        keys["INTERPOLATION"] = "NONE" if smooth == "NONE" else "CUBIC_SPLINE"
        step = self._number(block, key, "m", "INTERPOLATION_STEP")
        keys["MIN_SEGMENT_LENGTH"] = 0.5 if step is None else step
        for word, unit in (("REF_X", "m"), ("REF_Y", "m"), ("REF_Z", "m"), ("REF_AZ", "rad")):
            number = self._number(block, key, unit, word)
            if number is not None:
                keys[word] = number
        self._later_block(name, keys, table)

    def _map(self, name: str, line: int, where: str) -> tuple[Block, str, list[tuple[float, ...]]] | None:
        block = self._named(name, line, where)
        if block is None:
            return None
        self.taken.add(id(block))
        kind = self._word(block, f"[{name}]", (*MAPS, "DRD_FILE", "DCD_FILE"), "MAP_TYPE")
        section = block.sub_block("MAP")
        rows = _numbers(section, 2) if section is not None else []
        if section is not None:
            self.taken.add(id(section))
        if kind in MAPS and not rows:
            self.report.error(block.line, f"[{name}] (MAP)", "the table of two columns of numbers is missing")
        return (block, kind, rows) if kind is not None else None

    def _lateral(self, name: str, given: str, line: int, where: str) -> None:
        found = self._map(given, line, f"{where} LATERAL_ACC_MAP")
        if found is None:
            return
        _, kind, rows = found
        if not kind.startswith("ACCELERATION"):
            self.report.error(line, f"[{given}] MAP_TYPE", f"found {kind!r}; a lateral acceleration is needed")
            return
        over = "DISTANCE" if kind.endswith("S") else "TIME"
        fx, fy = self.units.factor("m" if over == "DISTANCE" else "s"), self.units.factor("m/s2")
        data: list[list[Value]] = [[x * fx, y * fy] for x, y in rows]
        keys: dict[str, Value] = {"TYPE": "LATERAL_ACCELERATION", "X_DATA": over}
        self.report.warning(line, f"{where} PATH_CONTROL", "LATERAL_ACC: written as a target that only jounce reads")
        self._later_block(name, keys, ("VALUES", ("x", "y"), data))

    def _speed(self, block: Block, machine: Section | None, word: str, key: str) -> tuple[str, str]:
        """Write the longitudinal target; returns the names of its block and of the controller's settings."""
        line = self._line(machine, "SPEED_CONTROL")
        name = f"{block.name}_{word}"
        if word == "MAINTAIN":
            self._later_block(name, {"TYPE": "MAINTAIN"})
            return name, "CONTROLLER_STANDARD"
        if word in ("LON_ACCEL", "LAT_ACCEL", "VEL_POLYNOMIAL"):
            keys: dict[str, Value] = {}
            if word == "VEL_POLYNOMIAL":
                keys["TYPE"] = "POLYNOMIAL"
                parts = (("VELOCITY", "m/s"), ("ACCELERATION", "m/s2"), ("JERK", "m/s3"), ("START_TIME", "s"))
            else:
                keys["TYPE"] = "ACCELERATION" if word == "LON_ACCEL" else "LATERAL_ACCELERATION"
                parts = (("START_TIME", "s"),) if word == "LON_ACCEL" else ()  # type: ignore[assignment]
                value = self._number(
                    machine, key, "m/s2", word, "LON_ACC" if word == "LON_ACCEL" else "LAT_ACC", "ACCELERATION"
                )
                if value is None:
                    self.report.error(line, f"{key} {word}", "missing; expected a number")
                keys["ACCELERATION"] = value or 0.0
            for part, unit in parts:
                number = self._number(machine, key, unit, part)
                if number is not None:
                    keys[part] = number
            self.report.warning(line, f"{key} SPEED_CONTROL", f"{word}: written as a target that only jounce reads")
            self._later_block(name, keys)
            return name, "CONTROLLER_STANDARD"
        given = str(self._get(machine, "SPEED_MAP") or "")
        if word == "LATACCMAP":
            self._no(line, f"{key} SPEED_CONTROL = 'LATACCMAP' (the speed is held)")
            if given and (found := self.by_name.get(given)) is not None:
                self.taken.add(id(found))
            self._later_block(f"{block.name}_MAINTAIN", {"TYPE": "MAINTAIN"})
            return f"{block.name}_MAINTAIN", "CONTROLLER_STANDARD"
        settings = "CONTROLLER_LONACC" if word == "ACCMAP" else "CONTROLLER_STANDARD"
        if given in self.written:
            return given, settings
        map_ = self._map(given, self._line(machine, "SPEED_MAP", "SPEED_CONTROL"), f"{key} SPEED_MAP")
        if map_ is None:
            return given, settings
        self.written.add(given)
        source, kind, rows = map_
        if kind in MAPS:
            x, y = MAPS[kind]
            if (word == "MAP") != (y == "LONVEL"):
                wanted = "speeds" if word == "MAP" else "accelerations"
                self.report.error(
                    self._line(source, "MAP_TYPE"), f"[{given}] MAP_TYPE", f"found {kind!r}; {word} follows {wanted}"
                )
            fx, fy = self.units.factor(SI_UNITS[x]), self.units.factor(SI_UNITS[y])
            data: list[list[Value]] = [[a * fx, b * fy] for a, b in rows]
            head: dict[str, Value] = {"TYPE": "MAP", "X_DATA": x, "Y_DATA": y, "INTERPOLATION": "LINEAR"}
            self._later_block(given, head, ("VALUES", ("x", "y"), data))
        else:
            file = self._get(source, "FILE", "FILE_NAME")
            if not isinstance(file, str):
                self.report.error(source.line, f"[{given}] FILE", "missing: the file with the speeds")
            if kind == "DCD_FILE":
                self._no(self._line(source, "MAP_TYPE"), f"[{given}] MAP_TYPE = 'DCD_FILE' (convert the speeds to DRD)")
            self._later_block(given, {"TYPE": "DRD_FILE", "FILE_NAME": str(file)})
        return given, settings

    # -- end conditions -----------------------------------------------------------------------------------
    def _ends(self, block: Block, out: Block) -> None:
        section = block.sub_block("END_CONDITIONS")
        if section is None:
            return
        self.taken.add(id(section))
        table = section.table
        if table is None:
            return
        key = f"[{block.name}] (END_CONDITIONS)"
        columns = [c.name.lower() for c in table.columns]
        for needed in ("measure", "test", "value"):
            if needed not in columns:
                self.report.error(table.line, key, f"the column {needed} is missing")
                return
        names: list[list[Value]] = []
        unknown: list[str] = []
        for i, row in enumerate(table.lines, 1):
            data = dict(zip(columns, row.values, strict=False))
            measure, test = str(data.get("measure", "")).upper(), str(data.get("test", ""))
            test = schema.TEST_WORDS.get(test, test)
            measure = schema.MEASURE_ALIASES.get(measure, measure)
            unit = schema.MEASURES.get(measure)
            if test not in (*schema.TESTS, *schema.ABSOLUTE_TESTS):
                self.report.error(row.line, f"{key} test", f"found {shown(test)}{did_you_mean(test, schema.TESTS, 12)}")
                continue
            numbers: dict[str, float] = {}
            for column, of in (("value", unit), ("allowed_error", unit), ("filter_time", "s"), ("delay_time", "s")):
                found = data.get(column, 0.0)
                if isinstance(found, str) or (column == "value" and "value" not in data):
                    self.report.error(row.line, f"{key} {column}", f"found {shown(str(found))}; expected a number")
                    found = 0.0
                numbers[column] = float(found) * (self.units.factor(of) if of is not None else 1.0)
            if unit is None:
                unknown.append(measure)
            name = f"{block.name}_END_COND_BLOCK_{i}"
            keys: dict[str, Value] = {
                "MEASURE_NAME": measure if unit is not None else str(data["measure"]),
                "TEST_TYPE": test,
                "REF_VALUE": numbers["value"],
                "TOLERANCE": numbers["allowed_error"],
                "FILTERING_TIME": numbers["filter_time"],
                "DELAY": numbers["delay_time"],
            }
            group = str(data.get("group", "")).strip()
            if group.strip("- "):
                keys["GROUP"] = group
            kind = str(data.get("condition_type", "end")).strip().upper()
            if kind not in ("END", "ABORT"):
                self.report.error(row.line, f"{key} condition_type", f"found {shown(kind)}; expected END or ABORT")
            elif kind == "ABORT":
                keys["CONDITION_TYPE"] = kind
            self._later_block(name, keys)
            names.append([name])
        if names:
            out.add_sub_block("END_CONDITIONS").add_table(("name",), names)
        if unknown:
            self.report.warning(section.line, key, "values of these measures are not converted to SI, check them: "
                                + ", ".join(unknown))  # fmt: skip

    def _later_block(self, name: str, keys: dict[str, Value], table: _Table | None = None) -> None:
        """Blocks that manoeuvres name come behind them, in the order in which they are named."""
        self.later.append(lambda: self._block(name, keys, table))

    # -- what is left -------------------------------------------------------------------------------------
    def _left(self, listed: Block, stages: set[str]) -> None:
        """Whatever was not used is told: nothing is dropped in silence."""
        known = {"UNITS", "MDI_HEADER", "VIGRADE_HEADER"}
        for block in self.source.blocks:
            if block.name.upper() in known:
                continue
            read = block is listed or block.name in stages or id(block) in self.taken
            read |= block.name.upper() in ("MODEL", "CONTROLLER", "VEHICLE", "GEAR_SHIFTING_PARAMETERS")
            if not read:
                self._no(block.line, f"[{block.name}]")
                continue
            for attribute in block.attributes:
                if id(attribute) not in self.taken:
                    self._no(attribute.line, f"[{block.name}] {attribute.key}")
            for section in block.sub_blocks:
                if id(section) not in self.taken and section.name.upper() != "COMMENTS":
                    self._no(section.line, f"[{block.name}] ({section.name})")
                    continue
                for attribute in section.attributes:
                    if id(attribute) not in self.taken:
                        self._no(attribute.line, f"[{block.name}] ({section.name}) {attribute.key}")
        self.unsupported.sort()
        for items, what in ((self.unsupported, "not supported and left out"),
                            (sorted(self.of_the_vehicle), "not needed, the vehicle has its own")):  # fmt: skip
            if items:
                listing = ", ".join(f"{key} (line {line})" for line, key in items)
                self.report.warning(items[0][0], "", f"{what}: {listing}")


def _numbers(section: Section | None, columns: int) -> list[tuple[float, ...]]:
    """Rows of a table that are numbers, as many as wanted; shorter ones are filled with zeros."""
    table = section.table if section is not None else None
    if table is None:
        return []
    rows = []
    for row in table.lines:
        values = [v for v in row.values if isinstance(v, float)]
        if len(values) != len(row.values) or len(values) < min(2, columns):
            return []
        rows.append(tuple([*values, 0.0, 0.0][:columns]))
    return rows
