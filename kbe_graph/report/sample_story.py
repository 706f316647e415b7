"""A sample with its questions, to be looked at: as text, or with its picture in a notebook."""

import base64
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from kbe_graph.errors import PictureError
from kbe_graph.export.jsonl import record
from kbe_graph.files.image import read_picture
from kbe_graph.report.key_path import KeyPath, legend_html
from kbe_graph.report.layout import Line
from kbe_graph.report.story import WIDTH, story
from kbe_graph.store import SampleStatus
from kbe_graph.store.nodes import StoredInspection
from kbe_graph.types import Question, Sample

_KINDS = {".png": "png", ".gif": "gif", ".bmp": "bmp", ".webp": "webp"}


@dataclass(frozen=True, slots=True)
class SampleStory:
    """A sample, its chain of questions (its own first), and the file of its picture where there is one.

    ``state`` says where a sample stands that has no question of a run, and why; ``inspections`` what a second model
    said of the questions.

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

    def __str__(self) -> str:
        width = min(shutil.get_terminal_size((WIDTH, 24)).columns, WIDTH)
        return "\n".join(line.text for line in self.lines(width=width))

    def lines(self, *, width: int = WIDTH, brief: bool = False) -> Iterator[Line]:
        """Give the lines that tell the sample, at most ``width`` columns wide; ``brief`` leaves the sources' words out.

        >>> [line.tells for line in work.sample("demo/demo/107438-vehicle").lines(brief=True)][:4]
        ['sample', 'picture', 'question', 'answer']
        """
        return story(
            self.sample,
            self.questions,
            inspections=self.inspections,
            state=self.state,
            picture=self.picture,
            width=width,
            brief=brief,
        )

    def records(self) -> list[dict[str, Any]]:
        """Return the questions as an export writes them, with the ``verdicts`` of a second model where one was asked.

        >>> work.sample("demo/demo/107438-vehicle").records()[0]["kind"]
        'raw'
        """
        return [record(self.sample, question) | self._verdicts(question) for question in self.questions]

    def _verdicts(self, question: Question) -> dict[str, Any]:
        names = ("text", "answer", "yes", "no", "model", "call")
        verdicts = [
            {name: getattr(inspection, name) for name in names}
            for inspection in self.inspections
            if inspection.question == question.id
        ]
        return {"verdicts": verdicts} if verdicts else {}

    def _repr_html_(self) -> str:
        rows = "".join(_row(question) for question in self.questions)
        body = f"<table>{rows}</table>{legend_html()}" if rows else f"<table>{self._standing()}</table>"
        return f"<div><p><b>{escape(self.sample.id)}</b></p>{''.join(self._image())}{body}</div>"

    def _standing(self) -> str:
        lines = [line.text.strip() for line in self.lines() if line.tells not in {"sample", "picture"}]
        return "".join(f"<tr><td>{escape(line)}</td></tr>" for line in lines)

    def _image(self) -> Iterator[str]:
        try:
            content = read_picture(self.picture) if self.picture else b""
        except PictureError:
            content = b""
        if not (self.picture and content):
            yield f"<p>{escape(self.sample.image)} (no such picture here)</p>"
            return
        kind = _KINDS.get(self.picture.suffix.lower(), "jpeg")
        source = f"data:image/{kind};base64,{base64.b64encode(content).decode()}"
        yield f'<img style="max-width:480px" alt="{escape(self.sample.image)}" src="{source}">'


def _row(question: Question) -> str:
    name = question.kind if question.hop == 0 else f"hop {question.hop}"
    if question.status == "dropped":
        return f"<tr><th>{name}</th><td colspan=3>dropped: {escape(question.reason)}</td></tr>"
    cells = (escape(question.text), escape(question.answer), KeyPath(question.key, question.hop)._repr_html_())
    return f"<tr><th>{name}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
