"""Noun phrases from the labels of relations: "the LABEL of X" where that is English, and the like."""

import re
from collections.abc import Sequence

from kbe_graph.english.parse import Word, tagged
from kbe_graph.english.wordnet import Part, wordnet

_WORDS = re.compile(r"[^\W\d_]+(?:[ -][^\W\d_]+)*")
_CLAUSE = {"DET", "PRON", "AUX", "CCONJ", "SCONJ", "PART", "ADV"}
_WHOLE = {"class", "instance", "member", "part", "participant", "subclass"}  # what follows them is the object


def relation_phrase(label: str) -> str:
    """Return the noun phrase that a label makes, with ``{}`` for the subject; empty where it makes none.

    A noun with what modifies it makes "the LABEL of {}". An adjective, participle or verb with a preposition and a noun
    (located on street) makes "the street that {} is located on". Any other label names no thing: a verb, a choice (or,
    commas), what ends with a preposition (capital of), who did it (by), and what a thing is a member or part of.

    >>> [relation_phrase(label) for label in ("country of origin", "located in time zone", "owned by")]
    ['the country of origin of {}', 'the time zone that {} is located in', '']
    """
    words = tagged(label) if _WORDS.fullmatch(label) else ()
    if _is_noun_phrase(words):
        return f"the {label} of {{}}"
    tags = [word.tag for word in words]
    links = [at for at, tag in enumerate(tags) if tag == "ADP"]
    if links[:1] != [1] or words[0].tag not in {"ADJ", "VERB"} or words[1].low in {"of", "by"}:
        return ""
    end = next(at for at in range(1, len(words) + 1) if at not in links)
    noun = words[end + (tags[end : end + 1] == ["DET"]) :]
    if not _is_noun_phrase(noun):
        return ""
    verb = "" if _is_third_person(words[0]) else "is "
    return f"the {_text(noun)} that {{}} {verb}{_text(words[:end])}"


def _text(words: Sequence[Word]) -> str:
    return " ".join(word.text for word in words)


def _is_noun_phrase(words: Sequence[Word]) -> bool:
    """Return whether words are a noun, its head, with what stands before it and a phrase with a preposition after."""
    tags = [word.tag for word in words]
    if not words or _CLAUSE & set(tags) or "ADP" in (tags[0], tags[-1]):
        return False
    front = words[: tags.index("ADP") if "ADP" in tags else len(words)]
    link = "".join(word.low for word in words[len(front) : len(front) + 1])
    if link and (front[0].low in _WHOLE or (front[-1].tag != "NOUN" and link != "of")):
        return False
    return _is_noun(front[-1]) and not any(map(_is_third_person, front))


def _is_noun(word: Word) -> bool:
    """Return whether a word can be a noun; one that WordNet lacks is."""
    return _count(word, "n") >= 0 or max(_count(word, "v"), _count(word, "a")) < 0


def _is_third_person(word: Word) -> bool:
    is_form = word.low.endswith("s") and wordnet().morphy(word.low, "v") not in (None, word.low)
    return is_form and _count(word, "v") >= _count(word, "n")


def _count(word: Word, part: Part) -> int:
    """Return WordNet's count of a word as this part of speech, -1 if it has none."""
    base = wordnet().morphy(word.low, part)
    return -1 if base is None else wordnet().counts(base).get(part, 0)
