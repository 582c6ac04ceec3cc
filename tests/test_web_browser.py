"""Real Chromium at the table: whole games by clicking, tapping and keyboard alone; two browsers; accessibility.

Screenshots are kept in .artefacts/web, for people to look at.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import card_envs
from card_envs.arena.tournament import Tournament
from tests.web_server import artefacts, serving

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt-get install chromium")

GAMES = card_envs.game_names()
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
SIZES = {
    "desktop": {"viewport": {"width": 1280, "height": 860}},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small tournament."""
    folder = tmp_path_factory.mktemp("runs")
    with Tournament("zum_kuhkuck", agents=["bot", "random"], games=20, seed=3, out=folder / "cup") as cup:
        cup.run()
    return folder


@pytest.fixture(scope="module")
def address(runs: Path) -> Iterator[str]:
    with serving(runs=[runs]) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


class Visitor:
    """Somebody with a browser window. Whatever the console complains of counts as a failure."""

    def __init__(self, browser: Any, address: str, size: str = "desktop", **more: Any) -> None:
        self.context = browser.new_context(**SIZES[size], locale="en-US", **more)
        self.page = self.context.new_page()
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
        self.page.wait_for_selector("#seat-0")
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        self.context.close()
        if kind is None:
            assert not self.complaints

    def choose(self, game: str, *seats: str) -> None:
        """Fill in the form; seats that are not named keep what they are."""
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


def play_by_clicking(visitor: Visitor, seed: int, *, tap: bool) -> None:
    """Click things in the picture until the game is over; a pass, which is no thing, in the list."""
    rng, page = np.random.default_rng(seed), visitor.page
    page.wait_for_selector("#moves button, #result:not([hidden])")
    while page.locator("#moves button").count():
        before = visitor.version
        while visitor.version == before:
            things = page.locator("#table [data-actions]:not(.dim)")
            thing = (
                things.nth(int(rng.integers(things.count()))) if things.count() else page.locator("#moves button").first
            )
            if tap:
                thing.tap()
            else:
                thing.click()
            page.wait_for_function(
                "v => Number(document.getElementById('table').dataset.version) > v"
                " || document.getElementById('status').textContent.startsWith('Now click')",
                arg=before,
            )


def check_points(visitor: Visitor) -> None:
    """The points on the page are the engine's, from the seed and the moves that the server now tells."""
    page, table = visitor.page, visitor.table()
    page.wait_for_selector("#result:not([hidden])")
    state = page.evaluate(
        "([id, key]) => fetch(`/api/games/${id}`, {headers: {'X-Seat-Key': key}}).then((answer) => answer.json())",
        [table["id"], table["key"]],
    )
    batch = card_envs.make_batch(
        state["game"], 1, players=len(state["names"]), seed=int(state["seed"]), auto_reset=False
    )
    for action in state["moves"]:
        batch.step_one(action)
    assert batch.done[0]
    rows = page.locator("#result .total").all()
    shown = [[int(cell) for cell in row.locator("td").all_inner_texts()] for row in rows]
    assert shown == [batch.points[0].tolist(), batch.ranks[0].tolist()]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_against_bots_by_clicking(browser: Any, address: str, game: str, size: str) -> None:
    with Visitor(browser, address, size, color_scheme="dark" if size == "phone" else "light") as visitor:
        visitor.choose(game)
        visitor.page.click("#start")
        visitor.page.wait_for_selector("#table svg")
        visitor.shot(f"{game}-{size}-start")
        play_by_clicking(visitor, seed=1, tap=size == "phone")
        check_points(visitor)
        visitor.shot(f"{game}-{size}-end")
        wide = visitor.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, "the page must not scroll sideways"


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_by_keyboard_alone(browser: Any, address: str, game: str) -> None:
    with Visitor(browser, address) as visitor:
        page, keys, rng = visitor.page, visitor.page.keyboard, np.random.default_rng(2)
        for _ in range(40):
            if page.evaluate("document.activeElement.id") == "game":
                break
            keys.press("Tab")
        keys.type(card_envs.get_game(game).title[:4])
        page.wait_for_function("name => document.getElementById('game').value === name", arg=game)
        page.wait_for_timeout(200)
        for _ in range(40):
            if page.evaluate("document.activeElement.id") == "start":
                break
            keys.press("Tab")
        keys.press("Enter")
        page.wait_for_selector("#moves button, #result:not([hidden])")
        while count := page.locator("#moves button").count():
            before, wanted = visitor.version, int(rng.integers(count))
            if count <= 9 and rng.random() < 0.5:
                keys.press(str(wanted + 1))
            else:
                page.evaluate("document.activeElement.blur()") if before == 0 else None
                for _ in range(wanted + 1):
                    keys.press("ArrowDown")
                keys.press("Enter")
            visitor.wait_for_move(before)
        check_points(visitor)


def test_a_reload_and_a_second_tab_continue_the_game_and_the_coach_speaks(browser: Any, address: str) -> None:
    with Visitor(browser, address) as visitor:
        visitor.choose("king_lui")
        visitor.page.click("#start")
        visitor.page.check("#coach")
        bars = visitor.page.locator(".bars li")
        bars.first.wait_for()
        assert "100 %" in bars.first.inner_text()
        legal = visitor.page.locator("#moves button").evaluate_all("all => all.map((one) => one.dataset.action)")
        assert bars.first.get_attribute("data-action") in legal
        before = visitor.version
        visitor.page.locator("#moves button").first.click()
        visitor.wait_for_move(before)
        picture = visitor.page.inner_html("#table")
        visitor.page.reload()
        visitor.page.wait_for_selector("#table svg")
        assert visitor.page.inner_html("#table") == picture
        second = visitor.context.new_page()
        second.goto(visitor.page.url)
        second.wait_for_selector("#table svg")
        now = visitor.version
        second.locator("#moves button").first.click()
        visitor.wait_for_move(now)  # by the stream
        assert "player 1" in visitor.page.inner_text("#log")


def test_things_in_the_picture_can_be_played_by_keyboard_too(browser: Any, address: str) -> None:
    with Visitor(browser, address) as visitor:
        visitor.choose("king_lui")
        visitor.page.click("#start")
        visitor.page.wait_for_selector("#moves button")
        before, thing = visitor.version, visitor.page.locator("#table [data-actions]").first
        thing.focus()
        visitor.page.keyboard.press("Enter")
        visitor.wait_for_move(before)
        assert visitor.page.evaluate("document.activeElement.closest('#moves') !== null"), "the next choice is at hand"


def test_two_browsers_on_one_game_get_nothing_of_the_others_secrets(browser: Any, address: str) -> None:
    with Visitor(browser, address) as host, Visitor(browser, address) as guest:
        host.choose("zum_kuhkuck", "me", "person")
        host.page.click("#start")
        link = host.page.locator("#invitations code").inner_text()
        guest.page.goto(link)
        guest.page.wait_for_selector("#table svg")
        rng = np.random.default_rng(4)
        for _ in range(24):
            for visitor in (host, guest):
                if visitor.page.locator("#moves button").count():
                    before = host.version, guest.version
                    buttons = visitor.page.locator("#moves button")
                    buttons.nth(int(rng.integers(buttons.count()))).click()
                    host.wait_for_move(before[0])
                    guest.wait_for_move(before[1])
        assert host.version == guest.version >= 24
        host.shot("two-browsers-host")
        guest.shot("two-browsers-guest")
        for one, other in ((host, guest), (guest, host)):
            bodies = [response.text() for response in one.received]
            seat, others_key = one.table()["seat"], other.table()["key"]
            states = [json.loads(body) for body in bodies if '"picture"' in body]
            assert len(states) > 24
            assert not any(others_key in body for body in bodies)
            for state in states:
                assert state["seat"] == seat
                assert state["seed"] is None
                told = {line["text"] for line in state["log"] if line["seat"] == 1 - seat}
                drawn = {text for text in told if text.startswith("draw")}
                assert all(text == "draw a card" or "electricity" in text for text in drawn)
        hands = [
            visitor.page.locator("#table text", has_text="hand: ").all_text_contents() for visitor in (host, guest)
        ]
        assert sorted(hands[0]) == sorted(hands[1]), "both see how many cards everybody has"


def test_watching_agents_stepping_and_looking_from_a_seat(browser: Any, address: str) -> None:
    with Visitor(browser, address) as visitor:
        page = visitor.page
        visitor.choose("ku_ka_king", "bot", "random", "bot", "random")
        assert page.inner_text("#start") == "Watch"
        page.click("#start")
        page.wait_for_selector("#position")
        page.wait_for_function(
            "() => Number(document.getElementById('table').dataset.position) >= 2"
        )  # it runs by itself
        assert page.inner_text("#run") == "Pause"
        page.select_option("#speed", "8")
        page.click("#run")
        page.click("#first")
        page.wait_for_function("() => document.getElementById('table').dataset.position === '0'")
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("ArrowRight")
        page.wait_for_function("() => document.getElementById('table').dataset.position === '1'")
        table = page.inner_html("#table")
        page.select_option("#viewer", "1")
        page.wait_for_function("before => document.getElementById('table').innerHTML !== before", arg=table)
        page.click("#last")
        page.wait_for_selector("#result:not([hidden])")
        visitor.shot("watching-end")


def test_standings_and_games_of_a_tournament(browser: Any, address: str, runs: Path) -> None:
    from card_envs.arena.replay import Replay

    with Visitor(browser, address) as visitor:
        page = visitor.page
        page.click("a[href='#/cups']")
        page.click("text=cup")
        page.wait_for_selector(".standings tbody tr")
        assert page.locator(".standings tbody tr").first.inner_text().startswith("bot")
        visitor.shot("standings")
        page.fill("#number", "7")
        page.click("button.main")
        page.wait_for_selector("#table svg")
        replay = Replay(runs / "cup", 7)
        page.click("#last")
        page.wait_for_selector("#result:not([hidden])")
        shown = page.locator("#result .total").first.locator("td").all_inner_texts()
        assert [int(points) for points in shown] == replay.points.tolist()
        assert page.inner_text("#counter") == f"{len(replay.moves)} / {len(replay.moves)}"
        visitor.shot("tournament-game")


@pytest.mark.parametrize("language", ["en", "de", "fr", "it"])
def test_the_page_speaks_four_languages(browser: Any, address: str, language: str) -> None:
    words = {"en": "New game", "de": "Neues Spiel", "fr": "Nouvelle partie", "it": "Nuova partita"}
    rules = {"en": "How to play", "de": "So wird gespielt", "fr": "Comment jouer", "it": "Come si gioca"}
    with Visitor(browser, address) as visitor:
        visitor.page.select_option("#language", language)
        visitor.page.wait_for_selector(f"text={words[language]}")
        visitor.page.click(f"text={rules[language]}")
        assert visitor.page.locator(".rules li").count() > 5
        assert visitor.page.get_attribute("html", "lang") == language


@pytest.mark.parametrize(("size", "scheme"), [("desktop", "light"), ("phone", "dark")])
def test_axe_finds_no_barrier_on_any_page(browser: Any, address: str, size: str, scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    axe = Axe()
    with Visitor(browser, address, size, color_scheme=scheme) as visitor:
        page = visitor.page

        def check(where: str) -> None:
            found = axe.run(page).response["violations"]
            said = [(one["id"], [node["html"][:200] for node in one["nodes"]][:3]) for one in found]
            assert not said, f"{where}: {said}"

        page.click(".rules summary")
        check("home")
        for game in GAMES:
            page.goto(f"{address}/#/")
            page.wait_for_selector("#seat-0")
            visitor.choose(game)
            page.click("#start")
            page.wait_for_selector("#table svg")
            if game == GAMES[0]:
                page.check("#coach")
                page.wait_for_selector(".bars li")
            check(game)
        while page.locator("#moves button").count():
            before = visitor.version
            page.locator("#moves button").first.click()
            visitor.wait_for_move(before)
        check("result")
        page.click("#result a.button")
        page.wait_for_selector("#position")
        check("film")
        page.goto(f"{address}/#/cups")
        page.click("text=cup")
        page.wait_for_selector(".standings")
        check("standings")


def test_refusals_are_shown_in_words(browser: Any, address: str) -> None:
    with Visitor(browser, address) as visitor:
        visitor.page.goto(f"{address}/#/play/unknown0")
        visitor.page.wait_for_selector("#say:not([hidden])")
        assert visitor.page.inner_text("#say") == "This browser has no key for this game."
        visitor.page.goto(f"{address}/#/join/unknown0/1/{'x' * 20}")
        visitor.page.wait_for_selector("#say:has-text('no such game')")
        assert all("404" in complaint for complaint in visitor.complaints)
        visitor.complaints.clear()
