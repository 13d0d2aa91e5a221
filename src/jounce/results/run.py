"""A run: channels over one time base, with units, what they come from, and what follows from them.

    run.time, run["chassis_velocities.yaw"], run.unit("chassis_velocities.yaw"), run.channels("*yaw*")
    run.kpis                                      # {"yaw_rate_t90": (0.14, "s"), …}
    run.to_parquet("a.parquet"); Run.read("a.parquet"); run.report("a.html")

Values are SI with the signs of docs/conventions.md; `Run.compat` gives a channel in the sign and unit of the reference
tool. A run does not change: its arrays are read-only, and what alters it (`between`, `resampled`, …) returns another.
"""

from __future__ import annotations

import copy
import fnmatch
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from jounce.core.errors import JounceError, ParameterError, did_you_mean
from jounce.core.units import check_unit, convert, parse
from jounce.results import kinds, origin
from jounce.results.catalogue import catalogue, expand, spelling
from jounce.results.figures import Figures
from jounce.results.trials import Trial, trials_of
from jounce.results.verdict import Verdict

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = npt.NDArray[np.float64]
PathLike = str | os.PathLike[str]

STATUS = ("complete", "partial")

# What key figures need, and the channels that give it, best first. Accelerations are those of the whole car's centre of
# gravity in levelled axes; a body-fixed accelerometer feels gravity in roll and is never taken for them.
SIGNALS: Mapping[str, tuple[str, ...]] = {
    "steering": ("driver_demands.steering",),
    "hand_torque": ("Steering_System.Steering_Wheel_Torque", "Steering_column.steering_wheel_torque"),
    "throttle": ("driver_demands.throttle",),
    "brake": ("driver_demands.brake", "driver_demands.brake_pressure"),
    "speed": ("System_Mass_Center.Speed", "System_Mass_Center.Tracking_Vx", "chassis_velocities.longitudinal"),
    # with its sign: a car that stops rocks back, and its speed does not rest at zero
    "forward_speed": ("System_Mass_Center.Tracking_Vx", "chassis_velocities.longitudinal", "System_Mass_Center.Speed"),
    "lateral_acceleration": (
        *("System_Mass_Center.Tracking_Ay", "System_Mass_Center.Normal_Acceleration"),
        *("Vehicle.CM_Tracking_Ay", "Sensor.Ay_Without_Gravity"),
    ),
    "longitudinal_acceleration": (
        *("System_Mass_Center.Tracking_Ax", "System_Mass_Center.Tangential_Acceleration"),
        *("Vehicle.CM_Tracking_Ax", "Sensor.Ax_Without_Gravity"),
    ),
    "yaw_rate": ("chassis_velocities.yaw", "Vehicle.Global_Omega_Z", "Sensor.YawRate_gyro"),
    "yaw": ("chassis_displacements.yaw", "Vehicle.Yaw"),
    # to the horizontal: the plane under the car at an instant turns with every bump, and the car does not. Runs on an
    # inclined plane, which is the same everywhere, take the road and say so in ``metadata["signals"]``.
    "roll": ("chassis_displacements.roll", "Vehicle.Euler_Roll", "chassis_displacements.roll_wrt_road"),
    "roll_rate": ("chassis_velocities.roll",),
    "pitch": ("chassis_displacements.pitch", "Vehicle.Pitch", "chassis_displacements.pitch_wrt_road"),
    "side_slip": (
        *("System_Mass_Center.Side_Slip_Angle", "Vehicle.Side_Slip_Angle"),
        *("condition_sensors.side_slip_angle", "Vehicle_States.side_slip"),
    ),
    "x": ("System_Mass_Center.Global_X", "Vehicle.CM_Global_X", "chassis_displacements.longitudinal"),
    "y": ("System_Mass_Center.Global_Y", "Vehicle.CM_Global_Y", "chassis_displacements.lateral"),
    "height": ("chassis_displacements.vertical_wrt_road", "chassis_displacements.vertical", "Vehicle.CM_Global_Z"),
}


class Run:
    """A result: made by a simulation, read from a file or measured.

    Parameters
    ----------
    time : s, increasing
    channels : values by name, each as long as ``time``; or a matrix with one row per instant, with ``names``
    units : unit by name, or in the order of the channels
    metadata : what can be written as JSON. Used keys, all optional:

        ``vehicle``: name, or {"name", "class", "summary": {label: [value, unit]}, "quantities": {name: SI number}};
        ``event``: kind, or {"kind", "name", "parameters": {name: value or [value, unit]}};
        ``parameters`` (changes to the vehicle), ``version``, ``step``, ``method``, ``hashes``;
        ``data``: vehicle, tires and event in full, packed (`Run.data`);
        ``status`` "complete" or "partial" with ``reason``; ``verdict`` (`Verdict.to_dict`); ``warnings`` (list);
        ``timing``: {"simulated", "wall"} in s; ``signals``: {signal: channel} in place of `SIGNALS`
    names : of the columns when ``channels`` is a matrix
    descriptions : one line per channel, optional
    """

    def __init__(
        self,
        time: npt.ArrayLike,
        channels: Mapping[str, npt.ArrayLike] | npt.ArrayLike,
        units: Mapping[str, str] | Sequence[str],
        metadata: Mapping[str, Any] | None = None,
        *,
        names: Sequence[str] | None = None,
        descriptions: Mapping[str, str] | None = None,
    ) -> None:
        self.time: Array = _frozen(np.asarray(time, dtype=np.float64))
        if self.time.ndim != 1:
            raise ParameterError(f"time: {self.time.ndim} dimensions, expected one")
        if len(self.time) > 1 and not np.all(np.diff(self.time) > 0):
            row = int(np.argmin(np.diff(self.time) > 0)) + 1
            raise ParameterError(f"time: not increasing at row {row} ({self.time[row - 1]:g} s, {self.time[row]:g} s)")
        columns = _columns(channels, names)
        self.names: tuple[str, ...] = tuple(columns)
        listed = dict(units) if isinstance(units, Mapping) else _paired(self.names, units)
        self._values: dict[str, Array] = {}
        for name, values in columns.items():
            if values.shape != self.time.shape:
                raise ParameterError(f"channel {name!r}: shape {values.shape}, but time has {self.time.shape}")
            if name not in listed:
                raise ParameterError(f"channel {name!r}: no unit given; write '-' for a dimensionless one")
            self._values[name] = _frozen(values)
        self._units: dict[str, str] = {name: check_unit(listed[name], name) for name in self.names}
        self.descriptions: dict[str, str] = dict(descriptions or {})
        self.metadata: dict[str, Any] = plain(metadata or {})
        if self.metadata.setdefault("status", "complete") not in STATUS:
            raise ParameterError(f"status {self.metadata['status']!r}: expected one of {', '.join(STATUS)}")

    @classmethod
    def from_recording(cls, recording: Any, metadata: Mapping[str, Any] | None = None) -> Run:
        """Make a run from what a simulation recorded (`jounce.runtime.recording.Recording`)."""
        data = dict(metadata or {})
        whole = recording.ok
        data.setdefault("status", "complete" if whole else "partial")
        data.setdefault("reason", recording.reason)
        data.setdefault("step", recording.step)
        data.setdefault("method", recording.method)
        simulated = float(recording.time[-1] - recording.time[0]) if len(recording.time) else 0.0
        data.setdefault("timing", {"simulated": simulated, "wall": recording.wall_time, "steps": recording.steps})
        return cls(recording.time, recording.data, recording.units, data, names=recording.names)

    # --- channels ---------------------------------------------------------------------------------------------------

    def __getitem__(self, name: str) -> Array:
        """Values of a channel, in any spelling of its name."""
        found = self.find(name)
        return self.time if found == "time" else self._values[found]

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        try:
            self.find(name)
        except ParameterError:
            return False
        return True

    def __len__(self) -> int:
        return len(self.time)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def find(self, name: str) -> str:
        """Return the name of a channel as it stands in this run.

        Levels may be joined by ``.``, ``:`` or ``_``, and the letter case does not matter where only one channel fits.
        """
        if name in self._values or name == "time":
            return name
        found = self._spellings.get(spelling(name), [])
        if len(found) == 1:
            return found[0]
        if found:
            raise ParameterError(f"channel {name!r}: means several: {', '.join(found)}")
        if spelling(name) == "time":
            return "time"
        hint = did_you_mean(name, self.names, 0).partition("  known")[0]
        listed = f"; {len(self.names)} channels, see run.channels('*')" if self.names else "; the run has no channels"
        raise ParameterError(f"channel {name!r}: not in this run{hint}{listed}")

    @cached_property
    def _spellings(self) -> dict[str, list[str]]:
        table: dict[str, list[str]] = {}
        for name in self.names:
            table.setdefault(spelling(name), []).append(name)
        return table

    def unit(self, name: str) -> str:
        """Return the unit of a channel."""
        found = self.find(name)
        return "s" if found == "time" else self._units[found]

    @property
    def units(self) -> dict[str, str]:
        """Units by name."""
        return dict(self._units)

    def describe(self, name: str) -> str:
        """Return one line about a channel: its own description, or that of the catalogue."""
        found = self.find(name)
        if found in self.descriptions:
            return self.descriptions[found]
        known = catalogue()
        return known.find(found).description if found in known else ""

    def channels(self, pattern: str = "*") -> list[str]:
        """Return the channels that match a shell pattern (``*yaw*``), in any letter case and with any separator."""
        wanted = pattern.casefold()
        found = [name for name in self.names if fnmatch.fnmatchcase(name.casefold(), wanted)]
        if found or not self.names:
            return found
        loose = wanted.replace(":", "_").replace(".", "_")
        return [name for name in self.names if fnmatch.fnmatchcase(spelling(name), loose)]

    def has_signal(self, signal: str) -> bool:
        """Return whether one of the channels that give a signal is there."""
        return self._signal_channel(signal) is not None

    def signal(self, signal: str) -> Array:
        """Return what key figures call ``yaw_rate``, ``lateral_acceleration`` … (`SIGNALS`), from the best channel."""
        return self[self.signal_channel(signal)]

    def signal_channel(self, signal: str) -> str:
        """Return the channel that gives a signal."""
        name = self._signal_channel(signal)
        if name is None:
            wanted = ", ".join(SIGNALS[signal])
            raise ParameterError(f"signal {signal!r}: none of its channels is in this run ({wanted})")
        return name

    def given(self, *signals: str) -> dict[str, Any]:
        """Return those of some signals that are there, by name: arguments of a key-figure function."""
        return {signal: self.signal(signal) for signal in signals if self.has_signal(signal)}

    def _signal_channel(self, signal: str) -> str | None:
        if signal not in SIGNALS:
            raise ParameterError(f"signal {signal!r}: unknown{did_you_mean(signal, SIGNALS)}")
        own = self.metadata.get("signals", {}).get(signal)
        if own is not None:
            return self.find(own)
        return next((self.find(name) for name in SIGNALS[signal] if name in self), None)

    @property
    def compat(self) -> Compat:
        """Channels in the sign and unit of the reference tool: ``run.compat["chassis_velocities_lateral"]``."""
        return Compat(self)

    # --- what it comes from ----------------------------------------------------------------------------------------

    @property
    def status(self) -> str:
        """ "complete", or "partial" when the run ended before its time; `reason` says why."""
        return str(self.metadata["status"])

    @property
    def complete(self) -> bool:
        """Whether the run came to its proper end."""
        return self.status == "complete"

    @property
    def reason(self) -> str:
        """Why the run ended."""
        return str(self.metadata.get("reason") or "")

    @property
    def warnings(self) -> list[str]:
        """Warnings of the run itself; those of its key figures are `kpi_warnings`."""
        return [str(text) for text in self.metadata.get("warnings", [])]

    @property
    def event(self) -> str:
        """Kind of event, "" when unknown."""
        found = self.metadata.get("event", "")
        return str(found.get("kind", "") if isinstance(found, dict) else found or "")

    @property
    def vehicle(self) -> str:
        """Name of the vehicle, "" when unknown."""
        found = self.metadata.get("vehicle", "")
        return str(found.get("name", "") if isinstance(found, dict) else found or "")

    @property
    def label(self) -> str:
        """Short name for legends and tables."""
        own = self.metadata.get("label")
        return (
            str(own)
            if own
            else " · ".join(x for x in (self.vehicle, self.event.replace("_", " ").replace("-", " ")) if x) or "run"
        )

    def quantity(self, name: str) -> float:
        """Return a number of the vehicle (``wheelbase``, ``steering_ratio``, ``mass`` …; SI), nan when not known."""
        found = self.metadata.get("vehicle", {})
        numbers = found.get("quantities", {}) if isinstance(found, dict) else {}
        value = numbers.get(name)
        return math.nan if value is None else float(value)

    def parameter(self, name: str) -> Any:
        """Return a parameter of the event, None when not known; of ``[value, unit]`` the value."""
        found = self.metadata.get("event", {})
        values = found.get("parameters", {}) if isinstance(found, dict) else {}
        value = values.get(name)
        return value[0] if isinstance(value, list) and len(value) == 2 and isinstance(value[1], str) else value

    def number(self, name: str, unit: str) -> float:
        """Return a parameter of the event in an SI unit, nan when there is none; a plain number is in that unit."""
        found = self.metadata.get("event", {})
        values = found.get("parameters", {}) if isinstance(found, dict) else {}
        value = values.get(name)
        if isinstance(value, list) and len(value) == 2 and isinstance(value[1], str):
            if isinstance(value[0], bool) or not isinstance(value[0], (int, float)):
                return math.nan
            return convert(float(value[0]), value[1] or unit, unit)
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            return math.nan
        return parse(value, unit, name)

    def with_metadata(self, **changes: Any) -> Run:
        """Return the same run with other metadata."""
        return self._with(self.time, self._values, {**self.metadata, **changes})

    @cached_property
    def data(self) -> Mapping[str, Any]:
        """Vehicle, tires and event in full, as `jounce.results.origin` says; empty where the run has none."""
        packed = self.metadata.get("data")
        return origin.unpack(packed) if isinstance(packed, str) else {}

    @cached_property
    def trials(self) -> tuple[Trial, ...]:
        """The runs of a procedure, in their order; none of a single run. See `jounce.results.trials`."""
        return trials_of(self.metadata)

    # --- what follows from it ----------------------------------------------------------------------------------------

    @cached_property
    def figures(self) -> Figures:
        """Key figures of the kind of event, computed on first use."""
        result = Figures()
        kept = self.metadata.get("kpis")
        if isinstance(kept, dict):  # told before channels were renamed or scaled
            values = {name: (math.nan if v is None else float(v), str(u)) for name, (v, u) in kept["figures"].items()}
            return Figures(values, kept["warnings"])
        if len(self) < 2:
            result.warn("no key figures: the run has fewer than two instants")
            return result
        kind = kinds.find(self.event)
        if kinds.problem(self.event):
            result.warn(kinds.problem(self.event))
        for function in kind.figures:
            try:
                result.join(function(self))
            except JounceError as problem:  # a channel that is not there; the rest of the figures still is
                result.warn(str(problem))
        return result

    @property
    def kpis(self) -> dict[str, tuple[float, str]]:
        """Key figures: name -> (value, unit); nan where one cannot be told, see `kpi_warnings`."""
        return Figures(self.figures, self.figures.warnings)

    @property
    def kpi_warnings(self) -> list[str]:
        """What was noticed while computing the key figures."""
        return list(self.figures.warnings)

    @cached_property
    def verdict(self) -> Verdict:
        """What the standard of the event says of the run: pass, fail, or neither, with the reason."""
        kept = self.metadata.get("verdict")
        if isinstance(kept, dict):  # told before channels were renamed, or by whoever made the run
            return Verdict.from_dict(kept)
        judge = kinds.find(self.event).verdict
        if judge is None:
            why = "no standard gives a limit for this event"
            return Verdict(reason=why if self.complete else f"the run ended early: {self.reason}")
        if len(self) < 2:
            return Verdict(reason="the run has fewer than two instants")
        try:
            return judge(self)
        except JounceError as problem:  # a channel that is not there
            return Verdict(reason=f"cannot be told: {problem}")

    def between(self, start: float = -math.inf, end: float = math.inf) -> Run:
        """Return the part from ``start`` to ``end``, both included; s."""
        rows = (self.time >= start) & (self.time <= end)
        return self._with(self.time[rows], {name: values[rows] for name, values in self._values.items()})

    def shifted(self, by: float) -> Run:
        """Return the run with ``by`` seconds added to its time."""
        return self._with(self.time + by, self._values)

    def resampled(self, time: npt.ArrayLike) -> Run:
        """Return the run at other instants (s) by linear interpolation; they must lie within it."""
        at = np.asarray(time, dtype=np.float64)
        if len(at) and (at[0] < self.time[0] - 1e-9 or at[-1] > self.time[-1] + 1e-9):
            raise ParameterError(
                f"resampled: {at[0]:g} to {at[-1]:g} s lies outside the run, {self.time[0]:g} to {self.time[-1]:g} s"
            )
        return self._with(at, {name: np.interp(at, self.time, values) for name, values in self._values.items()})

    def filtered(self, cutoff: float, channels: str | Sequence[str] = "*", order: int = 4) -> Run:
        """Return the run with channels low-passed without phase shift; cutoff in Hz, see `signals.low_pass`."""
        from jounce.results.signals import low_pass

        names = self.channels(channels) if isinstance(channels, str) else [self.find(name) for name in channels]
        changed = {name: low_pass(self.time, self._values[name], cutoff, order) for name in names}
        return self._with(self.time, {**self._values, **changed})

    def with_channels(self, channels: Mapping[str, npt.ArrayLike], units: Mapping[str, str]) -> Run:
        """Return the run with channels added or replaced."""
        added = {name: np.asarray(values, dtype=np.float64) for name, values in channels.items()}
        names = {**self._values, **added}
        return Run(
            self.time, names, {**self._units, **units}, copy.deepcopy(self.metadata), descriptions=self.descriptions
        )

    def _with(
        self, time: npt.ArrayLike, channels: Mapping[str, npt.ArrayLike], metadata: Mapping[str, Any] | None = None
    ) -> Run:
        data = copy.deepcopy(self.metadata) if metadata is None else metadata
        return Run(time, channels, self._units, data, descriptions=self.descriptions)

    def __eq__(self, other: object) -> bool:
        """Same time, channels, units and metadata; equal bits, and nan equals nan."""
        if not isinstance(other, Run):
            return NotImplemented
        return (
            self.names == other.names
            and self._units == other._units
            and self.metadata == other.metadata
            and np.array_equal(self.time, other.time)
            and all(np.array_equal(self._values[n], other._values[n], equal_nan=True) for n in self.names)
        )

    __hash__ = None  # type: ignore[assignment]  # equality is by content

    # --- out --------------------------------------------------------------------------------------------------------

    def to_parquet(self, path: PathLike) -> Path:
        """Write a Parquet file; units and metadata are in it."""
        from jounce.results.files import parquet

        return parquet.write(self, path)

    def to_csv(self, path: PathLike) -> Path:
        """Write text: names, units, then numbers that come back exactly; metadata beside it in JSON."""
        from jounce.results.files import text

        return text.write(self, path)

    def to_mat(self, path: PathLike) -> Path:
        """Write a MATLAB file; a channel becomes the variable whose name has ``_`` between the levels."""
        from jounce.results.files import mat

        return mat.write(self, path)

    def to_mdf4(self, path: PathLike) -> Path:
        """Write an ASAM MDF4 file; needs the package asammdf."""
        from jounce.results.files import mdf4

        return mdf4.write(self, path)

    def save(self, folder: PathLike, formats: Sequence[str] = ("parquet",), report: bool = False) -> Path:
        """Write a folder: run.json, run.parquet (or other formats) and, if asked, report.html. It may be moved."""
        from jounce.results.files import folder as folders

        return folders.write(self, folder, formats, report)

    @classmethod
    def read(cls, path: PathLike) -> Run:
        """Read a run from a file (parquet, csv, mat, mf4) or from the folder that `save` made."""
        from jounce.results.files import read

        return read(path)

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame over time; ``attrs["units"]`` has the units. Needs pandas."""
        try:
            import pandas
        except ImportError:
            raise ParameterError("to_pandas needs pandas, which is not installed: pip install pandas") from None
        frame = pandas.DataFrame(self._values, index=pandas.Index(self.time, name="time"))
        frame.attrs = {"units": dict(self._units), "metadata": copy.deepcopy(self.metadata)}
        return frame

    def plot(self, *names: str, x: str = "time", profile: str = "engineering") -> Figure:
        """Return a matplotlib figure with one panel per channel (or pattern); needs matplotlib."""
        from jounce.results.plots import plot

        figure: Figure = plot([self], names, x=x, profile=profile)
        return figure

    def report(self, path: PathLike, **options: Any) -> Path:
        """Write a self-contained HTML page; options as for `jounce.results.report.write`."""
        from jounce.results.report import write

        return write(self, path, **options)

    def log(self, profile: str = "si") -> str:
        """The log as text: how it ended, warnings, statistics, key figures, speed of the computation."""
        from jounce.results.run_log import render

        return render(self, profile)

    def __repr__(self) -> str:
        span = f", {self.time[0]:g} to {self.time[-1]:g} s" if len(self) else ", empty"
        why = f" ({self.reason})" if self.reason and not self.complete else ""
        return f"<Run {self.label}: {self.status}{why}, {len(self.names)} channels, {len(self)} rows{span}>"

    def _repr_html_(self) -> str:
        from jounce.results.report import notebook

        return notebook(self)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.names)


REFERENCE = "reference tool"  # metadata["convention"] of a run in its signs and units


class Compat:
    """A run as the reference tool would have written it: its sign, its unit."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def __getitem__(self, name: str) -> Array:
        """Values of an output in the sign and unit of the reference tool."""
        found = self._run.find(name)
        if found == "time":
            return self._run.time
        entry = catalogue().find(found, "output")
        values: Array = entry.sign * entry.factor * self._run[found]
        return values

    def unit(self, name: str) -> str:
        """Return the unit the reference tool writes."""
        found = self._run.find(name)
        return "s" if found == "time" else catalogue().find(found, "output").unit

    def run(self) -> Run:
        """The whole run with the names, units and signs of the reference tool; channels it does not have are left out.

        ``metadata["convention"]`` says so: such a run is for writing to a file, its key figures are those of ours.
        """
        known = catalogue()
        values: dict[str, Array] = {}
        units: dict[str, str] = {}
        for ours in self.channels():
            entry = known.find(ours, "output")
            theirs = dict(zip(entry.names, expand(entry.name), strict=True)).get(ours, ours)
            values[theirs], units[theirs] = self[ours], entry.unit or "-"
        kpis = {
            "figures": {name: list(item) for name, item in self._run.kpis.items()},
            "warnings": self._run.kpi_warnings,
        }
        kept = {"convention": REFERENCE, "kpis": kpis, "verdict": self._run.verdict.to_dict()}
        return Run(self._run.time, values, units, {**self._run.metadata, **kept})

    @staticmethod
    def back(time: Any, values: Mapping[str, Any]) -> Run:
        """Return a run, with our signs and units, from channels as the reference tool writes them."""
        known = catalogue()
        found: dict[str, Array] = {}
        units: dict[str, str] = {}
        for given, column in values.items():
            entry = known.find(given, "output")
            both = [*zip(expand(entry.name), entry.names, strict=True), *zip(entry.names, entry.names, strict=True)]
            name = {spelling(theirs): ours for theirs, ours in both}.get(spelling(given), given)
            found[name] = np.asarray(column, dtype=np.float64) / (entry.sign * entry.factor)
            units[name] = entry.si_unit or "-"
        return Run(time, found, units)

    def channels(self, pattern: str = "*") -> list[str]:
        """Return the channels that the reference tool has too."""
        known = catalogue()
        return [name for name in self._run.channels(pattern) if name in known]


def plain(value: Any) -> Any:
    """Return metadata as JSON keeps it: numpy numbers as Python's, tuples as lists, nan as None."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, np.bool_):
        return bool(value)
    return str(value)


def _columns(
    channels: Mapping[str, npt.ArrayLike] | npt.ArrayLike, names: Sequence[str] | None
) -> dict[str, npt.NDArray[np.float64]]:
    if isinstance(channels, Mapping):
        if names is not None:
            raise ParameterError("names are given twice: by the mapping of channels and by names=")
        columns = {str(name): np.asarray(values, dtype=np.float64) for name, values in channels.items()}
    else:
        matrix = np.asarray(channels, dtype=np.float64)
        if names is None or matrix.ndim != 2 or matrix.shape[1] != len(names):
            raise ParameterError(f"a matrix of channels needs one name per column; its shape is {matrix.shape}")
        if len(set(names)) != len(names):
            raise ParameterError(f"channel {next(n for n in names if list(names).count(n) > 1)!r}: occurs twice")
        by_column = np.ascontiguousarray(matrix.T)
        columns = {str(name): by_column[k] for k, name in enumerate(names)}
    if "time" in columns:
        raise ParameterError("channel 'time': the time base is given separately")
    return columns


def _paired(names: Sequence[str], units: Sequence[str]) -> dict[str, str]:
    if len(units) != len(names):
        raise ParameterError(f"{len(names)} channels, but {len(units)} units")
    return dict(zip(names, units, strict=True))


def _frozen(values: npt.NDArray[np.float64]) -> Array:
    """A read-only view, so that the caller's own array stays writable; it must not be changed afterwards."""
    view = np.ascontiguousarray(values).view()
    view.flags.writeable = False
    return view
