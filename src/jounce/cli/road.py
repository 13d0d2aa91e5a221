"""`jounce road`: figures, pictures and checks of roads."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

ACTIONS = ("show", "check")
STEEP = 0.5  # slope over a metre that no road has


def road(
    action: Annotated[str, typer.Argument(help="show or check.")],
    files: Annotated[list[str], typer.Argument(help="Names of the library, or .yaml, .rdf, .crg, .obj files.")],
    png: Annotated[Path | None, typer.Option(help="show: write a picture (one road).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, SI.")] = False,
) -> None:
    """Length, width, heights, slopes, banks, radii and friction of roads, with pictures; or what is wrong with them."""
    from jounce.core.errors import ParameterError, did_you_mean

    if action == "show":
        if png is not None and len(files) != 1:
            raise ParameterError(f"road show --png: draws one road; {len(files)} were named")
        _show(files, png, as_json)
    elif action == "check":
        if png is not None:
            raise ParameterError("road check: draws no picture; use road show --png")
        from jounce.cli._checks import check_files

        check_files(files, _inspect, as_json)
    else:
        raise ParameterError(f"road {action}: unknown{did_you_mean(action, ACTIONS)}")


def _show(files: list[str], png: Path | None, as_json: bool) -> None:
    import json
    from dataclasses import asdict

    from jounce.files.roads import load_road
    from jounce.road.survey import survey

    found = []
    for name in files:
        loaded = load_road(name)
        measured = survey(loaded)
        found.append({"road": loaded.name or name, **_plain(asdict(measured))})
        if png is not None:
            _draw(loaded, png)
        if not as_json:
            typer.echo(typer.style(loaded.name or name, bold=True))
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


def _draw(loaded: Any, png: Path) -> None:
    from jounce.core.errors import ParameterError

    if png.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise ParameterError(f"--png {png}: pictures end in .png, .svg or .pdf")
    if not png.parent.is_dir():
        raise ParameterError(f"--png {png}: no such folder")
    from jounce.core.writing import replacing

    with replacing(png, suffix=png.suffix) as temporary:
        loaded.figure().savefig(temporary, dpi=110)


def _inspect(name: str) -> tuple[str, list[str]]:
    """What a road is, and what is remarkable about it."""
    from jounce.files.roads import read_road
    from jounce.road.mesh import MeshRoad, check_mesh
    from jounce.road.survey import inner, survey

    loaded, report = read_road(name)
    remarks = [str(p) for p in (*report.warnings, *report.infos)] if report is not None else []
    base, _ = inner(loaded)
    if isinstance(base, MeshRoad):
        remarks += [f"{len(f.places)}: {f.message}" for f in check_mesh(base.points, base.triangles)]
    measured = survey(loaded)
    if measured.holes:
        remarks.append(f"no ground at {measured.holes} of the points between the edges")
    if max(map(abs, measured.slope)) > STEEP:
        remarks.append(f"slope of {100 * max(map(abs, measured.slope)):.0f} % near s = {measured.steepest:.0f} m")
    if measured.friction[0] <= 0:
        remarks.append("friction of 0 somewhere between the edges")
    return f"road {loaded.name or name} ({measured.kind}, {measured.length:.0f} m)", remarks
