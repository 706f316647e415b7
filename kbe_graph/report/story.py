"""The story of one sample: its questions hop by hop, each with the path its answer follows from."""

from collections.abc import Iterator, Sequence

from kbe_graph.types import Question, Sample, Triplet


def arrow(triplet: Triplet) -> str:
    """Return a triplet as text: (SUBJECT, relation, OBJECT)."""
    return f"({triplet.subject.label}, {triplet.relation}, {triplet.object.label})"


def path_of(key: Sequence[Triplet]) -> str:
    """Return a key path as one line: IMAGE -[depicts]-> DOG -[family]-> CANIDAE; a break in the path starts anew."""
    parts: list[str] = []
    for before, triplet in zip((None, *key), key, strict=False):
        if before is None or before.object.key != triplet.subject.key:
            parts.append(("; " if parts else "") + triplet.subject.label)
        parts.append(f" -[{triplet.relation}]-> {triplet.object.label}")
    return "".join(parts)


def story(sample: Sample, questions: Sequence[Question]) -> Iterator[str]:
    """Return the lines that tell a sample: its image, then each question with answer, path, and sources."""
    yield f"{sample.id}  image {sample.image}"
    for question in questions:
        yield from _lines(question)


def _lines(question: Question) -> Iterator[str]:
    name = f"hop {question.hop} ({question.kind}" + (")" if question.kind == "raw" else f", run {question.run})")
    if question.status == "dropped":
        yield f"  {name}: dropped, {question.reason}"
        return
    yield f"  {name}: {question.text}"
    also = f"  (also: {', '.join(question.aliases)})" if question.aliases else ""
    yield f"    answer: {question.answer}{also}"
    yield f"    path: {path_of(question.key)}"
    for triplet in question.key:
        place = f", {triplet.source_ref}" if triplet.source_ref else ""
        words = f": {triplet.evidence}" if triplet.evidence else ""
        yield f"      {arrow(triplet)} from {triplet.source}{place}{words}"
