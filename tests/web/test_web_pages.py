"""The other pages in real Chromium: films, tournaments, languages, refusals; and axe on all of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import card_envs
from tests.support.web_browser import CHROMIUM_NEEDED, Visitor
from tests.support.web_tables import Tables

pytestmark = CHROMIUM_NEEDED
GAMES = card_envs.game_names()


def test_watching_agents_stepping_and_looking_from_a_seat(browser: Any, address: str) -> None:
    with Visitor(browser, address) as visitor:
        page = visitor.page
        visitor.choose("ku_ka_king", "bot", "random", "bot", "random")
        assert page.inner_text("#start") == "Watch"
        page.click("#start")
        page.wait_for_selector("#position")
        visitor.later(2000)  # it runs by itself
        page.wait_for_function("() => Number(document.getElementById('table').dataset.position) >= 2")
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


def test_the_page_speaks_four_languages(browser: Any, address: str) -> None:
    words = {"en": "Play now", "de": "Jetzt spielen", "fr": "Jouer tout de suite", "it": "Gioca subito"}
    rules = {"en": "How to play", "de": "So wird gespielt", "fr": "Comment jouer", "it": "Come si gioca"}
    with Visitor(browser, address) as visitor:
        for language in ("de", "fr", "it", "en"):
            visitor.page.select_option("#language", language)
            visitor.page.wait_for_selector(f"text={words[language]}")
            visitor.page.locator(f"text={rules[language]}").first.click()
            visitor.page.wait_for_selector(".rules li")
            assert visitor.page.locator(".rules li").count() > 5
            assert visitor.page.get_attribute("html", "lang") == language


@pytest.mark.parametrize(("size", "scheme"), [("desktop", "light"), ("phone", "dark")])
def test_axe_finds_no_barrier_on_any_page(browser: Any, address: str, tables: Tables, size: str, scheme: str) -> None:
    with Visitor(browser, address, size, color_scheme=scheme) as visitor:
        page = visitor.page
        page.locator(".rules summary").first.click()
        page.click("#more summary")
        page.wait_for_selector(".rules li")
        visitor.check("home")
        for game in GAMES:
            visitor.sit_down(tables.near_the_end(game, left=2))
            if game == GAMES[0]:
                page.check("#coach")
                page.wait_for_selector(".bars li")
            visitor.check(game)
        while page.locator("#moves button").count():
            visitor.play_one()
        page.click(".sheet summary")
        visitor.check("result")
        page.click("#result a.button")
        page.wait_for_selector("#position")
        visitor.check("film")
        page.goto(f"{address}/#/tournaments")
        page.click("text=cup")
        page.wait_for_selector(".standings")
        visitor.check("standings")


def test_a_film_becomes_a_gif_with_a_click(browser: Any, address: str, tiny_game: str) -> None:
    with Visitor(browser, address) as visitor:
        page = visitor.page
        visitor.choose(tiny_game, "random", "random")
        page.click("#start")
        page.wait_for_selector("#save-gif")
        with page.expect_download() as saved:
            page.click("#save-gif")
        assert saved.value.suggested_filename == f"{tiny_game}.gif"
        made = Path(saved.value.path()).read_bytes()
        assert made.startswith(b"GIF89a")
        assert made.count(b"\x21\xf9\x04") >= 2, "several pictures"
        page.wait_for_selector("#save-gif:not([disabled]):has-text('GIF')")


def test_refusals_are_shown_in_words_and_one_page_at_a_time(browser: Any, address: str) -> None:
    with Visitor(browser, address) as visitor:
        for quickly in ("#/tournaments", "#/", "#/you", "#/"):  # nobody waits for what has been left
            visitor.page.evaluate("hash => { location.hash = hash; dispatchEvent(new Event('hashchange')); }", quickly)
        visitor.page.wait_for_selector("[data-play]")
        visitor.page.wait_for_load_state("networkidle")
        assert visitor.page.locator("h1").all_inner_texts() == ["card_envs"]
        visitor.page.goto(f"{address}/#/play/unknown0")
        visitor.page.wait_for_selector("#say:not([hidden])")
        assert visitor.page.inner_text("#say") == "This browser has no key for this game."
        visitor.page.goto(f"{address}/#/join/unknown0/1/{'x' * 20}")
        visitor.page.wait_for_selector("#say:has-text('no such game')")
        assert all("404" in complaint for complaint in visitor.complaints)
        visitor.complaints.clear()
