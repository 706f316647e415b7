"""A sample with its questions, to be printed, or looked at in a notebook."""

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from kbe_graph.brief import brief
from kbe_graph.english.names import without_names
from kbe_graph.english.wordnet import wordnet
from kbe_graph.errors import PictureError
from kbe_graph.export.jsonl import record, said_record
from kbe_graph.files.image import mime_of, publish_picture
from kbe_graph.models.images import Encoding, encode_jpeg
from kbe_graph.show.question_story import JudgedAnswer, QuestionStory, card, question_stories, reason_rules
from kbe_graph.show.terminal import WIDTH, Line, LineStyle, rendered, terminal_width
from kbe_graph.store import SampleStatus
from kbe_graph.store.funnel import NO_CONCEPT
from kbe_graph.store.nodes import StoredGuess, StoredInspection
from kbe_graph.text import fold, on_one_line
from kbe_graph.types import TWIN, Alternative, Question, Sample, Triplet

SENSES = 3  # of an answer, in a reason
_DIGEST = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{52}\b")  # of a model's call, which other lines name by 12 digits
NEXT = {"loaded": "no graph yet; run 'kbe extract'", "extracted": "not in any run yet; run 'kbe evolve'"}


@brief("sample questions")
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
        """Return the story as lines with a label.

        ``brief`` omits the wording of sources and rules, the notes on models, and the sample's own triplets.

        >>> [line.style for line in work.sample("demo/demo/107438-vehicle").lines(brief=True)][:4]
        ['sample', 'picture', 'question', 'answer']
        """
        sample, chain = self.sample, self.chain
        yield Line("sample", sample.id.replace("\n", "\\n"))
        for place in map(str, self.pictures) if self.pictures else (f"{image} (not found)" for image in sample.images):
            yield _line("picture", "picture", place.replace("\n", "\\n"))
        if sample.replaced:
            yield _line("reason", "replaced", f"the picture contradicts the benchmark's answer {sample.replaced}")
        if split := without_names(sample.answer, sample.rivals):
            yield _line("reason", "split", f"equally many people answered {', '.join(split)}")
        if not chain:
            yield _line("question", "question", sample.question)
            yield _line("answer", "", sample.answer)
        for _, stories in groupby(chain, key=lambda story: story.question.run):
            yield from _chain(list(stories), sample.answer, brief=brief)
        if self.state and all(question.kind == "raw" for question in self.questions):
            yield _state(self.state)

    def records(self) -> list[dict[str, Any]]:
        """Return the questions as exported records, with the verdicts and guesses of models, if there are any.

        These fields are ``verdicts`` of a second model, ``guesses`` without the picture, and ``alternatives``.

        >>> work.sample("demo/demo/107438-vehicle").records()[0]["kind"]
        'raw'
        """
        names = ("text", "answer", "yes", "no", "model", "call")
        records = []
        for story in self.chain:
            verdicts = [{name: getattr(verdict, name) for name in names} for verdict in story.inspections]
            said = said_record(story.guesses, story.alternatives)
            records.append(record(self.sample, story.question) | ({"verdicts": verdicts} if verdicts else {}) | said)
        return records

    def _repr_html_(self) -> str:
        notes = [line.text for line in self.lines() if line.style not in {"sample", "picture"}]
        return card("sample", self.sample.id, self.shown_pictures(), self.chain, [] if self.questions else notes)

    def shown_pictures(self, encoding: Encoding | None = None) -> list[tuple[str, str]]:
        """Return the name of each picture, and its content as the address of an image, empty if there is none.

        >>> len(work.sample(work.samples()[0].id).shown_pictures())
        1
        """
        pictures: Sequence[Path | None] = self.pictures or [None for _ in self.sample.images]
        pairs = zip(self.sample.images, pictures, strict=True)
        return [(name, picture_data(file, encoding)) for name, file in pairs]


def _state(state: SampleStatus) -> Line:
    if state.status != "dropped":
        return _line("reason", "next", NEXT[state.status])
    detail, rule = f": {state.detail}" if state.detail else "", reason_rules().get(state.reason)
    return _line("reason", "dropped", state.reason + detail + (f" ({rule})" if rule else ""))


def _chain(chain: Sequence[QuestionStory], answer: str, *, brief: bool) -> Iterator[Line]:
    for story in chain:
        question = story.question
        name = {"raw": "question", "reselected": "instead", TWIN: TWIN}.get(question.kind, f"hop {question.hop}")
        if question.text:
            also = f" (also: {', '.join(question.aliases)})" if question.aliases else ""
            yield _line("question", name, question.text)
            yield _line("answer", "", question.answer + also)
        if story.is_dropped:
            senses = _senses(answer) if question.reason == NO_CONCEPT else ""
            rule = f" ({story.rule}{senses})" if story.rule and not brief else ""
            yield _line("reason", "" if question.text else name, f"dropped: {question.reason}{rule}")
        answer = question.answer or answer
        for note in () if brief else story.notes:
            yield _line("fact", "models", note)
        for triplet in story.new if question.hop or not brief else ():
            yield _line("fact", "", _fact_text(triplet, brief=brief))
    kept = [story for story in chain if not story.is_dropped]
    if kept and kept[-1].question.hop:
        yield _line("path", "path", str(kept[-1].path))


def _senses(answer: str) -> str:
    glosses = " | ".join(synset.gloss.partition(";")[0] for synset in wordnet().synsets(fold(answer))[:SENSES])
    return f"; WordNet has {answer!r} as: {glosses}" if glosses else f"; WordNet has no noun {answer!r}"


def _fact_text(triplet: Triplet, *, brief: bool) -> str:
    reference = _DIGEST.sub(r"\1", triplet.source_ref)
    place = f", {reference}" if reference else ""
    words = f": {triplet.grounds}" if triplet.grounds and not brief else ""
    origin = triplet.source if triplet.unsourced else f"from {triplet.source}"
    return f"({triplet.subject.label}, {triplet.relation}, {triplet.object.label}) {origin}{place}{words}"


def _line(style: LineStyle, name: str, text: str) -> Line:
    return Line(style, on_one_line(text), (name,))


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
