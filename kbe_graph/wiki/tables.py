"""The tables of WikiVQABench for any benchmark: questions and models' accuracy by class, as data frames."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.evaluate.outcomes import answers_frame, groups, one_judge, outcomes, with_rows
from kbe_graph.files.resources import sheet_cell
from kbe_graph.files.whole import replacing
from kbe_graph.show.tables import make_folder
from kbe_graph.statistics import wilson
from kbe_graph.statistics.intervals import clustered_wilson
from kbe_graph.store import Store
from kbe_graph.types import Prediction, Question, Sample
from kbe_graph.types.wiki import WikiItem, WikiStatement
from kbe_graph.wiki.answer_classes import (
    ANSWER_TYPES,
    CATEGORIES,
    FIRST_WORDS,
    answer_category,
    answer_type,
    first_word,
)

if TYPE_CHECKING:
    import pandas as pd

CLASSES: Mapping[str, Sequence[str]] = {
    "first word": FIRST_WORDS,
    "answer type": ANSWER_TYPES,
    "category": CATEGORIES,
}
"""The classifications of questions, with their classes in the paper's order; ``predicate`` has no fixed classes."""
_FIGURES = ("questions", "share", "low", "high")


class AnswerSource(NamedTuple):
    """The statement that a question was made from, and the item that is its answer, if known."""

    statement: WikiStatement | None = None
    item: WikiItem | None = None


def answer_sources(store: Store, samples: Iterable[str]) -> Mapping[str, AnswerSource]:
    """Read the statement and the answer's item of each sample that was made from statements."""
    origins = store.origins(sorted(samples))
    statements = store.statements([id_ for origin in origins.values() for id_ in origin.statements])
    items = store.items([statement.target for statement in statements.values() if statement.target])
    of_samples = {id_: statements.get(origin.statements[0]) for id_, origin in origins.items() if origin.statements}
    return {id_: AnswerSource(each, items.get(each.target)) for id_, each in of_samples.items() if each}


def wiki_tables(
    samples: Mapping[str, Sample],
    questions: Iterable[Question],
    predictions: Iterable[Prediction] = (),
    *,
    sources: Mapping[str, AnswerSource] | None = None,
    variant: str | None = None,
    judge: str | None = None,
) -> "dict[str, pd.DataFrame]":
    """Compute the tables of all questions that were not dropped, and of models' answers to them, by name.

    ``samples`` is keyed by id, ``sources`` of raw questions by sample. Answers are those of one ``variant`` by one
    ``judge``, by default the ones with most verdicts. Raises InputError for a judge without verdicts, a variant without
    judged answers, and answers to questions of several runs.
    """
    kept = {question.id: question for question in questions if question.status != "dropped"}
    classes = _classes(kept.values(), sources or {})
    tables = {name: _counts(classes, name, values) for name, values in CLASSES.items()} if kept else {}
    answers = one_judge(answers_frame(predictions, kept, samples), judge)
    judged = answers[answers["right"].notna()]
    if judged.empty:
        return tables
    variants = [str(name) for name in judged["variant"].value_counts().index]
    chosen = variant or variants[0]
    if chosen not in variants:
        raise InputError(f"no judged answer has the variant {chosen!r}; choose from {', '.join(map(repr, variants))}")
    outcome = outcomes(with_rows(judged[judged["variant"] == chosen]))
    return tables | {"accuracy": _accuracy(outcome, classes), "difficulty": _difficulty(outcome)}


def _classes(questions: Iterable[Question], sources: Mapping[str, AnswerSource]) -> "pd.DataFrame":
    import pandas as pd

    rows = []
    for question in questions:
        source = sources.get(question.sample, AnswerSource()) if question.kind == "raw" else AnswerSource()
        relation = source.statement.relation if source.statement else question.key[-1].relation if question.key else ""
        category = answer_category(question.text, question.answer, *source)
        rows.append((question.id, "all", first_word(question.text), answer_type(question.answer), category, relation))
    return pd.DataFrame(rows, columns=["question", "overall", *CLASSES, "predicate"])


def _counts(classes: "pd.DataFrame", name: str, values: Sequence[str]) -> "pd.DataFrame":
    import pandas as pd

    counts = classes[name].value_counts()
    rows = [(value, n := int(counts.get(value, 0)), n / len(classes), *wilson(n, len(classes))) for value in values]
    return pd.DataFrame(rows, columns=[name, *_FIGURES])


def _accuracy(outcome: "pd.DataFrame", classes: "pd.DataFrame") -> "pd.DataFrame":
    import pandas as pd

    rows = []
    frame = outcome.merge(classes, on="question")
    for by in ("overall", *CLASSES, "predicate"):
        for (model, name), group in groups(frame[frame[by] != ""].sort_values(["model", by]), ["model", by]):
            interval = clustered_wilson(group["right"], group["image"])
            rows.append((model, by, name, len(group), float(group["right"].mean()), *interval))
    return pd.DataFrame(rows, columns=["model", "by", "class", "questions", "accuracy", "low", "high"])


def _difficulty(outcome: "pd.DataFrame") -> "pd.DataFrame":
    """Count the questions that none, one, ... or all models fail, of those on which all were judged."""
    import pandas as pd

    models = outcome["model"].nunique()
    wrong = outcome.assign(wrong=outcome["right"] < 0.5).groupby("question")["wrong"].agg(["sum", "size"])
    counts = wrong.loc[wrong["size"] == models, "sum"].value_counts()
    rows = [(failing, int(counts.get(failing, 0))) for failing in range(models + 1)]
    return pd.DataFrame(rows, columns=["models that fail", "questions"])


def write_tables(tables: "Mapping[str, pd.DataFrame]", folder: Path) -> None:
    """Write tables as CSV files in ``folder``, with cells escaped against formula injection; raises InputError."""
    make_folder(folder)
    for name, table in tables.items():
        safe = table.map(lambda cell: sheet_cell(cell) if isinstance(cell, str) else cell)
        with replacing(folder / f"{name.replace(' ', '-')}.csv") as stream:
            stream.write(safe.to_csv(index=False, lineterminator="\n"))
