"""The report: one page that holds everything and needs nothing, whatever agents are called."""

from __future__ import annotations

import base64
import csv
import hashlib
import json
import re
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import card_envs
from card_envs.agents.checkpoint import save_checkpoint
from card_envs.arena import Tournament
from card_envs.arena.charts import error_bar, heat, histogram, share_bar, span
from card_envs.arena.report import write_reports
from card_envs.arena.standings import Figure, compute_standings
from card_envs.arena.store import Store
from card_envs.errors import TournamentError
from tests.support.registered import GAMES, opponent
from tests.support.tournaments import First, play_by_strength
from tests.support.web_server import random_network


class Page(HTMLParser):
    """The tags, links and text of a page. Unclosed or crossed tags end the test."""

    VOID = ("meta", "line", "path", "circle", "br")

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [str(value) for name, value in attrs if name in ("src", "href", "action", "data")]
        assert not any(name.startswith("on") for name, _ in attrs)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def page_of(folder: Path) -> Page:
    return Page(write_reports(folder)[0].read_text(encoding="utf-8"))


@pytest.mark.parametrize("game", GAMES)
def test_a_report_has_every_section_and_every_agent(game: str, tmp_path: Path) -> None:
    with Tournament(game, agents=["random", opponent(game), First()], games=300, out=tmp_path) as tournament:
        standings = tournament.run()
    html = (write_reports(tmp_path)[0]).read_text(encoding="utf-8")
    page = Page(html)
    for heading in (
        "Standings",
        "Head to head",
        "Points",
        "Seat advantage",
        "Points by source",
        "Line-ups",
        "Settings",
    ):
        assert f"<h2>{heading}</h2>" in html
    for row in standings.rows:
        assert row.name in page.text
        assert f"{row.win_share.value:.3f}" in page.text
    for source in card_envs.get_game(game).score_columns:
        assert source in page.text
    assert page.tags.count("svg") == 2 * len(standings.rows) + standings.players
    assert "Rating by training step" not in html, "nobody here is a step of a run"
    assert "Exploitability" not in html, "nothing was measured"
    assert "random = 0" in page.text


def test_a_report_needs_no_network_runs_one_known_script_and_suits_phones_and_the_dark(tmp_path: Path) -> None:
    with Tournament("king_lui", agents=["random"], games=40, out=tmp_path) as tournament:
        tournament.run()
    html = write_reports(tmp_path)[0].read_text(encoding="utf-8")
    page = Page(html)
    assert not page.links
    assert not {"link", "img", "iframe"} & set(page.tags)
    assert page.tags.count("script") == 1
    script = re.search("<script>(.*)</script>", html, re.DOTALL)
    assert script is not None
    known = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
    assert f"script-src 'sha256-{known}'" in html
    assert not re.search(r"https?:|url\(|@import", html)
    assert "default-src 'none'" in html
    assert 'name="viewport"' in html
    assert "prefers-color-scheme: dark" in html


def test_names_cannot_break_out_of_the_page(tmp_path: Path) -> None:
    class Sly(First):
        name = "</td><script>alert('&')</script>\"<b x='"

    with Tournament("zum_kuhkuck", agents=["random", Sly()], games=40, out=tmp_path) as tournament:
        tournament.run()
    page = page_of(tmp_path)
    assert page.tags.count("script") == 1, "ours, which the policy knows by its hash"
    assert "b" not in page.tags
    assert Sly.name in page.text


def test_a_report_of_an_unfinished_tournament_says_so(tmp_path: Path) -> None:
    Tournament("king_lui", agents=["random", "bot"], games=400, out=tmp_path).close()
    page = page_of(tmp_path)
    assert "0 of 400 games so far" in page.text
    assert "–" in page.text


def test_tables_for_other_programs_hold_the_same_figures(tmp_path: Path) -> None:
    with Tournament("king_lui", agents=["random", "bot"], games=200, out=tmp_path) as tournament:
        standings = tournament.run()
    names = [path.name for path in write_reports(tmp_path, csv=True, json=True)]
    assert names == ["report.html", "standings.csv", "standings.json"]
    with (tmp_path / "standings.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["rating"]) for row in rows] == [row.rating.value for row in standings.rows]
    everything = json.loads((tmp_path / "standings.json").read_text(encoding="utf-8"))
    assert everything["standings"][0]["win_share"]["high"] == standings.rows[0].win_share.high
    assert everything["line_ups"][0]["games"] == 200


@pytest.mark.parametrize("sign", "=+-@＝")
def test_names_are_no_formulas_in_a_spreadsheet(sign: str, tmp_path: Path) -> None:
    class Clerk(First):
        name = f"{sign}2+5"

    with Tournament("zum_kuhkuck", agents=["random", Clerk(), Clerk()], games=6, out=tmp_path) as tournament:
        tournament.run()
    write_reports(tmp_path, csv=True, json=True)
    with (tmp_path / "standings.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["agent"] for row in rows} == {"random", f"'{sign}2+5", f"'{sign}2+5 #2"}
    assert all(float(row["points"]) for row in rows), "numbers below nought are numbers still"
    everything = json.loads((tmp_path / "standings.json").read_text(encoding="utf-8"))
    assert {row["agent"] for row in everything["standings"]} == {"random", Clerk.name, f"{Clerk.name} #2"}


def test_a_report_of_nothing_is_refused_and_makes_no_folder(tmp_path: Path) -> None:
    with pytest.raises(TournamentError, match="there is no tournament in"):
        write_reports(tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()


def test_many_agents_are_readable_and_line_ups_are_folded_and_sorted(tmp_path: Path) -> None:
    class Named(First):
        def __init__(self, number: int) -> None:
            self.name = f"agent-{number}"

    agents = ["random", *(Named(number) for number in range(11))]
    tournament = Tournament("king_lui", agents=agents, players=3, games=700, out=tmp_path)
    with tournament, tournament.store.playing():
        play_by_strength(tournament, range(12), seed=1)
    html = write_reports(tmp_path)[0].read_text(encoding="utf-8")
    Page(html)
    assert html.count('class="turned"') == 12, "names are turned above narrow columns"
    assert html.count("data-b=") == 12 * 11
    folded = html[html.index("<h2>Line-ups</h2><details>") : html.index("</details>")]
    lines = [[int(one) for one in line.split()] for line in re.findall('data-line="([^"]+)"', folded)]
    with closing(Store.open(tmp_path)) as store:
        places = {row.number: place for place, row in enumerate(compute_standings(store).rows)}
    keys = [sorted(places[one] for one in line) for line in lines]
    assert keys == sorted(keys), "those of the best come first"
    assert 'th class="name sorts"' in html


def test_steps_of_one_run_make_a_curve_and_what_was_exploited_is_told(tmp_path: Path) -> None:
    network, _ = random_network("king_lui")
    for step in (1000, 2000, 3000):
        rng = np.random.default_rng(step)
        sizes = network.tensors(card_envs.get_game("king_lui").layout.size, len(card_envs.get_game("king_lui").actions))
        weights = {name: rng.normal(size=size).astype(np.float32) for name, size in sizes.items()}
        path = tmp_path / "runs" / "king" / "checkpoints" / f"step-{step:012}.safetensors"
        save_checkpoint(path, "king_lui", weights, network, players=(3,), step=step)
    agents = ["random", *sorted(map(str, (tmp_path / "runs/king/checkpoints").iterdir()))]
    with Tournament("king_lui", agents=agents, players=3, games=60, out=tmp_path / "cup") as tournament:
        standings = tournament.run()
    row = standings.rows[0]
    told = {
        "format": "card_envs exploit 1", "game": "king_lui", "players": 3, "content_hash": row.content_hash,
        "responses": [
            {"method": "search", "budget": "64 playouts", "win_share": {"value": 0.612, "low": 0.6, "high": 0.62}}
        ],
    }  # fmt: skip
    (tmp_path / "exploit-1").mkdir()
    (tmp_path / "exploit-1" / "exploit.json").write_text(json.dumps(told))
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "exploit.json").write_text('{"format": "card_envs exploit 1"}')
    html = write_reports(tmp_path / "cup")[0].read_text(encoding="utf-8")
    page = Page(html)
    assert "<h2>Rating by training step</h2>" in html
    assert "<h3>king</h3>" in html
    assert html.count("<circle") == 3
    assert "0.612" in page.text
    assert "+0.279" in page.text
    assert "64 playouts" in page.text


class TestPictures:
    def test_an_error_bar_lies_where_its_figures_are(self) -> None:
        picture = error_bar(Figure(50, 25, 75), 0, 100, 10)
        assert 'class="mark" x1="10.00"' in picture
        assert 'class="interval" x1="25.00" y1="9.00" x2="75.00"' in picture
        assert 'class="value" x1="50.00"' in picture

    def test_a_scale_holds_every_interval_but_of_who_is_far_below_all_others(self) -> None:
        low, high = span([Figure(5, 4, 6), Figure(8, 7, 9), Figure(float("nan"), float("nan"), float("nan"))])
        assert low < 4 < 9 < high
        assert span([]) == (-1, 1)
        strong = [Figure(900 + 20 * one, 880 + 20 * one, 920 + 20 * one) for one in range(5)]
        low, high = span([Figure(0, 0, 0), *strong])
        assert low > 800, "random does not stretch the axis"
        assert 'class="away"' in error_bar(Figure(0, 0, 0), low, high, 0)
        assert 'class="away"' not in error_bar(strong[0], low, high, 0)
        assert span([Figure(0, 0, 0), strong[0]])[0] < 0, "of two, both are shown"

    def test_a_histogram_has_a_bar_for_all_that_happened(self) -> None:
        assert histogram({0: 1, 3: 2}, 0, 3).count("<rect") == 2
        assert histogram({0: 5, 999: 5}, 0, 999).count("<rect") == 2
        assert 'height="40.00"' in histogram({7: 3}, 7, 7)

    def test_colours_tell_who_is_ahead(self) -> None:
        assert heat(0.5).endswith("0.00)")
        assert "30,110,220" in heat(0.9)
        assert "230,120,20" in heat(0.1)
        assert heat(float("nan")) == ""
        assert 'width="50.00"' in share_bar(0.25, 0.5, 0.25)
