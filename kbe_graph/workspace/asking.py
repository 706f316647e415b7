"""Work that asks a model: extraction, runs and guesses, by the chosen runner, and forecasts of their cost."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kbe_graph.checks.reasons import GUESSED, choose_checks
from kbe_graph.evolve.extract_samples import extract_by_asking
from kbe_graph.evolve.knowledge import ChosenSource, with_verdicts
from kbe_graph.evolve.mix import Mix, Role, RuleOrModel, require_independence, roles, warn_of_one_family
from kbe_graph.evolve.offline import filter_settings, gather
from kbe_graph.evolve.plan import Plan
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.evolve.with_model import ModelRun, model_plan
from kbe_graph.graph_access import GraphAccess
from kbe_graph.models import Request
from kbe_graph.models.cost import Estimate, estimate
from kbe_graph.progress import Reporter
from kbe_graph.steps.asker import Asker
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


def estimate_of(
    session: ModelSession, options: ModelOptions, requests: Iterable[Request], *, times: float = 1.0
) -> Estimate:
    """Estimate the cost of ``times`` as many requests by the chosen runner."""
    batch = options.runner in {"batch", "file"}
    return estimate(requests, session.book, session.calls, images=session.pictures, batch=batch, times=times)
