"""TIR: tire property files. The model is chosen by the file; what is read is written back to the letter.

Which model a file means is decided by [MODEL]: PROPERTY_FILE_FORMAT; where that says 'USER', by FUNCTION_NAME,
then MODEL_TYPE, then USER_SUB_ID; among the versions of MF-Tyre by FITTYP:

    PAC2002; MF_05 (FITTYP 6, 21, 52: MF 5.2)                     jounce.components.tire.pac2002
    MF-TYRE, MF_61, MF_62, TYR815, 815 with FITTYP 61, 62         mf6
    USER, vi_tire, MODEL_TYPE PAC_MC                              pac_mc
    FIALA                                                         fiala
    USER, jounce::NAME                                            the registered model NAME, such as linear and table
    USER, library::function; file.py::Class; FTIRE, CDTIRE, …     outside of the package: jounce.files.tir_user

Units. [UNITS] applies to the numbers that have a dimension (speeds, radii, stiffness, damping, loads, ranges of slip
angle and inclination). Coefficients of the formula are those of SI units and radians, whatever the file's units are:
that is how such files are made. Axes and signs are those of docs/conventions.md (ISO): nothing is turned.

What the reader does with what it finds is in ``TirFile.report``: errors are raised all at once; a warning where
something that would change forces is not used; infos for defaults that were taken and keys that were kept.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np

from jounce.components.tire import adapters
from jounce.components.tire.base import FILE_BLOCKS, ONLY_TO_DRIVE, Coefficient, Tire, TireModel
from jounce.components.tire.pac2002 import PRESSURE_TERMS
from jounce.components.tire.registry import find, names
from jounce.components.tire.swift_mode import decode_swift_mode, own_remarks
from jounce.core.errors import FormatError, JounceError, ParameterError, did_you_mean
from jounce.core.tables import Table
from jounce.core.writing import write_atomically
from jounce.files import tir_user
from jounce.files.file_units import DIMENSIONS, Units, column_factor, read_units, write_units
from jounce.files.problems import Problem, Report
from jounce.files.property_file import Attribute, Block, PropertyFile, Section
from jounce.files.property_file import Table as FileTable
from jounce.files.spelling import close

HEADERS = ("MDI_HEADER", "VIGRADE_HEADER", "ALTAIR_HEADER", "HEADER")
CURVES = {"DEFLECTION_LOAD_CURVE": "deflection", "BOTTOMING_CURVE": "bottoming"}
TABLES = ("SECTION_PROFILE_TABLE", "SPEED_RADIUS_LOAD_DATA", "FORCE_TABLE")
# Understood as text, not used by the models that exist.
WITHOUT_EFFECT = {
    "SHAPE": "the contact is that of a thin disc or of [SECTION_PROFILE_TABLE]",
    "INERTIA": "mass and inertia belong to the wheel of the vehicle",
    "CONTACT_PATCH": "the contact is a point",
}
COEFFICIENT_BLOCKS = (
    *("SCALING_COEFFICIENTS", "LONGITUDINAL_COEFFICIENTS", "LATERAL_COEFFICIENTS", "ALIGNING_COEFFICIENTS"),
    *("ROLLING_COEFFICIENTS", "OVERTURNING_COEFFICIENTS", "TURNSLIP_COEFFICIENTS", "PARAMETER", "STRUCTURAL"),
    *("OPERATING_CONDITIONS", "TIRE_CONDITIONS", "INFLATION_PRESSURE_RANGE", "LOADED_RADIUS_COEFFICIENTS"),
)
KNOWN_BLOCKS = frozenset({*HEADERS, *FILE_BLOCKS, *CURVES, *TABLES, *WITHOUT_EFFECT, *COEFFICIENT_BLOCKS})
PARSED_BLOCKS = KNOWN_BLOCKS - {"SHAPE"}  # often a table without a header; nobody needs it
SIZES = {"WIDTH": "m", "RIM_WIDTH": "m", "ASPECT_RATIO": "-"}
# Switches of [MODEL] that mean other forces when they say 'YES'.
SWITCHES = {
    "BELT_DYNAMICS": "the belt has no mass of its own here",
    "FE_METHOD": "combined slip is that of the coefficients RBX1 … RVY6, not of the friction ellipse",
}
MODEL_KEYS = frozenset(
    {
        *("PROPERTY_FILE_FORMAT", "FUNCTION_NAME", "MODEL_TYPE", "INTERFACE_TYPE", "USER_SUB_ID", "USE_MODE"),
        *("LONSLIP_MODE", "TYRESIDE", "CP2WC_MODE", "CALLING_APP_CHECK", "LEGACY_FORMULATION", "FITTYP", "TYPE"),
        *SWITCHES,
        *tir_user.KEYS,
    }
)
SIDES = ("LEFT", "RIGHT", "SYMMETRIC")
UNKNOWN_SIDES = ("UNKNOWN", "UNDEFINED", "NONE")
LARGEST = 1e40  # files write 1e30 for "rigid"; products of four stay finite
STIFFNESSES = ("LONGITUDINAL_STIFFNESS", "LATERAL_STIFFNESS")
RELAXATION = frozenset({"PTX1", "PTX2", "PTX3", "PTY1", "PTY2"})  # of MF 5, in files of MF 6 as well
_FOR_RELAXATION = ("FNOMIN", "UNLOADED_RADIUS", "PKX1", "PKY1", "PKY2")
# Numbers of a block that must be there are written even at their default, but for these.
SELDOM = frozenset({"BOTTOM_STIFF", "BOTTOM_OFFST"})
POSITIVE = (
    *("UNLOADED_RADIUS", "VERTICAL_STIFFNESS", "FNOMIN", "LFZO", "LMUX", "LMUY", "PCX1", "PKX1", "PCY1", "PKY2"),
    *("LONGITUDINAL_STIFFNESS", "LATERAL_STIFFNESS", "NOMPRES", "LCZ", "LIP", "CSLIP", "CALPHA", "UMAX"),
    "FRICTION",
)
NOT_NEGATIVE = (
    *("VERTICAL_DAMPING", "FZMIN", "VXLOW", "LONGVL", "BOTTOM_STIFF", "RIM_RADIUS", "LSGKP", "LSGAL"),
    *("UMIN", "RELAX_LENGTH_X", "RELAX_LENGTH_Y", "ROLLING_RESISTANCE", "IP", "IP_NOM"),
)
RISING = (
    *(("KPUMIN", "KPUMAX"), ("ALPMIN", "ALPMAX"), ("CAMMIN", "CAMMAX"), ("FZMIN", "FZMAX")),
    ("PRESMIN", "PRESMAX"),
)

# Families by the words of files -> name of the model and what else is known of its structure.
FAMILIES: dict[str, tuple[str, dict[str, Any]]] = {
    "PAC2002": ("pac2002", {"variant": "PAC2002"}),
    "MF_05": ("pac2002", {"variant": "MF_05"}),
    "MF_52": ("pac2002", {"variant": "MF_52"}),
    "MF_61": ("mf6", {"version": 61}),
    "MF_62": ("mf6", {"version": 62}),
    "PAC_MC": ("pac_mc", {}),
    "FIALA": ("fiala", {}),
}
# Families that are recognised, with the words for the message.
LATER = {
    "PAC89": "Pacejka '89",
    "PAC94": "Pacejka '94",
    "5.2.1": "Delft-Tyre 5.2.1 (an early PAC2002)",
    "UA": "University of Arizona tire",
    "PAC_CT": "PAC_CT",
    "VI_TIRE": "VI_TIRE",
}
_FITTYP = {
    **dict.fromkeys((5, 50, 51), "MF_05"),
    **dict.fromkeys((6, 21, 52), "MF_52"),
    **dict.fromkeys((60, 61), "MF_61"),
    62: "MF_62",
}
_MF_TYRE = ("MF-TYRE", "MF_TYRE", "MFTYRE", "MF-SWIFT", "MF_SWIFT")
_SPELLINGS = {"MF61": "MF_61", "MF62": "MF_62", "MF-61": "MF_61", "MF-62": "MF_62", "MF52": "MF_52", "MF05": "MF_05"}
_FUNCTIONS = (
    ("vi_tire", ""),  # decided by MODEL_TYPE
    ("vi-tire", ""),
    ("tyr510", "FTIRE"),
    ("tyr815", "MF-TYRE"),
    ("mfswift", "MF-TYRE"),
    ("tyr902", "FIALA"),
    ("user_fiala", "FIALA"),
)
_FORMATS = (*FAMILIES, "MF-TYRE", "USER", "FTIRE", "CDTIRE", "TAMETIRE")


# Name of the family, its model, what it says about the structure. The model is a class that is not abstract.
Family = tuple[str, type[Any], dict[str, Any]]


def read_tir(path: str | Path) -> TirFile:
    """Read a tire property file."""
    return TirFile(PropertyFile.read(path, PARSED_BLOCKS, blanks="missing"))


def parse_tir(text: str, path: str = "") -> TirFile:
    """The same from a text."""
    return TirFile(PropertyFile.parse(text, path, PARSED_BLOCKS, blanks="missing"))


@dataclass(frozen=True)
class _Given:
    """A number of the file, SI, and where it stands."""

    value: float
    line: int


class TirFile:
    """A tire property file that was read: the tire it describes, and the text to be changed and written back.

    Attributes
    ----------
    file : the text, block by block
    report : warnings and notes of the reader
    family : the family of models, such as ``PAC2002`` or ``MF_62``, or the name of a registered model
    tire : what it describes, in SI units
    """

    def __init__(self, file: PropertyFile) -> None:
        self.file = file
        self.report: Report = file.report
        self._given: dict[str, _Given] = {}
        self.family = ""
        self.model_class: type[Any] = TireModel
        self._options: dict[str, Any] = {}
        self._slot = ""  # of an adapter
        self._read_as: dict[str, str] = {}  # blocks with a mistake in their name, upper case: what they mean
        self._strange: list[tuple[Block, Attribute]] = []  # keys that nobody knows
        model = file.block("MODEL")
        if model is not None:
            self.family, self.model_class, self._options = self._dispatch(model)
        if self._slot:  # all else in the file is the adapter's
            self.coefficients: dict[str, Coefficient] = {}
            self.tire = tir_user.adapted(self._slot, file)
            return
        if model is not None and not self.family and "PROPERTY_FILE_FORMAT" in model:
            # Which blocks an unknown tire needs nobody can say.
            self.report.raise_if_errors()
        self._check_blocks()
        self.report.raise_if_errors()
        self.units: Units = read_units(file, self.report)
        self.coefficients = {c.name: c for c in self.model_class().coefficients}
        self._numbers()
        self._curves = self._read_curves()
        self.tire = self._tire()

    @property
    def path(self) -> str:
        return self.report.path

    # -- which model --------------------------------------------------------------------------------------
    def _check_blocks(self) -> None:
        file = self.file
        header = file.block(*HEADERS)
        wanted = self.model_class.file_blocks if self.family else FILE_BLOCKS
        missing = [name for name in wanted if file.block(name) is None]
        if header is None and missing:
            missing.insert(0, HEADERS[0])
        elif header is None:  # some programs write none, or say it in comments
            self.report.warning(0, f"[{HEADERS[0]}]", "block is missing; the file is taken for a tire")
        if missing:
            there = ", ".join(b.name for b in file.blocks) or "(none)"
            others = [b.name.upper() for b in file.blocks if b.name.upper() not in KNOWN_BLOCKS]
            meant = [f"; is [{found}] meant for [{m}]?" for m in missing if (found := close(m, others))]
            text = f"missing blocks: {', '.join(f'[{m}]' for m in missing)}; there are: {there}{''.join(meant)}"
            self.report.error(0, "", text)
        kind = header.get("FILE_TYPE") if header is not None else None
        if kind is not None and str(kind.value).strip().lower() != "tir":
            self.report.error(kind.line, "FILE_TYPE", f"found {kind.value!r}; expected 'tir'")
        own = self._own_blocks()
        for block in file.blocks:
            name = block.name.upper()
            if name not in KNOWN_BLOCKS and name not in own:
                self._unknown_block(block, {*COEFFICIENT_BLOCKS, *FILE_BLOCKS, *own}, {*CURVES, *TABLES})
            elif name in WITHOUT_EFFECT and name not in own:
                self.report.info(block.line, f"[{block.name}]", f"not used: {WITHOUT_EFFECT[name]}")

    def _unknown_block(self, block: Block, numbers: Collection[str], tables: Collection[str]) -> None:
        """A block whose name is nearly that of a missing one is read as that one."""
        place = f"[{block.name}]"
        absent = {name for name in (*numbers, *tables) if self.file.block(name) is None}
        meant = close(block.name.upper(), absent)
        if meant in tables:
            self.report.error(block.line, place, f"block is not known; is [{meant}] meant?")
        elif meant:
            self._read_as[block.name.upper()] = meant
            self.report.warning(block.line, place, f"block is not known; read as [{meant}]")
        else:
            self.report.info(block.line, place, "block is not known; kept as it is")

    def _own_blocks(self) -> set[str]:
        """Blocks that the model's numbers stand in."""
        return {c.block.upper() for c in self.model_class().coefficients if c.block} if self.family else set()

    def _dispatch(self, model: Block) -> Family:
        """The family, its model and what the family says about its structure, by the keys of [MODEL]."""
        format_ = tir_user.word(model, "PROPERTY_FILE_FORMAT")
        line = tir_user.line(model, "PROPERTY_FILE_FORMAT")
        key = "[MODEL] PROPERTY_FILE_FORMAT"
        found = _SPELLINGS.get(format_.upper(), format_.upper())
        user = ""
        if found == "USER":
            key, line = "[MODEL] FUNCTION_NAME", tir_user.line(model, "FUNCTION_NAME") or line
            user = tir_user.word(model, "FUNCTION_NAME")
            found = next((f for text, f in _FUNCTIONS if text in user.lower()), "USER")
            if not found:
                found = tir_user.word(model, "MODEL_TYPE").upper() or "USER"
                key, line = "[MODEL] MODEL_TYPE", tir_user.line(model, "MODEL_TYPE") or line
            if found == "USER" and tir_user.word(model, "USER_SUB_ID") == "815":
                found = "MF-TYRE"
        if found in _MF_TYRE or found == "MF_05" or (not found and "FITTYP" in model):
            found, key, line = self._by_version(model, found, key, line)
        nothing: Family = ("", TireModel, {})
        if found in ("MF_61", "MF_62") and format_.upper() == "USER" and tir_user.wants_swift(model):
            found = "SWIFT"
        if found in FAMILIES:
            name, options = FAMILIES[found]
            return found, find(name), options
        if found == "USER":
            return self._user(model, user, key, line)
        if found in adapters.SLOTS:
            if adapters.installed(found):
                self._slot = found
                return found, TireModel, {}
            self.report.error(line, key, adapters.missing(found))
        elif found in LATER:
            there = ", ".join(FAMILIES)
            self.report.error(line, key, f"{LATER[found]}: this tire family is not available yet; available: {there}")
        elif not found:
            self.report.error(line, key, f"is missing; allowed: {', '.join(_FORMATS)}")
        elif found not in _MF_TYRE:  # those were told about above
            hint = did_you_mean(found, _FORMATS)
            told = tir_user.word(model, key.removeprefix("[MODEL] ")) or format_
            self.report.error(line, key, f"found {told!r}; unknown tire family{hint}")
        return nothing

    def _by_version(self, model: Block, found: str, key: str, line: int) -> tuple[str, str, int]:
        """MF-Tyre by its version FITTYP."""
        attribute = model.get("FITTYP")
        if attribute is None or attribute.blank:
            if found in _MF_TYRE:
                self.report.error(
                    line, key, f"found {found!r} without FITTYP: 6 for MF 5.2, 61, 62; MF-Tyre 5 files say 'MF_05'"
                )
            return found, key, line
        place = "[MODEL] FITTYP"
        version = attribute.value if isinstance(attribute.value, float) else _float(str(attribute.value))
        if version in _FITTYP:
            return _FITTYP[int(version)], place, attribute.line
        if version > 62:
            return "SWIFT", place, attribute.line
        known = ", ".join(map(str, _FITTYP))
        self.report.error(attribute.line, place, f"found {attribute.value!r}; known versions: {known}")
        return _MF_TYRE[0], place, attribute.line

    def _user(self, model: Block, function: str, key: str, line: int) -> Family:
        """A registered model, FUNCTION_NAME = 'jounce::name', or one outside of the package."""
        library, _, name = function.rpartition("::")
        nothing: Family = ("", TireModel, {})
        if library.lower() != "jounce" and library and name:
            return tir_user.user_model(model, self.report) or nothing
        if library.lower() != "jounce":
            text = (
                f"found {function!r}; expected 'library::function' with INTERFACE_TYPE, 'file.py::Class', or "
                f"'jounce::NAME', NAME one of {', '.join(names())}"
            )
            self.report.error(line, key, text)
            return nothing
        try:
            return name.lower(), find(name), {}
        except JounceError as error:
            self.report.error(line, key, str(error))
            return nothing

    # -- numbers ------------------------------------------------------------------------------------------
    def _numbers(self) -> None:
        """All known numbers in SI units; a key counts in whichever known block it stands."""
        report = self.report
        readable = {*KNOWN_BLOCKS, *self._own_blocks(), *self._read_as} - {*HEADERS, "UNITS"}
        for block in self.file.blocks:
            name = block.name.upper()
            if name not in readable or self.file.block(name) is not block:
                continue
            for attribute in block.attributes:
                self._number(block, attribute)
        self._elsewhere(readable)
        self._unknown_keys()
        radius = self._given.get("Q_RE0")
        if radius is not None and radius.value == 0:  # how some programs write a number that nobody has identified
            report.warning(radius.line, "Q_RE0", "found 0: the tire would have no radius; 1 is taken")
            self._given["Q_RE0"] = _Given(1.0, radius.line)
        for low, high in RISING:
            a, b = self._given.get(low), self._given.get(high)
            if a is not None and b is not None and not a.value < b.value:
                report.error(b.line, high, f"found {b.value:g}; must be larger than {low} = {a.value:g}")
        for key, given in self._given.items():
            unit = self.coefficients[key].unit if key in self.coefficients else SIZES[key]
            if key in POSITIVE and not given.value > 0:
                report.error(given.line, key, f"found {given.value:g} {unit}; must be > 0")
            if key in NOT_NEGATIVE and given.value < 0:
                report.error(given.line, key, f"found {given.value:g} {unit}; must not be negative")

    def _elsewhere(self, readable: Collection[str]) -> None:
        """Numbers in blocks of other programs: all of a block that has one without a default, or none of it."""
        wanted = self.model_class().required()
        for block in self.file.blocks:
            if block.name.upper() in {*readable, *HEADERS, "UNITS"}:
                continue
            known = [
                a
                for a in block.attributes
                if isinstance(a.value, float) and self._name(a.key) in self.coefficients
                if self.coefficients[self._name(a.key)].block and self._name(a.key) not in self._given
            ]
            if not any(self._name(a.key) in wanted for a in known):
                changing = [a.key for a in known if a.value != self.coefficients[self._name(a.key)].default]
                if changing:
                    usual = self.coefficients[self._name(changing[0])].block
                    text = f"not used, as the block is not known; usual is [{usual}]"
                    self.report.warning(block.line, f"[{block.name}] {', '.join(changing)}", text)
                continue
            for attribute in known:
                self._number(block, attribute)
                usual = self.coefficients[self._name(attribute.key)].block
                text = f"taken, though the block is not known; usual is [{usual}]"
                self.report.warning(attribute.line, f"[{block.name}] {attribute.key}", text)

    def _unknown_keys(self) -> None:
        """Say of keys that nobody knows what they may mean: a number of the tire that is not there."""
        absent = [c.name for c in self.coefficients.values() if c.block and c.name not in self._given]
        absent += [key for key in SIZES if key not in self._given]
        own = {c.block.upper() for c in getattr(self.model_class, "own", ())}  # of a model with numbers of its own
        for block, attribute in self._strange:
            name, key = self._block_name(block), self._name(attribute.key)
            place = f"[{block.name}] {attribute.key}"
            law = name == "VERTICAL" and key.startswith("Q")
            near = [n for n in absent if n in SIZES or self.coefficients[n].block.upper() == name] or absent
            meant = close(key, near)
            hint = f"; is {meant} meant?" if meant else ""
            if self.model_class.kind == "mf6" and key in RELAXATION:
                self.report.info(attribute.line, place, "not used: relaxation is that of the stiffnesses")
            elif key == "MBELT":  # matters by QTZ1 only, which is told
                self.report.info(attribute.line, place, "not used; kept as it is")
            elif law or name.endswith("_COEFFICIENTS"):
                if attribute.value in (_neutral(key), ""):
                    self.report.info(attribute.line, place, "not used; kept as it is")
                    continue
                text = f"{attribute.value} has no effect here; a program that knows it gives other forces{hint}"
                self.report.warning(attribute.line, place, text)
            elif name in own or (hint and name not in ("MODEL", *WITHOUT_EFFECT)):
                text = hint or f"; known here: {', '.join(c for c, v in self.coefficients.items() if v.block == name)}"
                self.report.warning(attribute.line, place, f"not used{text}")
            elif not (key in MODEL_KEYS and name == "MODEL") and name not in WITHOUT_EFFECT:
                self.report.info(attribute.line, place, "not used; kept as it is")

    def _block_name(self, block: Block) -> str:
        """Upper case; of a block with a mistake in its name what it means."""
        name = block.name.upper()
        return self._read_as.get(name, name)

    def _name(self, key: str) -> str:
        """The name of a number, by any of its spellings."""
        name = key.upper()
        if name not in self.coefficients:
            name = self.model_class.aliases.get(name, name)
        return name

    def _number(self, block: Block, attribute: Attribute) -> None:
        key = self._name(attribute.key)
        place = f"[{block.name}] {attribute.key}"
        coefficient = self.coefficients.get(key)
        unit = coefficient.unit if coefficient is not None and coefficient.block else SIZES.get(key)
        if unit is None:
            self._strange.append((block, attribute))
            return
        if attribute.blank:
            return
        if isinstance(attribute.value, str):
            self.report.error(attribute.line, place, f"found {attribute.value!r}; expected a number")
            return
        if attribute.unit is not None:
            factor = self.units.tag(attribute.unit, self.report, attribute.line, place)
        else:
            factor = self._factor(key)
        if key in self._given and key != attribute.key.upper():
            if self._given[key].value != attribute.value * factor:
                text = f"another spelling of {key}, which is there as well; not used"
                self.report.warning(attribute.line, place, text)
            return
        if not abs(attribute.value * factor) < LARGEST:
            self.report.error(attribute.line, place, f"found {attribute.value:g}; beyond anything that a tire has")
            return
        self._given[key] = _Given(attribute.value * factor, attribute.line)

    def _factor(self, key: str) -> float:
        """SI factor of a key; coefficients of the formula are SI and radians by definition."""
        coefficient = self.coefficients.get(key)
        if coefficient is None:
            return self.units.factor(SIZES[key])
        if coefficient.block.endswith("_COEFFICIENTS"):
            return self.units.factor("kg") if key == "MBELT" else 1.0
        return self.units.factor(coefficient.unit) if coefficient.unit in DIMENSIONS else 1.0

    # -- tables -------------------------------------------------------------------------------------------
    def _read_curves(self) -> dict[str, Table]:
        curves: dict[str, Table] = {}
        for name, curve in CURVES.items():
            found = self._columns(self.file.block(name), ("pen", "fz"), ("m", "N"))
            if found is None:
                continue
            block, (pen, load) = found
            growing = all(a <= b for a, b in pairwise(load)) and min(load) >= 0
            if any(a >= b for a, b in pairwise(pen)) or not growing or pen[0] < 0:
                rule = "penetrations must rise from row to row; loads must not fall and not be negative"
                self.report.error(block.line, f"[{block.name}]", rule)
                continue
            method = "akima" if len(pen) > 2 else "linear"
            self._enter(curves, curve, block, partial(Table, pen, load, method=method, extrapolation="linear"))
        self._read_profile(curves)
        self._read_speed_map(curves)
        self._read_forces(curves)
        return curves

    def _enter(self, curves: dict[str, Table], name: str, block: Section, make: Any) -> None:
        try:
            curves[name] = make()
        except ParameterError as error:
            self.report.error(block.line, f"[{block.name}]", str(error))

    def _columns(
        self, block: Section | None, wanted: Sequence[str], units: Sequence[str], least: int = 2
    ) -> tuple[Section, list[list[float]]] | None:
        """Columns of the table of a block, SI."""
        if block is None:
            return None
        table, place = block.table, f"[{block.name}]"
        if table is None or len(table.columns) != len(wanted) or len(table.rows) < least:
            rows = {2: "two", 3: "three"}.get(least, str(least))
            self.report.error(block.line, place, f"expected a table {{{' '.join(wanted)}}} with {rows} rows or more")
            return None
        if any(isinstance(value, str) for row in table.rows for value in row):
            self.report.error(table.line, place, "expected numbers only")
            return None
        return block, self._si(table, units)

    def _si(self, table: FileTable, units: Sequence[str]) -> list[list[float]]:
        factors = [
            column_factor(c, self.units, unit, self.report, table.line)
            for c, unit in zip(table.columns, units, strict=True)
        ]
        return [[float(row[i]) * factor for row in table.rows] for i, factor in enumerate(factors)]

    def _read_profile(self, curves: dict[str, Table]) -> None:
        from jounce.components.tire.contact import section_profile

        found = self._columns(self.file.block("SECTION_PROFILE_TABLE"), ("x", "y"), ("m", "m"), 3)
        if found is None:
            return
        block, (x, y) = found
        if "profile" not in _field_names(self.model_class):
            self.report.warning(block.line, f"[{block.name}]", "not used: the contact of this tire is that of a disc")
            return
        self._enter(curves, "profile", block, lambda: section_profile(x, y))

    def _read_speed_map(self, curves: dict[str, Table]) -> None:
        """Load over loaded radius and speed."""
        block = self.file.block("SPEED_RADIUS_LOAD_DATA")
        if block is None:
            return
        place = f"[{block.name}]"
        if "radius_load_map" not in _field_names(self.model_class):
            self.report.warning(block.line, place, "not used: the load of this tire comes from its stiffness")
            return
        speeds, rows = block.sub_block("Z_DATA"), block.sub_block("XY_DATA")
        z, xy = (None if s is None else s.table for s in (speeds, rows))
        if z is None or xy is None or not z.rows or len(xy.rows) < 2:
            rule = "expected (Z_DATA) {speed} and (XY_DATA) {radius load}, two rows or more"
            self.report.error(block.line, place, rule)
            return
        speed = [row[0] for row in z.rows]
        if any(isinstance(v, str) for row in [*xy.rows, speed] for v in row):
            self.report.error(xy.line, place, "expected numbers only")
            return
        wrong = next((row for row in xy.rows if len(row) != 1 + len(speed)), None)
        if wrong is not None:
            rule = f"found {len(wrong)} numbers in a row; expected a radius and a load for each of {len(speed)} speeds"
            self.report.error(xy.line, place, rule)
            return
        numbers = np.array(xy.rows, dtype=float)
        numbers = numbers[np.argsort(numbers[:, 0])]
        radius, load = numbers[:, 0] * self.units.factor("m"), numbers[:, 1:] * self.units.factor("N")
        axis = np.array(speed, dtype=float) * self.units.factor("m/s")
        if np.any(np.diff(radius) <= 0) or np.any(np.diff(load, axis=0) > 0) or np.any(np.diff(axis) <= 0):
            rule = "radii must differ, speeds must rise, and loads must not grow with the radius"
            self.report.error(xy.line, place, rule)
            return
        if np.any(load[-1] > 0):
            self.report.warning(xy.line, place, "the largest radius has a load; beyond it the load falls to zero")
        if len(axis) == 1:
            axis, load = np.array([0.0, 1.0]), np.repeat(load, 2, axis=1)
        self._enter(curves, "radius_load", block, lambda: _radius_load(radius, axis, load))

    def _read_forces(self, curves: dict[str, Table]) -> None:
        """Forces of a table tire over load, slip and slip angle: a row for each point of a grid, in any order."""
        if self.family != "table":
            return
        from jounce.components.tire.measured import from_grid

        block = self.file.block("FORCE_TABLE")
        columns = ("load", "kappa", "alpha", "fx", "fy", "mz")
        if block is None:
            self.report.error(0, "[FORCE_TABLE]", f"is missing; expected a table {{{' '.join(columns)}}}")
            return
        found = self._columns(block, columns, ("N", "-", "rad", "N", "N", "N.m"), 32)
        if found is None or block.table is None:
            return
        there = [c.name.lower() for c in block.table.columns]
        if there != list(columns):
            rule = f"found the columns {', '.join(there)}; expected {', '.join(columns)}"
            self.report.error(block.table.line, "[FORCE_TABLE]", rule)
            return
        data = np.array(found[1])
        axes = [np.unique(data[i]) for i in range(3)]
        shape = tuple(len(a) for a in axes)
        cells = [np.searchsorted(a, data[i]) for i, a in enumerate(axes)]
        if data.shape[1] != np.prod(shape) or len(set(zip(*cells, strict=True))) != data.shape[1]:
            rule = (
                f"found {data.shape[1]} rows; {shape[0]} loads, {shape[1]} slips and {shape[2]} slip angles make a "
                f"grid of {np.prod(shape)}, each point once"
            )
            self.report.error(block.table.line, "[FORCE_TABLE]", rule)
            return
        forces = np.zeros((*shape, 3))
        forces[tuple(cells)] = data[3:].T
        size = {"UNLOADED_RADIUS": 1.0, "VERTICAL_STIFFNESS": 1.0}

        def make() -> Table:
            made = from_grid(axes[0], axes[1], axes[2], forces, size)
            curves["stiffness"] = made.curves["stiffness"]
            for name in ("KPUMIN", "KPUMAX", "ALPMIN", "ALPMAX", "FZMIN", "FZMAX"):
                self._given.setdefault(name, _Given(made.values[name], block.line))
            return made.curves["forces"]

        self._enter(curves, "forces", block, make)

    # -- the tire -----------------------------------------------------------------------------------------
    def _whole(self, key: str, default: int) -> tuple[int, int]:
        """A whole number of [MODEL] and its line."""
        attribute = self.file.need("MODEL").get(key)
        if attribute is None or attribute.blank:
            return default, 0
        value = attribute.value if isinstance(attribute.value, float) else _float(attribute.value)
        if value != value or abs(value) > 1e9 or value != int(value):
            self.report.error(attribute.line, f"[MODEL] {key}", f"found {attribute.value!r}; expected a whole number")
            return default, attribute.line
        return int(value), attribute.line

    def _use_mode(self) -> tuple[int, dict[str, Any]]:
        """The use mode, negative when mirrored, and what it says about the structure."""
        report, key = self.report, "[MODEL] USE_MODE"
        modes = self.model_class.modes
        mode, line = self._whole("USE_MODE", 14)
        if line == 0 and modes and self.model_class.kind == "mf6" and self._stiffnesses() is None:
            mode = 4
            report.warning(0, key, "is missing, as are the stiffnesses that relaxation needs; 4 is taken (steady)")
        elif line == 0 and modes:
            report.info(0, key, "is missing; 14 is taken (combined slip with relaxation)")
        if not modes:
            return mode, {}
        if self.family in ("MF_61", "MF_62"):
            return self._swift_mode(mode, line)
        if self.family == "FIALA" and line and abs(mode) in (1, 2):
            # in these files 1 and 2 mean without and with relaxation
            return (14 if abs(mode) == 2 else 4) * (1 if mode > 0 else -1), {}
        if self.model_class.kind in ("pac2002", "pac_mc"):
            mode = self._lesser_mode(mode, line)
        if abs(mode) not in modes:
            allowed = ", ".join(map(str, modes))
            report.error(line, key, f"found {mode}; allowed: {allowed}; negative: mirrored")
        return mode, {}

    def _lesser_mode(self, mode: int, line: int) -> int:
        """The nearest mode without turn slip (5, 15, 25) and contact mass (21 to 25)."""
        size = abs(mode)
        if not (size in (5, 15) or 21 <= size <= 25):
            return mode
        lost = ["the contact mass"] if size > 20 else []
        lost += ["turn slip"] if size % 10 == 5 else []
        used = min(size % 10, 4) + (10 if size > 10 else 0)
        used = used if mode > 0 else -used
        text = f"found {mode}: {' and '.join(lost)} not available yet; {used} is used instead"
        self.report.warning(line, "[MODEL] USE_MODE", text)
        return used

    def _swift_mode(self, mode: int, line: int) -> tuple[int, dict[str, Any]]:
        report, key = self.report, "[MODEL] USE_MODE"
        try:
            code = decode_swift_mode(mode)
        except ParameterError as error:
            report.error(line, key, str(error))
            return 14, {}
        for remark in own_remarks(mode):
            (report.error if remark.level == "error" else report.warning)(line, key, remark.text)
        size = min(code.forces, 4) + (10 if code.dynamics else 0)
        options = {"turn_slip": code.forces == 5, "nonlinear": code.dynamics >= 2}
        return size if mode >= 0 else -size, options

    def _structure(self) -> tuple[TireModel, int]:
        """The model with the structure that the file asks for, and the use mode with its sign."""
        report = self.report
        mode, options = self._use_mode()
        lonslip, line = self._whole("LONSLIP_MODE", 0)
        if lonslip not in (0, 1):
            report.error(line, "[MODEL] LONSLIP_MODE", f"found {lonslip}; allowed: 0, 1")
        point, line = self._whole("CP2WC_MODE", 0)
        if point not in (0, 1):
            report.error(line, "[MODEL] CP2WC_MODE", f"found {point}; allowed: 0, 1")
        legacy, line = self._whole("LEGACY_FORMULATION", 0)
        if legacy not in (0, 1):
            report.error(line, "[MODEL] LEGACY_FORMULATION", f"found {legacy}; allowed: 0, 1")
        elif legacy == 1:
            rule = "1: the equations are those of 0; the contact mass and the parking torque of 1 are not there"
            report.warning(line, "[MODEL] LEGACY_FORMULATION", rule)
        for key, rule in SWITCHES.items():
            attribute = self.file.need("MODEL").get(key)
            if attribute is not None and str(attribute.value).strip().upper() == "YES":
                report.warning(attribute.line, f"[MODEL] {key}", f"found {attribute.value!r}; without effect: {rule}")
        modes = self.model_class.modes
        options |= self._options
        options |= {
            "mode": abs(mode) if abs(mode) in modes else 14,  # what is wrong is told with all that is missing
            "lonslip": 1 if lonslip == 1 else 0,
            "disc_point": point == 1,
            "deflection_curve": "deflection" in self._curves,
            "bottoming_curve": "bottoming" in self._curves,
            "radius_load_map": "radius_load" in self._curves,
            "profile": "profile" in self._curves,
            "extended": self._any("QV1", "QV2", "QFCX1", "QFCY1", "QFCG1", "QFZ1", "QFZ2", "QFZ3"),
            "softening": self._any("QFCX1", "QFCY1", "Q_FCX", "Q_FCY"),
            "camber_deflection": self._options.get("version") == 62 and self._any("Q_CAM1", "Q_CAM2", "Q_CAM3"),
            "mixed_overturning": self._any("QSX4", *(["QSX10"] if self.model_class.kind == "pac2002" else [])),
            "further_rolling": self._any("QSY5", "QSY6", "QSY7"),
            "pressure": self._any(*PRESSURE_TERMS),
        }
        there = _field_names(self.model_class)
        return self.model_class(**{name: value for name, value in options.items() if name in there}), mode

    def _any(self, *keys: str) -> bool:
        return any(key in self._given and self._given[key].value != 0 for key in keys)

    def _tire(self) -> Tire:
        report = self.report
        side = self._side()
        model, mode = self._structure()
        values = self._fill(model)
        if side == "symmetric":
            odd = [name for name in model.sided if values.get(name)]
            if odd:
                report.info(0, "TYRESIDE", f"'SYMMETRIC': these are set to zero: {', '.join(odd)}")
            values |= dict.fromkeys(odd, 0.0)
        elif mode < 0:
            side = "right" if side == "left" else "left"
        sizes = {key: self._given[key].value for key in SIZES if key in self._given}
        tire = Tire(model, model.complete(values), self._curves, side, Path(self.file.path).stem, sizes)
        self._doubts(tire)
        report.raise_if_errors()
        _gather(report)
        return tire

    def _side(self) -> str:
        attribute = self.file.need("MODEL").get("TYRESIDE")
        if attribute is None or attribute.blank:
            self.report.info(0, "[MODEL] TYRESIDE", "is missing; 'LEFT' is taken")
            return "left"
        word = str(attribute.value).strip().upper()
        if word in UNKNOWN_SIDES:
            self.report.warning(attribute.line, "[MODEL] TYRESIDE", f"found {attribute.value!r}; 'LEFT' is taken")
            return "left"
        if word not in SIDES:
            hint = did_you_mean(word, SIDES)
            self.report.error(attribute.line, "[MODEL] TYRESIDE", f"found {attribute.value!r}; unknown{hint}")
        return word.lower()

    def _fill(self, model: TireModel) -> dict[str, float]:
        """Defaults for what is missing: listed at once; an error for what has none."""
        report = self.report
        values = {name: given.value for name, given in self._given.items() if name in self.coefficients}
        if "VERTICAL_STIFFNESS" not in values and "deflection" in self._curves and "FNOMIN" in values:
            values["VERTICAL_STIFFNESS"] = _slope(self._curves["deflection"], values["FNOMIN"])
            report.info(0, "VERTICAL_STIFFNESS", "is missing; taken from the curve at FNOMIN")
        if model.kind == "mf6" and model.transient:
            self._take_stiffnesses(values)
        for name in ONLY_TO_DRIVE:
            if name in model.required() - set(values):
                values[name] = math.nan
                report.warning(0, name, "is missing; the tire can be evaluated, but nothing can stand on it")
        missing = sorted(model.required() - set(values), key=list(self.coefficients).index)
        if missing:
            mode = getattr(model, "mode", None)
            note = "" if mode is None else f" (use mode {mode})"
            hint = "; USE_MODE = 4 does without the last two" if missing[-2:] == list(STIFFNESSES) else ""
            hint += self._meant_for(missing)
            report.error(0, "", f"missing numbers without a default{note}: {', '.join(missing)}{hint}")
        report.raise_if_errors()
        absent: dict[float, list[str]] = {}
        for c in self.coefficients.values():
            if c.name not in values:
                default = 0.0 if c.default is None else c.default
                values[c.name] = default
                if c.block:
                    absent.setdefault(default, []).append(c.name)
        for default, absent_names in absent.items():
            report.info(0, "", f"missing, taken as {default:g}: {', '.join(absent_names)}")
        return values

    def _meant_for(self, missing: Sequence[str]) -> str:
        """Which unknown keys of the file look like those that are missing."""
        lines = {self._name(a.key): a.line for _, a in self._strange}
        found = [(name, key) for name in missing if (key := close(name, lines))]
        return "".join(f"; is {key} in line {lines[key]} meant for {name}?" for name, key in found)

    def _stiffnesses(self) -> dict[str, float] | None:
        """Longitudinal and lateral stiffness of an MF 6 file: its own, or those that meet the relaxation lengths of
        MF 5, σκ = R0 PTX1 and σα = R0 PTY1 sin(2 atan(1/PTY2)), at the nominal load: C = K/σ. None without either."""
        found = {name: self._given[name].value for name in STIFFNESSES if name in self._given}
        if len(found) == 2:
            return found
        number = {name: self._given[name].value for name in _FOR_RELAXATION if name in self._given}
        for block in self.file.blocks:
            for attribute in block.attributes:
                if attribute.key.upper() in RELAXATION and isinstance(attribute.value, float):
                    number[attribute.key.upper()] = attribute.value
        if not set(_FOR_RELAXATION) | {"PTX1", "PTY1", "PTY2"} <= set(number):
            return None
        load = number["FNOMIN"] * self._factor_of("LFZO")
        kx = number["PKX1"] * self._factor_of("LKX") * load
        shape = self._given["PKY4"].value if "PKY4" in self._given else 2.0
        ky = number["PKY1"] * self._factor_of("LKY") * load * np.sin(shape * np.arctan(1 / number["PKY2"]))
        sigma_x = number["UNLOADED_RADIUS"] * number["PTX1"]
        sigma_y = number["UNLOADED_RADIUS"] * number["PTY1"] * np.sin(2 * np.arctan(1 / (number["PTY2"] or np.inf)))
        if not (sigma_x > 0 and sigma_y > 0):
            return None
        return {STIFFNESSES[0]: float(kx / sigma_x), STIFFNESSES[1]: float(abs(ky) / sigma_y)} | found

    def _factor_of(self, name: str) -> float:
        return self._given[name].value if name in self._given else 1.0

    def _take_stiffnesses(self, values: dict[str, float]) -> None:
        for name, value in (self._stiffnesses() or {}).items():
            if name not in values:
                values[name] = value
                keys = "PTX1" if name == STIFFNESSES[0] else "PTY1, PTY2"
                text = f"is missing; {value:.4g} N/m is taken: the relaxation length of {keys} at the nominal load"
                self.report.warning(0, name, text)

    def _doubts(self, tire: Tire) -> None:
        """What a file may say and hardly means."""
        report, values, model = self.report, tire.values, tire.model
        slip = getattr(model, "mode", 0) % 10
        for x, y in (("PTX1", "PTY1"), ("RELAX_LENGTH_X", "RELAX_LENGTH_Y")):
            if model.transient and x in values and (values[x] == 0 or values[y] == 0):
                text = "a relaxation length is zero; the smallest possible one is used instead"
                report.warning(0, f"{x}, {y}", text)
        shape = values["PKY4"] if model.kind == "mf6" else 1.0  # Ky ~ PKY1 sin(PKY4 …): some files have both turned
        if slip in (2, 3, 4) and "PKY1" in values and values["PKY1"] * values["PKY2"] * shape > 0:
            report.warning(
                self._given["PKY1"].line,
                "PKY1",
                f"found {values['PKY1']:g}: positive, so that slip to the left pushes to the left; are the axes ISO?",
            )
        if getattr(model, "pressure", False) and not self._any("IP_NOM"):
            text = "is missing, though there are coefficients of pressure; the pressure of the file counts as nominal"
            report.warning(0, "[TIRE_CONDITIONS] IP_NOM", text)
        if model.kind == "pac2002" and values["QSX4"] and not values["QSX6"]:
            text = "is zero or missing, though QSX4 is there; programs that do not know it take it as one"
            report.warning(self._given["QSX4"].line, "[OVERTURNING_COEFFICIENTS] QSX6", text)
        if self.family == "PAC_MC" and slip in (2, 3, 4):
            shape = values["PCY1"] * values["LCY"] + values["PCY2"] * values["LCC"]
            if shape >= 2:
                text = (
                    f"PCY1 LCY + PCY2 LCC = {shape:g}; must be below 2, or forces turn round at large slip and camber"
                )
                report.warning(0, "PCY1, PCY2", text)
        if "UMIN" in values and values["UMIN"] > values["UMAX"]:
            report.warning(0, "UMIN", f"found {values['UMIN']:g}: friction grows with slip up to it")

    # -- changing -----------------------------------------------------------------------------------------
    def set(self, key: str, value: float) -> None:
        """Change one number, given in SI units, in the text and in the tire; the rest of the file stays as it is."""
        name = self._name(key)
        coefficient = self.coefficients.get(name)
        if coefficient is None or not coefficient.block:
            raise ParameterError(f"{key!r}: no number of a tire file{did_you_mean(name, self.coefficients)}")
        section, attribute = self._find(name)
        if attribute is not None and attribute.unit is not None:
            factor = self.units.tag(attribute.unit, Report(self.path), attribute.line, name)
        else:
            factor = self._factor(name)
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            raise ParameterError(f"{key}: found {value!r}; expected a number, in {coefficient.unit} (SI)")
        before, encoding = self.file.text(), self.file.encoding
        if section is None:
            section = self.file.block(coefficient.block) or self.file.add_block(coefficient.block)
        section.set(name if attribute is None else attribute.key, _shortest(number, factor))
        try:
            fresh = parse_tir(self.file.text(), self.file.path)
        except FormatError:
            self.file = PropertyFile.parse(before, self.file.path, PARSED_BLOCKS, blanks="missing")
            self.file.encoding = encoding
            raise
        fresh.file.encoding = encoding
        self.__dict__.update(fresh.__dict__)

    def _find(self, name: str) -> tuple[Block | None, Attribute | None]:
        """The block and the attribute that a number was read from."""
        given = self._given.get(name)
        for block in self.file.blocks:
            for attribute in block.attributes:
                if given is not None and attribute.line == given.line and self._name(attribute.key) == name:
                    return block, attribute
        block_of = self.file.block(self.coefficients[name].block)
        return block_of, None if block_of is None else block_of.get(name)

    def text(self) -> str:
        return self.file.text()

    def write(self, path: str | Path) -> None:
        self.file.write(path)


def _gather(report: Report) -> None:
    """One note for the keys of a block of which the same is to be said; none for the lines of a block that is left
    out, which is said of the block."""
    problems: list[Problem] = []
    places: dict[tuple[str, str], int] = {}
    left_out = {p.key for p in report.infos if p.key.endswith("]")}
    for p in report.problems:
        block, bracket, key = p.key.partition("] ")
        if p.level == "info" and bracket and key:
            at = places.setdefault((block, p.message), len(problems))
            if at < len(problems):
                first = problems[at]
                problems[at] = Problem(first.line, f"{first.key}, {key}", first.message, "info")
                continue
        elif p.level == "info" and p.key in left_out and p.message.endswith("the block is not known)"):
            continue
        problems.append(p)
    report.problems[:] = problems


def _neutral(key: str) -> float:
    """The value at which an unknown coefficient does nothing: factors begin with L."""
    return 1.0 if key.startswith("L") and key != "LMUV" else 0.0


def tir_text(tire: Tire, comments: Sequence[str] = (), skip_defaults: bool = True) -> str:
    """A tire as the text of a new file, in SI units. Numbers at their default are left out unless asked for."""
    model = tire.model
    if not any(c.block for c in model.coefficients):
        raise FormatError(f"tire {tire.name!r}: a {model.kind} tire cannot be written as a TIR file")
    file = PropertyFile()
    for line in comments:
        file.add_comment(line)
    header = file.add_block(HEADERS[0])
    header.set("FILE_TYPE", "tir", width=12)
    header.set("FILE_VERSION", 3.0, width=12)
    header.set("FILE_FORMAT", "ASCII", width=12)
    write_units(file)
    block = file.add_block("MODEL")
    keys = model.file_keys()
    for key, word in keys.items():
        block.set(key, word, width=20)
    if model.modes:
        mode, note = _written_mode(model)
        block.set("USE_MODE", mode, width=20, comment=note)
    if model.lonslip:
        block.set("LONSLIP_MODE", model.lonslip, width=20)
    block.set("TYRESIDE", tire.side.upper(), width=20)
    for name in model.file_blocks:
        if file.block(name) is None and name not in {c.block for c in model.coefficients}:
            file.add_block(name)
    needed = model.required()
    for c in model.coefficients:
        value = tire.values[c.name]
        mandatory = c.block in model.file_blocks and not (c.name in SELDOM or c.name.startswith("Q"))
        if not c.block or (skip_defaults and not mandatory and c.default is not None and value == c.default):
            continue
        if (c.default is None and value == 0 and c.name not in needed) or c.name in tire.lacks:
            continue  # a use mode that does without it, or what the file that was read did not say
        target = file.block(c.block) or file.add_block(c.block)
        unit = "" if c.unit == "-" else f" [{c.unit}]"
        target.set(c.name, value, width=20, comment=c.doc + unit)
    dimension = file.need("DIMENSION")
    for name, value in tire.sizes.items():
        dimension.set(name, value, width=20)
    _write_curves(file, tire.curves)
    return file.text()


def _written_mode(model: TireModel) -> tuple[int, str]:
    """The use mode of a file and what it means."""
    mode = int(getattr(model, "mode", 14))
    if model.kind != "mf6":
        return mode, "0 Fz, 1 Fx, 2 Fy, 3 both, 4 combined; +10 with relaxation"
    mode += (1 if model.turn_slip else 0) + (10 if model.nonlinear and model.transient else 0)
    return mode, "0 Fz, 1 Fx, 2 Fy, 3 both, 4 combined, 5 turn slip; +10, +20 with linear, nonlinear relaxation"


def _write_curves(file: PropertyFile, curves: Mapping[str, Table]) -> None:
    for name, curve in CURVES.items():
        if curve in curves:
            table = curves[curve]
            rows2 = zip(table.axes[0].tolist(), table.values.tolist(), strict=True)
            file.add_block(name).add_table(("pen", "fz"), list(rows2))
    if "profile" in curves:
        table = curves["profile"]
        half = table.values[table.axes[0] >= 0].tolist()
        file.add_block("SECTION_PROFILE_TABLE").add_table(("x", "y"), [(abs(x), y) for x, y in half])
    if "radius_load" in curves:
        table = curves["radius_load"]
        radius, speed = table.axes
        block = file.add_block("SPEED_RADIUS_LOAD_DATA")
        block.add_sub_block("Z_DATA").add_table(("speed",), [(float(v),) for v in speed])
        loads = table.values.tolist()
        block.add_sub_block("XY_DATA").add_table(
            ("radius", "load"), [(float(r), *row) for r, row in zip(radius, loads, strict=True)]
        )
    if "forces" in curves:
        table = curves["forces"]
        points = product(*(axis.tolist() for axis in table.axes))
        rows6 = [(*point, *row) for point, row in zip(points, table.values.reshape(-1, 3).tolist(), strict=True)]
        file.add_block("FORCE_TABLE").add_table(("load", "kappa", "alpha", "fx", "fy", "mz"), rows6)


def write_tir(path: str | Path, tire: Tire, comments: Sequence[str] = ()) -> None:
    """Write a tire as a new file."""
    write_atomically(path, tir_text(tire, comments).encode("utf-8"))


def _radius_load(radius: Any, speed: Any, load: Any) -> Table:
    """A map that is held beyond its radii and speeds.

    A load at the largest radius goes on to zero with its last slope (the steepest of all speeds sets where): a wheel
    that has left the road has none.
    """
    if np.any(load[-1] > 0):
        slope = float(np.max((load[-2] - load[-1]) / (radius[-1] - radius[-2])))
        over = float(np.max(load[-1])) / slope if slope > 0 else 1e-3
        end = radius[-1] + over * np.array([1.0, 2.0])  # two, so that it is exactly zero from there on
        radius, load = np.append(radius, end), np.vstack([load, np.zeros((2, load.shape[1]))])
    return Table([radius, speed], load, method="linear", extrapolation="flat", name="radius_load")


def _field_names(model: type[Any]) -> set[str]:
    return {f.name for f in fields(model)}


def _float(text: Any) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _shortest(value: float, factor: float) -> float:
    """The number with the fewest digits that gives the value when multiplied by the factor, but for its last bit: a
    file in millimetres says 350, and 350 times 0.001 is one bit above 0.35."""
    for digits in range(1, 16):
        number = float(f"{value / factor:.{digits}g}")
        if abs(number * factor - value) <= math.ulp(value):
            return number
    return value / factor


def _slope(curve: Table, load: float) -> float:
    """Slope of a load curve where it carries a load."""
    pen, loads = curve.axes[0], [float(curve(x)) for x in curve.axes[0]]
    i = next((k for k in range(1, len(pen)) if loads[k] >= load), len(pen) - 1)
    slope = (loads[i] - loads[i - 1]) / float(pen[i] - pen[i - 1])
    return slope if slope > 0 else loads[-1] / float(pen[-1])
