"""The wheels of a car with two axles, for tests: the package itself counts to no number of wheels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jounce.components.basics import Side
from jounce.components.model import Choices
from jounce.components.tire.base import Tire
from jounce.sim.car import tires_of
from jounce.symbolic.system import System
from jounce.vehicle import Vehicle
from jounce.vehicle.assembly import assemble as assemble_places
from jounce.vehicle.assembly import numbers

CORNERS: dict[str, tuple[int, Side]] = {"L1": (1, "L"), "R1": (1, "R"), "L2": (2, "L"), "R2": (2, "R")}
PAIRED = {"L1": "R1", "R1": "L1", "L2": "R2", "R2": "L2"}
TWINS = {"L2": "L2_twin", "R2": "R2_twin"}  # second tires of a rear axle
WORDS = {"L1": "front_left", "R1": "front_right", "L2": "rear_left", "R2": "rear_right"}


def assemble(
    vehicle: Vehicle, tires: Mapping[str, Tire], *, relaxation: Any = "states", tire_inputs: Any = (), **options: Any
) -> System:
    """A car as a system, by its tires."""
    choices = Choices(relaxation=relaxation, tire_inputs=tuple(tire_inputs))
    return assemble_places([vehicle.layout], tires, choices=choices, **options)


def check_numbers(system: System, vehicle: Vehicle) -> None:
    """The numbers of a vehicle are those that its system declares; what comes from no data is the same in all."""
    found = numbers([vehicle.layout], tires_of(vehicle))
    bound = set(system.notes["bound"])
    for item in system.parameter_list:
        if item.name in found:
            assert found[item.name]() == item.default, item.name
        else:
            assert item.name not in bound, item.name
    for name, handle in system.tables.items():
        table = found[name]()
        assert table == handle.table or table.to_dict() == handle.table.to_dict(), name
