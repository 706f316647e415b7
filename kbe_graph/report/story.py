"""The story of one sample: its questions hop by hop, what is new at each, and the path that the last answer ends."""

import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from pathlib import Path
from typing import Literal, NamedTuple

from kbe_graph.types import Question, Sample, Triplet

WIDTH = 100
_HEAD = "           "  # as wide as "  question "
_NO_BREAK = "\N{NO-BREAK SPACE}"


class Line(NamedTuple):
    """A line of a story, and what it tells, so that a terminal can set it off."""

    tells: Literal["sample", "picture", "question", "answer", "fact", "path"]
    text: str


def arrow(triplet: Triplet) -> str:
    """Return a triplet as text: (SUBJECT, relation, OBJECT)."""
    return f"({triplet.subject.label}, {triplet.relation}, {triplet.object.label})"


def path_of(key: Sequence[Triplet]) -> str:
    """Return a key path as one line: IMAGE -[depicts]-> DOG -[family]-> CANIDAE; a break in the path starts anew."""
    return " ".join(_steps(key))


def _steps(key: Sequence[Triplet]) -> list[str]:
    """Return the steps of a path, each with the entity it leads to; where the path breaks off, one ends in ";"."""
    steps = [key[0].subject.label] if key else []
    for before, triplet in pairwise((None, *key)):
        if before and triplet and before.object.key != triplet.subject.key:
            steps[-1] += ";"
            steps.append(triplet.subject.label)
        if triplet:
            steps.append(f"-[{triplet.relation}]-> {triplet.object.label}")
    return steps


def story(
    sample: Sample,
    questions: Sequence[Question],
    *,
    picture: Path | None = None,
    width: int = WIDTH,
    brief: bool = False,
) -> Iterator[Line]:
    """Give the lines that tell a sample: its picture, each question with its answer and what is new in it, the path.

    ``questions`` come run by run. Lines are at most ``width`` columns wide, save where a word is longer. ``brief``
    leaves out the words of the sources, and where the sample's own triplets come from.
    """
    yield Line("sample", sample.id)
    yield Line("picture", f"  picture  {picture or f'{sample.image} (not here)'}")
    seen: set[str] = set()
    for _, chain in groupby(questions, key=lambda question: question.run):
        yield from _chain(list(chain), seen, width, brief=brief)


def _chain(chain: Sequence[Question], seen: set[str], width: int, *, brief: bool) -> Iterator[Line]:
    for question in chain:
        yield from _question(question, width)
        if not brief or question.hop:
            yield from _new_facts(question, seen, width, brief=brief)
        seen.update(triplet.id for triplet in question.key)
    kept = [question for question in chain if question.status != "dropped"]
    if kept and kept[-1].hop:
        steps = " ".join(step.replace(" ", _NO_BREAK) for step in _steps(kept[-1].key))
        yield from _wrapped("path", "  path     ", steps, width)


def _question(question: Question, width: int) -> Iterator[Line]:
    name = {"raw": "question", "reselected": "instead"}.get(question.kind, f"hop {question.hop}")
    head = f"  {name:<9}"
    if question.status == "dropped":
        yield from _wrapped("question", head, f"dropped: {question.reason}", width)
        return
    yield from _wrapped("question", head, question.text, width)
    also = f" (also: {', '.join(question.aliases)})" if question.aliases else ""
    yield from _wrapped("answer", _HEAD, question.answer + also, width)


def _new_facts(question: Question, seen: set[str], width: int, *, brief: bool) -> Iterator[Line]:
    for triplet in question.key:
        if triplet.id not in seen:
            place = f", {triplet.source_ref}" if triplet.source_ref else ""
            words = f": {triplet.evidence}" if triplet.evidence and not brief else ""
            yield from _wrapped("fact", _HEAD, f"{arrow(triplet)} from {triplet.source}{place}{words}", width)


def _wrapped(tells: str, head: str, text: str, width: int) -> Iterator[Line]:
    for line in textwrap.wrap(
        text, width, initial_indent=head, subsequent_indent=_HEAD, break_long_words=False, break_on_hyphens=False
    ):
        yield Line(tells, line.replace(_NO_BREAK, " "))  # type: ignore[arg-type]
