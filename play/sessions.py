"""A game that is being played: what every play screen shares, whatever it looks like.

The one idea: a session knows the rules, the time and the history, and never waits. Whoever shows it asks
players for their moves (a search may take long, so a screen decides in which thread), waits between the lines
of a computer, and hands every single move in. So each line is shown, paused and saved on its own (R111, R114,
R150, R151).

    rules = BoxesRules(rows=3, columns=3)
    session = GameSession(GameSettings(rules=rules, seats=(Seat(), Seat(player="easy"))))
    session.resume()
    session.move(session.notation.parse("A1R"))      # the person; ValueError if it is not legal
    while (question := session.question()) is not None:
        session.answer(question, question.ask(player))   # the computer, one line at a time

Contract for screens:
- `resume` before the first move: a session is made, and restored, paused, with its clocks standing.
- `question` is None while a person is to move, the session is paused or the game is over. `answer` drops a
  move (returns None) whose question is out of date: after an undo, a pause or the end of the game.
- `check_time` ends what time ends; call it when `seconds_to_deadline` have passed. Moves call it themselves.
- `revision` grows with every change; save after each (`saves.py`).
- `to_json` and `from_json` (in `session_files.py`) keep everything; nothing of a screen is kept.

Seats are 0 (moves first) and 1. A session is not thread-safe; a `Question` may be asked in any thread.
"""

import time
import uuid
from collections.abc import Sequence
from typing import Any

import numpy as np

from dotzero.envs.game import Game, State
from dotzero.envs.game_records import Ending
from dotzero.envs.kropki import Capture, KropkiGame, KropkiState
from dotzero.envs.notation import notation_for
from dotzero.envs.replayed_records import refusal
from dotzero.play.agreements import Terms, accepts, lead
from dotzero.play.game_settings import GameSettings
from dotzero.play.session_moves import Kept, Move, Question, Result, Times, turn_begin, verdict
from dotzero.play.timers import LONGEST, Now, Timer


class GameSession:
    """One game in progress."""

    def __init__(self, settings: GameSettings, now: Now = time.monotonic, id: str | None = None) -> None:
        """Begin a game, paused.

        Args:
            settings: What was agreed on.
            now: Reads the time.
            id: Names the game for ever; a new one if None.
        """
        self.settings, self.id = settings, id or uuid.uuid4().hex
        self.game: Game[Any] = settings.game
        self.notation = notation_for(self.game)
        self.state: State = settings.start_state()
        """The position, a batch of one; never changed in place."""
        self.result: Result | None = None
        self.offer: tuple[int, Terms] | None = None
        """Who has offered to end the game, and how; it lapses with the next move."""
        self.paused = True
        self.revision = 0
        self.num_undone = 0
        """Moves of persons' turns that were taken back."""
        self._now = now
        self._history: list[Kept] = []
        self._seeds = np.random.default_rng(settings.seed).integers(2**64, size=2, dtype=np.uint64)
        clock = settings.clock
        self._clocks = None if clock is None else (Timer(clock.seconds, now), Timer(clock.seconds, now))
        self._solo: Timer | None = None

    # What there is to see

    @property
    def mover(self) -> int:
        """The seat to move; after the end, that which would be next."""
        return int(self.state.to_move[0])

    @property
    def finished(self) -> bool:
        """Whether the game is over."""
        return self.result is not None

    @property
    def score(self) -> tuple[int, int]:
        """Points of both seats, without komi."""
        one, two = self.state.score[0].tolist()
        return one, two

    @property
    def moves(self) -> list[Move]:
        """All moves so far; to be read only."""
        return [kept.move for kept in self._history]

    @property
    def num_moves(self) -> int:
        """How many moves there are."""
        return len(self._history)

    @property
    def last_move(self) -> Move | None:
        """The last move (R110)."""
        return self._history[-1].move if self._history else None

    def state_at(self, num_moves: int) -> State:
        """The position after so many moves, 0 for the start."""
        if not 0 <= num_moves <= self.num_moves:
            raise ValueError(f"move must be in 0..{self.num_moves}, got {num_moves}")
        return self.state if num_moves == self.num_moves else self._history[num_moves].state

    @property
    def in_solo_phase(self) -> bool:
        """Whether the seat to move goes on alone, as the other has stopped (R036, R139)."""
        state = self.state
        stopped = isinstance(state, KropkiState) and int(state.stopped[0]) >= 0
        return stopped and self.result is None and not state.finished[0]

    @property
    def can_stop(self) -> bool:
        """Whether STOP is a move now."""
        return isinstance(self.game, KropkiGame) and self._is_legal(self.game.stop)

    def num_ungrounded(self, seat: int) -> int:
        """Dots of a seat that a STOP would put at risk (R037); 0 in other games."""
        if isinstance(self.game, KropkiGame) and isinstance(self.state, KropkiState):
            return int(self.game.ungrounded(self.state)[0, seat])
        return 0

    @property
    def seconds_left(self) -> tuple[float, float] | None:
        """What the clocks of both seats show; None without clocks."""
        return None if self._clocks is None else (self._clocks[0].left, self._clocks[1].left)

    @property
    def solo_seconds_left(self) -> float | None:
        """What is left of a solo phase; None outside."""
        return None if self._solo is None else self._solo.left

    @property
    def times(self) -> list[Times]:
        """What was left when each position was moved on from, and in the last one now."""
        return [*(kept.times for kept in self._history), self._times()]

    @property
    def seconds_to_deadline(self) -> float | None:
        """Seconds until time ends something, if nothing else happens; None if none runs."""
        timer = self._running_timer()
        return timer.left if timer is not None and timer.running else None

    # What can be done

    def move(self, action: int) -> Move:
        """Make a move for the seat to move.

        Raises:
            ValueError: The game is over or paused, or the move is not legal; the position stays.
        """
        self.check_time()
        self._require_open("a move")
        if not self._is_legal(action):
            raise ValueError(f"move must be legal here: {refusal(self.game, self.state, action)}")
        return self._play(action)

    def question(self) -> Question | None:
        """What a computer has to answer now; None if it is nobody's or a person's turn, or a pause."""
        seat = self.settings.seats[self.mover]
        if self.finished or self.paused or seat.player is None:
            return None
        seed = self._seeds[self.mover]
        return Question(self.game, self.state, self.mover, seat.player, seed, self.revision)

    def hint_question(self, player: str) -> Question:
        """What is asked for a hint to the person to move.

        Raises:
            ValueError: The game is over or paused, or it is not a person's turn.
        """
        self._require_open("a hint")
        if not self.settings.seats[self.mover].is_person:
            raise ValueError("a hint must be asked for on a person's turn, got a computer's")
        return Question(self.game, self.state, self.mover, player, self._seeds[self.mover], self.revision)

    def answer(self, question: Question, action: int) -> Move | None:
        """Make the move that a computer has chosen; None if the question is out of date."""
        self.check_time()
        if self.paused or self.finished or question.revision != self.revision:
            return None
        return self.move(action)

    def undo(self) -> list[Move]:
        """Take back the last turn of a person, and all that computers played after it.

        Time that was used stays used, increments of these turns go; alone, after a STOP, a turn is one dot.

        Returns:
            What was taken back, in the order in which it was played; nothing if there is no such turn.

        Raises:
            ValueError: The game is over.
        """
        self._require_unfinished("undo")
        keep = turn_begin(self._history, [seat.is_person for seat in self.settings.seats])
        if keep == self.num_moves:
            return []
        back = self._history[keep]
        taken = [kept.move for kept in self._history[keep:]]
        del self._history[keep:]
        self.state, self.offer = back.state, None
        self.num_undone += 1
        self._set_times(back.times.at_most(self._times()))
        self._changed()
        return taken

    def resign(self, seat: int | None = None) -> Result:
        """Give up: the other side wins, whatever the score (R038).

        Args:
            seat: Who gives up; None: whose turn it is.

        Raises:
            ValueError: The game is over.
        """
        self._require_unfinished("a resignation")
        loser = self.mover if seat is None else seat
        return self._end(1 - loser, Ending.RESIGN)

    def offer_end(self, seat: int, terms: Terms = Terms.SCORE) -> bool | None:
        """Offer to end the game by agreement (R035).

        Returns:
            Whether a computer has accepted (see `agreements.py`); None if a person has to answer.

        Raises:
            ValueError: The game is over, or there is an offer already.
        """
        self._require_unfinished("an offer")
        if self.offer is not None:
            raise ValueError("an offer must wait until the one that stands is answered")
        self.offer = (seat, terms)
        if self.settings.seats[1 - seat].is_person:
            self._changed()
            return None
        agreed = accepts(self.game, self.state, 1 - seat, terms)
        self.answer_offer(agreed)
        return agreed

    def answer_offer(self, accept: bool) -> Result | None:
        """Accept the offer that stands, which ends the game, or decline it.

        Raises:
            ValueError: There is none.
        """
        if self.offer is None:
            raise ValueError("an answer must have an offer to answer, got none")
        terms, self.offer = self.offer[1], None
        if accept:
            ahead = 0.0 if terms is Terms.DRAW else lead(self.game, self.state, 0)
            return self._end(None if ahead == 0 else 0 if ahead > 0 else 1, Ending.AGREEMENT)
        self._changed()
        return None

    def pause(self) -> None:
        """Stop the clocks and the computers' pending lines (R113, R150)."""
        if not self.paused:
            self.check_time()
            self.paused = True
            self._changed()

    def resume(self) -> None:
        """Go on after a pause, or begin."""
        if self.paused:
            self.paused = False
            self._changed()

    def check_time(self) -> Result | None:
        """End what time has ended: a game by a clock (R043), a solo phase by its countdown (R036).

        Returns:
            The result, if the game is over, for whatever reason.
        """
        timer = self._running_timer()
        if timer is not None and timer.running and timer.left == 0:
            if timer is self._solo:
                assert isinstance(self.game, KropkiGame)
                self._play(self.game.stop)
            else:
                self._end(1 - self.mover, Ending.TIME)
        return self.result

    def replay(self, actions: Sequence[int], times: Sequence[Times] = ()) -> None:
        """Play the moves of a saved or recorded game at once.

        Args:
            actions: From the first move on.
            times: What was left in every position, the first one included; none: nobody's time has passed.

        Raises:
            ValueError: A move is not legal; the message names it.
        """
        for number, action in enumerate(actions, 1):
            if not self._is_legal(action):
                reason = refusal(self.game, self.state, action)
                raise ValueError(f"moves must be legal, got {self._name(action)} as move {number}: {reason}")
            self._play(action)
        if times:
            for kept, left in zip(self._history, times[:-1], strict=True):
                kept.times = left
            self._set_times(times[-1])

    # How it is done

    def _is_legal(self, action: int) -> bool:
        possible = self.result is None and 0 <= action < self.game.num_actions
        return possible and bool(self.game.legal(self.state)[0, action])

    def _play(self, action: int) -> Move:
        before, times, seat = self.state, self._times(), self.mover
        captures: tuple[Capture, ...] = ()
        if isinstance(self.game, KropkiGame) and isinstance(before, KropkiState) and action != self.game.stop:
            captures = tuple(self.game.captures(before, action))
        self.state = self.game.step(before, [action])
        one, two = (self.state.score[0] - before.score[0]).tolist()
        ended = bool(self.state.finished[0])
        move = Move(
            action=action,
            name=self.notation.name(action),
            seat=seat,
            gained=(one, two),
            captures=captures,
            again=self.mover == seat and not ended,
        )
        self._history.append(Kept(before, times, move))
        self.offer = None
        self._hand_on_time(seat)
        if ended:
            self._end(*verdict(self.game, self.state))
        else:
            self._changed()
        return move

    def _hand_on_time(self, seat: int) -> None:
        """Stop the clock of a turn that is over, and begin the countdown of a solo phase that has begun."""
        self._stop_timers()
        if self._clocks is not None and self.settings.clock is not None and self.mover != seat:
            self._clocks[seat].set(min(LONGEST, self._clocks[seat].left + self.settings.clock.increment))
        if self._solo is None and self.in_solo_phase:
            self._solo = Timer(self.settings.solo_seconds, self._now)

    def _end(self, winner: int | None, reason: Ending) -> Result:
        self.offer = None
        self._stop_timers()
        self.result = Result(winner=winner, reason=reason, score=self.score)
        self._changed()
        return self.result

    def _changed(self) -> None:
        self.revision += 1
        self._stop_timers()
        timer = self._running_timer()
        if timer is not None and not self.paused:
            timer.start()

    def _running_timer(self) -> Timer | None:
        """What loses time in this position: the countdown of a solo phase, else the mover's clock."""
        if self.result is not None:
            return None
        if self._solo is not None:
            return self._solo
        return None if self._clocks is None else self._clocks[self.mover]

    def _stop_timers(self) -> None:
        for timer in (*(self._clocks or ()), self._solo):
            if timer is not None:
                timer.stop()

    def _times(self) -> Times:
        return Times(self.seconds_left, self.solo_seconds_left)

    def _set_times(self, times: Times) -> None:
        for timer, seconds in zip(self._clocks or (), times.clocks or (), strict=True):
            timer.set(seconds)
        self._solo = None if times.solo is None else Timer(times.solo, self._now)

    def _name(self, action: int) -> str:
        return self.notation.name(action) if 0 <= action < self.game.num_actions else str(action)

    def _require_unfinished(self, what: str) -> None:
        self.check_time()
        if self.result is not None:
            raise ValueError(f"{what} must come before the end of the game")

    def _require_open(self, what: str) -> None:
        self._require_unfinished(what)
        if self.paused:
            raise ValueError(f"{what} must wait until the pause is over")
