"""A run as one HTML page that needs no network and nothing beside it.

What it says comes from the run alone; the same run gives the same bytes.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from jounce.core.writing import write_atomically
from jounce.results import words
from jounce.results.display import in_unit, number, pretty, shown, value
from jounce.results.identities import identities
from jounce.results.kinds import find
from jounce.results.page import asset, cell, code, escape, facts, head, note, page, plots, script_of, table, verdict
from jounce.results.panels import CREEP, panels
from jounce.results.plausibility import Range, ranges, ranges_of
from jounce.results.run import Run
from jounce.results.template import fill

TILES = 6
ROUNDING = 1e-10  # of a signal's peak, and of its SI unit: shown as zero
EXTREMES = (
    *("speed", "steering", "hand_torque", "longitudinal_acceleration", "lateral_acceleration"),
    *("yaw_rate", "side_slip", "roll", "pitch"),
)
UNSAID = ("end_time", "start_time", "x", "y", "heading")  # parameters that do not belong into a heading
NUM, UNIT, SOFT = "num", "unit", "soft"


def write(run: Run, path: str | os.PathLike[str], **options: Any) -> Path:
    """Write the page of a run; options as for `render`."""
    return write_atomically(path, render(run, **options))


def render(
    run: Run,
    *,
    title: str = "",
    profile: str = "engineering",
    plausible: Mapping[str, Range] | str | None = None,
    channels: Sequence[str] = (),
    template: str | os.PathLike[str] | None = None,
) -> str:
    """Return the page of a run as text.

    Parameters
    ----------
    title : heading; default vehicle and event
    profile : "engineering" (deg, mm, g, km/h) or "si"
    plausible : ranges by key figure, or a class of vehicle; default the class that the run's metadata name
    channels : names or patterns to plot in place of the usual ones
    template : an HTML file with places for the pieces of the page, ``jounce.results.template``
    """
    expected = _ranges(run, plausible)
    drawn = panels([run], [run.label], profile, channels) if len(run) > 1 else []
    heading = title or " · ".join(t for t in (run.vehicle, _event_name(run)) if t) or run.label
    parts = {
        "head": head(heading, _subtitle(run, profile), run.status, run.complete),
        "notes": _notes(run),
        "tiles": _tiles(run, expected),
        "verdict": _verdict(run),
        "figures": _figures(run, expected),
        "vehicle": _vehicle(run, profile),
        "event": _event(run, profile),
        "identities": _identities(run, profile),
        "drawings": "".join(draw(run) for draw in find(run.event).drawings),
        "plots": plots(drawn),
        "extremes": _extremes(run, profile),
        "origin": _provenance(run),
    }
    beside = {"vehicle": f'<div class="columns">{parts["vehicle"]}{parts["event"]}</div>\n', "event": ""}
    whole = [beside.get(name, text) for name, text in parts.items()]
    if template is not None:
        script = {"style": f"<style>\n{asset('report.css')}</style>", "script": script_of(drawn)}
        return fill(template, {**parts, **script, "title": escape(heading), "content": "".join(whole)})
    return page(heading, whole, drawn)


def notebook(run: Run) -> str:
    """Return a short table for notebooks."""
    rows = "".join(
        f"<tr>{cell(escape(words.figure(key, run.event)))}{cell(number(figure), NUM)}{cell(escape(pretty(unit)))}</tr>"
        for key, (figure, unit) in run.kpis.items()
    )
    return f"<b>{escape(run.label)}</b><br>{escape(repr(run))}<table>{rows}</table>"


# --- parts -----------------------------------------------------------------------------------------------------------


def _event_name(run: Run) -> str:
    found = run.metadata.get("event")
    own = found.get("name") if isinstance(found, dict) else None
    return str(own) if own else words.event(run.event)


def _subtitle(run: Run, profile: str) -> str:
    """The parameters that say most: numbers with a unit that are not zero."""
    found = run.metadata.get("event")
    given = found.get("parameters", {}) if isinstance(found, dict) else {}
    said = []
    for name, item in given.items():
        if name not in UNSAID and isinstance(item, list) and len(item) == 2 and item[1] not in ("", "-") and item[0]:
            said.append(f"{name.replace('_', ' ')} {value(item, profile)}")
    return ", ".join(said[:5])


def _notes(run: Run) -> str:
    text = ""
    if not run.complete:
        last = f" at {number(float(run.time[-1]))} s" if len(run) else ""
        text += note(f"The run ended early{last}.", [run.reason] if run.reason else [], bad=True)
    remarks = [*run.warnings, *run.kpi_warnings]
    if remarks:
        text += note(f"{len(remarks)} remark{'s' if len(remarks) > 1 else ''}", remarks)
    return text


def _tiles(run: Run, expected: Mapping[str, Range]) -> str:
    known = {key: item for key, item in run.kpis.items() if not math.isnan(item[0])}
    tiles = []
    first = find(run.event).first or tuple(known)
    for key in [key for key in first if key in known][:TILES]:
        figure, unit = known[key]
        inside = expected[key].contains(figure, unit) if key in expected else None
        name = escape(words.figure(key, run.event))
        tiles.append(
            f'<div class="tile{" outside" if inside is False else ""}"><span>{name}</span>'
            f"<b>{number(figure, 3)}</b><small>{escape(pretty(unit))}</small>"
            f"{_bar(figure, unit, expected.get(key), 140)}</div>"
        )
    return f'<div class="tiles">{"".join(tiles)}</div>\n' if tiles else ""


def _verdict(run: Run) -> str:
    """The criteria of the standard and what follows from them; nothing where there is no standard."""
    found = run.verdict
    if not found.criteria and not found.word:
        return ""
    rows = []
    for item in found.criteria:
        told = [cell("", NUM), cell("", NUM), cell("")]
        if not math.isnan(item.value):
            limit = "" if math.isnan(item.limit) else number(item.limit)
            told = [cell(number(item.value), NUM), cell(limit, NUM), cell(escape(pretty(item.unit)), UNIT)]
        met = verdict(item.met, "met", "not met") or "cannot be told"
        rows.append([cell(escape(item.text)), *told, cell(met)])
    word = verdict(found.word == "pass", "pass", "fail") if found.word else "none"
    rows.append([cell(f"<b>{escape(found.reason)}</b>"), *[cell("")] * 3, cell(f"<b>{word}</b>")])
    return table("Verdict", [("Criterion", ""), ("Found", NUM), ("Limit", NUM), ("Unit", ""), ("", "")], rows)


def _figures(run: Run, expected: Mapping[str, Range]) -> str:
    ranged = any(key in expected for key in run.kpis)
    columns = [("Figure", ""), ("Value", NUM), ("Unit", "")]
    columns += [("Plausible", NUM), ("", ""), ("", "")] if ranged else []
    rows = []
    for key, (figure, unit) in run.kpis.items():
        row = [cell(escape(words.figure(key, run.event))), cell(number(figure), NUM), cell(escape(pretty(unit)), UNIT)]
        if ranged and key in expected:
            low, high = _limits(expected[key], unit)
            row.append(cell(f"{number(low, 4, short=True)} … {number(high, 4, short=True)}", f"{NUM} {SOFT}"))
            row.append(cell(_bar(figure, unit, expected[key], 120)))
            row.append(cell(verdict(expected[key].contains(figure, unit), "inside", "outside")))
        elif ranged:
            row += [cell("")] * 3
        rows.append([*row, cell(code(key), SOFT)])
    return table("Key figures", [*columns, ("Name", "")], rows)


def _limits(expected: Range, unit: str) -> tuple[float, float]:
    return in_unit(expected.low, expected.unit, unit), in_unit(expected.high, expected.unit, unit)


def _bar(figure: float, unit: str, expected: Range | None, width: int) -> str:
    """A small drawing: the range, and where the value lies."""
    if expected is None or math.isnan(figure):
        return ""
    low, high = _limits(expected, unit)
    span = max(high - low, 1e-12)
    begin, end = low - 0.6 * span, high + 0.6 * span

    def place(x: float) -> float:
        return width * min(max((x - begin) / (end - begin), 0.02), 0.98)

    a, b, c = place(low), place(high), place(figure)
    colour = "#1f7a3f" if low <= figure <= high else "#b3261e"
    return (
        f'<svg class="range" width="{width}" height="14" viewBox="0 0 {width} 14" role="img" '
        f'aria-label="plausible from {number(low)} to {number(high)}">'
        f'<rect x="0" y="6" width="{width}" height="2" fill="#e1e5ea"/>'
        f'<rect x="{a:.1f}" y="4.5" width="{b - a:.1f}" height="5" rx="1" fill="#b9d8c5"/>'
        f'<circle cx="{c:.1f}" cy="7" r="4" fill="{colour}" stroke="#fff" stroke-width="1.2"/></svg>'
    )


def _vehicle(run: Run, profile: str) -> str:
    found = run.metadata.get("vehicle")
    if not isinstance(found, dict):
        return ""
    rows = [(label, value(item, profile)) for label, item in found.get("summary", {}).items()]
    if found.get("class"):
        rows.insert(0, ("Class", str(found["class"]).replace("_", " ")))
    changes = run.metadata.get("parameters")
    if isinstance(changes, dict):
        rows += [(f"Changed: {name}", value(item)) for name, item in changes.items()]
    return facts("Vehicle", rows)


def _event(run: Run, profile: str) -> str:
    found = run.metadata.get("event")
    if not isinstance(found, dict):
        return ""
    given = found.get("parameters", {})
    return facts("Event", [(words.event(name), value(item, profile)) for name, item in given.items()])


def _identities(run: Run, profile: str) -> str:
    rows = []
    for item in identities(run):
        size = max(abs(item.measured), abs(item.expected))
        scale = shown(item.unit, profile, size)
        off = abs(item.measured - item.expected) / size if size else 0.0
        rows.append(
            [
                cell(f'{escape(item.name)} <span class="soft">{escape(item.note)}</span>'),
                cell(number(scale.factor * item.measured + scale.offset), NUM),
                cell(number(scale.factor * item.expected + scale.offset), NUM),
                cell(escape(scale.label), UNIT),
                cell(f"{100 * off:.2f} %", NUM),
                cell(verdict(item.ok, "agrees", "differs")),
            ]
        )
    columns = [("Quantity", ""), ("Run", NUM), ("Identity", NUM), ("Unit", ""), ("Difference", NUM), ("", "")]
    return table("Identities", columns, rows)


@dataclass(frozen=True)
class Extreme:
    """Smallest and largest value of a signal as they are shown, when they are there, and the mean over time."""

    signal: str
    channel: str
    unit: str
    low: float
    low_at: float
    high: float
    high_at: float
    mean: float


def extremes(run: Run, profile: str = "engineering") -> list[Extreme]:
    """Return the extremes of the signals that a run has; the direction of a car that stands means nothing."""
    found = []
    for signal in EXTREMES if len(run) > 1 else ():
        values = run.signal(signal) if run.has_signal(signal) else np.array([np.nan])
        time = run.time
        if signal == "side_slip" and len(values) > 1 and run.has_signal("speed"):
            moving = run.signal("speed") > CREEP
            time, values = time[moving], values[moving]
        if len(values) < 2 or not np.all(np.isfinite(values)):
            continue
        channel = run.signal_channel(signal)
        peak = float(np.max(np.abs(values)))
        values = np.where(np.abs(values) > max(ROUNDING * peak, ROUNDING), values, 0.0)  # not −4.3e−17 g
        scale = shown(run.unit(channel), profile, peak)
        mean = float(np.trapezoid(values, time)) / float(time[-1] - time[0])
        least, most = int(np.argmin(values)), int(np.argmax(values))
        low, high, middle = (scale.factor * float(x) + scale.offset for x in (values[least], values[most], mean))
        ends = (low, float(time[least]), high, float(time[most]))
        found.append(Extreme(signal, channel, scale.label, *ends, middle))
    return found


def _extremes(run: Run, profile: str) -> str:
    rows = []
    for item in extremes(run, profile):
        row = [cell(escape(words.signal(item.signal, item.channel)))]
        for size, at in ((item.low, item.low_at), (item.high, item.high_at)):
            row += [cell(number(size), NUM), cell(f"{at:.2f} s", f"{NUM} {SOFT}")]
        row.append(cell(number(item.mean), NUM))
        rows.append([*row, cell(escape(item.unit), UNIT), cell(code(item.channel), SOFT)])
    columns = [("Signal", ""), ("Smallest", NUM), ("at", NUM), ("Largest", NUM), ("at", NUM), ("Mean", NUM)]
    return table("Extremes", [*columns, ("Unit", ""), ("Channel", "")], rows)


def _provenance(run: Run) -> str:
    data = run.metadata
    rows: list[tuple[str, str]] = []
    if data.get("version"):
        rows.append(("Version", f"jounce {data['version']}"))
    vehicle = data.get("vehicle")
    if isinstance(vehicle, dict) and vehicle.get("file"):
        rows.append(("Vehicle file", str(vehicle["file"])))
    for key, label in (("source", "Source"), ("created", "Date"), ("machine", "Machine"), ("method", "Method")):
        if data.get(key):
            rows.append((label, str(data[key])))
    if isinstance(data.get("step"), (int, float)):
        rows.append(("Step", f"{number(1e3 * float(data['step']))} ms"))
    timing = data.get("timing")
    if isinstance(timing, dict) and timing.get("simulated") is not None and timing.get("wall"):
        simulated, wall = float(timing["simulated"]), float(timing["wall"])
        speed = f"{number(simulated / wall, 3)} × real time"
        rows.append(("Time", f"{number(simulated)} s simulated in {number(wall, 3)} s: {speed}"))
    against = [words.signal(name, run.signal_channel(name)) for name in ("roll", "pitch") if run.has_signal(name)]
    if against:
        rows.append(("Angles of the body", ", ".join(against)))
    rows.append(("Recorded", f"{len(run.names)} channels, {len(run)} instants"))
    hashes = data.get("hashes")
    if isinstance(hashes, dict):
        rows += [(f"Hash of {name.replace('_', ' ')}", str(item)) for name, item in hashes.items()]
    return facts("Provenance", rows)


def _ranges(run: Run, plausible: Mapping[str, Range] | str | None) -> dict[str, Range]:
    if isinstance(plausible, str):
        return ranges(plausible)
    if plausible is not None:
        return dict(plausible)
    return ranges_of(run)
