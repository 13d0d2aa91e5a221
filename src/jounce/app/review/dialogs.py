"""Small questions to the user, and small buttons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui


async def ask(title: str, value: str = "", *, empty: bool = False) -> str | None:
    """A line of text from the user; None when he leaves it."""
    with ui.dialog() as dialog, ui.card().classes("jn-ask"):
        ui.label(title).classes("jn-ask-title")
        field = ui.input(value=value).props("dense outlined autofocus").classes("full-width")
        field.on("keydown.enter", lambda: dialog.submit(field.value))
        with ui.row().classes("justify-end full-width"):
            ui.button("Cancel", on_click=lambda: dialog.submit(None)).props("flat dense no-caps")
            ui.button("OK", on_click=lambda: dialog.submit(field.value)).props("dense no-caps unelevated")
    found = await dialog
    dialog.delete()
    text = None if found is None else str(found).strip()
    return text if text or empty else None


async def sure(question: str, verb: str) -> bool:
    """Whether the user agrees."""
    with ui.dialog() as dialog, ui.card().classes("jn-ask"):
        ui.label(question)
        with ui.row().classes("justify-end full-width"):
            ui.button("Cancel", on_click=lambda: dialog.submit(False)).props("flat dense no-caps")
            ui.button(verb, on_click=lambda: dialog.submit(True)).props("dense no-caps unelevated color=negative")
    found = bool(await dialog)
    dialog.delete()
    return found


def button(icon: str, text: str, does: Callable[[], Any]) -> Any:
    """A button that is an icon; words with the pointer over it."""
    button = ui.button(on_click=does).props(f'icon={icon} flat dense round size=sm aria-label="{text}"')
    with button:
        ui.tooltip(text)
    return button
