"""AER: aerodynamics as a property file (see ``property_file``): standard, advanced (versions 1.0 and 2.0), user.

    standard    [TEST_CONDITIONS] with [FRONT_DOWNFORCE], [REAR_DOWNFORCE], [DRAG]: forces at a reference velocity
    advanced    [GENERAL_PARAMETERS], [OFFSET_PARAMETERS], [WIND_EFFECT]; maps [CZ], [BALANCE_Z], [CX_BODY], [CX_FRONT],
                [CX_REAR], [CY], [BALANCE_Y], [CMX]; factors over side slip, pitch, roll and steer, [CZB_YAW] …
    1.0         the same with other names, see ``RENAMED``, and without side forces, roll moment and wind
    user        [MODEL] PROPERTY_FILE_FORMAT = 'USER', FUNCTION_NAME = 'library::function', [USER_DEFINED]

A map is (Z_DATA) with rear ride heights and (XY_DATA) with rows of a front ride height and a value for each of them; a
factor is a table of angle and factor right below its block. Both are in base units of the file; names of columns are
labels only. A factor that is missing is 1, a map of [CX_FRONT], [CX_REAR], [CY] or [CMX] that is missing is 0; both
are told in the warnings.

The file does not say where forces act and ride heights are measured: ``Aer.aero`` takes these points, ``Aer.onto``
those of a vehicle, and gives what a vehicle file has (``components/aero``). What is turned round on the way, as the
format has roll right side up and moments about an axis that points rearwards:

    factors over roll: f(φ) = f_file(−φ);   C_mx = −C_mx,file (times the length unit);   balances in percent         (1)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from jounce.components.aero.advanced import AdvancedAero, Factors
from jounce.components.aero.maps import AeroForce
from jounce.core.curves import Curve, CurveUnits
from jounce.core.errors import FormatError, ParameterError
from jounce.core.limits import reading
from jounce.files.file_units import Units, read_units
from jounce.files.problems import Report
from jounce.files.property_file import Attribute, Block, PropertyFile, Table

if TYPE_CHECKING:
    from jounce.vehicle.schema import Vehicle

Form = Literal["standard", "advanced", "user"]
Point = Sequence[float]

ANGLES = ("YAW", "PITCH", "ROLL", "STEERING")
# map of the format: our key, unit, factor on its numbers
MAPS = {
    "CZ": ("cz", "-", 1.0),
    "BALANCE_Z": ("balance", "-", 0.01),
    "CX_BODY": ("cx_body", "-", 1.0),
    "CX_FRONT": ("cx_front", "-", 1.0),
    "CX_REAR": ("cx_rear", "-", 1.0),
    "CY": ("cy", "-", 1.0),
    "BALANCE_Y": ("balance_y", "-", 0.01),
    "CMX": ("cmx", "m", -1.0),
}
NEEDED = ("CZ", "BALANCE_Z", "CX_BODY")
GROUPS = {
    "CZB": "cz_by",
    "CZF": "cz_front_by",
    "CZR": "cz_rear_by",
    "CX": "cx_by",
    "CYB": "cy_by",
    "CYF": "cy_front_by",
    "CYR": "cy_rear_by",
    "CMXB": "cmx_by",
    "CMXF": "cmx_front_by",
    "CMXR": "cmx_rear_by",
}
# names of version 1.0
RENAMED = {
    "BALANCE": "BALANCE_Z",
    "Z": "CZ",
    **{f"{old}_{angle}": f"{new}_{angle}" for old, new in {"CB": "CZB", "CF": "CZF", "CR": "CZR", "CD": "CX"}.items()
       for angle in ANGLES},
}  # fmt: skip
LIMITS = {
    f"{word}_RIDE_HEIGHT_{end}": f"{word.lower()}_ride_height_{end.lower()}"
    for word in ("FRONT", "REAR")
    for end in ("MIN", "MAX")
}
ARM = {f"DRAG_ARM_HEIGHT_{end}": f"drag_arm_{end.lower()}" for end in ("MIN", "MAX")}
FORCES = {"FRONT_DOWNFORCE": "front_downforce", "REAR_DOWNFORCE": "rear_downforce", "DRAG": "drag"}
WIDE = 10.0  # m, limits of the drag arm where a file of version 1.0 has none


@dataclass
class Aer:
    """What a file holds, in SI and our signs.

    Attributes
    ----------
    form : of the file
    version : 1.0 or 2.0 of advanced files
    keys : what it says of an aerodynamics of a vehicle file, without points
    function, user : of a user file: what it names, and its own numbers and words by key
    """

    path: str
    form: Form
    version: float
    keys: dict[str, Any]
    function: str = ""
    user: dict[str, float | str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def aero(self, *, front: Point, rear: Point, center: Point, **more: Any) -> dict[str, Any]:
        """Aerodynamics of a vehicle file.

        Parameters
        ----------
        front, rear, center : where front and rear forces and the drag act, vehicle reference frame, m
        more : further keys: sensors, frame, modifiers, …
        """
        points = {"front": list(front), "rear": list(rear), "center": list(center)}
        if self.form != "standard":
            return {**self.keys, **{f"{word}_location": point for word, point in points.items()}, **more}
        placed = {name: dict(self.keys[name]) for name in FORCES.values()}
        for name, word in (("front_downforce", "front"), ("rear_downforce", "rear"), ("drag", "center")):
            placed[name]["location"] = points[word]
        return {**self.keys, **placed, **more}

    def onto(self, vehicle: Vehicle) -> Vehicle:
        """A vehicle with this aerodynamics; points, sensors, frame and wind of its present one stay."""
        there = vehicle.aero
        if there is None:
            raise ParameterError(
                f"{self.path}: {vehicle.name or 'the vehicle'} has no aerodynamics to take points from"
            )
        kept: dict[str, Any] = {
            name: getattr(there, name)
            for name in ("front_sensor", "rear_sensor", "auxiliary_sensor", "frame", "in_statics")
            if getattr(there, name) is not None
        }
        if "wind" not in self.keys:
            kept["wind"] = there.wind
        points = {}
        for word, force in (("front", "front_downforce"), ("rear", "rear_downforce"), ("center", "drag")):
            found = getattr(there, f"{word}_location", None) or getattr(getattr(there, force, None), "location", None)
            if found is None:
                raise ParameterError(f"{self.path}: the vehicle says nowhere where its {force} acts; use Aer.aero")
            points[word] = list(map(float, found.array))
        return vehicle.with_(aero=self.aero(**points, **kept))


def read_aer(path: str | Path) -> Aer:
    """Read a file; raises a FormatError that lists every problem with line and key."""
    with reading(path):
        return _read(PropertyFile.read(path))


def _read(file: PropertyFile) -> Aer:
    report = Report(file.report.path)
    units = read_units(file, report)
    form, version = _form(file, report)
    reader = _Reader(file, report, units, version)
    found: Aer | None = None
    if form is not None:
        found = getattr(reader, form)()
    report.raise_if_errors()
    assert found is not None
    found.warnings = [str(p) for p in (*file.report.warnings, *report.warnings)]
    return found


def _form(file: PropertyFile, report: Report) -> tuple[Form | None, float]:
    """Which format a file has: by [MODEL], else by its blocks."""
    header, model = file.block("MDI_HEADER", "VIGRADE_HEADER"), file.block("MODEL")
    number = header.get("FILE_VERSION") if header is not None else None
    version = float(number.value) if number is not None and isinstance(number.value, float) else 0.0
    said = model.get("PROPERTY_FILE_FORMAT") if model is not None else None
    if said is not None:
        word = str(said.value).strip().upper()
        known: dict[str, Form] = {"ADVANCED": "advanced", "USER": "user", "STANDARD": "standard"}
        if word not in known:
            rule = f"found {said.value!r}; expected 'ADVANCED', 'USER' or 'STANDARD'"
            report.error(said.line, "[MODEL] PROPERTY_FILE_FORMAT", rule)
            return None, version
        return known[word], 2.0
    if file.block("TEST_CONDITIONS") is not None:
        return "standard", version
    if file.block("CZ", "Z") is not None and file.block("GENERAL_PARAMETERS") is not None:
        return "advanced", 1.0
    there = ", ".join(f"[{b.name}]" for b in file.blocks) or "none"
    report.error(0, "", f"no aerodynamics: expected [MODEL], [TEST_CONDITIONS] or [CZ]; there are {there}")
    return None, version


class _Reader:
    """Goes through one file."""

    def __init__(self, file: PropertyFile, report: Report, units: Units, version: float) -> None:
        self.file, self.report, self.units, self.version = file, report, units, version
        self.old = {new: old for old, new in RENAMED.items()} if version < 2 else {}

    # -- forms --------------------------------------------------------------------------------------------
    def standard(self) -> Aer:
        block = self.file.block("TEST_CONDITIONS")
        keys: dict[str, Any] = {"kind": "standard", "pitch_compensation": True}
        if block is None:
            self.report.error(0, "[TEST_CONDITIONS]", "the block is missing")
            return Aer(self.report.path, "standard", self.version, keys)
        velocity = self._number(block, "reference_velocity", "m/s", above=0.0)
        density = self._number(block, "air_density", "kg/m3", above=0.0)
        keys |= {"reference_velocity": velocity, "air_density": density}
        keys["reference_density"] = self._number(block, "reference_density", "kg/m3", like="air_density", above=0.0)
        keys |= self._limits(block, {**LIMITS, **ARM})
        self._unknown(block, ("reference_velocity", "air_density", "reference_density", *LIMITS, *ARM))
        units = AeroForce.curve_units("force", {})
        for name, key in FORCES.items():
            found = self._map(name, units, self.units.factor("N"), needed=True)
            keys[key] = {"force": found}
        return Aer(self.report.path, "standard", self.version, keys)

    def advanced(self) -> Aer:
        keys: dict[str, Any] = {"kind": "advanced"}
        general = self.file.block("GENERAL_PARAMETERS")
        if general is None:
            self.report.error(0, "[GENERAL_PARAMETERS]", "the block is missing")
        else:
            keys["air_density"] = self._number(general, "AIR_DENSITY", "kg/m3", above=0.0)
            keys["frontal_area"] = self._number(general, "AERO_FRONTAL_AREA", "m2", above=0.0)
            keys |= self._limits(general, {**LIMITS, **ARM})
            self._unknown(general, ("AIR_DENSITY", "AERO_FRONTAL_AREA", *LIMITS, *ARM))
        keys |= self._offsets()
        for name, (key, unit, factor) in MAPS.items():
            scale = factor * (self.units.factor("m") if unit == "m" else 1.0)
            needed = name in NEEDED or (name == "BALANCE_Y" and "cy" in keys)
            found = self._map(name, AdvancedAero.curve_units(key, {}), scale, needed=needed)
            if found is not None:
                keys[key] = found
        if "cy" not in keys:
            keys.pop("balance_y", None)
        absent: list[str] = []
        for group, key in GROUPS.items():
            found_here = {a.lower(): c for a in ANGLES if (c := self._factor(f"{group}_{a}", a, absent)) is not None}
            if found_here:
                keys[key] = found_here
        wanted = [name for name in absent if self.version >= 2 or not name.startswith(("CY", "CMX"))]
        if wanted:
            names = ", ".join(f"[{self.old.get(name, name)}]" for name in wanted)
            self.report.warning(0, "", f"factors that are missing are 1: {names}")
        keys |= self._wind()
        return Aer(self.report.path, "advanced", self.version, keys)

    def user(self) -> Aer:
        model, own = self.file.block("MODEL"), self.file.block("USER_DEFINED")
        assert model is not None
        named = model.get("FUNCTION_NAME")
        function = "" if named is None else str(named.value)
        if "::" not in function:
            rule = f"found {function!r}; expected 'library::function'"
            self.report.error(model.line if named is None else named.line, "[MODEL] FUNCTION_NAME", rule)
        numbers: dict[str, float | str] = {}
        for item in own.attributes if own is not None else ():
            value = item.value
            if isinstance(value, float) and item.unit is not None:
                value *= self.units.tag(item.unit, self.report, item.line, f"[USER_DEFINED] {item.key}")
            numbers[item.key] = value
        keys = {"kind": "user", "function": function, "file": self.report.path}
        return Aer(self.report.path, "user", self.version, keys, function, numbers)

    # -- numbers ------------------------------------------------------------------------------------------
    def _number(
        self,
        block: Block,
        key: str,
        unit: str,
        default: float | None = None,
        *,
        like: str = "",
        above: float | None = None,
    ) -> float:
        """A number in SI; ``like``: without a unit tag it has that of another key."""
        item, place = block.get(key), f"[{block.name}] {key}"
        if item is None:
            if default is None:
                self.report.error(block.line, place, "missing")
            return 1.0 if default is None else default
        if not isinstance(item.value, float):
            self.report.error(item.line, place, f"found {item.value!r}; expected a number")
            return 1.0
        other: Attribute | None = block.get(like) if like else None
        tag = item.unit if item.unit is not None or other is None else other.unit
        factor = self.units.factor(unit) if tag is None else self.units.tag(tag, self.report, item.line, place)
        value = item.value * factor
        if above is not None and not value > above:
            self.report.error(item.line, place, f"found {item.value:g}; must be above {above:g}")
            return 1.0
        if abs(value) == float("inf"):
            self.report.error(item.line, place, f"found {item.value:g}; too large for its unit")
            return 1.0
        return value

    def _limits(self, block: Block, names: Mapping[str, str]) -> dict[str, float]:
        """Limits that are there, the lower below the upper."""
        found = {key: self._number(block, name, "m") for name, key in names.items() if name in block}
        for key, value in found.items():
            low = found.get(key.removesuffix("_max") + "_min") if key.endswith("_max") else None
            if low is not None and low >= value:
                name = next(n for n, k in names.items() if k == key)
                item = block.get(name)
                assert item is not None
                self.report.error(item.line, f"[{block.name}] {item.key}", "must be above the lower limit")
        return found

    def _unknown(self, block: Block, known: Sequence[str]) -> None:
        names = {name.upper() for name in known}
        for item in block.attributes:
            if item.key.upper() not in names:
                self.report.warning(item.line, f"[{block.name}] {item.key}", "not known; it does nothing")

    def _offsets(self) -> dict[str, Any]:
        block = self.file.block("OFFSET_PARAMETERS")
        if block is None:
            return {}
        balance = "BALANCE" if self.version < 2 else "BALANCE_Z"
        names = {"CZ": "cz", balance: "balance", "CX_BODY": "cx_body", "CX_FRONT": "cx_front", "CX_REAR": "cx_rear"}
        found = {key: self._number(block, name, "-", 0.0) for name, key in names.items()}
        found["balance"] *= 0.01
        found["threshold"] = self._number(block, "VELOCITY_THRESHOLD", "m/s", 27.777)
        found["reference_velocity"] = self._number(block, "REFERENCE_VELOCITY_OF_OFFSET", "m/s", 13.888)
        for name in ("VELOCITY_THRESHOLD", "REFERENCE_VELOCITY_OF_OFFSET"):
            item = block.get(name)
            if item is not None and isinstance(item.value, float) and item.value < 0:
                self.report.error(
                    item.line, f"[{block.name}] {item.key}", f"found {item.value:g}; must not be negative"
                )
        self._unknown(block, (*names, "VELOCITY_THRESHOLD", "REFERENCE_VELOCITY_OF_OFFSET"))
        return {"offsets": found}

    def _wind(self) -> dict[str, Any]:
        block = self.file.block("WIND_EFFECT")
        if block is None:
            return {}
        speed, direction = self._number(block, "SPEED", "m/s", 0.0), self._number(block, "DIRECTION", "rad", 0.0)
        self._unknown(block, ("SPEED", "DIRECTION"))
        return {"wind": {"speed": speed, "direction": direction}} if speed else {}

    # -- tables -------------------------------------------------------------------------------------------
    def _block(self, name: str) -> Block | None:
        return self.file.block(name, self.old.get(name, name))

    def _map(self, name: str, units: CurveUnits, factor: float, *, needed: bool) -> Curve | None:
        """A map over front and rear ride height."""
        block = self._block(name)
        if block is None:
            if needed:
                there = ", ".join(f"[{b.name}]" for b in self.file.blocks)
                self.report.error(0, f"[{self.old.get(name, name)}]", f"the map is missing; there are: {there}")
            elif self.version >= 2 and name != "BALANCE_Y":
                self.report.warning(0, f"[{name}]", "the map is missing; taken as zero")
            return None
        key = f"[{block.name}]"
        levels, rows = block.sub_block("Z_DATA"), block.sub_block("XY_DATA")
        if levels is None or levels.table is None or rows is None or rows.table is None:
            rule = "expected (Z_DATA) {rear_ride_height} and (XY_DATA) {front_ride_height value}"
            self.report.error(block.line, key, rule)
            return None
        z = [value for row in levels.table.rows for value in row]
        if not z or any(isinstance(value, str) for value in z):
            self.report.error(levels.line, f"{key} (Z_DATA)", "expected numbers, rear ride heights")
            return None
        numbers = self._rows(rows.table, len(z) + 1, f"{key} (XY_DATA)")
        if numbers is None:
            return None
        length = self.units.factor("m")
        rear = [float(value) * length for value in z]
        front = [row[0] * length for row in numbers]
        for values, line, what in ((rear, levels.line, "(Z_DATA)"), (front, rows.table.line, "(XY_DATA)")):
            if not all(a < b for a, b in pairwise(values)):
                self.report.error(line, f"{key} {what}", "ride heights must rise")
                return None
        y = [value * factor for row in numbers for value in row[1:]]
        if not self._finite((*front, *rear, *y), rows.table, key):
            return None
        if len(rear) == 1:
            return Curve(units, x=tuple(front), y=tuple(y))
        return Curve(units, x=tuple(front), z=tuple(rear), y=tuple(y))

    def _factor(self, name: str, angle: str, absent: list[str]) -> Curve | None:
        """A factor over an angle; our roll is the other way round (1)."""
        block = self._block(name)
        if block is None:
            absent.append(name)
            return None
        key = f"[{block.name}]"
        inner = block.sub_block("XY_DATA")
        table = block.table if inner is None else inner.table
        if table is None:
            self.report.error(block.line, key, "expected a table {angle factor}")
            return None
        numbers = self._rows(table, 2, key)
        if numbers is None:
            return None
        unit = self.units.factor("rad")
        sign = -1.0 if angle == "ROLL" else 1.0
        points = sorted((sign * row[0] * unit, row[1]) for row in numbers)
        rising = all(a[0] < b[0] for a, b in pairwise(numbers))
        if not rising:
            self.report.error(table.line, key, "angles must rise from row to row")
            return None
        if not self._finite([value for point in points for value in point], table, key):
            return None
        return Curve(
            Factors.curve_units("yaw", {}), x=tuple(x for x, _ in points), y=tuple(value for _, value in points)
        )

    def _rows(self, table: Table, width: int, key: str) -> list[list[float]] | None:
        """Rows of numbers, each as wide as it must be."""
        if len(table.rows) < 2:
            self.report.error(table.line, key, f"found {len(table.rows)} rows; at least two are needed")
            return None
        for row, line in zip(table.rows, table.lines, strict=False):
            if len(row) != width or any(isinstance(value, str) for value in row):
                self.report.error(line.line, key, f"found {len(row)} values; expected {width} numbers")
                return None
        return [[float(value) for value in row] for row in table.rows]

    def _finite(self, values: Sequence[float], table: Table, key: str) -> bool:
        if any(abs(value) == float("inf") for value in values):
            self.report.error(table.line, key, "a number is too large for its unit")
            return False
        return True


# ---- from version 1.0 to 2.0 ----------------------------------------------------------------------------------------


def to_version_2(path: str | Path, target: str | Path, *, explicit: bool = False) -> Path:
    """Write an advanced file of version 1.0 as one of 2.0 with the same forces; numbers, units and comments stay.

    ``explicit``: all factors are written, those that are 1 as well.
    """
    with reading(path):
        file = PropertyFile.read(path)
        if _read(file).version >= 2 or file.block("CZ", "Z") is None:
            raise FormatError(f"{path}: no advanced aerodynamics of version 1.0")
        units = read_units(file, Report(str(path)))
    for block in file.blocks:
        new = RENAMED.get(block.name.upper())
        if new is not None:
            block.name, block.header.source = new, [f"[{new}]{file.newline}"]
    header = file.block("MDI_HEADER", "VIGRADE_HEADER")
    if header is not None:
        header.set("FILE_VERSION", 2.0)
    general, offsets = file.need("GENERAL_PARAMETERS"), file.block("OFFSET_PARAMETERS")
    length = units.factor("m")
    for name, sign in zip(ARM, (-1.0, 1.0), strict=True):
        if name not in general:
            general.set(name, sign * WIDE / length)
    if offsets is not None and "BALANCE" in offsets:
        offsets.rename("BALANCE", "BALANCE_Z")
    file.add_block("MODEL").set("PROPERTY_FILE_FORMAT", "ADVANCED")
    for name, value in (("CY", 0.0), ("BALANCE_Y", 50.0), ("CMX", 0.0)):
        block = file.add_block(name)
        block.add_sub_block("Z_DATA").add_table(["rear_ride_height"], [[0.0], [1.0 / length]])
        block.add_sub_block("XY_DATA").add_table(
            ["front_ride_height", name.lower()], [[0.0, value, value], [1.0 / length, value, value]]
        )
    names = [f"{group}_{angle}" for group in GROUPS for angle in ANGLES]
    for name in names if explicit else ():
        if file.block(name) is None:
            turn = 1.0 / units.factor("rad")
            file.add_block(name).add_table(["angle", "effect"], [[-turn, 1.0], [turn, 1.0]])
    wind = file.add_block("WIND_EFFECT")
    wind.set("DIRECTION", 0.0)
    wind.set("SPEED", 0.0)
    file.write(target)
    return Path(target)
