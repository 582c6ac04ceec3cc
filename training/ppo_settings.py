"""How PPO learns: the words are Stable-Baselines3's, for our own PPO and for its MaskablePPO alike."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from card_envs.core.options import real_number, whole_number
from card_envs.errors import OptionError


@dataclass(frozen=True)
class Coefficients:
    """What moves along with the run."""

    learning_rate: float
    ent_coef: float
    teacher_coef: float = 0.0


class Manner(NamedTuple):
    """How rollouts are played, and what is asked along with it."""

    imitate: bool = False  # what would the bot do?
    all_actions: bool = False  # what would every legal action have led to?
    explore: float = 0.0  # part of the decisions that are made by lot; 0 unless all actions are tried
    gamma: float = 1.0


PLAIN = Manner()


@dataclass(frozen=True)
class PPOSettings:
    """How PPO learns. The defaults were measured on two cores: see docs/training.md.

    Args:
        n_steps: decisions per game and iteration
        n_epochs: how often each decision is learned from
        batch_size: decisions per gradient step
        learning_rate: of Adam, at the start
        learning_rate_end: what it falls to, in a straight line, by the end of the run; null to keep it as it is
        ent_coef: bonus for keeping choices open, at the start
        ent_coef_end: what it falls to; null to keep it as it is
        ent_coef_until: the part of the run by which it has fallen so far; it stays there for the rest
        gamma: weight of a reward one own decision later
        gae_lambda: lambda of generalised advantage estimation
        clip_range: how far the probability of an action may move before its gradient is cut
        clip_range_vf: the same for the value, or null for no limit
        vf_coef: weight of the value's error in the loss
        target_kl: no further epoch once the policy has moved this far, or null for no limit
        max_grad_norm: largest norm of a gradient
    """

    n_steps: int = 64
    n_epochs: int = 2
    batch_size: int = 4096
    learning_rate: float = 3e-3
    learning_rate_end: float | None = 3e-4
    ent_coef: float = 0.01
    ent_coef_end: float | None = 0.001
    ent_coef_until: float = 1.0
    gamma: float = 1.0
    gae_lambda: float = 0.9
    clip_range: float = 0.2
    clip_range_vf: float | None = None
    vf_coef: float = 0.5
    target_kl: float | None = 0.03
    max_grad_norm: float = 0.5

    def __post_init__(self) -> None:
        whole_number(self.n_steps, "ppo.n_steps", 1, 2**20)
        whole_number(self.n_epochs, "ppo.n_epochs", 1, 1000)
        whole_number(self.batch_size, "ppo.batch_size", 1, 2**30)
        real_number(self.learning_rate, "ppo.learning_rate", 0.0)
        real_number(self.ent_coef, "ppo.ent_coef", 0.0)
        real_number(self.ent_coef_until, "ppo.ent_coef_until", 0.0, 1.0)
        real_number(self.gamma, "ppo.gamma", 0.0, 1.0)
        real_number(self.gae_lambda, "ppo.gae_lambda", 0.0, 1.0)
        real_number(self.clip_range, "ppo.clip_range", 0.0)
        real_number(self.vf_coef, "ppo.vf_coef", 0.0)
        real_number(self.max_grad_norm, "ppo.max_grad_norm", 0.0)
        for value, name in (
            (self.learning_rate_end, "learning_rate_end"),
            (self.ent_coef_end, "ent_coef_end"),
            (self.clip_range_vf, "clip_range_vf"),
            (self.target_kl, "target_kl"),
        ):
            if value is not None:
                real_number(value, f"ppo.{name}", 0.0)
        if self.clip_range_vf == 0:
            raise OptionError("ppo.clip_range_vf must be a number above 0, or null for no limit, not 0")

    def at(self, progress: float) -> Coefficients:
        """What the schedules say when this part of the run, from 0 to 1, is over."""
        return Coefficients(
            learning_rate=_line(self.learning_rate, self.learning_rate_end, progress),
            ent_coef=_line(self.ent_coef, self.ent_coef_end, _part(progress, self.ent_coef_until)),
        )


def _line(start: float, end: float | None, progress: float) -> float:
    return start if end is None else start + (end - start) * progress


def _part(progress: float, until: float) -> float:
    """How much of a line that ends early is done."""
    return min(1.0, progress / until) if until > 0 else 1.0


@dataclass(frozen=True)
class SelfPlayPPOSettings(PPOSettings):
    """How our own PPO learns: from play, and at first from the bot.

    Where everybody chooses at once, or knows what others do not, the best policy is mixed, and learners that only
    answer each other go round it in circles. The entropy bonus draws a policy to the uniform one, a magnet to what it
    was on average; what is played may be that average itself.

    Args:
        teacher_coef: how much the game's bot is imitated at the start; 0 for learning from play alone
        teacher_until: the part of the run by which imitation has faded to nothing
        average_half_life: decisions after which older weights count half in the average of late policies; null for none
        magnet_coef: how strongly the policy is drawn to that average (its divergence from it is part of the loss)
        all_actions_from: the part of the run from which on every legal action is tried in a copy of the game up to the
            seat's next decision, where the value says what it is worth; the policy then learns from all of them instead
            of from the one that was taken. Never if null
        explore: part of the learner's decisions that are made by lot among all legal actions, so that values are
            learned of positions, too, which the policy avoids; while all actions are tried, and never before
        even: while all actions are tried, the part of an action's weight in the loss that is the same for every legal
            action; the rest is how likely the policy makes it. With 0 what is unlikely is hardly ever moved, however
            good it is; with 1 logits are fitted to what actions are worth, divided by ent_coef
        play_average: whether checkpoints, and so measurements and the league, are of the average, not of the newest
    """

    teacher_coef: float = 0.0
    teacher_until: float = 0.1
    average_half_life: int | None = None
    magnet_coef: float = 0.0
    all_actions_from: float | None = None
    explore: float = 0.0
    even: float = 0.0
    play_average: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        real_number(self.teacher_coef, "ppo.teacher_coef", 0.0)
        real_number(self.teacher_until, "ppo.teacher_until", 0.0, 1.0)
        real_number(self.magnet_coef, "ppo.magnet_coef", 0.0)
        if self.all_actions_from is not None:
            real_number(self.all_actions_from, "ppo.all_actions_from", 0.0, 1.0)
        elif self.explore:
            raise OptionError(
                "ppo.explore must be 0 where ppo.all_actions_from is null: what is made by lot teaches PPO wrong"
            )
        real_number(self.even, "ppo.even", 0.0, 1.0)
        if self.even and self.all_actions_from is None:
            raise OptionError(
                "ppo.even must be 0 where ppo.all_actions_from is null: only what was tried can be moved, likely or not"
            )
        if not 0 <= real_number(self.explore, "ppo.explore", 0.0) < 1:
            raise OptionError(f"ppo.explore must be from 0 to below 1, not {self.explore:g}")
        if self.average_half_life is not None:
            whole_number(self.average_half_life, "ppo.average_half_life", 1, 2**62)
        elif self.magnet_coef > 0 or self.play_average:
            raise OptionError(
                "ppo.average_half_life must be a number of decisions, not null: magnet_coef and play_average need an "
                "average of late policies"
            )

    def at(self, progress: float) -> Coefficients:
        """What the schedules say when this part of the run, from 0 to 1, is over."""
        fading = 1.0 - _part(progress, self.teacher_until)
        return replace(super().at(progress), teacher_coef=self.teacher_coef * fading)

    def manner(self, progress: float) -> Manner:
        """How rollouts are played then."""
        trying = self.all_actions_from is not None and progress >= self.all_actions_from
        return Manner(self.at(progress).teacher_coef > 0, trying, self.explore if trying else 0.0, self.gamma)


@dataclass(frozen=True)
class MaskablePPOSettings(PPOSettings):
    """Arguments of MaskablePPO; here target_kl ends learning at one and a half times itself, as it does there."""

    learning_rate: float = 1e-3
    learning_rate_end: float | None = None
    ent_coef_end: float | None = None
    gae_lambda: float = 0.95
    target_kl: float | None = None
