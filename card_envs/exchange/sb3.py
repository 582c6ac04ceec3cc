"""MaskablePPO and PPO of Stable-Baselines3: their saved .zip as a checkpoint, and a checkpoint as their beginning."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.agents.checkpoint import perceptron_of, read_checkpoint
from card_envs.agents.network import Mlp
from card_envs.agents.weights_file import LARGEST_FILE
from card_envs.core.game import Game
from card_envs.errors import CheckpointError
from card_envs.exchange.towers import Tower, save_towers, without_wait
from card_envs.extras import need
from card_envs.files import read_regular, shown
from card_envs.games import get_game

need("card_envs.exchange.sb3", "stable_baselines3", "train")
import torch  # noqa: E402  # after the sentence for those who do not have it

Tensors = Mapping[str, NDArray[np.float32]]
ACTIVATIONS = {"Tanh": "tanh", "ReLU": "relu"}


def export_sb3(
    model: Any,
    game: Game | str,
    out: str | Path,
    *,
    players: Iterable[int] | None = None,
    options: Mapping[str, Any] | None = None,
    activation: str | None = None,
    step: int | None = None,
) -> None:
    """Save a MaskablePPO or PPO with `MlpPolicy` and any `net_arch` of plain layers as a checkpoint.

    `model` is the model, or the path of a .zip that it has saved. Of a .zip nothing is unpickled: the form follows from
    the weights. What is between the layers stands elsewhere, as text; `activation` ("tanh" or "relu") overrides it.
    """
    rules = get_game(game) if isinstance(game, str) else game
    if isinstance(model, str | Path):
        tensors, said, steps = _read_zip(Path(model))
    else:
        tensors = {name: tensor.detach().cpu().numpy() for name, tensor in model.policy.state_dict().items()}
        said, steps = model.policy.activation_fn.__name__, int(model.num_timesteps)
    policy, value = towers_of(tensors)
    between = activation or ACTIVATIONS.get(said, said)
    policy = without_wait(policy, rules)
    save_towers(
        out, rules, policy, value, between, players=players, options=options, step=steps if step is None else step
    )


def towers_of(tensors: Tensors) -> tuple[Tower, Tower]:
    """Policy and value of a policy of Stable-Baselines3, from its weights by their names."""
    policy = _tower(tensors, "mlp_extractor.policy_net", "action_net")
    value = _tower(tensors, "mlp_extractor.value_net", "value_net")
    strange = [
        name
        for name in tensors
        if not re.match(r"(mlp_extractor\.(policy|value)_net\.\d+|action_net|value_net)\.", name)
    ]
    if strange:
        raise CheckpointError(
            f"it has the weight {strange[0][:80]!r}; only MlpPolicy with plain layers can be exported"
        )
    return policy, value


def _tower(tensors: Tensors, body: str, head: str) -> Tower:
    numbers = sorted(
        {int(name.split(".")[2]) for name in tensors if re.match(rf"{re.escape(body)}\.\d+\.weight", name)}
    )
    names = [*(f"{body}.{number}" for number in numbers), head]
    missing = [f"{name}.{kind}" for name in names for kind in ("weight", "bias") if f"{name}.{kind}" not in tensors]
    if missing:
        raise CheckpointError(f"it lacks the weight {missing[0]!r}, so it is no MlpPolicy of PPO or MaskablePPO")
    layers = tuple(
        (np.array(tensors[f"{name}.weight"], np.float32), np.array(tensors[f"{name}.bias"], np.float32))
        for name in names
    )
    if any(weight.ndim != 2 or bias.shape != weight.shape[:1] for weight, bias in layers):
        raise CheckpointError(f"its layers {', '.join(names)} are no plain ones")
    return Tower(layers)


def _read_zip(path: Path) -> tuple[Tensors, str, int]:
    """Weights, activation and steps of a saved model, without running what is pickled in it."""
    try:
        with zipfile.ZipFile(io.BytesIO(read_regular(path, LARGEST_FILE, CheckpointError))) as saved:
            weights = torch.load(io.BytesIO(_member(saved, "policy.pth")), map_location="cpu", weights_only=True)
            data = json.loads(_member(saved, "data"))
        tensors = {str(name): tensor.float().numpy() for name, tensor in weights.items()}
        return tensors, _activation(data), int(data.get("num_timesteps") or 0)
    except CheckpointError as error:
        raise CheckpointError(f"cannot read {shown(path)} as a model of Stable-Baselines3: {error}") from None
    except Exception as error:  # whatever zipfile, json or torch make of a stranger's file
        raise CheckpointError(
            f"cannot read {shown(path)} as a model of Stable-Baselines3 without running what is pickled in it "
            f"({type(error).__name__}: {shown(str(error)[:120])}); if you trust it, load it yourself, and export that"
        ) from None


def _member(saved: zipfile.ZipFile, name: str) -> bytes:
    if name not in saved.namelist():
        raise CheckpointError(f"it holds no {name}")
    if saved.getinfo(name).file_size > LARGEST_FILE:
        raise CheckpointError(f"its {name} would have more than {LARGEST_FILE} bytes")
    return saved.read(name)


def _activation(data: Any) -> str:
    """What stands between the layers. The class itself is pickled; beside it stands its name, as text."""
    chosen = data.get("policy_kwargs") if isinstance(data, dict) else None
    text = str(chosen.get("activation_fn", "")) if isinstance(chosen, dict) else ""
    found = re.search(r"(\w+)'>$", text)
    return found[1] if found else text or "Tanh"


def start_sb3(checkpoint: str | Path, env: Any, algorithm: Any = None, **settings: Any) -> Any:
    """A MaskablePPO (or another `algorithm` with MlpPolicy) that begins as the player of a checkpoint.

    `env` is what `make_sb3_vec_env` or `gym.make` has made; `settings` are the algorithm's own (`n_steps`). Policy
    and value share their layers in a checkpoint; here each has them for itself from now on.
    """
    if algorithm is None:
        from sb3_contrib import MaskablePPO as algorithm  # noqa: N813
    game: Game = getattr(env, "game", None) or env.unwrapped.game
    player = perceptron_of(read_checkpoint(checkpoint, game))
    if not isinstance(player.network, Mlp):
        raise CheckpointError(f"a network of the kind {player.network.kind!r} has no form in Stable-Baselines3")
    layers = {"tanh": torch.nn.Tanh, "relu": torch.nn.ReLU}
    form = {
        "net_arch": {"pi": list(player.network.hidden), "vf": list(player.network.hidden)},
        "activation_fn": layers[player.network.activation],
    }
    model = algorithm("MlpPolicy", env, policy_kwargs={**settings.pop("policy_kwargs", {}), **form}, **settings)
    tensors = {}
    for number in range(len(player.network.hidden)):
        for kind in ("weight", "bias"):
            for tower in ("policy_net", "value_net"):
                tensors[f"mlp_extractor.{tower}.{2 * number}.{kind}"] = player.weights[f"body.{number}.{kind}"]
    for ours, theirs in (("policy", "action_net"), ("value", "value_net")):
        for kind in ("weight", "bias"):
            tensors[f"{theirs}.{kind}"] = player.weights[f"{ours}.{kind}"]
    model.policy.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in tensors.items()})
    return model
