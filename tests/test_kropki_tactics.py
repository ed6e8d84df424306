"""Tactics of Kropki as `dotzero.search.playouts` tells them: risks of moves, and forced chases."""

import numpy as np
import pytest
from drawn_kropki import drawn
from kropki_positions import LADDER, RULES, crowded, kropki, names_of

from dotzero.envs.kropki_notation import KropkiNotation
from dotzero.search.playouts import chases, risks

# ---- risks ----


def slow_risks(game, state, action):
    """Dots that the enemy takes at once or next, and whether the new one is among them: all is played out."""
    mover, enemy = int(state.to_move[0]), 1 - int(state.to_move[0])
    taken = sum(one.dots for one in game.captures(state, action) if one.player == enemy)
    after = game.step(state, [action])
    live = lambda position: bool(position.cells.reshape(-1)[action] & (1 << mover))  # noqa: E731
    exposed, gains = not live(after), np.zeros(1, np.int16)
    if not after.finished[0]:
        gains = game.gains(after, enemy)[0]
        for reply in np.flatnonzero(gains):
            view = after.copy()
            view.to_move[:] = enemy
            exposed |= not live(game.step(view, [reply]))
    return taken + int(gains.max()), exposed


@pytest.mark.parametrize("rules", RULES[:6], ids=str)
def test_risks_are_what_playing_every_move_out_gives(rules):
    game, rng = kropki(8, 7, **rules), np.random.default_rng(1)
    state = crowded(game, 25, rng)
    found, met = risks(game, state), 0
    for index in range(len(state)):
        alone = state[index : index + 1]
        for action in range(game.stop):
            if not game.plain_actions(alone)[0, action]:
                assert found.lost[index, action] == 0
                assert not found.exposed[index, action]
                continue
            lost, exposed = slow_risks(game, alone, action)
            assert found.lost[index, action] == lost
            # Waiting visitors fall with whatever the enemy plays, which no one dot of it takes.
            if "house_closes" not in rules:
                assert found.exposed[index, action] == exposed
            met += lost > 0
    assert met > 100


# ---- chases ----


def nets(rows, to_move=0, nodes=1000, **rules):
    """The points at which a chase begins that works, and what it nets."""
    game, state = drawn(rows, to_move, **rules)
    return names_of(game, chases(game, state, nodes)[0])


def changed(rows, *changes):
    """The drawing with other signs at some points, given as `sign name`."""
    signs = [row.split() for row in rows]
    for change in changes:
        sign, name = change.split()
        signs[ord(name[1]) - 97][ord(name[0]) - 97] = sign
    return [" ".join(row) for row in signs]


def test_a_ladder_along_a_wall_works():
    assert nets(LADDER)["dc"] > 0


@pytest.mark.parametrize("breaker", ["O de", "O ce", "O df"])
def test_a_dot_in_its_way_breaks_the_ladder(breaker):
    assert "dc" not in nets(changed(LADDER, breaker))


def test_a_ladder_towards_the_edge_fails():
    """Who reaches the edge row cannot be taken."""
    assert "dc" not in nets(changed(LADDER, ". cg", "X bg"))


def test_a_ladder_fails_where_the_defender_takes_the_attackers_dots():
    """O on both sides of the last wall dot captures it when it is driven beside it."""
    rows = changed(LADDER, "O ad", "O be", "O ae", ". bf")
    assert "dc" not in nets(rows)


def test_an_answer_that_captures_counts_and_may_have_another_move():
    """O loses two dots and takes one at fh first; if a capture gives another move, it saves them as well."""
    rows = changed(LADDER, "X dc", "O cd", "X fg", "O ff", "O eg", "O gg")
    assert nets(changed(rows, ". fg"))["dd"] == 2
    assert nets(rows)["dd"] == 1
    assert "dd" not in nets(rows, add_turn=True)


def test_a_chase_needs_its_nodes():
    assert nets(LADDER, nodes=1) == {}
    assert nets(LADDER, nodes=0) == {}
    assert nets(LADDER, nodes=1000, stop="off") == nets(LADDER)


def test_a_capture_at_once_is_the_shortest_chase():
    rows = changed(LADDER, "X dc")
    assert nets(rows)["cd"] == 1


def lead(state, player):
    return int(state.score[0, player]) - int(state.score[0, 1 - player])


def least_lead(game, state, attacker):
    """The lead of the attacker whatever the other does, if it goes by `chases`: all replies are played out.

    It stops to look where something is taken. Nothing of the search is used but where it attacks.
    """
    if state.finished[0]:
        return lead(state, attacker)
    if state.to_move[0] != attacker:
        replies = np.flatnonzero(game.legal(state)[0])  # a STOP is one of them
        return min(least_lead(game, game.step(state, [reply]), attacker) for reply in replies)
    takes = np.flatnonzero(game.gains(state)[0])
    if len(takes):
        return max(lead(game.step(state, [take]), attacker) for take in takes)
    net = chases(game, state, 2000)[0]
    if not net.max():
        return lead(state, attacker)
    return least_lead(game, game.step(state, [net.argmax()]), attacker)


@pytest.mark.parametrize(
    ("rows", "to_move", "net"),
    [
        (
            [
                ". . . . . . . . .",
                ". . . . . . . . .",
                ". . . . . . X O .",
                ". . . . X O . X .",
                ". . . . O X . O .",
                ". . . . . . . . .",
                ". . . . X . . . .",
                ". . . . . . . . .",
            ],
            1,
            {"ec": 1, "dd": 1, "gd": 1, "ge": 1},
        ),
        (
            [
                ". . . . . . . . .",
                ". . . . . . . . .",
                ". . . . X . . . .",
                ". . . . X O . O .",
                ". . O . O X . X .",
                ". . . O . . . . .",
                "X . . . X . . . .",
                ". . . . . . . . .",
            ],
            0,
            {"gd": 1, "ef": 1},
        ),
    ],
)
def test_a_chase_may_jump(rows, to_move, net):
    """The next attack is two steps, and three steps, from the answer to the one before."""
    assert nets(rows, to_move) == net


@pytest.mark.parametrize(
    ("size", "rules"),
    [
        ((9, 9), {}),
        ((12, 8), {}),
        ((9, 8), {"add_turn": True}),
        ((8, 7), {"stop": "solo", "solo_moves": 5}),
        ((8, 7), {"holes": True, "last_safe": True}),
        ((8, 7), {"instant_win": 4, "komi": 2.5}),
    ],
)
def test_no_reply_leaves_the_attacker_less_than_it_nets(size, rules):
    """Every move of the board is tried against the chases that are found, not only the known answers."""
    game, rng = kropki(*size, **rules), np.random.default_rng(2)
    state = crowded(game, 800, rng)
    net = chases(game, state, 500)
    told = (net.max(axis=1) > 0) & (game.gains(state).max(axis=1) == 0) & ~state.finished
    assert told.sum() > 12
    for index in np.flatnonzero(told)[:25]:
        alone = state[index : index + 1]
        attacker = int(alone.to_move[0])
        for point in np.flatnonzero(net[index])[:2]:
            after = game.step(alone, [point])
            netted = least_lead(game, after, attacker) - lead(alone, attacker)
            assert netted >= net[index, point], (index, point)


def test_who_plays_elsewhere_loses_what_the_threat_takes():
    """Answers to a ladder lose more dots, so the least that it nets is the first one."""
    game, state = drawn(LADDER)
    after = game.step(state, [KropkiNotation(game.rules).parse("dc")])
    assert game.gains(after, 0).max() == 1
    assert nets(LADDER)["dc"] == 1


def test_a_chase_has_its_limits():
    game, state = drawn(LADDER)
    for nodes in (-1, 10_001):
        with pytest.raises(ValueError, match=rf"^max_nodes must be in 0\.\.10000, got {nodes}$"):
            chases(game, state, nodes)
