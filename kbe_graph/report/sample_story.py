"""A sample with its questions, to be printed, or looked at in a notebook."""

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kbe_graph.export.jsonl import record, said_record
from kbe_graph.report.layout import Line
from kbe_graph.report.question_story import JudgedAnswer, QuestionStory, question_stories
from kbe_graph.report.story_html import sample_html
from kbe_graph.report.story_lines import WIDTH, sample_lines, state_lines
from kbe_graph.store import SampleStatus
from kbe_graph.store.nodes import StoredGuess, StoredInspection
from kbe_graph.types import Alternative, Question, Sample


@dataclass(frozen=True, slots=True)
class SampleStory:
    """A sample, its chain of questions (its own first), the files of its pictures, and models' answers.

    ``state`` is the state of a sample without questions of a run; ``inspections`` are a second model's verdicts on the
    questions, ``guesses`` answers to them without the picture, ``alternatives`` other things that their words allow, by
    id.

    >>> print(work.sample("demo/demo/107438-vehicle"))  # doctest: +ELLIPSIS
    demo/demo/107438-vehicle
      picture  ...
      question ...
    """

    sample: Sample
    questions: tuple[Question, ...]
    pictures: tuple[Path, ...] = ()
    state: SampleStatus | None = None
    inspections: tuple[StoredInspection, ...] = ()
    answers: tuple[JudgedAnswer, ...] = ()
    guesses: tuple[StoredGuess, ...] = ()
    alternatives: Mapping[str, tuple[Alternative, ...]] = field(default_factory=dict)

    @property
    def chain(self) -> list[QuestionStory]:
        """The questions as people are shown them, each with its new facts and all that models said and answered.

        >>> [story.row for story in work.sample("demo/demo/107438-vehicle").chain][0]
        'raw'
        """
        return list(question_stories(self.questions, self.inspections, self.answers, self.guesses, self.alternatives))

    def __str__(self) -> str:
        width = min(shutil.get_terminal_size((WIDTH, 24)).columns, WIDTH)
        return "\n".join(line.text for line in self.lines(width=width))

    def lines(self, *, width: int = WIDTH, brief: bool = False) -> Iterator[Line]:
        """Give the story as lines of at most ``width`` columns; ``brief`` leaves out the sources' words.

        >>> [line.style for line in work.sample("demo/demo/107438-vehicle").lines(brief=True)][:4]
        ['sample', 'picture', 'question', 'answer']
        """
        yield from sample_lines(self.sample, self.chain, self.pictures, width=width, brief=brief)
        if self.state and all(question.kind == "raw" for question in self.questions):
            yield from state_lines(self.state, width=width)

    def records(self) -> list[dict[str, Any]]:
        """Return the questions as exported records, with models' verdicts and guesses, if there are any.

        That are ``verdicts`` of a second model, ``guesses`` without the picture, and ``alternatives``.

        >>> work.sample("demo/demo/107438-vehicle").records()[0]["kind"]
        'raw'
        """
        return [
            record(self.sample, story.question) | _verdicts(story) | said_record(story.guesses, story.alternatives)
            for story in self.chain
        ]

    def _repr_html_(self) -> str:
        lines = () if self.questions else self.lines()
        otherwise = [line.text.strip() for line in lines if line.style not in {"sample", "picture"}]
        return sample_html(self.sample, self.chain, self.pictures, otherwise)


def _verdicts(story: QuestionStory) -> dict[str, Any]:
    names = ("text", "answer", "yes", "no", "model", "call")
    verdicts = [{name: getattr(inspection, name) for name in names} for inspection in story.inspections]
    return {"verdicts": verdicts} if verdicts else {}
