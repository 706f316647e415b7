"""Wrong options for the value of a statement: the values that other items of its kind have for the same property."""

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
"""Properties whose value the item is within or of a kind of, and those whose value is a part of it."""
BESIDE = frozenset(["P47", "P190", "P530", "P1889"])
"""Properties that hold between things of one kind, of which one may stand beside the other as an option."""
LEVELS = 4
ENOUGH = 6  # different values of a kind that options are drawn from
DRAWN, TRIES = 12, 200
ALIKE = 0.6  # cosine of the places where two things occur
MOST_HELD = 0.5  # share of a kind's items from which on the kind tells the value
LEAST_HOLDERS = 3
OFTEN, MOST_RIGHT = 4, 0.36  # times that an answer is right, and the share of the sets with it from which it is refused
ALL = ""  # the kind of all items


class Ending(NamedTuple):
    """The end of a statement: the id of an item, or a folded text, and its name."""

    id: str
    name: str


def ending(statement: WikiStatement) -> Ending:
    """Return the end of a statement."""
    return Ending(statement.target or fold(statement.text), statement.text)


def values(statements: Iterable[WikiStatement], property_id: str) -> tuple[WikiStatement, ...]:
    """Return the statements of a property that hold now and are of best rank, each value once, kept or not."""
    ends: dict[str, WikiStatement] = {}
    for each in statements:
        if each.property_id == property_id and each.best and each.current and each.kind != "none":
            present = ends.get(ending(each).id)
            if present is None or (each.kept and not present.kept):
                ends[ending(each).id] = each
    return tuple(ends.values())


@dataclass(frozen=True)
class _Values:
    """Values with their counts, to draw from in proportion to these."""

    ends: tuple[Ending, ...]
    sums: tuple[int, ...]

    def in_turn(self, seed: int) -> Iterator[Ending]:
        """Draw values, each once, until none is left or too many draws gave nothing new."""
        random, seen = Random(seed), set[str]()
        for _ in range(TRIES):
            end = random.choices(self.ends, cum_weights=self.sums)[0]
            if end.id not in seen:
                seen.add(end.id)
                yield end


class DistractorPool:
    """The values of all items of a corpus, by property and kind of item; built once, then asked."""

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
        """Return the number of items that have a property, and of those with one value of it."""
        return self._having[property_id], self._single[property_id]

    def names(self, property_id: str) -> list[str]:
        """Return the names of all values of a property."""
        return [end.name for end in self._held.get((property_id, ALL), ())]

    def ends(self, property_id: str) -> Mapping[str, str]:
        """Return the ids of all values of a property by folded name."""
        if property_id not in self._ends:
            held = self._held.get((property_id, ALL), Counter())
            self._ends[property_id] = {fold(end.name): end.id for end in sorted(held)}
        return self._ends[property_id]

    def is_told_by_kind(self, statement: WikiStatement, item: WikiItem) -> bool:
        """Return True if so many other items of a kind of an item have the same value that the kind tells it."""
        return any(
            self._share(statement.property_id, kind, ending(statement), item) >= MOST_HELD for kind in classes(item)
        )

    def _share(self, property_id: str, kind: str, end: Ending, item: WikiItem) -> float:
        held = self._held.get((property_id, kind), Counter())
        own = int(item.id in self.items)
        others = held.total() - own
        return (held[end] - own) / others if others >= LEAST_HOLDERS else 0.0

    def aliases(self, statement: WikiStatement) -> tuple[str, ...]:
        """Return the other names of a statement's value, none where its item is not in the pool."""
        target = self.items.get(statement.target)
        return target.aliases if target else ()

    def options(
        self, statement: WikiStatement, item: WikiItem, statements: Sequence[WikiStatement], text: str, *, seed: str
    ) -> list[AnswerOption]:
        """Return sound wrong options for a statement's value in a question, drawn in proportion to their frequency.

        They are of the nearest kind of item that has enough values. A few more than are needed, where there are so
        many, and none where ``text`` tells them.
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
        """Return why an option may be right, or plainly wrong, beside a statement's value; empty where it is sound."""
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
        """Return True if two values have like names, or one is above, below or linked with the other."""
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
        """Return True if two things share a kind, or occur in the same places where the kinds are not known."""
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
    """Return the cosine of two things' places, by the logarithms of their counts, 0 to 1."""
    first, second = ({name: 1 + log(count) for name, count in each.items()} for each in (places, others))
    shared = sum(weight * second.get(name, 0.0) for name, weight in first.items())
    return shared / (hypot(*first.values()) * hypot(*second.values()) or 1.0)


def classes(item: WikiItem) -> tuple[str, ...]:
    """Return the kinds of an item by which its values are counted: their ids, and the nouns it is called by."""
    return tuple(sorted({*item.kinds, *kind_nouns(item)}))


class ChoiceDraft(NamedTuple):
    """A question as its options are chosen: a seed, its right answer and the wrong ones that are sound."""

    seed: str
    answer: str
    wrong: Sequence[AnswerOption]


def balanced_choices(asked: Iterable[ChoiceDraft]) -> dict[str, tuple[str, ...]]:
    """Return four options of each question, by its seed, in an order drawn by it.

    Of the wrong ones those are taken first that are right elsewhere more often than they are wrong. There are none for
    a question with fewer than three sound ones, nor for one whose answer is right so often that to guess it pays.
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
    """Leave out questions of an answer that is right too often where it is an option, the last drawn ones first."""
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
