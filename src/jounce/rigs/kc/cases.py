"""Load cases of a K&C programme: what a file is a test of, and what it is used for.

A mapping file (YAML) has the channels of the rig and the load cases, a list for each use. All keys may be left out:

    preset: mts                    # names of columns: mts, abd
    header: SampleTime             # name of the first column, where a file begins with other lines
    channels: {toe.L: {column: ToeL, unit: deg, scale: 1, offset: 0, sign: -1}}
    units: {toe: deg}              # where neither channel nor file says one
    signs: {camber: inwards}       # convention of the rig where it is not ours
    settings: {order: 6}
    kinematics: [{file: bounce.csv, type: parallel travel, axle: front, symmetry: average}]
    roll: [{file: roll.csv, type: opposite travel}]
    compliance: [{file: fy.csv, type: contact lateral aiding}]
    steering: [{file: steer.csv, type: steering}]

A file serves the list it stands in and no other; one that serves two stands in both. Files given without a list are
looked at (``detect``): what moves says what they test.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from jounce.components.basics import SIDES, Side
from jounce.core.errors import FormatError, ParameterError, did_you_mean
from jounce.core.limits import is_file, reading, shown
from jounce.core.units import parse
from jounce.core.yaml_files import read_mapping
from jounce.results.measured import load_columns
from jounce.rigs.kc.channels import (
    UNITS,
    WHOLE,
    Array,
    Channel,
    ChannelMap,
    channel,
    check_key,
    check_signs,
    check_units,
    preset,
)

MOST_SWEEPS = 100  # of a kind: a programme of a rig has some dozens in all, and each takes a fit
Tab = Literal["kinematics", "roll", "compliance", "steering"]
TABS: tuple[Tab, ...] = ("kinematics", "roll", "compliance", "steering")
TRAVELS = ("parallel travel", "single travel", "opposite travel")
FAMILIES = {
    # of compliance: quantity of the load, slot of the model
    "contact longitudinal": ("fx", "fx_brake"),
    "centre longitudinal": ("fx", "fx_drive"),
    "contact lateral": ("fy", "fy"),
    "centre lateral": ("fy", "fy"),
    "aligning torque": ("mz", "mz"),
}
WAYS = ("aiding", "opposing", "single")
COMPLIANCES = tuple(f"{family} {way}" for family in FAMILIES for way in WAYS)
TYPES: dict[Tab, tuple[str, ...]] = {
    "kinematics": TRAVELS,
    "roll": TRAVELS,
    "compliance": COMPLIANCES,
    "steering": ("steering", "vertical"),
}
SYMMETRIES = ("none", "left to right", "right to left", "average")
_SPELLED = {
    "pwt": "parallel travel", "swt": "single travel", "owt": "opposite travel", "parallel wheel travel":
    "parallel travel", "single wheel travel": "single travel", "opposite wheel travel": "opposite travel",
}  # fmt: skip
CASE_KEYS = ("file", "type", "name", "axle", "side", "symmetry", "header")
KEYS = ("preset", "header", "channels", "units", "signs", "settings", *TABS)

MOVED = 0.008  # m: wheel travel that counts as a sweep
TURNED = 0.1  # rad of the hand wheel, or
RACKED = 0.005  # m of the rack
LOADED = {"fx": 150.0, "fy": 150.0, "mz": 15.0}  # N, N m
HELD = 0.2  # of the larger span: a wheel that moves less is held


@dataclass(frozen=True)
class Settings:
    """How sweeps become maps. Lengths in m."""

    method: Literal["polynomial", "spline"] = "polynomial"
    order: int = 6
    select: bool = True
    points: int = 21
    columns: int = 9
    load_points: int = 11
    force_method: Literal["polynomial", "spline"] = "spline"
    smooth: int = 0
    drift: bool = True
    extrapolate: float = 0.25
    travel: tuple[float, float] | None = None
    alignment: Literal["keep", "measured"] = "keep"
    symmetry: str = "none"
    kinematics: Literal["auto", "K1", "K2", "K3", "K4", "K5"] = "auto"
    anti_roll: Literal["auto", "none", "single", "dual"] = "auto"
    spring: Literal["none", "wheel"] = "none"
    wheels_mounted: bool = True
    wheel_mass: float | None = None
    preload: Literal["measured", "masses", "curve"] = "measured"
    steering_ratio: float | None = None
    separate: bool = True


_CHOICES: dict[str, tuple[str, ...]] = {
    "method": ("polynomial", "spline"),
    "force_method": ("polynomial", "spline"),
    "alignment": ("keep", "measured"),
    "symmetry": SYMMETRIES,
    "kinematics": ("auto", "K1", "K2", "K3", "K4", "K5"),
    "anti_roll": ("auto", "none", "single", "dual"),
    "spring": ("none", "wheel"),
    "preload": ("measured", "masses", "curve"),
}
_COUNTS = {
    "order": (1, 15), "points": (5, 200), "columns": (3, 60), "load_points": (3, 60), "smooth": (0, 1001),
}  # fmt: skip


@dataclass(frozen=True)
class Case:
    """One file of a programme. ``place``: where the mapping names it; type and tab are empty until they are known."""

    file: Path
    type: str = ""
    tab: Tab | Literal[""] = ""
    name: str = ""
    axles: tuple[int, ...] = ()
    side: Side | Literal[""] = ""
    symmetry: str = ""
    header: str = ""
    place: str = ""

    @property
    def label(self) -> str:
        return self.name or self.file.stem

    @property
    def where(self) -> str:
        return f"{self.place}{shown(self.file)}"

    @property
    def family(self) -> str:
        """Of a compliance case: the load."""
        return self.type.rsplit(" ", 1)[0]

    @property
    def way(self) -> str:
        return self.type.rsplit(" ", 1)[-1]


@dataclass(frozen=True)
class Programme:
    """A mapping file as data."""

    map: ChannelMap = field(default_factory=ChannelMap)
    settings: Settings = field(default_factory=Settings)
    cases: tuple[Case, ...] = ()
    header: str = ""
    source: str = ""


@dataclass(frozen=True)
class Sweep:
    """What a file has of one axle, in SI and our signs. ``lines``: of the rows in the file, where it has lines."""

    case: Case
    axle: int
    values: Mapping[str, Array]
    columns: Mapping[str, str]
    lines: Sequence[int] = ()

    def __contains__(self, key: object) -> bool:
        return key in self.values

    def __getitem__(self, key: str) -> Array:
        if key not in self.values:
            raise ParameterError(f"{self.case.where}: no channel {key}; there are {', '.join(self.values)}")
        return self.values[key]

    @property
    def time(self) -> Array:
        """Time, or the count of samples where there is none."""
        if "time" in self.values and np.all(np.isfinite(self.values["time"])):
            return self.values["time"]
        return np.arange(float(len(next(iter(self.values.values())))))

    def at(self, row: int) -> str:
        """Where a row stands in the file."""
        return f"line {self.lines[row]}" if row < len(self.lines) else f"row {row + 1}"

    def span(self, key: str) -> float:
        found = self.values.get(key)
        if found is None or not np.any(np.isfinite(found)):
            return 0.0
        low, high = np.nanpercentile(found, [0.5, 99.5])
        return float(high - low)


# ---- the mapping file ---------------------------------------------------------------------------------------


def read_programme(path: Path, axle_of: Any = None) -> Programme:
    """Read a mapping file; ``axle_of`` turns the word of an axle into its number."""
    with reading(path):
        return _programme(path, axle_of)


def _programme(path: Path, axle_of: Any) -> Programme:
    document = read_mapping(path, f"a mapping has the keys {', '.join(KEYS)}")

    def where(node: Any, key: Any) -> str:
        data = getattr(getattr(node, "lc", None), "data", None) or {}
        line = data[key][0] + 1 if isinstance(data, Mapping) and key in data else 0
        return f"{shown(path)}, line {line}: " if line else f"{shown(path)}: "

    def located(node: Any, key: Any, make: Any, *arguments: Any) -> Any:
        try:
            return make(*arguments)
        except ParameterError as problem:
            raise ParameterError(f"{where(node, key)}{problem}") from None

    for key in document:
        if key not in KEYS:
            raise ParameterError(f"{where(document, key)}unknown key {key!r}{did_you_mean(str(key), KEYS, 12)}")
    for key in ("channels", "units", "signs", "settings"):
        if key in document and not isinstance(document[key], Mapping):
            raise ParameterError(f"{where(document, key)}{key}: expected a group of keys, found {document[key]!r}")
    channels: dict[str, Channel] = {}
    if document.get("preset") is not None:
        channels = located(document, "preset", preset, str(document["preset"]))
    for key, item in (document.get("channels") or {}).items():
        node = document["channels"]
        located(node, key, check_key, str(key))
        place = where(node, key)
        try:
            channels[str(key)] = channel(item, place)
        except ParameterError as problem:
            raise ParameterError(f"{place}{key}: {problem}") from None
    units = located(document, "units", check_units, document.get("units") or {})
    signs = located(document, "signs", check_signs, document.get("signs") or {})
    header = document.get("header") or ""
    if not isinstance(header, str):
        raise ParameterError(f"{where(document, 'header')}header: expected the name of the first column")
    settings = Settings()
    for key, value in (document.get("settings") or {}).items():
        settings = located(document["settings"], key, _set, settings, str(key), value)
    cases: list[Case] = []
    for tab in TABS:
        entries: Any = document.get(tab) or []
        if not isinstance(entries, list) or not all(isinstance(item, Mapping) for item in entries):
            raise ParameterError(f"{where(document, tab)}{tab}: expected a list of {{{', '.join(CASE_KEYS)}}}")
        if len(entries) > MOST_SWEEPS:
            raise ParameterError(f"{where(document, tab)}{tab}: {len(entries)} sweeps, at most {MOST_SWEEPS}")
        for i, item in enumerate(entries):
            place = f"{shown(path)}, line {document[tab].lc.data[i][0] + 1}, {tab}[{i}]: "
            try:
                cases.append(_case(item, tab, path.parent, header, axle_of, place))
            except ParameterError as problem:
                raise ParameterError(f"{place}{problem}") from None
    missing = [case for case in cases if not is_file(case.file)]
    if missing:
        raise FormatError("\n".join(f"{case.place}no such file: {shown(case.file)}" for case in missing))
    return Programme(ChannelMap(channels, units, signs), settings, tuple(cases), header, str(path))


def _case(item: Mapping[str, Any], tab: Tab, folder: Path, header: str, axle_of: Any, place: str) -> Case:
    unknown = [key for key in item if key not in CASE_KEYS]
    if unknown:
        raise ParameterError(f"unknown key {unknown[0]!r}{did_you_mean(str(unknown[0]), CASE_KEYS)}")
    for key, value in item.items():
        if not isinstance(value, str) and not (key == "axle" and isinstance(value, int)):
            raise ParameterError(f"{key} = {value!r}: expected a text")
    for key in ("file", "type"):
        if not str(item.get(key) or "").strip():
            raise ParameterError(f"{key!r} is missing")
    kind = case_type(item["type"], tab)
    side = str(item.get("side", "any")).lower()
    if side not in ("left", "right", "any"):
        raise ParameterError(f"side = {side!r}: unknown{did_you_mean(side, ('left', 'right', 'any'))}")
    symmetry = str(item.get("symmetry", ""))
    if symmetry and symmetry not in SYMMETRIES:
        raise ParameterError(f"symmetry = {symmetry!r}: unknown{did_you_mean(symmetry, SYMMETRIES)}")
    words = re.split(r"\s+and\s+|\s*,\s*", str(item["axle"])) if "axle" in item else []
    axles = tuple(axle_of(word) for word in words) if axle_of is not None else ()
    return Case(
        folder / item["file"].strip(), kind, tab, str(item.get("name", "")), axles,
        "" if side == "any" else SIDES[("left", "right").index(side)], symmetry, str(item.get("header", header)), place,
    )  # fmt: skip


def case_type(text: str, tab: Tab) -> str:
    """The type that a text means, of those that a list takes."""
    words = re.sub(r"[\s_-]+", " ", text.strip().lower())
    words = (
        re.sub(r"\b(patch|force|wheel(?= cent))\b", "", words)
        .replace("center", "centre")
        .replace("align ", "aligning ")
    )
    words = re.sub(r"\s+", " ", words).strip()
    words = _SPELLED.get(words, words)
    if words in TYPES[tab]:
        return words
    home = [name for name, types in TYPES.items() if words in types]
    if home:
        raise ParameterError(
            f"type = {text!r} belongs to the list {' or '.join(home)}; {tab} takes {', '.join(TYPES[tab])}"
        )
    raise ParameterError(f"type = {text!r}: unknown{did_you_mean(words, TYPES[tab], 16)}")


def _set(settings: Settings, key: str, value: Any) -> Settings:
    names = [item.name for item in fields(Settings)]
    if key not in names:
        raise ParameterError(f"settings: unknown key {key!r}{did_you_mean(key, names, 24)}")
    if key in _CHOICES:
        if value not in _CHOICES[key]:
            raise ParameterError(f"{key} = {value!r}: unknown{did_you_mean(str(value), _CHOICES[key])}")
    elif key in _COUNTS:
        low, high = _COUNTS[key]
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise ParameterError(f"{key} = {value!r}: expected a whole number from {low} to {high}")
    elif isinstance(getattr(settings, key), bool):
        if not isinstance(value, bool):
            raise ParameterError(f"{key} = {value!r}: expected true or false")
    elif key == "travel":
        if not isinstance(value, list) or len(value) != 2:
            raise ParameterError(f"travel = {value!r}: expected [lowest, highest], such as [-90 mm, 85 mm]")
        value = tuple(parse(item, "m", "travel") for item in value)
        if not value[0] < 0.0 < value[1]:
            raise ParameterError(f"travel = {list(value)!r}: expected a range around 0, in m or with a unit")
    else:
        unit = {"wheel_mass": "kg", "steering_ratio": "rad/m", "extrapolate": "-"}[key]
        value = parse(value, unit, key)
        if value < 0.0 or (key == "steering_ratio" and value == 0.0):
            raise ParameterError(f"{key} = {value!r}: must be positive")
    return replace(settings, **{key: value})


# ---- files --------------------------------------------------------------------------------------------------


def read_sweep(case: Case, axle: int, map: ChannelMap) -> Sweep:
    """Read what a file has of one axle."""
    names, units, data, lines, head = _table(case)
    values: dict[str, Array] = {}
    columns: dict[str, str] = {}
    wanted: list[tuple[str, Side | None]] = [(name, None) for name in WHOLE]
    wanted += [(name, side) for name in UNITS for side in SIDES]
    for quantity, side in wanted:
        found = map.find(quantity, side, axle, names)
        if found is None:
            continue
        key = quantity if side is None else f"{quantity}.{side}"
        if found.column not in data:
            raise ParameterError(
                f"{found.place}{key}: column {found.column!r} is not in {shown(case.file)}"
                f"{did_you_mean(found.column, names, 16)}"
            )
        try:
            values[key] = map.converted(quantity, side, found, data[found.column], units.get(found.column, ""))
        except ParameterError as problem:
            place = f", line {head + 1}" if head and not units.get(found.column) else f", line {head}" if head else ""
            raise ParameterError(f"{case.where}{place}, column {found.column!r}: {problem}") from None
        columns[key] = found.label or found.column
    if not values:
        raise FormatError(
            f"{case.where}: none of its columns is known as a quantity of axle {axle}; there are "
            f"{', '.join(names[:20])}. Say what they are in a mapping: channels: {{toe.L: column}}"
        )
    return Sweep(case, axle, values, columns, lines)


def _table(case: Case) -> tuple[list[str], dict[str, str], dict[str, Array], Sequence[int], int]:
    from jounce.results.files import SUFFIXES, text

    if not is_file(case.file):
        raise FormatError(f"{case.where}: there is no such file")
    if SUFFIXES.get(case.file.suffix.lower(), "text") == "text":
        table = text.load(case.file, case.header)
        units = dict(zip(table.names, (_spelled(unit) for unit in table.units), strict=True))
        data = {name: table.values[:, k] for k, name in enumerate(table.names)}
        return table.names, units, data, table.lines, table.head
    found = load_columns(case.file)
    if not found:
        raise FormatError(f"{case.where}: no columns of numbers")
    longest = max(found.values(), key=lambda column: len(column.values))
    data = {}
    for name, column in found.items():
        if column.time is not None and longest.time is not None:
            data[name] = np.interp(longest.time, column.time, column.values)
        elif len(column.values) == len(longest.values):
            data[name] = column.values
    return list(data), {name: found[name].unit for name in data}, data, (), 0


def _spelled(unit: str) -> str:
    usual = {"nm": "N.m", "n-m": "N.m", "n*m": "N.m", "degrees": "deg", "°": "deg", "degree": "deg", "newton": "N"}
    return usual.get(unit.strip().lower(), unit.strip())


def detect(sweep: Sweep) -> tuple[tuple[Case, ...], str]:
    """What a file without a list is a test of, by what moves in it; and that in words."""
    left, right = sweep.span("travel.L"), sweep.span("travel.R")
    case = sweep.case
    if sweep.span("steering") > TURNED or sweep.span("rack") > RACKED:
        return (replace(case, type="steering", tab="steering"),), "the hand wheel is turned"
    if max(left, right) > MOVED:
        return _travelled(sweep, left, right)
    best, size = "", 0.0
    for name, least in LOADED.items():
        share = max(sweep.span(f"{name}.{side}") for side in SIDES) / least
        if share > max(size, 1.0):
            best, size = name, share
    if not best:
        raise ParameterError(
            f"{case.where}: nothing moves in it: wheel travel {1e3 * max(left, right):.1f} mm, no load beyond "
            f"{LOADED['fx']:.0f} N or {LOADED['mz']:.0f} N.m. Are the columns those that were meant?"
        )
    family = {"fx": "contact longitudinal", "fy": "contact lateral", "mz": "aligning torque"}[best]
    spans = [sweep.span(f"{best}.{side}") for side in SIDES]
    if min(spans) < HELD * max(spans):
        side = SIDES[int(np.argmax(spans))]
        return (replace(case, type=f"{family} single", tab="compliance", side=side),), f"{best} on one wheel"
    way = "aiding" if _together(sweep, best) > 0 else "opposing"
    return (replace(case, type=f"{family} {way}", tab="compliance"),), f"{best} on both wheels"


def _travelled(sweep: Sweep, left: float, right: float) -> tuple[tuple[Case, ...], str]:
    case = sweep.case
    for key, least in (("steering", TURNED), ("rack", RACKED)):
        if key in sweep and abs(float(np.nanmedian(sweep[key]))) > least:
            return (replace(case, type="vertical", tab="steering"),), "the wheels travel with the hand wheel turned"
    if min(left, right) < HELD * max(left, right):
        kind, side, text = "single travel", SIDES[0] if left > right else SIDES[1], "one wheel travels"
        return tuple(replace(case, type=kind, tab=tab, side=side) for tab in ("kinematics", "roll")), text
    if _together(sweep, "travel") > 0:
        return tuple(replace(case, type="parallel travel", tab=t) for t in ("kinematics", "roll")), "both wheels travel"
    text = "the wheels travel against each other"
    return tuple(replace(case, type="opposite travel", tab=tab) for tab in ("kinematics", "roll")), text


def _together(sweep: Sweep, quantity: str) -> float:
    a, b = sweep[f"{quantity}.L"], sweep[f"{quantity}.R"]
    good = np.isfinite(a) & np.isfinite(b)
    return float(np.sum((a[good] - np.mean(a[good])) * (b[good] - np.mean(b[good]))))


def check_sides(sweep: Sweep) -> None:
    """ParameterError where what moves is not what the type of the case says; swapped sides show here."""
    case = sweep.case
    if case.tab in ("kinematics", "roll"):
        quantity, what = "travel", "travel"
    elif case.tab == "compliance":
        quantity = FAMILIES[case.family][0]
        what = quantity
    else:
        return
    for side in SIDES:
        _need(sweep, f"{quantity}.{side}")
    spans = {side: sweep.span(f"{quantity}.{side}") for side in SIDES}
    largest = max(spans.values())
    if case.type.endswith(("parallel travel", "aiding", "opposite travel", "opposing")):
        still = [side for side in SIDES if spans[side] < HELD * largest]
        if still or largest == 0.0:
            word = {"L": "left", "R": "right"}[still[0] if still else "L"]
            raise ParameterError(f"{case.where}: {case.type}, but {what} of the {word} wheel does not move")
        same = case.type.endswith(("parallel travel", "aiding"))
        if (_together(sweep, quantity) > 0) != same:
            word = "together" if not same else "against each other"
            columns = " and ".join(repr(sweep.columns[f"{quantity}.{side}"]) for side in SIDES)
            raise ParameterError(
                f"{case.where}: {case.type}, but {columns} go {word}; is the type, or the sign of one side, wrong?"
            )
    elif case.type.endswith("single travel") or case.way == "single":
        moved = SIDES[0] if spans["L"] >= spans["R"] else SIDES[1]
        if case.side and case.side != moved:
            words = {"L": "left", "R": "right"}
            raise ParameterError(
                f"{case.where}: the {words[case.side]} side is said to be the one that is moved, but "
                f"{sweep.columns[f'{quantity}.{moved}']!r}, the {words[moved]} one, moves; are left and right swapped?"
            )
        if min(spans.values()) > HELD * largest:
            raise ParameterError(f"{case.where}: {case.type}, but {what} moves on both wheels")


def _need(sweep: Sweep, *keys: str) -> None:
    missing = [key for key in keys if key not in sweep]
    if missing:
        raise ParameterError(
            f"{sweep.case.where}: no column for {', '.join(missing)}, which {sweep.case.type} needs; known are "
            f"{', '.join(f'{key} ({name})' for key, name in sweep.columns.items())}. Say which: "
            f"channels: {{{missing[0]}: column}}"
        )


need = _need


def moved_side(sweep: Sweep, quantity: str) -> Side:
    """The side that a single test moves or loads."""
    if sweep.case.side:
        return sweep.case.side
    return SIDES[0] if sweep.span(f"{quantity}.L") >= sweep.span(f"{quantity}.R") else SIDES[1]
