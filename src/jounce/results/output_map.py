"""Output maps: which channels are kept, under which name, with which factor and offset.

    kept value = scale · value + offset                                                                       (1)

A map is a YAML file, one line per channel of the model:

    chassis_velocities.yaw: {active: true, name: yaw_rate, scale: 57.29577951308232, unit: deg/s}
    Tire.Ground_Surface_Force_Z.L1: {active: false}

It changes what is stored, never what a model exchanges with others while it runs. `update` brings a map up to date with
a model that gained or lost channels: new ones are added, obsolete ones dropped, settings of the others kept.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from jounce.core.errors import FormatError, ParameterError, did_you_mean
from jounce.core.limits import reading
from jounce.core.units import check_unit
from jounce.core.writing import write_atomically
from jounce.core.yaml_files import read_mapping
from jounce.results.run import Run

KEYS = ("active", "name", "scale", "offset", "unit", "live")


@dataclass(frozen=True)
class Entry:
    """Settings of one channel."""

    active: bool = True
    name: str = ""  # in the results; empty: its own
    scale: float = 1.0
    offset: float = 0.0
    unit: str = ""  # of the kept value; empty: that of the channel
    live: bool = False  # sent to viewers while a run goes on


@dataclass(frozen=True)
class OutputMap:
    """Settings by channel; channels that it does not name are kept as they are."""

    entries: Mapping[str, Entry] = field(default_factory=dict)

    @classmethod
    def read(cls, path: str | Path) -> OutputMap:
        """Read a map from a YAML file."""
        file = Path(path)
        with reading(file):
            data = read_mapping(file, "expected channels with their settings, such as 'Suspension.Jounce.L1: {}'")
            return cls({str(name): _entry(file, str(name), item) for name, item in data.items()})

    def write(self, path: str | Path) -> Path:
        """Write the map as a YAML file."""
        import io

        from ruamel.yaml import YAML

        plain = Entry()
        data = {
            name: {key: getattr(entry, key) for key in KEYS if getattr(entry, key) != getattr(plain, key)}
            for name, entry in self.entries.items()
        }
        text = io.StringIO()
        yaml = YAML()
        yaml.default_flow_style = None
        yaml.width = 200
        yaml.dump(data, text)
        return write_atomically(path, text.getvalue())

    def update(self, channels: Iterable[str]) -> OutputMap:
        """A map with exactly these channels; settings of those that were there are kept."""
        return OutputMap({name: self.entries.get(name, Entry()) for name in channels})

    def set(self, channel: str, **settings: Any) -> OutputMap:
        """A map with other settings of a channel."""
        unknown = [key for key in settings if key not in KEYS]
        if unknown:
            raise ParameterError(f"output map: {unknown[0]!r} is no setting{did_you_mean(unknown[0], KEYS)}")
        return OutputMap({**self.entries, channel: replace(self.entries.get(channel, Entry()), **settings)})

    @property
    def live(self) -> list[str]:
        """Channels that viewers get."""
        return [name for name, entry in self.entries.items() if entry.active and entry.live]

    def apply(self, run: Run) -> Run:
        """The run as it is stored (1)."""
        values, units = {}, {}
        for name in run.names:
            entry = self.entries.get(name, Entry())
            if entry.active:
                kept = entry.name or name
                if kept in values:
                    raise ParameterError(f"output map: two channels are kept as {kept!r}")
                values[kept] = entry.scale * run[name] + entry.offset
                units[kept] = entry.unit or run.unit(name)
        # key figures are those of the channels as they were: a run that is read later cannot know the factors
        kpis = {"figures": {name: list(item) for name, item in run.kpis.items()}, "warnings": run.kpi_warnings}
        return Run(run.time, values, units, {**run.metadata, "kpis": kpis})


def _entry(file: Path, name: str, item: Any) -> Entry:
    if item is None:
        return Entry()
    if not isinstance(item, Mapping):
        raise FormatError(f"{file}: {name}: found {item!r}; expected settings such as {{active: false}}")
    for key in item:
        if key not in KEYS:
            raise FormatError(f"{file}: {name}.{key}: unknown{did_you_mean(str(key), KEYS)}")
    for key in ("scale", "offset"):
        value = item.get(key, 0.0)
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise FormatError(f"{file}: {name}.{key} = {value!r}: expected a finite number")
    for key in ("active", "live"):
        if not isinstance(item.get(key, True), bool):
            raise FormatError(f"{file}: {name}.{key} = {item[key]!r}: expected true or false")
    if item.get("unit"):
        check_unit(str(item["unit"]), f"{file}: {name}.unit")
    return Entry(**{key: type(getattr(Entry(), key))(value) for key, value in item.items()})
