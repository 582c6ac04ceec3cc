"""The doorkeeper: looks at every request before the application does, and puts security headers on every answer."""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException

from card_envs.web.limits import Limits, Taps

POLICY_HEADER = "content-security-policy"
HEADERS = {
    POLICY_HEADER: (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


class Guard:
    """ASGI middleware. Hosts are checked against DNS rebinding, the origin of what changes something, size and rate."""

    def __init__(self, app: Any, *, limits: Limits, hosts: Iterable[str]) -> None:
        self.app, self.limits = app, limits
        self.hosts = {host.lower() for host in hosts}
        self.requests = Taps(limits.requests_per_second, limits.requests_at_once)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Refuse with a sentence, or hand on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        problem = self._problem(scope, headers)
        if problem is not None:
            made, body = refusal(problem[1])
            await send({"type": "http.response.start", "status": problem[0], "headers": made})
            await send({"type": "http.response.body", "body": body})
            return

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                given = {name.lower() for name, _ in message["headers"]}  # a page with a policy of its own says so
                ours = [header for header in _headers(scope["path"]) if header[0] not in given]
                message = {**message, "headers": [*message["headers"], *ours]}
            await send(message)

        await self.app(scope, self._counted(receive), send_with_headers)

    def _problem(self, scope: Any, headers: dict[str, str]) -> tuple[int, str] | None:
        if not self._known_host(headers.get("host", "")):
            return (
                421,
                "this server does not answer to that host name; add it with --allow-host when starting the server",
            )
        client = scope["client"][0] if scope.get("client") else "?"
        if not self.requests.take(client):
            return 429, "too many requests; wait a moment"
        if scope["method"] not in ("GET", "HEAD") and not _same_origin(headers):
            return 403, "this request comes from another web page"
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()):
            return 400, "the content-length must be a whole number"
        if int(length[:20]) > self.limits.body_bytes:
            return 413, self._too_large()
        return None

    def _too_large(self) -> str:
        return f"a request may have {self.limits.body_bytes} bytes at most"

    def _known_host(self, host: str) -> bool:
        """Names must be known, for a stranger's page can point a name of its own at us. Addresses are what they are."""
        try:
            name = (urlsplit(f"//{host}").hostname or "").lower()
        except ValueError:
            return False
        if name in self.hosts:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def _counted(self, receive: Any) -> Any:
        total = 0

        async def counted() -> Any:
            nonlocal total
            message = await receive()
            total += len(message.get("body", b""))
            if total > self.limits.body_bytes:
                raise HTTPException(413, self._too_large())
            return message

        return counted


def _same_origin(headers: dict[str, str]) -> bool:
    """Browsers say where a request comes from; programs, which no page can use as a tool, say nothing."""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc.lower() == headers.get("host", "").lower()
    except ValueError:
        return False


def _headers(path: str) -> list[tuple[bytes, bytes]]:
    made = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
    cache = "no-store" if path.startswith("/api") else "no-cache"
    return [*made, (b"cache-control", cache.encode())]


def refusal(sentence: str) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """Headers and body of an answer that refuses."""
    body = json.dumps({"error": sentence}).encode()
    return [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body)), *_headers("/api")], body


def plain_refusal(status: int, sentence: str) -> bytes:
    """A whole answer for those who do not get as far as the application; the connection ends with it."""
    headers, body = refusal(sentence)
    lines = [b"HTTP/1.1 %d %s" % (status, HTTPStatus(status).phrase.encode())]
    lines += [b"%s: %s" % header for header in [*headers, (b"connection", b"close")]]
    return b"\r\n".join([*lines, b"", body])
