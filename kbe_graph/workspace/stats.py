"""``work.stats``: statistics of questions and triplets, and the accuracy of guessing."""

from dataclasses import replace
from typing import TYPE_CHECKING

from kbe_graph.errors import InputError
from kbe_graph.extras import require_extra
from kbe_graph.graph_access import GraphAccess
from kbe_graph.options import takes
from kbe_graph.statistics import STATISTICS
from kbe_graph.store import Store
from kbe_graph.workspace.verbs import RunChoice, StatisticOptions

if TYPE_CHECKING:
    import pandas as pd

    from kbe_graph.figures.guess import BlindQuestion, Guesses
    from kbe_graph.steps.model_options import ModelOptions


class Stats:
    """Statistics: ``table`` of one kind, ``guess`` answers without pictures.

    >>> work.stats.table("demo")["hop"].max() >= 2
    np.True_
    """

    def __init__(self, access: GraphAccess) -> None:
        self._access = access

    @takes
    def table(self, *, what: str = "questions", options: StatisticOptions) -> "pd.DataFrame":
        """Compute lengths, key edges and relations of the questions by benchmark and hop (KBE, Table 2).

        The questions are the raw ones and those of a run, chosen as in ``export``. ``balanced`` keeps only the samples
        that have a question at every hop of the run, so that all rows describe the same samples.

        ``what`` selects another statistic: "variety" of the questions; "relations", "chains" or "objects" of the
        triplets. ``kbe stats --help`` explains each. Raises InputError for an unknown statistic.

        >>> work.stats.table("demo", what="relations")["relation"][0] != ""
        True
        """
        from kbe_graph.export.selection import select
        from kbe_graph.statistics.question_statistics import OF_QUESTIONS, OF_TRIPLETS, balanced_set, edge_frame

        if what not in STATISTICS:
            raise InputError(f"no statistic {what!r}; take one of {', '.join(STATISTICS)}")
        store, name = self._access.store, self._access.choose_run(options.run, incomplete=options.incomplete)
        if what in OF_QUESTIONS:
            questions = select(store, run=name).questions
            return OF_QUESTIONS[what](balanced_set(questions) if options.balanced else questions)
        with self._access.reporter.waiting("reading the triplets"):
            edges = edge_frame(store, name)
        return OF_TRIPLETS[what](edges)

    @takes
    def guess(self, *, model: "ModelOptions | str | None" = None, options: RunChoice) -> "Guesses":
        """Measure how often the raw questions, and those of a run hop by hop, are answered without their pictures.

        The run is chosen as in ``export``. Guessers that use only words learn from the other questions of the same row.
        A ``model`` sees only the questions; repeating the call asks nothing twice. Raises InputError, BudgetReached and
        ResourceError.

        >>> [row.row for row in work.stats.guess("demo").rows][-1]
        'hop 2'
        """
        require_extra("guess")
        from kbe_graph.figures.guess import ask_guesses, guess, guess_options
        from kbe_graph.steps.session import open_sessions

        name = self._access.choose_run(options.run, incomplete=options.incomplete)
        with self._access.reporter.waiting("reading the questions"):
            blind_questions = run_blind_questions(self._access.store, name)
        with self._access.reporter, open_sessions(self._access, model) as (session,):
            replies, awaits = ask_guesses(session, blind_questions) if session else ({}, ())
        with self._access.reporter.waiting("guessing"):
            guesses = guess(blind_questions, replies=replies)
        return replace(guesses, options=guess_options(self._access.forms(name)), awaits=awaits)


def run_blind_questions(store: Store, run: str | None) -> "list[BlindQuestion]":
    """Read the raw questions and those kept of a run, as questions."""
    from kbe_graph.export.selection import select
    from kbe_graph.figures.guess import blind_question_of

    return [blind_question_of(sample, question) for sample, question in select(store, run=run)]
