"""Our own PPO in a league of frozen players: everything that learns and plays in a run of self_play."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from card_envs.agents.checkpoint import Checkpoint, checkpoint_bytes, perceptron_of, read_checkpoint
from card_envs.agents.naming import SUFFIX
from card_envs.errors import OptionError
from card_envs.files import write_whole
from training import ppo
from training.adam import Adam
from training.average import Average
from training.exploiters import Exploiters
from training.league import League
from training.learner import Arrays, crosses
from training.network import ActorCritic
from training.network_kinds import make_network
from training.parts import RunParts, ThreadedParts
from training.players import as_checkpoint
from training.run_folder import RunFolder
from training.run_state import as_arrays, as_tensors, check_like
from training.settings import SelfPlaySettings
from training.spare import AtOnce, Spare
from training.state_checks import check_count, require

if TYPE_CHECKING:
    from training.ray_cluster import RayCluster


class SelfPlayLearner:
    """A network, its games and its league. Play and learning are cut into parts, which threads or workers share out."""

    def __init__(self, settings: SelfPlaySettings, folder: RunFolder) -> None:
        torch.set_num_threads(1)  # threads of ours share the work: see docs/training.md for what that is worth
        self.settings, self.folder, self.game = settings, folder, settings.rules
        self.decisions = 0
        self.parent = ""
        self.snapshot_every = settings.league.snapshot_every
        self.network = settings.network.form()
        self._start = self._read_start()  # first of all, so that a wrong path is refused at once
        self.actor_critic = make_network(self.game, self.network, settings.network.tied, settings.seed)
        self.optimizer = Adam(self.actor_critic.parameters())
        self.average = self._make_average()
        self.league = League(self.game, settings.numbers, folder.path, settings.league)
        self._cluster: RayCluster | None = None
        self.parts = self._make_parts()
        self.exploiters = Exploiters(settings, lambda: self.spare, self._checkpoint)

    def _make_average(self) -> Average[ActorCritic] | None:
        half_life = self.settings.ppo.average_half_life
        if half_life is None:
            return None
        return Average(make_network(self.game, self.network, self.settings.network.tied, self.settings.seed), half_life)

    def _make_parts(self) -> RunParts:
        """Threads here, or workers on a cluster."""
        pool = self.league if self.settings.league.share > 0 else None
        if self.settings.ray is None:
            return ThreadedParts(self.settings, self.actor_critic, pool)
        from training.ray_cluster import RayCluster
        from training.ray_parts import RayParts

        self._cluster = RayCluster(self.settings.ray)
        try:
            return RayParts(self.settings, self.actor_critic, pool, self._cluster)
        except BaseException:
            self._cluster.close()
            raise

    @property
    def spare(self) -> Spare:
        """Who does work that it need not wait for."""
        return AtOnce(self.settings.threads) if self._cluster is None else self._cluster

    @property
    def progress(self) -> float:
        """The part of the run that is done."""
        return min(1.0, self.decisions / self.settings.decisions)

    def begin(self) -> None:
        """Scale the network's inputs by what the first games show, and go on from a checkpoint if one is named."""
        self._play()
        self.actor_critic.measure(self.parts.observations())
        self.parts.figures()  # of the first games: they belong to no iteration
        if self._start is not None:
            self.actor_critic.load(perceptron_of(self._start).weights)
            self.parent = self._start.content_hash
        if self.average is not None:
            self.average.add(self.actor_critic, 1)

    def _read_start(self) -> Checkpoint | None:
        if self.settings.start is None or self.folder.begun:  # whoever goes on has what it began from
            return None
        checkpoint = read_checkpoint(self.settings.start, self.game)
        if (found := perceptron_of(checkpoint).network) != self.network:
            alike = found.kind == self.network.kind
            theirs, ours = (
                one.describe() if alike else f"one of the kind {one.kind!r}" for one in (found, self.network)
            )
            raise OptionError(
                f"start: the network of {self.settings.start} is {theirs}, and these settings ask for {ours}"
            )
        return checkpoint

    def iterate(self) -> dict[str, float]:
        """Play and learn once. Returns figures for screen and log."""
        began = time.perf_counter()
        self.league.settle()
        self._play()
        played = time.perf_counter()
        figures = ppo.improve(self.optimizer, self.parts, self.settings.ppo, self.progress)
        before, learned = self.decisions, self.settings.games * self.settings.ppo.n_steps
        self.decisions += learned
        if self.average is not None:
            self.average.add(self.actor_critic, learned)
        seconds = {"seconds_playing": played - began, "seconds_learning": time.perf_counter() - played}
        if crosses(before, self.decisions, self.settings.league.exploiter_every):
            figures |= self._exploit()
        return {**figures, **seconds, **self.parts.figures()}

    def _exploit(self) -> dict[str, float]:
        """The exploiter that was at work joins the league if it wins, and the next one begins. Figures for the log."""
        taken, figures = self.exploiters.take(), {}
        if taken is not None:
            step, exploiter = taken
            figures["exploiter"] = exploiter.share.mean
            if exploiter.beats_it:
                path = self.folder.checkpoints / f"exploiter-{step:012d}{SUFFIX}"
                write_whole(path, checkpoint_bytes(self._checkpoint(exploiter.weights, step), self.game))
                self.meet(path)
        self.exploiters.begin(self.decisions, self.weights())
        return figures

    def _checkpoint(self, weights: Arrays, step: int) -> Checkpoint:
        return as_checkpoint(self.settings, self.network, weights, step, self.parent)

    def _play(self) -> None:
        for scores in self.parts.play(self.settings.ppo.manner(self.progress), self._magnet()):
            self.league.tell(scores)

    def _magnet(self) -> ActorCritic | None:
        return self.average.network if self.average is not None and self.settings.ppo.magnet_coef > 0 else None

    def weights(self) -> Arrays:
        """The weights of the player as it is now: of the newest policy, or of the average of the late ones."""
        averaged = self.average is not None and self.settings.ppo.play_average
        return self.average.network.weights() if self.average and averaged else self.actor_critic.weights()

    def introduction(self) -> str:
        """How large the network is."""
        numbers = sum(parameter.numel() for parameter in self.actor_critic.parameters())
        weights = sum(array.size for array in self.weights().values())
        network = f"the network has {weights:,} weights, made of {numbers:,} numbers that are learned"
        return f"{network}; {self.parts.introduction()}"

    def rivals(self) -> list[str]:
        """The hardest of the league, after a look at whether anybody in it has drifted."""
        self.league.check_frozen()
        return self.league.hardest(self.settings.evaluation.pool)

    def meet(self, snapshot: Path) -> None:
        """A checkpoint in the run's folder joins the league."""
        self.league.add_snapshot(str(snapshot.relative_to(self.folder.path)), self.decisions)

    def opponents(self) -> list[dict[str, Any]]:
        """Who is in the league, and how the learner does against them."""
        return self.league.saved()

    def state(self) -> dict[str, Any]:
        """Everything, the games under way included."""
        return {**self._own_state(), "parts": self.parts.states()}

    def _own_state(self) -> dict[str, Any]:
        return {
            "decisions": self.decisions,
            "parent": self.parent,
            "network": self.actor_critic.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "average": {} if self.average is None else self.average.state_dict(),
            "exploited": self._exploited(),
            "league": self.league.saved(),
        }

    def _exploited(self) -> list[Any]:
        """Whom an exploiter is at: step and weights; nothing if there is none."""
        if self.exploiters.target is None:
            return []
        step, weights = self.exploiters.target
        return [step, as_tensors(weights)]

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` gave."""
        own = self._own_state()
        require(state.keys() == {*own, "parts"}, "it is of another learner")
        for name in own.keys() - {"optimizer", "league", "average", "exploited"}:
            check_like(state[name], own[name], name)
        check_count(state["decisions"], "decisions")
        self.optimizer.load_state_dict(state["optimizer"])
        if self.average is not None:
            self.average.load_state_dict(state["average"])
        parts = state["parts"]
        require(isinstance(parts, list) and len(parts) == self.settings.parts, "it has another number of parts")
        self.decisions, self.parent = state["decisions"], state["parent"]
        self.actor_critic.load_state_dict(state["network"])
        self.league.restore(state["league"])
        self.parts.restore(parts, len(self.league.members))
        self._restore_exploiter(state["exploited"])

    def _restore_exploiter(self, saved: Any) -> None:
        """Whoever was at work begins again; what comes of it is the same."""
        if saved != []:
            check_like(saved, [0, as_tensors(self.weights())], "exploiter")
            step, tensors = saved
            require(0 <= step <= self.decisions, "its exploiter is of a later step")
            self.exploiters.begin(step, as_arrays(tensors))

    def close(self) -> None:
        """Let threads or workers go."""
        self.parts.close()
        if self._cluster is not None:
            self._cluster.close()
