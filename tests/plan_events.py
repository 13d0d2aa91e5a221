"""An event that is computed and not simulated, for tests of plans and searches: a throw without air.

    distance = v² sin(2α)/g,   energy = m v²/2                                                                     (1)

``log`` names a file to which every run adds its speed, so that tests can count what was run.
"""

from __future__ import annotations

import math
import os
from typing import Any, ClassVar

import numpy as np

from jounce.core.fields import quantity, text
from jounce.events.base import Event
from jounce.results.figures import Figures
from jounce.results.kinds import Kind
from jounce.results.run import Run

GRAVITY = 9.81


def figures(run: Run) -> Figures:
    v, alpha = run.number("speed", "m/s"), run.number("angle", "rad")
    found = Figures()
    found.put("distance", v**2 * math.sin(2 * alpha) / GRAVITY, "m")
    found.put("energy", run.quantity("mass") * v**2 / 2e3, "kJ")
    found.put("cones_hit", float(v > 20.0) if not 29.9 < v < 32.1 else 0.0, "-")  # an island where none is hit
    if v > 40.0:
        found.missing(["energy"], "kJ", "too fast to tell")
    return found


class Throw(Event):
    """A car that is thrown."""

    kind: ClassVar[str] = "throw"
    title: ClassVar[str] = "Throw"
    results: ClassVar[Kind] = Kind(figures=(figures,), words={"distance": "Distance of the throw"})

    angle: float = quantity("rad", 0.5, doc="to the horizontal")
    log: str = text(doc="file to which every run adds a line")

    def computed(self, vehicle: Any, options: Any) -> Run:
        if self.log:
            with open(self.log, "ab", buffering=0) as file:
                file.write(f"{self.speed!r} {self.angle!r} {vehicle.body.mass!r}\n".encode())
        if self.friction > 2.0:
            os._exit(7)  # as a process that is killed
        spun = self.speed > 60.0
        return Run(
            np.array([0.0, 1.0]),
            {"chassis_displacements.longitudinal": np.array([0.0, self.speed])},
            {"chassis_displacements.longitudinal": "m"},
            {
                "vehicle": {"name": vehicle.name, "class": vehicle.category, "quantities": {"mass": vehicle.body.mass}},
                "event": {"kind": self.kind, "parameters": self.parameters()},
                "status": "partial" if spun else "complete",
                "reason": "spun" if spun else "",
                "timing": {"simulated": 1.0, "wall": float(os.getpid())},
            },
        )
