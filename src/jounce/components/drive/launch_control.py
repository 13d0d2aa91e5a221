"""Launch control: it holds the engine at a speed while the clutch slips and the car is slow.

With the speed n of the engine and v of the car, sampled,

    s = 1 − clip(K (n − n_l), 0, 1)   while v < v_l,   else 1                                                    (1)

is a factor on the throttle of the engine, before idle and overspeed control. The torque at the wheels is then that of
the clutch at this speed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from jounce.components.drive.base import Station
from jounce.components.drive.control import Control
from jounce.components.drive.engine_control import RPM
from jounce.core.fields import choice, quantity
from jounce.symbolic.ops import clip, if_else


class LaunchControl(Control):
    """Holds the speed of the engine at a start."""

    kind: Literal["launch_control"] = choice("launch_control", doc="kind of part")
    engine_speed: float = quantity("rad/s", 4000 * RPM, gt=0, typical=(100.0, 1500.0), doc="at which it holds, n_l")
    gain: float = quantity("s/rad", 0.02, gt=0, typical=(1e-3, 1.0), doc="throttle per speed above it, K")
    until: float = quantity("m/s", 12.0, gt=0, typical=(1.0, 50.0), doc="speed of the car from which it is off, v_l")

    says: ClassVar[Mapping[str, str]] = {"launch": "factor on the throttle of the engine at a start"}

    def law(self, here: Station) -> dict[str, tuple[Any, Any]]:
        p = here.p
        held = 1 - clip(p.gain * (here.read("driveline.engine_speed") - p.engine_speed), 0.0, 1.0)
        found = if_else(here.read("driveline.vehicle_speed") < p.until, held, 1.0)  # (1)
        return {"launch": (found, found)}
