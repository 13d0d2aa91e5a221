"""Files of runs, one module per format. Every file appears when it is complete, or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from jounce.core.errors import FormatError
from jounce.results.run import Run

SUFFIXES = {".parquet": "parquet", ".csv": "text", ".mat": "mat", ".mf4": "mdf4", ".mdf": "mdf4"}


def read(path: str | os.PathLike[str]) -> Run:
    """Read a run from a file that jounce wrote, or from a run folder."""
    import importlib

    place = Path(path).expanduser()
    if place.is_dir():
        from jounce.results.files import folder

        return folder.read(place)
    if not place.exists():
        raise FormatError(f"{place}: there is no such file")
    module = SUFFIXES.get(place.suffix.lower())
    if module is None:
        raise FormatError(
            f"{place}: unknown kind of file {place.suffix!r}; known: {', '.join(SUFFIXES)} or a run folder"
        )
    run: Run = importlib.import_module(f"jounce.results.files.{module}").read(place)
    return run
