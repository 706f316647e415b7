"""Other forms of the questions of a run, by rule or by a model, kept in the graph."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from kbe_graph.facts.pack import pack
from kbe_graph.forms.asked_parts import ask_parts, judge_forms
from kbe_graph.forms.form_case import FormCase
from kbe_graph.forms.form_maker import FormParts, MadeForms, cases_of, count_forms, make_forms
from kbe_graph.graph_access import GraphAccess, with_raw
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.session import ModelSession
from kbe_graph.types import Form, Question, QuestionForm, Sample

STEPS: Mapping[Form, tuple[str, ...]] = {
    "choice": ("choices", "other_right"),
    "several": ("also_right", "choices", "other_right"),
    "fill": ("statement",),
    "true-false": ("statement", "choices", "other_right"),
}
"""The steps of the method that a form asks a model for."""


def make_run_forms(
    access: GraphAccess,
    form: Form,
    run: str | None,
    pairs: Iterable[tuple[Sample, Question]],
    *,
    session: ModelSession | None = None,
    replace: bool = False,
    saves: bool = True,
) -> MadeForms:
    """Give the questions of a run a form, and save it unless ``saves`` is off; those there stay without ``replace``."""
    pairs = list(pairs)
    with access.reporter as reporter:
        present = {} if replace else {each.question: each for each in access.forms(run, form)}
        graphs = access.store.graphs(sorted({question.sample for _, question in pairs}))
        alternatives = access.store.alternatives([question.id for _, question in pairs])
        cases = cases_of(pairs, graphs, pack(), alternatives)
        if session is None:
            made = make_forms(form, cases, present, progress=reporter)
        else:
            made = _ask_forms(session, form, cases, present)
    for name in with_raw(run) if replace else ():
        access.store.forget_forms(run=name, form=form)
    if saves:
        access.store.save_forms([made.forms[id_] for id_ in made.forms.keys() - present.keys()])
    return made


def _ask_forms(
    session: ModelSession, form: Form, cases: Sequence[FormCase], present: Mapping[str, QuestionForm]
) -> MadeForms:
    made: list[MadeForms] = []
    waiting = [case for case in cases if case.question.id not in present]

    async def work_on(asker: Asker) -> None:
        asked = await ask_parts(asker, form, waiting)
        parts = FormParts(asked.sound, asked.statement, asked.right_names)
        first = make_forms(form, cases, present, parts=parts, progress=session.reporter)
        fresh = {id_: asked.signed(first.forms[id_]) for id_ in first.forms.keys() - present.keys()}
        refused = await judge_forms(asker, waiting, fresh, asked)
        passed = {id_: fresh[id_] for id_ in fresh.keys() - refused.keys()}
        reasons = Counter(first.refused) + Counter(refused.values())
        made.append(count_forms(form, cases, {**present, **passed}, reasons))

    session.do(work_on, *STEPS[form])
    return made[0] if made else count_forms(form, cases, present, {})
