"""Figures of tires: one evaluation of each model as a car makes it, and a step of four tires by themselves."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jounce.bench.run import Row
    from jounce.components.tire.base import Tire
    from jounce.runtime.simulation import Simulation

EVALUATION = 0.5  # µs per wheel, combined slip with relaxation
FORCE_DEPENDENT = 0.7  # µs, where the load depends on the forces and these are computed twice
FOUR_TIRES = 20.0  # µs, a step
WHEELS = 4
# A wheel that brakes lightly in a curve; each of the four at another place.
POINT = {"rho": 0.02, "rho_rate": 0.01, "gamma": 0.02, "vx": 20.0, "vy": 0.4, "spin": 65.0, "friction": 1.0}
POINT |= {"side": 1.0, "yaw_rate": 0.3, "drop": 0.0}


def four_tires(tire: Tire, name: str = "four_tires") -> Simulation:
    """Four wheels of a tire at given places and speeds; their contact deflections are the only states."""
    from jounce.components.tire.transient import inputs, outputs
    from jounce.components.tire.wheel import declare, numbers_of
    from jounce.runtime.simulation import Simulation
    from jounce.sim.build import build
    from jounce.symbolic import System

    system, model = System(name), tire.model
    block = declare(system, tire)
    for i in range(WHEELS):
        scope = system.scope(f"wheel{i}")
        held = {"friction", "side", "drop"}
        x: dict[str, Any] = {
            key: scope.input(key, default=value if key in held else value * (1 + 0.05 * i))
            for key, value in POINT.items()
            if key in inputs(model)
        }
        u, v = scope.state("u", "m"), scope.state("v", "m")
        rested = {"rolled": scope.state("rolled"), "twist": scope.state("twist")}
        x |= {"u": u, "v": v, "t_dt": system.t_dt, **rested}
        groups = {"x": [x[key] for key in inputs(model)], **numbers_of(scope, block)}
        found = dict(zip(outputs(model), system.call(model.leaf(), groups, block.tables), strict=True))
        total = sum(found[key] for key in ("fx", "fy", "fz", "mx", "my", "mz"))
        scope.derivative(u, found["u_rate"] + 1e-30 * total)  # so that every force is computed
        scope.derivative(v, found["v_rate"])
        for key, state in rested.items():
            scope.derivative(state, found[f"{key}_rate"])
    simulation = Simulation(build(system), method="AB-2", step=0.0005)
    simulation.advance(400)  # rolling steadily
    return simulation


def evaluation_time(simulation: Simulation, tries: int = 30, n: int = 1000) -> float:
    """Seconds per wheel, the smallest of many tries."""
    return min(simulation.time_rhs(n) for _ in range(tries)) / WHEELS


def step_time(simulation: Simulation, tries: int = 30, n: int = 1000) -> float:
    """Seconds per step of all four, the smallest of many tries."""

    def once() -> float:
        begin = time.perf_counter()
        simulation.advance(n)
        return (time.perf_counter() - begin) / n

    return min(once() for _ in range(tries))


def tires() -> dict[str, tuple[Tire, float | None]]:
    """Tires of the library and the budget of an evaluation, µs; None: shown without a promise."""
    from jounce.files.library import library_file
    from jounce.files.tir import read_tir

    def read(name: str) -> Tire:
        return read_tir(library_file("tires", name)).tire

    newer: Any = read("example_mf62")
    plain = {"turn_slip": False, "nonlinear": False}
    return {
        "PAC2002": (read("sedan_225_50r17"), EVALUATION),
        "MF 6.2": (replace(newer, model=replace(newer.model, softening=False, **plain)), EVALUATION),
        "MF 6.2, load by forces": (replace(newer, model=replace(newer.model, **plain)), FORCE_DEPENDENT),
        "MF 6.2, load by forces, turn slip, nonlinear lag": (newer, None),
        "Fiala": (read("example_fiala"), EVALUATION),
    }


def tire_rows() -> list[Row]:
    """Evaluations in turns, so that all see the same machine; a step of four PAC2002 tires."""
    from jounce.bench.run import Row, at_most

    found = tires()
    simulations = {name: four_tires(tire, f"tires_{i}") for i, (name, (tire, _)) in enumerate(found.items())}
    times = dict.fromkeys(found, float("inf"))
    for _ in range(10):
        for name, simulation in simulations.items():
            times[name] = min(times[name], evaluation_time(simulation, 3))
    rows = []
    for name, (_, budget) in found.items():
        note = f"{times[name] / times['PAC2002']:.2f} times PAC2002"
        label, value = f"tire: evaluation, {name}", times[name] * 1e6
        rows.append(Row(label, value, "µs", note=note) if budget is None else at_most(label, value, "µs", budget, note))
    step = step_time(simulations["PAC2002"]) * 1e6
    rows.append(at_most("tire: step of four PAC2002 tires, AB-2", step, "µs", FOUR_TIRES, "combined slip, relaxation"))
    return rows
