"""What the start of a test needs to know of a tire: deflection, stiffness, rolling radius, relaxation lengths.

A tire with formulas is asked by them. One by an outside function is asked on the rig: the hub is put to a height and
the load read; the rolling radius is the one that it tells itself (``effective_radius`` of its outputs), else that of
its slip channels, R0 - RADIUS_DROP ρ; relaxation lengths are unknown. An outside tire that is exchanged at steps cannot
be asked; it starts from a usual stiffness and has the more time to settle.
"""

from __future__ import annotations

import math
from typing import Any

from jounce.components.tire.base import Tire
from jounce.components.tire.external import TOLD_RADIUS, External
from jounce.components.tire.external import connect as connect_function
from jounce.components.tire.sti import LibraryTire, bind_library
from jounce.core.errors import ParameterError
from jounce.rigs.tire_bench import Structure, is_outside
from jounce.runtime.simulation import Simulation

USUAL_RATE = 2e5  # N/m, where nothing is known
USUAL_LENGTH = 0.5  # m, relaxation
NEAR = 1e-5  # m, of the difference that gives the stiffness
BISECTIONS = 50


class Known:
    """A tire before its test; ``function``: of an outside tire, see ``TireRig``."""

    def __init__(self, tire: Tire, simulation: Simulation, structure: Structure, function: Any, camber: float) -> None:
        self.tire, self.simulation, self.structure, self.camber = tire, simulation, structure, camber
        self.radius = float(tire.values["UNLOADED_RADIUS"])
        self.outside = is_outside(tire)
        self._keep = connect(tire, simulation, function) if self.outside else None

    def load(self, rho: float) -> float:
        """Wheel load at rest, N."""
        if not self.outside:
            return float(self.tire.load(rho))
        if getattr(self.tire.model, "exchange", "evaluation") == "step":
            return USUAL_RATE * rho
        height, sim = (self.radius - rho) * math.cos(self.camber), self.simulation
        if self.structure.locked:
            sim.set_parameters({"height": height})
            sim.set_inputs({"camber": self.camber})
        elif self.structure.free:
            sim.set_states({"z.travel": height, "roll.angle": self.camber})
        else:
            sim.set_states({"z.travel": height})
            sim.set_inputs({"camber": self.camber})
        return sim.output("tire.fz")

    def deflection(self, load: float) -> float:
        """Deflection under a load, m."""
        if not self.outside:
            return self.tire.deflection(load)
        low, high = 0.0, 0.5 * self.radius
        if self.load(high) < load:
            raise ParameterError(
                f"tire {self.tire.name!r}: at a deflection of {high:g} m it carries {self.load(high):.0f} N, "
                f"not {load:.0f} N"
            )
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self.load(middle) < load else (low, middle)
        return 0.5 * (low + high)

    def rate(self, rho: float) -> float:
        """Vertical stiffness, N/m."""
        low = max(rho - NEAR, 0.0)
        return (self.load(rho + NEAR) - self.load(low)) / (rho + NEAR - low)

    def rolling_radius(self, rho: float) -> float:
        """Speed over spin of a wheel that rolls freely, m."""
        if self.outside:
            return self.radius - float(self.tire.values["RADIUS_DROP"]) * rho
        return float(self.tire.model.effective_radius(self.tire.values, rho))

    def told_radius(self) -> float | None:
        """The effective radius that an outside tire tells as it stands now, m, where it can be one."""
        name = f"tire.{TOLD_RADIUS}"
        asked = getattr(self.tire.model, "exchange", "") == "evaluation"
        if not (asked and any(v.name == name for v in self.simulation.model.outputs)):
            return None
        told = self.simulation.output(name)
        return told if 0.5 * self.radius < told < 1.2 * self.radius else None

    def lengths(self, load: float) -> tuple[float, float]:
        """Relaxation lengths, longitudinal and lateral, m."""
        return relaxation_lengths(self.tire, load, self.camber)


def relaxation_lengths(tire: Tire, load: float, camber: float = 0.0) -> tuple[float, float]:
    """Longitudinal and lateral, m; usual ones of an outside tire."""
    if is_outside(tire):
        return USUAL_LENGTH, USUAL_LENGTH
    at = tire.at_load(load, camber)
    return float(at.sigma_kappa), float(at.sigma_alpha)


def nominal_load(tire: Tire) -> float:
    """The nominal load of the file, N."""
    if "FNOMIN" not in tire.values:
        raise ParameterError(f"tire {tire.name!r}: has no nominal load; say the load of the test")
    return float(tire.values["FNOMIN"])


def connect(tire: Tire, simulation: Simulation, function: Any, name: str = "tire") -> Any:
    """Give the simulation the function of an outside tire: Python or C, asked in evaluations or at steps.

    Returns what must live as long as the simulation. Tires in libraries (STI, CRT) know their function.
    """
    model = tire.model
    if isinstance(model, LibraryTire):
        return bind_library(simulation, name, tire)
    assert isinstance(model, External)
    function = model.call if function is None else function
    if function is None:
        raise ParameterError(f"tire {tire.name!r}: an outside tire; give its function, TireRig(tire, function)")
    connect_function(simulation, name, model, function)
    return function
