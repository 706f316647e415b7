"""The requests that a run would make, rendered for the samples as they are; later hops stand in with the first one's words."""

from collections.abc import Iterator, Sequence

from kbe_graph.evolve.mix import Mix
from kbe_graph.evolve.plan import Plan
from kbe_graph.evolve.raw import RAW
from kbe_graph.evolve.verifying import BATCH
from kbe_graph.models.request import Request
from kbe_graph.steps.ask import Ask
from kbe_graph.steps.asking import Asker
from kbe_graph.steps.candidates import render_chain, render_hop, render_knowledge
from kbe_graph.steps.graph import Extract, render_extract, render_graph, render_key
from kbe_graph.steps.verdicts import render_representative, render_verify
from kbe_graph.steps.wording import render_express
from kbe_graph.store import Store
from kbe_graph.types import Entity, Question, Sample, Triplet

PROPOSED = 5  # triplets that are judged together, taken for a question


def extract_requests(samples: Sequence[Sample], asker: Asker, *, two_calls: bool) -> Iterator[Request]:
    """Return the requests of extraction."""
    language = asker.language
    for sample in samples:
        if not two_calls:
            yield asker.request(render_graph(sample, language=language), sample)
            continue
        yield asker.request(render_extract(sample, language=language), sample)
        thing = Triplet(Entity("IMAGE"), "depicts", Entity(sample.answer.upper()))
        yield asker.request(render_key(sample, Extract((thing,) * 8, (thing,) * 4)), sample)


def evolve_requests(store: Store, plan: Plan, mix: Mix, asker: Asker) -> Iterator[Request]:
    """Return the requests of the hops that the run still has to make."""
    samples = {sample.id: sample for sample in store.samples(status="extracted", limit=plan.scope.limit)}
    done = {(one.sample, one.hop) for one in store.questions(run=plan.run.name, status=None)}
    questions = {one.sample: one for one in (*store.questions(run=RAW), *store.questions(run=plan.run.name, hop=0))}
    todo = [
        one for one in questions.values() if one.sample in samples and (not plan.shard or plan.shard.holds(one.sample))
    ]
    judged = 0
    for question in todo:
        hops = [hop for hop in range(1, plan.scope.hops + 1) if (question.sample, hop) not in done]
        for hop in hops:
            for ask in _of_hop(question, mix, plan, asker.language, first=hop == hops[0]):
                yield asker.request(ask, samples[question.sample], draw=hop - hops[0])
                judged += 1
    if mix.verify and mix.knowledge == "model":
        for number in range(-(-judged // BATCH)):
            yield asker.request(render_verify([_next(todo[0])] * BATCH), draw=number)


def _of_hop(question: Question, mix: Mix, plan: Plan, language: str, *, first: bool) -> Iterator[Ask]:
    new = _next(question)
    if mix.knowledge == "model" and mix.mode == "chain":
        if first:
            yield render_chain(question, plan.scope.hops, language=language)
    elif mix.knowledge == "model" and mix.mode == "merged":
        yield render_hop(question, language=language)
    elif mix.knowledge == "model":
        yield render_knowledge(question, language=language)
        yield render_representative(question, [new] * PROPOSED)
    if mix.wording == "model" and (mix.mode == "paper" or mix.knowledge != "model"):
        yield render_express(question, new, language=language)


def _next(question: Question) -> Triplet:
    """Return a triplet as long as most."""
    return Triplet(question.key[-1].object, "typical relation", Entity("SOME OBJECT"), "textual")
