"""Gives the questions of a workspace other forms, and keeps them in the graph beside the questions."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from kbe_graph.export.selection import select
from kbe_graph.forms.form_case import FormCase
from kbe_graph.forms.form_maker import MadeForms, cases_of, make_forms
from kbe_graph.types import FORMS, RAW, Form, QuestionForm, Variant
from kbe_graph.workspace.choosing import choose_run

if TYPE_CHECKING:
    from kbe_graph.store import Store
    from kbe_graph.workspace.graph_access import GraphAccess
    from kbe_graph.workspace.model_options import ModelOptions


FormsById = Mapping[str, QuestionForm]


def form_cases(work: "GraphAccess", run: str | None) -> list[FormCase]:
    """Return the raw questions and those kept of a run, with what is known of them."""
    from kbe_graph.workspace.packs import open_pack

    with work.reporter.waiting("reading the questions"):
        selection = select(work.store, run=run)
        graphs = work.store.graphs(sorted({question.sample for question in selection.questions}))
        return cases_of(selection, graphs, open_pack(None))


def stored_forms(store: "Store", run: str | None, form: Form | None = None) -> list[QuestionForm]:
    """Return the raw questions and those of a run in their other forms, or in one."""
    return [stored for name in _names(run) for stored in store.forms(run=name, form=form)]


def forms_by_id(store: "Store", run: str | None, variants: Iterable[Variant]) -> dict[str, QuestionForm]:
    """Return the forms of the raw questions and those of a run, by their ids; none where no variant is a form."""
    if not {*FORMS}.intersection(variants):
        return {}
    return {stored.id: stored for stored in stored_forms(store, run)}


def find_forms(work: "GraphAccess", form: Form, run: str | None) -> tuple[FormsById, FormsById]:
    """Return the forms of the raw questions and those of a run that are there, and with them those that can be made.

    Both are by question id; nothing is written.
    """
    present = {stored.question: stored for stored in stored_forms(work.store, run, form)}
    cases = form_cases(work, run)
    with work.reporter as reporter:
        return present, make_forms(form, cases, present, progress=reporter).forms


def make_run_forms(
    work: "GraphAccess",
    form: Form,
    run: str | None,
    *,
    model: "ModelOptions | str | None",
    replace: bool,
    incomplete: bool,
) -> MadeForms:
    """Give the raw questions and those of a run a form, save it, and return what came of it."""
    name = choose_run(work.folder, work.store, run, incomplete=incomplete)
    cases = form_cases(work, name)
    present = {} if replace else {stored.question: stored for stored in stored_forms(work.store, name, form)}
    with work.reporter as reporter:
        if model is None:
            made = make_forms(form, cases, present, progress=reporter)
        else:
            from kbe_graph.workspace.asking_forms import ask_forms

            made = ask_forms(work, model, form, cases, present, reporter)
    if replace:
        for each in _names(name):
            work.store.forget_forms(run=each, form=form)
    work.store.save_forms([question_form for id_, question_form in made.forms.items() if id_ not in present])
    return made


def _names(run: str | None) -> tuple[str, ...]:
    return (RAW,) if run is None else (RAW, run)
