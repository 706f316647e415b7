"""The verb that a parsed question lacks, where the tagger took it for a noun."""

from collections.abc import Sequence
from dataclasses import replace

from kbe_graph.english.parse import Word
from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import words

_BE = {"is", "are", "was", "were", "am", "be"}
_DO = {"do", "does", "did"}


def with_verb(text: Sequence[Word]) -> tuple[Word, ...]:
    """Restore the verb that "do" or "be" lacks, if it was tagged as a noun: what does the pole display."""
    helper = next((word for word in text if _helps(word)), None)
    if helper is None or any(word.tag == "VERB" and word != helper for word in text):
        return tuple(text)
    of_do = helper.low in _DO or helper.lemma == "do"
    pairs = zip(text[helper.at + 1 :], text[helper.at + 2 :], strict=False)
    found = next(((before, verb) for before, verb in pairs if before.noun and _is_left(text, verb, of_do=of_do)), None)
    if found is None:
        return tuple(text)
    before, verb = found
    subject = replace(before, dep="nsubj", head=verb.at) if before.dep else before
    fine = "VB" if of_do else "VBG"
    main = replace(verb, tag="VERB", fine=fine, dep="ROOT" if verb.dep else "", head=verb.at if verb.dep else -1)
    return tuple({before.at: subject, verb.at: main}.get(word.at, word) for word in text)


def _helps(word: Word) -> bool:
    return word.lemma == "do" or word.low in _DO | _BE


def _is_left(text: Sequence[Word], verb: Word, *, of_do: bool) -> bool:
    form = wordnet().morphy(verb.low, "v")
    if of_do or not verb.noun:
        return verb.noun and form == verb.low
    is_noun = not verb.low.endswith("ing") or verb.low in words("ing nouns") or form is None
    return not is_noun and any(word.tag == "ADP" for word in text[verb.at + 1 : verb.at + 2])
