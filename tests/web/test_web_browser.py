"""Real Chromium at the table: games to their ends by clicking, tapping and keyboard alone; two browsers on one game."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import card_envs
from tests.support.web_browser import CHROMIUM_NEEDED, Visitor
from tests.support.web_tables import Tables

pytestmark = CHROMIUM_NEEDED
GAMES = card_envs.game_names()


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
            visitor.later()
            if tap:
                thing.tap()
            else:
                thing.click()
            # A click plays, or narrows the choice, or, on the same thing again, gives it back.
            page.wait_for_function("() => !document.querySelector('.busy')")


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
    shown = [[int(cell) for cell in row.locator("td").all_text_contents()] for row in rows]
    assert shown == [batch.points[0].tolist(), batch.ranks[0].tolist()]


def test_a_whole_game_from_the_first_page_by_clicking(browser: Any, address: str) -> None:
    with Visitor(browser, address) as visitor:
        visitor.choose("king_lui")
        visitor.page.click("#start")
        visitor.page.wait_for_selector("#table svg")
        play_by_clicking(visitor, seed=1, tap=False)
        check_points(visitor)


@pytest.mark.parametrize("size", ["desktop", "phone"])
@pytest.mark.parametrize("game", GAMES)
def test_a_game_to_its_end_by_clicking(browser: Any, address: str, tables: Tables, game: str, size: str) -> None:
    scheme, table = "dark" if size == "phone" else "light", tables.near_the_end(game, left=3)
    with Visitor(browser, address, size, table=table, color_scheme=scheme) as visitor:
        play_by_clicking(visitor, seed=1, tap=size == "phone")
        check_points(visitor)
        visitor.shot(f"{game}-{size}-end")
        wide = visitor.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, "the page must not scroll sideways"


def test_from_the_first_page_to_each_table_by_keyboard_alone(browser: Any, address: str) -> None:
    with Visitor(browser, address) as visitor:
        page, keys = visitor.page, visitor.page.keyboard
        for game in GAMES:
            page.goto(f"{address}/#/")
            page.wait_for_selector(f"[data-play={game}]")
            for _ in range(40):
                if page.evaluate("document.activeElement.dataset.play") == game:
                    break
                keys.press("Tab")
            keys.press("Enter")
            page.wait_for_selector("#moves button")
            assert visitor.table()["game"] == game


@pytest.mark.parametrize("game", GAMES)
def test_a_game_to_its_end_by_keyboard_alone(browser: Any, address: str, tables: Tables, game: str) -> None:
    with Visitor(browser, address, table=tables.near_the_end(game, left=4)) as visitor:
        page, keys, rng = visitor.page, visitor.page.keyboard, np.random.default_rng(2)
        while count := page.locator("#moves button[data-number]").count():
            before, wanted = visitor.version, int(rng.integers(count))
            buttons = page.locator("#moves button[data-number]")
            is_group = buttons.nth(wanted).get_attribute("data-group") is not None
            visitor.later()
            if count <= 9 and rng.random() < 0.5:
                keys.press(str(buttons.nth(wanted).get_attribute("data-number")))
            else:
                page.evaluate("document.activeElement.blur()")
                for _ in range(wanted + 1):
                    keys.press("ArrowDown")
                keys.press("Enter")
            if not is_group:
                visitor.wait_for_move(before)
        check_points(visitor)


def test_a_reload_and_a_second_tab_continue_the_game_and_the_coach_speaks(
    browser: Any, address: str, tables: Tables
) -> None:
    with Visitor(browser, address, table=tables.where("king_lui")) as visitor:
        assert not visitor.page.locator("#coach-agent").is_visible(), "whoever has no coach need not choose one"
        visitor.page.check("#coach")
        bars = visitor.page.locator(".bars li")
        bars.first.wait_for()
        assert "%" in bars.first.inner_text()
        legal = visitor.page.locator("#moves button").evaluate_all("all => all.map((one) => one.dataset.action)")
        assert bars.first.get_attribute("data-action") in legal
        before = visitor.version
        visitor.later()
        visitor.page.locator("#moves button").first.click()
        visitor.wait_for_move(before)
        things = "all => all.map((one) => [one.dataset.at, one.dataset.kind, one.dataset.count])"
        picture = visitor.page.locator("#table [data-at]").evaluate_all(things)
        visitor.page.reload()
        visitor.page.wait_for_selector("#table svg")
        assert visitor.page.locator("#table [data-at]").evaluate_all(things) == picture
        second = visitor.context.new_page()
        second.clock.install()
        second.goto(visitor.page.url)
        second.wait_for_selector("#moves button")
        now = visitor.version
        second.clock.fast_forward(400)  # as Visitor.later: a move in the first moments of a position is none
        second.locator("#moves button").first.click()
        visitor.page.bring_to_front()
        visitor.wait_for_move(now)  # by the stream
        assert "Player 2" in visitor.page.inner_text("#log")


def test_things_in_the_picture_can_be_played_by_keyboard_too(browser: Any, address: str, tables: Tables) -> None:
    with Visitor(browser, address, table=tables.where("king_lui")) as visitor:
        before, thing = visitor.version, visitor.page.locator("#table [data-actions]").first
        thing.focus()
        visitor.later()
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
        for _ in range(6):
            for visitor in (host, guest):
                if visitor.page.locator("#moves button").count():
                    before = host.version, guest.version
                    visitor.later()
                    buttons = visitor.page.locator("#moves button")
                    buttons.nth(int(rng.integers(buttons.count()))).click()
                    host.wait_for_move(before[0])
                    guest.wait_for_move(before[1])
        assert host.version == guest.version >= 10
        host.shot("two-browsers-host")
        guest.shot("two-browsers-guest")
        for one, other in ((host, guest), (guest, host)):
            bodies = [response.text() for response in one.received]
            seat, others_key = one.table()["seat"], other.table()["key"]
            states = [json.loads(body) for body in bodies if '"your_turn"' in body]
            assert len(states) > 10
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
