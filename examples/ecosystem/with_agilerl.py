"""AgileRL: PPO with masks on King Lui, against two random players, many games at once."""

# /// script
# dependencies = ["torch", "agilerl==2.58.0", "peft==0.21.0"]
# ///
import gymnasium as gym
import torch
from agilerl.algorithms import PPO
from agilerl.training.train_on_policy import train_on_policy

import card_envs


class Player:
    """Whoever has a name and `act` is a player."""

    def __init__(self, agent):
        self.name, self.agent = "AgileRL's PPO", agent

    def act(self, observation, action_mask):
        """One action per row."""
        return self.agent.get_action(observation, action_mask=action_mask)[0]


torch.set_num_threads(1)  # the networks are too small to share
env = gym.make_vec("card_envs/KingLui-v0", num_envs=16, players=3, reward="margin", illegal_action="raise")
ppo = PPO(
    env.single_observation_space,
    env.single_action_space,
    num_envs=16,
    learn_step=2048,
    batch_size=256,
    lr=1e-3,
    gamma=1.0,
)
(trained,), _ = train_on_policy(env, "King Lui", "PPO", [ppo], max_steps=300_000, evo_steps=50_000, verbose=False)
result = card_envs.play_match("king_lui", [Player(trained), "random", "random"], games=2000, rotate=True)
print(f"win share {result.win_shares[0]:.3f} +- {result.standard_errors[0]:.3f} against random, of 0.333")
