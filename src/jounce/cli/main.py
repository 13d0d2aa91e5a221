"""The command line: ``jounce VERB …``.

Every verb is a file of this package, with a function of the same name; a new file is a new verb.  Nothing heavy is
imported before a verb runs.

Exit codes: 0 fine; 1 the data or the request is wrong, or a check failed; 2 the simulation failed; 3 a bug of ours.
Commands and options accept "-" and "_" alike.
"""

from __future__ import annotations

import errno
import gc
import importlib
import os
import pkgutil
import platform
import shlex
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import jounce
import jounce.cli
from jounce.core.errors import JounceError, ParameterError, SimulationError, StaticsError, did_you_mean

WRONG_REQUEST, FAILED_RUN, OUR_BUG = 1, 2, 3

# The base of all errors about arguments; Typer does not export it under a name of its own.
ArgumentError: type[Exception] = typer.BadParameter.__mro__[2]


def normalized(name: str) -> str:
    """The spelling with "-"."""
    return name.replace("_", "-")


class Verbs(TyperGroup):
    """The group of all verbs: hints for unknown ones, and exit codes as above."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = normalized(args[0])
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            raise ParameterError(f"command {args[0]!r}: unknown{did_you_mean(name, self.list_commands(ctx))}")
        return super().resolve_command(ctx, [name, *args[1:]])

    def main(  # type: ignore[override]  # what else there is comes by name
        self, args: Sequence[str] | None = None, *, standalone_mode: bool = True, **options: Any
    ) -> Any:
        if not standalone_mode:
            return super().main(args, standalone_mode=False, **options)
        sys.exit(self._guarded(args, **options))

    def _guarded(self, args: Sequence[str] | None, **options: Any) -> int:
        try:
            result = super().main(args, standalone_mode=False, **options)
        except KeyboardInterrupt:
            return 130
        except typer.Abort:
            return WRONG_REQUEST
        except BrokenPipeError:  # `jounce … | head`: the reader has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return WRONG_REQUEST
        except ArgumentError as error:
            error.show()  # type: ignore[attr-defined]
            return WRONG_REQUEST
        except (SimulationError, StaticsError) as error:
            complain(str(error))
            return FAILED_RUN
        except JounceError as error:
            complain(str(error))
            return WRONG_REQUEST
        except Exception as error:
            if getattr(error, "errno", None) == errno.ENAMETOOLONG:
                complain("no such file: a name is longer than names of files can be")
                return WRONG_REQUEST
            traceback.print_exc()
            complain(
                "this is a bug of jounce, not of your data. Please report it where you got jounce from, with\n"
                "  the lines above\n"
                f"  the command: {shlex.join(['jounce', *sys.argv[1:]])}\n"
                f"  the versions: jounce {jounce.__version__}, Python {platform.python_version()}, "
                f"{platform.platform()}"
            )
            return OUR_BUG
        return result if isinstance(result, int) else 0


def complain(message: str) -> None:
    """Write an error to the terminal."""
    typer.echo(f"{typer.style('error:', fg='red', bold=True)} {message}", err=True)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"jounce {jounce.__version__}")
        raise typer.Exit


def verbs() -> list[str]:
    """Names of the modules that hold a verb."""
    names = (module.name for module in pkgutil.iter_modules(jounce.cli.__path__))
    return [name for name in names if name != "main" and not name.startswith("_")]


def make_app(only: str = "") -> typer.Typer:
    """The application with all verbs, or with one: the parameters of the others take time to build."""
    app = typer.Typer(
        name="jounce",
        cls=Verbs,
        help="Real-time vehicle dynamics: physics written once in symbolic Python, run as generated C.",
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"token_normalize_func": normalized, "help_option_names": ["-h", "--help"]},
    )

    @app.callback(invoke_without_command=True)
    def options(
        ctx: typer.Context,
        version: Annotated[
            bool, typer.Option("--version", help="Show the version.", callback=_version, is_eager=True)
        ] = False,
    ) -> None:
        if ctx.invoked_subcommand is None:
            typer.echo(ctx.get_help())

    for name in verbs():
        if only in ("", name):
            verb = getattr(importlib.import_module(f"jounce.cli.{name}"), name)
            app.command(normalized(name))(verb)
    return app


def __getattr__(name: str) -> Any:
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()["app"] = make_app()
    return globals()["app"]


def main(args: Sequence[str] | None = None) -> None:
    """Run a command line (default: that of the process) and exit."""
    # A command makes many objects that stay, and few that refer back to themselves: looking for those costs more time
    # than it frees memory.
    gc.set_threshold(100_000)
    words = sys.argv[1:] if args is None else list(args)
    wanted = words[0].replace("-", "_") if words else ""
    typer.main.get_command(make_app(wanted if wanted in verbs() else "")).main(args=words, prog_name="jounce")


if __name__ == "__main__":
    main()
