"""Reference numbers of cars: how they are found, kept and compared (tests/references/README.md).

**Points.** A quantity q (rate of a state, next memory, output) may differ from its reference by

    max(1e-12 · max(|q|, s), 20 · n)                                                                         (1)

|q| is the largest size of q over all points of the case. s is the usual size of quantities of its unit in a car
(``USUAL``), but not more than the largest found in the case: a small force is the sum of large ones and has their
rounding. n is what was found to change when every number that goes in (states, memories, inputs, parameters) is moved
by at most one unit in its last place; it counts where differences of nearly equal numbers make more than s says.

**Runs.** A channel may differ by max(20 · d, 1e-9 · range, 1e-12 · s), a key figure by max(20 · d, 1e-9 · |value|); d
is the largest difference, up to that time, from the same run with the vehicle's data moved by about one unit in the
last place (``moved``). It grows where a motion is unstable: cars that stop with locked wheels turn by chance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.runtime.simulation import Simulation
from jounce.vehicle.schema import Vehicle

Array = npt.NDArray[np.float64]

FOLDER = Path(__file__).parent / "references"
CLOSE, NOISE, RUN_CLOSE = 1e-12, 20.0, 1e-9
USUAL = {
    "-": 1.0,
    "m": 10.0,
    "rad": 1.0,
    "m/s": 30.0,
    "rad/s": 100.0,
    "m/s2": 100.0,
    "rad/s2": 1000.0,
    "N": 1e4,
    "N.m": 3e3,
    "Pa": 1e6,
    "1/m": 0.1,
    "1/s": 1.0,
    "m.s": 1e-3,
    "rad.s": 1e-3,
}
PEDALS = ("driver_demands.throttle", "driver_demands.brake")
GROUPS = ("states", "memories", "inputs", "rates", "next", "outputs")


# ---- points --------------------------------------------------------------------------------------------------------


@dataclass
class Points:
    """Points of a case and what was found there: by group, names and one row per point."""

    time: Array
    names: dict[str, list[str]]
    values: dict[str, Array]
    units: dict[str, list[str]] = field(default_factory=dict)
    noise: dict[str, Array] = field(default_factory=dict)  # n of (1), by group of results
    parameters: dict[str, float] = field(default_factory=dict)

    def save(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        data: dict[str, Any] = {"time": self.time}
        data |= {f"{group}.names": np.array(names) for group, names in self.names.items()}
        data |= {f"{group}.units": np.array(units) for group, units in self.units.items()}
        data |= {f"{group}.values": values for group, values in self.values.items()}
        data |= {f"{group}.noise": noise.astype(np.float32) for group, noise in self.noise.items()}
        data["parameters.names"] = np.array(list(self.parameters))
        data["parameters.values"] = np.array(list(self.parameters.values()))
        np.savez_compressed(path, **data)

    @classmethod
    def load(cls, path: Path) -> Points:
        with np.load(path, allow_pickle=False) as data:
            names = {g: [str(n) for n in data[f"{g}.names"]] for g in ("states", "memories", "inputs", "outputs")}
            values = {g: data[f"{g}.values"] for g in GROUPS}
            units = {g: [str(n) for n in data[f"{g}.units"]] for g in ("states", "memories", "outputs")}
            noise = {g: data[f"{g}.noise"].astype(float) for g in ("rates", "next", "outputs")}
            keys = [str(n) for n in data["parameters.names"]]
            parameters = dict(zip(keys, map(float, data["parameters.values"]), strict=True))
            return cls(data["time"], names, values, units, noise, parameters)

    def of_results(self, group: str) -> tuple[list[str], list[str]]:
        """Names of the results of a group and the units of their sizes; rates are per second of their state."""
        source = {"rates": "states", "next": "memories"}.get(group, group)
        units = self.units[source]
        if group == "rates":
            units = [PER_SECOND.get(unit, unit) for unit in units]
        return self.names[source], units


PER_SECOND = {"m": "m/s", "rad": "rad/s", "m/s": "m/s2", "rad/s": "rad/s2", "-": "rad/s", "m.s": "m", "rad.s": "rad"}


# What belongs to a part that a car has only when a run adds it: the straight-line driver.
MOVED = ("Straight_Line.Offset_Ahead",)


def make_ready(sim: Simulation, x: Array, m: Array, u: Array) -> None:
    """Make two steps from a point: then the time since the last step, which brakes know, is one step."""
    sim.restart(0.0)
    sim.x[:], sim.m[:], sim.u[:] = x, m, u
    sim.advance(2)


def evaluate(sim: Simulation, x: Array, m: Array, u: Array, t: float) -> dict[str, Array]:
    """Results at a point."""
    rates, following = sim.derivatives(x=x, m=m, u=u, t=t)
    return {"rates": rates, "next": following, "outputs": sim.outputs(x=x, m=m, u=u, t=t)}


def scales(points: Points, group: str) -> Array:
    """max(|q|, s) of (1) for each quantity."""
    _, units = points.of_results(group)
    own = np.abs(points.values[group]).max(axis=0, initial=0.0)
    found: dict[str, float] = {}
    for unit, size in zip(units, own, strict=True):
        found[unit] = max(found.get(unit, 0.0), float(size))
    floor = np.array([min(USUAL.get(unit, 1.0), found[unit]) for unit in units])
    result: Array = np.maximum(own, floor)
    return result


def differences(sim: Simulation, points: Points) -> Iterator[str]:
    """What of a car is not as its reference says."""
    known = {
        "states": [v.name for v in sim.model.states],
        "memories": [v.name for v in sim.model.memories],
        "inputs": [v.name for v in sim.model.inputs],
        "outputs": [v.name for v in sim.model.outputs],
    }
    places: dict[str, list[int]] = {}
    for group, names in known.items():
        index = {name: i for i, name in enumerate(names)}
        missing = [name for name in points.names[group] if name not in index and name not in MOVED]
        if missing:
            yield f"{group} that are no longer there: {', '.join(missing)}"
            return
        places[group] = [index.get(name, 0) for name in points.names[group]]
    start = {"states": sim.x.copy(), "memories": sim.m.copy(), "inputs": sim.u.copy()}
    for k, time in enumerate(points.time):
        at = {group: values.copy() for group, values in start.items()}
        for group in at:
            at[group][places[group]] = points.values[group][k]
        if k == 0:
            make_ready(sim, at["states"], at["memories"], at["inputs"])
        found = evaluate(sim, at["states"], at["memories"], at["inputs"], float(time))
        for group, source in (("rates", "states"), ("next", "memories"), ("outputs", "outputs")):
            names, units = points.of_results(group)
            apart = np.abs(found[group][places[source]] - points.values[group][k])
            allowed = np.maximum(CLOSE * scales(points, group), NOISE * points.noise[group])
            for i in np.flatnonzero(~(apart <= allowed)):
                if names[i] in MOVED:
                    continue
                yield (
                    f"point {k}, {group} {names[i]}: {found[group][places[source][i]]!r} instead of "
                    f"{points.values[group][k][i]!r} {units[i]} ({apart[i]:.2g} apart, allowed {allowed[i]:.2g})"
                )


def parameter_differences(now: Mapping[str, float], then: Mapping[str, float]) -> tuple[list[str], list[str]]:
    """Parameters that have other values, and those that are no longer there."""
    changed = [
        f"parameter {name}: {now[name]!r} instead of {value!r}"
        for name, value in then.items()
        if name in now and not np.isclose(now[name], value, rtol=CLOSE, atol=1e-14, equal_nan=True)
    ]
    return changed, [name for name in then if name not in now]


# ---- whole runs ----------------------------------------------------------------------------------------------------


def moved(vehicle: Vehicle) -> list[Vehicle]:
    """The vehicle with its data moved by about one unit in the last place: mass, inertia, and to one side."""
    found = []
    if vehicle.body.split is None:
        mass, inertia, centre = "body.mass", "body.inertia.izz", "body.cg.y"
    else:
        mass, inertia, centre = (f"body.split.rear.{name}" for name in ("mass", "inertia.izz", "cg.y"))
    for path in (mass, inertia):
        found.append(vehicle.with_(**{path: float(np.nextafter(vehicle.get(path), np.inf))}))
    found.append(vehicle.with_(**{centre: vehicle.get(centre) + 2e-16}))  # places of wheels are rounded to this
    return found


@dataclass
class Rows:
    """Channels of a run at some of its rows, and its key figures."""

    time: Array
    end: float
    channels: dict[str, Array]
    units: dict[str, str]
    figures: dict[str, float]
    gains: bool = True
    deviations: dict[str, Array] = field(default_factory=dict)  # d, by channel, for each row
    figure_deviations: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, run: Any, channels: Sequence[str], every: int, gains: bool) -> Rows:
        names = [name for name in channels if name in run.names]
        rows = slice(None, None, every)
        values = {name: np.array(run[name][rows], dtype=float) for name in names}
        figures = {name: float(value) for name, (value, _) in run.kpis.items()}
        units = {name: str(run.unit(name)) for name in names}
        return cls(np.array(run.time[rows]), float(run.time[-1]), values, units, figures, gains)

    def allow_for(self, other: Rows) -> None:
        """Keep the largest differences from a run of the same car with other roundings."""
        for name, values in self.channels.items():
            n = min(len(values), len(other.channels[name]))
            apart = np.zeros(len(values))
            apart[:n] = np.abs(values[:n] - other.channels[name][:n])
            known = self.deviations.get(name, np.zeros(len(values)))
            self.deviations[name] = np.maximum(known, np.maximum.accumulate(apart))
        for name, value in self.figures.items():
            apart = abs(value - other.figures[name]) if np.isfinite(value) else 0.0
            self.figure_deviations[name] = max(self.figure_deviations.get(name, 0.0), apart)
        self.figure_deviations["end"] = max(self.figure_deviations.get("end", 0.0), abs(self.end - other.end))

    def save(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        names, figures = list(self.channels), list(self.figures)
        np.savez_compressed(
            path,
            time=self.time,
            end=np.array(self.end),
            gains=np.array(self.gains),
            **{"channels.names": np.array(names)},
            **{"channels.units": np.array([self.units[n] for n in names])},
            **{"channels.values": np.array([self.channels[n] for n in names])},
            **{"channels.deviations": np.array([self.deviations[n] for n in names], dtype=np.float32)},
            **{"figures.names": np.array(figures)},
            **{"figures.values": np.array([self.figures[n] for n in figures])},
            **{"figures.deviations": np.array([self.figure_deviations[n] for n in figures])},
            **{"end.deviation": np.array(self.figure_deviations["end"])},
        )

    @classmethod
    def load(cls, path: Path) -> Rows:
        with np.load(path, allow_pickle=False) as data:
            names, figures = ([str(n) for n in data[f"{group}.names"]] for group in ("channels", "figures"))
            return cls(
                data["time"],
                float(data["end"]),
                dict(zip(names, data["channels.values"], strict=True)),
                dict(zip(names, map(str, data["channels.units"]), strict=True)),
                dict(zip(figures, map(float, data["figures.values"]), strict=True)),
                bool(data["gains"]),
                dict(zip(names, data["channels.deviations"].astype(float), strict=True)),
                dict(zip(figures, map(float, data["figures.deviations"]), strict=True))
                | {"end": float(data["end.deviation"])},
            )


AHEAD, STOPS = "chassis_velocities.longitudinal", 0.3  # m/s


def run_differences(now: Rows, then: Rows) -> Iterator[str]:
    """What of a run is not as its reference says."""
    # a run that ends by its own motion may end one row earlier or later
    late = NOISE * then.figure_deviations["end"] + RUN_CLOSE * then.end
    if abs(now.end - then.end) > late:
        yield f"it ends at {now.end!r} s instead of {then.end!r} s (allowed {late:.2g})"
    n = min(len(now.time), len(then.time))
    for name, values in then.channels.items():
        if name not in now.channels:
            yield f"{name} is no longer there"
            continue
        least = max(RUN_CLOSE * float(np.ptp(values)), CLOSE * USUAL.get(then.units[name], 1.0))
        limits = np.maximum(NOISE * then.deviations[name][:n], least)
        apart = np.abs(now.channels[name][:n] - values[:n])
        if name in PEDALS:  # a driver moves his foot at the beginning of steps: none begins with the last row
            apart[-1] = 0.0
        if ".Tracking_" in name:  # along and across its way, which a car that stops has no more
            apart[np.abs(then.channels[AHEAD][:n]) < STOPS] = 0.0
        wrong = np.flatnonzero(~(apart <= limits))
        if len(wrong):
            k = int(wrong[0])
            yield (
                f"{name} from {then.time[k]:.2f} s on: {now.channels[name][k]!r} instead of {values[k]!r} "
                f"({apart[k]:.2g} apart, allowed {limits[k]:.2g}); at most {apart.max():.2g} apart"
            )
    for name, value in then.figures.items():
        if name not in now.figures:
            yield f"key figure {name} is no longer there"
            continue
        found = now.figures[name]
        if not np.isfinite(value):
            if np.isfinite(found):
                yield f"key figure {name}: {found!r} instead of none"
            continue
        allowed = max(NOISE * then.figure_deviations[name], RUN_CLOSE * abs(value), CLOSE)
        if not abs(found - value) <= allowed:
            yield (
                f"key figure {name}: {found!r} instead of {value!r} ({abs(found - value):.2g} apart, allowed "
                f"{allowed:.2g})"
            )
