"""A check of any wording, rule-based or from a model: no quoted question, no deep nesting, numbers that agree."""

import re
from collections.abc import Iterator, Sequence

from kbe_graph.checks.check import Reads
from kbe_graph.checks.question_text import LONGEST, WordedLeak, wrong_number
from kbe_graph.english.number import is_plural, singular
from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import words
from kbe_graph.text import fold
from kbe_graph.types import KEEP, Candidate, Decision, Stage

DEEPEST = 4  # question words and relative pronouns in one question
_SHORTEST_QUOTE = 4  # words
_CLAUSE = re.compile(r"\b(?:what|which|whose|whom|who|that|where|when|how)\b", re.IGNORECASE)
_NEXT_TO = re.compile(r"\b(?:what|which|who|that) (?:it is that |is it that )?(?:what|who|how)\b", re.IGNORECASE)
_OF_NOTHING = re.compile(r"\bthe (?:thing|object|item|stuff) of (?:the|this|what)\b", re.IGNORECASE)
_TWICE = re.compile(r"(?<=\w )(for|in|on|at|of|with|by|from|to) (?:what|which|whom)\b[^?]*\b\1\?$", re.IGNORECASE)
_AGREES = re.compile(
    r"\b(is|was|does|has|are|were|do|have) the ([a-z]+) (?:of|that|which|who|in|on|called)\b", re.IGNORECASE
)
_DO = {"do", "does", "did", "can", "could", "will", "would", "should", "has", "have"}
_BE = {"is", "are", "was", "were"}
_POINTING = {"the", "this", "that", "these", "those", "a", "an", "he", "she", "it", "they", "you", "we"}
_OF_ONE = {"is", "was", "does", "has"}


class Clumsy:
    """Check that a wording, of a rule or a model, reads smoothly; it looks for a few signs, not for grammar."""

    name = "clumsy wording"
    stage: Stage = "question"
    reads: Reads = "text"
    rule = (
        f"the text must quote no earlier question, and have at most {LONGEST} words, at most {DEEPEST} question words "
        "and relative pronouns with no two side by side, no 'the thing of the' and no agreement mistake"
    )
    refused = WordedLeak.passed._replace(text="What is the habitat of what it is that what animal is this?")
    passed = WordedLeak.passed

    def decide(self, candidate: Candidate) -> Decision:
        """Look for faults in the text, and for whole earlier questions in it."""
        earlier = (candidate.sample.question, candidate.question.text)
        wrong = next(_faults(candidate.text, earlier), "")
        return Decision(keep=False, reason=self.name, detail=wrong) if wrong else KEEP


def _faults(text: str, earlier: tuple[str, ...]) -> Iterator[str]:
    yield from (question for question in earlier if _quotes(text, question))
    yield from (match[0] for pattern in (_NEXT_TO, _OF_NOTHING, _TWICE) if (match := pattern.search(text)))
    if wrong := wrong_number(text) or _disagreement(text):
        yield wrong
    if len(text.split()) > LONGEST:
        yield f"{len(text.split())} words"
    if len(_CLAUSE.findall(text)) > DEEPEST:
        yield f"{len(_CLAUSE.findall(text))} clauses"


def _quotes(text: str, question: str) -> bool:
    whole = fold(question)
    return _is_asked(whole.split()) and f" {whole} " in f"{fold(text)} "


def _is_asked(question: Sequence[str]) -> bool:
    if len(question) < _SHORTEST_QUOTE:
        return False
    _, second, third, *_ = question
    inverted = second in _DO or (second in _BE and third in _POINTING)
    return inverted or second.endswith("'s") or (not second.endswith("s") and wordnet().knows(second))


def _disagreement(text: str) -> str:
    return next((match[0] for match in _AGREES.finditer(text) if _disagrees(match[1].lower(), match[2].lower())), "")


def _disagrees(verb: str, noun: str) -> bool:
    if verb in _OF_ONE:
        return is_plural(noun) and singular(noun) != noun
    return not is_plural(noun) and noun not in words("unchanged")
