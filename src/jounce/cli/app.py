"""`jounce app`: the workbench in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer


def app(
    port: Annotated[int, typer.Option(help="Port to listen at; 0 takes one that is free.")] = 8080,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")] = True,
    folder: Annotated[Path, typer.Option(help="Folder of the work: runs, vehicles, what was open.")] = Path(),
    host: Annotated[
        str, typer.Option(help="Address to listen at; the default is reached from this machine only.")
    ] = "127.0.0.1",
    lanes: Annotated[int, typer.Option(help="Runs at a time.", min=1, max=64)] = 1,
    code: Annotated[
        list[Path] | None,
        typer.Option(help="Folder of Python files with events and scripts of your own; they are run (repeatable)."),
    ] = None,
    external: Annotated[
        str, typer.Option(help='Program that opens runs, "player {files}"; the Review page offers it.')
    ] = "",
) -> None:
    """Open the workbench: build vehicles, run events and look at results in the browser."""
    from jounce.core.errors import ParameterError

    try:
        import nicegui  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as missing:
        raise ParameterError(f"the workbench needs {missing.name}; install it: pip install 'jounce[web]'") from None
    from jounce.app.server import serve

    options: dict[str, Any] = {"lanes": lanes, "code": code or (), "external": external}
    serve(folder, port=port, host=host, browser=browser, told=lambda line: typer.echo(line), **options)
