"""Nouns of a caption: which of them are things, what they are called, and what is said of them."""

from collections.abc import Iterator

from kbe_graph.extract.kinds import senses
from kbe_graph.extract.parse import Word
from kbe_graph.extract.tree import Tree
from kbe_graph.lexicon.inflect import plural, singular
from kbe_graph.lexicon.wordnet import wordnet
from kbe_graph.lexicon.words import words
from kbe_graph.text import fold

_DEPS = {"nsubj", "nsubjpass", "dobj", "pobj", "ROOT", "attr", "conj", "appos", "dative", "oprd", "poss", "dep"}
_KINDS = {"noun.animal", "noun.artifact", "noun.food", "noun.object", "noun.plant"}
_COUNTS = {"couple": "two", "pair": "two", "trio": "three", "dozen": "twelve"}


def stands_for(tree: Tree, noun: Word) -> Word:
    """Return the noun that a noun of amount is about (group of people: people), else the noun itself."""
    links = [word for word in tree.children(noun, "prep") if word.low == "of"]
    found = [word for link in links for word in tree.children(link, "pobj") if word.noun]
    return stands_for(tree, found[0]) if found and noun.lemma in words("amounts") else noun


def is_object(tree: Tree, word: Word) -> bool:
    """Return whether a word names a thing that the caption says is there."""
    if not word.noun or word.dep not in _DEPS or word.lemma in words("no things"):
        return False
    unseen = word.dep == "pobj" and tree.words[word.head].lemma in words("unseen")
    return stands_for(tree, word) is word and not unseen and not is_time(word) and not _is_doing(word)


def _is_doing(word: Word) -> bool:
    """Return whether a noun is a verb's -ing form and no name of a thing (standing): parsers take some verbs for nouns."""
    verb = word.low.endswith("ing") and wordnet().morphy(word.low, "v")
    return bool(verb) and not any(synset.lexname in _KINDS for synset in senses(word.low)[:1])


def is_time(word: Word) -> bool:
    """Return whether a noun tells a time (a day, at night)."""
    found = wordnet().lookup(word.lemma).synsets
    return bool(found) and found[0].lexname == "noun.time"


def named(tree: Tree, noun: Word) -> str:
    """Return the name of a thing: its noun with those before it, adjectives only in compounds that WordNet knows."""
    head = singular(noun.low)
    before = [word for word in tree.children(noun) if word.dep == "compound" and word.at < noun.at]
    near = tree.words[noun.at - 1] if noun.at else noun
    if near.dep == "amod" and near.head == noun.at and is_compound(near.low, head):
        return f"{near.low} {head}"
    return " ".join((*(word.low for word in before if not _is_stuff(word, head)), head))


def is_compound(adjective: str, noun: str) -> bool:
    """Return whether an adjective and a noun are the name of a kind of thing: hot dog, polar bear, stuffed animal."""
    if adjective in words("no kinds"):
        return False
    if f"{adjective} {noun}" in words("compounds"):
        return True
    known = wordnet().synsets(f"{adjective} {noun}") or wordnet().synsets(f"{adjective} {plural(noun)}")
    found = [synset for synset in known if synset.lexname in _KINDS and not synset.instance]
    if adjective not in ("black", "white") and not wordnet().is_colour(adjective):
        return bool(found)
    grown = [synset for synset in found if synset.lexname != "noun.object"]
    return any(wordnet().is_a(one.id, synset.id) for one in grown for synset in wordnet().synsets(noun))


def _is_stuff(word: Word, head: str) -> bool:
    """Return whether a noun before a noun tells what it is made of (a metal tray), and is no part of its name."""
    found = wordnet().lookup(word.lemma).synsets
    return bool(found) and found[0].lexname == "noun.substance" and not wordnet().knows(f"{word.low} {head}")


def attributes(tree: Tree, noun: Word) -> tuple[str, ...]:
    """Return what is said of a thing: adjectives, what it is made of, how many there are."""
    name = named(tree, noun)
    return tuple(dict.fromkeys(value for value in _said(tree, noun) if value not in name.split()))


def _said(tree: Tree, noun: Word) -> Iterator[str]:
    for child in tree.children(noun):
        if child.dep in ("amod", "nummod"):
            yield from (word.low for word in tree.joined(child) if word.low not in words("no attributes"))
        if child.dep == "compound" and _is_stuff(child, singular(noun.low)):
            yield child.low
    verb = tree.words[noun.head]
    if noun.dep == "nsubj" and verb.lemma == "be":
        said = [word for child in tree.children(verb, "acomp") for word in tree.joined(child)]
        yield from (word.low for word in said if word.tag == "ADJ")
    link = tree.words[noun.head]
    many = singular(noun.low) != noun.low
    if many and noun.dep == "pobj" and link.low == "of" and (amount := tree.words[link.head].lemma) in _COUNTS:
        yield _COUNTS[amount]


def same_name(name: str, other: str) -> bool:
    """Return whether two names are one, in singular or plural."""
    return fold(singular(fold(name))) == fold(singular(fold(other)))
