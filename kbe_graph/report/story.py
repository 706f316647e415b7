"""The story of one sample: its questions hop by hop, what is new at each, and the path that the last answer ends."""

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from pathlib import Path

from kbe_graph.report.layout import NO_BREAK, Line, Tells, wrap
from kbe_graph.store import SampleStatus
from kbe_graph.store.nodes import StoredInspection
from kbe_graph.types import VERDICTS, Inspection, Question, Sample, Triplet

WIDTH = 100
NARROW = 60
_HEAD = 11  # as wide as "  question "
_NARROW_HEAD = 4


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
    inspections: Sequence[StoredInspection] = (),
    state: SampleStatus | None = None,
    picture: Path | None = None,
    width: int = WIDTH,
    brief: bool = False,
) -> Iterator[Line]:
    """Give the lines that tell a sample: its picture, each question with its answer and what is new in it, the path.

    ``questions`` come run by run, with what a second model said of them in ``inspections``. Where there are none,
    ``state`` says why. ``brief`` leaves out the words of the sources and rules, what the second model said, and where
    the sample's own triplets come from.
    """
    yield from _lines("sample", "", sample.id.replace("\n", "\\n"), width)
    place = str(picture) if picture else f"{sample.image} (not here)"
    yield from _lines("picture", "picture", place.replace("\n", "\\n"), width)
    if not questions:
        yield from _lines("question", "question", sample.question, width)
        yield from _lines("answer", "", sample.answer, width)
    seen: set[str] = set()
    for _, chain in groupby(questions, key=lambda question: question.run):
        yield from _chain(list(chain), () if brief else inspections, seen, width, brief=brief)
    if state and all(question.kind == "raw" for question in questions):
        yield from _standing(state, width)


def _standing(state: SampleStatus, width: int) -> Iterator[Line]:
    """Tell why a sample has no question of a run."""
    if state.status == "dropped":
        yield from _lines("reason", "dropped", state.reason + _more(state.detail) + _rule(state.reason), width)
    elif state.status == "loaded":
        yield from _lines("reason", "next", "it has no graph yet; 'kbe extract' makes one", width)
    else:
        yield from _lines("reason", "next", "no run has come to it yet; 'kbe evolve' writes its questions", width)


def _more(detail: str) -> str:
    return f": {detail}" if detail else ""


def _rule(reason: str) -> str:
    """Return the rule behind a reason."""
    from kbe_graph.checks import explanations  # not needed to open a workspace

    rules = {entry.name: entry.rule for entry in explanations()}
    return f" ({rules[reason]})" if reason in rules else ""


def _chain(
    chain: Sequence[Question], inspections: Sequence[StoredInspection], seen: set[str], width: int, *, brief: bool
) -> Iterator[Line]:
    for question in chain:
        yield from _question(question, width, brief=brief)
        for inspection in inspections:
            if inspection.question == question.id:
                yield from _lines("fact", "verdicts", verdict_of(inspection), width)
        if not brief or question.hop:
            yield from _new_facts(question, seen, width, brief=brief)
        seen.update(triplet.id for triplet in question.key)
    kept = [question for question in chain if question.status != "dropped"]
    if kept and kept[-1].hop:
        steps = " ".join(step.replace(" ", NO_BREAK) for step in _steps(kept[-1].key))
        yield from _lines("path", "path", steps, width)


def _question(question: Question, width: int, *, brief: bool) -> Iterator[Line]:
    name = {"raw": "question", "reselected": "instead"}.get(question.kind, f"hop {question.hop}")
    if question.text:
        yield from _lines("question", name, question.text, width)
        also = f" (also: {', '.join(question.aliases)})" if question.aliases else ""
        yield from _lines("answer", "", question.answer + also, width)
    if question.status == "dropped":
        rule = "" if brief else _rule(question.reason)
        yield from _lines("reason", "" if question.text else name, f"dropped: {question.reason}{rule}", width)


def verdict_of(inspection: Inspection) -> str:
    """Return what a second model said of a question: yes to all, or the question that it refused, with each no."""
    if not inspection.no:
        return f"{inspection.model} says yes to all {len(VERDICTS)}"
    return f"{inspection.model} says no to {', '.join(inspection.no)}: {inspection.text} {inspection.answer}"


def _new_facts(question: Question, seen: set[str], width: int, *, brief: bool) -> Iterator[Line]:
    for triplet in question.key:
        if triplet.id not in seen:
            place = f", {triplet.source_ref}" if triplet.source_ref else ""
            words = f": {triplet.evidence}" if triplet.evidence and not brief else ""
            origin = triplet.source if triplet.unsourced else f"from {triplet.source}"
            yield from _lines("fact", "", f"{arrow(triplet)} {origin}{place}{words}", width)


def _lines(tells: Tells, name: str, text: str, width: int) -> Iterator[Line]:
    """Give a text as lines under its name, which stands at the left of the first."""
    hang = _HEAD if width >= NARROW else _NARROW_HEAD
    if tells == "sample":
        head, hang = "", 2
    elif name:
        head = f"  {name:<9}"
    else:
        head = " " * hang
    yield from (Line(tells, line) for line in wrap(text, width, head=head, hang=hang) if line)
