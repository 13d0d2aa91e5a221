"""The interface of the workbench as a page: made of its own description, without anything from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

STYLE = (
    "body{font:14px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}"
    "code{font-size:13px}h2{font-size:15px;margin:1.6rem 0 .2rem}table{border-collapse:collapse}"
    "td{padding:.1rem .8rem .1rem 0;vertical-align:top}"
)


def page(description: Mapping[str, Any]) -> str:
    """HTML of an OpenAPI description."""
    parts = [f"<title>{escape(description['info']['title'])}</title><style>{STYLE}</style>"]
    parts.append(f"<h1>{escape(description['info']['title'])} {escape(description['info']['version'])}</h1>")
    parts.append(
        "<p>Every request needs the token, <code>Authorization: Bearer …</code>. "
        "<code>WS /api/runs/{id}/live?channel=…</code> streams the rows of a run that goes on as binary frames. "
        "The machine-readable description is <a href='openapi.json'>openapi.json</a>.</p>"
    )
    for path, methods in description["paths"].items():
        for method, about in methods.items():
            parts.append(f"<h2><code>{method.upper()} /api{escape(path)}</code></h2>")
            parts.append(f"<p>{escape(about.get('description', ''))}</p>")
            rows = [
                f"<tr><td><code>{escape(item['name'])}</code></td><td>{escape(item['in'])}</td>"
                f"<td>{escape(str(item.get('schema', {}).get('type', '')))}</td></tr>"
                for item in about.get("parameters", ())
            ]
            if rows:
                parts.append(f"<table>{''.join(rows)}</table>")
    return "<!doctype html><meta charset=utf-8>" + "\n".join(parts)
