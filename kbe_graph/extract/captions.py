"""Captions as things and links, by rules over a dependency parse."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from kbe_graph.annotations.view import Thing, ThingLink, View
from kbe_graph.english.parse import ENGLISH, Word
from kbe_graph.english.words import words
from kbe_graph.extract.caption_words import read_words
from kbe_graph.extract.name import is_object, is_time, stands_for, thing_attributes, thing_name
from kbe_graph.extract.tree import Tree
from kbe_graph.extract.visible import is_a

# Prepositions that tell where somebody is, whatever he does there.
_WHERE = {"in", "on", "at", "near", "by", "beside", "behind", "inside", "outside", "under", "along"}

_POSTURES = {"sit", "lie", "lay", "stand", "kneel", "pose"}


class _Reach(NamedTuple):
    """What a preposition leads to: its words, and the things."""

    words: str
    things: tuple[Word, ...]


def read_caption(view: View) -> View:
    """Return a caption's view with the things and links that its words name."""
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
    """Return who is at a place that the parser attaches to what they hold: a man with a racket on a court."""
    place = any(is_a(thing_name(tree, thing), "place") for thing in reach.things) and not is_a(noun.lemma, "place")
    return [stands_for(tree, word) for word in _subjects(tree, tree.words[noun.head])] if place else []


def _verb_links(tree: Tree, verb: Word) -> Iterator[ThingLink]:
    subjects = [stands_for(tree, word) for word in _subjects(tree, verb)]
    form = _form(tree, verb)
    done = _things(tree, tree.children(verb, "dobj"))
    if verb.lemma not in words("showing"):
        for thing in done:
            # "driving past buildings": parsers take this "past" for an adjective
            past = " past" if any(child.low == "past" for child in tree.children(thing)) else ""
            yield from _link(subjects, f"{form}{past}", [thing])
    for reach in _reaches(tree, verb):
        yield from _adjunct(tree, verb, reach, subjects)
    for agent in tree.children(verb, "agent"):
        yield from _link(_things(tree, tree.children(agent, "pobj")), tree.gerund(verb), subjects)


def _adjunct(tree: Tree, verb: Word, reach: _Reach, subjects: list[Word]) -> Iterator[ThingLink]:
    """Return the links by a verb's preposition: with the verb, or without it where the verb has an object."""
    apart = bool(tree.children(verb, "dobj")) and (reach.words in _WHERE or " " in reach.words)
    worn = [thing for thing in reach.things if reach.words == "in" and is_a(thing.lemma, "clothing")]
    near = [word for thing in worn[:1] for word in tree.words[: thing.at] if word.noun and word.dep != "compound"]
    things = [thing for thing in reach.things if not (apart and is_a(thing.lemma, "body"))]
    held = reach.words == "with" and verb.lemma in _POSTURES
    plain = verb.lemma in words("showing") or apart or held or bool(worn)
    relation = reach.words if plain else f"{_form(tree, verb)} {reach.words}"
    yield from _link(near[-1:] or subjects, relation, things)


def _subjects(tree: Tree, verb: Word) -> list[Word]:
    """Return the verb's subjects; where it has none, those of the verbs and nouns that it depends on."""
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
    """Return what the prepositions on a word lead to, through ``next to``, ``out of``, ``in front of``."""
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
