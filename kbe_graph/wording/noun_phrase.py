"""From a raw question to the noun phrase that stands for its answer, by the parts of its clause."""

from functools import lru_cache

from kbe_graph.errors import NoCandidate
from kbe_graph.question import Reading
from kbe_graph.question.tokens import STRANDED, Tokens, joined
from kbe_graph.wording.predicate import HEADS, NONE, about, description
from kbe_graph.wording.reference import Reference, relative
from kbe_graph.wording.turn import turn


def refer(reading: Reading) -> Reference:
    """Return the reference to a question's answer, without a phrase where none ties the answer to the image.

    Raises NoCandidate where no rule fits ("no noun phrase").
    """
    reference = _reference(reading)
    if isinstance(reference, Reference):
        return reference
    raise NoCandidate(reference.reason, reference.detail)


@lru_cache(maxsize=4096)
def _reference(reading: Reading) -> Reference | NoCandidate:
    try:
        return _by_clause(reading)
    except NoCandidate as none:
        return none


def _by_clause(reading: Reading) -> Reference:
    core = reading.core
    if core.named:
        return description(core.tokens)
    return _in_place(core.tokens) if core.clause is None else turn(core.clause)


def _in_place(tokens: Tokens) -> Reference:
    """Return the fruit that the man is holding for "The man is holding what kind of fruit?"."""
    places = [at for at, token in enumerate(tokens) if token.low in {"what", "which", "where", "who"}]
    if len(places) != 1 or places[0] < 3 or tokens[0].tag not in {"DT", "PRP", "PRP$", "NNS"}:
        raise NoCandidate(NONE, "no question word in front")
    before, word, after = tokens[: places[0]], tokens[places[0]].low, tokens[places[0] + 1 :]
    words = [token.low for token in before]
    if (not after and words[-2:] == ["called", "a"]) or words[-1] == "called":
        end = max((at for at, low in enumerate(words) if low in {"is", "are"}), default=words.index("called"))
        return about(before[:end])
    if {"that", "who", "which"} & set(words[2:]):
        raise NoCandidate(NONE, "a clause before the question word")
    if (
        before[-1].tag.startswith("JJ")
        or words[-1] in {"a", "the", "some", "an", "great"}
        or {"called", "as", ","} & set(words)
    ):
        raise NoCandidate(NONE, "a blank to fill")
    if any(token.tag == "MD" or token.tag.startswith(("VB", "PRP")) for token in after if token.low != "of"):
        raise NoCandidate(NONE, "a clause after the question word")
    if after and after[0].tag in STRANDED:
        raise NoCandidate(NONE, "a question word in the middle")
    return Reference(relative(joined(after) or HEADS[word], joined(before)), "in place")
