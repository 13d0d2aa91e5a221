"""`jounce cache`: where compiled models and large meshes are kept, how much they take, and how to be rid of them."""

from __future__ import annotations

from typing import Annotated

import typer


def cache(
    action: Annotated[str, typer.Argument(help="info or clear.")] = "info",
) -> None:
    """Show the folder of compiled models and meshes and its size, or empty it; what is missing is built when needed."""
    from jounce.core.errors import ParameterError, did_you_mean
    from jounce.runtime.cache import cache_info, cache_root, clear_cache

    actions = ("info", "clear")
    if action not in actions:
        raise ParameterError(f"cache {action}: unknown{did_you_mean(action, actions)}")
    if action == "clear":
        removed = clear_cache()
        typer.echo(f"{cache_root()}: {removed / 1e6:.1f} MB removed")
        return
    info = cache_info()
    typer.echo(f"{info.root}: {info.total_bytes / 1e6:.1f} MB")
    for kind, count in info.entries.items():
        typer.echo(f"  {count:5d} {kind}")
