"""`card-envs play`: a person at the terminal against agents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.prompt import Prompt

from card_envs.agents import load_agent
from card_envs.agents.loading import usual_opponent
from card_envs.agents.seating import Seating
from card_envs.core.batch import Batch
from card_envs.errors import OptionError
from card_envs.games import get_game

MOST_CHANGES = 6
HELP = "a number or the beginning of a name plays it; h: hint; q: quit"


class Quit(Exception):  # noqa: N818  # nothing has gone wrong
    """The person has had enough."""


def play(
    game: str,
    against: Sequence[str],
    options: Mapping[str, Any],
    *,
    seat: int | None,
    seed: int | None,
    language: str,
    hints: str | None,
) -> None:
    """Play one game to its end, or until the person quits."""
    rules = get_game(game)
    names = list(against) or [usual_opponent(rules)]
    players = options.get("players")
    if players is None:
        players = len(names) + 1 if len(names) > 1 else rules.options().players
    if len(names) == 1:
        names *= players - 1
    if len(names) != players - 1:
        raise OptionError(f"{players} players need {players - 1} opponents (or one for all seats), not {len(names)}")
    batch = Batch(rules, 1, seed=seed, auto_reset=False, **{**options, "players": players})
    console = Console(highlight=False, markup=False)
    own = int(np.random.default_rng(int(batch.seeds[0])).integers(players)) if seat is None else seat
    if not 0 <= own < players:
        raise OptionError(f"seat must be a whole number from 0 to {players - 1}, not {own}")
    line_up = [*names[:own], "you", *names[own:]]
    adviser = load_agent(rules, hints or usual_opponent(rules), players=players, seed=0)
    terminal = _TerminalGame(console, batch, own, language, adviser)
    seating = Seating(batch)
    seating.sit_down([None if number == own else name for number, name in enumerate(line_up)])
    seating.start_lots(np.array([0]))
    console.print(f"{rules.title}: " + ", ".join(f"player {number} is {name}" for number, name in enumerate(line_up)))
    try:
        terminal.play(seating, line_up)
    except (Quit, KeyboardInterrupt, EOFError):
        console.print(f"\nStopped. --seed {batch.seeds[0]} --seat {own} deals the same cards again.")


class _TerminalGame:
    """What the person sees and types."""

    def __init__(self, console: Console, batch: Batch, own: int, language: str, adviser: Any) -> None:
        self.console, self.batch, self.own, self.language, self.adviser = console, batch, own, language, adviser

    def play(self, seating: Seating, line_up: Sequence[str]) -> None:
        """Everyone acts in turn; what the others do is told as far as it may be known."""
        batch, rules = self.batch, self.batch.game
        while batch.seat[0] >= 0:
            seat = int(batch.seat[0])
            if seat == self.own:
                action = self.ask()
                self.console.print(f"  you: {rules.actions[action]}")
            else:
                action = int(seating.choose_for(0))
                told = "has chosen" if rules.simultaneous else rules.actions[action]
                self.console.print(f"  player {seat} ({line_up[seat]}): {told}")
            if seat == self.own:
                before = self.text()
                batch.step_one(action)
                self.tell_changes(before)
            else:
                batch.step_one(action)
        self.console.print("\n" + rules.to_text(rules.view(batch.states[0], None), self.language), soft_wrap=True)
        for seat, result in enumerate(batch.result(0)):
            who = "you" if seat == self.own else f"player {seat} ({line_up[seat]})"
            self.console.print(f"{who}: {result['points']} points, rank {result['rank']}")

    def text(self) -> str:
        """What the person may see."""
        return self.batch.game.to_text(self.batch.game.view(self.batch.states[0], self.own), self.language)

    def tell_changes(self, before: str) -> None:
        """What the own action brought, such as a card drawn: the lines of the table that are new, if they are few."""
        new = [line for line in self.text().splitlines() if line not in before.splitlines()]
        if len(new) <= MOST_CHANGES:
            self.console.print("\n".join(new), soft_wrap=True)

    def ask(self) -> int:
        """The person's choice among the legal actions."""
        batch, rules = self.batch, self.batch.game
        legal = [int(action) for action in np.flatnonzero(batch.action_mask[0])]
        self.console.print("\n" + self.text(), soft_wrap=True)
        self.console.print("\nYou can play:")
        for number, action in enumerate(legal, start=1):
            self.console.print(f"  {number:2}  {rules.actions[action]}")
        while True:
            typed = Prompt.ask(f"Your choice ({HELP})", console=self.console).strip().lower()
            if typed in ("q", "quit"):
                raise Quit
            if typed in ("h", "hint"):
                hint = int(self.adviser.act(batch.observation, batch.action_mask)[0])
                self.console.print(f"  {self.adviser.name} would play: {rules.actions[hint]}")
                continue
            chosen = _match(typed, legal, rules.actions)
            if chosen is not None:
                return chosen
            self.console.print(
                f"  {typed!r} is none of these, or could be several; type a number from 1 to {len(legal)}"
            )


def _match(typed: str, legal: Sequence[int], names: Sequence[str]) -> int | None:
    """A number of the list, a name, or the beginning of just one name."""
    if typed.isascii() and typed.isdigit():
        return legal[int(typed) - 1] if 1 <= int(typed) <= len(legal) else None
    alike = [action for action in legal if typed and names[action].startswith(typed)]
    exact = [action for action in alike if names[action] == typed]
    found = exact or alike
    return found[0] if len(found) == 1 else None
