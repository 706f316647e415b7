"""Samples and questions as a notebook shows them: with the picture, and key paths drawn."""

import base64
from collections.abc import Sequence
from html import escape
from pathlib import Path

from kbe_graph.errors import PictureError
from kbe_graph.files.pixels import mime_of, publish_picture
from kbe_graph.report.key_path import KeyPath, legend_html
from kbe_graph.report.question_story import QuestionStory
from kbe_graph.types import Question, Sample


def question_html(question: Question) -> str:
    """Return a question as a notebook shows it: text, answer, kind, hop and id, and its key path.

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
    """Return a sample as a notebook shows it; the lines ``otherwise`` stand in place of a chain without questions."""
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
        return f"<p>{escape(name)} (no such picture here)</p>"
    source = f"data:{mime_of(content)};base64,{base64.b64encode(content).decode()}"
    return f'<img style="max-width:480px" alt="{escape(name)}" src="{source}">'


def _row(story: QuestionStory) -> str:
    question = story.question
    name = question.kind if question.hop == 0 else f"hop {question.hop}"
    if story.is_dropped:
        return f"<tr><th>{name}</th><td colspan=3>dropped: {escape(question.reason)}</td></tr>"
    cells = (escape(question.text), escape(question.answer), story.path._repr_html_())
    return f"<tr><th>{name}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
