"""Ride over a road: comfort at a seat by ISO 2631-1, loads of the wheels, power spectra and transmissibilities.

The car follows the line of the road, or goes straight ahead where the road has none (a grid, a mesh, a plane); one
driver steers, one keeps the speed. The seat is a point of the body, rigid or a person on a spring and a damper; what is
weighted how stands in ``results/key_figures/vibration.py``. Rows are 2 ms apart unless the run says otherwise: the
weightings reach 80 Hz.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from jounce.components.body.seat_point import SeatPoint
from jounce.core.errors import ParameterError
from jounce.core.fields import quantity, text
from jounce.events.library.follow import Follow
from jounce.events.options import INTERVAL
from jounce.results.key_figures import ride
from jounce.results.kinds import Kind
from jounce.results.panels import signals, wheels
from jounce.road.block import Frame
from jounce.road.line import LineRoad
from jounce.road.path import Path

if TYPE_CHECKING:
    from jounce.components.part import Part
    from jounce.events.options import Options
    from jounce.events.start import Start
    from jounce.road.surface import Road

ROWS = 0.002  # s
ROOM = 200.0  # m of path beyond what is driven: no driver looks farther ahead


class Ride(Follow):
    """A road, driven at a speed."""

    kind: ClassVar[str] = "ride"
    title: ClassVar[str] = "Ride"
    standard: ClassVar[str] = "ISO 2631-1, ISO 8608"
    results: ClassVar[Kind] = Kind(
        (ride.of_run,),
        (ride.spectra, signals("forward_speed", "pitch", "roll"), wheels("loads")),
        ride.WORDS,
        ride.FIRST,
    )
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "iso": {"road": "iso_8608_b", "speed": 80 / 3.6},
        "cleat": {"road": "cleat", "speed": 30 / 3.6, "end_time": 8.0},
    }

    road: str = text("iso_8608_b", doc="name or file of a road")
    path: str = text("road", doc="of the library, a file, or 'road': the line of the road, straight ahead without one")
    speed: float = quantity("m/s", 80 / 3.6, ge=0, typical=(0.0, 75.0), doc="a number, 'path', 'auto 0.7', or a file")
    station: float = quantity("m", 10.0, typical=(0.0, 1e5), doc="of the path at which the car starts")
    end_time: float = quantity("s", 15.0, gt=0, typical=(1e-3, 7200.0), doc="end of the run")
    seat_x: float | None = quantity(
        "m",
        None,
        typical=(0.0, 10.0),
        doc="of the seat at design; absent: half way between the first and the last axle",
    )
    seat_y: float = quantity("m", 0.35, typical=(0.0, 2.0), doc="of the seat at design, left positive")
    seat_z: float = quantity("m", 0.5, typical=(0.0, 3.0), doc="of the seat at design")
    seat_frequency: float | None = quantity(
        "Hz", None, gt=0, typical=(0.5, 10.0), doc="of a person on a spring seat; absent: the seat is rigid"
    )
    seat_damping: float = quantity("-", 0.3, gt=0, typical=(0.05, 1.0), doc="damping ratio of the spring seat")

    def _path(self, roads: Sequence[Road]) -> Path:
        if self.path != "road" or any(isinstance(r, LineRoad) and r.frame == Frame() for r in roads):
            return super()._path(roads)
        if self.speed_rule:
            raise ParameterError("ride: without a line of the road the speed is a number; or name a path")
        ahead = Path.straight(self.station + self.speed * self.end_time + ROOM)
        c, s = math.cos(self.heading), math.sin(self.heading)
        return ahead.moved(self.x - c * self.station, self.y - s * self.station, heading=self.heading)

    def _long_enough(self, path: Path, first: float) -> float:
        return self.end_time

    def parts(self) -> tuple[Part, ...]:
        return (*super().parts(), SeatPoint(x=self.seat_x, y=self.seat_y, z=self.seat_z))

    def recording(self, start: Start, options: Options) -> Options:
        if options.interval != INTERVAL:
            return options
        return replace(options, interval=max(1, round(ROWS / options.step)) * options.step)
