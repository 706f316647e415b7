"""Answers of statements, and wrong options for them: values of other items, and years and amounts by rule."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Decimal
from functools import cached_property
from random import Random
from typing import NamedTuple

from kbe_graph.errors import NoCandidate
from kbe_graph.facts.wikidata.rules import amount
from kbe_graph.facts.wikidata.statement_facts import value_name
from kbe_graph.facts.wikidata.statement_filters import measured_units
from kbe_graph.forms.form_case import AnswerOption, is_alike
from kbe_graph.forms.multiple_choice import WRONG
from kbe_graph.text import fold
from kbe_graph.types import WikiItem, WikiStatement, seed_of
from kbe_graph.wiki.item_name import kind_nouns, names_of, tells
from kbe_graph.wiki.wiki_sample import Described, MadeQuestion

ABOVE = frozenset(["P17", "P30", "P31", "P131", "P171", "P276", "P279", "P361", "P706"])
BELOW = frozenset(["P150", "P527"])
"""Properties whose value contains or generalises the item, and those whose value is a part of it."""
BESIDE = frozenset(["P47", "P190", "P530", "P1889"])
"""Properties between things of one kind, which may be options of the same question."""
BEGINNINGS = frozenset(["P569", "P571", "P580", "P1619"])
ENDS = frozenset(["P570", "P576", "P582", "P3999"])
"""Properties with the year in which a person or a thing began, or ended."""
LEVELS = 4
ENOUGH = 6  # minimum different values of a kind to draw options from
DRAWN, TRIES = 12, 200
MOST_HELD = 0.5  # share of a kind's items at which the kind gives the value away
LEAST_HOLDERS = 3
STEPS = 10  # tries to find a number that is not taken
ALL = ""  # the kind of all items


class Ending(NamedTuple):
    """The end of a statement: the id of an item, or a folded text, and its name."""

    id: str
    name: str


def ending(statement: WikiStatement) -> Ending:
    """Return the end of a statement."""
    return Ending(statement.target or fold(statement.text), statement.text)


def values(statements: Iterable[WikiStatement], property_id: str) -> tuple[WikiStatement, ...]:
    """Return the current, best-ranked values of a property, one statement each, preferring kept statements."""
    ends: dict[str, WikiStatement] = {}
    for each in statements:
        if each.property_id == property_id and each.best and each.current and each.kind != "none":
            present = ends.get(ending(each).id)
            if present is None or (each.kept and not present.kept):
                ends[ending(each).id] = each
    return tuple(ends.values())


class DistractorPool:
    """The values of all items of a corpus, indexed once by property and kind of item."""

    def __init__(self, described: Iterable[tuple[WikiItem, Sequence[WikiStatement]]]) -> None:
        self.items: dict[str, WikiItem] = {}
        self._links: dict[str, set[str]] = defaultdict(set)
        self._above: dict[str, set[str]] = defaultdict(set)
        self._held: dict[tuple[str, str], Counter[Ending]] = defaultdict(Counter)
        for item, statements in described:
            self._add(item, statements)

    def _add(self, item: WikiItem, statements: Sequence[WikiStatement]) -> None:
        self.items[item.id] = item
        for each in statements:
            if each.target:
                self._link(item.id, each)
        for name in dict.fromkeys(each.property_id for each in statements if each.kept):
            held = values(statements, name)
            if len(held) == 1 and held[0].kept and held[0].text:
                for kind in (*classes(item), ALL):
                    self._held[name, kind][ending(held[0])] += 1

    def _link(self, item: str, statement: WikiStatement) -> None:
        target, name = statement.target, statement.property_id
        if name in BESIDE:
            return
        self._links[item].add(target)
        if name in ABOVE:
            self._above[item].add(target)
        if name in BELOW:
            self._above[target].add(item)

    def id_of(self, property_id: str, name: str) -> str:
        """Return the id of the value of a property that has a name, or an empty string."""
        ends = self._held.get((property_id, ALL), ())
        return next((end.id for end in sorted(ends) if fold(end.name) == fold(name)), "")

    @cached_property
    def latest(self) -> int:
        """The last year that is known to be past: that in which items were fetched."""
        years = (int(item.fetched[:4]) for item in self.items.values() if item.fetched[:4].isdecimal())
        return max(years, default=datetime.now(UTC).year)

    def is_told_by_kind(self, statement: WikiStatement, item: WikiItem) -> bool:
        """Return True if so many other items of one of the item's kinds share the value that the kind gives it away."""
        own = int(item.id in self.items)
        for kind in classes(item):
            held = self._held.get((statement.property_id, kind), Counter())
            others = held.total() - own
            if others >= LEAST_HOLDERS and (held[ending(statement)] - own) / others >= MOST_HELD:
                return True
        return False

    def years(self, property_id: str, item: WikiItem) -> list[int]:
        """Return the years that items of the item's most specific kind with enough values have for a property."""
        held = [self._held.get((property_id, kind), Counter[Ending]()) for kind in classes(item)]
        fewest = min((ends for ends in held if len(ends) >= ENOUGH), key=len, default=())
        return sorted(int(year) for end in fewest for year in _YEAR.findall(end.name))

    def aliases(self, statement: WikiStatement) -> tuple[str, ...]:
        """Return the other names of a statement's value; empty if its item is not in the pool."""
        target = self.items.get(statement.target)
        return target.aliases if target else ()

    def options(self, made: MadeQuestion, described: Described) -> list[AnswerOption]:
        """Draw sound wrong options for a question's answer, in proportion to their frequency.

        They come from the item's most specific kind with enough values. The list may be longer than needed, and
        excludes options that the question's text gives away.
        """
        name = made.statement.property_id
        sizes = {kind: len(self._held.get((name, kind), ())) for kind in classes(described.item) or (ALL,)}
        large = [kind for kind, size in sizes.items() if size >= ENOUGH]
        for kind in sorted(large or sizes, key=lambda kind: (sizes[kind], kind), reverse=not large):
            sound = self._sound(made, described, self._held.get((name, kind), Counter()))
            if len(sound) >= WRONG:
                return sound
        return []

    def _sound(self, made: MadeQuestion, described: Described, held: Counter[Ending]) -> list[AnswerOption]:
        sound: list[AnswerOption] = []
        ends = sorted(held)
        random = Random(seed_of("distractor", made.seed))
        drawn = random.choices(ends, weights=[held[end] for end in ends], k=TRIES) if ends else []
        for end in dict.fromkeys(drawn):
            option = AnswerOption(end.name, end.id, held[end])
            twice = any(self._are_one(end, Ending(other.concept, other.name)) for other in sound)
            if not twice and not self.why_unsound(option, made, described):
                sound.append(option)
            if len(sound) == DRAWN:
                break
        return sound

    def why_unsound(self, option: AnswerOption, made: MadeQuestion, described: Described) -> str:
        """Explain why an option may be right, or obviously wrong, for a question; empty if it is sound."""
        item, statements, statement = described.item, described.statements, made.statement
        answer, target = ending(statement), self.items.get(option.concept)
        right = {fold(name) for name in (answer.name, *self.aliases(statement))}
        if not right.isdisjoint(map(fold, (option.name, *(target.aliases if target else ())))):
            return "equal options"
        if self._are_one(Ending(option.concept, option.name), answer):
            return "option like the answer"
        ids = {item.id, *(each.target for each in statements), *self._links.get(item.id, ())} - {""}
        names = {fold(each.text) for each in statements if each.text} | {fold(item.label)}
        if option.concept in ids or fold(option.name) in names or item.id in self._links.get(option.concept, ()):
            return "option linked with the item"
        if tells(made.text, option.name) or any(is_alike(option.name, name) for name in names_of(item)):
            return "option named by the question"
        if (" " in option.name) != (" " in answer.name):
            return "option written otherwise"
        is_other = option.concept and statement.target and not self._is_same_kind(option.concept, statement.target)
        return "option of another kind" if is_other else ""

    def _are_one(self, end: Ending, other: Ending) -> bool:
        if is_alike(end.name, other.name):
            return True
        if not end.id or not other.id:
            return False
        linked = other.id in self._links.get(end.id, ()) or end.id in self._links.get(other.id, ())
        return linked or other.id in self._all_above(end.id) or end.id in self._all_above(other.id)

    def _all_above(self, id_: str) -> set[str]:
        seen, now = set[str](), {id_}
        for _ in range(LEVELS):
            now = set[str]().union(*(self._above.get(each, set()) for each in now)) - seen
            seen |= now
        return seen - {id_}

    def _is_same_kind(self, id_: str, other: str) -> bool:
        items = [item for item in (self.items.get(id_), self.items.get(other)) if item and item.kinds]
        return len(items) < 2 or not set(classes(items[0])).isdisjoint(classes(items[1]))


def classes(item: WikiItem) -> tuple[str, ...]:
    """Return the kinds by which an item's values are counted: ids, and the nouns that it is called by."""
    return tuple(sorted({*item.kinds, *kind_nouns(item)}))


NO_ANSWER, NOT_METRIC = "a value that no answer can say", "a unit that is not metric"
LONGEST, MOST_WORDS = 60, 7
NEAREST, FURTHEST = 2, 30  # minimum and maximum years between neighbouring options
LEAST_FACTOR, MOST_FACTOR = 1.12, 1.6
_YEAR = re.compile(r"(?<![\d.,-])([1-9]\d{3})(?![\d.,]|s\b)")
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)(?: (.+))?")
_ID = re.compile(r"[A-Z]\d+")
_BRACKET = re.compile(r"[()\[\]{}<>|;:]")


def value_names(statement: WikiStatement, pool: DistractorPool) -> tuple[str, ...]:
    """Express the value of a statement as an answer, with its other right names after it; raises NoCandidate.

    A time is expressed by its year, an amount has at most four digits, and a name is short, without lists or brackets.
    """
    text = statement.text.strip()
    unit = measured_units().get(statement.unit)
    if statement.kind == "quantity" and unit and not unit.metric:
        raise NoCandidate(NOT_METRIC, text)
    answer = _name(text) if statement.kind == "item" else value_name(statement)
    if not answer:
        raise NoCandidate(NO_ANSWER, text)
    names = {fold(name): name for name in reversed((text, *pool.aliases(statement)))}
    names.pop(fold(answer), None)
    return (answer, *reversed(names.values()))


def _name(text: str) -> str:
    is_short = len(text) <= LONGEST and len(text.split()) <= MOST_WORDS
    is_list = fold(text).startswith(("list of", "category", "template", "unknown", "anonymous", "various", "none"))
    return text if is_short and not is_list and not _BRACKET.search(text) and not _ID.fullmatch(text) else ""


def wrong_options(made: MadeQuestion, described: Described, pool: DistractorPool) -> list[AnswerOption]:
    """Find sound wrong options for a question's answer, possibly fewer than three.

    Years (none in the future) and amounts are generated by rule; all others are values of other items.
    """
    if made.statement.kind == "time":
        taken = {int(year) for each in described.statements for year in _YEAR.findall(each.text)}
        earliest, latest = _span(made, described, pool)
        years = year_options(int(made.answer), latest, taken - {int(made.answer)}, seed=made.seed, earliest=earliest)
        return [AnswerOption(f"{each:f}") for each in years]
    if made.statement.kind == "quantity":
        return _wrong_amounts(made, described)
    return pool.options(made, described)


def written_options(
    wrong: Sequence[str], made: MadeQuestion, described: Described, pool: DistractorPool
) -> list[AnswerOption]:
    """Return the wrong options that came with a question if all are sound and different, otherwise none."""
    options = [AnswerOption(name, pool.id_of(made.statement.property_id, name)) for name in wrong]
    is_twice = len({fold(name) for name in wrong}) < len(wrong)
    unsound = (
        not _is_written_alike(each.name, made, pool) or pool.why_unsound(each, made, described) for each in options
    )
    return [] if is_twice or any(unsound) else options


def _is_written_alike(name: str, made: MadeQuestion, pool: DistractorPool) -> bool:
    """Return True if an option has the answer's format: a past year, an amount in its unit, or a name.

    A name must contain digits if and only if the answer does.
    """
    if made.statement.kind == "time":
        return bool(re.fullmatch(r"[1-9]\d{3}", name)) and int(name) <= pool.latest
    if made.statement.kind == "quantity":
        return re.sub(r"[\d.]+", "", name) == re.sub(r"[\d.]+", "", made.answer) and name[:1].isdigit()
    return any(map(str.isdigit, name)) == any(map(str.isdigit, made.answer))


def _wrong_amounts(made: MadeQuestion, described: Described) -> list[AnswerOption]:
    match = _AMOUNT.fullmatch(made.answer)
    if not match:
        return []
    others = (_AMOUNT.fullmatch(each.text) for each in described.statements if each.id != made.statement.id)
    taken = {Decimal(other[1]) for other in others if other} - {Decimal(match[1])}
    amounts = amount_options(Decimal(match[1]), taken, seed=made.seed)
    return [AnswerOption(name) for each in amounts if (name := amount(f"{each:f}", made.statement.unit or "1"))]


def _span(made: MadeQuestion, described: Described, pool: DistractorPool) -> tuple[int, int]:
    """Find the years that make sense: within the item's own life, and not before its kind has any such year."""
    year, known = int(made.answer), pool.years(made.statement.property_id, described.item)
    begun, ended = (
        [int(text) for each in described.statements if each.property_id in bounds for text in _YEAR.findall(each.text)]
        for bounds in (BEGINNINGS, ENDS)
    )
    before = [each for each in (*begun, *(known[:1] if len(known) >= ENOUGH else ())) if each < year]
    return max(before, default=1), min((each for each in ended if each > year), default=pool.latest)


def year_options(
    year: int, latest: int, taken: Collection[int] = (), *, seed: str, earliest: int = 1
) -> tuple[Decimal, ...]:
    """Draw three wrong years from ``earliest`` to ``latest``, 2 to 30 years between neighbours; empty if impossible.

    None is in ``taken``. The rank of the right year is drawn among those that leave enough room.
    """
    random = Random(seed_of("years", seed))
    widest = min(FURTHEST, max(NEAREST, (latest - year) // WRONG))

    def step(last: Decimal, way: int) -> Decimal:
        return last + way * random.randint(NEAREST, FURTHEST if way < 0 else widest)

    return _near(Decimal(year), step, {*map(Decimal, taken)}, Decimal(earliest), Decimal(latest), random)


def amount_options(number: Decimal, taken: Collection[Decimal] = (), *, seed: str) -> tuple[Decimal, ...]:
    """Draw three wrong amounts with steps of a factor 1.12 to 1.6, in the precision of ``number``; empty if impossible.

    None is in ``taken``. The rank of the right amount is drawn among those that leave enough room. The amount must be
    positive.
    """
    random = Random(seed_of("amounts", seed))
    unit = Decimal(1).scaleb(int(number.normalize().as_tuple().exponent))

    def step(last: Decimal, way: int) -> Decimal:
        factor = Decimal(random.uniform(LEAST_FACTOR, MOST_FACTOR))
        exact = last * factor if way > 0 else last / factor
        made = (exact / unit).quantize(Decimal(1), ROUND_HALF_UP) * unit
        return made if abs(made - last) >= unit else last + way * unit

    return _near(number, step, taken, unit, Decimal("Infinity"), random) if number > 0 else ()


def _near(
    number: Decimal,
    step: Callable[[Decimal, int], Decimal],
    taken: Collection[Decimal],
    least: Decimal,
    most: Decimal,
    random: Random,
) -> tuple[Decimal, ...]:
    """Draw three numbers around one, each a step from its neighbour, as many below as a draw says; empty if too few."""
    sides: list[list[Decimal]] = []
    for way in (-1, 1):
        side = [number]
        for _ in range(WRONG):
            tries = (step(side[-1], way) for _ in range(STEPS))
            side += [next((each for each in tries if least <= each <= most and each not in taken), side[-1])]
        sides.append([each for each in dict.fromkeys(side) if each != number])
    below, above = sides
    ranks = [rank for rank in range(len(below) + 1) if 0 <= WRONG - rank <= len(above)]
    rank = random.choice(ranks) if ranks else 0
    return (*reversed(below[:rank]), *above[: WRONG - rank]) if ranks else ()
