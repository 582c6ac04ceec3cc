"""Whole rollouts by compiled code are those that are played decision by decision, to the last bit."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from card_envs.games import game_names
from tests.support.parts import a_part
from training.parts import Part
from training.ppo_settings import PLAIN, Manner
from training.self_play_games import SelfPlayGames


def what_was_played(part: Part, network: Any) -> list[bytes]:
    scores = [part.play(network, Manner(imitate=True)) for _ in range(3)]
    told = [np.concatenate(one, axis=None).tobytes() for one in scores]
    rollout = [getattr(part.rollout, field.name).tobytes() for field in fields(part.rollout)]
    states = [group.saved() for group in part.games.groups]
    return [*told, *rollout, *(np.asarray(one).tobytes() for state in states for one in state.values())]


@pytest.mark.parametrize("name", game_names())
@pytest.mark.parametrize(("always", "snapshots"), [(("bot", "random"), 3), ((), 0)])
def test_it_is_played_as_decision_by_decision(
    name: str, always: tuple[str, ...], snapshots: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = what_was_played(*a_part(name, tmp_path, always, snapshots))
    asked = []

    def refuse(self: Any, *arguments: Any) -> bool:
        asked.append(arguments)
        return False

    monkeypatch.setattr(SelfPlayGames, "play_rollout", refuse)
    assert what_was_played(*a_part(name, tmp_path, always, snapshots)) == at_once
    assert len(asked) == 3


@pytest.mark.parametrize("stranger", ["champion", "champion(greedy)"])
def test_a_frozen_player_of_another_form_is_asked_from_outside(stranger: str, tmp_path: Path) -> None:
    part, network = a_part("king_lui", tmp_path, (stranger,), 1)
    assert not part.games.play_rollout(network.ready(), part.rollout, np.zeros(part.rollout.action.shape), PLAIN)
    (scores,) = {one.shape for one in part.play(network)}
    assert scores == (2, 2)
    assert part.rollout.ended.any()
