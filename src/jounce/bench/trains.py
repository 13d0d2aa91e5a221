"""Trains of the library's compact: time per step over axles, a road train made ready, kinds of hitches."""

from __future__ import annotations

import copy
import math
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jounce.bench.run import Row
    from jounce.vehicle.schema import Vehicle

GROWTH = 1.05  # exponent of the time per step over the number of axles, 2 to 12
READY = 30.0  # s, a road train of six units with three axles each: derived, compiled, at rest
HITCH = 0.10  # of the step: what a constraint costs more than a spring
LENGTHS = (2, 4, 8, 12)
NEAR = 0.9  # m between axles
LOAD = 640.0  # kg of a body per axle


def train(axles: list[int], kind: str = "joint") -> Vehicle:
    """Units of so many axles each: the compact with further axles behind, and trailers on its rear axle."""
    from jounce.core.fields import to_raw
    from jounce.vehicle.reading import load
    from jounce.vehicle.schema import Vehicle

    raw: dict[str, Any] = to_raw(load("compact").with_(driveline=None, drive="front", controllers=None))
    listed = []
    for end in ("front", "rear"):
        axle = {name: raw.pop(f"{end}_{name}") for name in ("suspension", "wheels")}
        listed.append({**axle, "brake": raw["brakes"].pop(end)})
    front, rear = listed
    front["steering"] = raw.pop("steering")
    shares = raw["drive"].pop("shares", None) or {}
    front["drive_left"], front["drive_right"] = shares.get("L1", 0.5), shares.get("R1", 0.5)
    last = rear["suspension"]["wheel_centre_x"]

    def behind(first: float, count: int) -> list[dict[str, Any]]:
        found = [copy.deepcopy(rear) for _ in range(count)]
        for i, axle in enumerate(found):
            axle["suspension"]["wheel_centre_x"] = first - NEAR * i
        return found

    raw["axles"] = [front, *behind(last, axles[0] - 1)]
    raw["body"]["mass"] += LOAD * (axles[0] - 2)
    raw["body"]["cg"]["x"] -= 0.4 * (axles[0] - 2)
    raw["trailers"] = []
    back = last - NEAR * (axles[0] - 1)
    for count in axles[1:]:
        mass = LOAD * count
        raw["trailers"].append({
            "name": "trailer", "hitch": {"kind": kind, "location": [back, 0.0, 0.5]}, "axles": behind(-3.1, count),
            "body": {"mass": mass, "cg": {"x": -2.9 - 0.4 * (count - 1), "z": 0.9},
                     "inertia": {"ixx": 0.5 * mass, "iyy": 1.9 * mass, "izz": 2.1 * mass}},
        })  # fmt: skip
        back = -3.1 - NEAR * count
    for axle in (a for unit in (raw, *raw["trailers"]) for a in unit["axles"]):
        axle["brake_share"] = 1 / sum(axles)
    return Vehicle.model_validate(raw)


def _ready(vehicle: Vehicle) -> Any:
    from jounce.sim import car
    from jounce.sim.statics import settle

    description = car.describe(vehicle)
    sim = car.simulation(description)
    settle(sim, description)
    return sim


def _step(sim: Any, steps: int = 1500) -> float:
    start = sim.snapshot()
    begin = time.perf_counter()
    sim.advance(steps)
    spent = (time.perf_counter() - begin) / steps
    sim.restore(start)
    return spent


def train_rows() -> list[Row]:
    """Growth of the step with the axles of one unit, a constraint beside a spring, a road train made ready."""
    from jounce.bench.run import Row, at_most, timed

    sims = [_ready(train([n])) for n in LENGTHS]
    steps = [math.inf] * len(LENGTHS)
    for _ in range(9):  # in turns, so that all see the same machine
        steps = [min(found, _step(sim)) for found, sim in zip(steps, sims, strict=True)]
    rows = [Row(f"{n} axles: step at 1 ms", s * 1e6, "µs") for n, s in zip(LENGTHS, steps, strict=True)]
    exponent = math.log(steps[-1] / steps[0]) / math.log(LENGTHS[-1] / LENGTHS[0])
    rows.append(at_most("axles 2 to 12: growth exponent of the step", exponent, "-", GROWTH))
    pair = [_ready(train([2, 1], kind)) for kind in ("spring", "constraint")]
    both = [math.inf, math.inf]
    for _ in range(15):
        both = [min(found, _step(sim)) for found, sim in zip(both, pair, strict=True)]
    name = "car with trailer: a constraint at its hitch over springs"
    rows.append(at_most(name, both[1] / both[0] - 1, "-", HITCH))
    spent, sim = timed(lambda: _ready(train([3] * 6)))
    rows.append(at_most("six units of three axles: ready, first time", spent, "s", READY, "with statics"))
    rows.append(Row("six units of three axles: step at 1 ms", min(_step(sim, 300) for _ in range(7)) * 1e6, "µs"))
    return rows
