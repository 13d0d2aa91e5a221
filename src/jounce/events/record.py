"""Running an event, and what is recorded of it: channels, a live stream, headings without jumps, laps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import numpy as np

from jounce.components.towing.hitch import BEYOND
from jounce.core.errors import ParameterError
from jounce.events.laps import measure
from jounce.files.roads import load_path
from jounce.road.block import Frame
from jounce.road.line import LineRoad
from jounce.runtime.program import End, Number, Open, Program, Reference, Stop, When
from jounce.runtime.running import check_size

if TYPE_CHECKING:
    from jounce.core.generated import Variable
    from jounce.events.base import Event
    from jounce.events.options import Options, Progress
    from jounce.results.run import Run
    from jounce.road.surface import Road
    from jounce.runtime.options import RunKeywords
    from jounce.runtime.recording import Recording
    from jounce.runtime.simulation import Simulation

UNWRAPPED = ("chassis_displacements.yaw", "Vehicle.Yaw", "Vehicle_States.yaw_angle")

# What a viewer gets when no output map says otherwise.
LIVE_CHANNELS = (
    *("chassis_displacements.longitudinal", "chassis_displacements.lateral", "chassis_displacements.yaw"),
    *("chassis_velocities.longitudinal", "chassis_velocities.yaw", "driver_demands.steering"),
)


def record(sim: Simulation, program: Program, options: Options, end: float) -> Recording:
    """Run a program, with the inputs of the options beside it; what fails or is interrupted returns what it has."""
    keywords = run_keywords(sim, program, options)
    channels = keywords["channels"]
    columns = len(sim.model.outputs) if channels is None else len(channels)
    check_size(options.step, end / options.step, round(options.interval / options.step), columns)
    progress = options.progress
    call = None if progress is None else lambda _, now: progress(now, end)
    return sim.run(progress=call, stream=options.stream, pace=options.pace, on_error="return", **keywords)


def run_keywords(sim: Simulation, program: Program, options: Options) -> RunKeywords:
    """How a simulation runs a program, wherever it does so."""
    return {
        "program": _limited(_driven(program, options.inputs, sim.model.aliases), sim.model.watches),
        "method": options.method,
        "input_time": options.input_time,
        "step": options.step,
        "interval": options.interval,
        "channels": _matching(sim, options.channels),
    }


def streaming(sim: Simulation, options: Options) -> Progress | None:
    """Progress that also sends channels to a viewer; what it sends is what is recorded, unscaled."""
    live, progress = options.live, options.progress
    if live is None:
        return progress
    names = options.output_map.live if options.output_map is not None else LIVE_CHANNELS

    def call(now: float, end: float) -> None:
        live(now, {name: sim.output(name) for name in names})
        if progress is not None:
            progress(now, end)

    return call


def unwrapped(recorded: Recording) -> Recording:
    """Headings without jumps by a full turn."""
    for name in UNWRAPPED:
        if name in recorded.names:
            column = recorded.names.index(name)
            recorded.data[:, column] = np.unwrap(recorded.data[:, column])
    return recorded


def with_laps(result: Run, event: Event, roads: Sequence[Road]) -> Run:
    """The run with the channels and times of a lap sensor at the chassis' reference point, if the event has one."""
    if not event.lap_path:
        return result
    if event.lap_path == "road":
        path = next((r.path for r in roads if isinstance(r, LineRoad) and r.frame == Frame()), None)
        if path is None:
            raise ParameterError("lap_path 'road': the road has no line of its own, or it was moved; name a path")
    else:
        path = load_path(event.lap_path)
    laps = measure(
        result.time,
        result["chassis_displacements.longitudinal"],
        result["chassis_displacements.lateral"],
        path,
        event.beacons,
        event.beacon_tolerance,
    )
    channels = {
        "Lap_Sensor.path_s": (laps.station, "m"),
        "Lap_Sensor.path_distance": (laps.offset, "m"),
        "Lap_Sensor.lap_count": (laps.count, "-"),
        "Lap_Sensor.lap_time": (laps.lap_time, "s"),
        "Lap_Sensor.sector_time": (laps.sector_time, "s"),
        "Lap_Sensor.progressive_time": (laps.progressive_time, "s"),
    }
    for i, beacon in enumerate(laps.beacons, 1):
        channels[f"Beacon_{i}.time"] = beacon.time, "s"
        channels[f"Beacon_{i}.sector_time"] = beacon.sector_time, "s"
        channels[f"Beacon_{i}.lap_count"] = beacon.count, "-"
    result = result.with_channels(
        {name: values for name, (values, _) in channels.items()}, {name: unit for name, (_, unit) in channels.items()}
    )
    return result.with_metadata(laps={"times": list(laps.times), "sectors": [list(s) for s in laps.sectors]})


def _driven(program: Program, inputs: Mapping[str, Reference | Number], aliases: Mapping[str, str]) -> Program:
    """A program that also drives inputs which it leaves alone."""
    if not inputs:
        return program
    taken = {channel.input for phase in program.phases for channel in phase.channels}  # type: ignore[union-attr]
    taken = {aliases.get(name, name) for name in taken}
    known: dict[str, str] = {}
    for name in inputs:
        meant = aliases.get(name, name)
        also = f", which is {meant!r}," if meant != name else ""
        if meant in taken:
            raise ParameterError(f"inputs: {name!r}{also} is driven by the event itself")
        if meant in known:
            raise ParameterError(f"inputs: {name!r} and {known[meant]!r} are the same input; give one of them")
        known[meant] = name
    more = [Open(name, reference) for name, reference in inputs.items()]
    phases = [replace(phase, channels=(*phase.channels, *more)) for phase in program.phases]  # type: ignore[misc]
    return Program(phases, chosen=program.chosen, shown=program.shown)


def _limited(program: Program, watches: Sequence[Variable]) -> Program:
    """A program that also ends where units of a train touch: an angle of a hitch is beyond the limit of its data."""
    ends = [
        End(
            When(item.name, ">", 0.0),
            Stop(f"units touch: {item.name} > 0, an angle of the hitch is at its limit", True),
        )
        for item in watches
        if item.name.endswith(BEYOND)
    ]
    if not ends:
        return program
    phases = [replace(phase, ends=(*ends, *phase.ends)) for phase in program.phases]  # type: ignore[misc]
    return Program(phases, chosen=program.chosen, shown=program.shown)


def _matching(sim: Simulation, channels: Sequence[str] | None) -> list[str] | None:
    """Names of the channels that match names or patterns; a name without a match stays, to be complained about."""
    if channels is None:
        return None
    known = [v.name for v in sim.model.outputs]
    result: dict[str, None] = {}
    for pattern in channels:
        found = [name for name in known if fnmatchcase(name, pattern)]
        result.update(dict.fromkeys(found or [pattern]))
    return list(result)
