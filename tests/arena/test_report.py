"""The report: one page that holds everything and needs nothing, whatever agents are called."""

from __future__ import annotations

import csv
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import card_envs
from card_envs.arena import Tournament
from card_envs.arena.charts import error_bar, heat, histogram, share_bar, span
from card_envs.arena.report import write_reports
from card_envs.arena.standings import Figure
from card_envs.errors import TournamentError
from tests.support.registered import GAMES, opponent
from tests.support.tournaments import First


class Page(HTMLParser):
    """The tags, links and text of a page. Unclosed or crossed tags end the test."""

    VOID = ("meta", "line", "rect", "br")

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
    assert "random = 0" in page.text


def test_a_report_needs_no_network_no_script_and_suits_phones_and_the_dark(tmp_path: Path) -> None:
    with Tournament("king_lui", agents=["random"], games=40, out=tmp_path) as tournament:
        tournament.run()
    html = write_reports(tmp_path)[0].read_text(encoding="utf-8")
    page = Page(html)
    assert not page.links
    assert not {"script", "link", "img", "iframe"} & set(page.tags)
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
    assert "script" not in page.tags
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


def test_a_report_of_nothing_is_refused_and_makes_no_folder(tmp_path: Path) -> None:
    with pytest.raises(TournamentError, match="there is no tournament in"):
        write_reports(tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()


class TestPictures:
    def test_an_error_bar_lies_where_its_figures_are(self) -> None:
        picture = error_bar(Figure(50, 25, 75), 0, 100, 10)
        assert 'class="mark" x1="10.00"' in picture
        assert 'class="interval" x1="25.00" y1="9.00" x2="75.00"' in picture
        assert 'class="value" x1="50.00"' in picture

    def test_a_scale_holds_every_interval_and_what_must_be_in_it(self) -> None:
        low, high = span([Figure(5, 4, 6), Figure(float("nan"), float("nan"), float("nan"))], 0)
        assert low < 0 < 6 < high
        assert span([], 0) == (-1, 1)

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
