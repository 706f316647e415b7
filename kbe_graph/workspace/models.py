"""``work.models``: the forecast and the actual cost of models, and the calls that failed."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.graph_access import GraphAccess
from kbe_graph.options import takes
from kbe_graph.steps.model_options import MODEL, ModelOptions, model_options
from kbe_graph.workspace.reporting import read_costs

if TYPE_CHECKING:
    from kbe_graph.models.batch import AppliedReplies
    from kbe_graph.models.call_store import FailedCall, Summary
    from kbe_graph.models.cost import Estimate


class Models:
    """The calls of models in a workspace.

    - before the work: ``estimate`` gives the cost
    - after the work: ``costs``, ``failed_calls``
    - batch files: ``waiting_calls`` counts the calls in them, ``take_replies`` imports the replies

    >>> work.models.costs().dollars
    0
    """

    def __init__(self, access: GraphAccess) -> None:
        self._access = access

    @takes
    def estimate(
        self,
        model: ModelOptions | str = MODEL,
        *,
        evaluate: Sequence[str] | str = (),
        scope: RunOptions,
    ) -> "Estimate":
        """Estimate the cost of graphs, hops, checks and an evaluation, without calling any model.

        ``model`` makes the questions, and the graphs of samples that have none. Its ``verify`` adds the check of each
        question. ``evaluate`` names the models that answer; judges are not counted. ``steps`` of the estimate lists the
        cost of each step. No key is needed. Raises ConfigError and InputError.

        >>> llama = kbe.ModelOptions("llama", base_url="http://127.0.0.1:8000/v1")
        >>> estimate = work.models.estimate(llama, evaluate="llava", run="dry", hops=2)
        >>> estimate.calls == sum(part.calls for part in estimate.steps)
        True
        """
        from kbe_graph.workspace.estimating import estimate_whole

        names = [evaluate] if isinstance(evaluate, str) else evaluate
        return estimate_whole(self._access, model_options(model), scope, names)

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
        from kbe_graph.steps.session import open_session

        with open_session(model, self._access) as session:
            return apply_replies(Path(file), session.book, session.calls)
