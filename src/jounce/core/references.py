"""Files that a vehicle refers to and does not own: tires now, other property files later."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from jounce.core.errors import FormatError, did_you_mean
from jounce.core.library import LIBRARY
from jounce.core.limits import Limits, is_file, read_bytes

_LIMITS = Limits("a file of a vehicle", size=50_000_000)


@dataclass(frozen=True)
class FileReference:
    """A file by its place and content. Two references are equal when the contents are, wherever the files lie.

    Attributes
    ----------
    path : absolute path of the file
    digest : SHA-256 of its content
    name : as written: a path, or the name of something in the library
    """

    path: Path = field(compare=False)
    digest: str
    name: str = field(default="", compare=False)

    @property
    def in_library(self) -> bool:
        """Whether the file belongs to jounce itself, so that its name alone finds it anywhere."""
        return self.path.is_relative_to(LIBRARY)

    def __str__(self) -> str:
        return self.path.stem if self.in_library else str(self.path)


def refer(name: str, folder: Path | None, family: str, suffix: str) -> FileReference:
    """Find a file by its path, relative to `folder` or the working folder, or by its name in the library.

    Raises
    ------
    FormatError
        Naming the places searched.
    """
    text = name.strip()
    given = Path(text)
    places = [given] if given.is_absolute() else [*([folder / given] if folder else []), Path.cwd() / given]
    if len(given.parts) == 1:
        stem = text[: -len(suffix)] if text.lower().endswith(suffix) else text
        places.append(LIBRARY / family / f"{stem}{suffix}")
    places = list(dict.fromkeys(place.absolute() for place in places))
    for place in places:
        if is_file(place):
            path = Path(*_normal(place))
            return FileReference(path, hashlib.sha256(read_bytes(place, _LIMITS)).hexdigest(), text)
    known = sorted(path.stem for path in (LIBRARY / family).glob(f"*{suffix}"))
    hint = did_you_mean(text, known, limit=12).replace("  known:", "  in the library:")
    searched = "; ".join(str(place) for place in places)
    raise FormatError(f"no such file, searched: {searched}{hint}")


def _normal(path: Path) -> tuple[str, ...]:
    """Take out the steps up without following links."""
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and len(parts) > 1:
            parts.pop()
        elif part != "..":
            parts.append(part)
    return tuple(parts)
