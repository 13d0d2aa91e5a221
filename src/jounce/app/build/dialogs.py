"""Dialogs of the Build page."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nicegui import ui

from jounce.app.build.describe import kinds_at, label_of, word_of
from jounce.app.build.document import Document
from jounce.app.build.values import usual_unit
from jounce.app.forms import Field, box, button, foot
from jounce.core.errors import FormatError, JounceError, ParameterError
from jounce.core.fields import Data, meta

if TYPE_CHECKING:
    from jounce.app.build.desk import Desk
    from jounce.app.workbench import Workbench


def open_vehicle(desk: Desk) -> None:
    """Choose a vehicle of the library or of a registered folder."""
    folders = desk.workbench.folders
    dialog, body = box("Open a vehicle")
    known = folders.vehicles()

    async def take(source: str, register: bool = False) -> None:
        try:
            if register:
                place = Path(source).expanduser()
                place = place if place.is_dir() else place.parent
                desk.workbench.register(str(place), for_session=True)
            found = await asyncio.to_thread(desk.documents.open, source)
        except JounceError as problem:
            said.set_text(str(problem))
            outside = Path(source).is_absolute() and Path(source).exists() and not register
            anyway.set_visibility(outside)
            return
        dialog.close()
        await desk.choose(found.id)

    with body:
        with ui.element("div").classes("jf-list"):
            for name, place in known.items():
                with ui.element("div").props("tabindex=0 role=button") as line:
                    ui.label(name)
                    ui.label(folders.shown(place)).classes("jn-muted")
                for event in ("click", "keydown.enter"):
                    line.on(event, lambda _, name=name: take(name))
        where = Field("or a file or folder in a registered folder", do=lambda: take(where.value))
        said = ui.label("").classes("jf-said")
        anyway = button("Register its folder for this session, and open it", lambda: take(where.value, True))
        anyway.set_visibility(False)
        foot(dialog, "Open", lambda: take(where.value))
    dialog.open()


def save_as(desk: Desk, document: Document) -> None:
    """Save under another name."""
    dialog, body = box("Save as a vehicle of its own")

    async def do() -> None:
        try:
            place = await asyncio.to_thread(document.save_as, name.value, folder.value)
        except (JounceError, OSError) as problem:
            said.set_text(str(problem))
            return
        dialog.close()
        desk.workbench.log.add("good", f"saved as {desk.workbench.folders.shown(place)}", document.label)
        await desk._look()

    with body:
        name = Field("Name", document.clone or f"{document.label} 2", do)
        folder = Field("Folder", f"{desk.workbench.folders.main_alias}/vehicles", do)
        said = ui.label("").classes("jf-said")
        foot(dialog, "Save", do)
    dialog.open()


def add_part(desk: Desk, path: str) -> None:
    """Add a part where one may stand: its kind, and its data as in a file."""
    document, root = desk.document, desk.root
    if document is None or root is None:
        return
    at, _, name = path.rpartition(".")
    group = next((g for g in root.walk() if g.path == at), None)
    if group is None:
        return
    kinds = kinds_at(group.data, name)
    several = isinstance(getattr(group.data, name), tuple)
    dialog, body = box(f"Add: {label_of(path) if not several else word_of(name.removesuffix('s'))}")

    def changes() -> dict[str, Any]:
        from jounce.core.fields import to_raw

        raw = parsed(text.value)
        if not several:
            return {path: raw}
        return {path: [*(to_raw(item) for item in getattr(group.data, name)), raw]}

    async def check() -> None:
        try:
            await asyncio.to_thread(document.tried, changes())
            said.set_text("")
        except JounceError as problem:
            said.set_text(str(problem))

    async def do() -> None:
        try:
            wanted = changes()
            await asyncio.to_thread(document.change, wanted)
        except JounceError as problem:
            said.set_text(str(problem))
            return
        dialog.close()
        await desk._look()

    def choose(kind: str) -> None:
        text.put(template(kinds[kind], kind))
        doc.set_text(_about(kinds[kind]))
        desk.later(check())

    with body:
        if len(kinds) > 1:
            chooser = ui.select(list(kinds), label="Kind", on_change=lambda e: choose(str(e.value)))
            chooser.props("dense outlined options-dense")
        doc = ui.label("").classes("jn-muted")
        text = Field("Data, as in a file; what stands behind # is optional", lines=True)
        text.element.on("update:model-value", lambda _: desk.later(check()), throttle=0.3, leading_events=False)
        said = ui.label("").classes("jf-said")
        foot(dialog, "Add", do)
    first = next(iter(kinds))
    if len(kinds) > 1:
        chooser.value = first
    else:
        choose(first)
    dialog.open()


def _about(kind: type[Data]) -> str:
    return (kind.__doc__ or "").strip().split("\n\n")[0].replace("\n", " ")


def template(kind: type[Data], name: str) -> str:
    """Keys of a kind of part as a file has them, those that are optional behind ``#``."""
    lines = [f"kind: {name}"] if name else []
    for key in kind.known_keys():
        info = kind.model_fields.get(key)
        if info is None or key in ("kind", "right", "provenance"):
            continue
        extra = meta(info)
        unit = usual_unit(str(extra.get("unit", ""))) if extra.get("kind") == "quantity" else ""
        default = "" if info.is_required() or info.default in (None, (), "") else info.default
        if extra.get("kind") == "quantity" and default != "":
            from jounce.app.build.values import number_text

            default = f"{number_text(float(default), str(extra['unit']), unit)} {unit}".replace(" -", "")
        shown = str(default).lower() if isinstance(default, bool) else default
        if not isinstance(shown, str | int | float):
            shown = ""
        head = "" if info.is_required() else "# "
        hint = (
            f"   # {unit}; {info.description}" if unit not in ("", "-") and shown == "" else f"   # {info.description}"
        )
        lines.append(f"{head}{key}: {shown}{hint}")
    return "\n".join(lines) + "\n"


def parsed(text: str) -> Any:
    """YAML text as data."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        found = YAML(typ="safe", pure=True).load(text)
    except (YAMLError, ValueError) as problem:
        raise ParameterError(f"not readable: {problem}") from None
    if found is None:
        return {}
    if not isinstance(found, dict):
        return found
    return {str(key): value for key, value in found.items()}


def curve_of_text(workbench: Workbench, text: str, units: Any, name: str) -> dict[str, Any]:
    """A curve from the text of a CSV file, as a file has it."""
    from jounce.core.curves import read_csv
    from jounce.core.fields import to_raw

    place = workbench.place / "import.csv"
    place.write_text(text, encoding="utf-8")
    try:
        found = to_raw(read_csv(place, units))
    except FormatError as problem:
        raise FormatError(str(problem).replace(str(place), name)) from None
    finally:
        place.unlink(missing_ok=True)
    return found if isinstance(found, dict) else {units.constant: found}
