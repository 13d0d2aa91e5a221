"""The HTML of reports: style and script stand in each page, so that it needs no network and nothing beside it."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib import resources

from jounce.results.panels import Panel, encode


@lru_cache(maxsize=2)
def asset(name: str) -> str:
    """Return ``report.css`` or ``plots.js``."""
    return resources.files("jounce.results.page").joinpath(name).read_text(encoding="utf-8")


def script_of(drawn: Sequence[Panel]) -> str:
    """Return the data of plots and what draws them; nothing without plots."""
    if not drawn:
        return ""
    # "<" cannot end the script element early
    data = json.dumps(encode(drawn), separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" id="plots">{data}</script>\n<script>{asset("plots.js")}</script>\n'


def page(title: str, parts: Iterable[str], drawn: Sequence[Panel]) -> str:
    """Return a whole page."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{asset('report.css')}</style>\n</head>\n<body>\n<main>\n"
        f"{''.join(parts)}<footer>Made by jounce.</footer>\n</main>\n{script_of(drawn)}</body>\n</html>\n"
    )


def head(title: str, subtitle: str, status: str, good: bool) -> str:
    """Return the heading, with a mark for the state of the run."""
    pill = f'<div class="status{"" if good else " partial"}">{escape(status)}</div>' if status else ""
    below = f"<p>{escape(subtitle)}</p>" if subtitle else ""
    return f"<header><div><h1>{escape(title)}</h1>{below}</div>{pill}</header>\n"


def cell(text: str, style: str = "") -> str:
    """Return a cell of a table; ``text`` is HTML."""
    return f'<td class="{style}">{text}</td>' if style else f"<td>{text}</td>"


def table(title: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[str]]) -> str:
    """Return a section with a table: (heading, class) per column, cells as `cell` makes them. Nothing without rows."""
    if not rows:
        return ""
    first = "".join(f'<th class="{style}">{text}</th>' if style else f"<th>{text}</th>" for text, style in columns)
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return (
        f"<section><h2>{escape(title)}</h2>\n<table><thead><tr>{first}</tr></thead>\n"
        f"<tbody>{body}</tbody></table></section>\n"
    )


def facts(title: str, rows: Sequence[tuple[str, str]]) -> str:
    """Return a section with label and text, line by line. Nothing without rows."""
    if not rows:
        return ""
    lines = "".join(f"<tr>{cell(escape(label))}{cell(escape(text))}</tr>" for label, text in rows)
    return f'<section><h2>{escape(title)}</h2><table class="facts"><tbody>{lines}</tbody></table></section>\n'


def note(title: str, lines: Sequence[str], bad: bool = False) -> str:
    """Return a box that catches the eye."""
    items = f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>" if lines else ""
    return f'<div class="note{" bad" if bad else ""}"><b>{escape(title)}</b>{items}</div>\n'


def plots(drawn: Sequence[Panel]) -> str:
    """Return the section of plots; the script draws them."""
    if not drawn:
        return ""
    figures = []
    for k, panel in enumerate(drawn):
        keys = []
        for curve in panel.curves:
            colour = f"background:{curve.colour}" if curve.name else "width:0;margin:0"
            keys.append(f'<span class="key"><i style="{colour}"></i>{escape(curve.name)}<span></span></span>')
        caption = f'<b>{escape(panel.title)}</b>{"".join(keys)}<span class="at"></span>'
        figures.append(
            f'<figure class="plot{" wide" if panel.wide else ""}" id="plot{k}"><figcaption>{caption}</figcaption>'
            f'<canvas role="img" aria-label="{escape(panel.title)}"></canvas></figure>\n'
        )
    hint = '<span class="hint">drag to zoom, double click to reset, click a name to hide its line</span>'
    silent = (
        "<noscript><p class='soft'>The plots are drawn by a script in this page; it is switched off.</p></noscript>"
    )
    return f'<section><h2>Plots{hint}</h2>\n{silent}<div class="plots">{"".join(figures)}</div></section>\n'


def verdict(good: bool | None, yes: str, no: str) -> str:
    """Return a word in green or red, nothing for None."""
    return "" if good is None else f'<span class="{"ok" if good else "out"}">{yes if good else no}</span>'


def code(text: str) -> str:
    """Return a name in type."""
    return f"<code>{escape(text)}</code>"


def escape(text: object) -> str:
    """Return text that is safe inside HTML."""
    return html.escape(str(text))
