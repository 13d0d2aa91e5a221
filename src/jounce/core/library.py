"""Where the shipped library lies."""

from __future__ import annotations

from pathlib import Path

LIBRARY = Path(__file__).resolve().parent.parent / "library"


def library_file(family: str, name: str) -> Path | None:
    """The file of that name in a family of the library (drivelines …); None where there is none."""
    known = {path.stem: path for path in (LIBRARY / family).glob("*.yaml")}
    return known.get(name)
