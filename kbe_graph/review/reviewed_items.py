"""The questions under review, read from the graph with their options and versions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from kbe_graph.extract.sample_graph import raw_question
from kbe_graph.review.state import QuestionState, ReviewedItem, made_question, reviewed_item
from kbe_graph.store import Store
from kbe_graph.text import fold
from kbe_graph.types import RAW, Question, Sample


def read_items(
    store: Store, *, run: str | None = None, benchmark: str | None = None, samples: Sequence[str] | None = None
) -> list[ReviewedItem]:
    """Read a run's questions, or the raw ones if no run is given, with reviewers' versions, sorted by id.

    ``benchmark`` and ``samples`` (ids) restrict them. Raises InputError for a benchmark that was not loaded.
    """
    name = run or RAW
    questions = [
        question
        for status in ("kept", "revised")
        for question in store.questions(run=name, status=status, samples=samples)
    ]
    owners = {sample.id: sample for sample in store.samples(benchmark=benchmark, ids=samples)}
    if benchmark is not None and not owners:
        raise store.no_benchmark(benchmark)
    if run is None:
        questions = _with_loaded(questions, owners)
    own = [question for question in questions if question.sample in owners]
    options = read_options(store, own, owners)
    items = (reviewed_item(question, options.get(question.id, ())) for question in own)
    return sorted(items, key=lambda item: item.question.id)


def _with_loaded(questions: Sequence[Question], samples: Mapping[str, Sample]) -> list[Question]:
    asked = {question.sample for question in questions if question.status == "kept"}
    return [*questions, *(raw_question(sample) for id_, sample in samples.items() if id_ not in asked)]


def read_options(
    store: Store, questions: Iterable[Question], samples: Mapping[str, Sample]
) -> dict[str, tuple[str, ...]]:
    """Read the options of questions by id: those of their multiple-choice form, or else the benchmark's for raw ones.

    Options that do not include the answer are left out.
    """
    asked = list(questions)
    options = {question.id: samples[question.sample].choices for question in asked if question.kind == "raw"}
    options |= {form.question: form.options for form in store.forms_of([each.id for each in asked], form="choice")}
    return {each.id: _about(each.answer, options.get(each.id, ())) for each in asked}


def _about(answer: str, options: tuple[str, ...]) -> tuple[str, ...]:
    return options if fold(answer) in map(fold, options) else ()


def row_name(question: Question) -> str:
    """Return the row in which a question is counted: raw, re-selected or its hop."""
    return {"raw": "raw", "reselected": "re-selected"}.get(question.kind, f"hop {question.hop}")


def replaced_by(states: Mapping[str, QuestionState]) -> dict[str, str]:
    """Map each question whose state is revised to its new version, by id."""
    deciding = {id_: state.deciding for id_, state in states.items() if state.state == "revised"}
    made = {id_: made_question(review) for id_, review in deciding.items() if review}
    return {id_: new for id_, new in made.items() if new in states}


def current_items(items: Iterable[ReviewedItem], states: Mapping[str, QuestionState]) -> list[ReviewedItem]:
    """Select the current version of each question; versions that were undone are left out."""
    by_id = {item.question.id: item for item in items}
    replaced = replaced_by(states)
    current = []
    for item in by_id.values():
        if item.question.status == "revised":
            continue
        last = item.question.id
        while last in replaced and replaced[last] in by_id:
            last = replaced[last]
        current.append(by_id[last])
    return current


def as_given_out(question: Question, first: Question, versions: Mapping[str, Question]) -> Question:
    """Prepare a question for export: a new version replaces the first one, also as the parent of others.

    ``versions`` are the last versions of questions, by the id of the first.
    """
    parent = versions[first.parent].id if first.parent in versions else first.parent
    return replace(question, status="kept" if question.status == "revised" else question.status, parent=parent)
