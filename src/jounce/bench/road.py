"""Figures of roads: a query of every kind at consecutive places, as a wheel asks, and a car on ten million heights."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from jounce.bench.run import Row
    from jounce.road.surface import Road

QUERY = 2.0  # µs, of any road
REAL_TIME = 50.0  # of a car on the large grid
QUERIES = 200_000
SECONDS = 5.0  # simulated time of a run
CROSS_SECTIONS, LONG_SECTIONS = 100_001, 101  # of the large grid: 5 km by 5 m, every 50 mm
TRIANGLES = 1_000_000
CAR = "sedan"


def road_rows() -> list[Row]:
    """Query times per kind, reading of a large file, × real time of a car on it."""
    from jounce.bench.run import Row, at_least, at_most, best, timed
    from jounce.files.crg import read_crg, write_crg
    from jounce.files.roads import load_road
    from jounce.road.simple import Flat

    rows = []
    grid = large_grid()
    ways: list[tuple[str, Road, float]] = [
        ("flat", Flat(), 5000.0),
        ("bumps on a straight", load_road("potholes"), 200.0),
        ("handling, 5 km with kerbs", load_road("handling"), 5000.0),
        ("mountain, 20 km, class B", load_road("mountain"), 20000.0),
        ("grid of 10 million heights", grid, 5000.0),
        ("mesh of a million triangles", large_mesh(), 1000.0),
    ]
    for name, road, length in ways:
        x, y = _way(road, length)
        road.query(x[:10], y[:10])  # compiled

        def seconds(road: Any = road, x: Any = x, y: Any = y) -> float:
            begin = time.perf_counter()
            road.query(x, y)
            return (time.perf_counter() - begin) / len(x)

        rows.append(at_most(f"road: query, {name}", best(seconds) * 1e6, "µs", QUERY))
    with tempfile.TemporaryDirectory(prefix="jounce-bench-") as folder:
        file = Path(folder) / "large.crg"
        write_crg(grid, file)
        size = file.stat().st_size / 1e6
        reading, found = timed(lambda: read_crg(file).road())
    rows.append(Row("road: OpenCRG of 10 million heights, read", reading, "s", note=f"{size:.0f} MB"))
    factor = 1 / best(lambda: _drive(found), 3)
    name = f"{CAR} on OpenCRG of 10 million heights: × real time, AB-2 at 0.5 ms"
    rows.append(at_least(name, factor, "-", REAL_TIME, "100 km/h, recording at 100 Hz"))
    return rows


def large_grid() -> Any:
    """A winding road with waves of some millimetres, in single precision."""
    from jounce.road.grid import GridRoad

    u, v = 0.05 * np.arange(CROSS_SECTIONS), np.linspace(-2.5, 2.5, LONG_SECTIONS)
    z = 0.01 * np.sin(u / 5)[:, None] + 0.003 * np.sin(u / 0.7)[:, None] * np.cos(v)
    headings = 0.01 * np.sin(u[:-1] / 100)  # winds by a metre to each side
    return GridRoad(z=z.astype(np.float32), du=0.05, v=v, headings=headings, name="large grid")


def large_mesh() -> Any:
    """Hills of triangles, 1 km by 125 m."""
    from jounce.road.mesh import MeshRoad, grid_mesh

    nx = 2001
    ny = TRIANGLES // (2 * (nx - 1)) + 1
    x, y = np.linspace(0, 1000, nx), np.linspace(-62.5, 62.5, ny)
    points, triangles = grid_mesh(x, y, 0.5 * np.sin(x[:, None] / 20) + 0.3 * np.cos(y[None, :] / 9))
    return MeshRoad(points=points, triangles=triangles, name="large mesh")


def _way(road: Road, length: float) -> tuple[Any, Any]:
    """Places of a left wheel along a road, as close as in a run at 100 km/h with steps of 0.5 ms."""
    from jounce.road.survey import line_of

    step = 100 / 3.6 * 0.0005
    line = line_of(road)
    s = line.s[0] + np.minimum(step * np.arange(QUERIES), 0.98 * length)
    x, y, heading = (np.interp(s, line.s, values) for values in (line.x, line.y, line.heading))
    return x - 0.75 * np.sin(heading), y + 0.75 * np.cos(heading)


def _drive(road: Road) -> float:
    """Wall time per simulated second of a car that runs straight ahead on a road."""
    from jounce.events import StepSteer
    from jounce.events.engine import run
    from jounce.vehicle.reading import load

    event = StepSteer(amplitude=0.0, end_time=SECONDS)
    timing = run(load(CAR), event, step=0.0005, road=road).metadata["timing"]
    return float(timing["wall"] / timing["simulated"])
