"""Has a model give what another form of questions needs, and judge whether its options are right or wrong as said."""

from collections import Counter
from collections.abc import Mapping, Sequence

from kbe_graph.forms.asked_parts import ask_parts, judge_forms
from kbe_graph.forms.form_case import FormCase
from kbe_graph.forms.form_maker import FormParts, MadeForms, count_forms, make_forms
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.choices import ModelChoices
from kbe_graph.types import Form, QuestionForm
from kbe_graph.workspace.asking import do_work
from kbe_graph.workspace.graph_access import GraphAccess
from kbe_graph.workspace.model_options import ModelOptions, model_options, open_model_session
from kbe_graph.workspace.progress import Reporter

STEPS: Mapping[Form, tuple[str, ...]] = {
    "choice": ("choices", "other_right"),
    "several": ("also_right", "choices", "other_right"),
    "fill": ("statement",),
    "true-false": ("statement", "choices", "other_right"),
}
"""The steps of the method that a form asks a model for."""


def ask_forms(
    work: GraphAccess,
    model: ModelOptions | str,
    form: Form,
    cases: Sequence[FormCase],
    present: Mapping[str, QuestionForm],
    reporter: Reporter,
) -> MadeForms:
    """Return questions in a form, of parts that a model gave and a judge passed; raises ConfigError."""
    made: list[MadeForms] = []
    waiting = [case for case in cases if case.question.id not in present]

    async def work_on(asker: Asker) -> None:
        """Ask for parts, make the forms, have them judged, and keep those that pass."""
        model_choices = ModelChoices(asker)
        asked = await ask_parts(model_choices, form, waiting)
        parts = FormParts(asked.sound, asked.statement, asked.right_names)
        first = make_forms(form, cases, present, parts=parts, progress=reporter)
        fresh = {id_: asked.signed(first.forms[id_]) for id_ in first.forms.keys() - present.keys()}
        refused = await judge_forms(model_choices, waiting, fresh, asked)
        passed = {id_: fresh[id_] for id_ in fresh.keys() - refused.keys()}
        reasons = Counter(first.refused) + Counter(refused.values())
        made.append(count_forms(form, cases, {**present, **passed}, reasons))

    with open_model_session(model, work.folder) as session:
        steps = STEPS[form]
        do_work(session, model_options(model), work_on, steps, requests=lambda: iter(()), reporter=reporter)
    return made[0] if made else count_forms(form, cases, present, {})
