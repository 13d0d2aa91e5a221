"""Runs beside each other as one HTML page: key figures with differences, bands, curves, what was changed."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from jounce.core.writing import write_atomically
from jounce.results.compare import Comparison
from jounce.results.display import number, pretty, shown
from jounce.results.page import cell, code, escape, head, note, page, plots, table, verdict
from jounce.results.panels import Curve, Panel, panels
from jounce.results.plots import COLOURS
from jounce.results.run import Run

NUM, UNIT, SOFT = "num", "unit", "soft"
MOST_ROWS = 60  # of what is different: two cars differ in hundreds of numbers


def write(comparison: Comparison, path: str | os.PathLike[str], **options: Any) -> Path:
    """Write the page of a comparison; options as for `render`."""
    return write_atomically(path, render(comparison, **options))


def render(
    comparison: Comparison, *, title: str = "Comparison", profile: str = "engineering", channels: Sequence[str] = ()
) -> str:
    """Return the page of a comparison as text; options as for the report of one run."""
    runs, labels = comparison.runs, comparison.labels
    drawn = [_band_panel(comparison, name, profile) for name in comparison.bands]
    drawn += panels(runs, labels, profile, channels)
    status = "" if not comparison.inside else "inside the bands" if comparison.ok else "outside a band"
    parts = [
        head(title, " · ".join(labels), status, comparison.ok),
        _notes(runs, labels),
        _changes(comparison),
        _figures(comparison),
        _bands(comparison, profile),
        plots(drawn),
    ]
    return page(title, parts, drawn)


def _notes(runs: Sequence[Run], labels: Sequence[str]) -> str:
    lines = []
    for run, label in zip(runs, labels, strict=True):
        early = [] if run.complete else [f"ended early: {run.reason}"]
        lines += [f"{label}: {text}" for text in [*early, *run.warnings, *run.kpi_warnings]]
    return note(f"{len(lines)} remark{'s' if len(lines) > 1 else ''}", lines) if lines else ""


def _changes(comparison: Comparison) -> str:
    """What was changed between the runs."""
    found = comparison.differences
    rows = [[cell(code(item.key)), *(cell(escape(text)) for text in item.values)] for item in found[:MOST_ROWS]]
    if len(found) > MOST_ROWS:
        rows.append([cell(f"and {len(found) - MOST_ROWS} more"), *(cell("") for _ in comparison.labels)])
    return table("What is different", [("", ""), *((escape(label), "") for label in comparison.labels)], rows)


def _swatch(k: int) -> str:
    colour = COLOURS[k % len(COLOURS)]
    return f'<span class="key"><i style="background:{colour}"></i></span>'


def _figures(comparison: Comparison) -> str:
    """Key figures: of two runs with the difference, of more with the change beside each, so that they fit the page."""
    labels = [f"{_swatch(k)}{escape(label)}" for k, label in enumerate(comparison.labels)]
    two = len(labels) == 2
    columns = [("Figure", ""), ("Unit", ""), *((label, NUM) for label in labels)]
    columns += [("Difference", NUM), ("", NUM)] if two else []
    rows = []
    for row in comparison.rows:
        cells = [cell(escape(comparison.word(row.key))), cell(escape(pretty(row.unit)), UNIT)]
        cells.append(cell(number(row.values[0]), NUM))
        for figure, difference, share in zip(row.values[1:], row.differences, row.relative, strict=True):
            change = "" if math.isnan(share) else f"{100 * share:+.1f} %".replace("-", "−")
            sign = "+" if difference > 0 else ""
            if two:
                cells += [cell(number(figure), NUM), cell(sign + number(difference), f"{NUM} {SOFT}")]
                cells.append(cell(change, NUM))
            else:
                cells.append(cell(f'{number(figure)}<br><span class="{SOFT}">{change}</span>', NUM))
        rows.append([*cells, cell(code(row.key), SOFT)] if two else cells)
    last = [("Name", "")] if two else []
    return table("Key figures", [*columns, *last], rows) or note("The runs have no key figure in common.", [])


def _bands(comparison: Comparison, profile: str) -> str:
    rows = []
    reference = comparison.runs[0]
    for item in comparison.inside:
        scale = shown(reference.unit(item.channel), profile, float(np.max(np.abs(reference[item.channel]))))
        rows.append(
            [
                cell(code(item.channel)),
                cell(escape(item.label)),
                cell(f"{100 * item.share:.1f} %", NUM),
                cell(number(scale.factor * item.excess), NUM),
                cell(escape(scale.label), UNIT),
                cell(verdict(item.ok, "inside", "outside")),
            ]
        )
    columns = [("Channel", ""), ("Run", ""), ("Inside", NUM), ("Largest excess", NUM), ("Unit", ""), ("", "")]
    return table("Tolerance bands", columns, rows)


def _band_panel(comparison: Comparison, channel: str, profile: str) -> Panel:
    runs, labels = comparison.runs, comparison.labels
    along = comparison.bands[channel].x
    scale = shown(runs[0].unit(channel), profile, float(np.max(np.abs(runs[0][channel]))))
    across = shown("s", "si")
    if along != "time":
        across = shown(runs[0].unit(along), profile, float(np.max(np.abs(runs[0][along]))))
    item = next(found for found in comparison.inside if found.channel == channel)
    curves = [
        Curve(label, across.factor * run[along], scale.factor * run[channel] + scale.offset, COLOURS[k % len(COLOURS)])
        for k, (run, label) in enumerate(zip(runs, labels, strict=True))
    ]
    edges = [scale.factor * edge + scale.offset for edge in (item.lower, item.upper)]
    ordered = along == "time"
    return Panel(
        f"{channel}: tolerance band",
        "time / s" if ordered else f"{along} / {across.label}",
        scale.label,
        curves,
        "time" if ordered else f"band-{channel}",
        across.label,
        ordered,
        bands=[(across.factor * item.x, edges[0], edges[1], COLOURS[0])],
    )
