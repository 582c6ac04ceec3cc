"""The laboratory in real Chromium: analysis, links, spectators, runs, games worth seeing, people; with axe."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from card_envs.agents.checkpoint import save_checkpoint
from card_envs.arena import Tournament, analysis
from tests.support.web_browser import CHROMIUM_NEEDED, Visitor
from tests.support.web_server import artefacts, random_network, serving

pytestmark = CHROMIUM_NEEDED

PLAY_ON = """async ([id, key]) => {
  const headers = { "X-Seat-Key": key, "Content-Type": "application/json" };
  let state = await (await fetch(`/api/games/${id}`, { headers })).json();
  while (!state.over) {
    const body = JSON.stringify({ action: state.actions.at(-1).number, version: state.version });
    state = await (await fetch(`/api/games/${id}/moves`, { method: "POST", headers, body })).json();
  }
  return state.result.points;
}"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A server with a run and a tournament of its steps."""
    folder = tmp_path_factory.mktemp("lab")
    network, weights = random_network("zum_kuhkuck")
    paths = []
    for number, name in enumerate(("step-000000001000", "step-000000002000", "latest"), start=1):
        paths.append(folder / "duel" / "checkpoints" / f"{name}.safetensors")
        other = {key: array * number for key, array in weights.items()}
        save_checkpoint(paths[-1], "zum_kuhkuck", other, network, players=(2,), step=1000 * number)
    (folder / "duel" / "config.yaml").write_text("game: zum_kuhkuck\n")
    lines = [{"decisions": 1000 * one, "against bot": one / 10, "against bot error": 0.01} for one in range(1, 5)]
    (folder / "duel" / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / "duel" / "league.json").write_text('[{"player": "bot", "games": 9.0, "share": 0.25, "active": true}]')
    agents = ["bot", "random", *map(str, paths)]
    with Tournament("zum_kuhkuck", agents=agents, games=120, seed=3, out=folder / "cup") as cup:
        cup.run()
    before, analysis.PLAYOUTS = analysis.PLAYOUTS, 8
    with serving(runs=[folder]) as address:
        yield address, folder
    analysis.PLAYOUTS = before


@pytest.mark.parametrize(("size", "scheme"), [("desktop", "light"), ("phone", "dark")])
def test_a_day_in_the_laboratory(browser: Any, lab: tuple[str, Path], size: str, scheme: str) -> None:
    address, folder = lab
    allowed = ["clipboard-read", "clipboard-write"]
    with Visitor(browser, address, size, color_scheme=scheme, permissions=allowed) as visitor:
        page = visitor.page

        def check(where: str, seen: Any = page) -> None:
            visitor.check(where, seen)
            seen.screenshot(path=artefacts() / f"lab-{where}-{size}.png", full_page=True)

        # A run: its curve, and a new line in the log that appears by itself.
        page.click("#menu a[href='#/runs']")
        page.click(".runs a")
        page.wait_for_selector("#learning svg path")
        assert "duel · step 2 k" in page.inner_text("main")
        page.wait_for_selector("h2:has-text('In tournaments')")
        check("run")
        with (folder / "duel" / "log.jsonl").open("a") as log:
            log.write('{"decisions": 5000, "against bot": 0.875}\n')
        visitor.later(5000)
        page.wait_for_selector("#learning li:has-text('0.875')")

        # A cell of the head-to-head leads to games, and one of these to its analysis.
        page.click("#menu a[href='#/tournaments']")
        page.click("text=cup")
        page.wait_for_selector("#head-to-head")
        page.click("#line-ups summary")
        check("tournament")
        page.locator("#head-to-head td.ahead a").first.click()
        page.wait_for_selector("#found a")
        assert page.inner_text("#command").startswith(f"card-envs find {folder.name}/cup --agent ")
        check("games")
        lineup = page.locator("#line-up option").nth(1).get_attribute("value")
        page.select_option("#line-up", lineup)
        page.click("form button.main")
        page.wait_for_function("() => document.getElementById('command').textContent.includes('--line-up')")
        assert page.inner_text("#command").count("--line-up") == len(json.loads(lineup)) == 2
        assert page.url.count("line_up=") == 2
        page.select_option("#line-up", "[]")
        page.click("form button.main")
        page.wait_for_function("() => !document.getElementById('command').textContent.includes('--line-up')")
        page.locator("#found a").first.click()
        page.wait_for_selector("#second option[value='bot']", state="attached")
        page.select_option("#second", "bot")
        page.click("#analyse")
        page.wait_for_selector("#thoughts h3")
        page.click("#widest")
        page.wait_for_selector("#disagreement")
        check("analysis")
        page.click("#costliest")
        page.wait_for_function("() => /move=\\d+/.test(location.hash)")
        wanted = page.url
        assert "second=bot" in wanted
        page.click("#copy-position")
        page.wait_for_selector("#copy-position:has-text('copied')")
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied == wanted
        assert f"--move {wanted.split('move=')[1].split('&')[0]}" in page.inner_text("#command")
        with page.expect_download() as saved:
            page.click("#save-svg")
        assert Path(saved.value.path()).read_text(encoding="utf-8").startswith("<svg")
        told = page.inner_text("#thoughts")
        other = visitor.context.new_page()
        other.goto(copied)
        other.wait_for_selector("#cost")
        assert other.inner_text("#thoughts") == told, "the link leads to the same position and analysis"
        other.close()

        # Play against the newest with a coach of one's choice, while somebody watches.
        page.click("#menu a[href='#/runs']")
        page.click(".runs button")
        page.wait_for_selector("#moves button[data-number]")
        assert "duel · step 3 k" in page.inner_text("#table")
        page.check("#coach")
        page.wait_for_selector("#coach-agent option[value='random']", state="attached")
        page.select_option("#coach-agent", "random")
        page.wait_for_selector("#bars h3:has-text('random')")
        page.uncheck("#coach")
        table = visitor.table()
        page.click("#spectators")
        page.wait_for_selector("#spectators:has-text('copied')")
        link = page.evaluate("navigator.clipboard.readText()")
        watcher = visitor.context.new_page()
        watcher.goto(link)
        watcher.wait_for_selector("#table svg")
        check("watching", watcher)
        assert not watcher.locator("[data-actions]").count(), "nothing can be played there"
        points = page.evaluate(PLAY_ON, [table["id"], table["key"]])
        watcher.wait_for_selector("#result:not([hidden])")
        assert " won " in watcher.inner_text(".headline")
        watcher.click("#result a")
        watcher.wait_for_selector("#analysis")
        watcher.close()

        # One's own results, and the same deal from the other seat.
        page.click("#menu a[href='#/you']")
        page.wait_for_selector("#history a")
        assert str(points[table["seat"]]) in page.inner_text("#history")
        assert "cup" in page.inner_text(".own-table"), "rated on the tournament's scale"
        check("you")
        with page.expect_download() as saved:
            page.click("#export-csv")
        assert table["id"] in Path(saved.value.path()).read_text(encoding="utf-8")
        page.click("#history button")
        page.wait_for_selector("#table svg")
        assert visitor.table()["seat"] == 1


def test_the_report_sorts_and_tells_commands(browser: Any, lab: tuple[str, Path]) -> None:
    from axe_playwright_python.sync_playwright import Axe

    from card_envs.arena.report import write_reports

    page_file = write_reports(lab[1] / "cup")[0]
    for size in ({"width": 1200, "height": 800}, {"width": 390, "height": 844}):
        page = browser.new_page(viewport=size)
        page.goto(page_file.as_uri())
        page.wait_for_selector(".scripted")
        names = page.locator("table").first.locator("tbody tr td:nth-child(2)")
        before = names.all_inner_texts()
        page.locator("th.sorts", has_text="rating").first.click()
        page.locator("th.sorts", has_text="rating").first.click()
        assert names.all_inner_texts() == before[::-1], "from the lowest rating up"
        page.locator("[data-a]").first.click()
        assert page.inner_text("#command code").startswith(f"card-envs find {lab[1]}/cup --agent ")
        page.click("summary")
        page.locator("[data-line]").first.click()
        assert page.inner_text("#command code").count("--line-up") == 2
        assert not page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
        found = Axe().run(page).response["violations"]
        assert not [(one["id"], one["nodes"][0]["html"][:200]) for one in found]
        page.screenshot(path=artefacts() / f"lab-report-{size['width']}.png", full_page=True)
        page.close()
