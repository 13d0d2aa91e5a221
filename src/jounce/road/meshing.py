"""Any road as triangles, or as a grid: a lattice along its line, for triangles refined until they are as near as asked
for.

Rows lie across the line at stations s_i, columns along it at offsets n_j(s). Where the surface has an edge (borders of
strips and kerbs, points of cross-sections, borders of bumps, holes and patches) there is a row or a column. With a
tolerance ε, rows and columns are halved until on the edges of all triangles, at five places each,

    |z_road − z_triangle| ≤ 0.8 ε                                                                            (1)

which leaves a fifth for what lies between these places.

A lattice is as fine everywhere along a row or column as its finest place needs. Without a tolerance the distance of
rows and columns is a step; ``mesh_error`` measures what is lost. Where a line crosses over itself each storey has its
triangles: heights are asked for from ``ABOVE`` the line.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError
from jounce.road.block import Array, Frame
from jounce.road.curve import Curve, as_curve
from jounce.road.grid import GridRoad
from jounce.road.line import LineRoad
from jounce.road.mesh import MeshRoad, surface_mesh
from jounce.road.simple import Bump, Dish, Patch, Sum
from jounce.road.surface import Road, moved
from jounce.road.survey import inner

MOST_POINTS = 5_000_000
ABOVE = 0.5  # m, from where the height of a road along a line is looked for
FINEST = 1e-4  # m: rows and columns are not halved further
_AT = np.arange(1, 6) / 6  # of an edge, where (1) is asked for
_ASKED = 0.8
_INSIDE = 1 - 1e-9  # a hair: a point on the border, or on the seam of a closed road, is on the road
_SAME = 1e-6  # m


class Chart:
    """Rows and columns of a road, and where they lie in the world.

    Attributes
    ----------
    rows : stations at which there must be a row, the first and the last included
    columns : functions n(s) along which there must be a column, the borders included
    place : (s, n) → (x, y)
    near : (s, n) → about the height of the road there, where a line may cross over itself
    """

    def __init__(
        self,
        rows: list[Array],
        columns: list[Callable[[Array], Array]],
        place: Callable[[Array, Array], Any],
        near: Callable[[Array, Array], Array] | None = None,
    ) -> None:
        self.rows, self.columns, self.place, self.near = rows, columns, place, near

    def ask(self, s: Array, n: Array) -> Array | None:
        """From which height to ask for the road."""
        return None if self.near is None else self.near(s, n) + ABOVE

    def offsets(self, s: Array) -> Array:
        """Offsets of the columns, (rows, columns), from right to left; the first two are the borders."""
        right, left = self.columns[0](s), self.columns[1](s)
        others = [np.clip(c(s), right, left) for c in self.columns[2:]]
        return np.sort(np.column_stack([right, left, *others]), axis=1)


def mesh_of(road: Road, step: float = 0.5, width: float | None = None, tolerance: float | None = None) -> MeshRoad:
    """Any road as triangles: along its line where it has one (with its kerbs), else over its extent.

    Parameters
    ----------
    step : largest distance of rows and columns, m
    width : of the strip along a line, m; that of the road with its kerbs by default
    tolerance : largest distance in height between road and triangles (1), m; without it, what the step gives
    """
    if isinstance(road, MeshRoad):
        return road
    if not (math.isfinite(step) and step > 0) or (tolerance is not None and not tolerance > 0):
        raise ParameterError(f"mesh: step = {step:g} m, tolerance = {tolerance} m; both must be > 0")
    base, outer = inner(road)
    base = replace(base, frame=moved(base.frame, outer.x, outer.y, outer.z, outer.heading))
    chart = _chart(base, road, width)
    _add_features(road, base, chart)
    rows = _apart(np.concatenate(chart.rows))
    rows = _divided(rows, step)
    strips = np.max(np.diff(chart.offsets(rows), axis=1), axis=0)
    parts = [np.linspace(0, 1, max(1, math.ceil(w / step - 1e-9)) + 1) for w in strips]
    used = strips > _SAME
    while True:
        count = len(rows) * (1 + sum(len(p) - 1 for p, u in zip(parts, used, strict=True) if u))
        if count > MOST_POINTS:
            raise ParameterError(
                f"mesh: more than {MOST_POINTS} points with a step of {step:g} m"
                + (f" and a tolerance of {tolerance:g} m; give larger ones" if tolerance else "; give a larger one")
            )
        s, n = _lattice(chart, rows, parts, used)
        x, y = chart.place(s, n)
        sample = road.query(x, y, chart.ask(s, n))
        if tolerance is None:
            break
        most = _ASKED * tolerance
        along, across = _deviations(road, x, y, sample.height, sample.no_ground, most)
        before = len(rows) + sum(map(len, parts))
        rows = _halved(rows, along > most, FINEST)
        at = 0
        for k in np.flatnonzero(used):
            own = slice(at, at + len(parts[k]) - 1)
            at = own.stop
            parts[k] = _halved(parts[k], across[own] > most, FINEST / strips[k])
        if len(rows) + sum(map(len, parts)) == before:
            break
    hold = "none" not in (getattr(base, "side", ""), getattr(base, "border_v", ""))  # of a line, of a grid
    mesh = _mesh(road, x, y, sample.height, sample.no_ground)
    return replace(mesh, hold=hold, smoothing_time=road.smoothing_time, warns=road.warns)


def mesh_error(mesh: MeshRoad, road: Road, most: int = 1_000_000) -> float:
    """The largest distance in height between a mesh and its road, m, on edges and in the middle of its triangles.

    Of more than ``most`` triangles as many, evenly chosen, are looked at.
    """
    corners = mesh.points[mesh.triangles[:: max(1, math.ceil(len(mesh.triangles) / most))]]
    weights = np.array([[2, 1, 0], [1, 2, 0], [0, 2, 1], [0, 1, 2], [2, 0, 1], [1, 0, 2], [1, 1, 1]]) / 3.0
    at = np.einsum("kc,tcd->ktd", weights, corners)
    x, y = mesh.frame.to_world(at[..., 0], at[..., 1])
    z = mesh.frame.z + mesh.frame.height_scale * at[..., 2]
    sample = road.query(x, y, z + ABOVE)
    away = np.abs(z - sample.height)
    return float(np.max(away[~sample.no_ground], initial=0.0))


def grid_of(road: Road, step: float = 0.1, across: float | None = None) -> GridRoad:
    """The heights of any road on a grid along its line (else along x, over its extent), as OpenCRG holds them.

    Between its points the grid is bilinear; what is shorter than a step is lost, and friction is that of the points.

    Parameters
    ----------
    step, across : distances of points along and across, m; both alike by default
    """
    across = step if across is None else across
    if not (math.isfinite(step) and step > 0 and math.isfinite(across) and across > 0):
        raise ParameterError(f"grid: steps of {step:g} and {across:g} m; both must be > 0")
    base, outer = inner(road)
    base = replace(base, frame=moved(base.frame, outer.x, outer.y, outer.z, outer.heading))
    chart = _chart(base, road, None)
    ends = np.concatenate(chart.rows)
    first, last = float(ends.min()), float(ends.max())
    count = max(1, math.ceil((last - first) / step - 1e-9))
    s = np.linspace(first, last, count + 1)
    box = not isinstance(base, LineRoad | GridRoad)
    offsets = chart.offsets(s)
    middle = 0.5 * (offsets.min() + offsets.max()) if box else 0.0
    n0, n1 = float(offsets.min()) - middle, float(offsets.max()) - middle
    v = np.linspace(n0, n1, max(1, math.ceil((n1 - n0) / across - 1e-9)) + 1)
    if len(s) * len(v) > MOST_POINTS:
        raise ParameterError(f"grid: {len(s)} by {len(v)} points are more than {MOST_POINTS}; give larger steps")
    x, y = chart.place(s, np.full(len(s), middle))
    headings = np.unwrap(np.arctan2(np.diff(y), np.diff(x)))
    du = float(np.mean(np.hypot(np.diff(x), np.diff(y))))
    closed = isinstance(base, LineRoad) and base.path.closed
    empty = GridRoad(
        z=np.zeros((len(s), len(v))), du=du, v=v, x=float(x[0]), y=float(y[0]), headings=headings, closed=closed
    )
    # at the grid's own points, which are on the chords of the line and not quite on the line
    gx, gy = _grid_chart(empty).place(*np.meshgrid(du * np.arange(len(s)), v * _INSIDE, indexing="ij"))
    sample = road.query(gx, gy, chart.ask(*np.meshgrid(s, v + middle, indexing="ij")))
    z = np.where(sample.no_ground, np.nan, sample.height)
    mu = sample.friction
    same = float(np.ptp(mu)) == 0
    return replace(
        empty,
        z=z,
        friction=float(mu.flat[0]) if same else mu,
        name=road.name,
        smoothing_time=road.smoothing_time,
        warns=road.warns,
    )


# --- inside ---------------------------------------------------------------------------------------------------------


def _chart(base: Road, road: Road, width: float | None) -> Chart:
    if isinstance(base, LineRoad):
        return _line_chart(base, width)
    if isinstance(base, GridRoad):
        return _grid_chart(base)
    box = road.extent or base.extent
    if box is None or not all(map(math.isfinite, box)):
        raise ParameterError("a road without end cannot be made a mesh; give it a size")
    x0, y0, x1, y1 = box
    centre = np.array([0.5 * (x0 + x1), 0.5 * (y0 + y1)])

    def place(s: Array, n: Array) -> Any:
        return centre[0] + (s - centre[0]) * _INSIDE, centre[1] + (n - centre[1]) * _INSIDE

    return Chart([np.array([x0, x1])], [_constant(y0), _constant(y1)], place)


def _constant(value: float) -> Callable[[Array], Array]:
    return lambda s: np.full(len(s), value)


def _line_chart(base: LineRoad, width: float | None) -> Chart:
    path = base.path
    edges = base.edges
    rows = [np.array([0.0, path.length]), *(c.knots for c in edges)]
    columns: list[Callable[[Array], Array]] = []
    signs = (-1.0, 1.0)  # right, left
    if width is not None:
        columns += [_constant(sign * 0.5 * width) for sign in signs]
    else:
        columns += [_outer(sign, edge, kerb) for sign, edge, kerb in _sides(base)]
        for sign, edge, kerb in _sides(base):
            if kerb is not None:
                rows.append(kerb.s)
                columns += [lambda s, g=sign, e=edge: g * e(s)]  # type: ignore[misc]
                columns += [lambda s, g=sign, e=edge, k=kerb: g * (e(s) + k.at("width_1", s))]  # type: ignore[misc]
    if base.section is not None:
        stations, points = np.asarray(base.section.stations, dtype=float), np.asarray(base.section.points)
        rows.append(stations)
        columns += [lambda s, u=points[:, k, 0]: np.interp(s, stations, u) for k in range(points.shape[1])]  # type: ignore[misc]
    if any(u is not None for u in base.unevenness):
        columns += [_constant(n) for n in (-base.blend, base.blend)]
    columns.append(_constant(0.0))  # friction and unevenness change there
    for friction in (base.friction, base.friction_right):
        if friction is not None:
            rows.append(as_curve(friction, "friction").knots)

    def place(s: Array, n: Array) -> Any:
        s = path.length * (0.5 + (s / path.length - 0.5) * _INSIDE)
        p, heading = path.at(s), path.at(s, "heading")
        return base.frame.to_world(p[..., 0] - n * np.sin(heading), p[..., 1] + n * np.cos(heading))

    def near(s: Array, n: Array) -> Array:
        z, bank = (0.0 if c is None else c(s) for c in (base.heights, base.banks))
        return np.asarray(base.frame.z + base.frame.height_scale * (z + n * bank))

    inside = [np.asarray(r, dtype=float)[(np.asarray(r) >= 0) & (np.asarray(r) <= path.length)] for r in rows]
    return Chart(inside, columns, place, near)


def _sides(base: LineRoad) -> list[tuple[float, Curve, Any]]:
    left, right = base.edges
    return [(-1.0, right, base.kerb_right), (1.0, left, base.kerb_left)]


def _outer(sign: float, edge: Curve, kerb: Any) -> Callable[[Array], Array]:
    def at(s: Array) -> Array:
        out = edge(s) if kerb is None else edge(s) + kerb.at("width_1", s) + kerb.at("width_2", s)
        return np.asarray(sign * out * _INSIDE)

    return at


def _grid_chart(base: GridRoad) -> Chart:
    nodes, count = base.nodes, len(base.nodes)
    at: Array = base.u0 + base.du * np.arange(count, dtype=float)
    if base.headings is None:
        phi = np.full(count, base.heading)
    else:
        h: Array = np.unwrap(base.headings)
        phi = np.concatenate([h[:1], 0.5 * (h[1:] + h[:-1]), h[-1:]])

    def place(s: Array, n: Array) -> Any:
        x, y, angle = (np.interp(s, at, column) for column in (nodes[:, 0], nodes[:, 1], phi))
        return base.frame.to_world(x - n * np.sin(angle), y + n * np.cos(angle))

    v = np.asarray(base.v, dtype=float) * _INSIDE
    return Chart([at], [_constant(float(v[0])), _constant(float(v[-1])), *map(_constant, v[1:-1].tolist())], place)


def _add_features(road: Road, base: Road, chart: Chart) -> None:
    """Rows and columns at the borders of what lies on the road."""
    outer = Frame()
    rows: list[Array] = []
    columns: list[Array] = []
    first, last = (float(np.concatenate(chart.rows).min()), float(np.concatenate(chart.rows).max()))
    if isinstance(base, LineRoad):
        for own in base.features:
            s, n = own.frame.to_world(*_borders(own))
            rows.append(np.mod(s, base.path.length) if base.path.closed else s[(s > first) & (s < last)])
            columns.append(n)
    while not isinstance(road, LineRoad | GridRoad | MeshRoad):
        if not isinstance(road, Sum):
            below = getattr(road, "road", None)  # of an envelope
            if not isinstance(below, Road):
                break
            outer, road = moved(road.frame, outer.x, outer.y, outer.z, outer.heading), below
            continue
        outer = moved(road.frame, outer.x, outer.y, outer.z, outer.heading)
        for feature in road.features:
            u, v = _borders(feature)
            if not len(u):
                continue
            x, y = outer.to_world(*feature.frame.to_world(u, v))
            s, n = x, y
            if isinstance(base, LineRoad | GridRoad):
                found = base.query(x, y)
                s, n = found.station, found.offset
            rows.append(s[(s > first) & (s < last)])
            columns.append(n)
        road = road.base
    chart.rows += rows
    if columns:
        chart.columns += [_constant(float(n)) for n in _apart(np.concatenate(columns), 1e-3)]


def _borders(feature: Road) -> tuple[Array, Array]:
    """Points of a feature, in its own axes, through which rows and columns should go."""
    if isinstance(feature, Bump):
        u = feature.profile.knots
        v = feature.window.knots if feature.window is not None else np.zeros(1)
        return np.concatenate([u, np.zeros(len(v))]), np.concatenate([np.zeros(len(u)), v])
    if isinstance(feature, Dish):
        r = feature.profile.last * np.linspace(-1, 1, 9)
        return np.concatenate([r, 0 * r]), np.concatenate([0 * r, r])
    if isinstance(feature, Patch):
        if feature.polygon is not None:
            corners = np.asarray(feature.polygon, dtype=float)
            return corners[:, 0], corners[:, 1]
        a, b = (feature.radius,) * 2 if feature.radius is not None else (0.5 * feature.length, 0.5 * feature.width)
        points = np.array([p for p in ((-a, 0.0), (a, 0.0), (0.0, -b), (0.0, b)) if np.isfinite(p).all()])
        return (points[:, 0], points[:, 1]) if len(points) else (np.zeros(0), np.zeros(0))
    return np.zeros(0), np.zeros(0)


def _apart(places: Array, least: float = _SAME) -> Array:
    """Ascending places, those left out that are as good as the one before; both ends stay."""
    p = np.unique(places[np.isfinite(places)])
    kept = p[np.concatenate([[True], np.diff(p) > least])]
    return np.append(kept[:-1], p[-1]) if len(kept) > 1 else kept


def _divided(rows: Array, step: float) -> Array:
    """Rows no farther apart than a step."""
    gaps = np.diff(rows)
    parts = np.maximum(1, np.ceil(gaps / step - 1e-9)).astype(int)
    if parts.sum() > MOST_POINTS:
        raise ParameterError(f"mesh: a step of {step:g} m makes {parts.sum():.3g} rows; give a larger one")
    begin = np.repeat(rows[:-1], parts)
    index = np.arange(parts.sum()) - np.repeat(np.cumsum(parts) - parts, parts)
    return np.append(begin + index * np.repeat(gaps / parts, parts), rows[-1])


def _halved(places: Array, which: npt.NDArray[np.bool_], finest: float) -> Array:
    """With the middle of the chosen intervals, as long as they are not too short for it."""
    which = which & (np.diff(places) > 2 * finest)
    return np.sort(np.concatenate([places, 0.5 * (places[1:] + places[:-1])[which]]))


def _lattice(chart: Chart, rows: Array, parts: list[Array], used: npt.NDArray[np.bool_]) -> tuple[Array, Array]:
    """Stations and offsets (rows, columns); the end of a strip is the beginning of the next one."""
    at = chart.offsets(rows)
    n = [at[:, k : k + 1] + parts[k][:-1] * (at[:, k + 1 : k + 2] - at[:, k : k + 1]) for k in np.flatnonzero(used)]
    offsets = np.concatenate([*n, at[:, -1:]], axis=1)
    return np.broadcast_to(rows[:, None], offsets.shape), offsets


def _deviations(
    road: Road, x: Array, y: Array, z: Array, missing: npt.NDArray[np.bool_], tolerance: float
) -> tuple[Array, Array]:
    """(1) per interval of rows and of columns."""

    def edge(a: tuple[slice, slice], b: tuple[slice, slice]) -> Array:
        worst = np.zeros(x[a].shape)
        for f in _AT:
            px, py, pz = ((1 - f) * c[a] + f * c[b] for c in (x, y, z))
            sample = road.query(px, py, pz + ABOVE)
            away = np.abs(sample.height - pz)
            away[sample.no_ground | missing[a] | missing[b]] = 0.0
            worst = np.maximum(worst, away)
        return worst

    everything, low, high = slice(None), slice(None, -1), slice(1, None)
    along = edge((low, everything), (high, everything))
    across = edge((everything, low), (everything, high))
    diagonal = edge((low, low), (high, high))
    # a diagonal that is off while the other edges are not: the surface is twisted, and shorter rows help
    diagonal[np.maximum(across[:-1], across[1:]) > tolerance] = 0.0
    return np.maximum(along.max(axis=1), diagonal.max(axis=1)), across.max(axis=0)


def _mesh(road: Road, x: Array, y: Array, z: Array, missing: npt.NDArray[np.bool_]) -> MeshRoad:
    points, triangles = surface_mesh(x, y, z)
    a, b, c = (points[triangles[:, k], :2] for k in range(3))
    area = np.abs((b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0]))
    # where two columns meet nothing lies between them; where there is no ground there is no triangle
    keep = (area > _SAME**2) & ~missing.ravel()[triangles].any(axis=1)
    if not keep.any():
        raise ParameterError("mesh: the road has no ground")
    if not keep.all():
        rounded, triangles = np.round(points[:, :2], 7), triangles[keep]
        _, first, same = np.unique(rounded, axis=0, return_index=True, return_inverse=True)
        used, renamed = np.unique(first[same.reshape(-1)][triangles], return_inverse=True)
        points, triangles = points[used], renamed.reshape(-1, 3).astype(np.int32)
    centre = points[triangles].mean(axis=1)
    friction = road.query(centre[:, 0], centre[:, 1], centre[:, 2] + ABOVE).friction
    return MeshRoad(points=points, triangles=triangles, friction=friction, name=road.name)
