"""OpenSpiel: neural fictitious self-play (NFSP) on King Lui, through rl_environment."""

# /// script
# dependencies = ["torch", "open_spiel==2.0.2", "dm-tree==0.1.9"]
# ///
import pyspiel
import torch
from open_spiel.python import rl_environment
from open_spiel.python.pytorch import nfsp

import card_envs
import card_envs.open_spiel  # tells OpenSpiel of the games
from card_envs.exchange.modules import export_module

torch.set_num_threads(1)  # the networks are too small to share
env = rl_environment.Environment(pyspiel.load_game("card_envs_king_lui(players=3,reward=margin)"))
size, actions = env.observation_spec()["info_state"][0], env.action_spec()["num_actions"]
memory = {"reservoir_buffer_capacity": 100_000, "replay_buffer_capacity": 50_000, "update_target_network_every": 500}
rates = {"rl_learning_rate": 1e-3, "sl_learning_rate": 1e-3, "optimizer_str": "adam", "learn_every": 8}
chance = {"epsilon_start": 0.3, "epsilon_end": 0.02, "epsilon_decay_duration": 20_000, "anticipatory_param": 0.3}
settings = {"hidden_layers_sizes": [64], **memory, **rates, **chance}
players = [nfsp.NFSP(seat, size, actions, seed=seat, **settings) for seat in range(3)]
for _ in range(2500):
    step = env.reset()
    while not step.last():
        step = env.step([players[step.observations["current_player"]].step(step).action])
    for player in players:
        player.step(step)
export_module(players[0]._avg_network, None, "king_lui", "mine.safetensors", players=[3])  # noqa: SLF001
result = card_envs.play_match("king_lui", ["mine.safetensors", "random", "random"], games=2000, rotate=True)
print(f"win share {result.win_shares[0]:.3f} +- {result.standard_errors[0]:.3f} against random, of 0.333")
