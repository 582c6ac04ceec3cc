"""How agents are spelt: options, aliases, and paths that look like either."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import card_envs
from card_envs.agents import loading
from card_envs.agents.checkpoint import CheckpointAgent
from card_envs.agents.naming import AgentName, named_agents, parse_agent
from card_envs.arena import Tournament
from card_envs.cli.tournament import find_agents
from card_envs.errors import OptionError
from tests.support.checkpoint_files import random_weights, write

SPELLINGS = [
    ("champion", AgentName("champion")),
    ("champion()", AgentName("champion")),
    ("champion:greedy", AgentName("champion", {"greedy": True})),
    ("champion(greedy)", AgentName("champion", {"greedy": True})),
    ("champion(greedy=false)", AgentName("champion", {"greedy": False})),
    ("champion:temperature=0.5", AgentName("champion", {"temperature": 0.5})),
    ("champion( temperature = 2 )", AgentName("champion", {"temperature": 2})),
    (
        'search(model="champion(greedy)", playouts=256, how=deep)',
        AgentName("search", {"model": "champion(greedy)", "playouts": 256, "how": "deep"}),
    ),
    (r'search(model="C:\runs\a.safetensors")', AgentName("search", {"model": r"C:\runs\a.safetensors"})),
    ("mine=champion:greedy", AgentName("champion", {"greedy": True}, "mine")),
    ("runs/a.safetensors(greedy)", AgentName("runs/a.safetensors", {"greedy": True})),
    ("mine=runs/a.safetensors", AgentName("runs/a.safetensors", {}, "mine")),
    # what ends like a path is one, whatever it has in it
    (r"C:\runs (old)\a:b(1).safetensors", AgentName(r"C:\runs (old)\a:b(1).safetensors")),
    (r"C:\a.safetensors:greedy", AgentName(r"C:\a.safetensors", {"greedy": True})),
    ("runs/temperature=1/a.safetensors", AgentName("runs/temperature=1/a.safetensors")),
    ("a.safetensors(1)/b.safetensors:greedy", AgentName("a.safetensors(1)/b.safetensors", {"greedy": True})),
    (r"C:\somewhere", AgentName(r"C:\somewhere")),
]


@pytest.mark.parametrize(("text", "meant"), SPELLINGS, ids=[text for text, _ in SPELLINGS])
def test_a_spelling_means_what_it_says(text: str, meant: AgentName) -> None:
    assert parse_agent(text) == meant


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("champion(greedy", r"the options of 'champion\(greedy' must end with a parenthesis"),
        ("champion(greedy,)", "cannot be read from 'greedy,' on"),
        ("champion(a=1,,b)", "cannot be read from ',b' on"),
        ("champion(a b)", "cannot be read from 'a b' on; they are spelt agent"),
        ("champion(a, a)", "the option 'a' is given twice"),
    ],
)
def test_what_cannot_be_read_is_refused(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        parse_agent(text)


def test_every_spelling_has_one_form() -> None:
    forms = {parse_agent(text).text for text in ("a:x=0.5", "a(x=0.5)", "a( x = .5 )")}
    assert forms == {"a(x=0.5)"}
    told = AgentName("a", {"b": 'say "x" \\ y', "c": True, "a": False})
    assert told.text == r'a(a=false, b="say \"x\" \\ y", c)'
    assert parse_agent(told.text) == told


def test_a_file_that_looks_like_an_alias_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "a=b.safetensors")
    assert parse_agent("a=b.safetensors") == AgentName("a=b.safetensors")
    assert parse_agent("c=b.safetensors").alias == "c"
    assert parse_agent(Path("c=b.safetensors(greedy)")) == AgentName("c=b.safetensors(greedy)")
    assert named_agents(["a=b.safetensors", "x=bot"], "") == [("", "a=b.safetensors"), ("x", "bot")]


class TestTrainedPlayers:
    def agents(self, *spellings: str) -> list[Any]:
        return [card_envs.load_agent("king_lui", spelling, seed=1) for spelling in spellings]

    def test_greedy_takes_the_likeliest_and_temperature_sharpens_or_flattens(self) -> None:
        batch = card_envs.make_batch("king_lui", 200, players=4, seed=3)
        usual, greedy, cold, hot = (
            one.probabilities(batch.observation, batch.action_mask)
            for one in self.agents(
                "champion", "champion:greedy", "champion(temperature=0.25)", "champion:temperature=4"
            )
        )
        assert (greedy.argmax(axis=1) == usual.argmax(axis=1)).all()
        assert set(np.unique(greedy)) == {0, 1}
        best = [likely.max(axis=1).mean() for likely in (hot, usual, cold, greedy)]
        assert best == sorted(best)
        assert len(set(best)) == 4
        expected = usual**4 / (usual**4).sum(axis=1, keepdims=True)
        assert np.abs(cold - expected).max() < 1e-6
        assert (hot[batch.action_mask == 0] == 0).all()

    def test_the_usual_way_has_one_identity_and_every_other_its_own(self) -> None:
        spellings = ("champion", "champion(temperature=1)", "champion(greedy=false)", "champion:greedy",
                     "champion(greedy=true)", "champion:temperature=0.5", "champion:temperature=2")  # fmt: skip
        agents = self.agents(*spellings)
        assert [one.name for one in agents] == ["champion"] * 3 + ["champion(greedy)"] * 2 + [
            "champion(temperature=0.5)",
            "champion(temperature=2.0)",
        ]
        assert len({one.content_hash for one in agents}) == 4
        assert agents[0].content_hash == agents[0].checkpoint.content_hash

    @pytest.mark.parametrize(
        ("spelling", "message"),
        [
            ("champion:bold", "the trained player 'champion' has no option bold; it has greedy and temperature"),
            ("champion:temperature=0", r"temperature must be a number from 0\.01 to 100, not 0; greedy takes"),
            ("champion:temperature=hot", "temperature must be a number from .* not 'hot'"),
            ("champion:greedy=1", "greedy is true or false, not 1"),
            ("champion(greedy, temperature=2)", "a greedy player draws no lots, so it has no temperature"),
            ("random:greedy", "the agent 'random' has no options; leave out greedy"),
            ("bot(x=1)", "the agent 'bot' has no options; leave out x"),
            ("champoin:greedy", "there is no agent 'champoin': did you mean 'champion'"),
            ("mine=bot", "'mine=bot' calls an agent 'mine', which is for tournaments and matches; give 'bot'"),
            ("none.safetensors:greedy", r"cannot use none\.safetensors as a player: there is no such file"),
        ],
    )
    def test_what_cannot_be_is_one_sentence(self, spelling: str, message: str) -> None:
        with pytest.raises((OptionError, ValueError), match=message):
            card_envs.load_agent("king_lui", spelling)

    def test_by_name_everywhere(self, tmp_path: Path) -> None:
        path = write(tmp_path / "a.safetensors", step=0)
        greedy = f"{path}:greedy"
        line_up = [greedy, "champion:greedy", "mine=champion:temperature=0.5"]
        result = card_envs.play_match("king_lui", line_up, games=50, seed=1)
        assert result.agents == (f"{path}(greedy)", "champion(greedy)", "mine")
        by_object = [CheckpointAgent(path, "king_lui", greedy=True), "champion(greedy)", "champion(temperature=0.5)"]
        assert (card_envs.play_match("king_lui", by_object, games=50, seed=1).points == result.points).all()
        plain = card_envs.play_match("king_lui", [path, "champion", "champion"], games=50, seed=1)
        assert (plain.points != result.points).any()
        env = gym.make("card_envs/KingLui-v0", players=3, opponents=[greedy, "champion:temperature=2"])
        env.reset(seed=1)
        vector = gym.make_vec(
            "card_envs/KingLui-v0", num_envs=4, players=3, opponents={greedy: 1, "champion:greedy": 1}
        )
        vector.reset(seed=1)
        with Tournament("king_lui", agents=[greedy, "champion:greedy", "mine=champion"], games=30) as tournament:
            assert tournament.run().names == ("a(greedy)", "champion(greedy)", "mine")

    def test_in_the_browser_by_its_one_spelling(self) -> None:
        library_module = pytest.importorskip("card_envs.web.agent_library")
        library, game = library_module.AgentLibrary(), card_envs.get_game("king_lui")
        assert "champion(greedy)" in [one.id for one in library.choices(game, 3)]
        assert library.load(game, 3, "champion(greedy)").choosing.greedy
        for other in ("champion:temperature=0.5", "champion( greedy )"):
            with pytest.raises(library_module.NotFoundError, match="there is no agent"):
                library.load(game, 3, other)


class Oracle:
    """An agent of another package that has options."""

    name = "oracle"

    def __init__(self, game: Any, seed: int | None, model: str = "bot", playouts: int = 8) -> None:
        self.model, self.playouts = model, playouts

    def act(self, observation: Any, action_mask: Any) -> Any:
        return action_mask.argmax(axis=1)


def test_agents_of_other_packages_have_options(monkeypatch: pytest.MonkeyPatch) -> None:
    point = importlib.metadata.EntryPoint("oracle", f"{__name__}:Oracle", loading.GROUP)
    monkeypatch.setattr(loading, "entry_points", lambda group: [point])
    found: Any = card_envs.load_agent("king_lui", 'oracle(model="champion(greedy)", playouts=256)')
    assert (found.model, found.playouts) == ("champion(greedy)", 256)
    with pytest.raises(OptionError, match="the agent 'oracle' has no option 'plyouts'; it has model, playouts"):
        card_envs.load_agent("king_lui", "oracle:plyouts=3")
    with Tournament("king_lui", agents=["oracle", "oracle:playouts=9", "bot"], games=30) as tournament:
        standings = tournament.run()
    assert standings.names == ("oracle", "oracle(playouts=9)", "bot")
    assert len({row.content_hash for row in standings.rows}) == 3


def test_patterns_may_have_options_and_one_file_an_alias(tmp_path: Path) -> None:
    files = [
        str(write(tmp_path / f"{seed}.safetensors", weights=random_weights("king_lui", seed=seed))) for seed in (1, 2)
    ]
    assert find_agents([str(tmp_path / "*.safetensors:greedy")]) == [f"{file}(greedy)" for file in files]
    assert find_agents([f"mine={tmp_path}/1*.safetensors"]) == [f"mine={files[0]}"]
    assert find_agents([f"mine={files[0]}", f"{tmp_path}/*.safetensors"]) == [f"mine={files[0]}", files[1]]
    with pytest.raises(OptionError, match=r"2 files match .* and only one can be called 'mine'"):
        find_agents([f"mine={tmp_path}/*.safetensors"])
