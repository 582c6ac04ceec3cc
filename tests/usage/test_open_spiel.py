"""The games in OpenSpiel: its own tests, its searchers, its learners, and exact solutions where a game is small."""

from __future__ import annotations

import pickle
import random
import re
from typing import Any

import numpy as np
import pytest

import card_envs
from card_envs.core.scripted import BEGIN, ScriptedGame
from card_envs.games import unregister_game
from tests.support.registered import GAMES

pyspiel = pytest.importorskip("pyspiel")
from card_envs import open_spiel  # noqa: E402

TABLES = [(game, players) for game in GAMES for players in card_envs.get_game(game).players]


def at_a_choice(game: Any, seed: int = 0, moves: int = 6) -> Any:
    """A position some moves after the deal in which somebody has something to choose."""
    lots, state = random.Random(seed), game.new_initial_state()
    while state.is_chance_node() or moves > 0 or len(state.legal_actions()) < 2:
        moves -= not state.is_chance_node()
        outcomes = (
            [action for action, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()
        )
        state.apply_action(lots.choice(outcomes))
    return state


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_openspiels_own_simulation_with_serialisation(game: str, players: int) -> None:
    made = pyspiel.load_game(f"card_envs_{game}", {"players": players})
    assert made.num_players() == players
    pyspiel.random_sim_test(made, 1, True, False)


@pytest.mark.parametrize("game", GAMES)
def test_a_playthrough_says_the_same_when_its_moves_are_played_again(game: str) -> None:
    from open_spiel.python.algorithms import generate_playthrough

    name = f"card_envs_{game}(players={card_envs.get_game(game).players[0]})"
    text = generate_playthrough.playthrough(name, None, seed=1)
    assert "IsTerminal() = True" in text
    assert "PublicObservation" not in text, "some player's own observation is said to be public"
    moves = [int(action) for action in re.findall(r"^action: (\d+)$", text, re.MULTILINE)]
    assert generate_playthrough.playthrough(name, moves) == text


@pytest.mark.parametrize("game", GAMES)
def test_states_are_pickled_cloned_and_written_down(game: str) -> None:
    state = at_a_choice(pyspiel.load_game(f"card_envs_{game}"))
    for twin in (pickle.loads(pickle.dumps(state)), state.clone()):
        assert str(twin) == str(state)
        assert twin.information_state_string(0) == state.information_state_string(0)
        twin.apply_action(twin.legal_actions()[0])
        assert str(twin) != str(state) or twin.history() != state.history()


@pytest.mark.parametrize("game", GAMES)
def test_resampling_changes_nothing_that_a_player_knows(game: str) -> None:
    state = at_a_choice(pyspiel.load_game(f"card_envs_{game}"), moves=12)
    player, lots = state.current_player(), random.Random(1)
    others = set()
    for _ in range(8):
        twin = state.resample_from_infostate(player, lots.random)
        assert twin.information_state_string(player) == state.information_state_string(player)
        assert twin.legal_actions() == state.legal_actions()
        others.add(str(twin))
    assert game == "ku_ka_king" or len(others) > 1, "nothing was drawn anew"


@pytest.mark.parametrize("game", GAMES)
def test_chance_by_a_script_is_chance_by_a_seed(game: str) -> None:
    """Both reach positions in which the same cards lie in the same places about as often."""
    rules = card_envs.get_game(game)
    table, lots = ScriptedGame(rules, {}), np.random.default_rng(0)
    scripted = []
    for _ in range(400):
        told: list[int] = []
        while (chance := table.play(None, BEGIN, told)) is not None:
            assert chance.sum() == pytest.approx(1)
            told.append(int(lots.choice(len(chance), p=chance)))
        scripted.append(table.batch.observe(0, 0)[0])
    batch = card_envs.make_batch(game, 400, seed=1)
    seeded, _ = batch.observe_seats(np.arange(400), np.zeros(400, np.int64))
    one, other = np.array(scripted), seeded
    spread = np.sqrt((one.var(axis=0) + other.var(axis=0)) / 400)
    assert (np.abs(one.mean(axis=0) - other.mean(axis=0)) <= 5 * spread + 1e-6).all()


@pytest.mark.parametrize("game", GAMES)
def test_openspiels_searcher_finds_a_legal_action(game: str) -> None:
    from open_spiel.python.algorithms import ismcts, mcts

    made = pyspiel.load_game(f"card_envs_{game}")
    state, dice = at_a_choice(made), np.random.RandomState(0)
    theirs = ismcts.ISMCTSBot(made, mcts.RandomRolloutEvaluator(1, dice), 1.4, 10, random_state=dice)
    assert theirs.step(state) in state.legal_actions()


def test_options_that_are_none_are_refused() -> None:
    with pytest.raises(Exception, match="must be a table in JSON"):
        open_spiel.SpielGame.__subclasses__()[0]({"options": "nonsense"})


def test_exact_cfr_and_exploitability_on_a_small_game() -> None:
    """Two choose unseen, and the one wins if they are alike: by chance alone nobody can be exploited."""
    from open_spiel.python import policy
    from open_spiel.python.algorithms import cfr, exploitability

    from tests.support import small_games

    card_envs.register_game(small_games.GAME)
    try:
        open_spiel.register(small_games.GAME.name)
        game = pyspiel.load_game(f"card_envs_{small_games.GAME.name}")
        assert exploitability.exploitability(game, policy.FirstActionPolicy(game)) == pytest.approx(1, abs=1e-6)
        solver = cfr.CFRPlusSolver(game)
        for _ in range(20):
            solver.evaluate_and_update_policy()
        assert exploitability.exploitability(game, solver.average_policy()) < 0.01
    finally:
        unregister_game(small_games.GAME)


def test_learners_of_openspiel_run() -> None:
    from open_spiel.python import rl_environment
    from open_spiel.python.algorithms import outcome_sampling_mccfr

    game = pyspiel.load_game("card_envs_zum_kuhkuck")
    solver = outcome_sampling_mccfr.OutcomeSamplingSolver(game)
    solver.iteration()
    env = rl_environment.Environment(game)
    step = env.reset()
    size = env.observation_spec()["info_state"][0]
    assert size == card_envs.get_game("zum_kuhkuck").layout.size
    while not step.last():
        legal = step.observations["legal_actions"][step.observations["current_player"]]
        step = env.step([legal[0]])
    assert sum(step.rewards) == pytest.approx(0)


def test_nfsp_of_openspiel_learns_from_games() -> None:
    pytest.importorskip("tree", reason="OpenSpiel's NFSP needs dm-tree; see examples/ecosystem/with_open_spiel.py")
    from open_spiel.python import rl_environment
    from open_spiel.python.pytorch import nfsp

    env = rl_environment.Environment(pyspiel.load_game("card_envs_zum_kuhkuck"))
    size, actions = env.observation_spec()["info_state"][0], env.action_spec()["num_actions"]
    learning = {"batch_size": 8, "min_buffer_size_to_learn": 8, "learn_every": 4}
    players = [nfsp.NFSP(seat, size, actions, [16], 1000, 0.5, seed=seat, **learning) for seat in range(2)]
    for _ in range(4):
        step = env.reset()
        while not step.last():
            seat = step.observations["current_player"]
            chosen = players[seat].step(step).action
            assert chosen in step.observations["legal_actions"][seat]
            step = env.step([chosen])
        for player in players:
            player.step(step)
    assert all(None not in player.loss for player in players)
