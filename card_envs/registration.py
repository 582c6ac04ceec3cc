"""The ids under which PettingZoo finds the games. Strings only: nothing is imported before an environment is made."""

from __future__ import annotations

import pettingzoo

AEC_IDS = {
    "card_envs/KingLui-v0": "card_envs.king_lui_v0:env",
    "card_envs/ZumKuhkuck-v0": "card_envs.zum_kuhkuck_v0:env",
    "card_envs/KuKaKing-v0": "card_envs.ku_ka_king_v0:env",
}
PARALLEL_IDS = {"card_envs/KuKaKing-v0": "card_envs.ku_ka_king_v0:parallel_env"}


def register_environments() -> None:
    """Tell PettingZoo the ids. Doing so twice, after a reload, changes nothing."""
    for id_, entry_point in AEC_IDS.items():
        if id_ not in pettingzoo.aec_registry:
            pettingzoo.register("aec", id_, entry_point)
    for id_, entry_point in PARALLEL_IDS.items():
        if id_ not in pettingzoo.parallel_registry:
            pettingzoo.register("parallel", id_, entry_point)
