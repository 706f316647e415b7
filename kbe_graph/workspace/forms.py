"""Gives the questions of a workspace other forms, by rule or by a model, and keeps them in the graph."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from kbe_graph.graph_access import GraphAccess, with_raw
from kbe_graph.types import FORMS, Form, QuestionForm, Variant
from kbe_graph.workspace.model_options import ModelOptions, open_model_session

if TYPE_CHECKING:
    from kbe_graph.forms.form_case import FormCase
    from kbe_graph.forms.form_maker import MadeForms
    from kbe_graph.progress import Reporter
    from kbe_graph.steps.asker import Asker
    from kbe_graph.store import Store

STEPS: Mapping[Form, tuple[str, ...]] = {
    "choice": ("choices", "other_right"),
    "several": ("also_right", "choices", "other_right"),
    "fill": ("statement",),
    "true-false": ("statement", "choices", "other_right"),
}
"""The steps of the method that a form asks a model for."""
FormsById = Mapping[str, QuestionForm]


def form_cases(access: GraphAccess, run: str | None) -> "list[FormCase]":
    """Read the raw questions and those kept of a run, with the facts about them."""
    from kbe_graph.export.selection import select
    from kbe_graph.forms.form_maker import cases_of
    from kbe_graph.workspace.packs import open_pack

    with access.reporter.waiting("reading the questions"):
        selection = select(access.store, run=run)
        graphs = access.store.graphs(sorted({question.sample for question in selection.questions}))
        alternatives = access.store.alternatives([question.id for question in selection.questions])
        return cases_of(selection, graphs, open_pack(None), alternatives)


def stored_forms(store: "Store", run: str | None, form: Form | None = None) -> list[QuestionForm]:
    """Read the raw questions and those of a run in their other forms, or in one."""
    return [stored for name in with_raw(run) for stored in store.forms(run=name, form=form)]


def forms_by_id(store: "Store", run: str | None, variants: Iterable[Variant]) -> dict[str, QuestionForm]:
    """Read the forms of the raw questions and those of a run, by their ids; none where no variant is a form."""
    if not {*FORMS}.intersection(variants):
        return {}
    return {stored.id: stored for stored in stored_forms(store, run)}


def find_forms(access: GraphAccess, form: Form, run: str | None) -> tuple[FormsById, FormsById]:
    """Find the stored forms of the raw questions and those of a run, and these with the ones that can be made.

    Both are by question id; nothing is written.
    """
    from kbe_graph.forms.form_maker import make_forms

    present = {stored.question: stored for stored in stored_forms(access.store, run, form)}
    cases = form_cases(access, run)
    with access.reporter as reporter:
        return present, make_forms(form, cases, present, progress=reporter).forms


def make_run_forms(
    access: GraphAccess, form: Form, run: str | None, *, model: ModelOptions | str | None, replace: bool
) -> "MadeForms":
    """Give the raw questions and those of a run a form, and save it."""
    from kbe_graph.forms.form_maker import make_forms

    cases = form_cases(access, run)
    present = {} if replace else {stored.question: stored for stored in stored_forms(access.store, run, form)}
    with access.reporter as reporter:
        if model is None:
            made = make_forms(form, cases, present, progress=reporter)
        else:
            made = _ask_forms(access, model, form, cases, present, reporter)
    if replace:
        for each in with_raw(run):
            access.store.forget_forms(run=each, form=form)
    access.store.save_forms([question_form for id_, question_form in made.forms.items() if id_ not in present])
    return made


def _ask_forms(
    access: GraphAccess,
    model: ModelOptions | str,
    form: Form,
    cases: "Sequence[FormCase]",
    present: FormsById,
    reporter: "Reporter",
) -> "MadeForms":
    from kbe_graph.forms.asked_parts import ask_parts, judge_forms
    from kbe_graph.forms.form_maker import FormParts, MadeForms, count_forms, make_forms
    from kbe_graph.steps.choices import ModelChoices

    made: list[MadeForms] = []
    waiting = [case for case in cases if case.question.id not in present]

    async def work_on(asker: "Asker") -> None:
        model_choices = ModelChoices(asker)
        asked = await ask_parts(model_choices, form, waiting)
        parts = FormParts(asked.sound, asked.statement, asked.right_names)
        first = make_forms(form, cases, present, parts=parts, progress=reporter)
        fresh = {id_: asked.signed(first.forms[id_]) for id_ in first.forms.keys() - present.keys()}
        refused = await judge_forms(model_choices, waiting, fresh, asked)
        passed = {id_: fresh[id_] for id_ in fresh.keys() - refused.keys()}
        reasons = Counter(first.refused) + Counter(refused.values())
        made.append(count_forms(form, cases, {**present, **passed}, reasons))

    with open_model_session(model, access) as session:
        session.do(work_on, *STEPS[form])
    return made[0] if made else count_forms(form, cases, present, {})
