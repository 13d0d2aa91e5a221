"""RDF: road property files. All kinds are read; a file that was read is written back to the letter, a road as a new
file.

    FLAT, ANALYTIC, MEASURED, EXTRUSION, MESH (also SURFMESH), COMPOSITE, OPEN_CRG, EXTERNAL

Signs are those of docs/conventions.md: curvature positive to the left, bank positive when the left side is up,
sections from right to left. ORIGIN_* places the road in the world: first turned by ORIGIN_A3, then shifted.

Our reading where the format says nothing: without OUTBOUND_SAFE the road is widened (lines) or held (sections, meshes);
densities of irregularities are two-sided unless PSD_SIDED = 'ONE'; RNG_SEED names the random numbers (12345);
SYNTHESIS = 'FFT' takes the exact synthesis of ``road.irregular`` instead of the sum of FFT_POINTS waves.

Keys of our own in [GLOBAL], written only where OUTBOUND_SAFE does not say it: BESIDE = 'WIDEN', 'HOLD' or 'NONE' and
BEYOND_END = 'HOLD', 'ZERO', 'NONE' or 'EXTRAPOLATE' of roads along a line. Other programs do not know them.

SMOOTHING_TIME (the road grows out of the plane under the car), EVENT_CHECK (warnings) and MPC_ACTIVE (normal of three
points, or vertical) are matters of an event: the road carries them along, a query does not know them.

Orientation of sections (EXTRUSION), our reading: a section has x along the road, y = u to the left, z = v up;

    R = Rz(a3) Ry(a2) Rx(a1)                  ABSOLUTE_ORIENTATION = 'TRUE': in the axes of the road file           (1)
    R = Rz(ψ(s)) Rz(a3) Ry(a2) Rx(a1)         'FALSE': ψ the heading of the centre line
    r = c(s) + R (0, u, v)                                                                                    (2)

Sections across the line (a2 = a3 = 0, 'FALSE') stay exact; others become triangles DISCRETIZATION_STEP apart.
"""

from __future__ import annotations

import difflib
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.core.errors import FormatError, ParameterError, did_you_mean
from jounce.core.limits import FARTHEST, reading
from jounce.core.writing import write_atomically
from jounce.files.crg import read_crg
from jounce.files.file_units import Units, column_factor, read_units, write_units
from jounce.files.problems import Report
from jounce.files.property_file import Attribute, Block, PropertyFile, Section, Table, as_flag, resolve
from jounce.road.block import Frame
from jounce.road.curve import CLOSEST, Curve, Samples
from jounce.road.grid import GridRoad
from jounce.road.irregular import DEFAULT_SEED, Tracks, log_log, synthesise, waves
from jounce.road.line import ENDS, SIDES, Kerb, LineRoad
from jounce.road.line import Section as CrossSection
from jounce.road.mesh import MeshRoad, check_mesh
from jounce.road.meshing import mesh_of
from jounce.road.path import Path
from jounce.road.simple import External, Flat, Sum
from jounce.road.surface import Road

Array = npt.NDArray[np.float64]

HEADERS = ("MDI_HEADER", "VIGRADE_HEADER")
TYPES = ("FLAT", "ANALYTIC", "MEASURED", "EXTRUSION", "MESH", "COMPOSITE", "OPEN_CRG", "EXTERNAL")
KNOWN_BLOCKS = (
    *HEADERS,
    *("UNITS", "MODEL", "GLOBAL", "FLAT_GEOMETRY", "FRICTION", "FRICTION_TABLE", "WIDTH", "WIDTH_TABLE", "PLANT_PATH"),
    *("VERTICAL_PATH", "BANK_ANGLE_PATH", "MEASURED_CENTERLINE", "LEFT_KERB_GEOMETRY", "RIGHT_KERB_GEOMETRY"),
    *("IRREGULARITIES", "LEFT_PSD_TABLE", "RIGHT_PSD_TABLE", "PSD_PHASE_TABLE", "PSD_COHERENCY_TABLE"),
    *("MEASURED_IRREGULARITIES", "CENTERLINE_PROPERTIES", "SECTION_PROPERTIES", "NODES", "ELEMENTS", "MATERIALS"),
    *("TRACK_PATH", "ROAD_DATA", "OPEN_CRG"),
)
WITHOUT_EFFECT = frozenset({"DISTANCE_CALC", "SAFE_CALC", "CP_COMPUTATION_MODE", "LEFT_EDGE", "RIGHT_EDGE", "FRICTION"})
GLOBAL_KEYS = WITHOUT_EFFECT | {
    *("OUTBOUND_SAFE", "IRREGULARITIES", "MESH_CHECK", "MESH_LOOKUP_CELL_SIZE", "MESH_LOOKUP_ZTOL", "ORIGIN_X"),
    *("ORIGIN_Y", "ORIGIN_Z", "ORIGIN_A3", "DISCRETIZATION_STEP", "SMOOTHING_TIME", "MATERIALS_MODE", "EVENT_CHECK"),
    *("BESIDE", "BEYOND_END"),
}
_DIVISION = frozenset({"SEGMENTATION", "INTERPOLATION", "SEGMENT"})
# Keys of blocks, whether they are used or not; blocks of the file that are not here hold tables only.
KEYS: dict[str, frozenset[str]] = {
    "GLOBAL": GLOBAL_KEYS,
    "MODEL": frozenset({"METHOD", "FUNCTION_NAME", "TYPE", "MODE", "FORMAT", "OPERATING_MODE", "LEGACY_MODE"}),
    "FLAT_GEOMETRY": frozenset({"X_DIMENSION", "Y_DIMENSION"}),
    "FRICTION": frozenset({"GLOBAL", "LEFT_SIDE_MU", "RIGHT_SIDE_MU"}),
    "WIDTH": frozenset({"LEFT_SIDE_WIDTH", "RIGHT_SIDE_WIDTH"}),
    "IRREGULARITIES": frozenset(
        {
            *("MODEL", "STARTING_S", "ENDING_S", "SCALE", "RNG_ALGORITHM", "RNG_SEED", "FFT_POINTS", "PHASE"),
            *("PHASE_TABLE", "COHERENCY", "OMEGA_1", "OMEGA_2", "LEFT_PSD_O1", "LEFT_PSD_O2", "RIGHT_PSD_O1"),
            *("RIGHT_PSD_O2", "LEFT_PSD_TABLE", "RIGHT_PSD_TABLE", "CALC_MODE", "PSD_SIDED", "SYNTHESIS"),
        }
    ),
    "CENTERLINE_PROPERTIES": _DIVISION,
    "SECTION_PROPERTIES": _DIVISION | {"ABSOLUTE_ORIENTATION", "POINTS", "VARIABLE_SECTION"},
    "NODES": frozenset({"NUMBER_OF_NODES"}),
    "ELEMENTS": frozenset({"NUMBER_OF_ELEMENTS"}),
    "TRACK_PATH": frozenset({"TYPE", "FILE_NAME", "REFERENCE"}),
    "ROAD_DATA": frozenset({"FILE_NAME"}),
    "OPEN_CRG": frozenset({"FILE", "MPC_ACTIVE", "APPLY_MODIFIERS"}),
}
MOST_NUMBER = 2.0**31  # of nodes and materials: whole numbers below it are exact
STEP = 0.5  # default of DISCRETIZATION_STEP, m
SMOOTH_DISTANCE = 0.02  # of MODE = 'SMOOTH', m: root mean square distance from the points that is given up
MOST_PARTS = 1_000_000  # of a divided section or line of sections
LEAST_SPACING = 0.05  # m, of the three points that make the normal on an OpenCRG road
BANK_STEP = 0.25  # m: how finely the tangent of a bank angle is tabled
_NEED = {
    "FLAT": ("FRICTION",),
    "ANALYTIC": ("PLANT_PATH", "VERTICAL_PATH", "BANK_ANGLE_PATH"),
    "MEASURED": ("MEASURED_CENTERLINE",),
    "EXTRUSION": ("MEASURED_CENTERLINE", "CENTERLINE_PROPERTIES", "SECTION_PROPERTIES"),
    "MESH": ("NODES", "ELEMENTS"),
    "COMPOSITE": ("ROAD_DATA",),
    "OPEN_CRG": ("OPEN_CRG",),
    "EXTERNAL": (),
}


def read_rdf(path: str | FilePath, databases: dict[str, FilePath] | None = None) -> RdfFile:
    """Read a road property file."""
    try:
        file = PropertyFile.read(path)
    except FormatError:
        # Tables without a header are told last, when the file is of this format at all.
        _refuse_adams(PropertyFile.read(path, KNOWN_BLOCKS))
        raise
    return RdfFile(file, databases)


def parse_rdf(text: str, path: str = "", databases: dict[str, FilePath] | None = None) -> RdfFile:
    """The same from a text; other files it names are looked for beside ``path``."""
    try:
        file = PropertyFile.parse(text, path)
    except FormatError:
        _refuse_adams(PropertyFile.parse(text, path, KNOWN_BLOCKS))
        raise
    return RdfFile(file, databases)


def _refuse_adams(file: PropertyFile) -> None:
    """Road files of Adams/Tire end alike and are another format: METHOD, and for '2D' ROAD_TYPE, decide, not TYPE."""
    model = file.block("MODEL")
    if model is None or "TYPE" in model:
        return
    for key in ("ROAD_TYPE", "METHOD"):
        found = model.get(key)
        if found is not None and str(found.value).strip().upper() != "USER":
            report = Report(file.path)
            text = (
                f"found {found.value!r} and no TYPE: a road of Adams/Tire, which is not available; read are "
                f"TYPE = {', '.join(TYPES)}; obstacles and uneven roads are also made by a .yaml file or OpenCRG"
            )
            report.error(found.line, f"[MODEL] {key}", text)
            report.raise_if_errors()


def upgrade_rdf(file: PropertyFile) -> list[str]:
    """Bring outdated spellings up to date, in place; returns what was changed."""
    changes: list[str] = []
    model, general = file.block("MODEL"), file.block("GLOBAL")
    if model is None:
        return changes
    function = model.get("FUNCTION_NAME")
    if function is not None and "viarm2adm" in str(function.value).lower():
        function.change("vitools::vi_road")
        general = general or file.add_block("GLOBAL")
        direction = general.get("DIRECTION")
        if direction is not None:
            general.nodes.remove(direction)
            general._by_key.pop("DIRECTION")
        if "ORIGIN_A3" not in general:
            half = math.pi / read_units(file, Report(file.path)).factor("rad")
            general.set("ORIGIN_A3", float(f"{half:.15g}"))
        changes.append("ARM road: FUNCTION_NAME and ORIGIN_A3 set, DIRECTION removed")
    kind = model.get("TYPE")
    if kind is not None and str(kind.value).upper() == "SURFMESH":
        kind.change("MESH")
        for section in file.blocks:
            for key in ("NUMBER_OF_NODES", "NUMBER_OF_ELEMENTS"):
                found = section.get(key)
                if found is not None:
                    section.nodes.remove(found)
                    section._by_key.pop(key)
        changes.append("SURFMESH: TYPE set to MESH, numbers of nodes and elements removed")
    return changes


class RdfFile:
    """A road property file that was read.

    Attributes
    ----------
    file : the text, block by block
    report : warnings and notes
    kind : FLAT, ANALYTIC, …
    """

    def __init__(self, file: PropertyFile, databases: dict[str, FilePath] | None = None, *, _depth: int = 0) -> None:
        self.file, self.report, self.databases, self._depth = file, file.report, databases, _depth
        _refuse_adams(file)
        for change in upgrade_rdf(file):
            self.report.warning(0, "", f"outdated file, read as if it said: {change}")
        self._check_header()
        self._check_units()
        self.units: Units = read_units(file, self.report)
        self._note_units()
        self.kind = self._kind()
        missing = [name for name in _NEED.get(self.kind, ()) if file.block(name) is None]
        if missing:
            there = ", ".join(b.name for b in file.blocks)
            self.report.error(0, "", f"missing blocks: {', '.join(f'[{m}]' for m in missing)}; there are: {there}")
        self._check_keys()
        self.report.raise_if_errors()
        self._overrides: PropertyFile | None = None
        with reading(self.report.path):
            self._road = self._build()
        self.report.raise_if_errors()

    def road(self, external: Callable[[float, float, float], Sequence[float]] | None = None) -> Road:
        """The road. An EXTERNAL one needs the function (x, y, z) → (height, dz/dx, dz/dy, friction)."""
        if self.kind != "EXTERNAL":
            assert self._road is not None
            return self._road
        if external is None:
            raise ParameterError(f"{self.report.path}: an EXTERNAL road comes from outside: give its function")
        return self._for_events(External(function=external, frame=self._frame()))

    @property
    def ground(self) -> str:
        """Of an EXTERNAL road: ``external`` (planes by point and normal) or ``external-points`` (contact points as they
        are), by OPERATING_MODE; what ``jounce.sim.car`` calls its ground. Otherwise ``road``."""
        return self._ground if self.kind == "EXTERNAL" else "road"

    def text(self) -> str:
        return self.file.text()

    def write(self, path: str | FilePath) -> None:
        write_atomically(path, self.text())

    # -- checks -------------------------------------------------------------------------------------------
    def _check_header(self) -> None:
        header = self.file.block(*HEADERS)
        if header is None:
            self.report.error(0, "", f"block [{HEADERS[0]}] is missing; this is no road file")
            self.report.raise_if_errors()
            return
        kind = header.get("FILE_TYPE")
        if kind is None or str(kind.value).strip().lower() != "rdf":
            found = "nothing" if kind is None else repr(kind.value)
            self.report.error(kind.line if kind else header.line, "FILE_TYPE", f"found {found}; expected 'rdf'")

    def _check_units(self) -> None:
        """Units that are said twice, and differently, leave no number to be trusted."""
        block = self.file.block("UNITS")
        said: dict[str, Any] = {}
        for node in block.nodes if block is not None else ():
            if isinstance(node, Attribute):
                first = said.setdefault(node.key.upper(), node.value)
                if str(first).lower() != str(node.value).lower():
                    self.report.error(
                        node.line, f"[UNITS] {node.key}", f"found {node.value!r}; before it was {first!r}"
                    )
        first_block: tuple[Block, Units] | None = None
        for found in (b for b in self.file.blocks if b.name.upper() == "UNITS"):
            alone = PropertyFile(self.file.path)
            alone.blocks = [found]
            units = read_units(alone, Report(self.file.path))
            if first_block is None:
                first_block = (found, units)
            elif units.base != first_block[1].base:
                other = next(b for b in units.base if units.base[b] != first_block[1].base[b])
                text = f"the unit of {other} is another than in the block in line {first_block[0].line}"
                self.report.error(found.line, "[UNITS]", text)

    def _note_units(self) -> None:
        """Units that are not said: it is good to know which are taken."""
        block = self.file.block("UNITS")
        if block is None:
            self.report.info(0, "[UNITS]", "is missing; metres, radians and seconds are taken")
        elif block.sub_block("BASE") is None and "LENGTH" not in block:
            self.report.info(block.line, "[UNITS] LENGTH", "is missing; metres are taken")

    def _kind(self) -> str:
        model = self.file.block("MODEL")
        kind = model.get("TYPE") if model is not None else None
        if kind is None:
            self.report.error(model.line if model else 0, "[MODEL] TYPE", f"is missing; allowed: {', '.join(TYPES)}")
            return ""
        found = str(kind.value).strip().upper()
        if found not in TYPES:
            self.report.error(kind.line, "[MODEL] TYPE", f"found {kind.value!r}; unknown{did_you_mean(found, TYPES)}")
            return ""
        return found

    def _check_keys(self) -> None:
        """Names that nobody knows have no effect; most are misspelt."""
        for block in self.file.blocks:
            name = block.name.upper()
            if name.startswith("SECTION_") and name not in KEYS:
                continue
            if name not in KNOWN_BLOCKS:
                close = difflib.get_close_matches(name, KNOWN_BLOCKS, n=1, cutoff=0.8)
                say = self.report.warning if close else self.report.info
                hint = f"; did you mean [{close[0]}]?" if close else ""
                say(block.line, f"[{block.name}]", f"block is not known; kept as it is{hint}")
                continue
            if name in HEADERS or name == "UNITS":
                continue
            known = KEYS.get(name, frozenset())
            for attribute in block.attributes:
                if attribute.key.upper() not in known:
                    hint = did_you_mean(attribute.key.upper(), sorted(known))
                    place = f"[{block.name}] {attribute.key}"
                    self.report.warning(attribute.line, place, f"is not known and has no effect{hint}")

    # -- asking -------------------------------------------------------------------------------------------
    def _block(self, name: str) -> Block | None:
        """A block; of a composite road the composite's own where it may replace that of the road below."""
        if self._overrides is not None and name in ("MATERIALS", "IRREGULARITIES"):
            found = self._overrides.block(name)
            if found is not None:
                return found
        return self.file.block(name)

    def _global(self, key: str) -> Attribute | None:
        if self._overrides is not None and key in ("MESH_LOOKUP_CELL_SIZE", "MATERIALS_MODE", "IRREGULARITIES"):
            general = self._overrides.block("GLOBAL")
            if general is not None and key in general:
                return general.get(key)
        general = self.file.block("GLOBAL")
        return general.get(key) if general is not None else None

    def _number(self, attribute: Attribute | None, unit: str, default: float, place: str = "") -> float:
        if attribute is None:
            return default
        if isinstance(attribute.value, str):
            self.report.error(attribute.line, place or attribute.key, f"found {attribute.value!r}; expected a number")
            return default
        if attribute.unit is not None:
            factor = self.units.tag(attribute.unit, self.report, attribute.line, attribute.key)
        else:
            factor = _factor(self.units, unit)
        return float(attribute.value) * factor

    def _of(self, block: Section | None, key: str, unit: str, default: float) -> float:
        return self._number(block.get(key) if block is not None else None, unit, default, key)

    def _flag(self, attribute: Attribute | None, default: bool) -> bool:
        if attribute is None:
            return default
        value = as_flag(attribute.value)
        if value is None:
            self.report.error(attribute.line, attribute.key, f"found {attribute.value!r}; expected TRUE or FALSE")
            return default
        return value

    def _word(self, attribute: Attribute | None, default: str, allowed: Sequence[str] = ()) -> str:
        if attribute is None:
            return default
        word = str(attribute.value).strip().upper()
        if allowed and word not in allowed:
            hint = did_you_mean(word, allowed)
            self.report.error(attribute.line, attribute.key, f"found {attribute.value!r}{hint}")
            return default
        return word

    def _columns(self, section: Section | None, name: str, units: Sequence[str], least: int = 1) -> list[Array] | None:
        """Columns of the table of a section, SI; None with an error when it is not there."""
        table = section.table if section is not None else None
        if section is None or table is None or len(table.rows) < least:
            line = section.line if section is not None else 0
            found = 0 if table is None else len(table.rows)
            self.report.error(line, name, f"found {found} rows of numbers; at least {least} are needed")
            return None
        if len(table.columns) != len(units):
            names = " ".join(c.name for c in table.columns)
            self.report.error(table.line, name, f"found the columns {{{names}}}; {len(units)} are expected")
            return None
        return self._table_columns(table, name, units)

    def _table_columns(self, table: Table, name: str, units: Sequence[str]) -> list[Array] | None:
        lines = (
            [row.line for row in table.lines] if len(table.lines) == len(table.rows) else [table.line] * len(table.rows)
        )
        for line, row in zip(lines, table.rows, strict=True):
            for value in row:
                if isinstance(value, str) or not math.isfinite(value):
                    self.report.error(line, name, f"found {value!r}; expected a finite number")
                    return None
        values = np.asarray(table.rows, dtype=float)
        out = []
        for i, (column, unit) in enumerate(zip(table.columns, units, strict=True)):
            if column.unit is None:
                factor = _factor(self.units, unit)
            else:
                factor = column_factor(column, self.units, "-", self.report, table.line)
            found = values[:, i] * factor
            if unit == "m" and np.abs(found).max(initial=0.0) > FARTHEST:
                worst = int(np.argmax(np.abs(found)))
                text = f"found {found[worst]:g} m; no road reaches beyond {FARTHEST:g} m"
                self.report.error(lines[worst], name, text)
                return None
            out.append(found)
        return out

    def _ascending(self, s: Array, section: Section, name: str) -> bool:
        bad = np.flatnonzero(np.diff(s) < CLOSEST)
        if len(bad):
            i = int(bad[0]) + 1
            how = "" if s[i] <= s[i - 1] else f" by at least {CLOSEST:g} m"
            self.report.error(
                self._row_line(section, i), name, f"found s = {s[i]:g} m behind {s[i - 1]:g} m; s must ascend{how}"
            )
            return False
        return True

    def _not_negative(self, values: Array, section: Section, name: str, what: str) -> bool:
        """Whether a column of a table holds nothing below zero, with an error otherwise."""
        bad = np.flatnonzero(values < 0)
        if len(bad):
            self.report.error(
                self._row_line(section, int(bad[0])), name, f"found {what} {values[bad[0]]:g}; must not be negative"
            )
        return not len(bad)

    def _whole(self, values: Array, section: Section, name: str, what: str) -> bool:
        """Whether a column holds numbers of things, with an error otherwise."""
        bad = np.flatnonzero((values != np.round(values)) | (np.abs(values) >= MOST_NUMBER))
        if len(bad):
            text = f"found {what} {values[bad[0]]:.10g}; expected a whole number below {MOST_NUMBER:.0f}"
            self.report.error(self._row_line(section, int(bad[0])), name, text)
        return not len(bad)

    def _row_line(self, section: Section, i: int) -> int:
        table = section.table
        assert table is not None
        return table.lines[i].line if len(table.lines) == len(table.rows) else table.line

    def _frame(self) -> Frame:
        at = [self._number(self._global(f"ORIGIN_{key}"), "m", 0.0) for key in "XYZ"]
        return Frame(at[0], at[1], at[2], self._number(self._global("ORIGIN_A3"), "rad", 0.0))

    # -- building -----------------------------------------------------------------------------------------
    def _build(self) -> Road | None:
        make = {
            "FLAT": self._flat,
            "ANALYTIC": self._analytic,
            "MEASURED": self._measured,
            "EXTRUSION": self._extrusion,
            "MESH": self._mesh,
            "COMPOSITE": self._composite,
            "OPEN_CRG": self._crg,
            "EXTERNAL": self._nothing,
        }[self.kind]
        try:
            road = make()
            return road if road is None or self.kind == "COMPOSITE" else self._for_events(road)
        except ParameterError as error:
            self.report.error(0, f"[MODEL] TYPE = {self.kind}", str(error))
            return None

    def _nothing(self) -> None:
        """A road that comes from outside."""
        model = self.file.block("MODEL")
        mode = model.get("OPERATING_MODE") if model is not None else None
        number = self._number(mode, "-", 1.0)
        if number not in (0.0, 1.0):
            self.report.error(
                mode.line if mode else 0,
                "[MODEL] OPERATING_MODE",
                f"found {number:g}; allowed: 1 (a plane by point and normal), 0 (contact points as they are)",
            )
        self._ground = "external" if number == 1.0 else "external-points"

    def _for_events(self, road: Road) -> Road:
        """The road with what it tells an event."""
        time = self._number(self._global("SMOOTHING_TIME"), "s", 0.0)
        if not (math.isfinite(time) and time >= 0):
            attribute = self._global("SMOOTHING_TIME")
            assert attribute is not None
            self.report.error(attribute.line, "[GLOBAL] SMOOTHING_TIME", f"found {time:g} s; must not be negative")
        return replace(road, smoothing_time=time, warns=self._flag(self._global("EVENT_CHECK"), True))

    def _friction(self, block: Block | None, key: str, default: float = 1.0) -> float:
        value = self._of(block, key, "-", default)
        if value < 0:
            attribute = block.get(key) if block is not None else None
            self.report.error(
                attribute.line if attribute else 0, f"[FRICTION] {key}", f"found {value:g}; must not be negative"
            )
        return max(value, 0.0)

    def _flat(self) -> Road:
        size = self.file.block("FLAT_GEOMETRY")
        drawn = (self._of(size, "X_DIMENSION", "m", 100.0), self._of(size, "Y_DIMENSION", "m", 100.0))
        mu = self._friction(self.file.block("FRICTION"), "GLOBAL")
        return Flat(friction=mu, drawn=drawn, frame=self._frame(), name=self._name())

    def _name(self) -> str:
        return FilePath(self.report.path).stem

    def _sides(self) -> dict[str, Any]:
        """Widths, friction and kerbs, which lines have in common."""
        file = self.file
        out: dict[str, Any] = {}
        table = file.block("WIDTH_TABLE")
        if table is not None:
            columns = self._columns(table, "[WIDTH_TABLE]", ("m", "m"))
            if columns is not None and self._ascending(columns[0], table, "[WIDTH_TABLE]"):
                self._not_negative(columns[1], table, "[WIDTH_TABLE]", "the width")
                half = Curve.linear(columns[0], 0.5 * columns[1], what="[WIDTH_TABLE]")
                out["left"] = out["right"] = half
        else:
            width = file.block("WIDTH")
            if width is None:
                self.report.error(0, "[WIDTH]", "is missing; give it or [WIDTH_TABLE]")
            for side in ("left", "right"):
                value = self._of(width, f"{side.upper()}_SIDE_WIDTH", "m", 5.0)
                if not value > 0:
                    self.report.error(width.line if width else 0, "[WIDTH]", f"found {value:g} m; must be > 0")
                out[side] = max(value, 1e-3)
        mode = self._word(self._global("FRICTION"), "STANDARD", ("STANDARD", "TABLE", "GLOBAL_TABLE"))
        if mode == "STANDARD":
            block = file.block("FRICTION")
            both = self._friction(block, "GLOBAL")
            out["friction"] = self._friction(block, "LEFT_SIDE_MU", both)
            out["friction_right"] = self._friction(block, "RIGHT_SIDE_MU", both)
        else:
            units = ("m", "-", "-") if mode == "TABLE" else ("m", "-")
            block = file.block("FRICTION_TABLE")
            columns = self._columns(block, "[FRICTION_TABLE]", units)
            if columns is not None and block is not None and self._ascending(columns[0], block, "[FRICTION_TABLE]"):
                for values in columns[1:]:
                    self._not_negative(values, block, "[FRICTION_TABLE]", "the friction")
                out["friction"] = Curve.linear(columns[0], columns[1], what="[FRICTION_TABLE]")
                out["friction_right"] = Curve.linear(columns[0], columns[-1], what="[FRICTION_TABLE]")
        for side in ("left", "right"):
            if self._word(self._global(f"{side.upper()}_EDGE"), "FLAT", ("FLAT", "KERB")) == "KERB":
                kerb = self._kerb(f"{side.upper()}_KERB_GEOMETRY")
                if kerb is not None:
                    out[f"kerb_{side}"] = kerb
        safe = self._flag(self._global("OUTBOUND_SAFE"), True)
        usual = ("widen", "hold") if safe else ("none", "zero")
        out["side"], out["end"] = self._beside(*usual)
        return out

    def _beside(self, side: str, end: str) -> tuple[str, str]:
        """What lies beside and beyond a road along a line: by our own keys, else what is usual."""
        beside = self._word(self._global("BESIDE"), side.upper(), [s.upper() for s in SIDES])
        beyond = self._word(self._global("BEYOND_END"), end.upper(), [e.upper() for e in ENDS])
        return beside.lower(), beyond.lower()

    def _kerb(self, name: str) -> Kerb | None:
        block = self.file.block(name)
        columns = self._columns(block, f"[{name}]", ("m", "-", "m", "-", "-", "m", "-"))
        if columns is None or block is None or not self._ascending(columns[0], block, f"[{name}]"):
            return None
        columns[1], columns[4] = columns[1] / 100, columns[4] / 100  # per cent
        if (columns[2] < 0).any() or (columns[5] < 0).any():
            self.report.error(block.line, f"[{name}]", "found a negative width")
            return None
        for values in (columns[3], columns[6]):
            self._not_negative(values, block, f"[{name}]", "the friction")
        return Kerb(*columns)

    def _step(self) -> float:
        step = self._number(self._global("DISCRETIZATION_STEP"), "m", STEP)
        if not step > 0:
            attribute = self._global("DISCRETIZATION_STEP")
            assert attribute is not None
            self.report.error(attribute.line, "[GLOBAL] DISCRETIZATION_STEP", f"found {step:g} m; must be > 0")
            return STEP
        return step

    def _tangent(self, s: Array, angle: Array, smooth: bool) -> Curve | None:
        """The tangent of bank angles along s."""
        if np.any(np.abs(angle) >= 0.45 * math.pi):
            self.report.error(0, "bank angle", f"found {np.max(np.abs(angle)):g} rad; too steep for a road")
            return None
        if not np.any(angle):
            return None
        if len(s) < 2 or np.ptp(angle) == 0:
            return Curve.constant(math.tan(float(angle[0])))
        if not smooth:
            return Curve.linear(s, np.tan(angle))
        parts = [np.linspace(a, b, max(2, math.ceil((b - a) / BANK_STEP) + 1)) for a, b in itertools.pairwise(s)]
        fine = np.unique(np.concatenate(parts))
        return Curve.cubic(fine, np.tan(Curve.step5(s, angle)(fine)))

    def _analytic(self) -> Road | None:
        tables: dict[str, list[Array]] = {}
        for name, unit in (("PLANT_PATH", "1/m"), ("VERTICAL_PATH", "m"), ("BANK_ANGLE_PATH", "rad")):
            block = self.file.block(name)
            columns = self._columns(block, f"[{name}]", ("m", unit), 2 if name == "PLANT_PATH" else 1)
            if columns is not None and block is not None and self._ascending(columns[0], block, f"[{name}]"):
                tables[name] = columns
        options = self._sides()
        if len(tables) < 3 or self.report.errors:
            return None
        s, kappa = tables["PLANT_PATH"]
        path = Path.from_curvature(s, kappa, step=min(self._step(), 0.1 / max(float(np.max(np.abs(kappa))), 1e-3)))
        z = tables["VERTICAL_PATH"]
        road = LineRoad(
            path=path,
            height=Curve.step5(z[0] - s[0], z[1], what="[VERTICAL_PATH]"),
            bank=self._tangent(tables["BANK_ANGLE_PATH"][0] - s[0], tables["BANK_ANGLE_PATH"][1], True),
            frame=self._frame(),
            name=self._name(),
            **options,
        )
        return self._with_unevenness(road)

    def _centre_line(self, step: float | None) -> tuple[Path, Array] | None:
        block = self.file.block("MEASURED_CENTERLINE")
        columns = self._columns(block, "[MEASURED_CENTERLINE]", ("m", "m", "m", "rad"), 2)
        if columns is None or self.report.errors:
            return None
        x, y, z, angle = columns
        model = self.file.block("MODEL")
        smooth = (
            self._word(model.get("MODE") if model is not None else None, "STANDARD", ("STANDARD", "SMOOTH")) == "SMOOTH"
        )
        path = Path.from_points(
            np.column_stack([x, y, z]), bank=np.tan(angle), step=step, smoothing=SMOOTH_DISTANCE if smooth else 0.0
        )
        return path, angle

    def _measured(self) -> Road | None:
        options = self._sides()
        found = self._centre_line(self._step())
        if found is None or self.report.errors:
            return None
        road = LineRoad(path=found[0], frame=self._frame(), name=self._name(), **options)
        return self._with_unevenness(road)

    # -- irregularities -----------------------------------------------------------------------------------
    def _with_unevenness(self, road: LineRoad) -> LineRoad:
        tracks = self._unevenness(road.path.length)
        return road if tracks is None else replace(road, unevenness=tracks)

    def _unevenness(self, length: float) -> tuple[Any, Any] | None:
        mode = self._word(self._global("IRREGULARITIES"), "FLAT")
        block = self._block("IRREGULARITIES")
        synonyms = {"ANALYTIC_PSD": "PSD", "ANALYTIC": "PSD", "PSD": "PSD", "MEASURED_STD": "STD", "MEASURED": "STD"}
        if mode in ("FLAT", "NONE", "FALSE"):
            return None
        attribute = self._global("IRREGULARITIES")
        assert attribute is not None
        if mode not in synonyms:
            self.report.error(
                attribute.line, "[GLOBAL] IRREGULARITIES", f"found {mode!r}{did_you_mean(mode, synonyms)}"
            )
            return None
        if block is not None and "MODEL" in block:
            model = self._word(block.get("MODEL"), mode, tuple(synonyms))
            if synonyms.get(model) != synonyms[mode]:
                line = block.get("MODEL").line  # type: ignore[union-attr]
                self.report.error(line, "[IRREGULARITIES] MODEL", f"found {model!r}; [GLOBAL] says {mode!r}")
                return None
        if synonyms[mode] == "STD":
            table = self.file.block("MEASURED_IRREGULARITIES")
            columns = self._columns(table, "[MEASURED_IRREGULARITIES]", ("m", "m", "m"), 2)
            if columns is None or table is None or not self._ascending(columns[0], table, "[MEASURED_IRREGULARITIES]"):
                return None
            scale = self._of(block, "SCALE", "-", 1.0)
            return tuple(Curve.linear(columns[0], scale * c) for c in columns[1:])  # type: ignore[return-value]
        if block is None:
            self.report.error(0, "[IRREGULARITIES]", "is missing")
            return None
        return self._psd(block, length)

    def _density(self, block: Block, side: str) -> Any:
        key = f"{side}_PSD_TABLE"
        if self._flag(block.get(key), False):
            columns = self._columns(self.file.block(key), f"[{key}]", ("1/m", "m3"), 2)
            return None if columns is None else log_log(*columns)
        points = []
        for i in "12":
            pair = []
            for name, unit in ((f"OMEGA_{i}", "1/m"), (f"{side}_PSD_O{i}", "m3")):
                attribute = block.get(name)
                if attribute is None:
                    self.report.error(block.line, f"[IRREGULARITIES] {name}", "is missing")
                    return None
                value = self._number(attribute, unit, 1.0)
                if not value > 0:
                    self.report.error(attribute.line, f"[IRREGULARITIES] {name}", f"found {value:g}; must be > 0")
                    return None
                pair.append(value)
            points.append(pair)
        if not points[1][0] > points[0][0]:
            self.report.error(block.line, "[IRREGULARITIES] OMEGA_2", "must be larger than OMEGA_1")
            return None
        return log_log([p[0] for p in points], [p[1] for p in points])

    def _psd(self, block: Block, length: float) -> tuple[Any, Any] | None:
        left, right = self._density(block, "LEFT"), self._density(block, "RIGHT")
        if self.file.block("PSD_COHERENCY_TABLE") is not None:
            self.report.warning(0, "[PSD_COHERENCY_TABLE]", "outdated and not used; COHERENCY counts")
        phase: Any = self._of(block, "PHASE", "rad", 0.0)
        if self._flag(block.get("PHASE_TABLE"), False):
            columns = self._columns(self.file.block("PSD_PHASE_TABLE"), "[PSD_PHASE_TABLE]", ("1/m", "rad"), 2)
            if columns is None:
                return None
            rows = columns
            phase = lambda omega: np.interp(omega, rows[0], rows[1])  # noqa: E731
        count = block.get("FFT_POINTS")
        fft = self._word(block.get("SYNTHESIS"), "WAVES", ("WAVES", "FFT")) == "FFT"
        if left is None or right is None or (count is None and not fft):
            if count is None and not fft:
                self.report.error(block.line, "[IRREGULARITIES] FFT_POINTS", "is missing")
            return None
        start = self._of(block, "STARTING_S", "m", 0.0)
        end = self._of(block, "ENDING_S", "m", length)
        first, last = self._of(block, "OMEGA_1", "1/m", 0.1), self._of(block, "OMEGA_2", "1/m", 10.0)
        seed = int(self._of(block, "RNG_SEED", "-", DEFAULT_SEED))
        scale = self._of(block, "SCALE", "-", 1.0)
        coherency = self._of(block, "COHERENCY", "-", 1.0)
        if not end > start or seed < 0:
            self.report.error(block.line, "[IRREGULARITIES] ENDING_S", f"found {end:g} m; must lie behind {start:g} m")
            return None
        sided = self._word(block.get("PSD_SIDED"), "TWO", ("ONE", "TWO"))
        if fft:
            factor = 1.0 if sided == "ONE" else 2.0
            tracks = synthesise(
                lambda w: factor * scale**2 * left(w),
                end - start,
                right=lambda w: factor * scale**2 * right(w),
                coherency=min(max(coherency, 0.0), 1.0),
                phase=phase,
                n_min=first / (2 * math.pi),
                n_max=last / (2 * math.pi),
                start=start,
                seed=seed,
            )
            return (
                tracks.curves()
                if self._covers(start, end, length)
                else tracks.faded(min(5.0, 0.1 * (end - start))).curves()
            )
        if coherency not in (0.0, 1.0):
            found = block.get("COHERENCY")
            line = found.line if found is not None else block.line
            self.report.warning(
                line, "[IRREGULARITIES] COHERENCY", f"found {coherency:g}; only 0 and 1 act, with SYNTHESIS = 'FFT' any"
            )
        assert count is not None
        tracks = waves(
            left,
            right,
            first,
            last,
            int(self._number(count, "-", 2)),
            end - start,
            coherent=coherency >= 0.5,
            phase=phase,
            one_sided=sided == "ONE",
            scale=scale,
            start=start,
            seed=seed,
            legacy=self._of(block, "RNG_ALGORITHM", "-", 1.0) == 0.0,
        )
        return self._limited(tracks)

    @staticmethod
    def _covers(start: float, end: float, length: float) -> bool:
        return start <= 0 and end >= length

    @staticmethod
    def _limited(tracks: Tracks) -> tuple[Samples, Samples]:
        """Zero outside the interval. Steps at its ends are in the format; they are ramped over one sample."""
        left, right = (np.concatenate([[0.0], t, [0.0]]) for t in (tracks.left, tracks.right))
        start = tracks.start - tracks.step
        return Samples(start, tracks.step, left), Samples(start, tracks.step, right)

    # -- extrusion ----------------------------------------------------------------------------------------
    def _extrusion(self) -> Road | None:
        found = self._centre_line(self._step())
        along, across = self.file.block("CENTERLINE_PROPERTIES"), self.file.block("SECTION_PROPERTIES")
        assert along is not None and across is not None
        rows = self._columns(
            along.sub_block("PROPERTIES"),
            "[CENTERLINE_PROPERTIES] (PROPERTIES)",
            ("m", "-", "rad", "rad", "rad", "-", "-", "-", "-"),
        )
        sections = self._sections(across)
        absolute = self._flag(across.get("ABSOLUTE_ORIENTATION"), False)
        if found is None or rows is None or sections is None or self.report.errors:
            return None
        s, ori, a1, a2, a3, scale_u, scale_v, friction, which = rows
        place = "[CENTERLINE_PROPERTIES] (PROPERTIES)"
        sub = along.sub_block("PROPERTIES")
        assert sub is not None
        self._not_negative(friction, sub, place, "the friction")
        if len(s) > 1 and not self._ascending(s, sub, place):
            return None
        if ori.any():
            self.report.error(sub.line, place, f"found ori = {ori[ori != 0][0]:g}; known: 0, Euler angles")
        bad = (which != np.round(which)) | (which < 1) | (which > len(sections))
        if bad.any():
            found_number = which[np.argmax(bad)]
            self.report.error(sub.line, place, f"found section {found_number:g}; there are {len(sections)}")
        if self.report.errors:
            return None
        if not self._flag(across.get("VARIABLE_SECTION"), True):
            s, a1, a2, a3, scale_u, scale_v, friction, which = (
                c[:1] for c in (s, a1, a2, a3, scale_u, scale_v, friction, which)
            )
        skew = absolute or bool(a2.any() or a3.any())
        points, mu = [], []
        for i in range(len(s)):
            u, v, strip = sections[int(which[i]) - 1]
            u, v = scale_u[i] * u, scale_v[i] * v
            c, sn = (1.0, 0.0) if skew else (math.cos(a1[i]), math.sin(a1[i]))
            points.append(np.column_stack([c * u - sn * v, sn * u + c * v]))
            mu.append(friction[i] * (strip[:-1] + strip[1:]))
        stations, table = self._segmented(along, s, np.array(points))
        sums = np.array(mu)
        strips = 0.25 * (sums + np.vstack([sums[1:], sums[-1:]]))
        strips[-1] = strips[-2] if len(strips) > 1 else 0.5 * sums[-1]
        # every part of a divided interval has the friction of the interval
        strips = strips[np.clip(np.searchsorted(s, stations, side="right") - 1, 0, max(len(s) - 2, 0))]
        safe = self._flag(self._global("OUTBOUND_SAFE"), True)
        if skew:
            turned = np.column_stack([a1, a2, a3])
            return self._skew(found[0], CrossSection(stations, table, strips), s, turned, absolute, safe)
        edge = float(np.max(np.abs(table[:, :, 0])))
        side, end = self._beside(*(("hold", "hold") if safe else ("none", "zero")))
        return LineRoad(
            path=found[0],
            left=edge,
            right=edge,
            section=CrossSection(stations, table, strips, constant=True),
            side=side,
            end=end,
            frame=self._frame(),
            name=self._name(),
        )

    def _skew(
        self, path: Path, section: CrossSection, s: Array, angles: Array, absolute: bool, hold: bool
    ) -> Road | None:
        """Sections that do not lie across the line, as triangles (1, 2)."""
        stations, table, strips = section.stations, section.points, np.asarray(section.friction)
        count = math.ceil(path.length / self._step()) + 1
        fine = np.unique(np.concatenate([np.linspace(0.0, path.length, count), stations]))
        fine = fine[(fine >= 0) & (fine <= path.length)]
        flat = table.reshape(len(stations), -1)
        uv = np.column_stack([np.interp(fine, stations, column) for column in flat.T])
        uv = uv.reshape(len(fine), *table.shape[1:])
        a1, a2, a3 = (np.interp(fine, s, column) for column in angles.T)
        psi = a3 if absolute else a3 + path.at(fine, "heading")
        if not absolute and path.bank is not None:
            a1 = a1 + np.arctan(path.at(fine, "bank"))
        c1, s1, c2, s2, c3, s3 = (f(a) for a in (a1, a2, psi) for f in (np.cos, np.sin))
        to_left = np.stack([c3 * s2 * s1 - s3 * c1, s3 * s2 * s1 + c3 * c1, c2 * s1], axis=1)  # R e_y
        upwards = np.stack([c3 * s2 * c1 + s3 * s1, s3 * s2 * c1 - c3 * s1, c2 * c1], axis=1)  # R e_z
        centre = path.at(fine)
        grid = centre[:, None] + uv[:, :, :1] * to_left[:, None] + uv[:, :, 1:] * upwards[:, None]
        n, k = grid.shape[:2]
        i, j = (index.ravel() for index in np.meshgrid(np.arange(n - 1), np.arange(k - 1), indexing="ij"))
        corner = i * k + j
        halves = (corner, corner + k, corner + k + 1), (corner, corner + k + 1, corner + 1)
        triangles = np.stack([np.column_stack(half) for half in halves], axis=1).reshape(-1, 3)
        points = grid.reshape(-1, 3)
        a, b, c = (points[triangles[:, m], :2] for m in range(3))
        area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
        if (area <= 0).any():
            at = fine[i[int(np.argmax(area <= 0)) // 2]]
            self.report.error(
                0, "[SECTION_PROPERTIES] ABSOLUTE_ORIENTATION", f"sections cross each other near s = {at:g} m"
            )
            return None
        row = np.clip(np.searchsorted(stations, 0.5 * (fine[:-1] + fine[1:]), side="right") - 1, 0, len(strips) - 1)
        friction = np.repeat(strips[row[i], j], 2)
        return MeshRoad(
            points=points,
            triangles=triangles.astype(np.int32),
            friction=friction,
            hold=hold,
            frame=self._frame(),
            name=self._name(),
        )

    def _sections(self, across: Block) -> list[tuple[Array, Array, Array]] | None:
        """(u, v, friction) of the sections that the list names."""
        listed = across.sub_block("LIST")
        if listed is None or listed.table is None or not listed.table.rows:
            self.report.error(across.line, "[SECTION_PROPERTIES] (LIST)", "is missing; it names the sections")
            return None
        wanted = self._of(across, "POINTS", "-", 0.0)
        out = []
        for row in listed.table.rows:
            name = str(row[0]).strip()
            block = self.file.block(name)
            if block is None:
                self.report.error(listed.line, "[SECTION_PROPERTIES] (LIST)", f"names {name!r}, which is not there")
                continue
            columns = self._columns(block, f"[{name}]", ("m", "m", "-"), 2)
            if columns is None:
                continue
            if wanted and len(columns[0]) != wanted:
                self.report.error(block.line, f"[{name}]", f"found {len(columns[0])} points; POINTS = {wanted:g}")
            if not np.all(np.diff(columns[0]) > 0):
                self.report.error(block.line, f"[{name}]", "u must ascend, from right to left")
            self._not_negative(columns[2], block, f"[{name}]", "the friction")
            out.append((columns[0], columns[1], columns[2]))
        if len({len(c[0]) for c in out}) > 1:
            self.report.error(across.line, "[SECTION_PROPERTIES]", "the sections have different numbers of points")
        if self.report.errors:
            return None
        return [self._across(across, *section) for section in out]

    def _across(self, across: Block, u: Array, v: Array, mu: Array) -> tuple[Array, Array, Array]:
        """A section with more points between its own, when asked for."""
        fine = self._division(across, u, _SHAPES)
        if fine is None:
            return u, v, mu
        return fine, _interpolated(self._shape(across), u, v[:, None], fine)[:, 0], np.interp(fine, u, mu)

    def _segmented(self, along: Block, s: Array, points: Array) -> tuple[Array, Array]:
        """Sections at more stations between the given ones, when asked for."""
        fine = self._division(along, s, _SHAPES) if len(s) > 1 else None
        if fine is None:
            return s, points
        flat = _interpolated(self._shape(along), s, points.reshape(len(s), -1), fine)
        return fine, flat.reshape(len(fine), *points.shape[1:])

    def _shape(self, block: Block) -> str:
        return self._word(block.get("INTERPOLATION"), "BASIC", _SHAPES)

    def _division(self, block: Block, at: Array, shapes: Sequence[str]) -> Array | None:
        mode = self._word(block.get("SEGMENTATION"), "NONE", ("NONE", "AUTO", "DIMENSION", "STEP"))
        if mode == "NONE" or self._shape(block) in shapes[:2]:
            return None  # straight lines need no more points
        segment = self._of(block, "SEGMENT", "m" if mode == "DIMENSION" else "-", 0.0)
        if mode == "AUTO":
            segment = float(np.min(np.diff(at))) / 8
        elif not segment > 0:
            self.report.error(block.line, f"[{block.name}] SEGMENT", f"found {segment:g}; must be > 0")
            return None
        parts = []
        wanted = [segment if mode == "STEP" else math.ceil(float(gap) / segment - 1e-9) for gap in np.diff(at)]
        if sum(wanted) > MOST_PARTS:
            self.report.error(
                block.line, f"[{block.name}] SEGMENT", f"found {segment:g}: {sum(wanted):.3g} parts are too many"
            )
            return None
        for (a, b), n in zip(itertools.pairwise(at), wanted, strict=True):
            parts.append(np.linspace(a, b, max(1, round(n)) + 1))
        return np.unique(np.concatenate(parts))

    # -- mesh ---------------------------------------------------------------------------------------------
    def _mesh(self) -> Road | None:
        nodes, elements = self.file.block("NODES"), self.file.block("ELEMENTS")
        columns = self._columns(nodes, "[NODES]", ("-", "m", "m", "m"), 3)
        faces = self._columns(elements, "[ELEMENTS]", ("-", "-", "-", "-"), 1)
        if columns is None or faces is None:
            return None
        assert nodes is not None and elements is not None and elements.table is not None
        whole = [self._whole(columns[0], nodes, "[NODES]", "the node")]
        whole += [self._whole(c, elements, "[ELEMENTS]", "the node") for c in faces[:3]]
        if not all(whole):
            return None
        ids = columns[0].astype(np.int64)
        order = np.argsort(ids, kind="stable")
        if len(np.unique(ids)) != len(ids):
            self.report.error(nodes.line, "[NODES]", "found a node number twice")
            return None
        named = np.column_stack(faces[:3]).astype(np.int64)
        at = np.clip(np.searchsorted(ids[order], named), 0, len(ids) - 1)
        triangles = order[at]
        unknown = (ids[triangles] != named).any(axis=1)
        lines = elements.table.lines
        line_of = [r.line for r in lines] if len(lines) == len(named) else [elements.table.line] * len(named)
        for i in np.flatnonzero(unknown)[:20]:
            self.report.error(
                line_of[i], "[ELEMENTS]", f"found nodes {named[i].tolist()}; not all of them are in [NODES]"
            )
        friction, material = self._surface(faces[3], line_of, elements)
        if self.report.errors:
            return None
        points = np.column_stack(columns[1:])
        self._check_mesh(points, triangles, line_of)
        if self.report.errors:
            return None
        cell = self._number(self._global("MESH_LOOKUP_CELL_SIZE"), "m", 1.0)
        road: Road = MeshRoad(
            points=points,
            triangles=triangles.astype(np.int32),
            friction=friction,
            material=material,
            hold=self._flag(self._global("OUTBOUND_SAFE"), True),
            tolerance=self._number(self._global("MESH_LOOKUP_ZTOL"), "m", 0.1),
            cell=cell if cell > 0 else None,
            frame=self._frame(),
            name=self._name(),
        )
        return self._rough_mesh(road)

    def _surface(self, last: Array, lines: list[int], elements: Section) -> tuple[Any, Any]:
        """Friction and materials of the elements."""
        if self._number(self._global("MATERIALS_MODE"), "-", 0.0) != 1.0:
            if (last < 0).any():
                self.report.error(lines[int(np.argmax(last < 0))], "[ELEMENTS]", "found a negative friction")
            return last, None
        block = self._block("MATERIALS")
        columns = self._columns(block, "[MATERIALS]", ("-", "-"))
        if columns is None or block is None:
            return 1.0, None
        self._not_negative(columns[1], block, "[MATERIALS]", "the friction")
        if not (
            self._whole(columns[0], block, "[MATERIALS]", "the material")
            and self._whole(last, elements, "[ELEMENTS]", "the material")
        ):
            return 1.0, None
        known = {int(i): float(mu) for i, mu in zip(*columns, strict=True)}
        material = last.astype(np.int32)
        for i in np.flatnonzero(~np.isin(material, list(known)))[:20]:
            self.report.error(lines[i], "[ELEMENTS]", f"found material {material[i]}; [MATERIALS] has {sorted(known)}")
        return np.array([known.get(int(m), 1.0) for m in material]), material

    def _check_mesh(self, points: Array, triangles: npt.NDArray[Any], lines: list[int]) -> None:
        strict = self._flag(self._global("MESH_CHECK"), False)
        for finding in check_mesh(points, triangles):
            line = lines[finding.places[0]] if finding.kind != "hole" else 0
            say = self.report.error if strict and finding.kind != "hole" else self.report.warning
            if strict and finding.kind == "hole":
                say = self.report.error
            say(line, "[ELEMENTS]", f"{finding.kind}: {finding.message}")

    def _rough_mesh(self, road: Road) -> Road:
        block = self.file.block("TRACK_PATH")
        if self._word(self._global("IRREGULARITIES"), "FLAT") in ("FLAT", "NONE", "FALSE"):
            return road
        if block is None:
            self.report.warning(0, "[GLOBAL] IRREGULARITIES", "no effect: a mesh needs [TRACK_PATH] for them")
            return road
        path = self._track(block)
        if path is None:
            return road
        tracks = self._unevenness(path.length)
        if tracks is None:
            return road
        relative = self._word(block.get("REFERENCE"), "RELATIVE", ("RELATIVE", "ABSOLUTE")) == "RELATIVE"
        flat = replace(path, z=np.zeros(len(path.s)))
        feature = LineRoad(path=flat, unevenness=tracks, use_path=False, frame=self._frame() if relative else Frame())
        return Sum(base=road, features=[feature], name=road.name)

    def _track(self, block: Block) -> Path | None:
        if self._word(block.get("TYPE"), "NUMERIC_DATA", ("NUMERIC_DATA", "DRD_FILE")) == "DRD_FILE":
            from jounce.files.drd import read_drd

            name = block.get("FILE_NAME")
            if name is None:
                self.report.error(block.line, "[TRACK_PATH] FILE_NAME", "is missing")
                return None
            try:
                return read_drd(resolve(str(name.value), self.report.path, self.databases)).path()
            except FormatError as error:
                self.report.error(name.line, "[TRACK_PATH] FILE_NAME", str(error))
                return None
        columns = self._columns(block.sub_block("TABLE") or block, "[TRACK_PATH] (TABLE)", ("m", "m", "m"), 2)
        return None if columns is None else Path.from_points(np.column_stack(columns))

    # -- files that name others ---------------------------------------------------------------------------
    def _composite(self) -> Road | None:
        if self._depth >= 4:
            raise FormatError(f"{self.report.path}: more than four roads that name each other")
        block = self.file.block("ROAD_DATA")
        assert block is not None
        name = block.get("FILE_NAME")
        if name is None:
            self.report.error(block.line, "[ROAD_DATA] FILE_NAME", "is missing")
            return None
        inner = resolve(str(name.value), self.report.path, self.databases)
        try:
            file = PropertyFile.read(inner)
            below = RdfFile.__new__(RdfFile)
            below._composed(file, self.file, self.databases, self._depth + 1)
        except FormatError as error:
            self.report.error(name.line, "[ROAD_DATA] FILE_NAME", str(error))
            return None
        self.report.problems += [p for p in below.report.problems if p.level != "error"]
        return below._road

    def _composed(
        self, file: PropertyFile, overrides: PropertyFile, databases: dict[str, FilePath] | None, depth: int
    ) -> None:
        """Read a mesh with some blocks replaced by those of a composite road."""
        self.file, self.report, self.databases, self._depth = file, file.report, databases, depth
        upgrade_rdf(file)
        self._check_header()
        self._check_units()
        self.units = read_units(file, self.report)
        self._note_units()
        self.kind = self._kind()
        if self.kind != "MESH":
            self.report.error(0, "[MODEL] TYPE", f"found {self.kind}; a composite road takes a MESH")
        self.report.raise_if_errors()
        self._overrides = overrides
        with reading(self.report.path):
            self._road = self._build()
        self.report.raise_if_errors()

    def _crg(self) -> Road | None:
        block = self.file.block("OPEN_CRG")
        assert block is not None
        name = block.get("FILE")
        if name is None:
            self.report.error(block.line, "[OPEN_CRG] FILE", "is missing")
            return None
        points = self._flag(block.get("MPC_ACTIVE"), True)
        mu = self._friction(self.file.block("FRICTION"), "GLOBAL")
        modifiers = self._flag(block.get("APPLY_MODIFIERS"), True)
        try:
            found = read_crg(resolve(str(name.value), self.report.path, self.databases))
            road = found.road(apply_modifiers=modifiers, friction=mu, name=self._name())
        except FormatError as error:
            self.report.error(name.line, "[OPEN_CRG] FILE", str(error))
            return None
        spacing = max(road.du, float(np.min(np.diff(road.v))), LEAST_SPACING)
        return replace(road, frame=self._frame(), normals="points" if points else "vertical", spacing=spacing)


_SHAPES = ("BASIC", "LINEAR", "CUBIC_SPLINE", "QUINTIC_SPLINE")


def _interpolated(shape: str, at: Array, values: Array, fine: Array) -> Array:
    from scipy.interpolate import make_interp_spline

    degree = min({"CUBIC_SPLINE": 3, "QUINTIC_SPLINE": 5}[shape], len(at) - 1)
    if degree % 2 == 0:
        degree -= 1  # even degrees have their knots elsewhere
    return np.asarray(make_interp_spline(at, values, k=max(degree, 1))(fine))


def _factor(units: Units, unit: str) -> float:
    """SI factor; also of the quantities that only roads have."""
    if unit == "1/m":
        return 1 / units.factor("m")
    if unit == "m3":
        return units.factor("m") ** 3
    return units.factor(unit)


# --- writing a road as a new file -----------------------------------------------------------------------------------


def rdf_text(road: Road, *, crg: str = "", comment: str = "", tolerance: float | None = None) -> str:
    """A road as a road property file, SI units.

    Flat roads, roads along a line (as MEASURED; with cross-sections as EXTRUSION), meshes, and grids, whose OpenCRG
    file ``crg`` must be written beside it (``write_crg``). With a ``tolerance``, m, any other road, such as one with
    bumps and holes, is written as a mesh that is so near to it (``road.meshing``).
    """
    try:
        return _rdf_text(road, crg, comment)
    except ParameterError:
        if tolerance is None:
            raise
        return _rdf_text(mesh_of(road, tolerance=tolerance), crg, comment)


def _rdf_text(road: Road, crg: str, comment: str) -> str:
    file = PropertyFile()
    if comment:
        file.add_comment(comment)
    header = file.add_block("MDI_HEADER")
    header.set("FILE_TYPE", "rdf")
    header.set("FILE_VERSION", 12)
    header.set("FILE_FORMAT", "ASCII")
    write_units(file)
    model, general = file.add_block("MODEL"), file.add_block("GLOBAL")
    model.set("METHOD", "USER")
    f = road.frame
    if f.height_scale != 1.0 or f.friction_scale != 1.0:
        raise ParameterError("RDF: a road with scaled heights or friction cannot be written")
    for key, value in (("X", f.x), ("Y", f.y), ("Z", f.z), ("A3", f.heading)):
        if value:
            general.set(f"ORIGIN_{key}", value)
    if road.smoothing_time:
        general.set("SMOOTHING_TIME", road.smoothing_time)
    if not road.warns:
        general.set("EVENT_CHECK", "FALSE")
    single = isinstance(road, MeshRoad | GridRoad)
    model.set("FUNCTION_NAME", "VITOOLS::VI_ROADSINGLE" if single else "vitools::vi_road")
    if isinstance(road, Flat):
        _write_flat(file, model, road)
    elif isinstance(road, MeshRoad):
        _write_mesh(file, model, general, road)
    elif isinstance(road, GridRoad):
        if not crg:
            raise ParameterError("RDF: a grid road needs the name of its OpenCRG file: crg=…")
        model.set("TYPE", "OPEN_CRG")
        block = file.add_block("OPEN_CRG")
        block.set("FILE", crg)
        block.set("APPLY_MODIFIERS", "TRUE")
        if np.ndim(road.friction):
            raise ParameterError("RDF: friction that varies over a grid cannot be written")
        file.add_block("FRICTION").set("GLOBAL", float(np.asarray(road.friction)))
    elif isinstance(road, LineRoad):
        _write_line(file, model, general, road)
    else:
        raise ParameterError(
            f"RDF: a {type(road).__name__} road cannot be written as it is; with tolerance=0.001 it becomes a mesh "
            "that is so near to it, m"
        )
    return file.text()


def write_rdf(road: Road, path: str | FilePath, **options: Any) -> None:
    """Write a road; ``options`` as for `rdf_text`. A grid is written as an OpenCRG file beside it."""
    target = FilePath(path)
    if isinstance(road, GridRoad) and not options.get("crg"):
        from jounce.files.crg import write_crg

        options["crg"] = target.with_suffix(".crg").name
        text = rdf_text(road, **options)
        write_crg(replace(road, frame=Frame()), target.with_suffix(".crg"), format="KDBI")
        write_atomically(target, text)
        return
    write_atomically(target, rdf_text(road, **options))


def _write_flat(file: PropertyFile, model: Block, road: Flat) -> None:
    if road.grade or road.bank or math.isfinite(road.length) or math.isfinite(road.width):
        raise ParameterError(
            "RDF: an inclined or limited plane cannot be written as FLAT; with tolerance=0.001 it becomes a mesh"
        )
    model.set("TYPE", "FLAT")
    size = file.add_block("FLAT_GEOMETRY")
    for key, value in zip(("X_DIMENSION", "Y_DIMENSION"), road.drawn or (100.0, 100.0), strict=True):
        size.set(key, value)
    file.add_block("FRICTION").set("GLOBAL", road.friction)


def _write_mesh(file: PropertyFile, model: Block, general: Block, road: MeshRoad) -> None:
    model.set("TYPE", "MESH")
    general.set("OUTBOUND_SAFE", "TRUE" if road.hold else "FALSE")
    general.set("MESH_LOOKUP_ZTOL", road.tolerance)
    points = road.points
    rows = ([float(i + 1), *map(float, p)] for i, p in enumerate(points))
    file.add_block("NODES").add_table(["id", "x_coord", "y_coord", "z_coord"], rows)
    mu = np.broadcast_to(np.asarray(road.friction, dtype=float), (len(road.triangles),))
    last = mu
    if road.material is not None:
        names, first = np.unique(road.material, return_index=True)
        if all(np.ptp(mu[road.material == name]) == 0 for name in names):
            general.set("MATERIALS_MODE", 1)
            last = road.material.astype(float)
            file.add_block("MATERIALS").add_table(
                ["id", "mu"], ([float(n), float(mu[i])] for n, i in zip(names, first, strict=True))
            )
    faces = ([*(float(k + 1) for k in t), float(m)] for t, m in zip(road.triangles, last, strict=True))
    file.add_block("ELEMENTS").add_table(["n1", "n2", "n3", "mu"], faces)


def _write_line(file: PropertyFile, model: Block, general: Block, road: LineRoad) -> None:
    path = road.path
    z = road.heights(path.s) if road.heights is not None else np.zeros(len(path.s))
    bank = road.banks(path.s) if road.banks is not None else np.zeros(len(path.s))
    if road.features:
        raise ParameterError(
            f"RDF: {len(road.features)} features on a line (bumps, holes, patches) cannot be written as they are; with "
            "tolerance=0.001 the road becomes a mesh that is so near to it, m"
        )
    general.set("OUTBOUND_SAFE", "FALSE" if road.side == "none" else "TRUE")
    usual = ("none", "zero") if road.side == "none" else ("hold" if road.section is not None else "widen", "hold")
    if road.side != usual[0]:
        general.set("BESIDE", road.side.upper())
    if road.end != usual[1]:
        general.set("BEYOND_END", road.end.upper())
    general.set("DISCRETIZATION_STEP", path.step)
    rows = (list(map(float, r)) for r in zip(path.x, path.y, z, np.arctan(bank), strict=True))
    if road.section is not None:
        _write_sections(file, model, road)
    else:
        model.set("TYPE", "MEASURED")
        _write_sides(file, general, road)
    file.add_block("MEASURED_CENTERLINE").add_table(["x_coord", "y_coord", "z_coord", "bank_angle"], rows)


def _table_places(path: Path, *curves: Curve) -> Array:
    """Places at which curves of straight lines change, within the road."""
    knots = np.concatenate([[0.0, path.length], *(c.knots for c in curves)])
    return np.unique(np.clip(knots, 0.0, path.length))


def _write_sides(file: PropertyFile, general: Block, road: LineRoad) -> None:
    left, right = road.edges
    if any(np.any(c.pieces[:, 2:] != 0) for c in (left, right)) and not np.allclose(
        left(road.path.s), right(road.path.s)
    ):
        raise ParameterError("RDF: widths that vary and differ between left and right cannot be written")
    if np.any(left.pieces[:, 2:] != 0):
        s = _table_places(road.path, left)
        width = [[float(a), float(2 * b)] for a, b in zip(s, left(s), strict=True)]
        file.add_block("WIDTH_TABLE").add_table(["track_s", "width"], width)
    else:
        block = file.add_block("WIDTH")
        block.set("LEFT_SIDE_WIDTH", float(left(0.0)))
        block.set("RIGHT_SIDE_WIDTH", float(right(0.0)))
    from jounce.road.curve import as_curve

    mu_left = as_curve(road.friction, "friction")
    mu_right = mu_left if road.friction_right is None else as_curve(road.friction_right, "friction")
    if np.any(mu_left.pieces[:, 2:] != 0) or np.any(mu_right.pieces[:, 2:] != 0):
        general.set("FRICTION", "TABLE")
        s = _table_places(road.path, mu_left, mu_right)
        rows = [[float(v) for v in r] for r in zip(s, mu_left(s), mu_right(s), strict=True)]
        file.add_block("FRICTION_TABLE").add_table(["track_s", "frictionL", "frictionR"], rows)
    else:
        block = file.add_block("FRICTION")
        block.set("LEFT_SIDE_MU", float(mu_left(0.0)))
        block.set("RIGHT_SIDE_MU", float(mu_right(0.0)))
    names = ["track_s", "slope_1[%]", "width_1", "friction1", "slope_2[%]", "width_2", "friction2"]
    for side, kerb in (("LEFT", road.kerb_left), ("RIGHT", road.kerb_right)):
        if kerb is None:
            continue
        general.set(f"{side}_EDGE", "KERB")
        columns = [kerb.s, 100 * kerb.slope_1, kerb.width_1, kerb.friction_1]
        columns += [100 * kerb.slope_2, kerb.width_2, kerb.friction_2]
        rows = [[float(v) for v in r] for r in zip(*columns, strict=True)]
        file.add_block(f"{side}_KERB_GEOMETRY").add_table(names, rows)
    _write_unevenness(file, general, road)


def _write_unevenness(file: PropertyFile, general: Block, road: LineRoad) -> None:
    left, right = road.unevenness
    if left is None and right is None:
        return
    places, columns = [np.array([0.0, road.path.length])], []
    for curve in (left, right):
        if isinstance(curve, Samples):
            places.append(curve.start + curve.step * np.arange(len(curve.values)))
        elif curve is not None:
            places.append(curve.knots)
    s = np.unique(np.concatenate(places))
    for curve in (left, right):
        if curve is None:
            columns.append(np.zeros(len(s)))
        elif isinstance(curve, Samples):
            grid = curve.start + curve.step * np.arange(len(curve.values))
            columns.append(np.interp(s, grid, curve.values, left=0.0, right=0.0))
        else:
            columns.append(curve(s))
    general.set("IRREGULARITIES", "MEASURED_STD")
    file.add_block("IRREGULARITIES").set("MODEL", "MEASURED_STD")
    rows = [[float(v) for v in r] for r in zip(s, *columns, strict=True)]
    file.add_block("MEASURED_IRREGULARITIES").add_table(["s", "left_z", "right_z"], rows)


def _write_sections(file: PropertyFile, model: Block, road: LineRoad) -> None:
    section = road.section
    assert section is not None
    model.set("TYPE", "EXTRUSION")
    m, k = np.shape(section.points)[:2]
    along = file.add_block("CENTERLINE_PROPERTIES")
    along.set("SEGMENTATION", "NONE")
    along.set("INTERPOLATION", "BASIC")
    along.set("SEGMENT", 0)
    rows = [[float(s), 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, float(i + 1)] for i, s in enumerate(section.stations)]
    names = ["s", "ori", "a1", "a2", "a3", "scale1", "scale2", "friction", "section"]
    along.add_sub_block("PROPERTIES").add_table(names, rows)
    across = file.add_block("SECTION_PROPERTIES")
    across.set("SEGMENTATION", "NONE")
    across.set("INTERPOLATION", "BASIC")
    across.set("SEGMENT", 0)
    across.set("ABSOLUTE_ORIENTATION", "FALSE")
    across.set("POINTS", k)
    across.set("VARIABLE_SECTION", "TRUE" if m > 1 else "FALSE")
    across.add_sub_block("LIST").add_table(["name"], [[f"SECTION_{i + 1}"] for i in range(m)])
    if section.friction is not None and np.ptp(np.asarray(section.friction)) > 0:
        raise ParameterError("RDF: friction of strips cannot be written back to points of sections")
    mu = 1.0 if section.friction is None else float(np.asarray(section.friction).flat[0])
    for i, points in enumerate(section.points):
        block = file.add_block(f"SECTION_{i + 1}")
        block.add_table(["u", "v", "friction"], ([float(u), float(v), mu] for u, v in points))
