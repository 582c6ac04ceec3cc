"""REINFORCE on a PettingZoo environment, one game after the other, with any agent on the other seat.

python examples/reinforce_pettingzoo.py --out mine.safetensors --opponent random
"""

import argparse

import numpy as np
import torch

import card_envs
from card_envs import zum_kuhkuck_v0
from card_envs.agents.checkpoint import save_checkpoint
from card_envs.agents.network import Mlp

options = argparse.ArgumentParser(description="REINFORCE on a PettingZoo environment.")
options.add_argument("--out", default="mine.safetensors", help="where to save the player")
options.add_argument("--opponent", default="random", help="random, bot, champion, or a checkpoint's path")
options.add_argument("--iterations", type=int, default=75)
options.add_argument("--games", type=int, default=32, help="games in each iteration")
chosen = options.parse_args()

torch.manual_seed(0)
torch.set_num_threads(1)  # the network is too small to share
env = zum_kuhkuck_v0.env(reward="margin")
inputs, actions = env.observation_space("player_0")["observation"].shape[0], env.action_space("player_0").n
layers = torch.nn.ModuleDict(
    {"body": torch.nn.Linear(inputs, 64), "policy": torch.nn.Linear(64, actions), "value": torch.nn.Linear(64, 1)}
)
optimizer = torch.optim.Adam(layers.parameters(), lr=1e-2)
opponent = card_envs.load_agent("zum_kuhkuck", chosen.opponent, players=2, seed=0)


def think(seen, mask):
    """How likely each action is, and what reward to expect."""
    hidden = torch.tanh(layers["body"](torch.from_numpy(seen)))
    logits = layers["policy"](hidden).masked_fill(torch.from_numpy(mask) == 0, -1e9)
    return torch.distributions.Categorical(logits=logits), layers["value"](hidden)[..., 0]


def play(learner):
    """One game; observation, mask, action and final reward of each decision of the learner."""
    decisions, result = [], 0.0
    for name in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        seen, mask, action = observation["observation"], observation["action_mask"], None
        if name == learner:
            result = reward  # in its last turn, when the game is over, this is what it has won or lost
        if name == learner and not (terminated or truncated):
            with torch.no_grad():
                action = think(seen, mask)[0].sample().item()
            decisions.append((seen, mask, action))
        elif not (terminated or truncated):
            action = int(opponent.act(seen[None], mask[None])[0])  # agents answer for a batch; this is one of one
        env.step(action)
    return [(*decision, result) for decision in decisions]


env.reset(seed=0)
for iteration in range(1, chosen.iterations + 1):
    memory = []
    for game in range(chosen.games):
        memory += play(f"player_{game % 2}")
        env.reset()  # without a seed: the game that follows
    seen, mask, action, reward = (np.stack(column) for column in zip(*memory, strict=True))
    choice, value = think(seen, mask)
    reward = torch.from_numpy(reward).float()
    advantage = reward - value.detach()
    loss = -(choice.log_prob(torch.from_numpy(action)) * advantage / advantage.std()).mean()
    loss = loss + (reward - value).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if iteration % 10 == 0:
        print(f"{iteration * chosen.games} games", flush=True)

weights = {name.replace("body", "body.0"): one.numpy() for name, one in layers.state_dict().items()}  # mlp's names
save_checkpoint(chosen.out, "zum_kuhkuck", weights, Mlp(hidden=(64,), activation="tanh"), players=[2])
print(card_envs.play_match("zum_kuhkuck", [chosen.out, "random"], games=2000))
