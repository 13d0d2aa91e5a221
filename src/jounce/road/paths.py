"""Paths of a run: what drivers and sensors of a model ask about them, by services of the C runtime.

A run has any number of paths, as one flat block of numbers (``PathSet``). A model is compiled once for all of them: it
declares the services (``PathService``), a run binds the paths. Which path is meant is a number, from 0.

    (s, d, ψ, κ) = project(path, x, y, z, near)          station, offset to the left, heading, curvature         (1)
    (x, y, z, ψ, κ, dz/ds, tan β, v, dv/ds) = at(path, s)      place, slope, bank (left side up), speed (0: none)  (2)
    κ = curvature(path, s)                         that of (2) alone, for who asks at many stations                (3)

Stations of a closed path count on from lap to lap, and ψ with them; an open path goes straight on beyond its ends. Of
a path that meets or crosses itself the part is meant that leads on from the station ``near``: who asks keeps his last
station (a signal of his block) and begins with ``ANYWHERE``, which asks for the nearest place of the whole path. A
foot is looked for within ``REACH`` of ``near``.

First derivatives come with all. Nothing here asks Python during a run, a snapshot needs nothing of the paths, and an
export takes their numbers along. The C is ``jn_path.c``.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError
from jounce.road.block import Array
from jounce.road.ground import Declares
from jounce.road.native import library
from jounce.road.path import Path
from jounce.road.surface import Binds

MAGIC, VERSION = 1885433960.0, 1.0  # JN_PATH_MAGIC, JN_PATH_VERSION
ANYWHERE = 1e15  # m, for near: the nearest place of the whole path
REACH = 100.0  # m, JN_PATH_REACH
PROJECT, AT, CURVATURE = "path.project", "path.at", "path.curvature"  # names of the services
PROJECT_INPUTS, PROJECT_OUTPUTS = ("path", "x", "y", "z", "near"), ("station", "offset", "heading", "curvature")
AT_INPUTS = ("path", "station")
AT_OUTPUTS = ("x", "y", "z", "heading", "curvature", "slope", "bank", "speed", "speed_slope")
FUNCTIONS = {
    PROJECT: "jn_path_project_service", AT: "jn_path_at_service", CURVATURE: "jn_path_curvature_service",
}  # fmt: skip
WORDS = {
    PROJECT: (PROJECT_INPUTS, PROJECT_OUTPUTS), AT: (AT_INPUTS, AT_OUTPUTS), CURVATURE: (AT_INPUTS, ("curvature",)),
}  # fmt: skip
SIZES = {name: (len(given), len(out)) for name, (given, out) in WORDS.items()}
_HEAD, _PATH, _NODE = 8, 6, 10  # numbers of the header, of a path, of a node


class Foot(NamedTuple):
    """Where a point is on a path (1); symbols or arrays."""

    station: Any  # m
    offset: Any  # m, left positive
    heading: Any  # rad
    curvature: Any  # 1/m


class Place(NamedTuple):
    """A place on a path (2); symbols or arrays."""

    x: Any
    y: Any
    z: Any  # m
    heading: Any  # rad
    curvature: Any  # 1/m
    slope: Any  # dz/ds
    bank: Any  # tangent
    speed: Any  # m/s; 0: none
    speed_slope: Any  # 1/s, dv/ds


@dataclass
class PathService:
    """The paths of a run as a model asks for them."""

    _project: Any
    _at: Any
    _curvature: Any

    @classmethod
    def declare(cls, scope: Declares) -> PathService:
        """Declare the services; once for a model."""
        made = [
            scope.service(name, *SIZES[name], 1, f"({', '.join(out)}) of ({', '.join(given)}), world axes")
            for name, (given, out) in WORDS.items()
        ]
        return cls(*made)

    @classmethod
    def of(cls, system: Any) -> PathService:
        """That of a model, declared at first use."""
        known = {slot.name: slot for slot in system.services}
        return cls(*(known[name] for name in WORDS)) if PROJECT in known else cls.declare(system)

    def project(self, path: Any, x: Any, y: Any, z: Any, near: Any) -> Foot:
        """Of a point near a station (1)."""
        return Foot(*self._project(path, x, y, z, near))

    def at(self, path: Any, station: Any) -> Place:
        """At a station (2)."""
        return Place(*self._at(path, station))

    def curvature(self, path: Any, station: Any) -> Any:
        """At a station (3)."""
        return self._curvature(path, station)


class PathSet:
    """The paths of a run, placed where they lie in the world."""

    def __init__(self, paths: Sequence[Path]) -> None:
        if not paths:
            raise ParameterError("paths: a run that asks for paths needs at least one")
        self.paths = tuple(paths)

    def __len__(self) -> int:
        return len(self.paths)

    @cached_property
    def block(self) -> Array:
        """The paths as ``jn_path.c`` reads them."""
        heads, nodes = [], []
        place = _HEAD + _PATH * len(self.paths)
        for path in self.paths:
            rows = _nodes(path)
            heads.append([len(path.s), float(path.closed), path.length, path.step, _turn(path), place])
            nodes.append(rows.ravel())
            place += rows.size
        head = np.zeros(_HEAD)
        head[:4] = MAGIC, VERSION, place, len(self.paths)
        return np.concatenate([head, np.ravel(heads), *nodes])

    def bind(self, simulation: Binds) -> None:
        """Give a simulation these paths; to any number of them, also in parallel. One that asks for none is left."""
        for slot in simulation.model.services:
            if slot.name in FUNCTIONS:
                simulation.bind(slot.name, self._function(FUNCTIONS[slot.name]), self.block.ctypes.data)

    def _function(self, name: str) -> Any:
        address = ctypes.cast(getattr(library(), name), ctypes.c_void_p).value or 0
        function = ctypes.CFUNCTYPE(None, *(ctypes.c_void_p,) * 2, ctypes.c_int, ctypes.c_void_p)(address)
        # both live as long as the binding; an export writes them down
        function.symbol, function.data = name, self.block  # type: ignore[attr-defined]
        return function

    # -- the same questions from Python ----------------------------------------------------------------------------

    def project(
        self, path: int, x: npt.ArrayLike, y: npt.ArrayLike, z: npt.ArrayLike = np.nan, near: npt.ArrayLike = ANYWHERE
    ) -> Foot:
        """Of points (1), each by itself."""
        return Foot(*self._ask(PROJECT, path, x, y, z, near))

    def followed(self, path: int, x: npt.ArrayLike, y: npt.ArrayLike, z: npt.ArrayLike = np.nan) -> Foot:
        """Of points one after the other, each near the one before it, as a driver does."""
        xs, ys, zs = (np.ravel(a) for a in np.broadcast_arrays(*(np.asarray(v, dtype=float) for v in (x, y, z))))
        near, rows = ANYWHERE, np.empty((len(xs), len(PROJECT_OUTPUTS)))
        for k in range(len(xs)):
            rows[k] = np.ravel(self._ask(PROJECT, path, xs[k], ys[k], zs[k], near))
            near = rows[k, 0]
        return Foot(*rows.T)

    def at(self, path: int, station: npt.ArrayLike) -> Place:
        """At stations (2)."""
        return Place(*self._ask(AT, path, station))

    def curvature(self, path: int, station: npt.ArrayLike) -> Array:
        """At stations (3)."""
        return self._ask(CURVATURE, path, station)[0]

    def derivatives(self, name: str, *arguments: float) -> Array:
        """First derivatives of an answer, as a model gets them: one row for each value."""
        n_in, n_out = SIZES[name]
        out = np.empty(n_out * (1 + n_in))
        _call(FUNCTIONS[name])(self.block.ctypes.data, np.array(arguments, dtype=float).ctypes.data, 1, out.ctypes.data)
        return out[n_out:].reshape(n_out, n_in)

    def _ask(self, name: str, path: int, *arguments: npt.ArrayLike) -> list[Array]:
        if not 0 <= path < len(self.paths):
            raise ParameterError(f"path {path}: there are {len(self.paths)}, from 0")
        given = np.broadcast_arrays(*(np.asarray(a, dtype=float) for a in (path, *arguments)))
        shape = given[0].shape
        rows = np.ascontiguousarray(np.stack([g.ravel() for g in given], axis=-1))
        out, ask = np.empty((len(rows), SIZES[name][1])), _call(FUNCTIONS[name])
        for k, row in enumerate(rows):
            ask(self.block.ctypes.data, row.ctypes.data, 0, out[k].ctypes.data)
        return [column.reshape(shape) for column in out.T]


def _call(name: str) -> Any:
    function = getattr(library(), name)
    function.restype, function.argtypes = None, (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
    return function


def _turn(path: Path) -> float:
    """By what the heading grows in a lap: whole turns."""
    if not path.closed:
        return 0.0
    last = path.heading[-1] + path.step * 0.5 * (path.curvature[-1] + path.curvature[0])
    return float(2 * np.pi * round((last - path.heading[0]) / (2 * np.pi)))


def _nodes(path: Path) -> Array:
    zero = np.zeros(len(path.s))
    spline = path._height_spline
    slope = spline(path.s, 1) if hasattr(spline, "derivative") else zero + (path.z[-1] - path.z[0]) / path.length
    return np.column_stack(
        [
            path.x,
            path.y,
            np.cos(path.heading),
            np.sin(path.heading),
            path.curvature,
            path.heading,
            path.z,
            slope,
            zero if path.bank is None else path.bank,
            zero if path.speed is None else path.speed,
        ]
    )
