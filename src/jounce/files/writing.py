"""Files that are whole when they appear: written beside their place, then renamed."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from jounce.core.errors import FormatError


def write_atomically(path: str | Path, data: bytes | str) -> None:
    """Write a file so that others see all of it or nothing; a link is followed."""
    target = Path(os.path.realpath(path))
    content = data.encode("utf-8") if isinstance(data, str) else data
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, target)
    except BaseException as error:
        if temporary:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        if isinstance(error, OSError):
            raise FormatError(f"{path}: cannot be written ({error.strerror or error})") from None
        raise
