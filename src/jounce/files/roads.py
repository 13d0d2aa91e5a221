"""Roads by name: the builder's YAML, and every other format by the ending of the file.

    road: handling                 name
    line:                          pieces in order, or {path: file.drd} (or a name of the library), or {straight: 1000}
      - straight: 200
      - clothoid: {length: 40, from: 0, to: 0.0125}
      - arc: {radius: 80, angle: 90 deg}
    width: {left: 4, right: 4}
    height: [[0, 0], [150, 2]]
    bank: [[0, 0], [260, 0.05]]
    friction: {left: 1.0, right: 0.3}
    kerbs: {left: {slope_1: 0.1, width_1: 0.5}}
    unevenness: {iso_8608: C, coherency: 0.7, seed: 1}
    features:
      - pothole: {s: 100, n: 1.0, depth: 60 mm}
    smoothing_time: 1              s; in an event the road grows out of the plane under the car

Numbers are SI or carry their unit: an angle without one is in rad, and above one turn it is refused, since degrees were
meant. Slopes (bank, crown, grade) are tangents; ``3 deg`` is taken as tan 3°. A flat road says
``flat: {friction: 1.0}`` instead of ``line``. What the parts mean is in ``jounce.road.builder``.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any

from jounce.core.errors import FormatError, JounceError, ParameterError, did_you_mean
from jounce.core.library import LIBRARY
from jounce.core.limits import Limits, is_file, reading
from jounce.core.units import parse
from jounce.core.yaml_files import load
from jounce.files.drd import read_text
from jounce.files.problems import Report
from jounce.road.block import Frame
from jounce.road.builder import MOST_FRICTION, STEEPEST, RoadBuilder, beyond_the_ends
from jounce.road.path import Path
from jounce.road.remarks import line_remarks
from jounce.road.simple import Flat, Patch, Sum
from jounce.road.surface import Road

KEYS = (
    *(
        "road",
        "description",
        "author",
        "licence",
        "source",
        "flat",
        "line",
        "start",
        "closed",
        "width",
        "height",
        "bank",
    ),
    *("friction", "kerbs", "crown", "unevenness", "beside", "features", "smoothing_time"),
)
PATHS = (".drd", ".csv", ".kml", ".gpx")
LIMITS = Limits("a road in YAML", size=50_000_000)
ANGLES = {"angle", "heading"}
SLOPE = "slope"  # a tangent, or text with an angle
DIMENSIONLESS = {"friction"}
UNEVENNESS = {"coherency": "-", "seed": "-", "n_min": "1/m", "n_max": "1/m"}
STRIPS = {f"{what}_{k}": unit for k in (1, 2) for what, unit in (("slope", SLOPE), ("width", "m"), ("friction", "-"))}
INVERSE = {"from", "to", "first", "last"}  # curvatures of clothoids; wavelengths of chirps are lengths
FEATURES = ("bump", "cleat", "pothole", "round_pothole", "sine", "chirp", "patch")


def library_roads() -> dict[str, FilePath]:
    """Roads of the shipped library: name -> file."""
    return {p.stem: p for p in sorted((LIBRARY / "roads").glob("*.yaml"))}


def library_paths() -> dict[str, FilePath]:
    """Paths of the shipped library: name -> file."""
    return {p.stem: p for p in sorted((LIBRARY / "paths").glob("*.drd"))}


def load_road(source: str | FilePath) -> Road:
    """A road from a file (.yaml, .rdf, .crg, .obj), or from the library by its name."""
    return read_road(source)[0]


def read_road(source: str | FilePath) -> tuple[Road, Report | None]:
    """The same with what its reader found remarkable, where it says so."""
    with reading(source):
        return _read_road(source)


def _read_road(source: str | FilePath) -> tuple[Road, Report | None]:
    known = library_roads()
    text = str(source)
    place = known[text] if text in known else FilePath(text)
    if not is_file(place):
        raise ParameterError(f"road {text!r}: no such file, and not in the library{did_you_mean(text, known)}")
    ending = place.suffix.lower()
    if ending in (".yaml", ".yml"):
        return _parsed(read_text(place, LIMITS), str(place))
    if ending == ".rdf":
        return _read_rdf(place)
    if ending == ".crg":
        from jounce.files.crg import read_crg

        crg = read_crg(place)
        return crg.road(), crg.report
    if ending == ".obj":
        from jounce.files.obj import read_obj

        return read_obj(place), None
    if ending in PATHS:
        raise FormatError(f"{text}: is a path; a road along it is a .yaml file that says line: {{path: {place.name}}}")
    raise FormatError(f"{text}: roads are read from .yaml, .rdf, .crg and .obj")


def _read_rdf(place: FilePath) -> tuple[Road, Report]:
    """A road property file. A large mesh that nothing was said about comes from the cache the next time."""
    from jounce.files import mesh_cache
    from jounce.files.rdf import read_rdf
    from jounce.road.mesh import MeshRoad

    options, large = {"format": "rdf"}, mesh_cache.worth_keeping(place)
    found = mesh_cache.find(place, options) if large else None
    if found is not None:
        return found, Report(str(place))
    rdf = read_rdf(place)
    road = rdf.road()
    # irregularities and composites make other roads, which may depend on other files
    if large and rdf.kind == "MESH" and isinstance(road, MeshRoad) and not rdf.report.problems:
        mesh_cache.keep(place, options, road)
    return road, rdf.report


def load_path(source: str | FilePath) -> Path:
    """A path from a file (.drd, .csv, .kml, .gpx), or from the library by its name."""
    from jounce.files.gps import read_path

    known = library_paths()
    text = str(source)
    place = known[text] if text in known else FilePath(text)
    if not is_file(place):
        raise ParameterError(f"path {text!r}: no such file, and not in the library{did_you_mean(text, known)}")
    return read_path(place)


def parse_road(text: str, path: str = "") -> Road:
    """A road from YAML; raises a FormatError that lists what is wrong."""
    return _parsed(text, path)[0]


def _parsed(text: str, path: str) -> tuple[Road, Report]:
    report = Report(path or "(text)")
    data = load(text, report.path, LIMITS)
    if not isinstance(data, Mapping):
        raise FormatError(f"{report.path}: expected keys such as road, line, width; found {_shown(data)}")
    road = _Reader(data, report).road()
    report.raise_if_errors()
    assert road is not None
    return road, report


def _shown(value: Any) -> str:
    """What was found, for a message."""
    if isinstance(value, Mapping):
        return f"the keys {', '.join(map(str, value))}"[:60] if value else "no keys"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"a list of {len(value)}"
    return "nothing" if value is None else repr(value)[:60]


class _Reader:
    """Goes through the keys once; problems are gathered."""

    def __init__(self, data: Mapping[str, Any], report: Report) -> None:
        self.data, self.report = data, report

    def _line(self, data: Any, key: Any = None) -> int:
        try:
            position = data.lc.data[key] if key is not None else (data.lc.line,)
            return int(position[0]) + 1
        except (AttributeError, KeyError, TypeError, IndexError):
            return 0

    def _number(self, data: Any, key: Any, unit: str, place: str) -> float:
        value = data[key]
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            self.report.error(self._line(data, key), place, f"found {_shown(value)}; expected a number")
            return 1.0
        try:
            number = _slope(value, place) if unit == SLOPE else parse(value, unit, place)
        except JounceError as error:
            self.report.error(self._line(data, key), place, str(error))
            return 1.0
        if not math.isfinite(number):
            self.report.error(self._line(data, key), place, f"found {value!r}; expected a finite number")
            return 1.0
        if unit == "rad" and _plain(value):
            self._plain_angle(number, self._line(data, key), place)
        return number

    def _plain_angle(self, angle: float, line: int, place: str) -> None:
        """An angle without a unit is in rad, which is not what every one means who writes 90."""
        found = f"found {angle:g} without a unit, which is in rad: {math.degrees(angle):.0f} deg"
        if abs(angle) > 2 * math.pi * (1 + 1e-9):
            self.report.error(line, place, f"{found}, more than a turn; write '{angle:g} deg' or '{angle:g} rad'")
        elif abs(angle) > math.pi * (1 + 1e-9):
            self.report.warning(line, place, found)

    def _within(self, data: Any, key: Any, unit: str, place: str, low: float, high: float = math.inf) -> float:
        number = self._number(data, key, unit, place)
        if not low <= number <= high:
            allowed = f"from {low:g} to {high:g}" if math.isfinite(high) else f"{low:g} or more"
            shown = f"{number:g} {unit}" if unit in ("m", "s") else f"{number:g}"
            self.report.error(self._line(data, key), place, f"found {shown}; must be {allowed}")
        return number

    def _do(self, line: int, place: str, call: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """A call of the builder; what it refuses is told with its place. None then."""
        try:
            return call(*arguments, **named)
        except ParameterError as error:
            text = str(error)
            self.report.error(line, place, text.removeprefix(f"{place.rpartition('.')[2]}: "))
            return None

    def _rows(self, data: Any, key: str, unit: str) -> Any:
        value = data[key]
        if not isinstance(value, Sequence) or isinstance(value, str):
            return self._number(data, key, unit, key)
        rows = []
        for i, row in enumerate(value):
            if not isinstance(row, Sequence) or isinstance(row, str) or len(row) != 2:
                self.report.error(self._line(value, i), f"{key}[{i}]", f"found {_shown(row)}; expected [s, value]")
                continue
            rows.append((self._number(row, 0, "m", f"{key}[{i}]"), self._number(row, 1, unit, f"{key}[{i}]")))
        if not rows:
            self.report.error(self._line(data, key), key, "expected a number or rows of [s, value]")
            return 1.0
        return rows

    def _map(self, data: Any, key: Any, allowed: Sequence[str], place: str) -> Mapping[str, Any]:
        value = data[key]
        if not isinstance(value, Mapping):
            self.report.error(self._line(data, key), place, f"found {_shown(value)}; expected {', '.join(allowed)}")
            return {}
        for name in value:
            if name not in allowed:
                self.report.error(
                    self._line(value, name), f"{place}.{name}", f"unknown{did_you_mean(str(name), allowed)}"
                )
        return value

    def _arguments(
        self, data: Any, key: Any, function: Any, place: str, rename: Mapping[str, str] | None = None
    ) -> Any:
        """Arguments of a builder's call from a map, with units by their names."""
        names = [n for n in inspect.signature(function).parameters if n not in ("self", "side")]
        shown = {v: k for k, v in (rename or {}).items()}
        value = self._map(data, key, [shown.get(n, n) for n in names], place)
        curvature = rename is not None
        out: dict[str, Any] = {}
        for name in value:
            target = (rename or {}).get(name, name)
            if target not in names:
                continue
            if isinstance(value[name], bool):
                out[target] = bool(value[name])
            elif curvature and name in INVERSE:
                out[target] = self._number(value, name, "1/m", f"{place}.{name}")
            elif name in DIMENSIONLESS:
                out[target] = self._number(value, name, "-", f"{place}.{name}")
            elif name in ANGLES:
                out[target] = self._number(value, name, "rad", f"{place}.{name}")
            else:
                out[target] = self._number(value, name, "m", f"{place}.{name}")
        needed = [n for n, p in inspect.signature(function).parameters.items() if p.default is inspect.Parameter.empty]
        for name in needed:
            if name not in ("self", "side", "strips") and name not in out:
                self.report.error(self._line(data, key), place, f"{shown.get(name, name)} is missing")
        return out

    def road(self) -> Road | None:
        data = self.data
        for key in data:
            if key not in KEYS:
                self.report.error(self._line(data, key), str(key), f"unknown{did_you_mean(str(key), KEYS)}")
        name = str(data.get("road", "") or FilePath(self.report.path).stem)
        if ("flat" in data) == ("line" in data):
            self.report.error(0, "", "expected either line or flat")
            return None
        time = self._within(data, "smoothing_time", "s", "smoothing_time", 0.0) if "smoothing_time" in data else 0.0
        try:
            road = self._flat(name) if "flat" in data else self._built(name)
            return road if road is None or not time else replace(road, smoothing_time=time)
        except ParameterError as error:
            self.report.error(0, name, str(error))
            return None

    def _flat(self, name: str) -> Road | None:
        flat = self._map(self.data, "flat", ("friction", "grade", "bank", "length", "width", "patches"), "flat")
        limits: dict[str, tuple[str, float, float]] = {
            "friction": ("-", 0.0, MOST_FRICTION),
            **dict.fromkeys(("grade", "bank"), (SLOPE, -STEEPEST, STEEPEST)),
            **dict.fromkeys(("length", "width"), ("m", 1e-3, math.inf)),
        }
        numbers = {
            k: self._within(flat, k, unit, f"flat.{k}", low, high)
            for k, (unit, low, high) in limits.items()
            if k in flat
        }
        patches = []
        for i, item in enumerate(flat.get("patches", [])):
            keys = ("x", "y", "length", "width", "radius", "friction")
            if not isinstance(item, Mapping) or "friction" not in item:
                self.report.error(self._line(flat, "patches"), f"flat.patches[{i}]", "expected a map with friction")
                continue
            value = self._map(flat["patches"], i, keys, f"flat.patches[{i}]")
            limit = {"friction": (0.0, MOST_FRICTION), "x": (-math.inf,), "y": (-math.inf,)}
            n = {
                k: self._within(
                    *(value, k, "-" if k == "friction" else "m", f"flat.patches[{i}].{k}"), *limit.get(k, (1e-3,))
                )
                for k in value
                if k in keys
            }
            frame = Frame(x=n.pop("x", 0.0), y=n.pop("y", 0.0))
            patches.append(Patch(frame=frame, **n))  # type: ignore[arg-type]
        if self.report.errors:
            return None
        drawn = tuple(numbers.pop(k, 100.0) for k in ("length", "width"))
        base = Flat(name=name, drawn=drawn, **numbers)  # type: ignore[arg-type]
        return Sum(base=base, features=patches, name=name) if patches else base

    def _built(self, name: str) -> Road | None:
        data, builder = self.data, RoadBuilder(name)
        if "start" in data:
            builder.start(**self._arguments(data, "start", RoadBuilder.start, "start"))
        self._line_of(builder)
        self._closed(builder)
        for key, unit in (("height", "m"), ("bank", SLOPE)):
            if key in data:
                self._do(self._line(data, key), key, getattr(builder, key), self._rows(data, key, unit))
        for key, unit in (("width", "m"), ("friction", "-")):
            if key in data:
                self._both(builder, key, unit)
        if "crown" in data:
            self._do(self._line(data, "crown"), "crown", builder.crown, self._number(data, "crown", SLOPE, "crown"))
        if "kerbs" in data:
            for side in self._map(data, "kerbs", ("left", "right"), "kerbs"):
                if side in ("left", "right"):
                    value = self._map(data["kerbs"], side, tuple(STRIPS), f"kerbs.{side}")
                    strips = {k: self._number(value, k, STRIPS[k], f"kerbs.{side}.{k}") for k in value if k in STRIPS}
                    self._do(self._line(data["kerbs"], side), f"kerbs.{side}", builder.kerb, side, **strips)
        if "unevenness" in data:
            self._uneven(builder)
        if "beside" in data:
            value = self._map(data, "beside", ("side", "end"), "beside")
            named = {str(k): str(v) for k, v in value.items() if k in ("side", "end")}
            self._do(self._line(data, "beside"), "beside", builder.beside, **named)
        # where the line is wrong already, nothing can be said about places on it
        path = None if self.report.errors else self._do(self._line(data, "line"), "line", builder.path)
        self._features(builder, path)
        if self.report.errors:
            return None
        road = builder.build()
        for remark in line_remarks(road):
            self.report.warning(self._line(data, "line"), "line", remark)
        return road

    def _closed(self, builder: RoadBuilder) -> None:
        if "closed" not in self.data:
            return
        closed, line = self.data["closed"], self._line(self.data, "closed")
        if not isinstance(closed, bool):
            self.report.error(line, "closed", f"found {_shown(closed)}; expected true or false")
        elif closed:
            builder.close()
            if not self.report.errors:
                self._do(line, "closed", builder.path)
        elif not self.report.errors and builder.path().closed:
            self.report.error(line, "closed", "found false; the path of line closes itself. Leave closed out")

    def _line_of(self, builder: RoadBuilder) -> None:
        line = self.data["line"]
        if isinstance(line, Mapping):
            keys = ("path", "straight")
            value = self._map(self.data, "line", keys, "line")
            if "path" in value:
                try:
                    builder.along(self._path(str(value["path"])))
                except JounceError as error:
                    self.report.error(self._line(value, "path"), "line.path", str(error))
            elif "straight" in value:
                length = self._number(value, "straight", "m", "line.straight")
                self._do(self._line(value, "straight"), "line.straight", builder.straight, length)
            return
        if not isinstance(line, Sequence) or isinstance(line, str):
            self.report.error(self._line(self.data, "line"), "line", "expected a list of straight, arc, clothoid")
            return
        for i, item in enumerate(line):
            place = f"line[{i}]"
            if not isinstance(item, Mapping) or len(item) != 1:
                self.report.error(
                    self._line(line, i), place, f"found {_shown(item)}; expected one of straight, arc, clothoid"
                )
                continue
            kind = next(iter(item))
            at = self._line(line, i)
            if kind == "straight":
                self._do(at, place, builder.straight, self._number(item, kind, "m", place))
            elif kind == "arc":
                found = self._arguments(item, kind, RoadBuilder.arc, place)
                if "angle" in found and "radius" in found:
                    self._do(at, place, builder.arc, found["radius"], math.degrees(found["angle"]))
            elif kind == "clothoid":
                found = self._arguments(item, kind, RoadBuilder.clothoid, place, {"from": "first", "to": "last"})
                if len(found) == 3:
                    self._do(at, place, builder.clothoid, **found)
            else:
                known = ("straight", "arc", "clothoid")
                self.report.error(self._line(line, i), place, f"found {kind!r}{did_you_mean(str(kind), known)}")

    def _path(self, name: str) -> Path:
        """A file beside this one, or a path of the library."""
        beside = FilePath(self.report.path).parent / name
        return load_path(name if name in library_paths() and not is_file(beside) else beside)

    def _both(self, builder: RoadBuilder, key: str, unit: str) -> None:
        value = self.data[key]
        if isinstance(value, Mapping):
            value = self._map(self.data, key, ("left", "right"), key)
            if not {"left", "right"} <= set(value):
                self.report.error(self._line(self.data, key), key, "expected left and right")
                return
            rows = [self._rows(value, side, unit) for side in ("left", "right")]
        else:
            rows = [self._rows(self.data, key, unit)]
        self._do(self._line(self.data, key), key, getattr(builder, key), *rows)

    def _uneven(self, builder: RoadBuilder) -> None:
        line = self._line(self.data, "unevenness")
        value = self._map(self.data, "unevenness", ("iso_8608", *UNEVENNESS), "unevenness")
        if "iso_8608" not in value:
            self.report.error(line, "unevenness", "iso_8608 is missing")
            return
        options: dict[str, Any] = {
            k: self._number(value, k, UNEVENNESS[k], f"unevenness.{k}") for k in value if k in UNEVENNESS
        }
        level = value["iso_8608"]
        if not isinstance(level, str) or level[:1].isdigit():
            level = self._number(value, "iso_8608", "m3", "unevenness.iso_8608")
        self._do(line, "unevenness", builder.unevenness, level, **options)

    def _features(self, builder: RoadBuilder, path: Path | None) -> None:
        items = self.data.get("features", [])
        if not isinstance(items, Sequence) or isinstance(items, str):
            self.report.error(
                self._line(self.data, "features"), "features", f"expected a list of {', '.join(FEATURES)}"
            )
            return
        for i, item in enumerate(items):
            place = f"features[{i}]"
            if not isinstance(item, Mapping) or len(item) != 1 or next(iter(item)) not in FEATURES:
                found = next(iter(item)) if isinstance(item, Mapping) and item else item
                hint = did_you_mean(str(found), FEATURES)
                self.report.error(self._line(items, i), place, f"found {str(found)[:40]!r}{hint}")
                continue
            kind = next(iter(item))
            method = getattr(RoadBuilder, kind)
            before = len(self.report.errors)
            arguments = self._arguments(item, kind, method, f"{place}.{kind}")
            line, name = self._line(items, i), f"{place}.{kind}"
            if path is None or len(self.report.errors) > before:
                continue
            if self._do(line, name, getattr(builder, kind), **arguments) is not None:
                remark = self._do(line, name, beyond_the_ends, *builder.placed[-1], path)
                if remark:
                    self.report.warning(line, name, remark.removeprefix(f"{kind}: "))


def _plain(value: float | str) -> bool:
    """Whether a number has no unit."""
    return not isinstance(value, str) or re.fullmatch(r"[-+\d.eE\s]*", value) is not None


def _slope(value: float | str, place: str) -> float:
    """A tangent; text with an angle is its tangent."""
    if isinstance(value, str) and not _plain(value):
        try:
            return math.tan(parse(value, "rad", place))
        except JounceError:  # not an angle: percent, or something that the message below names
            pass
    return parse(value, "-", place)
