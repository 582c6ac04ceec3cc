"""A player is what it consists of: whatever it is called, wherever its file lies, and whatever becomes of the file."""

from __future__ import annotations

import shutil
import sqlite3
import threading
import warnings
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import card_envs
from card_envs.agents import loading
from card_envs.agents.checkpoint import CheckpointAgent, read_checkpoint
from card_envs.arena import Tournament, entrants
from card_envs.arena.replay import Replay
from card_envs.arena.store import FILE
from card_envs.cli.main import app
from card_envs.errors import OptionError, TournamentError
from tests.support.checkpoint_files import random_weights, write
from tests.support.stored_tournaments import change
from tests.support.tournaments import First


def cup(agents: Any, **options: Any) -> Tournament:
    return Tournament("king_lui", agents=agents, **{"players": 3, "games": 90, **options})


def names(agents: Any, **options: Any) -> list[str]:
    with cup(agents, **options) as tournament:
        return [entrant.name for entrant in tournament.entrants]


def other(path: Path, seed: int = 5, **changes: Any) -> Path:
    """Another player."""
    return write(path, weights=random_weights("king_lui", seed=seed), **changes)


class TestTheSamePlayer:
    def test_in_three_files_enters_once_and_that_is_told(self, tmp_path: Path) -> None:
        paths = [write(tmp_path / f"{name}.safetensors", step=step) for name, step in (("a", 1), ("b", 2), ("c", 3))]
        assert len({path.read_bytes() for path in paths}) == 3, "three files, one player"
        with pytest.warns(UserWarning, match=r"entered once: .*b\.safetensors is a \(step 1\), .*c\.safetensors is a"):
            assert names([*paths, "bot"]) == ["a (step 1)", "bot"]

    def test_given_twice_in_the_same_way_enters_twice(self, tmp_path: Path) -> None:
        path, agent = write(tmp_path / "a.safetensors", step=0), First()
        given = [path, str(path), "bot", "bot", agent, agent]
        with cup(given) as tournament:
            standings = tournament.run()
        assert standings.names == ("a", "a #2", "bot", "bot #2", "first", "first #2")
        assert standings["a #2"].mark == "same as a"
        assert standings["first #2"].mark == "same as first"

    def test_under_two_aliases_enters_twice(self, tmp_path: Path) -> None:
        path = write(tmp_path / "a.safetensors")
        with cup({"one": path, "two": path}) as tournament:
            assert tournament.run()["two"].mark == "same as one, on several seats"

    def test_the_champion_and_its_file(self) -> None:
        path = loading.champion_path(card_envs.get_game("king_lui"))
        with pytest.warns(UserWarning, match=r"champion\.safetensors is champion"):
            assert names(["champion", path]) == ["champion"]

    def test_other_options_are_another_player(self, tmp_path: Path) -> None:
        path = write(tmp_path / "a.safetensors", step=0)
        with cup([path, f"{path}:greedy", f"{path}(temperature=0.5)"], out=tmp_path) as tournament:
            found = tournament.entrants
        assert [one.name for one in found] == ["a", "a(greedy)", "a(temperature=0.5)"]
        assert len({one.content_hash for one in found}) == 3
        assert len({one.checkpoint for one in found}) == 1
        with closing(sqlite3.connect(tmp_path / FILE)) as base:
            assert base.execute("SELECT count(*) FROM checkpoints").fetchone() == (1,), "its weights are kept once"

    def test_saved_again_it_is_still_the_same(self, tmp_path: Path) -> None:
        """A resumed training that changed nothing writes `best` anew: no tournament may mind."""
        path = write(tmp_path / "best.safetensors", step=7)
        cup(["bot", path], out=tmp_path / "cup").close()
        write(path, step=8)
        with Tournament.resume(tmp_path / "cup", agents=[path, "bot"]) as again:
            assert [one.name for one in again.entrants] == ["bot", "best (step 7)"]
            assert again.run().games_played == again.games


class Tuned(First):
    """An agent with a parameter; it says who it is, or not."""

    name = "tuned"

    def __init__(self, late: bool) -> None:
        self.late = late

    def act(self, observation: Any, action_mask: Any) -> Any:
        if self.late:
            return action_mask.shape[1] - 1 - action_mask[:, ::-1].argmax(axis=1)
        return super().act(observation, action_mask)


class Known(Tuned):
    @property
    def content_hash(self) -> str:
        return f"late={self.late}"


class Nameless(Tuned):
    content_hash = 7


class TestObjects:
    def test_two_objects_with_one_name_are_two_players(self) -> None:
        with cup([Tuned(True), Tuned(False)]) as tournament:
            standings = tournament.run()
        assert standings.names == ("tuned", "tuned #2")
        assert all("same as" not in row.mark for row in standings.rows)
        assert len({row.content_hash for row in standings.rows}) == 2

    def test_they_are_known_again_by_name_class_and_order(self, tmp_path: Path) -> None:
        with cup([Tuned(True), Tuned(False)], out=tmp_path) as tournament:
            first = tournament.run().to_csv()
        with Tournament.resume(tmp_path, agents=[Tuned(True), Tuned(False)], games=180) as again:
            assert len(again.entrants) == 2
            assert again.run().to_csv() != first

    def test_who_says_who_it_is_is_believed(self) -> None:
        with pytest.warns(UserWarning, match="tuned is tuned"):
            assert names([Known(True), Known(False), Known(True)]) == ["tuned", "tuned #2"]
        with pytest.raises(OptionError, match="the content_hash of the agent tuned must be a text, not 7"):
            cup([Nameless(True)])

    def test_a_trained_player_that_a_program_hands_over_is_kept(self, tmp_path: Path) -> None:
        path = write(tmp_path / "a.safetensors", step=0)
        cup(["bot", CheckpointAgent(path, "king_lui", greedy=True)], out=tmp_path / "cup").close()
        path.unlink()
        with Tournament.resume(tmp_path / "cup") as again:
            assert again.run().games_played == again.games
            assert again.entrants[1].name == f"{path}(greedy)"

    def test_one_that_cannot_be_copied_is_refused(self, tmp_path: Path) -> None:
        agent: Any = First()
        agent.lock = threading.Lock()
        with pytest.raises(OptionError, match=r"the agent first cannot be copied .* give it a __deepcopy__"):
            cup(["bot", agent], out=tmp_path / "cup")
        assert not (tmp_path / "cup").exists()


class TestKept:
    @pytest.mark.parametrize("happened", ["changed", "vanished"])
    def test_a_tournament_needs_the_files_no_more(self, happened: str, tmp_path: Path) -> None:
        """Resuming, adding games and replaying go on with the player that came in."""
        path = write(tmp_path / "one.safetensors")
        for folder in ("cup", "undisturbed"):
            cup(["random", path, "bot"], out=tmp_path / folder, chunk_deals=10).close()
        with Tournament.resume(tmp_path / "undisturbed", games=180) as undisturbed:
            expected = undisturbed.run().to_json()
        moves = Replay(tmp_path / "undisturbed", 100).moves
        if happened == "changed":
            other(path)
        else:
            path.unlink()
        with Tournament.resume(tmp_path / "cup", games=180) as again:
            assert again.run().to_json() == expected
        assert Replay(tmp_path / "cup", 100).moves == moves

    def test_a_file_that_changes_on_the_way_changes_nothing(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = write(tmp_path / "one.safetensors")
        with cup(["random", path, "bot"], chunk_deals=10) as undisturbed:
            expected = undisturbed.run().to_csv()
        with cup(["random", path, "bot"], chunk_deals=10, out=tmp_path / "cup") as tournament:
            kept = tournament.store.add_chunk
            monkeypatch.setattr(tournament.store, "add_chunk", lambda *chunk: (other(path), kept(*chunk))[1])
            assert tournament.run().to_csv() == expected

    def test_a_file_that_changed_is_another_player(self, tmp_path: Path) -> None:
        path = write(tmp_path / "one.safetensors")
        cup(["random", path], out=tmp_path / "cup").close()
        other(path)
        with Tournament.resume(tmp_path / "cup", agents=[path]) as again:
            assert [one.name for one in again.entrants][1:] == ["one (step 12)", f"{tmp_path.name}/one (step 12)"]
            again.run()
        hashes = [one.checkpoint for one in again.entrants[1:]]
        assert hashes[1] == read_checkpoint(path, "king_lui").content_hash
        assert len(set(hashes)) == 2

    def test_a_folder_can_be_taken_elsewhere(self, tmp_path: Path) -> None:
        with cup(["random", write(tmp_path / "one.safetensors")], out=tmp_path / "cup") as tournament:
            tournament.run()
        shutil.move(tmp_path / "cup", tmp_path / "moved")
        (tmp_path / "one.safetensors").unlink()
        assert Replay(tmp_path / "moved", 3).moves

    def test_the_browser_shows_games_whose_files_are_gone(self, tmp_path: Path) -> None:
        library_module = pytest.importorskip("card_envs.web.tournament_library")
        with cup(["random", write(tmp_path / "one.safetensors")], out=tmp_path / "cup") as tournament:
            tournament.run()
        (tmp_path / "one.safetensors").unlink()
        library = library_module.TournamentLibrary([tmp_path])
        (one,) = library.all()
        assert "one (step 12)" in library.game(one, 3).film.names

    @pytest.mark.parametrize("damage", ["UPDATE checkpoints SET data = x'00'", "DELETE FROM checkpoints"])
    def test_weights_that_are_damaged_are_refused_before_anything_is_played(self, damage: str, tmp_path: Path) -> None:
        cup(["random", write(tmp_path / "one.safetensors")], out=tmp_path).close()
        change(tmp_path, damage)
        with Tournament.resume(tmp_path) as tournament:
            with pytest.raises(TournamentError, match=r"one \(step 12\) cannot play any more: what .* is damaged"):
                tournament.run()
            assert tournament.games_played == 0

    def test_too_much_is_refused_and_nothing_is_left_behind(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(entrants, "MOST_KEPT", 1000)
        with pytest.raises(OptionError, match=r"these checkpoints have .* let fewer of them take part"):
            cup(["random", write(tmp_path / "one.safetensors")], out=tmp_path / "cup")
        assert not (tmp_path / "cup").exists()

    def test_a_tournament_of_the_first_format_is_refused_in_one_sentence(self, tmp_path: Path) -> None:
        cup(["random"], out=tmp_path).close()
        change(tmp_path, "UPDATE settings SET value = 'card_envs tournament 1' WHERE name = 'format'")
        with pytest.raises(TournamentError, match=r"is of the format 'card_envs tournament 1', .* play it anew"):
            Tournament.resume(tmp_path)


def test_on_the_command_line_it_is_told_in_one_line(tmp_path: Path) -> None:
    for name in ("best", "latest"):
        write(tmp_path / f"king/checkpoints/{name}.safetensors", step=950_000)
    arguments = ["bot", f"mine={tmp_path}/king/checkpoints/best.safetensors:greedy", f"{tmp_path}/king/*/*.safetensors"]
    command = ["tournament", "king_lui", "--agents", *arguments, "--games", "30", "--out", str(tmp_path / "cup")]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    (told,) = [line for line in done.stderr.splitlines() if "entered once" in line]
    assert told.startswith("the same player under another name is entered once: ")
    assert told.endswith("latest.safetensors is king:best (step 950 k)")
    for name in ("bot", "mine", "king:best (step 950 k)"):
        assert name in done.stdout


class TestNames:
    def test_runs_and_steps_are_told_apart(self, tmp_path: Path) -> None:
        runs = tmp_path / "runs"
        files = [
            ("king/checkpoints/best", 950_000),
            ("king/checkpoints/step-000000900000", 900_000),
            ("old/king/checkpoints/best", 950_000),
            ("lui/checkpoints/best", 1_234_567),
            ("lui/checkpoints/latest", 1_234_568),
            ("mine", 0),
        ]
        paths = [other(runs / f"{name}.safetensors", seed, step=step) for seed, (name, step) in enumerate(files)]
        assert names(paths) == [
            "king:best (step 950 k)",
            "king (step 900 k)",
            "old/king:best (step 950 k)",
            "lui:best (step 1.23 M)",
            "lui:latest (step 1.23 M)",
            "mine",
        ]

    def test_where_steps_are_alike_folders_are_named(self, tmp_path: Path) -> None:
        paths = [other(tmp_path / f"{name}/best.safetensors", seed) for seed, name in enumerate(("a", "b", "c"))]
        assert names(paths) == ["best (step 12)", "b/best (step 12)", "c/best (step 12)"]

    @pytest.mark.parametrize(
        "agents",
        [{"mine": "{path}", "theirs": "bot"}, [("mine", "{path}"), ("theirs", "bot")], ["mine={path}", "theirs=bot"]],
        ids=["table", "pairs", "texts"],
    )
    def test_aliases(self, agents: Any, tmp_path: Path) -> None:
        path = write(tmp_path / "a.safetensors")

        def filled(agent: Any) -> Any:
            return agent.format(path=path) if isinstance(agent, str) else (agent[0], agent[1].format(path=path))

        given = {name: filled(one) for name, one in agents.items()} if isinstance(agents, dict) else map(filled, agents)
        assert names(given if isinstance(given, dict) else list(given)) == ["mine", "theirs"]

    def test_an_alias_is_one_players(self, tmp_path: Path) -> None:
        path = write(tmp_path / "a.safetensors")
        with pytest.raises(OptionError, match="2 agents are called 'x'; give each a name of its own"):
            cup(["x=bot", "x=random"])
        with pytest.raises(OptionError, match="another player is called 'bot' in this tournament"):
            cup(["bot", ("bot", path)])
        with pytest.raises(OptionError, match="an agent is called by 1 to 80 letters"):
            cup([("", path)])
        with pytest.raises(OptionError, match=r"is a pair such as \('mine', path\)"):
            cup([("mine", path, 3)])

    def test_an_alias_stays_when_a_tournament_is_resumed(self, tmp_path: Path) -> None:
        path = write(tmp_path / "a.safetensors")
        cup({"one": path, "two": path, "bot": "bot"}, out=tmp_path / "cup").close()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with Tournament.resume(tmp_path / "cup", agents={"two": path}) as again:
                assert len(again.entrants) == 3
        with pytest.warns(UserWarning, match="three is one"), Tournament.resume(
            tmp_path / "cup", agents={"three": path}
        ) as again:  # fmt: skip
            assert len(again.entrants) == 3
