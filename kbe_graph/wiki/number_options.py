"""Wrong options for a year or an amount: close to the right one, formatted like it, and randomly ranked around it."""

from collections.abc import Collection
from decimal import ROUND_HALF_UP, Decimal
from random import Random

from kbe_graph.forms.multiple_choice import WRONG
from kbe_graph.seeds import seed_of

NEAREST, FURTHEST = 2, 30  # minimum and maximum years between neighbouring options
LEAST_FACTOR, MOST_FACTOR = Decimal("1.12"), Decimal("1.6")


def year_options(year: int, latest: int, taken: Collection[int] = (), *, seed: str) -> tuple[int, ...]:
    """Draw three wrong years up to ``latest``, with 2 to 30 years between neighbouring options; empty if impossible.

    None is in ``taken``. The rank of the right year is drawn among those that leave enough room.
    """
    random = Random(seed_of("years", seed))
    room = (latest - year) // NEAREST
    ranks = [rank for rank in range(WRONG + 1) if WRONG - rank <= room]
    if not ranks or year < FURTHEST * WRONG:
        return ()
    below = random.choice(ranks)
    lower, upper = list[int](), list[int]()
    for _ in range(below):
        lower.append(_step(min((year, *lower)), -1, FURTHEST, random, taken))
    for still in range(WRONG - below, 0, -1):
        last = max((year, *upper))
        widest = min(FURTHEST, latest - last - NEAREST * (still - 1))
        if widest < NEAREST:
            return ()
        upper.append(_step(last, 1, widest, random, taken))
    made = (*sorted(lower), *upper)
    return made if max(made) <= latest and not {*made} & {*taken} else ()


def _step(last: int, way: int, widest: int, random: Random, taken: Collection[int]) -> int:
    steps = [step for step in range(NEAREST, widest + 1) if last + way * step not in taken] or [NEAREST]
    return last + way * random.choice(steps)


def amount_options(
    number: Decimal, taken: Collection[Decimal] = (), *, seed: str, largest: Decimal | None = None
) -> tuple[Decimal, ...]:
    """Draw three wrong amounts with steps of a factor 1.12 to 1.6, in the precision of ``number``; empty if impossible.

    None is in ``taken`` or above ``largest``. The rank of the right amount is drawn among those that leave enough room.
    The amount must be positive.
    """
    if number <= 0:
        return ()
    random = Random(seed_of("amounts", seed))
    unit = _unit(number)
    lower = _ladder(number, -1, unit, random, taken)
    upper = [each for each in _ladder(number, 1, unit, random, taken) if largest is None or each <= largest]
    ranks = [below for below in range(len(lower) + 1) if 0 <= WRONG - below <= len(upper)]
    if not ranks:
        return ()
    below = random.choice(ranks)
    return (*reversed(lower[:below]), *upper[: WRONG - below])


def _unit(number: Decimal) -> Decimal:
    exponent = number.normalize().as_tuple().exponent
    return Decimal(1).scaleb(int(exponent))


def _ladder(number: Decimal, way: int, unit: Decimal, random: Random, taken: Collection[Decimal]) -> list[Decimal]:
    steps: list[Decimal] = []
    last = number
    for _ in range(WRONG):
        factor = Decimal(random.uniform(float(LEAST_FACTOR), float(MOST_FACTOR)))
        exact = last * factor if way > 0 else last / factor
        made = (exact / unit).quantize(Decimal(1), ROUND_HALF_UP) * unit
        if abs(made - last) < unit:
            made = last + way * unit
        while made in taken:
            made += way * unit
        if made < unit:
            break
        steps.append(made)
        last = made
    return steps
