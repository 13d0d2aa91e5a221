"""`jounce list`: what the library holds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

KINDS = ("vehicles", "tires", "events", "roads", "paths", "ports", "channels")
OF_A_VEHICLE = ("ports", "channels")
Rows = list[dict[str, Any]]  # before the verb takes the name


def _rows(kind: str, vehicle: str) -> Sequence[tuple[str, str]]:
    from jounce.vehicle.reading import library_names, load

    if kind == "vehicles":
        return [(name, load(name).description) for name in library_names()]
    if kind == "tires":
        from jounce.core.library import LIBRARY
        from jounce.files.tir import read_tir

        files = sorted((LIBRARY / "tires").glob("*.tir"))
        return [(file.stem, type(read_tir(file).tire.model).__name__) for file in files]
    if kind == "events":
        from jounce import events

        classes = [events.find(name) for name in events.names()]
        return [(c.kind, f"{c.title} ({c.standard})" if c.standard else c.title) for c in classes]
    if kind == "roads":
        from jounce.files.roads import library_roads

        return [(name, _description(file)) for name, file in library_roads().items()]
    if kind == "paths":
        from jounce.files.roads import library_paths, load_path

        lines = [load_path(name) for name in library_paths()]
        about = [f"{line.length:.0f} m{', closed' if line.closed else ''}" for line in lines]
        return [*zip(library_paths(), about, strict=True)]
    from jounce.sim import car

    if kind == "ports":
        found = car.ports(load(vehicle))
        return [(name, f"[{unit}] {mode}: {doc}") for name, (mode, unit, doc) in found.items()]
    outputs = car.library(car.describe(load(vehicle))).model.outputs
    return [(v.name, f"[{v.unit}] {v.doc}") for v in outputs]


def _description(file: Path) -> str:
    """What a road file of the library says about itself, without building the road."""
    lines = (line.partition(":") for line in file.read_text(encoding="utf-8").splitlines())
    return next((value.strip() for key, _, value in lines if key == "description"), "")


def _figures(rows: Sequence[tuple[str, str]], as_json: bool) -> None:
    """Stored figures of cars, each with the range of its class."""
    import json

    from jounce.results.display import pretty
    from jounce.results.plausibility import ranges
    from jounce.vehicle.library_figures import stored
    from jounce.vehicle.reading import load

    known = stored()
    result: Rows = []
    for name, about in rows:
        limits = ranges(load(name).category)
        of_car = []
        for key, item in known.get(name, {}).get("figures", {}).items():
            span = limits[key]
            inside = span.low <= item["value"] <= span.high
            data = {"name": key, "value": item["value"], "unit": span.unit, "low": span.low, "high": span.high}
            of_car.append({**data, "inside": inside, "from": item["from"]})
        result.append({"name": name, "about": about, "figures": of_car})
    if as_json:
        typer.echo(json.dumps({"vehicles": result}))
        return
    for car in result:
        typer.echo(f"{car['name']}  {car['about']}")
        for row in car["figures"]:
            between = f"{row['low']:g} … {row['high']:g}"
            mark = "" if row["inside"] else "  outside"
            text = f"  {row['name']:26} {row['value']:>9.4g} {pretty(row['unit']):10} {between:18} {row['from']}{mark}"
            typer.echo(text.rstrip())


def list(
    kind: Annotated[str, typer.Argument(help=f"One of {', '.join(KINDS)}.")] = "",
    pattern: Annotated[str, typer.Argument(help='Only names that match, such as "*yaw*".')] = "*",
    vehicle: Annotated[str, typer.Option(help="Whose ports or channels to list.")] = "sedan",
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
    figures: Annotated[bool, typer.Option("--figures", help="Key figures of vehicles with their ranges.")] = False,
) -> None:
    """List vehicles, tires, events, roads, paths; ports (inputs of runs) and channels of a vehicle."""
    import json
    from fnmatch import fnmatchcase

    from jounce.core.errors import ParameterError, did_you_mean

    if kind and kind not in KINDS:
        raise ParameterError(f"list {kind}: unknown{did_you_mean(kind, KINDS)}")
    kinds = (kind,) if kind else tuple(k for k in KINDS if k not in OF_A_VEHICLE)
    found = {k: [row for row in _rows(k, vehicle) if fnmatchcase(row[0].lower(), pattern.lower())] for k in kinds}
    if figures:
        if kind != "vehicles":
            raise ParameterError("list --figures: only vehicles have key figures; try: jounce list vehicles --figures")
        _figures(found[kind], as_json)
        return
    if as_json:
        typer.echo(
            json.dumps({k: [{"name": name, "about": about} for name, about in rows] for k, rows in found.items()})
        )
        return
    for k, rows in found.items():
        if not kind:
            typer.echo(f"{k}:")
        width = max((len(name) for name, _ in rows), default=0)
        for name, about in rows:
            typer.echo(f"  {name:{width}}  {about}".rstrip())
