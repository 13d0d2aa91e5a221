"""TIR: tire property files. Magic Formula tires PAC2002 and MF 5.x are read and written; other families are named.

Which model a file means is decided by [MODEL]: PROPERTY_FILE_FORMAT; where that says 'USER', by FUNCTION_NAME,
then MODEL_TYPE, then USER_SUB_ID.

Units. [UNITS] applies to the numbers that have a dimension (speeds, radii, stiffness, damping, loads, ranges of slip
angle and inclination). Coefficients of the formula are those of SI units and radians, whatever the file's units are:
that is how such files are made. Axes and signs are those of docs/conventions.md (ISO): nothing is turned.

What the reader does with what it finds is in ``TirFile.report``: errors are raised all at once; a warning where
something that would change forces is not used; infos for defaults that were taken and keys that were kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from jounce.components.tire.base import Tire
from jounce.components.tire.pac2002 import BY_NAME, COEFFICIENTS, MODES, Pac2002, symmetrised
from jounce.core.errors import FormatError, ParameterError, did_you_mean
from jounce.core.tables import Table
from jounce.files.file_units import Units, column_factor, read_units, write_units
from jounce.files.problems import Report
from jounce.files.property_file import Attribute, Block, PropertyFile

HEADERS = ("MDI_HEADER", "VIGRADE_HEADER")
MANDATORY = (
    *("UNITS", "MODEL", "DIMENSION", "VERTICAL", "LONG_SLIP_RANGE"),
    *("SLIP_ANGLE_RANGE", "INCLINATION_ANGLE_RANGE", "VERTICAL_FORCE_RANGE"),
)
CURVES = {"DEFLECTION_LOAD_CURVE": "deflection", "BOTTOMING_CURVE": "bottoming"}
# Understood as text, not used by the models that exist: a warning where forces would differ, else a note.
WITHOUT_EFFECT = {"SHAPE": "the contact is that of a thin disc", "PARAMETER": "it belongs to other models"}
NOT_YET = {
    "SECTION_PROFILE_TABLE": "the contact is that of a thin disc",
    "SPEED_RADIUS_LOAD_DATA": "the load comes from VERTICAL_STIFFNESS or DEFLECTION_LOAD_CURVE",
}
KNOWN_BLOCKS = frozenset({*HEADERS, *MANDATORY, *CURVES, *NOT_YET, *WITHOUT_EFFECT, *(c.block for c in COEFFICIENTS)})
SIZES = {"WIDTH": "m", "RIM_WIDTH": "m", "ASPECT_RATIO": "-"}
MODEL_KEYS = frozenset(
    {
        *("PROPERTY_FILE_FORMAT", "FUNCTION_NAME", "MODEL_TYPE", "INTERFACE_TYPE", "USER_SUB_ID", "USE_MODE"),
        *("LONSLIP_MODE", "TYRESIDE", "CP2WC_MODE", "CALLING_APP_CHECK", "LEGACY_FORMULATION", "FITTYP"),
    }
)
# Vertical behaviour that depends on speed and forces; published, not modelled yet.
EXTENDED_VERTICAL = frozenset({"QV1", "QV2", "QFCX1", "QFCY1", "QFCG1", "QFZ1", "QFZ2", "QFZ3"})
SIDES = ("LEFT", "RIGHT", "SYMMETRIC")

NATIVE = {"PAC2002": "PAC2002", "MF_05": "MF_05"}
# Families that are recognised, with the words for the message.
LATER = {
    "PAC_MC": "motorcycle Magic Formula (PAC_MC)",
    "FTIRE": "FTire",
    "CDTIRE": "CDTire",
    "TAMETIRE": "TameTire",
    "MF_SWIFT": "MF-Tyre/MF-Swift 6 and 7",
    "USER": "user tire",
}
_FUNCTIONS = (
    ("vitools::vi_tire", ""),  # decided by MODEL_TYPE
    ("vi-tire", ""),
    ("cti::tyr510", "FTIRE"),
    ("tyr815", "MF_SWIFT"),
    ("mtyre_mfswift_7", "MF_SWIFT"),
)
_PROPERTY_FORMATS = (*NATIVE, "USER", "FTIRE", "CDTIRE", "TAMETIRE")


def read_tir(path: str | Path) -> TirFile:
    """Read a tire property file."""
    return TirFile(PropertyFile.read(path, KNOWN_BLOCKS))


def parse_tir(text: str, path: str = "") -> TirFile:
    """The same from a text."""
    return TirFile(PropertyFile.parse(text, path, KNOWN_BLOCKS))


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
    family : the family of models, ``PAC2002`` or ``MF_05``
    tire : what it describes, in SI units
    """

    def __init__(self, file: PropertyFile) -> None:
        self.file = file
        self.report: Report = file.report
        self._given: dict[str, _Given] = {}
        self._check_blocks()
        self.report.raise_if_errors()
        self.units: Units = read_units(file, self.report)
        self.family = self._dispatch(file.need("MODEL"))
        self.report.raise_if_errors()
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
        missing = [name for name in MANDATORY if file.block(name) is None]
        if header is None:
            missing.insert(0, HEADERS[0])
        if missing:
            there = ", ".join(b.name for b in file.blocks) or "(none)"
            self.report.error(0, "", f"missing blocks: {', '.join(f'[{m}]' for m in missing)}; there are: {there}")
        kind = header.get("FILE_TYPE") if header is not None else None
        if kind is not None and str(kind.value).strip().lower() != "tir":
            self.report.error(kind.line, "FILE_TYPE", f"found {kind.value!r}; expected 'tir'")
        for block in file.blocks:
            name = block.name.upper()
            if name not in KNOWN_BLOCKS:
                self.report.info(block.line, f"[{block.name}]", "block is not known; kept as it is")
            elif name in NOT_YET:
                self.report.warning(block.line, f"[{block.name}]", f"not available yet: {NOT_YET[name]}")
            elif name in WITHOUT_EFFECT:
                self.report.info(block.line, f"[{block.name}]", f"not used: {WITHOUT_EFFECT[name]}")

    def _dispatch(self, model: Block) -> str:
        """The family, by the keys of [MODEL]."""
        format_ = _word(model, "PROPERTY_FILE_FORMAT")
        line = _line(model, "PROPERTY_FILE_FORMAT")
        key = "[MODEL] PROPERTY_FILE_FORMAT"
        found = format_.upper()
        if found == "USER":
            key, line = "[MODEL] FUNCTION_NAME", _line(model, "FUNCTION_NAME") or line
            function = _word(model, "FUNCTION_NAME").lower()
            family = next((f for text, f in _FUNCTIONS if text in function), "USER")
            if not family:
                family = _word(model, "MODEL_TYPE").upper() or "USER"
                key, line = "[MODEL] MODEL_TYPE", _line(model, "MODEL_TYPE") or line
            if family == "USER" and _word(model, "USER_SUB_ID") == "815":
                family = "MF_SWIFT"
            found = family
        if found in NATIVE:
            return found
        if found == "MF-TYRE":
            self.report.error(line, key, "found 'MF-TYRE': not a format of this kind; MF-Tyre 5 files say 'MF_05'")
        elif found in LATER:
            there = ", ".join(NATIVE)
            self.report.error(line, key, f"{LATER[found]}: this tire family is not available yet; available: {there}")
        elif not found:
            self.report.error(line, key, f"is missing; allowed: {', '.join(_PROPERTY_FORMATS)}")
        else:
            hint = did_you_mean(found, _PROPERTY_FORMATS)
            self.report.error(line, key, f"found {format_!r}; unknown tire family{hint}")
        return ""

    # -- numbers ------------------------------------------------------------------------------------------
    def _numbers(self) -> None:
        """All known numbers in SI units; a key counts in whichever known block it stands."""
        report = self.report
        for block in self.file.blocks:
            name = block.name.upper()
            if name in HEADERS or name == "UNITS" or name not in KNOWN_BLOCKS or self.file.block(name) is not block:
                continue
            for attribute in block.attributes:
                self._number(block, attribute)
        low_high = (("KPUMIN", "KPUMAX"), ("ALPMIN", "ALPMAX"), ("CAMMIN", "CAMMAX"), ("FZMIN", "FZMAX"))
        for low, high in low_high:
            a, b = self._given.get(low), self._given.get(high)
            if a is not None and b is not None and not a.value < b.value:
                report.error(b.line, high, f"found {b.value:g}; must be larger than {low} = {a.value:g}")
        lengths = ("UNLOADED_RADIUS", "VERTICAL_STIFFNESS", "FNOMIN")
        for key in (*lengths, "LFZO", "LMUX", "LMUY", "PCX1", "PKX1", "PCY1", "PKY2"):
            given = self._given.get(key)
            if given is not None and not given.value > 0:
                report.error(given.line, key, f"found {given.value:g} {BY_NAME[key].unit}; must be > 0")
        for key in ("VERTICAL_DAMPING", "FZMIN", "VXLOW", "LONGVL", "BOTTOM_STIFF", "RIM_RADIUS", "LSGKP", "LSGAL"):
            given = self._given.get(key)
            if given is not None and given.value < 0:
                report.error(given.line, key, f"found {given.value:g} {BY_NAME[key].unit}; must not be negative")

    def _number(self, block: Block, attribute: Attribute) -> None:
        key = attribute.key.upper()
        place = f"[{block.name}] {attribute.key}"
        coefficient = BY_NAME.get(key)
        unit = coefficient.unit if coefficient is not None and coefficient.block else SIZES.get(key)
        if unit is None:
            if key in MODEL_KEYS and block.name.upper() == "MODEL":
                return
            if key in EXTENDED_VERTICAL:
                if attribute.value != 0.0:
                    self.report.warning(attribute.line, place, "not available yet: the load does not depend on it")
            else:
                self.report.info(attribute.line, place, "not used; kept as it is")
            return
        if isinstance(attribute.value, str):
            self.report.error(attribute.line, place, f"found {attribute.value!r}; expected a number")
            return
        if attribute.unit is not None:
            factor = self.units.tag(attribute.unit, self.report, attribute.line, place)
        else:
            factor = self._factor(key)
        self._given[key] = _Given(attribute.value * factor, attribute.line)

    def _factor(self, key: str) -> float:
        """SI factor of a key; coefficients of the formula are SI and radians by definition."""
        coefficient = BY_NAME.get(key)
        if coefficient is None:
            return self.units.factor(SIZES[key])
        if coefficient.block.endswith("_COEFFICIENTS"):
            return self.units.factor("kg") if key == "MBELT" else 1.0
        return self.units.factor(coefficient.unit)

    def _read_curves(self) -> dict[str, Table]:
        curves: dict[str, Table] = {}
        for name, curve in CURVES.items():
            block = self.file.block(name)
            if block is None:
                continue
            table = block.table
            place = f"[{block.name}]"
            if table is None or len(table.columns) != 2 or len(table.rows) < 2:
                self.report.error(block.line, place, "expected a table {pen fz} with two rows or more")
                continue
            if any(isinstance(value, str) for row in table.rows for value in row):
                self.report.error(table.line, place, "expected numbers only")
                continue
            factors = [
                column_factor(c, self.units, unit, self.report, table.line)
                for c, unit in zip(table.columns, ("m", "N"), strict=True)
            ]
            pen, load = ([float(row[i]) * factors[i] for row in table.rows] for i in (0, 1))
            rising = all(a < b for a, b in pairwise(pen))
            growing = all(a <= b for a, b in pairwise(load)) and min(load) >= 0
            if not rising or not growing or pen[0] < 0:
                rule = "penetrations must rise from row to row; loads must not fall and not be negative"
                self.report.error(table.line, place, rule)
                continue
            try:
                curves[curve] = Table(pen, load, method="akima" if len(pen) > 2 else "linear", extrapolation="linear")
            except ParameterError as error:
                self.report.error(table.line, place, str(error))
        return curves

    # -- the tire -----------------------------------------------------------------------------------------
    def _whole(self, key: str, default: int) -> tuple[int, int]:
        """A whole number of [MODEL] and its line."""
        attribute = self.file.need("MODEL").get(key)
        if attribute is None:
            return default, 0
        if isinstance(attribute.value, str) or attribute.value != int(attribute.value):
            self.report.error(attribute.line, f"[MODEL] {key}", f"found {attribute.value!r}; expected a whole number")
            return default, attribute.line
        return int(attribute.value), attribute.line

    def _tire(self) -> Tire:
        report = self.report
        mode, line = self._whole("USE_MODE", 14)
        if line == 0:
            report.info(0, "[MODEL] USE_MODE", "is missing; 14 is taken (combined slip with relaxation)")
        if 20 < abs(mode) < 30:
            hint = f"modes with contact mass are not available yet; try {abs(mode) - 10}"
            report.error(line, "[MODEL] USE_MODE", f"found {mode}: {hint}")
        elif abs(mode) not in MODES:
            allowed = ", ".join(map(str, MODES))
            report.error(line, "[MODEL] USE_MODE", f"found {mode}; allowed: {allowed}; negative: mirrored")
        lonslip, line = self._whole("LONSLIP_MODE", 0)
        if lonslip not in (0, 1):
            report.error(line, "[MODEL] LONSLIP_MODE", f"found {lonslip}; allowed: 0, 1")
        side = self._side()
        model = Pac2002(
            mode=abs(mode) if abs(mode) in MODES else 14,  # what is wrong is told below, with all that is missing
            variant=NATIVE[self.family],
            lonslip=1 if lonslip == 1 else 0,
            deflection_curve="deflection" in self._curves,
            bottoming_curve="bottoming" in self._curves,
        )
        values = self._fill(model)
        if side == "symmetric":
            odd = [name for name, v in symmetrised(values).items() if v != values[name]]
            if odd:
                report.info(0, "TYRESIDE", f"'SYMMETRIC': these are set to zero: {', '.join(odd)}")
            values = symmetrised(values)
        elif mode < 0:
            side = "right" if side == "left" else "left"
        sizes = {key: self._given[key].value for key in SIZES if key in self._given}
        return Tire(model, model.complete(values), self._curves, side, Path(self.file.path).stem, sizes)

    def _side(self) -> str:
        attribute = self.file.need("MODEL").get("TYRESIDE")
        if attribute is None:
            self.report.info(0, "[MODEL] TYRESIDE", "is missing; 'LEFT' is taken")
            return "left"
        word = str(attribute.value).strip().upper()
        if word not in SIDES:
            hint = did_you_mean(word, SIDES)
            self.report.error(attribute.line, "[MODEL] TYRESIDE", f"found {attribute.value!r}; unknown{hint}")
        return word.lower()

    def _fill(self, model: Pac2002) -> dict[str, float]:
        """Defaults for what is missing: listed at once; an error for what has none."""
        report = self.report
        values = {name: given.value for name, given in self._given.items() if name in BY_NAME}
        if "VERTICAL_STIFFNESS" not in values and "deflection" in self._curves and "FNOMIN" in values:
            values["VERTICAL_STIFFNESS"] = _slope(self._curves["deflection"], values["FNOMIN"])
            report.info(0, "VERTICAL_STIFFNESS", "is missing; taken from the curve at FNOMIN")
        missing = sorted(model.required() - set(values), key=list(BY_NAME).index)
        if missing:
            report.error(0, "", f"missing numbers without a default (use mode {model.mode}): {', '.join(missing)}")
        report.raise_if_errors()
        absent: dict[float, list[str]] = {}
        for c in COEFFICIENTS:
            if c.name not in values:
                default = 0.0 if c.default is None else c.default
                values[c.name] = default
                if c.block:
                    absent.setdefault(default, []).append(c.name)
        for default, names in absent.items():
            report.info(0, "", f"missing, taken as {default:g}: {', '.join(names)}")
        if model.transient and (values["PTX1"] == 0 or values["PTY1"] == 0):
            report.warning(0, "PTX1, PTY1", "a relaxation length is zero; the smallest possible one is used instead")
        if model.slip in (2, 3, 4) and values["PKY1"] * values["PKY2"] > 0:
            report.warning(
                self._given["PKY1"].line,
                "PKY1",
                f"found {values['PKY1']:g}: positive, so that slip to the left pushes to the left; are the axes ISO?",
            )
        return values

    # -- changing -----------------------------------------------------------------------------------------
    def set(self, key: str, value: float) -> None:
        """Change one number, given in SI units, in the text and in the tire; the rest of the file stays as it is."""
        name = key.upper()
        coefficient = BY_NAME.get(name)
        if coefficient is None or not coefficient.block:
            raise ParameterError(f"{key!r}: no number of a tire file{did_you_mean(name, BY_NAME)}")
        block = self.file.block(coefficient.block) or self.file.add_block(coefficient.block)
        attribute = block.get(name)
        if attribute is not None and attribute.unit is not None:
            factor = self.units.tag(attribute.unit, Report(self.path), attribute.line, name)
        else:
            factor = self._factor(name)
        before = self.file.text()
        block.set(name, float(value) / factor)
        try:
            fresh = parse_tir(self.file.text(), self.file.path)
        except FormatError:
            self.file = PropertyFile.parse(before, self.file.path, KNOWN_BLOCKS)
            raise
        self.__dict__.update(fresh.__dict__)

    def text(self) -> str:
        return self.file.text()

    def write(self, path: str | Path) -> None:
        self.file.write(path)


def tir_text(tire: Tire, comments: Sequence[str] = (), skip_defaults: bool = True) -> str:
    """A tire as the text of a new file, in SI units. Numbers at their default are left out unless asked for."""
    model = tire.model
    if not isinstance(model, Pac2002):
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
    block.set("PROPERTY_FILE_FORMAT", model.variant, width=20)
    block.set("USE_MODE", model.mode, width=20, comment="0 Fz, 1 Fx, 2 Fy, 3 both, 4 combined; +10 with relaxation")
    if model.lonslip:
        block.set("LONSLIP_MODE", model.lonslip, width=20)
    block.set("TYRESIDE", tire.side.upper(), width=20)
    for c in COEFFICIENTS:
        value = tire.values[c.name]
        mandatory = c.block in MANDATORY and c.name not in ("BOTTOM_STIFF", "BOTTOM_OFFST")
        if not c.block or (skip_defaults and not mandatory and c.default is not None and value == c.default):
            continue
        target = file.block(c.block) or file.add_block(c.block)
        unit = "" if c.unit == "-" else f" [{c.unit}]"
        target.set(c.name, value, width=20, comment=c.doc + unit)
    dimension = file.need("DIMENSION")
    for name, value in tire.sizes.items():
        dimension.set(name, value, width=20)
    for name, curve in CURVES.items():
        if curve in tire.curves:
            table = tire.curves[curve]
            pen = [float(x) for x in table.axes[0]]
            file.add_block(name).add_table(("pen", "fz"), [(x, float(table(x))) for x in pen])
    return file.text()


def write_tir(path: str | Path, tire: Tire, comments: Sequence[str] = ()) -> None:
    """Write a tire as a new file."""
    Path(path).write_text(tir_text(tire, comments), encoding="utf-8", newline="\n")


def _word(block: Block, key: str) -> str:
    attribute = block.get(key)
    if attribute is None:
        return ""
    value = attribute.value
    return value.strip() if isinstance(value, str) else f"{value:g}"


def _line(block: Block, key: str) -> int:
    attribute = block.get(key)
    return 0 if attribute is None else attribute.line


def _slope(curve: Table, load: float) -> float:
    """Slope of a load curve where it carries a load."""
    pen, loads = curve.axes[0], [float(curve(x)) for x in curve.axes[0]]
    i = next((k for k in range(1, len(pen)) if loads[k] >= load), len(pen) - 1)
    slope = (loads[i] - loads[i - 1]) / float(pen[i] - pen[i - 1])
    return slope if slope > 0 else loads[-1] / float(pen[-1])
