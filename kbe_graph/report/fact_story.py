"""What is known of a concept, to be read by people: each fact, the words that say it, and where they stand."""

from collections.abc import Iterator

from kbe_graph.facts.walk import EntityFacts
from kbe_graph.report.layout import Line, Tells, wrap
from kbe_graph.types import Fact


def concept_story(concept: EntityFacts, *, width: int) -> Iterator[Line]:
    """Give the lines that tell a concept: its names, and its facts with their sources."""
    yield from _lines("sample", f"{concept.label} ({concept.concept})", width, 0)
    if concept.aliases:
        yield from _lines("text", f"also: {', '.join(concept.aliases)}", width, 2)
    for fact in concept.facts:
        yield from _fact(fact, concept.concept, width)
    yield Line("text", "")


def _fact(fact: Fact, concept: str, width: int) -> Iterator[Line]:
    of = "" if fact.subject_id == concept else f" (said of its kind {fact.subject})"
    yield from _lines("question", f"{fact.relation}: {fact.object}{of}", width, 2)
    if fact.evidence:
        yield from _lines("text", fact.evidence, width, 4)
    version = f"{fact.source} {fact.source_version}".rstrip()
    date = f" of {fact.source_date}" if fact.source_date else ", undated"
    review = "not reviewed" if fact.review == "auto" else fact.review
    place = ", ".join(filter(None, (version + date, fact.source_ref, review)))
    yield from _lines("fact", place, width, 4)


def _lines(tells: Tells, text: str, width: int, indent: int) -> Iterator[Line]:
    yield from (Line(tells, line) for line in wrap(text, width, head=" " * indent, hang=indent + 2))
