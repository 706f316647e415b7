"""From a raw question to the noun phrase that stands for its answer: plain patterns, then the clause's own parts."""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

from kbe_graph.errors import NoCandidate
from kbe_graph.express.clause import read
from kbe_graph.express.predicate import HEADS, NONE, about, named
from kbe_graph.express.raw_text import misspelled, tidy
from kbe_graph.express.reference import Reference, relative, shown
from kbe_graph.express.tagging import tag
from kbe_graph.express.tokens import STRANDED, Tokens, joined
from kbe_graph.express.turn import turned

if TYPE_CHECKING:
    from spacy.language import Language

_YES_NO = re.compile(
    r"^(?:is|are|was|were|am|do|does|did|can|could|would|will|should|has|have|had|might|may|must|isn't|aren't|doesn't)\b",
    re.IGNORECASE,
)
_EITHER = re.compile(r"^(?!(?:what|which|who|where|name)\b).*\bor\b|\bor \S+(?: \S+)?$|, or ", re.IGNORECASE)
_HOW = re.compile(
    r"^(?:how|why)\b|^(?:for|since|at|to) how\b|^(?:what|which) (?:is|was|are|were|would be) the (?:reason|purpose|cause|point)\b|\bhow many\b|\bwhat .* for and why\b",
    re.IGNORECASE,
)
_WORD = r"(?!(?:is|are|was|were|do|does|did|can|could|would|will|might|should|has|have|that|who|which|these|those)\b)[\w'-]+"
_NOUN = rf"(?P<noun>{_WORD}(?: {_WORD})*?)"
_PLACE = r"(?P<place> (?:in|on|at) (?:the|this) [\w ]+)?"
_PRONOUN = r"(?P<this>this|that|these|those|it|they)"
_THIS = re.compile(rf"^(?:what|which) {_NOUN} (?:is|are|was|were) {_PRONOUN}{_PLACE}(?: is| are)?$", re.IGNORECASE)
_STATED_THIS = re.compile(rf"^(?:what|which) {_NOUN} {_PRONOUN} (?:is|are|was|were){_PLACE}$", re.IGNORECASE)
_BARE_THIS = re.compile(
    r"^(?:what|which|who) (?:is|are|was|were) (?P<this>this|that|these|those|it|they)(?: called)?$", re.IGNORECASE
)
_NAME_THIS = re.compile(
    rf"^(?:name|identify|find|guess) (?:the|this|that|these|those) {_NOUN}(?: (?:is|are))?(?: (?P<this>this|that|these|those))?(?: is| are)?$",
    re.IGNORECASE,
)
_NAME = re.compile(r"^(?:name|identify|find|guess|describe) (?=the |this |that |these |those )", re.IGNORECASE)
_NAME_OF = re.compile(
    r"^(?:what (?:is|are|was) the |(?:the )?)(?:(?:proper|common|general|correct|actual|specific|technical|scientific|full|other) )?(?:name|names|term|word)"
    r" (?:of|for) (?=(?:the|this|that|these|those|his|her|their)\b)",
    re.IGNORECASE,
)
_WH = re.compile(r"(?:what|which|who|where|when)\b", re.IGNORECASE)
_MANY = {"these", "those", "they"}


def refer(question: str, parse: Callable[[], "Language | None"]) -> Reference:
    """Return the reference to a question's answer; ``parse`` gives spaCy's pipeline, or None to tag by WordNet.

    Raises NoCandidate with "yes or no question", "either-or question", "asks how or why", "several sentences", "misspelled",
    "no image needed" or, where no rule fits, "no noun phrase".
    """
    found = _found(question, parse)
    if isinstance(found, Reference):
        return found
    raise NoCandidate(found.reason, found.detail)


@lru_cache(maxsize=4096)
def _found(question: str, parse: Callable[[], "Language | None"]) -> Reference | NoCandidate:
    text = tidy(question)
    try:
        _refuse(text)
        if word := misspelled(text):
            return NoCandidate("misspelled", word)
        reference = simple(text) or _by_clause(text, parse())
    except NoCandidate as none:
        return none
    return reference if reference.phrases else NoCandidate("no image needed", text)


def _refuse(text: str) -> None:
    if _YES_NO.match(text):
        raise NoCandidate("either-or question" if re.search(r"\bor\b", text) else "yes or no question")
    if _EITHER.search(text):
        raise NoCandidate("either-or question")
    if _HOW.search(text):
        raise NoCandidate("asks how or why")
    if re.search(r"[.?!;] \w|\w/\w", text):
        raise NoCandidate("several sentences")


def simple(text: str) -> Reference | None:
    """Return the reference to a tidied question of a common plain shape, None for any other; needs no parser."""
    if match := _BARE_THIS.match(text):
        noun = "person" if text.startswith("who") else "thing"
        many = match["this"].lower() in _MANY
        return shown({"person": "people"}.get(noun, f"{noun}s") if many else noun)
    if match := _THIS.match(text):
        return shown(match["noun"], (match["place"] or "").strip(), many=match["this"].lower() in _MANY)
    if match := _STATED_THIS.match(text):
        return shown(match["noun"], (match["place"] or "").strip(), many=match["this"].lower() in _MANY)
    if (match := _NAME_THIS.match(text)) and match["this"]:
        return shown(match["noun"], many=match["this"].lower() in _MANY)
    return None


def _by_clause(text: str, language: "Language | None") -> Reference:
    asked = _NAME.sub("", text)
    plain = _NAME_OF.sub("", text)
    tokens = tag(plain if plain != text else asked, language)
    if asked != text or (plain != text and not re.search(r"\b(?:what|which|who)$|\bwhat\b", plain)):
        return named(tokens)
    clause = read(tokens)
    return _in_place(tokens) if clause is None else turned(clause)


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
