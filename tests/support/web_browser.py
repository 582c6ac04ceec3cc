"""Real Chromium for tests. Screenshots are kept in .artefacts/web, for people to look at."""

from __future__ import annotations

import json
from typing import Any

import pytest

import card_envs
from tests.support.web_browser_wanted import CHROMIUM as CHROMIUM
from tests.support.web_browser_wanted import WHY_NOT
from tests.support.web_server import artefacts

CHROMIUM_NEEDED = pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
SIZES = {
    "desktop": {"viewport": {"width": 1280, "height": 860}},
    "tablet": {"viewport": {"width": 820, "height": 1180}, "has_touch": True},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
}


class Visitor:
    """Somebody with a browser window. Whatever the console complains of counts as a failure."""

    def __init__(self, browser: Any, address: str, size: str = "desktop", **more: Any) -> None:
        motion = {"reduced_motion": "reduce"}  # unless a test is about motion
        self.context = browser.new_context(**{**SIZES[size], "locale": "en-US", **motion, **more})
        self.page = self.context.new_page()
        self.page.clock.install()  # so that no test waits: see `later`
        self.page.set_default_timeout(60_000)
        self.address, self.complaints, self.received = address, [], []
        self.page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("response", self._keep)

    def _keep(self, response: Any) -> None:
        if "/api/" in response.url and not response.url.endswith("/events"):
            self.received.append(response)

    def __enter__(self) -> Visitor:
        self.page.goto(self.address)
        self.page.wait_for_selector("#seat-0", state="attached")
        return self

    def later(self, milliseconds: int = 400) -> None:
        """Time passes for the page: it takes no move in the first 400 ms of a position."""
        self.page.clock.fast_forward(milliseconds)

    def __exit__(self, kind: Any, *_: Any) -> None:
        self.context.close()
        if kind is None:
            assert not self.complaints, self.complaints

    def choose(self, game: str, *seats: str) -> None:
        """Fill in the form; seats that are not named keep what they are."""
        if not self.page.locator("#more[open]").count():
            self.page.click("#more summary")
        self.page.select_option("#game", game)
        self.page.wait_for_selector(f".seats[data-for='{game}/{card_envs.get_game(game).options().players}']")
        for number, seat in enumerate(seats):
            self.page.select_option(f"#seat-{number}", seat)

    @property
    def version(self) -> int:
        return int(self.page.get_attribute("#table", "data-version") or -1)

    def wait_for_move(self, before: int) -> None:
        self.page.wait_for_function("v => Number(document.getElementById('table').dataset.version) > v", arg=before)

    def table(self) -> dict[str, Any]:
        """What this browser knows of its last game."""
        kept = json.loads(self.page.evaluate("localStorage.getItem('card_envs.games')"))
        id_ = self.page.url.split("/")[-1]
        return {"id": id_, **kept[id_]}

    def shot(self, name: str) -> None:
        self.page.screenshot(path=artefacts() / f"{name}.png", full_page=True)
