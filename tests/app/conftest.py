"""A workbench in a process of its own, and a real browser to look at it.

    def test_something(server, page): …        # a shared server; a fresh tab that shows nothing yet
    def test_other(start, tmp_path, browse):   # a server of one's own: start(tmp_path); as many tabs as one likes

A tab that had an error in its console or an uncaught exception fails its test (``page.forgiven`` lists texts that are
expected). Without Chromium such tests are skipped; everything else of the workbench is tested anyway.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), ""
)
WHY = "no Chromium: pages of the workbench are NOT tested; install Debian's package 'chromium'"
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE = 60.0  # s for a server to come up, on a machine that does other things too


class Server:
    """A workbench: its process, its folder, its address."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder = folder
        command = [
            sys.executable,
            "-m",
            "jounce.cli.main",
            "app",
            "--port",
            "0",
            "--no-browser",
            "--folder",
            str(folder),
        ]
        with (folder.parent / f"{folder.name}.stderr").open("wb") as written:
            self.process = subprocess.Popen(
                [*command, *arguments],
                stdout=subprocess.PIPE,
                stderr=written,
                text=True,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
                start_new_session=True,
            )
        assert self.process.stdout is not None
        self.line = self.process.stdout.readline().strip()
        found = re.search(r"(http://\S+:(\d+))/\?token=(\S+)", self.line)
        if found is None:
            self.close()
            raise AssertionError(f"no address: {self.line!r}; {self.errors()}")
        self.address, self.port, self.token = found[1], int(found[2]), found[3]

    def errors(self) -> str:
        """What it wrote to stderr."""
        return (self.folder.parent / f"{self.folder.name}.stderr").read_text(encoding="utf-8", errors="replace")

    def url(self, path: str = "/") -> str:
        """An address with the token in it."""
        return f"{self.address}{path}{'&' if '?' in path else '?'}token={self.token}"

    def ask(
        self,
        path: str,
        body: Any = None,
        *,
        method: str = "",
        headers: dict[str, str] | None = None,
        token: bool = True,
    ) -> tuple[int, bytes]:
        """Status and body of an answer."""
        data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        given = {"Content-Type": "application/json", **({"Authorization": f"Bearer {self.token}"} if token else {})}
        request = urllib.request.Request(
            self.address + path,
            data,
            {**given, **(headers or {})},
            method=method or ("GET" if data is None else "POST"),
        )
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, refused.read()

    def json(self, path: str, body: Any = None, **more: Any) -> Any:
        """An answer that must be good, as JSON."""
        status, text = self.ask(path, body, **more)
        assert status < 300, (status, text)
        return json.loads(text)

    def until(self, condition: Callable[[], Any], seconds: float = PATIENCE) -> Any:
        """The first true value of a condition."""
        for _ in range(int(seconds / 0.05)):
            if found := condition():
                return found
            time.sleep(0.05)
        raise AssertionError(f"waited some {seconds} s; {self.errors()[-2000:]}")

    def close(self, kind: signal.Signals = signal.SIGINT) -> None:
        """End it; by SIGKILL as in a crash."""
        if self.process.poll() is None:
            self.process.send_signal(kind)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()


@pytest.fixture
def start() -> Iterator[Callable[..., Server]]:
    """Starts servers of some folders; all of them end with the test."""
    running: list[Server] = []

    def begin(folder: Path, *arguments: str) -> Server:
        folder.mkdir(parents=True, exist_ok=True)
        running.append(Server(folder, *arguments))
        return running[-1]

    yield begin
    for server in running:
        server.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that the tests of a file share."""
    found = Server(tmp_path_factory.mktemp("workbench"))
    yield found
    found.close()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser."""
    if not CHROMIUM:
        pytest.skip(WHY)
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is missing: pages are NOT tested")
    with playwright.sync_playwright() as run:
        browser = run.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def browse(chromium: Any) -> Iterator[Callable[..., Any]]:
    """Opens tabs: ``browse(server, "/build", width=…, height=…, scheme="dark")``; one context for all."""
    contexts: dict[int, Any] = {}
    tabs: list[Any] = []

    def open_tab(
        server: Server, path: str = "", *, width: int = 1366, height: int = 768, scheme: str = "light", **more: Any
    ) -> Any:
        context = contexts.get(server.port)
        if context is None:
            size = {"width": width, "height": height}
            context = contexts[server.port] = chromium.new_context(viewport=size, color_scheme=scheme, **more)
            context.set_default_timeout(30_000)
        page = context.new_page()
        page.complaints, page.forgiven = [], []
        page.on("console", lambda m: page.complaints.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda problem: page.complaints.append(str(problem)))
        tabs.append(page)
        if path:
            page.goto(server.url(path))
        return page

    yield open_tab
    bad = [text for page in tabs for text in page.complaints if not any(part in text for part in page.forgiven)]
    for context in contexts.values():
        context.close()
    assert not bad, f"errors in the console of the browser: {bad}"


@pytest.fixture
def page(server: Server, browse: Callable[..., Any]) -> Any:
    """A fresh tab of the shared server."""
    return browse(server)
