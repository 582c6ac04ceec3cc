"""Games in words: what an action is called, what a move has brought, how a game is played."""

from __future__ import annotations

import numpy as np
import pytest

import card_envs
from card_envs.presentation.languages import LANGUAGES
from card_envs.presentation.phrases import explain, say_action, say_label, tell_move
from tests.support.registered import GAMES, WITH_WORDS


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", WITH_WORDS)
def test_every_action_has_words_of_its_own_in_every_language(game: str, language: str) -> None:
    rules = card_envs.get_game(game)
    words = [say_action(rules, action, language) for action in range(len(rules.actions))]
    assert len(set(words)) == len(words)
    assert not any("{" in text for text in words)
    if language != "en":
        assert words != [say_action(rules, action, "en") for action in range(len(rules.actions))]


@pytest.mark.parametrize("game", WITH_WORDS)
def test_every_part_of_the_score_sheet_has_a_name_in_every_language(game: str) -> None:
    rules = card_envs.get_game(game)
    keys = set()
    for key, value in rules.breakdown(dict.fromkeys(rules.score_columns, 0)).items():
        keys |= {key, *(value if isinstance(value, dict) else ())}
    for language in LANGUAGES[1:]:
        same = {key for key in keys if say_label(rules, key, language) == key.replace("_", " ")}
        assert not same, f"not translated into {language}: {same}"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", WITH_WORDS)
def test_how_to_play_is_explained(game: str, language: str) -> None:
    sections = explain(card_envs.get_game(game), language)
    assert len(sections) == 3
    for heading, sentences in sections:
        assert heading
        assert all(sentence.endswith((".", ")")) for sentence in sentences)


@pytest.mark.parametrize("game", GAMES)
def test_whoever_acts_is_told_of_in_all_languages_alike(game: str) -> None:
    rules, rng = card_envs.get_game(game), np.random.default_rng(1)
    batch = card_envs.make_batch(game, 1, seed=1, auto_reset=False)
    heard = 0
    while batch.seat[0] >= 0:
        action, before = int(rng.choice(np.flatnonzero(batch.action_mask[0]))), rules.view(batch.states[0], 1)
        batch.step_one(action)
        after = rules.view(batch.states[0], 1)
        told = {language: tell_move(rules, before, after, action, language) for language in LANGUAGES}
        assert len({tuple(seat for seat, _ in lines) for lines in told.values()}) == 1
        heard += len(told["en"])
        if not rules.simultaneous:
            assert told["en"][0][0] == before["to_act"]
    assert heard > 5


def test_a_card_drawn_is_named_to_its_owner_only() -> None:
    rules = card_envs.get_game("king_lui")
    batch = card_envs.make_batch("king_lui", 1, players=3, seed=2, auto_reset=False)
    seat, draw = int(batch.seat[0]), 7
    before = [rules.view(batch.states[0], listener) for listener in range(3)]
    batch.step_one(draw)
    after = [rules.view(batch.states[0], listener) for listener in range(3)]
    told = [tell_move(rules, before[one], after[one], draw, "en")[0][1] for one in range(3)]
    assert told[seat].startswith("draw a card: ")
    assert {text for one, text in enumerate(told) if one != seat} == {"draw a card"}


def test_a_choice_is_told_when_all_are_in() -> None:
    rules = card_envs.get_game("ku_ka_king")
    batch = card_envs.make_batch("ku_ka_king", 1, players=2, seed=2, auto_reset=False)
    views = []
    for action in (3, 3, 0, 1):
        views.append(rules.view(batch.states[0], 1))
        batch.step_one(action)
    views.append(rules.view(batch.states[0], 1))
    told = [tell_move(rules, *views[move : move + 2], 0, "en") for move in range(4)]
    assert told[0] == []
    assert [seat for seat, _ in told[1]] == [0, 1]
    assert all("row 4, not alone" in text for _, text in told[1])
    assert told[2] == []
    assert told[3][0][1].startswith("row 1, alone: takes ")
    assert told[3][1][1].startswith("row 2, alone: takes ")


def test_electricity_and_announcements_are_told_with_what_they_bring() -> None:
    rules, rng, heard = card_envs.get_game("zum_kuhkuck"), np.random.default_rng(0), []
    batch = card_envs.make_batch("zum_kuhkuck", 1, seed=1, auto_reset=False)
    while batch.seat[0] >= 0:
        before, action = rules.view(batch.states[0], 0), int(rng.choice(np.flatnonzero(batch.action_mask[0])))
        batch.step_one(action)
        heard += [text for _, text in tell_move(rules, before, rules.view(batch.states[0], 0), action, "en")]
    assert any("electricity!" in text for text in heard)
    assert any(text.startswith("announce ") and " points with " in text for text in heard)
