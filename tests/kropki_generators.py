"""Seeded generators of Kropki games that reach what uniform random games hardly ever do.

A style looks at a referee's board and plans a few dots, each with its player. `dots` strings plans together
to a game, out of turn (the dots as planned) or in turn (each player takes the next planned dot of its own).
Plans that became impossible are dropped, so a style need not know what its own dots bring about.

Loops are made of blobs: the points beside a connected set of inner points are a ring round it.
"""

from collections.abc import Callable, Iterator
from random import Random

from referee_kropki import Referee

Plan = list[tuple[int, int]]
"""(point, player) in the order of play."""


def playable_points(referee: Referee) -> list[int]:
    return [p for p in referee.points if referee.playable(p)]


def inner_points(referee: Referee) -> list[int]:
    return [p for p in referee.points if not referee.edge[p]]


def blob(referee: Referee, rng: Random, size: int, within: set[int] | None = None) -> set[int]:
    """A connected set of at most `size` inner points; compact or winding, as it comes."""
    inner = set(inner_points(referee)) if within is None else within
    if not inner:
        return set()
    grown = [rng.choice(sorted(inner))]
    recent = rng.random() < 0.5  # winding: grow from the newest points
    while len(grown) < size:
        tips = grown[-3:] if recent else grown
        more = sorted({q for p in tips for q in referee.near[p] if q in inner and q not in grown})
        if not more:
            break
        grown.append(rng.choice(more))
    return set(grown)


def border(referee: Referee, points: set[int]) -> set[int]:
    """The ring round a set of inner points: what lies beside it."""
    return {q for p in points for q in referee.near[p]} - points


def diamond(referee: Referee, center: int, radius: int) -> set[int]:
    """The inner points fewer than `radius` steps from `center`; empty if they do not fit."""
    y, x = divmod(center, referee.width)
    if min(x, y, referee.width - 1 - x, referee.height - 1 - y) < radius:
        return set()
    return {p for p in referee.points if abs(p % referee.width - x) + abs(p // referee.width - y) < radius}


def box(referee: Referee, center: int, radius: int) -> set[int]:
    """The points fewer than `radius` king's steps from `center`; empty if they do not fit."""
    y, x = divmod(center, referee.width)
    if min(x, y, referee.width - 1 - x, referee.height - 1 - y) < radius:
        return set()
    return {
        p for p in referee.points if max(abs(p % referee.width - x), abs(p // referee.width - y)) < radius
    }


def shuffled(rng: Random, points: set[int]) -> list[int]:
    listed = sorted(points)
    rng.shuffle(listed)
    return listed


def uniform(referee: Referee, rng: Random) -> Plan:
    """Any playable point."""
    return [(rng.choice(playable_points(referee)), rng.randrange(2))]


def clumps(referee: Referee, rng: Random) -> Plan:
    """A run of dots of one player near one place."""
    center, player = rng.choice(playable_points(referee)), rng.randrange(2)
    y, x = divmod(center, referee.width)
    wide = rng.choice((0.8, 1.5, 2.5))
    plan = []
    for _ in range(rng.randint(1, 12)):
        u, v = round(rng.gauss(x, wide)), round(rng.gauss(y, wide))
        if 0 <= u < referee.width and 0 <= v < referee.height:
            plan.append((v * referee.width + u, player if rng.random() < 0.8 else 1 - player))
    return plan


def into_houses(referee: Referee, rng: Random) -> Plan:
    """Dots into houses, mostly the enemy's; where there are none, a small ring that makes one."""
    houses = [(p, owner) for owner in (0, 1) for p in sorted(referee.houses(owner))]
    if houses and rng.random() < 0.8:
        point, owner = rng.choice(houses)
        return [(point, 1 - owner if rng.random() < 0.85 else owner)]
    return rings(referee, rng, most=5) if rng.random() < 0.6 else two_runs(referee, rng)


def two_runs(referee: Referee, rng: Random) -> Plan:
    """A dot that touches two or more separate runs of its own colour, so that it may close something."""
    player = rng.randrange(2)
    fit = [p for p in playable_points(referee) if num_runs(referee, p, player) > 1]
    return [(rng.choice(fit), player)] if fit else clumps(referee, rng)


def num_runs(referee: Referee, point: int, player: int) -> int:
    own = [p is not None and referee.live[p] == player for p in referee.step[point]]
    return sum(own[i] and not own[i - 1] for i in range(8))


def rings(referee: Referee, rng: Random, most: int | None = None) -> Plan:
    """A ring round a blob of any size, visitors before and after it closes."""
    inside = blob(referee, rng, rng.randint(1, most or max(1, len(referee.points) // 3)))
    player = rng.randrange(2)
    order = shuffled(rng, inside)
    before = rng.choice((0, 0, 1, 2, 4))
    plan = [(p, 1 - player if rng.random() < 0.8 else player) for p in order[:before]]
    plan += [(p, player) for p in shuffled(rng, border(referee, inside))]
    return plan + [(p, 1 - player) for p in order[before : before + rng.randint(0, 2)]]


def break_in(referee: Referee, rng: Random) -> Plan:
    """A house, and a ring of the enemy round part of its wall that lacks only a dot inside the house."""
    inside = blob(referee, rng, rng.randint(2, max(2, len(referee.points) // 5)))
    wall, player = border(referee, inside), rng.randrange(2)
    for _ in range(20):
        taken = blob(referee, rng, rng.randint(1, 4), wall - {p for p in wall if referee.edge[p]})
        around = border(referee, taken)
        if taken and len(around & inside) == 1 and not around & wall:
            plan = [(p, player) for p in shuffled(rng, wall)]
            plan += [(p, player) for p in shuffled(rng, inside - around)[: rng.choice((0, 0, 1, 2))]]
            plan += [(p, 1 - player) for p in shuffled(rng, around - inside)]
            return plan + [(p, 1 - player) for p in around & inside]
    return rings(referee, rng)


def onion(referee: Referee, rng: Random) -> Plan:
    """Rings of changing colour round one point, from the inside to the outside."""
    shape, step, player = rng.choice((diamond, box)), rng.choice((1, 1, 2)), rng.randrange(2)
    center = roomy_point(referee, rng, 3)
    if center is None:
        return rings(referee, rng)
    plan = [(center, rng.randrange(2))] if rng.random() < 0.7 else []
    for radius in range(1, 7, step):
        plan += [(p, player) for p in shuffled(rng, border(referee, shape(referee, center, radius)))]
        player = 1 - player if rng.random() < 0.9 else player
    return plan


def nested(referee: Referee, rng: Random) -> Plan:
    """A house inside a house of the same player, and visitors between them or inside both."""
    center, player = roomy_point(referee, rng, 3), rng.randrange(2)
    if center is None:
        return into_houses(referee, rng)
    inner, large = border(referee, {center}), box(referee, center, 3)
    between = shuffled(rng, large - inner - {center})[:1]
    plan = [(p, player) for ring in (inner, border(referee, large)) for p in shuffled(rng, ring)]
    return plan + [
        (p, 1 - player) for p in (between + [center] if rng.random() < 0.7 else [center] + between)
    ]


def roomy_point(referee: Referee, rng: Random, radius: int) -> int | None:
    """A point so far from the edge, with more playable points near it than a few others have."""
    fit = [p for p in referee.points if box(referee, p, radius)]
    if not fit:
        return None
    return max(rng.choices(fit, k=6), key=lambda p: sum(map(referee.playable, box(referee, p, radius))))


def twin(referee: Referee, rng: Random) -> Plan:
    """An inner ring that hangs on the outer one in one point, and that point last."""
    found = [twin for _ in range(30) if (twin := twin_rings(referee, rng)) is not None]
    if not found:
        return loops(referee, rng)
    roomy = max(found, key=lambda twin: len(twin[1]) - len(twin[3]))
    joint, inside, loop, between, outer = rng.choice((found[0], roomy))
    player = rng.randrange(2)
    plan = [(p, 1 - player) for p in shuffled(rng, inside)[: rng.randint(0, 2)]]
    plan += [(p, 1 - player) for p in shuffled(rng, between)[: rng.randint(0, 2)]]
    return plan + [(p, player) for p in shuffled(rng, loop | outer)] + [(joint, player)]


def twin_rings(referee: Referee, rng: Random) -> tuple[int, set[int], set[int], set[int], set[int]] | None:
    """Joint, inside and dots of an inner ring, what lies between, and the outer ring; None: it does not fit.

    The inner ring is pointed towards the joint and anything from a diamond to a box behind; the outer one
    leaves the joint on the far side, so that the two touch nowhere else.
    """
    joint, ahead = rng.choice(list(referee.points)), rng.choice((0, 2, 4, 6))
    length, wide, steep, tail = (
        rng.randint(1, 9),
        rng.randint(0, 4),
        rng.choice((1, 1, 9)),
        rng.choice((1, 9)),
    )
    inside: set[int] = set()
    spine = walk(referee, joint, ahead, length)
    for number, point in enumerate(spine):
        half = min(wide, steep * number, tail * (length - 1 - number))
        for side in (ahead + 2, ahead + 6):
            inside |= {point, *walk(referee, point, side % 8, half)}
    loop = border(referee, inside) - {joint}
    behind = {referee.step[joint][(ahead + turn) % 8] for turn in (3, 4, 5)}
    between = {q for p in loop for q in referee.step[p]} - loop - inside - behind - {joint}
    shut = between | loop | inside
    if len(spine) < length or None in behind | between or any(referee.edge[p] for p in shut):
        return None
    return joint, inside, loop, between, border(referee, shut) - {joint}


def walk(referee: Referee, point: int, direction: int, length: int) -> list[int]:
    """The next `length` points in a direction, fewer at the edge."""
    passed = []
    while len(passed) < length and (point := referee.step[point][direction]) is not None:
        passed.append(point)
    return passed


def loops(referee: Referee, rng: Random) -> Plan:
    """Rings of one colour, touching, overlapping or inside each other: hanging loops, dead ends, pockets."""
    center, shape = rng.choice(list(referee.points)), rng.choice((diamond, box))
    first = shape(referee, center, rng.randint(2, 4)) if rng.random() < 0.5 else set()
    first = first or blob(referee, rng, rng.randint(2, max(2, len(referee.points) // 4)))
    player, walls, inside = rng.randrange(2), border(referee, first), set(first)
    for _ in range(rng.randint(1, 3)):
        beside = {q for p in walls for q in referee.near[p] if not referee.edge[q]} - walls
        room = beside | (inside if rng.random() < 0.5 else set(inner_points(referee)))
        other = blob(referee, rng, rng.randint(1, 6), {p for p in room if p not in walls})
        walls, inside = walls | border(referee, other), inside | other
    inside -= walls
    visitors = shuffled(rng, inside)
    before = rng.choice((0, 0, 1, 2))
    plan = [(p, 1 - player) for p in visitors[:before]] + [(p, player) for p in shuffled(rng, walls)]
    return plan + [(p, 1 - player) for p in visitors[before : before + rng.randint(0, 2)]]


def mixed(referee: Referee, rng: Random) -> Plan:
    """Any of the others."""
    return rng.choice([style for style in STYLES.values() if style is not mixed])(referee, rng)


STYLES: dict[str, Callable[[Referee, Random], Plan]] = {
    "uniform": uniform,
    "clumps": clumps,
    "into_houses": into_houses,
    "two_runs": two_runs,
    "rings": rings,
    "break_in": break_in,
    "onion": onion,
    "nested": nested,
    "twin": twin,
    "loops": loops,
    "mixed": mixed,
}


def size(rng: Random) -> tuple[int, int]:
    """Width and height, 2x2 to 14x14, mostly small and mostly not square."""

    def side() -> int:
        return rng.randint(*rng.choice(((2, 7), (5, 9), (7, 14))))

    return side(), side()


def dots(
    style: Callable[[Referee, Random], Plan], referee: Referee, rng: Random, in_turn: bool = False
) -> Iterator[tuple[int, int]]:
    """Legal points and who plays them, in most games until the board has become too full for plans.

    The referee must have played each dot before the next is asked for. In turn, the player is always the
    one to move.
    """
    plan: Plan = []
    num_empty, houses_last = 0, rng.random() < 0.5
    whole = len(referee.points) < 30 or rng.random() < 0.3
    enough = 0 if whole else rng.uniform(0, 0.7) * len(referee.points)
    while not referee.finished and len(playable_points(referee)) > enough:
        legal = referee.legal()
        plan = [dot for dot in plan if legal[dot[0]]]
        fit = [dot for dot in plan if dot[1] == referee.to_move] if in_turn else plan
        if not fit and num_empty < 5:
            plan += style(referee, rng)
            num_empty += 1
            continue
        num_empty = 0
        if fit:
            chosen = fit[0]
            plan.remove(chosen)
            yield chosen
        else:
            open_points = [p for p in referee.points if legal[p]]
            houses = referee.houses(0) | referee.houses(1) if houses_last else set()
            open_points = [p for p in open_points if p not in houses] or open_points
            yield rng.choice(open_points), referee.to_move if in_turn else rng.randrange(2)
