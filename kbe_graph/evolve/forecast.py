"""Requests that a run would make, rendered for its samples; later hops are modelled on the first."""

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from kbe_graph.checks.needed import ImageNotNeeded
from kbe_graph.checks.reasons import NOT_REPRESENTATIVE
from kbe_graph.errors import NoCandidate
from kbe_graph.evolve.blind_test import MOST_DRAFTS, calls_apart, raw_to_guess
from kbe_graph.evolve.mix import Mix
from kbe_graph.evolve.plan import Plan, done_samples, noun_answer, sample_ids
from kbe_graph.evolve.reselection import MOST_ASKED, asked_paths
from kbe_graph.evolve.second_look import MOST_INSPECTED
from kbe_graph.execute.executor import batches
from kbe_graph.extract.sample_graph import raw_question
from kbe_graph.models.request import Request
from kbe_graph.senses.noun import is_noun
from kbe_graph.steps.asker import Asker, StepRequest
from kbe_graph.steps.blind import ALTERNATIVES_BATCH, GUESS_BATCH, render_alternatives, render_guess
from kbe_graph.steps.expresser import decide_asked, render_express, render_reselect
from kbe_graph.steps.extractor import ExtractedTriplets, render_extract, render_graph, render_key
from kbe_graph.steps.model_source import render_hop, render_knowledge
from kbe_graph.steps.verifier import (
    INSPECT_BATCH,
    VERIFY_BATCH,
    Inspectable,
    render_inspect,
    render_representative,
    render_verify,
)
from kbe_graph.store import Store
from kbe_graph.types import RAW, Entity, Question, Sample, Triplet, question_id

PROPOSED = 5  # triplets assumed to be judged together for a question
MOST_PROPOSED = 8  # facts per reply


def requests_of(asker: Asker, step: StepRequest, sample: Sample, draw: int = 0) -> Iterator[Request]:
    """Yield the request of a step, or nothing if the image is missing, as it will not be made."""
    with suppress(NoCandidate):
        yield asker.request(step, sample, draw=draw)


def extract_requests(samples: Sequence[Sample], asker: Asker, *, two_calls: bool) -> Iterator[Request]:
    """Yield the requests of an extraction."""
    language = asker.language
    for sample in samples:
        if not two_calls:
            yield from requests_of(asker, render_graph(sample, language=language), sample)
            continue
        yield from requests_of(asker, render_extract(sample, language=language), sample)
        way = _shortest(sample)
        yield from requests_of(asker, render_key(sample, ExtractedTriplets(way * 8, way * 4)), sample)


def evolve_requests(
    store: Store, plan: Plan, mix: Mix, asker: Asker, ids: Sequence[str] | None = None
) -> Iterator[Request]:
    """Yield the largest set of requests that the remaining hops of a run may need, reading samples in batches.

    ``ids`` are the samples, by default those of the run. For a sample to be re-selected, every path that the model may
    be asked about is counted, as it may word none. A sample without a graph is counted with the shortest possible one.
    """
    run, hops = plan.run.name, range(1, plan.scope.hops + 1)
    done = {hop: done_samples(store, plan, hop) for hop in (0, *hops)}
    to_make: Counter[int] = Counter()
    typical: Inspectable | None = None
    draws, drafts = itertools.count(), _most_drafts(mix)
    for _, batch in batches(forecast_ids(store, plan) if ids is None else ids, plan.batch):
        samples = {sample.id: sample for sample in store.samples(ids=batch)}
        roots = _roots(store, run, samples)
        again = [samples[root.sample] for root in roots if root.sample not in done[0] and _is_to_reselect(root, plan)]
        to_make[0] += len(again)
        if mix.wording == "model":
            yield from _of_reselection(store, plan, again, asker)
        for question in roots:
            typical = typical or _new(samples[question.sample], question)
            missing = [hop for hop in hops if question.sample not in done[hop]]
            to_make.update(missing)
            for draw in range(len(missing)):
                for ask in _of_hop(question, mix, plan, asker.language):
                    yield from requests_of(asker, ask, samples[question.sample], draw)
        if typical and mix.guessing:
            raw = [samples[id_] for id_ in raw_to_guess(store, run, list(samples))]
            to_ask = {hop: [samples[each.sample] for each in roots if each.sample not in done[hop]] for hop in hops}
            for hop, looked_at in ((0, raw), (0, again), *((hop, to_ask[hop] * drafts) for hop in hops)):
                yield from _of_blind_test(typical.question, hop, looked_at, plan, asker, draws)
    if typical:
        yield from _of_second_looks(typical, _second_looks(to_make, mix), asker)


def _second_looks(to_make: Mapping[int, int], mix: Mix) -> dict[str, int]:
    facts = sum(-(-count * MOST_PROPOSED // VERIFY_BATCH) for hop, count in to_make.items() if hop)
    inspected = {hop: MOST_INSPECTED * -(-count // INSPECT_BATCH) for hop, count in to_make.items()}
    calls = {"verify": facts, "inspect": sum(inspected.values())}
    return {step: calls[step] for step in mix.verifying}


def _most_drafts(mix: Mix) -> int:
    are_free = mix.wording == "rule" or (mix.mode == "merged" and mix.knowledge == "model")
    return MOST_DRAFTS if are_free or mix.verify else 1


def _of_second_looks(typical: Inspectable, looks: Mapping[str, int], asker: Asker) -> Iterator[Request]:
    steps = {
        "verify": render_verify([typical.question.key] * VERIFY_BATCH),
        "inspect": render_inspect([typical] * INSPECT_BATCH, language=asker.language),
    }
    for step, count in looks.items():
        yield from (asker.request(steps[step], draw=number) for number in range(count))


def _of_blind_test(
    typical: Question, hop: int, samples: Sequence[Sample], plan: Plan, asker: Asker, draws: Iterator[int]
) -> Iterator[Request]:
    language, tries = asker.language, plan.filters.guess_tries
    pictures = [sample.picture_key for sample in samples]
    for call in calls_apart(pictures, GUESS_BATCH):
        step = render_guess([typical.text] * len(call), language=language, tries=tries)
        yield asker.request(step, draw=next(draws))
    for call in calls_apart(pictures, ALTERNATIVES_BATCH) if hop and plan.choice.asks(ImageNotNeeded.name) else ():
        yield asker.request(render_alternatives([typical] * len(call), language=language), draw=next(draws))


def most_questions(store: Store, plan: Plan, ids: Sequence[str] | None = None) -> int:
    """Count the most questions that the run's remaining hops can yield, for the samples ``ids`` or its own."""
    run, hops = plan.run.name, range(1, plan.scope.hops + 1)
    done = {hop: set(store.question_samples(run=run, hop=hop, status=None)) for hop in hops}
    ids = forecast_ids(store, plan) if ids is None else ids
    return sum(id_ not in done[hop] for id_ in ids for hop in hops)


def questions_to_come(store: Store, plan: Plan, ids: Sequence[str]) -> Iterator[tuple[Sample, Question]]:
    """Yield a run's questions with their samples: existing ones, and a typically long one for each to come."""
    run = plan.run.name
    done = {hop: done_samples(store, plan, hop) for hop in range(plan.scope.hops + 1)}
    for _, batch in batches(ids, plan.batch):
        samples = {sample.id: sample for sample in store.samples(ids=batch)}
        yield from ((samples[made.sample], made) for made in store.questions(run=run, samples=batch))
        for question in _roots(store, run, samples):
            sample = samples[question.sample]
            typical = _typical_questions(sample, question, run, plan.scope.hops)
            if question.kind == "raw" and plan.scope.reselect != "all" and noun_answer(question):
                next(typical)
            yield from ((sample, each) for each in typical if sample.id not in done[each.hop])


def forecast_ids(store: Store, plan: Plan) -> list[str]:
    """List the IDs of the samples that a run uses; all loaded samples if none has a graph yet."""
    status = "extracted" if store.count_samples(status="extracted") else "loaded"
    return sample_ids(store, plan.scope, status=status)


def _roots(store: Store, run: str, samples: Mapping[str, Sample]) -> list[Question]:
    ids = list(samples)
    questions = (*store.questions(run=RAW, samples=ids), *store.questions(run=run, hop=0, samples=ids))
    own = {question.sample: question for question in questions if question.key}
    return [own.get(id_) or raw_question(sample, _shortest(sample)) for id_, sample in samples.items()]


def _is_to_reselect(root: Question, plan: Plan) -> bool:
    return root.kind == "raw" and (plan.scope.reselect == "all" or not noun_answer(root))


def _typical_questions(sample: Sample, root: Question, run: str, hops: int) -> Iterator[Question]:
    question = root
    for hop in range(hops + 1):
        yield replace(question, id=question_id(sample.id, run, hop), run=run, hop=hop, kind="explored")
        question = _new(sample, question).question


def _shortest(sample: Sample) -> tuple[Triplet, ...]:
    noun = is_noun(sample.question, sample.answer).keep
    return (Triplet(Entity("IMAGE"), "depicts", Entity(sample.answer.upper(), noun=noun)),)


def _of_reselection(store: Store, plan: Plan, samples: Sequence[Sample], asker: Asker) -> Iterator[Request]:
    scope, language = plan.scope, asker.language
    graphs = store.graphs([sample.id for sample in samples])
    paths = store.reselect(graphs, seed=plan.run.seed, max_length=scope.max_length, timeout=scope.timeout)
    for sample in samples:
        if sample.id not in graphs:
            way = _shortest(sample) * 3
            for draw in range(MOST_ASKED):
                yield from requests_of(asker, render_reselect(sample, way, language=language), sample, draw)
            continue
        decide = partial(decide_asked, sample, graphs[sample.id], asks=plan.choice.asks, language=language)
        for path, decision in asked_paths(sample, paths.get(sample.id) or (), decide):
            if decision.keep:
                yield from requests_of(asker, render_reselect(sample, path, language=language), sample)


def _of_hop(question: Question, mix: Mix, plan: Plan, language: str) -> Iterator[StepRequest]:
    new = _next(question)
    if mix.knowledge == "model" and mix.mode == "merged":
        yield render_hop((question,), language=language)
    elif mix.knowledge == "model":
        yield render_knowledge(question, language=language)
        if plan.choice.asks(NOT_REPRESENTATIVE):
            yield render_representative(question, [new] * PROPOSED)
    if mix.wording == "model" and (mix.mode == "paper" or mix.knowledge != "model"):
        yield render_express(question, new, language=language)


def _new(sample: Sample, question: Question) -> Inspectable:
    triplet = _next(question)
    text = f"{question.text} {triplet.relation}?"
    key = (*question.key, triplet)
    return Inspectable(sample, replace(question, hop=question.hop + 1, text=text, answer=triplet.object.name, key=key))


def _next(question: Question) -> Triplet:
    return Triplet(question.end, "typical relation", Entity("SOME OBJECT"), "textual")
