"""`card-envs web`: serve the table in the browser, on this computer only unless told otherwise."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from card_envs.agents.loading import usual_opponent
from card_envs.agents.seating import Seating
from card_envs.core.batch import Batch
from card_envs.errors import OptionError
from card_envs.extras import need
from card_envs.games import game_names, get_game


def default_state() -> Path:
    """Where games are kept, so that a restart continues them."""
    base = os.environ.get("XDG_STATE_HOME")
    return (Path(base) if base else Path.home() / ".local" / "state") / "card_envs" / "web.sqlite"


def serve(
    *, runs: Sequence[Path], host: str, port: int, state: Path | None, allow_hosts: Sequence[str], open_browser: bool
) -> None:
    """Serve until Ctrl-C. Says where, once it can be reached."""
    for module in ("fastapi", "uvicorn"):
        need("card-envs web", module, "web")
    from card_envs.web.app import make_app

    for folder in runs:
        if not folder.is_dir():
            raise OptionError(f"there is no folder {folder}; --runs names folders with checkpoints and tournaments")
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # who hangs up early ends a connection, not the server
    listener = listen(host, port)
    app = make_app(runs=runs, state=state or default_state(), hosts=[host, *allow_hosts])
    server = make_server(app)
    address = _address(listener, host)
    print(f"The table is set at {address}  (Ctrl-C stops; games are kept in {state or default_state()})", flush=True)
    if host in ("0.0.0.0", "::"):
        print(
            f"It is open to everybody who can reach this computer on port {listener.getsockname()[1]}, by any of its "
            f"addresses and without encryption: they can play, watch finished games and see what --runs names",
            flush=True,
        )
    threading.Thread(target=_warm_up, daemon=True).start()
    if open_browser:
        threading.Timer(0.5, webbrowser.open, [address]).start()
    with contextlib.suppress(KeyboardInterrupt):  # the usual way to stop
        server.run(sockets=[listener])


def make_server(app: Any) -> Any:
    """A server that ends its streams before it waits for those who listen to them."""
    import uvicorn

    class TableServer(uvicorn.Server):
        async def shutdown(self, sockets: Any = None) -> None:
            app.state.streams.close()
            await super().shutdown(sockets)

    return TableServer(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=2, server_header=False))


def listen(host: str, port: int) -> socket.socket:
    """A socket that is bound, so that the address can be told before anybody is served."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host, port), family=family)
        # Else an answer waits up to 40 ms for the receipt of the one before. Connections inherit it.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener
    except (OSError, OverflowError) as error:
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else error
        raise OptionError(
            f"cannot serve on {host} port {port} ({reason}); choose another with --port, 0 for any"
        ) from None


def _address(listener: socket.socket, host: str) -> str:
    port = listener.getsockname()[1]
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{port}/"


def _warm_up() -> None:
    """Load, and where it must be compile, all games before somebody waits for one."""
    for name in game_names():
        try:
            batch = Batch(get_game(name), 1, seed=0, auto_reset=False)
            seating = Seating(batch)
            seating.sit_down([usual_opponent(batch.game)] * batch.players)
            seating.start_lots(np.array([0]))
            batch.step_one(seating.choose_for(0))
            batch.observe(0, 0)
        except Exception as error:
            print(f"card-envs: {name} cannot be played here: {error}", file=sys.stderr)
