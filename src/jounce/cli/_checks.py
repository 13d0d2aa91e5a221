"""What `jounce check` and `jounce road check` share: files read one by one, what is said of them, the exit code."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import typer


def check_files(files: list[str], read: Callable[[str], tuple[str, list[str]]], as_json: bool) -> None:
    """Read files by a function that gives what one is and remarks about it; exit with 1 if one cannot be read.

    A bug of jounce about one file is raised again after all of them have been read and told.
    """
    from jounce.core.errors import JounceError

    results: list[dict[str, Any]] = []
    bug: Exception | None = None
    for name in files:
        try:
            about, remarks = read(name)
        except JounceError as problem:
            results.append({"file": name, "ok": False, "about": str(problem), "remarks": []})
        except Exception as problem:
            bug = bug or problem
            about = f"cannot be checked, by a bug of jounce: {type(problem).__name__}: {problem}"
            results.append({"file": name, "ok": False, "about": about, "remarks": []})
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
    if bug is not None:
        raise bug
    if not all(result["ok"] for result in results):
        raise typer.Exit(1)
