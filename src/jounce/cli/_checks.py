"""What `jounce check` and `jounce road check` share: files read one by one, what is said of them, the exit code."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import typer


def check_files(files: list[str], read: Callable[[str], tuple[str, list[str]]], as_json: bool) -> None:
    """Read files by a function that gives what one is and remarks about it; exit with 1 if one cannot be read."""
    from jounce.core.errors import JounceError

    results: list[dict[str, Any]] = []
    for name in files:
        try:
            about, remarks = read(name)
        except JounceError as problem:
            results.append({"file": name, "ok": False, "about": str(problem), "remarks": []})
        else:
            results.append({"file": name, "ok": True, "about": about, "remarks": remarks})
    if as_json:
        typer.echo(json.dumps(results))
    else:
        for result in results:
            mark = typer.style("ok   ", fg="green") if result["ok"] else typer.style("error", fg="red", bold=True)
            typer.echo(f"{mark} {result['file']}: {result['about']}")
            for remark in result["remarks"]:
                typer.echo(f"      remark: {remark}")
    if not all(result["ok"] for result in results):
        raise typer.Exit(1)
