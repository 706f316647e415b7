"""The property that a question asks for, as a relation, and the noun that it asks for."""

from collections.abc import Callable, Sequence
from functools import lru_cache

from kbe_graph.english.inflect import form
from kbe_graph.english.parse import Word
from kbe_graph.english.patterns import rewrite
from kbe_graph.english.phrase import Kind, NounPhrase, Outline, named_nouns, owned_pairs
from kbe_graph.english.wordnet import Synset, wordnet
from kbe_graph.english.words import kind, words
from kbe_graph.text import fold

KIND = "kind"
"""The property in questions about the identity of an entity."""

_GENERIC = {"type", "sort", "name", "term", "word", "variety", "form", "item"}


def property_of(outline: Outline) -> str:
    """Determine the property that a question asks for: breed, used for, number of teeth."""
    return _PROPERTIES[outline.kind](outline)


def _what(outline: Outline) -> str:
    if outline.asking is not None:
        if (aspect := outline.asking.name.split()[0]) in words("aspects") and outline.head is not outline.asking:
            return KIND if aspect in _GENERIC else aspect
        if outline.head is outline.asking:
            return _label(outline, outline.asking)
        return KIND if outline.asking.head in _GENERIC else outline.asking.head
    rest = [word for word in outline.rest if word.tag not in ("PUNCT", "ADV")]
    return _of_noun(outline) or _of_verb(outline, rest)


def _label(outline: Outline, phrase: NounPhrase) -> str:
    other = ["other"] if any(word.low == "other" for word in outline.words[phrase.start : phrase.end]) else []
    return " ".join((*other, *phrase.adjectives[-1:], phrase.name))


def _of_noun(outline: Outline) -> str:
    nouns = named_nouns(outline)
    named = [phrase for phrase in nouns if phrase.head not in words("naming") or phrase.adjectives]
    if any(word.low in ("called", "named") for word in outline.rest) or (nouns and not named):
        return "called"
    return _label(outline, named[-1]) if named else ""


def _of_verb(outline: Outline, rest: Sequence[Word]) -> str:
    shows = any(word.low in ("do", "does", "did") for word in rest) and any(phrase.seen for phrase in outline.phrases)
    within = {at for phrase in outline.phrases for at in range(phrase.start, phrase.end)}  # the horned animals
    verbs = [word for word in outline.verbs if word.at not in within and (shows or word.lemma not in words("showing"))]
    if not rest:
        return next((word.low for word in reversed(outline.words) if word.tag == "VERB"), "called")
    if not verbs:
        owned, near = owned_pairs(outline), next(iter(rest[1:]), rest[0])
        return _label(outline, owned[0][1]) if owned else f"has {near.low} it" if near.tag == "ADP" else KIND
    verb, tail = verbs[-1], f" {rest[-1].low}" if rest[-1].tag in ("ADP", "PART") else ""
    if verb.lemma in ("do", "happen"):
        return "activity"
    if rest[0] is verb:
        return f"{form(verb.lemma, 'VBN')} by"
    if verb.fine == "VBG" and rest[1:2] == [verb] and rest[2:] and rest[2].tag == "ADP":
        return f"has {verb.low} {rest[2].low} it"
    return f"{verb.low if verb.fine in ('VBN', 'VBG', 'VBD') else form(verb.lemma, 'VBZ')}{tail}"


def _where(outline: Outline) -> str:
    verbs = [word for word in outline.verbs if word.lemma not in ("see", "show")]
    if not verbs:
        return "location"
    last = [word for word in outline.rest if word.tag != "PUNCT"][-1]
    tail = last.low if last.tag == "ADP" else "in"
    agent = any(word.low in ("you", "i", "we", "one", "people", "someone") for word in outline.rest)
    verb = verbs[0] if agent else verbs[-1]
    passive = verb.fine in ("VBN", "VBD") or agent
    return f"{form(verb.lemma, 'VBN') if passive else form(verb.lemma, 'VBZ')} {tail}"


def _who(outline: Outline) -> str:
    verbs = [word for word in outline.verbs if word.lemma not in words("showing")]
    return f"{form(verbs[0].lemma, 'VBN')} by" if verbs else "person"


def _how(outline: Outline) -> str:
    after = next(iter(outline.words[outline.start :]), None)
    return f"how {after.low}" if after and after.tag in ("ADJ", "ADV") else "manner"


_PROPERTIES: dict[Kind, Callable[[Outline], str]] = {
    "what": _what,
    "where": _where,
    "when": lambda _: "time",
    "who": _who,
    "why": lambda _: "reason",
    "how": _how,
    "whether": lambda _: "is",
}


CONCRETE = frozenset(
    f"noun.{file}" for file in ("Tops", "animal", "artifact", "body", "food", "object", "plant", "substance")
)
"""The lexicographer files of visible objects, without persons and places."""


@lru_cache(1 << 12)
def category(noun: str) -> tuple[Synset, ...]:
    """List the main senses of the noun that a question asks for: "animal", "breed of dog", "type of vehicle".

    These are the first sense, and all with a tenth of its tagged uses; a word that is not specific enough (kind, thing,
    name) has none.
    """
    entry = wordnet().lookup(rewrite("kind of", fold(noun)))
    if entry.lemma in words("vague") or not entry.synsets:
        return ()
    if entry.lemma in words("vehicles"):  # buses and trains count too, though WordNet lists them separately
        return (*entry.synsets[:1], *map(wordnet().synset, kind("conveyance")))
    counts = dict(wordnet().senses(entry.lemma))
    least = sum(counts.values()) / 10 if sum(counts.values()) > 9 else -1
    return tuple(synset for at, synset in enumerate(entry.synsets) if at == 0 or counts.get(synset.id, 0) > least)


def is_kind(concept: str, noun: str) -> bool:
    """Return True if a noun describes a concept's kind: "animal" for giraffe."""
    return any(wordnet().is_a(concept, synset.id) for synset in category(noun))
