"""The form on which people judge an item: its questions with options and key paths, and what is asked of it."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kbe_graph.text import fold
from kbe_graph.types import Prediction, Question, Review, Triplet
from kbe_graph.types.graph import UNSOURCED

CRITERIA_ASKED: Mapping[str, tuple[str, str]] = {
    "factual": ("Are the question and the answer true?", "Look it up if you are not sure."),
    "consistent": ("Does the question fit the picture?", "What the question names can be seen."),
    "knowledge": ("Does it need knowledge beyond the picture?", "Looking closely is not enough."),
    "path": ("Is each step of the key path right?", "Each step is true and leads to the next."),
    "one": ("Is there one right answer?", "Different names for it count as one answer."),
    "image": ("Is the picture needed?", "The words alone do not give the answer."),
    "worth": ("Is it worth asking?", "It is clear, not a trick, and not too trivial."),
}
"""The review question for each criterion, and a hint on when to answer yes."""
ORIGINS = {
    "scene graph": "annotated in the picture",
    "caption": "stated in the caption",
    "detection": "detected in the picture",
    "presupposed": "presupposed by the question",
    "question": "from a raw question and its answer",
    UNSOURCED: "no source: check it yourself",
}
"""Descriptions of the triplet sources whose names are not self-explanatory."""
ADDRESSES = {
    r"https?://\S+": r"\g<0>",
    r"geonames:(\d+)": r"https://www.geonames.org/\1",
    r"ncbi:(\d+)": r"https://www.ncbi.nlm.nih.gov/datasets/taxonomy/\1/",
    r"(Q\d+)(?:[$-].*)?": r"https://www.wikidata.org/wiki/\1",
}
"""URL templates for references into sources, keyed by the pattern of the reference."""


class FormChain(NamedTuple):
    """The chain that leads to a question: its text in parts, each flagged if new, and the ids of ``new`` triplets.

    ``earlier`` are the previous questions (row, text, answer), ``lines`` models' statements on it.
    """

    words: Sequence[tuple[str, bool]] = ()
    new: frozenset[str] = frozenset()
    earlier: Sequence[tuple[str, str, str]] = ()
    lines: Sequence[str] = ()


class FormOption(NamedTuple):
    """An answer option: whether it is right, and the flag on it."""

    text: str
    right: bool
    flag: str


class ItemForm(NamedTuple):
    """An item to judge: its content, and what is ``asked`` by column (question and hint), answered with ``words``.

    ``decides`` asks for a verdict too. ``answer`` is a model's answer to judge, ``own`` what the reviewer said so far.
    ``signs`` are signs of doubt: like models' statements, they are collapsed until it is decided.
    """

    id: str
    questions: Sequence[Question]
    asked: Mapping[str, tuple[str, str]]
    words: Sequence[str]
    decides: bool
    answer: Prediction | None = None
    version: str = ""
    choices: Sequence[str] = ()
    chain: FormChain = FormChain()
    own: Review | None = None
    signs: Sequence[str] = ()

    @property
    def opinions(self) -> Mapping[str, str]:
        """The reviewer's words so far, by column."""
        return dict(self.own.criteria) if self.own else {}

    @property
    def options(self) -> list[FormOption]:
        """The answer options."""
        flags, answer = dict(self.own.options) if self.own else {}, fold(self.questions[0].answer)
        return [FormOption(text, fold(text) == answer, flags.get(text, "")) for text in self.choices]


def origin_of(triplet: Triplet) -> str:
    """Return the source of a triplet in plain words."""
    return ", ".join(ORIGINS.get(each, each) for each in triplet.source.split(", "))


def address_of(triplet: Triplet) -> str:
    """Return the URL at which a triplet can be looked up, empty for a source without one."""
    match = next(filter(None, (re.fullmatch(place, triplet.source_ref) for place in ADDRESSES)), None)
    return match.expand(ADDRESSES[match.re.pattern]) if match else ""
