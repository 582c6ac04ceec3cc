"""`card-envs play`: a person at the terminal against agents."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.prompt import Prompt
from rich.text import Text

from card_envs.agents import SearchAgent, load_agent
from card_envs.agents.loading import usual_opponent
from card_envs.agents.positions import Positions
from card_envs.agents.seating import Seating
from card_envs.arena.isolation import stand_up
from card_envs.cli.play_words import TERMINAL
from card_envs.core.batch import Batch
from card_envs.errors import OptionError
from card_envs.games import get_game
from card_envs.presentation.headlines import headline
from card_envs.presentation.languages import named, numbered, people, translate
from card_envs.presentation.phrases import explain, say_action, tell_move

COLOURS = ("cyan", "magenta", "yellow", "green", "blue")  # of the others, by seat; the own lines are bold


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
    own = int(np.random.default_rng(int(batch.seeds[0])).integers(players)) if seat is None else seat
    if not 0 <= own < players:
        raise OptionError(f"seat must be a whole number from 0 to {players - 1}, not {own}")
    line_up = [*names[:own], "", *names[own:]]
    adviser = load_agent(rules, hints or usual_opponent(rules), players=players, seed=0)
    terminal = _TerminalGame(Console(highlight=False, markup=False), batch, own, language, adviser, line_up)
    seating = Seating(batch)
    seating.sit_down([None if number == own else name for number, name in enumerate(line_up)])
    seating.start_lots(np.array([0]))
    try:
        terminal.play(seating)
    except (Quit, KeyboardInterrupt, EOFError):
        terminal.print("\n" + terminal.word("stopped", batch.seeds[0], own))
    finally:
        stand_up(seating.agents)


class _TerminalGame:
    """What the person sees and types."""

    def __init__(
        self, console: Console, batch: Batch, own: int, language: str, adviser: Any, line_up: Sequence[str]
    ) -> None:
        self.console, self.batch, self.own, self.language, self.adviser = console, batch, own, language, adviser
        self.names = people(line_up, language, own)

    def word(self, key: str, *parts: Any) -> str:
        return translate(TERMINAL, key, self.language).format(*parts)

    def print(self, text: str, style: str = "") -> None:
        """Whole lines, however narrow the terminal is."""
        self.console.print(Text(text, style=style), soft_wrap=True)

    def play(self, seating: Seating) -> None:
        """Everyone acts in turn; what happens is told as far as the person may know it."""
        batch = self.batch
        self.print(f"{batch.game.title}: {', '.join(self.names)}", "bold")
        while batch.seat[0] >= 0:
            action = self.ask() if batch.seat[0] == self.own else int(seating.choose_for(0))
            if action < 0:
                self.print(f"  {self.names[batch.seat[0]]}: {self.word('forfeit', seating.forfeits[-1].reason)}")
                batch.forfeit(0, int(batch.seat[0]))
                break
            before = self.view()
            batch.step_one(action)
            for who, text in tell_move(batch.game, before, self.view(), action, self.language):
                self.tell(who, text)
        self.print("\n" + self.text())
        results = batch.result(0)
        points, ranks = [one["points"] for one in results], [one["rank"] for one in results]
        self.print("\n" + headline(points, ranks, self.names, self.language, self.own), "bold")
        for seat in sorted(range(batch.players), key=lambda one: ranks[one]):
            got = numbered(TERMINAL, "points", self.language, points[seat])
            self.print(f"  {ranks[seat]}. {self.names[seat]}: {got}", self.style(seat))

    def tell(self, who: int | None, text: str) -> None:
        """One thing that has happened."""
        self.print(f"  {text}" if who is None else f"  {self.names[who]}: {text}", self.style(who))

    def style(self, seat: int | None) -> str:
        if seat is None:
            return "dim"
        return "bold" if seat == self.own else COLOURS[seat % len(COLOURS)]

    def view(self) -> dict[str, Any]:
        """What the person may know, with everybody's names."""
        return named(self.batch.game.view(self.batch.states[0], self.own), self.names)

    def text(self) -> str:
        return self.batch.game.to_text(self.view(), self.language)

    def ask(self) -> int:
        """The person's choice among the legal actions."""
        batch, rules = self.batch, self.batch.game
        legal = [int(action) for action in np.flatnonzero(batch.action_mask[0])]
        said = {action: say_action(rules, action, self.language, self.view()) for action in legal}
        self.print("\n" + self.text())
        self.print("\n" + self.word("can play"), "bold")
        numbers = _numbers(said)
        for number, action in numbers.items():
            self.print(f"  {number:2}  {said[action]}")
        self.print(f"  {self.word('help')}", "dim")
        while True:
            typed = Prompt.ask(self.word("choose"), console=self.console).strip().lower()
            if typed in ("q", "quit"):
                raise Quit
            if typed in ("h", "hint"):
                self.print(f"  {self.word('hint', self.adviser.name)} {said[self.hint()]}")
            elif typed in ("r", "rules"):
                self.print_rules()
            elif (chosen := _match(typed, numbers, rules.actions, said)) is not None:
                return chosen
            else:
                self.print("  " + self.word("none", repr(typed)))

    def print_rules(self) -> None:
        for heading, sentences in explain(self.batch.game, self.language):
            self.print(heading, "bold")
            for sentence in sentences:
                self.print(f"  - {sentence}")

    def hint(self) -> int:
        """What the adviser would do, from what the person may know."""
        batch, adviser = self.batch, self.adviser
        if isinstance(adviser, SearchAgent):
            return int(adviser.search(Positions(batch, np.array([0])), np.full(1, 0.5))[0])
        return int(adviser.act(batch.observation, batch.action_mask)[0])


def _numbers(said: Mapping[int, str]) -> dict[int, int]:
    """What to type for each action: the number of a row, where all of them are rows; else its place in the list."""
    own = [re.fullmatch(r"\S+ (\d+)", text.split(":")[0].strip()) for text in said.values()]
    if all(own):
        return {int(found[1]): action for found, action in zip(own, said, strict=True) if found}
    return dict(enumerate(said, start=1))


def _match(typed: str, numbers: Mapping[int, int], names: Sequence[str], said: Mapping[int, str]) -> int | None:
    """A number of the list, or a name, or the beginning of just one: as it is listed, or the action's own."""
    if typed.isascii() and typed.isdigit():
        return numbers.get(int(typed))
    for called in (said, dict(enumerate(names))):
        alike = [action for action in said if typed and called[action].lower().startswith(typed)]
        exact = [action for action in alike if called[action].lower() == typed]
        if len(found := exact or alike) == 1:
            return found[0]
    return None
