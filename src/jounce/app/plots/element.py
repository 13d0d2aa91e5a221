"""Plots as an element of a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nicegui.element import Element

if TYPE_CHECKING:
    from jounce.app.pages import View

__all__ = ["Plots"]


class Plots(Element, component="static/jounce_plots.js"):  # type: ignore[call-arg, misc]
    """A page of plots; see `jounce.app.plots`."""

    def __init__(self, view: View, *, editable: bool = False, columns: int = 0) -> None:
        """Fill the container with plots.

        Parameters
        ----------
        editable : whether curves and plots may be added and removed
        columns : plots side by side; 0: as many as fit
        """
        super().__init__()
        self._props["editable"] = editable
        self._props["columns"] = columns
        self._view = view

    @property
    def name(self) -> str:
        """HTML id of the element, by which ``window.jouncePlots`` knows it."""
        return f"c{self.id}"

    def show(self, runs: Sequence[tuple[str, str]], panels: Sequence[Mapping[str, Any]]) -> None:
        """Lay runs, (id, label), over each other."""
        self.run_method("show", [{"id": id, "label": label} for id, label in runs], list(panels))

    def live(self, run: str, label: str, panels: Sequence[Mapping[str, Any]], end: float = 0.0) -> None:
        """Follow a run that goes on; ``end`` is when it is expected to end, s."""
        self.run_method("live", run, label, list(panels), end)

    def add(self, names: Sequence[str]) -> None:
        """Add channels to the plot that was used last."""
        self.run_method("add", list(names))

    def add_plot(self, names: Sequence[str]) -> None:
        """Add a plot of channels."""
        self.run_method("addPlot", list(names))

    def set_columns(self, columns: int) -> None:
        """Plots side by side; 0: as many as fit."""
        self.run_method("setColumns", columns)

    def save(self, name: str) -> None:
        """Have the browser save all plots as one PNG."""
        self.run_method("save", name)

    def say(self, text: str) -> None:
        """Words in place of plots."""
        self.run_method("said", text)

    def on_changed(self, function: Callable[[list[dict[str, Any]]], Any]) -> None:
        """Call a function with the panels after the user has changed them."""
        self.on("changed", lambda event: function(list(event.args["panels"])))

    def on_ended(self, function: Callable[[str, str], Any]) -> None:
        """Call a function with the id and the status of a run that was followed and has ended."""
        self.on("ended", lambda event: function(str(event.args["run"]), str(event.args["status"])))
