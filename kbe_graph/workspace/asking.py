"""Work that asks a model: extraction, runs and guesses, by the chosen runner, and forecasts of their cost."""

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from kbe_graph.checks.reasons import GUESSED, choose_checks
from kbe_graph.errors import KbeWarning
from kbe_graph.evaluate.guessers import BlindQuestion
from kbe_graph.evolve.extract_samples import extract_by_asking
from kbe_graph.evolve.knowledge import ChosenSource, with_verdicts
from kbe_graph.evolve.mix import Mix, Role, RuleOrModel, require_independence, roles, warn_of_one_family
from kbe_graph.evolve.offline import filter_settings, gather
from kbe_graph.evolve.plan import Plan
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.evolve.with_model import ModelRun, model_plan
from kbe_graph.execute.executor import batches
from kbe_graph.graph_access import GraphAccess
from kbe_graph.models import Request
from kbe_graph.models.cost import Estimate, estimate
from kbe_graph.models.loop import gather_all
from kbe_graph.progress import Reporter
from kbe_graph.seeds import seed_of
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.blind import GUESS_BATCH, ModelGuesser, render_guess
from kbe_graph.steps.extractor import ModelExtractor
from kbe_graph.steps.model_options import ModelOptions, model_options, open_model_session
from kbe_graph.steps.session import ModelSession
from kbe_graph.store import Store
from kbe_graph.types import Sample
from kbe_graph.workspace.extracting import Extracted, outcome_of


@dataclass(frozen=True, slots=True)
class AskedExtraction:
    """Samples that a model is asked about: twice each in mode paper, once in the others."""

    session: ModelSession
    options: ModelOptions
    store: Store
    samples: Sequence[Sample]

    def extract(self, reporter: Reporter) -> Extracted:
        """Ask, and save the outcome."""
        outcomes: Counter[str] = Counter()

        async def work(asker: Asker) -> None:
            extractor = ModelExtractor(asker, self._two_calls)
            extracting = extract_by_asking(
                self.store, self.samples, extractor.extract, prompt=extractor.prompt, progress=reporter
            )
            outcomes.update(await extracting)

        steps = ("extract", "key") if self._two_calls else ("graph",)
        awaits = self.session.do(work, *steps)
        return outcome_of(self.samples, outcomes, awaits=awaits)

    @property
    def _two_calls(self) -> bool:
        return self.options.mode == "paper"


@dataclass(frozen=True, slots=True)
class AskedRun:
    """A run in which a model is asked for facts, for wordings, or for both."""

    session: ModelSession
    options: ModelOptions
    work: GraphAccess
    plan: Plan
    mix: Mix
    models: Sequence[Role]

    def evolve(self, source: ChosenSource, reporter: Reporter) -> tuple[Path, ...]:
        """Evolve; return the files of calls whose replies the run waits for, none where it came to its end."""
        folder, store = self.work.folder, self.work.store
        plan, mix, settings = self.plan, self.mix, filter_settings(folder)
        knowledge = gather(folder, store, plan, source, progress=reporter)
        run_ = ModelRun(folder, store, plan, mix, settings, knowledge, self.models, reporter)
        return self.session.do(run_.evolve, *mix.steps)


class Replies(NamedTuple):
    """A model's replies to questions, by text, and the files of calls whose replies are waited for."""

    answers: Mapping[str, str]
    awaits: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class AskedGuesses:
    """Questions that a model is asked without their pictures, some in a call."""

    session: ModelSession
    options: ModelOptions
    texts: Sequence[str]

    def ask(self) -> Replies:
        """Ask, and return the replies; a warning tells how many questions have no usable one."""
        answers: dict[str, str] = {}

        async def work(asker: Asker) -> None:
            for part in await gather_all(map(ModelGuesser(asker).first_answers, self._batches())):
                answers.update(part)

        awaits = self.session.do(work, "guess")
        if not awaits and (lost := len(self.texts) - len(answers)):
            warnings.warn(
                f"the model's replies to {lost} of {len(self.texts)} questions are unusable and left out; see "
                "the failed calls",
                KbeWarning,
                stacklevel=4,
            )
        return Replies(answers, awaits)

    def forecast(self) -> Estimate:
        """Estimate the cost of asking."""
        return estimate_of(self.session, self.options, self._requests())

    def _batches(self) -> Iterator[Sequence[str]]:
        return (batch for _, batch in batches(self.texts, GUESS_BATCH))

    def _requests(self) -> Iterator[Request]:
        asker = self.session.renderer
        return (asker.request(render_guess(batch, language=asker.language)) for batch in self._batches())


def plan_run(
    session: ModelSession,
    options: ModelOptions,
    work: GraphAccess,
    scope: RunOptions,
    *,
    knowledge: str = "model",
    wording: RuleOrModel = "model",
) -> AskedRun:
    """Return the run as it is planned; raises ConfigError where its models are of one family and may not be."""
    asks = choose_checks(scope.filters, facts_known=knowledge != "model").asks
    blind = options.blind if asks(GUESSED) else "off"
    mix = Mix(options.mode, knowledge, wording, options.ground, options.verify, options.language, blind)
    models = roles(mix, session.book)
    if options.independent:
        require_independence(models)
    elif options.verify:
        warn_of_one_family(models)
    plan = model_plan(scope, mix, filter_settings(work.folder), models, session.prompts)
    return AskedRun(session, options, work, with_verdicts(plan, work.folder), mix, models)


@contextmanager
def open_extraction(
    work: GraphAccess, model: ModelOptions | str, samples: Sequence[Sample]
) -> Iterator[AskedExtraction]:
    """Give the samples, ready for asking; raises ConfigError and ResourceError."""
    with open_model_session(model, work) as session:
        yield AskedExtraction(session, model_options(model), work.store, samples)


@contextmanager
def open_run(work: GraphAccess, model: ModelOptions | str, scope: RunOptions, **parts: Any) -> Iterator[AskedRun]:
    """Give the run as ``plan_run`` plans it, ready for asking; raises ConfigError and ResourceError."""
    with open_model_session(model, work) as session:
        yield plan_run(session, model_options(model), work, scope, **parts)


@contextmanager
def open_guesses(
    work: GraphAccess, model: ModelOptions | str, blind_questions: Sequence[BlindQuestion]
) -> Iterator[AskedGuesses]:
    """Give the questions' texts, ready for asking; raises ConfigError and ResourceError."""
    with open_model_session(model, work) as session:
        yield AskedGuesses(session, model_options(model), distinct_texts(blind_questions))


def ask_guesses(work: GraphAccess, model: ModelOptions | str, blind_questions: Sequence[BlindQuestion]) -> Replies:
    """Ask a model the questions' texts; raises ConfigError, ResourceError and BudgetReached."""
    with work.reporter, open_guesses(work, model, blind_questions) as asked:
        return asked.ask()


def distinct_texts(blind_questions: Iterable[BlindQuestion]) -> list[str]:
    """List each question's text once, so mixed that a sample's own questions hardly ever stand in one call."""
    return sorted({blind_question.text for blind_question in blind_questions}, key=lambda text: seed_of("guess", text))


def estimate_of(
    session: ModelSession, options: ModelOptions, requests: Iterable[Request], *, times: float = 1.0
) -> Estimate:
    """Estimate the cost of ``times`` as many requests by the chosen runner."""
    batch = options.runner in {"batch", "file"}
    return estimate(requests, session.book, session.calls, images=session.pictures, batch=batch, times=times)
