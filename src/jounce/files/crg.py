"""OpenCRG: roads as a grid of heights along a reference line (ASAM OpenCRG 1.x), read and written.

    $CT … $                    comment
    $ROAD_CRG … $              reference line: start, end, increment, headings, slope, bank; place of the long sections
    $ROAD_CRG_OPTS, …_MODS     how to evaluate beyond the borders; how to move, scale and repair the data
    $ROAD_CRG_FILE … $         the data are in another file
    $KD_DEFINITION … $         format of the data and the channels in it
    $$$$…                      the data: LRFI / LDFI text of 10 / 20 characters per value, KRBI / KDBI binary
    (big-endian)

Headings and slopes belong to the segment that ends at their row; the first row has none. Without a $ROAD_CRG_MODS
section the defaults of the standard apply: the line starts at the origin, towards x, at height zero, and holes at the
borders take the last valid height; an empty section leaves the data where they are. Axes are those of
docs/conventions.md.

Which point of the first cross-section is put to the origin then is read in two ways: the reference line, v = 0, by the
MATLAB tools of the standard and here; the right edge by its C library (refpoint_v_fraction = 0). A file without the
section is remarked upon, and ``road(placement="right edge")`` takes the other way.

Nothing is taken from a file that is cut short or contradicts itself: all findings are raised at once.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.core.errors import FormatError, ParameterError, did_you_mean
from jounce.core.limits import FARTHEST, Limits, read_bytes, reading
from jounce.core.writing import write_atomically
from jounce.files.problems import Report
from jounce.road.grid import GridRoad

Array = npt.NDArray[np.float64]

FORMATS = ("LRFI", "LDFI", "KRBI", "KDBI")
BORDER_MODES = ("none", "zero", "hold", "repeat", "mirror")  # by number
OPTIONS = (
    *("border_mode_u", "border_mode_v", "border_offset_u", "border_offset_v", "border_smooth_ubeg"),
    *("border_smooth_uend", "refline_continuation", "refline_search_far", "refline_search_close", "refline_search_u"),
    *("refline_search_ufrac", "warn_msgs", "warn_curv_local", "warn_curv_global", "log_msgs", "log_eval"),
    *("log_eval_freq", "log_hist", "log_hist_freq", "log_stat", "log_stat_freq", "check_eps", "check_inc", "check_tol"),
)
MODIFIERS = (
    *("scale_z_grid", "scale_slope", "scale_banking", "scale_length", "scale_width", "scale_curvature"),
    *("grid_nan_mode", "grid_nan_offset", "refline_rotcenter_x", "refline_rotcenter_y", "refline_offset_phi"),
    *("refline_offset_x", "refline_offset_y", "refline_offset_z", "refpoint_u_fraction", "refpoint_u_offset"),
    *("refpoint_u", "refpoint_v_fraction", "refpoint_v_offset", "refpoint_v", "refpoint_x", "refpoint_y"),
    *("refpoint_z", "refpoint_phi"),
)
DEFAULT_MODIFIERS = {
    **dict.fromkeys(("refpoint_u_fraction", "refpoint_x", "refpoint_y", "refpoint_z", "refpoint_phi"), 0.0),
    "grid_nan_mode": 2.0,
}
_START_END = ("s", "b", "x", "y", "z", "phi", "lon", "lat", "alt")
ROAD_KEYS = (
    *("reference_line_start_u", "reference_line_end_u", "reference_line_increment"),
    *("long_section_v_right", "long_section_v_left", "long_section_v_increment"),
    *(f"reference_line_{end}_{key}" for end in ("start", "end") for key in _START_END),
    *(f"reference_line_offset_{key}" for key in ("x", "y", "z", "phi")),
)
LIMITS = Limits("an OpenCRG road", size=4_000_000_000)
MAX_LINE = 72
PLACEMENTS = ("reference line", "right edge")  # at the origin, of a file that has no modifiers
_CLOSED_WITHIN = 1e-2  # m: an end as near as this to the start, going the same way, can close the line

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][+-]?\d+)?", re.ASCII)
_V_POSITION = re.compile(r"long section at v\s*=\s*(\S+)", re.IGNORECASE)


@dataclass(frozen=True)
class CrgFile:
    """What an OpenCRG file says, before modifiers are applied.

    Attributes
    ----------
    z : (nu, nv) heights above the reference line; nan = none
    phi, slope : (nu − 1,) per segment, or None; bank : (nu,) or None
    header : entries of $ROAD_CRG; options, modifiers : of their sections (modifiers None: no section)
    format : LRFI, LDFI, KRBI, KDBI; comment : text of $CT
    report : warnings and notes
    """

    path: str
    format: str
    header: dict[str, float]
    options: dict[str, float]
    modifiers: dict[str, float] | None
    comment: str
    u0: float
    du: float
    v: Array
    z: npt.NDArray[Any]
    phi: Array | None = None
    slope: Array | None = None
    bank: Array | None = None
    report: Report = field(default_factory=lambda: Report(""))

    # -- as a road ----------------------------------------------------------------------------------------
    def road(
        self,
        *,
        apply_modifiers: bool = True,
        friction: float = 1.0,
        name: str = "",
        placement: str = PLACEMENTS[0],
    ) -> GridRoad:
        """The road, moved and scaled by the modifiers, with the options of the file.

        ``placement``: what a file without a section of modifiers has at the origin, "reference line" or "right edge".
        """
        if placement not in PLACEMENTS:
            raise ParameterError(f"placement = {placement!r}: unknown{did_you_mean(placement, PLACEMENTS)}")
        mods: dict[str, float] = {}
        if apply_modifiers:
            mods = dict(DEFAULT_MODIFIERS if self.modifiers is None else self.modifiers)
            if self.modifiers is None and placement == PLACEMENTS[1]:
                mods["refpoint_v_fraction"] = 0.0
        with reading(self.path):
            return self._placed(mods, friction, name)

    def _placed(self, mods: Mapping[str, float], friction: float, name: str) -> GridRoad:
        z = self.z
        if "scale_z_grid" in mods:
            z = (z * z.dtype.type(mods["scale_z_grid"])).astype(z.dtype)
        u0, du, v = self.u0, self.du * mods.get("scale_length", 1.0), self.v * mods.get("scale_width", 1.0)
        if not du > 0 or not np.all(np.diff(v) > 0):
            raise FormatError(f"{self.path}: modifiers scale_length and scale_width must be > 0")
        start = self._start()
        headings = self.phi
        if headings is not None:
            headings = start[2] + mods.get("scale_curvature", 1.0) * (headings - start[2])
        reference = self._reference(du, mods.get("scale_slope", 1.0))
        bank: float | Array = self.header.get("reference_line_start_b", 0.0) if self.bank is None else self.bank
        bank = bank * mods.get("scale_banking", 1.0)
        if np.isnan(z).any() and mods.get("grid_nan_mode", 0.0):
            z = _filled(z, int(mods["grid_nan_mode"]), mods.get("grid_nan_offset", 0.0))
        road = GridRoad(
            z=z,
            du=du,
            v=v,
            u0=u0,
            x=start[0],
            y=start[1],
            heading=start[2],
            headings=headings,
            reference=reference,
            bank=bank,
            friction=friction,
            name=name or Path(self.path).stem,
            **self._options(),
        )
        road = _closed(road, self.options)
        return _moved(road, mods)

    def _start(self) -> tuple[float, float, float]:
        """Position and heading at the start of the line."""
        h = self.header
        x, y = h.get("reference_line_start_x", 0.0), h.get("reference_line_start_y", 0.0)
        if "reference_line_start_phi" in h:
            return x, y, h["reference_line_start_phi"]
        if self.phi is not None:
            return x, y, float(self.phi[0])
        ends = h.get("reference_line_end_x"), h.get("reference_line_end_y")
        if ends[0] is not None and ends[1] is not None:
            return x, y, math.atan2(ends[1] - y, ends[0] - x)
        return x, y, 0.0

    def _reference(self, du: float, scale: float) -> Array | None:
        """Height of the line."""
        h, nu = self.header, len(self.z)
        z0 = h.get("reference_line_start_z", 0.0)
        if self.slope is not None:
            return np.concatenate([[z0], z0 + np.cumsum(scale * self.slope * du)])
        slope = h.get("reference_line_start_s")
        if slope is None and "reference_line_end_z" in h:
            slope = (h["reference_line_end_z"] - z0) / (self.du * (nu - 1))
        if slope or z0:
            return np.asarray(z0 + scale * (slope or 0.0) * du * np.arange(nu))
        return None

    def _options(self) -> dict[str, Any]:
        o = self.options
        return {
            "border_u": BORDER_MODES[int(o.get("border_mode_u", 2))],
            "border_v": BORDER_MODES[int(o.get("border_mode_v", 2))],
            "offset_u": o.get("border_offset_u", 0.0),
            "offset_v": o.get("border_offset_v", 0.0),
            "smooth_begin": o.get("border_smooth_ubeg", 0.0),
            "smooth_end": o.get("border_smooth_uend", 0.0),
        }


def _closed(road: GridRoad, options: Mapping[str, float]) -> GridRoad:
    """A line whose end is its start goes on there when the options ask for it."""
    from dataclasses import replace

    if road.headings is None or options.get("refline_continuation", 0.0) != 1.0:
        return road
    gap = float(np.hypot(*(road.nodes[-1] - road.nodes[0])))
    turn = math.remainder(float(road.headings[-1] - road.headings[0]), 2 * math.pi)
    if gap > max(_CLOSED_WITHIN, 0.1 * road.du) or abs(turn) > math.pi / 2:
        return road
    return replace(road, closed=True)


def _filled(z: npt.NDArray[Any], mode: int, offset: float) -> npt.NDArray[Any]:
    """Heights with nan at both borders of a row replaced: 1 by zero, 2 by the last valid one; plus an offset."""
    z = z.copy()
    valid = ~np.isnan(z)
    rows = np.flatnonzero(~valid.all(axis=1))
    nv = z.shape[1]
    for i in rows:
        there = np.flatnonzero(valid[i])
        if not len(there):
            continue
        a, b = there[0], there[-1]
        z[i, :a] = (z[i, a] if mode == 2 else 0.0) + offset
        z[i, b + 1 : nv] = (z[i, b] if mode == 2 else 0.0) + offset
    return z


def _moved(road: GridRoad, mods: Mapping[str, float]) -> GridRoad:
    """The road at the place that the modifiers ask for."""
    from dataclasses import replace

    nodes = road.nodes
    start = nodes[0]
    phi_first = road.heading if road.headings is None else float(road.headings[0])
    if any(key.startswith("refpoint_") for key in mods):
        u = road.u0
        if "refpoint_u" in mods:
            u = mods["refpoint_u"]
        if "refpoint_u_fraction" in mods:
            u = road.u0 + mods["refpoint_u_fraction"] * road.length + mods.get("refpoint_u_offset", 0.0)
        v = mods.get("refpoint_v", 0.0)
        if "refpoint_v_fraction" in mods:
            v = road.v[0] + mods["refpoint_v_fraction"] * (road.v[-1] - road.v[0])
            v += mods.get("refpoint_v_offset", 0.0)
        x, y, phi = _place(road, u, float(v))
        z = float(road.query(x, y).height)
        to = [mods.get(f"refpoint_{key}", 0.0) for key in ("x", "y", "z")]
        turn, centre = mods.get("refpoint_phi", 0.0) - phi, np.array([x, y])
        shift = np.array([to[0] - x, to[1] - y])
        lift = to[2] - z
    else:
        shift = np.array([mods.get("refline_offset_x", 0.0), mods.get("refline_offset_y", 0.0)])
        lift, turn = mods.get("refline_offset_z", 0.0), mods.get("refline_offset_phi", 0.0)
        centre = np.array([mods.get("refline_rotcenter_x", start[0]), mods.get("refline_rotcenter_y", start[1])])
    if not (turn or lift or shift.any()):
        return road
    c, s = math.cos(turn), math.sin(turn)
    d = start - centre
    place = centre + np.array([c * d[0] - s * d[1], s * d[0] + c * d[1]]) + shift
    reference = np.zeros(len(road.z)) if road.reference is None else road.reference
    return replace(
        road,
        x=float(place[0]),
        y=float(place[1]),
        heading=phi_first + turn if road.headings is None else road.heading + turn,
        headings=None if road.headings is None else road.headings + turn,
        reference=reference + lift if lift or road.reference is not None else None,
    )


def _place(road: GridRoad, u: float, v: float) -> tuple[float, float, float]:
    """World place and heading of (u, v)."""
    q = (u - road.u0) / road.du
    n = len(road.z)
    if road.headings is None:
        phi = road.heading
        along = q * road.du
        x, y = road.x + along * math.cos(phi), road.y + along * math.sin(phi)
        return x - v * math.sin(phi), y + v * math.cos(phi), phi
    i = min(max(int(q), 0), n - 2)
    phi = float(road.headings[i])
    # between the points at the offset v on the normals of both nodes, as the evaluation has it
    nodes = road.nodes
    left = np.array([-math.sin(phi), math.cos(phi)])
    ends = []
    for k in (i, i + 1):
        chord = nodes[min(k + 1, n - 1)] - nodes[max(k - 1, 0)]
        normal = np.array([-chord[1], chord[0]])
        ends.append(nodes[k] + normal * v / float(normal @ left))
    p = ends[0] + (q - i) * (ends[1] - ends[0])
    return float(p[0]), float(p[1]), phi


# --- reading --------------------------------------------------------------------------------------------------------


def read_crg(path: str | Path) -> CrgFile:
    """Read an OpenCRG file."""
    return parse_crg(read_bytes(path, LIMITS), str(path))


def parse_crg(raw: bytes, path: str = "", *, _depth: int = 0) -> CrgFile:
    """The same from bytes."""
    report = Report(path or "(bytes)")
    head = _Header(raw, report)
    report.raise_if_errors()
    file = _referenced(head, path, report, _depth) if head.reference else _built(head, raw, path, report)
    if file.modifiers is None and _depth == 0 and file.v[0] != 0:
        _remark_placement(file.v, report)
    return file


def _referenced(head: _Header, path: str, report: Report, depth: int) -> CrgFile:
    from dataclasses import replace

    if depth >= 4:
        raise FormatError(f"{path}: $ROAD_CRG_FILE: more than four files that refer to each other")
    inner = Path(path).parent / head.reference.replace("\\", "/")
    try:
        raw = read_bytes(inner, LIMITS)
        itself = inner.resolve() == Path(path).resolve()
    except FormatError as error:
        raise FormatError(f"{path}: $ROAD_CRG_FILE: {error}") from None
    if itself:
        raise FormatError(f"{path}: $ROAD_CRG_FILE: refers to itself")
    found = parse_crg(raw, str(inner), _depth=depth + 1)
    return replace(
        found,
        path=path,
        header={**found.header, **head.road},
        options=head.options if head.options is not None else found.options,
        modifiers=head.modifiers if head.modifiers is not None else found.modifiers,
        report=report,
    )


class _Header:
    """The text before the data."""

    def __init__(self, raw: bytes, report: Report) -> None:
        self.report = report
        self.road: dict[str, float] = {}
        self.options: dict[str, float] | None = None
        self.modifiers: dict[str, float] | None = None
        self.lines: dict[str, int] = {}
        self.comment: list[str] = []
        self.reference = ""
        self.format = ""
        self.channels: list[tuple[int, str, list[str]]] = []  # line, kind, fields
        self.data_at = -1
        self.data_line = 0
        section: str | None = None
        at, number = 0, 0
        while at < len(raw):
            end = raw.find(b"\n", at)
            end = len(raw) if end < 0 else end
            if end - at > 4096:
                report.error(
                    number + 1, "", "found a line of more than 4096 bytes before the data; this is no OpenCRG header"
                )
                return
            number += 1
            line = raw[at:end].decode("utf-8", errors="replace").rstrip("\r")
            at = end + 1
            if line.lstrip().startswith("$$$$"):
                self.data_at, self.data_line = min(at, len(raw)), number
                break
            if line.lstrip().startswith("$"):
                section = self._open(line.strip(), number) if section is None or len(line.strip()) > 1 else None
                continue
            self._line(section, line, number)
        if self.data_at < 0 and not self.reference:
            report.error(0, "", "found no line $$$$… before the data; this is no OpenCRG file, or it is cut short")

    def _open(self, word: str, number: int) -> str | None:
        name = word.split()[0].upper()
        if name == "$" or name.startswith("$!"):  # a remark behind $ ends a section as well
            return None
        known = (
            "$CT",
            "$ROAD_CRG",
            "$ROAD_CRG_OPTS",
            "$ROAD_CRG_MODS",
            "$ROAD_CRG_FILE",
            "$ROAD_CRG_MPRO",
            "$KD_DEFINITION",
        )
        for section in sorted(known, key=len, reverse=True):
            if name.startswith(section):
                if section == "$ROAD_CRG_OPTS":
                    self.options = {}
                if section == "$ROAD_CRG_MODS":
                    self.modifiers = {}
                return section
        self.report.info(number, word[:30], "section is not known; left out")
        return "?"

    def _line(self, section: str | None, line: str, number: int) -> None:
        if section == "$CT":
            self.comment.append(line)
            return
        text = line.split("!", 1)[0].strip()
        if not text or text.startswith("*"):
            return
        if section == "$KD_DEFINITION":
            self._definition(text, number)
        elif section in ("$ROAD_CRG", "$ROAD_CRG_OPTS", "$ROAD_CRG_MODS"):
            self._entry(section, text, number)
        elif section == "$ROAD_CRG_FILE":
            self.reference += text.split()[0]
        elif section is None:
            self.report.error(
                number, "", f"found {text[:40]!r} outside of a section; expected a line that starts with $"
            )

    def _entry(self, section: str, text: str, number: int) -> None:
        key, equals, value = text.partition("=")
        key = key.strip().lower()
        known = {"$ROAD_CRG": ROAD_KEYS, "$ROAD_CRG_OPTS": OPTIONS, "$ROAD_CRG_MODS": MODIFIERS}[section]
        found = _NUMBER.match(value.strip())
        if not equals or found is None:
            self.report.error(number, key or section, f"found {text[:50]!r}; expected key = number")
            return
        word, rest = found.group(), value.strip()[found.end() :]
        if rest:  # other readers stop where a number stops; files with such slips are about
            self.report.warning(number, key, f"found {value.strip()[:50]!r}; read as {word}")
        if key not in known:
            self.report.warning(number, key, f"unknown in {section}; left out{did_you_mean(key, known)}")
            return
        number_value = _float(word)
        if not abs(number_value) <= FARTHEST:
            self.report.error(number, key, f"found {value.strip()[:50]}; too large")
            return
        target = self.road if section == "$ROAD_CRG" else self.options if section.endswith("OPTS") else self.modifiers
        assert target is not None
        modes = {"border_mode_u": 4, "border_mode_v": 4, "grid_nan_mode": 2, "refline_continuation": 1}
        if key in modes and number_value not in range(modes[key] + 1):
            self.report.error(number, key, f"found {number_value:g}; allowed: 0 to {modes[key]}")
            return
        target[key] = number_value
        self.lines[key] = number

    def _definition(self, text: str, number: int) -> None:
        if text.startswith("#:"):
            self.format = text[2:6].upper()
            if self.format not in FORMATS:
                self.report.error(number, "#:", f"found {text[2:]!r}; known formats: {', '.join(FORMATS)}")
        elif text[:2].upper() in ("U:", "D:"):
            self.channels.append((number, text[0].upper(), [part.strip() for part in text[2:].split(",")]))
        else:
            self.report.info(number, "$KD_DEFINITION", f"{text[:40]!r} is not used")


_UNITS = {"reference line phi": "rad", "reference line slope": "m/m", "reference line banking": "m/m"}


def _built(head: _Header, raw: bytes, path: str, report: Report) -> CrgFile:
    if not head.format:
        report.error(
            head.data_line, "$KD_DEFINITION", "found no data format; expected a line #:LRFI (or LDFI, KRBI, KDBI)"
        )
    columns: list[str] = []
    v_named: list[float] = []
    u_start = u_step = None
    for line, kind, fields in head.channels:
        name = " ".join(fields[0].lower().split())
        unit = fields[1].lower() if len(fields) > 1 else ""
        if kind == "U":
            numbers = [_NUMBER.fullmatch(f) for f in fields[2:4]]
            if len(numbers) == 2 and all(numbers):
                u_start, u_step = (_float(f) for f in fields[2:4])
            continue
        wanted = _UNITS.get(name, "m" if name.startswith("long section") else "")
        if wanted and unit and unit not in (wanted, "-", "1") and not (wanted == "m/m" and unit in ("m/m", "-")):
            report.error(line, fields[0], f"found the unit {fields[1]!r}; OpenCRG defines {wanted}")
        if name.startswith("long section"):
            columns.append("z")
            at = _V_POSITION.match(name)
            if at is not None:
                if _NUMBER.fullmatch(at[1]) is None:
                    report.error(line, fields[0], "found no number behind v =")
                else:
                    v_named.append(_float(at[1]))
        elif name in _UNITS or name == "reference line u":
            columns.append(name)
        else:
            columns.append("?")
            report.info(line, fields[0], "channel is not used")
    nv = columns.count("z")
    if nv < 2:
        report.error(head.data_line, "$KD_DEFINITION", f"found {nv} long sections; at least 2 are needed")
    report.raise_if_errors()
    v = _v_positions(head, nv, v_named, report)
    u0, du, nu = _u_positions(head, u_start, u_step, report)
    report.raise_if_errors()
    with np.errstate(over="ignore"):  # in single precision; what is too large is found below
        data = _data(head, raw, len(columns), nu, report)
    report.raise_if_errors()
    assert data is not None
    nu = len(data)
    z_columns = [i for i, c in enumerate(columns) if c == "z"]
    contiguous = z_columns == list(range(z_columns[0], z_columns[0] + nv))
    z = data[:, z_columns[0] : z_columns[0] + nv] if contiguous else data[:, z_columns]
    z = np.ascontiguousarray(z)

    def channel(name: str, per_segment: bool) -> Array | None:
        if name not in columns:
            return None
        with np.errstate(invalid="ignore"):
            values = data[:, columns.index(name)].astype(float)
        values = values[1:] if per_segment else values
        bad = ~(np.abs(values) < 1e6)
        if bad.any():
            row = int(np.argmax(bad)) + 1 + per_segment
            report.error(
                head.data_line,
                name,
                f"row {row} of the data holds {values[np.argmax(bad)]}; expected an angle or a slope",
            )
        return values

    phi, slope = channel("reference line phi", True), channel("reference line slope", True)
    bank = channel("reference line banking", False)
    if (np.abs(z) > 1e6).any():
        report.error(head.data_line, "long section", f"found a height of {np.nanmax(np.abs(z)):g} m")
    valid = ~np.isnan(z)
    if not valid.all():
        _check_holes(valid, head.data_line, report)
    report.raise_if_errors()
    file = CrgFile(
        path or "(bytes)",
        head.format,
        head.road,
        head.options or {},
        head.modifiers,
        "\n".join(head.comment),
        u0,
        du,
        v,
        z,
        phi,
        slope,
        bank,
        report,
    )
    _check_line(file, head)
    report.raise_if_errors()
    return file


def _remark_placement(v: Array, report: Report) -> None:
    report.warning(
        0,
        "$ROAD_CRG_MODS",
        "is missing: the reference line begins at the origin, as in the MATLAB tools of the standard; its C library "
        f'puts the right edge there, {abs(v[0]):g} m away: road(placement="right edge")',
    )


def _check_holes(valid: npt.NDArray[np.bool_], line: int, report: Report) -> None:
    none = ~valid.any(axis=1)
    if none.any():
        report.error(line, "long section", f"row {int(np.argmax(none)) + 1} of the data holds no height at all")
        return
    first = valid.argmax(axis=1)
    last = valid.shape[1] - 1 - valid[:, ::-1].argmax(axis=1)
    inside = valid.sum(axis=1) != last - first + 1
    if inside.any():
        row = int(np.argmax(inside))
        report.error(
            line, "long section", f"row {row + 1} of the data has holes between heights; only its ends may be open"
        )


def _v_positions(head: _Header, nv: int, named: list[float], report: Report) -> Array:
    road, lines = head.road, head.lines
    right, left, step = (road.get(f"long_section_v_{k}") for k in ("right", "left", "increment"))
    if named:
        if len(named) != nv:
            report.error(head.data_line, "long section", f"{len(named)} of {nv} channels say their v; all or none must")
            return np.zeros(nv)
        v = np.array(named)
        if not np.all(np.diff(v) > 0):
            report.error(head.data_line, "long section", "v must ascend from right to left")
        for key, given, found in (("long_section_v_right", right, v[0]), ("long_section_v_left", left, v[-1])):
            if given is not None and abs(given - found) > 1e-4:
                report.error(lines[key], key, f"found {given:g} m; the channels say {found:g} m")
        return v
    if right is None and left is None and step is None:
        report.error(head.data_line, "long_section_v_right", "is missing, and the channels do not say their v")
        return np.zeros(nv)
    if step is not None and not step > 0:
        report.error(lines["long_section_v_increment"], "long_section_v_increment", f"found {step:g} m; must be > 0")
        return np.zeros(nv)
    if right is None:
        right = left - (nv - 1) * step if left is not None and step is not None else -0.5 * (nv - 1) * (step or 0.0)
    if left is None:
        left = right + (nv - 1) * step if step is not None else -right
    if not left > right:
        report.error(
            lines.get("long_section_v_left", 0), "long_section_v_left", f"found {left:g} m; must be left of {right:g} m"
        )
        return np.zeros(nv)
    if step is not None and abs((left - right) / step - (nv - 1)) > 1e-3 * nv:
        report.error(
            lines["long_section_v_increment"],
            "long_section_v_increment",
            f"found {step:g} m from {right:g} to {left:g} m, which makes {(left - right) / step + 1:.6g} sections; "
            f"there are {nv} channels",
        )
    return np.linspace(right, left, nv)


def _u_positions(
    head: _Header, u_start: float | None, u_step: float | None, report: Report
) -> tuple[float, float, int | None]:
    road, lines = head.road, head.lines
    du = road.get("reference_line_increment", u_step)
    if du is None:
        report.error(head.data_line, "reference_line_increment", "is missing")
        return 0.0, 1.0, None
    line = lines.get("reference_line_increment", head.data_line)
    if not du > 0:
        report.error(line, "reference_line_increment", f"found {du:g} m; must be > 0")
        return 0.0, 1.0, None
    if u_step is not None and abs(u_step - du) > 1e-6 * du:
        # the channel u is for viewers; the header counts
        report.warning(line, "reference_line_increment", f"found {du:g} m; the channel u says {u_step:g} m, not used")
    u0 = road.get("reference_line_start_u", u_start or 0.0)
    end = road.get("reference_line_end_u")
    if end is None:
        return u0, du, None
    rows = (end - u0) / du + 1
    if rows < 1.5 or rows > 1e9 or abs(rows - round(rows)) > 1e-3:
        report.error(
            lines["reference_line_end_u"],
            "reference_line_end_u",
            f"found {end:g} m; from {u0:g} m in steps of {du:g} m that makes {rows:.6g} cross-sections",
        )
        return u0, du, None
    return u0, du, round(rows)


def _data(head: _Header, raw: bytes, columns: int, nu: int | None, report: Report) -> npt.NDArray[Any] | None:
    """The table of values, (rows, columns)."""
    single = head.format[1] == "R"
    body = memoryview(raw)[head.data_at :]
    if head.format[2] == "B":
        size = 4 if single else 8
        count = len(body) // size
        rows = count // columns
        if nu is not None and rows < nu:
            wanted = nu * columns * size
            report.error(
                head.data_line + 1,
                "data",
                f"cut short: found {len(body)} bytes; {nu} cross-sections of {columns} values need {wanted}",
            )
            return None
        values = np.frombuffer(body, dtype=">f4" if single else ">f8", count=(nu or rows) * columns)
        if nu is None and rows < 2:
            report.error(head.data_line + 1, "data", f"cut short: found {len(body)} bytes")
            return None
        # any nan of the file becomes a plain one, without a warning about it
        with np.errstate(invalid="ignore"):
            return values.astype(np.float32 if single else np.float64).reshape(-1, columns)
    return _text_data(head, body, columns, nu, single, report)


def _text_data(
    head: _Header, body: memoryview, columns: int, nu: int | None, single: bool, report: Report
) -> npt.NDArray[Any] | None:
    width, per_line = (10, 8) if single else (20, 4)
    kind = np.float32 if single else np.float64
    full, rest = divmod(columns, per_line)
    widths = [per_line] * full + ([rest] if rest else [])
    text = bytes(body)
    # the usual case: every line has its full length, so that the text is a table of bytes
    for ending in (1, 2):
        per_row = columns * width + ending * len(widths)
        rows = len(text) // per_row
        if rows < 1 or (nu is not None and rows < nu):
            continue
        table = np.frombuffer(text, dtype=np.uint8, count=rows * per_row).reshape(rows, per_row)
        ends = np.cumsum([w * width + ending for w in widths]) - 1
        if not np.all(table[:, ends] == ord("\n")):
            continue
        keep = np.ones(per_row, dtype=bool)
        for e in ends:
            keep[e - ending + 1 : e + 1] = False
        fields = np.ascontiguousarray(table[: nu or rows, keep])
        if (fields == ord("\n")).any():
            continue
        return _numbers(fields.reshape(-1, width), columns, width, kind, head, len(widths), per_line, report)
    return _ragged(text, columns, width, widths, nu, kind, head, report)


def _numbers(
    fields: npt.NDArray[np.uint8],
    columns: int,
    width: int,
    kind: Any,
    head: _Header,
    lines_per_row: int,
    per_line: int,
    report: Report,
) -> npt.NDArray[Any] | None:
    stars = fields[:, -1] == ord("*")
    if stars.any():
        fields = fields.copy()
        fields[stars] = np.frombuffer(b"nan".rjust(width), dtype=np.uint8)
    if width == 10:
        quick = _decimal(fields)
        if quick is not None:
            return quick.astype(kind).reshape(-1, columns)
    words = fields.view(f"S{width}").reshape(-1)
    try:
        values = words.astype(np.float64)
    except ValueError:
        for k, word in enumerate(words.tolist()):
            if _value(word) is None:
                row, column = divmod(k, columns)
                line = head.data_line + 1 + row * lines_per_row + column // per_line
                report.error(line, "data", f"found {word.decode('latin-1')!r}; expected a number of {width} characters")
                return None
        values = np.array([_value(word) for word in words.tolist()], dtype=float)
    return values.astype(kind).reshape(-1, columns)


_POWERS = np.array([10.0**k for k in range(23)])
_CHUNK = 500_000


def _decimal(fields: npt.NDArray[np.uint8]) -> Array | None:
    """Fields of ten characters as numbers, all at once; None when there is one that is not plain.

    Ten digits are exact in a double and so are powers of ten up to 22: one operation rounds correctly.
    """
    out = np.empty(len(fields))
    for at in range(0, len(fields), _CHUNK):
        part = np.ascontiguousarray(fields[at : at + _CHUNK].T)
        n = part.shape[1]
        mantissa, decimals, exponent = np.zeros(n), np.zeros(n, np.int16), np.zeros(n, np.int16)
        minus, minus_e = np.zeros(n, bool), np.zeros(n, bool)
        digits, digits_e = np.zeros(n, np.int8), np.zeros(n, np.int8)
        point, in_e, begun, previous_e = (np.zeros(n, bool) for _ in range(4))
        bad = np.zeros(n, bool)
        nan = (part[-3] == ord("n")) & (part[-2] == ord("a")) & (part[-1] == ord("n"))
        for letter in part:
            digit = letter - np.uint8(ord("0"))
            is_digit = digit < 10
            front = is_digit & ~in_e
            if in_e.any():
                back = is_digit & in_e
                exponent = np.where(back, exponent * 10 + digit, exponent)
                digits_e += back
            mantissa = np.where(front, mantissa * 10 + digit, mantissa)
            decimals += front & point
            digits += front
            is_point, is_minus, is_plus = letter == ord("."), letter == ord("-"), letter == ord("+")
            is_e, blank = (letter | 32 == ord("e")) | (letter | 32 == ord("d")), letter == ord(" ")
            sign = is_minus | is_plus
            bad |= ~(is_digit | is_point | sign | is_e | blank)
            bad |= blank & begun | is_point & (point | in_e) | is_e & (in_e | (digits == 0))
            bad |= sign & begun & ~previous_e
            minus |= is_minus & ~in_e
            minus_e |= is_minus & in_e
            point |= is_point
            in_e |= is_e
            previous_e = is_e
            begun |= ~blank
        bad |= (digits == 0) | (in_e & (digits_e == 0)) | (digits_e > 2)
        if (bad & ~nan).any():
            return None
        power = np.where(minus_e, -exponent, exponent) - decimals
        if (np.abs(power[~nan]) > 22).any():
            return None
        power = np.where(nan, 0, power)
        scale = _POWERS[np.abs(power)]
        value = np.where(power >= 0, mantissa * scale, mantissa / scale)
        out[at : at + n] = np.where(nan, np.nan, np.where(minus, -value, value))
    return out


def _float(word: str) -> float:
    """A number in C or Fortran notation."""
    return float(word.lower().replace("d", "e"))


def _value(word: bytes) -> float | None:
    """A field: a number, or stars, nan or blanks for no value; None when it is neither."""
    text = word.strip().decode("latin-1")
    if not text or set(text) == {"*"} or text.lower() in ("nan", "+nan", "-nan"):
        return math.nan
    if _NUMBER.fullmatch(text) is None:
        return None
    value = _float(text)
    return value if math.isfinite(value) else None


def _ragged(
    text: bytes, columns: int, width: int, widths: list[int], nu: int | None, kind: Any, head: _Header, report: Report
) -> npt.NDArray[Any] | None:
    """Lines that are shorter than they should be: trailing blanks cut off, or a file cut short."""
    lines = text.decode("latin-1").splitlines()
    while lines and not lines[-1].strip():
        lines.pop()
    rows: list[list[float]] = []
    at = 0
    while at < len(lines) and (nu is None or len(rows) < nu):
        row: list[float] = []
        for count in widths:
            number = head.data_line + 1 + at
            if at >= len(lines):
                report.error(
                    number, "data", f"cut short: cross-section {len(rows) + 1} has {len(row)} of {columns} values"
                )
                return None
            line = lines[at]
            if len(line.rstrip()) > count * width:
                report.error(
                    number, "data", f"found {len(line.rstrip())} characters; expected {count} values of {width}"
                )
                return None
            for k in range(count):
                word = line[k * width : (k + 1) * width]
                last = (
                    at == len(lines) - 1 and k * width + len(word.rstrip()) >= len(line.rstrip()) and len(word) < width
                )
                value = _value(word.encode("latin-1", errors="replace"))
                if value is None or (last and k < count - 1):
                    cut = "cut short: " if last else ""
                    report.error(number, "data", f"{cut}found {word!r}; expected a number of {width} characters")
                    return None
                row.append(value)
            at += 1
        rows.append(row)
    if nu is not None and len(rows) < nu:
        report.error(
            head.data_line + 1 + at, "data", f"cut short: found {len(rows)} cross-sections; the header says {nu}"
        )
        return None
    if len(rows) < 2:
        report.error(head.data_line + 1, "data", f"found {len(rows)} cross-sections; at least 2 are needed")
        return None
    return np.array(rows, dtype=kind)


def _check_line(file: CrgFile, head: _Header) -> None:
    """The end of the line that the header gives against the one that the headings lead to."""
    h, report = file.header, file.report
    x, y, phi = file._start()
    headings = np.full(len(file.z) - 1, phi) if file.phi is None else file.phi
    end = (x + float(np.sum(np.cos(headings))) * file.du, y + float(np.sum(np.sin(headings))) * file.du)
    length = file.du * (len(file.z) - 1)
    for key, value in (("reference_line_end_x", end[0]), ("reference_line_end_y", end[1])):
        # headings in single precision or ten characters leave about 1e-6 of the way
        if key in h and abs(h[key] - value) > 1e-3 + 1e-4 * length:
            report.warning(
                head.lines[key], key, f"found {h[key]:.6g} m; the headings lead to {value:.6g} m, which is used"
            )
    for key in ("s", "b"):
        first, last = h.get(f"reference_line_start_{key}"), h.get(f"reference_line_end_{key}")
        channel = file.slope if key == "s" else file.bank
        if channel is None and first is not None and last is not None and first != last:
            name = f"reference_line_end_{key}"
            report.warning(
                head.lines[name], name, f"found {last:g}, the start has {first:g}; without a channel the start counts"
            )


# --- writing --------------------------------------------------------------------------------------------------------


def fixed(value: float, width: int) -> str:
    """A number in so many characters, as exact as they allow; nan is a row of stars."""
    if math.isnan(value):
        return "*" * width
    if value == 0.0:
        return "0".rjust(width)
    room = width - (value < 0)
    power = math.floor(math.log10(abs(value)))
    found = []
    for less in (0, 1):  # rounding up may take one more character
        if -room < power < room:
            # one character for the point; the zero in front of it is left out
            text = f"{value:.{max(room - 1 - max(power + 1, 0) - less, 0)}f}"
            found.append(text.replace("0.", ".", 1) if abs(value) < 1 else text)
        if not -3 <= power < room - 1:
            mantissa, _, exponent = f"{value:.{max(room - 3 - len(str(power)) - less, 0)}e}".partition("e")
            found.append(f"{_trimmed(mantissa)}e{int(exponent)}")
    fitting = [text for text in map(_trimmed, found) if len(text) <= width]
    if not fitting:
        raise FormatError(f"{value!r} cannot be written in {width} characters")
    return min(fitting, key=lambda text: abs(float(text) - value)).rjust(width)


def _trimmed(text: str) -> str:
    """Without zeros behind the point that say nothing."""
    if "e" in text or "." not in text:
        return text
    short = text.rstrip("0").rstrip(".")
    return short if short.strip("-") else "0"


def crg_bytes(
    road: GridRoad,
    *,
    format: str = "KRBI",
    comment: str = "",
    options: Mapping[str, float] | None = None,
    modifiers: Mapping[str, float] | None = None,
) -> bytes:
    """A grid road as an OpenCRG file.

    The place of the road is written into the reference line, hence an empty modifier section by default, which keeps
    it. Friction is not part of the format. Other roads are made grids by ``road.meshing.grid_of``.
    """
    if not isinstance(road, GridRoad):
        raise ParameterError(
            f"OpenCRG: holds heights on a grid, found a {type(road).__name__} road; "
            "jounce.road.meshing.grid_of(road, step=0.1) makes a grid of it"
        )
    if format not in FORMATS:
        raise ParameterError(f"OpenCRG: format {format!r}; known: {', '.join(FORMATS)}")
    if road.frame.height_scale != 1.0:
        raise ParameterError("OpenCRG: a road with scaled heights cannot be written; scale its heights")
    single, binary = format[1] == "R", format[2] == "B"
    nu, nv = road.z.shape
    f = road.frame
    x, y = (float(a) for a in f.to_world(road.x, road.y))
    headings = None if road.headings is None else np.asarray(road.headings, dtype=float) + f.heading
    heading = road.heading + f.heading if headings is None else float(headings[0])
    reference = road.reference if road.reference is not None else np.zeros(nu)
    reference = reference + f.z
    slopes = np.diff(reference) / road.du
    columns: list[tuple[str, Array]] = []
    head = {"reference_line_start_u": road.u0, "reference_line_end_u": road.u0 + road.length}
    head |= {"reference_line_increment": road.du}
    head |= {"long_section_v_right": float(road.v[0]), "long_section_v_left": float(road.v[-1])}
    if road.even:
        head["long_section_v_increment"] = float((road.v[-1] - road.v[0]) / (nv - 1))
    if headings is not None:
        columns.append(("reference line phi,rad", np.concatenate([[np.nan], headings])))
    head |= {"reference_line_start_x": x, "reference_line_start_y": y, "reference_line_start_phi": heading}
    xe, ye = (float(a) for a in f.to_world(*road.nodes[-1]))
    last = heading if headings is None else float(headings[-1])
    head |= {"reference_line_end_x": xe, "reference_line_end_y": ye, "reference_line_end_phi": last}
    head |= {"reference_line_start_z": float(reference[0]), "reference_line_end_z": float(reference[-1])}
    if np.ptp(slopes) > 1e-12 * (1 + np.max(np.abs(slopes))):
        columns.append(("reference line slope,m/m", np.concatenate([[np.nan], slopes])))
    else:
        mean = float((reference[-1] - reference[0]) / road.length)
        head |= {"reference_line_start_s": mean, "reference_line_end_s": mean}
    if np.ndim(road.bank):
        columns.append(("reference line banking,m/m", np.asarray(road.bank, dtype=float)))
    elif road.bank:
        head |= {"reference_line_start_b": float(road.bank), "reference_line_end_b": float(road.bank)}
    chosen = dict(options if options is not None else road_options(road))
    for known, given in ((OPTIONS, chosen), (MODIFIERS, modifiers or {})):
        for key in given:
            if key not in known:
                raise ParameterError(f"OpenCRG: {key!r} is unknown{did_you_mean(key, known)}")
    lines = ["$CT", *_comment_lines(comment), "$"]
    lines += ["$ROAD_CRG_OPTS", *(_entry_line(k, v) for k, v in chosen.items()), "$"] if chosen else []
    lines += ["$ROAD_CRG_MODS", *(_entry_line(k, v) for k, v in (modifiers or {}).items()), "$"]
    lines += ["$ROAD_CRG", *(_entry_line(k, v) for k, v in head.items()), "$"]
    lines += ["$KD_DEFINITION", f"#:{format}", f"U:reference line u,m,{road.u0!r},{road.du!r}"]
    lines += [f"D:{name}" for name, _ in columns]
    if road.even:
        lines += [f"D:long section {i + 1},m" for i in range(nv)]
    else:
        lines += [f"D:long section at v = {float(p)!r},m" for p in road.v]
    lines += ["$", "$" * MAX_LINE]
    text = "".join(f"{line}\n" for line in lines).encode()
    table = np.column_stack([*(c for _, c in columns), road.z]) if columns else road.z
    return text + (_binary(table, single) if binary else _text(np.asarray(table, dtype=float), single))


def road_options(road: GridRoad) -> dict[str, float]:
    """The options of $ROAD_CRG_OPTS that make a reader treat the borders as this road does."""
    found: dict[str, float] = {}
    for key, mode in (("border_mode_u", road.border_u), ("border_mode_v", road.border_v)):
        if mode != "hold":
            found[key] = float(BORDER_MODES.index(mode))
    for key, value in (
        ("border_offset_u", road.offset_u),
        ("border_offset_v", road.offset_v),
        ("border_smooth_ubeg", road.smooth_begin),
        ("border_smooth_uend", road.smooth_end),
        ("refline_continuation", float(road.closed)),
    ):
        if value:
            found[key] = value
    return found


def write_crg(road: GridRoad, path: str | Path, **options: Any) -> None:
    """Write a grid road; ``options`` as for `crg_bytes`."""
    write_atomically(path, crg_bytes(road, **options))


def _comment_lines(comment: str) -> list[str]:
    lines = [line[:MAX_LINE] for line in comment.splitlines()] or ["road surface"]
    return [line.replace("$", " ") for line in lines]


def _entry_line(key: str, value: float) -> str:
    number = str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))
    return f"{key:<26} = {number}"


def _binary(table: npt.NDArray[Any], single: bool) -> bytes:
    """Values padded with nan to blocks of 80 bytes."""
    kind = np.dtype(">f4" if single else ">f8")
    per_block = 80 // kind.itemsize
    flat = np.full(-(-table.size // per_block) * per_block, np.nan, dtype=kind)
    flat[: table.size] = table.reshape(-1)
    return flat.tobytes()


def _text(table: Array, single: bool) -> bytes:
    width, per_line = (10, 8) if single else (20, 4)
    lines = []
    for row in table.tolist():
        # one blank in front keeps the fields apart
        words = ["*" * width if math.isnan(v) else " " + fixed(v, width - 1) for v in row]
        lines += ["".join(words[i : i + per_line]) for i in range(0, len(words), per_line)]
    return ("\n".join(lines) + "\n").encode("ascii")
