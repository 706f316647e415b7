"""Paraphrases of raw questions, by rule or by a model, of equal difficulty: hop 0' next to hop 0 (MDK12)."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import cache
from typing import NamedTuple

from kbe_graph.checks.question_text import flaw
from kbe_graph.english.inflect import lemmas
from kbe_graph.english.patterns import compiled
from kbe_graph.english.reading import Reading, read
from kbe_graph.english.reference import Phrase, fill, is_many, refer, sentence
from kbe_graph.english.words import words
from kbe_graph.errors import NoCandidate
from kbe_graph.files.resources import data, rows
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.hop_steps import paraphrase_step
from kbe_graph.text import fold
from kbe_graph.types import seed_of

LEAST_DIFFERENCE = 0.2
MOST_GROWTH, FREE_WORDS = 1.6, 4
LEAST_KEPT = 0.5
# Words that say nothing about what an image shows; "activity" and "way" are what "doing" and "how" ask for.
_NEUTRAL = "thing object person people place activity way name call image picture photo show see"
# What a question asks for, by its wording; the first match decides.
_SOUGHT = {
    "number": r"\bhow many\b|\bnumber of\b",
    "amount": r"\bhow much\b|\b(?:weight|price) of\b",
    "measure": r"\bhow (?:old|tall|fast|long|big|far)\b|\b(?:age|height) of\b|\bat what speed\b|\blength of time\b",
    "reason": r"\bwhy\b|\breason\b|\bpurpose\b|\bfor\??$|^for what\b",
    "manner": r"\bhow\b|\bin what way\b|\bin which way\b",
    "place": r"\bwhere\b|\bwh(?:at|ich) place\b",
    "time": r"\bwhen\b|\bwhat time\b",
    "person": r"\bwho(?:m|se)?\b|\bthe (?:person|people) that\b",
    "choice": r"^(?:is|are|was|were|do|does|did|can|could|would|will|should|has|have)\b",
}
_NOT = re.compile(r"\b(?:not|no|never|without|except|only)\b|n't\b")


def difference(text: str, other: str) -> float:
    """Measure the difference of two questions, 0 to 1: one minus the share of words common to both in the same order.

    >>> difference("What is the cat sitting on?", "On what is the cat sitting?")
    0.16666666666666663
    """
    return 1 - SequenceMatcher(None, _words_of(text), _words_of(other), autojunk=False).ratio()


def _words_of(text: str) -> list[str]:
    return fold(re.sub(r"(?i)\b(what|who|where)'s\b", r"\1 is", text)).split()


def check_same(
    text: str, original: str, answers: Iterable[str] = (), *, implied: Collection[str] | None = None
) -> None:
    """Raise NoCandidate, with the reason to count, if a text is not a fair paraphrase of a question.

    ``implied`` are lemmas that it may add to the question's: those that rules insert. Without ``implied``, it may add
    one word more than it loses.
    """
    if wrong := flaw(text):
        raise NoCandidate("flaw in the paraphrase", wrong)
    if difference(text, original) < LEAST_DIFFERENCE:
        raise NoCandidate("hardly other words", f"{difference(text, original):.2f}")
    count, before = len(text.split()), len(original.split())
    most, least = max(before * MOST_GROWTH, before + FREE_WORDS), min(before / MOST_GROWTH, before - FREE_WORDS)
    if not least <= count <= most:
        raise NoCandidate("another length", f"{count} words for {before}")
    if sought(text) != sought(original):
        raise NoCandidate("asks for something else", f"{sought(text)}, not {sought(original)}")
    if (lost := signs(text)) != (kept := signs(read(original).tidied)):
        raise NoCandidate("another name, number or negation", f"{sorted(lost)} for {sorted(kept)}")
    check_words(text, original, answers, implied=implied)


def sought(text: str) -> str:
    """Classify the kind of answer requested: number, reason, manner, place, time, person, choice, ... else thing."""
    low = text.lower().strip()
    return next((name for name, pattern in _SOUGHT.items() if re.search(pattern, low)), "thing")


def signs(text: str) -> Counter[str]:
    """Count the names, numbers and negations in a text."""
    low = text.lower()
    spoken = re.findall(r"[a-z']+", low)
    names = re.findall(r"(?<=[a-z,] )[A-Z][\w-]+", text)
    numbers = [word for word in spoken if word in words("numbers")]
    return Counter([*names, *numbers, *re.findall(r"\d+", low), *_NOT.findall(low)])


def check_words(
    text: str, original: str, answers: Iterable[str] = (), *, implied: Collection[str] | None = None
) -> None:
    """Raise NoCandidate if a text says more than a question, less than half of it, or an answer.

    ``implied`` is as in ``check_same``.
    """
    new, old = frozenset(lemmas(text)), frozenset((*lemmas(original), *lemmas(read(original).tidied)))
    neutral = frozenset(lemmas(_NEUTRAL))
    added, lost = new - old - neutral, old - new - neutral
    answered = frozenset(lemma for answer in answers for lemma in lemmas(answer))
    if named := (new - old) & answered:
        raise NoCandidate("names the answer", min(named))
    content = old - neutral
    if implied is None and content and len(content & new) < LEAST_KEPT * len(content):
        raise NoCandidate("asks about something else", ", ".join(sorted(lost)))
    too_many = len(added) > len(lost) + 1 if implied is None else bool(added - set(implied))
    if too_many:
        raise NoCandidate("says more", ", ".join(sorted(added)))


FILE = "paraphrases.tsv"


class Rephrasing(NamedTuple):
    """Row of the table: in this step, ``put`` replaces the match.

    ``{}`` in it stands for the noun phrase matched as ``it``, with which ``(is)`` and ``(does)`` agree.
    """

    step: str
    pattern: re.Pattern[str]
    put: str
    example: str
    outcome: str

    def apply(self, text: str) -> str:
        """Rewrite a lower-case question without its question mark; unchanged if the row does not apply."""
        return self.pattern.sub(self._put, text)

    def _put(self, match: re.Match[str]) -> str:
        if "{}" not in self.put:
            return match.expand(self.put)
        return fill(self.put, Phrase(match["it"], is_many(match["it"]))).text


@cache
def rephrasings(step: str) -> Sequence[Rephrasing]:
    """Load the rows of a step; raises DatasetError for an invalid pattern."""
    table = rows(data(FILE), ("step", "pattern", "put", "example", "outcome"))
    return tuple(Rephrasing(row[0], compiled(row[1], FILE, line), *row[2:]) for line, row in table if row[0] == step)


# A question about an opinion is parsed without that part, which leaves words that are not in question order.
_HEDGED = re.compile(r"\byou (?:think|guess|believe|suppose)\b", re.IGNORECASE)


class Paraphrase(NamedTuple):
    """Reworded question, the rules that made it, and its difference from the original (0 to 1)."""

    text: str
    rule: str
    difference: float


class _Proposal(NamedTuple):
    text: str
    rule: str
    implied: frozenset[str] = frozenset()


def paraphrase(text: str, answers: Iterable[str] = (), *, seed: str = "") -> Paraphrase | None:
    """Paraphrase a raw question by rule; None if no rule applies, and ``why_no_paraphrase`` tells why.

    ``answers`` are the accepted answers, whose words must not be added. ``seed`` is the question's ID, used for
    drawing.

    >>> paraphrase("What is the man doing?", ["surfing"], seed="okvqa/val/1").text
    'What is the activity that the man is doing?'
    """
    fit = [proposal for proposal, reason in _judge(text, tuple(answers)) if not reason]
    if not fit:
        return None
    proposal = min(fit, key=lambda proposal: seed_of("paraphrase", seed, proposal.text))
    return Paraphrase(proposal.text, proposal.rule, difference(proposal.text, text))


def why_no_paraphrase(text: str, answers: Iterable[str] = ()) -> str:
    """Explain why no rule paraphrases a question: the reason of the last rule tried, empty if there is a paraphrase."""
    reasons = [reason for _, reason in _judge(text, tuple(answers))]
    return "" if "" in reasons else reasons[-1]


def proposals(text: str) -> tuple[str, ...]:
    """List everything that the rules make of a question, unchecked and without duplicates."""
    return tuple(proposal.text for proposal in _propose(read(text)))


def _judge(text: str, answers: tuple[str, ...]) -> Iterator[tuple[_Proposal, str]]:
    """Give each proposal with the reason against it, or an empty one with the reason why there is none."""
    reading = read(text)
    unfit = "misspelled" if reading.misspelled else "several sentences" * (reading.form == "several sentences")
    proposed = () if unfit else _propose(reading)
    if not proposed:
        yield _Proposal("", ""), unfit or "no rule"
    for proposal in proposed:
        try:
            check_same(proposal.text, text, answers, implied=proposal.implied)
        except NoCandidate as none:
            yield proposal, none.reason
        else:
            yield proposal, ""


def _propose(reading: Reading) -> tuple[_Proposal, ...]:
    plain = _Proposal(reading.tidied, "")
    in_order = () if _HEDGED.search(reading.text) else (*_by_order(reading.tidied), plain)
    turned = (*in_order, *_by_reference(reading))
    made = {sentence(_with_words(proposal).text): _with_words(proposal) for proposal in turned}
    return tuple(proposal._replace(text=text) for text, proposal in made.items() if proposal.rule)


def _by_order(text: str) -> Iterator[_Proposal]:
    for place, row in enumerate(rephrasings("order")):
        if (turned := row.apply(text)) != text:
            yield _Proposal(turned, f"order {place}", frozenset(lemmas(row.put)))


def _by_reference(reading: Reading) -> Iterator[_Proposal]:
    rule, phrases = answer_phrases(reading)
    for phrase in phrases:
        opener = f"{'who' if reading.kind == 'who' else 'what'} {'are' if phrase.plural else 'is'}"
        yield _Proposal(f"{opener} {phrase.text}", rule)


def answer_phrases(reading: Reading) -> tuple[str, tuple[Phrase, ...]]:
    """Find the noun phrases that refer to a question's answer, and the rule that made them; none if none is suitable.

    >>> answer_phrases(read("What animal is the man riding?"))[1][0].text
    'the animal that the man is riding'
    """
    try:
        reference = refer(reading, "activity" if reading.property == "activity" else "thing")
    except NoCandidate:
        return "", ()
    is_vague = reference.rule == "shown" and reading.asks_kind  # this dog, for a kind of dog
    return reference.rule, () if is_vague else reference.phrases


def _with_words(proposal: _Proposal) -> _Proposal:
    text, implied, rule = proposal.text, proposal.implied, proposal.rule
    for row in [row for row in rephrasings("words") if row.pattern.search(text)]:
        text, implied, rule = row.apply(text), implied | frozenset(lemmas(row.put)), rule or "words"
    return _Proposal(text, rule, implied)


async def paraphrase_by_model(asker: Asker, text: str, answers: Sequence[str] = ()) -> Paraphrase:
    """Have a model paraphrase a question in one call.

    Raises NoCandidate if the reply is unusable or not a fair paraphrase (``check_same``).
    """
    again, origin = await asker.ask(paraphrase_step(text, answers, language=asker.language))
    check_same(again, text, answers)
    return Paraphrase(again, f"model {origin.model}", difference(again, text))
