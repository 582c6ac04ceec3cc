"""Make the best player of a run a game's champion, and say how strong champions are.

    python -m training.champion runs/king_lui            # sharpen, measure, put it into the game's package
    python -m training.champion --strength               # the table in docs/training.md
    python -m training.champion --curves docs/pictures   # the training curves, from what was kept with the champions

A policy that was learned by trying things out still tries things out. Its logits times a factor make it surer of
itself; the factor is the one with which it does best against the bot, on deals of its own.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from card_envs.agents.checkpoint import read_checkpoint, save_checkpoint
from card_envs.agents.loading import CHAMPION, SUFFIX, champion_path
from card_envs.agents.network import Mlp
from card_envs.core.game import Game
from card_envs.errors import CardEnvsError, OptionError
from card_envs.files import write_whole
from card_envs.games import game_names, get_game
from training.command_line import load
from training.evaluation import Share, play_seats
from training.settings import SelfPlaySettings

FACTORS = (1.0, 1.5, 2.0, 3.0, 5.0)
DEALS_TO_CHOOSE = 2000
GAMES = 20_000
SEEDS = {"choose": 2**41, "strength": 2**42}  # other deals than those that the run was measured on


def crown(run: Path) -> None:
    """Put the best player of a run into its game's package, with the settings and the log of its training."""
    settings = load(SelfPlaySettings, run / "config.yaml")
    game, best = settings.rules, run / "checkpoints" / "best.safetensors"
    checkpoint = read_checkpoint(best, game)
    if not isinstance(checkpoint.network, Mlp):
        raise OptionError(f"{best} cannot be sharpened: its network is of the kind {checkpoint.network.kind}, not mlp")
    found: dict[float, float] = {}
    for factor in FACTORS:
        weights = dict(checkpoint.weights)
        for name in ("policy.weight", "policy.bias"):
            weights[name] = weights[name] * np.float32(factor)
        path = run / "checkpoints" / f"sharpened-{factor:g}{SUFFIX}"
        save_checkpoint(
            path,
            game,
            weights,
            checkpoint.network,
            players=checkpoint.players,
            options=checkpoint.options,
            step=checkpoint.step,
            parent=checkpoint.content_hash,
        )
        shares = [
            number * play_seats(game.name, path, "bot", number, DEALS_TO_CHOOSE, SEEDS["choose"]).mean()
            for number in settings.numbers
        ]
        found[factor] = float(np.mean(shares))
        print(f"logits times {factor:g}: {found[factor]:.3f} of a bot's own share", flush=True)
    factor = max(found, key=lambda one: found[one])
    chosen = run / "checkpoints" / f"sharpened-{factor:g}{SUFFIX}"
    home = champion_path(game).parent
    write_whole(home / f"{CHAMPION}{SUFFIX}", chosen.read_bytes())
    story = {**json.loads((run / "made_by.json").read_text()), "sharpened": factor, "step": checkpoint.step}
    story["commands"], story["curve"], story["config"] = *history(run), (run / "config.yaml").read_text()
    write_whole(home / f"{CHAMPION}.json", json.dumps(story, indent=1) + "\n")
    print(f"the champion of {game.title} is now {chosen}, in {home.name}/")


def history(run: Path, until: float = float("inf")) -> tuple[list[str], list[dict[str, float]]]:
    """Commands and measurements of a run, after those of the run that it went on from."""
    settings = load(SelfPlaySettings, run / "config.yaml")
    commands: list[str] = []
    curve: list[dict[str, float]] = []
    if settings.start is not None:
        step = read_checkpoint(settings.start, settings.rules).step
        commands, curve = history(Path(settings.start).parent.parent, step)
    before = curve[-1]["decisions"] if curve else 0.0
    commands.append(json.loads((run / "made_by.json").read_text())["command"])
    for line in map(json.loads, (run / "log.jsonl").read_text().splitlines()):
        if line["decisions"] <= until and any(key.startswith("against bot") for key in line):
            kept = {key: value for key, value in line.items() if key.startswith("against bot")}
            curve.append({"decisions": before + line["decisions"], **kept})
    return commands, curve


def strength(games: int) -> str:
    """A Markdown table: each champion against bot and random, with every number of players."""
    rows = []
    for name in game_names():
        game = get_game(name)
        for number in game.players:
            shares = [
                Share.of(play_seats(name, CHAMPION, opponent, number, games // number, SEEDS["strength"]))
                for opponent in ("bot", "random")
            ]
            rows.append([game.title, str(number), f"{1 / number:.3f}", *map(str, shares)])
            print(f"{game.title}, {number} players: {shares[0]} against bots, {shares[1]} against random", flush=True)
    head = ["game", "players", "fair share", "against bots", "against random players"]
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


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
    parser.add_argument("--strength", action="store_true", help="print how strong all champions are, as Markdown")
    parser.add_argument("--games", type=int, default=GAMES, help="games per line of that table")
    parser.add_argument("--curves", type=Path, metavar="FOLDER", help="write the training curves there, as SVG")
    chosen: Any = parser.parse_args()
    try:
        if chosen.run is not None:
            crown(chosen.run)
        if chosen.strength:
            print(strength(chosen.games))
        if chosen.curves is not None:
            for name in game_names():
                write_whole(chosen.curves / f"training-{name}.svg", curve(get_game(name)))
        if chosen.run is None and not chosen.strength and chosen.curves is None:
            parser.print_help()
    except CardEnvsError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
