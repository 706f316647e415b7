"""Wrong options for the value of a statement: values of the same property for other items of the same kind."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import hypot, log
from random import Random
from typing import NamedTuple

from kbe_graph.forms.form_case import AnswerOption, is_alike
from kbe_graph.forms.multiple_choice import WRONG, Balance, in_order
from kbe_graph.question import read
from kbe_graph.seeds import seed_of
from kbe_graph.text import fold
from kbe_graph.types import WikiItem, WikiStatement
from kbe_graph.wiki.item_name import kind_nouns, names_of, tells

ABOVE = frozenset(["P17", "P30", "P31", "P131", "P171", "P276", "P279", "P361", "P706"])
BELOW = frozenset(["P150", "P527"])
"""Properties whose value contains or generalises the item, and those whose value is a part of it."""
BESIDE = frozenset(["P47", "P190", "P530", "P1889"])
"""Properties between things of one kind, which may be options of the same question."""
LEVELS = 4
ENOUGH = 6  # minimum different values of a kind to draw options from
DRAWN, TRIES = 12, 200
ALIKE = 0.6  # minimum cosine of the places where two things occur
MOST_HELD = 0.5  # share of a kind's items at which the kind gives the value away
LEAST_HOLDERS = 3
OFTEN, MOST_RIGHT = 4, 0.36  # an answer right this often, and in more than this share of its sets, is refused
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


@dataclass(frozen=True)
class _Values:
    """Values with cumulative counts, for drawing in proportion to frequency."""

    ends: tuple[Ending, ...]
    sums: tuple[int, ...]

    def in_turn(self, seed: int) -> Iterator[Ending]:
        """Draw distinct values, in at most ``TRIES`` draws."""
        random, seen = Random(seed), set[str]()
        for _ in range(TRIES):
            end = random.choices(self.ends, cum_weights=self.sums)[0]
            if end.id not in seen:
                seen.add(end.id)
                yield end


class DistractorPool:
    """The values of all items of a corpus, indexed once by property and kind of item."""

    def __init__(self, described: Iterable[tuple[WikiItem, Sequence[WikiStatement]]]) -> None:
        self.items: dict[str, WikiItem] = {}
        self._links: dict[str, set[str]] = defaultdict(set)
        self._above: dict[str, set[str]] = defaultdict(set)
        self._places: dict[str, Counter[str]] = defaultdict(Counter)
        self._held: dict[tuple[str, str], Counter[Ending]] = defaultdict(Counter)
        self._having: Counter[str] = Counter()
        self._single: Counter[str] = Counter()
        for item, statements in described:
            self._add(item, statements)
        self._drawn: dict[tuple[str, str], _Values] = {}
        self._ends: dict[str, Mapping[str, str]] = {}

    def _add(self, item: WikiItem, statements: Sequence[WikiStatement]) -> None:
        self.items[item.id] = item
        for each in statements:
            if each.target:
                self._link(item.id, each)
        for name in dict.fromkeys(each.property_id for each in statements if each.kept):
            held = values(statements, name)
            self._having[name] += bool(held)
            if len(held) == 1 and held[0].kept and held[0].text:
                self._single[name] += 1
                for kind in (*classes(item), ALL):
                    self._held[name, kind][ending(held[0])] += 1

    def _link(self, item: str, statement: WikiStatement) -> None:
        target, name = statement.target, statement.property_id
        self._places[target][f"of {name}"] += 1
        self._places[item][name] += 1
        if name in BESIDE:
            return
        self._links[item].add(target)
        if name in ABOVE:
            self._above[item].add(target)
        if name in BELOW:
            self._above[target].add(item)

    def holders(self, property_id: str) -> tuple[int, int]:
        """Return the number of items with a property, and of those with a single value of it."""
        return self._having[property_id], self._single[property_id]

    def names(self, property_id: str) -> list[str]:
        """Return the names of all values of a property."""
        return [end.name for end in self._held.get((property_id, ALL), ())]

    def ends(self, property_id: str) -> Mapping[str, str]:
        """Map the folded names of all values of a property to their ids."""
        if property_id not in self._ends:
            held = self._held.get((property_id, ALL), Counter())
            self._ends[property_id] = {fold(end.name): end.id for end in sorted(held)}
        return self._ends[property_id]

    def is_told_by_kind(self, statement: WikiStatement, item: WikiItem) -> bool:
        """Return True if so many other items of one of the item's kinds share the value that the kind gives it away."""
        return any(
            self._share(statement.property_id, kind, ending(statement), item) >= MOST_HELD for kind in classes(item)
        )

    def _share(self, property_id: str, kind: str, end: Ending, item: WikiItem) -> float:
        held = self._held.get((property_id, kind), Counter())
        own = int(item.id in self.items)
        others = held.total() - own
        return (held[end] - own) / others if others >= LEAST_HOLDERS else 0.0

    def aliases(self, statement: WikiStatement) -> tuple[str, ...]:
        """Return the other names of a statement's value; empty if its item is not in the pool."""
        target = self.items.get(statement.target)
        return target.aliases if target else ()

    def options(
        self, statement: WikiStatement, item: WikiItem, statements: Sequence[WikiStatement], text: str, *, seed: str
    ) -> list[AnswerOption]:
        """Draw sound wrong options for a statement's value, in proportion to their frequency.

        They come from the item's most specific kind with enough values. The list may be longer than needed, and
        excludes options that ``text`` gives away.
        """
        case = _Case(statement, item, statements, text)
        for kind in self._kinds(statement.property_id, item):
            sound = self._sound(case, kind, seed)
            if len(sound) >= WRONG:
                return sound
        return []

    def _kinds(self, property_id: str, item: WikiItem) -> list[str]:
        sizes = {kind: len(self._held.get((property_id, kind), ())) for kind in classes(item) or (ALL,)}
        large = [kind for kind, size in sizes.items() if size >= ENOUGH]
        return sorted(large or sizes, key=lambda kind: (sizes[kind], kind), reverse=not large)

    def _sound(self, case: "_Case", kind: str, seed: str) -> list[AnswerOption]:
        sound: list[AnswerOption] = []
        held = self._held.get((case.statement.property_id, kind))
        if not held:
            return sound
        for end in self._draw(case.statement.property_id, kind).in_turn(seed_of("distractor", seed)):
            option = AnswerOption(end.name, end.id, held[end])
            if not self.why_unsound(option, case.statement, case.item, case.statements, case.text) and not any(
                self._are_one(option.name, option.concept, other.name, other.concept) for other in sound
            ):
                sound.append(option)
            if len(sound) == DRAWN:
                break
        return sound

    def _draw(self, property_id: str, kind: str) -> _Values:
        key = property_id, kind
        if key not in self._drawn:
            held = self._held[key]
            ends = tuple(sorted(held))
            self._drawn[key] = _Values(ends, tuple(accumulate(held[end] for end in ends)))
        return self._drawn[key]

    def why_unsound(
        self,
        option: AnswerOption,
        statement: WikiStatement,
        item: WikiItem,
        statements: Sequence[WikiStatement],
        text: str,
    ) -> str:
        """Explain why an option may be right, or obviously wrong, for a statement; empty if it is sound."""
        answer = ending(statement)
        target = self.items.get(option.concept)
        right = {fold(name) for name in (answer.name, *self.aliases(statement))}
        if not right.isdisjoint(map(fold, (option.name, *(target.aliases if target else ())))):
            return "equal options"
        if self._are_one(option.name, option.concept, answer.name, answer.id):
            return "option like the answer"
        named = {item.id, *(each.target for each in statements), *self._links.get(item.id, ())} - {""}
        names = {fold(each.text) for each in statements if each.text} | {fold(item.label)}
        if option.concept in named or fold(option.name) in names or item.id in self._links.get(option.concept, ()):
            return "option linked with the item"
        if tells(text, option.name, read(text).head) or any(is_alike(option.name, name) for name in names_of(item)):
            return "option named by the question"
        if (" " in option.name) != (" " in answer.name):
            return "option written otherwise"
        is_other = option.concept and statement.target and not self._is_same_kind(option.concept, statement.target)
        return "option of another kind" if is_other else ""

    def _are_one(self, name: str, id_: str, other: str, other_id: str) -> bool:
        if is_alike(name, other):
            return True
        if not id_ or not other_id:
            return False
        linked = other_id in self._links.get(id_, ()) or id_ in self._links.get(other_id, ())
        return linked or other_id in self._all_above(id_) or id_ in self._all_above(other_id)

    def _all_above(self, id_: str) -> set[str]:
        seen, now = set[str](), {id_}
        for _ in range(LEVELS):
            now = set[str]().union(*(self._above.get(each, set()) for each in now)) - seen
            seen |= now
        return seen - {id_}

    def _is_same_kind(self, id_: str, other: str) -> bool:
        items = self.items.get(id_), self.items.get(other)
        if items[0] and items[1] and items[0].kinds and items[1].kinds:
            return not set(classes(items[0])).isdisjoint(classes(items[1]))
        places, others = self._places.get(id_), self._places.get(other)
        return not places or not others or _likeness(places, others) >= ALIKE


@dataclass(frozen=True, slots=True)
class _Case:
    statement: WikiStatement
    item: WikiItem
    statements: Sequence[WikiStatement]
    text: str


def _likeness(places: Counter[str], others: Counter[str]) -> float:
    first, second = ({name: 1 + log(count) for name, count in each.items()} for each in (places, others))
    shared = sum(weight * second.get(name, 0.0) for name, weight in first.items())
    return shared / (hypot(*first.values()) * hypot(*second.values()) or 1.0)


def classes(item: WikiItem) -> tuple[str, ...]:
    """Return the kinds by which an item's values are counted: ids, and the nouns that it is called by."""
    return tuple(sorted({*item.kinds, *kind_nouns(item)}))


class ChoiceDraft(NamedTuple):
    """A question before its options are chosen: a seed, its answer, and the sound wrong options."""

    seed: str
    answer: str
    wrong: Sequence[AnswerOption]


def balanced_choices(asked: Iterable[ChoiceDraft]) -> dict[str, tuple[str, ...]]:
    """Choose four options for each question, by its seed, in seeded order.

    Wrong options that are right elsewhere more often than they are wrong are preferred. Questions with fewer than three
    sound options, or whose answer is right so often that guessing it pays, are left out.
    """
    ready = sorted((each for each in asked if len(each.wrong) >= WRONG), key=lambda each: seed_of("choice", each.seed))
    balance = Balance(each.answer for each in ready)
    drawn = {each.seed: [option.name for option in balance.draw(each.wrong, each.seed)] for each in ready}
    kept = _without_guessable(ready, drawn)
    return {
        each.seed: in_order([each.answer], drawn[each.seed], [seed_of("place", each.seed) % (WRONG + 1)], each.seed)
        for each in kept
    }


def _without_guessable(asked: Sequence[ChoiceDraft], drawn: Mapping[str, Sequence[str]]) -> list[ChoiceDraft]:
    right = Counter(fold(each.answer) for each in asked)
    wrong = Counter(fold(name) for names in drawn.values() for name in names)
    kept: list[ChoiceDraft] = []
    for each in reversed(asked):
        name = fold(each.answer)
        if right[name] >= OFTEN and right[name] > MOST_RIGHT * (right[name] + wrong[name]):
            right[name] -= 1
            wrong.subtract(map(fold, drawn[each.seed]))
        else:
            kept.append(each)
    return kept
