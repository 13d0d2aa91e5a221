"""Opening runs and measured data: files of the registered folders, or one that the browser sends."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nicegui import ui
from nicegui.run import io_bound

from jounce.app.runs import SUFFIXES
from jounce.core.errors import JounceError, ParameterError
from jounce.core.writing import write_atomically

if TYPE_CHECKING:
    from jounce.app.folders import Folders
    from jounce.app.pages import View

MEASURED = "measured"
MOST = 300  # files that are listed
LARGEST = 60_000_000  # bytes of a file that a browser sends


def candidates(folders: Folders) -> list[str]:
    """Runs and files of data in the registered folders, as they are shown."""
    found: dict[str, None] = {}
    for file in folders.files(SUFFIXES):
        whole = file.stem == "run" and (file.parent / "run.json").exists()
        place = file.parent if whole else file
        if "runs" in place.parts[-2:-1] or _is_table(file):
            continue
        found[folders.shown(place)] = None
    return list(found)[:MOST]


def _is_table(file: Path) -> bool:
    """Whether a CSV is data of a vehicle rather than something measured over time."""
    if file.suffix.lower() != ".csv":
        return False
    return (file.parent / "vehicle.yaml").exists() or (file.parent.parent / "vehicle.yaml").exists()


def receive(folders: Folders, name: str, data: bytes) -> str:
    """Put a file that was sent into the main folder; returns how it is shown."""
    suffix = Path(name).suffix.lower()
    if suffix not in SUFFIXES:
        raise ParameterError(f"{name}: expected one of {', '.join(SUFFIXES)}")
    if len(data) > LARGEST:
        raise ParameterError(f"{name}: {len(data)} bytes; at most {LARGEST}. Put it into a registered folder instead")
    stem = re.sub(r"[^\w.-]+", "_", Path(name).stem).strip("._") or "data"
    place = folders.resolve(f"{folders.main_alias}/{MEASURED}/{stem}{suffix}", write=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    n = 2
    while place.exists() and place.read_bytes() != data:
        place = place.with_name(f"{stem}-{n}{suffix}")
        n += 1
    write_atomically(place, data)
    return folders.shown(place)


async def ask(view: View) -> str:
    """Have the user choose; the id of the run that was opened, "" where none was."""
    folders, runs = view.workbench.folders, view.workbench.runs
    listed = await io_bound(candidates, folders)
    with ui.dialog() as dialog, ui.card().classes("jn-ask jn-open"):
        ui.label("Open a run or measured data").classes("jn-ask-title")
        ui.label(f"Folders that `Run.save` made, and {', '.join(SUFFIXES)} in registered folders").classes("jn-muted")
        field = ui.input(placeholder="alias/folder/file, or a whole path").props("dense outlined").classes("full-width")
        said = ui.label("").classes("jn-bad-text")
        box = ui.element("div").classes("jn-open-list")

        async def choose(name: str) -> None:
            said.set_text("")
            try:
                dialog.submit(await io_bound(runs.add, name))
            except (JounceError, OSError) as problem:
                said.set_text(str(problem))

        def fill() -> None:
            box.clear()
            word = str(field.value or "").lower()
            with box:
                for name in [name for name in listed if word in name.lower()]:
                    ui.label(name).classes("jn-open-item").on("click", lambda name=name: choose(name))
                if not listed:
                    ui.label("no such files in the registered folders").classes("jn-muted")

        async def sent(event: Any) -> None:
            try:
                await choose(receive(folders, event.file.name, await event.file.read()))
            except (JounceError, OSError) as problem:
                said.set_text(str(problem))

        field.on_value_change(fill)
        field.on("keydown.enter", lambda: choose(str(field.value)))
        fill()
        ui.upload(label="or drop a file here", auto_upload=True, max_file_size=LARGEST, on_upload=sent).props(
            f"flat bordered accept={','.join(SUFFIXES)}"
        ).classes("full-width jn-upload")
        with ui.row().classes("justify-end full-width"):
            ui.button("Cancel", on_click=lambda: dialog.submit("")).props("flat dense no-caps")
    found = str(await dialog or "")
    dialog.delete()
    return found
