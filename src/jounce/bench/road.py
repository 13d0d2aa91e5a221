"""Figures of roads: queries at consecutive places, as a wheel asks, and at random ones, of small and large roads; a car
on ten million heights, and with enveloping contacts.

At random places memory decides: a query of a large mesh needs three reads one after the other (tile, leaf, triangles),
of a long line too (tile, cell, nodes, then all curves at once). What such a chain costs on the machine is measured with
reads of 64 bytes over as much memory, and noted beside the figure.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from jounce.bench.run import Row
    from jounce.road.surface import Road

SIMPLE, QUERY, HUGE = 0.3, 1.0, 2.0  # µs: flat and analytic roads; all others; ten million triangles
LONGEST = 1.3  # µs, at random places of 100 km: memory that no cache holds is half of it, see the note of the row
READING = 5.0  # s, of ten million heights
SAME = 1.5  # halving would take half as many steps again
REAL_TIME = 50.0  # of a car on the large grid
ENVELOPED = 30.0  # of a car under enveloping contacts, on a rough road
QUERIES = 200_000
SECONDS = 5.0  # simulated time of a run
CROSS_SECTIONS, LONG_SECTIONS = 100_001, 101  # of the large grid: 5 km by 5 m, every 50 mm
TRIANGLES = 1_000_000
CHAIN = 3  # reads that wait for each other in a query of a large road
CAR = "sedan"


def road_rows(huge: bool = False) -> list[Row]:
    """Query times per kind and size, reading of a large file, × real time of a car; ``huge``: ten million triangles."""
    from jounce.bench.run import at_least, at_most, best, timed
    from jounce.files.crg import read_crg, write_crg
    from jounce.files.roads import load_road
    from jounce.road.simple import Flat

    rows = []
    grid = large_grid()
    ways: list[tuple[str, Road, float, float]] = [
        ("flat", Flat(), 5000.0, SIMPLE),
        ("bumps on a straight", load_road("potholes"), 200.0, SIMPLE),
        ("handling, 5 km with kerbs", load_road("handling"), 5000.0, QUERY),
        ("mountain, 20 km, class B", load_road("mountain"), 20000.0, QUERY),
        ("grid of 10 million heights", grid, 5000.0, QUERY),
        ("mesh of a million triangles", large_mesh(), 1000.0, QUERY),
    ]
    for name, road, length, budget in ways:
        x, y = _way(road, length)
        rows.append(at_most(f"road: query, {name}", _query(road, x, y), "µs", budget))
    rows += [size_row(), *random_rows()]
    if huge:
        rows += huge_rows()
    with tempfile.TemporaryDirectory(prefix="jounce-bench-") as folder:
        file = Path(folder) / "large.crg"
        write_crg(grid, file)
        size = file.stat().st_size / 1e6
        reading, found = timed(lambda: read_crg(file).road())
    rows.append(at_most("road: OpenCRG of 10 million heights, read", reading, "s", READING, note=f"{size:.0f} MB"))
    factor = 1 / best(lambda: _drive(found), 3)
    name = f"{CAR} on OpenCRG of 10 million heights: × real time, AB-2 at 0.5 ms"
    rows.append(at_least(name, factor, "-", REAL_TIME, "100 km/h, recording at 100 Hz"))
    for contact in ("points", "cams"):
        for name in ("cleat", "mountain"):
            on = load_road(name)
            factor = 1 / best(lambda c=contact, r=on: _drive(r, c, 0.001, 2.0), 3)  # type: ignore[misc]
            said = f"{CAR} on {name}, enveloping contact ({contact}): × real time, AB-2 at 1 ms"
            rows.append(at_least(said, factor, "-", ENVELOPED))
    return rows


def size_row() -> Row:
    """A query of a grid of a million points 1 cm apart over one of ten thousand, in a part that fits into a cache."""
    from jounce.bench.run import at_most
    from jounce.road.grid import height_map

    rng = np.random.default_rng(3)
    offsets = rng.uniform(0.1, 0.5, (2, 20_000))
    took = []
    roads = [
        (n, height_map(x, x, 0.001 * rng.standard_normal((n, n)))) for n in (100, 1000) for x in [0.01 * np.arange(n)]
    ]
    for _ in range(15):  # in turns, so that both see the same machine
        took.append([_query(road, *(offsets + 0.005 * n - 0.3)) for n, road in roads])
    few, many = np.min(took, axis=0)
    return at_most("road: query, grid of 1 million over 10 thousand points", many / few, "-", SAME, "a scan: 100")


def random_rows() -> list[Row]:
    """Queries at random places of lines and meshes of several sizes."""
    from jounce.bench.run import at_most

    rows = []
    lines = ((1, QUERY), (25, QUERY), (100, LONGEST))
    roads: list[tuple[str, Road, float]] = [(f"line of {km} km", long_line(km), budget) for km, budget in lines]
    roads += [(f"mesh of {n:,} triangles".replace(",", " "), large_mesh(n), QUERY) for n in (10_000, TRIANGLES)]
    roads.append(("grid of 10 million heights", large_grid(), QUERY))
    for name, road, budget in roads:
        size = road.block.nbytes
        note = f"{CHAIN} reads in a chain in {size / 1e6:.0f} MB: {CHAIN * memory_read(size):.2f} µs"
        rows.append(at_most(f"road: query, random places, {name}", _query(road, *_anywhere(road)), "µs", budget, note))
    return rows


def huge_rows() -> list[Row]:
    """Ten million triangles: building and queries at random places; takes about 3 GB of memory."""
    from jounce.bench.run import Row, at_most, timed

    road = large_mesh(10 * TRIANGLES)
    building, block = timed(lambda: road.block)
    note = f"{CHAIN} reads in a chain: {CHAIN * memory_read(block.nbytes):.2f} µs"
    return [
        Row("road: mesh of 10 million triangles, built", building, "s", note=f"{block.nbytes / 1e6:.0f} MB"),
        at_most("road: query, random places, 10 million triangles", _query(road, *_anywhere(road)), "µs", HUGE, note),
    ]


def memory_read(size: int) -> float:
    """Microseconds of a read of 64 bytes at a random place among so many bytes, when it waits for the one before."""
    from jounce.bench.run import best
    from jounce.road.native import library

    lines = max(size // 64, 1000)
    order = np.random.default_rng(0).permutation(lines) * 8
    chain = np.zeros(8 * lines, dtype=np.int64)
    chain[order] = np.roll(order, -1)
    steps = 200_000

    def seconds() -> float:
        begin = time.perf_counter()
        library().jn_memory_chain(chain.ctypes.data, int(order[0]), steps)
        return (time.perf_counter() - begin) / steps

    return best(seconds, 5) * 1e6


def _query(road: Road, x: Any, y: Any) -> float:
    """Microseconds of a query."""
    from jounce.bench.run import best

    road.query(x[:10], y[:10])  # compiled

    def seconds() -> float:
        begin = time.perf_counter()
        road.query(x, y)
        return (time.perf_counter() - begin) / len(x)

    return best(seconds, 15) * 1e6


def _anywhere(road: Road) -> tuple[Any, Any]:
    """Places drawn at random on a road."""
    from jounce.road.survey import line_of

    rng = np.random.default_rng(0)
    line = line_of(road, most=1_000_000)
    if line.curvature is None:
        x0, y0, x1, y1 = road.extent or (0.0, 0.0, 1.0, 1.0)
        return rng.uniform(x0, x1, QUERIES), rng.uniform(y0, y1, QUERIES)
    s, side = rng.uniform(line.s[1], line.s[-2], QUERIES), rng.uniform(-2, 2, QUERIES)
    x, y, heading = (np.interp(s, line.s, values) for values in (line.x, line.y, line.heading))
    return x - side * np.sin(heading), y + side * np.cos(heading)


def long_line(km: int) -> Any:
    """A measured road that winds across the country, with height, bank and unevenness of both tracks every 0.1 m."""
    from jounce.road.curve import Samples
    from jounce.road.path import Path as Line

    rng = np.random.default_rng(1)
    n = 20 * km
    heading = np.cumsum(0.15 * rng.standard_normal(n))
    plan = np.cumsum(50 * np.column_stack([np.cos(heading), np.sin(heading)]), axis=0)
    points = np.column_stack([plan, 10 * np.sin(np.arange(n) / 20)])
    path = Line.from_points(points, closed=False, left=4.0, right=4.0, bank=0.02 * np.sin(np.arange(n) / 7))
    tracks = [Samples(0.0, 0.1, 0.005 * rng.standard_normal(int(path.length / 0.1) + 1)) for _ in range(2)]
    return path.road(unevenness=(tracks[0], tracks[1]))


def large_grid() -> Any:
    """A winding road with waves of some millimetres, in single precision."""
    from jounce.road.grid import GridRoad

    u, v = 0.05 * np.arange(CROSS_SECTIONS), np.linspace(-2.5, 2.5, LONG_SECTIONS)
    z = 0.01 * np.sin(u / 5)[:, None] + 0.003 * np.sin(u / 0.7)[:, None] * np.cos(v)
    headings = 0.01 * np.sin(u[:-1] / 100)  # winds by a metre to each side
    return GridRoad(z=z.astype(np.float32), du=0.05, v=v, headings=headings, name="large grid")


def large_mesh(n: int = TRIANGLES) -> Any:
    """Hills of triangles with edges of half a metre: a million are 1 km by 125 m."""
    from jounce.road.mesh import MeshRoad, grid_mesh

    size = (n / 1_000_000) ** 0.5
    nx = round(2000 * size) + 1
    ny = n // (2 * (nx - 1)) + 1
    x, y = np.linspace(0, 1000 * size, nx), np.linspace(-62.5 * size, 62.5 * size, ny)
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


def _drive(road: Road, contact: str = "point", step: float = 0.0005, seconds: float = SECONDS) -> float:
    """Wall time per simulated second of a car that runs straight ahead on a road."""
    from jounce.events import StepSteer
    from jounce.events.engine import run
    from jounce.vehicle.reading import load

    event = StepSteer(amplitude=0.0, start_time=0.1, end_time=seconds, contact=contact)
    timing = run(load(CAR), event, step=step, road=road).metadata["timing"]
    return float(timing["wall"] / timing["simulated"])
