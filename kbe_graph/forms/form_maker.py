"""Conversion of a run's questions to another form, all together, so that guessing does not pay off."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

from kbe_graph.errors import InputError, NoCandidate
from kbe_graph.facts.pack import Pack
from kbe_graph.facts.walk import Walk
from kbe_graph.forms.form_case import FormCase
from kbe_graph.forms.multiple_choice import (
    TOO_OFTEN,
    TRUTHS,
    WRONG,
    Balance,
    OptionFinder,
    RightFinder,
    SoundOptions,
    accepted_choices,
    choice_of,
    right_by_facts,
    several_of,
)
from kbe_graph.forms.statement import Framer, fill_of, frame_of, true_false_of
from kbe_graph.seeds import seed_of
from kbe_graph.types import FORMS, RAW, Alternative, Form, Progress, Question, QuestionForm, Sample, SampleGraph

Maker = Callable[[FormCase], QuestionForm]
OFTEN = 100  # questions between progress reports


class FormParts(NamedTuple):
    """Makers of the parts of forms: wrong options (from the graph if None), statements and right names."""

    options: OptionFinder | None = None
    statement: Framer = frame_of
    right_names: RightFinder = right_by_facts


RULES = FormParts()


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
    """Combine questions with their facts and graphs, skipping samples without a graph.

    ``alternatives`` are by question ID.
    """
    walk = Walk(pack)
    return [
        FormCase(sample, question, graphs[sample.id], walk, alternatives.get(question.id, ()))
        for sample, question in pairs
        if sample.id in graphs
    ]


def make_forms(
    form: Form,
    cases: Sequence[FormCase],
    present: Mapping[str, QuestionForm] = MappingProxyType({}),
    *,
    parts: FormParts = RULES,
    progress: Progress = lambda *_: None,
) -> MadeForms:
    """Convert the questions to a form; raises InputError for "open", which they already are.

    The forms ``present``, by question ID, stay as they are and count in the balance. ``parts`` makes the parts of the
    others. Questions are processed in an order drawn from their IDs, so that the order of a file does not matter.
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


def _maker(form: Form, cases: Sequence[FormCase], present: Mapping[str, QuestionForm], parts: FormParts) -> Maker:
    if form == "fill" or not cases:
        return partial(fill_of, statement=parts.statement)
    foreseen = [case.question.answer for case in cases] if form != "several" else []
    balance = Balance(foreseen, len(TRUTHS) - 1 if form == "true-false" else WRONG)
    for case in cases:
        if case.question.id in present:
            balance.count(case.row, present[case.question.id])
    sound = parts.options or SoundOptions(cases[0].walk)
    if form == "choice":
        return partial(choice_of, sound=sound, balance=balance)
    if form == "several":
        return partial(several_of, sound=sound, right_names=parts.right_names, balance=balance)
    return partial(true_false_of, sound=sound, statement=parts.statement, balance=balance)
