"""The form on which people judge an item: its questions with options and key paths, and what is asked of it."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kbe_graph.review.state import ReviewedItem
from kbe_graph.text import fold
from kbe_graph.types import OPINIONS, Review, Triplet
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
KEYS = {
    "a": "approve and go to the next question",
    "x": "reject",
    "r": "revise the question, answer, other right answers or options",
    "Ctrl Enter": "save the revision",
    "1 … 7": "set a criterion to yes, no, unsure or empty",
    "y": "set all empty criteria to yes",
    "w": "write the reason",
    "f": "go to the next option's flag; Space changes it",
    "u": "undo my last decision",
    "n p": "next, previous question",
    "g": "gallery",
    "?": "show these shortcuts",
    "Esc": "leave a field, or cancel the revision",
}
"""The keyboard shortcuts of a form with verdicts."""


class FormPicture(NamedTuple):
    """A picture of an item: its address, and that of the full size."""

    source: str
    full: str


class FormOption(NamedTuple):
    """An answer option: its letter and text, whether it is right, and the flag on it."""

    letter: str
    text: str
    right: bool
    flag: str = ""


class FormStep(NamedTuple):
    """A triplet of a key path in words, with its source."""

    id: str
    subject: str
    relation: str
    object: str
    graph: str
    source: str = ""
    source_ref: str = ""
    evidence: str = ""
    unsourced: bool = False

    def __str__(self) -> str:
        """Return the triplet in words."""
        return f"({self.subject}, {self.relation}, {self.object})"

    @property
    def origin(self) -> str:
        """The source in plain words."""
        return ", ".join(ORIGINS.get(each, each) for each in self.source.split(", "))

    @property
    def address(self) -> str:
        """The URL at which the fact can be looked up, empty for a source without one."""
        match = next(filter(None, (re.fullmatch(place, self.source_ref) for place in ADDRESSES)), None)
        return match.expand(ADDRESSES[match.re.pattern]) if match else ""


class FormQuestion(NamedTuple):
    """A question of an item; ``words`` is its text in parts, each flagged if new, and ``given`` an answer to judge."""

    words: Sequence[tuple[str, bool]]
    answer: str
    aliases: Sequence[str] = ()
    options: Sequence[FormOption] = ()
    path: Sequence[FormStep] = ()
    given: str = ""

    @property
    def text(self) -> str:
        """The whole text."""
        return " ".join(words for words, _ in self.words)


class FormChain(NamedTuple):
    """The chain that leads to a question: its text in parts, each flagged if new, and the ids of ``new`` triplets.

    ``earlier`` are the previous questions (row, text, answer), ``lines`` models' statements on it.
    """

    words: Sequence[tuple[str, bool]] = ()
    new: frozenset[str] = frozenset()
    earlier: Sequence[tuple[str, str, str]] = ()
    lines: Sequence[str] = ()


class ItemForm(NamedTuple):
    """An item to judge: its content, and what is ``asked`` by column (question and hint), answered with ``words``.

    ``decides`` asks for a verdict too. ``own`` is what the reviewer said so far. ``signs`` are signs of doubt: like
    models' statements, they are collapsed until it is decided.
    """

    id: str
    questions: Sequence[FormQuestion]
    asked: Mapping[str, tuple[str, str]]
    words: Sequence[str]
    version: str
    decides: bool
    pictures: Sequence[FormPicture] = ()
    chain: FormChain = FormChain()
    own: Review | None = None
    signs: Sequence[str] = ()

    @property
    def opinions(self) -> Mapping[str, str]:
        """The reviewer's words so far, by column."""
        return dict(self.own.criteria) if self.own else {}


def form_step(triplet: Triplet) -> FormStep:
    """Convert a triplet for a form."""
    ends = triplet.subject.label, triplet.relation, triplet.object.label
    origin = triplet.source, triplet.source_ref, triplet.evidence
    return FormStep(triplet.id, *ends, triplet.graph, *origin, unsourced=triplet.unsourced)


def review_form(item: ReviewedItem, chain: FormChain, own: Review | None = None, signs: Sequence[str] = ()) -> ItemForm:
    """Build the form of a question; ``chain`` holds the questions that lead to it, ``own`` the decision so far."""
    question, flags = item.question, dict(own.options) if own else {}
    options = [
        FormOption(
            chr(ord("A") + place) if place < 26 else str(place + 1),
            text,
            fold(text) == fold(question.answer),
            flags.get(text, ""),
        )
        for place, text in enumerate(item.options)
    ]
    words = chain.words or [(question.text, False)]
    asked = FormQuestion(words, question.answer, question.aliases, options, tuple(map(form_step, question.key)))
    return ItemForm(
        question.id,
        (asked,),
        CRITERIA_ASKED,
        OPINIONS,
        item.version,
        decides=True,
        chain=chain,
        own=own,
        signs=signs,
    )
