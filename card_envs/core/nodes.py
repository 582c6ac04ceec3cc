"""The nodes of search trees: how they are found, how a seat chooses at them, and what is noted there.

A node is an information set: it is found by what its seat sees, the observation and the mask, and by nothing else. So
nobody's node knows another's cards, or a choice that is not yet revealed; and different ways to the same sight share
one node. Every action of a node is legal whenever the node is met, which makes the node's visits the availability count
of each of its actions.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from card_envs.core.chance import below, mix
from card_envs.core.compile import wrapping
from card_envs.core.forest import NOWHERE


@wrapping
def information_key(seat: Any, observation: Any, mask: Any) -> Any:
    """A number for what a seat sees. Among a million nodes, two have the same one in 3 of 100 million searches."""
    bits = observation.view(np.uint32)
    key = mix(np.uint64(seat + 1))
    for entry in range(bits.size):
        if bits[entry] != 0:
            key = mix(key ^ ((np.uint64(entry + 1) << np.uint64(32)) | np.uint64(bits[entry])))
    for action in range(mask.size):
        if mask[action] != 0:
            key = mix(key ^ np.uint64(action))
    return key


def find_node(tree: Any, nodes: Any, edges: Any, slots: Any, key: Any, mask: Any, actions: Any) -> Any:
    """The node of an information set, a new one if need be; NOWHERE if there is no room for it."""
    slot = np.int64(key & np.uint64(slots.size - 1))
    while slots[slot] > 0:
        node = int(slots[slot]) - 1
        if nodes[node].key == key and nodes[node].actions == actions:
            return node
        slot = (slot + 1) & (slots.size - 1)
    node, first = int(tree.nodes), int(tree.edges)
    if node >= nodes.size or first + actions > edges.size:
        return NOWHERE
    slots[slot] = node + 1
    nodes[node].key = key
    nodes[node].first = first
    nodes[node].actions = actions
    edge = first
    for action in range(mask.size):
        if mask[action] != 0:
            edges[edge].action = action
            edge += 1
    tree.nodes = node + 1
    tree.edges = edge
    return node


def pick(search: Any, tree: Any, node: Any, edges: Any, lots: Any) -> Any:
    """The edge that promises most: its mean so far, and more for an edge of which less is known (UCB, or PUCT)."""
    total, done, begun = 0.0, 0, 0
    for edge in range(node.first, node.first + node.actions):
        total += edges[edge].total
        done += int(edges[edge].visits)
        begun += int(edges[edge].visits) + int(edges[edge].waiting)
    mean = total / max(done, 1)
    per_range = 1.0 / max(tree.highest - tree.lowest, 1e-9)
    picked, best, equals = int(node.first), -math.inf, 0
    for edge in range(node.first, node.first + node.actions):
        visits = int(edges[edge].visits)
        tried = visits + int(edges[edge].waiting)
        promise = (edges[edge].total / visits if visits > 0 else mean) * per_range
        if search.puct:
            prior = (1.0 - search.mixing) * edges[edge].prior / max(int(node.asked), 1) + search.mixing / node.actions
            promise += search.exploration * prior * math.sqrt(max(begun, 1)) / (1.0 + tried)
        elif tried > 0:
            promise += search.exploration * math.sqrt(math.log(begun) / tried)
        else:
            promise = math.inf
        if promise > best:
            picked, best, equals = edge, promise, 1
        elif promise == best:
            equals += 1
            if below(lots, equals) == 0:
                picked = edge
    return picked


def pick_with_model(node: Any, edges: Any, action: Any) -> Any:
    """The edge of what the model does. How often it does so is the prior."""
    node.asked += 1
    picked = int(node.first)
    for edge in range(node.first, node.first + node.actions):
        if edges[edge].action == action:
            edges[edge].prior += 1.0
            picked = edge
    return picked


def note_step(edges: Any, worker: Any, steps: Any, edge: Any, seat: Any) -> None:
    """A choice on the way, of which it is not yet known what comes of it."""
    edges[edge].waiting += 1
    steps[worker.steps].edge = edge
    steps[worker.steps].seat = seat
    worker.steps += 1


def back_up(tree: Any, edges: Any, worker: Any, steps: Any, rewards: Any, values: Any) -> None:
    """Note at each node of the way what its seat has got."""
    for seat in range(values.size):
        tree.lowest = min(tree.lowest, values[seat])
        tree.highest = max(tree.highest, values[seat])
    for place in range(worker.steps):
        edge, seat = int(steps[place].edge), int(steps[place].seat)
        edges[edge].waiting -= 1
        edges[edge].visits += 1
        edges[edge].total += values[seat]
        edges[edge].won += rewards[seat]
