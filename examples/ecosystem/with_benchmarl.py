"""BenchMARL: MAPPO by self-play on King Lui in the Parallel environment, with masks."""

# /// script
# dependencies = ["torch", "benchmarl==1.5.2"]
# ///
import torch
from benchmarl.algorithms import MappoConfig
from benchmarl.environments.pettingzoo.common import PettingZooClass
from benchmarl.experiment import Experiment, ExperimentConfig
from benchmarl.models.mlp import MlpConfig
from torchrl.envs.libs.pettingzoo import PettingZooWrapper

import card_envs
from card_envs.exchange.modules import export_module


class Cards(PettingZooClass):
    """PettingZoo environments that are not among BenchMARL's own: who makes them, and what they can."""

    def get_env_fun(self, num_envs, continuous_actions, seed, device):
        """A function that makes the environment."""
        make = lambda: card_envs.make_parallel_env("king_lui", players=3, reward="margin")  # noqa: E731
        return lambda: PettingZooWrapper(make(), categorical_actions=True, device=device, seed=seed)

    supports_discrete_actions = lambda self: True  # noqa: E731
    max_steps = lambda self, env: 1000  # noqa: E731


torch.set_num_threads(1)  # the networks are too small to share
config = ExperimentConfig.get_from_yaml()
config.loggers, config.create_json, config.evaluation, config.lr = [], False, False, 1e-3
config.max_n_frames, config.on_policy_collected_frames_per_batch, config.on_policy_n_envs_per_worker = 40_000, 2000, 1
config.on_policy_n_minibatch_iters, config.on_policy_minibatch_size = 4, 250
networks = MlpConfig(num_cells=[64], layer_class=torch.nn.Linear, activation_class=torch.nn.Tanh)
experiment = Experiment(Cards("KING_LUI", {}), MappoConfig.get_from_yaml(), networks, seed=0, config=config)
experiment.run()
actor = next(part for part in experiment.policy.modules() if hasattr(part, "get_stateful_net")).get_stateful_net()
export_module(actor, None, "king_lui", "mine.safetensors", players=[3])
result = card_envs.play_match("king_lui", ["mine.safetensors", "random", "random"], games=2000, rotate=True)
print(f"win share {result.win_shares[0]:.3f} +- {result.standard_errors[0]:.3f} against random, of 0.333")
