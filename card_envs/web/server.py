"""`card-envs web`: serve the table in the browser, on this computer only unless told otherwise."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import math
import os
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
    *,
    runs: Sequence[Path],
    host: str,
    port: int,
    state: Path | None,
    allow_hosts: Sequence[str],
    open_browser: bool,
    agents: Sequence[str] = (),
) -> None:
    """Serve until Ctrl-C. Says where, once it can be reached."""
    for module in ("fastapi", "uvicorn"):
        need("card-envs web", module, "web")
    from card_envs.web.app import make_app

    for folder in runs:
        if not folder.is_dir():
            raise OptionError(f"there is no folder {folder}; --runs names folders with checkpoints and tournaments")
    state = state or default_state()
    with listen(host, port) as listener, contextlib.suppress(KeyboardInterrupt):  # the usual way to stop
        server = make_server(make_app(runs=runs, state=state, hosts=[host, *allow_hosts], named=agents))
        address = _address(listener, host)
        print(f"The table is set at {address}  (Ctrl-C stops; games are kept in {state})", flush=True)
        if warning := whom_it_opens_to(*listener.getsockname()[:2]):
            print(warning, flush=True)
        threading.Thread(target=_warm_up, daemon=True).start()
        if open_browser:
            threading.Timer(0.5, webbrowser.open, [address]).start()
        server.run(sockets=[listener])


def make_server(app: Any) -> Any:
    """A server that keeps to the application's limits, and ends its streams before it waits for their listeners."""
    import uvicorn

    from card_envs.web.connections import Connection, Door, Room

    class TableServer(uvicorn.Server):
        def run(self, sockets: Any = None) -> None:
            # The selector loop asks the listening socket for each connection, on every system.
            with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
                runner.run(self.serve(sockets=sockets))

        async def startup(self, sockets: Any = None) -> None:
            await super().startup(sockets=[Door(one, room) for one in sockets or ()])

        async def on_tick(self, counter: int) -> bool:
            room.close_late()
            return await super().on_tick(counter)

        async def shutdown(self, sockets: Any = None) -> None:
            app.state.streams.close()
            await super().shutdown(sockets)

    room = Room(app.state.limits)
    config = uvicorn.Config(
        app, http=Connection, ws="none", log_level="error", server_header=False, timeout_graceful_shutdown=2,
        timeout_keep_alive=math.ceil(room.limits.request_seconds),
    )  # fmt: skip
    server = TableServer(config)
    server.server_state = room
    return server


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


def whom_it_opens_to(address: str, port: int) -> str:
    """What whoever serves other computers should know, by the address that was bound, however it was written."""
    bound = ipaddress.ip_address(address)
    if bound.is_loopback:
        return ""
    which = "any of its addresses" if bound.is_unspecified else f"the address {address}"
    return (
        f"It is open to everybody who can reach this computer on port {port}, by {which} and without encryption: "
        f"they can play, watch finished games and see what --runs names"
    )


def _address(listener: socket.socket, host: str) -> str:
    bound, port = listener.getsockname()[:2]
    if ipaddress.ip_address(bound).is_unspecified:
        host = "::1" if ":" in bound else "127.0.0.1"
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


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
        except (Exception, SystemExit) as error:  # somebody's package
            print(f"card-envs: {name} cannot be played here: {error}", file=sys.stderr)
