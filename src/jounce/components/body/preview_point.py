"""A point ahead of a car, and the path beside it: what a driver outside the model needs to steer.

With the origin O of the vehicle (of its first unit) and its heading ψ, all in plan, the point is

    P = O + L (cos ψ, sin ψ)                       L: ``distance`` and the input ``further``; negative: behind       (1)

The feet of O and P on the path have the stations s_O, s_P. P has the offset d from the path, left of the path positive,
and the path at s_P its place T_P, heading ψ_P and curvature κ there. In axes (x, y) of O and ψ the axis of the car, the
path and the lines from O and P to their feet enclose

    A = ∮ x dy = ½ L y(T_P) - ½ ∫ (x sin χ - y cos χ) ds,   s_O … s_P,   χ = ψ_path - ψ                              (2)

positive where the path is on the left. The integral is Gauss's with 3 nodes in each of 8 equal stretches.

The path is that which the driver of a path is on (``driver.path``); without one the input ``path`` of the sensor. The
foot of O is kept from step to step, so that of a path that crosses itself the right part is meant, and stations count
on from lap to lap; that of P is looked for from s_O + L cos(ψ_path - ψ). A run needs a path. (1): what preview points
of other tools are. (2): ours.
"""

from __future__ import annotations

import math
from typing import Any, Literal

from jounce.components.body.attached import Sensor, check_name
from jounce.components.body.motion import angles
from jounce.components.model import VehicleModel
from jounce.components.part import Symbols
from jounce.components.places import VehiclePlace
from jounce.core.fields import choice, quantity
from jounce.road.paths import ANYWHERE, PathService
from jounce.symbolic.ops import atan2, cos, if_else, sin

GROUP = "Preview_Point"
STRETCHES = 8
NODES = ((-math.sqrt(0.6), 5 / 18), (0.0, 8 / 18), (math.sqrt(0.6), 5 / 18))  # of Gauss, from -1 to 1; weights of 1


class PreviewPoint(Sensor):
    """A point ahead of a car, and the path beside it."""

    kind: Literal["preview_point"] = choice("preview_point", doc="kind of sensor")
    name: str = choice(doc="name of its channels: `Preview_Point.<name>.…`")
    distance: float = quantity(
        "m", 20.0, typical=(-50.0, 200.0), doc="ahead of the origin of the vehicle, in plan; negative: behind it"
    )

    def check(self, place: VehiclePlace) -> None:
        check_name(self.name)

    def declare(self, at: VehicleModel, p: Symbols) -> None:
        scope = at.system.scope(p.own_name)
        further = scope.input("further", "m", "further ahead than the data say", in_statics=False)
        if "driver.path" in at.signals:
            number = at.signals.read("driver.path", "a preview point")
        else:
            number = scope.input("path", "-", "number of the path, from 0", in_statics=False)
        block = scope.block("foot", doc="follows the path")
        p.kept.update(
            number=number,
            distance=p.distance + further,
            block=block,
            station=block.signal("station", "m", "of the origin of the vehicle on the path", initial=ANYWHERE),
            on=block.signal("on", "-", "the path that the station belongs to", initial=-1.0),
        )

    def close(self, at: VehicleModel, p: Symbols) -> None:
        kept, unit = p.kept, at.units[0]
        body = at.bound(unit.place.data.body, unit.place, f"{unit.place.prefix}body.")
        near = if_else(kept["on"] == kept["number"], kept["station"], ANYWHERE)
        x, y, z = unit.chassis.point(body.origin)
        foot = PathService.of(at.system).project(kept["number"], x, y, z, near)
        kept["block"].update(kept["station"], foot.station)
        kept["block"].update(kept["on"], kept["number"])
        kept.update(origin=(x, y, z), foot=foot)

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        kept = p.kept
        paths, number, length, (x, y, z) = PathService.of(at.system), kept["number"], kept["distance"], kept["origin"]
        heading = angles(at.units[0].chassis.orientation)[0]
        c, s = cos(heading), sin(heading)
        point = x + length * c, y + length * s  # (1)
        first = kept["foot"].station
        foot = paths.project(number, *point, z, first + length * cos(kept["foot"].heading - heading))
        there = paths.at(number, foot.station)

        def own(place: Any) -> tuple[Any, Any]:
            dx, dy = place.x - x, place.y - y
            return c * dx + s * dy, c * dy - s * dx

        swept, step = 0.0, (foot.station - first) / STRETCHES
        for k in range(STRETCHES):
            for node, weight in NODES:
                here = paths.at(number, first + step * (k + 0.5 + 0.5 * node))
                (ahead, left), chi = own(here), here.heading - heading
                swept += weight * step * (ahead * sin(chi) - left * cos(chi))
        area = 0.5 * (length * own(there)[1] - swept)  # (2)
        error = atan2(sin(heading - foot.heading), cos(heading - foot.heading))

        for name, value, unit, doc in (
            ("distance", length, "m", "ahead of the origin of the vehicle, in plan"),
            ("X", point[0], "m", "of the point, world axes"),
            ("Y", point[1], "m", "of the point, world axes"),
            ("path_X", there.x, "m", "of the path beside the point, world axes"),
            ("path_Y", there.y, "m", "of the path beside the point, world axes"),
            ("path_Z", there.z, "m", "of the path beside the point, world axes"),
            ("path_s", foot.station, "m", "along the path, beside the point"),
            ("offset", foot.offset, "m", "of the point from the path, left of the path positive"),
            ("heading_error", error, "rad", "of the car against the path beside the point, left positive"),
            ("curvature", foot.curvature, "1/m", "of the path beside the point, left positive along the path"),
            ("area", area, "m2", "between the axis of the car and the path up to the point, left positive"),
        ):
            at.channel(f"{GROUP}.{self.name}.{name}", value, unit, doc)
