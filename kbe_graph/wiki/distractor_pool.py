"""Wrong options for the value of a statement: values of the same property for other items of the same kind."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import cached_property
from random import Random
from typing import NamedTuple

from kbe_graph.english.kinds import kinds_of, synset_of
from kbe_graph.facts.pack import Pack
from kbe_graph.facts.wikidata.rules import properties
from kbe_graph.forms.form_case import AnswerOption, is_alike
from kbe_graph.forms.multiple_choice import WRONG
from kbe_graph.question import read
from kbe_graph.seeds import seed_of
from kbe_graph.text import fold
from kbe_graph.types import Fact, WikiItem, WikiStatement
from kbe_graph.wiki.item_name import kind_nouns, names_of, tells
from kbe_graph.wiki.wiki_sample import Described, MadeQuestion

ABOVE = frozenset(["P17", "P30", "P31", "P131", "P171", "P276", "P279", "P361", "P706"])
BELOW = frozenset(["P150", "P527"])
"""Properties whose value contains or generalises the item, and those whose value is a part of it."""
BESIDE = frozenset(["P47", "P190", "P530", "P1889"])
"""Properties between things of one kind, which may be options of the same question."""
LEVELS = 4
ENOUGH = 6  # minimum different values of a kind to draw options from
DRAWN, TRIES = 12, 200
MOST_HELD = 0.5  # share of a kind's items at which the kind gives the value away
LEAST_HOLDERS = 3
NEAREST = 3  # nearest kinds of a packaged thing, from itself upwards
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
        self._having: Counter[str] = Counter()
        self._single: Counter[str] = Counter()
        for item, statements in described:
            self._add(item, statements)

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

    def id_of(self, property_id: str, name: str) -> str:
        """Return the id of the value of a property that has a name, or an empty string."""
        ends = self._held.get((property_id, ALL), ())
        return next((end.id for end in sorted(ends) if fold(end.name) == fold(name)), "")

    @cached_property
    def latest(self) -> int:
        """The last year that is known to be past: that in which items were fetched."""
        years = [int(item.fetched[:4]) for item in self.items.values() if item.fetched[:4].isdecimal()]
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
        is_told = tells(made.text, option.name, read(made.text).head)
        if is_told or any(is_alike(option.name, name) for name in names_of(item)):
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


def packaged_items(pack: Pack) -> Iterator[tuple[WikiItem, Sequence[WikiStatement]]]:
    """Yield the things of a pack as items, so that a small corpus has options such as countries and rivers.

    They are the things that have relations mapped to properties, and the objects of these relations.
    """
    names = {relation.name: name for name, relation in properties().items() if not relation.protected}
    facts: dict[str, list[Fact]] = defaultdict(list)
    for fact in pack.facts:
        if fact.relation in names and fact.review != "rejected":
            facts[fact.subject_id].append(fact)
    for thing in dict.fromkeys((*facts, *(fact.object_id for each in facts.values() for fact in each))):
        synset = synset_of(thing)
        first = 0 if synset and not synset.instance else 1  # the kinds of a named river start above it
        kinds = kinds_of(thing)[first : first + NEAREST]
        labels = tuple(kind.lemmas[0] for each in kinds if (kind := synset_of(each)))
        item = WikiItem(thing, pack.label(thing), aliases=pack.aliases(thing), kinds=kinds, kind_labels=labels)
        yield item, tuple(_statement(fact, names[fact.relation]) for fact in facts.get(thing, ()))


def _statement(fact: Fact, name: str) -> WikiStatement:
    id_ = f"{fact.subject_id} {name} {fact.object_id}"
    return WikiStatement(
        id_, fact.subject_id, name, fact.relation, "wikibase-item", "item", fact.object_id, fact.object
    )
