"""The other pages in real Chromium: films, tournaments, languages, refusals; and axe on all of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import card_envs
from tests.support.web_browser import CHROMIUM_NEEDED, Visitor

pytestmark = CHROMIUM_NEEDED
GAMES = card_envs.game_names()


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
        page.click("a[href='#/tournaments']")
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
        shown = page.locator("#result .total").first.locator("td").all_text_contents()
        assert [int(points) for points in shown] == replay.points.tolist()
        assert page.inner_text("#counter") == f"{len(replay.moves)} / {len(replay.moves)}"
        visitor.shot("tournament-game")


@pytest.mark.parametrize("language", ["en", "de", "fr", "it"])
def test_the_page_speaks_four_languages(browser: Any, address: str, language: str) -> None:
    words = {"en": "Play now", "de": "Jetzt spielen", "fr": "Jouer tout de suite", "it": "Gioca subito"}
    rules = {"en": "How to play", "de": "So wird gespielt", "fr": "Comment jouer", "it": "Come si gioca"}
    with Visitor(browser, address) as visitor:
        visitor.page.select_option("#language", language)
        visitor.page.wait_for_selector(f"text={words[language]}")
        visitor.page.locator(f"text={rules[language]}").first.click()
        visitor.page.wait_for_selector(".rules li")
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

        page.locator(".rules summary").first.click()
        page.click("#more summary")
        page.wait_for_selector(".rules li")
        check("home")
        for game in GAMES:
            page.goto(f"{address}/#/")
            page.wait_for_selector(f"[data-play={game}]")
            page.click(f"[data-play={game}]")
            page.wait_for_selector("#table svg")
            if game == GAMES[0]:
                page.check("#coach")
                page.wait_for_selector(".bars li")
            check(game)
        while page.locator("#moves button").count():
            before = visitor.version
            visitor.later()
            page.locator("#moves button[data-action]").first.click()
            visitor.wait_for_move(before)
        page.click(".sheet summary")
        check("result")
        page.click("#result a.button")
        page.wait_for_selector("#position")
        check("film")
        page.goto(f"{address}/#/tournaments")
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
