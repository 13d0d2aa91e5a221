"""Locks between processes, by files. The operating system drops a lock with its holder."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator

from jounce.core.errors import FormatError


@contextlib.contextmanager
def hold(path: str | os.PathLike[str]) -> Iterator[bool]:
    """Hold a lock while the block lasts; gives False at once where another process holds it."""
    try:
        file = open(path, "ab")  # noqa: SIM115
    except OSError as problem:
        raise FormatError(f"{path}: cannot be written ({problem.strerror})") from None
    with file:
        yield try_lock(file.fileno())


if sys.platform == "win32":

    def try_lock(descriptor: int) -> bool:
        """Whether the lock of an open file could be had."""
        import msvcrt

        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:

    def try_lock(descriptor: int) -> bool:
        """Whether the lock of an open file could be had."""
        import errno
        import fcntl

        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            # A file system without locks: go on without one.
            return error.errno not in (errno.EAGAIN, errno.EACCES)
        return True
