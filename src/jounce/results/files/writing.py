"""Files as a whole or not at all: written beside the target, then put in its place."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from jounce.core.errors import FormatError


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str], suffix: str = ".tmp") -> Iterator[Path]:
    """Give a temporary path to write to; it takes the place of ``path`` when the block ends without an exception."""
    target = Path(path).expanduser()
    if not target.parent.is_dir():
        raise FormatError(f"{target}: there is no folder {str(target.parent)!r}; make it first")
    if target.is_dir():
        raise FormatError(f"{target}: is a folder")
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=suffix)
        os.close(handle)
        temporary = Path(name)
        try:
            yield temporary
            shutil.copymode(target, temporary) if target.exists() else temporary.chmod(0o644)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as problem:
        raise FormatError(f"{target}: cannot be written ({problem.strerror or problem})") from None


def put_text(path: str | os.PathLike[str], text: str) -> Path:
    """Write a text file."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="")
    return Path(path).expanduser()
