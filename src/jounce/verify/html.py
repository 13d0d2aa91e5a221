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
from jounce.verify.chapters import CHAPTERS, Chapter, chapter_at

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
h2 { font-size: 24px; margin: 44px 0 10px; padding-top: 22px; border-top: 3px solid var(--accent); }
h3 { font-size: 18px; margin: 34px 0 8px; padding-top: 18px; border-top: 1px solid var(--line); }
h4 { font-size: 13px; margin: 18px 0 4px; color: var(--soft); }
.number { color: var(--soft); font-weight: 400; margin-right: 10px; }
.limits { border-left: 4px solid var(--line); padding: 2px 0 2px 14px; color: var(--soft); font-size: 14px; }
.limits b { color: var(--ink); }
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
details { margin: 0 0 14px; font-size: 13px; } summary { cursor: pointer; color: var(--accent); }
details ul { margin: 8px 0 0; padding-left: 20px; } details li { margin-bottom: 5px; max-width: 100ch; }
tr.chapter td { background: #eef3f9; border-bottom-color: #d5dfeb; }
tr.chapter a { font-weight: 600; color: var(--ink); }
tr.case td:nth-child(2) { padding-left: 18px; }
pre { background: #f7f8fa; border: 1px solid var(--line); padding: 14px 16px; overflow-x: auto; font-size: 12px;
  line-height: 1.5; white-space: pre-wrap; }
footer { margin-top: 40px; color: var(--soft); font-size: 13px; }
@media (max-width: 760px) { main { padding: 24px 18px; } table { display: block; overflow-x: auto; } }
@page { size: A4; margin: 16mm 14mm; }
@media print {
  body { background: #fff; font-size: 10pt; } main { box-shadow: none; padding: 0; max-width: none; }
  .chapter-head { break-before: page; } h2, h3, h4 { break-after: avoid; } figure, tr, .limits { break-inside: avoid; }
  thead { display: table-header-group; } figure img { max-width: 150mm; } a { color: inherit; }
  table { font-size: 8pt; } .num { font-size: 7.5pt; } pre { font-size: 7.5pt; }
}
"""


def check_available() -> None:
    """Raise ParameterError when plots cannot be drawn: better before the cases run than after."""
    if importlib.util.find_spec("matplotlib") is None:
        raise ParameterError("--html draws its plots with matplotlib, which is not installed: pip install matplotlib")


def render(pages: Sequence[Page], progress: Callable[[Page], None] | None = None) -> str:
    """Return the page as text; ``progress`` is called before the plots of each case are drawn."""
    check_available()
    sections, numbers = [], _numbers(pages)
    told: dict[str, Page] = {}  # by their equations, which cases of a module share
    for chapter, items in _by_chapter(pages):
        sections.append(_chapter(chapter, items, numbers))
        for page in items:
            if progress is not None:
                progress(page)
            sections.append(_section(numbers, page, told.setdefault(page.case.equations, page)))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>jounce {jounce.__version__}: verification "
        f"book</title>\n<style>{CSS}</style>\n</head>\n<body>\n<main>\n"
        f"{_head(pages)}{_facts()}{_reading()}{_contents(pages, numbers)}{''.join(sections)}{_foot()}"
        "</main>\n</body>\n</html>\n"
    )


def _by_chapter(pages: Sequence[Page]) -> list[tuple[Chapter, list[Page]]]:
    """Pages by chapter; chapters without any are left out."""
    found: dict[Chapter, list[Page]] = {}
    for page in sorted(pages, key=lambda p: (p.case.chapter, p.case.name)):
        found.setdefault(chapter_at(page.case.chapter), []).append(page)
    return list(found.items())


def _numbers(pages: Sequence[Page]) -> dict[str, str]:
    """Number of every case: that of its chapter in the whole book, and its own."""
    return {
        page.case.name: f"{CHAPTERS.index(chapter) + 1}.{i}"
        for chapter, items in _by_chapter(pages)
        for i, page in enumerate(items, 1)
    }


def _head(pages: Sequence[Page]) -> str:
    rows = [row for page in pages for row in page.rows]
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


def _reading() -> str:
    """How the document is read."""
    words = {
        "closed form": "a solution on paper, from a textbook that is cited or written down above the case",
        "published": "a number or a figure that others printed",
        "independent package": "computed by a package that shares no code with this one",
        "conservation": "a law of mechanics that holds whatever the model is",
        "order": "how an error falls with the step",
        "cross-formulation": "the same mechanics, written down in another way and compiled as well",
    }
    items = "".join(f"<tr><th>{name}</th><td>{html.escape(text)}</td></tr>" for name, text in words.items())
    return (
        "<p>Every check has an expected value, what it was compared with, the difference and the tolerance; below its "
        "table stands where each tolerance comes from. The use of a tolerance is the difference over it: far below "
        "100 % the agreement is better than what was argued, and a slip that matters would still be seen. Every "
        "chapter says where the model ends.</p>\n"
        f'<table class="facts">{items}</table>\n'
    )


def _used(pages: Sequence[Page]) -> str:
    """The largest use of a tolerance."""
    rows = [row for page in pages for row in page.rows]
    used = [r.difference / r.tolerance for r in rows if r.difference is not None and r.tolerance]
    return f"{100 * max(used):.2g} %" if used else "–"


def _count(pages: Sequence[Page]) -> str:
    rows = [row for page in pages for row in page.rows]
    return f"{sum(row.ok for row in rows)}/{len(rows)}"


def _mark(pages: Sequence[Page]) -> str:
    ok = all(page.ok for page in pages)
    return '<span class="ok">pass</span>' if ok else '<span class="fail">fail</span>'


def _contents(pages: Sequence[Page], numbers: dict[str, str]) -> str:
    lines = []
    for chapter, items in _by_chapter(pages):
        number = CHAPTERS.index(chapter) + 1
        lines.append(
            f'<tr class="chapter"><td class="num">{number}</td><td><a href="#chapter-{number}">'
            f'{html.escape(chapter.title)}</a></td><td class="num">{_count(items)}</td>'
            f'<td class="num">{_used(items)}</td><td class="mark">{_mark(items)}</td></tr>'
        )
        for page in items:
            lines.append(
                f'<tr class="case"><td class="num">{numbers[page.case.name]}</td>'
                f'<td><a href="#{page.case.name}">{html.escape(page.case.title)}</a></td>'
                f'<td class="num">{_count([page])}</td><td class="num">{_used([page])}</td>'
                f'<td class="mark">{_mark([page])}</td></tr>'
            )
    return (
        '<h4>Contents</h4><table><thead><tr><th></th><th></th><th class="num">Checks passed</th>'
        '<th class="num">Largest use of a tolerance</th><th class="mark"></th></tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table>\n"
    )


def _chapter(chapter: Chapter, pages: Sequence[Page], numbers: dict[str, str]) -> str:
    """Heading, what was compared with what, and where the model ends."""
    number, lines = CHAPTERS.index(chapter) + 1, []
    for page in pages:
        groups: dict[str, list[Row]] = {}
        for row in page.rows:
            groups.setdefault(row.kind or "not run", []).append(row)
        for i, (kind, rows) in enumerate(groups.items()):
            sources = list(dict.fromkeys(row.source for row in rows))
            shown = "; ".join(sources[:2]) + (f"; … ({len(sources)} sources)" if len(sources) > 2 else "")
            used = [r.difference / r.tolerance for r in rows if r.difference is not None and r.tolerance]
            title = f'<a href="#{page.case.name}">{html.escape(page.case.title)}</a>' if i == 0 else ""
            lines.append(
                f'<tr><td class="num">{numbers[page.case.name] if i == 0 else ""}</td><td>{title}</td>'
                f'<td><b>{html.escape(kind)}</b> · <span class="soft">{html.escape(shown)}</span></td>'
                f'<td class="num">{sum(r.ok for r in rows)}/{len(rows)}</td>'
                f'<td class="num">{f"{100 * max(used):.2g} %" if used else "–"}</td></tr>'
            )
    return (
        f'<div class="chapter-head" id="chapter-{number}"><h2><span class="number">{number}</span>'
        f"{html.escape(chapter.title)}</h2>\n"
        '<table><thead><tr><th></th><th>Case</th><th>Compared with</th><th class="num">Checks</th>'
        '<th class="num">Largest use</th></tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table>\n"
        f'<p class="limits"><b>Where the model ends.</b> {html.escape(chapter.limits)}</p></div>\n'
    )


def _section(numbers: dict[str, str], page: Page, first: Page) -> str:
    """A case; ``first``: that with the same equations, where they stand."""
    case, other = page.case, first.case
    text = html.escape(re.sub(r"\s+", " ", case.text))
    equations = (
        f"<details open><summary>Equations and sources</summary><pre>{html.escape(case.equations)}</pre></details>\n"
        if other is case
        else f'<p class="soft">Equations and sources: see <a href="#{other.name}">{numbers[other.name]}</a>.</p>\n'
    )
    # the first plot right after the words: it says more than the table
    return (
        f'<section id="{case.name}">\n<h3><span '
        f'class="number">{numbers[case.name]}</span>{html.escape(case.title)}</h3>\n<p>{text}</p>\n'
        f"{''.join(_figure(plot) for plot in page.plots)}{_table(page.rows)}{_tolerances(page.rows)}"
        f"{equations}</section>\n"
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
    return f"<details open><summary>Where the tolerances come from</summary><ul>{''.join(items)}</ul></details>\n"


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
