"""What every level promises of its moves, whatever the game."""

import numpy as np

from dotzero.play.players import make_player


def check_moves(text, game, state, luck, rng):
    """P09, P10, P13: legal, and the same alone, in any batch, and by another player of the same name."""
    number, player = len(state), make_player(text, game)
    actions = player.choose(game, state, luck)
    assert (actions.dtype, actions.shape) == (np.int32, (number,))
    assert ((actions == -1) == state.finished).all()
    going = np.flatnonzero(~state.finished)
    assert 0 < len(going) < number
    assert game.legal(state)[going, actions[going]].all()
    order = rng.permutation(number)
    assert (player.choose(game, state[order], luck[order]) == actions[order]).all()
    fresh = make_player(text, game)
    for index in range(0, number, 13):
        assert fresh.choose(game, state[index : index + 1], luck[index : index + 1])[0] == actions[index]
