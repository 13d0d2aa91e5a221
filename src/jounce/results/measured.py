"""Measured data as a run: columns of a file become channels with our names, units and signs.

A map says which column gives which channel:

    chassis_velocities.yaw: {column: YawRate, unit: deg/s, sign: -1}
    System_Mass_Center.Tracking_Ay: {column: AccY, unit: g_0, offset: -0.01}
    driver_demands.steering: SteerAngle              # unit as in the file
    time: {column: t, unit: ms}

and the value of a channel is, in ``unit``, and then converted to SI,

    sign · (scale · raw + offset)                                                                                  (1)

All channels are brought to one uniform time base by linear interpolation.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.core.errors import FormatError, ParameterError, did_you_mean
from jounce.core.limits import reading, shown
from jounce.core.units import convert, dimensions
from jounce.core.yaml_files import read_mapping
from jounce.results.catalogue import catalogue
from jounce.results.files import SUFFIXES
from jounce.results.run import Run
from jounce.results.signals import uniform

Array = npt.NDArray[np.float64]

MOST_INSTANTS = 1e8  # of a time base: a day at 1 kHz, 0.8 GB for each channel
KEYS = ("column", "unit", "scale", "offset", "sign")
_TIMES = ("time", "t", "time_s", "timestamps", "timestamp", "zeit")


@dataclass(frozen=True)
class Column:
    """A column of a file: own time (s, or in the unit of the time column), values, unit or "" ."""

    time: Array | None
    values: Array
    unit: str


@dataclass(frozen=True)
class Source:
    """Where a channel comes from."""

    column: str
    unit: str = ""
    scale: float = 1.0
    offset: float = 0.0
    sign: int = 1


def read_run(
    path: str | os.PathLike[str],
    map: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    *,
    step: float | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Run:
    """Read measured data as a run.

    Parameters
    ----------
    path : csv, mat, mf4 or parquet
    map : channel -> column, or -> {column, unit, scale, offset, sign}; or a YAML file with that. Without it every
        column with a unit becomes a channel under its own name.
    step : s, of the uniform time base; default the median step of the file
    metadata : for the run, see `Run`

    Raises
    ------
    FormatError, ParameterError
        The file or the map cannot be read, a column does not exist, or a unit is missing or measures something else.
    """
    with reading(path):
        return _read_run(Path(path).expanduser(), map, step, metadata)


def _read_run(place: Path, map: Any, step: float | None, metadata: Mapping[str, Any] | None) -> Run:
    columns = load_columns(place)
    with nullcontext() if map is None or isinstance(map, Mapping) else reading(map):
        where, sources = _sources(map, columns)
        clock = sources.pop("time", None)
        time = _time(place, columns, clock)
    names: dict[str, tuple[Array, Array]] = {}
    steps: list[float] = []
    units: dict[str, str] = {}
    notes: list[str] = []
    for channel, source in sources.items():
        if source.column not in columns:
            raise ParameterError(
                f"{where(channel)}{channel}: column {source.column!r} is not in {place.name}"
                f"{did_you_mean(source.column, columns, 12)}"
            )
        column = columns[source.column]
        own = column.time if column.time is not None else time
        if own is None:
            raise FormatError(f"{place}: no column of time; name it in the map under 'time'")
        values, unit = _converted(where(channel), channel, source, column)
        good = np.isfinite(values) & np.isfinite(own)
        missing = len(values) - int(np.count_nonzero(good))
        if missing:
            if np.count_nonzero(good) < 2:
                raise FormatError(f"{place}, column {source.column!r}: no numbers")
            notes.append(f"{channel}: {missing} of {len(values)} values are missing, interpolated")
        names[channel], units[channel] = (own[good], values[good]), unit
        instants = own[np.isfinite(own)]
        steps.append(float(np.median(np.diff(instants))) if len(instants) > 1 else math.inf)
    if not names:
        raise FormatError(f"{place}: no channels; give a map, or units in the file")
    for channel, (own, _) in names.items():
        if len(own) < 2 or not np.all(np.diff(own) > 0):
            row = int(np.argmin(np.diff(own) > 0)) + 1 if len(own) > 1 else 0
            raise FormatError(f"{place}: the time of {channel} does not increase at sample {row + 1}")
    begin = max(float(own[0]) for own, _ in names.values())
    end = min(float(own[-1]) for own, _ in names.values())
    if end <= begin:
        raise FormatError(f"{place}: the channels have no time in common")
    if step is None:
        step = min(steps)
    if not step > 0.0:
        raise ParameterError(f"step = {step!r}: must be a positive number of seconds")
    if not (end - begin) / step <= MOST_INSTANTS:
        raise FormatError(
            f"{place}: from {begin:g} s to {end:g} s in steps of {step:g} s are over {MOST_INSTANTS:.0e} instants; "
            "is an instant wrong? Else give a larger step"
        )
    base = uniform(begin, end, step)
    channels = {name: np.interp(base, own, values) for name, (own, values) in names.items()}
    for channel, values in channels.items():
        if not np.isfinite(values).all():  # numbers near the largest there is
            raise FormatError(f"{place}: {channel} has numbers too large to be interpolated")
    data = {"label": place.stem, "source": place.name, "step": step, **(metadata or {})}
    data["warnings"] = [*data.get("warnings", []), *notes]
    return Run(base, channels, units, data)


# --- columns of a file -----------------------------------------------------------------------------------------------


def load_columns(path: Path) -> dict[str, Column]:
    """The columns of numbers of any file that runs are read from."""
    if not os.path.exists(path):
        raise FormatError(f"{shown(path)}: there is no such file")
    kind = SUFFIXES.get(path.suffix.lower())
    if kind == "text":
        from jounce.results.files import text

        table = text.load(path)
        return {name: Column(None, table.values[:, k], table.units[k]) for k, name in enumerate(table.names)}
    if kind == "parquet":
        from jounce.results.files import parquet

        table_ = parquet.load(path)
        twice = [name for k, name in enumerate(table_.column_names) if name in table_.column_names[:k]]
        if twice:
            raise FormatError(f"{path}: holds the column {twice[0]!r} twice")
        found: dict[str, Column] = {}
        for name in table_.column_names:
            about = table_.schema.field(name).metadata or {}
            try:
                values = np.asarray(table_.column(name).to_numpy(zero_copy_only=False), dtype=np.float64)
            except (ValueError, TypeError):
                continue  # text, dates
            found[name] = Column(None, values, about.get(b"unit", b"").decode(errors="replace"))
        return found
    if kind == "mat":
        from jounce.results.files import mat

        return {name: Column(None, values, "") for name, values in _vectors(mat.load(path), "").items()}
    if kind == "mdf4":
        from jounce.results.files import mdf4

        return {name: Column(t, values, unit) for name, (t, values, unit) in mdf4.load(path)[1].items()}
    raise FormatError(f"{path}: unknown kind of file {path.suffix!r}; known: {', '.join(SUFFIXES)}")


def _vectors(content: Mapping[str, Any], prefix: str) -> dict[str, Array]:
    """Numeric vectors of a MATLAB file; fields of structs as ``struct.field``."""
    found: dict[str, Array] = {}
    for name, value in content.items():
        if isinstance(value, dict):
            found |= _vectors(value, f"{prefix}{name}.")
        elif isinstance(value, np.ndarray) and value.dtype.kind in "fiub" and value.size > 1:
            squeezed = np.squeeze(value)
            if squeezed.ndim == 1:
                found[prefix + name] = squeezed.astype(np.float64)
    longest = max((len(v) for v in found.values()), default=0)
    return {name: values for name, values in found.items() if prefix or len(values) == longest}


def _time(path: Path, columns: dict[str, Column], clock: Source | None) -> Array | None:
    if clock is not None:
        if clock.column not in columns:
            raise ParameterError(
                f"time: column {clock.column!r} is not in {path.name}{did_you_mean(clock.column, columns, 12)}"
            )
        column = columns[clock.column]
        unit = clock.unit or column.unit or "s"
        factor = convert(1.0, unit, "s")
        with np.errstate(invalid="ignore", over="ignore"):  # such instants are left out
            return np.asarray(clock.sign * (clock.scale * column.values + clock.offset) * factor)
    name = next((name for name in columns if name.strip().casefold() in _TIMES), None)
    if name is None:
        return None
    with np.errstate(invalid="ignore", over="ignore"):
        return np.asarray(columns[name].values * (convert(1.0, columns[name].unit, "s") if columns[name].unit else 1.0))


# --- the map ---------------------------------------------------------------------------------------------------------


def _sources(given: Any, columns: dict[str, Column]) -> tuple[Any, dict[str, Source]]:
    def nowhere(channel: str) -> str:
        return ""

    if given is None:
        named = {name: Source(name) for name, column in columns.items() if column.unit}
        return nowhere, {name: source for name, source in named.items() if name.strip().casefold() not in _TIMES}
    if isinstance(given, Mapping):
        return nowhere, {str(name): _source("", str(name), item) for name, item in given.items()}
    path = Path(given).expanduser()
    document = read_mapping(path, "a channel map is 'channel: column' or 'channel: {column, unit, …}', line by line")

    def where(channel: str) -> str:
        line = document.lc.data[channel][0] + 1 if channel in getattr(document.lc, "data", {}) else 0
        return f"{path}, line {line}: " if line else f"{path}: "

    return where, {str(name): _source(where(name), str(name), item) for name, item in document.items()}


def _source(where: str, channel: str, item: Any) -> Source:
    if isinstance(item, str):
        return Source(item)
    if not isinstance(item, Mapping):
        raise ParameterError(f"{where}{channel}: expected a column or {{{', '.join(KEYS)}}}, found {item!r}")
    unknown = [key for key in item if key not in KEYS]
    if unknown:
        raise ParameterError(f"{where}{channel}: unknown key {unknown[0]!r}{did_you_mean(str(unknown[0]), KEYS)}")
    if not isinstance(item.get("column"), str):
        raise ParameterError(f"{where}{channel}: 'column' is missing: the name of the column in the file")
    numbers: dict[str, float] = {}
    for key, standard in (("scale", 1.0), ("offset", 0.0), ("sign", 1)):
        value = item.get(key, standard)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise ParameterError(f"{where}{channel}: {key} = {value!r} is not a number")
        numbers[key] = float(value)
    if numbers["sign"] not in (1.0, -1.0):
        raise ParameterError(f"{where}{channel}: sign = {item['sign']!r}: expected 1 or -1")
    unit = item.get("unit", "")
    if not isinstance(unit, str):
        raise ParameterError(f"{where}{channel}: unit = {unit!r} is not a text")
    return Source(str(item["column"]), unit, numbers["scale"], numbers["offset"], int(numbers["sign"]))


def _converted(where: str, channel: str, source: Source, column: Column) -> tuple[Array, str]:
    unit = source.unit or column.unit
    known = catalogue()
    wanted = known.find(channel).si_unit if channel in known else ""
    if not unit:
        raise ParameterError(
            f"{where}{channel}: neither the map nor the file says the unit of column {source.column!r}; "
            f"add unit: {wanted or '…'}"
        )
    with np.errstate(invalid="ignore", over="ignore"):
        raw = source.sign * (source.scale * column.values + source.offset)
    try:
        target = wanted or _si(unit)
        if dimensions(unit) != dimensions(target):
            raise ParameterError(f"found unit {unit}, but the channel is in {target}")
        zero, one = convert(0.0, unit, target), convert(1.0, unit, target)
    except ParameterError as problem:
        raise ParameterError(f"{where}{channel}: {problem}") from None
    with np.errstate(invalid="ignore", over="ignore"):  # what is no number afterwards counts as missing
        values: Array = (one - zero) * raw + zero
    return values, target


def _si(unit: str) -> str:
    """Return the SI unit of what ``unit`` measures, built from base units."""
    over: list[str] = []
    under: list[str] = []
    for base, power in dimensions(unit):
        (over if power > 0 else under).append(base if abs(power) == 1 else f"{base}{abs(power)}")
    if not over and not under:
        return "-"
    head = ".".join(over) or "1"
    return f"{head}/({'.'.join(under)})" if len(under) > 1 else f"{head}/{under[0]}" if under else head
