"""The games for OpenSpiel: `import card_envs.open_spiel`, then `pyspiel.load_game("card_envs_king_lui(players=3)")`.

Chance is a player of its own, at the moment at which it happens: a card is drawn, a first player chosen. So no state
knows the future, and algorithms that search cannot look it up. Choices at the same time are choices one after another,
each hidden until the last one is in. `resample_from_infostate` draws anew what a player cannot know.

Strings of information states and observations are digests: equal for equal knowledge, and not for reading. An
information state is what the player saw and did at each of its decisions; its tensor is the observation, which
remembers all that was seen, but not in which order.
"""

from __future__ import annotations

import functools
import hashlib
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.core.game import Game
from card_envs.core.scripted import BEGIN, KINDS, ScriptedGame
from card_envs.errors import OptionError
from card_envs.extras import need
from card_envs.games import game_names, get_game

need("card_envs.open_spiel", "pyspiel", "bench")
import pyspiel  # noqa: E402  # after the sentence for those who do not have it

LONGEST_GAME = 10_000  # decisions; OpenSpiel wants a number, and no game of ours comes near it
PREFIX = "card_envs_"
DIGEST = 12  # bytes
ROUNDING = 1e-6  # of rewards, which are 32-bit floats


def spiel_name(game: Game) -> str:
    """The name under which OpenSpiel knows a game."""
    return f"{PREFIX}{game.name}"


@functools.cache
def game_type(name: str) -> Any:
    """What OpenSpiel is told of a game before anybody has said how many play."""
    rules, kinds = get_game(name), pyspiel.GameType
    return kinds(
        short_name=spiel_name(rules),
        long_name=rules.title,
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kinds.Information.IMPERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=rules.players[-1],
        min_num_players=rules.players[0],
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={"players": 0, "reward": "outcome", "options": ""},
    )


class SpielGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel has no types
    """A game of ours. Parameters: `players` (0: as usual), `reward`, and `options` of the game as JSON."""

    rules_name = ""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = params or {}
        self.rules = get_game(self.rules_name)
        self.given = _options(self.rules, given)
        self.table = ScriptedGame(self.rules, self.given)
        batch = self.table.batch
        worst = self.rules.loss(batch.options, batch.common_options)
        self.rules.check_priced(worst)
        info = pyspiel.GameInfo(
            num_distinct_actions=len(self.rules.actions),
            max_chance_outcomes=KINDS,
            num_players=batch.players,
            min_utility=worst - ROUNDING,
            max_utility=-worst * (1 if batch.common_options.reward == "outcome" else batch.players - 1) + ROUNDING,
            utility_sum=0.0,
            max_game_length=LONGEST_GAME,
        )
        super().__init__(game_type(self.rules_name), info, given)

    def new_initial_state(self) -> SpielState:
        """A game that is about to be dealt."""
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> SpielObserver | None:
        """Who sees the tensors of a state. There is none (None) of what is public alone, or private alone."""
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            return None  # a player's own observation would tell its secrets to whoever asks for what is public
        return SpielObserver(self, kind.perfect_recall)


def _options(rules: Game, params: dict[str, Any]) -> dict[str, Any]:
    options: dict[str, Any] = {"reward": params.get("reward", "outcome")}
    if params.get("players"):
        options["players"] = params["players"]
    text = params.get("options", "")
    try:
        own = json.loads(text) if text else {}
    except ValueError:
        own = None
    if not isinstance(own, dict):
        raise OptionError(f"options of {rules.title} must be a table in JSON, not {str(text)[:80]!r}")
    return {**options, **own}


class SpielState(pyspiel.State):  # type: ignore[misc]
    """A position: a record as the engine has it, or a move under way of which some lots have not fallen yet."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self._record: NDArray[Any] | None = None  # before the move under way, or now
        self._move, self._lots = BEGIN, list[int]()
        self._chance: NDArray[np.float64] | None = None  # how likely each value of the next lot is
        self._seat, self._mask = -1, np.zeros(0, np.int8)
        self._returns = [0.0] * game.num_players()
        self._known = [b""] * game.num_players()  # a digest of what each player saw and did at its decisions
        self._play()

    def _play(self) -> None:
        """Go on with the move under way, up to the next lot that nobody has told."""
        table = self.get_game().table
        self._chance = table.play(self._record, self._move, self._lots)
        if self._chance is None:
            batch = table.batch
            self._record = batch.states[:1].copy()
            self._seat, self._mask = int(batch.seat[0]), batch.action_mask[0].copy()
            self._lots = []
            if self._seat < 0:
                rewards = batch.rewards[0].astype(np.float64)
                self._returns = (rewards - rewards.mean()).tolist()  # the sum of 32-bit floats is not quite 0

    def current_player(self) -> int:
        """Whose turn it is: a seat, chance, or nobody's any more."""
        if self._chance is not None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self._seat < 0 else self._seat

    def _legal_actions(self, player: int) -> list[int]:
        return [int(action) for action in np.flatnonzero(self._mask)] if player == self._seat else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Each value of the next lot that can come, and how likely it is."""
        chance = self._chance if self._chance is not None else np.zeros(0)
        return [(int(lot), float(chance[lot])) for lot in np.flatnonzero(chance)]

    def _apply_action(self, action: int) -> None:
        if self._chance is not None:
            self._lots.append(action)
        else:
            seen = self.observation(self._seat)
            known = self._known[self._seat] + seen.tobytes() + action.to_bytes(2, "big")
            self._known[self._seat] = hashlib.blake2b(known, digest_size=DIGEST).digest()
            self._move, self._lots = action, []
        self._play()

    def _action_to_string(self, player: int, action: int) -> str:
        return f"lot {action}" if player < 0 else str(self.get_game().rules.actions[action])

    def is_terminal(self) -> bool:
        """Is the game over?"""
        return self._chance is None and self._seat < 0

    def returns(self) -> list[float]:
        """What each player has won or lost, once the game is over."""
        return self._returns

    def observation(self, player: int) -> NDArray[np.float32]:
        """What a player sees; of a move under way nothing yet, and nothing at all before the deal."""
        game = self.get_game()
        if self._record is None:
            return np.zeros(game.rules.layout.size, np.float32)
        game.table.batch.states[:1] = self._record
        seen: NDArray[np.float32] = game.table.batch.observe(0, player)[0]
        return seen

    def knowledge(self, player: int, past: bool) -> str:
        """A digest of what a player sees, and of what it saw and did before if `past` counts."""
        seen = (self._known[player] if past else b"") + self.observation(player).tobytes()
        return hashlib.blake2b(seen, digest_size=DIGEST).hexdigest()

    def resample_from_infostate(self, player: int, sampler: Any) -> SpielState:
        """A state that is the same to this player, in which everything that it cannot know is drawn anew."""
        twin: SpielState = self.clone()
        batch = self.get_game().table.batch
        batch.states[:1] = self._record
        batch.redraw_hidden([player], int(sampler() * 2**53))
        twin._record = batch.states[:1].copy()
        twin._mask = batch.action_mask[0].copy()
        return twin

    def __str__(self) -> str:
        if self._record is None:
            return "before the deal " + " ".join(map(str, self._lots))
        rules = self.get_game().rules
        under_way = f"\n{rules.actions[self._move]} {self._lots}" if self._chance is not None else ""
        text: str = rules.to_text(rules.view(self._record[0], None), "en")
        return text + under_way


class SpielObserver:
    """Tensors and strings of what a player knows."""

    def __init__(self, game: SpielGame, past: bool) -> None:
        self._past = past
        self.tensor = np.zeros(game.rules.layout.size, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: SpielState, player: int) -> None:
        """Write what a player knows into `tensor`."""
        self.tensor[:] = state.observation(player)

    def string_from(self, state: SpielState, player: int) -> str:
        """The same as a digest."""
        return state.knowledge(player, self._past)


def register(name: str) -> None:
    """Tell OpenSpiel of a game of ours, or one that `card_envs.register_game` has added. Twice changes nothing."""
    rules = get_game(name)
    if spiel_name(rules) not in pyspiel.registered_names():
        made = type(f"SpielGame_{rules.name}", (SpielGame,), {"rules_name": rules.name, "__module__": __name__})
        globals()[made.__name__] = made  # where pickle finds it
        pyspiel.register_game(game_type(rules.name), made)


for _name in game_names():
    register(_name)
