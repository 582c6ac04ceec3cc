"""The other side: one of our agents as a program that is asked in lines of JSON, as `command(...)` asks.

What it answers follows from the questions alone, and from lots of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from card_envs.agents.answers import check_form
from card_envs.agents.base import Agent, LotsAgent, SearchAgent
from card_envs.agents.loading import load_agent
from card_envs.agents.speaking.agent import SpokenAgent
from card_envs.agents.speaking.question import FORMAT
from card_envs.core.game import Game
from card_envs.errors import CardEnvsError, OptionError
from card_envs.games import get_game


class ServedAgent:
    """An agent of one game, loaded for each number of players that it is asked about."""

    def __init__(self, game: str | Game, agent: str, seed: int | None = None) -> None:
        self.game = get_game(game) if isinstance(game, str) else game
        self.agent, self._lots = agent, np.random.default_rng(seed)
        self._seed, self._loaded = seed, dict[int, Agent]()
        found = load_agent(self.game, agent, seed=seed)  # refused now rather than at the first question
        if isinstance(found, SearchAgent):
            raise OptionError(
                f"{found.name} thinks ahead in positions that are handed to it, which questions lack; serve its model"
            )
        if isinstance(found, SpokenAgent):
            raise OptionError(f"{found.name} answers such questions itself; name it where the game is played")

    def answer(self, line: str) -> str:
        """The answer to one question: an action by number and name, or what is wrong with the question."""
        try:
            return json.dumps(self._answer(json.loads(line)))
        except (CardEnvsError, ValueError, RecursionError, LookupError, TypeError) as error:
            return json.dumps({"error": f"{type(error).__name__}: {error}"[:400]})

    def _answer(self, question: dict[str, Any]) -> dict[str, Any]:
        asked = question["format"], question["game"], question["version"]
        if asked != (FORMAT, self.game.name, self.game.version):
            own = FORMAT, self.game.name, self.game.version
            raise OptionError(f"format, game and version must be {own}, not {asked}")
        observation = np.array([question["observation"]], np.float32)
        mask = np.array([question["action_mask"]], np.int8)
        if observation.shape != (1, self.game.layout.size) or mask.shape != (1, len(self.game.actions)):
            raise OptionError(
                f"an observation of {self.game.title} has {self.game.layout.size} numbers and a mask "
                f"{len(self.game.actions)}, not {observation.size} and {mask.size}"
            )
        agent = self._load(question["players"])
        if isinstance(agent, LotsAgent):
            answered = agent.act_with_lots(observation, mask, self._lots.random(1))
        else:
            answered = agent.act(observation, mask)
        action = int(check_form(agent.name, answered, 1)[0])
        return {"action": action, "name": self.game.describe_action(action)}

    def _load(self, players: int) -> Agent:
        if players not in self.game.players:
            raise OptionError(f"{self.game.title} is for {self.game.players_text} players, not {players!r}")
        if players not in self._loaded:
            self._loaded[players] = load_agent(self.game, self.agent, players=players, seed=self._seed)
        return self._loaded[players]

    def serve(self, lines: Iterable[str]) -> Iterator[str]:
        """An answer for each line that is not empty."""
        for line in lines:
            if line.strip():
                yield self.answer(line)
