"""A slow referee of Kropki that works everything out anew from its definition after every move.

Written from the rules alone and sharing nothing with the package. A point is known by three facts: whose
live dot stands on it, whose dot was ever placed on it, and who holds it since it was enclosed. All the rest,
regions, rings, houses, grounding and both scores, is found by flooding the board and by walking round a
region; nothing is carried from move to move.

Players are 0 and 1, nobody is -1; a point is a number y * width + x, and STOP is width * height. The options
are those of `KropkiRules` by the same names, with plain values.
"""

from typing import NamedTuple

NOBODY = -1
CLOCKWISE = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]  # y grows downwards
DOWN = 2
DEFAULTS = {
    "opening_zone": None,
    "house_closes": "at_once",
    "add_turn": False,
    "stop": "grounding",
    "solo_moves": None,
    "holes": False,
    "punish": False,
    "last_safe": False,
    "capture_empty": False,
    "score": "dots",
    "instant_win": None,
    "komi": 0.0,
}


class Capture(NamedTuple):
    """One enclosure: who made it, its chain in walking order, what lies inside, and the enemy dots gained."""

    player: int
    chain: list
    interior: set
    dots: int


class Referee:
    """One game. `start_dots` are (x, y, player) and are put down as they are, without captures."""

    def __init__(self, width, height, start_dots=(), **options):
        assert options.keys() <= DEFAULTS.keys(), options
        self.width, self.height = width, height
        self.rules = DEFAULTS | options
        self.points = range(width * height)
        self.step = [self.beside(p) for p in self.points]
        self.near = [[q for q in around[::2] if q is not None] for around in self.step]
        self.edge = [None in around for around in self.step]
        self.live, self.placed, self.held = ([NOBODY] * len(self.points) for _ in range(3))
        for x, y, player in start_dots:
            self.live[y * width + x] = self.placed[y * width + x] = player
        self.to_move, self.num_moves = 0, 0
        self.stopped, self.solo_left = NOBODY, -1
        self.finished = not any(map(self.playable, self.points))
        self.captures = []  # of the last move
        self.kept = [set(), set()]  # points that `holes` keeps open during a move, by the ring's owner

    def beside(self, point):
        """The eight points around `point` in clockwise order, None beyond the edge."""
        y, x = divmod(point, self.width)
        around = [(x + dx, y + dy) for dx, dy in CLOCKWISE]
        columns, rows = range(self.width), range(self.height)
        return [v * self.width + u if u in columns and v in rows else None for u, v in around]

    # Regions and rings

    def playable(self, point):
        return self.placed[point] == NOBODY and self.held[point] == NOBODY

    def flood(self, starts, enter):
        """All points 4-connected to `starts` over points that satisfy `enter`."""
        reached = {p for p in starts if enter(p)}
        todo = list(reached)
        while todo:
            for p in self.near[todo.pop()]:
                if p not in reached and enter(p):
                    reached.add(p)
                    todo.append(p)
        return reached

    def region(self, point, player):
        """K: the points around `point` that no live dot of `player` parts from it."""
        return self.flood([point], lambda p: self.live[p] != player)

    def shut_in(self, region):
        return not any(self.edge[p] for p in region)

    def walk_round(self, region, player):
        """The dots passed on a walk along the outer border of a shut in region, always turning towards it."""
        dot = min(region) - self.width  # above the leftmost point of the top row
        step = dot, self.turn(dot, DOWN + 1, player)
        walk = []
        while step not in walk:
            walk.append(step)
            dot, turn = self.step[step[0]][step[1]], step[1]
            step = dot, self.turn(dot, turn + 4, player)
        return [dot for dot, _ in walk]

    def turn(self, dot, back, player):
        """The direction of the first live dot of `player` around `dot`, counter-clockwise from `back`."""
        turns = [turn % 8 for turn in range(back - 1, back - 9, -1)]
        return next(t for t in turns if (p := self.step[dot][t]) is not None and self.live[p] == player)

    def pieces(self, walk):
        """The simple loops of a closed walk: it is cut whenever it meets a dot again."""
        path = []
        for dot in walk + walk[:1]:
            if dot in path:
                yield path[path.index(dot) :]
                del path[path.index(dot) + 1 :]
            else:
                path.append(dot)

    def ring(self, region, player):
        """Chain and interior: the one loop that has the region inside, and all that is inside with it."""
        found = []
        for chain in self.pieces(self.walk_round(region, player)):
            inside = self.flood(region, lambda p, chain=frozenset(chain): p not in chain)
            if self.shut_in(inside):
                found.append((chain, inside))
        assert len(found) == 1, found
        return found[0]

    def free_enemy(self, point, player):
        """An enemy dot that `player` does not hold."""
        return self.placed[point] == 1 - player and self.held[point] != player

    def enclose(self, region, player):
        """Close the minimal ring of `player` around a shut in region."""
        chain, inside = self.ring(region, player)
        interior = {p for p in inside if p in region or p not in self.kept[player] or not self.playable(p)}
        dots = sum(self.free_enemy(p, player) for p in interior)
        for p in interior:
            self.held[p], self.live[p] = player, NOBODY
        self.captures.append(Capture(player, chain, interior, dots))

    # Moves

    def play(self, action):
        """Play a legal action for the player to move; sets `captures` to what it encloses, in order."""
        assert self.legal()[action]
        self.captures = []
        if action == len(self.points):
            self.say_stop()
        else:
            self.put(action)
        self.num_moves += 1

    def put(self, point):
        player = self.to_move
        safe = self.rules["last_safe"] and sum(map(self.playable, self.points)) == 1
        if self.rules["holes"]:
            self.kept = [self.quiet_house(0), self.quiet_house(1)]
        self.live[point] = self.placed[point] = player
        self.close_regions(point, player)
        if self.rules["house_closes"] == "owner_turn":
            for visitor in self.points:  # those that came since the owner's last turn
                self.take_visitor(visitor, player)
        elif not safe and not any(capture.dots for capture in self.captures):
            self.take_visitor(point, 1 - player)
        self.end_turn()

    def close_regions(self, point, player):
        """Rule 3: the regions beside the new dot that are shut in now, smallest first."""
        regions = {frozenset(self.region(p, player)) for p in self.near[point] if self.live[p] != player}
        for region in sorted(filter(self.shut_in, regions), key=lambda region: (len(region), min(region))):
            now = self.region(min(region), player)  # an earlier ring may have swallowed dots around it
            empty = self.rules["capture_empty"] and any(map(self.playable, now))
            if empty or any(self.free_enemy(p, player) for p in now):
                self.enclose(now, player)

    def take_visitor(self, point, owner):
        """Rule 7b: a live dot within a ring of the enemy is taken by the smallest part around it."""
        if self.live[point] == 1 - owner and self.shut_in(region := self.region(point, owner)):
            self.enclose(region, owner)

    def end_turn(self):
        gained = sum(capture.dots for capture in self.captures if capture.player == self.to_move)
        if self.stopped != NOBODY:
            self.solo_left -= self.solo_left > 0
            self.finished = self.solo_left == 0
        elif not (self.rules["add_turn"] and gained):
            self.to_move = 1 - self.to_move
        score, least = self.score(), self.rules["instant_win"] or float("inf")
        if not any(map(self.playable, self.points)) or abs(score[0] - score[1]) >= least:
            self.finished = True

    def say_stop(self):
        """Rule 9, or the beginning or the end of the other player's solo phase."""
        player, self.to_move = self.to_move, 1 - self.to_move
        if self.rules["stop"] == "grounding":
            self.stopped = player
            for p in self.owned(player) - self.grounded(player):
                self.held[p], self.live[p] = 1 - player, NOBODY
        elif self.stopped == NOBODY:
            self.stopped, self.solo_left = player, self.rules["solo_moves"] or -1
            return
        self.finished = True

    # What can be asked of a position

    def legal(self):
        """One truth value an action, STOP last."""
        if self.finished:
            return [False] * (len(self.points) + 1)
        open_now = [self.playable(p) and self.in_zone(p) for p in self.points]
        return [*open_now, self.rules["stop"] != "off"]

    def in_zone(self, point):
        if self.rules["opening_zone"] is None or self.num_moves >= 2:
            return True
        (w, h), (y, x) = self.rules["opening_zone"], divmod(point, self.width)
        return 0 <= x - (self.width - w) // 2 < w and 0 <= y - (self.height - h) // 2 < h

    def score(self):
        """Points of both players, without komi."""
        closed = [p for p in self.points if self.held[p] != NOBODY]
        return [sum(self.counts(p, player) for p in closed) for player in (0, 1)]

    def counts(self, point, player):
        """Whether a closed point is worth one to `player`."""
        enemy, holder = 1 - player, self.held[point]
        taken = holder == player and self.placed[point] == enemy
        wasted = self.rules["punish"] and holder == enemy and self.placed[point] == enemy
        empty = self.rules["score"] == "territory" and holder == player and self.placed[point] == NOBODY
        return taken or wasted or empty

    def houses(self, player):
        """What its live dots part from the edge: playable points, and visitors that wait for its turn."""
        outside = self.flood((p for p in self.points if self.edge[p]), lambda p: self.live[p] != player)
        wait = self.rules["house_closes"] == "owner_turn"
        inside = [p for p in self.points if p not in outside and self.live[p] != player]
        return {p for p in inside if self.playable(p) or (wait and self.live[p] == 1 - player)}

    def quiet_house(self, player):
        """The houses of `player` without a live enemy dot in their regions."""
        return {p for p in self.houses(player) if all(self.live[q] == NOBODY for q in self.region(p, player))}

    def owned(self, player):
        """Points with a live dot of `player`, and closed ones that it holds."""
        return {p for p in self.points if player in (self.live[p], self.held[p])}

    def grounded(self, player):
        """Those owned points that own points link to the edge in four directions."""
        owned = self.owned(player)
        return self.flood((p for p in owned if self.edge[p]), owned.__contains__)

    def ungrounded(self):
        """What grounding would cost each player: own dots lost and captives freed, on owned points."""
        lost = [self.owned(player) - self.grounded(player) for player in (0, 1)]
        return [sum(self.placed[p] != NOBODY for p in points) for points in lost]

    def margin(self, player):
        """Points ahead, komi included, seen by `player`."""
        score = self.score()
        return score[player] - score[1 - player] + self.rules["komi"] * (1 if player == 1 else -1)

    def stop_margin(self, player):
        """The final margin of `player`, seen by it, if it were to stop with grounding now."""
        after = self.copy()
        after.rules, after.to_move = self.rules | {"stop": "grounding"}, player
        after.say_stop()
        return after.margin(player)

    def decided(self):
        """Who has won, or would still win after stopping at once; -1 nobody."""
        if self.finished:
            return next((player for player in (0, 1) if self.margin(player) > 0), NOBODY)
        if self.rules["stop"] != "grounding":
            return NOBODY
        return next((player for player in (0, 1) if self.stop_margin(player) > 0), NOBODY)

    def gain(self, point, player):
        """Enemy dots that a dot on `point` would take; not those that wait in a house, which fall anyway."""
        if self.finished or not self.playable(point):
            return 0
        after = self.copy()
        after.captures, after.live[point], after.placed[point] = [], player, player
        after.close_regions(point, player)
        taken = set().union(*(capture.interior for capture in after.captures)) - self.houses(player)
        return sum(self.free_enemy(p, player) for p in taken)

    def copy(self):
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.live, other.placed, other.held = list(self.live), list(self.placed), list(self.held)
        return other

    def cells(self):
        """One number a point: bits 0/1 live, 2/3 placed, 4/5 held, 6/7 in a house, of player 0 and 1."""
        cells = [0] * len(self.points)
        for player in (0, 1):
            for p in self.points:
                facts = (self.live[p], self.placed[p], self.held[p])
                cells[p] |= sum(1 << 2 * bit + player for bit, who in enumerate(facts) if who == player)
            for p in self.houses(player):
                cells[p] |= 64 << player
        return cells
