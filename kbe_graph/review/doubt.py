"""Doubt scores of questions, computed from stored results, so that reviewers see the most doubtful first.

A question's score is the weighted sum of its signs. A weight is about the natural logarithm of the likelihood ratio
between bad and good questions, for signs that err as often as models do: an inspector that is wrong about one question
in five separates bad from good by 4 to 1 (1.4), and two that agree by 16 to 1 (2.8).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from kbe_graph.review.state import QuestionState, ReviewedItem, first_version
from kbe_graph.store import Store
from kbe_graph.text import fold, in_order
from kbe_graph.types import RAW, Dispute, Prediction, Question, Review, Triplet
from kbe_graph.types.graph import UNSOURCED

SEVERAL = 3
COMMON = 0.05  # of a model's answers: "unknown", "yes"
LEAST_MODELS = 3  # with fewer, all of them fail by chance too often
AGAINST_KEY = "strong models agree against the key"
SIGNS: Mapping[str, float] = {
    AGAINST_KEY: 3.0,
    "reviewers differ": 3.0,
    "an inspector says no": 2.5,
    "a fact without a source": 1.5,
    "all models fail it": 1.5,
    "a check found fault": 1.5,
    "guessed without the picture": 1.5,
}
"""All signs with their weights. Reviewers and strong models that agree weigh most, then models that read the question,
then single measurements."""


class Doubt(NamedTuple):
    """A question's score and the names of its signs, heaviest first."""

    question: str
    score: float
    signs: tuple[str, ...]


def doubts(
    store: Store, items: Iterable[ReviewedItem], states: Mapping[str, QuestionState], run: str | None
) -> list[Doubt]:
    """Compute the score and the signs of a run's questions, or of raw ones if no run is given, most doubtful first.

    Those that strong models contradict are before all others. Inspections and guesses of earlier wordings do not count.
    """
    questions = [item.question for item in items]
    words = {question.id: (question.text, question.answer) for question in questions}
    disputes = (*contradicted(store.predictions(run=run or RAW)), *store.disputes(run or RAW))
    strengths: Mapping[str, Mapping[str, float]] = {
        AGAINST_KEY: {each.question: 1.0 for each in disputes},
        "reviewers differ": {id_: 1.0 for id_, state in states.items() if state.state == "disputed"},
        "an inspector says no": _shares(
            (each.question, bool(each.no))
            for each in store.inspections(run=run or RAW)
            if words.get(each.question) == (each.text, each.answer)
        ),
        "a fact without a source": {
            question.id: 1.0 for question in questions if any(triplet.unsourced for triplet in question.key)
        },
        "all models fail it": _failed(store, run or RAW),
        "a check found fault": {
            each.question: 1.0 for each in store.candidates(run=run or RAW, status="kept") if each.faulty
        },
        "guessed without the picture": _shares(
            (each.question, each.right)
            for each in store.guesses(run=run)
            if each.kind == "raw" or words.get(each.question) == (each.text, each.answer)
        ),
    }
    scored = [_doubt(question.id, strengths) for question in questions]
    return sorted(scored, key=lambda doubt: (AGAINST_KEY not in doubt.signs, -doubt.score, in_order(doubt.question)))


def contradicted(predictions: Iterable[Prediction]) -> list[Dispute]:
    """Find the questions to which all strong models give one answer that is wrong by the key.

    Strong is the better half of the models, and no fewer than three if there are so many; a single model is none. An
    answer that a model gives to many questions says nothing of this one, and does not count.
    """
    asked = [each for each in predictions if each.verdict and each.variant == "image" and each.run == 1]
    right: dict[str, list[bool]] = defaultdict(list)
    for each in asked:
        right[each.model].append(each.verdict == "right")
    ranked = sorted(right, key=lambda model: (-sum(right[model]) / len(right[model]), model))
    strong = ranked[: max(SEVERAL, -(-len(ranked) // 2))]
    common = Counter((each.model, fold(each.text)) for each in asked)
    says: dict[str, dict[str, str]] = defaultdict(dict)
    for each in asked:
        answer = fold(each.text)
        is_telling = common[each.model, answer] <= max(2, COMMON * len(right[each.model]))
        if each.verdict == "wrong" and each.model in strong and is_telling:
            says[each.question][each.model] = answer
    return [
        Dispute(question, own[strong[0]], ", ".join(sorted(own)))
        for question, own in sorted(says.items())
        if len(own) == len(strong) > 1 and len({*own.values()}) == 1 and own[strong[0]]
    ]


def _doubt(question: str, strengths: Mapping[str, Mapping[str, float]]) -> Doubt:
    shares = [(weight * strengths[sign].get(question, 0.0), sign) for sign, weight in SIGNS.items()]
    shown = sorted((share for share in shares if share[0]), key=lambda share: -share[0])
    return Doubt(question, round(sum(weight for weight, _ in shown), 6), tuple(sign for _, sign in shown))


def _shares(marks: Iterable[tuple[str, bool]]) -> dict[str, float]:
    by_question: dict[str, list[bool]] = defaultdict(list)
    for question, mark in marks:
        by_question[question].append(mark)
    return {question: sum(own) / len(own) for question, own in by_question.items()}


def _failed(store: Store, run: str) -> dict[str, float]:
    is_right: dict[str, dict[str, bool]] = defaultdict(dict)
    for answer in store.predictions(run=run):
        if answer.verdict and answer.variant == "image" and not answer.asked:
            own = is_right[answer.question]
            own[answer.model] = own.get(answer.model, False) or answer.verdict == "right"
    return {id_: 1.0 for id_, own in is_right.items() if len(own) >= LEAST_MODELS and not any(own.values())}


def doubtful_first(
    items: Iterable[ReviewedItem], states: Mapping[str, QuestionState], ranked: Sequence[Doubt]
) -> list[ReviewedItem]:
    """Sort questions: first those that need a reviewer, and among them the most doubtful ones."""
    rank = {doubt.question: place for place, doubt in enumerate(ranked)}
    return sorted(
        items,
        key=lambda item: (not states[item.question.id].missing, rank.get(first_version(item.question.id), len(rank))),
    )


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
