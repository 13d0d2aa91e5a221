"""`jounce check`: validate files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def check(
    files: Annotated[list[str], typer.Argument(help="Vehicle files or folders, library names, tire files.")],
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Read files and say what is wrong with them: file, line, what to do. The exit code is 1 if something is."""
    from jounce.cli._checks import check_files

    check_files(files, _read, as_json)


def _read(name: str) -> tuple[str, list[str]]:
    """What a file is and what is remarkable about it."""
    if Path(name).suffix.lower() == ".tir":
        from jounce.files.tir import read_tir

        found = read_tir(name)
        return f"tire {found.tire.name} ({type(found.tire.model).__name__})", [
            str(r) for r in getattr(found, "remarks", ())
        ]
    if Path(name).suffix.lower() in (".rdf", ".crg", ".obj"):
        from jounce.files.roads import read_road

        road, report = read_road(name)
        return f"road {road.name or Path(name).stem} ({type(road).__name__})", [
            str(w) for w in report.warnings
        ] if report else []
    from jounce.sim.car import describe
    from jounce.vehicle.reading import load

    vehicle = load(name)
    describe(vehicle)  # reads its tires
    return f"vehicle {vehicle.name}", list(vehicle.remarks())
