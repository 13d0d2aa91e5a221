"""Elements of the Build page that are made in the browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui.element import Element


class _Sent(Element):  # type: ignore[misc]
    """An element that is told what to show, and tells what was done."""

    def show(self, **props: Any) -> None:
        """Show something else."""
        changed = {name: value for name, value in props.items() if self._props.get(name) != value}
        if changed:
            for name, value in changed.items():
                self._props[name] = value
            self.update()

    def when(self, event: str, function: Callable[..., Any]) -> None:
        """Call a function with what an event brings."""
        self.on(event, lambda told: function(**(told.args or {})))


class Tree(_Sent, component="static/build_tree.js"):  # type: ignore[call-arg]
    """Groups of a vehicle."""


class Rows(_Sent, component="static/build_rows.js"):  # type: ignore[call-arg]
    """Fields of a group."""


class CurveEditor(_Sent, component="static/build_curve.js"):  # type: ignore[call-arg]
    """A curve or a map."""


class Charts(_Sent, component="static/build_charts.js"):  # type: ignore[call-arg]
    """Small pictures of curves."""
