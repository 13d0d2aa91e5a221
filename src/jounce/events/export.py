"""A car with its event as a folder of plain C that drives exactly as `jounce.run` does.

>>> export_c("folder", load("sedan"), StepSteer(amplitude="30 deg"))

What the event needs of the car is found here: equilibrium, steady running, the amplitude. The folder holds the start
and the manoeuvre; see docs/standalone.md.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jounce.core.errors import ParameterError
from jounce.events.engine import make_ready
from jounce.events.options import Options
from jounce.events.record import run_keywords
from jounce.runtime.export import export_c as write

if TYPE_CHECKING:
    from jounce.events.base import Event
    from jounce.events.engine import Start
    from jounce.vehicle.schema import Vehicle


def export_c(
    folder: str | os.PathLike[str],
    vehicle: Vehicle,
    event: Event,
    *,
    overwrite: bool = False,
    **options: Any,
) -> Path:
    """Write a folder of C that drives a vehicle through an event, to the same bits; nothing is recorded here.

    Parameters
    ----------
    folder, overwrite : as for `jounce.export_c`
    vehicle, event : as for `jounce.run`
    options : step, method, interval, channels, tires, road, parameters, inputs as for `jounce.run`, and blocks that
        are parts
    """
    return write_started(folder, make_ready(vehicle, event, Options.of(**options)), overwrite=overwrite)


def write_started(
    folder: str | os.PathLike[str],
    start: Start,
    *,
    overwrite: bool = False,
) -> Path:
    """Write a car that stands at the start of its event."""
    if start.options.outside:
        label = start.options.outside[0].label
        raise ParameterError(
            f"block {label!r}: outside code stays here; write it as a part, which is compiled into the C"
        )
    prepared = start.event.prepared(start)
    start.restart()
    keywords = run_keywords(start.sim, prepared.program(start), start.options)
    return write(folder, start.sim, overwrite=overwrite, **keywords)
