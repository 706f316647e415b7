"""A verb that a tagger took for the last noun of the subject: the pole display, this vehicle use."""

from collections.abc import Sequence
from dataclasses import replace

from kbe_graph.english.parse import Word
from kbe_graph.english.wordnet import wordnet


def with_verb(text: Sequence[Word]) -> tuple[Word, ...]:
    """Return a question's words, the verb that its "do" lacks found again: what does the pole display."""
    helper = next((word.at for word in text if word.lemma == "do" or word.low in ("do", "does", "did")), None)
    if helper is None or any(word.tag == "VERB" and word.at != helper for word in text):
        return tuple(text)
    pairs = zip(text[helper + 1 :], text[helper + 2 :], strict=False)
    found = next(((before, verb) for before, verb in pairs if before.noun and _is_base(verb)), None)
    if found is None:
        return tuple(text)
    before, verb = found
    subject = replace(before, dep="nsubj", head=verb.at) if before.dep else before
    main = replace(verb, tag="VERB", fine="VB", dep="ROOT" if verb.dep else "", head=verb.at if verb.dep else -1)
    return tuple({before.at: subject, verb.at: main}.get(word.at, word) for word in text)


def _is_base(word: Word) -> bool:
    return word.noun and wordnet().morphy(word.low, "v") == word.low
