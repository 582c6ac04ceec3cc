"""`card-envs tournament`, `report` and `replay`: ratings of agents, the page that shows them, and any game again."""

from __future__ import annotations

import datetime
import glob
import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from card_envs.cli.exploit import INTERRUPTED, exploit
from card_envs.cli.find import find
from card_envs.cli.match import match
from card_envs.cli.options import Options, read_options
from card_envs.cli.serve_agent import serve_agent
from card_envs.errors import OptionError

Folder = Annotated[str, typer.Argument(help="The folder of a tournament.", show_default=False)]


class SeveralAgents(TyperCommand):
    """A command whose `--agents` takes all that follows up to the next option, as a shell's `*` would give it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Repeat the option before each of its values, which is what the parser understands."""
        repeated: list[str] = []
        following = False
        for value in args:
            if value == "--agents":
                following = True
            elif value.startswith("-"):
                following = False
                repeated.append(value)
            else:
                repeated += ["--agents", value] if following else [value]
        return super().parse_args(ctx, repeated)


def find_agents(values: Iterable[str]) -> list[str]:
    """Names and paths, with patterns such as `runs/*.safetensors` replaced by the files, each file once."""
    from card_envs.agents.naming import options_text, parse_agent

    found: list[str] = []
    for value in values:
        name = parse_agent(value)
        if not glob.has_magic(name.agent) or Path(name.agent).exists():
            found.append(value)
            continue
        files = sorted(glob.glob(name.agent, recursive=True), key=_by_numbers)  # noqa: PTH207  # absolute ones too
        if not files:
            raise OptionError(f"no file matches {name.agent!r}; give names of agents, or paths of checkpoints")
        if name.alias and len(files) > 1:
            raise OptionError(f"{len(files)} files match {name.agent!r}, and only one can be called {name.alias!r}")
        named = [parse_agent(one).text for one in found]
        new = [text for file in files if (text := f"{file}{options_text(name.options)}") not in named]
        found += [f"{name.alias}={text}" if name.alias else text for text in new]
    return found


def _by_numbers(name: str) -> list[tuple[int, str]]:
    """So that step-900 comes before step-1000."""
    return [(int(piece), "") if piece.isdigit() else (0, piece) for piece in re.split(r"(\d+)", name)]


def tournament(
    game: Annotated[str | None, typer.Argument(help="A game's name; none with --resume.", show_default=False)] = None,
    agents: Annotated[
        list[str] | None,
        typer.Option(
            help="Names, checkpoints' paths or patterns such as 'runs/*.safetensors', one after the other; also "
            "mine=PATH, champion:greedy, champion:temperature=0.5."
        ),
    ] = None,
    players: Annotated[int | None, typer.Option(help="Number of players; the game's default if not given.")] = None,
    games: Annotated[int | None, typer.Option(help="About how many games in all; 10000 if not given.")] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            help="The same seed gives the same tournament; 0 if not given, or by lot with --isolate, command and chat."
        ),
    ] = None,
    out: Annotated[str | None, typer.Option(help="A new folder for the games; one in runs/ if not given.")] = None,
    isolate: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="Play agents of other packages in processes of their own; who takes longer for an answer forfeits.",
        ),
    ] = None,
    resume: Annotated[str | None, typer.Option(help="Go on with the tournament in this folder.")] = None,
    workers: Annotated[int, typer.Option(help="Number of processes.", min=1, max=256)] = 1,
    ray: Annotated[str | None, typer.Option(help="Play on a Ray cluster: auto, or its address.")] = None,
    option: Options = None,
) -> None:
    """Let agents play each other in balanced line-ups, every deal in every seat rotation, and rate them."""
    from card_envs.arena.tournament import Tournament

    found = find_agents(agents or [])
    if ray is not None:
        from card_envs.cluster import check_cluster

        check_cluster(ray)
    if resume is not None:
        fixed = {
            "a game": game,
            "--players": players,
            "--seed": seed,
            "--isolate": isolate,
            "--out": out,
            "--option": option,
        }
        for what, value in fixed.items():
            if value is not None:
                raise OptionError(f"--resume goes on with what was begun in {resume}; leave out {what}")
        with _warnings_told():
            made = Tournament.resume(resume, agents=found, games=games)
    else:
        if game is None:
            raise OptionError("name a game before --agents, or a folder with --resume; card-envs games lists the games")
        if not found:
            raise OptionError("name the agents that take part, such as: --agents random bot")
        folder = out or f"runs/tournament-{game}-{datetime.datetime.now():%Y%m%d-%H%M%S}"
        with _warnings_told():
            made = Tournament(
                game,
                agents=found,
                players=players,
                games=10_000 if games is None else games,
                seed=seed,
                isolate=isolate,
                out=folder,
                **read_options(option),
            )
    _run(made, workers, ray)


def _run(made: Any, workers: int, ray: str | None) -> None:
    """Play with a bar; whatever happens, say where the games are and how to go on."""
    from card_envs.arena.report import write_page

    folder = made.store.folder
    where = f"go on with: card-envs tournament --resume {folder}"
    with made:
        _tell(f"{made.setting.rules.title}: {len(made.entrants)} agents, {made.games} games, kept in {folder}")
        if told := [one.name for one in made.entrants if one.speaks]:
            _tell(
                f"{', '.join(told)}: told games in words; such games come out otherwise each time and are not replayed"
            )
        if workers > 1 and ray is None:
            made.setting.rules.loops.play_on  # noqa: B018  # compiled once, here, where it is announced
            _tell(f"starting {workers} processes, which takes a few seconds")
        try:
            standings = made.run(workers=workers, ray=ray, progress=True)
        except KeyboardInterrupt:
            _tell(f"Stopped. {made.games_played} of {made.games} games are kept in {folder}; {where}")
            raise typer.Exit(INTERRUPTED) from None
        except Exception:
            _tell(f"{made.games_played} of {made.games} games are kept in {folder}; {where}")
            raise
        page = write_page(folder, standings, made.entrants)
    print(f"{standings}\n\nGames: {made.store.path}\nReport: {page} (card-envs report {folder} --open shows it)")


@contextmanager
def _warnings_told() -> Iterator[None]:
    """Warnings as one line each, without the place in the code that a program's author would want."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    for warning in caught:
        _tell(str(warning.message))


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def report(
    folder: Folder,
    show: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Also write standings.csv.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Also write standings.json, with everything.")] = False,
    out: Annotated[str | None, typer.Option(help="Write into this folder; the tournament's if not given.")] = None,
) -> None:
    """Write report.html, one page that needs no network: standings, head-to-head, seats, points, line-ups."""
    from card_envs.arena.report import write_and_tell

    pages, sentences = write_and_tell(folder, csv=csv, json=json, out=out)
    for line in (*pages, *sentences):
        print(line)
    if show:
        typer.launch(str(pages[0].resolve()))


def replay(
    folder: Annotated[
        str, typer.Argument(help="The folder of a tournament, or a game.json from the web page.", show_default=False)
    ],
    number: Annotated[
        int | None, typer.Argument(help="The game's number in its tournament, from 0 on.", show_default=False)
    ] = None,
    language: Annotated[str, typer.Option(help="en, de, fr or it.")] = "en",
    detailed: Annotated[bool, typer.Option("--detailed", help="Also legal actions and observations.")] = False,
    svg: Annotated[Path | None, typer.Option(help="Draw one position into this file instead of printing.")] = None,
    gif: Annotated[Path | None, typer.Option(help="Draw the whole game into this file instead of printing.")] = None,
    move: Annotated[int | None, typer.Option(help="With --svg: after so many moves; at the end if not given.")] = None,
    seat: Annotated[int | None, typer.Option(help="In pictures: what this seat may see; else the table.")] = None,
    speed: Annotated[float, typer.Option(help="With --gif: moves per second.", min=0.1, max=50.0)] = 2.0,
) -> None:
    """Play a game of a tournament, or one that was saved, again, exactly, and print it turn by turn, or draw it."""
    from card_envs.arena.game_file import GameFile, read_game
    from card_envs.arena.replay import Replay
    from card_envs.core.options import one_of
    from card_envs.presentation.languages import LANGUAGES
    from card_envs.presentation.playthrough import tell_game

    one_of(language, "language", LANGUAGES)
    game: Replay | GameFile
    if folder.endswith(".json"):
        if number is not None:
            raise OptionError(f"{folder} is one game, and has no game {number}; leave out the number")
        game = read_game(Path(folder))
    elif number is None:
        raise OptionError(f"which game of {folder}? add its number, from 0 on, such as: card-envs replay {folder} 0")
    else:
        game = Replay(folder, number)
    if svg is not None or gif is not None:
        from card_envs.cli.film import write_pictures

        write_pictures(game, svg=svg, gif=gif, move=move, seat=seat, language=language, per_second=speed)
        return
    moves = iter(game.moves)
    print(folder if number is None else f"game {number} of {folder}")
    for piece in tell_game(
        game.batch.copy(), lambda _: next(moves)[1], language=language, detailed=detailed, names=game.agents
    ):
        print(piece)


def add_commands(app: typer.Typer) -> None:
    """Put everything that lets agents play each other on the command line."""
    app.command()(match)
    app.command()(exploit)
    app.command(cls=SeveralAgents)(tournament)
    app.command()(report)
    app.command()(replay)
    app.command()(find)
    app.command()(serve_agent)
