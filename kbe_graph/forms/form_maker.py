"""Conversion of a run's questions to another form, by rule or by a model, all together so that guessing is no use."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

from kbe_graph.brief import brief
from kbe_graph.errors import InputError, NoCandidate
from kbe_graph.facts.pack import Pack, pack
from kbe_graph.facts.walk import Walk
from kbe_graph.forms.asked_parts import AskedParts, Framer, ask_parts, fill_of, frame_of, judge_forms, true_false_of
from kbe_graph.forms.form_case import FormCase
from kbe_graph.forms.multiple_choice import (
    TOO_OFTEN,
    TRUTHS,
    WRONG,
    Balance,
    SoundOptions,
    accepted_choices,
    choice_of,
    several_of,
)
from kbe_graph.graph_access import GraphAccess, with_raw
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.session import ModelSession
from kbe_graph.types import (
    FORMS,
    RAW,
    Alternative,
    Form,
    Progress,
    Question,
    QuestionForm,
    Sample,
    SampleGraph,
    seed_of,
)

Maker = Callable[[FormCase], QuestionForm]
OFTEN = 100  # questions between progress reports


STEPS: Mapping[Form, tuple[str, ...]] = {
    "choice": ("choices", "other_right"),
    "several": ("also_right", "choices", "other_right"),
    "fill": ("statement",),
    "true-false": ("statement", "choices", "other_right"),
}
"""The steps of the method that a form asks a model for."""


@brief()
@dataclass(frozen=True, slots=True)
class MadeForms:
    """Outcome of converting questions: the forms by question ID, and the number of rejected ones by reason.

    ``accepted`` counts the questions from whose benchmark choices human answers were removed.
    """

    form: Form
    forms: Mapping[str, QuestionForm]
    refused: Mapping[str, int]
    accepted: int = 0

    @property
    def places(self) -> tuple[int, ...]:
        """How often each position holds the right option, where there is one right option."""
        forms = [form for form in self.forms.values() if len(form.answers) == 1 and form.answers[0] in form.options]
        if not forms:
            return ()
        size = Counter(len(form.options) for form in forms).most_common(1)[0][0]
        places = Counter(form.options.index(form.answers[0]) for form in forms if len(form.options) == size)
        return tuple(places[place] for place in range(size))

    def as_mapping(self) -> dict[str, Any]:
        """Convert the counts to plain values, for JSON."""
        counts = {"form": self.form, "made": len(self.forms), "refused": dict(self.refused)}
        return counts | {"accepted": self.accepted, "places": list(self.places)}


def cases_of(
    pairs: Iterable[tuple[Sample, Question]],
    graphs: Mapping[str, SampleGraph],
    pack: Pack,
    alternatives: Mapping[str, tuple[Alternative, ...]] = MappingProxyType({}),
) -> list[FormCase]:
    """Combine questions with their facts and graphs; a question that is only loaded has none.

    ``alternatives`` are by question ID.
    """
    walk = Walk(pack)
    return [
        FormCase(sample, question, graphs.get(sample.id), walk, alternatives.get(question.id, ()))
        for sample, question in pairs
    ]


def make_forms(
    form: Form,
    cases: Sequence[FormCase],
    present: Mapping[str, QuestionForm] = MappingProxyType({}),
    *,
    parts: AskedParts | None = None,
    progress: Progress = lambda *_: None,
) -> MadeForms:
    """Convert the questions to a form; raises InputError for "open", which they already are.

    The forms ``present``, by question ID, stay as they are and count in the balance. ``parts`` are those of the
    others, if a model made them. Questions are processed in an order drawn from their IDs, so that the order of a file
    does not matter.
    """
    if form not in FORMS or form == "open":
        raise InputError(f"cannot make the form {form!r}; choose from {', '.join(FORMS[1:])}")
    make = _maker(form, cases, present, parts)
    forms, refused = dict(present), Counter[str]()
    missing = (case for case in cases if case.question.id not in present)
    waiting = sorted(missing, key=lambda case: seed_of("form", case.question.id))
    total, tried = len(waiting), 0
    while len(waiting) != tried:  # the balance may allow in one round what it ruled out in the last
        tried, later = len(waiting), []
        for number, case in enumerate(waiting):
            if not number % OFTEN:
                progress("forms", total - tried + number, total)
            try:
                forms[case.question.id] = make(case)
            except NoCandidate as none:
                later += [case] if none.reason == TOO_OFTEN else []
                refused[none.reason] += none.reason != TOO_OFTEN
        waiting = later
    refused[TOO_OFTEN] += len(waiting)
    progress("forms", total, total)
    return count_forms(form, cases, forms, +refused)


def count_forms(
    form: Form, cases: Iterable[FormCase], forms: Mapping[str, QuestionForm], refused: Mapping[str, int]
) -> MadeForms:
    """Summarise forms with their counts."""
    raw = [case for case in cases if case.question.run == RAW] if form == "choice" else []
    accepted = sum(bool(accepted_choices(case)) for case in raw)
    return MadeForms(form, dict(sorted(forms.items())), dict(refused), accepted)


def _maker(
    form: Form, cases: Sequence[FormCase], present: Mapping[str, QuestionForm], parts: AskedParts | None
) -> Maker:
    statement: Framer = parts.statement if parts else frame_of
    if form == "fill" or not cases:
        return partial(fill_of, statement=statement)
    foreseen = [case.question.answer for case in cases] if form != "several" else []
    balance = Balance(foreseen, len(TRUTHS) - 1 if form == "true-false" else WRONG)
    for case in cases:
        if case.question.id in present:
            balance.count(case.row, present[case.question.id])
    sound = parts.sound if parts else SoundOptions(cases[0].walk)
    if form == "choice":
        return partial(choice_of, sound=sound, balance=balance)
    if form == "true-false":
        return partial(true_false_of, sound=sound, statement=statement, balance=balance)
    right_names = parts.right_names if parts else _own_answer
    return partial(several_of, sound=sound, right_names=right_names, balance=balance)


def _own_answer(case: FormCase) -> list[str]:
    return [case.question.answer]


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
        if form == "several" and session is None and not present:
            raise InputError(
                "rules know only one right answer to a question; make the form 'several' with a model "
                "(`kbe forms --form several --by model`)"
            )
        graphs = access.store.graphs(sorted({question.sample for _, question in pairs}))
        alternatives = access.store.alternatives([question.id for _, question in pairs])
        cases = cases_of(pairs, graphs, pack(), alternatives)
        if session is None:
            made = make_forms(form, cases, present, progress=reporter)
        else:
            made = _ask_forms(session, form, cases, present)
    for name in with_raw(run) if replace else ():
        access.store.forget_forms(run=name, form=form)
    access.store.save_loaded(question for _, question in pairs if question.id in made.forms)
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
        first = make_forms(form, cases, present, parts=asked, progress=session.reporter)
        fresh = {id_: asked.signed(first.forms[id_]) for id_ in first.forms.keys() - present.keys()}
        refused = await judge_forms(asker, waiting, fresh, asked)
        passed = {id_: fresh[id_] for id_ in fresh.keys() - refused.keys()}
        reasons = Counter(first.refused) + Counter(refused.values())
        made.append(count_forms(form, cases, {**present, **passed}, reasons))

    session.do(work_on, *STEPS[form])
    return made[0] if made else count_forms(form, cases, present, {})
