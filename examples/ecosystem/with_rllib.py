"""RLlib: PPO by self-play, two learners and a frozen bot, in turns (King Lui) and all at once (Ku-Ka-King)."""

# /// script
# dependencies = ["torch", "ray[rllib]==2.60.0"]
# ///
from pathlib import Path

import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module import MultiRLModuleSpec, RLModule, RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv, PettingZooEnv
from ray.tune import register_env

import card_envs
from card_envs.exchange.rllib import export_rllib
from card_envs.rllib import FrozenModule, MaskedModule

torch.set_num_threads(1)  # the networks are too small to share
table = {"players": 3, "reward": "margin"}
register_env("king_lui", lambda _: PettingZooEnv(card_envs.make_env("king_lui", **table)))
register_env("ku_ka_king", lambda _: ParallelPettingZooEnv(card_envs.make_parallel_env("ku_ka_king", **table)))
who = ("one", "one", "two", "bot")  # in each seat of each game one of these, so that "one" learns from most decisions
for game in ("king_lui", "ku_ka_king"):
    learner = RLModuleSpec(MaskedModule, model_config={"fcnet_hiddens": [64], "head_fcnet_hiddens": []})
    frozen = RLModuleSpec(FrozenModule, model_config={"game": game, "agent": "bot"})
    modules = MultiRLModuleSpec(rl_module_specs={"one": learner, "two": learner, "bot": frozen})
    config = PPOConfig().environment(game, disable_env_checking=True)  # its check plays illegal actions, too
    config.env_runners(num_env_runners=1, num_envs_per_env_runner=8)  # an actor of its own, anywhere in the cluster
    config.multi_agent(policies=set(who), policies_to_train=["one", "two"], count_steps_by="agent_steps")
    config.multi_agent(policy_mapping_fn=lambda seat, episode, **_: who[hash((seat, episode.id_)) % len(who)])
    config.rl_module(rl_module_spec=modules)
    config.training(minibatch_size=128, num_epochs=5, lr=1e-3, gamma=1.0, entropy_coeff=0.01, use_kl_loss=False)
    algorithm = config.build_algo()
    for _ in range(24):
        algorithm.train()
    saved = Path(algorithm.save_to_path(Path("saved").absolute())) / "learner_group/learner/rl_module/one"
    export_rllib(RLModule.from_checkpoint(saved), game, "mine.safetensors", players=[3])
    algorithm.stop()
    result = card_envs.play_match(game, ["mine.safetensors", "random", "random"], games=2000, rotate=True)
    print(f"{game}: win share {result.win_shares[0]:.3f} +- {result.standard_errors[0]:.3f} against random, of 0.333")
