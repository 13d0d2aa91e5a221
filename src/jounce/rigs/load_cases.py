"""Load cases of the suspension rig as files: a table with a row per step, as CSV or XML.

A column is a quantity and a wheel, and the hand wheel stands for itself:

    travel.L1    from design, up                              fz.L1   where the wheel is not moved
    fx_brake.L1, fx_drive.L1, fy.L1, mx.L1, my.L1, mz.L1      `jounce.rigs.suspension_rig.Load`
    steer        hand wheel

A cell without a number is not given: a wheel with neither travel nor ``fz`` stays where the rig starts, a load is none.
Inputs of the catalogue are read too (``Tire_Force_y.L1``, with or without ``Testrig_Loadcase.``): they act along the
axes of the wheels, ``Tire_Force_wc_x`` at the centre, all others at the contact, and ``Tire_Force_z`` counts only where
``Deactivate_Vertical_Displacement_Control`` of its wheel is 0 (that is its meaning there, against its name).

The XML has the same table, in the manner of ``result_files``:

    <LoadCases name="braking" axes="body">
      <Component name="travel.L1" unit="mm" id="1"/> …
      <Step>10 …</Step> …                                     nan: not given

Files come from anywhere: document types and entities are refused, what they may cost is limited.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import quoteattr

import numpy as np
import numpy.typing as npt

from jounce.core.errors import FormatError, ParameterError, did_you_mean
from jounce.core.limits import Limits, is_file, parse_xml, read_utf8, reading, shown
from jounce.core.units import convert, dimensions
from jounce.core.writing import write_atomically
from jounce.rigs.suspension_rig import Axes, Held, Load, Point, SuspensionRig, heading

if TYPE_CHECKING:
    from jounce.results.run import Run

Array = npt.NDArray[np.float64]

LIMITS = Limits("a file of load cases", size=50_000_000)
STEPS = 100_000  # at most
GROUP = "Testrig_Loadcase."
FLAG = "Deactivate_Vertical_Displacement_Control"
# quantities by column; unit, and the field of a load
OWN = {"travel": "m", **{f.name: "N" if f.name.startswith("f") else "N.m" for f in fields(Load)}}
CATALOGUE = {
    "Tire_Force_wc_x": "fx_drive",
    "Tire_Force_x": "fx_brake",
    **{f"Tire_Force_{a}": f"f{a}" for a in "yz"},
    **{f"Tire_Moment_{a}": f"m{a}" for a in "xyz"},
}
STEER = "steer"
_COLUMN = re.compile(r"(.+)\.([^.]+)")


@dataclass(frozen=True)
class LoadCases:
    """Steps of a rig test, SI; nan where a cell has no number. ``rows``: where each stands in its file."""

    columns: Mapping[str, Array]
    axes: Axes = "body"
    name: str = ""
    source: str = ""
    rows: Sequence[str] = field(default=(), compare=False)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    @property
    def wheels(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(key.rpartition(".")[2] for key in self.columns if "." in key))

    def points(self, rig: SuspensionRig) -> Iterator[Point]:
        """The steps as points of a rig."""
        for wheel in self.wheels:
            if wheel not in rig.wheels:
                raise ParameterError(f"{self._at()}wheel {wheel!r} is unknown{did_you_mean(wheel, rig.wheels)}")
        start = rig.start().travels
        for k in range(len(self)):
            row = {key: float(values[k]) for key, values in self.columns.items() if not math.isnan(values[k])}
            travels, loads = dict(start), {}
            for wheel in self.wheels:
                given = {name: row[f"{name}.{wheel}"] for name in OWN if f"{name}.{wheel}" in row}
                moved = given.pop("travel", None)
                if f"{FLAG}.{wheel}" in self.columns:
                    if row.get(f"{FLAG}.{wheel}") == 0.0:
                        moved, given["fz"] = None, given.get("fz", 0.0)
                    else:
                        given.pop("fz", None)
                if "fz" in given and moved is not None:
                    raise ParameterError(
                        f"{self._at(k)}travel.{wheel} = {moved:g} m and fz.{wheel} = {given['fz']:g} N; give one"
                    )
                if "fz" in given:
                    del travels[wheel]
                elif moved is not None:
                    travels[wheel] = moved
                loads[wheel] = Load(**given)
            yield Point(travels, loads, row.get(STEER, 0.0), self.axes)

    def _at(self, k: int | None = None) -> str:
        row = "" if k is None else self.rows[k] if k < len(self.rows) else f"step {k + 1}"
        return "".join(f"{part}: " for part in (", ".join(filter(None, (self.source, row))),) if part)


def read_load_cases(path: str | Path) -> LoadCases:
    """Read a file of load cases, .xml or a table as text; what is wrong is told with file, line and column."""
    place = Path(path).expanduser()
    with reading(place):
        if not is_file(place):
            raise FormatError(f"{shown(place)}: there is no such file")
        return _from_xml(place) if place.suffix.lower() == ".xml" else _from_text(place)


def _from_text(path: Path) -> LoadCases:
    from jounce.results.files import text

    table = text.load(path)
    units = table.units or [""] * len(table.names)
    if len(table.values) > STEPS:
        raise FormatError(f"{shown(path)}: {len(table.values)} steps; at most {STEPS}")
    rows = [f"line {table.lines[k]}" if k < len(table.lines) else f"row {k + 1}" for k in range(len(table.values))]
    columns = [(name, unit, table.values[:, k]) for k, (name, unit) in enumerate(zip(table.names, units, strict=True))]
    return _checked(columns, path, "", None, rows, f"line {table.head}, " if table.head else "")


def _from_xml(path: Path) -> LoadCases:
    root = parse_xml(read_utf8(path, LIMITS), shown(path))
    if root.tag != "LoadCases":
        raise FormatError(f"{shown(path)}: begins with <{root.tag[:60]}>, expected <LoadCases>")
    components = root.findall("Component")
    for key in ("name", "unit"):
        for k, item in enumerate(components):
            if key not in item.attrib:
                raise FormatError(f"{shown(path)}, component {k + 1}: {key!r} is missing")
    numbers = [item.attrib.get("id", str(k + 1)) for k, item in enumerate(components)]
    if numbers != [str(k + 1) for k in range(len(components))]:
        raise FormatError(f"{shown(path)}: the components have the ids {', '.join(numbers[:20])}; expected 1, 2, …")
    found = []
    for k, step in enumerate(root.findall("Step")):
        if k >= STEPS:
            raise FormatError(f"{shown(path)}: more than {STEPS} steps")
        try:
            found.append([float(x) for x in (step.text or "").split()])
        except ValueError as problem:
            raise FormatError(f"{shown(path)}, step {k + 1}: {str(problem)[:100]}") from None
        if len(found[-1]) != len(components):
            raise FormatError(f"{shown(path)}, step {k + 1}: {len(found[-1])} numbers for {len(components)} components")
    values = np.array(found, dtype=float).reshape(len(found), len(components))
    columns = [(item.attrib["name"], item.attrib["unit"], values[:, k]) for k, item in enumerate(components)]
    rows = [f"step {k + 1}" for k in range(len(found))]
    return _checked(columns, path, root.attrib.get("name", ""), root.attrib.get("axes"), rows)


def _checked(
    given: Sequence[tuple[str, str, Array]],
    path: Path,
    name: str,
    axes: str | None,
    rows: Sequence[str],
    head: str = "",
) -> LoadCases:
    """Columns by our names, in SI; their axes are those of their names."""
    columns: dict[str, Array] = {}
    called: dict[str, str] = {}
    whose: dict[Axes, str] = {}
    for column, unit, values in given:
        where = f"{shown(path)}, {head}column {column[:80]!r}"
        key, wanted, along = _meant(column, where)
        if key in columns:
            raise FormatError(f"{where}: is the same quantity as {called[key]!r}")
        if not unit and wanted != "-":
            raise FormatError(f"{where}: has no unit; add a line of units, or write {column} [{wanted}]")
        if wanted != "-" and dimensions(unit) != dimensions(wanted):
            raise FormatError(f"{where}: is in {unit}, expected one of {wanted}")
        infinite = np.isinf(values)
        if infinite.any():
            raise FormatError(f"{where}, {rows[int(np.argmax(infinite))]}: an infinite number")
        if wanted != "-":
            zero, one = (convert(x, unit, wanted) for x in (0.0, 1.0))
            values = values if (zero, one) == (0.0, 1.0) else (one - zero) * values + zero
        elif not np.isin(values[~np.isnan(values)], (0.0, 1.0)).all():
            raise FormatError(f"{where}: expected 0 (the force acts) or 1 (the travel is held)")
        columns[key], called[key] = values, column
        if along is not None:
            whose.setdefault(along, column)
    if not columns or not len(rows):
        raise FormatError(f"{shown(path)}: no load cases; a column is such as travel.L1 [mm], a row is a step")
    if len(whose) > 1:
        raise FormatError(
            f"{shown(path)}: {whose['body']!r} acts along the body, {whose['wheel']!r} along its wheel; use one kind"
        )
    if axes is not None and axes not in ("body", "wheel"):
        raise FormatError(f"{shown(path)}: axes = {axes[:40]!r}: unknown; allowed: body, wheel")
    acting: Axes = "wheel" if "wheel" in (axes, *whose) else "body"
    return LoadCases(columns, acting, name, shown(path), tuple(rows))


def _meant(column: str, where: str) -> tuple[str, str, Axes | None]:
    """Our name of a column, its unit, and the axes that its name implies."""
    bare = column.removeprefix(GROUP)
    if bare == STEER:
        return STEER, "rad", None
    match = _COLUMN.fullmatch(bare)
    name = match[1] if match else bare
    known = [*OWN, *CATALOGUE, FLAG]
    if match is None or name not in known:
        words = [STEER, *(f"{n}.L1" for n in known)]
        raise FormatError(f"{where}: no quantity of a load case{did_you_mean(bare[:80], words, 20)}")
    wheel = match[2]
    if name == FLAG:
        return f"{FLAG}.{wheel}", "-", None
    if name in CATALOGUE:
        return f"{CATALOGUE[name]}.{wheel}", OWN[CATALOGUE[name]], "wheel"
    return f"{name}.{wheel}", OWN[name], None if name in ("travel", "fz") else "body"


def write_load_cases(cases: LoadCases, path: str | Path) -> Path:
    """Write load cases as .xml, or as CSV; they come back exactly. CSV has no place for a name, and body axes only."""
    place = Path(path).expanduser()
    units = {key: "rad" if key == STEER else OWN.get(key.rpartition(".")[0], "-") for key in cases.columns}
    table = list(zip(*(values.tolist() for values in cases.columns.values()), strict=True))
    if place.suffix.lower() == ".xml":
        lines = [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f"<LoadCases name={quoteattr(cases.name)} axes={quoteattr(cases.axes)}>",
        ]
        for k, (key, unit) in enumerate(units.items()):
            lines.append(f'  <Component name={quoteattr(key)} unit={quoteattr(unit)} id="{k + 1}"/>')
        lines += [f"  <Step>{' '.join(map(repr, row))}</Step>" for row in table] + ["</LoadCases>"]
        return write_atomically(place, "\n".join(lines) + "\n")
    names = list(units)
    if cases.axes == "wheel":
        theirs = {ours: name for name, ours in CATALOGUE.items()}
        parts = [key.rpartition(".") for key in names]
        names = [
            f"{theirs[a]}.{wheel}" if a in theirs else key for key, (a, _, wheel) in zip(names, parts, strict=True)
        ]
    lines = [",".join(names), ",".join(units.values())]
    lines += [",".join("" if math.isnan(x) else repr(x) for x in row) for row in table]
    return write_atomically(place, "\n".join(lines) + "\n")


def load_cases(points: Sequence[Point], name: str = "") -> LoadCases:
    """Points as load cases, to be written."""
    axes = {p.axes for p in points}
    if len(axes) != 1:
        raise ParameterError(f"load cases: {len(points)} points with {len(axes)} kinds of axes; they share one")
    rows: list[dict[str, float]] = []
    for p in points:
        row = {f"travel.{w}": value for w, value in p.travels.items()}
        for w, load in p.loads.items():
            names = [f.name for f in fields(Load) if getattr(load, f.name) or (f.name == "fz" and w not in p.travels)]
            row |= {f"{n}.{w}": getattr(load, n) for n in names}
        rows.append(row | {STEER: p.steer})
    keys = list(dict.fromkeys(key for row in rows for key in row))
    columns = {key: np.array([row.get(key, math.nan) for row in rows]) for key in keys}
    return LoadCases(columns, axes.pop(), name)


def as_run(rig: SuspensionRig, held: Sequence[Held]) -> Run:
    """Equilibria as a run whose time counts the steps: all channels of the car, and those of the rig by wheel."""
    from jounce.results.run import Run

    units = {v.name: v.unit for v in rig.sim.model.outputs}
    columns: dict[str, list[float]] = {name: [h.channels[name] for h in held] for name in units}
    start = rig.start().travels
    for name, place in rig.layout.wheels.items():
        wheel = f"{place.axle.word}_{'left' if place.side == 'L' else 'right'}"
        rows: list[dict[str, Any]] = []
        for h in held:
            load = h.point.loads.get(name, Load())
            c, s = (1.0, 0.0) if h.point.axes == "wheel" else heading(h.axis[name])
            fx, fy = load.fx_brake + load.fx_drive, load.fy
            long, lat = c * fx + s * fy, c * fy - s * fx
            rows.append(
                {
                    "jack_vertical_force": (h.jack[name], "N"),
                    "wheel_travel": (h.travel[name] - start[name], "m"),
                    "wheel_travel_wrt_design": (h.travel[name], "m"),
                    "wheel_load_long": (long, "N"),
                    "wheel_load_lat": (lat, "N"),
                    "wheel_load_align": (load.mz, "N.m"),
                }
            )
        for key in rows[0] if rows else ():
            columns[f"testrig.{key}.{wheel}"] = [row[key][0] for row in rows]
            units[f"testrig.{key}.{wheel}"] = rows[0][key][1]
    return Run(np.arange(float(len(held))), columns, units, {"vehicle": rig.vehicle.name})


__all__ = ["LoadCases", "as_run", "load_cases", "read_load_cases", "write_load_cases"]
