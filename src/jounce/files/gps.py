"""Paths from maps and loggers: KML and GPX (longitude, latitude, altitude), and CSV.

Geographic coordinates become metres on the plane that touches the WGS 84 ellipsoid at the first point, x to the east,
y to the north. With the radii of curvature M along the meridian and N across it at the latitude φ₀,

    x = N(φ₀) cos φ₀ Δλ,   y = M(φ₀) Δφ                                                                    (1)

to first order; the second-order terms are taken along (``to_plane``), so that lengths are right to 1e-5 over 10 km.

XML is read by a parser without entities and external references: a file that declares a DTD is refused.
"""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path as FilePath
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.core.errors import FormatError, did_you_mean
from jounce.core.writing import write_atomically
from jounce.files.drd import MAX_BYTES, read_text
from jounce.files.problems import Report
from jounce.files.property_file import NUMBER, to_number
from jounce.road.path import Path

Array = npt.NDArray[np.float64]

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


def _xml(text: str, path: str) -> Any:
    import xml.etree.ElementTree as Tree

    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise FormatError(f"{path}: declares a document type or entities; such files are not read")
    try:
        return Tree.fromstring(text)
    except Tree.ParseError as error:
        line = error.position[0] if error.position else 0
        raise FormatError(f"{path}: line {line}: not well-formed XML ({error})") from None


def _geographic(points: list[tuple[float, float, float]], path: str, closed: bool | None, step: float | None) -> Path:
    if len(points) < 2:
        raise FormatError(f"{path}: found {len(points)} points; a path needs at least two")
    lon, lat, alt = np.array(points).T
    if not np.all(np.isfinite([lon, lat, alt])) or np.any(np.abs(lat) > 89.9) or np.any(np.abs(lon) > 360):
        raise FormatError(f"{path}: longitudes must lie within ±360 and latitudes within ±89.9 degrees")
    if np.ptp(lon) > 1 or np.ptp(lat) > 1:
        raise FormatError(f"{path}: the points span more than one degree; this is too large for a plane")
    x, y = to_plane(lon, lat, float(lon[0]), float(lat[0]))
    keep = np.concatenate([[True], np.hypot(np.diff(x), np.diff(y)) > 1e-6])
    xyz = np.column_stack([x, y, alt - alt[0]])[keep]
    if len(xyz) < 2:
        raise FormatError(f"{path}: all points are the same")
    return Path.from_points(xyz, closed=closed, step=step, name=FilePath(path).stem)


def parse_kml(text: str, path: str = "", *, closed: bool | None = None, step: float | None = None) -> Path:
    """The first LineString (or LinearRing, which is closed) of a KML text."""
    root = _xml(text, path or "(text)")
    for element in root.iter():
        tag = element.tag.rpartition("}")[2]
        if tag not in ("LineString", "LinearRing"):
            continue
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
        return _geographic(points, path or "(text)", True if tag == "LinearRing" else closed, step)
    raise FormatError(f"{path or '(text)'}: found no LineString with coordinates")


def parse_gpx(text: str, path: str = "", *, closed: bool | None = None, step: float | None = None) -> Path:
    """The first track, or route, of a GPX text."""
    root = _xml(text, path or "(text)")
    for kind in ("trkpt", "rtept"):
        points: list[tuple[float, float, float]] = []
        for element in root.iter():
            if element.tag.rpartition("}")[2] != kind:
                continue
            given = [element.get("lon", ""), element.get("lat", "")]
            height = next((c.text or "" for c in element if c.tag.rpartition("}")[2] == "ele"), "0")
            words = [*given, height.strip() or "0"]
            if any(NUMBER.fullmatch(w) is None for w in words):
                raise FormatError(f"{path or '(text)'}: point {len(points) + 1}: found {words}; expected numbers")
            points.append((to_number(words[0]), to_number(words[1]), to_number(words[2])))
        if points:
            return _geographic(points, path or "(text)", closed, step)
    raise FormatError(f"{path or '(text)'}: found no track and no route")


def parse_csv(text: str, path: str = "", *, closed: bool | None = None, step: float | None = None) -> Path:
    """A path from columns x, y (or lon, lat) and, if there, z, width (or left, right), bank, speed.

    The first line names the columns, with or without # in front; of several lines with # the last one before the
    numbers does. Without names the columns are x, y and, if there is a third one, z. Separators are comma, semicolon
    or tab.
    """
    report = Report(path or "(text)")
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
    names = ["x", "y", "z"][: len(first)]
    if any(NUMBER.fullmatch(w) is None for w in first):
        names = []
        for word in first:
            key = word.lower().split("(")[0].split("[")[0].strip()
            if key not in CSV_NAMES:
                report.info(rows[0][0], word, f"column is not used{did_you_mean(key, CSV_NAMES)}")
            names.append(CSV_NAMES.get(key, ""))
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
        table.append([float(w) if n else 0.0 for w, n in zip(words, names, strict=False)])
    if len(table) < 2 and not report.errors:
        report.error(0, "", f"found {len(table)} points; a path needs at least two")
    report.raise_if_errors()
    columns = {n: np.array([r[k] for r in table]) for k, n in enumerate(names) if n}
    if "x" in columns:
        x, y = columns["x"], columns["y"]
    else:
        x, y = to_plane(columns["lon"], columns["lat"], float(columns["lon"][0]), float(columns["lat"][0]))
    half = 0.5 * columns["width"] if "width" in columns else None
    z = columns.get("z", np.zeros(len(x)))
    return Path.from_points(
        np.column_stack([x, y, z]),
        closed=closed,
        step=step,
        left=columns.get("left", half),
        right=columns.get("right", half),
        bank=columns.get("bank"),
        speed=columns.get("speed"),
        name=FilePath(path).stem,
    )


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


def read_path(path: str | FilePath, *, closed: bool | None = None, step: float | None = None) -> Path:
    """Read a path from DRD, CSV, KML or GPX, by the ending of its name."""
    ending = FilePath(path).suffix.lower()
    if ending in (".drd", ".drd2"):
        from jounce.files.drd import read_drd

        return read_drd(path).path(closed=closed, step=step)
    if ending not in _READERS:
        raise FormatError(f"{path}: paths are read from .drd, {', '.join(_READERS)}")
    return _READERS[ending](read_text(path, MAX_BYTES), str(path), closed=closed, step=step)


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
