"""The common content of all sheet formats: the questions to decide, and the decisions that come back."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from kbe_graph.errors import DatasetError
from kbe_graph.files.record import Record
from kbe_graph.review.review_desk import Opinions
from kbe_graph.review.review_record import FLAGS, OPINIONS, VERDICTS, choice_in
from kbe_graph.review.revision import Revision
from kbe_graph.review.state import QuestionState, ReviewedItem
from kbe_graph.study.item_form import FormChain
from kbe_graph.text import name_fault
from kbe_graph.types import Question, Sample
from kbe_graph.types.review import CRITERIA, Opinion, OptionFlag, ReviewVerdict

ASKED: Mapping[str, str] = {
    "factual": "Are the question and the answer true?",
    "consistent": "Does the question fit the picture?",
    "knowledge": "Does it need knowledge beyond the picture?",
    "path": "Is each step of the key path right?",
    "one": "Is there one right answer?",
    "image": "Is the picture needed?",
    "worth": "Is it worth asking?",
}
"""The review question for each criterion."""
HELPS: Mapping[str, str] = {
    "factual": "Look it up if you are not sure.",
    "consistent": "What the question names can be seen.",
    "knowledge": "Looking closely is not enough.",
    "path": "Each step is true and leads to the next.",
    "one": "Different names for it count as one answer.",
    "image": "The words alone do not give the answer.",
    "worth": "It is clear, not a trick, and not too trivial.",
}
"""The hint on when to answer yes, for each criterion."""
NEW = {"new question": "text", "new answer": "answer", "new aliases": "aliases", "new options": "options"}
"""The columns for revisions, and the field of each."""
SEVERAL = " | "


class SheetItem(NamedTuple):
    """A question of a sheet with its sample, its state, and its images as data URLs.

    ``chain`` holds the questions that lead to it; ``blind`` lets the reviewer answer before the key is shown.
    """

    item: ReviewedItem
    sample: Sample
    state: QuestionState
    pictures: Sequence[str] = ()
    chain: FormChain = FormChain()
    blind: bool = False

    @property
    def picture(self) -> str:
        """The first image, empty if there is none."""
        return next(iter(self.pictures), "")

    @property
    def question(self) -> Question:
        """The question itself."""
        return self.item.question

    @property
    def path(self) -> tuple[str, ...]:
        """The key path in words."""
        return tuple(f"({step.subject.label}, {step.relation}, {step.object.label})" for step in self.question.key)


class Given(NamedTuple):
    """A decision from a sheet; ``record`` is its place in the file, and ``time`` is empty if unknown."""

    record: Record
    question: str
    version: str
    reviewer: str
    verdict: ReviewVerdict
    opinions: Opinions = Opinions()
    revision: Revision | None = None
    time: str = ""


def given_review(
    record: Record,
    question: str,
    version: str,
    reviewer: str,
    words: Mapping[str, str],
    *,
    seconds: float = 0.0,
    time: str = "",
) -> Given:
    """Parse a decision from the words of a sheet, by column. Raises DatasetError for an invalid one.

    The columns are verdict, those of ``ASKED``, reason, also right, implausible, pick, and those of ``NEW``; several
    names in one column are separated by bars.
    """
    if fault := name_fault(reviewer) or ("" if reviewer.strip() else "is empty; give a name"):
        raise record.error(f"'reviewer' is {reviewer!r}, which {fault}")
    verdict = choice_in(record, "verdict", _VERDICTS.get(words["verdict"].strip().lower(), words["verdict"]), VERDICTS)
    criteria = [(name, choice_in(record, name, words[name], OPINIONS)) for name in CRITERIA if words.get(name)]
    flags = [(option, flag) for flag in FLAGS for option in names_of(words.get(flag, ""))]
    opinions = Opinions(
        cast("tuple[tuple[str, Opinion], ...]", tuple(criteria)),
        words.get("reason", ""),
        cast("tuple[tuple[str, OptionFlag], ...]", tuple(flags)),
        words.get("pick", ""),
        seconds=seconds,
    )
    revision = _revision(record, words) if verdict == "revise" else None
    return Given(record, question, version, reviewer, cast("ReviewVerdict", verdict), opinions, revision, time)


_VERDICTS = {"accept": "approve", "keep": "approve"}


def _revision(record: Record, words: Mapping[str, str]) -> Revision:
    new = {field: words[column] for column, field in NEW.items() if words.get(column)}
    if not new:
        raise record.error(f"'verdict' is 'revise'; fill in {' or '.join(map(repr, NEW))}, or reject it")
    aliases, options = (names_of(new[field]) if field in new else None for field in ("aliases", "options"))
    return Revision(new.get("text"), new.get("answer"), aliases, options)


def names_of(cell: str) -> tuple[str, ...]:
    """Split the names in a cell at bars and line breaks."""
    return tuple(name for part in cell.splitlines() for each in part.split("|") if (name := each.strip()))


def require_given(file: Any, given: Iterable[Given]) -> list[Given]:
    """List the decisions of a file. Raises DatasetError if there is none, or if a reviewer has two on one question."""
    first: dict[tuple[str, str], Given] = {}
    for each in given:
        former = first.setdefault((each.question, each.reviewer), each)
        if former is not each:
            place = former.record.place
            raise each.record.error(
                f"{each.reviewer!r} decides {each.question!r} here and at {place}; keep one of them"
            )
    if not first:
        raise DatasetError(file, "no question is decided; fill in 'verdict'")
    return list(first.values())


def sheet_words(item: SheetItem) -> dict[str, str]:
    """Build the cells of a question, by column."""
    question = item.question
    return {
        "id": question.id,
        "version": item.item.version,
        "question": question.text,
        "answer": question.answer,
        "aliases": SEVERAL.join(question.aliases),
        "options": SEVERAL.join(item.item.options),
        "key path": "; ".join(item.path),
        "sources": "; ".join(dict.fromkeys(step.source for step in question.key if step.source)),
    }


def deciding_words(item: SheetItem) -> dict[str, str]:
    """Build the cells of a question's deciding review, by column; empty if there is none."""
    review = item.state.deciding
    if review is None:
        return {}
    flags = {flag: SEVERAL.join(option for option, own in review.options if own == flag) for flag in FLAGS}
    words = [("verdict", review.verdict), *review.criteria, ("reason", review.reason), *flags.items()]
    return {name: word for name, word in words if word}


Items = Sequence[SheetItem]
