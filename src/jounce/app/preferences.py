"""What stays from one session to the next: the folders that are registered, and settings (`jounce.app.settings`).

    {"format": "jounce-preferences-1", "folders": [{"alias": "cars", "path": "/data/cars", "writable": true}],
     "settings": {"step": "0.5 ms"}}

They stand in ``.jounce/preferences.json`` of the main folder or, where that has none, in that of the user
(``$XDG_CONFIG_HOME/jounce``, else ``~/.config/jounce``); where there are none, they are written into the main folder. A
file that cannot be read is told and left as it is: the workbench comes up without it.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jounce.app import settings
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
    revision : counts the changes of settings
    """

    def __init__(self, place: Path) -> None:
        self.remarks: list[str] = []
        self.own = place / FILE
        self.file = next((file for file in (self.own, home() / FILE) if file.exists()), self.own)
        self._bad = False
        self._folders: list[dict[str, Any]] = []
        self._settings: dict[str, Any] = {}
        self.revision = 0
        if not self.file.exists():
            self._write()
            return
        try:
            self._folders, given = _read(self.file)
            for name, value in given.items():
                try:
                    self._settings |= settings.checked({name: value})
                except JounceError as problem:
                    self.remarks.append(f"{self.file.name}: {problem}. It is not used")
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
        self._save()

    def __getitem__(self, name: str) -> Any:
        """A setting, or its default."""
        return self._settings.get(name, settings.SETTINGS[name].default)

    @property
    def settings(self) -> dict[str, Any]:
        """All settings."""
        return {name: self[name] for name in settings.SETTINGS}

    def set(self, values: Mapping[str, Any]) -> None:
        """Change settings, all or none of them; ParameterError names the first that is wrong."""
        self._settings = settings.checked({**self.settings, **values})
        self.revision += 1
        self._save()

    def _save(self) -> None:
        if self._bad:
            self.file.rename(self.file.with_name(f"preferences.damaged-{time.strftime('%Y%m%d-%H%M%S')}.json"))
            self._bad = False
        self._write()

    def _write(self) -> None:
        data: dict[str, Any] = {"format": FORMAT, "folders": self._folders}
        if self._settings:
            data["settings"] = self._settings
        text = json.dumps(data, ensure_ascii=False, indent=1)
        write_atomically(self.file, text + "\n")


def home() -> Path:
    """The folder of the user's own preferences."""
    given = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(given) if given else Path.home() / ".config") / "jounce"


def _read(file: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    try:
        found = parse_json(read_bytes(file, LIMITS), str(file))
        if found["format"] != FORMAT:
            raise FormatError(f"{file}: format {found['format']!r}; this version reads {FORMAT!r}")
        folders = [dict(item) for item in found.get("folders", [])]
        if not all(isinstance(item.get("alias"), str) and isinstance(item.get("path"), str) for item in folders):
            raise FormatError(f"{file}: folders: each has an alias and a path")
        given = found.get("settings", {})
        if not isinstance(given, dict):
            raise FormatError(f"{file}: settings: expected names with values")
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise FormatError(f"{file}: are no preferences of the workbench ({problem})") from None
    return folders, {str(name): value for name, value in given.items()}
