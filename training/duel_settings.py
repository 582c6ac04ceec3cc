"""The settings of a training of duels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from card_envs.agents.duel import LEAST_EASE, MOST_EASE, MOST_RANK, MOST_ROUNDS, MOST_SEATS
from card_envs.agents.duel_worth import TWO
from card_envs.core.options import real_number, whole_number
from card_envs.errors import OptionError
from training.settings import RunSettings


@dataclass(frozen=True)
class DuelNetworkSettings:
    """The network's form; see card_envs/agents/duel.py.

    Args:
        each: units of each hidden layer that every choice has for itself, where choices are alike
        whole: units of each hidden layer for the whole position
        layers: how many hidden layers
        rank: how many products of two numbers say what is special about a pair of choices
        rounds: by how many rounds equilibria are approached
        seats: 2 to learn tables of two, or more to learn all larger tables, up to so many seats
        ease: where there are more than two seats: how much more a choice must be worth to become e times as likely,
            beside another one, as seats are used to
        legal: which field of the observation says by 1 what can be chosen; null where everything always can
        waiting: which field says by 1 who has to choose, the own seat first; null where all seats always have to
        tables: which field says the number of players, beginning with 1 for two of them; null for games of two
    """

    each: int = 96
    whole: int = 128
    layers: int = 2
    rank: int = 8
    rounds: int = 60
    seats: int = TWO
    ease: float = 0.03
    legal: str | None = None
    waiting: str | None = None
    tables: str | None = None

    def __post_init__(self) -> None:
        whole_number(self.each, "network.each", 0, 1024)
        whole_number(self.whole, "network.whole", 1, 4096)
        whole_number(self.layers, "network.layers", 1, 8)
        whole_number(self.rank, "network.rank", 0, MOST_RANK)
        whole_number(self.rounds, "network.rounds", 1, MOST_ROUNDS)
        whole_number(self.seats, "network.seats", TWO, MOST_SEATS)
        real_number(self.ease, "network.ease", LEAST_EASE, MOST_EASE)

    def fields(self) -> tuple[str, ...]:
        """The fields of the observation that are named."""
        return tuple(name for name in (self.legal, self.waiting, self.tables) if name is not None)


@dataclass(frozen=True)
class LearningSettings:
    """How it learns; words are those of training/ppo_settings.py where they mean the same.

    Args:
        n_steps: positions per game and iteration
        n_epochs: how often each is learned from
        batch_size: positions of one seat per gradient step
        learning_rate: of Adam, at the start
        learning_rate_end: what it falls to, in a straight line, by the end of the run
        gae_lambda: lambda of generalised advantage estimation, for values
        vf_coef: weight of the value's error in the loss
        habit_coef: weight of what seats are used to do in the loss, where there are more than two
        max_grad_norm: largest norm of a gradient
        explore: part of the choices that are made by lot
        average_half_life: decisions over which the weight of older numbers halves in the average that plays
        teacher_until: the part of the run in which `start` plays, and says what positions are worth
    """

    n_steps: int = 8
    n_epochs: int = 1
    batch_size: int = 512
    learning_rate: float = 1e-3
    learning_rate_end: float = 2e-5
    gae_lambda: float = 0.8
    vf_coef: float = 0.5
    habit_coef: float = 0.1
    max_grad_norm: float = 1.0
    explore: float = 0.15
    average_half_life: int = 500_000
    teacher_until: float = 0.2

    def __post_init__(self) -> None:
        for name, most in (("n_steps", 2**16), ("n_epochs", 1000), ("batch_size", 2**30), ("average_half_life", 2**62)):
            whole_number(getattr(self, name), f"duel.{name}", 1, most)
        for name in ("learning_rate", "learning_rate_end", "vf_coef", "habit_coef", "max_grad_norm"):
            real_number(getattr(self, name), f"duel.{name}", 0.0)
        for name in ("gae_lambda", "explore", "teacher_until"):
            real_number(getattr(self, name), f"duel.{name}", 0.0, 1.0)

    def rate(self, progress: float) -> float:
        """The learning rate when this part of the run, from 0 to 1, is over."""
        return self.learning_rate + (self.learning_rate_end - self.learning_rate) * progress


@dataclass(frozen=True)
class DuelSettings(RunSettings):
    """Learning what choices are worth where all choose at once: at tables of two, or at larger ones.

    Args:
        start: a checkpoint who teaches first; at all other tables it plays on as it is
        network: the network's form
        duel: how it learns
    """

    trainer: ClassVar[str] = "duel"

    start: str | None = None
    network: DuelNetworkSettings = field(default_factory=DuelNetworkSettings)
    duel: LearningSettings = field(default_factory=LearningSettings)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.learned:
            wanted = "2" if self.network.seats == TWO else f"numbers from 3 to {self.network.seats}"
            raise OptionError(
                f"players must have {wanted} among them, because duels are learned there (network.seats is "
                f"{self.network.seats}), not {self.players!r}"
            )
        if len(self.numbers) > len(self.learned) and self.network.tables is None:
            raise OptionError(
                f"network.tables must name the field that tells tables of two from others, for players are "
                f"{list(self.numbers)}; or give {self.learned_alone}"
            )
        for name in self.network.fields():
            if name not in self.rules.layout:
                there = ", ".join(self.rules.layout)
                raise OptionError(f"the observation of {self.rules.title} has no field {name!r}: it has {there}")

    @property
    def learned(self) -> tuple[int, ...]:
        """The numbers of players at which duels are learned."""
        most = self.network.seats
        return tuple(one for one in self.numbers if (one == TWO if most == TWO else TWO < one <= most))

    @property
    def learned_alone(self) -> str:
        """What to type so that no other tables are played."""
        players = ",".join(map(str, self.learned))
        return f"--players {players}" if len(self.learned) == 1 else f'--players "[{players}]"'
