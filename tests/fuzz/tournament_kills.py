"""A tournament that is killed again and again, and one that is not: in the end both have the same content.

python -m tests.fuzz.tournament_kills --kills 50

Each kill (kill -9, of a real process) is counted by what has been stored and not by the clock, and they are spread over
the whole run: before a chunk is stored, between the two steps of storing it, and after it.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from rich.progress import track

from card_envs.arena import Tournament, store
from card_envs.arena.schedule import Schedule, Stage
from tests.support.checkpoint_files import write
from tests.support.killing import in_a_child, kill_self, strike
from tests.support.stored_tournaments import dump

GAMES, CHUNK_DEALS, PLAYERS, SEED = 1200, 4, 3, 9


class Kill(NamedTuple):
    """At the how manieth chunk of its life a process is killed, where, and how many chunks are stored afterwards."""

    owner: Any
    method: str
    nth: int
    after: bool
    stored: int


def plan(kills: int, chunks: int) -> Iterator[Kill]:
    """Kills at equal distances, in the three places by turns."""
    stored = 0
    for number in range(kills):
        goal = max(stored, (number + 1) * chunks // (kills + 2))
        owner, method, after, kept = (
            (store.Store, "add_chunk", False, False),
            (store, "seal_chunk", True, False),
            (store.Store, "add_chunk", True, True),
        )[number % 3]
        nth = max(1, goal - stored + (not kept))
        stored += nth - (not kept)
        yield Kill(owner, method, nth, after, stored)


def disturb(kills: int, folder: Path, *, shown: bool = False) -> str:
    """What differs between a tournament that was killed so often and one that was not; nothing, if all is well."""
    player = str(write(folder / "player.safetensors"))
    options: dict[str, Any] = {"players": PLAYERS, "games": GAMES, "seed": SEED, "chunk_deals": CHUNK_DEALS}
    options["agents"] = ["random", "bot", player]
    Tournament("king_lui", out=folder / "killed", **options).close()
    shutil.copytree(folder / "killed", folder / "whole")
    with Tournament.resume(folder / "whole") as whole:
        expected = whole.run().to_json()
    chunks = len(Schedule.planned(SEED, PLAYERS, CHUNK_DEALS, [Stage(3, GAMES)]).chunks)
    for kill in track(list(plan(kills, chunks)), "kills", disable=not shown):

        def play(kill: Kill = kill) -> None:
            strike(kill.owner, kill.method, kill.nth, after=kill.after, blow=kill_self)
            Tournament.resume(folder / "killed").run()

        code = in_a_child(play)
        with Tournament.resume(folder / "killed") as tournament:
            found = len(tournament.store.played())
        if (code, found) != (-signal.SIGKILL, kill.stored):
            return f"{kill}: the process ended with {code}, and {found} chunks are stored"
    with Tournament.resume(folder / "killed") as tournament:
        if tournament.run().to_json() != expected:
            return "the standings are others"
    return "" if dump(folder / "killed") == dump(folder / "whole") else "the stored content is another"


def main() -> None:
    """What the command does."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    kills = parser.parse_args().kills
    with tempfile.TemporaryDirectory() as folder:
        finding = disturb(kills, Path(folder), shown=sys.stdout.isatty())
    print(f"{kills} kills: {finding or 'the same standings, and the same content to the last byte'}")
    sys.exit(bool(finding))


if __name__ == "__main__":
    main()
