"""Entities and links in captions, from a dependency parse, or from nouns only if there is no parser."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from kbe_graph.datasets.view import Thing, ThingLink, View
from kbe_graph.english.inflect import form, is_compound
from kbe_graph.english.number import singular
from kbe_graph.english.parse import ENGLISH, Word
from kbe_graph.english.phrase import NounPhrase, phrases
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


def read_words(view: View, words: Sequence[Word]) -> View:
    """Add a caption's entities and links, found without a parse, to its view; the source is ``caption words``."""
    nouns = [phrase for phrase in phrases(words) if phrase.seen]
    things = tuple(Thing(str(phrase.start), phrase.name, attributes=phrase.adjectives) for phrase in nouns)
    links = tuple(link for pair in pairwise(nouns) for link in _link_pair(words, nouns[0], pair))
    return replace(view, source="caption words", things=things, links=links)


def _link_pair(words: Sequence[Word], leader: NounPhrase, pair: tuple[NounPhrase, NounPhrase]) -> Iterator[ThingLink]:
    first, second = pair
    between = words[first.end : second.start]
    verbs = [word for word in between if word.fine in ("VBG", "VBN")]
    rest = [word for word in between if word.tag == "ADP"]
    if between and len(verbs) <= 1 and len(rest) <= 1 and len(verbs) + len(rest) == len(between):
        subject = leader if verbs else first
        yield ThingLink(str(subject.start), " ".join(word.low for word in between), str(second.start))


class Tree:
    """The words of a text, with their dependents."""

    def __init__(self, words: Sequence[Word]) -> None:
        self.words = tuple(words)
        self._children: dict[int, list[Word]] = {}
        for word in words:
            if word.head != word.at:
                self._children.setdefault(word.head, []).append(word)

    def children(self, word: Word, *deps: str) -> list[Word]:
        """List the dependents of a word, only those with the relations ``deps`` if any are given."""
        return [child for child in self._children.get(word.at, ()) if not deps or child.dep in deps]

    def joined(self, word: Word) -> list[Word]:
        """List a word with those that "and" or "or" join to it."""
        joined = [word]
        for each in joined:
            joined.extend(child for child in self.children(each, "conj") if child.tag == word.tag)
        return joined

    def gerund(self, verb: Word) -> str:
        """Get the -ing form of a verb."""
        return verb.low if verb.fine == "VBG" else form(verb.lemma, "VBG")


_DEPS = {"nsubj", "nsubjpass", "dobj", "pobj", "ROOT", "attr", "conj", "appos", "dative", "oprd", "poss", "dep"}
_KINDS = {"noun.animal", "noun.artifact", "noun.food", "noun.object", "noun.plant"}
_COUNTS = {"couple": "two", "pair": "two", "trio": "three", "dozen": "twelve"}


def stands_for(tree: Tree, noun: Word) -> Word:
    """Find the noun that a noun of amount counts (group of people: people), otherwise the noun itself."""
    links = [word for word in tree.children(noun, "prep") if word.low == "of"]
    counted = [word for link in links for word in tree.children(link, "pobj") if word.noun]
    return stands_for(tree, counted[0]) if counted and noun.lemma in words("amounts") else noun


def is_object(tree: Tree, word: Word) -> bool:
    """Return True if a word names an object that the caption says is present."""
    if not word.noun or word.dep not in _DEPS or word.lemma in words("no things"):
        return False
    unseen = word.dep == "pobj" and tree.words[word.head].lemma in words("unseen")
    return stands_for(tree, word) is word and not unseen and not is_time(word) and not _is_doing(word)


def _is_doing(word: Word) -> bool:
    verb = word.low.endswith("ing") and wordnet().morphy(word.low, "v")
    return bool(verb) and not any(synset.lexname in _KINDS for synset in senses(word.low)[:1])


def is_time(word: Word) -> bool:
    """Return True if a noun is a time (a day, at night)."""
    synsets = wordnet().lookup(word.lemma).synsets
    return bool(synsets) and synsets[0].lexname == "noun.time"


def thing_name(tree: Tree, noun: Word) -> str:
    """Build an object's name: its noun with preceding nouns, and with an adjective only in WordNet's compounds."""
    head = singular(noun.low)
    before = [word for word in tree.children(noun) if word.dep == "compound" and word.at < noun.at]
    near = tree.words[noun.at - 1] if noun.at else noun
    if near.dep == "amod" and near.head == noun.at and is_compound(near.low, head):
        return f"{near.low} {head}"
    return " ".join((*(word.low for word in before if not _is_material(word, head)), head))


def _is_material(word: Word, head: str) -> bool:
    synsets = wordnet().lookup(word.lemma).synsets
    return bool(synsets) and synsets[0].lexname == "noun.substance" and not wordnet().knows(f"{word.low} {head}")


def thing_attributes(tree: Tree, noun: Word) -> tuple[str, ...]:
    """List the attributes of an object: adjectives, material, number."""
    name = thing_name(tree, noun)
    return tuple(dict.fromkeys(value for value in _qualities(tree, noun) if value not in name.split()))


def _qualities(tree: Tree, noun: Word) -> Iterator[str]:
    for child in tree.children(noun):
        if child.dep in ("amod", "nummod"):
            yield from (word.low for word in tree.joined(child) if word.low not in words("no attributes"))
        if child.dep == "compound" and _is_material(child, singular(noun.low)):
            yield child.low
    verb = tree.words[noun.head]
    if noun.dep == "nsubj" and verb.lemma == "be":
        complements = [word for child in tree.children(verb, "acomp") for word in tree.joined(child)]
        yield from (word.low for word in complements if word.tag == "ADJ")
    link = tree.words[noun.head]
    many = singular(noun.low) != noun.low
    if many and noun.dep == "pobj" and link.low == "of" and (amount := tree.words[link.head].lemma) in _COUNTS:
        yield _COUNTS[amount]


def same_name(name: str, other: str) -> bool:
    """Return True if two names are equal, ignoring number."""
    return fold(singular(fold(name))) == fold(singular(fold(other)))


# Prepositions of place, independent of the action.
_WHERE = {"in", "on", "at", "near", "by", "beside", "behind", "inside", "outside", "under", "along"}

_POSTURES = {"sit", "lie", "lay", "stand", "kneel", "pose"}


class _Reach(NamedTuple):
    """The object of a preposition: its words, and the entities."""

    words: str
    things: tuple[Word, ...]


def read_caption(view: View) -> View:
    """Add the entities and links that a caption names to its view."""
    parsed = ENGLISH.words(view.evidence)
    if any(not word.dep for word in parsed):
        return read_words(view, parsed)
    tree = Tree(parsed)
    heads = [word for word in parsed if is_object(tree, word)]
    things = tuple(
        Thing(str(word.at), thing_name(tree, word), attributes=thing_attributes(tree, word)) for word in heads
    )
    seen = {thing.id for thing in things}
    links = dict.fromkeys(link for link in _links(tree) if {link.subject, link.object} <= seen)
    return replace(view, things=things, links=tuple(link for link in links if link.subject != link.object))


def _links(tree: Tree) -> Iterator[ThingLink]:
    for word in tree.words:
        if word.tag in ("VERB", "AUX"):
            yield from _verb_links(tree, word)
        if word.noun:
            yield from _noun_links(tree, word)


def _link(subjects: Iterable[Word], relation: str, objects: Iterable[Word]) -> Iterator[ThingLink]:
    objects = tuple(objects)
    yield from (ThingLink(str(subject.at), relation, str(thing.at)) for subject in subjects for thing in objects)


def _noun_links(tree: Tree, noun: Word) -> Iterator[ThingLink]:
    owner = stands_for(tree, noun)
    for reach in _reaches(tree, noun):
        if not (owner is not noun and reach.words == "of"):
            subjects = tree.joined(owner) if noun.dep == "ROOT" else [owner]
            if noun.dep == "dobj" and reach.words in _WHERE:
                subjects = _doers(tree, noun, reach) or subjects
            yield from _link(subjects, reach.words, reach.things)
    for possessor in tree.children(noun, "poss"):
        yield from _link([possessor] if possessor.noun else (), "has", [noun])


def _doers(tree: Tree, noun: Word, reach: _Reach) -> list[Word]:
    place = any(is_a(thing_name(tree, thing), "place") for thing in reach.things) and not is_a(noun.lemma, "place")
    return [stands_for(tree, word) for word in _subjects(tree, tree.words[noun.head])] if place else []


def _verb_links(tree: Tree, verb: Word) -> Iterator[ThingLink]:
    subjects = [stands_for(tree, word) for word in _subjects(tree, verb)]
    form = _form(tree, verb)
    done = _things(tree, tree.children(verb, "dobj"))
    if verb.lemma not in words("showing"):
        for thing in done:
            # "driving past buildings": parsers tag this "past" as an adjective
            past = " past" if any(child.low == "past" for child in tree.children(thing)) else ""
            yield from _link(subjects, f"{form}{past}", [thing])
    for reach in _reaches(tree, verb):
        yield from _adjunct(tree, verb, reach, subjects)
    for agent in tree.children(verb, "agent"):
        yield from _link(_things(tree, tree.children(agent, "pobj")), tree.gerund(verb), subjects)


def _adjunct(tree: Tree, verb: Word, reach: _Reach, subjects: list[Word]) -> Iterator[ThingLink]:
    apart = bool(tree.children(verb, "dobj")) and (reach.words in _WHERE or " " in reach.words)
    worn = [thing for thing in reach.things if reach.words == "in" and is_a(thing.lemma, "clothing")]
    near = [word for thing in worn[:1] for word in tree.words[: thing.at] if word.noun and word.dep != "compound"]
    things = [thing for thing in reach.things if not (apart and is_a(thing.lemma, "body"))]
    held = reach.words == "with" and verb.lemma in _POSTURES
    plain = verb.lemma in words("showing") or apart or held or bool(worn)
    relation = reach.words if plain else f"{_form(tree, verb)} {reach.words}"
    yield from _link(near[-1:] or subjects, relation, things)


def _subjects(tree: Tree, verb: Word) -> list[Word]:
    own = [word for word in tree.children(verb, "nsubj", "nsubjpass") if word.noun]
    if own:
        return [word for subject in own for word in tree.joined(subject)]
    head = tree.words[verb.head]
    if head is verb or verb.dep not in ("acl", "relcl", "advcl", "conj", "xcomp", "ccomp"):
        return []
    if head.noun:
        return tree.joined(head) if verb.dep == "acl" and head.dep == "ROOT" else [head]
    return _subjects(tree, head) if head.tag in ("VERB", "AUX") else []


def _form(tree: Tree, verb: Word) -> str:
    passive = verb.fine == "VBN" and not tree.children(verb, "aux", "nsubj")
    if verb.lemma in ("have", "contain", "include"):
        form = "has"
    else:
        form = verb.low if passive or tree.children(verb, "auxpass") else tree.gerund(verb)
    return " ".join((form, *(word.low for word in tree.children(verb, "prt"))))


def _things(tree: Tree, words: Iterable[Word]) -> tuple[Word, ...]:
    return tuple(stands_for(tree, thing) for word in words for thing in tree.joined(word) if thing.noun)


def _reaches(tree: Tree, word: Word) -> Iterator[_Reach]:
    for child in tree.children(word, "prep", "advmod"):
        further = tree.children(child, "prep")
        if child.dep == "advmod" and not further:
            continue
        if further and not tree.children(child, "pobj"):
            yield from (_reach(tree, f"{child.low} {second.low}", second) for second in further)
        elif child.lemma not in words("unseen") and child.low != "as":
            beside = child.low == "to" and child.at > 0 and tree.words[child.at - 1].low in ("next", "close")
            yield _reach(tree, f"{tree.words[child.at - 1].low} to" if beside else child.low, child)


def _reach(tree: Tree, before: str, preposition: Word) -> _Reach:
    objects = tree.children(preposition, "pobj")
    if objects and objects[0].lemma in words("places"):
        place = objects[0]
        the = "the " if tree.children(place, "det") else ""
        beyond = [second for second in tree.children(place, "prep") if second.lemma == "of"]
        things = _things(tree, tree.children(beyond[0], "pobj")) if beyond else ()
        return _Reach(f"{before} {the}{place.low} of", things)
    return _Reach(before, tuple(thing for thing in _things(tree, objects) if not is_time(thing)))
