"""Question classes by which figures are split, from the words and from the source statements."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kbe_graph.text import fold
from kbe_graph.types import Question, QuestionForm, Sample
from kbe_graph.types.wiki import SampleOrigin, WikiItem, WikiStatement
from kbe_graph.wiki.answer_classes import (
    AnswerCategory,
    AnswerType,
    FirstWord,
    answer_category,
    answer_type,
    first_word,
)

WIKIDATA = "wd:"  # prefix of a concept id that is an item


class QuestionClass(NamedTuple):
    """The classes of a question; ``predicate`` is the relation behind its answer, empty if unknown."""

    question: str
    first_word: FirstWord
    answer_type: AnswerType
    category: AnswerCategory
    predicate: str


@dataclass(frozen=True, slots=True)
class StatementSource:
    """The source statements by sample id, and the items by their id."""

    statements: Mapping[str, Sequence[WikiStatement]] = field(default_factory=dict)
    items: Mapping[str, WikiItem] = field(default_factory=dict)

    def statement_of(self, question: Question) -> WikiStatement | None:
        """Return the statement behind a raw question: the one whose value is the answer, otherwise the last."""
        statements = self.statements.get(question.sample, ()) if question.kind == "raw" else ()
        names = {fold(name) for name in (question.answer, *question.aliases)}
        named = [statement for statement in statements if fold(statement.text) in names]
        return next(iter((*named, *reversed(statements))), None)

    def item_of(self, question: Question, statement: WikiStatement | None) -> WikiItem | None:
        """Return the item that is the answer, if known."""
        target = statement.target if statement else ""
        return self.items.get(target or question.concept.removeprefix(WIKIDATA))


def statement_source(
    origins: Iterable[SampleOrigin], statements: Iterable[WikiStatement], items: Iterable[WikiItem]
) -> StatementSource:
    """Index the statements by sample, and the items by id."""
    by_id = {statement.id: statement for statement in statements}
    of_samples = {origin.sample: [by_id[id_] for id_ in origin.statements if id_ in by_id] for origin in origins}
    return StatementSource(of_samples, {item.id: item for item in items})


def classify(questions: Iterable[Question], source: StatementSource) -> list[QuestionClass]:
    """Classify each question."""
    return [_class_of(question, source) for question in questions]


def _class_of(question: Question, source: StatementSource) -> QuestionClass:
    statement = source.statement_of(question)
    item = source.item_of(question, statement)
    return QuestionClass(
        question.id,
        first_word(question.text),
        answer_type(question.answer),
        answer_category(question.text, question.answer, statement, item),
        (statement.relation or statement.property_id) if statement else _last_relation(question),
    )


def _last_relation(question: Question) -> str:
    return question.key[-1].relation if question.key else ""


def choice_forms(questions: Iterable[Question], samples: Mapping[str, Sample]) -> list[QuestionForm]:
    """Build choice forms of the raw questions from the options of their samples."""
    return [
        QuestionForm(question.id, "choice", question.text, sample.choices, (right,), "benchmark")
        for question in questions
        if question.kind == "raw"
        and (right := (sample := samples[question.sample]).choice_of(question.answer)) in sample.choices
    ]
