"""Wavefront OBJ: meshes of roads, read and written.

Read are ``v x y z`` and ``f a b c …`` (polygons are cut into fans; indices may be negative or carry /texture/normal),
and ``usemtl``, by which triangles get friction: ``friction={"asphalt": 1.0, "ice": 0.1}``. Everything else is left out.
Axes: as they are, z up; ``up="y"`` turns files whose y is up (x stays, −z becomes y).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.core.errors import FormatError, ParameterError, did_you_mean
from jounce.core.writing import write_atomically
from jounce.files.drd import read_text
from jounce.files.problems import Report
from jounce.road.mesh import MeshRoad, check_mesh, surface_mesh
from jounce.road.surface import Road

LEFT_OUT = frozenset(("vt", "vn", "vp", "o", "g", "s", "mtllib", "l", "p"))


def read_obj(path: str | FilePath, **options: Any) -> MeshRoad:
    """Read a mesh; ``options`` as for `parse_obj`."""
    return parse_obj(read_text(path, 2_000_000_000), str(path), **options)


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
    points: list[tuple[float, float, float]] = []
    faces: list[tuple[int, int, int]] = []
    lines: list[int] = []
    names: list[str] = []
    material: list[int] = []
    current = 0
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split("#", 1)[0].split()
        if not words:
            continue
        if words[0] == "v":
            try:
                x, y, z = (float(w) for w in words[1:4])
                if not all(map(math.isfinite, (x, y, z))):
                    raise ValueError
                points.append((x, y, z))
            except ValueError:
                report.error(number, "v", f"found {line.strip()[:50]!r}; expected three finite numbers")
                points.append((0.0, 0.0, 0.0))
        elif words[0] == "f":
            corners = _corners(words[1:], len(points), number, report)
            for a, b in itertools.pairwise(corners[1:]):
                faces.append((corners[0], a, b))
                lines.append(number)
                material.append(current)
        elif words[0] == "usemtl":
            name = words[1] if len(words) > 1 else ""
            if name not in names:
                names.append(name)
            current = names.index(name) + 1
        elif words[0] not in LEFT_OUT:
            report.info(number, words[0][:20], "not used")
        if len(report.errors) > 100:
            break
    if not faces and not report.errors:
        report.error(0, "f", "found no faces; this is no mesh")
    report.raise_if_errors()
    xyz = scale * np.array(points)
    if up == "y":
        xyz = np.column_stack([xyz[:, 0], -xyz[:, 2], xyz[:, 1]])
    triangles = np.array(faces, dtype=np.int32)
    for finding in check_mesh(xyz, triangles):
        say = report.error if strict else report.warning
        say(lines[finding.places[0]] if finding.kind != "hole" else 0, "f", f"{finding.kind}: {finding.message}")
    report.raise_if_errors()
    mu: Any = friction
    if isinstance(friction, Mapping):
        unknown = [n for n in friction if n not in names]
        if unknown:
            raise ParameterError(f"OBJ: material {unknown[0]!r} is not in the file{did_you_mean(unknown[0], names)}")
        by_number = np.array([1.0, *(friction.get(n, 1.0) for n in names)])
        mu = by_number[np.array(material)]
    kinds = np.array(material, dtype=np.int32) if names else None
    return MeshRoad(points=xyz, triangles=triangles, friction=mu, material=kinds, name=FilePath(path).stem, **road)


def _corners(words: list[str], n: int, number: int, report: Report) -> list[int]:
    out = []
    for word in words:
        head = word.split("/", 1)[0]
        try:
            k = int(head)
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
