"""The table as people play it, in real Chromium: what happens is seen, nothing is played by mistake, the end."""

from __future__ import annotations

import re
from typing import Any

import pytest

import card_envs
from tests.support.web_browser import CHROMIUM_NEEDED, SIZES, Visitor

pytestmark = CHROMIUM_NEEDED
GAMES = card_envs.game_names()


def start(visitor: Visitor, game: str) -> None:
    """From the first page into a game with one click."""
    visitor.page.goto(f"{visitor.address}/#/")
    visitor.page.click(f"[data-play={game}]")
    visitor.page.wait_for_selector("#moves button[data-number]")


def play_one(visitor: Visitor, place: int = 0) -> None:
    before = visitor.version
    visitor.later()
    visitor.page.locator("#moves button[data-action]").nth(place).click()
    visitor.wait_for_move(before)


def play_out(visitor: Visitor) -> None:
    while visitor.page.locator("#moves button[data-action]").count():
        play_one(visitor)


def test_a_second_click_and_a_held_key_play_nothing(browser: Any, address: str) -> None:
    with Visitor(browser, address) as visitor:
        page = visitor.page
        start(visitor, "zum_kuhkuck")
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


def test_number_keys_play_the_row_with_that_number(browser: Any, address: str) -> None:
    with Visitor(browser, address) as visitor:
        page = visitor.page
        start(visitor, "ku_ka_king")
        for _ in range(12):
            numbers = page.locator("#moves button").evaluate_all("all => all.map((one) => one.dataset.number)")
            texts = page.locator("#moves button[data-action]").all_inner_texts()
            assert all(re.search(rf"row {number}:", text) for number, text in zip(numbers, texts, strict=True))
            if numbers != [str(number + 1) for number in range(len(numbers))]:
                break
            play_one(visitor)
        else:
            pytest.fail("no row was ever taken while somebody had to choose again")
        visitor.later()
        with page.expect_request(lambda request: request.url.split("?")[0].endswith("/moves")) as sent:
            page.keyboard.press(numbers[-1])
        assert sent.value.post_data_json["action"] == int(numbers[-1]) - 1


def test_a_move_can_be_taken_back_against_agents(browser: Any, address: str) -> None:
    with Visitor(browser, address) as visitor:
        page = visitor.page
        start(visitor, "king_lui")
        assert page.locator("#take-back").is_hidden()
        first, things = visitor.version, page.inner_text("#moves")
        play_one(visitor)
        page.click("#take-back")
        page.wait_for_function("v => Number(document.getElementById('table').dataset.version) === v", arg=first)
        assert page.inner_text("#moves") == things
        play_one(visitor, 1)


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_moves_of_the_others_are_seen_one_after_the_other(browser: Any, address: str, size: str) -> None:
    with Visitor(browser, address, size, reduced_motion="no-preference") as visitor:
        page = visitor.page
        start(visitor, "king_lui")
        page.evaluate(
            """() => {
                window.seen = [];
                const table = document.getElementById("table");
                const look = () => window.seen.push(document.querySelectorAll("#log li").length);
                new MutationObserver(look).observe(table, { childList: true });
            }"""
        )
        play_one(visitor)
        page.wait_for_function("() => document.querySelector('#moves button[data-number]')")
        seen = page.evaluate("window.seen")
        assert len(seen) >= 2, "each move is a picture of its own"
        assert page.locator("#table .changed").count(), "what has changed is marked"
        assert (
            page.locator("#log li").last.evaluate(
                "one => one.getBoundingClientRect().bottom <= one.parentElement.getBoundingClientRect().bottom + 2"
            )
            or size == "phone"
        )
        if size == "phone":
            heights = {page.locator("#latest").bounding_box()["height"]}
            for _ in range(3):
                play_one(visitor)
                heights.add(page.locator("#latest").bounding_box()["height"])
            assert len(heights) == 1, "targets do not move under the thumb"
        visitor.shot(f"motion-{size}")


def test_whoever_asks_for_less_motion_gets_none(browser: Any, address: str) -> None:
    with Visitor(browser, address) as visitor:
        start(visitor, "king_lui")
        assert visitor.page.locator("#pace").input_value() == "0"
        with visitor.page.expect_request(lambda request: "/moves" in request.url) as sent:
            play_one(visitor)
        assert "since" not in sent.value.url
        assert not visitor.page.locator(".ghost").count()


def test_the_obvious_can_be_clicked(browser: Any, address: str) -> None:
    with Visitor(browser, address) as visitor:
        page = visitor.page
        start(visitor, "king_lui")
        emerald = "#table [data-actions]:has([data-at=emeralds])"
        for _ in range(40):
            if page.locator("#moves button[data-group]").count() or not page.locator("#moves button").count():
                break
            play_one(visitor, page.locator("#moves button[data-action]").count() - 1)
            if not page.locator("#moves button").count():
                start(visitor, "king_lui")
        group = page.locator("#moves button[data-group]")
        assert group.count() == 1, "feeding is one entry, however many ways there are"
        many = len(group.get_attribute("data-group").split())
        assert page.locator("#moves button").count() < many + 10
        visitor.later()
        page.locator(emerald).click()
        assert page.locator("#moves button[data-action]").count() == many
        # If the king has portions of few dishes, one of the two is clear, and the page asks for the other alone.
        assert page.inner_text("#status") in ("Now two of the marked ones", "Now the second one")
        page.keyboard.press("Escape")
        start(visitor, "zum_kuhkuck")
        for _ in range(30):
            if page.locator("#moves button").count() > 1:
                break
            play_one(visitor)
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
@pytest.mark.parametrize("game", GAMES)
def test_no_letter_is_smaller_than_eleven_pixels(browser: Any, address: str, game: str, size: str) -> None:
    with Visitor(browser, address, size) as visitor:
        start(visitor, game)
        for _ in range(2):
            play_one(visitor)
        small = visitor.page.evaluate(
            """() => [...document.querySelectorAll("#table svg text")].filter((one) => !one.closest("g[transform]"))
                .map((one) => [one.textContent, Number(one.getAttribute("font-size")) * one.getScreenCTM().a])
                .filter(([, size]) => size < 10.95)"""
        )
        assert not small
        assert visitor.page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), (
            "the page must not scroll sideways"
        )
        status = visitor.page.locator("#status").bounding_box()
        assert status["height"] < 50, "the banner is one short line"
        visitor.shot(f"{game}-{size}")


@pytest.mark.parametrize(("size", "language"), [("desktop", "en"), ("phone", "de")])
def test_the_end_is_worth_the_game(browser: Any, address: str, size: str, language: str) -> None:
    with Visitor(browser, address, size, color_scheme="dark" if size == "phone" else "light") as visitor:
        page = visitor.page
        page.select_option("#language", language)
        start(visitor, "king_lui")
        assert page.title().startswith("● ")
        play_out(visitor)
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


def test_a_first_game_explains_itself(browser: Any, address: str) -> None:
    with Visitor(browser, address, "phone") as visitor:
        page, read = visitor.page, []
        start(visitor, "zum_kuhkuck")
        for _ in range(12):
            if page.locator("#guide").is_visible():
                read.append(page.inner_text("#guide p >> nth=0"))
            play_one(visitor)
        assert len(read) == len(set(read)) >= 2
        start(visitor, "ku_ka_king")
        page.click("#guide button >> nth=1")
        assert not page.locator("#guide").is_visible()
        play_one(visitor)
        assert not page.locator("#guide").is_visible()


def test_a_server_that_is_gone_gets_the_move_when_it_is_back(browser: Any, address: str) -> None:
    with Visitor(browser, address) as visitor:
        page = visitor.page
        start(visitor, "zum_kuhkuck")
        page.route("**/api/games/**", lambda route: route.abort())
        visitor.later()
        before = visitor.version
        page.locator("#moves button").first.click()
        page.wait_for_selector("#say:has-text('Your move is kept')")
        visitor.shot("server-gone")
        assert visitor.version == before
        page.unroute("**/api/games/**")
        visitor.later(3000)
        visitor.wait_for_move(before)
        page.wait_for_selector("#say", state="hidden")
        assert page.locator("#log li.mine").count() == 1, "it was played once"
        visitor.complaints.clear()


def test_invitations_say_where_they_work_and_used_ones_lead_home(browser: Any, address: str) -> None:
    with Visitor(browser, address) as host, Visitor(browser, address) as guest, Visitor(browser, address) as late:
        host.choose("zum_kuhkuck", "me", "person")
        host.page.fill("#name", "Anna")
        host.page.click("#start")
        link = host.page.locator("#invitations code").inner_text()
        assert "this computer only" in host.page.inner_text("#only-here")
        host.shot("invitation")
        guest.page.goto(link)
        guest.page.wait_for_selector("#table svg")
        assert "Player 1 · Anna" in guest.page.text_content("#table")
        late.page.goto(link)
        late.page.wait_for_selector("#say:has-text('has been used already')")
        late.page.wait_for_selector("[data-play]")
        late.complaints.clear()


def test_a_film_by_arrow_keys_after_a_click_with_marks_and_a_list_of_moves(browser: Any, address: str) -> None:
    with Visitor(browser, address) as visitor:
        page = visitor.page
        visitor.choose("zum_kuhkuck", "bot", "random")
        page.click("#start")
        page.wait_for_selector("#table svg")
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
