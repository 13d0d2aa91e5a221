"""Files as a whole or not at all: written beside their place, then put there."""

from __future__ import annotations

import contextlib
import glob
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from jounce.core.errors import FormatError

NEW_FILE = 0o644
ABANDONED = 86400.0  # s: nobody writes a file for a day


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str], suffix: str = ".tmp") -> Iterator[Path]:
    """Give a temporary path to write to; it takes the place of ``path`` when the block ends without an exception.

    A link is followed; a file that was there keeps its mode.
    """
    target = Path(os.path.realpath(Path(path).expanduser()))
    if not target.parent.is_dir():
        raise FormatError(f"{path}: there is no folder {str(target.parent)!r}; make it first")
    if target.is_dir():
        raise FormatError(f"{path}: is a folder")
    try:
        _sweep(target, suffix)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=suffix)
        os.close(handle)
        temporary = Path(name)
        try:
            yield temporary
            shutil.copymode(target, temporary) if target.exists() else temporary.chmod(NEW_FILE)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as problem:
        raise FormatError(f"{path}: cannot be written ({problem.strerror or problem})") from None


def _sweep(target: Path, suffix: str) -> None:
    """Remove what a process left that was killed while it wrote this very file."""
    for path in target.parent.glob(f".{glob.escape(target.name)}.????????{suffix}"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > ABANDONED:
                path.unlink()


def write_atomically(path: str | os.PathLike[str], data: bytes | str) -> Path:
    """Write a file so that others see all of it or nothing; text as UTF-8 with its line ends as they are."""
    with replacing(path) as temporary:
        temporary.write_bytes(data.encode("utf-8") if isinstance(data, str) else data)
    return Path(path).expanduser()


def file_hash(path: str | os.PathLike[str]) -> str:
    """SHA-256 of what a file holds."""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as problem:
        raise FormatError(f"{path}: cannot be read ({problem.strerror or problem})") from None
