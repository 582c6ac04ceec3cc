"""Damaged checkpoints: each is refused with one sentence, or is the same player as before.

    python -m tests.fuzz.checkpoints --files 10000 --first-seed 0

Bytes that were hit, files of something else, what only looks like a file, and what somebody made on purpose: headers
and metadata that cannot be, under a checksum that fits. Meanwhile nothing is imported, unpickled or started, and
memory is bounded.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track

from card_envs.agents.checkpoint import checksum, read_checkpoint
from card_envs.agents.weights_file import LARGEST_FILE, parse_safetensors
from card_envs.core.game import Game
from card_envs.errors import CheckpointError
from card_envs.games import get_game
from tests.fuzz.damage import SPECIAL, Dice, damage, foreign, nothing_is_run, put_special, remove, summary
from tests.support.checkpoint_files import mlp, write

MORE_MEMORY = 2**29  # than the process has when it begins
LONGEST_SENTENCE = 1000
JSON = Any

# What no checkpoint can say, whoever signs it.
IMPOSSIBLE: dict[str, tuple[str, ...]] = {
    "format": ("", "card_envs checkpoint 1", "card_envs checkpoint 3", "\x1b[2J", "x" * 100_000),
    "game": ("", "zum_kuhkuck", "../king_lui", "king_lui\n", "\x1b[2J", "x" * 100_000),
    "version": ("", "-1", "1", "0x0", "0.0", "9" * 5000, "²"),
    "layout": ("", "0123456789abcdef", "\x1b[31m"),
    "network": (
        "", "{", "[]", "null", "1e999", "[" * 100_000, '{"a":' * 400 + "1" + "}" * 400, '{"kind": "mlp"}',
        '{"kind": "eval"}', '{"kind": ["mlp"]}', mlp([]), mlp([16]), mlp([16, 8, 8]), mlp([16, 8.0]), mlp([16, -8]),
        mlp([16, 10**12]), mlp([1] * 100), mlp([16, 8], "sin"), mlp([16, 8], "__import__"), mlp([16, 8], more=1),
    ),
    "players": ("", "3", "[]", "[1]", "[3, 99]", "[3, 3]", "[true, 3]", "[3.0]", '["3"]', "[3, -4]", "[[3]]", "{}"),
    "options": ("", "[]", "null", "1", "{" * 50_000, '{"a":' * 400 + "1" + "}" * 400, "{'deck': 1}"),
    "step": ("", "-5", "1.5", "1e3", "many", "9" * 19, "9" * 5000, "٣", "²", " 1", "+1"),
    "parent": ("x" * 65, "a\nb", "\x1b[2J", "\ud800"),
}  # fmt: skip


class Original:
    """A sound checkpoint, and how to make another file of its parts."""

    def __init__(self, folder: Path, game: str) -> None:
        self.path = write(folder / "player.safetensors", game)
        self.game: Game = get_game(game)
        self.data = self.path.read_bytes()
        self.metadata, self.weights = parse_safetensors(self.data)
        length = int.from_bytes(self.data[:8], "little")
        self.header: dict[str, JSON] = json.loads(self.data[8 : 8 + length])
        self.body = self.data[8 + length :]
        self.read = read_checkpoint(self.path, self.game)

    def signed(self, weights: dict[str, Any] | None = None, **changes: str) -> bytes:
        """With other metadata or weights, under a checksum that fits."""
        metadata, weights = {**self.metadata, **changes}, weights or self.weights
        metadata["checksum"] = checksum(metadata, weights)
        header: dict[str, JSON] = {"__metadata__": metadata}
        body = b""
        for name, array in weights.items():
            kind = {"float32": "F32", "float64": "F64", "int32": "I32", "float16": "F16"}[str(array.dtype)]
            offsets = [len(body), len(body) + array.nbytes]
            header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": offsets}
            body += array.tobytes()
        return pack(header, body)


def pack(header: JSON, body: bytes) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + body


def say_the_impossible(original: Original, dice: Dice) -> bytes:
    name = dice.choice(list(IMPOSSIBLE))
    return original.signed(**{name: dice.choice(IMPOSSIBLE[name])})


def spoil_weights(original: Original, dice: Dice) -> bytes:
    """Numbers that are not finite, other shapes and types, too many or too few; signed."""
    weights = {name: array.copy() for name, array in original.weights.items()}
    name = dice.choice(list(weights))
    match dice.randrange(6):
        case 0:
            weights[name].reshape(-1)[dice.randrange(weights[name].size)] = dice.choice((np.nan, np.inf, -np.inf))
        case 1:
            weights[name] = weights[name].reshape(-1, 1, 1)
        case 2:
            weights[name] = weights[name].astype(dice.choice((np.float64, np.int32, np.float16)))
        case 3:
            del weights[name]
        case 4:
            weights[dice.choice(("", "more", name + ".", "\ud800", "x" * 9000))] = weights[name]
        case _:
            weights[name] = np.concatenate([weights[name], weights[name][:1]])
    return original.signed(weights)


def spoil_header(original: Original, dice: Dice) -> bytes:
    """A description of tensors that does not fit the file."""
    header = json.loads(json.dumps(original.header))
    name = dice.choice([one for one in header if one != "__metadata__"])
    entry = header[name]
    match dice.randrange(9):
        case 0:
            entry["dtype"] = dice.choice(("F64", "", None, 32, ["F32"], "\x1b[2J", "x" * 9000))
        case 1:
            entry["shape"] = dice.choice(([], [-1], [0], [2**63], [1.5], "8", None, [1] * 9, [[1]], [True, 16], {}))
        case 2:
            first, last = entry["data_offsets"]
            entry["data_offsets"] = dice.choice(
                ([first], [first, last, last], [last, first], [first - 4, last], [first, last + 4], [-4, last - 4],
                 [first, 10**30], [first, float("inf")], [True, last], None, "0")
            )  # fmt: skip
        case 3:
            header[name] = dice.choice((None, [], "F32", {}, 1, float("nan")))
        case 4:
            header["__metadata__"] = dice.choice((None, [], {}, {"format": 2}, {"format": ["x"]}, "x"))
        case 5:
            other = dice.choice([one for one in header if one not in ("__metadata__", name)])
            header[name], header[other] = header[other], header[name]
        case 6:
            del header[name]
        case 7:
            header["__metadata__"][dice.choice(("format", "step", "checksum"))] = dice.choice((1, None, [], {}))
        case _:
            header = dice.choice(
                (b"", b"{", b"[" * 200_000, b'{"a":' * 100_000, b'{"a":' + b"9" * 5000 + b"}", b"\xff\xfe\xfa", b"[]",
                 b"1", b"null", b'"\xed\xa0\x80"', json.dumps(header).encode()[:-1], b'{"\\ud800": {}}')
            )  # fmt: skip
    return pack(header, original.body)


def lie_about_length(original: Original, dice: Dice) -> bytes:
    length = int.from_bytes(original.data[:8], "little")
    told = dice.choice((0, 1, length - 1, length + 1, len(original.data), 2**20, 2**20 + 1, 2**32, 2**63, 2**64 - 1))
    return told.to_bytes(8, "little") + original.data[8:]


MAKERS: tuple[tuple[str, int, Callable[[Original, Dice], bytes]], ...] = (
    ("hit", 40, lambda original, dice: damage(original.data, dice)),
    ("impossible", 20, say_the_impossible),
    ("weights", 12, spoil_weights),
    ("header", 15, spoil_header),
    ("length", 3, lie_about_length),
    ("foreign", 5, lambda original, dice: foreign(dice)),
)
SPECIAL_SHARE = 5


def judge(original: Original, path: Path) -> str:
    """How a file at this place is received: `the same player`, `refused`, or what is wrong with that."""
    with nothing_is_run() as run:
        try:
            found = read_checkpoint(path, original.game)
        except CheckpointError as error:
            said = str(error)
            whole = said.startswith(f"cannot use {path} as a player: ") and said.isprintable()
            outcome = (
                "refused" if whole and len(said) < LONGEST_SENTENCE else f"FINDING: a bad sentence: {said[:300]!r}"
            )
        except BaseException as error:
            outcome = f"FINDING: {type(error).__name__}: {str(error)[:300]}"
        else:
            mine = original.read
            same = (found.content_hash, found.step, found.parent) == (mine.content_hash, mine.step, mine.parent)
            outcome = "the same player" if same else "FINDING: accepted as another player"
    return f"FINDING: something was run: {run[:3]}" if run else outcome


def check(folder: Path, seeds: Iterable[int], games: tuple[str, ...] = ("king_lui", "ku_ka_king")) -> Counter[str]:
    """One damaged checkpoint for each seed; counts of what became of them."""
    originals = []
    for game in games:
        (folder / game).mkdir()
        originals.append(Original(folder / game, game))
    counts: Counter[str] = Counter()
    names, weights, makers = zip(*MAKERS, ("special", SPECIAL_SHARE, None), strict=True)
    for seed in seeds:
        dice = random.Random(seed)
        original, path = dice.choice(originals), folder / "damaged.safetensors"
        which = dice.choices(range(len(names)), weights)[0]
        maker = makers[which]
        if maker is None:
            put_special(path, dice.choice(SPECIAL), LARGEST_FILE)
        else:
            path.write_bytes(maker(original, dice))
        outcome = judge(original, path)
        if outcome.startswith("FINDING"):
            print(f"seed {seed}, {names[which]}: {outcome}", file=sys.stderr)
            outcome = "FINDING"
        counts[f"{names[which]}: {outcome}"] += 1
        remove(path)
    return counts


def bound_memory() -> None:
    """Whoever asks for much more than there is now gets a MemoryError, which would be a finding."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + MORE_MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def main() -> int:
    parser = argparse.ArgumentParser(description="Read damaged checkpoints.")
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--first-seed", type=int, default=0)
    given = parser.parse_args()
    bound_memory()
    seeds = range(given.first_seed, given.first_seed + given.files)
    with tempfile.TemporaryDirectory() as folder:
        counts = check(Path(folder), track(seeds, description="damaged checkpoints"))
    print(summary(counts))
    return 1 if any("FINDING" in name for name in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
