"""REINFORCE on many games at once: a loop of your own, and a checkpoint that plays in tournaments and in the browser.

python examples/reinforce_batch.py --out mine.safetensors
"""

import argparse

import torch

import card_envs
from card_envs.agents.checkpoint import save_checkpoint
from card_envs.agents.network import Mlp

options = argparse.ArgumentParser(description="REINFORCE on many games at once.")
options.add_argument("--out", default="mine.safetensors", help="where to save the player")
options.add_argument("--game", default="zum_kuhkuck")
options.add_argument("--iterations", type=int, default=150)
options.add_argument("--games", type=int, default=128, help="games in each iteration")
chosen = options.parse_args()

torch.manual_seed(0)
torch.set_num_threads(1)  # the network is too small to share
batch = card_envs.make_batch(chosen.game, chosen.games, seed=0, auto_reset=False, reward="margin")
inputs, actions, form = batch.observation.shape[1], batch.action_mask.shape[1], Mlp(hidden=(64,), activation="tanh")
layers = torch.nn.ModuleDict(
    {"body": torch.nn.Linear(inputs, 64), "policy": torch.nn.Linear(64, actions), "value": torch.nn.Linear(64, 1)}
)
optimizer = torch.optim.Adam(layers.parameters(), lr=1e-2)

for iteration in range(1, chosen.iterations + 1):
    batch.reset()
    log_probs, values, credits = [], [], []
    while (games := (batch.seat >= 0).nonzero()[0]).size:  # those that are not over
        hidden = torch.tanh(layers["body"](torch.from_numpy(batch.observation[games])))
        illegal = torch.from_numpy(batch.action_mask[games]) == 0
        choice = torch.distributions.Categorical(logits=layers["policy"](hidden).masked_fill(illegal, -1e9))
        action = choice.sample()
        log_probs.append(choice.log_prob(action))
        values.append(layers["value"](hidden)[:, 0])
        credits.append((games, batch.seat[games]))
        batch.step(action.numpy(), games)
    # Rewards come at the end: every decision of a seat is credited with what that seat got, and no other.
    reward = torch.cat([torch.from_numpy(batch.rewards[games, seats]) for games, seats in credits])
    log_prob, value = torch.cat(log_probs), torch.cat(values)
    advantage = reward - value.detach()
    loss = -(log_prob * advantage / advantage.std()).mean() + (reward - value).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if iteration % 25 == 0:
        print(f"{iteration * chosen.games} games", flush=True)

weights = {name.replace("body", "body.0"): one.numpy() for name, one in layers.state_dict().items()}  # mlp's names
save_checkpoint(chosen.out, chosen.game, weights, form, players=[batch.players])
print(card_envs.play_match(chosen.game, [chosen.out] + ["random"] * (batch.players - 1), games=2000))
