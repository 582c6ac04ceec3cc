"""SuperSuit: PPO in one file, in CleanRL's manner, by self-play on King Lui."""

# /// script
# dependencies = ["torch", "supersuit==3.11.0"]
# ///
import supersuit
import torch
from torch.nn import Linear, Sequential, Tanh

import card_envs
from card_envs.exchange.modules import export_module

torch.set_num_threads(1)  # the networks are too small to share
env = card_envs.make_parallel_env("king_lui", players=3, reward="margin", action_mask="info")
envs = supersuit.concat_vec_envs_v1(supersuit.pettingzoo_env_to_vec_env_v1(env), 8, base_class="gymnasium")
actor, critic = (Sequential(Linear(env.layout.size, 64), Tanh(), Linear(64, out)) for out in (envs.action_space.n, 1))
optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=1e-3)
seen, infos = envs.reset(seed=0)
for _ in range(40):
    steps = []
    for _ in range(200):
        now, mask = torch.tensor(seen), torch.stack([torch.tensor(info["action_mask"]) for info in infos])
        policy = torch.distributions.Categorical(logits=actor(now).masked_fill(mask == 0, -1e9))
        seen, reward, over, _, infos = envs.step((action := policy.sample()).numpy())
        steps.append([now, mask, action, policy.log_prob(action).detach(), torch.tensor(reward), torch.tensor(over)])
    returns = critic(torch.tensor(seen))[:, 0].detach()  # of games that are not over yet: what the critic thinks
    for step in reversed(steps):
        step.append(returns := step[-2] + (1 - step[-1]) * returns)
    now, mask, action, before, _, _, returns = (torch.cat(parts) for parts in zip(*steps, strict=True))
    for rows in (rows for _ in range(4) for rows in torch.randperm(len(now)).split(512)):
        policy = torch.distributions.Categorical(logits=actor(now[rows]).masked_fill(mask[rows] == 0, -1e9))
        ratio = (policy.log_prob(action[rows]) - before[rows]).exp()
        error = returns[rows] - critic(now[rows])[:, 0]
        gain = (error / error.std()).detach()
        optimizer.zero_grad()
        (error.square() - torch.min(gain * ratio, gain * ratio.clamp(0.8, 1.2))).mean().backward()
        optimizer.step()
export_module(actor, critic, "king_lui", "mine.safetensors", players=[3])
result = card_envs.play_match("king_lui", ["mine.safetensors", "random", "random"], games=2000, rotate=True)
print(f"win share {result.win_shares[0]:.3f} +- {result.standard_errors[0]:.3f} against random, of 0.333")
