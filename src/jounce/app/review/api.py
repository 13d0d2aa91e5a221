"""Routes of the Review page: what is taken away from it as a file."""

from __future__ import annotations

import asyncio
import io
import re
import zipfile
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from fastapi import APIRouter, Query, Response

from jounce.app.plots.layout import resolve
from jounce.app.review import scripts
from jounce.core.errors import ParameterError
from jounce.results.compare import compare
from jounce.results.run import Run

if TYPE_CHECKING:
    from jounce.app.runs import StoredRun
    from jounce.app.workbench import Workbench

MOST = 200_000_000  # numbers of an export


def router(workbench: Workbench) -> APIRouter:
    """What `jounce.app.pages` mounts."""
    routes = APIRouter(prefix="/review")
    runs = workbench.runs

    async def report(
        run: Annotated[list[str], Query()], channel: Annotated[list[str] | None, Query()] = None
    ) -> Response:
        """The report of a run, or of several beside each other, as one HTML page that needs nothing else.

        With channels (names, patterns, signals) those are plotted in place of the usual ones.
        """
        stored = [runs.get(id) for id in run]
        text = await asyncio.to_thread(report_of, stored, channel or [])
        name = file_name(stored[0].label if len(stored) == 1 else "comparison")
        head = {"Content-Disposition": f'inline; filename="{name}.html"'}
        return Response(text, media_type="text/html", headers=head)

    async def table(
        run: Annotated[list[str], Query()],
        channel: Annotated[list[str] | None, Query()] = None,
        start: float = -np.inf,
        end: float = np.inf,
    ) -> Response:
        """Channels of a run as CSV with units, as `Run.to_csv` writes them; of several runs a ZIP archive of them."""
        stored = [runs.get(id) for id in run]
        tables = await asyncio.to_thread(lambda: [csv_of(one, channel or [], start, end) for one in stored])
        if len(tables) == 1:
            head = {"Content-Disposition": f'attachment; filename="{file_name(stored[0].label)}.csv"'}
            return Response(tables[0], media_type="text/csv", headers=head)
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for k, (one, data) in enumerate(zip(stored, tables, strict=True)):
                archive.writestr(f"{chr(65 + k % 26)}_{file_name(one.label)}.csv", data)
        head = {"Content-Disposition": 'attachment; filename="runs.zip"'}
        return Response(packed.getvalue(), media_type="application/zip", headers=head)

    async def figures(run: Annotated[list[str], Query()]) -> Response:
        """The key figures of runs beside each other, as the Review page shows them."""
        from jounce.app.review.figures import page_of

        text = await asyncio.to_thread(page_of, [runs.get(id) for id in run])
        return Response(text, media_type="text/html")

    async def listed(run: Annotated[list[str], Query()]) -> list[dict[str, Any]]:
        """Scripts of one's own that are made for the events of runs."""
        return [{"name": s.name, "events": list(s.events)} for s in scripts.fitting(workbench, run)]

    async def work(name: str, run: Annotated[list[str], Query()]) -> dict[str, Any]:
        """Run a script of one's own on runs; it comes from a folder that the server was started with."""
        return {"script": name, "good": await scripts.run(workbench, name, run)}

    async def outside(run: Annotated[list[str], Query()]) -> dict[str, Any]:
        """Have the program that the server was started with open runs."""
        return {"command": await asyncio.to_thread(scripts.open_outside, workbench, run)}

    routes.add_api_route("/report", report)
    routes.add_api_route("/scripts", listed)
    routes.add_api_route("/scripts/{name}", work, methods=["POST"])
    routes.add_api_route("/external", outside, methods=["POST"])
    routes.add_api_route("/csv", table)
    routes.add_api_route("/figures", figures)
    return routes


def part_of(stored: StoredRun, asked: list[str], start: float = -np.inf, end: float = np.inf) -> Run:
    """Some channels of a run, as a run of their own."""
    names = stored.names
    wanted = list(dict.fromkeys(name for one in asked for name in resolve(names, one, stored.signals)))
    if asked and not wanted:
        raise ParameterError(f"{stored.label}: has none of the channels {', '.join(asked)}")
    wanted = wanted or names
    time = stored.time
    if len(time) * len(wanted) > MOST:
        raise ParameterError(
            f"{stored.label}: {len(time)} rows of {len(wanted)} channels are too many; choose channels"
        )
    rows = (time >= start) & (time <= end)
    columns = stored.columns(wanted)
    label = {"label": stored.label}
    return Run(time[rows], {n: columns[n][rows] for n in wanted}, {n: stored.units[n] for n in wanted}, label)


def csv_of(stored: StoredRun, asked: list[str], start: float = -np.inf, end: float = np.inf) -> bytes:
    """Channels of a run as CSV."""
    import tempfile
    from pathlib import Path

    run = part_of(stored, asked, start, end)
    with tempfile.TemporaryDirectory() as folder:
        return run.to_csv(Path(folder) / "run.csv").read_bytes()


def report_of(stored: list[StoredRun], asked: list[str]) -> str:
    """The report of runs as HTML."""
    from jounce.results import comparison_report
    from jounce.results import report as single

    whole = [one.run.with_metadata(label=one.label) for one in stored]
    options: dict[str, Any] = {}
    if asked:
        found = dict.fromkeys(name for one in asked for name in resolve(stored[0].names, one, stored[0].signals))
        options["channels"] = [name for name in found if all(name in run for run in whole)]
    if len(whole) == 1:
        return single.render(whole[0], **options)
    return comparison_report.render(compare(*whole, labels=[one.label for one in stored]), **options)


def file_name(label: str) -> str:
    """A label as the name of a file."""
    return re.sub(r"[^\w.-]+", "_", label).strip("_.")[:80] or "run"
