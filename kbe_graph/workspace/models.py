"""``work.models``: the forecast and the actual cost of models, and the calls that failed."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.graph_access import GraphAccess
from kbe_graph.options import checked, takes
from kbe_graph.steps.model_options import MODEL, ModelOptions, model_options, open_model_session
from kbe_graph.types import Variant
from kbe_graph.workspace.reporting import read_costs

if TYPE_CHECKING:
    from kbe_graph.evolve.plan import RuleOrModel
    from kbe_graph.models.batch import AppliedReplies
    from kbe_graph.models.call_store import FailedCall, Summary
    from kbe_graph.models.cost import Estimate


@checked
class Models:
    """The calls of models in a workspace.

    - before the work: ``estimate`` gives the cost of everything; ``forecast_extract``, ``forecast_evolve``,
      ``forecast_evaluate`` and ``forecast_guess`` give the cost of what remains of one step
    - after the work: ``costs``, ``failed_calls``
    - batch files: ``waiting_calls`` counts the calls in them, ``take_replies`` imports the replies

    >>> work.models.costs().dollars
    0
    """

    def __init__(self, access: GraphAccess) -> None:
        self._access = access

    @takes(RunOptions)
    def estimate(
        self,
        model: ModelOptions | str = MODEL,
        *,
        evaluate: Sequence[str] | str = (),
        judge: str = "alias",
        **options: Any,
    ) -> "Estimate":
        """Estimate the cost of graphs, hops, checks and an evaluation, without calling any model.

        ``model`` makes the questions, and the graphs of samples that have none. Its ``verify`` adds the check of each
        question. ``evaluate`` names the models that answer, and ``judge`` is a judge of ``work.evaluate``. ``steps`` of
        the estimate lists the cost of each step. No key is needed. Raises ConfigError and InputError.

        >>> llama = kbe.ModelOptions("llama", base_url="http://127.0.0.1:8000/v1")
        >>> estimate = work.models.estimate(llama, evaluate="llava", run="dry", hops=2)
        >>> estimate.calls == sum(part.calls for part in estimate.steps)
        True
        """
        from kbe_graph.workspace.estimating import estimate_whole

        names = [evaluate] if isinstance(evaluate, str) else evaluate
        scope = RunOptions.of(options)
        return estimate_whole(self._access, model_options(model), scope, answerers=names, judge=judge)

    def forecast_extract(
        self,
        model: ModelOptions | str = MODEL,
        *,
        benchmark: str | None = None,
        sample: int | None = None,
        seed: int = 0,
    ) -> "Estimate":
        """Estimate the cost of ``work.extract`` with a model, without calling it.

        >>> work.models.forecast_extract(kbe.ModelOptions("llava", base_url="http://127.0.0.1:8000/v1")).dollars
        0.0
        """
        from kbe_graph.workspace.estimating import estimate_extraction
        from kbe_graph.workspace.extracting import samples_of

        samples = samples_of(self._access.store, benchmark, number=sample, seed=seed)
        return estimate_extraction(self._access, model_options(model), samples)

    @takes(RunOptions)
    def forecast_evolve(
        self,
        model: ModelOptions | str = MODEL,
        *,
        knowledge: str | None = None,
        wording: "RuleOrModel | None" = None,
        **options: Any,
    ) -> "Estimate":
        """Estimate the cost of ``work.evolve`` with a model, or of the rest of a run, without calling it.

        >>> llama = kbe.ModelOptions("llama", base_url="http://127.0.0.1:8000/v1")
        >>> work.models.forecast_evolve(llama, run="dry").calls > 0
        True
        """
        from kbe_graph.evolve.plan import sample_ids
        from kbe_graph.workspace.estimating import estimate_run
        from kbe_graph.workspace.evolving import choose_mix, open_run

        mix, scope, store = choose_mix(knowledge, wording, model), RunOptions.of(options), self._access.store
        ids = sample_ids(store, scope) or sample_ids(store, scope, status="loaded")
        with open_run(self._access, model, scope, mix) as planned:
            return estimate_run(self._access, planned, model_options(model), ids, graphs=False)

    def forecast_evaluate(
        self,
        model: ModelOptions | str = MODEL,
        *,
        run: str | None = None,
        hops: str | None = None,
        benchmark: str | None = None,
        incomplete: bool = False,
        variants: Sequence[Variant] = ("image",),
        runs: int | None = None,
        read: str = "auto",
    ) -> "Estimate":
        """Estimate the cost of ``work.evaluate`` or of the rest of it, without judges and without calling the model.

        The questions are chosen as in ``evaluate``. Paraphrases are made by rules.

        >>> llava = kbe.ModelOptions("llava", base_url="http://127.0.0.1:8000/v1")
        >>> work.models.forecast_evaluate(llava, run="demo").calls > 0
        True
        """
        from kbe_graph.evaluate.evaluation import STEP, AskingScope, answer_requests, plan_askings
        from kbe_graph.workspace.estimating import estimate_of
        from kbe_graph.workspace.sample_lookup import asked_questions

        name = self._access.choose_run(run, incomplete=incomplete)
        pairs = asked_questions(self._access, name, benchmark=benchmark, hops=hops)
        with open_model_session(model, self._access) as session:
            plan = plan_askings(self._access, session, pairs, name, AskingScope(variants, runs, read))
            own = session.book.settings_for(STEP).model
            answered = {each.id for each in self._access.predictions(name, own)}
            waiting = [asking for asking in plan if asking.prediction_id(own) not in answered]
            return estimate_of(session, model_options(model), answer_requests(session, waiting))

    def forecast_guess(
        self, model: ModelOptions | str, run: str | None = None, *, incomplete: bool = False
    ) -> "Estimate":
        """Estimate the cost of ``work.stats.guess`` with a model, without calling it.

        >>> llama = kbe.ModelOptions("llama", base_url="http://127.0.0.1:8000/v1")
        >>> work.models.forecast_guess(llama, "demo").calls > 0
        True
        """
        from kbe_graph.evaluate.guess import guess_requests
        from kbe_graph.workspace.estimating import estimate_of
        from kbe_graph.workspace.stats import run_blind_questions

        name = self._access.choose_run(run, incomplete=incomplete)
        with open_model_session(model, self._access) as session:
            requests = guess_requests(session, run_blind_questions(self._access.store, name))
            return estimate_of(session, model_options(model), requests)

    def costs(self) -> "Summary":
        """Count calls, cache hits, failures, tokens and dollars by step and model, and the dollars per kept question.

        >>> work.models.costs().dollars
        0
        """
        return read_costs(self._access)

    def failed_calls(self, limit: int = 50) -> "list[FailedCall]":
        """List the last failed calls, newest first, with the messages of the endpoint.

        >>> work.models.failed_calls()
        []
        """
        from kbe_graph.models.call_store import failed_calls
        from kbe_graph.steps.session import open_call_store

        with closing(open_call_store(self._access.folder)) as calls:
            return failed_calls(calls, limit=limit)

    def waiting_calls(self) -> dict[str, dict[str, int]]:
        """Count the calls that wait for replies, by the name of their batch file and by step.

        >>> work.models.waiting_calls()
        {}
        """
        from kbe_graph.models.call_store import waiting_calls
        from kbe_graph.steps.session import open_call_store

        with closing(open_call_store(self._access.folder)) as calls:
            return waiting_calls(calls)

    def take_replies(self, file: Path | str, model: ModelOptions | str = MODEL) -> "AppliedReplies":
        """Import the replies of a batch file as the provider returned it. Then repeat the call that waits for them."""
        from kbe_graph.models.batch import apply_replies

        with open_model_session(model, self._access) as session:
            return apply_replies(Path(file), session.book, session.calls)
