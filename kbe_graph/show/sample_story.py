"""A sample with its questions, to be printed, or looked at in a notebook."""

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kbe_graph.errors import PictureError
from kbe_graph.export.jsonl import record, said_record
from kbe_graph.files.pixels import mime_of, publish_picture
from kbe_graph.models.images import Encoding, encode_jpeg
from kbe_graph.show.question_story import JudgedAnswer, QuestionStory, card, question_stories
from kbe_graph.show.story_lines import sample_lines, state_lines
from kbe_graph.show.terminal import WIDTH, Line, rendered, terminal_width
from kbe_graph.store import SampleStatus
from kbe_graph.store.nodes import StoredGuess, StoredInspection
from kbe_graph.types import Alternative, Question, Sample


@dataclass(frozen=True, slots=True)
class SampleStory:
    """A sample with its chain of questions (its own first), its picture files, and the answers of models.

    ``state`` is the state of a sample that has no questions in a run. ``inspections`` are the verdicts of a second
    model on the questions, ``guesses`` the answers without the picture, and ``alternatives`` the other things that the
    wording allows, all by question id.

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
        """The questions as people see them, each with its new facts and everything that models said and answered.

        >>> [story.row for story in work.sample("demo/demo/107438-vehicle").chain][0]
        'raw'
        """
        return list(question_stories(self.questions, self.inspections, self.answers, self.guesses, self.alternatives))

    def __str__(self) -> str:
        return rendered(self.lines(), width=min(terminal_width(), WIDTH))

    def lines(self, *, brief: bool = False) -> Iterator[Line]:
        """Return the story as lines with a label. ``brief`` leaves out the words of the sources.

        >>> [line.style for line in work.sample("demo/demo/107438-vehicle").lines(brief=True)][:4]
        ['sample', 'picture', 'question', 'answer']
        """
        yield from sample_lines(self.sample, self.chain, self.pictures, brief=brief)
        if self.state and all(question.kind == "raw" for question in self.questions):
            yield from state_lines(self.state)

    def records(self) -> list[dict[str, Any]]:
        """Return the questions as exported records, with the verdicts and guesses of models, if there are any.

        These fields are ``verdicts`` of a second model, ``guesses`` without the picture, and ``alternatives``.

        >>> work.sample("demo/demo/107438-vehicle").records()[0]["kind"]
        'raw'
        """
        return [
            record(self.sample, story.question) | _verdicts(story) | said_record(story.guesses, story.alternatives)
            for story in self.chain
        ]

    def _repr_html_(self) -> str:
        notes = (
            [] if self.questions else [line.text for line in self.lines() if line.style not in {"sample", "picture"}]
        )
        pictures: Sequence[Path | None] = self.pictures or [None for _ in self.sample.images]
        shown = [(name, picture_data(file)) for name, file in zip(self.sample.images, pictures, strict=True)]
        return card("sample", self.sample.id, shown, self.chain, notes)


def _verdicts(story: QuestionStory) -> dict[str, Any]:
    names = ("text", "answer", "yes", "no", "model", "call")
    verdicts = [{name: getattr(inspection, name) for name in names} for inspection in story.inspections]
    return {"verdicts": verdicts} if verdicts else {}


def question_html(question: Question) -> str:
    """Return a question as a notebook shows it: text, answer, kind, hop and key path.

    >>> "IMAGE" in question_html(work.questions(run="demo", hop=1)[0])
    True
    """
    return card("question", next(question_stories([question])))


def picture_data(picture: Path | None, encoding: Encoding | None = None) -> str:
    """Return a picture as the address of an image; empty if there is none or it cannot be read."""
    try:
        if picture is None:
            return ""
        content = encode_jpeg(picture, encoding) if encoding else publish_picture(picture)
    except PictureError:
        return ""
    return f"data:{mime_of(content)};base64,{base64.b64encode(content).decode()}"
