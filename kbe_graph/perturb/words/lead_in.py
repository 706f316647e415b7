"""A few words of ours before a question, which point at the picture and say nothing of it."""

import re
from typing import TYPE_CHECKING

from kbe_graph.english.inflect import lemmas
from kbe_graph.english.number import is_proper
from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import words
from kbe_graph.perturb.operation import NotEligible, Original, Rewritten
from kbe_graph.perturb.words.text_check import text_fault

if TYPE_CHECKING:
    import numpy as np

LEAD_INS = (
    "Looking at this picture, {}",
    "Going by this picture, {}",
    "Judging by what can be seen, {}",
    "From what this image shows, {}",
    "Have a look and tell me: {}",
    "Please look at the picture and say: {}",
    "Here is a question about the image: {}",
    "Take the scene as it is and answer this: {}",
    "I would like to know: {}",
)
_SEVERAL = re.compile(r"[.!?]\s+\S")
_LED = re.compile(r"^[^,:]*\b(?:look|see|seen|seeing|view|judg|based|going|according)\w*\b[^,:]*[,:]|:", re.IGNORECASE)


def is_several(text: str) -> bool:
    """Return whether a text has more than one sentence, as a question with a context has."""
    return bool(_SEVERAL.search(text))


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
        if is_several(text) or _LED.search(text):
            raise NotEligible("several sentences" if is_several(text) else "a lead-in of its own")
        fault = "no lead-in"
        for place in rng.permutation(len(LEAD_INS)):
            lead = LEAD_INS[place]
            if set(lemmas(lead)).isdisjoint(lemmas(text)):
                step = {"operation": self.name, "lead_in": lead.removesuffix(" {}")}
                rewritten = Rewritten(lead.format(as_continued(text)), step)
                if not (fault := text_fault(rewritten.text, original, [step])):
                    return rewritten
        raise NotEligible(fault)


def as_continued(text: str) -> str:
    """Return a question as it goes on in the middle of a sentence: with a small letter, unless a name stands first.

    >>> as_continued("What is this?"), as_continued("Amtrak runs what?"), as_continued("I see what?")
    ('what is this?', 'Amtrak runs what?', 'I see what?')
    """
    first = re.split(r"[^\w-]", text, maxsplit=1)[0]
    is_word = first.lower() in words("stop") or not is_proper(first) or not {*"var"}.isdisjoint(wordnet().counts(first))
    small = first[:1].isupper() and first[1:].islower() and is_word
    return text[0].lower() + text[1:] if small or first == "A" else text
