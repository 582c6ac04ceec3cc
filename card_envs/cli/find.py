"""`card-envs find`: games of a tournament that are worth seeing."""

from __future__ import annotations

import shlex
from contextlib import closing
from typing import Annotated

import typer

from card_envs.presentation.languages import text_table


def find(
    folder: Annotated[str, typer.Argument(help="The folder of a tournament.", show_default=False)],
    agent: Annotated[str | None, typer.Option(help="An agent who plays in it, named as in the standings.")] = None,
    ahead_of: Annotated[str | None, typer.Option(help="... and finishes ahead of this one.")] = None,
    line_up: Annotated[list[str] | None, typer.Option(help="All who play; once for each seat.")] = None,
    margin_from: Annotated[int | None, typer.Option(help="The winner is ahead by as many points or more.")] = None,
    margin_to: Annotated[int | None, typer.Option(help="... by as many or fewer.")] = None,
    points_from: Annotated[int | None, typer.Option(help="The agent, or the winner, has as many or more.")] = None,
    points_to: Annotated[int | None, typer.Option(help="... as many or fewer.")] = None,
    upsets: Annotated[bool, typer.Option("--upsets", help="Somebody wins who is rated below a loser.")] = False,
    first: Annotated[str, typer.Option(help="Which come first: number, margin, close, upset or points.")] = "number",
    most: Annotated[int, typer.Option(help="How many are listed.", min=1, max=1000)] = 20,
) -> None:
    """List games of a tournament by who plays, who wins, margin, points and upset, and say how to see them."""
    from card_envs.arena.find_games import Wanted, find_games
    from card_envs.arena.standings import compute_standings
    from card_envs.arena.store import Store

    wanted = Wanted(
        agent, ahead_of, tuple(line_up or ()), margin_from, margin_to, points_from, points_to, upsets, first
    )
    with closing(Store.open(folder)) as store:
        count, games = find_games(store, compute_standings(store), wanted, most)
    if not games:
        print("No game of this tournament is like that.")
        return
    rows = [
        [
            str(game.number),
            str(game.margin),
            f"{game.upset:.0f}",
            ", ".join(f"{name} {points}" for name, points in zip(game.agents, game.points, strict=True)),
        ]
        for game in games
    ]
    header = ["game", "margin", "upset", "agents by seat, with their points"]
    width = max(len(row[-1]) for row in (header, *rows))
    print(text_table(header, [[*row[:-1], row[-1].ljust(width)] for row in rows], indent=""))
    print(f"\n{len(games)} of {count} games. See one with: card-envs replay {shlex.quote(folder)} {games[0].number}")
