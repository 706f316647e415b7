"""The samples that a run works on, the questions that it starts from, and what the graph does not hold yet.

Of all samples only the ids are held; the rest is read a batch at a time, so that memory does not grow with a benchmark.
"""

from collections.abc import Sequence

from kbe_graph.evolve.plan import Plan
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.seeds import draw_ids
from kbe_graph.steps.asker import NO_PICTURE, REPLY
from kbe_graph.store import Store
from kbe_graph.types import RAW, Question


def sample_ids(store: Store, scope: RunOptions) -> list[str]:
    """Return the ids of the samples that a run is asked for, whatever its shard."""
    ids = store.sample_ids(status="extracted", limit=scope.limit)
    return ids if scope.sample is None else draw_ids(ids, scope.sample, scope.seed)


def done_samples(store: Store, plan: Plan, hop: int) -> set[str]:
    """Return the samples whose question of a hop is made or dropped for good.

    A hop that dropped because a model's reply could not be used, or a picture was not there, is tried again by the same
    command.
    """
    run = plan.run.name
    again = store.samples_to_ask_again(run=run, hop=hop, reason=NO_PICTURE, beginning=REPLY) if plan.asks else ()
    return set(store.question_samples(run=run, hop=hop, status=None)).difference(again)


def noun_answer(question: Question) -> bool:
    """Return whether the answer is a noun: the sample is in Pos_T1, else in Pos_F."""
    return question.end.noun


def first_questions(store: Store, run: str, ids: Sequence[str]) -> list[Question]:
    """Return the question that each sample is explored from: its own where the answer is a noun, else re-selected."""
    own = [question for question in store.questions(run=RAW, samples=ids) if noun_answer(question)]
    starting = {question.sample for question in own}
    return own + [each for each in store.questions(run=run, hop=0, samples=ids) if each.sample not in starting]


def samples_to_reselect(store: Store, scope: RunOptions) -> list[str]:
    """Return the ids of the samples whose answer is no noun, or of all where the scope says so."""
    return store.question_samples(run=RAW, hop=0, noun=None if scope.reselect == "all" else False)


def samples_to_explore(store: Store, run: str, hop: int) -> set[str]:
    """Return the ids of the samples with a question to go on from: one of the hop before, or one with a noun answer."""
    if hop > 1:
        return set(store.question_samples(run=run, hop=hop - 1))
    return {sample for name in (RAW, run) for sample in store.question_samples(run=name, hop=0, noun=True)}
