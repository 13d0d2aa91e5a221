"""`jounce setup`: the adjustments with which a car has the heights, loads and angles that are asked of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

    from jounce.vehicle.schema import Vehicle


def setup(
    vehicle: Annotated[str, typer.Argument(help="Name of a library vehicle, or a vehicle file or folder.")],
    targets: Annotated[
        list[str] | None, typer.Option("--set", help='A target, "front_ride_height=300 mm" (repeatable).')
    ] = None,
    mode: Annotated[str | None, typer.Option(help="What sets heights and cross weight: pushrod or preload.")] = None,
    reference: Annotated[str | None, typer.Option(help="Toe and camber to the ground or to the chassis.")] = None,
    anti_roll: Annotated[bool | None, typer.Option(help="Whether anti-roll devices act.")] = None,
    rigid_wheels: Annotated[bool | None, typer.Option(help="On rigid set-up wheels instead of the tires.")] = None,
    tolerance: Annotated[float | None, typer.Option(help="Relative error of a target that is accepted.")] = None,
    speed: Annotated[str | None, typer.Option(help='Also how it rides at a speed, "200 km/h".')] = None,
    nearest: Annotated[bool, typer.Option("--nearest", help="Take the nearest that can be had.")] = False,
    out: Annotated[Path | None, typer.Option(help="Write the changed car to a folder or .yaml file.")] = None,
    sheet: Annotated[
        list[Path] | None, typer.Option(help="Write the set-up sheet: .html, .yaml or .json (repeatable).")
    ] = None,
    list_targets: Annotated[bool, typer.Option("--list", help="List the targets that this car may have.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> int:
    """Set a car up: ride heights, cross weight, toe, camber, springs, gaps of stops, loads of axles."""
    import json

    from jounce.cli._arguments import assignments
    from jounce.sim.setup import setup as set_up
    from jounce.sim.setup_targets import known_targets
    from jounce.vehicle.reading import read

    data = read(vehicle)
    if list_targets:
        known = known_targets(data)
        if as_json:
            typer.echo(json.dumps({name: {"unit": unit, "doc": doc} for name, (unit, doc) in known.items()}))
        else:
            width = max(map(len, known))
            for name, (unit, doc) in known.items():
                typer.echo(f"{name:{width}}  {unit:4} {doc}")
        return 0
    options: dict[str, Any] = {
        "mode": mode,
        "reference": reference,
        "anti_roll": anti_roll,
        "rigid_wheels": rigid_wheels,
        "tolerance": tolerance,
        "speed": speed,
        "nearest": nearest,
    }
    wanted = dict(assignments(targets))
    return told(data, "setting up", lambda: set_up(data, wanted, **options), out, sheet, as_json)


def told(
    data: Vehicle, doing: str, change: Callable[[], Vehicle], out: Path | None, sheet: list[Path] | None, as_json: bool
) -> int:
    """Change a car by a set-up, write it and its sheets, print the report; 1 where a target was missed."""
    from jounce.cli._terminal import waiting
    from jounce.core.errors import SetupError

    car = None
    with waiting(f"{data.name}: building the model (a new structure takes a while), {doing}", quiet=as_json):
        try:
            car = change()
            report = car.setup_report
        except SetupError as missed:
            report = missed.report
    for path in sheet or ():
        report.save(path)
    if car is not None and out is not None:
        car.save(out)
    print_report(report, as_json)
    return 0 if car is not None else 1


def print_report(report: Any, as_json: bool) -> None:
    """A report as text or JSON."""
    import json

    if as_json:
        typer.echo(json.dumps(report.to_dict()))
        return
    typer.echo(str(report))
    wheels = list(report.phases[0].wheels) if report.phases else []
    if wheels:
        width = max(len(p.name) for p in report.phases)
        typer.echo(f"{'loads, N':{width}}  {'mass, kg':>9}" + "".join(f"{w:>9}" for w in wheels))
        for p in report.phases:
            loads = "".join(f"{p.wheels[w]['load']:9.1f}" for w in wheels)
            typer.echo(f"{p.name:{width}}  {p.mass:9.1f}{loads}")
        typer.echo(f"{'ride heights, mm':{width}}")
        for p in report.phases:
            heights = "".join(f"{1e3 * p.wheels[w]['ride_height']:9.2f}" for w in wheels)
            typer.echo(f"{p.name:{width}}  {'':9}{heights}")
