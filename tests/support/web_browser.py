"""Real Chromium for tests. Screenshots are kept in .artefacts/web, for people to look at."""

from __future__ import annotations

import json
from typing import Any

import pytest

import card_envs
from tests.support.web_browser_wanted import CHROMIUM as CHROMIUM
from tests.support.web_browser_wanted import WHY_NOT
from tests.support.web_server import artefacts
from tests.support.web_tables import Table

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

    def __init__(
        self, browser: Any, address: str, size: str = "desktop", *, table: Table | None = None, **more: Any
    ) -> None:
        """At the first page, or at a table of which this browser has the key."""
        motion: dict[str, Any] = {"reduced_motion": "reduce"}  # unless a test is about motion
        if table:
            storage = [{"name": "card_envs.games", "value": table.kept}]
            motion["storage_state"] = {"cookies": [], "origins": [{"origin": address, "localStorage": storage}]}
        self.context = browser.new_context(**{**SIZES[size], "locale": "en-US", **motion, **more})
        self.context.add_init_script("window.realTimer = window.setTimeout.bind(window)")
        self.page = self.context.new_page()
        self.page.clock.install()  # so that no test waits: see `later`
        self.page.set_default_timeout(60_000)
        self.address, self.first, self.complaints, self.received = address, table, [], []
        self.page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("response", self._keep)

    def _keep(self, response: Any) -> None:
        if "/api/" in response.url and not response.url.endswith("/events"):
            self.received.append(response)

    def __enter__(self) -> Visitor:
        if self.first:
            self.page.goto(f"{self.address}/{self.first.page}")
            self.page.wait_for_selector("#table svg")
        else:
            self.page.goto(self.address)
            self.page.wait_for_selector("#seat-0", state="attached")
        return self

    def sit_down(self, table: Table) -> None:
        """Go to another table."""
        self.page.evaluate("kept => localStorage.setItem('card_envs.games', kept)", table.kept)
        self.page.goto(f"{self.address}/{table.page}")
        self.page.wait_for_function(
            "id => location.hash.endsWith(id) && document.querySelector('#table svg')", arg=table.id
        )

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

    def play_one(self, place: int = 0) -> None:
        """Play a move of the list, and see what comes of it."""
        before = self.version
        self.later()
        self.page.locator("#moves button[data-action]").nth(place).click()
        self.wait_for_move(before)

    def check(self, where: str, page: Any = None) -> None:
        """Axe finds no barrier, and the page (this one, or another of this browser) does not scroll sideways."""
        from axe_playwright_python.base import AXE_SCRIPT

        page = page or self.page
        page.evaluate("() => { window.kept = window.setTimeout; window.setTimeout = window.realTimer; }")
        if not page.evaluate("'axe' in window"):
            page.evaluate(AXE_SCRIPT)
        found = page.evaluate("axe.run().then((found) => found.violations)")  # also where the page's clock stands still
        page.evaluate("() => { window.setTimeout = window.kept; }")
        said = [(one["id"], [node["html"][:200] for node in one["nodes"]][:3]) for one in found]
        assert not said, f"{where}: {said}"
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, f"{where} scrolls sideways"

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
