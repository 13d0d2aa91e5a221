"""The set-up sheet: targets, changes, corner weights, heights and angles, as YAML, JSON or an HTML page."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from jounce.core.errors import FormatError
from jounce.core.writing import write_atomically
from jounce.results import page

if TYPE_CHECKING:
    from jounce.sim.setup import Phase, Report

ENDINGS = (".yaml", ".yml", ".html", ".htm", ".json")
# key of a wheel in a phase: label, factor to the shown unit, decimals, unit
ROWS = {
    "load": ("load", 1.0, 0, "N"),
    "ride_height": ("ride height", 1e3, 2, "mm"),
    "toe": ("toe-in", math.degrees(1.0), 3, "deg"),
    "camber": ("camber", math.degrees(1.0), 3, "deg"),
    "travel": ("wheel travel", 1e3, 2, "mm"),
    "spring_force": ("spring force", 1.0, 0, "N"),
    "spring_travel": ("spring compression", 1e3, 2, "mm"),
}
CARD, ROW, GAP = 250, 22, 190  # px, of the drawing: width of a corner, height of a line, room for the car


def save(report: Report, path: str | Path) -> Path:
    """Write a sheet in the format of its ending."""
    target = Path(path)
    ending = target.suffix.lower()
    if ending not in ENDINGS:
        raise FormatError(f"{target}: a set-up sheet ends with .yaml, .html or .json")
    text = html(report) if ending in (".html", ".htm") else as_json(report) if ending == ".json" else yaml(report)
    write_atomically(target, text.encode())
    return target


def as_json(report: Report) -> str:
    return json.dumps(report.to_dict(), indent=2) + "\n"


def yaml(report: Report) -> str:
    """Numbers in SI, as in all files without units."""
    from ruamel.yaml import YAML

    writer = YAML(typ="safe")
    writer.default_flow_style = None
    writer.sort_base_mapping_type_on_output = False  # type: ignore[assignment]
    writer.width = 120
    stream = io.StringIO()
    stream.write("# Set-up sheet by jounce; SI, angles in rad. Toe and camber of phases are to the road.\n")
    writer.dump(report.to_dict(), stream)
    return stream.getvalue()


def html(report: Report) -> str:
    """One page that needs nothing beside it."""
    good = report.reached
    parts = [page.head(f"Set-up of {report.vehicle}", _subtitle(report), "reached" if good else "not reached", good)]
    missed = [str(outcome) for outcome in report.outcomes if not outcome.reached]
    if missed:
        parts.append(page.note("Not reached", missed, bad=True))
    if report.warnings:
        parts.append(page.note("Remarks", report.warnings))
    done = next((p for p in report.phases if p.name.endswith("set up")), None)
    if done is not None:
        parts.append(f"<section><h2>As set up</h2>\n{_drawing(done)}</section>\n")
    parts += [_targets(report), _changes(report), *_phases(report)]
    return page.page(f"Set-up of {report.vehicle}", parts, [])


def _subtitle(report: Report) -> str:
    o = report.options
    words = [
        f"by {'push-rods' if o.get('mode') == 'pushrod' else 'spring preloads'}",
        f"angles to the {o.get('reference')}",
        f"{o.get('masses')} masses on board",
        "rigid set-up wheels" if o.get("rigid_wheels") else "on its tires",
        "anti-roll devices act" if o.get("anti_roll") else "anti-roll devices free of force",
        "flat road" if o.get("flat_road") else "inclined road",
    ]
    return " · ".join(words)


def _quoted(value: float, unit: str) -> tuple[str, str]:
    if unit == "m":
        return f"{1e3 * value:.3f}", "mm"
    if unit == "rad":
        return f"{math.degrees(value):.4f}", "deg"
    return (f"{value:.5f}", "") if unit == "-" else (f"{value:.1f}", unit)


def _targets(report: Report) -> str:
    rows = []
    for o in report.outcomes:
        wanted, unit = _quoted(o.target, o.unit)
        got, error = _quoted(o.value, o.unit)[0], _quoted(o.error, o.unit)[0]
        rows.append(
            [
                page.cell(page.escape(o.name.replace("_", " "))),
                page.cell(wanted, "num"),
                page.cell(got, "num"),
                page.cell("0" if float(error) == 0 else error, "num"),
                page.cell(unit, "unit"),
                page.cell(page.verdict(o.reached, "reached", "not reached")),
            ]
        )
    heads = [("target", ""), ("wanted", "num"), ("reached", "num"), ("off by", "num"), ("", "unit"), ("", "")]
    return page.table("Targets", heads, rows)


def _changes(report: Report) -> str:
    rows = []
    for c in report.changes:
        (before, unit), after = _quoted(c.before, c.unit), _quoted(c.after, c.unit)[0]
        by = _quoted(c.after - c.before, c.unit)[0]
        rows.append(
            [
                page.cell(page.code(c.path)),
                page.cell(before, "num"),
                page.cell(after, "num"),
                page.cell(by if by.startswith("-") else f"+{by}", "num"),
                page.cell(unit, "unit"),
            ]
        )
    heads = [("number of the vehicle", ""), ("before", "num"), ("after", "num"), ("by", "num"), ("", "unit")]
    return page.table("Changes", heads, rows)


def _phases(report: Report) -> Iterator[str]:
    """A table per figure: phases down, wheels across."""
    for key, (label, factor, digits, unit) in ROWS.items():
        wheels = [w for w in report.phases[0].wheels if key in report.phases[0].wheels[w]] if report.phases else []
        if not wheels:
            continue
        rows = []
        for phase in report.phases:
            cells = [page.cell(page.escape(phase.name)), page.cell(f"{phase.mass:.1f}", "num")]
            for w in wheels:
                value = phase.wheels[w].get(key)
                cells.append(page.cell("" if value is None else f"{factor * value:.{digits}f}", "num"))
            rows.append(cells)
        heads = [("step", ""), ("mass, kg", "num"), *((w, "num") for w in wheels)]
        yield page.table(f"{label.capitalize()}, {unit}", heads, rows)


def _drawing(phase: Phase) -> str:
    """The car from above, front at the top: a card for every wheel, and the shares of load."""
    axles: dict[int, list[str]] = {}
    for name in phase.wheels:
        axles.setdefault(int(name[1:]), []).append(name)
    lines = max(len(values) for values in phase.wheels.values()) + 1
    tall = lines * ROW + 30
    width, height = 2 * CARD + GAP, len(axles) * tall + 8
    total = math.fsum(values["load"] for values in phase.wheels.values())
    middle = width / 2
    out = [
        f'<svg viewBox="0 0 {width} {height}" width="{width}" style="max-width:100%" role="img" '
        'aria-label="corner weights, heights and angles" font-size="13" fill="#1c2733">'
    ]
    out.append(
        f'<rect x="{middle - 42}" y="14" width="84" height="{height - 28}" rx="30" fill="#f3f5f7" stroke="#9aa3ad"/>'
    )
    out.append(f'<path d="M{middle - 11} 42 L{middle} 26 L{middle + 11} 42 Z" fill="#9aa3ad"/>')
    for k, (number, names) in enumerate(sorted(axles.items())):
        top = k * tall
        share = math.fsum(phase.wheels[name]["load"] for name in names)
        out.append(
            f'<text x="{middle}" y="{top + tall / 2 + 4}" text-anchor="middle">axle {number}</text>'
            f'<text x="{middle}" y="{top + tall / 2 + 22}" text-anchor="middle" font-weight="600">'
            f"{100 * share / total:.2f} %</text>"
        )
        for name in names:
            left = name[0] == "L"
            x = 8.0 if left else width - CARD + 8.0
            wheel = middle - 68 if left else middle + 52
            own = 100 * phase.wheels[name]["load"] / total
            out.append(
                f'<rect x="{wheel}" y="{top + tall / 2 - 34}" width="16" height="68" rx="4" fill="#3a4754"/>'
                f'<text x="{x}" y="{top + 26}" font-weight="650">{name}'
                f'<tspan fill="#66717d" font-weight="400">  {own:.2f} %</tspan></text>'
            )
            for i, (key, value) in enumerate(phase.wheels[name].items()):
                label, factor, digits, unit = ROWS[key]
                y = top + 26 + (i + 1) * ROW
                out.append(
                    f'<text x="{x}" y="{y}" fill="#66717d">{label}</text>'
                    f'<text x="{x + 190}" y="{y}" text-anchor="end">{factor * value:.{digits}f}</text>'
                    f'<text x="{x + 196}" y="{y}" fill="#66717d">{unit}</text>'
                )
    out.append("</svg>\n")
    return "".join(out)
