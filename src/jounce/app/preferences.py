"""What stays from one session to the next: the folders that are registered.

    {"format": "jounce-preferences-1", "folders": [{"alias": "cars", "path": "/data/cars", "writable": true}]}

They stand in ``.jounce/preferences.json`` of the main folder or, where that has none, in that of the user
(``$XDG_CONFIG_HOME/jounce``, else ``~/.config/jounce``); where there are none, they are written into the main folder. A
file that cannot be read is told and left as it is: the workbench comes up without it.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jounce.core.errors import FormatError, JounceError
from jounce.core.limits import Limits, parse_json, read_bytes
from jounce.core.writing import write_atomically

if TYPE_CHECKING:
    from jounce.app.folders import Folders

FORMAT = "jounce-preferences-1"
FILE = "preferences.json"
LIMITS = Limits("preferences", size=1_000_000)


class Preferences:
    """The preferences and their file.

    Attributes
    ----------
    file : where they were found, or will be written
    remarks : what went wrong when they were read
    """

    def __init__(self, place: Path) -> None:
        self.remarks: list[str] = []
        self.own = place / FILE
        self.file = next((file for file in (self.own, home() / FILE) if file.exists()), self.own)
        self._bad = False
        self._folders: list[dict[str, Any]] = []
        if not self.file.exists():
            self._write()
            return
        try:
            self._folders = _read(self.file)
        except FormatError as problem:
            self._bad = True
            self.remarks.append(f"{problem}. They are not used; the file is left as it is")

    def apply(self, folders: Folders) -> None:
        """Register the folders; one that is gone is told, and kept for when it is there again."""
        for item in self._folders:
            try:
                folders.register(item["path"], item["alias"], writable=bool(item.get("writable", True)))
            except JounceError as problem:
                self.remarks.append(f"{self.file.name}: {problem}")

    def keep(self, folders: Folders) -> None:
        """Write the folders that shall stay."""
        known: list[dict[str, Any]] = [
            {"alias": item.alias, "path": str(item.path), "writable": item.writable}
            for item in folders
            if not (item.for_session or folders.is_own(item))
        ]
        aliases = {str(item["alias"]).lower() for item in known} | folders.removed
        gone = [item for item in self._folders if str(item["alias"]).lower() not in aliases]
        self._folders = [*known, *gone]
        if self._bad:
            self.file.rename(self.file.with_name(f"preferences.damaged-{time.strftime('%Y%m%d-%H%M%S')}.json"))
            self._bad = False
        self._write()

    def _write(self) -> None:
        text = json.dumps({"format": FORMAT, "folders": self._folders}, ensure_ascii=False, indent=1)
        write_atomically(self.file, text + "\n")


def home() -> Path:
    """The folder of the user's own preferences."""
    given = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(given) if given else Path.home() / ".config") / "jounce"


def _read(file: Path) -> list[dict[str, Any]]:
    try:
        found = parse_json(read_bytes(file, LIMITS), str(file))
        if found["format"] != FORMAT:
            raise FormatError(f"{file}: format {found['format']!r}; this version reads {FORMAT!r}")
        folders = [dict(item) for item in found.get("folders", [])]
        if not all(isinstance(item.get("alias"), str) and isinstance(item.get("path"), str) for item in folders):
            raise FormatError(f"{file}: folders: each has an alias and a path")
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise FormatError(f"{file}: are no preferences of the workbench ({problem})") from None
    return folders
