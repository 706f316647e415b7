"""Questions in other forms than open, as the graph keeps them: a node beside the question."""

from collections.abc import Sequence
from functools import partial

from kbe_graph.store.connection import Connection, Transaction
from kbe_graph.store.row_check import FORM, check_row, refuse_row
from kbe_graph.store.rows import Row
from kbe_graph.types import FORMS, QuestionForm

BATCH = 500


def save_forms(connection: Connection, forms: Sequence[QuestionForm]) -> None:
    """Save forms in batches; one that is there is replaced."""
    for start in range(0, len(forms), BATCH):
        connection.write(partial(_save, forms=forms[start : start + BATCH]))


def _save(transaction: Transaction, forms: Sequence[QuestionForm]) -> None:
    transaction.save("save_forms", [*map(_row, forms)])
    transaction.save("save_form_of", [{"subject": form.id, "object": form.question} for form in forms])


def read_forms(connection: Connection, *, run: str, form: str | None = None) -> list[QuestionForm]:
    """Return the questions of a run in other forms, or in one, by id."""
    rows = connection.read("forms", run=run, form=form)
    return sorted((_form(row["question"], row["form"]) for row in rows), key=lambda form: form.id)


def _row(form: QuestionForm) -> Row:
    texts = {name: getattr(form, name) for name in ("form", "text", "maker")}
    lists = {name: list(getattr(form, name)) for name in ("options", "answers", "facts")}
    return {"id": form.id, "properties": texts | lists}


def _form(question: str, row: Row) -> QuestionForm:
    check_row("form", row, FORM)
    if row["form"] not in FORMS:
        refuse_row("form", row["id"], "form", row["form"])
    options, answers, facts = (tuple(row.get(name) or ()) for name in ("options", "answers", "facts"))
    return QuestionForm(question, row["form"], row["text"], options, answers, row["maker"], facts)
