"""Games in words: what an action is called, what a move has brought, how a game is played."""

from __future__ import annotations

import numpy as np
import pytest

import card_envs
from card_envs.games.zum_kuhkuck.words import PHRASES
from card_envs.presentation.languages import LANGUAGES, named, numbered, people
from card_envs.presentation.phrases import explain, guide, say_action, say_label, tell_move
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
    assert len(sections) >= 3
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
    assert told[3][0][1].startswith("row 1, alone: ")
    assert told[3][1][1].startswith("row 2, alone: ")


def test_a_round_that_ends_with_nothing_for_those_left_is_told() -> None:
    """Two players who always want the same row, until one row is left."""
    rules = card_envs.get_game("ku_ka_king")
    batch = card_envs.make_batch("ku_ka_king", 1, players=2, seed=2, auto_reset=False)
    heard: list[tuple[int | None, str]] = []
    while batch.states[0]["round_number"] == 1:
        row = int(np.flatnonzero(batch.action_mask[0])[0])
        for _ in range(2):
            before = named(rules.view(batch.states[0], 0), people(["", "bot"], "en", own=0))
            batch.step_one(row)
            after = named(rules.view(batch.states[0], 0), people(["", "bot"], "en", own=0))
            heard = tell_move(rules, before, after, row, "en")
    assert (None, "too few rows are left: the round ends, and these get nothing: You, Player 2 · bot") in heard


@pytest.mark.parametrize("game", WITH_WORDS)
def test_no_language_lacks_a_sentence_of_the_rules_or_of_the_guide(game: str) -> None:
    words = card_envs.get_game(game).words
    assert words is not None
    for section in (*words.how_to_play.values(), words.guide):
        for key, sentences in section.items():
            assert len(sentences) == len(LANGUAGES), key
            assert all(sentence.strip() for sentence in sentences), key
            assert len(set(sentences)) > 1, f"{key} is the same in all languages"
        assert "heading" in section or section is words.guide
    assert sum(map(len, words.how_to_play.values())) >= 14


@pytest.mark.parametrize(
    ("game", "section", "key", "says"),
    [
        ("king_lui", "course", "must draw", "must draw"),
        ("king_lui", "course", "two portions", "two portions"),
        ("king_lui", "course", "serve", "Emeralds stay"),
        ("zum_kuhkuck", "turn", "points", "5: 4, 6: 5"),
        ("zum_kuhkuck", "turn", "hand in", "for nothing"),
        ("zum_kuhkuck", "end", "equal", "nobody"),
        ("ku_ka_king", "round", "nothing", "gets nothing"),
        ("ku_ka_king", "points", "churches", "several tie for the most"),
        ("ku_ka_king", "points", "knights", "several tie for the most"),
        ("ku_ka_king", "points", "kings", "36 as well"),
        ("ku_ka_king", "points", "farm", "each further couple"),
        ("ku_ka_king", "scorings", "last round", "from the box"),
    ],
)
def test_the_rules_for_people_say_what_is_easily_left_out(game: str, section: str, key: str, says: str) -> None:
    words = card_envs.get_game(game).words
    assert words is not None
    assert says in words.how_to_play[section][key][0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_numbers_take_the_right_form(language: str) -> None:
    rules = card_envs.get_game("zum_kuhkuck")
    batch = card_envs.make_batch("zum_kuhkuck", 1, seed=0, auto_reset=False)
    heard = set()
    for lost in (0, 1, 2):
        view = rules.view(batch.states[0], None)
        seat = view["to_act"]
        hands = [{"size": lost if one == seat else 0, "cards": None} for one in range(2)]
        after = {**view, "hands": [{"size": 0, "cards": None}] * 2}
        heard.add(tell_move(rules, {**view, "hands": hands}, after, 0, language)[0][1])
    assert len(heard) == 3
    one = {"en": "1 card lost", "de": "1 Karte verloren", "fr": "1 carte perdue", "it": "1 carta persa"}[language]
    assert any(text.endswith(one) for text in heard)
    points = {count: numbered(PHRASES, "points", language, count) for count in (0, 1, 2)}
    assert points[1] != points[2]
    assert (points[0] == "0 point") == (language == "fr"), "in French zero is singular"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", WITH_WORDS)
def test_every_note_of_the_guide_is_given_in_some_game(game: str, language: str) -> None:
    rules, rng, given = card_envs.get_game(game), np.random.default_rng(1), set()
    words = rules.words
    assert words is not None
    assert words.notes is not None
    for seed in range(4):
        batch = card_envs.make_batch(game, 1, seed=seed, auto_reset=False)
        while batch.seat[0] >= 0:
            seat = int(batch.seat[0])
            given |= {key for key, _ in guide(rules, rules.view(batch.states[0], seat), seat, language)}
            actions = np.flatnonzero(batch.action_mask[0])
            batch.step_one(int(actions[0] if game == "zum_kuhkuck" and rng.random() < 0.9 else rng.choice(actions)))
    assert given == set(words.guide)


def test_electricity_and_announcements_are_told_with_what_they_bring() -> None:
    rules, rng, heard = card_envs.get_game("zum_kuhkuck"), np.random.default_rng(0), []
    batch = card_envs.make_batch("zum_kuhkuck", 1, seed=1, auto_reset=False)
    while batch.seat[0] >= 0:
        before, action = rules.view(batch.states[0], 0), int(rng.choice(np.flatnonzero(batch.action_mask[0])))
        batch.step_one(action)
        heard += [text for _, text in tell_move(rules, before, rules.view(batch.states[0], 0), action, "en")]
    assert any("electricity!" in text for text in heard)
    assert any(text.startswith("announce ") and " points with " in text for text in heard)
