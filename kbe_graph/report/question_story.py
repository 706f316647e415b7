"""A question as people are shown it, in a report, the explorer, a notebook or a terminal: one value for all of them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from kbe_graph.evaluate.guessers import row_of
from kbe_graph.report.key_path import KeyPath
from kbe_graph.store.nodes import StoredInspection
from kbe_graph.types import VERDICTS, Inspection, Question, Triplet, Vote


class JudgedAnswer(NamedTuple):
    """A model's answer to a question, and the verdict of a judge on it (empty: not judged)."""

    question: str
    model: str
    variant: str
    run: int
    text: str
    verdict: str
    judge: str

    def by_each_judge(self, others: Iterable[Vote]) -> list["JudgedAnswer"]:
        """Return the answer once for each judge, with the verdicts of others, by their names."""
        verdicts = sorted([(self.judge, self.verdict), *others])
        return [self._replace(judge=judge, verdict=verdict) for judge, verdict in verdicts]


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
