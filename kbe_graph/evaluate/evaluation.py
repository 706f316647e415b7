"""Asks a model questions, and saves its answers with the verdicts on them."""

import asyncio
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from kbe_graph.errors import InputError, KbeWarning, PictureError
from kbe_graph.evaluate.judging import Judgement, judge_answers
from kbe_graph.evaluate.prompting import Asking, asked_words, askings, chosen_variants, perturbed_by_id
from kbe_graph.graph_access import GraphAccess
from kbe_graph.models.images import Encoding, encode_jpeg
from kbe_graph.models.loop import ask_in_batches, batches, gather_all
from kbe_graph.scoring.reply_reading import CUT, count_silent
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.model_options import ModelOptions
from kbe_graph.steps.session import ModelSession, open_session
from kbe_graph.steps.tasks import answer_question
from kbe_graph.types import Prediction, Question, Sample, Variant

STEP = "answer"
BATCH, AHEAD = 200, 9  # questions whose answers are saved together; batches that are asked while one is saved
Pairs = Sequence[tuple[Sample, Question]]
_SMALL = Encoding(64, 50)  # as small as a look at whether a picture can be read needs


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
) -> Evaluated:
    """Ask a model the questions that it has not answered, and have all its answers judged if there are judges.

    ``run`` made the questions that are not raw. ``variants`` are the ways to ask, ``runs`` how often: None is twice
    with a temperature above 0, else once. Judges share the budget of the model unless they have one. Raises
    InputError, ConfigError, ResourceError and BudgetReached.
    """
    if not pairs:
        raise InputError("there is no question to ask; load a benchmark (`kbe load`), or ask for other hops or runs")
    with open_session(model, access) as session:
        name = session.book.settings_for(STEP).model
        runs = runs or (2 if session.book.settings_for(STEP).temperature > 0 else 1)
        words_of = partial(asked_words, forms=access.forms_by_id(run, variants))
        perturbed = perturbed_by_id(access, run, variants)
        asked = askings(pairs, chosen_variants(variants, perturbed), runs, words_of, perturbed)
        plan = {asking.prediction_id(name): asking for asking in asked}
        before = _answers(access, run, name, plan)
        waiting = [asking for id_, asking in plan.items() if id_ not in before or before[id_].read_by == CUT]
        awaits = _ask(access, session, waiting) if waiting else ()
        judgement = Judgement("", awaits=awaits)
        if judges and not awaits:
            asked_by = {"judges": judges, "options": judge, "strict": strict, "budget": session.budget}
            judgement = judge_answers(access, pairs, run, name, **asked_by)  # type: ignore[arg-type]
        answers = _answers(access, run, name, plan)
        unanswered = [asking for id_, asking in plan.items() if id_ not in answers]
        faults = [] if awaits else _picture_faults(session, unanswered)
    silent = count_silent(prediction.read_by for prediction in answers.values())
    new = len(answers.keys() - before.keys())
    return Evaluated(
        *(name, run, len(plan), new, len(unanswered), judgement),
        empty=silent["empty"],
        unread=silent["unread"],
        refused=silent["refused"],
        unreadable=len(faults),
        picture_fault=faults[0] if faults else "",
    )


def _ask(access: GraphAccess, session: ModelSession, waiting: Sequence[Asking]) -> tuple[Path, ...]:
    warn_of_missing_pictures(session, [asking.sample for asking in waiting if asking.sees_image])
    access.store.save_loaded(asking.question for asking in waiting)
    settings = session.book.settings_for(STEP)

    async def work(asker: Asker) -> None:
        async def ask(batch: Sequence[Asking]) -> list[Prediction]:
            answers = await gather_all(
                answer_question(
                    asker, asking.words.text, asking.sample, sees_image=asking.sees_image, draw=asking.run - 1
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
            f"{missing[0].image!r}; questions that need it are skipped; name their folder with `images`",
            KbeWarning,
            stacklevel=5,
        )
