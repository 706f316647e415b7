"""The story of a sample and of its questions: one value for the page, the explorer, the notebook and the terminal."""

import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, NamedTuple

from kbe_graph.evaluate.guessers import row_of
from kbe_graph.export.jsonl import record
from kbe_graph.report.key_path import KeyPath
from kbe_graph.report.layout import Line
from kbe_graph.report.story_html import sample_html
from kbe_graph.report.story_lines import WIDTH, sample_lines, state_lines
from kbe_graph.store import SampleStatus
from kbe_graph.store.nodes import StoredInspection
from kbe_graph.types import VERDICTS, Inspection, Question, Sample, Triplet


class JudgedAnswer(NamedTuple):
    """A model's answer to a question, and the verdict of a judge on it (empty: not judged)."""

    question: str
    model: str
    variant: str
    run: int
    text: str
    verdict: str
    judge: str


@dataclass(frozen=True, slots=True)
class QuestionStory:
    """A question of a chain, with the facts and words that it adds, a second model's verdicts, and models' answers.

    ``new`` are the triplets of its key that no earlier question of the chain has; ``before`` is the text of the
    question before it.
    """

    question: Question
    new: tuple[Triplet, ...] = ()
    before: str = ""
    inspections: tuple[StoredInspection, ...] = ()
    answers: tuple[JudgedAnswer, ...] = ()

    @property
    def row(self) -> str:
        """The row of figures that it counts in: raw, re-selected, or its hop."""
        return row_of(self.question.kind, self.question.hop)

    @property
    def is_dropped(self) -> bool:
        """Whether a filter dropped it."""
        return self.question.status == "dropped"

    @property
    def rule(self) -> str:
        """The rule that it was dropped by, in words."""
        return rule_of(self.question.reason)

    @property
    def path(self) -> KeyPath:
        """The key path that its answer follows from."""
        return KeyPath(self.question.key, self.question.hop)

    @property
    def verdicts(self) -> list[str]:
        """The verdicts of a second model, a line each."""
        return list(map(verdict_text, self.inspections))

    @property
    def words(self) -> list[tuple[str, bool]]:
        """The pieces of its text, each with whether the question before lacks it."""
        return new_words(self.before, self.question.text)


def question_stories(
    questions: Sequence[Question], inspections: Iterable[StoredInspection] = (), answers: Iterable[JudgedAnswer] = ()
) -> Iterator[QuestionStory]:
    """Give the stories of a chain's questions, in the order of the chain."""
    inspected, answered = defaultdict(list), defaultdict(list)
    for inspection in inspections:
        inspected[inspection.question].append(inspection)
    for answer in answers:
        answered[answer.question].append(answer)
    seen: set[str] = set()
    before = ""
    for question in questions:
        new = tuple(triplet for triplet in question.key if triplet.id not in seen)
        yield QuestionStory(question, new, before, tuple(inspected[question.id]), tuple(answered[question.id]))
        seen.update(triplet.id for triplet in question.key)
        before = question.text or before


def rule_of(reason: str) -> str:
    """Return the rule behind a reason, empty for a reason without one."""
    from kbe_graph.checks import explanations  # slow to import, and most stories need none

    return next((entry.rule for entry in explanations() if entry.name == reason), "")


def verdict_text(inspection: Inspection) -> str:
    """Return a second model's verdict as a line: yes to all, or the refused question with each no."""
    if not inspection.no:
        return f"{inspection.model} says yes to all {len(VERDICTS)}"
    return f"{inspection.model} says no to {', '.join(inspection.no)}: {inspection.text} {inspection.answer}"


def new_words(before: str, text: str) -> list[tuple[str, bool]]:
    """Return the pieces of a text, each with whether the text before lacks it; a first text has no new ones.

    >>> new_words("What is it?", "What colour is it?")
    [('What', False), ('colour', True), ('is it?', False)]
    """
    old, new = before.split(), text.split()
    if not old:
        return [(text, False)]
    bare = [[word.strip("?.,") for word in words] for words in (old, new)]
    matcher = SequenceMatcher(None, bare[0], bare[1], autojunk=False)
    return [
        (" ".join(new[start:end]), tag != "equal") for tag, _, _, start, end in matcher.get_opcodes() if end > start
    ]


@dataclass(frozen=True, slots=True)
class SampleStory:
    """A sample, its chain of questions (its own first), its picture's file if there is one, and models' answers.

    ``state`` is the state of a sample without questions of a run; ``inspections`` are a second model's verdicts on the
    questions.

    >>> print(work.sample("demo/demo/107438-vehicle"))  # doctest: +ELLIPSIS
    demo/demo/107438-vehicle
      picture  ...
      question ...
    """

    sample: Sample
    questions: tuple[Question, ...]
    picture: Path | None = None
    state: SampleStatus | None = None
    inspections: tuple[StoredInspection, ...] = ()
    answers: tuple[JudgedAnswer, ...] = ()

    @property
    def chain(self) -> list[QuestionStory]:
        """The questions as people are shown them, each with its new facts, verdicts and answers.

        >>> [story.row for story in work.sample("demo/demo/107438-vehicle").chain][0]
        'raw'
        """
        return list(question_stories(self.questions, self.inspections, self.answers))

    def __str__(self) -> str:
        width = min(shutil.get_terminal_size((WIDTH, 24)).columns, WIDTH)
        return "\n".join(line.text for line in self.lines(width=width))

    def lines(self, *, width: int = WIDTH, brief: bool = False) -> Iterator[Line]:
        """Give the story as lines of at most ``width`` columns; ``brief`` leaves out the sources' words.

        >>> [line.style for line in work.sample("demo/demo/107438-vehicle").lines(brief=True)][:4]
        ['sample', 'picture', 'question', 'answer']
        """
        yield from sample_lines(self.sample, self.chain, self.picture, width=width, brief=brief)
        if self.state and all(question.kind == "raw" for question in self.questions):
            yield from state_lines(self.state, width=width)

    def records(self) -> list[dict[str, Any]]:
        """Return the questions as exported records, with the ``verdicts`` of a second model if there are any.

        >>> work.sample("demo/demo/107438-vehicle").records()[0]["kind"]
        'raw'
        """
        return [record(self.sample, story.question) | _verdicts(story) for story in self.chain]

    def _repr_html_(self) -> str:
        lines = () if self.questions else self.lines()
        otherwise = [line.text.strip() for line in lines if line.style not in {"sample", "picture"}]
        return sample_html(self.sample, self.chain, self.picture, otherwise)


def _verdicts(story: QuestionStory) -> dict[str, Any]:
    names = ("text", "answer", "yes", "no", "model", "call")
    verdicts = [{name: getattr(inspection, name) for name in names} for inspection in story.inspections]
    return {"verdicts": verdicts} if verdicts else {}
