"""Asks a model the raw questions and those of a run, and saves its answers."""

import asyncio
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from kbe_graph.errors import InputError, KbeWarning, NoCandidate, PictureError
from kbe_graph.evaluate.prompting import Asking, asked_words, askings, read_hops, with_answer
from kbe_graph.evaluate.reply_reading import check_reading_rule, count_silent
from kbe_graph.evaluate.ways import check_ways, chosen_variants, perturbed_by_id
from kbe_graph.execute.executor import ask_in_batches, batches
from kbe_graph.export.selection import select
from kbe_graph.forms.paraphrase import ModelParaphraser
from kbe_graph.graph_access import GraphAccess
from kbe_graph.models import Budget
from kbe_graph.models.cost import Estimate
from kbe_graph.models.images import Encoding, encode_jpeg
from kbe_graph.models.loop import gather_all
from kbe_graph.models.request import Request
from kbe_graph.models.settings import ModelSettings
from kbe_graph.progress import Reporter
from kbe_graph.steps.answerer import ModelAnswerer, render_answer
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.session import ModelSession
from kbe_graph.types import RAW, Prediction, Question, Sample, Variant
from kbe_graph.workspace.asking import estimate_of
from kbe_graph.workspace.judges import JudgedScope, Judgement, judge_answers
from kbe_graph.workspace.model_options import ModelOptions, model_options, open_model_session

STEP = "answer"
BATCH = 200  # questions whose answers are saved together
AHEAD = 9  # batches that are asked while one is saved
_SMALL = Encoding(64, 50)  # as small as a look at whether a picture can be read needs


class AskingScope(NamedTuple):
    """The questions to ask, in which ways and how often; ``runs`` None is twice with a temperature above 0, else once.

    ``read`` is the rule that reads answers out of replies. ``model_paraphrases`` has the model of
    [models.paraphrase] put raw questions in other words, in place of rules.
    """

    run: str | None = None
    hops: str | None = None
    variants: Sequence[Variant] = ("image",)
    runs: int | None = None
    incomplete: bool = False
    model_paraphrases: bool = False
    benchmark: str | None = None
    read: str = "auto"


@dataclass(frozen=True, slots=True)
class Evaluated:
    """The outcome of asking a model and judging its answers.

    ``asked`` counts the questions, once per variant and repeat. ``new`` counts the answers that were not there before,
    and ``unanswered`` the questions without a usable reply. ``empty``, ``unread`` and ``refused`` count the replies
    without an answer; these count as answered, and as wrong. ``unreadable`` counts the questions that were not asked
    because their picture cannot be read; ``picture_fault`` names the first such picture and the reason.

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


@dataclass(frozen=True, slots=True)
class AskedAnswers:
    """A model that is asked the questions of a workspace; ``run`` made those that are not raw."""

    session: ModelSession
    options: ModelOptions
    access: GraphAccess
    run: str | None
    askings: Sequence[Asking]
    read: str = "auto"

    @property
    def settings(self) -> ModelSettings:
        """The settings of the model."""
        return self.session.book.settings_for(STEP)

    @property
    def name(self) -> str:
        """The model's name."""
        return self.settings.model

    def evaluate(self, reporter: Reporter, judge: Callable[[JudgedScope, Budget], Judgement] | None) -> Evaluated:
        """Ask the unanswered questions, then have all answers judged, unless no judge is given or replies are awaited.

        The judges are given the budget that the answers were asked with.
        """
        waiting = self.unanswered()
        self._read_again()
        with reporter:
            awaits = self.ask(waiting, reporter)
        unanswered = self.unanswered() if waiting else []
        if awaits or judge is None:
            judgement = Judgement("", awaits=awaits)
        else:
            judgement = judge(JudgedScope(self.run, self.name), self.session.budget)
        faults = [] if awaits else self._picture_faults(unanswered)
        silent = count_silent(prediction.read_by for prediction in self._predictions().values())
        new, open_ = len(waiting) - len(unanswered), len(unanswered)
        return Evaluated(
            *(self.name, self.run, len(self.askings), new, open_, judgement),
            empty=silent.empty,
            unread=silent.unread,
            refused=silent.refused,
            unreadable=len(faults),
            picture_fault=faults[0] if faults else "",
        )

    def ask(self, waiting: Sequence[Asking], reporter: Reporter) -> tuple[Path, ...]:
        """Ask the waiting questions and save the answers; return the files whose replies are waited for."""
        if not waiting:
            return ()
        warn_of_missing_pictures(self.session, [asking.sample for asking in waiting if asking.sees_image])
        self.access.store.save_loaded(asking.question for asking in waiting)

        async def save(predictions: list[Prediction]) -> None:
            await asyncio.to_thread(
                self.access.store.save_predictions, predictions, {self.name: self.settings.own_family}
            )

        async def work(asker: Asker) -> None:
            answerer = ModelAnswerer(asker)

            async def ask(batch: Sequence[Asking]) -> list[Prediction]:
                answers = await gather_all(
                    answerer(asking.words.text, asking.sample, sees_image=asking.sees_image, draw=asking.run - 1)
                    for asking in batch
                )
                answered = [(asking, answer) for asking, answer in zip(batch, answers, strict=True) if answer]
                return [asking.prediction(self.name, answer, self.read) for asking, answer in answered]

            parts, total = batches(waiting, BATCH), len(waiting)
            await ask_in_batches(parts, ask, save, total=total, stage="ask", progress=reporter, ahead=AHEAD)

        return self.session.do(work, STEP)

    def unanswered(self) -> list[Asking]:
        """List the questions without an answer."""
        ids = self._predictions()
        return [asking for asking in self.askings if asking.prediction_id(self.name) not in ids]

    def _predictions(self) -> dict[str, Prediction]:
        ids = {asking.prediction_id(self.name) for asking in self.askings}
        predictions = self.access.predictions(self.run, self.name)
        return {prediction.id: prediction for prediction in predictions if prediction.id in ids}

    def _read_again(self) -> None:
        predictions = self._predictions()
        pairs = [
            (predictions[id_], with_answer(predictions[id_], asking.words.options, self.read))
            for asking in self.askings
            if (id_ := asking.prediction_id(self.name)) in predictions and predictions[id_].whole_reply
        ]
        self.access.store.save_predictions([again for prediction, again in pairs if again != prediction])

    def _picture_faults(self, askings: Sequence[Asking]) -> list[str]:
        faults: dict[str, str] = {}
        for asking in askings:
            if asking.sees_image and asking.sample.id not in faults:
                reasons = map(_picture_fault, self.session.find(asking.sample))
                faults[asking.sample.id] = next(filter(None, reasons), "")
        return [fault for asking in askings if asking.sees_image and (fault := faults[asking.sample.id])]

    def forecast(self) -> Estimate:
        """Estimate the cost of asking."""
        return estimate_of(self.session, self.options, self._requests(self.unanswered()))

    def _requests(self, waiting: Sequence[Asking]) -> Iterator[Request]:
        asker = self.session.renderer
        for asking in waiting:
            step = render_answer(asking.words.text, sees_image=asking.sees_image)
            with suppress(NoCandidate):  # its picture is missing, so it is not asked
                yield asker.request(step, asking.sample, draw=asking.run - 1)


def warn_of_missing_pictures(session: ModelSession, samples: Iterable[Sample]) -> None:
    """Warn (KbeWarning) of samples without a picture: questions that need it are not asked."""
    by_id = {sample.id: sample for sample in samples}
    if missing := [sample for sample in by_id.values() if not session.find(sample)]:
        warnings.warn(
            f"{len(missing)} of {len(by_id)} samples have no picture in the folders, such as "
            f"{missing[0].image!r}; questions that need it are skipped; name their folder with "
            "`images`",
            KbeWarning,
            stacklevel=5,
        )


def _picture_fault(path: Path) -> str:
    try:
        encode_jpeg(path, _SMALL)
    except PictureError as error:
        return str(error)
    return ""


def evaluate_model(
    access: GraphAccess,
    model: ModelOptions | str,
    scope: AskingScope,
    *,
    judges: Sequence[str],
    judge: ModelOptions,
    strict: bool,
) -> Evaluated:
    """Ask a model, and have its answers judged if there are judges; raises as ``Workspace.evaluate``."""
    judge_all = partial(judge_answers, access, judges=judges, options=judge, strict=strict)
    with open_answers(access, model, scope) as asked:
        return asked.evaluate(access.reporter, judge_all if judges else None)


@contextmanager
def open_answers(work: GraphAccess, model: ModelOptions | str, scope: AskingScope) -> Iterator[AskedAnswers]:
    """Give the questions for a model, with all that asking needs; raises ConfigError, InputError and ResourceError."""
    hops = read_hops(scope.hops) if scope.hops else None
    if scope.runs is not None and scope.runs < 1:
        raise InputError(f"runs {scope.runs} must be 1 or more")
    check_ways(scope.variants)
    check_reading_rule(scope.read)
    run = work.choose_run(scope.run, incomplete=scope.incomplete)
    with work.reporter.waiting("reading the questions"):
        pairs = [
            (sample, question)
            for sample, question in select(work.store, run=run, benchmark=scope.benchmark, loaded=True)
            if hops is None or question.hop in hops
        ]
    with open_model_session(model, work) as session:
        runs = scope.runs or (2 if session.book.settings_for(STEP).temperature > 0 else 1)
        asks_again = scope.model_paraphrases and "paraphrase" in scope.variants
        again = _model_paraphrases(work, pairs, session.budget) if asks_again else None
        forms, perturbed = work.forms_by_id(run, scope.variants), perturbed_by_id(work, run, scope.variants)
        variants = chosen_variants(scope.variants, perturbed)
        words_of = partial(asked_words, paraphrases=again, forms=forms)
        plan = [*askings(pairs, variants, runs, words_of, perturbed)]
        yield AskedAnswers(session, model_options(model), work, run, plan, read=scope.read)


def _model_paraphrases(work: GraphAccess, pairs: Sequence[tuple[Sample, Question]], budget: Budget) -> dict[str, str]:
    raw = [(sample, question) for sample, question in pairs if question.run == RAW]
    texts: dict[str, str] = {}

    async def paraphrase(asker: Asker) -> None:
        paraphraser = ModelParaphraser(asker)

        async def ask(sample: Sample, question: Question) -> None:
            with suppress(NoCandidate):
                answers = (question.answer, *question.aliases, *sample.answers)
                texts[question.id] = (await paraphraser(question.text, answers)).text

        await gather_all(ask(sample, question) for sample, question in raw)

    with open_model_session(ModelOptions(), work, budget) as session, work.reporter:
        session.do(paraphrase, "paraphrase")
    return texts
