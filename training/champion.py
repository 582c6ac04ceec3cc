"""Make the best player of a run a game's champion, and say how strong champions are.

    python -m training.champion runs/king_lui            # put its best player into the game's package
    python -m training.champion --strength               # the table in docs/training.md
    python -m training.champion --curves docs/pictures   # the training curves, from what was kept with the champions

Which of a run's players is the best was decided by the run itself: by what is left to it against its hardest opponents,
a response that knows it among them. Runs can afford few games for that; where more games say otherwise, `--player`
names another one, and the story keeps who it is. Nothing is changed afterwards, such as making it surer of itself,
which would only be judged by those who do not know it.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from card_envs.agents.checkpoint import CheckpointAgent, checkpoint_bytes, read_checkpoint
from card_envs.agents.loading import CHAMPION, SUFFIX, champion_path
from card_envs.core.game import Game
from card_envs.errors import CardEnvsError
from card_envs.files import write_whole
from card_envs.games import game_names, get_game
from training.evaluation import figures, measuring_seed, play_seats, shares
from training.log import read_log
from training.settings import RunSettings
from training.strength import Expense, strength
from training.trees import settings_of

BEST = "best"


def crown(run: Path, player: str = BEST) -> None:
    """Put the best player of a run into its game's package, with the settings and the log of its training."""
    made = json.loads((run / "made_by.json").read_text())
    game, best = settings_of(run).rules, run / "checkpoints" / f"{player}{SUFFIX}"
    checkpoint, past = read_checkpoint(best, game), history(run)
    tables = tuple(sorted({*checkpoint.players, *past.players}))
    same, home = set(tables) == {*checkpoint.players}, champion_path(game).parent
    data = best.read_bytes() if same else checkpoint_bytes(replace(checkpoint, players=tables), game)
    write_whole(home / f"{CHAMPION}{SUFFIX}", data)
    story = {**made, "player": player, "step": checkpoint.step}
    story |= {"commands": past.commands, "commits": past.commits, "curve": past.curve}
    story["config"] = (run / "config.yaml").read_text()
    write_whole(home / f"{CHAMPION}.json", json.dumps(story, indent=1) + "\n")
    print(f"the champion of {game.title} is now {best}, in {home.name}/")


@dataclass(frozen=True)
class History:
    """The runs that made a player, one after the other: what was typed, what they measured, and at which tables."""

    commands: list[str]
    commits: list[str]
    curve: list[dict[str, float]]
    players: tuple[int, ...]


NOTHING = History([], [], [], ())


def origin(start: str | None, game: Game) -> History:
    """How whoever a run went on from was made: a champion tells it himself, others are in the folder of a run."""
    if start is None:
        return NOTHING
    checkpoint, path = read_checkpoint(start, game), Path(start)
    if path.name != f"{CHAMPION}{SUFFIX}":
        return history(path.parent.parent, checkpoint.step)
    story = json.loads(path.with_suffix(".json").read_text())
    return History(story["commands"], story["commits"], story["curve"], checkpoint.players)


def history(run: Path, until: float = float("inf")) -> History:
    """How a run was made and what it measured, after the same of the run that it went on from."""
    settings, made = settings_of(run), json.loads((run / "made_by.json").read_text())
    past = origin(getattr(settings, "start", None), settings.rules)
    curve = list(past.curve)
    before = curve[-1]["decisions"] if curve else 0.0
    for line in read_log(run):
        if line["decisions"] <= until and any(key.startswith("against bot") for key in line):
            kept = {key: value for key, value in line.items() if key.startswith("against bot")}
            curve.append({"decisions": before + line["decisions"], **kept})
    curve += snapshots(run, settings, before, {point["decisions"] for point in curve}, until)
    return History(
        [*past.commands, made["command"]],
        [*past.commits, made["git_commit"]],
        sorted(curve, key=lambda point: point["decisions"]),
        tuple(sorted({*past.players, *settings.numbers})),
    )


def snapshots(
    run: Path, settings: RunSettings, before: float, known: set[float], until: float
) -> list[dict[str, float]]:
    """What earlier selves that a run kept, but did not measure, get from bots, on the deals that it measures on.

    Measurements take in responses, which take minutes, so runs make few of them.
    """
    found = []
    for path in sorted((run / "checkpoints").glob(f"step-*{SUFFIX}")):
        player = CheckpointAgent(path, settings.rules)
        step = float(player.checkpoint.step)
        if before + step in known or step > until:
            continue
        seed, deals = measuring_seed(settings.seed), settings.evaluation.deals
        results = {
            ("bot", number): play_seats(settings.game, player, "bot", number, deals, seed, **settings.options)
            for number in settings.numbers
        }
        found.append({"decisions": before + step, **figures(shares(results))})
    return found


def curve(game: Game) -> str:
    """The training curve of a champion as SVG: win share against bots, one line per number of players."""
    story = json.loads(champion_path(game).with_suffix(".json").read_text())
    points: dict[str, list[tuple[float, float, float]]] = {}
    for line in story["curve"]:
        for key, value in line.items():
            if key.startswith("against bot") and not key.endswith("error"):
                points.setdefault(
                    key.removeprefix("against bot").lstrip(", ") or f"{game.players[0]} players", []
                ).append((line["decisions"] / 1e6, value, 1.96 * line[f"{key} error"]))
    return _plot(f"{game.title}: win share of the learner against bots", points)


def _plot(title: str, lines: dict[str, list[tuple[float, float, float]]]) -> str:
    """Lines with bands: x in millions of decisions, y from 0 to the next tenth above all points."""
    colours = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
    width, height, left, low = 640, 320, 52, 40
    most = max(x for points in lines.values() for x, _, _ in points)
    top = np.ceil(max(y + e for points in lines.values() for _, y, e in points) * 10) / 10

    def at(x: float, y: float) -> str:
        return f"{left + x / most * (width - left - 90):.1f},{height - low - y / top * (height - low - 34):.1f}"

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"',
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="#fff"/><text x="{left}" y="20" font-size="14">{title}</text>',
    ]
    for tenth in range(round(top * 10) + 1):
        x, y = at(0, tenth / 10).split(",")
        parts.append(f'<path d="M{x} {y}H{width - 90}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 28}" y="{y}">{tenth / 10:.1f}</text>')
    for part in range(5):
        x, y = at(most * part / 4, 0).split(",")
        parts.append(f'<text x="{x}" y="{float(y) + 18:.0f}" text-anchor="middle">{most * part / 4:.0f} M</text>')
    for colour, (name, points) in zip(colours, lines.items(), strict=False):
        band = [at(x, y + e) for x, y, e in points] + [at(x, y - e) for x, y, e in reversed(points)]
        parts.append(f'<polygon points="{" ".join(band)}" fill="{colour}" opacity="0.2"/>')
        line = " ".join(at(x, y) for x, y, _ in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        x, y = at(*points[-1][:2]).split(",")
        parts.append(f'<text x="{float(x) + 8:.0f}" y="{float(y) + 4:.0f}" fill="{colour}">{name}</text>')
    return "\n".join([*parts, "</svg>", ""])


def main() -> None:
    """Crown a player, or print tables and curves."""
    parser = argparse.ArgumentParser(description="Champions: made from runs, measured, drawn.")
    parser.add_argument("run", nargs="?", type=Path, help="the folder of a run, whose best player becomes the champion")
    parser.add_argument(
        "--player", default=BEST, help="another one of its players, if longer measurements prefer it: latest"
    )
    parser.add_argument("--strength", action="store_true", help="print how strong all champions are, as Markdown")
    parser.add_argument("--only", nargs="+", choices=game_names(), metavar="GAME", help="these games' lines alone")
    parser.add_argument("--tables", nargs="+", type=int, metavar="PLAYERS", help="these numbers of players alone")
    parser.add_argument("--games", type=int, default=Expense.games, help="games per line of that table")
    parser.add_argument("--response-games", type=int, default=Expense.response_games, help="games of each response")
    parser.add_argument("--playouts", type=int, default=Expense.playouts, help="per decision of a response by search")
    parser.add_argument("--decisions", type=int, default=Expense.decisions, help="of a learned response")
    parser.add_argument("--workers", type=int, default=1, help="processes that play responses, threads that learn them")
    parser.add_argument("--folder", type=Path, default=Expense.folder, help="where responses are kept")
    parser.add_argument("--curves", type=Path, metavar="FOLDER", help="write the training curves there, as SVG")
    chosen: Any = parser.parse_args()
    try:
        if chosen.run is not None:
            crown(chosen.run, chosen.player)
        if chosen.strength:
            given = {one.name: getattr(chosen, one.name) for one in fields(Expense)}
            print(strength(chosen.only or game_names(), Expense(**given), chosen.tables))
        if chosen.curves is not None:
            for name in game_names():
                write_whole(chosen.curves / f"training-{name}.svg", curve(get_game(name)))
        if chosen.run is None and not chosen.strength and chosen.curves is None:
            parser.print_help()
    except CardEnvsError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
