"""VTT: what a tire test rig does, as a property file (see ``property_file``); run by ``jounce.rigs.tire_rig``.

    [MODEL]     TIRE_PROPERTY_FILE, ROAD_DATA_FILE, PRELOAD_CONSTANT, WHEEL_INERTIA, CAMBER_ANGLE
    [SYSTEM]    INTEGRATION_STEP, STATIC_MAX_TIME, BUFFER_OUTPUT, TIRE_INTEGRATOR_ACTIVE, TIRE_INTEGRATION_STEP
    [ANALYSIS]  TYPE, OUTPUT_PREFIX, INITIAL_TIME, END_TIME, OUTPUT_STEP, VELOCITY, SIDE, XML_OUTPUT, …

and by TYPE

    LONGITUDINAL           slip swept from 0 to the largest, then to the smallest of the tire, linear in time
    LATERAL                TOE_AMPLITUDE: toe = one period of a sine, free spin
    COMBINED               the same at a constant LONG_SLIP, in percent
    CORNERING_STIFFNESS    TOE_VALUE, (PRELOAD): constant toe, load by a function
    FREE_INPUT             (TOE), (PRELOAD), and (WHEEL_OMEGA) with PRESCRIBED_ROTATION = 'TRUE'
    SIX_DOF                [SIX_DOF] MASS IXX IYY IZZ Z VX VY VZ WX WY WZ: a wheel let go
    Z_LOCKED               [Z_LOCKED] MASS IYY Z VX VY VZ WX WY WZ: a wheel at fixed height, free spin

Functions of time, with ξ = (t - T0)/(T1 - T0) kept within 0 and 1:

    RAMP   F0 + (F1 - F0) ξ            STEP   F0 + (F1 - F0) ξ² (3 - 2ξ)
    SINE   AMPL sin(2π FREQ t + PHASE) USER   SPLINE_NAME: a block with (VALUES) {x y}, between its points by Akima
    SWEEP  AMPL sin(2π (F0 τ + (F1 - F0) τ²/2(T1 - T0))), τ = t - T0 from 0 to T1 - T0 (ours: F0, F1 are frequencies)

The function PRELOAD is added to PRELOAD_CONSTANT. A toe angle is positive to the left, so that the slip angle is minus
it; CAMBER_ANGLE is the inclination, positive when the top leans to the right. Spellings that are met in files are
understood: INTIAL_TIME, T_0 and F_0, CORNERRING_STIFFNESS. With TIRE_INTEGRATOR_ACTIVE the states of the tire are
integrated apart from the rig, by explicit Euler with TIRE_INTEGRATION_STEP (``components.tire.substeps``).
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.core.errors import FormatError, ParameterError, did_you_mean
from jounce.core.limits import reading
from jounce.core.tables import Table
from jounce.files.file_units import Units, read_units
from jounce.files.property_file import PropertyFile, Section, as_flag, resolve

Array = npt.NDArray[np.float64]

HEADERS = ("MDI_HEADER", "VIGRADE_HEADER")
TYPES = ("LONGITUDINAL", "LATERAL", "COMBINED", "CORNERING_STIFFNESS", "FREE_INPUT", "SIX_DOF", "Z_LOCKED")
SIDES = ("LEFT", "RIGHT", "SYMMETRIC", "MIRRORED")
FUNCTIONS = ("STEP", "RAMP", "SINE", "SWEEP", "USER")
FORMATS = {"XML_OUTPUT": "xml", "CSV_OUTPUT": "csv", "TAB_OUTPUT": "tab", "MAT_OUTPUT": "mat"}
SPELLINGS = {
    "INTIAL_TIME": "INITIAL_TIME",
    **{f"{letter}_{digit}": f"{letter}{digit}" for letter in "FT" for digit in "01"},
    "CORNERRING_STIFFNESS": "CORNERING_STIFFNESS",
}
QUANTITIES = {"FORCE": "N", "ANGLE": "rad", "ANGULAR_VELOCITY": "rad/s"}
MODEL = ("TIRE_PROPERTY_FILE", "ROAD_DATA_FILE", "PRELOAD_CONSTANT", "WHEEL_INERTIA", "CAMBER_ANGLE")
OURS = ("HUB_MASS", "HUB_DAMPING")  # of the mass that carries the wheel up and down
SYSTEM = (
    *("INTEGRATION_STEP", "STATIC_MAX_TIME", "BUFFER_OUTPUT", "TIRE_INTEGRATOR_ACTIVE", "TIRE_INTEGRATION_STEP"),
    "INTEGRATION_METHOD",
)
ANALYSIS = (
    *("OUTPUT_PREFIX", "INITIAL_TIME", "END_TIME", "OUTPUT_STEP", "VELOCITY", "SIDE", "TYPE", *FORMATS, "PI_OUTPUT"),
    *("TOE_AMPLITUDE", "LONG_SLIP", "TOE_VALUE", "PRESCRIBED_ROTATION"),
)
BODY = {
    **dict.fromkeys(("IXX", "IYY", "IZZ"), "kg.m2"),
    "MASS": "kg",
    "Z": "m",
    **dict.fromkeys(("VX", "VY", "VZ"), "m/s"),
    **dict.fromkeys(("WX", "WY", "WZ"), "rad/s"),
}
NEEDED = {"SIX_DOF": ("IXX", "IYY", "IZZ", "MASS"), "Z_LOCKED": ("IYY", "MASS")}


@dataclass(frozen=True)
class Signal:
    """A function of time, SI; called with instants in s."""

    kind: str = "CONSTANT"
    numbers: Mapping[str, float] = field(default_factory=dict)
    table: Table | None = None
    offset: float = 0.0

    def __call__(self, t: npt.ArrayLike) -> Array:
        t, n = np.asarray(t, dtype=float), self.numbers
        if self.kind == "CONSTANT":
            return np.full(t.shape, self.offset)
        if self.kind == "SINE":
            return self.offset + n["AMPL"] * np.sin(2 * math.pi * n["FREQ"] * t + n["PHASE"])
        if self.kind == "USER":
            assert self.table is not None
            inside = np.clip(t, self.table.axes[0][0], self.table.axes[0][-1])
            return self.offset + np.asarray(self.table(inside), dtype=float)
        span = n["T1"] - n["T0"]
        if self.kind == "SWEEP":
            tau = np.clip(t - n["T0"], 0.0, span)
            turns = n["F0"] * tau + 0.5 * (n["F1"] - n["F0"]) / span * tau * tau
            return self.offset + n["AMPL"] * np.sin(2 * math.pi * turns)
        xi = np.clip((t - n["T0"]) / span, 0.0, 1.0)
        shape = xi * xi * (3 - 2 * xi) if self.kind == "STEP" else xi
        return self.offset + n["F0"] + (n["F1"] - n["F0"]) * shape

    def plus(self, offset: float) -> Signal:
        """The same, higher by a constant."""
        return Signal(self.kind, self.numbers, self.table, self.offset + offset)


def constant(value: float) -> Signal:
    return Signal(offset=value)


@dataclass(frozen=True)
class TireTest:
    """A test of one tire, SI; which of the numbers count depends on ``kind`` (one of ``TYPES``)."""

    kind: str
    tire: str = ""
    name: str = "test"
    road: str = ""  # empty: flat
    preload: float = 0.0  # N
    wheel_inertia: float = 1.0  # kg m², about the spin axis
    camber: float = 0.0  # rad, inclination
    speed: float = 0.0  # m/s
    start: float = 0.0  # s
    end: float = 1.0
    step: float = 0.001
    output_step: float = 0.01
    side: str = "LEFT"
    toe_amplitude: float = 0.0  # rad
    slip: float = 0.0  # constant longitudinal slip, -
    toe: Signal = field(default_factory=Signal)
    load: Signal = field(default_factory=Signal)  # added to the preload
    spin: Signal | None = None  # rad/s; None: the wheel is free
    body: Mapping[str, float] = field(default_factory=dict)  # of SIX_DOF and Z_LOCKED
    formats: Sequence[str] = ("xml",)
    static_time: float = 100.0  # s, longest search for the equilibrium
    hub_mass: float = 20.0  # kg
    hub_damping: float | None = None  # N s/m; None: 0.7 of critical
    method: str = "AB-2"
    tire_step: float | None = None  # s, explicit Euler steps of the tire's states; None: they go with the rig
    warnings: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.kind not in TYPES:
            raise ParameterError(f"tire test {self.kind!r}: unknown{did_you_mean(self.kind, TYPES)}")
        if self.side not in SIDES:
            raise ParameterError(f"tire test, side = {self.side!r}: unknown{did_you_mean(self.side, SIDES)}")
        for name in ("step", "output_step", "wheel_inertia", "hub_mass"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise ParameterError(f"tire test, {name} = {value:g}: must be above 0")
        if self.tire_step is not None and not (math.isfinite(self.tire_step) and self.tire_step > 0):
            raise ParameterError(f"tire test, tire_step = {self.tire_step:g}: must be above 0")
        if not (math.isfinite(self.end) and self.end > self.start):
            raise ParameterError(f"tire test, end = {self.end:g} s: must be later than the start, {self.start:g} s")
        if (self.end - self.start) / self.step > 2e8:
            raise ParameterError(f"tire test: {(self.end - self.start) / self.step:.3g} steps are too many")


def read_vtt(path: str | Path, databases: dict[str, Path] | None = None) -> TireTest:
    """Read a file; references to other files are taken from its folder, or from ``databases`` by alias."""
    with reading(path):
        return _Reader(PropertyFile.read(path), databases).test()


def parse_vtt(text: str, path: str = "", databases: dict[str, Path] | None = None) -> TireTest:
    """The same from a text."""
    return _Reader(PropertyFile.parse(text, path), databases).test()


class _Reader:
    def __init__(self, file: PropertyFile, databases: dict[str, Path] | None) -> None:
        self.file, self.report, self.databases = file, file.report, databases
        self.units: Units = read_units(file, self.report)
        self.notes: list[str] = []

    def test(self) -> TireTest:
        file, report = self.file, self.report
        header = file.block(*HEADERS)
        kind_of_file = header.get("FILE_TYPE") if header is not None else None
        if header is None:
            report.error(0, "", f"block [{HEADERS[1]}] is missing")
        elif kind_of_file is not None and str(kind_of_file.value).strip().lower() != "vtt":
            report.error(kind_of_file.line, "FILE_TYPE", f"found {kind_of_file.value!r}; expected 'vtt'")
        missing = [name for name in ("MODEL", "SYSTEM", "ANALYSIS") if file.block(name) is None]
        if missing:
            there = ", ".join(b.name for b in file.blocks) or "(none)"
            report.error(0, "", f"missing blocks: {', '.join(f'[{m}]' for m in missing)}; there are: {there}")
        report.raise_if_errors()
        model, system, analysis = (file.need(name) for name in ("MODEL", "SYSTEM", "ANALYSIS"))
        for block, known in ((model, (*MODEL, *OURS)), (system, SYSTEM), (analysis, ANALYSIS)):
            for attribute in block.attributes:
                name = attribute.key.upper()
                if SPELLINGS.get(name, name) not in known:
                    report.warning(
                        attribute.line, f"[{block.name}] {attribute.key}", f"not used{did_you_mean(name, known)}"
                    )
        kind = self._word(analysis, "TYPE", TYPES)
        free = kind in ("SIX_DOF", "Z_LOCKED")
        number = self._number
        values: dict[str, Any] = {
            "kind": kind,
            "tire": self._file(model, "TIRE_PROPERTY_FILE", required=True),
            "road": self._file(model, "ROAD_DATA_FILE"),
            "name": self._text(analysis, "OUTPUT_PREFIX", required=True) or "test",
            "preload": number(model, "PRELOAD_CONSTANT", "N", None if not free else 0.0, positive=not free),
            "wheel_inertia": number(model, "WHEEL_INERTIA", "kg.m2", 1.0, positive=True),
            "camber": number(model, "CAMBER_ANGLE", "rad", 0.0),
            "hub_mass": number(model, "HUB_MASS", "kg", 20.0, positive=True),
            "step": number(system, "INTEGRATION_STEP", "s", None, positive=True),
            "static_time": number(system, "STATIC_MAX_TIME", "s", 100.0),
            "start": number(analysis, "INITIAL_TIME", "s", 0.0),
            "end": number(analysis, "END_TIME", "s", None),
            "output_step": number(analysis, "OUTPUT_STEP", "s", None, positive=True),
            "speed": number(analysis, "VELOCITY", "m/s", None if not free else 0.0),
            "side": self._word(analysis, "SIDE", SIDES, "LEFT"),
            "formats": self._formats(analysis),
        }
        if "HUB_DAMPING" in model:
            values["hub_damping"] = number(model, "HUB_DAMPING", "N.s/m", 0.0)
        if "INTEGRATION_METHOD" in system:
            values["method"] = self._text(system, "INTEGRATION_METHOD")
        if self._flag(system, "TIRE_INTEGRATOR_ACTIVE", False):
            values["tire_step"] = number(system, "TIRE_INTEGRATION_STEP", "s", None, positive=True) or 1.0
        if kind in ("LATERAL", "COMBINED"):
            values["toe_amplitude"] = number(analysis, "TOE_AMPLITUDE", "rad", None)
        if kind == "COMBINED":
            values["slip"] = number(analysis, "LONG_SLIP", "-", None) / 100
        if kind == "CORNERING_STIFFNESS":
            values["toe"] = constant(number(analysis, "TOE_VALUE", "rad", None))
            values["load"] = self._function("PRELOAD", "FORCE", required=True)
        if kind == "FREE_INPUT":
            values["toe"] = self._function("TOE", "ANGLE")
            values["load"] = self._function("PRELOAD", "FORCE")
            if self._flag(analysis, "PRESCRIBED_ROTATION", False):
                values["spin"] = self._function("WHEEL_OMEGA", "ANGULAR_VELOCITY", required=True)
        if free:
            values["body"] = self._body(kind)
        report.raise_if_errors()
        if not values["end"] > values["start"]:
            line = analysis.get("END_TIME")
            report.error(line.line if line else 0, "[ANALYSIS] END_TIME", "must be later than INITIAL_TIME")
        report.raise_if_errors()
        notes = [str(problem) for problem in report.warnings] + self.notes
        try:
            return TireTest(**values, warnings=tuple(notes))
        except ParameterError as error:
            raise FormatError(f"{report.path}: {error}") from None

    # -- keys ---------------------------------------------------------------------------------------------
    def _get(self, section: Section, key: str) -> Any:
        found = section.get(key)
        if found is None:
            found = next(
                (section.get(other) for other, name in SPELLINGS.items() if name == key and other in section), None
            )
        return found

    def _key(self, section: Section, key: str) -> str:
        return f"[{section.name}] {key}"

    def _meant(self, section: Section, key: str) -> str:
        """An unknown key of the section that looks like one that is missing."""
        known = {*MODEL, *OURS, *SYSTEM, *ANALYSIS, *BODY, *SPELLINGS}
        lines = {a.key.upper(): a.line for a in section.attributes if a.key.upper() not in known}
        near = difflib.get_close_matches(key, lines, n=1, cutoff=0.75)
        return f"; is {near[0]} in line {lines[near[0]]} meant?" if near else ""

    def _number(self, section: Section, key: str, unit: str, default: float | None, *, positive: bool = False) -> float:
        attribute = self._get(section, key)
        where = self._key(section, key)
        if attribute is None:
            if default is None:
                self.report.error(section.line, where, f"is missing{self._meant(section, key)}")
            return 0.0 if default is None else default
        if isinstance(attribute.value, str):
            self.report.error(attribute.line, where, f"found {attribute.value!r}; expected a number")
            return 1.0
        if attribute.unit is not None:
            factor = self.units.tag(attribute.unit, self.report, attribute.line, key)
        else:
            factor = 1 / self.units.factor("s") if unit == "1/s" else self.units.factor(unit)
        value = float(attribute.value) * factor
        if not math.isfinite(value):
            self.report.error(attribute.line, where, f"found {attribute.value}; too large")
        if positive and not value > 0:
            self.report.error(attribute.line, where, f"found {attribute.value:g}; must be above 0")
        return value

    def _text(self, section: Section, key: str, *, required: bool = False) -> str:
        attribute = self._get(section, key)
        if attribute is None or attribute.blank:
            if required:
                text = f"is missing{self._meant(section, key)}"
                self.report.error(section.line, self._key(section, key), text)
            return ""
        return str(attribute.value).strip() if isinstance(attribute.value, str) else f"{attribute.value:g}"

    def _word(self, section: Section, key: str, allowed: Sequence[str], default: str = "") -> str:
        word = self._text(section, key, required=not default).upper()
        word = SPELLINGS.get(word, word) or default
        if word and word not in allowed:
            attribute = self._get(section, key)
            hint = did_you_mean(word, allowed)
            self.report.error(attribute.line, self._key(section, key), f"found {attribute.value!r}; unknown{hint}")
        return word

    def _flag(self, section: Section, key: str, default: bool) -> bool:
        attribute = self._get(section, key)
        if attribute is None:
            return default
        flag = as_flag(attribute.value)
        if flag is None:
            self.report.error(
                attribute.line, self._key(section, key), f"found {attribute.value!r}; expected TRUE or FALSE"
            )
        return bool(flag)

    def _file(self, section: Section, key: str, *, required: bool = False) -> str:
        text = self._text(section, key, required=required)
        if not text:
            return ""
        try:
            return str(resolve(text, self.file.path or "text.vtt", self.databases))
        except FormatError as error:
            self.report.error(section.get(key).line, self._key(section, key), str(error))  # type: ignore[union-attr]
            return ""

    def _formats(self, analysis: Section) -> tuple[str, ...]:
        wanted = [name for key, name in FORMATS.items() if self._flag(analysis, key, key == "XML_OUTPUT")]
        if self._flag(analysis, "PI_OUTPUT", False):
            self.notes.append("PI_OUTPUT: this format is not written")
        return tuple(wanted)

    # -- functions ----------------------------------------------------------------------------------------
    def _function(self, name: str, quantity: str, *, required: bool = False) -> Signal:
        analysis = self.file.need("ANALYSIS")
        section = analysis.sub_block(name)
        if section is None:
            if required:
                self.report.error(analysis.line, f"[ANALYSIS] ({name})", "is missing")
            return Signal()
        key = f"{name}_FUNCTION_TYPE"
        kind = self._word(section, key if key in section else "FUNCTION_TYPE", FUNCTIONS)
        unit = QUANTITIES[quantity]
        number = self._number
        if kind == "USER":
            return Signal("USER", table=self._spline(section, quantity))
        if kind == "SINE":
            numbers = {
                "AMPL": number(section, "AMPL", unit, None),
                "FREQ": number(section, "FREQ", "1/s", None),
                "PHASE": number(section, "PHASE", "rad", 0.0),
            }
            return Signal(kind, numbers)
        ends = "1/s" if kind == "SWEEP" else unit
        numbers = {key: number(section, key, ends if key[0] == "F" else "s", None) for key in ("F0", "F1", "T0", "T1")}
        if kind == "SWEEP":
            numbers["AMPL"] = number(section, "AMPL", unit, None)
        if not numbers["T1"] > numbers["T0"]:
            self.report.error(section.line, f"({section.name}) T1", "must be later than T0")
        return Signal(kind, numbers)

    def _spline(self, section: Section, quantity: str) -> Table | None:
        name = self._text(section, "SPLINE_NAME", required=True)
        if not name:
            return None
        block = self.file.block(name)
        report = self.report
        attribute = section.get("SPLINE_NAME")
        if block is None:
            hint = did_you_mean(name, [b.name for b in self.file.blocks])
            report.error(
                attribute.line if attribute else 0, f"({section.name}) SPLINE_NAME", f"no block [{name}]{hint}"
            )
            return None
        x_data = self._word(block, "X_DATA", ("TIME",), "TIME")
        y_data = self._word(block, "Y_DATA", tuple(QUANTITIES), quantity)
        if x_data == "TIME" and y_data in QUANTITIES and y_data != quantity:
            report.error(block.line, f"[{block.name}] Y_DATA", f"found {y_data!r}; ({section.name}) needs {quantity!r}")
        part = block.sub_block("VALUES")
        table = part.table if part is not None else block.table
        if table is None or len(table.columns) != 2 or len(table.rows) < 2:
            report.error(block.line, f"[{block.name}] (VALUES)", "expected a table {x y} with two rows or more")
            return None
        if any(isinstance(v, str) for row in table.rows for v in row):
            report.error(table.line, f"[{block.name}] (VALUES)", "expected numbers only")
            return None
        rows = np.array(table.rows, dtype=float)
        x, y = rows[:, 0] * self.units.factor("s"), rows[:, 1] * self.units.factor(QUANTITIES[quantity])
        if np.any(np.diff(x) <= 0) or not np.all(np.isfinite(rows)):
            report.error(table.line, f"[{block.name}] (VALUES)", "x must increase from row to row")
            return None
        return Table(x, y, method="akima" if len(x) > 2 else "linear", extrapolation="flat", name=name)

    def _body(self, kind: str) -> dict[str, float]:
        block = self.file.block(kind)
        if block is None and kind == "Z_LOCKED":
            block = self.file.block("SIX_DOF")  # met in files, and clear
        if block is None:
            self.report.error(0, f"[{kind}]", "block is missing")
            return {}
        for attribute in block.attributes:
            if attribute.key.upper() not in BODY:
                hint = did_you_mean(attribute.key.upper(), BODY)
                self.report.warning(attribute.line, f"[{block.name}] {attribute.key}", f"not used{hint}")
        body = {}
        for key, unit in BODY.items():
            needed = key in NEEDED[kind]
            if key in block or needed:
                body[key] = self._number(block, key, unit, None, positive=key == "MASS" or key.startswith("I"))
        return body
