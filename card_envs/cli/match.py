"""`card-envs match`: one line-up of agents, many games."""

from __future__ import annotations

from typing import Annotated

import typer

from card_envs.cli.options import Options, read_options


def match(
    game: Annotated[str, typer.Argument(help="A game's name, as `card-envs games` lists it.", show_default=False)],
    agents: Annotated[
        list[str],
        typer.Argument(
            help="One agent per seat: names or checkpoints' paths; also mine=PATH, champion:greedy.", show_default=False
        ),
    ],
    games: Annotated[int, typer.Option(help="About how many games to play, in whole deals.")] = 10_000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same match.")] = 0,
    rotate: Annotated[
        bool, typer.Option(help="Every deal in every seat rotation; otherwise everyone stays on its seat.")
    ] = True,
    json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
    option: Options = None,
) -> None:
    """Let agents play each other and print win shares with 95 % error bars."""
    from card_envs.arena.match import play_match

    result = play_match(game, agents, games=games, seed=seed, rotate=rotate, threads=None, **read_options(option))
    print(result.to_json() if json else result)
