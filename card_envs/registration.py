"""The ids under which PettingZoo and Gymnasium find the games. Strings only: nothing is imported before it is used."""

from __future__ import annotations

import gymnasium
import pettingzoo

IDS = {
    "card_envs/KingLui-v0": "king_lui",
    "card_envs/ZumKuhkuck-v0": "zum_kuhkuck",
    "card_envs/KuKaKing-v0": "ku_ka_king",
}
PARALLEL_IDS = {"card_envs/KuKaKing-v0": "ku_ka_king"}


def register_environments() -> None:
    """Tell both the ids. Doing so twice, after a reload, changes nothing."""
    for id_, game in IDS.items():
        if id_ not in pettingzoo.aec_registry:
            pettingzoo.register("aec", id_, f"card_envs.{game}_v0:env")
        if id_ not in gymnasium.registry:
            gymnasium.register(
                id_,
                entry_point="card_envs.envs.single_agent:SingleAgentEnv",
                vector_entry_point="card_envs.envs.vector:CardVectorEnv",
                kwargs={"game": game},
            )
    for id_, game in PARALLEL_IDS.items():
        if id_ not in pettingzoo.parallel_registry:
            pettingzoo.register("parallel", id_, f"card_envs.{game}_v0:parallel_env")
