"""The text operations without a model: paraphrases, lead-ins, and captions put before a question (MDK12; VLB)."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kbe_graph.english.inflect import lemmas
from kbe_graph.english.number import is_proper
from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import words
from kbe_graph.forms.paraphrase import paraphrase, sought, why_no_paraphrase
from kbe_graph.perturb.eligible import NotEligible, Original, Rewritten, TextOperation
from kbe_graph.perturb.substitute import Substitute
from kbe_graph.perturb.text_check import CONTEXT, guarded, is_several, text_fault
from kbe_graph.text import fold, on_one_line

if TYPE_CHECKING:
    import numpy as np

SAME = (
    "A caption of this picture reads: {}",
    "Under this picture somebody wrote: {}",
    "A description of this picture says: {}",
)
OTHER = (
    "A caption of another picture reads: {}",
    "Under a different picture somebody wrote: {}",
    "A description of some other picture says: {}",
)
FEWEST, MOST = 4, 30
"""Minimum and maximum words of a caption used as context."""
TRIED = 40
"""Maximum captions tried for a question."""

_WORD = re.compile(r"[a-z]+")
# A machine-written list of objects: a couch a table and a chair.
_BARE_LIST = re.compile(r"\b(?:a|an|the) \w+ an? \w+", re.IGNORECASE)
_POINTS = re.compile(
    r"\b(?:this|that|the) (?:place|room|scene|location|area|setting|building)\b|\bhere\b", re.IGNORECASE
)
_NAMED = re.compile(r"\b(?:image|picture|photo|photograph)\b", re.IGNORECASE)
# Captions usually describe these without the answer's own word.
_TOLD = re.compile(r"\b(?:doing|do|activity|sport|game|action|happening|going on|event|trick)\b", re.IGNORECASE)

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


class ParaphraseByRule(TextOperation):
    """The same question in another order or structure."""

    name = "paraphrase"

    def rewrite(self, original: Original, text: str, rng: "np.random.Generator") -> Rewritten:
        """Draw one of the rule-based paraphrases of a text; raises NotEligible if there is none."""
        names = tuple(guarded(original))
        reason = ""
        for seed in map(str, rng.integers(1 << 32, size=DRAWS)):
            again = paraphrase(text, names, seed=seed)
            reason = (poor(again.text, text) or text_fault(again.text, original)) if again else "no paraphrase"
            if again and not reason:
                return Rewritten(again.text, {"operation": self.name, "rule": again.rule})
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


class LeadIn(TextOperation):
    """A lead-in before the question: "Looking at this picture, what ..."."""

    name = "lead-in"

    def rewrite(self, original: Original, text: str, rng: "np.random.Generator") -> Rewritten:
        """Put a lead-in before a question; raises NotEligible if it already has one, or has several sentences."""
        if reason := _reason(text):
            raise NotEligible(reason)
        leads, fault = _FOR_ORDERS if _ORDERS.search(text) else LEAD_INS, "no lead-in"
        for place in rng.permutation(len(leads)):
            lead = leads[place]
            if not _is_echoed(lead, text):
                step = {"operation": self.name, "lead_in": lead}
                rewritten = Rewritten(f"{lead} {as_continued(text)}", step)
                if not (fault := text_fault(rewritten.text, original, [step])):
                    return rewritten
        raise NotEligible(fault)


def _reason(text: str) -> str:
    if is_several(text):
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


def as_context(opening: str, caption: str) -> str:
    """Quote a caption after an opening, as one sentence.

    >>> as_context("A caption of this picture reads: {}", "a man  riding a horse .")
    'A caption of this picture reads: "A man riding a horse."'
    """
    line = re.sub(r"\s+([.,;!])", r"\1", on_one_line(caption)).strip(" \"'“”")
    line = line if line.endswith((".", "!")) else f"{line}."
    return opening.format(f'"{line[:1].upper()}{line[1:]}"')


def is_fit(caption: str) -> bool:
    """Return True if a caption is a full line of English: no question, repeated noun, or list without commas."""
    content = [word for word in _WORD.findall(caption.lower()) if word not in words("stop")]
    is_whole = FEWEST <= len(caption.split()) <= MOST and "?" not in caption and not _BARE_LIST.search(caption)
    return is_whole and len(content) == len(set(content))


class _Context(TextOperation):
    """Shared implementation: draws a caption and an opening, and checks the result."""

    openings: Sequence[str]

    def captions(self, original: Original) -> Sequence[str]:
        """Return the captions to draw from."""
        raise NotImplementedError

    def rewrite(self, original: Original, text: str, rng: "np.random.Generator") -> Rewritten:
        """Put a caption before a text; raises NotEligible if none is free of answers."""
        captions, opening = self.captions(original), self.openings[int(rng.integers(len(self.openings)))]
        fault = "no caption"
        for place in rng.permutation(len(captions))[:TRIED]:
            if not is_fit(captions[place]):
                continue
            step = {"operation": self.name, CONTEXT: as_context(opening, captions[place])}
            rewritten = Rewritten(f"{step[CONTEXT]} {text}", step)
            if not (fault := text_fault(rewritten.text, original, [step])):
                return rewritten
        raise NotEligible(fault)


class RelevantContext(_Context):
    """A caption of the same picture before the question.

    It does not name an answer, but often the object that the question leaves to the picture, as in VLB.
    """

    name = "context-relevant"
    is_default = False
    openings = SAME

    def refuse(self, original: Original) -> str:
        """Explain why a caption could imply the answer: it is yes, no, a number, or an action; empty if allowed."""
        if sought(original.question.text) in ("choice", "number") or {"yes", "no"} & set(map(fold, guarded(original))):
            return "a caption may answer yes, no or how many"
        return "a caption tells what is done" if _TOLD.search(original.question.text) else ""

    def captions(self, original: Original) -> Sequence[str]:
        """Return the captions of the same picture."""
        return original.captions


class IrrelevantContext(_Context):
    """A caption of another picture before the question, marked as such."""

    name = "context-irrelevant"
    is_default = False
    openings = OTHER

    def refuse(self, original: Original) -> str:
        """Explain why the question could refer to the other picture: it says "this place" and mentions no picture."""
        text = original.question.text
        return (
            "what is pointed at could be the other picture's"
            if _POINTS.search(text) and not _NAMED.search(text)
            else ""
        )

    def captions(self, original: Original) -> Sequence[str]:
        """Return the captions of other pictures without a content word of the question."""
        asked = frozenset(lemmas(original.question.text))
        return [caption for caption in original.other_captions if asked.isdisjoint(lemmas(caption))]


_OPERATIONS: tuple[TextOperation, ...] = (
    Substitute(),
    ParaphraseByRule(),
    LeadIn(),
    RelevantContext(),
    IrrelevantContext(),
)
TEXT_OPERATIONS: Mapping[str, TextOperation] = {operation.name: operation for operation in _OPERATIONS}
"""The operations by their command-line names, in the best order for joining them, with contexts last."""
