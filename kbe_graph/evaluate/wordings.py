"""How a question is put to a model in each way."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from kbe_graph.evaluate.form_verdict import form_prompt
from kbe_graph.types import FORMS, RAW, Question, QuestionForm, Sample, Variant, form_id
from kbe_graph.variants.options import choice_prompt, shuffled
from kbe_graph.variants.paraphrase import paraphrase
from kbe_graph.variants.without_chain import without_chain


class AskedWords(NamedTuple):
    """What a question is asked with: its words, and the options that are read from a reply."""

    text: str
    options: tuple[str, ...] = ()


def asked_words(
    sample: Sample,
    question: Question,
    variant: Variant,
    paraphrases: Mapping[str, str] | None = None,
    forms: Mapping[str, QuestionForm] = MappingProxyType({}),
) -> AskedWords | None:
    """Return what a question is asked with in a way, None where it cannot be asked so.

    ``paraphrases`` are those of a model, by the question's id; without them rules make them. Options and paraphrases
    are of raw questions alone. ``forms`` are the questions in other forms, by the form's id.
    """
    if variant in FORMS:
        form = forms.get(form_id(question.id, variant))
        return AskedWords(form_prompt(form), form.options if variant == "choice" else ()) if form else None
    if variant in {"image", "blind"}:
        return AskedWords(question.text)
    if variant == "no-chain":
        text = without_chain(question)
        return AskedWords(text) if text else None
    if question.run != RAW:
        return None
    if variant == "paraphrase":
        again = _rule_paraphrase(sample, question) if paraphrases is None else paraphrases.get(question.id)
        return AskedWords(again) if again else None
    return _with_options(sample, question, shuffle=variant == "options-shuffled")


def _rule_paraphrase(sample: Sample, question: Question) -> str | None:
    again = paraphrase(question.text, (question.answer, *question.aliases, *sample.answers), seed=question.id)
    return again.text if again else None


def _with_options(sample: Sample, question: Question, *, shuffle: bool) -> AskedWords | None:
    if len(set(sample.choices)) < 2:
        return None
    options = shuffled(sample) if shuffle else sample.choices
    return AskedWords(choice_prompt(question.text, options), options)
