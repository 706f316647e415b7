"""The text operations: substitutions, paraphrases and lead-ins; and the checks of what they write."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kbe_graph.checks.question_text import flaw, instruction_in
from kbe_graph.english.inflect import is_proper, lemmas, vocabulary
from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import words
from kbe_graph.errors import NoCandidate
from kbe_graph.forms.paraphrase import (
    Paraphrase,
    difference,
    paraphrase,
    paraphrase_by_model,
    signs,
    why_no_paraphrase,
)
from kbe_graph.models.loop import gather_all
from kbe_graph.perturb.eligible import NotEligible, Original, Rewritten, TextOperation, substitute
from kbe_graph.steps.asker import Asker
from kbe_graph.text import fold

if TYPE_CHECKING:
    import numpy as np

LEAST_DIFFERENCE, MOST_DIFFERENCE = 0.05, 0.6
MOST_GROWTH = 2.5

_NUMBERS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty
"""
_DIGITS = {word: str(number) for number, word in enumerate(_NUMBERS.split())}


def text_fault(text: str, original: Original) -> str:
    """Return the counted reason why a changed text is not a valid variant, empty if it is.

    >>> original = Original(work.samples()[0], work.questions(run="raw")[0])
    >>> text_fault(original.question.text, original)
    'the same words'
    """
    before = original.question.text
    if fold(text) == fold(before):
        return "the same words"
    if instruction_in(text) and not instruction_in(before):
        return "an instruction"
    return _fault_of_question(text, before) or ("names an answer" if leak(text, original) else "")


def _fault_of_question(text: str, before: str) -> str:
    if not LEAST_DIFFERENCE <= difference(text, before) <= MOST_DIFFERENCE:
        few = difference(text, before) < LEAST_DIFFERENCE
        return "hardly other words" if few else "hardly a word of the question left"
    if len(text.split()) > MOST_GROWTH * len(before.split()):
        return "too long"
    if signs(text) != signs(before):
        return "another name, number or negation"
    return "flaw in the words" if flaw(text) and not flaw(before) else ""


def leak(text: str, original: Original) -> str:
    """Return a word or name that gives an answer away and is not in the question; empty if there is none.

    >>> original = Original(work.samples()[0], work.questions(run="raw")[0])
    >>> leak("What is seen here?", original), bool(leak(f"Is it {original.question.answer}?", original))
    ('', True)
    """
    before, folded = original.question.text, f" {_with_digits(text)} "
    new = vocabulary(text) - vocabulary(before)
    for name in original.guarded:
        if shared := new.intersection(lemmas(name)):
            return min(shared)
        whole = f" {_with_digits(name)} "
        if whole.strip() and whole in folded and whole not in f" {_with_digits(before)} ":
            return name
    return ""


def _with_digits(text: str) -> str:
    return " ".join(_DIGITS.get(word, word) for word in re.findall(r"[\w']+", fold(text)))


LEAD_INS = (
    "Looking at this picture,",
    "Going by this picture,",
    "Have a look and tell me:",
    "Please look at the picture and say:",
    "Here is a question about the image:",
    "Here is something to find out:",
    "The next question is this:",
    "I would like to know:",
)
"""None claims that the picture suffices: some questions ask where an animal lives, or what something costs."""
_SEVERAL = re.compile(r"[.!?][\"'”]?\s+\S")
_PICTURES = frozenset(["picture", "image", "photo", "photograph", "pic", "shot", "scene"])
_LED = re.compile(r"^[^,:]*\b(?:look|see|seen|seeing|view|judg|based|going|according)\w*\b[^,:]*[,:]|:", re.IGNORECASE)
# The form of a question that a lead-in fits: it has a question word, or begins with an auxiliary verb.
_ASKS = re.compile(
    r"\b(?:what|which|who|whom|whose|where|when|why|how)\b"
    r"|^(?:is|are|was|were|do|does|did|can|could|would|will|should|has|have|had|may|might|must)\b",
    re.IGNORECASE,
)
# "I would like to know:" does not fit before an imperative such as "Name the object".
_ORDERS = re.compile(
    r"^(?:name|describe|list|give|identify|tell|choose|pick|guess|explain|find|select)\b", re.IGNORECASE
)
_FOR_ORDERS = ("Looking at this picture,", "Going by this picture,")

DRAWS = 4
"""Maximum paraphrases drawn for a question."""

_HEDGE = re.compile(r"\b(?:likely|probably|possibly|maybe|perhaps)\b", re.IGNORECASE)
_KIND = re.compile(r"\b(?:type|kind|sort|style)s?\b", re.IGNORECASE)
_LAST_LINK = re.compile(r"\b(from|in|on|for|with|of|at|by|to)\?$", re.IGNORECASE)
# Signs that the rules misread a clause: an article without its noun, an event treated as a thing, two
# participles in a row, a picture in the middle of a clause.
_POOR = re.compile(
    r"\bthe (?:in|on|at|of|is|are|was|were)\b|\bthing that (?:\w+ ){0,2}happen|\bplace where .* (?:is|are)\?$"
    r"|\b(?:being \w+|\w+ing) seen in this\b|\bin this picture (?:is|are) (?:for|in|on|of|to|from|with)\?$",
    re.IGNORECASE,
)
# Unidiomatic for abstract or multiple answers: what is the thing that can be found in this place?
_THING = re.compile(r"\bthe (?:thing|object) that\b", re.IGNORECASE)


def _paraphrase(original: Original, text: str, rng: "np.random.Generator") -> Rewritten:
    names = original.guarded
    reason = ""
    for seed in map(str, rng.integers(1 << 32, size=DRAWS)):
        again = paraphrase(text, names, seed=seed)
        reason = (poor(again.text, text) or text_fault(again.text, original)) if again else "no paraphrase"
        if again and not reason:
            return Rewritten(again.text, {"operation": "paraphrase", "rule": again.rule})
    raise NotEligible(why_no_paraphrase(text, names) or reason)


def poor(text: str, before: str) -> str:
    """Return the counted reason to discard a paraphrase, empty if it is good.

    >>> poor("What is this used for?", "What is this probably used for?")
    'another hedge'
    """
    if bool(_HEDGE.search(text)) != bool(_HEDGE.search(before)):
        return "another hedge"
    if bool(_KIND.search(text)) != bool(_KIND.search(before)):
        return "another kind"
    if (link := _LAST_LINK.search(before)) and not re.search(rf"\b{link[1]}\b", text, re.IGNORECASE):
        return "a link lost"
    if _THING.search(text) and not _THING.search(before):
        return "a thing that is none"
    return "a clause read wrongly" if _POOR.search(text) or text.count("'") > before.count("'") else ""


def _lead_in(original: Original, text: str, rng: "np.random.Generator") -> Rewritten:
    if reason := _reason(text):
        raise NotEligible(reason)
    leads, fault = _FOR_ORDERS if _ORDERS.search(text) else LEAD_INS, "no lead-in"
    for place in rng.permutation(len(leads)):
        lead = leads[place]
        if not _is_echoed(lead, text):
            led = f"{lead} {as_continued(text)}"
            if not (fault := text_fault(led, original)):
                return Rewritten(led, {"operation": "lead-in", "lead_in": lead})
    raise NotEligible(fault)


def _reason(text: str) -> str:
    if _SEVERAL.search(text):
        return "several sentences"
    if _LED.search(text):
        return "a lead-in of its own"
    return "" if _ASKS.search(text) or _ORDERS.search(text) else "no question by its form"


def _is_echoed(lead: str, text: str) -> bool:
    ours, own = set(lemmas(lead)), set(lemmas(text))
    both_name = not _PICTURES.isdisjoint(ours) and not _PICTURES.isdisjoint(own)
    return both_name or lead.split(maxsplit=1)[0] == text.split(maxsplit=1)[0] or not ours.isdisjoint(own)


def as_continued(text: str) -> str:
    """Lower-case the first letter of a question for use within a sentence, unless it starts with a name.

    >>> as_continued("What is this?"), as_continued("Amtrak runs what?"), as_continued("I see what?")
    ('what is this?', 'Amtrak runs what?', 'I see what?')
    """
    first = re.split(r"[^\w-]", text, maxsplit=1)[0]
    is_word = first.lower() in words("stop") or not is_proper(first) or not {*"var"}.isdisjoint(wordnet().counts(first))
    small = first[:1].isupper() and first[1:].islower() and is_word
    return text[0].lower() + text[1:] if small or first == "A" else text


_OPERATIONS = (
    TextOperation("substitute", substitute),
    TextOperation("paraphrase", _paraphrase),
    TextOperation("lead-in", _lead_in),
)
TEXT_OPERATIONS: Mapping[str, TextOperation] = {operation.name: operation for operation in _OPERATIONS}
"""The operations by their command-line names, in the best order for joining them."""


async def ask_paraphrases(asker: Asker, originals: Sequence[Original]) -> TextOperation:
    """Have a model paraphrase all questions, and return the operation that uses what it wrote."""
    written = dict[str, Paraphrase | NoCandidate]()

    async def ask(original: Original) -> None:
        question = original.question
        try:
            written[question.id] = await paraphrase_by_model(asker, question.text, original.guarded)
        except NoCandidate as reason:
            written[question.id] = reason

    def rewrite(original: Original, text: str, _: "np.random.Generator") -> Rewritten:
        again = written.get(original.question.id)
        if not isinstance(again, Paraphrase):
            raise NotEligible(again.reason if again else "the model gave no words")
        if text != original.question.text:
            raise NotEligible("a model paraphrases the question itself; name paraphrase first")
        return Rewritten(again.text, {"operation": "paraphrase", "text": again.text, "maker": again.rule})

    await gather_all(map(ask, originals))
    return TextOperation("paraphrase", rewrite, is_drawn=False)
