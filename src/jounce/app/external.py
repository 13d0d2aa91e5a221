"""A program of others that opens runs, as whoever started the server named it: ``--external "player {files}"``.

It is started as it stands, without a shell; only the files of runs that are known are put into it.
"""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

from jounce.core.errors import ParameterError

FILES = "{files}"


class External:
    """The program.

    Attributes
    ----------
    words : of its command; none: there is no program
    """

    def __init__(self, command: str) -> None:
        try:
            self.words = shlex.split(command)
        except ValueError as problem:
            raise ParameterError(f"--external {command!r}: {problem}") from None
        if self.words and FILES not in self.words:
            self.words.append(FILES)

    def __bool__(self) -> bool:
        return bool(self.words)

    @property
    def name(self) -> str:
        """Of the program."""
        return Path(self.words[0]).name if self.words else ""

    def open(self, files: Sequence[Path]) -> list[str]:
        """Start it with some files; returns the command."""
        if not self.words:
            raise ParameterError("no program for runs: start the workbench with --external COMMAND")
        if not files:
            raise ParameterError("no files to open: choose a run that has ended")
        command = [part for word in self.words for part in (map(str, files) if word == FILES else (word,))]
        try:
            subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as problem:
            raise ParameterError(f"{command[0]}: cannot be started ({problem.strerror})") from None
        return command
