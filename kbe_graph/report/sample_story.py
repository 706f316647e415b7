"""A sample with its questions, for printing and for notebooks."""

import base64
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from kbe_graph.errors import PictureError
from kbe_graph.export.jsonl import record, said_record
from kbe_graph.files.pixels import mime_of, publish_picture
from kbe_graph.report.key_path import KeyPath, legend_html
from kbe_graph.report.layout import Line
from kbe_graph.report.question_story import JudgedAnswer, QuestionStory, question_stories
from kbe_graph.report.story_lines import WIDTH, sample_lines, state_lines
from kbe_graph.store import SampleStatus
from kbe_graph.store.nodes import StoredGuess, StoredInspection
from kbe_graph.types import Alternative, Question, Sample


@dataclass(frozen=True, slots=True)
class SampleStory:
    """A sample with its chain of questions (raw first), its picture files, and models' answers.

    ``state`` is the state of a sample without questions of a run. ``inspections`` are a second model's verdicts on the
    questions, ``guesses`` answers without the picture, ``alternatives`` the answers that other pictures would give, by
    question id.

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
        """The questions prepared for display, each with its new facts and models' verdicts and answers.

        >>> [story.row for story in work.sample("demo/demo/107438-vehicle").chain][0]
        'raw'
        """
        return list(question_stories(self.questions, self.inspections, self.answers, self.guesses, self.alternatives))

    def __str__(self) -> str:
        width = min(shutil.get_terminal_size((WIDTH, 24)).columns, WIDTH)
        return "\n".join(line.text for line in self.lines(width=width))

    def lines(self, *, width: int = WIDTH, brief: bool = False) -> Iterator[Line]:
        """Yield the story as lines of at most ``width`` columns; ``brief`` omits the wording of sources.

        >>> [line.style for line in work.sample("demo/demo/107438-vehicle").lines(brief=True)][:4]
        ['sample', 'picture', 'question', 'answer']
        """
        yield from sample_lines(self.sample, self.chain, self.pictures, width=width, brief=brief)
        if self.state and all(question.kind == "raw" for question in self.questions):
            yield from state_lines(self.state, width=width)

    def records(self) -> list[dict[str, Any]]:
        """Return the questions as exported records, with models' statements on them, if any.

        These are ``verdicts`` of a second model, ``guesses`` without the picture, and ``alternatives``.

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


def question_html(question: Question) -> str:
    """Render a question for a notebook: text, answer, kind, hop, id, and key path.

    >>> "IMAGE" in question_html(work.questions(run="demo", hop=1)[0])
    True
    """
    place = "" if question.hop == 0 else f" at hop {question.hop}"
    state = f", dropped: {question.reason}" if question.status == "dropped" else ""
    return (
        f"<div><p><b>{escape(question.text)}</b> {escape(question.answer)}</p>"
        f"<p>{escape(f'{question.kind}{place}{state} ({question.id})')}</p>"
        f"{KeyPath(question.key, question.hop)._repr_html_()}</div>"
    )


def sample_html(
    sample: Sample, chain: Sequence[QuestionStory], pictures: Sequence[Path], otherwise: Sequence[str] = ()
) -> str:
    """Render a sample for a notebook; without questions, the lines ``otherwise`` replace the chain."""
    if chain:
        body = f"<table>{''.join(map(_row, chain))}</table>{legend_html()}"
    else:
        body = f"<table>{''.join(f'<tr><td>{escape(line)}</td></tr>' for line in otherwise)}</table>"
    files: Sequence[Path | None] = pictures or [None for _ in sample.images]
    images = "".join(_image(name, file) for name, file in zip(sample.images, files, strict=True))
    return f"<div><p><b>{escape(sample.id)}</b></p>{images}{body}</div>"


def _image(name: str, picture: Path | None) -> str:
    try:
        content = publish_picture(picture) if picture else b""
    except PictureError:
        content = b""
    if not content:
        return f"<p>{escape(name)} (picture not found)</p>"
    source = f"data:{mime_of(content)};base64,{base64.b64encode(content).decode()}"
    return f'<img style="max-width:480px" alt="{escape(name)}" src="{source}">'


def _row(story: QuestionStory) -> str:
    question = story.question
    if story.is_dropped:
        return f"<tr><th>{story.row}</th><td colspan=3>dropped: {escape(question.reason)}</td></tr>"
    cells = (escape(question.text), escape(question.answer), story.path._repr_html_())
    return f"<tr><th>{story.row}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
