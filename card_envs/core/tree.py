"""Information-set Monte Carlo tree search: the loop that grows trees, written once for all games.

Each playout is one imagined world: a copy of the root position in which all that the searching seat cannot know is
drawn anew. It runs down the tree, every seat that thinks choosing at nodes of its own, then on by models of the
players, and what each seat gets in the end is noted at that seat's nodes.

Random players and bots play inside the loop. About any other model the loop asks: it stops a playout where it needs an
answer, goes on with other playouts, and is called again with the answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from card_envs.core.chance import nth_seed, start_lots_stream, start_stream
from card_envs.core.engine import finish, show
from card_envs.core.forest import (
    ACTION,
    AT_LEAF,
    IDLE,
    IN_TREE,
    NEVER,
    NOTHING,
    NOWHERE,
    PLAYING,
    PRIOR,
    VALUES,
)
from card_envs.core.nodes import back_up, find_node, information_key, note_step, pick, pick_with_model
from card_envs.core.playing import BOT, RANDOM, random_action

if TYPE_CHECKING:
    from card_envs.core.rules import apply, arrays_of, choose, legal, redraw_hidden


def model_of(search: Any, tree: Any, seat: Any) -> Any:
    """Who plays for a seat: RANDOM, BOT, or somebody who must be asked."""
    return search.own if seat == tree.seat else search.others


def is_inside(model: Any) -> Any:
    """Does the model play inside of this loop?"""
    return model in (RANDOM, BOT)


def choose_inside(model: Any, observation: Any, mask: Any, lots: Any) -> Any:
    """What such a model does."""
    return choose(lots, observation, mask) if model == BOT else random_action(lots, mask)


def go_down(
    arrays: Any,
    game: Any,
    search: Any,
    tree: Any,
    nodes: Any,
    edges: Any,
    slots: Any,
    worker: Any,
    steps: Any,
    lots: Any,
) -> None:
    """Play a world down the tree, to where nobody has been before, or to where somebody must be asked."""
    mask, observation = arrays.action_mask[game], arrays.observation[game]
    while worker.stage == IN_TREE and worker.question == NOTHING:
        seat = show(arrays.states[game], mask, observation)
        if seat < 0:
            worker.stage = PLAYING
            return
        actions = 0
        for action in range(mask.size):
            actions += int(mask[action])
        model = model_of(search, tree, seat)
        node = NOWHERE
        if actions > 1 and (search.others_think or seat == tree.seat):
            if worker.steps < steps.size:
                node = find_node(tree, nodes, edges, slots, information_key(seat, observation, mask), mask, actions)
            if seat == tree.seat:
                worker.passed_root = 1
                if tree.root < 0:
                    tree.root = node
            if node < 0 and worker.passed_root:
                worker.stage = PLAYING
                return
        if node >= 0:
            if nodes[node].asked == 0 and not is_inside(model):
                worker.leaf = node
                worker.question = PRIOR
                return
            if nodes[node].asked < search.patience and is_inside(model):
                edge = pick_with_model(nodes[node], edges, choose_inside(model, observation, mask, lots))
            else:
                edge = pick(search, tree, nodes[node], edges, lots)
            if nodes[node].visits == 0 and worker.passed_root:
                worker.stage = PLAYING  # the tree ends behind a new node
            nodes[node].visits += 1
            note_step(edges, worker, steps, edge, seat)
            action = int(edges[edge].action)
        elif actions == 1 or is_inside(model):
            action = choose_inside(RANDOM if actions == 1 else model, observation, mask, lots)
        else:
            worker.question = ACTION
            return
        apply(arrays.states[game], action)


def play_out(arrays: Any, game: Any, search: Any, tree: Any, worker: Any, lots: Any) -> None:
    """Let the models play for everybody, to the end, to the cut, or to where one must be asked."""
    mask, observation = arrays.action_mask[game], arrays.observation[game]
    while worker.question == NOTHING and arrays.states[game].seat >= 0:
        seat = int(arrays.states[game].seat)
        model = model_of(search, tree, seat)
        if seat == tree.seat and worker.left == 0:
            worker.question = VALUES
            return
        if model == RANDOM:
            mask[:] = 0
            legal(arrays.states[game], seat, mask)
        else:
            show(arrays.states[game], mask, observation)
        worker.left -= int(seat == tree.seat)
        if is_inside(model):
            apply(arrays.states[game], choose_inside(model, observation, mask, lots))
        else:
            worker.question = ACTION


def begin_playout(arrays: Any, game: Any, root: Any, search: Any, tree: Any, worker: Any, lots: Any) -> None:
    """The root position again, with everything drawn anew that the searching seat cannot know."""
    tree.begun += 1
    seed = nth_seed(tree.seed, tree.begun)
    arrays.states[game] = arrays.states[root]
    start_stream(arrays.states[game], seed)
    redraw_hidden(arrays.states[game], tree.seat)
    start_lots_stream(lots, seed)
    worker.stage = IN_TREE
    worker.passed_root = 0
    worker.steps = 0
    worker.left = max(search.depth - 1, 0) if search.depth != NEVER else NEVER


def take_answer(
    arrays: Any, game: Any, search: Any, nodes: Any, edges: Any, worker: Any, action: Any, prior: Any
) -> None:
    """Go on with what a model said. Where it was asked for values, the playout is over."""
    if worker.question == ACTION:
        apply(arrays.states[game], action)
    elif worker.question == VALUES:
        worker.stage = IDLE
    elif worker.question == PRIOR:
        node = nodes[worker.leaf]
        if node.asked == 0:
            node.asked = 1
            for edge in range(node.first, node.first + node.actions):
                edges[edge].prior = prior[edges[edge].action]
        if search.depth == AT_LEAF and worker.passed_root:
            worker.stage = IDLE
    worker.question = NOTHING


def weigh(arrays: Any, game: Any, search: Any, values: Any) -> None:
    """What the end of a game is worth to each seat: its reward, and something for points where these count.

    Of points it is the margin over the mean of the others, ever less of it the larger it is: nobody should risk a win
    to win by more.
    """
    finish(arrays, game)
    players = values.size
    total = 0
    for seat in range(players):
        total += arrays.points[game, seat]
    for seat in range(players):
        margin = (arrays.points[game, seat] - (total - arrays.points[game, seat]) / (players - 1)) / arrays.margin_scale
        values[seat] = arrays.rewards[game, seat] + search.points * margin / (1.0 + abs(margin))


def grow_trees(
    handle: Any,
    searches: Any,
    trees: Any,
    nodes: Any,
    edges: Any,
    slots: Any,
    workers: Any,
    steps: Any,
    lots: Any,
    actions: Any,
    priors: Any,
    values: Any,
) -> None:
    """Take the answers that workers wait for, and go on until each has another question or its tree all it wanted.

    The batch has, for each tree, a game per worker and then the root position.
    """
    arrays, search = arrays_of(handle), searches[0]
    each = workers.shape[1]
    for number in range(trees.size):
        tree, root = trees[number], number * (each + 1) + each
        own_nodes, own_edges, own_slots = nodes[number], edges[number], slots[number]
        for place in range(each):
            worker, row, game = workers[number, place], number * each + place, number * (each + 1) + place
            if worker.question != NOTHING:
                take_answer(arrays, game, search, own_nodes, own_edges, worker, actions[row], priors[row])
                if worker.stage == IDLE:
                    back_up(tree, own_edges, worker, steps[row], values[row], values[row])
            while worker.question == NOTHING:
                if worker.stage == IDLE:
                    if tree.begun >= tree.wanted:
                        break
                    begin_playout(arrays, game, root, search, tree, worker, lots[row])
                go_down(arrays, game, search, tree, own_nodes, own_edges, own_slots, worker, steps[row], lots[row])
                if worker.stage == PLAYING:
                    play_out(arrays, game, search, tree, worker, lots[row])
                    if arrays.states[game].seat < 0:
                        worker.stage = IDLE
                        weigh(arrays, game, search, values[row])
                        back_up(tree, own_edges, worker, steps[row], arrays.rewards[game], values[row])


HELPERS = (
    finish,
    show,
    random_action,
    find_node,
    pick,
    pick_with_model,
    note_step,
    back_up,
    model_of,
    is_inside,
    choose_inside,
    go_down,
    play_out,
    begin_playout,
    take_answer,
    weigh,
)
