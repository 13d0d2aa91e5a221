"""What the workbench tells: messages with a time, a level, and where they come from."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from typing import Literal

Level = Literal["info", "good", "warning", "error"]
KEPT = 500


@dataclass(frozen=True)
class Entry:
    """One message.

    Attributes
    ----------
    link : address of the page that shows its source, "" where there is none
    source : what it is about, for people
    """

    number: int
    time: float
    level: Level
    text: str
    source: str = ""
    link: str = ""


class Log:
    """The last messages; ``revision`` counts them all."""

    def __init__(self) -> None:
        self.entries: deque[Entry] = deque(maxlen=KEPT)
        self.revision = 0

    def add(self, level: Level, text: str, source: str = "", link: str = "") -> None:
        """Tell something."""
        self.revision += 1
        self.entries.append(Entry(self.revision, time.time(), level, text, source, link))

    def since(self, number: int) -> list[Entry]:
        """Messages after a number."""
        return [entry for entry in self.entries if entry.number > number]

    def clear(self) -> None:
        """Forget them."""
        self.entries.clear()
        self.revision += 1
