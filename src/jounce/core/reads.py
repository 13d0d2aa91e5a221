"""Which files were read: readers note them, and whoever packs what a run needs asks."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path

_NOTED: ContextVar[list[Path] | None] = ContextVar("files_read", default=None)


def note_read(path: str | os.PathLike[str]) -> None:
    """Say that a file is read; every reader that opens one which another names does so."""
    noted = _NOTED.get()
    if noted is not None:
        noted.append(Path(os.path.abspath(path)))


@contextlib.contextmanager
def files_read() -> Iterator[list[Path]]:
    """Gather the files that are read within the block, absolute, in their order."""
    noted: list[Path] = []
    token = _NOTED.set(noted)
    try:
        yield noted
    finally:
        _NOTED.reset(token)
