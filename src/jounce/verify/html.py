"""The verification book as one self-contained HTML page: no network, no script, no date, the same bytes for the same
results.

Plots are drawn by matplotlib and embedded as SVG pictures.
"""

from __future__ import annotations

import base64
import html
import importlib.util
import io
import itertools
import platform
import re
from collections.abc import Callable, Sequence
from importlib import metadata

import jounce
from jounce.core.errors import ParameterError
from jounce.verify.book import Page, Plot, Row

PACKAGES = ("casadi", "numpy", "scipy", "pin")

STYLE = {
    "svg.hashsalt": "jounce",  # element ids that do not change from run to run
    "font.family": "DejaVu Sans",
    "font.size": 8.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.edgecolor": "#5b6470",
    "axes.labelcolor": "#2a313a",
    "axes.titlesize": "medium",
    "xtick.color": "#5b6470",
    "ytick.color": "#5b6470",
    "grid.color": "#e6e9ed",
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "legend.fontsize": "small",
    "lines.solid_capstyle": "round",
    "axes.prop_cycle": "cycler(color=['#1f5fa8', '#d9730d', '#2f8f4e', '#c0392b', '#7d4fb0', '#7a5c48'])",
}

CSS = """
:root { --ink: #1d242c; --soft: #5b6470; --line: #dfe3e8; --good: #1f7a3f; --bad: #b3261e; --accent: #1f5fa8; }
* { box-sizing: border-box; }
body { margin: 0; background: #f4f6f8; color: var(--ink);
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", "Helvetica Neue", Arial, sans-serif; }
main { max-width: 1080px; margin: 0 auto; background: #fff; padding: 48px 56px 64px;
  box-shadow: 0 0 24px rgba(20, 30, 40, .06); }
h1 { font-size: 30px; line-height: 1.2; margin: 0 0 6px; letter-spacing: -.01em; }
h2 { font-size: 21px; margin: 0 0 10px; padding-top: 28px; border-top: 2px solid var(--line); }
h2 .number { color: var(--soft); font-weight: 400; margin-right: 10px; }
p { max-width: 78ch; margin: 0 0 14px; }
.lead { color: var(--soft); font-size: 16px; }
.verdict { display: flex; align-items: baseline; gap: 14px; margin: 24px 0; padding: 14px 18px;
  border-left: 5px solid var(--good); background: #eef7f1; }
.verdict.bad { border-color: var(--bad); background: #fcefee; }
.verdict b { font-size: 19px; }
table { border-collapse: collapse; width: 100%; font-size: 13px; margin: 14px 0 20px; }
th { text-align: left; font-weight: 600; color: var(--soft); border-bottom: 1.5px solid var(--soft);
  padding: 5px 10px 5px 0; vertical-align: bottom; white-space: nowrap; }
td { border-bottom: 1px solid var(--line); padding: 5px 10px 5px 0; vertical-align: top; }
.num { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap;
  font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 12px; }
th.num { font: inherit; font-weight: 600; }
td.mark, th.mark { text-align: right; white-space: nowrap; padding-right: 0; }
.ok { color: var(--good); font-weight: 600; } .fail { color: var(--bad); font-weight: 700; }
tr.failed td { background: #fcefee; }
.soft { color: var(--soft); }
tbody td:first-child { padding-left: 8px; }
tr.group td { background: #f7f8fa; color: var(--soft); } tr.group b { color: var(--ink); font-weight: 600; }
table.facts { width: auto; } table.facts th { border: 0; padding-right: 22px; } table.facts td { border: 0; }
a { color: var(--accent); text-decoration: none; } a:hover { text-decoration: underline; }
figure { margin: 18px 0 22px; } figure img { width: 100%; max-width: 860px; height: auto; display: block; }
figcaption { color: var(--soft); font-size: 13px; margin-top: 4px; max-width: 78ch; }
details { margin: 0 0 18px; font-size: 13px; } summary { cursor: pointer; color: var(--accent); }
details ul { margin: 8px 0 0; padding-left: 20px; } details li { margin-bottom: 5px; max-width: 100ch; }
pre { background: #f7f8fa; border: 1px solid var(--line); padding: 14px 16px; overflow-x: auto; font-size: 12px;
  line-height: 1.5; white-space: pre-wrap; }
footer { margin-top: 40px; color: var(--soft); font-size: 13px; }
@media (max-width: 760px) { main { padding: 24px 18px; } table { display: block; overflow-x: auto; } }
@media print { body { background: #fff; } main { box-shadow: none; padding: 0; } section { break-inside: avoid-page; } }
"""


def check_available() -> None:
    """Raise ParameterError when plots cannot be drawn: better before the cases run than after."""
    if importlib.util.find_spec("matplotlib") is None:
        raise ParameterError("--html draws its plots with matplotlib, which is not installed: pip install matplotlib")


def render(pages: Sequence[Page], progress: Callable[[Page], None] | None = None) -> str:
    """Return the page as text; ``progress`` is called before the plots of each case are drawn."""
    check_available()
    rows = [row for page in pages for row in page.rows]
    sections = []
    for number, page in enumerate(pages, 1):
        if progress is not None:
            progress(page)
        sections.append(_section(number, page))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>jounce {jounce.__version__}: verification "
        f"book</title>\n<style>{CSS}</style>\n</head>\n<body>\n<main>\n"
        f"{_head(rows)}{_facts()}{_contents(pages)}{''.join(sections)}{_foot()}</main>\n</body>\n</html>\n"
    )


def _head(rows: Sequence[Row]) -> str:
    failed = sum(not row.ok for row in rows)
    verdict = (
        f'<div class="verdict bad"><b>{failed} of {len(rows)} checks failed</b><span>marked in red below</span></div>'
        if failed
        else f'<div class="verdict"><b>All {len(rows)} checks pass</b>'
        "<span>every case was computed on the machine named here</span></div>"
    )
    return (
        "<h1>Verification book</h1>\n"
        '<p class="lead">What jounce computes, against closed-form solutions, published numbers, other packages, '
        "conservation laws "
        "and other formulations of the same mechanics. No expected value on this page comes from jounce itself. "
        "A check passes when |measured − expected| does not exceed the tolerance, which follows from rounding, from "
        "the order "
        "of the integration method or from the digits of the source.</p>\n"
        f"{verdict}\n"
    )


def _facts() -> str:
    from jounce.runtime.compile import compile_flags, find_compiler

    def version(name: str) -> str:
        try:
            return f"{name} {metadata.version(name)}"
        except metadata.PackageNotFoundError:
            return f"{name} –"

    compiler = find_compiler()
    facts = {
        "Version": f"jounce {jounce.__version__}",
        "Platform": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "Compiler": f"{compiler.version.partition(chr(10))[0]}, {compiler.target}; {' '.join(compile_flags(compiler))}",
        "Packages": ", ".join(version(name) for name in PACKAGES),
    }
    items = "".join(f"<tr><th>{name}</th><td>{html.escape(text)}</td></tr>" for name, text in facts.items())
    return f'<table class="facts">{items}</table>\n'


def _contents(pages: Sequence[Page]) -> str:
    lines = []
    for number, page in enumerate(pages, 1):
        used = [r.difference / r.tolerance for r in page.rows if r.difference is not None and r.tolerance]
        kinds = sorted({row.kind for row in page.rows if row.kind})
        passed = sum(row.ok for row in page.rows)
        mark = '<span class="ok">pass</span>' if page.ok else '<span class="fail">fail</span>'
        worst = f"{100 * max(used):.2g} %" if used else "–"
        lines.append(
            f'<tr><td class="num">{number}</td><td><a href="#{page.case.name}">{html.escape(page.case.title)}</a></td>'
            f'<td class="soft">{", ".join(kinds)}</td><td class="num">{passed}/{len(page.rows)}</td>'
            f'<td class="num">{worst}</td><td class="mark">{mark}</td></tr>'
        )
    return (
        '<table><thead><tr><th></th><th>Case</th><th>Compared with</th><th class="num">Checks</th>'
        '<th class="num">Largest use<br>of a tolerance</th><th class="mark"></th></tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table>\n"
    )


def _section(number: int, page: Page) -> str:
    case = page.case
    text = html.escape(re.sub(r"\s+", " ", case.text))
    # the first plot right after the words: it says more than the table
    return (
        f'<section id="{case.name}">\n<h2><span '
        f'class="number">{number}</span>{html.escape(case.title)}</h2>\n<p>{text}</p>\n'
        f"{''.join(_figure(plot) for plot in page.plots)}{_table(page.rows)}{_tolerances(page.rows)}"
        f"<details><summary>Equations and "
        f"sources</summary><pre>{html.escape(case.equations)}</pre></details>\n</section>\n"
    )


def _table(rows: Sequence[Row]) -> str:
    lines = []
    for (kind, source), group in itertools.groupby(rows, lambda row: (row.kind, row.source)):
        # said once for all rows that share it
        origin = f"<b>{html.escape(kind)}</b> · {html.escape(source)}" if kind else html.escape(source)
        lines.append(f'<tr class="group"><td colspan="7">{origin}</td></tr>')
        for row in group:
            mark = '<span class="ok">✓</span>' if row.ok else '<span class="fail">✗</span>'
            lines.append(
                f"<tr{'' if row.ok else ' class=failed'}><td>{html.escape(row.label)}</td>"
                f'<td class="num">{number_text(row.expected)}</td><td class="num">{number_text(row.measured)}</td>'
                f"<td>{html.escape(row.unit) if row.unit != '-' else ''}</td>"
                f'<td class="num">{size_text(row.difference)}</td><td class="num">{size_text(row.tolerance)}</td>'
                f'<td class="mark">{mark}</td></tr>'
            )
    return (
        '<table><thead><tr><th>Check</th><th class="num">Expected</th><th class="num">Measured</th><th>Unit</th>'
        '<th class="num">Difference</th><th class="num">Tolerance</th><th class="mark"></th></tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table>\n"
    )


def _tolerances(rows: Sequence[Row]) -> str:
    groups: dict[str, list[str]] = {}
    for row in rows:
        if row.why:
            groups.setdefault(row.why, []).append(row.label)
    if not groups:
        return ""
    items = []
    for why, labels in groups.items():
        names = "; ".join(labels) if len(labels) <= 3 else f"{labels[0]}; … ({len(labels)} checks)"
        items.append(f'<li>{html.escape(why)} <span class="soft">({html.escape(names)})</span></li>')
    return f"<details><summary>Where the tolerances come from</summary><ul>{''.join(items)}</ul></details>\n"


def _figure(plot: Plot) -> str:
    data = base64.b64encode(svg(plot)).decode()
    caption = html.escape(plot.caption)
    image = f'<img alt="{caption}" src="data:image/svg+xml;base64,{data}">'
    return f"<figure>{image}<figcaption>{caption}</figcaption></figure>\n"


def svg(plot: Plot) -> bytes:
    """Draw a plot."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(STYLE):
        figure = Figure(figsize=(plot.width, plot.height), layout="constrained")
        plot.draw(figure)
        buffer = io.BytesIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return buffer.getvalue()


def _foot() -> str:
    return (
        "<footer>Made by <code>jounce verify --html</code>. Every row is also available as data: "
        "<code>jounce verify --json</code>. Keys in brackets stand in <code>docs/references.bib</code>.</footer>\n"
    )


def number_text(value: float | None, digits: int = 10) -> str:
    """A value with the digits that matter."""
    if value is None:
        return "–"
    if value == 0.0:
        return "0"
    if abs(value) < 1e-4:
        return f"{value:.2e}"
    text = f"{value:.{digits}g}"
    return text if len(text) <= digits + 4 else f"{value:.{digits - 2}g}"


def size_text(value: float | None) -> str:
    """A difference or a tolerance."""
    if value is None:
        return "–"
    return "0" if value == 0.0 else f"{value:.1e}" if value < 0.01 or value >= 1e4 else f"{value:.2g}"
