"""Python files of one's own in the workbench: events that it lists, and scripts that work on runs.

Such files are code. They come only from folders that whoever started the server named for it, ``jounce app --code``;
no page and no address of the interface adds a folder, and registered folders are never searched for code. Files with a
function ``post_processing`` are scripts, run when somebody asks for it; the others are loaded when the server starts,
and by the processes that drive.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from jounce.core import code_files
from jounce.core.errors import JounceError, ParameterError
from jounce.core.writing import write_atomically
from jounce.results import scripts
from jounce.results.scripts import Script

_LOADED: set[Path] = set()


class Own:
    """The folders of code, and what they hold.

    Attributes
    ----------
    folders : as the server was told
    remarks : files that could not be loaded, and why
    events : kinds of events that came from these files, with the file
    """

    def __init__(self, folders: Iterable[str | Path] = ()) -> None:
        self.folders = tuple(Path(os.path.realpath(Path(folder).expanduser())) for folder in folders)
        for folder in self.folders:
            if not folder.is_dir():
                raise ParameterError(f"--code {folder}: no such folder")
        self.remarks: list[str] = []
        self.events: dict[str, Path] = {}

    def load(self) -> None:
        """Load what is no script; what fails is told and left out."""
        from jounce.events.registry import classes

        before = set(classes()) if self.folders else set()
        self.remarks = load([str(folder) for folder in self.folders])
        for cls in classes() if self.folders else ():
            if cls not in before:
                module = sys.modules.get(cls.__module__)
                self.events[cls.kind] = Path(str(getattr(module, "__file__", "")))

    def scripts(self) -> list[Script]:
        """The scripts as they are now, read and not run."""
        return [script for file in files(self.folders) if (script := _script(file)) is not None]

    def find(self, name: str) -> Script:
        """The script of a name."""
        for script in self.scripts():
            if script.name == name:
                return script
        raise ParameterError(f"script {name!r}: not known")

    def new(self, event: str) -> Path:
        """Write a script for an event, to begin with, into the first folder."""
        from jounce.events.registry import find

        if not self.folders:
            raise ParameterError("no folder of code: start the workbench with --code DIR")
        kind = find(event).kind
        stem = f"post_{re.sub(r'[^a-z0-9]+', '_', kind)}"
        place, n = self.folders[0] / f"{stem}.py", 2
        while place.exists():
            place, n = self.folders[0] / f"{stem}_{n}.py", n + 1
        return write_atomically(place, scripts.template(kind))


def files(folders: Iterable[Path]) -> list[Path]:
    """Python files directly in some folders; those that begin with ``_`` or ``.`` are left out."""
    found = []
    for folder in folders:
        found += sorted(path for path in folder.glob("*.py") if path.name[0] not in "_." and path.is_file())
    return found


def load(folders: Sequence[str]) -> list[str]:
    """Load the files of some folders that are no scripts, each once in a process; returns what went wrong."""
    remarks = []
    for file in files(Path(folder) for folder in folders):
        if file in _LOADED:
            continue
        try:
            if scripts.look(file) is None:
                code_files.load(file, f"jounce_own_{file.stem}_{hashlib.sha256(str(file).encode()).hexdigest()[:8]}")
        except JounceError as problem:
            remarks.append(str(problem))
        _LOADED.add(file)
    return remarks


def run(script: str, result: str, output_map: str | None, vehicle: str | None, event: str) -> tuple[bool, list[str]]:
    """What a process of its own does: run a script on a run; whether it worked, and what it told."""
    told: list[str] = []
    good = scripts.run_script(script, result, output_map, vehicle, event or None, told.append)
    return good, told


def _script(file: Path) -> Any:
    try:
        return scripts.look(file)
    except JounceError:
        return None
