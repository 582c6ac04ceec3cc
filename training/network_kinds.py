"""Every kind of network that can be trained. Another one is one class in training/, one in card_envs/agents/network.py,
and a line in each of the two tables.
"""

from __future__ import annotations

from collections.abc import Callable

from card_envs.agents.network import Mlp, Network
from card_envs.core.game import Game
from card_envs.errors import OptionError
from training.mlp import MlpActorCritic
from training.network import ActorCritic

# By kind: a new network for a game, of this form, tied or not where it can be, from a seed.
KINDS: dict[str, Callable[[Game, Network, bool, int], ActorCritic]] = {Mlp.kind: MlpActorCritic}


def make_network(game: Game, network: Network, tied: bool, seed: int) -> ActorCritic:
    """A new network to be learned."""
    if network.kind not in KINDS:
        raise OptionError(
            f"network.kind: {network.kind!r} can play, but nothing in training/ learns it; there are {', '.join(KINDS)}"
        )
    return KINDS[network.kind](game, network, tied, seed)
