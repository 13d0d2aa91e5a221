"""Wheel-guiding maps from vertical sweeps.

Which data make which map (p is any of x, y, toe, camber, side view angle; J_i own, J_o paired travel):

    K1  parallel travel                    p(J_i)
    K2  three or more single travels each  p(J_i; J_o): a column for each travel of the held wheel
    K3  parallel, single and opposite      p(J_i; J_o) by a surface through all paths
    K4  parallel and several opposite      likewise
    K5  parallel and one opposite          p = p_P(J_i) + Δ(J_i - J_o),   Δ(δ) = p_O(a + δ/2) - p_P(a + δ/2)         (1)

with the mean travel a of the opposite sweep. (1) is exact on both paths, and is p(J_i) where Δ is zero. The surface of
K3 and K4 is (1) plus a thin-plate spline [Duchon1977] through what the paths differ from (1); beyond the convex hull of
the paths that difference is the one at the nearest point of the hull. Before that each path but the parallel one is
shifted to meet the parallel one where both have the same travels (2): rigs are set to zero anew for each test.

A map is the change from design: its value at J_i = J_o = 0 is taken off, and is the alignment of toe and camber.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from jounce.components.basics import SIDES, Side
from jounce.core.errors import ParameterError
from jounce.rigs.kc.cases import Settings, Sweep, moved_side, need
from jounce.rigs.kc.channels import ODD, PROPERTIES, Array
from jounce.rigs.kc.fitting import Fit, covered, fit_curve, grid, points_of

Mask = npt.NDArray[np.bool_]
Values = Callable[[Sweep, str, Side], Array]
OTHER: dict[Side, Side] = {"L": "R", "R": "L"}
SAMPLES = 25  # of a path
MANY = 5  # single travels; with more, each is a column


@dataclass(frozen=True)
class Grid:
    """Values over one or two axes; between them a cubic spline, beyond them the end."""

    x: Array
    y: Array
    z: Array | None = None

    def __call__(self, x: Array, z: Array | None = None) -> Array:
        from scipy.interpolate import CubicSpline, RectBivariateSpline

        at = np.clip(x, self.x[0], self.x[-1])
        if self.z is None:
            return np.asarray(CubicSpline(self.x, self.y)(at))
        k = [min(3, len(axis) - 1) for axis in (self.x, self.z)]
        other = np.clip(0.0 * at if z is None else z, self.z[0], self.z[-1])
        return np.asarray(RectBivariateSpline(self.x, self.z, self.y, kx=k[0], ky=k[1])(at, other, grid=False))

    def times(self, factor: float) -> Grid:
        return replace(self, y=factor * self.y + 0.0)


Maps = dict[Side, dict[str, Grid]]


@dataclass
class Kinematics:
    """Maps of both sides, with the value of each at design, where they are covered, and how they came about."""

    method: str
    maps: Maps
    design: dict[tuple[str, Side], float]
    fits: dict[str, Fit] = field(default_factory=dict)
    inside: Mask | None = None  # of a map of two axes: measured, not continued
    symmetry: str = "none"
    remarks: list[str] = field(default_factory=list)

    @property
    def dependent(self) -> bool:
        return any(found.z is not None for side in self.maps.values() for found in side.values())


def raw(sweep: Sweep, name: str, side: Side) -> Array:
    """A channel as it was measured."""
    return sweep[f"{name}.{side}"]


def available(sweeps: Sequence[Sweep]) -> dict[str, int]:
    """How many sweeps there are of each kind; single ones by the side that moves."""
    found = {"parallel": 0, "opposite": 0, "L": 0, "R": 0}
    for sweep in sweeps:
        if sweep.case.type == "single travel":
            found[moved_side(sweep, "travel")] += 1
        else:
            found[sweep.case.type.split()[0]] += 1
    return found


def choose(sweeps: Sequence[Sweep], settings: Settings, dependent: bool | None) -> str:
    """The way from data to maps; ``dependent`` None: the richest that the data allow, else as the axle is."""
    n = available(sweeps)
    sides = {"left to right": ["L"], "right to left": ["R"]}.get(leader(sweeps, settings), ["L", "R"])
    possible = {
        "K2": all(n[side] >= 3 for side in sides),
        "K3": n["parallel"] > 0 and n["opposite"] > 0 and n["L"] + n["R"] > 0,
        "K4": n["parallel"] > 0 and n["opposite"] > 1,
        "K5": n["parallel"] > 0 and n["opposite"] > 0,
        "K1": n["parallel"] > 0,
    }
    have = f"parallel {n['parallel']}, opposite {n['opposite']}, single left {n['L']} and right {n['R']}"
    if settings.kinematics != "auto":
        if not possible[settings.kinematics]:
            raise ParameterError(
                f"settings: kinematics = {settings.kinematics!r}: needs other sweeps than there are: {have}"
            )
        return settings.kinematics
    order = ("K1",) if dependent is False else ("K2", "K3", "K4", "K5") if dependent else tuple(possible)
    found = next((name for name in order if possible[name]), None)
    if found is None and dependent is False:
        found = next((name for name in possible if possible[name]), None)
    if found is None:
        wanted = (
            "this axle has maps over own and paired travel: they need parallel and opposite travel, or three single "
            "travels of each wheel; with parallel travel alone say settings: {kinematics: K1}"
            if dependent
            else "needed is a sweep of parallel travel, or three of single travel of each wheel"
        )
        raise ParameterError(f"no maps of the guidance can be made; {wanted}. There are: {have}")
    return found


def leader(sweeps: Sequence[Sweep], settings: Settings) -> str:
    """The symmetry that counts: that of the first parallel sweep, or of the first single one of the left wheel."""
    first = next((s for s in sweeps if s.case.type == "parallel travel"), None)
    if first is None:
        first = next((s for s in sweeps if moved_side(s, "travel") == "L"), sweeps[0] if sweeps else None)
    return (first.case.symmetry if first is not None else "") or settings.symmetry


def build(
    sweeps: Sequence[Sweep],
    settings: Settings,
    travel: tuple[float, float] | None,
    *,
    dependent: bool | None = None,
    values: Values = raw,
    names: Sequence[str] = PROPERTIES,
) -> Kinematics:
    """The maps of an axle.

    Parameters
    ----------
    travel : range that the maps must cover, m; None: what was measured
    dependent : whether the axle has maps of both travels; None: what the data allow
    values : channels without what loads add to them
    """
    method = choose(sweeps, settings, dependent)
    for sweep in sweeps:
        need(sweep, *(f"{name}.{side}" for name in ("travel", *names) for side in SIDES))
    parallel = [s for s in sweeps if s.case.type == "parallel travel"]
    low, high = travel or _common(parallel or list(sweeps), method)
    own = grid(low, high, settings.points)
    symmetry = leader(sweeps, settings)
    result = Kinematics(method, {side: {} for side in SIDES}, {}, symmetry=symmetry)
    for side in SIDES:
        for name in names:
            found = _one(method, sweeps, parallel, settings, own, name, side, values, result)
            at_design = float(found(np.zeros(1), np.zeros(1))[0])
            result.maps[side][name] = replace(found, y=found.y - at_design)
            result.design[name, side] = at_design
    symmetrise(result.maps, symmetry)
    mirror_design(result.design, symmetry)
    result.remarks = list(dict.fromkeys(result.remarks))
    return result


def _common(sweeps: list[Sweep], method: str) -> tuple[float, float]:
    if method == "K2":
        moved = [s[f"travel.{moved_side(s, 'travel')}"] for s in sweeps if s.case.type == "single travel"]
    else:
        moved = [s[f"travel.{side}"] for s in sweeps for side in SIDES]
    return max(float(np.nanmin(v)) for v in moved), min(float(np.nanmax(v)) for v in moved)


def _one(
    method: str, sweeps: Sequence[Sweep], parallel: list[Sweep], settings: Settings, own: Array, name: str, side: Side,
    values: Values, result: Kinematics,
) -> Grid:  # fmt: skip
    """One map of one side, with its value at design still in it."""
    low, high = float(own[0]), float(own[-1])

    def path(some: Sequence[Sweep], key: str = "") -> Fit:
        over = f"travel.{key or side}"
        series = [points_of(s, over, f"{name}.{side}", values(s, name, side), settings.smooth) for s in some]
        fit = fit_curve(series, settings)
        label = f"{name}.{side} over {over}"
        result.fits[f"{label}, {', '.join(s.case.label for s in some)}"] = fit
        result.remarks += [f"{some[0].case.file.name}: {label}: {text}" for text in fit.warnings]
        return fit

    if method == "K2":
        return _columns(sweeps, settings, own, side, path, result)
    p = path(parallel)
    result.remarks += covered(
        p, low, high, settings.extrapolate, parallel[0], f"travel.{side}", "the travel of the axle"
    )
    if method == "K1":
        return Grid(own, p(own))
    opposite = [s for s in sweeps if s.case.type == "opposite travel"]
    zero = min(opposite, key=lambda s: abs(mean_travel(s)))
    a = mean_travel(zero)
    delta = difference(path([zero]), p, a)
    paired = grid(low, high, settings.columns)
    if method == "K5":
        result.inside = _near_paths(own, paired, p, delta)
        return Grid(own, additive(p, delta, own, paired), paired)
    points, rest = _scattered(sweeps, side, path, p, delta)
    values_at, inside = surface(points, rest, own, paired, max(high - low, 1e-9))
    result.inside = inside
    return Grid(own, additive(p, delta, own, paired) + values_at, paired)


def mean_travel(sweep: Sweep) -> float:
    """a of (1)."""
    return float(np.nanmedian(0.5 * (sweep["travel.L"] + sweep["travel.R"])))


def difference(opposite: Fit, parallel: Fit, mean: float) -> Fit:
    """Δ of (1), shifted to be zero at δ = 0 (2)."""
    low, high = 2.0 * (opposite.low - mean), 2.0 * (opposite.high - mean)
    found = Fit(low, high, "difference", lambda d: opposite(mean + 0.5 * d) - parallel(mean + 0.5 * d))
    return found.minus(0.0)


def additive(parallel: Fit, delta: Fit, own: Array, paired: Array) -> Array:
    """(1) on a grid."""
    values = delta((own[:, None] - paired[None, :]).ravel()).reshape(len(own), len(paired))
    return np.asarray(parallel(own)[:, None] + values)


def _near_paths(own: Array, paired: Array, parallel: Fit, delta: Fit) -> Mask:
    """The hull of the two paths of K5."""
    d = 0.5 * np.array([delta.low, delta.high])
    points = np.array([[parallel.low] * 2, [parallel.high] * 2, [d[0], -d[0]], [d[1], -d[1]]])
    return hull_mask(points, own, paired)


def _scattered(
    sweeps: Sequence[Sweep], side: Side, path: Callable[..., Fit], parallel: Fit, delta: Fit
) -> tuple[Array, Array]:
    """Points of all paths and by how much they differ from (1)."""
    other = OTHER[side]
    points, rest = [], []
    along = np.linspace(parallel.low, parallel.high, SAMPLES)
    points.append(np.column_stack([along, along]))
    rest.append(np.zeros(SAMPLES))
    for sweep in sweeps:
        if sweep.case.type == "parallel travel":
            continue
        if sweep.case.type == "opposite travel":
            a, fit = mean_travel(sweep), path([sweep])
            at = np.linspace(fit.low, fit.high, SAMPLES)
            pairs = np.column_stack([at, 2.0 * a - at])
        elif moved_side(sweep, "travel") == side:
            a, fit = float(np.nanmedian(sweep[f"travel.{other}"])), path([sweep])
            at = np.linspace(fit.low, fit.high, SAMPLES)
            pairs = np.column_stack([at, np.full(SAMPLES, a)])
        else:  # this wheel is held, the other one moves
            a, fit = float(np.nanmedian(sweep[f"travel.{side}"])), path([sweep], other)
            at = np.linspace(fit.low, fit.high, SAMPLES)
            pairs = np.column_stack([np.full(SAMPLES, a), at])
        shift = float(fit(a)[0]) - float(parallel(a)[0])  # (2)
        expected = parallel(pairs[:, 0]) + delta(pairs[:, 0] - pairs[:, 1])
        points.append(pairs)
        rest.append(fit(at) - shift - expected)
    return np.concatenate(points), np.concatenate(rest)


def surface(points: Array, values: Array, own: Array, paired: Array, size: float) -> tuple[Array, Mask]:
    """A thin-plate spline through points on a grid; beyond their hull the value at its nearest point."""
    from scipy.interpolate import RBFInterpolator

    scaled = points / size
    kept = _distinct(scaled)
    inside = hull_mask(points, own, paired)
    found = RBFInterpolator(scaled[kept], values[kept], kernel="thin_plate_spline", smoothing=1e-9)
    targets = np.stack(np.meshgrid(own, paired, indexing="ij"), axis=-1).reshape(-1, 2)
    near = np.where(inside.reshape(-1, 1), targets, nearest_in_hull(points, targets))
    return np.asarray(found(near / size)).reshape(len(own), len(paired)), inside


def _distinct(points: Array) -> list[int]:
    """Rows without those that lie on one before."""
    _, first = np.unique(np.round(points, 6), axis=0, return_index=True)
    return sorted(int(i) for i in first)


def hull_mask(points: Array, own: Array, paired: Array) -> Mask:
    """Which points of a grid lie in the convex hull of some points."""
    a, b = np.meshgrid(own, paired, indexing="ij")
    edges = _hull(points)
    tolerance = 1e-9 * float(np.max(np.ptp(points, axis=0)))
    inside = np.ones(a.shape, dtype=bool)
    for (x, y), (u, v) in edges:  # counter-clockwise: inside is on the left
        inside &= (u - x) * (b - y) - (v - y) * (a - x) >= -tolerance * np.hypot(u - x, v - y)
    return inside


def _hull(points: Array) -> list[tuple[Array, Array]]:
    from scipy.spatial import ConvexHull

    ring = points[ConvexHull(points).vertices]
    return [(ring[i], ring[(i + 1) % len(ring)]) for i in range(len(ring))]


def nearest_in_hull(points: Array, targets: Array) -> Array:
    """The point of the edge of a hull next to each target."""
    best = np.full(len(targets), np.inf)
    found = np.array(targets)
    for p, q in _hull(points):
        along = q - p
        share = np.clip((targets - p) @ along / float(along @ along), 0.0, 1.0)
        near = p + share[:, None] * along
        away = np.sum((targets - near) ** 2, axis=1)
        closer = away < best
        best, found[closer] = np.where(closer, away, best), near[closer]
    return found


def _columns(
    sweeps: Sequence[Sweep], settings: Settings, own: Array, side: Side, path: Callable[..., Fit], result: Kinematics
) -> Grid:
    """K2: a column for each travel of the held wheel; few of them are interpolated."""
    from scipy.interpolate import make_interp_spline

    singles = [s for s in sweeps if s.case.type == "single travel" and moved_side(s, "travel") == side]
    if not singles:  # this side comes from the other one by symmetry
        return Grid(own, np.zeros(len(own)))
    held = [float(np.nanmedian(s[f"travel.{OTHER[side]}"])) for s in singles]
    order = np.argsort(held)
    at = np.array(held)[order]
    if np.any(np.diff(at) < 1e-3):
        raise ParameterError(
            f"{singles[0].case.where}: two single travels hold the other wheel at the same travel, "
            f"{', '.join(f'{1e3 * v:.1f}' for v in at)} mm"
        )
    fits = [path([singles[i]]) for i in order]
    for fit, i in zip(fits, order, strict=True):
        result.remarks += covered(
            fit,
            float(own[0]),
            float(own[-1]),
            settings.extrapolate,
            singles[i],
            f"travel.{side}",
            "the travel of the axle",
        )
    values = np.column_stack([fit(own) for fit in fits])
    if len(at) > MANY:
        return Grid(own, values, at)
    paired = grid(float(own[0]), float(own[-1]), settings.columns)
    spline = make_interp_spline(at, values, k=min(3, len(at) - 1), axis=1)
    slopes = spline(at[[0, -1]], 1)
    kept = np.clip(paired, at[0], at[-1])
    beyond = np.where(paired[None, :] < at[0], slopes[:, :1], slopes[:, 1:]) * (paired - kept)[None, :]
    inside = (paired >= at[0] - 1e-9) & (paired <= at[-1] + 1e-9)
    result.inside = np.broadcast_to(inside, (len(own), len(paired))).copy()
    if not np.all(inside):
        result.remarks.append(
            f"single travels hold the other wheel from {1e3 * at[0]:.0f} to {1e3 * at[-1]:.0f} mm; continued straight"
        )
    return Grid(own, np.asarray(spline(kept)) + beyond, paired)


# ---- symmetry -----------------------------------------------------------------------------------------------


def mirrored(name: str, value: float | Array | Grid) -> float | Array | Grid:
    """A quantity of a wheel as the other one has it in a mirror; travels, own and paired, change places with it."""
    if name not in ODD:
        return value
    return value.times(-1.0) if isinstance(value, Grid) else -value


def symmetrise(maps: Maps, symmetry: str) -> None:
    """Make both sides mirror images of each other, in place."""
    if symmetry == "none":
        return
    for name in maps["L"]:
        left, right = maps["L"][name], maps["R"][name]
        if symmetry == "left to right":
            other = mirrored(name, left)
            assert isinstance(other, Grid)
            maps["R"][name] = other
        elif symmetry == "right to left":
            other = mirrored(name, right)
            assert isinstance(other, Grid)
            maps["L"][name] = other
        else:
            sign = -1.0 if name in ODD else 1.0
            mean = replace(left, y=0.5 * (left.y + sign * right.y))
            maps["L"][name], maps["R"][name] = mean, mean.times(sign)


def mirror_design(design: Mapping[tuple[str, Side], float], symmetry: str) -> None:
    """The same with the values at design."""
    assert isinstance(design, dict)
    for name in {key[0] for key in design}:
        sign = -1.0 if name in ODD else 1.0
        left, right = design[name, "L"], design[name, "R"]
        if symmetry == "left to right":
            design[name, "R"] = sign * left
        elif symmetry == "right to left":
            design[name, "L"] = sign * right
        elif symmetry == "average":
            design[name, "L"] = 0.5 * (left + sign * right)
            design[name, "R"] = sign * design[name, "L"]
