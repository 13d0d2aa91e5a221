"""Files of runs, one module per format. Every file appears when it is complete, or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from jounce.core.errors import FormatError, ParameterError
from jounce.core.limits import reading, shown
from jounce.results.run import Run

SUFFIXES = {".parquet": "parquet", ".csv": "text", ".mat": "mat", ".mf4": "mdf4", ".mdf": "mdf4"}


def read(path: str | os.PathLike[str]) -> Run:
    """Read a run from a file that jounce wrote, or from a run folder."""
    place = Path(path).expanduser()
    if os.path.isdir(place):
        from jounce.results.files import folder

        return folder.read(place)
    if not os.path.exists(place):
        raise FormatError(f"{shown(place)}: there is no such file")
    module = SUFFIXES.get(place.suffix.lower())
    if module is None:
        raise FormatError(
            f"{place}: unknown kind of file {place.suffix!r}; known: {', '.join(SUFFIXES)} or a run folder"
        )
    return read_as(module, place)


def read_as(module: str, path: Path) -> Run:
    """Read a file by the module of its format; what makes no run is said with the file."""
    import importlib

    try:
        with reading(path):
            run: Run = importlib.import_module(f"jounce.results.files.{module}").read(path)
    except ParameterError as problem:
        raise FormatError(str(problem)) from None
    for name in run.names:
        if np.isinf(run[name]).any():
            row = int(np.argmax(np.isinf(run[name]))) + 1
            raise FormatError(f"{path}: {name} is infinite in row {row}")
    return run
