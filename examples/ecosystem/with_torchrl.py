"""TorchRL: PPO by self-play on King Lui in the Parallel environment, with masks."""

# /// script
# dependencies = ["torch", "torchrl==0.14.1"]
# ///
import torch
from tensordict.nn import TensorDictModule
from torchrl.collectors import Collector
from torchrl.envs.libs.pettingzoo import PettingZooWrapper
from torchrl.modules import MLP, MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss

import card_envs
from card_envs.exchange.modules import export_torchrl

torch.set_num_threads(1)  # the networks are too small to share
env = PettingZooWrapper(card_envs.make_parallel_env("king_lui", players=3, reward="margin"))
seen, mask, logits = ("player", "observation", "observation"), ("player", "action_mask"), ("player", "logits")
inputs, actions = env.observation_spec[seen].shape[-1], env.observation_spec[mask].shape[-1]
actor = ProbabilisticActor(
    TensorDictModule(MLP(inputs, actions, num_cells=[64]), in_keys=[seen], out_keys=[logits]),
    in_keys={"logits": logits, "mask": mask},
    out_keys=[("player", "action")],
    distribution_class=MaskedCategorical,
    return_log_prob=True,
    log_prob_key=("player", "sample_log_prob"),
)
critic = ValueOperator(MLP(inputs, 1, num_cells=[64]), in_keys=[seen], out_keys=[("player", "value")])
loss = ClipPPOLoss(actor, critic, entropy_coeff=0.01, normalize_advantage=True)
loss.set_keys(**{it: ("player", it) for it in ("reward", "action", "done", "terminated", "value", "sample_log_prob")})
optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)
for batch in Collector(env, actor, frames_per_batch=2000, total_frames=40_000):
    loss.value_estimator(batch, params=loss.critic_network_params, target_params=loss.target_critic_network_params)
    for rows in (rows for _ in range(4) for rows in torch.randperm(len(batch)).split(250)):
        optimizer.zero_grad()
        sum(value for name, value in loss(batch[rows]).items() if name.startswith("loss_")).backward()
        optimizer.step()
export_torchrl(actor, critic, "king_lui", "mine.safetensors", players=[3])
result = card_envs.play_match("king_lui", ["mine.safetensors", "random", "random"], games=2000, rotate=True)
print(f"win share {result.win_shares[0]:.3f} +- {result.standard_errors[0]:.3f} against random, of 0.333")
