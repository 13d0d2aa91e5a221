"""An engine by a map of torque over speed and throttle.

T = map(ω, u),    T_max = map(ω, 1),   T_min = map(ω, 0)                                                     (1)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Literal, Self

from pydantic import model_validator

from jounce.components.drive.base import Station
from jounce.components.drive.engine_control import Engine
from jounce.core.curves import Curve
from jounce.core.fields import Data, choice, curve, part, problem, quantity
from jounce.symbolic.ops import fabs, if_else


class GearMap(Data):
    """The map of one gear."""

    gear: float = quantity("-", ge=-1, doc="1, 2 …; -1: reverse")
    torque_map: Curve = curve(
        "rad/s", "N.m", z="-", constant="value", typical=(5.0, 5e3), doc="torque over speed and throttle, 0 to 1"
    )


class MapEngine(Engine):
    """An engine by its map."""

    linear: ClassVar[bool] = False

    kind: Literal["engine"] = choice("engine", doc="kind of part")
    torque_map: Curve = curve(
        "rad/s", "N.m", z="-", constant="value", typical=(5.0, 5e3), doc="torque over speed and throttle, 0 to 1"
    )
    gear_maps: tuple[GearMap, ...] = part((), each="gear_map", doc="maps of single gears")

    @model_validator(mode="after")
    def _covers(self) -> Self:
        check_map(self.torque_map, "torque_map", self.rev_limit)
        for i, item in enumerate(self.gear_maps):
            check_map(item.torque_map, "gear_maps", self.rev_limit, i, "torque_map")
        return self

    def inner(self) -> Iterator[tuple[str, Data]]:
        yield from ((f"gear_map{i + 1}", item) for i, item in enumerate(self.gear_maps))

    def torque(self, here: Station, speed: Any, demand: Any) -> Any:
        found, model = here.p.torque_map(speed, demand), here.model
        for name, item in self.inner():
            own = model.bound(item, model.place, f"{here.p.own_name}.{name}.")
            in_gear = fabs(here.read_or("driveline.gear", 0.0) - own.gear) < 0.5
            found = if_else(in_gear, own.torque_map(speed, demand), found)
        return self.boosted(here, found)

    def law(self, here: Station, speed: Any, demand: Any, brake: Any) -> Any:
        return here.p.torque_scale * self.torque(here, speed, demand)


def check_map(found: Curve, key: str, limit: Curve | None = None, *below: Any) -> None:
    """Raise unless a map of torque covers the throttle from 0 to 1 and the speeds up to the limit."""
    if not found.is_table or not found.z:
        raise problem("a torque over speed and throttle needs both axes: x, z and y", key, *below)
    if found.z[0] > 0 or found.z[-1] < 1:
        raise problem(f"covers throttles from {found.z[0]:g} to {found.z[-1]:g}; expected 0 to 1", key, *below)
    if limit is not None:
        largest = limit.constant if limit.constant is not None else max(limit.y)
        if found.x[-1] < largest:
            raise problem(f"ends at {found.x[-1]:.6g} rad/s, below the speed limit, {largest:.6g} rad/s", key, *below)
