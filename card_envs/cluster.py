"""Ray clusters, for tournaments and for training: `pip install 'card-envs[scale]'`."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from card_envs.errors import CardEnvsError, ClusterError, LostWorkersError, OptionError

PATIENCE = 10  # seconds


def check_cluster(address: str) -> None:
    """Refuse what `connected` would refuse, before anything is begun for it."""
    _check_installed()
    if address != "auto":
        _knock(address)


def _check_installed() -> None:
    if importlib.util.find_spec("ray") is None:
        raise OptionError("working on a cluster needs Ray; install it with: pip install 'card-envs[scale]'")


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """Ray, connected: to the cluster at an address, to the one that runs here already, or to a new one for us."""
    _check_installed()
    os.environ.setdefault("RAY_DEDUP_LOGS_SKIP_REGEX", ".")  # who has died is said by us, in one line
    import ray

    if ray.is_initialized():  # by the program that we are part of, which will also end it
        yield ray
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # a cluster of ours tells nobody
    check_cluster(address)
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "CRITICAL"}
    try:
        with _own_signals():
            _connect(ray, address, quiet)
        yield ray
    finally:
        ray.shutdown()


def _connect(ray: Any, address: str, quiet: dict[str, Any]) -> None:
    try:
        ray.init(address=address, **quiet)
    except (ConnectionError, ray.exceptions.RayError) as error:
        if address != "auto" or "failed to connect" in str(error).lower():  # somebody is there: see _knock
            where = "that runs here" if address == "auto" else f"at {address}"
            raise ClusterError(
                f"the Ray cluster {where} does not let us in: set RAY_AUTH_MODE=token if it was started with a "
                f"token (and RAY_AUTH_TOKEN_PATH, if that is not where Ray keeps it), and use the same version of Ray"
            ) from None
        _start(ray, quiet)


def _start(ray: Any, quiet: dict[str, Any]) -> None:
    try:
        ray.init(include_dashboard=False, **quiet)
    except Exception as error:  # whatever Ray says: a port that is taken, a machine that is too slow
        ray.shutdown()
        said = (str(error).splitlines() or [type(error).__name__])[0]
        raise ClusterError(f"Ray could not start a cluster here ({said}); go without --ray") from None


@contextmanager
def _own_signals() -> Iterator[None]:
    """Ray has a way of its own with signals; a program that has said what they mean keeps its own."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {kind: signal.getsignal(kind) for kind in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)


def _nobody(address: str) -> ClusterError:
    return ClusterError(
        f"there is no Ray cluster at {address}; start one with: ray start --head, and give the address that it prints, "
        f"or --ray auto"
    )


def _knock(address: str) -> None:
    """Refuse an address at which nobody answers; Ray itself would go on trying for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
    except (OSError, ValueError):
        raise _nobody(address) from None


def gather(
    ray: Any, references: Sequence[Any], meanwhile: Callable[[], None] = lambda: None, patience: float = PATIENCE
) -> list[Any]:
    """The answers of workers, in this order; whoever does not get them is told why in one sentence. After every so many
    seconds of waiting something can be done `meanwhile`.
    """
    while True:
        try:
            with told(ray):
                answers: list[Any] = ray.get(list(references), timeout=patience)
                return answers
        except TimeoutError:
            check_alive(ray)
            meanwhile()


@contextmanager
def told(ray: Any) -> Iterator[None]:
    """Whatever goes wrong on the cluster meanwhile is told in a sentence of ours."""
    try:
        yield
    except ray.exceptions.GetTimeoutError:
        raise TimeoutError from None
    except ray.exceptions.RayTaskError as error:
        raise cause(error, "a worker failed") from None
    except ray.exceptions.RayError as error:
        check_alive(ray)
        if isinstance(error, ray.exceptions.RayActorError) and error.actor_init_failed:
            why = str(error).strip().splitlines()[-1]
            raise ClusterError(
                f"a worker could not start ({why}): every machine of the cluster needs the same clone, at the same "
                f"place, with the same libraries"
            ) from None
        raise LostWorkersError(f"a worker was lost ({_reason(error)})") from None


def check_alive(ray: Any) -> None:
    """Notice that a whole cluster has gone; Ray itself would go on trying for a minute, and then end the process."""
    address = ray.get_runtime_context().gcs_address
    try:
        _knock(address)
    except ClusterError:
        raise ClusterError(f"the Ray cluster at {address} has gone") from None


def cause(error: Any, what: str, kind: type[CardEnvsError] = ClusterError) -> CardEnvsError:
    """What went wrong in a worker: our own sentence, or one about whatever it was."""
    found = error.cause
    return found if isinstance(found, CardEnvsError) else kind(f"{what}: {type(found).__name__}: {found}")


def _reason(error: Exception) -> str:
    """What Ray says about a loss, cut to what a person wants to know."""
    said = str(error).lower()
    if re.search("node (has )?died", said):
        return "its machine has gone"
    return "its machine was short of memory" if "low on memory" in said else "its process has died"
