"""Forecasts of cost: a model makes and checks graphs and questions of so many samples, and others answer."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby

from kbe_graph.evaluate.prompting import asked_words, askings
from kbe_graph.evaluate.responses import read_judge
from kbe_graph.evolve.forecast import (
    evolve_requests,
    extract_requests,
    most_questions,
    questions_to_come,
    requests_of,
)
from kbe_graph.evolve.plan import sample_ids
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.execute.executor import batches
from kbe_graph.export.selection import select
from kbe_graph.graph_access import GraphAccess
from kbe_graph.models.cost import Estimate, total
from kbe_graph.models.request import Request
from kbe_graph.seeds import draw_ids
from kbe_graph.steps.answerer import JUDGE_BATCH, Judgeable, render_judge
from kbe_graph.steps.asker import Asker
from kbe_graph.store import Store
from kbe_graph.types import Question, Sample
from kbe_graph.workspace.asking import estimate_of, plan_run
from kbe_graph.workspace.evaluation import STEP, AskedAnswers, warn_of_missing_pictures
from kbe_graph.workspace.model_options import ModelOptions, open_model_session

STATUSES = ("loaded", "extracted", "dropped")
ANSWER = "an answer of a few words"  # as long as most
Pairs = Sequence[tuple[Sample, Question]]


def estimate_whole(
    work: GraphAccess, options: ModelOptions, scope: RunOptions, *, answerers: Sequence[str] = (), judge: str = "alias"
) -> Estimate:
    """Estimate the cost of graphs and questions by a model, of its checks, and of models that answer and are judged.

    Samples with a graph need none; ``answerers`` are names of models, which are asked the raw questions of all samples
    that are loaded, as ``evaluate`` does. Raises ConfigError, InputError and ResourceError.
    """
    store = work.store
    store.require_questions()
    ids = whole_ids(store, scope)
    with open_model_session(options, work) as session:
        run = plan_run(session, options, work, scope)
        warn_of_missing_pictures(session, store.samples(ids=ids))
        waiting = set(store.sample_ids(status="loaded")).intersection(ids)
        graphs = extract_requests(
            store.samples(ids=sorted(waiting)), session.renderer, two_calls=options.mode == "paper"
        )
        hops = evolve_requests(store, run.plan, run.mix, session.renderer, ids)
        making = estimate_of(session, options, chain(graphs, hops))
        questions = most_questions(store, run.plan, ids)
    raw = [*select(store, loaded=True)] if answerers else []
    pairs = [*raw, *questions_to_come(store, run.plan, ids)] if answerers else []
    answering = [_answering(work, replace(options, name=name), pairs, run.plan.run.name, judge) for name in answerers]
    return replace(total([making, *answering]), questions=questions, waiting=len(waiting))


def whole_ids(store: Store, scope: RunOptions) -> list[str]:
    """Return the ids of the samples, drawn as ``extract`` does while some have no graph, then as ``evolve`` does."""
    if not store.count_samples(status="loaded"):
        return sample_ids(store, scope)
    ids = sorted(id_ for status in STATUSES for id_ in store.sample_ids(status=status))[: scope.limit]
    return ids if scope.sample is None else draw_ids(ids, scope.sample, scope.seed)


def _answering(work: GraphAccess, options: ModelOptions, pairs: Pairs, run: str, judge: str) -> Estimate:
    with open_model_session(options, work) as session:
        runs = 2 if session.book.settings_for(STEP).temperature > 0 else 1
        plan = [*askings(pairs, ("image",), runs, asked_words)]
        answers = AskedAnswers(session, options, work, run, plan).forecast()
    choice = read_judge(judge)
    if choice.rule:
        return answers
    with open_model_session(replace(options, name=choice.model or None), work) as session:
        requests = _judge_requests(pairs, session.renderer, runs, as_paper=choice.as_paper)
        return total([answers, estimate_of(session, options, requests)])


def _judge_requests(pairs: Pairs, asker: Asker, runs: int, *, as_paper: bool) -> Iterator[Request]:
    by_sample = sorted(pairs, key=lambda pair: pair[0].id)
    for _, group in groupby(by_sample, key=lambda pair: pair[0].id):
        pairs_of_sample = [*group] * runs
        for draw, (_, batch) in enumerate(batches(pairs_of_sample, JUDGE_BATCH)):
            answers = [Judgeable(each.text, each.answer, each.aliases, ANSWER) for _, each in batch]
            yield from requests_of(asker, render_judge(answers, as_paper=as_paper), batch[0][0], draw)
