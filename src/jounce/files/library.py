"""Files of the shipped library, by kind and name."""

from __future__ import annotations

from pathlib import Path

from jounce.core.errors import ParameterError, did_you_mean
from jounce.core.library import LIBRARY

SUFFIXES = {"tires": ".tir"}


def library_files(kind: str) -> dict[str, Path]:
    """All files of a kind: name -> path, in alphabetical order."""
    if kind not in SUFFIXES:
        raise ParameterError(f"library: no kind {kind!r}{did_you_mean(kind, SUFFIXES)}")
    return {path.stem: path for path in sorted((LIBRARY / kind).glob(f"*{SUFFIXES[kind]}"))}


def library_file(kind: str, name: str) -> Path:
    """The file of a name, with or without its suffix."""
    files = library_files(kind)
    stem = name.removesuffix(SUFFIXES[kind])
    if stem not in files:
        raise ParameterError(f"library: no {kind} {name!r}{did_you_mean(stem, files)}")
    return files[stem]
