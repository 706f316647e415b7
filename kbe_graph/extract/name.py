"""Nouns of a caption: which of them are things, what they are called, and what is said of them."""

from collections.abc import Iterator

from kbe_graph.english.compound import is_compound
from kbe_graph.english.inflect import singular
from kbe_graph.english.parse import Word
from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import words
from kbe_graph.extract.tree import Tree
from kbe_graph.extract.visible import senses
from kbe_graph.text import fold

_DEPS = {"nsubj", "nsubjpass", "dobj", "pobj", "ROOT", "attr", "conj", "appos", "dative", "oprd", "poss", "dep"}
_KINDS = {"noun.animal", "noun.artifact", "noun.food", "noun.object", "noun.plant"}
_COUNTS = {"couple": "two", "pair": "two", "trio": "three", "dozen": "twelve"}


def stands_for(tree: Tree, noun: Word) -> Word:
    """Return the noun that a noun of amount is about (group of people: people), else the noun itself."""
    links = [word for word in tree.children(noun, "prep") if word.low == "of"]
    counted = [word for link in links for word in tree.children(link, "pobj") if word.noun]
    return stands_for(tree, counted[0]) if counted and noun.lemma in words("amounts") else noun


def is_object(tree: Tree, word: Word) -> bool:
    """Return whether a word names a thing that the caption says is there."""
    if not word.noun or word.dep not in _DEPS or word.lemma in words("no things"):
        return False
    unseen = word.dep == "pobj" and tree.words[word.head].lemma in words("unseen")
    return stands_for(tree, word) is word and not unseen and not is_time(word) and not _is_doing(word)


def _is_doing(word: Word) -> bool:
    """Return whether a noun is an -ing form that names no thing (standing): parsers take some verbs for nouns."""
    verb = word.low.endswith("ing") and wordnet().morphy(word.low, "v")
    return bool(verb) and not any(synset.lexname in _KINDS for synset in senses(word.low)[:1])


def is_time(word: Word) -> bool:
    """Return whether a noun tells a time (a day, at night)."""
    synsets = wordnet().lookup(word.lemma).synsets
    return bool(synsets) and synsets[0].lexname == "noun.time"


def thing_name(tree: Tree, noun: Word) -> str:
    """Return the name of a thing: its noun with those before it, adjectives only in compounds that WordNet knows."""
    head = singular(noun.low)
    before = [word for word in tree.children(noun) if word.dep == "compound" and word.at < noun.at]
    near = tree.words[noun.at - 1] if noun.at else noun
    if near.dep == "amod" and near.head == noun.at and is_compound(near.low, head):
        return f"{near.low} {head}"
    return " ".join((*(word.low for word in before if not _is_material(word, head)), head))


def _is_material(word: Word, head: str) -> bool:
    """Return whether a noun before a noun names its material (a metal tray) and is no part of its name."""
    synsets = wordnet().lookup(word.lemma).synsets
    return bool(synsets) and synsets[0].lexname == "noun.substance" and not wordnet().knows(f"{word.low} {head}")


def thing_attributes(tree: Tree, noun: Word) -> tuple[str, ...]:
    """Return what is said of a thing: adjectives, what it is made of, how many there are."""
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
    """Return whether two names are one, in singular or plural."""
    return fold(singular(fold(name))) == fold(singular(fold(other)))
