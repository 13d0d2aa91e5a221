"""Schedules of preview drivers that are kept by what they follow from: within a process and in the cache on disk.

The key is made of the code that finds a schedule and describes the car (``sim.reach``), of its structure, of all its
numbers and tables, and of where the simulation stands; a schedule that is found again is the same to the bit. What
follows from code or callbacks outside of the package (services but those of paths, blocks from outside) has no key, and
is found anew. Losing what is kept costs the time to find it, no more.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.runtime.cache import digest, recall, remember
from jounce.sim.car_model import Structure
from jounce.sim.preview_schedule import Schedule, schedule
from jounce.sim.reach import reach_digest

if TYPE_CHECKING:
    from jounce.runtime.simulation import Simulation
    from jounce.sim.car import Description

KIND = "preview"  # of answers on disk
FOUND_BY = (
    "jounce.sim.preview_schedule",
    "jounce.sim.preview",
    "jounce.sim.turns",
    "jounce.sim.steady",
    "jounce.sim.car",
    "jounce.sim.statics",
)
MOST = 64  # in a process
ARRAYS = ("speeds", "parts", "gains", "straight")  # of a schedule
PATHS = "path."  # services that a driver asks, and no steady turn depends on

_known: OrderedDict[str, Schedule] = OrderedDict()


def known_schedule(
    sim: Simulation, description: Description, *, without: Iterable[str] = (), **arguments: Any
) -> Schedule:
    """``schedule``, or what it found for the same car; ``without``: tables that it does not depend on."""
    key = key_of(sim, description, frozenset(without), arguments)
    if key is None:
        return schedule(sim, description, **arguments)
    found = _known.get(key) or _read(recall(KIND, key))
    if found is None:
        found = schedule(sim, description, **arguments)
        remember(KIND, key, _written(found))
    _known[key] = found
    _known.move_to_end(key)
    while len(_known) > MOST:
        _known.popitem(last=False)
    return found


def forget() -> None:
    """Forget what this process knows; what is on disk stays."""
    _known.clear()


@cache
def _code() -> str:
    return reach_digest(FOUND_BY, everything=True)


def key_of(sim: Simulation, description: Description, without: frozenset[str], arguments: dict[str, Any]) -> str | None:
    """What a schedule follows from; None: something that cannot be looked into."""
    model = sim.model
    outside = any(block.kind != "compiled" for block in sim.blocks)
    if outside or any(not slot.name.startswith(PATHS) for slot in model.services):
        return None
    structure = Structure(description)
    if any(not kind.__module__.startswith("jounce.") for kind in structure.made_of()):
        return None
    names = [[v.name for v in kind] for kind in (model.parameters, model.states, model.memories, model.inputs)]
    told = [structure.to_dict(), names, dict(sorted(arguments.items())), sim.step, sim.method]
    numbers = [np.ascontiguousarray(part, dtype=float).tobytes() for part in (sim.p, sim.x, sim.m, sim.u, sim.b)]
    for name, table in sorted(sim.tables.items()):
        if name not in without:
            packed = table.packed()
            told.append([name, packed.extrapolation, packed.degrees, packed.coef.shape])
            numbers += [a.tobytes() for a in (*packed.knots, *packed.origins, packed.coef)]
    return digest(_code(), json.dumps(told, sort_keys=True, default=repr), *numbers)


def _written(found: Schedule) -> dict[str, Any]:
    arrays = {name: getattr(found, name).tolist() for name in ARRAYS}
    return arrays | {"warnings": list(found.warnings)}


def _read(kept: dict[str, Any] | None) -> Schedule | None:
    """As it was written; None where it is damaged."""
    try:
        found = {name: np.array(kept[name], dtype=np.float64) for name in ARRAYS} if kept is not None else {}
        warnings = tuple(str(text) for text in kept["warnings"]) if kept is not None else ()
        speeds, parts, gains, straight = (found[name] for name in ARRAYS)
    except (TypeError, KeyError, ValueError):
        return None
    if gains.ndim != 3 or gains.shape[:2] != (len(speeds), len(parts)) or straight.shape[:1] != speeds.shape:
        return None
    if not all(np.all(np.isfinite(a)) for a in (speeds, parts, gains, straight)):
        return None
    return Schedule(speeds, parts, gains, straight, warnings)
