"""The server: who may speak to it, what it gives away, and that its pages come up in a browser without complaint."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import jounce
from jounce.app.guard import LIMIT

PRIVATE = (
    "/",
    "/build",
    "/api/runs",
    "/api/folders",
    "/api/docs",
    "/api/file?path=library/README",
    "/static/app/shell.js",
)


def raw(server: Any, method: str, path: str, headers: dict[str, str], body: bytes = b"") -> tuple[int, str]:
    """An answer to a request that says just what it is told to say: no Host or Origin of its own."""
    link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    try:
        link.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in headers.items():
            link.putheader(name, value)
        link.endheaders()
        if body:
            link.send(body)
        answer = link.getresponse()
        return answer.status, answer.read().decode("utf-8", "replace")
    finally:
        link.close()


def own(server: Any, **more: str) -> dict[str, str]:
    """Headers of a program on this machine that knows the token."""
    return {"Host": f"127.0.0.1:{server.port}", "Authorization": f"Bearer {server.token}", **more}


def test_one_line_says_the_address_and_health_needs_no_token(server: Any) -> None:
    assert server.line.startswith("jounce workbench: http://127.0.0.1:")
    status, body = server.ask("/api/health", token=False)
    assert (status, json.loads(body)) == (200, {"status": "ok", "jounce": jounce.__version__})


@pytest.mark.parametrize("path", PRIVATE)
def test_nothing_is_shown_without_the_token(server: Any, path: str) -> None:
    assert server.ask(path, token=False)[0] == 401
    assert server.ask(path, token=False, headers={"Authorization": "Bearer " + "x" * len(server.token)})[0] == 401
    assert server.ask(path, token=False, headers={"Cookie": f"jounce-{server.port}=wrong"})[0] == 401
    assert raw(server, "GET", path, {"Host": f"127.0.0.1:{server.port}"})[0] == 401


def test_the_token_becomes_a_cookie_that_scripts_do_not_see(server: Any) -> None:
    link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    link.request("GET", f"/api/runs?token={server.token}&x=1")
    answer = link.getresponse()
    cookie = answer.getheader("set-cookie") or ""
    link.close()
    assert (answer.status, answer.getheader("location")) == (303, "/api/runs?x=1")
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
    assert server.ask("/api/runs", token=False, headers={"Cookie": cookie.partition(";")[0]})[0] == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1:1", "127.0.0.1.evil.example:{port}", ""]
)
def test_a_name_of_somebody_else_is_refused(server: Any, host: str) -> None:
    status, _ = raw(server, "GET", "/api/runs", own(server, Host=host.format(port=server.port)))
    assert status in (400, 403)  # uvicorn itself refuses an empty one
    assert raw(server, "GET", "/api/runs", own(server, Host=f"localhost:{server.port}"))[0] == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "file://", "http://127.0.0.1:{port}@evil.example"]
)
def test_a_page_of_somebody_else_is_refused(server: Any, origin: str) -> None:
    assert raw(server, "GET", "/api/runs", own(server, Origin=origin.format(port=server.port)))[0] == 403
    assert raw(server, "GET", "/api/runs", own(server, Origin=f"http://127.0.0.1:{server.port}"))[0] == 200


def websocket(server: Any, path: str, **headers: str) -> int:
    """Status of the answer to a request for a websocket; 101 where it was opened."""
    upgrade = {
        "Host": f"127.0.0.1:{server.port}",
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version": "13",
    }
    text = f"GET {path} HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in (upgrade | headers).items()) + "\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as link:
        link.sendall(text.encode())
        return int(link.recv(4096).split(b" ", 2)[1])


def test_live_streams_are_guarded_too(server: Any) -> None:
    path = "/api/runs/none/live"
    good = {"Authorization": f"Bearer {server.token}"}
    assert websocket(server, path) == 403
    assert websocket(server, path, **good, Origin="http://evil.example") == 403
    assert websocket(server, path, **good, Host="evil.example") == 403
    assert websocket(server, path, **good, Origin=f"http://127.0.0.1:{server.port}") == 101


def test_an_oversized_request_is_refused(server: Any) -> None:
    said = own(server, **{"Content-Length": str(LIMIT + 1), "Content-Type": "application/json"})
    assert raw(server, "POST", "/api/runs", said)[0] == 413
    assert raw(server, "POST", "/api/runs", own(server, **{"Content-Length": "-1"}))[0] in (400, 413)


@pytest.mark.parametrize(
    "path",
    [
        "../outside.txt",
        "{folder}/../outside.txt",
        "{folder}/../../../../../../etc/passwd",
        "/etc/passwd",
        "~/.bashrc",
        "library/../../../pyproject.toml",
        "mdids://{folder}/../outside.txt",
        "link/outside.txt",
        "file.txt%00.yaml",
    ],
)
def test_nothing_outside_the_registered_folders_is_read(server: Any, path: str) -> None:
    (server.folder.parent / "outside.txt").write_text("secret")
    (server.folder / "file.txt").write_text("mine")
    if not (server.folder / "link").is_symlink():
        (server.folder / "link").symlink_to(server.folder.parent)
    wanted = path.format(folder=server.folder.name)
    status, body = server.ask(f"/api/file?path={wanted}")
    assert status == 422 and b"secret" not in body and b"root:" not in body
    assert server.ask("/api/file?path=file.txt") == (200, b"mine")


@pytest.mark.parametrize(
    "path", ["/static/app/../guard.py", "/static/app/%2e%2e/guard.py", "/static/scene/..%2f..%2fguard.py"]
)
def test_static_files_do_not_lead_elsewhere(server: Any, path: str) -> None:
    assert raw(server, "GET", path, own(server))[0] == 404


def test_every_address_is_described(server: Any) -> None:
    """The page of the interface has all addresses that answer, and nothing else."""
    described = server.json("/api/openapi.json")["paths"]
    assert {"/health", "/runs", "/runs/{id}", "/runs/{id}/frame", "/file", "/scene/{id}/motion"} <= set(described)
    for path, methods in described.items():
        for method, about in methods.items():
            assert about.get("description"), f"{method} {path} says nothing"
    page = server.ask("/api/docs")[1].decode()
    assert all(path in page for path in described)


def test_a_folder_is_used_by_one_server_and_ports_are_not_shared(server: Any) -> None:
    command = [sys.executable, "-m", "jounce.cli.main", "app", "--no-browser", "--folder"]
    for more, told in (
        ([str(server.folder), "--port", "0"], "another workbench uses this folder"),
        ([str(server.folder.parent / "other"), "--port", str(server.port)], "choose another: --port"),
    ):
        done = subprocess.run([*command, *more], capture_output=True, text=True, timeout=60)
        assert done.returncode == 1 and told in " ".join(done.stderr.replace("│", " ").split())


def test_it_ends_when_asked_and_leaves_no_process(start: Callable[..., Any], tmp_path: Path) -> None:
    server = start(tmp_path / "work")
    group = os.getpgid(server.process.pid)
    server.json("/api/folders", {"path": str(tmp_path), "alias": "around"})
    server.close(signal.SIGTERM)
    place = server.folder / ".jounce"
    assert json.loads((place / "session.json").read_text())["format"] == "jounce-session-1"
    assert json.loads((place / "preferences.json").read_text())["folders"][0]["alias"] == "around"
    assert server.process.returncode in (0, -signal.SIGTERM)
    server.until(lambda: _is_gone(group), 10.0)
    assert "Traceback" not in server.errors()


def _is_gone(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


def test_every_page_comes_up_in_a_browser_without_complaint(server: Any, page: Any) -> None:
    from jounce.app.pages import pages

    page.goto(server.url("/"))
    page.wait_for_selector(".jn-nav a.jn-here[data-key='1']")  # Build is where one starts
    assert page.locator(".jn-nav a.jn-here").inner_text() == "Build"
    for item in pages():
        page.goto(server.url(f"/{item.name}"))
        page.wait_for_selector(f".jn-nav a.jn-here[data-key='{item.key}']")
        page.wait_for_function("document.querySelector('.jn-main').children.length > 0")
        assert "token" not in page.url  # not in the history of the browser


def test_nothing_comes_from_elsewhere(server: Any, page: Any) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(server.url("/build"))
    page.wait_for_function("window.jounceScene && jounceScene.frames > 0")
    assert asked and all(url.startswith((server.address, "data:", "blob:")) for url in asked)
