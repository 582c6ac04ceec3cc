"""`card-envs serve-agent`: one of our agents as a program that other programs can ask."""

from __future__ import annotations

import sys
from typing import Annotated

import typer


def serve_agent(
    game: Annotated[str, typer.Argument(help="A game's name, as `card-envs games` lists it.", show_default=False)],
    agent: Annotated[str, typer.Argument(help="Who answers: a name or a checkpoint's path.", show_default=False)],
    seed: Annotated[int | None, typer.Option(help="For lots that come out the same each time.")] = None,
) -> None:
    """Answer questions on standard input with actions on standard output, each a line of JSON: see docs/speaking.md."""
    from card_envs.agents.speaking.serve import ServedAgent

    try:
        for answer in ServedAgent(game, agent, seed).serve(sys.stdin):
            print(answer, flush=True)
    except (KeyboardInterrupt, BrokenPipeError):  # whoever asked has gone
        raise typer.Exit from None
