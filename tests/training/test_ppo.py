"""PPO: credit goes to the seat that earned it, small games are solved, every game is learned."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from card_envs.agents.bot import BotAgent
from card_envs.agents.checkpoint import save_checkpoint
from card_envs.agents.network import Mlp
from card_envs.core.batch import Batch
from card_envs.core.game import Game
from card_envs.errors import OptionError
from card_envs.games import game_names, get_game
from tests.support.small_games import DRAW_BRINGS, FIRST
from training import ppo
from training.adam import Adam
from training.evaluation import play_seats
from training.loss import Decisions, Loss
from training.mlp import MlpActorCritic
from training.network import ActorCritic, Gradient
from training.parts import ThreadedParts
from training.ppo_settings import MaskablePPOSettings, SelfPlayPPOSettings
from training.settings import SelfPlaySettings


class Learner:
    """PPO alone, without a league."""

    def __init__(
        self, game: Game, players: int, games: int, settings: SelfPlayPPOSettings, *, parts: int = 1, threads: int = 1,
        reward: Literal["outcome", "margin"] = "outcome", **options: Any,
    ) -> None:  # fmt: skip
        torch.set_num_threads(1)
        self.settings = SelfPlaySettings(
            game.name, players, options, reward, games=games, parts=parts, threads=threads, ppo=settings
        )
        self.network = MlpActorCritic(game, Mlp((32, 32), "relu"), tied=True, seed=0)
        self.optimizer = Adam(self.network.parameters())
        self.parts = ThreadedParts(self.settings, self.network, None)

    def iterate(self, progress: float) -> dict[str, float]:
        self.parts.play()
        return ppo.improve(self.optimizer, self.parts, self.settings.ppo, progress)

    @torch.no_grad()
    def policy(self, observation: NDArray[np.float32]) -> NDArray[np.float32]:
        logits, _ = self.network(torch.from_numpy(observation))
        return logits.softmax(-1).numpy()

    @torch.no_grad()
    def value(self, observation: NDArray[np.float32]) -> NDArray[np.float32]:
        return self.network(torch.from_numpy(observation))[1].numpy()


def seen_by(game: Game, seat: int, hint: int | None = None, draws: int = 0) -> NDArray[np.float32]:
    observation = np.zeros((1, game.layout.size), np.float32)
    observation[0, seat] = 1.0
    if hint is not None:
        observation[0, 3 + hint] = 1.0
    observation[0, 5 + draws] = 1.0
    return observation


def test_a_matching_game_is_played_in_its_mixed_equilibrium(small_games: str) -> None:
    game = get_game(small_games)
    settings = SelfPlayPPOSettings(
        n_steps=2, n_epochs=2, batch_size=1024, learning_rate=3e-3, learning_rate_end=0.0, ent_coef=0.0
    )
    learner = Learner(game, 2, 512, settings, rule="matching", reward="margin")
    high = []
    for number in range(400):
        learner.iterate(number / 400)
        high.append([learner.policy(seen_by(game, seat))[0, FIRST] for seat in range(2)])
    # Players who learn from each other circle around the equilibrium, between 0.1 and 0.9; their mean is near it.
    assert np.mean(high[100:]) == pytest.approx(0.4, abs=0.1)
    assert np.mean(high[100:], axis=0) == pytest.approx([0.4, 0.4], abs=0.2)


def test_a_push_your_luck_game_is_stopped_at_the_right_moment(small_games: str) -> None:
    game = get_game(small_games)
    settings = SelfPlayPPOSettings(
        n_steps=16, n_epochs=4, batch_size=1024, learning_rate=3e-3, ent_coef=0.003, gae_lambda=1.0
    )
    learner = Learner(game, 2, 256, settings, rule="luck", reward="margin")
    for number in range(60):
        learner.iterate(number / 60)
    draws = [learner.policy(seen_by(game, seat, draws=pot))[0, FIRST] > 0.5 for seat in range(2) for pot in range(5)]
    best = [0.7 * (pot * DRAW_BRINGS + DRAW_BRINGS) > pot * DRAW_BRINGS for pot in range(5)]
    assert best == [True, True, True, False, False]
    assert draws == best * 2


def test_only_the_seat_that_can_win_is_given_credit(small_games: str) -> None:
    game = get_game(small_games)
    settings = SelfPlayPPOSettings(n_steps=6, n_epochs=4, batch_size=512, learning_rate=3e-3, ent_coef=0.001)
    learner = Learner(game, 3, 256, settings, rule="one_seat")
    for number in range(40):
        learner.iterate(number / 40)
    for hint in range(2):
        assert learner.policy(seen_by(game, 1, hint))[0, hint] > 0.95
    values = [float(learner.value(seen_by(game, seat, 0 if seat == 1 else None))[0]) for seat in range(3)]
    assert values == pytest.approx([-0.5, 1.0, -0.5], abs=0.15)


def test_advantages_are_those_of_each_seats_own_decisions() -> None:
    rng = np.random.default_rng(0)
    steps, games, players, gamma, gae_lambda = 40, 6, 3, 0.9, 0.8
    rollout = ppo.Rollout.empty(steps, games, 1, 1, players)
    rollout.seat[:] = rng.integers(players, size=rollout.seat.shape)
    rollout.value[:] = rng.normal(size=rollout.value.shape)
    rollout.ended[:] = rng.random(rollout.ended.shape) < 0.1
    rollout.rewards[:] = rng.normal(size=rollout.rewards.shape)
    rollout.last_value[:] = rng.normal(size=rollout.last_value.shape)
    found, target = ppo.advantages(rollout, gamma, gae_lambda)
    for game in range(games):
        for step in range(steps):
            assert found[step, game] == pytest.approx(_advantage(rollout, game, step, gamma, gae_lambda), abs=1e-4)
    np.testing.assert_allclose(target, found + rollout.value)


def _advantage(rollout: ppo.Rollout, game: int, step: int, gamma: float, gae_lambda: float) -> float:
    """The textbook's sum, along the decisions of one seat until the game ends."""
    seat, reward = rollout.seat[step, game], 0.0
    for later in range(step, len(rollout.seat)):
        if rollout.ended[later, game]:
            return float(rollout.rewards[later, game, seat] - rollout.value[step, game])
        if later + 1 < len(rollout.seat) and rollout.seat[later + 1, game] == seat:
            surprise = reward + gamma * rollout.value[later + 1, game] - rollout.value[step, game]
            return float(surprise + gamma * gae_lambda * _advantage(rollout, game, later + 1, gamma, gae_lambda))
    return float(gamma * rollout.last_value[game, seat] - rollout.value[step, game])


def sharpen(network: MlpActorCritic, by: float) -> None:
    """Make the policy of a new network, which is nearly uniform, prefer something."""
    weights = network.weights()
    weights["policy.weight"] *= by
    network.load(weights)


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("name", game_names())
def test_numpy_repeats_the_network(name: str, tied: bool) -> None:
    game, mlp = get_game(name), Mlp((48, 32), "tanh")
    network = MlpActorCritic(game, mlp, tied=tied, seed=3)
    observation = np.random.default_rng(0).random((64, game.layout.size), np.float32)
    network.measure(observation)
    with torch.no_grad():
        sharpen(network, 100)
        expected = network(torch.from_numpy(observation))[0].numpy()
    np.testing.assert_allclose(mlp.logits(network.weights(), observation), expected, atol=3e-5)
    np.testing.assert_allclose(network.ready()(observation)[0], expected, atol=3e-5)
    twin = MlpActorCritic(game, mlp, tied=tied, seed=4)
    twin.measure(np.random.default_rng(1).random((64, game.layout.size), np.float32))
    twin.load(network.weights())
    np.testing.assert_allclose(mlp.logits(twin.weights(), observation), expected, atol=1e-4)


@pytest.mark.parametrize("name", game_names())
def test_a_tied_network_does_not_care_for_names(name: str) -> None:
    game, rng = get_game(name), np.random.default_rng(0)
    network = MlpActorCritic(game, Mlp((64, 40), "relu"), tied=True, seed=3)
    observation = rng.random((16, game.layout.size), np.float32)
    network.measure(observation)
    assert game.symmetry is not None
    inputs, actions = game.symmetry.relabel(rng.permutation(game.symmetry.things))
    with torch.no_grad():
        sharpen(network, 100)
        logits, value = network(torch.from_numpy(observation))
        renamed_logits, renamed_value = network(torch.from_numpy(observation[:, inputs]))
    np.testing.assert_allclose(renamed_logits.numpy(), logits.numpy()[:, actions], atol=1e-4)
    np.testing.assert_allclose(renamed_value.numpy(), value.numpy(), atol=1e-4)
    assert (observation[:, inputs] != observation).any()


@pytest.mark.parametrize("name", game_names())
def test_the_bot_does_the_same_under_other_names(name: str) -> None:
    game, rng = get_game(name), np.random.default_rng(0)
    batch, bot = Batch(game, 256, seed=5), BotAgent(game, 0)
    same, again = [], []
    for _ in range(40):
        assert game.symmetry is not None
        inputs, actions = game.symmetry.relabel(rng.permutation(game.symmetry.things))
        chosen = bot.act(batch.observation, batch.action_mask)
        observation = np.ascontiguousarray(batch.observation[:, inputs])
        renamed = bot.act(observation, np.ascontiguousarray(batch.action_mask[:, actions]))
        same.append((actions[renamed] == chosen).mean())
        again.append((bot.act(batch.observation, batch.action_mask) == chosen).mean())
        batch.step(chosen)
    assert np.mean(same) > np.mean(again) - 0.1  # a bot draws lots; and of two equals it takes the one named first


@pytest.mark.parametrize("name", game_names())
def test_a_short_run_of_each_game_is_better_than_its_start(name: str, tmp_path: Any) -> None:
    game = get_game(name)
    settings = SelfPlayPPOSettings(n_steps=32, n_epochs=3, batch_size=1024, learning_rate=3e-3, gae_lambda=1.0)
    players = game.options().players
    learner = Learner(game, players, 256, settings)
    shares = []
    for stage in ("before", "after"):
        path = tmp_path / f"{stage}.safetensors"
        save_checkpoint(path, game, learner.network.weights(), learner.network.mlp, players=(players,))
        shares.append(play_seats(name, path, "random", players, deals=300, seed=7))
        if stage == "before":
            learner.iterate(0.0)
            learner.network.measure(learner.parts.observations())
            for _ in range(30):
                learner.iterate(0.0)
    gain = shares[1] - shares[0]  # deal by deal
    assert gain.mean() > 4 * gain.std(ddof=1) / np.sqrt(len(gain))


def test_any_number_of_threads_learns_the_same_to_the_last_bit(small_games: str) -> None:
    game = get_game(small_games)
    weights = []
    for threads in (1, 2, 3, 7):
        learner = Learner(
            game, 2, 62, SelfPlayPPOSettings(n_steps=8, batch_size=100), parts=4, threads=threads, rule="luck"
        )
        for _ in range(3):
            learner.iterate(0.0)
        weights.append({name: array.tobytes() for name, array in learner.network.weights().items()})
    assert weights[1:] == weights[:1] * 3


def test_parts_add_up_to_the_gradient_of_the_whole(small_games: str) -> None:
    """The same decisions in one part or in three ask the same of the network, within rounding."""
    learner = Learner(get_game(small_games), 2, 60, SelfPlayPPOSettings(n_steps=8, batch_size=480), rule="luck")
    learner.parts.play()
    (part,) = learner.parts.parts
    part.credit()
    part.normalise(0.1, 0.7)
    loss = Loss.of(part.settings.ppo, part.settings.ppo.at(0.0))
    gradients = []
    for pieces in (1, 3):
        part.shuffle(pieces)
        found = [part.gradient(learner.network.gradients(), number, loss) for number in range(pieces)]
        total = sum(one.rows for one in found)
        gradients.append([
            torch.stack([one.gradients[place] * (one.rows / total) for one in found]).sum(dim=0)
            for place in range(len(found[0].gradients))
        ])  # fmt: skip
    for whole, added in zip(*gradients, strict=True):
        torch.testing.assert_close(whole, added, atol=1e-6, rtol=1e-4)


def test_a_step_is_that_of_torchs_adam() -> None:
    """Gradients in three parts of other sizes, large enough to be cut, and small ones."""
    rng = np.random.default_rng(0)
    own, theirs = ([torch.ones(5, 3), torch.ones(7)] for _ in range(2))
    optimizer, right = Adam(own), torch.optim.Adam(theirs, lr=0.01, eps=1e-5)
    for size in (10.0, 1.0, 1e-4, 1e-7, 3.0):
        parts = [[torch.tensor(rng.normal(size=one.shape) * size).float() for one in own] for _ in range(3)]
        pieces = [Gradient(part, np.zeros(4), rows) for part, rows in zip(parts, (1, 2, 5), strict=True)]
        optimizer.step(pieces, 0.01, 0.5)
        for place, one in enumerate(theirs):
            one.grad = sum(part[place] * rows / 8 for part, rows in zip(parts, (1, 2, 5), strict=True))  # type: ignore[assignment]
        torch.nn.utils.clip_grad_norm_(theirs, 0.5)
        right.step()
    for one, other in zip(own, theirs, strict=True):
        torch.testing.assert_close(one, other)


def test_learning_stops_when_the_policy_has_moved_far(small_games: str) -> None:
    game = get_game(small_games)
    for target_kl, epochs in ((1e-9, 1.0), (None, 5.0)):
        settings = SelfPlayPPOSettings(n_steps=8, n_epochs=5, batch_size=64, learning_rate=1e-2, target_kl=target_kl)
        assert Learner(game, 2, 64, settings, rule="luck").iterate(0.0)["n_epochs"] == epochs


def test_imitation_follows_the_teacher_and_fades(small_games: str) -> None:
    game = get_game(small_games)
    settings = SelfPlayPPOSettings(n_steps=8, batch_size=256, teacher_coef=1.0, teacher_until=0.5, learning_rate=1e-2)
    assert [settings.at(progress).teacher_coef for progress in (0.0, 0.25, 0.5, 1.0)] == [1.0, 0.5, 0.0, 0.0]
    learner = Learner(game, 3, 128, settings, rule="one_seat")
    learner.parts.parts[0].rollout.taught[:] = FIRST
    for _ in range(20):
        learner.iterate(0.0)
    assert learner.policy(seen_by(game, 0))[0, FIRST] > 0.8


def test_schedules_are_straight_lines_and_null_keeps_them_flat() -> None:
    falling = SelfPlayPPOSettings(learning_rate=1e-2, learning_rate_end=0.0, ent_coef=0.4, ent_coef_end=0.2)
    flat = MaskablePPOSettings(learning_rate=1e-2, ent_coef=0.4)
    for progress in (0.0, 0.25, 1.0):
        assert falling.at(progress).learning_rate == pytest.approx(1e-2 * (1 - progress))
        assert falling.at(progress).ent_coef == pytest.approx(0.4 - 0.2 * progress)
        assert (flat.at(progress).learning_rate, flat.at(progress).ent_coef) == (1e-2, 0.4)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"n_steps": 0}, "ppo.n_steps"),
        ({"learning_rate": -1.0}, "ppo.learning_rate"),
        ({"learning_rate_end": -1.0}, "ppo.learning_rate_end"),
        ({"gae_lambda": 1.5}, "ppo.gae_lambda"),
        ({"clip_range": None}, "ppo.clip_range"),
        ({"clip_range_vf": 0.0}, "ppo.clip_range_vf must be a number above 0, or null"),
        ({"ent_coef": float("nan")}, "ppo.ent_coef"),
        ({"teacher_coef": -1.0}, "ppo.teacher_coef"),
    ],
)
def test_impossible_settings_are_refused_by_name(given: dict[str, Any], named: str) -> None:
    with pytest.raises(OptionError, match=named):
        SelfPlayPPOSettings(**given)


def _log_probabilities(logits: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return logits.masked_fill(mask == 0, -1e9).log_softmax(dim=-1)


def _loss(network: MlpActorCritic, decisions: Decisions, loss: Loss) -> torch.Tensor:
    """PPO's loss as the paper has it, for automatic differentiation."""
    observation, mask, action, taught, old_log_p, old_value, gain, target, magnet, worth = map(
        torch.from_numpy, decisions
    )
    logits, value = network(observation)
    log_p = _log_probabilities(logits, mask)
    ratio = (log_p.gather(1, action[:, None])[:, 0] - old_log_p).exp()
    bounded = ratio.clamp(1 - loss.clip_range, 1 + loss.clip_range)
    error = (value - target) ** 2
    if loss.clip_range_vf:
        near = old_value + (value - old_value).clamp(-loss.clip_range_vf, loss.clip_range_vf)
        error = torch.max(error, (near - target) ** 2)
    entropy = -(log_p.exp() * log_p).sum(dim=-1).mean()
    apart = (log_p.exp() * (log_p - _log_probabilities(magnet, mask))).sum(dim=-1).mean()
    better = (log_p.exp() * worth).sum(dim=-1) if len(worth) else torch.min(ratio * gain, bounded * gain)
    total = -better.mean() + loss.vf_coef * error.mean() + loss.magnet_coef * apart
    return total - loss.ent_coef * entropy - loss.teacher_coef * log_p.gather(1, taught[:, None]).mean()


def some_decisions(network: MlpActorCritic, game: Game, all_actions: bool = False) -> Decisions:
    """Positions of bots, with everything else by lot."""
    batch, bot, rng = Batch(game, 200, seed=1), BotAgent(game, 0), np.random.default_rng(1)
    for _ in range(25):
        batch.step(bot.act(batch.observation, batch.action_mask))
    network.measure(batch.observation.copy())
    sharpen(network, 200)
    observation, mask = batch.observation.copy(), batch.action_mask.copy()
    action, taught = ((rng.random(mask.shape) * mask).argmax(axis=1) for _ in range(2))
    with torch.no_grad():
        log_p = _log_probabilities(network(torch.from_numpy(observation))[0], torch.from_numpy(mask)).numpy()
    numbers = (
        (shift + rng.normal(size=200) * spread).astype(np.float32)
        for shift, spread in ((log_p[np.arange(200), action], 0.2), (0.0, 0.3), (0.0, 1.0), (0.0, 1.0))
    )
    magnet, worth = rng.normal(size=(2, *mask.shape)).astype(np.float32)
    return Decisions(observation, mask, action, taught, *numbers, magnet, worth if all_actions else worth[:0])


@pytest.mark.parametrize("activation", ["relu", "tanh"])
@pytest.mark.parametrize("hidden", [(24, 16), (17, 9, 5), (2,), ()])
@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize(("clip_range_vf", "all_actions"), [(None, False), (0.1, False), (None, True)])
def test_the_gradient_is_that_of_the_textbooks_loss(
    activation: str, hidden: tuple[int, ...], tied: bool, clip_range_vf: float | None, all_actions: bool
) -> None:
    network = MlpActorCritic(get_game("king_lui"), Mlp(hidden, activation), tied=tied, seed=3)
    decisions = some_decisions(network, get_game("king_lui"), all_actions)
    settings = SelfPlayPPOSettings(
        ent_coef=0.1, teacher_coef=0.5, clip_range_vf=clip_range_vf, average_half_life=1, magnet_coef=0.7
    )
    loss = Loss.of(settings, settings.at(0.0))
    expected = _loss(network, decisions, loss)
    by_torch = torch.autograd.grad(expected, list(network.parameters()))
    for ways in (network, _ByTorch(network)):
        found = ways.gradients()(decisions, np.arange(200), loss)
        for right, own in zip(by_torch, found.gradients, strict=True):
            torch.testing.assert_close(own, right, atol=3e-6, rtol=1e-3)
        policy, value, entropy, _, apart = found.figures / found.rows
        total = policy + loss.vf_coef * value - loss.ent_coef * entropy + loss.magnet_coef * apart
        log_p = _log_probabilities(
            network(torch.from_numpy(decisions.observation))[0], torch.from_numpy(decisions.mask)
        )
        taught = log_p.detach().numpy()[np.arange(200), decisions.taught].mean()
        assert total - loss.teacher_coef * taught == pytest.approx(expected.detach().item(), rel=1e-4)


@pytest.mark.parametrize("even", [0.0, 0.4, 1.0])
def test_with_even_weights_logits_are_fitted_to_what_actions_are_worth(even: float) -> None:
    """A fit by squares: of what draws each logit, its distance from the mean, weighed; with 0 the policy's gradient."""
    game = get_game("king_lui")
    network = MlpActorCritic(game, Mlp((24, 16), "relu"), tied=True, seed=3)
    decisions = some_decisions(network, game, all_actions=True)
    settings = SelfPlayPPOSettings(
        ent_coef=0.1, average_half_life=1, magnet_coef=0.7, all_actions_from=0.0, even=even, vf_coef=0.0
    )
    loss = Loss.of(settings, settings.at(0.0))
    mask, magnet, worth = (torch.from_numpy(one) for one in (decisions.mask, decisions.magnet, decisions.worth))
    log_p = _log_probabilities(network(torch.from_numpy(decisions.observation))[0], mask)
    weight = (1 - even) * log_p.detach().exp() + even * mask / mask.sum(dim=-1, keepdim=True)
    drawn = 0.1 * log_p + 0.7 * (log_p - _log_probabilities(magnet, mask)) - worth
    middle = (weight * drawn.detach()).sum(dim=-1, keepdim=True)
    unit = 0.1 + 0.7  # by how much a logit's own draw changes with it
    fit = (weight * (drawn - middle) ** 2).sum(dim=-1).mean() / (2 * unit)
    (by_torch,) = torch.autograd.grad(fit, list(network.parameters()))
    (found,) = network.gradients()(decisions, np.arange(200), loss).gradients
    torch.testing.assert_close(found, by_torch, atol=3e-6, rtol=1e-3)


class _ByTorch(ActorCritic):
    """The same network as one that has nothing but `forward`."""

    def __init__(self, network: MlpActorCritic) -> None:
        super().__init__()
        self.network = network

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return self.network(observation)

    def measure(self, observations: Any) -> None:
        self.network.measure(observations)

    def weights(self) -> Any:
        return self.network.weights()

    def load(self, weights: Any) -> None:
        self.network.load(weights)
