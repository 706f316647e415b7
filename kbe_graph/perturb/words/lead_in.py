"""A few words of ours before a question, which point at the picture and say nothing of it."""

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
"""None says that the picture alone answers: where a thing lives, or what it costs, is often asked for too."""
_PICTURES = frozenset(["picture", "image", "photo", "photograph", "pic", "shot", "scene"])
_LED = re.compile(r"^[^,:]*\b(?:look|see|seen|seeing|view|judg|based|going|according)\w*\b[^,:]*[,:]|:", re.IGNORECASE)
# A question by its form, which words before it can lead to: it asks with a word of its own, or with a verb first.
_ASKS = re.compile(
    r"\b(?:what|which|who|whom|whose|where|when|why|how)\b"
    r"|^(?:is|are|was|were|do|does|did|can|could|would|will|should|has|have|had|may|might|must)\b",
    re.IGNORECASE,
)
# Told to name a thing, nobody says "I would like to know" first.
_ORDERS = re.compile(
    r"^(?:name|describe|list|give|identify|tell|choose|pick|guess|explain|find|select)\b", re.IGNORECASE
)
_FOR_ORDERS = ("Looking at this picture,", "Going by this picture,")


class LeadIn:
    """Puts a lead-in before a question: looking at this picture, what ..."""

    name = "lead-in"
    says = "a few words before the question that say nothing of the picture"
    is_drawn = True
    is_default = True

    def refuse(self, original: Original) -> str:
        """Return nothing: no lead-in tells an answer that the check of the text would not find."""
        del original
        return ""

    def rewrite(self, original: Original, text: str, rng: "np.random.Generator") -> Rewritten:
        """Put a lead-in before a question; raises NotEligible where it has one, or has several sentences."""
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
    """Return why no lead-in goes before a text, empty where one may."""
    if is_several(text):
        return "several sentences"
    if _LED.search(text):
        return "a lead-in of its own"
    return "" if _ASKS.search(text) or _ORDERS.search(text) else "no question by its form"


def _is_echoed(lead: str, text: str) -> bool:
    """Return True if a question begins as its lead-in, has a word of content of it, or names the picture as it does."""
    ours, own = set(lemmas(lead)), set(lemmas(text))
    both_name = not _PICTURES.isdisjoint(ours) and not _PICTURES.isdisjoint(own)
    return both_name or lead.split(maxsplit=1)[0] == text.split(maxsplit=1)[0] or not ours.isdisjoint(own)


def as_continued(text: str) -> str:
    """Return a question as it goes on in the middle of a sentence: with a small letter, unless a name stands first.

    >>> as_continued("What is this?"), as_continued("Amtrak runs what?"), as_continued("I see what?")
    ('what is this?', 'Amtrak runs what?', 'I see what?')
    """
    first = re.split(r"[^\w-]", text, maxsplit=1)[0]
    is_word = first.lower() in words("stop") or not is_proper(first) or not {*"var"}.isdisjoint(wordnet().counts(first))
    small = first[:1].isupper() and first[1:].islower() and is_word
    return text[0].lower() + text[1:] if small or first == "A" else text
