"""Step steer (ISO 7401): the hand wheel is turned as fast as a driver can and held."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from jounce.core.errors import SimulationError
from jounce.core.fields import choice, quantity
from jounce.events.base import Steered
from jounce.runtime.program import FromTable, Ramp

if TYPE_CHECKING:
    from jounce.events.engine import Start

SEARCH_RUNS = 12
SEARCH_TOLERANCE = 0.002  # of the lateral acceleration


class StepSteer(Steered):
    """Step of the hand wheel; without an amplitude, the one that gives `lateral_acceleration` is found."""

    kind: ClassVar[str] = "step-steer"
    title: ClassVar[str] = "Step steer"
    standard: ClassVar[str] = "ISO 7401"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "iso": {},
        "vi": {
            "speed": 5.0, "end_time": 10.0, "start_time": 1.0, "amplitude": math.radians(30), "duration": 0.1,
            "shape": "cubic",
        },
    }  # fmt: skip

    amplitude: float | None = quantity("rad", None, doc="hand wheel angle after the step; absent: found")
    lateral_acceleration: float = quantity("m/s2", 4.0, doc="to find the amplitude for; negative turns right")
    rate: float = quantity("rad/s", math.radians(500), gt=0, doc="speed of the hand wheel")
    duration: float | None = quantity("s", None, gt=0, doc="of the step, instead of the rate")
    mode: Literal["absolute", "relative"] = choice(
        "absolute", doc="whether the amplitude counts from zero or from the initial angle"
    )
    shape: Literal["linear", "cubic"] = choice("linear", doc="of the step: straight, or 3τ² − 2τ³")

    def reference(self, start: Start) -> Any:
        assert self.amplitude is not None
        last = self.amplitude + (self.initial_steer if self.mode == "relative" else 0.0)
        size = last - self.initial_steer
        duration = self.duration if self.duration is not None else max(abs(size) / self.rate, 1e-3)
        if self.shape == "cubic":
            return cubic_step(self.initial_steer, last, self.start_time, duration)
        return Ramp(last, duration, start=self.initial_steer, delay=self.start_time)

    def prepared(self, start: Start) -> Self:
        if self.amplitude is not None:
            return self
        return self.changed(amplitude=find_amplitude(self, start, self.lateral_acceleration))


def cubic_step(first: float, last: float, begin: float, duration: float) -> FromTable:
    """y0 + (y1 - y0) (3τ² - 2τ³): exactly reproduced by a cubic spline with flat ends."""
    from jounce.core.tables import Table

    n = 65
    t = [begin * k / 2 for k in range(2)] + [begin + duration * k / (n - 1) for k in range(n)]
    tau = [min(max((x - begin) / duration, 0.0), 1.0) for x in t]
    y = [first + (last - first) * (3 * x * x - 2 * x**3) for x in tau]
    times, values = zip(*dict(zip(t, y, strict=True)).items(), strict=True)
    return FromTable(Table([times], values, method="akima", extrapolation="flat"))


def find_amplitude(event: StepSteer, start: Start, target: float) -> float:
    """Hand wheel angle with which the steady lateral acceleration after the step is `target` (secant method)."""
    angle = start.steering_for(target)
    known: list[tuple[float, float]] = [(0.0, 0.0)]
    for _ in range(SEARCH_RUNS):
        held = event.changed(amplitude=angle, release_time=None, end_time=event.release_time or event.end_time)
        try:
            reached = start.steady_lateral_acceleration(held)
        except SimulationError as problem:
            raise SimulationError(
                f"{event.kind}: no hand wheel angle gives {target:g} m/s² at {event.speed * 3.6:.4g} km/h; "
                f"tried {math.degrees(angle):.3g} deg: {problem}"
            ) from None
        if abs(reached - target) <= SEARCH_TOLERANCE * abs(target):
            return angle
        known.append((angle, reached))
        (a0, r0), (a1, r1) = known[-2:]
        gain = (r1 - r0) / (a1 - a0) if a1 != a0 else 0.0
        if not gain > 0:
            break
        angle = max(min(angle + (target - reached) / gain, 2.5 * abs(angle)), -2.5 * abs(angle))
    best = max((abs(r) for _, r in known), default=0.0)
    raise SimulationError(
        f"{event.kind}: no hand wheel angle gives {target:g} m/s² at {event.speed * 3.6:.4g} km/h; "
        f"{len(known) - 1} were tried, the most was {best:.3g} m/s²"
    )
