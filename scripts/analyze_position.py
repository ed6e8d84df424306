"""One position for `dotzero analyze`: exact values, what the rules tell, a network's estimate."""

import argparse
import json
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from dotzero.mistakes import told_of
from dotzero.scripts.boxes_options import Position, read_limits, read_position, read_size
from dotzero.scripts.kropki_flags import KropkiPosition, is_kropki, read_kropki_position

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dotzero.envs.game import Game
    from dotzero.envs.game_records import RecordError
    from dotzero.play.analysis import Analysis, Values
    from dotzero.play.network_analysis import Estimate
    from dotzero.play.players import Budget
    from dotzero.play.zero import ZeroPlayer

_VARIATIONS = 3
"""Candidates of whom the continuation is looked for."""


def analyze_position(options: argparse.Namespace) -> int:
    """Analyse the position that the options describe, and show it."""
    given = _recorded(options) if options.files else None
    if given is None:
        given = read_kropki_position(options) if is_kropki(options) else read_position(options, "got {}")
    if isinstance(given, KropkiPosition):
        _analyze_kropki(given, options)
    else:
        _analyze_boxes(given, options)
    return 0


def _recorded(options: argparse.Namespace) -> Position | KropkiPosition:
    """The position of the first game of the only file after so many moves."""
    from dotzero.envs.boxes import BoxesGame
    from dotzero.envs.kropki import KropkiGame
    from dotzero.play.finished_analysis import recorded_result
    from dotzero.play.game_positions import game_positions
    from dotzero.scripts.replay import recorded_games

    if len(options.files) > 1:
        raise ValueError(f"--after must go with one FILE, got {len(options.files)}")
    size = None if options.size is None else read_size(options.size)
    found = game_positions(next(recorded_games(options.files, size, refuse)).record)
    if not 0 <= options.after <= len(found):
        raise ValueError(f"--after must be in 0..{len(found)}, the moves of the game, got {options.after}")
    state = found.states[[options.after]]
    broken_off = options.after == len(found) and not state.finished[0]
    result = recorded_result(found.verdict) if broken_off else None
    if isinstance(found.game, KropkiGame):
        last = found.record.moves[options.after - 1] if options.after else None
        return KropkiPosition(game=found.game, state=state, last=last, result=result)
    assert isinstance(found.game, BoxesGame)
    return Position(game=found.game, state=state, score_known=True, mover_known=True, result=result)


def refuse(file: str, error: "RecordError") -> None:
    """Stop at what is no game.

    Raises:
        ValueError: Always; it names file and place.
    """
    raise ValueError(f"{file}, {error}" if error.line is not None else f"{file}: {error}")


def _analyze_boxes(position: Position, options: argparse.Namespace) -> None:
    from dotzero.play.analysis import analysis_so_far, value_search
    from dotzero.play.analysis_text import progress_text
    from dotzero.scripts.progress import Remarks

    limits = read_limits(options)
    if position.result is not None:
        _show(position, analysis_so_far(position.game, position.state, None), None, options)
        return
    with _network(options, position.game) as zero:
        search = (
            None if zero and _is_hopeless(position) else value_search(position.game, position.state, limits)
        )
        try:
            if search is not None:
                with Remarks("analyze") as remarks:
                    for _ in search.run():
                        remarks.tell(progress_text(search))
        except KeyboardInterrupt:
            _show(position, analysis_so_far(position.game, position.state, search), None, options)
            raise
        analysis = analysis_so_far(position.game, position.state, search)
        exact = analysis.values is not None and analysis.values.exact
        found = None if zero is None or exact else _estimate(zero, position.game, position.state, options)
    _show(position, analysis, found, options)


def _is_hopeless(position: Position) -> bool:
    """Whether a misere position is too far from its end for a table, so that only a network can value it."""
    from dotzero.envs.boxes import Scoring
    from dotzero.play.values import MOST_MISERE_LINES

    misere = position.rules.scoring is Scoring.MISERE
    return misere and int((position.lines == 0).sum()) > MOST_MISERE_LINES


def _analyze_kropki(position: KropkiPosition, options: argparse.Namespace) -> None:
    from dotzero.envs.registry import describe_game
    from dotzero.play.engine_positions import KropkiBoard
    from dotzero.play.kropki_analysis import kropki_facts
    from dotzero.play.kropki_analysis_text import kropki_text
    from dotzero.play.network_analysis_text import estimate_text, owners_text

    game, state, board = position.game, position.state, KropkiBoard(position.game)
    refuse_solver_limits(options)
    facts, found = kropki_facts(game, state, position.result), None
    with _network(options, game) as zero:
        if zero is not None and not facts.finished:
            found = _estimate(zero, game, state, options)
    if options.json:
        described = describe_game(game)
        data = {"game": game.name, "rules": described["rules"], **board.position_of(state)}
        data |= {"score": state.score[0].tolist()} | facts.to_json(board.names)
        if found is not None:
            certain = {} if facts.win is None else {"win": facts.win}
            data |= found.to_json(board.names) | certain
        print(json.dumps(data))
        return
    print(kropki_text(game, state, facts, position.last))
    if found is not None:
        print(f"\n{estimate_text(found, board.names, facts.mover)}")
        if options.map:
            print(f"\n{owners_text(game, state, found)}")


def refuse_solver_limits(options: argparse.Namespace) -> None:
    """Kropki has no exact solver: its limits would be read by nobody, and --seconds by the network alone.

    Raises:
        ValueError: One of them is given, or out of its range.
    """
    from dotzero.search.endgame import SolverConfig

    read_limits(options)
    for name, usual in (("nodes", None), ("threads", None), ("memory", SolverConfig().table_mib)):
        value = getattr(options, name)
        if value != usual:
            raise ValueError(
                f"--{name} must go with Dots and Boxes, whose solver it limits, got {value} for kropki"
            )
    if options.seconds is not None and options.level is None:
        raise ValueError("--seconds must go with --level zero in Kropki, where only the network takes time")


@contextmanager
def _network(options: argparse.Namespace, game: "Game[Any]") -> "Iterator[ZeroPlayer | None]":
    """The network that is named, with its budget; None where none is."""
    if options.level is None:
        yield None
        return
    from dotzero.play.players import PlayerSpec, make_player
    from dotzero.play.zero import ZeroPlayer

    if PlayerSpec.parse(options.level).kind != "zero":
        raise ValueError(
            f"--level must be zero or zero:DIR, the one that values positions, got {options.level}"
        )
    budget = search_budget(options)
    with told_of("--level"):
        player = make_player(options.level, game)
    assert isinstance(player, ZeroPlayer)
    try:
        yield player if budget is None else player.within(budget)
    finally:
        player.close()


def search_budget(options: argparse.Namespace) -> "Budget | None":
    """The simulations that the network's search may use; None: as the level says, or by time.

    Raises:
        ValueError: Not a number of simulations.
    """
    from dotzero.play.players import Budget

    return None if options.simulations is None else Budget(simulations=options.simulations)


def _estimate(zero: "ZeroPlayer", game: "Game[Any]", state: Any, options: argparse.Namespace) -> "Estimate":
    from dotzero.play.network_analysis import estimate

    seconds = options.seconds if options.simulations is None else None
    return estimate(
        game, state, zero, options.seed, seconds, _VARIATIONS, with_owners=options.json or options.map
    )


def _show(
    position: Position, analysis: "Analysis", found: "Estimate | None", options: argparse.Namespace
) -> None:
    from dotzero.envs.boxes_notation import BoxesNotation
    from dotzero.play.analysis_text import analysis_text

    notation = BoxesNotation(position.rules)
    names = [notation.name(line) for line in range(position.game.num_actions)]
    if options.json:
        data = describe(position) | to_json(position, analysis)
        print(json.dumps(data if found is None else data | found.to_json(names)))
        return
    print(
        analysis_text(
            analysis,
            position.state,
            score_known=position.score_known,
            mover_known=position.mover_known,
            result=position.result,
        )
    )
    if found is not None:
        from dotzero.play.network_analysis_text import estimate_text, owners_text

        print(f"\n{estimate_text(found, names, position.mover)}")
        if options.map:
            print(f"\n{owners_text(position.game, position.state, found)}")


def describe(position: Position) -> dict[str, Any]:
    """Game, rules and what is known of a position, as JSON has them."""
    from dotzero.envs.boxes_notation import BoxesNotation
    from dotzero.envs.registry import plain_value

    data = {
        "game": position.game.name,
        "rules": plain_value(asdict(position.rules)),
        "lines": BoxesNotation(position.rules).dbn(position.lines),
    }
    if position.score_known:
        data["score"] = list(position.score)
    if position.mover_known:
        data["to_move"] = position.mover + 1
    return data


def to_json(position: Position, analysis: "Analysis") -> dict[str, Any]:
    """An analysis, and how the game ends where that is known."""
    from dotzero.play.finished_analysis import finished_to_json, result_of, result_to_json

    if position.result is not None:
        return finished_to_json(position.result, position.mover) | {"final": list(position.result.score)}
    data, values = analysis.to_json(), analysis.values
    result = result_of(position.game, position.state) if position.score_known else None
    data |= {} if result is None else result_to_json(result)
    final = None if values is None else known_final(position, values)
    return data if final is None else data | {"final": final}


def known_final(position: Position, values: "Values") -> list[int] | None:
    """The boxes of both players at the end, where score, player to move and value are known."""
    from dotzero.play.analysis import final_score

    if not values.exact or not position.score_known or not position.mover_known:
        return None
    return final_score(position.rules, position.score, position.mover, values.lower)
