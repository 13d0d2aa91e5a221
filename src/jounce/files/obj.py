"""Wavefront OBJ: meshes of roads, read and written.

Read are ``v x y z`` and ``f a b c …`` (polygons are cut into fans; indices may be negative or carry /texture/normal),
and ``usemtl``, by which triangles get friction: a material named ``mu_0.8``, as it is written here, has 0.8, others
what ``friction={"asphalt": 1.0, "ice": 0.1}`` says, and 1 where nothing is said. Everything else is left out.
Axes: as they are, z up; ``up="y"`` turns files whose y is up (x stays, −z becomes y).

Large files are kept as built (``mesh_cache``): the second reading takes a moment, and the road is the same to the bit.
"""

from __future__ import annotations

import itertools
import math
from array import array
from collections.abc import Iterable, Mapping
from pathlib import Path as FilePath
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError, did_you_mean
from jounce.core.limits import FARTHEST, Limits
from jounce.core.writing import write_atomically
from jounce.files import mesh_cache
from jounce.files.drd import read_text
from jounce.files.problems import Report
from jounce.files.property_file import NUMBER, to_number
from jounce.road.mesh import MeshRoad, check_mesh
from jounce.road.meshing import mesh_error as mesh_error
from jounce.road.meshing import mesh_of as mesh_of
from jounce.road.surface import Road

LIMITS = Limits("a mesh", size=2_000_000_000)
CHUNK = 100_000  # lines read at once where they are alike
UPRIGHT = 0.1  # a surface whose area in plan is a smaller part of its own stands on edge: y is up
LEFT_OUT = frozenset(("vt", "vn", "vp", "o", "g", "s", "mtllib", "l", "p"))


def read_obj(path: str | FilePath, *, cache: bool = True, **options: Any) -> MeshRoad:
    """Read a mesh; ``options`` as for `parse_obj`. ``cache``: large files are built once and kept."""

    def build() -> MeshRoad:
        return parse_obj(read_text(path, LIMITS), str(path), **options)

    if cache and mesh_cache.worth_keeping(path):
        return mesh_cache.cached(path, {"format": "obj", **options}, build)
    return build()


def parse_obj(
    text: str,
    path: str = "",
    *,
    scale: float = 1.0,
    up: str = "z",
    friction: Mapping[str, float] | float | None = None,
    strict: bool = False,
    **road: Any,
) -> MeshRoad:
    """A mesh from a text.

    Parameters
    ----------
    scale : metres per unit of the file
    up : axis of the file that points up, ``z`` or ``y``
    friction : one number, or by the name of the material; names such as mu_0.8 say it themselves
    strict : holes and flipped triangles are errors, else they are let pass
    road : options of `MeshRoad`
    """
    report = Report(path or "(text)")
    if up not in ("z", "y"):
        raise ParameterError(f"OBJ: up = {up!r}; allowed: z, y")
    lines_of_text = text.splitlines()
    read = _Read(report)
    number = 0
    while number < len(lines_of_text):
        taken = read.alike(lines_of_text, number)
        if not taken:
            read.line(number + 1, lines_of_text[number])
            taken = 1
        number += taken
        if len(report.errors) > 100:
            break
    points, faces, lines, names, material = read.points, read.faces, read.lines, read.names, read.material
    if not len(faces) and not report.errors:
        report.error(0, "f", "found no faces; this is no mesh")
    report.raise_if_errors()
    xyz = scale * np.asarray(points)
    if up == "y":
        xyz = np.column_stack([xyz[:, 0], -xyz[:, 2], xyz[:, 1]])
    far = np.flatnonzero(~(np.abs(xyz).max(axis=1) <= FARTHEST))
    if len(far):
        report.error(0, "v", f"point {int(far[0]) + 1} is beyond {FARTHEST:g} m from the origin; check the units")
        report.raise_if_errors()
    triangles = np.array(faces, dtype=np.int32).reshape(-1, 3)
    _check_upright(xyz, triangles, up, report)
    for finding in check_mesh(xyz, triangles):
        say = report.error if strict else report.warning
        say(int(lines[finding.places[0]]) if finding.kind != "hole" else 0, "f", f"{finding.kind}: {finding.message}")
    report.raise_if_errors()
    mu: Any = friction
    if friction is None or isinstance(friction, Mapping):
        given = friction or {}
        unknown = [n for n in given if n not in names]
        if unknown:
            raise ParameterError(f"OBJ: material {unknown[0]!r} is not in the file{did_you_mean(unknown[0], names)}")
        known = {**friction_by_name(list(names)), **given}
        by_number = np.array([1.0, *(known.get(n, 1.0) for n in names)])
        mu = by_number[material] if known else 1.0
    kinds = material if names else None
    return MeshRoad(points=xyz, triangles=triangles, friction=mu, material=kinds, name=FilePath(path).stem, **road)


def corners(path: str | FilePath) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Lower and upper corner of the box around all points of a file, whatever it is a mesh of; axes as it has."""
    report = Report(str(path))
    read = _Read(report)
    for number, line in enumerate(read_text(path, LIMITS).splitlines(), 1):
        if line.startswith("v "):
            read.line(number, line)
    if not len(read.points):
        report.error(0, "v", "found no points; this is no mesh")
    report.raise_if_errors()
    if np.abs(read.points).max() > FARTHEST:
        report.error(0, "v", f"a point is beyond {FARTHEST:g} m from the origin; check the units")
        report.raise_if_errors()
    return read.points.min(axis=0), read.points.max(axis=0)


class _Read:
    """What has been read of a file; flat arrays of the standard library, which grow without copies of objects."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self._points, self._faces = array("d"), array("i")
        self._lines, self._material = array("q"), array("i")
        self.names: dict[str, int] = {}  # of materials, numbered from 1
        self._current = 0

    @property
    def points(self) -> npt.NDArray[np.float64]:
        return np.frombuffer(self._points, dtype=np.float64).reshape(-1, 3)

    @property
    def faces(self) -> npt.NDArray[np.int32]:
        return np.frombuffer(self._faces, dtype=np.int32).reshape(-1, 3)

    @property
    def lines(self) -> npt.NDArray[np.int64]:
        """Line of each face."""
        return np.frombuffer(self._lines, dtype=np.int64)

    @property
    def material(self) -> npt.NDArray[np.int32]:
        return np.frombuffer(self._material, dtype=np.int32)

    def line(self, number: int, line: str) -> None:
        """One line, whatever it is."""
        words = line.split("#", 1)[0].split()
        if not words:
            return
        report, n = self.report, len(self._points) // 3
        if words[0] == "v":
            try:
                x, y, z = (_number(w) for w in words[1:4])
            except ValueError:
                report.error(number, "v", f"found {line.strip()[:50]!r}; expected three finite numbers")
                x = y = z = 0.0
            self._points.extend((x, y, z))
        elif words[0] == "f":
            corners = _corners(words[1:], n, number, report)
            for a, b in itertools.pairwise(corners[1:]):
                self._faces.extend((corners[0], a, b))
                self._lines.append(number)
                self._material.append(self._current)
        elif words[0] == "usemtl":
            name = words[1] if len(words) > 1 else ""
            self._current = self.names.setdefault(name, len(self.names) + 1)
        elif words[0] not in LEFT_OUT:
            report.info(number, words[0][:20], "not used")

    def alike(self, lines: list[str], begin: int) -> int:
        """Many lines ``v x y z`` or ``f a b c`` at once; returns how many were taken, 0 when these are not alike."""
        kind = lines[begin][:2]
        if kind not in ("v ", "f "):
            return 0
        end, most = begin, min(begin + CHUNK, len(lines))
        while end < most and lines[end].startswith(kind):
            end += 1
        count = end - begin
        if count < 16:
            return 0
        text = "\n".join(lines[begin:end])
        words = text.split()
        # exactly four words per line, and nothing that needs a closer look
        if len(words) != 4 * count or words[::4].count(kind[0]) != count or "_" in text or "#" in text:
            return 0
        del words[::4]
        try:
            if kind == "v ":
                values = np.array([float(w) for w in words])
                if not np.isfinite(values).all():
                    return 0
                self._points.frombytes(values.tobytes())
                return count
            places = np.array([int(w) for w in words], dtype=np.int64)
        except (ValueError, OverflowError):
            return 0
        n = len(self._points) // 3
        if ((places == 0) | (places > n) | (places < -n)).any():
            return 0
        self._faces.frombytes(np.where(places > 0, places - 1, n + places).astype(np.int32).tobytes())
        self._lines.frombytes(np.arange(begin + 1, end + 1, dtype=np.int64).tobytes())
        self._material.frombytes(np.full(count, self._current, dtype=np.int32).tobytes())
        return count


def _number(word: str) -> float:
    """A finite number as files have it; Python itself would also take ``1_0``."""
    value = float(word)
    if "_" in word or not math.isfinite(value):
        raise ValueError(word)
    return value


def _corners(words: list[str], n: int, number: int, report: Report) -> list[int]:
    out = []
    for word in words:
        head = word.split("/", 1)[0]
        try:
            k = int(head) if "_" not in head else 0
        except ValueError:
            k = 0
        place = k - 1 if k > 0 else n + k
        if k == 0 or not 0 <= place < n:
            report.error(number, "f", f"found {word[:20]!r}; expected a number from 1 to {n}")
            return [0, 0]
        out.append(place)
    if len(out) < 3:
        report.error(number, "f", f"found {len(out)} corners; a face needs three")
        return [0, 0]
    return out


def _check_upright(xyz: npt.NDArray[np.float64], triangles: npt.NDArray[Any], up: str, report: Report) -> None:
    """A surface that stands on edge has its axes otherwise."""
    a, b, c = (xyz[triangles[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    whole, plan = float(np.linalg.norm(normal, axis=1).sum()), float(np.abs(normal[:, 2]).sum())
    if whole > 0 and plan < UPRIGHT * whole:
        other = "y" if up == "z" else "z"
        text = f"the area in plan is {100 * plan / whole:.3g} % of the surface: it stands on edge"
        report.error(0, "f", f'{text}; if {other} is up in this file, read it with read_obj(path, up="{other}")')
        report.raise_if_errors()


def obj_text(road: MeshRoad) -> str:
    """A mesh as text; friction becomes materials named ``mu_0.80``."""
    mu = np.broadcast_to(np.asarray(road.friction, dtype=float), (len(road.triangles),))
    x, y = road.frame.to_world(road.points[:, 0], road.points[:, 1])
    z = road.frame.z + road.frame.height_scale * road.points[:, 2]
    out = ["# road surface: metres, z up"]
    out += [f"v {float(a)!r} {float(b)!r} {float(c)!r}" for a, b, c in zip(x, y, z, strict=True)]
    last = None
    for triangle, value in zip(road.triangles.tolist(), mu.tolist(), strict=True):
        if value != last:
            out.append(f"usemtl mu_{value:.6g}")
            last = value
        out.append(f"f {triangle[0] + 1} {triangle[1] + 1} {triangle[2] + 1}")
    return "\n".join(out) + "\n"


def write_obj(
    road: Road,
    path: str | FilePath,
    step: float = 0.5,
    width: float | None = None,
    tolerance: float | None = None,
) -> float:
    """Write a road as a mesh; returns the largest distance in height that was found between both, m.

    With a step of 0.5 m unevenness shorter than that is lost: 11 mm on an ISO 8608 road of class C. With a
    ``tolerance`` the mesh is as fine as that needs; arguments as for `mesh_of`.
    """
    mesh = mesh_of(road, step, width, tolerance)
    write_atomically(path, obj_text(mesh))
    return mesh_error(mesh, road)


def friction_by_name(names: Iterable[str]) -> dict[str, float]:
    """The friction that names such as ``mu_0.80`` say; other names, and what cannot be a friction, are left out."""
    found = {n: to_number(n[3:]) for n in names if n.startswith("mu_") and NUMBER.fullmatch(n[3:])}
    return {name: value for name, value in found.items() if 0 <= value < math.inf}
