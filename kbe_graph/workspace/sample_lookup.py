"""Finds samples by their ids: the story of one, and the triplets of one or of all."""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING

from kbe_graph.errors import InputError
from kbe_graph.graph_access import GraphAccess
from kbe_graph.store import Store
from kbe_graph.store.samples import STATES
from kbe_graph.types import RAW, Question, Sample, draw_ids, sample_of_question
from kbe_graph.workspace.values import SampleTriplet

if TYPE_CHECKING:
    from kbe_graph.show.sample_story import SampleStory


def sample_story(access: GraphAccess, id_: str, *, run: str | None, status: str | None) -> "SampleStory":
    """Gather a sample, by its id or that of one of its questions, with its questions; raises InputError."""
    from kbe_graph.show.sample_story import SampleStory

    name, store = sample_of_question(id_), access.store
    store.require_run(run)
    sample = require_sample(store, name)
    questions = store.questions(samples=[name], status=status)
    chain = sorted(
        (question for question in questions if question.run in {RAW, run or question.run}),
        key=lambda question: (question.run != RAW, question.run, question.hop),
    )
    pictures = access.folder.images().of(sample)
    state = None if status else store.sample_status([name])[name]
    return SampleStory(
        sample,
        tuple(chain),
        pictures,
        state,
        tuple(store.inspections(sample=name)),
        guesses=tuple(guess for guess in store.guesses(samples=[name]) if guess.run == (run or guess.run)),
        alternatives=store.alternatives([question.id for question in chain]),
    )


def triplets_of(store: Store, sample: str | None, run: str | None) -> Iterator[SampleTriplet]:
    """Give the triplets of a sample or of all, then those that a run explored; raises InputError for its name."""
    store.require_run(run)
    ids = store.sample_ids(status="extracted") if sample is None else [sample]
    for id_, graph in store.graphs(ids).items():
        for triplet in (*graph.visual, *graph.textual):
            yield SampleTriplet(id_, triplet, triplet in graph.key)
    for question in [] if run is None else store.questions(run=run, samples=ids):
        if question.kind == "explored":
            yield SampleTriplet(question.sample, question.key[-1], key=True, run=question.run, hop=question.hop)


def require_sample(store: Store, name: str) -> Sample:
    """Read the sample of an id; raises InputError, which names the nearest ids."""
    for sample in store.samples(ids=[name]):
        return sample
    near = get_close_matches(name, (id_ for status in STATES for id_ in store.sample_ids(status=status)), 3)
    raise InputError(f"no sample {name!r}; the nearest are {', '.join(near) or 'none'}")


def asked_questions(
    access: GraphAccess,
    run: str | None,
    benchmark: str | None = None,
    hops: str | None = None,
    *,
    sample: int | None = None,
) -> list[tuple[Sample, Question]]:
    """Read the raw questions and those of a run; ``sample`` is how many samples are drawn. Raises InputError."""
    from kbe_graph.evaluate.prompting import read_hops
    from kbe_graph.export.selection import select

    wanted = read_hops(hops) if hops else None
    with access.reporter.waiting("reading the questions"):
        pairs = [
            (sample, question)
            for sample, question in select(access.store, run=run, benchmark=benchmark, loaded=True)
            if wanted is None or question.hop in wanted
        ]
    if sample is None:
        return pairs
    drawn = set(draw_ids({each.id for each, _ in pairs}, sample, 0))
    return [(each, question) for each, question in pairs if each.id in drawn]
