"""A caption before a question: of the same picture, or of another one that has nothing to do with it (VLB)."""

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
"""Words of a caption that is put before a question."""
TRIED = 40
"""Captions of other pictures that are looked at before none is found."""

_WORD = re.compile(r"[a-z]+")
# A list of things as machines write it: a couch a table and a chair.
_BARE_LIST = re.compile(r"\b(?:a|an|the) \w+ an? \w+", re.IGNORECASE)
_POINTS = re.compile(
    r"\b(?:this|that|the) (?:place|room|scene|location|area|setting|building)\b|\bhere\b", re.IGNORECASE
)
_NAMED = re.compile(r"\b(?:image|picture|photo|photograph)\b", re.IGNORECASE)
# What a caption says as a rule without the answer's own word: what somebody does, and where.
_TOLD = re.compile(r"\b(?:doing|do|activity|sport|game|action|happening|going on|event|trick)\b", re.IGNORECASE)


def as_context(opening: str, caption: str) -> str:
    """Return a caption in quotes after words of ours, as one sentence.

    >>> as_context("A caption of this picture reads: {}", "a man  riding a horse .")
    'A caption of this picture reads: "A man riding a horse."'
    """
    line = re.sub(r"\s+([.,;!])", r"\1", on_one_line(caption)).strip(" \"'“”")
    line = line if line.endswith((".", "!")) else f"{line}."
    return opening.format(f'"{line[:1].upper()}{line[1:]}"')


def is_fit(caption: str) -> bool:
    """Return True if a caption is a whole line of English: no question, no noun twice and no list without commas."""
    content = [word for word in _WORD.findall(caption.lower()) if word not in words("stop")]
    is_whole = FEWEST <= len(caption.split()) <= MOST and "?" not in caption and not _BARE_LIST.search(caption)
    return is_whole and len(content) == len(set(content))


class _Context:
    """The work of both contexts: draw a caption and an opening, and check the result."""

    name: str
    is_drawn = True
    openings: Sequence[str]

    def captions(self, original: Original) -> Sequence[str]:
        """Return the captions to draw from."""
        raise NotImplementedError

    def rewrite(self, original: Original, text: str, rng: "np.random.Generator") -> Rewritten:
        """Put a caption before a text; raises NotEligible where there is none that tells nothing of an answer."""
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
    """Puts a caption of the same picture before a question.

    It names no answer, but often the thing that the question leaves to the picture, as it does in VLB.
    """

    name = "context-relevant"
    says = "a caption of the same picture before the question (VLB L3); off by default: half help to answer"
    is_default = False
    openings = SAME

    def refuse(self, original: Original) -> str:
        """Return why a caption could answer the question without a word of its answer: yes, no, a number, an action."""
        if sought(original.question.text) in ("choice", "number") or {"yes", "no"} & set(map(fold, guarded(original))):
            return "a caption may answer yes, no or how many"
        return "a caption tells what is done" if _TOLD.search(original.question.text) else ""

    def captions(self, original: Original) -> Sequence[str]:
        """Return those of the same picture."""
        return original.captions


class IrrelevantContext(_Context):
    """Puts a caption of another picture before a question, and says that it is one."""

    name = "context-irrelevant"
    says = "a caption of another picture before the question (VLB L4); off by default: 44 of 50 were good"
    is_default = False
    openings = OTHER

    def refuse(self, original: Original) -> str:
        """Return why the words could speak of the other picture: this place, where no picture is named."""
        text = original.question.text
        return (
            "what is pointed at could be the other picture's"
            if _POINTS.search(text) and not _NAMED.search(text)
            else ""
        )

    def captions(self, original: Original) -> Sequence[str]:
        """Return those of other pictures that share no content word with the question."""
        asked = frozenset(lemmas(original.question.text))
        return [caption for caption in original.other_captions if asked.isdisjoint(lemmas(caption))]
