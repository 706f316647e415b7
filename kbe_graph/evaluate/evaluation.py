"""Asks a model questions, or takes in its predictions, and saves its answers with the verdicts on them."""

import asyncio
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType

from kbe_graph.brief import brief
from kbe_graph.errors import InputError, KbeWarning, PictureError
from kbe_graph.evaluate.judging import Judgement, choose_judges, judge_answers
from kbe_graph.evaluate.prompting import (
    CIRCULAR,
    NEEDS,
    AskedWords,
    Asking,
    PerturbedById,
    asked_words,
    askings,
    chosen_variants,
    perturbed_by_id,
    with_variants_named,
)
from kbe_graph.graph_access import GraphAccess
from kbe_graph.models import Budget, summary
from kbe_graph.models.catalogue import own_family_of
from kbe_graph.models.images import Encoding, encode_jpeg
from kbe_graph.models.loop import ask_in_batches, batches, gather_all
from kbe_graph.scoring.prediction_files import Matching, Predictions, match_predictions, read_predictions
from kbe_graph.scoring.reply_reading import CUT, UNREAD, count_silent, read_reply, with_answer
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.model_options import ModelOptions
from kbe_graph.steps.session import ModelSession, open_call_store, open_session
from kbe_graph.steps.tasks import answer_question
from kbe_graph.types import FORMS, LINKS, RAW, VARIANTS, Form, Prediction, Question, QuestionForm, Sample, Variant

STEP = "answer"
BATCH, AHEAD = 200, 9  # questions whose answers are saved together; batches that are asked while one is saved
Pairs = Sequence[tuple[Sample, Question]]
_SMALL = Encoding(64, 50)  # as small as a look at whether a picture can be read needs


@brief()
@dataclass(frozen=True, slots=True)
class Evaluated:
    """The outcome of asking a model and judging its answers.

    ``asked`` counts the questions, once per variant and repeat. ``new`` counts the answers that were not there before,
    and ``unanswered`` the questions without a reply. ``empty``, ``unread`` and ``refused`` count the replies without an
    answer; these count as answered, and as wrong, as do those that were cut. ``unreadable`` counts the questions that
    were not asked because their picture cannot be read; ``picture_fault`` names the first such picture and the reason.

    For a file of predictions, ``unknown`` lists the ids that match no question, ``twice`` the questions with more than
    one answer (none of these answers is imported), and ``missing`` the questions without an answer.

    >>> file = folder / "said.jsonl"
    >>> _ = file.write_text('{"id": "107438-vehicle", "answer": "bicycle"}')
    >>> work.answers.take(file, model="llava", run="demo").answered
    1
    """

    model: str
    run: str | None
    asked: int
    new: int
    unanswered: int
    judgement: Judgement
    unknown: tuple[str, ...] = ()
    twice: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    empty: int = 0
    unread: int = 0
    refused: int = 0
    unreadable: int = 0
    picture_fault: str = ""

    @property
    def answered(self) -> int:
        """The number of questions with an answer."""
        return self.asked - self.unanswered


def evaluate_model(
    access: GraphAccess,
    pairs: Pairs,
    run: str | None,
    model: ModelOptions | str,
    *,
    variants: Sequence[Variant],
    runs: int | None,
    judges: Sequence[str],
    judge: ModelOptions,
    strict: bool,
    draw: int = 0,
    budget: Budget | None = None,
    mixes: bool = True,
) -> Evaluated:
    """Ask a model the questions that it has not answered, and have all its answers judged if there are judges.

    ``variants`` are the ways to ask, ``runs`` how often: None is twice with a temperature above 0, else once. Judges
    share the budget of the model unless they have one; ``budget`` is that of the whole command, if this is a part of
    it. ``draw`` is the first of the draws by which replies to one request are told apart. Unless it ``mixes``, it asks
    nothing of a model whose answers here are from a file. Raises InputError, ConfigError, ResourceError, BudgetReached.
    """
    with open_session(model, access, budget) as session:
        name = session.book.settings_for(STEP).model
        choose_judges(access, judges, judge, name)  # a wrong name is told before anything is asked
        often = runs or (2 if session.book.settings_for(STEP).temperature > 0 else 1)
        plan = {asking.prediction_id(name): asking for asking in _plan(access, pairs, run, variants, often)}
        before = _answers(access, run, name, plan)
        waiting = [asking for id_, asking in plan.items() if id_ not in before or before[id_].read_by == CUT]
        if waiting and before and not mixes and name not in _models_asked(access):
            raise InputError(
                f"{len(before)} answers of {name!r} here are from a file, and those to {len(waiting)} other questions "
                "would join them; import the file under another name, or confirm with `replace`"
            )
        if not waiting:
            session.tell_addresses(STEP)
        elif not before and not any(session.find(each.sample) or not each.sees_image for each in waiting):
            raise InputError(
                f"no picture of the {len(waiting)} questions is in the folders, such as {waiting[0].sample.image!r}; "
                "load again with their folder (`images`)"
            )
        awaits = _ask(access, session, waiting, draw) if waiting else ()
        judgement = Judgement("", awaits=awaits)
        if judges and not awaits:
            asked_by = {"judges": judges, "options": judge, "strict": strict, "budget": session.budget}
            judgement = judge_answers(access, pairs, run, name, **asked_by)  # type: ignore[arg-type]
        answers = _answers(access, run, name, plan)
        unanswered = [asking for id_, asking in plan.items() if id_ not in answers]
        faults = [] if awaits else _picture_faults(session, unanswered)
    silent = count_silent(prediction.read_by for prediction in answers.values())
    return Evaluated(
        *(name, run, len(plan), len(answers.keys() - before.keys()), len(unanswered), judgement),
        empty=silent["empty"],
        unread=silent["unread"],
        refused=silent["refused"],
        unreadable=len(faults),
        picture_fault=faults[0] if faults else "",
    )


def _plan(
    access: GraphAccess, pairs: Pairs, run: str | None, variants: Sequence[Variant], runs: int
) -> Iterable[Asking]:
    if not pairs:
        raise InputError("there is no question to ask; load a benchmark (`kbe load`), or ask for other hops or runs")
    words_of = partial(asked_words, forms=access.forms_by_id(run, variants))
    perturbed = perturbed_by_id(access, run, variants)
    names = chosen_variants(variants, perturbed)
    plan = list(askings(pairs, names, runs, words_of, perturbed))
    if missing := sorted({*names} - {asking.variant for asking in plan}):
        needs = "; ".join(f"{name!r} needs {NEEDS.get(name, 'a variant that was not refused')}" for name in missing)
        if not plan:
            raise InputError(f"no question can be asked in this way: {needs}")
        warnings.warn(f"no question can be asked in one of the ways: {needs}", KbeWarning, stacklevel=4)
    return plan


def _ask(access: GraphAccess, session: ModelSession, waiting: Sequence[Asking], draw: int) -> tuple[Path, ...]:
    warn_of_missing_pictures(session, [asking.sample for asking in waiting if asking.sees_image])
    access.store.save_loaded(asking.question for asking in waiting)
    settings = session.book.settings_for(STEP)

    async def work(asker: Asker) -> None:
        async def ask(batch: Sequence[Asking]) -> list[Prediction]:
            answers = await gather_all(
                answer_question(
                    asker, asking.words.text, asking.sample, sees_image=asking.sees_image, draw=draw + asking.run - 1
                )
                for asking in batch
            )
            answered = [(asking, answer) for asking, answer in zip(batch, answers, strict=True) if answer]
            return [asking.prediction(settings.model, answer) for asking, answer in answered]

        async def save(predictions: list[Prediction]) -> None:
            families = {settings.model: settings.own_family}
            await asyncio.to_thread(access.store.save_predictions, predictions, families)

        await ask_in_batches(
            *(batches(waiting, BATCH), ask, save),
            total=len(waiting),
            stage="ask",
            progress=access.reporter,
            ahead=AHEAD,
        )

    with access.reporter:
        return session.do(work, STEP)


def _answers(access: GraphAccess, run: str | None, model: str, plan: Mapping[str, Asking]) -> dict[str, Prediction]:
    return {each.id: each for each in access.predictions(run, model) if each.id in plan}


def _picture_faults(session: ModelSession, unanswered: Iterable[Asking]) -> list[str]:
    unseen = [asking.sample for asking in unanswered if asking.sees_image]
    faults = {id_: _picture_fault(session, sample) for id_, sample in {each.id: each for each in unseen}.items()}
    return [fault for sample in unseen if (fault := faults[sample.id])]


def _picture_fault(session: ModelSession, sample: Sample) -> str:
    for path in session.find(sample):
        try:
            encode_jpeg(path, _SMALL)
        except PictureError as error:
            return str(error)
    return ""


def warn_of_missing_pictures(session: ModelSession, samples: Iterable[Sample]) -> None:
    """Warn (KbeWarning) of samples without a picture: questions that need it are not asked."""
    by_id = {sample.id: sample for sample in samples}
    if missing := [sample for sample in by_id.values() if not session.find(sample)]:
        warnings.warn(
            f"{len(missing)} of {len(by_id)} samples have no picture in the folders, such as "
            f"{missing[0].image!r}; questions that need it are skipped; load again with their folder (`images`)",
            KbeWarning,
            stacklevel=5,
        )


_FEW = 4  # with more replies in other words for each letter, letters are words


def take_predictions(
    access: GraphAccess,
    file: object,
    pairs: Sequence[tuple[Sample, Question]],
    run: str | None,
    *,
    model: str = "",
    format: str | None = None,  # noqa: A002 - the option's name
    form: Form = "open",
    replace: bool = False,
) -> Matching:
    """Save the predictions of a file, or rows, that answer questions, and return how they match (``match_answers``).

    Raises InputError if they would replace other answers of the model or join those that it gave to this program,
    unless ``replace`` is set.
    """
    perturbed, forms = perturbed_by_id(access, run), partial(access.forms_by_id, run)
    rows = read_predictions(file, model=model, format=format, variant="image" if form == "open" else form)
    file = file if isinstance(file, Path) else Path(type(file).__name__)
    matching = match_answers(file, rows, pairs, forms, run=run, perturbed=perturbed)
    models = {prediction.model for prediction in matching.predictions}
    before = {each.id: each for model in models for each in access.predictions(run, model)}
    same = {each.id: each for each in matching.predictions if each.id in before and before[each.id].unjudged == each}
    taken = tuple(before[each.id] if each.id in same else each for each in matching.predictions)
    asked = {each.model for each in before.values()} & _models_asked(access)
    clash = [each for each in taken if each.id not in same and (each.id in before or each.model in asked)]
    if clash and not replace:
        raise InputError(
            f"{file}: {len(clash)} answers would replace or join others that {clash[0].model!r} has here; give another "
            "name with `model`, or confirm with `replace`"
        )
    by_id = {question.id: question for _, question in pairs}
    access.store.save_loaded(by_id[prediction.question] for prediction in taken)
    access.store.save_predictions(taken, {model: own_family_of(model) for model in models})
    return matching._replace(predictions=taken)


def _models_asked(access: GraphAccess) -> set[str]:
    with closing(open_call_store(access.folder)) as calls:
        return {line.model for line in summary(calls).lines if line.step == STEP}


def match_answers(
    file: Path,
    rows: Predictions,
    pairs: Sequence[tuple[Sample, Question]],
    forms_by_id: Callable[[Iterable[Variant]], Mapping[str, QuestionForm]],
    *,
    run: str | None = None,
    perturbed: PerturbedById = MappingProxyType({}),
) -> Matching:
    """Match the predictions of a file to the questions, and read their answers.

    Raises InputError where no id in the file is that of a question, or a question has no such form.
    """
    by_id = {question.id: (sample, question) for sample, question in pairs}
    matching = _match(file, with_variants_named(rows.predictions, perturbed), [each for _, each in pairs], run)
    words_of = partial(asked_words, forms=forms_by_id(each.variant for each in matching.predictions))
    answers = (
        _with_answer(file, prediction, by_id[prediction.question], perturbed, words_of)
        for prediction in _as_lettered(matching.predictions, by_id)
    )
    return matching._replace(predictions=tuple(answers))


def sum_up(matching: Matching, run: str | None, judgement: Judgement) -> Evaluated:
    """Sum up predictions that were taken in and judged."""
    taken, missing = len(matching.predictions), len(matching.missing)
    silent = count_silent(prediction.read_by for prediction in matching.predictions)
    models = sorted({prediction.model for prediction in matching.predictions})
    counts = silent["empty"], silent["unread"], silent["refused"]
    return Evaluated(", ".join(models), run, taken + missing, taken, missing, judgement, *matching[1:], *counts)


def _match(file: Path, predictions: Sequence[Prediction], questions: Sequence[Question], run: str | None) -> Matching:
    matching = match_predictions(predictions, questions, file=file)
    if matching.predictions:
        return matching
    if matching.twice:
        raise InputError(
            f"{file}: {predictions[0].model} answers each question more than once, {matching.twice[0]!r} first; keep "
            "one answer, or number them in a field 'run'"
        )
    if not questions:
        raise InputError(f"{file}: there are no questions that it could answer yet; load a benchmark first")
    raise InputError(
        f"{file}: no prediction answers a question of run {run or 'raw'!r}; ids here look like "
        f"{predictions[0].question!r}, those of questions like {questions[0].id!r}; if several benchmarks or "
        "splits have such ids, name one with `benchmark`, or give whole ids"
    )


def _as_lettered(predictions: Sequence[Prediction], pairs: Mapping[str, tuple[Sample, Question]]) -> list[Prediction]:
    """Return predictions as answers to options where a file does not say so, but its replies are letters of options.

    A few letters among many replies in other words are words too.
    """
    choices = {id_: sample.choices for id_, (sample, question) in pairs.items() if question.run == RAW}
    untold = [each for each in predictions if each.variant == "image" and len(set(choices.get(each.question, ()))) > 1]
    rules = Counter((each.model, read_reply(each.whole_reply, choices[each.question]).rule) for each in untold)
    by_letter = {
        model for model, rule in rules if rule == "letter" and _FEW * rules[model, rule] >= rules[model, UNREAD]
    }
    ids = {each.id for each in untold if each.model in by_letter}
    return [replace(each, variant="options") if each.id in ids else each for each in predictions]


def _with_answer(
    file: Path,
    prediction: Prediction,
    pair: tuple[Sample, Question],
    perturbed: PerturbedById,
    words_of: Callable[[Sample, Question, Variant], AskedWords | None],
) -> Prediction:
    variant, run = prediction.variant, prediction.run
    asked = askings([pair], [variant], run, words_of, perturbed)
    asking = next((each for each in asked if each.run == run), None)
    if asking is None and (variant not in VARIANTS or variant in {*FORMS, CIRCULAR, LINKS}):
        raise InputError(
            f"{file}: {prediction.question!r} has no {variant!r} of run {run}, which needs "
            f"{NEEDS.get(variant, 'its variant made here')}; `form` says in which form the questions of a file were "
            "asked, which is open where they have no options"
        )
    if asking and (variant == LINKS or (prediction.question, variant) in perturbed):
        prediction = replace(prediction, asked="" if asking.words.text == pair[1].text else asking.words.text)
    return prediction if prediction.read_by else with_answer(prediction, asking.words.options if asking else ())
