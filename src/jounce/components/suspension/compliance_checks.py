"""What maps of compliance must be: sets that belong together, a stiffness that is one, tables that cover the travel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from jounce.components.places import AxlePlace
from jounce.components.suspension.compliance_maps import ComplianceMap, ComplianceSet, maps_of
from jounce.components.suspension.guidance import MAPS
from jounce.core.curves import Curve
from jounce.core.fields import problem

ROUNDING = 0.02  # of measured data: how far a matrix, scaled to ones on its diagonal, may be from positive
SMALL = {"N": 10.0, "N.m": 1.0}  # loads of the slopes at no load
MARGIN = 1e-9  # m


def check_sets(sets: Sequence[ComplianceSet]) -> None:
    """Raise unless sets rise in the travel of the other wheel and have the same maps."""
    if not sets:
        return
    if len(sets) == 1:
        raise problem("one set does not depend on the other wheel; give its maps without sets, or two sets", "sets")
    for i, (a, b) in enumerate(pairwise(sets), 1):
        if not b.other_travel > a.other_travel:
            text = f"{b.other_travel!r} m: must be above that of the set before ({a.other_travel!r} m)"
            raise problem(text, "sets", i, "other_travel")
    first = {keys for keys, _ in maps_of(sets[0])}
    if not first:
        raise problem(f"nothing gives way; give some of {', '.join(MAPS)} or cross", "sets", 0)
    for i, item in enumerate(sets):
        found = {keys for keys, _ in maps_of(item)}
        for keys in sorted(found ^ first):
            where, other = (i, 0) if keys in first else (0, i)
            raise problem(f"missing; set {other} has it, and all sets have the same maps", "sets", where, *keys)


def slope_of(found: ComplianceMap, travel: float = 0.0) -> float:
    """Over the load, at no load."""
    curve: Curve = found.curve
    if not found.active:
        return 0.0
    if curve.constant is not None:
        return found.scale * curve.constant
    h = SMALL[curve.units.x]
    ends = [curve(f, travel) if curve.z else curve(f) for f in (-h, h)]
    return found.scale * (ends[1] - ends[0]) / (2 * h)


def check_definite(compliance: Any, axle: AxlePlace, path: tuple[str | int, ...] = ()) -> None:
    """Raise where a wheel would give energy: displacement of the contact point against the loads there.

    With the loads (F_x, F_y, M_z) and what they move, the contact point forward and to the left and the carrier about
    z, the matrix of slopes at no load must be positive: no entry of its diagonal negative, and, over those that are not
    zero, its even part without a negative eigenvalue. Loads whose own displacement is not given are not judged.
    """
    for i, data in enumerate(compliance.groups_of_maps):
        for side in axle.sides:
            sign = 1.0 if side == "L" else -1.0
            radius = float(axle.data.wheels_on(side).wheel_centre_height)
            slopes = {keys: slope_of(found.on(side)) for keys, found in maps_of(data) if keys[0] != "cross"}
            for fx in ("fx_brake", "fx_drive"):
                matrix = np.zeros((3, 3))
                for column, load in enumerate((fx, "fy", "mz")):
                    read = {name: _of(slopes, name, load) for name in MAPS}
                    lean = -sign * read["camber"]
                    turn = radius * read["side_view_angle"] if fx == "fx_brake" else 0.0
                    matrix[:, column] = read["x"] + turn, read["y"] + radius * lean, -sign * read["toe"]
                _judge(matrix, fx, (*path, *(("sets", i) if compliance.sets else ())), side)


def _of(slopes: dict[tuple[str, ...], float], name: str, load: str) -> float:
    usual = slopes.get((name, "fx"), 0.0) if load.startswith("fx") else 0.0
    return slopes.get((name, load), usual)


def _judge(matrix: Any, fx: str, place: tuple[Any, ...], side: str) -> None:
    loads, moved = (fx, "fy", "mz"), ("x", "y", "toe")
    for k in range(3):
        if matrix[k, k] < 0:
            text = (
                f"{'left' if side == 'L' else 'right'} wheel: its contact moves against {loads[k]}, by "
                f"{matrix[k, k]:.3g} {'rad/(N.m)' if k == 2 else 'm/N'} (camber and side view angle counted at the "
                "road); no suspension gives way to the side that a load comes from. Is a sign wrong?"
            )
            raise problem(text, *place, moved[k])
    there = [k for k in range(3) if matrix[k, k] > 0]
    if len(there) < 2:
        return
    part = matrix[np.ix_(there, there)]
    size = np.sqrt(np.diag(part))
    even = (part + part.T) / 2 / np.outer(size, size)
    lowest = float(np.linalg.eigvalsh(even)[0])
    if lowest < -ROUNDING:
        rows = "; ".join(" ".join(f"{value:+.2f}" for value in row) for row in even)
        raise problem(
            f"indefinite compliance of the {'left' if side == 'L' else 'right'} wheel: over the loads "
            f"{', '.join(loads[k] for k in there)}, scaled to ones, [{rows}] has the eigenvalue {lowest:.2f}; some "
            "loads together would move their contact against themselves. Check signs and sizes of what stands "
            "beside the diagonal",
            *place,
            moved[there[0]],
        )


def check_covered(compliance: Any, suspension: Any) -> Iterator[tuple[str, str]]:
    """What ends before the travel of the maps that guide the wheels."""
    tables = [getattr(suspension, name).curve for name in MAPS if getattr(suspension, name).curve.is_table]
    if not tables:
        return
    low, high = min(table.x[0] for table in tables), max(table.x[-1] for table in tables)
    wanted = f"the maps that guide the wheel have {1e3 * low:.0f} to {1e3 * high:.0f} mm"
    for i, data in enumerate(compliance.groups_of_maps):
        for keys, left in maps_of(data):
            path = ".".join((f"sets[{i}]", *keys) if compliance.sets else keys)
            for side, found in (("", left), (".right", left.right)):
                z = () if found is None else found.curve.z
                if z and (z[0] > low + MARGIN or z[-1] < high - MARGIN):
                    text = f"does not cover the travel: it has {1e3 * z[0]:.0f} to {1e3 * z[-1]:.0f} mm, {wanted}"
                    yield f"compliance.{path}{side}", f"{text}; beyond, its end is held"
    if compliance.sets:
        ends = compliance.sets[0].other_travel, compliance.sets[-1].other_travel
        if ends[0] > low + MARGIN or ends[1] < high - MARGIN:
            text = f"the sets do not cover the travel: {1e3 * ends[0]:.0f} to {1e3 * ends[1]:.0f} mm, {wanted}"
            yield "compliance.sets", f"{text}; beyond, the last set is held"
