"""A game of another package is at home everywhere, and the page that says how to make one is true."""

from __future__ import annotations

import re
import shlex
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import gymnasium
import pytest

import card_envs
from card_envs import games
from card_envs.arena.replay import Replay
from card_envs.arena.tournament import Tournament
from card_envs.cli.new_game import new_game
from card_envs.errors import CardEnvsError, UnknownGameError
from card_envs.web.tournament_library import TournamentLibrary
from tests.support.foreign import Computer, install
from tests.support.stored_tournaments import change

ROOT = Path(__file__).parents[2]
SHORT = {"NUMBA_DISABLE_JIT": "1"}  # for processes that play so little that compiling would take longer


@pytest.fixture(scope="module")
def computer(tmp_path_factory: pytest.TempPathFactory) -> Computer:
    """Where two games are installed: one as it is made, and one without anything that a game can do without."""
    projects, site = tmp_path_factory.mktemp("projects"), tmp_path_factory.mktemp("site")
    for name in ("my_game", "plain_game"):
        new_game(name, out=projects / name, inside=False, title=None)
    plain = projects / "plain_game" / "plain_game" / "__init__.py"
    optional = r"^(    (bot|all_cards|variants|margin_scale|worst_margin|possible)=.*|from .(bot|bounds) .*)\n"
    plain.write_text(re.sub(optional, "", plain.read_text(encoding="utf-8"), flags=re.MULTILINE), encoding="utf-8")
    for name in ("my_game", "plain_game"):
        install(projects / name, site)
    return Computer(site)


def test_the_command_line_lists_it(computer: Computer) -> None:
    text = computer.card_envs("games")
    assert re.search(r"^my_game +card_envs/MyGame-v0 +2-4 +in turns +2 +45$", text, re.MULTILINE)
    assert "king_lui" in text


def test_a_broken_package_takes_no_other_game_with_it(computer: Computer, tmp_path: Path) -> None:
    site = tmp_path / "site"
    shutil.copytree(computer.site, site)
    (site / "my_game" / "rules.py").write_text("not Python at all", encoding="utf-8")
    text = Computer(site).card_envs("games", **SHORT)
    assert "king_lui" in text
    assert "plain_game" in text
    assert "my_game" not in text
    error = Computer(site).card_envs("show", "my_game", code=2, **SHORT)
    assert error.startswith("card-envs: the game in my_game:GAME cannot be imported: ")
    assert error.count("\n") == 1


MADE = """
import pickle, sys
import gymnasium, pettingzoo
import card_envs
from card_envs.agents.random import RandomAgent

env = gymnasium.make("card_envs/MyGame-v0", players=3, opponents="bot", seat=1)
env.reset(seed=7)
vector = gymnasium.make_vec("card_envs/MyGame-v0", num_envs=3, opponents="random")
_, info = vector.reset(seed=7)
vector.step(RandomAgent(0).act(None, info["action_mask"]))
table = (pettingzoo.make("aec", "card_envs/MyGame-v0", throws=5) if hasattr(pettingzoo, "make")
         else card_envs.make_env("card_envs/MyGame-v0", throws=5))
table.reset(seed=3)
table.step(1)
table.step(0)
with open(sys.argv[1], "wb") as file:
    pickle.dump((env.unwrapped, table.unwrapped), file)
print(table.unwrapped.to_text())
"""
OPENED = """
import pickle, sys

env, table = pickle.load(open(sys.argv[1], "rb"))
print(table.to_text())
while not all(table.terminations.values()):
    table.step(0)
assert {info["rank"] for info in table.infos.values()} == {1, 2}
over = False
while not over:
    *_, over, _, info = env.step(0)
assert env.game.key == "my_game_v0" and info["points"] > 0
"""


def test_environments_are_made_and_a_pickled_one_opens_in_another_process(computer: Computer, tmp_path: Path) -> None:
    before = computer.python("-c", MADE, str(tmp_path / "env.pickle"))
    assert "throws left 4" in before
    assert computer.python("-c", OPENED, str(tmp_path / "env.pickle")) == before


def test_a_tournament_is_played_on_two_workers_and_resumed(computer: Computer, tmp_path: Path) -> None:
    out = str(tmp_path / "cup")
    begin = ["my_game", "--agents", "bot", "random", "--games", "200", "--out", out]
    assert "My Game" in computer.card_envs("tournament", *begin, "--workers", "2")
    text = computer.card_envs("tournament", "--resume", out, "--games", "400", "--workers", "2")
    assert re.search(r"400 games", text)
    assert "plays 'keep'" in computer.card_envs("replay", out, "399")


def test_it_is_trained_and_its_player_sits_down(computer: Computer, tmp_path: Path) -> None:
    game, run = "plain_game", str(tmp_path / "run")
    few = "--decisions 256 --games 8 --parts 1 --threads 1 --ppo.n_steps 16 --network.hidden 8 --evaluation.deals 2"
    computer.python("-m", "training.self_play", "--game", game, "--run", run, "--players", "2", *few.split(), **SHORT)
    player = f"{run}/checkpoints/best.safetensors"
    assert f"{player}: win share" in computer.card_envs("match", game, player, "random", "--games", "10", **SHORT)


PLAYED = """
import sys
from starlette.testclient import TestClient
from card_envs.web.app import make_app
from tests.support.web_server import GENEROUS, LOCAL, look, opened, play_to_the_end

game, adviser = sys.argv[1:]
with TestClient(make_app(limits=GENEROUS), base_url=LOCAL) as client:
    assert game in [one["name"] for one in client.get("/api/setup").json()["games"]]
    agents = [one["id"] for one in client.get(f"/api/agents/{game}/2").json()]
    assert set(agents) == {adviser, "random", "search", "rollout", "ismcts"}
    table = opened(client, game, "me")
    advice = client.get(f"/api/games/{table['id']}/coach", headers=table["headers"]).json()
    assert advice["adviser"] == adviser
    assert abs(sum(bar["probability"] for bar in advice["bars"]) - 1) < 1e-6
    assert 'data-actions="0"' in look(client, table, shape="tall", language="de")["picture"]
    assert client.get(f"/api/rules/{game}").json() == []
    state = play_to_the_end(client, table)
    assert sorted(state["result"]["ranks"]) in ([1, 1], [1, 2]) and state["game"] == game
"""


@pytest.mark.parametrize(("game", "adviser"), [("my_game", "bot"), ("plain_game", "random")])
def test_it_is_found_and_played_in_the_browser(computer: Computer, game: str, adviser: str) -> None:
    computer.python("-c", PLAYED, game, adviser, **SHORT)


COMMANDS = """
import sys
from typer.testing import CliRunner
from card_envs.cli import app

for line in sys.stdin:
    done = CliRunner().invoke(app, line.split(), input="h\\n" + "1\\n" * 100)
    print(done.output)
    assert done.exit_code == 0, (line, done.output, done.exception)
"""


def test_a_game_without_anything_optional_works_everywhere(computer: Computer, tmp_path: Path) -> None:
    commands = """play plain_game --players 3
        show plain_game --language de --detailed
        picture plain_game --out a.svg
        picture plain_game --out a.png --shape tall --seat 0
        match plain_game random random --games 20
        tournament plain_game --agents random random --games 40 --out cup
        report cup --csv --json
        replay cup 3
        replay cup 3 --gif a.gif --speed 5"""
    text = computer.python("-c", COMMANDS, typed=commands, cwd=tmp_path, **SHORT)
    assert "random would play: " in text
    assert re.search(r"player \d \(random\): \d+ points, rank", text)
    assert {path.name for path in tmp_path.iterdir()} == {"a.svg", "a.png", "a.gif", "cup"}
    refused = computer.card_envs("play", "plain_game", "--against", "bot", code=2, **SHORT)
    assert refused.startswith("card-envs: Plain Game comes without a bot; play against random")
    assert refused.count("\n") == 1


@pytest.fixture
def two_versions() -> Iterator[list[str]]:
    """Two versions of one game, registered for one test."""
    made = [games.register_game(home) for home in ("card_envs.templates.my_game", "tests.support.two_versions:SECOND")]
    yield [game.id for game in made]
    for game in made:
        games.unregister_game(game)


def test_two_versions_are_side_by_side(two_versions: list[str], tmp_path: Path) -> None:
    assert two_versions == ["card_envs/MyGame-v0", "card_envs/MyGame-v1"]
    assert all(one in gymnasium.registry for one in two_versions)
    assert card_envs.get_game("my_game").key == "my_game_v1"
    assert card_envs.get_game("my_game", 0) is card_envs.get_game("my_game_v0") is card_envs.get_game(two_versions[0])
    with pytest.raises(UnknownGameError, match=r"^there is no version 7 of my_game; there is v0, v1$"):
        card_envs.get_game("my_game", 7)
    for version in (0, 1):
        with Tournament(f"my_game_v{version}", agents=["random"], games=2, out=tmp_path / str(version)) as cup:
            cup.run()
        with Tournament.resume(tmp_path / str(version)) as cup:
            assert cup.setting.rules is card_envs.get_game("my_game", version)
            assert cup.store.settings()["version"] == str(version)
            assert cup.store.settings()["rules"].startswith(two_versions[version])


def test_a_tournament_of_a_game_that_nobody_registered_imports_nothing(tmp_path: Path) -> None:
    with Tournament("zum_kuhkuck", agents=["random"], games=2, out=tmp_path / "cup") as cup:
        cup.run()
    change(tmp_path / "cup", "UPDATE settings SET value = 'antigravity' WHERE name = 'game'")
    sentence = (
        r"^the tournament in .*cup cannot be used here: there is no game 'antigravity': there are king_lui[^\n]*$"
    )
    for use in (Tournament.resume, lambda folder: Replay(folder, 0)):
        with pytest.raises(CardEnvsError, match=sentence):
            use(tmp_path / "cup")
    library = TournamentLibrary([tmp_path])
    assert "there is no game 'antigravity'" in library.summary(library.all()[0])["problem"]
    assert "antigravity" not in sys.modules


def test_what_the_page_says_can_be_typed(tmp_path: Path) -> None:
    """Every command of docs/add-a-game.md's walk, in a new folder, in its order."""
    computer = Computer(tmp_path / "site")
    page = (ROOT / "docs" / "add-a-game.md").read_text(encoding="utf-8")
    walk = page.split("## From nothing to a game that plays")[1].split("\n## ")[0]
    typed = []
    for kind, code in re.findall(r"^```(sh|python)\n(.*?)^```", walk, re.MULTILINE | re.DOTALL):
        if kind == "python":
            computer.python("-c", code, cwd=tmp_path)
            continue
        for line in code.splitlines():
            typed.append(line)
            follow(computer, shlex.split(line), tmp_path)
    assert [line.split()[1] for line in typed if line.startswith("card-envs")] == [
        "new-game", "games", "show", "play", "picture", "tournament", "web",
    ]  # fmt: skip
    assert (tmp_path / "runs" / "my_game" / "report.html").is_file()
    assert (tmp_path / "my_game.svg").is_file()


def follow(computer: Computer, command: list[str], folder: Path) -> None:
    """Do what a command does; what needs a network or a browser, without them."""
    if command[:3] == ["pip", "install", "-e"]:
        install(folder / command[3], computer.site)
    elif command == ["card-envs", "web"]:
        serve_for_a_moment(computer, folder)
    elif command[0] == "card-envs":
        computer.card_envs(*command[1:], cwd=folder, typed="1\n" * 100)
    else:
        assert command[0] == "python", f"a command that this test does not know: {command}"
        computer.python(*command[1:], cwd=folder)


def serve_for_a_moment(computer: Computer, folder: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "card_envs",
        "web",
        "--port",
        "0",
        "--no-open",
        "--state",
        str(folder / "w.sqlite"),
    ]
    with subprocess.Popen(command, env=computer.environment(), stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        try:
            address = re.search(r"http://127\.0\.0\.1:\d+/", server.stdout.readline())
            assert address
            with urllib.request.urlopen(f"{address[0]}api/setup", timeout=60) as answer:
                assert b'"my_game"' in answer.read()
        finally:
            server.send_signal(signal.SIGINT)
