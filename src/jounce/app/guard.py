"""Who may speak to the server: a token always, this host, this origin, and no more bytes than a limit.

A web page of somebody else that runs in the same browser can send requests to localhost. It does not know the token,
its ``Origin`` is another one, and by a name of its own that leads to 127.0.0.1 (DNS rebinding) its ``Host`` is too.
The token is given once in the address (``/?token=…``) and then stands in a cookie that no script can read, or in the
header ``Authorization: Bearer …`` of scripts.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

OPEN = ("/api/health",)
"""Addresses that need no token: they tell that there is a server and of which version."""

LIMIT = 64 * 2**20  # bytes of a request


class Guard:
    """Checks every request and every websocket before anything else sees it."""

    def __init__(self, app: ASGIApp, token: str, hosts: Iterable[str], port: int, limit: int = LIMIT) -> None:
        self.app, self.token, self.port, self.limit = app, token, port, limit
        self.hosts = {name.lower() for name in hosts}
        self.cookie = f"jounce-{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        if not self._is_here(headers.get("host", "")):
            await self._refuse(scope, receive, send, 403, "another host: this server answers to its own address only")
            return
        origin = headers.get("origin")
        if origin is not None and not self._is_origin(origin):
            await self._refuse(scope, receive, send, 403, "another origin: only pages of this server may ask it")
            return
        if scope["type"] == "http" and scope["path"] in OPEN:
            await self.app(scope, receive, send)
            return
        query = parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
        given = dict(query).get("token", "")
        if given and scope["type"] == "http" and scope["method"] == "GET" and self._is_token(given):
            await self._remember(scope, send, [item for item in query if item[0] != "token"])
            return
        if not (self._is_token(self._bearer(headers)) or self._is_token(self._of_cookie(headers))):
            why = "the token is missing or wrong: open the address that `jounce app` printed"
            await self._refuse(scope, receive, send, 401, why)
            return
        if scope["type"] == "websocket":
            await self.app(scope, receive, send)
            return
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > self.limit:
            await self._refuse(scope, receive, send, 413, f"too large: at most {self.limit} bytes in one request")
            return
        try:
            await self.app(scope, _Counted(receive, self.limit), send)
        except RuntimeError as gone:  # a tab that went before its answer came is no fault
            if str(gone) != "No response returned.":
                raise

    def _is_here(self, host: str) -> bool:
        name, port = _split(host)
        return name in self.hosts and port in (self.port, None)

    def _is_origin(self, origin: str) -> bool:
        parts = urlsplit(origin)
        return parts.scheme in ("http", "https") and bool(parts.netloc) and self._is_here(parts.netloc)

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.token.encode())

    @staticmethod
    def _bearer(headers: dict[str, str]) -> str:
        kind, _, value = headers.get("authorization", "").partition(" ")
        return value.strip() if kind.lower() == "bearer" else ""

    def _of_cookie(self, headers: dict[str, str]) -> str:
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return ""
        return found.value if found is not None else ""

    async def _remember(self, scope: Scope, send: Send, query: list[tuple[str, str]]) -> None:
        """Put the token into a cookie, and go on without it in the address."""
        rest = f"?{urlencode(query)}" if query else ""
        path = "/" + scope["path"].lstrip("/")  # "//elsewhere" would lead to another host
        cookie = f"{self.cookie}={self.token}; HttpOnly; SameSite=Strict; Path=/"
        headers = [(b"location", (path + rest).encode("latin-1", "replace")), (b"set-cookie", cookie.encode())]
        await send({"type": "http.response.start", "status": 303, "headers": [*headers, (b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})

    async def _refuse(self, scope: Scope, receive: Receive, send: Send, status: int, why: str) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 4000 + status, "reason": why[:120]})
            return
        body = why.encode() + b"\n"
        headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": [*headers, (b"connection", b"close")]})
        await send({"type": "http.response.body", "body": body})


class _Counted:
    """The body of a request, up to a limit: one without a length may go on for ever."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self.receive, self.left = receive, limit

    async def __call__(self) -> Message:
        message = await self.receive()
        if message["type"] == "http.request":
            self.left -= len(message.get("body", b""))
            if self.left < 0:
                return {"type": "http.disconnect"}
        return message


def _split(host: str) -> tuple[str, int | None]:
    """Name and port of ``name:port``, ``[::1]:port``."""
    parts = urlsplit(f"//{host}")
    try:
        return (parts.hostname or "").lower(), parts.port
    except ValueError:
        return "", -1
