"""Learn a response: our PPO on one seat, a frozen agent on all others. What it wins is how exploitable the agent is.

    python -m training.response ku_ka_king --against champion --players 2 --decisions 4000000 --run runs/response

`learn_response` is the same as a function, for whoever needs a response in the middle of something else. Which of the
learner's selves is kept is decided on some deals, and what it is worth is measured on others, so that it is no luck.
`card-envs exploit` plays what comes out in a tournament, beside the response by search: see docs/exploit.md.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from card_envs.agents.checkpoint import Checkpoint, CheckpointAgent, checkpoint_bytes, perceptron_of, read_checkpoint
from card_envs.agents.loading import Player, load_agent
from card_envs.agents.naming import SUFFIX, options_text
from card_envs.core.game import Game
from card_envs.errors import CardEnvsError, OptionError
from card_envs.files import write_whole
from card_envs.games import get_game
from card_envs.notices import show_notices
from training.evaluation import EvaluationSettings, Share, play_seats
from training.league import LeagueSettings
from training.measuring import Unmeasured
from training.network_kinds import KINDS, make_network
from training.ppo_settings import SelfPlayPPOSettings
from training.run import Run, Stop, learn
from training.run_folder import RunFolder
from training.screen import Screen
from training.self_play_learner import SelfPlayLearner
from training.settings import NetworkSettings, SelfPlaySettings

DECISIONS = 10_000_000
GAMES, PARTS = 512, 2  # fewer and smaller steps than in self-play: the agent stands still
# Whoever goes on from a trained player must not take large steps at first: they make it forget what it knows.
PPO = SelfPlayPPOSettings(n_steps=32, learning_rate=1e-3, learning_rate_end=1e-4, ent_coef=0.003, ent_coef_end=0.0)
TAUGHT: Any = {"teacher_coef": 1.0, "teacher_until": 0.2}  # by the bot: whoever begins with a new network
MEASUREMENTS = 12  # of a whole run: among so many of its selves the best is chosen
CHOICE_DEALS, REPORT_DEALS = 1000, 2000
REPORT_SEED = 2**43  # other deals than those by which the response was chosen
AGENT, LEARNING = "agent", "learning"  # what is in the folder besides the response itself
RESPONSE = f"response{SUFFIX}"


@dataclass(frozen=True)
class ResponseTask:
    """What is to be learned: to beat this agent, which sits on all other seats, from `start` or from a new network,
    which the game's bot teaches first, if it has one.
    """

    game: str
    players: int
    agent: Player
    start: Checkpoint | None = None  # see `start_of`
    decisions: int = DECISIONS
    seed: int = 0
    threads: int = 1
    options: Mapping[str, Any] = field(default_factory=dict)
    ppo: SelfPlayPPOSettings = PPO
    ray: str | None = None

    @property
    def rules(self) -> Game:
        """The game itself."""
        return get_game(self.game)

    def settings(self, home: Path) -> SelfPlaySettings:
        """Self-play in which the learner never meets itself: one agent, always, on all seats but one."""
        frozen, start = self._freeze(home), _kept(self.rules, self.start, home / f"start{SUFFIX}")
        return SelfPlaySettings(
            game=self.game,
            players=self.players,
            options=dict(self.options),
            run=str(home / LEARNING),
            seed=self.seed,
            decisions=self.decisions,
            games=GAMES,
            threads=self.threads,
            parts=PARTS,
            start=None if start is None else str(start),
            network=NetworkSettings() if self.start is None else _form(self.rules, self.start),
            ppo=self.ppo if self.start is not None or self.rules.bot is None else replace(self.ppo, **TAUGHT),
            league=LeagueSettings(share=1.0, always=(frozen,), size=0, snapshot_every=2**62),
            evaluation=EvaluationSettings(every=max(1, self.decisions // MEASUREMENTS), deals=CHOICE_DEALS, pool=0),
            ray=self.ray,
        )

    def _freeze(self, home: Path) -> str:
        """The agent by a name that a league knows. A trained player is copied, whatever becomes of its file."""
        loaded = load_agent(self.rules, self.agent, players=self.players)
        if isinstance(loaded, CheckpointAgent):
            path = _kept(self.rules, loaded.checkpoint, home / f"{AGENT}{SUFFIX}")
            return f"{path}{options_text(loaded.choosing.options)}"
        if isinstance(self.agent, str):
            return self.agent
        raise OptionError(
            f"a response cannot learn against {loaded.name}, which is an object of a program; give a name or a "
            f"checkpoint"
        )


@dataclass(frozen=True)
class LearnedResponse:
    """A response: a player like any other, and what it wins from the agent on deals by which nothing was chosen."""

    checkpoint: Checkpoint
    share: Share
    fair: float

    @property
    def above_fair(self) -> float:
        """How much more than its fair share it wins."""
        return self.share.mean - self.fair


def learn_response(
    game: str,
    players: int,
    agent: Player,
    *,
    start: Checkpoint | None = None,
    decisions: int = DECISIONS,
    seed: int = 0,
    threads: int = 1,
    deals: int = REPORT_DEALS,
    folder: Path | None = None,
    **options: Any,
) -> LearnedResponse:
    """Learn to beat an agent, and measure how well that went. `options` are the game's own."""
    task = ResponseTask(game, players, agent, start, decisions, seed, threads, options)
    return measured(task, learn_checkpoint(task, folder), deals)


def measured(task: ResponseTask, checkpoint: Checkpoint, deals: int = REPORT_DEALS) -> LearnedResponse:
    """What a response wins, on equal deals from every seat."""
    response = CheckpointAgent(checkpoint, task.rules, task.players)
    seed = REPORT_SEED + task.seed % 2**32
    per_deal = play_seats(task.game, response, task.agent, task.players, deals, seed, **task.options)
    return LearnedResponse(checkpoint, Share.of(per_deal), 1 / task.players)


def learn_checkpoint(
    task: ResponseTask, folder: Path | None = None, console: Console | None = None, stop: Stop | None = None
) -> Checkpoint:
    """The best that has come of learning.

    With a `folder` what was learned is kept there, and the same call goes on with it; else nothing is left behind. With
    a `console` people see how it goes. Whoever asks to `stop` gets a KeyboardInterrupt once all is saved.
    """
    silent = Console(quiet=True, force_terminal=False)
    with _folder(folder) as home:
        return _learn(task.settings(home), console or silent, stop or _Never())


def start_of(game: Game, agent: Player, players: int) -> Checkpoint | None:
    """What a response to this agent begins from: the agent itself, if it is one that can be learned; else nothing."""
    loaded = load_agent(game, agent, players=players)
    if not isinstance(loaded, CheckpointAgent):
        return None
    found = perceptron_of(loaded.checkpoint)
    return found if found.network.kind in KINDS else None


@contextmanager
def stopping() -> Iterator[Stop]:
    """Ctrl-C asks to stop, for as long as this lasts. Signals are the main thread's; in others nobody asks."""
    if threading.current_thread() is not threading.main_thread():
        yield _Never()
        return
    before = {kind: signal.getsignal(kind) for kind in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield Stop()
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)


def _form(game: Game, checkpoint: Checkpoint) -> NetworkSettings:
    """The settings of a network that can go on from this checkpoint: tied only if its weights are."""
    described = checkpoint.network.describe()
    kind, hidden, activation = (described.pop(name) for name in ("kind", "hidden", "activation"))
    tied = make_network(game, checkpoint.network, True, 0)
    tied.load(checkpoint.weights)
    same = all(np.allclose(array, checkpoint.weights[name], atol=1e-4) for name, array in tied.weights().items())
    return NetworkSettings(tuple(hidden), activation, kind, same, described)  # type: ignore[arg-type]  # as it was read


class ResponseRun(Run):
    """A run in which the learner is measured against the one agent that it is to beat."""

    def ask_for_measurement(self) -> None:
        """The learner, as it is now, is to be measured."""
        self.learner.rivals()  # looks whether the agent has drifted
        assert isinstance(self.settings, SelfPlaySettings)
        self.measuring.ask(Unmeasured(self._now(), self.settings.league.always or ()))


class _Never(Stop):
    """Nobody asks to stop: signals are left to whoever has called."""

    def __init__(self) -> None:
        self.number = 0


def _learn(settings: SelfPlaySettings, console: Console, stop: Stop) -> Checkpoint:
    """The whole run, or the rest of it."""
    path = Path(settings.run or "")
    begun = (path / "state.pt").exists()
    folder = RunFolder.old(path, settings.trainer) if begun else RunFolder.new(settings)
    with closing(folder), closing(SelfPlayLearner(settings, folder)) as learner:
        run = ResponseRun(settings, folder, learner)
        run.begin_or_resume()
        title, began = f"a response in {settings.rules.title}", run.seconds
        with Screen(title, settings.decisions, learner.decisions, console, seconds=began) as screen:
            learn(run, screen, stop, began)
        if learner.decisions < settings.decisions:
            raise KeyboardInterrupt
        return read_checkpoint(run.player_path("best"), settings.rules)


@contextmanager
def _folder(folder: Path | None) -> Iterator[Path]:
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        yield folder.resolve()
        return
    with tempfile.TemporaryDirectory() as made:
        yield Path(made)


def _kept(game: Game, checkpoint: Checkpoint | None, path: Path) -> Path | None:
    return None if checkpoint is None else write_whole(path, checkpoint_bytes(checkpoint, game))


def main() -> None:
    """Learn a response from the command line."""
    parser = argparse.ArgumentParser(description="Learn a response to an agent, and say how much it wins.")
    parser.add_argument("game")
    parser.add_argument("--against", required=True, metavar="AGENT", help="a name, or the path of a checkpoint")
    parser.add_argument("--players", type=int, help="number of players; the game's default if not given")
    parser.add_argument("--decisions", type=int, default=DECISIONS, help="how many it learns from")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--ray", metavar="ADDRESS", help="learn on a Ray cluster: auto, or its address")
    parser.add_argument("--fresh", action="store_true", help="begin with a new network, even if the agent is trained")
    parser.add_argument(
        "--run", type=Path, required=True, metavar="FOLDER", help="where it is kept; goes on from there"
    )
    chosen: Any = parser.parse_args()
    show_notices("stdout")
    try:
        game = get_game(chosen.game)
        players = chosen.players or game.options().players
        start = None if chosen.fresh else start_of(game, chosen.against, players)
        task = ResponseTask(
            game.name, players, chosen.against, start, chosen.decisions, chosen.seed, chosen.threads, ray=chosen.ray
        )
        with stopping() as stop:
            checkpoint = learn_checkpoint(task, chosen.run, Console(), stop)
        write_whole(chosen.run / RESPONSE, checkpoint_bytes(checkpoint, game))
        found = measured(task, checkpoint)
    except CardEnvsError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(f"stopped: what was learned is in {chosen.run}; the same command goes on with it")
    print(f"win share {found.share} (fair {found.fair:.3f}), of the player in {chosen.run / RESPONSE}")


if __name__ == "__main__":
    main()
