"""Roads and paths from one format to another, by the endings of the files.

.obj          any road as triangles
.rdf          as it is where the format has it (planes, lines, grids, triangles), else as triangles
.crg          grids; a road along a line as a grid is not available yet
.drd .csv     paths, and the line of a road with its edges and heights
.kml .gpx     the same, with the place of the origin on the earth
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path as FilePath

import numpy as np

from jounce.core.errors import FormatError, ParameterError
from jounce.files.gps import write_path
from jounce.files.obj import write_obj
from jounce.files.rdf import write_rdf
from jounce.files.roads import PATHS, library_paths, library_roads, load_path, load_road
from jounce.road.grid import GridRoad
from jounce.road.line import LineRoad
from jounce.road.mesh import MeshRoad
from jounce.road.meshing import grid_of, mesh_error, mesh_of
from jounce.road.path import Path
from jounce.road.surface import Road
from jounce.road.survey import inner, line_of

ROADS_WRITTEN = (".obj", ".rdf", ".crg")
STEP = 0.5  # m
FINE = 1e-3  # m: triangles that are farther from the road deserve a word


@dataclass(frozen=True)
class Options:
    """How to write; lengths in m, angles in deg.

    Attributes
    ----------
    step : distance of rows of triangles, or of stations
    width : of the strip along a line
    tolerance : largest distance in height between a road and its triangles
    longitude, latitude : of the origin, for KML and GPX
    """

    step: float | None = None
    width: float | None = None
    tolerance: float | None = None
    longitude: float | None = None
    latitude: float | None = None

    def __post_init__(self) -> None:
        for name in ("step", "width", "tolerance"):
            value = getattr(self, name)
            if value is not None and not 0 < value < float("inf"):
                raise ParameterError(f"{name} = {value:g} m; must be > 0")


def is_path(name: str) -> bool:
    """Whether a name is that of a path: by its ending, or one of the library that is no road."""
    known = name in library_paths() and name not in library_roads()
    return known or FilePath(name).suffix.lower() in (*PATHS, ".drd2", ".txt")


def load_any(name: str) -> Road | Path:
    """A road or a path."""
    return load_path(name) if is_path(name) else load_road(name)


def convert(source: Road | Path, target: str | FilePath, options: Options | None = None) -> str:
    """Write a road or a path in the format of the target; returns what was written, in words."""
    o = options or Options()
    ending = FilePath(target).suffix.lower()
    if ending in PATHS:
        path = source if isinstance(source, Path) else line_as_path(source)
        if o.step is not None:
            path = path.resampled(o.step)
        if o.width is not None:
            half = np.full(len(path.s), 0.5 * o.width)
            path = replace(path, left=half, right=half)
        if ending in (".kml", ".gpx") and (o.longitude is None or o.latitude is None):
            raise ParameterError(f"{target}: give the longitude and latitude of the origin")
        write_path(path, target, o.longitude, o.latitude)
        return f"path, {path.length:.1f} m, {len(path.s)} stations"
    if ending not in ROADS_WRITTEN:
        allowed = ", ".join((*ROADS_WRITTEN, *PATHS))
        raise FormatError(f"{target}: cannot be written; the ending must be one of {allowed}")
    road = _along(source, o.width) if isinstance(source, Path) else source
    if ending == ".crg":
        return _write_crg(road, target, o.step)
    if ending == ".rdf" and o.step is None and o.tolerance is None and (o.width is None or isinstance(source, Path)):
        try:
            write_rdf(road, target)
            return f"{type(road).__name__} as it is"
        except ParameterError:
            pass  # not a kind that the format has: triangles
    mesh = mesh_of(road, o.step or STEP, o.width, o.tolerance)
    (write_obj if ending == ".obj" else write_rdf)(mesh, target)
    if isinstance(road, MeshRoad):
        return f"{len(mesh.triangles)} triangles"
    lost = mesh_error(mesh, road)
    finer = "; a tolerance makes them finer" if lost > FINE and o.tolerance is None else ""
    return f"{len(mesh.triangles)} triangles, at most {1000 * lost:.3g} mm from the road{finer}"


def _along(path: Path, width: float | None) -> Road:
    if width is None and path.width is None:
        raise ParameterError("the path says no width; give one")
    road: Road = path.road() if width is None else path.road(left=0.5 * width, right=0.5 * width)
    return road


def _write_crg(road: Road, target: str | FilePath, step: float | None) -> str:
    """Heights on a grid; those of other roads are taken along their line, and told how far off they are in between."""
    from jounce.files.crg import write_crg

    if isinstance(road, GridRoad) and step is None:
        write_crg(road, target)
        return f"grid of {road.z.shape[0]} × {road.z.shape[1]} heights"
    grid = grid_of(road) if step is None else grid_of(road, step)
    write_crg(grid, target)
    size = f"grid of {grid.z.shape[0]} × {grid.z.shape[1]} heights"
    return f"{size}, up to {1e3 * _apart(grid, road):.2g} mm off in between; without friction"


def _apart(grid: GridRoad, road: Road, count: int = 50_000) -> float:
    """The largest distance in height found at places drawn all over a road."""
    mesh = mesh_of(road)
    rng = np.random.default_rng(0)
    corners = mesh.points[mesh.triangles[rng.integers(len(mesh.triangles), size=count)]]
    x, y = np.einsum("tc,tcd->dt", rng.dirichlet([1.0, 1.0, 1.0], count), corners)[:2]
    x, y = mesh.frame.to_world(x, y)
    ours, theirs = grid.query(x, y), road.query(x, y)
    on = ~(ours.no_ground | theirs.no_ground)
    return float(np.max(np.abs(ours.height - theirs.height)[on], initial=0.0))


def line_as_path(road: Road) -> Path:
    """The line of a road with its edges, and its heights along it, in world axes."""
    base, _ = inner(road)
    if isinstance(base, LineRoad):
        path = base.path
        line = line_of(road, path.step, len(path.s) + 1)
        at = slice(0, len(path.s))
        if len(line.s) < len(path.s) or not np.allclose(line.s[at], path.s, atol=1e-6 * path.length):
            raise ParameterError(f"road {road.name!r}: its line cannot be taken apart")
        z = np.asarray(road.query(line.x, line.y).height)
        return replace(
            path,
            x=line.x[at],
            y=line.y[at],
            z=z[at],
            heading=line.heading[at],
            left=line.left[at],
            right=line.right[at],
            name=road.name or path.name,
            bank=path.bank if base.banks is None else base.banks(path.s),
        )
    if isinstance(base, GridRoad):
        line = line_of(road, base.du, len(base.nodes))
        points = np.column_stack([line.x, line.y, road.query(line.x, line.y).height])
        if base.closed:
            points, line = points[:-1], replace(line, left=line.left[:-1], right=line.right[:-1])
        return Path.from_points(points, closed=base.closed, left=line.left, right=line.right, name=road.name)
    raise ParameterError(f"road {road.name!r}: a {type(base).__name__} has no line that could be written as a path")
