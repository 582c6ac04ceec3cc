"""Pictures of a table."""

from __future__ import annotations

import copy
import importlib.util
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import card_envs
from card_envs import king_lui_v0
from card_envs.cli.picture import draw_position
from card_envs.drawing.canvas import Canvas
from card_envs.drawing.look import SHAPES, Look
from card_envs.drawing.metrics import FONT_FILES, shorten, text_width, widths
from card_envs.drawing.pixels import to_pixels
from card_envs.envs.aec import CardGameEnv
from card_envs.errors import OptionError
from card_envs.presentation.languages import LANGUAGES, people
from tests.support.commands import run
from tests.support.registered import GAMES, WITH_DRAWING

ROOT = Path(__file__).parents[2]
TABLES = [(game, players) for game in GAMES for players in card_envs.get_game(game).players]
SVG = "{http://www.w3.org/2000/svg}"


def positions(game: str, players: int, seed: int = 0) -> Iterator[Any]:
    """A batch of one random game in each of its positions, the last one too."""
    batch = card_envs.make_batch(game, 1, players=players, seed=seed, auto_reset=False)
    rng = np.random.default_rng(seed)
    yield batch
    while batch.seat[0] >= 0:
        batch.step_one(int(rng.choice(np.flatnonzero(batch.action_mask[0]))))
        yield batch


def look_of(batch: Any, **more: Any) -> tuple[dict[str, Any], Look]:
    """What the seat to act sees, with its legal actions."""
    seat = max(int(batch.seat[0]), 0)
    actions = {int(action): batch.game.actions[action] for action in np.flatnonzero(batch.action_mask[0])}
    return batch.game.view(batch.states[0], seat), Look(seat=seat, actions=actions, **more)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("game", "players"), TABLES)
def test_all_that_is_drawn_is_inside_the_picture(game: str, players: int, shape: str) -> None:
    for number, batch in enumerate(positions(game, players)):
        view, look = look_of(batch, shape=shape, language=LANGUAGES[number % 4], names=["a rather long name"] * players)
        picture = ET.fromstring(batch.game.drawing(view, look))
        width, height = float(picture.attrib["width"]), float(picture.attrib["height"])
        for text in picture.iter(f"{SVG}text"):
            if "stroke" in text.attrib:
                continue  # part of an icon, in the icon's own scale
            x, y, size = (float(text.attrib[name]) for name in ("x", "y", "font-size"))
            long = text_width(text.text or "", size, "font-weight" in text.attrib)
            left = x - long * {"start": 0.0, "middle": 0.5, "end": 1.0}[text.attrib.get("text-anchor", "start")]
            assert left >= 0, text.text
            assert left + long <= width, text.text
            assert size * 0.7 <= y <= height, text.text
        for rect in (element for element in picture if element.tag == f"{SVG}rect"):
            box = {name: float(rect.attrib.get(name, 0)) for name in ("x", "y", "width", "height")}
            assert min(box.values()) >= 0
            assert box["x"] + box["width"] <= width
            assert box["y"] + box["height"] <= height


@pytest.mark.parametrize("game", GAMES)
def test_no_name_is_cut_in_any_language_on_any_screen(game: str) -> None:
    for players in card_envs.get_game(game).players:
        for number, batch in enumerate(positions(game, players, seed=3)):
            language = LANGUAGES[number % 4]
            names = people(["", *["champion"] * (players - 1)], language, 0)
            for shape in SHAPES:
                view = batch.game.view(batch.states[0], 0)
                picture = batch.game.drawing(view, Look(language=language, shape=shape, seat=0, names=names))
                assert "…" not in picture, (players, number, shape)


def test_a_name_that_is_too_wide_is_parted_where_it_may_be() -> None:
    for width, parts in ((200, ["farmhouse"]), (52, ["farm-", "house"])):
        canvas = Canvas(Look(shape="tall"), 400)
        canvas.lines(50, 50, "farm\u00adhouse", 11.6, width)
        assert re.findall(r">([\w-]+)</text>", canvas.svg(100, "")) == parts


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_every_legal_action_can_be_clicked_and_no_other(game: str, players: int) -> None:
    for batch in positions(game, players):
        svg = batch.game.drawing(*look_of(batch))
        marked = {int(number) for found in re.findall(r'data-actions="([\d ]+)"', svg) for number in found.split()}
        legal = {int(action) for action in np.flatnonzero(batch.action_mask[0])}
        assert marked <= legal
        assert {batch.game.actions[action] for action in legal - marked} <= {"pass", "wait"}
        view, look = look_of(batch)
        assert "data-actions" not in batch.game.drawing(view, Look(seat=look.seat))


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_a_seats_picture_does_not_depend_on_what_the_seat_cannot_know(game: str, players: int) -> None:
    for number, batch in enumerate(positions(game, players)):
        for seat in range(players) if number % 3 == 0 and batch.seat[0] >= 0 else ():  # then hands are turned over
            other = batch.copy()
            other.redraw_hidden(seat, seed=number)
            pictures = {
                table.game.drawing(table.game.view(table.states[0], seat), Look(seat=seat)) for table in (batch, other)
            }
            assert len(pictures) == 1


@pytest.mark.parametrize("game", WITH_DRAWING)
def test_card_names_come_in_four_languages_and_colours_in_two_themes(game: str) -> None:
    env = CardGameEnv(card_envs.get_game(game))
    env.reset(seed=7)
    assert len({env.to_svg(language=language) for language in LANGUAGES}) == 4
    light, dark, both = (env.to_svg(theme=theme) for theme in ("light", "dark", "auto"))
    style = re.compile("<style>.*</style>")
    assert style.sub("", light) == style.sub("", dark) == style.sub("", both)
    assert light != dark
    assert "prefers-color-scheme:dark" in both


@pytest.mark.parametrize("game", WITH_DRAWING)
def test_the_picture_of_a_position_is_still_the_one_in_the_docs(game: str) -> None:
    path = ROOT / "docs" / "pictures" / f"{game}.svg"
    now = draw_position(game, seed=7, moves=30, look=Look(theme="auto"))
    assert path.read_text(encoding="utf-8") == now, f"if meant: card-envs picture {game} --moves 30 --out {path}"


@pytest.mark.parametrize("game", WITH_DRAWING)
def test_pictures_that_leave_the_page_say_the_move_and_at_the_end_who_won(game: str) -> None:
    assert "Player " in draw_position(game, seed=7, moves=9, look=Look()).split("<text")[-1]
    ended = draw_position(game, seed=7, moves=10_000, look=Look(language="de", theme="dark")).split("<text")[-1]
    assert re.search("gewinnt [0-9]+ : [0-9]+|teilen sich den Sieg", ended)


def test_names_cannot_bring_markup_into_a_picture() -> None:
    svg = draw_position("king_lui", seed=1, moves=3, look=Look(names=['<script>alert("x")</script>', "a&b", "c", "d"]))
    assert "<script" not in svg
    assert "&lt;script&gt;" in svg
    ET.fromstring(svg)


def test_text_is_measured_as_the_font_has_it_and_shortened_to_fit() -> None:
    from fontTools.ttLib import TTFont

    for bold, path in FONT_FILES.items():
        font = TTFont(path)
        units = font["head"].unitsPerEm
        assert widths(bold) == {code: font["hmtx"][glyph][0] / units for code, glyph in font.getBestCmap().items()}
        assert all(ord(letter) in widths(bold) for letter in "äöüÄÖÜßàâçéèêëîïôùûœÀÉÈÙìòù’«»·×▲★✓…–")
    assert text_width("iii", 10) < text_width("mmm", 10) < text_width("mmm", 10, bold=True)
    assert text_width("Käse", 20) == pytest.approx(2 * text_width("Käse", 10))
    short = shorten("a very long name", 50, 12)
    assert short.endswith("…")
    assert text_width(short, 12) <= 50


def test_a_second_click_on_the_same_thing_can_mean_something() -> None:
    canvas = Canvas(Look(actions={1: "one", 2: "two"}), 100)
    with canvas.playable([1, 2, 3], 0, 0, 10, 10, twice=2):
        pass
    assert 'data-actions="1 2" data-twice="2"' in canvas.svg(10, "")


@pytest.mark.parametrize("game", GAMES)
def test_pixels_are_the_picture_in_a_frame_that_never_changes(game: str) -> None:
    env = CardGameEnv(card_envs.get_game(game), render_mode="rgb_array")
    env.reset(seed=7)
    first = env.render()
    assert isinstance(first, np.ndarray)
    assert first.shape == (900, 1200, 3)
    assert first.dtype == np.uint8
    assert (first == to_pixels(env.to_svg())).all()
    colours = len(np.unique(first[::5, ::5].reshape(-1, 3), axis=0))
    assert colours > (50 if env.game.has_drawing else 5)
    env.step(int(env.last()[0]["action_mask"].argmax()))
    second = env.render()
    assert second.shape == first.shape
    assert (second != first).any()


def test_one_sees_ones_own_seat_in_gymnasium() -> None:
    env = gym.make("card_envs/KingLui-v0", seat=2, render_mode="rgb_array", language="de").unwrapped
    env.reset(seed=1)
    assert env.to_svg() == env.game.drawing(env.view(), Look(seat=2, language="de"))
    assert env.view()["hands"][2]["drawn"] is not None
    assert env.view()["hands"][0]["drawn"] is None
    assert (env.render() == to_pixels(env.to_svg())).all()
    env.close()


def test_a_notebook_shows_the_table_and_a_seats_picture() -> None:
    env = king_lui_v0.env()
    assert env._repr_svg_() is None
    env.reset(seed=1)
    assert env._repr_svg_() == env.to_svg()
    assert env.to_svg(seat=1)._repr_svg_().startswith("<svg ")
    with pytest.raises(OptionError, match="seat must be a whole number from 0 to 3, not 9"):
        env.to_svg(seat=9)


def test_a_window_follows_the_game_and_closes() -> None:
    import pygame

    env = king_lui_v0.env(render_mode="human")
    env.reset(seed=0)
    window = env.unwrapped._renderer._window
    assert window._window.size[0] > 100
    env.step(7)
    twin, pickled = env.unwrapped.clone(), copy.deepcopy(env)
    assert twin._renderer._window._window is None
    assert pickled.unwrapped._renderer._window._window is None
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    env.render()
    assert window._window is None
    env.render()
    assert window._window is None, "whoever closed the window does not want it back"
    env.close()
    env.render()
    assert window._window is not None
    env.close()
    assert window._window is None


@pytest.mark.parametrize(("mode", "library"), [("rgb_array", "resvg_py"), ("human", "pygame")])
def test_without_the_libraries_one_sentence_says_how_to_install_them(
    mode: str, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == library else found(name))
    with pytest.raises(OptionError, match=rf"{mode}.*needs {library}.*pip install 'card-envs\[draw\]'"):
        king_lui_v0.env(render_mode=mode)


def test_the_command_writes_svg_and_png(tmp_path: Path) -> None:
    for name, begins in (("a.svg", b"<svg "), ("b.png", b"\x89PNG")):
        run("picture", "king_lui", "--players", "3", "--seat", "1", "--out", str(tmp_path / name))
        assert (tmp_path / name).read_bytes().startswith(begins)
    assert len(list(tmp_path.iterdir())) == 2
