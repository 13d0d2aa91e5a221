"""Paths from maps and loggers: KML and GPX (longitude, latitude, altitude), and CSV.

Geographic coordinates become metres on the plane that touches the WGS 84 ellipsoid at the first point, x to the east,
y to the north. With the radii of curvature M along the meridian and N across it at the latitude φ₀,

    x = N(φ₀) cos φ₀ Δλ,   y = M(φ₀) Δφ                                                                    (1)

to first order; the second-order terms are taken along (``to_plane``), so that lengths are right to 1e-5 over 10 km.
Altitudes are counted from the first point, whatever the format: the path begins at x = y = z = 0.

XML is read by a parser without entities and external references: a file that declares a DTD is refused.
"""

from __future__ import annotations

import csv
import io
import logging
import math
import re
from pathlib import Path as FilePath
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.core.errors import FormatError, ParameterError, did_you_mean
from jounce.core.limits import FARTHEST, parse_xml, reading
from jounce.core.units import convert, dimensions
from jounce.core.writing import write_atomically
from jounce.files.drd import read_text
from jounce.files.problems import Report
from jounce.files.property_file import NUMBER, to_number
from jounce.road.path import Path

Array = npt.NDArray[np.float64]

log = logging.getLogger(__name__)

A = 6378137.0  # WGS 84: semi-major axis, m
F = 1 / 298.257223563
E2 = F * (2 - F)

# names of columns in CSV files, and what they mean
CSV_NAMES = {
    **dict.fromkeys(("x", "x_m", "x-coord", "x_coord"), "x"),
    **dict.fromkeys(("y", "y_m", "y-coord", "y_coord"), "y"),
    **dict.fromkeys(("z", "z_m", "z-coord", "z_coord", "altitude", "elevation", "ele", "alt"), "z"),
    **dict.fromkeys(("lon", "longitude", "lng"), "lon"),
    **dict.fromkeys(("lat", "latitude"), "lat"),
    **dict.fromkeys(("width", "width_m"), "width"),
    **dict.fromkeys(("left", "w_tr_left_m", "width_left"), "left"),
    **dict.fromkeys(("right", "w_tr_right_m", "width_right"), "right"),
    **dict.fromkeys(("bank", "lat.inc"), "bank"),
    **dict.fromkeys(("speed", "v", "vx_mps"), "speed"),
    **dict.fromkeys(("s", "s_m", "time", "t"), ""),
}
# what they are measured in; a head such as ``x [mm]`` or ``speed (km/h)`` says otherwise
CSV_UNITS = {**dict.fromkeys(("x", "y", "z", "width", "left", "right"), "m"), "lon": "deg", "lat": "deg"}
CSV_UNITS |= {"bank": "-", "speed": "m/s"}
_HEAD = re.compile(r"([^\[(]*)(?:[\[(]([^\])]*)[\])])?\s*")


def to_plane(lon: npt.ArrayLike, lat: npt.ArrayLike, lon0: float, lat0: float) -> tuple[Array, Array]:
    """East and north, m, of geographic coordinates in degrees, on the plane that touches at (lon0, lat0)."""
    l, p = np.radians(np.asarray(lon, dtype=float)), np.radians(np.asarray(lat, dtype=float))  # noqa: E741
    l0, p0 = math.radians(lon0), math.radians(lat0)

    def earth(lam: Any, phi: Any) -> tuple[Any, Any, Any]:
        n = A / np.sqrt(1 - E2 * np.sin(phi) ** 2)
        return n * np.cos(phi) * np.cos(lam), n * np.cos(phi) * np.sin(lam), n * (1 - E2) * np.sin(phi)

    x, y, z = earth(l, p)
    a, b, c = earth(l0, p0)
    dx, dy, dz = x - a, y - b, z - c
    east = -math.sin(l0) * dx + math.cos(l0) * dy
    north = -math.sin(p0) * (math.cos(l0) * dx + math.sin(l0) * dy) + math.cos(p0) * dz
    down = -(math.cos(p0) * (math.cos(l0) * dx + math.sin(l0) * dy) + math.sin(p0) * dz)
    # the chord of the ellipsoid falls below the plane; stretch it to the arc
    flat = np.hypot(east, north)
    arc = flat + np.divide(down**2 * 2 / 3, flat, out=np.zeros_like(flat), where=flat > 0)
    scale = np.divide(arc, flat, out=np.ones_like(flat), where=flat > 0)
    return np.asarray(east * scale), np.asarray(north * scale)


def from_plane(x: npt.ArrayLike, y: npt.ArrayLike, lon0: float, lat0: float) -> tuple[Array, Array]:
    """Degrees of longitude and latitude of plane coordinates, the inverse of `to_plane`."""
    a, b = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    p0 = math.radians(lat0)
    w = 1 - E2 * math.sin(p0) ** 2
    n, m = A / math.sqrt(w), A * (1 - E2) / w**1.5
    lat = lat0 + np.degrees(b / m)
    lon = lon0 + np.degrees(a / (n * math.cos(p0)))
    for _ in range(8):
        dx, dy = to_plane(lon, lat, lon0, lat0)
        lat = lat + np.degrees((b - dy) / m)
        lon = lon + np.degrees((a - dx) / (n * math.cos(p0)))
    return lon, lat


def _on_plane(lon: Array, lat: Array, alt: Array, path: str) -> tuple[Array, npt.NDArray[np.bool_]]:
    """Points (n, 3) from the first one, m, and which of them are not the same as the one before."""
    for what, values, most in (("longitude", lon, 360.0), ("latitude", lat, 89.9), ("altitude", alt, FARTHEST)):
        bad = ~np.isfinite(values) | (np.abs(values) > most)
        if bad.any():
            i = int(np.argmax(bad))
            allowed = f"allowed: -{most:g} to {most:g} {'m' if what == 'altitude' else 'degrees'}"
            raise FormatError(f"{path}: point {i + 1}: found the {what} {values[i]:g}; {allowed}")
    if np.ptp(lon) > 1 or np.ptp(lat) > 1:
        raise FormatError(f"{path}: the points span more than one degree; this is too large for a plane")
    x, y = to_plane(lon, lat, float(lon[0]), float(lat[0]))
    keep = np.concatenate([[True], np.hypot(np.diff(x), np.diff(y)) > 1e-6])
    if keep.sum() < 2:
        raise FormatError(f"{path}: all points are the same")
    return np.column_stack([x, y, alt - alt[0]]), keep


def _geographic(points: list[tuple[float, float, float]], path: str, closed: bool | None, step: float | None) -> Path:
    if len(points) < 2:
        raise FormatError(f"{path}: found {len(points)} points; a path needs at least two")
    lon, lat, alt = np.array(points).T
    xyz, keep = _on_plane(lon, lat, alt, path)
    return Path.from_points(xyz[keep], closed=closed, step=step, name=FilePath(path).stem)


def _tell(report: Report, wanted: Report | None) -> None:
    """What is remarkable goes to who asked for it, else to the log."""
    if wanted is not None:
        wanted.problems += report.problems
        return
    for problem in report.warnings:
        log.warning("%s: %s", report.path, problem)


def parse_kml(
    text: str,
    path: str = "",
    *,
    closed: bool | None = None,
    step: float | None = None,
    report: Report | None = None,
) -> Path:
    """The first LineString (or LinearRing, which is closed) of a KML text; of others a warning tells."""
    root, findings = parse_xml(text, path or "(text)"), Report(path or "(text)")
    lines = [e for e in root.iter() if e.tag.rpartition("}")[2] in ("LineString", "LinearRing")]
    if len(lines) > 1:
        findings.warning(0, "LineString", f"found {len(lines)} lines; the first is taken")
    for element in lines:
        tag = element.tag.rpartition("}")[2]
        child = next((c for c in element.iter() if c.tag.rpartition("}")[2] == "coordinates"), None)
        words = (child.text or "").split() if child is not None else []
        points = []
        for word in words:
            parts = word.split(",")
            if len(parts) not in (2, 3) or any(NUMBER.fullmatch(p) is None for p in parts):
                raise FormatError(
                    f"{path or '(text)'}: coordinates {word[:40]!r}; expected longitude,latitude[,altitude]"
                )
            points.append((to_number(parts[0]), to_number(parts[1]), to_number(parts[2]) if len(parts) == 3 else 0.0))
        _tell(findings, report)
        # what is said counts, then what the file says
        return _geographic(points, findings.path, True if tag == "LinearRing" and closed is None else closed, step)
    raise FormatError(f"{path or '(text)'}: found no LineString with coordinates")


def parse_gpx(
    text: str,
    path: str = "",
    *,
    closed: bool | None = None,
    step: float | None = None,
    report: Report | None = None,
) -> Path:
    """The first track (all its segments), or route, of a GPX text; of others a warning tells."""
    root, findings = parse_xml(text, path or "(text)"), Report(path or "(text)")
    for whole, kind, name in (("trk", "trkpt", "tracks"), ("rte", "rtept", "routes")):
        parts = [e for e in root.iter() if e.tag.rpartition("}")[2] == whole]
        parts = [e for e in parts if any(c.tag.rpartition("}")[2] == kind for c in e.iter())]
        if len(parts) > 1:
            findings.warning(0, whole, f"found {len(parts)} {name}; the first is taken")
        points: list[tuple[float, float, float]] = []
        for element in (parts[0] if parts else root).iter():
            if element.tag.rpartition("}")[2] != kind:
                continue
            given = [element.get("lon", ""), element.get("lat", "")]
            height = next((c.text or "" for c in element if c.tag.rpartition("}")[2] == "ele"), "0")
            words = [*given, height.strip() or "0"]
            if any(NUMBER.fullmatch(w) is None for w in words):
                raise FormatError(
                    f"{path or '(text)'}: point {len(points) + 1}: found {str(words)[:200]}; expected numbers"
                )
            points.append((to_number(words[0]), to_number(words[1]), to_number(words[2])))
        if points:
            _tell(findings, report)
            return _geographic(points, findings.path, closed, step)
    raise FormatError(f"{path or '(text)'}: found no track and no route")


def parse_csv(
    text: str,
    path: str = "",
    *,
    closed: bool | None = None,
    step: float | None = None,
    report: Report | None = None,
) -> Path:
    """A path from columns x, y (or lon, lat) and, if there, z, width (or left, right), bank, speed.

    The first line names the columns, with or without # in front; of several lines with # the last one before the
    numbers does. Without names the columns are x, y and, if there is a third one, z. Separators are comma, semicolon
    or tab. Numbers are SI, lon and lat degrees, bank a slope; a name may carry another unit, as in ``x [mm]``,
    ``speed (km/h)``, ``bank [deg]``. With lon and lat, heights are counted from the first point.
    """
    wanted, report = report, Report(path or "(text)")
    body = [(i, line) for i, line in enumerate(text.splitlines(), 1) if line.strip()]
    while len(body) > 1 and body[0][1].lstrip().startswith("#") and body[1][1].lstrip().startswith("#"):
        body.pop(0)
    if not body:
        raise FormatError(f"{report.path}: is empty")
    separator = max(",;\t", key=body[0][1].count)
    if not body[0][1].count(separator):
        separator = " "
    rows = []
    for i, line in body:
        words = line.split() if separator == " " else next(csv.reader(io.StringIO(line), delimiter=separator))
        rows.append((i, [w.strip() for w in words]))
    first = [w.lstrip("# \t") for w in rows[0][1]]
    names, units = ["x", "y", "z"][: len(first)], [""] * len(first)
    if any(NUMBER.fullmatch(w) is None for w in first):
        names, units = [], []
        for word in first:
            head = _HEAD.fullmatch(word)
            key = (head[1] if head is not None else word).lower().strip()
            if key not in CSV_NAMES:
                report.info(rows[0][0], word, f"column is not used{did_you_mean(key, CSV_NAMES)}")
            names.append(CSV_NAMES.get(key, ""))
            units.append(_unit(names[-1], (head[2] or "") if head is not None else "", rows[0][0], word, report))
        rows = rows[1:]
    elif len(first) > len(names):
        text = f"found {len(first)} columns without names; a first line must name them, such as # x,y,right,left"
        report.error(rows[0][0], "", text)
    if not ({"x", "y"} <= set(names) or {"lon", "lat"} <= set(names)):
        report.error(body[0][0], "", f"found columns {first}; x and y, or lon and lat, are needed")
    table: list[list[float]] = []
    for i, words in rows:
        if words and words[0].startswith("#"):
            continue
        if len(words) < len(names) or any(NUMBER.fullmatch(w) is None for w, n in zip(words, names, strict=False) if n):
            report.error(i, "", f"found {separator.join(words)[:60]!r}; expected {len(names)} numbers")
            continue
        values = [to_number(w) if n else 0.0 for w, n in zip(words, names, strict=False)]
        if not all(map(math.isfinite, values)):
            report.error(i, "", "found a number that is too large")
            continue
        table.append(values)
    if len(table) < 2 and not report.errors:
        report.error(0, "", f"found {len(table)} points; a path needs at least two")
    report.raise_if_errors()
    columns = {n: _in_si(np.array([r[k] for r in table]), n, units[k]) for k, n in enumerate(names) if n}
    z = columns.get("z", np.zeros(len(table)))
    if "x" in columns:
        xyz = np.column_stack([columns["x"], columns["y"], z])
    else:
        xyz, keep = _on_plane(columns["lon"], columns["lat"], z, report.path)
        xyz, columns = xyz[keep], {n: v[keep] for n, v in columns.items()}
    half = 0.5 * columns["width"] if "width" in columns else None
    _tell(report, wanted)
    return Path.from_points(
        xyz,
        closed=closed,
        step=step,
        left=columns.get("left", half),
        right=columns.get("right", half),
        bank=columns.get("bank"),
        speed=columns.get("speed"),
        name=FilePath(path).stem,
    )


def _unit(name: str, unit: str, line: int, word: str, report: Report) -> str:
    """The unit of a column by its head; empty where it is the usual one, or where there is none."""
    unit = unit.strip()
    if not name or not unit:
        return ""
    fits = {"bank": ("-", "rad")}.get(name, (CSV_UNITS[name],))
    try:
        found = dimensions(unit)
    except ParameterError as error:
        report.error(line, word, str(error))
        return ""
    if found not in [dimensions(u) for u in fits]:
        report.error(line, word, f"found the unit {unit!r}; expected one that fits {' or '.join(fits)}")
        return ""
    return unit


def _in_si(values: Array, name: str, unit: str) -> Array:
    """A column in the units of ``CSV_UNITS``; bank angles become slopes."""
    if not unit:
        return values
    if name == "bank" and dimensions(unit) == dimensions("rad"):
        return np.asarray(np.tan(values * convert(1.0, unit, "rad")))
    return values * convert(1.0, unit, CSV_UNITS[name])


def csv_text(path: Path) -> str:
    """A path as CSV with a line of names, SI."""
    columns = {"x": path.x, "y": path.y, "z": path.z}
    columns |= {k: v for k in ("left", "right", "bank", "speed") if (v := getattr(path, k)) is not None}
    lines = [",".join(columns)]
    lines += [",".join(repr(float(v)) for v in row) for row in zip(*columns.values(), strict=True)]
    return "\n".join(lines) + "\n"


def kml_text(path: Path, lon0: float, lat0: float, altitude: float = 0.0) -> str:
    """A path as KML, with its origin at a geographic place."""
    lon, lat = from_plane(path.x, path.y, lon0, lat0)
    words = [f"{a:.9f},{b:.9f},{c + altitude:.4f}" for a, b, c in zip(lon, lat, path.z, strict=True)]
    if path.closed:
        words.append(words[0])
    name = path.name.replace("&", "&amp;").replace("<", "&lt;")
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<kml xmlns="http://www.opengis.net/kml/2.2"><Document><Placemark>'
        f"<name>{name}</name><LineString><coordinates>\n"
        + "\n".join(words)
        + "\n</coordinates></LineString></Placemark>"
        "</Document></kml>\n"
    )


def gpx_text(path: Path, lon0: float, lat0: float, altitude: float = 0.0) -> str:
    """A path as a GPX track, with its origin at a geographic place."""
    lon, lat = from_plane(path.x, path.y, lon0, lat0)
    points = [
        f'<trkpt lat="{b:.9f}" lon="{a:.9f}"><ele>{c + altitude:.4f}</ele></trkpt>'
        for a, b, c in zip(lon, lat, path.z, strict=True)
    ]
    if path.closed:
        points.append(points[0])
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="jounce" '
        'xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>\n' + "\n".join(points) + "\n</trkseg></trk></gpx>\n"
    )


_READERS = {".kml": parse_kml, ".gpx": parse_gpx, ".csv": parse_csv, ".txt": parse_csv}


def read_path(
    path: str | FilePath, *, closed: bool | None = None, step: float | None = None, report: Report | None = None
) -> Path:
    """Read a path from DRD, CSV, KML or GPX, by the ending of its name.

    Parameters
    ----------
    closed : whether the end is the start; by default as `Path.from_points` finds it
    report : takes what the reader found remarkable; without one warnings go to the log
    """
    ending = FilePath(path).suffix.lower()
    with reading(path):
        if ending in (".drd", ".drd2"):
            from jounce.files.drd import read_drd

            drd = read_drd(path)
            _tell(drd.report, report)
            return drd.path(closed=closed, step=step)
        if ending not in _READERS:
            raise FormatError(f"{path}: paths are read from .drd, {', '.join(_READERS)}")
        return _READERS[ending](read_text(path), str(path), closed=closed, step=step, report=report)


def write_path(path: Path, target: str | FilePath, lon0: float | None = None, lat0: float | None = None) -> None:
    """Write a path as DRD, CSV, KML or GPX, by the ending of the name; the last two need the place of its origin."""
    from jounce.files.drd import drd_text

    ending = FilePath(target).suffix.lower()
    if ending == ".drd":
        text = drd_text(path)
    elif ending == ".csv":
        text = csv_text(path)
    elif ending in (".kml", ".gpx"):
        if lon0 is None or lat0 is None:
            raise FormatError(f"{target}: give longitude and latitude of the origin: lon0, lat0")
        text = (kml_text if ending == ".kml" else gpx_text)(path, lon0, lat0)
    else:
        raise FormatError(f"{target}: paths are written as .drd, .csv, .kml or .gpx")
    write_atomically(target, text)
