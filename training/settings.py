"""The settings of all trainings: one tree of dataclasses each, with what they have in common said once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from card_envs.agents.naming import refuse_speakers
from card_envs.agents.network import LARGEST_LAYER, MOST_LAYERS, Mlp, Network, read_network
from card_envs.core.game import Game
from card_envs.core.options import check_seed, one_of, real_number, whole_number
from card_envs.errors import CheckpointError, OptionError
from card_envs.games import get_game
from training.evaluation import EvaluationSettings
from training.league import LeagueSettings
from training.ppo_settings import MaskablePPOSettings, SelfPlayPPOSettings


@dataclass(frozen=True)
class LayerSettings:
    """The layers of a network.

    Args:
        hidden: units of each hidden layer; one number for a single layer
        activation: what comes between layers
    """

    hidden: tuple[int, ...] | int = (128, 128)
    activation: Literal["relu", "tanh"] = "relu"

    def __post_init__(self) -> None:
        if not 1 <= len(self.layers) <= MOST_LAYERS:
            raise OptionError(f"network.hidden must name 1 to {MOST_LAYERS} layers, such as [128, 128]")
        for size in self.layers:
            whole_number(size, "a layer in network.hidden", 1, LARGEST_LAYER)

    @property
    def layers(self) -> tuple[int, ...]:
        """`hidden`, always as a list."""
        return (self.hidden,) if isinstance(self.hidden, int) else tuple(self.hidden)


@dataclass(frozen=True)
class NetworkSettings(LayerSettings):
    """The network's form.

    Args:
        kind: which kind of network; see training/network_kinds.py
        tied: treat alike what the game's rules treat alike (dishes, colours, rows); see training/mlp.py
        options: whatever else a kind of your own needs to know
    """

    kind: str = Mlp.kind
    tied: bool = True
    options: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.form()

    def form(self) -> Network:
        """As checkpoints describe it."""
        described = {"kind": self.kind, "hidden": list(self.layers), "activation": self.activation, **self.options}
        try:
            return read_network(described)
        except CheckpointError as error:
            raise OptionError(f"network: {error}") from None


@dataclass(frozen=True)
class RunSettings:
    """What every training has.

    Args:
        game: which game
        players: numbers of players, such as 4 or [3, 4]; what the game and the training allow if null
        options: other options of the game, such as deck or score_table
        reward: what is learned: to win (outcome), or to have more points than the others (margin)
        run: the folder to make; runs/<game>-<date and time> if null
        seed: the same seed and settings give the same games
        decisions: how many decisions of the learner in all
        minutes: stop after so many minutes of learning, if the decisions are not done by then; no limit if null
        games: how many games are played at once
        threads: how many threads play and learn
        save_seconds: seconds between two saves; a crash loses no more than that
        evaluation: how the learner is measured
    """

    trainer: ClassVar[str]  # the module in training/ that reads these settings

    game: str
    players: tuple[int, ...] | int | None = None
    options: dict[str, Any] = field(default_factory=dict)
    reward: Literal["outcome", "margin"] = "outcome"
    run: str | None = None
    seed: int = 0
    decisions: int = 20_000_000
    minutes: float | None = None
    games: int = 1024
    threads: int = 2
    save_seconds: float = 20.0
    evaluation: EvaluationSettings = field(default_factory=EvaluationSettings)

    def __post_init__(self) -> None:
        for name in ("reward", "illegal_action", "players"):
            if name in self.options:
                raise OptionError(f"options.{name} cannot be set: it is a setting of the training itself")
        for number in self.numbers:
            self.rules.make_options({**self.options, "players": number})
        if not self.numbers or len(set(self.numbers)) < len(self.numbers):
            raise OptionError(
                f"players must name each number once, such as {list(self.rules.players)}, not {self.players!r}"
            )
        one_of(self.reward, "reward", ("outcome", "margin"))
        check_seed(self.seed)
        whole_number(self.decisions, "decisions", 1, 2**62)
        if self.minutes is not None:
            real_number(self.minutes, "minutes", 0.0)
        whole_number(self.threads, "threads", 1, 1024)
        whole_number(self.games, "games", 1, 2**20)
        real_number(self.save_seconds, "save_seconds", 0.0)

    @property
    def rules(self) -> Game:
        """The game itself."""
        return get_game(self.game)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of players that are played; all that the game has if none are named."""
        if self.players is None:
            return self.rules.players
        return (self.players,) if isinstance(self.players, int) else tuple(self.players)


@dataclass(frozen=True)
class SelfPlaySettings(RunSettings):
    """A league of self-play.

    Args:
        start: a checkpoint to go on from; a new network if null
        network: the network's form
        ppo: how it learns
        league: whom it meets
        parts: into how many parts games and gradients are cut, which threads or workers then share out; how many of
            these there are changes nothing but the speed, the number of parts changes the games
        ray: work on a Ray cluster: auto, or its address; here, on threads, if null. Each command says it anew
        workers: how many workers on the cluster, each on a core of its own; as many as it has cores, and parts at most,
            if null. Each command says it anew
    """

    trainer: ClassVar[str] = "self_play"

    start: str | None = None
    network: NetworkSettings = field(default_factory=NetworkSettings)
    ppo: SelfPlayPPOSettings = field(default_factory=SelfPlayPPOSettings)
    league: LeagueSettings = field(default_factory=LeagueSettings)
    parts: int = 4
    ray: str | None = None
    workers: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_number(self.parts, "parts", 1, 1024)
        if self.workers is not None:
            whole_number(self.workers, "workers", 1, 1024)
            if self.ray is None:
                raise OptionError(
                    "workers are on a cluster: give --ray auto or --ray ADDRESS too, or --threads instead"
                )
            if self.workers > self.parts:
                raise OptionError(
                    f"workers can be {self.parts} at most, not {self.workers}: the run is cut into {self.parts} parts, "
                    f"and a worker without one would have nothing to do"
                )
        whole_number(self.games, "games", self.parts * len(self.numbers), 2**20)
        if self.ppo.teacher_coef > 0 and self.rules.bot is None:
            raise OptionError(f"ppo.teacher_coef must be 0: {self.rules.title} has no bot that could be imitated")

    @property
    def iterations(self) -> int:
        """How often it plays and learns."""
        return -(-self.decisions // (self.games * self.ppo.n_steps))


@dataclass(frozen=True)
class Sb3Settings(RunSettings):
    """MaskablePPO against fixed players and its own snapshots.

    Args:
        opponents: who sits opposite, with weights; if null, the bot, or random players where a game has no bot
        snapshots: weight of the learner's own snapshots among the opponents; 0 for none
        snapshot_every: decisions after which the learner, as it is, becomes an opponent
        network: the layers of policy and value, which have some of their own each
        ppo: arguments of MaskablePPO
    """

    trainer: ClassVar[str] = "sb3_ppo"

    decisions: int = 2_000_000
    games: int = 256
    threads: int = 1
    opponents: dict[str, float] | None = None
    snapshots: float = 1.0
    snapshot_every: int = 500_000
    network: LayerSettings = field(default_factory=LayerSettings)
    ppo: MaskablePPOSettings = field(default_factory=MaskablePPOSettings)

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.numbers) != 1:
            raise OptionError(f"players must be one number, because MaskablePPO learns one, not {list(self.numbers)}")
        whole_number(self.snapshot_every, "snapshot_every", 1, 2**62)
        real_number(self.snapshots, "snapshots", 0.0)
        if self.opponents is not None and not self.opponents:
            raise OptionError("opponents must name at least one player with its weight, such as {bot: 1}")
        refuse_speakers(self.opponents or (), "a training")

    @property
    def weighed_opponents(self) -> dict[str, float]:
        """Who sits opposite, with weights."""
        usual = "random" if self.rules.bot is None else "bot"
        return {usual: 1.0} if self.opponents is None else self.opponents

    @property
    def numbers(self) -> tuple[int, ...]:
        """The one number of players; the game's default if none is named."""
        return super().numbers if self.players is not None else (self.rules.options().players,)
