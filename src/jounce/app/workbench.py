"""The workbench: what all tabs of a server share."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from jounce.app.build.document import Documents, checked_name
from jounce.app.external import External
from jounce.app.folders import Folder, Folders
from jounce.app.jobs import Jobs
from jounce.app.log import Log
from jounce.app.own import Own
from jounce.app.preferences import Preferences
from jounce.app.runs import RunStore
from jounce.app.session import Session, empty, read_session
from jounce.core.errors import FormatError
from jounce.core.locking import hold
from jounce.core.writing import write_atomically

PLACE = ".jounce"
"""Folder, within the main one, of the session and the preferences."""


class Workbench:
    """Everything that belongs to one main folder, which no other server may use at the same time.

    Attributes
    ----------
    folders : registered folders
    preferences : those that stay from one session to the next
    session : what is open
    documents : open vehicles
    runs : runs on disk
    jobs : the queue
    log : what is told
    own : Python files of the user's own, from folders that the server was started with
    external : a program that is asked to open runs; empty: none
    token : what a request must show
    """

    def __init__(
        self,
        folder: Path,
        *,
        lanes: int = 1,
        token: str = "",
        code: Sequence[str | Path] = (),
        external: str = "",
    ) -> None:
        place = folder.expanduser().absolute()
        self.own = Own(code)
        self.external = External(external)
        try:
            (place / PLACE).mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise FormatError(f"{folder}: cannot be used as the folder of the workbench ({problem.strerror})") from None
        self._held = ExitStack()
        if not self._held.enter_context(hold(place / PLACE / "lock")):
            raise FormatError(f"{folder}: another workbench uses this folder; end it, or choose another with --folder")
        self.place = place / PLACE
        self.token = token or secrets.token_urlsafe(24)
        self.log = Log()
        self.folders = Folders(place)
        self.preferences = Preferences(self.place)
        self.preferences.apply(self.folders)
        self.session = Session(self.place)
        self.runs = RunStore(self.folders, self.session)
        self.jobs = Jobs(self, lanes)
        for remark in self.session.remarks:
            self.log.add("warning", remark, "session")
        for remark in self.preferences.remarks:
            self.log.add("error", remark, "preferences")
        self.documents = Documents(self)
        self.own.load()
        for remark in self.own.remarks:
            self.log.add("error", remark, "own code")

    def start(self) -> None:
        """Begin to work, within a running event loop."""
        self.jobs.start()

    # --- folders ----------------------------------------------------------------------------------------------------

    def register(self, path: str, alias: str = "", *, for_session: bool = False) -> Folder:
        """Register a folder, for good or until the server ends."""
        found = self.folders.register(path, alias, for_session=for_session)
        self.preferences.keep(self.folders)
        return found

    def keep(self, alias: str) -> None:
        """Keep a folder that was registered for this session only."""
        self.folders.keep(alias)
        self.preferences.keep(self.folders)

    def unregister(self, alias: str) -> None:
        """Forget a folder; its files stay."""
        self.folders.remove(alias)
        self.preferences.keep(self.folders)

    # --- sessions ---------------------------------------------------------------------------------------------------

    def new_session(self) -> None:
        """Close everything; what is set for the whole workbench stays."""
        self._go_on({**empty(), "settings": self.session.data["settings"]})

    def save_session(self, name: str) -> Path:
        """Write what is open into a file of the main folder, ``sessions/name.json``; one of that name is replaced."""
        place = self.folders.resolve(f"{self.folders.main_alias}/sessions/{checked_name(name)}.json", write=True)
        place.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(place, json.dumps(self.session.data, ensure_ascii=False, indent=1) + "\n")
        return place

    def open_session(self, path: str) -> None:
        """Go on with what a file says; what is open now is closed."""
        self._go_on(read_session(self.folders.resolve(path)))

    def sessions(self) -> list[Path]:
        """Files of sessions in the main folder, the newest first."""
        found = (self.folders.main / "sessions").glob("*.json")
        return sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)

    def _go_on(self, data: dict[str, Any]) -> None:
        self.session.replace(data)
        self.documents.restore()
        self.runs.changed()

    async def close(self) -> None:
        """End; what goes on keeps what it has."""
        await self.jobs.close()
        self.session.changed()
        self._held.close()
