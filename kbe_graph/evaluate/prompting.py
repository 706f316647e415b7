"""Prompts for each question in every variant, form and run, and the scoring of replies to forms."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from string import ascii_uppercase
from types import MappingProxyType
from typing import NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.forms.links import links_of
from kbe_graph.forms.multiple_choice import INSTRUCTION, choice_prompt, shuffled
from kbe_graph.forms.paraphrase import paraphrase
from kbe_graph.graph_access import GraphAccess
from kbe_graph.scoring.reply_reading import read_option, read_reply, with_answer
from kbe_graph.scoring.score_rules import SCORE_RULES, GroundTruth
from kbe_graph.steps.tasks import ModelAnswer
from kbe_graph.text import fold, id_number
from kbe_graph.types import (
    FORMS,
    LINKS,
    RAW,
    VARIANTS,
    WITH_OPTIONS,
    Prediction,
    Question,
    QuestionForm,
    QuestionVariant,
    Sample,
    Variant,
    form_id,
)

NEEDS: Mapping[Variant, str] = {
    **dict.fromkeys(WITH_OPTIONS, "raw questions with options"),
    **dict.fromkeys(FORMS, "questions in that form; make them with `make_forms` (kbe forms)"),
    LINKS: "evolved questions with two links in their key",
}
"""What a question must have to be asked in a variant."""
ALL_RIGHT = "Answer with the letters of all right options, separated by commas."
TRUTHS = ("True", "False")  # as options A and B, if a harness presents them so
_SAYS = re.compile(r"^(?:(?:the )?(?:right |correct |final )?(?:answer|options?)s?(?: is| are)?:?)", re.IGNORECASE)
_JOINED = re.compile(r"[A-Z]{2,9}\.?")
_LETTERS = re.compile(r"\W*[A-Z](?:(?:\W|\band\b)+[A-Z]\b)*\W*")
_TURN = r"(?:[?/]|\b(?:or|but|no|wait|actually|however)\b)"
_TRUTH = re.compile(
    rf"\W{{,9}}(true|false)\b(?!.{{,80}}{_TURN}.{{,80}}\b(?!\1)(?:true|false)\b)", re.IGNORECASE | re.DOTALL
)


def form_prompt(form: QuestionForm) -> str:
    """Return the prompt of a question in a form: its text, with its options if it has any."""
    if not form.options:
        return form.text
    prompt = choice_prompt(form.text, form.options)
    return prompt if form.form == "choice" else f"{prompt.removesuffix(INSTRUCTION)}{ALL_RIGHT}"


def is_right(form: QuestionForm, reply: str, rule: str) -> bool:
    """Return True if a reply is right: the one option, all right options, the truth value, or the missing words.

    If several options are right, the reply must name exactly these. Missing words are compared with the gold answer and
    its aliases by the score ``rule``. Options may be named by letter or by text.
    """
    last = reply.strip().rpartition("\n")[2].strip()
    if form.form == "several":
        return _chosen(form, last) == set(form.answers)
    if form.form == "choice":
        return read_reply(reply, form.options).text == form.answers[0]
    if form.form == "true-false":
        option = read_option(last, TRUTHS).text
        match = _TRUTH.match(last) or (None if option else _TRUTH.match(reply))
        truth = match[1] if match else option
        return fold(truth) == fold(form.answers[0])
    return bool(SCORE_RULES.require(rule).score(reply, GroundTruth(form.answers[0], form.answers[1:])))


def _chosen(form: QuestionForm, reply: str) -> set[str]:
    naming = _SAYS.sub("", reply).strip()
    names = {fold(option): option for option in form.options}
    if _JOINED.fullmatch(naming) and fold(naming) not in names:
        naming = " ".join(naming)
    if _LETTERS.fullmatch(naming):
        places = [ascii_uppercase.index(letter) for letter in re.findall(r"\b[A-Z]\b", naming)]
        return {form.options[place] for place in places} if max(places) < len(form.options) else set()
    parts = [fold(part) for part in re.split(r"[;,]| and (?=[^,;]*$)", naming) if fold(part)]
    return {names[part] for part in parts} if all(part in names for part in parts) else set()


class AskedWords(NamedTuple):
    """The words of a question as asked, the options to read from a reply, and whether the picture is sent too."""

    text: str
    options: tuple[str, ...] = ()
    with_image: bool = True


def asked_words(
    sample: Sample,
    question: Question,
    variant: Variant,
    forms: Mapping[str, QuestionForm] = MappingProxyType({}),
) -> AskedWords | None:
    """Return the words of a question in a variant, None if it has no such variant.

    Options and paraphrases exist only for raw questions; ``askings`` rotates the options of ``circular``, and words
    the ``links``. ``forms`` maps form ids to questions in other forms.
    """
    if variant in FORMS:
        form = forms.get(form_id(question.id, variant))
        return AskedWords(form_prompt(form), form.options if variant == "choice" else ()) if form else None
    if variant in {"image", "blind"}:
        return AskedWords(question.text, with_image=variant == "image")
    if variant == LINKS:
        return AskedWords(question.text) if links_of(question, sample) else None
    if question.run != RAW or (variant != "paraphrase" and len(set(sample.choices)) < 2):
        return None
    if variant == "paraphrase":
        again = paraphrase(question.text, (question.answer, *question.aliases, *sample.answers), seed=question.id)
        return AskedWords(again.text) if again else None
    options = shuffled(sample) if variant == "options-shuffled" else sample.choices
    return AskedWords(choice_prompt(question.text, options), options)


def rotations(question: Question, options: Sequence[str]) -> list[AskedWords]:
    """Return a question with each rotation of its options; run 1 keeps their order (CircularEval, MMBench).

    >>> [words.options for words in rotations(work.questions(run="raw")[0], ("dog", "cat"))]
    [('dog', 'cat'), ('cat', 'dog')]
    """
    turned = ((*options[place:], *options[:place]) for place in range(len(options)))
    return [AskedWords(choice_prompt(question.text, each), each) for each in turned]


CIRCULAR: Variant = "circular"


class Asking(NamedTuple):
    """One question as put to a model: its ``words``, variant, and run number.

    For a perturbed question, ``sample`` has the perturbed picture.
    """

    sample: Sample
    question: Question
    words: AskedWords
    variant: Variant = "image"
    run: int = 1

    @property
    def sees_image(self) -> bool:
        """Whether the picture is sent with the question."""
        return self.words.with_image

    def prediction_id(self, model: str) -> str:
        """Return the id of a model's prediction."""
        return Prediction(model, self.question.id, "", self.run, self.variant).id

    def prediction(self, model: str, answer: ModelAnswer) -> Prediction:
        """Build the unjudged prediction, with the answer read from a model's reply."""
        asked = "" if self.words.text == self.question.text else self.words.text
        prediction = Prediction(model, self.question.id, answer.text, self.run, self.variant, asked, answer.tokens)
        if answer.declined:
            return replace(prediction, read_by=answer.declined)
        return with_answer(prediction, self.words.options)


PerturbedById = Mapping[tuple[str, str], Sequence[QuestionVariant]]
"""Variants to ask, by question id and operation; empty if all were refused or rejected."""


def askings(
    pairs: Iterable[tuple[Sample, Question]],
    variants: Sequence[Variant],
    runs: int,
    words_of: Callable[[Sample, Question, Variant], AskedWords | None],
    perturbed: PerturbedById = MappingProxyType({}),
) -> Iterator[Asking]:
    """Yield every question to ask; ``words_of`` words a question in a variant, or returns None.

    Each is asked ``runs`` times, except that ``circular`` has one run per rotation of the options, ``links`` one per
    link, and a ``perturbed`` question one per seed.
    """
    for sample, question in pairs:
        for variant in variants:
            made = perturbed.get((question.id, variant))
            for each in made or ():
                own = each.with_picture_of(sample)
                yield Asking(own, question, AskedWords(each.text), each.operation, each.run)
            words = None if made is not None or variant not in VARIANTS else words_of(sample, question, variant)
            if words is not None:
                asked = [words] * runs
                if variant == CIRCULAR:
                    asked = rotations(question, words.options)
                elif variant == LINKS:
                    asked = [AskedWords(each.text, (), each.is_seen) for each in links_of(question, sample)]
                yield from (Asking(sample, question, each, variant, run) for run, each in enumerate(asked, 1))


PARAPHRASE = "paraphrase"  # a way to ask, which is also an operation
PERTURBED = "perturbed"
"""Stands for all operations by which questions were perturbed."""


def perturbed_by_id(access: GraphAccess, run: str | None, ways: Sequence[Variant] = (PARAPHRASE,)) -> PerturbedById:
    """Read the perturbed questions that may be asked, by the question's id and the operation, in order of seeds.

    A question that no seed gave a variant of has an empty list. There are none where no way to ask needs them.
    """
    kept: dict[tuple[str, str], list[QuestionVariant]] = defaultdict(list)
    for variant in access.variants(run) if {*ways} - {*VARIANTS} | {*ways} & {PARAPHRASE} else ():
        kept[variant.question, variant.operation] += [variant] if variant.status == "kept" else []
    return dict(kept)


def chosen_variants(names: Sequence[Variant], perturbed: PerturbedById) -> list[Variant]:
    """Return the ways to ask that were named, with all operations in place of ``perturbed``.

    Raises InputError for a name that is none, or an operation that perturbed no question.
    """
    operations = sorted({operation for (_, operation), made in perturbed.items() if made})
    for name in names:
        if name == PERTURBED and not operations:
            raise InputError("no question was perturbed; make variants with `perturb`")
        if name not in {*VARIANTS, *operations, PERTURBED}:
            raise InputError(
                f"no variant {name!r}; the variants are {', '.join(VARIANTS)}, and the operations by which questions "
                f"were perturbed: {', '.join(operations) or 'none'}"
            )
    return list(dict.fromkeys(each for name in names for each in (operations if name == PERTURBED else [name])))


def with_variants_named(predictions: Sequence[Prediction], perturbed: PerturbedById) -> list[Prediction]:
    """Return predictions whose ids an export gave to variants as those of the question, operation and seed."""
    variants = [variant for each in perturbed.values() for variant in each]
    by_id = {name: variant for variant in variants for name in (variant.id, str(id_number(variant.id)))}
    return [
        replace(prediction, question=variant.question, variant=variant.operation, run=variant.run)
        if (variant := by_id.get(prediction.question))
        else prediction
        for prediction in predictions
    ]


def read_hops(text: str) -> range:
    """Parse hops such as ``0-3`` or ``2``; raises InputError."""
    first, _, last = text.partition("-")
    if not (first.isdecimal() and (last or first).isdecimal() and int(first) <= int(last or first)):
        raise InputError(f"hops {text!r} must be a number or a range, such as 0-3")
    return range(int(first), int(last or first) + 1)
