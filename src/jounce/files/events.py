"""Events of any format as manoeuvres, by the endings of their files: .vdf, .sdf, .dcf, .xml."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from jounce.core.errors import FormatError
from jounce.core.limits import is_file, reading
from jounce.core.writing import write_atomically
from jounce.files.problems import Report
from jounce.files.property_file import Value
from jounce.files.smart_driver import ENDINGS, convert_event
from jounce.files.vdf import parse_vdf
from jounce.files.vdf_model import load_vdf, manoeuvre_of, write_vdf
from jounce.manoeuvre.model import Manoeuvre

READ = (".vdf", *ENDINGS)


def read_event(
    path: str | Path,
    values: Mapping[str, Value] | None = None,
    *,
    strict: bool = False,
    databases: Mapping[str, Path] | None = None,
) -> tuple[Manoeuvre, Report]:
    """Read a file as a manoeuvre, with the findings about it.

    Parameters
    ----------
    path : of the file
    values : for the places of a template (VDF), by name
    strict : what comes twice is an error instead of a warning (VDF)
    databases : folders by alias, for references such as mdids://alias/table.tbl/file
    """
    ending = Path(path).suffix.lower()
    if ending == ".vdf":
        return load_vdf(path, values, strict=strict, databases=databases)
    if ending not in ENDINGS:
        raise FormatError(f"{path}: ends with {ending!r}; events end with one of {', '.join(READ)}")
    with reading(path):
        converted = convert_event(path)
        # lines of what is wrong with the VDF would be lines of a file that nobody sees
        found = manoeuvre_of(parse_vdf(converted.text(), str(path)), databases)
    return found, converted.report


def convert_to_vdf(source: str | Path, target: str | Path) -> Report:
    """Write an event as a VDF in SI, names of files as seen from its folder; returns findings about the source."""
    if Path(source).suffix.lower() == ".vdf":
        found, report = load_vdf(source)
        write_vdf(found, target)
        return report
    with reading(source):
        converted = convert_event(source)
        folder = Path(target).resolve().parent
        for block in converted.file.blocks:
            name = block.get("FILE_NAME")
            beside = Path(source).resolve().parent / str(name.value) if name is not None else None
            if name is not None and beside is not None and is_file(beside):
                name.change(Path(os.path.relpath(beside, folder)).as_posix())
        write_atomically(target, converted.text())
    return converted.report
