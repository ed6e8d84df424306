"""Kropki positions drawn as text, for tests: rows of the signs of `KropkiNotation`, without labels."""

from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_notation import KropkiNotation
from dotzero.envs.kropki_rules import LETTERS, KropkiRules


def drawn(rows, to_move=0, **rules):
    """The game and the state of one drawn position, player `to_move` next."""
    width, height = len(rows[0].split()), len(rows)
    game = KropkiGame(KropkiRules(**{"start": "empty", **rules}, width=width, height=height))
    labels = "   " + " ".join(LETTERS[:width])
    board = "\n".join([labels, *(f"{LETTERS[y]}  {row}" for y, row in enumerate(rows))])
    return game, game.position(KropkiNotation(game.rules).parse_board(board)[None], to_move)


def play(game, state, moves):
    """The state after moves by name, each for whoever is to move."""
    for move in moves.split():
        state = game.step(state, [KropkiNotation(game.rules).parse(move)])
    return state


def rows_of(game, state):
    """The drawing of the first game, as `drawn` takes it."""
    board = KropkiNotation(game.rules).board(state).split("\n")[1:]
    return [row[3:] for row in board]


def legal_names(game, state):
    """Names of the legal actions of the first game."""
    notation = KropkiNotation(game.rules)
    return {notation.name(action) for action in game.legal(state)[0].nonzero()[0]}
