"""VDF and manoeuvres: a file as plain data, and plain data as a file.

Tables say which key is which field, in both directions. Blocks that the manoeuvre names stand under their names in it,
so that they keep them when it is written. Written in SI; every key that the format knows is written, or only those
that differ from their defaults. What the format does not know is in ``extra`` of what it stood in, and is written back.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from jounce.core.errors import FormatError, ParameterError
from jounce.core.limits import is_file
from jounce.core.units import parse
from jounce.core.writing import write_atomically
from jounce.files import vdf_schema as schema
from jounce.files.file_units import write_units
from jounce.files.problems import Report
from jounce.files.property_file import PropertyFile, Section, Value, resolve
from jounce.files.vdf import Entry, Stage, Vdf, read_vdf
from jounce.manoeuvre import model, settings, signals, targets
from jounce.manoeuvre.conditions import Condition

RPM = math.pi / 30

Fields = dict[str, str]
"""Key of a block -> field of the data, dotted."""

GLOBAL: Fields = {
    "MODEL_TYPE": "model",
    "INTERFACE_TYPE": "interface",
    "PATH_POSITIONING": "placement",
    "MANEUVER_STOP_MANAGEMENT_MODE": "on_stop",
}
DEBUG: Fields = {"ACTIVATION": "active", "INITIALIZATION_DUMP": "dump"}
CONTROLLER: Fields = {
    "PREVIEW_TIME": "preview_time",
    "MIN_PREVIEW_DISTANCE": "min_preview_distance",
    "LAT_ANT_COMP_TIME": "lateral_anticipation",
    "LON_ANT_COMP_TIME": "longitudinal_anticipation",
    "STEERING_PDC_ACTIVE": "path_compensation",
    "STEERING_PDC_ACTDIST": "path_compensation_distance",
    "STEERING_YAW_PID_ACTIVE": "yaw_correction",
    "THROTTLE_FEED_FWD_TRQ_ACTIVE": "feed_forward",
    "THROTTLE_SAT_TGTACCX_ACTIVE": "limit_acceleration",
    "THROTTLE_RATE_LIMITER_ACTIVE": "throttle_limited",
    "THROTTLE_ROLLON_MAX_RATE": "throttle_press_rate",
    "THROTTLE_ROLLOFF_MAX_RATE": "throttle_release_rate",
    "BRAKING_RATE_LIMITER_ACTIVE": "braking_limited",
    "BRAKING_ROLLON_MAX_RATE": "braking_press_rate",
    "BRAKING_ROLLOFF_MAX_RATE": "braking_release_rate",
    "STEERING_RATE_LIMITER_ACTIVE": "steering_limited",
    "STEERING_MAX_RATE": "steering_rate",
    "STEERING_STRAIGHT_LINE_SMOOTHING_ACTIVE": "straight_line_smoothing",
    "VARIABLE_STEERING_RATIO_ACTIVE": "variable_ratio",
    "PREVIEW_DISTANCE_CALC": "preview",
    "LONGITUDINAL_SPEED_CONTROL": "speed_control",
    "LATERAL_DRIVER": "driver",
    "KICKDOWN_ACTIVE": "kick_down",
    "LIFT_CONTROL_ACTIVE": "lift_control",
    "SAMPLE_TIME": "sample_time",
}
STEERING: Fields = {"MAX_VALUE": "maximum", "MIN_VALUE": "minimum"}
PEDAL: Fields = {**STEERING, "SCALING_FACTOR": "scale", "FULL_VALUE": "full"}


def _gains(prefix: str, place: str) -> Fields:
    words = {"PROP": "proportional", "INTG": "integral", "DERIV": "derivative"}
    return {f"{prefix}_{word}_GAIN": f"{place}.{name}" for word, name in words.items()}


THROTTLE: Fields = {**PEDAL, **_gains("PID_LONVEL", "speed_gains"), **_gains("PID_LONACC", "acceleration_gains")}
GEARS: Fields = {
    **STEERING,
    "UPSHIFTING_AFTER_UPSHIFTING_DELAY": "up_after_up",
    "UPSHIFTING_AFTER_DOWNSHIFTING_DELAY": "up_after_down",
    "DOWNSHIFTING_AFTER_UPSHIFTING_DELAY": "down_after_up",
    "DOWNSHIFTING_AFTER_DOWNSHIFTING_DELAY": "down_after_down",
}
CLUTCH: Fields = {
    **PEDAL,
    "MIN_RPM": "min_speed",
    "STARTUP_START_RPM": "start_speed",
    "STARTUP_START_TIME": "start_time",
    "STARTUP_TARGET_AX": "start_acceleration",
    "STARTUP_CLUTCH_FALL_TIME": "close_time",
    **_gains("STARTUP_PID", "clutch_gains"),
    **_gains("STARTUP_THROTTLE_PID", "throttle_gains"),
    "THROTTLE_CONTROL_ACTIVATION": "throttle_in_shifts",
    "ACTIVATION": "active",
    "MODEL": "kind_of_model",
}
BEGIN: Fields = {
    "INITIAL_SPEED": "speed",
    "INITIAL_STEERING": "steering",
    "INITIAL_THROTTLE": "throttle",
    "INITIAL_BRAKING": "braking",
    "INITIAL_BRAKING2": "braking2",
    "INITIAL_GEAR": "gear",
    "INITIAL_CLUTCH": "clutch",
    "STARTING_TIME": "time",
    "INITIAL_SETUP": "setup",
}
FIXED: dict[str, tuple[str, Fields]] = {
    "DEBUG_PARAMETERS": ("debug", DEBUG),
    "GLOBAL_SETTINGS": ("settings", GLOBAL),
    "STEERING_STANDARD": ("steering", STEERING),
    "THROTTLE_STANDARD": ("throttle", THROTTLE),
    "BRAKING_STANDARD": ("braking", PEDAL),
    "GEAR_STANDARD": ("gears", GEARS),
    "CLUTCH_STANDARD": ("clutch", CLUTCH),
    "STARTUP": ("begin", BEGIN),
}
STAGE: Fields = {"TASK": "task", "STEERING_BY": "steering_by", "ACTIVE": "active"}
OPTIONS: Fields = {
    "CONNECT_PATH": "connect_path",
    "FOLLOW_TARGET_SPEED": "follow_target_speed",
    "SPEED_MAP_ABS_TIME": "absolute_time",
    "SPEED_MAP_GLOBAL_S": "global_station",
    "END_OF_PATH_CHECK": "end_of_path_check",
    "PATH_POSITIONING": "placement",
}
COMMON: Fields = {
    "CALC_MODE": "relative",
    "SCALING_FACTOR": "scale",
    "AUTO_SCALING": "auto_scaling",
    "AUTO_SATURATION": "auto_saturation",
}
_WAVE: Fields = {
    **COMMON,
    "AMPLITUDE": "amplitude",
    "FREQUENCY": "frequency",
    "INITIAL_PHASE": "phase",
    "NUMBER_OF_CYCLES": "cycles",
    "X0": "begin",
}
_SPAN: Fields = {**COMMON, "X0": "begin", "X1": "end"}
_STEP: Fields = {**_SPAN, "Y0": "first", "FROM_ACTUAL": "from_actual", "Y1": "last"}
SIGNALS: dict[str, tuple[type[signals.Signal], Fields]] = {
    "CONSTANT": (signals.ConstantSignal, {**COMMON, "VALUE": "value"}),
    "STEP": (signals.StepSignal, _STEP),
    "STEP5": (signals.Step5Signal, _STEP),
    "SINE": (signals.SineSignal, _WAVE),
    "COSINE": (signals.CosineSignal, _WAVE),
    "SWEPT": (
        signals.SweptSignal,
        {
            **COMMON,
            "X0": "begin",
            "AMPLITUDE": "amplitude",
            "INITIAL_FREQUENCY": "first_frequency",
            "FREQUENCY_RATE": "frequency_rate",
            "MAX_FREQUENCY": "last_frequency",
        },
    ),
    "RAMP": (signals.RampSignal, {**_SPAN, "SLOPE": "slope"}),
    "IMPULSE": (signals.ImpulseSignal, {**_SPAN, "MAX_VALUE": "height"}),
    "MEASURED": (signals.MeasuredSignal, {**COMMON, "FILE_NAME": "file", "ORDINAL": "over"}),
    "USER": (signals.UserSignal, {**COMMON, "MEASURE_NAME": "input"}),
    "MAINTAIN": (signals.MaintainSignal, COMMON),
}
_SCALE: Fields = {"SCALING_FACTOR": "scale"}
_SMOOTH: Fields = {**_SCALE, "INTERPOLATION": "interpolation", "SMOOTHING_FACTOR": "smoothing"}
SPEEDS: dict[str, tuple[type[targets.SpeedTarget], Fields]] = {
    "MAP": (targets.MapTarget, {"X_DATA": "over", "Y_DATA": "of", **_SMOOTH}),
    "MAINTAIN": (targets.MaintainSpeed, COMMON),
    "DRD_FILE": (targets.PathSpeed, {"FILE_NAME": "file", **_SMOOTH}),
    "USER_INPUT": (targets.UserTarget, {"Y_DATA": "of", **_SCALE}),
    "CONSTANT": (targets.ConstantSpeed, {"VELOCITY": "speed", **_SCALE}),
    "POLYNOMIAL": (
        targets.PolynomialSpeed,
        {"VELOCITY": "speed", "ACCELERATION": "acceleration", "JERK": "jerk", "START_TIME": "begin", **_SCALE},
    ),
    "ACCELERATION": (
        targets.AccelerationTarget,
        {"ACCELERATION": "acceleration", "START_TIME": "begin", **_SCALE},
    ),
    "LATERAL_ACCELERATION": (targets.LateralAccelerationSpeed, {"ACCELERATION": "acceleration", **_SCALE}),
    "AUTO": (targets.AutoSpeed, {"SHARE": "share", **_SCALE}),
}
_PLACE: Fields = {"REF_X": "x", "REF_Y": "y", "REF_Z": "z", "REF_AZ": "heading"}
PATHS: dict[str, tuple[type[targets.PathTarget], Fields]] = {
    "DRD_FILE": (
        targets.FilePath,
        {"FILE_NAME": "file", "INTERPOLATION": "interpolation", "MIN_SEGMENT_LENGTH": "min_segment", **_PLACE},
    ),
    "NUMERIC_DATA": (targets.PointsPath, _PLACE),
    "STRAIGHT": (targets.StraightPath, {"OVERALL_LENGTH": "length", "STEP_SIZE": "step", **_PLACE}),
    "SKIDPAD": (
        targets.SkidpadPath,
        {
            "RADIUS": "radius",
            "TURN_SIDE": "side",
            "STARTING_LENGTH": "entry_length",
            "CLOSING_LENGTH": "exit_length",
            "AMPLITUDE": "angle",
            "OVERALL_LENGTH": "length",
            "STEP_SIZE": "step",
            "SMOOTHING_AMPLITUDE": "entry_angle",
            "CLOSING_SMOOTHING_AMPLITUDE": "exit_angle",
            **_PLACE,
        },
    ),
    "LATERAL_ACCELERATION": (
        targets.LateralAccelerationTarget,
        {"X_DATA": "over", "INTERPOLATION": "interpolation", **_PLACE},
    ),
}
CONDITION: Fields = {
    "MEASURE_NAME": "measure",
    "TEST_TYPE": "test",
    "REF_VALUE": "reference",
    "TOLERANCE": "tolerance",
    "FILTERING_TIME": "hold",
    "DELAY": "delay",
    "NEXT_MANEUVER_NAME": "next",
    "GROUP": "group",
    "CONDITION_TYPE": "action",
}
MODULES: dict[str, tuple[str, str, type[Any], Fields]] = {  # field of a stage, mapping of a manoeuvre, data
    "TIRE": (
        "tire",
        "tire_controls",
        settings.TireControl,
        {
            "ACTIVATION": "active",
            "THROTTLE_CONTROL_ACTIVE": "throttle",
            "BRAKING_CONTROL_ACTIVE": "braking",
            "CLUTCH_CONTROL_ACTIVE": "clutch",
            "BASIC_FILTER_CUTFRQ": "filter_frequency",
            "MIN_FZ": "min_load",
            "GEAR_CONTROL_ACTIVE": "gear",
            "GEAR_LONSLIP_THRESHOLD": "slip_threshold",
            "GEAR_INHIBITION_DELAY": "inhibition",
            "GEAR_MAX_INHIBITION_TIME": "max_inhibition",
            "LATERAL_SLIP_COMPUTATION_ACTIVE": "lateral_slip",
            "LATERAL_SLIP_COMPUTATION_SMOOTHING_TIME": "lateral_slip_time",
        },
    ),
    "TIRE_LONSLIP": (
        "slip",
        "slip_controls",
        settings.SlipControl,
        {
            "ACTIVATION": "active",
            "MAX_ALLOWED_SLIP": "max_slip",
            "MIN_ALLOWED_SLIP": "min_slip",
            "CORRECTION_GAIN_1": "gain",
            "REF_SLIP_1_COEFF": "share_1",
            "REF_SLIP_2_COEFF": "share_2",
        },
    ),
    "GEAR_SCHEDULED": (
        "scheduled_gears",
        "scheduled_gears",
        settings.ScheduledGears,
        {
            "ACTIVATION": "active",
            "MODEL": "kind_of_model",
            "MAX_GEAR_ID": "maximum",
            "MIN_GEAR_ID": "minimum",
            "X_DATA": "over",
        },
    ),
    "GEAR_EDS": (
        "early_downshift",
        "early_downshifts",
        settings.EarlyDownshift,
        {
            "ACTIVATION": "active",
            "ROLLING_THRESHOLD": "roll_threshold",
            "MAX_RPM": "max_speed",
            "MIN_RPM": "min_speed",
            "MIN_ACTIVE_TIME": "min_time",
            "SHIFTING_SAFETY_FACTOR": "safety",
        },
    ),
    "HUMAN": (
        "human",
        "humans",
        settings.Human,
        {"ACTIVATION": "active", "MODEL": "kind_of_model", "SKILL": "skill"},
    ),
}
TIMING = (
    "duration",
    "throttle_release",
    "clutch_open",
    "clutch_close",
    "throttle_press",
    "throttle_release_delay",
    "throttle_press_delay",
)
# Words of a key that are others in the data; words without a row are the same in small letters.
WORDS: dict[str, dict[Any, Any]] = {
    "MODEL_TYPE": {"CAR_STANDARD": "car", "MOTORCYCLE_STANDARD": "motorcycle"},
    "PATH_POSITIONING": {"ABSOLUTE": "absolute", "AUTOMATIC": "automatic", "RAWDATA": "raw"},
    "LONGITUDINAL_SPEED_CONTROL": {"LONVEL": "speed", "LONACC": "acceleration"},
    "Y_DATA": {"LONVEL": "speed", "LONACC": "acceleration"},
    "X_DATA": {"PATH_S": "station", "TIME": "time", "DISTANCE": "distance"},
    "ORDINAL": {"PATH_S": "station", "TIME": "time", "DISTANCE": "distance"},
    "TASK": {"STANDARD": "standard", "STARTUP": "standing_start"},
    "CALC_MODE": {"ABSOLUTE": False, "RELATIVE": True},
    "INTERPOLATION": {"NONE": "none", "LINEAR": "linear", "CUBIC_SPLINE": "cubic", "QUINTIC_SPLINE": "quintic"},
    "MANEUVER_STOP_MANAGEMENT_MODE": {0.0: "next", 1.0: "stop"},
    "TEST_TYPE": {
        **dict(zip(schema.TESTS, (">", ">=", "<", "<=", "==", "!="), strict=True)),
        **dict(zip(schema.ABSOLUTE_TESTS, ("abs>", "abs>=", "abs<", "abs<=", "abs==", "abs!="), strict=True)),
    },
    "METHOD": {"MACHINE": "machine", "OPENLOOP": "open", "USER": "user"},
}
WRITTEN = ("-", "rad", "m", "s", "m/s", "m/s2", "rad/s", "rad/s2", "N", "N.m")  # what values with units may be
PEDALS = ("throttle", "braking", "braking2", "clutch")  # that a file starts with as shares, and we as demands
_BLOCKS = "blocks"  # key of ``extra`` of a manoeuvre: blocks that nothing uses, as text


# --- reading ---------------------------------------------------------------------------------------------------------


def load_vdf(
    path: str | Path,
    values: Mapping[str, Value] | None = None,
    *,
    strict: bool = False,
    databases: Mapping[str, Path] | None = None,
) -> tuple[model.Manoeuvre, Report]:
    """Read a file as a manoeuvre, with the findings about it.

    Parameters
    ----------
    path : of the file
    values : for the places of a template, by name
    strict : what comes twice is an error instead of a warning
    databases : folders by alias, for references such as mdids://alias/table.tbl/file
    """
    vdf = read_vdf(path, values, strict=strict)
    return manoeuvre_of(vdf, databases), vdf.report


def manoeuvre_of(vdf: Vdf, databases: Mapping[str, Path] | None = None) -> model.Manoeuvre:
    """A file that was read, as a manoeuvre."""
    return _FromVdf(vdf, databases).run()


class _FromVdf:
    def __init__(self, vdf: Vdf, databases: Mapping[str, Path] | None) -> None:
        self.vdf = vdf
        self.databases = dict(databases or {})
        self.signals: dict[str, signals.Signal] = {}
        self.signal_units: dict[str, str] = {}

    def run(self) -> model.Manoeuvre:
        vdf = self.vdf
        data: dict[str, Any] = {"name": Path(vdf.path).stem if vdf.path else ""}
        for name, (place, fields) in FIXED.items():
            data[place] = self._data(vdf.setting(name), fields)
        for name in ("throttle", "braking", "clutch"):
            data[name].setdefault("full", _full(name, data[name]["maximum"], data[name]["scale"]))
        for name in PEDALS:
            place = name.removesuffix("2")
            data["begin"][name] *= data[place]["full"]
        data["gears"]["table"] = [
            _gear_row(row) for row in vdf.setting("GEAR_STANDARD").tables.get("PROPERTIES_MAP", ())
        ]
        if "INITIAL_SPEED" not in vdf.setting("STARTUP"):
            line = vdf.setting("STARTUP").line
            vdf.report.warning(line, "[STARTUP] INITIAL_SPEED", f"missing; {data['begin']['speed']:g} m/s is taken")
        data["controllers"] = {name: self._data(entry, CONTROLLER) for name, entry in vdf.controllers.items()}
        data["paths"] = {name: self._target(entry, PATHS) for name, entry in vdf.paths.items()}
        data["speeds"] = {name: self._target(entry, SPEEDS) for name, entry in vdf.speeds.items()}
        data["conditions"] = {name: self._data(entry, CONDITION) for name, entry in vdf.conditions.items()}
        for condition in data["conditions"].values():
            if condition["measure"] in schema.MEASURES:
                condition["measure"] = condition["measure"].lower()
        for word, (_, place, _, fields) in MODULES.items():
            found = {n: e for n, e in vdf.modules.items() if e.type == schema.DATA_OF_MODULE[word]}
            data[place] = {name: self._module(entry, fields) for name, entry in found.items()}
        data["stages"] = [self._stage(stage) for stage in self._numbered()]
        data["signals"] = self.signals
        data["prediction"] = self._prediction()
        kept = {n: b.text() for n in vdf.unused if (b := vdf.file.named(n)) is not None}
        if kept:
            data["extra"] = {_BLOCKS: kept}
        vdf.report.raise_if_errors()
        try:
            return model.Manoeuvre(**data)
        except ParameterError as problem:
            raise FormatError(f"{vdf.report.path}: {problem}") from None

    def _numbered(self) -> list[Stage]:
        """Stages, each with a name of its own: one that is listed again has a number."""
        counts: dict[str, int] = {}
        found = []
        for stage in self.vdf.stages:
            counts[stage.name] = counts.get(stage.name, 0) + 1
            again = counts[stage.name]
            found.append(stage if again == 1 else replace(stage, name=f"{stage.name}#{again}"))
        return found

    def _data(self, entry: Entry, fields: Fields) -> dict[str, Any]:
        """Values of a block by field, defaults included."""
        data: dict[str, Any] = {}
        for key, place in fields.items():
            value = entry[key]
            if value is None:
                continue
            known = entry.kind.key(key)
            if known is not None and known.unit == "rpm":
                value = value * RPM
            elif known is not None and (known.kind == "choice" or key in WORDS):
                value = WORDS.get(key, {}).get(value, value.lower() if isinstance(value, str) else value)
            elif known is not None and known.kind == "whole":
                value = int(value)
            _put(data, place, value)
        if entry.extra:
            data["extra"] = dict(entry.extra)
        return data

    def _target(self, entry: Entry, kinds: Mapping[str, tuple[type[Any], Fields]]) -> Any:
        kind, fields = kinds[entry.type]
        data = self._data(entry, fields)
        rows = entry.tables.get("VALUES")
        if rows is not None:
            x, y = ([float(row[i]) for row in rows] for i in (0, 1))
            names = ("at", "values") if kind is targets.LateralAccelerationTarget else ("x", "y")
            data.update(zip(names, (tuple(x), tuple(y)), strict=True))
        points = entry.tables.get("TABLE")
        if points is not None:
            for i, name in enumerate(("px", "py", "pz", "bank")):
                if len(points[0]) > i:
                    data[name] = tuple(float(row[i]) for row in points)
        if "file" in data:
            data["file"] = self._file(entry, "FILE_NAME", paths=True)
        return self._made(kind, data, entry)

    def _made(self, kind: type[Any], data: dict[str, Any], entry: Entry) -> Any:
        from pydantic import ValidationError

        try:
            return kind(**data)
        except ValidationError as error:
            for item in error.errors(include_url=False):
                inside = (item.get("ctx") or {}).get("problems")
                text = "; ".join(str(p[1]) for p in inside) if inside else str(item["msg"])
                self.vdf.report.error(entry.line, f"[{entry.name}] {'.'.join(map(str, item['loc']))}".rstrip(), text)
            self.vdf.report.raise_if_errors()
            raise

    def _file(self, entry: Entry, key: str, *, paths: bool) -> str:
        """A file that is there, or a path of the library."""
        word = str(entry[key])
        report, line, where = self.vdf.report, entry.at(key), f"[{entry.name}] {key}"
        stem = Path(word.replace("\\", "/")).stem
        try:
            place = resolve(word, self.vdf.path or ".", self.databases)
            if is_file(place):
                return str(place)
            problem = f"there is no file {str(place)!r}"
        except FormatError as error:
            problem = str(error).split(": ", 1)[-1]
        if paths:
            from jounce.files.roads import library_paths

            if stem in library_paths():
                return stem
        report.error(
            line, where, f"found {word!r}; {problem}{', nor a path of the library of that name' if paths else ''}"
        )
        return word

    def _module(self, entry: Entry, fields: Fields) -> dict[str, Any]:
        data = self._data(entry, fields)
        if entry.type == "TIRE_LONSLIP":
            wheels = [int(entry[f"ACTIVE_TIRE_{i}"]) for i in range(1, 17) if f"ACTIVE_TIRE_{i}" in entry]
            if wheels:
                data["wheels"] = tuple(w for w in wheels if w)
        if entry.type == "EDS_GEAR":
            rows = entry.tables.get("OPTIMAL_GEAR_RPM", ())
            data["optimal"] = {str(int(float(gear))): float(rpm) * RPM for gear, rpm in rows}
        if entry.type == "GEAR_MAPPED":
            data["rows"] = [
                {**_gear_row([gear, *row[1:]]), "at": float(row[0])}
                for gear in range(int(entry["MIN_GEAR_ID"]), int(entry["MAX_GEAR_ID"]) + 1)
                for row in entry.tables[f"GEAR_{'N' if gear < 0 else ''}{abs(gear)}_PROPERTIES_MAP"]
            ]
        return data

    def _stage(self, stage: Stage) -> dict[str, Any]:
        data: dict[str, Any] = {
            "name": stage.name,
            "abort_time": stage.abort_time,
            "sample_time": stage.sampling_step,
            **self._data(stage.entry, STAGE),
            "options": self._data(stage.options, OPTIONS),
            "ends": list(stage.conditions),
            **{word.lower(): name for word, name in stage.machine.items()},
        }
        settings_name = str(stage.entry["CONTROLLER_SETTINGS"])
        if settings_name in self.vdf.controllers:
            data["controller"] = settings_name
        for name, channel in stage.channels.items():
            setup = channel.setup
            one: dict[str, Any] = {"method": WORDS["METHOD"][channel.method]}
            if setup["SMOOTHING_ACTIVE"]:
                one["smoothing"] = setup["SMOOTHING_TIME"]
            one["name"] = channel.block or f"{stage.name}_{name}"
            extra = dict(setup.extra)
            if channel.method == "OPENLOOP":
                one["signal"] = self._signal(str(setup["SIGNAL"]), self.vdf.channel_unit(stage, name), name)
            elif "SIGNAL" in setup:
                extra["SIGNAL"] = setup["SIGNAL"]
            if extra:
                one["extra"] = extra
            data[name.lower()] = one
        for word, name in stage.modules.items():
            data[MODULES[word][0]] = name
        return data

    def _signal(self, name: str, unit: str, channel: str) -> str:
        """The name of a signal in a unit: the block's own, or another where it serves channels of several units."""
        own = name
        if self.signal_units.get(name, unit) != unit and self.vdf.units.factor(unit) != self.vdf.units.factor(
            self.signal_units[name]
        ):
            own = f"{name}_{channel}"
            while own in self.signals and self.signal_units[own] != unit:
                own += "_"
        if own not in self.signals:
            entry = self.vdf.signal(name, unit)
            kind, fields = SIGNALS[entry.type]
            data = self._data(entry, fields)
            rows = entry.tables.get("VALUES")
            if rows:
                data["x"], data["y"] = (tuple(float(row[i]) for row in rows) for i in (0, 1))
            if "file" in data:
                data["file"] = self._file(entry, "FILE_NAME", paths=False)
            self.signals[own] = self._made(kind, data, entry)
            self.signal_units[own] = unit
        return own

    def _prediction(self) -> dict[str, Any] | None:
        hints, grip = (self.vdf.file.block(name) for name in schema.KEPT_BLOCKS)
        data: dict[str, Any] = {}
        for key, place in (("GUESSED_GRIP_LAT", "grip_lateral"), ("GUESSED_GRIP_LON", "grip_longitudinal")):
            found = hints.get(key) if hints is not None else None
            if found is not None and isinstance(found.value, float) and found.value > 0:
                data[place] = found.value
        rows = grip.sub_block("VALUES") if grip is not None else None
        if rows is not None and rows.table is not None:
            numbers = [r for r in rows.table.rows if len(r) == 2 and all(isinstance(v, float) for v in r)]
            factor = self.vdf.units.factor("m")
            data["x"] = tuple(float(r[0]) * factor for r in numbers)
            data["y"] = tuple(float(r[1]) for r in numbers)
        return data or None


def _full(channel: str, maximum: float, scale: float) -> float:
    """The demand that is the whole pedal: files count pedals to 100, those without a number above 1 count to 1."""
    return 100.0 if channel != "clutch" and max(abs(maximum), abs(scale)) > 1 else 1.0


def _put(data: dict[str, Any], place: str, value: Any) -> None:
    *groups, last = place.split(".")
    for name in groups:
        data = data.setdefault(name, {})
    data[last] = value


def _gear_row(row: list[Any]) -> dict[str, Any]:
    up, down = (dict(zip(TIMING, (float(v) for v in row[i : i + 7]), strict=True)) for i in (4, 11))
    return {
        "gear": int(row[0]),
        "option": float(row[1]),
        "upshift": float(row[2]) * RPM,
        "downshift": float(row[3]) * RPM,
        "up": up,
        "down": None if down == up else down,
    }


# --- writing ---------------------------------------------------------------------------------------------------------


def vdf_text(manoeuvre: model.Manoeuvre, *, changes_only: bool = False, folder: str | Path | None = None) -> str:
    """The text of a file, in SI.

    Parameters
    ----------
    manoeuvre : what is written
    changes_only : leave out what a reader takes by itself; reading gives the same settings
    folder : names of files are written relative to it; as they are, by default
    """
    return _ToVdf(manoeuvre, changes_only, folder).run().text()


def write_vdf(manoeuvre: model.Manoeuvre, path: str | Path, *, changes_only: bool = False) -> None:
    """Write a file; names of other files are written as seen from its folder."""
    write_atomically(path, vdf_text(manoeuvre, changes_only=changes_only, folder=Path(path).resolve().parent))


def _si(key: str, value: str) -> float:
    """A number with its unit, as YAML and Python may give it, in SI."""
    for unit in WRITTEN:
        try:
            return parse(value, unit, key)
        except ParameterError:
            continue
    raise ParameterError(f"{key} = {value!r}: no number, and none with a unit of {', '.join(WRITTEN)}")


class _ToVdf:
    def __init__(self, manoeuvre: model.Manoeuvre, changes_only: bool, folder: str | Path | None) -> None:
        self.m = manoeuvre
        self.changes_only = changes_only
        self.folder = folder
        self.file = PropertyFile()
        self.later: list[tuple[str, Callable[[Section], None]]] = []  # blocks in the order they are named
        self.taken: dict[str, Any] = {}  # name of a block -> what it holds

    def run(self) -> PropertyFile:
        m = self.m
        if m.comment:
            self.file.add_comment(m.comment)
        header = self.file.add_block("VIGRADE_HEADER")
        header.set("FILE_TYPE", "vdf")
        header.set("FILE_VERSION", 9.0)
        header.set("FILE_FORMAT", "ASCII")
        write_units(self.file)
        reserved = {*schema.FIXED, schema.LIST_NAME, "UNITS", *schema.HEADERS, *schema.KEPT_BLOCKS}
        self.taken = dict.fromkeys(reserved)
        for stage in m.stages:
            self.taken[stage.name] = stage
        for name, (place, fields) in FIXED.items():
            self._fixed(name, getattr(m, place), fields)
        for name, controller in m.controllers.items():
            self._controller(name, controller)
        self._list()
        for stage in m.stages:
            self._stage(stage)
        for name, write in self.later:
            write(self.file.add_block(name))
        self._prediction()
        for text in m.extra.get(_BLOCKS, {}).values():
            kept = PropertyFile.programme(text)
            self.file.blocks += kept.blocks
        return self.file

    def _fixed(self, name: str, data: Any, fields: Fields) -> None:
        block = self.file.add_block(name)
        self._keys(block, data, fields, schema.FIXED[name])
        if name == "GEAR_STANDARD" and data.table:
            rows = [_gear_values(row, float(row.gear)) for row in data.table]
            block.add_sub_block("PROPERTIES_MAP").add_table(schema.GEAR_COLUMNS, rows)

    def _controller(self, name: str, data: Any) -> str:
        wanted = name if name.upper().startswith("CONTROLLER") else f"CONTROLLER_{name}"
        own = self._name(wanted, data)
        if self.file.named(own) is None:
            self._keys(self.file.add_block(own), data, CONTROLLER, schema.CONTROLLER)
        return own

    def _name(self, wanted: str, what: Any) -> str:
        """A name for a block that holds something; another where the name is that of something else."""
        own = "".join(letter for letter in wanted if letter not in "[](){}'\"$\r\n").strip() or "BLOCK"
        count = 1
        while own in self.taken and (self.taken[own] is None or self.taken[own] != what):
            count += 1
            own = f"{wanted}_{count}"
        self.taken[own] = what
        return own

    def _keys(
        self, section: Section, data: Any, fields: Fields, kind: schema.BlockOf, keys: tuple[schema.Key, ...] = ()
    ) -> None:
        for key, place in fields.items():
            value = data
            for name in place.split("."):
                value = getattr(value, name)
            known = schema.find_key(keys or kind.keys, key)
            if known is None or value is None:
                continue
            if place == "full" and value == _full("clutch" if "MIN_RPM" in fields else "", data.maximum, data.scale):
                continue
            written = self._value(key, value, known)
            if place in PEDALS and isinstance(data, settings.Begin):
                written = _shortest(float(value), getattr(self.m, place.removesuffix("2")).full)
            if written is None or (self.changes_only and written == _default(known) and not known.required):
                continue
            section.set(key, written)
        for key, value in data.extra.items():
            if isinstance(value, str | float) and key not in section:
                section.set(key, value)

    def _value(self, key: str, value: Any, known: schema.Key) -> Value | None:
        if key in WORDS:
            back = {ours: theirs for theirs, ours in WORDS[key].items()}
            if value in back:
                found = back[value]
                return found if isinstance(found, str) else float(found)
        if known.kind == "flag":
            return "TRUE" if value else "FALSE"
        if known.kind == "choice":
            return str(value).upper()
        if known.unit == "rpm":
            return _rpm(value)
        if isinstance(value, str):
            if not value:
                return None
            if key == "FILE_NAME":
                return self._file_name(value)
            if key == "MEASURE_NAME" and value.upper() in (*schema.MEASURES, *schema.USER_MEASURES):
                return value.upper()
            return _si(key, value) if known.kind in ("number", "whole") else value
        return float(value)

    def _file_name(self, value: str) -> str:
        if self.folder is None or not is_file(value):
            return value
        return Path(os.path.relpath(value, self.folder)).as_posix()

    def _list(self) -> None:
        rows: list[list[Value]] = [
            [stage.name, -1.0 if stage.abort_time is None else stage.abort_time, stage.sample_time]
            for stage in self.m.stages
        ]
        self.file.add_block(schema.LIST_NAME).add_table(("name", "abort_time", "sampling_step"), rows)

    def _stage(self, stage: model.Stage) -> None:
        m = self.m
        block = self.file.add_block(stage.name)
        self._keys(block, stage, STAGE, schema.MANOEUVRE)
        if stage.controller is not None or m.controllers:
            used = m.controller_of(stage)
            name = next((n for n, c in m.controllers.items() if c is used), "")
            written = self._controller(name or f"CONTROLLER_{stage.name}", used)
            block.set("CONTROLLER_SETTINGS", written)
        for channel in model.CHANNELS:
            data = getattr(stage, channel)
            if data is not None:
                self._channel(block.add_sub_block(channel.upper()), stage, channel, data)
        machine: list[tuple[str, str]] = []
        path, speed = m.path_of(stage), m.speed_of(stage)
        if path is not None:
            wanted = stage.path if isinstance(stage.path, str) else f"{stage.name}_PATH"
            machine.append(("PATH", self._target(wanted, path, PATHS, schema.PATHS)))
        if speed is not None:
            wanted = stage.speed if isinstance(stage.speed, str) else f"{stage.name}_SPEED"
            machine.append(("SPEED", self._target(wanted, speed, SPEEDS, schema.SPEEDS)))
        if machine:
            section = block.add_sub_block("MACHINE")
            for key, name in machine:
                section.set(key, name)
        for word, (place, mapping, _, fields) in MODULES.items():
            given = getattr(stage, place)
            if given is None:
                continue
            data = getattr(m, mapping)[given] if isinstance(given, str) else given
            wanted = given if isinstance(given, str) else f"{stage.name}_{word}"
            block.add_sub_block(word).set("CONTROLLER_NAME", self._module(wanted, word, data, fields))
        section = block.add_sub_block("OPTIONS")
        self._keys(section, stage.options, OPTIONS, schema.MANOEUVRE, schema.MANOEUVRE.sub_blocks["OPTIONS"])
        found = m.conditions_of(stage)
        if found:
            names = []
            for i, (item, (_, condition)) in enumerate(zip(stage.ends, found, strict=True), 1):
                wanted = item if isinstance(item, str) else f"{stage.name}_END_COND_BLOCK_{i}"
                names.append(self._condition(wanted, condition))
            block.add_sub_block("END_CONDITIONS").add_table(("name",), [[name] for name in names])

    def _later(self, wanted: str, what: Any, write: Callable[[Section], None]) -> str:
        name = self._name(wanted, what)
        if all(name != known for known, _ in self.later):
            self.later.append((name, write))
        return name

    def _channel(self, section: Section, stage: model.Stage, channel: str, data: model.Channel) -> None:
        signal = ""
        if data.method == "open":
            found = self.m.signal_of(stage, channel)
            assert found is not None
            wanted = data.signal if isinstance(data.signal, str) else f"{stage.name}_{channel.upper()}_SIGNAL"
            signal = self._signal(wanted, found)

        def write(block: Section) -> None:
            block.set("METHOD", {"machine": "MACHINE", "open": "OPENLOOP", "user": "USER"}[data.method])
            if signal:
                block.set("SIGNAL", signal)
            block.set("SMOOTHING_ACTIVE", "TRUE" if data.smoothing else "FALSE")
            if data.smoothing:
                block.set("SMOOTHING_TIME", data.smoothing)
            for key, value in data.extra.items():
                if isinstance(value, str | float) and key not in block:
                    block.set(key, value)

        same = ("channel", data.method, signal, data.smoothing, tuple(sorted(data.extra.items())))
        section.set("CONTROLLER_NAME", self._later(data.name or f"{stage.name}_{channel.upper()}", same, write))

    def _signal(self, wanted: str, signal: signals.Signal) -> str:
        word, fields = next((w, f) for w, (kind, f) in SIGNALS.items() if type(signal) is kind)

        def write(block: Section) -> None:
            block.set("TYPE", word)
            self._keys(block, signal, fields, schema.SIGNALS[word])
            if isinstance(signal, signals.MeasuredSignal) and signal.x:
                _rows(block, "VALUES", ("x", "y"), zip(signal.x, signal.y, strict=True))

        return self._later(wanted, signal, write)

    def _target(self, wanted: str, target: Any, kinds: Any, schemas: Mapping[str, schema.BlockOf]) -> str:
        word, fields = next((w, f) for w, (kind, f) in kinds.items() if type(target) is kind)

        def write(block: Section) -> None:
            if word in schema.SHAPES:
                block.set("TYPE", "SHAPE")
                block.set("SHAPE_NAME", word)
                self._keys(block, target, fields, schema.SHAPES[word])
            else:
                block.set("TYPE", word)
                self._keys(block, target, fields, schemas[word])
            if isinstance(target, targets.MapTarget):
                _rows(block, "VALUES", ("x", "y"), zip(target.x, target.y, strict=True))
            elif isinstance(target, targets.LateralAccelerationTarget):
                _rows(block, "VALUES", ("x", "y"), zip(target.at, target.values, strict=True))
            elif isinstance(target, targets.PointsPath):
                zero = (0.0,) * len(target.px)
                points = zip(target.px, target.py, target.pz or zero, target.bank or zero, strict=True)
                _rows(block, "TABLE", ("x", "y", "z", "lat_inc"), points)

        return self._later(wanted, target, write)

    def _condition(self, wanted: str, condition: Condition) -> str:
        def write(block: Section) -> None:
            self._keys(block, condition, CONDITION, schema.END_CONDITION)

        return self._later(wanted, condition, write)

    def _module(self, wanted: str, word: str, data: Any, fields: Fields) -> str:
        def write(block: Section) -> None:
            block.set("CONTROLLER_DATA", schema.DATA_OF_MODULE[word])
            self._keys(block, data, fields, schema.MODULE_BLOCKS[schema.DATA_OF_MODULE[word]])
            if word == "TIRE_LONSLIP":
                for i, wheel in enumerate(data.wheels, 1):
                    block.set(f"ACTIVE_TIRE_{i}", float(wheel))
            if word == "GEAR_EDS" and data.optimal:
                rows = [(float(gear), _rpm(speed)) for gear, speed in data.optimal.items()]
                _rows(block, "OPTIMAL_GEAR_RPM", ("gear_id", "rpm"), rows)
            if word == "GEAR_SCHEDULED":
                for gear in range(data.minimum, data.maximum + 1):
                    table = [_gear_values(row, row.at) for row in data.rows if row.gear == gear]
                    name = f"GEAR_{'N' if gear < 0 else ''}{abs(gear)}_PROPERTIES_MAP"
                    _rows(block, name, ("x", *schema.GEAR_COLUMNS[1:]), table)

        return self._later(wanted, data, write)

    def _prediction(self) -> None:
        found = self.m.prediction
        if found is None:
            return
        block = self.file.add_block("VISPEEDGEN")
        block.set("GUESSED_GRIP_LAT", found.grip_lateral)
        block.set("GUESSED_GRIP_LON", found.grip_longitudinal)
        if found.x:
            grip = self.file.add_block("GRIP_SCALING_MAP")
            for key, word in (("MODEL", "MAP"), ("X_DATA", "PATH_S"), ("Y_DATA", "SCALING")):
                grip.set(key, word)
            _rows(grip, "VALUES", ("x", "y"), zip(found.x, found.y, strict=True))


def _rows(block: Any, name: str, columns: tuple[str, ...], rows: Any) -> None:
    block.add_sub_block(name).add_table(columns, [list(row) for row in rows])


def _gear_values(row: settings.GearRow, first: float) -> list[float]:
    times = [getattr(one, name) for one in (row.up, row.down or row.up) for name in TIMING]
    return [first, row.option, _rpm(row.upshift), _rpm(row.downshift), *times]


def _rpm(speed: float) -> float:
    return _shortest(speed, RPM)


def _shortest(value: float, factor: float) -> float:
    """The shortest number that gives a value when it is read and multiplied with a factor."""
    quotient = value / factor
    for digits in range(1, 18):
        short = float(f"{quotient:.{digits}g}")
        if short * factor == value:
            return short
    return quotient


def _default(key: schema.Key) -> Value | None:
    if isinstance(key.default, bool):
        return "TRUE" if key.default else "FALSE"
    return key.default
