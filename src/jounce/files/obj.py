"""Wavefront OBJ: meshes of roads, read and written.

Read are ``v x y z`` and ``f a b c …`` (polygons are cut into fans; indices may be negative or carry /texture/normal),
and ``usemtl``, by which triangles get friction: ``friction={"asphalt": 1.0, "ice": 0.1}``. Everything else is left out.
Axes: as they are, z up; ``up="y"`` turns files whose y is up (x stays, −z becomes y).

Large files are kept as built (``mesh_cache``): the second reading takes a moment, and the road is the same to the bit.
"""

from __future__ import annotations

import itertools
import math
from array import array
from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.core.errors import FormatError, ParameterError, did_you_mean
from jounce.core.writing import write_atomically
from jounce.files import mesh_cache
from jounce.files.drd import read_text
from jounce.files.problems import Report
from jounce.road.mesh import MeshRoad, check_mesh, surface_mesh
from jounce.road.surface import Road

MOST_BYTES = 2_000_000_000
CHUNK = 100_000  # lines read at once where they are alike
LEFT_OUT = frozenset(("vt", "vn", "vp", "o", "g", "s", "mtllib", "l", "p"))


def read_obj(path: str | FilePath, *, cache: bool = True, **options: Any) -> MeshRoad:
    """Read a mesh; ``options`` as for `parse_obj`. ``cache``: large files are built once and kept."""

    def build() -> MeshRoad:
        return parse_obj(read_text(path, MOST_BYTES), str(path), **options)

    if cache and mesh_cache.worth_keeping(path):
        return mesh_cache.cached(path, {"format": "obj", **options}, build)
    return build()


def parse_obj(
    text: str,
    path: str = "",
    *,
    scale: float = 1.0,
    up: str = "z",
    friction: Mapping[str, float] | float = 1.0,
    strict: bool = False,
    **road: Any,
) -> MeshRoad:
    """A mesh from a text.

    Parameters
    ----------
    scale : metres per unit of the file
    up : axis of the file that points up, ``z`` or ``y``
    friction : one number, or by the name of the material
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
    triangles = np.array(faces, dtype=np.int32).reshape(-1, 3)
    for finding in check_mesh(xyz, triangles):
        say = report.error if strict else report.warning
        say(int(lines[finding.places[0]]) if finding.kind != "hole" else 0, "f", f"{finding.kind}: {finding.message}")
    report.raise_if_errors()
    mu: Any = friction
    if isinstance(friction, Mapping):
        unknown = [n for n in friction if n not in names]
        if unknown:
            raise ParameterError(f"OBJ: material {unknown[0]!r} is not in the file{did_you_mean(unknown[0], names)}")
        by_number = np.array([1.0, *(friction.get(n, 1.0) for n in names)])
        mu = by_number[material]
    kinds = material if names else None
    return MeshRoad(points=xyz, triangles=triangles, friction=mu, material=kinds, name=FilePath(path).stem, **road)


class _Read:
    """What has been read of a file; flat arrays of the standard library, which grow without copies of objects."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self._points, self._faces = array("d"), array("i")
        self._lines, self._material = array("q"), array("i")
        self.names: list[str] = []
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
            if name not in self.names:
                self.names.append(name)
            self._current = self.names.index(name) + 1
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


def mesh_of(road: Road, step: float = 0.5, width: float | None = None) -> MeshRoad:
    """Any road as triangles: along its line where it has one, else over its extent."""
    from jounce.road.grid import GridRoad
    from jounce.road.line import LineRoad

    if isinstance(road, MeshRoad):
        return road
    if isinstance(road, LineRoad):
        path = road.path
        s = np.linspace(0, path.length, max(2, math.ceil(path.length / step)) + 1)
        left, right = (c(s) for c in road.edges)
        if width is not None:
            left = right = np.full(len(s), 0.5 * width)
        p, heading = path.at(s), path.at(s, "heading")
        # a hair inside: a point on the seam of a closed road is on the road
        count = max(2, math.ceil(float(np.max(left + right)) / step)) + 1
        q = np.linspace(0, 1, count)
        n = -right[:, None] + q[None, :] * (left + right)[:, None]
        x, y = road.frame.to_world(p[:, :1] - n * np.sin(heading)[:, None], p[:, 1:2] + n * np.cos(heading)[:, None])
    elif isinstance(road, GridRoad):
        u = np.arange(len(road.z))
        phi = np.full(len(u), road.heading) if road.headings is None else road.headings
        if road.headings is not None:
            phi = np.concatenate([[phi[0]], 0.5 * (phi[1:] + phi[:-1]), [phi[-1]]])
        v = np.asarray(road.v)[None, :] * (1 - 1e-9)
        nodes = road.nodes
        x, y = road.frame.to_world(nodes[:, :1] - v * np.sin(phi)[:, None], nodes[:, 1:2] + v * np.cos(phi)[:, None])
    else:
        box = road.extent
        if box is None:
            raise ParameterError("a road without end cannot be made a mesh; give it a size")
        a = np.linspace(box[0], box[2], max(2, math.ceil((box[2] - box[0]) / step)) + 1)
        b = np.linspace(box[1], box[3], max(2, math.ceil((box[3] - box[1]) / step)) + 1)
        x, y = np.meshgrid(a, b, indexing="ij")
    sample = road.query(x, y)
    points, triangles = surface_mesh(x, y, sample.height)
    centre = points[triangles].mean(axis=1)
    mu = road.query(centre[:, 0], centre[:, 1]).friction
    return MeshRoad(points=points, triangles=triangles, friction=mu, name=road.name)


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


def write_obj(road: Road, path: str | FilePath, step: float = 0.5, width: float | None = None) -> None:
    """Write a road as a mesh."""
    write_atomically(path, obj_text(mesh_of(road, step, width)))


def friction_by_name(names: npt.NDArray[Any] | list[str]) -> dict[str, float]:
    """The friction that names such as ``mu_0.80`` say."""
    out = {}
    for name in names:
        if name.startswith("mu_"):
            try:
                out[name] = float(name[3:])
            except ValueError:
                raise FormatError(f"material {name!r}: no number behind mu_") from None
    return out
