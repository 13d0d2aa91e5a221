"""Scripts of one's own and programs of others on the runs that are shown."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jounce.app import own
from jounce.app.runs import read_job
from jounce.core.errors import JounceError, ParameterError
from jounce.core.process import Process

if TYPE_CHECKING:
    from jounce.app.workbench import Workbench
    from jounce.results.scripts import Script

PATIENCE = 600.0  # s that a script may take


def fitting(workbench: Workbench, ids: Sequence[str]) -> list[Script]:
    """The scripts that are made for the events of all these runs."""
    events = {workbench.runs.info(id).event for id in ids}
    return [script for script in workbench.own.scripts() if all(script.fits(event) for event in events)]


async def run(workbench: Workbench, name: str, ids: Sequence[str]) -> list[bool]:
    """Run a script on runs, in a process of its own; what it tells goes into the log."""
    script = workbench.own.find(name)
    results = []
    for id in ids:
        info = workbench.runs.info(id)
        if info.status not in ("complete", "partial"):
            raise ParameterError(f"{info.label}: is {info.status}; scripts work on runs that have ended")
        link = f"/review?run={id}"
        process = Process(quiet=True)
        try:
            asked = asyncio.to_thread(
                process.ask, own.run, str(script.path), str(info.folder), None, _vehicle(info), info.event
            )
            good, told = await asyncio.wait_for(asyncio.shield(asyncio.ensure_future(asked)), PATIENCE)
        except (EOFError, TimeoutError) as problem:
            good, told = False, [f"{script.path.name}: {problem or f'took more than {PATIENCE:.0f} s'}"]
        finally:
            process.close()
        for text in told[:-1]:
            workbench.log.add("info", text, info.label, link)
        workbench.log.add("good" if good else "error", told[-1], info.label, link)
        results.append(good)
    workbench.runs.changed()
    return results


def open_outside(workbench: Workbench, ids: Sequence[str]) -> list[str]:
    """Have the program that the server was started with open runs; returns its command."""
    command = workbench.external.open(files_of(workbench, ids))
    workbench.log.add("info", f"started: {' '.join(command)}", workbench.external.name)
    return command


def files_of(workbench: Workbench, ids: Sequence[str]) -> list[Path]:
    """The files of runs that have ended."""
    found = []
    for id in ids:
        info = workbench.runs.info(id)
        if info.status in ("queued", "running"):
            continue
        place = info.folder
        found += sorted(p for p in place.iterdir() if p.is_file()) if place.is_dir() else [place]
    return found


def _vehicle(info: Any) -> str | None:
    try:
        return str(read_job(info.folder)["vehicle"]["source"])
    except (JounceError, KeyError, TypeError):
        return None
