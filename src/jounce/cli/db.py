"""`jounce db`: databases of files as other programs have them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def db(
    action: Annotated[str, typer.Argument(help="create, list or alias.")],
    place: Annotated[Path, typer.Argument(help="Folder of the database, NAME.cdb; of alias: the file to write.")],
    folders: Annotated[
        list[str] | None, typer.Argument(help="Of alias: ALIAS=FOLDER, or a folder whose name is the alias.")
    ] = None,
) -> None:
    """Make a database with its tables, list its files, or write the file of aliases that stands beside event files."""
    from jounce.core.errors import ParameterError, did_you_mean
    from jounce.files import databases

    actions = ("create", "list", "alias")
    if action not in actions:
        raise ParameterError(f"db {action}: unknown{did_you_mean(action, actions)}")
    if action == "create":
        typer.echo(f"database: {databases.create(place)}")
    elif action == "list":
        for table, files in databases.tables(place).items():
            typer.echo(f"{table}: {len(files)}")
            for file in files:
                typer.echo(f"  {file.name}")
    else:
        found = {}
        for text in folders or ():
            alias, equals, path = text.partition("=")
            folder = Path(path if equals else text).expanduser().absolute()
            if not folder.is_dir():
                raise ParameterError(f"{text}: no such folder")
            found[alias if equals else folder.name.removesuffix(databases.SUFFIX)] = folder
        if not found:
            raise ParameterError("db alias: name at least one folder, ALIAS=FOLDER")
        typer.echo(f"aliases: {databases.write_aliases(place, found)}")
