"""Lead-ins before a question, which point at the picture without describing it."""

import re
from typing import TYPE_CHECKING

from kbe_graph.english.inflect import lemmas
from kbe_graph.english.number import is_proper
from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import words
from kbe_graph.perturb.operation import NotEligible, Original, Rewritten
from kbe_graph.perturb.words.text_check import is_several, text_fault

if TYPE_CHECKING:
    import numpy as np

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


class LeadIn:
    """A lead-in before the question: "Looking at this picture, what ..."."""

    name = "lead-in"
    says = "a few words before the question that say nothing of the picture"
    is_drawn = True
    is_default = True

    def refuse(self, original: Original) -> str:
        """Return no reason, because the text check finds any lead-in that gives an answer away."""
        del original
        return ""

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
    """Explain why a text cannot take a lead-in; empty if it can."""
    if is_several(text):
        return "several sentences"
    if _LED.search(text):
        return "a lead-in of its own"
    return "" if _ASKS.search(text) or _ORDERS.search(text) else "no question by its form"


def _is_echoed(lead: str, text: str) -> bool:
    """Return True if question and lead-in share the first word or a content word, or both mention the picture."""
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
