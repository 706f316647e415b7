"""Samples and concepts as lines of text, each with its label."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from kbe_graph.english.same_thing import without_names
from kbe_graph.facts.walk import EntityFacts
from kbe_graph.show.question_story import QuestionStory, rule_of
from kbe_graph.show.terminal import Line, LineStyle
from kbe_graph.store import SampleStatus
from kbe_graph.text import on_one_line
from kbe_graph.types import Fact, Sample, Triplet

_DIGEST = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{52}\b")  # of a model's call, which other lines name by 12 digits


def sample_lines(
    sample: Sample, chain: Sequence[QuestionStory], pictures: Sequence[Path], *, brief: bool
) -> Iterator[Line]:
    """Yield the lines of a sample: pictures, each question with its answer and new facts, and the key path.

    Questions are grouped by run. ``brief`` omits the wording of sources and rules, models' verdicts and guesses, and
    the sources of the sample's own triplets.
    """
    yield Line("sample", sample.id.replace("\n", "\\n"))
    for place in map(str, pictures) if pictures else (f"{image} (not found)" for image in sample.images):
        yield _line("picture", "picture", place.replace("\n", "\\n"))
    if sample.replaced:
        text = f"the picture contradicts the benchmark's answer {sample.replaced}"
        yield _line("reason", "replaced", text)
    if split := without_names(sample.answer, sample.rivals):
        yield _line("reason", "split", f"equally many people answered {', '.join(split)}")
    if not chain:
        yield _line("question", "question", sample.question)
        yield _line("answer", "", sample.answer)
    for _, stories in groupby(chain, key=lambda story: story.question.run):
        yield from _chain(list(stories), brief=brief)


def state_lines(state: SampleStatus) -> Iterator[Line]:
    """Yield the reason why a sample has no question of a run, and the next command."""
    if state.status == "dropped":
        detail = f": {state.detail}" if state.detail else ""
        yield _line("reason", "dropped", state.reason + detail + _in_brackets(rule_of(state.reason)))
    elif state.status == "loaded":
        yield _line("reason", "next", "no graph yet; run 'kbe extract'")
    else:
        yield _line("reason", "next", "not in any run yet; run 'kbe evolve'")


def _in_brackets(rule: str) -> str:
    return f" ({rule})" if rule else ""


def _chain(chain: Sequence[QuestionStory], *, brief: bool) -> Iterator[Line]:
    for story in chain:
        yield from _question(story, brief=brief)
        for verdict in () if brief else story.verdicts:
            yield _line("fact", "verdicts", verdict)
        for line in () if brief else story.guess_lines:
            yield _line("fact", "guesses", line)
        for line in () if brief else story.alternative_lines:
            yield _line("fact", "others", line)
        for triplet in story.new if story.question.hop or not brief else ():
            yield _line("fact", "", _fact_text(triplet, brief=brief))
    kept = [story for story in chain if not story.is_dropped]
    if kept and kept[-1].question.hop:
        yield _line("path", "path", str(kept[-1].path))


def _question(story: QuestionStory, *, brief: bool) -> Iterator[Line]:
    question = story.question
    name = {"raw": "question", "reselected": "instead"}.get(question.kind, f"hop {question.hop}")
    if question.text:
        yield _line("question", name, question.text)
        also = f" (also: {', '.join(question.aliases)})" if question.aliases else ""
        yield _line("answer", "", question.answer + also)
    if story.is_dropped:
        rule = "" if brief else _in_brackets(story.rule)
        yield _line("reason", "" if question.text else name, f"dropped: {question.reason}{rule}")


def _fact_text(triplet: Triplet, *, brief: bool) -> str:
    reference = _DIGEST.sub(r"\1", triplet.source_ref)
    place = f", {reference}" if reference else ""
    words = f": {triplet.evidence}" if triplet.evidence and not brief else ""
    origin = triplet.source if triplet.unsourced else f"from {triplet.source}"
    return f"({triplet.subject.label}, {triplet.relation}, {triplet.object.label}) {origin}{place}{words}"


def _line(style: LineStyle, name: str, text: str) -> Line:
    return Line(style, on_one_line(text), (name,))


def concept_lines(concept: EntityFacts) -> Iterator[Line]:
    """Yield the lines of a concept: its names, and its facts with their sources."""
    yield Line("sample", f"{concept.label} ({concept.concept})")
    if concept.aliases:
        yield Line("text", f"also: {', '.join(concept.aliases)}", ("",))
    for fact in concept.facts:
        yield from _concept_fact(fact, concept.concept)
    yield Line("text", "")


def _concept_fact(fact: Fact, concept: str) -> Iterator[Line]:
    of = "" if fact.subject_id == concept else f" (from its kind, {fact.subject})"
    yield Line("question", f"{fact.relation}: {fact.object}{of}", ("",))
    if fact.evidence:
        yield Line("text", fact.evidence, ("",))
    version = f"{fact.source} {fact.source_version}".rstrip()
    date = f" of {fact.source_date}" if fact.source_date else ", undated"
    review = "not reviewed" if fact.review == "auto" else fact.review
    place = ", ".join(filter(None, (version + date, fact.source_ref, review)))
    yield Line("fact", place, ("",))
