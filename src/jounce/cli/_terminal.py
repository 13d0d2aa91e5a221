"""Tables and status lines on the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console, RenderableType


def console() -> Console:
    """The terminal for lines of text, which are never broken: a reader of a pipe finds whole lines."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=True)


def show(table: RenderableType) -> None:
    """Print a table as wide as it is: nothing of it is cut, neither by a narrow terminal nor in a pipe."""
    from rich.console import Console
    from rich.measure import Measurement

    ample = Console(width=10_000)
    needed = Measurement.get(ample, ample.options, table).maximum
    Console(highlight=False, width=max(needed, 1)).print(table)


@contextmanager
def waiting(what: str, *, quiet: bool = False) -> Iterator[Callable[[], None]]:
    """A line that says what is done and for how long, while it is done; gives a function that ends it sooner."""
    if quiet or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns: tuple[Any, ...] = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    line = Progress(*columns, console=Console(stderr=True), transient=True)
    line.add_task(what, total=None)
    line.start()
    try:
        yield line.stop
    finally:
        line.stop()
