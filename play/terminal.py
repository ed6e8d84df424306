"""A game in a terminal: a labelled board in text, moves typed in notation, two languages.

The one idea: the screen is a loop over a session (`sessions.py`): show, ask whoever is to move, hand the move
in, save. A person against a level, two people, or two levels to watch. Every line of a computer is shown and
saved on its own (R111, R151), so that it can be followed, and a terminal that is closed loses nothing.

What is typed may also come from a pipe; then it is echoed. Colours and signs beyond ASCII are used where the
terminal has them, and never needed.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from dotzero.envs.boxes import Scoring
from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_rules import HouseCloses
from dotzero.play.agreements import Terms
from dotzero.play.engine_players import Players
from dotzero.play.players import Player, PlayerSpec, RandomPlayer
from dotzero.play.saves import Saves
from dotzero.play.seats import level_label, seat_names
from dotzero.play.session_moves import Move
from dotzero.play.sessions import GameSession
from dotzero.play.tallies import Table
from dotzero.play.terminal_board import board_text
from dotzero.play.terminal_files import endings, write_game
from dotzero.play.terminal_refusals import refusal
from dotzero.play.terminal_results import result_lines, tally_line
from dotzero.play.terminal_rules import rules_words
from dotzero.play.terminal_screen import LeftError, Screen
from dotzero.play.terminal_status import move_lines, status_line, stop_warning
from dotzero.play.terminal_texts import command, text
from dotzero.printable import printable


class InterruptedGameError(KeyboardInterrupt):
    """The person has interrupted a game, and has been told so."""


@dataclass(kw_only=True, slots=True)
class Terminal:
    """One game on a screen."""

    session: GameSession
    screen: Screen
    saves: Saves | None = None
    """None: nothing is kept."""
    delay: float = 0.0
    """Seconds to wait before each line of a computer."""
    hints: str | None = None
    """Who gives hints, as a player's specification; None: the strongest there is."""
    players: Players = field(default_factory=Players)

    def play(self) -> bool:
        """Until the game ends or the person leaves.

        Returns:
            Whether the game is over.

        Raises:
            ElsewhereError: The game was gone on with elsewhere.
            StoreError: It cannot be stored.
            InterruptedGameError: The person has pressed Ctrl-C.
        """
        try:
            self._greet()
            self.session.resume()
            self._show()
            while not self.session.finished:
                self._step()
        except LeftError:
            self._leave()
        except KeyboardInterrupt:
            self._keep()
            self.screen.write("")
            self.screen.say("interrupted")
            if self._is_kept:
                self.screen.say("go_on")
            raise InterruptedGameError from None
        else:
            self._show_result()
        return self.session.finished

    def _leave(self) -> None:
        """Keep the game for another day; nobody leaves a loss on time that way."""
        self.session.check_time()
        self._keep()
        if self.session.finished:
            self._show_result()
            return
        self.screen.say("left")
        if self._is_kept:
            self.screen.say("go_on")

    def prepare(self) -> None:
        """Make the players, so that what is wrong with one is told before anything is shown.

        Raises:
            ValueError: There is no such player of this game.
        """
        for seat in self.session.settings.seats:
            if seat.player is not None:
                self._player(seat.player)

    def close(self) -> None:
        """Free the players."""
        self.players.close()

    @property
    def names(self) -> tuple[str, str]:
        """How both sides are called."""
        return seat_names(self.session.settings.seats, self.screen.language)

    def _player(self, spec: str) -> Player:
        """The player of a specification; a network as quick as somebody who waits for it needs."""
        if PlayerSpec.parse(spec).kind == "zero":
            from dotzero.play.released import interactive_spec  # loads torch

            spec = interactive_spec(spec, self.session.game)
        return self.players.get(spec, self.session.game)

    @property
    def _is_kept(self) -> bool:
        return self.saves is not None and self.session.num_moves > 0

    def _greet(self) -> None:
        session, game = self.session, self.session.game
        values = {"game": self._text(game.name), "size": session.settings.board, "example": self._example()}
        values["dots"] = "x".join(str(length + 1) for length in game.size)  # of Dots and Boxes (R051)
        self.screen.say(f"welcome {game.name}", **values)
        misere = f"scoring={Scoring.MISERE}"
        key = session.settings.rules_key
        told = key.replace(misere, "").strip()  # it has a line of its own
        if told not in ("", "usual"):
            self.screen.say("rules", rules=rules_words(told, self.screen.language))
        if misere in key:
            self.screen.say("misere", goal=self._text("fewer"))
        self._legend()
        if any(seat.player == RandomPlayer.name for seat in session.settings.seats) and self._no_level:
            self.screen.say("no_level")
        if session.num_moves:
            self.screen.say("continued", moves=session.num_moves)

    def _legend(self) -> None:
        """What the signs of Kropki mean: all that may come."""
        game = self.session.game
        if isinstance(game, KropkiGame):
            first, second = self.names
            self.screen.say("legend", first=first, second=second)
            if game.rules.house_closes is HouseCloses.OWNER_TURN:
                self.screen.say("legend houses")

    @property
    def _no_level(self) -> bool:
        """Whether nobody plays by these rules but at random."""
        from dotzero.play.hints import hint_player

        return hint_player(self.session.game) == RandomPlayer.name

    def _step(self) -> None:
        """One move of whoever is to move, or a command, or an answer to an offer."""
        session = self.session
        question = session.question()
        try:
            if question is not None:
                time.sleep(self.delay)
                move = session.answer(question, question.ask(self._player(question.player)))
                if move is not None:
                    self._after(move)
            elif session.offer is not None:
                self._ask_about_offer()
            else:
                self._ask_for_move()
        except ValueError:
            # Time may run out between a look at the clock and the act, which then refuses to act.
            if not session.finished:
                raise
        if session.check_time() is not None:
            self._keep()

    def _ask_for_move(self) -> None:
        left = self.session.seconds_to_deadline
        try:
            typed = self.screen.ask(self._prompt(), left).strip()
        except TimeoutError:
            self.screen.write("")
            moves = self.session.num_moves
            self.session.check_time()
            if self.session.num_moves > moves:
                self._show()
            return
        word, rest = command(typed)
        if self.session.check_time() is not None:
            return
        if word is not None:
            self._obey(word, rest)
            return
        action = self._read(typed)
        if action is not None:
            self._after(self.session.move(action))

    def _obey(self, word: str, rest: str) -> None:
        if word == "quit":
            raise LeftError
        acts: dict[str, Callable[[], None]] = {
            "help": self._help,
            "undo": self._undo,
            "hint": self._hint,
            "stop": self._stop,
            "resign": self._resign,
            "offer": lambda: self._offer(Terms.SCORE),
            "draw": lambda: self._offer(Terms.DRAW),
            "pause": self._pause,
            "board": self._show,
            "statistics": self._statistics,
            "save": lambda: self._save(rest),
        }
        acts[word]()

    def _after(self, move: Move) -> None:
        """Save a move, say what it did, show the board."""
        self._keep()
        for line in move_lines(self.session, move, self.screen.language):
            self.screen.write(line)
        self._show()

    def _keep(self) -> None:
        """Store the game as it is (R114); a board on which nothing has happened is no game yet."""
        if self.saves is not None and (self.session.num_moves or self.session.finished):
            self.saves.put(self.session)

    def _read(self, typed: str) -> int | None:
        """The legal move that a text names; otherwise says in one line why there is none."""
        session, name = self.session, self.session.game.name
        typed = printable(typed)  # no move is as long as what this leaves, nor has one such signs
        try:
            action = session.notation.parse(typed)
        except ValueError as error:
            self.screen.say(f"bad {name}", error=error, text=typed, example=self._example())
            return None
        if not session.game.legal(session.state)[0, action]:
            key, values = refusal(session, action)
            self.screen.say(key, **values)
            return None
        return action

    def _undo(self) -> None:
        taken = self.session.undo()
        if not taken:
            self.screen.say("nothing")
            return
        if self.saves is not None:
            self.saves.put(self.session)  # even without a move: what is stored still holds those taken back
        self.screen.say("undone", moves=" ".join(move.name for move in taken))
        self._show()

    def _hint(self) -> None:
        from dotzero.play.hints import hint_player

        who = self.hints or hint_player(self.session.game)
        if who == RandomPlayer.name:
            self.screen.say("no_hint")
            return
        question = self.session.hint_question(who)
        move = self.session.notation.name(question.ask(self._player(who)))
        self.screen.say("hint", who=level_label(who, self.screen.language), move=move)

    def _stop(self) -> None:
        """STOP, after a warning of what it costs (R036, R037)."""
        session, game = self.session, self.session.game
        if not isinstance(game, KropkiGame) or not session.can_stop:
            self.screen.say("no_stop")
            return
        self.screen.write(stop_warning(session, self.screen.language))
        if not self.screen.agrees(self._text("stop_sure")):
            self.screen.say("kept_on")
        elif session.check_time() is None:
            self._after(session.move(game.stop))

    def _resign(self) -> None:
        if not self.screen.agrees(self._text("resign_sure")):
            self.screen.say("kept_on")
        elif self.session.check_time() is None:
            self.session.resign()
            self._keep()

    def _offer(self, terms: Terms) -> None:
        seat = self.session.mover
        agreed = self.session.offer_end(seat, terms)
        if agreed is not None:
            self.screen.say("accepted" if agreed else "declined", who=self.names[1 - seat])
            self._keep()

    def _ask_about_offer(self) -> None:
        """Two people: the other one answers."""
        assert self.session.offer is not None
        seat, terms = self.session.offer
        key = "offered" if terms is Terms.SCORE else "offered_draw"
        agreed = self.screen.agrees(self._text(key, who=self.names[seat]))
        if self.session.check_time() is None:
            self.session.answer_offer(agreed)
            self.screen.say("accepted" if agreed else "declined", who=self.names[1 - seat])
            self._keep()

    def _pause(self) -> None:
        self.session.pause()
        self._keep()
        typed = self.screen.ask(self._text("paused"))
        self.session.resume()
        self._show()
        if typed.strip():  # a pipe has no Enter to press: what ends the pause is the next move or word
            self.screen.reader.put_back(typed)

    def _help(self) -> None:
        rules = self.session.game.rules
        misere = getattr(rules, "scoring", None) is Scoring.MISERE
        self.screen.say(f"help {self.session.game.name}", goal=self._text("fewer" if misere else "more"))
        self._legend()
        self.screen.say("help", endings=endings(self.session.game.name))

    def _save(self, name: str) -> None:
        if not name:
            self._keep()
            kept = "stored" if self._is_kept else "nothing_yet"
            self.screen.say("not_kept" if self.saves is None else kept)
            return
        self.screen.write(write_game(self.session, name, self.screen.language))

    def _statistics(self) -> None:
        table = Table.of(self.session.settings)
        if self.saves is None or table is None:
            self.screen.say("no_tally")
            return
        self.screen.write(tally_line(table, self.saves.tally(table), self.screen.language))

    def _show(self) -> None:
        """The board, the score and whose move it is."""
        screen = self.screen
        screen.write("")
        screen.write(board_text(self.session, screen.look, screen.language))
        screen.write(status_line(self.session, screen.language))

    def _show_result(self) -> None:
        for line in result_lines(self.session, self.screen.language):
            self.screen.write(line)
        if self.saves is not None and self.session.settings.person is not None:
            self._statistics()

    def _prompt(self) -> str:
        alone = self.session.settings.person is not None
        if alone:
            return self._text(f"prompt {self.session.game.name}")
        return self._text("prompt seat", who=self.names[self.session.mover])

    def _example(self) -> str:
        """The name of a move that an opening may begin with."""
        game = self.session.game
        return self.session.notation.name(int(game.opening_actions(self.session.state_at(0))[0].argmax()))

    def _text(self, key: str, **values: object) -> str:
        return text(key, self.screen.language, **values)
