"""The rows of a run that goes on, in its folder: written by the process that drives, read by whoever watches.

``live.json`` names the channels with their units, ``live.bin`` holds rows of float64, time first. Where a run would
fill more than a limit, only every so manieth row is kept. A procedure begins its time anew with each of its runs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.core.writing import write_atomically

HEAD, ROWS = "live.json", "live.bin"
LIMIT = 200_000_000  # bytes of rows

Array = npt.NDArray[np.float64]


class LiveWriter:
    """Writes the rows of a run; its call is what ``jounce.run(stream=…)`` takes."""

    def __init__(self, folder: Path, expected: float) -> None:
        """``expected``: rows that the run will have, as far as one can tell."""
        self.folder, self.expected = folder, expected
        self._file: Any = None
        self._every, self._seen = 1, 0
        self._names: tuple[str, ...] = ()

    def __call__(self, channels: Mapping[str, str], rows: Array) -> None:
        names = tuple(channels)
        if self._file is None:
            self._names = names
            size = 8.0 * (1 + len(names)) * max(self.expected, 1.0)
            self._every = max(1, -(-int(size) // LIMIT))
            write_atomically(self.folder / HEAD, json.dumps({"channels": channels}) + "\n")
            self._file = (self.folder / ROWS).open("wb", buffering=0)
        if names != self._names:
            return  # another run of a procedure that records other channels
        first = -self._seen % self._every
        self._seen += len(rows)
        self._file.write(np.ascontiguousarray(rows[first :: self._every], dtype="<f8").tobytes())

    def close(self) -> None:
        """No more rows."""
        if self._file is not None:
            self._file.close()


class LiveRows:
    """Reads what a `LiveWriter` has written so far.

    Attributes
    ----------
    units : by channel; empty as long as nothing was written
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.units: dict[str, str] = {}

    @property
    def names(self) -> list[str]:
        """Channels, in the order of their columns; the first column is time."""
        self._look()
        return list(self.units)

    def _look(self) -> bool:
        if not self.units:
            try:
                self.units = json.loads((self.folder / HEAD).read_text(encoding="utf-8"))["channels"]
            except (OSError, ValueError, KeyError):
                return False
        return True

    def __len__(self) -> int:
        if not self._look():
            return 0
        try:
            return (self.folder / ROWS).stat().st_size // (8 * (1 + len(self.units)))
        except OSError:
            return 0

    def read(self, since: int = 0) -> Array:
        """Rows from a number on, time in the first column."""
        if not self._look():
            return np.zeros((0, 1))
        width = 1 + len(self.units)
        try:
            with (self.folder / ROWS).open("rb") as file:
                file.seek(8 * width * since)
                data = file.read()
        except OSError:
            return np.zeros((0, width))
        rows = len(data) // (8 * width)
        return np.frombuffer(data, "<f8", rows * width).reshape(rows, width)


def clear(folder: Path) -> None:
    """Remove the rows of a run that has been stored whole."""
    for name in (ROWS, HEAD):
        (folder / name).unlink(missing_ok=True)
