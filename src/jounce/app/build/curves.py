"""Curves as the editor of the Build page shows them, in the units of the trade, and back without losing a bit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jounce.app.build.values import number_text
from jounce.core.curves import Curve, CurveUnits
from jounce.core.errors import ParameterError
from jounce.core.units import parse

if TYPE_CHECKING:
    from jounce.app.build.describe import Shown

REACH = {"m": 0.1, "rad": 0.1, "m/s": 1.0, "rad/s": 100.0, "N": 5000.0}  # of a table made of a constant, SI


def displayed(curve: Curve | None, units: CurveUnits, shown: Shown) -> dict[str, Any]:
    """What the editor shows."""
    x, y, z = (shown.unit(unit) if unit else "" for unit in (units.x, units.y, units.z))
    found: dict[str, Any] = {"form": "none", "xu": x, "yu": y, "zu": z, "x": [], "z": [], "y": [], "about": "none"}
    if curve is None:
        return {**found, "text": f"No curve stands here. {'One or two axes.' if units.z else 'One axis.'} Import one."}
    if curve.constant is not None:
        display = shown.unit(units.of_constant)
        text = f"{number_text(curve.constant, units.of_constant, display)} {display}"
        what = "the same everywhere" if units.constant == "value" else "proportional"
        at = (-REACH.get(units.x, 1.0), REACH.get(units.x, 1.0))
        y_at = [[_out(curve(v), units.y, y)] for v in at]
        line = {"x": [_out(v, units.x, x) for v in at], "y": y_at}
        return {**found, **line, "form": units.constant, "about": what, "text": f"{what}: {text}"}
    values = curve.values if curve.z else curve.values[:, None]
    return {
        **found,
        "form": "table",
        "about": f"{len(curve.x)} × {len(curve.z)} points" if curve.z else f"{len(curve.x)} points",
        "x": [_out(v, units.x, x) for v in curve.x],
        "z": [_out(v, units.z, z) for v in curve.z],
        "y": [[_out(float(v), units.y, y) for v in row] for row in values],
        "text": "",
    }


def _out(value: float, unit: str, display: str) -> float:
    return float(number_text(value, unit, display))


def taken(told: dict[str, Any], now: Curve | None, units: CurveUnits, shown: Shown) -> dict[str, Any]:
    """A curve as a file has it, of what the editor says; numbers that were not touched keep all their digits."""
    x, y, z = (shown.unit(unit) if unit else "" for unit in (units.x, units.y, units.z))
    whole = now is not None and now.is_table
    xs = _back(told["x"], list(now.x) if whole and now else [], units.x, x)
    zs = _back(told["z"], list(now.z) if whole and now else [], units.z, z) if told.get("z") else []
    before = now.values.reshape(len(now.x), -1).tolist() if whole and now else []
    flat = [v for row in before for v in row]
    rows = [_back(row, flat, units.y, y) for row in told["y"]]
    if any(len(row) != max(len(zs), 1) for row in rows) or len(rows) != len(xs):
        raise ParameterError("a row has too many numbers, or too few")
    if zs:
        return {"x": xs, "z": zs, "y": rows}
    return {"x": xs, "y": [row[0] for row in rows]}


def _back(values: list[Any], before: list[float], unit: str, display: str) -> list[float]:
    """SI numbers; one that is shown as it was before is the one from before."""
    known = {number_text(value, unit, display): value for value in before}
    result = []
    for value in values:
        text = f"{float(value):.10g}"
        result.append(known[text] if text in known else parse(f"{text} {display}" if display != "-" else text, unit))
    return result


def table_of(curve: Curve) -> dict[str, Any]:
    """A constant as a table that says the same."""
    reach = REACH.get(curve.units.x, 1.0)
    xs = [-reach, -reach / 2, 0.0, reach / 2, reach]
    return {"x": xs, "y": [curve(x) for x in xs]}
