"""Cost of a linear-implicit step and of a constrained hitch, as ratios measured in one run."""

from __future__ import annotations

import math
from typing import Any

from jounce.bench.run import Row, at_most

IMPLICIT_RATIO = 3.0  # linear-implicit step over an explicit Euler step
HITCH_OVERHEAD = 0.30  # of the step


def _step_time(simulation: Any, steps: int = 2000) -> float:
    import time

    start = simulation.snapshot()
    begin = time.perf_counter()
    simulation.advance(steps)
    spent = (time.perf_counter() - begin) / steps
    simulation.restore(start)
    return spent


def _in_turns(one: Any, other: Any, tries: int = 9) -> tuple[float, float]:
    """Smallest step times of two simulations, measured in turns so that both see the same machine."""
    a = b = math.inf
    for _ in range(tries):
        a, b = min(a, _step_time(one)), min(b, _step_time(other))
    return a, b


def implicit_rows() -> list[Row]:
    from jounce.bench.models import implicit_vehicle
    from jounce.runtime.simulation import Simulation

    library = implicit_vehicle.build(2)
    explicit, implicit = (Simulation(library, method=m, step=0.0005) for m in ("Euler", "LI-Euler"))
    for simulation in (explicit, implicit):
        simulation.advance(4000)
    a, b = _in_turns(explicit, implicit)
    return [
        Row("14-DOF: linear-implicit step, wheel spin and tire vertical implicit", b * 1e6, "µs"),
        at_most("14-DOF: linear-implicit over explicit Euler step", b / a, "-", IMPLICIT_RATIO),
    ]


def hitch_rows() -> list[Row]:
    from jounce.bench.models import pair
    from jounce.runtime.simulation import Simulation

    free, hitched = (Simulation(pair.build(hitch=h), method="AB-2", step=0.0005) for h in (False, True))
    for simulation in (free, hitched):
        simulation.advance(2000)
    a, b = _in_turns(free, hitched)
    return [
        Row("two vehicles without hitch: step", a * 1e6, "µs"),
        at_most("two vehicles: overhead of a constrained hitch", b / a - 1, "-", HITCH_OVERHEAD),
    ]
