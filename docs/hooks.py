"""What MkDocs does besides: pages of games come from their modules, tables from the code itself. Neither can lie.

- a page with `<!-- module: king_lui_v0 -->` becomes the docstring of that module;
- `<!-- observation: king_lui -->`, `<!-- actions: king_lui -->` and `<!-- games -->` become tables;
- every game's page is in the navigation.
"""

from __future__ import annotations

import importlib
import re
from typing import Any

import card_envs
from card_envs.games import rows


def module_page(module: str) -> str:
    return importlib.import_module(f"card_envs.{module}").__doc__ or ""


def observation_table(game: str) -> str:
    layout = card_envs.get_game(game).layout
    lines = ["| field | slice | shape | 1.0 stands for | meaning |", "|---|---|---|---|---|"]
    for row in layout.rows():
        cells = (f"`{row['name']}`", f"{row['from']}:{row['to']}", row["shape"], row["scale"], row["meaning"])
        lines.append("| " + " | ".join(cells) + " |")
    lines.append(f"\nIn all {layout.size} numbers. The layout's hash is `{layout.hash}`.")
    return "\n".join(lines)


def action_table(game: str) -> str:
    """Actions in runs whose names begin alike: `0-6 take bread ... take wine`."""
    actions = card_envs.get_game(game).actions
    runs: list[list[int]] = []
    for number, name in enumerate(actions):
        if runs and actions[runs[-1][-1]].split()[0] == name.split()[0]:
            runs[-1].append(number)
        else:
            runs.append([number])
    lines = ["| actions | names |", "|---|---|"]
    for run in runs:
        if len(run) > 8:
            names = f"`{actions[run[0]]}`, `{actions[run[1]]}`, ..., `{actions[run[-1]]}`"
        else:
            names = ", ".join(f"`{actions[number]}`" for number in run)
        lines.append(f"| {run[0]}{f'-{run[-1]}' if len(run) > 1 else ''} | {names} |")
    return "\n".join(lines)


def games_table() -> str:
    lines = ["| game | players | choices | actions | observation |", "|---|---|---|---|---|"]
    for name in our_games():
        game = card_envs.get_game(name)
        choices = "at the same time" if game.simultaneous else "in turns"
        sizes = f"{len(game.actions)} | {game.layout.size}"
        lines.append(f"| [{game.title}](games/{name}.md) | {game.players_text} | {choices} | {sizes} |")
    return "\n".join(lines)


MAKERS = {"observation": observation_table, "actions": action_table}


def our_games() -> list[str]:
    """Those of this repository: a builder may have other games installed, which have no page here."""
    return list(dict.fromkeys(row.name for row in rows().values() if row.home.startswith("card_envs.games.")))


def on_config(config: Any) -> Any:
    """Put the pages of all games into the navigation, after the first page."""
    pages = [{card_envs.get_game(name).title: f"games/{name}.md"} for name in our_games()]
    config["nav"].insert(1, {"Games": pages})
    return config


def expand(markdown: str) -> str:
    """Replace every marker; modules first, since their pages hold markers of their own."""
    named = re.search(r"<!-- module: (\w+) -->", markdown)
    if named:
        markdown = module_page(named[1])
    for kind, make in MAKERS.items():
        markdown = re.sub(rf"<!-- {kind}: (\w+) -->", lambda found, make=make: make(found[1]), markdown)
    return markdown.replace("<!-- games -->", games_table())


def on_page_markdown(markdown: str, **_: Any) -> str:
    return expand(markdown)
