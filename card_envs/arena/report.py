"""The report of a tournament: one HTML page that needs nothing else, and tables for other programs."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from card_envs.arena.entrants import Entrant
from card_envs.arena.exploits import Exploit, find_exploits
from card_envs.arena.report_page import whole_page
from card_envs.arena.report_sections import SECTIONS, exploits_section, settings_section, steps_section
from card_envs.arena.standings import Standings, compute_standings
from card_envs.arena.store import Store
from card_envs.errors import TournamentError
from card_envs.files import write_whole

PAGE, TABLE, EVERYTHING = "report.html", "standings.csv", "standings.json"


def write_reports(
    folder: str | PathLike[str], *, csv: bool = False, json: bool = False, out: str | PathLike[str] | None = None
) -> list[Path]:
    """Write the page, and tables that are asked for, into the tournament's folder or another; returns their paths."""
    return write_and_tell(folder, csv=csv, json=json, out=out)[0]


def write_and_tell(
    folder: str | PathLike[str], *, csv: bool = False, json: bool = False, out: str | PathLike[str] | None = None
) -> tuple[list[Path], list[str]]:
    """The same, and sentences about a challenge."""
    to = Path(folder if out is None else out)
    store = Store.open(folder)
    try:
        standings = compute_standings(store)
        written = [write_page(to, standings, store.entrants, Path(folder))]
    finally:
        store.close()
    texts = {TABLE: standings.to_csv()} if csv else {}
    texts |= {EVERYTHING: standings.to_json()} if json else {}
    return written + [_write(to / name, text) for name, text in texts.items()], standings.told_challenge()


def write_page(folder: Path, standings: Standings, entrants: Sequence[Entrant], tournament: Path | None = None) -> Path:
    """Write the page alone; returns its path. `tournament` is where the games are, if not in the same folder."""
    games = tournament or folder
    return _write(folder / PAGE, make_page(standings, entrants, str(games), find_exploits(games)))


def _write(path: Path, text: str) -> Path:
    try:
        return write_whole(path, text.encode())
    except OSError as error:
        raise TournamentError(
            f"cannot write {path}: {error.strerror}; the games themselves are safe, and card-envs report --out "
            f"writes into another folder"
        ) from None


def make_page(standings: Standings, entrants: Sequence[Entrant], folder: str, exploits: Sequence[Exploit] = ()) -> str:
    """The whole page. `folder` is what commands call the tournament's folder."""
    games = f"{standings.games_played:,} games"
    if standings.games_played < standings.games_in_all:
        games = f"{standings.games_played:,} of {standings.games_in_all:,} games so far"
    title = f"{standings.title}: {len(standings.names)} agents, {standings.players} players, {games}"
    first, *others = SECTIONS
    body = [
        first(standings),
        steps_section(standings, entrants),
        exploits_section(standings, exploits),
        *(section(standings) for section in others),
        settings_section(standings, entrants),
    ]
    return whole_page(title, "".join(body), standings.names, folder)
