"""Captions put before a question: of the same picture, or of an unrelated one (VLB)."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kbe_graph.english.inflect import lemmas
from kbe_graph.english.words import words
from kbe_graph.forms.same_question import sought
from kbe_graph.perturb.operation import NotEligible, Original, Rewritten
from kbe_graph.perturb.words.text_check import CONTEXT, guarded, text_fault
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


class _Context:
    """Shared implementation: draws a caption and an opening, and checks the result."""

    name: str
    is_drawn = True
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
    says = "a caption of the same picture before the question (VLB L3); off by default: half help to answer"
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
    says = "a caption of another picture before the question (VLB L4); off by default: 44 of 50 were good"
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
