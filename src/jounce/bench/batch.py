"""Rows for batches: many runs on all cores against the same runs one after the other.

Other programs take cores away for as long as they like, so what the machine gives to several threads is measured in the
same minutes, with threads that do nothing but evaluate the model in C; on an idle machine that is the number of cores.
"""

from __future__ import annotations

import math
import threading
import time
from typing import Any

from jounce.bench.run import Row, at_least, at_most
from jounce.runtime.compile import processors
from jounce.runtime.duplicate import duplicate
from jounce.sim.batch import Variant, batch

BATCH = 0.9  # throughput of a batch over cores times that of single runs
RUN_MEMORY = 1024.0  # kB of one run, without what it records
RUNS = 64
SECONDS = 2.0  # simulated time of a run
TRIES = 7


def batch_rows() -> list[Row]:
    """64 runs of the 14-DOF model with different masses, from driving, recording at 100 Hz."""
    from jounce.bench.models import MASS
    from jounce.bench.run import rolling_vehicle

    start = rolling_vehicle()
    runs = [Variant({"mass": MASS * (0.9 + 0.2 * k / RUNS)}) for k in range(RUNS)]
    cores = processors()
    end = start.time + SECONDS
    evaluations = round(RUNS * SECONDS / start.step)

    def batch_time(workers: int) -> float:
        begin = time.perf_counter()
        recordings = batch(start, runs, t_end=end, interval=0.01, workers=workers)
        wall = time.perf_counter() - begin
        assert all(recording.ok for recording in recordings)
        return wall

    # in turns, so that all see the same machine; the smallest of each, as other programs only ever add
    one = many = plain_one = plain_many = math.inf
    for _ in range(TRIES):
        one, plain_one = min(one, batch_time(1)), min(plain_one, _plain_c(start, 1, evaluations))
        many, plain_many = min(many, batch_time(cores)), min(plain_many, _plain_c(start, cores, evaluations))
    speedup, available = one / many, min(plain_one / plain_many, float(cores))
    c, layout = start.library.struct.contents, start.layout
    memory = 8 * (layout.n_state + layout.n_work + c.n_work + c.n_p) / 1024
    what = f"{RUNS} runs of {SECONDS:g} s, {cores} threads"
    note = f"{speedup:.2f} times one thread; plain C got {available:.2f} of {cores} cores"
    return [
        Row("14-DOF: batch, × real time of all runs together", RUNS * SECONDS / many, "-", note=what),
        Row("14-DOF: batch over single, with the cores as they are", speedup, "-", note=what),
        at_least(
            "14-DOF: batch over single × the cores that plain C gets at that moment",
            speedup / available,
            "-",
            BATCH,
            note,
        ),
        at_most("14-DOF: memory of a run: state, scratch, parameters", memory, "kB", RUN_MEMORY),
    ]


def _plain_c(start: Any, count: int, evaluations: int) -> float:
    """Wall time of so many evaluations shared by threads that stay in C from beginning to end."""
    simulations = [duplicate(start) for _ in range(count)]
    threads = [threading.Thread(target=s.time_rhs, args=(evaluations // count,)) for s in simulations]
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - begin
