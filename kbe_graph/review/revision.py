"""Reviewers' revisions: a new version of a question, which names the old one and must pass the text checks."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from kbe_graph.checks.question_text import Clumsy, Flaw, WordedInstruction, WordedLeak
from kbe_graph.english.noun import is_noun
from kbe_graph.errors import InputError
from kbe_graph.review.state import ReviewedItem, first_version, reviewed_item
from kbe_graph.text import fold
from kbe_graph.types import (
    IMAGE,
    Candidate,
    Entity,
    Fact,
    Provenance,
    Question,
    QuestionForm,
    Sample,
    SampleGraph,
    Triplet,
)

CHECKS = (WordedInstruction(), WordedLeak(), Flaw(), Clumsy())
LEAST_OPTIONS = 2
MOST_TEXT = 10_000  # characters of a field
_TEXTS, _LISTS = ("text", "answer"), ("aliases", "options")
MOST_VERSIONS = 10**9  # numbers, enough for versions of two workspaces not to collide


Revision = Mapping[str, Any]
"""The fields of a question that a reviewer rewrote: text and answer, and lists of aliases and options."""


def _fields_of(item: ReviewedItem, revision: Revision) -> dict[str, Any]:
    question = item.question
    for name, value in revision.items():
        if name not in (*_TEXTS, *_LISTS) or isinstance(value, str) != (name in _TEXTS):
            raise InputError(f"cannot revise {name!r} to {value!r}; give texts as text and answer, and lists as others")
    text, answer = (_plain(revision.get(name, getattr(question, name))) for name in _TEXTS)
    aliases = _unique(revision.get("aliases", question.aliases))
    options = _unique(revision["options"] if "options" in revision else _with_answer(item, answer))
    if not text or not answer:
        raise InputError(f"{question.id!r} needs a text and an answer; write both, or reject it")
    if any(len(each) > MOST_TEXT for each in (text, answer, *aliases, *options)):
        raise InputError(f"a field of {question.id!r} has over {MOST_TEXT:,} characters; shorten it")
    if options and (len(options) < LEAST_OPTIONS or fold(answer) not in map(fold, options)):
        raise InputError(f"{question.id!r} needs at least two options, including {answer!r}")
    if (text, answer, aliases, options) == (question.text, question.answer, question.aliases, item.options):
        raise InputError(f"the revision of {question.id!r} changes nothing; change it, or approve the question")
    return {"text": text, "answer": answer, "aliases": aliases, "options": options}


def new_version(item: ReviewedItem, revision: Revision, *, reviewer: str) -> ReviewedItem:
    """Build the new version of a question, with an id derived from its content and reviewer; raises InputError."""
    fields = _fields_of(item, revision)
    content = json.dumps([item.question.id, item.version, reviewer, *fields.values()])
    number = int.from_bytes(hashlib.sha256(content.encode()).digest()[:8], "big") % MOST_VERSIONS
    parent, options = item.question, fields.pop("options")
    made = replace(
        parent,
        id=f"{first_version(parent.id)}.{number}",
        parent=parent.id,
        provenance=Provenance(f"{reviewer} (review)"),
        status="revised",
        reason="",
        **fields,
    )
    same = fold(made.answer) in map(fold, (parent.answer, *parent.aliases))
    return reviewed_item(made if same or not made.key else _with_new_end(made, parent.end), options)


def _plain(text: str) -> str:
    return " ".join(text.split())


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, map(_plain, names))))


def _with_answer(item: ReviewedItem, answer: str) -> tuple[str, ...]:
    return tuple(answer if fold(option) == fold(item.question.answer) else option for option in item.options)


def _with_new_end(made: Question, end: Entity) -> Question:
    name = made.answer.upper() if end.name.isupper() else made.answer
    node = Entity(name, noun=is_noun(made.text, made.answer).keep)
    ends = ((node if each == end else each for each in (step.subject, step.object)) for step in made.key)
    *before, last = (
        replace(step, subject=first, object=second) for step, (first, second) in zip(made.key, ends, strict=True)
    )
    last = replace(last, source=made.provenance.maker, source_ref="", evidence="")
    return replace(made, concept="", key=(*before, last))


def question_fields(item: ReviewedItem, **more: object) -> str:
    """Encode the fields that a reviewer can revise, and ``more``, as JSON."""
    question = item.question
    fields: dict[str, object] = {
        "text": question.text,
        "answer": question.answer,
        "aliases": list(question.aliases),
        "options": list(item.options),
    }
    return json.dumps(fields | more, ensure_ascii=False)


def revised_form(made: ReviewedItem) -> QuestionForm | None:
    """Build the new version as a multiple-choice question; None if it has no options."""
    question, options = made.question, made.options
    right = tuple(option for option in options if fold(option) == fold(question.answer))
    maker = question.provenance.maker
    return QuestionForm(question.id, "choice", question.text, options, right, maker) if options else None


def refusals(made: Question, sample: Sample, graph: SampleGraph | None, before: Question | None) -> list[str]:
    """Run the text checks on a new wording and return the refusals in words, empty if it passes.

    ``before`` is the question of the previous hop, None if there is none.
    """
    candidate = _candidate(made, sample, graph, before)
    decisions = [decision for check in CHECKS if not (decision := check.decide(candidate)).keep]
    return [f"{each.reason}: {each.detail}" if each.detail else each.reason for each in decisions]


def _candidate(made: Question, sample: Sample, graph: SampleGraph | None, before: Question | None) -> Candidate:
    last = made.key[-1] if made.key else Triplet(IMAGE, "depicts", Entity(made.answer or "THING"))
    subject = last.subject.name if before is None else before.answer
    source = last.source or "review"
    fact = Fact(last.subject.concept, subject, last.relation, last.object.concept, made.answer, source)
    earlier = replace(
        made,
        text="" if before is None else before.text,
        answer="" if before is None else before.answer,
        aliases=() if before is None else before.aliases,
        key=made.key[:-1],
        hop=max(0, made.hop - 1),
    )
    own = sample if before is not None else replace(sample, question="")
    return Candidate(own, graph or SampleGraph(sample.id, (last,), (), (last,)), earlier, fact, made.text)
