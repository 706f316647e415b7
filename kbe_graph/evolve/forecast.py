"""The requests a run would make, rendered for the samples as they are; later hops use the first one's words."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import count

from kbe_graph.checks.needed import ImageNotNeeded
from kbe_graph.checks.reasons import NOT_REPRESENTATIVE
from kbe_graph.errors import NoCandidate
from kbe_graph.evolve.blind_test import MOST_DRAFTS
from kbe_graph.evolve.mix import Mix
from kbe_graph.evolve.plan import Plan, done_samples, noun_answer, sample_ids
from kbe_graph.evolve.reselection import asked_paths
from kbe_graph.execute.executor import batches
from kbe_graph.extract.sample_graph import raw_question
from kbe_graph.models.request import Request
from kbe_graph.steps.asker import Asker, StepRequest
from kbe_graph.steps.blind import ALTERNATIVES_BATCH, GUESS_BATCH, render_alternatives, render_guess
from kbe_graph.steps.expresser import decide_asked, render_express, render_reselect
from kbe_graph.steps.extractor import ExtractedTriplets, render_extract, render_graph, render_key
from kbe_graph.steps.model_source import render_chain, render_hop, render_knowledge
from kbe_graph.steps.verifier import (
    INSPECT_BATCH,
    VERIFY_BATCH,
    Inspectable,
    render_inspect,
    render_representative,
    render_verify,
)
from kbe_graph.store import Store
from kbe_graph.types import RAW, Entity, Question, Sample, Triplet

PROPOSED = 5  # triplets that are judged together, taken for a question


def requests_of(asker: Asker, step: StepRequest, sample: Sample, draw: int = 0) -> Iterator[Request]:
    """Give the request of a step, none where the picture is missing: then none will be made."""
    with suppress(NoCandidate):
        yield asker.request(step, sample, draw=draw)


def extract_requests(samples: Sequence[Sample], asker: Asker, *, two_calls: bool) -> Iterator[Request]:
    """Return the requests of extraction."""
    language = asker.language
    for sample in samples:
        if not two_calls:
            yield from requests_of(asker, render_graph(sample, language=language), sample)
            continue
        yield from requests_of(asker, render_extract(sample, language=language), sample)
        way = _shortest(sample)
        yield from requests_of(asker, render_key(sample, ExtractedTriplets(way * 8, way * 4)), sample)


def evolve_requests(store: Store, plan: Plan, mix: Mix, asker: Asker) -> Iterator[Request]:
    """Give the requests of the hops that the run still has to make, the samples read a batch at a time.

    Of a sample that is to be re-selected, each path that the model may be asked for is counted: it may word none. Where
    no sample has a graph yet, each is counted with the shortest one, and none is re-selected.
    """
    run, hops = plan.run.name, range(1, plan.scope.hops + 1)
    done = {hop: done_samples(store, plan, hop) for hop in (0, *hops)}
    judged = questions = 0
    typical: Inspectable | None = None
    to_guess = Counter[int]()  # how many samples have questions to guess, by hop; those of the benchmark at hop 0
    for _, ids in batches(forecast_ids(store, plan), plan.batch):
        samples = {sample.id: sample for sample in store.samples(ids=ids)}
        roots = _roots(store, run, samples)
        again = [
            samples[root.sample]
            for root in roots
            if root.sample not in done[0] and _is_to_reselect(root, samples[root.sample], plan)
        ]
        questions += len(again)
        to_guess[0] += len(samples) + len(again)
        if mix.wording == "model":
            yield from _of_reselection(store, plan, again, asker)
        for question in roots:
            typical = typical or _new(samples[question.sample], question)
            missing = [hop for hop in hops if question.sample not in done[hop]]
            questions += len(missing)
            to_guess.update(missing)
            for draw in range(len(missing)):
                for ask in _of_hop(question, mix, plan, asker.language, first=not draw):
                    yield from requests_of(asker, ask, samples[question.sample], draw)
                    judged += 1
    if typical:
        yield from _of_blind_test(typical.question, to_guess, plan, asker) if mix.guessing else ()
        yield from _of_second_look(typical, judged, questions, mix, asker)


def _of_second_look(typical: Inspectable, judged: int, questions: int, mix: Mix, asker: Asker) -> Iterator[Request]:
    """Give the requests of a second model about so many facts and so many questions."""
    if "verify" in mix.steps:
        for number in range(-(-judged // VERIFY_BATCH)):
            yield asker.request(render_verify([typical.question.key] * VERIFY_BATCH), draw=number)
    if "inspect" in mix.steps:
        for number in range(-(-questions // INSPECT_BATCH)):
            yield asker.request(render_inspect([typical] * INSPECT_BATCH, language=asker.language), draw=number)


def _of_blind_test(typical: Question, to_guess: Mapping[int, int], plan: Plan, asker: Asker) -> Iterator[Request]:
    """Give the requests of the guesses and of the alternatives, the most that may be looked at in each hop."""
    language, tries = asker.language, plan.filters.guess_tries
    by_others, draws = plan.choice.asks(ImageNotNeeded.name), count()
    for hop, samples in to_guess.items():
        for _ in range(MOST_DRAFTS if hop else 1):
            for _ in range(-(-samples // GUESS_BATCH)):
                step = render_guess([typical.text] * min(GUESS_BATCH, samples), language=language, tries=tries)
                yield asker.request(step, draw=next(draws))
            for _ in range(-(-samples // ALTERNATIVES_BATCH) if hop and by_others else 0):
                step = render_alternatives([typical] * min(ALTERNATIVES_BATCH, samples), language=language)
                yield asker.request(step, draw=next(draws))


def most_questions(store: Store, plan: Plan) -> int:
    """Return the most questions that the remaining hops of the run can give."""
    run, hops = plan.run.name, range(1, plan.scope.hops + 1)
    done = {hop: set(store.question_samples(run=run, hop=hop, status=None)) for hop in hops}
    ids = forecast_ids(store, plan)
    return sum(id_ not in done[hop] for id_ in ids for hop in hops)


def forecast_ids(store: Store, plan: Plan) -> list[str]:
    """Return the ids of the samples that a run takes; of all that are loaded where none has a graph yet."""
    status = "extracted" if store.count_samples(status="extracted") else "loaded"
    return [id_ for id_ in sample_ids(store, plan.scope, status=status) if plan.holds(id_)]


def _roots(store: Store, run: str, samples: Mapping[str, Sample]) -> list[Question]:
    """Return a question of each sample: the re-selected one, else its own, which may be re-selected yet."""
    ids = list(samples)
    questions = (*store.questions(run=RAW, samples=ids), *store.questions(run=run, hop=0, samples=ids))
    own = {question.sample: question for question in questions if question.key}
    return [own.get(id_) or raw_question(sample, _shortest(sample)) for id_, sample in samples.items()]


def _is_to_reselect(root: Question, sample: Sample, plan: Plan) -> bool:
    """Whether a sample with this question may be re-selected."""
    has_graph = root.kind == "raw" and root.key != _shortest(sample)
    return has_graph and (plan.scope.reselect == "all" or not noun_answer(root))


def _shortest(sample: Sample) -> tuple[Triplet, ...]:
    """Return the shortest key path that a sample can have."""
    return (Triplet(Entity("IMAGE"), "depicts", Entity(sample.answer.upper())),)


def _of_reselection(store: Store, plan: Plan, samples: Sequence[Sample], asker: Asker) -> Iterator[Request]:
    """Give a request for each path that the model may be asked to word."""
    scope, language = plan.scope, asker.language
    graphs = store.graphs([sample.id for sample in samples])
    paths = store.reselect(graphs, seed=plan.run.seed, max_length=scope.max_length, timeout=scope.timeout)
    for sample in samples:
        for path in asked_paths(sample, paths.get(sample.id, ())):
            if decide_asked(sample, graphs[sample.id], path, plan.choice.asks, language=language).keep:
                yield from requests_of(asker, render_reselect(sample, path, language=language), sample)


def _of_hop(question: Question, mix: Mix, plan: Plan, language: str, *, first: bool) -> Iterator[StepRequest]:
    new = _next(question)
    if mix.knowledge == "model" and mix.mode == "chain":
        if first:
            yield render_chain(question, plan.scope.hops, language=language)
    elif mix.knowledge == "model" and mix.mode == "merged":
        yield render_hop((question,), language=language)
    elif mix.knowledge == "model":
        yield render_knowledge(question, language=language)
        if plan.choice.asks(NOT_REPRESENTATIVE):
            yield render_representative(question, [new] * PROPOSED)
    if mix.wording == "model" and (mix.mode == "paper" or mix.knowledge != "model"):
        yield render_express(question, new, language=language)


def _new(sample: Sample, question: Question) -> Inspectable:
    """Return a question of the first hop, as long as most."""
    triplet = _next(question)
    text = f"{question.text} {triplet.relation}?"
    key = (*question.key, triplet)
    return Inspectable(sample, replace(question, hop=question.hop + 1, text=text, answer=triplet.object.name, key=key))


def _next(question: Question) -> Triplet:
    """Return a triplet as long as most."""
    return Triplet(question.end, "typical relation", Entity("SOME OBJECT"), "textual")
