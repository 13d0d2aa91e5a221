"""`jounce bench`: speed on this machine, as rows (name, value, unit, budget, ok).

Times are the smallest of several tries (machines are shared and noisy); comparisons with the peer are ratios measured
in the same run, our evaluations and the peer's in turns.  Budgets of absolute times assume an idle core.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

# Budgets: the figures this package promises.
EVALUATION = 4.5e-6  # s per evaluation of the 14-DOF model
PEER_RATIO = 18.0
BUILD = 10.0  # s, derive + emit + compile
FROM_CACHE = 0.2  # s, without importing CasADi
READY = 0.3  # s, a car of the library loaded and simulated from the cache, without CasADi and pandas
PROCESS = 0.9  # s, `jounce run step-steer --vehicle sedan` as a whole, from the cache
GROWTH = 1.05  # exponent of operations over the number of axles, 10 to 40
COMPILE_20 = 15.0  # s
COMPILE_GROWTH = 1.15  # exponent of compile time over the number of axles: linear, up to what the machine adds
UNITS_RATIO = 2.3  # operations of six units over those of three
PYTHON_BLOCK = 5.0  # µs
WRITING = 0.2  # s
REAL_TIME = 100.0  # AB-2 at 0.5 ms, recording at 100 Hz

METHODS = ("Euler", "AB-2", "RK-2", "AM-2", "AM-3", "AM-4")
SECONDS = 2.0  # simulated time of a speed run


@dataclass(frozen=True)
class Row:
    """One figure; ``budget`` None = shown without a promise."""

    name: str
    value: float
    unit: str
    budget: float | None = None
    ok: bool = True
    note: str = ""
    limit: str = ""  # "≤" or "≥": which side of the budget is good

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def at_most(name: str, value: float, unit: str, budget: float, note: str = "") -> Row:
    return Row(name, value, unit, budget, value <= budget, note, "≤")


def at_least(name: str, value: float, unit: str, budget: float, note: str = "") -> Row:
    return Row(name, value, unit, budget, value >= budget, note, "≥")


def best(function: Callable[[], float], tries: int = 7) -> float:
    """Smallest of several measurements."""
    return min(function() for _ in range(tries))


def timed(function: Callable[[], Any]) -> tuple[float, Any]:
    begin = time.perf_counter()
    result = function()
    return time.perf_counter() - begin, result


def run_bench(quick: bool = False, progress: Callable[[str], None] = lambda text: None) -> list[Row]:
    """All rows; ``quick`` leaves out growth with size and the peer."""
    from jounce.bench.batch import batch_rows
    from jounce.bench.car import car_rows, step_rows
    from jounce.bench.driveline import controller_rows, driveline_rows
    from jounce.bench.implicit import hitch_rows, implicit_rows
    from jounce.bench.road import road_rows
    from jounce.bench.steering import steering_rows
    from jounce.bench.suspension import suspension_rows
    from jounce.bench.tires import tire_rows
    from jounce.bench.trains import train_rows

    rows: list[Row] = []
    with _empty_cache():
        progress("building the 14-DOF model")
        rows += build_rows()
        progress("loading it in a fresh process")
        rows += cache_rows()
        progress("starting with the sedan")
        rows += start_rows()
        progress("evaluations")
        rows += evaluation_rows(with_peer=not quick)
        progress("runs with every method")
        rows += method_rows()
        rows += small_rows()
        progress("tires")
        rows += tire_rows()
        progress("the sedan of the library")
        rows += car_rows() + step_rows() + driveline_rows() + controller_rows()
        progress("suspensions in full")
        rows += suspension_rows()
        progress("a steering in full")
        rows += steering_rows()
        progress("roads")
        rows += road_rows()
        progress("linear-implicit step, constrained hitch")
        rows += implicit_rows() + hitch_rows()
        progress("a batch on all cores")
        rows += batch_rows()
        if not quick:
            progress("growth with the number of axles")
            rows += growth_rows()
            progress("growth with the number of units")
            rows += unit_rows()
            progress("trains of cars and trailers")
            rows += train_rows()
    return rows


@contextmanager
def _empty_cache() -> Iterator[None]:
    """A cache of its own, so that cold figures are cold and the user's cache is left alone."""
    before = os.environ.get("JOUNCE_CACHE_DIR")
    with tempfile.TemporaryDirectory(prefix="jounce-bench-") as folder:
        os.environ["JOUNCE_CACHE_DIR"] = folder
        try:
            yield
        finally:
            if before is None:
                del os.environ["JOUNCE_CACHE_DIR"]
            else:
                os.environ["JOUNCE_CACHE_DIR"] = before


def build_rows() -> list[Row]:
    """Derive, emit, compile, load, each on its own."""
    from jounce.bench.models import vehicle
    from jounce.runtime.simulation import Library
    from jounce.sim.build import build

    importing, _ = timed(_import_symbolic)
    declaring, system = timed(lambda: vehicle(2))
    deriving, _ = timed(lambda: _derive(system))
    emitting, generated = timed(system.generate)
    compiling, library = timed(lambda: build(generated))
    path = library.path
    loading, _ = timed(lambda: Library(path, generated))
    total = importing + declaring + deriving + emitting + compiling
    return [
        Row("14-DOF: operations per evaluation", generated.operations["rhs"], "-"),
        Row("14-DOF: import of the symbolic layer", importing, "s"),
        Row("14-DOF: derive", declaring + deriving, "s"),
        Row("14-DOF: emit", emitting, "s"),
        Row("14-DOF: compile, runtime included", compiling, "s"),
        Row("14-DOF: load", loading, "s"),
        at_most("14-DOF: derive + emit + compile", total, "s", BUILD),
    ]


def _import_symbolic() -> None:
    import casadi  # noqa: F401

    import jounce.symbolic.generate  # noqa: F401


def _derive(system: Any) -> None:
    from jounce.symbolic.generate import derive

    derive(system)


_WARM = """
import sys, time
import numpy
begin = time.perf_counter()
from jounce.bench.models import vehicle
from jounce.runtime.simulation import Simulation
simulation = Simulation(vehicle.build(2))
simulation.derivatives()
print(time.perf_counter() - begin, "casadi" in sys.modules)
"""


def cache_rows() -> list[Row]:
    """From the cache in a fresh process: imports of the package, look-up, load, first evaluation."""
    from jounce.bench.models import vehicle

    vehicle.build(2)
    times, imported = [], False
    for _ in range(5):
        text = subprocess.run([sys.executable, "-c", _WARM], capture_output=True, text=True, check=True).stdout.split()
        times.append(float(text[0]))
        imported = imported or text[1] == "True"
    note = "CasADi was imported" if imported else "CasADi not imported"
    row = at_most("14-DOF: ready from the cache, fresh process", min(times), "s", FROM_CACHE, note)
    return [replace(row, ok=row.ok and not imported)]


_READY = """
import sys, time
begin = time.perf_counter()
import jounce as jn
from jounce.sim.car import simulation
simulation(jn.load("sedan"))
print(time.perf_counter() - begin, *({"casadi", "pandas"} & set(sys.modules)))
"""


def start_rows() -> list[Row]:
    """The first second of a user: the sedan ready in a fresh process, and an event as one command."""
    command = [sys.executable, "-m", "jounce", "run", "step-steer", "--vehicle", "sedan"]
    ready, whole, heavy = [], [], set()
    with tempfile.TemporaryDirectory(prefix="jounce-bench-") as folder:
        for _ in range(6):  # the first ones build
            told = subprocess.run([sys.executable, "-c", _READY], capture_output=True, text=True, check=True)
            seconds, *imported = told.stdout.split()
            ready.append(float(seconds))
            heavy = set(imported)
            run = partial(subprocess.run, command, cwd=folder, capture_output=True, check=True)
            whole.append(timed(run)[0])
    note = f"{', '.join(sorted(heavy))} imported" if heavy else "neither CasADi nor pandas imported"
    row = at_most("sedan: loaded and ready from the cache, fresh process", min(ready), "s", READY, note)
    return [
        replace(row, ok=row.ok and not heavy),
        at_most("sedan: step steer as one command, whole process", min(whole), "s", PROCESS),
    ]


def rolling_vehicle() -> Any:
    """The 14-DOF model after two seconds of driving on its wheels."""
    from jounce.bench.models import vehicle
    from jounce.runtime.simulation import Simulation

    simulation = Simulation(vehicle.build(2))
    simulation.run(2.0, method="AB-2", step=0.0005, interval=0.1)
    return simulation


def evaluation_rows(with_peer: bool = True) -> list[Row]:
    simulation = rolling_vehicle()
    peer = _peer() if with_peer else None
    ours, theirs, lists = math.inf, math.inf, math.inf
    for _ in range(15):  # in turns, so that both see the same machine
        ours = min(ours, simulation.time_rhs(5000))
        if peer is not None:
            theirs = min(theirs, peer(60, False))
            lists = min(lists, peer(60, True))
    rows = [at_most("14-DOF: evaluation, on its wheels", ours * 1e6, "µs", EVALUATION * 1e6)]
    if peer is not None:
        how = "state as a NumPy array, as SciPy's solvers in its documentation call it"
        rows.append(Row("peer: evaluation of the CommonRoad multibody model", theirs * 1e6, "µs", note=how))
        rows.append(Row("peer: the same, state as a Python list", lists * 1e6, "µs", note="no solver calls it so"))
        rows.append(at_least("14-DOF: times faster than the peer", theirs / ours, "-", PEER_RATIO))
        rows.append(Row("14-DOF: times faster than the peer on lists", lists / ours, "-"))
    elif with_peer:
        note = 'commonroad-vehicle-models is not installed: pip install "jounce[bench]"'
        rows.append(Row("14-DOF: times faster than the peer", math.nan, "-", PEER_RATIO, False, note, "≥"))
    return rows


def _peer() -> Callable[[int, bool], float] | None:
    """Seconds per evaluation of the multibody model of commonroad-vehicle-models, driving a curve on its wheels."""
    import numpy as np

    try:
        from vehiclemodels.init_mb import init_mb
        from vehiclemodels.parameters_vehicle2 import parameters_vehicle2
        from vehiclemodels.vehicle_dynamics_mb import vehicle_dynamics_mb
    except ImportError:
        return None
    parameters = parameters_vehicle2()
    state = init_mb([0.0, 0.0, 0.02, 25.0, 0.0, 0.05, 0.0], parameters)
    control = [0.0, 0.5]
    for _ in range(200):  # let it settle as ours did
        rates = vehicle_dynamics_mb(state, control, parameters)
        state = [x + 0.0005 * f for x, f in zip(state, rates, strict=True)]

    arrays = np.array(state)

    def measure(n: int, as_list: bool) -> float:
        point = state if as_list else arrays
        begin = time.perf_counter()
        for _ in range(n):
            vehicle_dynamics_mb(point, control, parameters)
        return (time.perf_counter() - begin) / n

    return measure


def method_rows() -> list[Row]:
    """A straight run with steering pulses, recording at 100 Hz, with the usual step of every method."""
    from jounce.runtime.simulation import default_step

    rows = []
    for method in METHODS:
        simulation = rolling_vehicle()
        step = default_step(method)
        start = simulation.snapshot()

        def one(simulation: Any = simulation, method: str = method, step: float = step, start: Any = start) -> float:
            simulation.restore(start)
            recording = simulation.run(simulation.time + SECONDS, method=method, step=step, interval=0.01)
            return float(recording.wall_time)

        wall = best(one, 5)
        rows.append(Row(f"14-DOF: step, {method}", wall / (SECONDS / step) * 1e6, "µs"))
        name = f"14-DOF: × real time, {method} at {step * 1e3:g} ms"
        factor = SECONDS / wall
        rows.append(at_least(name, factor, "-", REAL_TIME) if method == "AB-2" else Row(name, factor, "-"))
    return rows


def small_rows() -> list[Row]:
    """What surrounds the equations: a block in Python, a run on disk."""
    import numpy as np

    from jounce.results.run import Run

    simulation = rolling_vehicle()
    steps = 2000

    def advance() -> float:
        begin = time.perf_counter()
        simulation.advance(steps)
        return (time.perf_counter() - begin) / steps

    plain = best(advance, 5)
    name = simulation.model.inputs[0].name
    simulation.add_block("bench", lambda _time, _values: 0.0, reads=[], writes=[name], stateless=True)
    block = best(advance, 5) - plain
    clock = np.linspace(0.0, 10.0, 1001)
    values = {f"channel{k}": np.sin(clock + k) for k in range(300)}
    run = Run(clock, values, dict.fromkeys(values, "m"))

    def write() -> float:
        with tempfile.TemporaryDirectory() as folder:
            begin = time.perf_counter()
            run.to_parquet(os.path.join(folder, "run.parquet"))
            return time.perf_counter() - begin

    return [
        at_most("block in Python, per call", block * 1e6, "µs", PYTHON_BLOCK),
        at_most("run of 300 channels, 10 s at 100 Hz, written", best(write, 3), "s", WRITING),
    ]


def growth_rows() -> list[Row]:
    """A body with n axles: operations and compile time."""
    from jounce.bench.models import vehicle
    from jounce.sim.build import build

    operations: dict[int, int] = {}
    compiling: dict[int, float] = {}
    rows = []
    for n in (10, 20, 40):
        generated = vehicle(n).generate()
        operations[n] = generated.operations["rhs"]
        compiling[n], _ = timed(partial(build, generated))
        rows.append(Row(f"{n} axles: operations", operations[n], "-"))
        name = f"{n} axles: compile"
        rows.append(at_most(name, compiling[n], "s", COMPILE_20) if n == 20 else Row(name, compiling[n], "s"))
    exponent = math.log(operations[40] / operations[10]) / math.log(4)
    rows.append(at_most("axles 10 to 40: growth exponent of operations", exponent, "-", GROWTH))
    exponent = math.log(compiling[40] / compiling[10]) / math.log(4)
    rows.append(at_most("axles 10 to 40: growth exponent of compile time", exponent, "-", COMPILE_GROWTH))
    return rows


def unit_rows() -> list[Row]:
    """Articulated units of three axles each."""
    from jounce.bench.models import train

    operations = {n: train(n, 3).generate().operations["rhs"] for n in (1, 3, 6)}
    rows = [
        Row(f"{n} unit{'s' if n > 1 else ''} of 3 axles: operations", value, "-") for n, value in operations.items()
    ]
    rows.append(at_most("6 units over 3 units: operations", operations[6] / operations[3], "-", UNITS_RATIO))
    return rows
