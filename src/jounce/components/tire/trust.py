"""Which folders may hold code that a property file names.

A tire file is data until it names a library or a Python file: then reading it runs that code. So such code is taken
from trusted folders only: those in the environment variable JOUNCE_TIRE_PATH, and those given to ``trust``. What a
program names itself (``sti.library_tire``, ``registry.from_file``) needs no trust.
"""

from __future__ import annotations

from os import environ, pathsep
from pathlib import Path

from jounce.core.errors import ParameterError

SEARCH_PATH = "JOUNCE_TIRE_PATH"

_folders: list[Path] = []


def trust(folder: str | Path) -> None:
    """Let property files name code in this folder and below, until the program ends."""
    place = Path(folder).resolve()
    if not place.is_dir():
        raise ParameterError(f"trust: {str(folder)!r} is no folder")
    if place not in _folders:
        _folders.append(place)


def trusted_folders() -> list[Path]:
    """All of them, in the order in which they are searched."""
    return [*(Path(p).resolve() for p in environ.get(SEARCH_PATH, "").split(pathsep) if p), *_folders]


def check_trusted(path: Path) -> None:
    """Refuse code outside of the trusted folders."""
    real = path.resolve()
    if not any(real.is_relative_to(folder) for folder in trusted_folders()):
        raise ParameterError(
            f"{path}: a property file may name code in trusted folders only, as reading it runs that code; if you "
            f"trust it, add {path.parent} to {SEARCH_PATH}, or call "
            f"jounce.components.tire.trust.trust({str(path.parent)!r})"
        )
