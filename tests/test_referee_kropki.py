"""The slow referee of Kropki against all collected cases."""

import pytest
from kropki_cases import FILES
from referee_kropki import Referee


def put(referee, x, y, player):
    """A dot out of turn."""
    referee.to_move, referee.finished = player, False
    referee.play(y * referee.width + x)


@pytest.mark.parametrize("file", FILES)
def test_the_referee_agrees_with_all_cases(file):
    """Legality, both scores, what is left to play, final maps and what grounding would cost."""
    for case in FILES[file]():
        referee = Referee(case.width, case.height)
        after = zip(case.moves, case.legal, case.scores, case.legal_left, strict=True)
        for number, ((x, y, player), legal, score, legal_left) in enumerate(after):
            assert referee.playable(y * case.width + x) == legal, (case.name, number)
            if legal:
                put(referee, x, y, player)
            assert score in (None, referee.score()), (case.name, number)
            assert legal_left in (None, sum(map(referee.playable, referee.points))), (case.name, number)
        assert case.draw(referee.cells()) == case.final, case.name
        assert case.ungrounded in (None, referee.ungrounded()), case.name
