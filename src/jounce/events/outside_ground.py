"""Events on a road from outside: a road file of TYPE EXTERNAL, whose planes or contact points are inputs of the run.

    jounce.run(car, event, road="external.rdf", inputs={**external_inputs("L1", ...), ...})

Each tire that has inputs (``Road_External.L1.x`` …, world axes) needs as many as say where its ground is: the height z
of a plane (OPERATING_MODE 1), or x, y and z of a contact point (0). The car starts on the plane nearest to the ground
that the inputs say at the start.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.core.errors import ParameterError
from jounce.road.inputs import EXTERNAL
from jounce.runtime.program import Number, Open, Phase, Program, Reference
from jounce.sim.car import Description, Ground

if TYPE_CHECKING:
    from jounce.runtime.simulation import Simulation
    from jounce.vehicle.schema import Vehicle

LARGEST = 1_000_000  # bytes: a file of this kind says next to nothing; larger ones are roads
NEEDED: Mapping[str, tuple[str, ...]] = {"external": ("z",), "external-points": ("x", "y", "z")}


def outside_ground(road: str) -> Ground | None:
    """The ground of a car on a road file of TYPE EXTERNAL; None for every other road."""
    place = Path(road)
    if place.suffix.lower() != ".rdf" or not place.is_file() or place.stat().st_size > LARGEST:
        return None
    from jounce.files.rdf import read_rdf

    file = read_rdf(place)
    if file.kind != "EXTERNAL":
        return None
    return "external" if file.ground == "external" else "external-points"


def check_inputs(road: str, ground: Ground, vehicle: Vehicle, inputs: Collection[str]) -> None:
    """Refuse a run whose inputs do not say where the ground is."""
    place = vehicle.layout
    tires = place.tires if ground == "external-points" else place.wheels
    missing = [n for t in tires for part in NEEDED[ground] if (n := f"{EXTERNAL}.{t}.{part}") not in inputs]
    if missing:
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        raise ParameterError(
            f"road {road}: an EXTERNAL road comes by inputs; missing: {', '.join(missing[:3])}{more} "
            "(inputs={...}; jounce.road.inputs.external_inputs spells them)"
        )


def set_start(sim: Simulation, inputs: Mapping[str, Reference | Number]) -> None:
    """Give inputs of a simulation the values that their references have at the start."""
    if inputs:
        before = sim.m.copy(), sim.b.copy()
        sim.set_program(Program(Phase("start", [Open(name, value) for name, value in inputs.items()], duration=1.0)))
        sim.apply_program()
        sim.set_program(None)
        sim.m[:], sim.b[:] = before  # sampled blocks have not begun: a gearbox still chooses the gear that fits
        sim.restart(sim.time)


def plane_of_inputs(
    sim: Simulation, description: Description, x: Any, y: Any, at: tuple[float, float]
) -> tuple[float, ...]:
    """Height at a place, dz/dx and dz/dy of the plane nearest (least squares) to what the inputs of the wheels say.

    ``x``, ``y``: where the wheels stand, in their order; ``at``: the place.
    """
    points = []
    for place, px, py in zip(description.wheels, x, y, strict=True):
        qx, qy, qz, nx, ny, nz = (
            sim.input(f"{EXTERNAL}.{place}.{n}") for n in ("x", "y", "z", "normal_x", "normal_y", "normal_z")
        )
        if description.ground == "external":  # its plane, under the wheel
            slopes = (-nx / nz, -ny / nz) if nz else (0.0, 0.0)
            qx, qy, qz = px, py, qz + slopes[0] * (px - qx) + slopes[1] * (py - qy)
        points.append((qx, qy, qz))
    found = np.array(points, dtype=float)
    middle = found.mean(axis=0)
    slope = np.linalg.lstsq(found[:, :2] - middle[:2], found[:, 2] - middle[2], rcond=1e-9)[0]
    return float(middle[2] + slope @ (np.asarray(at) - middle[:2])), float(slope[0]), float(slope[1])
