"""Training runs found in the folders that were named at the start: their players, curves and pools."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from card_envs.agents.naming import SUFFIX
from card_envs.arena.titles import RUN
from card_envs.errors import OptionError
from card_envs.files import read_regular
from card_envs.games import game_names, get_game
from card_envs.web.agent_library import AgentLibrary, file_id
from card_envs.web.checkpoint_names import CheckpointNames, readable_step
from card_envs.web.errors import NotFoundError
from card_envs.web.folders import Folders, id_of, shown
from card_envs.web.recent import Recent
from card_envs.web.run_log import AGAINST, RunLog

CONFIG, LOG, LEAGUE = "config.yaml", "log.jsonl", "league.json"
LATEST, BEST = "latest", "best"
MOST_RUNS, MOST_CHECKPOINTS, MOST_IN_LEAGUE, LARGEST_LEAGUE = 200, 400, 200, 2**22


@dataclass(frozen=True)
class StoredRun:
    """A run's folder under an id that tells no path."""

    id: str
    name: str
    folder: Path


class RunLibrary:
    """All runs that a page may look at. Nothing is kept but how far each log was read."""

    def __init__(self, folders: Sequence[Path], agents: AgentLibrary) -> None:
        self.folders, self.agents = Folders(folders), agents
        self._logs: Recent[str, RunLog] = Recent(MOST_RUNS)

    @property
    def names(self) -> CheckpointNames:
        """What checkpoints are called."""
        return self.agents.names

    def all(self) -> list[StoredRun]:
        """Every run found, the one that was written last first."""
        found: dict[str, tuple[float, StoredRun]] = {}
        for path, folder in self.folders.find(lambda name: name == CONFIG, MOST_RUNS):
            with contextlib.suppress(OSError, RuntimeError):  # it has just gone
                home = path.resolve().parent
                if home.is_relative_to(folder) and (home / RUN).is_dir():
                    run = StoredRun(id_of(home), shown(str(self.folders.inside(home))), home)
                    found[run.id] = (self._changed(run), run)
        return [run for _, run in sorted(found.values(), key=lambda one: (-one[0], one[1].name))]

    def find(self, id_: str) -> StoredRun:
        """A run by its id."""
        for run in self.all():
            if run.id == id_:
                return run
        raise NotFoundError("there is no such run in the folders that the server was told")

    def _changed(self, run: StoredRun) -> float:
        """When training last wrote something."""
        times = [0.0]
        for path in (run.folder / LOG, run.folder / CONFIG, run.folder / RUN / f"{LATEST}{SUFFIX}"):
            with contextlib.suppress(OSError):
                times.append(path.stat().st_mtime)
        return max(times)

    def summary(self, run: StoredRun) -> dict[str, Any]:
        """What a list of runs shows of each."""
        checkpoints = self.checkpoints(run)
        facts = self.names.facts(run.folder / RUN / f"{LATEST}{SUFFIX}")
        known = facts is not None and facts.game in game_names()
        return {
            "id": run.id,
            "name": run.name,
            "game": facts.game if facts else "",
            "title": get_game(facts.game).title if facts and known else "",
            "players": list(facts.players) if facts else [],
            "step": facts.step if facts else None,
            "changed": self._changed(run),
            "newest": next((one["id"] for one in checkpoints if one["kind"] == LATEST), None),
            "checkpoints": len(checkpoints),
        }

    def checkpoints(self, run: StoredRun) -> list[dict[str, Any]]:
        """Its players: the newest, the best, and snapshots from the last to the first."""
        rows = []
        with contextlib.suppress(OSError):
            for path in sorted((run.folder / RUN).glob(f"*{SUFFIX}"))[-MOST_CHECKPOINTS:]:
                resolved = path.resolve()
                if resolved.parent == run.folder / RUN and (facts := self.names.facts(resolved)):
                    kind = path.stem if path.stem in (LATEST, BEST) else "snapshot"
                    title = self.names.title(resolved)
                    rows.append({"id": file_id(resolved), "name": title, "step": facts.step, "kind": kind})
        order = {LATEST: 0, BEST: 1, "snapshot": 2}
        return sorted(rows, key=lambda row: (order[row["kind"]], -row["step"]))

    def details(self, run: StoredRun) -> dict[str, Any]:
        """All of a run, as far as it has been written."""
        log = self._logs.get(run.id) or self._logs.keep(run.id, RunLog(run.folder / LOG))
        log.refresh()
        curves = [
            {"against": readable_step(name.removeprefix(AGAINST)), "points": [list(point) for point in log.curve(name)]}
            for name in list(log.series)
        ]
        return {
            **self.summary(run),
            "decisions": log.decisions,
            "players_of_run": self.checkpoints(run),
            "curves": curves,
            "league": self.league(run),
        }

    def league(self, run: StoredRun) -> list[dict[str, Any]]:
        """Whom the learner meets and how it does against them; nothing of a file that is damaged or just replaced."""
        rows: list[dict[str, Any]] = []
        with contextlib.suppress(OptionError, ValueError, TypeError, KeyError, RecursionError):
            told = json.loads(read_regular(run.folder / LEAGUE, LARGEST_LEAGUE, OptionError))
            for one in told[:MOST_IN_LEAGUE]:
                games, share = float(one["games"]), float(one["share"])
                if math.isfinite(games) and math.isfinite(share):
                    name = readable_step(str(one["player"])[:400])
                    rows.append({"name": name, "games": games, "share": share, "active": bool(one["active"])})
        return sorted(rows, key=lambda row: row["share"])
