"""`jounce road`: figures, pictures and checks of roads and paths, and their conversion."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

ACTIONS = ("show", "check", "convert")
STEEP = 0.5  # grade over a metre that no road has


def road(
    action: Annotated[str, typer.Argument(help="show, check or convert.")],
    files: Annotated[
        list[str],
        typer.Argument(
            help="Names of the library, or .yaml, .rdf, .crg, .obj files; show, convert: also paths (.drd, .csv, .kml, "
            ".gpx). convert: the file to read and the file to write."
        ),
    ],
    png: Annotated[Path | None, typer.Option(help="show: write a picture (one road).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="show, check: as JSON, SI.")] = False,
    step: Annotated[str, typer.Option(help="convert: distance of rows of triangles (0.5 m), or of stations.")] = "",
    width: Annotated[str, typer.Option(help="convert: width of the strip along the line.")] = "",
    tolerance: Annotated[str, typer.Option(help="convert: largest error in height of triangles.")] = "",
    longitude: Annotated[str, typer.Option(help="convert to KML, GPX: of the origin.")] = "",
    latitude: Annotated[str, typer.Option(help="convert to KML, GPX: of the origin.")] = "",
) -> None:
    """Length, width, heights, slopes, banks, radii and friction of roads and paths, with pictures; what is wrong with
    them; conversion from one format to another."""
    from jounce.core.errors import ParameterError, did_you_mean

    lengths = {"step": step, "width": width, "tolerance": tolerance}
    angles = {"longitude": longitude, "latitude": latitude}
    given = [name for name, value in (lengths | angles).items() if value]
    if action != "convert" and given:
        raise ParameterError(f"road {action}: --{given[0]} is for road convert")
    if action != "show" and png is not None:
        raise ParameterError(f"road {action}: draws no picture; use road show --png")
    if action == "show":
        if png is not None and len(files) != 1:
            raise ParameterError(f"road show --png: draws one road; {len(files)} were named")
        if png is not None:
            _check_picture(png)
        _show(files, png, as_json)
    elif action == "check":
        from jounce.cli._checks import check_files

        check_files(files, _inspect, as_json)
    elif action == "convert":
        if as_json:
            raise ParameterError("road convert: --json is for show and check")
        if len(files) != 2:
            raise ParameterError(f"road convert: needs the file to read and the file to write; {len(files)} were named")
        _convert(files[0], files[1], lengths, angles)
    else:
        raise ParameterError(f"road {action}: unknown{did_you_mean(action, ACTIONS)}")


def _show(files: list[str], png: Path | None, as_json: bool) -> None:
    import json
    from dataclasses import asdict

    from jounce.files.convert import load_any
    from jounce.road.path import Path as RoadPath
    from jounce.road.path_survey import path_figure, survey_path
    from jounce.road.survey import survey

    found = []
    for name in files:
        loaded = load_any(name)
        measured: Any = survey_path(loaded) if isinstance(loaded, RoadPath) else survey(loaded)
        kind = "path" if isinstance(loaded, RoadPath) else "road"
        title = loaded.name or Path(name).stem
        found.append({kind: title, **_plain(asdict(measured))})
        if png is not None:
            _draw(path_figure(loaded, title) if isinstance(loaded, RoadPath) else loaded.figure(title=title), png)
        if not as_json:
            typer.echo(typer.style(title, bold=True))
            rows = measured.rows()
            width = max(len(label) for _, label, _ in rows)
            for _, label, value in rows:
                typer.echo(f"  {label:{width}}  {value}")
            if png is not None:
                typer.echo(f"  {'picture':{width}}  {png}")
    if as_json:
        typer.echo(json.dumps(found[0] if len(found) == 1 else found))


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    """Numbers that JSON knows: what is not finite becomes null."""
    import math

    def one(value: Any) -> Any:
        if isinstance(value, tuple):
            return [one(v) for v in value]
        return None if isinstance(value, float) and not math.isfinite(value) else value

    return {key: one(value) for key, value in values.items()}


def _check_picture(png: Path) -> None:
    from jounce.core.errors import ParameterError

    if png.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise ParameterError(f"--png {png}: pictures end in .png, .svg or .pdf")
    if not png.parent.is_dir():
        raise ParameterError(f"--png {png}: no such folder")


def _draw(figure: Any, png: Path) -> None:
    from jounce.core.writing import replacing

    with replacing(png, suffix=png.suffix) as temporary:
        figure.savefig(temporary, dpi=110)


def _convert(source: str, target: str, lengths: dict[str, str], angles: dict[str, str]) -> None:
    from jounce.core.errors import ParameterError
    from jounce.core.units import parse
    from jounce.files.convert import Options, convert, load_any

    place = Path(target)
    if place.exists() and Path(source).exists() and place.samefile(source):
        raise ParameterError(f"road convert: {target} is the file that is read")
    numbers = {name: parse(text, "m", f"--{name}") for name, text in lengths.items() if text}
    # degrees without a unit: nobody writes a longitude in radians
    numbers |= {k: parse(v if v[-1:].isalpha() else f"{v} deg", "deg", f"--{k}") for k, v in angles.items() if v}
    options = Options(**numbers)
    loaded = load_any(source)
    typer.echo(f"{source}: read; writing {target} …", err=True)
    what = convert(loaded, target, options)
    typer.echo(f"{target}: {what}, {_size(place.stat().st_size)}")


def _size(count: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} GB"


def _inspect(name: str) -> tuple[str, list[str]]:
    """What a road is, and what is remarkable about it."""
    from jounce.files.roads import read_road
    from jounce.road.mesh import MeshRoad, check_mesh
    from jounce.road.survey import inner, survey

    loaded, report = read_road(name)
    remarks = [str(p) for p in (*report.warnings, *report.infos)] if report is not None else []
    base, _ = inner(loaded)
    if isinstance(base, MeshRoad) and report is None:  # else its reader has looked at it
        remarks += [f"{f.kind}: {f.message}" for f in check_mesh(base.points, base.triangles)]
    measured = survey(loaded)
    if measured.holes:
        remarks.append(f"no ground at {measured.holes} of the points between the edges")
    if max(map(abs, measured.grade)) > STEEP:
        remarks.append(f"grade of {100 * max(map(abs, measured.grade)):.0f} % over a metre")
    if measured.friction[0] <= 0:
        remarks.append("friction of 0 somewhere between the edges")
    return f"road {loaded.name or name} ({measured.kind}, {measured.length:.0f} m)", remarks
