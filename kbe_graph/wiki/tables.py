"""The tables and figures of WikiVQABench, for any benchmark of multiple-choice or open questions."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from kbe_graph.evaluate.guess import OPTION_GUESSERS, guess_options, popularity
from kbe_graph.evaluate.outcomes import answers_frame
from kbe_graph.show.tables import Cell, FlatTable, cell_text, plain_tables
from kbe_graph.statistics.shares import wilson
from kbe_graph.text import fold
from kbe_graph.types import Prediction, Question, QuestionForm, Sample
from kbe_graph.types.wiki import SampleOrigin, WikiItem, WikiStatement
from kbe_graph.wiki.answer_classes import (
    ANSWER_TYPES,
    CATEGORIES,
    CATEGORY_SOURCES,
    FIRST_WORDS,
    AnswerCategory,
    answer_type,
)
from kbe_graph.wiki.answer_figures import NO_ANSWERS, SPLITS, AnswerFigures, ClassAccuracy, answer_figures
from kbe_graph.wiki.question_classes import QuestionClass, choice_forms, classify, statement_source

SHOWN = 20  # maximum rows of a table in Markdown
INTERVALS = "accuracy"  # name of the table of intervals, with one row per model and class
_PREDICATES = ("property", "predicate", "statements", "items", "kept", "items of those kept")
_SHARE = ("share", "low", "high")


class StepCount(NamedTuple):
    """The number kept at a step from pictures to questions, out of those that reached it, and the others by reason."""

    step: str
    kept: int
    of: int
    reasons: Mapping[str, int] = MappingProxyType({})


class PredicateCount(NamedTuple):
    """A property of a corpus, as counted by the query ``predicate_frequency``.

    The fields are its id and label, the number of its statements and of the items that have them, and the same for
    statements that no filter refuses.
    """

    property_id: str
    relation: str
    statements: int
    support: int
    kept: int | None = None
    kept_support: int | None = None


class ObjectCount(NamedTuple):
    """A value of statements in a corpus, as counted by the query ``object_frequency``.

    The fields are its id and label, and the number of statements with it: all, and those that no filter refuses.
    """

    id: str
    label: str
    statements: int
    kept: int | None = None


@dataclass(frozen=True, slots=True)
class CorpusFigures:
    """The origins of samples and the counts of their corpus, as far as known.

    ``statements`` are those named by ``origins``; ``items`` those that may be answers. ``steps`` holds the number kept
    at each step from pictures to questions; ``predicates`` and ``objects`` count the corpus.
    """

    origins: Sequence[SampleOrigin] = ()
    statements: Sequence[WikiStatement] = ()
    items: Sequence[WikiItem] = ()
    steps: Sequence[StepCount] = ()
    predicates: Sequence[PredicateCount] = ()
    objects: Sequence[ObjectCount] = ()


NO_CORPUS = CorpusFigures()


@dataclass(frozen=True, slots=True)
class WikiTables:
    """The non-empty tables of a benchmark; ``answers`` holds the figures of models' answers.

    >>> tables = work.wiki.tables("demo")
    >>> [table.name for table in tables.tables]
    ['first-words', 'answer-types', 'categories']
    """

    tables: tuple[FlatTable, ...]
    answers: AnswerFigures = NO_ANSWERS

    def as_mapping(self) -> dict[str, Any]:
        """Return all tables as plain values for JSON: a list of rows by name, with the judge and the variant."""
        return {"judge": self.answers.judge, "variant": self.answers.variant, **plain_tables(self.tables)}

    def markdown(self) -> str:
        """Return the tables as Markdown, long ones cut, without the table of intervals by class."""
        return "\n".join(_markdown(table) for table in self.tables if table.name != INTERVALS)


def wiki_tables(
    samples: Mapping[str, Sample],
    questions: Iterable[Question],
    predictions: Iterable[Prediction] = (),
    *,
    corpus: CorpusFigures = NO_CORPUS,
    forms: Iterable[QuestionForm] = (),
    variant: str | None = None,
    judge: str | None = None,
) -> WikiTables:
    """Compute the tables of all questions that were not dropped, and of models' answers to them.

    ``samples`` is keyed by id; ``forms`` are questions with options in addition to those of the samples. Answers are
    those of one ``variant`` by one ``judge``, by default the ones with most verdicts. Raises InputError for a judge
    without verdicts, a variant without judged answers, and answers to questions of several runs.
    """
    kept = [question for question in questions if question.status != "dropped"]
    classes = classify(kept, statement_source(corpus.origins, corpus.statements, corpus.items))
    by_id = {form.id: form for form in (*choice_forms(kept, samples), *forms) if form.options}
    choices = tuple(by_id.values())
    answers = answers_frame(predictions, {question.id: question for question in kept}, samples)
    figures = answer_figures(answers, classes, variant=variant, judge=judge)
    tables = (
        _first_words(classes),
        _answer_types(classes, choices),
        _categories(classes),
        *_answer_tables(figures),
        _guesses(choices, corpus.objects),
        _steps(corpus.steps),
        FlatTable("predicates", "Predicates", _PREDICATES, corpus.predicates),
        FlatTable("objects", "Objects", ("id", "object", "statements", "kept"), corpus.objects),
    )
    return WikiTables(tuple(table for table in tables if table.rows), figures)


def _share_of(count: int, whole: int) -> tuple[Cell, ...]:
    low, high = wilson(count, whole)
    return (round(count / whole, 6), round(low, 6), round(high, 6)) if whole else (None, None, None)


def _first_words(classes: Sequence[QuestionClass]) -> FlatTable:
    counts = Counter(each.first_word for each in classes)
    rows = [(word, counts[word], *_share_of(counts[word], len(classes))) for word in FIRST_WORDS if classes]
    return FlatTable("first-words", "Questions by their first word", ("first word", "questions", *_SHARE), rows)


def _answer_types(classes: Sequence[QuestionClass], choices: Iterable[QuestionForm]) -> FlatTable:
    answers = Counter(each.answer_type for each in classes)
    options = Counter(answer_type(option) for form in choices for option in form.options)
    rows = [
        (name, answers[name], *_share_of(answers[name], len(classes)), options[name], _part(options[name], options))
        for name in ANSWER_TYPES
        if classes
    ]
    columns = ("answer type", "answers", *_SHARE, "options", "share of options")
    return FlatTable("answer-types", "Types of answers, and of all options", columns, rows)


def _part(count: int, counts: Counter[Any]) -> Cell:
    return round(count / counts.total(), 6) if counts else None


def _categories(classes: Sequence[QuestionClass]) -> FlatTable:
    counts = Counter(each.category for each in classes)
    rows = []
    for name in CATEGORIES if classes else ():
        sources = [counts[AnswerCategory(name, source)] for source in CATEGORY_SOURCES]
        rows.append((name, sum(sources), *_share_of(sum(sources), len(classes)), *sources))
    columns = ("category", "answers", *_SHARE, "by statement", "by words", "not known")
    return FlatTable("categories", "Categories of the answers", columns, rows)


def _answer_tables(figures: AnswerFigures) -> Iterator[FlatTable]:
    share = ("questions", "accuracy", "low", "high")
    overall = [(row.model, *_rounded(row[3:])) for row in figures.accuracy if row.by == SPLITS[0]]
    yield FlatTable("models", "Accuracy of the models", ("model", *share), overall)
    split = [row for row in figures.accuracy if row.by != SPLITS[0]]
    for by in SPLITS[1:]:
        yield _accuracy_by(by, [row for row in split if row.by == by])
    rows = [(*row[:3], *_rounded(row[3:])) for row in split]
    yield FlatTable(INTERVALS, "Accuracy by class, with intervals", ("model", "by", "class", *share), rows)
    columns = ("row", "models that fail", "questions")
    yield FlatTable("difficulty", "Number of models that fail a question", columns, figures.difficulty)
    heads = ("row", "models", "questions", "mean", "failed by none", "failed by all")
    yield FlatTable("mean-difficulty", "Mean difficulty", heads, [_rounded(row) for row in figures.means])


def _accuracy_by(by: str, rows: Sequence[ClassAccuracy]) -> FlatTable:
    models = tuple(dict.fromkeys(row.model for row in rows))
    shares = {(row.name, row.model): round(row.accuracy, 6) for row in rows}
    questions: dict[str, int] = {}
    for row in rows:
        questions[row.name] = max(row.questions, questions.get(row.name, 0))
    cells = [(name, count, *(shares.get((name, model)) for model in models)) for name, count in questions.items()]
    return FlatTable(f"accuracy-by-{by.replace(' ', '-')}", f"Accuracy by {by}", (by, "questions", *models), cells)


def _steps(steps: Iterable[StepCount]) -> FlatTable:
    rows = [
        (each.step, each.of, each.kept, *_share_of(each.kept, each.of), _reasons_text(each.reasons)) for each in steps
    ]
    return FlatTable("steps", "Kept at each step", ("step", "of", "kept", *_SHARE, "the others"), rows)


def _reasons_text(reasons: Mapping[str, int]) -> str:
    return "; ".join(f"{name} {count}" for name, count in sorted(reasons.items(), key=lambda pair: -pair[1]))


def _rounded(cells: Iterable[Any]) -> tuple[Cell, ...]:
    return tuple(round(cell, 6) if isinstance(cell, float) else cell for cell in cells)


def _guesses(choices: Iterable[QuestionForm], objects: Iterable[ObjectCount]) -> FlatTable:
    counts = {fold(each.label): each.statements for each in objects}
    guessers = {**OPTION_GUESSERS, **({"popular": popularity(counts)} if counts else {})}
    rows: list[tuple[Cell, ...]] = []
    for row in guess_options(choices, guessers):
        place = (row.form, row.maker)
        rows.append((*place, "chance", row.chance, None, None, row.questions))
        rows += [
            (*place, name, figure.share, figure.low, figure.high, figure.questions)
            for name, figure in row.guessers.items()
        ]
    columns = ("form", "made by", "guessed by", *_SHARE, "questions")
    return FlatTable("guesses", "Guessed at the options alone", columns, rows)


def _markdown(table: FlatTable) -> str:
    lines = [table.columns, ["---"] * len(table.columns), *table.rows[:SHOWN]]
    more = len(table.rows) - SHOWN
    end = f"\n{more} more rows.\n" if more > 0 else ""
    return f"## {table.title}\n\n{''.join(map(_markdown_row, lines))}{end}"


def _markdown_row(cells: Sequence[Cell]) -> str:
    texts = (" ".join(cell_text(cell).split()).replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(texts)} |\n"
