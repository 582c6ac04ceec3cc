"""Players to and from other libraries: both versions say the same of the same positions."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import card_envs
from card_envs.agents.checkpoint import CheckpointAgent
from card_envs.errors import CheckpointError

torch = pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")
from sb3_contrib import MaskablePPO  # noqa: E402
from stable_baselines3 import PPO  # noqa: E402

from card_envs.envs.sb3 import make_sb3_vec_env  # noqa: E402
from card_envs.exchange.modules import export_module, export_torchrl  # noqa: E402
from card_envs.exchange.sb3 import export_sb3, start_sb3  # noqa: E402

nn = torch.nn
GAME = "zum_kuhkuck"
RULES = card_envs.get_game(GAME)
INPUTS, ACTIONS = RULES.layout.size, len(RULES.actions)


def positions() -> tuple[Any, Any]:
    batch = card_envs.make_batch(GAME, 64, seed=3)
    player = card_envs.load_agent(GAME, "random", seed=1)
    for _ in range(9):
        batch.step(player.act(batch.observation, batch.action_mask))
    return batch.observation.copy(), batch.action_mask.copy()


def made(algorithm: Any, net_arch: Any, activation: Any) -> Any:
    env = make_sb3_vec_env(GAME, num_envs=4, seed=0)
    kwargs = {"net_arch": net_arch, "activation_fn": activation}
    return algorithm("MlpPolicy", env, policy_kwargs=kwargs, n_steps=8, batch_size=32, device="cpu", seed=0)


def says(model: Any, seen: Any) -> tuple[Any, Any]:
    """Logits (less their mean, for distributions normalise them) and values of a model of Stable-Baselines3."""
    with torch.no_grad():
        rows = torch.from_numpy(seen)
        logits = model.policy.get_distribution(rows).distribution.logits.numpy()
        return logits, model.policy.predict_values(rows)[:, 0].numpy()


def agree(path: Path, seen: Any, logits: Any, values: Any) -> None:
    player = CheckpointAgent(path, GAME)
    mine = player.logits(seen)
    assert np.allclose(mine - mine.mean(1, keepdims=True), logits - logits.mean(1, keepdims=True), atol=1e-4)
    assert np.allclose(player.values(seen), values, atol=1e-4)


@pytest.mark.parametrize("algorithm", [MaskablePPO, PPO], ids=lambda one: one.__name__)
@pytest.mark.parametrize(
    ("net_arch", "activation"),
    [
        ([32, 16], nn.Tanh),
        ({"pi": [24], "vf": [16]}, nn.Tanh),
        ({"pi": [24], "vf": [16, 8, 8]}, nn.ReLU),
        ({"pi": [], "vf": [8]}, nn.ReLU),
        ([], nn.Tanh),
    ],
    ids=str,
)
def test_a_saved_model_is_the_same_player(algorithm: Any, net_arch: Any, activation: Any, tmp_path: Path) -> None:
    model = made(algorithm, net_arch, activation)
    model.save(tmp_path / "model.zip")
    seen, _ = positions()
    export_sb3(tmp_path / "model.zip", GAME, tmp_path / "zip.safetensors")
    export_sb3(model, GAME, tmp_path / "model.safetensors", step=7)
    for name in ("zip", "model"):
        agree(tmp_path / f"{name}.safetensors", seen, *says(model, seen))
    assert CheckpointAgent(tmp_path / "model.safetensors", GAME).checkpoint.step == 7


def test_a_model_with_what_no_checkpoint_can_hold_is_refused(tmp_path: Path) -> None:
    for net_arch, activation, reason in (
        ([8], nn.ELU, "know the activations tanh, relu between layers, not ELU"),
        ({"pi": [8], "vf": [8, 8]}, nn.Tanh, "can only have with relu"),
    ):
        model = made(PPO, net_arch, activation)
        model.save(tmp_path / "model.zip")
        for one in (model, tmp_path / "model.zip"):
            with pytest.raises(CheckpointError, match=reason):
                export_sb3(one, GAME, tmp_path / "no.safetensors")
    with pytest.raises(CheckpointError, match="King Lui has an observation of"):
        export_sb3(made(PPO, [8], nn.Tanh), "king_lui", tmp_path / "no.safetensors")
    assert not (tmp_path / "no.safetensors").exists()


class Bomb:
    """Whoever unpickles this has run a stranger's code."""

    def __reduce__(self) -> Any:
        return Path.touch, (Path("exploded"),)


def test_nothing_in_a_strangers_zip_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made(PPO, [8], nn.ReLU).save("good.zip")
    with zipfile.ZipFile("good.zip") as good:
        parts = {name: good.read(name) for name in good.namelist()}
    torch.save({"action_net.weight": Bomb()}, "policy.pth")
    data = json.loads(parts["data"])
    data["policy_kwargs"][":serialized:"] = "gASVHAAAAAAAAACMBXBvc2l4lIwGc3lzdGVtlJOUjARldmlslIWUUpQu"
    for name, changed in (
        ("bomb.zip", {"policy.pth": Path("policy.pth").read_bytes()}),
        ("text.zip", {"data": b"{"}),
        ("other.zip", {"data": json.dumps(data).encode()}),
    ):
        with zipfile.ZipFile(name, "w") as bad:
            for part, content in {**parts, **changed}.items():
                bad.writestr(part, content)
    export_sb3("other.zip", GAME, "other.safetensors")  # what is pickled in its data is not even looked at
    Path("no.zip").write_bytes(b"no zip")
    shutil.copy("good.zip", "short.zip")
    with open("short.zip", "r+b") as file:  # noqa: PTH123
        file.truncate(2000)
    for name in ("bomb.zip", "text.zip", "no.zip", "short.zip"):
        with pytest.raises(CheckpointError, match=f"cannot read '?{name}'? as a model of Stable-Baselines3"):
            export_sb3(name, GAME, "no.safetensors")
    assert not Path("exploded").exists()


@pytest.mark.parametrize("algorithm", [MaskablePPO, PPO], ids=lambda one: one.__name__)
def test_sb3_begins_as_our_checkpoint_and_comes_back_from_there(algorithm: Any, tmp_path: Path) -> None:
    seen, _ = positions()
    champion = CheckpointAgent(RULES.champion, GAME)
    env = make_sb3_vec_env(GAME, num_envs=4, seed=0)
    model = start_sb3(RULES.champion, env, algorithm, n_steps=8, batch_size=32, n_epochs=1, device="cpu", seed=0)
    logits, values = says(model, seen)
    mine = champion.logits(seen)
    assert np.allclose(mine - mine.mean(1, keepdims=True), logits - logits.mean(1, keepdims=True), atol=1e-3)
    assert np.allclose(champion.values(seen), values, atol=1e-3)
    export_sb3(model, GAME, tmp_path / "same.safetensors")
    assert CheckpointAgent(tmp_path / "same.safetensors", GAME).checkpoint.network == champion.checkpoint.network
    model.learn(32)
    export_sb3(model, GAME, tmp_path / "on.safetensors")
    agree(tmp_path / "on.safetensors", seen, *says(model, seen))


class Agent(nn.Module):  # type: ignore[misc, name-defined]
    """As CleanRL writes it."""

    def __init__(self) -> None:
        super().__init__()
        self.actor = nn.Sequential(
            nn.Linear(INPUTS, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, ACTIONS)
        )
        self.critic = nn.Sequential(nn.Linear(INPUTS, 8), nn.Tanh(), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1))


def answers(actor: Any, critic: Any, seen: Any) -> tuple[Any, Any]:
    with torch.no_grad():
        rows = torch.from_numpy(seen)
        return actor(rows).numpy(), critic(rows)[:, 0].numpy()


def test_modules_in_cleanrls_manner_with_trunks_apart_or_shared(tmp_path: Path) -> None:
    seen, _ = positions()
    apart = Agent()
    export_module(apart.actor, apart.critic, GAME, tmp_path / "apart.safetensors")
    agree(tmp_path / "apart.safetensors", seen, *answers(apart.actor, apart.critic, seen))
    trunk = nn.Sequential(nn.Linear(INPUTS, 16), nn.ReLU())
    actor = nn.Sequential(trunk, nn.ReLU(), nn.Linear(16, ACTIONS))
    with pytest.raises(CheckpointError, match="one activation between each two"):
        export_module(actor, None, GAME, tmp_path / "no.safetensors")
    actor, critic = nn.Sequential(trunk, nn.Linear(16, ACTIONS)), nn.Sequential(trunk, nn.Linear(16, 1))
    export_module(actor, critic, GAME, tmp_path / "shared.safetensors", players=[2])
    agree(tmp_path / "shared.safetensors", seen, *answers(actor, critic, seen))
    assert CheckpointAgent(tmp_path / "shared.safetensors", GAME).checkpoint.network.hidden == (16,)
    export_module(actor, None, GAME, tmp_path / "alone.safetensors")
    assert not CheckpointAgent(tmp_path / "alone.safetensors", GAME).values(seen).any()


def test_a_module_that_does_more_than_its_layers_say_is_refused(tmp_path: Path) -> None:
    class Doubled(nn.Sequential):  # type: ignore[misc, name-defined]
        def forward(self, rows: Any) -> Any:
            return 2 * super().forward(rows)

    for actor, reason in (
        (Doubled(nn.Linear(INPUTS, ACTIONS)), "does more than its layers say"),
        (nn.Sequential(nn.Linear(INPUTS, 8), nn.LayerNorm(8), nn.Linear(8, ACTIONS)), "it has a LayerNorm"),
        (nn.Sequential(nn.Linear(INPUTS, 8), nn.Linear(8, ACTIONS)), "one activation between each two"),
    ):
        with pytest.raises(CheckpointError, match=reason):
            export_module(actor, None, GAME, tmp_path / "no.safetensors")


def test_a_policy_with_the_action_wait_leaves_it_out(tmp_path: Path) -> None:
    seen, _ = positions()
    actor, critic = nn.Linear(INPUTS, ACTIONS + 1), nn.Linear(INPUTS, 1)
    export_module(actor, critic, GAME, tmp_path / "parallel.safetensors")
    logits, values = answers(actor, critic, seen)
    agree(tmp_path / "parallel.safetensors", seen, logits[:, :-1], values)


def test_torchrls_modules(tmp_path: Path) -> None:
    pytest.importorskip("torchrl")
    from tensordict.nn import TensorDictModule
    from torchrl.modules import MLP, MaskedCategorical, ProbabilisticActor, ValueOperator

    seen, _ = positions()
    net = MLP(in_features=INPUTS, out_features=ACTIONS, num_cells=[16, 16], activation_class=nn.Tanh)
    worth = MLP(in_features=INPUTS, out_features=1, num_cells=[8, 8], activation_class=nn.Tanh)
    actor = ProbabilisticActor(
        TensorDictModule(net, in_keys=["observation"], out_keys=["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        out_keys=["action"],
        distribution_class=MaskedCategorical,
    )
    export_torchrl(actor, ValueOperator(worth, in_keys=["observation"]), GAME, tmp_path / "torchrl.safetensors")
    agree(tmp_path / "torchrl.safetensors", seen, *answers(net, worth, seen))


@pytest.mark.parametrize("shared", [False, True], ids=["apart", "shared"])
def test_rllibs_modules_and_back(shared: bool, tmp_path: Path) -> None:
    """Runs where ray[rllib] is installed: `make ecosystem ONLY=rllib` makes such an environment."""
    pytest.importorskip("tree", reason="ray alone is not RLlib, which needs dm-tree")
    from dataclasses import asdict

    from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig

    from card_envs.exchange.rllib import export_rllib
    from card_envs.rllib import FrozenModule, MaskedModule

    env = card_envs.make_env(GAME)
    spaces = {"observation_space": env.observation_space("player_0"), "action_space": env.action_space("player_0")}
    form = DefaultModelConfig(fcnet_hiddens=[24, 16], fcnet_activation="tanh", vf_share_layers=shared)
    module = MaskedModule(**spaces, model_config=asdict(form))
    seen, mask = positions()
    batch = {"obs": {"observation": torch.from_numpy(seen), "action_mask": torch.from_numpy(mask)}}
    with torch.no_grad():
        said = module.forward_inference(batch)["action_dist_inputs"].numpy()
        values = module.compute_values(batch).numpy()
    assert (said[mask == 0] < -1e30).all()
    export_rllib(module, GAME, tmp_path / "rllib.safetensors")
    player = CheckpointAgent(tmp_path / "rllib.safetensors", GAME)
    assert np.allclose(player.logits(seen)[mask > 0], said[mask > 0], atol=1e-4)
    assert np.allclose(player.values(seen), values, atol=1e-4)
    frozen = FrozenModule(**spaces, model_config={"game": GAME, "agent": f"{tmp_path / 'rllib.safetensors'}:greedy"})
    assert (frozen.forward_inference(batch)["actions"].numpy() == said.argmax(1)).all()
    waiting = torch.zeros(len(mask), ACTIONS + 1, dtype=torch.int8)  # as in the Parallel environment of a game of turns
    waiting[:, -1] = 1
    waiting[0] = torch.tensor([*mask[0], 0])
    chosen = frozen.forward_inference({"obs": {**batch["obs"], "action_mask": waiting}})["actions"].numpy()
    assert chosen.tolist() == [said[0].argmax(), *[ACTIONS] * (len(mask) - 1)]
    with pytest.raises(CheckpointError, match="FrozenModule has no encoder of plain layers"):
        export_rllib(FrozenModule(**spaces, model_config={"game": GAME, "agent": "bot"}), GAME, tmp_path / "no")
