"""The table as people play it, in real Chromium: what happens is seen, nothing is played by mistake, the end."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import card_envs
from card_envs.games.king_lui.state import FEED, PAIRS, PLACE
from tests.support.web_browser import CHROMIUM_NEEDED, SIZES, Visitor
from tests.support.web_tables import Tables

pytestmark = CHROMIUM_NEEDED
GAMES = card_envs.game_names()
SAY_WHEN = "() => document.querySelector('#moves button[data-number]')"


def start(visitor: Visitor, game: str) -> None:
    """From the first page into a game with one click."""
    visitor.page.goto(f"{visitor.address}/#/")
    visitor.page.click(f"[data-play={game}]")
    visitor.page.wait_for_selector("#moves button[data-number]")


def test_a_second_click_and_a_held_key_play_nothing(browser: Any, address: str, tables: Tables) -> None:
    with Visitor(browser, address, table=tables.where("zum_kuhkuck")) as visitor:
        page = visitor.page
        posted: list[str] = []
        page.on("request", lambda request: posted.append(request.url) if request.method == "POST" else None)
        visitor.later()
        before = visitor.version
        page.locator("#table [data-actions='0']").dblclick()
        visitor.wait_for_move(before)
        assert len(posted) == 1, "a double click is one move"
        page.locator("#moves button[data-number='1']").click()
        assert len(posted) == 1, "nobody has seen the new position yet"
        for key in ("1", "Enter"):
            visitor.later()
            page.locator("#moves button[data-number='1']").focus()
            before, moves = visitor.version, len(posted)
            page.keyboard.down(key)
            visitor.wait_for_move(before)
            page.wait_for_function("() => !document.querySelector('.busy')")
            for _ in range(5):  # the key repeats as long as it is held
                visitor.later()
                page.keyboard.down(key)
            page.keyboard.up(key)
            assert len(posted) == moves + 1, "a held key is one move"


def test_number_keys_play_the_row_with_that_number(browser: Any, address: str, tables: Tables) -> None:
    def rows_are_gone(_: dict[str, Any], mask: np.ndarray) -> bool:
        return bool(mask.sum() > 2 and mask[: mask.sum()].sum() < mask.sum())

    with Visitor(browser, address, table=tables.where("ku_ka_king", rows_are_gone)) as visitor:
        page = visitor.page
        numbers = page.locator("#moves button").evaluate_all("all => all.map((one) => one.dataset.number)")
        texts = page.locator("#moves button[data-action]").all_inner_texts()
        assert all(re.search(rf"row {number}:", text) for number, text in zip(numbers, texts, strict=True))
        assert numbers != [str(number + 1) for number in range(len(numbers))], "a row was taken"
        visitor.later()
        with page.expect_request(lambda request: request.url.split("?")[0].endswith("/moves")) as sent:
            page.keyboard.press(numbers[-1])
        assert sent.value.post_data_json["action"] == int(numbers[-1]) - 1


def test_a_move_can_be_taken_back_against_agents_without_motion_for_whoever_asks_for_none(
    browser: Any, address: str, tables: Tables
) -> None:
    with Visitor(browser, address, table=tables.where("king_lui")) as visitor:
        page = visitor.page
        assert page.locator("#take-back").is_hidden()
        assert page.locator("#pace").input_value() == "0"
        first, things = visitor.version, page.inner_text("#moves")
        with page.expect_request(lambda request: "/moves" in request.url) as sent:
            visitor.play_one()
        assert "since" not in sent.value.url
        assert not page.locator(".ghost").count()
        page.click("#take-back")
        page.wait_for_function("v => Number(document.getElementById('table').dataset.version) === v", arg=first)
        assert page.inner_text("#moves") == things
        visitor.play_one(1)


def test_a_second_tab_cannot_play_in_a_position_that_it_does_not_show(
    browser: Any, address: str, tables: Tables
) -> None:
    """It shows what was before a take-back: another position with as many moves, in which the same move is legal."""
    table = tables.where("zum_kuhkuck", lambda _, mask: mask.sum() > 2)
    with Visitor(browser, address, table=table) as visitor:
        page, second = visitor.page, visitor.context.new_page()
        visitor.play_one()  # draw
        second.clock.install()
        second.route("**/events", lambda route: route.abort())  # it does not hear of anything
        second.goto(page.url)
        second.wait_for_selector("#moves button[data-action='0']")
        seen = visitor.version
        page.bring_to_front()  # tabs behind others are slow
        page.click("#take-back")
        page.wait_for_function("v => Number(document.getElementById('table').dataset.version) < v", arg=seen)
        visitor.play_one(1)  # announce
        assert visitor.version == seen
        second.bring_to_front()
        second.clock.fast_forward(400)
        with second.expect_response(lambda answer: answer.url.split("?")[0].endswith("/moves")) as answer:
            second.click("#moves button[data-action='0']")
        assert answer.value.status == 409
        second.wait_for_selector("#log li.mine:has-text('announce')")
        things = "all => all.map((one) => [one.dataset.at, one.dataset.kind, one.dataset.count])"
        shown = [one.locator("#table [data-at]").evaluate_all(things) for one in (page, second)]
        assert shown[0] == shown[1], "now both show the same, and nothing was played"
        assert visitor.version == seen


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_moves_of_the_others_are_seen_one_after_the_other(
    browser: Any, address: str, tables: Tables, size: str
) -> None:
    table = tables.near_the_end("king_lui", left=6)
    with Visitor(browser, address, size, table=table, reduced_motion="no-preference") as visitor:
        page = visitor.page
        page.evaluate(
            """() => {
                window.seen = [];
                const table = document.getElementById("table");
                const look = () => window.seen.push(document.querySelectorAll("#log li").length);
                new MutationObserver(look).observe(table, { childList: true });
            }"""
        )
        visitor.later()
        page.clock.pause_at(page.evaluate("Date.now() + 1000"))
        page.locator("#moves button[data-action]").first.click()
        page.wait_for_selector("#table[data-moving]")
        assert not page.locator("#moves button, #take-back:visible").count(), "nothing can be played meanwhile"
        assert page.inner_text("#status") == "The others move…"
        visitor.check("motion")
        visitor.shot(f"motion-under-way-{size}")
        assert page.locator("#table[data-moving]").count(), "it was looked at while things moved"
        page.clock.resume()
        page.wait_for_function(SAY_WHEN)
        seen = page.evaluate("window.seen")
        assert len(seen) >= 2, "each move is a picture of its own"
        assert page.locator("#table .changed").count(), "what has changed is marked"
        assert page.locator("#log li").last.evaluate(
            "one => one.getBoundingClientRect().bottom <= one.parentElement.getBoundingClientRect().bottom + 2"
        )
        if size == "phone":
            page.select_option("#pace", "0")
            heights = {page.locator("#latest").bounding_box()["height"]}
            for _ in range(3):
                visitor.play_one()
                heights.add(page.locator("#latest").bounding_box()["height"])
            assert len(heights) == 1, "targets do not move under the thumb"
        visitor.shot(f"motion-{size}")


def ways_to_feed(mask: np.ndarray) -> list[set[int]]:
    return [set(PAIRS[action - FEED].tolist()) for action in np.flatnonzero(mask) if FEED <= action < PLACE]


def test_the_obvious_can_be_clicked(browser: Any, address: str, tables: Tables) -> None:
    two = tables.where(
        "king_lui", lambda _, mask: len(ways_to_feed(mask)) > 3 and not set.intersection(*ways_to_feed(mask))
    )
    one = tables.where(
        "king_lui", lambda _, mask: len(ways_to_feed(mask)) > 1 and bool(set.intersection(*ways_to_feed(mask)))
    )
    emerald = "#table [data-actions]:has([data-at=emeralds])"
    with Visitor(browser, address, table=two) as visitor:
        page = visitor.page
        group = page.locator("#moves button[data-group]")
        assert group.count() == 1, "feeding is one entry, however many ways there are"
        many = len(group.get_attribute("data-group").split())
        assert page.locator("#moves button").count() < many + 10
        visitor.later()
        page.locator(emerald).click()
        assert page.locator("#moves button[data-action]").count() == many
        assert page.inner_text("#status") == "Now two of the marked ones"
        page.locator("#table [data-actions]:not(.dim):has([data-at=king])").first.click()
        assert page.inner_text("#status") == "Now the second one"
        page.keyboard.press("Escape")
        assert page.inner_text("#status") == "Your turn"
        visitor.sit_down(one)
        visitor.later()
        page.locator(emerald).click()
        assert page.inner_text("#status") == "Now the second one", "one dish is in all of the ways"
        visitor.sit_down(tables.where("zum_kuhkuck", lambda _, mask: mask.sum() > 1))
        page.wait_for_function(SAY_WHEN)
        button = page.locator("#moves button").nth(1)
        assert re.search(r"announce \w+: \d+ points", button.inner_text())
        action = button.get_attribute("data-action")
        button.hover()
        pointed = page.locator("#table .pointed")
        assert {one.get_attribute("data-actions") for one in pointed.all()} == {action}
        assert pointed.count() == 2, "the sheet and the cards in the hand"
        pointed.last.hover()
        assert page.locator("#moves button.pointed").get_attribute("data-action") == action
        visitor.shot("announce")


@pytest.mark.parametrize("size", SIZES)
def test_no_letter_is_smaller_than_eleven_pixels(browser: Any, address: str, tables: Tables, size: str) -> None:
    waiting = [tables.near_the_end(game, left=4) for game in GAMES]
    with Visitor(browser, address, size, table=waiting[0]) as visitor:
        for game, table in zip(GAMES, waiting, strict=True):
            visitor.sit_down(table)
            visitor.play_one()
            small = visitor.page.evaluate(
                """() => [...document.querySelectorAll("#table svg text")].filter((one) => !one.closest("g[transform]"))
                    .map((one) => [one.textContent, Number(one.getAttribute("font-size")) * one.getScreenCTM().a])
                    .filter(([, size]) => size < 10.95)"""
            )
            assert not small
            assert visitor.page.evaluate(
                "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
            ), "the page must not scroll sideways"
            status = visitor.page.locator("#status").bounding_box()
            assert status["height"] < 50, "the banner is one short line"
            visitor.shot(f"{game}-{size}")


@pytest.mark.parametrize(("size", "language"), [("desktop", "en"), ("phone", "de")])
def test_the_end_is_worth_the_game(browser: Any, address: str, tables: Tables, size: str, language: str) -> None:
    table = tables.near_the_end("king_lui", left=2)
    with Visitor(browser, address, size, table=table, color_scheme="dark" if size == "phone" else "light") as visitor:
        page = visitor.page
        page.select_option("#language", language)
        page.wait_for_function(SAY_WHEN)
        assert page.title().startswith("● ")
        while page.locator("#moves button[data-action]").count():
            visitor.play_one()
        page.wait_for_selector("#result:not([hidden])")
        assert not page.title().startswith("● ")
        headline = page.inner_text(".headline")
        assert re.match({"en": "You (won|are|share)", "de": "Du (hast|bist|teilst)"}[language], headline)
        assert page.locator(".headline").evaluate(
            "one => one.getBoundingClientRect().top >= 0 && one.getBoundingClientRect().bottom <= innerHeight"
        )
        assert page.locator(".ranking li").count() == 4
        assert page.locator(".ranking li.mine").count() == 1
        assert not page.locator(".sheet table").is_visible()
        page.click(".sheet summary")
        cut = page.locator(".sheet .scroll").evaluate("one => one.scrollWidth - one.clientWidth")
        assert cut <= 0, "no column is cut off"
        visitor.shot(f"end-{size}")
        page.click("#again")
        page.wait_for_selector("#moves button[data-number]")
        assert not page.locator("#guide").is_visible(), "the second game needs no explaining"


def test_a_first_game_explains_itself_and_moves_nothing_when_it_is_done(
    browser: Any, address: str, tables: Tables
) -> None:
    table, read, places = tables.where("zum_kuhkuck", lambda view, _: view["hands"][0]["size"] == 4), [], set()
    with Visitor(browser, address, "phone", table=table) as visitor:
        page = visitor.page

        def look() -> None:
            places.add(page.evaluate("document.getElementById('table').getBoundingClientRect().top + scrollY"))
            if page.locator("#guide").is_visible():
                read.append(page.inner_text("#guide p >> nth=0"))

        for _ in range(3):
            look()
            visitor.play_one()
        look()
        assert len(read) == len(set(read)) >= 2
        visitor.sit_down(tables.where("ku_ka_king"))
        page.wait_for_selector("#guide:not([hidden])")
        visitor.shot("guide")
        top = "document.getElementById('table').getBoundingClientRect().top"
        before = page.evaluate(top)
        page.click("#guide button >> nth=1")
        assert not page.locator("#guide").is_visible()
        assert page.evaluate(top) == before
        assert len(places) == 1, "targets do not move under the thumb"
        visitor.play_one()
        assert not page.locator("#guide").is_visible()


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_a_server_that_is_gone_gets_the_move_when_it_is_back(
    browser: Any, address: str, tables: Tables, size: str
) -> None:
    with Visitor(browser, address, size, table=tables.where("zum_kuhkuck")) as visitor:
        page = visitor.page
        page.route("**/api/games/**", lambda route: route.abort())
        visitor.later()
        before = visitor.version
        page.locator("#moves button").first.click()
        page.wait_for_selector("#say:has-text('Your move is kept')")
        visitor.check("server gone")
        visitor.shot(f"server-gone-{size}")
        assert visitor.version == before
        page.unroute("**/api/games/**")
        visitor.later(3000)
        visitor.wait_for_move(before)
        page.wait_for_selector("#say", state="hidden")
        assert page.locator("#log li.mine").count() == 1, "it was played once"
        visitor.complaints.clear()


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_invitations_say_where_they_work_and_used_ones_lead_home(browser: Any, address: str, size: str) -> None:
    with Visitor(browser, address, size) as host, Visitor(browser, address) as guest:
        host.choose("zum_kuhkuck", "me", "person")
        host.page.fill("#name", "Anna")
        host.page.click("#start")
        link = host.page.locator("#invitations code").inner_text()
        assert "this computer only" in host.page.inner_text("#only-here")
        host.check("an invitation")
        host.shot(f"invitation-{size}")
        guest.page.goto(link)
        guest.page.wait_for_selector("#table svg")
        assert "Player 1 · Anna" in guest.page.text_content("#table")
        guest.page.evaluate("localStorage.clear()")  # somebody else, who comes late
        guest.page.goto(f"{address}/#/")
        guest.page.goto(link)
        guest.page.wait_for_selector("#say:has-text('has been used already')")
        guest.page.wait_for_selector("[data-play]")
        guest.complaints.clear()


def test_a_film_by_arrow_keys_after_a_click_with_marks_and_a_list_of_moves(
    browser: Any, address: str, tables: Tables
) -> None:
    with Visitor(browser, address, table=tables.near_the_end("zum_kuhkuck", left=0)) as visitor:
        page = visitor.page
        page.click("#result a.button")
        page.wait_for_selector("#position")
        page.click("#run")
        page.click("#first")
        page.wait_for_function("() => document.getElementById('table').dataset.position === '0'")
        page.keyboard.press("ArrowRight")
        page.wait_for_function("() => document.getElementById('table').dataset.position === '1'")
        assert page.locator("#table .changed").count()
        page.click("text=Moves >> nth=-1")
        page.wait_for_selector("#film-moves button.here")
        page.click("#film-moves button[data-position='5']")
        page.wait_for_function("() => document.getElementById('table').dataset.position === '5'")
        assert page.locator("#film-moves button.here").get_attribute("data-position") == "5"
        assert page.inner_text("#film-moves button.here").split("\n")[-1].startswith("Player ")
        visitor.shot("film")
