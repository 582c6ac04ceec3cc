"""Tianshou: DQN on King Lui in turns, against two random players."""

# /// script
# dependencies = ["torch", "tianshou==2.0.1"]
# ///
import torch
from tianshou.algorithm import DQN, MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

import card_envs
from card_envs.exchange.modules import export_module

torch.set_num_threads(1)  # the network is too small to share
games = DummyVectorEnv([lambda: PettingZooEnv(card_envs.make_env("king_lui", players=3, reward="margin"))] * 8)
env = PettingZooEnv(card_envs.make_env("king_lui", players=3))
seen, actions = env.observation_space["observation"], env.action_space
net = Net(state_shape=seen.shape, action_shape=actions.n, hidden_sizes=[64])
policy = DiscreteQLearningPolicy(model=net, action_space=actions, observation_space=seen, eps_training=0.2)
# Returns up to the end of a game, because Tianshou takes the next player's observation for one's own next one.
learner = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=1.0, n_step_return_horizon=200)
others = [MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=actions) for _ in range(2)]
players = MultiAgentOffPolicyAlgorithm(algorithms=[learner, *others], env=env)
collector = Collector(players, games, VectorReplayBuffer(80_000, 8), exploration_noise=True)
collector.reset()
collector.collect(n_step=4000)
how = {"collection_step_num_env_steps": 400, "update_step_num_gradient_steps_per_sample": 0.1, "batch_size": 256}
players.run_training(
    OffPolicyTrainerParams(
        training_collector=collector, max_epochs=1, epoch_num_steps=80_000, show_progress=False, **how
    )
)
export_module(net.model.model, None, "king_lui", "mine.safetensors", players=[3])
result = card_envs.play_match("king_lui", ["mine.safetensors:greedy", "random", "random"], games=2000, rotate=True)
print(f"win share {result.win_shares[0]:.3f} +- {result.standard_errors[0]:.3f} against random, of 0.333")
