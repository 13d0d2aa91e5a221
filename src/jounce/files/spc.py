"""SPC: what a seven-post rig does, as settings and columns over time.

    [VIGRADE_HEADER]    FILE_TYPE = 'spc', FILE_VERSION = 2.0
    [UNITS]             of the columns
    [SEVENPOST_SETUP]   OPERATING_MODE and the rest (`Spc`)
    [DATA]              {time FL FR RL RR F_down RL_down RR_down lonacc latacc lonvel steer} and rows

Columns are known by the names of the header, in any order; where the header knows no name of a post, the columns are
what their places say, as above, and a warning tells so. Posts are FL, FR, RL, RR or wheels (L1, R1, L2 … of any number
of axles). Loads at fixed hubs are columns ``FL_FX_BRK``, ``FL_FX_DRV``, ``FL_FY``, ``FL_MX``, ``FL_MY``, ``FL_MZ`` of
any post, any of them.

Posts are up and downforces down; ``lonacc`` is positive when the car gains speed, ``latacc`` in the file in a right
turn. Here it is as everywhere, positive in a left turn: it is turned when a file is read or written. What the columns
of the posts are is said by the modes: a displacement, a velocity or an acceleration of the posts, the acceleration of
the hubs, or a spring length. Written in SI.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args, get_type_hints

import numpy as np

from jounce.core.errors import ParameterError, did_you_mean
from jounce.core.limits import read_bytes, reading
from jounce.files.file_units import Units, read_units, write_units
from jounce.files.problems import Report
from jounce.files.property_file import LIMITS, Block, PropertyFile, Table, decoded, shown
from jounce.results.key_figures.ride import HUBS, by_wheel
from jounce.results.run import Run
from jounce.results.signals import Array, sample_step

Operating = Literal["OFF", "PASSTHROUGH", "OPEN", "TRACK_HUBACC", "TRACK_SPRING"]
Actuators = Literal["DISPLACEMENT", "VELOCITY", "ACCELERATION"]
Aerodynamics = Literal["OFF", "DATA", "MODEL"]
Source = Literal["MODEL", "FILE"]
Switch = Literal["ON", "OFF"]

POSTS = {"FL": "L1", "FR": "R1", "RL": "L2", "RR": "R2"}
DOWN = ("F_down", "RL_down", "RR_down")
OTHERS = {
    "F_down": "N",
    "RL_down": "N",
    "RR_down": "N",
    "lonacc": "m/s2",
    "latacc": "m/s2",
    "lonvel": "m/s",
    "steer": "rad",
}
PLACES = ("FL", "FR", "RL", "RR", *OTHERS)  # of columns that the header does not name
COUNTS = (4, 7, 9, 11)  # of columns beside the time, by place
LOADS = {"FX_BRK": "N", "FX_DRV": "N", "FY": "N", "MX": "N.m", "MY": "N.m", "MZ": "N.m"}
ALIASES = {"steer_angle": "steer"}
WHEEL = re.compile(r"[LR][1-9]\d*")
UNITS = {"DISPLACEMENT": "m", "VELOCITY": "m/s", "ACCELERATION": "m/s2"}
BLOCK = "[SEVENPOST_SETUP]"
COARSEST = 0.005  # s, between rows of a run that a rig is to repeat
SPRINGS, AIR = "Spring.Jounce.{}", "aero_forces.{}_downforce"


@dataclass(frozen=True)
class Spc:
    """A file: settings, and columns by name in SI, as long as ``time``; posts by wheel (L1 …), loads as L1_FX_BRK …"""

    operating_mode: Operating = "OPEN"
    actuators_mode: Actuators = "DISPLACEMENT"
    aerodynamics: Aerodynamics = "OFF"
    accel_compensation: bool = False
    roll_compensation: bool = False
    pitch_compensation: bool = False
    speed_mode: Source = "MODEL"
    steer_mode: Source = "MODEL"
    time: Array = field(default_factory=lambda: np.zeros(0))
    columns: Mapping[str, Array] = field(default_factory=dict)
    path: str = ""
    warnings: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        for name, allowed in _CHOICES.items():
            if getattr(self, name) not in allowed:
                raise ParameterError(
                    f"SPC: {name} = {getattr(self, name)!r}{did_you_mean(str(getattr(self, name)), allowed)}"
                )
        if self.operating_mode.startswith("TRACK") and self.actuators_mode != "DISPLACEMENT":
            object.__setattr__(self, "actuators_mode", "DISPLACEMENT")  # as the format has it
        for name, problem in self.problems():
            raise ParameterError(f"SPC: {name}: {problem}")

    def problems(self) -> Iterator[tuple[str, str]]:
        """What does not go together, and the key that says so."""
        if self.operating_mode == "PASSTHROUGH" and self.aerodynamics == "DATA":
            yield "AERODYNAMICS", "DATA with PASSTHROUGH: the posts are driven from outside, and no row says when"
        lengths = {len(column) for column in self.columns.values()}
        if lengths - {len(self.time)}:
            yield "[DATA]", f"columns of {sorted(lengths)} rows for {len(self.time)} instants"
        if len(self.time) and (not np.all(np.diff(self.time) > 0) or not np.all(np.isfinite(self.time))):
            yield "time", "must rise from row to row"
        needs: dict[str, bool] = {
            "F_down": self.aerodynamics == "DATA",
            "lonacc": self.accel_compensation,
            "latacc": self.accel_compensation,
            "lonvel": self.aerodynamics == "MODEL" and self.speed_mode == "FILE",
            "steer": self.steer_mode == "FILE",
        }
        needs |= dict.fromkeys(DOWN, self.aerodynamics == "DATA")
        for name, needed in needs.items():
            if needed and name not in self.columns:
                yield name, "the column is missing, and the settings ask for it"
        if self.operating_mode in ("OPEN", "TRACK_HUBACC", "TRACK_SPRING") and not (self.posts or self.loads):
            yield "[DATA]", f"{self.operating_mode} needs a column of at least one post"
        if self.loads and (self.operating_mode != "OPEN" or self.actuators_mode != "DISPLACEMENT"):
            yield next(iter(self.loads)), "loads at the hubs go with OPEN and DISPLACEMENT only"

    @property
    def posts(self) -> dict[str, Array]:
        """Columns of the posts, by wheel."""
        return {name: column for name, column in self.columns.items() if WHEEL.fullmatch(name)}

    @property
    def loads(self) -> dict[str, Array]:
        """Columns of loads at the hubs: L1_FX_BRK …"""
        return {name: column for name, column in self.columns.items() if name.partition("_")[2] in LOADS}

    def unit(self, name: str) -> str:
        """Of a column."""
        return unit_of(name, self.operating_mode, self.actuators_mode)


def unit_of(name: str, operating: str, actuators: str) -> str:
    """Unit of a column, by the modes."""
    tracked = {"TRACK_HUBACC": "m/s2", "TRACK_SPRING": "m"}.get(operating)
    return OTHERS.get(name) or LOADS.get(name.partition("_")[2]) or tracked or UNITS[actuators]


_CHOICES: dict[str, tuple[Any, ...]] = {
    name: get_args(kind)
    for name, kind in get_type_hints(Spc).items()
    if get_args(kind) and name.endswith(("_mode", "namics"))
}
_SWITCHES = ("accel_compensation", "roll_compensation", "pitch_compensation")


def spc_of_run(
    run: Run,
    operating_mode: Literal["TRACK_HUBACC", "TRACK_SPRING"] = "TRACK_HUBACC",
    *,
    aerodynamics: Literal["OFF", "DATA", "MODEL"] = "DATA",
    compensation: bool = True,
) -> Spc:
    """What a rig needs to repeat the ride of a run.

    The accelerations of the hubs are the rates of their vertical speeds; springs are shorter than at design by their
    compression. The downforce at the centre, of models that have one, is shared by both ends alike.

    Parameters
    ----------
    run : on a road, with all channels, rows at most 5 ms apart
    aerodynamics : DATA: the downforces of the run; MODEL: a rig asks the vehicle's model at the speed of the run
    compensation : the rig moves the load as the accelerations do, and keeps its pads from slow roll and pitch
    """
    step = sample_step(run.time)
    if step > COARSEST:
        raise ParameterError(
            f"SPC: rows are {1e3 * step:g} ms apart; hubs need rows at most {1e3 * COARSEST:g} ms apart"
        )
    columns: dict[str, Array] = {}
    if operating_mode == "TRACK_HUBACC":
        from scipy.interpolate import CubicSpline

        speeds = by_wheel(run, HUBS)
        columns |= {wheel: CubicSpline(run.time, v)(run.time, 1) for wheel, v in speeds.items()}
    else:
        springs = by_wheel(run, SPRINGS)
        for wheel, value in springs.items():
            if run.unit(SPRINGS.format(wheel)) != "m":
                raise ParameterError(
                    f"SPC: the spring of {wheel} has no length: its channel is in {run.unit(SPRINGS.format(wheel))}"
                )
            columns[wheel] = -value
    if not columns:
        raise ParameterError(f"SPC: the run has no channels {HUBS if operating_mode == 'TRACK_HUBACC' else SPRINGS}")
    air = {word: run[AIR.format(word)] for word in ("front", "rear", "center") if AIR.format(word) in run}
    zero = np.zeros(len(run.time))
    centre = air.get("center", zero)
    rear = 0.5 * (air.get("rear", zero) + 0.5 * centre)
    columns |= {"F_down": air.get("front", zero) + 0.5 * centre, "RL_down": rear, "RR_down": rear}
    for name, signal in (("lonacc", "longitudinal_acceleration"), ("latacc", "lateral_acceleration")):
        columns[name] = run.signal(signal)
    columns |= {"lonvel": run.signal("forward_speed"), "steer": run.signal("steering")}
    return Spc(
        operating_mode,
        aerodynamics=aerodynamics,
        accel_compensation=compensation,
        roll_compensation=compensation,
        pitch_compensation=compensation,
        speed_mode="FILE",
        steer_mode="FILE",
        time=np.asarray(run.time),
        columns={name: np.asarray(values) for name, values in columns.items()},
    )


def read_spc(path: str | Path) -> Spc:
    """Read a file."""
    with reading(path):
        return parse_spc(decoded(read_bytes(path, LIMITS), str(path))[0], str(path))


def parse_spc(text: str, path: str = "") -> Spc:
    """Read a text; raises a FormatError that lists everything that is wrong with it."""
    file = PropertyFile.parse(text, path)
    report = Report(file.report.path, list(file.report.problems))
    old = file.block("ACTUATION_SETUP", "AERO_SETUP")
    if old is not None:
        report.error(
            old.line,
            f"[{old.name}]",
            "a block of version 1; expected [SEVENPOST_SETUP] with OPERATING_MODE, ACTUATORS_MODE, AERODYNAMICS … "
            "(version 2): write the file again with a newer program",
        )
        report.raise_if_errors()
    _check_header(file, report)
    units = read_units(file, report)
    setup = file.need("SEVENPOST_SETUP")
    settings: dict[str, Any] = {name: _word(setup, name, allowed, report) for name, allowed in _CHOICES.items()}
    settings |= {name: _word(setup, name, get_args(Switch), report) == "ON" for name in _SWITCHES}
    known = {*(name.upper() for name in (*_CHOICES, *_SWITCHES))}
    for attribute in setup.attributes:
        if attribute.key.upper() not in known:
            report.warning(attribute.line, f"{BLOCK} {attribute.key}", "not used")
    report.raise_if_errors()
    block = file.block("DATA")
    time, columns = np.zeros(0), dict[str, Array]()
    if block is not None and block.table is not None:
        if settings["operating_mode"].startswith("TRACK"):
            settings["actuators_mode"] = "DISPLACEMENT"
        modes = settings["operating_mode"], settings["actuators_mode"]
        time, columns = _data(block.table, units, modes, report)
    report.raise_if_errors()
    probe = object.__new__(Spc)
    for name, value in {**settings, "time": time, "columns": columns, "path": path}.items():
        object.__setattr__(probe, name, value)
    line = setup.line if block is None else block.line
    for name, problem in probe.problems():
        report.error(line, name if name.startswith("[") else f"{BLOCK} {name}", problem)
    report.raise_if_errors()
    return Spc(**settings, time=time, columns=columns, path=path, warnings=tuple(str(w) for w in report.warnings))


def _check_header(file: PropertyFile, report: Report) -> None:
    header = file.block("VIGRADE_HEADER", "MDI_HEADER")
    for key, wanted in (("FILE_TYPE", "spc"), ("FILE_VERSION", "2")):
        given = header.get(key) if header is not None else None
        word = "" if given is None else str(given.value).lower().removesuffix(".0")
        if word != wanted:
            line = given.line if given is not None else header.line if header is not None else 0
            found = "missing" if given is None else f"found {shown(str(given.value))}"
            report.error(line, f"[VIGRADE_HEADER] {key}", f"{found}; expected {wanted!r}")


def _word(block: Block, name: str, allowed: tuple[str, ...], report: Report) -> str:
    """A word of the settings; what is not said is the first of what is harmless."""
    given = block.get(name.upper())
    usual = {"operating_mode": "", "actuators_mode": "DISPLACEMENT", "aerodynamics": "OFF"}.get(
        name, "OFF" if "OFF" in allowed else "MODEL"
    )
    if given is None:
        if not usual:
            report.error(block.line, f"{BLOCK} {name.upper()}", f"missing; expected one of {', '.join(allowed)}")
        return usual or allowed[0]
    word = str(given.value).strip().upper()
    if isinstance(given.value, bool):
        word = "ON" if given.value else "OFF"
    if word not in allowed:
        report.error(given.line, f"{BLOCK} {name.upper()}", f"found {shown(word)}{did_you_mean(word, allowed)}")
        return allowed[0]
    return word


def column_name(given: str) -> str:
    """A column by our name for it, "" when it has none."""
    low = given.lower()
    for name in (*OTHERS,):
        if low == name.lower():
            return name
    if low in ALIASES:
        return ALIASES[low]
    post, _, load = given.upper().partition("_")
    wheel = POSTS.get(post, post if WHEEL.fullmatch(post) else "")
    if not wheel:
        return ""
    return wheel if not load else f"{wheel}_{load}" if load in LOADS else ""


def _data(table: Table, units: Units, modes: tuple[str, str], report: Report) -> tuple[Array, dict[str, Array]]:
    """Time and columns in SI."""
    given = [column.name for column in table.columns]
    names = ["time" if name.lower() == "time" else column_name(name) for name in given]
    if names[0] != "time":
        names[0] = "time"
        report.warning(table.line, f"[DATA] {given[0]}", "the first column is taken for the time")
    if len(given) > 1 and not any(names[1:]):
        if len(given) - 1 not in COUNTS:
            counts = ", ".join(str(n + 1) for n in COUNTS)
            report.error(
                table.line, "[DATA]", f"{len(given)} columns without names of posts; expected {counts} columns"
            )
            return np.zeros(0), {}
        names = ["time", *(column_name(name) for name in PLACES[: len(given) - 1])]
        report.warning(
            table.line, "[DATA]", f"columns by their places: {' '.join(('time', *PLACES[: len(given) - 1]))}"
        )
    for name, word in zip(names, given, strict=True):
        if not name:
            report.warning(table.line, f"[DATA] {word}", "the column is not used")
        elif names.count(name) > 1:
            report.error(table.line, f"[DATA] {word}", "the column is there more than once")
    rows: list[list[float]] = []
    for row in table.lines:
        numbers = [v for v in row.values if isinstance(v, float)]
        if len(numbers) != len(names) or len(row.values) != len(names):
            report.error(row.line, "[DATA]", f"found {len(numbers)} numbers; the table has {len(names)} columns")
        elif rows and not numbers[0] > rows[-1][0]:
            report.error(row.line, "[DATA] time", f"found {numbers[0]:g} after {rows[-1][0]:g}; must rise")
        else:
            rows.append(numbers)
    if len(rows) < 2:
        report.error(table.line, "[DATA]", f"{len(rows)} rows; at least two are needed")
    report.raise_if_errors()
    values = np.array(rows)
    if not np.all(np.isfinite(values)):
        report.error(table.line, "[DATA]", "holds numbers that are too large")
    report.raise_if_errors()
    found: dict[str, Array] = {}
    for i, name in enumerate(names):
        if i and name:
            found[name] = values[:, i] * units.factor(unit_of(name, *modes)) * (-1.0 if name == "latacc" else 1.0)
    return values[:, 0] * units.factor("s"), found


def spc_text(spc: Spc, comment: str = "") -> str:
    """The text of a file, in SI."""
    file = PropertyFile()
    if comment:
        file.add_comment(comment)
    header = file.add_block("VIGRADE_HEADER")
    header.set("FILE_TYPE", "spc")
    header.set("FILE_VERSION", 2.0)
    header.set("FILE_FORMAT", "ASCII")
    write_units(file)
    setup = file.add_block("SEVENPOST_SETUP")
    for name in ("operating_mode", "actuators_mode", "aerodynamics"):
        setup.set(name.upper(), getattr(spc, name))
    for name in _SWITCHES:
        setup.set(name.upper(), "ON" if getattr(spc, name) else "OFF")
    for name in ("speed_mode", "steer_mode"):
        setup.set(name.upper(), getattr(spc, name))
    if len(spc.time):
        back = {wheel: post for post, wheel in POSTS.items()}
        names = sorted(spc.columns, key=lambda name: _order(name))
        heads = []
        for name in names:
            wheel, _, load = name.partition("_")
            heads.append(name if name in OTHERS else f"{back.get(wheel, wheel)}{'_' if load else ''}{load}")
        columns = [spc.columns[name] * (-1.0 if name == "latacc" else 1.0) for name in names]
        rows = ([float(v) + 0.0 for v in row] for row in zip(spc.time, *columns, strict=True))
        file.add_block("DATA").add_table(["time", *heads], rows)
    return file.text()


def _order(name: str) -> tuple[int, int, int, str]:
    """Posts by axle, left before right; then what has a place; then loads."""
    if name in OTHERS:
        return 1, list(OTHERS).index(name), 0, ""
    wheel, _, load = name.partition("_")
    return (2 if load else 0), int(wheel[1:]), "LR".index(wheel[0]), load


def write_spc(spc: Spc, path: str | Path, comment: str = "") -> None:
    """Write a file."""
    from jounce.core.writing import write_atomically

    write_atomically(path, spc_text(spc, comment))
