"""Players for RLlib: one that learns with masks, one that is frozen. Needs ray[rllib], in an environment of its own.

RLlib's own example of masks looks for `observations`; PettingZoo's name, and ours, is `observation`. Both modules take
observations with the mask beside them, as environments give them (`action_mask="observation"`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.agents.loading import load_agent
from card_envs.errors import MissingExtraError, OptionError
from card_envs.games import get_game

try:
    import torch
    from ray.rllib.algorithms.ppo.torch.default_ppo_torch_rl_module import DefaultPPOTorchRLModule
    from ray.rllib.core.columns import Columns
    from ray.rllib.core.rl_module.rl_module import RLModule
    from ray.rllib.utils.torch_utils import FLOAT_MIN
except ImportError as error:  # ray alone has rllib's files, but not what they need
    raise MissingExtraError(
        f"card_envs.rllib needs RLlib ({error}); install it with: pip install 'ray[rllib]' torch"
    ) from None


class MaskedModule(DefaultPPOTorchRLModule):  # type: ignore[misc]  # RLlib has no types
    """RLlib's own network for PPO, to which no illegal action is ever likely. `model_config` is RLlib's."""

    def __init__(self, *arguments: Any, observation_space: Any, **more: Any) -> None:
        self._whole_space = observation_space
        super().__init__(*arguments, observation_space=observation_space["observation"], **more)

    def setup(self) -> None:
        """Build the network for the observation without its mask."""
        super().setup()
        self.observation_space = self._whole_space  # with which it is made again from a checkpoint

    def _forward(self, batch: dict[str, Any], **more: Any) -> dict[str, Any]:
        return _masked(super()._forward(_without_mask(batch), **more), batch)

    def _forward_train(self, batch: dict[str, Any], **more: Any) -> dict[str, Any]:
        return _masked(super()._forward_train(_without_mask(batch), **more), batch)

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Any:
        """What positions are worth."""
        return super().compute_values(_without_mask(batch), embeddings)


def _without_mask(batch: dict[str, Any]) -> dict[str, Any]:
    return {**batch, Columns.OBS: batch[Columns.OBS]["observation"]}


def _masked(said: dict[str, Any], batch: dict[str, Any]) -> dict[str, Any]:
    legal = batch[Columns.OBS]["action_mask"] > 0
    logits = said[Columns.ACTION_DIST_INPUTS]
    return {**said, Columns.ACTION_DIST_INPUTS: logits.masked_fill(~legal, FLOAT_MIN)}


class FrozenModule(RLModule):  # type: ignore[misc]
    """Any player of ours, which does not learn: `model_config={"game": "king_lui", "agent": "champion"}`.

    `agent` is a name or the path of a checkpoint, such as the learner's own of an hour ago. Leave it out of
    `policies_to_train`.
    """

    framework = "torch"

    def setup(self) -> None:
        """Find the player."""
        chosen = self.model_config
        if not isinstance(chosen, dict) or not {"game", "agent"} <= chosen.keys():
            raise OptionError(f"a FrozenModule's model_config needs `game` and `agent`, and it was given {chosen!r}")
        self._actions = len(get_game(chosen["game"]).actions)
        self.agent = load_agent(chosen["game"], chosen["agent"], seed=chosen.get("seed"))

    def _forward(self, batch: dict[str, Any], **_: Any) -> dict[str, Any]:
        seen, mask = (np.asarray(batch[Columns.OBS][name]) for name in ("observation", "action_mask"))
        # In a Parallel environment of a game of turns the last action is `wait`, which no player of ours knows.
        chosen = np.full(len(mask), mask.shape[1] - 1)
        asked = mask[:, : self._actions].any(axis=1)
        if asked.any():
            chosen[asked] = self.agent.act(seen[asked], mask[asked, : self._actions])
        return {Columns.ACTIONS: torch.from_numpy(chosen)}

    def _forward_train(self, *_: Any, **__: Any) -> dict[str, Any]:
        raise OptionError("a FrozenModule does not learn: leave it out of policies_to_train")

    def compile(self, *_: Any, **__: Any) -> None:
        """There is nothing to compile."""
