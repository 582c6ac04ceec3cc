"""Minari: games of the champion as a dataset, and behaviour cloning from it."""

# /// script
# dependencies = ["torch", "minari[hdf5]==0.5.4", "pillow"]
# ///
import minari
import numpy as np
import torch

import card_envs
from card_envs.dataset import write_dataset
from card_envs.exchange.modules import export_module

torch.set_num_threads(1)
torch.manual_seed(0)
rules = card_envs.get_game("zum_kuhkuck")
dataset = minari.MinariDataset(write_dataset("zum_kuhkuck", ["champion"], 500, "games"))
episodes = list(dataset.iterate_episodes())
seen = torch.from_numpy(np.concatenate([one.observations[:-1] for one in episodes]))
mask = torch.from_numpy(np.concatenate([one.infos["action_mask"][:-1] for one in episodes]))
chosen = torch.from_numpy(np.concatenate([one.actions for one in episodes]))
actor = torch.nn.Sequential(
    torch.nn.Linear(rules.layout.size, 64), torch.nn.ReLU(), torch.nn.Linear(64, len(rules.actions))
)
optimizer = torch.optim.Adam(actor.parameters(), lr=3e-3)
for epoch in range(5):
    for rows in torch.randperm(len(chosen)).split(256):
        logits = actor(seen[rows]).masked_fill(mask[rows] == 0, -1e9)
        loss = torch.nn.functional.cross_entropy(logits, chosen[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}", flush=True)
export_module(actor, None, "zum_kuhkuck", "mine.safetensors")
result = card_envs.play_match("zum_kuhkuck", ["mine.safetensors", "random"], games=2000, rotate=True)
print(f"win share {result.win_shares[0]:.3f} +- {result.standard_errors[0]:.3f} against random, of 0.500")
