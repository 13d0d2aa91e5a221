"""What an import made, as a page: load cases, figures, remarks, residuals, a plot of every curve over its points."""

from __future__ import annotations

import base64
import io
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from jounce.components.basics import SIDES
from jounce.core.writing import write_atomically
from jounce.results.page import cell, code, escape, facts, head, note, page, table
from jounce.results.plausibility import ranges
from jounce.rigs.kc.channels import SHOWN, UNITS, WHOLE
from jounce.rigs.kc.fitting import Fit
from jounce.rigs.kc.importing import Imported

POINTS = 1500  # of a sweep that a plot shows
RAW, CURVE = ("#7fb3df", "#e9a66b"), "#123a5e"
NUM = "num"


def as_json(found: Imported) -> dict[str, Any]:
    """The same as plain data."""
    plausible = ranges(found.vehicle.category)
    rows = []
    for name, value, unit in found.figures:
        limits = plausible.get(name)
        low, high = (limits.low, limits.high) if limits is not None and limits.unit == unit else (None, None)
        rows.append({"name": name, "axle": found.word, "value": value, "unit": unit, "low": low, "high": high})
    return {
        "vehicle": found.vehicle.name,
        "axle": found.word,
        "method": found.kinematics.method if found.kinematics is not None else None,
        "cases": [
            {"file": s.case.file.name, "type": s.case.type, "use": s.case.tab, "side": s.case.side or "any"}
            for s in found.sweeps
        ],
        "figures": rows,
        "fits": {
            name: {"rms": f.rms, "r2": f.r2, "loop": f.loop, "noise": f.noise, "drift": f.drift, "error": f.error}
            for name, f in found.fits.items()
        },
        "residuals": [vars(item) for item in found.residuals],
        "remarks": found.remarks,
        "files": [str(path) for path in found.files],
    }


def write(found: Imported, path: str | os.PathLike[str]) -> Path:
    """Write the page."""
    return write_atomically(path, render(found))


def render(found: Imported) -> str:
    """The page as text; it needs nothing beside it."""
    title = f"{found.vehicle.name} · K&C import, {found.word} axle"
    how = f"guidance by {found.kinematics.method}, symmetry {found.kinematics.symmetry}" if found.kinematics else ""
    parts = [
        head(title, how, f"{len(found.files)} files written", True),
        note(f"{len(found.remarks)} remarks", found.remarks) if found.remarks else "",
        table("Key figures", [("figure", ""), ("value", NUM), ("unit", ""), ("usual", NUM)], _figures(found)),
        table(
            "Load cases", [("type", ""), ("used for", ""), ("axle", ""), ("side", ""), ("symmetry", ""), ("file", "")],
            [_case(found, sweep.case) for sweep in found.sweeps],
        ),
        table(
            "Residuals of the changed vehicle",
            [("file", ""), ("case", ""), ("channel", ""), ("rms", NUM), ("largest", NUM), ("range", NUM), ("unit", ""),
             ("rms / range", NUM)],
            [_residual(item) for item in found.residuals],
        ),
        table(
            "Curves",
            [("curve", ""), ("fit", ""), ("rms", NUM), ("R²", NUM), ("loop", NUM), ("noise", NUM), ("drift", NUM),
             ("error", NUM), ("unit", "")],
            [_fit(name, fit) for name, fit in found.fits.items()],
        ),
        _coverage(found),
        *_plots(found),
        facts("Files", [(path.name, str(path)) for path in found.files]),
    ]  # fmt: skip
    return page(title, parts, [])


def _figures(found: Imported) -> list[list[str]]:
    rows = []
    for row in as_json(found)["figures"]:
        usual = "" if row["low"] is None else f"{row['low']:g} … {row['high']:g}"
        rows.append(
            [cell(code(row["name"])), cell(f"{row['value']:.4g}", NUM), cell(escape(row["unit"])), cell(usual, NUM)]
        )
    return rows


def _case(found: Imported, case: Any) -> list[str]:
    symmetry = case.symmetry or found.settings.symmetry
    side = {"L": "left", "R": "right"}.get(case.side, "any")
    return [cell(escape(text)) for text in (case.type, case.tab, found.word, side, symmetry, str(case.file))]


def _residual(item: Any) -> list[str]:
    unit, factor = SHOWN[item.unit]
    share = f"{100 * item.rms / item.span:.2f} %" if item.span > 0 else ""
    numbers = [f"{factor * value:.3g}" for value in (item.rms, item.largest, item.span)]
    texts = [cell(escape(item.file)), cell(escape(item.case)), cell(code(item.channel))]
    return [*texts, *(cell(number, NUM) for number in numbers), cell(unit), cell(share, NUM)]


def _fit(name: str, fit: Fit) -> list[str]:
    unit, factor = _shown(fit, 1)
    numbers = [fit.rms, fit.loop, fit.noise, fit.drift, fit.error]
    rms, loop, noise, drift, error = (f"{factor * value:.3g}" for value in numbers)
    cells = [cell(text, NUM) for text in (rms, f"{fit.r2:.5f}", loop, noise, drift, error)]
    return [cell(code(name)), cell(escape(fit.method)), *cells, cell(unit)]


def _shown(fit: Fit, which: int) -> tuple[str, float]:
    """Unit and factor of the abscissa (0) or the ordinate (1) of a curve."""
    quantity = fit.points[0].key[which].split(".")[0] if fit.points else ""
    si = UNITS.get(quantity) or WHOLE.get(quantity)
    if si is None:  # the input of the steering: rack travel, or the hand wheel
        si = "m" if max(abs(fit.low), abs(fit.high)) < 0.5 else "rad"
    return SHOWN[si]


# ---- plots --------------------------------------------------------------------------------------------------


def _plots(found: Imported) -> Iterable[str]:
    groups: dict[str, list[tuple[str, Fit]]] = {}
    for name, fit in found.fits.items():
        if fit.points:
            label, _, case = name.partition(", ")
            groups.setdefault(case, []).append((label, fit))
    for case, fits in groups.items():
        picture = _png(_figure(fits))
        sources = ", ".join(dict.fromkeys(p.source for _, fit in fits for p in fit.points))
        text = "measured up (blue) and down (orange), the curve, continued (dashed), and the points less the curve"
        yield (
            f"<section><h2>{escape(case)}</h2><p>{escape(sources)}: {text}</p>"
            f'<img style="max-width:100%" alt="{escape(case)}" '
            f'src="data:image/png;base64,{picture}"></section>\n'
        )


def _figure(fits: list[tuple[str, Fit]]) -> Any:
    """Left and right side by side, a row per quantity."""
    from matplotlib.figure import Figure

    ordered = _paired(fits)
    rows = len(ordered)
    figure = Figure(figsize=(11.0, 3.0 * rows), layout="constrained")
    axes = figure.subplots(2 * rows, 2, squeeze=False, height_ratios=[2.6, 1.0] * rows)
    for k, pair in enumerate(ordered):
        for side, item in enumerate(pair):
            above, below = axes[2 * k][side], axes[2 * k + 1][side]
            if item is None:
                above.axis("off")
                below.axis("off")
            else:
                draw(above, below, *item)
    return figure


def _paired(fits: list[tuple[str, Fit]]) -> list[list[tuple[str, Fit] | None]]:
    rows: dict[str, list[tuple[str, Fit] | None]] = {}
    for label, fit in fits:
        key, _, over = label.partition(" over ")
        quantity, _, side = key.partition(".")
        place = 1 if side == "R" else 0
        row = rows.setdefault(f"{quantity} over {over.partition('.')[0]}", [None, None])
        if row[place] is not None:  # the same wheel by the load of the other one
            row = rows.setdefault(label, [None, None])
        row[place] = (label, fit)
    return list(rows.values())


def draw(above: Any, below: Any, label: str, fit: Fit) -> None:
    """One curve over its points, and the points from the curve."""
    (xu, xf), (yu, yf) = _shown(fit, 0), _shown(fit, 1)
    shift = 0.0
    for p in fit.points:
        step = max(len(p.x) // POINTS, 1)
        x, y, s = p.x[::step], p.y[::step], p.direction[::step]
        shift = float(np.mean(p.y - fit.inside(p.x)))  # curves of changes have no value at zero
        for sign, colour in zip((1, -1), RAW, strict=True):
            way = s == sign
            above.plot(xf * x[way], yf * (y[way] - shift), ".", ms=3.5, color=colour)
            below.plot(xf * x[way], yf * (y[way] - shift - fit.inside(x[way])), ".", ms=2.2, color=colour)
    at = np.linspace(fit.low, fit.high, 201)
    curve = yf * fit.inside(at)
    above.plot(xf * at, curve, color=CURVE, lw=1.2)
    span = 0.12 * (fit.high - fit.low)
    for a, b in ((fit.low - span, fit.low), (fit.high, fit.high + span)):
        beyond = np.linspace(a, b, 21)
        above.plot(xf * beyond, yf * fit(beyond), color=CURVE, lw=1.2, ls="--")
    _, _, over = label.partition(" over ")
    visible = abs(yf * shift) > 0.005 * max(float(np.ptp(curve)), 1e-12)
    above.set_title(label + (f"   (zero taken off: {yf * shift:.3g} {yu})" if visible else ""), fontsize=9)
    above.set_ylabel(yu, fontsize=8)
    below.set_ylabel(f"rest, {yu}", fontsize=7)
    below.set_xlabel(f"{over}, {xu}", fontsize=8)
    below.axhline(0.0, color=CURVE, lw=0.8)
    below.set_xlim(above.get_xlim())
    for axes in (above, below):
        axes.tick_params(labelsize=7)
        axes.grid(alpha=0.25)


def _coverage(found: Imported) -> str:
    kinematics = found.kinematics
    if kinematics is None or kinematics.inside is None:
        return ""
    from matplotlib.figure import Figure

    first = kinematics.maps["L"]["toe"]
    if first.z is None or kinematics.inside.shape != first.y.shape:
        return ""
    figure = Figure(figsize=(11.0, 3.6), layout="constrained")
    for place, side in zip(figure.subplots(1, 2), SIDES, strict=True):
        grid = kinematics.maps[side]["toe"]
        assert grid.z is not None
        drawn = place.contourf(1e3 * grid.x, 1e3 * grid.z, np.degrees(grid.y).T, 14, cmap="viridis")
        figure.colorbar(drawn, ax=place, label="toe, deg")
        a, b = np.meshgrid(1e3 * grid.x, 1e3 * grid.z, indexing="ij")
        place.plot(a[~kinematics.inside], b[~kinematics.inside], "x", color="white", ms=3)
        place.set_title(f"toe.{side}; crosses: continued, not measured", fontsize=9)
        place.set_xlabel("own travel, mm", fontsize=8)
        place.set_ylabel("paired travel, mm", fontsize=8)
    share = 100 * float(np.mean(kinematics.inside))
    return (
        f"<section><h2>Coverage</h2><p>{share:.0f} % of the map lies within the paths that were measured.</p>"
        f'<img style="max-width:100%" alt="coverage" src="data:image/png;base64,{_png(figure)}"></section>\n'
    )


def _png(figure: Any) -> str:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=95)
    return base64.b64encode(buffer.getvalue()).decode()
