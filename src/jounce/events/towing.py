"""What events of vehicles of several units share: which vehicles they are for, how a steering input is scaled."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from jounce.core.errors import SimulationError

if TYPE_CHECKING:
    from jounce.events.base import Event
    from jounce.events.start import Start
    from jounce.vehicle.schema import Vehicle

ALONE = "it tows nothing, and the event is about what is towed"
AY = "System_Mass_Center.Tracking_Ay"
TRIES, CLOSE, SAMPLED = 8, 0.01, 0.02  # of the search for an amplitude; relative; s


def tows_nothing(vehicle: Vehicle) -> str:
    """Why an event about towed units says nothing of a vehicle; nothing where it tows one."""
    return "" if len(vehicle.layout.units) > 1 else ALONE


def scaled_amplitude(event: Event, start: Start, name: str, guess: float, target: float, until: float) -> float:
    """The value of an amplitude with which the largest lateral acceleration of the first unit is ``target``.

    By the rule of false position, from a guess; ``until``: end of the runs that are looked at, s.
    """
    known = [(0.0, 0.0)]
    angle = guess
    step = start.options.step
    for _ in range(TRIES):
        start.restart()
        tried = event.changed(**{name: angle, "end_time": until})
        recorded = start.record(tried, interval=max(1, round(SAMPLED / step)) * step, channels=[AY])
        start.restart()
        if not recorded.ok:
            raise SimulationError(
                f"{event.kind}: no hand wheel angle gives {target:g} m/s² at {event.speed * 3.6:.4g} km/h; with "
                f"{math.degrees(angle):.3g} deg the run ended with {recorded.reason!r}"
            )
        values = recorded[AY]
        found = float(abs(values - values[0]).max())
        if abs(found - target) <= CLOSE * target:
            return angle
        known.append((angle, found))
        (a0, r0), (a1, r1) = known[-2:]
        gain = (r1 - r0) / (a1 - a0)
        if not gain > 0:
            break
        angle = min(angle + (target - found) / gain, 2.5 * angle)
    most = max(reached for _, reached in known)
    raise SimulationError(
        f"{event.kind}: no hand wheel angle gives {target:g} m/s² at {event.speed * 3.6:.4g} km/h; "
        f"{len(known) - 1} were tried, the most was {most:.3g} m/s²"
    )
