"""`jounce step-check`: is the step small enough?

The same run is made with h and with h/2; about four equal digits in the channels that matter mean that h was fine.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
from pathlib import Path
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
    channels: Annotated[list[str] | None, typer.Option("--channel", help="Only these outputs (repeatable).")] = None,
) -> None:
    """Repeat a run with half the step and print the digits that agree, channel by channel."""
    from rich.console import Console
    from rich.table import Table

    from jounce.core.units import parse
    from jounce.runtime.recording import digits_of_agreement
    from jounce.runtime.simulation import Simulation, default_step

    library = find_recipe(model).build()
    h = parse(step, "s", name="--step") if step else default_step(method)
    end = parse(time, "s", name="--time")
    interval = 10 * h if end >= 100 * h else h

    def run(size: float) -> Any:
        simulation = Simulation(library, method=method, step=size)
        return simulation.run(end, interval=interval, channels=channels)

    whole, half = run(h), run(h / 2)
    digits = digits_of_agreement(whole, half)
    table = Table(title=f"{library.model.name}: {method}, {h * 1e3:g} ms against {h * 500:g} ms", title_justify="left")
    table.add_column("channel")
    table.add_column("digits that agree", justify="right")
    moving = {name: value for name, value in digits.items() if abs(whole[name]).max() > REST}
    for name, value in digits.items():
        text = "all" if math.isinf(value) else f"{value:.1f}"
        mark = "at rest" if name not in moving else text if value >= ENOUGH else f"[yellow]{text}[/yellow]"
        table.add_row(name, mark)
    Console().print(table)
    worst = min(moving, key=lambda name: moving[name], default="")
    if worst and moving[worst] < ENOUGH:
        typer.echo(f"{worst} agrees to {moving[worst]:.1f} digits only: try a smaller step or another method")
    else:
        typer.echo("the step is small enough")


def find_recipe(text: str) -> Any:
    """The recipe named by ``module:name`` or ``file.py:name``."""
    from jounce.sim.build import Recipe

    return find(text, Recipe, "recipe")


def find(text: str, kind: type, noun: str) -> Any:
    """The object of a kind named by ``module:name`` or ``file.py:name``."""
    from jounce.core.errors import ParameterError, did_you_mean

    place, _, name = text.rpartition(":")
    if not place or not name:
        raise ParameterError(f"{text!r}: name a {noun} as module:name or file.py:name")
    if place.endswith(".py"):
        path = Path(place)
        if not path.is_file():
            raise ParameterError(f"{place}: no such file")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    else:
        try:
            module = importlib.import_module(place)
        except ModuleNotFoundError as error:
            raise ParameterError(f"{place}: no such module ({error})") from error
    known = [key for key, value in vars(module).items() if isinstance(value, kind)]
    if name not in known:
        raise ParameterError(f"{place} has no {noun} {name!r}{did_you_mean(name, known)}")
    return getattr(module, name)
