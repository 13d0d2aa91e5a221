"""What tools that write files of the library end with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def put(texts: Mapping[Path, str], folder: Path, arguments: list[str]) -> int:
    """Write new texts of files, or with ``--check`` only tell them; the exit code."""
    check = "--check" in arguments
    for path, text in texts.items():
        if not check:
            path.write_text(text, encoding="utf-8", newline="\n")
    stale = [str(path.relative_to(folder)) for path in texts]
    print(f"{len(stale)} files {'are stale' if check else 'written'}: {stale}")
    return 1 if stale and check else 0
