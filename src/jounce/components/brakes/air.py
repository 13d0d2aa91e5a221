"""Air brakes: what the pedal asks for comes late to the chambers, later to those that are farther away.

Instead of a master cylinder a valve under the foot sets a signal; relay valves let air from the tanks into the
chambers. The line to an axle is a row of N = 4 equal volumes behind throttles, which together delay it by T_d; the
chamber follows with one time constant as it fills and another one as it empties:

    q̇_1 = (p_asked − q_1) N/T_d,   q̇_k = (q_{k−1} − q_k) N/T_d                                                    (1)
    ṗ_c = (q_N − p_c)/τ,   τ = build, where q_N > p_c, else release                                               (2)
    p = max(p_c − p_0, 0)                                                                                         (3)

p_0 is what the return spring of a chamber takes before its rod pushes the shoes or the cam. Pressures are those of the
chambers: the share of the axle (``hydraulics`` (1)) is in p_asked, so that a load-sensing valve is a share that a run
sets. After a fast push on the pedal the chamber farthest away shall have three quarters of its pressure within 0.6 s
[UNR13]; ``response_time`` says when it has, by the roots of (1), (2).

What controllers ask for comes after (2): their valves are at the chambers. Tanks are full; compressor and consumption
are not modelled. A row of volumes is a usual reduction of a line [Subramanian2004]; their number is ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jounce.core.fields import Data, part, problem, quantity
from jounce.symbolic.ops import fmax, if_else

if TYPE_CHECKING:
    from jounce.components.model import VehicleModel
    from jounce.components.part import Symbols
    from jounce.components.places import AxlePlace

VOLUMES = 4  # N
SHARE = 0.75  # of the pressure, that response_time is of


class AirLine(Data):
    """Line and chambers of an axle."""

    delay: float = quantity("s", 0.1, gt=0, le=1, typical=(0.01, 0.6), doc="of the line, T_d")
    build: float = quantity("s", 0.1, gt=0, le=2, typical=(0.01, 1.0), doc="time constant of chambers that fill")
    release: float = quantity("s", 0.15, gt=0, le=2, typical=(0.01, 1.5), doc="time constant of chambers that empty")

    def response_time(self) -> float:
        """When the chambers have three quarters of their pressure after a step of the pedal, s."""
        import numpy as np
        from scipy.linalg import expm
        from scipy.optimize import brentq

        n, rate = VOLUMES, VOLUMES / self.delay
        a = np.diag([-rate] * n + [-1 / self.build]) + np.diag([rate] * (n - 1) + [1 / self.build], -1)
        ones = np.ones(n + 1)
        return float(brentq(lambda t: (expm(a * t) @ ones)[-1] - (1 - SHARE), 0.0, 10 * (self.delay + self.build)))


class AirBrakes(Data):
    """Air brakes in place of a master cylinder."""

    push_out: float = quantity("Pa", 3e4, ge=0, typical=(5e3, 1e5), doc="that springs of the chambers take, p_0")
    lines: tuple[AirLine, ...] = part(doc="line of each axle, from front to rear; one for all where one is given")

    def check(self, axles: int) -> None:
        """Raise unless there is a line for each of so many axles."""
        if len(self.lines) not in (1, axles):
            raise problem(f"{len(self.lines)} lines; give one for all axles or {axles}", "brakes", "air", "lines")

    def line(self, axle: AxlePlace) -> tuple[int, AirLine]:
        """The line of an axle, with its index."""
        index = 0 if len(self.lines) == 1 else axle.number - 1
        return index, self.lines[index]

    def chamber(self, at: VehicleModel, p: Symbols, axle: AxlePlace, asked: Any, at_once: Any) -> Any:
        """Pressure in the chambers of an axle, before what controllers do; ``at_once``: 1 while nothing lags."""
        index, line = self.line(axle)
        own = at.bound(line, axle.vehicle, f"{axle.vehicle.prefix}brakes.air.line{index + 1}.")
        scope = at.scope(f"axle{axle.number}").scope("air")
        before = asked
        for k in range(VOLUMES):
            volume = scope.state(f"volume{k + 1}", "Pa", "in the line", role="balance")
            scope.derivative(volume, (before - volume) * VOLUMES / own.delay)  # (1)
            before = volume
        found = scope.state("chamber", "Pa", "in the chambers", role="balance")
        scope.derivative(found, (before - found) / if_else(before > found, own.build, own.release))  # (2)
        return fmax(found + at_once * (asked - found) - p.push_out, 0.0)  # (3)
