"""The server: one process, one workbench, localhost unless somebody says otherwise."""

from __future__ import annotations

import contextlib
import socket
import webbrowser
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jounce.app.workbench import Workbench
from jounce.core.errors import ParameterError

if TYPE_CHECKING:
    from fastapi import FastAPI

LOCAL = ("127.0.0.1", "localhost", "::1")


def serve(
    folder: Path,
    *,
    port: int = 8080,
    host: str = "127.0.0.1",
    browser: bool = True,
    lanes: int = 1,
    token: str = "",
    code: Sequence[str | Path] = (),
    external: str = "",
    told: Callable[[str], None] = print,
) -> None:
    """Serve the workbench of a folder until somebody ends it.

    Parameters
    ----------
    folder : main folder: runs, vehicles, session
    port : 0 takes one that is free
    host : address to listen at; other machines reach it only where this is one of the network
    browser : open the page
    lanes : runs at a time
    token : what requests must show; default: made up
    code : folders of Python files that are run: events and scripts of one's own
    external : command of a program that opens runs, ``{files}`` in it
    told : called with the one line that says the address, when the server is ready
    """
    import uvicorn

    listening = _bound(host, port)
    port = listening.getsockname()[1]
    workbench = Workbench(folder, lanes=lanes, token=token, code=code, external=external)
    address = f"http://{_in_address(host)}:{port}/?token={workbench.token}"

    def ready() -> None:
        told(f"jounce workbench: {address}")
        if browser:
            webbrowser.open(address)

    app = make_app(workbench, port, host)
    make_ready()
    config = uvicorn.Config(
        app, log_level="warning", timeout_graceful_shutdown=2, ws="websockets-sansio", access_log=False
    )
    server = uvicorn.Server(config)
    started = server.startup

    async def startup(sockets: Any = None) -> None:
        await started(sockets)
        ready()

    server.startup = startup  # type: ignore[method-assign]
    server.run(sockets=[listening])


def make_app(workbench: Workbench, port: int, host: str) -> Any:
    """The application with everything in it, guarded."""
    from fastapi import FastAPI
    from fastapi.staticfiles import StaticFiles

    from jounce.app import api, pages, shell
    from jounce.app.guard import Guard

    @contextlib.asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        workbench.start()
        yield
        await workbench.close()

    app = FastAPI(lifespan=life, docs_url=None, redoc_url=None, openapi_url=None)
    interface = api.make(workbench)
    for router in pages.routers(workbench):
        interface.include_router(router)
    app.mount("/api", interface)
    for name, place in pages.static_folders().items():
        app.mount(f"/static/{name}", StaticFiles(directory=place, check_dir=False))
    shell.install(app, workbench)
    return Guard(app, workbench.token, {*LOCAL, host}, port)


def make_ready() -> None:
    """Import what pages need, and read a vehicle once: classes are built with the first one."""
    from contextlib import suppress

    from jounce.app import pages
    from jounce.app.build import describe
    from jounce.core.errors import JounceError
    from jounce.vehicle.reading import read

    for folder in pages.folders():
        for name in ("desk", "element"):
            pages.module(folder, name)
    with suppress(JounceError):
        describe.group_of(read("sedan"))


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
    except OSError as problem:
        found.close()
        raise ParameterError(
            f"port {port} of {host}: cannot be listened at ({problem.strerror}); choose another: --port, or --port 0"
        ) from None
    return found


def _in_address(host: str) -> str:
    return f"[{host}]" if ":" in host else host
