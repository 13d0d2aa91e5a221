"""Saved layouts of plots: files ``layouts/<name>.json`` of the main folder, and of the other registered folders."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nicegui import ui

from jounce.app.plots import layout
from jounce.app.review import dialogs
from jounce.core.errors import JounceError

if TYPE_CHECKING:
    from jounce.app.folders import Folders
    from jounce.app.review.page import Review

PLACE = "layouts"


def known(folders: Folders) -> dict[str, Path]:
    """Layout files of the registered folders, by a name to show; the main folder's by their own names."""
    found = {}
    for folder in folders:
        for file in sorted((folder.path / PLACE).glob("*.json")):
            name = file.stem if folder.path == folders.main else f"{folder.alias}/{file.stem}"
            found[name] = file
    return found


def place(folders: Folders, name: str) -> Path:
    """The file of a layout of the main folder."""
    stem = re.sub(r"[^\w .-]+", "_", name).strip(" ._") or "layout"
    return folders.resolve(f"{folders.main_alias}/{PLACE}/{stem}.json", write=True)


def fill(review: Review, box: Any) -> None:
    """Put the entries of the menu into an element, anew each time it opens."""
    box.clear()
    with box:
        ui.menu_item("The usual pages", lambda: review.use(layout.usual()))
        for name, file in known(review.bench.folders).items():
            ui.menu_item(name, lambda file=file: _use(review, file))
        ui.separator()
        ui.menu_item("Save these pages as …", lambda: _save(review))


def _use(review: Review, file: Path) -> None:
    try:
        _, pages = layout.read(file)
    except (JounceError, OSError) as problem:
        review.view.notify(str(problem), "negative")
        return
    review.use(pages)


async def _save(review: Review) -> None:
    name = await dialogs.ask("Save the pages as", str(review.state.get("layout", "My pages")))
    if not name:
        return
    try:
        file = layout.write(place(review.bench.folders, name), name, review.pages)
    except (JounceError, OSError) as problem:
        review.view.notify(str(problem), "negative")
        return
    review.state["layout"] = name
    review.view.save()
    review.view.notify(f"saved: {review.bench.folders.shown(file)}", "positive")
