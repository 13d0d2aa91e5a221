"""The workbench: what all tabs of a server share."""

from __future__ import annotations

import secrets
from contextlib import ExitStack
from pathlib import Path

from jounce.app.build.document import Documents
from jounce.app.folders import Folders
from jounce.app.jobs import Jobs
from jounce.app.log import Log
from jounce.app.runs import RunStore
from jounce.app.session import Session
from jounce.core.errors import FormatError
from jounce.core.locking import hold

PLACE = ".jounce"
"""Folder, within the main one, of the session and the preferences."""


class Workbench:
    """Everything that belongs to one main folder, which no other server may use at the same time.

    Attributes
    ----------
    folders : registered folders
    session : what is open
    documents : open vehicles
    runs : runs on disk
    jobs : the queue
    log : what is told
    token : what a request must show
    """

    def __init__(self, folder: Path, *, lanes: int = 1, token: str = "") -> None:
        place = folder.expanduser().absolute()
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
        self.session = Session(self.place)
        self.runs = RunStore(self.folders, self.session)
        self.jobs = Jobs(self, lanes)
        for remark in self.session.remarks:
            self.log.add("warning", remark, "session")
        self.documents = Documents(self)

    def start(self) -> None:
        """Begin to work, within a running event loop."""
        self.jobs.start()

    async def close(self) -> None:
        """End; what goes on keeps what it has."""
        await self.jobs.close()
        self.session.changed()
        self._held.close()
