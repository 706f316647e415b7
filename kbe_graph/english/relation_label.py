"""Labels of relations that read as a noun phrase: "the LABEL of X" is English for them."""

import re

from kbe_graph.english.parse import Word, tagged
from kbe_graph.english.wordnet import Part, wordnet

_WORDS = re.compile(r"[^\W\d_]+(?:[ -][^\W\d_]+)*")
_CLAUSE = {"DET", "PRON", "AUX", "CCONJ", "SCONJ", "PART"}
_WHOLE = {"class", "instance", "member", "part", "participant", "subclass"}  # what follows them is the object


def is_noun_phrase(label: str) -> bool:
    """Return whether a label is a noun with what modifies it, so that it may stand in "the LABEL of X".

    It has letters alone, no word that opens a clause or a choice, and no preposition at an end (capital of). Its head,
    the word before the first preposition, is a noun; no word up to it is a verb in the third person. A member or part
    of something names the whole and not the object.

    >>> [is_noun_phrase(label) for label in ("country of origin", "owned by", "award received", "member of team")]
    [True, False, False, False]
    """
    words = tagged(label) if _WORDS.fullmatch(label) else ()
    tags = [word.tag for word in words]
    if not words or _CLAUSE & set(tags) or "ADP" in (tags[0], tags[-1]):
        return False
    front = words[: tags.index("ADP") if "ADP" in tags else len(words)]
    linked = len(front) < len(words)
    return _is_head(front[-1], linked=linked) and not any(map(_is_third_person, front)) and not _points(words, linked)


def _is_head(word: Word, *, linked: bool) -> bool:
    """Return whether a word can be the head; before a preposition it must be a noun first of all (found in)."""
    if linked:
        return word.tag == "NOUN"
    return _count(word, "n") >= 0 or max(_count(word, "v"), _count(word, "a")) < 0


def _points(words: tuple[Word, ...], linked: bool) -> bool:
    return any(word.low in {"here", "there"} for word in words) or (linked and words[0].low in _WHOLE)


def _is_third_person(word: Word) -> bool:
    is_form = word.low.endswith("s") and wordnet().morphy(word.low, "v") not in (None, word.low)
    return is_form and _count(word, "v") >= _count(word, "n")


def _count(word: Word, part: Part) -> int:
    """Return how often WordNet's texts use a word as this part of speech, -1 where it has none."""
    base = wordnet().morphy(word.low, part)
    return -1 if base is None else wordnet().counts(base).get(part, 0)
