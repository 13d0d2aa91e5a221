"""Make the reference numbers of tests/references: python tools/make_references.py [--points|--runs] [NAME …]

Without names all cases of tests/reference_cases.py. Existing files are written again: do that only where physics is
meant to change, say so in tests/references/README.md, and name the commit whose code made the numbers.
"""

from __future__ import annotations

import argparse
import math
import sys
import zlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from jounce.runtime.simulation import Simulation
from reference_cases import CASES, CHANNELS, RUNS, WHEELS, Case, Whole
from reference_data import FOLDER, GROUPS, Array, Points, Rows, evaluate, make_ready, moved

STEP_SECONDS = 0.001
DEFLECTION = 0.015  # m, mean of the tires where a car is put down
TRIALS = 6  # of moved numbers
ULP = 2.0**-52
# How far states and memories are moved, by the ends of their names; SI.
MOVES = {
    "chassis.x": 0.05,
    "chassis.y": 0.05,
    "chassis.z": 0.004,
    "chassis.vx": 0.5,
    "chassis.vy": 0.6,
    "chassis.vz": 0.2,
    "chassis.wx": 0.3,
    "chassis.wy": 0.25,
    "chassis.wz": 0.4,
    ".jounce": 0.022,
    ".jounce.rate": 0.35,
    ".wheel.spin": 6.0,
    ".tire.u": 0.004,
    ".tire.v": 0.005,
    ".rolled": 0.3,
    ".twist": 0.3,
    ".tire.vsx": 0.7,
    ".tire.vsy": 0.6,
    ".angle": 2e-3,
    ".shift": 1e-3,
    ".rate": 0.05,
    ".integral": 1e-4,
    ".follower": 0.02,
    ".wind_up": 0.02,
    "free.offset": 0.1,
    "free.rate": 0.5,
    ".pad.deflection": 0.004,
    ".pad.speed": 0.3,
    "normal.x": 0.02,
    "normal.y": 0.015,
    "normal.z": 1e-4,
    "distance": 0.02,
    "height.L1": 0.01,
    "height.R1": 0.012,
    "height.L2": 0.009,
}
KEPT = ("chassis.e0", "chassis.e1", "chassis.e2", "chassis.e3", "steering.released", ".known.")


def size(name: str) -> float:
    """How far a state or memory is moved."""
    if any(name.endswith(kept) or kept in name for kept in KEPT):
        return 0.0
    found = [end for end in MOVES if name.endswith(end)]
    if not found:
        raise SystemExit(f"{name}: nothing is known of its size; add it to MOVES")
    return MOVES[max(found, key=len)]


def product(a: Array, b: Array) -> Array:
    """Of two quaternions, scalar first."""
    w, v = a[0] * b[0] - a[1:] @ b[1:], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])
    return np.array([w, *v])


def turned(sim: Simulation, x: Array, roll: float, pitch: float, yaw: float) -> None:
    """Turn the body by small angles about its own axes."""
    first = sim.model.quaternions[0]
    half = 0.5 * np.array([roll, pitch, yaw])
    q = product(x[first : first + 4], np.array([math.sqrt(1 - half @ half), *half]))
    x[first : first + 4] = q / np.linalg.norm(q)


def put(sim: Simulation, case: Case, speed: float, design: Array) -> None:
    """The car at design on its ground at a speed."""
    sim.restart(0.0, defaults=False)
    sim.x[:] = design
    sim.set_memories({v.name: v.default for v in sim.model.memories})
    half = 0.5 * case.heading
    values = {"chassis.e0": math.cos(half), "chassis.e3": math.sin(half), "chassis.vx": speed}
    sim.set_states({**values, "chassis.z": sim.state("chassis.z") + case.z})
    c, s = math.cos(case.heading), math.sin(case.heading)
    x, y = sim.state("chassis.x"), sim.state("chassis.y")
    sim.set_states({"chassis.x": case.x + c * x - s * y, "chassis.y": case.y + s * x + c * y})
    for _ in range(3):
        deep = np.mean([sim.output(f"Tire.Effective_Penetration.{wheel}") for wheel in WHEELS])
        sim.set_states({"chassis.z": sim.state("chassis.z") + float(deep) - DEFLECTION})
    for wheel in WHEELS:
        radius = sim.output(f"Tire.Effective_Rolling_Radius.{wheel}")
        sim.set_states({f"{wheel}.wheel.spin": speed / radius})


def shaken(sim: Simulation, random: np.random.Generator, part: float = 1.0) -> tuple[Array, Array, Array]:
    """States, memories and inputs of now, each moved by a random part of its size."""
    x, m, u = sim.x.copy(), sim.m.copy(), sim.u.copy()
    for values, variables in ((x, sim.model.states), (m, sim.model.memories)):
        for i, variable in enumerate(variables):
            values[i] += part * size(variable.name) * random.uniform(0.2, 1.0) * random.choice([-1.0, 1.0])
    turned(sim, x, *(part * random.uniform(-0.02, 0.02, 3)))
    for i, variable in enumerate(sim.model.inputs):
        name = variable.name
        if name == "steering_wheel.rate":
            u[i] = random.uniform(-2.0, 2.0)
        elif name == "steering_wheel.acceleration":
            u[i] = random.uniform(-9.0, 9.0)
        elif name == "steering_release":
            u[i] = round(random.uniform())
        elif name.startswith("Road_External."):
            u[i] += random.uniform(-0.002, 0.002)
        else:
            u[i] *= random.uniform(0.95, 1.05)
    return x, m, u


def driven(sim: Simulation, steps: int, inputs: Mapping[str, float]) -> None:
    sim.set_inputs(inputs)
    sim.advance(steps)


def points_of(case: Case) -> Points:
    """Points from short drives, some of them moved, and what is found there."""
    sim = case.simulation()
    random = np.random.default_rng(zlib.crc32(case.name.encode()))
    design = sim.x.copy()
    at: list[tuple[float, Array, Array, Array]] = []

    index = {v.name: i for i, v in enumerate(sim.model.states)}

    def keep(where: tuple[Array, Array, Array], later: float = 0.0) -> None:
        x, m, u = (part.copy() for part in where)
        x[index["chassis.vx"]] += case.faster
        for wheel in WHEELS:
            x[index[f"{wheel}.wheel.spin"]] += case.faster / 0.31
        at.append((sim.time + later, x, m, u))

    put(sim, case, case.speed, design)
    driven(sim, 200, {"steering_wheel": 0.41, "throttle": 0.23, "brake": 0.0})
    driven(sim, 150, {"steering_wheel": -0.67, "throttle": 0.37, "brake": 0.02})
    keep((sim.x, sim.m, sim.u))
    keep(shaken(sim, random), 0.23)
    driven(sim, 120, {"steering_wheel": 0.93, "throttle": 0.0, "brake": 0.31})
    keep(shaken(sim, random), 0.11)
    put(sim, case, case.reverse, design)
    driven(sim, 250, {"steering_wheel": 1.37, "throttle": 0.11, "brake": 0.07})
    keep(shaken(sim, random), 0.4)
    put(sim, case, 0.0, design)
    driven(sim, 400, {"steering_wheel": -0.29, "throttle": 0.03, "brake": 0.52})
    keep(shaken(sim, random, 0.01), 0.7)
    put(sim, case, case.speed, design)
    driven(sim, 60, {"steering_wheel": 0.31, "throttle": 0.17, "brake": 0.0})
    for up in (1.0, -1.0):  # far into the stops
        x, m, u = shaken(sim, random)
        for wheel, travel in zip(WHEELS, (0.081, -0.089, -0.113, 0.099), strict=True):
            x[index[f"{wheel}.jounce"]] = up * travel + 0.003 * up
        keep((x, m, u), 0.3)
    if any(case.lift):
        x, m, u = shaken(sim, random)
        height, roll, pitch = case.lift
        x[index["chassis.z"]] += height
        turned(sim, x, roll, pitch, 0.0)
        keep((x, m, u), 0.05)
    return measured(sim, at, random)


def measured(sim: Simulation, at: list[tuple[float, Array, Array, Array]], random: np.random.Generator) -> Points:
    """Results at points, and how far roundings of what goes in move them."""
    model = sim.model
    make_ready(sim, *at[0][1:])
    results = [evaluate(sim, x, m, u, t) for t, x, m, u in at]
    for k, result in enumerate(results):
        for group, found in result.items():
            if not np.isfinite(found).all():
                raise SystemExit(f"point {k}: {group} are not finite")
    noise = {group: np.zeros(len(results[0][group])) for group in ("rates", "next", "outputs")}
    parameters = sim.parameters
    free = {v.name: parameters[v.name] for v in model.parameters}

    def rounded(values: Array) -> Array:
        moved: Array = values * (1 + ULP * random.choice([-1.0, 0.0, 1.0], len(values)))
        return moved

    for _ in range(TRIALS):
        for name, value in zip(free, rounded(np.array(list(free.values()))), strict=True):
            try:
                sim.set_parameters({name: float(value)})
            except Exception:  # at a limit
                continue
        for (t, x, m, u), result in zip(at, results, strict=True):
            other = evaluate(sim, rounded(x), rounded(m), rounded(u), t)
            for group, found in other.items():
                noise[group] = np.maximum(noise[group], np.abs(found - result[group]))
    sim.set_parameters(free)
    values = {group: np.array([point[i] for point in at]) for i, group in enumerate(GROUPS[:3], 1)}
    values |= {group: np.array([result[group] for result in results]) for group in GROUPS[3:]}
    variables = {"states": model.states, "memories": model.memories, "inputs": model.inputs, "outputs": model.outputs}
    return Points(
        np.array([t for t, *_ in at]),
        {group: [v.name for v in found] for group, found in variables.items()},
        values,
        {group: [v.unit for v in found] for group, found in variables.items()},
        noise,
        parameters,
    )


def rows_of(whole: Whole) -> Rows:
    """A run, and how far roundings of the vehicle's data move it."""
    vehicle = whole.vehicle()
    result = Rows.of(whole.run(vehicle), CHANNELS, whole.every, whole.gains)
    for other in moved(vehicle):
        result.allow_for(Rows.of(whole.run(other), CHANNELS, whole.every, whole.gains))
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description="make the reference numbers of tests/references")
    parser.add_argument("names", nargs="*", help="cases; default all")
    parser.add_argument("--points", action="store_true", help="points only")
    parser.add_argument("--runs", action="store_true", help="whole runs only")
    chosen = parser.parse_args()
    unknown = set(chosen.names) - {item.name for item in (*CASES, *RUNS)}
    if unknown:
        raise SystemExit(f"unknown: {', '.join(sorted(unknown))}")
    for case in CASES:
        if not chosen.runs and (not chosen.names or case.name in chosen.names):
            points = points_of(case)
            points.save(FOLDER / "points" / f"{case.name}.npz")
            idle = [n for n, v in zip(points.names["outputs"], points.values["outputs"].T, strict=True) if not v.any()]
            print(f"{case.name}: {len(points.time)} points, {len(idle)} outputs are zero at all", flush=True)
            print(f"    {', '.join(idle)}" if idle else "", flush=True)
    for whole in RUNS:
        if not chosen.points and (not chosen.names or whole.name in chosen.names):
            rows = rows_of(whole)
            rows.save(FOLDER / "runs" / f"{whole.name}.npz")
            last = {name: float(rows.deviations[name][-1]) for name in rows.channels}
            worst = max(
                last, key=lambda name, rows=rows, last=last: last[name] / (float(np.ptp(rows.channels[name])) + 1e-9)
            )
            print(f"{whole.name}: {len(rows.time)} rows, at last {last[worst]:.2g} of {worst}", flush=True)


if __name__ == "__main__":
    main()
