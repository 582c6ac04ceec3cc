"""Other libraries' card games with random players, where they are installed (`pip install card-envs[bench]`).

Each is used the way its own documentation shows, and makes at each decision what our loops make: an observation of the
player to act and its legal actions.
"""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Callable, Iterator

from card_envs.bench.own import aec_game

Peer = tuple[str, str, Callable[[], int]]


def installed_peers() -> Iterator[Peer]:
    """Library, game, and a function that plays one game of random players and returns the number of decisions."""
    if importlib.util.find_spec("pyspiel"):
        for name in ("crazy_eights(players=4)", "leduc_poker", "hearts"):
            yield "OpenSpiel", name, open_spiel_game(name)
    if importlib.util.find_spec("rlcard"):
        for name in ("leduc-holdem", "uno"):
            yield "RLCard", name, rlcard_game(name)
        if importlib.util.find_spec("pygame"):
            yield "PettingZoo", "leduc_holdem_v4", pettingzoo_game()


def open_spiel_game(name: str) -> Callable[[], int]:
    """A game of OpenSpiel: legal actions and the observation (or information state) tensor of the player to act."""
    import pyspiel

    game = pyspiel.load_game(name)
    dice = random.Random(0)
    has_observation = game.get_type().provides_observation_tensor

    def play() -> int:
        state, decisions = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(dice.choices(outcomes, chances)[0])
                continue
            if has_observation:
                state.observation_tensor()
            else:
                state.information_state_tensor()
            state.apply_action(dice.choice(state.legal_actions()))
            decisions += 1
        return decisions

    return play


def rlcard_game(name: str) -> Callable[[], int]:
    """A game of RLCard: its environment's own step, which returns observation and legal actions."""
    import rlcard

    env = rlcard.make(name, config={"seed": 0})
    dice = random.Random(0)

    def play() -> int:
        state, _ = env.reset()
        decisions = 0
        while not env.is_over():
            state, _ = env.step(dice.choice(list(state["legal_actions"])))
            decisions += 1
        return decisions

    return play


def pettingzoo_game() -> Callable[[], int]:
    """PettingZoo's Leduc hold'em, played as our own AEC environments are."""
    from pettingzoo.classic import leduc_holdem_v4

    return aec_game(leduc_holdem_v4.env())
