"""Oscillating modes of a vehicle as it stands, and their names by what moves most (``jounce show``).

Of a unit at the coupling c, with the turns (ρ, π) about x and y, a point p rises by

    z(p) = z(c) + (p − c)_y ρ − (p − c)_x π                                                                         (1)

The first unit has its origin in the place of c; a towed one has z(c) from the unit that tows it, and its turns are
those of that unit with the angles of the hitch, or of its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from jounce.components.places import UnitPlace
from jounce.runtime.simulation import Simulation
from jounce.sim.car import Description, lineariser


@dataclass(frozen=True)
class Mode:
    """A mode of the vehicle on its springs and tires."""

    name: str
    frequency: float  # Hz, damped
    damping: float  # ratio


def modes(description: Description, sim: Simulation) -> list[Mode]:
    """Oscillating modes of the car as it stands, slowest first, named by what moves most."""
    linear = lineariser(description)
    model, rest = linear.at(sim), linear.rest
    partners = dict(rest["partners"])
    moving = [i for i, role in enumerate(rest["roles"]) if role == "balance" and i in partners]
    keep = sorted({*moving, *(partners[i] for i in moving)})
    values, vectors = np.linalg.eig(model.A[np.ix_(keep, keep)])
    shape_of = _Shapes(description, [model.states[i] for i in keep], keep, rest)
    result = []
    for k in np.argsort(np.abs(values)):
        value = values[k]
        if value.imag > 1e-6:
            name = shape_of.name(vectors[:, k])
            result.append(Mode(name, float(value.imag) / (2 * math.pi), float(-value.real / abs(value))))
    return result


class _Body:
    """How a unit moves up and down and turns in a shape (1)."""

    def __init__(self, unit: UnitPlace, z: Any, roll: Any, pitch: Any, origin: Any) -> None:
        self.unit, self.z, self.roll, self.pitch, self.origin = unit, z, roll, pitch, origin

    def at(self, point: Any) -> Any:
        arm = point - self.origin
        return self.z + arm[1] * self.roll - arm[0] * self.pitch

    @property
    def word(self) -> str:
        """Before the name of its modes; nothing for the first unit."""
        return "" if self.unit.number == 1 else f"{self.unit.data.name or f'unit {self.unit.number}'} "


class _Shapes:
    """Names of modes by what moves most."""

    def __init__(self, description: Description, names: list[str], keep: list[int], rest: dict[str, Any]) -> None:
        self.place = description.places[0]
        self.index = {name: i for i, name in enumerate(names)}
        self.free = {}  # bodies that are joined to nothing, by the prefix of their unit
        for body in rest["bodies"]:
            prefix = str(body["name"]).rpartition("chassis")[0]
            self.free[prefix] = [keep.index(i) for i in (body["position"][2], *body["tilt"][:2])]

    def _bodies(self, shape: Any) -> dict[int, _Body]:
        """How each unit moves; places are from the reference frame of the vehicle."""
        found: dict[int, _Body] = {}
        for unit in self.place.units:
            own = self.free.get(unit.prefix)
            if own is not None:
                origin = unit.origins[""] + unit.offset
                z, roll, pitch = (shape[i] for i in own)
                found[unit.number] = _Body(unit, z, roll, pitch, origin)
                continue
            assert unit.parent is not None
            by = found[unit.parent.number]
            joint = [self.index.get(f"{unit.prefix}hitch.{word}") for word in ("roll", "pitch")]
            turns = [0.0 if i is None else shape[i] for i in joint]
            coupling = unit.offset
            found[unit.number] = _Body(unit, by.at(coupling), by.roll + turns[0], by.pitch + turns[1], coupling)
        return found

    def name(self, shape: Any) -> str:
        """A wheel against the body above it, a body (angles times half its length or width), or what hangs on it."""
        units = self._bodies(shape)
        above, wheels = {}, {}
        for name, wheel in self.place.wheels.items():
            point = wheel.centre + wheel.axle.unit.offset
            above[name] = units[wheel.axle.unit.number].at(point)
            wheels[name] = above[name] + shape[self.index[wheel.travel]]
        most = max(wheels, key=lambda c: abs(wheels[c]))
        size: dict[str, float] = {}
        for body in units.values():
            points = [axle.wheels[0].centre for axle in body.unit.axles] or [body.unit.origins[""]]
            points = [point + body.unit.offset - body.origin for point in points]
            length, width = (max(abs(p[i]) for p in points) for i in (0, 1))
            if body.unit.number == 1:
                size["heave"] = abs(body.z)
            size[f"{body.word}roll"] = width * abs(body.roll)
            size[f"{body.word}pitch"] = length * abs(body.pitch)
            for item in body.unit.data.body.suspended:
                start = f"{body.unit.prefix}{item.name}"
                scales = {"x": 1.0, "y": 1.0, "z": 1.0, "roll": width, "pitch": width, "yaw": width}
                for word, scale in scales.items():
                    if f"{start}.{word}" in self.index:
                        size[f"{body.word}{item.name} {word}"] = scale * abs(shape[self.index[f"{start}.{word}"]])
        greatest = max(size, key=lambda n: size[n])
        if abs(wheels[most]) > max(*(abs(b) for b in above.values()), 0.0) and abs(wheels[most]) > size[greatest]:
            place = self.place.wheels[most]
            together = (wheels[most] * wheels[place.paired.name].conjugate()).real > 0
            return f"{place.axle.word} wheel hop, {'together' if together else 'opposite'}"
        return greatest
