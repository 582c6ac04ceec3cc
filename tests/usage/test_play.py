"""A person at the terminal."""

from __future__ import annotations

import re

import pytest

from tests.support.commands import run
from tests.support.registered import GAMES, WITH_WORDS, opponent


def play(*arguments: str, typed: str) -> str:
    return run("play", *arguments, typed=typed, columns=160)


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_can_be_played_by_number(game: str) -> None:
    text = play(game, "--seed", "3", typed="1\n2\n3\n4\n5\n6\n7\n8\n" * 200)
    assert "You can play:" in text
    assert "You: " in text
    assert re.search(r"^You (won|lost|are|share)|^A draw", text, re.MULTILINE)
    assert re.search(r"^  1\. ", text, re.MULTILINE)
    points = [int(found) for found in re.findall(rf"Player \d · {opponent(game)}: (\d+) points", text)]
    assert points
    assert min(points) > 0, "a bot that always repeats its first lot never gets a row"


def test_hints_names_mistakes_and_quitting() -> None:
    text = play("zum_kuhkuck", "--seat", "0", "--seed", "3", typed="h\nr\ndr\nabc\n99\nDRAW\nq\n")
    assert "bot would play: draw" in text
    assert text.count("You: draw") == 2
    assert "before electricity takes them all" in text, "the rules at a key"
    assert "Player 2 · bot: " in text
    assert "'abc' is none of these" in text
    assert "'99' is none of these" in text
    assert "Stopped. --seed 3 --seat 0 deals the same cards again." in text


def test_the_end_of_input_stops_the_game() -> None:
    assert "Stopped." in play("king_lui", typed="")


def test_simultaneous_choices_are_not_told_before_all_are_in() -> None:
    text = play("ku_ka_king", "--players", "3", "--seat", "2", "--against", "random", "--seed", "1", typed="1\nq\n")
    chosen = text.index("Your choice")
    assert "Player 1 · random: row" not in text[:chosen]
    assert re.search(r"Player 1 · random: row \d, (alone: \w|not alone)", text[chosen:]), "what others took is told"


def test_number_keys_play_the_row_with_that_number() -> None:
    typed = "2\n3\n4\n5\n6\n7\n" * 30 + "q\n"
    text = play("ku_ka_king", "--players", "3", "--seat", "0", "--seed", "1", typed=typed)
    assert set(re.findall(r"^ +(\d) +row (\d):", text, re.MULTILINE)) == {(str(n), str(n)) for n in range(1, 8)}


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("de", ("Du kannst spielen:", "Du: ", "Spieler 2 · ", "Deine Wahl")),
        ("fr", ("Tu peux jouer :", "Toi: ", "Joueur 2 · ", "Ton choix")),
        ("it", ("Puoi giocare:", "Tu: ", "Giocatore 2 · ", "La tua scelta")),
    ],
)
@pytest.mark.parametrize("game", WITH_WORDS)
def test_the_terminal_speaks_one_language(game: str, language: str, words: tuple[str, ...]) -> None:
    text = play(game, "--seat", "0", "--seed", "2", "--language", language, typed="1\n2\n3\nr\nq\n")
    assert all(word in text for word in words)
    for english in ("you", "player", "take", "draw a", "row ", "Stopped", "choice", "would play", "points"):
        assert not re.search(rf"\b{english}\b", text) or (english, language) == ("points", "fr"), english


def test_others_drawn_cards_stay_hidden() -> None:
    text = play("king_lui", "--seat", "1", "--against", "random", "--seed", "1", typed="1\nq\n")
    assert "unseen)" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("king_lui", "--against", "bott"), "card-envs: there is no agent 'bott': did you mean 'bot'?"),
        (
            ("king_lui", "--against", "bot", "--against", "bot", "--players", "5"),
            "card-envs: 5 players need 4 opponents",
        ),
        (("king_lui", "--seat", "9"), "card-envs: seat must be a whole number from 0 to 3, not 9"),
    ],
)
def test_what_cannot_be_played_is_refused(arguments: tuple[str, ...], message: str) -> None:
    assert run("play", *arguments, code=2).startswith(message)
