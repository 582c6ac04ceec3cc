"""Stable-Baselines3: MaskablePPO on King Lui, many games at once."""

# /// script
# dependencies = ["torch", "stable-baselines3==2.9.2", "sb3-contrib==2.9.2"]
# ///
import torch
from sb3_contrib import MaskablePPO

import card_envs
from card_envs.envs.sb3 import make_sb3_vec_env
from card_envs.exchange.sb3 import export_sb3

torch.set_num_threads(1)  # the network is too small to share
env = make_sb3_vec_env("king_lui", num_envs=64, players=4, reward="margin", illegal_action="raise", seed=0)
model = MaskablePPO(
    "MlpPolicy", env, n_steps=64, batch_size=1024, n_epochs=4, learning_rate=1e-3, gamma=1.0, device="cpu", seed=0
)
model.learn(300_000)
export_sb3(model, "king_lui", "mine.safetensors", players=[4])
result = card_envs.play_match("king_lui", ["mine.safetensors", "random", "random", "random"], games=2000, rotate=True)
print(f"win share {result.win_shares[0]:.3f} +- {result.standard_errors[0]:.3f} against random, of 0.250")
