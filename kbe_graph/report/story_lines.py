"""Samples and concepts as lines of text, wrapped to the width of a terminal."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from kbe_graph.english.same_thing import without_names
from kbe_graph.facts.walk import EntityFacts
from kbe_graph.report.layout import NO_BREAK, Line, LineStyle, wrap
from kbe_graph.report.question_story import QuestionStory, rule_of
from kbe_graph.store import SampleStatus
from kbe_graph.types import Fact, Sample, Triplet

WIDTH = 100
NARROW = 60
_HEAD = 11  # as wide as "  question "
_NARROW_HEAD = 4
_DIGEST = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{52}\b")  # of a model's call, which other lines name by 12 digits


def sample_lines(
    sample: Sample, chain: Sequence[QuestionStory], pictures: Sequence[Path], *, width: int, brief: bool
) -> Iterator[Line]:
    """Yield the lines of a sample: pictures, each question with its answer and new facts, and the key path.

    Questions are grouped by run. ``brief`` omits the wording of sources and rules, models' verdicts and guesses, and
    the sources of the sample's own triplets.
    """
    yield from _labelled_lines("sample", "", sample.id.replace("\n", "\\n"), width)
    for place in map(str, pictures) if pictures else (f"{image} (not found)" for image in sample.images):
        yield from _labelled_lines("picture", "picture", place.replace("\n", "\\n"), width)
    if sample.replaced:
        text = f"the picture contradicts the benchmark's answer {sample.replaced}"
        yield from _labelled_lines("reason", "replaced", text, width)
    if split := without_names(sample.answer, sample.rivals):
        yield from _labelled_lines("reason", "split", f"equally many people answered {', '.join(split)}", width)
    if not chain:
        yield from _labelled_lines("question", "question", sample.question, width)
        yield from _labelled_lines("answer", "", sample.answer, width)
    for _, stories in groupby(chain, key=lambda story: story.question.run):
        yield from _chain(list(stories), width, brief=brief)


def state_lines(state: SampleStatus, *, width: int) -> Iterator[Line]:
    """Yield the reason why a sample has no question of a run, and the next command."""
    if state.status == "dropped":
        detail = f": {state.detail}" if state.detail else ""
        yield from _labelled_lines(
            "reason", "dropped", state.reason + detail + _in_brackets(rule_of(state.reason)), width
        )
    elif state.status == "loaded":
        yield from _labelled_lines("reason", "next", "no graph yet; run 'kbe extract'", width)
    else:
        yield from _labelled_lines("reason", "next", "not in any run yet; run 'kbe evolve'", width)


def _in_brackets(rule: str) -> str:
    return f" ({rule})" if rule else ""


def _chain(chain: Sequence[QuestionStory], width: int, *, brief: bool) -> Iterator[Line]:
    for story in chain:
        yield from _question(story, width, brief=brief)
        for verdict in () if brief else story.verdicts:
            yield from _labelled_lines("fact", "verdicts", verdict, width)
        for line in () if brief else story.guess_lines:
            yield from _labelled_lines("fact", "guesses", line, width)
        for line in () if brief else story.alternative_lines:
            yield from _labelled_lines("fact", "others", line, width)
        for triplet in story.new if story.question.hop or not brief else ():
            yield from _labelled_lines("fact", "", _fact_text(triplet, brief=brief), width)
    kept = [story for story in chain if not story.is_dropped]
    if kept and kept[-1].question.hop:
        steps = " ".join(step.replace(" ", NO_BREAK) for step in kept[-1].path.steps())
        yield from _labelled_lines("path", "path", steps, width)


def _question(story: QuestionStory, width: int, *, brief: bool) -> Iterator[Line]:
    question = story.question
    name = {"raw": "question", "reselected": "instead"}.get(question.kind, f"hop {question.hop}")
    if question.text:
        yield from _labelled_lines("question", name, question.text, width)
        also = f" (also: {', '.join(question.aliases)})" if question.aliases else ""
        yield from _labelled_lines("answer", "", question.answer + also, width)
    if story.is_dropped:
        rule = "" if brief else _in_brackets(story.rule)
        yield from _labelled_lines("reason", "" if question.text else name, f"dropped: {question.reason}{rule}", width)


def _fact_text(triplet: Triplet, *, brief: bool) -> str:
    reference = _DIGEST.sub(r"\1", triplet.source_ref)
    place = f", {reference}" if reference else ""
    words = f": {triplet.evidence}" if triplet.evidence and not brief else ""
    origin = triplet.source if triplet.unsourced else f"from {triplet.source}"
    return f"({triplet.subject.label}, {triplet.relation}, {triplet.object.label}) {origin}{place}{words}"


def _labelled_lines(style: LineStyle, name: str, text: str, width: int) -> Iterator[Line]:
    """Yield a text as lines, with its name to the left of the first."""
    hang = _HEAD if width >= NARROW else _NARROW_HEAD
    if style == "sample":
        head, hang = "", 2
    elif name:
        head = f"  {name:<9}"
    else:
        head = " " * hang
    yield from (Line(style, line) for line in wrap(text, width, head=head, hang=hang) if line)


def concept_lines(concept: EntityFacts, *, width: int) -> Iterator[Line]:
    """Yield the lines of a concept: its names, and its facts with their sources."""
    yield from _indented("sample", f"{concept.label} ({concept.concept})", width, 0)
    if concept.aliases:
        yield from _indented("text", f"also: {', '.join(concept.aliases)}", width, 2)
    for fact in concept.facts:
        yield from _concept_fact(fact, concept.concept, width)
    yield Line("text", "")


def _concept_fact(fact: Fact, concept: str, width: int) -> Iterator[Line]:
    of = "" if fact.subject_id == concept else f" (from its kind, {fact.subject})"
    yield from _indented("question", f"{fact.relation}: {fact.object}{of}", width, 2)
    if fact.evidence:
        yield from _indented("text", fact.evidence, width, 4)
    version = f"{fact.source} {fact.source_version}".rstrip()
    date = f" of {fact.source_date}" if fact.source_date else ", undated"
    review = "not reviewed" if fact.review == "auto" else fact.review
    place = ", ".join(filter(None, (version + date, fact.source_ref, review)))
    yield from _indented("fact", place, width, 4)


def _indented(style: LineStyle, text: str, width: int, indent: int) -> Iterator[Line]:
    yield from (Line(style, line) for line in wrap(text, width, head=" " * indent, hang=indent + 2))
