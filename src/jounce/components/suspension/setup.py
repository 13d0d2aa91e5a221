"""What a set-up brings about at an axle, and how far its adjusters reach. Plain data; ``jounce.sim.setup`` does it.

Targets without a side are of the axle as a whole: the mean of its ride heights, but the same toe, camber, spring or gap
on both sides. Heights are those of the sensors (``ride_height``).
"""

from __future__ import annotations

import math
from typing import Any

from jounce.core.fields import Data, flag, quantity


def _target(unit: str, doc: str, typical: tuple[float, float], **bounds: float) -> Any:
    return quantity(unit, None, presence=False, typical=typical, doc=doc, **bounds)


def _angle(doc: str) -> Any:
    return _target("rad", doc, (0.0, 0.2))


def _length(doc: str) -> Any:
    return _target("m", doc, (0.0, 1.0))


def _force(doc: str) -> Any:
    return _target("N", doc, (0.0, 1e5))


class AxleSetup(Data):
    """Targets of a set-up at one axle; each may be left out."""

    ride_height: float | None = _length("mean of both sensors above the road")
    left_ride_height: float | None = _length("of the left sensor")
    right_ride_height: float | None = _length("of the right sensor")
    cross_force: float | None = _force("load of the right wheel less that of the left one")
    load: float | None = _force("load of both wheels; reached by moving masses that have a max_offset")
    left_load: float | None = _force("load of the left wheel")
    right_load: float | None = _force("load of the right wheel")
    toe: float | None = _angle("toe-in of each wheel")
    left_toe: float | None = _angle("toe-in of the left wheel")
    right_toe: float | None = _angle("toe-in of the right wheel")
    camber: float | None = _angle("camber of each wheel, top outwards")
    left_camber: float | None = _angle("camber of the left wheel")
    right_camber: float | None = _angle("camber of the right wheel")
    pin_height: float | None = _length("change of the length of each spring from design, longer positive")
    left_pin_height: float | None = _length("the same of the left spring")
    right_pin_height: float | None = _length("the same of the right spring")
    droop_preload: float | None = _force("force of each spring where its rebound stop engages; sets the clearance")
    left_droop_preload: float | None = _force("the same of the left spring")
    right_droop_preload: float | None = _force("the same of the right spring")
    bump_gap: float | None = _length("way of each bump stop to its engagement after the set-up")
    left_bump_gap: float | None = _length("the same of the left one")
    right_bump_gap: float | None = _length("the same of the right one")
    rebound_gap: float | None = _length("way of each rebound stop to its engagement after the set-up")
    left_rebound_gap: float | None = _length("the same of the left one")
    right_rebound_gap: float | None = _length("the same of the right one")

    restore_bump_clearance: bool = flag(False, doc="the gaps of bump stops are what their clearance says, after it too")
    left_restore_bump_clearance: bool | None = flag(None, doc="on the left side; absent: as both")
    right_restore_bump_clearance: bool | None = flag(None, doc="on the right side; absent: as both")
    restore_rebound_clearance: bool = flag(False, doc="the same for rebound stops")
    left_restore_rebound_clearance: bool | None = flag(None, doc="on the left side; absent: as both")
    right_restore_rebound_clearance: bool | None = flag(None, doc="on the right side; absent: as both")

    pushrod_min: float = quantity("m", -0.05, typical=(0.0, 0.15), doc="shortest push-rod, as wheel travel")
    pushrod_max: float = quantity("m", 0.05, typical=(0.0, 0.15), doc="longest push-rod, as wheel travel")
    preload_min: float = quantity("N", 0.0, typical=(0.0, 3e5), doc="smallest preload of a spring at design")
    preload_max: float | None = quantity(
        "N", None, presence=False, typical=(10.0, 3e5), doc="largest preload of a spring at design; absent: none"
    )
    toe_limit: float = quantity("rad", math.radians(5), gt=0, typical=(0.0, 0.2), doc="largest offset of toe, ±")
    camber_limit: float = quantity("rad", math.radians(8), gt=0, typical=(0.0, 0.3), doc="largest offset of camber, ±")
    wheel_radius: float | None = quantity(
        "m", None, presence=False, gt=0, typical=(0.1, 1.0), doc="of rigid set-up wheels; absent: wheel centre height"
    )
