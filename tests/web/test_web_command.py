"""`card-envs web` as a person starts it, `replay` in pictures, and many people at once."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from card_envs.arena.replay import Replay
from card_envs.arena.tournament import Tournament
from card_envs.bench.web import WebFigures, measure_web
from card_envs.cli.film import write_pictures
from card_envs.errors import OptionError
from card_envs.web.server import default_state, listen, serve, whom_it_opens_to
from tests.fuzz.web_attacks import reset
from tests.support.commands import run


def hang_up_early(port: int) -> None:
    """Ask for several answers at once, and be gone before they come."""
    request = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
    for number in range(40):
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(request * 3)
            if number % 2:
                reset(client)


def test_the_command_says_where_and_to_whom_it_is_open_and_stops_with_ctrl_c(tmp_path: Path) -> None:
    everybody = "0"  # another way to write 0.0.0.0
    command = [sys.executable, "-m", "card_envs", "web", "--port", "0", "--no-open", "--host", everybody]
    command += ["--state", str(tmp_path / "w.sqlite")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdout
        line, second = server.stdout.readline(), server.stdout.readline()
        address = re.search(r"http://127\.0\.0\.1:\d+/", line)
        assert address, line
        assert str(tmp_path / "w.sqlite") in line
        assert second.startswith("It is open to everybody who can reach this computer on port ")
        assert "without encryption: they can play, watch finished games and see what --runs names" in second
        hang_up_early(int(address[0].rsplit(":")[-1].strip("/")))
        with urllib.request.urlopen(address[0], timeout=30) as page:
            assert b"/static/main.js" in page.read()
        server.send_signal(signal.SIGINT)
        _, said = server.communicate()
        assert server.returncode == 0
        assert said == ""


def test_a_port_that_is_taken_and_a_folder_that_is_missing_are_refused_in_one_sentence(tmp_path: Path) -> None:
    with listen("127.0.0.1", 0) as taken:
        port = str(taken.getsockname()[1])
        error = run("web", "--no-open", "--port", port, "--state", str(tmp_path / "w.sqlite"), code=2)
        assert error.startswith(f"card-envs: cannot serve on 127.0.0.1 port {port} (Address already in use)")
    missing = tmp_path / "nowhere"
    error = run("web", "--no-open", "--runs", str(missing), code=2)
    assert error.startswith(f"card-envs: there is no folder {missing}; --runs names folders")
    assert not list(tmp_path.iterdir()), "something was left half-done"


def test_a_file_of_games_that_is_none_leaves_the_port_free(tmp_path: Path) -> None:
    (tmp_path / "w.sqlite").write_text("a diary")
    with listen("127.0.0.1", 0) as free:
        port = free.getsockname()[1]
    with pytest.raises(OptionError, match=r"w\.sqlite"):
        serve(runs=[], host="127.0.0.1", port=port, state=tmp_path / "w.sqlite", allow_hosts=[], open_browser=False)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port)).close()


def test_other_computers_are_told_of_by_the_address_that_was_bound() -> None:
    everybody, somebody = whom_it_opens_to("::", 80), whom_it_opens_to("192.168.1.5", 80)
    assert "everybody who can reach this computer on port 80, by any of its addresses and" in everybody
    assert "everybody who can reach this computer on port 80, by the address 192.168.1.5 and" in somebody
    assert not any(whom_it_opens_to(own, 80) for own in ("127.0.0.1", "127.0.0.2", "::1"))


def test_without_the_libraries_one_sentence_says_how_to_install_them(monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "fastapi" else found(name))
    with pytest.raises(OptionError, match=r"needs fastapi, which is not installed; .*pip install 'card-envs\[web\]'"):
        serve(runs=[], host="127.0.0.1", port=0, state=None, allow_hosts=[], open_browser=False)


def test_games_are_kept_in_the_users_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(os.environ, "XDG_STATE_HOME", str(tmp_path))
    assert default_state() == tmp_path / "card_envs" / "web.sqlite"
    monkeypatch.delitem(os.environ, "XDG_STATE_HOME")
    assert default_state().is_relative_to(Path.home())


def test_a_whole_game_of_a_tournament_as_gif(tmp_path: Path, tiny_game: str) -> None:
    from PIL import Image

    with Tournament(tiny_game, agents=["bot", "random"], games=6, seed=1, out=tmp_path / "cup") as cup:
        cup.run()
    svg, gif = tmp_path / "game.svg", tmp_path / "game.gif"
    said = run("replay", str(tmp_path / "cup"), "1", "--svg", str(svg), "--gif", str(gif))
    assert said == f"wrote {svg}\nwrote {gif}\n"
    with Image.open(gif) as film:
        assert film.n_frames == len(Replay(tmp_path / "cup", 1).moves) + 1  # type: ignore[attr-defined]
        assert film.size == (800, 600)


def test_a_game_of_a_tournament_in_pictures(tmp_path: Path) -> None:
    with Tournament("king_lui", agents=["bot", "random"], players=3, games=6, seed=1, out=tmp_path / "cup") as cup:
        cup.run()
    svg = tmp_path / "game.svg"
    assert run("replay", str(tmp_path / "cup"), "1", "--svg", str(svg), "--language", "fr") == f"wrote {svg}\n"
    assert "la partie est finie" in svg.read_text(encoding="utf-8")
    replay = Replay(tmp_path / "cup", 1)
    options = {"gif": None, "language": "en", "per_second": 2.0}
    write_pictures(replay, svg=svg, move=0, seat=1, **options)
    assert "the game is over" not in svg.read_text(encoding="utf-8")
    with pytest.raises(OptionError, match="the position must be a whole number from 0 to"):
        write_pictures(replay, svg=svg, move=9999, seat=None, **options)
    with pytest.raises(OptionError, match="the seat must be a whole number from 0 to 2, not 3"):
        write_pictures(replay, svg=svg, move=0, seat=3, **options)
    with pytest.raises(OptionError, match=r"cannot write /proc/nowhere/game\.svg"):
        write_pictures(replay, svg=Path("/proc/nowhere/game.svg"), move=0, seat=None, **options)


def test_many_people_at_once_meet_no_error() -> None:
    """How fast they are answered is measured by `card-envs bench --web`, not here."""
    figures = measure_web(people=20, seconds=0.5, think=0.05)
    assert figures.errors == []
    assert figures.games >= 20
    assert len(figures.seconds) >= 20
    assert "0 errors" in str(figures)


def test_quantiles() -> None:
    figures = WebFigures(seconds=[number / 1000 for number in range(100)])
    assert figures.quantile(0.95) == 0.095
    assert figures.quantile(1.0) == 0.099
