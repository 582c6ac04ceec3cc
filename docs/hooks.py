"""Pages of games come from their modules, tables from the code itself, when MkDocs builds them. Neither can lie.

- a page with `<!-- module: king_lui_v0 -->` becomes the docstring of that module;
- `<!-- observation: king_lui -->`, `<!-- actions: king_lui -->` and `<!-- games -->` become tables;
- every game's page is in the navigation.

`python docs/hooks.py` (`make pages`) writes the same into the pages themselves, for readers of the repository.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

import card_envs
from card_envs.games import rows
from card_envs.presentation.description import action_runs

END = "<!-- end -->"
MODULE = re.compile(r"<!-- module: (\w+) -->")
MARKER = re.compile(rf"<!-- (games|(?:observation|actions): \w+) -->(?:(?:(?!<!--).)*{END})?", re.DOTALL)


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
    lines = ["| actions | names |", "|---|---|"]
    for numbers, names in action_runs(card_envs.get_game(game)):
        told = ", ".join(name if name == "..." else f"`{name}`" for name in names)
        lines.append(f"| {numbers} | {told} |")
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


def fill(markdown: str, keep_markers: bool) -> str:
    """Put a table where each marker is, instead of what stands between it and its end."""

    def table(found: re.Match[str]) -> str:
        kind, _, game = found[1].partition(": ")
        made = games_table() if kind == "games" else MAKERS[kind](game)
        return f"<!-- {found[1]} -->\n\n{made}\n\n{END}" if keep_markers else made

    return MARKER.sub(table, markdown)


def expand(markdown: str) -> str:
    """A page as the site shows it."""
    named = MODULE.search(markdown)
    return fill(module_page(named[1]) if named else markdown, keep_markers=False)


def written(markdown: str) -> str:
    """A page as the repository keeps it, readable without being built: what `make pages` writes."""
    named = MODULE.search(markdown)
    if not named:
        return fill(markdown, keep_markers=True)
    note = f"<!-- `make pages` writes this page from the docstring of card_envs/{named[1]}.py: change it there. -->"
    return f"{named[0]}\n{note}\n\n{fill(module_page(named[1]), keep_markers=False).strip()}\n"


def on_page_markdown(markdown: str, **_: Any) -> str:
    return expand(markdown)


if __name__ == "__main__":
    for page in sorted(Path(__file__).parent.rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        if text != written(text):
            page.write_text(written(text), encoding="utf-8")
            print(f"wrote {page}")
