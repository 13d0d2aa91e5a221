"""The Build page in one tab: what is chosen, what is shown of it, and what is done to it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import background_tasks, ui

from jounce.app.build import curves, dialogs
from jounce.app.build.beside import Beside
from jounce.app.build.describe import Group, Shown, files_of, group_of, label_of, rows, tree
from jounce.app.build.document import Document, short
from jounce.app.build.elements import CurveEditor, Rows, Tree
from jounce.app.forms import button, sure
from jounce.app.pages import View
from jounce.core.curves import Curve
from jounce.core.errors import JounceError, ParameterError

LOOK = 0.15  # s between two looks at what other tabs did


class Desk:
    """One tab."""

    def __init__(self, view: View) -> None:
        self.view, self.workbench = view, view.workbench
        self.documents = self.workbench.documents
        self.document: Document | None = None
        state = view.state
        self.node, self.order = str(state.get("node", "")), str(state.get("order", "subsystem"))
        self.pattern, self.curve = str(state.get("filter", "")), str(state.get("curve", ""))
        self.root: Group | None = None
        self._seen: tuple[Any, ...] = ()

    # --- layout -----------------------------------------------------------------------------------------------------

    def lay_out(self) -> None:
        """Make the elements; they are filled when a vehicle is chosen."""
        self.bar = ui.element("div").classes("jb-docs")
        self.tree = Tree()
        self.tree.when("select", self._select)
        self.tree.when("filter", self._filter)
        self.tree.when("turn", self._turn_order)
        with ui.element("section").classes("jb-middle"):
            self.rows = Rows()
            does: dict[str, Callable[..., Any]] = {
                "check": self._check,
                "change": self._change,
                "reset": self._reset,
                "unit": self._unit,
                "focus": self._focus,
                "curve": self._open_curve,
                "remove": self._remove,
                "add": self._add,
                "command": self._command,
            }
            for event, function in does.items():
                self.rows.when(event, function)
            self.editor = CurveEditor()
            does = {
                "change": self._curve_changed,
                "close": self._close_curve,
                "table": self._as_table,
                "export": self._export,
                "import": self._import,
            }
            for event, function in does.items():
                self.editor.when(event, function)
            self.editor.set_visibility(False)
        self.beside = Beside(self)
        self.beside.lay_out()
        ui.timer(LOOK, self._look)

    def command(self, text: str, do: Callable[..., Any], hint: str = "", style: str = "") -> Any:
        """A button of a bar."""
        return button(text, do, style, hint)

    def _bar(self) -> None:
        self.bar.clear()
        with self.bar:
            for item in self.documents:
                marks = f"jb-doc{' on' if item is self.document else ''}{' dirty' if item.dirty else ''}"
                with ui.element("div").classes(marks) as tab:
                    ui.label(f"{item.label}{' •' if item.dirty else ''}")
                    with ui.element("button") as cross:
                        ui.label("×")
                    tab._props |= {"data-document": item.id, "title": item.source}
                    cross._props["title"] = f"Close {item.label}"
                    cross.on("click.stop", lambda _, item=item: self._close(item))
                tab.on("click", lambda _, item=item: self.choose(item.id))
            self.command("+ Open", lambda: dialogs.open_vehicle(self), "Open a vehicle of the library or of a folder")
            ui.element("div").classes("jn-space")
            document = self.document
            for name, text, hint, able in (
                ("undo", "Undo", "Ctrl+Z", document is not None and document.can_undo),
                ("redo", "Redo", "Ctrl+Y", document is not None and document.can_redo),
                ("duplicate", "Duplicate", "A copy to change; this one stays as it is", document is not None),
                ("save", "Save", "Ctrl+S", document is not None and document.dirty),
                ("save-as", "Save as …", "Ctrl+Shift+S", document is not None),
            ):
                made = self.command(text, lambda name=name: self._command(name), hint)
                made.props(f"data-command={name}")
                if not able:
                    made.props("disabled")
            if document is not None and any(item.name == "test" for item in _pages()):
                link = ui.element("a").classes("jf-cmd primary").props(f'href="/test?document={document.id}"')
                with link:
                    ui.label("Test ▸")

    # --- what is chosen ---------------------------------------------------------------------------------------------

    async def choose(self, id: str) -> None:
        """Show a vehicle; the first one where there is none of that id."""
        known = {item.id: item for item in self.documents}
        document = known.get(id) or next(iter(known.values()), None)
        if document is not self.document:
            self.document, self.root = document, None
        self._keep(document="" if document is None else document.id)
        self._seen = ()
        await self._look()

    async def _look(self) -> None:
        """Show what changed, here or in another tab."""
        if self.document is not None and self.document.id not in {item.id for item in self.documents}:
            self.document, self.root = next(iter(self.documents), None), None
        document = self.document
        revision = document.revision if document is not None else -1
        seen = (self.documents.revision, document, (revision, self.workbench.preferences.revision))
        if seen == self._seen:
            return
        fresh = self._seen[1:] != seen[1:]
        self._seen = seen
        if fresh and document is not None:
            await self._read(document)
        self._bar()
        if fresh:
            self.show()
            await self.beside.changed()

    async def _read(self, document: Document) -> None:
        try:
            vehicle = await asyncio.to_thread(lambda: document.vehicle)
        except JounceError as problem:
            self.root = None
            self.view.notify(f"{document.label}: {problem}", "negative")
            self.workbench.log.add("error", str(problem), document.label)
            return
        self.root = group_of(vehicle)
        self.files = files_of(vehicle)
        self.was = {item.path: short(item.ours, item.unit) for item in await asyncio.to_thread(document.differences)}
        self.doubts = await asyncio.to_thread(doubts_by_path, vehicle)

    def shown(self) -> Shown:
        """How rows are shown."""
        units = dict(self.workbench.session.setting("units", {}))
        return Shown(units, self.was, self.doubts, self.files, towed=self.workbench.preferences["trailers"])

    def show(self) -> None:
        """Show tree, rows and curve as they are now."""
        if self.root is None:
            self.tree.show(nodes=[], selected="", all=False)
            self.rows.show(rows=[], focus="")
            self.editor.set_visibility(False)
            return
        shown = self.shown()
        if self.node and not any(group.path == self.node for group in self.root.walk()):
            self.node = ""
        nodes = tree(self.root, shown, order=self.order, pattern=self.pattern)
        self.tree.show(nodes=nodes, selected=self.node, all=bool(self.pattern), order=self.order, pattern=self.pattern)
        start = "" if self.pattern else self.node
        deep = bool(self.pattern or self.node)
        self.rows.show(rows=rows(self.root, shown, start, pattern=self.pattern, deep=deep))
        self._show_curve(shown)

    def _keep(self, **what: Any) -> None:
        self.view.state.update(what)
        self.view.save()

    def _select(self, path: str) -> None:
        self.node, self.pattern = path, ""
        self._keep(node=path, filter="")
        self.show()
        self.beside.selected(path)

    def _filter(self, pattern: str) -> None:
        self.pattern = pattern.strip()
        self._keep(filter=self.pattern)
        self.show()

    def _turn_order(self) -> None:
        self.order = "component" if self.order == "subsystem" else "subsystem"
        self._keep(order=self.order)
        self.show()

    def go(self, path: str) -> None:
        """Show the row of a path, or the group around it."""
        if self.root is None:
            return
        groups = sorted((g.path for g in self.root.walk() if g.path == path or path.startswith(g.path)), key=len)
        self._select(groups[-1] if groups else "")
        self.rows.run_method("show", path)

    def _focus(self, path: str) -> None:
        self.rows.show(focus=path)
        self.beside.mark(path)

    # --- values -----------------------------------------------------------------------------------------------------

    def _row(self, path: str) -> dict[str, Any]:
        found: list[dict[str, Any]] = self.rows.props.get("rows", [])
        return next((row for row in found if row["path"] == path and row["t"] != "head"), {})

    def _raw(self, path: str, text: Any) -> Any:
        """What was typed, as a file has it: a number gets the unit that stands behind it; nothing is None."""
        if not isinstance(text, str):
            return text
        row = self._row(path)
        value = text.strip()
        if row.get("several"):
            return [part.strip() for part in value.split(",") if part.strip()]
        if row.get("t") == "text":
            return value
        if not value:
            return None
        if row.get("t") in ("number", "curve"):
            value = value.replace("−", "-")
            unit = str(row.get("shown", ""))
            try:
                number = float(value)
            except ValueError:
                return value
            if row.get("whole"):
                return int(number) if number.is_integer() else number
            return f"{value} {unit}" if unit not in ("", "-") else number
        return value

    def _changes(self, path: str, value: Any) -> dict[str, Any]:
        row = self._row(path)
        raw = self._raw(path, value)
        if row.get("t") == "curve" and raw is not None:
            raw = {row["form"]: raw}
        return {path: raw}

    async def _check(self, path: str, text: str) -> None:
        """Say what would come of something that is still being typed."""
        document = self.document
        if document is None:
            return
        error, remark = "", ""
        try:
            _, doubts = await asyncio.to_thread(document.tried, self._changes(path, text))
            remark = "; ".join(_without(path, doubt) for doubt in doubts)
        except JounceError as problem:
            error = str(problem)
        self.rows.run_method("told", path, text, error, remark)

    async def _change(self, path: str, value: Any) -> None:
        if await self.change(self._changes(path, value), path):
            self.rows.run_method("taken", path)

    async def change(self, changes: dict[str, Any], path: str = "") -> bool:
        """Take a step; where it is refused that is said, and False returned."""
        document = self.document
        if document is None:
            return False
        try:
            doubts = await asyncio.to_thread(document.change, changes)
        except JounceError as problem:
            if path:
                self.rows.run_method("refused", path, str(problem))
            else:
                self.view.notify(str(problem), "negative")
            return False
        for doubt in doubts:
            self.workbench.log.add("warning", doubt, document.label, "/build")
        await self._look()
        return True

    async def _reset(self, path: str) -> None:
        if self.document is not None:
            await self.attempt(asyncio.to_thread(self.document.reset, path))
            self.rows.run_method("taken", path)

    def _unit(self, unit: str, shown: str) -> None:
        units = dict(self.workbench.session.setting("units", {}))
        self.workbench.session.set("units", {**units, unit: shown})
        self.show()

    async def _remove(self, path: str) -> None:
        await self.change({path: None})

    def _add(self, path: str) -> None:
        dialogs.add_part(self, path)

    # --- curves -----------------------------------------------------------------------------------------------------

    def _curve_at(self, path: str) -> Curve | None:
        assert self.document is not None
        try:
            found = self.document.vehicle.get(path)
        except ParameterError:
            return None
        return found if isinstance(found, Curve) else None

    def _declared(self, path: str) -> Any:
        """Units of a curve, there or not."""
        found = self._curve_at(path)
        if found is not None:
            return found.units
        assert self.root is not None
        group = max((g for g in self.root.walk() if path.startswith(g.path)), key=lambda g: len(g.path))
        return type(group.data).curve_units(path.rpartition(".")[2], {})

    def _open_curve(self, path: str) -> None:
        self.curve = path
        self._keep(curve=path)
        self.show()

    def _close_curve(self) -> None:
        self.curve = ""
        self._keep(curve="")
        self.show()

    def _show_curve(self, shown: Shown) -> None:
        at = self.curve.rpartition(".")[0]
        there = bool(self.curve) and self.root is not None and any(g.path == at for g in self.root.walk())
        self.editor.set_visibility(there)
        if not there or self.document is None:
            return
        units, found = self._declared(self.curve), self._curve_at(self.curve)
        told = curves.displayed(found, units, shown)
        try:
            before = self.document.original.get(self.curve)
        except ParameterError:
            before = None
        if isinstance(before, Curve) and before != found and before.is_table:
            was = curves.displayed(before, units, shown)
            told["was"] = {"x": was["x"], "y": was["y"]}
        steps = self.curve.removesuffix(".curve").split(".")
        label = " · ".join(label_of(step) for step in steps[-2:])
        self.editor.show(curve={**told, "path": self.curve, "label": label})

    async def _curve_changed(self, path: str, **told: Any) -> None:
        try:
            raw = curves.taken(told, self._curve_at(path), self._declared(path), self.shown())
            assert self.document is not None
            await asyncio.to_thread(self.document.change, {path: raw})
        except (JounceError, ValueError, TypeError) as problem:
            self.editor.run_method("refused", str(problem))
            return
        await self._look()

    async def _as_table(self, path: str) -> None:
        found = self._curve_at(path)
        if found is not None:
            await self.change({path: curves.table_of(found)})

    def _export(self, path: str) -> None:
        found = self._curve_at(path)
        if found is None or self.document is None:
            return
        shown = self.shown()
        units = [shown.unit(u) for u in (found.units.x, found.units.z if found.z else "", found.units.y) if u]
        text = found.to_csv(units, f"{self.document.label}: {path.removesuffix('.curve')}")
        ui.download(text.encode(), f"{path.removesuffix('.curve').replace('.', '_')}.csv")

    async def _import(self, path: str, name: str, text: str) -> None:
        try:
            raw = await asyncio.to_thread(dialogs.curve_of_text, self.workbench, text, self._declared(path), name)
            assert self.document is not None
            await asyncio.to_thread(self.document.change, {path: raw})
        except JounceError as problem:
            self.editor.run_method("refused", str(problem))
            return
        await self._look()

    # --- commands ---------------------------------------------------------------------------------------------------

    async def _command(self, name: str) -> None:
        document = self.document
        if document is None:
            return
        if name == "undo":
            document.undo()
        elif name == "redo":
            await self.attempt(asyncio.to_thread(document.redo))
        elif name == "duplicate":
            made = await self.attempt(asyncio.to_thread(self.documents.duplicate, document.id))
            if made is not None:
                await self.choose(made.id)
        elif name == "save" and document.writable:
            if document.dirty and await self.attempt(asyncio.to_thread(document.save)) is not None:
                self.workbench.log.add("good", "saved", document.label)
        elif name in ("save", "save-as"):
            dialogs.save_as(self, document)
        await self._look()

    async def _close(self, document: Document) -> None:
        if document.dirty and not await sure(
            f"Close {document.label}?",
            f"{len(document.differences())} changes were not saved and will be lost.",
            "Close",
        ):
            return
        self.documents.close(document.id)
        await self._look()

    async def attempt(self, doing: Awaitable[Any]) -> Any:
        """The result of something; where it is refused that is said, and None returned."""
        try:
            return await doing
        except (JounceError, OSError) as problem:
            self.view.notify(str(problem), "negative")
            return None

    def later(self, doing: Any) -> None:
        """Do something beside everything else."""
        background_tasks.create(doing)


def doubts_by_path(vehicle: Any) -> dict[str, str]:
    """What is doubted of a vehicle, by path."""
    from jounce.vehicle.plausible import doubts_of

    return {item.path: item.message for item in doubts_of(vehicle)}


def _without(path: str, doubt: str) -> str:
    return doubt.removeprefix(f"{path}: ").removeprefix(f"{path.removesuffix('.curve')}: ")


def _pages() -> list[Any]:
    from jounce.app.pages import pages

    return pages()


__all__ = ["Desk"]
