"""How often a player of King Lui finds the supply empty in the middle of a course: a question to many games of bots.

python examples/empty_supply.py --games 20000
"""

import argparse

import numpy as np

import card_envs

options = argparse.ArgumentParser(description="How often the supply of King Lui is empty in mid-course.")
options.add_argument("--games", type=int, default=20_000)
options.add_argument("--agent", default="bot")
chosen = options.parse_args()

for players in card_envs.get_game("king_lui").players:
    batch = card_envs.make_batch("king_lui", chosen.games, players=players, seed=0, auto_reset=False)
    agent = card_envs.load_agent("king_lui", chosen.agent, players=players, seed=0)
    supply = batch.game.layout["supply"].start
    met = np.zeros(chosen.games, bool)  # whether somebody had to act with nothing left to draw
    while (playing := (batch.seat >= 0).nonzero()[0]).size:
        seen, mask = batch.observation[playing], batch.action_mask[playing]
        met[playing] |= seen[:, supply] == 0
        batch.step(agent.act(seen, mask), playing)
    print(f"{players} players: in {met.mean():.1%} of {chosen.games} games")
