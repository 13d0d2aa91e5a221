"""Key figures for `jounce list vehicles --figures`: python tools/make_figures.py [--check] [CAR …]

Every figure that has a range for the class of a car and that standing (`jounce show`), the suspension rig (`jounce kc`)
or an event gives is computed and written to src/jounce/library/figures.json, with the place it comes from and a hash of
the files of the car. A figure that several give is taken from the first: rig, standing, events. ``--check``
writes nothing; it computes all again and names the figures that moved by more than 0.1 % of their range.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from typing import Any

from classes import TRUCKS

import jounce as jn
from jounce import events
from jounce.results.display import in_unit
from jounce.results.plausibility import ASSIST, ASSISTED, UNASSISTED, ranges, ranges_of
from jounce.rigs.kc_figures import kc
from jounce.sim import car as cars
from jounce.sim.charge import is_hybrid
from jounce.sim.standing import standing
from jounce.vehicle import Vehicle
from jounce.vehicle.library_figures import FILE, hash_of
from jounce.vehicle.reading import library_names, load

MOVED = 1e-3
# What says most of trucks and trains; other events are for cars, or for roads that they have no range on
OF_TRUCKS = (events.RampSteer(), events.StraightBraking(), events.TiltTable())
RUNS = (
    events.RampSteer(),
    events.RampSteer.preset("sis"),
    events.StepSteer(),
    events.SweptSteer(),
    events.Weave(),
    events.StraightBraking(),
    events.StraightAcceleration(),
    events.CoastDown(),
)


def found(car: Vehicle) -> Iterator[tuple[str, str, float, str]]:
    """Figures: where from, key, value, unit."""
    truck = car.category in TRUCKS
    for metric in () if truck else kc(car).metrics:
        yield "kc", metric.name, metric.value, metric.unit
    for key, (value, unit) in standing(cars.describe(car)).figures().items():
        yield "show", key, value, unit
    # 1800 s: only where the class has a range for it
    cycle = () if is_hybrid(car) or "consumption" not in ranges(car.category) else (events.Cycle(),)
    for event in OF_TRUCKS if truck else (*RUNS, *cycle):
        run = jn.run(car, event)
        known = ranges_of(run)
        alone = "" if any(name.startswith(ASSIST) for name in run.names) else UNASSISTED
        for key, (value, unit) in run.kpis.items():
            if key in known:
                yield event.kind, key + alone if key in ASSISTED else key, value, unit

    if truck:
        return
    # The range is that of the dampers: with dry friction the last small extremes, which the decay is told from, say
    # little
    run = jn.run(without_friction(car), events.Drop())
    yield "drop", "heave_damping", *run.kpis["heave_damping"]


def without_friction(car: Vehicle) -> Vehicle:
    """The same structure, with friction scaled to nothing."""
    changes = {
        f"{place}_suspension.elements[{i}].scale": 0.0
        for place, axle in (("front", 1), ("rear", 2))
        for i, item in enumerate(car.suspension(axle).elements)
        if item.kind == "friction"
    }
    return car.with_(**changes)


def figures(name: str) -> dict[str, Any]:
    """All of a car, in the units of the ranges."""
    car = load(name)
    known = ranges(car.category)
    result: dict[str, Any] = {}
    for source, key, value, unit in found(car):
        if key in known and key not in result and math.isfinite(value):
            result[key] = {"value": float(f"{in_unit(value, unit, known[key].unit):.5g}"), "from": source}
    ordered = {key: result[key] for key in known if key in result}
    return {"hash": hash_of(car), "figures": ordered}


def moved(name: str, before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """What is not as it was written, in words."""
    known = ranges(load(name).category)
    old, new = before.get("figures", {}), now["figures"]
    stale = [f"{name}: {key} is {'new' if key in new else 'gone'}" for key in sorted({*old} ^ {*new})]
    for key in new.keys() & old.keys():
        a, b = old[key]["value"], new[key]["value"]
        if abs(a - b) > MOVED * (known[key].high - known[key].low) + 1e-4 * abs(a):
            stale.append(f"{name}: {key} {b:g} instead of {a:g}")
    return stale + ([f"{name}: its files have changed"] if before.get("hash") != now["hash"] else [])


def main(arguments: list[str]) -> int:
    before = json.loads(FILE.read_text(encoding="utf-8")) if FILE.is_file() else {}
    chosen = [name for name in arguments if name != "--check"] or library_names()
    now = {name: figures(name) for name in chosen}
    stale = [text for name, item in now.items() for text in moved(name, before.get(name, {}), item)]
    if "--check" in arguments:
        print("\n".join(stale) or "up to date")
        return 1 if stale else 0
    known = {name: item for name, item in {**before, **now}.items() if name in library_names()}
    FILE.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n", encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
