"""From a car and an event to a run: the scene, a car ready to start, the manoeuvre, what follows from it.

>>> run(load("sedan"), StepSteer())
"""

from __future__ import annotations

import time as clock
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jounce.core.errors import ParameterError, StaticsError
from jounce.events.base import Event
from jounce.events.options import INTERVAL, Live, Options, Progress
from jounce.events.outcome import metadata_of, timing_of, with_road_flags
from jounce.events.record import streaming, unwrapped, with_laps
from jounce.events.scene import set_scene
from jounce.events.start import Start
from jounce.results.run import Run
from jounce.results.units import with_units
from jounce.runtime.running import check_size
from jounce.sim import car as cars
from jounce.vehicle.schema import Vehicle

if TYPE_CHECKING:
    from jounce.components.part import Part
    from jounce.components.tire.base import Tire
    from jounce.results.output_map import OutputMap
    from jounce.road.surface import Road
    from jounce.runtime.blocks import OutsideBlock
    from jounce.runtime.options import Stream
    from jounce.runtime.program import Number, Reference

__all__ = ["INTERVAL", "Options", "Start", "drive", "make_ready", "run"]


def run(
    vehicle: Vehicle,
    event: Event,
    *,
    step: float | str = cars.STEP,
    method: str = cars.METHOD,
    interval: float | str = INTERVAL,
    channels: Sequence[str] | None = None,
    tires: Mapping[str, Tire] | None = None,
    progress: Progress | None = None,
    road: Road | str | None = None,
    parameters: Mapping[str, Number] | None = None,
    changes: Mapping[str, Any] | None = None,
    output_map: OutputMap | None = None,
    inputs: Mapping[str, Reference | Number] | None = None,
    blocks: Sequence[Part | OutsideBlock] = (),
    input_time: str = "hold",
    live: Live | None = None,
    stream: Stream | None = None,
    pace: float | None = None,
) -> Run:
    """Drive a vehicle through an event.

    A run that cannot go on, or is interrupted, returns what it has: ``run.complete`` is False, ``run.reason`` says why.

    Parameters
    ----------
    step, method : of integration
    interval : between recorded rows; the nearest multiple of the step is taken, and told where it is another
    channels : names or patterns to record; default all
    tires : by corner, instead of those the vehicle names
    road : a road, its name or file, instead of what the event says
    progress : called with time and end time now and then
    parameters : numbers of the compiled model to set, such as ``L1.tire.scale.LMUY``; `Simulation.parameters` has all
    changes : of the vehicle, only kept with the result (``vehicle`` has them already)
    output_map : which channels are kept, under which names and scaled how
    inputs : references of inputs that the event leaves alone, over the time of each of its phases: ports of the
        vehicle by the names of the catalogue (``Main_Spring.force.L1``, ``Subsystem_Activation.…``; docs/running.md);
        ``road.L1`` … add a height to the ground under a wheel, ``L1.tire.LMUY`` … are factors on scaling factors of a
        tire, ``Road_External.L1.z`` … say where the ground of a road file of TYPE EXTERNAL is
    blocks : controllers and drivers: parts that are compiled into the model, or `jounce.OutsideBlock` for Python
        callables and C functions; they run in the order of what they read from each other
    input_time : what later stages of a step see of what outside blocks write: "hold", "interpolate" or "extrapolate";
        see `Simulation.input_time`
    live : called now and then while the run goes on, with the time and the live channels of the output map
    stream : called as often with the recorded channels (name: unit) and all rows since the last call, time first
    pace : times real time that the run takes at most, by waiting: 1 is real time; default: as fast as it can
    """
    return drive(
        vehicle,
        event,
        Options.of(
            step=step,
            method=method,
            interval=interval,
            channels=channels,
            tires=tires,
            progress=progress,
            road=road,
            parameters=parameters,
            changes=changes,
            output_map=output_map,
            inputs=inputs,
            blocks=blocks,
            input_time=input_time,
            live=live,
            stream=stream,
            pace=pace,
        ),
    )


def check_vehicle(vehicle: Any) -> None:
    """Refuse what is no vehicle, such as the name of one."""
    if isinstance(vehicle, Vehicle):
        return
    named = isinstance(vehicle, str | Path)
    found = f"{str(vehicle)!r}; write jounce.load({str(vehicle)!r})" if named else f"a {type(vehicle).__name__}"
    raise ParameterError(f"expected a vehicle, got {found}")


def _check_applies(vehicle: Vehicle, event: Event) -> None:
    """Refuse an event that says nothing about a vehicle."""
    why = event.refuses(vehicle)
    if why:
        raise ParameterError(f"{event.kind} does not apply to this vehicle: {why}")


def make_ready(vehicle: Vehicle, event: Event, options: Options) -> Start:
    """A car at the start of an event: settled, or running steadily."""
    check_vehicle(vehicle)
    if not isinstance(event, Event):
        raise ParameterError(f"run: expected an event such as jounce.events.StepSteer(), got {type(event).__name__}")
    check_size(options.step, event.end_time / options.step, 1_000_000, 0)  # before anything is compiled
    _check_applies(vehicle, event)
    vehicle = event.adapted(vehicle)
    scene, event = set_scene(vehicle, event, options)
    odd = [f"event: {item}" for item in event.doubts()]
    try:
        start = Start(scene.describe(vehicle, event, options), event, options, scene)
    except StaticsError as why:  # perhaps for what is odd
        raise StaticsError("\n  ".join([str(why), *vehicle.doubts(), *odd])) from why
    of_tires = cars.tire_warnings(vehicle) if options.tires is None else ()
    start.warnings[:0] = [*vehicle.doubts(), *odd, *options.remarks, *scene.remarks, *of_tires]
    return start


def drive(vehicle: Vehicle, event: Event, options: Options) -> Run:
    """Drive a vehicle through an event; `run` with its options as one object."""
    begun = clock.perf_counter()
    check_vehicle(vehicle)
    if isinstance(event, Event):
        _check_applies(vehicle, event)
    if isinstance(event, Event) and (found := event.computed(vehicle, options)) is not None:
        return found
    start = make_ready(vehicle, event, options)
    return driven(start, options, start.event, begun)


def driven(start: Start, options: Options, event: Event, begun: float | None = None) -> Run:
    """Drive a car that is ready through an event that starts as it stands.

    Several events that start alike may be driven one after the other; ``begun`` is when the car began to be made ready.
    """
    ready = clock.perf_counter()
    begun = ready if begun is None else begun
    prepared = event.prepared(start)
    start.restart()
    kept = prepared.recording(start, options)
    recorded = start.record(
        prepared, interval=kept.interval, channels=kept.channels, progress=streaming(start.sim, options), watched=True
    )
    done = clock.perf_counter()
    metadata = metadata_of(start, prepared, recorded) | start.notes
    metadata["timing"] = timing_of(recorded) | {"ready": ready - begun, "total": done - begun}
    result = with_road_flags(Run.from_recording(unwrapped(recorded), metadata), start.scene)
    result = with_units(result)
    result = prepared.completed(start, with_laps(result, event, start.scene.roads))
    return options.output_map.apply(result) if options.output_map is not None else result
