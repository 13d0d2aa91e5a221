"""The page of a plan: one file, its numbers as JSON in it; the script draws the rows that are seen.

Numbers stand by columns of an event, so that ten thousand runs are some megabytes and no element of the page each.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import resources
from typing import Any

from jounce.results import words
from jounce.results.display import pretty
from jounce.results.page import asset as of_reports
from jounce.results.page import escape, head, note

RUNS = "runs"


@lru_cache(maxsize=2)
def asset(name: str) -> str:
    """Return ``plan.css`` or ``plan.js``."""
    return resources.files("jounce.study.page").joinpath(name).read_text(encoding="utf-8")


def render(summary: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> str:
    """The page of a plan as text."""
    bad = sum(row["status"] != "complete" for row in rows)
    failed = sum(row["verdict"] == "fail" for row in rows)
    count = f"{len(rows)} run{'s' if len(rows) != 1 else ''}"
    events, vehicles = (len({row[name] for row in rows}) for name in ("event", "vehicle"))
    below = f"{count}: {_many(events, 'event')}, {_many(vehicles, 'vehicle')}"
    troubles = [text for text in (f"{bad} not complete" if bad else "", f"{failed} failed" if failed else "") if text]
    status = ", ".join(troubles) or "all complete"
    # "<" cannot end the script element early
    data = json.dumps(encode(rows), separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    made = "; ".join(", ".join(f"{key} {value}" for key, value in one.items()) for one in summary.get("made", []))
    remarks = list(summary.get("remarks", []))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(summary['plan'])}</title>\n<style>\n{of_reports('report.css')}{asset('plan.css')}</style>\n"
        f"</head>\n<body>\n<main>\n{head(str(summary['plan']), below, status, not troubles)}"
        f"{note('Remarks', remarks) if remarks else ''}"
        '<noscript><p class="soft">The tables are drawn by a script in this page; it is switched off. '
        "summary.csv has the same numbers.</p></noscript>\n"
        '<nav id="events"></nav>\n<div class="bar"><input id="find" type="search" placeholder="Find vehicle, '
        'variation, reason …" aria-label="Find"><label><input id="only" type="checkbox"> only runs with marks</label>'
        '<label><input id="spans" type="checkbox"> show plausible ranges</label><span id="count"></span></div>\n'
        '<div id="frame"><table id="table"></table></div>\n'
        '<p class="legend"><span class="m">▲ ▼</span> above or below what is usual for the class of the vehicle; '
        "– no number. Click a heading to sort, a name to open its run.</p>\n"
        f'<footer>Made by jounce. {escape(made)}. The same numbers: <a href="summary.json">summary.json</a>, '
        '<a href="summary.csv">summary.csv</a>.</footer>\n</main>\n'
        f'<script type="application/json" id="data">{data}</script>\n<script>{asset("plan.js")}</script>\n'
        "</body>\n</html>\n"
    )


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' if count != 1 else ''}"


def encode(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Events, each with its figures and its runs as lists: what `plan.js` reads."""
    events: dict[str, dict[str, Any]] = {}
    for row in rows:
        event = events.setdefault(
            row["event"], {"name": row["event"], "kind": row["kind"], "figures": {}, "spans": {}, "runs": []}
        )
        for name, (_, unit) in row["figures"].items():
            event["figures"].setdefault((name, unit), len(event["figures"]))
        event["runs"].append(row)
    return [_encoded(event) for event in events.values()]


def _encoded(event: dict[str, Any]) -> dict[str, Any]:
    figures = list(event["figures"])
    spans: dict[str, int] = {}
    listed: list[Any] = []
    runs = []
    for row in event["runs"]:
        own = {(name, unit): value for name, (value, unit) in row["figures"].items()}
        span = [list(row["ranges"][name]) if name in row["ranges"] and (name, unit) in own else None
                for name, unit in figures]  # fmt: skip
        key = json.dumps(span)
        if key not in spans:
            spans[key] = len(listed)
            listed.append(span)
        runs.append(
            [
                *(row["vehicle"], row["variation"], row["status"], row["reason"], row["verdict"] or ""),
                *(_link(row), row["warnings"], spans[key], [_short(own.get(key)) for key in figures]),
            ]
        )
    return {
        "name": event["name"],
        "figures": [[name, words.figure(name, event["kind"]), pretty(unit)] for name, unit in figures],
        "spans": listed,
        "runs": runs,
    }


def _link(row: Mapping[str, Any]) -> str:
    """The best file of a run to open."""
    if row["status"] == "not run":
        return ""
    files = row.get("files", [])
    best = next((name for name in ("report.html", "run.json") if name in files), "record.json")
    return f"{RUNS}/{row['run']}/{best}"


def _short(value: float | None) -> float | None:
    """Six digits: what a page shows; the summaries have them all."""
    return None if value is None else float(f"{value:.6g}")
