"""Where a vehicle was read from: its files, their texts, and what they said then."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from jounce.core.paths import Keys

if TYPE_CHECKING:
    from jounce.vehicle.schema import Vehicle


@dataclass(frozen=True)
class SourceFile:
    """One file that was read.

    Attributes
    ----------
    path : absolute
    at : what it describes
    text : its content
    column : of a table, the one column it describes this with
    """

    path: Path
    at: Keys
    text: str
    column: str = ""

    @property
    def is_table(self) -> bool:
        return self.path.suffix.lower() == ".csv"


@dataclass(frozen=True)
class Source:
    """All files of a vehicle; the first one is the main file.

    Attributes
    ----------
    files : in the order they were met
    baseline : the vehicle as those files describe it
    detached : a clone: nothing of it may be written back to these places
    places : path -> file and line where it stands
    """

    files: tuple[SourceFile, ...]
    baseline: Vehicle = field(repr=False)
    detached: bool = False
    places: Mapping[Keys, tuple[Path, int]] = field(default_factory=dict, repr=False)

    @property
    def main(self) -> Path:
        return self.files[0].path

    @property
    def root(self) -> Path:
        """The folder of the vehicle."""
        return self.main.parent

    def below(self, at: Keys) -> tuple[SourceFile, ...]:
        """Files that describe `at` or something inside it."""
        return tuple(item for item in self.files if item.at[: len(at)] == at)
