"""The doorkeeper: looks at every request before the application does, and puts security headers on every answer."""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException

from card_envs.web.limits import Limits, Taps

HEADERS = {
    "content-security-policy": (
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
            await _refuse(send, *problem)
            return

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *_headers(scope["path"])]}
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


async def _refuse(send: Any, status: int, sentence: str) -> None:
    body = json.dumps({"error": sentence}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *_headers("/api")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
