"""Entities and links in captions, from a dependency parse, or from nouns only if there is no parser."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Literal

from kbe_graph.datasets.view import Thing, ThingLink, View
from kbe_graph.english.inflect import form, is_compound, singular
from kbe_graph.english.parse import ENGLISH, Word
from kbe_graph.english.phrase import phrases
from kbe_graph.english.wordnet import Synset, wordnet
from kbe_graph.english.words import is_of_kind, kind, words
from kbe_graph.text import fold

Kind = Literal["place", "clothing", "person", "body", "sport", "food", "vehicle", "device", "animal", "toy"]

_SEEN = {
    *(
        "noun.Tops",
        "noun.animal",
        "noun.artifact",
        "noun.body",
        "noun.food",
        "noun.group",
        "noun.location",
        "noun.object",
    ),
    *("noun.person", "noun.phenomenon", "noun.plant", "noun.substance", "noun.communication"),
}
# For two of COCO's categories, WordNet's most frequent sense is wrong: the toilet fixture, and the computer mouse.
_PICTURED = {"toilet": "toilet fixture", "mouse": "computer mouse"}
_SORTS: Mapping[Kind, tuple[str, ...]] = {
    "place": ("visible place",),
    "clothing": ("clothing", "footwear"),
    "toy": ("toy",),
    "animal": ("animal",),
    "person": ("person",),
    "body": ("body part",),
    "sport": ("sports gear",),
    "vehicle": ("conveyance",),  # unlike "vehicle", includes trains
    "device": ("instrumentality",),  # devices, tools, equipment, vehicles, containers
    "food": ("food",),
}


@lru_cache(1 << 14)
def senses(name: str) -> tuple[Synset, ...]:
    """List the senses of a name that an image can show, most frequent first; otherwise its first sense.

    A rare sense for a person comes after one for an animal, a plant or food (ostrich, chick), which is more likely
    shown.
    """
    synsets = wordnet().lookup(name).synsets
    if name in _PICTURED:
        synsets = (*map(wordnet().synset, kind(_PICTURED[name])), *synsets)
    seen = [synset for synset in synsets if synset.lexname in _SEEN and not synset.instance]
    if any(synset.lexname in ("noun.animal", "noun.plant", "noun.food") for synset in seen):
        seen.sort(key=_is_rare_person)
    return tuple(seen) or synsets[:1]


def _is_rare_person(synset: Synset) -> bool:
    return synset.lexname == "noun.person" and not any(
        count for lemma in synset.lemmas for sense, count in wordnet().senses(lemma) if sense == synset.id
    )


@lru_cache(1 << 14)
def is_a(name: str, kind: Kind) -> bool:
    """Return True if the first visible sense of a name is of this kind."""
    return any(is_of_kind(synset.id, *_SORTS[kind]) for synset in senses(name)[:1])


@lru_cache(1 << 14)
def is_thing(name: str) -> bool:
    """Return True if the most frequent sense of a name is a visible object: a cap, but not a sport or a city."""
    synsets = wordnet().lookup(name).synsets
    return bool(synsets) and synsets[0].lexname in _THINGS


@lru_cache(1 << 14)
def is_seen(name: str) -> bool:
    """Return True if the most frequent sense of a name can be visible in an image, or the name is unknown."""
    synsets = wordnet().lookup(name).synsets
    return not synsets or (synsets[0].lexname in _SEEN and not synsets[0].instance)


_THINGS = {"noun.animal", "noun.artifact", "noun.body", "noun.food", "noun.person", "noun.plant"}


_DEPS = {"nsubj", "nsubjpass", "dobj", "pobj", "ROOT", "attr", "conj", "appos", "dative", "oprd", "poss", "dep"}
_COUNTS = {"couple": "two", "pair": "two", "trio": "three", "dozen": "twelve"}
_CLAUSES = {"acl", "relcl", "advcl", "conj", "xcomp", "ccomp"}


def read_caption(view: View) -> View:
    """Add the entities and links that a caption names to its view; without a parser, the entities alone."""
    parsed = ENGLISH.words(view.evidence)
    if any(not word.dep for word in parsed):
        nouns = [phrase for phrase in phrases(parsed) if phrase.seen]
        named = tuple(Thing(str(phrase.start), phrase.name, attributes=phrase.adjectives) for phrase in nouns)
        return replace(view, source="caption words", things=named)
    tree = _Tree(parsed)
    things = {word.at: Thing(str(word.at), tree.name(word), attributes=tree.attributes(word)) for word in tree.objects}
    links = (
        ThingLink(str(first.at), relation, str(second.at))
        for first, relation, second in tree.links()
        if first is not second and {first.at, second.at} <= things.keys()
    )
    return replace(view, things=tuple(things.values()), links=tuple(dict.fromkeys(links)))


_Link = tuple[Word, str, Word]


class _Tree:
    """The words of a caption, with their dependents."""

    def __init__(self, words: Sequence[Word]) -> None:
        self.words = tuple(words)
        self._children: dict[int, list[Word]] = defaultdict(list)
        for word in words:
            if word.head != word.at:
                self._children[word.head].append(word)

    def children(self, word: Word, *deps: str) -> list[Word]:
        return [child for child in self._children[word.at] if not deps or child.dep in deps]

    def joined(self, word: Word) -> list[Word]:
        """List a word with those that "and" or "or" join to it."""
        joined = [word]
        for each in joined:
            joined.extend(child for child in self.children(each, "conj") if child.tag == word.tag)
        return joined

    def counted(self, noun: Word) -> Word:
        """Find the noun that a noun of amount counts (group of people: people), otherwise the noun itself."""
        links = [word for word in self.children(noun, "prep") if word.low == "of"]
        counted = [word for link in links for word in self.children(link, "pobj") if word.noun]
        return self.counted(counted[0]) if counted and noun.lemma in words("amounts") else noun

    @property
    def objects(self) -> list[Word]:
        """The nouns that name an object which the caption says is present."""
        return [word for word in self.words if word.noun and word.dep in _DEPS and self._is_object(word)]

    def _is_object(self, word: Word) -> bool:
        unseen = word.dep == "pobj" and self.words[word.head].lemma in words("unseen")
        is_other = unseen or word.lemma in words("no things") or self.counted(word) is not word
        return not (is_other or _is_time(word))

    def name(self, noun: Word) -> str:
        """Build an object's name: its noun with preceding nouns, and with an adjective only in WordNet's compounds."""
        head = singular(noun.low)
        near = self.words[noun.at - 1] if noun.at else noun
        if near.dep == "amod" and near.head == noun.at and is_compound(near.low, head):
            return f"{near.low} {head}"
        before = [word for word in self.children(noun, "compound") if word.at < noun.at]
        whole = [part for word in before for part in self.children(word, "compound") if part.tag == "PROPN"]
        own = [*whole, *(word for word in before if not _is_material(word, head))]  # Air France, not France
        return " ".join((*(word.low for word in sorted(own, key=lambda word: word.at)), head))

    def attributes(self, noun: Word) -> tuple[str, ...]:
        """List the attributes of an object: adjectives, material, number."""
        name = self.name(noun).split()
        return tuple(dict.fromkeys(value for value in self._qualities(noun) if value not in name))

    def _qualities(self, noun: Word) -> Iterator[str]:
        for child in self.children(noun, "amod", "nummod"):
            yield from (word.low for word in self.joined(child) if word.low not in words("no attributes"))
        yield from (word.low for word in self.children(noun, "compound") if _is_material(word, singular(noun.low)))
        link = self.words[noun.head]
        amount = self.words[link.head].lemma
        if noun.dep == "pobj" and link.low == "of" and singular(noun.low) != noun.low and amount in _COUNTS:
            yield _COUNTS[amount]

    def links(self) -> Iterator[_Link]:
        for word in self.words:
            if word.tag in {"VERB", "AUX"}:
                yield from self._verb_links(word)
            if word.noun:
                yield from self._noun_links(word)

    def _verb_links(self, verb: Word) -> Iterator[_Link]:
        subjects = [self.counted(word) for word in self._subjects(verb)]
        is_plain = verb.lemma in words("showing")
        form = self._form(verb)
        done = [] if is_plain else self._things(self.children(verb, "dobj"))
        for thing in done:  # parsers tag the "past" of "driving past buildings" as an adjective
            past = " past" if any(child.low == "past" for child in self.children(thing)) else ""
            yield from ((subject, f"{form}{past}", thing) for subject in subjects)
        for relation, things in self._reaches(verb):
            for thing in things:
                near = [word for word in self.words[: thing.at] if word.noun and word.dep != "compound"]
                is_worn = relation == "in" and is_a(thing.lemma, "clothing")
                whole = relation if is_plain or is_worn else f"{form} {relation}"
                yield from ((subject, whole, thing) for subject in (near[-1:] if is_worn else subjects))

    def _noun_links(self, noun: Word) -> Iterator[_Link]:
        owner = self.counted(noun)
        for relation, things in self._reaches(noun):
            at_place = noun.dep == "dobj" and any(is_a(self.name(thing), "place") for thing in things)
            doers = self._subjects(self.words[noun.head]) if at_place else []  # who holds it is there too
            if not (owner is not noun and relation == "of"):
                yield from ((first, relation, thing) for first in doers or self.joined(owner) for thing in things)
        yield from ((possessor, "has", noun) for possessor in self.children(noun, "poss") if possessor.noun)

    def _subjects(self, verb: Word) -> list[Word]:
        if own := [word for word in self.children(verb, "nsubj", "nsubjpass") if word.noun]:
            return self._things(own)
        head = self.words[verb.head]
        if head is verb or verb.dep not in _CLAUSES:
            return []
        if head.noun:
            return self.joined(head) if verb.dep == "acl" and head.dep == "ROOT" else [head]
        return self._subjects(head) if head.tag in {"VERB", "AUX"} else []

    def _form(self, verb: Word) -> str:
        if verb.lemma in {"have", "contain", "include"}:
            return "has"
        stays = verb.fine in {"VBN", "VBG"} or self.children(verb, "auxpass")
        return " ".join((verb.low if stays else form(verb.lemma, "VBG"), *(w.low for w in self.children(verb, "prt"))))

    def _things(self, words: Iterable[Word]) -> list[Word]:
        return [self.counted(thing) for word in words for thing in self.joined(word) if thing.noun]

    def _reaches(self, word: Word) -> Iterator[tuple[str, list[Word]]]:
        """Yield each preposition of a word with its objects: on, next to, in front of."""
        for child in self.children(word, "prep", "advmod", "agent"):
            further = self.children(child, "prep")
            if further and not self.children(child, "pobj"):
                yield from (self._reach(f"{child.low} {second.low}", second) for second in further)
            elif child.dep != "advmod" and child.lemma not in words("unseen") and child.low != "as":
                before = self.words[child.at - 1].low if child.at else ""
                yield self._reach(
                    f"{before} to" if child.low == "to" and before in {"next", "close"} else child.low, child
                )

    def _reach(self, before: str, preposition: Word) -> tuple[str, list[Word]]:
        objects = self.children(preposition, "pobj")
        if objects and objects[0].lemma in words("places"):
            place = objects[0]
            the = "the " if self.children(place, "det") else ""
            beyond = [second for second in self.children(place, "prep") if second.lemma == "of"]
            things = self._things(self.children(beyond[0], "pobj")) if beyond else []
            return f"{before} {the}{place.low} of", things
        return before, [thing for thing in self._things(objects) if not _is_time(thing)]


def _is_time(word: Word) -> bool:
    synsets = wordnet().lookup(word.lemma).synsets
    return bool(synsets) and synsets[0].lexname == "noun.time"


def _is_material(word: Word, head: str) -> bool:
    synsets = wordnet().lookup(word.lemma).synsets
    return bool(synsets) and synsets[0].lexname == "noun.substance" and not wordnet().knows(f"{word.low} {head}")


def same_name(name: str, other: str) -> bool:
    """Return True if two names are equal, ignoring number."""
    return fold(singular(fold(name))) == fold(singular(fold(other)))
