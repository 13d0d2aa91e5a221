"""What is open, kept on disk as it changes: after a restart or a crash the workbench comes up as it was.

Everything here is plain data (JSON). Every change is written at once, as a whole file that takes the place of the old
one; a file that cannot be read is put aside and told, and the session begins anew.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from jounce.core.errors import FormatError
from jounce.core.limits import Limits, parse_json, read_bytes
from jounce.core.writing import write_atomically

FORMAT = "jounce-session-1"
FILE = "session.json"
LIMITS = Limits("a session", size=50_000_000)


def empty() -> dict[str, Any]:
    """A session in which nothing is open."""
    return {"format": FORMAT, "documents": [], "plan": [], "runs": [], "pages": {}, "settings": {}}


class Session:
    """The data of a session and their file.

    Attributes
    ----------
    data : ``documents``, ``plan``, ``runs``, ``pages`` by name, ``settings``
    file : where they are kept
    revision : counts the changes
    epoch : counts how often another session took its place
    remarks : what went wrong when it was read
    """

    def __init__(self, folder: Path) -> None:
        self.file = folder / FILE
        self.revision = self.epoch = 0
        self.remarks: list[str] = []
        self.data = self._read()

    def _read(self) -> dict[str, Any]:
        if not self.file.exists():
            return empty()
        try:
            found = read_session(self.file)
        except FormatError as problem:
            aside = self.file.with_name(f"session.damaged-{time.strftime('%Y%m%d-%H%M%S')}.json")
            self.file.rename(aside)
            self.remarks.append(f"{problem}. It was put aside as {aside.name}; a new session begins")
            return empty()
        return found

    def of_page(self, name: str) -> dict[str, Any]:
        """What is kept for a page."""
        found: dict[str, Any] = self.data["pages"].setdefault(name, {})
        return found

    def setting(self, name: str, default: Any = None) -> Any:
        """A setting of the whole workbench."""
        return self.data["settings"].get(name, default)

    def set(self, name: str, value: Any) -> None:
        """Change a setting."""
        if self.data["settings"].get(name) != value:
            self.data["settings"][name] = value
            self.changed()

    def changed(self) -> None:
        """Write the session; whoever changed its data calls this."""
        self.revision += 1
        write_atomically(self.file, json.dumps(self.data, ensure_ascii=False, indent=1) + "\n")

    def replace(self, data: dict[str, Any]) -> None:
        """Go on with other data: of a file, or of a new session."""
        self.data = data
        self.epoch += 1
        self.changed()


def read_session(file: Path) -> dict[str, Any]:
    """The data of a session file; FormatError where it is none."""
    try:
        found = parse_json(read_bytes(file, LIMITS), str(file))
        if found["format"] != FORMAT:
            raise FormatError(f"{file}: format {found['format']!r}; this version reads {FORMAT!r}")
        blank = empty()
        for key, value in blank.items():
            if not isinstance(found.setdefault(key, value), type(value)):
                raise FormatError(f"{file}: {key}: expected a {type(value).__name__}")
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise FormatError(f"{file}: is no session of the workbench ({problem})") from None
    return dict(found)
