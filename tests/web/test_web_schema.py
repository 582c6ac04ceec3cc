"""Schemathesis tries everything that the API's own description allows, and much that it does not."""

from __future__ import annotations

import functools
import re
from typing import Any

import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import Case
from schemathesis.specs.openapi.checks import positive_data_acceptance
from starlette.testclient import TestClient

from card_envs.web.app import make_app
from tests.support.web_server import GENEROUS

APP = make_app(limits=GENEROUS)


async def always_open(scope: Any, receive: Any, send: Any) -> None:
    """The application without its end: Schemathesis would start and stop it around each request."""
    if scope["type"] == "lifespan":
        while (message := await receive())["type"] != "lifespan.shutdown":
            await send({"type": f"{message['type']}.complete"})
        await send({"type": "lifespan.shutdown.complete"})
    else:
        await APP(scope, receive, send)


@functools.cache
def table() -> dict[str, str]:
    """A game under way, so that requests get further than to the door."""
    client = TestClient(always_open, base_url="http://localhost")
    opened: dict[str, str] = client.post("/api/games", json={"game": "king_lui", "seats": ["me", "bot", "bot"]}).json()
    return opened


schema = schemathesis.openapi.from_asgi("/api/openapi.json", always_open, headers={"Host": "localhost"})


@schema.exclude(path_regex="/events$").parametrize()  # a stream does not end; it has a test of its own
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_no_request_breaks_the_server(case: Case) -> None:
    headers = {"Host": "localhost"}
    if case.path.startswith("/api/games/{id}") and re.fullmatch(r"[\w-]{8,40}", str(case.path_parameters["id"])):
        case.path_parameters["id"] = table()["id"]
        if re.fullmatch(r"[\w-]{10,80}", str((case.headers or {}).get("X-Seat-Key"))):
            headers["X-Seat-Key"] = table()["key"]
    # A request can be well formed and still be no legal move; and 8.0, an integer to JSON Schema, is none to us.
    answer = case.call_and_validate(headers=headers, excluded_checks=[positive_data_acceptance])
    assert answer.status_code < 500
