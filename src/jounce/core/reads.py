"""Which files were read: readers note them, and whoever packs what a run needs asks.

Whoever reads on behalf of somebody else says which folders may be read from at all (`only_from`).
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from pathlib import Path

from jounce.core.errors import FormatError

_NOTED: ContextVar[list[Path] | None] = ContextVar("files_read", default=None)
_ALLOWED: ContextVar[tuple[str, ...] | None] = ContextVar("read_only_from", default=None)


def note_read(path: str | os.PathLike[str]) -> None:
    """Say that a file is read; every reader that opens one which another names does so.

    Raises
    ------
    FormatError
        Within `only_from`: the file lies elsewhere.
    """
    allowed = _ALLOWED.get()
    if allowed is not None and not _inside(os.path.realpath(path), allowed):
        raise FormatError(f"{path}: lies outside the folders that may be read here")
    noted = _NOTED.get()
    if noted is not None:
        noted.append(Path(os.path.abspath(path)))


def _inside(place: str, folders: tuple[str, ...]) -> bool:
    return any(place == folder or place.startswith(os.path.join(folder, "")) for folder in folders)


@contextlib.contextmanager
def files_read() -> Iterator[list[Path]]:
    """Gather the files that are read within the block, absolute, in their order."""
    noted: list[Path] = []
    token = _NOTED.set(noted)
    try:
        yield noted
    finally:
        _NOTED.reset(token)


@contextlib.contextmanager
def only_from(folders: Iterable[str | os.PathLike[str]]) -> Iterator[None]:
    """Refuse to read files outside of some folders within the block; a link counts as where it leads."""
    token = _ALLOWED.set(tuple(os.path.realpath(folder) for folder in folders))
    try:
        yield
    finally:
        _ALLOWED.reset(token)
