"""The key figures of runs beside each other, with the ranges that are plausible for the class of the vehicle."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from jounce.app.plots.layout import SIGNAL, resolve
from jounce.core.errors import JounceError, ParameterError
from jounce.results import words
from jounce.results.display import in_unit, number, pretty, shown
from jounce.results.identities import identities
from jounce.results.kinds import find
from jounce.results.origin import differences
from jounce.results.plausibility import Range, ranges_of
from jounce.results.run import Run

if TYPE_CHECKING:
    from jounce.app.runs import StoredRun

MOST_DIFFERENCES = 12


def without_rows(stored: StoredRun) -> Run:
    """What a run says about itself, without its rows: label, vehicle, event, what it was made of."""
    note = stored.note
    meta = {**note.get("metadata", {}), "label": stored.label}
    units = note.get("channels") or stored.units
    names = list(units)
    return Run(np.zeros(0), np.zeros((0, len(names))), list(units.values()), meta, names=names)


def page_of(runs: Sequence[StoredRun]) -> str:
    """All of it as HTML."""
    told = [(stored, _light(stored)) for stored in runs]
    parts = [
        '<div class="jn-kpis-head">',
        *(_head(k, stored, run) for k, (stored, run) in enumerate(told)),
        "</div>",
    ]
    parts.append(_table(told))
    if len(told) > 1:
        parts.append(_differences([run for _, run in told if run is not None]))
    parts.append(_identities(told))
    parts.append(_remarks(told))
    return "".join(parts)


def _light(stored: StoredRun) -> Run | None:
    if stored.info.status in ("queued", "running", "failed") or stored.running:
        return None
    try:
        return without_rows(stored)
    except JounceError:
        return None


def letter(k: int) -> str:
    """A letter in the colour of a run."""
    return f'<span class="jn-letter" style="background:var(--jn-c{k % 8})">{chr(65 + k % 26)}</span>'


def _head(k: int, stored: StoredRun, run: Run | None) -> str:
    info = stored.info
    words_of = [
        info.vehicle,
        words.event(info.event) if info.event else "measured" if info.source == "measured" else "",
    ]
    kind = {"complete": "good", "partial": "warn", "failed": "bad"}.get(info.status, "")
    badge = "" if info.status == "complete" else f'<span class="jn-badge jn-badge-{kind}">{escape(info.status)}</span>'
    why = f": {info.reason}" if info.reason and info.status != "complete" else ""
    verdict = _verdict(run)
    text = escape(", ".join(w for w in words_of if w) + why)
    return f"<div>{letter(k)}<b>{escape(info.label)}</b><span class='jn-muted'>{text}</span>{badge}{verdict}</div>"


def _verdict(run: Run | None) -> str:
    kept = run.metadata.get("verdict") if run is not None else None
    if not isinstance(kept, dict) or "passed" not in kept or kept["passed"] is None:
        return ""
    good = bool(kept["passed"])
    return f'<span class="jn-badge jn-badge-{"good" if good else "bad"}">{"passed" if good else "not passed"}</span>'


def _table(told: Sequence[tuple[StoredRun, Run | None]]) -> str:
    figures = [{name: (value, unit) for name, value, unit in stored.info.figures} for stored, _ in told]
    keys = list(dict.fromkeys(name for one in figures for name in one))
    if not keys:
        return '<div class="jn-muted">no key figures: this event has none, or these are measured data</div>'
    kinds = list(dict.fromkeys(stored.info.event for stored, _ in told if stored.info.event))
    first = [name for kind in kinds for name in find(kind).first]
    keys = [*(k for k in dict.fromkeys(first) if k in keys), *(k for k in keys if k not in first)]
    expected: dict[str, Range] = {}
    if told[0][1] is not None:
        try:
            expected = ranges_of(told[0][1])
        except JounceError:
            expected = {}
    many = len(told) > 1
    head = "".join(f"<th>{letter(k)}</th>" for k in range(len(told))) if many else "<th></th>"
    change = "<th>B − A</th>" if many else ""
    rows = [f"<tr><th>key figure</th>{head}{change}<th>plausible</th></tr>"]
    for key in keys:
        unit = next(one[key][1] for one in figures if key in one)
        values = [_value(one.get(key), unit) for one in figures]
        rows.append(_row(words.figure(key, *kinds), key, unit, values, expected.get(key)))
    return f'<table class="jn-kpis">{"".join(rows)}</table>'


def _value(item: tuple[float | None, str] | None, unit: str) -> float:
    if item is None or item[0] is None:
        return math.nan
    try:
        return in_unit(float(item[0]), item[1], unit)
    except ParameterError:
        return math.nan


def _row(name: str, key: str, unit: str, values: Sequence[float], span: Range | None) -> str:
    cells = []
    for value in values:
        inside = span.contains(value, unit) if span is not None else None
        mark = " jn-out" if inside is False else ""
        cells.append(f'<td class="jn-number{mark}" data-key="{escape(key)}">{number(value)}</td>')
    change = ""
    if len(values) > 1:
        share = (values[1] - values[0]) / abs(values[0]) if values[0] else math.nan
        text = "" if math.isnan(share) else "±0 %" if abs(share) < 5e-4 else f"{100 * share:+.1f} %".replace("-", "−")
        change = f'<td class="jn-number">{text}</td>'
    return (
        f'<tr><td title="{escape(key)}">{escape(name)} <span class="jn-muted">{escape(pretty(unit))}</span></td>'
        f"{''.join(cells)}{change}<td>{_bar(values, unit, span)}</td></tr>"
    )


def _bar(values: Sequence[float], unit: str, span: Range | None) -> str:
    if span is None:
        return ""
    low, high = in_unit(span.low, span.unit, unit), in_unit(span.high, span.unit, unit)
    width = max(high - low, 1e-12)
    begin, whole = low - 0.6 * width, 2.2 * width

    def place(x: float) -> float:
        return 100 * min(max((x - begin) / whole, 0.02), 0.98)

    marks = "".join(
        f'<b style="left:{place(v):.1f}%;background:var(--jn-c{k % 8})"></b>'
        for k, v in enumerate(values)
        if not math.isnan(v)
    )
    text = f"plausible from {number(low)} to {number(high)} {pretty(unit)}"
    inner = f"left:{place(low):.1f}%;width:{place(high) - place(low):.1f}%"
    return f'<span class="jn-span" title="{escape(text)}"><i style="{inner}"></i>{marks}</span>'


def _differences(runs: Sequence[Run]) -> str:
    if len(runs) < 2:
        return ""
    try:
        found = differences(runs)
    except JounceError as problem:
        return f'<div class="jn-muted">{escape(str(problem))}</div>'
    if not found:
        return '<div class="jn-kpis-title">What differs</div><div class="jn-muted">nothing that the runs tell</div>'
    lines = [
        f"<li>{escape(item.key)}: {' | '.join(escape(text) for text in item.values)}</li>"
        for item in found[:MOST_DIFFERENCES]
    ]
    if len(found) > MOST_DIFFERENCES:
        lines.append(f"<li>and {len(found) - MOST_DIFFERENCES} more; the report has them all</li>")
    return f'<div class="jn-kpis-title">What differs</div><ul class="jn-remarks">{"".join(lines)}</ul>'


def _identities(told: Sequence[tuple[StoredRun, Run | None]]) -> str:
    """What must agree by the laws of mechanics, as the reports have it."""
    rows = []
    for k, (stored, run) in enumerate(told):
        if run is None:
            continue
        for item in identities(_with_rows(stored, run)):
            size = max(abs(item.measured), abs(item.expected))
            scale = shown(item.unit, "engineering", size)
            left, right = (number(scale.factor * x + scale.offset) for x in (item.measured, item.expected))
            off = abs(item.measured - item.expected) / size if size else 0.0
            mark = "" if item.ok else " jn-out"
            rows.append(
                f'<tr><td title="{escape(item.note)}">{letter(k) if len(told) > 1 else ""} {escape(item.name)} '
                f'<span class="jn-muted">{escape(scale.label)}</span></td><td class="jn-number">{left}</td>'
                f'<td class="jn-number">{right}</td><td class="jn-number{mark}">{100 * off:.2f} %</td></tr>'
            )
    if not rows:
        return ""
    head = "<tr><th>what must agree</th><th>run</th><th>law</th><th>off by</th></tr>"
    return f'<table class="jn-kpis jn-identities">{head}{"".join(rows)}</table>'


def _with_rows(stored: StoredRun, light: Run) -> Run:
    """The run with the few channels that identities ask for."""
    asked = [f"{SIGNAL}{name}" for name in ("speed", "yaw_rate", "lateral_acceleration", "x", "y")]
    asked.append("Tire.Ground_Surface_Force_Z.*")
    names = list(dict.fromkeys(name for one in asked for name in resolve(stored.names, one, stored.signals)))
    columns = stored.columns(["time", *names])
    return Run(columns["time"], {n: columns[n] for n in names}, {n: stored.units[n] for n in names}, light.metadata)


def _remarks(told: Sequence[tuple[StoredRun, Run | None]]) -> str:
    lines = []
    for k, (stored, run) in enumerate(told):
        texts = list(run.metadata.get("warnings", [])) if run is not None else []
        texts += stored.figure_warnings
        lines += [f"<li>{letter(k) if len(told) > 1 else ''} {escape(str(text))}</li>" for text in dict.fromkeys(texts)]
    return f'<div class="jn-kpis-title">Remarks</div><ul class="jn-remarks">{"".join(lines)}</ul>' if lines else ""
