"""The memory of a tree search: as many trees as positions are searched together, in arrays of a fixed size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_envs.core.compile import record_array
from card_envs.core.playing import LOTS

MOST_NODES, MOST_EDGES = 2**16, 2**20  # of one tree; when they are used up, it grows no further and learns on
MOST_STEPS = 64  # choices of one playout that are noted in the tree
NOWHERE = -1  # instead of a node
NEVER, AT_LEAF = -1, 0  # instead of a depth

IDLE, IN_TREE, PLAYING = 0, 1, 2  # where a playout is
NOTHING, PRIOR, ACTION, VALUES = 0, 1, 2, 3  # what it needs to know before it can go on

# How all trees grow.
SEARCH = np.dtype(
    [
        ("own", "i8"),  # the model that plays for the searching seat: RANDOM, BOT, or somebody who must be asked
        ("others", "i8"),  # and for the other seats
        ("others_think", "i8"),  # do other seats have nodes of their own, or do they play as their model does?
        ("puct", "i8"),  # PUCT, with the models' choices as a prior, or else UCB
        ("patience", "i8"),  # so often a model inside of the engine chooses at a node, before its seat thinks
        ("depth", "i8"),  # own decisions after the tree before a playout is cut and valued; or AT_LEAF, or NEVER
        ("exploration", "f8"),
        ("mixing", "f8"),  # the part of the prior that is the same for each action
        ("points", "f8"),  # how much points count beside the reward
    ]
)
TREE = np.dtype(
    [
        ("seed", "i8"),
        ("seat", "i8"),  # that searches
        ("wanted", "i8"),  # so many playouts
        ("begun", "i8"),
        ("root", "i8"),  # the node of the searching seat, once it is there
        ("nodes", "i8"),
        ("edges", "i8"),
        ("lowest", "f8"),
        ("highest", "f8"),  # of what any seat has got
    ]
)
NODE = np.dtype(
    [
        ("key", "u8"),
        ("first", "i4"),  # its edges, one per legal action, stand together
        ("actions", "i4"),
        ("visits", "i4"),
        ("asked", "i4"),  # how often the model said what it would do
    ]
)
EDGE = np.dtype(
    [
        ("action", "i2"),
        ("waiting", "i2"),  # playouts under way that have come here
        ("visits", "i4"),  # those that are over
        ("total", "f8"),  # of what the seat has got, points included
        ("won", "f8"),  # of its rewards alone
        ("prior", "f8"),  # how often the model has chosen it, or how likely it is to
    ]
)
STEP = np.dtype([("edge", "i4"), ("seat", "i4")])
WORKER = np.dtype(
    [
        ("stage", "i8"),
        ("question", "i8"),
        ("leaf", "i8"),  # about which node, if it is a prior
        ("passed_root", "i8"),  # has it been at the root? Others may choose before, in a simultaneous choice
        ("steps", "i8"),  # so many choices are noted
        ("left", "i8"),  # own decisions until it is cut
    ]
)


class Forest(NamedTuple):
    """Trees, and for each of them workers, who have a playout each under way. Arrays as compiled code wants them."""

    search: NDArray[Any]
    trees: NDArray[Any]
    nodes: NDArray[Any]  # per tree
    edges: NDArray[Any]
    slots: NDArray[np.int32]  # where to find a node by its key: 1 + its number, or 0
    workers: NDArray[Any]
    steps: NDArray[Any]  # one row per worker, as in all that follow
    lots: NDArray[Any]
    actions: NDArray[np.int64]  # answers
    priors: NDArray[np.float64]
    values: NDArray[np.float64]  # of all seats

    def games_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The games of these workers: each tree has a game per worker, and then its root position."""
        each = self.workers.shape[1]
        games: NDArray[np.int64] = rows // each * (each + 1) + rows % each
        return games


def make_forest(
    search: Mapping[str, Any],
    seeds: NDArray[np.int64],
    seats: NDArray[np.int64],
    *,
    workers: int,
    nodes: int,
    actions: int,
    players: int,
) -> Forest:
    """Bare trees, one per seed, with room for so many nodes each, for a game with so many actions and players."""
    number, nodes = len(seeds), max(min(nodes, MOST_NODES), 1)
    trees = record_array(number, TREE)
    trees["seed"], trees["seat"], trees["root"] = seeds, seats, NOWHERE
    trees["lowest"], trees["highest"] = np.inf, -np.inf
    settings = record_array(1, SEARCH)
    for name, value in search.items():
        settings[name] = value
    rows = number * workers
    return Forest(
        search=settings,
        trees=trees,
        nodes=record_array(number * nodes, NODE).reshape(number, nodes),
        edges=record_array(number * min(nodes * actions, MOST_EDGES), EDGE).reshape(number, -1),
        slots=np.zeros((number, 1 << (2 * nodes - 1).bit_length()), np.int32),
        workers=record_array(rows, WORKER).reshape(number, workers),
        steps=record_array(rows * MOST_STEPS, STEP).reshape(rows, MOST_STEPS),
        lots=record_array(rows, LOTS),
        actions=np.zeros(rows, np.int64),
        priors=np.zeros((rows, actions)),
        values=np.zeros((rows, players)),
    )


def bytes_per_tree(nodes: int, actions: int) -> int:
    """About how much memory a tree may use."""
    nodes = min(nodes, MOST_NODES)
    return nodes * (NODE.itemsize + 16) + min(nodes * actions, MOST_EDGES) * EDGE.itemsize
