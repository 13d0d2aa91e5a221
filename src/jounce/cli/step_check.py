"""`jounce step-check`: is the step small enough?

The same run is made with h and with h/2; about four equal digits in the channels that matter mean that h was fine.
"""

from __future__ import annotations

import math
from typing import Annotated, Any

import typer

DEFAULT = "jounce.bench.models:vehicle"
ENOUGH = 4.0  # digits, the usual rule
REST = 1e-9  # a channel that stays below this (SI) is at rest: its digits are noise


def step_check(
    model: Annotated[
        str, typer.Argument(help="A recipe, as module:name or file.py:name; it is called with its defaults.")
    ] = DEFAULT,
    time: Annotated[str, typer.Option(help='End of the run, "2 s".')] = "2 s",
    method: Annotated[str, typer.Option(help="Integration method, by name or number.")] = "AB-2",
    step: Annotated[str, typer.Option(help='Step to judge, "0.5 ms"; default: the usual one of the method.')] = "",
    program: Annotated[str, typer.Option(help="Phase program that drives the inputs, named like the recipe.")] = "",
    parameters: Annotated[
        list[str] | None, typer.Option("--set", help='A parameter, "mass=1500 kg" (repeatable).')
    ] = None,
    channels: Annotated[list[str] | None, typer.Option("--channel", help="Only these outputs (repeatable).")] = None,
) -> None:
    """Repeat a run with half the step and print the digits that agree, channel by channel.

    Four digits in every channel that moves count as enough; otherwise, or when nothing moves, the exit code is 1.
    """
    from rich.table import Table

    from jounce.cli._arguments import assignments, find, find_recipe, method_of
    from jounce.cli._terminal import show
    from jounce.core.units import parse
    from jounce.runtime.program import Program
    from jounce.runtime.recording import digits_of_agreement
    from jounce.runtime.simulation import Simulation, default_step

    manoeuvre = find(program, Program, "program") if program else None
    library = find_recipe(model).build()
    chosen = method_of(method)
    h = parse(step, "s", name="--step") if step else default_step(chosen)
    end = parse(time, "s", name="--time")
    interval = 10 * h if end >= 100 * h else h

    def run(size: float) -> Any:
        simulation = Simulation(library, method=chosen, step=size)
        simulation.set_parameters(assignments(parameters))
        return simulation.run(end, program=manoeuvre, interval=interval, channels=channels)

    whole, half = run(h), run(h / 2)
    digits = digits_of_agreement(whole, half)
    table = Table(title=f"{library.model.name}: {method}, {h * 1e3:g} ms against {h * 500:g} ms", title_justify="left")
    table.add_column("channel")
    table.add_column("digits that agree", justify="right")
    moving = {name: value for name, value in digits.items() if abs(whole[name]).max() > REST}
    for name, value in digits.items():
        text = "all" if math.isinf(value) else f"{max(value, 0.0):.1f}"
        mark = "at rest" if name not in moving else text if value >= ENOUGH else f"[yellow]{text}[/yellow]"
        table.add_row(name, mark)
    show(table)
    if not moving:
        typer.echo("nothing moved, so nothing was checked: drive it with --program, or start it elsewhere")
        raise typer.Exit(1)
    worst = min(moving, key=lambda name: moving[name])
    if moving[worst] < ENOUGH:
        agreement = max(moving[worst], 0.0)
        typer.echo(
            f"{worst} agrees to {agreement:.1f} digits, {ENOUGH:g} are wanted: try a smaller step or another method"
        )
        raise typer.Exit(1)
    typer.echo(f"at least {moving[worst]:.1f} digits agree, {ENOUGH:g} are wanted: the step is small enough")
