"""`card-envs`: list the games, watch and play them, let agents meet, train, measure the speed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from card_envs import __version__
from card_envs.cli.options import Options, read_options
from card_envs.cli.tournament import SeveralAgents, add_commands
from card_envs.errors import CardEnvsError
from card_envs.notices import show_notices

app = typer.Typer(
    help="Three card games for training, studying and playing agents.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _names() -> list[str]:
    """For the shell's completion."""
    from card_envs.games import game_names

    return list(game_names())


GameName = Annotated[
    str,
    typer.Argument(help="A game's name, as `card-envs games` lists it.", show_default=False, autocompletion=_names),
]


def _version(wanted: bool) -> None:
    if wanted:
        print(f"card-envs {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


@app.command()
def games() -> None:
    """List the games with players, actions and observation size."""
    from card_envs.games import get_game
    from card_envs.games import rows as registered
    from card_envs.presentation.languages import text_table

    rows, problems = [], []
    for row in registered().values():
        try:
            game = get_game(row.name, row.version)
        except CardEnvsError as error:  # somebody's package is broken; the other games are not
            problems.append(f"{row.key}: {error}")
            continue
        choices = "at once" if game.simultaneous else "in turns"
        rows.append([row.name, row.id, game.players_text, choices, str(len(game.actions)), str(game.layout.size)])
    print(text_table(["game", "id", "players", "choices", "actions", "observation"], rows, indent=""))
    for problem in problems:
        print(problem, file=sys.stderr)


@app.command()
def describe(
    game: GameName,
    language: Annotated[str, typer.Option(help="en, de, fr or it.")] = "en",
) -> None:
    """Explain a game: how to play, options, actions, and what each number of an observation means."""
    import shutil

    from card_envs.core.options import one_of
    from card_envs.games import get_game
    from card_envs.presentation.description import describe as description
    from card_envs.presentation.languages import LANGUAGES

    one_of(language, "language", LANGUAGES)
    print(description(get_game(game), language, min(100, shutil.get_terminal_size().columns)))


@app.command()
def show(
    game: GameName,
    players: Annotated[int | None, typer.Option(help="Number of players; the game's default if not given.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed shows the same game.")] = 0,
    language: Annotated[str, typer.Option(help="en, de, fr or it.")] = "en",
    detailed: Annotated[bool, typer.Option("--detailed", help="Also legal actions and observations.")] = False,
    option: Options = None,
) -> None:
    """Play a game of random players and print it turn by turn."""
    from card_envs.core.options import one_of
    from card_envs.games import get_game
    from card_envs.presentation.languages import LANGUAGES
    from card_envs.presentation.playthrough import play_through

    one_of(language, "language", LANGUAGES)
    options = read_options(option, players=players)
    for piece in play_through(get_game(game), seed, language=language, detailed=detailed, **options):
        print(piece)


@app.command()
def play(
    game: GameName,
    against: Annotated[
        list[str] | None,
        typer.Option(
            help="An opponent: a name or a checkpoint's path. Once for all seats, or per seat.",
            show_default="bot, or who else the game has",
        ),
    ] = None,
    players: Annotated[int | None, typer.Option(help="Number of players.")] = None,
    seat: Annotated[int | None, typer.Option(help="Your seat; drawn by lot if not given.")] = None,
    seed: Annotated[int | None, typer.Option(help="The same seed deals the same cards.")] = None,
    language: Annotated[str, typer.Option(help="en, de, fr or it.")] = "en",
    hints: Annotated[
        str | None,
        typer.Option(help="The agent whose advice `h` gives.", show_default="bot, or who else the game has"),
    ] = None,
    option: Options = None,
) -> None:
    """Play in the terminal against agents."""
    from card_envs.cli.play import play as play_game
    from card_envs.core.options import one_of
    from card_envs.presentation.languages import LANGUAGES

    one_of(language, "language", LANGUAGES)
    options = read_options(option, players=players)
    play_game(game, against or [], options, seat=seat, seed=seed, language=language, hints=hints)


@app.command()
def picture(
    game: GameName,
    out: Annotated[Path | None, typer.Option(help="Where to write it: .svg or .png.", show_default="GAME.svg")] = None,
    players: Annotated[int | None, typer.Option(help="Number of players.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed draws the same game.")] = 7,
    moves: Annotated[
        int, typer.Option(help="After how many moves of bots, if the game has one.", min=0, max=100_000)
    ] = 24,
    seat: Annotated[int | None, typer.Option(help="What this seat may see; the whole table if not given.")] = None,
    language: Annotated[str, typer.Option(help="en, de, fr or it.")] = "en",
    theme: Annotated[str, typer.Option(help="light, dark or auto (as the reader's system).")] = "auto",
    shape: Annotated[str, typer.Option(help="wide, or tall for a phone.")] = "wide",
    option: Options = None,
) -> None:
    """Draw a position of a game between bots, or random players where there is no bot."""
    from card_envs.cli.picture import picture as draw
    from card_envs.drawing.look import Look

    look = Look(language=language, theme=theme, shape=shape, seat=seat)
    draw(game, out or Path(f"{game}.svg"), seed=seed, moves=moves, look=look, **read_options(option, players=players))


@app.command(cls=SeveralAgents)
def dataset(
    game: GameName,
    agents: Annotated[list[str], typer.Option(help="Who plays: names or checkpoints' paths; seats are drawn by lot.")],
    out: Annotated[Path, typer.Option(help="The new folder.")],
    games: Annotated[int, typer.Option(help="How many games.", min=1)] = 1000,
    players: Annotated[int | None, typer.Option(help="Number of players; the game's default if not given.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same games.")] = 0,
    option: Options = None,
) -> None:
    """Let agents play and write what they saw and did as a Minari dataset, with masks."""
    from card_envs.dataset import write_dataset

    folder = write_dataset(game, agents, games, out, seed=seed, **read_options(option, players=players))
    print(f"{folder}: open it with minari.MinariDataset({str(folder)!r})")


@app.command(
    add_help_option=False,  # `card-envs train --help` is the script's
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
def train(context: typer.Context) -> None:
    """Train a player: python -m training.self_play of a clone of the repository, with the same arguments."""
    from card_envs.cli.train import train as run_script

    run_script(context.args)


@app.command()
def new_game(
    name: Annotated[str, typer.Argument(help="What to call it, such as my_game.", show_default=False)],
    out: Annotated[Path | None, typer.Option(help="The new folder.", show_default="./NAME")] = None,
    inside: Annotated[
        bool, typer.Option("--inside", help="Into this clone of card_envs, as one of its games.")
    ] = False,
    title: Annotated[str | None, typer.Option(help='Its name for people, such as "My Game".')] = None,
) -> None:
    """Write a small card game that works, with tests, to be changed into a game of your own."""
    from card_envs.cli.new_game import new_game as write_game

    print(write_game(name, out=out, inside=inside, title=title))


@app.command()
def web(
    runs: Annotated[
        list[Path] | None, typer.Option(help="A folder with checkpoints and tournaments. Can be given several times.")
    ] = None,
    port: Annotated[int, typer.Option(help="0 for any that is free.", min=0, max=65535)] = 8317,
    host: Annotated[
        str, typer.Option(help="The address to serve on: this computer only, unless you say so.")
    ] = "127.0.0.1",
    state: Annotated[
        Path | None, typer.Option(help="The file in which games are kept.", show_default="your home")
    ] = None,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="Another name by which the server may be called.")
    ] = None,
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open the browser.")] = False,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            help="Another agent to choose, such as mine='command(\"python mine.py\")'. Can be given several times."
        ),
    ] = None,
) -> None:
    """Play in the browser, watch agents, step through games of tournaments."""
    from card_envs.web.server import serve

    serve(
        runs=runs or [],
        host=host,
        port=port,
        state=state,
        allow_hosts=allow_host or [],
        open_browser=not no_open,
        agents=agent or [],
    )


@app.command()
def bench(
    game: Annotated[list[str] | None, typer.Argument(help="Games to measure; all if none is named.")] = None,
    peers: Annotated[bool, typer.Option("--peers", help="Also OpenSpiel, RLCard and PettingZoo, with ratios.")] = False,
    tournament: Annotated[
        bool, typer.Option("--tournament", help="Tournaments, beside RLCard's; with --peers all else too.")
    ] = False,
    seconds: Annotated[float, typer.Option(help="How long to measure each figure.", min=0.01, max=60.0)] = 0.5,
    web: Annotated[bool, typer.Option("--web", help="Instead: a hundred people at the table in the browser.")] = False,
    search: Annotated[
        bool, typer.Option("--search", help="Instead: players that search, beside the engine and OpenSpiel's.")
    ] = False,
) -> None:
    """Measure decisions per second: one AEC environment, and batches on one thread and on all cores."""
    from card_envs.games import game_names

    if search:
        from card_envs.bench.search import print_search_report

        print_search_report(list(game or game_names()), seconds)
        return
    if web:
        from card_envs.bench.web import measure_web

        print(measure_web(seconds=max(seconds, 20.0)))
        return
    from card_envs.bench.report import print_report
    from card_envs.bench.tournament import print_tournament_report

    if peers or not tournament:
        print_report(list(game or game_names()), seconds, peers)
    if tournament:
        for name in game or ["king_lui"]:
            print_tournament_report(name, seconds)


add_commands(app)


def main() -> None:
    """Run the command; what this package refuses becomes one sentence and exit code 2."""
    show_notices()
    try:
        app()
    except CardEnvsError as error:
        print(f"card-envs: {error}", file=sys.stderr)
        sys.exit(2)
