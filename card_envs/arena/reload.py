"""The agents of a tournament once more, from what the tournament keeps of them."""

from __future__ import annotations

import json

from card_envs.agents.checkpoint import CheckpointAgent
from card_envs.agents.loading import Player
from card_envs.agents.naming import parse_agent
from card_envs.arena.entrants import OBJECT, Entrant, Reception
from card_envs.arena.searchers import rebuild
from card_envs.arena.store import Store
from card_envs.errors import CardEnvsError, TournamentError


def reload(store: Store, entrant: Entrant) -> Player:
    """The agent that took part; refused if it is gone or no longer the same."""
    setting = store.setting
    if entrant.checkpoint:
        checkpoint = store.checkpoint(entrant, entrant.checkpoint)
        return CheckpointAgent(checkpoint, setting.rules, setting.players, **json.loads(entrant.options))
    if entrant.source == OBJECT:
        raise TournamentError(
            f"{entrant.name} was handed over by a Python program and is not kept in the tournament's folder; "
            f"continue from a program that gives it to Tournament.resume(folder, agents=[...])"
        )
    if entrant.speaks:
        raise TournamentError(
            f"{entrant.name} is a program or an address, and nothing is started or opened because a tournament names "
            f"it; to play on, name it once more with --agents, or Tournament.resume(folder, agents=[...]). Its games "
            f"cannot be played again, for it need not answer alike twice"
        )
    reception = Reception(setting.rules, setting.players, setting.isolate)
    try:
        if entrant.searches:
            guest = reception.meet(_searcher(store, entrant))
        elif parse_agent(entrant.source).is_path:
            raise TournamentError("its weights are not kept, and no file is opened because a tournament names it")
        else:
            guest = reception.meet(entrant.source)
    except CardEnvsError as error:
        raise TournamentError(f"{entrant.name} cannot play any more: {str(error)[:400]}") from None
    if guest.content_hash != entrant.content_hash:
        raise TournamentError(
            f"{entrant.name} cannot play any more: the agent {entrant.source[:200]} is not what it was when the "
            f"tournament began (content {entrant.content_hash[:12]}, now {guest.content_hash[:12]}); install the old "
            f"one, or start another tournament"
        )
    return guest.plays


def _searcher(store: Store, entrant: Entrant) -> Player:
    setting = store.setting
    return rebuild(entrant.options, setting.rules, setting.players, lambda content: store.checkpoint(entrant, content))
